//! Identifiers in a file and their roles.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::program::defined_exports::exports_of_defined_name;
use crate::program::source_file::SourceFile;

/// An occurrence of a name in a file: an identifier, or a literal that may name a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identifier<'w> {
    pub(crate) node: NodeId,
    pub(crate) name: &'w str,
    /// The name alone, without quotes; private names with their `#`.
    pub(crate) span: Span,
    /// The quote around the name, if the identifier is a string literal.
    pub(crate) quote: Option<char>,
}

/// Role of an identifier.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// The identifier declares the symbol.
    Declares(SymbolId),
    /// The identifier declares a name a second time where that is an error. References to the name mean the first
    /// declaration.
    Redeclares,
    /// The identifier is only documentation and cannot be referenced: the parameter of an index signature, the label of
    /// a tuple.
    Unreferable,
    /// The identifier refers to the symbol.
    Refers(SymbolId),
    /// The identifier refers to a symbol that the file does not declare.
    Free,
    /// A property, method, attribute or other member.
    Member,
    /// The name of an export of another module, in an import or re-export.
    Imported,
    /// The exported name in an export list.
    Exported,
    /// The global name of a UMD module: `export as namespace X`.
    UmdGlobal,
    Label,
    /// A parameter named by a type predicate.
    Parameter(SymbolId),
    /// A string literal that may be a value of a literal type: `"left" | "right"`.
    StringLiteral,
    /// The identifier cannot be renamed.
    NotRenamable,
}

/// Returns the identifier at a node, if it is one.
pub(crate) fn identifier<'w>(node: NodeId, kind: AstKind<'w>, text: &'w str) -> Option<Identifier<'w>> {
    let plain = |name: &'w str, span: Span| Some(Identifier { node, name, span, quote: None });
    match kind {
        AstKind::IdentifierName(it) => plain(it.name.as_str(), it.span),
        AstKind::IdentifierReference(it) => plain(it.name.as_str(), it.span),
        AstKind::BindingIdentifier(it) => plain(it.name.as_str(), it.span),
        AstKind::LabelIdentifier(it) => plain(it.name.as_str(), it.span),
        AstKind::TSIndexSignatureName(it) => plain(it.name.as_str(), index_parameter_span(it, text)?),
        AstKind::PrivateIdentifier(it) => plain(it.span.source_text(text), it.span),
        AstKind::JSXIdentifier(it) => plain(it.name.as_str(), it.span),
        AstKind::StringLiteral(it) => quoted_identifier(node, it.value.as_str()?, it.span, text),
        AstKind::TemplateLiteral(it) if it.expressions.is_empty() => {
            quoted_identifier(node, it.quasis.first()?.value.cooked?.as_str()?, it.span, text)
        }
        _ => None,
    }
}

/// Returns the span of the name in `key: string` of an index signature; `None` if it is written with escapes.
fn index_parameter_span(parameter: &TSIndexSignatureName<'_>, text: &str) -> Option<Span> {
    let name = parameter.name.as_str();
    let span = Span::sized(parameter.span.start, u32::try_from(name.len()).ok()?);
    (span.source_text(text) == name).then_some(span)
}

fn quoted_identifier<'w>(node: NodeId, name: &'w str, span: Span, text: &'w str) -> Option<Identifier<'w>> {
    let quote = span.source_text(text).chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    (span.size() >= 2).then(|| Identifier {
        node,
        name,
        span: Span::new(span.start + 1, span.end - 1),
        quote: Some(quote),
    })
}

/// Returns the identifiers of a file with this name, in document order.
pub(crate) fn identifiers_named<'w>(file: &SourceFile<'w>, name: &str) -> Vec<Identifier<'w>> {
    let text = file.text();
    let nodes = file.semantic().nodes().iter();
    let found = nodes.filter_map(|node| identifier(node.id(), node.kind(), text));
    let mut identifiers: Vec<Identifier<'w>> = found.filter(|identifier| identifier.name == name).collect();
    identifiers.sort_by_key(|identifier| (identifier.span.start, identifier.span.end));
    identifiers
}

impl<'w> SourceFile<'w> {
    /// Returns the identifiers that touch an offset; those that end there come last.
    pub(crate) fn identifiers_at(&self, offset: u32) -> Vec<Identifier<'w>> {
        let text = self.text();
        let nodes = self.semantic().nodes().iter();
        let touches = |identifier: &Identifier<'_>| {
            let start = identifier.span.start - u32::from(identifier.quote.is_some());
            start <= offset && offset <= identifier.span.end
        };
        let mut identifiers: Vec<Identifier<'w>> =
            nodes.filter_map(|node| identifier(node.id(), node.kind(), text)).filter(touches).collect();
        identifiers.sort_by_key(|identifier| identifier.span.end == offset);
        identifiers
    }

    /// Returns the role of an identifier.
    pub(crate) fn role(&self, identifier: &Identifier<'_>) -> Role {
        match self.kind(identifier.node) {
            AstKind::BindingIdentifier(it) if self.is_redeclaration(it.span.start) => Role::Redeclares,
            AstKind::BindingIdentifier(it) => it.symbol_id.get().map_or(Role::NotRenamable, Role::Declares),
            AstKind::IdentifierReference(it) => {
                let symbol = it.reference_id.get().and_then(|id| self.scoping().get_reference(id).symbol_id());
                symbol.map_or(Role::Free, Role::Refers)
            }
            AstKind::LabelIdentifier(_) => Role::Label,
            AstKind::TSIndexSignatureName(_) => Role::Unreferable,
            AstKind::PrivateIdentifier(_) => Role::Member,
            AstKind::JSXIdentifier(_) => match self.parent_kind(identifier.node) {
                AstKind::JSXNamespacedName(_) => Role::NotRenamable,
                _ => Role::Member,
            },
            AstKind::IdentifierName(it) => self.name_role(identifier, it),
            AstKind::StringLiteral(_) | AstKind::TemplateLiteral(_) => self.string_role(identifier),
            _ => Role::NotRenamable,
        }
    }

    fn name_role(&self, identifier: &Identifier<'_>, name: &IdentifierName<'_>) -> Role {
        match self.parent_kind(identifier.node) {
            AstKind::ImportSpecifier(_) => Role::Imported,
            AstKind::ExportSpecifier(specifier) => {
                // In `export { a } from "x"`, two names have the same span; the first is the name in the other file.
                let is_local = std::ptr::eq(name_pointer(&specifier.local), std::ptr::from_ref(name).cast());
                if is_local { Role::Imported } else { Role::Exported }
            }
            AstKind::ExportAllDeclaration(_) => Role::Exported,
            AstKind::TSNamespaceExportDeclaration(_) => Role::UmdGlobal,
            AstKind::TSTypePredicate(_) => {
                self.predicate_parameter(identifier).map_or(Role::NotRenamable, Role::Parameter)
            }
            AstKind::TSNamedTupleMember(_) => Role::Unreferable,
            AstKind::ImportAttribute(_)
            | AstKind::ImportMeta(_)
            | AstKind::NewTarget(_)
            | AstKind::V8IntrinsicExpression(_) => Role::NotRenamable,
            _ => Role::Member,
        }
    }

    /// Returns the parameter that the type predicate `x is T` names.
    fn predicate_parameter(&self, identifier: &Identifier<'_>) -> Option<SymbolId> {
        self.self_and_ancestors(identifier.node).skip(1).find_map(|around| {
            let params = match self.kind(around) {
                AstKind::Function(function) => &function.params,
                AstKind::ArrowFunctionExpression(arrow) => &arrow.params,
                AstKind::TSFunctionType(function) => &function.params,
                AstKind::TSMethodSignature(method) => &method.params,
                AstKind::TSCallSignatureDeclaration(call) => &call.params,
                _ => return None,
            };
            let names = params.items.iter().flat_map(|item| item.pattern.get_binding_identifiers());
            names.into_iter().find(|name| name.name == identifier.name).and_then(|name| name.symbol_id.get())
        })
    }

    fn string_role(&self, identifier: &Identifier<'_>) -> Role {
        let whole = self.kind(identifier.node).span();
        match self.parent_kind(identifier.node) {
            AstKind::ImportSpecifier(_) => Role::Imported,
            AstKind::ExportSpecifier(specifier) => {
                if specifier.local.span() == whole && specifier.exported.span() != whole {
                    Role::Imported
                } else {
                    Role::Exported
                }
            }
            AstKind::ExportAllDeclaration(export) if export.source.span != whole => Role::Exported,
            AstKind::ImportDeclaration(_)
            | AstKind::ExportAllDeclaration(_)
            | AstKind::ExportFromDeclaration(_)
            | AstKind::ImportExpression(_)
            | AstKind::TSImportType(_)
            | AstKind::TSExternalModuleReference(_)
            | AstKind::TSExternalModuleDeclaration(_)
            | AstKind::ImportAttribute(_)
            | AstKind::Directive(_)
            | AstKind::TaggedTemplateExpression(_) => Role::NotRenamable,
            AstKind::ObjectProperty(property) if property.key.span() == whole => Role::Member,
            AstKind::BindingProperty(property) if property.key.span() == whole => Role::Member,
            AstKind::AssignmentTargetPropertyProperty(property) if property.name.span() == whole => Role::Member,
            AstKind::MethodDefinition(_) | AstKind::TSMethodSignature(_) => Role::Member,
            AstKind::TSEnumMember(member) if member.id.span() == whole => Role::Member,
            AstKind::TSPropertySignature(_) => Role::Member,
            AstKind::PropertyDefinition(property) if property.key.span() == whole => Role::Member,
            AstKind::AccessorProperty(property) if property.key.span() == whole => Role::Member,
            AstKind::ComputedMemberExpression(member) if member.expression.span() == whole => Role::Member,
            AstKind::CallExpression(call) if exports_of_defined_name(self, call, whole).is_some() => Role::Member,
            AstKind::TSLiteralType(_) => {
                let literal = self.parent(identifier.node);
                if indexed_access_around(self, literal).is_some() { Role::Member } else { Role::StringLiteral }
            }
            _ => Role::StringLiteral,
        }
    }
}

/// Returns the type `T["a" | "b"]` that has the literal as an index.
pub(crate) fn indexed_access_around<'w>(file: &SourceFile<'w>, literal: NodeId) -> Option<&'w TSIndexedAccessType<'w>> {
    let mut whole = literal;
    while matches!(file.parent_kind(whole), AstKind::TSUnionType(_) | AstKind::TSParenthesizedType(_)) {
        whole = file.parent(whole);
    }
    match file.parent_kind(whole) {
        AstKind::TSIndexedAccessType(access) if access.index_type.span() == file.kind(whole).span() => Some(access),
        _ => None,
    }
}

fn name_pointer(name: &ModuleExportName<'_>) -> *const () {
    match name {
        ModuleExportName::IdentifierName(it) => std::ptr::from_ref(it).cast(),
        ModuleExportName::IdentifierReference(it) => std::ptr::from_ref(it).cast(),
        ModuleExportName::StringLiteral(it) => std::ptr::from_ref(it).cast(),
    }
}
