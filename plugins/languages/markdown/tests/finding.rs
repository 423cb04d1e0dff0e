//! Outlines, targets and views.

use marquetry_markdown::Markdown;
use marquetry_sdk::{FailureKind, Form, TargetKind, testing::open};

const GUIDE: &str = "---
title: Guide
---

Before.

# Guide

What it is. And more.

## Install

Use `npm`.

```sh
npm i
```

### Linux

## Using `foo`

- one
- two
  - nested

### Install

| a | b |
|---|---|
| 1 | 2 |

# Guide

> ## Quoted
> text

[a]: ./b.md
";

#[track_caller]
fn reads(text: &str, target: &str, expected: &[&str]) {
    assert_eq!(open::<Markdown>("a.md", text).read(TargetKind::Heading, target).expect("found"), expected, "{target}");
}

#[test]
fn the_outline_has_headings_and_blocks() {
    let outline = open::<Markdown>("a.md", GUIDE).outline();
    let expected = "\
front-matter front-matter @front-matter
heading Guide @Guide[1]
  heading Install @Guide[1] > Install[1]
    code sh @Guide[1] > Install[1] > code[sh]
    heading Linux @Linux
  heading Using foo @Using foo
    list one @Using foo > list[1]
    heading Install @Using foo > Install
      table a | b @Using foo > Install > table[1]
heading Guide @Guide[2]
  heading Quoted @Quoted
";
    assert_eq!(outline, expected);
}

#[test]
fn sections_run_to_the_next_heading_of_their_level() {
    let install = "## Install\n\nUse `npm`.\n\n```sh\nnpm i\n```\n\n### Linux";
    reads(GUIDE, "## Install", &[install]);
    reads(GUIDE, "Guide[1] > Install[1]", &[install]);
    reads(GUIDE, "Guide > ## Install", &[install]);
    reads(GUIDE, "Linux", &["### Linux"]);
    reads(GUIDE, "Quoted", &["## Quoted\n> text"]);
    reads(GUIDE, "Guide[2]", &["# Guide\n\n> ## Quoted\n> text\n\n[a]: ./b.md"]);
}

#[test]
fn headings_are_found_by_their_text() {
    reads("# Using `foo`\n", "Using foo", &["# Using `foo`"]);
    reads("# Using `foo`\n", "Using `foo`", &["# Using `foo`"]);
    reads("# A  *b*\tc\n", "a b C", &["# A  *b*\tc"]);
    reads("# a\n# A\n", "A", &["# A"]);
    reads("# x {#anchor}\n", "X", &["# x {#anchor}"]);
    reads("# ![Logo](l.png)\n", "Logo", &["# ![Logo](l.png)"]);
    reads("# A > B\n## C\n", "A > B", &["# A > B\n## C"]);
    reads("# A > B\n## C\n", "\"A > B\" > C", &["## C"]);
    reads("# arr[1]\n", "arr[1]", &["# arr[1]"]);
    reads("# list[x]\n", "list[x]", &["# list[x]"]);
    reads("# Get Started!\n# Get started\n", "#get-started-1", &["# Get started"]);
    reads("A\nb\n---\n\nc\n", "A b", &["A\nb\n---\n\nc"]);
    reads("# A #\nx\n## A\n", "A[2]", &["## A"]);
}

#[test]
fn blocks_are_found_by_kind_and_place() {
    reads(GUIDE, "code[sh]", &["```sh\nnpm i\n```"]);
    reads(GUIDE, "Using foo > list[1] > item[2]", &["- two\n  - nested"]);
    reads(GUIDE, "list[1] > item[2] > list[1] > item[1]", &["- nested"]);
    reads(GUIDE, "list", &["- one\n- two\n  - nested"]);
    reads(GUIDE, "table[1] > row[1]", &["| 1 | 2 |"]);
    reads(GUIDE, "table[1] > header", &["| a | b |"]);
    reads(GUIDE, "definition[a]", &["[a]: ./b.md"]);
    reads(GUIDE, "paragraph[1]", &["Before."]);
    reads(GUIDE, "Guide[2] > quote[1]", &["> ## Quoted\n> text"]);
    reads("- [ ] a\n\n\n1. b\n\n- c\n- [x] d\n", "task-list[1]", &["- [ ] a"]);
    reads("a[^x]\n\n[^x]: Note\n    more\n\n# b\n", "footnote[^x]", &["[^x]: Note\n    more"]);
    reads("a[^x]\n\n[^x]: Note\n", "footnote[X]", &["[^x]: Note"]);
    reads("[1]: a\n[2]: b\n", "definition[2]", &["[2]: b"]);
    reads("# a\n```js\n1\n```\n```\n2\n```\n# b\n```js\n3\n```\n", "a > code[2]", &["```\n2\n```"]);
    reads("# a\n```js\n1\n```\n```\n2\n```\n# b\n```js\n3\n```\n", "code[js][2]", &["```js\n3\n```"]);
}

#[test]
fn regions() {
    let guide = open::<Markdown>("a.md", GUIDE);
    let region = |name: &str| guide.read(TargetKind::Region, name);
    assert_eq!(region("front-matter").expect("found"), ["---\ntitle: Guide\n---"]);
    assert_eq!(region("preamble").expect("found"), ["Before."]);
    assert!(region("body").expect("found")[0].starts_with("Before."));
    assert_eq!(region("code[1]").expect("found"), ["```sh\nnpm i\n```"]);
    let failure = region("imports").expect_err("no MDX");
    assert_eq!(failure.kind, FailureKind::TargetNotFound);
    assert_eq!(failure.candidates, ["front-matter", "body", "preamble"]);
    let toc = open::<Markdown>("a.md", "1. x\n2. y\n\n- [A](#a)\n  - [B](#b)\n- [C](#c)\n\n# A\n## B\n# C\n");
    assert_eq!(toc.read(TargetKind::Region, "toc").expect("found"), ["- [A](#a)\n  - [B](#b)\n- [C](#c)"]);
}

#[test]
fn what_is_not_found_names_the_nearest() {
    let guide = open::<Markdown>("a.md", GUIDE);
    let failure = guide.read(TargetKind::Heading, "## Instal").expect_err("a typo");
    assert_eq!(failure.kind, FailureKind::TargetNotFound);
    assert!(failure.candidates.contains(&"Using foo > Install".to_owned()), "{failure:?}");
    let failure = guide.read(TargetKind::Heading, "table[4]").expect_err("only one");
    assert_eq!(failure.candidates, ["Using foo > Install > table[1]"]);
    let failure = guide.read(TargetKind::Heading, "## Linux").expect_err("a level too high");
    assert!(failure.hint.expect("a hint").contains("`### Linux`"));
    assert_eq!(guide.read(TargetKind::Heading, "Install[0]").expect_err("from 1").kind, FailureKind::InvalidTarget);
    assert_eq!(guide.read(TargetKind::Selector, "h1").expect_err("HTML").kind, FailureKind::Unsupported);
}

#[test]
fn views() {
    let guide = open::<Markdown>("a.md", GUIDE);
    let view = |target: &str, form: Form| {
        let node = guide.nodes(TargetKind::Heading, target).expect("found").remove(0);
        guide.show(&node, form).expect("shown")
    };
    assert_eq!(view("## Install", Form::Signature), "## Install");
    assert_eq!(view("## Install", Form::Body), "Use `npm`.\n\n```sh\nnpm i\n```\n\n### Linux");
    assert_eq!(view("Linux", Form::Body), "");
    assert_eq!(view("code[sh]", Form::Body), "npm i");
    assert_eq!(view("front-matter", Form::Body), "title: Guide");
    let summary = "# Guide: What it is.\n## Install: Use npm.\n### Linux\n## Using foo\n### Install\n";
    assert_eq!(view("Guide[1]", Form::Summary), summary);
}

#[test]
fn mdx_has_components_imports_and_exports() {
    let text = "import {Tab as T} from './tabs.jsx'\nimport x from 'y'\n\nexport const meta = {}\n\n<T a={1}>\n  ## In\n\n  text\n</T>\n\n<T>one</T>\n\n{x}\n";
    let doc = open::<Markdown>("a.mdx", text);
    let expected = "\
import ./tabs.jsx @import[./tabs.jsx]
import y @import[y]
export meta @export[meta]
component T @component[T][1]
  heading In @In
component T @component[T][2]
";
    assert_eq!(doc.outline(), expected);
    assert_eq!(doc.problems(), [""; 0]);
    let read = |target: &str| doc.read(TargetKind::Heading, target).expect("found");
    assert_eq!(read("In"), ["## In\n\n  text"]);
    assert_eq!(read("component[T][2]"), ["<T>one</T>"]);
    assert_eq!(doc.read(TargetKind::Region, "imports").expect("found"), [&text[..53]]);
    let node = doc.nodes(TargetKind::Heading, "component[T][1]").expect("found").remove(0);
    let used = marquetry_sdk::Document::dependencies(doc.document(), node.id);
    assert_eq!(
        used.iter().map(|used| (used.symbol.as_str(), used.from.as_str())).collect::<Vec<_>>(),
        [("Tab", "./tabs.jsx")]
    );
}

#[test]
fn a_label_that_brackets_would_change_stands_in_quotes() {
    let text = "import '\u{b}./a'\n\nimport ' '\n\n```+1\nx\n```\n";
    let doc = open::<Markdown>("a.mdx", text);
    for (target, address) in
        [("import[1]", "import[\"\u{b}./a\"]"), ("import[2]", "import[\" \"]"), ("code[1]", "code[\"+1\"]")]
    {
        for target in [target, address] {
            let nodes = doc.nodes(TargetKind::Heading, target).expect("found");
            assert_eq!(nodes.iter().map(|node| node.address.as_str()).collect::<Vec<_>>(), [address], "{target}");
        }
    }
}

#[test]
fn what_is_wrong_in_mdx_is_reported() {
    let problems = |text: &str| open::<Markdown>("a.mdx", text).problems();
    for text in [
        "<a>",
        "</a>",
        "{a",
        "a {b c",
        "import a\n",
        "export var a\nvar b\n",
        "{a b}",
        "<a {b} />",
        "*<a>*</a>",
        "> <A\nb/>",
    ] {
        assert!(!problems(text).is_empty(), "{text:?}");
    }
    for text in [
        "<a />",
        "{/* c */}",
        "\\{ a",
        "`{`",
        "```\n{\n```",
        "a < b",
        "&#123;",
        "<a>*b*</a>",
        "export const a = 1\n\nb",
    ] {
        assert_eq!(problems(text), [""; 0], "{text:?}");
    }
    assert_eq!(open::<Markdown>("a.md", "<a>{").problems(), [""; 0]);
    let open_front = open::<Markdown>("a.md", "---\ntitle: x\n\n# y\n").problems();
    assert_eq!(open_front, ["1:1 front matter is not closed: what follows is read as Markdown"]);
}

#[test]
fn parts_in_other_languages() {
    let text = "---\na: 1\n---\n\n```ts title=x\nlet a\n```\n\n- ```js\n  b\n  ```\n\n> ```js\n> c\n> ```\n\n```\nd\n```\n\n```JSON\n{}\n```\n";
    let doc = open::<Markdown>("a.md", text);
    let parts = marquetry_sdk::Document::embedded(doc.document());
    let parts: Vec<_> = parts.iter().map(|part| (part.language.as_str(), part.span.of(text))).collect();
    assert_eq!(parts, [("yaml", "a: 1"), ("ts", "let a"), ("json", "{}")]);
}
