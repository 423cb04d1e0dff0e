//! Content that comes in: moved to its place, without touching text in which white space counts.

use marquetry_sdk::{indent, lines, stylesheet};

use crate::code;
use crate::syntax::tokenizer::{Content, Tag, Token, Tokenizer};
use crate::syntax::{Name, Tree};

/// Characters of a page that are looked at to learn its indentation.
const MOST_LOOKED_AT: usize = 64 << 10;

/// Content as markup at a place with this indentation, in steps as the page has them; nothing before its first line.
pub(super) fn place(content: &str, indent: &str, tree: &Tree) -> String {
    let frozen = Frozen::of(content, tree.xml);
    indent::fit(content, indent, unit_for(content, tree).as_deref(), |line| frozen.has(line))
}

/// The steps that content of several lines is to have.
fn unit_for(content: &str, tree: &Tree) -> Option<String> {
    content.contains('\n').then(|| shown_unit(tree)).flatten()
}

/// One step of indentation as the page has it; two spaces where it shows none.
pub(super) fn unit(tree: &Tree) -> String {
    shown_unit(tree).unwrap_or_else(|| "  ".to_owned())
}

/// One step of indentation as the page shows it, outside of text in which white space counts.
fn shown_unit(tree: &Tree) -> Option<String> {
    let text = tree.text.as_str();
    let start = match text.char_indices().nth(MOST_LOOKED_AT) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    let frozen = Frozen::of(start, tree.xml);
    let movable: Vec<&str> =
        start.lines().enumerate().filter(|(line, _)| !frozen.has(*line)).map(|(_, text)| text).collect();
    indent::shown_unit(&movable.join("\n"))
}

/// Content as text of a script or style.
pub(super) fn place_code(content: &str, indent: &str, tree: &Tree, script: bool) -> String {
    let frozen = Frozen::of_ranges(content, &frozen_code(content, script));
    indent::fit(content, indent, unit_for(content, tree).as_deref(), |line| frozen.has(line))
}

/// Lines that must not move, since they start inside something in which white space counts.
#[derive(Debug)]
pub(super) struct Frozen {
    lines: Vec<bool>,
}

impl Frozen {
    /// The lines of some markup.
    pub(super) fn of(markup: &str, xml: bool) -> Frozen {
        if markup.contains('\n') {
            Frozen::of_ranges(markup, &frozen_ranges(markup, xml))
        } else {
            Frozen::of_ranges("", &[])
        }
    }

    /// The lines that start within one of the ranges, which are sorted.
    fn of_ranges(text: &str, ranges: &[(usize, usize)]) -> Frozen {
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
        Frozen { lines }
    }

    /// Whether the line of this number must not move.
    pub(super) fn has(&self, line: usize) -> bool {
        self.lines.get(line).copied().unwrap_or(false)
    }
}

/// Text areas, preformatted text, template strings and values of attributes, by place.
fn frozen_ranges(markup: &str, xml: bool) -> Vec<(usize, usize)> {
    let mut tokenizer = Tokenizer::new(markup, xml);
    let mut ranges = Vec::new();
    // The outermost element that keeps its white space: its name, how often that name is open, where it starts.
    let mut keeping: Option<(Name, usize, usize)> = None;
    // Whether what follows is the text of a script, or of a style.
    let mut code = None;
    loop {
        match tokenizer.next(false) {
            Token::Start(tag) => {
                let values = &tokenizer.attributes[tag.attributes.start as usize..tag.attributes.end as usize];
                let values = values
                    .iter()
                    .filter_map(|attribute| attribute.value)
                    .map(|value| (value.range().start, value.range().end));
                ranges.extend(values.filter(|_| keeping.is_none()));
                keeping = match keeping {
                    Some((name, depth, start)) => Some((name, depth + usize::from(name == tag.name), start)),
                    None if keeps_blank(tag.name) => Some((tag.name, 1, tag.span.range().end)),
                    None => None,
                };
                code = if xml { None } else { switch(&mut tokenizer, &tag) };
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
                if let Some(script) = code.take().filter(|_| keeping.is_none()) {
                    let from = span.range().start;
                    let literals = frozen_code(span.of(markup), script);
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

fn keeps_blank(name: Name) -> bool {
    matches!(name, Name::PRE | Name::TEXTAREA | Name::LISTING | Name::XMP | Name::PLAINTEXT)
}

/// Reads the content of raw elements as text. Where it is code, whether it is a script.
fn switch(tokenizer: &mut Tokenizer<'_>, tag: &Tag) -> Option<bool> {
    match tag.name {
        Name::SCRIPT => tokenizer.switch(Content::Script, tag),
        Name::STYLE | Name::TEXTAREA | Name::TITLE | Name::XMP | Name::IFRAME | Name::NOEMBED | Name::NOFRAMES => {
            tokenizer.switch(Content::Raw, tag);
        }
        _ => return None,
    }
    matches!(tag.name, Name::SCRIPT | Name::STYLE).then_some(tag.name == Name::SCRIPT)
}

/// The literals of some code that go on over lines, by place; all of the code where that is not certain.
fn frozen_code(code: &str, script: bool) -> Vec<(usize, usize)> {
    if !code.contains('`') && !code.contains("\\\n") && !code.contains("\\\r") {
        return Vec::new();
    }
    let literals = if script { code::long_literals(code) } else { Some(stylesheet::long_strings(code)) };
    literals.map_or_else(
        || vec![(0, code.len())],
        |literals| literals.into_iter().map(|literal| (literal.start, literal.end)).collect(),
    )
}

/// Content that stays on the line it is put into: only the line breaks around it go.
pub(super) fn inline(content: &str, tree: &Tree, at: usize) -> String {
    let content = content.trim_matches(['\n', '\r']);
    if content.contains('\n') { place(content, lines::indent_at(&tree.text, at), tree) } else { content.to_owned() }
}

/// The text that content says, to sort it.
pub(super) fn text_of(content: &str, xml: bool) -> String {
    let mut tokenizer = Tokenizer::new(content, xml);
    let mut text = String::new();
    loop {
        match tokenizer.next(false) {
            Token::Text(span) => text.push_str(&crate::syntax::decode::text(span.of(content))),
            Token::Eof => return normalized(&text),
            _ => {}
        }
    }
}

/// With single spaces.
pub(super) fn normalized(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of the first tag in some content, when it starts with one.
pub(super) fn first_tag(content: &str, xml: bool) -> Option<Name> {
    let mut tokenizer = Tokenizer::new(content.trim_start(), xml);
    loop {
        match tokenizer.next(false) {
            Token::Start(tag) => return Some(tag.name),
            Token::Comment(_) => {}
            Token::Text(span) if span.of(content.trim_start()).trim().is_empty() => {}
            _ => return None,
        }
    }
}
