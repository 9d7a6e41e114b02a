//! Reader and gate: what is taken is what `serde_json` takes, without what a lenient reader would quietly change.

use serde_json::{Number, Value};
use toolgate::{CallRejection, Coercion, RawCall, oracle};

use crate::rules;

/// Most places at which one text is cut.
const MAX_CUTS: usize = 24;

/// What a text is admitted as: the text that a tool gets and what was amended, or why it is no call.
type Admitted = Result<(String, Vec<String>), CallRejection>;

/// Holds the strict reader against `serde_json`, and the gate against the reader.
///
/// A text is read exactly where `serde_json` reads it and no rule of ours is broken, and then as the same value; what is
/// printed reads as the same value again. The gate takes nothing that `serde_json` refuses without saying what it amended, a
/// tool gets an object whatever happens, and a text that is cut is refused wherever it is cut.
///
/// # Panics
/// Where that does not hold.
pub fn reader(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let refused = oracle::admit(RawCall::from_bytes("t", bytes.to_vec()), Coercion::Lossless);
        assert!(matches!(refused, Err(CallRejection::BadText { .. })), "bytes that are no text became {refused:?}");
        return;
    };
    match (oracle::read(text), serde_json::from_str::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => {
            assert!(is_same(&ours, &theirs), "{text:?} was read as {ours} and is {theirs}");
            assert_eq!(rules::broken(text), None, "{text:?} breaks a rule and was read");
            assert_eq!(oracle::read(&ours.to_string()).as_ref(), Ok(&ours), "{text:?} does not read as it is printed");
        }
        (Err(fault), Ok(_)) => assert!(rules::broken(text).is_some(), "{text:?} breaks no rule, and {fault}"),
        (ours, Err(fault)) => assert!(ours.is_err(), "{text:?} was read, but {fault}"),
    }
    gate(text);
}

fn admit(text: &str, coercion: Coercion) -> Admitted {
    oracle::admit(RawCall::new("t", text), coercion)
}

fn gate(text: &str) {
    let strict = admit(text, Coercion::Off);
    let lossless = admit(text, Coercion::Lossless);
    assert!(strict.is_err() || strict == lossless, "{text:?} was a call, and amending made {lossless:?} of it");
    for admitted in [&strict, &lossless] {
        given(text, admitted);
    }
    if strict.is_ok_and(|(_, recorded)| recorded.is_empty()) {
        cuts(text);
    }
}

/// What a tool gets of a text.
fn given(text: &str, admitted: &Admitted) {
    let Ok((given, recorded)) = admitted else { return };
    let value: Value = serde_json::from_str(given).unwrap_or_else(|fault| broken(text, given, &fault.to_string()));
    assert!(value.is_object(), "{text:?} gave a tool {given:?}, which is no object");
    assert_eq!(oracle::read(given).as_ref(), Ok(&value), "{text:?} gave a tool {given:?}, which reads in two ways");
    let again = admit(given, Coercion::Lossless);
    assert_eq!(again, Ok((given.clone(), Vec::new())), "{given:?} was made of {text:?} and is amended again");
    if recorded.is_empty() {
        assert_eq!(text, given, "nothing was amended, and the text is another");
    }
    if serde_json::from_str::<Value>(text).is_err() {
        assert!(!recorded.is_empty(), "{text:?} is no JSON, and was read without a word");
    }
}

#[expect(clippy::panic, reason = "an oracle panics where a promise is broken")]
fn broken(text: &str, given: &str, fault: &str) -> Value {
    panic!("{text:?} gave a tool {given:?}: {fault}")
}

/// An object is one only with its last brace: cut anywhere before, it is said to be cut.
fn cuts(text: &str) {
    let whole = text.trim_ascii_end();
    let step = whole.len().div_euclid(MAX_CUTS).max(1);
    let cuts = (0..whole.len()).step_by(step).filter_map(|end| whole.get(..end));
    // Nothing at all stands for no arguments.
    for cut in cuts.filter(|cut| !cut.trim_ascii().is_empty()) {
        for coercion in [Coercion::Off, Coercion::Lossless] {
            let refused = admit(cut, coercion);
            assert!(matches!(refused, Err(CallRejection::Truncated { .. })), "{cut:?} was cut, and is {refused:?}");
        }
    }
}

/// Whether two readers mean the same. Ours makes `0` of `-0`.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) => ours == theirs || (is_zero(ours) && is_zero(theirs)),
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_same(ours, theirs))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            let is_there = |(key, ours): (&String, &Value)| theirs.get(key).is_some_and(|theirs| is_same(ours, theirs));
            ours.len() == theirs.len() && ours.iter().all(is_there)
        }
        (ours, theirs) => ours == theirs,
    }
}

fn is_zero(number: &Number) -> bool {
    number.as_f64() == Some(0.0)
}
