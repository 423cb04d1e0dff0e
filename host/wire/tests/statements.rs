//! Checks that every test exists that a table of a specification names.

use std::{fs, path::Path};

/// Returns the last cell of a row: a file, and a text that the file must contain.
fn test_reference(row: &str) -> Option<(&str, &str)> {
    let (path, text) = row.trim_end_matches(" |").rsplit_once(" | `")?.1.split_once("`: ")?;
    let text = text.trim_start_matches('`').trim_end_matches('`');
    Some((path, text.trim()))
}

/// Checks that each row of a page names a file that contains the text.
#[track_caller]
fn check(page: &str, statements: usize) {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(top.join(page)).expect("a page");
    let rows: Vec<&str> = text.lines().filter(|line| is_numbered(line)).collect();
    assert_eq!(rows.len(), statements, "{page}");
    let mut breaches = Vec::new();
    for row in rows {
        let Some((path, text)) = test_reference(row) else {
            breaches.push(format!("names no test: {row}"));
            continue;
        };
        let text = text.replace("\\|", "|");
        match fs::read_to_string(top.join(path)) {
            Ok(there) if there.contains(&text) => {}
            Ok(_) => breaches.push(format!("{path} has no `{text}`")),
            Err(error) => breaches.push(format!("{path}: {error}")),
        }
    }
    assert!(breaches.is_empty(), "{page}:\n{}", breaches.join("\n"));
}

fn is_numbered(line: &str) -> bool {
    let number = line.strip_prefix("| ").and_then(|rest| rest.split(' ').next());
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

#[test]
fn answers_of_open_are_covered() {
    check("docs/open.md", 39);
}

#[test]
fn answers_of_claude_code_endpoint_are_covered() {
    check("docs/ide.md", 86);
}

#[test]
fn statement_row_has_file_and_text() {
    assert_eq!(test_reference("| 1 | a | b | `x/y.rs`: `one` |"), Some(("x/y.rs", "one")));
    assert_eq!(test_reference("| 2 | `a` | `b`: c | `x.rs`: `` a `b` `` |"), Some(("x.rs", "a `b`")));
    assert_eq!(test_reference("| 3 | a | b | c |"), None);
}
