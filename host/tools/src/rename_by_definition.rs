//! Renames occurrences that no pack could resolve but a language server can. Such an occurrence is edited only if the
//! definition that the server reports is renamed, and if the server's own rename makes the same edits in the file. All
//! other occurrences are listed.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    ports::Source,
    servers::{ServerEdits, ServerQuestion},
    text::Lines,
};

use crate::{
    draft::{Draft, changed_meanwhile, check_syntax, validated_edits},
    reference_search::ReferenceSearch,
    rename_symbol::RenameOutcome,
    result_types::Location,
    server_definitions::{KnownSymbol, Meaning, NamePlace, ServerMeanings},
    session::Session,
    unresolved_list::likely_files,
    words::{is_whole_word, whole_word_offsets},
};

/// Maximum number of declarations for which a server is asked to rename.
const MAX_DECLARATIONS: usize = 8;

/// Old and new name.
#[derive(Clone, Copy)]
struct Names<'a> {
    old: &'a str,
    new: &'a str,
}

/// Unresolved occurrences that refer to the symbol according to the server, by declaration.
type SameOccurrences = BTreeMap<NamePlace, BTreeSet<NamePlace>>;

impl Session {
    /// Asks the language servers about unresolved occurrences, and renames those that refer to the symbol. Returns the
    /// occurrences that remain unresolved, and those that only the server would rename.
    pub(crate) fn rename_by_definition(
        &self,
        search: &ReferenceSearch,
        unasked: &[String],
        mut places: Vec<Location>,
        (done, new_name): (&mut RenameOutcome, &str),
    ) -> Result<Vec<Location>> {
        let Some(workspace) = search.workspace().filter(|_| self.servers.is_some()) else { return Ok(places) };
        let likely = likely_files(&workspace, search.declaring());
        places.sort();
        places.dedup();
        places.sort_by_key(|place| !likely.contains(&place.path));
        let name = done.name.clone();
        let symbol = KnownSymbol {
            name: &name,
            workspace: &workspace,
            is_symbol: &|path, span| is_edited(&done.draft, path, span),
            is_unread: &|path| unasked.iter().any(|why| why.starts_with(&format!("{path}: "))),
        };
        let ServerMeanings { places: meanings, engines } = self.meanings_by_server(&places, &symbol)?;
        let mut same = SameOccurrences::new();
        let mut resolved: BTreeSet<Location> = BTreeSet::new();
        for (location, (offset, meaning)) in &meanings {
            let span = Span::new(*offset, *offset + name.len());
            match (meaning, is_edited(&done.draft, &location.path, span)) {
                // A pack may both edit an occurrence and list it as unresolved.
                (Meaning::Same(_), true) | (Meaning::Other, false) => _ = resolved.insert(location.clone()),
                (Meaning::Same(declaration), false) => {
                    let place = NamePlace { path: location.path.clone(), offset: *offset };
                    same.entry(declaration.clone()).or_default().insert(place);
                }
                (Meaning::Other, true) => {}
            }
        }
        let overlooked = self.rename_same(&same, &mut done.draft, Names { old: &name, new: new_name })?;
        let is_renamed = |place: &Location| {
            let same = meanings.get(place).filter(|(_, meaning)| matches!(meaning, Meaning::Same(_)));
            same.is_some_and(|(at, _)| is_edited(&done.draft, &place.path, Span::new(*at, *at + name.len())))
        };
        let all = places.len();
        places.retain(|place| !resolved.contains(place) && !is_renamed(place));
        done.servers.places = all - places.len();
        if done.servers.places > 0 {
            done.servers.engines = engines;
        }
        places.extend(overlooked);
        Ok(places)
    }

    /// Adds the edits of the server's rename for occurrences whose definitions are renamed. Returns other occurrences
    /// in these files that the server would also rename.
    fn rename_same(&self, same: &SameOccurrences, draft: &mut Draft, names: Names<'_>) -> Result<Vec<Location>> {
        let wanted: BTreeSet<&NamePlace> = same.values().flatten().collect();
        let mut overlooked = Vec::new();
        for (declaration, places) in same.iter().take(MAX_DECLARATIONS) {
            for (source, edits) in self.rename_edits(declaration, names.new)? {
                let of_file: BTreeSet<usize> =
                    places.iter().filter(|place| place.path == source.path).map(|place| place.offset).collect();
                let is_known = |edit: &&Edit| {
                    let at = NamePlace { path: source.path.clone(), offset: edit.span.start };
                    wanted.contains(&at) || is_edited(draft, &source.path, edit.span)
                };
                if of_file.is_empty() {
                    continue;
                }
                let others: Vec<&Edit> = edits.iter().filter(|edit| !is_known(edit)).collect();
                if others.is_empty() {
                    self.add_edits(&source, &edits, &of_file, (&mut *draft, names))?;
                    continue;
                }
                let lines = Lines::new(&source.text);
                let is_name = |edit: &&&Edit| is_whole_word(&source.text, edit.span.start, names.old);
                let places = others.iter().filter(is_name);
                overlooked.extend(places.map(|edit| Location::new(&source.path, lines.position(edit.span.start))));
            }
        }
        Ok(overlooked)
    }

    /// Returns the edits with which a server renames a declaration. Empty if it fails or if its answer is incomplete.
    fn rename_edits(&self, declaration: &NamePlace, new_name: &str) -> Result<Vec<ServerEdits>> {
        let Ok(Some(server)) = self.optional_server(&declaration.path) else { return Ok(Vec::new()) };
        let source = self.files.read(&declaration.path)?;
        let offset = declaration.offset;
        let question = ServerQuestion { files: &self.files, source: &source, offset, work: &self.work };
        match server.rename(question, new_name) {
            Ok(answer) if answer.incomplete.is_none() => Ok(answer.answer),
            Err(error) if error.kind() == Kind::Cancelled => Err(error),
            Ok(_) | Err(_) => Ok(Vec::new()),
        }
    }

    /// Adds the server's edits of these occurrences of one file to the draft, unless one of them is not safe.
    fn add_edits(
        &self,
        source: &Source,
        edits: &[Edit],
        places: &BTreeSet<usize>,
        (draft, names): (&mut Draft, Names<'_>),
    ) -> Result<()> {
        let text = &source.text;
        let chosen: Vec<Edit> = edits.iter().filter(|edit| places.contains(&edit.span.start)).cloned().collect();
        let is_safe = |edit: &Edit| names.are_in(edit, text) && !names.may_be_captured(edit, text);
        if chosen.is_empty() || chosen.len() != places.len() || !chosen.iter().all(is_safe) {
            return Ok(());
        }
        if draft.file_edits().any(|(known, _)| known.path == source.path && known.hash != source.hash) {
            return Err(changed_meanwhile(&source.path));
        }
        let file = self.open_source(source.clone())?;
        if !file.may_be_read() {
            return Ok(());
        }
        let own = draft.edits_of(&source.path).cloned().unwrap_or_default();
        let added = validated_edits(&source.path, text, chosen)?;
        let Ok(union) = EditSet::union(text, [own, added.clone()]) else { return Ok(()) };
        match check_syntax(&file, &union) {
            Ok(()) => draft.edit(source, added),
            Err(error) if is_of_edits(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Names<'_> {
    /// Returns whether an edit replaces exactly the old name with the new name. The edit of a shorthand also keeps the
    /// old name, as in `{ new: old }`.
    fn are_in(self, edit: &Edit, text: &str) -> bool {
        let is_separator = |rest: &str| rest == " as " || rest.trim() == ":";
        let long = |first: &str, last: &str| {
            edit.text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)).is_some_and(is_separator)
        };
        edit.span.slice(text) == self.old
            && is_whole_word(text, edit.span.start, self.old)
            && (edit.text == self.new || long(self.new, self.old) || long(self.old, self.new))
    }

    /// Returns whether the new name may refer to another declaration in the file: the file already contains the name,
    /// and the edited name has no qualifier.
    fn may_be_captured(self, edit: &Edit, text: &str) -> bool {
        let is_qualified = [".", "::", "->"].iter().any(|separator| text[..edit.span.start].ends_with(separator));
        !is_qualified && !whole_word_offsets(text, self.new).is_empty()
    }
}

/// Returns whether an edit of the draft overlaps or touches a span. The edit of a shorthand property may start or end
/// at the name.
fn is_edited(draft: &Draft, path: &str, span: Span) -> bool {
    let touches = |edit: &Edit| edit.span.start <= span.end && span.start <= edit.span.end;
    draft.edits_of(path).is_some_and(|edits| edits.as_slice().iter().any(touches))
}

/// Returns whether an error means that the edits break the syntax of the file.
fn is_of_edits(error: &Error) -> bool {
    error.kind() == Kind::ParseError
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, new_text: &str, expected: (bool, bool)) {
        let at = text.find("old").expect("the old name");
        let edit = Edit { span: Span::new(at, at + 3), text: new_text.to_owned() };
        let names = Names { old: "old", new: "new" };
        assert_eq!((names.are_in(&edit, text), names.may_be_captured(&edit, text)), expected, "{text} {new_text}");
    }

    #[test]
    fn edits_of_names_are_recognized() {
        check("a.old", "new", (true, false));
        check("{ old }", "new: old", (true, false));
        check("{ old }", "old:new", (true, false));
        check("import { old }", "new as old", (true, false));
        check("a.old", "other", (false, false));
        check("a.old", "new()", (false, false));
        check("a.old", "new; old", (false, false));
        check("a.older", "new", (false, false));
        check("f(old)", "new", (true, false));
    }

    #[test]
    fn names_that_may_be_captured_are_recognized() {
        check("f(old, new)", "new", (true, true));
        check("a.old + new", "new", (true, false));
        check("a::old + new", "new", (true, false));
        check("a->old + new", "new", (true, false));
        check("f(old, newer)", "new", (true, false));
    }
}
