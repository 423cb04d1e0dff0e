//! Manifests of Cargo and of Python projects.

use marquetry_jsonpath::{Kind as JsonKind, Tree};
use marquetry_sdk::{
    Manifest, Script,
    paths::{file_name, folders_around},
    workspace,
};

use crate::{document::TomlDocument, source::Source, table::Id};

/// Python package managers, and the files that identify them. A table with the name under `tool` also identifies one.
const PYTHON_MANAGERS: [(&str, &str); 4] =
    [("uv", "uv.lock"), ("poetry", "poetry.lock"), ("pdm", "pdm.lock"), ("hatch", "hatch.toml")];

pub(crate) fn read_manifest(document: &TomlDocument) -> Option<Manifest> {
    let manifest = ManifestReader { source: document.source() };
    match file_name(document.path()) {
        "Cargo.toml" => Some(Manifest {
            name: manifest.string_at(&["package", "name"]),
            version: manifest
                .string_at(&["package", "version"])
                .or_else(|| manifest.string_at(&["workspace", "package", "version"])),
            manager: Some("cargo".to_owned()),
            scripts: Vec::new(),
            workspaces: manifest.strings_at(&["workspace", "members"]),
        }),
        "pyproject.toml" => Some(manifest.python_manifest(document.path())),
        _ => None,
    }
}

struct ManifestReader<'d> {
    source: Source<'d>,
}

impl ManifestReader<'_> {
    fn find(&self, path: &[&str]) -> Option<Id> {
        path.iter().try_fold(0, |node, name| self.source.member(node, name))
    }

    fn string_at(&self, path: &[&str]) -> Option<String> {
        let node = self.find(path).filter(|node| self.source.kind(*node) == JsonKind::String)?;
        Some(self.source.text(node).into_owned())
    }

    fn strings_at(&self, path: &[&str]) -> Vec<String> {
        let list = self.find(path).filter(|list| self.source.kind(*list) == JsonKind::Array);
        let texts = list.into_iter().flat_map(|list| self.source.table.children(list));
        let texts = texts.filter(|node| self.source.kind(*node) == JsonKind::String);
        texts.map(|node| self.source.text(node).into_owned()).collect()
    }

    /// Returns the name of each member with its command. If the command is not a string, it is shown as JSON.
    fn scripts(&self, path: &[&str]) -> Vec<Script> {
        let table = self.find(path).filter(|table| self.source.kind(*table) == JsonKind::Object);
        let members = table.into_iter().flat_map(|table| self.source.members(table).collect::<Vec<_>>());
        let script = |(name, node): (std::borrow::Cow<'_, str>, Id)| Script {
            name: name.into_owned(),
            command: match self.source.kind(node) {
                JsonKind::String => self.source.text(node).into_owned(),
                _ => marquetry_jsonpath::json_text_within(&self.source, node, 2000).unwrap_or_default(),
            },
        };
        members.map(script).collect()
    }

    fn python_manifest(&self, path: &str) -> Manifest {
        const SCRIPTS: [&[&str]; 5] = [
            &["project", "scripts"],
            &["tool", "poetry", "scripts"],
            &["tool", "pdm", "scripts"],
            &["tool", "hatch", "envs", "default", "scripts"],
            &["tool", "poe", "tasks"],
        ];
        let has_tool = |name: &str| self.find(&["tool", name]).is_some();
        let locked = |lock: &str| {
            folders_around(path).any(|here| {
                let beside = if here.is_empty() { lock.to_owned() } else { format!("{here}/{lock}") };
                workspace::stat(&beside).is_some()
            })
        };
        let manager = PYTHON_MANAGERS
            .iter()
            .find(|(name, _)| has_tool(name))
            .or_else(|| PYTHON_MANAGERS.iter().find(|(_, lock)| locked(lock)));
        Manifest {
            name: self.string_at(&["project", "name"]).or_else(|| self.string_at(&["tool", "poetry", "name"])),
            version: self.string_at(&["project", "version"]).or_else(|| self.string_at(&["tool", "poetry", "version"])),
            manager: Some(manager.map_or("pip", |(name, _)| name).to_owned()),
            scripts: SCRIPTS.iter().flat_map(|path| self.scripts(path)).collect(),
            workspaces: self.strings_at(&["tool", "uv", "workspace", "members"]),
        }
    }
}
