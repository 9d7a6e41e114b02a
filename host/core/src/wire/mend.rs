//! Mend: a message with some of its members written anew and every other byte as it was.
//!
//! Which members those are is for the codecs' rules to say; here is how they come into the text.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::part::Slot;

/// What is to be written anew, by where in the message it begins.
#[derive(Debug, Default)]
pub(super) struct Mend {
    edits: BTreeMap<usize, Edit>,
}

#[derive(Debug)]
struct Edit {
    end: usize,
    text: String,
}

impl Mend {
    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Writes JSON at the place of a member, which is made where it is not there. The member must stand in `whole`.
    pub(super) fn write(&mut self, whole: &RawValue, slot: Slot<'_>, json: &str) {
        let offset = |part: &RawValue| part.get().as_ptr().addr().saturating_sub(whole.get().as_ptr().addr());
        if let Some(value) = slot.value {
            let start = offset(value);
            let end = start.saturating_add(value.get().len());
            self.edits.insert(start, Edit { end, text: json.to_owned() });
            return;
        }
        let start = offset(slot.object).saturating_add(1);
        let has_members = slot.object.get().strip_prefix('{').is_some_and(|rest| !rest.trim_start().starts_with('}'));
        let member = format!("\"{}\":{json}", slot.key);
        let text = match (self.edits.remove(&start), has_members) {
            (Some(before), true) => format!("{}{member},", before.text),
            (Some(before), false) => format!("{},{member}", before.text),
            (None, true) => format!("{member},"),
            (None, false) => member,
        };
        self.edits.insert(start, Edit { end: start, text });
    }

    /// The message with everything written.
    pub(super) fn apply(&self, whole: &RawValue) -> String {
        let whole = whole.get();
        let mut out = String::with_capacity(whole.len());
        let mut kept_to: usize = 0;
        for (start, edit) in &self.edits {
            out.push_str(whole.get(kept_to..*start).unwrap_or_default());
            out.push_str(&edit.text);
            kept_to = edit.end;
        }
        out.push_str(whole.get(kept_to..).unwrap_or_default());
        out
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Mend;
    use crate::wire::part::Object;

    fn raw(json: &str) -> &RawValue {
        serde_json::from_str(json).expect("JSON")
    }

    #[test]
    fn members_are_replaced_and_made_and_every_other_byte_stays() {
        let whole = raw(r#" { "keep" : 1.0, "call":{"id":null , "x":[ ]}, "empty":{ }} "#);
        let object = |key: &str| {
            let message = Object::read(whole).map_err(drop).expect("an object");
            message.object(key).expect("an object")
        };
        let mut mend = Mend::default();
        assert!(mend.is_empty());
        mend.write(whole, object("empty").slot("a"), "1");
        mend.write(whole, object("call").slot("id"), "\"new\"");
        mend.write(whole, object("call").slot("type"), "\"function\"");
        mend.write(whole, object("call").slot("name"), "\"n\"");
        mend.write(whole, object("empty").slot("b"), "2");
        assert_eq!(
            mend.apply(whole),
            r#"{ "keep" : 1.0, "call":{"type":"function","name":"n","id":"new" , "x":[ ]}, "empty":{"a":1,"b":2 }}"#
        );
    }
}
