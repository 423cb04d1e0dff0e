//! Template literal types: `` `on${Capitalize<keyof Events>}` `` produces longer names that contain the name of a member or
//! a literal type. The template is listed, and so are the names in the open document that it may produce: strings, and
//! members of mapped types such as `onOpen`.

use std::collections::HashSet;
use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{AstNode, NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::{Substitution, Ty};
use crate::program::ResolvedModule;
use crate::program::identifiers::{Identifier, Role, identifier};
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::search_target::SearchTarget;

/// Maximum number of modules to search for templates: the open document, the declaring ones, and those they import.
const MAX_MODULES: usize = 64;

/// Types of the language that change the case of a string.
const CASE_TYPES: [&str; 4] = ["Capitalize", "Uncapitalize", "Uppercase", "Lowercase"];

/// Finds the templates in the open document with the symbol as one of the keys or literals.
pub(super) fn template_types_with_name(checker: &Checker<'_>, name: &str, sites: &[Site]) -> Vec<Span> {
    let here = checker.open_module();
    let templates = templates_of(&here);
    templates.filter(|template| may_contain(checker, OPEN_DOCUMENT, template, name, sites)).map(|it| it.span).collect()
}

fn templates_of<'m, 'w: 'm>(module: &'m Module<'w>) -> impl Iterator<Item = &'w TSTemplateLiteralType<'w>> + 'm {
    module.semantic().nodes().iter().filter_map(|node| match node.kind() {
        AstKind::TSTemplateLiteralType(template) => Some(template),
        _ => None,
    })
}

/// Returns whether one of the parts of a template may be the symbol.
fn may_contain<'w>(
    checker: &Checker<'w>,
    module: u32,
    template: &'w TSTemplateLiteralType<'w>,
    name: &str,
    sites: &[Site],
) -> bool {
    template.types.iter().any(|part| part_may_be(checker, module, template, part.span(), (name, sites)))
}

/// Returns whether a part of a template, or a component of it such as `K` in `Capitalize<K & string>`, may be the symbol.
fn part_may_be<'w>(
    checker: &Checker<'w>,
    module: u32,
    template: &'w TSTemplateLiteralType<'w>,
    part: Span,
    (name, sites): (&str, &[Site]),
) -> bool {
    let loaded = checker.module(module);
    // Nodes within a template directly follow it.
    let own = |node: &&AstNode<'_>| template.span.contains_inclusive(node.kind().span());
    let inner = loaded.semantic().nodes().iter().skip(template.node_id.get().index()).take_while(own);
    let inner: Vec<AstKind<'w>> =
        inner.map(AstNode::kind).filter(|kind| part.contains_inclusive(kind.span())).collect();
    inner.into_iter().any(|kind| may_include_symbol(checker, &part_type(checker, module, kind), name, sites))
}

/// Returns the type of a component of a part.
fn part_type<'w>(checker: &Checker<'w>, module: u32, kind: AstKind<'w>) -> Ty<'w> {
    let none = Substitution::default();
    match kind {
        AstKind::TSTypeOperator(operator) if operator.operator == TSTypeOperatorOperator::Keyof => {
            Ty::Keys(Rc::new(checker.annotation_type(module, &operator.type_annotation, &none)))
        }
        AstKind::TSTypeReference(reference) => {
            if let TSTypeName::IdentifierReference(name) = &reference.type_name
                && let Some(symbol) = checker.resolve_identifier(module, name)
                && let Some(constraint) = key_constraint(checker, module, symbol)
            {
                return constraint;
            }
            let arguments = checker.type_arguments(module, reference.type_arguments.as_deref(), &none);
            checker.named_type(module, &reference.type_name, arguments, &none)
        }
        _ => Ty::Primitive,
    }
}

/// Returns the keys that a mapped type iterates over, or the constraint of a type parameter.
fn key_constraint<'w>(checker: &Checker<'w>, module: u32, symbol: SymbolId) -> Option<Ty<'w>> {
    let loaded = checker.module(module);
    match loaded.kind(loaded.scoping().symbol_declaration(symbol)) {
        AstKind::TSMappedType(mapped) => {
            Some(checker.annotation_type(module, &mapped.constraint, &Substitution::default()))
        }
        AstKind::TSTypeParameter(_) => checker.constraint(module, symbol),
        _ => None,
    }
}

/// Returns whether the symbol is, or may be, one of the strings of a type.
fn may_include_symbol<'w>(checker: &Checker<'w>, ty: &Ty<'w>, name: &str, sites: &[Site]) -> bool {
    ty.alternatives().iter().any(|ty| match checker.constraint_or_self(ty) {
        Ty::String(_, site) => site.is_some_and(|site| sites.contains(&site)),
        // The keys may be those of a type parameter, which are unknown.
        Ty::Keys(of) => {
            let props = checker.props(&of, name);
            let keys = checker.with_overridden_sites(&props.sites(), name);
            props.may_have_more || sites.iter().any(|site| keys.contains(site))
        }
        _ => false,
    })
}

/// A part of the names that a template produces.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    /// Any text.
    Any,
}

/// Returns whether pieces in this order can be the text.
fn matches(pieces: &[Piece], text: &str) -> bool {
    match pieces {
        [] => text.is_empty(),
        [Piece::Text(own), rest @ ..] => text.strip_prefix(own.as_str()).is_some_and(|left| matches(rest, left)),
        [Piece::Any] => true,
        [Piece::Any, rest @ ..] => text.char_indices().any(|(at, _)| matches(rest, &text[at..])) || matches(rest, ""),
    }
}

/// Finds the names in the open document that templates may produce from the wanted name.
pub(super) fn find_derived_names(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    let forms = case_forms(&wanted.name);
    let text = here.text();
    if !forms.iter().any(|form| text.contains(form.as_str())) {
        return Vec::new();
    }
    let is_longer = |it: &Identifier<'_>| {
        it.name.len() > wanted.name.len() && forms.iter().any(|form| it.name.contains(form.as_str()))
    };
    let nodes = here.semantic().nodes().iter();
    let names = nodes.filter_map(|node| identifier(node.id(), node.kind(), text)).filter(is_longer);
    let is_place = |it: &Identifier<'_>| matches!(here.role(it), Role::Member | Role::StringLiteral);
    let candidates: Vec<Identifier<'_>> = names.filter(is_place).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let patterns = patterns_from(checker, &reachable_modules(checker, wanted), wanted);
    let found = candidates.into_iter().filter(|it| patterns.iter().any(|pattern| matches(pattern, it.name)));
    found.filter(|it| may_be_produced(checker, it)).map(|it| it.span).collect()
}

/// Returns the texts that other files contain if they use a name that a template of the open document produces.
pub(super) fn derived_forms(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in patterns_from(checker, &[OPEN_DOCUMENT], wanted) {
        let texts = pattern.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Any => None,
        });
        // A form must be written together in the file.
        found.extend(texts.max_by_key(String::len).filter(|text| !text.is_empty()));
    }
    found
}

/// Returns the name as the types of the language change it.
fn case_forms(name: &str) -> Vec<String> {
    let mut forms: Vec<String> = CASE_TYPES.iter().map(|case| with_case(name, case)).collect();
    forms.push(name.to_owned());
    forms.sort();
    forms.dedup();
    forms
}

fn with_case(text: &str, case: &str) -> String {
    let mut rest = text.chars();
    let mut first = || rest.next().map(|c| c.to_string()).unwrap_or_default();
    match case {
        "Capitalize" => first().to_uppercase() + rest.as_str(),
        "Uncapitalize" => first().to_lowercase() + rest.as_str(),
        "Uppercase" => text.to_uppercase(),
        "Lowercase" => text.to_lowercase(),
        _ => text.to_owned(),
    }
}

/// Returns the modules whose templates may concern the open document.
fn reachable_modules(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<u32> {
    let sites = wanted.sites.iter().filter(|site| **site != Site::WATCHED).map(|site| site.module);
    let mut found = vec![OPEN_DOCUMENT];
    let mut seen = HashSet::from([OPEN_DOCUMENT]);
    found.extend(sites.filter(|module| seen.insert(*module)));
    let mut next = 0;
    while let Some(module) = found.get(next).copied().filter(|_| found.len() < MAX_MODULES) {
        next += 1;
        let loaded = checker.module(module);
        for statement in &loaded.program.body {
            let source = match statement {
                Statement::ImportDeclaration(import) => import.source.value.as_str(),
                Statement::ExportFromDeclaration(export) => export.source.value.as_str(),
                Statement::ExportAllDeclaration(export) => export.source.value.as_str(),
                _ => None,
            };
            let Some(source) = source else { continue };
            if let ResolvedModule::Module(imported) = checker.resolve_module(module, source)
                && seen.insert(imported.module)
            {
                found.push(imported.module);
            }
        }
    }
    found
}

/// Returns the patterns of the names that the templates of modules produce from the wanted name.
fn patterns_from(checker: &Checker<'_>, modules: &[u32], wanted: &SearchTarget) -> Vec<Vec<Piece>> {
    let mut found = Vec::new();
    for module in modules {
        let loaded = checker.module(*module);
        if loaded.text().contains("${") {
            templates_of(&loaded).for_each(|template| found.extend(patterns_of(checker, *module, template, wanted)));
        }
    }
    found.dedup();
    found
}

fn patterns_of<'w>(
    checker: &Checker<'w>,
    module: u32,
    template: &'w TSTemplateLiteralType<'w>,
    wanted: &SearchTarget,
) -> Vec<Vec<Piece>> {
    let (name, sites) = (wanted.name.as_str(), wanted.sites.as_slice());
    let named = |part: &TSType<'w>| part_may_be(checker, module, template, part.span(), (name, sites));
    let positions: Vec<usize> =
        template.types.iter().enumerate().filter(|(_, part)| named(part)).map(|(at, _)| at).collect();
    let pattern = |position: usize| {
        let mut pieces = Vec::new();
        for (at, quasi) in template.quasis.iter().enumerate() {
            pieces.push(Piece::Text(quasi.value.raw.to_string()));
            match template.types.get(at) {
                Some(part) if at == position => pieces.push(Piece::Text(with_case(name, case_type(part)))),
                Some(_) => pieces.push(Piece::Any),
                None => {}
            }
        }
        joined(pieces)
    };
    positions.into_iter().map(pattern).collect()
}

/// Joins neighbouring texts.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (found.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => found.push(piece),
        }
    }
    found.retain(|piece| *piece != Piece::Text(String::new()));
    found
}

/// Returns the type of the language that a part applies to a string; empty for another type.
fn case_type<'w>(part: &TSType<'w>) -> &'w str {
    match part {
        TSType::TSTypeReference(reference) => match &reference.type_name {
            TSTypeName::IdentifierReference(name) => {
                CASE_TYPES.iter().copied().find(|case| name.name == *case).unwrap_or_default()
            }
            _ => "",
        },
        _ => "",
    }
}

/// Returns whether a string or member may have its name from a template: no other declaration is known for it.
fn may_be_produced<'w>(checker: &Checker<'w>, identifier: &Identifier<'w>) -> bool {
    let here = checker.open_module();
    if let Role::StringLiteral = here.role(identifier) {
        return !matches!(here.parent_kind(identifier.node), AstKind::TSLiteralType(_));
    }
    let own = Site { module: OPEN_DOCUMENT, offset: here.kind(identifier.node).span().start };
    let found = checker.member_sites(OPEN_DOCUMENT, identifier);
    let is_declared = found.sites.iter().any(|site| *site != own);
    let is_only_declaration = || declares_in_type(&here, identifier.node);
    !found.external
        && (found.may_have_more || !is_declared)
        && !is_only_declaration()
        && !is_attribute_of_platform(&here, identifier.node)
}

/// Returns whether a name is an attribute of an element of the platform: `<div onOpen={…}>`.
fn is_attribute_of_platform(module: &Module<'_>, name: NodeId) -> bool {
    let attribute = module.parent(name);
    let AstKind::JSXAttribute(_) = module.kind(attribute) else { return false };
    match module.parent_kind(attribute) {
        AstKind::JSXOpeningElement(element) => matches!(element.name, JSXElementName::Identifier(_)),
        _ => false,
    }
}

/// Returns whether a name declares a member of a class, interface or type literal.
fn declares_in_type(module: &Module<'_>, name: NodeId) -> bool {
    matches!(
        module.parent_kind(name),
        AstKind::MethodDefinition(_)
            | AstKind::PropertyDefinition(_)
            | AstKind::AccessorProperty(_)
            | AstKind::TSPropertySignature(_)
            | AstKind::TSMethodSignature(_)
            | AstKind::TSEnumMember(_)
    )
}

#[cfg(test)]
mod tests {
    use super::{Piece, case_forms, joined, matches};

    #[test]
    fn texts_that_pieces_can_be() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let on = joined(vec![text("on"), text("Open"), text("")]);
        assert_eq!(on, [text("onOpen")]);
        assert!(matches(&on, "onOpen") && !matches(&on, "onOpened") && !matches(&on, "open"));
        let sized = joined(vec![text(""), text("sm"), text("-"), Piece::Any]);
        assert!(matches(&sized, "sm-red") && matches(&sized, "sm-") && !matches(&sized, "md-red"));
        let middle = [Piece::Any, text(":"), Piece::Any, text("!")];
        assert!(matches(&middle, "a:b!") && matches(&middle, ":!") && !matches(&middle, "a:b"));
        assert!(matches(&[], "") && !matches(&[], "a"));
    }

    #[test]
    fn case_of_names() {
        assert_eq!(case_forms("openAll"), ["OPENALL", "OpenAll", "openAll", "openall"]);
        assert_eq!(case_forms(""), [""]);
    }
}
