//! Adds an import to the existing import group, next to imports of the same class: of the standard library, of other
//! modules and of the own module.

mod placement;
mod specs;

use std::collections::BTreeSet;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Edit, FailureKind, Result, Rewrite, fail,
    paths::folder,
    refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure},
};

use crate::{
    imports::{Import, imports},
    packages::{local_name, outline_of, package_clause, package_files},
    table::check_name,
};

pub(super) const ADD_IMPORT: Refactoring<crate::GoDocument> = Refactoring {
    id: "add_import",
    title: "Add an import",
    place: Place::Document,
    arguments: &[
        Argument { name: "path", summary: "the import path, such as `net/http`", values: &[], required: true },
        Argument { name: "alias", summary: "the local name, `_` or `.`", values: &[], required: false },
    ],
    asks_exporters: false,
    apply: |document, input| apply(document, input),
};

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let Some(path) = input.argument("path") else {
        return Err(fail(FailureKind::InvalidArgument, "`add_import` needs `path`").hint("give the import path"));
    };
    if !specs::is_path(path) {
        return Err(fail(FailureKind::InvalidArgument, format!("`{path}` is not an import path"))
            .hint("write it without quotes: `net/http`"));
    }
    if let Some(alias) = input.argument("alias").filter(|alias| !matches!(*alias, "_" | ".")) {
        check_name(alias)?;
    }
    Ok(add_specs(document, &[Spec::new(path, input.argument("alias"))])?.into())
}

/// An import that is added.
#[derive(Debug, Clone)]
pub(super) struct Spec {
    path: String,
    alias: Option<String>,
    /// The import as code, with its comments, without the keyword.
    text: String,
}

impl Spec {
    fn new(path: &str, alias: Option<&str>) -> Spec {
        let text = alias.map_or_else(|| format!("\"{path}\""), |alias| format!("{alias} \"{path}\""));
        Spec { path: path.to_owned(), alias: alias.map(str::to_owned), text }
    }

    fn matches(&self, import: &Import) -> bool {
        import.path == self.path && import.alias.as_ref().map(|(name, _)| name) == self.alias.as_ref()
    }
}

/// Edits that add the imports in `content` to a document. The keyword `import` may be missing.
///
/// # Errors
///
/// Fails if `content` has declarations other than imports, or if a name is already taken.
pub(crate) fn add_imports(document: &CodeDocument, content: &str) -> Result<Vec<Edit>> {
    if content.trim().is_empty() {
        return Err(marquetry_code::blocks::empty_content());
    }
    add_specs(document, &specs::read(document, content)?)
}

/// Edits that import packages.
///
/// # Errors
///
/// Fails if a name is already taken.
pub(super) fn import_paths(document: &CodeDocument, paths: &BTreeSet<String>) -> Result<Vec<Edit>> {
    let content: Vec<String> = paths.iter().map(|path| format!("\"{path}\"")).collect();
    if content.is_empty() { Ok(Vec::new()) } else { add_imports(document, &content.join("\n")) }
}

/// Returns whether an import path is in the standard library.
pub(super) fn is_standard(path: &str) -> bool {
    !path.split('/').next().unwrap_or_default().contains('.')
}

/// Edits that add the imports that the file does not have yet.
fn add_specs(document: &CodeDocument, wanted: &[Spec]) -> Result<Vec<Edit>> {
    let mut there = imports(document);
    let mut missing: Vec<Spec> = Vec::new();
    for spec in wanted {
        if there.iter().any(|import| spec.matches(import)) {
            continue;
        }
        check_free(document, &there, spec)?;
        let at = marquetry_sdk::Span::at(0);
        let alias = spec.alias.clone().map(|alias| (alias, at));
        there.push(Import { node: 0, path: spec.path.clone(), span: at, alias });
        missing.push(spec.clone());
    }
    if missing.is_empty() { Ok(Vec::new()) } else { placement::insert(document, &missing) }
}

/// Edits that add imports of these paths. The caller has already checked that their names are free.
///
/// # Errors
///
/// Fails if the imports of the file cannot be edited.
pub(crate) fn add_paths(document: &CodeDocument, paths: &[&str]) -> Result<Vec<Edit>> {
    let specs: Vec<Spec> = paths.iter().map(|path| Spec::new(path, None)).collect();
    if specs.is_empty() { Ok(Vec::new()) } else { placement::insert(document, &specs) }
}

/// Edits that add imports that are given as code: `name "path"`. The caller has already checked that their names are
/// free.
///
/// # Errors
///
/// Fails if the imports of the file cannot be edited.
pub(super) fn insert(document: &CodeDocument, specs: &[String]) -> Result<Vec<Edit>> {
    let read = specs.iter().map(|spec| specs::read(document, spec)).collect::<Result<Vec<_>>>()?;
    placement::insert(document, &read.concat())
}

/// Refuses the import if the file or its package already uses its name for something else.
fn check_free(document: &CodeDocument, there: &[Import], spec: &Spec) -> Result<()> {
    let at = marquetry_sdk::Span::at(0);
    let alias = spec.alias.clone().map(|alias| (alias, at));
    let local = local_name(document.path(), &Import { node: 0, path: spec.path.clone(), span: at, alias });
    if matches!(local.as_str(), "_" | ".") {
        return Ok(());
    }
    let package = package_clause(document.arena()).unwrap_or_default();
    let is_declared = |file: &String| outline_of(file).declared.contains_key(&local);
    let is_taken = there.iter().any(|import| local_name(document.path(), import) == local)
        || package_files(folder(document.path()), &package).iter().any(is_declared);
    if is_taken {
        return Err(refactor_failure(format!("the file already has another `{local}`")).hint("give an `alias`"));
    }
    Ok(())
}
