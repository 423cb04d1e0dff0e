//! What is wrong with the links of a page: those that lead to anchors that are not there. What a heading or a link is, the
//! host tells from names, links and the outline.

use marquetry_sdk::{Area, Destination, Finding, Insight, Inspection, Problem, Request, Severity, nearest, workspace};

use crate::Markdown;
use crate::document::MarkdownDocument;
use crate::links::resolve;

/// Other pages that are read for the links of one.
const MOST_PAGES: usize = 200;

impl Insight for Markdown {
    fn checks(document: &MarkdownDocument) -> Inspection {
        let own = document.anchor_names();
        let mut pages: Vec<(String, Vec<String>)> = Vec::new();
        let mut found = Vec::new();
        for link in document.anchor_links() {
            let (anchors, page) = if link.specifier.starts_with('#') {
                (&own, "the page")
            } else {
                let request = Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
                let Destination::Inside(target) = resolve::resolve(&document.path, &request) else { continue };
                // How pages of other formats make anchors, nothing here tells.
                if !target.path.ends_with(".md") && !target.path.ends_with(".markdown") {
                    continue;
                }
                let known = pages.iter().position(|(path, _)| *path == target.path);
                let index = match known {
                    Some(index) => index,
                    None if pages.len() >= MOST_PAGES => continue,
                    None => {
                        let Some(text) = workspace::read(&target.path) else { continue };
                        let names = MarkdownDocument::new(&target.path, text).anchor_names();
                        pages.push((target.path.clone(), names));
                        pages.len() - 1
                    }
                };
                (&pages[index].1, pages[index].0.as_str())
            };
            let meant = letters(&link.anchor);
            if anchors.iter().any(|name| letters(name) == meant) || is_of_tool(&link.anchor) {
                continue;
            }
            let near = nearest(&link.anchor, anchors.iter().map(String::as_str));
            let near = near.first().map(|name| format!("; the nearest is `#{name}`")).unwrap_or_default();
            let message = format!("{page} has no anchor `#{}`{near}", link.anchor);
            let code = Some("dead-anchor".to_owned());
            let problem = Problem { severity: Severity::Warning, span: link.span, message, code };
            found.push(Finding::certain(Area::Links, problem));
        }
        Inspection { checked: vec![Area::Links], findings: found }
    }
}

/// The letters and digits of an anchor, without a number at its end: how tools make the rest of it differs.
fn letters(anchor: &str) -> String {
    let kept = anchor.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    kept.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
}

/// Anchors that the tools which show a page make: its top, its lines, its footnotes.
fn is_of_tool(anchor: &str) -> bool {
    let is_line = anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    anchor.eq_ignore_ascii_case("top")
        || is_line
        || anchor.starts_with("fn")
        || anchor.starts_with(":~:")
        || anchor.starts_with("user-content-")
}
