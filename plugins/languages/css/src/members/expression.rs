//! Finds names in an SCSS or LESS expression: variables, functions, named arguments, at any depth and in interpolated
//! strings. The names are not resolved here.

use std::ops::Range;

use crate::{
    chars::{Dialect, name_end},
    scan::{Part, Scan},
    tree::Tree,
};

/// A name in an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Seen {
    /// Name without its sigil, and its namespace.
    Variable {
        name: Range<usize>,
        namespace: Option<Range<usize>>,
    },
    Function {
        name: Range<usize>,
        namespace: Option<Range<usize>>,
    },
    /// `$name:` in a call.
    Label {
        name: Range<usize>,
        callee: Callee,
    },
    /// Text that may name a member.
    Spelled {
        name: Range<usize>,
    },
}

/// The called function or mixin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Callee {
    pub(super) name: Range<usize>,
    pub(super) namespace: Option<Range<usize>>,
    pub(super) is_mixin: bool,
}

/// A range that is still to be read.
struct Waiting {
    range: Range<usize>,
    /// True if names count here; otherwise only those in interpolations do.
    is_code: bool,
    /// The range is the argument list of this callee.
    callee: Option<Callee>,
}

/// Sass functions that take the name of a member as a string.
const BY_NAME: [&str; 9] = [
    "variable-exists",
    "global-variable-exists",
    "function-exists",
    "mixin-exists",
    "get-function",
    "get-mixin",
    "call",
    "module-variables",
    "module-functions",
];

/// Names in an expression, or in a text of which only the interpolations are expressions. `callee` is the function
/// whose brackets contain the whole range.
pub(super) fn names(tree: &Tree, range: Range<usize>, is_code: bool, callee: Option<Callee>) -> Vec<Seen> {
    let mut reader =
        Reader { tree, scan: tree.scan(), seen: Vec::new(), waiting: vec![Waiting { range, is_code, callee }] };
    while let Some(next) = reader.waiting.pop() {
        reader.stretch(next);
    }
    reader.seen
}

struct Reader<'t> {
    tree: &'t Tree,
    scan: Scan<'t>,
    seen: Vec<Seen>,
    waiting: Vec<Waiting>,
}

impl Reader<'_> {
    fn stretch(&mut self, Waiting { range, is_code, callee }: Waiting) {
        let text = self.tree.text.as_str();
        let mut at = range.start;
        // Callee of the bracket that follows.
        let mut called: Option<Callee> = None;
        let mut starts_argument = true;
        while at < range.end {
            let (part, end) = self.scan.part(at);
            let mut end = end.min(range.end).max(at + 1);
            match part {
                Part::Space | Part::Comment => {
                    at = end;
                    continue;
                }
                Part::Word if is_code => (called, end) = self.word(at, end, range.end),
                Part::Group => self.group(at, end, is_code, called.take()),
                Part::Interpolation => self.interpolation(at, end),
                Part::Text => self.text(at..end, &callee),
                Part::Other if matches!(text.as_bytes()[at], b'$' | b'@') => {
                    end = self.sign(at, end, range.end, is_code, callee.as_ref().filter(|_| starts_argument));
                }
                _ => called = None,
            }
            starts_argument = matches!(part, Part::Comma | Part::Semicolon);
            at = end;
        }
    }

    /// Reads a word: a namespace or a function. Returns the callee of the bracket after it, and the offset at which to
    /// continue.
    fn word(&mut self, start: usize, end: usize, limit: usize) -> (Option<Callee>, usize) {
        let text = self.tree.text.as_str();
        if self.tree.dialect != Dialect::Scss {
            return (None, end);
        }
        let is_glued = text[..start].ends_with(['}', '.', '%', '$', '@']);
        let own = start..end;
        if self.scan.byte(end) == Some(b'.') && end + 1 < limit && !is_glued {
            let next = end + 1;
            let variable = self.scan.byte(next) == Some(b'$');
            let from = next + usize::from(variable);
            let to = name_end(text, from).min(limit);
            if to > from && variable {
                self.seen.push(Seen::Variable { name: from..to, namespace: Some(own) });
                return (None, to);
            }
            if to > from && self.scan.byte(to) == Some(b'(') {
                let callee = Callee { name: from..to, namespace: Some(own.clone()), is_mixin: false };
                self.seen.push(Seen::Function { name: from..to, namespace: Some(own) });
                return (Some(callee), to);
            }
        }
        if self.scan.byte(end) == Some(b'(') && end < limit && !is_glued {
            self.seen.push(Seen::Function { name: own.clone(), namespace: None });
            return (Some(Callee { name: own, namespace: None, is_mixin: false }), end);
        }
        (None, end)
    }

    fn group(&mut self, start: usize, end: usize, is_code: bool, callee: Option<Callee>) {
        let text = self.tree.text.as_str();
        let inner = start + 1..(end - usize::from(text[start..end].ends_with([')', ']']))).max(start + 1);
        if self.scan.url_end(start).is_some() {
            return self.interpolations(inner);
        }
        // `@map[@key]` and `.mixin[@result]` of LESS name a member of the value.
        let is_lookup =
            self.tree.dialect == Dialect::Less && text.as_bytes()[start] == b'[' && is_behind_value(text, start);
        if is_lookup && text[inner.clone()].starts_with('@') && !text[inner.clone()].starts_with("@@") {
            return self.seen.push(Seen::Spelled { name: inner.start + 1..inner.end });
        }
        self.waiting.push(Waiting { range: inner, is_code, callee });
    }

    /// Reads `$name` or `@name`; returns the offset at which to continue.
    fn sign(&mut self, at: usize, end: usize, limit: usize, is_code: bool, callee: Option<&Callee>) -> usize {
        let text = self.tree.text.as_str();
        let sign = super::sign(self.tree.dialect);
        // `@@name` is the variable whose name is the value of `@name`.
        let at = at + usize::from(text[at..].starts_with("@@"));
        let name = at + 1..name_end(text, at + 1).min(limit);
        if !text[at..].starts_with(sign) || name.is_empty() || (!is_code && self.tree.dialect == Dialect::Scss) {
            return end;
        }
        let next = name.end;
        let is_label = callee.is_some() && matches!(self.scan.next(next), (Part::Colon, ..));
        self.seen.push(match callee.filter(|_| is_label) {
            Some(callee) => Seen::Label { name, callee: callee.clone() },
            None => Seen::Variable { name, namespace: None },
        });
        next
    }

    /// Reads an interpolation: `#{…}` of SCSS contains an expression, `@{…}` of LESS a name.
    fn interpolation(&mut self, at: usize, end: usize) {
        let text = self.tree.text.as_str();
        let inner = (at + 2).min(end)..(end - usize::from(text[at..end].ends_with('}'))).max((at + 2).min(end));
        if self.tree.dialect == Dialect::Scss {
            return self.waiting.push(Waiting { range: inner, is_code: true, callee: None });
        }
        let own = text[inner.clone()].trim();
        let start = inner.start + text[inner.clone()].find(own).unwrap_or(0);
        let is_name = !own.is_empty() && name_end(own, 0) == own.len();
        if is_name && text.as_bytes()[at] == b'@' {
            self.seen.push(Seen::Variable { name: start..start + own.len(), namespace: None });
        }
    }

    /// Reads a string: its interpolations, and the string itself if the callee takes names as strings.
    fn text(&mut self, range: Range<usize>, callee: &Option<Callee>) {
        let text = self.tree.text.as_str();
        let by_name = callee
            .as_ref()
            .is_some_and(|callee| BY_NAME.contains(&super::folded(&text[callee.name.clone()], Dialect::Scss).as_str()));
        if by_name
            && let Some(inner) = self.scan.between_quotes(range.start, range.end)
            && name_end(text, inner.start) == inner.end
        {
            return self.seen.push(Seen::Spelled { name: inner });
        }
        self.interpolations(range);
    }

    fn interpolations(&mut self, range: Range<usize>) {
        let text = self.tree.text.as_str();
        let opens = if self.tree.dialect == Dialect::Scss { "#{" } else { "@{" };
        let mut at = range.start;
        while let Some(found) = text[at..range.end].find(opens).map(|found| at + found) {
            let (_, end) = self.scan.part(found);
            let end = end.clamp(found + 2, range.end.max(found + 2));
            self.interpolation(found, end);
            at = end;
        }
    }
}

/// Returns whether the bracket is a lookup in the value before it.
fn is_behind_value(text: &str, bracket: usize) -> bool {
    text[..bracket].ends_with(|c: char| c == ')' || c == ']' || crate::space::is_word(c))
}
