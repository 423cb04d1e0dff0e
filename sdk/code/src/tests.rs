//! Tests of this crate with a small language: `def NAME:` with indented lines, `NAME = WORDS`, and lines of words.

mod delimited;
mod language;

use marquetry_sdk::{
    Document, Edit, EditOptions, FindResult, Form, Operation, Query, Span, Target, TargetKind, View,
    span::apply,
    testing::{after, before, body, first, last, replace, sorted, wrap},
};

use crate::{
    CodeDocument, ParseContext, ROOT,
    layout::{Content, Place},
    rename::{bound_at, bound_of, rename},
};
use language::SMALL;

fn open(text: &str) -> CodeDocument {
    CodeDocument::open(&SMALL, "a.small", text.to_owned())
}

fn find(document: &CodeDocument, address: &str) -> Vec<u32> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    match document.find(&Query { target, limit: 100, values: false }).expect("found") {
        FindResult::Nodes(nodes) => nodes.nodes.iter().map(|node| node.id).collect(),
        FindResult::Scalar(_) => Vec::new(),
    }
}

#[track_caller]
fn check(text: &str, address: &str, operation: Operation, expected: &str) {
    let document = open(text);
    let options = EditOptions { include_doc: false, force: false };
    let edits = document.edit(&find(&document, address), &operation, options);
    let edits: Vec<Edit> = edits.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(text, &edits), expected, "{operation:?} of {address} in\n{text}");
}

#[test]
fn arena_keeps_order_and_containment() {
    let document = open("def a:\n    b = c\n    def d:\n        pass\ne = a\n");
    let arena = document.arena();
    for (index, node) in arena.nodes().skip(1) {
        assert!(arena.node(node.parent).span.contains(node.span), "{node:?}");
        assert!(arena.children(node.parent).any(|child| child == index));
        assert!(arena.descendants(node.parent).contains(&index));
    }
    let inner = arena.innermost(Span::new(11, 12));
    assert_eq!(arena.slice(inner), "b");
    assert_eq!(arena.ancestors(inner).last(), Some(ROOT));
    assert_eq!(arena.end_of(ROOT), arena.node_count());
}

#[test]
fn addresses_are_found_with_and_without_numbers() {
    let document = open("def a:\n    x = 1\ndef a:\n    x = 2\n    x = 3\n");
    let addresses: Vec<String> = document.outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, ["a[1]", "a[1].x", "a[2]", "a[2].x[1]", "a[2].x[2]"]);
    assert_eq!(find(&document, "a"), [0, 2]);
    assert_eq!(find(&document, "a.x"), [1, 3, 4]);
    assert_eq!(find(&document, "a[2].x"), [3, 4]);
    assert_eq!(find(&document, "a.x[2]"), [4]);
}

#[test]
fn operations_keep_everything_else() {
    let text = "x = 1  # one\n\n# about a\ndef a:\n    y = 2\n    # end\n\nz = 3\n";
    check(text, "x", replace("x = 5"), &text.replacen("x = 1", "x = 5", 1));
    check(text, "a", body("p\nq"), &text.replacen("y = 2\n    # end", "p\n    q", 1));
    check(text, "a.y", Operation::Delete, &text.replacen("    y = 2\n", "    pass\n", 1));
    check(text, "a", Operation::Delete, "x = 1  # one\n\nz = 3\n");
    check(text, "a", last("w = 1"), &text.replacen("# end\n", "# end\n    w = 1\n", 1));
    check(text, "a", first("w = 1"), &text.replacen("    y", "    w = 1\n    y", 1));
    check(text, "z", before("def b:\n  p"), &text.replacen("\nz", "\ndef b:\n    p\n\nz", 1));
    check(text, "z", after("w = 1"), &format!("{text}w = 1\n").replacen("3\nw = 1\n", "3\nw = 1\n", 1));
    check(
        text,
        "a",
        wrap("def b:", ""),
        "x = 1  # one\n\ndef b:\n    # about a\n    def a:\n        y = 2\n        # end\n\nz = 3\n",
    );
    check("def a:\n    c = 1\n    e = 1\n", "a", sorted("d = 1"), "def a:\n    c = 1\n    d = 1\n    e = 1\n");
    check("def a:\n\tpass\n", "a", last("def b:\n  p"), "def a:\n\tdef b:\n\t\tp\n");
}

#[test]
fn items_of_literals_are_targets() {
    let text = "x = [\n    a:b,\n    # about c\n    c:d,  # tail\n    e,\n]\ndef f:\n    y = [a:b]\n";
    let document = open(text);
    let addresses: Vec<String> = document.outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, ["x", "x.a", "x.c", "f", "f.y", "f.y.a"]);
    check(text, "x.c", Operation::Delete, &text.replacen("    # about c\n    c:d,  # tail\n", "", 1));
    check(text, "x.c", replace("g:h,"), &text.replacen("c:d", "g:h", 1));
    check(text, "x.c", replace("# about g\ng:h"), &text.replacen("# about c\n    c:d", "# about g\n    g:h", 1));
    check(text, "x.a", body("z"), &text.replacen("a:b", "a:z", 1));
    check(text, "x", sorted("d:z"), &text.replacen("    e,", "    d:z,\n    e,", 1));
    check(text, "x", last("f"), &text.replacen("    e,\n", "    e,\n    f,\n", 1));
    check(text, "f.y.a", after("c"), &text.replacen("y = [a:b]", "y = [a:b, c]", 1));
    check(text, "f.y.a", Operation::Delete, &text.replacen("y = [a:b]", "y = []", 1));
    let bound = bound_of(&document, "x.a").expect_err("an item has no bound name");
    assert!(bound.message.contains("item of a collection"), "{bound:?}");
}

#[test]
fn several_targets_are_edited_at_once() {
    check("a = 1\n\nb = 2\n\na = 3\n", "a", Operation::Delete, "b = 2\n");
    check("def a:\n    x = 1\n    x = 2\n", "a.x", Operation::Delete, "def a:\n    pass\n");
    check("a = 1\na = 2\n", "a", replace("a = 0"), "a = 0\na = 0\n");
}

#[track_caller]
fn check_layout(content: &str, (indent, unit): (&str, &str), expected: &str) {
    let moved = Content::new(&SMALL, "a.small", content, ParseContext::File).at(Place { indent, unit });
    assert_eq!(moved, expected, "{content}");
}

#[test]
fn content_is_moved_in_steps() {
    check_layout("def a:\n  def b:\n    c\n  d", ("    ", "\t"), "def a:\n    \tdef b:\n    \t\tc\n    \td");
    check_layout("    a\n    def b:\n      c\n", ("", "    "), "a\ndef b:\n    c");
    check_layout("\n\na\n\nb\n\n", ("  ", "  "), "a\n\n  b");
    // The text lacks the indentation of its first line.
    check_layout("a\n        def b:\n            c", ("  ", "  "), "a\n  def b:\n    c");
    check_layout("a\r\ndef b:\r\n\tc", ("", "  "), "a\ndef b:\n  c");
    check_layout("# x\na\n# y", ("  ", "  "), "# x\n  a\n  # y");
}

#[test]
fn names_are_renamed_or_refused() {
    let text = "x = 1\ndef f:\n    y = x\n    x = y\ndef g:\n    z = x\n";
    let document = open(text);
    let renamed = |offset: usize, new: &str| {
        let bound = bound_at(&document, offset as u32).expect("bound");
        rename(&document, &bound, new).map(|edits| apply(text, &edits))
    };
    assert_eq!(renamed(0, "w").as_deref(), Ok("w = 1\ndef f:\n    y = x\n    x = y\ndef g:\n    z = w\n"));
    assert_eq!(renamed(17, "w").as_deref(), Ok("x = 1\ndef f:\n    w = x\n    x = w\ndef g:\n    z = x\n"));
    assert!(renamed(0, "z").is_err_and(|failure| failure.span.is_some() && failure.hint.is_some()));
    assert!(renamed(17, "x").is_err() && renamed(0, "f").is_err());
}

#[test]
fn locals_of_functions_have_addresses() {
    // The outline of Small has the variables of functions, so only names in lists are missing there.
    let document = open("def f:\n    def g:\n        y = 1\n    x = y\ndef f:\n    z = 1\n");
    let bound = |address: &str| bound_of(&document, address).map(|bound| (bound.name, bound.owner));
    assert_eq!(bound("f[1].g.y"), Ok(("y".to_owned(), 2)));
    let failure = bound("f.w").expect_err("no function has the name");
    assert_eq!(failure.candidates, ["f[1].g", "f[1].x", "f[2].z"]);
    let failure = bound("w.x").expect_err("there is no such function");
    assert!(failure.message.contains("w.x"), "{failure:?}");
}

#[test]
fn views_show_heads_and_bodies() {
    let document = open("# about a\ndef a:  # head\n    b = 1\n    def c:\n        pass\n");
    let show = |form| match document.view(0, form).expect("shown") {
        View::Span(span) => span.slice(document.text()).to_owned(),
        View::Text(text) => text,
    };
    assert_eq!(show(Form::Signature), "def a");
    assert_eq!(show(Form::Body), "b = 1\n    def c:\n        pass");
    assert_eq!(show(Form::Summary), "# about a\ndef a: …\n    b = 1\n    def c: …");
}
