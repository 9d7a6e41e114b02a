//! Wants: what the schema wants at the place of a violation, in the few words a model needs to mend it.

use std::borrow::Cow;

use serde_json::Value;

use super::explain::Broken;
use super::program::{Bound, NodeId, ObjectRules, Program, Range, Rules, type_in_words};
use super::violation::Wants;
use crate::json::{Item, Json, Object};
use crate::near::nearest;
use crate::text;

/// Most values or keys that a text names. A model corrects a slip with the list in front of it; beyond this the list is
/// cut and the nearest value stays.
const MAX_LISTED: usize = 20;

/// The part of a schema that was broken, in words.
pub(super) fn wants(program: &Program, json: &Json, broken: &Broken, got: Item<'_>) -> Wants {
    let text_at = |place: usize| json.item(place).as_text().unwrap_or_default();
    match broken {
        Broken::Required { key, node, object } => missing_key(program, key, *node, json.item(*object)),
        Broken::Undeclared { key, node } => declared_instead(program, text_at(*key), *node),
        Broken::Type(types) => Wants::Type(types.names()),
        Broken::Permitted { node, nth } => {
            one_of(program.rules(*node).and_then(|rules| rules.permitted.get(*nth)).map_or(&[], Vec::as_slice), got)
        }
        Broken::Number { node, nth } => {
            let Some(rule) = program.rules(*node).and_then(|rules| rules.numbers.get(*nth)) else {
                return Wants::Bound("is out of bounds".to_owned());
            };
            let words = match rule.kind {
                Bound::Least => "at least",
                Bound::Most => "at most",
                Bound::Above => "greater than",
                Bound::Below => "less than",
                Bound::Step => "a multiple of",
            };
            Wants::Bound(format!("must be {words} {}", rule.bound.to_number()))
        }
        Broken::Count { range, n, what } => Wants::Bound(format!("must have {} {what}, has {n}", bounds(*range, *n))),
        Broken::Contained { range, n } => {
            let bounds = bounds(*range, *n);
            Wants::Rule(format!("must hold {bounds} items that fit what is declared under `contains`, holds {n}"))
        }
        Broken::Pattern(leaf) => Wants::Pattern(text::one_line(&said(program, *leaf), 200)),
        Broken::Format(leaf) => Wants::Format(text::one_line(&said(program, *leaf), 40)),
        Broken::Name(key) => {
            Wants::Rule(format!("has the key {}, whose name is not allowed", text::quote(&json.item(*key))))
        }
        Broken::Never => Wants::Rule("must not be there".to_owned()),
        Broken::Rule(words) => Wants::Rule((*words).to_owned()),
    }
}

/// The bounds of a number that is out of them, where both are declared: `from 1 to 14`.
pub(super) fn declared_range(program: &Program, broken: &Broken) -> Option<String> {
    let Broken::Number { node, nth: _ } = broken else { return None };
    let rules = program.rules(*node)?;
    let is_bounded = |kind| rules.numbers.iter().any(|rule| rule.kind == kind);
    (is_bounded(Bound::Least) && is_bounded(Bound::Most)).then(|| in_range(rules).trim_start().to_owned())
}

/// The bound that so many break.
fn bounds(range: Range, n: usize) -> String {
    match (range.least, range.most) {
        (Some(least), _) if u64::try_from(n).unwrap_or(u64::MAX) < least => format!("at least {least}"),
        (_, Some(most)) => format!("at most {most}"),
        _ => "another number of".to_owned(),
    }
}

fn said(program: &Program, leaf: usize) -> Cow<'_, str> {
    program.leaves.get(leaf).and_then(|leaf| leaf.held.as_str()).map_or(Cow::Borrowed(""), Cow::Borrowed)
}

fn missing_key(program: &Program, key: &str, node: NodeId, object: Item<'_>) -> Wants {
    let rules = program.rules(node).and_then(|rules| rules.object.as_deref());
    let declared = rules.and_then(|rules| rules.property(key));
    // Beside an open object, or in an arm of a larger one, an unknown key may well be meant.
    let is_closed = rules.is_some_and(|rules| program.is_never(rules.additional) && rules.patterns.is_empty());
    let is_stranger = |other: &&str| rules.is_none_or(|rules| rules.property(other).is_none());
    let keys = object.as_object().into_iter().flat_map(Object::keys);
    let misspelt = if is_closed { nearest(key, keys.filter(is_stranger)) } else { None };
    Wants::Key {
        holds: declared.map_or_else(String::new, |node| describe(program, node)),
        misspelt: misspelt.map(|key| text::one_line(key, 64)),
    }
}

fn declared_instead(program: &Program, key: &str, node: NodeId) -> Wants {
    let mut keys = Vec::new();
    gather_declared(program, node, &mut keys);
    keys.sort_unstable();
    keys.dedup();
    // A declared key may have a line end in it, or be a page long.
    let shown = |key: &str| text::one_line(key, 64);
    let nearest = nearest(key, keys.iter().copied()).map(shown);
    Wants::DeclaredKeys { keys: keys.into_iter().take(MAX_LISTED).map(shown).collect(), nearest }
}

/// The keys that a schema and everything in its place declare by name. Ends because no circle is in place.
fn gather_declared<'p>(program: &'p Program, node: NodeId, keys: &mut Vec<&'p str>) {
    let Some(rules) = program.rules(node) else { return };
    let own = |object: &'p ObjectRules| object.properties.iter().map(|(key, _)| &**key);
    keys.extend(rules.object.iter().flat_map(|object| own(object)));
    for inner in rules.in_place.iter().flat_map(|in_place| in_place.each()) {
        gather_declared(program, inner, keys);
    }
}

fn one_of(permitted: &[Value], got: Item<'_>) -> Wants {
    let values = permitted.iter().take(MAX_LISTED).map(text::quote).collect();
    let texts = permitted.iter().filter_map(Value::as_str);
    let nearest = got.as_text().and_then(|said| nearest(said, texts.clone()));
    let folded = got.as_text().map(str::to_lowercase);
    let mut same = texts.filter(|text| folded.as_deref() == Some(text.to_lowercase().as_str()));
    let in_another_case = same.next().filter(|_| same.next().is_none()).map(str::to_owned);
    Wants::OneOf {
        in_another_case,
        values,
        n_more: permitted.len().saturating_sub(MAX_LISTED),
        nearest: nearest.map(|near| text::one_line(near, text::MAX_QUOTED)),
    }
}

/// What a schema holds, in a few words for a hint: `one of "low", "high"`, `an integer from 1 to 2`. Empty where there is
/// nothing short to say.
fn describe(program: &Program, node: NodeId) -> String {
    let Some(rules) = program.rules(node) else { return String::new() };
    match rules.permitted.as_slice() {
        [values] if values.len() > 1 => {
            let mut listed = values.iter().take(MAX_LISTED).map(text::quote).collect::<Vec<_>>().join(", ");
            if values.len() > MAX_LISTED {
                listed.push_str(", …");
            }
            return format!("one of {listed}");
        }
        [values] => return values.first().map_or_else(String::new, text::quote),
        _ => {}
    }
    let Some(types) = rules.types else {
        // Ends because no circle is in place.
        let reference = rules.in_place.as_ref().and_then(|in_place| in_place.reference);
        return reference.map_or_else(String::new, |node| describe(program, node));
    };
    let mut words = types.names().into_iter().map(type_in_words).collect::<Vec<_>>().join(" or ");
    words.push_str(&in_range(rules));
    if let Some(pattern) = rules.text.as_ref().and_then(|held| held.pattern) {
        words.push_str(&format!(" that matches `{}`", text::one_line(&said(program, pattern), 80)));
    }
    words
}

fn in_range(rules: &Rules) -> String {
    let bound = |kind| rules.numbers.iter().find(|rule| rule.kind == kind).map(|rule| rule.bound.to_number());
    match (bound(Bound::Least), bound(Bound::Most)) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(", at least {min}"),
        (None, Some(max)) => format!(", at most {max}"),
        (None, None) => String::new(),
    }
}
