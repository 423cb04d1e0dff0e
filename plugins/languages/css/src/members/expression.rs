//! Finds the names in an expression of SCSS or LESS: variables, functions and named arguments. Nested brackets and
//! interpolations in strings are included. This module does not resolve the names.

use std::ops::Range;

use crate::{
    chars::{Dialect, name_end},
    scanner::{Scanner, TokenKind},
    tree::Tree,
};

/// A name in an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ExpressionName {
    /// A variable: its name without the sigil, and its namespace.
    Variable {
        name: Range<usize>,
        namespace: Option<Range<usize>>,
    },
    Function {
        name: Range<usize>,
        namespace: Option<Range<usize>>,
    },
    /// The name of an argument, such as `$name:`, in a call.
    Label {
        name: Range<usize>,
        callee: Callee,
    },
    /// Text that may be the name of a member.
    Mentioned {
        name: Range<usize>,
    },
}

/// The function or mixin that is called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Callee {
    pub(super) name: Range<usize>,
    pub(super) namespace: Option<Range<usize>>,
    pub(super) is_mixin: bool,
}

/// A range that has not been read yet.
struct PendingRange {
    range: Range<usize>,
    /// True if the range is code. In other text, only interpolations contain names.
    is_code: bool,
    /// The function or mixin whose arguments the range contains.
    callee: Option<Callee>,
}

/// Sass functions that take the name of a member as a string.
const FUNCTIONS_TAKING_NAMES: [&str; 9] = [
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

/// Returns the names in a range. If `is_code`, the range is an expression; otherwise only the interpolations in it are
/// expressions. `callee` is the function whose arguments the range contains.
pub(super) fn names_in_expression(
    tree: &Tree,
    range: Range<usize>,
    is_code: bool,
    callee: Option<Callee>,
) -> Vec<ExpressionName> {
    let mut reader =
        Reader { tree, scan: tree.scan(), names: Vec::new(), pending: vec![PendingRange { range, is_code, callee }] };
    while let Some(next) = reader.pending.pop() {
        reader.read_range(next);
    }
    reader.names
}

struct Reader<'t> {
    tree: &'t Tree,
    scan: Scanner<'t>,
    names: Vec<ExpressionName>,
    pending: Vec<PendingRange>,
}

impl Reader<'_> {
    fn read_range(&mut self, PendingRange { range, is_code, callee }: PendingRange) {
        let text = self.tree.text.as_str();
        let mut at = range.start;
        // The function that was read last, and whose bracket follows.
        let mut called: Option<Callee> = None;
        let mut starts_argument = true;
        while at < range.end {
            let (part, end) = self.scan.token_at(at);
            let mut end = end.min(range.end).max(at + 1);
            match part {
                TokenKind::Space | TokenKind::Comment => {
                    at = end;
                    continue;
                }
                TokenKind::Word if is_code => (called, end) = self.read_word(at, end, range.end),
                TokenKind::Group => self.read_group(at, end, is_code, called.take()),
                TokenKind::Interpolation => self.read_interpolation(at, end),
                TokenKind::Text => self.read_string(at..end, &callee),
                TokenKind::Other if matches!(text.as_bytes()[at], b'$' | b'@') => {
                    end = self.read_variable(at, end, range.end, is_code, callee.as_ref().filter(|_| starts_argument));
                }
                _ => called = None,
            }
            starts_argument = matches!(part, TokenKind::Comma | TokenKind::Semicolon);
            at = end;
        }
    }

    /// Reads a word, which can be a namespace or a function. Returns the called function if a bracket follows, and the
    /// offset at which to continue.
    fn read_word(&mut self, start: usize, end: usize, limit: usize) -> (Option<Callee>, usize) {
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
                self.names.push(ExpressionName::Variable { name: from..to, namespace: Some(own) });
                return (None, to);
            }
            if to > from && self.scan.byte(to) == Some(b'(') {
                let callee = Callee { name: from..to, namespace: Some(own.clone()), is_mixin: false };
                self.names.push(ExpressionName::Function { name: from..to, namespace: Some(own) });
                return (Some(callee), to);
            }
        }
        if self.scan.byte(end) == Some(b'(') && end < limit && !is_glued {
            self.names.push(ExpressionName::Function { name: own.clone(), namespace: None });
            return (Some(Callee { name: own, namespace: None, is_mixin: false }), end);
        }
        (None, end)
    }

    fn read_group(&mut self, start: usize, end: usize, is_code: bool, callee: Option<Callee>) {
        let text = self.tree.text.as_str();
        let inner = start + 1..(end - usize::from(text[start..end].ends_with([')', ']']))).max(start + 1);
        if self.scan.url_end(start).is_some() {
            return self.read_interpolations(inner);
        }
        // In LESS, a lookup such as `@map[@key]` or `.mixin()[@result]` contains the name of a variable inside the
        // value before it.
        let is_lookup =
            self.tree.dialect == Dialect::Less && text.as_bytes()[start] == b'[' && is_lookup_bracket(text, start);
        if is_lookup && text[inner.clone()].starts_with('@') && !text[inner.clone()].starts_with("@@") {
            return self.names.push(ExpressionName::Mentioned { name: inner.start + 1..inner.end });
        }
        self.pending.push(PendingRange { range: inner, is_code, callee });
    }

    /// Reads `$name` or `@name`. Returns the offset at which to continue.
    fn read_variable(&mut self, at: usize, end: usize, limit: usize, is_code: bool, callee: Option<&Callee>) -> usize {
        let text = self.tree.text.as_str();
        let sign = super::variable_sigil(self.tree.dialect);
        // `@@name` is the variable whose name is the value of `@name`.
        let at = at + usize::from(text[at..].starts_with("@@"));
        let name = at + 1..name_end(text, at + 1).min(limit);
        if !text[at..].starts_with(sign) || name.is_empty() || (!is_code && self.tree.dialect == Dialect::Scss) {
            return end;
        }
        let next = name.end;
        let is_label = callee.is_some() && matches!(self.scan.next_token(next), (TokenKind::Colon, ..));
        self.names.push(match callee.filter(|_| is_label) {
            Some(callee) => ExpressionName::Label { name, callee: callee.clone() },
            None => ExpressionName::Variable { name, namespace: None },
        });
        next
    }

    /// Reads an interpolation. `#{…}` of SCSS contains an expression, and `@{…}` of LESS contains a name.
    fn read_interpolation(&mut self, at: usize, end: usize) {
        let text = self.tree.text.as_str();
        let inner = (at + 2).min(end)..(end - usize::from(text[at..end].ends_with('}'))).max((at + 2).min(end));
        if self.tree.dialect == Dialect::Scss {
            return self.pending.push(PendingRange { range: inner, is_code: true, callee: None });
        }
        let own = text[inner.clone()].trim();
        let start = inner.start + text[inner.clone()].find(own).unwrap_or(0);
        let is_name = !own.is_empty() && name_end(own, 0) == own.len();
        if is_name && text.as_bytes()[at] == b'@' {
            self.names.push(ExpressionName::Variable { name: start..start + own.len(), namespace: None });
        }
    }

    /// Reads the interpolations in a string. If the callee takes names as strings, the string itself is a name, too.
    fn read_string(&mut self, range: Range<usize>, callee: &Option<Callee>) {
        let text = self.tree.text.as_str();
        let by_name = callee.as_ref().is_some_and(|callee| {
            FUNCTIONS_TAKING_NAMES.contains(&super::normalize_name(&text[callee.name.clone()], Dialect::Scss).as_str())
        });
        if by_name
            && let Some(inner) = self.scan.between_quotes(range.start, range.end)
            && name_end(text, inner.start) == inner.end
        {
            return self.names.push(ExpressionName::Mentioned { name: inner });
        }
        self.read_interpolations(range);
    }

    fn read_interpolations(&mut self, range: Range<usize>) {
        let text = self.tree.text.as_str();
        let opens = if self.tree.dialect == Dialect::Scss { "#{" } else { "@{" };
        let mut at = range.start;
        while let Some(found) = text[at..range.end].find(opens).map(|found| at + found) {
            let (_, end) = self.scan.token_at(found);
            let end = end.clamp(found + 2, range.end.max(found + 2));
            self.read_interpolation(found, end);
            at = end;
        }
    }
}

/// Returns whether the bracket directly follows a value, so that it is a lookup in this value.
fn is_lookup_bracket(text: &str, bracket: usize) -> bool {
    text[..bracket].ends_with(|c: char| c == ')' || c == ']' || crate::white_space::is_word(c))
}
