//! Answers stay within `maxBytes` for every query type, in a project with much larger results, and say what was
//! omitted.

use std::fmt::Write as _;

use marquetry_native::Project;
use marquetry_tools::QUERY_TYPES;
use serde_json::{Value, json};

/// The requested limit, and the allowed size of the rest of the answer: engine, completeness, omissions, names and
/// positions.
const MOST: usize = 3_000;
const AROUND: usize = 1_200;

const USERS: usize = 60;
const MEMBERS: usize = 300;

/// A type with many members, a function that everything calls, and files with many problems.
fn project() -> Project {
    let mut files = String::from("//- /package.json\n{ \"name\": \"large\", \"scripts\": {} }\n//- /src/large.ts\n");
    files += "export interface Large {\n";
    for n in 0..MEMBERS {
        let _ = writeln!(files, "  member{n}: {{ name: string; values: readonly number[] }};");
    }
    files += "}\n\n/**\n";
    for n in 0..400 {
        let _ = writeln!(
            files,
            " * Line {n} of what there is to say about it, which is a lot more than anybody would read."
        );
    }
    files += " */\nexport function used(large: Large): Large {\n";
    for n in 0..150 {
        let _ = writeln!(files, "  step{n}();");
    }
    files += "  return large;\n}\n";
    for n in 0..150 {
        let _ = writeln!(files, "export function step{n}() {{}}");
    }
    files += "export interface Base {}\nexport declare const object: Large;\n";
    for n in 0..100 {
        let _ = writeln!(files, "export class Derived{n} implements Base {{}}");
    }
    for user in 0..USERS {
        let _ = write!(
            files,
            "//- /src/user{user}.ts\nimport {{ used, gone{user}, object }} from './large';\nimport './none{user}';\n"
        );
        for n in 0..40 {
            let _ = writeln!(files, "export const value{user}_{n} = used(used(object));");
        }
    }
    for n in 0..400 {
        let _ = write!(
            files,
            "//- /packages/p{n}/package.json\n{{ \"name\": \"p{n}\", \"scripts\": {{ \"build\": \"tsc --build\" }} }}\n"
        );
    }
    Project::new(&files)
}

fn questions() -> Vec<Value> {
    let large = "src/large.ts";
    let line = 3 + MEMBERS + 1 + 400 + 1 + 1;
    vec![
        json!({ "type": "symbolInfo", "path": large, "symbol": "used" }),
        json!({ "type": "hover", "path": large, "line": line, "column": 18 }),
        json!({ "type": "typeDefinition", "path": large, "symbol": "object" }),
        json!({ "type": "documentSymbols", "path": large }),
        json!({ "type": "diagnostics" }),
        json!({ "type": "dependencies", "path": large, "direction": "importedBy" }),
        json!({ "type": "references", "path": large, "symbol": "used" }),
        json!({ "type": "workspaceSymbols", "query": "*" }),
        json!({ "type": "implementations", "path": large, "symbol": "Base" }),
        json!({ "type": "typeHierarchy", "path": large, "symbol": "Base", "direction": "subtypes" }),
        json!({ "type": "callHierarchy", "path": large, "symbol": "used", "direction": "outgoing" }),
        json!({ "type": "callHierarchy", "path": large, "symbol": "used", "direction": "incoming" }),
        json!({ "type": "codeActions", "path": "src/user0.ts", "startLine": 1, "endLine": 42 }),
        json!({ "type": "gitStatus" }),
        json!({ "type": "projectInfo" }),
        json!({ "type": "files" }),
        json!({ "type": "files", "path": "packages", "depth": 1 }),
        json!({ "type": "search", "text": "used" }),
        json!({ "type": "search", "pattern": "used($$$A)" }),
        json!({ "type": "search", "text": "used", "countOnly": true }),
    ]
}

#[test]
fn answers_fit_the_byte_limit_and_report_omissions() {
    let project = project();
    let git = |words: &[&str]| {
        std::process::Command::new("git")
            .args(words)
            .current_dir(project.root())
            .output()
            .is_ok_and(|out| out.status.success())
    };
    let has_git = git(&["init", "--quiet"]) && git(&["add", "."]);
    let mut wrong = Vec::new();
    let mut asked: Vec<String> = Vec::new();
    for mut question in questions() {
        let kind = question["type"].as_str().unwrap_or_default().to_owned();
        asked.push(kind.clone());
        if kind == "gitStatus" && !has_git {
            continue;
        }
        question["maxBytes"] = json!(MOST);
        let answer = match project.call("query", &question.to_string()) {
            Ok(answer) => answer,
            Err(error) => {
                wrong.push(format!("{question}: {error}"));
                continue;
            }
        };
        let bytes = answer.to_string().len();
        if bytes > MOST + AROUND {
            wrong.push(format!("{question}: {bytes} bytes"));
        }
        // Refactors at one place and counts of this many files are small enough to fit.
        let fits = kind == "codeActions" || question["countOnly"] == true;
        if answer["truncated"].is_null() && !fits {
            wrong.push(format!("{question}: nothing was left out of {bytes} bytes"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut types = QUERY_TYPES.to_vec();
    types.retain(|kind| !asked.iter().any(|asked| asked == kind));
    assert!(types.is_empty(), "not asked: {types:?}");
}

/// A large file of one line is answered with an overview and a hint on how to read on.
#[test]
fn file_with_one_long_line_is_shown_as_overview() {
    let item = |n: usize| format!("{{\"id\":{n},\"name\":\"item {n}\",\"tags\":[\"a\",\"b\"]}}");
    let json = format!("[{}]", (0..60_000).map(item).collect::<Vec<_>>().join(","));
    let css = (0..9_000).map(|n| format!(".c{n}{{color:red}}")).collect::<String>();
    let js = (0..9_000).map(|n| format!("function f{n}(){{}}")).collect::<String>();
    let project = Project::new(&format!("//- /list.json\n{json}\n//- /min.css\n{css}\n//- /min.js\n{js}\n"));
    let read = |arguments: Value| project.call("file_read", &arguments.to_string()).expect("read");
    let answer = read(json!({ "file": "list.json" }));
    let (content, note) = (answer["content"].as_str().expect("text"), answer["truncated"].as_str().expect("a note"));
    assert!(content.starts_with("array $ ("), "{content}");
    assert!(content.contains("object $[0] (3)") && content.len() < 2_000, "{content}");
    assert!(note.contains("`path: \"$[0:20]\"`"), "{note}");
    let slice = read(json!({ "file": "list.json", "path": "$[0:20]" }));
    assert_eq!(slice["matchCount"], 20, "the proposed slice can be read");
    for file in ["min.css", "min.js"] {
        let answer = read(json!({ "file": file }));
        assert!(answer["content"].as_str().is_some_and(|text| text.len() < 8_000), "{file}");
        assert!(answer["truncated"].as_str().is_some_and(|note| note.contains("read an address")), "{file}");
    }
    let all = read(json!({ "file": "min.css", "format": "full" }));
    assert_eq!(all["content"].as_str().map(str::len), Some(css.len() + 1), "`format: full` returns the whole file");
}

/// The empty line after the final line break is not counted.
#[test]
fn file_of_exactly_400_lines_is_read_whole() {
    let functions = |count: usize| (1..=count).map(|n| format!("function f{n}() {{}}\n")).collect::<String>();
    let (fits, large) = (functions(400), functions(401));
    let project = Project::new(&format!("//- /fits.js\n{fits}//- /large.js\n{large}"));
    let read = |file: &str| project.call("file_read", &json!({ "file": file }).to_string()).expect("read");
    let whole = read("fits.js");
    assert_eq!((&whole["content"], &whole["truncated"]), (&json!(fits), &Value::Null));
    let outline = read("large.js");
    let note = "the outline of 401 lines; read an address, or `lines: \"1-400\"`";
    assert_eq!((&outline["format"], &outline["truncated"]), (&json!("summary"), &json!(note)));
}

/// The change is written before its answer is sent, so the answer must never be too large.
#[test]
fn answers_of_changes_fit_into_a_message() {
    const LENGTH: usize = 26 << 20;
    let line = "x".repeat(LENGTH);
    let project = Project::new(&format!("//- /long.txt\nfirst {line}\n//- /other.txt\nb\n"));
    let fits = |answer: &Value| {
        let size = answer.to_string().len();
        assert!(size < marquetry_model::limits::MESSAGE - (1 << 20), "{size} bytes");
        let note = answer["truncated"].as_str().unwrap_or_default().to_owned();
        assert!(note.ends_with("the answer of a change has at most 48 MiB"), "{note}");
    };
    let call = |tool: &str, arguments: Value| project.call(tool, &arguments.to_string()).expect("changed");
    let edit = json!({ "file": "long.txt", "operation": "replace_text", "old": "first", "content": "second" });
    for (dry, most) in [(true, None), (true, Some(usize::MAX)), (false, None)] {
        let mut edit = edit.clone();
        (edit["dryRun"], edit["maxBytes"]) = (json!(dry), json!(most));
        let answer = call("file_edit", edit);
        fits(&answer);
        assert_eq!((&answer["diff"], &answer["totalEdits"]), (&json!(""), &json!(1)));
    }
    // A quote takes two bytes of JSON.
    for content in ["\"".repeat(LENGTH), format!("{line}{line}")] {
        for (path, overwrite) in [("made.txt", false), ("other.txt", true)] {
            let create = json!({ "path": path, "content": content, "overwrite": overwrite, "dryRun": true });
            fits(&call("file_create", create));
        }
    }
    let answer =
        call("file_edit", json!({ "file": "other.txt", "lines": "1", "operation": "replace", "content": "c" }));
    assert!(answer["truncated"].is_null() && answer["diff"].as_str().is_some_and(|diff| diff.contains("-b\n+c")));
}
