//! Places where a file names a module: imports, exports from it, and calls such as `require`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use crate::infer::checker::Checker;
use crate::program::module::Module;

/// An occurrence of a specifier of a module.
#[derive(Clone, Copy)]
pub(crate) enum ModuleUse<'w> {
    Import(&'w ImportDeclaration<'w>),
    ExportFrom(&'w ExportFromDeclaration<'w>),
    ExportAll(&'w ExportAllDeclaration<'w>),
    /// `import a = require("x")`.
    Equals(&'w TSImportEqualsDeclaration<'w>),
    /// `import("x")` as a type.
    Type(&'w TSImportType<'w>),
    /// `import("x")` as an expression.
    Dynamic(NodeId),
    /// A call whose first argument is the specifier: `require("x")`, `jest.mock("x")`.
    Call(NodeId, &'w CallExpression<'w>),
}

impl<'w> ModuleUse<'w> {
    /// Returns the specifier.
    pub(crate) fn specifier(self, checker: &Checker<'w>) -> Option<&'w str> {
        let literal: &'w StringLiteral<'w> = match self {
            ModuleUse::Import(it) => &it.source,
            ModuleUse::ExportFrom(it) => &it.source,
            ModuleUse::ExportAll(it) => &it.source,
            ModuleUse::Type(it) => &it.source,
            ModuleUse::Equals(it) => match &it.module_reference {
                TSModuleReference::ExternalModuleReference(to) => &to.expression,
                _ => return None,
            },
            ModuleUse::Dynamic(node) => match checker.open_module().kind(node) {
                AstKind::ImportExpression(ImportExpression { source: Expression::StringLiteral(source), .. }) => source,
                _ => return None,
            },
            ModuleUse::Call(_, call) => match call.arguments.first() {
                Some(Argument::StringLiteral(source)) => source,
                _ => return None,
            },
        };
        literal.value.as_str()
    }
}

/// Returns the occurrences in the open document that name the module at a path, in document order.
pub(crate) fn uses_of_module<'w>(checker: &Checker<'w>, path: &str) -> Vec<ModuleUse<'w>> {
    let here = checker.open_module();
    let is_it = |specifier: &StringLiteral<'_>| {
        specifier.value.as_str().is_some_and(|specifier| checker.resolves_to(specifier, path))
    };
    let found = here.semantic().nodes().iter().filter_map(|node| match node.kind() {
        AstKind::ImportDeclaration(it) => is_it(&it.source).then_some(ModuleUse::Import(it)),
        AstKind::ExportFromDeclaration(it) => is_it(&it.source).then_some(ModuleUse::ExportFrom(it)),
        AstKind::ExportAllDeclaration(it) => is_it(&it.source).then_some(ModuleUse::ExportAll(it)),
        AstKind::TSImportEqualsDeclaration(it) => match &it.module_reference {
            TSModuleReference::ExternalModuleReference(to) => is_it(&to.expression).then_some(ModuleUse::Equals(it)),
            _ => None,
        },
        AstKind::TSImportType(it) => is_it(&it.source).then_some(ModuleUse::Type(it)),
        AstKind::ImportExpression(it) => match &it.source {
            Expression::StringLiteral(source) => is_it(source).then_some(ModuleUse::Dynamic(node.id())),
            _ => None,
        },
        AstKind::CallExpression(it) => match it.arguments.first() {
            Some(Argument::StringLiteral(source)) => is_it(source).then_some(ModuleUse::Call(node.id(), it)),
            _ => None,
        },
        _ => None,
    });
    found.collect()
}

/// Returns the first name of a type import: `A` of `import("x").A.B`.
pub(crate) fn first_qualifier<'w>(import: &'w TSImportType<'w>) -> Option<&'w IdentifierName<'w>> {
    let mut first = import.qualifier.as_ref()?;
    while let TSImportTypeQualifier::QualifiedName(name) = first {
        first = &name.left;
    }
    match first {
        TSImportTypeQualifier::Identifier(name) => Some(name),
        TSImportTypeQualifier::QualifiedName(_) => None,
    }
}

/// A member of a module: `a` in `module.a`.
pub(crate) struct ModuleMember<'w> {
    pub(crate) name: &'w str,
    pub(crate) name_span: Span,
    pub(crate) whole: Span,
}

/// Returns the member that is accessed of a node whose value is a module.
pub(crate) fn module_member<'w>(here: &Module<'w>, node: NodeId) -> Option<ModuleMember<'w>> {
    let own = here.kind(node).span();
    let (whole, object, name, name_span) = match here.parent_kind(node) {
        AstKind::StaticMemberExpression(it) => (it.span, it.object.span(), &it.property.name, it.property.span),
        AstKind::TSQualifiedName(it) => (it.span, it.left.span(), &it.right.name, it.right.span),
        AstKind::JSXMemberExpression(it) => {
            let member = ModuleMember { name: it.property.name.as_str(), name_span: it.property.span, whole: it.span };
            return (it.object.span() == own).then_some(member);
        }
        _ => return None,
    };
    (object == own).then(|| ModuleMember { name: name.as_str(), name_span, whole })
}
