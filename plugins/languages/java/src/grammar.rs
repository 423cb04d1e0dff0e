//! Converts the tree of the grammar to the arena of `marquetry_code`.

use marquetry_code::{Flags, Kind};
use marquetry_grammar::{Context, Grammar, Lowering, Raw, Tree, grammar};
use marquetry_sdk::Span;

use crate::notations::{is_unnamed_alternative, masked};

grammar!(GRAMMAR, tree_sitter_java, LOWERING);

/// The body of an enum with members: a block. Its first statement contains the list of the constants.
const ENUM_MEMBERS: &str = "enum_members";
/// The kind of the first statement in an `enum_members` block.
const ENUM_ITEMS: &str = "enum_items";
/// The kind of the list of constants in an `enum_items` statement.
const ENUM_CONSTANTS: &str = "enum_constants";

static LOWERING: Lowering = Lowering {
    comments: &["line_comment", "block_comment"],
    strings: &["string_literal", "character_literal"],
    interpolations: &["string_interpolation"],
    inlined: &["modifiers", "variable_declarator", "enum_body_declarations"],
    roles: &[("", "annotation", "annotation"), ("", "marker_annotation", "annotation")],
    renamed: &[
        ("method_declaration", "name", "identifier", "member"),
        ("constructor_declaration", "name", "identifier", "member"),
        ("compact_constructor_declaration", "name", "identifier", "member"),
        ("annotation_type_element_declaration", "name", "identifier", "member"),
        ("method_invocation", "name", "identifier", "member"),
        ("field_access", "field", "identifier", "member"),
        ("element_value_pair", "key", "identifier", "member"),
        ("class_declaration", "name", "identifier", "type_name"),
        ("interface_declaration", "name", "identifier", "type_name"),
        ("record_declaration", "name", "identifier", "type_name"),
        ("enum_declaration", "name", "identifier", "type_name"),
        ("annotation_type_declaration", "name", "identifier", "type_name"),
        ("annotation", "name", "identifier", "type_identifier"),
        ("marker_annotation", "name", "identifier", "type_identifier"),
        ("record_pattern", "", "identifier", "type_identifier"),
        ("labeled_statement", "", "identifier", "label"),
        ("break_statement", "", "identifier", "label"),
        ("continue_statement", "", "identifier", "label"),
        ("scoped_identifier", "*", "identifier", "path_part"),
        ("package_declaration", "", "identifier", "path_part"),
        ("import_declaration", "", "identifier", "path_part"),
    ],
    added: &[ENUM_MEMBERS, ENUM_ITEMS, ENUM_CONSTANTS],
    contexts: &[
        Context { name: "class_body", node: "class_body", before: "class M {", after: "}" },
        Context { name: "interface_body", node: "interface_body", before: "interface M {", after: "}" },
        Context { name: "annotation_type_body", node: "annotation_type_body", before: "@interface M {", after: "}" },
        Context { name: "enum_body", node: "enum_body", before: "enum M {", after: "}" },
        Context { name: ENUM_CONSTANTS, node: "enum_body", before: "enum M {", after: "}" },
        Context { name: ENUM_MEMBERS, node: "class_body", before: "class M {", after: "}" },
        Context { name: "block", node: "block", before: "class M { void m() {", after: "}}" },
        Context { name: "constructor_body", node: "constructor_body", before: "class M { M() {", after: "}}" },
        Context { name: "module_body", node: "module_body", before: "module m {", after: "}" },
    ],
    optional: &[";", "identifier"],
    terminator: ";",
    masked,
    reshape,
};

/// Makes the changes that the lowering table cannot express: enums with members, the names after `::`, and errors of
/// the grammar in valid code.
fn reshape(grammar: &Grammar, text: &str, tree: &mut Tree) {
    tree.errors.retain(|error| !is_unnamed_alternative(text, error.span));
    let [body, reference] = ["enum_body", "method_reference"].map(|name| grammar.kind(name));
    for index in 0..tree.nodes.len() {
        if tree.nodes[index].kind == body {
            split_enum(grammar, text, tree, index);
        } else if tree.nodes[index].kind == reference {
            let last = tree.nodes[index].children.get(1..).and_then(<[usize]>::last).copied();
            if let Some(last) = last.filter(|last| tree.nodes[*last].kind == grammar.kind("identifier")) {
                tree.nodes[last].kind = grammar.kind("member");
            }
        }
    }
}

/// If the body of an enum contains `;`, moves its constants into a list node and makes the body a block.
fn split_enum(grammar: &Grammar, text: &str, tree: &mut Tree, body: usize) {
    let constant = grammar.kind("enum_constant");
    let children = tree.nodes[body].children.clone();
    let count = children.iter().take_while(|child| tree.nodes[**child].kind == constant).count();
    let own = tree.nodes[body].span;
    let after = children[..count].last().map_or(own.start + 1, |last| tree.nodes[*last].span.end);
    let next = children.get(count).map_or(own.end, |next| tree.nodes[*next].span.start);
    let signs = tree.tokens[tree.tokens.partition_point(|token| token.span.start < after)..].iter();
    let mut signs = signs.take_while(|token| token.span.start < next);
    let Some(end) = signs.find(|token| token.span.slice(text) == ";").map(|token| token.span) else { return };
    let (members, constants) = (grammar.kind(ENUM_MEMBERS), children[..count].to_vec());
    tree.nodes[body].kind = members;
    tree.nodes[body].children = children[count..].to_vec();
    if constants.is_empty() {
        return;
    }
    // The list contains the comments before the first constant.
    let start = own.start + 1;
    let list = push(tree, grammar.kind(ENUM_CONSTANTS), Span { start, end: end.start }, constants);
    let items = push(tree, grammar.kind(ENUM_ITEMS), Span { start, end: end.end }, vec![list]);
    tree.nodes[body].children.insert(0, items);
}

fn push(tree: &mut Tree, kind: Kind, span: Span, children: Vec<usize>) -> usize {
    let field = marquetry_code::Field::NONE;
    tree.nodes.push(Raw { kind, field, span, flags: Flags::default(), children });
    tree.nodes.len() - 1
}
