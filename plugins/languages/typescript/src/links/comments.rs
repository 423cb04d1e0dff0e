//! Links in comments: triple-slash references, and imports in JSDoc.

use marquetry_sdk::{Link, Span, lines};
use oxc_ast::ast::Program;

/// Returns the triple-slash references of a program. They are only valid before the first statement.
pub(crate) fn triple_slash_references(program: &Program<'_>) -> Vec<Link> {
    let text = program.source_text;
    let first = program.body.first().map_or(u32::MAX, |statement| oxc_span::GetSpan::span(statement).start);
    let above = program.comments.iter().filter(|comment| comment.is_line() && comment.span.start < first);
    let spans = above.map(|comment| Span { start: comment.span.start, end: comment.span.end });
    spans.filter(|span| span.slice(text).starts_with("///")).filter_map(|span| parse_reference(text, span)).collect()
}

/// Returns the imports in the JSDoc comments of a program.
pub(crate) fn jsdoc_imports(program: &Program<'_>) -> Vec<Link> {
    let text = program.source_text;
    let mut found = Vec::new();
    for comment in program.comments.iter().filter(|comment| comment.is_block()) {
        let span = Span { start: comment.span.start, end: comment.span.end };
        if span.slice(text).starts_with("/**") {
            add_type_imports(text, span, &mut found);
            add_import_tags(text, span, &mut found);
        }
    }
    found
}

/// Parses `/// <reference path="…" />` or `types="…"`.
fn parse_reference(text: &str, comment: Span) -> Option<Link> {
    let contents = comment.slice(text);
    let tag = contents.trim_start_matches('/').trim_start();
    let attributes = tag.strip_prefix("<reference")?;
    let offset = comment.range().start + contents.len() - attributes.len();
    let kinds = [("path", "reference"), ("types", "reference-types")];
    let (kind, span) = kinds.iter().find_map(|(name, kind)| Some((kind, attribute_range(attributes, name)?)))?;
    let span = Span::new(offset + span.start, offset + span.end);
    Some(Link {
        kind: (*kind).to_owned(),
        span,
        statement: comment,
        specifier: span.slice(text).to_owned(),
        names: Vec::new(),
        type_only: true,
    })
}

/// Returns the range of an attribute's value in the text.
fn attribute_range(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let at = text.match_indices(name).find(|(at, _)| text[..*at].ends_with([' ', '\t']))?.0 + name.len();
    let rest = text[at..].trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let start = text.len() - rest.len() + 1;
    Some(start..start + text[start..].find(quote)?)
}

/// Collects `import("…")` in JSDoc types.
fn add_type_imports(text: &str, comment: Span, found: &mut Vec<Link>) {
    let contents = comment.slice(text);
    for (at, call) in contents.match_indices("import(") {
        let within_name = contents[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        // Only `import(…)` inside braces is a type; elsewhere it is part of a code sample.
        let in_braces = contents[..at].matches('{').count() > contents[..at].matches('}').count();
        if within_name || !in_braces {
            continue;
        }
        let open = comment.range().start + at + call.len();
        let Some(span) = quoted_span(text, open, comment) else { continue };
        let after = text[span.range().end + 1..comment.range().end].trim_start().strip_prefix(')');
        let name = after.and_then(|rest| rest.strip_prefix('.')).map(|rest| {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
            rest[..end.unwrap_or(rest.len())].to_owned()
        });
        let names = vec![name.unwrap_or_else(|| "*".to_owned())];
        found.push(type_import_link(span, text, comment, names));
    }
}

/// Collects `@import { A } from "…"`, also with `* as a` or a default import.
fn add_import_tags(text: &str, comment: Span, found: &mut Vec<Link>) {
    let contents = comment.slice(text);
    for (at, tag) in contents.match_indices("@import") {
        let rest = &contents[at + tag.len()..];
        if !rest.starts_with([' ', '\t', '{', '*']) {
            continue;
        }
        let end = rest.find("\n * @").or_else(|| rest.find("*/")).unwrap_or(rest.len());
        let Some(from) = rest[..end].rfind("from") else { continue };
        let start = comment.range().start + at + tag.len() + from + "from".len();
        let Some(span) = quoted_span(text, start, comment) else { continue };
        let names = names_in_clause(&rest[..from]);
        found.push(type_import_link(span, text, comment, names));
    }
}

fn names_in_clause(clause: &str) -> Vec<String> {
    let outside = clause.split('{').next().unwrap_or_default();
    let mut names = Vec::new();
    for part in outside.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "type") {
        names.push(if part.starts_with('*') { "*".to_owned() } else { "default".to_owned() });
    }
    if let Some((_, inside)) = clause.split_once('{') {
        let inside = inside.split('}').next().unwrap_or_default();
        let name = |part: &str| part.split_whitespace().find(|word| *word != "type" && *word != "*").map(str::to_owned);
        names.extend(inside.split(',').filter_map(name));
    }
    names
}

/// Returns the span inside the quotes that follow an offset.
fn quoted_span(text: &str, offset: usize, comment: Span) -> Option<Span> {
    let rest = &text[offset..comment.range().end];
    let open = offset + rest.len() - rest.trim_start().len();
    let quote = text[open..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let length = text[open + 1..comment.range().end].find(quote)?;
    let span = Span::new(open + 1, open + 1 + length);
    (lines::line_end(text, open) >= span.range().end).then_some(span)
}

fn type_import_link(span: Span, text: &str, comment: Span, names: Vec<String>) -> Link {
    Link {
        kind: "type-import".to_owned(),
        span,
        statement: comment,
        specifier: span.slice(text).to_owned(),
        names,
        type_only: true,
    }
}
