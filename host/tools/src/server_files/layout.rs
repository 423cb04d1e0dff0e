//! Layout of code in unknown languages: lines, indentation, comments, and the body of a block.

use marquetry_model::{Span, pack::Node};

/// Returns the offset of the start of a line.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Returns the offset after the line break that ends a line.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns the indentation of the line at an offset.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the comment lines directly above a node, including decorators.
pub(super) fn comment_before(text: &str, start: usize) -> Option<Span> {
    let first = line_start(text, start);
    let indent = indent_at(text, start);
    let mut begin = first;
    while begin > 0 {
        let above = line_start(text, begin - 1);
        let line = text[above..begin].trim_end();
        let is_beside = line.len() - line.trim_start().len() <= indent.len() + 1;
        if !is_beside || !is_comment(line.trim_start()) {
            break;
        }
        begin = above;
    }
    let begin = begin + text[begin..first].len() - text[begin..first].trim_start().len();
    (begin < first).then(|| Span::new(begin, first + indent.len()))
}

/// Returns whether a line is a comment or an annotation in some common language.
fn is_comment(line: &str) -> bool {
    let marks = ["//", "/*", "*/", "* ", "--", ";", "%", "@", "#[", "'''", "///"];
    line == "*" || line == "#" || line.starts_with("# ") || marks.iter().any(|mark| line.starts_with(mark))
}

/// Returns the content of a node's block: the text between its braces, or the lines below its first line.
pub(super) fn body_of(text: &str, span: Span, selection: Span) -> Option<Span> {
    let from = selection.end.max(span.start);
    let code = text.get(from..span.end)?;
    let trimmed = code.trim_end().trim_end_matches([';', ',']);
    if trimmed.ends_with('}') {
        let open = opening_brace(trimmed)?;
        return Some(Span::new(from + open + 1, from + trimmed.len() - 1));
    }
    let first = code.find('\n')?;
    let header = code[..first].trim_end();
    let last = trimmed.rfind('\n').map_or("", |at| &trimmed[at + 1..]).trim();
    let end = match last {
        "end" | "fi" | "done" | "esac" => from + trimmed.rfind('\n')? + 1,
        _ if header.ends_with(':') => from + trimmed.len(),
        _ => return None,
    };
    let start = from + first + 1;
    (start < end).then(|| Span::new(start, end))
}

/// Returns the offset of the brace that matches the last closing brace of a text.
fn opening_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            '}' => depth += 1,
            '{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the part of a node before its body, without trailing white space.
pub(super) fn first_line(text: &str, span: Span, body: Option<Span>) -> Span {
    let end = body.map_or_else(|| line_end(text, span.start).min(span.end), |body| body.start);
    let head = text[span.start..end].trim_end().trim_end_matches(['{', ':']).trim_end();
    Span::new(span.start, span.start + head.len())
}

/// Returns the lines of a node with its comment, and the blank lines around them.
pub(super) fn lines_with_blanks(text: &str, node: &Node) -> Span {
    let start = line_start(text, node.doc.map_or(node.span.start, |doc| doc.start));
    let end = line_end(text, node.span.end);
    let before = text[..start].trim_end_matches([' ', '\t', '\n', '\r']).len();
    let after = end + text[end..].len() - text[end..].trim_start_matches(['\n', '\r']).len();
    Span::new(if before == 0 { 0 } else { line_end(text, before).min(start) }, after)
}

/// Adds the indentation to all lines but the first, unless they have it already.
pub(super) fn indented(content: &str, indent: &str) -> String {
    let mut rest = content.lines().skip(1).filter(|line| !line.trim().is_empty());
    if indent.is_empty() || rest.all(|line| line.starts_with(indent)) {
        return content.to_owned();
    }
    let mut all = String::with_capacity(content.len());
    for (index, line) in content.split_inclusive('\n').enumerate() {
        if index > 0 && !line.trim().is_empty() {
            all.push_str(indent);
        }
        all.push_str(line);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_is_between_braces_or_below_the_header() {
        for (text, name, body) in [
            ("func f(a {}) { return; }", "f", Some(" return; ")),
            ("class A {\n  int x;\n};", "A", Some("\n  int x;\n")),
            ("def f(a)\n  a + 1\nend", "f", Some("  a + 1\n")),
            ("def f(a):\n    return a\n", "f", Some("    return a")),
            ("f() {\n  echo\n}", "f", Some("\n  echo\n")),
            ("int x;", "x", None),
            ("a }", "a", None),
        ] {
            let at = text.find(name).expect("a name");
            let found = body_of(text, Span::new(0, text.len()), Span::new(at, at + name.len()));
            assert_eq!(found.map(|span| span.slice(text)), body, "{text}");
        }
    }

    #[test]
    fn comments_and_annotations_above_belong_to_a_node() {
        for (text, comment) in [
            ("// a\n// b\nX", Some("// a\n// b\n")),
            ("y\n\n# a\nX", Some("# a\n")),
            ("  /** a\n   * b\n   */\n  X", Some("/** a\n   * b\n   */\n  ")),
            ("@Test\nX", Some("@Test\n")),
            ("#include <a>\nX", None),
            ("// a\n\nX", None),
        ] {
            let at = text.find('X').expect("a node");
            assert_eq!(comment_before(text, at).map(|span| span.slice(text)), comment, "{text}");
        }
    }

    #[test]
    fn content_gets_the_indentation_once() {
        assert_eq!(indented("a {\n  b\n}", "  "), "a {\n    b\n  }");
        assert_eq!(indented("a {\n    b\n  }", "  "), "a {\n    b\n  }");
        assert_eq!(indented("a\n\nb", "\t"), "a\n\n\tb");
    }
}
