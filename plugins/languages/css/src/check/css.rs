//! Checks of selectors, names, values and preludes in CSS and LESS. Browsers ignore syntax that they do not know,
//! because newer versions of CSS may define it. So only text that is invalid in every version of CSS is reported.

use super::{
    Checker, less,
    reader::{Parsed, Reader, is_plain_ident},
};
use crate::{
    chars::{Dialect, is_name, is_name_start},
    scanner::TokenKind,
    tree::{Item, Kind, NONE},
};

/// At-rules that require a block.
const BLOCK_AT_RULES: &[&str] = &[
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
pub(super) fn check_items(checker: &mut Checker<'_>) {
    if checker.tree.extended {
        return;
    }
    for index in 0..checker.tree.items.len() as u32 {
        if checker.is_full() {
            return;
        }
        check_item(checker, index);
    }
}

fn check_item(checker: &mut Checker<'_>, index: u32) {
    let tree = checker.tree;
    let item = tree.item(index);
    if tree.dialect == Dialect::Less {
        less::check_item(checker, item);
    }
    match item.kind {
        Kind::Rule | Kind::Keyframe => check_rule(checker, item),
        Kind::Declaration if !tree.head(item).starts_with("--") => check_declaration(checker, item),
        Kind::AtRule | Kind::Import => check_at_rule(checker, index, item),
        _ => {}
    }
}

fn check_rule(checker: &mut Checker<'_>, item: &Item) {
    let head = checker.tree.head(item);
    if head.is_empty() {
        let brace = item.start as usize;
        return checker.report(brace..brace + 1, "expected a selector before `{`");
    }
    let parent = checker.tree.items.get(item.parent as usize);
    let descriptors =
        parent.is_some_and(|parent| parent.kind == Kind::AtRule && takes_descriptors(checker.tree.name(parent)));
    if descriptors && !head.contains(':') {
        return checker.report(item.head_range(), "expected `:` and a value: rules are not allowed here");
    }
    if checker.tree.dialect == Dialect::Less && is_dynamic(head) {
        return;
    }
    checker.check_selector(item);
}

/// Returns whether the at-rule can contain only declarations.
fn takes_descriptors(name: &str) -> bool {
    ["@font-face", "@property", "@counter-style"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns whether LESS computes or interprets part of the selector.
fn is_dynamic(head: &str) -> bool {
    let signs = ["@", "${", "~\"", "~'", "~`", " when ", ")when", ":extend(", "(~", "!", "`"];
    signs.iter().any(|sign| head.contains(sign)) || head.starts_with("when") || head.contains("when(")
}

fn check_declaration(checker: &mut Checker<'_>, item: &Item) {
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
        Dialect::Less => refuse_detached_call(&mut reader).and_then(|()| value(&mut reader)),
        _ => value(&mut reader),
    };
    checker.report_error(result);
}

/// Parses a property name. Before it, a character such as `*` is allowed, which hides the property from new browsers.
fn plain_name(reader: &mut Reader<'_>) -> bool {
    while matches!(reader.peek(), Some(b'*' | b'_' | b'$' | b'&' | b'#' | b'+' | b'/' | b'!')) {
        reader.at += 1;
    }
    reader.expect_ident().is_ok() && reader.at_end()
}

/// Parses a property name in LESS. It can contain interpolations, and end with `+` or `+_`, which merge values.
fn less_name(reader: &mut Reader<'_>) -> bool {
    if reader.at_byte(b'*') || (reader.at_byte(b'$') && reader.peek_at(1) != Some(b'{')) {
        reader.at += 1;
    }
    let from = reader.at;
    loop {
        match reader.peek() {
            Some(b'@') if reader.peek_at(1) == Some(b'{') => {
                reader.skip_token();
            }
            // `${name}` inserts the value of a property; the braces contain only its name.
            Some(b'$') if reader.peek_at(1) == Some(b'{') => {
                let from = reader.at + 2;
                reader.skip_token();
                if !reader.text[from..reader.at.max(from + 1) - 1].bytes().all(is_name) {
                    return false;
                }
            }
            Some(byte) if is_name(byte) || byte == b'\\' => reader.skip_name_or_token(),
            _ => break,
        }
    }
    let named = reader.at > from;
    reader.skip_space();
    if reader.eat(b'+') {
        reader.eat(b'_');
    }
    named && reader.at_end()
}

/// Parses a value. Fails at an unexpected colon, because the semicolon before the next declaration is probably missing.
fn value(reader: &mut Reader<'_>) -> Parsed {
    let less = reader.dialect == Dialect::Less;
    let mut filter = false;
    let (mut broken, mut word) = (true, 0);
    loop {
        let at = reader.at;
        match reader.skip_token() {
            TokenKind::End => return Ok(()),
            TokenKind::Space => {
                broken |= reader.text.as_bytes()[at..reader.at].iter().any(|byte| matches!(byte, b'\n' | b'\r'))
            }
            TokenKind::Word => {
                filter |= reader.text[at..reader.at].eq_ignore_ascii_case("progid");
                word = if broken { 2 } else { 0 };
                broken = false;
                continue;
            }
            TokenKind::Colon if filter || reader.text[at..].starts_with("::") => {}
            // LESS allows a colon in a value. But after the first word of the value or of a line, it belongs to a new
            // declaration.
            TokenKind::Colon if !less || word > 0 => {
                return reader.error_at(at, "unexpected `:` in a value: is a `;` missing before it?");
            }
            TokenKind::Other => match reader.text.as_bytes()[at] {
                b'#' if !less && !reader.peek().is_some_and(|byte| is_name(byte) || byte == b'\\') => {
                    return reader.error_at(at, "expected a colour after `#`");
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

/// Checks the name after a `#`: if it is a hexadecimal colour, it must have three, four, six or eight digits. In LESS,
/// the `#` can also start a lookup in a namespace (`#name.mixin()`).
fn color(reader: &mut Reader<'_>, at: usize) -> Parsed {
    let from = reader.at;
    reader.skip_name();
    let digits = &reader.text[from..reader.at];
    let looked_up = matches!(reader.peek(), Some(b'.' | b'(' | b'[' | b'#' | b'>' | b'@'));
    let is_color = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_color && !looked_up && !matches!(digits.len(), 3 | 4 | 6 | 8) {
        return reader.error_at(at, "a hexadecimal colour has 3, 4, 6 or 8 digits");
    }
    Ok(())
}

fn important(reader: &mut Reader<'_>) -> Parsed {
    reader.skip_space();
    if reader.peek().is_some_and(|byte| is_name_start(byte) || byte == b'\\') {
        return Ok(());
    }
    reader.error("expected `important` after `!`")
}

/// Fails if the value is only a call of a detached ruleset, `@name()`. Such a call returns a value only with a lookup
/// after it.
fn refuse_detached_call(reader: &mut Reader<'_>) -> Parsed {
    let start = reader.at;
    let called = reader.eat(b'@') && reader.expect_ident().is_ok() && reader.starts_with("()");
    let alone = reader.at + 2 == reader.end;
    reader.at = start;
    if !called || !alone {
        Ok(())
    } else {
        reader.error_at(start, "expected a lookup such as `[name]` after this call")
    }
}

fn check_at_rule(checker: &mut Checker<'_>, index: u32, item: &Item) {
    let tree = checker.tree;
    let name = tree.name(item).to_ascii_lowercase();
    let prelude = tree.prelude(item);
    // CSS allows that an at-rule is not closed at the end of the file.
    let ended = item.has_semicolon() || tree.dialect == Dialect::Less;
    if BLOCK_AT_RULES.contains(&name.as_str()) && !item.block && ended {
        return checker.report(item.head_range(), format!("expected a block in braces after `{name}`"));
    }
    match name.as_str() {
        "@import" if tree.dialect == Dialect::Css => {
            let mut reader = checker.reader(prelude);
            let result = import(&mut reader);
            checker.report_error(result);
        }
        "@import" | "@charset" | "@namespace" if prelude.is_empty() => {
            checker.report(item.head_range(), format!("expected a string after `{name}`"));
        }
        "@media" | "@supports" | "@container" if tree.dialect == Dialect::Css => {
            let mut reader = checker.reader(prelude);
            let result = condition(&mut reader, &name);
            checker.report_error(result);
        }
        _ => {}
    }
    let swallowed = matches!(name.as_str(), "@import" | "@charset" | "@namespace") && item.block;
    if swallowed && item.next > index + 1 {
        let end = item.head as usize;
        checker.report(end..end + 1, format!("missing `;` after this `{name}`"));
    }
}

/// Parses a condition, which consists of words and brackets. The content of the brackets is not checked.
fn condition(reader: &mut Reader<'_>, name: &str) -> Parsed {
    reader.skip_space();
    let starts = reader.at_byte(b'(') || reader.at_ident() || (name == "@media" && reader.at_end());
    if !starts && !reader.at_byte(b'$') {
        return reader.error(format!("expected a condition after `{name}`"));
    }
    loop {
        let at = reader.at;
        match reader.skip_token() {
            TokenKind::End => return Ok(()),
            TokenKind::Space | TokenKind::Comment | TokenKind::Word | TokenKind::Group | TokenKind::Comma => {}
            TokenKind::Other if matches!(reader.text.as_bytes()[at], b'$' | b'.') => {}
            _ => return reader.error_at(at, format!("unexpected text in the condition of `{name}`")),
        }
    }
}

/// Parses the prelude of an `@import`: a string or `url(…)`, and anything after it except a second string.
fn import(reader: &mut Reader<'_>) -> Parsed {
    reader.skip_space();
    match reader.peek() {
        Some(b'"' | b'\'') => reader.expect_string()?,
        Some(_) if reader.at_ident() => {
            let at = reader.at;
            let name = reader.expect_ident()?;
            if !["url", "src"].iter().any(|known| name.eq_ignore_ascii_case(known)) || !reader.at_byte(b'(') {
                return reader.error_at(at, "expected a string or `url(…)` after `@import`");
            }
        }
        _ => return reader.error("expected a string or `url(…)` after `@import`"),
    }
    loop {
        let at = reader.at;
        match reader.skip_token() {
            TokenKind::End => return Ok(()),
            TokenKind::Text => return reader.error_at(at, "expected `;` before a second URL"),
            _ => {}
        }
    }
}
