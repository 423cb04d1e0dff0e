//! Links that follow a move: what every file that names a moved file has to say from now on.
//!
//! No link is rewritten that still leads to its file, and none stays written that does not: a change is resolved again in the
//! tree as it will be, before anything is written (`plan`).

mod mentions;
mod plan;

use std::{
    collections::{BTreeMap, btree_map::Entry as Slot},
    sync::Arc,
};

use marquetry_graph::{Entry, LinkFact, Target, Workspace};
use marquetry_model::{
    Edit, Relocations, Result,
    pack::{Destination, Respelling},
    ports::{Files, Source},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    draft::{Draft, outdated, proven},
    line_numbers::LineNumbers,
    session::Session,
};

/// The links of one file that were rewritten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdatedLinks {
    /// The file, under its path after the change.
    pub file: String,
    /// Each link, before and after.
    pub changes: Vec<OldNew>,
}

/// A text before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OldNew {
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
}

/// The edits that links need, file by file, and what could not be followed.
#[derive(Debug, Default)]
pub(crate) struct Relinked {
    files: BTreeMap<String, FileLinks>,
    /// `file:line: specifier: why`
    pub(crate) unresolved: Vec<String>,
    lines: LineNumbers,
}

/// The links of one file that are rewritten.
#[derive(Debug)]
struct FileLinks {
    source: Source,
    edits: Vec<Edit>,
    changes: Vec<OldNew>,
}

impl Relinked {
    /// The edits go into a draft; what is left is what they say, under the paths after the change.
    pub(crate) fn drafted(self, draft: &mut Draft, path_after: impl Fn(&str) -> String) -> Result<Vec<UpdatedLinks>> {
        let mut updated = Vec::with_capacity(self.files.len());
        for (path, file) in self.files {
            draft.edit(&file.source, proven(&path, &file.source.text, file.edits)?)?;
            updated.push(UpdatedLinks { file: path_after(&path), changes: file.changes });
        }
        Ok(updated)
    }

    /// The part of a file, as the index knows it.
    fn part(&mut self, files: &Arc<dyn Files>, entry: &Entry) -> Result<&mut FileLinks> {
        Ok(match self.files.entry(entry.path.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => {
                slot.insert(FileLinks { source: as_indexed(files, entry)?, edits: Vec::new(), changes: Vec::new() })
            }
        })
    }

    /// A link could not be followed; its file has this path afterwards.
    fn leave(&mut self, files: &Arc<dyn Files>, (entry, after): (&Entry, &str), link: &LinkFact, why: &str) {
        let line = self.lines.line(&**files, &entry.path, link.span().start).map(|line| format!(":{line}"));
        self.unresolved.push(format!("{after}{}: {}: {why}", line.unwrap_or_default(), link.specifier));
    }

    /// A link is rewritten.
    fn splice(&mut self, files: &Arc<dyn Files>, (entry, link): (&Entry, &LinkFact), new: String) -> Result<()> {
        let file = self.part(files, entry)?;
        if !link.span().fits(&file.source.text) {
            return Err(outdated(&entry.path));
        }
        file.edits.push(Edit { span: link.span(), text: new.clone() });
        file.changes.push(OldNew { old: link.specifier.clone(), new });
        Ok(())
    }
}

/// A file that is what the index knows: it was brought up to date a moment ago.
fn as_indexed(files: &Arc<dyn Files>, entry: &Entry) -> Result<Source> {
    let source = files.read(&entry.path)?;
    if source.hash == entry.hash { Ok(source) } else { Err(outdated(&entry.path)) }
}

/// The links of a file, each with where it leads.
fn followed(entry: &Entry) -> impl Iterator<Item = (usize, &LinkFact, &Target)> {
    let links = entry.links.iter().flatten().zip(entry.targets.iter().flatten());
    links.enumerate().map(|(index, (link, target))| (index, link, target))
}

impl Session {
    /// What has to be said anew when files move.
    pub(crate) fn relink(&self, workspace: &Workspace, moves: &Relocations) -> Result<Relinked> {
        let mut relinked = Relinked::default();
        self.leave_mentions(workspace, moves, &mut relinked)?;
        plan::Plan::new(self, workspace, moves).carried_out(&mut relinked)?;
        Ok(relinked)
    }

    /// What the copy of a file has to say so that its links lead where those of the original lead.
    pub(crate) fn relink_copy(&self, workspace: &Workspace, source: &str, copy: &str) -> Result<Relinked> {
        let mut relinked = Relinked::default();
        let Some(entry) = workspace.file(source) else { return Ok(relinked) };
        // A file that names itself names its copy from there on.
        let later = |was: &str| if was == source { copy.to_owned() } else { was.to_owned() };
        let (mut links, mut requests) = (Vec::new(), Vec::new());
        for (_, link, target) in followed(entry) {
            match target {
                Target::Inside(was) => {
                    links.push(link);
                    requests.push(Respelling {
                        from: copy.to_owned(),
                        to: later(was),
                        was: was.clone(),
                        kind: link.kind.clone(),
                        specifier: link.specifier.clone(),
                    });
                }
                Target::Unknown(why) => relinked.leave(&self.files, (entry, copy), link, why),
                Target::External | Target::Missing(_) => {}
            }
        }
        if requests.is_empty() {
            return Ok(relinked);
        }
        let pack = self.packs.for_path(&self.files, source)?;
        let unchanged: Vec<_> =
            requests.iter().map(|request| (request.kind.clone(), request.specifier.clone())).collect();
        let leads = pack.resolve(copy, &unchanged)?;
        let formatted = pack.spell(&requests)?;
        for (((link, request), leads), formatted) in links.into_iter().zip(&requests).zip(leads).zip(formatted) {
            // As for a move: a specifier that leads to its file from the copy, too, is not rewritten.
            let is_right = matches!(leads, Destination::Inside { path, .. } if path == request.to);
            if is_right && !plan::is_new_detour((source, copy), &link.specifier) {
                continue;
            }
            match formatted {
                Ok(new) if new == request.specifier => {}
                Ok(new) => relinked.splice(&self.files, (entry, link), new)?,
                Err(error) => relinked.leave(&self.files, (entry, copy), link, &error.to_string()),
            }
        }
        Ok(relinked)
    }
}
