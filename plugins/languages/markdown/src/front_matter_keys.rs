//! Creates missing keys in front matter. This module reads front matter line by line: by indentation in YAML, by table
//! headers in TOML. If the front matter uses other notations, such as flow mappings, the key is not created.

use std::ops::Range;

use marquetry_sdk::{Edit, FailureKind, Result, fail, lines};

use crate::blocks::Kind;
use crate::document::MarkdownDocument;
use crate::edit::fill_between_fences;

impl MarkdownDocument {
    /// Returns the edits that add the key of a path such as `$.draft`.
    pub(crate) fn add_key(&self, path: &str, content: &str) -> Result<Vec<Edit>> {
        let Some(names) = parse_key_path(path).filter(|names| !names.is_empty()) else {
            return Err(fail(FailureKind::InvalidTarget, format!("`{path}` is not a path of keys"))
                .hint("name each key, such as `$.draft` or `$.params.author`"));
        };
        let Some(front) = self.tree().blocks.first().filter(|block| block.kind == Kind::FrontMatter) else {
            return self.create_front_matter(&names, content);
        };
        let body = front.inner;
        let source = body.slice(&self.text);
        let content = content.trim_end().trim_start_matches(['\n', '\r']);
        let new = if self.text[front.span.range().start..].starts_with('+') {
            insertion_in_toml(source, &names, content)
        } else {
            insertion_in_yaml(source, &names, content)
        };
        let Some((at, text)) = new else {
            return Err(fail(
                FailureKind::Unsupported,
                format!("`{path}` cannot be added to this front matter automatically"),
            )
            .hint("use `insert_into` with the `path` of the parent, or `replace_body` of `front-matter`"));
        };
        if source.trim().is_empty() {
            return Ok(vec![fill_between_fences(&self.text, body, &text)]);
        }
        let at = body.range().start + at;
        Ok(vec![if self.text[..at].ends_with(['\n', '\r']) || at == body.range().start {
            Edit::insert(at, format!("{text}\n"))
        } else {
            Edit::insert(at, format!("\n{text}"))
        }])
    }
}

impl MarkdownDocument {
    /// Creates YAML front matter with the key, in a document that has none.
    fn create_front_matter(&self, names: &[String], content: &str) -> Result<Vec<Edit>> {
        let first = &self.text[..lines::line_end(&self.text, 0)];
        if ["---", "+++"].contains(&first.trim_end()) {
            return Err(fail(FailureKind::Unsupported, "the first line could open front matter that is never closed")
                .hint("close it, or write a blank line above it"));
        }
        let content = content.trim_end().trim_start_matches(['\n', '\r']);
        let keys = yaml_lines(names, content, 0);
        let gap = if self.text.is_empty() || self.text.starts_with(['\n', '\r']) { "" } else { "\n" };
        Ok(vec![Edit::insert(0, format!("---\n{keys}\n---\n{gap}"))])
    }
}

/// Parses the names in `$.a['b c']`.
fn parse_key_path(path: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = path.strip_prefix('$')?;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let name = &after[..end];
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
                return None;
            }
            names.push(name.to_owned());
            rest = &after[end..];
        } else {
            let after = rest.strip_prefix('[')?;
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let end = after[1..].find(quote)? + 1;
            let name = &after[1..end];
            if name.contains(['\\', '\n', '\r']) {
                return None;
            }
            names.push(name.to_owned());
            rest = after[end + 1..].strip_prefix(']')?;
        }
    }
    Some(names)
}

/// Returns a key as written in YAML and TOML.
fn format_key(name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\\\"")) }
}

fn indent_width(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the lines of a part of the text, as ranges without their line breaks.
fn line_ranges(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let end = lines::line_end(text, at).min(range.end);
        found.push(at..end);
        let next = lines::next_line(text, at);
        at = if next > at { next } else { range.end };
    }
    found
}

/// Returns the key at the start of a line of a YAML mapping, and the text after its colon.
fn yaml_key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if line.starts_with(['-', '[', '{', '#', '?', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    if let Some(quote) = line.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let end = line[1..].find(quote)? + 1;
        return Some((&line[1..end], line[end + 1..].trim_start().strip_prefix(':')?));
    }
    let at = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t']))?;
    Some((line[..at].trim_end(), &line[at + 1..]))
}

/// Returns the insertion offset in YAML, and the new lines.
fn insertion_in_yaml(source: &str, names: &[String], content: &str) -> Option<(usize, String)> {
    let mut range = 0..source.len();
    let mut outer = 0;
    for (depth, name) in names.iter().enumerate() {
        let lines = line_ranges(source, range.clone());
        let is_blank =
            |line: &Range<usize>| matches!(source[line.clone()].trim_start().as_bytes().first(), None | Some(b'#'));
        let own = lines.iter().find(|line| !is_blank(line)).map(|line| indent_width(&source[line.clone()]));
        let is_tabbed = lines.iter().any(|line| source[line.clone()].trim_start_matches(' ').starts_with('\t'));
        let level = own.unwrap_or(if depth == 0 { 0 } else { outer + 2 });
        if is_tabbed || (depth > 0 && level <= outer) {
            return None;
        }
        // A line at this level is a key, or an item of a list that is the value of the preceding key.
        let at_level = |line: &&Range<usize>| !is_blank(line) && indent_width(&source[(*line).clone()]) <= level;
        let mut has_key = false;
        let mut found = None;
        for line in lines.iter().filter(at_level) {
            let text = &source[line.clone()];
            match yaml_key(text) {
                Some((known, value)) if indent_width(text) == level => {
                    has_key = true;
                    if known == name {
                        found = Some((line.clone(), value));
                    }
                }
                _ if has_key && indent_width(text) == level && text.trim_start().starts_with("- ") => {}
                _ => return None,
            }
        }
        let Some((line, value)) = found else {
            let last = lines.iter().rfind(|line| !source[(*line).clone()].trim().is_empty());
            let end = last.map_or(range.start, |line| line.end);
            return Some((end, yaml_lines(&names[depth..], content, level)));
        };
        let is_last = depth + 1 == names.len();
        let value = value.trim_start();
        if is_last || !(value.is_empty() || value.starts_with('#')) {
            return None;
        }
        let next = lines.iter().find(|next| next.start > line.start && at_level(next));
        range = lines::next_line(source, line.start).min(range.end)..next.map_or(range.end, |next| next.start);
        if source[range.clone()].trim().is_empty() {
            return Some((line.end, yaml_lines(&names[depth + 1..], content, level + 2)));
        }
        outer = level;
    }
    None
}

fn yaml_lines(names: &[String], content: &str, level: usize) -> String {
    let mut out = Vec::new();
    for (index, name) in names.iter().enumerate() {
        out.push(format!("{}{}:", " ".repeat(level + 2 * index), format_key(name)));
    }
    let is_block = content.contains('\n') && !content.starts_with(['|', '>', '[', '{', '"', '\''])
        || content.starts_with("- ")
        || yaml_key(content).is_some();
    let inner = " ".repeat(level + 2 * names.len());
    let deeper = |line: &str| if line.trim().is_empty() { String::new() } else { format!("{inner}{line}") };
    if is_block {
        out.extend(content.lines().map(deeper));
    } else if let Some(last) = out.last_mut() {
        let mut lines = content.lines();
        *last = format!("{last} {}", lines.next().unwrap_or_default()).trim_end().to_owned();
        let is_indented = content.lines().skip(1).all(|line| line.trim().is_empty() || line.starts_with(' '));
        out.extend(lines.map(|line| if is_indented { format!("{}{line}", &inner[2..]) } else { deeper(line) }));
    }
    out.join("\n")
}

/// Returns the insertion offset in TOML, and the new lines. All names except the last are those of the table.
fn insertion_in_toml(source: &str, names: &[String], content: &str) -> Option<(usize, String)> {
    let (last, table) = names.split_last()?;
    if content.is_empty() || source.contains("\"\"\"") || source.contains("'''") {
        return None;
    }
    let line = format!("{} = {content}", format_key(last));
    let header = format!("[{}]", table.iter().map(|name| format_key(name)).collect::<Vec<_>>().join("."));
    let lines = line_ranges(source, 0..source.len());
    let is_header = |line: &Range<usize>| source[line.clone()].starts_with('[');
    let first = match table {
        [] => 0,
        _ => match lines
            .iter()
            .position(|line| source[line.clone()].split('#').next().unwrap_or_default().trim() == header)
        {
            Some(at) => at + 1,
            None => {
                // If the text contains the name elsewhere, the table may exist in another notation, so it is not
                // created.
                let is_known = source.contains(table[0].as_str());
                let blank = if source.trim().is_empty() { "" } else { "\n" };
                return (!is_known).then(|| (source.trim_end().len(), format!("{blank}{header}\n{line}")));
            }
        },
    };
    let end = lines[first..].iter().position(is_header).map_or(lines.len(), |at| first + at);
    let own = &lines[first..end];
    let is_there = |line: &&Range<usize>| {
        source[(*line).clone()].split(['=', '.']).next().is_some_and(|name| name.trim() == format_key(last))
    };
    if own.iter().any(|line| is_there(&line)) {
        return None;
    }
    let above = own.iter().rfind(|line| !source[(*line).clone()].trim().is_empty());
    let above = above.or_else(|| first.checked_sub(1).map(|header| &lines[header]));
    Some(match above {
        Some(above) => (above.end, line),
        None if end < lines.len() => (0, format!("{line}\n")),
        None => (0, line),
    })
}
