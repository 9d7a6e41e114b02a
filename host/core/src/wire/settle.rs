//! Settle: from what a codec found to calls with ids, and an assistant message that its provider takes back.

use serde_json::Value;
use serde_json::value::RawValue;

use super::codec::{Codec, Echo, End, Found, FoundCall, Rules};
use super::error::{TurnError, not_json};
use super::ids::{self, Asked};
use super::mend::Mend;
use super::message::Message;
use super::{part, surrogates};
use crate::call::{Arguments, RawCall};

/// What a message comes to.
pub(super) struct Settled {
    pub(super) calls: Vec<RawCall>,
    pub(super) echoes: Vec<Echo>,
    /// What goes into the next request before the answer.
    pub(super) assistant: String,
    /// Whether that had to change for the provider to take it.
    pub(super) is_mended: bool,
}

/// Gives every call its id, and the message what the provider would refuse it for.
pub(super) fn settle(codec: &dyn Codec, whole: &RawValue, found: Found<'_>) -> Result<Settled, TurnError> {
    let rules = codec.rules();
    let tools: Vec<String> = found.calls.iter().map(FoundCall::tool).collect();
    let asked = found.calls.iter().zip(&tools).map(|(call, name)| Asked {
        id: call.id.value.and_then(part::text),
        name,
        arguments: call.raw_arguments().map_or("", RawValue::get),
    });
    let assigned = ids::assign(rules.ids.as_ref(), asked.collect());
    let mut mend = Mend::default();
    let (mut calls, mut echoes) = (Vec::new(), Vec::new());
    for ((call, tool), assigned) in found.calls.into_iter().zip(tools).zip(assigned) {
        if assigned.amendment.is_some() {
            mend.write(whole, call.id, &json_text(&assigned.id));
        }
        let name = tidy(whole, &rules, &call, &mut mend);
        let arguments = match call.is_custom {
            true => Arguments::Text("{}".to_owned()),
            false => rules.arguments.read(call.raw_arguments()),
        };
        echoes.push(Echo { name, is_custom: call.is_custom, copied: call.copied });
        let recorded = assigned.amendment.into_iter().collect();
        calls.push(RawCall { id: assigned.id, tool, arguments, cut: call.is_cut, recorded });
    }
    if let (Some(last), End::Cut) = (calls.last_mut(), found.end) {
        last.cut = true;
    }
    let mended = match mend.is_empty() {
        true => None,
        false => Some(reread(codec, &mend.apply(whole))?),
    };
    let is_mended = mended.is_some();
    let assistant = mended.unwrap_or(found.assistant);
    let well_formed = surrogates::mended(&assistant);
    let is_mended = is_mended || well_formed != assistant;
    Ok(Settled { calls, echoes, is_mended, assistant: well_formed.into_owned() })
}

/// Writes anew what the provider would refuse of a call beside its id; gives back its name as the provider takes it.
fn tidy(whole: &RawValue, rules: &Rules, call: &FoundCall<'_>, mend: &mut Mend) -> String {
    let asked = call.name.and_then(|slot| slot.value).and_then(part::text);
    let name = rules.names.cleaned(asked.as_deref().unwrap_or_default()).into_owned();
    if let Some(slot) = call.name.filter(|_| asked.as_ref() != Some(&name)) {
        mend.write(whole, slot, &json_text(&name));
    }
    if let Some(slot) = call.arguments
        && let Some(json) = rules.arguments.mended(slot.value)
    {
        mend.write(whole, slot, &json);
    }
    for (slot, json) in &call.lacks {
        mend.write(whole, *slot, json);
    }
    name
}

/// The assistant message of a message that was mended.
fn reread(codec: &dyn Codec, mended: &str) -> Result<String, TurnError> {
    let whole: &RawValue = serde_json::from_str(mended).map_err(|error| not_json(error.to_string()))?;
    Ok(codec.read(&Message::read(whole)?)?.assistant)
}

fn json_text(text: &str) -> String {
    Value::from(text).to_string()
}
