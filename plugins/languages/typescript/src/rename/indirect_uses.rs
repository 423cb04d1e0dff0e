//! Uses that do not write the name as code: the body of a JSX element is its `children`, and JSDoc comments of JavaScript
//! declare members of types.

use oxc_ast::AstKind;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::rename::search_target::SearchTarget;

/// Maximum length of the text before a name in a comment that is searched for the start of a type: a long comment may
/// contain the name many times.
const MAX_TEXT_BEFORE: usize = 4096;

/// Finds JSX elements with a body whose component has the wanted member `children`. Returns the spans of their names.
pub(super) fn elements_with_children(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    if wanted.name != "children" {
        return Vec::new();
    }
    let here = checker.open_module();
    let found = here.semantic().nodes().iter().filter_map(|node| match node.kind() {
        AstKind::JSXElement(element) if !element.children.is_empty() => {
            let props = checker.props(&checker.component_props(OPEN_DOCUMENT, &element.opening_element), &wanted.name);
            let sites = checker.with_overridden_sites(&props.sites(), &wanted.name);
            let is_wanted = props.may_have_more || wanted.sites.iter().any(|site| sites.contains(site));
            is_wanted.then(|| element.opening_element.name.span())
        }
        _ => None,
    });
    found.collect()
}

/// Finds members with the wanted name in types of JSDoc comments: `@typedef {{ name: string }}`, `@property {string} name`.
pub(super) fn members_in_comments(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    if !here.is_javascript() {
        return Vec::new();
    }
    let (text, name) = (here.text(), wanted.name.as_str());
    let comments = here.program.comments.iter().filter(|comment| comment.is_block());
    let mut found = Vec::new();
    for comment in comments {
        let contents = comment.span.source_text(text);
        if !contents.starts_with("/**") {
            continue;
        }
        for (at, _) in contents.match_indices(name) {
            let from = contents.floor_char_boundary(at.saturating_sub(MAX_TEXT_BEFORE));
            if declares_in_comment(&contents[from..at], &contents[at + name.len()..]) {
                let start = comment.span.start + at as u32;
                found.push(Span::new(start, start + name.len() as u32));
            }
        }
    }
    found
}

/// Returns whether a name between two texts of a comment is a member of a type literal, or the name of a property.
fn declares_in_comment(before: &str, after: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    if before.ends_with(|c: char| is_part(c) || c == '.') || after.starts_with(is_part) {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_property = || {
        let tag = line.rfind("@prop").map(|at| &line[at..]);
        tag.is_some_and(|tag| tag.trim_end_matches('[').trim_end().ends_with('}'))
    };
    let open = before.matches('{').count() > before.matches('}').count();
    let in_literal = || open && after.trim_start_matches('?').trim_start().starts_with([':', '(']);
    is_property() || in_literal()
}

#[cfg(test)]
mod tests {
    use super::declares_in_comment;

    #[test]
    fn members_in_types_of_comments() {
        for (before, after, expected) in [
            ("/** @typedef {{ ", ": number }} P */", true),
            ("/** @typedef {{ a: 1, ", "?: number }} P */", true),
            ("/** @typedef {Object} P\n * @property {number} ", " the x", true),
            ("/** @typedef {Object} P\n * @prop {number} [", "] the x", true),
            ("/** @type {{ ", "(): void }} */", true),
            ("/** uses ", ": it */", false),
            ("/** @param {number} ", " */", false),
            ("/** @type {A.", "} */", false),
            ("/** @typedef {{ max", ": number }} P */", false),
        ] {
            assert_eq!(declares_in_comment(before, after), expected, "{before}x{after}");
        }
    }
}
