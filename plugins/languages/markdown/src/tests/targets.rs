//! Tests of the nodes that targets find, and of the errors if nothing is found.

use marquetry_sdk::{FailureKind, TargetKind, testing::open};

use super::GUIDE;
use crate::Markdown;

#[track_caller]
fn reads(text: &str, target: &str, expected: &[&str]) {
    assert_eq!(open::<Markdown>("a.md", text).read(TargetKind::Heading, target).expect("found"), expected, "{target}");
}

#[test]
fn section_ends_at_next_heading_of_level() {
    let install = "## Install\n\nUse `npm`.\n\n```sh\nnpm i\n```\n\n### Linux";
    reads(GUIDE, "## Install", &[install]);
    reads(GUIDE, "Guide[1] > Install[1]", &[install]);
    reads(GUIDE, "Guide > ## Install", &[install]);
    reads(GUIDE, "Linux", &["### Linux"]);
    reads(GUIDE, "Quoted", &["## Quoted\n> text"]);
    reads(GUIDE, "Guide[2]", &["# Guide\n\n> ## Quoted\n> text\n\n[a]: ./b.md"]);
}

#[test]
fn finds_headings_by_rendered_text() {
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
fn finds_headings_by_source_text() {
    let release = "## [1.1.0] - 2026-02-01\n\n- B.";
    for text in [format!("# Changes\n\n{release}\n"), format!("[1.1.0]: u\n\n# Changes\n\n{release}\n")] {
        for target in [
            "[1.1.0] - 2026-02-01",
            "1.1.0 - 2026-02-01",
            "## [1.1.0] - 2026-02-01",
            "## 1.1.0 - 2026-02-01",
            "Changes > [1.1.0] - 2026-02-01",
            "\"[1.1.0] - 2026-02-01\"",
        ] {
            reads(&text, target, &[release]);
        }
    }
    for (heading, targets) in [
        ("[Unreleased]", &["[Unreleased]", "[unreleased]", "Unreleased"][..]),
        ("Use [the *tool*][t]!", &["Use [the *tool*][t]!", "Use the tool!"]),
        ("Note[^n]", &["Note[^n]", "Note"]),
        ("![Logo](l.png) Tool", &["![Logo](l.png) Tool", "Logo Tool"]),
        ("A <b>c</b>", &["A <b>c</b>", "A c"]),
        ("foo\\_bar &amp; co", &["foo\\_bar &amp; co", "foo_bar & co"]),
        ("Install ##", &["Install ##", "## Install ##", "Install"]),
        ("`code` and *em*", &["`code` and *em*", "code and em"]),
        ("Setup {#setup}", &["Setup {#setup}", "Setup", "#setup"]),
        ("arr\\[1\\]", &["arr\\[1\\]", "\"arr[1]\""]),
    ] {
        let text = format!("## {heading}\n\nx\n\n# Notes\n\n[Unreleased]: u\n[t]: u\n[^n]: x\n");
        for target in targets {
            reads(&text, target, &[&format!("## {heading}\n\nx")]);
        }
    }
    reads("[Set] *up*\n---\n\nx\n\n[set]: u\n", "[Set] *up*", &["[Set] *up*\n---\n\nx\n\n[set]: u"]);
    // The rendered text takes precedence over the source.
    reads("# [a]\n\n# \\[a\\]\n\n[a]: u\n", "[a]", &["# \\[a\\]"]);
}

#[test]
fn finds_blocks_by_kind_and_number() {
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
    reads("- x\n\n[a]: b\n[c]: d\n", "definition[a]", &["[a]: b"]);
    reads("- x\n\n  [a]: b\n  [c]: d\n", "list > item > definition[c]", &["[c]: d"]);
    reads("# a\n```js\n1\n```\n```\n2\n```\n# b\n```js\n3\n```\n", "a > code[2]", &["```\n2\n```"]);
    reads("# a\n```js\n1\n```\n```\n2\n```\n# b\n```js\n3\n```\n", "code[js][2]", &["```js\n3\n```"]);
}

#[test]
fn finds_regions() {
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
fn not_found_offers_nearest_targets() {
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
fn ambiguous_labels_are_quoted() {
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
