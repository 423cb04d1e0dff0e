//! What the index says of real files, as text: the cases of `formats/`.
//!
//! ```text
//! ==== a title
//! //- /a.md
//! [b](b.md#part)
//! ----
//! a.md markdown
//!   link b.md => b.md
//! ```
//!
//! Below `----` stands each file with its pack: what it links to and over which names, what it exports, what it shares with
//! all files or uses of that, its symbols, and who links to it. A case may go on with files that are written then (those
//! that are empty are removed), and what the index says after. `UPDATE_EXPECT=1` writes down what it says.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_graph::{Entry, Graph, LinkFact, Need, Target, Workspace};
use marquetry_model::{
    Work,
    ports::{Files, Roots},
};
use marquetry_native::NativePacks;

/// A project, and its index.
struct Indexed {
    folder: tempfile::TempDir,
    files: Arc<dyn Files>,
    graph: Graph,
    packs: NativePacks,
}

impl Indexed {
    fn new() -> Indexed {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let files = DiskRoots::new(folder.path().join("root"), folder.path().join("state")).open(None).unwrap();
        let graph = Graph::new(folder.path().join("index"));
        Indexed { folder, files, graph, packs: NativePacks::default() }
    }

    /// Write the files of a fixture; remove those without text.
    fn write(&self, fixture: &str) {
        for file in fixture.split("//- /").skip(1) {
            let (path, text) = file.split_once('\n').unwrap_or((file, ""));
            let path = self.folder.path().join("root").join(path.trim());
            if text.is_empty() {
                fs::remove_file(path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn shown(&self) -> String {
        let workspace = self.graph.workspace(&self.files, &self.packs, Need::Symbols, &Work::default()).unwrap();
        let mut out = String::new();
        for file in workspace.files() {
            show(&workspace, file, &mut out);
        }
        let mut skipped: Vec<_> =
            workspace.skipped.iter().map(|(path, why)| format!("skipped {path}: {why}\n")).collect();
        skipped.sort();
        out + &skipped.concat()
    }
}

fn show(workspace: &Workspace, file: &Entry, out: &mut String) {
    writeln!(out, "{} {}", file.path, file.engine.split(['@', ' ']).next().unwrap()).unwrap();
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

/// A case with what the index says at each of its `----`.
fn replayed(case: &str) -> String {
    let project = Indexed::new();
    let mut out = String::new();
    let mut lines = case.split_inclusive('\n').peekable();
    while lines.peek().is_some() {
        let mut fixture = String::new();
        while let Some(line) = lines.next_if(|line| line.trim_end() != "----") {
            fixture.push_str(line);
        }
        out.push_str(&fixture);
        project.write(&fixture);
        if lines.next().is_some() {
            out.push_str(&format!("----\n{}", project.shown()));
        }
        // What was expected.
        while lines.next_if(|line| !line.starts_with("//- /")).is_some() {}
    }
    out
}

#[test]
fn the_index_says_what_files_say() {
    marquetry_cases::replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats"), |_, case| replayed(case));
}
