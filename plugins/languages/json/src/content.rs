//! Content to insert, split into members or elements.

use std::borrow::Cow;

use marquetry_jsonpath::Tree;
use marquetry_sdk::{Diagnostic, Failure, FailureKind, Result, fail};

use crate::{
    comments,
    dialect::Dialect,
    scan,
    source::{Child, Source},
};

/// Content to insert into a container.
#[derive(Debug)]
pub(crate) struct NewEntry {
    /// The text of a member or element, or of several with comments between them.
    pub(crate) text: String,
    /// Comments after the text that last until the end of their line, with the white space before them.
    pub(crate) comments: String,
    /// The names of the members in the text.
    pub(crate) names: Vec<String>,
}

/// Contents may contain comments, whatever the file allows. The host compares the errors before and after the edit, and
/// reports new ones.
const RELAXED: Dialect = Dialect { allows_comments: true, is_json_lines: false };

/// Parses the content as one value. Returns it, and the comments after it that last until the end of their line.
pub(crate) fn parse_value(content: &str, force: bool) -> Result<(Cow<'_, str>, String)> {
    let value = content.trim();
    let (table, problems) = scan::scan_document(value, RELAXED);
    match problems.first() {
        Some(problem) if !force => Err(content_error("value", content, leading_space(content), problem).hint(
            "give one JSON value, such as `\"text\"`, `1`, `[…]` or `{…}`; `replace` takes the value without its key",
        )),
        Some(_) => Ok((value.into(), String::new())),
        None => {
            let (own, rest) = value.split_at(table.range(0).end);
            let (beside, comments) = split_comments(rest);
            Ok((if beside.is_empty() { own.into() } else { format!("{own}{beside}").into() }, comments))
        }
    }
}

/// Parses the content as members of an object. If the content is an object, uses its members.
pub(crate) fn parse_members(content: &str, force: bool) -> Result<Vec<NewEntry>> {
    let hint = "give members, such as `\"key\": value`, or an object that contains them";
    let start = leading_space(content);
    let mut part = start..start + content.trim().len();
    if content[part.clone()].starts_with('{') {
        let inner = &content[part.clone()];
        let (table, problems) = scan::scan_document(inner, RELAXED);
        match problems.first() {
            Some(problem) if !force => return Err(content_error("object", content, start, problem).hint(hint)),
            Some(_) => {}
            None => {
                let body = Source { text: inner, table: &table }.body(0).map(|body| body.range());
                part = body.map_or(part, |body| start + body.start..start + body.end);
            }
        }
    }
    parse_bracketed(content, part, ('{', '}'), force).map_err(|failure| failure.hint(hint))
}

/// Parses the content as elements of an array.
pub(crate) fn parse_elements(content: &str, force: bool) -> Result<Vec<NewEntry>> {
    let hint = "give the element, such as `\"text\"`, `1` or `{…}`";
    parse_bracketed(content, 0..content.len(), ('[', ']'), force).map_err(|failure| failure.hint(hint))
}

/// Returns the content if it contains only comments.
pub(crate) fn as_comment(content: &str) -> Option<&str> {
    let text = content.trim();
    comments::is_only_comments(text).then_some(text)
}

/// Parses a part of the content as if it were between these brackets.
fn parse_bracketed(
    content: &str,
    part: std::ops::Range<usize>,
    (open, close): (char, char),
    force: bool,
) -> Result<Vec<NewEntry>> {
    let inner = &content[part.clone()];
    // The line break ends a comment at the end of the content.
    let whole = format!("{open}{inner}\n{close}");
    let (table, problems) = scan::scan_document(&whole, RELAXED);
    let source = Source { text: &whole, table: &table };
    let what = if open == '{' { "list of members" } else { "list of elements" };
    let complete = table.range(0).end == whole.len();
    if let Some(problem) = problems.first()
        && !force
    {
        let mut problem = problem.clone();
        // The added bracket shifts offsets by one.
        problem.span.start = problem.span.start.saturating_sub(1).min(inner.len() as u32);
        return Err(content_error(what, content, part.start, &problem));
    }
    if source.count(0) == 0 && !force {
        return Err(fail(FailureKind::InvalidArgument, "the content is empty"));
    }
    if !problems.is_empty() || !complete {
        let text = inner.trim().trim_end_matches(',').to_owned();
        return Ok(vec![NewEntry { text, comments: String::new(), names: Vec::new() }]);
    }
    Ok(split_entries(source))
}

fn split_entries(source: Source<'_>) -> Vec<NewEntry> {
    let name = |child: Child| child.key.map(|key| source.name(key).into_owned());
    let start = |child: Child| source.table.range(child.key.unwrap_or(child.value)).start;
    let mut gap = 1;
    let mut commented = false;
    for child in source.children_of(0) {
        commented |= comments::has_comments(source.text, gap..start(child));
        gap = source.table.range(child.value).end;
    }
    let end = source.text.len() - 1;
    if commented || comments::has_comments(source.text, gap..end) {
        // Return one entry, without the trailing comma.
        let (beside, comments) = split_comments(&source.text[gap..end]);
        let text = format!("{}{beside}", source.text[1..gap].trim_start());
        return vec![NewEntry { text, comments, names: source.children_of(0).filter_map(name).collect() }];
    }
    let piece = |child: Child| {
        let end = source.table.range(child.value).end;
        let text = source.text[start(child)..end].to_owned();
        NewEntry { text, comments: String::new(), names: name(child).into_iter().collect() }
    };
    source.children_of(0).map(piece).collect()
}

/// Splits the text after the last entry of a content, which has only white space, comments and a comma. Returns the
/// comments that belong before a comma, and those that last until the end of their line: line comments and what follows
/// them, and comments on lines of their own.
fn split_comments(rest: &str) -> (String, String) {
    let found = comments::comment_ranges(rest, 0..rest.len());
    let starts = found.iter().map(|comment| comment.start).chain([rest.len()]);
    let gaps = || [0].into_iter().chain(found.iter().map(|comment| comment.end)).zip(starts.clone());
    let first = |marks: &'static [char]| gaps().find_map(|(from, to)| Some(from + rest[from..to].find(marks)?));
    let line_comment = found.iter().map(|comment| comment.start).find(|start| rest[*start..].starts_with("//"));
    let comma = first(&[',']);
    let end = [comma, first(&['\n', '\r']), line_comment].into_iter().flatten().min().unwrap_or(rest.len());
    let behind = match comma {
        Some(comma) => format!("{}{}", rest[end..comma].trim_end(), rest[comma + 1..].trim_end()),
        None => rest[end..].trim_end().to_owned(),
    };
    // White space before a line comment belongs to it.
    let beside = rest[..end].trim_end();
    let behind = if comma == Some(end) { behind } else { format!("{}{behind}", &rest[beside.len()..end]) };
    match behind.contains("//") || behind.contains(['\n', '\r']) {
        true => (beside.to_owned(), behind),
        false => (format!("{beside}{behind}"), String::new()),
    }
}

/// Returns the length of the white space before the content.
fn leading_space(content: &str) -> usize {
    content.len() - content.trim_start().len()
}

/// Returns the error for a part of the content that starts at `start`.
fn content_error(what: &str, content: &str, start: usize, problem: &Diagnostic) -> Failure {
    Failure::invalid_content(&format!("a JSON {what}"), content, start + problem.span.range().start, &problem.message)
}

/// Joins the content to a single line, for JSON Lines. This is possible because strings in JSON never contain line
/// breaks.
pub(crate) fn join_on_one_line(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for line in content.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !out.is_empty() && !out.ends_with(['{', '[']) && !line.starts_with(['}', ']']) {
            out.push(' ');
        }
        out.push_str(line);
    }
    out
}

/// Returns the entries of a content for JSON Lines. It is one value over several lines, or one value on each line.
pub(crate) fn parse_lines(content: &str, force: bool) -> Result<Vec<NewEntry>> {
    let piece = |text: String| NewEntry { text, comments: String::new(), names: Vec::new() };
    if scan::scan_document(content, RELAXED).1.is_empty() {
        return Ok(vec![piece(join_on_one_line(content))]);
    }
    let (_, problems) = scan::scan_document(content, Dialect { allows_comments: false, is_json_lines: true });
    match problems.first() {
        Some(problem) if !force => Err(content_error("value or list of lines", content, 0, problem)
            .hint("give a value, or one value on each line")),
        _ => Ok(content
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| piece(line.trim().to_owned()))
            .collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_split_at_the_end_of_the_line() {
        let check = |rest: &str, beside: &str, comments: &str| {
            assert_eq!(split_comments(rest), (beside.to_owned(), comments.to_owned()), "{rest:?}");
        };
        check("", "", "");
        check(",", "", "");
        check(" // a, b", "", " // a, b");
        check(", // a, b", "", " // a, b");
        check(" /* a, */ , // b", " /* a, */", " // b");
        check(" /* a */ // b", " /* a */", " // b");
        check(" // a\n  ,", "", " // a");
        check(" // a\n// b", "", " // a\n// b");
        check(",\n// a", "", "\n// a");
        check("\n/* a */", "", "\n/* a */");
        check(" /* a */,", " /* a */", "");
        check(", /* a */", " /* a */", "");
    }
}
