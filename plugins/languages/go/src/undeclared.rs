//! Undeclared names: neither the file, its package, an imported package of the workspace, nor the language declares
//! them.

use marquetry_code::CodeDocument;
use marquetry_sdk::{Area, Diagnostic, Hover, RelatedSymbol, SemanticDiagnostic, SemanticDiagnostics, Severity, Span};

use crate::{
    Go, hierarchy, implementations,
    kinds::{K, has_kind},
    memo,
    names::is_universal,
    symbols::{Symbol, declaring_files, is_exported},
    types::Resolver,
};

impl Hover for Go {
    fn calls(document: &crate::GoDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        memo::call(|| hierarchy::calls(document, address))
    }

    fn supertypes(document: &crate::GoDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        memo::call(|| implementations::supertypes(document, address))
    }

    fn subtypes(document: &crate::GoDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        memo::call(|| implementations::subtypes(document, address))
    }

    fn check(document: &crate::GoDocument) -> SemanticDiagnostics {
        let names = memo::call(|| undeclared(document));
        let checked = names.is_some().then_some(Area::Names).into_iter().collect();
        let problem = |(span, message): (Span, String)| {
            let code = Some("undeclared".to_owned());
            let diagnostic = Diagnostic { severity: Severity::Warning, span, message, code };
            SemanticDiagnostic::certain(Area::Names, diagnostic)
        };
        SemanticDiagnostics { checked, diagnostics: names.unwrap_or_default().into_iter().map(problem).collect() }
    }
}

/// The undeclared names, each with a message. `None` if the file has syntax errors, or a dot import of a package that
/// is not in the workspace.
fn undeclared(document: &CodeDocument) -> Option<Vec<(Span, String)>> {
    let own = Symbol::new(document);
    let is_unknown = |(index, local): (usize, &str)| local == "." && own.package_of_import(index).is_none();
    if !document.arena().errors.is_empty() || own.import_names().enumerate().any(is_unknown) {
        return None;
    }
    let mut found = own.free_names();
    found.extend(own.missing_members());
    found.sort_by_key(|(span, _)| span.start);
    Some(found)
}

impl Symbol<'_> {
    /// Undeclared names without a qualifier.
    fn free_names(&self) -> Vec<(Span, String)> {
        let arena = self.file.arena();
        let (package, dots) = (self.package(), self.dot_imports());
        // The name of a package from another module may differ from its path.
        let has_unnamed = self.has_unnamed_import();
        let is_declared = |name: &str| {
            is_universal(name)
                || matches!(name, "_" | "C")
                || self.import_names().any(|local| local == name)
                || [&package].into_iter().chain(&dots).any(|own| !declaring_files(own, name).is_empty())
        };
        let places = self.file.names.places.iter().filter(|place| place.binding.is_none());
        let undeclared = places.filter(|place| {
            let parent = arena.node(place.node).parent;
            let is_qualifier =
                has_kind(arena, parent, K::Selector) && arena.children(parent).next() == Some(place.node);
            !(is_qualifier && has_unnamed)
                && (!place.is_key || Resolver::default().is_field_key(&self.file, place.node) == Some(false))
                && !is_declared(arena.slice(place.node))
        });
        undeclared.map(|place| (place.span, format!("`{}` is not declared", arena.slice(place.node)))).collect()
    }

    /// Qualified names that the imported package of the workspace does not declare.
    fn missing_members(&self) -> Vec<(Span, String)> {
        let mut found = Vec::new();
        for member in self.file.names.members.iter().filter(|member| !member.is_declaration) {
            let name = self.text(member.span);
            let Some(import) = self.import_before(member.node) else { continue };
            let Some(package) = self.package_of_import(import) else { continue };
            if declaring_files(&package, name).is_empty() {
                found.push((member.span, format!("the package `{}` does not declare `{name}`", package.folder)));
            } else if !is_exported(name) {
                found.push((member.span, format!("`{name}` is not exported by the package `{}`", package.folder)));
            }
        }
        found
    }
}
