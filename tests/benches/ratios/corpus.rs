//! Corpus: ordinary calls of several sizes with one slip each, and the contract that finds it.
//!
//! Many short named fields of every type, as calls have them, made from a fixed seed. The same on every machine.

use serde_json::{Value, json};

/// Bytes of the texts, about.
pub(crate) const SIZES: [usize; 6] = [100, 300, 1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// Bytes of half a row, about.
const HALF_A_ROW: usize = 100;

/// The tool that is meant.
const TOOL: &str = "submit_order";

/// What is wrong with a call.
#[derive(Clone, Copy)]
pub(crate) enum Slip {
    UnknownTool,
    MissingKey,
    UndeclaredKey,
    WrongType,
}

impl Slip {
    pub(crate) const ALL: [Self; 4] = [Self::UnknownTool, Self::MissingKey, Self::UndeclaredKey, Self::WrongType];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown tool",
            Self::MissingKey => "missing key",
            Self::UndeclaredKey => "undeclared key",
            Self::WrongType => "wrong type",
        }
    }

    /// How the code begins.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::UnknownTool => "call:unknown_tool",
            Self::MissingKey => "args:missing:customer_id",
            Self::UndeclaredKey => "args:unexpected:",
            Self::WrongType => "args:type:",
        }
    }
}

/// A size for people.
pub(crate) fn in_words(size: usize) -> String {
    if size < 1 << 10 { format!("{size} B") } else { format!("{} KiB", size >> 10) }
}

/// The contract of the tool that is meant, for a component that is never run.
pub(crate) fn contract() -> String {
    let text = || json!({"type": "string"});
    let whole = || json!({"type": "integer", "minimum": 0});
    let closed = |required: Value, properties: Value| json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties});
    let size = closed(json!(["d", "h", "w"]), json!({"d": whole(), "h": whole(), "w": whole()}));
    let row = closed(
        json!(["sku", "qty", "price"]),
        json!({
            "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}, "qty": {"type": "integer", "minimum": 1, "maximum": 1000},
            "price": {"type": "number", "minimum": 0}, "discount": {"type": "number"}, "gift": {"type": "boolean"},
            "insured": {"type": "boolean"}, "note": text(), "origin": text(), "warehouse": text(), "batch": whole(),
            "size": size, "tags": {"type": "array", "maxItems": 8, "items": text()},
        }),
    );
    let input = closed(
        json!(["customer_id", "order_id", "paid"]),
        json!({
            "customer_id": text(), "order_id": text(), "paid": {"type": "boolean"}, "priority": whole(),
            "total": {"type": "number"}, "currency": {"enum": ["EUR", "KRW", "USD"]},
            "rows": {"type": "array", "items": row}, "channel": text(), "branch": text(),
        }),
    );
    let contract = json!({
        "name": TOOL, "version": "1.0.0", "description": "Submits an order.", "effects": "read",
        "input": input, "output": {"type": "object", "additionalProperties": true},
    });
    contract.to_string()
}

/// The tool asked for, and arguments of about this many bytes.
pub(crate) fn call(size: usize, slip: Slip) -> (&'static str, String) {
    let mut dice = Dice(0x746f_6f6c);
    let mut order = order(&mut dice);
    let mut rows: Vec<Value> = Vec::new();
    // The next row is added while it brings the text nearer to its size.
    while length(&order).saturating_add(length(&rows.clone().into())).saturating_add(HALF_A_ROW) < size {
        rows.push(row(&mut dice));
    }
    let tool = slip_into(slip, &mut order, rows.last_mut());
    // A call that lost a key to its slip has others instead, or the smallest would be smaller than they are said to be.
    for key in ["channel", "branch"] {
        if rows.is_empty() && length(&order) < size {
            put(&mut order, key, dice.word().into());
        }
    }
    if !rows.is_empty() {
        put(&mut order, "rows", rows.into());
    }
    (tool, order.to_string())
}

fn length(value: &Value) -> usize {
    value.to_string().len()
}

/// Makes the mistake as far down as the call goes.
fn slip_into(slip: Slip, order: &mut Value, last_row: Option<&mut Value>) -> &'static str {
    match (slip, last_row) {
        (Slip::UnknownTool, _) => return "submit_orders",
        (Slip::MissingKey, _) => drop(order.as_object_mut().and_then(|order| order.remove("customer_id"))),
        (Slip::UndeclaredKey, Some(row)) => put(row, "colour", "red".into()),
        (Slip::UndeclaredKey, None) => put(order, "colour", "red".into()),
        (Slip::WrongType, Some(row)) => {
            if let Some(size) = row.get_mut("size") {
                put(size, "h", "30".into());
            }
        }
        (Slip::WrongType, None) => put(order, "priority", "2".into()),
    }
    TOOL
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}

fn order(dice: &mut Dice) -> Value {
    json!({
        "customer_id": format!("cus_{}", dice.below(9_000)), "order_id": dice.below(90_000).to_string(),
        "paid": dice.below(2) == 0, "priority": dice.below(4), "total": dice.cents(), "currency": "EUR",
    })
}

fn row(dice: &mut Dice) -> Value {
    let tags: Vec<&str> = (0..dice.below(4)).map(|_| dice.word()).collect();
    json!({
        "sku": format!("KB-{}", dice.below(900)), "qty": dice.below(20).max(1), "price": dice.cents(),
        "discount": dice.cents() / 10_000.0, "gift": dice.below(2) == 0, "insured": dice.below(2) == 0,
        "note": format!("{} {} {}", dice.word(), dice.word(), dice.word()), "origin": dice.word(),
        "warehouse": dice.word(), "batch": dice.below(1_000_000), "tags": tags,
        "size": {"d": dice.below(100), "h": dice.below(100), "w": dice.below(100)},
    })
}

/// A linear congruential generator (Knuth, MMIX): the same sequence everywhere, and nothing to depend on.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33).checked_rem(end).unwrap_or(0)
    }

    /// An amount with two decimals.
    fn cents(&mut self) -> f64 {
        self.below(100_000) as f64 / 100.0
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 8] = ["seoul", "large", "door", "blue", "fragile", "left", "paper", "north"];
        let nth = usize::try_from(self.below(8)).unwrap_or(0);
        WORDS.get(nth).copied().unwrap_or_default()
    }
}
