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

/// Returns whether the package of a file may implement a trait for a type with a name, or for [`ANY`] type. Arrays and
/// slices have the name `[`, tuples `(`.
pub(crate) fn may_implement(file: &str, trait_name: &str, name: &str) -> bool {
    let folder = package(file).unwrap_or_default().to_owned();
    let compute = || {
        let mut names = vec![trait_name.to_owned()];
        names.extend(all_aliases(&folder, trait_name).iter().cloned());
        let of_text = |text: String| names.iter().flat_map(|name| targets(&text, name)).collect::<Vec<_>>();
        let found: HashSet<String> = texts(&folder).flat_map(of_text).collect();
        let is_complete = !found.iter().any(|own| own.starts_with('$'));
        is_complete.then(|| Rc::new(found))
    };
    let found = memo::once(|memo| &mut memo.implemented, &(folder.clone(), trait_name.to_owned()), compute);
    found.is_none_or(|found| {
        let has_alias = || all_aliases(&folder, name).iter().any(|own| found.contains(own));
        found.contains(name) || found.contains(ANY) || !found.is_empty() && has_alias()
    })
}

/// Other names that the files below a folder give an item.
fn all_aliases(folder: &str, name: &str) -> Rc<Vec<String>> {
    let compute = || Rc::new(texts(folder).flat_map(|text| aliases(&text, name)).collect());
    memo::once(|memo| &mut memo.aliases, &(folder.to_owned(), name.to_owned()), compute)
}

/// Other names that a text gives an item: `Name as Other`, `type Other = a::Name<T>;`.
fn aliases(text: &str, name: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = |at: usize| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
    let alias = |at: usize| {
        let after = text[at + name.len()..].trim_start();
        let imported = after.strip_prefix("as").filter(|rest| rest.starts_with(char::is_whitespace));
        let line = text[..at].rsplit([';', '{', '}']).next().unwrap_or_default().trim_start();
        let line = line.trim_start_matches("pub").trim_start();
        let declared = line.strip_prefix("type").filter(|rest| rest.starts_with(char::is_whitespace));
        words(imported.or(declared)?).next().map(str::to_owned)
    };
    let places = text.match_indices(name).map(|(at, _)| at).filter(|at| !name.is_empty() && is_word(*at));
    places.filter_map(alias).collect()
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

/// Returns whether a text may declare a function or constant in an implementation of a type without a trait: between its
/// head and the next head.
fn has_method(text: &str, type_name: &str, member: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let heads = text.match_indices("impl").map(|(at, word)| (at, at + word.len()));
    let is_word = |(at, end): &(usize, usize)| !text[..*at].ends_with(is_part) && !text[*end..].starts_with(is_part);
    let heads: Vec<usize> = heads.filter(is_word).map(|(_, end)| end).collect();
    let ends = heads.iter().skip(1).copied().chain([text.len()]);
    heads.iter().zip(ends).any(|(start, end)| {
        let (head, body) = text[*start..end].split_once('{').unwrap_or_default();
        let is_own = !words(head).any(|word| word == "for") && words(head).any(|word| word == type_name);
        let mut names = words(body).zip(words(body).skip(1));
        is_own && names.any(|(word, name)| matches!(word, "fn" | "const") && name == member)
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
            found.push(match own.get(..1) {
                _ if is_any => ANY.to_owned(),
                Some(bracket @ ("[" | "(")) => bracket.to_owned(),
                _ => own,
            });
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

    use super::{aliases, has_method, may_implement, targets};

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
        check("struct Wrap; impl Wrap { pub const show: u8 = 1; }", true);
        check("fn implement() {} impl A for Wrap { fn show() {} }", false);
    }

    #[test]
    fn other_names_of_items_are_found() {
        let check = |text: &str, expected: &[&str]| assert_eq!(aliases(text, "Show"), expected, "{text}");
        check("use a::Show as Other; use b::{Show as S, Shows as T};", &["Other", "S"]);
        check("pub type Other = a::Show<u8>;\ntype A = Shows;", &["Other"]);
        check("impl Show for Other {}\nlet x = Show;", &[]);
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
        check("impl<T, const N: usize> Deref for [T; N] {", &["["]);
        check("impl<A, B> Deref for (A, B) {", &["("]);
        check("impl_deref!(Wrap => Config);", &["Wrap", "Config"]);
        check("use std::ops::{Deref, DerefMut}; x.deref();", &[]);
    }
}
