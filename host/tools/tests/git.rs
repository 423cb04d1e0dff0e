//! `query` `gitStatus` and `open` with `gitDiff` in a real repository, created with `git`; skipped if it is not
//! installed.

use std::process::Command;

use marquetry_model::Work;
use marquetry_native::Project;
use serde_json::{Value, json};

const FILES: &str = "\
//- /src/a.txt
one
two
three
//- /gone.txt
gone
";

/// A project in a repository with two commits and a change of each kind.
fn project() -> Option<Project> {
    Command::new("git").arg("--version").output().ok().filter(|output| output.status.success())?;
    let project = Project::new(FILES);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(project.root()).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(arguments);
        assert!(git.output().expect("git runs").status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "first"]);
    project.write("src/a.txt", "one\n2\nthree\n");
    git(&["commit", "--quiet", "--all", "--message", "second"]);
    project.write("src/a.txt", "one\n2\n3\n");
    git(&["add", "src/a.txt"]);
    git(&["rm", "--quiet", "gone.txt"]);
    project.write("new.txt", "new\n");
    Some(project)
}

#[test]
fn git_status_lists_changes() {
    let Some(project) = project() else { return };
    let answer = project.call("query", r#"{"type": "gitStatus"}"#).expect("an answer");
    let data = &answer["data"];
    assert_eq!((&data["branch"], &data["unstaged"], &data["conflicts"]), (&json!("main"), &json!([]), &json!([])));
    assert_eq!(
        data["staged"],
        json!([{ "path": "gone.txt", "status": "deleted" }, { "path": "src/a.txt", "status": "modified" }])
    );
    assert_eq!(data["untracked"], json!([{ "path": "new.txt", "status": "untracked" }]));
    let one = project.call("query", r#"{"type": "gitStatus", "path": "src"}"#).expect("an answer");
    assert_eq!((&one["data"]["staged"][0]["path"], &one["data"]["untracked"]), (&json!("src/a.txt"), &json!([])));
}

#[test]
fn diff_between_revisions_is_shown() {
    let Some(project) = project() else { return };
    let show = |path: &str, from: &str, to: &str| -> Value {
        let item = json!({ "type": "gitDiff", "path": path, "from": from, "to": to, "context": 0 });
        let Value::Object(item) = item else { panic!("an object") };
        project.catalog().open_content(item, &Work::default()).expect("shown")["results"][0].clone()
    };
    let diff = |path: &str, from: &str, to: &str| show(path, from, to)["diff"].as_str().unwrap_or_default().to_owned();
    let head = |from: &str, to: &str| format!("--- {from}\n+++ {to}\n");
    assert_eq!(
        diff("src/a.txt", "HEAD~1", "HEAD"),
        head("src/a.txt (HEAD~1)", "src/a.txt (HEAD)") + "@@ -2 +2 @@\n-two\n+2\n"
    );
    assert_eq!(
        diff("src/a.txt", "main", "staged"),
        head("src/a.txt (main)", "src/a.txt (staged)") + "@@ -3 +3 @@\n-three\n+3\n"
    );
    assert_eq!(diff("gone.txt", "HEAD", "working"), head("gone.txt (HEAD)", "/dev/null") + "@@ -1 +0,0 @@\n-gone\n");
    assert_eq!(diff("new.txt", "HEAD", "working"), head("/dev/null", "new.txt") + "@@ -0,0 +1 @@\n+new\n");
    let none = show("src/a.txt", "staged", "working");
    assert_eq!(none["error"], "Failed to open git diff: File has no changes between staged and working");
    let unknown = show("src/a.txt", "mian", "working");
    assert_eq!((&unknown["success"], &unknown["candidates"][0]), (&json!(false), &json!("main")), "{unknown}");
}

#[test]
fn folder_without_repository_is_an_error() {
    let error = Project::new(FILES).call("query", r#"{"type": "gitStatus"}"#).expect_err("there is none");
    assert!(error.content().message.contains("is not in a git repository"), "{error}");
}

/// Before the first commit, `HEAD` has no files, so a file is compared with an empty one.
#[test]
fn repository_without_commit_has_no_head() {
    if !Command::new("git").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let project = Project::new(FILES);
    let mut git = Command::new("git");
    assert!(git.current_dir(project.root()).args(["init", "--quiet"]).status().expect("git runs").success());
    let show = |from: &str| {
        let item = json!({ "type": "gitDiff", "path": "src/a.txt", "from": from, "to": "working" });
        project.catalog().open_content(item.as_object().expect("an object").clone(), &Work::default())
    };
    for from in ["HEAD", "@"] {
        let shown = show(from).expect("shown").to_string();
        assert!(shown.contains("--- /dev/null") && shown.contains("+one"), "{from}: {shown}");
    }
    let shown = show("HEAD~1").expect("an answer").to_string();
    assert!(shown.contains("unknown revision `HEAD~1`"), "{shown}");
}
