//! Broken links: specifiers that do not resolve to a file, or that resolve only to a file whose name has another case.

use marquetry_graph::Target;
use marquetry_model::{
    Result, Span,
    pack::{PackDiagnostic, Severity},
};

use super::diagnostic_types::{RawDiagnostic, UNRESOLVED};
use crate::{
    document::OpenFile,
    link_kinds::{GLOB, POSSIBLE_LINK},
    path_parts::{folder, resolve_relative},
    session::Session,
};

/// Source of diagnostics about links.
const LINKS_SOURCE: &str = "links";
/// Code of links whose case differs from that of the file.
const LETTER_CASE: &str = "letter-case";

impl Session {
    /// Returns the broken links of one file.
    pub(super) fn broken_links(&self, file: &OpenFile) -> Result<Vec<RawDiagnostic>> {
        let links = file.ask(|document| document.links())?;
        let requests: Vec<(String, String)> =
            links.iter().map(|link| (link.kind.clone(), link.specifier.clone())).collect();
        let resolved = file.whole().resolve(&requests)?;
        let broken = links.iter().zip(resolved).filter_map(|(link, resolved)| {
            self.broken_link((&link.kind, &link.specifier, link.span), &Target::from(resolved), file.path())
        });
        Ok(broken.collect())
    }

    /// The problem of a link: no file exists at its target, or only a file whose path has another case.
    pub(super) fn broken_link(
        &self,
        (kind, specifier, span): (&str, &str, Span),
        target: &Target,
        from: &str,
    ) -> Option<RawDiagnostic> {
        match target {
            Target::Missing(path) if self.is_reported_missing(path, kind, from) => {
                Some(broken_link_diagnostic(specifier, span, path))
            }
            Target::Inside(path) if is_in_other_case(from, specifier, path) => {
                Some(case_diagnostic(specifier, span, path))
            }
            _ => None,
        }
    }

    /// Returns whether a missing target is a problem. Ignored paths are not reported, because a build may create them.
    fn is_reported_missing(&self, path: &str, kind: &str, from: &str) -> bool {
        let extension = from.rsplit_once('.').map_or("", |(_, extension)| extension);
        let may_be_made = || self.files.is_ignored(path) || self.files.is_ignored(&format!("{path}.{extension}"));
        !matches!(kind, POSSIBLE_LINK | GLOB) && !may_be_made()
    }
}

/// Returns whether a relative specifier differs only in case from the path to which it resolves.
fn is_in_other_case(from: &str, specifier: &str, path: &str) -> bool {
    let end = specifier.find(['#', '?']).unwrap_or(specifier.len());
    let Some(named) = resolve_relative(folder(from), &specifier[..end]).filter(|_| specifier.starts_with('.')) else {
        return false;
    };
    // The specifier may have the extension of the compiled file, such as `.js`, so extensions are not compared.
    let extension = named.rsplit_once('.').filter(|(_, extension)| !extension.contains('/'));
    let stem = extension.map_or(named.as_str(), |(stem, _)| stem);
    !path.starts_with(stem) && path.to_lowercase().starts_with(&stem.to_lowercase())
}

fn case_diagnostic(specifier: &str, span: Span, path: &str) -> RawDiagnostic {
    let message = format!("`{specifier}` differs from `{path}` in case: some file systems do not find it");
    let diagnostic = PackDiagnostic { severity: Severity::Warning, span, message, code: Some(LETTER_CASE.to_owned()) };
    RawDiagnostic { diagnostic, source: LINKS_SOURCE.to_owned(), fix: None }
}

/// Diagnostic for a broken link.
fn broken_link_diagnostic(specifier: &str, span: Span, path: &str) -> RawDiagnostic {
    let message = format!("`{specifier}` resolves to nothing: there is no `{path}`");
    // This is a warning, because the text itself is valid, and the missing file may be created by a program.
    let diagnostic = PackDiagnostic { severity: Severity::Warning, span, message, code: Some(UNRESOLVED.to_owned()) };
    RawDiagnostic { diagnostic, source: LINKS_SOURCE.to_owned(), fix: None }
}

#[cfg(test)]
mod tests {
    use super::is_in_other_case;

    #[test]
    fn only_the_case_of_a_relative_specifier_counts() {
        for (specifier, path, expected) in [
            ("./Sum", "src/sum.ts", true),
            ("./sum", "src/sum.ts", false),
            ("./Sum.js", "src/sum.ts", true),
            ("./Forms", "src/forms/index.ts", true),
            ("../Lib/a.md#b", "lib/a.md", true),
            ("./v1.2/a", "src/v1.2/a.ts", false),
            ("@/Sum", "src/sum.ts", false),
            ("./Sum", "generated/sum.ts", false),
        ] {
            assert_eq!(is_in_other_case("src/main.ts", specifier, path), expected, "{specifier} {path}");
        }
    }
}
