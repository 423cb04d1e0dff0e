//! Checks the laws (properties required of every pack) for all packs, through the sandbox: on the sample workspace, on
//! random bytes, and on the public suites if they are beside this repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use marquetry_model::{
    Kind,
    ports::{Pack, Packs},
};
use marquetry_testkit::{MemoryFiles, default_packs, laws};
use proptest::prelude::*;

/// A file name for each format. The default registry maps each to its pack.
const NAMES: [&str; 19] = [
    "a.ts", "a.tsx", "a.js", "a.json", "a.jsonc", "a.jsonl", "a.yaml", "a.toml", "a.html", "a.css", "a.scss", "a.less",
    "a.xml", "a.md", "a.mdx", "a.py", "a.rs", "a.go", "A.java",
];

/// Pieces of syntax that matter to parsers.
const PIECES: [&str; 48] = [
    "a",
    "b1",
    " ",
    "\n",
    "\r\n",
    "\t",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "</a>",
    "<a>",
    "<!--",
    "-->",
    "\"",
    "'",
    "`",
    ":",
    ";",
    ",",
    ".",
    "=",
    "=>",
    "#",
    "# ",
    "- ",
    "* ",
    "|",
    "&a ",
    "*a",
    "---\n",
    "```",
    "//",
    "/*",
    "*/",
    "@media x",
    "class A ",
    "function f",
    "${",
    "\\",
    "é",
    "😀",
    "\u{feff}",
    "\0",
];

fn folder(path: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        // Dependencies and build output of a sample.
        if ["node_modules", "build"].iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.path().is_dir() { folder(&entry.path(), files) } else { files.push(entry.path()) }
    }
}

fn keeps(pack: &std::sync::Arc<dyn Pack>, path: &str, text: &str) {
    laws(pack, path, text).unwrap_or_else(|broken| panic!("{path}: {broken}\n--- the text:\n{text}"));
}

#[test]
fn laws_hold_on_sample_workspace() {
    let packs = default_packs();
    let mut paths = Vec::new();
    folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    assert!(paths.len() > 8, "the sample workspace must have documents");
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        let pack = packs.for_path(&MemoryFiles::from_files([(name.as_str(), "")]), &name).expect("a pack");
        keeps(&pack, &name, &text);
    }
}

/// One in this many cases of a suite is tested, because all of them would take too long.
const STRIDE: usize = 9;

#[test]
fn laws_hold_on_public_suites() {
    let Some(folder_variable) = std::env::var_os("MARQ_SUITES").filter(|folder| !folder.is_empty()) else { return };
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder_variable);
    let packs = default_packs();
    let files = MemoryFiles::from_files([]);
    let mut tried = 0;
    for suite in fs::read_dir(&suites).expect("MARQ_SUITES names a folder").flatten() {
        let Ok(cases) = fs::read_to_string(suite.path().join("cases.jsonl")) else { continue };
        for case in cases.lines().step_by(STRIDE) {
            let case: serde_json::Value = serde_json::from_str(case).expect("JSON");
            for (path, text) in case["files"].as_object().into_iter().flatten() {
                let text = match (text.as_str(), text["ref"].as_str()) {
                    (Some(text), _) => text.to_owned(),
                    (None, Some(reference)) => fs::read_to_string(suites.join(reference)).unwrap_or_default(),
                    _ => continue,
                };
                let Ok(pack) = packs.for_path(&files, path) else { continue };
                keeps(&pack, path, text.trim_start_matches('\u{feff}'));
                tried += 1;
            }
        }
    }
    println!("{tried} documents");
    assert!(tried > 100, "the suites must have documents");
}

#[test]
fn laws_hold_on_random_texts() {
    let packs = default_packs();
    let files = MemoryFiles::from_files([]);
    for name in NAMES {
        let pack = packs.for_path(&files, name).expect("a pack");
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let config = ProptestConfig { cases: config.cases * 3 / 8, ..config };
        let built = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat());
        let bytes =
            prop::collection::vec(any::<u8>(), 0..120).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        proptest!(config, |(text in prop_oneof![2 => built, 1 => bytes])| {
            keeps(&pack, name, &text);
        });
    }
}

#[test]
fn deep_nesting_is_handled() {
    let packs = default_packs();
    let files = MemoryFiles::from_files([]);
    for (name, open, close) in [
        ("a.json", "[", "]"),
        ("a.ts", "(", ")"),
        ("a.ts", "{", "}"),
        ("a.ts", "class A{m(){", "}}"),
        ("a.yaml", "[", "]"),
        ("a.html", "<div>", "</div>"),
        ("a.css", "a{", "}"),
        ("a.scss", "a{", "}"),
        ("a.xml", "<a>", "</a>"),
        ("a.md", "> ", ""),
        ("a.md", "[", "]"),
        ("a.mdx", "<a>", "</a>"),
    ] {
        let pack: std::sync::Arc<dyn Pack> = packs.for_path(&files, name).expect("a pack");
        for depth in [1_000, 50_000] {
            let text: std::sync::Arc<str> =
                std::sync::Arc::from(format!("{}{}", open.repeat(depth), close.repeat(depth)));
            let mut document = pack.clone().open(name, &text).expect("opened");
            for result in [document.diagnostics().map(|_| ()), document.outline().map(|_| ())] {
                if let Err(error) = result {
                    assert_ne!(error.kind(), Kind::PluginFailed, "{name}, {open} {depth} deep: {error}");
                }
            }
        }
    }
}
