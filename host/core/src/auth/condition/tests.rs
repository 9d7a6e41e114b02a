//! Conditions over documents: what is true, what is false, what has no value, and what is no condition at all.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Condition, Facts, MAX_CONDITION, NotTrue};
use crate::json::{self, Json, JsonLimits};
use crate::units::Depth;

fn document(text: &str) -> Json {
    json::read(text.to_owned(), &JsonLimits::deep(Depth::new(64))).expect("reads").0
}

/// How a rule ends: its first condition that is not true.
fn end(rule: &str, session: &Value, args: &Json) -> Result<(), NotTrue> {
    let session = Json::of_value(session);
    let caller = Json::of_value(&json!({"name": "desk", "team": "emea", "limits": [1, 2.5]}));
    let tool = Json::of_value(&json!({"name": "file_ticket", "effects": "write", "version": "1.2.0"}));
    let facts = Facts { session: session.root(), caller: caller.root(), tool: tool.root(), args: args.root() };
    let conditions = Condition::all_of("rule `1`", rule).unwrap_or_else(|error| panic!("{error}"));
    conditions.iter().try_for_each(|condition| condition.check(&facts))
}

fn said(rule: &str, args: &str) -> String {
    let session = json!({"customer_id": "C-17", "ids": ["a", "b"], "limit": 100, "none": null, "big": u64::MAX});
    match end(rule, &session, &document(args)) {
        Ok(()) => "true".to_owned(),
        Err(NotTrue::False) => "false".to_owned(),
        Err(NotTrue::Undecided(why)) => why,
    }
}

#[test]
fn a_condition_is_true_false_or_without_a_value() {
    let order =
        r#"{"customer_id":"C-17","n":2,"rows":[{"sku":"a","qty":1},{"sku":"b","qty":2.0}],"a.b":{"c\"d":true}}"#;
    let absent = "`args.customer` is not there";
    for (rule, ends) in [
        ("args.customer_id == session.customer_id", "true"),
        ("args.customer_id != session.customer_id", "false"),
        ("args['customer_id'] == session[\"customer_id\"]", "true"),
        ("args.customer == session.customer_id", absent),
        ("args.customer != session.customer_id", absent),
        ("!has(args.customer) || args.customer == session.customer_id", "true"),
        ("has(args.customer_id) && args.n < 3 && tool.effects == 'write'", "true"),
        ("has(args.customer_id) && args.n > 3 && args.customer == 1", "false"),
        ("args.customer_id == session.order_id", "`session.order_id` is not there"),
        ("session.none == null && caller.name == 'desk' && caller.team in ['emea', 'apac']", "true"),
        ("caller.region == 'eu'", "`caller.region` is not there"),
        ("args.rows.all(row, row.sku in session.ids)", "true"),
        ("args.rows.exists(row, row.qty > 2)", "false"),
        ("session.ids.exists(id, id == args.rows[1].sku)", "true"),
        ("args.rows[2].sku == 'a'", "a list does not have an item"),
        ("args.rows[0].name == 'a'", "an object does not have a key"),
        ("size(args.rows) <= 2 && args.rows.size() == 2", "true"),
        ("args['a.b']['c\"d']", "true"),
        ("args.customer_id.startsWith('C-') && !args.customer_id.contains('..')", "true"),
        ("args.customer_id > 1", "found no matching overload for '_>_' applied to '(string, int)'"),
        ("args.customer_id", "it is neither true nor false"),
        ("args.n + 1", "it is neither true nor false"),
        ("args.n / 0 == 1", "it divides by zero"),
        ("args.n - 9223372036854775807 - 100 < 0", "a number would not fit 64 bits"),
        ("int(args.customer_id) == 17", "`int` has no answer"),
        ("args.customer_id - 1 == 0", "`sub` does not take values of these types"),
        ("args.rows.all(row, row.qty > 0) && args.rows.all(row, row.qty < 3)", "true"),
        ("true", "true"),
        ("false", "false"),
    ] {
        assert_eq!(said(rule, order), ends, "{rule}");
    }
}

#[test]
fn numbers_are_compared_exactly_however_they_are_written() {
    for (rule, args, ends) in [
        ("args.n == 1", r#"{"n":1.0}"#, "true"),
        ("args.n == 1.0", r#"{"n":1}"#, "true"),
        ("args.n == 1u", r#"{"n":1e0}"#, "true"),
        ("args.n + 1 == 3", r#"{"n":2.0}"#, "true"),
        ("args.n <= session.limit", r#"{"n":100.0}"#, "true"),
        ("args.n <= session.limit", r#"{"n":100.5}"#, "false"),
        ("args.n == 9007199254740993", r#"{"n":9007199254740992.0}"#, "false"),
        ("args.n == 9007199254740993", r#"{"n":9007199254740993}"#, "true"),
        ("args.n <= 9007199254740992", r#"{"n":9007199254740993}"#, "false"),
        ("args.n == session.big", r#"{"n":18446744073709551615}"#, "true"),
        ("args.n == session.big", r#"{"n":18446744073709551614}"#, "false"),
        ("args.n < 0", r#"{"n":18446744073709551615}"#, "false"),
        ("args.n == -9223372036854775807 - 1", r#"{"n":-9223372036854775808}"#, "true"),
        ("args.n < 0.5", r#"{"n":-0.0}"#, "true"),
        ("args.n <= session.big", r#"{"n":18446744073709551616.0}"#, "a whole number has more than 64 bits"),
        ("args.n > 5", r#"{"n":1e300}"#, "a whole number has more than 64 bits"),
        ("args.n in caller.limits", r#"{"n":2.5}"#, "true"),
        ("args.n in caller.limits", r#"{"n":1.0}"#, "true"),
        ("args.n == '1'", r#"{"n":1}"#, "false"),
    ] {
        assert_eq!(said(rule, args), ends, "{rule} with {args}");
    }
}

#[test]
fn only_what_a_condition_names_is_looked_at() {
    // The large number beside it concerns another rule or none.
    assert_eq!(said("args.a == 1", r#"{"a":1,"b":1e300}"#), "true");
    assert_eq!(said("args.a == 1", r#"{"b":1e300}"#), "`args.a` is not there");
}

#[test]
fn what_would_cost_or_mean_too_much_is_no_condition() {
    let mut refused = String::new();
    let deep = format!("{}true{}", "(!".repeat(20), ")".repeat(20));
    let deeper = format!("{}true{}", "(!".repeat(40), ")".repeat(40));
    let sum = vec!["1"; 600].join("+") + " == 1";
    let wide = format!("[{}] == []", vec!["1"; 600].join(","));
    let long = format!("args.a == '{}'", "x".repeat(2048));
    for rule in [
        "args.a ==",
        "args.a = 1",
        "args.?a == session.?a",
        "",
        "args == session",
        "size(args) == 1",
        "args[session.key] == 1",
        "'a' in args",
        "arg.a == 1",
        "customer_id == 'x'",
        "args.a.matches('^x')",
        "timestamp(args.a) < timestamp('2030-01-01T00:00:00Z')",
        "args.a.startWith('x')",
        "type(args.a) == string",
        "Thing{a: 1} == args.a",
        "args.a.all(x, args.b.all(y, x == y))",
        "args.a.all(x, x in args.b)",
        "args.a.filter(x, x > 1).map(x, x) == []",
        "args.a.all(session, session == 1)",
        "args.a < 1e16",
        &deep,
        &deeper,
        &sum,
        &wide,
        &long,
    ] {
        let error = Condition::all_of("rule `1`", rule).expect_err(rule);
        writeln!(refused, "{error}").expect("writing to a String cannot fail");
    }
    insta::assert_snapshot!(refused, @r#"
    load:policy: rule `1`: `allow` is no CEL: 1:10: Syntax error: mismatched input '<EOF>'
    load:policy: rule `1`: `allow` is no CEL: 1:8: Syntax error: token recognition error at: '= '
    load:policy: rule `1`: `allow` is no CEL: 1:5: unsupported syntax '.?'
    load:policy: rule `1`: `allow` is no CEL: 1:1: Syntax error: mismatched input '<EOF>'
    load:policy: rule `1`: `args` stands alone
    hint: say which of its values is meant: `args.NAME`, and `has(args.NAME)` for whether it is there
    load:policy: rule `1`: `args` stands alone
    hint: say which of its values is meant: `args.NAME`, and `has(args.NAME)` for whether it is there
    load:policy: rule `1`: `args` stands alone
    hint: say which of its values is meant: `args.NAME`, and `has(args.NAME)` for whether it is there
    load:policy: rule `1`: `args` stands alone
    hint: say which of its values is meant: `args.NAME`, and `has(args.NAME)` for whether it is there
    load:policy: rule `1`: it names `arg`, which nobody sets
    hint: did you mean `args`?
    load:policy: rule `1`: it names `customer_id`, which nobody sets
    hint: a rule is about `args`, `caller`, `session` and `tool`
    load:policy: rule `1`: there is no function `matches`
    hint: the functions are contains, double, endsWith, int, size, startsWith, string, uint, has, all, exists, exists_one, filter and map
    load:policy: rule `1`: there is no function `timestamp`
    hint: the functions are contains, double, endsWith, int, size, startsWith, string, uint, has, all, exists, exists_one, filter and map
    load:policy: rule `1`: there is no function `startWith`
    hint: did you mean `startsWith`?
    load:policy: rule `1`: there is no function `type`
    hint: the functions are contains, double, endsWith, int, size, startsWith, string, uint, has, all, exists, exists_one, filter and map
    load:policy: rule `1`: there is no type `Thing`
    load:policy: rule `1`: a condition has a loop beside or inside another
    hint: join conditions by `&&`, with one loop in each
    load:policy: rule `1`: a loop goes through the arguments and names them again for each item
    hint: compare the items with values of `session` or `caller`
    load:policy: rule `1`: a condition has a loop beside or inside another
    hint: join conditions by `&&`, with one loop in each
    load:policy: rule `1`: a loop calls its variable `session`
    hint: give it another name
    load:policy: rule `1`: as a double, 10000000000000000 would be equal to its neighbours
    hint: write it as an integer, without a fraction or an exponent
    load:policy: rule `1`: a condition is nested deeper than 12
    hint: join shorter conditions by `&&`, or make it several rules
    load:policy: rule `1`: `allow` is no CEL: it is nested deeper than 32
    load:policy: rule `1`: a condition is nested deeper than 12
    hint: join shorter conditions by `&&`, or make it several rules
    load:policy: rule `1`: a condition has more than 500 parts
    hint: join shorter conditions by `&&`, or make it several rules
    load:policy: rule `1`: `allow` is longer than 2 KiB
    hint: make it several rules: all that concern a call have to hold
    "#);
}

#[test]
fn the_longest_conditions_are_read_on_a_small_stack() {
    let max = usize::try_from(MAX_CONDITION.get()).expect("fits");
    let around = |open: &str, inside: &str, close: &str| {
        let n = (max - inside.len()) / (open.len() + close.len());
        format!("{}{inside}{}", open.repeat(n), close.repeat(n))
    };
    for rule in [
        around("(", "true", ")"),
        around("!", "true", ""),
        around("-", "1", ""),
        around("[", "", "]"),
        around("{1:", "1", "}"),
        around("a.", "a", ""),
        around("", "a", ".a"),
        around("", "a", "[0]"),
        around("a[", "a", "]"),
        around("", "1", "+1"),
        around("", "true", "||true"),
        around("", "true", "&&true"),
        around("true?", "true", ":true"),
        around("true?true:", "true", ""),
        around("f(", "1", ")"),
        around("", "a", ".f()"),
        around("a.all(x,", "true", ")"),
        around("\"", "", ""),
        around("\u{1F600}", "", ""),
    ] {
        let compiled = std::thread::Builder::new().stack_size(1 << 20);
        let compiled = compiled.spawn(move || Condition::all_of("rule `1`", &rule).map(drop));
        let ended = compiled.expect("a thread").join();
        assert!(ended.is_ok(), "it ends with a verdict");
    }
}

#[test]
fn the_deepest_conditions_are_evaluated_on_a_small_stack() {
    let args = document(&format!(r#"{{"a":{}{}}}"#, "[".repeat(63), "]".repeat(63)));
    for (open, inside, close) in [
        ("[", "1", "]"),
        ("size([", "1", "])"),
        ("(1 + ", "1", ")"),
        ("!(", "true", ")"),
        ("true?(", "1", "):2"),
        ("{1:", "1", "}"),
        ("-(", "1", ")"),
    ] {
        let compiled = |n: usize| {
            let rule = format!("{}{inside}{} == args.a", open.repeat(n), close.repeat(n));
            Condition::all_of("rule `1`", &rule).ok()
        };
        let deepest = (1..20).filter_map(compiled).next_back().expect("some compile");
        let args = args.clone();
        let small = std::thread::Builder::new().stack_size(1 << 20);
        let evaluated = small.spawn(move || {
            let root = args.root();
            let facts = Facts { session: root, caller: root, tool: root, args: root };
            deepest.iter().try_for_each(|condition| condition.check(&facts))
        });
        assert!(evaluated.expect("a thread").join().is_ok_and(|ended| ended.is_err()), "{open}");
    }
}

#[test]
fn a_loop_over_what_a_model_sent_is_bounded_by_both_sides() {
    let rows = |n: usize| document(&json!({ "rows": vec!["x"; n] }).to_string());
    let ids = |n: usize| json!({ "ids": (0..n).chain([0]).map(|id| id.to_string()).collect::<Vec<_>>() });
    let rule = "args.rows.all(row, !(row in session.ids))";
    assert_eq!(end(rule, &ids(100), &rows(1_000)), Ok(()));
    let too_much = Err(NotTrue::Undecided("there are too many values to go through".to_owned()));
    assert_eq!(end(rule, &ids(100), &rows(90_000)), too_much);
    assert_eq!(end(rule, &ids(90_000), &rows(100)), too_much);
    // Without a loop each side is gone through once.
    assert_eq!(end("!('x' in args.rows) || size(session.ids) > 1", &ids(90_000), &rows(90_000)), Ok(()));
}

#[test]
fn deep_arguments_and_strange_keys_are_only_values() {
    let deep = format!(r#"{{"a":{}1{},"x":true}}"#, "[".repeat(63), "]".repeat(63));
    assert_eq!(said("args.a == args.a && args.x", &deep), "true");
    assert_eq!(said("args.a == [1]", &deep), "false");
    let strange = r#"{"args.x":1,"session":{"customer_id":"C-17"},"x\"] == 1 || args[\"":1,"__proto__":1,"":1}"#;
    assert_eq!(said("args.session.customer_id == session.customer_id", strange), "true");
    assert_eq!(said("args.x == 1", strange), "`args.x` is not there");
    assert_eq!(said("args[''] == 1 && args['args.x'] == 1", strange), "true");
}
