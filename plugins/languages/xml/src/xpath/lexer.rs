//! Lexer for XPath 1.0. The preceding token disambiguates names and operators.

use crate::chars;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'e> {
    /// `( ) [ ] @ , :: . ..`
    Sign(&'static str),
    /// `/ // | + - = != < <= > >= * and or div mod`
    Operator(&'static str),
    /// `*` as a node test.
    Any,
    /// `prefix:*`
    AnyIn(&'e str),
    /// A name as a node test.
    Name(Option<&'e str>, &'e str),
    /// A name before `(`.
    Function(&'e str),
    /// A name before `::`.
    Axis(&'e str),
    /// Content of a quoted string.
    Literal(&'e str),
    Number(f64),
    /// `$name`
    Variable(&'e str),
    End,
}

/// A token and its offset.
pub(crate) type TokenAt<'e> = (Token<'e>, usize);

/// An error and its offset in the expression.
#[derive(Debug)]
pub(crate) struct ExpressionError {
    pub at: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl ExpressionError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> ExpressionError {
        ExpressionError { at, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> ExpressionError {
        self.hint = Some(hint.into());
        self
    }
}

/// Operators. Longer ones precede their prefixes.
const OPERATORS: [&str; 11] = ["//", "!=", "<=", ">=", "/", "|", "+", "-", "=", "<", ">"];
const SIGNS: [&str; 9] = ["::", "..", "(", ")", "[", "]", "@", ",", "."];
const OPERATOR_WORDS: [&str; 4] = ["and", "or", "div", "mod"];

/// Tokens of the expression, followed by `End`.
pub(crate) fn tokenize(source: &str) -> Result<Vec<TokenAt<'_>>, ExpressionError> {
    let mut tokens: Vec<TokenAt<'_>> = Vec::new();
    let mut at = chars::skip_space(source.as_bytes(), 0);
    while at < source.len() {
        let (token, length) = next_token(source, at, tokens.last().map(|placed| placed.0))?;
        tokens.push((token, at));
        at = chars::skip_space(source.as_bytes(), at + length);
    }
    tokens.push((Token::End, source.len()));
    Ok(tokens)
}

fn next_token<'e>(
    source: &'e str,
    at: usize,
    before: Option<Token<'e>>,
) -> Result<(Token<'e>, usize), ExpressionError> {
    let rest = &source[at..];
    let byte = rest.as_bytes()[0];
    if matches!(byte, b'"' | b'\'') {
        let end = memchr::memchr(byte, &rest.as_bytes()[1..])
            .ok_or_else(|| ExpressionError::new(at, "a string without its closing quote"))?;
        return Ok((Token::Literal(&rest[1..=end]), end + 2));
    }
    if byte.is_ascii_digit() || (byte == b'.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
        return lex_number(rest, at);
    }
    if byte == b'*' {
        let token = if expects_operator(before) { Token::Operator("*") } else { Token::Any };
        return Ok((token, 1));
    }
    if byte == b'$' {
        let end = chars::name_end(source, at + 1);
        return Ok((Token::Variable(&source[at + 1..end]), end - at));
    }
    if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        return Ok((Token::Sign(sign), sign.len()));
    }
    if let Some(operator) = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)) {
        return Ok((Token::Operator(operator), operator.len()));
    }
    if rest.starts_with(|c: char| c != ':' && chars::is_name_start(c)) {
        return lex_name(source, at, before);
    }
    let found: String = rest.chars().take(1).collect();
    Err(ExpressionError::new(at, format!("unexpected `{found}`")))
}

/// Returns whether a `*` or a word after this token is an operator (XPath 1.0, section 3.7).
fn expects_operator(before: Option<Token<'_>>) -> bool {
    !matches!(before, None | Some(Token::Operator(_) | Token::Sign("@" | "::" | "(" | "[" | ",")))
}

fn lex_number(rest: &str, at: usize) -> Result<(Token<'_>, usize), ExpressionError> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(rest);
    if rest[length..].starts_with('.') {
        length += 1 + digits(&rest[length + 1..]);
    }
    // Exponents are part of later versions, but most implementations of 1.0 accept them.
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['-', '+']));
        let exponent = digits(&rest[length + 1 + sign..]);
        length += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    let value = rest[..length].parse().map_err(|_| ExpressionError::new(at, "not a number"))?;
    Ok((Token::Number(value), length))
}

fn lex_name<'e>(source: &'e str, at: usize, before: Option<Token<'e>>) -> Result<(Token<'e>, usize), ExpressionError> {
    let first = name_part(source, at);
    if expects_operator(before) {
        return match OPERATOR_WORDS.into_iter().find(|word| *word == first) {
            Some(word) => Ok((Token::Operator(word), word.len())),
            None => Err(ExpressionError::new(at, format!("expected an operator, not `{first}`"))),
        };
    }
    let (mut end, mut prefix, mut local) = (at + first.len(), None, first);
    let rest = &source[end..];
    if rest.starts_with(':') && !rest.starts_with("::") {
        if rest[1..].starts_with('*') {
            return Ok((Token::AnyIn(first), first.len() + 2));
        }
        if !rest[1..].starts_with(|c: char| c != ':' && chars::is_name_start(c)) {
            return Err(ExpressionError::new(end, format!("expected a name or `*` after the prefix `{first}:`")));
        }
        (prefix, local) = (Some(first), name_part(source, end + 1));
        end += 1 + local.len();
    }
    let behind = source[end..].trim_start();
    let whole = &source[at..end];
    let token = if behind.starts_with('(') {
        Token::Function(whole)
    } else if behind.starts_with("::") && prefix.is_none() {
        Token::Axis(first)
    } else {
        Token::Name(prefix, local)
    };
    Ok((token, end - at))
}

/// The name without a colon at this offset.
fn name_part(source: &str, at: usize) -> &str {
    let name = &source[at..chars::name_end(source, at)];
    name.split(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<Token<'_>> {
        tokenize(source).expect("tokens").into_iter().map(|placed| placed.0).collect()
    }

    #[test]
    fn star_meaning_depends_on_previous_token() {
        let star = Token::Operator("*");
        assert_eq!(words("* * *"), [Token::Any, star, Token::Any, Token::End]);
        assert_eq!(words("2*3")[1], star);
        assert_eq!(words("@*")[1], Token::Any);
        assert_eq!(words("p:*")[0], Token::AnyIn("p"));
    }

    #[test]
    fn operator_words_can_be_names() {
        let found = words("div div mod/or");
        assert_eq!(found[0], Token::Name(None, "div"));
        assert_eq!(found[1], Token::Operator("div"));
        assert_eq!(found[2], Token::Name(None, "mod"));
        assert_eq!(found[4], Token::Name(None, "or"));
        assert_eq!(words("child :: a")[0], Token::Axis("child"));
        assert_eq!(words("p:f (1)")[0], Token::Function("p:f"));
    }

    #[test]
    fn reports_lexical_errors() {
        for wrong in ["a b", "'x", "1x", "a:", "#", "p:"] {
            assert!(tokenize(wrong).is_err(), "{wrong}");
        }
    }
}
