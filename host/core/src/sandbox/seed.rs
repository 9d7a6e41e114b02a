//! Seed: what a call's randomness starts from, so that the same call draws the same numbers on every machine.
//!
//! Nothing secret goes in, and nothing that has to stay secret may come of it: whoever knows tool and arguments knows the
//! sequence. A tool that needs surprise has to be given it as an argument.

use sha2::{Digest, Sha256};

/// Tells these digests from all others that are made of the same parts.
const DOMAIN: &[u8] = b"toolgate/seed/v1";

/// The seed of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seed(pub(super) [u8; 32]);

impl Seed {
    /// Of the component, by its digest, and of the arguments as they are handed to it.
    pub(crate) fn of_call(component: &str, arguments: &str) -> Self {
        let mut hash = Sha256::new_with_prefix(DOMAIN);
        // What ends the digest stands in no digest, so no two pairs run together into one text.
        hash.update(component);
        hash.update([0]);
        hash.update(arguments);
        Self(hash.finalize().into())
    }

    /// Two numbers of it, for sequences that do not have to be told apart from each other by anybody.
    pub(super) fn halves(self) -> (u64, u64) {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = self.0;
        (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::from_le_bytes([i, j, k, l, m, n, o, p]))
    }
}

#[cfg(test)]
mod tests {
    use super::Seed;

    #[test]
    fn a_seed_depends_on_tool_and_arguments_and_on_nothing_else() {
        let of_call = Seed::of_call;
        assert_eq!(of_call("a", "{}"), of_call("a", "{}"));
        assert_ne!(of_call("a", "{}"), of_call("b", "{}"));
        assert_ne!(of_call("a", "{}"), of_call("a", "{ }"));
        assert_ne!(of_call("ab", "c"), of_call("a", "bc"));
    }
}
