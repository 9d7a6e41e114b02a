//! Histogram: how often which magnitude was met, in a fixed number of buckets whatever is counted.
//!
//! Counts whole numbers of any unit. Eight buckets lie between one power of two and the next, so a quantile is at most an
//! eighth above the true one and never below it. Who counts under which name is for `stats` and `report`.

/// Binary digits that are kept behind the first one.
const KEPT: u32 = 3;

/// Buckets between two powers of two.
const PER_POWER: usize = 1 << KEPT;

/// Buckets in all: the numbers below the first power that is divided, and the powers up to the largest number.
pub(crate) const BUCKETS: usize = (64 - KEPT as usize + 1) * PER_POWER;

/// The bucket that a number falls into; always below [`BUCKETS`].
pub(crate) fn bucket(value: u64) -> usize {
    let Some(power) = value.checked_ilog2().filter(|power| *power >= KEPT) else {
        return usize::try_from(value).unwrap_or(0);
    };
    let above = power.saturating_sub(KEPT);
    let digits = usize::try_from(value.unbounded_shr(above)).unwrap_or(0);
    // The first digit is always one, and stands for the step from one power to the next.
    usize::try_from(above).unwrap_or(0).saturating_mul(PER_POWER).saturating_add(digits)
}

/// The largest number of a bucket.
fn largest(bucket: usize) -> u64 {
    let power = bucket.div_euclid(PER_POWER).saturating_sub(1);
    let digits = bucket.saturating_sub(power.saturating_mul(PER_POWER));
    let next = u128::try_from(digits).unwrap_or(0).saturating_add(1);
    let power = u32::try_from(power).unwrap_or(u32::MAX);
    u64::try_from(next.unbounded_shl(power).saturating_sub(1)).unwrap_or(u64::MAX)
}

/// How often numbers of each magnitude were met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    n: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], n: 0 }
    }
}

impl Histogram {
    /// Counts one number.
    pub fn add(&mut self, value: u64) {
        self.add_many(bucket(value), 1);
    }

    pub(crate) fn add_many(&mut self, bucket: usize, n: u64) {
        if let Some(count) = self.counts.get_mut(bucket) {
            *count = count.saturating_add(n);
            self.n = self.n.saturating_add(n);
        }
    }

    /// How many numbers were counted.
    pub const fn n(&self) -> u64 {
        self.n
    }

    /// The number that `percent` of all are at most, an eighth of it too high at the worst. Nothing where none was counted.
    pub fn percentile(&self, percent: u8) -> Option<u64> {
        let wanted = u128::from(self.n).saturating_mul(u128::from(percent.min(100))).div_ceil(100).max(1);
        let mut seen: u128 = 0;
        let mut counts = self.counts.iter().enumerate();
        let found = counts.find(|(_, count)| {
            seen = seen.saturating_add(u128::from(**count));
            seen >= wanted
        });
        found.map(|(bucket, _)| largest(bucket))
    }
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Histogram, bucket, largest};

    #[test]
    fn every_number_has_a_bucket_that_is_at_most_an_eighth_wide() {
        let around = (0..64).flat_map(|power| [(1u64 << power) - 1, 1 << power, (1 << power) + (1 << power) / 3]);
        for value in around.chain(0..1_000).chain([u64::MAX]) {
            let at = bucket(value);
            assert!(at < BUCKETS, "{value}");
            assert!(largest(at) >= value && largest(at) - value <= value / 8, "{value} in {at}: {}", largest(at));
            assert!(at == 0 || largest(at - 1) < value, "{value} is no number of the bucket before");
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn a_percentile_is_what_so_many_are_at_most() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(50), None);
        for value in 1..=100 {
            histogram.add(value);
        }
        assert_eq!(histogram.n(), 100);
        assert_eq!(histogram.percentile(0), Some(1));
        for (percent, value) in [(1, 1), (5, 5), (50, 50), (99, 99), (100, 100)] {
            let said = histogram.percentile(percent).expect("something was counted");
            assert!((value..=value + value / 8).contains(&said), "{percent} %: {said}");
        }
    }
}
