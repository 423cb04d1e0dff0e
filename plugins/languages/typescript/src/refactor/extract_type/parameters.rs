//! Type parameters for an extracted type: those that it uses and that are not in scope at the new place.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan as _, Span};

use super::choice::ChosenType;
use super::{DeclarationSite, TypeExtraction, refusal};
use crate::semantics::effects::contains;
use crate::syntax::spans::to_sdk_span;

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
        let scoping = self.semantic.scoping();
        let found = needed.into_iter().map(|symbol| {
            let bounds = self.constraints_at_type(symbol, chosen)?;
            let written: Vec<String> = bounds.iter().map(|bound| self.constraint_text(*bound, bounds.len())).collect();
            let bound = (!written.is_empty()).then(|| written.join(" & "));
            Ok((scoping.symbol_name(symbol).to_owned(), bound))
        });
        Ok(TypeParameters { found: found.collect::<Result<_>>()? })
    }

    /// Returns one of `count` constraints, in parentheses if there are several and it is more than a name.
    fn constraint_text(&self, bound: Span, count: usize) -> String {
        let text = to_sdk_span(bound).slice(self.text());
        let is_whole = count == 1 || text.chars().all(|c| c.is_alphanumeric() || "_$.<>[]\"'".contains(c));
        if is_whole { text.to_owned() } else { format!("({text})") }
    }

    /// Returns the constraints of a type parameter at the type: from its declaration and enclosing conditional types.
    fn constraints_at_type(&self, symbol: SymbolId, chosen: &ChosenType<'a>) -> Result<Vec<Span>> {
        let (scoping, nodes) = (self.semantic.scoping(), self.semantic.nodes());
        let is_it = |ty: &TSType<'_>| match ty {
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) => {
                    name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id()) == Some(symbol)
                }
                _ => false,
            },
            _ => false,
        };
        let mut found: Vec<Span> = self.declared_constraint(symbol).into_iter().collect();
        for kind in nodes.ancestor_kinds(chosen.node) {
            let AstKind::TSConditionalType(it) = kind else { continue };
            if !is_it(&it.check_type) || !contains(it.true_type.span(), chosen.span) {
                continue;
            }
            let asked = it.extends_type.span();
            let mut inside = nodes.iter().filter(|node| contains(asked, node.kind().span()));
            if inside.any(|node| matches!(node.kind(), AstKind::TSInferType(_))) {
                let message =
                    format!("`{}` is narrowed by the surrounding conditional type", scoping.symbol_name(symbol));
                return Err(refusal(message).hint("select the whole conditional type").at(to_sdk_span(it.span)));
            }
            found.push(asked);
        }
        Ok(found)
    }

    /// Returns the declared constraint of a type parameter.
    fn declared_constraint(&self, symbol: SymbolId) -> Option<Span> {
        let node = self.semantic.scoping().symbol_declaration(symbol);
        match self.semantic.nodes().kind(node) {
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
        let (scoping, nodes) = (self.semantic.scoping(), self.semantic.nodes());
        for node in nodes.iter().filter(|node| contains(within, node.kind().span())) {
            let AstKind::IdentifierReference(name) = node.kind() else { continue };
            let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
            if symbol.is_some_and(|symbol| contains(chosen.span, scoping.symbol_span(symbol))) {
                continue;
            }
            if scoping.find_binding(home.scope, Ident::from(name.name.as_str())) == symbol {
                continue;
            }
            let declared = symbol.map(|symbol| (symbol, nodes.kind(scoping.symbol_declaration(symbol))));
            let Some((symbol, AstKind::TSTypeParameter(_) | AstKind::TSMappedType(_))) = declared else {
                return Err(refusal(format!("`{}` is not in scope outside the type around it", name.name))
                    .hint("select the type that contains it")
                    .at(to_sdk_span(name.span)));
            };
            if self.declared_constraint(symbol).is_some_and(|bound| contains(bound, chosen.span)) {
                return Err(refusal(format!("the constraint of `{}` refers to the selected type", name.name))
                    .hint("select a part that does not use it")
                    .at(to_sdk_span(name.span)));
            }
            if !needed.contains(&symbol) {
                needed.push(symbol);
            }
        }
        Ok(())
    }

    /// Refuses a `this` that refers to the enclosing class, interface or function.
    fn check_this(&self, chosen: &ChosenType<'a>) -> Result<()> {
        let nodes = self.semantic.nodes();
        let inside = nodes.iter().filter(|node| contains(chosen.span, node.kind().span()));
        for node in inside {
            let is_own = match node.kind() {
                AstKind::TSThisType(_) => false,
                AstKind::ThisExpression(_) => {
                    let around = nodes.ancestor_kinds(node.id()).take_while(|kind| contains(chosen.span, kind.span()));
                    around
                        .into_iter()
                        .any(|kind| matches!(kind, AstKind::TSFunctionType(it) if it.this_param.is_some()))
                }
                _ => true,
            };
            if !is_own {
                return Err(refusal("`this` would be a different type at the new position")
                    .hint("select a part that does not use it")
                    .at(to_sdk_span(node.kind().span())));
            }
        }
        Ok(())
    }

    /// Refuses `infer` without its conditional type.
    fn check_infer(&self, chosen: &ChosenType<'a>) -> Result<()> {
        let nodes = self.semantic.nodes();
        let inside = nodes.iter().filter(|node| contains(chosen.span, node.kind().span()));
        for node in inside.filter(|node| matches!(node.kind(), AstKind::TSInferType(_))) {
            let span = node.kind().span();
            let mut around = nodes.ancestor_kinds(node.id()).take_while(|kind| contains(chosen.span, kind.span()));
            let has_condition = around
                .any(|kind| matches!(kind, AstKind::TSConditionalType(it) if contains(it.extends_type.span(), span)));
            if !has_condition {
                return Err(refusal("`infer` is only valid in its conditional type")
                    .hint("select the whole conditional type")
                    .at(to_sdk_span(span)));
            }
        }
        Ok(())
    }
}
