//! A query by address describes exactly the node that has the address. Tested with every address of the outlines of
//! files in the cases.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use marquetry_native::Project;
use serde_json::{Value, json};

/// The name and text of every file in the cases, without duplicates.
fn fixtures() -> BTreeSet<(String, String)> {
    let mut paths = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"), &mut paths);
    let texts = paths.into_iter().map(|path| fs::read_to_string(path).expect("cases"));
    texts.flat_map(|text| files(&text)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => collect(&path, paths),
            false => paths.push(path),
        }
    }
}

/// The plain files in a text of cases.
fn files(text: &str) -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::<(String, String)>::new(), false);
    for line in text.split_inclusive('\n') {
        if let Some(head) = line.strip_prefix("//- ") {
            let head = head.trim();
            // Marks after the path mean that the file is not plain text, or is a link.
            open = !head.contains(' ') && !head.ends_with('/');
            if open {
                found.push((head.trim_start_matches('/').to_owned(), String::new()));
            }
        } else if line.starts_with("==== ") || line.starts_with("---- ") {
            open = false;
        } else if let Some((_, text)) = found.last_mut().filter(|_| open) {
            text.push_str(line);
        }
    }
    let named = |(path, text): (String, String)| {
        // Only the name is kept, because the folder could make the file a manifest or a test.
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        (name, text.replace("$0", "").trim_end().to_owned() + "\n")
    };
    found.into_iter().map(named).filter(|(name, _)| !name.is_empty()).collect()
}

/// Address and range of every symbol.
fn addresses(symbols: &Value, into: &mut Vec<(String, Value)>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        into.push((symbol["address"].as_str().expect("an address").to_owned(), symbol["range"].clone()));
        addresses(&symbol["children"], into);
    }
}

fn ask(project: &Project, question: &Value) -> Result<Value, String> {
    project.call("query", &question.to_string()).map(|answer| answer["data"].clone()).map_err(|error| error.to_string())
}

fn point(point: &Value) -> (u64, u64) {
    (point["line"].as_u64().unwrap_or(0), point["column"].as_u64().unwrap_or(0))
}

#[test]
fn query_by_address_describes_that_node() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for (index, (name, text)) in fixtures().into_iter().enumerate() {
        // A third of the files are tested here, because all take a minute. The laws test every pack.
        if index % 3 != 0 {
            continue;
        }
        let folder = format!("f{index}");
        let project = Project::new(&format!("//- /{folder}/{name}\n{text}"));
        let path = format!("{folder}/{name}");
        let Ok(outline) = ask(&project, &json!({ "type": "documentSymbols", "path": path })) else { continue };
        let mut all = Vec::new();
        addresses(&outline["symbols"], &mut all);
        for (address, range) in all {
            asked += 1;
            let of = |kind: &str| ask(&project, &json!({ "type": kind, "path": path, "symbol": address }));
            match of("symbolInfo") {
                Ok(info) if info["address"] == address.as_str() && info["range"] == range => {}
                got => wrong.push(format!("{name} `{address}`: {got:?}\n{text}")),
            }
            match of("hover") {
                Ok(hover) => {
                    let (start, end) = (point(&hover["range"]["start"]), point(&hover["range"]["end"]));
                    if start < point(&range["start"]) || end > point(&range["end"]) {
                        wrong.push(format!("{name} `{address}`: hover at {start:?} to {end:?}, not in {range}"));
                    }
                }
                Err(error) => wrong.push(format!("{name} `{address}`: {error}")),
            }
        }
    }
    assert!(asked > 1000, "only {asked} addresses");
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A copy of a node that has another line break at its end is not compared as equal, so the pack is asked.
#[test]
fn node_replaced_by_a_copy_of_its_text_stays_the_same() {
    let (mut replaced, mut wrong) = (0, Vec::new());
    for (index, (name, text)) in fixtures().into_iter().enumerate() {
        // A sample of the files is sufficient.
        if index % 3 != 0 {
            continue;
        }
        let path = format!("f{index}/{name}");
        let project = Project::new(&format!("//- /{path}\n{text}"));
        let Ok(outline) = ask(&project, &json!({ "type": "documentSymbols", "path": path })) else { continue };
        let mut all = Vec::new();
        addresses(&outline["symbols"], &mut all);
        for (address, _) in all {
            let Ok(read) = project.call("file_read", &json!({ "file": path, "target": address }).to_string()) else {
                continue;
            };
            let Some(content) = read["content"].as_str().filter(|content| content.contains('\n')) else { continue };
            let copy = json!({
                "file": path, "target": address, "operation": "replace", "content": format!("{content}\n\n"), "dryRun": true,
            });
            // A node may need the rest of the file, such as a table of TOML whose header is shared.
            let Ok(answer) = project.call("file_edit", &copy.to_string()) else { continue };
            replaced += 1;
            let diff = answer["diff"].as_str().unwrap_or_default();
            // Line breaks at the end of the file may change.
            let lines = |sign: char, head: &str| {
                let changed = diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(head));
                changed.map(|line| line[1..].to_owned()).filter(|line| !line.is_empty()).collect::<Vec<String>>()
            };
            if lines('-', "---") != lines('+', "+++") {
                wrong.push(format!("{name} `{address}`:\n{diff}"));
            }
        }
    }
    assert!(replaced > 100, "only {replaced} nodes");
    assert!(wrong.is_empty(), "{} of {replaced}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn query_by_position_describes_the_name_there() {
    let mut wrong = Vec::new();
    for (index, (name, text)) in fixtures().into_iter().enumerate() {
        // A sample of the files is sufficient, because every position in them is tested.
        if index % 12 != 0 || text.len() > 600 {
            continue;
        }
        let project = Project::new(&format!("//- /{name}\n{text}"));
        for (row, line) in text.lines().enumerate() {
            for column in 0..=line.encode_utf16().count() {
                let position = (row as u64 + 1, column as u64);
                let question = json!({ "type": "hover", "path": name, "line": position.0, "column": position.1 });
                match project.call("query", &question.to_string()) {
                    Ok(answer) => {
                        let range = &answer["data"]["range"];
                        if position < point(&range["start"]) || position > point(&range["end"]) {
                            wrong.push(format!("{name} {position:?}: {range}"));
                        }
                    }
                    Err(error) if error.content().kind.name() == "TargetNotFound" => {}
                    // Some cases use a plugin that fails on purpose.
                    Err(error) if ["Unsupported", "PluginFailed"].contains(&error.content().kind.name()) => break,
                    Err(error) => wrong.push(format!("{name} {position:?}: {error}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
