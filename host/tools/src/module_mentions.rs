//! Mentions of modules in files whose language no pack reads: `require_relative "money"` in Ruby, `mod rates;`,
//! `"shop/money"`. Such a mention may be an import, so an answer about the module is incomplete. The same applies to
//! files with syntax errors ([`crate::broken_imports`]).
//!
//! A mention is the module's name as a whole word, in a file with the same extension as the module, or on a line that
//! looks like an import. [`crate::mentioned_paths`] finds paths to the module on any line.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashSet},
};

use marquetry_graph::{Entry, Workspace, parallel_map_with};
use marquetry_model::{Error, Kind, Result, is_below, text::Lines};

use crate::{
    broken_imports::ImportNames,
    generated_files::is_generated,
    mentioned_names::MAX_SEARCHED_SIZE,
    mentioned_paths::MentionedPath,
    result_types::pluralized,
    session::Session,
    undecodable::undecodable_text,
    words::{whole_word_offsets, word_offsets},
};

/// Keywords that start an import or precede the name of a module in some language.
const IMPORT_KEYWORDS: [&str; 18] = [
    "import",
    "from",
    "use",
    "using",
    "mod",
    "require",
    "require_once",
    "require_relative",
    "include",
    "include_once",
    "load",
    "source",
    "open",
    "library",
    "extern",
    "package",
    "autoload",
    "module",
];

/// File names of modules that have the name of their folder.
const FOLDER_MODULE_STEMS: [&str; 5] = ["index", "mod", "__init__", "main", "lib"];

/// A line that mentions a module.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    /// True if a pack reads the file, but only a part of it.
    pub(crate) is_partly_read: bool,
}

impl Mention {
    /// Formats the mention for a list of places.
    pub(crate) fn location_text(&self, name: &str) -> String {
        let place = format!("{}:{}: mentions `{name}`", self.file, self.line);
        if self.is_partly_read {
            format!("{place}, and only a part of the file can be read")
        } else {
            format!("{place}; no language pack reads this kind of file")
        }
    }
}

/// Mentions of modules that are moved or deleted.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// Each mention with the name of the module.
    pub(crate) found: Vec<(Mention, String)>,
    /// Number of files that no pack reads, with or without mentions.
    pub(crate) files: usize,
}

impl Mentions {
    /// Removes lines that are already listed because they contain a path to the module.
    pub(crate) fn remove_listed(&mut self, listed: &[MentionedPath]) {
        let is_listed = |it: &Mention| listed.iter().any(|path| path.file == it.file && path.line == it.line);
        self.found.retain(|(mention, _)| !is_listed(mention));
    }

    /// Returns the reasons why an answer is not complete.
    pub(crate) fn doubts(&self) -> impl Iterator<Item = String> {
        [false, true].into_iter().filter_map(|is_partly_read| self.doubt(is_partly_read))
    }

    fn doubt(&self, is_partly_read: bool) -> Option<String> {
        let mut found = self.found.iter().filter(|(mention, _)| mention.is_partly_read == is_partly_read).peekable();
        let (first, name) = *found.peek()?;
        let place = format!("{}:{}", first.file, first.line);
        let mentioning: BTreeSet<&str> = found.map(|(mention, _)| mention.file.as_str()).collect();
        let files = if is_partly_read {
            format!("{} with syntax errors", pluralized(mentioning.len(), "file"))
        } else {
            format!("{} of {} that no language pack reads", mentioning.len(), pluralized(self.files, "file"))
        };
        Some(format!("`{name}` is mentioned in {files}, the first: {place}"))
    }
}

/// Name of a module, and the extension of its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Module<'a> {
    name: &'a str,
    extension: &'a str,
}

/// The names to look for.
struct Searched<'a> {
    modules: BTreeSet<Module<'a>>,
    imports: Vec<ImportNames<'a>>,
}

impl Searched<'_> {
    /// Returns whether a file may mention one of the modules.
    fn may_be_in(&self, entry: &Entry, is_partly_read: bool) -> bool {
        if is_partly_read {
            self.imports.iter().any(|names| names.may_be_in(entry))
        } else {
            self.modules.iter().any(|module| entry.may_hold(module.name))
        }
    }

    fn mentions(&self, entry: &Entry, is_partly_read: bool, text: &str) -> Vec<(Mention, String)> {
        if !is_partly_read {
            return mentions_in(&entry.path, text, &self.modules);
        }
        let found = self.imports.iter().flat_map(|names| names.mentions(entry, text));
        let mention = |line: usize| Mention { file: entry.path.clone(), line, is_partly_read };
        found.map(|(line, name)| (mention(line), name.to_owned())).collect()
    }
}

impl Session {
    /// Finds mentions of files and folders in files that no pack reads, or only in part. Files inside of `paths` are
    /// skipped.
    pub(crate) fn module_mentions(&self, workspace: &Workspace, paths: &[&str]) -> Result<Mentions> {
        let searched = Searched {
            modules: paths.iter().filter_map(|path| module_of_path(path)).collect(),
            imports: paths.iter().map(|path| ImportNames::new(path)).collect(),
        };
        let is_inside = |entry: &Entry| paths.iter().any(|path| entry.path == *path || is_below(&entry.path, path));
        let is_outside = |entry: &&Entry| !is_generated(&entry.path) && !is_inside(entry);
        let unread: Vec<&Entry> = self.files_without_links(workspace)?.into_iter().filter(is_outside).collect();
        let unread_paths: HashSet<&str> = unread.iter().map(|entry| entry.path.as_str()).collect();
        let broken = workspace.files().filter(|entry| entry.is_partly_read && is_outside(entry));
        let broken = broken.filter(|entry| !unread_paths.contains(entry.path.as_str())).map(|entry| (entry, true));
        let mentioning: Vec<(&Entry, bool)> = unread
            .iter()
            .map(|entry| (*entry, false))
            .chain(broken)
            .filter(|(entry, is_partly)| entry.size <= MAX_SEARCHED_SIZE && searched.may_be_in(entry, *is_partly))
            .collect();
        let stage = self.work.stage("looking for mentions", mentioning.len());
        let found = parallel_map_with(
            &mentioning,
            || self.files.reader(),
            |reader, (entry, is_partly)| {
                stage.step()?;
                let text = match reader.text(&entry.path, MAX_SEARCHED_SIZE) {
                    Err(error) if error.kind() == Kind::Unsupported => {
                        undecodable_text(self.files.as_ref(), &entry.path, entry.size).map(Cow::Owned)
                    }
                    text => text?,
                };
                Ok::<_, Error>(text.map_or_else(Vec::new, |text| searched.mentions(entry, *is_partly, &text)))
            },
        );
        let mut mentions = Mentions { found: Vec::new(), files: unread.len() };
        for found in found {
            match found {
                Ok(found) => mentions.found.extend(found),
                Err(error) if error.kind() == Kind::FileNotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(mentions)
    }
}

/// The module of a file or folder. `None` if its name is not an identifier that source code can mention.
fn module_of_path(path: &str) -> Option<Module<'_>> {
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.split_once('.').map_or("", |(_, extension)| extension);
    let stem = module_stem(path);
    let is_word = !stem.is_empty() && stem.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word.then_some(Module { name: stem, extension })
}

/// Name of the module of a file or folder: its name without extensions, or the name of its folder for `index.ts` and
/// similar files.
pub(crate) fn module_stem(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    if FOLDER_MODULE_STEMS.contains(&stem) { folder.rsplit('/').next().unwrap_or_default() } else { stem }
}

fn mentions_in(path: &str, text: &str, modules: &BTreeSet<Module<'_>>) -> Vec<(Mention, String)> {
    let extension =
        path.rsplit('/').next().and_then(|name| name.split_once('.')).map_or("", |(_, extension)| extension);
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for module in modules {
        let is_same = !extension.is_empty() && extension == module.extension;
        for at in whole_word_offsets(text, module.name) {
            let line = lines.position(at).line;
            let is_import = || lines.line(line).is_some_and(|span| is_import(span.slice(text)));
            if !is_part_of_path(text, at) && (is_same || is_import()) {
                found.push((Mention { file: path.to_owned(), line, is_partly_read: false }, module.name.to_owned()));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns whether a word is part of a path that [`crate::mentioned_paths`] handles.
pub(crate) fn is_part_of_path(text: &str, at: usize) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | '<' | ',' | ';' | '=');
    let start = text[..at].rfind(ends).map_or(0, |before| before + 1);
    ["./", "../", "/", "@/", "~/"].iter().any(|root| text[start..at].starts_with(root))
}

/// Returns whether a line starts like an import of some language, or consists of a single string, like a line in an
/// import list of Go.
pub(crate) fn is_import(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['#', '@', '(']);
    let is_string = line.len() > 2 && line.starts_with('"') && line.ends_with('"');
    let word = |at: usize| line[at..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    // A visibility, `export` or a name may come first: `pub mod x;`, `x = require("x")`.
    is_string || word_offsets(line).take(3).any(|at| IMPORT_KEYWORDS.contains(&word(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(path: &str, text: &str, moved: &str) -> Vec<usize> {
        let modules: BTreeSet<Module<'_>> = module_of_path(moved).into_iter().collect();
        mentions_in(path, text, &modules).into_iter().map(|(mention, _)| mention.line).collect()
    }

    #[test]
    fn imports_of_languages_without_a_pack_are_mentions() {
        for (text, moved) in [
            ("from .money import Money", "app/money.py"),
            ("from app import money", "app/money.py"),
            ("import app.money as m", "app/money.py"),
            ("mod money;", "src/money.rs"),
            ("pub(crate) mod money;", "src/money.rs"),
            ("use crate::money::Rate;", "src/money.rs"),
            ("\t\"example.org/shop/money\"", "money"),
            ("m \"example.org/shop/money\"\nimport \"shop/money\"", "money"),
            ("require_relative 'money'", "lib/money.rb"),
            ("<?php require 'money';", "money.php"),
            ("#include <money>", "include/money"),
            ("local m = require('money')", "money.lua"),
            ("import com.shop.money.Rate;", "com/shop/money"),
            ("from money import x", "money/__init__.py"),
        ] {
            assert!(!mentioned("a.other", text, moved).is_empty(), "{text} {moved}");
        }
    }

    #[test]
    fn prose_and_longer_words_are_not_mentions() {
        for (path, text, moved) in [
            ("LICENSE", "you owe us no money", "src/money.ts"),
            ("a.py", "moneybag = 1\nimport moneybags", "app/money.py"),
            ("a.sh", "echo money", "src/money.ts"),
            ("a.py", "import x", "src/my-module.py"),
            ("a.py", "import index", "index.ts"),
            ("a.vue", "import m from './other/money'", "src/money.ts"),
            ("a.vue", "import m from '@/other/money';", "src/money.ts"),
        ] {
            assert!(mentioned(path, text, moved).is_empty(), "{path} {text}");
        }
        // In a file with the same extension, any line counts.
        assert_eq!(mentioned("a.py", "x = 1\nprint(money.total)", "app/money.py"), [2]);
    }
}
