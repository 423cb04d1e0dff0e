//! Tests of where sections end: definitions, closing tags and markers may belong to a section or to its surroundings.
//! Also tests the insertion of content at the end of a section.

use marquetry_sdk::{
    FailureKind, Operation, Position, Result, TargetKind,
    testing::{
        after, before, body, check_edit, check_insert_missing, check_refusal, first, last, open, replace, sorted,
    },
};

use crate::Markdown;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Markdown>(("a.md", text), (TargetKind::Heading, target), operation, expected);
}

fn edit(text: &str, target: &str, operation: Operation) -> Result<String> {
    open::<Markdown>("a.md", text).edit(TargetKind::Heading, target, operation)
}

/// Checks that operations on a section do not change the texts `around` it, and insert content before the second one.
#[track_caller]
fn check_around(around: (&str, &str), section: &str) {
    let (ahead, behind) = around;
    let text = format!("{ahead}{section}{behind}");
    let target = "Inside";
    check(&text, target, replace("## New\n\nnew"), &format!("{ahead}## New\n\nnew{behind}"));
    check(&text, target, replace(section), &text);
    check(&text, target, body("new"), &format!("{ahead}## Inside\n\nnew{behind}"));
    check(&text, target, last("more"), &format!("{ahead}{section}\n\nmore{behind}"));
    check(&text, target, after("## More"), &format!("{ahead}{section}\n\n## More{behind}"));
    check(&text, target, Operation::Delete, &format!("{ahead}{}", behind.trim_start_matches('\n')));
    let read = open::<Markdown>("a.md", &text).read(TargetKind::Heading, target).expect("found");
    assert_eq!(read, [section]);
}

const CHANGES: &str = "# Changelog\n\n## [1.1.0] - 2026-02-01\n\n- B.[^n]\n\n";

#[test]
fn section_ends_before_definitions_used_elsewhere() {
    let section = "## Inside\n\ntext";
    for definitions in [
        "[1.1.0]: https://example.com/1\n[1.0.0]: https://example.com/0\n",
        "[1.0.0]: https://example.com/0\n\n[1.1.0]:\n  <https://example.com/1> 'title'\n",
        "[^n]: A note.\n\n[1.1.0]: https://example.com/1\n",
        "[^n]: A note.\n\n    In two parts.\n",
        "[^N]: A note.",
        "<!-- links -->\n[1.1.0]: u\n",
        "*[HTML]: Hyper Text\n*[CSS]: Sheets\n",
        "[^n]: A note.\n\n## Next\n",
    ] {
        check_around((CHANGES, &format!("\n\n{definitions}")), section);
    }
    check_around((CHANGES, "\n\n[1.1.0]: u\n"), "## Inside\n\n### Sub\n\n- [x] y");
}

#[test]
fn changelog_edits_keep_link_definitions() {
    let text = "## [1.1.0]\n- B.\n\n## [1.0.0]\n- A.\n\n[1.1.0]: https://example.com/1\n[1.0.0]: https://example.com/0";
    let links = "[1.1.0]: https://example.com/1\n[1.0.0]: https://example.com/0";
    check(text, "1.0.0", Operation::Delete, &format!("## [1.1.0]\n- B.\n\n{links}"));
    check(text, "1.0.0", replace("## X"), &format!("## [1.1.0]\n- B.\n\n## X\n\n{links}"));
    check(text, "1.0.0", body("- Z."), &format!("## [1.1.0]\n- B.\n\n## [1.0.0]\n- Z.\n\n{links}"));
    check(text, "1.0.0", last("- Z."), &format!("## [1.1.0]\n- B.\n\n## [1.0.0]\n- A.\n- Z.\n\n{links}"));
    check(text, "1.0.0", after("## X"), &format!("## [1.1.0]\n- B.\n\n## [1.0.0]\n- A.\n\n## X\n\n{links}"));
    // If the versions are in the section of the title, the definitions are also at its end.
    let titled = format!("# Changelog\n\n{text}\n");
    let with = |new: &str| titled.replace("\n\n[1.1.0]: ", &format!("\n\n{new}\n\n[1.1.0]: "));
    check(&titled, "Changelog", last("## X"), &with("## X"));
    check(&titled, "Changelog", sorted("## X"), &with("## X"));
    check(&titled, "Changelog", after("# X"), &with("# X"));
    let titled = (("a.md", titled.as_str()), (TargetKind::Heading, "## X"));
    check_insert_missing::<Markdown>(titled.0, titled.1, "x", &with("## X\n\nx"));
    check_insert_missing::<Markdown>(
        ("a.md", text),
        (TargetKind::Heading, "X"),
        "x",
        &text.replace("\n\n[1.1.0]: ", "\n\n## X\n\nx\n\n[1.1.0]: "),
    );
}

#[test]
fn section_includes_definitions_only_it_uses() {
    let text = "# A\n\n[x]\n\n[x]: u\n\n# B\n\n[y]: v\n";
    let read = |target: &str| open::<Markdown>("a.md", text).read(TargetKind::Heading, target).expect("found");
    assert_eq!((read("A"), read("B")), (vec!["# A\n\n[x]\n\n[x]: u".to_owned()], vec!["# B\n\n[y]: v".to_owned()]));
    check(text, "A", last("more"), "# A\n\n[x]\n\nmore\n\n[x]: u\n\n# B\n\n[y]: v\n");
    check(text, "A", after("# C"), "# A\n\n[x]\n\n[x]: u\n\n# C\n\n# B\n\n[y]: v\n");
    check(text, "B", last("more"), "# A\n\n[x]\n\n[x]: u\n\n# B\n\nmore\n\n[y]: v\n");
    check(text, "B", last("[z]: w"), "# A\n\n[x]\n\n[x]: u\n\n# B\n\n[y]: v\n[z]: w\n");
    check(text, "B", first("more"), "# A\n\n[x]\n\n[x]: u\n\n# B\n\nmore\n\n[y]: v\n");
}

#[test]
fn section_ends_before_closing_tag_opened_outside() {
    let section = "## Inside\n\ntext <b>x</b>";
    for (opening, closing) in [
        ("<details>\n<summary>More</summary>", "</details>"),
        ("<div align=\"center\">", "</div>"),
        ("<center>", "</center>"),
        ("<table><tr>\n<td>", "</td>\n</tr></table>"),
        ("<span class='a > b'>", "</span>"),
        ("<DIV>", "</div >"),
        ("<details>\n\n<div>", "</div>\n\n</details>"),
        ("<a name='x'/>\n<details><img src='y'>", "</details>\n<br>"),
    ] {
        for behind in ["", "\n\n## After\n\nend\n", "\n\ntext\n\n# After\n"] {
            check_around((&format!("{opening}\n\n"), &format!("\n\n{closing}{behind}")), section);
        }
    }
    // An element that is completely within a section belongs to it.
    check("# A\n\n<div>\n\nx\n\n</div>\n\n# B\n", "A", body("y"), "# A\n\ny\n\n# B\n");
    check("# A\n\n</div>\n", "A", body("y"), "# A\n\ny\n");
}

#[test]
fn section_ends_before_marker_opened_outside() {
    let section = "## Inside\n\n- a\n\ntext";
    for (start, end) in [
        ("X:START", "X:END"),
        ("ALL-CONTRIBUTORS-LIST:START - Do not remove or modify", "ALL-CONTRIBUTORS-LIST:END"),
        ("toc", "tocstop"),
        ("prettier-ignore-start", "prettier-ignore-end"),
        ("#region Notes", "endregion"),
        ("markdownlint-disable MD013", "markdownlint-enable MD013"),
    ] {
        for behind in ["\n", "\n\n## After\n"] {
            check_around((&format!("<!-- {start} -->\n\n"), &format!("\n\n<!-- {end} -->{behind}")), section);
        }
    }
    for (start, end) in [
        (":::note", ":::"),
        ("::: tip Title", ":::"),
        ("::::note\n\n:::tip", ":::\n\n::::"),
        ("{% tip %}", "{% endtip %}"),
        ("{% tabs a=1 %}", "{% /tabs %}"),
        ("{{< tip >}}", "{{< /tip >}}"),
        ("{{% tip %}}", "{{% /tip %}}"),
    ] {
        for behind in ["\n", "\n\n## After\n"] {
            check_around((&format!("{start}\n\n"), &format!("\n\n{end}{behind}")), section);
        }
    }
    // A block that is completely within a section belongs to it.
    check("# A\n\n:::note\n\nx\n\n:::\n\n# B\n", "A", body("y"), "# A\n\ny\n\n# B\n");
    // A comment without a matching opening belongs to the section.
    check("# A\n\nx\n\n<!-- end of A -->\n", "A", body("y"), "# A\n\ny\n");
}

#[test]
fn section_excludes_opening_tag_of_next_section() {
    let text = "## A\n\na\n\n<details>\n<summary>B</summary>\n\n## B\n\nb\n\n</details>\n";
    check(text, "A", body("x"), &text.replace("\n\na\n", "\n\nx\n"));
    check(text, "A", Operation::Delete, text.split_once("a\n\n").expect("two parts").1);
    check(text, "B", before("x"), &text.replace("## B", "x\n\n## B"));
    let text = "## A\n\na\n\n<!-- X:START -->\n\n## B\n\nb\n\n<!-- X:END -->\n";
    check(text, "A", body("x"), &text.replace("\n\na\n", "\n\nx\n"));
}

#[test]
fn tag_before_subsections_stays_or_edit_is_refused() {
    let text = "<div>\n\n# Project\n\ntext\n\n</div>\n\n## Use\n\nuse\n";
    let refused = |operation: Operation| {
        let failure = check_refusal::<Markdown>(("a.md", text), (TargetKind::Heading, "Project"), operation);
        assert_eq!(failure.kind, FailureKind::InvalidArgument);
        assert!(failure.message.contains("`</div>`"), "{failure:?}");
    };
    refused(Operation::Delete);
    refused(body("new"));
    refused(replace("# New\n"));
    check(text, "Project", body("new\n\n</div>"), "<div>\n\n# Project\n\nnew\n\n</div>\n");
    check(text, "Project > Use", body("x"), &text.replace("\n\nuse", "\n\nx"));
    check(text, "Project", last("more"), &format!("{}\n\nmore\n", text.trim_end()));
    assert_eq!(edit(text, "Project", first("x")).expect("edited"), text.replace("\n\ntext", "\n\nx\n\ntext"));
}

#[test]
fn inserted_items_join_list_at_end_of_section() {
    check("## F\n\n- Fast\n- Typed\n", "F", last("- New"), "## F\n\n- Fast\n- Typed\n- New\n");
    check(
        "## F\n\n- Fast\n- Typed\n\n## G\n",
        "F",
        last("* New\n* Newer"),
        "## F\n\n- Fast\n- Typed\n- New\n- Newer\n\n## G\n",
    );
    check("## F\n\n* a\n\n* b\n", "F", last("- c"), "## F\n\n* a\n\n* b\n\n* c\n");
    check("## F\n\n1. a\n2. b\n", "F", last("1. c"), "## F\n\n1. a\n2. b\n3. c\n");
    check("## F\n\n1) a\n1) b\n", "F", last("1. c"), "## F\n\n1) a\n1) b\n1) c\n");
    check("## F\n\n- [ ] a\n- [x] b\n", "F", last("- [x] c"), "## F\n\n- [ ] a\n- [x] b\n- [x] c\n");
    check("## F\n\n- [ ] a\n", "F", last("- c"), "## F\n\n- [ ] a\n- [ ] c\n");
    check("## F\n\n-   a\n-   b\n", "F", last("- c\n  - d"), "## F\n\n-   a\n-   b\n-   c\n    - d\n");
    check("## F\n\n  + a\n  + b\n", "F", last("- c"), "## F\n\n  + a\n  + b\n  + c\n");
    check("> ## F\n> - a\n> - b\n", "F", last("- c"), "> ## F\n> - a\n> - b\n> - c\n");
    check("> - a\n", "quote[1]", last("- c"), "> - a\n> - c\n");
    check("## F\r\n\r\n- a\r\n- b\r\n", "F", last("- c"), "## F\r\n\r\n- a\r\n- b\n- c\r\n");
    check("## F\n\n- b\n\ntext\n", "F", first("- a"), "## F\n\n- a\n- b\n\ntext\n");
    check("## F\n\n- a\n- c\n", "F", sorted("- b"), "## F\n\n- a\n- b\n- c\n");
    // A new item is added to the list of the last subsection.
    check("# F\n\n## G\n\n- a\n", "F", last("- b"), "# F\n\n## G\n\n- a\n- b\n");
    check("# F\n\n- a\n\n[x]: u\n", "F", last("- b"), "# F\n\n- a\n- b\n\n[x]: u\n");
    // Content that is not items of the list becomes a separate block.
    check("## F\n\n- a\n", "F", last("1. b"), "## F\n\n- a\n\n1. b\n");
    check("## F\n\n- a\n", "F", last("text"), "## F\n\n- a\n\ntext\n");
    check("## F\n\n- a\n", "F", last("- b\n\ntext"), "## F\n\n- a\n\n- b\n\ntext\n");
    check("## F\n\n- a\n\ntext\n", "F", last("- b"), "## F\n\n- a\n\ntext\n\n- b\n");
}

#[test]
fn inserted_rows_join_table_at_end_of_section() {
    let table = "## S\n\n| OS    | ok  |\n| ----- | --- |\n| Linux | yes |\n";
    let with = |row: &str| format!("{table}{row}\n");
    check(table, "S", last("| BSD | no |"), &with("| BSD   | no  |"));
    check(table, "S", last("| BSD | no |\n| Mac | yes |"), &with("| BSD   | no  |\n| Mac   | yes |"));
    check(table, "S", last("| OS | ok |\n|---|---|\n| BSD | no |"), &with("| BSD   | no  |"));
    check(table, "S", first("| BSD | no |"), &table.replace("| Linux", "| BSD   | no  |\n| Linux"));
    check(table, "S", sorted("| BSD | no |"), &table.replace("| Linux", "| BSD   | no  |\n| Linux"));
    check(&format!("{table}\n## T\n"), "S", last("| BSD | no |"), &format!("{}\n## T\n", with("| BSD   | no  |")));
    check("## S\n\na | b\n-|-\n1 | 2\n", "S", last("3 | 4"), "## S\n\na | b\n-|-\n1 | 2\n3 | 4\n");
    check("> ## S\n> |a|\n> |-|\n", "S", last("|x|"), "> ## S\n> |a|\n> |-|\n> |x|\n");
    let wide = check_refusal::<Markdown>(("a.md", table), (TargetKind::Heading, "S"), last("| a | b | c |"));
    assert_eq!(wide.kind, FailureKind::InvalidArgument);
    // A table with another header and a sentence become separate blocks.
    check(table, "S", last("| x |\n|---|"), &format!("{table}\n| x |\n|---|\n"));
    check(table, "S", last("use a | b"), &format!("{table}\nuse a | b\n"));
}

#[test]
fn items_and_rows_respect_position() {
    let insert = |position| Operation::InsertInto(marquetry_sdk::Insertion { content: "- x".to_owned(), position });
    let text = "# A\n\n- a\n\ntext\n\n- b\n";
    check(text, "A", insert(Position::First), "# A\n\n- x\n- a\n\ntext\n\n- b\n");
    check(text, "A", insert(Position::Last), "# A\n\n- a\n\ntext\n\n- b\n- x\n");
    let region = open::<Markdown>("a.md", text).edit(TargetKind::Region, "body", last("- x"));
    assert_eq!(region.expect("edited"), "# A\n\n- a\n\ntext\n\n- b\n- x\n");
}

const MIDDLE: &str = "# A\n\n[x] and [^n].\n\n## B\n\none\n\n[x]: u\n[^n]: note\n\ntwo [y]\n\n[y]: v\n\nthree\n";

#[test]
fn refuses_to_remove_definitions_used_elsewhere() {
    for operation in [Operation::Delete, replace("## C"), body("new"), body("new\n\n[y]: v")] {
        let failure = check_refusal::<Markdown>(("a.md", MIDDLE), (TargetKind::Heading, "B"), operation);
        assert_eq!(failure.kind, FailureKind::InvalidArgument);
        assert!(failure.message.contains("[x]: u"), "{failure:?}");
    }
    // Definitions may be removed if the content repeats them, or if they are not used outside of the section.
    let kept = "new\n\n[x]: u\n[^n]: note";
    assert!(edit(MIDDLE, "B", body(kept)).is_ok());
    let unused = "# A\n\n## B\n\n[x]\n\n[x]: u\n\nmore\n";
    check(unused, "B", Operation::Delete, "# A\n");
    check(unused, "B", body("new"), "# A\n\n## B\n\nnew\n");
    // Content can still be inserted.
    assert!(edit(MIDDLE, "B", last("more")).is_ok());
}
