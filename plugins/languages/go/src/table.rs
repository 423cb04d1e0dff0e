//! The language table of Go for `marquetry_code`.

use marquetry_code::{
    Addresses, Arena, Block, CodeDocument, Declaration, Hooks, Language, Literal, NodeIndex, ParseContext, Title,
    outline::Symbol,
};
use marquetry_sdk::{Dependency, Failure, FailureKind, Span, fail, items::C_STYLE};

use crate::{
    kinds::{F, FIELDS, K, KINDS, child, children, has_kind},
    lexer,
    lower::parse,
};

/// The kinds of functions in the outline.
const FUNCTIONS: &[&str] = &["function", "method"];

/// The kinds of symbols that contain statements, at any depth.
const ANYWHERE: &[&str] = &["function", "method", "variable", "constant", ENTRY];
/// The kind of the entries of composite literals.
pub(crate) const ENTRY: &str = "entry";

/// The language.
pub(crate) static GO: Language = Language {
    name: "Go",
    kinds: KINDS,
    fields: FIELDS,
    blocks: &["FILE", "BLOCK", "FIELDS", "ELEMS", "IMPORT_SPECS", "CONST_SPECS", "VAR_SPECS", "TYPE_SPECS"],
    lists: &[],
    literals: &[Literal {
        context: ("package p\n\nvar _ = T{", "}"),
        around: &["COMPOSITE", "UNARY"],
        aligned_after: Some(":"),
        is_listed_locally: true,
        ..Literal::new("VALUES", "{", "}", "Name: value")
    }],
    expression_statement: "EXPR_STMT",
    form: Block::Delimited { open: "{", close: "}", headers: &["{", "(", "["] },
    comments: C_STYLE,
    inner_comments: &["//go:build ", "// +build "],
    leading: &["PACKAGE"],
    addresses: Addresses { separator: ".", also: &["::", "/", " "] },
    unit: "\t",
    gaps: (2, 1),
    declarations: &[
        titled("PACKAGE", "package", None),
        titled("IMPORT", "import", None),
        declaration("CONST", "constant", Some("body")),
        declaration("VAR", "variable", Some("body")),
        declaration("TYPE", "type", Some("body")),
        declaration("FUNC", "function", Some("body")),
        declaration("METHOD", "method", Some("body")),
        declaration("FIELD", "field", None),
        declaration("ELEM_METHOD", "method", None),
        Declaration { name: "left", not_inside: ANYWHERE, ..declaration("DEFINE", "variable", Some("right")) },
        Declaration { not_inside: &[], ..titled("KEYED", ENTRY, Some("right")) },
    ],
    attached: &[],
    patterns: &[
        ParseContext::Inside("BLOCK"),
        ParseContext::Items,
        ParseContext::Inside("FIELDS"),
        ParseContext::Inside("ELEMS"),
    ],
    pattern_hint: "a pattern is an expression, consecutive statements, or a declaration; `$NAME` is one expression, name, \
                   type or statement, `$$$NAME` any number in a list, `$_` and `$$$` the same without a name",
    pattern_examples: &["errors.New($MSG)", "if err != nil { $$$ }", "func $F($$$) error { $$$ }"],
    imports: &["IMPORT", "IMPORT_GROUP"],
    scopes: &[],
    outside: &[],
    bindings: &[],
    names: &["NAME"],
    uses: &[],
    hooks: Hooks {
        parse,
        title,
        variant: |_, _| None,
        attribute: |_, _| None,
        tail: |_, _| None,
        kind,
        receiver,
        section: |_, _| None,
        documentation: |_, _| None,
        dependencies,
        rename_import: |_, _, _| None,
        insert_import: Some(crate::refactor::add_imports),
        remove_names: Some(crate::name_lists::remove_names),
        import_class: |_, _| 0,
        is_among_imports: |_, _| false,
        check_name,
    },
};

const fn declaration(node: &'static str, kind: &'static str, body: Option<&'static str>) -> Declaration {
    Declaration { node, kind, name: "name", separator: None, body, inside: &[], not_inside: FUNCTIONS }
}

const fn titled(node: &'static str, kind: &'static str, body: Option<&'static str>) -> Declaration {
    Declaration { name: "", ..declaration(node, kind, body) }
}

/// Titles of declarations that have no name node.
fn title(arena: &Arena, node: NodeIndex) -> Option<Title> {
    let titled =
        |name: String, selection: Span| Some(Title { name, selection, members: None, also: None, aliases: Vec::new() });
    match () {
        () if has_kind(arena, node, K::Package) => {
            let name = arena.child(node, F::Name.into())?;
            titled(format!("package {}", arena.slice(name)), arena.node(name).span)
        }
        () if has_kind(arena, node, K::Import) => {
            let path = arena.child(node, F::Path.into())?;
            let name = unquoted(arena.slice(path));
            let is_path = name.len() < arena.slice(path).len() && !name.contains(|c: char| c.is_whitespace());
            is_path.then(|| titled(format!("import {name}"), arena.node(path).span))?
        }
        () if has_kind(arena, node, K::Keyed) => {
            let key = arena.child(node, F::Key.into())?;
            titled(entry_name(arena, key)?, arena.node(key).span)
        }
        // An embedded type.
        () if has_kind(arena, node, K::Field) => {
            let name = embedded_name(arena, node)?;
            titled(arena.slice(name).to_owned(), arena.node(name).span)
        }
        () => None,
    }
}

/// The name of an entry of a composite literal: the name of a field or constant, or the text of a string if it is a
/// word, or else the literal. `None` for other keys.
fn entry_name(arena: &Arena, key: NodeIndex) -> Option<String> {
    let text = arena.slice(key);
    match () {
        () if has_kind(arena, key, K::NameRef) || has_kind(arena, key, K::Literal) => Some(text.to_owned()),
        () if has_kind(arena, key, K::Text) && text.starts_with('"') => {
            let inner = unquoted(text);
            Some(if is_word(inner) { inner.to_owned() } else { text.to_owned() })
        }
        () if has_kind(arena, key, K::Selector) => {
            let left = arena.children(key).next()?;
            has_kind(arena, left, K::NameRef).then(|| text.to_owned())
        }
        () if has_kind(arena, key, K::Unary) => {
            let operand = arena.children(key).next()?;
            has_kind(arena, operand, K::Literal).then(|| text.to_owned())
        }
        () => None,
    }
}

/// A string without its quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    text.strip_prefix(['"', '`']).and_then(|rest| rest.strip_suffix(['"', '`'])).unwrap_or(text)
}

/// The name of an embedded field: the last name of `*pkg.Type[Arguments]`.
pub(crate) fn embedded_name(arena: &Arena, field: NodeIndex) -> Option<NodeIndex> {
    if arena.child(field, F::Name.into()).is_some() {
        return None;
    }
    type_name(arena, arena.child(field, F::Type.into())?)
}

/// The name of a type, without pointers, qualifier and type arguments.
pub(crate) fn type_name(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    let mut at = node;
    loop {
        at = match () {
            () if has_kind(arena, at, K::NameRef) => return Some(at),
            () if has_kind(arena, at, K::Selector) => return arena.child(at, F::Name.into()),
            () if [K::Unary, K::Paren, K::Index].iter().any(|kind| has_kind(arena, at, *kind)) => {
                arena.children(at).next()?
            }
            () => return None,
        };
    }
}

fn kind(arena: &Arena, symbol: &Symbol) -> Option<&'static str> {
    if !has_kind(arena, symbol.node, K::Type) {
        return None;
    }
    let has = |kind: K| child(arena, symbol.node, kind).is_some();
    has(K::Fields).then_some("struct").or_else(|| has(K::Elems).then_some("interface"))
}

/// The receiver type of a method, in the forms that a target may use: `Cart`, `(*Cart)`, `*Cart`.
fn receiver(arena: &Arena, node: NodeIndex) -> Vec<String> {
    receiver_type(arena, node).map_or(Vec::new(), |name| {
        let name = arena.slice(name);
        vec![name.to_owned(), format!("(*{name})"), format!("*{name}"), format!("({name})")]
    })
}

/// The name of the type that a method belongs to.
pub(crate) fn receiver_type(arena: &Arena, method: NodeIndex) -> Option<NodeIndex> {
    let receiver = child(arena, method, K::Receiver)?;
    let param = children(arena, receiver, K::Param).next()?;
    type_name(arena, arena.child(param, F::Type.into())?)
}

/// The names of other packages that a node uses.
fn dependencies(document: &CodeDocument, node: NodeIndex) -> Vec<Dependency> {
    let arena = document.arena();
    let imports = crate::imports::imports(document);
    let mut found: Vec<Dependency> = Vec::new();
    for selector in arena.descendants(node).filter(|inner| has_kind(arena, *inner, K::Selector)) {
        let (Some(left), Some(name)) = (arena.children(selector).next(), arena.child(selector, F::Name.into())) else {
            continue;
        };
        let import = imports.iter().find(|import| import.local() == arena.slice(left));
        let Some(import) = import.filter(|_| has_kind(arena, left, K::NameRef)) else { continue };
        let symbol = arena.slice(name).to_owned();
        if !found.iter().any(|known| known.symbol == symbol && known.from == import.path) {
            found.push(Dependency { symbol, from: import.path.clone() });
        }
    }
    found
}

/// Returns whether a word is a keyword.
pub(crate) fn is_keyword(word: &str) -> bool {
    lexer::KEYWORDS.iter().any(|(known, _)| *known == word)
}

/// Returns whether a word consists only of characters that an identifier may have. It may be a keyword.
pub(crate) fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Checks that a word is an identifier.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    if is_word(name) && !is_keyword(name) && name != "_" {
        return Ok(());
    }
    let failure = fail(FailureKind::InvalidArgument, format!("`{name}` is not a valid name"));
    if is_keyword(name) {
        return Err(failure.hint("it is a keyword").candidates([format!("{name}_")]));
    }
    Err(failure.hint("a name has letters, digits and `_`, and does not start with a digit"))
}
