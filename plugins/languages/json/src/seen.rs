//! Which keys an object has had, so far that most objects surely have none twice: known without comparing any text.

use std::ops::Range;

/// An object with more keys is looked through later.
const MOST_KEYS: usize = 64;
/// An odd number whose bits are well mixed.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// The keys of the objects that are open, those of the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    digests: Vec<u32>,
}

/// The keys of one object.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Where its keys start.
    from: usize,
    /// A bit for each: one that is not set tells that a key is new.
    bits: u64,
    /// A key may have been there before.
    pub(crate) again: bool,
}

impl Keys {
    /// An object begins.
    pub(crate) fn begin(&self) -> Seen {
        Seen { from: self.digests.len(), bits: 0, again: false }
    }

    /// The innermost object ends.
    pub(crate) fn end(&mut self, seen: &Seen) {
        self.digests.truncate(seen.from);
    }

    /// Note a key of the innermost object, as it is written in this place of a text, without quotes and without escapes:
    /// the same key is the same text.
    #[inline]
    pub(crate) fn note(&mut self, seen: &mut Seen, text: &[u8], key: Range<usize>) {
        if seen.again {
            return;
        }
        let digest = digest(text, key);
        let bit = 1 << (digest % 64);
        if seen.bits & bit != 0 {
            let before = &self.digests[seen.from..];
            seen.again = before.len() >= MOST_KEYS || before.contains(&digest);
        }
        seen.bits |= bit;
        self.digests.push(digest);
    }
}

/// Some bits of a key: of its length, its first eight bytes and its last.
#[inline]
fn digest(text: &[u8], key: Range<usize>) -> u32 {
    let word = |at: usize| text.get(at..at + 8)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk));
    let length = key.len();
    let mixed = match word(key.start) {
        Some(first) if length < 8 => first & ((1 << (8 * length)) - 1),
        Some(first) => first.wrapping_mul(MIX) ^ word(key.end - 8).unwrap_or(0),
        // The last bytes of a text, one by one.
        None => text[key].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    ((mixed ^ length as u64).wrapping_mul(MIX) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(keys: &[&str]) -> bool {
        let (text, mut at, mut all) = (keys.concat(), 0, Keys::default());
        let mut seen = all.begin();
        for key in keys {
            all.note(&mut seen, text.as_bytes(), at..at + key.len());
            at += key.len();
        }
        seen.again
    }

    #[test]
    fn equal_keys_are_never_missed() {
        for key in ["", "a", "éa", "01234567", "a key of some length"] {
            for other in ["", "x", "and then much more text"] {
                assert!(again(&[key, "y", key, other]), "{key}");
                assert!(again(&[key, other, key]), "{key}");
            }
        }
    }

    #[test]
    fn usual_keys_are_told_apart() {
        for keys in [
            &["id", "name", "tags", "price", "active", "parent", "text", "nested"][..],
            &["version", "resolved", "integrity", "dev", "license", "engines", "dependencies"],
            &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s"],
            &["item-number-1-of-all-that-are", "item-number-2-of-all-that-are"],
            &["", "x", "y"],
        ] {
            let again = again(keys);
            // Eight bytes at both ends are all that is looked at.
            assert_eq!(again, keys[0].len() == 29, "{keys:?}");
        }
    }
}
