//! References that a deletion makes unresolved: uses of removed imports, and names that other files re-exported.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use marquetry_graph::{DetailLevel, Entry, Importer, Target, Workspace};
use marquetry_model::{
    EditSet, Error, Interface, Result, Span,
    pack::{Facts, SharedName, Subject},
    ports::Source,
    text::Lines,
};

use crate::{
    document::OpenFile, draft::Draft, reference_search::ends_call, session::Session, words::whole_word_offsets,
};

/// Export name of a module that re-exports everything from another one.
const ALL_EXPORTS: &str = "*";

/// Unresolved references, and names that modules no longer export.
#[derive(Default)]
pub(crate) struct UnresolvedReferences {
    places: BTreeSet<ReferencePlace>,
    /// Files with the names that they no longer export.
    lost_exports: BTreeSet<(String, String)>,
}

/// A reference, with its position before the change.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ReferencePlace {
    path: String,
    offset: usize,
    /// Text of the line that contains the reference, with the reason if a link could not be removed.
    text: String,
}

impl ReferencePlace {
    fn at(file: &OpenFile, span: Span) -> ReferencePlace {
        let lines = Lines::new(file.text());
        let line = lines.position(span.start).line;
        let text = lines.line(line).map_or("", |line| line.slice(file.text())).trim().to_owned();
        ReferencePlace { path: file.path().to_owned(), offset: span.start, text }
    }
}

impl UnresolvedReferences {
    /// Adds a link that could not be removed.
    pub(crate) fn add_kept_link(&mut self, file: &OpenFile, link: Span, why: &Error) {
        let place = ReferencePlace::at(file, link);
        self.places.insert(ReferencePlace { text: format!("{}: {why}", place.text), ..place });
    }

    /// Adds a use that remains in the file.
    pub(crate) fn add_use(&mut self, file: &OpenFile, span: Span) {
        self.places.insert(ReferencePlace::at(file, span));
    }

    /// Formats the references as `file:line: text`, with line numbers after the edits.
    pub(crate) fn descriptions(&self, session: &Session, draft: &Draft) -> Vec<String> {
        let mut texts: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let mut lines = Vec::new();
        for ReferencePlace { path, offset, text } in &self.places {
            let edits = draft.edits_of(path);
            let after = texts.entry(path).or_insert_with(|| {
                let before = session.files.read(path).map_or_else(|_| Arc::from(""), |source| source.text);
                edits.map_or(Arc::clone(&before), |edits| Arc::from(edits.apply(&before)))
            });
            let offset = edits.map_or(*offset, |edits| edits.offset_after(*offset)).min(after.len());
            lines.push(format!("{path}:{}: {text}", Lines::new(after).position(offset).line));
        }
        // Several references on one line are listed once, with the reason why a link was kept if there is one.
        lines.dedup();
        let has_reason = |line: &String| lines.iter().any(|other| other.starts_with(&format!("{line}: ")));
        let shown: Vec<String> = lines.iter().filter(|line| !has_reason(line)).cloned().collect();
        shown
    }
}

impl Session {
    /// Collects the losses of one file with removed links: references that become unresolved, and names that it no
    /// longer re-exports.
    pub(crate) fn collect_losses(
        &self,
        file: &OpenFile,
        removed: &[&Importer<'_>],
        edits: &EditSet,
        dangling: &mut UnresolvedReferences,
    ) -> Result<()> {
        if !file.has(Interface::Symbols) {
            return Ok(());
        }
        for importer in removed {
            for name in &importer.link.names {
                let subject =
                    Subject::Imported { specifiers: vec![importer.link.specifier.clone()], name: name.clone() };
                let Ok(found) = file.ask(|document| document.resolve_symbol(&subject)) else { continue };
                let is_left = |span: Span| !edits.as_slice().iter().any(|edit| edit.span.contains(span));
                let left = found.occurrences.iter().filter(|place| is_left(place.span));
                dangling.places.extend(left.map(|place| ReferencePlace::at(file, place.span)));
            }
        }
        let bound = self.occurrences_of_bindings(file, removed)?;
        let left = bound.into_iter().filter(|span| !edits.as_slice().iter().any(|edit| edit.span.contains(*span)));
        dangling.places.extend(left.map(|span| ReferencePlace::at(file, span)));
        if edits.is_empty() {
            return Ok(());
        }
        let text = Arc::from(edits.apply(file.text()));
        let after = self.open_source(Source { text, ..file.source.clone() })?;
        let after = provided_names(&after.ask(|document| document.exports_and_imports())?);
        let before = provided_names(&file.ask(|document| document.exports_and_imports())?);
        for name in before.difference(&after) {
            if name == ALL_EXPORTS {
                for name in self.exports_of(removed)? {
                    dangling.lost_exports.insert((file.path().to_owned(), name));
                }
            } else {
                dangling.lost_exports.insert((file.path().to_owned(), name.clone()));
            }
        }
        Ok(())
    }

    /// Returns all occurrences of the names that the statements of the links bind: `s` for `import s from
    /// "./a.module.css"`.
    fn occurrences_of_bindings(&self, file: &OpenFile, links: &[&Importer<'_>]) -> Result<Vec<Span>> {
        let imports = file.ask(|document| document.exports_and_imports())?.imports;
        let statements = file.ask(|document| document.links())?;
        let mut found = Vec::new();
        for link in links {
            let Some(statement) = statements.get(link.index).map(|link| link.statement) else { continue };
            let locals = imports.iter().filter(|import| import.specifier == link.link.specifier);
            for local in locals.filter_map(|import| import.local.as_deref()) {
                let offsets = whole_word_offsets(statement.slice(file.text()), local);
                let resolved = offsets.into_iter().find_map(|at| {
                    file.ask(|document| document.resolve_symbol(&Subject::At(statement.start + at))).ok()
                });
                found.extend(resolved.into_iter().flat_map(|found| found.occurrences).map(|place| place.span));
            }
        }
        Ok(found)
    }

    /// Collects uses of global names that only deleted files declare, such as functions of a classic script.
    pub(crate) fn collect_lost_globals(
        &self,
        workspace: &Workspace,
        goes: impl Fn(&str) -> bool,
        draft: &Draft,
        dangling: &mut UnresolvedReferences,
    ) -> Result<()> {
        let mut lost: BTreeSet<(String, String)> = BTreeSet::new();
        for entry in workspace.files().filter(|entry| goes(&entry.path)) {
            let Ok(file) = self.open_found(&entry.path) else { continue };
            if file.has(Interface::Symbols) {
                let facts = file.ask(|document| document.exports_and_imports())?;
                lost.extend(facts.shared.into_iter().map(|shared| (shared.namespace, shared.name)));
            }
        }
        if lost.is_empty() {
            return Ok(());
        }
        let workspace = self.workspace(DetailLevel::Names)?;
        let staying: Vec<&Entry> = workspace.files().filter(|entry| !goes(&entry.path)).collect();
        let names = |entry: &&Entry| entry.names.iter().flat_map(|names| names.shared.clone()).collect::<Vec<_>>();
        for declared in staying.iter().flat_map(names) {
            lost.remove(&declared);
        }
        let stage = self.work.stage("looking for uses", staying.len());
        for entry in staying {
            stage.step()?;
            let used = entry.names.iter().flat_map(|names| &names.free).filter(|name| lost.contains(*name));
            let used: BTreeSet<&(String, String)> = used.collect();
            if used.is_empty() {
                continue;
            }
            let file = self.open_found(&entry.path)?;
            for (namespace, name) in used {
                let subject = Subject::Shared(SharedName { namespace: namespace.clone(), name: name.clone() });
                let found = match file.ask(|document| document.resolve_symbol(&subject)) {
                    Ok(found) => found,
                    Err(error) if ends_call(&error) => return Err(error),
                    // The pack reported that the file uses the name, but it cannot return the positions.
                    Err(_) => {
                        let uses = whole_word_offsets(file.text(), name).into_iter();
                        let uses = uses.map(|at| ReferencePlace::at(&file, Span::new(at, at + name.len())));
                        dangling.places.extend(uses);
                        continue;
                    }
                };
                let left = found.occurrences.iter().filter(|place| !draft.removes(&entry.path, place.span));
                dangling.places.extend(left.map(|place| ReferencePlace::at(&file, place.span)));
            }
        }
        Ok(())
    }

    /// Names that the targets of the links export, without default exports.
    fn exports_of(&self, links: &[&Importer<'_>]) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for link in links {
            let target = link.file.targets.as_ref().and_then(|targets| targets.get(link.index));
            if let Some(Target::Inside(path)) = target
                && let Ok(file) = self.open_found(path)
                && file.has(Interface::Symbols)
            {
                names.extend(provided_names(&file.ask(|document| document.exports_and_imports())?));
            }
        }
        names.retain(|name| name != "default" && name != ALL_EXPORTS);
        Ok(names)
    }

    /// Follows lost exports through the files that import or re-export them.
    pub(crate) fn follow_lost_exports(
        &self,
        workspace: &Workspace,
        goes: impl Fn(&str) -> bool,
        draft: &Draft,
        dangling: &mut UnresolvedReferences,
    ) -> Result<()> {
        let mut queue: Vec<(String, String)> = dangling.lost_exports.iter().cloned().collect();
        while let Some((path, name)) = queue.pop() {
            self.work.check()?;
            let mut specifiers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for importer in workspace.importers(&path) {
                if !goes(&importer.file.path) && importer.may_carry(&name) {
                    specifiers.entry(&importer.file.path).or_default().push(importer.link.specifier.clone());
                }
            }
            for (user, specifiers) in specifiers {
                let file = self.open_found(user)?;
                let subject = Subject::Imported { specifiers, name: name.clone() };
                if !file.has(Interface::Symbols) {
                    continue;
                }
                let Ok(found) = file.ask(|document| document.resolve_symbol(&subject)) else { continue };
                let left = found.occurrences.iter().filter(|place| !draft.removes(user, place.span));
                dangling.places.extend(left.map(|place| ReferencePlace::at(&file, place.span)));
                for passed in found.exported_as {
                    let lost = (user.to_owned(), passed);
                    if dangling.lost_exports.insert(lost.clone()) {
                        queue.push(lost);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Names that other files can import from a file.
fn provided_names(facts: &Facts) -> BTreeSet<String> {
    let own = facts.exports.iter().map(|export| export.name.clone());
    own.chain(facts.imports.iter().filter_map(|import| import.exported.clone())).collect()
}
