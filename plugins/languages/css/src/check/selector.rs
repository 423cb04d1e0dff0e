//! Grammar of selectors in CSS, with the extensions of Sass and LESS.

use super::reader::{Check, Reader};
use crate::chars::{Dialect, is_name_start};

/// Selector forms that are allowed in the current context.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Allows a leading combinator (`> a`).
    pub(crate) relative: bool,
    /// Allows keyframe percentages: `50%`.
    pub(crate) percentages: bool,
}

/// Pseudo-classes that take a selector list.
const LISTS: &[&str] = &["is", "not", "where", "has", "matches", "any", "current"];
/// Pseudo-classes with one optional selector as their argument.
const SINGLES: &[&str] = &["host", "host-context", "slotted"];

/// Parses a list of selectors up to the end.
pub(crate) fn list(reader: &mut Reader<'_>, rules: Rules) -> Check {
    reader.deeper(|reader| {
        complex(reader, rules)?;
        while reader.eat(b',') {
            reader.space();
            // Sass ignores trailing and repeated commas.
            let blank = reader.is(b',') || reader.at_end();
            if !(blank && reader.dialect == Dialect::Scss) {
                complex(reader, rules)?;
            }
        }
        reader.finish()
    })
}

/// Parses compound selectors with combinators between them, up to a comma.
fn complex(reader: &mut Reader<'_>, rules: Rules) -> Check {
    let loose = reader.dialect != Dialect::Css;
    let (mut compounds, mut combinators) = (0, 0);
    loop {
        reader.space();
        match reader.peek() {
            None | Some(b',') => break,
            Some(b'>' | b'+' | b'~') => {
                if compounds == 0 && combinators == 0 && !rules.relative && !loose {
                    return reader.wrong("expected a selector before this combinator");
                }
                let piercing = reader.starts(">>>");
                reader.at += if piercing { 3 } else { 1 };
                combinators += 1;
            }
            Some(b'|') if reader.ahead(1) == Some(b'|') => {
                reader.at += 2;
                combinators += 1;
            }
            Some(b'/') if reader.dialect != Dialect::Scss && slashed(reader) => combinators += 1,
            Some(_) => {
                if !compound(reader, rules)? {
                    break;
                }
                compounds += 1;
                combinators = 0;
            }
        }
        if combinators > 1 && !loose && compounds > 0 {
            return reader.wrong("expected a selector between two combinators");
        }
    }
    match (compounds, combinators) {
        (0, 0) => reader.wrong("expected a selector"),
        (_, 0) => Ok(()),
        _ if loose => Ok(()),
        _ => reader.wrong("expected a selector after the combinator"),
    }
}

/// Parses a compound selector; returns whether there was one.
fn compound(reader: &mut Reader<'_>, rules: Rules) -> Check<bool> {
    let start = reader.at;
    loop {
        let first = reader.at == start;
        match reader.peek() {
            Some(b'.' | b'#') => {
                reader.at += 1;
                sigil_name(reader)?;
            }
            Some(b'%') if reader.dialect == Dialect::Scss => {
                reader.at += 1;
                reader.ident()?;
            }
            Some(b'[') => attribute(reader)?,
            Some(b':') => pseudo(reader)?,
            Some(b'&') if first || reader.dialect != Dialect::Scss => {
                reader.at += 1;
                reader.name_rest();
            }
            Some(b'&') => return reader.wrong("`&` can only start a compound selector"),
            Some(b'0'..=b'9') if rules.percentages => percentage(reader)?,
            Some(b'|') if reader.ahead(1) == Some(b'|') => return Ok(!first),
            Some(b'*' | b'|') => type_name(reader)?,
            // In Sass, a name after another simple selector starts a descendant.
            Some(_) if reader.at_ident() && !first && reader.dialect == Dialect::Scss => return Ok(true),
            Some(_) if reader.at_ident() && !first => {
                return reader.wrong("expected white space before an element name");
            }
            Some(_) if reader.at_ident() => type_name(reader)?,
            _ => return Ok(!first),
        }
    }
}

/// Parses the name of a class or an id; in LESS, it can start with a digit.
fn sigil_name(reader: &mut Reader<'_>) -> Check {
    let from = reader.at;
    if reader.dialect == Dialect::Less {
        reader.name_rest();
        if reader.at > from {
            return Ok(());
        }
    }
    reader.ident().map(|_| ())
}

/// Parses `/deep/`, or any word between slashes in LESS.
fn slashed(reader: &mut Reader<'_>) -> bool {
    let from = reader.at;
    reader.at += 1;
    let name = reader.ident().unwrap_or_default();
    let any = reader.dialect == Dialect::Less && !name.is_empty();
    let known = (any || name.eq_ignore_ascii_case("deep")) && reader.eat(b'/');
    if !known {
        reader.at = from;
    }
    known
}

fn percentage(reader: &mut Reader<'_>) -> Check {
    reader.digits();
    if reader.eat(b'.') {
        reader.digits();
    }
    if matches!(reader.peek(), Some(b'e' | b'E')) {
        reader.at += 1;
        let _ = reader.eat(b'-') || reader.eat(b'+');
        reader.digits();
    }
    reader.expect(b'%')
}

/// `a`, `*`, `ns|a`, `*|*`, `|a`
fn type_name(reader: &mut Reader<'_>) -> Check {
    let name = |reader: &mut Reader<'_>| if reader.eat(b'*') { Ok(()) } else { reader.ident().map(|_| ()) };
    if !reader.is(b'|') {
        name(reader)?;
    }
    if reader.is(b'|') && reader.ahead(1) != Some(b'|') {
        reader.at += 1;
        name(reader)?;
    }
    Ok(())
}

/// `[ns|name="value" i]`
fn attribute(reader: &mut Reader<'_>) -> Check {
    let Some(mut inner) = reader.group() else { return Ok(()) };
    let inner = &mut inner;
    inner.space();
    if inner.eat(b'*') || (inner.is(b'|') && inner.ahead(1) != Some(b'=')) {
        inner.expect(b'|')?;
        inner.ident()?;
    } else {
        inner.ident()?;
        if inner.is(b'|') && inner.ahead(1) != Some(b'=') {
            inner.at += 1;
            inner.ident()?;
        }
    }
    inner.space();
    if inner.at_end() {
        return Ok(());
    }
    if matches!(inner.peek(), Some(b'~' | b'|' | b'^' | b'$' | b'*')) {
        inner.at += 1;
    } else if inner.dialect == Dialect::Css && flag(inner) {
        return inner.finish();
    }
    if !inner.eat(b'=') {
        return inner.wrong("expected `]` or one of `=`, `~=`, `|=`, `^=`, `$=`, `*=`");
    }
    inner.space();
    match inner.peek() {
        Some(b'"' | b'\'') => inner.plain_string()?,
        _ => {
            inner.ident()?;
        }
    }
    inner.space();
    flag(inner);
    inner.finish()
}

/// Parses a flag, a single letter, as in `[a="b" i]`.
fn flag(reader: &mut Reader<'_>) -> bool {
    let letter = reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic());
    let alone = reader.ahead(1).is_none_or(|byte| byte.is_ascii_whitespace());
    reader.at += usize::from(letter && alone);
    letter && alone
}

/// Parses `:name` or `::name`, with or without arguments.
fn pseudo(reader: &mut Reader<'_>) -> Check {
    reader.at += 1;
    let element = reader.eat(b':');
    let name = reader.ident()?;
    if !reader.is(b'(') {
        return Ok(());
    }
    let Some(mut inner) = reader.group() else { return Ok(()) };
    let inner = &mut inner;
    let lower = name.to_ascii_lowercase();
    let own = unvendored(&lower);
    inner.space();
    let empty = inner.at_end();
    let relative = Rules { relative: true, percentages: false };
    match own {
        "is" | "where" if empty && inner.dialect == Dialect::Css => Ok(()),
        _ if LISTS.contains(&own) && !element => list(inner, relative),
        "slotted" if element => single(inner, relative),
        _ if SINGLES.contains(&own) && !element && !empty => single(inner, relative),
        _ if takes_formula(own, inner.dialect) && !element => nth(inner, own),
        "lang" if inner.dialect == Dialect::Css => languages(inner),
        _ => Ok(()),
    }
}

fn takes_formula(name: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Css => name.starts_with("nth-"),
        Dialect::Scss => matches!(name, "nth-child" | "nth-last-child"),
        Dialect::Less => false,
    }
}

/// The name without its vendor prefix.
fn unvendored(name: &str) -> &str {
    match name.strip_prefix('-').and_then(|rest| rest.split_once('-')) {
        Some((vendor, own)) if !vendor.is_empty() => own,
        _ => name,
    }
}

fn single(reader: &mut Reader<'_>, rules: Rules) -> Check {
    if reader.dialect == Dialect::Scss {
        return list(reader, rules);
    }
    reader.deeper(|reader| {
        complex(reader, rules)?;
        reader.finish()
    })
}

fn languages(reader: &mut Reader<'_>) -> Check {
    loop {
        reader.space();
        match reader.peek() {
            Some(b'"' | b'\'') => reader.plain_string()?,
            Some(b'*') => {
                reader.at += 1;
                reader.name_rest();
            }
            _ => {
                reader.ident()?;
            }
        }
        reader.space();
        if !reader.eat(b',') {
            return reader.finish();
        }
    }
}

/// `2n + 1 of .a`
fn nth(reader: &mut Reader<'_>, name: &str) -> Check {
    if !reader.eat_word("even") && !reader.eat_word("odd") {
        formula(reader)?;
    }
    let spaced = reader.space();
    let takes_list = matches!(name, "nth-child" | "nth-last-child");
    if takes_list && spaced && reader.eat_word("of") {
        return list(reader, Rules { relative: false, percentages: false });
    }
    reader.finish()
}

/// `An+B`
fn formula(reader: &mut Reader<'_>) -> Check {
    let _ = reader.eat(b'+') || reader.eat(b'-');
    let steps = reader.digits();
    if !matches!(reader.peek(), Some(b'n' | b'N')) {
        return if steps { Ok(()) } else { reader.wrong("expected a formula such as `2n + 1`") };
    }
    reader.at += 1;
    if reader.is(b'-') && matches!(reader.ahead(1), Some(b'0'..=b'9')) {
        reader.at += 1;
        reader.digits();
        return Ok(());
    }
    if reader.peek().is_some_and(is_name_start) {
        return reader.wrong("expected a formula such as `2n + 1`");
    }
    let before = reader.at;
    reader.space();
    if !(reader.eat(b'+') || reader.eat(b'-')) {
        reader.at = before;
        return Ok(());
    }
    reader.space();
    if reader.digits() { Ok(()) } else { reader.wrong("expected a whole number") }
}
