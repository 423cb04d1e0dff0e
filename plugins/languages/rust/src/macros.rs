//! Macro calls whose arguments are expressions. They are parsed as function calls, so that the names in their arguments
//! are resolved.
//!
//! The parser gets `println(…)` instead of `println!(…)`, and parentheses and commas instead of the brackets and the
//! semicolon in `vec![a; n]`. The arena still has the tokens of the original text.

use std::{
    collections::{HashMap, HashSet},
    ops::RangeInclusive,
};

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

/// Finds calls of macros whose arguments are expressions, or a pattern.
pub(crate) fn calls(lexed: &LexedStr<'_>) -> Calls {
    let mut calls = Calls::default();
    let tokens: Vec<usize> = (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()).collect();
    // The open brackets; true for the brackets of a macro call.
    let mut open: Vec<bool> = Vec::new();
    for (position, index) in tokens.iter().copied().enumerate() {
        let kind = lexed.kind(index);
        match kind {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => {
                let is_macro = kind != SyntaxKind::L_CURLY && starts_call(lexed, &tokens[..position]);
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

/// Finds the calls of [`calls`] whose arguments can be parsed. `parses` returns whether the tokens of a call are an
/// expression.
pub(crate) fn parsable_calls(lexed: &LexedStr<'_>, parses: impl Fn(&Calls, RangeInclusive<usize>) -> bool) -> Calls {
    let mut calls = Calls::default();
    let tokens: Vec<usize> = (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()).collect();
    let ends = closing_brackets(lexed, &tokens);
    let mut found: Vec<(usize, usize)> =
        ends.into_iter().filter(|(start, _)| starts_call(lexed, &tokens[..*start])).collect();
    // The calls in the arguments of a call come first.
    found.sort_unstable_by_key(|(_, end)| *end);
    for (start, end) in found {
        let changed = calls.add(lexed, &tokens, (start, end));
        if !parses(&calls, tokens[start - 2]..=tokens[end]) {
            for index in changed {
                calls.changed.remove(&index);
            }
        }
    }
    calls
}

/// Finds calls of macros with any name whose arguments are expressions, for a structural search. `known` are the
/// offsets of the brackets of calls that are parsed as calls in any case, and `possible` those of other calls at the
/// places of expressions. `parses` returns whether a text is a list of arguments.
pub(crate) fn expanded_calls(
    lexed: &LexedStr<'_>,
    known: &HashSet<u32>,
    possible: &HashSet<u32>,
    parses: impl Fn(&str) -> bool,
) -> Calls {
    let mut calls = Calls::default();
    let tokens: Vec<usize> = (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()).collect();
    let ends = closing_brackets(lexed, &tokens);
    // The end of the macro call around the position whose arguments are not parsed as code otherwise.
    let mut expanded_until = 0;
    for (position, index) in tokens.iter().copied().enumerate() {
        let start = lexed.text_start(index) as u32;
        let Some(end) = ends.get(&position).copied().filter(|_| follows_name(lexed, &tokens[..position])) else {
            continue;
        };
        let is_open = possible.contains(&start) || position < expanded_until;
        let is_call = known.contains(&start) || is_open && parses(&arguments(lexed, &tokens[position + 1..end]));
        if is_call {
            if is_open {
                expanded_until = expanded_until.max(end);
            }
            calls.add(lexed, &tokens, (position, end));
        }
    }
    calls
}

/// The positions of the closing brackets by those of the opening ones, except for braces.
fn closing_brackets(lexed: &LexedStr<'_>, tokens: &[usize]) -> HashMap<usize, usize> {
    let (mut open, mut ends) = (Vec::new(), HashMap::new());
    for (position, index) in tokens.iter().enumerate() {
        match lexed.kind(*index) {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => open.push(position),
            SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => {
                let start = open.pop().filter(|start| lexed.kind(tokens[*start]) != SyntaxKind::L_CURLY);
                ends.extend(start.map(|start| (start, position)));
            }
            _ => {}
        }
    }
    ends
}

/// The semicolons between the arguments that begin at a position, outside of inner brackets.
fn separators(lexed: &LexedStr<'_>, tokens: &[usize], from: usize) -> Vec<usize> {
    let (mut depth, mut found) = (0_usize, Vec::new());
    for index in &tokens[from..] {
        match lexed.kind(*index) {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => depth += 1,
            SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => depth = depth.saturating_sub(1),
            SyntaxKind::SEMICOLON if depth == 0 => found.push(*index),
            _ => {}
        }
    }
    found
}

/// The code of arguments, with commas instead of the semicolons between them.
fn arguments(lexed: &LexedStr<'_>, tokens: &[usize]) -> String {
    let separators = separators(lexed, tokens, 0);
    let text = |index: &usize| if separators.contains(index) { "," } else { lexed.text(*index) };
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => (*first..=*last).map(|index| text(&index)).collect(),
        _ => String::new(),
    }
}

/// Returns whether the tokens before a bracket end with a name and `!`.
fn follows_name(lexed: &LexedStr<'_>, before: &[usize]) -> bool {
    let [.., name, sign] = before else { return false };
    lexed.kind(*sign) == SyntaxKind::BANG && lexed.kind(*name) == SyntaxKind::IDENT
}

/// Returns whether the tokens before a bracket end with the name of a supported macro and `!`.
fn starts_call(lexed: &LexedStr<'_>, before: &[usize]) -> bool {
    let [.., name, _] = before else { return false };
    follows_name(lexed, before) && (MACROS.contains(&lexed.text(*name)) || lexed.text(*name) == WITH_PATTERN)
}

impl Calls {
    /// Adds the call whose brackets are at two positions. Returns the changed tokens.
    fn add(&mut self, lexed: &LexedStr<'_>, tokens: &[usize], (start, end): (usize, usize)) -> Vec<usize> {
        let mut changed = vec![
            (tokens[start - 1], None),
            (tokens[start], Some(SyntaxKind::L_PAREN)),
            (tokens[end], Some(SyntaxKind::R_PAREN)),
        ];
        let semicolons = separators(lexed, &tokens[..end], start + 1);
        changed.extend(semicolons.into_iter().map(|index| (index, Some(SyntaxKind::COMMA))));
        self.changed.extend(changed.iter().copied());
        changed.into_iter().map(|(index, _)| index).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns whether the parser does not get a token.
    pub(crate) fn is_hidden(&self, lexed: &LexedStr<'_>, index: usize) -> bool {
        lexed.kind(index).is_trivia() || self.changed.get(&index) == Some(&None)
    }

    /// The tokens as input of the parser.
    pub(crate) fn input(&self, lexed: &LexedStr<'_>, edition: Edition, tokens: impl Iterator<Item = usize>) -> Input {
        let mut input = Input::with_capacity(tokens.size_hint().0);
        let mut was_joint = false;
        for index in tokens {
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
        assert_eq!(calls(&lexed).changed.len(), count, "{text}");
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
