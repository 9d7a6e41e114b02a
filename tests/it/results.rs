//! The result gate: what came back has the promised shape, is not empty, small enough and in range, or it is no answer.

use serde_json::json;
use toolgate::{RawCall, Reply};

use crate::by_hand;
use crate::support::{call, check, check_each, guests, host, on_one_thread, outcome, report, tool};

#[test]
fn a_result_that_is_not_json_is_a_broken_shape() {
    check(tool("result_is_not_json.wasm", guests::RESULT_IS_NOT_JSON), json!({}), "result:shape");
}

#[test]
fn a_result_over_its_cap_is_too_big() {
    check(tool("result_over_its_cap.wasm", guests::RESULT_OVER_ITS_CAP), json!({}), "result:too_big");
}

#[test]
fn a_result_larger_than_one_lift_is_too_big_and_never_in_host_memory() {
    check(tool("result_is_huge.wasm", guests::RESULT_IS_HUGE), json!({"mib": 5}), "result:too_big");
}

#[test]
fn every_odd_way_to_write_a_result_has_its_code() {
    let rows = [
        ("too_large_number", "result:range:value"),
        ("not_a_number", "result:shape"),
        ("deep", "result:too_big"),
        ("duplicate_key", "result:shape:value"),
        ("lone_surrogate", "result:shape:value"),
        ("trailing", "result:shape"),
        ("byte_order_mark", "result:shape"),
        ("nothing", "result:empty"),
        ("no_object", "result:shape"),
        ("inexact_number", "result:range:value"),
        ("ten_mebibytes", "result:too_big"),
    ];
    let calls = rows.map(|(shape, code)| (json!({ "shape": shape }), code));
    check_each(tool("result_is_odd.wasm", guests::RESULT_IS_ODD), calls);
}

#[test]
fn a_list_that_came_back_with_nothing_is_empty_unless_the_contract_allows_it() {
    let none = json!({"sku": "ZZ-000", "region": "busan", "limit": 2});
    check(tool("stock_lookup.wasm", guests::STOCK_LOOKUP), none, "result:empty:rows");
    let none = json!({"customer_id": "cus_8812", "status": "refunded"});
    check(tool("search_orders.wasm", guests::SEARCH_ORDERS), none, "done");
}

#[test]
fn more_rows_than_promised_and_a_number_in_another_unit_are_told_apart() {
    let arguments = json!({"sku": "KB-104", "region": "busan", "limit": 2});
    check(tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1), arguments, "result:too_big:rows");
    check(tool("delivery_estimate.wasm", guests::DELIVERY_ESTIMATE), json!({"order_id": "5531"}), "result:range:days");
}

#[test]
fn hidden_characters_in_a_result_are_made_visible_and_counted() {
    on_one_thread(async {
        let host = host([tool("result_hides_text.wasm", guests::RESULT_HIDES_TEXT)]).await;
        let reply = call(&host, "probe_result_hides_text", json!({})).await;
        assert!(reply.is_done(), "{}", report(&reply));
        let text = reply.text();
        assert!(text.chars().all(|c| !c.is_control() && !('\u{200b}'..='\u{202e}').contains(&c)), "{text:?}");
        assert!(text.contains(r"\\u{1b}") && text.contains(r"\\u{202e}"), "{text}");
        assert_eq!(reply.machine().sanitised, 13, "{text}");
    });
}

/// What a host makes of each text, under its output schema and with these lists allowed to be empty.
fn check_texts(rows: &[(&str, &str, &str, &str)]) {
    let tools = rows.iter().enumerate().map(|(nth, (output, may_be_empty, text, _))| {
        let contract = format!(
            r#"{{"name":"row_{nth}","version":"1","description":"d","effects":"read","may_be_empty":{may_be_empty},
                "input":{{"type":"object","additionalProperties":false}},"output":{output}}}"#
        );
        by_hand::answers(&contract, text)
    });
    on_one_thread(async {
        let host = host(tools).await;
        for (nth, (output, _, text, code)) in rows.iter().enumerate() {
            let reply = call(&host, &format!("row_{nth}"), json!({})).await;
            assert_eq!(outcome(&reply), *code, "{output} {text}\n{}", report(&reply));
        }
    });
}

/// An object with one optional key.
macro_rules! with {
    ($key:literal, $schema:literal) => {
        concat!(r#"{"type":"object","additionalProperties":false,"properties":{""#, $key, r#"":"#, $schema, "}}")
    };
}

#[test]
fn a_number_that_is_none_or_that_nobody_can_hold_is_told_apart() {
    const NUMBER: &str = with!("v", r#"{"type":"number"}"#);
    const INTEGER: &str = with!("v", r#"{"type":"integer"}"#);
    check_texts(&[
        (NUMBER, "[]", r#"{"v":NaN}"#, "result:shape"),
        (NUMBER, "[]", r#"{"v":Infinity}"#, "result:shape"),
        (NUMBER, "[]", r#"{"v":-Infinity}"#, "result:shape"),
        (NUMBER, "[]", r#"{"v":"NaN"}"#, "result:shape:v"),
        (NUMBER, "[]", r#"{"v":"-Infinity"}"#, "result:shape:v"),
        (NUMBER, "[]", r#"{"v":1e400}"#, "result:range:v"),
        (NUMBER, "[]", r#"{"v":-1e400}"#, "result:range:v"),
        (INTEGER, "[]", r#"{"v":18446744073709551616}"#, "result:range:v"),
        (INTEGER, "[]", r#"{"v":18446744073709551615}"#, "done"),
        (INTEGER, "[]", r#"{"v":"4개"}"#, "result:shape:v"),
        (INTEGER, "[]", r#"{"v":1,"\u0076":2}"#, "result:shape:v"),
    ]);
}

#[test]
fn minus_zero_is_zero_and_recorded() {
    let contract = r#"{"name":"zero","version":"1","description":"d","effects":"read",
        "input":{"type":"object","additionalProperties":false},"output":{"type":"array","items":{"type":"number"}}}"#;
    on_one_thread(async {
        let host = host([by_hand::answers(contract, "[1,-0,-0.0]")]).await;
        let reply = call(&host, "zero", json!({})).await;
        assert_eq!(reply.text(), "[1,0,0.0]", "{}", report(&reply));
        let recorded = ["normalised:result_negative_zero:1", "normalised:result_negative_zero:2"];
        assert_eq!(reply.machine().recorded, recorded);
    });
}

#[test]
fn what_nests_too_deeply_is_too_big() {
    let lists = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
    let (deepest, deeper) = (lists(64), lists(65));
    const LIST: &str = r#"{"type":"array"}"#;
    check_texts(&[(LIST, "[]", &deepest, "done"), (LIST, "[]", &deeper, "result:too_big")]);
}

#[test]
fn nothing_where_a_list_was_promised_is_empty_however_the_list_is_declared() {
    const REFERRED: &str = r##"{"$ref":"#/$defs/page","$defs":{"rows":{"type":"array"},
        "page":{"type":"object","additionalProperties":false,"properties":{"rows":{"$ref":"#/$defs/rows"}}}}}"##;
    const NULLABLE: &str = with!("rows", r#"{"type":["array","null"]}"#);
    const EITHER: &str = with!("rows", r#"{"anyOf":[{"type":"array"},{"type":"null"}]}"#);
    const ANYTHING: &str = with!("rows", "true");
    const LIST: &str = r#"{"type":["array","null"]}"#;
    const ROWS: &str = r#"["/rows"]"#;
    check_texts(&[
        (REFERRED, "[]", r#"{"rows":[]}"#, "result:empty:rows"),
        (REFERRED, ROWS, r#"{"rows":[]}"#, "done"),
        (NULLABLE, "[]", r#"{"rows":[]}"#, "result:empty:rows"),
        (NULLABLE, "[]", r#"{"rows":null}"#, "result:empty:rows"),
        (NULLABLE, ROWS, r#"{"rows":null}"#, "done"),
        (NULLABLE, "[]", "{}", "done"),
        (EITHER, "[]", r#"{"rows":null}"#, "result:empty:rows"),
        (EITHER, ROWS, r#"{"rows":[]}"#, "done"),
        (ANYTHING, "[]", r#"{"rows":[]}"#, "result:empty:rows"),
        (ANYTHING, ROWS, r#"{"rows":[]}"#, "done"),
        (ANYTHING, "[]", r#"{"rows":null}"#, "done"),
        (LIST, "[]", "[]", "result:empty"),
        (LIST, "[]", "null", "result:empty"),
        (LIST, r#"[""]"#, "[]", "done"),
        (with!("text", r#"{"type":["string","null"]}"#), "[]", r#"{"text":null}"#, "done"),
    ]);
}

#[test]
fn a_text_an_object_or_a_value_met_by_nothing_is_empty_and_a_missing_key_is_a_broken_shape() {
    const OBJECT: &str = with!("v", r#"{"type":"object","additionalProperties":true,"minProperties":1}"#);
    check_texts(&[
        (with!("v", r#"{"type":"string","minLength":1}"#), "[]", r#"{"v":""}"#, "result:empty:v"),
        (with!("v", r#"{"type":"string","minLength":2}"#), "[]", r#"{"v":"x"}"#, "result:shape:v"),
        (with!("v", r#"{"type":"string"}"#), "[]", r#"{"v":null}"#, "result:empty:v"),
        (with!("v", r#"{"type":"string","pattern":"^[A-Z]+$"}"#), "[]", r#"{"v":""}"#, "result:empty:v"),
        (with!("v", r#"{"type":"string","format":"date"}"#), "[]", r#"{"v":""}"#, "result:empty:v"),
        (with!("v", r#"{"enum":["open","shipped"]}"#), "[]", r#"{"v":null}"#, "result:empty:v"),
        (with!("v", r#"{"type":"integer"}"#), "[]", r#"{"v":""}"#, "result:empty:v"),
        (with!("v", r#"{"oneOf":[{"type":"integer"},{"type":"boolean"}]}"#), "[]", r#"{"v":null}"#, "result:empty:v"),
        (with!("v", r#"{"type":"array","contains":{"type":"integer"}}"#), "[]", r#"{"v":[]}"#, "result:empty:v"),
        (OBJECT, "[]", r#"{"v":{}}"#, "result:empty:v"),
        (OBJECT, "[]", "null", "result:empty"),
        (OBJECT, "[]", r#"{"w":null}"#, "result:shape:w"),
        (with!("v", r#"{"type":"array","items":false}"#), "[]", r#"{"v":[null]}"#, "result:shape:v.0"),
        (r#"{"type":"object","additionalProperties":true,"required":["v"]}"#, "[]", "{}", "result:shape:v"),
        (with!("v", r#"{"type":"string","maxLength":3}"#), "[]", r#"{"v":"long"}"#, "result:too_big:v"),
        (with!("v", r#"{"type":"integer","minimum":0}"#), "[]", r#"{"v":-4}"#, "result:range:v"),
    ]);
}

#[test]
fn a_result_is_held_to_its_arguments() {
    let ask = |how: &str, limit: u32| json!({"how": how, "sku": "A-1", "limit": limit});
    let rows = [
        (ask("twenty_rows", 2), "result:relation:rows"),
        (ask("twenty_rows", 20), "done"),
        (json!({"how": "twenty_rows", "sku": "A-1"}), "done"),
        (ask("another_sku", 2), "result:relation:sku"),
        (ask("not_at_all", 2), "done"),
        (ask("not_at_all", 0), "result:empty:rows"),
    ];
    check_each(tool("result_breaks_relation.wasm", guests::RESULT_BREAKS_RELATION), rows);
}

#[test]
fn a_broken_relation_says_both_sides_and_the_operators_copy_neither() {
    on_one_thread(async {
        let host = host([tool("p.wasm", guests::RESULT_BREAKS_RELATION)]).await;
        let asked = json!({"how": "another_sku", "sku": "A\u{202e}-1", "limit": 2});
        let reply = call(&host, "probe_result_breaks_relation", asked).await;
        let text = reply.text();
        assert!(text.contains(r#"`sku` is "XX-000", and `sku` asked for "A\u{202e}-1""#), "{text}");
        assert!(!reply.operator_line().contains("XX-000"), "{}", reply.operator_line());
        let machine = reply.machine();
        assert_eq!((machine.keyword, machine.path.as_deref()), (Some("equals"), Some("sku")));
    });
}

async fn stock(over: &str) -> Reply {
    let host = host([tool("stock_lookup.wasm", guests::STOCK_LOOKUP).stricter_output(over)]).await;
    let arguments = json!({"sku": "KB-104", "region": "busan", "limit": 2});
    host.call(RawCall::new("stock_lookup", arguments.to_string())).await
}

#[test]
fn what_an_operator_lays_over_a_tools_schema_is_kept_too_and_named_in_the_operators_copy() {
    on_one_thread(async {
        for (over, code) in [
            (r#"{"properties":{"rows":{"maxItems":2}}}"#, "done"),
            (r#"{"properties":{"rows":{"maxItems":1}}}"#, "result:too_big:rows"),
            (
                r#"{"properties":{"rows":{"items":{"properties":{"on_hand":{"maximum":0}}}}}}"#,
                "result:range:rows.0.on_hand",
            ),
            (r#"{"properties":{"sku":{"pattern":"^ZZ-"}}}"#, "result:shape:sku"),
        ] {
            let reply = stock(over).await;
            assert_eq!(outcome(&reply), code, "{over} {}", report(&reply));
            let is_named = reply.operator_line().contains("promise=operator");
            assert_eq!(is_named, !reply.is_done(), "{}", reply.operator_line());
            assert!(reply.is_done() || reply.text().contains("breaks its contract: `"), "{}", reply.text());
        }
        let own = host([tool("v1.wasm", guests::STOCK_LOOKUP_V1).stricter_output(r#"{"type":"object"}"#)]).await;
        let reply = call(&own, "stock_lookup_v1", json!({"sku": "KB-104", "region": "busan", "limit": 2})).await;
        assert_eq!(outcome(&reply), "result:too_big:rows");
        assert!(!reply.operator_line().contains("promise="), "{}", reply.operator_line());
    });
}

#[test]
fn a_failure_that_hides_text_is_made_visible_and_counted() {
    on_one_thread(async {
        let host = host([tool("fails_by_kind.wasm", guests::FAILS_BY_KIND).raw_results()]).await;
        let reply = call(&host, "probe_fails_by_kind", json!({"kind": "hides_text"})).await;
        let text = reply.text();
        assert!(text.contains(r"\u{1b}[2Jthe\u{202e} probe\u{200b}\u{e0041} failed"), "{text}");
        assert_eq!((outcome(&reply).as_str(), reply.machine().sanitised), ("tool:failed", 4));
    });
}

#[test]
fn an_operator_may_take_a_tools_results_as_it_wrote_them() {
    on_one_thread(async {
        let host = host([tool("result_hides_text.wasm", guests::RESULT_HIDES_TEXT).raw_results()]).await;
        let reply = call(&host, "probe_result_hides_text", json!({})).await;
        assert!(reply.is_done(), "{}", report(&reply));
        assert!(reply.text().contains('\u{202e}') && !reply.text().contains('\u{1b}'), "{:?}", reply.text());
        assert_eq!(reply.machine().sanitised, 0);
        assert!(reply.operator_line().chars().all(|c| c != '\u{202e}'));
        let raw: Vec<bool> = host.tools().map(toolgate::Tool::has_raw_results).collect();
        assert_eq!(raw, [true]);
    });
}
