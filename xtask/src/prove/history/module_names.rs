//! Names of modules in lines of Python, Rust and Go, and the files that they refer to.
//!
//! As for paths, the resolution shares no code with the packs. A name of an item resolves to the file of the innermost
//! module in the name, without regard to re-exports.

use super::tree::{Target, Tree, join, join_below, last_part, parent_folder};

/// A language whose imports name modules instead of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Rust,
    Go,
}

/// Returns the language of a file.
pub(super) fn language(file: &str) -> Option<Language> {
    match file.rsplit_once('.')?.1 {
        "py" | "pyi" => Some(Language::Python),
        "rs" => Some(Language::Rust),
        "go" => Some(Language::Go),
        _ => None,
    }
}

/// Returns the names in a line that may refer to modules. Each name in a group is joined to the path of the group.
pub(super) fn module_names(language: Language, line: &str) -> Vec<String> {
    match language {
        Language::Python => python_names(line),
        Language::Rust => rust_names(line),
        Language::Go => Vec::new(),
    }
}

/// Returns the names in a line that an import declares. Lines inside of other items are left out, because they may be in
/// another module.
pub(super) fn imported_names(language: Language, line: &str) -> Vec<String> {
    let text = line.trim_start();
    match language {
        Language::Python if text.starts_with("from ") || text.starts_with("import ") => python_names(line),
        Language::Rust
            if text.len() == line.len() && ["use ", "mod ", "pub "].iter().any(|it| text.starts_with(it)) =>
        {
            rust_names(line)
        }
        Language::Go => go_import(text).into_iter().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn go_import(text: &str) -> Option<&str> {
    let text = text.strip_prefix("import ").unwrap_or(text).trim();
    let (alias, quoted) = text.split_at(text.find('"')?);
    let path = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let is_alias = alias.trim().chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (is_alias && !path.contains('"')).then_some(path)
}

fn python_names(line: &str) -> Vec<String> {
    let text = line.split(" #").next().unwrap_or_default().trim();
    if let Some((module, names)) = text.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        let module = module.trim();
        let names = names.trim().trim_start_matches('(').trim_end_matches([')', '\\', ',']);
        let names: Vec<&str> = names.split(',').filter_map(|name| name.split_whitespace().next()).collect();
        // The first line of a statement with several lines has no names.
        let names = if names.is_empty() { vec!["*"] } else { names };
        let dot = if module.ends_with('.') { "" } else { "." };
        return names.iter().map(|name| format!("{module}{dot}{name}")).collect();
    }
    if let Some(modules) = text.strip_prefix("import ") {
        return modules.split(',').filter_map(|module| module.split_whitespace().next()).map(str::to_owned).collect();
    }
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
    let words = words.map(|word| word.trim_matches('.')).filter(|word| word.contains('.'));
    let is_name = |word: &&str| word.split('.').all(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    unique(words.filter(is_name).map(str::to_owned))
}

fn rust_names(line: &str) -> Vec<String> {
    let text = line.split("//").next().unwrap_or_default().trim();
    let declared = text.strip_suffix(';').and_then(|text| text.rsplit_once("mod "));
    if let Some((before, name)) = declared
        && (before.is_empty() || before.ends_with(' '))
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return vec![format!("self::{name}")];
    }
    let mut names = Vec::new();
    let mut groups: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        match c {
            '{' if word.ends_with("::") => {
                let prefix = groups.last().cloned().unwrap_or_default();
                groups.push(format!("{prefix}{}", std::mem::take(&mut word)));
            }
            c if c.is_alphanumeric() || c == '_' || c == ':' => word.push(c),
            _ => {
                let prefix = groups.last().map(String::as_str).unwrap_or_default();
                let last = std::mem::take(&mut word);
                let name = format!("{prefix}{last}");
                let name = name.trim_end_matches("::self").trim_matches(':');
                if !last.is_empty() && name.contains("::") {
                    names.push(name.to_owned());
                }
                if c == '}' {
                    groups.pop();
                }
            }
        }
    }
    unique(names.into_iter())
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut once = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

impl Tree {
    /// Resolves a name of a module that a file contains.
    pub(super) fn resolve_module(&self, language: Language, file: &str, name: &str) -> Target {
        match language {
            Language::Python => self.resolve_python(file, name),
            Language::Rust => self.resolve_rust(file, name),
            // The import path of a package begins with the path of its Go module.
            Language::Go => None,
        }
    }

    fn resolve_python(&self, file: &str, name: &str) -> Target {
        if name.contains(['/', ':', ' ']) {
            return None;
        }
        let level = name.len() - name.trim_start_matches('.').len();
        let parts: Vec<&str> = name[level..].split('.').filter(|part| !part.is_empty()).collect();
        if level > 0 {
            let up = "../".repeat(level - 1);
            return self.python_module(&join(parent_folder(file), &up)?, &parts);
        }
        let mut root = parent_folder(file);
        while self.has(&join_below(root, "__init__.py")) && !root.is_empty() {
            root = parent_folder(root);
        }
        loop {
            let inside = [root.to_owned(), join_below(root, "src")];
            if let Some(found) = inside.iter().find_map(|root| self.python_module(root, &parts)) {
                return Some(found);
            }
            if root.is_empty() {
                return None;
            }
            root = parent_folder(root);
        }
    }

    /// Resolves the parts of a name below a folder; the last part may be a name in a module.
    fn python_module(&self, root: &str, parts: &[&str]) -> Target {
        let module = |parts: &[&str]| {
            let path = join_below(root, &parts.join("/"));
            let path = path.trim_end_matches('/');
            let files = [format!("{path}/__init__.py"), format!("{path}.py"), format!("{path}.pyi")];
            files.into_iter().find(|file| self.has(file))
        };
        (0..=parts.len()).rev().take(2).find_map(|length| {
            let is_own_package = length == 0 && root.is_empty();
            module(&parts[..length]).filter(|_| !is_own_package)
        })
    }

    fn resolve_rust(&self, file: &str, name: &str) -> Target {
        let mut parts = name.split("::");
        let (root, is_root) = self.rust_root(file);
        let mut at = match parts.next()? {
            "crate" => root,
            "self" => file.to_owned(),
            "super" if !is_root => self.rust_parent(file)?,
            package => self.rust_library(package).or_else(|| self.rust_child(file, is_root, package))?,
        };
        for part in parts {
            at = match part {
                "super" => self.rust_parent(&at)?,
                part => {
                    let is_root = self.rust_root(&at).1;
                    match self.rust_child(&at, is_root, part) {
                        Some(child) => child,
                        None => break,
                    }
                }
            };
        }
        Some(at)
    }

    fn rust_library(&self, package: &str) -> Target {
        let folder = self.package_folder(package)?;
        Some(join_below(folder, "src/lib.rs")).filter(|file| self.has(file))
    }

    /// Returns the root file of the crate that a file belongs to, and whether the file itself is one.
    fn rust_root(&self, file: &str) -> (String, bool) {
        let mut folder = parent_folder(file);
        let is_target = |folder: &str| {
            matches!(last_part(folder), "tests" | "benches" | "examples" | "bin") && !file.ends_with("/mod.rs")
        };
        if is_target(folder) || matches!(last_part(file), "lib.rs" | "main.rs" | "build.rs") {
            return (file.to_owned(), true);
        }
        loop {
            let roots = ["lib.rs", "main.rs"].map(|name| join_below(folder, name));
            if let Some(root) = roots.into_iter().find(|root| self.has(root)) {
                return (root, false);
            }
            if folder.is_empty() {
                return (file.to_owned(), true);
            }
            folder = parent_folder(folder);
        }
    }

    /// Returns the file of a module that a file declares.
    fn rust_child(&self, file: &str, is_root: bool, name: &str) -> Target {
        let folder = parent_folder(file);
        let folder = match last_part(file).trim_end_matches(".rs") {
            _ if is_root => folder.to_owned(),
            "mod" => folder.to_owned(),
            stem => join_below(folder, stem),
        };
        let files = [format!("{name}.rs"), format!("{name}/mod.rs")].map(|path| join_below(&folder, &path));
        files.into_iter().find(|child| child != file && self.has(child))
    }

    /// Returns the file of the module around the module of a file.
    fn rust_parent(&self, file: &str) -> Target {
        let own = if last_part(file) == "mod.rs" { parent_folder(file) } else { file };
        let folder = parent_folder(own);
        let files = [format!("{folder}.rs"), join_below(folder, "mod.rs")];
        let roots = ["lib.rs", "main.rs"].map(|name| join_below(folder, name));
        files.into_iter().chain(roots).find(|parent| self.has(parent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_names(file: &str, line: &str, expected: &[&str]) {
        assert_eq!(module_names(language(file).unwrap(), line), expected, "{line}");
    }

    fn tree(files: &[&str]) -> Tree {
        Tree::new(files.iter().map(|file| (*file).to_owned()))
    }

    #[test]
    fn imports_of_python_name_modules() {
        for (line, expected) in [
            ("from a.b import c, d as e", &["a.b.c", "a.b.d"][..]),
            ("from . import c", &[".c"]),
            ("from ..a import (", &["..a.*"]),
            ("from a import *", &["a.*"]),
            ("import a.b as c, d", &["a.b", "d"]),
            ("    x = a.b.f(1.5)", &["a.b.f"]),
            ("value = 1", &[]),
        ] {
            check_names("x.py", line, expected);
        }
    }

    #[test]
    fn paths_of_rust_name_modules() {
        for (line, expected) in [
            ("use crate::a::b;", &["crate::a::b"][..]),
            ("use crate::a::{b, c::{D, self}, e};", &["crate::a::b", "crate::a::c::D", "crate::a::c", "crate::a::e"]),
            ("pub(crate) mod a;", &["self::a"]),
            ("    let x = super::f(a::B::new());", &["super::f", "a::B::new"]),
            ("let x: u8 = 1; // a::b", &[]),
        ] {
            check_names("x.rs", line, expected);
        }
    }

    #[test]
    fn only_imports_are_declared_names() {
        for (file, line, expected) in [
            ("x.py", "    from a import b", &["a.b"][..]),
            ("x.py", "x = a.b()", &[]),
            ("x.rs", "use a::b;", &["a::b"]),
            ("x.rs", "    use super::b;", &[]),
            ("x.go", "\talias \"example.com/m/a\"", &["example.com/m/a"]),
            ("x.go", "\tx := \"example.com/m/a\"", &[]),
        ] {
            assert_eq!(imported_names(language(file).unwrap(), line), expected, "{line}");
        }
    }

    #[test]
    fn names_of_python_resolve_to_files() {
        let tree = tree(&[
            "src/p/__init__.py",
            "src/p/a.py",
            "src/p/q/__init__.py",
            "src/p/q/b.py",
            "src/p/both.py",
            "src/p/both/__init__.py",
            "tests/t.py",
        ]);
        for (file, name, expected) in [
            ("tests/t.py", "p.a", Some("src/p/a.py")),
            ("tests/t.py", "p.a.f", Some("src/p/a.py")),
            ("tests/t.py", "p.q", Some("src/p/q/__init__.py")),
            ("tests/t.py", "p.q.b.C", Some("src/p/q/b.py")),
            ("tests/t.py", "p.q.*", Some("src/p/q/__init__.py")),
            ("src/p/q/b.py", "..gone.*", None),
            ("src/p/q/b.py", "..a.f", Some("src/p/a.py")),
            ("src/p/q/b.py", ".C", Some("src/p/q/__init__.py")),
            ("src/p/a.py", "os.path", None),
            ("tests/t.py", "p.both", Some("src/p/both/__init__.py")),
        ] {
            assert_eq!(tree.resolve(file, name).as_deref(), expected, "{name} in {file}");
        }
    }

    #[test]
    fn names_of_rust_resolve_to_files() {
        let mut tree = tree(&["c/src/lib.rs", "c/src/a.rs", "c/src/a/b.rs", "c/src/d/mod.rs", "c/tests/t.rs"]);
        tree.add_package("my_c", "c");
        for (file, name, expected) in [
            ("c/src/d/mod.rs", "crate::a::b::T", Some("c/src/a/b.rs")),
            ("c/src/a/b.rs", "super::f", Some("c/src/a.rs")),
            ("c/src/a/b.rs", "super::super::d", Some("c/src/d/mod.rs")),
            ("c/src/a.rs", "self::b", Some("c/src/a/b.rs")),
            ("c/src/lib.rs", "a::b", Some("c/src/a/b.rs")),
            ("c/tests/t.rs", "my_c::a", Some("c/src/a.rs")),
            ("c/src/a.rs", "std::fmt", None),
            ("c/tests/t.rs", "t::a", None),
        ] {
            assert_eq!(tree.resolve(file, name).as_deref(), expected, "{name} in {file}");
        }
    }

    #[test]
    fn import_path_of_go_resolves_to_a_folder() {
        let mut tree = tree(&["go.mod", "pkg/a/a.go", "main.go"]);
        tree.add_package("example.com/m", "");
        assert_eq!(tree.resolve("main.go", "example.com/m/pkg/a").as_deref(), Some("pkg/a/"));
    }
}
