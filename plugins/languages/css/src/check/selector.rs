//! Grammar of selectors in CSS, with the extensions of Sass and LESS.

use super::reader::{Parsed, Reader};
use crate::chars::{Dialect, is_name_start};

/// Forms of selectors that are allowed only in some contexts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectorRules {
    /// Allows a selector to start with a combinator, as in `> a`.
    pub(crate) relative: bool,
    /// Allows percentages such as `50%`, which are the selectors of keyframes.
    pub(crate) percentages: bool,
}

/// Pseudo-classes that take a selector list.
const LIST_PSEUDOS: &[&str] = &["is", "not", "where", "has", "matches", "any", "current"];
/// Pseudo-classes that take one selector, which may be missing.
const SINGLE_SELECTOR_PSEUDOS: &[&str] = &["host", "host-context", "slotted"];

/// Parses a list of selectors up to the end.
pub(crate) fn list(reader: &mut Reader<'_>, rules: SelectorRules) -> Parsed {
    reader.parse_nested(|reader| {
        complex(reader, rules)?;
        while reader.eat(b',') {
            reader.skip_space();
            // Sass ignores trailing and repeated commas.
            let blank = reader.at_byte(b',') || reader.at_end();
            if !(blank && reader.dialect == Dialect::Scss) {
                complex(reader, rules)?;
            }
        }
        reader.expect_end()
    })
}

/// Parses compound selectors with combinators between them, up to a comma.
fn complex(reader: &mut Reader<'_>, rules: SelectorRules) -> Parsed {
    let loose = reader.dialect != Dialect::Css;
    let (mut compounds, mut combinators) = (0, 0);
    loop {
        reader.skip_space();
        match reader.peek() {
            None | Some(b',') => break,
            Some(b'>' | b'+' | b'~') => {
                if compounds == 0 && combinators == 0 && !rules.relative && !loose {
                    return reader.error("expected a selector before this combinator");
                }
                let piercing = reader.starts_with(">>>");
                reader.at += if piercing { 3 } else { 1 };
                combinators += 1;
            }
            Some(b'|') if reader.peek_at(1) == Some(b'|') => {
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
            return reader.error("expected a selector between two combinators");
        }
    }
    match (compounds, combinators) {
        (0, 0) => reader.error("expected a selector"),
        (_, 0) => Ok(()),
        _ if loose => Ok(()),
        _ => reader.error("expected a selector after the combinator"),
    }
}

/// Parses a compound selector. Returns whether there was one.
fn compound(reader: &mut Reader<'_>, rules: SelectorRules) -> Parsed<bool> {
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
                reader.expect_ident()?;
            }
            Some(b'[') => attribute(reader)?,
            Some(b':') => pseudo(reader)?,
            Some(b'&') if first || reader.dialect != Dialect::Scss => {
                reader.at += 1;
                reader.skip_name();
            }
            Some(b'&') => return reader.error("`&` can only start a compound selector"),
            Some(b'0'..=b'9') if rules.percentages => percentage(reader)?,
            Some(b'|') if reader.peek_at(1) == Some(b'|') => return Ok(!first),
            Some(b'*' | b'|') => type_name(reader)?,
            // In Sass, an element name that directly follows another simple selector starts a new compound selector.
            Some(_) if reader.at_ident() && !first && reader.dialect == Dialect::Scss => return Ok(true),
            Some(_) if reader.at_ident() && !first => {
                return reader.error("expected white space before an element name");
            }
            Some(_) if reader.at_ident() => type_name(reader)?,
            _ => return Ok(!first),
        }
    }
}

/// Parses the name of a class or an id. In LESS, the name can start with a digit.
fn sigil_name(reader: &mut Reader<'_>) -> Parsed {
    let from = reader.at;
    if reader.dialect == Dialect::Less {
        reader.skip_name();
        if reader.at > from {
            return Ok(());
        }
    }
    reader.expect_ident().map(|_| ())
}

/// Parses the combinator `/deep/`. In LESS, any word can be between the slashes.
fn slashed(reader: &mut Reader<'_>) -> bool {
    let from = reader.at;
    reader.at += 1;
    let name = reader.expect_ident().unwrap_or_default();
    let any = reader.dialect == Dialect::Less && !name.is_empty();
    let known = (any || name.eq_ignore_ascii_case("deep")) && reader.eat(b'/');
    if !known {
        reader.at = from;
    }
    known
}

fn percentage(reader: &mut Reader<'_>) -> Parsed {
    reader.skip_digits();
    if reader.eat(b'.') {
        reader.skip_digits();
    }
    if matches!(reader.peek(), Some(b'e' | b'E')) {
        reader.at += 1;
        let _ = reader.eat(b'-') || reader.eat(b'+');
        reader.skip_digits();
    }
    reader.expect(b'%')
}

/// Parses a type selector: `a`, `*`, `ns|a`, `*|*` or `|a`.
fn type_name(reader: &mut Reader<'_>) -> Parsed {
    let name = |reader: &mut Reader<'_>| if reader.eat(b'*') { Ok(()) } else { reader.expect_ident().map(|_| ()) };
    if !reader.at_byte(b'|') {
        name(reader)?;
    }
    if reader.at_byte(b'|') && reader.peek_at(1) != Some(b'|') {
        reader.at += 1;
        name(reader)?;
    }
    Ok(())
}

/// Parses an attribute selector: `[ns|name="value" i]`.
fn attribute(reader: &mut Reader<'_>) -> Parsed {
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    inner.skip_space();
    if inner.eat(b'*') || (inner.at_byte(b'|') && inner.peek_at(1) != Some(b'=')) {
        inner.expect(b'|')?;
        inner.expect_ident()?;
    } else {
        inner.expect_ident()?;
        if inner.at_byte(b'|') && inner.peek_at(1) != Some(b'=') {
            inner.at += 1;
            inner.expect_ident()?;
        }
    }
    inner.skip_space();
    if inner.at_end() {
        return Ok(());
    }
    if matches!(inner.peek(), Some(b'~' | b'|' | b'^' | b'$' | b'*')) {
        inner.at += 1;
    } else if inner.dialect == Dialect::Css && flag(inner) {
        return inner.expect_end();
    }
    if !inner.eat(b'=') {
        return inner.error("expected `]` or one of `=`, `~=`, `|=`, `^=`, `$=`, `*=`");
    }
    inner.skip_space();
    match inner.peek() {
        Some(b'"' | b'\'') => inner.expect_string()?,
        _ => {
            inner.expect_ident()?;
        }
    }
    inner.skip_space();
    flag(inner);
    inner.expect_end()
}

/// Parses a flag of an attribute selector. It is a single letter, as in `[a="b" i]`.
fn flag(reader: &mut Reader<'_>) -> bool {
    let letter = reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic());
    let alone = reader.peek_at(1).is_none_or(|byte| byte.is_ascii_whitespace());
    reader.at += usize::from(letter && alone);
    letter && alone
}

/// Parses `:name` or `::name`, with or without arguments.
fn pseudo(reader: &mut Reader<'_>) -> Parsed {
    reader.at += 1;
    let element = reader.eat(b':');
    let name = reader.expect_ident()?;
    if !reader.at_byte(b'(') {
        return Ok(());
    }
    let Some(mut inner) = reader.enter_group() else { return Ok(()) };
    let inner = &mut inner;
    let lower = name.to_ascii_lowercase();
    let own = without_vendor_prefix(&lower);
    inner.skip_space();
    let empty = inner.at_end();
    let relative = SelectorRules { relative: true, percentages: false };
    match own {
        "is" | "where" if empty && inner.dialect == Dialect::Css => Ok(()),
        _ if LIST_PSEUDOS.contains(&own) && !element => list(inner, relative),
        "slotted" if element => single(inner, relative),
        _ if SINGLE_SELECTOR_PSEUDOS.contains(&own) && !element && !empty => single(inner, relative),
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

/// Returns a name without its vendor prefix.
fn without_vendor_prefix(name: &str) -> &str {
    match name.strip_prefix('-').and_then(|rest| rest.split_once('-')) {
        Some((vendor, own)) if !vendor.is_empty() => own,
        _ => name,
    }
}

fn single(reader: &mut Reader<'_>, rules: SelectorRules) -> Parsed {
    if reader.dialect == Dialect::Scss {
        return list(reader, rules);
    }
    reader.parse_nested(|reader| {
        complex(reader, rules)?;
        reader.expect_end()
    })
}

fn languages(reader: &mut Reader<'_>) -> Parsed {
    loop {
        reader.skip_space();
        match reader.peek() {
            Some(b'"' | b'\'') => reader.expect_string()?,
            Some(b'*') => {
                reader.at += 1;
                reader.skip_name();
            }
            _ => {
                reader.expect_ident()?;
            }
        }
        reader.skip_space();
        if !reader.eat(b',') {
            return reader.expect_end();
        }
    }
}

/// Parses the argument of `:nth-child()` or a similar pseudo-class: `2n + 1 of .a`.
fn nth(reader: &mut Reader<'_>, name: &str) -> Parsed {
    if !reader.eat_word("even") && !reader.eat_word("odd") {
        formula(reader)?;
    }
    let spaced = reader.skip_space();
    let takes_list = matches!(name, "nth-child" | "nth-last-child");
    if takes_list && spaced && reader.eat_word("of") {
        return list(reader, SelectorRules { relative: false, percentages: false });
    }
    reader.expect_end()
}

/// Parses `An+B`, the argument of `:nth-child()`.
fn formula(reader: &mut Reader<'_>) -> Parsed {
    let _ = reader.eat(b'+') || reader.eat(b'-');
    let steps = reader.skip_digits();
    if !matches!(reader.peek(), Some(b'n' | b'N')) {
        return if steps { Ok(()) } else { reader.error("expected a formula such as `2n + 1`") };
    }
    reader.at += 1;
    if reader.at_byte(b'-') && matches!(reader.peek_at(1), Some(b'0'..=b'9')) {
        reader.at += 1;
        reader.skip_digits();
        return Ok(());
    }
    if reader.peek().is_some_and(is_name_start) {
        return reader.error("expected a formula such as `2n + 1`");
    }
    let before = reader.at;
    reader.skip_space();
    if !(reader.eat(b'+') || reader.eat(b'-')) {
        reader.at = before;
        return Ok(());
    }
    reader.skip_space();
    if reader.skip_digits() { Ok(()) } else { reader.error("expected a whole number") }
}
