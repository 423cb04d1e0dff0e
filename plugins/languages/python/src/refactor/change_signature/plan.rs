//! The parameters of a declaration, and the new ones that Python accepts.

use marquetry_code::{
    CodeDocument, NodeIndex, TokenKind,
    signature::{Item, OldParameter, Plan, Request, Rules},
};
use marquetry_sdk::{Result, Span};

use super::{has_comments, refused};
use crate::{
    lower::K,
    refactor::expressions::is_one_of,
    table::{PYTHON, check_name},
};

/// The new parameters that Python accepts.
pub(super) const RULES: Rules = Rules {
    example_type: "int",
    type_separator: ':',
    variadic_sign: "*",
    needs_type: false,
    has_defaults: true,
    check_name,
    is_type: is_expression,
    is_value: is_expression,
};

/// The way in which a parameter takes arguments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ParameterKind {
    Plain,
    /// A parameter such as `*args`.
    Arguments,
    /// A parameter after `*` or `*args`.
    KeywordOnly,
    /// A parameter such as `**options`.
    Keywords,
}

/// A parameter of the declaration.
#[derive(Debug, Clone)]
pub(super) struct Old {
    /// The parameter with the `*` before it.
    pub(super) own: OldParameter,
    pub(super) kind: ParameterKind,
    pub(super) span: Span,
}

impl Old {
    pub(super) fn name(&self) -> &str {
        &self.own.name
    }

    /// Returns whether calls need no argument for this parameter.
    pub(super) fn is_optional(&self) -> bool {
        !self.own.default.is_empty() || matches!(self.kind, ParameterKind::Arguments | ParameterKind::Keywords)
    }
}

/// The parameters of a declaration.
pub(super) fn old_parameters(document: &CodeDocument, list: NodeIndex, request: Request<'_>) -> Result<Vec<Old>> {
    let arena = document.arena();
    let span = arena.node(list).span;
    if has_comments(document, span) {
        return Err(refused("the parameters have comments", "move the comments out of the list first").at(span));
    }
    let nodes: Vec<NodeIndex> = arena.children(list).collect();
    let is_inside =
        |own: Span| nodes.iter().any(|node| arena.node(*node).span.contains(own) && !is_variadic(document, *node));
    let signs = arena.tokens_in(span).iter().filter(|token| token.kind == TokenKind::Sign && !is_inside(token.span));
    for sign in signs.clone() {
        let hint = match (sign.span.slice(&arena.text), request) {
            ("*" | "**", Request::Parameters(_)) => "give only the new parameters, with `add`",
            ("/", _) => "change the declaration and its calls by hand",
            _ => continue,
        };
        let message = format!("the parameters have `{}`", sign.span.slice(&arena.text));
        return Err(refused(message, hint).at(sign.span));
    }
    let star = signs.into_iter().map(|sign| sign.span).find(|sign| sign.slice(&arena.text) == "*");
    let mut is_start = true;
    let mut old: Vec<Old> = Vec::new();
    for node in nodes {
        let own = arena.node(node).span;
        let is_after_star = star.is_some_and(|star| star.start < own.start);
        let kind = match arena.slice(node) {
            text if text.starts_with("**") => ParameterKind::Keywords,
            text if text.starts_with('*') => ParameterKind::Arguments,
            _ if is_after_star => ParameterKind::KeywordOnly,
            _ => ParameterKind::Plain,
        };
        // The first parameter after a single `*` contains it.
        let start = star.filter(|_| is_after_star && is_start).map_or(own.start, |star| star.start);
        is_start = kind == ParameterKind::Plain;
        old.push(old_parameter(document, node, kind, Span { start, end: own.end }));
    }
    Ok(old)
}

fn is_variadic(document: &CodeDocument, node: NodeIndex) -> bool {
    is_one_of(document, node, &[K::Parameter])
}

fn old_parameter(document: &CodeDocument, node: NodeIndex, kind: ParameterKind, span: Span) -> Old {
    let arena = document.arena();
    let inner = arena.child_of_kind(node, K::Parameter.into()).unwrap_or(node);
    let name = arena.child_of_kind(inner, K::Identifier.into());
    let (own, inside) = (arena.node(node).span, arena.node(inner).span);
    let name_end = name.map_or(inside.end, |name| arena.node(name).span.end);
    let after = |start: u32, end: u32, sign: char| {
        Span { start, end }.slice(&arena.text).trim_start_matches([' ', sign]).to_owned()
    };
    let own = OldParameter {
        name: name.map_or("", |name| arena.slice(name)).to_owned(),
        type_text: after(name_end, inside.end, ':'),
        default: after(inside.end, own.end, '='),
        text: span.slice(&arena.text).to_owned(),
        stays_last: kind != ParameterKind::Plain,
    };
    Old { own, kind, span }
}

/// The code of the parameters in the new declaration.
pub(super) fn declared(plan: &Plan, old: &[Old]) -> Vec<String> {
    let declared = |item: &Item| match item {
        Item::Kept(index) => old[*index].own.text.clone(),
        Item::New(added) => match (added.type_text.as_str(), added.default.as_str()) {
            ("", "") => added.name.clone(),
            ("", default) => format!("{}={default}", added.name),
            (own, "") => format!("{}: {own}", added.name),
            (own, default) => format!("{}: {own} = {default}", added.name),
        },
    };
    plan.items.iter().map(declared).collect()
}

/// Returns whether code is one expression, which a call can pass by position and by name, without comments.
fn is_expression(code: &str) -> bool {
    let document = CodeDocument::open(&PYTHON, "value.py", format!("f(x={code}\n)\n"));
    let arena = document.arena();
    let list = arena.nodes().map(|(index, _)| index).find(|index| is_one_of(&document, *index, &[K::Arguments]));
    let arguments: Vec<NodeIndex> = list.into_iter().flat_map(|list| arena.children(list)).collect();
    let is_starred = |argument: NodeIndex| arena.children(argument).any(|own| is_one_of(&document, own, &[K::Starred]));
    let is_it = |only: NodeIndex| arena.slice(only).strip_prefix("x=") == Some(code) && !is_starred(only);
    let span = arena.node(marquetry_code::ROOT).span;
    arena.errors.is_empty() && !has_comments(&document, span) && matches!(arguments[..], [only] if is_it(only))
}
