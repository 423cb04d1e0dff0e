//! Moving files updates all references across formats, in one change that can be undone.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    ("package.json", "{\n  \"name\": \"app\",\n  \"main\": \"./src/user.ts\"\n}\n"),
    ("tsconfig.json", "{\n  \"files\": [\"src/user.ts\", \"src/index.ts\"] // all\n}\n"),
    ("src/user.ts", "import { log } from './log';\n\nexport class User {\n  hello() {\n    log('hello');\n  }\n}\n"),
    ("src/log.ts", "export const log = console.log;\n"),
    ("src/index.ts", "export * from './user';\nexport { User as Person } from './user.js';\n"),
    (
        "src/user.test.ts",
        "import { vi } from 'vitest';\nimport { User } from './user';\nvi.mock('./user');\nnew URL('./user.ts', import.meta.url);\nnew User();\n",
    ),
    ("README.md", "# App\n\nSee [the user](src/user.ts#L3) and [the log](./src/log.ts).\n"),
    ("docs/api.md", "The [class](../src/user.ts).\n"),
    ("index.html", "<!doctype html>\n<script type=\"module\" src=\"src/user.ts\"></script>\n"),
];

struct Project(TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().expect("a folder"));
        for (path, text) in FILES {
            let path = project.root().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        project
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("project")
    }

    fn call(&self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let output = Command::new(env!("CARGO_BIN_EXE_marq"))
            .args(["call", tool, &arguments.to_string()])
            .current_dir(self.root())
            .env("MARQ_STATE_DIR", self.0.path().join("state"))
            .env("MARQ_CACHE_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache"))
            .output()
            .expect("it runs");
        serde_json::from_slice(&output.stdout).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(&self.root(), &self.root(), &mut files);
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below").display().to_string();
            files.insert(name, fs::read_to_string(&path).expect("text"));
        }
    }
}

#[test]
fn file_move_updates_every_format() {
    let project = Project::new();
    let before = project.files();
    let result = project
        .call("file_move", &json!({ "source": "src/user.ts", "destination": "src/model/person.ts" }))
        .expect("moved");
    let after = project.files();
    let line = |file: &str, text: &str| assert!(after[file].contains(text), "{file}: {}", after[file]);
    line("src/model/person.ts", "import { log } from '../log';");
    line("src/index.ts", "export * from './model/person';\nexport { User as Person } from './model/person.js';");
    line(
        "src/user.test.ts",
        "import { User } from './model/person';\nvi.mock('./model/person');\nnew URL('./model/person.ts', import.meta.url);",
    );
    line("README.md", "[the user](src/model/person.ts#L3) and [the log](./src/log.ts)");
    line("docs/api.md", "[class](../src/model/person.ts)");
    line("index.html", "src=\"src/model/person.ts\"");
    line("tsconfig.json", "[\"src/model/person.ts\", \"src/index.ts\"] // all");
    line("package.json", "\"./src/model/person.ts\"");
    assert_eq!(result["totalFilesUpdated"], 8, "{result}");
    project.call("file_undo", &json!({ "id": result["id"] })).expect("undone");
    assert_eq!(project.files(), before);
    assert!(!project.root().join("src/model").exists(), "undo must remove the folder that the move created");
}

#[test]
fn folder_move_updates_links() {
    let project = Project::new();
    project.call("file_move", &json!({ "source": "src", "destination": "lib" })).expect("moved");
    let after = project.files();
    assert!(after["lib/user.ts"].contains("from './log'"), "links within the folder must not change");
    assert!(
        after["README.md"].contains("lib/user.ts#L3") && after["README.md"].contains("./lib/log.ts"),
        "{}",
        after["README.md"]
    );
    assert!(after["tsconfig.json"].contains("\"lib/user.ts\", \"lib/index.ts\""));
    let refused =
        project.call("file_move", &json!({ "source": "lib", "destination": "lib/inner" })).expect_err("refused");
    assert!(refused.contains("InvalidArgument"), "{refused}");
}

#[test]
fn glob_includes_follow_moved_files() {
    let project = Project::new();
    let check = |include: &str, source: &str, destination: &str, expected: &str| {
        let text = |include: &str| format!("{{\n  \"include\": [{include}], // sources\n}}\n");
        fs::write(project.root().join("tsconfig.json"), text(include)).expect("written");
        let result =
            project.call("file_move", &json!({ "source": source, "destination": destination })).expect("moved");
        assert_eq!(project.files()["tsconfig.json"], text(expected), "{include}: {source} to {destination}");
        project.call("file_undo", &json!({ "id": result["id"] })).expect("undone");
        assert_eq!(project.files()["tsconfig.json"], text(include));
    };
    check("\"src\"", "src/user.ts", "lib/user.ts", "\"src\", \"lib/user.ts\"");
    check("\"./src/*\"", "src/user.ts", "src/model/user.ts", "\"./src/*\", \"./src/model/user.ts\"");
    check("\"src/**/*.ts\", \"test\"", "src/user.ts", "lib/user.ts", "\"src/**/*.ts\", \"test\", \"lib/user.ts\"");
    // A pattern that starts with the moved path is updated; a pattern that matches the new path is sufficient.
    check("\"src/**/*.ts\"", "src", "lib", "\"lib/**/*.ts\"");
    check("\"src\", \"lib\"", "src/user.ts", "lib/user.ts", "\"src\", \"lib\"");
    check("\"docs\"", "src/user.ts", "lib/user.ts", "\"docs\"");
    // If the only file of a folder is moved, patterns for the folder are updated.
    check("\"docs\"", "docs/api.md", "lib/api.md", "\"lib\"");
    check("\"docs/*.md\"", "docs/api.md", "lib/api.md", "\"lib/*.md\"");
}

#[test]
fn dry_run_reports_all_and_writes_nothing() {
    let project = Project::new();
    let before = project.files();
    let result = project
        .call("file_rename", &json!({ "path": "src/log.ts", "newName": "logger.ts", "dryRun": true }))
        .expect("computed");
    assert_eq!(project.files(), before);
    let diff = result["diff"].as_str().expect("a diff");
    assert!(diff.contains("-import { log } from './log';\n+import { log } from './logger';"), "{diff}");
}

#[test]
fn delete_removes_imports_and_lists_remaining_uses() {
    let project = Project::new();
    let refused = project.call("file_delete", &json!({ "path": "src/log.ts", "safe": true })).expect_err("refused");
    assert!(refused.contains("RefactorFailed") && refused.contains("src/user.ts"), "{refused}");
    let result = project.call("file_delete", &json!({ "path": "src/log.ts" })).expect("deleted");
    let after = project.files();
    assert!(!after["src/user.ts"].contains("import"), "{}", after["src/user.ts"]);
    let updated = result["updatedFiles"].as_array().expect("files");
    let user = updated.iter().find(|file| file["file"] == "src/user.ts").expect("the importer");
    assert_eq!(user["removedImports"], json!([{ "symbol": "log", "from": "./log" }]), "{result}");
    assert_eq!(result["dangling"], json!(["src/user.ts:3: log('hello');"]));
    assert!(
        after["README.md"].contains("and the log."),
        "a removed link must be replaced by its text: {}",
        after["README.md"]
    );
}

#[test]
fn links_of_a_copy_keep_their_destinations() {
    let project = Project::new();
    project
        .call("file_duplicate", &json!({ "source": "src/user.ts", "destination": "src/admin/admin.ts" }))
        .expect("copied");
    let after = project.files();
    assert!(after["src/admin/admin.ts"].contains("from '../log'"), "{}", after["src/admin/admin.ts"]);
    let exists = project
        .call("file_duplicate", &json!({ "source": "src/user.ts", "destination": "src/log.ts" }))
        .expect_err("refused");
    assert!(exists.contains("OverwriteBlocked"), "{exists}");
}

#[test]
fn dependencies_are_listed_in_both_directions() {
    let project = Project::new();
    let query = |direction: &str| {
        let result = project
            .call("query", &json!({ "type": "dependencies", "path": "src/user.ts", "direction": direction }))
            .expect("answered");
        let list = result["data"]["dependencies"].as_array().expect("a list").clone();
        list.iter().map(|link| link["path"].as_str().unwrap_or("-").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(query("imports"), ["src/log.ts"]);
    let users = query("importedBy");
    for file in
        ["README.md", "docs/api.md", "index.html", "package.json", "src/index.ts", "src/user.test.ts", "tsconfig.json"]
    {
        assert!(users.iter().any(|user| user == file), "{file} in {users:?}");
    }
}
