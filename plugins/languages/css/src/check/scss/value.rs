//! Parser for SassScript expressions: numbers, strings, colours, lists, maps, operators and calls.

use super::call;
use crate::{
    chars::is_break,
    check::reader::{Parsed, Reader, is_blank, starts_name},
};

/// Terminator of an expression. Characters that no expression can contain end it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    End,
    Comma,
    /// `<`, `>` or `=`, the comparisons of a media query.
    Comparison,
    /// A keyword, such as `to` or `through` in `@for`.
    Bound,
}

/// Parses an expression.
pub(super) fn expression(reader: &mut Reader<'_>) -> Parsed {
    until(reader, Terminator::End, false)
}

/// Parses an expression up to a comma.
pub(super) fn parse_to_comma(reader: &mut Reader<'_>) -> Parsed {
    until(reader, Terminator::Comma, false)
}

fn is_terminator(reader: &Reader<'_>, until: Terminator) -> bool {
    match until {
        Terminator::End => false,
        Terminator::Comma => reader.at_byte(b','),
        Terminator::Comparison => match reader.peek() {
            Some(b'=') => reader.peek_at(1) != Some(b'='),
            byte => matches!(byte, Some(b'<' | b'>')),
        },
        Terminator::Bound => ["to", "through"].iter().any(|word| at_word(reader, word)),
    }
}

fn at_word(reader: &Reader<'_>, word: &str) -> bool {
    Reader::new(reader.text, reader.dialect, reader.at..reader.end).eat_word(word)
}

/// Parses an expression up to the terminator. If `single_equals`, `=` is an operator, as in the filter functions of
/// Internet Explorer.
pub(super) fn until(reader: &mut Reader<'_>, until: Terminator, single_equals: bool) -> Parsed {
    reader.parse_nested(|reader| {
        // True after an operand, where an operator or a comma can follow.
        let mut operand = false;
        let mut any = false;
        loop {
            let spaced = reader.skip_space();
            if is_terminator(reader, until) {
                break;
            }
            let before = reader.at;
            if reader.at_byte(b',') {
                if !operand {
                    return expected_expression(reader);
                }
                reader.at += 1;
                operand = false;
            } else if operand && operator(reader, spaced, single_equals)? {
                reader.skip_space();
                parse_single_operand(reader)?;
            } else if starts_operand(reader) {
                parse_single_operand(reader)?;
                operand = true;
            } else {
                break;
            }
            any = true;
            debug_assert!(reader.at > before, "parsing an expression must advance");
        }
        if any { Ok(()) } else { expected_expression(reader) }
    })
}

fn expected_expression<T>(reader: &Reader<'_>) -> Parsed<T> {
    reader.error("expected an expression")
}

/// Parses an operator after an operand. Returns whether there was one.
fn operator(reader: &mut Reader<'_>, spaced: bool, single_equals: bool) -> Parsed<bool> {
    let next = reader.peek_at(1);
    let length = match reader.peek() {
        Some(b'=') if next == Some(b'=') => 2,
        Some(b'=') if single_equals => 1,
        Some(b'=') => return reader.error("expected `==`"),
        Some(b'!') if next == Some(b'=') => 2,
        Some(b'<' | b'>') => 1 + usize::from(next == Some(b'=')),
        Some(b'*' | b'/' | b'+') => 1,
        // In `1 % 2` it is an operator; in `a %` it is a plain percent sign.
        Some(b'%') if followed_by_operand(reader) => 1,
        Some(b'-') => {
            let number = matches!(next, Some(b'0'..=b'9' | b'.'));
            // `1 -2` consists of two numbers and `a -b` of two words, but `1-2` and `1 - 2` are differences.
            let apart = spaced && (number || reader.at_interpolated());
            if apart || (!number && reader.at_interpolated()) {
                return Ok(false);
            }
            1
        }
        Some(b'a' | b'A') => return Ok(reader.eat_word("and")),
        Some(b'o' | b'O') => return Ok(reader.eat_word("or")),
        _ => return Ok(false),
    };
    reader.at += length;
    Ok(true)
}

fn followed_by_operand(reader: &Reader<'_>) -> bool {
    let mut ahead = Reader::new(reader.text, reader.dialect, reader.at + 1..reader.end);
    ahead.skip_space();
    starts_operand(&ahead)
}

/// Returns whether an operand starts at the current position.
pub(super) fn starts_operand(reader: &Reader<'_>) -> bool {
    match reader.peek() {
        Some(b'.') => reader.peek_at(1) != Some(b'.'),
        Some(b'!') => is_blank(reader.peek_at(1)) || matches!(reader.peek_at(1), Some(b'i' | b'I')),
        Some(b'(' | b'[' | b'"' | b'\'' | b'#' | b'+' | b'-' | b'/' | b'$' | b'&' | b'%' | b'0'..=b'9') => true,
        byte => starts_name(byte),
    }
}

/// Parses one operand.
pub(super) fn operand(reader: &mut Reader<'_>) -> Parsed {
    parse_single_operand(reader)
}

fn parse_single_operand(reader: &mut Reader<'_>) -> Parsed {
    let next = reader.peek_at(1);
    match reader.peek() {
        Some(b'(') => parentheses(reader),
        Some(b'[') => bracketed(reader),
        Some(b'$') => variable(reader),
        Some(b'&' | b'%') => {
            reader.at += 1;
            Ok(())
        }
        Some(b'"' | b'\'') => string(reader),
        Some(b'#') if next == Some(b'{') => call::parse_word_or_call(reader),
        Some(b'#') => hash(reader),
        Some(b'!') => {
            reader.at += 1;
            reader.skip_space();
            reader.expect_word("important")
        }
        Some(b'0'..=b'9' | b'.') => number(reader),
        Some(b'+' | b'-') if matches!(next, Some(b'0'..=b'9' | b'.')) => number(reader),
        Some(b'-') if reader.at_interpolated() => call::parse_word_or_call(reader),
        Some(b'+' | b'-' | b'/') => {
            reader.at += 1;
            reader.skip_space();
            reader.parse_nested(parse_single_operand)
        }
        Some(b'u' | b'U') if next == Some(b'+') => unicode_range(reader),
        _ if reader.at_interpolated() => call::parse_word_or_call(reader),
        _ => expected_expression(reader),
    }
}

/// Parses `$name`.
pub(super) fn variable(reader: &mut Reader<'_>) -> Parsed {
    reader.expect(b'$')?;
    reader.expect_ident().map(|_| ())
}

/// Parses `(…)`, which is a group, a list or a map.
fn parentheses(reader: &mut Reader<'_>) -> Parsed {
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    inner.skip_space();
    if inner.at_end() {
        return Ok(());
    }
    parse_to_comma(inner)?;
    let map = eat_colon(inner);
    if map {
        inner.skip_space();
        parse_to_comma(inner)?;
    }
    while inner.eat(b',') {
        inner.skip_space();
        if inner.at_end() {
            break;
        }
        parse_to_comma(inner)?;
        if map {
            inner.expect(b':')?;
            inner.skip_space();
            parse_to_comma(inner)?;
        }
    }
    inner.expect_end()
}

fn eat_colon(reader: &mut Reader<'_>) -> bool {
    reader.skip_space();
    reader.eat(b':')
}

fn bracketed(reader: &mut Reader<'_>) -> Parsed {
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    inner.skip_space();
    if inner.at_end() {
        return Ok(());
    }
    expression(&mut inner)?;
    inner.expect_end()
}

/// Parses a string and the expressions interpolated into it.
pub(super) fn string(reader: &mut Reader<'_>) -> Parsed {
    let Some(quote) = reader.peek().filter(|byte| matches!(byte, b'"' | b'\'')) else {
        return reader.error("expected a string");
    };
    reader.at += 1;
    loop {
        match reader.peek() {
            None => return Ok(()), // the string is not closed, which the parser has already reported
            Some(byte) if byte == quote => {
                reader.at += 1;
                return Ok(());
            }
            Some(b'\\') => reader.skip_name_or_token(),
            Some(byte) if is_break(byte) => return Ok(()),
            Some(b'#') if reader.at_interpolation() => interpolation(reader)?,
            Some(_) => {
                let rest = &reader.text.as_bytes()[reader.at + 1..reader.end];
                let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b'#') || is_break(*byte));
                reader.at += 1 + plain.unwrap_or(rest.len());
            }
        }
    }
}

/// Parses `#{…}`.
pub(super) fn interpolation(reader: &mut Reader<'_>) -> Parsed {
    reader.at += 2;
    expression(reader)?;
    reader.skip_space();
    reader.expect(b'}')
}

/// Parses an identifier that can contain interpolations. Returns its text, or `None` if it contains interpolations.
pub(super) fn identifier<'t>(reader: &mut Reader<'t>) -> Parsed<Option<&'t str>> {
    if !reader.at_interpolated() {
        return reader.error("expected an identifier");
    }
    let from = reader.at;
    let mut plain = true;
    loop {
        if reader.at_interpolation() {
            plain = false;
            interpolation(reader)?;
        } else {
            let before = reader.at;
            reader.skip_name();
            if reader.at == before {
                return Ok(plain.then(|| &reader.text[from..reader.at]));
            }
        }
    }
}

/// Parses a colour or a name after `#`.
fn hash(reader: &mut Reader<'_>) -> Parsed {
    reader.at += 1;
    if !matches!(reader.peek(), Some(b'0'..=b'9')) {
        return identifier(reader).map(|_| ());
    }
    let from = reader.at;
    while reader.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) && reader.at - from < 8 {
        reader.at += 1;
    }
    match reader.at - from {
        3 | 4 | 6 | 8 => Ok(()),
        _ => reader.error("expected a hexadecimal digit"),
    }
}

/// Parses a number and its unit.
fn number(reader: &mut Reader<'_>) -> Parsed {
    let _ = reader.eat(b'+') || reader.eat(b'-');
    let whole = reader.skip_digits();
    let fraction = reader.at_byte(b'.') && matches!(reader.peek_at(1), Some(b'0'..=b'9'));
    if fraction {
        reader.at += 1;
        reader.skip_digits();
    } else if !whole {
        reader.at += usize::from(reader.at_byte(b'.'));
        return reader.error("expected a digit");
    }
    if matches!(reader.peek(), Some(b'e' | b'E')) {
        let signed = matches!(reader.peek_at(1), Some(b'+' | b'-'));
        if matches!(reader.peek_at(1 + usize::from(signed)), Some(b'0'..=b'9')) {
            reader.at += 1 + usize::from(signed);
            reader.skip_digits();
        }
    }
    if reader.eat(b'%') {
        return Ok(());
    }
    let dashes = reader.at_byte(b'-') && reader.peek_at(1) == Some(b'-');
    if reader.at_ident() && !dashes {
        skip_unit(reader);
    }
    Ok(())
}

/// Skips the unit of a number. A minus before a digit does not belong to the unit.
fn skip_unit(reader: &mut Reader<'_>) {
    reader.at += usize::from(reader.at_byte(b'-'));
    loop {
        match reader.peek() {
            Some(b'-') if matches!(reader.peek_at(1), Some(b'0'..=b'9' | b'.') | None) => return,
            Some(b'-') => reader.at += 1,
            Some(byte) if crate::chars::is_name(byte) => reader.at += 1,
            Some(b'\\') => reader.skip_name_or_token(),
            _ => return,
        }
    }
}

/// Parses a range of characters: `U+0025-00FF` or `u+4??`.
fn unicode_range(reader: &mut Reader<'_>) -> Parsed {
    reader.at += 2;
    let mut first = 0;
    let mut wild = 0;
    while reader.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
        reader.at += 1;
        first += 1;
    }
    while reader.eat(b'?') {
        wild += 1;
    }
    if first + wild == 0 {
        return reader.error("expected a hexadecimal digit or `?`");
    }
    if first + wild > 6 {
        return reader.error("expected at most six digits");
    }
    if wild == 0 && reader.eat(b'-') {
        let mut last = 0;
        while reader.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
            reader.at += 1;
            last += 1;
        }
        if last == 0 {
            return reader.error("expected a hexadecimal digit");
        }
        if last > 6 {
            return reader.error("expected at most six digits");
        }
    }
    if reader.at_interpolated() || reader.at_byte(b'-') || reader.at_byte(b'?') {
        return reader.error("expected the end of the range");
    }
    Ok(())
}
