//! A project on disk, created from a text and read by the packs of this repository, and its index as text.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_graph::{DetailLevel, Entry, Graph, LinkFact, Target, Workspace};
use marquetry_model::{
    Work,
    ports::{Files, Packs, Roots},
};
use marquetry_native::NativePacks;

/// Number of filler files in every project: the index of a smaller project is not written to disk.
const FILLERS: usize = 40;
const FILLER: &str = "filler/";

/// A project with its index.
pub struct Indexed {
    folder: tempfile::TempDir,
    pub files: Arc<dyn Files>,
    pub graph: Graph,
    pub packs: Arc<dyn Packs>,
}

impl Indexed {
    pub fn new() -> Indexed {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("root").join(FILLER)).unwrap();
        for number in 0..FILLERS {
            fs::write(folder.path().join("root").join(FILLER).join(format!("{number}.none")), "").unwrap();
        }
        let files = DiskRoots::new(folder.path().join("root"), folder.path().join("state")).open(None).unwrap();
        let graph = Graph::new(folder.path().join("index"));
        Indexed { folder, files, graph, packs: Arc::new(NativePacks::default()) }
    }

    /// Applies a fixture: `//- /path` is followed by the text of a file; a file without text is removed. A suffix of
    /// the path says how the file is created.
    pub fn write(&self, fixture: &str) {
        let root = self.folder.path().join("root");
        for file in fixture.split("//- /").skip(1) {
            let (head, text) = file.split_once('\n').unwrap_or((file, ""));
            let (name, how) = head.trim().split_once(" <= ").unwrap_or((head.trim(), ""));
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match how.split_once(' ').unwrap_or((how, "")) {
                ("", _) if text.trim_end().is_empty() => remove(&path),
                ("", _) => fs::write(path, text).unwrap(),
                ("nothing", _) => fs::write(path, "").unwrap(),
                ("folder", _) => fs::create_dir(path).unwrap(),
                ("link", to) => std::os::unix::fs::symlink(to, path).unwrap(),
                ("moved", from) => fs::rename(root.join(from), path).unwrap(),
                ("repeated", times) => fs::write(path, text.repeat(times.parse().unwrap())).unwrap(),
                ("latin-1", _) => fs::write(path, text.chars().map(|c| c as u8).collect::<Vec<u8>>()).unwrap(),
                ("utf-16", _) => {
                    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
                    fs::write(path, units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap();
                }
                (other, _) => panic!("`{other}` is not a way to create a file"),
            }
        }
    }

    pub fn workspace(&self, need: DetailLevel) -> Arc<Workspace> {
        self.graph.workspace(&self.files, self.packs.as_ref(), need, &Work::default()).unwrap()
    }

    /// The index as another process loads it.
    pub fn other_process(&self) -> Graph {
        Graph::new(self.folder.path().join("index"))
    }
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path).unwrap().is_dir() {
        true => fs::remove_dir_all(path).unwrap(),
        false => fs::remove_file(path).unwrap(),
    }
}

/// The whole index as text.
pub fn shown(workspace: &Workspace) -> String {
    let mut out = String::new();
    for file in workspace.files().filter(|file| !file.path.starts_with(FILLER)) {
        show(workspace, file, &mut out);
    }
    let mut skipped: Vec<_> = workspace.skipped.iter().map(|(path, why)| format!("skipped {path}: {why}\n")).collect();
    skipped.sort();
    out + &skipped.concat()
}

fn show(workspace: &Workspace, file: &Entry, out: &mut String) {
    let engine = file.engine.split(' ').next().filter(|name| !name.is_empty()).unwrap_or("is no text");
    writeln!(out, "{} {engine}", file.path).unwrap();
    let targets = file.targets.iter().flatten();
    for (link, target) in file.links.iter().flatten().zip(targets) {
        writeln!(out, "  {}", linked(link, target)).unwrap();
    }
    let names = file.names.clone().unwrap_or_default();
    let mut line = |word: &str, what: Vec<String>| {
        if !what.is_empty() {
            writeln!(out, "  {word} {}", what.join(", ")).unwrap();
        }
    };
    line("exports", names.exports);
    let passed = |(from, name, to): (String, String, Option<String>)| {
        to.map_or(format!("{name} of {from}"), |to| format!("{name} of {from} as {to}"))
    };
    line("imports", names.imports.into_iter().map(passed).collect());
    let shared =
        |list: Vec<(String, String)>| list.into_iter().map(|(space, name)| format!("{space} {name}")).collect();
    line("shares", shared(names.shared));
    line("uses", shared(names.free));
    let symbols = file.symbols.iter().flatten();
    line("symbols", symbols.map(|symbol| format!("{} ({})", symbol.address, symbol.kind)).collect());
    let importers = workspace.importers(&file.path);
    line("from", importers.iter().map(|importer| format!("{}#{}", importer.file.path, importer.index)).collect());
}

fn linked(link: &LinkFact, target: &Target) -> String {
    let names = if link.names.is_empty() { String::new() } else { format!(" {{{}}}", link.names().join(", ")) };
    let only = if link.type_only { " (types)" } else { "" };
    let target = match target {
        Target::Inside(path) => path.clone(),
        Target::External => "elsewhere".to_owned(),
        Target::Missing(path) => format!("nothing at {path}"),
        Target::Unknown(why) => format!("unknown: {why}"),
    };
    format!("{} {}{names}{only} => {target}", link.kind, link.specifier)
}
