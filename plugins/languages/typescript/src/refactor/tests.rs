//! Replays the text cases of refactorings in `refactor/cases`, one file for each refactoring.
//!
//! ```text
//! ==== a title
//! //- /b.ts                      another file follows; the text above the first such line is `a.tsx`
//! ---- extract_type {"kind": "type"}
//! the result: the changed files, and lines that start with `refused:`, `warning:` or `unresolved:`
//! ```
//!
//! `$0` in the first file is the caret; two of them are a selection. A result without changes is `no change`.

use std::path::Path;

use super::testing::{WorkspaceResult, run_in_workspace};

const FIRST_FILE: &str = "a.tsx";

#[test]
fn cases() {
    marquetry_cases::replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/refactor/cases"), |_, case| {
        replayed(case)
    });
}

/// Returns the text of a case with the actual results.
fn replayed(case: &str) -> String {
    let mut parts = case.split("\n---- ");
    let source = parts.next().unwrap_or_default();
    let files = files_of(source);
    let mut text = source.trim_end().to_owned();
    for part in parts {
        let call = part.lines().next().unwrap_or_default();
        text += &format!("\n---- {call}\n{}", result_of_call(call, &files).trim_end());
    }
    text
}

/// Returns the paths and texts of the files, the first with marks for the selection.
fn files_of(source: &str) -> Vec<(String, String)> {
    let mut files = vec![(FIRST_FILE.to_owned(), String::new())];
    for line in source.lines() {
        if let Some(path) = line.strip_prefix("//- /") {
            files.retain(|(known, text)| known != FIRST_FILE || !text.is_empty());
            files.push((path.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            *text += &format!("{line}\n");
        }
    }
    for (_, text) in &mut files {
        if text.ends_with("\n\n") {
            text.pop();
        }
    }
    let marked = &mut files[0].1;
    *marked = match marked.matches("$0").count() {
        2 => marked.replacen("$0", "«", 1).replacen("$0", "»", 1),
        _ => marked.replace("$0", "‸"),
    };
    files
}

fn result_of_call(call: &str, files: &[(String, String)]) -> String {
    let (id, arguments) = call.split_once(' ').unwrap_or((call, "{}"));
    let arguments: serde_json::Value = serde_json::from_str(arguments).expect("arguments are JSON");
    let value = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let arguments: Vec<(String, String)> =
        arguments.as_object().expect("an object").iter().map(|(name, it)| (name.clone(), value(it))).collect();
    let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    match run_in_workspace(id, &arguments, &borrowed) {
        Ok(after) => shown_result(files, &after),
        Err(failure) => {
            let candidates = failure.candidates.iter().map(|candidate| format!("\n- {candidate}"));
            let hint = failure.hint.as_ref().map_or(String::new(), |hint| format!("\nhint: {hint}"));
            format!("refused: {}{hint}{}", failure.message, candidates.collect::<String>())
        }
    }
}

fn shown_result(files: &[(String, String)], after: &WorkspaceResult) -> String {
    let mut shown = String::new();
    for (path, text) in &after.texts {
        let before = files.iter().find(|(known, _)| known == path);
        let is_changed = before.is_none_or(|(_, before)| before.replace(['‸', '«', '»'], "") != *text);
        if is_changed {
            if after.texts.len() > 1 {
                shown += &format!("//- /{path}\n");
            }
            shown += text;
            shown += if text.ends_with('\n') { "" } else { "\n" };
        }
    }
    if shown.is_empty() {
        shown += "no change\n";
    }
    for place in &after.unresolved {
        shown += &format!("unresolved: {place}\n");
    }
    if let Some(warning) = &after.incomplete {
        shown += &format!("warning: {warning}\n");
    }
    shown
}
