//! Calls `relink` of the packs for each document that a move affects, and collects the resulting edits and new files.

use std::collections::{BTreeMap, HashMap};

use marquetry_graph::{Entry, LinkFact, Target, Workspace};
use marquetry_model::{
    Edit, Kind, Relocations, Result, Span, is_below,
    refactor::{FileMoves, MovedLink},
};

use super::{Relinked, folder_moves::split_folders_beside, links_with_targets, read_as_indexed};
use crate::{contributions::Contributions, link_kinds::GLOB, reference_search::ends_call, session::Session};

/// Results of `relink` for one move: edits by file, and files to create.
#[derive(Default)]
pub(super) struct Rewrites {
    /// Edits by path before the change.
    pub(super) edits: BTreeMap<String, Vec<Edit>>,
    /// Files to create, by path after the change.
    pub(super) new_files: BTreeMap<String, String>,
    /// Spans that a document could not update, by path before the change.
    unresolved: BTreeMap<String, Vec<Span>>,
}

impl Rewrites {
    /// Edits of one file.
    pub(super) fn edits_of(&self, path: &str) -> &[Edit] {
        self.edits.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns whether an edit changes a part of a span, which means that the document itself rewrites a link in the
    /// span.
    pub(super) fn touches(&self, path: &str, span: Span) -> bool {
        self.edits_of(path).iter().any(|edit| edit.span.start < span.end && span.start < edit.span.end)
    }

    /// Returns whether an edit removes a span completely, because another document declares the file after the move.
    pub(super) fn removes(&self, path: &str, span: Span) -> bool {
        self.edits_of(path).iter().any(|edit| edit.text.trim().is_empty() && edit.span.contains(span))
    }

    /// Returns whether the document reported a link at a span as unresolved.
    pub(super) fn reports(&self, path: &str, span: Span) -> bool {
        self.unresolved.get(path).is_some_and(|spans| spans.iter().any(|reported| reported.contains(span)))
    }

    /// Asks the documents whose links or globs the moves affect, and moved documents of packs that rewrite links
    /// themselves.
    pub(super) fn collect(
        session: &Session,
        workspace: &Workspace,
        moves: &Relocations,
        relinked: &mut Relinked,
    ) -> Result<Rewrites> {
        let mut scope = None;
        let mut contributions = Contributions::new(session, &mut scope, false);
        let mut relinking: HashMap<&str, bool> = HashMap::new();
        for entry in workspace.files().filter(|entry| !moves.overwrites(&entry.path)) {
            let has_glob = links_with_targets(entry).any(|(_, link, target)| is_concerned_glob(moves, link, target));
            if !has_glob && !(is_affected(moves, entry) && relinks(session, entry, &mut relinking)?) {
                continue;
            }
            let file = session.open_source(read_as_indexed(&session.files, entry)?)?;
            let asked = file_moves(workspace, moves, entry);
            match file.ask(|document| document.relink(&asked)) {
                Ok(rewrite) => contributions.add(&file, rewrite)?,
                // A deliberate refusal by the pack, for example of a name that would hide another file, fails the move.
                Err(error) if ends_call(&error) || error.kind() == Kind::RefactorFailed => return Err(error),
                Err(error) => relinked.unresolved.push(format!("{}: {error}", asked.path)),
            }
        }
        contributions.ask_other_documents()?;
        let mut unresolved: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        for place in &contributions.unresolved {
            unresolved.entry(place.path.clone()).or_default().push(place.span);
        }
        let path_after = |path: &str| moves.path_after(path);
        relinked.unresolved.extend(contributions.unresolved.iter().map(|place| {
            let (file, line) = (path_after(&place.path), place.position.line);
            format!("{file}:{line}: {}: the plugin cannot update it", place.text.lines().next().unwrap_or_default())
        }));
        relinked.partial = relinked.partial.take().or(contributions.partial);
        let (new_files, draft) = (contributions.new_files, contributions.draft);
        let edits = draft.into_edits().map(|(source, edits)| (source.path, edits.as_slice().to_vec())).collect();
        Ok(Rewrites { edits, new_files, unresolved })
    }
}

/// Returns whether a link is a glob whose fixed start is a folder that contains a moved file.
fn is_concerned_glob(moves: &Relocations, link: &LinkFact, target: &Target) -> bool {
    link.kind == GLOB
        && match target {
            Target::Inside(folder) => moves.as_slice().iter().any(|one| is_below(&one.from, folder)),
            // The glob has no fixed start.
            Target::External => true,
            Target::Missing(_) | Target::Unknown(_) => false,
        }
}

/// Returns whether the file or a file that it links to moves.
fn is_affected(moves: &Relocations, entry: &Entry) -> bool {
    let leads_away = |target: &Target| matches!(target, Target::Inside(path) if moves.moves(path));
    moves.moves(&entry.path) || links_with_targets(entry).any(|(.., target)| leads_away(target))
}

/// Returns whether the pack of a file rewrites links itself.
fn relinks<'a>(session: &Session, entry: &'a Entry, known: &mut HashMap<&'a str, bool>) -> Result<bool> {
    // The file is not text, or the program does not include a pack for it.
    if entry.engine.is_empty() {
        return Ok(false);
    }
    if let Some(known) = known.get(entry.engine.as_str()) {
        return Ok(*known);
    }
    let relinks = session.packs.for_path(&session.files, &entry.path)?.description().relinks;
    known.insert(&entry.engine, relinks);
    Ok(relinks)
}

/// The moves for the request about one document.
fn file_moves(workspace: &Workspace, moves: &Relocations, entry: &Entry) -> FileMoves {
    let goes = moves.moves(&entry.path);
    let links = links_with_targets(entry).filter_map(|(index, _, target)| match target {
        Target::Inside(was) if goes || moves.moves(was) => {
            Some(MovedLink { link: u32::try_from(index).ok()?, from: was.clone(), to: moves.path_after(was) })
        }
        _ => None,
    });
    FileMoves {
        path: moves.path_after(&entry.path),
        links: links.collect(),
        relocations: moves.combined_with(split_folders_beside(workspace, moves, entry)).as_slice().to_vec(),
    }
}
