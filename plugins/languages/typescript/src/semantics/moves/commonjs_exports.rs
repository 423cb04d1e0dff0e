//! CommonJS exports of the two files of a move: which there are, and whether names can be added to them.

use marquetry_sdk::{FailureKind, Result, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::infer::builtins::is_function_method;
use crate::infer::checker::Checker;
use crate::program::expandos::is_exports;
use crate::program::exports::Export;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::rename::subject::ResolvedSubject;
use crate::rename::{self, conflicts};
use crate::semantics::moves::source_file::{MoveSource, MovedDependency};
use crate::semantics::refusal_at;

/// Style in which a file exports names.
pub(crate) enum ExportStyle<'w> {
    /// `module.exports = { … }`
    Object(&'w ObjectExpression<'w>),
    /// `exports.a = a`, with the text before the name.
    Members(&'static str),
    /// The file exports nothing yet.
    Nothing,
    /// The file exports a value to which a member may not be added.
    Closed,
}

/// Returns the style in which the open document exports names.
pub(crate) fn export_style<'w>(checker: &Checker<'w>) -> ExportStyle<'w> {
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let here = checker.open_module();
    let mut whole = exports.whole.clone();
    whole.dedup_by_key(|value| value.span());
    let member_prefix = || if here.text().contains("module.exports.") { "module.exports." } else { "exports." };
    match whole.as_slice() {
        [] if seals_exports(&here, None) => ExportStyle::Closed,
        [] if here.expandos().exported().next().is_none() => ExportStyle::Nothing,
        [] => ExportStyle::Members(member_prefix()),
        [value] if !is_set_on_load(&here, value.span()) => ExportStyle::Closed,
        [value] => match value.without_parentheses() {
            Expression::ObjectExpression(object) => ExportStyle::Object(object),
            value if accepts_members(&here, value) => ExportStyle::Members("module.exports."),
            _ => ExportStyle::Closed,
        },
        // The file assigns several values to `module.exports`, so the exported object is unknown.
        _ => ExportStyle::Closed,
    }
}

/// Returns whether a statement at the top level always assigns the value to `module.exports`.
fn is_set_on_load(here: &Module<'_>, value: oxc_span::Span) -> bool {
    fn assigns(expression: &Expression<'_>, value: oxc_span::Span) -> bool {
        match expression {
            _ if expression.span() == value => true,
            Expression::AssignmentExpression(set) => assigns(&set.right, value),
            Expression::ParenthesizedExpression(inner) => assigns(&inner.expression, value),
            _ => false,
        }
    }
    here.program.body.iter().any(|statement| match statement {
        Statement::ExpressionStatement(statement) => assigns(&statement.expression, value),
        Statement::VariableDeclaration(variables) => {
            variables.declarations.iter().filter_map(|it| it.init.as_ref()).any(|init| assigns(init, value))
        }
        Statement::TSExportAssignment(export) => assigns(&export.expression, value),
        _ => false,
    })
}

/// Returns whether a value is certainly a function, a class or an object to which members can be added.
fn accepts_members(here: &Module<'_>, value: &Expression<'_>) -> bool {
    match value.without_parentheses() {
        Expression::FunctionExpression(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::ClassExpression(_)
        | Expression::ObjectExpression(_) => !seals_exports(here, None),
        Expression::Identifier(name) => {
            let Some(symbol) = here.symbol_of(name).filter(|symbol| !here.scoping().symbol_is_mutated(*symbol)) else {
                return false;
            };
            let is_open = match here.kind(here.scoping().symbol_declaration(symbol)) {
                AstKind::Function(_) | AstKind::Class(_) => true,
                AstKind::VariableDeclarator(variable) if variable.id.is_binding_identifier() => {
                    variable.init.as_ref().is_some_and(|init| accepts_members(here, init))
                }
                _ => false,
            };
            is_open && !seals_exports(here, Some(symbol))
        }
        _ => false,
    }
}

/// Returns whether the file freezes or seals its exports, or the variable that it exports.
fn seals_exports(here: &Module<'_>, exported: Option<SymbolId>) -> bool {
    let is_exported = |given: &Expression<'_>| match given {
        Expression::Identifier(name) => exported.is_some() && here.symbol_of(name) == exported,
        _ => false,
    };
    here.semantic().nodes().iter().any(|node| match node.kind() {
        AstKind::CallExpression(call) => match (&call.callee, call.arguments.first().and_then(|it| it.as_expression()))
        {
            (Expression::StaticMemberExpression(callee), Some(given)) => {
                matches!(callee.property.name.as_str(), "freeze" | "seal" | "preventExtensions")
                    && (is_exports(here, given) || is_exported(given))
            }
            _ => false,
        },
        _ => false,
    })
}

/// Returns those of the names that the open document does not export yet, and the style in which to export them. Refused
/// if it exports another value under one of them, or may do so, or if its exports cannot be extended.
pub(crate) fn new_exports<'w>(checker: &Checker<'w>, names: &[String]) -> Result<(Vec<String>, ExportStyle<'w>)> {
    let here = checker.open_module();
    let style = export_style(checker);
    let names: Vec<String> = names.iter().filter(|name| !exports_binding(checker, name)).cloned().collect();
    for name in &names {
        conflicts::check_export(checker, &[], name)?;
        let cannot = |reason: String| {
            Err(fail(FailureKind::RefactorFailed, format!("`{}` {reason}", here.path))
                .hint("choose another destination, or first export an object literal: `module.exports = { … }`"))
        };
        if matches!(style, ExportStyle::Closed) {
            return cannot("exports a value that cannot get more exports".to_owned());
        }
        let is_function = matches!(style, ExportStyle::Members(_)) && export_count(checker) > 0;
        let is_own =
            is_function && (is_function_method(name) || matches!(name.as_str(), "name" | "length" | "prototype"));
        let props = checker.exported_props(ModuleRef { module: OPEN_DOCUMENT, block: None }, name);
        if is_own || !props.found.is_empty() || props.may_have_more || props.external {
            return cannot(format!("may already export a value with the name `{name}`"));
        }
    }
    Ok((names, style))
}

/// Returns the number of values that the open document exports as a whole.
fn export_count(checker: &Checker<'_>) -> usize {
    checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None }).whole.len()
}

/// Returns whether the open document exports a top-level binding under its own name.
fn exports_binding(checker: &Checker<'_>, name: &str) -> bool {
    let here = checker.open_module();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let binding = here.scoping().get_root_binding(Ident::from(name));
    let is_it = |export: &Export<'_>| match export {
        Export::Assigned { value: Some(Expression::Identifier(value)), .. } => {
            binding.is_some() && here.symbol_of(value) == binding
        }
        _ => false,
    };
    exports.named.get(name).is_some_and(|all| all.iter().all(is_it))
}

/// An export of a symbol under its own name.
#[derive(Clone, Copy)]
pub(crate) enum OwnExport<'w> {
    /// A property of the object that the module exports.
    Property(&'w ObjectExpression<'w>, oxc_span::Span),
    /// The statement `exports.a = a`.
    Statement(oxc_span::Span),
}

/// Returns the export of which a node is the value, if it exports the node's symbol under its own name.
pub(crate) fn own_export<'w>(
    here: &Module<'w>,
    checker: &Checker<'w>,
    node: oxc_semantic::NodeId,
    name: &str,
) -> Option<OwnExport<'w>> {
    let place = here.kind(node).span();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    if !exports.values.contains(&place) {
        return None;
    }
    let parent = here.parent(node);
    match here.kind(parent) {
        AstKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => {
            match here.parent_kind(parent) {
                AstKind::ObjectExpression(object) => Some(OwnExport::Property(object, property.span)),
                _ => None,
            }
        }
        AstKind::AssignmentExpression(set) => match (&set.left, here.parent_kind(parent)) {
            (AssignmentTarget::StaticMemberExpression(member), AstKind::ExpressionStatement(statement))
                if member.property.name == name =>
            {
                Some(OwnExport::Statement(statement.span))
            }
            _ => None,
        },
        _ => None,
    }
}

impl MoveSource<'_, '_> {
    /// Refuses code that depends on the module object, and cycles: a module that is required again while it is loaded
    /// has not exported its names yet.
    pub(crate) fn check_commonjs(&self) -> Result<()> {
        let scoping = self.here.scoping();
        for name in ["module", "exports"] {
            for id in scoping.root_unresolved_references().get(&Ident::from(name)).into_iter().flatten() {
                let place = self.here.semantic().reference_span(scoping.get_reference(*id));
                if self.is_moved(place) {
                    return Err(refusal_at(format!("the moved code uses `{name}` of this file"), place)
                        .hint("first use the exported names directly"));
                }
            }
        }
        self.check_own_exports()?;
        new_exports(self.checker, &self.names_of(self.newly_exported().iter().map(|(_, symbol)| symbol)))?;
        let needs_back = !self.used_by_remaining.is_empty();
        let needs_us = self.dependencies.iter().any(|need| matches!(need, MovedDependency::Declared(..)));
        let there = self.checker.load(&self.to);
        let is_cycle = needs_back && needs_us
            || there.is_some_and(|there| {
                needs_back && self.checker.loads(there, OPEN_DOCUMENT)
                    || needs_us && self.checker.loads(OPEN_DOCUMENT, there)
            });
        if is_cycle {
            let place = self.body()[*self.statements.first().unwrap_or(&0)].span();
            return Err(refusal_at("the two files would depend on each other while they are loaded", place)
                .hint("also move the declarations that it uses, or move them to a third file"));
        }
        Ok(())
    }

    /// Refuses if the rest of this file uses a moved name as a member of its exports: `exports.a`, or `this.a` in a method
    /// of the exported object.
    fn check_own_exports(&self) -> Result<()> {
        let is_export = |place: oxc_span::Span| {
            self.released_exports.iter().any(|export| match export {
                OwnExport::Property(_, span) | OwnExport::Statement(span) => span.contains_inclusive(place),
            })
        };
        for symbol in self.symbols.iter().filter(|symbol| self.is_exported(**symbol)) {
            let known = self.uses_of(*symbol);
            let is_name = |place| known.iter().any(|(_, own)| *own == place);
            let usages = rename::find_usages(self.checker, ResolvedSubject::Symbol(*symbol));
            let member =
                usages.found.uses.iter().find(|it| !self.is_moved(it.span) && !is_export(it.span) && !is_name(it.span));
            if let Some(member) = member {
                let message = format!("`{}` is used through the exports of this file", usages.name);
                return Err(refusal_at(message, member.span).hint("first use the declared name"));
            }
        }
        Ok(())
    }
}
