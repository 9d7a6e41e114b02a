//! Names: which names of tools a provider takes in its history, and how the others are cleaned.
//!
//! A model may ask for any name. The registry and the reply see it as it came; only the provider is told the clean one.

use std::borrow::Cow;

/// What is written where a call names no tool at all.
pub(super) const UNNAMED: &str = "unnamed";

/// Which names a dialect takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameRule {
    /// Punctuation beside the letters and digits of ASCII.
    pub(super) punctuation: &'static str,
    /// Whether the first character must be a letter or `_`.
    pub(super) starts_as_word: bool,
    /// Most characters.
    pub(super) max: usize,
}

impl NameRule {
    /// The name as the dialect takes it.
    pub(super) fn cleaned<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if name.is_empty() {
            return Cow::Borrowed(UNNAMED);
        }
        let takes = |c: char| c.is_ascii_alphanumeric() || self.punctuation.contains(c);
        let word = name.chars().map(|c| if takes(c) { c } else { '_' });
        let begins = |first: char| !self.starts_as_word || first.is_ascii_alphabetic() || first == '_';
        let lead = if word.clone().next().is_some_and(begins) { None } else { Some('_') };
        if lead.is_none() && name.len() <= self.max && name.chars().all(takes) {
            return Cow::Borrowed(name);
        }
        Cow::Owned(lead.into_iter().chain(word).take(self.max).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::NameRule;

    #[test]
    fn a_name_outside_of_the_rule_is_cleaned_and_any_other_is_left_alone() {
        let plain = NameRule { punctuation: "_-", starts_as_word: false, max: 8 };
        let word = NameRule { punctuation: "_.:-", starts_as_word: true, max: 8 };
        for (rule, name, expected) in [
            (plain, "get-it_1", "get-it_1"),
            (plain, "1a", "1a"),
            (plain, "a.b c\u{1b}", "a_b_c_"),
            (plain, "é", "_"),
            (plain, "far_too_long", "far_too_"),
            (plain, "", "unnamed"),
            (word, "a.b:c-d", "a.b:c-d"),
            (word, "1a", "_1a"),
            (word, "\u{1b}a", "_a"),
            (word, "1234567890", "_1234567"),
        ] {
            assert_eq!(rule.cleaned(name), expected, "{rule:?}");
            assert_eq!(rule.cleaned(&rule.cleaned(name)), expected, "a clean name is clean");
        }
    }
}
