//! Renaming a name and renaming it back restores the text of any program. Tested on the files of the conformance
//! suites, if they are available.

use crate::host;

use std::collections::BTreeSet;
use std::time::Instant;

use marquetry_sdk::span::apply;
use marquetry_sdk::{Document, RenameResult, Subject, Symbols, testing, workspace};
use marquetry_typescript::TypeScript;
use serde_json::Value;

const FRESH: &str = "ZzFreshZz";

fn rename(path: &str, text: &str, offset: u32, new: &str) -> Option<(String, RenameResult)> {
    let document = host::open(path, text);
    let answer = TypeScript::rename(&document, Subject::At(offset), new).ok()?;
    if answer.elsewhere.is_some() || answer.edits.is_empty() {
        return None;
    }
    let edits = &answer.edits;
    assert!(edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "edits overlap: {edits:?}\n{text}");
    Some((apply(text, edits), answer))
}

/// Returns the start offsets of the words in a text.
fn word_offsets(text: &str) -> Vec<usize> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let starts = text.char_indices().filter(|(at, c)| part(*c) && !text[..*at].ends_with(part));
    starts.map(|(at, _)| at).collect()
}

fn problem_count(path: &str, text: &str) -> usize {
    host::open(path, text).diagnostics().len()
}

/// Renames each name of a file and renames it back. Returns the number of renames.
fn rename_and_rename_back(path: &str, text: &str) -> usize {
    workspace::set_files([(path.to_owned(), text.to_owned())]);
    // These texts are not compared: escapes in names are not restored, and `declare module` may add declarations of a
    // name in another module.
    let broken = problem_count(path, text) > 0
        || text.contains('\\')
        || text.contains("declare module")
        || text.to_lowercase().contains("error");
    let (mut done, mut seen) = (0, BTreeSet::new());
    for at in word_offsets(text) {
        if seen.contains(&at) {
            continue;
        }
        let Some((after, answer)) = rename(path, text, at as u32, FRESH) else { continue };
        done += 1;
        seen.extend(answer.edits.iter().map(|edit| edit.span.start as usize));
        let old = &answer.name;
        let simple = old.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        if broken || !simple || !answer.unresolved.is_empty() {
            continue;
        }
        assert_eq!(problem_count(path, &after), 0, "renaming {old} broke\n{text}\n=>\n{after}");
        // Rename the first occurrence of the new name back. The only difference is that shorthand properties stay
        // expanded.
        let first = answer.edits.iter().map(|edit| edit.span.start as usize).min().unwrap_or_default();
        let moved = after[first..].find(FRESH).map(|found| first + found).unwrap_or(first);
        workspace::set_files([(path.to_owned(), after.clone())]);
        let expanded = answer.edits.iter().any(|edit| edit.text != FRESH);
        match rename(path, &after, moved as u32, old) {
            Some((back, _)) if !expanded => {
                assert!(back == text, "{old} and back:\n{text}\n=>\n{after}\n=>\n{back}");
            }
            Some(_) => {}
            // The old name may now be refused: it is a reserved word, or another symbol in scope has the same name.
            None => {}
        }
        workspace::set_files([(path.to_owned(), text.to_owned())]);
    }
    done
}

#[test]
fn rename_and_rename_back_is_identity() {
    let budget = std::env::var("IDENTITY_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let step = std::env::var("IDENTITY_STEP").ok().and_then(|text| text.parse().ok()).unwrap_or(7usize);
    let started = Instant::now();
    let (mut files, mut renames, mut failed) = (0, 0, Vec::new());
    for suite in ["typescript-conformance", "typescript-unit", "abracadabra", "typescript-fourslash"] {
        for line in testing::suite(suite).iter().step_by(step) {
            let case: Value = serde_json::from_str(line).expect("a case is JSON");
            for (path, text) in case["files"].as_object().into_iter().flatten() {
                let Some(text) = text.as_str().filter(|text| host::is_code(path) && text.len() < 6000) else {
                    continue;
                };
                if started.elapsed().as_secs() > budget {
                    continue;
                }
                files += 1;
                match std::panic::catch_unwind(|| rename_and_rename_back(path, text)) {
                    Ok(done) => renames += done,
                    Err(why) => {
                        let why = why.downcast_ref::<String>().cloned().unwrap_or_default();
                        failed.push(format!("{} {path}: {why}", case["id"]));
                    }
                }
            }
        }
    }
    println!("{files} files, {renames} renames, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n=====\n"));
}
