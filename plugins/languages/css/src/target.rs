//! Targets in a stylesheet. A target consists of steps from the outside in, such as `@media print >> .button@padding`.

use marquetry_sdk::{Failure, FailureKind, fail};

use crate::{
    chars::{Dialect, is_name, is_space},
    keys,
    scanner::{Scanner, TokenKind},
};

/// One step of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// Kind of the step.
    pub(crate) kind: StepKind,
    /// Text of the step, as written.
    pub(crate) text: String,
    /// Position of the requested match among several matches, from 1.
    pub(crate) nth: Option<usize>,
}

/// Kind of a step, with its key or number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// Finds all items with this key.
    Key(u64),
    /// Finds a statement by its number in the file, from 1: `[#12]`.
    Statement(usize),
}

/// Parses a target.
pub(crate) fn parse_target(target: &str, dialect: Dialect) -> Result<Vec<Step>, Failure> {
    let texts = split_steps(target, dialect);
    if target.trim_ascii().is_empty() {
        return Err(invalid_target("the target is empty"));
    }
    texts.into_iter().map(|text| parse_step(text, dialect)).collect()
}

fn invalid_target(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidTarget, message).hint(
        "write a selector (`.button`), an at-rule (`@media print`), or steps from the outside in: \
         `@media print >> .button@padding`",
    )
}

/// Splits a target into its steps, at `>>` and at the `@` of a declaration.
fn split_steps(target: &str, dialect: Dialect) -> Vec<&str> {
    let bytes = target.as_bytes();
    let mut scan = Scanner::without_reports(target, dialect);
    let mut steps = Vec::new();
    let (mut from, mut at) = (0, 0);
    // True if the current step is the name of a declaration, so that `@` cannot start another one.
    let mut named = false;
    loop {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::End => {
                steps.push(target[from..].trim_ascii());
                return steps;
            }
            TokenKind::Other if bytes[at..].starts_with(b">>") && bytes.get(at + 2) != Some(&b'>') => {
                steps.push(target[from..at].trim_ascii());
                (from, at, named) = (at + 2, at + 2, false);
            }
            TokenKind::Other if bytes[at..].starts_with(b">>>") => at += 3,
            TokenKind::Other if bytes[at] == b'@' && (named || starts_property(target, from, at)) => {
                steps.push(target[from..at].trim_ascii());
                (from, at, named) = (at, end, true);
            }
            _ => at = end,
        }
    }
}

/// Returns whether the `@` at this offset starts the name of a declaration. It must directly follow the step before it,
/// and a name must follow it.
fn starts_property(target: &str, from: usize, at: usize) -> bool {
    let bytes = target.as_bytes();
    let behind = can_have_property(&target[from..at]);
    let follows = bytes.get(at + 1).is_some_and(|byte| !is_space(*byte) && !b"@{[,;)".contains(byte) || *byte == b'@');
    behind && follows
}

/// Returns whether `@name` directly after this step is the name of a declaration.
pub(crate) fn can_have_property(step: &str) -> bool {
    step.bytes().last().is_some_and(|byte| is_name(byte) || b")]}\"'*&%;".contains(&byte))
}

fn parse_step(text: &str, dialect: Dialect) -> Result<Step, Failure> {
    let number = |digits: &str| {
        let number = digits.parse::<usize>().ok().filter(|number| *number > 0);
        number.ok_or_else(|| invalid_target(format!("`{digits}` is not a positive number")))
    };
    let in_brackets = text.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let (name, nth) = match in_brackets {
        Some(("", digits)) if digits.strip_prefix('#').is_some_and(is_number) => {
            let what = StepKind::Statement(number(&digits[1..])?);
            return Ok(Step { kind: what, text: text.to_owned(), nth: None });
        }
        // A number in brackets is not an attribute selector, because names cannot start with a digit.
        Some((name, digits)) if is_number(digits) => (name.trim_ascii_end(), Some(number(digits)?)),
        _ => (text, None),
    };
    if name.is_empty() {
        return Err(invalid_target("a step of the target is empty"));
    }
    Ok(Step { kind: StepKind::Key(keys::step_key(name, dialect)), text: name.to_owned(), nth })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(target: &str, expected: &[&str]) {
        assert_eq!(split_steps(target, Dialect::Scss), expected);
    }

    #[test]
    fn targets_are_split_into_steps() {
        check(".a", &[".a"]);
        check("@media print >> .a@color", &["@media print", ".a", "@color"]);
        check(".a > b@--x", &[".a > b", "@--x"]);
        check("a >>> b", &["a >>> b"]);
        check(".a >> &:hover", &[".a", "&:hover"]);
        check("[a=\">> x@y\"]", &["[a=\">> x@y\"]"]);
        check("@font-face@src[2]", &["@font-face", "@src[2]"]);
        check("$map@a@\"b c\"", &["$map", "@a", "@\"b c\""]);
        check("a:not([x])@y", &["a:not([x])", "@y"]);
        check(".a#{$b}@#{$p}-x", &[".a#{$b}", "@#{$p}-x"]);
    }

    #[test]
    fn at_signs_of_less_do_not_split_targets() {
        for target in ["@media @phone", ".@{name}", "@media @a,@b", ".m(@a; @b)", ".a@{b}"] {
            assert_eq!(split_steps(target, Dialect::Less), [target]);
        }
        assert_eq!(split_steps(".a@@{p}-x", Dialect::Less), [".a", "@@{p}-x"]);
    }

    #[test]
    fn number_in_brackets_selects_nth_match() {
        let steps = parse_target(".a[2] >> b", Dialect::Css).expect("steps");
        assert_eq!((steps[0].nth, steps[0].text.as_str()), (Some(2), ".a"));
        assert_eq!(parse_target("[#7]", Dialect::Css).expect("a step")[0].kind, StepKind::Statement(7));
        for wrong in ["", " ", ".a >>", ".a[0]", ">> a", ".a[99999999999999999999999]", "[3]", "[#0]"] {
            let failure = parse_target(wrong, Dialect::Css).expect_err(wrong);
            assert_eq!(failure.kind, FailureKind::InvalidTarget, "{wrong}");
        }
    }
}
