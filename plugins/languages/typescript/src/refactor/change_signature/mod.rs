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
use marquetry_sdk::{DeclaredKey, Edit, Failure, FailureKind, FileLocation, Result, Rewrite, Span, fail};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::infer::checker::Checker;
use crate::refactor::change_signature::calls::CallUpdater;
use crate::refactor::change_signature::plan::SignaturePlan;
use crate::rename::{self, Usages, subject};
use crate::semantics::Semantics;
use crate::semantics::functions::{self, FunctionNode};
use crate::semantics::parameter_list::ParameterList;
use crate::semantics::signatures::{
    check_called, declared_function, imported_uses, is_on_name, owner_exports, uses_of_function,
};
use crate::syntax::spans::{Place, clamp};

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
                check_called(code.semantic(), function)?;
                functions::function_name_span(code.semantic(), function)
            }
            None => None,
        };
        let Some(parameters) = input.argument("parameters") else {
            if name.is_none() && !is_on_name(code, input.at.caret) {
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
    unsure: &[impl Place + Copy],
) -> Rewrite {
    let here = checker.open_module();
    let whole = Span::new(0, here.text().len());
    unresolved.extend(unsure.iter().map(|place| clamp(place.place(), whole)));
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
    let declaration = ParameterList::new(&here, function)?;
    let plan = SignaturePlan::parse_argument(parameters, &declaration)?;
    let mut edits = declaration.parameter_edits(&plan)?;
    let mut calls = CallUpdater::new(checker, &plan);
    calls.update_uses(&uses_of_function(checker, function, &usages))?;
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
    if key.name.starts_with('#') || rename::is_private_member(checker, key) {
        return;
    }
    let names = owner_exports(checker, function);
    let why = format!("files that use `{}` without importing its owner were not checked", key.name);
    rewrite.incomplete = Some(why);
    if names.is_empty() {
        return;
    }
    let places: Vec<String> = key.locations.iter().map(|place| format!("{}\t{}", place.path, place.offset)).collect();
    let payload = format!("{ID}\nmember\t{}\t{}\n{}", key.name, places.join("\t"), plan.serialize());
    rewrite.ask_importers(names, payload);
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
