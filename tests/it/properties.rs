//! Properties: promises about every input, held against inputs that `proptest` thinks of and against stored ones.
//!
//! The promises about bytes are those that the fuzz targets hold (`tests/fuzz`); here they are asked a few hundred times at
//! every test run, with inputs that a fuzzer would need long to think of.

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};
use toolgate::{Coercion, Dialect, Host, RawCall, Reply, Schema, ToolSource, Verdict, with_contract};

use crate::support::{build, guests, on_one_thread, outcome, report, repository};

fn cases(n: u32) -> Config {
    Config { cases: n, failure_persistence: None, ..Config::default() }
}

/// Every stored input of a target, with its name.
fn stored(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = repository().join("tests/fuzz/seeds").join(target);
    let entries = std::fs::read_dir(folder).expect("the seeds are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.iter().map(|file| (file.display().to_string(), std::fs::read(file).expect("reads"))).collect()
}

/// A promise about every input, by its name.
type Target = (&'static str, fn(&[u8]));

#[test]
fn every_stored_input_keeps_its_promises() {
    let targets: [Target; 4] = [
        ("reader", toolgate_fuzz::reader),
        ("linter", toolgate_fuzz::linter),
        ("explainer", toolgate_fuzz::explainer),
        ("dialects", toolgate_fuzz::dialects),
    ];
    for (target, holds) in targets {
        let inputs = stored(target);
        assert!(inputs.len() >= 5, "{target} has {} inputs", inputs.len());
        inputs.iter().for_each(|(_, input)| holds(input));
    }
}

/// A text as models and encoders write them.
fn any_text() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "",
        "a",
        "__proto__",
        "toString",
        "\u{1b}[2J",
        "\u{202e}",
        "\u{e0041}",
        "\0",
        "\n\nhint: obey",
        "`",
        "…",
        "é",
        "😀",
        "\u{feff}",
        "%",
        ".",
        "\\",
        "\"",
    ]);
    prop_oneof![
        3 => hostile.prop_map(str::to_owned),
        2 => "[a-c]{0,3}",
        1 => any::<String>(),
        1 => (hostile_char(), 1_usize..3_000).prop_map(|(c, n)| c.to_string().repeat(n)),
    ]
}

fn hostile_char() -> impl Strategy<Value = char> {
    prop::sample::select(vec!['a', '\u{1b}', '\u{202e}', '\n', 'é', '😀', '`', '"'])
}

/// A number as it is written.
fn any_number() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "0",
        "-0",
        "-0.0",
        "0e5",
        "1e400",
        "1e-400",
        "1e300",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740992.0",
        "1E+2",
        "0.1",
        "01",
        "1.",
        ".5",
        "+1",
        "NaN",
        "123456789012345678e3",
        "4.9e-324",
    ]);
    prop_oneof![
        odd.prop_map(str::to_owned),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        "-?[0-9]{1,25}(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?"
    ]
}

/// JSON as text, with white space, escapes and repeated keys, mostly well-formed.
fn any_json() -> impl Strategy<Value = String> {
    let space = || prop::sample::select(vec!["", "", " ", "\n\t"]);
    let escaped = any_text().prop_map(|text| {
        let units: Vec<String> = text.encode_utf16().take(8).map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{}\"", units.concat())
    });
    let plain = any_text().prop_map(|text| Value::from(text).to_string());
    let word = prop::sample::select(vec!["true", "false", "null", "\"\\ud800\"", "\"\\udc00\\ud800\""])
        .prop_map(str::to_owned);
    let leaf = prop_oneof![3 => any_number(), 3 => plain, 1 => escaped, 1 => word];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let key = prop_oneof![
            prop::sample::select(vec!["\"a\"", "\"b\"", "\"\\u0061\""]).prop_map(str::to_owned),
            any_text().prop_map(|key| Value::from(key).to_string())
        ];
        let member =
            (key, space(), inner.clone()).prop_map(|(key, space, value)| format!("{key}{space}:{space}{value}"));
        prop_oneof![
            (prop::collection::vec(inner, 0..5), space())
                .prop_map(|(items, space)| format!("[{space}{}]", items.join(&format!(",{space}")))),
            (prop::collection::vec(member, 0..5), space())
                .prop_map(|(members, space)| format!("{{{space}{}}}", members.join(&format!("{space},")))),
        ]
    })
}

/// A text with a few bytes taken away, added or changed.
fn damaged(text: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![prop::sample::select(b"{}[]\",:\\0-.eu \0\xef".to_vec()), any::<u8>()];
    (text, prop::collection::vec((any::<prop::sample::Index>(), byte, 0..4_u8), 0..3)).prop_map(|(text, damage)| {
        let mut bytes = text.into_bytes();
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len().saturating_add(1));
            match kind {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                _ if at == bytes.len() => {}
                2 => drop(bytes.remove(at)),
                _ => bytes[at] = byte,
            }
        }
        bytes
    })
}

#[test]
fn the_reader_takes_what_serde_json_takes_without_what_our_rules_turn_away() {
    let object = any_json().prop_map(|json| format!(r#"{{"a":{json}}}"#));
    let fenced = any_json().prop_map(|json| format!("```json\n{{\"a\":{json},}}\n``` so far"));
    let text = prop_oneof![any_json(), object, fenced];
    proptest!(cases(600), |(bytes in damaged(text))| toolgate_fuzz::reader(&bytes));
}

#[test]
fn verdict_explainer_and_validator_agree_on_any_schema_and_value() {
    proptest!(cases(400), |(bytes in prop::collection::vec(any::<u8>(), 0..500))| toolgate_fuzz::explainer(&bytes));
}

#[test]
fn any_text_as_a_schema_is_refused_with_a_code_or_enforced() {
    let schemas = prop::sample::select(stored("linter")).prop_map(|(_, bytes)| String::from_utf8(bytes).expect("text"));
    proptest!(cases(200), |(bytes in damaged(schemas))| toolgate_fuzz::linter(&bytes));
}

#[test]
fn any_message_is_read_or_refused_in_every_dialect() {
    let messages =
        prop::sample::select(stored("dialects")).prop_map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned());
    proptest!(cases(300), |(bytes in damaged(messages))| toolgate_fuzz::dialects(&bytes));
    assert!(Dialect::ALL.len() >= 2);
}

const INPUT: &str = r#"{"type":"object","additionalProperties":false,"required":["n"],"properties":{
    "n":{"type":"integer","minimum":0,"maximum":9},"b":{"type":"boolean"},"s":{"type":"string","maxLength":3},
    "e":{"enum":["low","High"]},"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","additionalProperties":{"type":"number"}},
    "any":{"type":["string","integer"]}}}"#;

fn mirror(input: &str) -> ToolSource {
    let contract = format!(
        r#"{{"name":"mirror","version":"1","description":"d","effects":"read","input":{input},"output":{{"type":"object","additionalProperties":true}}}}"#
    );
    ToolSource::new("mirror.wasm", with_contract(guests::OK_MIRROR, &contract).expect("packs"))
}

/// A value that nearly fits one of the properties above: right, in quotes, encoded, `null` …
fn near_value() -> impl Strategy<Value = Value> {
    let right = prop::sample::select(vec![
        json!(1),
        json!(9),
        json!(true),
        json!("ab"),
        json!("low"),
        json!([1, 2]),
        json!({"k": 1.5}),
    ]);
    let wrong = prop::sample::select(vec![
        json!(null),
        json!(10),
        json!("x1"),
        json!("LOW"),
        json!("high"),
        json!(1.0),
        json!(1.5),
        json!([null]),
    ]);
    let quoted = right.clone().prop_map(|value| value.to_string().into());
    prop_oneof![4 => right, 2 => quoted, 1 => wrong]
}

fn near_arguments() -> impl Strategy<Value = String> {
    let keys = prop::sample::select(vec!["n", "b", "s", "e", "l", "o", "any", "m"]);
    let members = prop::collection::btree_map(keys, near_value(), 0..6);
    (members, prop::option::of(1..5_u8), 0..6_u8).prop_map(|(mut members, n, wrapped)| {
        if let Some(n) = n {
            members.insert("n", json!(n));
        }
        match wrapped {
            0 => json!({ "arguments": members }).to_string(),
            1 => json!(json!(members).to_string()).to_string(),
            2 => format!("```json\n{}\n```", json!(members)),
            _ => json!(members).to_string(),
        }
    })
}

async fn asked(host: &Host, arguments: &str) -> Reply {
    host.call(RawCall::new("mirror", arguments)).await
}

fn coerced(reply: &Reply) -> Vec<String> {
    reply.recorded.iter().map(ToString::to_string).filter(|name| name.starts_with("coerced:")).collect()
}

#[test]
fn amending_leaves_what_is_accepted_alone_ends_in_what_fits_and_has_nothing_left_to_do() {
    let schema = Schema::of_object(INPUT).expect("compiles");
    on_one_thread(async {
        let strict = build(Host::builder().tool(mirror(INPUT))).await;
        let lossless = build(Host::builder().tool(mirror(INPUT)).coercion(Coercion::Lossless)).await;
        let runtime = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || {
            let ask = |host: &Host, arguments: &str| runtime.block_on(asked(host, arguments));
            proptest!(cases(250), |(arguments in near_arguments())| {
                let (as_written, amended) = (ask(&strict, &arguments), ask(&lossless, &arguments));
                if as_written.is_done() {
                    prop_assert_eq!(&amended.verdict, &as_written.verdict, "{}", arguments);
                    prop_assert_eq!(coerced(&amended), Vec::<String>::new());
                }
                if let Verdict::Done(checked) = &amended.verdict {
                    prop_assert!(schema.accepts(&checked.value()), "{} became {}", arguments, checked.text());
                    prop_assert!(as_written.is_done() || !coerced(&amended).is_empty(), "{}", report(&amended));
                    let again = ask(&lossless, checked.text());
                    prop_assert_eq!(&again.verdict, &amended.verdict);
                    prop_assert_eq!(coerced(&again), Vec::<String>::new());
                }
            });
        })
        .await
        .expect("holds");
    });
}

/// The first line is the violation, the rest at most one hint; nothing in it moves a cursor or hides.
fn is_fit_to_be_read(reply: &Reply) -> Result<(), TestCaseError> {
    let text = reply.text();
    prop_assert!(text.len() < 1024, "{} bytes: {}", text.len(), text);
    let lines: Vec<&str> = text.split('\n').collect();
    let is_a_line_and_a_hint = match lines.as_slice() {
        [_] => true,
        [_, "", hint] => hint.starts_with("hint: "),
        _ => false,
    };
    prop_assert!(is_a_line_and_a_hint, "{text}");
    prop_assert_eq!(toolgate::clean(&text).1, 0, "{:?}", text);
    prop_assert!(text.starts_with(&outcome(reply)) && !reply.operator_line().contains('\n'), "{}", report(reply));
    Ok(())
}

#[test]
fn a_refusal_is_one_short_line_and_one_hint_whatever_keys_and_values_come() {
    on_one_thread(async {
        let declared = json!({"type": "object", "additionalProperties": false, "required": ["…", "a\nb"], "properties": {
            "…": true, "a\nb": {"enum": ["x\u{7f}", "y".repeat(3_000)]}, "r".repeat(3_000): true, "deep": {"type": "object", "additionalProperties": {"$ref": "#"}}}});
        // A declared text may not hide anything, so that what is hidden comes from the model.
        let input = declared.to_string().replace("\\u007f", "z").replace('\u{7f}', "z");
        let host = build(Host::builder().tools([mirror(&input)])).await;
        let runtime = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || {
            let keys = prop_oneof![any_text(), prop::sample::select(vec!["…", "a\nb", "deep"]).prop_map(str::to_owned)];
            let leaf = any_text().prop_map(Value::from);
            let value = leaf.prop_recursive(3, 20, 4, move |inner| prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(keys.clone(), inner, 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
            ]);
            let arguments = prop_oneof![value.prop_map(|value| value.to_string().into_bytes()), damaged(any_json())];
            proptest!(cases(300), |(tool in prop_oneof![Just("mirror".to_owned()), any_text()], arguments in arguments)| {
                let reply = runtime.block_on(host.call(RawCall::from_bytes(tool, arguments)));
                if !reply.is_done() {
                    is_fit_to_be_read(&reply)?;
                }
            });
        })
        .await
        .expect("holds");
    });
}
