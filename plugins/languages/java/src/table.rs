//! The language table of Java for `marquetry_code`.

use std::sync::LazyLock;

use marquetry_code::{
    Addresses, Arena, Binding, BindingKind, Block, Declaration, Hooks, Language, List, NodeIndex, ParseContext, Scope,
    ScopeKind, Title,
};
use marquetry_sdk::{Failure, FailureKind, Span, fail, items::C_STYLE};

use crate::grammar::GRAMMAR;

/// The language.
pub(crate) static JAVA: LazyLock<Language> = LazyLock::new(|| Language {
    name: "Java",
    kinds: GRAMMAR.kinds(),
    fields: GRAMMAR.fields(),
    blocks: &[
        "program",
        "class_body",
        "interface_body",
        "annotation_type_body",
        "enum_members",
        "block",
        "constructor_body",
        "module_body",
    ],
    lists: &[List { node: "enum_body", separator: "," }, List { node: "enum_constants", separator: "," }],
    literals: &[],
    expression_statement: "expression_statement",
    form: Block::Delimited { open: "{", close: "}", headers: &["{", "(", "["] },
    comments: C_STYLE,
    inner_comments: &[],
    leading: &["package_declaration", "enum_items"],
    addresses: Addresses { separator: ".", also: &["#", "::", "/"] },
    unit: "    ",
    gaps: (2, 2),
    declarations: &DECLARATIONS,
    attached: &["annotation"],
    patterns: &[ParseContext::Inside("block"), ParseContext::Inside("class_body"), ParseContext::Items],
    pattern_hint: "a pattern is an expression, consecutive statements, or a declaration; `$NAME` is one expression, name, \
                   type or statement, `$$$NAME` any number in a list, `$_` and `$$$` the same without a name",
    pattern_examples: &["$A.equals($B)", "if ($A == null) { $$$ }", "void $F($$$) { $$$ }"],
    imports: &["import_declaration"],
    scopes: &SCOPES,
    outside: &[("enhanced_for_statement", "value")],
    bindings: &BINDINGS,
    names: &["identifier", "member", "type_name"],
    uses: &["identifier"],
    hooks: Hooks { parse: |_, text, context| GRAMMAR.parse(text, context), title, check_name, ..Hooks::NONE },
});

const DECLARATIONS: [Declaration; 15] = [
    titled("package_declaration", "package"),
    titled("import_declaration", "import"),
    titled("module_declaration", "module"),
    declaration("class_declaration", "class", Some("body")),
    declaration("interface_declaration", "interface", Some("body")),
    declaration("record_declaration", "record", Some("body")),
    declaration("enum_declaration", "enum", Some("body")),
    declaration("annotation_type_declaration", "annotation", Some("body")),
    declaration("enum_constant", "constant", Some("body")),
    declaration("field_declaration", "field", Some("value")),
    declaration("constant_declaration", "field", Some("value")),
    declaration("method_declaration", "method", Some("body")),
    declaration("annotation_type_element_declaration", "method", Some("value")),
    declaration("constructor_declaration", "constructor", Some("body")),
    declaration("compact_constructor_declaration", "constructor", Some("body")),
];

const SCOPES: [Scope; 17] = [
    scope("class_body", ScopeKind::Members),
    scope("interface_body", ScopeKind::Members),
    scope("annotation_type_body", ScopeKind::Members),
    scope("enum_body", ScopeKind::Members),
    scope("enum_members", ScopeKind::Members),
    scope("record_declaration", ScopeKind::Members),
    scope("method_declaration", ScopeKind::Function),
    scope("constructor_declaration", ScopeKind::Function),
    scope("constructor_body", ScopeKind::Function),
    scope("lambda_expression", ScopeKind::Function),
    scope("block", ScopeKind::Function),
    scope("for_statement", ScopeKind::Function),
    scope("enhanced_for_statement", ScopeKind::Function),
    scope("catch_clause", ScopeKind::Function),
    scope("try_with_resources_statement", ScopeKind::Function),
    scope("switch_block", ScopeKind::Function),
    scope("switch_rule", ScopeKind::Function),
];

const BINDINGS: [Binding; 14] = [
    bound("field_declaration", "name", BindingKind::Declaration),
    bound("constant_declaration", "name", BindingKind::Declaration),
    bound("enum_constant", "name", BindingKind::Declaration),
    bound("formal_parameter", "name", BindingKind::Parameter),
    bound("spread_parameter", "name", BindingKind::Parameter),
    bound("catch_formal_parameter", "name", BindingKind::Parameter),
    bound("lambda_expression", "parameters", BindingKind::Parameter),
    bound("inferred_parameters", "", BindingKind::Parameter),
    bound("local_variable_declaration", "name", BindingKind::Variable),
    bound("enhanced_for_statement", "name", BindingKind::Variable),
    bound("resource", "name", BindingKind::Variable),
    bound("instanceof_expression", "name", BindingKind::Variable),
    bound("type_pattern", "", BindingKind::Variable),
    bound("record_pattern_component", "", BindingKind::Variable),
];

const fn declaration(node: &'static str, kind: &'static str, body: Option<&'static str>) -> Declaration {
    Declaration { node, kind, name: "name", separator: None, body, inside: &[], not_inside: &[] }
}

const fn titled(node: &'static str, kind: &'static str) -> Declaration {
    Declaration { name: "", ..declaration(node, kind, None) }
}

const fn scope(node: &'static str, kind: ScopeKind) -> Scope {
    Scope { node, kind }
}

const fn bound(parent: &'static str, field: &'static str, kind: BindingKind) -> Binding {
    Binding { parent, field, kind }
}

/// Titles of the package clause, imports and modules: `package a.b`, `import static a.B.*`, `module a`.
fn title(arena: &Arena, node: NodeIndex) -> Option<Title> {
    let kind = JAVA.kind_name(arena.node(node).kind);
    let mut words = Vec::new();
    let mut selection: Option<Span> = None;
    let start = arena
        .tokens_in(arena.node(node).span)
        .iter()
        .skip_while(|token| !matches!(token.span.slice(&arena.text), "package" | "import" | "module" | "open"));
    for token in start.filter(|token| token.kind != marquetry_code::TokenKind::Comment) {
        let own = token.span.slice(&arena.text);
        match own {
            ";" | "{" => break,
            "package" | "import" | "static" | "module" | "open" if selection.is_none() => words.push(own),
            _ => {
                let start = selection.map_or(token.span.start, |span| span.start);
                selection = Some(Span { start, end: token.span.end });
            }
        }
    }
    let selection = selection?;
    let path: String = selection.slice(&arena.text).chars().filter(|c| !c.is_whitespace()).collect();
    let is_module = kind == "module_declaration";
    let name = if is_module { path } else { format!("{} {path}", words.join(" ")) };
    Some(Title { name, selection, members: None, also: None, aliases: Vec::new() })
}

/// The keywords, which cannot be names.
const KEYWORDS: [&str; 54] = [
    "_",
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

/// Checks that a word is an identifier.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let starts = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
    let is_word = starts && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if is_word && !KEYWORDS.contains(&name) {
        return Ok(());
    }
    let failure = fail(FailureKind::InvalidArgument, format!("`{name}` is not a valid name"));
    if KEYWORDS.contains(&name) {
        return Err(failure.hint("it is a keyword").candidates([format!("{name}_")]));
    }
    Err(failure.hint("a name has letters, digits, `_` and `$`, and does not start with a digit"))
}
