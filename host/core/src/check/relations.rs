//! Relations: whether a result keeps what it promises about the arguments.
//!
//! Both documents fit their schemas by now. Which relations a contract may declare was settled at load.

use std::cmp::Ordering;

use crate::contract::{HeldRelation, Tie};
use crate::field_path::FieldPath;
use crate::json::{Item, Json, Kind, Num};
use crate::text;

/// A promise about the arguments that a result does not keep, with both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRelation {
    /// The place in the result.
    pub at: FieldPath,
    /// How it is tied to the argument.
    pub tie: Tie,
    /// The place in the arguments.
    pub argument: FieldPath,
    /// How many items came, or which value, as JSON cut to 120 characters.
    pub got: String,
    /// The argument's value, as JSON cut to 120 characters.
    pub asked: String,
}

/// The first relation that does not hold. One of which a side is absent, or the argument `null`, says nothing.
pub(super) fn first_broken(relations: &[HeldRelation], arguments: &Json, result: &Json) -> Option<BrokenRelation> {
    relations.iter().find_map(|relation| {
        let got = relation.at.find(result.root())?;
        let asked = relation.argument.find(arguments.root()).filter(|asked| !matches!(asked.kind(), Kind::Null))?;
        let got = match relation.tie {
            Tie::MaxItems => more_than(got, asked)?.to_string(),
            Tie::Equals if got.is_same(asked) => return None,
            Tie::Equals => text::quote(&got),
        };
        Some(BrokenRelation {
            at: relation.at.path(result.root()),
            tie: relation.tie,
            argument: relation.argument.path(arguments.root()),
            got,
            asked: text::quote(&asked),
        })
    })
}

/// How many items a list has, where that is more than was asked for.
fn more_than(got: Item<'_>, asked: Item<'_>) -> Option<usize> {
    let n = got.as_list()?.len();
    let Kind::Number(asked) = asked.kind() else { return None };
    let has = Num::of_count(n);
    (has.compare(asked) == Ordering::Greater).then_some(n)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::first_broken;
    use crate::contract::{HeldRelation, Tie};
    use crate::json::{Json, Pointer};

    fn broken(tie: Tie, arguments: &Value, result: &Value) -> Option<(String, String)> {
        let pointer = |text| Pointer::parse(text).expect("reads");
        let held = [HeldRelation { at: pointer("/a"), tie, argument: pointer("/b") }];
        let broken = first_broken(&held, &Json::of_value(arguments), &Json::of_value(result));
        broken.map(|broken| (broken.got, broken.asked))
    }

    #[test]
    fn a_list_is_held_to_its_argument_and_an_absent_side_says_nothing() {
        let row = |arguments, result| broken(Tie::MaxItems, &arguments, &result);
        let said = Some(("3".to_owned(), "2".to_owned()));
        assert_eq!(row(json!({"b": 2}), json!({"a": [1, 2, 3]})), said);
        assert_eq!(row(json!({"b": 2.0}), json!({"a": [1, 2, 3]})), Some(("3".to_owned(), "2.0".to_owned())));
        for (arguments, result) in [
            (json!({"b": 3}), json!({"a": [1, 2, 3]})),
            (json!({"b": u64::MAX}), json!({"a": [1, 2, 3]})),
            (json!({}), json!({"a": [1, 2, 3]})),
            (json!({"b": null}), json!({"a": [1, 2, 3]})),
            (json!({"b": 2}), json!({})),
            (json!({"b": 2}), json!({"a": null})),
        ] {
            assert_eq!(row(arguments.clone(), result.clone()), None, "{arguments} {result}");
        }
    }

    #[test]
    fn a_value_is_held_to_its_argument_by_value_and_not_by_text() {
        for (a, b, same) in [
            (json!("KB-104"), json!("KB-105"), false),
            (json!("KB-104"), json!("KB-104"), true),
            (json!(2), json!(2.0), true),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64), false),
            (json!([1, {"x": 1, "y": [2]}]), json!([1.0, {"y": [2], "x": 1}]), true),
            (json!({"x": 1}), json!({"x": 1, "y": 1}), false),
            (json!({"x": 1}), json!({"y": 1}), false),
            (json!(null), json!("KB-104"), false),
            (json!("1"), json!(1), false),
            (json!([]), json!({}), false),
        ] {
            let broken = broken(Tie::Equals, &json!({ "b": b }), &json!({ "a": a }));
            assert_eq!(broken.is_none(), same, "{a} {b}");
        }
        assert_eq!(broken(Tie::Equals, &json!({}), &json!({"a": 1})), None);
        assert_eq!(broken(Tie::Equals, &json!({"b": 1}), &json!({})), None);
    }
}
