//! Components that no compiler makes: each breaks one rule of the machine or of the interface, and gets its name.

use std::time::Duration;

use serde_json::json;
use toolgate::{Host, LimitSettings, ToolSource};

use crate::by_hand::{self, ByHand, HOST_LOG, result, says};
use crate::support::{call, check, fuel, host, memory, on_one_thread, outcome, report, time};

/// Runs a component around this module.
fn runs(module: &str, code: &str) {
    check(ByHand { module, ..ByHand::default() }.tool().limits(fuel(10_000_000)), json!({}), code);
}

/// What the operator hears of a call of a component around this module.
fn cause(by_hand: ByHand<'_>) -> String {
    on_one_thread(async {
        let host = host([by_hand.tool().limits(fuel(10_000_000))]).await;
        call(&host, by_hand::NAME, json!({})).await.operator_line()
    })
}

/// The code and text of the load error.
fn refused(tool: ToolSource) -> String {
    on_one_thread(async {
        match Host::builder().tool(tool).build().await {
            Ok(_) => "it loaded".to_owned(),
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn a_component_made_by_hand_answers_like_any_other() {
    runs(&says(r#"{\"a\":1}"#, 7), "done");
    let utf16 = r#"{\00}\00"#;
    let by_hand = ByHand { module: &says(utf16, 2), encoding: "utf16", ..ByHand::default() };
    check(by_hand.tool(), json!({}), "done");
}

#[test]
fn a_result_that_points_nowhere_is_a_trap() {
    runs(&result(0, 0xffff_fff0, 100, ""), "tool:trap");
    runs(&result(0, 32, 0xc000_0000, ""), "tool:trap");
    runs(&result(0, 32, 0xffff_ffff, ""), "tool:trap");
    runs(r#"(func (export "call") (param i32 i32) (result i32) (i32.const -4))"#, "tool:trap");
    runs(r#"(func (export "call") (param i32 i32) (result i32) (i32.const 17))"#, "tool:trap");
}

#[test]
fn a_result_that_is_no_text_is_a_trap() {
    runs(&says(r"\ff\fe", 2), "tool:trap");
    let lone_surrogate = says(r"\00\d8", 1);
    check(ByHand { module: &lone_surrogate, encoding: "utf16", ..ByHand::default() }.tool(), json!({}), "tool:trap");
}

#[test]
fn a_case_that_no_variant_has_is_a_trap() {
    runs(&result(2, 32, 0, ""), "tool:trap");
    runs(&result(1, 9, 0, ""), "tool:trap");
}

#[test]
fn what_breaks_the_interface_is_told_to_the_operator_as_that() {
    let points_nowhere = result(0, 0xffff_fff0, 100, "");
    let line = cause(ByHand { module: &points_nowhere, ..ByHand::default() });
    assert!(line.contains("abi: ") && line.contains("out of bounds"), "{line}");
    let line = cause(ByHand { module: &says(r"\ff", 1), ..ByHand::default() });
    assert!(line.contains("abi: ") && line.contains("utf-8"), "{line}");
}

#[test]
fn an_allocator_that_misbehaves_ends_its_own_call_only() {
    let realloc = |body: &str| format!(r#"(func $r (export "realloc") (param i32 i32 i32 i32) (result i32) {body})"#);
    runs(&realloc("(loop (br 0)) (unreachable)"), "tool:fuel");
    runs(&realloc("(unreachable)"), "tool:trap");
    runs(&realloc("(i32.const -16)"), "tool:trap");
    let recurses = "(i32.add (i32.const 1) (call $r (local.get 0) (local.get 1) (local.get 2) (local.get 3)))";
    runs(&realloc(recurses), "tool:stack");
}

#[test]
fn an_allocator_cannot_call_the_host() {
    let module = r#"(import "host" "log" (func $log (param i32 i32 i32)))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32)
          (call $log (i32.const 1) (i32.const 0) (i32.const 0)) (i32.const 1024))"#;
    let with = r#"(with "host" (instance (export "log" (func $log))))"#;
    let by_hand = ByHand { module, before: HOST_LOG, with, ..ByHand::default() };
    check(by_hand.tool(), json!({}), "tool:trap");
}

#[test]
fn what_a_guest_passes_to_the_host_is_checked_like_what_it_returns() {
    let with = r#"(with "host" (instance (export "log" (func $log))))"#;
    for (arguments, code) in [
        ("(i32.const 1) (i32.const -16) (i32.const 100)", "tool:trap"),
        ("(i32.const 1) (i32.const 0) (i32.const 0xc0000000)", "tool:trap"),
        ("(i32.const 9) (i32.const 0) (i32.const 0)", "tool:trap"),
    ] {
        let module = format!(
            r#"(import "host" "log" (func $log (param i32 i32 i32)))
               (func (export "call") (param i32 i32) (result i32) (call $log {arguments}) (i32.const 16))"#
        );
        let by_hand = ByHand { module: &module, before: HOST_LOG, with, ..ByHand::default() };
        check(by_hand.tool(), json!({}), code);
    }
}

#[test]
fn a_start_function_spins_or_traps_like_the_call_itself() {
    runs("(func $s (loop (br 0))) (start $s)", "tool:fuel");
    runs("(func $s (unreachable)) (start $s)", "tool:trap");
    runs("(func $s (call $s)) (start $s)", "tool:stack");
}

#[test]
fn what_is_overdrawn_where_nobody_looks_is_seen_when_the_guest_returns() {
    let straight = "(drop (i32.const 0))".repeat(1_000);
    let module = says("{}", 2).replacen("(i32.store", &format!("{straight}(i32.store"), 1);
    let by_hand = || ByHand { module: &module, ..ByHand::default() }.tool();
    check(by_hand().limits(fuel(20)), json!({}), "tool:fuel");
    check(by_hand(), json!({}), "done");
}

#[test]
fn a_guest_that_is_out_of_its_own_maximum_is_not_out_of_the_hosts_memory() {
    let module = r#"(memory (export "memory") 1 1)
        (func (export "call") (param i32 i32) (result i32) (drop (memory.grow (i32.const 1))) (unreachable))"#;
    runs(module, "tool:trap");
}

#[test]
fn work_of_many_bytes_in_one_instruction_is_paid_by_the_byte() {
    let fills = r#"(func (export "call") (param i32 i32) (result i32)
        (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br 0)) (unreachable))"#;
    runs(fills, "tool:fuel");
    let data = format!("(data \"{}\")", "x".repeat(4_096));
    for (work, before, fuel) in [
        ("(memory.fill (i32.const 0) (i32.const 1) (i32.const 65536))", "", 65_536),
        ("(memory.copy (i32.const 0) (i32.const 8) (i32.const 65528))", "", 65_528),
        ("(memory.init 0 (i32.const 0) (i32.const 0) (i32.const 4096))", &data, 4_096),
        ("(drop (memory.grow (i32.const 16)))", "", 16 * 255),
        ("(drop (table.grow (ref.null func) (i32.const 5000)))", TABLE, 5_000),
        ("(table.fill (i32.const 0) (ref.null func) (i32.const 5000))", TABLE, 5_000),
        ("(table.copy (i32.const 0) (i32.const 0) (i32.const 5000))", TABLE, 5_000),
    ] {
        let once = format!("{before}(func (export \"call\") (param i32 i32) (result i32) {work} (unreachable))");
        on_one_thread(async {
            let host = host([ByHand { module: &once, ..ByHand::default() }.tool()]).await;
            let reply = call(&host, by_hand::NAME, json!({})).await;
            assert_eq!(outcome(&reply), "tool:trap", "{}", report(&reply));
            let spent = reply.usage.fuel;
            assert!((fuel..fuel + 100).contains(&spent), "{work}: {}", report(&reply));
        });
    }
}

/// Elements to fill, copy and add to.
const TABLE: &str = "(table 5000 10000 funcref)";

#[test]
fn more_memories_tables_and_instances_than_a_call_has_are_refused_at_load() {
    let memories = "(memory 1)".repeat(100);
    let tables = "(table 1 funcref)".repeat(100);
    let instances = "(core instance (instantiate $one))".repeat(1_000);
    let instances = format!("(core module $one (func)) {instances}");
    for (module, before) in [(memories.as_str(), ""), (tables.as_str(), ""), ("", instances.as_str())] {
        let said = refused(ByHand { module, before, ..ByHand::default() }.tool());
        assert!(said.starts_with("load:limit: by_hand.wasm: "), "{said}");
    }
}

#[test]
fn what_would_be_dear_to_compile_is_refused_before_it_is() {
    let function = |body: &str| format!("(core module (table 1 funcref) (memory 1) (func {body}))");
    let module = |fields: &str| format!("(core module {fields})");
    let moved_by = |offset: &str, items: String| {
        format!("(import \"a\" \"b\" (global $g i32)) (table 1 funcref) (func $f) (elem (offset {offset}) {items})")
    };
    let moved = |n: usize| moved_by("(global.get $g)", format!("func {}", "$f ".repeat(n)));
    let too_many = 25_001;
    let targets = |n: usize| function(&format!("(block (br_table {} (i32.const 0)))", "0 ".repeat(n)));
    let copies = |n: usize| {
        let copy = "(table.copy (i32.const 0) (i32.const 0) (i32.const 1))";
        function(&copy.repeat(n))
    };
    for (dear, said) in [
        (function(&"(drop (i32.const 0))".repeat(350_000)), "bytes in one function, the most is 1048576"),
        (function(&"(local i64)".repeat(5_001)), "5001 local variables in one function, the most is 5000"),
        (targets(10_002), "10001 targets of one `br_table`, the most is 10000"),
        (copies(2_001), "2001 instructions on tables, the most is 2000"),
        (module(&"(func)".repeat(100_001)), "100001 functions, the most is 100000"),
        (module(&"(global i32 (i32.const 0))".repeat(10_001)), "10001 globals, the most is 10000"),
        (module(&"(import \"a\" \"b\" (global i32))".repeat(10_001)), "10001 globals, the most is 10000"),
        (module(&"(data \"x\")".repeat(30_001)), "30001 data segments, the most is 30000"),
        (
            module(&format!("(data \"{}\")", "x".repeat((24 << 20) + 1))),
            "25165825 bytes of data segments, the most is 25165824",
        ),
        (module(&moved(too_many)), "25001 items of element segments that are no constants at a constant offset"),
        (
            module(&moved_by("(i32.add (i32.const 0) (global.get $g))", format!("func {}", "$f ".repeat(too_many)))),
            "25001 items of element segments",
        ),
        (
            module(&moved_by("(i32.const 0)", format!("funcref {}", "(ref.func $f) ".repeat(too_many)))),
            "25001 items of element segments",
        ),
        (
            module(&format!("(@custom \"x\" \"{}\")", "x".repeat((8 << 20) + 1))),
            "bytes of custom sections, the most is 8388608",
        ),
        ("(component)".repeat(65), "65 modules and components inside it, the most is 64"),
    ] {
        let refused = refused(ByHand { before: &dear, ..ByHand::default() }.unpacked());
        assert!(refused.starts_with("load:limit: by_hand.wasm: it has ") && refused.contains(said), "{refused}");
    }
    let most = targets(10_000) + &copies(100) + &module(&moved(5_000));
    check(ByHand { before: &most, module: &says("{}", 2), ..ByHand::default() }.tool(), json!({}), "done");
}

#[test]
fn memories_of_several_modules_are_counted_together() {
    let before =
        r#"(core module $one (memory 8)) (core instance (instantiate $one)) (core instance (instantiate $one))"#;
    let module = says("{}", 2);
    let by_hand = ByHand { module: &module, before, ..ByHand::default() };
    check(by_hand.tool().limits(memory(17 * 65_536)), json!({}), "done");
    check(by_hand.tool().limits(memory(16 * 65_536)), json!({}), "tool:memory");
}

#[test]
fn a_table_of_millions_is_refused_before_or_while_it_is_made() {
    let said = refused(ByHand { module: "(table 10000000 funcref)", ..ByHand::default() }.tool());
    assert!(said.starts_with("load:limit: by_hand.wasm: "), "{said}");
    // As large as the pool gives, and larger than the tool's own memory.
    let settings = LimitSettings { memory_bytes: Some(70_000), ..LimitSettings::default() };
    let by_hand = ByHand { module: "(table 10000 funcref)", ..ByHand::default() };
    check(by_hand.tool().limits(settings), json!({}), "tool:memory");
}

#[test]
fn a_table_that_grows_without_end_is_refused_and_the_guest_told() {
    let module = |by: &str, after: &str| {
        format!(
            r#"(table $t 1 funcref)
               (func (export "call") (param i32 i32) (result i32)
                 (if (i32.ne (table.grow $t (ref.null func) (i32.const {by})) (i32.const -1)) (then (loop (br 0))))
                 {after})
               (data (i32.const 32) "{{}}")"#
        )
    };
    // Refused by the pool, though the tool's memory would allow it.
    runs(&module("1000000", "(unreachable)"), "tool:memory");
    // Refused by the tool's memory, where fuel for so large an operation is there at all.
    let all_there_is = module("0xffffffff", "(unreachable)");
    runs(&all_there_is, "tool:fuel");
    let rich = time(Duration::from_secs(60));
    check(ByHand { module: &all_there_is, ..ByHand::default() }.tool().limits(rich), json!({}), "tool:memory");
    let answers =
        r#"(i32.store (i32.const 20) (i32.const 32)) (i32.store (i32.const 24) (i32.const 2)) (i32.const 16)"#;
    runs(&module("1000000", answers), "done");
}

/// A resource of the component's own, with a function to make one.
const RESOURCE: &str = "(type $thing (resource (rep i32))) (core func $make (canon resource.new $thing))";

#[test]
fn resources_without_number_end_at_the_cap_on_handles() {
    let module = r#"(import "own" "make" (func $make (param i32) (result i32)))
        (func (export "call") (param i32 i32) (result i32)
          (loop (drop (call $make (i32.const 7))) (br 0)) (unreachable))"#;
    let with = r#"(with "own" (instance (export "make" (func $make))))"#;
    let by_hand = ByHand { module, before: RESOURCE, with, ..ByHand::default() };
    check(by_hand.tool(), json!({}), "tool:memory");
    on_one_thread(async {
        let host = host([by_hand.tool()]).await;
        let reply = call(&host, by_hand::NAME, json!({})).await;
        assert_eq!(outcome(&reply), "tool:memory");
        assert!(reply.text().contains("more than 2000 handles"), "{}", report(&reply));
    });
}

#[test]
fn resources_of_components_inside_are_counted_too() {
    // Each makes as many as one component may, and there are three of them.
    let inner = format!(
        r#"(component $inner
             {RESOURCE}
             (core module $m (import "own" "make" (func $make (param i32) (result i32)))
               (func (export "fill") (local i32)
                 (loop (drop (call $make (i32.const 7)))
                   (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 1500))))))
             (core instance $i (instantiate $m (with "own" (instance (export "make" (func $make))))))
             (func (export "fill") (canon lift (core func $i "fill"))))"#
    );
    let (mut others, mut given, mut before, mut exports) = (inner, String::new(), String::new(), String::new());
    for nth in 0..3 {
        others.push_str(&format!("(instance $inner{nth} (instantiate $inner))"));
        given.push_str(&format!(r#"(with "fill{nth}" (func $inner{nth} "fill"))"#));
        before.push_str(&format!(
            r#"(import "fill{nth}" (func $fill{nth})) (core func $lowered{nth} (canon lower (func $fill{nth})))"#
        ));
        exports.push_str(&format!(r#"(export "fill{nth}" (func $lowered{nth}))"#));
    }
    let with = format!(r#"(with "inner" (instance {exports}))"#);
    let module = |calls: &str| {
        format!(
            r#"(import "inner" "fill0" (func $a)) (import "inner" "fill1" (func $b)) (import "inner" "fill2" (func $c))
               (func (export "call") (param i32 i32) (result i32) {calls}
                 (i32.store (i32.const 20) (i32.const 32)) (i32.store (i32.const 24) (i32.const 2)) (i32.const 16))
               (data (i32.const 32) "{{}}")"#
        )
    };
    for (calls, code) in [("(call $a)", "done"), ("(call $a) (call $b) (call $c)", "tool:memory")] {
        let module = module(calls);
        let by_hand = ByHand { module: &module, before: &before, with: &with, ..ByHand::default() };
        check(by_hand.tool_among(&others, &given), json!({}), code);
    }
}
