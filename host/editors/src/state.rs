//! State of the attached editors: identity, last reported tabs and selection, and pending requests.

use std::{
    collections::BTreeMap,
    sync::mpsc::{Sender, SyncSender},
};

use marquetry_model::{
    Result,
    editor::{Answer, AttachedEditor, Capability, ConnectionState, EditorSelection, Folder, Request, Tab, UnsavedFile},
};

use crate::{
    address::Address,
    restrict_to_roots::{Roots, is_at_or_below, overlaps},
    transport::Closer,
};

/// Message to the thread of an editor.
pub(crate) enum Order {
    /// Bytes were received.
    Received(Vec<u8>),
    /// The connection has ended or is no longer wanted.
    Ended(String),
    /// Send a request with this number to the editor.
    Ask(u32, Request),
    /// The answer to this request is no longer needed.
    Cancel(u32),
}

/// An editor that is attached or about to be.
pub(crate) struct Editor {
    pub(crate) name: String,
    pub(crate) integration: String,
    pub(crate) address: Address,
    /// True if its address is exact. Then the editor is used, whatever folder it works in.
    pub(crate) is_exact: bool,
    pub(crate) ready: bool,
    pub(crate) title: String,
    /// All folders that the editor reports, including those outside of the roots.
    pub(crate) folders: Vec<Folder>,
    pub(crate) abilities: Vec<Capability>,
    pub(crate) tabs: Vec<Tab>,
    /// The last selection within a root, and its time on the focus clock.
    pub(crate) selected: Option<(u64, EditorSelection)>,
    /// True if the last selection is still the current one.
    pub(crate) is_current: bool,
    /// Time of the last keyboard focus, on the focus clock.
    pub(crate) focused: u64,
    pub(crate) orders: Sender<Order>,
    pub(crate) end: Option<Closer>,
    /// Channels that wait for an answer, by request number.
    pub(crate) pending: BTreeMap<u32, SyncSender<Result<Answer>>>,
    pub(crate) last_request: u32,
}

/// All editors.
#[derive(Default)]
pub(crate) struct Editors {
    pub(crate) all: BTreeMap<u64, Editor>,
    pub(crate) roots: Roots,
    last: u64,
    clock: u64,
}

impl Editor {
    /// Returns whether the editor serves a root.
    pub(crate) fn works_in(&self, root: &str) -> bool {
        self.is_exact || self.folders.iter().any(|folder| overlaps(&folder.path, root))
    }

    pub(crate) fn attached(&self, roots: &Roots) -> AttachedEditor {
        AttachedEditor {
            name: self.name.clone(),
            integration: self.integration.clone(),
            title: self.title.clone(),
            channel: self.address.to_string(),
            state: if self.ready { ConnectionState::Ready } else { ConnectionState::Connecting },
            folders: roots.folders(&self.folders),
            capabilities: self.abilities.iter().map(|ability| ability.name()).collect(),
            focus_order: self.focused,
        }
    }

    fn unsaved(&self, paths: &[String]) -> Vec<UnsavedFile> {
        let dirty = self.tabs.iter().filter(|tab| tab.dirty).filter_map(|tab| tab.path.as_ref());
        let meant = dirty.filter(|path| paths.iter().any(|above| is_at_or_below(path, above)));
        let edits_itself = [Capability::Text, Capability::Apply].iter().all(|needed| self.abilities.contains(needed));
        let unsaved = |path: &String| {
            let (editor, title, path) = (self.name.clone(), self.title.clone(), path.clone());
            UnsavedFile { editor, title, path, can_edit: edits_itself }
        };
        meant.map(unsaved).collect()
    }
}

impl Editors {
    /// Advances the focus clock and returns the new time.
    pub(crate) fn advance_clock(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Adds an editor under a unique ID and a unique name. Returns the ID.
    pub(crate) fn add(&mut self, make: impl FnOnce(String) -> Editor, integration: &str) -> u64 {
        let named = |number: usize| match number {
            1 => integration.to_owned(),
            more => format!("{integration}-{more}"),
        };
        let free = |name: &String| self.all.values().all(|editor| editor.name != *name);
        let name = (1..).map(named).find(free).unwrap_or_default();
        self.last += 1;
        self.all.insert(self.last, make(name));
        self.last
    }

    /// The ready editors, most recently focused first.
    pub(crate) fn ready(&self) -> Vec<(u64, &Editor)> {
        let mut ready: Vec<(u64, &Editor)> =
            self.all.iter().map(|(id, editor)| (*id, editor)).filter(|(_, editor)| editor.ready).collect();
        ready.sort_by_key(|(id, editor)| (std::cmp::Reverse(editor.focused), *id));
        ready
    }

    /// Returns the most recent selection below a root.
    pub(crate) fn latest_selection(&self, root: &str) -> Option<EditorSelection> {
        let all = self.all.values().filter_map(|editor| editor.selected.as_ref());
        let below = all.filter(|(_, selected)| is_at_or_below(&selected.path, root));
        below.max_by_key(|(when, _)| *when).map(|(_, selected)| selected.clone())
    }

    pub(crate) fn unsaved(&self, paths: &[String]) -> Vec<UnsavedFile> {
        self.all.values().flat_map(|editor| editor.unsaved(paths)).collect()
    }
}
