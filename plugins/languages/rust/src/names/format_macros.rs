//! Macros of well-known crates that take format strings, and the names in their arguments.
//!
//! The arguments of these macros are not parsed as code, because only the manifest shows whether a macro with a known
//! name belongs to the crate. The names found here become uses of variables and functions when that is confirmed.

use marquetry_code::{Arena, NodeIndex, Token, TokenKind};
use marquetry_sdk::{Span, Usage};

use super::{Form, FormatCall, Place, ScopeIndex, VALUES, captures};
use crate::{
    kinds::{K, child},
    modules::plain,
    paths::segments,
    table::is_keyword,
};

/// The syntax of the arguments before the format string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// Expressions, and values with a name: `ensure!(a > b, "…")`, `log!(target: "a", Level::Info, key = value; "…")`.
    Expressions,
    /// `info!(target: "a", name, %name, ?name, key = %value, "…")`: the fields of `tracing`.
    Fields,
    /// Like `Fields`, after the level of an event.
    Event,
}

/// The macros by crate. The spans of `tracing` are missing, because their string is a name and not a format string.
const KNOWN: [(&str, &[&str], Syntax); 5] = [
    ("anyhow", &["anyhow", "bail", "ensure", "format_err"], Syntax::Expressions),
    ("eyre", &["bail", "ensure", "eyre"], Syntax::Expressions),
    ("log", &["debug", "error", "info", "log", "trace", "warn"], Syntax::Expressions),
    ("tracing", &["debug", "error", "info", "trace", "warn"], Syntax::Fields),
    ("tracing", &["event"], Syntax::Event),
];

/// The crate with this name, if it has this macro with a format string.
pub(crate) fn known_crate(crate_name: &str, macro_name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(own, macros, _)| *own == crate_name && macros.contains(&macro_name)).map(|(own, ..)| *own)
}

/// The names in the arguments of one macro call, if the macro belongs to a certain crate.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) uses: Vec<Place>,
    /// Words that do not refer to anything, such as the names of the fields of an event.
    pub(super) keys: Vec<Span>,
    /// Names of fields and methods of values.
    pub(super) members: Vec<Span>,
}

/// The names in the arguments of a macro call, for each crate to which the macro may belong. `None` if no known crate
/// has such a macro.
pub(super) fn format_call(arena: &Arena, call: NodeIndex, scope: ScopeIndex) -> Option<FormatCall> {
    let (path, tree) = (child(arena, call, K::PATH)?, child(arena, call, K::TOKEN_TREE)?);
    let path: Vec<String> = segments(arena, path).0.into_iter().map(|segment| segment.name).collect();
    let name = path.last()?;
    let all = arena.tokens_in(arena.node(tree).span);
    let tokens: Vec<Token> = all.iter().filter(|token| token.kind != TokenKind::Comment).copied().collect();
    let inner = tokens.get(1..tokens.len().checked_sub(1)?)?;
    let arguments = split(&arena.text, inner);
    let known = KNOWN.iter().filter(|(_, macros, _)| macros.contains(&name.as_str()));
    let names: Vec<(&str, Names)> =
        known.map(|(own, _, syntax)| (*own, Reader::new(&arena.text, *syntax, scope).read(&arguments))).collect();
    (!names.is_empty()).then_some(FormatCall { path, scope, names })
}

/// The arguments between the commas and semicolons outside of inner brackets.
fn split<'t>(text: &str, tokens: &'t [Token]) -> Vec<&'t [Token]> {
    let mut depth = 0_usize;
    let is_separator = |token: &Token| {
        match token.span.slice(text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," | ";" => return depth == 0,
            _ => {}
        }
        false
    };
    tokens.split(is_separator).filter(|argument| !argument.is_empty()).collect()
}

struct Reader<'t> {
    text: &'t str,
    syntax: Syntax,
    /// True after the format string.
    has_message: bool,
    /// The number of arguments without a name.
    count: usize,
    scope: ScopeIndex,
    names: Names,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, syntax: Syntax, scope: ScopeIndex) -> Reader<'t> {
        Reader { text, syntax, has_message: false, count: 0, scope, names: Names::default() }
    }

    /// Records a use. `start` is the start of the argument, including the `?` or `%` before a name.
    fn add(&mut self, span: Span, usage: Usage, form: Form, start: u32) {
        let place = Place {
            name: plain(span.slice(self.text)).to_owned(),
            span,
            scope: self.scope,
            namespaces: VALUES,
            usage,
            form,
            start,
            before: Span { start, end: span.start }.slice(self.text).to_owned(),
            binds: None,
        };
        self.names.uses.push(place);
    }

    fn read(mut self, arguments: &[&[Token]]) -> Names {
        for argument in arguments {
            self.argument(argument);
        }
        self.names
    }

    fn word(&self, tokens: &[Token], index: usize) -> &'t str {
        tokens.get(index).map_or("", |token| token.span.slice(self.text))
    }

    fn argument(&mut self, tokens: &[Token]) {
        let is_literal = tokens.len() == 1 && tokens[0].kind == TokenKind::Text;
        if is_literal && !self.has_message {
            self.has_message = true;
            return self.message(tokens[0].span);
        }
        let has_fields = matches!(self.syntax, Syntax::Fields | Syntax::Event) && !self.has_message;
        // `key = value`, `a.b = value`, `"key" = value`
        if let Some(sign) = (0..tokens.len()).find(|index| self.is_assignment(tokens, *index)) {
            let keys = tokens[..sign].iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.span);
            self.names.keys.extend(keys);
            let is_displayed = has_fields && matches!(self.word(tokens, sign + 1), "%" | "?");
            return self.expression(&tokens[sign + 1 + usize::from(is_displayed)..]);
        }
        // `target: value`
        if self.word(tokens, 1) == ":" && self.word(tokens, 2) != ":" && tokens[0].kind == TokenKind::Word {
            self.names.keys.push(tokens[0].span);
            return self.expression(&tokens[2..]);
        }
        self.count += 1;
        let is_level = self.syntax == Syntax::Event && self.count == 1;
        if !has_fields || is_level {
            return self.expression(tokens);
        }
        let sign = usize::from(matches!(self.word(tokens, 0), "%" | "?"));
        // A field with the name of the variable whose value it has. The name of the field `a.b` cannot be kept.
        if let [name] = &tokens[sign..] {
            self.add(name.span, Usage::Read, Form::Field, tokens[0].span.start);
        }
    }

    /// Returns whether a token is `=` and not part of another operator.
    fn is_assignment(&self, tokens: &[Token], index: usize) -> bool {
        let is_joint = |one: usize, other: usize| tokens[one].span.end == tokens[other].span.start;
        let is_operator =
            |text: &str| matches!(text, "=" | "<" | ">" | "!" | "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^");
        self.word(tokens, index) == "="
            && index > 0
            && !(is_joint(index - 1, index) && is_operator(self.word(tokens, index - 1)))
            && !(index + 1 < tokens.len()
                && is_joint(index, index + 1)
                && matches!(self.word(tokens, index + 1), "=" | ">"))
            && tokens[..index].iter().all(|token| !matches!(token.span.slice(self.text), "(" | "[" | "{"))
    }

    /// Records the variables in the format string.
    fn message(&mut self, literal: Span) {
        for (start, end) in captures::captured(literal.slice(self.text)) {
            let span = within(literal, start, end);
            self.add(span, Usage::InString, Form::Plain, span.start);
        }
    }

    /// Records the variables and functions in an expression. The names of an expression that may declare names, or in
    /// which types and values look alike, are left out.
    fn expression(&mut self, tokens: &[Token]) {
        let is_unclear = |index: usize| match self.word(tokens, index) {
            "{" | "|" | "as" | "#" | "$" => true,
            "<" => self.word(tokens, index.wrapping_sub(1)) == ":",
            "!" => {
                index > 0
                    && tokens[index - 1].kind == TokenKind::Word
                    && matches!(self.word(tokens, index + 1), "(" | "[")
            }
            _ => false,
        };
        if (0..tokens.len()).any(is_unclear) {
            return;
        }
        for (index, token) in tokens.iter().enumerate() {
            let word = token.span.slice(self.text);
            if token.kind == TokenKind::Text {
                // A string that is not a format string.
                let words = captures::captured(word).into_iter();
                self.names.keys.extend(words.map(|(start, end)| within(token.span, start, end)));
                continue;
            }
            let before = self.word(tokens, index.wrapping_sub(1));
            let is_path = before == ":" || self.word(tokens, index + 1) == ":";
            if token.kind != TokenKind::Word || word.starts_with('\'') || is_keyword(word) || is_path {
                continue;
            }
            if before == "." && self.word(tokens, index.wrapping_sub(2)) != "." {
                self.names.members.push(token.span);
                continue;
            }
            let usage = if self.word(tokens, index + 1) == "(" { Usage::Called } else { Usage::Read };
            self.add(token.span, usage, Form::Plain, token.span.start);
        }
    }
}

/// The range in a text that begins at `outer`.
fn within(outer: Span, start: usize, end: usize) -> Span {
    Span { start: outer.start + start as u32, end: outer.start + end as u32 }
}
