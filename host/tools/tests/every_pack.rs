//! Features that the host provides for every pack, whatever its language. Tested with every address of every format.

use marquetry_native::Project;
use serde_json::{Value, json};

const FILES: [(&str, &str); 8] = [
    (
        "cart.ts",
        "/** A cart. */\nexport class Cart {\n  items: string[] = [];\n  add(a: string) {\n    this.items.push(a);\n  }\n}\n",
    ),
    ("data.json", "{\n  \"name\": \"x\",\n  \"list\": [1, { \"deep\": true }],\n  \"odd key\": null\n}\n"),
    ("conf.yaml", "name: x\nlist:\n  - 1\n  - deep: true\n# about it\nlast: |\n  text\n"),
    (
        "page.html",
        "<!doctype html>\n<html>\n<head><title>A</title></head>\n<body>\n  <p id=\"one\">Text</p>\n</body>\n</html>\n",
    ),
    ("style.css", ".a,\n.b { color: red; top: 0 }\n@media print {\n  .c { left: 1px }\n}\n"),
    ("feed.xml", "<?xml version=\"1.0\"?>\n<feed>\n  <item id=\"1\">One</item>\n  <item id=\"2\"/>\n</feed>\n"),
    ("guide.md", "# Guide\n\nText.\n\n## Install\n\n- one\n- two\n\n## Use\n\nMore.\n"),
    ("app.toy", "# where\nport = 80\n[server]\nhost = local\nport = 8080\n"),
];

/// A project with every file, with the given line breaks.
fn project(line_break: &str) -> Project {
    let files = FILES.iter().map(|(path, text)| format!("//- /{path}\n{text}"));
    let project = Project::new(&files.collect::<String>());
    for (path, text) in FILES {
        std::fs::write(project.root().join(path), text.replace('\n', line_break)).expect("written");
    }
    project
}

/// Every address in the outline of a file.
fn addresses(project: &Project, file: &str) -> Vec<String> {
    fn collect(symbols: &Value, into: &mut Vec<String>) {
        for symbol in symbols.as_array().into_iter().flatten() {
            into.extend(symbol["address"].as_str().map(str::to_owned));
            collect(&symbol["children"], into);
        }
    }
    let query = json!({ "type": "documentSymbols", "path": file });
    let answer = project.call("query", &query.to_string()).expect("an outline");
    let mut found = Vec::new();
    collect(&answer["data"]["symbols"], &mut found);
    assert!(!found.is_empty(), "{file} has an outline: {answer}");
    found
}

fn content(project: &Project, file: &str, address: &str) -> String {
    let read = project.call("file_read", &json!({ "file": file, "target": address }).to_string());
    let read = read.unwrap_or_else(|error| panic!("`{address}` of {file}: {error}"));
    read["content"].as_str().expect("a part of the file").to_owned()
}

#[test]
fn replacing_target_with_its_own_text_changes_nothing() {
    for line_break in ["\n", "\r\n"] {
        let project = project(line_break);
        for (file, text) in FILES {
            for address in addresses(&project, file) {
                let own = content(&project, file, &address);
                for written in [own.clone(), own.replace("\r\n", "\n"), own.replace("\r\n", "\n").replace('\n', "\r\n")]
                {
                    let edit = json!({ "file": file, "target": address, "operation": "replace", "content": written });
                    let answer = project.call("file_edit", &edit.to_string());
                    let answer = answer.unwrap_or_else(|error| panic!("`{address}` of {file}: {error}"));
                    assert_eq!(answer["totalEdits"], 0, "`{address}` of {file} by {written:?}: {answer}");
                }
            }
            assert_eq!(project.text(file), text.replace('\n', line_break), "{file}");
        }
    }
}

#[test]
fn replace_text_stays_inside_its_target() {
    for (file, text) in FILES {
        let all = addresses(&project("\n"), file);
        for address in all {
            let project = project("\n");
            let own = content(&project, file, &address);
            let old = own.lines().next().unwrap_or_default();
            // The position of the target is only known if its text occurs once in the file.
            if old.is_empty() || own.matches(old).count() != 1 || text.matches(&own).count() != 1 {
                continue;
            }
            let edit = json!({
                "file": file, "target": address, "operation": "replace_text", "old": old, "content": "zz", "force": true
            });
            let answer = project.call("file_edit", &edit.to_string());
            answer.unwrap_or_else(|error| panic!("`{address}` of {file}: {error}"));
            let after = text.replacen(&own, &own.replacen(old, "zz", 1), 1);
            assert_eq!(project.text(file), after, "`{address}` of {file}");
        }
    }
}

#[test]
fn every_format_supports_line_targets() {
    for line_break in ["\n", "\r\n"] {
        for (file, text) in FILES {
            let project = project(line_break);
            let edit =
                json!({ "file": file, "lines": "2", "operation": "replace", "content": "zz\nzz\n", "force": true });
            project.call("file_edit", &edit.to_string()).unwrap_or_else(|error| panic!("{file}: {error}"));
            let mut lines: Vec<&str> = text.lines().collect();
            lines.splice(1..2, ["zz", "zz"]);
            assert_eq!(project.text(file), lines.join(line_break) + line_break, "{file}");
        }
    }
}

#[test]
fn missing_target_suggests_similar_ones() {
    let project = project("\n");
    for (file, _) in FILES {
        let near = addresses(&project, file).into_iter().last().expect("an outline");
        let wrong = format!("{near}zz");
        let error =
            project.call("file_read", &json!({ "file": file, "target": wrong }).to_string()).expect_err("wrong");
        assert!(!error.content().candidates.is_empty() || error.content().hint.is_some(), "{file} `{wrong}`: {error}");
    }
}
