//! Texts that may be paths: nothing says so but a file that is there.

use crate::{Destination, paths::join, workspace};

/// Where a text leads that may be a path, seen from a folder or from the root. It is never certain, so it is never spelled anew.
pub fn destination(folder: &str, text: &str) -> Destination {
    let there = [folder, ""].into_iter().filter_map(|base| join(base, text));
    let mut there = there.filter(|path| !path.is_empty() && workspace::stat(path).is_some());
    match there.next() {
        Some(path) => Destination::Unknown(format!("it may mean `{path}`, which nothing proves")),
        None => Destination::External,
    }
}
