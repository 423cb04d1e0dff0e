//! Random texts: existing documents with parts deleted, duplicated, mixed, and pieces of syntax inserted.

/// Pieces of syntax that matter to most parsers.
const PIECES: [&str; 34] = [
    "a", "1", " ", "\n", "\r\n", "\t", "{", "}", "[", "]", "(", ")", "<", ">", "\"", "'", "`", ":", ";", ",", ".", "=",
    "#", "- ", "*", "|", "&", "\\", "//", "/*", "é", "😀", "\u{feff}", "\0",
];
/// The maximum length of a text in bytes.
const MAX_LENGTH: usize = 4_096;

/// Generates texts from others. The same seed gives the same texts.
pub(crate) struct Texts<'a> {
    seeds: &'a [String],
    state: u64,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(seeds: &'a [String], seed: u64) -> Texts<'a> {
        Texts { seeds, state: seed }
    }

    /// Returns a random number below a limit (SplitMix64).
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    /// Returns a random character boundary of a text.
    fn random_boundary(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Returns the start and end of a random part of a text.
    fn random_range(&mut self, text: &str) -> (usize, usize) {
        let (one, other) = (self.random_boundary(text), self.random_boundary(text));
        (one.min(other), one.max(other))
    }
}

impl Iterator for Texts<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut text = match self.seeds.len() {
            0 => String::new(),
            count => self.seeds[self.below(count)].clone(),
        };
        for _ in 0..=self.below(6) {
            let (start, end) = self.random_range(&text);
            match self.below(4) {
                0 => text.replace_range(start..end, ""),
                1 => {
                    let again = text[start..end].to_owned();
                    let at = self.random_boundary(&text);
                    text.insert_str(at, &again);
                }
                2 if !self.seeds.is_empty() => {
                    let other = &self.seeds[self.below(self.seeds.len())];
                    let (from, to) = self.random_range(other);
                    text.insert_str(start, &other[from..to]);
                }
                _ => text.insert_str(start, PIECES[self.below(PIECES.len())]),
            }
        }
        let mut end = text.len().min(MAX_LENGTH);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        Some(text)
    }
}

/// Shrinks a failing text by removing parts of it while it still fails.
pub(crate) fn shrink(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut text = text.to_owned();
    let mut size = text.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < text.len() {
            let mut end = (at + size).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let less = format!("{}{}", &text[..at], &text[end..]);
            if fails(&less) {
                text = less;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_same_texts() {
        let from = ["key = välue\n".to_owned(), "[a]\r\n".to_owned()];
        let texts = |seed| Texts::new(&from, seed).take(200).collect::<Vec<_>>();
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
        assert!(texts(1).iter().any(|text| text.contains("ä")) && texts(1).iter().all(|text| text.len() <= MAX_LENGTH));
        assert_eq!(Texts::new(&[], 1).take(20).count(), 20);
    }

    #[test]
    fn failing_text_is_shrunk() {
        assert_eq!(shrink("some text with a 😀 in it, and more behind", |text| text.contains('😀')), "😀");
        assert_eq!(shrink("abc", |_| true), "");
        assert_eq!(shrink("a-b-c", |text| text.matches('-').count() == 2), "--");
    }
}
