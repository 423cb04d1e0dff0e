//! Diagnostics for links to anchors that do not exist. This pack does not provide hover information, because the host
//! derives it from symbols, links and the outline.

use marquetry_sdk::{
    Area, Destination, Diagnostic, Hover, Request, SemanticDiagnostic, SemanticDiagnostics, Severity, nearest,
    workspace,
};

use crate::Markdown;
use crate::document::MarkdownDocument;
use crate::links::resolve;

/// Maximum number of other pages that are read to check the links of one page.
const MAX_PAGES: usize = 200;

impl Hover for Markdown {
    fn check(document: &MarkdownDocument) -> SemanticDiagnostics {
        let own = document.anchor_names();
        let mut pages: Vec<(String, Vec<String>)> = Vec::new();
        let mut found = Vec::new();
        for link in document.workspace_anchor_links() {
            let (anchors, page) = if link.specifier.starts_with('#') {
                (&own, "the page")
            } else {
                let request = Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
                let Destination::Inside(target) = resolve::resolve_link(&document.path, &request) else { continue };
                // Tools may generate any anchors for pages in other formats.
                if !target.path.ends_with(".md") && !target.path.ends_with(".markdown") {
                    continue;
                }
                let known = pages.iter().position(|(path, _)| *path == target.path);
                let index = match known {
                    Some(index) => index,
                    None if pages.len() >= MAX_PAGES => continue,
                    None => {
                        let Ok(text) = workspace::read(&target.path) else { continue };
                        let names = MarkdownDocument::new(&target.path, text).anchor_names();
                        pages.push((target.path.clone(), names));
                        pages.len() - 1
                    }
                };
                (&pages[index].1, pages[index].0.as_str())
            };
            let meant = letters_and_digits(&link.anchor);
            if anchors.iter().any(|name| letters_and_digits(name) == meant) || is_generated_anchor(&link.anchor) {
                continue;
            }
            let near = nearest(&link.anchor, anchors.iter().map(String::as_str));
            let near = near.first().map(|name| format!("; the nearest is `#{name}`")).unwrap_or_default();
            let message = format!("{page} has no anchor `#{}`{near}", link.anchor);
            let code = Some("dead-anchor".to_owned());
            let problem = Diagnostic { severity: Severity::Warning, span: link.span, message, code };
            found.push(SemanticDiagnostic::certain(Area::Links, problem));
        }
        SemanticDiagnostics { checked: vec![Area::Links], diagnostics: found }
    }
}

/// Returns only the letters and digits of an anchor, without a number at its end. Tools that generate anchors agree
/// only on these characters.
fn letters_and_digits(anchor: &str) -> String {
    let kept = anchor.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    kept.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
}

/// Returns whether an anchor is one that tools generate when they display a page, such as for its top, lines or
/// footnotes.
fn is_generated_anchor(anchor: &str) -> bool {
    let is_line = anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    anchor.eq_ignore_ascii_case("top")
        || is_line
        || anchor.starts_with("fn")
        || anchor.starts_with(":~:")
        || anchor.starts_with("user-content-")
}
