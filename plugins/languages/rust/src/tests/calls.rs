//! Counts the requests to the workspace. Their number must not depend on the number of paths in a document.

use std::{cell::Cell, collections::BTreeMap, rc::Rc};

use marquetry_sdk::{
    Context, ImportKey, Linking, Request, Subject, Symbols, testing,
    workspace::{Denial, Entry, EntryKind, Folder, set_folder},
};

use crate::{
    Rust,
    relink::{Move, relink},
};

/// Files in memory that count the requests for them.
struct Counted {
    files: BTreeMap<String, String>,
    count: Rc<Cell<usize>>,
}

impl Folder for Counted {
    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.count.set(self.count.get() + 1);
        self.files.contains_key(path).then_some(EntryKind::File)
    }

    fn read(&self, path: &str) -> Result<String, Denial> {
        self.count.set(self.count.get() + 1);
        self.files.get(path).cloned().ok_or(Denial::NotFound)
    }

    fn entries(&self, _path: &str) -> Vec<Entry> {
        self.count.set(self.count.get() + 1);
        Vec::new()
    }
}

/// The number of requests that each kind of call makes for a document with this many paths.
fn requests_for(paths: usize) -> Vec<usize> {
    let calls = (0..paths).map(|n| format!("    m::f{n}(crate::m::A{n}::new(), x::y{n}::z());\n"));
    let text = format!("use crate::m;\nuse super::*;\n\nfn a() {{\n{}}}\n", calls.collect::<String>());
    let count = Rc::new(Cell::new(0));
    let files = [
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        ("src/lib.rs", "mod m;\nmod a;\nmod x;\n"),
        ("src/m.rs", "pub fn f0() {}\n"),
        ("src/x.rs", "pub mod y0;\n"),
        ("src/x/y0.rs", ""),
        ("src/a.rs", text.as_str()),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    set_folder(Rc::new(Counted { files, count: Rc::clone(&count) }));
    let bench = testing::open::<Rust>("src/a.rs", &text);
    let links = Rust::links(bench.document());
    let request = |link: &marquetry_sdk::Link| Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
    let requests: Vec<Request> = links.iter().map(request).collect();
    let resolved = Rust::resolve(&Context::for_path("src/a.rs"), &requests);
    assert_eq!(resolved.len(), requests.len());
    let mut counts = vec![count.take()];
    relink(bench.document(), &[Move { from: "src/m.rs".to_owned(), to: "src/n.rs".to_owned() }]);
    counts.push(count.take());
    let key = ImportKey { specifiers: vec!["crate::m".to_owned()], name: "f0".to_owned() };
    Rust::rename(bench.document(), Subject::Imported(key), "g").expect("renamed");
    counts.push(count.take());
    Rust::facts(bench.document());
    counts.push(count.take());
    counts
}

#[test]
fn requests_do_not_grow_with_the_paths() {
    // The first run fills the cache with the parsed other files.
    requests_for(1);
    let (few, many) = (requests_for(2), requests_for(200));
    assert_eq!(few, many);
    assert!(many.iter().all(|count| *count < 60), "{many:?}");
}
