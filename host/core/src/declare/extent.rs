//! Extent: how large a lowered schema is, in what providers count.

use serde_json::{Map, Value};

use super::profile::Size;

/// Values of an `enum` from which on its characters are counted too.
const LONG_ENUM: usize = 250;

/// What a provider counts in one schema.
#[derive(Debug, Default)]
pub(super) struct Extent {
    properties: usize,
    depth: usize,
    characters: usize,
    values: usize,
    long_enum: usize,
    /// Keys that need not be there.
    pub(super) optional_keys: usize,
    /// Schemas with several types or alternatives.
    pub(super) unions: usize,
}

impl Extent {
    /// Adds a schema that stands in so many objects.
    pub(super) fn add(&mut self, schema: &Value, depth: usize) {
        let Value::Object(members) = schema else { return };
        let several = members.get("type").is_some_and(Value::is_array) || members.contains_key("anyOf");
        self.unions = self.unions.saturating_add(usize::from(several));
        let mut inside = depth;
        if let Some(Value::Object(properties)) = members.get("properties") {
            inside = depth.saturating_add(1);
            self.depth = self.depth.max(inside);
            self.properties = self.properties.saturating_add(properties.len());
            let n_required = members.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            self.optional_keys = self.optional_keys.saturating_add(properties.len().saturating_sub(n_required));
            self.add_names(properties);
        }
        if let Some(Value::Object(definitions)) = members.get("$defs") {
            self.add_names(definitions);
            definitions.values().for_each(|definition| self.add(definition, 0));
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            let length = values
                .iter()
                .map(|value| value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count()));
            let length = length.fold(0, usize::saturating_add);
            self.values = self.values.saturating_add(values.len());
            self.characters = self.characters.saturating_add(length);
            if values.len() > LONG_ENUM {
                self.long_enum = self.long_enum.max(length);
            }
        }
        let groups =
            ["anyOf", "prefixItems"].into_iter().filter_map(|keyword| members.get(keyword)?.as_array()).flatten();
        let parts = ["items", "additionalProperties"].into_iter().filter_map(|keyword| members.get(keyword));
        let properties = members.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        groups.chain(parts).chain(properties).for_each(|part| self.add(part, inside));
    }

    /// The first size that is over its most, with that most.
    pub(super) fn over(&self, size: Size) -> Option<(&'static str, usize)> {
        let counted = [
            ("properties", self.properties, size.properties),
            ("levels", self.depth, size.depth),
            ("characters of names and values", self.characters, size.characters),
            ("values of enums", self.values, size.values),
            ("characters in one enum", self.long_enum, size.long_enum),
        ];
        counted.into_iter().find(|(_, is, max)| is > max).map(|(what, _, max)| (what, max))
    }

    fn add_names(&mut self, named: &Map<String, Value>) {
        let length = named.keys().map(|name| name.chars().count()).fold(0, usize::saturating_add);
        self.characters = self.characters.saturating_add(length);
    }
}
