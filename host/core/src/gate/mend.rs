//! Mend: text around or inside arguments that has only one meaning, for operators who want it read so.
//!
//! Takes away, never adds: a text that ends inside a value is not closed, and what could be two calls is none.

use crate::amendment::Amendment;
use crate::json::{self, Json, JsonLimits, Leniency, Prefix};

/// Marks the start and the end of a code block in Markdown.
const FENCE: &str = "```";

/// What stands behind an empty object, which some streams glue in front of the real one.
pub(super) fn without_empty_object(text: &str) -> Option<&str> {
    text.trim_ascii_start().strip_prefix("{}").filter(|rest| rest.trim_ascii_start().starts_with('{'))
}

/// Reads a text without the fence around it, the prose behind it, and slips inside it that lose nothing.
pub(super) fn read(text: &str, limits: &JsonLimits) -> Option<(Json, Vec<Amendment>)> {
    let mut amendments = Vec::new();
    let fenced = without_fence(text);
    let leniency = Leniency { trailing_commas: true, control_characters: true, lone_surrogates: true };
    let inner = fenced.unwrap_or(text).to_owned();
    let Prefix { json, mended, end } = json::read_prefix(inner, limits, leniency).ok()?;
    if fenced.is_some() {
        // A fence around nothing is nothing, not a call without arguments.
        json.root().as_object().filter(|object| object.len() > 0)?;
        amendments.push(Amendment::Fence);
    }
    if let Some(behind) = json.text().get(end..).filter(|behind| !behind.is_empty()) {
        let could_be_a_call = behind.contains(['{', '[']);
        json.root().as_object().filter(|_| !could_be_a_call)?;
        amendments.push(Amendment::TrailingText);
    }
    if mended.trailing_comma {
        amendments.push(Amendment::TrailingComma);
    }
    if mended.control_character {
        amendments.push(Amendment::ControlCharacters);
    }
    amendments.extend(mended.surrogates.into_iter().map(Amendment::ReplacedSurrogate));
    amendments.extend(mended.negative_zeros.into_iter().map(Amendment::NegativeZero));
    // What stood around the object is no part of it: the tool gets the text of what was read.
    let (json, _) = json::read(json.print(), limits).ok()?;
    Some((json, amendments))
}

/// The inside of one fence around everything: the rest of its first line is the name of a language.
fn without_fence(text: &str) -> Option<&str> {
    let inside = text.trim_ascii().strip_prefix(FENCE)?.strip_suffix(FENCE)?;
    let (_, body) = inside.split_once('\n')?;
    Some(body.trim_ascii()).filter(|body| !body.contains(FENCE))
}
