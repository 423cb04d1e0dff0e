//! Mentions of modules in files with syntax errors. The links of such a file may lack imports in the parts that could
//! not be parsed, so every text that looks like an import is a mention.

use std::collections::{BTreeSet, HashSet};

use marquetry_graph::{Entry, LinkFact, Target};
use marquetry_model::text::Lines;

use crate::{
    module_mentions::{is_import, is_part_of_path, module_stem},
    path_parts::folder,
    words::whole_word_offsets,
};

/// Maximum number of bytes between the start of an import list and a name in the list.
const MAX_LIST_LENGTH: usize = 4000;

/// The names by which other files can import a file or folder.
#[derive(Debug)]
pub(crate) struct ImportNames<'a> {
    path: &'a str,
    /// Last segment of the path.
    file_name: &'a str,
    /// The name of the module, and the same name without a leading `_`.
    names: BTreeSet<&'a str>,
}

impl<'a> ImportNames<'a> {
    pub(crate) fn new(path: &'a str) -> ImportNames<'a> {
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let name = module_stem(path);
        let names = [name, name.trim_start_matches('_')].into_iter().filter(|name| !name.is_empty()).collect();
        ImportNames { path, file_name, names }
    }

    /// Returns whether a file may contain one of the names.
    pub(crate) fn may_be_in(&self, entry: &Entry) -> bool {
        self.names.iter().chain([&self.file_name]).any(|name| entry.may_hold(name))
    }

    /// Finds the lines of a file that may import the module and are not part of known links. Returns each line with the
    /// name.
    pub(crate) fn mentions(&self, entry: &Entry, text: &str) -> BTreeSet<(usize, &'a str)> {
        let lines = Lines::new(text);
        let links: Vec<_> = entry.links.iter().flatten().map(LinkFact::span).collect();
        // The pack has parsed the whole statement of a known link, so other names in it do not refer to the module.
        let linked_lines: HashSet<usize> = links
            .iter()
            .flat_map(|span| lines.position(span.start).line..=lines.position(span.end.max(span.start)).line)
            .collect();
        let is_linked = |at: usize| links.iter().any(|span| span.start <= at && at < span.end);
        let is_unlinked_sibling = self.is_sibling(&entry.path) && !self.is_target_of(entry);
        let mut found = BTreeSet::new();
        let files: HashSet<usize> = match self.is_reached_by_file_name(&entry.path) {
            true => {
                whole_names(text, self.file_name).filter(|at| !is_linked(*at) && !is_part_of_path(text, *at)).collect()
            }
            false => HashSet::new(),
        };
        found.extend(files.iter().map(|at| (lines.position(*at).line, self.file_name)));
        for name in &self.names {
            // The name at the beginning of the file name is the same mention.
            let places = whole_names(text, name).filter(|at| !files.contains(at));
            for at in places.filter(|at| !is_linked(*at) && !is_part_of_path(text, *at)) {
                let line = lines.position(at).line;
                let is_statement = || !linked_lines.contains(&line) && is_in_import(text, at);
                let is_used = || is_unlinked_sibling && may_be_used(text, at, name);
                if is_used() || self.is_qualified(text, at, name) || is_statement() {
                    found.insert((line, *name));
                }
            }
        }
        found
    }

    /// Returns whether a file is in the same folder and has the same extension. In some languages, such files can use
    /// each other without an import.
    fn is_sibling(&self, file: &str) -> bool {
        let extension =
            |path: &str| path.rsplit('/').next().and_then(|name| name.split_once('.')).map(|it| it.1.to_owned());
        folder(file) == folder(self.path) && extension(self.path).is_some() && extension(file) == extension(self.path)
    }

    /// Returns whether a known link of a file resolves to the module.
    fn is_target_of(&self, entry: &Entry) -> bool {
        entry.targets.iter().flatten().any(|target| matches!(target, Target::Inside(path) if path == self.path))
    }

    /// Returns whether the file name alone, with its extension, is a path to the module, because the module is in the
    /// folder of the file or in the root.
    fn is_reached_by_file_name(&self, file: &str) -> bool {
        let has_extension = self.file_name.trim_start_matches('.').contains('.');
        has_extension && ["", folder(file)].contains(&folder(self.path))
    }

    /// Returns whether a name is qualified by the module or package that contains it: `crate::money`, `com.shop.Money`.
    fn is_qualified(&self, text: &str, at: usize, name: &str) -> bool {
        let before = &text[..at];
        let parent = folder(self.path).rsplit('/').next().unwrap_or_default();
        let follows_parent = |separator| before.strip_suffix(separator).is_some_and(|rest| rest.ends_with(parent));
        before.ends_with("::")
            || text[at + name.len()..].starts_with("::")
            || !parent.is_empty() && ['.', '\\'].into_iter().any(follows_parent)
    }
}

/// Offsets of a name, except where it is part of a longer name such as `my-name`.
fn whole_names<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_whole = |at: &usize| !text[..*at].ends_with('-') && !text[*at + name.len()..].starts_with('-');
    whole_word_offsets(text, name).into_iter().filter(is_whole)
}

/// Returns whether a name outside of an import may refer to a module beside the file: it begins with a capital letter, as
/// the names of types do, or a member or a path follows. Other words are taken for text.
fn may_be_used(text: &str, at: usize, name: &str) -> bool {
    let rest = &text[at + name.len()..];
    let is_member = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_path = text[..at].ends_with(['"', '\'', '`']);
    is_path
        || name.starts_with(char::is_uppercase)
        || [".", "->"].iter().any(|sign| rest.strip_prefix(sign).is_some_and(is_member))
}

/// Returns whether an offset is on a line that starts like an import, or in a list that starts on such a line.
fn is_in_import(text: &str, at: usize) -> bool {
    let line_at = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        &text[start..end]
    };
    let list = || {
        let open = text[..at].rfind(['(', '{', '['])?;
        let is_near = at - open < MAX_LIST_LENGTH && !text[open..at].contains([')', '}', ']', ';']);
        is_near.then_some(open)
    };
    is_import(line_at(at)) || list().is_some_and(|open| is_import(line_at(open)))
}

#[cfg(test)]
mod tests {
    use super::{ImportNames, is_in_import, may_be_used, whole_names};

    #[test]
    fn module_is_named_by_its_stem_and_its_file() {
        for (path, file_name, names) in [
            ("app/money.py", "money.py", &["money"] as &[_]),
            ("css/_theme.scss", "_theme.scss", &["_theme", "theme"]),
            ("src/foo/index.ts", "index.ts", &["foo"]),
            ("a/my-card.css", "my-card.css", &["my-card"]),
            ("pkg", "pkg", &["pkg"]),
        ] {
            let it = ImportNames::new(path);
            assert_eq!((it.file_name, it.names.into_iter().collect::<Vec<_>>()), (file_name, names.to_vec()), "{path}");
        }
    }

    #[test]
    fn names_in_statements_and_lists_are_imports() {
        for (text, expected) in [
            ("from app impor money", true),
            ("from . import (\n  other,\n  money\ndef f(:", true),
            ("use crate::{\n    a,\n    money", true),
            ("@use \"money", true),
            ("print(\n  money", false),
            ("from . import (a)\nprint(money", false),
            ("x = money", false),
        ] {
            let at = text.rfind("money").expect("the name");
            assert_eq!(is_in_import(text, at), expected, "{text}");
        }
    }

    #[test]
    fn words_of_a_text_are_not_uses_of_a_sibling() {
        for (text, name, expected) in [
            ("money.total", "money", true),
            ("$money->total", "money", true),
            ("x = Money(1)", "Money", true),
            ("@import 'a' 'money;", "money", true),
            ("time is money", "money", false),
            ("money. And time", "money", false),
            ("money = 1", "money", false),
        ] {
            assert_eq!(may_be_used(text, text.find(name).expect("the name"), name), expected, "{text}");
        }
    }

    #[test]
    fn names_with_a_hyphen_are_whole() {
        assert_eq!(whole_names("user-card user my-user", "user").collect::<Vec<_>>(), [10]);
        assert_eq!(whole_names("user-card.css", "user-card").collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn names_after_their_package_are_qualified() {
        let module = ImportNames::new("src/com/shop/Money.java");
        for (text, expected) in [
            ("com.shop.Money", true),
            ("shop\\Money", true),
            ("crate::Money", true),
            ("Money::new", true),
            ("other.Money", false),
            ("Money", false),
        ] {
            let at = text.find("Money").expect("the name");
            assert_eq!(module.is_qualified(text, at, "Money"), expected, "{text}");
        }
    }
}
