//! Hover information about a value: kind, comment, and the definition of an inherited value.

use marquetry_jsonpath::{Kind as JsonKind, Tree, locations, value_summary};
use marquetry_references::dead_references;
use marquetry_sdk::{
    Area, FileLocation, Hover, HoverInfo, Manifest, SemanticDiagnostics, Span,
    paths::{file_name, folders_around, join},
    workspace,
};

use crate::{
    Toml,
    document::TomlDocument,
    manifest,
    source::Source,
    table::{Id, Kind},
};

impl Hover for Toml {
    const MANIFESTS: &'static [&'static str] = &["Cargo.toml", "pyproject.toml"];

    fn hover(document: &TomlDocument, offset: u32) -> Option<HoverInfo> {
        let source = document.source();
        let (id, pointed) = value_at(source, offset)?;
        let place = locations(&source, 0, &[id]).pop()?;
        let mut info = HoverInfo::plain(&place.name, source.kind_of(id).display_name(), pointed);
        info.documentation = source.doc(id).map(|doc| strip_comment_signs(doc.slice(source.text)));
        let info = match inherited_definition(document, id) {
            Some(declared) => HoverInfo { declared: Some(declared), ..info }.note("inherited", "from the workspace"),
            None => info,
        };
        Some(info.note("value", value_summary(&source, id)))
    }

    fn check(document: &TomlDocument) -> SemanticDiagnostics {
        if document.first_problem().is_some() {
            return SemanticDiagnostics { checked: Vec::new(), diagnostics: Vec::new() };
        }
        let source = document.source();
        let findings = dead_references(&source, |node| source.span(node), |_, _| None);
        // Repeated keys are already reported as syntax errors.
        SemanticDiagnostics { checked: vec![Area::Links, Area::Names], diagnostics: findings }
    }

    fn read_manifest(document: &TomlDocument) -> Option<Manifest> {
        manifest::read_manifest(document)
    }
}

/// Returns the value at an offset, or the value whose key or header is there, and the span of the part at the offset.
fn value_at(source: Source<'_>, offset: u32) -> Option<(Id, Span)> {
    let at = offset as usize;
    let key_of = |id: Id| source.table.key(id).map(|(start, end)| Span { start, end });
    // The name of a table may occur in several headers. Use the innermost value.
    let by_key = (0..source.table.len()).rfind(|id| key_of(*id).is_some_and(|key| key.touches(at)));
    if let Some(id) = by_key {
        return Some((id, key_of(id)?));
    }
    let leaf = |id: &Id| !source.kind_of(*id).is_table() && !source.kind_of(*id).is_array();
    let value = (0..source.table.len()).filter(leaf).find(|id| source.span(*id).touches(at));
    if let Some(id) = value {
        return Some((id, source.span(id)));
    }
    let header =
        source.table.sections[1..].iter().find(|section| (section.start..=section.header_end).contains(&offset))?;
    Some((header.node, Span { start: header.start, end: header.header_end }))
}

/// Removes the `#` of each line of a comment.
fn strip_comment_signs(comment: &str) -> String {
    let line = |line: &str| {
        let text = line.trim().trim_start_matches('#');
        text.strip_prefix(' ').unwrap_or(text).to_owned()
    };
    comment.lines().map(line).collect::<Vec<String>>().join("\n")
}

/// Cargo tables whose members can be inherited from a workspace.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Returns the definition that a dependency or field of a Cargo manifest inherits by `workspace = true`. It is in the
/// manifest of the workspace.
fn inherited_definition(document: &TomlDocument, id: Id) -> Option<FileLocation> {
    let source = document.source();
    if file_name(document.path()) != "Cargo.toml" {
        return None;
    }
    let inherits = |id: Id| {
        source.kind(id) == JsonKind::Object
            && source.member(id, "workspace").is_some_and(|flag| source.raw(flag) == "true")
    };
    let mut at = id;
    while at != 0 && !inherits(at) {
        at = source.table.node(at).parent;
    }
    let names = source.header_path(at);
    let wanted: Vec<&str> = match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["lints"] => vec!["workspace", "lints"],
        ["package", name] => vec!["workspace", "package", name],
        [.., table, name] if DEPENDENCY_TABLES.contains(table) => vec!["workspace", "dependencies", name],
        _ => return None,
    };
    let own = source.member(0, "workspace").is_some().then(|| document.path().to_owned());
    let above = folders_around(document.path()).skip(1).filter_map(|folder| join(folder, "Cargo.toml"));
    own.into_iter().chain(above).find_map(|path| {
        let text = if path == document.path() { source.text.to_owned() } else { workspace::read(&path).ok()? };
        let root = TomlDocument::new(&path, text);
        let source = root.source();
        let found = wanted.iter().try_fold(0, |node, name| source.member(node, name))?;
        let node = source.table.node(found);
        let offset =
            if matches!(node.kind, Kind::HeaderTable | Kind::ImpliedTable) { node.start } else { node.entry_start };
        Some(FileLocation { path: path.clone(), offset })
    })
}
