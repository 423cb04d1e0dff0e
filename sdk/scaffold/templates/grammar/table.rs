//! The language as a table. All names in quotes are those of the grammar: its crate lists them in `src/node-types.json`.
//! The ones here are those of the grammar for Solidity; a test names those that your grammar does not have.

use std::sync::LazyLock;

use marquetry_code::{Block, DOTTED, Declaration, Hooks, Language, ParseContext};
use marquetry_grammar::{Context, Lowering, grammar};
use marquetry_sdk::items::C_STYLE;

grammar!(GRAMMAR, tree_sitter_SNAKE, LOWERING);

static LOWERING: Lowering = Lowering {
    comments: &["comment"],
    strings: &["string"],
    // Nodes that are left out: their children take their place.
    inlined: &["statement", "expression"],
    // The text around the content of a block, with which the grammar can parse the content alone.
    contexts: &[
        Context { name: "contract_body", node: "contract_body", before: "contract C {", after: "}" },
        Context { name: "struct_body", node: "struct_body", before: "struct S {", after: "}" },
        Context { name: "function_body", node: "function_body", before: "function f() {", after: "}" },
    ],
    optional: &[";", "identifier"],
    terminator: ";",
    ..Lowering::NONE
};

pub(crate) static LANGUAGE: LazyLock<Language> = LazyLock::new(|| Language {
    name: "PASCAL",
    kinds: GRAMMAR.kinds(),
    fields: GRAMMAR.fields(),
    // The root of the grammar, and the nodes whose children are statements.
    blocks: &["source_file", "contract_body", "struct_body", "function_body", "block_statement"],
    lists: &[],
    literals: &[],
    expression_statement: "expression_statement",
    form: Block::Delimited { open: "{", close: "}", headers: &["{", "(", "["] },
    comments: C_STYLE,
    inner_comments: &[],
    leading: &[],
    addresses: DOTTED,
    unit: "    ",
    gaps: (2, 2),
    declarations: DECLARATIONS,
    attached: &[],
    patterns: &[ParseContext::Inside("function_body"), ParseContext::Inside("contract_body"), ParseContext::Items],
    pattern_hint: "a pattern is an expression, statements or a declaration; `$NAME` is one of them, `$$$NAME` any number",
    pattern_examples: &["require($A, $B)"],
    imports: &["import_directive"],
    scopes: &[],
    outside: &[],
    bindings: &[],
    names: &["identifier"],
    uses: &[],
    hooks: Hooks { parse: |_, text, context| GRAMMAR.parse(text, context), ..Hooks::NONE },
});

const DECLARATIONS: &[Declaration] = &[
    declaration("contract_declaration", "contract", Some("body")),
    declaration("interface_declaration", "interface", Some("body")),
    declaration("struct_declaration", "struct", Some("body")),
    declaration("struct_member", "field", None),
    declaration("state_variable_declaration", "variable", Some("value")),
    declaration("function_definition", "function", Some("body")),
];

const fn declaration(node: &'static str, kind: &'static str, body: Option<&'static str>) -> Declaration {
    Declaration { node, kind, name: "name", separator: None, body, inside: &[], not_inside: &[] }
}
