//! Text: foreign text is cut and made visible before a model, a terminal or a log sees it.
//!
//! Decides nothing about a call. The list of forbidden characters is ours, after the hidden-text attacks on tool
//! descriptions and results (tag characters, bidirectional overrides, terminal escapes).

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

/// Most characters of a foreign value that a refusal repeats. Enough to recognise a value, too few to turn a diagnostic
/// into a payload: a refusal that quotes a 6 KB argument back costs tokens on every remaining step.
pub(crate) const MAX_QUOTED: usize = 120;

/// Whether this character may not reach a reader as it is: it moves a cursor, hides text or reverses it.
fn is_forbidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2028}' | '\u{2029}' => true,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' => true,
        // Variation selectors pick glyphs; the last one makes an emoji of a character and stays.
        '\u{fe00}'..='\u{fe0e}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' => true,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => true,
        _ => false,
    }
}

/// Whether this text may reach a reader as it is.
pub(crate) fn is_clean(text: &str) -> bool {
    // Printable ASCII is nearly all there is; a byte scan settles it without decoding.
    text.bytes().all(|b| (0x20..0x7f).contains(&b)) || !text.chars().any(is_forbidden)
}

/// The text with every forbidden character as a visible escape such as `\u{202e}`, and how many there were.
pub fn clean(text: &str) -> (Cow<'_, str>, usize) {
    if is_clean(text) {
        return (Cow::Borrowed(text), 0);
    }
    let mut out = String::with_capacity(text.len().saturating_add(16));
    let mut n_escaped: usize = 0;
    for c in text.chars() {
        if is_forbidden(c) {
            n_escaped = n_escaped.saturating_add(1);
            write!(out, "{}", c.escape_unicode()).expect("writing to a String cannot fail");
        } else {
            out.push(c);
        }
    }
    (Cow::Owned(out), n_escaped)
}

/// JSON text with every forbidden character as JSON's own escape: the same value, safe to look at.
pub fn escape_in_json(json: &str) -> Cow<'_, str> {
    if is_clean(json) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len().saturating_add(16));
    for c in json.chars() {
        if is_forbidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The text on one line, cleaned, and cut to `max` characters with `…` where something was left out.
pub fn one_line(text: &str, max: usize) -> String {
    if text.len() <= max && text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(max));
    let mut n_chars: usize = 0;
    for c in text.chars() {
        n_chars = n_chars.saturating_add(1);
        if n_chars > max {
            out.push('…');
            return out;
        }
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_forbidden(c) => write!(out, "{}", c.escape_unicode()).expect("writing to a String cannot fail"),
            c => out.push(c),
        }
    }
    out
}

/// A value as compact JSON on one line, cut to [`MAX_QUOTED`] characters. Writes no more of a large value than it shows.
pub(crate) fn quote(value: &impl Serialize) -> String {
    let room = MAX_QUOTED.saturating_mul(4);
    let mut head = Head { bytes: Vec::with_capacity(MAX_QUOTED), room };
    // A full head is no fault of the value: what was written until then is all that is shown.
    let whole = serde_json::to_writer(&mut head, value).is_ok();
    let text = String::from_utf8_lossy(&head.bytes);
    let line = one_line(text.trim_end_matches('\u{fffd}'), MAX_QUOTED);
    if whole || line.ends_with('…') { line } else { format!("{line}…") }
}

/// A writer that takes what it has room for and then refuses, so that a serializer stops early.
struct Head {
    bytes: Vec<u8>,
    room: usize,
}

impl std::io::Write for Head {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        let taken = buf.len().min(self.room);
        if taken == 0 && !buf.is_empty() {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        self.bytes.extend_from_slice(buf.get(..taken).unwrap_or_default());
        self.room = self.room.saturating_sub(taken);
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The first string or key in a value that hides something.
pub(crate) fn first_hidden(value: &Value) -> Option<&str> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(text) => (!is_clean(text)).then_some(text),
        Value::Array(items) => items.iter().find_map(first_hidden),
        Value::Object(members) => members.iter().find_map(|(key, member)| match is_clean(key) {
            true => first_hidden(member),
            false => Some(key.as_str()),
        }),
    }
}

/// Escapes forbidden characters in every string and key of a value; gives back how many there were.
///
/// Two keys that become equal keep the value of the one that comes last in key order: the schema check has already seen
/// both, and a reader could not tell them apart anyway.
pub(crate) fn clean_value(value: &mut Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => {
            let (cleaned, n_escaped) = clean(text);
            if let Cow::Owned(cleaned) = cleaned {
                *text = cleaned;
            }
            n_escaped
        }
        Value::Array(items) => items.iter_mut().map(clean_value).fold(0, usize::saturating_add),
        Value::Object(members) => {
            let mut n_escaped = members.values_mut().map(clean_value).fold(0, usize::saturating_add);
            if !members.keys().all(|key| is_clean(key)) {
                let dirty = std::mem::take(members);
                for (key, member) in dirty {
                    let (cleaned, n) = clean(&key);
                    n_escaped = n_escaped.saturating_add(n);
                    members.insert(cleaned.into_owned(), member);
                }
            }
            n_escaped
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MAX_QUOTED, clean, clean_value, one_line, quote};

    #[test]
    fn hidden_and_control_characters_become_visible() {
        for (dirty, cleaned, n) in [
            ("plain\ntext\tstays", "plain\ntext\tstays", 0),
            ("한국어 stays", "한국어 stays", 0),
            ("\u{1b}[31mred", "\\u{1b}[31mred", 1),
            ("a\u{202e}b\u{200b}c", "a\\u{202e}b\\u{200b}c", 2),
            ("tag\u{e0041}", "tag\\u{e0041}", 1),
            ("bell\u{7}\u{9b}2J", "bell\\u{7}\\u{9b}2J", 2),
        ] {
            assert_eq!(clean(dirty), (cleaned.into(), n));
            assert_eq!(clean(cleaned).1, 0, "cleaning twice changes nothing");
        }
    }

    #[test]
    fn a_quoted_value_is_one_line_and_bounded() {
        assert_eq!(quote(&json!({"a": [1, "x\ny"]})), r#"{"a":[1,"x\ny"]}"#);
        assert_eq!(one_line("a\nb", 10), "a\\nb");
        let long = quote(&json!("é".repeat(5_000)));
        assert_eq!(long.chars().count(), MAX_QUOTED + 1);
        assert!(long.ends_with('…'));
        let many = quote(&json!(vec![1; 100_000]));
        assert!(many.ends_with('…') && many.chars().count() <= MAX_QUOTED + 1);
    }

    #[test]
    fn strings_and_keys_inside_a_value_are_cleaned() {
        let mut value = json!({"k\u{200b}": ["\u{1b}]52;c;x"], "ok": 1});
        assert_eq!(clean_value(&mut value), 2);
        assert_eq!(value, json!({"k\\u{200b}": ["\\u{1b}]52;c;x"], "ok": 1}));
    }
}
