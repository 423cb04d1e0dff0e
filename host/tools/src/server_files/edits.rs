//! Edits of a symbol whose range a language server reports.

use marquetry_model::{
    Edit, Error, Kind, Result, Span,
    pack::{EditOptions, Node, Operation, Position},
};

use super::layout::{indent_at, indented, line_end, line_start, lines_with_blanks};

/// Returns the edits of an operation on one node.
pub(super) fn edits_of(text: &str, node: &Node, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    let start = if options.include_doc { node.doc.map_or(node.span.start, |doc| doc.start) } else { node.span.start };
    let indent = indent_at(text, node.span.start);
    Ok(vec![match operation {
        Operation::Replace(content) => {
            let content = content.trim_end_matches(['\n', '\r']);
            Edit { span: Span::new(start, node.span.end), text: indented(content, indent) }
        }
        Operation::ReplaceBody(content) => {
            let body = node.body.ok_or_else(|| no_body(node))?;
            Edit { span: body, text: body_text(text, node, body, content) }
        }
        Operation::InsertBefore(content) => beside(text, node, content, true),
        Operation::InsertAfter(content) => beside(text, node, content, false),
        Operation::InsertInto(content, position) => {
            let body = node.body.ok_or_else(|| no_body(node))?;
            insert_into(text, node, body, content, *position)?
        }
        Operation::Delete => Edit { span: deleted(text, node), text: String::new() },
        Operation::Wrap { .. } => {
            return Err(Error::new(Kind::Unsupported, "a symbol of a language server cannot be wrapped")
                .hint("replace it with the new text"));
        }
    }])
}

fn no_body(node: &Node) -> Error {
    Error::argument(format!("`{}` has no body in braces or below its first line", node.address))
        .hint("replace the whole symbol with `operation: replace`")
}

/// Returns the indentation of the lines in a body.
fn inner_indent(text: &str, node: &Node, body: Span) -> String {
    let first = body.slice(text).lines().find(|line| !line.trim().is_empty());
    let is_on_own_line = body.slice(text).contains('\n');
    match first.filter(|_| is_on_own_line) {
        Some(line) => line[..line.len() - line.trim_start().len()].to_owned(),
        None => {
            let unit = if text.lines().any(|line| line.starts_with('\t')) { "\t" } else { "    " };
            format!("{}{unit}", indent_at(text, node.span.start))
        }
    }
}

/// Returns the new text of a body, on separate lines if the old one is.
fn body_text(text: &str, node: &Node, body: Span, content: &str) -> String {
    let old = body.slice(text);
    let content = content.trim_matches(['\n', '\r']);
    if old.trim() == content.trim() && !old.trim().is_empty() {
        return old.to_owned();
    }
    let in_braces = text[..body.start].ends_with('{');
    if in_braces && !old.contains('\n') && !content.contains('\n') {
        return format!(" {} ", content.trim());
    }
    let inner = inner_indent(text, node, body);
    let lines = format!("{inner}{}", indented(content.trim_start(), &inner));
    match (in_braces, old.ends_with('\n')) {
        (true, _) => format!("\n{lines}\n{}", indent_at(text, node.span.start)),
        (false, true) => format!("{lines}\n"),
        (false, false) => lines,
    }
}

/// Returns the edit that inserts lines before or after a node. They are separated by a blank line if the node has one
/// around it or the content has several lines.
fn beside(text: &str, node: &Node, content: &str, is_before: bool) -> Edit {
    let indent = indent_at(text, node.span.start);
    let content = content.trim_matches(['\n', '\r']);
    let lines = format!("{indent}{}", indented(content.trim_start(), indent));
    let around = lines_with_blanks(text, node).slice(text);
    let is_apart = content.contains('\n') || around.starts_with(['\n', '\r']) || around.contains("\n\n");
    let blank = if is_apart { "\n" } else { "" };
    if is_before {
        let at = line_start(text, node.doc.map_or(node.span.start, |doc| doc.start));
        return Edit { span: Span::new(at, at), text: format!("{lines}\n{blank}") };
    }
    let at = line_end(text, node.span.end);
    let open = if text[..at].ends_with('\n') { "" } else { "\n" };
    Edit { span: Span::new(at, at), text: format!("{open}{blank}{lines}\n") }
}

fn insert_into(text: &str, node: &Node, body: Span, content: &str, position: Position) -> Result<Edit> {
    if position == Position::Sorted {
        return Err(Error::new(Kind::Unsupported, "symbols of a language server are not sorted")
            .hint("use `position: first` or `last`"));
    }
    let inner = inner_indent(text, node, body);
    let content = content.trim_matches(['\n', '\r']);
    let lines = format!("{inner}{}", indented(content.trim_start(), &inner));
    let old = body.slice(text);
    let indent = indent_at(text, node.span.start);
    if old.trim().is_empty() && text[..body.start].ends_with('{') {
        return Ok(Edit { span: body, text: format!("\n{lines}\n{indent}") });
    }
    if position == Position::First {
        let at = if old.starts_with(['\n', '\r']) { line_end(text, body.start) } else { body.start };
        return Ok(Edit { span: Span::new(at, at), text: format!("{lines}\n") });
    }
    let at = body.start + old.trim_end().len();
    Ok(Edit { span: Span::new(at, at), text: format!("\n{lines}") })
}

/// Returns the lines of a node and its comment, and the blank line that would be left over.
fn deleted(text: &str, node: &Node) -> Span {
    let start = node.doc.map_or(node.span.start, |doc| doc.start);
    let (first, end) = (line_start(text, start), line_end(text, node.span.end));
    let is_alone =
        text[first..start].trim().is_empty() && text[node.span.end..end].trim().trim_matches([';', ',']).is_empty();
    if !is_alone {
        return Span::new(start, node.span.end);
    }
    let above = text[..first].trim_end_matches([' ', '\t', '\r', '\n']);
    let has_blank_before =
        text[above.len()..first].matches('\n').count() > 1 || above.is_empty() || above.ends_with(['{', ':']);
    let blank_after = text[end..].starts_with('\n');
    Span::new(first, if has_blank_before && blank_after { end + 1 } else { end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_files::layout::{body_of, comment_before};

    /// Returns the text after an operation on the node between `«` and `»`, whose name is the first word after `‹`.
    fn edited(marked: &str, operation: &Operation) -> String {
        let (start, end) = (marked.find('«').expect("a start"), marked.find('»').expect("an end") - "«".len());
        let text = marked.replace(['«', '»'], "");
        let span = Span::new(start, end);
        let name = text[start..end].split(|c: char| !c.is_alphanumeric()).nth(1).unwrap_or_default();
        let at = start + text[start..end].find(name).expect("a name");
        let selection = Span::new(at, at + name.len());
        let node = Node {
            span,
            selection,
            address: name.to_owned(),
            body: body_of(&text, span, selection),
            doc: comment_before(&text, start),
            ..Node::default()
        };
        let edits = edits_of(&text, &node, operation, EditOptions::default()).expect("edits");
        marquetry_model::EditSet::new(&text, edits).expect("valid edits").apply(&text)
    }

    const CLASS: &str = "class A {\n    // one\n    «fun f() {\n        a()\n    }»\n\n    fun g() {}\n}\n";

    #[test]
    fn replacements_keep_the_indentation() {
        let op = |content: &str| Operation::Replace(content.to_owned());
        let expected = "class A {\n    // one\n    fun h() {\n        b()\n    }\n\n    fun g() {}\n}\n";
        assert_eq!(edited(CLASS, &op("fun h() {\n    b()\n}\n")), expected);
        assert_eq!(edited(CLASS, &op("fun h() {\n        b()\n    }")), expected);
    }

    #[test]
    fn bodies_are_replaced_inside_of_their_braces() {
        let op = |content: &str| Operation::ReplaceBody(content.to_owned());
        let expected = "class A {\n    // one\n    fun f() {\n        b()\n        c()\n    }\n\n    fun g() {}\n}\n";
        assert_eq!(edited(CLASS, &op("b()\nc()")), expected);
        assert_eq!(edited("«fun f() { a() }»", &op("b()")), "fun f() { b() }");
        assert_eq!(edited("«def f\n  a\nend»\n", &op("b\nc")), "def f\n  b\n  c\nend\n");
        assert_eq!(edited("«def f():\n    a»\n", &op("b\nif c:\n    d")), "def f():\n    b\n    if c:\n        d\n");
        // Replacing the body with its own text changes nothing.
        assert_eq!(edited(CLASS, &op("a()")), CLASS.replace(['«', '»'], ""));
    }

    #[test]
    fn insertions_are_lines_of_their_own() {
        assert_eq!(
            edited(CLASS, &Operation::InsertAfter("fun x() {}".to_owned())),
            "class A {\n    // one\n    fun f() {\n        a()\n    }\n\n    fun x() {}\n\n    fun g() {}\n}\n"
        );
        assert_eq!(
            edited(CLASS, &Operation::InsertBefore("fun x() {\n    y\n}".to_owned())),
            "class A {\n    fun x() {\n        y\n    }\n\n    // one\n    fun f() {\n        a()\n    }\n\n    fun g() {}\n}\n"
        );
        assert_eq!(
            edited("«int a;»\nint b;\n", &Operation::InsertAfter("int c;".to_owned())),
            "int a;\nint c;\nint b;\n"
        );
        assert_eq!(edited("«int a;»", &Operation::InsertAfter("int c;".to_owned())), "int a;\nint c;\n");
    }

    #[test]
    fn content_is_inserted_into_bodies() {
        let last = |content: &str| Operation::InsertInto(content.to_owned(), Position::Last);
        let first = |content: &str| Operation::InsertInto(content.to_owned(), Position::First);
        assert_eq!(edited("«class A {\n  int a;\n}»\n", &last("int b;")), "class A {\n  int a;\n  int b;\n}\n");
        assert_eq!(edited("«class A {\n  int a;\n}»\n", &first("int b;")), "class A {\n  int b;\n  int a;\n}\n");
        assert_eq!(edited("«class A {}»\n", &last("int b;")), "class A {\n    int b;\n}\n");
    }

    #[test]
    fn deletions_take_the_comment_and_one_blank_line() {
        assert_eq!(edited(CLASS, &Operation::Delete), "class A {\n    fun g() {}\n}\n");
        assert_eq!(edited("int a;\n\n«int b;»\n\nint c;\n", &Operation::Delete), "int a;\n\nint c;\n");
        assert_eq!(edited("int a; «int b;» int c;\n", &Operation::Delete), "int a;  int c;\n");
    }
}
