// Toolgate for JavaScript: a tool is a contract and a function. What the function returns is the result; a `Failure` it
// throws is the tool's own word; anything else it throws becomes `failed`, since the component model would lose it.
//
//     import { Failure, tool as makeTool } from "./toolgate.js";
//     export const tool = makeTool(CONTRACT, (input) => ({ ... }));

import host from "toolgate:tool/host@1.0.0";

/** Why there is no answer: `not-found`, `refused`, `unavailable` or `failed`, and a text for the model. */
export class Failure extends Error {
  constructor(kind, text) {
    super(text);
    this.kind = kind;
  }
}

/** One line for the operator, at `debug`, `info`, `warn` or `error`. The model never sees it. */
export const log = (level, line) => host.log(level, String(line));

/** The two exports of a component, out of a contract and a function from the checked arguments to the result. */
export function tool(contract, run) {
  const text = JSON.stringify(contract);
  return {
    contract: () => text,
    call(args) {
      let result;
      try {
        result = JSON.stringify(run(JSON.parse(args)));
        if (result === undefined) throw new TypeError("the tool returned nothing");
      } catch (error) {
        if (error instanceof Failure) throw { tag: error.kind, val: error.message };
        // The place is for the operator, who has the source; the model gets the sentence.
        log("error", error?.stack ?? error);
        throw { tag: "failed", val: String(error) };
      }
      return result;
    },
  };
}
