//! Names of types and methods in the clients.

/// Names that a definition must not have, because they have another meaning in TypeScript or Python.
pub(crate) const RESERVED: [&str; 14] = [
    "Any",
    "Array",
    "Awaitable",
    "Date",
    "Error",
    "Generic",
    "Literal",
    "Map",
    "Object",
    "Promise",
    "Record",
    "Set",
    "String",
    "Symbol",
];

/// Types of the host whose names are not clear outside of it, and their names in the clients.
const RENAMED: [(&str, &str); 7] = [
    ("Answer", "QueryData"),
    ("Format", "ReadFormat"),
    ("OldNew", "Replacement"),
    ("Pair", "PositionPair"),
    ("PastShape", "Change"),
    ("DependencyShape", "Dependency"),
    ("Symbol", "DocumentSymbol"),
];

/// Returns the name of a type of the host in the clients.
pub(crate) fn of_definition(name: &str) -> String {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new).to_owned()
}

/// Converts `file_read` to `FileRead`, and `newName` to `NewName`.
pub(crate) fn pascal(name: &str) -> String {
    let capitalize = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split('_').map(capitalize).collect()
}

/// Converts `file_read` to `fileRead`.
pub(crate) fn camel(name: &str) -> String {
    let name = pascal(name);
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns the name of one item of a list: `change` for `changes`.
pub(crate) fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions_of_each_language() {
        assert_eq!(["file_read", "query", "newName", ""].map(pascal), ["FileRead", "Query", "NewName", ""]);
        assert_eq!(["file_read", "query", ""].map(camel), ["fileRead", "query", ""]);
        assert_eq!(["changes", "edit"].map(singular), ["change", "edit"]);
    }

    #[test]
    fn renamed_types_do_not_collide() {
        for (place, (old, new)) in RENAMED.iter().enumerate() {
            assert!(!RESERVED.contains(new), "{new}");
            assert!(RENAMED.iter().skip(place + 1).all(|(other, name)| other != old && name != new), "{old}");
        }
        assert_eq!(of_definition("Symbol"), "DocumentSymbol");
        assert_eq!(of_definition("Range"), "Range");
    }
}
