//! Types of declarations as displayed, and type definitions.

use marquetry_sdk::FileLocation;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use super::hover_info::declaration_at;
use crate::infer::checker::Checker;
use crate::infer::ty::{Callable, Entity, Signature, Ty};
use crate::program::identifiers::Role;
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::program::module::Module;
use crate::rename::subject::{self, ResolvedSubject};

/// Maximum number of characters of a type to show. Longer types are truncated.
const MAX_TYPE_LENGTH: usize = 600;
/// Placeholder for a type that cannot be inferred; also marks truncated text.
const UNKNOWN_TYPE: &str = "…";
/// Maximum depth at which nested types are followed to their definitions.
const MAX_DEPTH: usize = 8;

fn source_text(module: &Module<'_>, span: Span) -> String {
    let text = span.source_text(module.text());
    let mut shown: String = text.chars().take(MAX_TYPE_LENGTH).collect();
    if shown.len() < text.len() {
        shown.push_str(UNKNOWN_TYPE);
    }
    shown
}

fn annotation_text(module: &Module<'_>, annotation: Option<&TSTypeAnnotation<'_>>) -> Option<String> {
    annotation.map(|annotation| source_text(module, annotation.type_annotation.span()))
}

/// Returns the type of a declaration in the open document. For a pattern, returns the type of the name at the offset.
pub(super) fn printed_type<'w>(checker: &Checker<'w>, here: &Module<'w>, node: NodeId, offset: u32) -> Option<String> {
    let value = |value: &'w Expression<'w>| match value.get_inner_expression() {
        Expression::FunctionExpression(it) => Some(print_callable(checker, here, Callable::Function(it))),
        Expression::ArrowFunctionExpression(it) => Some(print_callable(checker, here, Callable::Arrow(it))),
        Expression::NewExpression(new) if new.callee.is_identifier_reference() => {
            let given = new.type_arguments.as_ref().map(|list| source_text(here, list.span)).unwrap_or_default();
            Some(format!("{}{given}", source_text(here, new.callee.span())))
        }
        _ => checker.print_value(OPEN_DOCUMENT, value).map(|it| it.text),
    };
    match here.kind(node) {
        AstKind::Function(it) => Some(print_callable(checker, here, Callable::Function(it))),
        AstKind::MethodDefinition(it) => Some(print_method(checker, here, it)),
        AstKind::TSMethodSignature(it) if it.kind == TSMethodSignatureKind::Get => {
            annotation_text(here, it.return_type.as_deref())
        }
        AstKind::TSMethodSignature(it) => Some(print_callable(checker, here, Callable::MethodSignature(it))),
        AstKind::Class(it) => Some(print_class(here, it)),
        AstKind::TSInterfaceDeclaration(it) => {
            let until = it.extends.last().map(|last| last.span.end);
            let until = until.or(it.type_parameters.as_ref().map(|list| list.span.end)).unwrap_or(it.id.span.end);
            Some(format!("interface {}", source_text(here, Span::new(it.id.span.start, until))))
        }
        AstKind::TSEnumDeclaration(it) => {
            Some(format!("{}enum {}", if it.r#const { "const " } else { "" }, it.id.name))
        }
        AstKind::TSNamespaceDeclaration(it) => Some(format!("namespace {}", it.id.name)),
        AstKind::TSTypeAliasDeclaration(it) => Some(source_text(here, it.type_annotation.span())),
        AstKind::TSTypeParameter(it) => Some(source_text(here, it.span)),
        AstKind::TSEnumMember(_) => {
            here.self_and_ancestors(node).skip(1).take(3).find_map(|around| match here.kind(around) {
                AstKind::TSEnumDeclaration(it) => Some(it.id.name.to_string()),
                _ => None,
            })
        }
        AstKind::PropertyDefinition(it) => {
            annotation_text(here, it.type_annotation.as_deref()).or_else(|| it.value.as_ref().and_then(value))
        }
        AstKind::AccessorProperty(it) => {
            annotation_text(here, it.type_annotation.as_deref()).or_else(|| it.value.as_ref().and_then(value))
        }
        AstKind::TSPropertySignature(it) => annotation_text(here, it.type_annotation.as_deref()),
        AstKind::ObjectProperty(it) => value(&it.value),
        AstKind::VariableDeclarator(it) => match (&it.type_annotation, &it.init, &it.id) {
            (Some(given), _, BindingPattern::BindingIdentifier(_)) => annotation_text(here, Some(given)),
            (None, Some(init), BindingPattern::BindingIdentifier(_)) => {
                constant_value(here, node, init).or_else(|| value(init))
            }
            _ => type_of_name(checker, here, offset),
        },
        AstKind::FormalParameter(it) => match (&it.type_annotation, &it.pattern) {
            (Some(given), BindingPattern::BindingIdentifier(_)) => annotation_text(here, Some(given)),
            _ => type_of_name(checker, here, offset),
        },
        AstKind::FormalParameterRest(it) => annotation_text(here, it.type_annotation.as_deref()),
        _ => None,
    }
}

/// Returns the literal value of a constant.
fn constant_value(here: &Module<'_>, node: NodeId, init: &Expression<'_>) -> Option<String> {
    let AstKind::VariableDeclaration(list) = here.parent_kind(node) else { return None };
    let is_literal = matches!(
        init,
        Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::BigIntLiteral(_)
    );
    (list.kind.is_const() && is_literal).then(|| source_text(here, init.span()))
}

/// Returns the type of the name at an offset.
fn type_of_name(checker: &Checker<'_>, here: &Module<'_>, offset: u32) -> Option<String> {
    let symbol = declared_symbol(here, offset)?;
    checker.print_symbol(OPEN_DOCUMENT, symbol).map(|it| it.text)
}

fn declared_symbol(here: &Module<'_>, offset: u32) -> Option<SymbolId> {
    here.identifiers_at(offset).iter().find_map(|name| match here.role(name) {
        Role::Declares(symbol) if name.span.start == offset => Some(symbol),
        _ => None,
    })
}

fn print_class(here: &Module<'_>, class: &Class<'_>) -> String {
    let name = class.id.as_ref().map_or("", |id| id.name.as_str());
    let start = class.id.as_ref().map(|id| id.span.end);
    let head = start.map(|start| Span::new(start, class.body.span.start).source_text(here.text()).trim_end());
    let head: Vec<&str> = head.unwrap_or_default().split_whitespace().collect();
    let abstract_word = if class.r#abstract { "abstract " } else { "" };
    let space = if head.is_empty() || head[0].starts_with('<') { "" } else { " " };
    format!("{abstract_word}class {name}{space}{}", head.join(" ")).trim_end().to_owned()
}

fn print_method<'w>(checker: &Checker<'w>, here: &Module<'w>, method: &'w MethodDefinition<'w>) -> String {
    let function = Callable::Function(&method.value);
    match method.kind {
        MethodDefinitionKind::Get => print_return_type(checker, here, function),
        MethodDefinitionKind::Set => {
            let first = method.value.params.items.first();
            let given = first.and_then(|param| annotation_text(here, param.type_annotation.as_deref()));
            given.unwrap_or_else(|| UNKNOWN_TYPE.to_owned())
        }
        MethodDefinitionKind::Constructor => {
            let parameters = print_parameters(checker, here, function);
            let class = here.self_and_ancestors(method.node_id.get()).find_map(|around| match here.kind(around) {
                AstKind::Class(class) => class.id.as_ref().map(|id| id.name.to_string()),
                _ => None,
            });
            format!("new {parameters} => {}", class.unwrap_or_else(|| UNKNOWN_TYPE.to_owned()))
        }
        MethodDefinitionKind::Method => print_callable(checker, here, function),
    }
}

/// Prints `<T>(a: T, b?: string) => void`. Annotations are printed as written; other types are inferred if possible.
fn print_callable<'w>(checker: &Checker<'w>, here: &Module<'w>, callable: Callable<'w>) -> String {
    let types = callable.type_parameters().map(|list| source_text(here, list.span)).unwrap_or_default();
    let parameters = print_parameters(checker, here, callable);
    format!("{types}{parameters} => {}", print_return_type(checker, here, callable))
}

fn print_return_type<'w>(checker: &Checker<'w>, here: &Module<'w>, callable: Callable<'w>) -> String {
    if let Some(ty) = callable.return_type() {
        return source_text(here, ty.span());
    }
    let signature = Signature { module: OPEN_DOCUMENT, callable, substitution: None };
    let printed = checker.with_depth(None, || checker.print_return_type(&signature));
    printed.map_or_else(|| UNKNOWN_TYPE.to_owned(), |it| it.text)
}

fn print_parameters<'w>(checker: &Checker<'w>, here: &Module<'w>, callable: Callable<'w>) -> String {
    let list = callable.params();
    let parameter = |param: &'w FormalParameter<'w>| {
        let name = match &param.pattern {
            BindingPattern::BindingIdentifier(name) => name.name.to_string(),
            pattern => source_text(here, pattern.span()),
        };
        let optional = if param.optional || param.initializer.is_some() { "?" } else { "" };
        let given = annotation_text(here, param.type_annotation.as_deref());
        let symbol = || param.pattern.get_binding_identifier().and_then(|name| name.symbol_id.get());
        let printed = || symbol().and_then(|symbol| checker.print_symbol(OPEN_DOCUMENT, symbol)).map(|it| it.text);
        let ty = given.or_else(printed).unwrap_or_else(|| UNKNOWN_TYPE.to_owned());
        format!("{name}{optional}: {ty}")
    };
    let mut shown: Vec<String> = list.items.iter().map(parameter).collect();
    if let Some(rest) = &list.rest {
        let given = annotation_text(here, rest.type_annotation.as_deref()).unwrap_or_else(|| UNKNOWN_TYPE.to_owned());
        shown.push(format!("...{}: {given}", source_text(here, rest.rest.argument.span())));
    }
    format!("({})", shown.join(", "))
}

/// Returns where the type of the expression at an offset is defined.
pub(super) fn type_definitions<'w>(checker: &Checker<'w>, offset: u32) -> Vec<FileLocation> {
    let mut sites = Vec::new();
    match subject::resolve_at_offset(checker, offset) {
        Ok(ResolvedSubject::Symbol(symbol)) => {
            let (module, symbol) = match checker.symbol_entity(OPEN_DOCUMENT, symbol) {
                Entity::Symbol(module, found) => (module, found),
                _ => (OPEN_DOCUMENT, symbol),
            };
            add_symbol_types(checker, module, symbol, &mut sites);
        }
        Ok(ResolvedSubject::Elsewhere { place, .. }) => {
            sites.extend(checker.site_at(&place).filter(|site| is_type(checker, *site)))
        }
        _ => {}
    }
    if sites.is_empty()
        && let Some(site) = subject::declaration_site(checker, offset)
    {
        let home = checker.module(site.module);
        match declared_symbol(&home, site.offset) {
            Some(symbol) => add_symbol_types(checker, site.module, symbol, &mut sites),
            None => add_member_types(checker, site, &mut sites),
        }
    }
    let mut seen = Vec::new();
    sites.retain(|site| {
        !seen.contains(site) && {
            seen.push(*site);
            true
        }
    });
    sites.into_iter().map(|site| checker.location_of(site)).collect()
}

fn is_type<'w>(checker: &Checker<'w>, site: Site) -> bool {
    let home = checker.module(site.module);
    declared_symbol(&home, site.offset).is_some_and(|symbol| {
        let flags = home.scoping().symbol_flags(symbol);
        flags.is_type() || flags.is_class() || flags.is_enum()
    })
}

fn add_symbol_types<'w>(checker: &Checker<'w>, module: u32, symbol: SymbolId, sites: &mut Vec<Site>) {
    let loaded = checker.module(module);
    let flags = loaded.scoping().symbol_flags(symbol);
    if flags.is_type() || flags.is_class() || flags.is_enum() {
        return sites.extend(checker.sites_of(module, symbol));
    }
    for node in loaded.declarations(symbol) {
        if let AstKind::Function(function) = loaded.kind(node) {
            let signature = Signature { module, callable: Callable::Function(function), substitution: None };
            add_type_declarations(checker, &checker.return_type_of(&signature), MAX_DEPTH, sites);
        }
    }
    add_type_declarations(checker, &checker.symbol_type(module, symbol), MAX_DEPTH, sites);
}

/// Adds the type definitions of a property, a method or an enum member.
fn add_member_types<'w>(checker: &Checker<'w>, site: Site, sites: &mut Vec<Site>) {
    let loaded = checker.module(site.module);
    let Some(node) = declaration_at(&loaded, site.offset) else { return };
    let module = site.module;
    let typed = |given: &Option<oxc_allocator::Box<'w, TSTypeAnnotation<'w>>>| given.is_some();
    let ty = match loaded.kind(node) {
        AstKind::PropertyDefinition(it) => match (&it.type_annotation, &it.value) {
            (Some(given), _) => checker.annotation_type(module, &given.type_annotation, &None),
            (None, Some(value)) => checker.expression_type(module, value),
            _ => return,
        },
        AstKind::TSPropertySignature(it) if typed(&it.type_annotation) => match &it.type_annotation {
            Some(given) => checker.annotation_type(module, &given.type_annotation, &None),
            None => return,
        },
        AstKind::FormalParameter(it) => match &it.type_annotation {
            Some(given) => checker.annotation_type(module, &given.type_annotation, &None),
            None => return,
        },
        AstKind::ObjectProperty(it) => checker.expression_type(module, &it.value),
        AstKind::MethodDefinition(it) => {
            checker.return_type_of(&Signature { module, callable: Callable::Function(&it.value), substitution: None })
        }
        AstKind::TSMethodSignature(it) => {
            checker.return_type_of(&Signature { module, callable: Callable::MethodSignature(it), substitution: None })
        }
        AstKind::TSEnumMember(_) => {
            let declared =
                loaded.self_and_ancestors(node).skip(1).take(3).find_map(|around| match loaded.kind(around) {
                    AstKind::TSEnumDeclaration(it) => it.id.symbol_id.get(),
                    _ => None,
                });
            return sites.extend(declared.into_iter().flat_map(|symbol| checker.sites_of(module, symbol)));
        }
        _ => return,
    };
    add_type_declarations(checker, &ty, MAX_DEPTH, sites);
}

/// Adds the declarations of a type. For a list, adds those of its elements; for a union, those of each alternative.
fn add_type_declarations<'w>(checker: &Checker<'w>, ty: &Ty<'w>, depth: usize, sites: &mut Vec<Site>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match ty {
        Ty::Instance(Owner::Symbol(module, symbol), _) | Ty::Static(Owner::Symbol(module, symbol)) => {
            let loaded = checker.module(*module);
            let is_function = loaded.scoping().symbol_flags(*symbol).is_function();
            if !is_function {
                sites.extend(checker.sites_of(*module, *symbol));
            }
        }
        Ty::Parameter(module, symbol) => sites.extend(checker.sites_of(*module, *symbol)),
        Ty::Module(of) => sites.push(Site { module: of.module, offset: 0 }),
        Ty::Literal(module, literal, _) => sites.push(Site { module: *module, offset: literal.span.start }),
        Ty::Object(module, object) => sites.push(Site { module: *module, offset: object.span.start }),
        Ty::String(_, Some(site)) => sites.push(*site),
        Ty::Callable(signature) => add_type_declarations(checker, &checker.return_type_of(signature), depth, sites),
        Ty::Builtin(_, inner) | Ty::Tuple(inner) | Ty::Union(inner) | Ty::Intersection(inner) => {
            inner.iter().for_each(|ty| add_type_declarations(checker, ty, depth, sites));
        }
        Ty::Keys(inner) => add_type_declarations(checker, inner, depth, sites),
        _ => {}
    }
}
