//! Parses targets, which are headings by their text, paths of headings, and blocks within them.

use marquetry_sdk::{Failure, FailureKind, Result, fail};

use crate::blocks::{KIND_NAMES, Kind};

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The source text.
    pub(crate) raw: String,
    /// The segment parsed as a heading.
    pub(crate) heading: HeadingQuery,
    /// The segment parsed as a block, if that is possible.
    pub(crate) block: Option<BlockQuery>,
    /// True if the segment is in quotes, so that it must be a heading.
    pub(crate) quoted: bool,
}

/// A heading, identified by its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadingQuery {
    /// The required number of `#`.
    pub(crate) level: Option<u8>,
    pub(crate) text: String,
    /// Number of the heading among those with this text, from 1.
    pub(crate) number: Option<usize>,
}

/// A block, identified by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockQuery {
    /// `None` for a task list.
    pub(crate) kind: Option<Kind>,
    pub(crate) label: Option<String>,
    pub(crate) number: Option<usize>,
    /// True if brackets follow the name of the kind. Without them, the segment can also be the text of a heading.
    pub(crate) has_brackets: bool,
}

/// Parses a target.
pub(crate) fn parse(value: &str) -> Result<Vec<Segment>> {
    if value.trim().is_empty() {
        return Err(invalid_target("the target is empty"));
    }
    split_segments(value).into_iter().map(parse_segment).collect()
}

fn invalid_target(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidTarget, message).hint(
        "write a heading's text (`Install`, `## Install`), a path (`Guide > Install`), which of several (`Install[2]`) \
         or a block (`Install > code[js]`)",
    )
}

/// Splits at ` > ` outside of quotes.
fn split_segments(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let bytes = value.as_bytes();
    while at < bytes.len() {
        let opens = bytes[at] == b'"'
            && (value[start..at].trim_matches(['#', ' ', '\t']).is_empty() || value[..at].ends_with('['));
        if opens && let Some(end) = quotes_end(value, at) {
            at = end;
            continue;
        }
        if bytes[at] == b'>' && at > 0 && bytes[at - 1] == b' ' && bytes.get(at + 1).is_none_or(|b| *b == b' ') {
            parts.push(&value[start..at]);
            start = at + 1;
        }
        at += 1;
    }
    parts.push(&value[start..]);
    parts.into_iter().map(str::trim).collect()
}

/// Returns the offset after the quote that closes the one at `start`.
fn quotes_end(value: &str, start: usize) -> Option<usize> {
    let bytes = value.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

fn unquote(quoted: &str) -> String {
    let mut out = String::with_capacity(quoted.len());
    let mut chars = quoted[1..quoted.len() - 1].chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

fn parse_segment(raw: &str) -> Result<Segment> {
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    let is_level = (1..=6).contains(&hashes) && raw[hashes..].starts_with([' ', '\t']) || raw.len() == hashes;
    let level = if is_level && hashes > 0 { Some(hashes as u8) } else { None };
    let rest = if level.is_some() { raw[hashes..].trim() } else { raw };
    if let Some(end) = rest.starts_with('"').then(|| quotes_end(rest, 0)).flatten()
        && let Some(number) = parse_number(&rest[end..])?
    {
        let heading = HeadingQuery { level, text: unquote(&rest[..end]), number };
        return Ok(Segment { raw: raw.to_owned(), heading, block: None, quoted: true });
    }
    let block = if level.is_none() { parse_block(rest)? } else { None };
    let (text, number) = match rest.rfind('[') {
        Some(open) if open > 0 && block.is_none() => match parse_number(&rest[open..])? {
            Some(number) => (&rest[..open], number),
            None => (rest, None),
        },
        _ => (rest, None),
    };
    let heading = HeadingQuery { level, text: text.trim().to_owned(), number };
    Ok(Segment { raw: raw.to_owned(), heading, block, quoted: false })
}

/// Parses a number in brackets, such as `[2]`, or an empty text. Returns `None` for anything else.
fn parse_number(rest: &str) -> Result<Option<Option<usize>>> {
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(Some(None));
    }
    let inner = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match inner.and_then(|digits| digits.parse::<usize>().ok()) {
        Some(0) => Err(invalid_target(format!("`{rest}` counts from 1"))),
        Some(number) => Ok(Some(Some(number))),
        None => Ok(None),
    }
}

/// Parses a segment such as `code[js][2]`.
fn parse_block(raw: &str) -> Result<Option<BlockQuery>> {
    let word = &raw[..raw.find('[').unwrap_or(raw.len())];
    let kind = match word {
        "task-list" => None,
        word => match KIND_NAMES.iter().find(|(_, known)| *known == word) {
            Some((kind, _)) if *kind != Kind::Heading => Some(*kind),
            _ => return Ok(None),
        },
    };
    let Some(arguments) = parse_arguments(&raw[word.len()..]) else { return Ok(None) };
    let takes_label = matches!(
        kind,
        Some(Kind::Code | Kind::Footnote | Kind::Definition | Kind::Import | Kind::Export | Kind::Component)
    );
    let brackets = !arguments.is_empty();
    let mut arguments = arguments.into_iter();
    let (mut label, mut number) = (None, None);
    for (argument, is_quoted) in arguments.by_ref().take(2) {
        let digits = if is_quoted { None } else { argument.parse::<usize>().ok() };
        match digits {
            Some(0) => return Err(invalid_target(format!("`{raw}` counts from 1"))),
            // For definitions and footnotes, a number is a label first. For code and components, it is never a label.
            Some(digits)
                if label.is_some() || !takes_label || kind == Some(Kind::Code) || kind == Some(Kind::Component) =>
            {
                number = Some(digits);
            }
            _ if takes_label && label.is_none() => label = Some(argument),
            _ => return Err(invalid_target(format!("`{argument}` in `{raw}` is not a number"))),
        }
    }
    match arguments.next() {
        Some((more, _)) => Err(invalid_target(format!("unexpected `[{more}]` in `{raw}`"))),
        None => Ok(Some(BlockQuery { kind, label, number, has_brackets: brackets })),
    }
}

/// Returns the texts in brackets, and whether each is quoted. Returns `None` if there is text outside of brackets.
fn parse_arguments(rest: &str) -> Option<Vec<(String, bool)>> {
    let mut arguments = Vec::new();
    let mut rest = rest.trim_end();
    while !rest.is_empty() {
        rest = rest.strip_prefix('[')?;
        if rest.starts_with('"') {
            let end = quotes_end(rest, 0)?;
            arguments.push((unquote(&rest[..end]), true));
            rest = rest[end..].strip_prefix(']')?;
        } else {
            let end = rest.find(']')?;
            arguments.push((rest[..end].trim().to_owned(), false));
            rest = &rest[end + 1..];
        }
    }
    Some(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn heading(value: &str, level: Option<u8>, text: &str, number: Option<usize>) {
        let parsed = parse(value).expect("valid");
        assert_eq!(parsed.len(), 1);
        assert_eq!(parsed[0].heading, HeadingQuery { level, text: text.to_owned(), number });
    }

    #[test]
    fn parses_headings() {
        heading("Install", None, "Install", None);
        heading("## Install", Some(2), "Install", None);
        heading("Install[2]", None, "Install", Some(2));
        heading("### \"A > B\"[2]", Some(3), "A > B", Some(2));
        heading("a->b", None, "a->b", None);
        heading("arr[i]", None, "arr[i]", None);
        heading("#install", None, "#install", None);
        heading("C#", None, "C#", None);
        assert!(parse(" ").is_err());
        assert!(parse("Install[0]").is_err());
    }

    #[track_caller]
    fn block(value: &str, kind: Option<Kind>, label: Option<&str>, number: Option<usize>) {
        let parsed = parse(value).expect("valid").remove(0).block.expect("a block");
        assert_eq!((parsed.kind, parsed.label.as_deref(), parsed.number), (kind, label, number));
    }

    #[test]
    fn parses_blocks() {
        block("code[2]", Some(Kind::Code), None, Some(2));
        block("code[js][2]", Some(Kind::Code), Some("js"), Some(2));
        block("code[\"1\"]", Some(Kind::Code), Some("1"), None);
        block("definition[1]", Some(Kind::Definition), Some("1"), None);
        block("import[\"./[id].js\"]", Some(Kind::Import), Some("./[id].js"), None);
        block("task-list[1]", None, None, Some(1));
        block("header", Some(Kind::Header), None, None);
        assert_eq!(parse("A > \"B > C\" > list[1] > item[2]").expect("valid").len(), 4);
        assert!(parse("list[x]").is_err());
        assert!(parse("table[0]").is_err());
    }
}
