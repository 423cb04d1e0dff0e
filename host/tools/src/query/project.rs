//! What a project is: its roots, its files by language, its manifests with their scripts, its plugins, whether it is trusted.
//! Which files are manifests, and what they say, the packs tell.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_model::{
    Kind, Result,
    editor::State,
    insight::Manifest,
    ports::{EntryKind, Pack},
    servers::ServerWish,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult};
use crate::session::Session;

/// Manifests that are read.
const MOST_MANIFESTS: usize = 200;
/// No editor tells what is open in it.
const NO_EDITOR: &str = "no editor is attached";

/// `projectInfo`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectInfo {
    /// The root that the answer is about.
    pub root: String,
    /// All roots that are served.
    pub roots: Vec<String>,
    /// The folders that are worked in.
    pub workspace_folders: Vec<String>,
    /// The file in front of the person; left out if no editor tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    /// The files that are open in an editor.
    pub open_editors: Vec<String>,
    /// What the editors that work here call themselves; why there is nothing of them, where none is attached.
    pub editor: String,
    /// How many files there are.
    pub files: usize,
    /// How many of them each plugin takes, the most first.
    pub languages: Vec<Language>,
    /// What says how the project is built.
    pub manifests: Vec<ManifestInfo>,
    /// The plugins: what the specification calls installed extensions.
    pub plugins: Vec<Plugin>,
    /// The language servers that the project names or has installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerInfo>,
    /// Whether what the project asks for is met: `trusted`, `unasked`, `refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// What git makes of the root: `repository`, `worktree`; none where it is the top of neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<&'static str>,
}

/// The files of one plugin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Language {
    /// The name for people.
    pub language: String,
    /// The plugin that takes them; none where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// How many.
    pub files: usize,
    /// Their size.
    pub bytes: u64,
}

/// A manifest.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ManifestInfo {
    /// The file.
    pub path: String,
    /// What the project or the part is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The program that reads it: `npm`, `pnpm` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
    /// What can be run, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scripts: BTreeMap<String, String>,
    /// Patterns of the folders of its parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
}

/// A plugin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Plugin {
    /// Its name.
    pub id: String,
    /// Its version, where it could be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where it comes from.
    pub source: String,
    /// `ready`, `failed: …`, `quarantined: …`.
    pub state: String,
    /// The optional interfaces that it has.
    pub interfaces: Vec<&'static str>,
}

/// A language server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ServerInfo {
    /// Its name.
    pub id: String,
    /// The program with its arguments.
    pub command: String,
    /// Who says that there is one: `registry.toml`, or `installed`.
    pub source: &'static str,
    /// `allowed`: started when it is asked; `unasked`: not before the person allows it.
    pub state: &'static str,
}

impl Session {
    pub(super) fn project_info(&self, args: &QueryArgs) -> Result<QueryResult> {
        let stamps = self.files.walk("")?;
        let files = stamps.len();
        let stage = self.work.stage("looking at files", files);
        let mut packs: BTreeMap<String, Known> = BTreeMap::new();
        let mut others = Language { language: "other".to_owned(), plugin: None, files: 0, bytes: 0 };
        let (mut manifests, mut left, mut unread) = (Vec::new(), 0, Vec::new());
        for stamp in &stamps {
            stage.step()?;
            let Ok(pack) = self.packs.for_path(&self.files, &stamp.path) else {
                (others.files, others.bytes) = (others.files + 1, others.bytes + stamp.size);
                continue;
            };
            let known = packs.entry(pack.description().id.clone()).or_insert_with(|| Known::new(&pack));
            (known.files, known.bytes) = (known.files + 1, known.bytes + stamp.size);
            let name = stamp.path.rsplit('/').next().unwrap_or(&stamp.path);
            if !known.manifests.iter().any(|known| known == name) {
                continue;
            }
            if manifests.len() == MOST_MANIFESTS {
                left += 1;
                continue;
            }
            match self.manifest(&stamp.path) {
                Ok(found) => manifests.extend(found),
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) => unread.push(format!("{}: {error}", stamp.path)),
            }
        }
        // The nearest to the root first.
        manifests.sort_by_key(|manifest: &ManifestInfo| (manifest.path.matches('/').count(), manifest.path.clone()));
        let mut languages: Vec<Language> = packs.into_values().map(Known::language).collect();
        languages.extend((others.files > 0).then_some(others));
        languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.language.cmp(&b.language)));
        let page = args.page(self, manifests);
        let completeness = match (unread.first(), left) {
            (Some(first), _) => format!("partial: {} manifests could not be read, the first: {first}", unread.len()),
            (None, 1..) => format!("partial: {left} manifests were not read"),
            (None, _) => "complete".to_owned(),
        };
        let root = self.files.root().to_owned();
        let shown = self.in_editors();
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
            servers: self.packs.servers(&self.files)?.iter().map(ServerInfo::of).collect(),
            trust: self.packs.trust(&self.files),
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
        let said = file.ask(|document| document.read_manifest())?;
        Ok(said.map(|Manifest { name, version, manager, scripts, workspaces }| ManifestInfo {
            path: path.to_owned(),
            name,
            version,
            manager,
            scripts: scripts.into_iter().collect(),
            workspaces,
        }))
    }

    /// What editors that work in the root told last of what they show: nobody is asked.
    fn in_editors(&self) -> InEditors {
        let root = self.files.root();
        let attached = self.editors.attached(Some(root)).into_iter().filter(|editor| editor.state == State::Ready);
        let mut shown = InEditors::default();
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
            interfaces: plugin.interfaces,
        };
        plugins.map(plugin).collect()
    }
}

impl ServerInfo {
    fn of(wish: &ServerWish) -> ServerInfo {
        ServerInfo {
            id: wish.id.clone(),
            command: wish.command.join(" "),
            source: if wish.is_found() { "installed" } else { "registry.toml" },
            state: if wish.withheld.is_some() { "unasked" } else { "allowed" },
        }
    }
}

/// What editors show.
#[derive(Default)]
struct InEditors {
    active: Option<String>,
    open: Vec<String>,
    titles: String,
}

/// A pack, and what was seen of its files.
struct Known {
    language: String,
    plugin: String,
    manifests: Vec<String>,
    files: usize,
    bytes: u64,
}

impl Known {
    fn new(pack: &Arc<dyn Pack>) -> Known {
        let description = pack.description();
        // A pack that fails here fails where its files are asked for, with its reason.
        let manifests = if pack.has("insight") { pack.manifest_names().unwrap_or_default() } else { Vec::new() };
        Known { language: description.name.clone(), plugin: description.id.clone(), manifests, files: 0, bytes: 0 }
    }

    fn language(self) -> Language {
        Language { language: self.language, plugin: Some(self.plugin), files: self.files, bytes: self.bytes }
    }
}
