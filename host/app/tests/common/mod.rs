//! A generated project whose files all refer to one file, and the program that changes them.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Lines, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// The paths and texts of a project.
pub type Texts = BTreeMap<String, String>;

/// A project in which every file imports `src/shared.ts`.
pub struct Project(TempDir);

impl Project {
    pub fn new(files: usize) -> Project {
        // In memory if possible, as the tests do not depend on a disk.
        let project = Project(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder"));
        project.write("src/shared.ts", "export const shared = 1;\n");
        for n in 0..files {
            let text = format!("import {{ shared }} from '../shared';\n\nexport const value{n} = shared + {n};\n");
            project.write(&format!("src/part{}/file{n}.ts", n % 10), &text);
        }
        project
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    pub fn root(&self) -> PathBuf {
        self.0.path().join("project")
    }

    /// Returns the state folder, which may not exist yet.
    pub fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marq"));
        command.args(arguments).current_dir(self.root()).env("MARQ_STATE_DIR", self.state());
        command.env("MARQ_CACHE_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache"));
        command
    }

    pub fn marq(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
    }

    /// Returns everything below the root.
    pub fn texts(&self) -> Texts {
        let mut texts = Texts::new();
        collect(&self.root(), &self.root(), &mut texts);
        texts
    }

    /// Returns the names of journals and finished changes.
    pub fn journals(&self) -> Vec<String> {
        let roots = fs::read_dir(self.0.path().join("state")).into_iter().flatten().flatten();
        let changes = roots.flat_map(|root| fs::read_dir(root.path().join("changes")).into_iter().flatten().flatten());
        let mut names: Vec<String> = changes.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Starts a front end that exchanges lines.
    pub fn talk(&self, arguments: &[&str]) -> Talk {
        let mut command = self.command(arguments);
        Talk::new(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts"))
    }
}

fn collect(root: &Path, folder: &Path, texts: &mut Texts) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("below").display().to_string();
        if path.is_dir() {
            texts.insert(format!("{name}/"), String::new());
            collect(root, &path, texts);
        } else {
            texts.insert(name, fs::read_to_string(&path).expect("text"));
        }
    }
}

/// Messages to and from a front end.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Talk {
    /// Wraps a process with piped standard streams.
    pub fn new(mut child: Child) -> Talk {
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("output"));
        Talk { child, input, lines: BufReader::new(output).lines() }
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().expect("open"), "{message}").expect("written");
    }

    pub fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().expect("a message").expect("a line")).expect("JSON")
    }

    /// Reads messages up to the first that matches.
    pub fn until(&mut self, so: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            messages.push(self.next());
            let last = &messages[messages.len() - 1];
            if so(last) {
                return messages;
            }
            assert!(last.get("id").is_none(), "an answer that was not waited for: {last}");
        }
    }

    /// Closes the input and returns the remaining messages.
    pub fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let rest =
            self.lines.by_ref().map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON")).collect();
        assert!(self.child.wait().expect("it ends").success());
        rest
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
