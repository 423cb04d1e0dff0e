//! What is known of the editors that are attached: who they are, what they said last, and what they still have to answer.

use std::{
    collections::BTreeMap,
    sync::mpsc::{Sender, SyncSender},
};

use marquetry_model::{
    Result,
    editor::{Ability, Answer, Attached, Folder, Request, Selected, State, Tab, Unsaved},
};

use crate::{
    address::Place,
    confine::{Roots, is_at_or_below, relates},
    transport::End,
};

/// What the thread of an editor gets to do.
pub(crate) enum Order {
    /// Bytes came.
    Received(Vec<u8>),
    /// The connection is gone, or no longer wanted.
    Ended(String),
    /// Ask the editor, under a number.
    Ask(u32, Request),
    /// Nobody waits for this answer any more.
    Cancel(u32),
}

/// One editor that is attached, or about to be.
pub(crate) struct Editor {
    pub(crate) name: String,
    pub(crate) integration: String,
    pub(crate) place: Place,
    /// It was meant by name, wherever it works.
    pub(crate) meant: bool,
    pub(crate) ready: bool,
    pub(crate) title: String,
    /// All that it says, whether they concern a root or not.
    pub(crate) folders: Vec<Folder>,
    pub(crate) abilities: Vec<Ability>,
    pub(crate) tabs: Vec<Tab>,
    /// What was selected last in a root, and when by the clock of focus.
    pub(crate) selected: Option<(u64, Selected)>,
    /// What was selected last is what has the focus now.
    pub(crate) in_view: bool,
    /// When it had the person's keys last.
    pub(crate) focused: u64,
    pub(crate) orders: Sender<Order>,
    pub(crate) end: Option<End>,
    /// Who waits for which answer.
    pub(crate) waiting: BTreeMap<u32, SyncSender<Result<Answer>>>,
    pub(crate) last_request: u32,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Editors {
    pub(crate) all: BTreeMap<u64, Editor>,
    pub(crate) roots: Roots,
    last: u64,
    clock: u64,
}

impl Editor {
    /// Whether it is asked about a root.
    pub(crate) fn works_in(&self, root: &str) -> bool {
        self.meant || self.folders.iter().any(|folder| relates(&folder.path, root))
    }

    pub(crate) fn attached(&self, roots: &Roots) -> Attached {
        Attached {
            name: self.name.clone(),
            integration: self.integration.clone(),
            title: self.title.clone(),
            channel: self.place.to_string(),
            state: if self.ready { State::Ready } else { State::Connecting },
            folders: roots.folders(&self.folders),
            abilities: self.abilities.iter().map(|ability| ability.name()).collect(),
            focused: self.focused,
        }
    }

    fn unsaved(&self, paths: &[String]) -> Vec<Unsaved> {
        let dirty = self.tabs.iter().filter(|tab| tab.dirty).filter_map(|tab| tab.path.as_ref());
        let meant = dirty.filter(|path| paths.iter().any(|above| is_at_or_below(path, above)));
        let edits_itself = [Ability::Text, Ability::Apply].iter().all(|needed| self.abilities.contains(needed));
        let unsaved = |path: &String| {
            let (editor, title, path) = (self.name.clone(), self.title.clone(), path.clone());
            Unsaved { editor, title, path, edits_itself }
        };
        meant.map(unsaved).collect()
    }
}

impl Editors {
    /// The next moment of focus.
    pub(crate) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Keep an editor, under a number and a name that no other has.
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

    /// The ready ones, the last focused first.
    pub(crate) fn ready(&self) -> Vec<(u64, &Editor)> {
        let mut ready: Vec<(u64, &Editor)> =
            self.all.iter().map(|(id, editor)| (*id, editor)).filter(|(_, editor)| editor.ready).collect();
        ready.sort_by_key(|(id, editor)| (std::cmp::Reverse(editor.focused), *id));
        ready
    }

    /// What was selected last below a root.
    pub(crate) fn latest_selection(&self, root: &str) -> Option<Selected> {
        let all = self.all.values().filter_map(|editor| editor.selected.as_ref());
        let below = all.filter(|(_, selected)| is_at_or_below(&selected.path, root));
        below.max_by_key(|(when, _)| *when).map(|(_, selected)| selected.clone())
    }

    pub(crate) fn unsaved(&self, paths: &[String]) -> Vec<Unsaved> {
        self.all.values().flat_map(|editor| editor.unsaved(paths)).collect()
    }
}
