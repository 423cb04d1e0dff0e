//! `@use` and `@forward`.

use super::value::starts_single;
use super::value::{string, to_comma, variable};
use crate::check::reader::{Check, Reader};

/// `"url" as name with ($a: b)`
pub(super) fn use_rule(reader: &mut Reader<'_>) -> Check {
    address(reader)?;
    if reader.eat_word("as") {
        reader.space();
        if !reader.eat(b'*') {
            reader.ident()?;
        }
        reader.space();
    }
    if reader.eat_word("with") {
        configuration(reader, false)?;
    }
    reader.finish()
}

/// `"url" as prefix-* show a, $b with ($c: d !default)`
pub(super) fn forward_rule(reader: &mut Reader<'_>) -> Check {
    address(reader)?;
    if reader.eat_word("as") {
        reader.space();
        reader.ident()?;
        reader.expect(b'*')?;
        reader.space();
    }
    if reader.eat_word("show") || reader.eat_word("hide") {
        loop {
            reader.space();
            if reader.is(b'$') {
                variable(reader)?
            } else {
                reader.ident().map(|_| ())?
            }
            reader.space();
            if !reader.eat(b',') {
                break;
            }
        }
    }
    if reader.eat_word("with") {
        configuration(reader, true)?;
    }
    reader.finish()
}

fn address(reader: &mut Reader<'_>) -> Check {
    reader.space();
    string(reader)?;
    reader.space();
    Ok(())
}

/// Parses `($a: b, $c: d)`; in `@forward`, values can have `!default`.
fn configuration(reader: &mut Reader<'_>, guarded: bool) -> Check {
    reader.space();
    if !reader.is(b'(') {
        return reader.wrong("expected `(`");
    }
    let Some(mut inner) = reader.group() else { return Ok(()) };
    let inner = &mut inner;
    loop {
        inner.space();
        variable(inner)?;
        inner.space();
        inner.expect(b':')?;
        inner.space();
        to_comma(inner)?;
        inner.space();
        if guarded && inner.eat(b'!') {
            inner.space();
            inner.expect_word("default")?;
            inner.space();
        }
        if !inner.eat(b',') {
            break;
        }
        inner.space();
        if !starts_single(inner) {
            break;
        }
    }
    inner.finish()
}
