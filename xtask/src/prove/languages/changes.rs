//! Draws renames of declarations and moves of files. Declarations are found by the form of their lines, independently
//! of the packs.

use std::{collections::BTreeSet, fmt, fs, path::Path, sync::LazyLock};

use regex::Regex;
use serde_json::{Value, json};

use super::judge::Language;
use crate::measure::sample::{Random, indices};

/// One of this many changes is a move; the others are renames.
const CHANGES_PER_MOVE: usize = 4;

/// Maximum size of an answer, so that no list in it is shortened.
const MAX_BYTES: usize = 4_000_000;

/// Names that the language or its tools give a meaning.
const SPECIAL: [&str; 8] = ["main", "init", "new", "default", "fmt", "String", "Error", "self"];

/// A change of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Renames the declaration at a position. Line and column start at 1.
    Rename { file: String, line: usize, column: usize, name: String, new_name: String },
    /// Moves a file or folder.
    Move { from: String, to: String },
}

impl Change {
    /// Returns the method and the parameters of the call.
    pub(super) fn request(&self) -> (&'static str, Value) {
        match self {
            Change::Rename { file, line, column, new_name, .. } => (
                "file/edit",
                json!({
                    "file": file, "line": line, "column": column, "refactor": "rename_symbol", "newName": new_name,
                    "maxBytes": MAX_BYTES,
                }),
            ),
            Change::Move { from, to } => {
                ("file/move", json!({ "source": from, "destination": to, "maxBytes": MAX_BYTES }))
            }
        }
    }

    /// Returns a message of a compiler with the names and paths from before the change.
    pub(super) fn with_old_names(&self, message: &str) -> String {
        match self {
            Change::Rename { name, new_name, .. } => message.replace(new_name, name),
            Change::Move { from, to } => message.replace(to, from),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Rename { file, line, column, name, .. } => write!(f, "rename {name} at {file}:{line}:{column}"),
            Change::Move { from, to } => write!(f, "move {from} to {to}"),
        }
    }
}

/// Draws changes: three renames for each move.
pub(super) fn drawn(
    language: Language,
    root: &Path,
    files: &[String],
    (count, seed, name): (usize, u64, &str),
) -> Vec<Change> {
    let sources: Vec<&String> = files.iter().filter(|file| language.is_source(file)).collect();
    let mut renames = Vec::new();
    for file in &sources {
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        renames.extend(declarations(language, file, &text));
    }
    let moves = moves(language, &sources, seed);
    let move_count = count / CHANGES_PER_MOVE;
    let pick = |all: Vec<Change>, most: usize, what: &str| -> Vec<Change> {
        let indices = indices(all.len(), Some(most), seed, &format!("{name} {what}"));
        indices.into_iter().map(|index| all[index].clone()).collect()
    };
    let mut drawn = pick(renames, count - move_count, "renames");
    drawn.extend(pick(moves, move_count, "moves"));
    drawn
}

/// Returns renames of the declarations in a text.
fn declarations(language: Language, file: &str, text: &str) -> Vec<Change> {
    static PYTHON: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(?:async )?(?:def|class) (\w+)|^(\w+)(?:: [^=]+)? = "));
    static GO: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^func (?:\([^)]*\) )?(\w+)|^(?:type|var|const) (\w+)|^\t([A-Z]\w+) +[\w*\[]"));
    static RUST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*(?:pub(?:\([^)]*\))? )?(?:async |const |unsafe )*(?:fn|struct|enum|trait|type|const|static|mod) (\w+)|^    pub (\w+): ",
        )
    });
    let pattern = match language {
        Language::Python => &PYTHON,
        Language::Go => &GO,
        Language::Rust => &RUST,
    };
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(captures) = pattern.captures(line) else { continue };
        let Some(name) = captures.iter().skip(1).flatten().next() else { continue };
        if SPECIAL.contains(&name.as_str()) || name.as_str().starts_with('_') || name.as_str().starts_with("test") {
            continue;
        }
        let column = line[..name.start()].chars().count() + 1;
        let new_name = renamed(name.as_str());
        let (file, name) = (file.to_owned(), name.as_str().to_owned());
        found.push(Change::Rename { file, line: index + 1, column, name, new_name });
    }
    found
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("the pattern is constant: {error}"))
}

/// Returns another name in the same style.
fn renamed(name: &str) -> String {
    let has = |of: fn(char) -> bool| name.chars().any(of);
    match (has(char::is_lowercase), has(char::is_uppercase)) {
        (true, true) => format!("{name}Zq"),
        (false, true) => format!("{name}_ZQ"),
        _ => format!("{name}_zq"),
    }
}

/// Returns moves of single files, or of folders where a folder is a package.
fn moves(language: Language, sources: &[&String], seed: u64) -> Vec<Change> {
    let folder = |file: &str| file.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let folders: BTreeSet<String> = sources.iter().filter_map(|file| folder(file)).collect();
    let of = |from: &str, to: String| Change::Move { from: from.to_owned(), to };
    match language {
        Language::Go => folders.iter().map(|folder| of(folder, format!("{folder}zq"))).collect(),
        Language::Rust => {
            let is_module =
                |file: &&&String| !["lib.rs", "main.rs", "mod.rs", "build.rs"].iter().any(|it| file.ends_with(it));
            let modules = sources.iter().filter(is_module).filter(|file| file.contains("src/"));
            modules.map(|file| of(file, file.replace(".rs", "_zq.rs"))).collect()
        }
        Language::Python => python_moves(sources, seed),
    }
}

/// Returns moves of modules: half of them to another name, half to another folder of the same package, if there is one.
fn python_moves(sources: &[&String], seed: u64) -> Vec<Change> {
    let mut random = Random::new(seed, "destinations");
    let packages: Vec<&str> = sources.iter().filter_map(|file| file.strip_suffix("/__init__.py")).collect();
    let outermost = |folder: &str| {
        let is_outside = |package: &&&str| folder == **package || folder.starts_with(&format!("{package}/"));
        packages.iter().filter(is_outside).min_by_key(|package| package.len()).copied()
    };
    let modules = sources.iter().filter(|file| !file.ends_with("__init__.py"));
    let moved = modules.enumerate().filter_map(|(index, file)| {
        let (folder, name) = file.rsplit_once('/')?;
        let around = outermost(folder)?;
        let others: Vec<&str> =
            packages.iter().copied().filter(|other| *other != folder && outermost(other) == Some(around)).collect();
        let to = match index % 2 {
            1 if !others.is_empty() => format!("{}/{name}", others[random.below(others.len())]),
            _ => file.replace(".py", "_zq.py"),
        };
        (!sources.contains(&&to)).then(|| Change::Move { from: (*file).clone(), to })
    });
    moved.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(language: Language, text: &str) -> Vec<String> {
        let name = |change| match change {
            Change::Rename { line, column, new_name, .. } => format!("{line}:{column} {new_name}"),
            Change::Move { .. } => unreachable!("only renames"),
        };
        declarations(language, "a", text).into_iter().map(name).collect()
    }

    #[test]
    fn declarations_are_found_by_the_form_of_their_lines() {
        let python = "class A(B):\n    def run(self): ...\n    def __init__(self): ...\nMAX = 1\nx: int = 2\nx += 1\n";
        assert_eq!(names(Language::Python, python), ["1:7 A_ZQ", "2:9 run_zq", "4:1 MAX_ZQ", "5:1 x_zq"]);
        let go =
            "type Shop struct {\n\tName string\n}\nfunc (s *Shop) Total() int {\n}\nfunc init() {}\nvar limit = 1\n";
        assert_eq!(names(Language::Go, go), ["1:6 ShopZq", "2:2 NameZq", "4:16 TotalZq", "7:5 limit_zq"]);
        let rust = "pub struct Shop {\n    pub name: String,\n}\nimpl Shop {\n    pub(crate) async fn total() {}\n    fn new() {}\n}\n";
        assert_eq!(names(Language::Rust, rust), ["1:12 ShopZq", "2:9 name_zq", "5:25 total_zq"]);
    }

    #[test]
    fn moves_keep_the_kind_of_file() {
        let files = ["src/a.rs", "src/lib.rs", "b/mod.rs"].map(str::to_owned);
        let moves = moves(Language::Rust, &files.iter().collect::<Vec<_>>(), 1);
        assert_eq!(moves, [Change::Move { from: "src/a.rs".to_owned(), to: "src/a_zq.rs".to_owned() }]);
        let files = ["p/__init__.py", "p/a.py", "p/b.py", "p/q/__init__.py", "c.py", "tests/d.py"].map(str::to_owned);
        let moves = python_moves(&files.iter().collect::<Vec<_>>(), 1);
        let of = |from: &str, to: &str| Change::Move { from: from.to_owned(), to: to.to_owned() };
        assert_eq!(moves, [of("p/a.py", "p/a_zq.py"), of("p/b.py", "p/q/b.py")]);
    }
}
