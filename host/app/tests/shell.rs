//! The command line as people use it: flags instead of positional arguments, translated hints, help, closed pipes,
//! roots.

use std::{
    fs,
    io::Read as _,
    process::{Command, Stdio},
};

use crate::common::Project;

fn run(project: &Project, arguments: &[&str]) -> (String, String, bool) {
    let output = project.marq(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.success())
}

fn refused(project: &Project, arguments: &[&str]) -> String {
    let (out, error, success) = run(project, arguments);
    assert!(!success && out.is_empty(), "{arguments:?}: {out}");
    error
}

const CODE: &str = "import { a } from './a';\n\nexport function f() {\n  return a;\n}\n\nexport const x = 1;\n";

/// For each flag that names a target: a target, a file, its text, and the text after deleting the target.
const FLAGS: [(&str, &str, &str, &str, &str); 7] = [
    ("--symbol", "x", "code.ts", CODE, "import { a } from './a';\n\nexport function f() {\n  return a;\n}\n"),
    ("--json-path", "$.b", "data.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 1\n}\n"),
    ("--selector", "p", "page.html", "<main>\n  <h1>A</h1>\n  <p>b</p>\n</main>\n", "<main>\n  <h1>A</h1>\n</main>\n"),
    ("--xpath", "//b", "data.xml", "<a>\n  <b/>\n  <c/>\n</a>\n", "<a>\n  <c/>\n</a>\n"),
    ("--heading", "B", "text.md", "# A\n\nOne.\n\n# B\n\nTwo.\n", "# A\n\nOne.\n"),
    ("--region", "imports", "code.ts", CODE, "export function f() {\n  return a;\n}\n\nexport const x = 1;\n"),
    ("--lines", "2", "note.txt", "one\ntwo\nthree\n", "one\nthree\n"),
];

#[test]
fn target_flag_replaces_the_target_argument() {
    for (flag, value, file, text, left) in FLAGS {
        let project = Project::new(0);
        project.write(file, text);
        for arguments in [vec!["edit", file, flag, value, "delete"], vec!["edit", flag, value, file, "delete"]] {
            project.write(file, text);
            let (out, error, success) = run(&project, &arguments);
            assert!(success, "{arguments:?}: {out}{error}");
            let after = fs::read_to_string(project.root().join(file)).expect("read");
            assert_eq!(after.trim_end(), left.trim_end(), "{arguments:?}");
        }
        let twice = refused(&project, &["edit", file, "target", "delete", "content", flag, value]);
        assert!(twice.contains("TARGET") || twice.contains("names"), "{flag}: {twice}");
    }
}

#[test]
fn content_is_an_argument_or_a_flag() {
    let project = Project::new(0);
    let text = |file: &str| fs::read_to_string(project.root().join(file)).expect("read");
    project.write("code.ts", CODE);
    let import = "import { b } from './b';";
    assert!(run(&project, &["edit", "code.ts", "--region", "imports", "insert_into", import]).2);
    assert!(text("code.ts").contains(import), "{}", text("code.ts"));
    assert!(run(&project, &["edit", "code.ts", "x", "replace", "--content", "export const x = 2;"]).2);
    assert!(text("code.ts").contains("x = 2"), "{}", text("code.ts"));
    assert!(run(&project, &["edit", "code.ts", "x", "replace_text", "2", "3"]).2);
    assert!(text("code.ts").contains("x = 3"), "{}", text("code.ts"));
    assert!(run(&project, &["edit", "code.ts", "--symbol", "x", "replace_text", "3", "4"]).2);
    assert!(run(&project, &["edit", "code.ts", "x", "replace_text", "--old", "4", "5"]).2);
    assert!(text("code.ts").contains("x = 5"), "{}", text("code.ts"));
    let many = refused(&project, &["edit", "code.ts", "x", "replace", "a", "b"]);
    assert!(many.contains("unexpected argument after"), "{many}");
    let none = refused(&project, &["edit", "code.ts", "x"]);
    assert!(none.contains("OPERATION"), "{none}");
}

#[test]
fn help_shows_purpose_and_separates_global_options() {
    let project = Project::new(0);
    for help in ["--help", "-h", "help"] {
        let (out, ..) = run(&project, &[help]);
        assert!(out.starts_with("Read and edit files by naming the thing"), "{out}");
        assert!(!out.contains("call a tool of") && !out.contains("no call of a tool"), "{out}");
    }
    for command in ["read", "edit", "query", "search", "refactor", "mcp"] {
        let (out, ..) = run(&project, &[command, "--help"]);
        let (own, global) = out.split_once("\nGlobal options:").unwrap_or_else(|| panic!("{command}: {out}"));
        for flag in ["--root", "--any-root", "--trust", "--no-trust", "--json\n", "--color"] {
            assert!(global.contains(flag) && !own.contains(&format!("  {flag}")), "{command} {flag}: {out}");
        }
    }
    for command in ["read", "edit", "search"] {
        assert!(
            run(&project, &[command, "--help"]).0.contains("--json-path"),
            "the flag must have the same name in each command: {command}"
        );
    }
}

#[test]
fn hints_use_command_line_flags() {
    let project = Project::new(1);
    let deleted = refused(&project, &["delete", "src"]);
    assert!(deleted.contains("--recursive") && !deleted.contains("recursive: true"), "{deleted}");
    project.write("a.json", "{\"a\": 1}\n");
    let broken = refused(&project, &["edit", "a.json", "$.a", "replace", "{"]);
    assert!(!broken.contains("force: true"), "{broken}");
    let renamed = refused(&project, &["rename", "src/shared.ts", "lib/a.ts"]);
    assert!(!renamed.contains("file_move"), "{renamed}");
    let named = refused(&project, &["query", "references", "value0"]);
    assert!(named.contains("--symbol value0"), "{named}");
    let (.., note) = {
        let output = project.marq(&["query", "workspaceSymbols", "*", "--limit", "1"]);
        (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(note.contains("--offset 1"), "{note}");
    let (out, ..) = run(&project, &["--json", "delete", "src"]);
    assert!(out.contains("recursive: true"), "hints in JSON must use arguments, not flags: {out}");
}

#[test]
fn refactor_arguments_are_flags() {
    let project = Project::new(0);
    project.write("a.ts", "export function f() { return 1; }\nexport function g() { return f(); }\n");
    let (out, error, success) =
        run(&project, &["refactor", "a.ts", "move_to_file", "--symbol", "f", "--destination", "b.ts", "--dry-run"]);
    assert!(success && out.contains("b.ts"), "{out}{error}");
    let wrong = refused(&project, &["refactor", "a.ts", "move_to_file", "--symbol", "f", "--destinatoin", "b.ts"]);
    assert!(wrong.contains("destination"), "{wrong}");
    let slip = refused(&project, &["refactor", "a.ts", "move_to_file", "--symbol", "f", "--dryrun"]);
    assert!(slip.contains("--dry-run"), "{slip}");
}

#[test]
fn closed_output_pipe_is_not_a_failure() {
    let project = Project::new(0);
    for arguments in [&["completions", "fish"][..], &["completions", "bash"], &["--help"], &["tools", "--json"]] {
        let mut command = project.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        // One byte is read, and then the pipe is closed.
        let mut out = child.stdout.take().expect("a pipe");
        out.read_exact(&mut [0]).expect("a byte");
        drop(out);
        let output = child.wait_with_output().expect("it ends");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!error.contains("panicked"), "{arguments:?}: {error}");
    }
}

#[test]
fn unread_error_keeps_its_exit_code() {
    let project = Project::new(0);
    project.write("n.json", "{}\n");
    for arguments in [&["create", "n.json", "--content", "1"][..], &["read", "missing.json"]] {
        let mut command = project.command(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stderr.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn parent_paths_are_resolved_in_the_repository() {
    let project = Project::new(0);
    project.write("package.json", "{\"name\": \"shop\"}\n");
    fs::create_dir_all(project.root().join(".git")).expect("made");
    let from_src = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        let output = command.current_dir(project.root().join("src")).output().expect("it runs");
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (out, error) = from_src(&["read", "../package.json", "$.name"]);
    assert_eq!((out.trim(), error.as_str()), ("\"shop\"", ""));
    // If one path leaves the folder, the others are still relative to it.
    project.write("src/c.ts", "export const c = 1;\n");
    for arguments in [
        &["move", "c.ts", "../c.ts", "--dry-run"][..],
        &["duplicate", "c.ts", "../lib/c.ts", "--dry-run"],
        &["edit", "../package.json", "$.name", "replace", "\"c.ts\"", "--dry-run"],
        &["query", "references", "../src/c.ts", "c"],
        &["move", "../package.json", "p.json", "--dry-run"],
    ] {
        let (out, error) = from_src(arguments);
        assert!(!out.is_empty() && error.is_empty(), "{arguments:?}: {out}{error}");
    }
    let (_, error) = from_src(&["--root", ".", "read", "../package.json"]);
    assert!(error.contains("OutsideWorkspace"), "a root given by `--root` must be kept: {error}");
}

#[test]
fn server_refuses_implicit_root_or_home_folder() {
    let project = Project::new(0);
    let home = project.root().join("home");
    fs::create_dir_all(&home).expect("made");
    let start = |folder: &std::path::Path, arguments: &[&str]| {
        let mut command: Command = project.command(arguments);
        let output = command.current_dir(folder).env("HOME", &home).stdin(Stdio::null()).output().expect("it runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for arguments in [&["mcp"][..], &["serve"], &["ide"]] {
        for folder in [std::path::Path::new("/"), &home] {
            let error = start(folder, arguments);
            assert!(error.contains("--root"), "{arguments:?} in {}: {error}", folder.display());
        }
    }
    let root = home.to_string_lossy().into_owned();
    assert!(
        !start(&home, &["--root", &root, "mcp"]).contains("no folder was given"),
        "a root given by `--root` must be served"
    );
}
