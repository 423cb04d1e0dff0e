//! Checks of selectors, names, values and preludes in CSS and LESS. Browsers ignore unknown syntax, so only what
//! is invalid in every version of CSS is reported.

use super::{
    Checker, less,
    reader::{Check, Reader, is_plain_ident},
};
use crate::{
    chars::{Dialect, is_name, is_name_start},
    scan::Part,
    tree::{Item, Kind, NONE},
};

/// At-rules that require a block.
const BLOCKS: &[&str] = &[
    "@media",
    "@supports",
    "@container",
    "@font-face",
    "@page",
    "@keyframes",
    "@-webkit-keyframes",
    "@property",
    "@counter-style",
    "@font-feature-values",
    "@scope",
    "@starting-style",
];

/// Checks each item separately.
pub(super) fn check(checker: &mut Checker<'_>) {
    if checker.tree.extended {
        return;
    }
    for index in 0..checker.tree.items.len() as u32 {
        if checker.is_full() {
            return;
        }
        item(checker, index);
    }
}

fn item(checker: &mut Checker<'_>, index: u32) {
    let tree = checker.tree;
    let item = tree.item(index);
    if tree.dialect == Dialect::Less {
        less::item(checker, item);
    }
    match item.kind {
        Kind::Rule | Kind::Keyframe => rule(checker, item),
        Kind::Declaration if !tree.head(item).starts_with("--") => declaration(checker, item),
        Kind::AtRule | Kind::Import => at_rule(checker, index, item),
        _ => {}
    }
}

fn rule(checker: &mut Checker<'_>, item: &Item) {
    let head = checker.tree.head(item);
    if head.is_empty() {
        let brace = item.start as usize;
        return checker.report(brace..brace + 1, "expected a selector before `{`");
    }
    let parent = checker.tree.items.get(item.parent as usize);
    let descriptors =
        parent.is_some_and(|parent| parent.kind == Kind::AtRule && holds_descriptors(checker.tree.name(parent)));
    if descriptors && !head.contains(':') {
        return checker.report(item.head_range(), "expected `:` and a value: rules are not allowed here");
    }
    if checker.tree.dialect == Dialect::Less && is_dynamic(head) {
        return;
    }
    checker.selector(item);
}

/// Returns whether the at-rule can contain declarations only.
fn holds_descriptors(name: &str) -> bool {
    ["@font-face", "@property", "@counter-style"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns whether LESS computes or interprets part of the selector.
fn is_dynamic(head: &str) -> bool {
    let signs = ["@", "${", "~\"", "~'", "~`", " when ", ")when", ":extend(", "(~", "!", "`"];
    signs.iter().any(|sign| head.contains(sign)) || head.starts_with("when") || head.contains("when(")
}

fn declaration(checker: &mut Checker<'_>, item: &Item) {
    let tree = checker.tree;
    let head = item.head_range();
    let known = match tree.dialect {
        _ if is_plain_ident(tree.head(item)) => true,
        Dialect::Less => less_name(&mut checker.reader(head.clone())),
        _ => plain_name(&mut checker.reader(head.clone())),
    };
    if !known && !head.is_empty() {
        return checker.report(head, "expected a property name before `:`");
    }
    if item.parent == NONE && tree.dialect == Dialect::Css {
        checker.warn(head, "a declaration outside a rule has no effect");
    }
    let mut reader = checker.reader(item.body_start as usize..item.body_end as usize);
    let result = match tree.dialect {
        Dialect::Less => detached_call(&mut reader).and_then(|()| value(&mut reader)),
        _ => value(&mut reader),
    };
    checker.check(result);
}

/// Parses a property name, including the prefix characters of hacks for old browsers.
fn plain_name(reader: &mut Reader<'_>) -> bool {
    while matches!(reader.peek(), Some(b'*' | b'_' | b'$' | b'&' | b'#' | b'+' | b'/' | b'!')) {
        reader.at += 1;
    }
    reader.ident().is_ok() && reader.at_end()
}

/// Parses a LESS property name: with interpolation, or with a suffix that merges values.
fn less_name(reader: &mut Reader<'_>) -> bool {
    if reader.is(b'*') || (reader.is(b'$') && reader.ahead(1) != Some(b'{')) {
        reader.at += 1;
    }
    let from = reader.at;
    loop {
        match reader.peek() {
            Some(b'@') if reader.ahead(1) == Some(b'{') => {
                reader.part();
            }
            // A property reference contains a plain name only.
            Some(b'$') if reader.ahead(1) == Some(b'{') => {
                let from = reader.at + 2;
                reader.part();
                if !reader.text[from..reader.at.max(from + 1) - 1].bytes().all(is_name) {
                    return false;
                }
            }
            Some(byte) if is_name(byte) || byte == b'\\' => reader.name_rest_or_one(),
            _ => break,
        }
    }
    let named = reader.at > from;
    reader.space();
    if reader.eat(b'+') {
        reader.eat(b'_');
    }
    named && reader.at_end()
}

/// Parses a value. A colon in it means that a semicolon is missing before.
fn value(reader: &mut Reader<'_>) -> Check {
    let less = reader.dialect == Dialect::Less;
    let mut filter = false;
    let (mut broken, mut word) = (true, 0);
    loop {
        let at = reader.at;
        match reader.part() {
            Part::End => return Ok(()),
            Part::Space => {
                broken |= reader.text.as_bytes()[at..reader.at].iter().any(|byte| matches!(byte, b'\n' | b'\r'))
            }
            Part::Word => {
                filter |= reader.text[at..reader.at].eq_ignore_ascii_case("progid");
                word = if broken { 2 } else { 0 };
                broken = false;
                continue;
            }
            Part::Colon if filter || reader.text[at..].starts_with("::") => {}
            // LESS allows a colon in a value, but not after the first word of the value or of a line.
            Part::Colon if !less || word > 0 => {
                return reader.wrong_at(at, "unexpected `:` in a value: is a `;` missing before it?");
            }
            Part::Other => match reader.text.as_bytes()[at] {
                b'#' if !less && !reader.peek().is_some_and(|byte| is_name(byte) || byte == b'\\') => {
                    return reader.wrong_at(at, "expected a colour after `#`");
                }
                b'#' if less => color(reader, at)?,
                b'!' => important(reader)?,
                _ => {}
            },
            _ => {}
        }
        word = 0;
    }
}

/// Parses a colour: `#` and three, four, six or eight digits. In LESS, `#name` can also be a namespace lookup.
fn color(reader: &mut Reader<'_>, at: usize) -> Check {
    let from = reader.at;
    reader.name_rest();
    let digits = &reader.text[from..reader.at];
    let looked_up = matches!(reader.peek(), Some(b'.' | b'(' | b'[' | b'#' | b'>' | b'@'));
    let is_color = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_color && !looked_up && !matches!(digits.len(), 3 | 4 | 6 | 8) {
        return reader.wrong_at(at, "a hexadecimal colour has 3, 4, 6 or 8 digits");
    }
    Ok(())
}

fn important(reader: &mut Reader<'_>) -> Check {
    reader.space();
    if reader.peek().is_some_and(|byte| is_name_start(byte) || byte == b'\\') {
        return Ok(());
    }
    reader.wrong("expected `important` behind `!`")
}

/// Returns whether the value is only a call of a detached ruleset, `@name()`, without a lookup. That is not a
/// value.
fn detached_call(reader: &mut Reader<'_>) -> Check {
    let start = reader.at;
    let called = reader.eat(b'@') && reader.ident().is_ok() && reader.starts("()");
    let alone = reader.at + 2 == reader.end;
    reader.at = start;
    if !called || !alone {
        Ok(())
    } else {
        reader.wrong_at(start, "expected a lookup such as `[name]` after this call")
    }
}

fn at_rule(checker: &mut Checker<'_>, index: u32, item: &Item) {
    let tree = checker.tree;
    let name = tree.name(item).to_ascii_lowercase();
    let prelude = tree.prelude(item);
    // In CSS, the end of the file closes an open at-rule.
    let ended = item.has_semicolon() || tree.dialect == Dialect::Less;
    if BLOCKS.contains(&name.as_str()) && !item.block && ended {
        return checker.report(item.head_range(), format!("expected a block in braces after `{name}`"));
    }
    match name.as_str() {
        "@import" if tree.dialect == Dialect::Css => {
            let mut reader = checker.reader(prelude);
            let result = import(&mut reader);
            checker.check(result);
        }
        "@import" | "@charset" | "@namespace" if prelude.is_empty() => {
            checker.report(item.head_range(), format!("expected a string after `{name}`"));
        }
        "@media" | "@supports" | "@container" if tree.dialect == Dialect::Css => {
            let mut reader = checker.reader(prelude);
            let result = condition(&mut reader, &name);
            checker.check(result);
        }
        _ => {}
    }
    let swallowed = matches!(name.as_str(), "@import" | "@charset" | "@namespace") && item.block;
    if swallowed && item.next > index + 1 {
        let end = item.head as usize;
        checker.report(end..end + 1, format!("missing `;` after this `{name}`"));
    }
}

/// Parses a condition: words and brackets. The content of the brackets is not checked.
fn condition(reader: &mut Reader<'_>, name: &str) -> Check {
    reader.space();
    let starts = reader.is(b'(') || reader.at_ident() || (name == "@media" && reader.at_end());
    if !starts && !reader.is(b'$') {
        return reader.wrong(format!("expected a condition after `{name}`"));
    }
    loop {
        let at = reader.at;
        match reader.part() {
            Part::End => return Ok(()),
            Part::Space | Part::Comment | Part::Word | Part::Group | Part::Comma => {}
            Part::Other if matches!(reader.text.as_bytes()[at], b'$' | b'.') => {}
            _ => return reader.wrong_at(at, format!("unexpected text in the condition of `{name}`")),
        }
    }
}

/// Parses an `@import` prelude: a string or `url(…)`, then anything except a second string.
fn import(reader: &mut Reader<'_>) -> Check {
    reader.space();
    match reader.peek() {
        Some(b'"' | b'\'') => reader.plain_string()?,
        Some(_) if reader.at_ident() => {
            let at = reader.at;
            let name = reader.ident()?;
            if !["url", "src"].iter().any(|known| name.eq_ignore_ascii_case(known)) || !reader.is(b'(') {
                return reader.wrong_at(at, "expected a string or `url(…)` after `@import`");
            }
        }
        _ => return reader.wrong("expected a string or `url(…)` after `@import`"),
    }
    loop {
        let at = reader.at;
        match reader.part() {
            Part::End => return Ok(()),
            Part::Text => return reader.wrong_at(at, "expected `;` before a second URL"),
            _ => {}
        }
    }
}
