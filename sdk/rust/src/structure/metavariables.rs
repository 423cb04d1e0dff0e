//! Metavariables of a pattern. They are encoded as words that every grammar accepts as part of a name, and decoded
//! again.

use crate::{FailureKind, Result, fail};

/// Delimiters of an encoded metavariable: noncharacters that do not occur in text.
const FIRST: char = '\u{efffe}';
const LAST: char = '\u{effff}';

/// A metavariable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metavariable {
    /// The index of the name; `None` for an anonymous metavariable.
    pub name: Option<usize>,
    /// True if the metavariable matches any number of nodes.
    pub is_list: bool,
}

/// A part of a word in a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Literal text.
    Text(String),
    /// A metavariable.
    Metavariable(Metavariable),
}

impl Chunk {
    pub(super) fn is_metavariable(&self) -> bool {
        matches!(self, Chunk::Metavariable(_))
    }
}

/// The names of the metavariables of one pattern, in order.
#[derive(Debug, Clone, Default)]
pub struct Metavariables {
    names: Vec<String>,
}

impl Metavariables {
    /// Encodes the metavariables of a pattern as words. `$NAME` and `$_` match one node, `$$$NAME` and `$$$` any
    /// number.
    ///
    /// # Errors
    ///
    /// Fails with `ParseError` if the pattern contains the noncharacters used as delimiters.
    pub fn encode(&mut self, pattern: &str) -> Result<String> {
        if pattern.contains([FIRST, LAST]) {
            return Err(fail(FailureKind::ParseError, "the pattern contains noncharacters")
                .hint("leave out U+EFFFE and U+EFFFF"));
        }
        let (mut out, mut rest) = (String::with_capacity(pattern.len()), pattern);
        while let Some(at) = rest.find('$') {
            out += &rest[..at];
            rest = &rest[at..];
            let signs = rest.bytes().take_while(|byte| *byte == b'$').count();
            let after = &rest[signs..];
            let part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            let name = &after[..after.bytes().take_while(|byte| part(*byte)).count()];
            let goes_on = after[name.len()..].chars().next().is_some_and(|next| next.is_alphanumeric());
            let is_name = !goes_on && !name.starts_with(|first: char| first.is_ascii_digit());
            let many = signs >= 3 && is_name;
            if many || (signs < 3 && is_name && !name.is_empty()) {
                let own = if many { 3 } else { 1 };
                out.extend(std::iter::repeat_n('$', signs - own));
                self.push(name, many, &mut out);
                rest = &after[name.len()..];
            } else {
                out += &rest[..signs + name.len()];
                rest = &after[name.len()..];
            }
        }
        out += rest;
        Ok(out)
    }

    fn push(&mut self, name: &str, many: bool, out: &mut String) {
        out.push(FIRST);
        out.push(if many { 'm' } else { 'o' });
        if name.is_empty() || name.starts_with('_') {
            out.push('_');
        } else {
            let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
                self.names.push(name.to_owned());
                self.names.len() - 1
            });
            out.push_str(&index.to_string());
        }
        out.push(LAST);
    }

    /// Decodes the metavariables of a text for display.
    pub fn decode(&self, text: &str) -> String {
        let shown = |chunk: Chunk| match chunk {
            Chunk::Text(text) => text,
            Chunk::Metavariable(metavariable) => {
                let name = metavariable
                    .name
                    .map_or(if metavariable.is_list { "" } else { "_" }, |name| self.names[name].as_str());
                format!("{}{name}", if metavariable.is_list { "$$$" } else { "$" })
            }
        };
        chunks(text).into_iter().map(shown).collect()
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// Splits a text with encoded metavariables into literal text and metavariables.
pub fn chunks(text: &str) -> Vec<Chunk> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((at, end, metavariable)) = find_next(rest) {
        if at > 0 {
            found.push(Chunk::Text(rest[..at].to_owned()));
        }
        found.push(Chunk::Metavariable(metavariable));
        rest = &rest[end..];
    }
    if !rest.is_empty() || found.is_empty() {
        found.push(Chunk::Text(rest.to_owned()));
    }
    found
}

impl Metavariable {
    /// The metavariable, if the text consists of exactly one.
    pub fn parse(text: &str) -> Option<Metavariable> {
        find_next(text).filter(|(at, end, _)| *at == 0 && *end == text.len()).map(|(.., metavariable)| metavariable)
    }

    /// The first metavariable of a text, with its start and end.
    pub fn find_first(text: &str) -> Option<(usize, usize, Metavariable)> {
        find_next(text)
    }
}

fn find_next(text: &str) -> Option<(usize, usize, Metavariable)> {
    let at = text.find(FIRST)?;
    let inner = &text[at + FIRST.len_utf8()..];
    let end = inner.find(LAST)?;
    let (many, name) = (inner.starts_with('m'), inner.get(1..end)?);
    let metavariable = Metavariable { name: name.parse().ok(), is_list: many };
    Some((at, at + FIRST.len_utf8() + end + LAST.len_utf8(), metavariable))
}
