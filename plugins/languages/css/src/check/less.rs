//! Checks that are specific to LESS: those of `:extend()`, guards, mixin arguments, and arithmetic in brackets.

use super::{
    Checker,
    reader::{Parsed, Reader},
    stray,
};
use crate::{
    scanner::TokenKind,
    tree::{Item, Kind},
};

/// Checks one item.
pub(super) fn check_item(checker: &mut Checker<'_>, item: &Item) {
    stray::check_statement(checker, item);
    let value = item.body_start as usize..item.body_end as usize;
    match item.kind {
        Kind::Rule => {
            read_range(checker, item.head_range(), extends);
            read_range(checker, item.head_range(), |reader| guard(reader, true));
        }
        Kind::Mixin => {
            read_range(checker, item.head_range(), arguments);
            read_range(checker, item.head_range(), |reader| guard(reader, false));
        }
        Kind::Call => read_range(checker, item.head_range(), arguments),
        Kind::Import => {
            let prelude = checker.tree.prelude(item);
            read_range(checker, prelude, import);
            if !item.block && !item.has_semicolon() {
                checker.report(item.head_range(), "expected `;` after the import");
            }
        }
        Kind::Declaration if !checker.tree.head(item).starts_with("--") => read_range(checker, value, numbers),
        Kind::Variable if !item.block => read_range(checker, value, numbers),
        _ => {}
    }
}

fn read_range(checker: &mut Checker<'_>, range: std::ops::Range<usize>, rule: impl FnOnce(&mut Reader<'_>) -> Parsed) {
    let result = rule(&mut checker.reader(range));
    checker.report_error(result);
}

/// Checks that each `:extend(…)` follows a selector and is at its end.
fn extends(reader: &mut Reader<'_>) -> Parsed {
    let mut something = false;
    let mut ended = false;
    loop {
        if reader.starts_with(":extend(") {
            if !something {
                return reader.error("expected a selector before `:extend`");
            }
            reader.at += ":extend".len();
            reader.skip_token();
            ended = true;
            continue;
        }
        match reader.skip_token() {
            TokenKind::End => return Ok(()),
            TokenKind::Space | TokenKind::Comment => {}
            TokenKind::Comma => (something, ended) = (false, false),
            TokenKind::Word if ended && reader.text[..reader.at].ends_with("when") => return Ok(()),
            _ if ended => return reader.error("`:extend` must be at the end of a selector"),
            _ => something = true,
        }
    }
}

/// Parses the guard of a rule or mixin, which is the condition after `when`. A rule with a guard must have only one
/// selector.
fn guard(reader: &mut Reader<'_>, rule: bool) -> Parsed {
    let mut comma = None;
    loop {
        let at = reader.at;
        match reader.skip_token() {
            TokenKind::End => return Ok(()),
            TokenKind::Comma if rule => comma = Some(at),
            TokenKind::Word if &reader.text[at..reader.at] == "when" && !follows_sigil(reader.text, at) => break,
            _ => {}
        }
    }
    if let Some(comma) = comma {
        return reader.error_at(comma, "a guard applies to a single selector, not to a list");
    }
    loop {
        reader.skip_space();
        if !reader.at_byte(b'(') && !reader.eat_word("not") && !reader.eat_word("default") {
            return reader.error("expected a condition in brackets");
        }
        while !matches!(reader.skip_token(), TokenKind::Comma) {
            if reader.at_end() {
                return Ok(());
            }
        }
    }
}

fn follows_sigil(text: &str, at: usize) -> bool {
    text[..at].ends_with(['.', '#', ':', '-', '&', '@', '~', '}'])
}

/// Checks the separators of mixin arguments: if a comma precedes a named argument, semicolons are not allowed.
fn arguments(reader: &mut Reader<'_>) -> Parsed {
    while !reader.at_byte(b'(') {
        if reader.skip_token() == TokenKind::End {
            return Ok(());
        }
    }
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let (mut semicolon, mut named) = (false, None);
    loop {
        let at = inner.at;
        match inner.skip_token() {
            TokenKind::End => break,
            TokenKind::Semicolon => semicolon = true,
            TokenKind::Comma => {
                inner.skip_space();
                let start = inner.at;
                let is_named = inner.eat(b'@') && inner.expect_ident().is_ok() && {
                    inner.skip_space();
                    inner.at_byte(b':')
                };
                inner.at = start;
                named = named.or(is_named.then_some(at));
            }
            _ => {}
        }
    }
    match named {
        Some(comma) if semicolon => inner.error_at(comma, "arguments cannot be separated by both `,` and `;`"),
        _ => Ok(()),
    }
}

/// Parses the prelude of an `@import`: `(options) "url" features`.
fn import(reader: &mut Reader<'_>) -> Parsed {
    reader.skip_space();
    if reader.at_byte(b'(') {
        reader.skip_token();
        reader.skip_space();
    }
    match reader.peek() {
        Some(b'"' | b'\'' | b'@' | b'~' | b'`') => Ok(()),
        Some(_) if reader.eat_word("url") && reader.at_byte(b'(') => Ok(()),
        _ => reader.error("expected a string or `url(…)`"),
    }
}

/// Checks that percent signs follow a number, and that there is an operator between the operands of arithmetic in
/// brackets.
fn numbers(reader: &mut Reader<'_>) -> Parsed {
    let bytes = reader.text.as_bytes();
    loop {
        let at = reader.at;
        match reader.peek() {
            None => return Ok(()),
            Some(b'(') if reader.url_end().is_some() => {
                reader.skip_token();
            }
            Some(b'(') => {
                let called =
                    at > 0 && (crate::chars::is_name(bytes[at - 1]) || matches!(bytes[at - 1], b'%' | b'}' | b']'));
                if !called {
                    arithmetic(reader)?;
                }
                reader.at = at + 1; // continue inside the brackets, to check their content
            }
            Some(b')' | b']' | b'{' | b'}') => reader.at += 1,
            Some(b'%') => {
                reader.at += 1;
                let before = reader.text[..at].trim_ascii_end();
                let apart = before.len() < at && before.ends_with(|c: char| c.is_ascii_digit());
                if apart && !reader.at_byte(b'(') {
                    return reader.error_at(at, "expected a number directly before `%`");
                }
            }
            Some(_) => {
                reader.skip_token();
            }
        }
    }
}

/// Checks brackets that contain only numbers and operators.
fn arithmetic(reader: &mut Reader<'_>) -> Parsed {
    let Some(inner) = reader.enter_group() else { return Ok(()) };
    let text = &inner.text[inner.at..inner.end];
    let plain = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_whitespace() || b"+-*/.()".contains(&byte);
    if !text.bytes().all(plain) {
        return Ok(());
    }
    let mut operand = false;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let spaced = at > 0 && bytes[at - 1].is_ascii_whitespace();
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        match bytes[at] {
            byte if byte.is_ascii_whitespace() => at += 1,
            // `5 -2` consists of the two numbers 5 and -2.
            b'+' | b'-' if operand && !(spaced && !next.is_ascii_whitespace()) => (operand, at) = (false, at + 1),
            b'*' | b'/' => (operand, at) = (false, at + 1),
            _ if operand => return inner.error_at(inner.at + at, "expected an operator before this"),
            b'(' => {
                let depth = |(depth, _): (i32, usize), (place, byte): (usize, &u8)| match byte {
                    b'(' => Some((depth + 1, place)),
                    b')' if depth == 1 => None,
                    b')' => Some((depth - 1, place)),
                    _ => Some((depth, place)),
                };
                let within =
                    bytes[at..].iter().enumerate().try_fold((0, 0), |state, step| depth(state, step).ok_or(step.0));
                at += within.err().unwrap_or(bytes.len() - at) + 1;
                operand = true;
            }
            _ => {
                at += 1;
                at += bytes[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
                operand = true;
            }
        }
    }
    Ok(())
}
