//! Texts that may be paths. A text is only considered to be one if a file or folder exists at the path.

use crate::{Destination, paths::join, workspace};

/// Resolves a text that may be a path, relative to a folder or to the root. If something exists there, the result is
/// `Unknown`, so the text is reported but never rewritten. Of a pattern such as `routes/*.js`, the folder must exist.
pub fn destination(folder: &str, text: &str) -> Destination {
    let text = match text.find(['*', '?', '{', '[']) {
        Some(wild) => text[..wild].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => text,
    };
    let there = [folder, ""].into_iter().filter_map(|base| join(base, text));
    let mut there = there.filter(|path| !path.is_empty() && workspace::stat(path).is_some());
    match there.next() {
        Some(path) => Destination::Unknown(format!("it may refer to `{path}`, but this is not certain")),
        None => Destination::External,
    }
}
