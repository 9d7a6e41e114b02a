//! Arguments: in which form a dialect writes them, and how such as came in another form go back into the history.
//!
//! Reading hands them on as the text they came as; whether that is a call is for `gate` to say.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{part, surrogates};
use crate::call::Arguments;

/// How a dialect writes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An object, which must be there.
    Object,
    /// An object, or nothing at all.
    OptionalObject,
    /// The text of an object.
    Text,
    /// Either of both, per call.
    TextOrObject,
}

impl Form {
    /// The arguments of a call.
    pub(super) fn read(self, value: Option<&RawValue>) -> Arguments {
        let Some(value) = value.filter(|value| value.get() != "null") else { return Arguments::Absent };
        let raw = value.get();
        match (self, raw.bytes().next()) {
            (Self::Object | Self::OptionalObject, _) | (Self::TextOrObject, Some(b'{')) => {
                Arguments::Text(raw.to_owned())
            }
            (_, Some(b'"')) => serde_json::from_str(raw).map_or(Arguments::NotUnicode, Arguments::Text),
            (_, Some(b'{')) => Arguments::ParsedObject(raw.to_owned()),
            (_, Some(b'[')) => Arguments::Other("a list"),
            (_, Some(b't' | b'f')) => Arguments::Other("true or false"),
            _ => Arguments::Other("a number"),
        }
    }

    /// The JSON to write in place of arguments that the provider would not take back; `None` where it takes them as they are.
    ///
    /// Nothing becomes `{}`, everything else that is no object `{"_raw": "..."}`. Servers that want the text of an object
    /// parse it again when the history comes back (mlx-lm#1371); those that want an object refuse anything else
    /// (claude-code#6696).
    pub(super) fn mended(self, value: Option<&RawValue>) -> Option<String> {
        let came = value.filter(|value| value.get() != "null");
        let is_object = came.is_some_and(|value| value.get().starts_with('{'));
        match self {
            Self::Object | Self::TextOrObject if is_object => None,
            Self::OptionalObject if is_object || came.is_none() => None,
            Self::Object | Self::OptionalObject => Some(object(came)),
            Self::Text | Self::TextOrObject => text(came, is_object),
        }
    }
}

/// As an object.
fn object(came: Option<&RawValue>) -> String {
    let Some(came) = came else { return "{}".to_owned() };
    let raw = part::text(came).unwrap_or_else(|| surrogates::mended(came.get()).into_owned());
    if raw.trim().is_empty() || raw.trim() == "null" {
        "{}".to_owned()
    } else {
        serde_json::json!({ "_raw": raw }).to_string()
    }
}

/// As the text of an object, unless it is one already.
fn text(came: Option<&RawValue>, is_object: bool) -> Option<String> {
    let said = match came {
        Some(came) if is_object => surrogates::mended(came.get()).into_owned(),
        Some(came) => match part::text(came) {
            Some(text) if is_object_text(&text) => {
                let mended = surrogates::mended(&text);
                // An escape that stands in the outer text is mended with the rest of the message.
                if mended == text {
                    return None;
                }
                mended.into_owned()
            }
            _ => object(Some(came)),
        },
        None => object(None),
    };
    Some(Value::from(said).to_string())
}

fn is_object_text(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Form;

    #[test]
    fn what_a_provider_would_not_take_back_is_written_anew() {
        let rows: [(Form, Option<&str>, Option<&str>); 24] = [
            (Form::Object, Some(r#"{"a": 1}"#), None),
            (Form::Object, None, Some("{}")),
            (Form::Object, Some("null"), Some("{}")),
            (Form::Object, Some(r#""""#), Some("{}")),
            (Form::Object, Some(r#""{\"a\":1}""#), Some(r#"{"_raw":"{\"a\":1}"}"#)),
            (Form::Object, Some(r#"["\ud800"]"#), Some(r#"{"_raw":"[\"\\ufffd\"]"}"#)),
            (Form::Object, Some("7"), Some(r#"{"_raw":"7"}"#)),
            (Form::OptionalObject, None, None),
            (Form::OptionalObject, Some("null"), None),
            (Form::OptionalObject, Some("7"), Some(r#"{"_raw":"7"}"#)),
            (Form::Text, Some(r#""{\"a\":1}""#), None),
            (Form::Text, Some(r#"" {} ""#), None),
            (Form::Text, Some(r#""{\"a\":1""#), Some(r#""{\"_raw\":\"{\\\"a\\\":1\"}""#)),
            (Form::Text, Some(r#""""#), Some(r#""{}""#)),
            (Form::Text, Some(r#""null""#), Some(r#""{}""#)),
            (Form::Text, Some(r#""[]""#), Some(r#""{\"_raw\":\"[]\"}""#)),
            (Form::Text, Some(r#"{"a":"\ud800"}"#), Some(r#""{\"a\":\"\\ufffd\"}""#)),
            (Form::Text, Some(r#""{\"a\":\"\\ud800\"}""#), Some(r#""{\"a\":\"\\ufffd\"}""#)),
            (Form::Text, Some(r#""{\"a\":\"\ud800\"}""#), None),
            (Form::Text, Some("7"), Some(r#""{\"_raw\":\"7\"}""#)),
            (Form::Text, None, Some(r#""{}""#)),
            (Form::TextOrObject, Some("{}"), None),
            (Form::TextOrObject, Some(r#""{}""#), None),
            (Form::TextOrObject, Some("[1]"), Some(r#""{\"_raw\":\"[1]\"}""#)),
        ];
        for (form, came, expected) in rows {
            let raw: Option<&RawValue> = came.map(|json| serde_json::from_str(json).expect("JSON"));
            assert_eq!(form.mended(raw).as_deref(), expected, "{form:?} {came:?}");
        }
    }
}
