//! Orders in which linters and formatters sort imported modules, where they differ from TypeScript's order.

use std::cmp::Ordering;

use crate::imports::order::{Comparer, compare_naturally};
use crate::imports::preferences::Collation;
use crate::program::resolution::paths;

/// Order of import statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum ModuleOrder {
    /// As in TypeScript: relative modules come last.
    #[default]
    Compiler,
    /// As in Biome: more distant modules come first.
    Distance,
    /// As in `eslint-plugin-simple-import-sort`: folders come before their contents.
    Folders,
    /// Like `Folders`, in groups separated by a blank line.
    Groups,
}

/// The module orders, with their names in the preferences.
const NAMED_ORDERS: [(&str, ModuleOrder); 4] = [
    ("compiler", ModuleOrder::Compiler),
    ("distance", ModuleOrder::Distance),
    ("folders", ModuleOrder::Folders),
    ("groups", ModuleOrder::Groups),
];

/// Punctuation in Biome's order of paths.
const PATH_MARKS: &str = "/\\?#=&;,@:. _-+*!%$()[]{}<>|^~'\"`";

impl ModuleOrder {
    pub(crate) fn from_name(word: &str) -> Option<ModuleOrder> {
        NAMED_ORDERS.iter().find(|(known, _)| *known == word).map(|(_, order)| *order)
    }

    /// Returns whether groups are separated by blank lines. Within a group, blank lines are then removed.
    pub(crate) fn has_groups(self) -> bool {
        self == ModuleOrder::Groups
    }

    pub(crate) fn compare(self, comparer: Comparer, one: &str, other: &str) -> Ordering {
        match self {
            ModuleOrder::Compiler => {
                paths::is_relative(one).cmp(&paths::is_relative(other)).then_with(|| comparer.compare(one, other))
            }
            ModuleOrder::Distance => module_distance(one)
                .cmp(&module_distance(other))
                .then_with(|| compare_naturally(one, other, PATH_MARKS)),
            ModuleOrder::Folders | ModuleOrder::Groups => module_group(one, false)
                .cmp(&module_group(other, false))
                .then_with(|| folder_comparer(comparer).compare(&folder_sort_key(one), &folder_sort_key(other)))
                .then_with(|| one.cmp(other)),
        }
    }
}

/// Returns the distance of a module as in Biome: greater is nearer; paths through parent folders are ordered by the
/// number of steps.
fn module_distance(specifier: &str) -> (u8, isize) {
    let has_protocol = specifier.split(['/', '@']).next().is_some_and(|start| start.contains(':'));
    let place = match specifier.as_bytes() {
        _ if specifier.contains("://") => 1,
        _ if has_protocol => 2,
        [b'@', b'/', ..] | [b'@'] | [b'#' | b'~' | b'$' | b'%', ..] => 4,
        [b'/' | b'.', ..] => 5,
        [first, ..] if first.is_ascii_alphanumeric() || b"@-_".contains(first) => 3,
        _ => 0,
    };
    let up = specifier.split('/').filter(|part| *part != ".").take_while(|part| *part == "..").count() as isize;
    let is_absolute = specifier.starts_with('/');
    (
        place,
        if place < 5 {
            0
        } else if is_absolute {
            isize::MIN
        } else {
            -up
        },
    )
}

/// Returns the default group of a module in `eslint-plugin-simple-import-sort`.
pub(crate) fn module_group(specifier: &str, is_bare: bool) -> u8 {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match specifier {
        _ if is_bare => 0,
        _ if specifier.starts_with("node:") => 1,
        _ if specifier.strip_prefix('@').unwrap_or(specifier).starts_with(is_word) => 2,
        _ if specifier.starts_with('.') => 4,
        _ => 3,
    }
}

/// Maps a specifier to a text that sorts in folder order: more distant modules first, `/` and `.` before all other
/// punctuation.
fn folder_sort_key(specifier: &str) -> String {
    let mut path = specifier.to_owned();
    let is_up = |path: &str| path.chars().all(|c| c == '.' || c == '/');
    if is_up(&path) && path.ends_with('.') {
        path.push('/');
    }
    if is_up(&path) && path.ends_with('/') {
        path.push(',');
    }
    // Dictionary order puts `_` and `-` before all other punctuation, so they are swapped with `.` and `/`.
    let traded = path.chars().map(|c| match c {
        '.' => '_',
        '/' => '-',
        '_' => '.',
        '-' => '/',
        other => other,
    });
    traded.collect()
}

fn folder_comparer(comparer: Comparer) -> Comparer {
    let collation = Collation { unicode: true, numeric: true, upper_first: true, ..Collation::default() };
    Comparer { ignore_case: false, collation, ..comparer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::order;
    use crate::imports::preferences::Preferences;

    #[track_caller]
    fn check(order: ModuleOrder, sorted: &[&str]) {
        let comparer = order::comparers(&Preferences::default())[0];
        for pair in sorted.windows(2) {
            assert_eq!(order.compare(comparer, pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(order.compare(comparer, pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }

    #[test]
    fn modules_are_sorted_like_linters_do() {
        check(
            ModuleOrder::Distance,
            &[
                "https://example.org",
                "jsr:@scoped/lib",
                "node:path",
                "@scoped/lib",
                "fs",
                "lib",
                "lib-a",
                "#alias",
                "@/a",
                "/a",
                "../../b",
                "../a",
                "./a",
                "./b9",
                "./b10",
            ],
        );
        check(
            ModuleOrder::Groups,
            &[
                "node:fs", "@a/b", "a", "A1", "a2", "a10", "b", "/a", "@/a", "~/b", "../..", "../../b", "..", "../a",
                ".", "./a", "./a/b", "./a_b", "./a-b", "./b",
            ],
        );
    }
}
