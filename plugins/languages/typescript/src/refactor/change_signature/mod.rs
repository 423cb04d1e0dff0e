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
use marquetry_sdk::{DeclaredKey, Edit, Failure, FailureKind, FileLocation, Result, Rewrite, Span, Usage, fail};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::infer::checker::Checker;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::refactor::change_signature::calls::CallUpdater;
use crate::refactor::change_signature::plan::{ParameterSlot, SignaturePlan};
use crate::rename::uses::Use;
use crate::rename::{self, Usages, subject};
use crate::semantics::functions;
use crate::semantics::parameter_list::ParameterList;
use crate::semantics::signatures::{
    DeclaredFunction, check_called, declared_functions, imported_uses, is_on_name, other_declarations,
    uses_of_functions,
};
use crate::semantics::{Semantics, refusal_at};
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
            change_parameters(checker, usages, parameters, offset)
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

fn change_parameters(checker: &Checker<'_>, usages: Usages, parameters: &str, offset: u32) -> Result<Rewrite> {
    let here = checker.open_module();
    if let Some(place) = &usages.elsewhere {
        return Err(refactor_failure(format!("`{}` is declared in `{}`", usages.name, place.path))
            .hint("run the refactoring at its declaration"));
    }
    let functions = declared_functions(checker, &usages, offset)?;
    let Some((first, others)) = functions.split_first() else { return Ok(Rewrite::default()) };
    let declaration = ParameterList::new(&here, *first)?;
    let plan = SignaturePlan::parse_argument(parameters, &declaration)?;
    let mut edits = declaration.parameter_edits(&plan)?;
    edits.extend(other_edits(&here, others, &plan)?);
    let mut calls = CallUpdater::new(checker, &plan);
    calls.update_uses(&uses_of_functions(checker, &functions, &usages))?;
    edits.extend(calls.edits);
    let mut rewrite = rewrite_of(checker, edits, calls.unresolved, &usages.found.unresolved);
    match &usages.declared {
        Some(key) if usages.found.symbols.is_empty() && usages.exported.is_empty() => {
            ask_for_member(checker, key, &plan, &mut rewrite)?;
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

/// Returns the edits of the parameter lists of methods that override or implement the changed one, or the reverse.
fn other_edits<'w>(here: &Module<'w>, others: &[DeclaredFunction<'w>], plan: &SignaturePlan) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    for other in others {
        let list = ParameterList::new(here, *other)?;
        let has_rest = plan.slots.contains(&ParameterSlot::Rest);
        if list.parameter_count() != plan.count || list.has_rest() != has_rest {
            return Err(refusal_at("a declaration of the same method has other parameters", other.span())
                .hint("first give all of its declarations the same parameters"));
        }
        edits.extend(list.parameter_edits(plan)?);
    }
    Ok(edits)
}

/// Asks all documents whose text contains the name of the member to update their declarations and calls. Fails if one of
/// the declarations is in an installed package.
fn ask_for_member(checker: &Checker<'_>, key: &DeclaredKey, plan: &SignaturePlan, rewrite: &mut Rewrite) -> Result<()> {
    let here = checker.open_module();
    let elsewhere: Vec<&FileLocation> = key.locations.iter().filter(|place| place.path != here.path).collect();
    let is_private = key.name.starts_with('#') || rename::is_private_member(checker, key);
    if is_private && elsewhere.is_empty() {
        return Ok(());
    }
    let is_installed = |place: &&&FileLocation| place.path.split('/').any(|folder| folder == "node_modules");
    if let Some(place) = elsewhere.iter().find(is_installed) {
        return Err(refactor_failure(format!("`{}` is also declared in `{}`", key.name, place.path))
            .hint("the parameters of that declaration cannot be changed"));
    }
    let places: Vec<String> = key.locations.iter().map(|place| format!("{}\t{}", place.path, place.offset)).collect();
    let payload = format!("{ID}\nmember\t{}\t{}\n{}", key.name, places.join("\t"), plan.serialize());
    // A declaration in a file that the project ignores must change as well.
    for place in elsewhere {
        rewrite.ask_file(place.path.clone(), payload.clone());
    }
    let forms = if key.forms.is_empty() { vec![key.name.clone()] } else { key.forms.clone() };
    rewrite.ask_containing(forms, payload);
    Ok(())
}

/// Returns the reason why a change is incomplete if a class in this document joins the changed member with a declaration
/// that the other files are not asked about.
fn unchanged_declaration(checker: &Checker<'_>, key: &DeclaredKey, uses: &[Use]) -> Option<String> {
    let here = checker.open_module();
    let own = uses.iter().filter(|found| found.usage == Usage::Declaration);
    let own: Vec<Site> = own.map(|found| Site { module: OPEN_DOCUMENT, offset: found.span.start }).collect();
    let is_known = |place: &FileLocation| {
        key.locations.iter().any(|known| (&known.path, known.offset) == (&place.path, place.offset))
    };
    let places = |sites: &[Site]| -> Vec<(Site, FileLocation)> {
        let joined = checker.with_overridden_sites(sites, &key.name).into_iter().filter(|site| *site != Site::WATCHED);
        joined.map(|site| (site, checker.location_of(site))).collect()
    };
    // The file of a declaration that overrides a known one is asked, too.
    let is_asked = |site: Site| places(&[site]).iter().any(|(_, place)| is_known(place));
    let (_, other) = places(&own).into_iter().find(|(site, place)| place.path != here.path && !is_asked(*site))?;
    Some(format!("`{}` is also declared in `{}`, which was not changed", key.name, other.path))
}

/// Updates this document if it imports a function from `from` whose parameters change.
pub(crate) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (subject, plan) = payload.split_once('\n').unwrap_or((payload, ""));
    let plan = SignaturePlan::deserialize(plan);
    let mut words = subject.split('\t');
    let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().to_owned());
    Semantics::with(document, |code| {
        let rewrite = code.with_checker(|checker| {
            let here = checker.open_module();
            let (mut edits, mut incomplete) = (Vec::new(), None);
            let (uses, left, passed_on) = match kind {
                "member" => {
                    let words: Vec<&str> = words.collect();
                    let place = |pair: &[&str]| {
                        Some(FileLocation { path: (*pair.first()?).to_owned(), offset: pair.get(1)?.parse().ok()? })
                    };
                    let places = words.chunks(2).filter_map(place).collect();
                    let key = DeclaredKey { name, locations: places, forms: Vec::new() };
                    let usages = rename::usages_of_declared_members(checker, &key);
                    let declared = other_declarations(checker, &key.name, &usages.found.uses)?;
                    edits = other_edits(&here, &declared, &plan)?;
                    incomplete = unchanged_declaration(checker, &key, &usages.found.uses);
                    (usages.found.uses, usages.found.unresolved, Vec::new())
                }
                _ => imported_uses(checker, from, name),
            };
            let mut calls = CallUpdater::new(checker, &plan);
            calls.check_values()?;
            calls.update_uses(&uses)?;
            edits.extend(calls.edits);
            let mut rewrite = rewrite_of(checker, edits, calls.unresolved, &left);
            rewrite.incomplete = incomplete;
            ask_for_exports(passed_on, &plan, &mut rewrite);
            Ok::<Rewrite, Failure>(rewrite)
        })?;
        checked(code, rewrite)
    })
}
