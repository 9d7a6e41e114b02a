//! The two exports of a tool made by [`tool!`](crate::tool): text in, the author's function on typed values, text out.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contract::document;
use crate::declaration::Declaration;
use crate::failure::Failure;
use crate::panic::install_hook;

/// The contract's text. The function is here for its types only.
#[expect(
    clippy::panic,
    reason = "a tool without a contract cannot be loaded; the panic hook tells the author why before the trap"
)]
pub fn contract<I: JsonSchema, O: JsonSchema>(
    declaration: &Declaration,
    _function: fn(I) -> Result<O, Failure>,
) -> String {
    install_hook();
    match document::<I, O>(declaration) {
        Ok(document) => document.to_string(),
        Err(what) => panic!("tool `{}` has no contract: {what}", declaration.name),
    }
}

/// One call: reads the arguments, runs the function, writes the result.
pub fn call<I: DeserializeOwned, O: Serialize>(
    function: fn(I) -> Result<O, Failure>,
    arguments: &str,
) -> Result<String, Failure> {
    install_hook();
    // The host has checked the arguments against the published schema. What still ends here is a type that accepts less
    // than its schema says, and the author has to hear of that.
    let input = serde_json::from_str(arguments)
        .map_err(|error| Failure::failed(format!("the arguments fit the schema but not the tool's types: {error}")))?;
    let output = function(input)?;
    serde_json::to_string(&output)
        .map_err(|error| Failure::failed(format!("the result could not be written as JSON: {error}")))
}
