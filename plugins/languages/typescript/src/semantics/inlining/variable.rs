//! Uses of a variable or type alias, and checks that its value can replace each of them.

use marquetry_sdk::{Failure, Result};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId};
use oxc_span::Span;

use crate::semantics::effects::contains;
use crate::semantics::inlining::target::{InlineTarget, TargetValue};
use crate::semantics::{Semantics, refusal, refusal_at};

/// A variable or type alias whose uses are replaced.
pub(crate) struct InlinedVariable<'i, 'a> {
    pub(crate) code: Semantics<'i, 'a>,
    pub(crate) target: &'i InlineTarget<'i, 'a>,
}

/// A use of the name.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    scope: ScopeId,
    pub(crate) around: AstKind<'a>,
}

impl<'a> InlinedVariable<'_, 'a> {
    /// Returns a warning if tests narrow the type of the variable, because the narrowing is lost if each use repeats
    /// the value.
    pub(crate) fn narrowing_warning(&self, uses: &[Use<'a>]) -> Option<String> {
        let TargetValue::Expression(value) = self.target.value else { return None };
        let is_written_anew = matches!(
            value.without_parentheses(),
            Expression::TSAsExpression(_)
                | Expression::TSTypeAssertion(_)
                | Expression::TSSatisfiesExpression(_)
                | Expression::ConditionalExpression(_)
                | Expression::LogicalExpression(_)
                | Expression::AwaitExpression(_)
                | Expression::CallExpression(_)
        );
        if !self.code.is_typed() || !is_written_anew {
            return None;
        }
        let is_narrowed = self.code.with_checker(|checker| {
            let mut tests = uses.iter().filter_map(|found| Some((found.span, checker.guarded_code(found.node)?)));
            tests.any(|(test, guarded)| {
                uses.iter().any(|later| later.span.start >= test.end && later.span.end <= guarded.end)
            })
        });
        is_narrowed.then(|| format!("type narrowing of `{}` by conditions may be lost", self.target.name))
    }

    /// Returns all uses of the name. Fails if the name is written or exported, or if a variable is used in a type.
    pub(crate) fn find_uses(&self) -> Result<Vec<Use<'a>>> {
        let name = self.target.name;
        let mut uses = Vec::new();
        for (reference, span) in self.code.references_of(self.target.symbol) {
            let node = reference.node_id();
            let around = self.code.parent_kind(node);
            if reference.is_write() {
                return Err(refusal_at(format!("`{name}` is reassigned"), span)
                    .hint("only variables that keep their first value can be inlined"));
            }
            if is_export(&around) {
                return Err(exported_failure(name));
            }
            let is_type = matches!(self.target.value, TargetValue::Type(_));
            if !is_type && !reference.flags().is_value() || reference.flags().is_value_as_type() {
                return Err(
                    refusal_at(format!("`{name}` is used in a type"), span).hint("a value cannot be used in a type")
                );
            }
            uses.push(Use { node, span, scope: reference.scope_id(), around });
        }
        uses.sort_by_key(|found| found.span.start);
        match uses.first() {
            Some(_) => Ok(uses),
            None => Err(refusal(format!("`{name}` is never used"), "delete it instead")),
        }
    }

    pub(crate) fn check_target(&self, uses: &[Use<'a>]) -> Result<()> {
        let target = self.target;
        let name = target.name;
        // A variable within an exported function is not exported.
        let is_body = |kind: &AstKind<'_>| {
            matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::Class(_))
        };
        let mut around = self.code.nodes().ancestor_kinds(target.declaration).take_while(|kind| !is_body(kind));
        if around.any(|kind| matches!(kind, AstKind::ExportDeclaration(_))) {
            return Err(exported_failure(name));
        }
        if !self.code.scoping().symbol_redeclarations(target.symbol).is_empty() {
            return Err(refusal(format!("`{name}` is declared more than once"), "first reduce it to one declaration"));
        }
        let value = target.value.span();
        if let Some(own) = uses.iter().find(|found| contains(value, found.span)) {
            return Err(
                refusal_at(format!("`{name}` refers to itself"), own.span).hint("it cannot be inlined into itself")
            );
        }
        if matches!(target.value, TargetValue::Type(alias) if alias.type_parameters.is_some()) {
            let hint = "only an alias without type parameters can be inlined";
            return Err(refusal(format!("`{name}` has type parameters"), hint));
        }
        self.code.check_static_names(target.declaration)?;
        uses.iter().try_for_each(|found| self.code.check_not_in_with(found.node))?;
        self.check_names(uses)?;
        match target.value {
            TargetValue::Expression(_) => self.check_evaluation_times(uses),
            TargetValue::Type(_) => Ok(()),
        }
    }

    /// Refuses a use where names in the value have a different meaning.
    fn check_names(&self, uses: &[Use<'a>]) -> Result<()> {
        let free: Vec<_> = self.target.repeated_parts().flat_map(|part| self.code.free_names(part)).collect();
        for found in uses {
            if let Some(hidden) = self.code.changed_name(found.scope, &free) {
                let message = format!("`{}` has a different meaning where `{}` is used", hidden.name, self.target.name);
                return Err(refusal_at(message, found.span).hint("first rename one of them"));
            }
        }
        Ok(())
    }

    /// Returns a warning if the name is global, because other scripts may use it.
    pub(crate) fn script_global_warning(&self) -> Option<String> {
        let name = self.target.name;
        self.code
            .is_script_global(self.target.symbol)
            .then(|| format!("the file is not a module: other files could use `{name}` and were not checked"))
    }
}

fn exported_failure(name: &str) -> Failure {
    refusal(format!("`{name}` is exported"), "other files may use it; first remove the `export`")
}

/// Returns whether the parent of a use is an export.
fn is_export(around: &AstKind<'_>) -> bool {
    matches!(
        around,
        AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_) | AstKind::TSExportAssignment(_)
    )
}
