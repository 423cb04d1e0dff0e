//! Content that comes in: moved to its place, without touching text in which white space counts.

use marquetry_sdk::{indent, lines};

use crate::syntax::Name;
use crate::syntax::tokenizer::{Content, Tag, Token, Tokenizer};

/// Content as markup at a place with this indentation; nothing before its first line.
pub(super) fn place(content: &str, indent: &str, xml: bool) -> String {
    let frozen = Frozen::of(content, xml);
    indent::reindent(content, indent, |line| frozen.has(line))
}

/// Content as text of a script or style.
pub(super) fn place_code(content: &str, indent: &str) -> String {
    let frozen = has_frozen_code(content);
    indent::reindent(content, indent, |_| frozen)
}

/// Lines that must not move, since they start inside something in which white space counts.
#[derive(Debug)]
pub(super) struct Frozen {
    lines: Vec<bool>,
}

impl Frozen {
    /// The lines of some markup.
    pub(super) fn of(markup: &str, xml: bool) -> Frozen {
        let mut lines = Vec::new();
        if markup.contains('\n') {
            let ranges = frozen_ranges(markup, xml);
            let mut next = 0;
            let mut start = 0;
            for line in markup.split_inclusive('\n') {
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
    let mut code = false;
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
                code = !xml && switch(&mut tokenizer, &tag);
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
                if std::mem::take(&mut code) && keeping.is_none() && has_frozen_code(span.of(markup)) {
                    ranges.push((span.range().start, span.range().end));
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

/// Reads the content of raw elements as text. Whether it is code.
fn switch(tokenizer: &mut Tokenizer<'_>, tag: &Tag) -> bool {
    match tag.name {
        Name::SCRIPT => tokenizer.switch(Content::Script, tag),
        Name::STYLE | Name::TEXTAREA | Name::TITLE | Name::XMP | Name::IFRAME | Name::NOEMBED | Name::NOFRAMES => {
            tokenizer.switch(Content::Raw, tag);
        }
        _ => return false,
    }
    matches!(tag.name, Name::SCRIPT | Name::STYLE)
}

/// Whether white space at the start of lines may count: in template strings, and where strings go on over lines.
fn has_frozen_code(code: &str) -> bool {
    code.contains(['`']) || code.contains("\\\n") || code.contains("\\\r")
}

/// Content that stays on the line it is put into: only the line breaks around it go.
pub(super) fn inline(content: &str, text: &str, at: usize, xml: bool) -> String {
    let content = content.trim_matches(['\n', '\r']);
    if content.contains('\n') { place(content, lines::indent_at(text, at), xml) } else { content.to_owned() }
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
