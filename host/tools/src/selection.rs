//! Selects the files of a call by paths and globs, and applies exclusions. This module does not depend on the operation
//! on the files.

use std::collections::HashSet;

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use marquetry_model::{
    Error, Kind, Result, limits,
    nearest::{MAX_CANDIDATES, nearest_names},
    pack::Description,
    ports::{EntryKind, WalkedNames},
};

use crate::{
    session::Session,
    target::{TargetArgs, supports_kind},
};

/// The selected files in the order of the list, without duplicates; files of a glob are sorted.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) files: Vec<Selected>,
    /// Globs without matches, with an error.
    pub(crate) unmatched: Vec<(String, Error)>,
}

/// A selected file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selected {
    pub(crate) path: String,
    /// True if the caller gave the path of the file, not only a glob or folder.
    pub(crate) named: bool,
}

/// An item of the list.
enum Pattern {
    /// One file, which may not exist.
    File(String),
    /// Matching files below a directory.
    Glob { below: String, matcher: GlobMatcher },
    /// All files of a directory.
    Folder(String),
}

/// Wildcard characters. Brackets are not included, because they occur in file names.
const WILDCARDS: [char; 3] = ['*', '?', '{'];

impl Session {
    /// Selects files by paths and globs. Fails if there are too many for one call.
    pub(crate) fn select(&self, given: &[String]) -> Result<Selection> {
        let selection = self.select_unlimited(given)?;
        if selection.files.len() > limits::CALL_FILES {
            let message = format!("{} files in one call; the limit is {}", selection.files.len(), limits::CALL_FILES);
            return Err(Error::new(Kind::LimitExceeded, message).hint("name fewer files, such as one folder at a time"));
        }
        Ok(selection)
    }

    /// Selects files by paths and globs, without a limit.
    pub(crate) fn select_unlimited(&self, given: &[String]) -> Result<Selection> {
        let (excludes, includes): (Vec<&str>, Vec<&str>) =
            given.iter().map(|pattern| pattern.trim()).partition(|pattern| pattern.starts_with('!'));
        if includes.iter().all(|pattern| pattern.is_empty()) {
            let hint = "give paths and globs, such as `src/**/*.ts`; `!` before one excludes";
            return Err(Error::argument("`files` has no path or glob to include").hint(hint));
        }
        let excluded = compile_exclusions(&excludes)?;
        let (mut selection, mut known) = (Selection::default(), HashSet::new());
        for given in includes {
            let pattern = self.pattern(given)?;
            if let Pattern::File(path) = pattern {
                if known.insert(path.clone()) {
                    selection.files.push(Selected { path, named: true });
                } else if let Some(file) = selection.files.iter_mut().find(|file| file.path == path) {
                    file.named = true;
                }
                continue;
            }
            let mut count = 0;
            for path in self.matching(&pattern)? {
                count += 1;
                if !excluded.is_match(&path) && known.insert(path.clone()) {
                    selection.files.push(Selected { path, named: false });
                }
            }
            if count == 0 {
                selection.unmatched.push((given.to_owned(), self.no_match_error(given)));
            }
        }
        match selection.unmatched.first() {
            Some((_, error)) if selection.files.is_empty() => Err(error.clone()),
            None if selection.files.is_empty() => {
                let hint = format!("excluded: {}", excludes.join(", "));
                Err(Error::new(Kind::FileNotFound, "all matching files are excluded").hint(hint))
            }
            _ => Ok(selection),
        }
    }

    fn pattern(&self, given: &str) -> Result<Pattern> {
        let is_wild = given.contains(WILDCARDS);
        // An existing file with wildcard characters in its name is not a glob.
        if !is_wild || self.files.stat(given).is_some() {
            let path = self.files.locate(given)?;
            return Ok(match self.files.stat(&path) {
                Some(EntryKind::Directory) => Pattern::Folder(path),
                _ => Pattern::File(path),
            });
        }
        let parts: Vec<&str> = given.split('/').collect();
        let plain = parts.iter().take_while(|part| !part.contains(WILDCARDS)).count();
        let above = parts[..plain].join("/");
        // Converts absolute paths, `..` and file URIs to paths relative to the root.
        let below = match above.as_str() {
            "" if plain > 0 => self.files.locate("/")?,
            "" => String::new(),
            above => self.files.locate(above)?,
        };
        let rest = parts[plain..].join("/");
        let whole = if below.is_empty() { rest } else { format!("{}/{rest}", globset::escape(&below)) };
        Ok(Pattern::Glob { matcher: compile_glob(&whole)?.compile_matcher(), below })
    }

    /// Returns the matching files, sorted, without ignored ones.
    fn matching(&self, pattern: &Pattern) -> Result<Vec<String>> {
        let (Pattern::Glob { below, .. } | Pattern::Folder(below) | Pattern::File(below)) = pattern;
        if self.files.stat(below) != Some(EntryKind::Directory) && !below.is_empty() {
            return Ok(Vec::new());
        }
        let files = self.files.walk_names(below)?.files.into_iter();
        Ok(match pattern {
            Pattern::Glob { matcher, .. } => files.filter(|path| matcher.is_match(path)).collect(),
            _ => files.collect(),
        })
    }

    /// Error for a glob without matches. It suggests matches with the same name in other folders, or similar paths.
    fn no_match_error(&self, given: &str) -> Error {
        let error = Error::new(Kind::FileNotFound, format!("no file matches `{given}`"));
        let name = given.rsplit('/').next().unwrap_or(given);
        let Ok(WalkedNames { files: all, .. }) = self.files.walk_names("") else { return error };
        let anywhere = format!("**/{name}");
        let elsewhere: Vec<String> = match compile_glob(&anywhere).map(|glob| glob.compile_matcher()) {
            Ok(matcher) if name != "**" => all.iter().filter(|path| matcher.is_match(path)).cloned().collect(),
            _ => Vec::new(),
        };
        if !elsewhere.is_empty() {
            let why = if given.contains("**") { "" } else { "`*` does not match `/`: " };
            let hint = format!("{why}`{anywhere}` matches {} files", elsewhere.len());
            return error.hint(hint).candidates(elsewhere.into_iter().take(MAX_CANDIDATES));
        }
        error
            .hint("paths are relative to the root; ignored files match only if the glob names their folder")
            .candidates(nearest_names(&given.replace(WILDCARDS, ""), all))
    }
}

/// Returns whether the error for a file of a glob only means that it does not contain the target.
pub(crate) fn is_absent(description: &Description, target: &TargetArgs, error: &Error) -> bool {
    match error.kind() {
        Kind::TargetNotFound => true,
        // The format does not support this kind of target.
        Kind::InvalidArgument => {
            target.given_targets(description).first().is_some_and(|target| !supports_kind(description, target.kind))
        }
        Kind::InvalidTarget => target.target.is_some(),
        _ => false,
    }
}

/// Compiles a glob whose `*` does not match `/`.
fn compile_glob(pattern: &str) -> Result<globset::Glob> {
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
        Error::argument(format!("`{pattern}` is not a glob: {}", error.kind()))
            .hint("`*` and `?` do not match `/`, `**` does; `{a,b}` matches either; `\\*` is a literal `*`")
    })
}

/// Compiles the exclusions: a name without a folder matches anywhere, and a folder includes all of its content.
fn compile_exclusions(patterns: &[&str]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches('!').trim_start_matches("./").trim_end_matches('/');
        let pattern = if pattern.contains(WILDCARDS) { pattern.to_owned() } else { globset::escape(pattern) };
        let pattern = if pattern.contains('/') { pattern } else { format!("**/{pattern}") };
        set.add(compile_glob(&pattern)?);
        set.add(compile_glob(&format!("{pattern}/**"))?);
    }
    set.build().map_err(|error| Error::argument(format!("too many exclusions: {error}")))
}
