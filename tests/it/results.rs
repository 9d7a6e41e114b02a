//! The result gate: what came back has the promised shape, is not empty, small enough and in range, or it is no answer.

use serde_json::json;

use crate::support::{call, check, check_each, guests, host, on_one_thread, report, tool};

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
    check(tool("result_is_huge.wasm", guests::RESULT_IS_HUGE), json!({}), "result:too_big");
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
