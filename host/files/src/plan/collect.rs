//! Collects the steps: resolves their paths, reads the existing files, computes the new contents.

use marquetry_model::{EditSet, Error, Kind, Result, Step};

use super::{CreatedFile, Deleted, Edited, Moved, Planner, ResolvedPath};
use crate::{
    encode::splice,
    errors::{read_only_error, stale_error},
    hash, not_found,
    operation::FileState,
    paths::{self, LinkHandling, path_below},
    tree::{Seen, What},
};

impl Planner<'_> {
    pub(super) fn collect(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Edit { path, base, edits } => self.edit(path, base, edits),
            Step::Create { path, content, overwrite, directories } => {
                let to = self.resolve_written(path, LinkHandling::Follow)?;
                let after = self.new_file(content.clone(), None);
                self.creations.push(CreatedFile { to, after, overwrite: *overwrite, directories: *directories });
                Ok(())
            }
            Step::Delete { path, recursive } => self.delete(path, *recursive),
            Step::Move { from, to, overwrite } => self.move_(from, to, *overwrite),
            Step::Copy { from, to, overwrite, edits } => self.copy(from, to, *overwrite, edits.as_ref()),
        }
    }

    fn resolve_spot(&mut self, path: &str, links: LinkHandling) -> Result<ResolvedPath> {
        let name = paths::relative_name(self.tree.root(), path)?;
        if name.is_empty() {
            return Err(Error::argument("the workspace itself cannot be written, moved or deleted")
                .hint("name a file or directory in it"));
        }
        let real = paths::resolve(self.tree.root(), &name, links)?;
        self.check_markers(&real);
        Ok(ResolvedPath { name, real })
    }

    /// Resolves a path to be written, created or removed, and checks its protection.
    fn resolve_written(&mut self, path: &str, links: LinkHandling) -> Result<ResolvedPath> {
        let spot = self.resolve_spot(path, links)?;
        self.guard.check(&spot.name, &spot.real)?;
        Ok(spot)
    }

    fn new_file(&mut self, bytes: Vec<u8>, like: Option<&Seen>) -> FileState {
        let (hash, size) = (hash(&bytes), bytes.len() as u64);
        self.contents.insert(hash.clone(), bytes);
        FileState::File { hash, size, mode: like.map(|seen| seen.mode), owner: None, attributes: Vec::new() }
    }

    /// Reads an existing file and keeps its content.
    fn read_existing(&mut self, spot: &ResolvedPath) -> Result<(FileState, Seen)> {
        match self.metadata(&spot.real)?.map(|seen| seen.what) {
            None => return Err(not_found::not_found_error(self.tree.root(), &spot.name)),
            Some(What::Directory) => return Err(not_found::directory_error(self.tree.root(), &spot.name)),
            Some(What::Other(what)) => return Err(special_file_error(&spot.name, what)),
            Some(What::File | What::Link) => {}
        }
        self.read_and_keep(&spot.real)?.ok_or_else(|| not_found::not_found_error(self.tree.root(), &spot.name))
    }

    /// Returns the bytes of a file after edits that were computed from `base`.
    fn edited_bytes(&self, name: &str, thing: &FileState, base: &str, edits: &EditSet) -> Result<Vec<u8>> {
        let hash = thing.hash().filter(|hash| *hash == base).ok_or_else(|| stale_error(name))?;
        splice(name, self.contents.get(hash).map_or(&[], Vec::as_slice), edits)
    }

    fn edit(&mut self, path: &str, base: &str, edits: &EditSet) -> Result<()> {
        let spot = self.resolve_written(path, LinkHandling::Follow)?;
        let (before, seen) = self.read_existing(&spot)?;
        let bytes = self.edited_bytes(&spot.name, &before, base, edits)?;
        if before.hash() == Some(&hash(&bytes)) {
            return Ok(());
        }
        if !self.tree.may_write(&spot.real, &seen).unwrap_or(false) {
            return Err(read_only_error(&spot.name, "the file"));
        }
        let mut after = self.new_file(bytes, Some(&seen));
        if let FileState::File { owner, .. } = &mut after {
            *owner = Some(seen.owner);
        }
        let edited = Edited { name: spot.name.clone(), before, seen, after };
        match self.edits.insert(spot.real, edited) {
            None => Ok(()),
            Some(_) => Err(Error::argument(format!("`{}` is edited twice in one change", spot.name))
                .hint("put all its edits into one step")),
        }
    }

    fn delete(&mut self, path: &str, recursive: bool) -> Result<()> {
        let spot = self.resolve_written(path, LinkHandling::Keep)?;
        let Some(seen) = self.metadata(&spot.real)? else {
            return Err(not_found::not_found_error(self.tree.root(), &spot.name));
        };
        match seen.what {
            What::Other(what) => return Err(special_file_error(&spot.name, what)),
            What::File if seen.mode & 0o222 == 0 => return Err(read_only_error(&spot.name, "the file")),
            What::File | What::Link => {
                self.deletes.push(Deleted { spot, seen, inside: Vec::new() });
                return Ok(());
            }
            What::Directory => {}
        }
        let inside = self.all_below(&spot.real)?;
        if !inside.is_empty() && !recursive {
            let mut shown: Vec<String> = inside.into_iter().map(|(path, _)| path).collect();
            shown.sort_unstable();
            shown.truncate(marquetry_model::nearest::MAX_CANDIDATES);
            return Err(Error::argument(format!("the directory `{}` is not empty", spot.name))
                .hint("allow it with `recursive`, or delete the files in it")
                .candidates(shown));
        }
        if let Some((path, What::Other(what))) =
            inside.iter().map(|(path, seen)| (path, seen.what)).find(|(_, what)| matches!(what, What::Other(_)))
        {
            return Err(special_file_error(path, what));
        }
        self.deletes.push(Deleted { spot, seen, inside });
        Ok(())
    }

    fn move_(&mut self, from: &str, to: &str, overwrite: bool) -> Result<()> {
        let (from, to) =
            (self.resolve_written(from, LinkHandling::Keep)?, self.resolve_written(to, LinkHandling::Keep)?);
        let Some(seen) = self.metadata(&from.real)? else {
            return Err(not_found::not_found_error(self.tree.root(), &from.name));
        };
        if let What::Other(what) = seen.what {
            return Err(special_file_error(&from.name, what));
        }
        if from.real == to.real {
            return Ok(());
        }
        if path_below(&from.real, &to.real).is_some() {
            return Err(Error::argument(format!("`{}` cannot be moved into itself", from.name))
                .hint("move it elsewhere, or move what is in it"));
        }
        self.moves.push(Moved { from, to, overwrite, seen });
        Ok(())
    }

    fn copy(&mut self, from: &str, to: &str, overwrite: bool, edits: Option<&(String, EditSet)>) -> Result<()> {
        let (from, to) =
            (self.resolve_spot(from, LinkHandling::Follow)?, self.resolve_written(to, LinkHandling::Follow)?);
        if from.real == to.real {
            return Err(Error::argument(format!("`{}` cannot be copied onto itself", from.name)));
        }
        let (before, seen) = self.read_existing(&from)?;
        let after = match edits {
            None => FileState::File {
                hash: before.hash().unwrap_or_default().to_owned(),
                size: before.size(),
                mode: Some(seen.mode),
                owner: None,
                attributes: Vec::new(),
            },
            Some((base, edits)) => {
                let bytes = self.edited_bytes(&from.name, &before, base, edits)?;
                self.new_file(bytes, Some(&seen))
            }
        };
        self.creations.push(CreatedFile { to, after, overwrite, directories: true });
        Ok(())
    }
}

fn special_file_error(name: &str, what: &str) -> Error {
    Error::new(Kind::Unsupported, format!("`{name}` is {what}, which could not be restored"))
        .hint("use another program for it; nothing was written")
}
