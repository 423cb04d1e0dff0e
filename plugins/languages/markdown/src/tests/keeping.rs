//! Tests that edits change only their target, in generated documents.

use marquetry_sdk::{
    Document, EditOptions, Node, Operation, Position, Span, TargetKind,
    span::apply,
    testing::{self, List, insert_into},
};

use crate::Markdown;

const SECTIONS: List = List {
    path: "a.md",
    open: "# x1\n\ntext x2 [one][x3]\n\n<details>\n<summary>x4</summary>\n\n",
    close: "\n</details>\n\n<!-- x5:END -->\n\n[x3]: https://example.com/x6\n[^x7]: note x8\n",
    item: "## k§\n\nv§",
    content: None,
    value: None,
    separator: "",
    indent: "",
    comment: "",
    trailing: false,
    leading: false,
    kind: TargetKind::Heading,
    address: "k§",
    container: None,
    empty: None,
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Markdown>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn section_edits_preserve_neighbours_and_closing_tags() {
    keeps(&SECTIONS);
    keeps(&List { item: "## k§\n\n- v§\n", ..SECTIONS });
    keeps(&List { item: "k§\n---\n\n```\nv§\n```\n", ..SECTIONS });
    keeps(&List {
        open: "---\nx1: 1\n---\n\n# x2\n\n[x5], [x8]\n\n",
        close: "\n[x5]: https://example.com/x6 (x7)\n\n[x8]: <x9>\n  'x10'\n",
        ..SECTIONS
    });
    keeps(&List { open: "# x1\n\n<!-- x2-start -->\n", close: "<!-- x2-end -->\n", ..SECTIONS });
    keeps(&List { open: "<div align=\"center\">\n\n", close: "\n</div>\n\n[^x1]: x2\n\n    x3\n", ..SECTIONS });
}

/// Lines from which random documents are made.
const LINES: &[&str] = &[
    "# a\n",
    "## b\n",
    "text [x]\n",
    "- i\n",
    "  - j\n",
    "1. k\n",
    "\n",
    "\n",
    "> q\n",
    "```js\n",
    "```\n",
    "| a | b |\n|---|---|\n| c | d |\n",
    "[x]: y\n",
    "<div>\n",
    "</div>\n",
    "<!-- s:START -->\n",
    "<!-- s:END -->\n",
];

#[test]
fn edits_touch_only_target_and_neighbours() {
    let texts = testing::random_lines(LINES, 10, 400);
    let count = testing::check_reach_laws::<Markdown>("a.md", texts, &["x", "- x", "## n\n\nx", "<!-- note -->"]);
    println!("{count:?}");
    assert!(count.documents >= 20 && count.edits >= 1_000, "{count:?}");
}

/// Blocks that merge with their neighbours if only a blank line separates them.
const BLOCKS: &[&str] = &[
    "- a\n- b\n",
    "* c\n",
    "1. d\n",
    "    indented\n",
    "text\n",
    "===\n",
    "---\n",
    "***\n",
    "> quote\n",
    "```\ncode\n```\n",
    "| a | b |\n|---|---|\n",
    "| c | d |\n|---|---|\n| e | f |\n",
    "<div>\n",
    "<!-- note -->\n",
    "[x]: y\n",
    "[^1]: note\n",
    "# h\n",
    "\n",
    "\n",
    "\n",
];

/// Returns the kind, the containers and the text of each block, in document order, without blocks whose text is one of
/// the `hidden` ones. For a heading, the text is only its first line.
fn described_blocks(text: &str, hidden: &[&str]) -> Vec<String> {
    use crate::blocks::Kind::{Footnote, Heading, Item, List, Quote, Table};
    let bench = testing::open::<Markdown>("a.md", text);
    let document = bench.document();
    let tree = document.tree();
    let described = (0..tree.blocks.len() as u32).filter_map(|id| {
        let kind = document.block(id).kind;
        let source = if kind == Heading { document.source(id).lines().next()? } else { document.source(id) };
        let containers: Vec<_> = tree.ancestors(id).map(|above| document.block(above).kind).collect();
        let containers: Vec<_> = containers.into_iter().filter(|kind| *kind != Heading).collect();
        let is_shown = !matches!(kind, Footnote | Item | List | Quote | Table) && !hidden.contains(&source.trim());
        is_shown.then(|| format!("{kind:?} in {containers:?}: {source}"))
    });
    described.collect()
}

/// Returns the text after an operation, or `None` if the operation is refused. Fails the test if the refusal has no
/// hint.
fn edited(text: &str, node: &Node, operation: &Operation) -> Option<String> {
    let bench = testing::open::<Markdown>("a.md", text);
    let options = EditOptions { include_doc: false, force: false };
    match bench.document().edit(&[node.id], operation, options) {
        Ok(edits) => Some(apply(text, &edits)),
        Err(failure) => {
            assert!(failure.hint.is_some(), "{operation:?} of `{}`: {failure:?}", node.address);
            None
        }
    }
}

/// Number of blocks without children outside of a span, except comments. Headings count by their lines.
fn count_outside(document: &crate::MarkdownDocument, span: Option<Span>) -> usize {
    use crate::blocks::Kind::{Footnote, Heading, Item, List, Quote, Table};
    let tree = document.tree();
    let is_counted = |id: &u32| {
        let block = document.block(*id);
        let own = if block.kind == Heading { Span::at(block.span.range().start) } else { block.span };
        let is_container = matches!(block.kind, Footnote | Item | List | Quote | Table);
        !is_container && document.source(*id) != "<!-- -->" && !span.is_some_and(|span| span.contains(own))
    };
    (0..tree.blocks.len() as u32).filter(is_counted).count()
}

#[test]
fn blocks_around_edit_stay_separate() {
    let hidden = ["NEW", "<!-- -->", "|---|---|"];
    let (mut edits, mut refused) = (0, 0);
    for text in testing::random_lines(BLOCKS, 8, 1500) {
        let bench = testing::open::<Markdown>("a.md", &text);
        let document = bench.document();
        let nodes = (0..document.tree().blocks.len() as u32).map(|id| document.node(id).expect("a node"));
        for node in nodes.filter(|node| !matches!(node.kind.as_str(), "item" | "row" | "header")) {
            for content in ["NEW", "- NEW", "1. NEW", "    NEW"] {
                for operation in
                    [Operation::InsertBefore(content.to_owned()), Operation::InsertAfter(content.to_owned())]
                {
                    let Some(after) = edited(&text, &node, &operation) else {
                        refused += 1;
                        continue;
                    };
                    let (old, new) = (described_blocks(&text, &hidden), described_blocks(&after, &hidden));
                    assert_eq!(new, old, "{operation:?} of `{}` in\n{text}\ngives\n{after}", node.address);
                    edits += 1;
                }
            }
            for content in ["NEW", "- NEW", "```\nNEW\n```"] {
                let replaced = edited(&text, &node, &Operation::Replace(content.to_owned()));
                let Some(after) = replaced else {
                    refused += 1;
                    continue;
                };
                let found = testing::open::<Markdown>("a.md", &after);
                let now = count_outside(found.document(), None);
                let kept = count_outside(document, Some(node.span)) + 1;
                assert_eq!(now, kept, "replacement of `{}` by {content} in\n{text}\ngives\n{after}", node.address);
                edits += 1;
            }
            let kept = count_outside(document, Some(node.span));
            let Some(after) = edited(&text, &node, &Operation::Delete) else {
                refused += 1;
                continue;
            };
            let now = count_outside(testing::open::<Markdown>("a.md", &after).document(), None);
            assert_eq!(now, kept, "deletion of `{}` in\n{text}\ngives\n{after}", node.address);
            edits += 1;
        }
    }
    println!("{edits} edits, {refused} refused");
    assert!(edits > 10_000 && refused * 20 < edits, "{edits} edits, {refused} refused");
}

#[test]
fn insertions_into_containers_keep_other_blocks() {
    let hidden = ["NEW", "<!-- -->", "|---|---|"];
    let (mut edits, mut refused) = (0, 0);
    for text in testing::random_lines(BLOCKS, 9, 1000) {
        let bench = testing::open::<Markdown>("a.md", &text);
        let document = bench.document();
        for node in (0..document.tree().blocks.len() as u32).map(|id| document.node(id).expect("a node")) {
            let operations = match node.kind.as_str() {
                "heading" | "quote" | "footnote" | "list" => vec![],
                "item" => vec![testing::before("NEW"), testing::after("NEW")],
                _ => continue,
            };
            let inside = ["NEW", "- NEW", "    NEW"]
                .iter()
                .flat_map(|content| [insert_into(content, Position::First), insert_into(content, Position::Last)]);
            for operation in operations.into_iter().chain(inside) {
                let Some(after) = edited(&text, &node, &operation) else {
                    refused += 1;
                    continue;
                };
                let (old, new) = (described_blocks(&text, &hidden), described_blocks(&after, &hidden));
                assert_eq!(new, old, "{operation:?} of `{}` in\n{text}\ngives\n{after}", node.address);
                edits += 1;
            }
        }
    }
    println!("{edits} edits, {refused} refused");
    assert!(edits > 5000 && refused * 10 < edits, "{edits} edits, {refused} refused");
}

#[test]
fn rows_are_added_below_delimiter_row() {
    let mut count = 0;
    for prefix in ["", "> ", "- ", "1. ", "   "] {
        let rest: String = prefix.chars().map(|c| if c == '>' { c } else { ' ' }).collect();
        for below in ["", "\n", "\n\ntext\n", "\n\n# h\n", "\n\n| x | y |\n|---|---|\n"] {
            let text = format!("{prefix}| a | b |\n{rest}|---|:-:|{below}");
            let bench = testing::open::<Markdown>("a.md", &text);
            let nodes = bench.document().outline();
            let table = nodes.iter().find(|node| node.kind == "table").expect("a table");
            assert!(table.span.slice(&text).ends_with("|:-:|"), "{text}");
            let row = "| c | d |";
            let operations = [
                insert_into(row, Position::First),
                insert_into(row, Position::Last),
                insert_into(row, Position::Sorted),
            ];
            for operation in operations {
                let after = edited(&text, table, &operation).expect("rows are added");
                assert_eq!(
                    after,
                    format!("{prefix}| a | b |\n{rest}|---|:-:|\n{rest}| c | d |{below}"),
                    "{operation:?}"
                );
                count += 1;
            }
            let after = edited(&text, table, &Operation::InsertAfter("NEW".to_owned())).expect("a paragraph is added");
            assert!(after.starts_with(&text[..text.len() - below.len()]), "{after}");
            let replaced = edited(&text, table, &Operation::Replace("NEW".to_owned())).expect("the table is replaced");
            assert_eq!(replaced, format!("{prefix}NEW{below}"));
            let deleted = edited(&text, table, &Operation::Delete).expect("the table is deleted");
            assert!(!deleted.contains(":-:"), "{deleted}");
            count += 3;
        }
    }
    assert_eq!(count, 150);
}

/// Checks an operation on the block with this text.
#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    let bench = testing::open::<Markdown>("a.md", text);
    let document = bench.document();
    let id = (0..document.tree().blocks.len() as u32).find(|id| document.source(*id) == target).expect("a block");
    let node = document.node(id).expect("a node");
    assert_eq!(edited(text, &node, &operation).expect("an edit"), expected, "{operation:?} of {target} in\n{text}");
}

#[test]
fn comments_separate_blocks_that_would_merge() {
    check("- a\n\ntext\n\n- b\n", "text", Operation::Delete, "- a\n\n<!-- -->\n\n- b\n");
    check("- a\n\ntext\n\n    code\n", "text", Operation::Delete, "- a\n\n<!-- -->\n\n    code\n");
    check("1. a\n\n---\n\n1. b\n", "---", Operation::Delete, "1. a\n\n<!-- -->\n\n1. b\n");
    check("> - a\n>\n> text\n>\n> - b\n", "text", Operation::Delete, "> - a\n>\n> <!-- -->\n>\n> - b\n");
    check("- a\n\ntext\n", "- a", testing::after("- b"), "- a\n\n<!-- -->\n\n- b\n\ntext\n");
    check("text\n\n    code\n", "text", testing::after("- b"), "text\n\n- b\n\n<!-- -->\n\n    code\n");
    check("- a\n\ntext\n\n- b\n", "text", testing::replace("* c"), "- a\n\n* c\n\n- b\n");
    check("- a\n\ntext\n\n- b\n", "text", testing::replace("- c"), "- a\n\n<!-- -->\n\n- c\n\n<!-- -->\n\n- b\n");
    check("- a\n\ntext\n\nmore\n", "text", Operation::Delete, "- a\n\nmore\n");
}

#[test]
fn fence_replaces_indented_code() {
    check("text\n\n    a\n    b\n", "a\n    b", testing::replace("```js\nc\n```"), "text\n\n```js\nc\n```\n");
    check("- x\n\n      a\n", "a", testing::replace("~~~\nc\n~~~"), "- x\n\n  ~~~\n  c\n  ~~~\n");
    check("text\n\n    a\n    b\n", "a\n    b", testing::replace("c\nd"), "text\n\n    c\n    d\n");
}

/// Returns the text after an operation on the blocks with these texts.
fn edited_all(path: &str, text: &str, targets: &[&str], operation: &Operation, force: bool) -> Result<String, String> {
    let bench = testing::open::<Markdown>(path, text);
    let document = bench.document();
    let find = |target: &&str| {
        (0..document.tree().blocks.len() as u32).find(|id| document.source(*id) == *target).expect("a block")
    };
    let ids: Vec<u32> = targets.iter().map(find).collect();
    let edits = document.edit(&ids, operation, EditOptions { include_doc: false, force });
    edits.map(|edits| apply(text, &edits)).map_err(|failure| failure.message)
}

#[test]
fn one_of_several_deleted_blocks_becomes_comment() {
    let text = "- a\n\none\n\n***\n\ntwo\n\n- b\n";
    let delete = |targets: &[&str]| edited_all("a.md", text, targets, &Operation::Delete, false).expect("a deletion");
    assert_eq!(delete(&["one", "***"]), "- a\n\ntwo\n\n- b\n");
    assert_eq!(delete(&["one", "***", "two"]), "- a\n\n<!-- -->\n\n- b\n");
    assert_eq!(delete(&["- a", "one"]), "***\n\ntwo\n\n- b\n");
    assert_eq!(delete(&["one", "***", "two", "- b"]), "- a\n");
    let forced = edited_all("a.md", text, &["one", "***", "two"], &Operation::Delete, true).expect("a deletion");
    assert_eq!(forced, "- a\n\n- b\n");
}

#[test]
fn mdx_blocks_are_separated_by_expression() {
    let text = "- a\n\ntext\n\n- b\n";
    let after = edited_all("a.mdx", text, &["text"], &Operation::Delete, false).expect("a deletion");
    assert_eq!(after, "- a\n\n{/* */}\n\n- b\n");
}

#[test]
fn open_fences_of_content_are_refused_without_force() {
    let (text, open) = ("text\n\n# Next\n\nmore\n", "```\nopen");
    for operation in [testing::after(open), testing::replace(open)] {
        let message = edited_all("a.md", text, &["text"], &operation, false).expect_err("a refusal");
        assert_eq!(message, "the edit would change how the heading `# Next` is parsed");
        assert!(edited_all("a.md", text, &["text"], &operation, true).is_ok());
    }
    let closed = edited_all("a.md", text, &["text"], &testing::after("```\nclosed\n```"), false);
    assert_eq!(closed.expect("an edit"), "text\n\n```\nclosed\n```\n\n# Next\n\nmore\n");
    assert!(
        edited_all("a.md", text, &["more"], &testing::after(open), false).is_ok(),
        "only the end of the file follows"
    );
}
