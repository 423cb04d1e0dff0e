//! Collects the steps: resolves their paths, reads the existing files, computes the new contents.

use marquetry_model::{EditSet, Error, Kind, Result, Step};

use super::{Deleted, Edited, Filled, Moved, Planner, Spot};
use crate::{
    encode::splice,
    failure::{read_only, stale},
    hash, missing,
    operation::Thing,
    place::{self, Links, below},
    tree::{Seen, What},
};

impl Planner<'_> {
    pub(super) fn collect(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Edit { path, base, edits } => self.edit(path, base, edits),
            Step::Create { path, content, overwrite, directories } => {
                let to = self.written(path, Links::Follow)?;
                let after = self.new_file(content.clone(), None);
                self.fills.push(Filled { to, after, overwrite: *overwrite, directories: *directories });
                Ok(())
            }
            Step::Delete { path, recursive } => self.delete(path, *recursive),
            Step::Move { from, to, overwrite } => self.move_(from, to, *overwrite),
            Step::Copy { from, to, overwrite, edits } => self.copy(from, to, *overwrite, edits.as_ref()),
        }
    }

    fn spot(&mut self, path: &str, links: Links) -> Result<Spot> {
        let name = place::name(self.tree.root(), path)?;
        if name.is_empty() {
            return Err(Error::argument("the workspace itself cannot be written, moved or deleted")
                .hint("name a file or directory in it"));
        }
        let real = place::real(self.tree.root(), &name, links)?;
        self.pass(&real);
        Ok(Spot { name, real })
    }

    /// Resolves a path to be written, created or removed, and checks its protection.
    fn written(&mut self, path: &str, links: Links) -> Result<Spot> {
        let spot = self.spot(path, links)?;
        self.guard.check(&spot.name, &spot.real)?;
        Ok(spot)
    }

    fn new_file(&mut self, bytes: Vec<u8>, like: Option<&Seen>) -> Thing {
        let (hash, size) = (hash(&bytes), bytes.len() as u64);
        self.contents.insert(hash.clone(), bytes);
        Thing::File { hash, size, mode: like.map(|seen| seen.mode), owner: None, attributes: Vec::new() }
    }

    /// Reads an existing file and keeps its content.
    fn file(&mut self, spot: &Spot) -> Result<(Thing, Seen)> {
        match self.look(&spot.real)?.map(|seen| seen.what) {
            None => return Err(missing::not_found(self.tree.root(), &spot.name)),
            Some(What::Directory) => return Err(missing::is_directory(self.tree.root(), &spot.name)),
            Some(What::Other(what)) => return Err(special(&spot.name, what)),
            Some(What::File | What::Link) => {}
        }
        self.take(&spot.real)?.ok_or_else(|| missing::not_found(self.tree.root(), &spot.name))
    }

    /// Returns the bytes of a file after edits that were computed from `base`.
    fn edited(&self, name: &str, thing: &Thing, base: &str, edits: &EditSet) -> Result<Vec<u8>> {
        let hash = thing.hash().filter(|hash| *hash == base).ok_or_else(|| stale(name))?;
        splice(name, self.contents.get(hash).map_or(&[], Vec::as_slice), edits)
    }

    fn edit(&mut self, path: &str, base: &str, edits: &EditSet) -> Result<()> {
        let spot = self.written(path, Links::Follow)?;
        let (before, seen) = self.file(&spot)?;
        let bytes = self.edited(&spot.name, &before, base, edits)?;
        if before.hash() == Some(&hash(&bytes)) {
            return Ok(());
        }
        if !self.tree.may_write(&spot.real, &seen).unwrap_or(false) {
            return Err(read_only(&spot.name, "the file"));
        }
        let mut after = self.new_file(bytes, Some(&seen));
        if let Thing::File { owner, .. } = &mut after {
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
        let spot = self.written(path, Links::Keep)?;
        let Some(seen) = self.look(&spot.real)? else {
            return Err(missing::not_found(self.tree.root(), &spot.name));
        };
        match seen.what {
            What::Other(what) => return Err(special(&spot.name, what)),
            What::File if seen.mode & 0o222 == 0 => return Err(read_only(&spot.name, "the file")),
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
            shown.truncate(marquetry_model::nearest::MOST);
            return Err(Error::argument(format!("the directory `{}` is not empty", spot.name))
                .hint("allow it with `recursive`, or delete the files in it")
                .candidates(shown));
        }
        if let Some((path, What::Other(what))) =
            inside.iter().map(|(path, seen)| (path, seen.what)).find(|(_, what)| matches!(what, What::Other(_)))
        {
            return Err(special(path, what));
        }
        self.deletes.push(Deleted { spot, seen, inside });
        Ok(())
    }

    fn move_(&mut self, from: &str, to: &str, overwrite: bool) -> Result<()> {
        let (from, to) = (self.written(from, Links::Keep)?, self.written(to, Links::Keep)?);
        let Some(seen) = self.look(&from.real)? else {
            return Err(missing::not_found(self.tree.root(), &from.name));
        };
        if let What::Other(what) = seen.what {
            return Err(special(&from.name, what));
        }
        if from.real == to.real {
            return Ok(());
        }
        if below(&from.real, &to.real).is_some() {
            return Err(Error::argument(format!("`{}` cannot be moved into itself", from.name))
                .hint("move it elsewhere, or move what is in it"));
        }
        self.moves.push(Moved { from, to, overwrite, seen });
        Ok(())
    }

    fn copy(&mut self, from: &str, to: &str, overwrite: bool, edits: Option<&(String, EditSet)>) -> Result<()> {
        let (from, to) = (self.spot(from, Links::Follow)?, self.written(to, Links::Follow)?);
        if from.real == to.real {
            return Err(Error::argument(format!("`{}` cannot be copied onto itself", from.name)));
        }
        let (before, seen) = self.file(&from)?;
        let after = match edits {
            None => Thing::File {
                hash: before.hash().unwrap_or_default().to_owned(),
                size: before.size(),
                mode: Some(seen.mode),
                owner: None,
                attributes: Vec::new(),
            },
            Some((base, edits)) => {
                let bytes = self.edited(&from.name, &before, base, edits)?;
                self.new_file(bytes, Some(&seen))
            }
        };
        self.fills.push(Filled { to, after, overwrite, directories: true });
        Ok(())
    }
}

fn special(name: &str, what: &str) -> Error {
    Error::new(Kind::Unsupported, format!("`{name}` is {what}, which could not be restored"))
        .hint("use another program for it; nothing was written")
}
