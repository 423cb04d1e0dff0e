//! The files and folders that move with a module: those of its submodules.

use marquetry_sdk::{
    Relocation,
    paths::file_name,
    workspace::{self, Entry, EntryKind},
};

use crate::{
    modules::{below, file_of, folder_of_children, is_root},
    outline::outline_of,
};

/// Returns the moves of the submodules of a moved file: of their folder, or, if it contains the file itself or the new
/// folder exists, of the source files and folders in it.
pub(crate) fn additional_moves(relocation: &Relocation) -> Vec<Relocation> {
    let Relocation { from, to } = relocation;
    // The submodules of a crate's root are beside it, and may belong to another root, too.
    let is_module = |path: &str| path.ends_with(".rs") && !is_root(path);
    if !is_module(from) || !is_module(to) {
        return Vec::new();
    }
    let [old, new] = [from, to].map(|path| folder_of_children(path, false));
    let outline = outline_of(from);
    let mut files = outline.declarations.iter().filter_map(|declaration| file_of(from, declaration));
    if old == new || !files.any(|file| file.starts_with(&format!("{old}/"))) {
        return Vec::new();
    }
    let one = |from: String, to: String| Relocation { from, to };
    let is_apart = [from, to].into_iter().chain([&new]).all(|path| !path.starts_with(&format!("{old}/")));
    if is_apart && file_name(to) != "mod.rs" && workspace::stat(&new).is_none() {
        return vec![one(old, new)];
    }
    let is_source = |entry: &Entry| match entry.kind {
        EntryKind::File => entry.name.ends_with(".rs") && below(&old, &entry.name) != *from,
        EntryKind::Directory => true,
    };
    let names = workspace::entries(&old).into_iter().filter(is_source).map(|entry| entry.name);
    names.filter(|name| !name.starts_with('.')).map(|name| one(below(&old, &name), below(&new, &name))).collect()
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::workspace::set_files;

    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, expected: &[(&str, &str)]) {
        let found = additional_moves(&Relocation { from: from.to_owned(), to: to.to_owned() });
        let pairs: Vec<(&str, &str)> = found.iter().map(|one| (one.from.as_str(), one.to.as_str())).collect();
        assert_eq!(pairs, expected, "{from} to {to}");
    }

    #[test]
    fn submodules_move_with_their_module() {
        set_files(
            [
                ("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2024\"\n"),
                ("src/lib.rs", "mod cart;\nmod text;\nmod odd;\nmod data;\nmod taken;\n"),
                ("src/cart.rs", "mod items;\n"),
                ("src/cart/items.rs", ""),
                ("src/cart/data.json", "{}"),
                ("src/cart/.cache.rs", ""),
                ("src/cart/.git/config", ""),
                ("src/text/mod.rs", "pub mod plain;\nmod deep { mod more; }\n"),
                ("src/text/plain.rs", ""),
                ("src/text/deep/more.rs", ""),
                ("src/odd.rs", "#[path = \"elsewhere.rs\"]\nmod a;\nmod b {}\n"),
                ("src/elsewhere.rs", ""),
                ("src/odd/notes.rs", ""),
                ("src/data.rs", ""),
                ("src/data/a.rs", ""),
                ("src/taken/x.rs", ""),
            ]
            .map(|(path, text)| (path.to_owned(), text.to_owned())),
        );
        check("src/cart.rs", "src/basket.rs", &[("src/cart", "src/basket")]);
        check("src/cart.rs", "src/shop/cart.rs", &[("src/cart", "src/shop/cart")]);
        check("src/cart.rs", "src/cart/mod.rs", &[]);
        check("src/cart.rs", "src/basket/mod.rs", &[("src/cart/items.rs", "src/basket/items.rs")]);
        check("src/cart.rs", "src/taken.rs", &[("src/cart/items.rs", "src/taken/items.rs")]);
        check("src/cart.rs", "src/cart/inner.rs", &[("src/cart/items.rs", "src/cart/inner/items.rs")]);
        check("src/text/mod.rs", "src/text.rs", &[]);
        let moved = [("src/text/deep", "src/words/deep"), ("src/text/plain.rs", "src/words/plain.rs")];
        check("src/text/mod.rs", "src/words.rs", &moved);
        check("src/text/mod.rs", "src/words/mod.rs", &moved);
        // Files that are there for another reason stay.
        check("src/odd.rs", "src/even.rs", &[]);
        check("src/data.rs", "src/other.rs", &[]);
        check("src/text/plain.rs", "src/text/simple.rs", &[]);
        check("src/lib.rs", "src/main.rs", &[]);
        check("src/cart.rs", "src/cart.txt", &[]);
    }
}
