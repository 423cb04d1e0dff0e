//! Parser for `@use` and `@forward`.

use super::value::starts_operand;
use super::value::{parse_to_comma, string, variable};
use crate::check::reader::{Parsed, Reader};

/// Parses the prelude of `@use`: `"url" as name with ($a: b)`.
pub(super) fn use_rule(reader: &mut Reader<'_>) -> Parsed {
    parse_url(reader)?;
    if reader.eat_word("as") {
        reader.skip_space();
        if !reader.eat(b'*') {
            reader.expect_ident()?;
        }
        reader.skip_space();
    }
    if reader.eat_word("with") {
        configuration(reader, false)?;
    }
    reader.expect_end()
}

/// Parses the prelude of `@forward`: `"url" as prefix-* show a, $b with ($c: d !default)`.
pub(super) fn forward_rule(reader: &mut Reader<'_>) -> Parsed {
    parse_url(reader)?;
    if reader.eat_word("as") {
        reader.skip_space();
        reader.expect_ident()?;
        reader.expect(b'*')?;
        reader.skip_space();
    }
    if reader.eat_word("show") || reader.eat_word("hide") {
        loop {
            reader.skip_space();
            if reader.at_byte(b'$') {
                variable(reader)?
            } else {
                reader.expect_ident().map(|_| ())?
            }
            reader.skip_space();
            if !reader.eat(b',') {
                break;
            }
        }
    }
    if reader.eat_word("with") {
        configuration(reader, true)?;
    }
    reader.expect_end()
}

fn parse_url(reader: &mut Reader<'_>) -> Parsed {
    reader.skip_space();
    string(reader)?;
    reader.skip_space();
    Ok(())
}

/// Parses `($a: b, $c: d)`. If `guarded`, as in `@forward`, values can have the flag `!default`.
fn configuration(reader: &mut Reader<'_>, guarded: bool) -> Parsed {
    reader.skip_space();
    if !reader.at_byte(b'(') {
        return reader.error("expected `(`");
    }
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    loop {
        inner.skip_space();
        variable(inner)?;
        inner.skip_space();
        inner.expect(b':')?;
        inner.skip_space();
        parse_to_comma(inner)?;
        inner.skip_space();
        if guarded && inner.eat(b'!') {
            inner.skip_space();
            inner.expect_word("default")?;
            inner.skip_space();
        }
        if !inner.eat(b',') {
            break;
        }
        inner.skip_space();
        if !starts_operand(inner) {
            break;
        }
    }
    inner.expect_end()
}
