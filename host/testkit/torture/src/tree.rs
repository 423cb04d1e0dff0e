//! The contents of a folder as a value that can be compared.

use std::{
    collections::BTreeMap,
    fs,
    io::Result,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

/// An entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A file: its bytes and mode.
    File(Vec<u8>, u32),
    /// A symbolic link: its target.
    Link(String),
    /// A folder: its mode.
    Directory(u32),
    /// Anything else, such as a pipe.
    Other,
}

/// The contents of a folder, by relative path.
pub type Tree = BTreeMap<String, Node>;

/// Reads a folder. Names that are not UTF-8 are converted lossily.
///
/// # Errors
/// Fails if an entry cannot be read.
pub fn read(root: &Path) -> Result<Tree> {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let metadata = path.symlink_metadata()?;
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let mode = metadata.permissions().mode() & 0o7777;
            let node = if metadata.is_dir() {
                folders.push(path);
                Node::Directory(mode)
            } else if metadata.is_symlink() {
                Node::Link(fs::read_link(&path)?.to_string_lossy().into_owned())
            } else if metadata.is_file() {
                Node::File(fs::read(&path)?, mode)
            } else {
                Node::Other
            };
            tree.insert(name, node);
        }
    }
    Ok(tree)
}

/// Replaces the contents of a folder with a tree.
///
/// # Errors
/// Fails if the folder cannot be written.
pub fn write(root: &Path, tree: &Tree) -> Result<()> {
    if root.symlink_metadata().is_ok() {
        fs::remove_dir_all(root)?;
    }
    fs::create_dir_all(root)?;
    for (path, node) in tree {
        let path = root.join(path);
        match node {
            Node::Directory(mode) => {
                fs::create_dir_all(&path)?;
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode))?;
            }
            Node::File(bytes, mode) => {
                fs::write(&path, bytes)?;
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode))?;
            }
            Node::Link(target) => symlink(target, &path)?,
            Node::Other => {}
        }
    }
    Ok(())
}

/// Returns the paths at which two trees differ.
pub fn difference<'a>(one: &'a Tree, other: &'a Tree) -> Vec<&'a str> {
    let mut paths: Vec<&str> =
        one.keys().filter(|path| one.get(*path) != other.get(*path)).map(String::as_str).collect();
    paths.extend(other.keys().filter(|path| !one.contains_key(*path)).map(String::as_str));
    paths
}
