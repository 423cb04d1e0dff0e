//! Texts that may be paths: only the existence of such a file suggests it.

use crate::{Destination, paths::join, workspace};

/// Resolves a text that may be a path, relative to a folder or to the root. The result is `Unknown` at best, so the
/// text is never rewritten.
pub fn destination(folder: &str, text: &str) -> Destination {
    let there = [folder, ""].into_iter().filter_map(|base| join(base, text));
    let mut there = there.filter(|path| !path.is_empty() && workspace::stat(path).is_some());
    match there.next() {
        Some(path) => Destination::Unknown(format!("it may refer to `{path}`, but this is not certain")),
        None => Destination::External,
    }
}
