//! The two designs, side by side: labelled turns through a hand-parsed loop and through the host.
//!
//! The same run as `cargo bench --bench side_by_side`, whose table stands in the guide (`documents`).

use std::sync::LazyLock;

use toolgate_tests::side_by_side::{Comparison, Design, compare};

use crate::support::{guests, on_two_threads};

/// One run, for every test that looks at it.
pub(crate) static COMPARED: LazyLock<Comparison> =
    LazyLock::new(|| on_two_threads(compare(guests::OK_MIRROR)).unwrap_or_else(|error| panic!("{error:#}")));

#[test]
fn both_designs_end_every_labelled_turn_as_it_is_labelled() {
    for design in Design::ALL {
        assert_eq!(COMPARED.in_all(design).turns, 500, "{design:?}");
    }
    assert!(COMPARED.disagreements().is_empty(), "{}", COMPARED.disagreements().join("\n"));
}

#[test]
fn the_host_dispatches_no_call_but_the_labelled_one() {
    for design in [Design::Toolgate, Design::WithCoercion] {
        let counts = COMPARED.in_all(design);
        assert_eq!(counts.mismatched, 0, "{design:?}\n{}", *COMPARED);
        assert_eq!(counts.as_labelled + counts.refused, counts.turns, "{design:?}");
    }
}

#[test]
fn the_loop_mismatches_calls_and_says_so_of_the_smaller_part() {
    let counts = COMPARED.in_all(Design::Loop);
    assert!(counts.silent > counts.raising && counts.raising > 0, "{}", *COMPARED);
    assert_eq!(counts.refused, 0, "its pattern matches every one of them");
}
