//! Every refactor, warm, in a small file and in a large one: as a dry run, in a text that is new each time and in the same.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{
    formats::marq,
    process::{cost, quantile},
    session::Session,
};
use crate::shell::{step, top};

const ROUNDS: usize = 20;
const SIZES: [usize; 2] = [200, 14_000];

/// A refactor, where it is asked for, and with what.
struct Row {
    refactor: &'static str,
    /// The ending of the file.
    ending: &'static str,
    /// A text that the file has once, with `«»` around what is selected or `‸` at the caret; empty for the whole document.
    at: &'static str,
    arguments: fn() -> Value,
}

const fn row(refactor: &'static str, ending: &'static str, at: &'static str) -> Row {
    Row { refactor, ending, at, arguments: || json!({}) }
}

const ROWS: [Row; 24] = [
    row("extract_function", "ts", "«const second = first + 1;\n  console.log(second);»"),
    row("extract_method", "ts", "return «Math.PI * this.radius»"),
    row("extract_variable", "ts", "const first = «prices.length * rate»"),
    row("extract_constant", "ts", "const first = «prices.length * rate»"),
    row("extract_type", "ts", "by: «{ x: number; y: number }»"),
    row("inline_variable", "ts", "const ‸third ="),
    row("inline_function", "ts", "function ‸helper"),
    row("convert_to_arrow", "ts", "export function ‸late"),
    row("convert_to_function", "ts", "const ‸double ="),
    row("convert_to_async", "ts", "function ‸load"),
    row("toggle_export_default", "ts", "export function ‸late"),
    row("organize_imports", "ts", ""),
    row("remove_unused_imports", "ts", ""),
    Row { arguments: || json!({ "symbol": "needed" }), ..row("add_import", "ts", "") },
    Row {
        arguments: || json!({ "arguments": { "destination": "moved.ts" } }),
        ..row("move_to_file", "ts", "export function ‸late")
    },
    Row {
        arguments: || json!({ "arguments": { "parameters": ["b", "a"] } }),
        ..row("change_signature", "ts", "function ‸helper")
    },
    row("extract_variable", "css", "color: ‸#abcdef"),
    row("sort_properties", "css", ".mid‸dle"),
    row("sort_keys", "json", "\"middle\": {‸"),
    row("extract_definition", "json", "\"shape\": {‸"),
    row("sort_keys", "yaml", "  ‸b: 1"),
    row("update_toc", "md", ""),
    row("promote", "md", "## Mid‸dle"),
    row("demote", "md", "## Mid‸dle"),
];

/// Measure all of them, or those whose name or ending contains the text.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let marq = marq()?;
    let folder = top().join("target/bench-refactors");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("other.ts"), "export const used = 1;\nexport const spare = 2;\nexport const needed = 3;\n")?;
    // Compile the packs before anything is measured.
    cost(&marq, &["doctor"], &folder)?;
    step("refactors, warm, as dry runs: milliseconds, in a new text each time and in the same");
    println!("{:<24}{:<6}{:>7}{:>9}{:>9}{:>9}", "", "", "lines", "new p50", "p95", "the same");
    for size in SIZES {
        for row in ROWS.iter().filter(|row| only.is_none_or(|only| row.refactor.contains(only) || row.ending == only)) {
            if let Err(error) = measure(&marq, &folder, row, size) {
                println!("{:<24}{:<6}{size:>7}  {error:#}", row.refactor, row.ending);
            }
        }
    }
    Ok(())
}

fn measure(marq: &Path, folder: &Path, row: &Row, size: usize) -> Result<()> {
    let file = format!("code.{}", row.ending);
    let text = text(row.ending, size);
    fs::write(folder.join(&file), &text)?;
    let mut call = json!({ "file": file, "refactor": row.refactor, "dryRun": true });
    let extra = [place(row, &text)?, (row.arguments)()];
    for (name, value) in extra.iter().filter_map(Value::as_object).flatten() {
        call[name.as_str()] = value.clone();
    }
    let mut session = Session::start(marq, folder)?;
    session.timed("file/edit", &call)?;
    let mut changed = Vec::new();
    for round in 0..ROUNDS {
        fs::write(folder.join(&file), text.clone() + &"\n".repeat(round + 1))?;
        changed.push(session.timed("file/edit", &call)?);
    }
    let same = (0..ROUNDS).map(|_| session.timed("file/edit", &call)).collect::<Result<Vec<_>>>()?;
    let [half, most, same] =
        [(&changed, 0.5), (&changed, 0.95), (&same, 0.5)].map(|(times, part)| quantile(times, part));
    println!("{:<24}{:<6}{size:>7}{half:>9.2}{most:>9.2}{same:>9.2}", row.refactor, row.ending);
    Ok(())
}

/// The arguments that say where.
fn place(row: &Row, text: &str) -> Result<Value> {
    if row.at.is_empty() {
        return Ok(json!({}));
    }
    let plain = row.at.replace(['«', '»', '‸'], "");
    let found = text.find(&plain).with_context(|| format!("`{plain}` is not there"))?;
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

/// A file of so many lines, with what is asked about in its middle.
fn text(ending: &str, size: usize) -> String {
    let (begin, unit, middle, end): (&str, fn(usize) -> String, &str, &str) = match ending {
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
    // Counting all of a long text for each unit would take longer than what is measured.
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
