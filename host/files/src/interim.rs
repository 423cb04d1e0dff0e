//! Placeholder for transactions, until they land: carries changes out step by step.

use marquetry_model::{Applied, Change, FileEffect, Outcome, Result, Step};

use crate::{
    encode::splice,
    failure::{io_error, stale},
    hash,
    place::{self, Links},
    tree::Tree,
};

pub(crate) fn apply(tree: &Tree, change: &Change, dry_run: bool) -> Result<Applied> {
    let mut files = Vec::new();
    let root = tree.root();
    let read = |name: &str| -> Result<Vec<u8>> {
        let real = place::real(root, name, Links::Follow)?;
        Ok(tree.read(&real).map_err(|error| io_error("read", name, &error))?.0)
    };
    let edited = |name: &str, base: &str, edits| -> Result<Vec<u8>> {
        let bytes = read(name)?;
        if hash(&bytes) != base {
            return Err(stale(name));
        }
        splice(name, &bytes, edits)
    };
    let write = |name: &str, bytes: &[u8]| -> Result<()> {
        if !dry_run {
            let path = root.join(place::real(root, name, Links::Follow)?);
            let _ = std::fs::create_dir_all(path.parent().unwrap_or(root));
            std::fs::write(path, bytes).map_err(|error| io_error("write", name, &error))?;
        }
        Ok(())
    };
    for step in &change.steps {
        let (before, after, bytes) = match step {
            Step::Edit { path, base, edits } => {
                let bytes = edited(path, base, edits)?;
                write(path, &bytes)?;
                (Some(path.clone()), Some(path.clone()), bytes)
            }
            Step::Create { path, content, .. } => {
                write(path, content)?;
                (None, Some(path.clone()), content.clone())
            }
            _ => continue,
        };
        files.push(FileEffect { before, after, hash: Some(hash(&bytes)), size: bytes.len() as u64 });
    }
    for step in &change.steps {
        let (before, after) = match step {
            Step::Delete { path, .. } => {
                let real = root.join(place::real(root, path, Links::Keep)?);
                if !dry_run {
                    let done = if real.is_dir() {
                        std::fs::remove_dir_all(real)
                    } else {
                        std::fs::remove_file(real)
                    };
                    done.map_err(|error| io_error("delete", path, &error))?;
                }
                (path.clone(), None)
            }
            Step::Move { from, to, .. } => {
                if !dry_run {
                    let to = root.join(place::real(root, to, Links::Keep)?);
                    let _ = std::fs::create_dir_all(to.parent().unwrap_or(root));
                    let done = std::fs::rename(root.join(place::real(root, from, Links::Keep)?), to);
                    done.map_err(|error| io_error("move", from, &error))?;
                }
                (from.clone(), Some(to.clone()))
            }
            Step::Copy { from, to, edits, .. } => {
                let bytes = match edits {
                    Some((base, edits)) => edited(from, base, edits)?,
                    None => read(from)?,
                };
                write(to, &bytes)?;
                (from.clone(), Some(to.clone()))
            }
            _ => continue,
        };
        files.push(FileEffect { before: Some(before), after, hash: None, size: 0 });
    }
    let outcome = if dry_run { Outcome::DryRun } else { Outcome::Applied };
    Ok(Applied { id: (!dry_run).then(|| "0".to_owned()), outcome, files, directories_created: Vec::new() })
}
