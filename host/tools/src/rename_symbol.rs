//! Renames a symbol in every file that can reference it. The packs resolve a name in one file, and report which files
//! to ask next.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use marquetry_graph::parallel_map;
use marquetry_model::{
    Error, Interface, Kind, Result, Span,
    pack::{ImportedName, Member, RenameResult, SharedName, Subject},
    ports::Source,
    text::Lines,
};

use crate::{
    document::OpenFile,
    draft::Draft,
    exports::{ReExportMode, UnrenamedExport},
    reference_search::{ReferenceSearch, SearchScope, Unanswered, is_file_error},
    result_types::{Location, completeness},
    server_definitions::ServerShare,
    session::Session,
    unresolved_list::{likely_files, unresolved_entries},
};

/// Scope of a rename.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RenameScope {
    /// Only this file is changed.
    pub(crate) single_file: bool,
    /// Treatment of re-exports.
    pub(crate) exports: ReExportMode,
    /// Language servers are asked about unresolved occurrences.
    pub(crate) asks_servers: bool,
}

/// Result of a rename in all files.
#[derive(Debug, Default)]
pub(crate) struct RenameOutcome {
    pub(crate) draft: Draft,
    /// The old name.
    pub(crate) name: String,
    /// Unresolved occurrences of the name: the likely ones first, as `file:line:column`, then the numbers of others by
    /// file.
    pub(crate) unresolved: Vec<String>,
    /// The same list for occurrences in prose and data, which a rename does not change.
    pub(crate) mentions: Vec<String>,
    /// `file:line:column` of exports that keep the old name.
    pub(crate) unrenamed_exports: Vec<String>,
    /// Files with an exported name that does not change. Their packs mark it by an edit that does not change the text.
    pub(crate) unrenamed_sources: Vec<Source>,
    /// Reason why the rename may be incomplete.
    pub(crate) partial: Option<String>,
    /// The file or folder that has the name of the symbol. The caller renames it; the draft is empty then.
    pub(crate) file: Option<String>,
    /// Language servers that resolved occurrences.
    pub(crate) servers: ServerShare,
}

impl Session {
    /// Computes the edits of a rename within its scope.
    pub(crate) fn rename_everywhere(
        &self,
        file: &OpenFile,
        subject: Subject,
        new_name: &str,
        reach: RenameScope,
    ) -> Result<RenameOutcome> {
        if !file.has(Interface::Symbols) {
            return Err(Error::new(
                Kind::Unsupported,
                format!("{} files have no symbols to rename", file.description().name),
            )
            .hint("edit each place by its address"));
        }
        let scope = if reach.single_file { self.single_file() } else { self.whole_workspace()?.require_all_read()? };
        let mut search = ReferenceSearch::new(&scope, file, subject);
        let mut done = RenameOutcome::default();
        let mut unresolved = Unresolved::default();
        let mut unasked = self.ask_for_renaming(&mut search, &mut done, &mut unresolved, new_name)?;
        if done.file.is_some() {
            return Ok(done);
        }
        let mut kept = self.unrenamed_exports(&done.draft, &done.unrenamed_sources, (&done.name, new_name))?;
        let mut passed = BTreeSet::new();
        let mut to_pass_on = |kept: &mut Vec<UnrenamedExport>| {
            if reach.exports == ReExportMode::Rename {
                // The export of a file is renamed at most once, because it may keep the old name even after a rename.
                kept.retain(|export| passed.insert(export.path().to_owned()));
            }
            reach.exports == ReExportMode::Rename && !kept.is_empty()
        };
        while to_pass_on(&mut kept) {
            for export in &kept {
                done.rename_export(export, new_name, &mut search)?;
            }
            unasked.extend(self.ask_for_renaming(&mut search, &mut done, &mut unresolved, new_name)?);
            kept = self.unrenamed_exports(&done.draft, &done.unrenamed_sources, (&done.name, new_name))?;
        }
        self.check_new_name(&scope, &search, (&done.name, new_name), &mut unresolved)?;
        done.unrenamed_exports = kept.iter().map(UnrenamedExport::location_text).collect();
        if !search.is_declared_by_exporter() {
            done.partial = Some(format!("no declaration of `{}` was found in the workspace", done.name));
        }
        let mentioned = self.mentioned_elsewhere(&search, &done.name, |place, offset| {
            // An edit of a shorthand property may begin or end at the name.
            let is_at = |span: Span| span.start <= offset + done.name.len() && offset <= span.end;
            let edits = done.draft.edits_of(&place.path);
            edits.is_some_and(|edits| edits.as_slice().iter().any(|edit| is_at(edit.span)))
        })?;
        let mut places: Vec<Location> =
            unresolved.after_edits(&done.draft).into_iter().chain(mentioned.unresolved).collect();
        if reach.asks_servers {
            places = self.rename_by_definition(&search, &unasked, places, (&mut done, new_name))?;
        }
        let likely = search.workspace().map(|workspace| likely_files(&workspace, search.declaring()));
        done.unresolved = unresolved_entries(places, |path| likely.as_ref().is_none_or(|likely| likely.contains(path)));
        let unread: BTreeSet<String> = unasked.into_iter().chain(mentioned.unread).collect();
        done.unresolved.extend(unread);
        done.mentions = mentioned.mentions;
        done.partial = done.partial.or(search.unread());
        if !search.is_exported()
            && let Some(import) = self.renamed_import(file, &done, new_name)?
        {
            done.draft.warn(format!(
                "only the local name in {} was changed: `{}` of `{}` is still called `{}`; to rename it, name it in \
                 the file that declares it",
                file.path(),
                import.name,
                import.specifier,
                import.name
            ));
        }
        Ok(done)
    }

    /// Refuses a new name for a member if a related declaration, such as a member of a subtype, already has that name.
    /// Asks the files that contain the new name, even if they do not contain the old one. A member that may be related
    /// is reported as unresolved.
    fn check_new_name(
        &self,
        scope: &SearchScope,
        search: &ReferenceSearch,
        (name, new_name): (&str, &str),
        unresolved: &mut Unresolved,
    ) -> Result<()> {
        let (Some(workspace), Some(member)) = (&scope.workspace, search.declared_member()) else { return Ok(()) };
        if name == new_name {
            return Ok(());
        }
        let named_so = Member { name: new_name.to_owned(), forms: Vec::new(), ..member.clone() };
        let near = workspace.member_files(&scope.survey.files(), &named_so).related;
        let stage = self.work.stage("checking the new name", near.len());
        let check = |path: &String| stage.step().and_then(|()| scope.survey.check_new_name(path, member, new_name));
        for (path, answer) in near.iter().zip(parallel_map(&near, check)) {
            match answer {
                Err(error) if !is_file_error(&error) => return Err(error.context(path)),
                Ok(Some((source, renaming))) => unresolved.insert(&source, &renaming),
                // The failure was already reported when the file was asked for the old name, or it is not relevant.
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the import whose local name the rename changed in this file, although the exported name in the other
    /// file does not change.
    fn renamed_import(&self, file: &OpenFile, done: &RenameOutcome, new_name: &str) -> Result<Option<ImportedName>> {
        let Some(edits) = done.draft.edits_of(file.path()).filter(|_| done.name != new_name) else { return Ok(None) };
        let local = |local: &str, imports: Vec<ImportedName>| -> Vec<ImportedName> {
            imports.into_iter().filter(|import| import.local.as_deref() == Some(local)).collect()
        };
        let before = local(&done.name, file.ask(|document| document.exports_and_imports())?.imports);
        if before.is_empty() {
            return Ok(None);
        }
        let text = Arc::from(edits.apply(file.text()));
        let after = self.open_source(Source { text, ..file.source.clone() })?;
        let after = local(new_name, after.ask(|document| document.exports_and_imports())?.imports);
        let same = |import: &ImportedName| {
            before.iter().any(|known| (&known.specifier, &known.name) == (&import.specifier, &import.name))
        };
        Ok(after.into_iter().find(same))
    }

    /// Asks the files of all open questions of a rename, including those that result from the answers.
    fn ask_for_renaming(
        &self,
        search: &mut ReferenceSearch,
        done: &mut RenameOutcome,
        unresolved: &mut Unresolved,
        new_name: &str,
    ) -> Result<Unanswered> {
        self.ask_all(
            "renaming",
            search,
            |survey, path, subject| survey.rename(path, subject, new_name),
            |source, renaming, search| {
                self.check_redirects(source, &renaming, search)?;
                unresolved.insert(source, &renaming);
                done.add(source, renaming, new_name, search)
            },
        )
    }
}

/// Unresolved occurrences. If a file is asked about a member again, with more of the member's declarations, its new
/// answer replaces the old one.
#[derive(Default)]
struct Unresolved {
    places: BTreeMap<(String, bool), Vec<UnresolvedPlace>>,
}

/// An unresolved occurrence.
struct UnresolvedPlace {
    offset: usize,
    location: Location,
    /// True if the same answer also edits the occurrence. It is then listed as unresolved although it is renamed.
    is_doubtful: bool,
}

impl Unresolved {
    fn insert(&mut self, source: &Source, renaming: &RenameResult) {
        let path = &source.path;
        let lines = Lines::new(&source.text);
        let place = |span: &Span| UnresolvedPlace {
            offset: span.start,
            location: Location::new(path, lines.position(span.start)),
            is_doubtful: renaming.edits.as_slice().iter().any(|edit| edit.span.start == span.start),
        };
        let is_member = renaming.declared.is_some();
        let places = self.places.entry((path.clone(), is_member)).or_default();
        if is_member {
            places.clear();
        }
        places.extend(renaming.unresolved.iter().map(place));
    }

    /// Returns the occurrences that no answer resolved. An occurrence that is unresolved in one answer may be renamed
    /// by another answer.
    fn after_edits(self, draft: &Draft) -> Vec<Location> {
        let is_renamed = |path: &str, offset: usize| {
            draft.edits_of(path).is_some_and(|edits| edits.as_slice().iter().any(|edit| edit.span.start == offset))
        };
        let mut all = Vec::new();
        for ((path, _), places) in self.places {
            let open = places.into_iter().filter(|place| place.is_doubtful || !is_renamed(&path, place.offset));
            all.extend(open.map(|place| place.location));
        }
        all
    }
}

impl RenameOutcome {
    /// The value of `completeness`: `complete`, `syntactic` or `partial: reason`.
    pub(crate) fn completeness(&self) -> String {
        self.servers.completeness(completeness(self.partial.as_deref(), &self.unresolved))
    }

    /// Renames an export that would keep the old name, and asks the files that import it.
    fn rename_export(&mut self, export: &UnrenamedExport, new_name: &str, search: &mut ReferenceSearch) -> Result<()> {
        let renaming = export.renamed(&self.name, new_name)?;
        match self.draft.edits_of(export.path()) {
            Some(_) => self.draft.edit_on(export.path(), renaming.edits)?,
            None => self.draft.edit(export.source(), renaming.edits)?,
        }
        for (old, _) in &renaming.exported {
            search.add_export(export.path(), old, &self.name);
        }
        Ok(())
    }

    /// Applies the answer of one file, and queues the questions that result from it.
    fn add(
        &mut self,
        source: &Source,
        renaming: RenameResult,
        new_name: &str,
        search: &mut ReferenceSearch,
    ) -> Result<()> {
        let path = &source.path;
        if self.name.is_empty() {
            self.name.clone_from(&renaming.name);
        }
        if let Some((elsewhere, offset)) = &renaming.elsewhere {
            if !search.asks_other_files() {
                return Err(Error::new(
                    Kind::RefactorFailed,
                    format!("`{}` is declared in {elsewhere}, and `scope` is `file`", renaming.name),
                )
                .hint("rename it with `scope: \"workspace\"`, or in the file that declares it"));
            }
            search.queue_question(elsewhere, Subject::At(*offset));
            return Ok(());
        }
        if let Some(file) = renaming.file {
            if !search.asks_other_files() {
                let message = format!("`{}` has the name of {file}, and `scope` is `file`", renaming.name);
                return Err(Error::new(Kind::RefactorFailed, message).hint("rename it with `scope: \"workspace\"`"));
            }
            self.file = Some(file);
            return Ok(());
        }
        if !search.asks_other_files()
            && (!renaming.exported.is_empty() || renaming.declared.is_some() || renaming.shared.is_some())
        {
            self.partial = Some("`scope` is `file`, and other files can reference the name".to_owned());
        }
        for (old, _) in &renaming.exported {
            search.add_export(path, old, &renaming.name);
        }
        if let Some(member) = &renaming.declared {
            search.add_member(member);
        }
        if let Some(space) = &renaming.shared {
            let shared = SharedName { namespace: space.clone(), name: renaming.name.clone() };
            if search.asks_other_files() && !search.is_global_declared(&shared) {
                return Err(not_declared_error(&renaming.name));
            }
            let taken = SharedName { namespace: space.clone(), name: new_name.to_owned() };
            if new_name != renaming.name && search.is_global_declared(&taken) {
                let message = format!("the workspace already has a global `{new_name}`");
                return Err(Error::new(Kind::RefactorFailed, message)
                    .hint("choose another name: the two could not be distinguished afterwards"));
            }
            search.add_global(&shared);
        }
        if renaming.edits.as_slice().iter().any(|edit| edit.text == edit.span.slice(&source.text)) {
            self.unrenamed_sources.push(source.clone());
        }
        self.draft.edit(source, renaming.edits)
    }
}

fn not_declared_error(name: &str) -> Error {
    Error::new(Kind::RefactorFailed, format!("no file of the workspace declares `{name}`"))
        .hint("a name that is declared outside of the workspace cannot be renamed; edit its uses one by one")
}
