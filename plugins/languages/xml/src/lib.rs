//! Language pack for XML: nodes addressed by XPath 1.0.

mod address;
mod chars;
mod document;
mod edit;
mod hover;
mod links;
mod outline;
mod parse;
mod partial_check;
mod structure;
mod suggest;
mod summary;
mod symbols;
#[cfg(test)]
mod tests;
mod tree;
mod xpath;

use marquetry_sdk::{Description, LanguagePack, RegionHelp, TargetHelp, TargetKind, Template, export_pack};

pub use document::XmlDocument;

/// The language pack.
#[derive(Debug)]
pub struct Xml;

const FILES: [&str; 30] = [
    "*.xml",
    "*.svg",
    "*.xsd",
    "*.xaml",
    "*.axaml",
    "*.csproj",
    "*.vbproj",
    "*.fsproj",
    "*.vcxproj",
    "*.proj",
    "*.slnx",
    "*.props",
    "*.targets",
    "*.plist",
    "*.config",
    "*.resx",
    "*.xsl",
    "*.xslt",
    "*.rss",
    "*.atom",
    "*.wsdl",
    "*.nuspec",
    "*.storyboard",
    "*.xib",
    "*.kml",
    "*.gpx",
    "*.pom",
    "*.xlf",
    "*.xliff",
    "*.runsettings",
];

const XML_TEMPLATE: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{{ root | default(\"root\") }}>\n</{{ root | default(\"root\") }}>\n";
const SVG_TEMPLATE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {{ width | default(24) }} {{ height | default(24) }}\">\n  <title>{{ name | escape }}</title>\n</svg>\n";

impl LanguagePack for Xml {
    type Document = XmlDocument;

    const FILES: &'static [&'static str] = &FILES;

    fn describe() -> Description {
        Description {
            id: "xml".to_owned(),
            name: "XML".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Xpath,
                syntax: "XPath 1.0 with the document's own prefixes; `_:` is its default namespace".to_owned(),
                examples: [
                    "//Project/PropertyGroup",
                    "/catalog/book[@id='b2']/title",
                    "//item[3]/@name",
                    "count(//item)",
                ]
                .map(str::to_owned)
                .to_vec(),
            }],
            regions: vec![
                RegionHelp { name: "root".to_owned(), summary: "the root element".to_owned() },
                RegionHelp { name: "doctype".to_owned(), summary: "`<!DOCTYPE …>`".to_owned() },
                RegionHelp { name: "declaration".to_owned(), summary: "`<?xml …?>`".to_owned() },
            ],
            templates: vec![
                template("xml", "a document with a root element", "xml", XML_TEMPLATE),
                template("svg", "an empty image", "svg", SVG_TEMPLATE),
            ],
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> XmlDocument {
        XmlDocument::new(path, text)
    }
}

fn template(name: &str, summary: &str, extension: &str, body: &str) -> Template {
    Template {
        name: name.to_owned(),
        summary: summary.to_owned(),
        extension: extension.to_owned(),
        body: body.to_owned(),
    }
}

export_pack!(Xml: links, symbols, refactors, hover, search);
