//! Canonical form of selectors and preludes, so that they can be compared.
//!
//! Insignificant white space and comments are removed, quotes and escapes are normalized, and case-insensitive names
//! are converted to lower case. `*` and `*|` are removed from compound selectors in which they have no effect. The
//! result is only compared, never displayed.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{
    chars::{Dialect, unescape},
    formula::plain_formula,
    scanner::{Scanner, TokenKind},
    white_space::{Gap, is_word, normalize_white_space},
};

/// Maximum nesting of brackets that are normalized. Deeper text is compared as written.
const MAX_DEPTH: usize = 24;

/// Pseudo-classes and pseudo-elements that take a selector list.
const SELECTOR_LIST_PSEUDOS: &[&str] = &[
    "is",
    "not",
    "where",
    "has",
    "matches",
    "any",
    "-webkit-any",
    "-moz-any",
    "host",
    "host-context",
    "slotted",
    "cue",
    "cue-region",
    "current",
    "global",
    "local",
    "deep",
    "v-deep",
    "v-slotted",
    "v-global",
    "extend",
];

/// Hash of a canonical form.
pub(crate) fn key(canonical: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    canonical.hash(&mut hasher);
    hasher.finish()
}

/// The members of a selector list in canonical form. The buffer is reused for other lists.
#[derive(Debug, Default)]
pub(crate) struct CanonicalList {
    out: String,
    commas: Vec<usize>,
}

impl CanonicalList {
    /// Parses a selector list.
    pub(crate) fn read(&mut self, text: &str, dialect: Dialect) {
        let mut writer = Writer::new(text, dialect);
        std::mem::swap(&mut writer.out, &mut self.out);
        writer.out.clear();
        self.commas.clear();
        writer.list(0, text.len(), Some(&mut self.commas));
        self.out = writer.out;
    }

    /// Returns the whole list in canonical form. Its members are separated by commas.
    pub(crate) fn as_str(&self) -> &str {
        &self.out
    }

    /// Iterates over the members.
    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        let ends = self.commas.iter().copied().chain([self.out.len()]);
        ends.scan(0, |from, end| {
            let member = &self.out[*from..end];
            *from = end + 1;
            Some(member)
        })
    }

    /// Number of members.
    pub(crate) fn count(&self) -> usize {
        self.commas.len() + 1
    }
}

/// Returns the canonical form of the prelude of an at-rule, or of any other text that is not a selector.
pub(crate) fn prelude(text: &str, dialect: Dialect) -> String {
    let mut writer = Writer::new(text, dialect);
    writer.write_generic(0, text.len());
    writer.out
}

#[derive(Debug)]
struct Writer<'t> {
    scan: Scanner<'t>,
    text: &'t str,
    out: String,
    depth: usize,
}

/// State of the [`Writer`] within a complex selector.
#[derive(Debug)]
struct CompoundState {
    gap: Gap,
    /// True if nothing of the current compound selector has been written yet.
    is_empty: bool,
    /// True if a `*` has been read but not written. It is written only if nothing follows it in the compound selector.
    has_universal: bool,
    /// True if a word that follows directly would become part of the last name, as in `&-title`.
    joins_next_word: bool,
}

const INITIAL_STATE: CompoundState =
    CompoundState { gap: Gap::None, is_empty: true, has_universal: false, joins_next_word: false };

impl<'t> Writer<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Writer<'t> {
        Writer { scan: Scanner::without_reports(text, dialect), text, out: String::new(), depth: 0 }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    // --- selectors ---

    /// Writes a list of complex selectors. The offsets of its commas in the output are added to `commas`.
    fn list(&mut self, from: usize, to: usize, mut commas: Option<&mut Vec<usize>>) {
        let mut place = INITIAL_STATE;
        let mut at = from;
        while at < to {
            let (part, end) = self.scan.token_at(at);
            at = match part {
                TokenKind::End => break,
                TokenKind::Space => {
                    place.gap = Gap::Space;
                    end
                }
                TokenKind::Comment => {
                    place.gap = if place.gap == Gap::None { Gap::Comment } else { place.gap };
                    end
                }
                TokenKind::Comma => {
                    self.write_gap(&mut place);
                    if let Some(commas) = commas.as_deref_mut() {
                        commas.push(self.out.len());
                    }
                    self.out.push(',');
                    place = INITIAL_STATE;
                    end
                }
                TokenKind::Other
                    if matches!(self.byte(at), b'>' | b'+' | b'~') || self.text[at..].starts_with("||") =>
                {
                    self.write_gap(&mut place);
                    let end = end + usize::from(self.byte(at) == b'|');
                    self.out.push_str(&self.text[at..end]);
                    place = INITIAL_STATE;
                    end
                }
                _ => self.simple(part, at, end, &mut place),
            };
        }
        self.write_gap(&mut place);
    }

    fn write_gap(&mut self, place: &mut CompoundState) {
        if std::mem::take(&mut place.has_universal) {
            self.out.push('*');
        }
    }

    /// Writes one simple selector. Returns the offset of the next one.
    fn simple(&mut self, part: TokenKind, at: usize, end: usize, place: &mut CompoundState) -> usize {
        if place.gap == Gap::Space && !place.is_empty {
            self.write_gap(place);
            self.out.push(' ');
        } else if place.gap == Gap::Comment && part == TokenKind::Word && self.out.ends_with(is_word) {
            self.out.push_str("/**/");
        }
        place.gap = Gap::None;
        place.is_empty = false;
        let joined = std::mem::take(&mut place.joins_next_word);
        if part == TokenKind::Other && self.byte(at) == b'*' {
            if self.byte(at + 1) == b'|' && !matches!(self.byte(at + 2), b'|' | b'=') {
                place.is_empty = true;
                return at + 2; // the prefix `*|` stands for any namespace
            }
            place.has_universal = true;
            return end;
        }
        place.has_universal = false;
        match (part, self.byte(at)) {
            (TokenKind::Word, _) if joined => self.name(at, end, false),
            (TokenKind::Word, _) => {
                // A namespace prefix is defined in the stylesheet and is case-sensitive.
                let prefix = self.byte(end) == b'|' && self.byte(end + 1) != b'|';
                self.name(at, end, !prefix);
                if prefix {
                    self.out.push('|');
                    return end + 1;
                }
            }
            (TokenKind::Other, sigil @ (b'.' | b'#' | b'%' | b'&')) => {
                self.out.push(sigil as char);
                place.joins_next_word = true;
            }
            (TokenKind::Colon, _) => return self.pseudo(at),
            (TokenKind::Group, b'[') => self.attribute(at, end),
            (TokenKind::Group, _) => self.group(at, end),
            (TokenKind::Text, _) => self.string(at, end),
            (TokenKind::Interpolation, _) => {
                normalize_white_space(&self.text[at..end], &mut self.out);
                place.joins_next_word = true;
            }
            _ => self.out.push_str(&self.text[at..end]),
        }
        end
    }

    /// Writes an identifier. Its escapes are resolved, and only characters that need an escape are escaped again.
    fn name(&mut self, at: usize, end: usize, fold: bool) {
        let name = unescape(&self.text[at..end]);
        for c in name.chars() {
            if !is_word(c) {
                self.out.push('\\');
            }
            self.out.push(if fold { c.to_ascii_lowercase() } else { c });
        }
    }

    fn pseudo(&mut self, mut at: usize) -> usize {
        while self.byte(at) == b':' {
            self.out.push(':');
            at += 1;
        }
        let (part, end) = self.scan.token_at(at);
        if part != TokenKind::Word {
            return at;
        }
        let from = self.out.len();
        self.name(at, end, true);
        if self.byte(end) != b'(' {
            return end;
        }
        let name = self.out[from..].to_owned();
        let (_, close) = self.scan.token_at(end);
        let inner = end + 1..close - usize::from(close > end + 1 && self.byte(close - 1) == b')');
        self.out.push('(');
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.out.push_str(&self.text[inner]);
        } else if name.starts_with("nth-") {
            self.nth(inner.start, inner.end);
        } else if SELECTOR_LIST_PSEUDOS.contains(&name.as_str()) {
            self.list(inner.start, inner.end, None);
        } else {
            self.write_generic(inner.start, inner.end);
        }
        self.depth -= 1;
        self.out.push(')');
        close
    }

    /// Writes the argument of `:nth-child()` or a similar pseudo-class, such as `2n + 1 of .a`.
    fn nth(&mut self, from: usize, to: usize) {
        let mut at = from;
        let mut formula = String::new();
        while at < to {
            let (part, end) = self.scan.token_at(at);
            match part {
                TokenKind::Space | TokenKind::Comment => {}
                TokenKind::Word if self.text[at..end].eq_ignore_ascii_case("of") => {
                    self.out.push_str(&plain_formula(&formula));
                    self.out.push_str(" of ");
                    return self.list(end, to, None);
                }
                _ => formula.push_str(&self.text[at..end.min(to)].to_ascii_lowercase()),
            }
            at = end;
        }
        self.out.push_str(&plain_formula(&formula));
    }

    /// Writes an attribute selector, such as `[ns|name = "value" i]`.
    fn attribute(&mut self, at: usize, end: usize) {
        let inner_end = end - usize::from(end > at + 1 && self.byte(end - 1) == b']');
        self.out.push('[');
        let (mut at, mut first) = (at + 1, true);
        let mut behind_operator = false;
        while at < inner_end {
            let (part, end) = self.scan.token_at(at);
            match (part, self.byte(at)) {
                (TokenKind::End, _) => break,
                (TokenKind::Space | TokenKind::Comment, _) => {}
                (TokenKind::Word, _) if behind_operator => {
                    // An unquoted value is the same as a string.
                    let value = unescape(&self.text[at..end]).into_owned();
                    self.quoted(&value);
                    behind_operator = false;
                }
                (TokenKind::Text, _) => {
                    self.string(at, end);
                    behind_operator = false;
                }
                (TokenKind::Word, _) => {
                    if self.out.ends_with('"') {
                        self.out.push(' '); // a flag such as `i` follows the value
                    }
                    let prefix = self.byte(end) == b'|' && self.byte(end + 1) != b'=';
                    self.name(at, end, !prefix);
                }
                // In an attribute selector, `|name` is the same as `name`.
                (_, b'|') if first && self.byte(end) != b'=' => {}
                (_, b'=') => {
                    self.out.push('=');
                    behind_operator = true;
                }
                _ => self.out.push_str(&self.text[at..end.min(inner_end)]),
            }
            first &= matches!(part, TokenKind::Space | TokenKind::Comment);
            at = end;
        }
        self.out.push(']');
    }

    // --- everything else ---

    fn string(&mut self, at: usize, end: usize) {
        let quote = self.byte(at);
        if quote == b'`' {
            return normalize_white_space(&self.text[at..end], &mut self.out);
        }
        let inner_end = end - usize::from(end > at + 1 && self.byte(end - 1) == quote);
        let value = unescape(&self.text[at + 1..inner_end]).into_owned();
        self.quoted(&value);
    }

    fn quoted(&mut self, value: &str) {
        self.out.push('"');
        for c in value.chars() {
            if matches!(c, '"' | '\\') {
                self.out.push('\\');
            }
            self.out.push(c);
        }
        self.out.push('"');
    }

    fn group(&mut self, at: usize, end: usize) {
        let close = if self.byte(at) == b'(' { b')' } else { b']' };
        let inner_end = end - usize::from(end > at + 1 && self.byte(end - 1) == close);
        self.out.push(self.byte(at) as char);
        self.depth += 1;
        if self.depth > MAX_DEPTH || self.scan.url_end(at).is_some() {
            self.out.push_str(self.text[at + 1..inner_end].trim_ascii());
        } else {
            self.write_generic(at + 1, inner_end);
        }
        self.depth -= 1;
        self.out.push(close as char);
    }

    /// Writes words, strings and punctuation. White space is kept only between two words.
    fn write_generic(&mut self, from: usize, to: usize) {
        let (mut at, mut gap) = (from, Gap::None);
        let start = self.out.len();
        while at < to {
            let (part, end) = self.scan.token_at(at);
            let end = end.min(to);
            match part {
                TokenKind::End => return,
                TokenKind::Space => gap = Gap::Space,
                TokenKind::Comment => gap = if gap == Gap::None { Gap::Comment } else { gap },
                _ => {
                    let tight = |byte: u8| b",:;=<>/{}!".contains(&byte);
                    let behind = self.out[start..].bytes().last();
                    let apart = behind.is_some_and(|last| !tight(last)) && !tight(self.byte(at));
                    match gap {
                        Gap::Space if apart => self.out.push(' '),
                        Gap::Comment if part == TokenKind::Word && self.out.ends_with(is_word) => {
                            self.out.push_str("/**/")
                        }
                        _ => {}
                    }
                    gap = Gap::None;
                    match part {
                        TokenKind::Text => self.string(at, end),
                        TokenKind::Group => self.group(at, end),
                        TokenKind::Interpolation => normalize_white_space(&self.text[at..end], &mut self.out),
                        _ => self.out.push_str(&self.text[at..end]),
                    }
                }
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selectors(text: &str, dialect: Dialect) -> Vec<String> {
        let mut members = CanonicalList::default();
        members.read(text, dialect);
        assert_eq!(members.members().count(), members.count());
        members.members().map(str::to_owned).collect()
    }

    #[track_caller]
    fn same(spellings: &[&str]) {
        for pair in spellings.windows(2) {
            assert_eq!(selectors(pair[0], Dialect::Css), selectors(pair[1], Dialect::Css), "{pair:?}");
        }
    }

    #[track_caller]
    fn differ(a: &str, b: &str) {
        assert_ne!(selectors(a, Dialect::Scss), selectors(b, Dialect::Scss));
    }

    #[test]
    fn equivalent_selectors_have_same_canonical_form() {
        same(&["A>B", "a > b", "a/**/>\n b"]);
        same(&["ul li,ol  li", "ul li, ol li"]);
        same(&["[a=b]", "[ a = 'b' ]", "[a=\"b\"]", "[|A=b]"]);
        same(&["[a=b i]", "[a='b'i]", "[a='b' I]"]);
        same(&[":nth-child( 2N + 1 )", ":NTH-child(odd)", ":nth-child(+2n+1)"]);
        same(&[":nth-child(2n of .a,.b)", ":nth-child( even  of .a, .b )"]);
        same(&["*.a", ".a"]);
        same(&["*|*:has(*)", ":has(*|*)"]);
        same(&[r".\31 0\+", r".\0000310\+", r".\31 0\02b"]);
        same(&[":is( a , b )::BEFORE", ":is(a,b)::before"]);
    }

    #[test]
    fn different_selectors_have_different_canonical_forms() {
        differ("a b", "ab");
        differ("a b", "a.b");
        differ(".A", ".a");
        differ("a:before", "a::before");
        differ("a > b", "a b");
        differ("* > a", "a");
        differ(".in/**/side", ".inside");
        differ("[a='b' i]", "[a='b']");
        differ("&-x", "& x");
        differ("ns|a", "a");
    }

    #[test]
    fn preludes_are_compared_without_white_space() {
        let media = |text| prelude(text, Dialect::Css);
        assert_eq!(media("(min-width:600px)  and ( color )"), media("( min-width : 600px ) and (color)"));
        assert_eq!(media("'a'"), media("\"a\""));
        assert_ne!(media("a b"), media("ab"));
        assert_eq!(prelude("url(http://x/y)", Dialect::Scss), "url(http://x/y)");
    }
}
