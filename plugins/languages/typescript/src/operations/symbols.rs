//! Symbols: resolving names, finding their uses, and renaming them.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, JSXElementName};
use oxc_span::GetSpan as _;

use crate::infer::checker::Checker;
use crate::operations::facts;
use crate::operations::rename::{self, Usages, incoming, subject};
use crate::operations::style_names::{self, modules};
use crate::program::module::Module;
use crate::program::resolution::workspace::Workspace;
use crate::program::{Program, cache};
use crate::{TypeScript, TypeScriptDocument};
use marquetry_sdk::{
    Document, FailureKind, Found, InterfaceFacts, Occurrence, Query, Renaming, Resolution, Result, Span, Subject,
    Symbols, Target, TargetKind, fail,
};

/// Runs a closure with a type checker for the open document.
pub(crate) fn with_checker<R>(document: &TypeScriptDocument, look: impl FnOnce(&mut Checker<'_>) -> R) -> R {
    let workspace = Workspace::now();
    document.tree.with(|parsed| {
        cache::with(|arena, modules| {
            let load = |path: &str| modules.get(arena, path);
            let file = (document.tree.path(), document.tree.text());
            let program = Program::new(&load, &workspace, file, parsed.program, parsed.semantic());
            look(&mut Checker::new(program))
        })
    })
}

/// Finds all uses of a subject.
fn usages(checker: &mut Checker<'_>, document: &TypeScriptDocument, subject: &Subject) -> Result<Usages> {
    if document.tree.with(|parsed| parsed.repaired && parsed.program.body.is_empty()) {
        return Err(fail(FailureKind::ParseError, "the file cannot be parsed")
            .hint("fix the syntax errors first; the file's problems show where they are"));
    }
    Ok(match subject {
        Subject::At(offset) => rename::usages(checker, subject::at(checker, *offset)?),
        Subject::Address(address) => rename::usages(checker, subject::addressed(checker, document, address)?),
        Subject::Exported(name) => rename::usages(checker, subject::exported(checker, name)?),
        Subject::Imported(key) => incoming::imported(checker, key),
        Subject::ImportedDefault(key) => incoming::imported_default(checker, key),
        Subject::Declared(key) => rename::declared(checker, key),
        Subject::Shared(shared) => rename::shared(checker, &shared.name),
    })
}

/// Returns whether the subject itself says that it is declared in another file.
fn is_of_another_file(checker: &Checker<'_>, subject: &Subject) -> bool {
    match subject {
        Subject::Imported(_) | Subject::ImportedDefault(_) => true,
        Subject::Declared(key) => key.places.iter().all(|place| place.path != checker.here().path),
        Subject::At(_) | Subject::Address(_) | Subject::Exported(_) | Subject::Shared(_) => false,
    }
}

impl Symbols for TypeScript {
    fn facts(document: &TypeScriptDocument) -> InterfaceFacts {
        let mut facts = with_checker(document, |checker| facts::facts(checker));
        facts.free.extend(style_names::used(&document.tree));
        facts
    }

    fn resolve_symbol(document: &TypeScriptDocument, subject: Subject) -> Result<Resolution> {
        if let Some(asked) = modules::asked(document, &subject) {
            return modules::resolve(document, &asked);
        }
        if let Some(shared) = style_names::meant(document, &subject) {
            return Ok(style_names::resolve(document, &shared));
        }
        with_checker(document, |checker| {
            let mut usages = usages(checker, document, &subject)?;
            let passed_on = match &subject {
                Subject::Imported(key) => {
                    let alike = incoming::alike(checker, key, &usages.found.symbols);
                    usages.found.uses.extend(alike.uses);
                    alike.exported
                }
                _ => checker.passed_on(&usages.found.symbols),
            };
            usages.exported.extend(passed_on);
            usages.exported.sort();
            usages.exported.dedup();
            Ok(resolution(checker, document, usages))
        })
    }

    fn rename(document: &TypeScriptDocument, subject: Subject, new_name: &str) -> Result<Renaming> {
        if let Some(asked) = modules::asked(document, &subject) {
            return modules::rename(document, &asked, new_name);
        }
        if let Some(shared) = style_names::meant(document, &subject) {
            return style_names::rename(document, &shared, new_name);
        }
        with_checker(document, |checker| {
            let mut usages = usages(checker, document, &subject)?;
            if is_of_another_file(checker, &subject) {
                usages.withhold(checker);
            }
            if matches!(subject, Subject::ImportedDefault(_)) {
                usages.keep_exports();
            }
            let name = usages.name.clone();
            rename::promised::doubt(checker, (&name, new_name), &mut usages.found);
            rename::rename(checker, usages, new_name)
        })
    }
}

fn resolution(checker: &Checker<'_>, document: &TypeScriptDocument, usages: Usages) -> Resolution {
    let span = |span: oxc_span::Span| Span { start: span.start, end: span.end };
    let certain =
        usages.found.uses.iter().map(|found| Occurrence { span: span(found.span), usage: found.usage, certain: true });
    let unsure = usages.found.left.iter().map(|left| Occurrence {
        span: span(*left),
        usage: marquetry_sdk::Usage::Read,
        certain: false,
    });
    let mut occurrences: Vec<Occurrence> = certain.chain(unsure).collect();
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
    let here = checker.here();
    let called = called_names(&here);
    for occurrence in occurrences.iter_mut().filter(|occurrence| occurrence.usage == marquetry_sdk::Usage::Read) {
        if called.contains(&occurrence.span.start) {
            occurrence.usage = marquetry_sdk::Usage::Called;
        }
    }
    let symbol = usages.found.symbols.first().copied();
    let kind = symbol
        .map_or(if usages.declared.is_some() { "member" } else { "name" }, |symbol| facts::symbol_kind(&here, symbol));
    let declaration = occurrences.iter().find(|occurrence| occurrence.usage == marquetry_sdk::Usage::Declaration);
    let address = declaration.and_then(|declaration| address_at(document, declaration.span.start));
    let unsure = usages.found.left.len();
    let elsewhere = usages.elsewhere.or_else(|| symbol.and_then(|symbol| checker.declared_elsewhere(symbol)));
    let origin = symbol.and_then(|symbol| {
        let name = here.scoping().symbol_name(symbol);
        facts::facts(checker).imports.into_iter().find(|import| import.local.as_deref() == Some(name))
    });
    Resolution {
        name: usages.name,
        kind: kind.to_owned(),
        address,
        occurrences,
        exported_as: usages.exported,
        origin,
        incomplete: (unsure > 0).then(|| format!("{unsure} members with this name have an owner of unknown type")),
        declared: usages.declared,
        shared: usages.shared.then(|| facts::SCRIPT.to_owned()),
        elsewhere,
    }
}

/// Returns the offsets of names that are called, constructed, or rendered as elements.
fn called_names(here: &Module<'_>) -> HashSet<u32> {
    let name = |callee: &Expression<'_>| match callee.get_inner_expression() {
        Expression::Identifier(name) => Some(name.span.start),
        Expression::StaticMemberExpression(member) => Some(member.property.span.start),
        Expression::PrivateFieldExpression(member) => Some(member.field.span.start),
        _ => None,
    };
    let nodes = here.semantic().nodes().iter();
    let called = nodes.filter_map(|node| match node.kind() {
        AstKind::CallExpression(call) => name(&call.callee),
        AstKind::NewExpression(new) => name(&new.callee),
        AstKind::TaggedTemplateExpression(tagged) => name(&tagged.tag),
        AstKind::Decorator(decorator) => name(&decorator.expression),
        AstKind::JSXOpeningElement(element) => match &element.name {
            JSXElementName::MemberExpression(member) => Some(member.property.span.start),
            other => Some(other.span().start),
        },
        _ => None,
    });
    called.collect()
}

/// Returns the address of the declaration whose name is at an offset.
pub(crate) fn address_at(document: &TypeScriptDocument, offset: u32) -> Option<String> {
    document.outline().into_iter().find(|node| node.selection.start == offset).map(|node| node.address)
}

/// Returns the span of the declaration with an address.
pub(crate) fn span_of(document: &TypeScriptDocument, address: &str) -> Option<Span> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    match document.find(&Query { target, limit: 1, values: false }).ok()? {
        Found::Nodes(nodes) => nodes.nodes.first().map(|node| node.span),
        Found::Scalar(_) => None,
    }
}
