//! The order in which moved code runs: the destination is loaded before the code that stays in the original file.

use std::collections::BTreeSet;
use std::rc::Rc;

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{Effects, effects_of, executed_nodes};
use crate::semantics::implicit_code::ImplicitCode;
use crate::semantics::moves::source_file::{MoveSource, declaration_of};
use crate::semantics::refusal_at;
use crate::syntax::spans::span_in;

impl MoveSource<'_, '_> {
    /// Refuses to move an assignment of a member, such as `A.k = 5`, if code that stays may use the object before.
    pub(super) fn check_assigned_members(&self) -> Result<()> {
        let assigned = self.statements.iter().filter_map(|index| Some((*index, self.assigned_object(*index)?)));
        for (index, object) in assigned {
            let declared = self.here.scoping().symbol_span(object);
            let first = self.statement_at(declared).unwrap_or_default();
            let holders = self.symbols_that_use(object);
            let between = (first + 1..index).filter(|at| !self.statements.contains(at));
            for staying in between {
                if let Some(used) = self.first_use(staying, &holders) {
                    let name = self.here.name_of(object);
                    let message = format!("this may use `{name}` before the moved code sets a member of it");
                    return Err(refusal_at(message, used).hint(format!(
                        "first move the assignments of its members next to the declaration of `{name}`"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns the object of which a statement only assigns a member: `A` of `A.k = 5`, `A.prototype.f = …`.
    pub(super) fn assigned_object(&self, index: usize) -> Option<SymbolId> {
        let Statement::ExpressionStatement(statement) = &self.body()[index] else { return None };
        let Expression::AssignmentExpression(set) = &statement.expression else { return None };
        let mut object = set.left.as_member_expression()?.object();
        while let Some(inner) = object.as_member_expression() {
            object = inner.object();
        }
        let Expression::Identifier(name) = object else { return None };
        self.here.symbol_of(name)
    }

    /// Returns a symbol and those of top-level declarations that mention it, directly or through others.
    fn symbols_that_use(&self, symbol: SymbolId) -> BTreeSet<SymbolId> {
        let mut found = BTreeSet::from([symbol]);
        let mut open = vec![symbol];
        while let Some(symbol) = open.pop() {
            for (_, place) in self.uses_of(symbol) {
                let Some(at) = self.statement_at(place) else { continue };
                open.extend(self.declared_symbols(at).into_iter().filter(|declared| found.insert(*declared)));
            }
        }
        found
    }

    /// Returns the first place in a statement that uses one of the symbols while the file is loaded, other than to store
    /// its value.
    fn first_use(&self, statement: usize, symbols: &BTreeSet<SymbolId>) -> Option<Span> {
        let statement = self.body()[statement].span();
        let semantic = self.here.semantic();
        let nodes = executed_nodes(semantic, NodeId::ROOT, statement);
        let mut used = nodes.filter_map(|(node, kind)| {
            let AstKind::IdentifierReference(name) = kind else { return None };
            let is_stored = match self.here.parent_kind(node) {
                AstKind::ObjectProperty(_)
                | AstKind::ArrayExpression(_)
                | AstKind::VariableDeclarator(_)
                | AstKind::ExportSpecifier(_)
                | AstKind::ExportDefaultDeclaration(_) => true,
                AstKind::AssignmentExpression(set) => set.right.span() == name.span,
                _ => false,
            };
            let symbol = self.here.symbol_of(name)?;
            (!is_stored && self.is_value_use(node) && symbols.contains(&symbol)).then_some(name.span)
        });
        used.next()
    }

    /// Returns a warning if the moved code has side effects when it is loaded, which now happen when the other file is
    /// loaded, or if it reads something then that code before it changes.
    pub(super) fn load_time_warning(&self) -> Option<String> {
        let implicit = Rc::new(ImplicitCode::of_program(self.checker));
        let effects = |(node, span)| effects_of(self.here.semantic(), &implicit, node, span);
        let name = self.statements.iter().find_map(|index| {
            let mut parts = self.loaded_parts(*index).into_iter();
            let found = parts.find(|(_, part)| {
                let effects = effects(*part);
                effects.has_side_effects || self.is_changed_before(*index, &effects)
            });
            found.map(|(name, _)| name)
        })?;
        let name = span_in(name, self.text()).slice(self.text());
        Some(format!("`{name}` is now initialized when `{}` is loaded, which may be at a different time", self.to))
    }

    /// Returns the parts of a statement that run when the file is loaded, each with the place of its name.
    fn loaded_parts(&self, index: usize) -> Vec<(Span, (NodeId, Span))> {
        let statement = &self.body()[index];
        if self.assigned_object(index).is_some()
            && let Statement::ExpressionStatement(statement) = statement
            && let Expression::AssignmentExpression(set) = &statement.expression
        {
            let key = set.left.as_member_expression().filter(|member| member.is_computed());
            let key = key.map(|member| (set.left.span(), (NodeId::ROOT, member.span())));
            return key.into_iter().chain([(set.left.span(), (NodeId::ROOT, set.right.span()))]).collect();
        }
        match declaration_of(statement) {
            Some(Declaration::VariableDeclaration(variables)) => {
                let variables = variables.declarations.iter();
                variables.map(|it| (it.id.span(), (it.node_id.get(), it.span))).collect()
            }
            Some(Declaration::ClassDeclaration(class)) => loaded_class_parts(class),
            Some(Declaration::TSEnumDeclaration(it)) => vec![(it.id.span, (it.node_id.get(), it.span))],
            Some(Declaration::TSNamespaceDeclaration(it)) => vec![(it.id.span(), (it.node_id.get(), it.span))],
            _ => Vec::new(),
        }
    }

    /// Returns whether code before a moved statement that stays changes what the moved code reads.
    fn is_changed_before(&self, index: usize, effects: &Effects) -> bool {
        let mut staying = (0..index).filter(|at| !self.statements.contains(at));
        staying.any(|at| {
            let statement = self.body()[at].span();
            effects.first_obstacle(self.here.semantic(), NodeId::ROOT, statement).is_some()
        })
    }
}

/// Returns the parts of a class that run when the class is created.
fn loaded_class_parts(class: &Class<'_>) -> Vec<(Span, (NodeId, Span))> {
    let Some(name) = class.id.as_ref().map(|id| id.span) else { return Vec::new() };
    let decorators = class.decorators.iter().map(|it| (it.node_id.get(), it.span));
    let base = class.heritage.iter().map(|it| (NodeId::ROOT, it.expression.span()));
    let elements = class.body.body.iter().flat_map(|element| match element {
        ClassElement::StaticBlock(it) => vec![(it.node_id.get(), it.span)],
        ClassElement::PropertyDefinition(it) if it.r#static => vec![(it.node_id.get(), it.span)],
        ClassElement::PropertyDefinition(it) if it.computed => vec![(NodeId::ROOT, it.key.span())],
        ClassElement::AccessorProperty(it) if it.r#static => vec![(it.node_id.get(), it.span)],
        ClassElement::MethodDefinition(it) => {
            let key = it.computed.then(|| (NodeId::ROOT, it.key.span()));
            let decorators = it.decorators.iter().map(|it| (it.node_id.get(), it.span));
            key.into_iter().chain(decorators).collect()
        }
        _ => Vec::new(),
    });
    decorators.chain(base).chain(elements).map(|part| (name, part)).collect()
}
