//! Elements and attributes that name files, by format.

use crate::{
    document::XmlDocument,
    tree::{Id, names::Names},
};

/// Syntax of a specifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A relative URI: `/`, `%20`, `?query`, `#fragment`.
    Uri,
    /// A relative URI in `url(…)` of CSS.
    CssUri,
    /// An MSBuild path: it uses `\` or `/`, and may contain properties and glob patterns.
    Build,
    /// A plain path, with `\` or `/`.
    Path,
    /// The folder of a Maven module, or its `pom.xml`.
    Module,
}

/// Kinds of links and their syntax.
const STYLES: [(&str, Style); 16] = [
    ("url", Style::CssUri),
    ("css-import", Style::CssUri),
    ("include", Style::Uri),
    ("schema", Style::Uri),
    ("import", Style::Uri),
    ("stylesheet", Style::Uri),
    ("image", Style::Uri),
    ("href", Style::Uri),
    ("dtd", Style::Uri),
    ("resource", Style::Uri),
    ("project-reference", Style::Build),
    ("build-import", Style::Build),
    ("item", Style::Build),
    ("path", Style::Build),
    ("file", Style::Path),
    ("module", Style::Module),
];

/// Syntax of the specifiers of this kind of link.
pub(super) fn specifier_style(kind: &str) -> Style {
    STYLES.iter().find(|(known, _)| *known == kind).map_or(Style::Uri, |(_, style)| *style)
}

/// Part of the document that is deleted to remove a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removal {
    /// Delete the element with this id. If its MSBuild group becomes empty, delete the group.
    Element(Id),
    /// Delete one part of a list in an attribute. If no other part is left, delete the element.
    Part(Id),
    /// Delete the attribute.
    Attribute,
    /// Delete the processing instruction.
    Instruction(Id),
    /// The link cannot be removed safely.
    Nothing,
}

/// Place of the specifier in an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpecifierLocation {
    Attribute(Id),
    /// Parts of an attribute value that are separated by `;`.
    List(Id),
    /// Every second word of an attribute value, as in `xsi:schemaLocation`.
    Pairs(Id),
    /// The text of the element.
    Text,
    /// The text of the element up to the first `;`.
    TextToSemicolon,
}

/// A place in an element that can contain specifiers of links.
#[derive(Debug)]
pub(super) struct LinkRule {
    pub(super) kind: &'static str,
    pub(super) location: SpecifierLocation,
    pub(super) removal: Removal,
}

const XINCLUDE: &str = "http://www.w3.org/2001/XInclude";
const XML_SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XSLT: &str = "http://www.w3.org/1999/XSL/Transform";
const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";

/// MSBuild items whose names are file paths.
const MSBUILD_ITEMS: [&str; 43] = [
    "Compile",
    "Content",
    "None",
    "EmbeddedResource",
    "Resource",
    "Page",
    "ApplicationDefinition",
    "AdditionalFiles",
    "EditorConfigFiles",
    "GlobalAnalyzerConfigFiles",
    "Analyzer",
    "ClCompile",
    "ClInclude",
    "ResourceCompile",
    "Image",
    "Xml",
    "Text",
    "Natvis",
    "Manifest",
    "Midl",
    "MASM",
    "CustomBuild",
    "FxCompile",
    "TypeScriptCompile",
    "EntityDeploy",
    "SplashScreen",
    "Protobuf",
    "AvaloniaResource",
    "AvaloniaXaml",
    "AndroidResource",
    "AndroidAsset",
    "BundleResource",
    "MauiImage",
    "MauiFont",
    "MauiIcon",
    "MauiSplashScreen",
    "MauiAsset",
    "MauiXaml",
    "MauiCss",
    "Folder",
    "PRIResource",
    "DesignData",
    "CodeAnalysisDictionary",
];

/// MSBuild properties and metadata whose values are file paths.
const MSBUILD_PATHS: [&str; 7] = [
    "ApplicationIcon",
    "ApplicationManifest",
    "AssemblyOriginatorKeyFile",
    "CodeAnalysisRuleSet",
    "Win32Resource",
    "RunSettingsFilePath",
    "NuspecFile",
];

/// Formats, determined by the file name or the root element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Build,
    Solution,
    Resources,
    Xaml,
    Package,
    Maven,
    Svg,
    Map,
    Other,
}

/// Format of a document.
pub(super) fn document_format(document: &XmlDocument) -> Format {
    let Some(root) = document.tree.root() else { return Format::Other };
    let root = document.tree.names.written_form(document.tree.name(root)).local();
    match (root, document.extension.as_str()) {
        ("Project", extension) if extension.ends_with("proj") || matches!(extension, "props" | "targets") => {
            Format::Build
        }
        ("Solution", "slnx") => Format::Solution,
        ("root", "resx") => Format::Resources,
        (_, "xaml" | "axaml") => Format::Xaml,
        ("package", "nuspec") => Format::Package,
        ("project", "xml" | "pom") => Format::Maven,
        ("svg", _) => Format::Svg,
        ("kml", "kml") => Format::Map,
        _ => Format::Other,
    }
}

/// Returns the places in an element that can contain specifiers of links.
pub(super) fn element_rules(document: &XmlDocument, format: Format, id: Id) -> Vec<LinkRule> {
    let (tree, names) = (&document.tree, &document.tree.names);
    let name = tree.name(id);
    let (namespace, local) = (names.uri(names.namespace_of(name)), names.written_form(name).local());
    let mut rules = Vec::new();
    let whole = Removal::Element(id);
    let mut attribute = |kind, name: &str, removal| {
        rules.extend(tree.attribute(id, name).map(|id| LinkRule {
            kind,
            location: SpecifierLocation::Attribute(id),
            removal,
        }));
    };
    match (namespace, local) {
        (XINCLUDE, "include") => attribute("include", "href", whole),
        (XML_SCHEMA, "import" | "include" | "redefine" | "override") => attribute("schema", "schemaLocation", whole),
        (XSLT, "import" | "include") => attribute("import", "href", whole),
        (WSDL, "import") => attribute("import", "location", whole),
        _ => match format {
            Format::Build => msbuild_rules(document, id, local, &mut rules),
            Format::Solution if matches!(local, "Project" | "File") => attribute("file", "Path", whole),
            Format::Xaml if local.ends_with("Include") || matches!(local, "ResourceDictionary" | "Image") => {
                attribute("resource", "Source", if local == "Image" { Removal::Attribute } else { whole });
            }
            Format::Package if local == "file" => attribute("file", "src", whole),
            Format::Resources | Format::Maven | Format::Map => text_rules(document, format, id, local, &mut rules),
            _ => {}
        },
    }
    if namespace == SVG || (namespace.is_empty() && format == Format::Svg) {
        svg_rules(names, document, id, local, &mut rules);
    }
    for attribute in tree.attributes(id) {
        let name = tree.name(attribute);
        if names.uri(names.namespace_of(name)) == SCHEMA_INSTANCE {
            match names.written_form(name).local() {
                "schemaLocation" => rules.push(LinkRule {
                    kind: "schema",
                    location: SpecifierLocation::Pairs(attribute),
                    removal: Removal::Attribute,
                }),
                "noNamespaceSchemaLocation" => {
                    rules.push(LinkRule {
                        kind: "schema",
                        location: SpecifierLocation::Attribute(attribute),
                        removal: Removal::Attribute,
                    });
                }
                _ => {}
            }
        }
    }
    rules
}

fn msbuild_rules(document: &XmlDocument, id: Id, local: &str, rules: &mut Vec<LinkRule>) {
    let tree = &document.tree;
    let mut list = |kind, name, removal| {
        rules.extend(tree.attribute(id, name).map(|id| LinkRule {
            kind,
            location: SpecifierLocation::List(id),
            removal,
        }));
    };
    match local {
        "ProjectReference" => list("project-reference", "Include", Removal::Part(id)),
        "Import" if tree.attribute(id, "Sdk").is_none() => list("build-import", "Project", Removal::Part(id)),
        _ if MSBUILD_ITEMS.contains(&local) => {
            for name in ["Include", "Update", "Remove", "Exclude"] {
                list("item", name, if name == "Exclude" { Removal::Attribute } else { Removal::Part(id) });
            }
        }
        "HintPath" => {
            let removal = tree.parent(id).map_or(Removal::Nothing, Removal::Element);
            rules.push(LinkRule { kind: "path", location: SpecifierLocation::Text, removal });
        }
        _ if MSBUILD_PATHS.contains(&local) => {
            rules.push(LinkRule { kind: "path", location: SpecifierLocation::Text, removal: Removal::Element(id) })
        }
        _ => {}
    }
}

/// Adds a rule if the text of the element is a path.
fn text_rules(document: &XmlDocument, format: Format, id: Id, local: &str, rules: &mut Vec<LinkRule>) {
    let tree = &document.tree;
    let parent = tree.parent(id).filter(|parent| *parent != 0);
    let parent_name = parent.map_or("", |parent| tree.names.written_form(tree.name(parent)).local());
    let rule = match (format, parent_name, local) {
        (Format::Maven, "modules", "module") => {
            LinkRule { kind: "module", location: SpecifierLocation::Text, removal: Removal::Element(id) }
        }
        (Format::Maven, "parent", "relativePath") => {
            LinkRule { kind: "module", location: SpecifierLocation::Text, removal: Removal::Element(id) }
        }
        (Format::Map, _, "href") => {
            LinkRule { kind: "href", location: SpecifierLocation::Text, removal: Removal::Element(id) }
        }
        (Format::Resources, "data", "value") => {
            let Some(data) = parent else { return };
            let kind = tree.attribute(data, "type").map(|id| tree.value(&document.text, id));
            if !kind.is_some_and(|kind| kind.starts_with("System.Resources.ResXFileRef")) {
                return;
            }
            LinkRule { kind: "file", location: SpecifierLocation::TextToSemicolon, removal: Removal::Element(data) }
        }
        _ => return,
    };
    rules.push(rule);
}

fn svg_rules(names: &Names, document: &XmlDocument, id: Id, local: &str, rules: &mut Vec<LinkRule>) {
    let tree = &document.tree;
    let kind = if matches!(local, "image" | "feImage") { "image" } else { "href" };
    let removal =
        if matches!(local, "image" | "feImage" | "use" | "script") { Removal::Element(id) } else { Removal::Attribute };
    for attribute in tree.attributes(id) {
        let name = tree.name(attribute);
        let namespace = names.uri(names.namespace_of(name));
        if names.written_form(name).local() == "href" && (namespace.is_empty() || namespace == XLINK) {
            rules.push(LinkRule { kind, location: SpecifierLocation::Attribute(attribute), removal });
        }
    }
}
