//! Checks of a lowering against its grammar, for the native tests of packs.

use marquetry_code::{CodeDocument, Language};

use crate::{Grammar, runtime};

/// Asserts that the grammar has every name in its lowering.
///
/// # Panics
///
/// Panics with a list of the missing names.
#[track_caller]
pub fn check_lowering(grammar: &'static Grammar) {
    let lowering = grammar.lowering;
    let (names, known) = (runtime::names(grammar.language), grammar.kinds());
    let is_symbol = |name: &str| names.symbols.iter().any(|(own, _)| *own == name);
    let is_kind = |name: &str| name.is_empty() || known.contains(&name);
    let lists = [lowering.comments, lowering.strings, lowering.interpolations, lowering.inlined, lowering.optional];
    let mut unknown: Vec<&str> = lists.concat().into_iter().filter(|name| !is_symbol(name)).collect();
    let roles = lowering.roles.iter().flat_map(|(parent, child, _)| [*parent, *child]);
    let renamed = lowering.renamed.iter().flat_map(|(parent, _, from, _)| [*parent, *from]);
    let contexts = lowering.contexts.iter().flat_map(|context| [context.name, context.node]);
    unknown.extend(roles.chain(renamed).chain(contexts).filter(|name| !is_kind(name)));
    let fields = lowering.renamed.iter().map(|(_, field, ..)| *field).filter(|field| *field != "*");
    unknown.extend(fields.filter(|field| !grammar.fields().contains(field)));
    assert!(unknown.is_empty(), "the grammar does not have these names: {unknown:?}");
}

/// Prints the nodes of a text, each with its role and kind in the language table.
#[expect(clippy::print_stdout, reason = "the tree is what the author of a table needs to see")]
pub fn print_tree(language: &'static Language, text: &str) {
    let document = CodeDocument::open(language, "", text.to_owned());
    let arena = document.arena();
    for (index, node) in arena.nodes() {
        let depth = arena.ancestors(index).count() - 1;
        let role = language.field_name(node.field);
        let role = if role.is_empty() { String::new() } else { format!("{role}: ") };
        let line = arena.slice(index).lines().next().unwrap_or_default();
        println!("{}{role}{}  `{line}`", "  ".repeat(depth), language.kind_name(node.kind));
    }
}
