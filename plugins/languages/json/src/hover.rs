//! Hover information from the schema of a value, and package manifests.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_references::{
    OtherFiles, PathStep, SchemaDocument, dead_references, hover_info, path_to, schema_locations,
};
use marquetry_sdk::{
    Area, Document, FileLocation, Hover, HoverInfo, Manifest, Script, SemanticDiagnostics, Span,
    paths::{file_name, folders_around},
    workspace,
};

use crate::{Json, document::JsonDocument, source::Source, table::Id};

/// A file that is read as a schema.
struct JsonSchemaDocument(JsonDocument);

impl SchemaDocument for JsonSchemaDocument {
    type Node = Id;
    type Tree<'a> = Source<'a>;

    fn parse_schema(path: &str, text: String) -> JsonSchemaDocument {
        JsonSchemaDocument(JsonDocument::new(path, text))
    }

    fn tree(&self) -> Source<'_> {
        self.0.source()
    }

    fn start(&self, node: Id) -> u32 {
        self.0.source().span(node).start
    }

    fn has_no_errors(&self) -> bool {
        self.0.diagnostics().is_empty()
    }

    fn supports_path(path: &str) -> bool {
        [".json", ".jsonc"].iter().any(|end| path.ends_with(end))
    }
}

/// Returns the value at an offset, or the value whose key is there: its path, its id, and the span of the part at the
/// offset.
fn value_at(document: &JsonDocument, offset: u32) -> Option<(Vec<PathStep>, Id, Span)> {
    let source = document.source();
    let touches = |id: Id| source.span(id).touches(offset as usize);
    let (steps, node, key) = path_to(&source, 0, |key, value| touches(value) || key.is_some_and(touches));
    let pointed = match key {
        Some(key) if touches(key) => source.span(key),
        _ => source.span(node),
    };
    // An offset between the members of a container has no hover information.
    let is_container = matches!(source.kind(node), Kind::Object | Kind::Array);
    let at_start = pointed.start == offset || !touches(node);
    (touches(node) || key.is_some_and(touches)).then_some(())?;
    (!is_container || at_start || key.is_some_and(touches)).then_some((steps, node, pointed))
}

/// Lock files and their package managers.
const LOCK_FILES: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("deno.lock", "deno"),
    ("package-lock.json", "npm"),
];

impl Hover for Json {
    const MANIFESTS: &'static [&'static str] = &["package.json", "composer.json", "deno.json", "deno.jsonc"];

    fn hover(document: &JsonDocument, offset: u32) -> Option<HoverInfo> {
        let (steps, node, pointed) = value_at(document, offset)?;
        let source = document.source();
        Some(hover_info::<JsonSchemaDocument, _>((&source, node), (document.path(), &steps), None, pointed))
    }

    fn type_definitions(document: &JsonDocument, offset: u32) -> Vec<FileLocation> {
        let Some((steps, ..)) = value_at(document, offset) else { return Vec::new() };
        schema_locations::<JsonSchemaDocument, _>(&document.source(), (document.path(), &steps), None)
    }

    fn check(document: &JsonDocument) -> SemanticDiagnostics {
        let source = document.source();
        let mut elsewhere = OtherFiles::<JsonSchemaDocument>::new(document.path());
        let findings = dead_references(
            &source,
            |node| source.span(node),
            |file, fragment| elsewhere.file_without_fragment(file, fragment),
        );
        // Repeated keys are already reported as syntax errors.
        SemanticDiagnostics { checked: vec![Area::Links, Area::Names], diagnostics: findings }
    }

    fn read_manifest(document: &JsonDocument) -> Option<Manifest> {
        let source = document.source();
        let root = source.root();
        if source.kind(root) != Kind::Object {
            return None;
        }
        let text = |name: &str| {
            let node = source.member(root, name)?;
            (source.kind(node) == Kind::String).then(|| source.text(node).into_owned())
        };
        let name = file_name(document.path());
        let tasks = if name.starts_with("deno") { "tasks" } else { "scripts" };
        let list = source.member(root, tasks).filter(|list| source.kind(*list) == Kind::Object);
        let script = |(name, node): (std::borrow::Cow<'_, str>, Id)| Script {
            name: name.into_owned(),
            command: match source.kind(node) {
                Kind::String => source.text(node).into_owned(),
                _ => marquetry_jsonpath::json_text_within(&source, node, 2000).unwrap_or_default(),
            },
        };
        Some(Manifest {
            name: text("name"),
            version: text("version"),
            manager: package_manager(document.path(), text("packageManager")),
            scripts: list.into_iter().flat_map(|list| source.members(list)).map(script).collect(),
            workspaces: workspace_patterns(source, root),
        })
    }
}

/// Returns the program that reads a manifest. The manifest names it, or a lock file next to the manifest or in a folder
/// above identifies it.
fn package_manager(path: &str, named: Option<String>) -> Option<String> {
    let own = match file_name(path) {
        "composer.json" => return Some("composer".to_owned()),
        "package.json" => "npm",
        _ => return Some("deno".to_owned()),
    };
    if let Some(named) = named {
        return Some(named.split('@').next().unwrap_or_default().to_owned());
    }
    let locked = folders_around(path).find_map(|here| {
        let beside = |lock: &str| if here.is_empty() { lock.to_owned() } else { format!("{here}/{lock}") };
        LOCK_FILES.iter().find(|(lock, _)| workspace::stat(&beside(lock)).is_some()).map(|(_, manager)| *manager)
    });
    Some(locked.unwrap_or(own).to_owned())
}

/// Returns the list `workspaces: [...]`, or the list in `workspaces: { packages: [...] }`.
fn workspace_patterns(source: Source<'_>, root: Id) -> Vec<String> {
    let Some(list) = source.member(root, "workspaces").or_else(|| source.member(root, "workspace")) else {
        return Vec::new();
    };
    let list = match source.kind(list) {
        Kind::Object => source.member(list, "packages"),
        _ => Some(list),
    };
    let texts =
        list.filter(|list| source.kind(*list) == Kind::Array).into_iter().flat_map(|list| source.children(list));
    texts.filter(|node| source.kind(*node) == Kind::String).map(|node| source.text(node).into_owned()).collect()
}
