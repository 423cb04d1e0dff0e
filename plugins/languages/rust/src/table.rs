//! The language table of Rust for `marquetry_code`.

use marquetry_code::{Addresses, Arena, Block, Declaration, Hooks, Language, List, NodeIndex, ParseContext, Title};
use marquetry_sdk::{Failure, FailureKind, Span, fail, items::NESTED_C_STYLE};

use crate::{
    kinds::{FIELDS, K, KINDS, child, has_kind},
    lower::{parse, parse_expanded},
};

/// Maximum length of the title of a `use` item.
const MAX_TITLE: usize = 80;

/// The kinds of functions in the outline.
const FUNCTIONS: &[&str] = &["function", "method"];

/// The language.
pub(crate) static RUST: Language = language("Rust", parse);

/// The language for a structural search in the arguments of macros.
pub(crate) static WITH_MACRO_ARGUMENTS: Language = language("Rust with macro arguments", parse_expanded);

const fn language(name: &'static str, parse: fn(&str, String, ParseContext) -> Arena) -> Language {
    Language {
        name,
        kinds: KINDS,
        fields: FIELDS,
        blocks: &["ITEM_LIST", "ASSOC_ITEM_LIST", "EXTERN_ITEM_LIST", "STMT_LIST"],
        lists: &[List { node: "VARIANT_LIST", separator: "," }, List { node: "RECORD_FIELD_LIST", separator: "," }],
        literals: &[],
        expression_statement: "EXPR_STMT",
        form: Block::Delimited { open: "{", close: "}", headers: &["{", "(", "["] },
        comments: NESTED_C_STYLE,
        inner_comments: &["//!", "/*!"],
        leading: &["INNER_ATTR"],
        addresses: Addresses { separator: "::", also: &["/", "."] },
        unit: "    ",
        gaps: (2, 2),
        declarations: DECLARATIONS,
        attached: &["attribute"],
        patterns: &[
            ParseContext::Inside("STMT_LIST"),
            ParseContext::Inside("ASSOC_ITEM_LIST"),
            ParseContext::Inside("VARIANT_LIST"),
            ParseContext::Inside("RECORD_FIELD_LIST"),
        ],
        pattern_hint: "a pattern is an expression, consecutive statements, or an item; `$NAME` is one expression, name, \
                       type or statement, `$$$NAME` any number in a list, `$_` and `$$$` the same without a name",
        pattern_examples: &["$A.unwrap()", "let $X = $Y.clone();", "fn $F($$$) -> $T { $$$ }"],
        imports: &["USE", "EXTERN_CRATE"],
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
            tail,
            kind: |_, _| None,
            receiver: |_, _| Vec::new(),
            section,
            documentation: |_, _| None,
            dependencies: |_, _| Vec::new(),
            rename_import: |_, _, _| None,
            insert_import: None,
            remove_names: None,
            import_class: |_, import| import_class(import),
            is_among_imports: |arena, node| {
                has_kind(arena, node, K::MODULE) && child(arena, node, K::ITEM_LIST).is_none()
            },
            check_name,
        },
    }
}

const DECLARATIONS: &[Declaration] = &[
    Declaration { inside: METHODS, ..declaration("FN", "function", Some("body")) },
    declaration("STRUCT", "struct", Some("body")),
    declaration("UNION", "union", Some("body")),
    declaration("ENUM", "enum", Some("body")),
    declaration("VARIANT", "variant", Some("body")),
    Declaration { separator: Some("."), ..declaration("RECORD_FIELD", "field", None) },
    declaration("TRAIT", "trait", Some("body")),
    titled("IMPL", "impl", Some("body")),
    declaration("MODULE", "module", Some("body")),
    declaration("CONST", "constant", Some("value")),
    declaration("STATIC", "static", Some("value")),
    declaration("TYPE_ALIAS", "type", Some("value")),
    declaration("MACRO_RULES", "macro", Some("body")),
    declaration("MACRO_DEF", "macro", Some("body")),
    Declaration { not_inside: FUNCTIONS, ..titled("USE", "use", None) },
    Declaration { not_inside: FUNCTIONS, ..titled("EXTERN_CRATE", "use", None) },
];

const METHODS: &[(&str, &str)] = &[("impl", "method"), ("trait", "method")];

const fn declaration(node: &'static str, kind: &'static str, body: Option<&'static str>) -> Declaration {
    Declaration { node, kind, name: "name", separator: None, body, inside: &[], not_inside: &[] }
}

const fn titled(node: &'static str, kind: &'static str, body: Option<&'static str>) -> Declaration {
    Declaration { name: "", ..declaration(node, kind, body) }
}

/// Titles of declarations without a name node.
fn title(arena: &Arena, node: NodeIndex) -> Option<Title> {
    let plain =
        |name: String, selection: Span| Some(Title { name, selection, members: None, also: None, aliases: Vec::new() });
    match () {
        () if has_kind(arena, node, K::IMPL) => impl_title(arena, node),
        () if has_kind(arena, node, K::USE) => {
            let tree = child(arena, node, K::USE_TREE)?;
            let text = one_line(arena, arena.node(tree).span);
            let name = if text.len() <= MAX_TITLE { text } else { shortened(&text) };
            plain(format!("use {name}"), arena.node(tree).span)
        }
        () if has_kind(arena, node, K::EXTERN_CRATE) => {
            let name = child(arena, node, K::NAME_REF)?;
            plain(format!("extern crate {}", arena.slice(name)), arena.node(name).span)
        }
        // `const _: () = …`
        () if has_kind(arena, node, K::CONST) => {
            let own = arena.node(node).span;
            let sign = arena.tokens_in(own).iter().find(|token| token.span.slice(&arena.text) == "_")?;
            plain("_".to_owned(), sign.span)
        }
        () => None,
    }
}

/// The title of a `use` item. A long tree is replaced with `{…}`.
fn shortened(text: &str) -> String {
    match text.find('{').filter(|at| *at <= MAX_TITLE) {
        Some(at) => format!("{}{{…}}", &text[..at]),
        None => format!("{}…", &text[..text.floor_char_boundary(MAX_TITLE)]),
    }
}

/// The title of an implementation: `impl Point`, `impl Display for Point`. It omits the parameters after `impl` and the
/// `where` clause.
fn impl_title(arena: &Arena, node: NodeIndex) -> Option<Title> {
    let is_head = |child: &NodeIndex| RUST.kind_name(arena.node(*child).kind).ends_with("_TYPE");
    let types: Vec<NodeIndex> = arena.children(node).filter(is_head).collect();
    let own = types.last().copied()?;
    let whole = Span { start: arena.node(types[0]).span.start, end: arena.node(own).span.end };
    let own_name = type_name(arena, own);
    if types.len() < 2 {
        let name = format!("impl {}", one_line(arena, whole));
        let aliases = aliases(&name, &format!("impl {own_name}"));
        return Some(Title { name, selection: whole, members: Some(own_name), also: None, aliases });
    }
    let before = arena.tokens[..arena.token_at(whole.start)].last();
    let is_negative = before.is_some_and(|token| token.span.slice(&arena.text) == "!");
    let negation = if is_negative { "!" } else { "" };
    let name = format!("impl {negation}{}", one_line(arena, whole));
    let aliases = aliases(&name, &format!("impl {negation}{} for {own_name}", type_name(arena, types[0])));
    Some(Title { name, selection: whole, members: None, also: Some(own_name), aliases })
}

/// Shorter names of an implementation: without generic arguments, and `short`, which is also without the modules in
/// paths.
fn aliases(name: &str, short: &str) -> Vec<String> {
    let mut aliases = vec![without_arguments(name), short.to_owned()];
    aliases.dedup();
    aliases.retain(|alias| alias != name);
    aliases
}

/// A type without the generic arguments of its paths.
fn without_arguments(name: &str) -> String {
    let (mut out, mut depth, mut before) = (String::new(), 0_usize, ' ');
    for c in name.chars() {
        // The `>` of `->` in a function type is not a bracket.
        match c {
            '<' => depth += 1,
            '>' if depth > 0 && before != '-' => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
        before = c;
    }
    out
}

/// The last name of a type path without its arguments: `Point` for `shapes::Point<T>`. Other types are returned as
/// code.
fn type_name(arena: &Arena, node: NodeIndex) -> String {
    let segment = child(arena, node, K::PATH).and_then(|path| child(arena, path, K::PATH_SEGMENT));
    match segment.and_then(|segment| child(arena, segment, K::NAME_REF)) {
        Some(name) => arena.slice(name).to_owned(),
        None => one_line(arena, arena.node(node).span),
    }
}

/// The code on one line, without comments. Each run of white space becomes one space.
fn one_line(arena: &Arena, span: Span) -> String {
    let mut out = String::new();
    let mut end = span.start;
    for token in arena.tokens_in(span).iter().filter(|token| token.kind != marquetry_code::TokenKind::Comment) {
        let own = token.span.slice(&arena.text);
        let is_apart = end < token.span.start && !out.is_empty();
        let is_tight = out.ends_with(['{', '<', '(', '[', ':']) && !out.ends_with(": ");
        let closes = matches!(own, "}" | ">" | ")" | "]");
        if closes && out.ends_with(',') {
            out.pop();
        }
        if is_apart && !is_tight && !closes {
            out.push(' ');
        }
        out.push_str(own);
        end = token.span.end;
    }
    out
}

/// The title of an `extern "C"` block, whose functions belong to the module around it.
fn section(arena: &Arena, node: NodeIndex) -> Option<String> {
    let abi = has_kind(arena, node, K::EXTERN_BLOCK).then(|| child(arena, node, K::ABI))??;
    Some(one_line(arena, arena.node(abi).span))
}

/// The expression at the end of a block that is the value of the block. Block-like expressions and macro calls with
/// braces count only in a function with a return type, or in an inner block.
fn tail(arena: &Arena, block: NodeIndex) -> Option<NodeIndex> {
    let last = arena.children(block).last()?;
    if !has_kind(arena, block, K::STMT_LIST) || !has_kind(arena, last, K::EXPR_STMT) || arena.slice(last).ends_with(';')
    {
        return None;
    }
    let expression = arena.children(last).next()?;
    let kinds = [K::IF_EXPR, K::MATCH_EXPR, K::LOOP_EXPR, K::WHILE_EXPR, K::FOR_EXPR, K::BLOCK_EXPR];
    let is_macro_block = has_kind(arena, expression, K::MACRO_EXPR) && arena.slice(expression).ends_with('}');
    let may_have_no_value = is_macro_block || kinds.iter().any(|kind| has_kind(arena, expression, *kind));
    let around = arena.node(block).parent;
    let returns_nothing = has_kind(arena, around, K::FN) && child(arena, around, K::RET_TYPE).is_none();
    (!may_have_no_value || !returns_nothing).then_some(last)
}

/// The class of a `use` item: the standard library, other crates, or the own crate.
fn import_class(import: &str) -> u8 {
    let path = import.rsplit_once("use ").map_or(import, |(_, path)| path).trim_start();
    let first = path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    match first {
        "std" | "core" | "alloc" => 0,
        "crate" | "self" | "super" => 2,
        _ => 1,
    }
}

/// The keywords of any edition, which cannot be names.
const KEYWORDS: [&str; 53] = [
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Returns whether a word is a keyword, so that it needs `r#` as a name.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Checks that a word is an identifier.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let bare = name.strip_prefix("r#").unwrap_or(name);
    let starts = bare.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_word = starts && bare.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word && (!KEYWORDS.contains(&name) && !matches!(bare, "self" | "Self" | "super" | "crate" | "_")) {
        return Ok(());
    }
    let failure = fail(FailureKind::InvalidArgument, format!("`{name}` is not a valid name"));
    if KEYWORDS.contains(&name) {
        return Err(failure.hint("it is a keyword").candidates([format!("{name}_")]));
    }
    Err(failure.hint("a name has letters, digits and `_`, and does not start with a digit"))
}
