//! Which files a call is about: paths and globs, less what is excluded. Knows nothing of what is done with them.

use std::collections::HashSet;

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use marquetry_model::{
    Error, Kind, Result, limits,
    nearest::{MOST, nearest},
    pack::Description,
    ports::{EntryKind, Names},
};

use crate::{
    session::Session,
    target::{TargetArgs, understands},
};

/// The files that a list names, in its order, none twice; those of a glob sorted.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) files: Vec<Selected>,
    /// Globs that no file matches, with why.
    pub(crate) unmatched: Vec<(String, Error)>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selected {
    pub(crate) path: String,
    /// Its own name was given, not just a glob that it matches.
    pub(crate) named: bool,
}

/// A part of a list.
enum Pattern {
    /// One file, there or not.
    File(String),
    /// What matches below a directory.
    Glob { below: String, matcher: GlobMatcher },
    /// All of a directory.
    Folder(String),
}

/// What starts a wildcard. Brackets alone do not: they stand in the names of files.
const WILD: [char; 3] = ['*', '?', '{'];

impl Session {
    /// The files that paths and globs name: no more than one call works on.
    pub(crate) fn select(&self, given: &[String]) -> Result<Selection> {
        let selection = self.chosen(given)?;
        if selection.files.len() > limits::CALL_FILES {
            let message = format!("{} files in one call: at most {}", selection.files.len(), limits::CALL_FILES);
            return Err(Error::new(Kind::LimitExceeded, message).hint("name fewer, folder by folder"));
        }
        Ok(selection)
    }

    /// The files that paths and globs name, however many.
    pub(crate) fn chosen(&self, given: &[String]) -> Result<Selection> {
        let (excludes, includes): (Vec<&str>, Vec<&str>) =
            given.iter().map(|pattern| pattern.trim()).partition(|pattern| pattern.starts_with('!'));
        if includes.iter().all(|pattern| pattern.is_empty()) {
            let hint = "give paths and globs, such as `src/**/*.ts`; `!` before one excludes";
            return Err(Error::argument("`files` names no file").hint(hint));
        }
        let excluded = excluded(&excludes)?;
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
                selection.unmatched.push((given.to_owned(), self.nothing_matches(given)));
            }
        }
        match selection.unmatched.first() {
            Some((_, error)) if selection.files.is_empty() => Err(error.clone()),
            None if selection.files.is_empty() => {
                let hint = format!("excluded: {}", excludes.join(", "));
                Err(Error::new(Kind::FileNotFound, "every file that matches is excluded").hint(hint))
            }
            _ => Ok(selection),
        }
    }

    fn pattern(&self, given: &str) -> Result<Pattern> {
        let is_wild = given.contains(WILD);
        // A name with such signs that is there means itself.
        if !is_wild || self.files.stat(given).is_some() {
            let path = self.files.locate(given)?;
            return Ok(match self.files.stat(&path) {
                Some(EntryKind::Directory) => Pattern::Folder(path),
                _ => Pattern::File(path),
            });
        }
        let parts: Vec<&str> = given.split('/').collect();
        let plain = parts.iter().take_while(|part| !part.contains(WILD)).count();
        let above = parts[..plain].join("/");
        // Absolute paths, `..` and file URIs become what they are below the root.
        let below = match above.as_str() {
            "" if plain > 0 => self.files.locate("/")?,
            "" => String::new(),
            above => self.files.locate(above)?,
        };
        let rest = parts[plain..].join("/");
        let whole = if below.is_empty() { rest } else { format!("{}/{rest}", globset::escape(&below)) };
        Ok(Pattern::Glob { matcher: glob(&whole)?.compile_matcher(), below })
    }

    /// The files that match, sorted, as far as ignore files let them be seen.
    fn matching(&self, pattern: &Pattern) -> Result<Vec<String>> {
        let (Pattern::Glob { below, .. } | Pattern::Folder(below) | Pattern::File(below)) = pattern;
        if self.files.stat(below) != Some(EntryKind::Directory) && !below.is_empty() {
            return Ok(Vec::new());
        }
        let files = self.files.names(below)?.files.into_iter();
        Ok(match pattern {
            Pattern::Glob { matcher, .. } => files.filter(|path| matcher.is_match(path)).collect(),
            _ => files.collect(),
        })
    }

    /// The menu of a glob that nothing matches: what the same name matches elsewhere, or what is like it.
    fn nothing_matches(&self, given: &str) -> Error {
        let error = Error::new(Kind::FileNotFound, format!("no file matches `{given}`"));
        let name = given.rsplit('/').next().unwrap_or(given);
        let Ok(Names { files: all, .. }) = self.files.names("") else { return error };
        let anywhere = format!("**/{name}");
        let elsewhere: Vec<String> = match glob(&anywhere).map(|glob| glob.compile_matcher()) {
            Ok(matcher) if name != "**" => all.iter().filter(|path| matcher.is_match(path)).cloned().collect(),
            _ => Vec::new(),
        };
        if !elsewhere.is_empty() {
            let why = if given.contains("**") { "" } else { "`*` stays in its folder: " };
            let hint = format!("{why}`{anywhere}` matches {} files", elsewhere.len());
            return error.hint(hint).candidates(elsewhere.into_iter().take(MOST));
        }
        error
            .hint("paths are relative to the root; ignored files match only where the glob names their folder")
            .candidates(nearest(&given.replace(WILD, ""), all))
    }
}

/// Whether what went wrong with a file of a glob only says that it has no such thing.
pub(crate) fn is_absent(description: &Description, target: &TargetArgs, error: &Error) -> bool {
    match error.kind() {
        Kind::TargetNotFound => true,
        // Other formats have other ways to name things.
        Kind::InvalidArgument => {
            target.given(description).first().is_some_and(|target| !understands(description, target.kind))
        }
        Kind::InvalidTarget => target.target.is_some(),
        _ => false,
    }
}

/// A glob whose `*` stays in its folder.
fn glob(pattern: &str) -> Result<globset::Glob> {
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
        Error::argument(format!("`{pattern}` is not a glob: {}", error.kind())).hint(
            "`*` and `?` stay in a folder, `**` goes through folders, `{a,b}` is one of several; `\\*` is the sign",
        )
    })
}

/// What is excluded: a name without a folder anywhere, and of a folder all that is in it.
fn excluded(patterns: &[&str]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches('!').trim_start_matches("./").trim_end_matches('/');
        let pattern = if pattern.contains(WILD) { pattern.to_owned() } else { globset::escape(pattern) };
        let pattern = if pattern.contains('/') { pattern } else { format!("**/{pattern}") };
        set.add(glob(&pattern)?);
        set.add(glob(&format!("{pattern}/**"))?);
    }
    set.build().map_err(|error| Error::argument(format!("too many exclusions: {error}")))
}
