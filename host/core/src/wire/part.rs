//! Part: a value of a message as it stands there, byte for byte, read no deeper than a codec looks.
//!
//! Knows JSON and no dialect. Arguments are parts too, which nothing here looks into: that is for `gate`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::surrogates;

/// Most items of a list and members of an object that are looked at. An envelope has a handful; a list of ten million
/// numbers would cost many times the memory of its message.
const MAX_PARTS: usize = 16_384;

/// An object of a message, with its members as they stand there.
pub(super) struct Object<'m> {
    raw: &'m RawValue,
    members: Vec<(Cow<'m, str>, &'m RawValue)>,
}

/// The place of a member: the object, the key, and what stands there now.
#[derive(Clone, Copy)]
pub(super) struct Slot<'m> {
    pub(super) object: &'m RawValue,
    pub(super) key: &'static str,
    pub(super) value: Option<&'m RawValue>,
}

impl<'m> Object<'m> {
    /// Reads an object; what it is instead, in words, where it is none.
    pub(super) fn read(raw: &'m RawValue) -> Result<Self, String> {
        // Without the look at its first byte a list would be an error in the parser's words.
        if !raw.get().starts_with('{') {
            return Err("it is no object".to_owned());
        }
        let Members(members) = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
        Ok(Self { raw, members })
    }

    /// A member, `null` included.
    fn member(&self, key: &str) -> Option<&'m RawValue> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// A member; `null` is none.
    pub(super) fn get(&self, key: &str) -> Option<&'m RawValue> {
        self.member(key).filter(|value| value.get() != "null")
    }

    /// Where a member stands or is to stand.
    pub(super) fn slot(&self, key: &'static str) -> Slot<'m> {
        Slot { object: self.raw, key, value: self.member(key) }
    }

    /// A member that is text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(text)
    }

    /// Whether a member is this text.
    pub(super) fn says(&self, key: &str, word: &str) -> bool {
        self.text(key).is_some_and(|text| text == word)
    }

    /// A member that is an object.
    pub(super) fn object(&self, key: &str) -> Option<Self> {
        self.get(key).and_then(|value| Object::read(value).ok())
    }

    /// The members of these names, read.
    pub(super) fn copied(&self, keys: &[&'static str]) -> Vec<(&'static str, Value)> {
        let read = |value: &RawValue| serde_json::from_str(&surrogates::mended(value.get())).ok();
        keys.iter().filter_map(|key| Some((*key, self.get(key).and_then(read)?))).collect()
    }

    /// The object as it stands there, without one member.
    pub(super) fn without(&self, key: &str) -> String {
        if self.member(key).is_none() {
            return self.raw.get().to_owned();
        }
        let kept = self.members.iter().filter(|(name, _)| name != key);
        let kept = kept.map(|(name, value)| format!("{}:{}", Value::from(name.as_ref()), value.get()));
        format!("{{{}}}", kept.collect::<Vec<_>>().join(","))
    }
}

/// Text, with each half of a surrogate pair that has lost its other half as U+FFFD; `None` for anything else.
pub(super) fn text(part: &RawValue) -> Option<String> {
    serde_json::from_str(&surrogates::mended(part.get())).ok()
}

/// The items of a list; what is wrong with it, in words, where it is none.
pub(super) fn items(part: &RawValue) -> Result<Vec<&RawValue>, String> {
    let Items(items) = serde_json::from_str(part.get()).map_err(|error| error.to_string())?;
    Ok(items)
}

fn too_many<E: serde::de::Error>() -> E {
    E::custom(format!("it has more than {MAX_PARTS} parts"))
}

struct Members<'m>(Vec<(Cow<'m, str>, &'m RawValue)>);

struct Items<'m>(Vec<&'m RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                let mut names = BTreeSet::new();
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    let key = name(key);
                    // A reader that takes the first and one that takes the last would see two messages.
                    if !names.insert(key.clone()) {
                        return Err(A::Error::custom(format!("`{key}` stands twice in it")));
                    }
                    if members.len() >= MAX_PARTS {
                        return Err(too_many());
                    }
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// A key; one with an escape is rare, and one with half a surrogate pair is still a key.
fn name(key: &RawValue) -> Cow<'_, str> {
    let plain = key.get().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match plain {
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        _ => Cow::Owned(text(key).unwrap_or_default()),
    }
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element::<&RawValue>()? {
                    if items.len() >= MAX_PARTS {
                        return Err(too_many());
                    }
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Reader)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{MAX_PARTS, Object, items, text};

    fn raw(json: &str) -> &RawValue {
        serde_json::from_str(json).expect("JSON")
    }

    #[test]
    fn members_are_found_by_what_their_keys_say() {
        let object =
            Object::read(raw(r#" {"\u0069d": "a\ud800", "n": null, "o": {"x":1}, "\ud800": 1} "#)).map_err(drop);
        let object = object.expect("an object");
        assert_eq!(object.text("id").as_deref(), Some("a\u{fffd}"));
        assert!(object.get("n").is_none() && object.slot("n").value.is_some() && object.slot("m").value.is_none());
        assert_eq!(object.object("o").and_then(|inner| inner.text("x")), None);
        assert!(object.get("\u{fffd}").is_some() && object.object("id").is_none());
        assert!(object.says("id", "a\u{fffd}") && !object.says("n", "null"));
    }

    #[test]
    fn an_object_without_a_member_keeps_the_others_as_they_are() {
        let object = Object::read(raw(r#"{"a" : 1e2,"stop":"x", "b":[ 1 ]}"#)).map_err(drop).expect("an object");
        assert_eq!(object.without("stop"), r#"{"a":1e2,"b":[ 1 ]}"#);
        assert_eq!(object.without("none"), r#"{"a" : 1e2,"stop":"x", "b":[ 1 ]}"#);
    }

    #[test]
    fn what_is_no_envelope_is_refused_in_words() {
        let problem = |json: &str| Object::read(raw(json)).map(|_| ()).expect_err(json);
        assert!(problem(r#"{"a":1,"\u0061":2}"#).contains("`a` stands twice"));
        assert_eq!(problem("[]"), "it is no object");
        let members: Vec<String> = (0..=MAX_PARTS).map(|nth| format!("\"{nth}\":0")).collect();
        assert!(problem(&format!("{{{}}}", members.join(","))).contains("more than 16384 parts"));
        let long = format!("[{}]", vec!["0"; MAX_PARTS + 1].join(","));
        assert!(items(raw(&long)).expect_err("is refused").contains("more than 16384 parts"));
        assert!(items(raw("{}")).expect_err("is refused").contains("a list"));
        assert_eq!(text(raw("7")), None);
    }
}
