//! Moves and copies of whole suites, replayed natively, where the suites are.

mod host;

use std::path::Path;

use host::Files;
use serde_json::Value;

fn files(value: &Value) -> Option<Files> {
    value.as_object()?.iter().map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned()))).collect()
}

/// The tree that a case wants, without the files of other packs.
fn wanted(case: &Value, before: &Files) -> Option<Files> {
    let mut tree = before.clone();
    for path in case["expect"]["removed"].as_array()? {
        tree.remove(path.as_str()?);
    }
    tree.extend(files(&case["expect"]["files"])?);
    Some(tree)
}

fn run(case: &Value) -> Option<Result<(), String>> {
    let before = files(&case["files"])?;
    if case["sourceExists"] == false || case["ts55"] == false {
        return None;
    }
    let (source, destination) = (case["args"]["source"].as_str()?, case["args"]["destination"].as_str()?);
    let after = match case["kind"].as_str()? {
        "move" => host::move_path(&before, source, destination),
        _ => host::duplicate(&before, source, destination),
    };
    let wanted = wanted(case, &before)?;
    let code = |files: &Files| {
        files
            .iter()
            .filter(|(path, _)| !path.ends_with(".json"))
            .map(|(p, t)| (p.clone(), t.clone()))
            .collect::<Files>()
    };
    Some(match after {
        Ok(after) if code(&after) == code(&wanted) => Ok(()),
        Ok(after) => Err(format!("{:#?} instead of {:#?}", code(&after), code(&wanted))),
        Err(failure) => Err(failure.message),
    })
}

#[test]
fn moves_as_the_suites_want() {
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let (mut passed, mut failed) = (0, Vec::new());
    for suite in ["typescript-fourslash", "typescript-go-fourslash", "ts-morph"] {
        let Ok(cases) = std::fs::read_to_string(suites.join(suite).join("cases.jsonl")) else { continue };
        for line in cases.lines() {
            let case: Value = serde_json::from_str(line).expect("a case is JSON");
            if !matches!(case["kind"].as_str(), Some("move" | "duplicate")) {
                continue;
            }
            match run(&case) {
                Some(Ok(())) => passed += 1,
                Some(Err(message)) => failed.push(format!("{}: {message}", case["id"])),
                None => {}
            }
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
