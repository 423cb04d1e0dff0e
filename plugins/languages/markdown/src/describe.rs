//! The description of the pack.

use marquetry_sdk::{Description, LanguagePack, RegionHelp, TargetHelp, TargetKind, Template};

const README: &str = "# {{ name }}

{{ description | default(\"What it is, in one sentence.\") }}

## Installation

```sh
```

## Usage

## License
";

pub(crate) fn description() -> Description {
    let strings = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
    let region = |name: &str, summary: &str| RegionHelp { name: name.to_owned(), summary: summary.to_owned() };
    let template = |name: &str, summary: &str, body: &str| Template {
        name: name.to_owned(),
        summary: summary.to_owned(),
        extension: "md".to_owned(),
        body: body.to_owned(),
    };
    Description {
        id: "markdown".to_owned(),
        name: "Markdown and MDX".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files: crate::Markdown::files(),
        targets: vec![
            TargetHelp {
                kind: TargetKind::Heading,
                syntax: "a heading's text, with or without its `#`s; a path `Guide > Install`; one of several \
                         `Install[2]`; a block `Install > code[js]`"
                    .to_owned(),
                examples: strings(&[
                    "Install",
                    "## Install",
                    "Guide > Install",
                    "Install[2]",
                    "Usage > table[1] > row[2]",
                ]),
            },
            TargetHelp {
                kind: TargetKind::Region,
                syntax: "the name of a region, or a block as under `heading`".to_owned(),
                examples: strings(&["front-matter", "imports", "code[sh]", "list[1] > item[3]", "footnote[^note]"]),
            },
        ],
        regions: vec![
            region("front-matter", "the YAML or TOML at the start, with its fences"),
            region("body", "everything below the front matter"),
            region("preamble", "everything before the first heading"),
            region("toc", "the table of contents: a list of links to the document's headings"),
            region("imports", "MDX: the imports"),
            region("exports", "MDX: the exports"),
        ],
        templates: vec![
            template("markdown", "A page with a title", "# {{ name }}\n"),
            template("markdown-readme", "A README with the usual sections", README),
        ],
        settings_schema: "{}".to_owned(),
        relinks: false,
        help: include_str!("../help.md").to_owned(),
    }
}
