//! `add_import`: imports an undeclared name from the module that exports it.

#[cfg(test)]
mod tests;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Failure, FailureKind, Result, Rewrite, fail};

use crate::TypeScriptDocument;
use crate::editor::final_checks;
use crate::imports::candidates::{Candidate, CandidateFinder};
use crate::imports::import_writer::ImportWriter;
use crate::imports::missing_names::{self, MissingName};
use crate::imports::preferences::{self, Preferences};
use crate::semantics::with_checker;

pub(super) const ADD_IMPORT: Refactoring<TypeScriptDocument> = Refactoring {
    id: "add_import",
    title: "Import an undeclared name",
    place: Place::Document,
    arguments: &[
        Argument {
            name: "symbol",
            summary: "the name to import; by default the selected one",
            values: &[],
            required: false,
        },
        Argument {
            name: "module",
            summary: "the module to import from, as a specifier or a path; needed if several modules export the name",
            values: &[],
            required: false,
        },
        Argument { name: "all", summary: "import all undeclared names", values: &["true", "false"], required: false },
        preferences::ARGUMENT,
    ],
    asks_exporters: true,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    let preferences = Preferences::for_request(input, document.tree.path())?;
    let tree = &document.tree;
    tree.with(|parsed| {
        parsed.check_exact(tree.text(), "undeclared names")?;
        let all = input.is_true("all");
        let wanted = match input.argument("symbol") {
            _ if all => missing_names::all_missing_names(parsed, tree.path()),
            Some(symbol) => vec![missing_names::missing_name(parsed, tree.path(), symbol)?],
            None => vec![missing_names::missing_name_at(parsed, tree.path(), input.at.span)?],
        };
        if wanted.is_empty() {
            return Ok(Rewrite::default());
        }
        with_checker(document, |checker| {
            let finder = CandidateFinder::new(checker, parsed, tree.path(), &preferences);
            let mut writer = ImportWriter::new(&finder, tree);
            let mut left: Vec<String> = Vec::new();
            for missing in &wanted {
                match choose_candidate(&finder, missing, input.argument("module")) {
                    Ok(candidate) => writer.add_name(missing, &candidate),
                    Err(failure) if !all => return Err(failure),
                    Err(failure) if failure.kind == FailureKind::AmbiguousTarget => {
                        left.push(format!("{}: {}", failure.message, failure.candidates.join(", ")));
                    }
                    Err(_) => {}
                }
            }
            let mut rewrite = Rewrite::from(final_checks::sort_edits(writer.into_edits())?);
            rewrite.incomplete = (!left.is_empty()).then(|| left.join("; "));
            Ok(rewrite)
        })
    })
}

/// Returns the module from which to import a name.
fn choose_candidate(
    finder: &CandidateFinder<'_, '_, '_>,
    missing: &MissingName,
    module: Option<&str>,
) -> Result<Candidate> {
    let name = &missing.name;
    let mut candidates = finder.candidates(missing);
    if let Some(module) = module {
        let all: Vec<String> = candidates.iter().map(|candidate| candidate.specifier.clone()).collect();
        candidates.retain(|candidate| candidate.matches_module(module));
        if candidates.is_empty() && all.is_empty() {
            return Err(no_exporter_failure(name));
        }
        if candidates.is_empty() {
            return Err(fail(FailureKind::TargetNotFound, format!("`{module}` does not export `{name}`"))
                .hint("use one of the candidates as `module`")
                .candidates(all));
        }
    }
    let Some(best) = candidates.first().cloned() else { return Err(no_exporter_failure(name)) };
    let equal: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.is_ambiguous_with(&best)).collect();
    if equal.len() > 1 {
        return Err(fail(FailureKind::AmbiguousTarget, format!("several modules export `{name}`"))
            .hint("choose one with `module`")
            .candidates(equal.iter().map(|candidate| candidate.specifier.clone())));
    }
    Ok(best)
}

fn no_exporter_failure(name: &str) -> Failure {
    fail(FailureKind::TargetNotFound, format!("no importable module exports `{name}`"))
        .hint("declare it, export it from the file that declares it, or install the package that exports it")
}
