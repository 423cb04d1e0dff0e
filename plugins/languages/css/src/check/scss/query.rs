//! Parser for the conditions of `@media` and `@supports`, and for the modifiers of an `@import`.

use super::{
    call::interpolations,
    value::{Terminator, expression, identifier, interpolation, string, until},
};
use crate::check::reader::{Parsed, Reader};

/// Parses a list of media queries.
pub(super) fn media(reader: &mut Reader<'_>) -> Parsed {
    loop {
        reader.skip_space();
        query(reader)?;
        reader.skip_space();
        if !reader.eat(b',') {
            return Ok(());
        }
    }
}

fn query(reader: &mut Reader<'_>) -> Parsed {
    if reader.at_byte(b'(') {
        in_parentheses(reader)?;
        reader.skip_space();
        for word in ["and", "or"] {
            if reader.eat_word(word) {
                reader.expect_space()?;
                return sequence(reader, word);
            }
        }
        return Ok(());
    }
    let first = identifier(reader)?;
    if first.is_some_and(|first| first.eq_ignore_ascii_case("not")) {
        reader.expect_space()?;
        if !reader.at_interpolated() {
            return condition(reader);
        }
    }
    reader.skip_space();
    if !reader.at_interpolated() {
        return Ok(());
    }
    let second = identifier(reader)?;
    if second.is_some_and(|second| second.eq_ignore_ascii_case("and")) {
        reader.expect_space()?;
    } else {
        reader.skip_space();
        if !reader.eat_word("and") {
            return Ok(());
        }
        reader.expect_space()?;
    }
    if reader.eat_word("not") {
        reader.expect_space()?;
        return condition(reader);
    }
    sequence(reader, "and")
}

fn sequence(reader: &mut Reader<'_>, operator: &str) -> Parsed {
    loop {
        condition(reader)?;
        reader.skip_space();
        if !reader.eat_word(operator) {
            return Ok(());
        }
        reader.expect_space()?;
    }
}

fn condition(reader: &mut Reader<'_>) -> Parsed {
    if reader.at_interpolation() { interpolation(reader) } else { in_parentheses(reader) }
}

fn in_parentheses(reader: &mut Reader<'_>) -> Parsed {
    if !reader.at_byte(b'(') {
        return reader.error("expected a media condition in brackets");
    }
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    inner.parse_nested(|inner| {
        inner.skip_space();
        if inner.at_byte(b'(') {
            in_parentheses(inner)?;
            inner.skip_space();
            for word in ["and", "or"] {
                if inner.eat_word(word) {
                    inner.expect_space()?;
                    sequence(inner, word)?;
                    break;
                }
            }
        } else if inner.eat_word("not") {
            inner.expect_space()?;
            condition(inner)?;
        } else {
            feature(inner)?;
        }
        inner.expect_end()
    })
}

/// Parses a media feature: `width: 10px`, `width > 10px` or `1px < width < 2px`.
fn feature(reader: &mut Reader<'_>) -> Parsed {
    until(reader, Terminator::Comparison, false)?;
    reader.skip_space();
    if reader.eat(b':') {
        reader.skip_space();
        return expression(reader);
    }
    let Some(sign) = reader.peek().filter(|byte| matches!(byte, b'<' | b'>' | b'=')) else { return Ok(()) };
    reader.at += 1;
    if sign != b'=' {
        reader.eat(b'=');
    }
    reader.skip_space();
    until(reader, Terminator::Comparison, false)?;
    reader.skip_space();
    if sign != b'=' && reader.eat(sign) {
        reader.eat(b'=');
        reader.skip_space();
        until(reader, Terminator::Comparison, false)?;
    }
    Ok(())
}

// --- @supports ---

/// Parses the condition of `@supports`.
pub(super) fn supports(reader: &mut Reader<'_>) -> Parsed {
    reader.parse_nested(|reader| {
        reader.skip_space();
        if reader.eat_word("not") {
            reader.skip_space();
            return supports_group(reader);
        }
        supports_group(reader)?;
        let mut operator: Option<&'static str> = None;
        loop {
            reader.skip_space();
            if !reader.at_ident() {
                return Ok(());
            }
            match operator {
                Some(operator) => reader.expect_word(operator)?,
                None if reader.eat_word("or") => operator = Some("or"),
                None => {
                    reader.expect_word("and")?;
                    operator = Some("and");
                }
            }
            reader.skip_space();
            supports_group(reader)?;
        }
    })
}

fn supports_group(reader: &mut Reader<'_>) -> Parsed {
    let start = reader.at;
    if reader.at_interpolated() {
        let interpolated = reader.at_interpolation();
        let name = identifier(reader)?;
        if name.is_some_and(|name| name.eq_ignore_ascii_case("not")) {
            return reader.error_at(start, "`not` cannot be used as a name here");
        }
        if reader.at_byte(b'(') {
            let Some(mut inner) = reader.enter_group() else { return Ok(()) };
            return interpolations(&mut inner);
        }
        let alone = interpolated && single_interpolation(&reader.text[start..reader.at]);
        return if alone { Ok(()) } else { reader.error_at(start, "expected an `@supports` condition") };
    }
    if !reader.at_byte(b'(') {
        return reader.error("expected `(`");
    }
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    inner.skip_space();
    if inner.eat_word("not") {
        inner.skip_space();
        supports_group(inner)?;
        return inner.expect_end();
    }
    if inner.at_byte(b'(') {
        supports(inner)?;
        return inner.expect_end();
    }
    supports_declaration(inner)
}

/// Returns whether the text is a single `#{…}`.
fn single_interpolation(text: &str) -> bool {
    let mut reader = Reader::new(text, crate::chars::Dialect::Scss, 0..text.len());
    reader.skip_token();
    reader.at_end()
}

/// Parses `name: value`, or other content of brackets that starts with a name.
fn supports_declaration(reader: &mut Reader<'_>) -> Parsed {
    let start = reader.at;
    if expression(reader).is_ok() {
        reader.skip_space();
        if reader.eat(b':') {
            let custom = reader.text[start..].starts_with("--");
            reader.skip_space();
            if custom {
                if reader.at_end() {
                    return reader.error("expected a value");
                }
                return interpolations(reader);
            }
            expression(reader)?;
            return reader.expect_end();
        }
    }
    reader.at = start;
    let interpolated = reader.at_interpolation();
    identifier(reader)?;
    reader.skip_space();
    if interpolated {
        for word in ["and", "or"] {
            if reader.eat_word(word) {
                reader.at = start;
                return supports_operation(reader);
            }
        }
    }
    if reader.at_byte(b':') {
        return reader.error("unexpected `:`");
    }
    interpolations(reader)
}

/// Parses a condition that starts with an interpolation: `#{a} and (b: c)`.
fn supports_operation(reader: &mut Reader<'_>) -> Parsed {
    supports(reader)?;
    reader.expect_end()
}

// --- @import ---

/// Parses the URLs of an `@import`, each with its modifiers.
pub(super) fn imports(reader: &mut Reader<'_>) -> Parsed {
    loop {
        reader.skip_space();
        if matches!(reader.peek(), Some(b'u' | b'U')) {
            address_call(reader)?;
        } else {
            string(reader)?;
        }
        reader.skip_space();
        modifiers(reader)?;
        reader.skip_space();
        if !reader.eat(b',') {
            return reader.expect_end();
        }
    }
}

/// Parses `url(…)`.
fn address_call(reader: &mut Reader<'_>) -> Parsed {
    let start = reader.at;
    let name = reader.expect_ident()?;
    if !name.eq_ignore_ascii_case("url") || !reader.at_byte(b'(') {
        return reader.error_at(start, "expected a string or `url(…)`");
    }
    match reader.url_end() {
        Some(end) => {
            reader.at = end;
            Ok(())
        }
        None => super::call::arguments(reader, super::call::ArgumentRules { mixin: false, empty_second: false }),
    }
}

/// Parses the modifiers after a URL: `layer(x) supports(a: b) screen and (c)`.
fn modifiers(reader: &mut Reader<'_>) -> Parsed {
    loop {
        if reader.at_byte(b'(') {
            return media(reader);
        }
        if !reader.at_interpolated() {
            return Ok(());
        }
        let name = identifier(reader)?;
        let is = |word: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(word));
        if !is("and") && reader.at_byte(b'(') {
            let Some(mut inner) = reader.enter_group() else { return Ok(()) };
            if is("supports") {
                import_supports(&mut inner)?;
            } else {
                interpolations(&mut inner)?;
            }
            reader.skip_space();
            continue;
        }
        reader.skip_space();
        if reader.at_byte(b',') {
            let comma = reader.at;
            reader.at += 1;
            reader.skip_space();
            if matches!(reader.peek(), Some(b'"' | b'\'')) {
                return reader.error("expected an identifier");
            }
            if reader.at_interpolated() || reader.at_byte(b'(') {
                return media(reader);
            }
            reader.at = comma;
            return Ok(());
        }
    }
}

fn import_supports(reader: &mut Reader<'_>) -> Parsed {
    reader.skip_space();
    if reader.eat_word("not") {
        reader.skip_space();
        supports_group(reader)?;
        return reader.expect_end();
    }
    if reader.at_byte(b'(') {
        supports(reader)?;
        return reader.expect_end();
    }
    let start = reader.at;
    if reader.at_interpolated() && identifier(reader).is_ok() && reader.at_byte(b'(') {
        reader.at = start;
        supports(reader)?;
        return reader.expect_end();
    }
    reader.at = start;
    supports_declaration(reader)
}
