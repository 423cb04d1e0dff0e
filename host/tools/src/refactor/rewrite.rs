//! Runs a refactor of a pack in its document and in all other affected documents, as one change.

use marquetry_model::{
    Error, Kind, Result,
    refactor::{Audience, Rewrite},
    text::Lines,
};

use super::request;
use crate::{
    change_queue::Scope,
    contributions::{Contributions, UnresolvedPlace},
    document::{OpenFile, Part},
    edit::{Affected, EditArgs, EditResult, check_hash, edit_result},
    pagination::ByteBudget,
    reference_search::SearchScope,
    result_types::{Point, completeness, pluralized},
    session::{Session, Writing},
};

impl Session {
    /// Runs a refactor that the pack of the file provides.
    pub(super) fn rewrite(&self, name: &str, args: &EditArgs) -> Result<EditResult> {
        let path =
            args.file.as_deref().ok_or_else(|| Error::argument("`file` is missing").hint("name the file in `file`"))?;
        let path = self.files.locate(path)?;
        let writing =
            Writing { scope: Scope::Root, dry_run: args.is_dry(), hash_expected: args.expected_hash.is_some() };
        self.run_change(writing, || self.rewrite_once(name, &path, args))
    }

    fn rewrite_once(&self, name: &str, path: &str, args: &EditArgs) -> Result<EditResult> {
        let file = self.open(path)?;
        check_hash(&file, args.expected_hash.as_deref())?;
        let part = request::refactor_part(self, &file, name, args)?;
        let is_inner = !std::rc::Rc::ptr_eq(&part, file.whole());
        let refactor = request::find_refactor(&part, name)?;
        let at = request::selection_in_part(&part, request::selection(self, &file, &refactor, args)?);
        let arguments = request::arguments(&refactor, args);
        let mut scope = if refactor.needs_exporters && !is_inner {
            Some(self.whole_workspace()?.require_all_read()?)
        } else {
            None
        };
        let (file, part) = match &scope {
            Some(scope) => {
                drop(part);
                let file = self.reopen_with_index(file, scope)?;
                let whole = std::rc::Rc::clone(file.whole());
                (file, whole)
            }
            None => (file, part),
        };
        let rewrite = part.ask(|document| document.apply_refactor(name, at, &arguments))?;
        let rewrite = if is_inner { to_file_offsets(rewrite, &part, &refactor.title)? } else { rewrite };
        let name_at = rewrite.name_at;
        let mut done = Contributions::new(self, &mut scope, args.force);
        done.add(&file, rewrite)?;
        done.ask_other_documents()?;
        if let Some(workspace) = done.workspace() {
            self.list_lost_exports(&file, &workspace, &mut done)?;
        }
        for (path, text) in std::mem::take(&mut done.new_files) {
            done.draft.create(path, text);
        }
        let unresolved: Vec<String> = done.unresolved.iter().map(UnresolvedPlace::location).collect();
        let completeness = completeness(done.partial.as_deref(), &unresolved);
        let (files, total) = (done.draft.touched(), done.draft.edits());
        let name_at = name_at.and_then(|at| {
            let after = done.draft.edits_of(path).map(|edits| edits.apply(file.text()))?;
            (at <= after.len() && after.is_char_boundary(at)).then(|| Point::from(Lines::new(&after).position(at)))
        });
        let summary = if done.draft.is_empty() {
            format!("Nothing to change: `{name}` has no effect on {path}")
        } else {
            format!("{} ({}, {})", refactor.title, pluralized(files.len(), "file"), pluralized(total, "edit"))
        };
        let commit = args.commit();
        let committed = done.draft.commit(self, format!("{} in {path}", refactor.title), commit)?;
        let mut room = ByteBudget::of_change(args.max_bytes.or(self.max_bytes));
        let unresolved = room.list("places of `unresolved`", unresolved);
        let files = room.list("paths of `filesAffected`", files);
        Ok(EditResult {
            success: true,
            refactor: Some(name.to_owned()),
            file: Some(path.to_owned()),
            files_affected: Affected::Files(files),
            total_edits: total,
            hash: committed.hash_of(path),
            completeness: Some(completeness),
            unresolved,
            name_at,
            engine: part.description().id.clone(),
            summary,
            ..edit_result(committed, args.is_dry(), &mut room)
        })
    }

    /// Opens the same file again, so that its pack can access the index.
    fn reopen_with_index(&self, file: OpenFile, scope: &SearchScope) -> Result<OpenFile> {
        let files = scope.survey.files();
        let pack = self.packs.for_path(&files, file.path())?;
        let source = file.source.clone();
        drop(file);
        Ok(OpenFile::new(pack, source))
    }
}

/// Converts the answer of an embedded part to offsets of the file. Fails if the answer affects other files, because a
/// part has no importers and cannot be moved.
fn to_file_offsets(rewrite: Rewrite, part: &Part, title: &str) -> Result<Rewrite> {
    let offset = part.offset();
    let asks = |is_it: fn(&Audience) -> bool| rewrite.questions.iter().any(|question| is_it(&question.audience));
    let leaves = asks(|audience| matches!(audience, Audience::File(_)));
    let unsearched = asks(|audience| matches!(audience, Audience::Containing(_)))
        .then(|| "other files were not searched: the change begins in an embedded part".to_owned());
    if leaves || !rewrite.new_files.is_empty() {
        let message = format!("`{title}` affects other files, which an embedded part cannot change");
        return Err(Error::new(Kind::Unsupported, message).hint("move the part into its own file first"));
    }
    Ok(Rewrite {
        edits: rewrite.edits.shifted(offset),
        questions: Vec::new(),
        new_files: Vec::new(),
        unresolved: rewrite.unresolved.into_iter().map(|span| span.shifted(offset)).collect(),
        incomplete: rewrite.incomplete.or(unsearched),
        name_at: rewrite.name_at.map(|at| at + offset),
    })
}
