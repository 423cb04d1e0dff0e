//! Language pack for HTML. CSS selectors address elements, and `selector@name` addresses an attribute. The pack also
//! finds links, symbols and hover information.

mod address;
mod document;
mod edit;
mod embedded;
mod hover;
mod js_lexer;
mod links;
mod location;
mod names;
mod outline;
mod select;
mod structure;
mod syntax;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod view;

pub use document::HtmlDocument;

use marquetry_sdk::{Description, LanguagePack, Template};

/// The language pack for HTML.
#[derive(Debug)]
pub struct Html;

impl LanguagePack for Html {
    type Document = HtmlDocument;

    /// The last one is the name of a part: the markup of a component, whose file belongs to another pack.
    const FILES: &'static [&'static str] = &["*.html", "*.htm", "*.xhtml", "*.xht", "*.component-html"];

    fn describe() -> Description {
        Description {
            id: "html".to_owned(),
            name: "HTML".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: target::target_help(),
            regions: target::region_help(),
            templates: vec![Template {
                name: "html".to_owned(),
                summary: "an HTML page".to_owned(),
                extension: "html".to_owned(),
                body: include_str!("../template.html").to_owned(),
            }],
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> HtmlDocument {
        HtmlDocument::new(syntax::parse(syntax::Dialect::of_path(path), text))
    }
}

marquetry_sdk::export_pack!(Html: links, symbols, refactors, hover, search);
