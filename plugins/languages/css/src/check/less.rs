//! Checks that are specific to LESS: `:extend()`, guards, mixin arguments, arithmetic in brackets.

use super::{
    Checker,
    reader::{Check, Reader},
    stray,
};
use crate::{
    scan::Part,
    tree::{Item, Kind},
};

/// Checks one item.
pub(super) fn item(checker: &mut Checker<'_>, item: &Item) {
    stray::check(checker, item);
    let value = item.body_start as usize..item.body_end as usize;
    match item.kind {
        Kind::Rule => {
            read(checker, item.head_range(), extends);
            read(checker, item.head_range(), |reader| guard(reader, true));
        }
        Kind::Mixin => {
            read(checker, item.head_range(), arguments);
            read(checker, item.head_range(), |reader| guard(reader, false));
        }
        Kind::Call => read(checker, item.head_range(), arguments),
        Kind::Import => {
            let prelude = checker.tree.prelude(item);
            read(checker, prelude, import);
            if !item.block && !item.has_semicolon() {
                checker.report(item.head_range(), "expected `;` after the import");
            }
        }
        Kind::Declaration if !checker.tree.head(item).starts_with("--") => read(checker, value, numbers),
        Kind::Variable if !item.block => read(checker, value, numbers),
        _ => {}
    }
}

fn read(checker: &mut Checker<'_>, range: std::ops::Range<usize>, rule: impl FnOnce(&mut Reader<'_>) -> Check) {
    let result = rule(&mut checker.reader(range));
    checker.check(result);
}

/// Checks that `:extend(…)` follows a selector and comes last.
fn extends(reader: &mut Reader<'_>) -> Check {
    let mut something = false;
    let mut ended = false;
    loop {
        if reader.starts(":extend(") {
            if !something {
                return reader.wrong("expected a selector before `:extend`");
            }
            reader.at += ":extend".len();
            reader.part();
            ended = true;
            continue;
        }
        match reader.part() {
            Part::End => return Ok(()),
            Part::Space | Part::Comment => {}
            Part::Comma => (something, ended) = (false, false),
            Part::Word if ended && reader.text[..reader.at].ends_with("when") => return Ok(()),
            _ if ended => return reader.wrong("`:extend` must be at the end of a selector"),
            _ => something = true,
        }
    }
}

/// Parses the condition after `when`. A guard of a rule applies to a single selector.
fn guard(reader: &mut Reader<'_>, rule: bool) -> Check {
    let mut comma = None;
    loop {
        let at = reader.at;
        match reader.part() {
            Part::End => return Ok(()),
            Part::Comma if rule => comma = Some(at),
            Part::Word if &reader.text[at..reader.at] == "when" && !behind_sign(reader.text, at) => break,
            _ => {}
        }
    }
    if let Some(comma) = comma {
        return reader.wrong_at(comma, "a guard applies to a single selector, not to a list");
    }
    loop {
        reader.space();
        if !reader.is(b'(') && !reader.eat_word("not") && !reader.eat_word("default") {
            return reader.wrong("expected a condition in brackets");
        }
        while !matches!(reader.part(), Part::Comma) {
            if reader.at_end() {
                return Ok(());
            }
        }
    }
}

fn behind_sign(text: &str, at: usize) -> bool {
    text[..at].ends_with(['.', '#', ':', '-', '&', '@', '~', '}'])
}

/// Checks the separators of mixin arguments: named arguments cannot mix `,` and `;`.
fn arguments(reader: &mut Reader<'_>) -> Check {
    while !reader.is(b'(') {
        if reader.part() == Part::End {
            return Ok(());
        }
    }
    let Some(mut inner) = reader.group() else { return Ok(()) };
    let (mut semicolon, mut named) = (false, None);
    loop {
        let at = inner.at;
        match inner.part() {
            Part::End => break,
            Part::Semicolon => semicolon = true,
            Part::Comma => {
                inner.space();
                let start = inner.at;
                let is_named = inner.eat(b'@') && inner.ident().is_ok() && {
                    inner.space();
                    inner.is(b':')
                };
                inner.at = start;
                named = named.or(is_named.then_some(at));
            }
            _ => {}
        }
    }
    match named {
        Some(comma) if semicolon => inner.wrong_at(comma, "arguments cannot be separated by both `,` and `;`"),
        _ => Ok(()),
    }
}

/// `(options) "address" features`
fn import(reader: &mut Reader<'_>) -> Check {
    reader.space();
    if reader.is(b'(') {
        reader.part();
        reader.space();
    }
    match reader.peek() {
        Some(b'"' | b'\'' | b'@' | b'~' | b'`') => Ok(()),
        Some(_) if reader.eat_word("url") && reader.is(b'(') => Ok(()),
        _ => reader.wrong("expected a string or `url(…)`"),
    }
}

/// Checks percent signs (they must follow a number) and arithmetic in brackets (operands need an
/// operator between them).
fn numbers(reader: &mut Reader<'_>) -> Check {
    let bytes = reader.text.as_bytes();
    loop {
        let at = reader.at;
        match reader.peek() {
            None => return Ok(()),
            Some(b'(') if reader.url_end().is_some() => {
                reader.part();
            }
            Some(b'(') => {
                let called =
                    at > 0 && (crate::chars::is_name(bytes[at - 1]) || matches!(bytes[at - 1], b'%' | b'}' | b']'));
                if !called {
                    arithmetic(reader)?;
                }
                reader.at = at + 1; // the content is checked as well
            }
            Some(b')' | b']' | b'{' | b'}') => reader.at += 1,
            Some(b'%') => {
                reader.at += 1;
                let before = reader.text[..at].trim_ascii_end();
                let apart = before.len() < at && before.ends_with(|c: char| c.is_ascii_digit());
                if apart && !reader.is(b'(') {
                    return reader.wrong_at(at, "expected a number directly before `%`");
                }
            }
            Some(_) => {
                reader.part();
            }
        }
    }
}

/// Checks brackets that contain only numbers and operators.
fn arithmetic(reader: &mut Reader<'_>) -> Check {
    let Some(inner) = reader.group() else { return Ok(()) };
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
            // `5 -2` is two numbers, 5 and -2.
            b'+' | b'-' if operand && !(spaced && !next.is_ascii_whitespace()) => (operand, at) = (false, at + 1),
            b'*' | b'/' => (operand, at) = (false, at + 1),
            _ if operand => return inner.wrong_at(inner.at + at, "expected an operator before this"),
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
