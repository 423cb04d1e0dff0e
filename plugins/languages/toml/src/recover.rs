//! Recovery after an unclosed bracket or string. Parsing resumes at the next line that starts a section or an entry.

use marquetry_sdk::lines;
use toml_parser::{Source, lexer::TokenKind};

use crate::scalar::is_bare;

/// Maximum number of positions at which a malformed text is split.
const MAX_CUTS: usize = 32;

/// Returns the offsets of the lines at which the text is split, so that an unclosed bracket or string does not contain
/// the rest of the file.
pub(crate) fn cuts(text: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut from = 0;
    while cuts.len() < MAX_CUTS
        && let Some(open) = first_unclosed(&text[from..])
        && let Some(cut) = resume_line(text, from + open.at, open.among_keys)
    {
        cuts.push(cut);
        from = cut;
    }
    cuts
}

/// An unclosed bracket or string at the end of a text.
struct Unclosed {
    at: usize,
    /// True if the unclosed bracket is only in arrays. Arrays contain no keys directly, so a line with a key must be
    /// outside of them.
    among_keys: bool,
}

/// Returns the first unclosed bracket or string of the text.
fn first_unclosed(text: &str) -> Option<Unclosed> {
    let mut brackets: Vec<TokenKind> = Vec::new();
    let (mut start, mut in_value) = (0, false);
    for token in Source::new(text).lex() {
        let at = token.span().start();
        match token.kind() {
            TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                let raw = &text[at..token.span().end()];
                if raw.len() < 6 || !raw.ends_with(&raw[..3]) {
                    if brackets.is_empty() {
                        return Some(Unclosed { at, among_keys: false });
                    }
                    break;
                }
            }
            TokenKind::Equals => in_value = true,
            TokenKind::Newline if brackets.is_empty() => in_value = false,
            kind @ (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket) if in_value => {
                if brackets.is_empty() {
                    start = at;
                }
                brackets.push(kind);
            }
            TokenKind::RightSquareBracket if brackets.last() == Some(&TokenKind::LeftSquareBracket) => {
                brackets.pop();
            }
            TokenKind::RightCurlyBracket if brackets.last() == Some(&TokenKind::LeftCurlyBracket) => {
                brackets.pop();
            }
            _ => {}
        }
    }
    let among_keys = brackets.iter().all(|kind| *kind == TokenKind::LeftSquareBracket);
    (!brackets.is_empty()).then_some(Unclosed { at: start, among_keys })
}

/// Returns the first line after an offset that begins a section. If `among_keys` is set, the line may also begin an
/// entry.
fn resume_line(text: &str, open: usize, among_keys: bool) -> Option<usize> {
    let margin = lines::indent_at(text, open).len();
    let mut at = lines::next_line(text, open);
    while at < text.len() {
        let line = &text[at..lines::line_end(text, at)];
        let depth = line.len() - line.trim_start_matches([' ', '\t']).len();
        if is_header(line.trim()) || (among_keys && depth <= margin && is_entry(line.trim())) {
            return Some(at);
        }
        at = lines::next_line(text, at);
    }
    None
}

/// Returns whether the line contains only a header, `[a.b]` or `[[a.b]]`.
fn is_header(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim_end();
    let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let inner = inner.map(|inner| inner.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(inner));
    inner.is_some_and(|inner| inner.contains(|c: char| c.is_ascii_alphabetic()) && is_dotted(inner))
}

/// Returns whether the line has the form `a.b = …`.
fn is_entry(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| is_dotted(key))
}

/// Returns whether the text is a key, which may have several parts. Quoted parts that contain a dot are not recognized.
fn is_dotted(key: &str) -> bool {
    key.split('.').map(str::trim).all(|part| {
        let quoted = |quote: char| part.len() > 1 && part.starts_with(quote) && part.ends_with(quote);
        is_bare(part) || quoted('"') || quoted('\'')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclosed_bracket_ends_at_next_entry_or_section() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = cuts(text).into_iter().map(|at| text[at..].lines().next().unwrap_or("")).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("a = [1,\n 2\n[b]\nc = 1\n", &["[b]"]);
        check("a = [1,\n 2\nc = 1\n[b]\n", &["c = 1"]);
        check("a = { b = 1\nc = 1\n[[b.'x y']] # z\n", &["[[b.'x y']] # z"]);
        check("a = \"\"\"\nb = 1\n[c]\nd = '''\n[e]\n", &["[c]", "[e]"]);
        check("a = [\n  [1],\n  [\"x\"],\n]\n[b]\n", &[]);
        check("a = [\n", &[]);
        check("[a\nb = 1\n[c]", &[]);
    }
}
