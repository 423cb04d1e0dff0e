//! `inline_variable`: replaces each use of a variable or type alias by its value, and removes the declaration.

mod target;
mod timing;
mod writing;

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Failure, FailureKind, Result, Rewrite, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::Span;

use super::removal::remove_declaration;
use crate::TypeScriptDocument;
use crate::editor::final_checks;
use crate::semantics::effects::contains;
use crate::semantics::names::free_names;
use crate::semantics::with_checker;
use crate::syntax::spans::span_in;
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::{Parsed, Tree};
use target::{InlineTarget, TargetValue};

pub(super) const INLINE_VARIABLE: Refactoring<TypeScriptDocument> = Refactoring {
    id: "inline_variable",
    title: "Inline a variable or type alias",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    document.tree.with(|parsed| {
        if !parsed.is_exact(document.tree.text()) {
            return Err(refusal("the file cannot be parsed", "fix its syntax errors first"));
        }
        let inlining = Inlining { tree: &document.tree, parsed, semantic: parsed.semantic() };
        let target = target::target_at(inlining.semantic, input.at.caret)?;
        let uses = inlining.find_uses(&target)?;
        inlining.check_target(&target, &uses)?;
        let mut edits = inlining.use_edits(&target, &uses);
        if !target.is_kept {
            edits.extend(remove_declaration(document, span_in(target.name_span, document.tree.text()))?);
        }
        let edits = final_checks::sort_edits(edits)?;
        final_checks::check_syntax(parsed, &document.tree, &edits)?;
        let mut rewrite = Rewrite::from(edits);
        rewrite.incomplete =
            inlining.script_global_warning(&target).or_else(|| inlining.narrowing_warning(document, &target, &uses));
        Ok(rewrite)
    })
}

/// State of an inlining.
struct Inlining<'i, 'a> {
    tree: &'i Tree,
    parsed: &'i Parsed<'a>,
    semantic: &'i Semantic<'a>,
}

/// A use of the name.
#[derive(Clone, Copy)]
struct Use<'a> {
    node: NodeId,
    span: Span,
    scope: oxc_semantic::ScopeId,
    around: AstKind<'a>,
}

fn refusal(message: impl Into<String>, hint: &str) -> Failure {
    fail(FailureKind::RefactorFailed, message).hint(hint)
}

impl<'i, 'a> Inlining<'i, 'a> {
    fn text(&self) -> &'i str {
        self.tree.text()
    }

    /// Returns a warning if tests narrow the type of the variable, because the narrowing is lost if each use repeats
    /// the value.
    fn narrowing_warning(
        &self,
        document: &TypeScriptDocument,
        target: &InlineTarget<'a>,
        uses: &[Use<'a>],
    ) -> Option<String> {
        let TargetValue::Expression(value) = target.value else { return None };
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
        if self.tree.grammar().is_javascript() || !is_written_anew {
            return None;
        }
        let tells = with_checker(document, |checker| {
            let mut tests = uses.iter().filter_map(|found| Some((found.span, checker.guarded_code(found.node)?)));
            tests.any(|(test, guarded)| {
                uses.iter().any(|later| later.span.start >= test.end && later.span.end <= guarded.end)
            })
        });
        tells.then(|| format!("type narrowing of `{}` by conditions may be lost", target.name))
    }

    /// Returns all uses of the name. Refused if it is written, exported, or a variable is used in a type.
    fn find_uses(&self, target: &InlineTarget<'a>) -> Result<Vec<Use<'a>>> {
        let (scoping, nodes) = (self.semantic.scoping(), self.semantic.nodes());
        let name = target.name;
        let mut uses = Vec::new();
        for reference in scoping.get_resolved_references(target.symbol) {
            let span = self.semantic.reference_span(reference);
            let around = nodes.parent_kind(reference.node_id());
            if reference.is_write() {
                return Err(refusal(
                    format!("`{name}` is reassigned"),
                    "only variables that keep their first value can be inlined",
                )
                .at(to_sdk_span(span)));
            }
            if is_export(&around) {
                return Err(exported_failure(name));
            }
            let is_type = matches!(target.value, TargetValue::Type(_));
            if !is_type && !reference.flags().is_value() || reference.flags().is_value_as_type() {
                return Err(refusal(format!("`{name}` is used in a type"), "a value cannot be used in a type")
                    .at(to_sdk_span(span)));
            }
            uses.push(Use { node: reference.node_id(), span, scope: reference.scope_id(), around });
        }
        uses.sort_by_key(|found| found.span.start);
        match uses.first() {
            Some(_) => Ok(uses),
            None => Err(refusal(format!("`{name}` is never used"), "delete it instead")),
        }
    }

    fn check_target(&self, target: &InlineTarget<'a>, uses: &[Use<'a>]) -> Result<()> {
        let name = target.name;
        // A variable within an exported function is not exported.
        let is_body = |kind: &AstKind<'_>| {
            matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::Class(_))
        };
        let mut around = self.semantic.nodes().ancestor_kinds(target.declaration).take_while(|kind| !is_body(kind));
        if around.any(|kind| matches!(kind, AstKind::ExportDeclaration(_))) {
            return Err(exported_failure(name));
        }
        if !self.semantic.scoping().symbol_redeclarations(target.symbol).is_empty() {
            return Err(refusal(format!("`{name}` is declared more than once"), "first reduce it to one declaration"));
        }
        let value = target.value.span();
        if let Some(own) = uses.iter().find(|found| contains(value, found.span)) {
            return Err(refusal(format!("`{name}` refers to itself"), "it cannot be inlined into itself")
                .at(to_sdk_span(own.span)));
        }
        if matches!(target.value, TargetValue::Type(alias) if alias.type_parameters.is_some()) {
            return Err(refusal(
                format!("`{name}` has type parameters"),
                "only an alias without type parameters can be inlined",
            ));
        }
        self.check_names(target, uses)?;
        match target.value {
            TargetValue::Expression(_) => self.check_evaluation_times(target, uses),
            TargetValue::Type(_) => Ok(()),
        }
    }

    /// Refuses a use where names in the value have a different meaning.
    fn check_names(&self, target: &InlineTarget<'a>, uses: &[Use<'a>]) -> Result<()> {
        let scoping = self.semantic.scoping();
        let mut free = Vec::new();
        for part in target.repeated_parts() {
            free.extend(free_names(self.semantic, part));
        }
        for found in uses {
            let other = |name: &str| scoping.find_binding(found.scope, Ident::from(name));
            if let Some(hidden) = free.iter().find(|free| other(free.name) != free.symbol) {
                let message = format!("`{}` has a different meaning where `{}` is used", hidden.name, target.name);
                return Err(refusal(message, "first rename one of them").at(to_sdk_span(found.span)));
            }
        }
        Ok(())
    }

    /// Returns a warning if the name is global, because other scripts may use it.
    fn script_global_warning(&self, target: &InlineTarget<'_>) -> Option<String> {
        let scoping = self.semantic.scoping();
        let program = self.parsed.program;
        let is_module = program.source_type.is_module() || program.body.iter().any(|it| it.is_module_declaration());
        let is_global = scoping.symbol_scope_id(target.symbol) == scoping.root_scope_id();
        (is_global && !is_module)
            .then(|| format!("the file is not a module: other files could use `{}` and were not checked", target.name))
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

#[cfg(test)]
mod tests;
