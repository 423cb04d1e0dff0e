//! Updates links to moved files.
//!
//! Links that still resolve to their file are not rewritten, and rewritten links are resolved again in the resulting
//! tree before anything is written (`plan`).

pub(crate) mod folder_moves;
mod plan;
mod removed_links;
mod rewrites;
mod uncertain_links;

use std::{
    collections::{BTreeMap, btree_map::Entry as Slot},
    sync::Arc,
};

use marquetry_graph::{Entry, LinkFact, Target, Workspace};
use marquetry_model::{
    Edit, Relocations, Result,
    pack::{Destination, SpecifierRequest},
    ports::{Files, Source},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    draft::{Draft, changed_meanwhile, validated_edits},
    line_numbers::LineNumbers,
    session::Session,
};

/// Rewritten links of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdatedLinks {
    /// Path of the file after the change.
    pub file: String,
    /// Each link before and after.
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

/// Link edits by file, and links that could not be resolved.
#[derive(Debug, Default)]
pub(crate) struct Relinked {
    files: BTreeMap<String, FileLinks>,
    /// `file:line: specifier: reason`
    pub(crate) unresolved: Vec<String>,
    /// Reason why the update may be incomplete.
    pub(crate) partial: Option<String>,
    /// Files to create after the moves: path and text.
    pub(crate) new_files: Vec<(String, String)>,
    lines: LineNumbers,
}

/// Rewritten links of one file.
#[derive(Debug)]
struct FileLinks {
    source: Source,
    edits: Vec<Edit>,
    changes: Vec<OldNew>,
}

impl Relinked {
    /// Moves the edits into a draft and returns their descriptions, with paths after the change.
    pub(crate) fn into_draft(
        self,
        draft: &mut Draft,
        path_after: impl Fn(&str) -> String,
    ) -> Result<Vec<UpdatedLinks>> {
        let mut updated = Vec::with_capacity(self.files.len());
        for (path, file) in self.files {
            draft.edit(&file.source, validated_edits(&path, &file.source.text, file.edits)?)?;
            updated.push(UpdatedLinks { file: path_after(&path), changes: file.changes });
        }
        Ok(updated)
    }

    /// Returns the entry of a file. Fails if the file differs from the index.
    fn file_links(&mut self, files: &Arc<dyn Files>, entry: &Entry) -> Result<&mut FileLinks> {
        Ok(match self.files.entry(entry.path.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => slot.insert(FileLinks {
                source: read_as_indexed(files, entry)?,
                edits: Vec::new(),
                changes: Vec::new(),
            }),
        })
    }

    /// Records a link that could not be resolved; `after` is the path of its file after the change.
    fn add_unresolved(&mut self, files: &Arc<dyn Files>, (entry, after): (&Entry, &str), link: &LinkFact, why: &str) {
        let line = self.lines.line(&**files, &entry.path, link.span().start).map(|line| format!(":{line}"));
        self.unresolved.push(format!("{after}{}: {}: {why}", line.unwrap_or_default(), link.specifier));
    }

    /// Rewrites a link.
    fn rewrite_link(&mut self, files: &Arc<dyn Files>, (entry, link): (&Entry, &LinkFact), new: String) -> Result<()> {
        let file = self.file_links(files, entry)?;
        if !link.span().is_valid_in(&file.source.text) {
            return Err(changed_meanwhile(&entry.path));
        }
        file.edits.push(Edit { span: link.span(), text: new.clone() });
        file.changes.push(OldNew { old: link.specifier.clone(), new });
        Ok(())
    }
}

/// Reads a file. It must be the same as in the index, which has just been updated.
fn read_as_indexed(files: &Arc<dyn Files>, entry: &Entry) -> Result<Source> {
    let source = files.read(&entry.path)?;
    if source.hash == entry.hash { Ok(source) } else { Err(changed_meanwhile(&entry.path)) }
}

/// Links of a file with their targets.
fn links_with_targets(entry: &Entry) -> impl Iterator<Item = (usize, &LinkFact, &Target)> {
    let links = entry.links.iter().flatten().zip(entry.targets.iter().flatten());
    links.enumerate().map(|(index, (link, target))| (index, link, target))
}

impl Session {
    /// Computes the link edits for a move. `made` are the moves to carry out; `moves` also contains moves of folders
    /// whose files are all moved.
    pub(crate) fn relink(&self, workspace: &Workspace, made: &Relocations, moves: &Relocations) -> Result<Relinked> {
        let mut relinked = Relinked::default();
        self.add_uncertain_links(workspace, moves, &mut relinked)?;
        plan::Plan::new(self, workspace, (made, moves)).carry_out(&mut relinked)?;
        Ok(relinked)
    }

    /// Computes the link edits for a copy, so that its links have the same targets as in the original.
    pub(crate) fn relink_copy(&self, workspace: &Workspace, source: &str, copy: &str) -> Result<Relinked> {
        let mut relinked = Relinked::default();
        let Some(entry) = workspace.file(source) else { return Ok(relinked) };
        // A link from the file to itself becomes a link from the copy to itself.
        let later = |was: &str| if was == source { copy.to_owned() } else { was.to_owned() };
        let (mut links, mut requests) = (Vec::new(), Vec::new());
        for (_, link, target) in links_with_targets(entry) {
            match target {
                Target::Inside(was) => {
                    links.push(link);
                    requests.push(SpecifierRequest {
                        from: copy.to_owned(),
                        to: later(was),
                        old_destination: was.clone(),
                        kind: link.kind.clone(),
                        specifier: link.specifier.clone(),
                    });
                }
                Target::Unknown(why) => relinked.add_unresolved(&self.files, (entry, copy), link, why),
                Target::External | Target::Missing(_) => {}
            }
        }
        if requests.is_empty() {
            return Ok(relinked);
        }
        let pack = self.packs.for_path(&self.files, source)?;
        let unchanged: Vec<_> =
            requests.iter().map(|request| (request.kind.clone(), request.specifier.clone())).collect();
        let resolved = pack.resolve(copy, &unchanged)?;
        let formatted = pack.format_specifiers(&requests)?;
        for (((link, request), resolved), formatted) in links.into_iter().zip(&requests).zip(resolved).zip(formatted) {
            // As for a move, a specifier that also resolves correctly from the copy is not rewritten.
            let is_right = matches!(resolved, Destination::Inside { path, .. } if path == request.to);
            if is_right && !plan::is_new_detour((source, copy), &link.specifier) {
                continue;
            }
            match formatted {
                Ok(new) if new == request.specifier => {}
                Ok(new) => relinked.rewrite_link(&self.files, (entry, link), new)?,
                Err(error) => relinked.add_unresolved(&self.files, (entry, copy), link, &error.to_string()),
            }
        }
        Ok(relinked)
    }
}
