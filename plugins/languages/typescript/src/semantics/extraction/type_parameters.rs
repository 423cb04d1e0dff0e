//! Type parameters for an extracted type: those that it uses and that are not in scope at the new place.

use marquetry_sdk::Result;
use marquetry_sdk::refactor::refactor_failure;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::contains;
use crate::semantics::selected_type::ChosenType;
use crate::semantics::{Semantics, positions, refusal_at};
use crate::syntax::spans::{IntoOxc as _, statement_span};

/// Type parameters in the order of their first use.
pub(crate) struct TypeParameters {
    /// Names and constraints.
    found: Vec<(String, Option<String>)>,
}

impl TypeParameters {
    /// Returns `<T extends A, U>`, or an empty text.
    pub(crate) fn declaration_list(&self) -> String {
        let written = self.found.iter().map(|(name, bound)| match bound {
            Some(bound) => format!("{name} extends {bound}"),
            None => name.clone(),
        });
        angle_bracket_list(&written.collect::<Vec<String>>())
    }

    /// Returns the type parameters in JSDoc syntax: `{A} T`.
    pub(crate) fn as_templates(&self) -> Vec<String> {
        let written = self.found.iter().map(|(name, bound)| match bound {
            Some(bound) => format!("{{{bound}}} {name}"),
            None => name.clone(),
        });
        written.collect()
    }

    /// Returns the name of the new type with type arguments.
    pub(crate) fn apply_to(&self, name: &str) -> String {
        let names: Vec<String> = self.found.iter().map(|(name, _)| name.clone()).collect();
        format!("{name}{}", angle_bracket_list(&names))
    }
}

fn angle_bracket_list(items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("<{}>", items.join(", ")) }
}

/// The statement before which the new type is declared.
#[derive(Clone, Copy)]
pub(crate) struct DeclarationSite {
    pub(crate) statement: Span,
    scope: ScopeId,
}

impl<'a> Semantics<'_, 'a> {
    /// Returns the enclosing statement before which other statements can be inserted.
    pub(crate) fn declaration_site(self, node: NodeId) -> Result<DeclarationSite> {
        let mut inner = node;
        for around in self.nodes().ancestors(node) {
            let is_list = positions::is_statement_list(&around.kind());
            let statement = self.span(inner);
            let mut lists = positions::statement_lists(around.kind()).filter(|_| is_list);
            let index = |list: &&[Statement<'_>]| list.iter().position(|it| it.span() == statement);
            if let Some((list, index)) = lists.find_map(|list| Some((list, index(&list)?))) {
                let statement = statement_span(positions::with_overloads(list, index), self.text()).into_oxc();
                return Ok(DeclarationSite { statement, scope: self.scope_of(inner) });
            }
            inner = around.id();
        }
        Err(refactor_failure("the selection is not inside a statement"))
    }

    /// Returns the type parameters that a type needs at another place. Fails if it depends on its place in another
    /// way.
    pub(crate) fn type_parameters(self, chosen: &ChosenType<'a>, home: &DeclarationSite) -> Result<TypeParameters> {
        ParameterSearch { code: self, chosen, scope: home.scope }.find()
    }
}

/// The search for the type parameters that a type needs.
struct ParameterSearch<'p, 'a> {
    code: Semantics<'p, 'a>,
    chosen: &'p ChosenType<'a>,
    /// The scope of the new place.
    scope: ScopeId,
}

impl<'a> ParameterSearch<'_, 'a> {
    fn find(&self) -> Result<TypeParameters> {
        self.check_this()?;
        self.check_infer()?;
        let mut needed: Vec<SymbolId> = Vec::new();
        self.collect_needed(self.chosen.span, &mut needed)?;
        let mut at = 0;
        // A constraint may use further type parameters.
        while let Some(symbol) = needed.get(at).copied() {
            for bound in self.constraints_at_type(symbol)? {
                self.collect_needed(bound, &mut needed)?;
            }
            at += 1;
        }
        let found = needed.into_iter().map(|symbol| {
            let bounds = self.constraints_at_type(symbol)?;
            let written: Vec<String> = bounds.iter().map(|bound| self.constraint_text(*bound, bounds.len())).collect();
            let bound = (!written.is_empty()).then(|| written.join(" & "));
            Ok((self.code.name_of(symbol).to_owned(), bound))
        });
        Ok(TypeParameters { found: found.collect::<Result<_>>()? })
    }

    /// Returns one of `count` constraints, in parentheses if there are several and it is more than a name.
    fn constraint_text(&self, bound: Span, count: usize) -> String {
        let text = self.code.source(bound);
        let is_whole = count == 1 || text.chars().all(|c| c.is_alphanumeric() || "_$.<>[]\"'".contains(c));
        if is_whole { text.to_owned() } else { format!("({text})") }
    }

    /// Returns the constraints of a type parameter at the type: from its declaration and enclosing conditional types.
    fn constraints_at_type(&self, symbol: SymbolId) -> Result<Vec<Span>> {
        let (code, chosen) = (self.code, self.chosen);
        let is_it = |ty: &TSType<'_>| {
            matches!(ty, TSType::TSTypeReference(reference)
                if matches!(&reference.type_name, TSTypeName::IdentifierReference(name)
                    if code.symbol_of(name) == Some(symbol)))
        };
        let mut found: Vec<Span> = self.declared_constraint(symbol).into_iter().collect();
        for kind in code.nodes().ancestor_kinds(chosen.node) {
            let AstKind::TSConditionalType(it) = kind else { continue };
            if !is_it(&it.check_type) || !contains(it.true_type.span(), chosen.span) {
                continue;
            }
            let asked = it.extends_type.span();
            if code.nodes_in(asked).any(|(_, kind)| matches!(kind, AstKind::TSInferType(_))) {
                let message = format!("`{}` is narrowed by the surrounding conditional type", code.name_of(symbol));
                return Err(refusal_at(message, it.span).hint("select the whole conditional type"));
            }
            found.push(asked);
        }
        Ok(found)
    }

    /// Returns the declared constraint of a type parameter.
    fn declared_constraint(&self, symbol: SymbolId) -> Option<Span> {
        match self.code.kind(self.code.declaration_of(symbol)) {
            AstKind::TSTypeParameter(it) => it.constraint.as_ref().map(|bound| bound.span()),
            AstKind::TSMappedType(it) => Some(it.constraint.span()),
            _ => None,
        }
    }

    /// Adds the type parameters that are used within a span and are not in scope at the new place.
    fn collect_needed(&self, within: Span, needed: &mut Vec<SymbolId>) -> Result<()> {
        let (code, chosen) = (self.code, self.chosen);
        for (_, kind) in code.nodes_in(within) {
            let AstKind::IdentifierReference(name) = kind else { continue };
            let symbol = code.symbol_of(name);
            if symbol.is_some_and(|symbol| contains(chosen.span, code.scoping().symbol_span(symbol)))
                || code.binding(self.scope, &name.name) == symbol
            {
                continue;
            }
            let declared = symbol.map(|symbol| (symbol, code.kind(code.declaration_of(symbol))));
            let Some((symbol, AstKind::TSTypeParameter(_) | AstKind::TSMappedType(_))) = declared else {
                let message = format!("`{}` is not in scope outside the type around it", name.name);
                return Err(refusal_at(message, name.span).hint("select the type that contains it"));
            };
            if self.declared_constraint(symbol).is_some_and(|bound| contains(bound, chosen.span)) {
                let message = format!("the constraint of `{}` refers to the selected type", name.name);
                return Err(refusal_at(message, name.span).hint("select a part that does not use it"));
            }
            if !needed.contains(&symbol) {
                needed.push(symbol);
            }
        }
        Ok(())
    }

    /// Yields the nodes inside the type, with their ancestors inside the type.
    fn nodes_with_ancestors(&self) -> impl Iterator<Item = (AstKind<'a>, impl Iterator<Item = AstKind<'a>>)> {
        let (code, own) = (self.code, self.chosen.span);
        code.nodes_in(own).map(move |(node, kind)| {
            (kind, code.nodes().ancestor_kinds(node).take_while(move |around| contains(own, around.span())))
        })
    }

    /// Refuses a `this` that refers to the enclosing class, interface or function.
    fn check_this(&self) -> Result<()> {
        for (kind, mut around) in self.nodes_with_ancestors() {
            let is_own = match kind {
                AstKind::TSThisType(_) => false,
                AstKind::ThisExpression(_) => {
                    around.any(|kind| matches!(kind, AstKind::TSFunctionType(it) if it.this_param.is_some()))
                }
                _ => true,
            };
            if !is_own {
                return Err(refusal_at("`this` would be a different type at the new position", kind.span())
                    .hint("select a part that does not use it"));
            }
        }
        Ok(())
    }

    /// Refuses `infer` without its conditional type.
    fn check_infer(&self) -> Result<()> {
        for (kind, mut around) in self.nodes_with_ancestors() {
            let span = kind.span();
            let is_condition = |kind: AstKind<'_>| matches!(kind, AstKind::TSConditionalType(it) if contains(it.extends_type.span(), span));
            if matches!(kind, AstKind::TSInferType(_)) && !around.any(is_condition) {
                return Err(refusal_at("`infer` is only valid in its conditional type", span)
                    .hint("select the whole conditional type"));
            }
        }
        Ok(())
    }
}
