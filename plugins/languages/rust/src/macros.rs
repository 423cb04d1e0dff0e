//! Macro calls whose arguments are expressions. They are parsed as function calls, so that the names in their arguments
//! are resolved.
//!
//! The parser gets `println(…)` instead of `println!(…)`, and parentheses and commas instead of the brackets and the
//! semicolon in `vec![a; n]`. The arena still has the tokens of the original text.

use std::collections::HashMap;

use ra_ap_parser::{Edition, Input, LexedStr, SyntaxKind};

/// The supported macros, all of which the standard library declares.
const MACROS: [&str; 20] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// A macro whose second argument is a pattern. Most patterns can be parsed as expressions, too.
const WITH_PATTERN: &str = "matches";

/// Tokens that the parser gets with another kind than in the text.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The kind that the parser gets for a token. `None` if the parser does not get the token.
    changed: HashMap<usize, Option<SyntaxKind>>,
}

/// Finds calls of macros whose arguments are expressions. With `patterns`, also finds those with a pattern.
pub(crate) fn calls(lexed: &LexedStr<'_>, patterns: bool) -> Calls {
    let mut calls = Calls::default();
    let tokens: Vec<usize> = (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()).collect();
    // The open brackets; true for the brackets of a macro call.
    let mut open: Vec<bool> = Vec::new();
    for (position, index) in tokens.iter().copied().enumerate() {
        let kind = lexed.kind(index);
        match kind {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => {
                let is_macro = kind != SyntaxKind::L_CURLY && starts_call(lexed, &tokens[..position], patterns);
                if is_macro {
                    calls.changed.insert(tokens[position - 1], None);
                    calls.changed.insert(index, Some(SyntaxKind::L_PAREN));
                }
                open.push(is_macro);
            }
            SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => {
                if open.pop() == Some(true) {
                    calls.changed.insert(index, Some(SyntaxKind::R_PAREN));
                }
            }
            SyntaxKind::SEMICOLON if open.last() == Some(&true) => {
                calls.changed.insert(index, Some(SyntaxKind::COMMA));
            }
            _ => {}
        }
    }
    calls
}

/// Returns whether the tokens before a bracket end with the name of a supported macro and `!`.
fn starts_call(lexed: &LexedStr<'_>, before: &[usize], patterns: bool) -> bool {
    let [.., name, sign] = before else { return false };
    lexed.kind(*sign) == SyntaxKind::BANG
        && lexed.kind(*name) == SyntaxKind::IDENT
        && (MACROS.contains(&lexed.text(*name)) || (patterns && lexed.text(*name) == WITH_PATTERN))
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns whether the parser does not get a token.
    pub(crate) fn is_hidden(&self, lexed: &LexedStr<'_>, index: usize) -> bool {
        lexed.kind(index).is_trivia() || self.changed.get(&index) == Some(&None)
    }

    /// The tokens as input of the parser.
    pub(crate) fn input(&self, lexed: &LexedStr<'_>, edition: Edition) -> Input {
        let mut input = Input::with_capacity(lexed.len());
        let mut was_joint = false;
        for index in 0..lexed.len() {
            let kind = match self.changed.get(&index) {
                Some(None) => {
                    was_joint = false;
                    continue;
                }
                Some(Some(kind)) => *kind,
                None => lexed.kind(index),
            };
            if kind.is_trivia() {
                was_joint = false;
            } else if kind == SyntaxKind::IDENT {
                let contextual = SyntaxKind::from_contextual_keyword(lexed.text(index), edition);
                input.push_ident(contextual.unwrap_or(SyntaxKind::IDENT), edition);
            } else {
                if was_joint {
                    input.was_joint();
                }
                input.push(kind, edition);
                // The parser splits the `0.1` in `a.0.1` only if the token is marked as joint.
                match kind {
                    SyntaxKind::FLOAT_NUMBER if lexed.text(index).ends_with('.') => was_joint = false,
                    SyntaxKind::FLOAT_NUMBER => input.was_joint(),
                    _ => was_joint = true,
                }
            }
        }
        input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, count: usize) {
        let lexed = LexedStr::new(Edition::Edition2021, text);
        assert_eq!(calls(&lexed, true).changed.len(), count, "{text}");
    }

    #[test]
    fn macros_with_expressions_are_found() {
        check("println!(\"{}\", a)", 3);
        check("std::vec![a; n]", 4);
        check("assert_eq!(f(a; b), vec![])", 6);
        check("other!(a); fn println() {}", 0);
        check("vec!{a}", 0);
        check("matches!(a, Some(_))", 3);
    }
}
