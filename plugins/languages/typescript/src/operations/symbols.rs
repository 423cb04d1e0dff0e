//! Symbols: resolving names, finding their uses, and renaming them.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, JSXElementName};
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::infer::checker::Checker;
use crate::operations::style_names::{self, css_modules};
use crate::program::commonjs::is_required;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::program::whole_export;
use crate::rename::{self, Usages, imported_uses, subject};
use crate::semantics::facts;
use crate::semantics::with_checker;
use crate::syntax::components;
use crate::{TypeScript, TypeScriptDocument};
use marquetry_sdk::{
    Document, FailureKind, FindResult, InterfaceFacts, Occurrence, Query, RenameResult, Resolution, Result, Span,
    Subject, Symbols, Target, TargetKind, fail,
};

/// Finds all uses of a subject.
fn find_usages(checker: &mut Checker<'_>, document: &TypeScriptDocument, subject: &Subject) -> Result<Usages> {
    let is_component = components::is_component(document.tree.path());
    if !is_component && document.tree.with(|parsed| parsed.repaired && parsed.program.body.is_empty()) {
        return Err(fail(FailureKind::ParseError, "the file cannot be parsed")
            .hint("fix the syntax errors first; the file's problems show where they are"));
    }
    Ok(match subject {
        Subject::At(offset) => rename::find_usages(checker, subject::resolve_at_offset(checker, *offset)?),
        Subject::Address(address) => {
            rename::find_usages(checker, subject::resolve_address(checker, document, address)?)
        }
        Subject::Exported(name) => rename::find_usages(checker, subject::resolve_export(checker, name)?),
        Subject::Imported(key) => imported_uses::usages_of_import(checker, key),
        Subject::ImportedDefault(key) => imported_uses::usages_of_default_import(checker, key),
        Subject::Declared(key) => rename::usages_of_declared_members(checker, key),
        Subject::Shared(shared) => rename::usages_of_script_global(checker, &shared.name),
    })
}

/// Returns whether the kind of subject already shows that the symbol is declared in another file.
fn is_declared_elsewhere(checker: &Checker<'_>, subject: &Subject) -> bool {
    match subject {
        Subject::Imported(_) | Subject::ImportedDefault(_) => true,
        Subject::Declared(key) => key.locations.iter().all(|place| place.path != checker.open_module().path),
        Subject::At(_) | Subject::Address(_) | Subject::Exported(_) | Subject::Shared(_) => false,
    }
}

impl Symbols for TypeScript {
    fn facts(document: &TypeScriptDocument) -> InterfaceFacts {
        let mut facts = with_checker(document, |checker| facts::interface_facts(checker));
        facts.free.extend(style_names::used_style_names(&document.tree));
        facts
    }

    fn resolve_symbol(document: &TypeScriptDocument, subject: Subject) -> Result<Resolution> {
        if let Some(class) = css_modules::module_class_of(document, &subject) {
            return css_modules::resolve(document, &class);
        }
        if let Some(shared) = style_names::style_name_of(document, &subject) {
            return Ok(style_names::resolve(document, &shared));
        }
        with_checker(document, |checker| {
            let mut usages = find_usages(checker, document, &subject)?;
            let passed_on = match &subject {
                Subject::Imported(key) => {
                    let alike = imported_uses::unrenamed_references(checker, key, &usages.found);
                    usages.found.uses.extend(alike.uses);
                    alike.exported
                }
                _ => checker.reexported_symbol_names(&usages.found.symbols),
            };
            usages.exported.extend(passed_on);
            usages.exported.sort();
            usages.exported.dedup();
            let doubt = exported_in_expression(checker, &usages.found.symbols).then(|| UNKNOWN_EXPORT.to_owned());
            let resolution = to_resolution(checker, document, usages);
            let incomplete = resolution.incomplete.clone().or(doubt);
            Ok(Resolution { incomplete, ..resolution })
        })
    }

    fn rename(document: &TypeScriptDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Some(class) = css_modules::module_class_of(document, &subject) {
            return css_modules::rename(document, &class, new_name);
        }
        if let Some(shared) = style_names::style_name_of(document, &subject) {
            return style_names::rename(document, &shared, new_name);
        }
        with_checker(document, |checker| {
            let mut usages = find_usages(checker, document, &subject)?;
            if is_declared_elsewhere(checker, &subject) {
                usages.mark_uncertain_if_unparsed(checker);
            }
            if matches!(subject, Subject::ImportedDefault(_)) {
                usages.keep_exported_names();
            }
            rename::manual_mocks::report_manual_mocks(checker, &mut usages);
            let name = usages.name.clone();
            rename::copied_members::list_reads_of_listed_keys(checker, &name, &mut usages.found);
            rename::inherited_members::report_inherited_members(checker, (&name, new_name), &mut usages.found);
            if usages.declared.is_some() {
                rename::new_name::report_other_members(checker, (&name, new_name), &mut usages.found);
            }
            rename::rename(checker, usages, new_name)
        })
    }
}

/// Reason why the references to a symbol are incomplete if it is passed to the module's export.
const UNKNOWN_EXPORT: &str =
    "the value of `module.exports` is not understood, so files that require it may use the symbol";

/// Returns whether a symbol is part of the value that the module exports as a whole, and the members of that value are
/// not known.
fn exported_in_expression(checker: &Checker<'_>, symbols: &[SymbolId]) -> bool {
    let here = checker.open_module();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    let unknown = exports.whole.iter().filter(|whole| whole_export::follow(&here, whole).has_unknown);
    let spans: Vec<oxc_span::Span> = unknown.map(|whole| whole.span()).collect();
    let is_inside = |symbol: &SymbolId| {
        let mut references = here.scoping().get_resolved_references(*symbol);
        references.any(|reference| {
            let used = here.kind(reference.node_id()).span();
            spans.iter().any(|span| span.contains_inclusive(used))
        })
    };
    symbols.iter().any(is_inside)
}

fn to_resolution(checker: &Checker<'_>, document: &TypeScriptDocument, usages: Usages) -> Resolution {
    let span = |span: oxc_span::Span| Span { start: span.start, end: span.end };
    let certain =
        usages.found.uses.iter().map(|found| Occurrence { span: span(found.span), usage: found.usage, certain: true });
    let unsure = usages.found.unresolved.iter().map(|left| Occurrence {
        span: span(*left),
        usage: marquetry_sdk::Usage::Read,
        certain: false,
    });
    let mut occurrences: Vec<Occurrence> = certain.chain(unsure).collect();
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
    let here = checker.open_module();
    let called = called_name_offsets(&here);
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
    let incomplete = unresolved_reason(checker, &usages.found.unresolved);
    let elsewhere = usages.elsewhere.or_else(|| symbol.and_then(|symbol| checker.declared_elsewhere(symbol)));
    let origin = symbol.filter(|symbol| is_imported(&here, *symbol)).and_then(|symbol| {
        let name = here.scoping().symbol_name(symbol);
        facts::interface_facts(checker).imports.into_iter().find(|import| import.local.as_deref() == Some(name))
    });
    Resolution {
        name: usages.name,
        kind: kind.to_owned(),
        address,
        occurrences,
        exported_as: usages.exported,
        origin,
        incomplete,
        declared: usages.declared,
        shared: usages.shared.then(|| facts::SCRIPT_NAMESPACE.to_owned()),
        elsewhere,
    }
}

/// Returns the reason why references with these unresolved places may be incomplete.
fn unresolved_reason(checker: &Checker<'_>, unresolved: &[oxc_span::Span]) -> Option<String> {
    let here = checker.open_module();
    let computed = here.expandos().computed_exports();
    let is_computed = |span: &&oxc_span::Span| computed.contains(span);
    if let Some(key) = unresolved.iter().find(is_computed) {
        let key: String = key.source_text(here.text()).chars().take(MAX_KEY_LENGTH).collect();
        return Some(format!("the names of exports are computed, by `{key}`, and may be this name"));
    }
    let count = unresolved.len();
    (count > 0).then(|| format!("{count} members with this name have an owner of unknown type"))
}

/// Maximum number of characters of an expression in a reason.
const MAX_KEY_LENGTH: usize = 60;

/// Returns whether a symbol is declared by an import, and not by something with the name of one.
fn is_imported(here: &Module<'_>, symbol: SymbolId) -> bool {
    let is_import = |declaration| {
        matches!(
            here.kind(declaration),
            AstKind::ImportSpecifier(_)
                | AstKind::ImportDefaultSpecifier(_)
                | AstKind::ImportNamespaceSpecifier(_)
                | AstKind::TSImportEqualsDeclaration(_)
        )
    };
    is_import(here.scoping().symbol_declaration(symbol)) || is_required(here, symbol)
}

/// Returns the offsets of names that are called, constructed, or rendered as elements.
fn called_name_offsets(here: &Module<'_>) -> HashSet<u32> {
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
pub(crate) fn declaration_span(document: &TypeScriptDocument, address: &str) -> Option<Span> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    match document.find(&Query { target, limit: 1, values: false }).ok()? {
        FindResult::Nodes(nodes) => nodes.nodes.first().map(|node| node.span),
        FindResult::Scalar(_) => None,
    }
}
