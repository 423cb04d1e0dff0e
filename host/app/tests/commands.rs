//! Commands of the shell that call tools: their flags reach the tool, and the output is readable.

use std::{fs, path::Path};

use crate::common::Project;

fn run(project: &Project, command: &str) -> (String, String) {
    let arguments: Vec<&str> = command.split(' ').collect();
    let output = project.marq(&arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Returns the output of a command that must succeed.
fn stdout_of(project: &Project, command: &str) -> String {
    let (out, error) = run(project, command);
    assert_eq!(error, "", "{command}");
    out
}

fn refused(project: &Project, command: &str) -> String {
    let (out, error) = run(project, command);
    assert_eq!(out, "", "{command}");
    error
}

#[test]
fn move_shows_updated_links() {
    let project = Project::new(2);
    let before = project.texts();
    let out = stdout_of(&project, "move src/shared.ts lib/ --dry-run");
    assert!(
        out.contains("-import { shared } from '../shared';\n+import { shared } from '../../lib/shared';\n"),
        "{out}"
    );
    assert!(
        out.contains("Moved src/shared.ts to lib/shared.ts, updated 2 links in 2 files (dry run: nothing was written)")
    );
    assert_eq!(project.texts(), before);
    let out = stdout_of(&project, "move src/shared.ts lib/shared.ts --no-update-imports");
    let renamed = "diff --git a/src/shared.ts b/lib/shared.ts\nrename from src/shared.ts\nrename to lib/shared.ts\n";
    assert!(out.starts_with(&format!("{renamed}Moved src/shared.ts to lib/shared.ts, updated 0 links")), "{out}");
    assert!(out.contains("completeness: partial: links were left as they are"), "{out}");
    project.write("src/shared.ts", "export const shared = 2;\n");
    assert!(refused(&project, "move lib/shared.ts src/").contains("(OverwriteBlocked)"));
    assert!(stdout_of(&project, "move lib/shared.ts src/ --overwrite").contains("undo with: marq undo "));
    assert_eq!(project.texts()["src/shared.ts"], before["src/shared.ts"]);
}

#[test]
fn files_and_their_exports_are_renamed() {
    let project = Project::new(1);
    let out = stdout_of(&project, "rename src/shared.ts common.ts --rename-exports");
    assert!(out.contains("Renamed src/shared.ts to src/common.ts"), "{out}");
    let user = &project.texts()["src/part0/file0.ts"];
    assert!(user.contains("{ common } from '../common'") && user.contains("= common + 0"), "{user}");
    stdout_of(&project, "rename src/common.ts shared.ts --export common=shared");
    assert!(project.texts()["src/part0/file0.ts"].contains("= shared + 0"));
    assert!(refused(&project, "rename src/shared.ts a.ts --export shared").contains("`shared` is not OLD=NEW"));
    let refusal = refused(&project, "refactor src/shared.ts move_to_file --symbol shared --with destination");
    assert!(refusal.contains("`destination` is not NAME=VALUE"), "{refusal}");
    let json =
        r#"refactor src/shared.ts move_to_file --symbol shared --arguments {"destination":"src/own.ts"} --dry-run"#;
    assert!(stdout_of(&project, json).contains("src/own.ts"));
    let out = stdout_of(&project, "duplicate src/shared.ts src/part0/own.ts --rename shared=own");
    assert!(out.contains("1 symbol rename"), "{out}");
    assert_eq!(project.texts()["src/part0/own.ts"], "export const own = 1;\n");
}

#[test]
fn delete_is_refused_or_lists_unresolved_references() {
    let project = Project::new(1);
    assert!(refused(&project, "delete src/shared.ts --safe").contains("(RefactorFailed)"));
    let out = stdout_of(&project, "delete src/shared.ts");
    assert!(
        out.contains("Deleted 1 file, removed 1 import\ncompleteness: partial: 1 use left without a definition\n"),
        "{out}"
    );
    assert!(out.contains("dangling: src/part0/file0.ts:"), "{out}");
    assert!(refused(&project, "delete src").contains("recursive"));
    stdout_of(&project, "delete src -r");
    assert!(project.texts().is_empty());
}

#[test]
fn symbol_is_renamed_in_all_files() {
    let project = Project::new(2);
    let out = stdout_of(&project, "rename-symbol src/shared.ts shared common");
    assert!(out.contains("Renamed shared → common (3 files, 5 edits)\n"), "{out}");
    let out = stdout_of(&project, "rename-symbol src/part1/file1.ts common shared --line 1 --column 9 --dry-run");
    assert!(
        out.contains("+import { common as shared } from '../shared';\n"),
        "only the name in this file must be changed: {out}"
    );
    assert!(out.contains("(1 file, 2 edits) (dry run: nothing was written)\n"), "{out}");
    let scope = refused(&project, "rename-symbol src/shared.ts common shared --scope word");
    assert!(scope.contains("unknown scope `word`"));
    let out = stdout_of(&project, "rename-symbol src/shared.ts shown --line 1 --column 13 --dry-run");
    assert!(out.contains("Renamed common → shown"), "{out}");
    assert!(refused(&project, "rename-symbol src/shared.ts common").contains("`NEW_NAME` is missing"));
}

#[test]
fn queries_print_readable_text() {
    let project = Project::new(2);
    let out = stdout_of(&project, "query references src/shared.ts shared");
    let expected = "src/part0/file0.ts\n  1:9     import       import { shared } from '../shared';\n  3:22    read         export const value0 = shared + 0;\n";
    assert!(out.starts_with(expected) && out.ends_with("4 references in 2 files (complete)\n"), "{out}");
    assert_eq!(
        stdout_of(&project, "query references --symbol shared"),
        out,
        "the result must be the same without naming the file"
    );
    let all = stdout_of(&project, "query references src/shared.ts shared --include-declaration");
    assert!(all.ends_with("5 references in 3 files (complete)\n"), "{all}");
    assert_eq!(
        stdout_of(&project, "query dependencies src/part0/file0.ts"),
        "src/shared.ts  import ../shared { shared }  line 1\n1 link in 1 file (complete)\n"
    );
    let out = stdout_of(&project, "query dependencies src/shared.ts --direction importedBy");
    assert!(out.starts_with("src/part0/file0.ts  import ../shared { shared }  line 1\n"), "{out}");
    assert_eq!(
        run(&project, "query workspaceSymbols value* --limit 1").0,
        "const value0  src/part0/file0.ts:3:13\n1 of 2 symbols in 1 file (partial: 1 to 1 of 2; give `--offset 1` for the next)\n"
    );
    project.write("src/types.ts", "class Base {}\nclass Derived extends Base {\n  run() {}\n}\nnew Derived().run();\n");
    assert_eq!(
        stdout_of(&project, "query typeHierarchy src/types.ts Base --direction subtypes"),
        "src/types.ts\n  2:6     class Derived\n1 result in 1 file (syntactic)\n"
    );
    let checked = "checked syntax, links, names; types were not checked";
    assert_eq!(stdout_of(&project, "query diagnostics"), format!("0 problems (syntactic: {checked})\n"));
    let json = stdout_of(&project, "--json query dependencies src/part0/file0.ts");
    assert!(json.starts_with('{') && json.contains("\"completeness\": \"complete\""), "{json}");
}

#[test]
fn plugin_of_project_needs_approval() {
    let project = Project::new(1);
    assert_eq!(stdout_of(&project, "trust"), "nothing is requested\n");
    project.write("registry.toml", "marquetry = 1\n[plugins.own]\nsource = \"path:own.wasm\"\nfiles = [\"*.own\"]\n");
    project.write("own.wasm", "no plugin");
    project.write("a.own", "one\n");
    let error = refused(&project, "read a.own");
    assert!(
        error.contains("runs own.wasm, gives it the files *.own as plugin `own`, which is not approved (Permission"),
        "{error}"
    );
    assert!(error.contains("marq trust --allow"), "{error}");
    assert!(
        stdout_of(&project, "trust").starts_with("own: runs own.wasm\nown: gives it the files *.own\nnot allowed: ")
    );
    assert!(stdout_of(&project, "read a.own --no-trust").contains("one"));
    assert!(refused(&project, "read a.own --trust").contains("plugin `own` is not WebAssembly"));
    assert_eq!(stdout_of(&project, "trust --allow"), "own: runs own.wasm\nown: gives it the files *.own\nallowed\n");
    assert!(refused(&project, "read a.own").contains("plugin `own` is not WebAssembly"));
    project.write("own.wasm", "another one");
    assert!(refused(&project, "read a.own").contains("which is not approved"));
    stdout_of(&project, "trust --allow");
    assert!(stdout_of(&project, "trust --revoke").contains("not allowed"));
}

/// Each request has a separate name; answers mention requests that are not approved.
#[test]
fn requests_are_approved_one_by_one() {
    let project = Project::new(1);
    project.write(
        "registry.toml",
        "marquetry = 1\n[plugins.own]\nsource = \"path:own.wasm\"\nfiles = [\"*.own\"]\n[plugins.json]\nlimits = { seconds = 60 }\n",
    );
    project.write("own.wasm", "no plugin");
    project.write("a.own", "one\n");
    project.write("a.json", "{}\n");
    let without = "requests permissions that are not approved";
    assert!(stdout_of(&project, "call file_read {\"file\":\"a.json\"}").contains(without));
    let listed = stdout_of(&project, "trust --allow json");
    assert!(
        listed.starts_with(
            "json: lets it run 60 s, not 10 (allowed)\nown: runs own.wasm\nown: gives it the files *.own\npartly allowed: "
        ),
        "{listed}"
    );
    assert!(refused(&project, "read a.own").contains("which is not approved"));
    assert!(stdout_of(&project, "call file_read {\"file\":\"a.json\"}").contains(without));
    assert!(stdout_of(&project, "trust --allow own").ends_with("\nallowed\n"));
    assert!(!stdout_of(&project, "call file_read {\"file\":\"a.json\"}").contains(without));
    let listed = stdout_of(&project, "trust --revoke own");
    assert!(listed.contains("json: lets it run 60 s, not 10 (allowed)\n"), "{listed}");
    let error = refused(&project, "trust --allow jsn");
    assert!(error.contains("requests nothing under the name `jsn`") && error.contains("json"), "{error}");
}

#[test]
fn installed_language_server_is_listed_but_not_started() {
    let project = Project::new(1);
    let program = "node_modules/.bin/yaml-language-server";
    project.write(program, "#!/bin/sh\n: > started\n");
    project.write("a.yaml", "a: 1\n");
    let asked = "query diagnostics a.yaml --engine server";
    let error = refused(&project, asked);
    assert!(
        error.contains(&format!("the project has `{program}` installed, and starting it is not approved")),
        "{error}"
    );
    assert!(error.contains("marq trust --allow"), "{error}");
    assert!(
        !stdout_of(&project, "query diagnostics a.yaml").contains("trust"),
        "a query without the server must not mention the approval"
    );
    let what = format!("servers.yaml: starts `{program} --stdio` for *.yaml, *.yml with ");
    let listed = stdout_of(&project, "trust");
    assert!(listed.starts_with(&what) && listed.contains(", installed in the project\nnot allowed: "), "{listed}");
    let doctor = stdout_of(&project, "doctor");
    assert!(
        doctor.contains("server yaml") && doctor.contains("not started until you run `marq trust --allow`"),
        "{doctor}"
    );
    let info = stdout_of(&project, "query projectInfo --json");
    assert!(info.contains("\"state\": \"unasked\"") && info.contains("\"source\": \"installed\""), "{info}");
    assert!(!project.root().join("started").exists());
    assert!(stdout_of(&project, "trust --allow").ends_with("\nallowed\n"));
    assert!(stdout_of(&project, "doctor").contains("started on demand"));
    assert!(stdout_of(&project, "trust --revoke").contains("not allowed"));
    project.write("registry.toml", "marquetry = 1\n[servers.yaml]\nenabled = false\n");
    assert_eq!(stdout_of(&project, "trust"), "nothing is requested\n");
    assert!(refused(&project, asked).contains("no language server is configured for a.yaml"));
}

#[test]
fn failed_plugin_is_reported_with_its_output() {
    let project = Project::new(1);
    project
        .write("registry.toml", "marquetry = 1\n[plugins.hostile]\nsource = \"path:own.wasm\"\nfiles = [\"*.own\"]\n");
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/release/marquetry_hostile.wasm");
    fs::copy(built, project.root().join("own.wasm")).expect("the packs are built");
    project.write("a.own", "panic");
    let error = refused(&project, "read a.own --trust");
    assert!(error.contains("plugin `hostile` failed while"), "{error}");
    assert!(error.contains("; it reported: ") && error.contains("`marq plugin logs hostile`"), "{error}");
    let logs = stdout_of(&project, "plugin logs hostile --trust");
    assert!(logs.contains(" UTC plugin `hostile` failed while") && logs.contains("panicked at"), "{logs}");
    assert!(refused(&project, "plugin logs hostel --trust").contains("no plugin `hostel`"));
    project.write("own.wasm", "no plugin");
    let error = refused(&project, "plugin show hostile --trust");
    assert!(error.contains("plugin `hostile` cannot be used: failed: plugin `hostile` is not WebAssembly"), "{error}");
}

#[test]
fn recover_without_interrupted_changes_does_nothing() {
    let project = Project::new(1);
    assert_eq!(stdout_of(&project, "recover"), "no interrupted changes\n");
    assert!(refused(&project, "recover --give-up nothing").contains("no interrupted change `nothing`"));
    assert!(stdout_of(&project, "doctor").contains("changes: no interrupted changes"));
}

#[test]
fn text_search_compiles_no_pack() {
    let project = Project::new(2);
    let cache = project.root().with_extension("cache");
    let mut command = project.command(&["search", "nowhere"]);
    let out = command.env("MARQ_CACHE_DIR", &cache).output().expect("it runs");
    let out = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.contains("0 matches; 3 files searched"), "{out}");
    let compiled: Vec<_> =
        fs::read_dir(&cache).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    let is_code = |name: &std::ffi::OsString| Path::new(name).extension().is_some_and(|ending| ending == "cwasm");
    assert!(!compiled.iter().any(is_code), "a text search must not compile packs: {compiled:?}");
}

/// Control sequences, bidirectional marks and line breaks in a repository are escaped on the terminal, so that a user
/// who approves a command sees the actual command.
#[test]
fn control_characters_of_a_repository_are_escaped() {
    let project = Project::new(1);
    let hidden = ["\\u001b[1K\\r", "\\u202e", "\\n", "\\u2028", "\\u009b2J"];
    for escape in hidden {
        let registry = format!(
            "marquetry = 1\n[plugins.\"own{escape}all is bundled\"]\nsource = \"path:./own.wasm\"\n\
             [servers.\"x{escape}y\"]\ncommand = [\"sh\", \"-c\", \"touch RAN; exec cat #{escape}json\"]\nfiles = [\"*.json{escape}\"]\n"
        );
        project.write("registry.toml", &registry);
        for command in [&["trust"][..], &["doctor"], &["plugin", "list"], &["read", "a.json"]] {
            let output = project.marq(command);
            for shown in [&output.stdout, &output.stderr] {
                let shown = String::from_utf8_lossy(shown);
                let is_hidden =
                    |letter: char| (letter.is_control() && letter != '\n') || "\u{202e}\u{2028}".contains(letter);
                assert!(!shown.contains(is_hidden), "{command:?}: {shown:?}");
                assert!(!shown.lines().any(|line| line.starts_with("all is bundled")), "{command:?}: {shown}");
            }
        }
        let trust = stdout_of(&project, "trust");
        assert!(trust.contains("`sh -c \"touch RAN; exec cat #"), "{trust}");
        assert!(trust.contains("MiB"), "{trust}");
    }
}

/// Errors and log lines about a registry quote its keys and values. None of these can forge a line.
#[test]
fn errors_of_registries_are_one_line() {
    let project = Project::new(0);
    project.write("a.json", "{}\n");
    let forged = "k\\u202e\\nFORGED undo with: x";
    let entries = [
        format!("[plugins.json]\n\"{forged}\" = 1\n"),
        format!("[plugins.json]\ngrants = [\"workspace\", \"{forged}\"]\n"),
        format!("[plugins.json]\nversion = \"{forged}\"\n"),
        format!("[plugins.json]\nsource = \"{forged}\"\n"),
        format!("[plugins.json]\nsha256 = \"{forged}\"\n"),
        format!("[plugins.json]\nsigned-by = \"{forged}\"\n"),
        format!("[plugins.\"{forged}\"]\nlimits = {{ seconds = 0 }}\n"),
        format!("[plugins.\"{forged}\"]\nsource = \"path:{forged}.wasm\"\n"),
        format!("[plugins.json]\nsource = \"path:a.json\"\nfiles = [\"{{{forged}\"]\n"),
        format!("[editors.\"{forged}\"]\nchannels = [\"{forged}\"]\n"),
        format!("[servers.\"{forged}\"]\nfiles = [\"*\"]\n"),
        format!("[signers.\"{forged}\"]\nminisign = \"{forged}\"\n"),
        format!("\"{forged}\" = 1\n"),
    ];
    let commands = ["plugin list", "doctor", "plugin logs x", "read a.json $"];
    for entry in entries {
        project.write("registry.toml", &format!("marquetry = 1\n{entry}"));
        for command in commands {
            let output = project.marq(&command.split(' ').collect::<Vec<_>>());
            for shown in [&output.stdout, &output.stderr] {
                let shown = String::from_utf8_lossy(shown);
                assert!(!shown.contains('\u{202e}'), "{command}: {entry}{shown:?}");
                assert!(!shown.lines().any(|line| line.starts_with("FORGED")), "{command}: {entry}{shown}");
            }
        }
    }
    project.write("registry.toml", "marquetry = 1\n[plugins.own]\nsource = \"path:own.wasm\"\n");
    project.write("registry.lock", &format!("marquetry = 1\n\"{forged}\" = 1\n"));
    let error = refused(&project, "plugin lock") + &refused(&project, "plugin logs x");
    assert!(!error.contains('\u{202e}') && !error.contains("\nFORGED"), "{error}");
}

#[test]
fn settings_that_a_plugin_does_not_have_are_reported() {
    let project = Project::new(0);
    project.write("a.json", "{ \"a\": 1 }\n");
    let read = || {
        let output = project.marq(&["read", "a.json", "$.a"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(read(), "");
    for (settings, expected) in [
        (
            "{ nonsense = 1, indent = \"x\" }",
            "unknown setting `indent`, the plugin has no settings; unknown setting `nonsense`",
        ),
        ("{ \"a\\nERROR b\\u202e\" = 1 }", "unknown setting `a\\nERROR b\\u{202e}`"),
    ] {
        project.write("registry.toml", &format!("marquetry = 1\n[plugins.json]\nsettings = {settings}\n"));
        let log = read();
        assert!(log.contains("plugin `json`: its `settings` in registry.toml: ") && log.contains(expected), "{log}");
        assert_eq!(log.lines().count(), 1, "{log}");
        let checks = project.marq(&["doctor"]);
        let shown = String::from_utf8_lossy(&checks.stdout).into_owned();
        assert!(!checks.status.success() && shown.contains(expected), "{shown}");
        assert!(run(&project, "plugin list").0.contains(expected));
    }
    project.write("registry.toml", "marquetry = 1\n[plugins.json]\nsettings = {}\n");
    assert_eq!(read(), "");
}

#[cfg(unix)]
#[test]
fn known_servers_are_listed_and_approved_by_name() {
    let project = Project::new(1);
    let programs = project.root().with_file_name("programs");
    fs::create_dir(&programs).expect("made");
    let clangd = programs.join("clangd");
    fs::write(&clangd, "#!/bin/sh\n: > started\n").expect("written");
    fs::set_permissions(&clangd, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made executable");
    project.write("node_modules/.bin/bash-language-server", "#!/bin/sh\n: > started\n");
    project.write("a.c", "int main(void) { return 0; }\n");
    let marq = |command: &str| {
        let arguments: Vec<&str> = command.split(' ').collect();
        let output = project.command(&arguments).env("PATH", &programs).output().expect("run");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let clangd = clangd.display();
    let listed = marq("servers");
    let entry = |state: &str, next: &str| {
        format!("clangd {state}: *.c *.h *.cc *.cpp *.cxx *.hh *.hpp *.hxx *.m *.mm\n    {clangd} (PATH)\n    {next}\n")
    };
    assert!(listed.contains(&entry("unapproved", "approve it: marq trust --allow servers.clangd")), "{listed}");
    assert!(
        listed.contains(
            "bash-language-server unapproved: *.sh *.bash\n    node_modules/.bin/bash-language-server start (project)\n"
        ),
        "{listed}"
    );
    assert!(listed.contains("gopls missing: *.go\n    install one of: gopls\n"), "{listed}");
    let error = marq("query diagnostics a.c --engine server");
    assert!(error.contains("is not approved") && error.contains("marq trust --allow servers.clangd"), "{error}");
    assert!(!marq("doctor").contains("clangd") && !marq("query projectInfo").contains("clangd"));
    let trust = marq("trust --allow");
    assert!(trust.contains("servers.bash-language-server: starts") && !trust.contains("clangd"), "{trust}");
    assert!(marq("servers").contains("clangd unapproved"));
    let trust = marq("trust --allow servers.clangd");
    assert!(trust.contains("servers.clangd: starts") && trust.contains(", found on the PATH"), "{trust}");
    assert!(marq("servers").contains(&entry("approved", "starts when it is first used")));
    assert!(marq("doctor").contains("on the PATH: started on demand"));
    assert!(marq("query projectInfo --json").contains("\"source\": \"path\""));
    assert!(!project.root().join("started").exists(), "listing and approving must start nothing");
    assert!(marq("servers --no-trust").contains("clangd refused"));
    assert!(marq("trust --revoke").contains("not allowed"));
    assert!(marq("servers --json").contains("\"state\": \"unapproved\""));
}
