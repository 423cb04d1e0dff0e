//! Translates I-Regexp (RFC 9485) to the syntax of the `regex` crate.
//!
//! `^` and `$` outside of brackets are anchors, as in the standard's mapping to ECMAScript. As an extension, `\d`,
//! `\s`, `\w` and their negations have their ASCII meaning.

use regex::{Regex, RegexBuilder};

/// Maximum size of a compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;
/// Maximum nesting of groups.
const DEEPEST: usize = 100;
/// General categories for `\p{…}`.
const CATEGORIES: &str =
    " L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs C Cc Cf Cn Co ";

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern. `whole` matches entire strings instead of parts of them.
    pub(crate) fn new(source: &str, whole: bool) -> Result<Pattern, String> {
        let mut translator = Translator { rest: source, out: String::new(), depth: 0 };
        let good = translator.branches();
        if !good || !translator.rest.is_empty() {
            let at = source.len() - translator.rest.len();
            return Err(format!("`{source}` is not an I-Regexp (RFC 9485): syntax error at byte {at} of the pattern"));
        }
        let body = translator.out;
        let pattern = if whole { format!("\\A(?:{body})\\z") } else { body };
        let built = RegexBuilder::new(&pattern).size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN).build();
        built.map(Pattern).map_err(|_| format!("the pattern `{source}` is too large"))
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

struct Translator<'p> {
    rest: &'p str,
    out: String,
    depth: usize,
}

/// The meaning of an escape.
enum Escape {
    Character(char),
    Set,
}

/// Each parsing function consumes one part of the grammar and returns whether it was present.
impl Translator<'_> {
    fn next_char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.rest.starts_with(expected);
        if found {
            self.rest = &self.rest[expected.len_utf8()..];
        }
        found
    }

    fn push_literal(&mut self, c: char) {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn branches(&mut self) -> bool {
        loop {
            while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
                if !self.atom() || !self.quantifier() {
                    return false;
                }
            }
            if !self.eat('|') {
                return true;
            }
            self.out.push('|');
        }
    }

    fn atom(&mut self) -> bool {
        match self.next_char() {
            Some('.') => self.out.push_str(r"[^\n\r]"),
            Some('^') => self.out.push_str(r"\A"),
            Some('$') => self.out.push_str(r"\z"),
            Some('(') => return self.group(),
            Some('[') => return self.class(),
            Some('\\') => match self.escape() {
                Some(Escape::Character(c)) => self.push_literal(c),
                Some(Escape::Set) => {}
                None => return false,
            },
            Some('?' | '*' | '+' | ')' | ']' | '{' | '}' | '|') | None => return false,
            Some(c) => self.push_literal(c),
        }
        true
    }

    fn group(&mut self) -> bool {
        self.depth += 1;
        if self.depth > DEEPEST {
            return false;
        }
        self.out.push_str("(?:");
        let good = self.branches() && self.eat(')');
        self.out.push(')');
        self.depth -= 1;
        good
    }

    fn quantifier(&mut self) -> bool {
        for simple in ['*', '+', '?'] {
            if self.eat(simple) {
                self.out.push(simple);
                return true;
            }
        }
        if !self.eat('{') {
            return true;
        }
        let Some((range, rest)) = self.rest.split_once('}') else { return false };
        let (least, most) = range.split_once(',').unwrap_or((range, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if least.is_empty() || !digits(least) || !digits(most) {
            return false;
        }
        self.rest = rest;
        self.out.push_str(&format!("{{{range}}}"));
        true
    }

    /// Parses the rest of an escape. A character set has already been written to the output.
    fn escape(&mut self) -> Option<Escape> {
        let c = match self.next_char()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            letter @ ('p' | 'P') => return self.category(letter).then_some(Escape::Set),
            letter @ ('d' | 's' | 'w' | 'D' | 'S' | 'W') => {
                self.out.push_str(match letter {
                    'd' => "[0-9]",
                    'D' => "[^0-9]",
                    's' => r"[ \t\n\r\f\v]",
                    'S' => r"[^ \t\n\r\f\v]",
                    'w' => "[0-9A-Za-z_]",
                    _ => "[^0-9A-Za-z_]",
                });
                return Some(Escape::Set);
            }
            c @ ('(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^' | '{' | '|' | '}') => c,
            // Not in the standard's list, but the meaning is unambiguous.
            c @ ('$' | '/') => c,
            _ => return None,
        };
        Some(Escape::Character(c))
    }

    fn category(&mut self, letter: char) -> bool {
        let Some((name, rest)) = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return false;
        };
        if name.is_empty() || name.contains(' ') || !CATEGORIES.contains(&format!(" {name} ")) {
            return false;
        }
        self.rest = rest;
        self.out.push_str(&format!("\\{letter}{{{name}}}"));
        true
    }

    fn class(&mut self) -> bool {
        self.out.push('[');
        if self.eat('^') {
            self.out.push('^');
        }
        if self.eat('-') {
            self.out.push_str("\\-");
        } else if self.rest.starts_with(']') || !self.range() {
            return false;
        }
        loop {
            if self.eat(']') {
                self.out.push(']');
                return true;
            }
            if self.rest.starts_with("-]") {
                self.rest = &self.rest[1..];
                self.out.push_str("\\-");
            } else if !self.range() {
                return false;
            }
        }
    }

    /// Parses a character, a character range or a category in brackets.
    fn range(&mut self) -> bool {
        let first = match self.class_character() {
            Some(Escape::Character(c)) => c,
            Some(Escape::Set) => return true,
            None => return false,
        };
        self.push_literal(first);
        if self.rest.starts_with("-]") || !self.eat('-') {
            return true;
        }
        let Some(Escape::Character(last)) = self.class_character() else { return false };
        self.out.push('-');
        self.push_literal(last);
        first <= last
    }

    fn class_character(&mut self) -> Option<Escape> {
        match self.next_char()? {
            '\\' => self.escape(),
            '[' | ']' | '-' => None,
            c => Some(Escape::Character(c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern = Pattern::new(pattern, true).expect("valid pattern");
        for text in matching {
            assert!(pattern.matches(text), "{text:?}");
        }
        for text in others {
            assert!(!pattern.matches(text), "{text:?}");
        }
    }

    #[test]
    fn patterns_match_as_in_rfc_9485() {
        check("a.c", &["abc", "a\u{2028}c"], &["a\nc", "a\rc", "ac", "xabcx"]);
        check("ab|cd", &["ab", "cd"], &["abd", "acd"]);
        check("[a-c-]+x{2,3}", &["a-cxx", "-xxx"], &["xx", "axxxx"]);
        check(r"[^\]\\]", &["a"], &["]", "\\"]);
        check(r"\p{Lu}[\p{Ll}\p{Nd}]*", &["Ab9", "Ж"], &["b", "A-"]);
        check(r"\P{Lu}", &["a", "1"], &["A"]);
        check(r"\d+\s\w", &["12 a"], &["12a"]);
        check("^a#b$", &["a#b"], &["^a#b$"]);
        check("", &[""], &["a"]);
    }

    #[test]
    fn invalid_patterns_are_refused() {
        for bad in [
            "(",
            "a)",
            "[",
            "[]",
            "[b-a]",
            "a**",
            "a{",
            "a{,2}",
            "a{2}{3}",
            r"\p{Lx}",
            r"\p{}",
            r"\b",
            "(?i)a",
            "[[:alpha:]]",
        ] {
            assert!(Pattern::new(bad, false).is_err(), "{bad}");
        }
        assert!(Pattern::new("a{1000}{1}", false).is_err());
        assert!(Pattern::new("((((a{1000}){1000}){1000}){1000})", false).is_err());
        assert!(Pattern::new(&"(".repeat(100_000), false).is_err());
    }

    #[test]
    fn search_matches_part_of_text() {
        let pattern = Pattern::new("b.d", false).expect("valid pattern");
        assert!(pattern.matches("abcde"));
    }
}
