//! The laws that every pack keeps.

use marquetry_sdk::{Node, TargetKind, testing};

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
fn keeps_the_laws() {
    testing::laws_on_random::<Yaml>("a.yaml", PIECES, DOCUMENTS);
    DOCUMENTS.iter().for_each(|text| testing::laws::<Yaml>("a.yaml", text));
}

#[test]
fn what_is_made_is_there_and_changes_nothing_else() {
    let mut count = 0;
    for text in DOCUMENTS {
        for below in [".new", ".new.deep['a b'][0].end", "[0]", "[1].new", "[2][0]", "[3]"] {
            let target = |node: &Node| format!("{}{below}", node.address);
            for content in ["1", "{\"x\": [1, {\"y\": 2}]}", "- a\n- b: |\n    text\n"] {
                count += testing::laws_of_making::<Yaml>(("a.yaml", text), TargetKind::Path, target, content);
            }
        }
    }
    assert!(count > 50, "only {count} were made");
}
