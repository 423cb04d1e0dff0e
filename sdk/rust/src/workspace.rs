//! What a pack may ask of the workspace. Natively, a folder that the test sets.

use crate::bindings::marquetry::language::workspace as host;
pub use host::{Entry, EntryKind};

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    static FILES: std::cell::RefCell<std::collections::BTreeMap<String, String>> = const {
        std::cell::RefCell::new(std::collections::BTreeMap::new())
    };
}

/// The workspace of native tests: paths and texts.
#[cfg(not(target_arch = "wasm32"))]
pub fn set_files(files: impl IntoIterator<Item = (String, String)>) {
    FILES.with(|cell| *cell.borrow_mut() = files.into_iter().collect());
}

/// What is at the path, if anything.
pub fn stat(path: &str) -> Option<EntryKind> {
    #[cfg(target_arch = "wasm32")]
    return host::stat(path);
    #[cfg(not(target_arch = "wasm32"))]
    FILES.with_borrow(|files| {
        if files.contains_key(path) {
            return Some(EntryKind::File);
        }
        let folder = format!("{}/", path.trim_end_matches('/'));
        (path.is_empty() || files.keys().any(|file| file.starts_with(&folder))).then_some(EntryKind::Directory)
    })
}

/// The text of a file.
pub fn read(path: &str) -> Option<String> {
    #[cfg(target_arch = "wasm32")]
    return host::read(path);
    #[cfg(not(target_arch = "wasm32"))]
    FILES.with_borrow(|files| files.get(path).cloned())
}

/// The entries of a directory, sorted by name.
pub fn entries(path: &str) -> Vec<Entry> {
    #[cfg(target_arch = "wasm32")]
    return host::entries(path);
    #[cfg(not(target_arch = "wasm32"))]
    FILES.with_borrow(|files| {
        let folder = if path.is_empty() { String::new() } else { format!("{}/", path.trim_end_matches('/')) };
        let mut found = std::collections::BTreeMap::new();
        for file in files.keys().filter_map(|file| file.strip_prefix(&folder)) {
            match file.split_once('/') {
                Some((name, _)) => found.insert(name.to_owned(), EntryKind::Directory),
                None => found.insert(file.to_owned(), EntryKind::File),
            };
        }
        found.into_iter().map(|(name, kind)| Entry { name, kind }).collect()
    })
}
