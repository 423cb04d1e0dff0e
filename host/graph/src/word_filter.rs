//! Words of a text as a Bloom filter, so that a search for a word needs to read only few files.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// Bits per distinct word. With this number, about one in a hundred texts is read although it does not contain the
/// word.
const BITS_PER_WORD: usize = 10;
/// Number of bits that a word sets.
const PROBES: u64 = 5;

/// Set of the words of a text. It can give false positives, but no false negatives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct WordFilter(Vec<u64>);

impl WordFilter {
    pub(crate) fn from_text(text: &str) -> WordFilter {
        let hashes: HashSet<u64> = split_words(text).map(fnv1a).collect();
        let mut cells = vec![0; (hashes.len() * BITS_PER_WORD).div_ceil(64)];
        for hash in hashes {
            for bit in filter_bits(hash, cells.len()) {
                cells[bit / 64] |= 1 << (bit % 64);
            }
        }
        WordFilter(cells)
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * size_of::<u64>()
    }

    /// Returns whether the set is empty because no text was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the text may contain every word of the name.
    pub(crate) fn may_hold(&self, name: &str) -> bool {
        let holds = |word: &[u8]| {
            !self.0.is_empty()
                && filter_bits(fnv1a(word), self.0.len()).all(|bit| self.0[bit / 64] & (1 << (bit % 64)) != 0)
        };
        split_words(name).all(holds)
    }
}

/// Runs of letters, digits, `_`, `$` and non-ASCII bytes.
fn split_words(text: &str) -> impl Iterator<Item = &[u8]> {
    let part_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    text.as_bytes().split(move |byte| !part_of_word(byte)).filter(|word| !word.is_empty())
}

/// FNV-1a hash. Filters are stored on disk, so the hash must be the same in every version.
fn fnv1a(word: &[u8]) -> u64 {
    word.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Bits of a word in a filter with `cells` cells, by double hashing with the two halves of the hash.
fn filter_bits(hash: u64, cells: usize) -> impl Iterator<Item = usize> {
    let (first, step) = (hash & 0xffff_ffff, (hash >> 32) | 1);
    (0..PROBES).map(move |probe| (first.wrapping_add(probe.wrapping_mul(step)) % (cells as u64 * 64)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_filter_has_no_false_negatives() {
        let text: String = (0..500).map(|n| format!("let name{n} = {n}; ")).collect();
        let words = WordFilter::from_text(&text);
        assert!((0..500).all(|n| words.may_hold(&format!("name{n}"))));
        assert!(words.may_hold("let name7") && words.may_hold(""));
        let wrong = (500..1500).filter(|n| words.may_hold(&format!("name{n}x"))).count();
        assert!(wrong < 50, "{wrong} of 1000");
    }

    #[test]
    fn empty_text_contains_no_words() {
        assert!(!WordFilter::from_text("").may_hold("a"));
        assert!(WordFilter::from_text("größe $el _x").may_hold("größe"));
    }
}
