//! Names and calls in SassScript: functions, arguments, parameters, `if()`, and functions passed through to
//! CSS.

use super::value::{Until, expression, identifier, interpolation, starts_single, string, to_comma, until, variable};
use crate::{
    check::reader::{Check, Reader},
    scan::Part,
};

/// Parses a word, a call, or a member of a module.
pub(super) fn identifier_like(reader: &mut Reader<'_>) -> Check {
    let name = identifier(reader)?;
    if let Some(name) = name {
        if name.eq_ignore_ascii_case("not") {
            reader.space();
            return if starts_single(reader) { operand(reader) } else { reader.wrong("expected an expression") };
        }
        if name.eq_ignore_ascii_case("if") && reader.is(b'(') {
            return if_call(reader);
        }
        if matches!(reader.peek(), Some(b'(' | b':')) && passed_through(reader, &name.to_ascii_lowercase())? {
            return Ok(());
        }
    }
    match reader.peek() {
        Some(b'.') if reader.ahead(1) != Some(b'.') => match name {
            Some(_) => member(reader),
            None => reader.wrong("a namespace cannot be interpolated"),
        },
        Some(b'(') => {
            let empty_second = name.is_some_and(|name| name.eq_ignore_ascii_case("var"));
            arguments(reader, Arguments { mixin: false, empty_second })
        }
        _ => Ok(()),
    }
}

/// Parses one operand after a word such as `not`.
fn operand(reader: &mut Reader<'_>) -> Check {
    // The caller parses the rest of a list after the operand.
    reader.deeper(|reader| super::value::operand(reader))
}

/// Parses `.name(…)` or `.$name` after a namespace.
fn member(reader: &mut Reader<'_>) -> Check {
    reader.at += 1;
    if reader.is(b'$') {
        return variable(reader);
    }
    reader.ident()?;
    if !reader.is(b'(') {
        return reader.wrong("expected `(`");
    }
    arguments(reader, Arguments { mixin: false, empty_second: false })
}

/// Parses a call whose arguments only CSS interprets; returns whether this is one.
fn passed_through(reader: &mut Reader<'_>, name: &str) -> Check<bool> {
    let own = match name.strip_prefix('-').and_then(|rest| rest.split_once('-')) {
        Some((vendor, own)) if !vendor.is_empty() => own,
        _ => name,
    };
    if own == "progid" && reader.is(b':') {
        reader.at += 1;
        while reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'.') {
            reader.at += 1;
        }
        if !reader.is(b'(') {
            return reader.wrong("expected `(`");
        }
        raw_group(reader)?;
        return Ok(true);
    }
    if !reader.is(b'(') {
        return Ok(false);
    }
    let raw = match own {
        "element" | "expression" | "type" => true,
        "calc" => name != "calc",
        "url" => match reader.url_end() {
            Some(end) => {
                let mut inner = Reader::new(reader.text, reader.dialect, reader.at + 1..end.max(reader.at + 2) - 1);
                interpolations(&mut inner)?;
                reader.at = end;
                return Ok(true);
            }
            None => false,
        },
        _ => false,
    };
    if raw {
        raw_group(reader)?;
    }
    Ok(raw)
}

/// Skips brackets, checking only the interpolations in them.
fn raw_group(reader: &mut Reader<'_>) -> Check {
    match reader.group() {
        Some(mut inner) => interpolations(&mut inner),
        None => Ok(()),
    }
}

/// Checks the interpolations in otherwise unchecked text, up to its end.
pub(super) fn interpolations(reader: &mut Reader<'_>) -> Check {
    while !reader.at_end() {
        let at = reader.at;
        match reader.peek() {
            Some(b'"' | b'\'') => string(reader)?,
            Some(b'#') if reader.at_interpolation() => interpolation(reader)?,
            Some(b'(' | b'[' | b'{') => reader.at += 1,
            _ => {
                reader.part();
            }
        }
        if reader.at == at {
            break;
        }
    }
    Ok(())
}

/// Options for parsing arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arguments {
    pub(super) mixin: bool,
    /// Allows an empty second argument: `var(--x,)`.
    pub(super) empty_second: bool,
}

/// `(a, $b: c, $list...)`
pub(super) fn arguments(reader: &mut Reader<'_>, rules: Arguments) -> Check {
    let Some(mut inner) = reader.group() else { return Ok(()) };
    let inner = &mut inner;
    inner.space();
    let (mut count, mut named, mut rests) = (0, false, 0);
    while starts_single(inner) {
        let start = inner.at;
        let is_variable = inner.is(b'$');
        until(inner, Until::Comma, !rules.mixin)?;
        inner.space();
        if is_variable && inner.is(b':') && is_one_variable(inner, start) {
            inner.at += 1;
            inner.space();
            until(inner, Until::Comma, !rules.mixin)?;
            named = true;
        } else if inner.starts("...") {
            inner.at += 3;
            rests += 1;
        } else if named {
            return inner.wrong_at(start, "positional arguments must come before named ones");
        } else {
            count += 1;
        }
        inner.space();
        if rests == 2 {
            inner.eat(b',');
            inner.space();
            break;
        }
        if !inner.eat(b',') {
            break;
        }
        inner.space();
        if rules.empty_second && count == 1 && inner.at_end() {
            break;
        }
    }
    inner.finish()
}

fn is_one_variable(reader: &Reader<'_>, start: usize) -> bool {
    let mut own = Reader::new(reader.text, reader.dialect, start..reader.at);
    variable(&mut own).is_ok() && own.finish().is_ok()
}

/// `($a, $b: 1, $rest...)`
pub(super) fn parameters(reader: &mut Reader<'_>) -> Check {
    if !reader.is(b'(') {
        return reader.wrong("expected `(`");
    }
    let Some(mut inner) = reader.group() else { return Ok(()) };
    let inner = &mut inner;
    inner.space();
    while inner.is(b'$') {
        variable(inner)?;
        inner.space();
        if inner.eat(b':') {
            inner.space();
            to_comma(inner)?;
        } else if inner.starts("...") {
            inner.at += 3;
            inner.space();
            inner.eat(b',');
            break;
        }
        inner.space();
        if !inner.eat(b',') {
            break;
        }
        inner.space();
    }
    inner.finish()
}

// --- if() ---

/// Parses `if(condition, a, b)` of Sass or `if(condition: a; else: b)` of CSS.
fn if_call(reader: &mut Reader<'_>) -> Check {
    let start = reader.at;
    let Some(mut inner) = reader.group() else { return Ok(()) };
    if is_old_if(&mut inner) {
        reader.at = start;
        return arguments(reader, Arguments { mixin: false, empty_second: false });
    }
    let inner = &mut inner;
    inner.space();
    loop {
        if !inner.eat_word("else") {
            condition(inner)?;
        }
        inner.space();
        inner.expect(b':')?;
        inner.space();
        if !inner.is(b';') && !inner.at_end() {
            expression(inner)?;
        }
        inner.space();
        if !inner.eat(b';') {
            return inner.finish();
        }
        inner.space();
        if inner.at_end() {
            return Ok(());
        }
    }
}

/// Returns whether the brackets contain arguments: the only colons are those after argument names.
fn is_old_if(inner: &mut Reader<'_>) -> bool {
    let start = inner.at;
    let (mut named, mut old) = (false, true);
    loop {
        let at = inner.at;
        match inner.part() {
            Part::End => break,
            Part::Colon if !named => {
                old = false;
                break;
            }
            Part::Semicolon => {
                old = false;
                break;
            }
            Part::Other if inner.text.as_bytes()[at] == b'$' => named = true,
            Part::Word | Part::Space | Part::Comment => {}
            _ => named = false,
        }
    }
    inner.at = start;
    old
}

/// Parses groups separated by `and` or `or`. A value that CSS substitutes later can be an operator, too.
fn condition(reader: &mut Reader<'_>) -> Check {
    reader.deeper(|reader| {
        if reader.eat_word("not") {
            reader.space();
            return group(reader).map(|_| ());
        }
        let mut operator = "";
        loop {
            let substituted = group(reader)?;
            reader.space();
            let start = reader.at;
            let word = ["and", "or"].into_iter().find(|word| reader.eat_word(word));
            if let Some(word) = word {
                if !operator.is_empty() && operator != word {
                    reader.at = start;
                    return Ok(());
                }
                operator = word;
                reader.space();
            } else if !(reader.is(b'(') || reader.at_interpolated()) || !(substituted || at_substitution(reader)) {
                return Ok(());
            }
        }
    })
}

/// Returns whether CSS or an interpolation substitutes a value here.
fn at_substitution(reader: &Reader<'_>) -> bool {
    let rest = &reader.text.as_bytes()[reader.at..reader.end];
    let calls = |name: &[u8]| rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name);
    reader.at_interpolation() || [&b"var("[..], b"attr(", b"if("].into_iter().any(calls)
}

/// Parses `(condition)`, `name(…)` or an interpolation; returns whether it is substituted later.
fn group(reader: &mut Reader<'_>) -> Check<bool> {
    let substituted = at_substitution(reader);
    if reader.is(b'(') {
        let Some(mut inner) = reader.group() else { return Ok(false) };
        inner.space();
        condition(&mut inner)?;
        inner.finish()?;
        return Ok(false);
    }
    let name = identifier(reader)?;
    if !reader.is(b'(') {
        return if substituted && name.is_none() { Ok(true) } else { reader.wrong("expected `(`") };
    }
    let is = |word: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(word));
    if is("sass") {
        let Some(mut inner) = reader.group() else { return Ok(false) };
        expression(&mut inner)?;
        inner.finish()?;
    } else if ["not", "and", "or", "else"].into_iter().any(is) {
        return reader.wrong("expected white space before `(`");
    } else {
        raw_group(reader)?;
    }
    Ok(substituted)
}
