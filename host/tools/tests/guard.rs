//! The guard, which refuses edits beyond a target, accepts all edits of the packs in this repository. Tested with
//! generated documents, every address and every operation.

use marquetry_model::Kind;
use marquetry_native::Project;
use serde_json::{Value, json};

/// A format: file name, blocks for documents, and contents for operations.
struct Format {
    file: &'static str,
    blocks: &'static [&'static str],
    contents: &'static [&'static str],
}

const FORMATS: &[Format] = &[
    Format {
        file: "a.toml",
        blocks: &[
            "[package]\nname = \"x\" # why\n\n",
            "[dependencies]\na = \"1\"\n# about b\nb = { c = 1, d.e = 2 }\n",
            "[package.metadata]\nk = 1\n\n",
            "[[bin]]\nname = \"a\"\n",
            "[bin.x]\ny = [\n  1,\n  2,\n]\n\n",
            "# about lib\n[lib]\n\n\n",
        ],
        contents: &["zz = 1", "[zz]\nx = 1", "[package.zz]\nx = 1", "1", "{ zz = 1 }", "# note"],
    },
    Format {
        file: "b.toml",
        blocks: &["a.b = 1\n", "a.d = 3 # why\n", "c = 2\n\n", "e.f.g = 1\n", "e.f.h = { i = 1 }\n", "# note\n\n"],
        contents: &["zz = 1", "1", "{ zz = 1 }", "[zz]\nx = 1"],
    },
    Format {
        file: "a.yaml",
        blocks: &[
            "on:\n  push:\n  pull_request:\n\n",
            "jobs: {}\n",
            "list:\n- a:\n\n- b: 1\n# end\n",
            "text: |\n  one\n\n  two\n\n",
            "# about it\nflow: [1, {a: 2}, ] # why\n",
            "ports: !reset\n  - \"80\"\n",
            "x: &a !t {}\ny: *a\n",
        ],
        contents: &["zz: 1", "1", "- zz", "zz", "# note"],
    },
    Format {
        file: "b.yaml",
        blocks: &[
            "---\n\n\n",
            "---\na:\n  -\n\n",
            "? |\n  key\n  more\n",
            "? c\n  d\n",
            "e: &x\n\n",
            "---\n-\n\n",
            "...\n",
        ],
        contents: &["zz: 1", "1", "- zz", "# note"],
    },
    Format {
        file: "a.jsonc",
        blocks: &["\"a\": 1,\n", "\"b\": [1, /* two */ 2], // why\n", "// about c\n\"c\": {\n  \"d\": {}\n},\n", "\n"],
        contents: &["\"zz\": 1", "1", "// note", "{}"],
    },
    Format {
        file: "a.md",
        blocks: &[
            "# A\n\ntext\n\n",
            "## [B]\n\n- one\n- two\n\n",
            "## C\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
            "[B]: https://example.com\n\n",
            "<details>\n\n",
            "</details>\n\n",
            "<!-- X:START -->\n\n",
            "<!-- X:END -->\n",
            "[^1]: note\n\n",
        ],
        contents: &["text", "## Z\n\ntext", "- three", "| 3 | 4 |"],
    },
    Format {
        file: "a.scss",
        blocks: &[
            ".a, .b { color: red }\n",
            ".c {\n  top: 0; // why\n  &:hover, &:focus { left: 0 }\n}\n\n",
            "@media print {\n  .a { x: y }\n}\n",
            "/* about d */\n.d {}\n",
            "$m: (a: 1, b: 2) !default;\n",
            "@use 'x';\n\n",
        ],
        contents: &["x: y", ".z { x: y }", "blue", "// note", "zz: 1"],
    },
    Format {
        file: "a.xml",
        blocks: &["<a>1</a>\n", "  <b c=\"d\"/>\n", "<!-- about e -->\n<e>\n  <f/>\n</e>\n", "\n"],
        contents: &["<z/>", "text", "<!-- note -->"],
    },
    Format {
        file: "a.html",
        blocks: &["<p>one</p>\n", "<ul><li>a<li>b</ul>\n", "<!-- c -->\n<div id=\"d\">\n  <br>\n</div>\n", "\n"],
        contents: &["<p>z</p>", "text", "<li>z"],
    },
    Format {
        file: "a.ini",
        blocks: &["a = 1\n", "\n", "# about b\nb = 2\n", "[s]\nc = 3\n", "[t]\n"],
        contents: &["zz = 1", "1", "[zz]\nx = 1"],
    },
];

/// Number of documents per format.
const DOCUMENTS: usize = 4;
/// Maximum number of addresses per document.
const ADDRESSES: usize = 40;

/// Pseudo-random numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn document(format: &Format, numbers: &mut Numbers) -> String {
    let count = 2 + numbers.below(6);
    let blocks: String = (0..count).map(|_| format.blocks[numbers.below(format.blocks.len())]).collect();
    match format.file.rsplit_once('.') {
        Some((_, "jsonc")) => format!("{{\n{}\n}}\n", blocks.trim_end().trim_end_matches(',')),
        Some((_, "xml")) => format!("<root>\n{blocks}</root>\n"),
        _ => blocks,
    }
}

fn addresses(symbols: &Value, into: &mut Vec<String>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        into.extend(symbol["address"].as_str().map(str::to_owned));
        addresses(&symbol["children"], into);
    }
}

/// Every operation with every content.
fn operations(contents: &[&str]) -> Vec<Value> {
    let mut all = vec![json!({ "operation": "delete" })];
    for content in contents {
        for operation in ["replace", "replace_body", "insert_before", "insert_after", "insert_into"] {
            all.push(json!({ "operation": operation, "content": content }));
        }
        all.push(json!({ "operation": "insert_into", "content": content, "position": "first" }));
        all.push(json!({ "operation": "insert_into", "content": content, "position": "sorted" }));
    }
    all
}

#[test]
fn guard_accepts_edits_of_bundled_packs() {
    let (mut numbers, mut tried, mut made) = (Numbers(1), 0, 0);
    for format in FORMATS {
        for _ in 0..DOCUMENTS {
            let text = document(format, &mut numbers);
            let project = Project::new("");
            std::fs::write(project.root().join(format.file), &text).expect("written");
            let query = json!({ "type": "documentSymbols", "path": format.file });
            let Ok(outline) = project.call("query", &query.to_string()) else { continue };
            let mut all = Vec::new();
            addresses(&outline["data"]["symbols"], &mut all);
            for address in all.iter().step_by(all.len() / ADDRESSES + 1) {
                for mut edit in operations(format.contents) {
                    edit["file"] = json!(format.file);
                    edit["target"] = json!(address);
                    edit["dryRun"] = json!(true);
                    tried += 1;
                    match project.call("file_edit", &edit.to_string()) {
                        Ok(_) => made += 1,
                        Err(error) => assert_ne!(error.kind(), Kind::PluginFailed, "{error}: {edit} in\n{text}"),
                    }
                }
            }
        }
    }
    println!("{tried} calls, {made} of them edits");
    assert!(made > 1000, "only {made} of {tried} calls are edits");
}
