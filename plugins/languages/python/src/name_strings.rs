//! Strings that contain the name of a declaration of the module.

use marquetry_code::{CodeDocument, NodeIndex, rename::Bound};
use marquetry_sdk::{Span, Usage};

use crate::lower::{F, K};

/// Functions whose first argument repeats the name that the statement binds, as the typing rules of the language
/// require.
const NAMING_FUNCTIONS: [&str; 9] = [
    "NamedTuple",
    "NewType",
    "ParamSpec",
    "TypeAliasType",
    "TypeVar",
    "TypeVarTuple",
    "TypedDict",
    "namedtuple",
    "Enum",
];

/// Keyword arguments of these functions for the name.
const NAMING_KEYWORDS: [&str; 3] = ["name", "typename", "value"];

/// Strings that refer to a binding, whether they certainly do, and how: those in `__all__`, types in annotations, and the
/// name that a declaration such as `T = TypeVar("T")` repeats.
pub(crate) fn mentions(document: &CodeDocument, bound: &Bound) -> Vec<(Span, bool, Usage)> {
    let own = own_name(document, bound).map(|span| (span, true, Usage::InString));
    if !bound.is_global() {
        return own.into_iter().collect();
    }
    let shown = exported_strings(document).into_iter().filter(|(name, _)| *name == bound.name);
    let shown = shown.map(|(_, span)| (span, true, Usage::Exported));
    let types = annotation_strings(document, &bound.name).into_iter().map(|span| (span, false, Usage::InString));
    shown.chain(types).chain(own).collect()
}

/// The strings in `__all__`, each with its range inside the quotes.
pub(crate) fn exported_strings(document: &CodeDocument) -> Vec<(String, Span)> {
    let arena = document.arena();
    let mut found = Vec::new();
    let statements = arena
        .nodes()
        .filter(|(_, node)| [K::Assign, K::AnnAssign, K::AugAssign].iter().any(|kind| node.kind == (*kind).into()));
    for (statement, _) in statements {
        let first = arena.children(statement).next();
        if first.is_none_or(|first| arena.slice(first) != "__all__") {
            continue;
        }
        for node in arena.descendants(statement).filter(|node| arena.node(*node).kind == K::String.into()) {
            found.extend(content(document, node).map(|span| (span.slice(&arena.text).to_owned(), span)));
        }
    }
    found
}

/// The occurrences of a name in the strings of annotations that may contain types, but whose names are not known: strings
/// with escapes, with several parts, or with arguments that are not types.
pub(crate) fn annotation_strings(document: &CodeDocument, name: &str) -> Vec<Span> {
    let arena = document.arena();
    let is_annotation = |node: NodeIndex| {
        let field = arena.node(node).field;
        field == F::Annotation.into() || field == F::Returns.into()
    };
    let strings = arena.nodes().filter(|(_, node)| node.kind == K::String.into());
    let is_opaque = |node: NodeIndex| arena.children(node).all(|part| arena.node(part).kind == K::Part.into());
    let inside = strings.filter(|(index, _)| is_opaque(*index) && arena.ancestors(*index).any(is_annotation));
    inside.flat_map(|(_, node)| words(&arena.text, node.span, name)).collect()
}

/// The occurrences of a word in a range.
fn words(text: &str, span: Span, word: &str) -> Vec<Span> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let found = span.slice(text).match_indices(word);
    let spans = found.map(|(at, _)| Span::new(span.range().start + at, span.range().start + at + word.len()));
    let is_whole =
        |found: &Span| !text[..found.range().start].ends_with(part) && !text[found.range().end..].starts_with(part);
    spans.filter(is_whole).collect()
}

/// The name in `T = TypeVar("T")`, which must be that of the variable.
fn own_name(document: &CodeDocument, bound: &Bound) -> Option<Span> {
    let arena = document.arena();
    let declared = bound.places(document).filter(|place| place.binding.is_some());
    let mut calls = declared.filter_map(|place| {
        let target = arena.nodes().find(|(_, node)| node.span == place.span)?.0;
        let statement = arena.ancestors(target).find(|node| is_kind(document, *node, &[K::Assign, K::AnnAssign]))?;
        arena.child(statement, F::Value.into()).filter(|value| is_kind(document, *value, &[K::Call]))
    });
    calls.find_map(|call| {
        let function = arena.slice(arena.child(call, F::Function.into())?);
        let function = function.rsplit('.').next().unwrap_or(function).trim();
        let name = content(document, own_name_argument(document, call)?)?;
        let is_own = NAMING_FUNCTIONS.contains(&function) && name.slice(&arena.text) == bound.name;
        is_own.then_some(name)
    })
}

/// The string that a call gets as its first positional argument, or as a keyword argument for a name.
fn own_name_argument(document: &CodeDocument, call: NodeIndex) -> Option<NodeIndex> {
    let arena = document.arena();
    let list = arena.child_of_kind(call, K::Arguments.into())?;
    let is_named = |node: NodeIndex| {
        let keyword =
            arena.child_of_kind(node, K::Identifier.into()).filter(|_| is_kind(document, node, &[K::Keyword]));
        keyword.is_some_and(|keyword| NAMING_KEYWORDS.contains(&arena.slice(keyword)))
    };
    let string = |node: &NodeIndex| is_kind(document, *node, &[K::String]);
    let named = || arena.children(list).find(|node| is_named(*node)).and_then(|node| arena.children(node).last());
    arena.children(list).next().filter(string).or_else(named).filter(string)
}

fn is_kind(document: &CodeDocument, node: NodeIndex, kinds: &[K]) -> bool {
    kinds.iter().any(|kind| document.arena().node(node).kind == (*kind).into())
}

/// The text between the quotes of a string that contains only a name.
fn content(document: &CodeDocument, string: NodeIndex) -> Option<Span> {
    let (span, text) = (document.arena().node(string).span, document.arena().slice(string));
    let content = text.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']))?;
    crate::table::check_name(content).is_ok().then_some(Span { start: span.start + 1, end: span.end - 1 })
}
