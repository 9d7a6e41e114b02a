"""Toolgate for Python: a tool is a contract and a function. What the function returns is the result; a `Failure` it raises
is the tool's own word; anything else it raises becomes `failed`, since the component model would lose it.

    from toolgate import Failure, make_tool
    Tool = make_tool(CONTRACT, run)
"""

import json
import traceback

from componentize_py_types import Err
from wit_world.exports import tool as _tool
from wit_world.imports import host as _host

_KINDS = {
    "not-found": _tool.Failure_NotFound,
    "refused": _tool.Failure_Refused,
    "unavailable": _tool.Failure_Unavailable,
    "failed": _tool.Failure_Failed,
}


class Failure(Exception):
    """Why there is no answer: `not-found`, `refused`, `unavailable` or `failed`, and a text for the model."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def log(level, line):
    """One line for the operator, at `debug`, `info`, `warn` or `error`. The model never sees it."""
    _host.log(_host.Level[level.upper()], str(line))


def make_tool(contract, run):
    """The two exports of a component, out of a contract and a function from the checked arguments to the result."""
    text = json.dumps(contract)

    class Tool:
        def contract(self):
            return text

        def call(self, arguments):
            try:
                return json.dumps(run(**json.loads(arguments)), allow_nan=False)
            except Failure as failure:
                raise Err(_KINDS[failure.kind](str(failure)))
            except Exception as error:
                # The place is for the operator, who has the source; the model gets the sentence. A whole traceback would
                # read the source from files, and there are none here.
                frames = traceback.walk_tb(error.__traceback__)
                places = [f"{frame.f_code.co_filename}:{line}" for frame, line in frames]
                log("error", f"{type(error).__name__}: {error}, at {', '.join(places)}")
                raise Err(_tool.Failure_Failed(f"{type(error).__name__}: {error}"))

    return Tool
