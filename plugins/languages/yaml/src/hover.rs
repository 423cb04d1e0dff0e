//! Hover information from the schema of a value, and workspace manifests.

use marquetry_jsonpath::{Kind as JsonKind, Tree};
use marquetry_references::{
    OtherFiles, PathStep, SchemaDocument, dead_references, hover_info, path_to, schema_locations,
};
use marquetry_sdk::{
    Area, Document, FileLocation, Hover, HoverInfo, Manifest, SemanticDiagnostics, Span, paths::file_name,
};

use crate::{
    Yaml,
    document::YamlDocument,
    source::{NodeRef, Source},
    table::Id,
};

/// A file that is read as a schema.
struct YamlSchemaDocument(YamlDocument);

impl SchemaDocument for YamlSchemaDocument {
    type Node = NodeRef;
    type Tree<'a> = Source<'a>;

    fn parse_schema(path: &str, text: String) -> YamlSchemaDocument {
        YamlSchemaDocument(YamlDocument::new(path, text))
    }

    fn tree(&self) -> Source<'_> {
        self.0.source()
    }

    fn start(&self, node: NodeRef) -> u32 {
        self.0.source().span(node.id).start
    }

    fn has_no_errors(&self) -> bool {
        self.0.diagnostics().is_empty()
    }

    fn supports_path(path: &str) -> bool {
        [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end))
    }
}

/// Returns the value at an offset, or the value whose key is there: its path, its id, and the span of the part at the
/// offset.
fn value_at(document: &YamlDocument, offset: u32) -> Option<(Vec<PathStep>, Id, Span)> {
    let source = document.source();
    let touches = |id: Id| source.span(id).touches(offset as usize);
    let root = source.root_id();
    let (steps, node, key) = path_to(&source, root, |key, value| touches(value) || key.is_some_and(touches));
    let by_key = key.filter(|key| touches(*key));
    let is_leaf = !matches!(source.kind(NodeRef { id: node, via_alias: 0 }), JsonKind::Object | JsonKind::Array);
    let pointed = by_key.map_or(source.span(node), |key| source.span(key));
    (by_key.is_some() || (is_leaf && touches(node))).then_some((steps, node, pointed))
}

/// Returns the schema that a comment `# yaml-language-server: $schema=…` at the start of the file names.
fn named_schema(text: &str) -> Option<&str> {
    let comments = text.lines().take_while(|line| line.is_empty() || line.starts_with('#') || line.starts_with("---"));
    comments.filter_map(|line| line.split_once("yaml-language-server:")).find_map(|(_, rest)| {
        let schema = rest.trim_start().strip_prefix("$schema=")?;
        schema.split_whitespace().next()
    })
}

impl Hover for Yaml {
    const MANIFESTS: &'static [&'static str] = &["pnpm-workspace.yaml", "pubspec.yaml"];

    fn hover(document: &YamlDocument, offset: u32) -> Option<HoverInfo> {
        let (steps, id, pointed) = value_at(document, offset)?;
        let source = document.source();
        let given = named_schema(source.text);
        let node = NodeRef { id, via_alias: 0 };
        Some(hover_info::<YamlSchemaDocument, _>((&source, node), (document.path(), &steps), given, pointed))
    }

    fn type_definitions(document: &YamlDocument, offset: u32) -> Vec<FileLocation> {
        let Some((steps, ..)) = value_at(document, offset) else { return Vec::new() };
        let source = document.source();
        schema_locations::<YamlSchemaDocument, _>(&source, (document.path(), &steps), named_schema(source.text))
    }

    fn check(document: &YamlDocument) -> SemanticDiagnostics {
        let source = document.source();
        // Report a reference only at the position where it is written, not at aliases of the value that contains it.
        let mut elsewhere = OtherFiles::<YamlSchemaDocument>::new(document.path());
        let findings = dead_references(
            &source,
            |node| source.span(node.id),
            |file, fragment| elsewhere.file_without_fragment(file, fragment),
        );
        // Repeated keys are already reported as syntax errors.
        SemanticDiagnostics { checked: vec![Area::Links, Area::Names], diagnostics: findings }
    }

    fn read_manifest(document: &YamlDocument) -> Option<Manifest> {
        let source = document.source();
        let root = source.root();
        if source.kind(root) != JsonKind::Object {
            return None;
        }
        let text = |name: &str| {
            let node = source.member(root, name)?;
            (source.kind(node) == JsonKind::String).then(|| source.text(node).into_owned())
        };
        let is_pub = file_name(document.path()) == "pubspec.yaml";
        let parts = source.member(root, if is_pub { "workspace" } else { "packages" });
        let parts = parts.filter(|list| source.kind(*list) == JsonKind::Array);
        let parts = parts.into_iter().flat_map(|list| source.children(list));
        let parts = parts.filter(|node| source.kind(*node) == JsonKind::String);
        Some(Manifest {
            name: text("name"),
            version: text("version"),
            manager: Some(if is_pub { "pub" } else { "pnpm" }.to_owned()),
            scripts: Vec::new(),
            workspaces: parts.map(|node| source.text(node).into_owned()).collect(),
        })
    }
}
