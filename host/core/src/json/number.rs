//! Numbers: which of those that JSON can write this host can hold.
//!
//! An integer has to fit 64 bits, signed or not. What is written with a fraction or an exponent becomes a double; where it
//! is a whole number, the double must still say every digit that was written (`9007199254740993.0` does not pass, `1e300`
//! does), and a number that is not zero must not become zero. A fraction is held as the nearest double, as by everybody.

use std::cmp::Ordering;

/// A number, held exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Num {
    /// Below zero.
    Negative(i64),
    /// Zero and above.
    Whole(u64),
    /// Written with a fraction or an exponent. Never infinite, never NaN.
    Double(f64),
}

impl Num {
    /// Reads a literal that keeps the grammar; `None` where it cannot be held exactly.
    pub(super) fn read(literal: &str) -> Option<Self> {
        if literal.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            return read_double(literal).map(Self::Double);
        }
        match literal.strip_prefix('-') {
            Some(digits) if digits.bytes().all(|digit| digit == b'0') => Some(Self::Whole(0)),
            Some(_) => literal.parse().ok().map(Self::Negative),
            None => literal.parse().ok().map(Self::Whole),
        }
    }

    /// A count as a number.
    pub(crate) fn of_count(n: usize) -> Self {
        Self::Whole(u64::try_from(n).unwrap_or(u64::MAX))
    }

    /// As a double, rounded where it is a long integer.
    pub(crate) const fn as_f64(self) -> f64 {
        match self {
            Self::Negative(number) => number as f64,
            Self::Whole(number) => number as f64,
            Self::Double(number) => number,
        }
    }

    /// As an integer, where it is written as one.
    pub(crate) fn as_i128(self) -> Option<i128> {
        match self {
            Self::Negative(number) => Some(number.into()),
            Self::Whole(number) => Some(number.into()),
            Self::Double(_) => None,
        }
    }

    /// As an integer, where it is a whole number of at most 64 bits, however it is written.
    pub(crate) fn as_whole(self) -> Option<i128> {
        const BEYOND: f64 = 18_446_744_073_709_551_616.0;
        match self {
            Self::Negative(_) | Self::Whole(_) => self.as_i128(),
            #[expect(clippy::cast_possible_truncation, reason = "a whole number between -2^64 and 2^64")]
            Self::Double(number) if number.fract() == 0.0 && number.abs() < BEYOND => Some(number as i128),
            Self::Double(_) => None,
        }
    }

    /// Whether it is a whole number, however it is written.
    pub(crate) fn is_whole(self) -> bool {
        match self {
            Self::Negative(_) | Self::Whole(_) => true,
            Self::Double(number) => number.fract() == 0.0,
        }
    }

    /// Compares by value, exactly: an integer that no double holds is not equal to its neighbour.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Self::Double(a), b) => b.as_i128().map_or(Ordering::Equal, |b| compare_with_integer(a, b)),
            (a, Self::Double(b)) => a.as_i128().map_or(Ordering::Equal, |a| compare_with_integer(b, a).reverse()),
            (a, b) => a.as_i128().cmp(&b.as_i128()),
        }
    }
}

/// Integers here have at most 65 bits, so a double beyond 2^64 is larger than all of them; below, its whole part fits.
fn compare_with_integer(double: f64, integer: i128) -> Ordering {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    if double >= BEYOND {
        return Ordering::Greater;
    }
    if double <= -BEYOND {
        return Ordering::Less;
    }
    #[expect(clippy::cast_possible_truncation, reason = "between -2^64 and 2^64, and only the fraction is cut off")]
    let whole = double.trunc() as i128;
    whole.cmp(&integer).then_with(|| double.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal))
}

fn read_double(literal: &str) -> Option<f64> {
    let double: f64 = literal.parse().ok().filter(|double: &f64| double.is_finite())?;
    let mantissa = literal.split(['e', 'E']).next().unwrap_or(literal);
    let is_zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
    if double == 0.0 {
        return is_zero.then_some(0.0);
    }
    // Up to 15 digits a double gives back what was written, whatever the exponent (IEEE 754, DBL_DIG).
    if mantissa.len() <= 15 || keeps_its_digits(literal, double) { Some(double) } else { None }
}

/// Whether a fraction that is still one, or a whole number of which the double still says every digit.
fn keeps_its_digits(literal: &str, double: f64) -> bool {
    let written = Decimal::of(literal);
    (written.exponent < 0 && double.fract() != 0.0)
        || Decimal::of(&format!("{double:e}")) == written
        || Decimal::of(&format!("{double:.0}")) == written
}

/// A decimal as digits without zeros at either end, times ten to an exponent.
#[derive(PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(literal: &str) -> Self {
        let (is_negative, literal) = match literal.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, literal),
        };
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let leading = all.trim_start_matches('0');
        let digits = leading.trim_end_matches('0');
        // A literal has at most 64 characters, so what does not fit is far beyond any double.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
        let dropped = i64::try_from(leading.len().saturating_sub(digits.len())).unwrap_or(i64::MAX);
        let behind_the_point = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let exponent = exponent.saturating_sub(behind_the_point).saturating_add(dropped);
        Self { is_negative, digits: digits.to_owned(), exponent }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::Num;

    #[test]
    fn what_can_be_held_is_held_and_the_rest_is_told() {
        for (literal, held) in [
            ("0", Num::Whole(0)),
            ("-0", Num::Whole(0)),
            ("-0.0", Num::Double(0.0)),
            ("-1", Num::Negative(-1)),
            ("18446744073709551615", Num::Whole(u64::MAX)),
            ("-9223372036854775808", Num::Negative(i64::MIN)),
            ("9007199254740993", Num::Whole(9_007_199_254_740_993)),
            ("9007199254740992.0", Num::Double(9_007_199_254_740_992.0)),
            ("18446744073709551616.0", Num::Double(18_446_744_073_709_551_616.0)),
            ("1e300", Num::Double(1e300)),
            ("6.02214076e23", Num::Double(6.022_140_76e23)),
            ("0.1", Num::Double(0.1)),
            ("3.14159265358979323846", Num::Double(std::f64::consts::PI)),
            ("5.0", Num::Double(5.0)),
            ("0e5", Num::Double(0.0)),
        ] {
            assert_eq!(Num::read(literal), Some(held), "{literal}");
        }
        for literal in [
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993.0",
            "9007199254740993e0",
            "900719925474099.3e1",
            "1e400",
            "-1e400",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "12345678901234567891234.0",
            "9007199254740993.5",
            "1.000000000000000000001",
        ] {
            assert_eq!(Num::read(literal), None, "{literal}");
        }
    }

    #[test]
    fn a_whole_number_of_64_bits_is_an_integer_however_it_is_written() {
        for (number, whole) in [
            (Num::Whole(u64::MAX), Some(i128::from(u64::MAX))),
            (Num::Double(-2.0), Some(-2)),
            (Num::Double(9_007_199_254_740_992.0), Some(9_007_199_254_740_992)),
            (Num::Double(0.5), None),
            (Num::Double(18_446_744_073_709_551_616.0), None),
            (Num::Double(-1e300), None),
        ] {
            assert_eq!(number.as_whole(), whole, "{number:?}");
        }
    }

    #[test]
    fn numbers_are_compared_by_value_and_exactly() {
        let rows = [
            (Num::Whole(1), Num::Double(1.0), Ordering::Equal),
            (Num::Whole(9_007_199_254_740_993), Num::Double(9_007_199_254_740_992.0), Ordering::Greater),
            (Num::Whole(u64::MAX), Num::Double(18_446_744_073_709_551_616.0), Ordering::Less),
            (Num::Negative(-2), Num::Double(-1.5), Ordering::Less),
            (Num::Negative(-1), Num::Double(-1.5), Ordering::Greater),
            (Num::Negative(i64::MIN), Num::Whole(0), Ordering::Less),
            (Num::Double(-1e300), Num::Negative(-5), Ordering::Less),
        ];
        for (a, b, order) in rows {
            assert_eq!((a.compare(b), b.compare(a)), (order, order.reverse()), "{a:?} {b:?}");
        }
    }
}
