//! The types that a file refers to: by imports, by qualified names, and by simple names.

use std::collections::BTreeSet;

use marquetry_code::{CodeDocument, NodeIndex, TokenKind, regions};
use marquetry_sdk::Span;

/// An import.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    pub(crate) node: NodeIndex,
    pub(crate) statement: Span,
    /// The imported name without `.*`.
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) is_static: bool,
    pub(crate) is_star: bool,
}

impl Import {
    /// The simple name by which the code can use the imported type.
    pub(crate) fn simple_name(&self) -> Option<&str> {
        (!self.is_star && !self.is_static).then(|| self.path.rsplit('.').next().unwrap_or(&self.path))
    }
}

/// A name in the code that may refer to a type in another file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypeName {
    /// A simple name, or a name qualified by its package.
    pub(crate) name: String,
    pub(crate) span: Span,
}

fn has_kind(document: &CodeDocument, node: NodeIndex, kind: &str) -> bool {
    document.language().kind_name(document.arena().node(node).kind) == kind
}

/// The imports of a document, in order. Module imports are left out.
pub(crate) fn imports(document: &CodeDocument) -> Vec<Import> {
    let arena = document.arena();
    let statements = regions::top_statements(document).into_iter();
    let read = |node: NodeIndex| {
        let statement = arena.node(node).span;
        let tokens = arena.tokens_in(statement).iter().filter(|token| token.kind != TokenKind::Comment);
        let words: Vec<(&str, Span)> = tokens.map(|token| (token.span.slice(&arena.text), token.span)).collect();
        let is_static = words.get(1)?.0 == "static";
        let is_module = words.get(1)?.0 == "module" && words.get(2)?.0 != ".";
        let first = if is_static { 2 } else { 1 };
        let end = words.iter().position(|(word, _)| *word == ";").unwrap_or(words.len());
        let is_star = words.get(end.checked_sub(1)?)?.0 == "*";
        let last = if is_star { end.checked_sub(2)? } else { end };
        let path = words.get(first..last).filter(|path| !path.is_empty() && !is_module)?;
        let span = Span { start: path.first()?.1.start, end: path.last()?.1.end };
        Some(Import { node, statement, path: path.iter().map(|(word, _)| *word).collect(), span, is_static, is_star })
    };
    statements.filter(|node| has_kind(document, *node, "import_declaration")).filter_map(read).collect()
}

/// The packages that a module exports or opens.
pub(crate) fn exported_packages(document: &CodeDocument) -> Vec<(String, Span)> {
    let (arena, language) = (document.arena(), document.language());
    let is_directive = |node: NodeIndex| {
        has_kind(document, node, "exports_module_directive") || has_kind(document, node, "opens_module_directive")
    };
    let is_package = |node: &marquetry_code::arena::Node| language.field_name(node.field) == "package";
    let nodes = arena.nodes().filter(|(_, node)| is_package(node) && is_directive(node.parent));
    nodes.map(|(index, node)| (arena.slice(index).to_owned(), node.span)).collect()
}

/// The name in the package clause.
pub(crate) fn clause(document: &CodeDocument) -> Option<(String, Span)> {
    let arena = document.arena();
    let node =
        regions::top_statements(document).into_iter().find(|node| has_kind(document, *node, "package_declaration"))?;
    let name = arena
        .children(node)
        .filter(|child| has_kind(document, *child, "scoped_identifier") || has_kind(document, *child, "path_part"));
    let span = arena.node(name.last()?).span;
    Some((span.slice(&arena.text).chars().filter(|c| !c.is_whitespace()).collect(), span))
}

/// The first occurrence of each simple type name, and every qualified name of a type.
pub(crate) fn type_names(document: &CodeDocument) -> Vec<TypeName> {
    let arena = document.arena();
    let declared: BTreeSet<&str> = arena
        .nodes()
        .filter(|(index, node)| {
            has_kind(document, *index, "type_name")
                || has_kind(document, *index, "type_identifier") && has_kind(document, node.parent, "type_parameter")
        })
        .map(|(_, node)| node.span.slice(&arena.text))
        .collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (index, node) in arena.nodes() {
        let name = node.span.slice(&arena.text);
        let is_new = !declared.contains(name) && !seen.contains(name);
        if is_new && is_type_use(document, index) {
            seen.insert(name);
            found.push(TypeName { name: name.to_owned(), span: node.span });
        }
    }
    found.extend(qualified_names(document));
    found.sort_by_key(|name| name.span.start);
    found
}

/// The first part of a name that is a type name by convention, and its offset: `C` in `a.b.C.D`.
pub(crate) fn first_type(name: &str) -> Option<(&str, usize)> {
    let mut at = 0;
    for part in name.split('.') {
        if name_starts_type(part) {
            return Some((part, at));
        }
        at += part.len() + 1;
    }
    None
}

/// Returns whether a node is the unqualified name of a type.
pub(crate) fn is_type_use(document: &CodeDocument, index: NodeIndex) -> bool {
    let arena = document.arena();
    let node = arena.node(index);
    let is_first = arena.children(node.parent).next() == Some(index);
    if has_kind(document, index, "type_identifier") {
        let is_qualified = has_kind(document, node.parent, "scoped_type_identifier");
        return !is_qualified || is_first && name_starts_type(node.span.slice(&arena.text));
    }
    let text = node.span.slice(&arena.text);
    if !name_starts_type(text) {
        return false;
    }
    if has_kind(document, index, "path_part") {
        let around = arena
            .ancestors(index)
            .find(|above| !has_kind(document, *above, "path_part") && !has_kind(document, *above, "scoped_identifier"));
        let is_annotation = around.is_some_and(|around| {
            has_kind(document, around, "annotation") || has_kind(document, around, "marker_annotation")
        });
        return is_annotation && is_first;
    }
    let is_qualifier = document.language().field_name(node.field) == "object"
        || has_kind(document, node.parent, "method_reference") && is_first;
    has_kind(document, index, "identifier") && is_qualifier && is_free(document, node.span)
}

/// Returns whether a name is a type name by convention, instead of the name of a package.
fn name_starts_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns whether the name at a span does not refer to a variable of the file.
fn is_free(document: &CodeDocument, span: Span) -> bool {
    let names = document.names();
    names.at(span.start).filter(|place| place.span == span).is_none_or(|place| names.owner_of(place).is_none())
}

/// Qualified names such as `a.b.C` in the code.
fn qualified_names(document: &CodeDocument) -> Vec<TypeName> {
    let arena = document.arena();
    let clauses = regions::top_statements(document).into_iter().filter(|node| {
        has_kind(document, *node, "import_declaration") || has_kind(document, *node, "package_declaration")
    });
    let start = clauses.map(|node| arena.node(node).span.end).max().unwrap_or(0);
    let tokens: Vec<(&str, Span, TokenKind)> = arena.tokens[arena.token_at(start)..]
        .iter()
        .filter(|token| token.kind != TokenKind::Comment)
        .map(|token| (token.span.slice(&arena.text), token.span, token.kind))
        .collect();
    let word = |at: usize| tokens.get(at).filter(|(.., kind)| *kind == TokenKind::Word);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let first = at;
        let mut last = at;
        while word(last).is_some_and(|(text, ..)| text.starts_with(char::is_lowercase))
            && tokens.get(last + 1).is_some_and(|(text, ..)| *text == ".")
        {
            last += 2;
        }
        at = last.max(first) + 1;
        let is_after_dot = first > 0 && matches!(tokens[first - 1].0, "." | "::");
        let Some((name, own, _)) = word(last).filter(|_| last > first && !is_after_dot) else { continue };
        let is_name = crate::table::check_name(tokens[first].0).is_ok();
        if is_name && name_starts_type(name) && is_free(document, tokens[first].1) {
            let name = tokens[first..=last].iter().map(|(text, ..)| *text).collect();
            found.push(TypeName { name, span: Span { start: tokens[first].1.start, end: own.end } });
        }
    }
    found
}
