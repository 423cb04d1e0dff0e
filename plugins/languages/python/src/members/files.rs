//! The Python files of the workspace.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use marquetry_sdk::workspace::{self, EntryKind};

use crate::{modules::is_package, origins::contains_word, requirements::is_standard};

/// Maximum number of files that are searched in a workspace.
const MAX_FILES: usize = 6000;
/// Maximum number of files that may set an attribute.
const MAX_SETTING: usize = 300;

/// The file extensions of a module.
const ENDINGS: [&str; 2] = [".py", ".pyi"];
/// Folders of installed packages.
const INSTALLED: [&str; 2] = ["node_modules", "site-packages"];

/// A list of paths. `None` if there are too many.
pub(super) type Paths = Option<Rc<[Rc<str>]>>;

/// The files of the workspace, and those that may set an attribute.
#[derive(Default)]
pub(super) struct Files {
    all: OnceCell<Paths>,
    setting: RefCell<HashMap<String, Paths>>,
}

impl Files {
    /// All Python files.
    pub(super) fn every_file(&self) -> Paths {
        let find = || {
            let mut found = Vec::new();
            add_files("", &mut found);
            (found.len() <= MAX_FILES).then(|| found.into())
        };
        self.all.get_or_init(find).clone()
    }

    /// Returns whether a file of the workspace may be a module with this name and declare a name, although imports do not
    /// find it: other tools may add folders to the search path.
    pub(super) fn may_declare(&self, module: &str, name: &str) -> bool {
        let first = module.split('.').next().unwrap_or_default();
        if first.is_empty() || is_standard(first) {
            return false;
        }
        let own = format!("/{}", module.replace('.', "/"));
        let is_module = |path: &&Rc<str>| {
            let stem = ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path);
            let stem = format!("/{}", stem.strip_suffix("/__init__").unwrap_or(stem));
            // A folder from which modules are imported is not a package.
            stem.strip_suffix(&own).is_some_and(|root| !is_package(root.trim_start_matches('/')))
        };
        let declares = |text: String| contains_word(&text, name) || text.contains("import *");
        let all = self.every_file();
        let mut found = all.iter().flat_map(|all| all.iter()).filter(is_module);
        found.any(|path| workspace::read(path).is_ok_and(declares))
    }

    /// The files whose text may set an attribute with a name.
    pub(super) fn setting(&self, name: &str) -> Paths {
        if let Some(known) = self.setting.borrow().get(name) {
            return known.clone();
        }
        let sets = |path: &&Rc<str>| workspace::read(path).is_ok_and(|text| may_set(&text, name));
        let found = self.every_file().and_then(|all| {
            let found: Vec<Rc<str>> = all.iter().filter(sets).cloned().collect();
            (found.len() <= MAX_SETTING).then(|| found.into())
        });
        self.setting.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}

fn add_files(folder: &str, found: &mut Vec<Rc<str>>) {
    for entry in workspace::entries(folder) {
        if found.len() > MAX_FILES {
            return;
        }
        let path = if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
        match entry.kind {
            EntryKind::File if ENDINGS.iter().any(|ending| path.ends_with(ending)) => found.push(path.into()),
            EntryKind::Directory if !entry.name.starts_with('.') && !INSTALLED.contains(&entry.name.as_str()) => {
                add_files(&path, found);
            }
            EntryKind::File | EntryKind::Directory => {}
        }
    }
}

/// Returns whether a text may contain a statement that sets an attribute: `x.name = …`, `name = …` or `def name` in a
/// class, or `setattr(x, "name", …)`.
fn may_set(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_quoted = ['"', '\''].iter().any(|quote| before.ends_with(*quote) && after.starts_with(*quote));
        if before.ends_with(is_name_part) || after.starts_with(is_name_part) {
            return false;
        }
        let next = after.trim_start_matches([' ', '\t']);
        let operator = next.trim_start_matches(['+', '-', '*', '/', '%', '@', '&', '|', '^', '<', '>']);
        let is_set = operator.starts_with('=') && !next.starts_with("==");
        let is_listed = next.starts_with([':', ',', ')', ']']) || next.starts_with("in ");
        let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
        let is_declared = line.is_empty() || line.ends_with("def") || line.ends_with("class");
        is_quoted || is_set || is_declared || is_listed && line.ends_with('.')
    })
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
