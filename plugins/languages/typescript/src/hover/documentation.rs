//! Doc comments converted to Markdown.

use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use super::hover_info::with_export_keyword;
use crate::program::module::Module;

/// Returns the documentation of a declaration.
pub(super) fn documentation_of(module: &Module<'_>, node: NodeId) -> Option<String> {
    jsdoc_lines(module, node).map(lines_to_markdown)
}

/// Returns the lines of the JSDoc comment before a declaration, without asterisks.
fn jsdoc_lines(module: &Module<'_>, node: NodeId) -> Option<Vec<String>> {
    let whole = with_export_keyword(module, node);
    let starts = [whole.start, module.kind(node).span().start];
    let comment = module
        .program
        .comments
        .iter()
        .rev()
        .find(|comment| comment.is_jsdoc() && starts.contains(&comment.attached_to))?;
    let inner = comment.content_span().source_text(module.text());
    let lines = inner.trim_start_matches('*').lines().map(|line| {
        let line = line.trim();
        let line = line.strip_prefix('*').map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest));
        line.trim_end().to_owned()
    });
    Some(lines.collect())
}

/// A section of a doc comment: the description, or a tag with its text.
struct Section<'a> {
    tag: &'a str,
    lines: Vec<&'a str>,
}

fn split_sections(lines: &[String]) -> Vec<Section<'_>> {
    let mut found = vec![Section { tag: "", lines: Vec::new() }];
    let mut in_code = false;
    for line in lines {
        let trimmed = line.trim_start();
        let tag = trimmed.strip_prefix('@').filter(|_| !in_code);
        let name = tag.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default());
        match (tag, name) {
            (Some(rest), Some(name)) if !name.is_empty() => {
                found.push(Section { tag: name, lines: vec![rest[name.len()..].trim()] });
            }
            _ => found.iter_mut().last().into_iter().for_each(|last| last.lines.push(line)),
        }
        in_code ^= trimmed.starts_with("```");
    }
    found
}

fn lines_to_markdown(lines: Vec<String>) -> String {
    let shown = split_sections(&lines).into_iter().map(|section| section_to_markdown(&section));
    let shown: Vec<String> = shown.filter(|text| !text.is_empty()).collect();
    shown.join("\n\n")
}

fn section_to_markdown(section: &Section<'_>) -> String {
    let text = section.lines.join("\n");
    let text = link_tags_to_markdown(text.trim());
    match section.tag {
        "" | "description" | "summary" => text,
        "example" if !text.contains("```") => format!("*@example*\n```ts\n{text}\n```"),
        "example" => format!("*@example*\n{text}"),
        "param" | "arg" | "argument" | "property" | "prop" | "template" | "typeParam" => {
            let (ty, rest) = parse_braced_type(&text);
            let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let ty = if ty.is_empty() { String::new() } else { format!(" `{ty}`") };
            let rest = rest.trim_start().trim_start_matches('-').trim_start();
            let rest = if rest.is_empty() { String::new() } else { format!(" — {rest}") };
            format!("*@{}* `{name}`{ty}{rest}", section.tag)
        }
        tag => {
            let (ty, rest) = parse_braced_type(&text);
            let ty = if ty.is_empty() { String::new() } else { format!(" `{ty}`") };
            let rest = if rest.is_empty() { String::new() } else { format!(" — {rest}") };
            format!("*@{tag}*{ty}{rest}")
        }
    }
}

/// Parses `{type} rest`.
fn parse_braced_type(text: &str) -> (&str, &str) {
    if !text.starts_with('{') {
        return ("", text);
    }
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            return (text[1..at].trim(), text[at + 1..].trim_start());
        }
    }
    ("", text)
}

/// Converts `{@link X}` to code and `{@link https://… text}` to a link.
fn link_tags_to_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{@link") {
        let (before, from) = rest.split_at(at);
        let Some(end) = from.find('}') else { break };
        out.push_str(before);
        let inner = from[..end].trim_start_matches("{@linkcode").trim_start_matches("{@linkplain");
        let inner = inner.trim_start_matches("{@link").trim();
        let (to, label) = inner.split_once([' ', '|']).unwrap_or((inner, ""));
        let label = label.trim_start_matches('|').trim();
        if to.contains("://") {
            out.push_str(&format!("[{}]({to})", if label.is_empty() { to } else { label }));
        } else {
            out.push_str(&format!("`{}`", if label.is_empty() { to } else { label }));
        }
        rest = &from[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(comment: &str, expected: &str) {
        assert_eq!(lines_to_markdown(comment.lines().map(str::to_owned).collect()), expected);
    }

    #[test]
    fn doc_comments_become_markdown() {
        check("Adds.", "Adds.");
        check("Adds.\n\n@param a one", "Adds.\n\n*@param* `a` — one");
        check("@param {string} a - one\n  more", "*@param* `a` `string` — one\n  more");
        check("@returns {Promise<{ a: 1 }>} it", "*@returns* `Promise<{ a: 1 }>` — it");
        check("@deprecated use {@link other}", "*@deprecated* — use `other`");
        check("See {@link https://a.b/c the page}.", "See [the page](https://a.b/c).");
        check("@example\nadd(1)", "*@example*\n```ts\nadd(1)\n```");
        check("A\n```\n@decorator\n```\nB", "A\n```\n@decorator\n```\nB");
        check("mail a@b.c", "mail a@b.c");
        check("", "");
    }
}
