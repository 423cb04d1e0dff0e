//! Tests of item lists: inserts, deletes, comments and separators.

use super::*;
use crate::span::apply;

/// The object or array in the text; its items are the words outside of comments.
fn items(text: &str) -> Items<'_> {
    let (open, close) =
        (text.find(['{', '[']).expect("an opening bracket") + 1, text.rfind(['}', ']']).expect("a closing bracket"));
    let mut items = Vec::new();
    let mut at = open;
    while at < close {
        let rest = &text[at..close];
        if rest.starts_with("//") {
            at = lines::line_end(text, at);
        } else if rest.starts_with("/*") {
            at += rest.find("*/").expect("a closed comment") + 2;
        } else if rest.starts_with(char::is_alphanumeric) {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            items.push(Span::new(at, at + end));
            at += end;
        } else {
            at += 1;
        }
    }
    let empty = if text.contains('{') { EmptyStyle::Block } else { EmptyStyle::Tight };
    Items {
        text,
        inner: Span::new(open, close),
        items,
        separator: ",",
        terminated: false,
        comments: C_STYLE,
        unit: "  ",
        empty,
        breaks: 1,
    }
}

#[track_caller]
fn check_insert(text: &str, index: usize, expected: &str) {
    assert_eq!(apply(text, &items(text).insert(index, "new")), expected);
}

#[track_caller]
fn check_delete(text: &str, indices: &[usize], expected: &str) {
    assert_eq!(apply(text, &items(text).delete(indices)), expected);
}

#[test]
fn insert_follows_the_style_of_neighbours() {
    check_insert("[a, b]", 0, "[new, a, b]");
    check_insert("[a,b]", 9, "[a,b,new]");
    check_insert("{\n  a,\n  b\n}", 1, "{\n  a,\n  new,\n  b\n}");
    check_insert("{\n  a,\n  b\n}", 9, "{\n  a,\n  b,\n  new\n}");
    check_insert("{\n  a,\n\n  b,\n}", 9, "{\n  a,\n\n  b,\n\n  new,\n}");
    check_insert("{\n  a // why\n}", 9, "{\n  a, // why\n  new\n}");
}

#[test]
fn insert_fills_an_empty_container() {
    check_insert("[]", 0, "[new]");
    check_insert("{}", 0, "{\n  new\n}");
    check_insert("{\n  // todo\n}", 0, "{\n  // todo\n  new\n}");
    check_insert("[ /* none */ ]", 0, "[ /* none */ new ]");
    check_insert("{ /* none */ }", 0, "{ /* none */ new }");
    check_insert("{ // none\n}", 0, "{ // none\n  new\n}");
}

#[test]
fn delete_removes_the_separator() {
    check_delete("[a, b, c]", &[0], "[b, c]");
    check_delete("[a, b, c]", &[1], "[a, c]");
    check_delete("[a, b, c]", &[2], "[a, b]");
    check_delete("[a, b, c]", &[1, 2], "[a]");
    check_delete("[a]", &[0], "[]");
    check_delete("{\n  a,\n  b,\n  c\n}", &[1], "{\n  a,\n  c\n}");
    check_delete("{\n  a,\n  b\n}", &[1], "{\n  a\n}");
    check_delete("{\n  a, // why\n  b // other\n}", &[1], "{\n  a // why\n}");
    check_delete("{\n  a,\n  b,\n}", &[1], "{\n  a,\n}");
}

#[test]
fn delete_removes_one_of_two_blank_lines() {
    check_delete("{\n  a,\n\n  b,\n\n  c\n}", &[1], "{\n  a,\n\n  c\n}");
    check_delete("{\n  a,\n\n  b\n}", &[1], "{\n  a\n}");
    check_delete("{\n  a,\n\n  b\n}", &[0], "{\n  b\n}");
}

#[test]
fn trailing_comments_belong_to_their_item() {
    check_delete("[a, /* about b */ b, c]", &[1], "[a, c]");
    check_delete("[a, b /* about b */]", &[1], "[a]");
    check_delete("[a, b /* about b */, c]", &[1], "[a, c]");
    check_delete("[a /* about a */, b]", &[1], "[a /* about a */]");
    check_delete("[a, /* about b */ b, c]", &[0], "[/* about b */ b, c]");
    check_delete("[a, /* about b */ b, c]", &[2], "[a, /* about b */ b]");
    check_delete("[a, /* about b */ b, /* about c */ c]", &[1, 2], "[a]");
    check_delete("[a /* about a */]", &[0], "[]");
    check_delete("{\n  a, b, // about b\n  c\n}", &[1], "{\n  a,\n  c\n}");
    check_delete("{\n  a, // about a\n  /* about b */ b,\n  c\n}", &[1], "{\n  a, // about a\n  c\n}");
    check_delete("{ // about all\n  a, b\n}", &[0], "{ // about all\n  b\n}");
    check_delete("{ a, // about a\n  b }", &[1], "{ a // about a\n   }");
}

#[test]
fn leading_separators_are_kept() {
    let text = "{\n  a\n  , b\n  , c // why\n}";
    check_insert(text, 9, "{\n  a\n  , b\n  , c // why\n  , new\n}");
    check_insert(text, 1, "{\n  a\n  , new\n  , b\n  , c // why\n}");
    check_insert(text, 0, "{\n  new\n  , a\n  , b\n  , c // why\n}");
    check_delete(text, &[2], "{\n  a\n  , b\n}");
    check_delete(text, &[1], "{\n  a\n  , c // why\n}");
    check_delete(text, &[0], "{\n  b\n  , c // why\n}");
}

#[track_caller]
fn check_comment(text: &str, index: usize, comment: &str, expected: Option<&str>) {
    let edits = items(text).insert_comment(index, comment);
    assert_eq!(edits.map(|edits| apply(text, &edits)).as_deref(), expected, "{text}");
}

#[test]
fn comments_can_be_inserted_alone() {
    check_comment("{\n  a,\n  b\n}", 1, "// x", Some("{\n  a,\n  // x\n  b\n}"));
    check_comment("{\n  a,\n  b\n}", 9, "// x", Some("{\n  a,\n  b\n  // x\n}"));
    check_comment("{\n  a,\n  b, // why\n}", 9, "// x", Some("{\n  a,\n  b, // why\n  // x\n}"));
    check_comment("[a, b]", 1, "/* x */", Some("[a, /* x */ b]"));
    check_comment("[a, b]", 9, "/* x */", Some("[a, b /* x */]"));
    check_comment("[a, b]", 1, "// x", None);
    check_comment("{}", 0, "// x", Some("{\n  // x\n}"));
    check_comment("[]", 0, "/* x */", Some("[ /* x */ ]"));
    check_comment("{\n  // todo\n}", 0, "// x", Some("{\n  // todo\n  // x\n}"));
}

#[test]
fn carriage_returns_are_kept() {
    check_delete("{\r\n  a,\r\n  b\r\n}", &[1], "{\r\n  a\r\n}");
    check_delete("{\r\n  a,\r\n\r\n  b\r\n}", &[1], "{\r\n  a\r\n}");
}

#[test]
fn sort_order_is_natural() {
    assert_eq!(sorted_index(["a", "C"], "b"), 1);
    assert_eq!(sorted_index(["a", "c"], "d"), 2);
    assert_eq!(sorted_index([], "d"), 0);
    assert!(are_sorted(["a", "B", "c", "d"]));
    assert!(!are_sorted(["a", "c", "b", "d"]) && !are_sorted(["a", "b", "c"]));
}

#[track_caller]
fn check_commented(text: &str, index: usize, expected: &str) {
    let new = NewItem { text: "new", comments: " // c" };
    assert_eq!(apply(text, &items(text).insert(index, new)), expected);
}

#[test]
fn line_comment_is_written_after_the_separator() {
    check_commented("{\n  a,\n  b\n}", 0, "{\n  new, // c\n  a,\n  b\n}");
    check_commented("{\n  a,\n  b\n}", 1, "{\n  a,\n  new, // c\n  b\n}");
    check_commented("{\n  a,\n  b\n}", 9, "{\n  a,\n  b,\n  new // c\n}");
    check_commented("{\n  a,\n  b,\n}", 9, "{\n  a,\n  b,\n  new, // c\n}");
    check_commented("{\n  a, // a\n  b // b\n}", 9, "{\n  a, // a\n  b, // b\n  new // c\n}");
    check_commented("{\n  a\n  , b\n}", 0, "{\n  new // c\n  , a\n  , b\n}");
    check_commented("{\n  a\n  , b\n}", 1, "{\n  a\n  , new // c\n  , b\n}");
    check_commented("{\n  a\n  , b\n}", 9, "{\n  a\n  , b\n  , new // c\n}");
}

#[test]
fn line_comment_moves_the_rest_of_its_line() {
    check_commented("[a, b]", 0, "[new, // c\n  a, b]");
    check_commented("[a, b]", 1, "[a, new, // c\n  b]");
    check_commented("[a, b]", 9, "[a, b, new // c\n]");
    check_commented("[a, b /* x */]", 9, "[a, b, /* x */ new // c\n]");
    check_commented("[\n  a,\n  b]", 9, "[\n  a,\n  b,\n  new // c\n]");
    check_commented("[]", 0, "[\n  new // c\n]");
    check_commented("{ }", 0, "{\n  new // c\n}");
    check_commented("[ /* x */ ]", 0, "[ /* x */\n  new // c\n]");
    check_commented("[\n  // x\n]", 0, "[\n  // x\n  new // c\n]");
}

#[test]
fn comments_after_an_item_are_at_the_end_of_its_line() {
    let check = |text: &str, index: usize, expected: &str| {
        let items = items(text);
        let edit = items.insert_comments_after(items.items[index].range().end, " // c");
        assert_eq!(apply(text, &[edit]), expected);
    };
    check("{\n  a,\n  b\n}", 0, "{\n  a, // c\n  b\n}");
    check("{\n  a, // a\n  b\n}", 0, "{\n  a, // a // c\n  b\n}");
    check("{\n  a,\n  b\n}", 1, "{\n  a,\n  b // c\n}");
    check("{\n  a\n  , b\n}", 0, "{\n  a // c\n  , b\n}");
    check("[a, b]", 0, "[a, // c\n  b]");
    check("[a /* x */, b]", 0, "[a /* x */, // c\n  b]");
    check("[a, b]", 1, "[a, b // c\n]");
    check("[a, b ]", 1, "[a, b // c\n]");
}
