//! Names and scopes: free names of a piece of code, and conflicts of new names.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::Ident;
use oxc_semantic::{ReferenceFlags, ReferenceId, ScopeId, Scoping, Semantic, SymbolId};
use oxc_span::Span;
use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::keyword::is_reserved_keyword;

/// A name that is used within a piece of code and declared outside of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FreeName<'a> {
    pub(crate) name: &'a str,
    /// `None` if the file does not declare it.
    pub(crate) symbol: Option<SymbolId>,
}

/// Returns a name similar to `wanted` that is not used in the file, so it can be declared anywhere.
pub(crate) fn fresh_name(scoping: &Scoping, wanted: &str) -> String {
    let taken: HashSet<&str> = scoping
        .symbol_ids()
        .map(|symbol| scoping.symbol_name(symbol))
        .chain(scoping.root_unresolved_references().keys().map(|name| name.as_str()))
        .collect();
    let is_free = |name: &String| !taken.contains(name.as_str()) && !is_reserved_keyword(name);
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = if stem.is_empty() { wanted } else { stem };
    let numbered = (1_u32..).map(|number| format!("{stem}{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// Returns whether a function can have a name: a method, or a function that is declared.
pub(crate) fn is_function_name(name: &str, is_method: bool) -> bool {
    let is_kept = if is_method { name == "constructor" } else { is_reserved_keyword(name) };
    is_identifier_name(name) && !is_kept
}

/// Reason why a symbol cannot be renamed.
#[derive(Debug, PartialEq)]
pub(crate) enum Collision {
    /// The scope of the symbol declares another symbol with this name.
    Declared(SymbolId),
    /// At this reference, another symbol with this name is in an inner scope.
    Shadowed { use_at: Span, by: SymbolId },
    /// This reference to the name would refer to the renamed symbol.
    Captured { use_at: Span },
}

/// Returns the conflict of a new name for a symbol, if there is one.
pub(crate) fn collision(semantic: &Semantic<'_>, symbol: SymbolId, new: &str) -> Option<Collision> {
    let scoping = semantic.scoping();
    let home = scoping.symbol_scope_id(symbol);
    let bound = |scope: ScopeId| scoping.get_binding(scope, Ident::from(new));
    if let Some(other) = bound(home).filter(|other| !are_type_and_value(scoping, symbol, *other)) {
        return Some(Collision::Declared(other));
    }
    // No scope between a reference and the declaration may declare the new name.
    for reference in scoping.get_resolved_references(symbol) {
        let mut between = scoping.scope_ancestors(reference.scope_id()).take_while(|scope| *scope != home);
        let in_the_way = |other: &SymbolId| can_refer_to(scoping, reference.flags(), *other);
        if let Some(by) = between.by_ref().filter_map(bound).find(in_the_way) {
            return Some(Collision::Shadowed { use_at: semantic.reference_span(reference), by });
        }
    }
    // No reference to the new name from inside the scope may be captured.
    let captured = references_named(semantic, new).into_iter().find(|id| {
        let other = scoping.get_reference(*id);
        let within = |scope: ScopeId| scope == home || scoping.scope_is_descendant_of(scope, home);
        let nearer = other.symbol_id().is_some_and(|found| within(scoping.symbol_scope_id(found)));
        within(other.scope_id()) && !nearer && can_refer_to(scoping, other.flags(), symbol)
    });
    captured.map(|id| Collision::Captured { use_at: semantic.reference_span(scoping.get_reference(id)) })
}

/// Returns whether one of two symbols is only a type and the other only a value, so that both can be declared in one
/// scope.
fn are_type_and_value(scoping: &Scoping, one: SymbolId, other: SymbolId) -> bool {
    let is_local = |symbol| {
        let flags = scoping.symbol_flags(symbol);
        !flags.is_import() && !flags.is_type_import()
    };
    let is_type = |symbol| {
        let flags = scoping.symbol_flags(symbol);
        (flags.is_type_alias() || flags.is_interface()) && !flags.can_be_referenced_by_value()
    };
    let is_value = |symbol| {
        let flags = scoping.symbol_flags(symbol);
        (flags.is_variable() || flags.is_function()) && !flags.can_be_referenced_by_type()
    };
    is_local(one) && is_local(other) && (is_type(one) && is_value(other) || is_value(one) && is_type(other))
}

/// Returns whether a reference of this kind can refer to the symbol: types and values do not conflict.
fn can_refer_to(scoping: &Scoping, reference: ReferenceFlags, symbol: SymbolId) -> bool {
    let flags = scoping.symbol_flags(symbol);
    reference.is_value() && flags.can_be_referenced_by_value()
        || reference.is_type() && flags.can_be_referenced_by_type()
        || reference.is_value_as_type() && flags.can_be_referenced_by_value_as_type()
}

/// Returns the references with this name.
fn references_named(semantic: &Semantic<'_>, name: &str) -> Vec<ReferenceId> {
    let nodes = semantic.nodes().iter();
    nodes
        .filter_map(|node| match node.kind() {
            AstKind::IdentifierReference(reference) if reference.name == name => reference.reference_id.get(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use oxc_semantic::NodeId;

    use super::*;
    use crate::semantics::effects::used_names;
    use crate::syntax::tree::Tree;

    fn with_semantic<R>(text: &str, look: impl FnOnce(&Semantic<'_>) -> R) -> R {
        Tree::parse("a.ts", text.to_owned()).with(|parsed| look(parsed.semantic()))
    }

    /// Checks the free names of the text between `«` and `»`; undeclared ones are marked with `?`.
    #[track_caller]
    fn check_free(marked: &str, expected: &[&str]) {
        let start = marked.find('«').expect("«");
        let end = marked.find('»').expect("»") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        with_semantic(&text, |semantic| {
            let names = used_names(semantic, NodeId::ROOT, Span::new(start as u32, end as u32));
            let shown = |free: &FreeName<'_>| format!("{}{}", free.name, if free.symbol.is_some() { "" } else { "?" });
            let mut names: Vec<String> = names.iter().map(shown).collect();
            names.sort();
            assert_eq!(names, expected, "{marked}");
        });
    }

    #[test]
    fn free_names_are_those_declared_outside() {
        check_free("const a = 1; «f(a);»", &["a", "f?"]);
        check_free("const a = 1; «{ const a = 2; f(a); }»", &["f?"]);
        check_free("function g(a) { «const b = a; return b + c;» } let c;", &["a", "c"]);
        check_free("function g(a) { return «x => x + a»; }", &["a"]);
        check_free("type T = 1; «let b: T | U;»", &["T", "U?"]);
        check_free("const a = 1; «const o = { a, b: 1, a2: o.a };»", &["a"]);
        check_free("«function f() { return f; }» f();", &[]);
        check_free("«var a; »var a; a;", &[]);
        check_free("enum E { A } «E.A»;", &["E"]);
    }

    #[test]
    fn fresh_names_do_not_collide() {
        for (text, wanted, name) in [
            ("", "a", "a"),
            ("let a;", "a", "a1"),
            ("let a, a1;", "a", "a2"),
            ("a1; let a;", "a", "a2"),
            ("{ let a1; } function a() {}", "a1", "a2"),
            ("type a = 1;", "a", "a1"),
            ("", "class", "class1"),
            ("let 名;", "名", "名1"),
        ] {
            assert_eq!(with_semantic(text, |semantic| fresh_name(semantic.scoping(), wanted)), name, "{text}");
        }
    }

    /// Returns the conflict of renaming `a` to `b`.
    fn in_the_way(text: &str) -> Option<&'static str> {
        with_semantic(text, |semantic| {
            let scoping = semantic.scoping();
            let symbol = scoping.symbol_ids().find(|symbol| scoping.symbol_name(*symbol) == "a").expect("`a`");
            collision(semantic, symbol, "b").map(|collision| match collision {
                Collision::Declared(_) => "declared",
                Collision::Shadowed { .. } => "hidden",
                Collision::Captured { .. } => "captured",
            })
        })
    }

    #[test]
    fn detects_colliding_names() {
        assert_eq!(in_the_way("let a; a;"), None);
        assert_eq!(in_the_way("let a, b;"), Some("declared"));
        assert_eq!(in_the_way("let a; { let b; a; }"), Some("hidden"));
        assert_eq!(in_the_way("let a; { type b = 1; a; }"), None);
        assert_eq!(in_the_way("let a; { let b; b; }"), None);
        assert_eq!(in_the_way("function f() { let a; b; } let b;"), Some("captured"));
        assert_eq!(in_the_way("let a; function f() { b(); }"), Some("captured"));
        assert_eq!(in_the_way("function f() { let a; } b;"), None);
    }
}
