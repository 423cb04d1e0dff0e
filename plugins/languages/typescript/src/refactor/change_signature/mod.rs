//! `change_signature`: adds, removes and reorders the parameters of a function or method, and updates all calls.
//!
//! ```text
//! function f(a, b) {}        →   function f(b, a) {}
//! f(1, 2);                       f(2, 1);
//! ```

mod calls;
mod declaration;
mod plan;
#[cfg(test)]
mod tests;

use marquetry_sdk::refactor::{self, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{
    DeclaredKey, Edit, Failure, FailureKind, FileLocation, ImportKey, Result, Rewrite, Span, Usage, fail,
};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::imports::module_uses::uses_of_module;
use crate::infer::checker::Checker;
use crate::program::exports::default_symbol;
use crate::program::ids::OPEN_DOCUMENT;
use crate::refactor::change_signature::calls::CallUpdater;
use crate::refactor::change_signature::declaration::Declaration;
use crate::refactor::change_signature::plan::SignaturePlan;
use crate::rename::{self, Usages, imported_uses, subject};
use crate::semantics::functions::{self, FunctionNode};
use crate::semantics::{Semantics, module_values};
use crate::syntax::spans::span_in;

/// Id of the refactoring, at the start of each question to the files that import the function.
pub(crate) const ID: &str = "change_signature";

pub(super) const CHANGE_SIGNATURE: Refactoring<TypeScriptDocument> = Refactoring {
    id: ID,
    title: "Change the parameters of a function",
    place: refactor::Place::Name,
    arguments: &[refactor::Argument {
        name: "parameters",
        summary: "the new parameters as a JSON array: the name of each parameter to keep, and for each new one an \
                  object with `name`, `type`, `default`, `value` (the argument for existing calls) and `optional`",
        values: &[],
        required: true,
    }],
    asks_exporters: false,
    apply,
};

/// Changes the parameters of the function at the caret, or of the one whose name is there.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |code| {
        let function = functions::function_at(code.semantic(), code.text(), input.at);
        let name = match function {
            Some(function) => {
                declaration::check_called(code.semantic(), function)?;
                functions::function_name_span(code.semantic(), function)
            }
            None => None,
        };
        let Some(parameters) = input.argument("parameters") else {
            let is_name = |kind| matches!(kind, AstKind::IdentifierReference(_) | AstKind::IdentifierName(_));
            if name.is_none() && !code.nodes_at(input.at.caret).any(|(_, kind)| is_name(kind)) {
                return Err(functions::no_function_failure(code.semantic(), code.text(), input.at));
            }
            return Err(
                fail(FailureKind::InvalidArgument, "`change_signature` needs `parameters`").hint(plan::FORMAT_HINT)
            );
        };
        let rewrite = code.with_checker(|checker| {
            let offset = name.map_or(input.at.caret, |name| name.start);
            let usages = rename::find_usages(checker, subject::resolve_at_offset(checker, offset)?);
            change_parameters(checker, usages, parameters)
        })?;
        checked(code, rewrite)
    })
}

/// Checks the edits of a rewrite.
fn checked(code: Semantics<'_, '_>, mut rewrite: Rewrite) -> Result<Rewrite> {
    let mut editor = SyntaxEditor::new(code);
    editor.add_edits(std::mem::take(&mut rewrite.edits));
    Ok(Rewrite { edits: editor.finish()?.edits, ..rewrite })
}

/// Creates the rewrite of one document: the edits, and the places that were not updated.
fn rewrite_of(
    checker: &Checker<'_>,
    edits: Vec<Edit>,
    mut unresolved: Vec<Span>,
    unsure: &[oxc_span::Span],
) -> Rewrite {
    let here = checker.open_module();
    unresolved.extend(unsure.iter().map(|span| span_in(*span, here.text())));
    unresolved.sort_by_key(|span| span.start);
    unresolved.dedup();
    Rewrite { unresolved, ..Rewrite::from(edits) }
}

fn change_parameters(checker: &Checker<'_>, usages: Usages, parameters: &str) -> Result<Rewrite> {
    let here = checker.open_module();
    if let Some(place) = &usages.elsewhere {
        return Err(refactor_failure(format!("`{}` is declared in `{}`", usages.name, place.path))
            .hint("run the refactoring at its declaration"));
    }
    let function = declared_function(checker, &usages)?;
    let declaration = Declaration::new(&here, function)?;
    let plan = SignaturePlan::parse_argument(parameters, &declaration)?;
    let mut edits = declaration.parameter_edits(&plan)?;
    let mut calls = CallUpdater::new(checker, &plan);
    calls.update_uses(&usages.found.uses)?;
    edits.extend(calls.edits);
    let mut rewrite = rewrite_of(checker, edits, calls.unresolved, &usages.found.unresolved);
    match &usages.declared {
        Some(key) if usages.found.symbols.is_empty() && usages.exported.is_empty() => {
            ask_for_member(checker, key, &plan, function, &mut rewrite)
        }
        _ => {
            let mut names = usages.exported.clone();
            names.extend(checker.reexported_symbol_names(&usages.found.symbols));
            if usages.shared {
                rewrite.incomplete = Some("other scripts that share the global name were not checked".to_owned());
            }
            ask_for_exports(names, &plan, &mut rewrite);
        }
    }
    Ok(rewrite)
}

/// Returns the only function that is declared with the name.
fn declared_function<'w>(checker: &Checker<'w>, usages: &Usages) -> Result<FunctionNode<'w>> {
    let here = checker.open_module();
    let places: Vec<oxc_span::Span> =
        usages.found.uses.iter().filter(|found| found.usage == Usage::Declaration).map(|found| found.span).collect();
    let no_function = || {
        refactor_failure(format!("`{}` is not a function declared in this file", usages.name))
            .hint("place the caret on the name of a function or method")
    };
    let others = usages.found.sites.iter().filter(|site| site.module != OPEN_DOCUMENT).count();
    if places.len() + others > 1 {
        let message = format!("`{}` has several declarations (overloads or overrides)", usages.name);
        return Err(refactor_failure(message).hint("change them one by one"));
    }
    let place = places.first().ok_or_else(no_function)?;
    let found = here.semantic().nodes().iter().find_map(|node| {
        let function = FunctionNode::from_kind(node.kind())?;
        let name = functions::function_name_span(here.semantic(), function)?;
        (name.start == place.start).then_some(function)
    });
    found.ok_or_else(no_function)
}

/// Asks the files that import these exports to update their calls.
fn ask_for_exports(mut names: Vec<String>, plan: &SignaturePlan, rewrite: &mut Rewrite) {
    names.sort();
    names.dedup();
    for name in names {
        let payload = format!("{ID}\nexport\t{name}\n{}", plan.serialize());
        rewrite.ask_importers([name], payload);
    }
}

/// Asks the files that import the class or object with the member to update their calls.
fn ask_for_member(
    checker: &Checker<'_>,
    key: &DeclaredKey,
    plan: &SignaturePlan,
    function: FunctionNode<'_>,
    rewrite: &mut Rewrite,
) {
    let here = checker.open_module();
    let owner = here.self_and_ancestors(function.id()).find_map(|node| match here.kind(node) {
        AstKind::Class(class) => class.id.as_ref().and_then(|id| id.symbol_id.get()),
        AstKind::VariableDeclarator(variable) => {
            variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get())
        }
        AstKind::AssignmentExpression(set) => assigned_owner(checker, &set.left),
        _ => None,
    });
    if key.name.starts_with('#') || rename::is_private_member(checker, key) {
        return;
    }
    let owner: Vec<SymbolId> = owner.into_iter().collect();
    let mut names: Vec<String> = checker.reexported_symbol_names(&owner);
    let is_default = here.program.body.iter().any(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => {
            default_symbol(export).is_some_and(|symbol| owner.contains(&symbol))
        }
        _ => false,
    });
    names.extend(is_default.then(|| "default".to_owned()));
    names.sort();
    names.dedup();
    let why = format!("files that use `{}` without importing its owner were not checked", key.name);
    rewrite.incomplete = Some(why);
    if names.is_empty() {
        return;
    }
    let places: Vec<String> = key.locations.iter().map(|place| format!("{}\t{}", place.path, place.offset)).collect();
    let payload = format!("{ID}\nmember\t{}\t{}\n{}", key.name, places.join("\t"), plan.serialize());
    rewrite.ask_importers(names, payload);
}

/// Returns the symbol of `a` in `a.b = …` or `a.prototype.b = …`.
fn assigned_owner(checker: &Checker<'_>, target: &AssignmentTarget<'_>) -> Option<SymbolId> {
    let AssignmentTarget::StaticMemberExpression(member) = target else { return None };
    let mut object = &member.object;
    while let Expression::StaticMemberExpression(member) = object {
        object = &member.object;
    }
    let Expression::Identifier(name) = object else { return None };
    let here = checker.open_module();
    here.scoping().get_reference(name.reference_id.get()?).symbol_id()
}

/// Updates this document if it imports a function from `from` whose parameters change.
pub(crate) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (subject, plan) = payload.split_once('\n').unwrap_or((payload, ""));
    let plan = SignaturePlan::deserialize(plan);
    let mut words = subject.split('\t');
    let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().to_owned());
    Semantics::with(document, |code| {
        let rewrite = code.with_checker(|checker| {
            let (uses, left, passed_on) = match kind {
                "member" => {
                    let words: Vec<&str> = words.collect();
                    let place = |pair: &[&str]| {
                        Some(FileLocation { path: (*pair.first()?).to_owned(), offset: pair.get(1)?.parse().ok()? })
                    };
                    let places = words.chunks(2).filter_map(place).collect();
                    let key = DeclaredKey { name, locations: places, forms: Vec::new() };
                    let usages = rename::usages_of_declared_members(checker, &key);
                    (usages.found.uses, usages.found.unresolved, Vec::new())
                }
                _ => imported_uses(checker, from, name),
            };
            let mut calls = CallUpdater::new(checker, &plan);
            calls.check_values()?;
            calls.update_uses(&uses)?;
            let mut rewrite = rewrite_of(checker, calls.edits, calls.unresolved, &left);
            ask_for_exports(passed_on, &plan, &mut rewrite);
            Ok::<Rewrite, Failure>(rewrite)
        })?;
        checked(code, rewrite)
    })
}

type Imported = (Vec<rename::uses::Use>, Vec<oxc_span::Span>, Vec<String>);

/// Returns the uses of a name imported from a file, and the names under which it is re-exported.
fn imported_uses(checker: &mut Checker<'_>, from: &str, name: String) -> Imported {
    let mut specifiers: Vec<String> = Vec::new();
    for specifier in uses_of_module(checker, from).into_iter().filter_map(|used| used.specifier(checker)) {
        if !specifiers.iter().any(|known| known == specifier) {
            specifiers.push(specifier.to_owned());
        }
    }
    let key = ImportKey { specifiers, name };
    let usages = imported_uses::usages_of_import(checker, &key);
    let alike = imported_uses::unrenamed_references(checker, &key, &usages.found);
    let mut uses = usages.found.uses;
    uses.extend(alike.uses);
    uses.sort_by_key(|found| (found.span.start, found.span.end));
    uses.dedup_by_key(|found| found.span);
    let mut passed_on = usages.exported;
    passed_on.extend(alike.exported);
    let mut unresolved = usages.found.unresolved;
    if key.name != "default" {
        unresolved.extend(module_values::module_values(checker, from));
    }
    (uses, unresolved, passed_on)
}
