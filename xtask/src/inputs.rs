//! The inputs of the bench: made, not kept; the same each time.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

use crate::bench::Input;

/// Write all inputs that are not there yet.
pub(crate) fn make(folder: &Path) -> Result<Vec<Input>> {
    fs::create_dir_all(folder)?;
    let write = |name: &str, text: &dyn Fn() -> String| -> Result<()> {
        let path = folder.join(name);
        if !path.exists() {
            fs::write(path, text())?;
        }
        Ok(())
    };
    write("small.ts", &|| classes(200))?;
    write("middle.ts", &|| classes(2_000))?;
    write("large.tsx", &|| classes(14_000))?;
    write("package.json", &|| small_json())?;
    write("large.json", &|| json(10 << 20))?;
    write("large.yaml", &|| yaml(10 << 20))?;
    write("large.xml", &|| xml(10 << 20))?;
    write("large.md", &|| markdown(1 << 20))?;
    write("large.html", &|| html(1 << 20))?;
    write("large.css", &|| css(1 << 20, false))?;
    write("large.scss", &|| css(1 << 20, true))?;
    Ok(vec![
        Input { file: "small.ts", target: "Service9.find", content: "find(id: string) {\n  return id;\n}", peers: &[] },
        Input {
            file: "middle.ts",
            target: "Service90.find",
            content: "find(id: string) {\n  return id;\n}",
            peers: &[],
        },
        Input {
            file: "large.tsx",
            target: "Service600.find",
            content: "find(id: string) {\n  return id;\n}",
            peers: &[],
        },
        Input {
            file: "package.json",
            target: "$.version",
            content: "\"2.0.0\"",
            peers: &[&["jaq", ".version", "{}"], &["jq", ".version", "{}"]],
        },
        Input {
            file: "large.json",
            target: "$.last",
            content: "\"new\"",
            peers: &[&["jaq", ".last", "{}"], &["jq", ".last", "{}"]],
        },
        Input { file: "large.yaml", target: "$.last", content: "new", peers: &[&["yq", ".last", "{}"]] },
        Input {
            file: "large.xml",
            target: "/items/last",
            content: "<last>new</last>",
            peers: &[
                &["xmllint", "--huge", "--xpath", "/items/last", "{}"],
                &["xmlstarlet", "sel", "-t", "-v", "/items/last", "{}"],
            ],
        },
        Input {
            file: "large.md",
            target: "The Last",
            content: "## The Last\n\nnew",
            peers: &[&["mdq", "# The Last", "{}"]],
        },
        Input {
            file: "large.html",
            target: "#last",
            content: "<p id=\"last\">new</p>",
            peers: &[&["htmlq", "-f", "{}", "#last"]],
        },
        Input { file: "large.css", target: ".last", content: ".last { color: red; }", peers: &[] },
        Input { file: "large.scss", target: ".last", content: ".last { color: red; }", peers: &[] },
    ])
}

/// A file of so many lines: classes with methods, as programs have them.
fn classes(lines: usize) -> String {
    let mut text = String::from("import { Store, type Record } from \"./store.js\";\n\n");
    let mut index = 0;
    while text.matches('\n').count() + 20 < lines {
        let _ = write!(
            text,
            "/** Service number {index}. */\nexport class Service{index} {{\n  private cache = new Map<string, Record>();\n\n  constructor(private readonly \
             store: Store) {{}}\n\n  async find(id: string, {{ fresh = false }} = {{}}): Promise<Record | undefined> {{\n    const known = this.cache.get(id);\n    if \
             (known && !fresh) {{\n      return known;\n    }}\n    const found = await this.store.load(`service{index}/${{id}}`);\n    if (found) {{\n      \
             this.cache.set(id, found);\n    }}\n    return found;\n  }}\n\n  get size(): number {{\n    return this.cache.size;\n  }}\n}}\n\n"
        );
        index += 1;
    }
    text
}

fn small_json() -> String {
    let mut text = String::from("{\n  \"name\": \"bench\",\n  \"version\": \"1.0.0\",\n  \"dependencies\": {\n");
    for index in 0..60 {
        let _ = writeln!(text, "    \"package-{index}\": \"^{index}.0.0\",");
    }
    text + "    \"zzz\": \"1.0.0\"\n  }\n}\n"
}

fn json(size: usize) -> String {
    let mut text = String::from("{\n  \"items\": [\n");
    let mut index = 0;
    while text.len() < size {
        let _ = writeln!(
            text,
            "    {{ \"id\": {index}, \"name\": \"item-{index}\", \"tags\": [\"a\", \"b\", \"c\"], \"price\": {index}.25, \"active\": true, \"parent\": null, \
             \"text\": \"some words of the item \\u00e9 number {index}\", \"nested\": {{ \"x\": 1, \"y\": [1, 2, 3] }} }},"
        );
        index += 1;
    }
    text + "    null\n  ],\n  \"last\": \"value-at-end\"\n}\n"
}

fn yaml(size: usize) -> String {
    let mut text = String::from("# Items\nitems:\n");
    let mut index = 0;
    while text.len() < size {
        let _ = write!(
            text,
            "  - id: {index}\n    name: item-{index}\n    tags: [a, b, c]\n    price: {index}.25\n    active: true\n    text: \"some words of the item\"\n    \
             nested:\n      x: 1   # a comment\n      y:\n        - 1\n        - 2\n"
        );
        index += 1;
    }
    text + "last: value-at-end\n"
}

fn xml(size: usize) -> String {
    let mut text = String::from("<?xml version=\"1.0\"?>\n<items>\n");
    let mut index = 0;
    while text.len() < size {
        let _ = writeln!(
            text,
            "  <item id=\"{index}\" kind=\"thing\"><name>item-{index}</name><price currency=\"EUR\">{index}.25</price><text>some words &amp; more</text></item>"
        );
        index += 1;
    }
    text + "  <last>value-at-end</last>\n</items>\n"
}

fn markdown(size: usize) -> String {
    let mut text = String::from("# Book\n\n");
    let mut index = 0;
    while text.len() < size {
        let _ = write!(
            text,
            "## Chapter {index}\n\nSome *words* of chapter {index}, with `code`, a [link](chapter-{index}.md) and more.\n\n- one\n- two\n  - three\n\n```js\nconst x = \
             {index};\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
        );
        index += 1;
    }
    text + "## The Last\n\nvalue-at-end\n"
}

fn html(size: usize) -> String {
    let mut text = String::from("<!doctype html>\n<html>\n<head><title>Bench</title></head>\n<body>\n<ul>\n");
    let mut index = 0;
    while text.len() < size {
        let _ = writeln!(
            text,
            "<li class=\"item odd\" data-id=\"{index}\"><a href=\"/items/{index}\">Item {index}</a> <span class=\"price\">{index}.25 &euro;</span></li>"
        );
        index += 1;
    }
    text + "</ul>\n<p id=\"last\">value-at-end</p>\n</body>\n</html>\n"
}

fn css(size: usize, nested: bool) -> String {
    let mut text = String::from("/* Bench */\n");
    let mut index = 0;
    while text.len() < size {
        let more = if nested { "  &:hover {\n    color: $primary;\n  }\n" } else { "" };
        let _ = write!(
            text,
            ".item-{index} > a.link {{\n  padding: 4px {index}px;\n  background: url(\"img/{index}.png\");\n  color: #333;\n{more}}}\n\n"
        );
        index += 1;
    }
    text + ".last {\n  color: blue;\n}\n"
}
