//! Addresses of declarations: parser and formatter.
//!
//! `A.b`, also `A/b`, `A::b`, `A#b`; `A.#private`; `get b`, `set b`; `b[2]` for the second of several; `"any name"`;
//! `A.[Symbol.iterator]`; test blocks `"suite" > "case"`.

use std::borrow::Cow;

use marquetry_sdk::{Failure, FailureKind, fail};

use crate::outline::declarations::{Decl, Kind};

/// One step of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment<'t> {
    pub(crate) name: Cow<'t, str>,
    /// `get` or `set`.
    pub(crate) accessor: Option<Kind>,
    /// Number among several with the same name, from 1.
    pub(crate) index: Option<usize>,
    /// True after `#`, which is either a separator or part of a private name.
    pub(crate) hash: bool,
}

impl<'t> Segment<'t> {
    pub(crate) fn plain(name: impl Into<Cow<'t, str>>) -> Segment<'t> {
        Segment { name: name.into(), accessor: None, index: None, hash: false }
    }
}

/// Parses an address.
pub(crate) fn parse(target: &str) -> Result<Vec<Segment<'_>>, Failure> {
    let mut reader = Reader { target, at: 0 };
    let mut segments = Vec::new();
    let mut hash = false;
    loop {
        reader.skip_space();
        let mut segment = reader.segment()?;
        segment.hash = hash;
        segments.push(segment);
        match reader.separator() {
            Separator::End => return Ok(segments),
            Separator::None | Separator::Plain => hash = false,
            Separator::Hash => hash = true,
        }
    }
}

/// Parses titles without quotes: `suite > case 1`. A number in brackets at the end is an index.
pub(crate) fn parse_titles(target: &str) -> Vec<Segment<'_>> {
    target
        .split(" > ")
        .map(|piece| {
            let piece = piece.trim();
            if let Ok(parsed) = parse(piece)
                && let [only] = parsed.as_slice()
                && piece.starts_with(['"', '\'', '`'])
            {
                return only.clone();
            }
            let numbered = piece.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
            match numbered.and_then(|(name, number)| Some((name, number.parse().ok()?))) {
                Some((name, index)) => Segment { index: Some(index), ..Segment::plain(name) },
                None => Segment::plain(piece),
            }
        })
        .collect()
}

enum Separator {
    /// The next step follows directly: `a["b"]`.
    None,
    Plain,
    Hash,
    End,
}

struct Reader<'t> {
    target: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.target[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.target.len() - self.rest().trim_start().len();
    }

    fn error(&self, what: &str) -> Failure {
        fail(FailureKind::InvalidTarget, format!("{what} in the symbol `{}`", self.target)).hint(
            "write the names outermost first, joined by `.`: `UserService.findById`, `\"any name\"`, `b[2]`, `get b`",
        )
    }

    fn segment(&mut self) -> Result<Segment<'t>, Failure> {
        let rest = self.rest();
        let accessor = [("get ", Kind::Getter), ("set ", Kind::Setter)].into_iter().find_map(|(word, kind)| {
            let name = rest.strip_prefix(word)?.trim_start();
            // A test may have the title `get x`, but then it is quoted.
            (!name.is_empty()).then_some(kind)
        });
        if accessor.is_some() {
            self.at += 4;
            self.skip_space();
        }
        let name = match self.rest().chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => self.quoted_name(quote)?,
            Some('[') => self.computed_name()?,
            _ => self.plain_name()?,
        };
        let index = self.index();
        Ok(Segment { name, accessor, index, hash: false })
    }

    fn quoted_name(&mut self, quote: char) -> Result<Cow<'t, str>, Failure> {
        let start = self.at + 1;
        let mut escaped = false;
        for (offset, c) in self.target[start..].char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.at = start + offset + 1;
                    return Ok(unescape(&self.target[start..start + offset]));
                }
                _ => {}
            }
        }
        Err(self.error("unclosed quote"))
    }

    /// `[expression]`; `["name"]` is the same as `name`.
    fn computed_name(&mut self) -> Result<Cow<'t, str>, Failure> {
        let start = self.at;
        let mut depth = 0;
        let mut quote = None;
        for (offset, c) in self.target[start..].char_indices() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') => quote = Some(c),
                (None, '[') => depth += 1,
                (None, ']') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + offset + 1;
                let inner = self.target[start + 1..start + offset].trim();
                return match inner.chars().next() {
                    Some(open @ ('"' | '\'')) if inner.len() > 1 && inner.ends_with(open) => {
                        Ok(unescape(&inner[1..inner.len() - 1]))
                    }
                    _ => Ok(Cow::Borrowed(&self.target[start..self.at])),
                };
            }
        }
        Err(self.error("unclosed bracket"))
    }

    fn plain_name(&mut self) -> Result<Cow<'t, str>, Failure> {
        let rest = self.rest();
        let mut end = rest.len();
        for (offset, c) in rest.char_indices() {
            let ends = match c {
                '.' | '/' | '>' | '[' => true,
                ':' => rest[offset..].starts_with("::"),
                '#' => offset > 0,
                _ => false,
            };
            if ends {
                end = offset;
                break;
            }
        }
        self.at += end;
        let name = rest[..end].trim();
        // Accept a call copied from code: `service.find()`.
        let name = name.strip_suffix("()").filter(|name| !matches!(*name, "" | "new")).unwrap_or(name);
        if name.is_empty() { Err(self.error("missing name")) } else { Ok(Cow::Borrowed(name)) }
    }

    fn index(&mut self) -> Option<usize> {
        let rest = self.rest().strip_prefix('[')?;
        let (number, _) = rest.split_once(']')?;
        let index = number.trim().parse().ok()?;
        self.at += number.len() + 2;
        Some(index)
    }

    fn separator(&mut self) -> Separator {
        self.skip_space();
        let rest = self.rest();
        let (length, separator) = match rest.as_bytes() {
            [] => (0, Separator::End),
            [b':', b':', ..] => (2, Separator::Plain),
            [b'.' | b'/' | b'>', ..] => (1, Separator::Plain),
            [b'#', ..] => (1, Separator::Hash),
            _ => (0, Separator::None),
        };
        self.at += length;
        separator
    }
}

fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    Cow::Owned(out)
}

/// Appends a step to an address.
pub(crate) fn push_step(address: &mut String, decl: &Decl, name: &str, quote_path: bool) {
    if decl.kind.is_test_block() {
        if !address.is_empty() {
            address.push_str(" > ");
        }
        return push_quoted(address, name);
    }
    if !address.is_empty() {
        address.push('.');
    }
    match decl.kind {
        Kind::Getter => address.push_str("get "),
        Kind::Setter => address.push_str("set "),
        _ => {}
    }
    let bare = match decl.kind {
        Kind::CallSignature | Kind::ConstructSignature | Kind::Export => true,
        _ if decl.is_dotted => !quote_path,
        _ => is_plain(name) || is_plain_computed(name),
    };
    if bare { address.push_str(name) } else { push_quoted(address, name) }
}

/// Appends an index to an address.
pub(crate) fn push_index(address: &mut String, index: usize) {
    address.push_str(&format!("[{index}]"));
}

fn push_quoted(address: &mut String, name: &str) {
    address.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => address.extend(['\\', c]),
            '\n' => address.push_str("\\n"),
            '\r' => address.push_str("\\r"),
            '\t' => address.push_str("\\t"),
            c => address.push(c),
        }
    }
    address.push('"');
}

/// Returns whether the name is an identifier, a private name or a number, which needs no quotes.
fn is_plain(name: &str) -> bool {
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}'))
}

fn is_plain_computed(name: &str) -> bool {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    inner.is_some_and(|inner| {
        !inner.is_empty() && inner.trim() == inner && !inner.contains(['[', ']', '"', '\'', '`', '\n', '\r', '\\'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(target: &str) -> Vec<String> {
        let segments = parse(target).expect(target);
        segments
            .iter()
            .map(|segment| {
                let accessor = segment.accessor.map_or("", Kind::label);
                let index = segment.index.map_or(String::new(), |index| format!("@{index}"));
                format!("{}{accessor}{}{index}", if segment.hash { "#?" } else { "" }, segment.name)
            })
            .collect()
    }

    #[test]
    fn parse_accepts_all_address_forms() {
        for target in ["A.b", "A/b", "A::b", " A . b ", "A > b", "A.b()", "A[\"b\"]", "A['b']"] {
            assert_eq!(names(target), ["A", "b"], "{target}");
        }
        assert_eq!(names("A#b"), ["A", "#?b"]);
        assert_eq!(names("A.#b"), ["A", "#b"]);
        assert_eq!(names("#b"), ["#b"]);
        assert_eq!(names("A.b[2].c[3]"), ["A", "b@2", "c@3"]);
        assert_eq!(names("A.get b"), ["A", "getterb"]);
        assert_eq!(names("set \"a b\""), ["settera b"]);
        assert_eq!(names("A[Symbol.iterator]"), ["A", "[Symbol.iterator]"]);
        assert_eq!(names("A.[Symbol.iterator][2]"), ["A", "[Symbol.iterator]@2"]);
        assert_eq!(names("A.[1]"), ["A", "[1]"]);
        assert_eq!(names("\"a suite\" > \"does \\\"x\\\"\"[2]"), ["a suite", "does \"x\"@2"]);
        assert_eq!(names("I.new()"), ["I", "new()"]);
        assert_eq!(names("I.()"), ["I", "()"]);
        assert_eq!(names("export="), ["export="]);
    }

    #[test]
    fn parse_refuses_invalid_addresses() {
        for target in ["", " ", "A.", ".b", "\"a", "A.[b", "A..b"] {
            assert_eq!(parse(target).map_err(|failure| failure.kind), Err(FailureKind::InvalidTarget), "{target}");
        }
    }
}
