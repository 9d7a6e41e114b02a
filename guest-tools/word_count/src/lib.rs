//! `word_count`: how many words a text has. The example of the guide, small enough to be read in a minute.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Declaration, Failure};

toolgate_sdk::tool!(
    word_count,
    Declaration {
        name: "word_count",
        version: "1.0.0",
        description: "Counts the words of a text.",
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The text to count.
    #[schemars(length(max = 10_000))]
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    words: usize,
}

fn word_count(input: Input) -> Result<Output, Failure> {
    let words = input.text.split_whitespace().count();
    if words == 0 {
        return Err(Failure::not_found("the text has no words; send some"));
    }
    Ok(Output { words })
}
