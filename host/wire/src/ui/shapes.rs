//! What the page asks beyond the tools, and what it is answered.

use marquetry_model::{
    editor::{Attached, State},
    ports::{Kept, PluginInfo, Replaced},
};
use serde::{Deserialize, Serialize};

use crate::running::Seen;

/// A question about a root.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct About {
    /// Absolute; the first that is served where none is named.
    pub(super) root: Option<String>,
}

/// A question about a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutFile {
    pub(super) root: Option<String>,
    pub(super) path: String,
}

/// A question about a change of the history.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutChange {
    pub(super) root: Option<String>,
    pub(super) id: String,
}

/// Which call is meant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutCall {
    pub(super) call: u64,
}

/// What a server is.
#[derive(Serialize)]
pub(super) struct Workspace {
    pub(super) version: &'static str,
    pub(super) roots: Vec<String>,
    pub(super) editors: Vec<Editor>,
    /// What clients of Claude Code call themselves that are connected.
    pub(super) clients: Vec<String>,
}

/// An editor that is attached, or should be.
#[derive(Serialize)]
pub(super) struct Editor {
    name: String,
    title: String,
    channel: String,
    state: String,
    abilities: Vec<&'static str>,
}

impl From<Attached> for Editor {
    fn from(editor: Attached) -> Editor {
        let state = match editor.state {
            State::Ready => "ready".to_owned(),
            State::Connecting => "connecting".to_owned(),
            State::Failed(why) => format!("failed: {why}"),
        };
        let Attached { name, title, channel, abilities, .. } = editor;
        Editor { name, title, channel, state, abilities }
    }
}

/// The files of a root.
#[derive(Serialize)]
pub(super) struct Listing {
    pub(super) files: Vec<String>,
    /// How many more there are.
    pub(super) more: usize,
}

/// A file as it is.
#[derive(Serialize)]
pub(super) struct Text {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) hash: String,
}

/// What a change did.
#[derive(Serialize)]
pub(super) struct Change {
    pub(super) files: Vec<Changed>,
}

/// What a change did to a file. A side that is left out is not there; `note` says why, where it should be.
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
    /// With bytes read as text by `decode`.
    pub(super) fn new(replaced: Replaced, decode: impl Fn(&str, &[u8]) -> Option<String>) -> Changed {
        let Replaced { before, after, old, new } = replaced;
        let mut note = None;
        let mut side = |path: &Option<String>, kept: Kept| match kept {
            Kept::Nothing => None,
            Kept::Bytes(bytes) => {
                let text = decode(path.as_deref().unwrap_or_default(), &bytes);
                if text.is_none() {
                    note = Some("this is no text, or too much of it");
                }
                text
            }
            Kept::Same => {
                note = Some("the content stayed as it was");
                None
            }
            Kept::Gone => {
                note = Some("what stood there then is not at hand any more");
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
    /// Whether what the project asks for is met.
    pub(super) trust: Option<String>,
}

/// One plugin.
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
        Plugin { id, version, source, digest, files, interfaces, grants, state, memory_mib, seconds }
    }
}

/// The calls in progress.
#[derive(Serialize)]
pub(super) struct InProgress {
    pub(super) calls: Vec<Call>,
    /// How many calls that may have changed something are over: when it grows, there is something new to see.
    pub(super) changes: u64,
}

/// One of them.
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

impl From<Seen> for Call {
    fn from(seen: Seen) -> Call {
        let origin = seen.work.origin().cloned().unwrap_or_default();
        Call {
            call: seen.number,
            tool: seen.tool,
            client: origin.client,
            about: origin.about,
            why: origin.why,
            milliseconds: seen.since.elapsed().as_millis(),
            progress: seen.work.progress().map(|progress| progress.to_string()),
            cancelled: seen.work.is_cancelled(),
        }
    }
}
