//! Lists unresolved occurrences of a name: the likely ones individually and first, the unlikely ones counted by file.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_graph::Workspace;

use crate::{generated_files::is_generated, link_kinds::READER_LINKS, result_types::Location};

/// Returns the files that declare a symbol and those that import them, directly or indirectly. A link of a text to a
/// source file is not an import.
pub(crate) fn likely_files(workspace: &Workspace, declaring: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut likely: BTreeSet<String> = declaring.collect();
    let mut last: Vec<String> = likely.iter().cloned().collect();
    while !last.is_empty() {
        let mut next = Vec::new();
        for path in last {
            let importers = workspace.importers(&path).into_iter();
            for importer in importers.filter(|importer| !READER_LINKS.contains(&importer.link.kind.as_str())) {
                if likely.insert(importer.file.path.clone()) {
                    next.push(importer.file.path.clone());
                }
            }
        }
        last = next;
    }
    likely
}

/// Formats the entries of `unresolved`: `file:line:column` of each likely occurrence, then one entry per other file.
/// Generated files are omitted.
pub(crate) fn unresolved_entries(mut places: Vec<Location>, is_likely: impl Fn(&str) -> bool) -> Vec<String> {
    places.retain(|place| !is_generated(&place.path));
    places.sort();
    places.dedup();
    let (likely, unlikely): (Vec<Location>, Vec<Location>) =
        places.into_iter().partition(|place| is_likely(&place.path));
    let mut by_file: BTreeMap<&str, Vec<&Location>> = BTreeMap::new();
    for place in &unlikely {
        by_file.entry(&place.path).or_default().push(place);
    }
    let counted = by_file.values().filter_map(|places| {
        let first = location_text(places.first()?);
        Some(match places.len() - 1 {
            0 => first,
            more => format!("{first} and {more} more in this file"),
        })
    });
    likely.iter().map(location_text).chain(counted).collect()
}

fn location_text(Location { path, line, column }: &Location) -> String {
    format!("{path}:{line}:{column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_places_come_first_and_others_are_counted() {
        let at = |path: &str, line| Location { path: path.to_owned(), line, column: 4 };
        let places = vec![
            at("a/far.ts", 9),
            at("a/far.ts", 2),
            at("z/near.ts", 3),
            at("z/near.ts", 1),
            at("z/near.ts", 1),
            at("b/far.ts", 1),
            at("node_modules/x/y.d.ts", 1),
            at("yarn.lock", 1),
        ];
        let found = unresolved_entries(places, |path| path == "z/near.ts");
        assert_eq!(found, ["z/near.ts:1:4", "z/near.ts:3:4", "a/far.ts:2:4 and 1 more in this file", "b/far.ts:1:4"]);
    }
}
