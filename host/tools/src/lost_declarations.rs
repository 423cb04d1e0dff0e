//! Uses of declarations in deleted files, for packs that identify a declaration by its position instead of by an
//! import: names of a package whose files share a scope, and methods of a type that remains.

use std::{collections::BTreeSet, sync::Arc};

use marquetry_graph::{Importer, Target, Workspace};
use marquetry_model::{
    Interface, Kind, Result, Span, Step,
    pack::{Member, Occurrence, Subject},
};

use crate::{
    document::OpenFile,
    draft::Draft,
    link_kinds::GLOB,
    path_parts::folder,
    preview::PreviewFiles,
    reference_search::{SearchScope, ends_call, is_file_error},
    session::Session,
    unresolved_references::UnresolvedReferences,
    words::whole_word_offsets,
};

/// Names that only deleted files declare.
#[derive(Default)]
struct LostDeclarations {
    declared: Vec<Member>,
    /// Members of remaining types, if the pack cannot find the uses of the members: the name, and the name and version
    /// of the pack.
    unknown: BTreeSet<(String, String)>,
}

impl Session {
    /// Returns a session whose files have the state after the deletion and the edits.
    pub(crate) fn after_deletion(&self, deleted: &[String], draft: &Draft) -> Result<Session> {
        let step = |path: &String| Step::Delete { path: path.clone(), recursive: true };
        let steps: Vec<Step> = deleted.iter().map(step).collect();
        let edited = draft.file_edits().map(|(source, edits)| (source.clone(), edits.apply(&source.text))).collect();
        Ok(self.with_files(Arc::new(PreviewFiles::new(&self.files, edited, &steps)?)))
    }

    /// Returns the links to folders of deleted files that no longer resolve after the deletion.
    pub(crate) fn importers_of_emptied_folders<'w>(
        &self,
        workspace: &'w Workspace,
        deleted: &[String],
        goes: impl Fn(&str) -> bool,
    ) -> Result<Vec<Importer<'w>>> {
        let after = self.after_deletion(deleted, &Draft::default())?;
        let folders: BTreeSet<&str> = deleted.iter().map(|path| folder(path)).filter(|path| !path.is_empty()).collect();
        let mut lost = Vec::new();
        for path in folders {
            let keeps_file = |importer: &Importer<'_>| {
                let mut entries = workspace.files_from(path).take_while(|entry| entry.path.starts_with(path));
                entries.any(|entry| {
                    folder(&entry.path) == path && entry.engine == importer.file.engine && !goes(&entry.path)
                })
            };
            let importers = workspace.importers(path).into_iter();
            let importers = importers.filter(|one| one.link.kind != GLOB && !goes(&one.file.path) && !keeps_file(one));
            for importer in importers {
                let request = (importer.link.kind.clone(), importer.link.specifier.clone());
                let resolved = after.open_found(&importer.file.path)?.whole().resolve(&[request])?;
                if !resolved.into_iter().any(|now| Target::from(now) == Target::Inside(path.to_owned())) {
                    lost.push(importer);
                }
            }
        }
        Ok(lost)
    }

    /// Collects uses of declarations in deleted files that no longer resolve after the deletion. Returns the reasons
    /// why there may be more of them.
    pub(crate) fn collect_lost_declarations(
        &self,
        workspace: &Workspace,
        deleted: &[String],
        goes: impl Fn(&str) -> bool,
        (draft, dangling): (&Draft, &mut UnresolvedReferences),
    ) -> Result<Vec<String>> {
        let (mut lost, mut doubts) = (LostDeclarations::default(), Vec::new());
        for entry in workspace.files().filter(|entry| goes(&entry.path) && !entry.engine.is_empty()) {
            match self.open_found(&entry.path) {
                Ok(file) if file.has(Interface::Symbols) => lost.add_file(&file, &goes)?,
                Ok(_) => {}
                Err(error) if ends_call(&error) => return Err(error),
                // A file that is not text declares nothing.
                Err(error) if error.kind() == Kind::Unsupported => {}
                Err(error) => doubts.push(format!("uses of names in {} were not checked: {error}", entry.path)),
            }
        }
        if lost.declared.is_empty() && lost.unknown.is_empty() {
            return Ok(doubts);
        }
        let scope = self.whole_workspace()?;
        let deletion = Deletion { before: self, after: &self.after_deletion(deleted, draft)?, scope: &scope, draft };
        let stage = self.work.stage("looking for uses", lost.declared.len() + lost.unknown.len());
        for member in &lost.declared {
            stage.step()?;
            deletion.collect_uses(member, &goes, (&mut *dangling, &mut doubts))?;
        }
        for (name, engine) in &lost.unknown {
            stage.step()?;
            deletion.collect_possible_uses((name.as_str(), engine.as_str()), &goes, dangling)?;
        }
        Ok(doubts)
    }
}

impl LostDeclarations {
    /// Adds the declarations of a deleted file, except members of types that are also deleted.
    fn add_file(&mut self, file: &OpenFile, goes: &impl Fn(&str) -> bool) -> Result<()> {
        let outline = file.outline()?;
        let mut extends_type = vec![false; outline.len()];
        for (index, node) in outline.iter().enumerate() {
            let parent = node.parent.and_then(|parent| extends_type.get(parent as usize).copied());
            if parent == Some(false) {
                continue;
            }
            match file.ask(|document| document.resolve_symbol(&Subject::Address(node.address.clone()))) {
                Ok(found) => {
                    let is_elsewhere = |(path, _): &(String, usize)| !goes(path);
                    extends_type[index] =
                        found.origin.is_some() || found.declaration.as_ref().is_some_and(is_elsewhere);
                    self.declared.extend(found.member.and_then(|member| deleted_part(member, goes)));
                }
                Err(error) if ends_call(&error) => return Err(error),
                Err(error) if parent == Some(true) && error.kind() == Kind::Unsupported => {
                    self.unknown.insert((node.name.clone(), file.engine().to_owned()));
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Returns a declaration without its locations in remaining files.
fn deleted_part(member: Member, goes: &impl Fn(&str) -> bool) -> Option<Member> {
    let locations: Vec<_> = member.locations.into_iter().filter(|(path, _)| goes(path)).collect();
    (!locations.is_empty()).then_some(Member { locations, ..member })
}

/// The workspace before and after a deletion.
struct Deletion<'a> {
    before: &'a Session,
    after: &'a Session,
    scope: &'a SearchScope,
    draft: &'a Draft,
}

impl Deletion<'_> {
    /// Collects the uses of a deleted declaration that no longer resolve after the deletion.
    fn collect_uses(
        &self,
        member: &Member,
        goes: &impl Fn(&str) -> bool,
        (dangling, doubts): (&mut UnresolvedReferences, &mut Vec<String>),
    ) -> Result<()> {
        let Some(workspace) = &self.scope.workspace else { return Ok(()) };
        let survey = &self.scope.survey;
        let subject = Subject::Member(member.clone());
        let users = workspace.member_files(&survey.files(), member).related;
        for path in users.iter().filter(|path| !goes(path)) {
            let found = match survey.resolve(path, &subject) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(error) if is_file_error(&error) => {
                    doubts.push(format!("{path}: {error}"));
                    continue;
                }
                Err(error) => return Err(error.context(path)),
            };
            let is_left = |one: &&Occurrence| one.usage != "declaration" && !self.draft.removes(path, one.span);
            let uses: Vec<Span> = found.occurrences.iter().filter(is_left).map(|one| one.span).collect();
            if uses.is_empty() {
                continue;
            }
            let (before, after) = (self.before.open_found(path)?, self.after.open_found(path)?);
            let edits = self.draft.edits_of(path);
            for span in uses {
                let at = edits.map_or(span.start, |edits| edits.offset_after(span.start));
                // Another file may declare the name, for example for another platform, or another type may have such a
                // member.
                match after.ask(|document| document.resolve_symbol(&Subject::At(at))) {
                    Ok(_) => {}
                    Err(error) if ends_call(&error) => return Err(error),
                    Err(_) => dangling.add_use(&before, span),
                }
            }
        }
        Ok(())
    }

    /// Collects the occurrences that may use a deleted member of a remaining type. The pack does not know the types of
    /// values.
    fn collect_possible_uses(
        &self,
        (name, engine): (&str, &str),
        goes: &impl Fn(&str) -> bool,
        dangling: &mut UnresolvedReferences,
    ) -> Result<()> {
        let Some(workspace) = &self.scope.workspace else { return Ok(()) };
        for entry in workspace.may_mention(name).filter(|entry| entry.engine == engine && !goes(&entry.path)) {
            let file = self.before.open_found(&entry.path)?;
            let declared: BTreeSet<usize> = file.outline()?.iter().map(|node| node.selection.start).collect();
            let words = whole_word_offsets(file.text(), name).into_iter();
            for at in words.filter(|at| !declared.contains(at)) {
                // If the pack can resolve the name, it is not a member.
                match file.ask(|document| document.resolve_symbol(&Subject::At(at))) {
                    Err(error) if error.kind() == Kind::Unsupported => {
                        dangling.add_use(&file, Span::new(at, at + name.len()));
                    }
                    Err(error) if ends_call(&error) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
