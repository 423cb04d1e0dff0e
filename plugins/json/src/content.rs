//! The content that a caller gives: members or elements, one by one, as far as it can be read.

use std::borrow::Cow;

use marquetry_jsonpath::Tree;
use marquetry_sdk::{Failure, FailureKind, Result, fail, indent};

use crate::{
    comments,
    rules::Rules,
    scan,
    source::{Child, Source},
};

/// What is to be put into a container.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The text of a member or element; of several, where comments stand between them.
    pub(crate) text: String,
    /// The names of the members in it.
    pub(crate) names: Vec<String>,
}

/// Contents are read with comments; the host compares problems before and after, and tells of those.
const RELAXED: Rules = Rules { relaxed: true, lines: false };

/// The content as one value.
pub(crate) fn value(content: &str, force: bool) -> Result<&str> {
    let content = content.trim();
    let (_, problems) = scan::scan(content, RELAXED);
    match problems.first() {
        Some(problem) if !force => Err(wrong("value", content, &problem.message).hint(
            "give one JSON value, such as `\"text\"`, `1`, `[…]` or `{…}`; `replace` takes the value without its key",
        )),
        _ => Ok(content),
    }
}

/// The content as members of an object; the members of an object, when it is one.
pub(crate) fn members(content: &str, force: bool) -> Result<Vec<Piece>> {
    let mut content = content.trim();
    if content.starts_with('{') && scan::scan(content, RELAXED).1.is_empty() {
        let (table, _) = scan::scan(content, RELAXED);
        let body = Source { text: content, table: &table }.body(0);
        content = body.map_or(content, |body| body.of(content));
    }
    let hint = "give members, such as `\"key\": value`, or an object whose members are to be taken";
    pieces(content, ('{', '}'), force).map_err(|failure| failure.hint(hint))
}

/// The content as elements of an array.
pub(crate) fn elements(content: &str, force: bool) -> Result<Vec<Piece>> {
    let hint = "give the element, such as `\"text\"`, `1` or `{…}`";
    pieces(content, ('[', ']'), force).map_err(|failure| failure.hint(hint))
}

fn pieces(content: &str, (open, close): (char, char), force: bool) -> Result<Vec<Piece>> {
    // The line break ends a comment.
    let whole = format!("{open}{content}\n{close}");
    let (table, problems) = scan::scan(&whole, RELAXED);
    let source = Source { text: &whole, table: &table };
    let what = if open == '{' { "list of members" } else { "list of elements" };
    let complete = table.range(0).end == whole.len();
    if let Some(problem) = problems.first()
        && !force
    {
        return Err(wrong(what, content, &problem.message));
    }
    if source.count(0) == 0 && !force {
        return Err(fail(FailureKind::InvalidArgument, "the content is empty"));
    }
    if !problems.is_empty() || !complete {
        return Ok(vec![Piece { text: content.trim().trim_end_matches(',').to_owned(), names: Vec::new() }]);
    }
    Ok(split(source))
}

fn split(source: Source<'_>) -> Vec<Piece> {
    let name = |child: Child| child.key.map(|key| source.name(key).into_owned());
    let start = |child: Child| source.table.range(child.key.unwrap_or(child.value)).start;
    let mut gap = 1;
    let mut commented = false;
    for child in source.children_of(0) {
        commented |= comments::any(source.text, gap..start(child));
        gap = source.table.range(child.value).end;
    }
    let end = source.text.len() - 1;
    if commented || comments::any(source.text, gap..end) {
        // One piece, without the comma behind its last member.
        let rest = source.text[gap..end].trim_start().strip_prefix(',').unwrap_or(&source.text[gap..end]);
        let text = format!("{}{}", source.text[1..gap].trim_start(), rest.trim_end());
        return vec![Piece { text, names: source.children_of(0).filter_map(name).collect() }];
    }
    let piece = |child: Child| {
        let end = source.table.range(child.value).end;
        Piece { text: source.text[start(child)..end].to_owned(), names: name(child).into_iter().collect() }
    };
    source.children_of(0).map(piece).collect()
}

fn wrong(what: &str, content: &str, why: &str) -> Failure {
    let shown: String = content.chars().take(60).collect();
    fail(FailureKind::InvalidArgument, format!("the content is no JSON {what}: {why}, in `{shown}`"))
}

/// The content at a place with this indentation, its inner steps those of the document.
pub(crate) fn placed(content: &str, at: &str, unit: &str) -> String {
    let own = indent::unit(content);
    let content = if own == unit { Cow::Borrowed(content) } else { Cow::Owned(restepped(content, &own, unit)) };
    indent::reindent(&content, at, |_| false)
}

/// The content with every step of its indentation written another way; as it is where a line does not fit the steps.
fn restepped(content: &str, own: &str, unit: &str) -> String {
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let filled = || content.lines().skip(1).filter(|line| !line.trim().is_empty());
    let base = filled().map(depth).min().unwrap_or(0);
    let fits = filled().all(|line| (depth(line) - base) % own.len() == 0);
    if !fits {
        return content.to_owned();
    }
    let mut out = String::with_capacity(content.len());
    for (index, line) in content.split_inclusive('\n').enumerate() {
        let inner = depth(line);
        if index == 0 || inner < base {
            out.push_str(line);
        } else {
            out.push_str(&line[..base]);
            out.push_str(&unit.repeat((inner - base) / own.len()));
            out.push_str(&line[inner..]);
        }
    }
    out
}

/// The content on a single line, for a file that holds a value on each. No string of JSON goes over a line's end.
pub(crate) fn on_one_line(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for line in content.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !out.is_empty() && !out.ends_with(['{', '[']) && !line.starts_with(['}', ']']) {
            out.push(' ');
        }
        out.push_str(line);
    }
    out
}

/// The lines of a content for a file that holds a value on each: one value over several lines, or a value on each.
pub(crate) fn lines(content: &str, force: bool) -> Result<Vec<Piece>> {
    let piece = |text: String| Piece { text, names: Vec::new() };
    if scan::scan(content, RELAXED).1.is_empty() {
        return Ok(vec![piece(on_one_line(content))]);
    }
    let (_, problems) = scan::scan(content, Rules { relaxed: false, lines: true });
    match problems.first() {
        Some(problem) if !force => {
            Err(wrong("value or list of lines", content, &problem.message)
                .hint("give a value, or one value on each line"))
        }
        _ => Ok(content
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| piece(line.trim().to_owned()))
            .collect()),
    }
}
