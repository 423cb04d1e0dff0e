//! Tests of the laws, which are properties that every language pack must have.

use marquetry_sdk::{Document, Edit, EditOptions, Node, Operation, TargetKind, lines, span::apply, testing};

use crate::Yaml;

const PIECES: &[&str] = &[
    "a", "b", "key", ": ", ":", "- ", "-", "? ", "\n", "\n  ", "\n    ", " ", "  ", "\r\n", "\t", "# c", " # c\n",
    "\"q\"", "'s'", "\"", "'", "[", "]", "{", "}", ", ", "&x ", "*x", "!t ", "!!str ", "|\n", ">-\n", "---", "---\n",
    "...\n", "%", "1", "true", "<<: *x", "é", "\u{feff}",
];

const DOCUMENTS: &[&str] = &[
    "# head\nname: x\nlist:\n  - 1\n  - a: 2\n    b: |\n      text\n\n      more\n  -\nflow: {a: [1, 2], \"b\": c}\nlast: # why\n",
    "a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n  e: !t 2\n",
    "- - 1\n  - 2\n- ? k\n  : v\n- >-\n  folded\n  text\n",
    "%YAML 1.2\n---\na: 1\n...\n---\n- \"two\n  lines\"\n- plain\n  lines\n",
    "jobs:\r\n  build:\r\n    steps:\r\n    - run: x\r\n    # about y\r\n    - run: y\r\n",
];

#[test]
fn laws_hold() {
    testing::check_laws_on_random::<Yaml>("a.yaml", PIECES, DOCUMENTS);
    DOCUMENTS.iter().for_each(|text| testing::check_laws::<Yaml>("a.yaml", text));
}

#[test]
fn created_target_exists_and_rest_is_unchanged() {
    let mut count = 0;
    for text in DOCUMENTS {
        for below in [".new", ".new.deep['a b'][0].end", "[0]", "[1].new", "[2][0]", "[3]"] {
            let target = |node: &Node| format!("{}{below}", node.address);
            for content in ["1", "{\"x\": [1, {\"y\": 2}]}", "- a\n- b: |\n    text\n"] {
                count +=
                    testing::check_insert_missing_laws::<Yaml>(("a.yaml", text), TargetKind::Path, target, content);
            }
        }
    }
    assert!(count > 50, "only {count} missing targets were created");
}

/// Texts with anchors, tags, comments and empty values everywhere.
const HEADS: &[&str] = &[
    "on: # c1\n  push:\n    branches: [main]\n  # c2\n  pull_request:\n\n# c3\njobs: {} # c4\n",
    "- a:\n\n-\n\n- b: # c1\n\n# c2\n- ? k\n\n- !t\n\n- &x\n",
    "a: !Foo &x # c1\n  # c2\n\n  # c3\n  k: v # c4\n  # c5\nb: &y !Bar\n  - 1 # c6\nc: [*x, *y]\n",
    "a: [ # c1\n  # c2\n  ] # c3\nb: !Foo { # c4\n  }\nc: &x []\nd: | # c5\n  text\ne: |2- # c6\n   x\nf: >+ # c7\n  y\n\n# c8\n...\n",
    "--- !Foo # c1\n# c2\nk:\n  - !T [] # c3\n  - &x {}\n  - !T\n    a: 1 # c4\n  - &y\n    - *x\n# c5\n",
    "a: 1\n# c1\n...\n# c2\n---\n# c3\nb: 2\n# c4\n",
];

const CONTENTS: &[&str] = &["x", "- x", "new: 1", "[x]", "|\n  x\n  y", "new:\n  - |\n    x", "# note"];

/// Returns operations that change the content or the neighborhood of a value.
fn operations() -> Vec<Operation> {
    let with = |content: &&str| {
        let content = *content;
        [testing::first(content), testing::last(content), testing::sorted(content), testing::body(content)]
            .into_iter()
            .chain([testing::before(content), testing::after(content), testing::replace(content)])
    };
    CONTENTS.iter().flat_map(with).chain([Operation::Delete]).collect()
}

/// Returns random sequences of lines.
fn random_texts() -> impl Iterator<Item = String> {
    const LINES: &[&str] = &[
        "a:\n",
        "b: 1\n",
        "c: # c\n",
        "- x\n",
        "-\n",
        "- d:\n",
        "  e:\n",
        "  f: 2\n",
        "  - y\n",
        "  -\n",
        "\n",
        "\n",
        "# c\n",
        "  # c\n",
        "g: &x\n",
        "h: !t\n",
        "i: !t []\n",
        "j: |\n",
        "    text\n",
        "? k\n: v\n",
        ": v\n",
        "- l: {}\n",
        "    m: 3\n",
        "- &y\n",
        "  n: !u\n",
    ];
    let mut state = 7_u64;
    let mut number = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let text = move || (0..2 + number(6)).map(|_| LINES[number(LINES.len())]).collect::<String>();
    std::iter::repeat_with(text).take(1200)
}

/// Calls `check` for all operations that succeed, on all nodes of valid texts.
fn each_edit(check: impl Fn(&str, &[Node], &Node, &Operation, &[Edit])) {
    let operations = operations();
    let options = EditOptions { include_doc: false, force: false };
    let given = HEADS.iter().chain(DOCUMENTS).map(|text| (*text).to_owned());
    let mut count = 0;
    for text in given.chain(random_texts()) {
        let bench = testing::open::<Yaml>("a.yaml", &text);
        if !bench.document().diagnostics().is_empty() {
            continue;
        }
        let nodes = bench.document().outline();
        for node in &nodes {
            for operation in &operations {
                if let Ok(edits) = testing::edited(bench.document(), &[node.id], operation, options) {
                    check(&text, &nodes, node, operation, &edits);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 5_000, "only {count} edits");
}

/// The host accepts edits of the lines of the target, and edits between its neighbours.
#[test]
fn edits_touch_only_target_and_neighbours() {
    let texts = HEADS.iter().chain(DOCUMENTS).map(|text| (*text).to_owned()).chain(random_texts());
    let count = testing::check_reach_laws::<Yaml>("a.yaml", texts, CONTENTS);
    assert!(count.documents > 300 && count.edits > 5_000, "{count:?}");
}

/// Returns the range that an operation may remove.
fn subject(text: &str, node: &Node, operation: &Operation) -> std::ops::Range<usize> {
    let span = match operation {
        Operation::ReplaceBody(_) => node.body.unwrap_or(node.span),
        _ => node.span,
    };
    let end = lines::line_end(text, span.range().end);
    match operation {
        Operation::InsertInto(_) | Operation::InsertBefore(_) | Operation::InsertAfter(_) => 0..0,
        Operation::Delete => {
            let doc = node.doc.map_or(text.len(), |doc| doc.range().start);
            let before = text[..span.range().start].rfind([':', '-', '?']).unwrap_or(0);
            lines::line_start(text, before).min(doc)..end
        }
        _ => {
            // The comment directly above the first entry belongs to that entry.
            let mut start = lines::line_start(text, span.range().start);
            while let Some(above) = lines::previous_line(text, start)
                && text[above..start].trim_start().starts_with('#')
            {
                start = above;
            }
            let starts_line = lines::starts_line(text, span.range().start);
            if starts_line { start..end } else { span.range().start..end }
        }
    }
}

/// Every operation on the content of a value keeps the anchor, the tag and the comments of the value.
#[test]
fn body_edits_keep_tags_anchors_and_comments() {
    each_edit(|text, nodes, node, operation, edits| {
        let is_document = text.contains("\n---") && node.parent == Some(0) && nodes[0].span.range() == (0..text.len());
        if is_document && *operation == Operation::Delete {
            return;
        }
        let after = apply(text, edits);
        let gone = subject(text, node, operation);
        let kept = format!("{} {}", &text[..gone.start], &text[gone.end..]);
        for word in kept.split_whitespace() {
            let comment = word.starts_with('c') && word.len() == 2 && word.ends_with(char::is_numeric);
            if comment || word.starts_with(['!', '&']) {
                let count = |text: &str| text.split_whitespace().filter(|other| *other == word).count();
                assert!(
                    count(&after) >= count(&kept),
                    "{operation:?} of {} loses `{word}` in\n{text}\ngives\n{after}",
                    node.address
                );
            }
        }
    });
}
