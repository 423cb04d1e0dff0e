//! Builds the tree of a text from the steps of a walk through the tree of the tree-sitter runtime.

use std::collections::HashMap;

use marquetry_code::{Field, Flags, Kind, Token, TokenKind};
use marquetry_sdk::{Diagnostic, Severity, Span};

use crate::{
    grammar::{Grammar, Lowering},
    runtime::{self, Step, Visited},
    tree::{Raw, Tree},
};

/// Maximum depth of the tree. The code that reads the tree is recursive.
const MAX_DEPTH: usize = 1000;
/// Maximum number of errors that are reported.
const MAX_ERRORS: usize = 100;
/// Maximum length of the code in an error message.
const MAX_SHOWN: usize = 40;

/// The conversion of the nodes of one symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Creates a node of this kind.
    Node(Kind),
    /// Creates a node of this kind that is a single token.
    Text(Kind),
    /// Omits the node: its children become children of the node around it.
    Inlined,
    Comment,
}

impl Rule {
    pub(crate) fn new(lowering: &Lowering, name: &str, kinds: &HashMap<&str, Kind>) -> Rule {
        let kind = kinds.get(name).copied().unwrap_or(Kind(0));
        match () {
            () if lowering.comments.contains(&name) => Rule::Comment,
            () if lowering.inlined.contains(&name) => Rule::Inlined,
            () if lowering.strings.contains(&name) => Rule::Text(kind),
            () => Rule::Node(kind),
        }
    }
}

/// Creates a syntax error.
pub(crate) fn error(span: Span, message: &str) -> Diagnostic {
    Diagnostic { severity: Severity::Error, span, message: message.to_owned(), code: None }
}

/// Parses a text. In a part of a file, some tokens may be missing. A text with errors is parsed again with its
/// unsupported syntax replaced by [`Lowering::masked`](crate::Lowering::masked).
pub(crate) fn lower(grammar: &Grammar, text: &str, is_file: bool) -> Tree {
    let tree = lower_as(grammar, text, text, is_file);
    if tree.errors.is_empty() {
        return tree;
    }
    let masked = (grammar.lowering.masked)(text).filter(|masked| masked.len() == text.len());
    let other = masked.map(|masked| lower_as(grammar, text, &masked, is_file));
    other.filter(|other| other.errors.len() < tree.errors.len()).unwrap_or(tree)
}

/// Parses a replacement of the same length, and builds the tree for the original text.
fn lower_as(grammar: &Grammar, text: &str, parsed: &str, is_file: bool) -> Tree {
    let root = Raw {
        kind: Kind(0),
        field: Field::NONE,
        span: Span::new(0, text.len()),
        flags: Flags::default(),
        children: Vec::new(),
    };
    let tree = Tree { nodes: vec![root], tokens: Vec::new(), literals: Vec::new(), errors: Vec::new() };
    let mut lowering = Lower {
        grammar,
        text,
        is_file,
        tree,
        open: Vec::new(),
        quoted: None,
        suspended: Vec::new(),
        error_depth: None,
        is_too_deep: false,
    };
    let is_parsed = runtime::walk(grammar.language, parsed, &mut |step| lowering.step(step));
    let mut tree = lowering.tree;
    if !is_parsed {
        tree.errors.push(error(Span::new(0, 0), "the code takes too many steps to be parsed"));
    }
    tree
}

/// A comment or string that is being visited: its depth in the tree and its end.
#[derive(Debug, Clone, Copy)]
struct Quoted {
    depth: usize,
    end: u32,
}

/// A string whose embedded code is being visited, and the depth and end of that code.
#[derive(Debug, Clone, Copy)]
struct Suspended {
    text: Quoted,
    depth: usize,
    end: u32,
}

/// The parent and the default role for child nodes.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The parent node.
    node: usize,
    /// The kind that determines the roles and kinds of the children.
    kind: Kind,
    /// The role of children without a role: the role of an omitted node around them.
    field: Field,
}

/// The place of the root.
const TOP: Place = Place { node: 0, kind: Kind(0), field: Field::NONE };

struct Lower<'a> {
    grammar: &'a Grammar,
    text: &'a str,
    is_file: bool,
    tree: Tree,
    /// For each open node of the runtime, the place of its children.
    open: Vec<Place>,
    /// The comment or string around the current node. Its parts do not become nodes.
    quoted: Option<Quoted>,
    /// The strings around the current node whose embedded code is being visited.
    suspended: Vec<Suspended>,
    /// The depth of the error node around the current node.
    error_depth: Option<usize>,
    /// True if the error about the depth has been reported.
    is_too_deep: bool,
}

impl Lower<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Enter(visited) => {
                let place = self.place_inside(visited);
                self.open.push(place);
            }
            Step::Leave => {
                self.open.pop();
                let depth = self.open.len();
                self.quoted = self.quoted.filter(|quoted| quoted.depth < depth);
                if let Some(string) = self.suspended.pop_if(|string| string.depth == depth) {
                    let rest = Span { start: string.end, end: string.text.end.max(string.end) };
                    self.tree.tokens.push(Token { kind: TokenKind::TextPart, span: rest });
                    self.quoted = Some(string.text);
                }
                self.error_depth = self.error_depth.filter(|at| *at < depth);
            }
        }
    }

    /// Adds a node of the runtime. Returns the place for its children.
    fn place_inside(&mut self, visited: Visited) -> Place {
        let around = self.open.last().copied().unwrap_or(TOP);
        let count = self.tree.nodes.len();
        let node = self.enter(visited, around);
        if self.open.is_empty() || node >= count {
            return Place { node, kind: self.tree.nodes[node].kind, field: Field::NONE };
        }
        let kind = self.deep_kind(visited).filter(|_| self.open.len() > MAX_DEPTH).unwrap_or(around.kind);
        let field = u8::try_from(visited.field).map_or(Field::NONE, Field);
        Place { node, kind, field: if field == Field::NONE { around.field } else { field } }
    }

    /// Adds a node of the runtime. Returns the parent node for its children.
    fn enter(&mut self, visited: Visited, place: Place) -> usize {
        let (depth, around) = (self.open.len(), place.node);
        let span = Span { start: visited.start, end: visited.end.max(visited.start) };
        let Some(symbol) = visited.symbol else {
            self.report_error(span);
            self.error_depth = self.error_depth.or(Some(depth));
            if visited.is_leaf && !span.is_empty() && self.quoted.is_none() {
                self.push_token(span);
            }
            return around;
        };
        if depth == 0 {
            self.tree.nodes[0].kind = match self.grammar.tables().rules[usize::from(symbol)] {
                Rule::Node(kind) | Rule::Text(kind) => kind,
                Rule::Inlined | Rule::Comment => Kind(0),
            };
            return 0;
        }
        if visited.is_missing {
            self.report_missing(span, symbol);
        }
        let rule = self.grammar.tables().rules.get(usize::from(symbol)).copied().unwrap_or(Rule::Inlined);
        if self.quoted.is_some() {
            return self.enter_in_text(visited, span, rule, place);
        }
        if depth > MAX_DEPTH && !visited.is_leaf && !matches!(rule, Rule::Text(_)) {
            // A long chain of one operator also is a deep tree. Its operands become children of the node around them.
            let is_chain = rule == Rule::Inlined || rule == Rule::Node(place.kind);
            if !is_chain && !self.is_too_deep && self.tree.errors.len() < MAX_ERRORS {
                self.is_too_deep = true;
                self.tree.errors.push(error(Span::at(span.range().start), "the code is nested too deeply to be read"));
            }
            return around;
        }
        match rule {
            Rule::Comment => {
                let length = span.slice(self.text).trim_end().len() as u32;
                let span = Span { start: span.start, end: span.start + length };
                self.tree.tokens.push(Token { kind: TokenKind::Comment, span });
                self.quoted = Some(Quoted { depth, end: span.end });
                around
            }
            Rule::Text(kind) => {
                self.quoted = Some(Quoted { depth, end: span.end });
                let node = self.push_node(kind, visited, span, place);
                self.tree.tokens.push(Token { kind: TokenKind::Text, span });
                node
            }
            Rule::Node(kind) if visited.is_named => {
                let node = self.push_node(kind, visited, span, place);
                if visited.is_leaf && !span.is_empty() {
                    self.push_token(span);
                }
                node
            }
            Rule::Node(_) | Rule::Inlined => {
                if visited.is_leaf && !span.is_empty() {
                    self.push_token(span);
                }
                around
            }
        }
    }

    /// The kind of a node that is nested too deeply to be added.
    fn deep_kind(&self, visited: Visited) -> Option<Kind> {
        match self.grammar.tables().rules.get(usize::from(visited.symbol?))? {
            Rule::Node(kind) => Some(*kind),
            Rule::Text(_) | Rule::Inlined | Rule::Comment => None,
        }
    }

    /// Handles a node inside of a string. Embedded code splits the token of the string.
    fn enter_in_text(&mut self, visited: Visited, span: Span, rule: Rule, place: Place) -> usize {
        let around = place.node;
        let name = visited.symbol.map_or("", |symbol| self.grammar.tables().names[usize::from(symbol)]);
        let Rule::Node(kind) = rule else { return around };
        if !self.grammar.lowering.interpolations.contains(&name) {
            return around;
        }
        let (Some(text), Some(last)) = (self.quoted.take(), self.tree.tokens.pop()) else { return around };
        let part = Span { start: last.span.start, end: span.start };
        if !part.is_empty() {
            self.tree.tokens.push(Token { kind: TokenKind::TextPart, span: part });
        }
        if last.kind == TokenKind::Text {
            self.tree.literals.push(last.span);
        }
        self.suspended.push(Suspended { text, depth: self.open.len(), end: span.end });
        self.push_node(kind, visited, span, place)
    }

    fn push_node(&mut self, kind: Kind, visited: Visited, span: Span, place: Place) -> usize {
        let (parent, above) = (place.node, place.kind);
        let tables = self.grammar.tables();
        let given =
            tables.roles.iter().find(|(around, own, _)| *own == kind && around.is_none_or(|kind| kind == above));
        let own = Field(u8::try_from(visited.field).unwrap_or_default());
        let own = if own == Field::NONE { place.field } else { own };
        let field = given.map_or(own, |(.., field)| *field);
        let renamed = tables
            .renamed
            .iter()
            .find(|(around, role, from, _)| *around == above && *from == kind && role.is_none_or(|role| role == field));
        let kind = renamed.map_or(kind, |(.., to)| *to);
        let flags = if visited.is_missing { Flags::MISSING } else { Flags::default() };
        self.tree.nodes.push(Raw { kind, field, span, flags, children: Vec::new() });
        let index = self.tree.nodes.len() - 1;
        self.tree.nodes[parent].children.push(index);
        index
    }

    fn push_token(&mut self, span: Span) {
        let first = span.slice(self.text).chars().next().unwrap_or(' ');
        let kind = match first {
            '0'..='9' => TokenKind::Number,
            first if first.is_alphabetic() || matches!(first, '_' | '$' | '@') => TokenKind::Word,
            _ => TokenKind::Sign,
        };
        self.tree.tokens.push(Token { kind, span });
    }

    /// Reports the first line of an error node, unless another error node contains it.
    fn report_error(&mut self, span: Span) {
        if self.error_depth.is_some() || self.tree.errors.len() >= MAX_ERRORS {
            return;
        }
        let text = span.slice(self.text);
        let line = text.lines().next().unwrap_or_default().trim_end();
        let shown = &line[..line.floor_char_boundary(MAX_SHOWN)];
        let message = match shown {
            "" => "a token is missing here".to_owned(),
            shown if shown.len() < line.len() => format!("unexpected `{shown}…`"),
            shown => format!("unexpected `{shown}`"),
        };
        let span = Span { start: span.start, end: span.start + line.len() as u32 };
        self.tree.errors.push(error(span, &message));
    }

    fn report_missing(&mut self, span: Span, symbol: u16) {
        let name = self.grammar.tables().names[usize::from(symbol)];
        let is_optional = !self.is_file && self.grammar.lowering.optional.contains(&name);
        if self.error_depth.is_none() && !is_optional && self.tree.errors.len() < MAX_ERRORS {
            self.tree.errors.push(error(span, &format!("expected `{name}`")));
        }
    }
}
