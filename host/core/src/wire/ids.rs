//! Ids: every call of a turn gets one that the provider takes, and takes once.
//!
//! An id is scoped to its turn; the same one in a later round is normal. What is made here is made from the call alone, so
//! that reading the same message twice gives the same ids.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::amendment::Amendment;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Which ids a dialect takes, and how one is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdRule {
    /// Punctuation beside the letters and digits of ASCII; `None` takes every character.
    pub(super) punctuation: Option<&'static str>,
    /// Fewest characters.
    pub(super) min: usize,
    /// Most characters.
    pub(super) max: usize,
    /// Texts that stand for no id, beside the empty one.
    pub(super) absent: &'static [&'static str],
    /// What an id begins with that is made here.
    pub(super) prefix: &'static str,
    /// How many letters and digits follow the prefix; at most 32.
    pub(super) n_minted: usize,
}

/// What a call says of itself.
#[derive(Clone, Debug)]
pub(super) struct Asked<'c> {
    /// Its id; `None` where there is none, or where it is no text.
    pub(super) id: Option<String>,
    /// The tool's name.
    pub(super) name: &'c str,
    /// The arguments as they came.
    pub(super) arguments: &'c str,
}

/// The id a call goes by, and how it came to it where it is not the provider's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assigned {
    pub(super) id: String,
    pub(super) amendment: Option<Amendment>,
}

/// One id per position. Without a rule (Gemini) calls are matched by position: ids stay as they are, or stay away.
pub(super) fn assign(rule: Option<&IdRule>, calls: Vec<Asked<'_>>) -> Vec<Assigned> {
    let Some(rule) = rule else {
        return calls.into_iter().map(|call| Assigned { id: call.id.unwrap_or_default(), amendment: None }).collect();
    };
    // An id that is made must not be one that a later call came with.
    let mut taken: BTreeSet<String> = calls.iter().filter_map(|call| call.id.clone()).collect();
    let mut given = BTreeSet::new();
    let assigned = calls.into_iter().enumerate().map(|(position, mut call)| match call.id.take() {
        Some(id) if rule.takes(&id) && given.insert(id.clone()) => Assigned { id, amendment: None },
        refused => {
            let had_one = refused.is_some_and(|id| !rule.is_absent(&id));
            let amendment = if had_one { Amendment::ReassignedId } else { Amendment::MintedId };
            Assigned { id: rule.mint(position, &call, &mut taken), amendment: Some(amendment) }
        }
    });
    assigned.collect()
}

impl IdRule {
    fn is_absent(&self, id: &str) -> bool {
        id.is_empty() || self.absent.contains(&id)
    }

    pub(super) fn takes(&self, id: &str) -> bool {
        let known =
            |c: char| self.punctuation.is_none_or(|punctuation| c.is_ascii_alphanumeric() || punctuation.contains(c));
        !self.is_absent(id) && (self.min..=self.max).contains(&id.chars().count()) && id.chars().all(known)
    }

    /// An id that nobody has yet, the same for the same call at the same position.
    fn mint(&self, position: usize, call: &Asked<'_>, taken: &mut BTreeSet<String>) -> String {
        let mut attempts = 0_u64..;
        let free = attempts.find_map(|attempt| {
            let id = self.hashed(&format!("{position}\0{attempt}\0{}\0{}", call.name, call.arguments));
            taken.insert(id.clone()).then_some(id)
        });
        free.expect("there are more ids than a message has calls")
    }

    fn hashed(&self, seed: &str) -> String {
        let letter =
            |byte: u8| ALPHABET.iter().cycle().nth(usize::from(byte)).map_or('0', |letter| char::from(*letter));
        self.prefix.chars().chain(Sha256::digest(seed).iter().copied().map(letter).take(self.n_minted)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, IdRule, assign};
    use crate::amendment::Amendment;

    const NINE: IdRule = IdRule { punctuation: Some(""), min: 9, max: 9, absent: &["null"], prefix: "", n_minted: 9 };
    const LONG: IdRule = IdRule { punctuation: None, min: 1, max: 12, absent: &[], prefix: "call_", n_minted: 7 };

    fn asked(ids: &[Option<&str>]) -> Vec<Asked<'static>> {
        ids.iter().map(|id| Asked { id: id.map(str::to_owned), name: "echo", arguments: "{}" }).collect()
    }

    #[test]
    fn an_id_stays_unless_it_is_absent_refused_or_taken() {
        const MINTED: Option<Amendment> = Some(Amendment::MintedId);
        const REASSIGNED: Option<Amendment> = Some(Amendment::ReassignedId);
        let rows: [(&IdRule, Option<&str>, Option<Amendment>); 12] = [
            (&NINE, Some("Q7wE2rT9a"), None),
            (&NINE, Some("Q7wE2rT9"), REASSIGNED),
            (&NINE, Some("Q7wE2rT-a"), REASSIGNED),
            (&NINE, Some("null"), MINTED),
            (&NINE, Some(""), MINTED),
            (&NINE, None, MINTED),
            (&LONG, Some("echo:0"), None),
            (&LONG, Some("null"), None),
            (&LONG, Some("\u{202e}"), None),
            (&LONG, Some("éééééééééééé"), None),
            (&LONG, Some("0123456789abc"), REASSIGNED),
            (&LONG, None, MINTED),
        ];
        for (rule, id, amendment) in rows {
            let got = assign(Some(rule), asked(&[id]));
            let [got] = got.as_slice() else { panic!("one each: {got:?}") };
            assert_eq!(got.amendment, amendment, "{id:?}");
            assert!(amendment.is_some() || Some(got.id.as_str()) == id, "{got:?}");
            assert!(rule.takes(&got.id), "{got:?}");
        }
    }

    #[test]
    fn a_message_gives_the_same_ids_each_time_and_none_twice() {
        let first = assign(Some(&NINE), asked(&[None, Some(""), Some("Q7wE2rT9a"), Some("Q7wE2rT9a"), Some("null")]));
        let minted: Vec<Option<&str>> = first.iter().map(|assigned| Some(assigned.id.as_str())).collect();
        // What is made first is what a later call comes with.
        let again = assign(Some(&NINE), asked(&[None, minted[0], minted[1]]));
        assert_eq!(
            assign(Some(&NINE), asked(&[None, Some(""), Some("Q7wE2rT9a"), Some("Q7wE2rT9a"), Some("null")])),
            first
        );
        for calls in [first.clone(), again] {
            let ids: std::collections::BTreeSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            assert_eq!(ids.len(), calls.len(), "{calls:?}");
        }
    }

    #[test]
    fn without_a_rule_ids_stay_as_they_are() {
        let assigned = assign(None, asked(&[None, Some("a"), Some("a")]));
        let ids: Vec<&str> = assigned.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["", "a", "a"]);
        assert!(assigned.iter().all(|call| call.amendment.is_none()));
    }
}
