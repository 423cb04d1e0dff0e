//! Syntax that the grammar does not support yet. Such text is replaced with similar supported syntax before it is
//! parsed.

use marquetry_sdk::Span;

/// A word or punctuation character of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) start: usize,
}

/// The text for the grammar, with the same length and some characters replaced. These are the dots in type names of
/// record patterns (`case Shape.Circle(var r)`), `super(…)` and `this(…)`, which need not be the first statement, and
/// `import module`. Returns `None` if no character is replaced.
pub(crate) fn masked(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let mut bytes = text.as_bytes().to_vec();
    for (index, token) in tokens.iter().enumerate() {
        let text_at = |offset: usize| tokens.get(index + offset).map_or("", |token| token.text);
        match token.text {
            "case" | "instanceof" => {
                let is_final = text_at(1) == "final";
                mask_pattern(&tokens, index + if is_final { 2 } else { 1 }, &mut bytes);
            }
            "super" | "this" if text_at(1) == "(" => bytes[token.start] = b'_',
            "import" if text_at(1) == "module" && is_word(text_at(2)) => {
                // An import of a static name has the same syntax.
                bytes[tokens[index + 1].start..][..6].copy_from_slice(b"static");
            }
            _ => {}
        }
    }
    String::from_utf8(bytes).ok().filter(|masked| masked != text)
}

/// Replaces the dots in type names of record patterns. Returns the index of the token after the pattern.
fn mask_pattern(tokens: &[Token<'_>], start: usize, bytes: &mut [u8]) -> usize {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
    let mut at = start;
    let mut dots = Vec::new();
    while is_word(text(at)) && text(at + 1) == "." {
        dots.push(tokens[at + 1].start);
        at += 2;
    }
    if !is_word(text(at)) || text(at + 1) != "(" {
        return at;
    }
    dots.into_iter().for_each(|dot| bytes[dot] = b'_');
    at += 2;
    while !matches!(text(at), ")" | "") {
        let next = mask_pattern(tokens, at, bytes);
        at = next.max(at + 1);
    }
    at + 1
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
}

/// Returns whether a syntax error is caused by one of several patterns without variable names after `case`: `case
/// Circle _, Square _ ->`.
pub(crate) fn is_unnamed_alternative(text: &str, error: Span) -> bool {
    let patterns = error.slice(text).trim().trim_end_matches(',');
    let is_pattern = |pattern: &str| {
        let name = pattern.trim().strip_suffix('_').map(str::trim_end);
        name.is_some_and(|name| is_word(name) && name.split('.').all(is_word))
    };
    let start = text[..error.range().start].trim_end();
    patterns.split(',').all(is_pattern)
        && start
            .rsplit_once("case")
            .is_some_and(|(_, rest)| rest.is_empty() || rest.trim_end_matches(',').split(',').all(is_pattern))
}

/// The words and punctuation characters of a text, without comments and strings.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '"' if rest.starts_with("\"\"\"") => quoted(rest, "\"\"\""),
            '"' => quoted(rest, "\""),
            '\'' => quoted(rest, "'"),
            first if is_word(rest) => {
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8());
                found.push(Token { text: &rest[..length], start: at });
                length
            }
            first if first.is_whitespace() => first.len_utf8(),
            first => {
                found.push(Token { text: &rest[..first.len_utf8()], start: at });
                first.len_utf8()
            }
        };
        at += length;
    }
    found
}

/// The length of the string literal at the start of a text.
fn quoted(text: &str, quotes: &str) -> usize {
    let mut at = quotes.len();
    while let Some(next) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match next {
            '\\' => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '\n' if quotes.len() == 1 => return at,
            _ if text[at..].starts_with(quotes) => return at + quotes.len(),
            _ => at += next.len_utf8(),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::testing;

    use super::masked;
    use crate::Java;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(masked(text).unwrap_or_else(|| text.to_owned()), expected);
        assert_eq!(expected.len(), text.len());
    }

    #[test]
    fn patterns_of_records_have_one_name() {
        check("case A.B(C.D(var x), E f) -> 1;", "case A_B(C_D(var x), E f) -> 1;");
        check("a instanceof final A.B.C(int d) && b.c(d)", "a instanceof final A_B_C(int d) && b.c(d)");
        check("case A.B: f.g();", "case A.B: f.g();");
        check("// case A.B(\nx = \"case A.B(\" + '\"';", "// case A.B(\nx = \"case A.B(\" + '\"';");
    }

    #[test]
    fn notations_of_new_versions_have_no_errors() {
        for text in [
            "class A { void f() { switch (x) { case A.B(C c) -> {} case D.E(var e) when e > 1 -> {} default -> {} } } }",
            "class A { boolean f() { return x instanceof A.B(int c, D.E(var g)) && c > 1; } }",
            "class A { int f(Object o) { return switch (o) { case A _, B _ -> 1; case C.D _, E _, F _ -> 2; default -> 3; }; } }",
            "class A { A(int x) { if (x < 0) throw new E(); super(x); } }",
            "class A { A(int x) { check(x); this(x, 1); } A(int x, int y) {} }",
            "import module java.base;\n\nvoid main() { IO.println(\"a\"); }\n\nint x = 1;\n",
            "/// A *markdown* comment.\nclass A { void f(int _) { for (var _ : xs) {} } }",
        ] {
            assert_eq!(testing::open::<Java>("A.java", text).diagnostics(), [""; 0], "{text}");
            testing::check_laws::<Java>("A.java", text);
        }
    }

    #[test]
    fn similar_texts_keep_their_errors() {
        for text in [
            "class A { void f() { g(A _, B _); } }",
            "class A { int f(Object o) { return switch (o) { case A _, 1 + -> 1; }; } }",
            "class A { A.B(int x); }",
        ] {
            assert_ne!(testing::open::<Java>("A.java", text).diagnostics(), [""; 0], "{text}");
        }
    }
}
