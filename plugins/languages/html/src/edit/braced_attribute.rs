//! Values of attributes in components where code is written in braces: Svelte and Astro.

use marquetry_sdk::{Edit, Failure, FailureKind, Position, Result, Span, fail};

use crate::js_lexer::{JsLexer, JsToken};
use crate::location;
use crate::syntax::Tree;
use crate::syntax::tokenizer::{Token, Tokenizer};
use crate::syntax::tree::Attribute;

/// Replaces the value of an attribute by content that is not a whole attribute: code in braces, or a value without its
/// delimiters.
pub(super) fn replace(tree: &Tree, attribute: Attribute, content: &str) -> Result<Edit> {
    match code_in_braces(tree, content) {
        Some(code) => write_code(tree, attribute, code),
        None => replace_value(tree, attribute, content),
    }
}

/// Returns whether content is code in braces for the value of the named attribute. `{name}` and `{...spread}` are not:
/// they are whole attributes.
pub(super) fn is_code_of_value(tree: &Tree, name: &str, content: &str) -> bool {
    let code = tree.dialect.has_braces().then(|| code_in_braces(tree, content)).flatten();
    code.is_some_and(|code| code.trim() != name && !content.trim_start_matches(['{', ' ']).starts_with("..."))
}

/// Replaces the text between the delimiters of a value. The delimiters are kept if possible.
pub(super) fn replace_value(tree: &Tree, attribute: Attribute, content: &str) -> Result<Edit> {
    let name = tree.attribute_name(attribute);
    let whole = location::attribute_span(tree, attribute);
    if tree.shorthand_name(attribute).is_some() {
        return write_code(tree, attribute, content);
    }
    if name.starts_with('{') {
        return Err(Failure::unsupported(format!("`{name}` has no value")).hint("use `replace` or `delete`"));
    }
    let delimiter = attribute.value.and_then(|value| location::value_quote(tree, value));
    match (delimiter, attribute.value) {
        (_, None) => {
            let is_code = tree.dialect.is_code_directive(name);
            Ok(Edit::new(whole, format_attribute(tree, name, content, is_code)?))
        }
        (Some('{'), _) => write_code(tree, attribute, content),
        (Some('`'), Some(value)) => checked(tree, content, &format!("{name}=`{content}`"), Edit::new(value, content)),
        (Some('"' | '\''), Some(value)) if is_value(tree, content, &content_in(name, content, delimiter)) => {
            Ok(Edit::new(value, content))
        }
        (None, Some(value)) if is_value(tree, content, &format!("{name}={content}")) => Ok(Edit::new(value, content)),
        _ => Ok(Edit::new(whole, quoted(tree, name, content)?)),
    }
}

fn content_in(name: &str, content: &str, quote: Option<char>) -> String {
    let quote = quote.unwrap_or('"');
    format!("{name}={quote}{content}{quote}")
}

/// Writes `name={code}`, or replaces the code if the attribute has this form.
fn write_code(tree: &Tree, attribute: Attribute, code: &str) -> Result<Edit> {
    let written = format!("{}={{{code}}}", tree.attribute_name(attribute));
    let edit = match attribute.value {
        Some(value) if location::value_quote(tree, value) == Some('{') => Edit::new(value, code),
        _ => Edit::new(location::attribute_span(tree, attribute), written.clone()),
    };
    checked(tree, code, &written, edit)
}

/// Returns the edit if an attribute with the content can be read again.
fn checked(tree: &Tree, content: &str, written: &str, edit: Edit) -> Result<Edit> {
    if is_value(tree, content, written) { Ok(edit) } else { Err(not_a_value(content)) }
}

fn not_a_value(content: &str) -> Failure {
    let shown: String = content.chars().take(80).collect();
    fail(FailureKind::InvalidArgument, format!("not a value of an attribute: `{shown}`"))
        .hint("give code without braces, text without quotes, or the whole attribute: `name={code}`")
}

/// Writes a new attribute: code if the content is in braces or `is_code` is true, text otherwise.
pub(super) fn format_attribute(tree: &Tree, name: &str, content: &str, is_code: bool) -> Result<String> {
    match code_in_braces(tree, content) {
        Some(code) => Ok(format!("{name}={{{code}}}")),
        None if is_code => {
            let written = format!("{name}={{{content}}}");
            if is_value(tree, content, &written) { Ok(written) } else { Err(not_a_value(content)) }
        }
        None => quoted(tree, name, content),
    }
}

/// Writes an attribute with quotes that the content does not end.
fn quoted(tree: &Tree, name: &str, content: &str) -> Result<String> {
    let fitting = ['"', '\''].map(|quote| content_in(name, content, Some(quote)));
    if let Some(written) = fitting.into_iter().find(|written| is_value(tree, content, written)) {
        return Ok(written);
    }
    let escaped = content.replace('"', "&quot;");
    let written = content_in(name, &escaped, None);
    if !content.contains('{') && is_value(tree, &escaped, &written) { Ok(written) } else { Err(not_a_value(content)) }
}

/// Returns whether a text is one attribute with the value.
fn is_value(tree: &Tree, value: &str, written: &str) -> bool {
    let tag = format!("<a {written} >");
    let mut tokenizer = Tokenizer::new(&tag, tree.dialect);
    let is_whole = matches!(tokenizer.next(false), Token::Start(found) if found.span.len() == tag.len());
    match (is_whole, &tokenizer.attributes[..]) {
        (true, [only]) => only.value.is_some_and(|read| read.slice(&tag) == value),
        _ => false,
    }
}

/// Returns the code without its braces if the content is code in braces. Content such as `{ a: 1 }` is an object: it is
/// returned with its braces.
fn code_in_braces<'c>(tree: &Tree, content: &'c str) -> Option<&'c str> {
    let content = content.trim();
    let code = content.strip_prefix('{')?.strip_suffix('}')?;
    let is_whole = is_value(tree, code, &format!("a={content}"));
    match is_whole {
        true if is_object(code) => Some(content),
        true => Some(code),
        false => None,
    }
}

/// Returns whether the text between braces is that of an object: it has a spread, a comma, or a colon that does not
/// belong to a condition.
fn is_object(code: &str) -> bool {
    let mut lexer = JsLexer::new(code);
    let (mut depth, mut conditions) = (0_usize, 0_usize);
    if code.trim_start().starts_with("...") {
        return true;
    }
    while let Some((token, _)) = lexer.next() {
        match token {
            JsToken::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            JsToken::Punctuation(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            JsToken::Punctuation(b',') if depth == 0 => return true,
            JsToken::Punctuation(b'?') if depth == 0 => conditions += 1,
            JsToken::Punctuation(b':') if depth == 0 && conditions == 0 => return true,
            JsToken::Punctuation(b':') if depth == 0 => conditions -= 1,
            _ => {}
        }
    }
    false
}

/// Inserts words before or after a value that contains code. `None` if the value has none.
pub(super) fn insert_words(tree: &Tree, value: Span, words: &[&str], position: Position) -> Option<Result<Edit>> {
    let delimiter = location::value_quote(tree, value);
    let is_code = matches!(delimiter, Some('{' | '`'));
    if !tree.dialect.has_braces() || !is_code && !value.slice(&tree.text).contains('{') {
        return None;
    }
    let words = words.join(" ");
    Some(match position {
        Position::First if !is_code => Ok(Edit::insert(value.range().start, format!("{words} "))),
        Position::Last if !is_code => Ok(Edit::insert(value.range().end, format!(" {words}"))),
        _ => {
            Err(Failure::unsupported("words cannot be inserted into code")
                .hint("use `replace_body` with the whole value"))
        }
    })
}
