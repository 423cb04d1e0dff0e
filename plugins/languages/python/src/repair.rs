//! Repairs unclosed brackets before a text with errors is parsed again, so that the declarations after them are found.

use marquetry_sdk::lines;

use crate::nesting::end_of_string;

/// Starts of lines that cannot be inside brackets, unless they are indented more deeply than the line of the bracket.
const STARTS: [&str; 5] = ["def ", "class ", "async def ", "@", "import "];

/// The text with a space instead of each bracket that is still open where a declaration starts. Offsets do not change.
/// `None` if there is no such bracket.
pub(crate) fn without_unclosed_brackets(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut open: Vec<usize> = Vec::new();
    let mut unclosed: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let starts_line = at == 0 || matches!(bytes[at - 1], b'\n' | b'\r');
        if starts_line && let Some(first) = open.first() {
            let line = &text[at..lines::line_end(text, at)];
            let code = line.trim_start_matches([' ', '\t']);
            let is_outer = line.len() - code.len() <= lines::indent_at(text, *first).len();
            if is_outer && STARTS.iter().any(|start| code.starts_with(start)) {
                unclosed.append(&mut open);
            }
        }
        match bytes[at] {
            b'#' => at = lines::line_end(text, at).max(at + 1) - 1,
            b'(' | b'[' | b'{' => open.push(at),
            b')' | b']' | b'}' => {
                open.pop();
            }
            quote @ (b'"' | b'\'') => at = end_of_string(bytes, at, quote).max(at + 1) - 1,
            _ => {}
        }
        at += 1;
    }
    unclosed.append(&mut open);
    if unclosed.is_empty() {
        return None;
    }
    let mut repaired = text.as_bytes().to_vec();
    for at in unclosed {
        repaired[at] = b' ';
    }
    String::from_utf8(repaired).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclosed_brackets_become_spaces() {
        let repaired = |text: &str| without_unclosed_brackets(text).unwrap_or_default();
        assert_eq!(repaired("x = f(\ndef g(): pass\n"), "x = f \ndef g(): pass\n");
        assert_eq!(
            repaired("class A:\n    def f(self, x=[:\n    def g(self): ...\n"),
            "class A:\n    def f self, x= :\n    def g(self): ...\n"
        );
        assert_eq!(repaired("x = [1,\n     2\n"), "x =  1,\n     2\n");
    }

    #[test]
    fn closed_brackets_stay() {
        for text in ["", "f(\n    a,\n)\nclass A: ...\n", "x = '('\n# (\n", "x = (\n    '''\ndef '''\n)\n"] {
            assert_eq!(without_unclosed_brackets(text), None, "{text}");
        }
    }
}
