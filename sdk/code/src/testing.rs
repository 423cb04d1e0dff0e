//! Checks for the native tests of packs. They check the language table, edits, and real files.

mod edits;
mod real_files;

use std::collections::BTreeSet;

use crate::{CodeDocument, language::Language};

pub use edits::{Left, check_document_laws, check_symbol_edits, dedented};
pub use real_files::RealFiles;

/// Asserts that every kind and role in the table exists, that the texts contain every kind of the language, and that
/// the texts contain every pair of a kind and a role that the table names.
///
/// # Panics
///
/// Panics with a list of the wrong or missing names.
#[track_caller]
pub fn check_language(language: &'static Language, path: &str, texts: &[&str]) {
    let (kinds, fields) = check_table(language, path, texts);
    let unused: Vec<&&str> = language.kinds.iter().filter(|kind| !kinds.contains(**kind)).collect();
    assert!(unused.is_empty(), "the texts have no nodes of these kinds: {unused:?}");
    let unused: Vec<&&str> = language.fields.iter().filter(|field| !fields.contains(**field)).collect();
    assert!(unused.is_empty(), "the texts have no nodes with these roles: {unused:?}");
}

/// Asserts that the texts contain every kind in the table, and every pair of a kind and a role. Returns the kinds and
/// roles in the texts. Use this for a grammar with nodes that the table does not need.
///
/// # Panics
///
/// Panics with a list of the wrong or missing names.
#[track_caller]
pub fn check_table(
    language: &'static Language,
    path: &str,
    texts: &[&str],
) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    let mut pairs: BTreeSet<(&str, &str)> = BTreeSet::new();
    for text in texts {
        let document = CodeDocument::open(language, path, (*text).to_owned());
        let arena = document.arena();
        assert!(arena.errors.is_empty(), "{:?} in\n{text}", arena.errors);
        for (_, node) in arena.nodes() {
            let parent = language.kind_name(arena.node(node.parent).kind);
            kinds.insert(language.kind_name(node.kind));
            pairs.insert((parent, language.field_name(node.field)));
        }
    }
    for kind in named_kinds(language) {
        assert!(kinds.contains(kind), "the table has the kind `{kind}`, which the parser does not create");
    }
    for pair in named_pairs(language) {
        assert!(pairs.contains(&pair), "the table has the role {pair:?}, which the parser does not create");
    }
    (kinds, pairs.into_iter().map(|(_, field)| field).collect())
}

fn named_kinds(language: &'static Language) -> Vec<&'static str> {
    let lists = [
        language.imports,
        language.names,
        language.uses,
        language.blocks,
        language.leading,
        &[language.expression_statement],
    ];
    let literals = language.literals.iter().flat_map(|literal| [literal.node, literal.parsed]);
    let separated = language.lists.iter().map(|list| list.node);
    let declared = language.declarations.iter().map(|declaration| declaration.node);
    let scopes = language.scopes.iter().map(|scope| scope.node);
    lists.into_iter().flatten().copied().chain(separated).chain(literals).chain(declared).chain(scopes).collect()
}

fn named_pairs(language: &'static Language) -> Vec<(&'static str, &'static str)> {
    let named = language.declarations.iter().filter(|declaration| !declaration.name.is_empty());
    let names = named.map(|declaration| (declaration.node, declaration.name));
    let bodies = language.declarations.iter().filter_map(|declaration| Some((declaration.node, declaration.body?)));
    let bound = language.bindings.iter().map(|binding| (binding.parent, binding.field));
    names.chain(bodies).chain(bound).chain(language.outside.iter().copied()).collect()
}
