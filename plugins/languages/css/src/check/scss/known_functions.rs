//! Checks calls that Sass certainly rejects when it evaluates them: a number with a unit where none is allowed,
//! incompatible units, or a second positional argument where it must be named. Also checks interpolations in comments.

use super::super::Checker;
use crate::{
    chars::{is_name, is_name_start},
    modules::used_modules,
    scanner::{Scanner, TokenKind},
    tree::{Kind, Tree},
};

/// Constraint on the arguments of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentRule {
    /// The arguments must be numbers without a unit.
    Unitless,
    /// The arguments must be numbers without a unit, or angles.
    Angle,
    /// The units of the arguments must be convertible into each other.
    Compatible,
    /// Only the first argument can be positional. The others must be named.
    OnePositional,
}

/// Functions that Sass evaluates: the name, the Sass module that defines it, and the rule for its arguments.
const RULES: &[(&str, &str, ArgumentRule)] = &[
    ("acos", "sass:math", ArgumentRule::Unitless),
    ("asin", "sass:math", ArgumentRule::Unitless),
    ("atan", "sass:math", ArgumentRule::Unitless),
    ("exp", "", ArgumentRule::Unitless),
    ("log", "sass:math", ArgumentRule::Unitless),
    ("pow", "sass:math", ArgumentRule::Unitless),
    ("sqrt", "sass:math", ArgumentRule::Unitless),
    ("cos", "sass:math", ArgumentRule::Angle),
    ("sin", "sass:math", ArgumentRule::Angle),
    ("tan", "sass:math", ArgumentRule::Angle),
    ("atan2", "sass:math", ArgumentRule::Compatible),
    ("clamp", "sass:math", ArgumentRule::Compatible),
    ("hypot", "sass:math", ArgumentRule::Compatible),
    ("max", "sass:math", ArgumentRule::Compatible),
    ("min", "sass:math", ArgumentRule::Compatible),
    ("mod", "", ArgumentRule::Compatible),
    ("rem", "", ArgumentRule::Compatible),
    ("adjust-color", "", ArgumentRule::OnePositional),
    ("change-color", "", ArgumentRule::OnePositional),
    ("scale-color", "", ArgumentRule::OnePositional),
    ("adjust", "sass:color", ArgumentRule::OnePositional),
    ("change", "sass:color", ArgumentRule::OnePositional),
    ("scale", "sass:color", ArgumentRule::OnePositional),
];

/// Groups of units that can be converted into each other.
const CONVERTIBLE: [&[&str]; 5] = [
    &["px", "cm", "mm", "q", "in", "pt", "pc"],
    &["deg", "grad", "rad", "turn"],
    &["s", "ms"],
    &["hz", "khz"],
    &["dpi", "dpcm", "dppx", "x"],
];
const ANGLES: usize = 1;

/// Returns whether the text may call one of the functions in [`RULES`].
pub(crate) fn calls_known_function(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    RULES.iter().any(|(name, ..)| lower.match_indices(name).any(|(at, _)| lower[at + name.len()..].starts_with('(')))
}

/// Checks all calls and comments of a stylesheet.
pub(super) fn check_known_calls(checker: &mut Checker<'_>) {
    let tree = checker.tree;
    if !may_call(&tree.text) && !may_comment(&tree.text) {
        return;
    }
    let mut scan = tree.scan();
    let modules = used_modules(tree);
    let is_alone = is_alone(tree);
    let (mut at, mut between, mut namespace) = (0, true, None);
    while at < tree.text.len() && !checker.is_full() {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::Comment if between => check_comment(checker, at, end),
            TokenKind::Word if scan.byte(end) == Some(b'(') => {
                let name = &tree.text[at..end];
                let module = namespace.take().filter(|(place, _)| *place == at).map(|(_, module)| module);
                let applies = |rule: &&(&str, &str, ArgumentRule)| {
                    name.eq_ignore_ascii_case(rule.0)
                        && match module {
                            Some(module) => rule.1 == module,
                            None => rule.1 != "sass:color" && is_alone && !is_defined(tree, name),
                        }
                };
                if let Some((.., rule)) = RULES.iter().find(applies) {
                    let arguments = end + 1..scan.token_at(end).1.max(end + 2) - 1;
                    check_call(checker, *rule, at..end, arguments);
                }
            }
            TokenKind::Word if scan.byte(end) == Some(b'.') => {
                let module = modules.iter().find(|(name, _)| *name == tree.text[at..end]);
                namespace = module.map(|(_, module)| (end + 1, module.as_str()));
            }
            _ => {}
        }
        between = match part {
            TokenKind::Space | TokenKind::Comment => between,
            TokenKind::Open | TokenKind::Close | TokenKind::Semicolon => true,
            _ => false,
        };
        // Continue inside brackets and interpolations, to read their content.
        at = match part {
            TokenKind::Group if scan.url_end(at).is_none() => at + 1,
            TokenKind::Interpolation => at + 2,
            _ => end,
        };
    }
}

/// Returns whether the text may call one of the functions in [`RULES`]. This is a quick test: it looks at the name
/// before each bracket, even in comments.
fn may_call(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'(', bytes).any(|open| {
        let length = bytes[..open].iter().rev().take_while(|byte| is_name(**byte)).count();
        RULES
            .iter()
            .any(|(name, ..)| name.len() == length && bytes[open - length..open].eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Returns whether a comment may contain an interpolation. This is a quick test: it looks at everything that looks like
/// a comment, even in strings.
fn may_comment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = memchr::memmem::find(&bytes[at..], b"/*").map(|found| at + found) {
        let inner = start + 2;
        let end = memchr::memmem::find(&bytes[inner..], b"*/").map_or(bytes.len(), |found| inner + found);
        if memchr::memmem::find(&bytes[inner..end], b"#{").is_some() {
            return true;
        }
        // In a string, the end of what looks like a comment can overlap the start of the next: `*/*`.
        at = end - 1;
    }
    false
}

/// Returns whether a function without a namespace can only be one of this file or of Sass, because the file does not
/// load members of other files into its own scope, and is not a partial, which other files load.
fn is_alone(tree: &Tree) -> bool {
    !tree.partial
        && tree.items.iter().filter(|item| item.kind == Kind::Import).all(|item| {
            tree.name(item).eq_ignore_ascii_case("@use")
                && !tree.text[tree.prelude(item)].trim_ascii_end().ends_with('*')
        })
}

fn is_defined(tree: &Tree, name: &str) -> bool {
    let own = |prelude: &str| crate::keys::callee(prelude).replace('_', "-").eq_ignore_ascii_case(name);
    tree.items.iter().any(|item| item.kind == Kind::Function && own(&tree.text[tree.prelude(item)]))
}

/// Checks the interpolations in a `/* … */` comment, which Sass keeps in its output.
fn check_comment(checker: &mut Checker<'_>, start: usize, end: usize) {
    let text = &checker.tree.text[start..end];
    if !text.starts_with("/*") {
        return;
    }
    let mut at = 0;
    while let Some(open) = text[at..].find("#{").map(|open| at + open) {
        let Some(close) = text[open..].find('}') else {
            let place = start + open;
            return checker.report(place..place + 2, "this interpolation does not end within the comment");
        };
        at = open + close;
    }
}

fn check_call(
    checker: &mut Checker<'_>,
    rule: ArgumentRule,
    name: std::ops::Range<usize>,
    arguments: std::ops::Range<usize>,
) {
    let text = &checker.tree.text[arguments];
    let list = split_at_commas(text);
    if rule == ArgumentRule::OnePositional {
        let named = |argument: &&str| argument.starts_with('$') && argument.contains(':') || argument.ends_with("...");
        if list.iter().skip(1).any(|argument| !argument.is_empty() && !named(argument)) {
            checker.report(name, "only the first argument of this function can be positional");
        }
        return;
    }
    let units: Vec<Option<Units>> = list.iter().map(|argument| Units::parse(argument)).collect();
    let refused = match rule {
        ArgumentRule::Unitless => units.iter().flatten().any(|units| !units.is_empty()),
        ArgumentRule::Angle => units.iter().flatten().any(|units| !units.is_empty() && units.group() != Some(ANGLES)),
        ArgumentRule::Compatible => {
            let mut kinds = units.iter().flatten().filter_map(Units::group);
            kinds.next().is_some_and(|first| kinds.any(|other| other != first))
        }
        ArgumentRule::OnePositional => false,
    };
    if refused {
        let message = match rule {
            ArgumentRule::Unitless => "expected numbers without a unit",
            ArgumentRule::Angle => "expected a number without a unit, or an angle",
            ArgumentRule::Compatible | ArgumentRule::OnePositional => "the units of these numbers are incompatible",
        };
        checker.report(name, message);
    }
}

/// Splits the text at commas.
fn split_at_commas(text: &str) -> Vec<&str> {
    let mut scan = Scanner::without_reports(text, crate::chars::Dialect::Scss);
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    loop {
        match scan.token_at(at) {
            (TokenKind::End, _) => {
                parts.push(text[start..].trim_ascii());
                return parts;
            }
            (TokenKind::Comma, end) => {
                parts.push(text[start..at].trim_ascii());
                (start, at) = (end, end);
            }
            (_, end) => at = end,
        }
    }
}

/// The units of a product of numbers, in lower case. Equal units in numerator and denominator cancel each other.
#[derive(Debug, Default)]
struct Units {
    numerator: Vec<String>,
    denominator: Vec<String>,
}

impl Units {
    /// Parses a product and returns its units. `None` if the text contains anything but numbers with `*` and `/`
    /// between them.
    fn parse(text: &str) -> Option<Units> {
        let mut units = Units::default();
        let (mut rest, mut divided) = (text, false);
        loop {
            let (unit, behind) = parse_number(rest)?;
            let (own, other) = if divided {
                (&mut units.denominator, &mut units.numerator)
            } else {
                (&mut units.numerator, &mut units.denominator)
            };
            match other.iter().position(|known| {
                *known == unit || (unit_group(known).is_some() && unit_group(known) == unit_group(&unit))
            }) {
                _ if unit.is_empty() => {}
                Some(known) => drop(other.remove(known)),
                None => own.push(unit),
            }
            rest = behind.trim_ascii_start();
            match rest.as_bytes().first() {
                None => return Some(units),
                Some(sign @ (b'*' | b'/')) => divided = *sign == b'/',
                Some(_) => return None,
            }
            rest = rest[1..].trim_ascii_start();
        }
    }

    fn is_empty(&self) -> bool {
        self.numerator.is_empty() && self.denominator.is_empty()
    }

    /// Returns the index in [`CONVERTIBLE`] of the group that the unit belongs to. `None` unless there is exactly one
    /// unit, in the numerator.
    fn group(&self) -> Option<usize> {
        match (&self.numerator[..], &self.denominator[..]) {
            ([unit], []) => unit_group(unit),
            _ => None,
        }
    }
}

fn unit_group(unit: &str) -> Option<usize> {
    CONVERTIBLE.iter().position(|units| units.contains(&unit))
}

/// Parses a number. Returns its unit and the text after it.
fn parse_number(text: &str) -> Option<(String, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    if !unsigned.as_bytes()[..digits].iter().any(u8::is_ascii_digit) {
        return None;
    }
    let mut rest = &unsigned[digits..];
    // An exponent such as `e3` is not a unit.
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let value = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        rest = if digits > 0 { &value[digits..] } else { rest };
    }
    if let Some(behind) = rest.strip_prefix('%') {
        return Some(("%".to_owned(), behind));
    }
    let length = rest.bytes().take_while(|byte| is_name_start(*byte)).count();
    Some((rest[..length].to_ascii_lowercase(), &rest[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_product_cancel_out() {
        let shown = |text| {
            Units::parse(text).map(|units| format!("{}/{}", units.numerator.join("*"), units.denominator.join("*")))
        };
        for (text, expected) in [
            ("1px", "px/"),
            ("-1.5E3%", "%/"),
            ("1px / 4em", "px/em"),
            ("1px*2px", "px*px/"),
            ("1px/1in", "/"),
            ("1e3", "/"),
            ("1e", "e/"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["$a", "1px + 1px", "(1px)", "1 px", "", "px", "1px*"] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
