//! Types of declarations as displayed, and type definitions.

use marquetry_sdk::Place;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use super::card::declaration;
use crate::infer::checker::Checker;
use crate::infer::ty::{Callable, Entity, Signature, Ty};
use crate::operations::rename::subject::{self, Thing};
use crate::program::identifiers::Role;
use crate::program::ids::{HERE, Owner, Site};
use crate::program::module::Module;

/// Longer types are truncated.
const LONGEST: usize = 600;
/// Placeholder for a type that cannot be inferred; also marks truncated text.
const UNTOLD: &str = "…";
/// Maximum depth at which nested types are followed to their definitions.
const DEEPEST: usize = 8;

fn written(module: &Module<'_>, span: Span) -> String {
    let text = span.source_text(module.text());
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push_str(UNTOLD);
    }
    shown
}

fn annotation(module: &Module<'_>, annotation: Option<&TSTypeAnnotation<'_>>) -> Option<String> {
    annotation.map(|annotation| written(module, annotation.type_annotation.span()))
}

/// Returns the type of a declaration in the open document; of a pattern, that of the name at the offset.
pub(super) fn spelled<'w>(checker: &Checker<'w>, here: &Module<'w>, node: NodeId, offset: u32) -> Option<String> {
    let value = |value: &'w Expression<'w>| match value.get_inner_expression() {
        Expression::FunctionExpression(it) => Some(callable(checker, here, Callable::Function(it))),
        Expression::ArrowFunctionExpression(it) => Some(callable(checker, here, Callable::Arrow(it))),
        Expression::NewExpression(new) if new.callee.is_identifier_reference() => {
            let given = new.type_arguments.as_ref().map(|list| written(here, list.span)).unwrap_or_default();
            Some(format!("{}{given}", written(here, new.callee.span())))
        }
        _ => checker.spelled_value(HERE, value).map(|spelled| spelled.text),
    };
    match here.kind(node) {
        AstKind::Function(it) => Some(callable(checker, here, Callable::Function(it))),
        AstKind::MethodDefinition(it) => Some(method(checker, here, it)),
        AstKind::TSMethodSignature(it) if it.kind == TSMethodSignatureKind::Get => {
            annotation(here, it.return_type.as_deref())
        }
        AstKind::TSMethodSignature(it) => Some(callable(checker, here, Callable::Method(it))),
        AstKind::Class(it) => Some(class(here, it)),
        AstKind::TSInterfaceDeclaration(it) => {
            let until = it.extends.last().map(|last| last.span.end);
            let until = until.or(it.type_parameters.as_ref().map(|list| list.span.end)).unwrap_or(it.id.span.end);
            Some(format!("interface {}", written(here, Span::new(it.id.span.start, until))))
        }
        AstKind::TSEnumDeclaration(it) => {
            Some(format!("{}enum {}", if it.r#const { "const " } else { "" }, it.id.name))
        }
        AstKind::TSNamespaceDeclaration(it) => Some(format!("namespace {}", it.id.name)),
        AstKind::TSTypeAliasDeclaration(it) => Some(written(here, it.type_annotation.span())),
        AstKind::TSTypeParameter(it) => Some(written(here, it.span)),
        AstKind::TSEnumMember(_) => here.chain(node).skip(1).take(3).find_map(|around| match here.kind(around) {
            AstKind::TSEnumDeclaration(it) => Some(it.id.name.to_string()),
            _ => None,
        }),
        AstKind::PropertyDefinition(it) => {
            annotation(here, it.type_annotation.as_deref()).or_else(|| it.value.as_ref().and_then(value))
        }
        AstKind::AccessorProperty(it) => {
            annotation(here, it.type_annotation.as_deref()).or_else(|| it.value.as_ref().and_then(value))
        }
        AstKind::TSPropertySignature(it) => annotation(here, it.type_annotation.as_deref()),
        AstKind::ObjectProperty(it) => value(&it.value),
        AstKind::VariableDeclarator(it) => match (&it.type_annotation, &it.init, &it.id) {
            (Some(given), _, BindingPattern::BindingIdentifier(_)) => annotation(here, Some(given)),
            (None, Some(init), BindingPattern::BindingIdentifier(_)) => {
                constant(here, node, init).or_else(|| value(init))
            }
            _ => named(checker, here, offset),
        },
        AstKind::FormalParameter(it) => match (&it.type_annotation, &it.pattern) {
            (Some(given), BindingPattern::BindingIdentifier(_)) => annotation(here, Some(given)),
            _ => named(checker, here, offset),
        },
        AstKind::FormalParameterRest(it) => annotation(here, it.type_annotation.as_deref()),
        _ => None,
    }
}

/// Returns the literal value of a constant.
fn constant(here: &Module<'_>, node: NodeId, init: &Expression<'_>) -> Option<String> {
    let AstKind::VariableDeclaration(list) = here.parent_kind(node) else { return None };
    let is_literal = matches!(
        init,
        Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::BigIntLiteral(_)
    );
    (list.kind.is_const() && is_literal).then(|| written(here, init.span()))
}

/// Returns the type of the name at an offset.
fn named(checker: &Checker<'_>, here: &Module<'_>, offset: u32) -> Option<String> {
    let symbol = declares(here, offset)?;
    checker.spelled_symbol(HERE, symbol).map(|spelled| spelled.text)
}

fn declares(here: &Module<'_>, offset: u32) -> Option<SymbolId> {
    here.identifiers_at(offset).iter().find_map(|name| match here.role(name) {
        Role::Declares(symbol) if name.span.start == offset => Some(symbol),
        _ => None,
    })
}

fn class(here: &Module<'_>, class: &Class<'_>) -> String {
    let name = class.id.as_ref().map_or("", |id| id.name.as_str());
    let start = class.id.as_ref().map(|id| id.span.end);
    let head = start.map(|start| Span::new(start, class.body.span.start).source_text(here.text()).trim_end());
    let head: Vec<&str> = head.unwrap_or_default().split_whitespace().collect();
    let abstract_word = if class.r#abstract { "abstract " } else { "" };
    let space = if head.is_empty() || head[0].starts_with('<') { "" } else { " " };
    format!("{abstract_word}class {name}{space}{}", head.join(" ")).trim_end().to_owned()
}

fn method<'w>(checker: &Checker<'w>, here: &Module<'w>, method: &'w MethodDefinition<'w>) -> String {
    let function = Callable::Function(&method.value);
    match method.kind {
        MethodDefinitionKind::Get => returned(checker, here, function),
        MethodDefinitionKind::Set => {
            let first = method.value.params.items.first();
            let given = first.and_then(|param| annotation(here, param.type_annotation.as_deref()));
            given.unwrap_or_else(|| UNTOLD.to_owned())
        }
        MethodDefinitionKind::Constructor => {
            let parameters = parameters(checker, here, function);
            let class = here.chain(method.node_id.get()).find_map(|around| match here.kind(around) {
                AstKind::Class(class) => class.id.as_ref().map(|id| id.name.to_string()),
                _ => None,
            });
            format!("new {parameters} => {}", class.unwrap_or_else(|| UNTOLD.to_owned()))
        }
        MethodDefinitionKind::Method => callable(checker, here, function),
    }
}

/// Prints `<T>(a: T, b?: string) => void`: annotations as written, other types inferred if possible.
fn callable<'w>(checker: &Checker<'w>, here: &Module<'w>, callable: Callable<'w>) -> String {
    let types = callable.type_parameters().map(|list| written(here, list.span)).unwrap_or_default();
    let parameters = parameters(checker, here, callable);
    format!("{types}{parameters} => {}", returned(checker, here, callable))
}

fn returned<'w>(checker: &Checker<'w>, here: &Module<'w>, callable: Callable<'w>) -> String {
    if let Some(ty) = callable.return_type() {
        return written(here, ty.span());
    }
    let signature = Signature { module: HERE, callable, substitution: None };
    let told = checker.deeper(None, || checker.spelled_returned(&signature));
    told.map_or_else(|| UNTOLD.to_owned(), |spelled| spelled.text)
}

fn parameters<'w>(checker: &Checker<'w>, here: &Module<'w>, callable: Callable<'w>) -> String {
    let list = callable.params();
    let parameter = |param: &'w FormalParameter<'w>| {
        let name = match &param.pattern {
            BindingPattern::BindingIdentifier(name) => name.name.to_string(),
            pattern => written(here, pattern.span()),
        };
        let optional = if param.optional || param.initializer.is_some() { "?" } else { "" };
        let given = annotation(here, param.type_annotation.as_deref());
        let symbol = || param.pattern.get_binding_identifier().and_then(|name| name.symbol_id.get());
        let told = || symbol().and_then(|symbol| checker.spelled_symbol(HERE, symbol)).map(|spelled| spelled.text);
        let ty = given.or_else(told).unwrap_or_else(|| UNTOLD.to_owned());
        format!("{name}{optional}: {ty}")
    };
    let mut shown: Vec<String> = list.items.iter().map(parameter).collect();
    if let Some(rest) = &list.rest {
        let given = annotation(here, rest.type_annotation.as_deref()).unwrap_or_else(|| UNTOLD.to_owned());
        shown.push(format!("...{}: {given}", written(here, rest.rest.argument.span())));
    }
    format!("({})", shown.join(", "))
}

/// Returns where the type of the expression at an offset is defined.
pub(super) fn definitions<'w>(checker: &Checker<'w>, offset: u32) -> Vec<Place> {
    let mut sites = Vec::new();
    match subject::at(checker, offset) {
        Ok(Thing::Symbol(symbol)) => {
            let (module, symbol) = match checker.entity(HERE, symbol) {
                Entity::Symbol(module, found) => (module, found),
                _ => (HERE, symbol),
            };
            of_symbol(checker, module, symbol, &mut sites);
        }
        Ok(Thing::Elsewhere { place, .. }) => sites.extend(checker.site(&place).filter(|site| is_type(checker, *site))),
        _ => {}
    }
    if sites.is_empty()
        && let Some(site) = subject::declaration(checker, offset)
    {
        let home = checker.module(site.module);
        match declares(&home, site.offset) {
            Some(symbol) => of_symbol(checker, site.module, symbol, &mut sites),
            None => of_member(checker, site, &mut sites),
        }
    }
    let mut seen = Vec::new();
    sites.retain(|site| {
        !seen.contains(site) && {
            seen.push(*site);
            true
        }
    });
    sites.into_iter().map(|site| checker.place(site)).collect()
}

fn is_type<'w>(checker: &Checker<'w>, site: Site) -> bool {
    let home = checker.module(site.module);
    declares(&home, site.offset).is_some_and(|symbol| {
        let flags = home.scoping().symbol_flags(symbol);
        flags.is_type() || flags.is_class() || flags.is_enum()
    })
}

fn of_symbol<'w>(checker: &Checker<'w>, module: u32, symbol: SymbolId, sites: &mut Vec<Site>) {
    let held = checker.module(module);
    let flags = held.scoping().symbol_flags(symbol);
    if flags.is_type() || flags.is_class() || flags.is_enum() {
        return sites.extend(checker.sites_of(module, symbol));
    }
    for node in held.declarations(symbol) {
        if let AstKind::Function(function) = held.kind(node) {
            let signature = Signature { module, callable: Callable::Function(function), substitution: None };
            of_type(checker, &checker.returned(&signature), DEEPEST, sites);
        }
    }
    of_type(checker, &checker.symbol_type(module, symbol), DEEPEST, sites);
}

/// Adds the type definitions of a property, a method or an enum member.
fn of_member<'w>(checker: &Checker<'w>, site: Site, sites: &mut Vec<Site>) {
    let held = checker.module(site.module);
    let Some(node) = declaration(&held, site.offset) else { return };
    let module = site.module;
    let typed = |given: &Option<oxc_allocator::Box<'w, TSTypeAnnotation<'w>>>| given.is_some();
    let ty = match held.kind(node) {
        AstKind::PropertyDefinition(it) => match (&it.type_annotation, &it.value) {
            (Some(given), _) => checker.annotated(module, &given.type_annotation, &None),
            (None, Some(value)) => checker.value(module, value),
            _ => return,
        },
        AstKind::TSPropertySignature(it) if typed(&it.type_annotation) => match &it.type_annotation {
            Some(given) => checker.annotated(module, &given.type_annotation, &None),
            None => return,
        },
        AstKind::FormalParameter(it) => match &it.type_annotation {
            Some(given) => checker.annotated(module, &given.type_annotation, &None),
            None => return,
        },
        AstKind::ObjectProperty(it) => checker.value(module, &it.value),
        AstKind::MethodDefinition(it) => {
            checker.returned(&Signature { module, callable: Callable::Function(&it.value), substitution: None })
        }
        AstKind::TSMethodSignature(it) => {
            checker.returned(&Signature { module, callable: Callable::Method(it), substitution: None })
        }
        AstKind::TSEnumMember(_) => {
            let declared = held.chain(node).skip(1).take(3).find_map(|around| match held.kind(around) {
                AstKind::TSEnumDeclaration(it) => it.id.symbol_id.get(),
                _ => None,
            });
            return sites.extend(declared.into_iter().flat_map(|symbol| checker.sites_of(module, symbol)));
        }
        _ => return,
    };
    of_type(checker, &ty, DEEPEST, sites);
}

/// Adds the declarations of a type: for a list those of its elements, for a union those of each alternative.
fn of_type<'w>(checker: &Checker<'w>, ty: &Ty<'w>, depth: usize, sites: &mut Vec<Site>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match ty {
        Ty::Instance(Owner::Symbol(module, symbol), _) | Ty::Static(Owner::Symbol(module, symbol)) => {
            let held = checker.module(*module);
            let is_function = held.scoping().symbol_flags(*symbol).is_function();
            if !is_function {
                sites.extend(checker.sites_of(*module, *symbol));
            }
        }
        Ty::Parameter(module, symbol) => sites.extend(checker.sites_of(*module, *symbol)),
        Ty::Module(of) => sites.push(Site { module: of.module, offset: 0 }),
        Ty::Literal(module, literal, _) => sites.push(Site { module: *module, offset: literal.span.start }),
        Ty::Object(module, object) => sites.push(Site { module: *module, offset: object.span.start }),
        Ty::Text(_, Some(site)) => sites.push(*site),
        Ty::Call(signature) => of_type(checker, &checker.returned(signature), depth, sites),
        Ty::Builtin(_, inner) | Ty::Tuple(inner) | Ty::Either(inner) | Ty::Both(inner) => {
            inner.iter().for_each(|ty| of_type(checker, ty, depth, sites));
        }
        Ty::Keys(inner) => of_type(checker, inner, depth, sites),
        _ => {}
    }
}
