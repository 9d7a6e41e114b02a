//! Units: sizes and depths that cannot be confused with counts.
//!
//! Knows no default and no limit: those stand beside the stage that enforces them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ByteCount(u64);

impl ByteCount {
    /// This many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// This many units of 1024 bytes.
    pub const fn kib(n: u64) -> Self {
        Self(n.saturating_mul(1024))
    }

    /// This many units of 1024 × 1024 bytes.
    pub const fn mib(n: u64) -> Self {
        Self(n.saturating_mul(1024 * 1024))
    }

    /// The size of something that sits in this host's memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
    }

    /// In bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// In bytes, for an API that counts in `usize`; saturates where an address is smaller than 64 bits.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for ByteCount {
    /// `64 KiB` where it is a whole number of units, else one decimal: `1.4 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        let Some((unit, size)) = UNITS.into_iter().find(|(_, size)| self.0 >= *size) else {
            return write!(f, "{} B", self.0);
        };
        if self.0.is_multiple_of(size) {
            return write!(f, "{} {unit}", self.0.div_euclid(size));
        }
        let tenths = u128::from(self.0).saturating_mul(10).div_euclid(u128::from(size));
        write!(f, "{}.{} {unit}", tenths.div_euclid(10), tenths.rem_euclid(10))
    }
}

/// How many arrays and objects stand inside each other; a bare number or string has depth 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depth(u32);

impl Depth {
    /// This many levels.
    pub const fn new(levels: u32) -> Self {
        Self(levels)
    }

    /// In levels.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} levels", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteCount;

    #[test]
    fn a_size_is_said_in_the_largest_unit_that_fits() {
        for (bytes, said) in [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1_500_000, "1.4 MiB"), (1 << 30, "1 GiB")]
        {
            assert_eq!(ByteCount::new(bytes).to_string(), said);
        }
    }
}
