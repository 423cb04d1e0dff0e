//! Files that may use a member: any file whose text contains its name.

use marquetry_sdk::workspace::{self, Denial, EntryKind};
use marquetry_sdk::{DeclaredKey, paths};

use crate::program::resolution::code_extension;
use crate::syntax::components::is_component;

/// Maximum number of files to search.
const MAX_FILES: usize = 20_000;

/// Endings of files with other formats whose code may use a member. They are asked like the others, and the host then
/// reports that their format is another one.
const OTHER_FORMATS: [&str; 3] = [".html", ".htm", ".mdx"];

/// Result of the search.
#[derive(Default)]
pub(super) struct MemberUsers {
    pub(super) files: Vec<String>,
    /// Reason why there may be more of them.
    pub(super) incomplete: Option<String>,
}

impl MemberUsers {
    /// Searches all files of the project, except for installed packages and hidden folders.
    pub(super) fn find(key: &DeclaredKey, own: &str) -> MemberUsers {
        let mut all = Vec::new();
        add_files("", &mut all);
        let mut found = MemberUsers::default();
        if !all.iter().any(|path| path == own) {
            found.incomplete =
                Some(format!("files that use `{}` were not found: the project cannot be listed", key.name));
        }
        if all.len() >= MAX_FILES {
            found.incomplete = Some(format!("only {MAX_FILES} files were searched for `{}`", key.name));
        }
        let forms = if key.forms.is_empty() { std::slice::from_ref(&key.name) } else { key.forms.as_slice() };
        for path in all {
            match workspace::read(&path) {
                Ok(text) if forms.iter().any(|form| text.contains(form.as_str())) => found.files.push(path),
                // A file that is not text contains no code.
                Ok(_) | Err(Denial::NotFound | Denial::NotText) => {}
                Err(Denial::NotGranted | Denial::TooLarge) => {
                    found.incomplete.get_or_insert(format!("{path} was not searched for `{}`", key.name));
                }
            }
        }
        found
    }
}

fn add_files(folder: &str, found: &mut Vec<String>) {
    for entry in workspace::entries(folder) {
        if found.len() >= MAX_FILES {
            return;
        }
        let Some(path) = paths::join(folder, &entry.name) else { continue };
        match entry.kind {
            EntryKind::Directory if !entry.name.starts_with('.') && entry.name != "node_modules" => {
                add_files(&path, found);
            }
            EntryKind::File if is_searched(&path) => found.push(path),
            EntryKind::File | EntryKind::Directory => {}
        }
    }
}

fn is_searched(path: &str) -> bool {
    code_extension(path).is_some() || is_component(path) || OTHER_FORMATS.iter().any(|ending| path.ends_with(ending))
}
