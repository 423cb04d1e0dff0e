//! Parser for names and calls in SassScript (the expressions of Sass): functions, arguments, parameters, `if()`, and
//! CSS functions that Sass does not evaluate.

use super::value::{
    Terminator, expression, identifier, interpolation, parse_to_comma, starts_operand, string, until, variable,
};
use crate::{
    check::reader::{Parsed, Reader},
    scanner::TokenKind,
};

/// Parses a word, a call, or a member of a module.
pub(super) fn parse_word_or_call(reader: &mut Reader<'_>) -> Parsed {
    let name = identifier(reader)?;
    if let Some(name) = name {
        if name.eq_ignore_ascii_case("not") {
            reader.skip_space();
            return if starts_operand(reader) { operand(reader) } else { reader.error("expected an expression") };
        }
        if name.eq_ignore_ascii_case("if") && reader.at_byte(b'(') {
            return if_call(reader);
        }
        if matches!(reader.peek(), Some(b'(' | b':')) && parse_css_function(reader, &name.to_ascii_lowercase())? {
            return Ok(());
        }
    }
    match reader.peek() {
        Some(b'.') if reader.peek_at(1) != Some(b'.') => match name {
            Some(_) => member(reader),
            None => reader.error("a namespace cannot be interpolated"),
        },
        Some(b'(') => {
            let empty_second = name.is_some_and(|name| name.eq_ignore_ascii_case("var"));
            arguments(reader, ArgumentRules { mixin: false, empty_second })
        }
        _ => Ok(()),
    }
}

/// Parses one operand after a word such as `not`.
fn operand(reader: &mut Reader<'_>) -> Parsed {
    // Parse only one operand. The caller parses what follows it.
    reader.parse_nested(|reader| super::value::operand(reader))
}

/// Parses `.name(…)` or `.$name` after a namespace.
fn member(reader: &mut Reader<'_>) -> Parsed {
    reader.at += 1;
    if reader.at_byte(b'$') {
        return variable(reader);
    }
    reader.expect_ident()?;
    if !reader.at_byte(b'(') {
        return reader.error("expected `(`");
    }
    arguments(reader, ArgumentRules { mixin: false, empty_second: false })
}

/// Parses a call of a CSS function whose arguments Sass does not evaluate. Returns `false`, without parsing the call,
/// if this is another function.
fn parse_css_function(reader: &mut Reader<'_>, name: &str) -> Parsed<bool> {
    let own = match name.strip_prefix('-').and_then(|rest| rest.split_once('-')) {
        Some((vendor, own)) if !vendor.is_empty() => own,
        _ => name,
    };
    if own == "progid" && reader.at_byte(b':') {
        reader.at += 1;
        while reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'.') {
            reader.at += 1;
        }
        if !reader.at_byte(b'(') {
            return reader.error("expected `(`");
        }
        skip_group(reader)?;
        return Ok(true);
    }
    if !reader.at_byte(b'(') {
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
        skip_group(reader)?;
    }
    Ok(raw)
}

/// Skips brackets. Only the interpolations in them are checked.
fn skip_group(reader: &mut Reader<'_>) -> Parsed {
    match reader.enter_group() {
        Some(mut inner) => interpolations(&mut inner),
        None => Ok(()),
    }
}

/// Checks the interpolations in a text up to its end. The rest of the text is not checked.
pub(super) fn interpolations(reader: &mut Reader<'_>) -> Parsed {
    while !reader.at_end() {
        let at = reader.at;
        match reader.peek() {
            Some(b'"' | b'\'') => string(reader)?,
            Some(b'#') if reader.at_interpolation() => interpolation(reader)?,
            Some(b'(' | b'[' | b'{') => reader.at += 1,
            _ => {
                reader.skip_token();
            }
        }
        if reader.at == at {
            break;
        }
    }
    Ok(())
}

/// Variants of the syntax of arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArgumentRules {
    pub(super) mixin: bool,
    /// Allows that the second argument is empty, as in `var(--x,)`.
    pub(super) empty_second: bool,
}

/// Parses the arguments of a call: `(a, $b: c, $list...)`.
pub(super) fn arguments(reader: &mut Reader<'_>, rules: ArgumentRules) -> Parsed {
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    inner.skip_space();
    let (mut count, mut named, mut rests) = (0, false, 0);
    while starts_operand(inner) {
        let start = inner.at;
        let is_variable = inner.at_byte(b'$');
        until(inner, Terminator::Comma, !rules.mixin)?;
        inner.skip_space();
        if is_variable && inner.at_byte(b':') && is_one_variable(inner, start) {
            inner.at += 1;
            inner.skip_space();
            until(inner, Terminator::Comma, !rules.mixin)?;
            named = true;
        } else if inner.starts_with("...") {
            inner.at += 3;
            rests += 1;
        } else if named {
            return inner.error_at(start, "positional arguments must come before named ones");
        } else {
            count += 1;
        }
        inner.skip_space();
        if rests == 2 {
            inner.eat(b',');
            inner.skip_space();
            break;
        }
        if !inner.eat(b',') {
            break;
        }
        inner.skip_space();
        if rules.empty_second && count == 1 && inner.at_end() {
            break;
        }
    }
    inner.expect_end()
}

fn is_one_variable(reader: &Reader<'_>, start: usize) -> bool {
    let mut own = Reader::new(reader.text, reader.dialect, start..reader.at);
    variable(&mut own).is_ok() && own.expect_end().is_ok()
}

/// Parses the parameters of a function or mixin: `($a, $b: 1, $rest...)`.
pub(super) fn parameters(reader: &mut Reader<'_>) -> Parsed {
    if !reader.at_byte(b'(') {
        return reader.error("expected `(`");
    }
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    inner.skip_space();
    while inner.at_byte(b'$') {
        variable(inner)?;
        inner.skip_space();
        if inner.eat(b':') {
            inner.skip_space();
            parse_to_comma(inner)?;
        } else if inner.starts_with("...") {
            inner.at += 3;
            inner.skip_space();
            inner.eat(b',');
            break;
        }
        inner.skip_space();
        if !inner.eat(b',') {
            break;
        }
        inner.skip_space();
    }
    inner.expect_end()
}

// --- if() ---

/// Parses `if(condition, a, b)` of Sass or `if(condition: a; else: b)` of CSS.
fn if_call(reader: &mut Reader<'_>) -> Parsed {
    let start = reader.at;
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    if has_sass_arguments(&mut inner) {
        reader.at = start;
        return arguments(reader, ArgumentRules { mixin: false, empty_second: false });
    }
    let inner = &mut inner;
    inner.skip_space();
    loop {
        if !inner.eat_word("else") {
            condition(inner)?;
        }
        inner.skip_space();
        inner.expect(b':')?;
        inner.skip_space();
        if !inner.at_byte(b';') && !inner.at_end() {
            expression(inner)?;
        }
        inner.skip_space();
        if !inner.eat(b';') {
            return inner.expect_end();
        }
        inner.skip_space();
        if inner.at_end() {
            return Ok(());
        }
    }
}

/// Returns whether the brackets contain the arguments of Sass's `if()`. This is the case if they contain no semicolon,
/// and no colon except after the name of an argument.
fn has_sass_arguments(inner: &mut Reader<'_>) -> bool {
    let start = inner.at;
    let (mut named, mut old) = (false, true);
    loop {
        let at = inner.at;
        match inner.skip_token() {
            TokenKind::End => break,
            TokenKind::Colon if !named => {
                old = false;
                break;
            }
            TokenKind::Semicolon => {
                old = false;
                break;
            }
            TokenKind::Other if inner.text.as_bytes()[at] == b'$' => named = true,
            TokenKind::Word | TokenKind::Space | TokenKind::Comment => {}
            _ => named = false,
        }
    }
    inner.at = start;
    old
}

/// Parses groups that are separated by `and` or `or`. No operator is needed next to a group such as `var(--x)`, because
/// CSS can substitute an operator for it.
fn condition(reader: &mut Reader<'_>) -> Parsed {
    reader.parse_nested(|reader| {
        if reader.eat_word("not") {
            reader.skip_space();
            return group(reader).map(|_| ());
        }
        let mut operator = "";
        loop {
            let substituted = group(reader)?;
            reader.skip_space();
            let start = reader.at;
            let word = ["and", "or"].into_iter().find(|word| reader.eat_word(word));
            if let Some(word) = word {
                if !operator.is_empty() && operator != word {
                    reader.at = start;
                    return Ok(());
                }
                operator = word;
                reader.skip_space();
            } else if !(reader.at_byte(b'(') || reader.at_interpolated()) || !(substituted || at_substitution(reader)) {
                return Ok(());
            }
        }
    })
}

/// Returns whether an interpolation, or a function for which CSS substitutes other text, starts at the current
/// position.
fn at_substitution(reader: &Reader<'_>) -> bool {
    let rest = &reader.text.as_bytes()[reader.at..reader.end];
    let calls = |name: &[u8]| rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name);
    reader.at_interpolation() || [&b"var("[..], b"attr(", b"if("].into_iter().any(calls)
}

/// Parses `(condition)`, `name(…)` or an interpolation. Returns whether other text is substituted for it later.
fn group(reader: &mut Reader<'_>) -> Parsed<bool> {
    let substituted = at_substitution(reader);
    if reader.at_byte(b'(') {
        let Some(mut inner) = reader.enter_group() else { return Ok(false) };
        inner.skip_space();
        condition(&mut inner)?;
        inner.expect_end()?;
        return Ok(false);
    }
    let name = identifier(reader)?;
    if !reader.at_byte(b'(') {
        return if substituted && name.is_none() { Ok(true) } else { reader.error("expected `(`") };
    }
    let is = |word: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(word));
    if is("sass") {
        let Some(mut inner) = reader.enter_group() else { return Ok(false) };
        expression(&mut inner)?;
        inner.expect_end()?;
    } else if ["not", "and", "or", "else"].into_iter().any(is) {
        return reader.error("expected white space before `(`");
    } else {
        skip_group(reader)?;
    }
    Ok(substituted)
}
