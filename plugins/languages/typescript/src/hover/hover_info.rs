//! Hover information for a declaration: kind, type, signature and documentation.

use marquetry_sdk::{FileLocation, HoverInfo, Note};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use super::{documentation, types};
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::subject;

/// Maximum number of characters of code to show. Longer code is truncated.
const MAX_CODE_LENGTH: usize = 600;

/// Returns the hover information for an offset of the open document.
pub(super) fn hover_info(checker: &Checker<'_>, offset: u32) -> Option<HoverInfo> {
    let here = checker.open_module();
    let mut names = here.identifiers_at(offset);
    names.retain(|name| checker.is_in_document(name.span));
    // If one word stands for two names, as in the shorthand `{ a }`, prefer the one that can be resolved.
    names.sort_by_key(|name| (name.span.end == offset, matches!(here.role(name), Role::NotRenamable)));
    let name = names.first()?;
    match subject::declaration_site(checker, offset) {
        Some(site) if site.module == OPEN_DOCUMENT => declaration_info(checker, &here, name, site),
        Some(site) => {
            let home = checker.module(site.module);
            let kind = declaration_at(&home, site.offset).map_or("module", |node| declaration_kind(&home, node));
            let info = plain_info(name, kind);
            Some(HoverInfo { declared: Some(checker.location_of(site)), ..info })
        }
        None => undeclared_info(&here, name),
    }
}

fn plain_info(name: &Identifier<'_>, kind: &str) -> HoverInfo {
    HoverInfo::plain(name.name, kind, marquetry_sdk::Span { start: name.span.start, end: name.span.end })
}

/// Returns the hover information for a declaration of the open document.
fn declaration_info<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    name: &Identifier<'_>,
    site: Site,
) -> Option<HoverInfo> {
    let node = declaration_at(here, site.offset)?;
    let mut info = plain_info(name, declaration_kind(here, node));
    info.declared = Some(checker.location_of(site));
    let doc = documentation::documentation_of(here, node);
    info.type_ = types::printed_type(checker, here, node, site.offset);
    info.code = signature_span(here, node).map(|span| displayed_code(here, span));
    info.documentation = doc.filter(|doc| !doc.is_empty());
    if let Some(value) = enum_value(here, node) {
        info = info.note("value", value);
    }
    // Add a note for each overload and each merged declaration.
    let symbol = here.identifiers_at(site.offset).iter().find_map(|found| match here.role(found) {
        Role::Declares(symbol) if found.span.start == site.offset => Some(symbol),
        _ => None,
    });
    let others = symbol.map(|symbol| checker.sites_of(OPEN_DOCUMENT, symbol)).unwrap_or_default();
    for other in others.into_iter().filter(|other| other.offset != site.offset) {
        let Some(span) = declaration_at(here, other.offset).and_then(|node| signature_span(here, node)) else {
            continue;
        };
        let place = FileLocation { path: here.path.clone(), offset: other.offset };
        info.notes.push(Note {
            label: "also declared as".to_owned(),
            text: displayed_code(here, span),
            location: Some(place),
        });
    }
    Some(info)
}

/// Describes a name that a package or the platform declares.
fn undeclared_info(here: &Module<'_>, name: &Identifier<'_>) -> Option<HoverInfo> {
    let symbol = match here.role(name) {
        Role::Free if builtins::is_platform_name(name.name) => {
            return Some(plain_info(name, "global").note("declared by", "the platform"));
        }
        Role::Declares(symbol) | Role::Refers(symbol) => Some(symbol),
        Role::Imported => None,
        _ => return None,
    };
    let node = symbol.map_or(name.node, |symbol| here.scoping().symbol_declaration(symbol));
    let source = here.self_and_ancestors(node).take(4).find_map(|around| match here.kind(around) {
        AstKind::ImportDeclaration(import) => import.source.value.as_str(),
        AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
        _ => None,
    })?;
    Some(plain_info(name, "import").note("imported from", source))
}

/// Returns the TypeScript term for a kind of declaration.
fn declaration_kind(module: &Module<'_>, node: NodeId) -> &'static str {
    match module.kind(node) {
        AstKind::Function(_) => "function",
        AstKind::Class(_) => "class",
        AstKind::TSInterfaceDeclaration(_) => "interface",
        AstKind::TSTypeAliasDeclaration(_) => "type",
        AstKind::TSEnumDeclaration(_) => "enum",
        AstKind::TSEnumMember(_) => "enum-member",
        AstKind::TSNamespaceDeclaration(_) => "namespace",
        AstKind::FormalParameter(_) | AstKind::FormalParameterRest(_) => "parameter",
        AstKind::TSTypeParameter(_) => "type-parameter",
        AstKind::ImportDeclaration(_) | AstKind::TSImportEqualsDeclaration(_) => "import",
        AstKind::TSMethodSignature(_) => "method",
        AstKind::MethodDefinition(method) => match method.kind {
            MethodDefinitionKind::Constructor => "constructor",
            MethodDefinitionKind::Get => "getter",
            MethodDefinitionKind::Set => "setter",
            MethodDefinitionKind::Method => "method",
        },
        AstKind::ObjectProperty(property) if property.method => "method",
        AstKind::VariableDeclarator(_) => match module.parent_kind(node) {
            AstKind::VariableDeclaration(list) => list.kind.as_str(),
            _ => "variable",
        },
        _ => "property",
    }
}

/// Returns the value of an enum member, if it is explicit or follows from the members before it.
fn enum_value(module: &Module<'_>, node: NodeId) -> Option<String> {
    let AstKind::TSEnumMember(member) = module.kind(node) else { return None };
    if let Some(value) = &member.initializer {
        return Some(value.span().source_text(module.text()).to_owned());
    }
    let body = module.self_and_ancestors(node).skip(1).take(3).find_map(|around| match module.kind(around) {
        AstKind::TSEnumDeclaration(declared) => Some(&declared.body),
        _ => None,
    })?;
    let mut next = Some(0_i64);
    for known in &body.members {
        next = match &known.initializer {
            None => next,
            Some(Expression::NumericLiteral(number)) if number.value.fract() == 0.0 => Some(number.value as i64),
            Some(_) => None,
        };
        if known.span == member.span {
            return next.map(|value| value.to_string());
        }
        next = next.map(|value| value + 1);
    }
    None
}

/// Returns a part of a module as displayed.
fn displayed_code(module: &Module<'_>, span: Span) -> String {
    let text = span.source_text(module.text()).trim_end().trim_end_matches([';', ',', '=']).trim_end();
    let mut shown: String = text.chars().take(MAX_CODE_LENGTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    strip_indentation(&shown, module, span)
}

/// Returns the node whose name is at an offset.
pub(super) fn declaration_at(module: &Module<'_>, offset: u32) -> Option<NodeId> {
    let names = module.semantic().nodes().iter().filter(|node| node.kind().span().start == offset);
    names
        .filter(|node| {
            matches!(
                node.kind(),
                AstKind::BindingIdentifier(_)
                    | AstKind::IdentifierName(_)
                    | AstKind::PrivateIdentifier(_)
                    | AstKind::StringLiteral(_)
            )
        })
        .find_map(|name| {
            module.self_and_ancestors(name.id()).skip(1).take(6).find(|around| {
                matches!(
                    module.kind(*around),
                    AstKind::Function(_)
                        | AstKind::Class(_)
                        | AstKind::TSInterfaceDeclaration(_)
                        | AstKind::TSTypeAliasDeclaration(_)
                        | AstKind::TSEnumDeclaration(_)
                        | AstKind::TSEnumMember(_)
                        | AstKind::TSNamespaceDeclaration(_)
                        | AstKind::VariableDeclarator(_)
                        | AstKind::FormalParameter(_)
                        | AstKind::FormalParameterRest(_)
                        | AstKind::MethodDefinition(_)
                        | AstKind::PropertyDefinition(_)
                        | AstKind::AccessorProperty(_)
                        | AstKind::TSPropertySignature(_)
                        | AstKind::TSMethodSignature(_)
                        | AstKind::ObjectProperty(_)
                        | AstKind::TSTypeParameter(_)
                        | AstKind::ImportDeclaration(_)
                        | AstKind::TSImportEqualsDeclaration(_)
                )
            })
        })
}

/// Returns the span of a declaration without its body.
fn signature_span(module: &Module<'_>, node: NodeId) -> Option<Span> {
    let whole = with_export_keyword(module, node);
    let until = |end: u32| Span::new(whole.start, end);
    Some(match module.kind(node) {
        AstKind::Function(function) => until(function.body.as_ref().map_or(whole.end, |body| body.span.start)),
        AstKind::Class(class) => until(class.body.span.start),
        AstKind::TSInterfaceDeclaration(interface) => until(interface.body.span.start),
        AstKind::TSEnumDeclaration(declared) => until(declared.body.span.start),
        AstKind::TSNamespaceDeclaration(namespace) => until(namespace.id.span.end),
        AstKind::MethodDefinition(method) => {
            until(method.value.body.as_ref().map_or(whole.end, |body| body.span.start))
        }
        AstKind::ObjectProperty(property) => match &property.value {
            Expression::FunctionExpression(function) if property.method => {
                until(function.body.as_ref().map_or(whole.end, |body| body.span.start))
            }
            _ => whole,
        },
        AstKind::VariableDeclarator(variable) => match &variable.init {
            Some(Expression::ClassExpression(class)) => until(class.body.span.start),
            Some(Expression::FunctionExpression(function)) => {
                until(function.body.as_ref().map_or(whole.end, |body| body.span.start))
            }
            Some(Expression::ArrowFunctionExpression(arrow)) => match &arrow.body {
                ArrowFunctionBody::FunctionBody(body) => until(body.span.start),
                _ => whole,
            },
            _ => whole,
        },
        _ => whole,
    })
}

/// Extends the span of a declaration to its `export` keyword. For the only variable of a statement, the span also
/// includes `const`, `let` or `var`.
pub(super) fn with_export_keyword(module: &Module<'_>, node: NodeId) -> Span {
    let own = module.kind(node).span();
    let mut current = node;
    let mut span = own;
    loop {
        let parent = module.parent(current);
        match module.kind(parent) {
            AstKind::VariableDeclaration(list) if list.declarations.len() == 1 => {}
            AstKind::ExportDeclaration(_) | AstKind::ExportDefaultDeclaration(_) => {}
            _ => return span,
        }
        span = module.kind(parent).span();
        current = parent;
    }
}

/// Removes the indentation of the first line from the lines that follow.
fn strip_indentation(text: &str, module: &Module<'_>, span: Span) -> String {
    let indent = marquetry_sdk::lines::indent_at(module.text(), span.start as usize);
    text.replace(&format!("\n{indent}"), "\n")
}
