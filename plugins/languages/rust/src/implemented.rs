//! Traits that a package implements for its types, found by its texts.

use std::{collections::HashSet, rc::Rc};

use marquetry_sdk::workspace::{self, EntryKind};

use crate::{
    memo,
    modules::{below, package},
    types::text::{generic, without_references, words},
};

/// Maximum number of files of a package that are searched.
const MAX_FILES: usize = 20_000;

/// The Rust files below a folder, at most `limit`.
pub(crate) fn files_below(folder: &str, limit: usize) -> Vec<String> {
    let mut found = Vec::new();
    add_files(folder, limit, &mut found);
    found
}

fn add_files(folder: &str, limit: usize, found: &mut Vec<String>) {
    for entry in workspace::entries(folder) {
        let path = below(folder, &entry.name);
        match entry.kind {
            EntryKind::File if path.ends_with(".rs") && found.len() < limit => found.push(path),
            EntryKind::Directory if !entry.name.starts_with('.') && entry.name != "target" => {
                add_files(&path, limit, found);
            }
            EntryKind::File | EntryKind::Directory => {}
        }
    }
}

/// The name of all types, as the target of an implementation for a type parameter: `impl<T> Show for T`.
pub(crate) const ANY: &str = "*";

/// Returns whether the package of a file may implement a trait for a type with a name, or for [`ANY`] type.
pub(crate) fn may_implement(file: &str, trait_name: &str, name: &str) -> bool {
    let folder = package(file).unwrap_or_default().to_owned();
    let compute = || {
        let found: HashSet<String> = texts(&folder).flat_map(|text| targets(&text, trait_name)).collect();
        let is_complete = !found.iter().any(|own| own.starts_with('$'));
        is_complete.then(|| Rc::new(found))
    };
    let found = memo::once(|memo| &mut memo.implemented, &(folder.clone(), trait_name.to_owned()), compute);
    found.is_none_or(|found| found.contains(name) || found.contains(ANY))
}

/// Returns whether the package of a file may declare a function in an implementation of a type without a trait.
pub(crate) fn may_have_method(file: &str, type_name: &str, function: &str) -> bool {
    let folder = package(file).unwrap_or_default().to_owned();
    texts(&folder).any(|text| has_method(&text, type_name, function))
}

/// The texts of the Rust files below a folder.
fn texts(folder: &str) -> impl Iterator<Item = String> {
    files_below(folder, MAX_FILES).into_iter().filter_map(|path| workspace::read(&path).ok())
}

/// Returns whether a text may declare a function in an implementation of a type without a trait: between its head and
/// the next head.
fn has_method(text: &str, type_name: &str, function: &str) -> bool {
    let is_head = |line: &str| line.trim_start().trim_start_matches("unsafe ").starts_with("impl");
    let mut is_inside = false;
    text.lines().any(|line| {
        if is_head(line) {
            is_inside = !words(line).any(|word| word == "for") && words(line).any(|word| word == type_name);
        }
        let mut own = words(line).skip_while(|word| *word != "fn").skip(1);
        is_inside && own.next() == Some(function)
    })
}

/// The names of the types in a text that implement a trait, or that are in the arguments of a macro with its name in
/// lower case. In a macro, the name may be a metavariable (`$name`). A type parameter is [`ANY`].
fn targets(text: &str, trait_name: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let macro_name = trait_name.to_lowercase();
    for (at, word) in text.match_indices(trait_name).chain(text.match_indices(&macro_name)) {
        let rest = text[at + word.len()..].trim_start_matches(is_part).trim_start();
        if let Some(own) = rest.strip_prefix("for").filter(|own| own.starts_with(char::is_whitespace)) {
            let own = own.split(['{', ';']).next().unwrap_or_default();
            let parts: Vec<&str> = own.split_whitespace().take_while(|word| *word != "where").collect();
            let own = generic(without_references(&parts.join(" "))).0.to_owned();
            let head = text[..at].rfind("impl").map_or("", |start| text[start + "impl".len()..at].trim_start());
            let is_any = head.starts_with('<') && words(head).any(|word| word == own);
            found.push(if is_any { ANY.to_owned() } else { own });
        } else if let Some(arguments) = rest.strip_prefix('!') {
            let arguments = arguments.split([')', '}', ';']).next().unwrap_or_default();
            found.extend(words(arguments).map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::workspace::set_files;

    use super::{has_method, may_implement, targets};

    #[test]
    fn a_macro_may_implement_a_trait_for_any_type() {
        for (text, expected) in [("impl Deref for $name {}", true), ("impl Deref for Other {}", false)] {
            let files = [("Cargo.toml", "[package]\n"), ("src/lib.rs", text)];
            set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
            assert_eq!(may_implement("src/lib.rs", "Deref", "Wrap"), expected, "{text}");
        }
    }

    #[test]
    fn methods_of_a_type_are_found_in_texts() {
        let check = |text: &str, expected: bool| assert_eq!(has_method(text, "Wrap", "show"), expected, "{text}");
        check("impl Wrap {\n    pub fn show(&self) {}\n}\n", true);
        check("impl<T> a::Wrap<T> {\n    fn other() {}\n    async fn show() {}\n}\n", true);
        check("impl Show for Wrap {\n    fn show(&self) {}\n}\n", false);
        check("impl Wrap {}\nimpl Other {\n    fn show(&self) {}\n}\n", false);
    }

    #[test]
    fn implementations_name_their_types() {
        let check = |text: &str, expected: &[&str]| assert_eq!(targets(text, "Deref"), expected, "{text}");
        check("impl Deref for Wrap {", &["Wrap"]);
        check("impl<T> std::ops::Deref for a::Wrap<T>\nwhere T: A {", &["Wrap"]);
        check("impl<'a, T> Deref for Wrap<'a, T> where T: A {", &["Wrap"]);
        check("impl Deref for\n    Wrap {", &["Wrap"]);
        check("impl Deref for $name {", &["$name"]);
        check("impl<T: Clone> Deref for T {", &["*"]);
        check("impl<T> Deref for &mut T {", &["*"]);
        check("impl_deref!(Wrap => Config);", &["Wrap", "Config"]);
        check("use std::ops::{Deref, DerefMut}; x.deref();", &[]);
    }
}
