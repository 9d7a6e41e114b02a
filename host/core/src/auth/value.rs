//! Value: values of documents as CEL has them, without a copy of their texts.
//!
//! CEL compares an integer with a double by rounding the integer, so a whole number is always handed over as an integer,
//! however it is written: `1` and `1.0` are one number here as they are to a schema, and integers of 64 bits keep every
//! digit. A whole number beyond 64 bits is handed over as nothing at all, and a condition that meets it does not hold.

use std::collections::HashMap;

use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt};
use cel::common::value::Val;

use crate::json::{Item, Kind, Num};

/// A number that no rule can be held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLargeNumber;

/// The members of an object that are named, where they are there. Depth is the document's, which its reader bounded.
pub(super) fn members<'j, 'n>(
    of: Item<'j>,
    named: impl Iterator<Item = &'n str>,
) -> Result<CelMap<'j>, TooLargeNumber> {
    let Some(object) = of.as_object() else { return Ok(CelMap::default()) };
    object_of(named.filter_map(|name| object.get(name).map(|member| (name.to_owned().into(), member))))
}

fn object_of<'j>(members: impl Iterator<Item = (CelMapKey<'j>, Item<'j>)>) -> Result<CelMap<'j>, TooLargeNumber> {
    let members = members.map(|(key, member)| value(member).map(|member| (key, member)));
    Ok(CelMap::from(members.collect::<Result<HashMap<_, _>, _>>()?))
}

fn value<'j>(item: Item<'j>) -> Result<Box<dyn Val + 'j>, TooLargeNumber> {
    Ok(match item.kind() {
        Kind::Null => Box::new(CelNull),
        Kind::Bool(said) => Box::new(CelBool::from(said)),
        Kind::Number(number) => self::number(number)?,
        Kind::Text(text) => Box::new(CelString::from(text)),
        Kind::List(list) => Box::new(CelList::from(list.items().map(value).collect::<Result<Vec<_>, _>>()?)),
        Kind::Object(object) => {
            let members = object.members();
            Box::new(object_of(members.map(|(key, member)| (key.as_text().unwrap_or_default().into(), member)))?)
        }
    })
}

fn number(number: Num) -> Result<Box<dyn Val>, TooLargeNumber> {
    match number {
        Num::Double(fraction) if !number.is_whole() => Ok(Box::new(CelDouble::from(fraction))),
        Num::Negative(_) | Num::Whole(_) | Num::Double(_) => {
            let whole = number.as_whole().ok_or(TooLargeNumber)?;
            match (i64::try_from(whole), u64::try_from(whole)) {
                (Ok(whole), _) => Ok(Box::new(CelInt::from(whole))),
                (Err(_), Ok(whole)) => Ok(Box::new(CelUInt::from(whole))),
                (Err(_), Err(_)) => Err(TooLargeNumber),
            }
        }
    }
}
