//! Tests of headings and anchors as symbols.

use marquetry_sdk::{
    Failure, FailureKind, ImportKey, RenameResult, Result, Subject, Symbols, span::apply, testing::open,
};

use crate::Markdown;

fn renaming(path: &str, text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Markdown::rename(open::<Markdown>(path, text).document(), subject, new)
}

fn address(address: &str) -> Subject {
    Subject::Address(address.to_owned())
}

/// Checks the rename of an address and the exported anchors. Also checks that renaming back restores the text.
#[track_caller]
fn check(text: &str, symbol: &str, new: &str, expected: &str, anchors: Option<(&str, &str)>) {
    let renamed = renaming("a.md", text, address(symbol), new).expect("renamed");
    let after = apply(text, &renamed.edits);
    assert_eq!(after, expected);
    let exported: Vec<(&str, &str)> = renamed.exported.iter().map(|name| (&*name.old, &*name.new)).collect();
    assert_eq!(exported, Vec::from_iter(anchors));
    for edit in &renamed.edits {
        let at = renaming("a.md", text, Subject::At(edit.span.start), new).expect("renamed at each occurrence");
        assert_eq!(at.edits, renamed.edits, "{:?}", edit.span);
    }
    let first = renamed.edits.first().expect("edits").span.start;
    let back = renaming("a.md", &after, Subject::At(first), &renamed.name).expect("renamed back");
    assert_eq!(apply(&after, &back.edits), text);
}

#[track_caller]
fn refused(text: &str, symbol: &str, new: &str) -> Failure {
    renaming("a.md", text, address(symbol), new).expect_err("refused")
}

#[test]
fn rename_heading_updates_links() {
    check(
        "# Guide\n\n- [Install](#install)\n- <a href=\"#install\">x</a>\n- [r]\n\n## Install\n\n[r]: #install 'Install'\n\n`#install` #install [o](#installs)\n",
        "Guide > Install",
        "Set it up!",
        "# Guide\n\n- [Install](#set-it-up)\n- <a href=\"#set-it-up\">x</a>\n- [r]\n\n## Set it up!\n\n[r]: #set-it-up 'Install'\n\n`#install` #install [o](#installs)\n",
        Some(("install", "set-it-up")),
    );
    check(
        "Install\r\n=====\r\n\r\n[a](<#install>)\r\n",
        "Install",
        "B",
        "B\r\n=====\r\n\r\n[a](<#b>)\r\n",
        Some(("install", "b")),
    );
    check("# Über uns #\n[a](#über-uns)\n", "Über uns", "C", "# C #\n[a](#c)\n", Some(("über-uns", "c")));
    check("# A b\n[a](#a-b)\n", "A b", "A b?", "# A b?\n[a](#a-b)\n", None);
    // This is not tested with `check`: after the heading is renamed back, its anchor would need a number.
    let numbered = "## Usage\n## Usage\n[a](#usage) [b](#usage-1)\n";
    let renamed = renaming("a.md", numbered, address("Usage[2]"), "More").expect("renamed");
    assert_eq!(apply(numbered, &renamed.edits), "## Usage\n## More\n[a](#usage) [b](#more)\n");
    assert_eq!((&*renamed.exported[0].old, &*renamed.exported[0].new), ("usage-1", "more"));
}

#[test]
fn renames_explicit_anchors() {
    check("# Install {#setup}\n[a](#setup)\n", "Install", "Set up", "# Set up {#setup}\n[a](#setup)\n", None);
    let anchors = Some(("setup", "start"));
    check("# Install {#setup}\n[a](#setup)\n", "#setup", "start", "# Install {#start}\n[a](#start)\n", anchors);
    check(
        "<a id=\"setup\" name=setup></a>\n\n[a](#setup)\n",
        "#setup",
        "start",
        "<a id=\"start\" name=start></a>\n\n[a](#start)\n",
        anchors,
    );
}

#[test]
fn rename_updates_links_in_other_files() {
    let text = "[a](guide.md#install) [b](./guide.md#install \"t\") [c](other.md#install) [d](guide.md#use)\n\n[e]: <guide.md#install>\n";
    let document = open::<Markdown>("b.md", text);
    let facts = Markdown::facts(document.document());
    assert_eq!(facts.imports.iter().filter(|import| import.name == "install").count(), 4);
    let specifiers = ["guide.md#install", "./guide.md#install", "guide.md#use"].map(str::to_owned).to_vec();
    let subject = Subject::Imported(ImportKey { specifiers, name: "install".to_owned() });
    let renamed = renaming("b.md", text, subject, "Set `it` up").expect("renamed");
    assert_eq!(
        apply(text, &renamed.edits),
        "[a](guide.md#set-it-up) [b](./guide.md#set-it-up \"t\") [c](other.md#install) [d](guide.md#use)\n\n[e]: <guide.md#set-it-up>\n"
    );
    let exported = Markdown::facts(open::<Markdown>("a.md", "# A\n# A\n<p id=b>\n").document()).exports;
    assert_eq!(exported.iter().map(|export| &*export.name).collect::<Vec<_>>(), ["a", "a-1", "b"]);
}

#[test]
fn rename_refuses_taken_or_renumbered_anchors() {
    let text = "# A\n## B\n## B\n## C {#own}\n<a id=tag></a>\n\ntext\n";
    let taken = refused(text, "A", "b!");
    assert_eq!((taken.kind, taken.message.as_str()), (FailureKind::RefactorFailed, "the anchor `b` already exists"));
    assert_eq!(refused(text, "A", "Own").message, "the anchor `own` already exists");
    assert_eq!(refused(text, "A", "tag").message, "the anchor `tag` already exists");
    assert_eq!(refused(text, "#own", "tag").message, "the anchor `tag` already exists");
    assert_eq!(refused(text, "#own", "New One").candidates, ["new-one"]);
    assert_eq!(refused(text, "B[1]", "D").message, "the anchor `b-1` of another heading would become `b`");
    assert_eq!(refused(text, "A", "## D").candidates, ["D"]);
    assert_eq!(refused(text, "A", "x\ny").kind, FailureKind::InvalidArgument);
    assert_eq!(refused(text, "A", "!!").kind, FailureKind::InvalidArgument);
    assert_eq!(refused(text, "A", "x ###").kind, FailureKind::InvalidArgument);
    assert_eq!(refused(text, "B", "x").kind, FailureKind::AmbiguousTarget);
    assert_eq!(refused(text, "paragraph[1]", "x").kind, FailureKind::Unsupported);
    assert_eq!(refused(text, "Aa", "x").candidates, ["A"]);
}

#[test]
fn code_symbols_have_no_occurrences_in_markdown() {
    let key = ImportKey { specifiers: vec!["./chart.js".to_owned()], name: "Chart".to_owned() };
    let text = "import { Chart } from './chart.js'\n\n<Chart />\n";
    assert!(renaming("a.md", text, Subject::Imported(key), "Graph").expect("nothing").edits.is_empty());
}

#[test]
fn requests_on_broken_texts_do_not_panic() {
    for text in [
        "#",
        "# \n",
        "# {#}\n",
        "# {#a}\n",
        "[a](#",
        "[a](#)",
        "[a](#%)",
        "<a id=",
        "<a id='",
        "# [a](#a)\n",
        "[a]: <#a",
        "[a](\\#a)",
        "[a](&#35;a)",
    ] {
        for path in ["a.md", "a.mdx"] {
            let document = open::<Markdown>(path, text);
            Markdown::facts(document.document());
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let renamed = Markdown::rename(document.document(), Subject::At(offset as u32), "New text");
                for edit in renamed.into_iter().flat_map(|renamed| renamed.edits) {
                    assert!(text.get(edit.span.range()).is_some(), "{text}");
                }
            }
        }
    }
}

/// Checks the edits of an MDX file when `Card` of `./Card` is renamed to `Tile`.
#[track_caller]
fn check_imported(text: &str, expected: &str) {
    let key = ImportKey { specifiers: vec!["./Card".to_owned()], name: "Card".to_owned() };
    let renamed = renaming("a.mdx", text, Subject::Imported(key), "Tile").expect("renamed");
    assert_eq!(apply(text, &renamed.edits), expected);
}

#[test]
fn renames_component_in_import_and_elements() {
    check_imported(
        "import { Card, Other } from './Card'\n\n# Card\n\n<Card kind=\"a\">\n  A <Card/> of `<Card>`, a Card.\n</Card>\n\n<Card.Title />\n\n```jsx\n<Card/>\n```\n",
        "import { Tile, Other } from './Card'\n\n# Card\n\n<Tile kind=\"a\">\n  A <Tile/> of `<Card>`, a Card.\n</Tile>\n\n<Tile.Title />\n\n```jsx\n<Card/>\n```\n",
    );
    check_imported(
        "import { Card as C } from './Card'\n\n<C/> Card\n",
        "import { Tile as C } from './Card'\n\n<C/> Card\n",
    );
    check_imported("import { Card } from './other'\n\n<Card/>\n", "import { Card } from './other'\n\n<Card/>\n");
}

#[test]
fn import_alias_keeps_component_name_used_by_code() {
    for rest in
        ["<Card/> {Card.title}\n", "<A b={Card} />\n", "{Card}\n", "export const x = Card\n", "<Card/>\n\nA Tile.\n"]
    {
        check_imported(
            &format!("import {{ Card }} from './Card'\n\n{rest}"),
            &format!("import {{ Tile as Card }} from './Card'\n\n{rest}"),
        );
    }
    check_imported("export { Card } from './Card'\n\nx\n", "export { Tile as Card } from './Card'\n\nx\n");
    let key = ImportKey { specifiers: vec!["./Card".to_owned()], name: "Card".to_owned() };
    let text = "import * as ui from './Card'\nexport * from './Card'\n\n<ui.Card/> {a.Card}\n";
    let renamed = renaming("a.mdx", text, Subject::Imported(key), "Tile").expect("renamed");
    let left: Vec<&str> = renamed.unresolved.iter().map(|span| span.slice(text)).collect();
    assert_eq!((renamed.edits.len(), left), (0, vec!["'./Card'", "Card"]));
}

#[test]
fn rename_updates_links_to_heading_with_markup() {
    let text = "# T\n\n[a](#️-warning) [b](#हिन्दी-पाठ)\n\n## ⚠️ Warning\n\n## हिन्दी पाठ\n";
    check(
        text,
        "⚠️ Warning",
        "Caution",
        "# T\n\n[a](#caution) [b](#हिन्दी-पाठ)\n\n## Caution\n\n## हिन्दी पाठ\n",
        Some(("️-warning", "caution")),
    );
    check(
        text,
        "हिन्दी पाठ",
        "Hindi",
        "# T\n\n[a](#️-warning) [b](#hindi)\n\n## ⚠️ Warning\n\n## Hindi\n",
        Some(("हिन्दी-पाठ", "hindi")),
    );
}
