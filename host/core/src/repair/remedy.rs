//! Remedy: a rule applied to one call that came to no answer. Gives the call anew, or nothing where there is nothing to change.
//!
//! Whether the new call is any better is not decided here: it walks the whole line as if a model had written it.

use serde_json::{Map, Value};

use super::rule::Origin;
use super::settings::SetTo;
use crate::attempt::Change;
use crate::field_path::FieldPath;
use crate::json::{self, Item, JsonLimits, Pointer};
use crate::refusal::{NotDone, Rejection};
use crate::registry::RegistryRejection;
use crate::schema::Misfit;
use crate::text;
use crate::tool::Tool;

/// A call made anew.
#[derive(Debug)]
pub(super) struct Mended {
    pub(super) tool: String,
    pub(super) arguments: String,
    pub(super) change: Change,
}

/// Sets an argument. Nothing where that changes nothing, or where the schema offers no value.
pub(super) fn set(
    argument: Option<&Pointer>,
    to: &SetTo,
    tool: &Tool,
    arguments: &str,
    ended: &NotDone,
    limits: &JsonLimits,
) -> Option<Mended> {
    let misfit = misfit(ended);
    let (document, _) = json::read(arguments.to_owned(), limits).ok()?;
    let at = match argument {
        Some(argument) => argument.path(document.root()),
        None => misfit?.at(),
    };
    // The schema offers a value for the place that broke it, and that may be another one than the rule's.
    let broken = || misfit.filter(|misfit| misfit.at() == at);
    let value = match to {
        SetTo::Constant(value) => value.clone(),
        SetTo::Default => tool.input.default_at(&Pointer::to(&at))?,
        SetTo::Clamp => broken()?.clamped()?,
        SetTo::Nearest => broken()?.nearest_permitted()?,
    };
    let mut mended = document.root().to_value();
    let was = at.find(&mended);
    if was == Some(&value) {
        return None;
    }
    let change = Change::Set { at: at.clone(), was: was.map(text::quote), to: text::quote(&value) };
    put(&mut mended, &at, value)?;
    Some(Mended { tool: tool.name().to_owned(), arguments: mended.to_string(), change })
}

/// Asks another tool.
pub(super) fn switch(
    to: &str,
    map: Option<&[(Pointer, Origin)]>,
    arguments: &str,
    limits: &JsonLimits,
) -> Option<Mended> {
    let change = Change::Switched { to: to.to_owned() };
    let Some(map) = map else {
        return Some(Mended { tool: to.to_owned(), arguments: arguments.to_owned(), change });
    };
    let (document, _) = json::read(arguments.to_owned(), limits).ok()?;
    let mut made = Value::Object(Map::new());
    for (place, origin) in map {
        let value = match origin {
            Origin::Constant(value) => Some(value.clone()),
            Origin::From(from) => from.find(document.root()).map(Item::to_value),
        };
        if let Some(value) = value {
            put_at(&mut made, place.steps(), value)?;
        }
    }
    Some(Mended { tool: to.to_owned(), arguments: made.to_string(), change })
}

/// What of the arguments did not fit, where that is how the call ended.
fn misfit(ended: &NotDone) -> Option<&Misfit> {
    match ended {
        NotDone::Refused(Rejection::Registry(RegistryRejection::Arguments(misfit))) => Some(misfit),
        NotDone::Refused(_) | NotDone::Failed(_) => None,
    }
}

/// Puts a value at a place whose surroundings are there.
fn put(root: &mut Value, at: &FieldPath, value: Value) -> Option<()> {
    if let Some(place) = at.find_mut(root) {
        *place = value;
        return Some(());
    }
    let (parent, key) = at.split_key()?;
    parent.find_mut(root)?.as_object_mut()?.insert(key.to_owned(), value);
    Some(())
}

/// Puts a value at a place, and objects around it where there are none.
fn put_at(place: &mut Value, steps: &[String], value: Value) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        *place = value;
        return Some(());
    };
    let inner = place.as_object_mut()?.entry(step.as_str()).or_insert_with(|| Value::Object(Map::new()));
    put_at(inner, rest, value)
}
