//! Rows for the filter: input and code, and the results or the whole failure.

use serde_json::json;

use super::*;

fn gives(input: Value, filter: &str, expected: Value) {
    let output = json_query(Input { input, filter: filter.to_owned() }).expect("a filter that runs");
    assert_eq!(serde_json::to_value(output.results).expect("results are JSON"), expected, "{filter}");
}

fn fails(filter: &str, expected: &Failure) {
    let failure = json_query(Input { input: Value::Null, filter: filter.to_owned() }).map(|output| output.results);
    assert_eq!(format!("{:?}", failure.expect_err(filter)), format!("{expected:?}"), "{filter}");
}

#[test]
fn filters_give_their_results_in_order() {
    gives(json!([{"a": 3}, {"a": 1}]), ".[] | .a", json!([3, 1]));
    gives(json!([{"a": 3}, {"a": 1}]), "sort_by(.a) | map(.a)", json!([[1, 3]]));
    gives(json!({"b": [1, 2.5, null, true, "x"]}), ".", json!([{"b": [1, 2.5, null, true, "x"]}]));
    gives(json!("a-b"), r#"split("-") | join("+")"#, json!(["a+b"]));
    gives(json!("abc"), r#"test("B"; "i")"#, json!([true]));
    gives(json!(0), "todate", json!(["1970-01-01T00:00:00Z"]));
    gives(json!([]), ".[]", json!([]));
}

#[test]
fn numbers_are_exact_or_refused() {
    gives(json!(9_007_199_254_740_993_i64), ". + 1", json!([9_007_199_254_740_994_i64]));
    gives(json!(null), "1.5, nan", json!([1.5, null]));
    fails(
        "100000000000000000000",
        &Failure::failed(
            "a result is the number 100000000000000000000, which JSON readers do not keep; use `tostring`",
        ),
    );
}

#[test]
fn a_mistake_in_the_filter_is_named_with_its_place() {
    fails(".a | | .b", &Failure::refused("syntax error in the filter at character 6: expected term, found `|`"));
    fails(".a |", &Failure::refused("syntax error in the filter at character 5: expected term, found the end"));
    fails(".\n| nope(1)", &Failure::refused("no filter `nope` is known, at line 2, character 3"));
    fails("now", &Failure::refused("no filter `now` is known, at character 1"));
    fails("$x", &Failure::refused("no variable `$x` is known, at character 1"));
}

#[test]
fn endless_results_end_with_advice() {
    let expected =
        Failure::refused("the filter gives more than 1000 results; narrow it, or wrap it in `limit(1000; …)`");
    fails("repeat(1)", &expected);
    fails("range(1000000000)", &expected);
}

#[test]
fn an_error_of_the_filter_is_the_answer() {
    fails(".[]", &Failure::failed("the filter stopped: cannot use null as iterable (array or object)"));
    fails("error(\"no\")", &Failure::failed("the filter stopped: \"no\""));
    fails("halt", &Failure::refused("the filter ends the program (`halt`), and here is none to end; leave that out"));
}
