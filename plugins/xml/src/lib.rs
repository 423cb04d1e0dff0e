//! The pack for XML: nodes named by XPath 1.0, read and edited exactly.

mod address;
mod chars;
mod document;
mod edit;
mod links;
mod outline;
mod parse;
mod suggest;
mod summary;
mod tree;
mod xpath;

use marquetry_sdk::{Description, LanguagePack, RegionHelp, TargetHelp, TargetKind, export_linking_pack};

pub use document::XmlDocument;

/// The pack.
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

impl LanguagePack for Xml {
    type Document = XmlDocument;

    fn describe() -> Description {
        Description {
            id: "xml".to_owned(),
            name: "XML".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: FILES.map(str::to_owned).to_vec(),
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
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> XmlDocument {
        XmlDocument::new(path, text)
    }
}

export_linking_pack!(Xml);
