//! Generated inputs in every format, the same in every run.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

/// The version of the generators of this folder. Increment it when a generator changes.
pub(crate) const GENERATION: u32 = 3;

/// An input, with the target to read and replace.
pub(crate) struct Input {
    pub(crate) file: &'static str,
    pub(crate) target: &'static str,
    pub(crate) content: &'static str,
    /// Size in lines for TypeScript, in bytes for other formats.
    size: usize,
    text: fn(usize) -> String,
}

const NEW_METHOD: &str = "find(id: string) {\n  return id;\n}";
const NEW_RULE: &str = ".last { color: red; }";
const MIB: usize = 1 << 20;

/// Formats and sizes.
pub(crate) const INPUTS: [Input; 12] = [
    Input { file: "small.ts", target: "Service4.find", content: NEW_METHOD, size: 200, text: classes },
    Input { file: "middle.ts", target: "Service40.find", content: NEW_METHOD, size: 2_000, text: classes },
    Input { file: "large.tsx", target: "Service400.find", content: NEW_METHOD, size: 14_000, text: classes },
    Input { file: "package.json", target: "$.last", content: "\"2.0.0\"", size: 0, text: small_json },
    Input { file: "large.json", target: "$.last", content: "\"new\"", size: 10 * MIB, text: json },
    Input { file: "large.yaml", target: "$.last", content: "new", size: 10 * MIB, text: yaml },
    Input { file: "large.toml", target: "$.last.value", content: "\"new\"", size: MIB, text: toml },
    Input { file: "large.xml", target: "/items/last", content: "<last>new</last>", size: 10 * MIB, text: xml },
    Input { file: "large.md", target: "The Last", content: "## The Last\n\nnew", size: MIB, text: markdown },
    Input { file: "large.html", target: "#last", content: "<p id=\"last\">new</p>", size: MIB, text: html },
    Input { file: "large.css", target: ".last", content: NEW_RULE, size: MIB, text: css },
    Input { file: "large.scss", target: ".last", content: NEW_RULE, size: MIB, text: scss },
];

impl Input {
    /// Writes the input into a folder. In a sampled run, it has at most 1 MiB.
    pub(crate) fn write(&self, folder: &Path, sampled: bool) -> Result<()> {
        fs::create_dir_all(folder)?;
        let size = if sampled { self.size.min(MIB) } else { self.size };
        fs::write(folder.join(self.file), (self.text)(size))?;
        Ok(())
    }
}

/// Returns TypeScript classes with methods, with `lines` lines in total.
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

fn small_json(_: usize) -> String {
    let mut text = String::from("{\n  \"name\": \"bench\",\n  \"version\": \"1.0.0\",\n  \"dependencies\": {\n");
    for index in 0..60 {
        let _ = writeln!(text, "    \"package-{index}\": \"^{index}.0.0\",");
    }
    text + "    \"zzz\": \"1.0.0\"\n  },\n  \"last\": \"value-at-end\"\n}\n"
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

fn toml(size: usize) -> String {
    let mut text = String::from("# Packages\nversion = 4\n\n");
    let mut index = 0;
    while text.len() < size {
        let _ = write!(
            text,
            "[[package]]\nname = \"item-{index}\"\nversion = \"{index}.0.1\" # a comment\ndependencies = [\n    \"one\",\n    \"two\",\n]\nsource = {{ \
             registry = \"main\", checksum.kind = \"sha256\" }}\n\n[package.metadata]\nprice = {index}.25\nactive = true\n\n"
        );
        index += 1;
    }
    text + "[last]\nvalue = \"value-at-end\"\n"
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

fn css(size: usize) -> String {
    rules(size, "")
}

fn scss(size: usize) -> String {
    rules(size, "  &:hover {\n    color: $primary;\n  }\n")
}

/// Returns style rules that each end with the text `more`.
fn rules(size: usize, more: &str) -> String {
    let mut text = String::from("/* Bench */\n");
    let mut index = 0;
    while text.len() < size {
        let _ = write!(
            text,
            ".item-{index} > a.link {{\n  padding: 4px {index}px;\n  background: url(\"img/{index}.png\");\n  color: #333;\n{more}}}\n\n"
        );
        index += 1;
    }
    text + ".last {\n  color: blue;\n}\n"
}
