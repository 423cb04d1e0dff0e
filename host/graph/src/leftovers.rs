//! Indices on disk that nobody needs: of roots that are gone, and of other versions.

use std::{fs, path::Path};

use marquetry_model::Leftover;

use crate::{kept, store};

/// The indices in a folder that nobody needs. Whoever misses one makes it again.
pub fn leftover_indices(folder: &Path) -> Vec<Leftover> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut leftovers: Vec<Leftover> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|found| [store::EXTENSION, kept::EXTENSION].iter().any(|known| found == *known))
        })
        .filter_map(|path| {
            let reason = match store::root_of(&path) {
                Some(root) if Path::new(&root).symlink_metadata().is_ok() => return None,
                Some(root) => format!("index of {root}, which is not there"),
                None => "index of another version".to_owned(),
            };
            Some(Leftover { bytes: path.symlink_metadata().map_or(0, |metadata| metadata.len()), path, reason })
        })
        .collect();
    leftovers.sort_by(|a, b| a.path.cmp(&b.path));
    leftovers
}
