//! Targets: selectors, attributes of selected elements, and regions.

use marquetry_sdk::{Failure, FailureKind, RegionHelp, Result, TargetHelp, TargetKind, fail};

use crate::select::{self, ElementSet, SelectorError};
use crate::syntax::Tree;

/// Describes the kinds of targets, for the description of the pack.
pub(crate) fn target_help() -> Vec<TargetHelp> {
    let owned = |examples: &[&str]| examples.iter().map(|example| (*example).to_owned()).collect();
    vec![
        TargetHelp {
            kind: TargetKind::Selector,
            syntax: "a CSS selector, as in `querySelectorAll`; `selector@name` for an attribute".to_owned(),
            examples: owned(&[
                "#main",
                "nav a.active",
                "ul > li:nth-child(2)",
                "a:contains(\"Sign in\")",
                "img.logo@src",
            ]),
        },
        TargetHelp {
            kind: TargetKind::Region,
            syntax: "the name of a region".to_owned(),
            examples: owned(&["head", "scripts"]),
        },
    ]
}

/// Describes the regions, for the description of the pack.
pub(crate) fn region_help() -> Vec<RegionHelp> {
    let region = |name: &str, summary: &str| RegionHelp { name: name.to_owned(), summary: summary.to_owned() };
    vec![
        region("doctype", "the doctype"),
        region("head", "the `head` element"),
        region("title", "the `title` element"),
        region("styles", "every `style` element and every link to a stylesheet"),
        region("scripts", "every `script` element"),
        region("body", "the `body` element"),
    ]
}

/// Splits a target into its selector and the name of the attribute after `@`, if there is one.
pub(crate) fn split_target(target: &str) -> (&str, Option<&str>) {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, c) in target.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '@' if depth == 0 => return (&target[..at], Some(target[at + 1..].trim())),
            _ => {}
        }
    }
    (target, None)
}

/// Returns the elements that a selector matches. They include elements without tags, which the parser created.
pub(crate) fn select(tree: &Tree, selector: &str) -> Result<ElementSet> {
    let prefixes: Vec<&str> = tree.prefixes.iter().map(|(prefix, _)| prefix.as_ref()).collect();
    let list = select::parse(selector, &prefixes).map_err(|mistake| invalid_selector(selector, mistake))?;
    Ok(select::select(tree, &list))
}

fn invalid_selector(selector: &str, mistake: SelectorError) -> Failure {
    let shown: String = selector.chars().take(120).collect();
    let failure = fail(FailureKind::InvalidTarget, format!("not a selector: `{shown}`: {}", mistake.message));
    let looks_like_path = shown.trim_start().starts_with(['/', '$']);
    let hint = mistake.hint.unwrap_or_else(|| {
        let hint = if looks_like_path {
            "use a CSS selector, such as `main > p`"
        } else {
            "write a CSS selector, such as `#id`, `nav a.active` or `ul > li:nth-child(2)`"
        };
        hint.to_owned()
    });
    failure.hint(hint).candidates(mistake.candidates)
}
