//! The counters of each format: their text in the file, and the arguments that address them.

use std::collections::BTreeMap;

/// Counters of one format. In all texts, `«i»` is the index of the counter, `«l»` its line (from 1), `«n»` its value
/// and `«p»` its previous value.
#[derive(Debug)]
pub struct Format {
    /// The file. If its name contains `«i»`, every counter has a separate file.
    pub file: &'static str,
    head: &'static str,
    line: &'static str,
    tail: &'static str,
    /// The arguments that address the counter. Empty if the edit searches for its text instead.
    target: &'static str,
    edit: &'static str,
    /// The text that a read of the counter returns.
    pub shown: &'static str,
}

/// All formats and kinds of targets.
pub const FORMATS: [Format; 16] = [
    Format {
        file: "lines.txt",
        head: "the first line\n",
        line: "count «i»: «n»\n",
        tail: "",
        target: r#""lines": "«l»""#,
        edit: r#""operation": "replace", "content": "count «i»: «n»""#,
        shown: "count «i»: «n»",
    },
    Format {
        file: "words.txt",
        head: "",
        line: "count «i»: «n».\n",
        tail: "the end\n",
        target: "",
        edit: r#""operation": "replace_text", "old": "count «i»: «p».", "content": "count «i»: «n».""#,
        shown: "",
    },
    Format {
        file: "symbols.ts",
        head: "import { x } from \"./x\";\n\n",
        line: "export const c«i» = «n»;\n",
        tail: "",
        target: r#""symbol": "c«i»""#,
        edit: r#""operation": "replace", "content": "export const c«i» = «n»;""#,
        shown: "export const c«i» = «n»;",
    },
    Format {
        file: "members.ts",
        head: "export class All {\n",
        line: "  m«i»() {\n    return «n»;\n  }\n",
        tail: "}\n",
        target: r#""symbol": "All.m«i»""#,
        edit: r#""operation": "replace_body", "content": "return «n»;""#,
        shown: "return «n»;",
    },
    Format {
        file: "lines.ts",
        head: "// lines\n",
        line: "let l«i» = «n»;\n",
        tail: "",
        target: r#""lines": "«l»""#,
        edit: r#""operation": "replace", "content": "let l«i» = «n»;""#,
        shown: "let l«i» = «n»;",
    },
    Format {
        file: "region«i».ts",
        head: "",
        line: "import { m } from \"./m«n»\";\n",
        tail: "\nexport const all = m;\n",
        target: r#""region": "imports""#,
        edit: r#""operation": "replace", "content": "import { m } from \"./m«n»\";""#,
        shown: "./m«n»",
    },
    Format {
        file: "paths.json",
        head: "{\n",
        line: "  \"c«i»\": «n»,\n",
        tail: "  \"end\": true\n}\n",
        target: r#""path": "$.c«i»""#,
        edit: r#""operation": "replace", "content": "«n»""#,
        shown: "«n»",
    },
    Format {
        file: "paths.yaml",
        head: "all:\n",
        line: "  c«i»: «n» # counts\n",
        tail: "end: true\n",
        target: r#""path": "$.all.c«i»""#,
        edit: r#""operation": "replace", "content": "«n»""#,
        shown: "«n»",
    },
    Format {
        file: "aliases.yaml",
        head: "base: &base\n",
        line: "  c«i»: «n»\n",
        tail: "copy: *base\n",
        target: r#""path": "$.base.c«i»""#,
        edit: r#""operation": "replace", "content": "«n»""#,
        shown: "«n»",
    },
    Format {
        file: "lines.yaml",
        head: "all:\n",
        line: "  - «n»\n",
        tail: "",
        target: r#""lines": "«l»""#,
        edit: r#""operation": "replace", "content": "  - «n»""#,
        shown: "- «n»",
    },
    Format {
        file: "selectors.css",
        head: "/* all */\n",
        line: ".c«i» { width: «n»px }\n",
        tail: "",
        target: r#""selector": ".c«i»@width""#,
        edit: r#""operation": "replace_body", "content": "«n»px""#,
        shown: "«n»px",
    },
    Format {
        file: "selectors.html",
        head: "<!doctype html>\n<body>\n",
        line: "  <p id=\"c«i»\">«n»</p>\n",
        tail: "</body>\n",
        target: r##""selector": "#c«i»""##,
        edit: r#""operation": "replace_body", "content": "«n»""#,
        shown: "«n»",
    },
    Format {
        file: "scripts.html",
        head: "<!doctype html>\n<body>\n<script>\n",
        line: "const s«i» = «n»;\n",
        tail: "</script>\n</body>\n",
        target: r#""symbol": "s«i»""#,
        edit: r#""operation": "replace", "content": "const s«i» = «n»;""#,
        shown: "const s«i» = «n»;",
    },
    Format {
        file: "xpaths.xml",
        head: "<?xml version=\"1.0\"?>\n<all>\n",
        line: "  <c id=\"c«i»\">«n»</c>\n",
        tail: "</all>\n",
        target: r#""xpath": "//c[@id='c«i»']""#,
        edit: r#""operation": "replace_body", "content": "«n»""#,
        shown: "«n»",
    },
    Format {
        file: "headings.md",
        head: "# All\n\n",
        line: "## c«i»\n\ncount «n»\n\n",
        tail: "# End\n",
        target: r#""heading": "c«i»""#,
        edit: r#""operation": "replace_text", "old": "count «p»", "content": "count «n»""#,
        shown: "count «n»",
    },
    Format {
        file: "front«i».md",
        head: "---\n",
        line: "count: «n»\n",
        tail: "---\n\n# Page\n",
        target: r#""region": "front-matter""#,
        edit: r#""operation": "replace_text", "old": "count: «p»", "content": "count: «n»""#,
        shown: "count: «n»",
    },
];

impl Format {
    /// Fills in the index and value of a counter.
    pub fn fill(text: &str, index: usize, value: usize) -> String {
        let text = text.replace("«i»", &index.to_string()).replace("«n»", &value.to_string());
        text.replace("«p»", &value.saturating_sub(1).to_string())
    }

    fn has_own_files(&self) -> bool {
        self.file.contains("«i»")
    }

    pub(crate) fn files(&self, values: &[usize]) -> BTreeMap<String, String> {
        if self.has_own_files() {
            let file = |(index, value): (usize, &usize)| {
                let text = format!("{}{}{}", self.head, Format::fill(self.line, index, *value), self.tail);
                (Format::fill(self.file, index, *value), text)
            };
            return values.iter().enumerate().map(file).collect();
        }
        let lines = values.iter().enumerate().map(|(index, value)| Format::fill(self.line, index, *value));
        BTreeMap::from([(self.file.to_owned(), format!("{}{}{}", self.head, lines.collect::<String>(), self.tail))])
    }

    fn arguments(&self, index: usize, value: usize, rest: &str) -> String {
        let line = self.head.matches('\n').count() + index * self.line.matches('\n').count() + 1;
        let parts = [self.target, rest].into_iter().filter(|part| !part.is_empty());
        let parts: Vec<String> =
            parts.map(|part| Format::fill(part, index, value).replace("«l»", &line.to_string())).collect();
        format!("{{\"file\": \"{}\", {}}}", Format::fill(self.file, index, value), parts.join(", "))
    }

    /// The arguments of an edit that sets a counter to this value.
    pub(crate) fn edit(&self, index: usize, value: usize) -> String {
        self.arguments(index, value, self.edit)
    }

    /// The arguments of a read of a counter; `None` if no target addresses it.
    pub(crate) fn read(&self, index: usize) -> Option<String> {
        (!self.target.is_empty()).then(|| self.arguments(index, 0, ""))
    }
}
