//! Undeclared names: names in paths and imports that a module of the workspace does not have.
//!
//! A name is reported only if the module certainly does not have it: no macro call in the module may declare it, and no
//! glob import may provide it.

use std::collections::HashSet;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Area, Diagnostic, Hover, RelatedSymbol, SemanticDiagnostic, SemanticDiagnostics, Severity, Span, paths::folder,
};

use crate::{
    Rust, hierarchy, memo,
    modules::{Module, module_path},
    resolve::{End, has_within},
    symbols::{Resolved, Symbol},
};

impl Hover for Rust {
    fn calls(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        memo::call(|| hierarchy::calls(document, address))
    }

    fn supertypes(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        memo::call(|| hierarchy::supertypes(document, address))
    }

    fn check(document: &CodeDocument) -> SemanticDiagnostics {
        let names = memo::call(|| undeclared(document));
        let checked = names.is_some().then_some(Area::Names).into_iter().collect();
        let problem = |(span, module): (Span, String)| {
            let message = format!("the module `{module}` has no `{}`", span.slice(document.text_str()));
            let code = Some("undeclared".to_owned());
            let diagnostic = Diagnostic { severity: Severity::Warning, span, message, code };
            SemanticDiagnostic::certain(Area::Names, diagnostic)
        };
        SemanticDiagnostics { checked, diagnostics: names.unwrap_or_default().into_iter().map(problem).collect() }
    }
}

/// The undeclared names, each with the module that does not have it. `None` if the file has syntax errors or is not
/// part of a crate.
fn undeclared(document: &CodeDocument) -> Option<Vec<(Span, String)>> {
    let (root, _) = module_path(document.path()).filter(|_| document.arena().errors.is_empty())?;
    // A file in a folder `tests` below `src` may be a module that a macro declares, instead of the root of a crate.
    if root == document.path() && folder(&root).contains("src/") {
        return None;
    }
    let own = Symbol::new(document);
    let mut found: Vec<(Span, String)> = own.resolved().iter().filter_map(|one| missing(&own, one)).collect();
    found.sort_by_key(|(span, _)| span.start);
    found.dedup();
    Some(found)
}

/// The first name of a path that its module does not have, and the path of that module.
fn missing(own: &Symbol<'_>, one: &Resolved) -> Option<(Span, String)> {
    let (path, normal) = (own.path_of(one), &one.normal);
    let (count, module) = one.walk.found.last().filter(|_| one.walk.end == End::Unknown)?;
    let name = normal.names.get(*count)?;
    let index = (normal.consumed + count).checked_sub(normal.implied)?;
    let segment = path.segments.get(index)?;
    // A single name may be a crate, and macros are visible in the root of their crate.
    let is_bare = index == 0;
    let is_root = module.inline.is_empty() && module_path(&module.file).is_some_and(|(_, names)| names.is_empty());
    let is_last = index + 1 == path.segments.len() && !name.starts_with(char::is_uppercase);
    let may_be_macro = is_root && is_last && (path.import.is_some() || own.is_macro_call(path));
    if is_bare || may_be_macro || has_within(module, name, &mut HashSet::new()) != Some(false) {
        return None;
    }
    Some((segment.span, shown(module)))
}

/// The path of a module in its crate, as code.
fn shown(module: &Module) -> String {
    let outer = module_path(&module.file).map(|(_, names)| names).unwrap_or_default();
    let names = ["crate".to_owned()].into_iter().chain(outer).chain(module.inline.iter().cloned());
    names.collect::<Vec<_>>().join("::")
}
