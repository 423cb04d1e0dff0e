//! Names that are only used in JSDoc: they are added to an existing `@import` tag, or written as `import("…").Name`.

use marquetry_sdk::{Edit, Span};

use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;

/// Returns the edits that import a name for all its uses in JSDoc.
pub(crate) fn jsdoc_import_edits(parsed: &Parsed<'_>, text: &str, name: &str, specifier: &str) -> Vec<Edit> {
    let comments = parsed.program.comments.iter().filter(|comment| comment.is_block());
    let comments: Vec<Span> = comments.map(|comment| span_in(comment.span, text)).collect();
    if let Some(at) = comments.iter().find_map(|comment| import_tag_list_end(text, *comment, specifier)) {
        return vec![Edit::insert(at, format!(", {name}"))];
    }
    let written = format!("import(\"{specifier}\").{name}");
    let docs = comments.iter().filter(|comment| comment.slice(text).starts_with("/**"));
    docs.flat_map(|comment| braced_type_uses(text, *comment, name))
        .map(|span| Edit::new(span, written.as_str()))
        .collect()
}

/// Returns the end of the list in an `@import { … } from "…"` tag for the module.
fn import_tag_list_end(text: &str, comment: Span, specifier: &str) -> Option<usize> {
    let own = comment.slice(text);
    own.match_indices("@import").find_map(|(at, _)| {
        let rest = &own[at..];
        let close = rest.find('}')?;
        let from = rest[close..].lines().next()?;
        let is_it = ['"', '\''].iter().any(|quote| from.contains(&format!("{quote}{specifier}{quote}")));
        let list = &rest[..close];
        let is_filled = !list.trim_end().ends_with('{');
        (is_it && is_filled).then(|| comment.range().start + at + list.trim_end().trim_end_matches(',').len())
    })
}

/// Returns the spans at which a comment uses the name as a type in braces. Longer names that contain it are excluded.
fn braced_type_uses(text: &str, comment: Span, name: &str) -> Vec<Span> {
    let own = comment.slice(text);
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (at, char) in own.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let starts = own[at..].starts_with(name)
            && !own[..at].ends_with(|char| is_word(char) || matches!(char, '.' | '@' | '"' | '\''));
        if depth > 0 && starts && !own[at + name.len()..].starts_with(|char| is_word(char) || char == ':') {
            let start = comment.range().start + at;
            found.push(Span::new(start, start + name.len()));
        }
    }
    found
}
