//! Classes of the standard library from which classes of a project inherit, and the members of these classes.

/// Lines such as `MODULES | CLASSES | MEMBERS`. The classes read no other members by name.
const CLASSES: &str = include_str!("standard_members.txt");

/// The module of classes that need no import.
const BUILTINS: &str = "builtins";

/// A class of which all members are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StandardBase {
    members: &'static str,
    runs_tests: bool,
}

impl StandardBase {
    /// The class with a name. `module` is the one from which the name is imported.
    pub(super) fn find(name: &str, module: Option<&str>) -> Option<StandardBase> {
        let module = module.unwrap_or(BUILTINS);
        let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|own| own == word);
        CLASSES.lines().find_map(|line| {
            let mut parts = line.splitn(3, '|');
            let (modules, classes, members) = (parts.next()?, parts.next()?, parts.next()?);
            let is_it =
                has(classes, name) && (has(modules, module) || module == "typing_extensions" && has(modules, "typing"));
            is_it.then(|| StandardBase { members, runs_tests: has(modules, "unittest") })
        })
    }

    /// Returns whether the class may declare or use a member. Its private members depend on the version of Python.
    pub(super) fn may_have(self, name: &str) -> bool {
        let mut members = self.members.split_ascii_whitespace();
        let is_private = |name: &str| name.starts_with('_');
        members.any(|own| own == name || is_private(own) && is_private(name))
    }

    /// Returns whether the class finds a member by the start of its name.
    pub(super) fn finds_by_name(self, name: &str) -> bool {
        self.runs_tests && name.starts_with("test")
    }
}
