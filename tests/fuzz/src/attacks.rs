//! Attacks: schemas and contracts that were made to be expensive, to open something, or to be taken for something else.
//!
//! After what was measured of validators and met in the wild. Each names the code of the load that it ends; one that is
//! taken stays within its bounds.

use serde_json::{Map, Value, json};

/// One input.
#[derive(Clone, Debug)]
pub struct Attack {
    /// What it does.
    pub name: String,
    /// The schema, as the text a contract would hold.
    pub schema: String,
    /// What becomes of it: the code of the load it ends, or `good`.
    pub code: &'static str,
}

fn attack(name: impl Into<String>, schema: &Value, code: &'static str) -> Attack {
    Attack { name: name.into(), schema: schema.to_string(), code }
}

fn text(name: impl Into<String>, schema: String, code: &'static str) -> Attack {
    Attack { name: name.into(), schema, code }
}

/// Every schema.
pub fn schemas() -> Vec<Attack> {
    let all = [multiplying(), circles(), deep(), leaving(), patterns(), oversized(), unsatisfiable(), laborious()];
    all.into_iter().flatten().collect()
}

/// An object that is closed, with this beside.
fn closed(beside: Value) -> Value {
    let mut schema = json!({"type": "object", "additionalProperties": false});
    if let (Value::Object(schema), Value::Object(beside)) = (&mut schema, beside) {
        schema.extend(beside);
    }
    schema
}

/// `count` members with names of their own.
fn members(prefix: &str, count: usize, held: impl Fn(usize) -> Value) -> Map<String, Value> {
    (0..count).map(|nth| (format!("{prefix}{nth}"), held(nth))).collect()
}

fn list(count: usize, item: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(item).collect()
}

fn refers_to(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Definitions that each apply the next one several times, at one and the same value.
fn layers(n_layers: usize, n_arms: usize) -> Value {
    let mut definitions = members("d", n_layers, |nth| {
        let next = refers_to(&format!("d{}", nth.saturating_add(1)));
        json!({ "allOf": vec![next; n_arms] })
    });
    definitions.insert(format!("d{n_layers}"), json!({"type": "string"}));
    json!({"$defs": definitions, "$ref": "#/$defs/d0"})
}

fn multiplying() -> Vec<Attack> {
    vec![
        attack("a chain of 30 definitions, each applied twice", &layers(30, 2), "load:schema_cost"),
        attack("three layers of 60 arms", &layers(3, 60), "load:schema_cost"),
        attack("two layers of 21 arms, the most that are taken", &layers(2, 21), "good"),
    ]
}

fn circles() -> Vec<Attack> {
    let child = || json!({"c": {"$ref": "#"}});
    let arm = || closed(json!({"properties": {"c": {"$ref": "#/$defs/n"}}}));
    vec![
        attack(
            "two arms that recurse",
            &json!({"$defs": {"n": {"anyOf": [arm(), arm()]}}, "$ref": "#/$defs/n"}),
            "load:schema_cost",
        ),
        attack(
            "properties and patternProperties that recurse",
            &closed(json!({"properties": child(), "patternProperties": {"^c": {"$ref": "#"}}})),
            "load:schema_cost",
        ),
        attack(
            "a reference beside properties that recurse",
            &closed(
                json!({"$defs": {"n": closed(json!({"properties": child()}))}, "$ref": "#/$defs/n", "properties": child()}),
            ),
            "load:schema_cost",
        ),
        attack(
            "one arm beside properties that recurse",
            &closed(json!({"allOf": [{"properties": child()}], "properties": child()})),
            "load:schema_cost",
        ),
        attack("a circle at one value", &json!({"$ref": "#"}), "load:schema_cost"),
        attack(
            "items and contains that recurse",
            &json!({"items": {"$ref": "#"}, "contains": {"$ref": "#"}}),
            "load:schema_cost",
        ),
    ]
}

fn chain(n_links: usize) -> String {
    let mut definitions = members("d", n_links, |nth| refers_to(&format!("d{}", nth.saturating_add(1))));
    definitions.insert(format!("d{n_links}"), json!({"type": "string"}));
    json!({"$defs": definitions, "$ref": "#/$defs/d0"}).to_string()
}

fn nested(depth: usize) -> String {
    format!("{}true{}", r#"{"not":"#.repeat(depth), "}".repeat(depth))
}

fn deep() -> Vec<Attack> {
    vec![
        text("a chain of 100 000 references", chain(100_000), "load:schema"),
        text("a chain of 2 000 references", chain(2_000), "load:schema"),
        text("a chain of 400 references", chain(400), "load:schema_cost"),
        text("5 000 schemas inside each other", nested(5_000), "load:schema"),
        text("64 KiB of schemas inside each other", nested(8_190), "load:schema"),
        text("64 KiB of schemas that never end", r#"{"not":"#.repeat(9_362), "load:schema"),
    ]
}

fn leaving() -> Vec<Attack> {
    let targets = [
        "http://127.0.0.1:1/s.json",
        "https://example.com/s.json",
        "file:///etc/passwd",
        "other.json",
        "../other.json",
        "/etc/passwd",
        "urn:example:s",
        "#name",
        "https://json-schema.org/draft/2020-12/schema",
        "#/$defs/missing",
        "#/$defs/a/const",
    ];
    let reference = |target: &str| json!({"$defs": {"a": {"const": {"type": "string"}}}, "$ref": target});
    let mut attacks: Vec<Attack> = targets
        .into_iter()
        .map(|target| attack(format!("a reference to {target}"), &reference(target), "load:schema_ref"))
        .collect();
    for (keyword, held) in [
        ("$id", "https://example.com/"),
        ("$anchor", "a"),
        ("$dynamicRef", "#a"),
        ("$dynamicAnchor", "a"),
        ("$recursiveRef", "#"),
        ("$schema", "http://json-schema.org/draft-04/schema#"),
        ("$schema", "https://example.com/mine"),
    ] {
        attacks.push(attack(format!("{keyword} {held}"), &json!({ keyword: held }), "load:schema_ref"));
    }
    attacks
}

fn patterns() -> Vec<Attack> {
    let mut attacks: Vec<Attack> = [
        "^(?:(a+)\\1?)*b$",
        "(?<=a)b",
        "(?<!a)b",
        "(?=a)b",
        "^.{0,404600}b$",
        "^(?:a.{0,1000}){1000}$",
        "^(((a{0,100}b){0,100}b){0,100}b){0,100}$",
        "(a",
        "[",
        "a{2,1}",
        "\\p{Nonsense}",
        "\\u{110000}",
        "*",
        "\\",
        "(?P<n>",
    ]
    .into_iter()
    .map(|pattern| attack(format!("the pattern {pattern}"), &json!({ "pattern": pattern }), "load:pattern"))
    .collect();
    let many = |count| json!({"anyOf": list(count, |nth| json!({"pattern": format!("a{nth}")}))});
    attacks.push(attack("1 000 patterns", &many(1_000), "load:pattern"));
    attacks.push(attack("a pattern of 1 025 bytes", &json!({"pattern": "a".repeat(1_025)}), "load:pattern"));
    for pattern in ["^(a+)+$", ".{0,404600}", "^.{0,404600}$", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        attacks.push(attack(
            format!("the pattern {pattern}, which is linear here"),
            &json!({ "pattern": pattern }),
            "good",
        ));
    }
    let large = |count: usize| json!({"prefixItems": list(count, |nth| json!({"pattern": format!("[^b]{{{},{}}}", nth, 1_000)}))});
    attacks.push(attack("100 patterns, each as large as one may be", &large(100), "load:pattern"));
    let wide = |count: usize| json!({"prefixItems": list(count, |nth| json!({"pattern": format!("\\p{{L}}{{{}}}", nth.saturating_add(1))}))});
    attacks.push(attack("100 patterns over all letters there are", &wide(100), "load:pattern"));
    let plain = |nth: usize| json!({"pattern": format!("^[A-Z]{{2,8}}-[0-9]{{4}}-x{nth}(-[a-z0-9]+)?$")});
    let together = json!({"allOf": list(21, |nth| json!({"pattern": format!("a{nth}")}))});
    attacks.push(attack("21 patterns for one text", &together, "load:schema_cost"));
    attacks.push(attack("100 patterns as people write them", &json!({"prefixItems": list(100, plain)}), "good"));
    attacks
}

fn oversized() -> Vec<Attack> {
    let consts = |n: usize| list(n, |nth| nth.into());
    vec![
        attack("an enum of 20 000 values", &json!({"enum": consts(20_000)}), "load:schema"),
        attack("an enum of 20 000 values in 40 KB", &json!({"enum": vec![0; 20_000]}), "load:schema"),
        attack("an enum of 1 001 values", &json!({"enum": consts(1_001)}), "load:schema"),
        attack("2 001 schemas", &json!({"anyOf": vec![json!(true); 2_001]}), "load:schema"),
        attack("501 properties", &closed(json!({"properties": members("k", 501, |_| json!(true))})), "load:schema"),
        text("64 KiB and a byte", format!("{{\"title\":\"{}\"}}", "a".repeat(65_525)), "load:schema"),
        text("one key twice", r#"{"type":"string","type":"integer"}"#.to_owned(), "load:schema"),
        text("a number that is rounded", r#"{"const":18446744073709551616}"#.to_owned(), "load:schema"),
        text("a number that is infinite", r#"{"maximum":1e400}"#.to_owned(), "load:schema"),
        attack("a step that no double knows", &json!({"multipleOf": 1e-308}), "load:schema"),
        attack("a length of 1e308", &json!({"maxLength": 1e308}), "load:schema"),
        attack("a length beyond 2^53", &json!({"maxLength": 9_007_199_254_740_993_u64}), "load:schema"),
        attack("a count beyond 2^53", &json!({"maxItems": u64::MAX}), "load:schema"),
        attack("a number beyond 2^53, which is compared exactly", &json!({"maximum": u64::MAX}), "good"),
        attack("items that are all different", &json!({"type": "array", "uniqueItems": true}), "good"),
    ]
}

fn unsatisfiable() -> Vec<Attack> {
    vec![
        attack("false", &json!(false), "load:schema"),
        attack("a property that is false", &closed(json!({"properties": {"a": false}})), "load:schema"),
        attack("a least above the most", &json!({"minimum": 2, "maximum": 1}), "load:schema"),
        attack("a shortest above the longest", &json!({"minLength": 2, "maxLength": 1}), "load:schema"),
        attack("values of another type", &json!({"type": "string", "enum": [1, 2]}), "load:schema"),
        attack("a key that is required and closed out", &closed(json!({"required": ["a"]})), "load:schema"),
    ]
}

/// Within every bound, and as much work as that leaves.
fn laborious() -> Vec<Attack> {
    let arms = |n: usize| json!({"allOf": vec![json!(true); n]});
    let unevaluated = json!({"$defs": {"d": arms(980)}, "prefixItems": list(9, |_| json!({"unevaluatedProperties": false, "$ref": "#/$defs/d"}))});
    let referring = json!({"$defs": {"d": arms(980)}, "prefixItems": list(490, |_| refers_to("d"))});
    let steps = |n: usize| json!({"prefixItems": list(n, |nth| json!({"multipleOf": nth.saturating_add(1)}))});
    let keys = members("k", 400, |_| json!({"$ref": "#"}));
    let names = members("^n", 90, |_| json!(true));
    let crossed = json!({"additionalProperties": false, "allOf": [
        {"properties": keys},
        {"patternProperties": names, "properties": members("k", 400, |_| json!(true)), "additionalProperties": {"$ref": "#"}},
    ]});
    let matched = json!({"additionalProperties": false, "allOf": [
        {"properties": members("k", 400, |_| json!({"$ref": "#"}))},
        {"patternProperties": names.into_iter().chain([("^k".to_owned(), json!(true))]).collect::<Map<_, _>>(), "additionalProperties": {"$ref": "#"}},
    ]});
    let wide = closed(json!({"properties": members("k", 490, |_| json!({"$ref": "#"}))}));
    vec![
        attack("490 references to 980 arms", &referring, "load:schema_cost"),
        attack("9 places that mark what 980 arms declare", &unevaluated, "good"),
        attack("items that cost 10 000 steps", &costly_items(), "good"),
        attack("1 900 steps", &steps(1_900), "load:schema"),
        attack("100 steps", &steps(100), "good"),
        attack("400 keys that recurse, beside 400 that do not", &crossed, "good"),
        attack("400 keys held against 90 patterns", &matched, "good"),
        attack("490 keys that recurse", &wide, "good"),
    ]
}

/// A schema for lists that costs 10 000 steps an item.
pub fn costly_items() -> Value {
    let arms = json!({"allOf": vec![json!({"type": "integer"}); 960]});
    let item = json!({"type": ["object", "integer"], "additionalProperties": false, "properties": members("k", 9, |_| refers_to("d"))});
    closed(json!({"$defs": {"d": arms}, "properties": {"rows": {"type": "array", "items": item}}}))
}

/// Texts of a contract that hide something, move a cursor or never end, by name.
pub fn texts() -> Vec<(&'static str, String)> {
    vec![
        ("a terminal's clipboard", "\u{1b}]52;c;aGk=\u{7}".to_owned()),
        ("tag characters", "Echoes.\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}".to_owned()),
        ("a text that runs backwards", "Echoes \u{202e}.esrever".to_owned()),
        ("characters without width", "Ech\u{200b}oes.".to_owned()),
        ("private use", "Echoes.\u{f8ff}".to_owned()),
        ("a cursor that goes back", "Echoes.\u{8}\u{8}\u{8}".to_owned()),
        ("1 025 characters", "a".repeat(1_025)),
        ("nothing", " ".to_owned()),
    ]
}
