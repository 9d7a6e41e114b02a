//! Pointer: a JSON Pointer (RFC 6901), parsed once and found in any document.

use super::{Item, Kind};
use crate::field_path::{FieldPath, Segment};

/// Most steps of a pointer. Nothing that is nested deeper is ever read.
const MAX_STEPS: usize = 64;

/// A place in a document, from its root. Without steps it is the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer(Vec<String>);

impl Pointer {
    /// Reads a pointer; nothing where it breaks the grammar or is deeper than any document.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        let steps: Option<Vec<String>> = text.strip_prefix('/')?.split('/').map(unescaped).collect();
        steps.filter(|steps| steps.len() <= MAX_STEPS).map(Self)
    }

    /// The place of a member of the outermost object, or the root.
    pub(crate) fn to_member(key: Option<&str>) -> Self {
        Self(key.map(str::to_owned).into_iter().collect())
    }

    /// The place that a path names.
    pub(crate) fn to(path: &FieldPath) -> Self {
        Self(path.steps().collect())
    }

    /// The place at the end of these steps.
    pub(crate) const fn to_steps(steps: Vec<String>) -> Self {
        Self(steps)
    }

    pub(crate) fn steps(&self) -> &[String] {
        &self.0
    }

    /// What stands there.
    pub(crate) fn find<'j>(&self, root: Item<'j>) -> Option<Item<'j>> {
        self.0.iter().try_fold(root, |item, step| part(item, step))
    }

    /// The place as a code and a text say it, in a document that has it.
    pub(crate) fn path(&self, root: Item<'_>) -> FieldPath {
        let mut item = Some(root);
        let segments = self.0.iter().map(|step| {
            let is_list = item.is_some_and(|item| item.as_list().is_some());
            item = item.and_then(|item| part(item, step));
            index(step).filter(|_| is_list).map_or_else(|| Segment::Key(step.clone()), Segment::Index)
        });
        FieldPath::from_segments(segments.collect())
    }
}

/// A step that can be one into a list: digits, without a zero in front.
pub(crate) fn index(step: &str) -> Option<usize> {
    let plain = step == "0" || (!step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit()));
    step.parse().ok().filter(|_| plain)
}

fn part<'j>(item: Item<'j>, step: &str) -> Option<Item<'j>> {
    match item.kind() {
        Kind::Object(object) => object.get(step),
        Kind::List(list) => list.items().nth(index(step)?),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => None,
    }
}

/// `~1` is a slash and `~0` a tilde; a tilde before anything else is an error.
fn unescaped(step: &str) -> Option<String> {
    let mut parts = step.split('~');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (sign, rest) = match part.strip_prefix('0') {
            Some(rest) => ('~', rest),
            None => ('/', part.strip_prefix('1')?),
        };
        out.push(sign);
        out.push_str(rest);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Pointer;
    use crate::json::Json;

    #[test]
    fn pointers_of_the_standard_find_what_the_standard_says() {
        // The document and the pointers of RFC 6901 §5.
        let value = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
        });
        let json = Json::of_value(&value);
        for text in ["", "/foo", "/foo/0", "/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/m~0n"] {
            let pointer = Pointer::parse(text).expect(text);
            let found = pointer.find(json.root()).expect(text).to_value();
            assert_eq!(Some(&found), value.pointer(text), "{text}");
        }
        for text in ["/foo/2", "/foo/00", "/foo/-", "/bar", "/foo/0/x"] {
            assert!(Pointer::parse(text).expect(text).find(json.root()).is_none(), "{text}");
        }
        for text in ["foo", "/a~", "/a~2b", &"/a".repeat(65)] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
        let place = Pointer::parse("/foo/1").expect("reads").path(json.root());
        assert_eq!((place.to_string().as_str(), place.find(&value)), ("foo.1", Some(&json!("baz"))));
    }
}
