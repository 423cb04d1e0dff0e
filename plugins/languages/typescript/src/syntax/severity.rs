//! Decides which syntax errors TypeScript reports in its checker rather than its parser.
//!
//! Our parser rejects more code than TypeScript's. Some code that it reports as an error is accepted by TypeScript's
//! parser and rejected only by TypeScript's checker. In JavaScript the same errors are early errors, and no engine runs
//! the file. Errors without a code are recognized by the code at their position, because the wording of a message may
//! change with any release.

use oxc_ast::AstKind;
use oxc_ast::ast::VariableDeclarationKind;
use oxc_diagnostics::OxcDiagnostic;
use oxc_span::GetSpan as _;

use crate::syntax::spans::skip_trivia;
use crate::syntax::tree::Parsed;

/// Codes of errors that TypeScript's checker reports, in addition to four-digit codes that begin with 2, 5 or 8.
const CHECKER_CODES: [&str; 9] = ["1015", "1016", "1035", "1090", "1108", "1243", "1277", "18007", "17019"];

/// Returns whether an early error, found after parsing, is about an old octal number or escape. TypeScript's parser
/// reports these too.
pub(crate) fn is_octal(text: &str, error: &OxcDiagnostic) -> bool {
    let Some(place) = ErrorContext::new(text, error) else { return false };
    let mut bytes = place.marked.bytes();
    let number = bytes.next() == Some(b'0') && bytes.next().is_some_and(|byte| byte.is_ascii_digit());
    let escape = |pair: &[u8]| pair[0] == b'\\' && matches!(pair[1], b'0'..=b'7');
    number || place.marked.as_bytes().windows(2).any(escape)
}

/// Returns whether TypeScript's parser accepts the code that this error is about.
pub(crate) fn is_left_to_checker(text: &str, parsed: &Parsed<'_>, error: &OxcDiagnostic) -> bool {
    if let Some(number) = error.code.number.as_deref() {
        return number.len() == 4 && number.starts_with(['2', '5', '8']) || CHECKER_CODES.contains(&number);
    }
    let Some(place) = ErrorContext::new(text, error) else { return false };
    place.is_rest()
        || place.is_comma_after_rest()
        || place.is_private_name()
        || place.is_special_field()
        || place.is_single_declaration()
        || place.is_attribute_value()
        || place.is_await_using()
        || place.is_assigned_to()
        || place.is_regex_flag(text)
        || is_tolerated(parsed, place.start, place.end)
}

/// Returns whether the range is the name of a constant without a value, or within a regular expression.
fn is_tolerated(parsed: &Parsed<'_>, start: usize, end: usize) -> bool {
    let (start, end) = (start as u32, end as u32);
    parsed.semantic().nodes().iter().any(|node| match node.kind() {
        AstKind::RegExpLiteral(literal) => literal.span.start <= start && end <= literal.span.end,
        AstKind::VariableDeclaration(constants) if constants.kind == VariableDeclarationKind::Const => {
            constants.declarations.iter().any(|constant| {
                let id = constant.id.span();
                constant.init.is_none() && constant.id.is_binding_identifier() && (id.start, id.end) == (start, end)
            })
        }
        _ => false,
    })
}

/// Position of an error: the text that it marks, the text before it without trailing white space, and the text after it
/// without leading white space and comments.
struct ErrorContext<'t> {
    start: usize,
    end: usize,
    marked: &'t str,
    before: &'t str,
    after: &'t str,
}

impl<'t> ErrorContext<'t> {
    fn new(text: &'t str, error: &OxcDiagnostic) -> Option<ErrorContext<'t>> {
        let label = error.labels.first()?;
        let (start, end) = (label.offset() as usize, label.offset() as usize + label.len() as usize);
        Some(ErrorContext {
            start,
            end,
            marked: text.get(start..end)?,
            before: text[..start].trim_end(),
            after: &text[skip_trivia(text, end)..],
        })
    }

    /// Returns whether the error is about `...a` that is not last in a pattern, or `...` before something that cannot
    /// be a rest element.
    fn is_rest(&self) -> bool {
        let is_last = self.after.starts_with(['}', ']']);
        let is_rest = self.marked.len() > 3 && self.marked.starts_with("...") && !is_last
            || self.before.ends_with("...") && self.is_operand();
        is_rest && matches!(innermost_open(self.before), Some('{' | '['))
    }

    /// Returns whether an expression that is more than a name begins after the position.
    fn is_operand(&self) -> bool {
        let is_name = self.marked.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        let is_number = self.marked.starts_with(|c: char| c.is_ascii_digit());
        let is_value = matches!(self.marked, "this" | "null" | "true" | "false" | "super");
        let first = self.marked.split(char::is_whitespace).next().unwrap_or_default();
        let is_bracket = self.marked.len() == 1 && !is_name;
        if is_bracket || matches!(first, "var" | "let" | "const" | "using") {
            return false;
        }
        (!is_name || is_number || is_value)
            && self.marked.starts_with(|c: char| c.is_alphanumeric() || "_$\"'`([{<-+!~/".contains(c))
    }

    /// Returns whether the error is about a single flag after a regular expression: `/a/z`.
    fn is_regex_flag(&self, text: &str) -> bool {
        let before = text[..self.start].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        self.marked.len() == 1
            && self.marked.starts_with(|c: char| c.is_ascii_alphabetic())
            && before.ends_with('/')
            && !before.ends_with("</")
    }

    /// Returns whether the error is about the comma in `(...a,)`.
    fn is_comma_after_rest(&self) -> bool {
        let Some(rest) = self.before.rfind("...").filter(|_| self.marked.starts_with(',')) else { return false };
        let mut depth = 0_i32;
        let is_within = |byte: u8| {
            depth += match byte {
                b'(' | b'[' | b'{' => 1,
                b')' | b']' | b'}' => -1,
                _ => 0,
            };
            depth >= 0 && (depth > 0 || !matches!(byte, b',' | b';'))
        };
        self.before.bytes().skip(rest).all(is_within)
    }

    /// Returns whether the error is about the private name in `{ #a: 1 }`.
    fn is_private_name(&self) -> bool {
        self.marked.len() > 1 && self.marked.starts_with('#') && innermost_open(self.before) == Some('{')
    }

    /// Returns whether the error is about a field named `constructor`, or a static one named `prototype`.
    fn is_special_field(&self) -> bool {
        match self.marked.trim_matches(['"', '\'']) {
            "prototype" => true,
            "constructor" => !self.after.starts_with(['(', '<']),
            _ => false,
        }
    }

    /// Returns whether the error is about a declaration where only a single statement is allowed: `if (a) let b`.
    fn is_single_declaration(&self) -> bool {
        const WORDS: [&str; 11] = [
            "let",
            "const",
            "using",
            "await",
            "interface",
            "enum",
            "type",
            "namespace",
            "module",
            "declare",
            "abstract",
        ];
        let first = self.marked.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let follows_head = self.before.ends_with([')', ':'])
            || ends_with_word(self.before, "else")
            || ends_with_word(self.before, "do");
        first.len() < self.marked.len() && WORDS.contains(&first) && follows_head
    }

    /// Returns whether the error is about the value in `with { type: a }`.
    fn is_attribute_value(&self) -> bool {
        let Some((outside, inside)) = self.before.rsplit_once('{') else { return false };
        let outside = outside.trim_end();
        inside.ends_with(':') && (ends_with_word(outside, "with") || ends_with_word(outside, "assert"))
    }

    fn is_await_using(&self) -> bool {
        let words =
            self.marked.strip_prefix("await").map(|rest| if rest.is_empty() { self.after } else { rest.trim_start() });
        words.is_some_and(|rest| rest.starts_with("using"))
    }

    /// Returns whether the error is about an expression that is assigned to but is not a valid target: `1 = a`,
    /// `f()++`.
    fn is_assigned_to(&self) -> bool {
        const OPERATORS: [&str; 17] = [
            "++", "--", "+=", "-=", "**=", "*=", "/=", "%=", "<<=", ">>>=", ">>=", "&&=", "||=", "??=", "&=", "|=",
            "^=",
        ];
        let assigns = |after: &str| {
            let plain = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
            plain || OPERATORS.iter().any(|operator| after.starts_with(operator))
        };
        let (mut before, mut after) = (self.before, self.after);
        while let (Some(outside), Some(behind)) = (before.strip_suffix('('), after.strip_prefix(')')) {
            (before, after) = (outside.trim_end(), behind.trim_start());
        }
        let is_target = assigns(after)
            || before.ends_with("++")
            || before.ends_with("--")
            || after_closing_brackets(after).any(|after| assigns(after) || starts_loop(after))
            || starts_loop(after);
        self.is_operand() && is_target
    }
}

/// Returns whether the head of a `for` loop continues with this text: `of a`, `in a`.
fn starts_loop(after: &str) -> bool {
    ["of", "in"].iter().any(|word| after.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace)))
}

/// Yields the text after each bracket that closes around a position, from the inside out, up to the end of the
/// statement.
fn after_closing_brackets(after: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(c) = after[at..].chars().next() {
            at += c.len_utf8();
            match c {
                '[' | '{' | '(' => depth += 1,
                ']' | '}' if depth == 0 => return Some(after[at..].trim_start()),
                ')' if depth == 0 => return None,
                ']' | '}' | ')' => depth -= 1,
                ';' => return None,
                _ => {}
            }
        }
        None
    })
}

/// Returns the innermost bracket that is open at the end of a text, judging by brackets alone.
fn innermost_open(text: &str) -> Option<char> {
    let mut depth = 0_u32;
    text.chars().rev().find(|c| match c {
        ']' | '}' | ')' => {
            depth += 1;
            false
        }
        '[' | '{' | '(' if depth == 0 => true,
        '[' | '{' | '(' => {
            depth -= 1;
            false
        }
        _ => false,
    })
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.')))
}
