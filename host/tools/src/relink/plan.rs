//! Decides which links are rewritten when files move, so that each link keeps its target.
//!
//! The packs see the resulting tree through an overlay. Links that still resolve to their target in that tree are kept.
//! Other links are rewritten and resolved again. Links that still do not resolve to their target are kept unchanged and
//! listed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use marquetry_graph::{DetailLevel, Entry, LinkFact, Target, Workspace};
use marquetry_model::{
    Edit, EditSet, Error, Relocations, Result, Step,
    pack::SpecifierRequest,
    ports::{Files, Source},
};

use super::{
    OldNew, Relinked,
    folder_moves::{SplitFolder, is_emptied, split_folder},
    links_with_targets, read_as_indexed,
    removed_links::RemovedLinks,
    rewrites::Rewrites,
};
use crate::{
    draft::validated_edits, path_parts::folder, preview::PreviewFiles, result_types::differ_in_case, session::Session,
};

/// Maximum number of passes over the resulting tree: one for the initial state, one for changed configurations, one for
/// the other links, and further passes after edits that had to be reverted.
const MAX_ROUNDS: usize = 6;

/// A link, by the path of its file before the change and its index in the file.
type LinkKey = (String, usize);

/// Decision about a link.
enum LinkDecision {
    /// The link is kept.
    Keep,
    /// The link is rewritten.
    Rewrite,
    /// The link is kept although it resolves differently, and it is listed with the reason.
    List(String),
}

/// A link that would resolve differently without a change.
struct PlannedLink {
    fate: LinkDecision,
    new: NewSpecifier,
}

/// New specifier of a link.
enum NewSpecifier {
    Text(String),
    /// The pack cannot provide a specifier.
    Refused(Error),
    /// The pack would not change the specifier, so it cannot explain why the link resolves differently.
    Same,
}

/// Link edits for one move.
pub(super) struct Plan<'a> {
    session: &'a Session,
    workspace: &'a Workspace,
    /// The moves to carry out.
    made: &'a Relocations,
    /// The moves in `made`, and moves of folders whose files are all moved.
    moves: &'a Relocations,
    links: BTreeMap<LinkKey, PlannedLink>,
    /// Unchanged links that resolve to the new location of a folder of which some files are not moved.
    split_folders: BTreeMap<LinkKey, SplitFolder>,
    /// Edits and new files that the packs returned from `relink`.
    rewrites: Rewrites,
    /// Current texts of the edited files.
    sources: HashMap<String, Source>,
}

/// A link that resolves differently after the change, or that should be rewritten for another reason.
struct WrongLink {
    key: LinkKey,
    /// The target of the link after the change; `None` if the target is missing or the link is no longer recognized.
    leads: Option<String>,
    /// True if the link resolves correctly but should be rewritten: it leaves the folder of its file and enters it
    /// again (`../src/x` in `src`), or contains a name in its old case.
    is_correct: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        session: &'a Session,
        workspace: &'a Workspace,
        (made, moves): (&'a Relocations, &'a Relocations),
    ) -> Plan<'a> {
        let (links, split_folders, rewrites, sources) = Default::default();
        Plan { session, workspace, made, moves, links, split_folders, rewrites, sources }
    }

    /// Decides about every link and records the edits.
    pub(super) fn carry_out(mut self, relinked: &mut Relinked) -> Result<()> {
        self.rewrites = Rewrites::collect(self.session, self.workspace, self.moves, relinked)?;
        let mut after = self.resulting_workspace(self.workspace)?;
        let mut wrong = self.wrong_links(&after, relinked);
        for _ in 0..MAX_ROUNDS {
            if !self.decide(&wrong)? {
                break;
            }
            after = self.resulting_workspace(&after)?;
            wrong = self.wrong_links(&after, &mut Relinked::default());
        }
        for wrong in wrong.into_iter().filter(|wrong| !wrong.is_correct) {
            self.list_wrong_link(wrong);
        }
        self.record_edits(relinked)
    }

    // --- the tree after the change ---

    /// The workspace after the change, with the decisions that were made.
    fn resulting_workspace(&mut self, before: &Workspace) -> Result<Workspace> {
        let edited: BTreeSet<String> = self.edited().map(str::to_owned).collect();
        let mut texts = Vec::with_capacity(edited.len());
        for path in edited {
            let edits = self.edits(&path)?;
            let source = self.source(&path)?.clone();
            let text = edits.apply(&source.text);
            texts.push((source, text));
        }
        let step = |one: &marquetry_model::Relocation| Step::Move {
            from: one.from.clone(),
            to: one.to.clone(),
            overwrite: true,
        };
        let created = self.rewrites.new_files.iter().map(|(path, text)| Step::Create {
            path: path.clone(),
            content: text.clone().into_bytes(),
            overwrite: false,
            directories: true,
        });
        let steps: Vec<Step> = self.made.as_slice().iter().map(step).chain(created).collect();
        let session = self.session;
        let changed = PreviewFiles::new(&session.files, texts, &steps)?;
        let stamps = changed.stamps(self.workspace.stamps());
        let files: std::sync::Arc<dyn Files> = std::sync::Arc::new(changed);
        session.graph.hypothetical(before, &files, session.packs.as_ref(), &stamps, DetailLevel::Links, &session.work)
    }

    fn source(&mut self, path: &str) -> Result<&Source> {
        if !self.sources.contains_key(path) {
            let entry = self.workspace.file(path).ok_or_else(|| Error::internal(format!("{path} is not indexed")))?;
            self.sources.insert(path.to_owned(), read_as_indexed(&self.session.files, entry)?);
        }
        self.sources.get(path).ok_or_else(|| Error::internal("a text that was just read"))
    }

    /// Edited files; may contain duplicates.
    fn edited(&self) -> impl Iterator<Item = &str> {
        let rewritten = self.links.iter().filter(|(_, planned)| matches!(planned.fate, LinkDecision::Rewrite));
        rewritten.map(|((path, _), _)| path.as_str()).chain(self.rewrites.edits.keys().map(String::as_str))
    }

    /// Edits of one file.
    fn edits(&mut self, path: &str) -> Result<EditSet> {
        let edits = self.unsorted_edits(path);
        let source = self.source(path)?;
        validated_edits(path, &source.text, edits)
    }

    fn unsorted_edits(&self, path: &str) -> Vec<Edit> {
        let new_specifiers = self.rewritten(path).map(|(link, new)| Edit { span: link.span(), text: new.to_owned() });
        self.rewrites.edits_of(path).iter().cloned().chain(new_specifiers).collect()
    }

    fn is_rewritten(&self, path: &str, index: usize) -> bool {
        let planned = self.links.get(&(path.to_owned(), index));
        planned.is_some_and(|planned| matches!(planned.fate, LinkDecision::Rewrite))
    }

    /// Rewritten links of one file.
    fn rewritten(&self, path: &str) -> impl Iterator<Item = (&'a LinkFact, &str)> {
        let links = self.workspace.file(path).and_then(|entry| entry.links.as_ref());
        let all = self.links.range((path.to_owned(), 0)..=(path.to_owned(), usize::MAX));
        all.filter_map(move |((_, index), planned)| match (&planned.fate, &planned.new) {
            (LinkDecision::Rewrite, NewSpecifier::Text(new)) => Some((links?.get(*index)?, new.as_str())),
            _ => None,
        })
    }

    /// Returns the links to files of the workspace that resolve differently after the change. Also lists files whose
    /// links are no longer recognized.
    fn wrong_links(&mut self, after: &Workspace, relinked: &mut Relinked) -> Vec<WrongLink> {
        let (mut wrong, mut parted_links) = (Vec::new(), BTreeMap::new());
        let removed = RemovedLinks::count(self.workspace, after, self.moves, &self.rewrites);
        for entry in self.workspace.files() {
            if self.moves.overwrites(&entry.path) {
                continue;
            }
            let path = self.moves.path_after(&entry.path);
            let now = after.file(&path);
            let leads_away = |(.., target): (usize, &LinkFact, &Target)| matches!(target, Target::Inside(was) if self.moves.moves(was));
            // Unchanged entries were not resolved again.
            if now.is_some_and(|now| std::ptr::eq(now, entry)) && !links_with_targets(entry).any(leads_away) {
                continue;
            }
            let offset = self.offsets(&entry.path);
            let mut there: HashMap<usize, Vec<(&LinkFact, &Target)>> = HashMap::new();
            for (_, link, target) in now.into_iter().flat_map(links_with_targets) {
                there.entry(link.span().start).or_default().push((link, target));
            }
            let mut lost = 0;
            for (index, link, target) in links_with_targets(entry) {
                let Target::Inside(was) = target else { continue };
                let expected = self.moves.path_after(was);
                if self.is_left_to_document(&entry.path, link) {
                    if expected != *was && self.is_lost_in_document(now, (&entry.path, link), &expected, &removed) {
                        wrong.push(WrongLink { key: (entry.path.clone(), index), leads: None, is_correct: false });
                    }
                    continue;
                }
                let mut same = there.get(&offset(link.span().start)).into_iter().flatten();
                let resolved = match same.find(|(other, _)| is_same_link(link, other)) {
                    Some((_, Target::Inside(now))) if *now == expected && is_emptied(self.workspace, after, now) => {
                        None
                    }
                    Some((_, Target::Inside(now))) if *now == expected => {
                        let is_odd =
                            is_new_detour((&entry.path, &path), &link.specifier) || differ_in_case(was, &expected);
                        if is_odd && !self.is_rewritten(&entry.path, index) {
                            let resolved = Some(expected);
                            wrong.push(WrongLink {
                                key: (entry.path.clone(), index),
                                leads: resolved,
                                is_correct: true,
                            });
                        }
                        continue;
                    }
                    Some((_, Target::Inside(now))) => {
                        let stays = !self.is_rewritten(&entry.path, index);
                        let parted = split_folder(self.workspace, self.moves, was, now).filter(|_| stays);
                        if let Some(parted) = parted {
                            parted_links.insert((entry.path.clone(), index), parted);
                            continue;
                        }
                        Some(now.clone())
                    }
                    Some(_) => None,
                    // The link was rewritten, and its new text is no longer recognized as a link.
                    None if self.is_rewritten(&entry.path, index) => None,
                    None => {
                        lost += 1;
                        continue;
                    }
                };
                wrong.push(WrongLink { key: (entry.path.clone(), index), leads: resolved, is_correct: false });
            }
            if lost > 0 {
                let links = crate::result_types::pluralized(lost, "link");
                relinked.unresolved.push(format!("{path}: not recognized under this name: {links} of {}", entry.path));
            }
        }
        self.split_folders = parted_links;
        wrong
    }

    /// Returns whether the document itself rewrites a link, or reports it as unresolved.
    fn is_left_to_document(&self, path: &str, link: &LinkFact) -> bool {
        self.rewrites.touches(path, link.span()) || self.rewrites.reports(path, link.span())
    }

    /// Returns whether a link that the document rewrites does not resolve after the change. The offsets of its
    /// statement change, so links are compared only by their destinations.
    fn is_lost_in_document(
        &self,
        now: Option<&Entry>,
        (path, link): (&str, &LinkFact),
        expected: &str,
        removed: &RemovedLinks,
    ) -> bool {
        let is_replaced = || self.rewrites.removes(path, link.span()) && removed.are_replaced(expected);
        !links_to(now, expected) && !self.rewrites.reports(path, link.span()) && !is_replaced()
    }

    /// Maps offsets of a file to the text after its edits.
    fn offsets(&self, path: &str) -> impl Fn(usize) -> usize {
        let mut edits = self.unsorted_edits(path);
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        // Prefix sums of the lengths of new and replaced texts; the edits do not overlap.
        let mut sums = vec![(0, 0)];
        for edit in &edits {
            let (added, removed) = sums[sums.len() - 1];
            sums.push((added + edit.text.len(), removed + edit.span.len()));
        }
        move |at| {
            let before = edits.partition_point(|edit| edit.span.end <= at);
            let at = edits.get(before).map_or(at, |edit| at.min(edit.span.start));
            let (added, removed) = sums[before];
            at + added - removed
        }
    }

    // --- decisions ---

    /// Decides about links that resolve differently. Returns whether any decision changed.
    fn decide(&mut self, wrong: &[WrongLink]) -> Result<bool> {
        self.request_specifiers(wrong)?;
        let mut changed = false;
        // Configurations come first, because other links depend on them.
        let workspace = self.workspace;
        let is_open = |wrong: &&WrongLink| {
            self.links
                .get(&wrong.key)
                .is_some_and(|it| matches!((&it.fate, &it.new), (LinkDecision::Keep, NewSpecifier::Text(_))))
        };
        let decides = |wrong: &WrongLink| workspace.is_configuration(&wrong.key.0);
        let has_first = wrong.iter().filter(is_open).any(decides);
        for wrong in wrong {
            let comes = !has_first || decides(wrong);
            let Some(planned) = self.links.get_mut(&wrong.key) else { continue };
            match (&planned.fate, &planned.new) {
                (LinkDecision::Keep, NewSpecifier::Text(_)) if comes => planned.fate = LinkDecision::Rewrite,
                (LinkDecision::Rewrite, NewSpecifier::Text(new)) => {
                    let why = format!("`{new}` would {}", resolution_text(wrong.leads.as_deref()));
                    planned.fate = LinkDecision::List(why);
                }
                _ => continue,
            }
            changed = true;
        }
        Ok(changed)
    }

    /// Asks the packs for the new specifiers of links.
    fn request_specifiers(&mut self, wrong: &[WrongLink]) -> Result<()> {
        let new: HashSet<&LinkKey> =
            wrong.iter().map(|wrong| &wrong.key).filter(|key| !self.links.contains_key(*key)).collect();
        let is_left = |(path, index): &LinkKey| {
            let links = self.workspace.file(path).and_then(|entry| entry.links.as_ref());
            links.and_then(|links| links.get(*index)).is_some_and(|link| self.is_left_to_document(path, link))
        };
        let new: HashSet<&LinkKey> = new.into_iter().filter(|key| !is_left(key)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let engines: HashSet<&str> =
            new.iter().filter_map(|(path, _)| Some(self.workspace.file(path)?.engine.as_str())).collect();
        let mut requests: HashMap<&str, Vec<(LinkKey, SpecifierRequest)>> = HashMap::new();
        for entry in self.workspace.files().filter(|entry| engines.contains(entry.engine.as_str())) {
            let goes = self.moves.moves(&entry.path);
            for (index, link, target) in links_with_targets(entry) {
                let Target::Inside(was) = target else { continue };
                let key = (entry.path.clone(), index);
                // The request contains all links that the change affects, so that the pack knows which other files
                // move.
                if goes || self.moves.moves(was) || new.contains(&key) {
                    requests.entry(&entry.engine).or_default().push((key, self.request(entry, link, was)));
                }
            }
        }
        let stage = self.session.work.stage("formatting links", requests.values().map(Vec::len).sum());
        let mut planned = Vec::new();
        for asked in requests.into_values() {
            let pack = self.session.packs.for_path(&self.session.files, &asked[0].0.0)?;
            let questions: Vec<SpecifierRequest> = asked.iter().map(|(_, request)| request.clone()).collect();
            for ((key, request), formatted) in asked.into_iter().zip(pack.format_specifiers(&questions)?) {
                stage.step()?;
                if new.contains(&key) {
                    let new = match formatted {
                        Ok(new) if new == request.specifier => NewSpecifier::Same,
                        Ok(new) => NewSpecifier::Text(new),
                        Err(error) => NewSpecifier::Refused(error),
                    };
                    planned.push((key, new));
                }
            }
        }
        self.links.extend(planned.into_iter().map(|(key, new)| (key, PlannedLink { fate: LinkDecision::Keep, new })));
        Ok(())
    }

    fn request(&self, entry: &Entry, link: &LinkFact, was: &str) -> SpecifierRequest {
        SpecifierRequest {
            from: self.moves.path_after(&entry.path),
            to: self.moves.path_after(was),
            old_destination: was.to_owned(),
            kind: link.kind.clone(),
            specifier: link.specifier.clone(),
        }
    }

    /// Keeps a link that resolves differently, and lists it with the reason.
    fn list_wrong_link(&mut self, wrong: WrongLink) {
        let resolution = format!("it would {}", resolution_text(wrong.leads.as_deref()));
        let planned =
            self.links.entry(wrong.key).or_insert(PlannedLink { fate: LinkDecision::Keep, new: NewSpecifier::Same });
        planned.fate = match (&planned.fate, &planned.new) {
            (LinkDecision::List(why), _) => LinkDecision::List(why.clone()),
            (_, NewSpecifier::Refused(why)) => LinkDecision::List(why.to_string()),
            _ => LinkDecision::List(resolution),
        };
    }

    /// Records the decisions as edits and lists.
    fn record_edits(self, relinked: &mut Relinked) -> Result<()> {
        let files = &self.session.files;
        for ((path, index), planned) in &self.links {
            let Some(entry) = self.workspace.file(path) else { continue };
            let link = entry.links.as_ref().and_then(|links| links.get(*index));
            let target = entry.targets.as_ref().and_then(|targets| targets.get(*index));
            let Some((link, target)) = link.zip(target) else { continue };
            match (&planned.fate, &planned.new) {
                (LinkDecision::Rewrite, NewSpecifier::Text(new)) => {
                    relinked.rewrite_link(files, (entry, link), new.clone())?
                }
                (LinkDecision::List(why), _) => {
                    let led = if let Target::Inside(was) = target { was.as_str() } else { "" };
                    let why = format!("{why}; it resolved to `{led}`");
                    relinked.add_unresolved(files, (entry, &self.moves.path_after(path)), link, &why);
                }
                _ => {}
            }
        }
        for ((path, index), SplitFolder { from, to, staying, all }) in &self.split_folders {
            let entry = self.workspace.file(path);
            let link = entry.and_then(|entry| Some((entry, entry.links.as_ref()?.get(*index)?)));
            if let Some((entry, link)) = link.filter(|_| *staying > 0) {
                let why = format!("it resolves to `{to}` now; {staying} of {all} files stay in `{from}`");
                relinked.add_unresolved(files, (entry, &self.moves.path_after(path)), link, &why);
            }
        }
        for (path, edits) in self.rewrites.edits {
            let Some(entry) = self.workspace.file(&path) else { continue };
            let part = relinked.file_links(files, entry)?;
            let text = std::sync::Arc::clone(&part.source.text);
            part.changes.extend(edits.iter().map(|edit| OldNew {
                old: edit.span.slice(&text).trim().to_owned(),
                new: edit.text.trim().to_owned(),
            }));
            part.edits.extend(edits);
        }
        relinked.new_files.extend(self.rewrites.new_files);
        Ok(())
    }
}

/// Returns whether a link of a file resolves to a path.
fn links_to(entry: Option<&Entry>, path: &str) -> bool {
    let mut targets = entry.into_iter().flat_map(links_with_targets).map(|(.., target)| target);
    targets.any(|target| matches!(target, Target::Inside(resolved) if resolved == path))
}

/// Returns whether two links at the same offset are the same link. Only the first words of their kinds are compared,
/// because the rest describes the base of the path, which may have changed.
fn is_same_link(before: &LinkFact, after: &LinkFact) -> bool {
    let form = |link: &LinkFact| link.kind.split(' ').next().unwrap_or_default().to_owned();
    form(before) == form(after)
}

/// Returns whether a move or copy of its file makes a relative specifier a detour.
pub(super) fn is_new_detour((before, after): (&str, &str), specifier: &str) -> bool {
    is_detour(folder(after), specifier) && !is_detour(folder(before), specifier)
}

/// Returns whether a relative path leaves its folder and enters it again.
fn is_detour(folder: &str, path: &str) -> bool {
    let (mut at, mut rest, mut left) = (folder, path.trim_start_matches("./"), None);
    while let Some(next) = rest.strip_prefix("../").filter(|_| !at.is_empty()) {
        let (above, name) = at.rsplit_once('/').unwrap_or(("", at));
        (at, rest, left) = (above, next, Some(name));
    }
    left.and_then(|left| rest.strip_prefix(left)).is_some_and(|below| below.starts_with('/'))
}

fn resolution_text(to: Option<&str>) -> String {
    to.map_or_else(|| "resolve to nothing".to_owned(), |path| format!("resolve to `{path}`"))
}

#[cfg(test)]
mod tests {
    use super::is_detour;

    #[test]
    fn path_that_reenters_its_own_folder_is_a_detour() {
        for (folder, path) in
            [("src", "../src/x"), ("a/b", "../../a/b/x"), ("a/b", "../b/x.ts#y"), ("src", "./../src/x")]
        {
            assert!(is_detour(folder, path), "{folder} {path}");
        }
        // These paths are not detours. In `src/cli`, the path `../cli` can refer to a file next to the folder.
        for (folder, path) in
            [("src/cli", "../cli"), ("src", "../lib/x"), ("", "../src/x"), ("src", "./src/x"), ("a", "x")]
        {
            assert!(!is_detour(folder, path), "{folder} {path}");
        }
    }
}
