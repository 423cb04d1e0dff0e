//! Tests of every operation at typical positions, and of refused operations.

use marquetry_sdk::{
    Document, EditOptions, Failure, FailureKind, Operation,
    TargetKind::Path,
    span::apply,
    testing::{
        after, before, body, check_edit, check_insert_missing, check_missing_refusal, check_refusal, first, last, open,
        replace, sorted, wrap,
    },
};

use super::{ENV, INI, SETUP};
use crate::Properties;

#[track_caller]
fn check(path: &str, text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Properties>((path, text), (Path, target), operation, expected);
}

#[track_caller]
fn refused(path: &str, text: &str, target: &str, operation: Operation) -> Failure {
    check_refusal::<Properties>((path, text), (Path, target), operation)
}

#[test]
fn replaces_values() {
    check(".env", ENV, "PORT", replace("9090"), &ENV.replace("8080", "9090"));
    check(".env", ENV, "DATABASE_URL", replace("'x'\n"), &ENV.replace("\"postgres://db/shop\"", "'x'"));
    check(".env", ENV, "DATABASE_URL", body("x # y"), &ENV.replace("postgres://db/shop", "x # y"));
    check(".env", ENV, "EMPTY", replace("1"), &ENV.replace("EMPTY=", "EMPTY=1"));
    check("a.ini", "a =\r\nb = 2\r\n", "a", replace("1"), "a = 1\r\nb = 2\r\n");
    check("a.ini", "a = \nb = 2\n", "a", replace("1"), "a = 1\nb = 2\n");
    check("a.ini", "a\nb = 2\n", "a", replace("1"), "a=1\nb = 2\n");
    check("a.properties", "a.b: 1\n", "a.b", replace("x y = z"), "a.b: x y = z\n");
    check("setup.cfg", SETUP, "options.zip_safe", replace("yes"), &SETUP.replace(": no", ": yes"));
}

#[test]
fn entry_as_content_replaces_value() {
    check(".env", ENV, "PORT", replace("PORT=9090"), &ENV.replace("8080", "9090"));
    check(".env", ENV, "PORT", replace("export PORT=\"9 0\""), &ENV.replace("8080", "\"9 0\""));
    check(".env", ENV, "PORT", replace("PORT="), &ENV.replace("8080", ""));
    check(".env", "A=1\n", "A", replace("A"), "A=A\n");
    check(".env", "A=1\n", "A", replace("B=2"), "A=B=2\n");
    check("a.properties", "a=1\n", "a", replace("a b"), "a=a b\n");
}

#[test]
fn replaces_multiline_values() {
    let two = "\"-----BEGIN\n-----END\"";
    check(".env", ENV, "PORT", replace(two), &ENV.replace("8080", two));
    check("a.properties", "a = 1\nb = 2\n", "a", replace("x, \\\n  y"), "a = x, \\\n  y\nb = 2\n");
    check("a.cfg", "a = 1\nb = 2\n", "a", replace("\n    x\n    y\n"), "a = x\n    y\nb = 2\n");
    for (path, content) in [
        (".env", "x\ny"),
        (".env", "x #y"),
        (".env", "x#y"),
        (".env", "\"x"),
        ("a.properties", "x\ny"),
        ("a.properties", "x\\"),
        ("a.cfg", "x\ny"),
        (".npmrc", "x ; y"),
    ] {
        let failure = refused(path, "a = 1\nb = 2\n", "a", replace(content));
        assert_eq!(failure.message, "in the file, the content would get another meaning", "{path} {content}");
    }
}

#[test]
fn replaces_sections() {
    check(
        ".editorconfig",
        INI,
        "*",
        replace("[*.rs]\nx = 1\n"),
        &INI.replace("[*]\nindent_style = space", "[*.rs]\nx = 1"),
    );
    check(".editorconfig", INI, "*", body("x = 1\ny = 2\n"), &INI.replace("indent_style = space", "x = 1\ny = 2"));
    check("a.ini", "[a]\n[b]\n", "a", body("x=1"), "[a]\nx=1\n[b]\n");
    check("a.ini", "[a]\n[b]\n", "a", replace("[c]"), "[c]\n[b]\n");
}

const TWO: &str = "[s]\na=1\n# about c\nc=3\n\n[t]\nb=2\n";

#[test]
fn replaced_section_keeps_its_header() {
    check("a.ini", TWO, "s", replace("a=2"), "[s]\na=2\n\n[t]\nb=2\n");
    check("a.ini", TWO, "s", replace("# new\na=2\nd=4\n"), "[s]\n# new\na=2\nd=4\n\n[t]\nb=2\n");
    check("a.ini", TWO, "t", replace("b: 3"), &TWO.replace("b=2", "b: 3"));
    check("a.ini", TWO, "t", replace("[u]\n"), &TWO.replace("[t]\nb=2", "[u]"));
    check("a.ini", TWO, "t", replace("# why\n[t]\nb=3"), &TWO.replace("[t]\nb=2", "# why\n[t]\nb=3"));
    check("a.ini", TWO, "t", replace(""), &TWO.replace("[t]\nb=2", ""));
    check("a.ini", "[a]\n[b]\n", "a", replace("x=1"), "[a]\nx=1\n[b]\n");
    check("a.ini", "[a]\n[b]\n", "a", replace("# empty"), "[a]\n# empty\n[b]\n");
    check("a.ini", "[a]\r\nx=1\r\n[b]\r\n", "a", replace("y=1"), "[a]\r\ny=1\r\n[b]\r\n");
    check(".editorconfig", INI, "*.md", replace("indent_size = 2"), &INI.replace('4', "2"));
    check("setup.cfg", SETUP, "metadata", replace("name = x"), &SETUP.replace("shop", "x"));
    check("hosts.cfg", "[web]\none\ntwo\n", "web", replace("three"), "[web]\nthree\n");
    check("a.ini", "a=1\n\n[s]\nb=2\n", ".", replace("a=2\nc=3"), "a=2\nc=3\n\n[s]\nb=2\n");
}

#[test]
fn replace_refuses_content_that_loses_entries() {
    for (path, text, target, content) in [
        ("a.ini", TWO, "s", "5"),
        ("a.ini", TWO, "s", "one two\nthree"),
        ("a.ini", TWO, "s", "# none"),
        ("a.ini", TWO, "t", "; none\n\n# at all"),
        (".editorconfig", INI, "*", "# none"),
        ("setup.cfg", SETUP, "options", "no"),
        (".npmrc", "[a]\nb=1\n", "a", "1"),
        ("a.ini", "a=1\n\n[s]\nb=2\n", ".", "# none"),
        (".env", "A=1\n", ".", "# none"),
        ("hosts.cfg", "[web]\none\ntwo\n", "web", "# none"),
    ] {
        let failure = refused(path, text, target, replace(content));
        let line = content.lines().next().unwrap_or_default();
        let expected = format!("`{line}` is not an entry, and would replace all entries of `{target}`");
        assert_eq!(failure.message, expected, "{path} {content}");
    }
    let failure = refused("a.ini", TWO, "t", replace("a=2\n[t]\nb=3"));
    assert_eq!(failure.message, "entries above the first header would not belong to `t`");
    assert!(failure.hint.is_some_and(|hint| hint.contains("begin with `[t]`")));
}

#[test]
fn force_keeps_the_header_of_a_section() {
    let bench = open::<Properties>("a.ini", TWO);
    let node = bench.nodes(Path, "t").expect("found")[0].id;
    let options = EditOptions { include_doc: false, force: true };
    let edits = bench.document().edit(&[node], &replace("# none"), options).expect("forced");
    assert_eq!(apply(TWO, &edits), TWO.replace("b=2", "# none"));
}

#[test]
fn inserts_beside_entries() {
    check(".env", ENV, "DATABASE_URL", before("A=1"), &format!("A=1\n{ENV}"));
    check(".env", ENV, "DATABASE_URL", after("A=1\nB=2\n"), &ENV.replace("local\n", "local\nA=1\nB=2\n"));
    check(".env", "A=1", "A", after("B=2"), "A=1\nB=2");
    check("a.ini", "[a]\n\tx=1\n", "a.x", after("y=2"), "[a]\n\tx=1\n\ty=2\n");
    check(".editorconfig", INI, "*.md", before("[*.rs]\nx = 1"), &INI.replace("; wider", "[*.rs]\nx = 1\n\n; wider"));
    check(".editorconfig", INI, "*.md", after("[x]\ny = 1"), &format!("{INI}\n[x]\ny = 1\n"));
    check("\u{feff}.env", "\u{feff}A=1\n", "A", before("B=1"), "\u{feff}B=1\nA=1\n");
}

#[test]
fn inserts_into_sections() {
    check(".editorconfig", INI, "*", first("a = 1"), &INI.replace("indent_style", "a = 1\nindent_style"));
    check(".editorconfig", INI, "*", last("a = 1"), &INI.replace("space\n", "space\na = 1\n"));
    check("a.ini", "[a]\nb=1\nd=1\n", "a", sorted("c=1"), "[a]\nb=1\nc=1\nd=1\n");
    check("a.ini", "[a]", "a", last("c=1"), "[a]\nc=1");
    check(".env", "B=1\n", ".", sorted("A=1"), "A=1\nB=1\n");
    check(".env", "", ".", last("A=1"), "A=1\n");
    check(".env", "# nothing\n", ".", last("A=1"), "# nothing\nA=1\n");
    check(".env", "# nothing", ".", body("A=1"), "# nothing\nA=1");
    check("a.ini", "# about a\n[a]\n", ".", last("x=1"), "x=1\n\n# about a\n[a]\n");
}

#[test]
fn insert_refuses_duplicate_keys() {
    assert_eq!(refused(".env", ENV, "PORT", after("EMPTY=1")).candidates, ["EMPTY"]);
    assert_eq!(refused("a.ini", "[a]\nx=1\n", "a", last("x=2")).candidates, ["a.x"]);
    refused("a.ini", "[a]\nx=1\ny=1\n", "a.x", after("[b]"));
}

#[test]
fn deletes() {
    check(".env", ENV, "DATABASE_URL", Operation::Delete, "export PORT = 8080\n\nEMPTY=\n");
    check(".env", ENV, "EMPTY", Operation::Delete, &ENV.replace("\nEMPTY=\n", ""));
    check(".editorconfig", INI, "*", Operation::Delete, &INI.replace("[*]\nindent_style = space\n\n", ""));
    check(
        ".editorconfig",
        INI,
        "*.md",
        Operation::Delete,
        "# For all files.\nroot = true\n\n[*]\nindent_style = space\n",
    );
    check(
        "setup.cfg",
        SETUP,
        "options.install_requires",
        Operation::Delete,
        "[metadata]\nname = shop\n\n[options]\nzip_safe: no\n",
    );
    check("a.ini", "a=1\n\nb=1\n\nc=1\n", "b", Operation::Delete, "a=1\n\nc=1\n");
    check(".env", "A=1\nB=1\nA=2\n", "A", Operation::Delete, "B=1\n");
}

#[test]
fn edits_entries_above_first_section() {
    let text = "# file\n\na=1\nb=2\n\n[c]\n";
    check("a.ini", text, ".", replace("x=1\n"), "# file\n\nx=1\n\n[c]\n");
    check("a.ini", text, ".", before("x=1"), "# file\n\nx=1\na=1\nb=2\n\n[c]\n");
    check("a.ini", text, ".", after("x=1"), "# file\n\na=1\nb=2\nx=1\n\n[c]\n");
    check("a.ini", text, ".", Operation::Delete, "# file\n\n[c]\n");
    refused("a.ini", "# file\n", ".", Operation::Delete);
}

#[test]
fn wraps_values() {
    check(".env", ENV, "PORT", wrap("\"", "\""), &ENV.replace("8080", "\"8080\""));
    refused(".env", ENV, "PORT", wrap("\"", ""));
    refused("a.ini", "[a]\n", "a", wrap("x", "y"));
}

#[track_caller]
fn check_new(path: &str, text: &str, target: &str, content: &str, expected: &str) {
    check_insert_missing::<Properties>((path, text), (Path, target), content, expected);
}

#[test]
fn upsert_creates_entries() {
    check_new(".env", ENV, "CURRENCY", "EUR", &format!("{ENV}CURRENCY=EUR\n"));
    check_new(".env", "", "A", "\"one two\"\n", "A=\"one two\"\n");
    check_new("a.properties", "a.b: 1\n", "a.c", "2", "a.b: 1\na.c: 2\n");
    check_new(".editorconfig", INI, "*.end_of_line", "lf", &INI.replace("space\n", "space\nend_of_line = lf\n"));
    check_new("a.ini", "x = 1\n[a]\n[a.b]\n", "a.b.c", "1", "x = 1\n[a]\n[a.b]\nc = 1\n");
}

#[test]
fn upsert_refuses_ambiguous_sections() {
    for (path, text, target, content) in [
        (".env", ENV, "PORT", "1"),
        (".env", ENV, "A B", "1\n2"),
        (".env", ENV, "A=B", "1"),
        ("a.ini", "[a]\n", "b.c", "1"),
        ("a.ini", "[a]\n[a]\n", "a.c", "1"),
    ] {
        check_missing_refusal::<Properties>((path, text), (Path, target), content);
    }
}

/// Deletes the first entry below each head in each format, and checks that the head stays.
#[test]
fn comments_of_file_and_groups_stay() {
    let heads = [
        "# About the file.\n\n",
        "# About the file.\n# Two lines.\n\n",
        "\n# About the file.\n\n\n",
        "# Copyright 2026 A\n",
        "# SPDX-License-Identifier: MIT\n# All rights reserved.\n",
        "# A file.\n# Copyright 2026 A\n# All rights reserved.\n",
        "# -*- mode: conf -*-\n",
        "# --- Database ---\n",
        "# Database ----------\n",
        "####################\n# Database\n####################\n",
        "### Database\n",
        "# ===== Database =====\n",
    ];
    for path in [".env", "a.properties", "a.ini", ".editorconfig"] {
        for head in heads {
            let text = format!("{head}a=1\nb=2\n");
            check(path, &text, "a", Operation::Delete, &format!("{head}b=2\n"));
            let commented = format!("{head}# about a\na=1\nb=2\n");
            // The first comment of the file may have more lines about the file.
            let is_about_file = head.contains("Copyright") || head.contains("SPDX") || head.contains("-*-");
            if !is_about_file {
                check(path, &commented, "a", Operation::Delete, &format!("{head}b=2\n"));
            }
            let below = format!("z=0\n\n{head}a=1\nb=2\n");
            if !head.contains("All rights") && !head.starts_with('\n') && !head.ends_with("\n\n") {
                check(path, &below, "a", Operation::Delete, &format!("z=0\n\n{head}b=2\n"));
            }
        }
        check(path, "# about a\na=1\nb=2\n", "a", Operation::Delete, "b=2\n");
        check(path, "z=0\n# about a\n# more\na=1\nb=2\n", "a", Operation::Delete, "z=0\nb=2\n");
    }
    check("a.ini", "# File.\n\n[a]\nx=1\n\n[b]\n", "a", Operation::Delete, "# File.\n\n[b]\n");
    check("a.ini", "; Copyright A\n[a]\nx=1\n\n[b]\n", "a", Operation::Delete, "; Copyright A\n\n[b]\n");
}

#[test]
fn new_keys_of_variables_are_names() {
    for content in ["a b=1", "X=1\na b=2", "\"a\"=1"] {
        for operation in [after(content), before(content)] {
            assert_eq!(refused(".env", "A=1\n", "A", operation).kind, FailureKind::InvalidArgument);
        }
        refused(".env", "A=1\n", ".", last(content));
        refused(".env", "A=1\n", ".", replace(content));
    }
    for key in ["a b", "a:b", "a#b", "[x]"] {
        let failure = check_missing_refusal::<Properties>((".env", "A=1\n"), (Path, key), "v");
        assert_eq!((failure.kind, failure.candidates.len()), (FailureKind::InvalidArgument, 1), "{key}");
    }
    check(".env", "a b=1\nC=2\n", "C", replace("3"), "a b=1\nC=3\n");
    check(".env", "a b=1\nC=2\n", "a b", replace("3"), "a b=3\nC=2\n");
    check("a.ini", "A=1\n", "A", after("a b=1"), "A=1\na b=1\n");
}

#[test]
fn special_keys_of_properties_are_escaped() {
    check_new("a.properties", "A=1\n", "a b", "v", "A=1\na\\ b=v\n");
    check_new("a.properties", "A=1\n", "a:b=c", "v", "A=1\na\\:b\\=c=v\n");
    check_new("a.properties", "A=1\n", "#a", "v", "A=1\n\\#a=v\n");
    check_new("a.properties", "A=1\n", "a\\ b", "v", "A=1\na\\ b=v\n");
    check_new("a.properties", "list[0]=1\n", "list[1]", "v", "list[0]=1\nlist[1]=v\n");
    check("a.properties", "a\\ b=1\n", "a b", replace("2"), "a\\ b=2\n");
    check("a.properties", "a\\ b=1\n", "a\\ b", replace("2"), "a\\ b=2\n");
    check("a.properties", "a\\:b=1\nc=2\n", "a:b", Operation::Delete, "c=2\n");
}

#[test]
fn address_with_a_number_is_not_a_new_key() {
    for path in [".env", "a.properties", "a.ini"] {
        let failure = check_missing_refusal::<Properties>((path, "A=1\n"), (Path, "A[2]"), "v");
        assert_eq!(failure.kind, FailureKind::InvalidTarget, "{path}");
    }
}
