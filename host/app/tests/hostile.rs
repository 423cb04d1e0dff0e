//! Tests every tool on the hostile repository kit: no program runs, no file outside is read or written, and rejections
//! have the right kind.
#![allow(clippy::print_stdout, reason = "who runs it by hand reads what it found")]

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::common::Talk;
use crate::kit::{Kit, OUTSIDE};
use serde_json::{Value, json};

/// Maximum time of a call, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);
/// Maximum resident set size of the process, in MiB.
const MOST_MEMORY: u64 = 2_000;
/// Valid kinds of errors. `Internal` and `PluginFailed` are bugs.
const KINDS: [&str; 13] = [
    "InvalidArgument",
    "FileNotFound",
    "TargetNotFound",
    "ParseError",
    "RefactorFailed",
    "OverwriteBlocked",
    "AmbiguousTarget",
    "InvalidTarget",
    "Stale",
    "OutsideWorkspace",
    "Unsupported",
    "LimitExceeded",
    "PermissionDenied",
];

/// The program running on the kit, and all its answers.
struct Visit<'a> {
    kit: &'a Kit,
    talk: Talk,
    id: u64,
    wrong: Vec<String>,
    refused: BTreeMap<String, usize>,
    slowest: (Duration, String),
    /// Times of the calls, by tool and outcome.
    times: BTreeMap<String, Duration>,
}

impl<'a> Visit<'a> {
    fn new(kit: &'a Kit) -> Visit<'a> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marq"));
        command.args(["rpc", "--stdio", "--root"]).arg(kit.root()).current_dir(kit.root());
        command.env("MARQ_STATE_DIR", kit.top().join("state"));
        command.env("MARQ_CACHE_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache"));
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        Visit {
            kit,
            talk: Talk::new(child),
            id: 0,
            wrong: Vec::new(),
            refused: BTreeMap::new(),
            slowest: Default::default(),
            times: BTreeMap::new(),
        }
    }

    /// Returns the kind of the error, or `None` if the call succeeded.
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<String> {
        self.id += 1;
        let started = Instant::now();
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": tool, "params": arguments });
        self.talk.send(&request);
        let answer = self.talk.next();
        let took = started.elapsed();
        let kind = arguments["type"].as_str().unwrap_or_default();
        *self.times.entry(format!("{tool} {kind}")).or_default() += took;
        let shown: String = format!("{tool} {arguments}").chars().take(200).collect();
        if took > self.slowest.0 {
            self.slowest = (took, shown.clone());
        }
        if took > LONGEST {
            self.wrong.push(format!("{shown}: took {took:?}"));
        }
        let text = answer.to_string();
        if text.contains(OUTSIDE) || text.contains("root:x:0") {
            self.wrong.push(format!("{shown}: read outside: {}", text.chars().take(300).collect::<String>()));
        }
        let error = answer.get("error")?;
        let kind = error["data"]["kind"].as_str().unwrap_or("none").to_owned();
        if !KINDS.contains(&kind.as_str()) || error["message"].as_str().is_none_or(str::is_empty) {
            self.wrong.push(format!("{shown}: {error}"));
        }
        *self.refused.entry(kind.clone()).or_default() += 1;
        Some(kind)
    }

    fn expect(&mut self, tool: &str, arguments: Value, kind: &str) {
        let found = self.call(tool, &arguments);
        if found.as_deref() != Some(kind) {
            self.wrong.push(format!("{tool} {arguments}: {found:?}, not {kind}"));
        }
    }

    /// Checks that no file outside the clone, in version control or among the planted ones has changed, and that no
    /// program ran.
    fn end(mut self, before: &[marquetry_torture::tree::Tree]) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.talk.process())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
        let peak = peak.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024;
        println!("{:#?}", self.times);
        println!("{} calls, refused: {:?}, {peak} MiB at most, the slowest: {:?}", self.id, self.refused, self.slowest);
        if peak > MOST_MEMORY {
            self.wrong.push(format!("{peak} MiB were in use"));
        }
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert_eq!(self.kit.untouchable(), before, "something was touched");
        assert!(!self.kit.top().join("outside/ran").exists(), "something ran");
        assert!(self.talk.end().is_empty());
    }
}

/// Returns the paths in the clone, down to a fixed depth.
fn paths(kit: &Kit) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![kit.root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(kit.root()).expect("below").to_string_lossy().into_owned();
            if entry.file_type().expect("a type").is_dir() && name.matches('/').count() < 4 {
                folders.push(path);
            }
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Calls that leave the clone, write protected files, or exceed limits are rejected, each with its kind.
#[test]
fn hostile_calls_are_refused() {
    let kit = Kit::new(false);
    let before = kit.untouchable();
    let mut visit = Visit::new(&kit);
    refusals(&mut visit, &kit);
    visit.end(&before);
}

#[test]
#[ignore = "takes minutes on a busy machine: run with `--ignored`"]
fn hostile_clone_does_not_affect_tools() {
    let kit = Kit::new(false);
    let before = kit.untouchable();
    let mut visit = Visit::new(&kit);
    let paths = paths(&kit);
    assert!(paths.len() > 100, "{}", paths.len());
    for path in &paths {
        visit.call("file/read", &json!({ "file": path }));
        visit.call("file/read", &json!({ "file": path, "format": "summary" }));
        for kind in ["documentSymbols", "dependencies", "diagnostics"] {
            visit.call("query", &json!({ "type": kind, "path": path }));
        }
        visit.call(
            "file/edit",
            &json!({ "file": path, "lines": "1", "operation": "replace", "content": "x", "dryRun": true }),
        );
    }
    for kind in ["diagnostics", "workspaceSymbols"] {
        visit.call("query", &json!({ "type": kind, "query": "*" }));
    }
    for (path, symbol) in [("app/one.ts", "A"), ("app/two.ts", "B"), ("user.ts", "a"), ("plain.ts", "plain")] {
        for kind in ["references", "implementations", "typeHierarchy", "callHierarchy"] {
            visit.call("query", &json!({ "type": kind, "path": path, "symbol": symbol }));
        }
        visit.call(
            "file/edit",
            &json!({ "file": path, "symbol": symbol, "refactor": "rename_symbol", "newName": "other", "dryRun": true }),
        );
    }
    refusals(&mut visit, &kit);
    changes(&mut visit, &paths);
    visit.end(&before);
}

/// Calls that must be rejected, with their kinds.
fn refusals(visit: &mut Visit<'_>, kit: &Kit) {
    let outside = kit.top().join("outside/secret.txt").display().to_string();
    for path in [
        "out-file.txt",
        "out-file.ts",
        "out-folder/inner.json",
        "out-all/outside/secret.txt",
        "absolute.txt",
        "zero.json",
        "process.txt",
        "../outside/secret.txt",
        "sub/../../outside/secret.txt",
        "/etc/passwd",
        outside.as_str(),
        "file:///etc/passwd",
    ] {
        visit.expect("file/read", json!({ "file": path }), "OutsideWorkspace");
        visit.expect(
            "file/edit",
            json!({ "file": path, "lines": "1", "operation": "replace", "content": "x" }),
            "OutsideWorkspace",
        );
        visit.expect("file/create", json!({ "path": path, "content": "x", "overwrite": true }), "OutsideWorkspace");
        visit.expect("file/duplicate", json!({ "source": path, "destination": "copied.txt" }), "OutsideWorkspace");
    }
    for root in [
        kit.top().join("outside").display().to_string(),
        "/".to_owned(),
        kit.top().join("clone/out-all").display().to_string(),
    ] {
        visit.expect("file/read", json!({ "root": root, "file": "secret.txt" }), "OutsideWorkspace");
    }
    for path in ["pipe.ts", "socket.json", "binary.ts"] {
        visit.expect("file/read", json!({ "file": path }), "Unsupported");
    }
    for path in ["sparse.bin", "sparse.json"] {
        visit.expect("file/read", json!({ "file": path }), "LimitExceeded");
    }
    for path in
        [".git/config", ".git/hooks/pre-commit", "git-config.txt", "git-folder/HEAD", ".hg/hooks", "file/.marq-journal"]
    {
        visit.expect(
            "file/edit",
            json!({ "file": path, "lines": "1", "operation": "replace", "content": "x" }),
            "PermissionDenied",
        );
        visit.expect("file/create", json!({ "path": path, "content": "x", "overwrite": true }), "PermissionDenied");
    }
    for path in [".git/config.new", ".git/hooks/new", "git-folder/HEAD.new", ".hg/new", "file/.marq-journal"] {
        visit.expect("file/move", json!({ "source": "plain.txt", "destination": path }), "PermissionDenied");
    }
    // A marker of a change that never began is removed by the next call, as it refers to nothing.
    for path in [".marq-journal", "sub/.marq-journal"] {
        visit.expect("file/create", json!({ "path": format!("{path}/change"), "content": "x" }), "PermissionDenied");
    }
    let (own, elsewhere) = ("PermissionDenied", "OutsideWorkspace");
    for (path, kind) in [(".git", own), (".hg", own), ("file/.marq-journal", own), ("linked/.marq-journal", elsewhere)]
    {
        visit.expect("file/delete", json!({ "paths": [path], "recursive": true }), kind);
        visit.expect("file/rename", json!({ "path": path, "newName": "other" }), kind);
    }
    templates(visit, kit);
    visit.expect("file/undo", json!({ "id": "1-abcde" }), "InvalidArgument");
}

/// Templates that access files or exceed limits create nothing.
fn templates(visit: &mut Visit<'_>, kit: &Kit) {
    for template in ["include", "import", "forever", "double", "endless", "multiplied", "recursive", "broken", "linked"]
    {
        let kind = visit.call("file/create", &json!({ "path": format!("made-{template}.txt"), "template": template }));
        if kind.is_none() {
            visit.wrong.push(format!("the template `{template}` made a file"));
        }
    }
    // Nested macros are expanded to one letter.
    let kind = visit.call("file/create", &json!({ "path": "made-nested.txt", "template": "nested" }));
    let made = fs::read_to_string(kit.root().join("made-nested.txt")).unwrap_or_default();
    if kind.is_some() || made.trim() != "1" {
        visit.wrong.push(format!("the template `nested` came to {kind:?}, {made:?}"));
    }
}

/// Changes every file that calls may change. Each change succeeds or fails with a valid error, and stays inside the
/// clone.
fn changes(visit: &mut Visit<'_>, paths: &[String]) {
    let own = [".git", ".hg", ".state", ".cache", ".marquetry"];
    let files =
        paths.iter().filter(|path| !own.iter().any(|own| path.starts_with(own)) && !path.contains(".marq-journal"));
    for (n, path) in files.filter(|path| !path.starts_with("d/") && *path != "d").enumerate() {
        match n % 4 {
            0 => visit.call("file/duplicate", &json!({ "source": path, "destination": format!("copies/{n}") })),
            1 => visit.call("file/rename", &json!({ "path": path, "newName": format!("renamed-{n}.txt") })),
            2 => visit.call("file/delete", &json!({ "paths": [path], "recursive": true })),
            _ => visit.call("file/move", &json!({ "source": path, "destination": format!("moved/{n}.ts") })),
        };
        if n % 3 == 0 {
            visit.call("file/undo", &json!({}));
        }
    }
    visit.call("file/delete", &json!({ "paths": ["d"], "recursive": true }));
    visit.call("file/undo", &json!({}));
    visit.call("file/history", &json!({}));
}

#[test]
fn requests_of_a_clone_are_not_granted() {
    let kit = Kit::new(true);
    let before = kit.untouchable();
    let mut visit = Visit::new(&kit);
    for path in ["a.own", "a.far", "plain.json", "package.json"] {
        visit.expect(
            "file/read",
            json!({ "file": path }),
            if path == "plain.json" { "FileNotFound" } else { "PermissionDenied" },
        );
        if path != "plain.json" {
            visit.expect("query", json!({ "type": "documentSymbols", "path": path }), "PermissionDenied");
        }
    }
    assert_eq!(
        visit.call("file/read", &json!({ "file": "plain.ts" })),
        None,
        "a file of a plugin without requests must be served"
    );
    let trust = Command::new(env!("CARGO_BIN_EXE_marq"))
        .args(["trust", "--json", "--root"])
        .arg(kit.root())
        .env("MARQ_STATE_DIR", kit.top().join("state"))
        .env("MARQ_CACHE_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache"))
        .output()
        .expect("it runs");
    let listed = String::from_utf8_lossy(&trust.stdout).into_owned();
    for plugin in ["own", "far", "json", "yaml"] {
        assert!(listed.contains(&format!("\"plugin\": \"{plugin}\"")), "{listed}");
    }
    visit.end(&before);
}
