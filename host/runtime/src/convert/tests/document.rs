//! Outlines, matches, views, edits and diagnostics of a text.

use super::*;

#[test]
fn spans_are_validated() {
    for (start, end) in [(0, 0), (0, 7), (7, 7), (1, 3), (3, 4)] {
        let found = checked().span(span(start, end), "node").expect("a span of the text");
        assert_eq!((found.start, found.end), (start as usize, end as usize));
    }
    for (start, end, why) in [
        (3, 1, "an invalid range 3..1 (node): it ends before it starts"),
        (0, 8, "an invalid range 0..8 (node): it is beyond the end of the document"),
        (u32::MAX, u32::MAX, "an invalid range 4294967295..4294967295 (node): it is beyond the end of the document"),
        (2, 3, "an invalid range 2..3 (node): it splits a character"),
        (0, 2, "an invalid range 0..2 (node): it splits a character"),
    ] {
        assert_eq!(refused(checked().span(span(start, end), "node")), why);
    }
}

#[test]
fn outlines_are_validated() {
    let child = |parent, start, end| wit::Node { parent: Some(parent), ..node("c", start, end) };
    let nodes = checked().outline(vec![node("a", 0, 7), child(0, 1, 3), child(1, 1, 1)]).expect("nests");
    assert_eq!(nodes.iter().map(|node| node.parent).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    assert_eq!((nodes[0].id, nodes[0].level, nodes[0].address.as_str()), (7, Some(2), "a"));
    for (nodes, why) in [
        (vec![child(0, 0, 1)], "an outline whose node 0 comes before its parent 0"),
        (vec![child(1, 0, 1), node("a", 0, 7)], "an outline whose node 0 comes before its parent 1"),
        (vec![node("a", 0, 1), child(9, 0, 1)], "an outline whose node 1 comes before its parent 9"),
        (vec![node("a", 0, 1), child(0, 0, 3)], "a node `c` that is outside its parent"),
        (vec![wit::Node { selection: span(0, 3), ..node("a", 0, 1) }], "a node `a` whose selection is outside"),
        (vec![node("a", 0, 7), child(0, 1, 3), child(0, 1, 3)], "two nodes at 1..3 with the same address `c`"),
        (vec![node("a", 0, 1), node("a", 0, 1)], "two nodes at 0..1 with the same address `a`"),
        (vec![node("a\n", 1, 1), node("b", 1, 1), node("a\n", 1, 1)], "two nodes at 1..1 with the same address `a\\n`"),
        (
            vec![wit::Node { kind: "k".repeat(201), ..node("a", 0, 1) }],
            "a node `a` whose kind has 201 bytes; at most 200 are allowed",
        ),
        (
            vec![wit::Node { body: Some(span(0, 9)), ..node("a", 0, 1) }],
            "an invalid range 0..9 (body): it is beyond the end of the document",
        ),
        (
            vec![wit::Node { doc: Some(span(0, 2)), ..node("a", 0, 1) }],
            "an invalid range 0..2 (comment): it splits a character",
        ),
        (
            vec![wit::Node { selection: span(0, 9), ..node("a", 0, 1) }],
            "an invalid range 0..9 (selection): it is beyond the end of the document",
        ),
    ] {
        assert_eq!(refused(checked().outline(nodes)), why);
    }
    // Nodes of different ranges or addresses are distinct, and a kind may be a phrase.
    let kind = wit::Node { kind: "k".repeat(200), ..node("a", 3, 3) };
    assert!(checked().outline(vec![node("a", 0, 1), node("a", 1, 1), node("b", 1, 1), kind]).is_ok());
    let long = wit::Node { name: "x".repeat(limits::MAX_ANSWER_TEXT + 1000), ..node("a", 0, 1) };
    assert!(refused(checked().outline(vec![long])).contains("bytes of names and addresses; at most"));
}

fn nodes(nodes: Vec<wit::Node>, total: u32) -> wit::FindResult {
    wit::FindResult::Nodes(wit::Nodes { nodes, total })
}

fn scalar(json: &str, text: &str) -> wit::FindResult {
    wit::FindResult::Scalar(wit::Scalar { json: json.to_owned(), text: text.to_owned() })
}

#[test]
fn matches_are_validated() {
    match checked().query_result(nodes(vec![node("a", 0, 1), node("b", 1, 3)], 9), 2).expect("two of nine") {
        pack::FindResult::Nodes(nodes, total) => assert_eq!((nodes.len(), total), (2, 9)),
        pack::FindResult::Scalar(_) => panic!("nodes were found"),
    }
    match checked().query_result(scalar("\"x\"", "x"), 1).expect("a value") {
        pack::FindResult::Scalar(found) => assert_eq!((found.json.as_str(), found.text.as_str()), ("\"x\"", "x")),
        pack::FindResult::Nodes(..) => panic!("a value was found"),
    }
    for (found, why) in [
        (nodes(vec![], 0), "0 nodes of 0 where at most 2 were requested"),
        (nodes(vec![], 5), "0 nodes of 5 where at most 2 were requested"),
        (nodes(vec![node("a", 0, 1)], 0), "1 nodes of 0 where at most 2 were requested"),
        (
            nodes(vec![node("a", 0, 1), node("a", 0, 1), node("a", 0, 1)], 3),
            "3 nodes of 3 where at most 2 were requested",
        ),
        (nodes(vec![node("a", 0, 99)], 1), "an invalid range 0..99 (node): it is beyond the end of the document"),
        (scalar("{", "x"), "a value that is not JSON"),
        (scalar("", "x"), "a value that is not JSON"),
        (scalar("1 2", "x"), "a value that is not JSON"),
    ] {
        assert_eq!(refused(checked().query_result(found, 2)), why);
    }
    let long = "x".repeat(limits::MAX_ANSWER_TEXT + 1000);
    assert!(refused(checked().query_result(scalar("1", &long), 1)).contains("bytes of text; at most"));
    assert!(
        refused(checked().query_result(nodes(vec![node(&long, 0, 1)], 1), 1)).contains("bytes of matches; at most")
    );
}

#[test]
fn views_are_validated() {
    assert_eq!(checked().view(wit::View::Span(span(0, 1))).expect("a part"), pack::View::Span(Span::new(0, 1)));
    assert_eq!(checked().view(wit::View::Text("x".to_owned())).expect("a text"), pack::View::Text("x".to_owned()));
    assert_eq!(
        refused(checked().view(wit::View::Span(span(0, 2)))),
        "an invalid range 0..2 (view): it splits a character"
    );
    let long = wit::View::Text("x".repeat(limits::MAX_ANSWER_TEXT + TEXT.len() * 16 + 1));
    let why = refused(checked().view(long));
    assert_eq!(why, format!("{} bytes of text; at most {} are allowed", (16 << 20) + 7 * 16 + 1, (16 << 20) + 7 * 16));
}

#[test]
fn edits_are_sorted_and_do_not_overlap() {
    let set = checked().edits(vec![edit(4, 5, "x"), edit(0, 1, ""), edit(3, 3, "-"), edit(3, 3, "+")]).expect("apart");
    assert_eq!(set.len(), 4);
    let after = EditSet::new(TEXT, set.as_slice().to_vec()).expect("still a set").apply(TEXT);
    assert_eq!(after, "é-+\nxcd");
    for (edits, why) in [
        (vec![edit(0, 3, ""), edit(1, 4, "")], "invalid edits: two edits overlap on line 1"),
        (vec![edit(4, 7, "x"), edit(4, 6, "y")], "invalid edits: two edits overlap on line 2"),
        (vec![edit(0, 8, "")], "an invalid range 0..8 (edit): it is beyond the end of the document"),
        (vec![edit(2, 2, "x")], "an invalid range 2..2 (edit): it splits a character"),
    ] {
        let message = refused(checked().edits(edits));
        assert!(message.starts_with(why), "{message}");
    }
    let long = edit(0, 0, &"x".repeat(limits::MAX_ANSWER_TEXT + 1000));
    assert!(refused(checked().edits(vec![long])).contains("bytes of new text; at most"));
}

#[test]
fn diagnostics_are_validated() {
    let problem = |span, code: Option<&str>| wit::Diagnostic {
        severity: wit::Severity::Warning,
        span,
        message: "m".repeat(5_000),
        code: code.map(str::to_owned),
    };
    let found = checked().diagnostics(vec![problem(span(0, 1), Some("E1"))]).expect("a problem");
    assert_eq!((found[0].severity, found[0].code.as_deref()), (pack::Severity::Warning, Some("E1")));
    assert_eq!(found[0].message.chars().count(), 4_001, "a long message must be truncated and end with `…`");
    assert!(found[0].message.ends_with('…'));
    assert_eq!(
        refused(checked().diagnostics(vec![problem(span(6, 9), None)])),
        "an invalid range 6..9 (problem): it is beyond the end of the document"
    );
}

#[test]
fn embedded_parts_are_validated() {
    let part = |start, end, language: &str| wit::Embedded { span: span(start, end), language: language.to_owned() };
    let parts = checked().embedded(vec![part(0, 3, "css")]).expect("a part");
    assert_eq!((parts[0].span, parts[0].language.as_str()), (Span::new(0, 3), "css"));
    assert_eq!(
        refused(checked().embedded(vec![part(0, 99, "css")])),
        "an invalid range 0..99 (embedded part): it is beyond the end of the document"
    );
    let long = checked().embedded(vec![part(0, 1, &"é".repeat(200))]).expect("truncated");
    assert!(long[0].language.len() <= 103 && long[0].language.ends_with('…'));
}
