//! Adapts inserted content to the indentation at its position. Significant white space is not changed.

use marquetry_sdk::{indent, lines, stylesheet};

use crate::js_lexer;
use crate::syntax::tokenizer::{Content, Tag, Token, Tokenizer};
use crate::syntax::tree::Attribute;
use crate::syntax::{Dialect, Name, Tree};

/// Maximum number of characters inspected to detect the indentation of a page.
const MAX_INSPECTED: usize = 64 << 10;

/// Indents markup by `indent`, and converts its own indentation to the style of the page. The first line is not
/// indented.
pub(super) fn indent_markup(content: &str, indent: &str, tree: &Tree) -> String {
    let frozen = FixedLines::in_markup(content, tree.dialect);
    indent::reindent_with_unit(content, indent, unit_for_content(content, tree).as_deref(), |line| {
        frozen.contains_line(line)
    })
}

/// Returns the indentation unit of the page if the content has several lines; a single line does not need it.
fn unit_for_content(content: &str, tree: &Tree) -> Option<String> {
    content.contains('\n').then(|| detect_indent_unit(tree)).flatten()
}

/// Returns one level of indentation as in the page, or two spaces if it cannot be detected.
pub(super) fn indent_unit(tree: &Tree) -> String {
    detect_indent_unit(tree).unwrap_or_else(|| "  ".to_owned())
}

/// Detects one level of indentation in the page. Text with significant white space is ignored.
fn detect_indent_unit(tree: &Tree) -> Option<String> {
    let text = tree.text.as_str();
    let start = match text.char_indices().nth(MAX_INSPECTED) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    let frozen = FixedLines::in_markup(start, tree.dialect);
    let movable: Vec<&str> =
        start.lines().enumerate().filter(|(line, _)| !frozen.contains_line(*line)).map(|(_, text)| text).collect();
    indent::detected_unit(&movable.join("\n"))
}

/// Indents the content of a `script` or `style` element.
pub(super) fn indent_code(content: &str, indent: &str, tree: &Tree, script: bool) -> String {
    let frozen = FixedLines::in_ranges(content, &fixed_code_ranges(content, script));
    indent::reindent_with_unit(content, indent, unit_for_content(content, tree).as_deref(), |line| {
        frozen.contains_line(line)
    })
}

/// Lines that must not be indented because they start in text with significant white space.
#[derive(Debug)]
pub(super) struct FixedLines {
    lines: Vec<bool>,
}

impl FixedLines {
    /// Finds the fixed lines in markup.
    pub(super) fn in_markup(markup: &str, dialect: Dialect) -> FixedLines {
        if markup.contains('\n') {
            FixedLines::in_ranges(markup, &fixed_ranges(markup, dialect))
        } else {
            FixedLines::in_ranges("", &[])
        }
    }

    /// Finds the lines that start in one of the ranges. The ranges are sorted.
    fn in_ranges(text: &str, ranges: &[(usize, usize)]) -> FixedLines {
        let mut lines = Vec::new();
        if !ranges.is_empty() {
            let mut next = 0;
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                while next < ranges.len() && ranges[next].1 < start {
                    next += 1;
                }
                lines.push(ranges.get(next).is_some_and(|(from, to)| *from < start && start <= *to));
                start += line.len();
            }
        }
        FixedLines { lines }
    }

    /// Returns whether the line must not be indented.
    pub(super) fn contains_line(&self, line: usize) -> bool {
        self.lines.get(line).copied().unwrap_or(false)
    }
}

/// Returns the ranges whose white space is significant, in order: text areas, preformatted text, multi-line literals in
/// code, and attribute values.
fn fixed_ranges(markup: &str, dialect: Dialect) -> Vec<(usize, usize)> {
    let mut tokenizer = Tokenizer::new(markup, dialect);
    let mut ranges = Vec::new();
    // The outermost open element with significant white space: its name, the number of open elements with that name,
    // and the start of its content.
    let mut keeping: Option<(Name, usize, usize)> = None;
    // Set if the following text is code: true for a script, false for a style.
    let mut code = None;
    loop {
        match tokenizer.next(false) {
            Token::Start(tag) => {
                let values = &tokenizer.attributes[tag.attributes.start as usize..tag.attributes.end as usize];
                let values = values.iter().flat_map(|attribute| fixed_in_attribute(markup, *attribute, dialect));
                ranges.extend(values.filter(|_| keeping.is_none()));
                keeping = match keeping {
                    Some((name, depth, start)) => Some((name, depth + usize::from(name == tag.name), start)),
                    None if keeps_white_space(tag.name) => Some((tag.name, 1, tag.span.range().end)),
                    None => None,
                };
                code = if dialect.is_xml() { None } else { switch_tokenizer(&mut tokenizer, &tag) };
            }
            Token::End(tag) => match keeping {
                Some((name, 1, start)) if name == tag.name => {
                    ranges.push((start, tag.span.range().start));
                    keeping = None;
                }
                Some((name, depth, start)) if name == tag.name => keeping = Some((name, depth - 1, start)),
                _ => {}
            },
            Token::Text(span) => {
                let is_code = tokenizer.code.last() == Some(&span);
                if let Some(script) = code.take().or(is_code.then_some(true)).filter(|_| keeping.is_none()) {
                    let from = span.range().start;
                    let literals = fixed_code_ranges(span.slice(markup), script);
                    ranges.extend(literals.into_iter().map(|(start, end)| (from + start, from + end)));
                }
            }
            Token::Comment(_) | Token::Doctype(_) => {}
            Token::Eof => break,
        }
    }
    ranges.extend(keeping.map(|(_, _, start)| (start, markup.len())));
    ranges
}

/// Returns the ranges of an attribute whose white space is significant: its value, or the multi-line literals in it if it
/// is code.
fn fixed_in_attribute(markup: &str, attribute: Attribute, dialect: Dialect) -> Vec<(usize, usize)> {
    let name = attribute.name.slice(markup);
    let written = attribute.value.unwrap_or(attribute.name);
    let is_code = match dialect {
        Dialect::Vue => name.starts_with([':', '@', '#']) || name.starts_with("v-"),
        Dialect::Svelte | Dialect::Astro => attribute.value.is_none() || markup[..written.range().start].ends_with('{'),
        Dialect::Html | Dialect::Xml => false,
    };
    let (start, end) = (written.range().start, written.range().end);
    match is_code {
        true => fixed_code_ranges(written.slice(markup), true)
            .into_iter()
            .map(|(from, to)| (start + from, start + to))
            .collect(),
        false if attribute.value.is_none() => Vec::new(),
        false => vec![(start, end)],
    }
}

fn keeps_white_space(name: Name) -> bool {
    matches!(name, Name::PRE | Name::TEXTAREA | Name::LISTING | Name::XMP | Name::PLAINTEXT)
}

/// Switches the state of the tokenizer if the tag starts a raw-text element. Returns true for a script, false for a
/// style, and `None` if the content of the element is not code.
fn switch_tokenizer(tokenizer: &mut Tokenizer<'_>, tag: &Tag) -> Option<bool> {
    match tag.name {
        Name::SCRIPT => tokenizer.switch(Content::Script, tag),
        Name::STYLE | Name::TEXTAREA | Name::TITLE | Name::XMP | Name::IFRAME | Name::NOEMBED | Name::NOFRAMES => {
            tokenizer.switch(Content::Raw, tag);
        }
        _ => return None,
    }
    matches!(tag.name, Name::SCRIPT | Name::STYLE).then_some(tag.name == Name::SCRIPT)
}

/// Returns the ranges of multi-line literals in code, in order. If the lexer may have misread the code, returns the
/// range of all code.
fn fixed_code_ranges(code: &str, script: bool) -> Vec<(usize, usize)> {
    if !code.contains('`') && !code.contains("\\\n") && !code.contains("\\\r") {
        return Vec::new();
    }
    let literals = if script { js_lexer::multiline_literals(code) } else { Some(stylesheet::long_strings(code)) };
    literals.map_or_else(
        || vec![(0, code.len())],
        |literals| literals.into_iter().map(|literal| (literal.start, literal.end)).collect(),
    )
}

/// Removes the line breaks around content that is inserted within an existing line. Content with several lines is also
/// indented.
pub(super) fn trim_line_breaks(content: &str, tree: &Tree, at: usize) -> String {
    let content = content.trim_matches(['\n', '\r']);
    if content.contains('\n') {
        indent_markup(content, lines::indent_at(&tree.text, at), tree)
    } else {
        content.to_owned()
    }
}

/// Text of the content, used as a sort key.
pub(super) fn sort_text(content: &str, dialect: Dialect) -> String {
    let mut tokenizer = Tokenizer::new(content, dialect);
    let mut text = String::new();
    loop {
        match tokenizer.next(false) {
            Token::Text(span) => text.push_str(&crate::syntax::decode::text(span.slice(content))),
            Token::Eof => return collapse_white_space(&text),
            _ => {}
        }
    }
}

/// Collapses white space to single spaces.
pub(super) fn collapse_white_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the offsets of the start tags in markup, without those of the page's root elements, which are merged with the
/// existing ones.
pub(super) fn start_tags(markup: &str, dialect: Dialect) -> Vec<usize> {
    let mut tokenizer = Tokenizer::new(markup, dialect);
    let mut found = Vec::new();
    loop {
        match tokenizer.next(false) {
            Token::Start(tag) => {
                let is_root = matches!(tag.name, Name::HTML | Name::HEAD | Name::BODY);
                if !is_root || dialect.is_component() {
                    found.push(tag.span.range().start);
                }
                switch_tokenizer(&mut tokenizer, &tag);
            }
            Token::Eof => return found,
            _ => {}
        }
    }
}

/// Name of the tag at the start of the content, if any.
pub(super) fn first_tag_name(content: &str, dialect: Dialect) -> Option<Name> {
    let mut tokenizer = Tokenizer::new(content.trim_start(), dialect);
    loop {
        match tokenizer.next(false) {
            Token::Start(tag) => return Some(tag.name),
            Token::Comment(_) => {}
            Token::Text(span) if span.slice(content.trim_start()).trim().is_empty() => {}
            _ => return None,
        }
    }
}
