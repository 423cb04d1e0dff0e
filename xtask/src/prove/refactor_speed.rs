//! Time of every refactoring in a running host, in a small file and in a large one. Each is a dry run, and is measured
//! in a changed text and in the same text again.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{Run, setup};
use crate::measure::{
    process::quantile,
    session::Session,
    table::{Table, ms, number, text as text_column},
};

const ROUNDS: usize = 20;
/// Lines of the files.
const SIZES: [usize; 2] = [200, 14_000];

/// A refactor, its place and its arguments.
struct Row {
    refactor: &'static str,
    /// Extension of the file.
    extension: &'static str,
    /// Text that occurs once in the file, with `«»` around the selection or `‸` at the caret; empty for the whole
    /// document.
    at: &'static str,
    arguments: fn() -> Value,
}

const fn new_row(refactor: &'static str, extension: &'static str, at: &'static str) -> Row {
    Row { refactor, extension, at, arguments: || json!({}) }
}

const ROWS: [Row; 24] = [
    new_row("extract_function", "ts", "«const second = first + 1;\n  console.log(second);»"),
    new_row("extract_method", "ts", "return «Math.PI * this.radius»"),
    new_row("extract_variable", "ts", "const first = «prices.length * rate»"),
    new_row("extract_constant", "ts", "const first = «prices.length * rate»"),
    new_row("extract_type", "ts", "by: «{ x: number; y: number }»"),
    new_row("inline_variable", "ts", "const ‸third ="),
    new_row("inline_function", "ts", "function ‸helper"),
    new_row("convert_to_arrow", "ts", "export function ‸late"),
    new_row("convert_to_function", "ts", "const ‸double ="),
    new_row("convert_to_async", "ts", "function ‸load"),
    new_row("toggle_export_default", "ts", "export function ‸late"),
    new_row("organize_imports", "ts", ""),
    new_row("remove_unused_imports", "ts", ""),
    Row { arguments: || json!({ "symbol": "needed" }), ..new_row("add_import", "ts", "") },
    Row {
        arguments: || json!({ "arguments": { "destination": "moved.ts" } }),
        ..new_row("move_to_file", "ts", "export function ‸late")
    },
    Row {
        arguments: || json!({ "arguments": { "parameters": ["b", "a"] } }),
        ..new_row("change_signature", "ts", "function ‸helper")
    },
    new_row("extract_variable", "css", "color: ‸#abcdef"),
    new_row("sort_properties", "css", ".mid‸dle"),
    new_row("sort_keys", "json", "\"middle\": {‸"),
    new_row("extract_definition", "json", "\"shape\": {‸"),
    new_row("sort_keys", "yaml", "  ‸b: 1"),
    new_row("update_toc", "md", ""),
    new_row("promote", "md", "## Mid‸dle"),
    new_row("demote", "md", "## Mid‸dle"),
];

/// Measures all refactorings whose name or extension `--only` selects.
pub(super) fn run(run: &Run) -> Result<()> {
    let folder = setup::empty_folder("refactor-speed")?;
    fs::write(folder.join("other.ts"), "export const used = 1;\nexport const spare = 2;\nexport const needed = 3;\n")?;
    let rows =
        ROWS.iter().filter(|row| run.is_selected(row.refactor) || run.only().iter().any(|only| only == row.extension));
    let rows = run.draw(rows.collect(), "refactors");
    ensure!(!rows.is_empty(), "`--only` admits no refactor and no file extension");
    let columns = ["lines", "new p50", "p95", "same p50"];
    let table =
        Table::start(&[&[text_column("refactor", 22), text_column("file", 4)], &columns.map(number)[..]].concat());
    let mut failed = Vec::new();
    for size in if run.is_sampled() { &SIZES[..1] } else { &SIZES } {
        for row in &rows {
            if let Err(error) = measure(run, &folder, row, *size, &table) {
                println!("{} in {} lines of {}: {error:#}", row.refactor, size, row.extension);
                failed.push(row.refactor);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("these refactors failed: {}", failed.join(", ")) }
}

fn measure(run: &Run, folder: &Path, row: &Row, size: usize, table: &Table) -> Result<()> {
    let file = format!("code.{}", row.extension);
    let text = text(row.extension, size);
    fs::write(folder.join(&file), &text)?;
    let mut call = json!({ "file": file, "refactor": row.refactor, "dryRun": true });
    let extra = [arguments_at(row, &text)?, (row.arguments)()];
    for (name, value) in extra.iter().filter_map(Value::as_object).flatten() {
        call[name.as_str()] = value.clone();
    }
    let mut session = Session::start(run.program(), folder)?;
    session.call_time("file/edit", &call)?;
    let mut changed = Vec::new();
    for round in 0..run.rounds(ROUNDS) {
        fs::write(folder.join(&file), text.clone() + &"\n".repeat(round + 1))?;
        changed.push(session.call_time("file/edit", &call)?);
    }
    let same = (0..run.rounds(ROUNDS)).map(|_| session.call_time("file/edit", &call)).collect::<Result<Vec<_>>>()?;
    let [half, most, same] =
        [(&changed, 0.5), (&changed, 0.95), (&same, 0.5)].map(|(times, part)| ms(quantile(times, part)));
    table.row(&[row.refactor, row.extension, &size.to_string(), &half, &most, &same]);
    Ok(())
}

/// Returns the arguments that give the position or the selection.
fn arguments_at(row: &Row, text: &str) -> Result<Value> {
    if row.at.is_empty() {
        return Ok(json!({}));
    }
    let plain = row.at.replace(['«', '»', '‸'], "");
    let found = text.find(&plain).with_context(|| format!("`{plain}` is not in the generated file"))?;
    let position = |mark: char| {
        let before = row.at.find(mark)?;
        let marks = row.at[..before].chars().filter(|c| "«»".contains(*c)).map(char::len_utf8).sum::<usize>();
        let at = found + before - marks;
        let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
        Some((text[..at].matches('\n').count() + 1, at - start))
    };
    Ok(match (position('«'), position('»'), position('‸')) {
        (Some((line, column)), Some((end, last)), _) => {
            json!({ "selectionRange": { "startLine": line, "startColumn": column, "endLine": end, "endColumn": last } })
        }
        (_, _, Some((line, column))) => json!({ "line": line, "column": column }),
        _ => json!({}),
    })
}

/// Returns a file of `size` lines. The places where the refactors are applied are in its middle.
fn text(extension: &str, size: usize) -> String {
    let (begin, unit, middle, end): (&str, fn(usize) -> String, &str, &str) = match extension {
        "ts" => (TS_BEGIN, ts_unit, TS_MIDDLE, ""),
        "css" => ("", css_unit, ".middle {\n  margin: 0;\n  color: #abcdef;\n  border: 0;\n}\n", ""),
        "json" => ("{\n  \"$defs\": {},\n  \"properties\": {\n", json_unit, JSON_MIDDLE, "    \"last\": {}\n  }\n}\n"),
        "yaml" => ("", yaml_unit, "middle:\n  b: 1\n  a:\n    d: 2\n    c: 3\n", ""),
        _ => ("# Title\n\n", md_unit, "## Middle\n\nText.\n\n### Below\n\nText.\n\n", ""),
    };
    let mut text = begin.to_owned();
    let lines = |text: &str| text.matches('\n').count();
    let mut number = 0;
    while lines(&text) < size / 2 {
        text += &unit(number);
        number += 1;
    }
    text += middle;
    // Counting all lines after each unit would take longer than the measurement.
    let each = lines(&unit(0));
    for more in 0..size.saturating_sub(lines(&text)) / each {
        text += &unit(number + more);
    }
    text + end
}

const TS_BEGIN: &str = "import { used, spare } from \"./other\";\n\nexport const first = used;\n\n";

const TS_MIDDLE: &str = "export function middle(prices: number[], rate: number): number {\n  const first = prices.length * rate;\n  const second = first + 1;\n  \
                         console.log(second);\n  const third = second * 2;\n  return helper(first, third);\n}\n\nfunction helper(a: number, b: number): number {\n  return a + b;\n}\n\n\
                         export class Circle {\n  radius = 1;\n  area(): number {\n    return Math.PI * this.radius;\n  }\n}\n\nexport function moved(by: { x: number; y: number }): number {\n  return by.x;\n}\n\n\
                         export function load(): Promise<string> {\n  return fetch(\"x\").then((answer) => answer.text());\n}\n\nexport const double = (n: number): number => n * 2;\n\n\
                         export function late(): number {\n  return 1;\n}\n\nexport const last = needed;\n\n";

fn ts_unit(number: usize) -> String {
    format!(
        "/** Part {number}. */\nexport function part{number}(items: string[], most = {number}): string {{\n  const found = items.filter((item) => item.length > most);\n  \
         if (found.length === 0) {{\n    return \"none\";\n  }}\n  for (const item of found) {{\n    console.log(item, part{number}.name);\n  }}\n  return found.join();\n}}\n\n"
    )
}

fn css_unit(number: usize) -> String {
    format!(".part{number} {{\n  color: #12{:04x};\n  margin: {number}px;\n}}\n", number % 0xffff)
}

const JSON_MIDDLE: &str = "    \"middle\": {\n      \"type\": \"object\",\n      \"properties\": {\n        \"shape\": {\n          \"type\": \"object\",\n          \"required\": [\"a\"]\n        }\n      }\n    },\n";

fn json_unit(number: usize) -> String {
    format!("    \"part{number}\": {{\n      \"type\": \"string\",\n      \"maxLength\": {number}\n    }},\n")
}

fn yaml_unit(number: usize) -> String {
    format!("part{number}:\n  type: string\n  most: {number}\n")
}

fn md_unit(number: usize) -> String {
    format!("## Part {number}\n\nText of part {number} with a [link](#part-{number}).\n\n")
}
