//! Calls within a part of a document, and supertypes.

use marquetry_sdk::{FileLocation, RelatedSymbol, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::TypeScriptDocument;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::operations::symbols::address_at;
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::program::module::Module;
use crate::rename::subject;

fn is_declaration(kind: AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::Class(_) | AstKind::Function(_) | AstKind::MethodDefinition(_) | AstKind::VariableDeclarator(_)
    )
}

/// Returns whether a node is in a method of the class other than the constructor.
fn is_in_method_of(here: &Module<'_>, node: NodeId, class: NodeId) -> bool {
    let methods = here.self_and_ancestors(node).take_while(|around| *around != class).filter_map(|around| {
        match here.kind(around) {
            AstKind::MethodDefinition(method) => Some(method.kind),
            _ => None,
        }
    });
    methods.last().is_some_and(|kind| kind != MethodDefinitionKind::Constructor)
}

fn contains(outer: Span, inner: oxc_span::Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns the calls in a part of the document, in source order.
pub(super) fn calls_within(checker: &Checker<'_>, document: &TypeScriptDocument, part: Span) -> Vec<RelatedSymbol> {
    let here = checker.open_module();
    let mut found = Vec::new();
    let class =
        here.semantic().nodes().iter().find(|node| contains(part, node.kind().span()) && is_declaration(node.kind()));
    let class = class.filter(|node| matches!(node.kind(), AstKind::Class(_))).map(|node| node.id());
    for node in here.semantic().nodes().iter().filter(|node| contains(part, node.kind().span())) {
        // For a class, report only the calls that run when an object is created, not those in methods.
        if class.is_some_and(|class| is_in_method_of(&here, node.id(), class)) {
            continue;
        }
        let callee = match node.kind() {
            AstKind::CallExpression(call) => &call.callee,
            AstKind::NewExpression(new) => &new.callee,
            _ => continue,
        };
        found.extend(resolve_callee(checker, &here, document, callee));
    }
    found.sort_by_key(|related: &RelatedSymbol| related.span.start);
    found
}

fn resolve_callee<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    callee: &'w Expression<'w>,
) -> Option<RelatedSymbol> {
    let (name, word) = match callee {
        Expression::Identifier(name) => (name.name.to_string(), name.span),
        Expression::StaticMemberExpression(member) => {
            let object = member.object.span().source_text(here.text());
            // A long chain before the last name is not informative.
            let short = object.len() <= 60 && !object.contains(['\n', '(']);
            let name =
                if short { format!("{object}.{}", member.property.name) } else { member.property.name.to_string() };
            (name, member.property.span)
        }
        Expression::PrivateFieldExpression(member) => (format!("this.#{}", member.field.name), member.field.span),
        Expression::ParenthesizedExpression(inner) => {
            return resolve_callee(checker, here, document, &inner.expression);
        }
        _ => return None,
    };
    let symbol = match callee {
        Expression::Identifier(name) => checker.resolve_identifier(OPEN_DOCUMENT, name),
        Expression::StaticMemberExpression(member) => {
            root_object(&member.object).and_then(|name| checker.resolve_identifier(OPEN_DOCUMENT, name))
        }
        _ => None,
    };
    Some(describe_name(checker, here, document, name, word, symbol))
}

fn root_object<'x, 'w>(object: &'x Expression<'w>) -> Option<&'x IdentifierReference<'w>> {
    match object {
        Expression::Identifier(name) => Some(name),
        Expression::StaticMemberExpression(member) => root_object(&member.object),
        _ => None,
    }
}

/// Describes a name. The result contains the address of its declaration if it is declared in this file, and the
/// specifier if it is imported.
fn describe_name<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    name: String,
    word: oxc_span::Span,
    symbol: Option<SymbolId>,
) -> RelatedSymbol {
    let from = symbol.and_then(|symbol| here.imported_specifier(symbol)).map(str::to_owned);
    let declared = subject::declaration_site(checker, word.start);
    let own = declared.filter(|site| site.module == OPEN_DOCUMENT && from.is_none());
    let address = own.and_then(|site| address_at(document, site.offset));
    let declared = declared.map(|site| checker.location_of(site));
    RelatedSymbol { name, span: Span { start: word.start, end: word.end }, address, from, declared }
}

/// Returns the supertypes of the class or interface within a span. `None` if the span does not contain a type.
pub(super) fn supertypes_within(
    checker: &Checker<'_>,
    document: &TypeScriptDocument,
    part: Span,
) -> Option<Vec<RelatedSymbol>> {
    let here = checker.open_module();
    let mut declared = here.semantic().nodes().iter().filter(|node| contains(part, node.kind().span()));
    let mut found = Vec::new();
    match declared.find_map(|node| declared_type_node(node.kind()))? {
        AstKind::Class(class) => {
            if let Some(heritage) = &class.heritage {
                found.extend(base_classes(checker, &here, document, &heritage.expression));
            }
            for implements in &class.implements {
                found.extend(describe_type_name(checker, &here, document, &implements.expression));
            }
        }
        AstKind::TSInterfaceDeclaration(interface) => {
            for heritage in &interface.extends {
                found.extend(describe_type_name(checker, &here, document, &heritage.type_name));
            }
        }
        // Type aliases and enums have no supertypes.
        AstKind::TSTypeAliasDeclaration(_) | AstKind::TSEnumDeclaration(_) => {}
        _ => return None,
    }
    Some(found)
}

/// Returns the classes that an `extends` clause names, or the classes that a function called in the clause mixes in.
fn base_classes<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    base: &'w Expression<'w>,
) -> Vec<RelatedSymbol> {
    let written = resolve_callee(checker, here, document, base);
    let class = |ty: &Ty<'w>| match ty {
        Ty::Instance(owner, _) => class_name(checker, *owner),
        _ => None,
    };
    let mut classes: Vec<(String, Site)> =
        checker.heritage_types(OPEN_DOCUMENT, base, &[]).iter().filter_map(class).collect();
    classes.dedup();
    let Some(only) = classes.first().filter(|_| classes.len() == 1) else {
        let span = Span { start: base.span().start, end: base.span().end };
        let related = |(name, site): (String, Site)| {
            let (address, declared) = place_of(checker, document, site);
            RelatedSymbol { name, span, address, from: None, declared }
        };
        return if classes.is_empty() {
            written.into_iter().collect()
        } else {
            classes.into_iter().map(related).collect()
        };
    };
    // A variable that is set to a required class refers to that class.
    let (address, declared) = place_of(checker, document, only.1);
    written.map(|written| RelatedSymbol { address, declared, ..written }).into_iter().collect()
}

/// Returns the address of a declaration, if it is in the open document, and its location.
fn place_of(
    checker: &Checker<'_>,
    document: &TypeScriptDocument,
    site: Site,
) -> (Option<String>, Option<FileLocation>) {
    let address = (site.module == OPEN_DOCUMENT).then(|| address_at(document, site.offset)).flatten();
    (address, Some(checker.location_of(site)))
}

/// Returns the name of a class and where it is declared.
fn class_name(checker: &Checker<'_>, owner: Owner) -> Option<(String, Site)> {
    let module = owner.module();
    let loaded = checker.module(module);
    checker.owner_nodes(owner).into_iter().find_map(|node| match loaded.kind(node) {
        AstKind::Class(class) => {
            let id = class.id.as_ref()?;
            Some((id.name.to_string(), Site { module, offset: id.span.start }))
        }
        _ => None,
    })
}

/// Returns the declared node: for a variable with a class expression, the class. `None` for other nodes.
fn declared_type_node(kind: AstKind<'_>) -> Option<AstKind<'_>> {
    match kind {
        AstKind::VariableDeclarator(variable) => Some(match variable.init.as_ref() {
            Some(Expression::ClassExpression(class)) => AstKind::Class(class),
            _ => kind,
        }),
        AstKind::Class(_)
        | AstKind::TSInterfaceDeclaration(_)
        | AstKind::TSTypeAliasDeclaration(_)
        | AstKind::TSEnumDeclaration(_)
        | AstKind::Function(_)
        | AstKind::MethodDefinition(_)
        | AstKind::PropertyDefinition(_)
        | AstKind::TSPropertySignature(_)
        | AstKind::TSMethodSignature(_)
        | AstKind::ObjectProperty(_)
        | AstKind::TSNamespaceDeclaration(_) => Some(kind),
        _ => None,
    }
}

fn describe_type_name<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    document: &TypeScriptDocument,
    name: &'w TSTypeName<'w>,
) -> Option<RelatedSymbol> {
    let mut first = name;
    while let TSTypeName::QualifiedName(qualified) = first {
        first = &qualified.left;
    }
    let TSTypeName::IdentifierReference(reference) = first else { return None };
    let word = match name {
        TSTypeName::QualifiedName(qualified) => qualified.right.span,
        _ => reference.span,
    };
    let text = name.span().source_text(here.text()).to_owned();
    Some(describe_name(checker, here, document, text, word, checker.resolve_identifier(OPEN_DOCUMENT, reference)))
}
