//! The language table of Python for `marquetry_code`.

use marquetry_code::{
    Arena, Binding, BindingKind, Block, DOTTED, Declaration, Hooks, Language, Literal, NodeIndex, ParseContext, ROOT,
    Scope, ScopeKind, Title, outline::Symbol,
};
use marquetry_sdk::{Failure, FailureKind, fail, items::HASH};

use crate::{
    classes::{declared_names, decorators, self_attribute},
    imports::import_class,
    lower::{F, FIELDS, K, KINDS, parse},
    refactor::add_imports,
    symbols::{dependencies, rename_import},
};

/// Maximum length of a condition that is the title of a block in the outline.
const MAX_TITLE: usize = 60;

/// The kinds of functions in the outline.
const FUNCTIONS: &[&str] = &["function", "method", "property"];

/// The language.
pub(crate) static PYTHON: Language = Language {
    name: "Python",
    kinds: KINDS,
    fields: FIELDS,
    blocks: &["block", "cases"],
    lists: &[],
    literals: &[
        literal("dict", ("{", "}"), "\"name\": value"),
        literal("list", ("[", "]"), "\"name\""),
        literal("set", ("{", "}"), "\"name\""),
        Literal {
            context: ("[", "]"),
            parsed: "list",
            is_terminated: true,
            ..literal("tuple", ("(", ")"), "\"name\"")
        },
    ],
    expression_statement: "expression",
    form: Block::Indentation { opener: ":", separator: ";", placeholder: "pass" },
    comments: HASH,
    inner_comments: &[],
    leading: &[],
    addresses: DOTTED,
    patterns: &[ParseContext::File],
    pattern_hint: "a pattern is an expression or consecutive statements; `$NAME` is one expression, name or statement, \
                   `$$$NAME` any number in a list, `$_` and `$$$` the same without a name",
    pattern_examples: &["print($$$)", "$A = $B.get($KEY, None)", "if $X is None:\n    return $Y"],
    unit: "    ",
    gaps: (3, 2),
    declarations: &[
        declaration("class", "class", "name", "body"),
        Declaration { inside: &[("class", "method")], ..declaration("function", "function", "name", "body") },
        variable("assign"),
        variable("ann_assign"),
        Declaration { not_inside: FUNCTIONS, ..declaration("type_alias", "type", "name", "value") },
        declaration("pair", "entry", "", "value"),
    ],
    attached: &["decorator"],
    imports: &["import", "import_from"],
    scopes: &[
        Scope { node: "function", kind: ScopeKind::Function },
        Scope { node: "lambda", kind: ScopeKind::Function },
        Scope { node: "class", kind: ScopeKind::Class },
        Scope { node: "list_comp", kind: ScopeKind::Comprehension },
        Scope { node: "set_comp", kind: ScopeKind::Comprehension },
        Scope { node: "dict_comp", kind: ScopeKind::Comprehension },
        Scope { node: "generator", kind: ScopeKind::Comprehension },
    ],
    outside: &[
        ("function", "name"),
        ("function", "decorator"),
        ("function", "returns"),
        ("class", "name"),
        ("class", "decorator"),
        ("class", "arguments"),
        ("parameter", "annotation"),
        ("parameter_default", "default"),
        ("comprehension", "first_iter"),
    ],
    bindings: &[
        binding("function", "name", BindingKind::Declaration),
        binding("class", "name", BindingKind::Declaration),
        binding("type_alias", "name", BindingKind::Declaration),
        binding("type_param", "name", BindingKind::Declaration),
        binding("parameter", "name", BindingKind::Parameter),
        binding("except", "name", BindingKind::Variable),
        binding("pattern_name", "name", BindingKind::Variable),
        binding("named", "target", BindingKind::InExpression),
        binding("alias", "imported", BindingKind::Import),
        binding("alias", "alias", BindingKind::Import),
        binding("alias", "path", BindingKind::Import),
        binding("global", "names", BindingKind::Global),
        binding("nonlocal", "names", BindingKind::Nonlocal),
    ],
    names: &["name", "identifier"],
    uses: &["name"],
    hooks: Hooks {
        parse,
        title: entry_title,
        variant: accessor,
        attribute: attribute_title,
        tail: |_, _| None,
        kind,
        receiver: |_, _| Vec::new(),
        section,
        documentation,
        dependencies,
        rename_import,
        insert_import: Some(add_imports),
        remove_names: None,
        import_class,
        is_among_imports: |_, _| false,
        check_name,
    },
};

const fn declaration(node: &'static str, kind: &'static str, name: &'static str, body: &'static str) -> Declaration {
    Declaration { node, kind, name, separator: None, body: Some(body), inside: &[], not_inside: &[] }
}

const fn variable(node: &'static str) -> Declaration {
    Declaration {
        inside: &[("class", "attribute")],
        not_inside: FUNCTIONS,
        ..declaration(node, "variable", "target", "value")
    }
}

const fn literal(node: &'static str, brackets: (&'static str, &'static str), example: &'static str) -> Literal {
    Literal::new(node, brackets.0, brackets.1, example)
}

const fn binding(parent: &'static str, field: &'static str, kind: BindingKind) -> Binding {
    Binding { parent, field, kind }
}

/// The name of an entry of a dictionary: its key, in double quotes unless it is an identifier. `None` for keys that are
/// not plain strings, and for other nodes.
fn entry_title(arena: &Arena, node: NodeIndex) -> Option<Title> {
    let key = arena.children(node).next().filter(|_| arena.node(node).kind == K::Pair.into())?;
    let selection = arena.node(key).span;
    let text = plain_string(arena, key)?;
    let name = if is_word(text) { text.to_owned() } else { format!("\"{text}\"") };
    Some(Title { name, selection, members: None, also: None, aliases: Vec::new() })
}

/// The kind of accessor of a property that a method is, from its decorator.
fn accessor(arena: &Arena, node: NodeIndex) -> Option<&'static str> {
    let accessor = |name: &str| match name {
        "property" | "cached_property" | "getter" => Some("getter"),
        "setter" => Some("setter"),
        "deleter" => Some("deleter"),
        _ => None,
    };
    let is_function = arena.node(node).kind == K::Function.into();
    decorators(arena, node).filter(|_| is_function).find_map(accessor)
}

/// The attribute that a statement of a method sets: the name after the first parameter in `self.size = 0`. `None` if the
/// class itself declares the name.
fn attribute_title(arena: &Arena, node: NodeIndex) -> Option<Title> {
    let is_assignment = [K::Assign.into(), K::AnnAssign.into()].contains(&arena.node(node).kind);
    let mut targets = arena.children(node).filter(|child| arena.node(*child).field == F::Target.into());
    let target = targets.next().filter(|_| is_assignment && targets.next().is_none())?;
    let (class, name) = self_attribute(arena, target)?;
    let is_declared = declared_names(arena, class).any(|declared| arena.slice(declared) == arena.slice(name));
    let title = || Title {
        name: arena.slice(name).to_owned(),
        selection: arena.node(name).span,
        members: None,
        also: None,
        aliases: Vec::new(),
    };
    (!is_declared).then(title)
}

/// The content of a string literal without a prefix, escapes, line breaks, quotes and other parts.
pub(crate) fn plain_string(arena: &Arena, node: NodeIndex) -> Option<&str> {
    let code = arena.slice(node);
    let quote = code.chars().next().filter(|c| ['"', '\''].contains(c) && arena.node(node).kind == K::String.into())?;
    let text = code.strip_prefix(quote)?.strip_suffix(quote)?;
    (!text.contains(['"', '\'', '\\', '\n', '\r'])).then_some(text)
}

/// The kind of a symbol: decorators identify properties, and upper-case names identify constants.
fn kind(arena: &Arena, symbol: &Symbol) -> Option<&'static str> {
    match symbol.kind {
        "variable" => {
            let is_constant =
                symbol.name.contains(|c: char| c.is_uppercase()) && !symbol.name.contains(|c: char| c.is_lowercase());
            is_constant.then_some("constant")
        }
        "method" => accessor(arena, symbol.node).map(|_| "property"),
        _ => None,
    }
}

/// The title of a conditional block at the top level of a module. Only conditions on `TYPE_CHECKING` and `__name__`
/// have one.
fn section(arena: &Arena, node: NodeIndex) -> Option<String> {
    let own = arena.node(node);
    let is_top = arena.node(own.parent).parent == ROOT;
    if own.kind != K::If.into() || !is_top {
        return None;
    }
    let test = arena.slice(arena.child(node, F::Test.into())?);
    let is_known = test.ends_with("TYPE_CHECKING") || test.contains("__name__");
    (is_known && test.len() <= MAX_TITLE && !test.contains(['\n', '\r', '['])).then(|| format!("if {test}"))
}

/// The docstring of a block: the string at its start.
fn documentation(arena: &Arena, block: NodeIndex) -> Option<NodeIndex> {
    let first = arena.children(block).next()?;
    let is_string = arena.children(first).any(|child| arena.node(child).kind == K::String.into());
    (arena.node(first).kind == K::ExprStatement.into() && is_string).then_some(first)
}

/// The keywords, which cannot be names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Returns whether a text has the form of an identifier. It may be a keyword.
fn is_word(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    starts && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Checks that a word is an identifier.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    if is_word(name) && !KEYWORDS.contains(&name) {
        return Ok(());
    }
    let failure = fail(FailureKind::InvalidArgument, format!("`{name}` is not a valid name"));
    if KEYWORDS.contains(&name) {
        return Err(failure.hint("it is a keyword").candidates([format!("{name}_")]));
    }
    Err(failure.hint("a name has letters, digits and `_`, and does not start with a digit"))
}
