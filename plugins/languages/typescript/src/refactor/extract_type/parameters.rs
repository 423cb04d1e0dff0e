//! Type parameters for an extracted type: those that it uses and that are not in scope at the new place.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan as _, Span};

use super::{DeclarationSite, TypeExtraction};
use crate::semantics::effects::contains;
use crate::semantics::refusal_at;
use crate::semantics::selected_type::ChosenType;

/// Type parameters in the order of their first use.
pub(super) struct TypeParameters {
    /// Names and constraints.
    found: Vec<(String, Option<String>)>,
}

impl TypeParameters {
    /// Returns `<T extends A, U>`, or an empty text.
    pub(super) fn declaration_list(&self) -> String {
        let written = self.found.iter().map(|(name, bound)| match bound {
            Some(bound) => format!("{name} extends {bound}"),
            None => name.clone(),
        });
        angle_bracket_list(&written.collect::<Vec<String>>())
    }

    /// Returns the type parameters in JSDoc syntax: `{A} T`.
    pub(super) fn as_templates(&self) -> Vec<String> {
        let written = self.found.iter().map(|(name, bound)| match bound {
            Some(bound) => format!("{{{bound}}} {name}"),
            None => name.clone(),
        });
        written.collect()
    }

    /// Returns the name of the new type with type arguments.
    pub(super) fn apply_to(&self, name: &str) -> String {
        let names: Vec<String> = self.found.iter().map(|(name, _)| name.clone()).collect();
        format!("{name}{}", angle_bracket_list(&names))
    }
}

fn angle_bracket_list(items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("<{}>", items.join(", ")) }
}

impl<'a> TypeExtraction<'_, 'a> {
    /// Returns the type parameters that the type needs. Refused if it depends on its place in another way.
    pub(super) fn parameters(&self, chosen: &ChosenType<'a>, home: &DeclarationSite) -> Result<TypeParameters> {
        self.check_this(chosen)?;
        self.check_infer(chosen)?;
        let mut needed: Vec<SymbolId> = Vec::new();
        self.collect_needed(chosen.span, chosen, home, &mut needed)?;
        let mut at = 0;
        // A constraint may use further type parameters.
        while let Some(symbol) = needed.get(at).copied() {
            for bound in self.constraints_at_type(symbol, chosen)? {
                self.collect_needed(bound, chosen, home, &mut needed)?;
            }
            at += 1;
        }
        let found = needed.into_iter().map(|symbol| {
            let bounds = self.constraints_at_type(symbol, chosen)?;
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
    fn constraints_at_type(&self, symbol: SymbolId, chosen: &ChosenType<'a>) -> Result<Vec<Span>> {
        let code = self.code;
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
    fn collect_needed(
        &self,
        within: Span,
        chosen: &ChosenType<'a>,
        home: &DeclarationSite,
        needed: &mut Vec<SymbolId>,
    ) -> Result<()> {
        let code = self.code;
        for (_, kind) in code.nodes_in(within) {
            let AstKind::IdentifierReference(name) = kind else { continue };
            let symbol = code.symbol_of(name);
            if symbol.is_some_and(|symbol| contains(chosen.span, code.scoping().symbol_span(symbol)))
                || code.binding(home.scope, &name.name) == symbol
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
    fn nodes_with_ancestors(
        &self,
        chosen: &ChosenType<'a>,
    ) -> impl Iterator<Item = (AstKind<'a>, impl Iterator<Item = AstKind<'a>>)> {
        let (code, own) = (self.code, chosen.span);
        code.nodes_in(own).map(move |(node, kind)| {
            (kind, code.nodes().ancestor_kinds(node).take_while(move |around| contains(own, around.span())))
        })
    }

    /// Refuses a `this` that refers to the enclosing class, interface or function.
    fn check_this(&self, chosen: &ChosenType<'a>) -> Result<()> {
        for (kind, mut around) in self.nodes_with_ancestors(chosen) {
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
    fn check_infer(&self, chosen: &ChosenType<'a>) -> Result<()> {
        for (kind, mut around) in self.nodes_with_ancestors(chosen) {
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
