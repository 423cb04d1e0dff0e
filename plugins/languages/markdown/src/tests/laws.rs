//! Tests of the laws, which are properties that every language pack must have, with random Markdown and MDX.

use marquetry_sdk::{Node, TargetKind, testing};

use crate::Markdown;

const PIECES: &[&str] = &[
    "ह\u{93f}",
    "# ",
    "## a\n",
    "### b\n",
    "a",
    "b c\n",
    "\n",
    "\n\n",
    "\r\n",
    "> ",
    ">\n",
    "- ",
    "* a\n",
    "1. ",
    "2) b\n",
    "  ",
    "    ",
    "\t",
    "1. a\n",
    "  - b\n",
    "```",
    "```js\n",
    "~~~\n",
    "---\n",
    "===\n",
    "*",
    "**",
    "`",
    "[a]",
    "[a]: b\n",
    "[^1]: x\n",
    "[^1]",
    "![i](j)",
    "[x](y)",
    "| a | b |\n",
    "|---|---|\n",
    "|",
    "- [ ] t\n",
    "<div>\n",
    "</div>\n",
    "<!-- c -->\n",
    "<!-- c:end -->\n",
    "*[a]: b\n",
    "\\",
    "&amp;",
    "é",
    "😀",
    "\u{feff}",
    "+++\n",
    "title: x\n",
    "a > b",
    "\"q\"",
    "code",
    "[2]",
    "# code[1]\n",
    "# a > b\n",
    "#\n",
    "## \n",
    "{#id}",
];
const MDX_PIECES: &[&str] = &[
    "# ",
    "## a\n",
    "a",
    "b c\n",
    "\n",
    "\n\n",
    "\r\n",
    "> ",
    "- ",
    "    ",
    "```js\n",
    "```\n",
    "<A>",
    "</A>",
    "<A>\n",
    "</A>\n",
    "<B c={d} />",
    "<",
    ">",
    "{",
    "}",
    "{a}",
    "{/* x */}",
    "import a from 'b'\n",
    "export const c = 1\n",
    "export default d\n",
    "import {x as y} from \"./z\"\n",
    "export * from './w'\n",
    "\\",
    "`",
    "é",
    "[x](y)",
    "![i](j)",
    "*",
    "**",
    "| a |\n",
    "|---|\n",
    "<a href=\"x\">",
    "</a>",
    "<>",
    "</>",
    "---\n",
    "t: 1\n",
    "[a]: b\n",
];
const DOCUMENTS: &[&str] = &[
    "---\ntitle: Guide\n---\n\n# Guide\n\nIntro. More.\n\n## Install\n\n```sh\nnpm i\n```\n\n- one\n- two\n  - three\n\n## Usage\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> ## Quoted\n> text\n>\n> ```js\n> x\n> ```\n\n[ref]: ./a.md \"t\"\n[^n]: Note.\n",
    "Title\r\n=====\r\n\r\nText\r\n\r\nSub\r\n---\r\n\r\n1. a\r\n2. b\r\n\r\n   c\r\n",
    "<!-- x:start -->\n\n# A [r]\n\n<details>\n\n## B\n\n- x[^n]\n\n</details>\n\n## C\n\n| a |\n|---|\n\n<!-- x:end -->\n\n[^n]: Note.\n\n[r]: u\n",
    "- # A\n  text\n\n  ## B\n- [ ] t\n- [x] u\n\n  [d]: e\n",
];
const MDX_DOCUMENTS: &[&str] = &[
    "import {A} from './a'\nexport const x = [\n\n1]\n\n# T {x}\n\n<A b={1}>\n  ## Inner\n\n  text **b**\n</A>\n\n<A>one</A>\n\n{x.map(y => <A>{y}</A>)}\n",
];

#[test]
fn laws_hold_on_random_markdown() {
    testing::check_laws_on_random::<Markdown>("a.md", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_on_random_mdx() {
    testing::check_laws_on_random::<Markdown>("a.mdx", MDX_PIECES, MDX_DOCUMENTS);
}

#[test]
fn laws_hold_on_documents() {
    for text in DOCUMENTS {
        testing::check_laws::<Markdown>("a.md", text);
    }
    for text in MDX_DOCUMENTS {
        testing::check_laws::<Markdown>("a.mdx", text);
    }
}

#[test]
fn created_target_exists_and_rest_is_unchanged() {
    let mut count = 0;
    for (path, documents) in [("a.md", DOCUMENTS), ("a.mdx", MDX_DOCUMENTS)] {
        for text in documents {
            for below in ["New Part", "New > Part"] {
                let target = |node: &Node| format!("{} > {below}", node.address);
                for content in ["", "words\n", "- a\n- b\n\n```js\nx\n```\n"] {
                    count += testing::check_insert_missing_laws::<Markdown>(
                        (path, text),
                        TargetKind::Heading,
                        target,
                        content,
                    );
                }
            }
        }
    }
    assert!(count > 20, "only {count} missing targets were created");
}

#[test]
fn nested_and_long_texts_are_parsed() {
    let once = [
        "> ",
        "- ",
        "1. ",
        "*a ",
        "*a _b ",
        "**",
        "[",
        "![",
        "[a](",
        "[a][b]",
        "<a>",
        "<a>\n",
        "{",
        "{a} ",
        "`",
        "<!--",
        "[^a]: ",
        "|a",
        "# a\n",
        "[a]: b\n",
        "- ```\n",
        "export const a = [\n\n",
        "\\",
        "&",
        "a\n=\n",
        "> - ",
        "{/*",
        "</a>",
    ];
    let around =
        [("{", "(", "}"), ("export const a = ", "[", "]"), ("{", "a=>", "b}"), ("{", "!", "a}"), ("{", "`${", "}")];
    let texts = once.iter().map(|piece| piece.repeat(3000));
    let texts: Vec<String> = texts.chain(around.iter().map(|(a, b, c)| format!("{a}{}{c}", b.repeat(3000)))).collect();
    // A WebAssembly component has this stack size.
    let all = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        for (text, path) in texts.iter().flat_map(|text| [(text, "a.md"), (text, "a.mdx")]) {
            let document = testing::open::<Markdown>(path, text);
            document.outline();
            document.diagnostics();
        }
    });
    all.expect("started").join().expect("the parsers must not overflow the stack");
}
