//! Parameters and results of the web page's methods.

use marquetry_model::{
    Interface,
    editor::{AttachedEditor, ConnectionState},
    ports::{PluginInfo, ReplacedFile, StoredContent},
};
use serde::{Deserialize, Serialize};

use marquetry_catalog::RunningCall;

/// Parameters that name a root.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct About {
    /// Absolute path; defaults to the first served root.
    pub(super) root: Option<String>,
}

/// Parameters that name a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutFile {
    pub(super) root: Option<String>,
    pub(super) path: String,
}

/// Parameters that name a change in the history.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutChange {
    pub(super) root: Option<String>,
    pub(super) id: String,
}

/// Parameters that name a running call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutCall {
    pub(super) call: u64,
}

/// General information about a server.
#[derive(Serialize)]
pub(super) struct Workspace {
    pub(super) version: &'static str,
    pub(super) roots: Vec<String>,
    pub(super) editors: Vec<Editor>,
    /// Names of the connected Claude Code clients.
    pub(super) clients: Vec<String>,
}

/// An editor that is attached, or that could not be attached.
#[derive(Serialize)]
pub(super) struct Editor {
    name: String,
    title: String,
    channel: String,
    state: String,
    abilities: Vec<&'static str>,
}

impl From<AttachedEditor> for Editor {
    fn from(editor: AttachedEditor) -> Editor {
        let state = match editor.state {
            ConnectionState::Ready => "ready".to_owned(),
            ConnectionState::Connecting => "connecting".to_owned(),
            ConnectionState::Failed(why) => format!("failed: {why}"),
        };
        let AttachedEditor { name, title, channel, capabilities: abilities, .. } = editor;
        Editor { name, title, channel, state, abilities }
    }
}

/// The files of a root.
#[derive(Serialize)]
pub(super) struct Listing {
    pub(super) files: Vec<String>,
    /// Number of files that the listing omits because of its limit.
    pub(super) more: usize,
}

/// A file's content.
#[derive(Serialize)]
pub(super) struct Text {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) hash: String,
}

/// The effects of a change.
#[derive(Serialize)]
pub(super) struct Change {
    pub(super) files: Vec<Changed>,
}

/// The effect of a change on a file. A side is missing if the file does not exist on it. If it exists but cannot be
/// shown, `note` gives the reason.
#[derive(Serialize)]
pub(super) struct Changed {
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl Changed {
    /// Converts stored bytes to text with `decode`.
    pub(super) fn new(replaced: ReplacedFile, decode: impl Fn(&str, &[u8]) -> Option<String>) -> Changed {
        let ReplacedFile { before, after, old, new } = replaced;
        let mut note = None;
        let mut side = |path: &Option<String>, kept: StoredContent| match kept {
            StoredContent::Absent => None,
            StoredContent::Bytes(bytes) => {
                let text = decode(path.as_deref().unwrap_or_default(), &bytes);
                if text.is_none() {
                    note = Some("this is not a text, or it is too long");
                }
                text
            }
            StoredContent::Same => {
                note = Some("the content did not change");
                None
            }
            StoredContent::Unavailable => {
                note = Some("the old content is no longer stored");
                None
            }
        };
        let (old, new) = (side(&before, old), side(&after, new));
        Changed { before, after, old, new, note }
    }
}

/// The plugins of a root.
#[derive(Serialize)]
pub(super) struct Plugins {
    pub(super) plugins: Vec<Plugin>,
    /// State of the permissions that the project requests: `trusted`, `unasked` or `refused`.
    pub(super) trust: Option<String>,
}

/// A plugin.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Plugin {
    id: String,
    version: Option<String>,
    source: String,
    digest: Option<String>,
    files: Vec<String>,
    interfaces: Vec<&'static str>,
    grants: Vec<String>,
    state: String,
    memory_mib: usize,
    seconds: f64,
}

impl From<PluginInfo> for Plugin {
    fn from(info: PluginInfo) -> Plugin {
        let PluginInfo { id, version, source, digest, files, interfaces, grants, state, memory, time, .. } = info;
        let (memory_mib, seconds) = (memory >> 20, time.as_secs_f64());
        let interfaces = interfaces.into_iter().map(Interface::name).collect();
        Plugin { id, version, source, digest, files, interfaces, grants, state, memory_mib, seconds }
    }
}

/// The calls in progress.
#[derive(Serialize)]
pub(super) struct InProgress {
    pub(super) calls: Vec<Call>,
    /// Number of ended calls that may have changed something. If it grows, the page refreshes what it shows.
    pub(super) changes: u64,
}

/// A call in progress.
#[derive(Serialize)]
pub(super) struct Call {
    call: u64,
    tool: &'static str,
    client: String,
    about: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    milliseconds: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<String>,
    cancelled: bool,
}

impl From<RunningCall> for Call {
    fn from(seen: RunningCall) -> Call {
        let origin = seen.work.origin().cloned().unwrap_or_default();
        Call {
            call: seen.number,
            tool: seen.tool,
            client: origin.client,
            about: origin.target,
            why: origin.reason,
            milliseconds: seen.since.elapsed().as_millis(),
            progress: seen.work.progress().map(|progress| progress.to_string()),
            cancelled: seen.work.is_cancelled(),
        }
    }
}
