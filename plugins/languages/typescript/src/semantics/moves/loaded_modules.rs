//! Members that code uses of a module that it loads at run time: `(await import("x")).a`, `import("x").then(m => m.a)`.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::imports::module_uses::module_member;
use crate::program::commonjs::static_key_name;
use crate::program::module::Module;

/// Value of an expression or a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Loaded {
    Module,
    /// A promise of the module.
    Promise,
}

/// Uses of a module that is loaded at run time.
#[derive(Default)]
pub(crate) struct LoadedUses<'w> {
    /// Members that are used, with their places.
    pub(crate) members: Vec<(&'w str, Span)>,
    /// Places at which any member may be used.
    pub(crate) unknown: Vec<Span>,
}

/// Returns the uses of the module that an expression loads.
pub(crate) fn loaded_uses<'w>(here: &Module<'w>, node: NodeId, loaded: Loaded) -> LoadedUses<'w> {
    let mut finder = UseFinder { here, seen: HashSet::new(), found: LoadedUses::default() };
    finder.follow(node, loaded);
    finder.found
}

struct UseFinder<'m, 'w> {
    here: &'m Module<'w>,
    seen: HashSet<(SymbolId, Loaded)>,
    found: LoadedUses<'w>,
}

impl<'w> UseFinder<'_, 'w> {
    /// Follows an expression whose value is the module or a promise of it.
    fn follow(&mut self, node: NodeId, loaded: Loaded) {
        let own = self.here.kind(node).span();
        let parent = self.here.parent(node);
        match self.here.kind(parent) {
            AstKind::AwaitExpression(_) => self.follow(parent, Loaded::Module),
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSAsExpression(_)
            | AstKind::TSSatisfiesExpression(_)
            | AstKind::TSNonNullExpression(_) => self.follow(parent, loaded),
            AstKind::ExpressionStatement(_) => {}
            AstKind::VariableDeclarator(variable) if variable.init.as_ref().is_some_and(|init| init.span() == own) => {
                self.follow_pattern(&variable.id, loaded);
            }
            AstKind::StaticMemberExpression(member) if loaded == Loaded::Promise && member.object.span() == own => {
                self.follow_callback(parent, member);
            }
            AstKind::ArrowFunctionExpression(_) if self.is_lazy_component(parent) => {
                self.found.members.push(("default", own));
            }
            AstKind::ComputedMemberExpression(ComputedMemberExpression {
                object,
                expression: Expression::StringLiteral(name),
                ..
            }) if loaded == Loaded::Module && object.span() == own => match name.value.as_str() {
                Some(value) => self.found.members.push((value, name.span)),
                None => self.found.unknown.push(own),
            },
            _ => match module_member(self.here, node).filter(|_| loaded == Loaded::Module) {
                Some(member) => self.found.members.push((member.name, member.name_span)),
                None => self.found.unknown.push(own),
            },
        }
    }

    fn follow_pattern(&mut self, pattern: &'w BindingPattern<'w>, loaded: Loaded) {
        match pattern {
            BindingPattern::BindingIdentifier(local) => {
                let Some(symbol) = local.symbol_id.get().filter(|symbol| self.seen.insert((*symbol, loaded))) else {
                    return;
                };
                let uses: Vec<NodeId> = self.here.references_of(symbol).map(|(node, _)| node).collect();
                uses.into_iter().for_each(|node| self.follow(node, loaded));
            }
            BindingPattern::ObjectPattern(object) if loaded == Loaded::Module => {
                for property in &object.properties {
                    match static_key_name(&property.key) {
                        Some(name) => self.found.members.push((name, property.key.span())),
                        None => self.found.unknown.push(property.span),
                    }
                }
                self.found.unknown.extend(object.rest.iter().map(|rest| rest.span));
            }
            other => self.found.unknown.push(other.span()),
        }
    }

    /// Follows a promise of the module of which a method is called.
    fn follow_callback(&mut self, node: NodeId, member: &'w StaticMemberExpression<'w>) {
        let parent = self.here.parent(node);
        let call = match self.here.kind(parent) {
            AstKind::CallExpression(call) if call.callee.span() == member.span => call,
            _ => return self.found.unknown.push(member.span),
        };
        match member.property.name.as_str() {
            "then" => {
                let parameters = match call.arguments.first() {
                    Some(Argument::ArrowFunctionExpression(arrow)) => &arrow.params,
                    Some(Argument::FunctionExpression(function)) => &function.params,
                    _ => return self.found.unknown.push(call.span),
                };
                match (parameters.items.first(), &parameters.rest) {
                    (Some(first), _) => self.follow_pattern(&first.pattern, Loaded::Module),
                    (None, Some(rest)) => self.found.unknown.push(rest.span),
                    (None, None) => {}
                }
            }
            // The result of the call is a promise of the module again.
            "catch" | "finally" => self.follow(parent, Loaded::Promise),
            _ => self.found.unknown.push(call.span),
        }
    }

    /// Returns whether a function is the argument of `lazy`, which uses the default export of the module.
    fn is_lazy_component(&self, function: NodeId) -> bool {
        let own = self.here.kind(function).span();
        let AstKind::CallExpression(call) = self.here.parent_kind(function) else { return false };
        let is_argument = call.arguments.first().is_some_and(|first| first.span() == own);
        is_argument
            && match &call.callee {
                Expression::Identifier(name) => name.name == "lazy",
                Expression::StaticMemberExpression(member) => member.property.name == "lazy",
                _ => false,
            }
    }
}
