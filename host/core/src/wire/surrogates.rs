//! Surrogates: JSON text in which half a surrogate pair became U+FFFD.
//!
//! One lone surrogate in a message makes providers refuse every later request of the conversation. Knows JSON's escapes
//! and nothing else of a message.

use std::borrow::Cow;

/// How long an escape such as `\ud800` is.
const ESCAPE: usize = 6;

/// The JSON text with each half of a surrogate pair that has lost its other half written as U+FFFD; everything else is as
/// it was, byte for byte.
pub(super) fn mended(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept_to: usize = 0;
    let mut at: usize = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at = at.saturating_add(found);
        let rest = json.get(at..).unwrap_or_default();
        let length = match unit(rest) {
            // In JSON a backslash stands only in a string, and whatever it escapes is one character. Text that is no JSON
            // may have a longer one there, which the next search finds the end of.
            None => 1_usize.saturating_add(rest.chars().nth(1).map_or(0, char::len_utf8)),
            Some(high) if is_high(high) && rest.get(ESCAPE..).and_then(unit).is_some_and(is_low) => {
                ESCAPE.saturating_mul(2)
            }
            Some(alone) if is_high(alone) || is_low(alone) => {
                out.push_str(json.get(kept_to..at).unwrap_or_default());
                out.push_str("\\ufffd");
                kept_to = at.saturating_add(ESCAPE);
                ESCAPE
            }
            Some(_) => ESCAPE,
        };
        at = at.saturating_add(length);
    }
    if kept_to == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(kept_to..).unwrap_or_default());
    Cow::Owned(out)
}

/// The UTF-16 unit that a text begins with as an escape.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

fn is_high(unit: u16) -> bool {
    (0xd800..=0xdbff).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..=0xdfff).contains(&unit)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::mended;

    #[test]
    fn half_a_pair_becomes_the_replacement_character_and_nothing_else_changes() {
        for (json, expected) in [
            (r#"{"a": "\ud800"}"#, r#"{"a": "\ufffd"}"#),
            (r#""\udc00\ud800""#, r#""\ufffd\ufffd""#),
            (r#""\uD83Dx\uDE00""#, r#""\ufffdx\ufffd""#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\\ud800""#, r#""\\\ufffd""#),
            (r#"{"\ud800":1}"#, r#"{"\ufffd":1}"#),
        ] {
            assert_eq!(mended(json), expected);
            assert!(serde_json::from_str::<serde_json::Value>(&mended(json)).is_ok(), "{json}");
        }
        for whole in [r#""\ud83d\ude00 \\ud800 \" \n é""#, "7", "", "\\", "\\u", "\\ud8", "\\é\\ud80é", r#""\u0041""#]
        {
            assert!(matches!(mended(whole), Cow::Borrowed(same) if same == whole), "{whole}");
        }
    }
}
