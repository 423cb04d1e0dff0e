//! Checks whether a rename may continue in a file of another pack: only for the name that the caller selected, and
//! along a link.
//!
//! A pack reports where a name is declared, and the host then asks that file through its own pack. Without this check,
//! a pack could redirect a rename to an unrelated name in files of other packs.

use marquetry_model::{
    Error, Interface, Kind, Result,
    pack::{Destination, RenameResult, Subject},
    ports::{EntryKind, Source},
    text::Lines,
};

use crate::{reference_search::ReferenceSearch, session::Session};

impl Session {
    /// Refuses an answer that redirects a rename to another name, or to a file of another pack without a link to it.
    ///
    /// # Errors
    /// Fails with `RefactorFailed`, with the target of the redirect as a candidate.
    pub(crate) fn check_redirects(
        &self,
        source: &Source,
        renaming: &RenameResult,
        search: &ReferenceSearch,
    ) -> Result<()> {
        let places = renaming.elsewhere.iter().chain(renaming.declared.iter().flat_map(|member| &member.locations));
        let foreign = places.filter(|(path, _)| *path != source.path && self.is_of_another_pack(source, path));
        for (path, offset) in foreign {
            if !self.is_linked_to_name(source, &renaming.name, (path, *offset), search) {
                let place = self.shown_place(path, *offset);
                return Err(redirect_refused(source, renaming, &format!(" at {place}")).candidates([place]));
            }
        }
        if let Some(file) = &renaming.file
            && !self.is_linked_file_with_name(source, &renaming.name, file, search)
        {
            return Err(redirect_refused(source, renaming, &format!(" of the file {file}")).candidates([file.clone()]));
        }
        let is_shared = renaming.shared.is_some();
        if is_shared && !search.may_have_name(source, &renaming.name) {
            return Err(redirect_refused(source, renaming, " (a global name)"));
        }
        Ok(())
    }

    fn is_of_another_pack(&self, source: &Source, path: &str) -> bool {
        let id = |path: &str| self.packs.for_path(&self.files, path).map(|pack| pack.description().id.clone()).ok();
        id(&source.path) != id(path)
    }

    /// Returns whether the caller selected this name, the target has the same name, and a link of the file resolves to
    /// the other file.
    fn is_linked_to_name(
        &self,
        source: &Source,
        name: &str,
        (path, offset): (&str, usize),
        search: &ReferenceSearch,
    ) -> bool {
        let has_name = || self.files.read(path).is_ok_and(|other| has_name_at(&other.text, offset, name));
        search.may_have_name(source, name) && self.links_to(source, path) && has_name()
    }

    /// Returns whether the caller selected this name, and a link of the document resolves to the file or folder that has
    /// it, or to a file in the folder.
    fn is_linked_file_with_name(&self, source: &Source, name: &str, path: &str, search: &ReferenceSearch) -> bool {
        let own = path.rsplit('/').next().unwrap_or(path);
        let stem = own.split_once('.').map_or(own, |(stem, _)| stem);
        let is_folder = self.files.stat(path) == Some(EntryKind::Directory);
        let is_inside = |to: &str| is_folder && to.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        stem == name && search.may_have_name(source, name) && self.links(source, |to| to == path || is_inside(to))
    }

    /// Returns whether a link of the file resolves to another file.
    fn links_to(&self, source: &Source, path: &str) -> bool {
        self.links(source, |to| to == path)
    }

    /// Returns whether a link of the file resolves to a file that meets a condition.
    fn links(&self, source: &Source, is_meant: impl Fn(&str) -> bool) -> bool {
        let linked = || {
            let file = self.open_source(source.clone())?;
            if !file.has(Interface::Links) {
                return Ok(false);
            }
            let links = file.ask(|document| document.links())?;
            let requests: Vec<_> = links.into_iter().map(|link| (link.kind, link.specifier)).collect();
            let resolved = file.whole().resolve(&requests)?;
            Ok::<bool, Error>(
                resolved
                    .iter()
                    .any(|destination| matches!(destination, Destination::Inside { path: to, .. } if is_meant(to))),
            )
        };
        linked().unwrap_or(false)
    }

    fn shown_place(&self, path: &str, offset: usize) -> String {
        let position = self.files.read(path).map(|file| Lines::new(&file.text).position(offset.min(file.text.len())));
        position.map_or_else(|_| path.to_owned(), |at| format!("{path}:{}:{}", at.line, at.column))
    }
}

fn redirect_refused(source: &Source, renaming: &RenameResult, place: &str) -> Error {
    let (path, name) = (&source.path, &renaming.name);
    let message =
        format!("the pack of {path} resolves the name to `{name}`{place}, which may not be the requested name");
    Error::new(Kind::RefactorFailed, message).hint(
        "if it is, rename it in the file that declares it: give that file, and the line and column of the declaration",
    )
}

/// Returns whether a subject can have this name: its address contains it, or the text around its offset does.
pub(crate) fn may_have_name(subject: &Subject, text: &str, name: &str) -> bool {
    match subject {
        Subject::At(at) => has_name_at(text, *at, name),
        Subject::Address(address) => normalized_name(address).contains(&normalized_name(name)),
        Subject::Shared(known) => known.name == name,
        Subject::Member(member) => member.name == name,
        // The host followed a link to this file, and the file may use a different name.
        Subject::Exported(_) | Subject::Imported { .. } | Subject::ImportedDefault { .. } => true,
    }
}

/// Returns whether the word at an offset is this name; for a name of several words, whether the line contains it.
fn has_name_at(text: &str, at: usize, name: &str) -> bool {
    let wanted = normalized_name(name);
    if wanted.is_empty() || at > text.len() || !text.is_char_boundary(at) {
        return false;
    }
    let is_several = name.chars().any(|letter| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    let ends = |letter: char| {
        letter == '\n' || (!is_several && (letter.is_whitespace() || matches!(letter, '"' | '\'' | '`')))
    };
    // The offset may be the end of the name.
    let before = text[..at].rfind(ends).map_or(&text[..at], |found| &text[found + 1..at]);
    if before.ends_with(char::is_alphanumeric) && normalized_name(before).ends_with(&wanted) {
        return true;
    }
    // The offset may be the offset of a quote or another punctuation character before the name.
    let start =
        text[at..].char_indices().find(|(_, letter)| letter.is_alphanumeric()).map_or(at, |(skip, _)| at + skip.min(2));
    let start = if text.is_char_boundary(start) { start } else { at };
    let from = text[..start].rfind(ends).map_or(0, |found| found + 1);
    let to = text[start..].find(ends).map_or(text.len(), |found| start + found);
    text.get(from..to).is_some_and(|around| normalized_name(around).contains(&wanted))
}

/// Normalizes a name, because formats use different conventions: `card-title` and `cardTitle` are the same class.
fn normalized_name(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use marquetry_model::pack::SharedName;

    use super::*;

    #[test]
    fn word_at_offset_matches_any_case_style() {
        let css = ".card { color: red }\n.card-title { }\n";
        let at = |word: &str| css.find(word).expect("there");
        assert!(has_name_at(css, at(".card"), "card") && has_name_at(css, at("card"), "card"));
        assert!(has_name_at(css, at("card-title"), "cardTitle") && has_name_at(css, at(".card-title"), "card-title"));
        assert!(!has_name_at(css, at("color"), "card") && !has_name_at(css, at("card"), "password"));
        let json = "{\"a\": {\"$ref\": \"b.json#/definitions/User\"}}";
        assert!(has_name_at(json, json.find("User").expect("there"), "User"));
        assert!(has_name_at(json, json.find("b.json").expect("there"), "User"), "any offset in the reference counts");
        let code = "const m = n;";
        assert!(has_name_at(code, 6, "m") && has_name_at(code, 7, "m") && has_name_at(code, 11, "n"));
        let page = "# Some Heading\n";
        assert!(has_name_at(page, 2, "some-heading") && has_name_at(page, 7, "some-heading"));
        for (text, at) in [("", 0), ("é", 1), ("a", 9)] {
            assert!(!has_name_at(text, at, "a"), "{text:?} {at}");
        }
        assert!(!has_name_at("all of it", 0, ""));
    }

    #[test]
    fn subject_can_only_have_the_selected_name() {
        let address = |text: &str| Subject::Address(text.to_owned());
        assert!(may_have_name(&address("Scene.getAll"), "", "getAll") && may_have_name(&address(".card"), "", "card"));
        assert!(!may_have_name(&address("all"), "", "password"));
        assert!(!may_have_name(&Subject::At(0), "all\npassword\n", "password"));
        let shared = Subject::Shared(SharedName { namespace: "css-class".to_owned(), name: "btn".to_owned() });
        assert!(may_have_name(&shared, "", "btn") && !may_have_name(&shared, "", "card"));
    }
}
