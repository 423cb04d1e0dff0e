//! Parses a pattern. It consists of consecutive elements, or of one attribute.

use marquetry_sdk::{
    FailureKind, Result, Span, fail,
    structure::{Builder, Letters, Metavariable, Metavariables, Pattern, Reading, Tree as Shape, invalid_pattern},
};

use super::{kind, quoted_span};
use crate::syntax::{
    Dialect, Name, VOID,
    tokenizer::{Content, Tag, Token, Tokenizer},
};

const HINT: &str = "a pattern is an element with its end tag or `/>`, consecutive elements, or an attribute with its \
                    value: `$NAME` matches one node or part of a name or text, `$$$NAME` any number of nodes; `$_` \
                    and `$$$` do the same without a name";
/// Example patterns for error messages.
const EXAMPLES: [&str; 4] = [
    "<a href=\"$URL\" $$$>$$$TEXT</a>",
    "<img src=$SRC $$$ />",
    "<$TAG class=\"btn-$KIND\">$CHILD</$TAG>",
    "onclick=$CODE",
];
/// Maximum length of a pattern.
const MAX_PATTERN_LEN: usize = 100_000;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 200;
/// Letter that is put before a metavariable in place of an element name, because the tokenizer accepts only names that
/// start with a letter.
const METAVARIABLE_PREFIX: &str = "h";

/// Parses a pattern in a dialect of markup.
pub(super) fn parse_pattern(pattern: &str, dialect: Dialect) -> Result<Pattern> {
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Err(invalid_pattern("it is empty", HINT, &EXAMPLES));
    }
    if pattern.len() > MAX_PATTERN_LEN {
        return Err(fail(FailureKind::LimitExceeded, format!("a pattern has at most {MAX_PATTERN_LEN} bytes")));
    }
    let mut metavariables = Metavariables::default();
    let written = metavariables.encode(pattern)?;
    let reading = match pattern.starts_with('<') {
        true => parse_elements(&written, dialect),
        false => parse_attribute(&written, dialect),
    };
    let reading = reading.map_err(|why| invalid_pattern(&metavariables.decode(&why), HINT, &EXAMPLES))?;
    Pattern::new(vec![reading], metavariables)
}

type Parsed<T> = std::result::Result<T, String>;

fn parse_elements(written: &str, dialect: Dialect) -> Parsed<Reading> {
    let text = prefix_metavariables(written);
    let tree = Reader::read_tree(&text, dialect)?;
    let roots: Vec<u32> = tree.children(0).collect();
    let is_text = |root: &u32| tree.node(*root).kind == kind::TEXT && tree.node(*root).metavariable.is_none();
    if roots.iter().any(is_text) {
        return Err("text between elements cannot be matched".to_owned());
    }
    Ok(Reading::new(&tree, roots, true))
}

fn parse_attribute(written: &str, dialect: Dialect) -> Parsed<Reading> {
    let text = format!("<{METAVARIABLE_PREFIX} {written} />");
    let tree = Reader::read_tree(&text, dialect)?;
    let element = tree.children(0).next();
    let list = element.and_then(|element| tree.children(element).next());
    let given: Vec<u32> = list.map(|list| tree.children(list).collect()).unwrap_or_default();
    match given[..] {
        [only] if tree.node(only).kind == kind::ATTRIBUTE && written.contains('=') && tree.children(0).count() == 1 => {
            let reading = Reading::new(&tree, vec![only], true);
            if reading.has_content() { Ok(reading) } else { Err("it contains only metavariables".to_owned()) }
        }
        [only] if tree.node(only).metavariable.is_some() => Ok(Reading::new(&tree, vec![only], true)),
        _ => Err("it is neither an element nor one attribute with its value".to_owned()),
    }
}

/// Puts [`METAVARIABLE_PREFIX`] before metavariables that are in place of an element name.
fn prefix_metavariables(written: &str) -> String {
    let (mut out, mut at) = (String::with_capacity(written.len() + 8), 0);
    while let Some((start, end, _)) = Metavariable::find_first(&written[at..]) {
        out += &written[at..at + start];
        if out.ends_with('<') || out.ends_with("</") {
            out += METAVARIABLE_PREFIX;
        }
        out += &written[at + start..at + end];
        at += end;
    }
    out + &written[at..]
}

struct Reader<'t> {
    text: &'t str,
    dialect: Dialect,
    builder: Builder<'t>,
    /// Names of open elements.
    open: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    fn read_tree(text: &'t str, dialect: Dialect) -> Parsed<Shape<&'t str>> {
        let mut tokenizer = Tokenizer::new(text, dialect);
        let mut reader = Reader { text, dialect, builder: Builder::new(text, kind::CONTENT), open: Vec::new() };
        loop {
            match tokenizer.next(false) {
                Token::Start(tag) => {
                    let content = reader.start_element(&tokenizer, &tag)?;
                    if let Some(content) = content {
                        tokenizer.switch(content, &tag);
                    }
                }
                Token::End(tag) => reader.end_element(&tag)?,
                Token::Text(span) => reader.add_text(span),
                Token::Comment(_) => return Err("comments cannot be matched: search for them with `text`".to_owned()),
                Token::Doctype(_) => return Err("the doctype cannot be matched: use `region: \"doctype\"`".to_owned()),
                Token::Eof => break,
            }
        }
        if let Some(fault) = tokenizer.diagnostics.first() {
            return Err(fault.to_diagnostic(text).message);
        }
        match reader.open.last() {
            Some(name) => Err(format!("`<{}>` is not closed", name)),
            None => Ok(reader.builder.finish()),
        }
    }

    /// Returns the span of the name in a tag, without [`METAVARIABLE_PREFIX`].
    fn tag_name_span(&self, tag: &Tag) -> Span {
        let text = tag.span.slice(self.text);
        let start = tag.span.range().start + if text.starts_with("</") { 2 } else { 1 };
        let rest = &self.text[start..tag.span.range().end];
        let len = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(rest.len());
        let letter = if rest[..len]
            .strip_prefix(METAVARIABLE_PREFIX)
            .is_some_and(|name| Metavariable::find_first(name).is_some_and(|at| at.0 == 0))
        {
            1
        } else {
            0
        };
        Span::new(start + letter, start + len)
    }

    /// Starts an element. If its content is raw text, returns the state to which the tokenizer must switch.
    fn start_element(&mut self, tokenizer: &Tokenizer<'t>, tag: &Tag) -> Parsed<Option<Content>> {
        let letters = if self.dialect.has_exact_names() { Letters::Exact } else { Letters::AnyCase };
        let name = self.tag_name_span(tag);
        self.builder.open(kind::ELEMENT, tag.span.range().start);
        self.builder.token(name, name, letters);
        self.builder.open(kind::ATTRIBUTES, name.range().end);
        let given = tag.attributes.start as usize..tag.attributes.end as usize;
        for attribute in &tokenizer.attributes[given] {
            let own = attribute.name.slice(self.text);
            if let (Some(metavariable), None) = (Metavariable::parse(own), attribute.value) {
                self.builder.push_metavariable(kind::ATTRIBUTE, metavariable, attribute.name);
                continue;
            }
            let value = attribute.value.unwrap_or(Span::at(attribute.name.range().end));
            let outer = quoted_span(self.text, value);
            self.builder.open(kind::ATTRIBUTE, attribute.name.range().start);
            self.builder.token(attribute.name, attribute.name, letters);
            self.builder.token(value, outer, Letters::Text);
            self.builder.close(outer.range().end);
        }
        let end = tag.span.range().end;
        self.builder.close(end);
        self.builder.open(kind::CONTENT, end);
        if tag.self_closing || (!self.dialect.is_xml() && VOID.contains(tag.name)) {
            self.builder.close(end);
            self.builder.close(end);
            return Ok(None);
        }
        self.open.push(name.slice(self.text));
        if self.open.len() > MAX_DEPTH {
            return Err("its elements are nested too deeply".to_owned());
        }
        Ok(match tag.name {
            _ if self.dialect.is_xml() => None,
            Name::SCRIPT => Some(Content::Script),
            Name::STYLE | Name::TEXTAREA | Name::TITLE => Some(Content::Raw),
            _ => None,
        })
    }

    fn end_element(&mut self, tag: &Tag) -> Parsed<()> {
        let name = self.tag_name_span(tag).slice(self.text);
        let is_same =
            |open: &str| if self.dialect.has_exact_names() { open == name } else { open.eq_ignore_ascii_case(name) };
        match self.open.pop() {
            Some(open) if is_same(open) => {
                self.builder.close(tag.span.range().start);
                self.builder.close(tag.span.range().end);
                Ok(())
            }
            Some(open) => Err(format!("expected `</{}>`, found `</{}>`", open, name)),
            None => Err(format!("`</{}>` has no start tag", name)),
        }
    }

    /// Adds a text. If it consists only of metavariables, each of them matches elements and texts. Otherwise the
    /// metavariables are part of the text.
    fn add_text(&mut self, span: Span) {
        let span = span.trimmed(self.text);
        let text = span.slice(self.text);
        if text.is_empty() {
            return;
        }
        let words = || text.split_whitespace();
        if words().all(|word| Metavariable::parse(word).is_some()) {
            for word in words() {
                let start = word.as_ptr() as usize - self.text.as_ptr() as usize;
                if let Some(metavariable) = Metavariable::parse(word) {
                    self.builder.push_metavariable(kind::TEXT, metavariable, Span::new(start, start + word.len()));
                }
            }
            return;
        }
        self.builder.open(kind::TEXT, span.range().start);
        self.builder.token(span, span, Letters::Prose);
        self.builder.close(span.range().end);
    }
}
