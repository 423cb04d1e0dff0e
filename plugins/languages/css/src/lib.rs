//! Language pack for stylesheets: CSS, SCSS and LESS.

mod canonical;
mod chars;
mod check;
mod dependencies;
mod display;
mod document;
mod edit;
mod formula;
mod hover;
mod incremental_check;
mod index;
mod keys;
mod links;
mod maps;
mod members;
mod missing_target;
mod modules;
mod names;
mod nesting;
mod parse;
mod refactor;
mod regions;
mod scanner;
mod structure;
mod target;
mod target_match;
#[cfg(test)]
mod tests;
mod tree;
mod view;
mod white_space;

use marquetry_sdk::{Description, LanguagePack, TargetHelp, TargetKind, export_pack};

pub use document::Stylesheet;

/// The language pack for CSS, SCSS and LESS.
#[derive(Debug)]
pub struct Css;

impl LanguagePack for Css {
    type Document = Stylesheet;

    const FILES: &'static [&'static str] = &["*.css", "*.scss", "*.less", "*.pcss", "*.postcss"];

    fn describe() -> Description {
        let examples = [
            ".button",
            ".card > .title, .card > .lead",
            "@media print >> .button",
            ".button@padding",
            ":root@--primary",
            "@keyframes spin >> 50%",
            "$breakpoints@md",
            "@mixin flex",
        ];
        Description {
            id: "css".to_owned(),
            name: "CSS, SCSS and LESS".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Selector,
                syntax: "a selector, an at-rule or a `$variable`; `outer >> inner`; `rule@property`; `[2]` for the \
                         second match"
                    .to_owned(),
                examples: examples.map(str::to_owned).to_vec(),
            }],
            regions: regions::region_help(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            relinks: true,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> Stylesheet {
        Stylesheet::open(path, text)
    }
}

export_pack!(Css: links, symbols, refactors, hover, search);
