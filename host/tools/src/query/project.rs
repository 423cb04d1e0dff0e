//! `projectInfo`: roots, files by language, manifests with their scripts, plugins, and permissions of a project. The
//! packs define which files are manifests, and read them.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_model::{
    Interface, Kind, Result,
    editor::ConnectionState,
    hover::Manifest,
    ports::{EntryKind, Pack},
    servers::RequestedServer,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult};
use crate::session::Session;

/// Maximum number of manifests to read.
const MAX_MANIFESTS: usize = 200;
/// Message if no editor is attached.
const NO_EDITOR: &str = "no editor is attached";

/// Result of `projectInfo`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectInfo {
    /// Root of the project.
    pub root: String,
    /// All roots that are served.
    pub roots: Vec<String>,
    /// Open workspace folders.
    pub workspace_folders: Vec<String>,
    /// Path of the focused file; omitted if no editor reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    /// Files that are open in an editor.
    pub open_editors: Vec<String>,
    /// Names of the attached editors, or a message if there are none.
    pub editor: String,
    /// Number of files.
    pub files: usize,
    /// Number of files per plugin, highest first.
    pub languages: Vec<Language>,
    /// Manifests of the project.
    pub manifests: Vec<ManifestInfo>,
    /// Plugins; the specification calls them installed extensions.
    pub plugins: Vec<Plugin>,
    /// Language servers that the project names or has installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerInfo>,
    /// State of the permissions that the project requests: `trusted`, `unasked`, `refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// Kind of git checkout: `repository`, `worktree`; `None` if the root is not the top of either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<&'static str>,
}

/// Files of one plugin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Language {
    /// Name for users.
    pub language: String,
    /// The plugin that reads them; `None` if no plugin does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
}

/// A manifest.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ManifestInfo {
    /// Path of the file.
    pub path: String,
    /// Name of the project or package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Package manager: `npm`, `pnpm` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
    /// Scripts by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scripts: BTreeMap<String, String>,
    /// Globs of the workspace's package folders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
}

/// A plugin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Plugin {
    /// Name.
    pub id: String,
    /// Version, if it could be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Source of the plugin.
    pub source: String,
    /// `ready`, `failed: …`, `quarantined: …`.
    pub state: String,
    /// Optional interfaces that it implements.
    pub interfaces: Vec<&'static str>,
}

/// A language server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ServerInfo {
    /// Name.
    pub id: String,
    /// The program with its arguments.
    pub command: String,
    /// Origin of its configuration: `registry.toml`, `installed` (in the project), or `path` (approved, on `PATH`).
    pub source: &'static str,
    /// `allowed`: started on demand; `unasked`: waits for the user's approval.
    pub state: &'static str,
}

impl Session {
    pub(super) fn project_info(&self, args: &QueryArgs) -> Result<QueryResult> {
        let stamps = self.files.walk("")?;
        let files = stamps.len();
        let stage = self.work.stage("looking at files", files);
        let mut packs: BTreeMap<String, PackStatistics> = BTreeMap::new();
        let mut others = Language { language: "other".to_owned(), plugin: None, files: 0, bytes: 0 };
        let (mut manifests, mut left, mut unread) = (Vec::new(), 0, Vec::new());
        for stamp in &stamps {
            stage.step()?;
            let Ok(pack) = self.packs.for_path(&self.files, &stamp.path) else {
                (others.files, others.bytes) = (others.files + 1, others.bytes + stamp.size);
                continue;
            };
            let known = packs.entry(pack.description().id.clone()).or_insert_with(|| PackStatistics::new(&pack));
            (known.files, known.bytes) = (known.files + 1, known.bytes + stamp.size);
            let name = stamp.path.rsplit('/').next().unwrap_or(&stamp.path);
            if !known.manifests.iter().any(|known| known == name) {
                continue;
            }
            if manifests.len() == MAX_MANIFESTS {
                left += 1;
                continue;
            }
            match self.manifest(&stamp.path) {
                Ok(found) => manifests.extend(found),
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) => unread.push(format!("{}: {error}", stamp.path)),
            }
        }
        // Manifests closest to the root come first.
        manifests.sort_by_key(|manifest: &ManifestInfo| (manifest.path.matches('/').count(), manifest.path.clone()));
        let mut languages: Vec<Language> = packs.into_values().map(PackStatistics::language).collect();
        languages.extend((others.files > 0).then_some(others));
        languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.language.cmp(&b.language)));
        let page = args.page(self, manifests);
        let completeness = match (unread.first(), left) {
            (Some(first), _) => format!("partial: {} manifests could not be read, the first: {first}", unread.len()),
            (None, 1..) => format!("partial: {left} manifests were not read"),
            (None, _) => "complete".to_owned(),
        };
        let root = self.files.root().to_owned();
        let shown = self.editor_state();
        let info = ProjectInfo {
            roots: self.roots.clone(),
            workspace_folders: self.roots.clone(),
            active_file: shown.active,
            open_editors: shown.open,
            editor: shown.titles,
            files,
            languages,
            manifests: page.items,
            plugins: self.plugins(),
            servers: self.packs.servers(&self.files)?.iter().filter(is_shown).map(ServerInfo::from_request).collect(),
            trust: self.packs.approval_state(&self.files),
            git: match self.files.stat(".git") {
                Some(EntryKind::Directory) => Some("repository"),
                Some(EntryKind::File) => Some("worktree"),
                None => None,
            },
            root,
        };
        let answer = QueryResult::new(Answer::Project(Box::new(info)), completeness, "packs");
        Ok(answer.paged(page.total, page.truncated))
    }

    fn manifest(&self, path: &str) -> Result<Option<ManifestInfo>> {
        let file = self.open_found(path)?;
        let parsed = file.ask(|document| document.read_manifest())?;
        Ok(parsed.map(|Manifest { name, version, manager, scripts, workspaces }| ManifestInfo {
            path: path.to_owned(),
            name,
            version,
            manager,
            scripts: scripts.into_iter().collect(),
            workspaces,
        }))
    }

    /// Last known state of the editors that work in the root. No editor is asked.
    fn editor_state(&self) -> EditorState {
        let root = self.files.root();
        let attached =
            self.editors.attached(Some(root)).into_iter().filter(|editor| editor.state == ConnectionState::Ready);
        let mut shown = EditorState::default();
        let mut titles = Vec::new();
        for editor in attached {
            for tab in self.editors.known_tabs(&editor.name) {
                let below = tab.path.as_deref().and_then(|path| path.strip_prefix(root)?.strip_prefix('/'));
                let Some(path) = below.map(str::to_owned) else { continue };
                // The editor that was focused last comes first.
                if tab.active && tab.group_active && shown.active.is_none() {
                    shown.active = Some(path.clone());
                }
                if !shown.open.contains(&path) {
                    shown.open.push(path);
                }
            }
            titles.push(if editor.title.is_empty() { editor.name } else { editor.title });
        }
        shown.titles = if titles.is_empty() { NO_EDITOR.to_owned() } else { titles.join(", ") };
        shown
    }

    fn plugins(&self) -> Vec<Plugin> {
        let plugins = self.packs.plugins(&self.files).into_iter();
        let plugin = |plugin: marquetry_model::ports::PluginInfo| Plugin {
            id: plugin.id,
            version: plugin.version,
            source: plugin.source,
            state: plugin.state,
            interfaces: plugin.interfaces.into_iter().map(Interface::name).collect(),
        };
        plugins.map(plugin).collect()
    }
}

/// Returns whether a server is relevant for the project. A server that is only on `PATH` is relevant if it is approved.
fn is_shown(server: &&RequestedServer) -> bool {
    !server.is_on_path() || server.refusal.is_none()
}

impl ServerInfo {
    fn from_request(server: &RequestedServer) -> ServerInfo {
        ServerInfo {
            id: server.id.clone(),
            command: server.command.join(" "),
            source: match (server.is_on_path(), server.is_detected()) {
                (true, _) => "path",
                (_, true) => "installed",
                _ => "registry.toml",
            },
            state: if server.refusal.is_some() { "unasked" } else { "allowed" },
        }
    }
}

/// Files that are open in editors.
#[derive(Default)]
struct EditorState {
    active: Option<String>,
    open: Vec<String>,
    titles: String,
}

/// A pack with statistics of its files.
struct PackStatistics {
    language: String,
    plugin: String,
    manifests: Vec<String>,
    files: usize,
    bytes: u64,
}

impl PackStatistics {
    fn new(pack: &Arc<dyn Pack>) -> PackStatistics {
        let description = pack.description();
        // If a pack fails to return its manifest names, it also fails when its files are read, and that error includes
        // the reason.
        let manifests =
            if pack.has_interface(Interface::Hover) { pack.manifest_names().unwrap_or_default() } else { Vec::new() };
        PackStatistics {
            language: description.name.clone(),
            plugin: description.id.clone(),
            manifests,
            files: 0,
            bytes: 0,
        }
    }

    fn language(self) -> Language {
        Language { language: self.language, plugin: Some(self.plugin), files: self.files, bytes: self.bytes }
    }
}
