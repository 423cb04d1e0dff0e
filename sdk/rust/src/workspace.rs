//! Read access to the workspace. Native builds use a folder that the test sets.

use crate::bindings::marquetry::language::workspace as host;
pub use host::{Denial, Entry, EntryKind};

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Folder, set_files, set_folder};

/// The kind of the entry at the path; `None` if nothing exists there.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::workspace::{EntryKind, set_files, stat};
///
/// set_files([("src/a.css".to_owned(), String::new())]);
/// assert_eq!(stat("src/a.css"), Some(EntryKind::File));
/// assert_eq!(stat("src"), Some(EntryKind::Directory));
/// assert_eq!(stat("src/b.css"), None);
/// ```
pub fn stat(path: &str) -> Option<EntryKind> {
    #[cfg(target_arch = "wasm32")]
    return host::stat(path);
    #[cfg(not(target_arch = "wasm32"))]
    native::folder().stat(path)
}

/// The text of a file.
///
/// # Errors
///
/// Fails with the reason why the file cannot be read.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::workspace::{Denial, read, set_files};
///
/// set_files([("a.css".to_owned(), "a {}".to_owned())]);
/// assert_eq!(read("a.css").as_deref(), Ok("a {}"));
/// assert_eq!(read("b.css"), Err(Denial::NotFound));
/// ```
pub fn read(path: &str) -> Result<String, Denial> {
    #[cfg(target_arch = "wasm32")]
    return host::read(path);
    #[cfg(not(target_arch = "wasm32"))]
    native::folder().read(path)
}

/// The entries of a directory, sorted by name.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::workspace::{entries, set_files};
///
/// set_files(["src/x/b.css", "src/a.css"].map(|path| (path.to_owned(), String::new())));
/// let names: Vec<String> = entries("src").into_iter().map(|entry| entry.name).collect();
/// assert_eq!(names, ["a.css", "x"]);
/// ```
pub fn entries(path: &str) -> Vec<Entry> {
    #[cfg(target_arch = "wasm32")]
    return host::entries(path);
    #[cfg(not(target_arch = "wasm32"))]
    native::folder().entries(path)
}

/// Sorted paths of the files that export a name, and of files with a default export whose path or text contains it.
pub fn exporters(name: &str) -> Vec<String> {
    #[cfg(target_arch = "wasm32")]
    return host::exporters(name);
    #[cfg(not(target_arch = "wasm32"))]
    native::folder().exporters(name)
}

/// Replaces the host in native builds. Each thread has a separate workspace.
#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

    use super::{Denial, Entry, EntryKind};

    /// The workspace of native tests.
    pub trait Folder {
        /// The kind of the entry at the path; `None` if nothing exists there.
        fn stat(&self, path: &str) -> Option<EntryKind>;
        /// The text of a file, or the reason why it cannot be read.
        ///
        /// # Errors
        ///
        /// Fails with the reason why the file cannot be read.
        fn read(&self, path: &str) -> Result<String, Denial>;
        /// The entries of a directory, sorted by name.
        fn entries(&self, path: &str) -> Vec<Entry>;
        /// The files that may export a name; the pack checks each of them.
        fn exporters(&self, _name: &str) -> Vec<String> {
            Vec::new()
        }
    }

    thread_local! {
        static FOLDER: RefCell<Rc<dyn Folder>> = RefCell::new(Rc::new(TextFolder(BTreeMap::new())));
    }

    /// Sets the workspace of this thread in native tests.
    pub fn set_folder(folder: Rc<dyn Folder>) {
        FOLDER.set(folder);
    }

    /// Sets the workspace of this thread in native tests, as paths and texts.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::workspace::{exporters, set_files};
    ///
    /// let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    /// set_files([file("a.ts", "export const port = 80;"), file("b.ts", "const port = 80;")]);
    /// assert_eq!(exporters("port"), ["a.ts"]);
    /// ```
    pub fn set_files(files: impl IntoIterator<Item = (String, String)>) {
        set_folder(Rc::new(TextFolder(files.into_iter().collect())));
    }

    pub(super) fn folder() -> Rc<dyn Folder> {
        FOLDER.with_borrow(Rc::clone)
    }

    struct TextFolder(BTreeMap<String, String>);

    impl Folder for TextFolder {
        fn stat(&self, path: &str) -> Option<EntryKind> {
            if self.0.contains_key(path) {
                return Some(EntryKind::File);
            }
            let folder = format!("{}/", path.trim_end_matches('/'));
            (path.is_empty() || self.0.keys().any(|file| file.starts_with(&folder))).then_some(EntryKind::Directory)
        }

        fn read(&self, path: &str) -> Result<String, Denial> {
            self.0.get(path).cloned().ok_or(Denial::NotFound)
        }

        fn entries(&self, path: &str) -> Vec<Entry> {
            let folder = if path.is_empty() { String::new() } else { format!("{}/", path.trim_end_matches('/')) };
            let mut found = BTreeMap::new();
            for file in self.0.keys().filter_map(|file| file.strip_prefix(&folder)) {
                match file.split_once('/') {
                    Some((name, _)) => found.insert(name.to_owned(), EntryKind::Directory),
                    None => found.insert(file.to_owned(), EntryKind::File),
                };
            }
            found.into_iter().map(|(name, kind)| Entry { name, kind }).collect()
        }

        fn exporters(&self, name: &str) -> Vec<String> {
            let is_installed = |path: &str| path.split('/').any(|part| part == "node_modules");
            let may = |(path, text): &(&String, &String)| {
                !is_installed(path) && text.contains("export") && (text.contains(name) || path.contains(name))
            };
            self.0.iter().filter(may).map(|(path, _)| path.clone()).collect()
        }
    }
}

/// A version number of a file's text: equal numbers mean equal text. `None` if the file cannot be read. Data derived
/// from a file may be reused in a later call only if the version is checked again in that call.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::workspace::{set_files, version};
///
/// set_files([("a.css", "x"), ("b.css", "x"), ("c.css", "y")].map(|(path, text)| (path.to_owned(), text.to_owned())));
/// assert_eq!(version("a.css"), version("b.css"));
/// assert_ne!(version("a.css"), version("c.css"));
/// assert_eq!(version("d.css"), None);
/// ```
pub fn version(path: &str) -> Option<u64> {
    #[cfg(target_arch = "wasm32")]
    return host::version(path);
    #[cfg(not(target_arch = "wasm32"))]
    read(path).ok().map(|text| {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    })
}

/// A number that changes when the result of `stat` or `entries` changes for any path. Natively it changes with every
/// call.
pub fn layout_version() -> u64 {
    #[cfg(target_arch = "wasm32")]
    return host::layout();
    #[cfg(not(target_arch = "wasm32"))]
    {
        thread_local!(static LATEST: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
        LATEST.set(LATEST.get() + 1);
        LATEST.get()
    }
}
