//! Occurrences of a name in files whose packs cannot resolve it: because the files have another pack, have syntax
//! errors or could not be decoded. The meaning of such an occurrence is uncertain. It is listed as unresolved if it may
//! be code that uses the name. It is listed as a mention if the pack can parse the file and the file does not import
//! from the declaring file.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_graph::{Entry, Target, Workspace, parallel_map};
use marquetry_model::{
    Interface, Kind, Result,
    pack::{Embedded, Member, PackDiagnostic, Subject},
    ports::{Document, Pack},
    text::Lines,
};

use crate::{
    generated_files::is_generated,
    mentioned_paths::{MentionedPath, RelocatedPaths},
    reference_search::ReferenceSearch,
    result_types::Location,
    session::Session,
    undecodable::undecodable_text,
    words::whole_word_offsets,
};

/// Larger files are considered data and are not searched.
pub(crate) const MAX_SEARCHED_SIZE: u64 = 4 << 20;

/// Occurrences to list.
#[derive(Debug, Default)]
pub(crate) struct MentionedNames {
    /// Occurrences that may be code.
    pub(crate) unresolved: Vec<Location>,
    /// `file:line:column` of occurrences in prose or data.
    pub(crate) mentions: Vec<String>,
    /// Files that could not be searched, and files whose links may be incomplete and that mention a declaring file.
    pub(crate) unread: Vec<String>,
}

/// The files that may use a symbol, and the capabilities of their packs.
struct PossibleUsers<'a> {
    name: &'a str,
    workspace: &'a Workspace,
    /// Files that export the symbol, each with the exported name.
    exporters: BTreeSet<(&'a str, &'a str)>,
    /// The member with its declarations, if the symbol is one.
    member: Option<&'a Member>,
    /// Other names under which the symbol is exported, such as the anchor of a heading, each after `#`.
    fragments: BTreeSet<String>,
    /// Files that import the symbol. For a global symbol, also files that load a declaring file.
    users: BTreeSet<String>,
    /// True if the symbol is a member, which any file that imports something from the workspace can use.
    is_member: bool,
    /// True if the symbol is a global name.
    is_global: bool,
    /// For each pack in the index: true if it resolves names of this kind, and true if it reads links.
    packs: BTreeMap<&'a str, (bool, bool)>,
}

/// Occurrences in one file, each with its offset.
#[derive(Default)]
struct FoundNames {
    /// Occurrences that may be references.
    code: Vec<(usize, Location)>,
    /// Occurrences in prose or data.
    prose: Vec<(usize, Location)>,
}

impl Session {
    /// Finds all occurrences of the name in files whose packs cannot resolve it. `is_resolved` returns whether an
    /// occurrence is part of an answer. It is called for files with syntax errors, whose answers may be incomplete.
    pub(crate) fn mentioned_elsewhere(
        &self,
        search: &ReferenceSearch,
        name: &str,
        is_resolved: impl Fn(&Location, usize) -> bool,
    ) -> Result<MentionedNames> {
        let mut mentioned = MentionedNames::default();
        let Some(workspace) = search.workspace() else { return Ok(mentioned) };
        let audience = self.possible_users(&workspace, search, name)?;
        let is_theirs = |entry: &Entry| audience.packs.get(entry.engine.as_str()).is_some_and(|known| known.0);
        let is_searched = |entry: &&Entry| {
            if search.has_answered(&entry.path) {
                return entry.is_partly_read && entry.may_hold(name);
            }
            let is_understood = is_theirs(entry) && !entry.is_partly_read && audience.fragments.is_empty();
            search.is_exported() && !is_understood && !is_generated(&entry.path) && audience.may_be_in(entry)
        };
        let candidates: Vec<&Entry> = workspace.files().filter(is_searched).collect();
        let stage = self.work.stage("searching for the name", candidates.len());
        let found = parallel_map(&candidates, |entry| {
            stage.step()?;
            self.mentioned_in(entry, &audience, is_theirs(entry))
        });
        for (entry, found) in candidates.iter().zip(found) {
            let FoundNames { code, prose } = match found {
                Ok(found) => found,
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) => {
                    mentioned.unread.push(format!("{}: {error}", entry.path));
                    continue;
                }
            };
            let is_open =
                |(offset, place): &(usize, Location)| !search.has_answered(&place.path) || !is_resolved(place, *offset);
            mentioned.unresolved.extend(code.into_iter().filter(is_open).map(|(_, place)| place));
            let shown = |Location { path, line, column }: Location| format!("{path}:{line}:{column}");
            mentioned.mentions.extend(prose.into_iter().map(|(_, place)| shown(place)));
        }
        if search.is_exported() {
            self.add_member_mentions(&workspace, search, &mut mentioned, &is_resolved)?;
            let listed: BTreeSet<&str> = mentioned.unresolved.iter().map(|place| place.path.as_str()).collect();
            let is_skipped = |path: &str| search.has_answered(path) || listed.contains(path);
            let paths: BTreeSet<&str> = audience.exporters.iter().map(|(file, _)| *file).collect();
            let paths: Vec<&str> = paths.into_iter().collect();
            mentioned.unread.extend(self.unanalyzed_importers(&workspace, &paths, is_skipped)?);
        }
        Ok(mentioned)
    }

    /// Adds occurrences that name the symbol together with its module. These are always listed as unresolved, even in
    /// settings and in files that do not import the module.
    fn add_member_mentions(
        &self,
        workspace: &Workspace,
        search: &ReferenceSearch,
        mentioned: &mut MentionedNames,
        is_resolved: impl Fn(&Location, usize) -> bool,
    ) -> Result<()> {
        for (exporter, known_as) in search.exporters() {
            for (offset, place) in self.member_mentions(workspace, exporter, known_as)? {
                let shown = format!("{}:{}:{}", place.path, place.line, place.column);
                mentioned.mentions.retain(|mention| *mention != shown);
                let is_known = search.has_answered(&place.path) && is_resolved(&place, offset);
                if !is_known && !mentioned.unresolved.contains(&place) {
                    mentioned.unresolved.push(place);
                }
            }
        }
        Ok(())
    }

    /// Lists files with syntax errors and files that could not be decoded if they mention one of the given files. The
    /// mentions may be imports.
    pub(crate) fn unanalyzed_importers(
        &self,
        workspace: &Workspace,
        paths: &[&str],
        is_skipped: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>> {
        let going = RelocatedPaths::for_query(workspace, paths);
        let found = self.mentioned_in_broken_files(&going, |entry| {
            is_skipped(&entry.path) || is_generated(&entry.path) || paths.contains(&entry.path.as_str())
        })?;
        let shown = |MentionedPath { file, line, path, .. }: MentionedPath| {
            format!("{file}:{line}: mentions `{path}`, and only a part of the file can be read")
        };
        Ok(found.places.into_iter().map(shown).chain(found.unread).collect())
    }

    /// Lists the files that have syntax errors or could not be decoded, and that mention one of the names. If there are
    /// no such files, lists those that mention the file that exports the names.
    pub(crate) fn unanalyzed_users(
        &self,
        workspace: &Workspace,
        exporter: &str,
        names: &[&str],
        is_skipped: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in workspace.files().filter(|entry| {
            entry.may_miss_links()
                && entry.path != exporter
                && !is_generated(&entry.path)
                && !is_skipped(&entry.path)
                && names.iter().any(|name| entry.may_hold(name))
        }) {
            let Some(text) = self.searched_text(entry)? else { continue };
            let mention = names.iter().find_map(|name| Some((name, *whole_word_offsets(&text, name).first()?)));
            if let Some((name, at)) = mention {
                let line = Lines::new(&text).position(at).line;
                let path = &entry.path;
                found.push(format!("{path}:{line}: mentions `{name}`, and only a part of the file can be read"));
            }
        }
        if found.is_empty() {
            found = self.unanalyzed_importers(workspace, &[exporter], is_skipped)?;
        }
        Ok(found)
    }

    fn possible_users<'a>(
        &self,
        workspace: &'a Workspace,
        search: &'a ReferenceSearch,
        name: &'a str,
    ) -> Result<PossibleUsers<'a>> {
        let mut packs = BTreeMap::new();
        for entry in workspace.files() {
            if !packs.contains_key(entry.engine.as_str()) && !entry.engine.is_empty() {
                let pack = self.packs.for_path(&self.files, &entry.path)?;
                let is_given = pack.may_receive(&entry.path);
                let is_theirs =
                    is_given && pack.has_interface(Interface::Symbols) && pack.description().id == search.engine();
                packs.insert(entry.engine.as_str(), (is_theirs, is_given && pack.has_interface(Interface::Links)));
            }
        }
        let (mut users, mut fragments) = (BTreeSet::new(), BTreeSet::new());
        for (file, known_as) in search.exporters() {
            let importers = workspace.importers(file).into_iter().filter(|importer| importer.may_carry(known_as));
            users.extend(importers.map(|importer| importer.file.path.clone()));
            if known_as != name && known_as != "default" {
                fragments.insert(format!("#{known_as}"));
            }
        }
        // A file that loads another file has access to all of its globals, even if the link has a list of names.
        for file in search.global_users() {
            users.extend(workspace.importers(file).into_iter().map(|importer| importer.file.path.clone()));
        }
        let exporters = search.exporters().collect();
        let (is_member, is_global) = (search.is_member(), search.is_global());
        let member = search.declared_member();
        Ok(PossibleUsers { name, workspace, exporters, member, fragments, users, is_member, is_global, packs })
    }

    /// Returns the text of a file to search; `None` if it is not searched.
    fn searched_text(&self, entry: &Entry) -> Result<Option<String>> {
        if entry.size > MAX_SEARCHED_SIZE {
            return Ok(None);
        }
        match self.files.read(&entry.path) {
            Ok(source) => Ok(Some(source.text.to_string())),
            Err(error) if error.kind() == Kind::Unsupported => {
                Ok(undecodable_text(self.files.as_ref(), &entry.path, entry.size))
            }
            // The file was deleted in the meantime.
            Err(error) if error.kind() == Kind::FileNotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Finds the occurrences in one file.
    fn mentioned_in(&self, entry: &Entry, audience: &PossibleUsers<'_>, is_theirs: bool) -> Result<FoundNames> {
        let Some(text) = self.searched_text(entry)? else { return Ok(FoundNames::default()) };
        let fragments = audience.fragment_offsets(entry, &text);
        let names =
            if is_theirs && !entry.is_partly_read { Vec::new() } else { whole_word_offsets(&text, audience.name) };
        let understood = audience.packs.get(entry.engine.as_str()).is_some_and(|known| known.1);
        let may_be_code = entry.may_miss_links() || !understood || audience.imports_by_name(entry);
        let used = match may_be_code || names.is_empty() {
            true => BTreeSet::new(),
            false => self.uses_in_embedded_code(entry, &names, audience)?,
        };
        // A global name can be used in the strings of any language.
        let is_code = |at: &usize| may_be_code || used.contains(at) || audience.is_global && is_in_quotes(&text, *at);
        let (code, prose): (Vec<usize>, Vec<usize>) = names.into_iter().partition(is_code);
        let lines = Lines::new(&text);
        let place = |at: usize| (at, Location::new(&entry.path, lines.position(at)));
        Ok(FoundNames {
            code: fragments.into_iter().chain(code).map(place).collect(),
            prose: prose.into_iter().map(place).collect(),
        })
    }

    /// Returns the occurrences in embedded code that may refer to the symbol, among those at the offsets.
    fn uses_in_embedded_code(
        &self,
        entry: &Entry,
        offsets: &[usize],
        audience: &PossibleUsers<'_>,
    ) -> Result<BTreeSet<usize>> {
        let file = self.open_found(&entry.path)?;
        let parts = file.ask(|document| document.embedded())?;
        let mut found = BTreeSet::new();
        for part in parts {
            let held = offsets.iter().copied().filter(|at| part.span.start <= *at && *at < part.span.end);
            let held: BTreeSet<usize> = held.collect();
            if !held.is_empty() {
                found.extend(self.uses_in_part(&entry.path, (&part, part.span.slice(file.text())), &held, audience)?);
            }
        }
        Ok(found)
    }

    /// Returns the occurrences in one embedded part that may refer to the symbol: those that the pack of its language
    /// finds, if the part links to a file that provides the symbol; all, if the pack cannot read the part.
    fn uses_in_part(
        &self,
        path: &str,
        (part, code): (&Embedded, &str),
        held: &BTreeSet<usize>,
        audience: &PossibleUsers<'_>,
    ) -> Result<BTreeSet<usize>> {
        let Some(pack) = self.pack_of_language(&part.language)? else { return Ok(BTreeSet::new()) };
        if !pack.has_interface(Interface::Symbols) || !pack.has_interface(Interface::Links) {
            return Ok(BTreeSet::new());
        }
        let own_path = format!("{path}.{}", part.language);
        let mut document = std::sync::Arc::clone(&pack).open(&own_path, &std::sync::Arc::from(code))?;
        let is_broken = document.parse_errors()?.iter().any(PackDiagnostic::leaves_text_unread);
        let subjects = audience.subjects_in(pack.as_ref(), document.as_mut(), path)?;
        if is_broken {
            let may_use = audience.is_member || !subjects.is_empty() || audience.is_exporter_named_in(code);
            return Ok(if may_use { held.clone() } else { BTreeSet::new() });
        }
        let mut found = BTreeSet::new();
        for subject in subjects {
            let Ok(resolution) = document.resolve_symbol(&subject) else { return Ok(held.clone()) };
            let starts = resolution.occurrences.iter().map(|occurrence| part.span.start + occurrence.span.start);
            found.extend(starts.filter(|at| held.contains(at)));
        }
        Ok(found)
    }
}

impl PossibleUsers<'_> {
    /// Returns the questions about the symbol to code that is embedded in the file at a path. They are empty if the code
    /// does not link to a file that provides the symbol.
    fn subjects_in(&self, pack: &dyn Pack, document: &mut dyn Document, path: &str) -> Result<Vec<Subject>> {
        let links = document.links()?;
        let requests: Vec<_> = links.into_iter().map(|link| (link.kind, link.specifier)).collect();
        let targets = pack.resolve(path, &requests)?.into_iter().map(Target::from);
        let mut specifiers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((_, specifier), target) in requests.into_iter().zip(targets) {
            if let Target::Inside(path) = target {
                specifiers.entry(path).or_default().insert(specifier);
            }
        }
        let imported = self.exporters.iter().filter_map(|(file, name)| {
            let specifiers = specifiers.get(*file)?.iter().cloned().collect();
            Some(Subject::Imported { specifiers, name: (*name).to_owned() })
        });
        let mut subjects: Vec<Subject> = imported.collect();
        if !specifiers.is_empty() {
            subjects.extend(self.member.map(|member| Subject::Member(member.clone())));
        }
        Ok(subjects)
    }

    /// Returns whether a text contains the name of an exporting file, without its extension.
    fn is_exporter_named_in(&self, text: &str) -> bool {
        self.exporters.iter().any(|(file, _)| {
            let name = file.rsplit('/').next().unwrap_or(file);
            let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name);
            !whole_word_offsets(text, stem).is_empty()
        })
    }

    /// Returns whether the text of a file may contain the name in one of its forms.
    fn may_be_in(&self, entry: &Entry) -> bool {
        entry.may_hold(self.name) || self.fragments.iter().any(|fragment| entry.may_hold(fragment))
    }

    /// Returns whether the file imports names from a file that provides the symbol.
    fn imports_by_name(&self, entry: &Entry) -> bool {
        let links = entry.links.iter().flatten().zip(entry.targets.iter().flatten());
        let may_provide =
            |target: &Target| matches!(target, Target::Inside(path) if self.may_provide_members(entry, path));
        let by_name = || links.clone().any(|(link, target)| !link.names.is_empty() && may_provide(target));
        self.users.contains(&entry.path) || self.is_member && by_name()
    }

    /// Returns whether the file at a path may provide members of the symbol's language to a file that imports names from
    /// it. Files of one pack that does not resolve such names, such as style sheets, only provide names of their own.
    fn may_provide_members(&self, importer: &Entry, path: &str) -> bool {
        let Some(provider) = self.workspace.file(path) else { return true };
        let is_theirs = |engine: &str| self.packs.get(engine).is_some_and(|known| known.0);
        provider.engine != importer.engine || is_theirs(&provider.engine) || provider.is_partly_read
    }

    /// Offsets of references with a fragment to an export, such as `guide.md#setup`, except in links that resolve to
    /// another file.
    fn fragment_offsets(&self, entry: &Entry, text: &str) -> Vec<usize> {
        let links = || entry.links.iter().flatten().zip(entry.targets.iter().flatten());
        let is_in_other_link = |at: usize| {
            links().any(|(link, target)| {
                let span = link.span();
                let is_other =
                    matches!(target, Target::Inside(path) if !self.exporters.iter().any(|(file, _)| file == path));
                is_other && span.start <= at && at <= span.end
            })
        };
        let mut found = Vec::new();
        for fragment in &self.fragments {
            let ends = |at: usize| !text[at + fragment.len()..].starts_with(is_part_of_fragment);
            // Without a path before it, a fragment refers to its own file.
            let has_path = |at: usize| text[..at].ends_with(is_part_of_fragment);
            let all = text.match_indices(fragment.as_str()).map(|(at, _)| at);
            found.extend(all.filter(|at| ends(*at) && has_path(*at) && !is_in_other_link(*at)).map(|at| at + 1));
        }
        found.sort_unstable();
        found
    }
}

fn is_part_of_fragment(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | '%' | '~')
}

/// Returns whether an offset is inside of quotes on its line.
pub(crate) fn is_in_quotes(text: &str, at: usize) -> bool {
    let before = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    let mut quote = None;
    for c in before.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            _ => {}
        }
    }
    let after = &text[at..text[at..].find('\n').map_or(text.len(), |end| at + end)];
    quote.is_some_and(|open| after.contains(open))
}

#[cfg(test)]
mod tests {
    use super::is_in_quotes;

    #[test]
    fn quotes_are_paired_on_a_line() {
        for (line, expected) in [
            ("class=\"a btn\"", true),
            ("<p class='btn'>", true),
            ("el.className = `btn`;", true),
            ("it's a btn", false),
            ("\"a\" btn \"b\"", false),
            ("\"it's btn\"", true),
            ("\"\nbtn\"", false),
        ] {
            assert_eq!(is_in_quotes(line, line.find("btn").expect("the name")), expected, "{line}");
        }
    }
}
