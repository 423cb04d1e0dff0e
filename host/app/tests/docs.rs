//! Runs the documentation: every `$ marq …` of a page, in order, on a fresh copy of the sample workspace.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// Returns the output that a shell shows for a command.
fn output(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_marq")).parent().expect("a folder").display().to_string();
    let paths = format!("{program}:{}", env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(folder.join("shop"))
        .env("PATH", paths)
        .env("HOME", folder.join("home"))
        .env("MARQ_STATE_DIR", folder.join("state"))
        .env("MARQ_CACHE_DIR", top().join("target/test-cache"))
        .output()
        .expect("a shell");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown = shown.replace(concat!("marq ", env!("CARGO_PKG_VERSION")), "marq VERSION");
    let shown = shown.replace(concat!("marquetry ", env!("CARGO_PKG_VERSION")), "marquetry VERSION");
    // Ids of changes differ each time.
    let id = |line: &str| match line.split_once("marq undo ") {
        Some((before, _)) => format!("{before}marq undo ID\n"),
        None => format!("{line}\n"),
    };
    shown.lines().map(id).collect()
}

/// Returns the page with the current outputs of its commands.
fn run(page: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&top().join("examples/shop"), &folder.path().join("shop"));
    fs::create_dir(folder.path().join("home")).expect("made");
    let (mut out, mut printing) = (String::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        if line != "```console" && !(line.starts_with("```") && printing.is_some()) {
            printing = printed_by(line).or(printing.filter(|_| line.is_empty()));
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match printing.take() {
            Some(command) if line != "```console" => out += &snippet(&command, folder.path()),
            _ => out += &console(&block, folder.path()),
        }
        out += "```\n";
    }
    out
}

/// A line such as "In the project, `marq init --print cursor`:" says that the next block is the output of the command.
fn printed_by(line: &str) -> Option<String> {
    let command = line.strip_suffix("`:")?.rsplit_once('`')?.1;
    command.starts_with("marq init --print ").then(|| command.to_owned())
}

/// The output of a command for a project of any user.
fn snippet(command: &str, folder: &Path) -> String {
    let folder = folder.canonicalize().expect("real");
    output(command, &folder).replace(&folder.join("shop").display().to_string(), "/path/to/project")
}

/// Commands start with `$ ` and continue while a quote is open; everything else in the block is output.
fn console(block: &[&str], folder: &Path) -> String {
    let mut out = String::new();
    let mut lines = block.iter();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else { continue };
        let mut command = first.to_owned();
        while command.matches('\'').count() % 2 == 1 {
            let Some(more) = lines.next() else { break };
            command += &format!("\n{more}");
        }
        out += &format!("$ {command}\n");
        let shown = output(&command, folder);
        out += shown.trim_end_matches('\n');
        if !shown.trim().is_empty() {
            out.push('\n');
        }
    }
    out
}

#[test]
fn sessions_in_documentation_match() {
    let mut wrong = Vec::new();
    let mut pages: Vec<PathBuf> =
        fs::read_dir(top().join("docs/formats")).expect("pages").map(|entry| entry.expect("an entry").path()).collect();
    pages.extend(
        ["docs/check.md", "docs/project.md", "docs/many.md", "docs/queries.md", "docs/search.md"]
            .map(|page| top().join(page)),
    );
    pages.push(top().join("docs/start.md"));
    pages.extend(fs::read_dir(top().join("docs/clients")).expect("pages").map(|entry| entry.expect("an entry").path()));
    pages.sort();
    for path in pages {
        let page = fs::read_to_string(&path).expect("a page");
        let now = run(&page);
        if now == page {
            continue;
        }
        if env::var_os("BLESS").is_some() {
            fs::write(&path, now).expect("written");
            continue;
        }
        let line = page.lines().zip(now.lines()).position(|(a, b)| a != b).unwrap_or(0);
        wrong.push(format!(
            "{}:{}\n  the page: {:?}\n  the program: {:?}",
            path.display(),
            line + 1,
            page.lines().nth(line),
            now.lines().nth(line)
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
