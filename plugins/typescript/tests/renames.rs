//! Renames of whole suites, replayed natively, where the suites are.

mod host;

use std::collections::BTreeMap;
use std::path::Path;

use host::Files;
use marquetry_sdk::Subject;
use serde_json::Value;

fn files(value: &Value) -> Option<Files> {
    value.as_object()?.iter().map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned()))).collect()
}

/// The offset of a line and a column in UTF-16 units, both from 0.
fn offset(text: &str, at: &Value) -> Option<u32> {
    let (line, column) = (at["line"].as_u64()?, at["column"].as_u64()? as usize);
    let start = text.split_inclusive('\n').take(line as usize).map(str::len).sum::<usize>();
    let mut units = 0;
    for (offset, c) in text[start..].char_indices() {
        if units >= column {
            return Some((start + offset) as u32);
        }
        units += c.len_utf16();
    }
    Some(text.len() as u32)
}

/// Whether the case asks for a setting that the tool does not have.
fn has_options(case: &Value) -> bool {
    let args = &case["args"];
    let departs = |key: &str, default: bool| {
        [&args[key], &args["options"][key]].iter().any(|value| value.as_bool().is_some_and(|value| value != default))
    };
    departs("providePrefixAndSuffixTextForRename", true)
        || departs("usePrefixAndSuffixText", true)
        || ["findInComments", "renameInComments", "findInStrings", "renameInStrings"]
            .iter()
            .any(|key| departs(key, false))
}

enum Outcome {
    Passed,
    Refused(String),
    Wrong(String),
}

fn run(case: &Value) -> Option<Outcome> {
    let before = files(&case["files"])?;
    let at = &case["args"]["at"];
    let path = at["file"].as_str().or(case["args"]["file"].as_str())?;
    let new = case["args"]["newName"].as_str()?;
    let subject = Subject::At(offset(&before[path], at)?);
    let after = host::rename(&before, path, subject, new);
    Some(match (after, case["expect"]["refused"] == true) {
        (Err(_), true) => Outcome::Passed,
        (Ok(after), true) => Outcome::Wrong(format!("not refused: {}", different(&after, &before))),
        (Err(failure), false) => Outcome::Refused(failure.message),
        (Ok(after), false) => {
            let mut wanted = before.clone();
            wanted.extend(files(&case["expect"]["files"])?);
            if after == wanted { Outcome::Passed } else { Outcome::Wrong(different(&after, &wanted)) }
        }
    })
}

fn different(got: &Files, wanted: &Files) -> String {
    let mut text = String::new();
    for (path, got) in got {
        let wanted = wanted.get(path).map_or("", String::as_str);
        for (got, wanted) in got.lines().zip(wanted.lines()).filter(|(got, wanted)| got != wanted) {
            text.push_str(&format!("\n    {path}: {got}\n    {}  {wanted}", " ".repeat(path.len())));
        }
    }
    text
}

#[test]
fn renames_as_the_suites_want() {
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut report = String::new();
    for suite in ["typescript-fourslash", "ts-morph"] {
        let Ok(cases) = std::fs::read_to_string(suites.join(suite).join("cases.jsonl")) else { continue };
        for line in cases.lines() {
            let case: Value = serde_json::from_str(line).expect("a case is JSON");
            let kind = case["kind"].as_str().unwrap_or_default();
            if !kind.starts_with("rename_symbol") {
                continue;
            }
            let soft = if has_options(&case) { "~" } else { "" };
            let count = counts.entry(format!("{suite} {kind}{soft}")).or_default();
            match run(&case) {
                Some(Outcome::Passed) => count[0] += 1,
                Some(Outcome::Refused(why)) => {
                    count[1] += 1;
                    report.push_str(&format!("{soft}REFUSED {}: {why}\n", case["id"]));
                }
                Some(Outcome::Wrong(how)) => {
                    count[2] += 1;
                    report.push_str(&format!("{soft}WRONG {}: {how}\n", case["id"]));
                }
                None => {}
            }
        }
    }
    println!("{report}\n[passed, refused, wrong]\n{counts:#?}");
    for (kind, [passed, refused, wrong]) in counts.iter().filter(|(kind, _)| !kind.ends_with('~')) {
        let wanted = if kind.starts_with("ts-morph") { 75 } else { 94 };
        assert!(passed * 100 >= wanted * (passed + refused + wrong), "{kind}: only {passed} pass\n{report}");
    }
}
