//! The index of a workspace with real packs is never stale, neither in this process nor in the next.

use std::{fs, path::Path, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_graph::{DetailLevel, Graph, Workspace};
use marquetry_model::{
    Work,
    ports::{Files, Packs, Roots},
};
use marquetry_testkit::default_packs;

struct Project {
    folder: tempfile::TempDir,
    packs: Arc<dyn Packs>,
    graph: Graph,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let graph = Graph::new(folder.path().join("index"));
        let project = Project { folder, packs: Arc::new(default_packs()), graph };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("root").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn files(&self) -> Arc<dyn Files> {
        let at = |name: &str| -> std::path::PathBuf { Path::new(self.folder.path()).join(name) };
        DiskRoots::new(at("root"), at("state")).open(None).unwrap()
    }

    fn workspace_of(&self, graph: &Graph) -> Arc<Workspace> {
        graph.workspace(&self.files(), self.packs.as_ref(), DetailLevel::Names, &Work::default()).unwrap()
    }

    /// Returns the files that link to a file. Checks that this process and a new one agree.
    fn importers(&self, path: &str) -> Vec<String> {
        let of = |graph: &Graph| -> Vec<String> {
            let workspace = self.workspace_of(graph);
            workspace.importers(path).iter().map(|importer| importer.file.path.clone()).collect()
        };
        let here = of(&self.graph);
        assert_eq!(of(&Graph::new(self.folder.path().join("index"))), here, "a new process must give the same answer");
        assert_eq!(
            of(&Graph::new(self.folder.path().join("nothing"))),
            here,
            "a process without an index must give the same answer"
        );
        here
    }
}

#[test]
fn change_of_same_size_and_time_is_detected() {
    let project = Project::new(&[("a.ts", "export const a = 1;\n"), ("b.ts", "export const a = 2;\n")]);
    for round in 0..20 {
        let from = if round % 2 == 0 { "a" } else { "b" };
        project.write("c.ts", &format!("import {{ a }} from \"./{from}\";\n"));
        assert_eq!(project.importers(&format!("{from}.ts")), ["c.ts"], "round {round}");
    }
}

#[test]
fn created_and_deleted_files_change_link_targets() {
    let project = Project::new(&[
        ("tsconfig.json", "{}"),
        ("lib/a.ts", "export const a = 1;\n"),
        ("b.ts", "import { a } from \"./lib/a\";\nimport \"./later\";\n"),
    ]);
    assert_eq!(project.importers("lib/a.ts"), ["b.ts"]);
    assert!(project.importers("later.ts").is_empty());
    project.write("later.ts", "");
    assert_eq!(project.importers("later.ts"), ["b.ts"]);
    fs::remove_file(project.folder.path().join("root/lib/a.ts")).unwrap();
    assert!(project.importers("lib/a.ts").is_empty());
    project.write("lib/a/index.ts", "export const a = 1;\n");
    assert_eq!(project.importers("lib/a/index.ts"), ["b.ts"]);
    project.write("b.ts", "import { a } from \"@/a\";\n");
    assert!(project.importers("lib/a/index.ts").is_empty());
    project.write("tsconfig.json", "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./lib/*\"] } } }");
    assert_eq!(project.importers("lib/a/index.ts"), ["b.ts"]);
}

#[test]
fn index_finds_words_in_their_files() {
    let files: Vec<(String, String)> =
        (0..80).map(|n| (format!("f{n}.ts"), format!("export const name{n} = 'text{n}';\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&files);
    let workspace = project.workspace_of(&project.graph);
    for n in [0, 7, 79] {
        assert_eq!(workspace.files_containing(&project.files(), &[&format!("name{n}")]), [format!("f{n}.ts")]);
    }
    project.write("f3.ts", "export const other = name7;\n");
    let workspace = project.workspace_of(&project.graph);
    assert_eq!(workspace.files_containing(&project.files(), &["name7"]), ["f3.ts", "f7.ts"]);
}
