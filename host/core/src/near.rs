//! Near: the candidate that was probably meant by a word that is none of them.

/// Edit distance costs the product of both lengths, and the word is a model's: beyond this many bytes nothing is near.
const MAX_WORD: usize = 200;

/// Most candidates that are compared.
const MAX_CANDIDATES: usize = 200;

/// The nearest by edit distance, or by one being part of the other (`sku` and `sku_id`); letter case does not count.
pub(crate) fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    if word.is_empty() || word.len() > MAX_WORD {
        return None;
    }
    let folded = word.to_ascii_lowercase();
    candidates
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= MAX_WORD)
        .take(MAX_CANDIDATES)
        .filter_map(|candidate| distance(&folded, candidate).map(|distance| (distance, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The edit distance to a candidate that is near: at most two changes in five characters, or contained.
fn distance(folded: &str, candidate: &str) -> Option<usize> {
    let longer = folded.len().max(candidate.len());
    let shorter = folded.len().min(candidate.len());
    let most = longer.saturating_mul(2).div_euclid(5);
    // The difference in length is the least there can be, and costs nothing to know.
    if shorter < 3 && longer.saturating_sub(shorter) > most {
        return None;
    }
    let other = candidate.to_ascii_lowercase();
    let contained = shorter >= 3 && (folded.contains(&other) || other.contains(folded));
    if !contained && longer.saturating_sub(shorter) > most {
        return None;
    }
    let distance = strsim::osa_distance(folded, &other);
    (contained || distance <= most).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_near_word_is_found_and_a_far_one_is_none() {
        let tools = ["create_ticket", "stock_lookup"];
        for (word, near) in [
            ("functions.stock_lookup", Some("stock_lookup")),
            ("Stock-Lookup", Some("stock_lookup")),
            ("stock", Some("stock_lookup")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, tools.into_iter()), near, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(1_000), tools.into_iter()), None);
    }
}
