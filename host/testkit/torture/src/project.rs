//! The test project, and every kind of change to it. All changes are in `pkg`, so that they can be made with the
//! project or the package as root.

use crate::tree::{Node, Tree};

/// The number of files that import `src/shared.ts`.
const USERS: usize = 24;

/// The project before any change. Contains a file outside of the package that no change affects.
pub(crate) fn files() -> Tree {
    let mut tree = Tree::new();
    let mut add = |path: &str, text: String| {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            tree.insert(above.to_owned(), Node::Directory(0o755));
            folder = above;
        }
        tree.insert(path.to_owned(), Node::File(text.into_bytes(), 0o644));
    };
    add("beside.txt", "nobody names this\n".to_owned());
    add(
        "pkg/src/shared.ts",
        "export const shared = 1;\n\nexport function helper() {\n  return shared;\n}\n".to_owned(),
    );
    for n in 0..USERS {
        let text = format!("import {{ shared }} from '../shared';\n\nexport const value{n} = shared + {n};\n");
        add(&format!("pkg/src/part{}/file{n}.ts", n % 4), text);
    }
    for n in 0..12 {
        add(&format!("pkg/assets/in/file{n}.txt"), format!("asset {n}\n").repeat(40));
    }
    add("pkg/data.json", "{\n  \"a\": 1,\n  \"b\": [1, 2, 3]\n}\n".to_owned());
    add("pkg/notes.txt", "0\n".to_owned());
    tree.insert("pkg/assets/link".to_owned(), Node::Link("../data.json".to_owned()));
    tree.insert("pkg/linked.json".to_owned(), Node::Link("data.json".to_owned()));
    tree
}

/// A change to disturb.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Its name in the table.
    pub name: &'static str,
    /// The command; `@` stands for the path from the root to the package.
    pub(crate) command: &'static [&'static str],
    /// An earlier command, which this change undoes.
    pub(crate) after: Option<&'static [&'static str]>,
    /// The files that the change is made to.
    pub(crate) files: fn() -> Tree,
}

const fn new_change(name: &'static str, command: &'static [&'static str]) -> Change {
    Change { name, command, after: None, files }
}

const MOVE: &[&str] = &["move", "@src/shared.ts", "@lib/deep/shared.ts"];
const DELETE: &[&str] = &["delete", "@assets", "-r"];

/// One change of every kind.
pub const CHANGES: [Change; 15] = [
    new_change("edit a file", &["edit", "@data.json", "$.a", "replace", "2"]),
    new_change("edit many files", &["replace", "@src/**/*.ts", "(shared)", "${1}Once", "--regex", "--no-dry-run"]),
    new_change("edit through a link", &["edit", "@linked.json", "$.b", "replace", "[]"]),
    new_change("make a file", &["create", "@new/deep/file.txt", "--content", "new"]),
    new_change("replace a file", &["create", "@data.json", "--content", "{}", "--overwrite"]),
    new_change("move a file", MOVE),
    new_change("move a folder", &["move", "@src", "@moved/src"]),
    new_change("move a link", &["move", "@assets/link", "@link"]),
    new_change("rename a file", &["rename", "@src/shared.ts", "common.ts", "--rename-exports"]),
    new_change("rename a symbol", &["rename-symbol", "@src/shared.ts", "shared", "common"]),
    new_change("delete a file", &["delete", "@src/shared.ts"]),
    new_change("delete a folder", DELETE),
    new_change("copy a file", &["duplicate", "@src/shared.ts", "@src/own.ts", "--rename", "shared=own"]),
    Change { after: Some(MOVE), ..new_change("undo a move", &["undo"]) },
    Change { after: Some(DELETE), ..new_change("undo a deletion", &["undo"]) },
];

/// The number of files that one wide edit changes.
const WIDE: usize = 1000;
const EDIT_ALL: &[&str] = &["replace", "@src/**/*.ts", "(\\w*[vV]alue)", "${1}Once", "--regex", "--no-dry-run"];

/// Changes of very many files.
pub const WIDE_CHANGES: [Change; 2] = [
    Change { files: many_files, ..new_change("edit 1,000 files", EDIT_ALL) },
    Change { after: Some(EDIT_ALL), files: many_files, ..new_change("undo an edit of 1,000 files", &["undo"]) },
];

/// The project with additional files for wide changes.
fn many_files() -> Tree {
    let mut tree = files();
    for n in 0..WIDE {
        let folder = format!("pkg/src/wide{}", n / 100);
        let text = format!("export const value{n} = {n};\n\nexport function read{n}() {{\n  return value{n};\n}}\n");
        tree.insert(format!("{folder}/file{n}.ts"), Node::File(text.into_bytes(), 0o644));
        tree.insert(folder, Node::Directory(0o755));
    }
    tree
}

/// Replaces `@` in a command with the path to the package.
pub(crate) fn command(words: &[&str], package: &str) -> Vec<String> {
    words.iter().map(|word| word.replace('@', package)).collect()
}
