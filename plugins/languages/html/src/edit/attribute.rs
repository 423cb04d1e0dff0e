//! Operations on attributes. The whole attribute is `name="value"`, and its body is the value.

use marquetry_sdk::{Edit, Failure, FailureKind, Operation, Position, Result, Span, fail, items::sorted_index};

use super::{braced_attribute, cannot_insert_error};
use crate::location;
use crate::syntax::Tree;
use crate::syntax::tokenizer::{Token, Tokenizer};
use crate::syntax::tree::Attribute;

/// Attributes whose value is a list of words, separated by spaces.
const WORD_LIST_ATTRIBUTES: [&str; 13] = [
    "class",
    "rel",
    "rev",
    "headers",
    "sandbox",
    "sizes",
    "ping",
    "part",
    "itemprop",
    "itemref",
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
];

pub(super) fn edit_attribute(tree: &Tree, attribute: Attribute, operation: &Operation) -> Result<Vec<Edit>> {
    let span = location::attribute_span(tree, attribute);
    Ok(vec![match operation {
        Operation::Replace(content) => replace(tree, attribute, content)?,
        Operation::ReplaceBody(content) => replace_value(tree, attribute, content)?,
        Operation::InsertBefore(content) => {
            Edit::insert(span.range().start, format!("{} ", check_attributes(tree, content)?))
        }
        Operation::InsertAfter(content) => {
            Edit::insert(span.range().end, format!(" {}", check_attributes(tree, content)?))
        }
        Operation::InsertInto(insertion) => insert_word(tree, attribute, &insertion.content, insertion.position)?,
        Operation::Wrap(_) => return Err(Failure::unsupported("an attribute cannot be wrapped").hint("use `replace`")),
        Operation::Delete => return Ok(Vec::new()),
    }])
}

/// Replaces an attribute. If the content has the form `name="value"`, or is a bare name and the attribute has no value,
/// it replaces the whole attribute. Other content replaces the value.
fn replace(tree: &Tree, attribute: Attribute, content: &str) -> Result<Edit> {
    let span = location::attribute_span(tree, attribute);
    let content = content.trim_matches(['\n', '\r']);
    if content == span.slice(&tree.text) {
        return Ok(Edit::new(span, content));
    }
    let name = tree.attribute_name(attribute);
    let own = content.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && content[name.len()..].trim_start().starts_with('=');
    let is_word = attribute.value.is_none()
        && tree.shorthand_name(attribute).is_none()
        && !braced_attribute::is_code_of_value(tree, name, content);
    if (own || is_quoted_attribute(content) || is_word)
        && let Ok(content) = check_attributes(tree, content)
    {
        return Ok(Edit::new(span, content));
    }
    if tree.dialect.has_braces() {
        return braced_attribute::replace(tree, attribute, content);
    }
    replace_value(tree, attribute, content)
}

fn is_quoted_attribute(content: &str) -> bool {
    let Some((name, value)) = content.trim().split_once('=') else { return false };
    let (name, value) = (name.trim_end(), value.trim_start());
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '@' | '#' | '*' | '[' | ']' | '(' | ')');
    let quoted = |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    !name.is_empty() && name.chars().all(plain) && (quoted('"') || quoted('\''))
}

/// Checks that content consists of one or more attributes.
pub(super) fn check_attributes<'c>(tree: &Tree, content: &'c str) -> Result<&'c str> {
    let content = content.trim();
    let tag = format!("<a {content}>");
    let mut tokenizer = Tokenizer::new(&tag, tree.dialect);
    let whole = match tokenizer.next(false) {
        Token::Start(found) => found.span.len() == tag.len() && !found.self_closing && !found.attributes.is_empty(),
        _ => false,
    };
    let quoted = tokenizer.attributes.last().is_none_or(|last| last.name.range().end < tag.len());
    if whole && quoted && tokenizer.diagnostics.is_empty() {
        return Ok(content);
    }
    let shown: String = content.chars().take(80).collect();
    Err(fail(FailureKind::InvalidArgument, format!("not an attribute: `{shown}`")).hint("write `name=\"value\"`"))
}

/// Replaces the value and keeps the quotes if possible. The content is inserted as it is: it can contain character
/// references.
fn replace_value(tree: &Tree, attribute: Attribute, content: &str) -> Result<Edit> {
    if tree.dialect.has_braces() {
        return braced_attribute::replace_value(tree, attribute, content);
    }
    let Some(value) = attribute.value else {
        let quote = if content.contains('"') && !content.contains('\'') { '\'' } else { '"' };
        return Ok(Edit::insert(attribute.name.range().end, format!("={}", quote_value(content, quote))));
    };
    if content == value.slice(&tree.text) {
        return Ok(Edit::new(value, content));
    }
    let span = location::attribute_span(tree, attribute);
    match location::value_quote(tree, value) {
        Some(quote) if !content.contains(quote) => Ok(Edit::new(value, content)),
        Some(quote) => {
            let other = if quote == '"' { '\'' } else { '"' };
            let quote = if content.contains(other) { quote } else { other };
            Ok(Edit::new(value.range().start - 1..span.range().end, quote_value(content, quote)))
        }
        None => {
            let plain = !content.is_empty()
                && !content
                    .contains(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '=' | '`'))
                && !content.ends_with('/');
            let quote = if content.contains('"') && !content.contains('\'') { '\'' } else { '"' };
            Ok(Edit::new(value, if plain { content.to_owned() } else { quote_value(content, quote) }))
        }
    }
}

fn quote_value(content: &str, quote: char) -> String {
    let reference = if quote == '"' { "&quot;" } else { "&#39;" };
    format!("{quote}{}{quote}", content.replace(quote, reference))
}

/// Inserts a word into a list such as `class`.
fn insert_word(tree: &Tree, attribute: Attribute, content: &str, position: Position) -> Result<Edit> {
    let name = attribute.name.slice(&tree.text);
    if !WORD_LIST_ATTRIBUTES.iter().any(|list| list.eq_ignore_ascii_case(name)) {
        return Err(cannot_insert_error(&format!("the attribute `{name}`"))
            .hint("use `replace_body` for its value; only lists of words, such as `class`, can be inserted into"));
    }
    let value = attribute.value.unwrap_or(Span::at(attribute.name.range().end));
    let words: Vec<&str> = value.slice(&tree.text).split_ascii_whitespace().collect();
    let new: Vec<&str> = content.split_ascii_whitespace().filter(|word| !words.contains(word)).collect();
    if new.is_empty() {
        return Ok(Edit::insert(value.range().end, ""));
    }
    if let Some(inserted) = braced_attribute::insert_words(tree, value, &new, position) {
        return inserted;
    }
    let at = match position {
        Position::First => 0,
        Position::Last => words.len(),
        Position::Sorted => sorted_index(words.iter().copied(), new.first().copied().unwrap_or_default()),
    };
    let all: Vec<&str> = words[..at].iter().chain(&new).chain(&words[at..]).copied().collect();
    replace_value(tree, attribute, &all.join(" "))
}
