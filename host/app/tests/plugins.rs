//! `marq plugin` with plugins of the project: registry and lock are updated, and the other entries in them are
//! unchanged.

use std::{fs, path::Path};

use crate::common::Project;

/// Returns the output of a command, and whether it succeeded.
fn run(project: &Project, arguments: &[&str]) -> (bool, String) {
    let output = project.marq(&[&["plugin"], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

fn stdout_of(project: &Project, arguments: &[&str]) -> String {
    let (well, output) = run(project, arguments);
    assert!(well, "{arguments:?}: {output}");
    output
}

fn refused(project: &Project, arguments: &[&str]) -> String {
    let (well, output) = run(project, arguments);
    assert!(!well, "{arguments:?}: {output}");
    output
}

/// Copies a built component into the project.
fn bring(project: &Project, name: &str) {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/release");
    let to = project.root().join("tools");
    fs::create_dir_all(&to).expect("made");
    fs::copy(built.join(format!("marquetry_{name}.wasm")), to.join(format!("{name}.wasm"))).expect("copied");
}

const REGISTRY: &str = "# Ours.\nmarquetry = 1\n\n[plugins.css]   # no styles here\nenabled = false\n";

#[test]
fn add_and_remove_keep_the_rest_of_the_registry() {
    let project = Project::new(1);
    project.write("registry.toml", REGISTRY);
    bring(&project, "properties");
    let out = stdout_of(&project, &["add", "tools/properties.wasm"]);
    assert!(out.contains("added `properties` 0.1.0 to registry.toml: .env .env.* *.env"), "{out}");
    assert!(out.contains("`marq trust --allow` approves them"), "{out}");
    let text = || fs::read_to_string(project.root().join("registry.toml")).expect("there");
    let entry = "\n[plugins.properties]\nsource = \"path:./tools/properties.wasm\"\nversion = \"^0.1\"\n";
    assert_eq!(text(), format!("{REGISTRY}{entry}"));
    let error = refused(&project, &["add", "tools/properties.wasm"]);
    assert!(
        error.contains("registry.toml already has a plugin `properties`") && error.contains("marq plugin update"),
        "{error}"
    );
    assert!(stdout_of(&project, &["update"]).contains("`properties` is 0.1.0, sha256 "));
    assert_eq!(text(), format!("{REGISTRY}{entry}"));
    stdout_of(&project, &["remove", "properties"]);
    assert_eq!(text(), REGISTRY);
    assert!(project.root().join("tools/properties.wasm").exists());
    let error = refused(&project, &["remove", "cs"]);
    assert!(error.contains("registry.toml has no plugin `cs`") && error.contains("css"), "{error}");
}

#[test]
fn plugin_is_added_only_with_its_requested_grants() {
    let project = Project::new(0);
    bring(&project, "toml");
    let error = refused(&project, &["add", "tools/toml.wasm"]);
    assert!(
        error.contains("requests the permission to read the workspace") && error.contains("--grant workspace"),
        "{error}"
    );
    assert!(!project.root().join("registry.toml").exists());
    stdout_of(&project, &["add", "tools/toml.wasm", "--grant", "workspace"]);
    let text = fs::read_to_string(project.root().join("registry.toml")).expect("there");
    assert!(
        text.starts_with("marquetry = 1\n\n[plugins.toml]\n") && text.contains("grants = [\"workspace\"]\n"),
        "{text}"
    );
}

#[test]
fn lock_is_updated_but_is_not_an_approval() {
    let project = Project::new(0);
    stdout_of(&project, &["lock"]);
    bring(&project, "properties");
    assert!(stdout_of(&project, &["add", "tools/properties.wasm"]).contains("wrote registry.lock"));
    let lock = || fs::read_to_string(project.root().join("registry.lock")).expect("there");
    assert!(lock().contains("source = \"path:tools/properties.wasm\""), "{}", lock());
    let before = lock();
    project.write("a.properties", "a = 1\n");
    let read = || project.marq(&["read", "a.properties", "a"]);
    assert!(String::from_utf8_lossy(&read().stderr).contains("which is not approved"));
    assert!(project.marq(&["trust", "--allow"]).status.success());
    assert!(read().status.success());
    assert!(stdout_of(&project, &["update", "properties"]).contains("wrote registry.lock"));
    assert_eq!(lock(), before);
}

#[test]
fn lock_lists_only_plugins_that_are_not_bundled() {
    let project = Project::new(0);
    bring(&project, "properties");
    let out = stdout_of(&project, &["add", "tools/properties.wasm"]);
    assert!(out.contains("it replaces the bundled plugin `properties`"), "{out}");
    assert!(out.contains("handles files that contain secrets by convention, if a call names one: .env"), "{out}");
    stdout_of(&project, &["lock"]);
    let lock = || fs::read_to_string(project.root().join("registry.lock")).expect("there");
    assert_eq!(lock().matches("sha256 = ").count(), 1, "{}", lock());
    // A program of another version, whose bundled plugins have other bytes, can read the lock.
    let other = "[plugins.json]\nversion = \"0.0.1\"\nsource = \"bundled\"\nsha256 = \"00\"\n";
    project.write("registry.lock", &format!("{}{other}", lock()));
    project.write("a.json", "{\"a\": 1}\n");
    let read = project.marq(&["read", "a.json", "$.a"]);
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let out = stdout_of(&project, &["remove", "properties"]);
    assert!(out.contains("removed registry.lock: all plugins are bundled with marq"), "{out}");
    assert!(!project.root().join("registry.lock").exists());
}

/// `update --locked` refuses what a call refuses: other bytes, another version, a plugin that the lock does not have.
#[test]
fn update_locked_checks_files_of_the_project() {
    let project = Project::new(0);
    bring(&project, "properties");
    stdout_of(&project, &["add", "tools/properties.wasm"]);
    stdout_of(&project, &["lock"]);
    let locked = || fs::read_to_string(project.root().join("registry.lock")).expect("there");
    let (registry, lock) = (fs::read_to_string(project.root().join("registry.toml")).expect("there"), locked());
    for command in [&["update", "--locked"][..], &["update", "--locked", "properties"]] {
        let out = stdout_of(&project, command);
        assert!(out.contains("`properties` is the locked file, sha256 "), "{out}");
    }
    let error = refused(&project, &["update", "--locked", "propertie"]);
    assert!(error.contains("has no plugin `propertie`"), "{error}");
    project.write("a.properties", "a = 1\n");
    let file = project.root().join("tools/properties.wasm");
    let bytes = fs::read(&file).expect("there");
    fs::copy(&file, project.root().join("tools/other.wasm")).expect("copied");
    let other = [bytes.as_slice(), &[0, 1, 0]].concat();
    let (gone, newer) = ("marquetry = 1\n".to_owned(), registry.replace("^0.1", "^7.1"));
    let cases = [
        (other, registry.clone(), lock.clone(), "does not match registry.lock"),
        (bytes.clone(), registry.clone(), gone, "is not in registry.lock"),
        (bytes.clone(), newer, lock.clone(), "but the registry requires ^7.1"),
        (
            bytes.clone(),
            registry.replace("properties.wasm", "other.wasm"),
            lock.clone(),
            "but the registry has it from",
        ),
        (
            bytes.clone(),
            format!("{registry}sha256 = \"{}\"\n", "0".repeat(64)),
            lock.clone(),
            "does not match registry.toml",
        ),
    ];
    for (bytes, registry, lock, expected) in cases {
        fs::write(&file, bytes).expect("written");
        project.write("registry.toml", &registry);
        project.write("registry.lock", &lock);
        assert!(project.marq(&["trust", "--allow"]).status.success());
        let error = refused(&project, &["update", "--locked"]);
        assert!(error.contains(expected), "{expected}: {error}");
        let read = String::from_utf8_lossy(&project.marq(&["read", "a.properties", "a"]).stderr).into_owned();
        assert!(read.contains(expected), "{expected}: {read}");
        assert_eq!(locked(), lock, "nothing is written");
    }
    fs::remove_file(&file).expect("removed");
    project.write("registry.toml", &registry);
    assert!(refused(&project, &["update", "--locked"]).contains("tools/properties.wasm"));
}

#[test]
fn overlapping_plugins_are_reported() {
    let project = Project::new(0);
    bring(&project, "properties");
    let entry = "marquetry = 1\n[plugins.properties]\nsource = \"path:tools/properties.wasm\"\n";
    project.write("registry.toml", &format!("{entry}files = [\"*.json\", \"*.own\"]\n"));
    let trust = String::from_utf8(project.marq(&["trust"]).stdout).expect("text");
    assert!(trust.contains("properties: gives it the files *.json, *.own\n"), "{trust}");
    assert!(trust.contains("    takes over from other plugins: *.json (plugin `json`)"), "{trust}");
    assert!(project.marq(&["trust", "--allow"]).status.success());
    let list = stdout_of(&project, &["list"]);
    assert!(list.contains("two plugins: *.json is also claimed by `json`, which is not used for it"), "{list}");
    assert!(list.contains("two plugins: `properties` is used for *.json"), "{list}");
}

#[test]
fn plugins_are_compiled_in_a_separate_process() {
    use std::{
        io::Write,
        process::{Command, Stdio},
    };
    let compiled = |bytes: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marq"));
        let mut child =
            command.arg("compile-plugin").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(bytes).expect("written");
        child.wait_with_output().expect("it ends").stdout
    };
    let module = b"\0asm\x01\0\0\0";
    let code = compiled(module);
    assert!(code.starts_with(b"{\"failure\":null}\n\x7fELF"), "{:?}", code.get(..40));
    assert!(compiled(&module[..6]).starts_with(b"{\"failure\":\""));
    assert!(compiled(b"").starts_with(b"{\"failure\":\""));
}

#[test]
fn doctor_compiles_plugins_only_if_asked() {
    let project = Project::new(0);
    let cache = project.root().join("../cache");
    let mut command = project.command(&["doctor"]);
    let out = command.env("MARQ_CACHE_DIR", &cache).output().expect("it runs").stdout;
    let out = String::from_utf8_lossy(&out);
    assert!(out.contains("plugin typescript: from bundled, compiled when first used"), "{out}");
    let kept = fs::read_dir(&cache).into_iter().flatten().flatten().map(|entry| entry.path());
    assert_eq!(kept.filter(|path| path.extension().is_some_and(|own| own == "cwasm")).count(), 0);
    // The cache that all tests share.
    let out = project.marq(&["doctor", "--compile"]).stdout;
    let out = String::from_utf8_lossy(&out);
    assert!(out.contains("plugin typescript: 0.") && !out.contains("compiled when first used"), "{out}");
}

#[test]
fn exit_code_of_plugin_test_shows_its_result() {
    let project = Project::new(0);
    bring(&project, "properties");
    project.write("a.spec.md", "# A\n\n```ini file=a.ini\nb = 1\n```\n\n```call\nread b\n```\n\n```answer\n2\n```\n");
    let arguments = ["test", "tools/properties.wasm", "a.spec.md", "--seconds", "0"];
    let out = refused(&project, &arguments);
    assert!(
        out.contains(
            "FAIL a.spec.md: 1 cases\n     a.spec.md:8: A: read b\n       wanted\n         2\n       came\n         1\n"
        ),
        "{out}"
    );
    stdout_of(&project, &[&arguments[..], &["--update"]].concat());
    assert!(stdout_of(&project, &arguments).contains("ok   a.spec.md: 1 cases"));
    let output = project.marq(&["--json", "plugin", "info", "tools/properties.wasm"]).stdout;
    let output: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!((output["id"].as_str(), output["saysFilesUnasked"].as_bool()), (Some("properties"), Some(true)));
}

#[test]
fn new_pack_refuses_a_folder_with_files() {
    let project = Project::new(0);
    assert!(refused(&project, &["new", "Notes"]).contains("is not a valid name for a pack"));
    let out = stdout_of(&project, &["new", "git-notes"]);
    assert!(out.contains("next: cd git-notes && marq plugin build"), "{out}");
    let manifest = fs::read_to_string(project.root().join("git-notes/Cargo.toml")).expect("there");
    assert!(manifest.contains("name = \"git-notes\""), "{manifest}");
    assert!(refused(&project, &["new", "git-notes"]).contains("is not empty"));
    stdout_of(&project, &["new", "git-notes", "--to", "other"]);
    assert!(refused(&project, &["build", "src"]).contains("src is not the folder of a pack"));
}
