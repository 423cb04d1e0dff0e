//! Installs each package in a clean folder, as a user does, and uses the program: reads, edits, moves, undoes, and
//! answers an MCP client. Prints a table with the seconds from nothing to the first edit.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};

use super::FOLDER;
use crate::{
    measure::table::{Table, number, text as column},
    shell::{begin_step, top},
};

/// A way to install a package.
struct Way {
    name: &'static str,
    /// The end of its file name; if it starts with a folder, the start of the name in that folder.
    file: &'static str,
    /// The program that installs it.
    needs: &'static str,
    /// Installs the package into a folder. Returns the program.
    install: fn(&Path, &Path) -> Result<PathBuf>,
}

const WAYS: [Way; 6] = [
    Way { name: "archive", file: "-unknown-linux-musl.tar.gz", needs: "tar", install: archive },
    Way { name: "install.sh", file: "install.sh", needs: "sh", install: script },
    Way { name: "npm", file: "npm/marquetry-", needs: "npm", install: npm },
    Way { name: "wheel", file: ".whl", needs: "python3", install: wheel },
    Way { name: "Debian package", file: ".deb", needs: "dpkg-deb", install: debian },
    Way { name: "bundle", file: ".mcpb", needs: "python3", install: bundle },
];

/// Tries every package that was made for this machine.
pub(super) fn run_all() -> Result<()> {
    begin_step("each package, installed in a clean folder and used");
    let works = ["read", "edit", "move", "undo", "MCP"].map(|call| column(call, 4));
    let columns = [&[column("package", 14), number("install s"), number("first edit s")], &works[..]].concat();
    let table = Table::start(&columns);
    let mut failed = Vec::new();
    for way in &WAYS {
        match attempt(way) {
            Ok(Some(seconds)) => {
                let seconds = seconds.map(|seconds| format!("{seconds:.1}"));
                table.row(&[way.name, &seconds[0], &seconds[1], "yes", "yes", "yes", "yes", "yes"]);
            }
            Ok(None) => println!("    not run: {} (needs {} and a package for this machine)", way.name, way.needs),
            Err(error) => failed.push(format!("{}: {error:#}", way.name)),
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("; "));
    Ok(())
}

/// Installs and uses one package. Returns the seconds until it was installed, and until the first edit. Returns `None` if
/// its file or its installer is missing.
fn attempt(way: &Way) -> Result<Option<[f64; 2]>> {
    let Some(package) = package(way.file)? else { return Ok(None) };
    if Command::new(way.needs).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let started = Instant::now();
    let program = (way.install)(&package, folder.path()).context("it cannot be installed")?;
    let installed = started.elapsed();
    let project = Project::create(folder.path())?;
    let marq = |arguments: &[&str]| project.run(&program, arguments);
    let edited = marq(&["edit", "a.ts", "one", "replace_body", "return 2;"]);
    let first_edit = started.elapsed();
    edited?;
    ensure!(project.read("a.ts")?.contains("return 2;"), "the edit did not change the file");
    ensure!(marq(&["read", "a.ts", "one"])?.contains("return 2;"), "the edited function was not read");
    marq(&["move", "a.ts", "lib/a.ts"])?;
    ensure!(project.read("b.ts")?.contains("\"./lib/a\""), "the import did not follow the move");
    marq(&["undo"])?;
    ensure!(project.read("b.ts")?.contains("\"./a\""), "the move was not undone");
    ensure!(project.greet(&program)?.contains("file_edit"), "the MCP server did not list its tools");
    Ok(Some([installed, first_edit].map(|time| time.as_secs_f64())))
}

/// Returns the package of this machine with this end of its file name. If the pattern contains a `/`, it is a folder
/// and the start of the file name.
fn package(pattern: &str) -> Result<Option<PathBuf>> {
    let folder = top().join(FOLDER);
    let here = std::env::consts::ARCH;
    let (place, start) = match pattern.rsplit_once('/') {
        Some((below, start)) => (folder.join(below), start),
        None => (folder, ""),
    };
    let Ok(entries) = fs::read_dir(&place) else { return Ok(None) };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_named = if start.is_empty() { name.ends_with(pattern) } else { is_main_package(&name, start) };
        let is_foreign = ["x86_64", "aarch64", "x64", "arm64", "amd64"].iter().any(|other| name.contains(other))
            && !aliases(here).iter().any(|own| name.contains(own));
        is_named && !is_foreign && !name.contains("win32") && !name.contains("darwin")
    });
    found.sort();
    Ok(found.pop())
}

/// Returns whether this is the npm package that users install, which has a version after its name.
fn is_main_package(name: &str, start: &str) -> bool {
    name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns the names of a processor in package formats.
fn aliases(processor: &str) -> &'static [&'static str] {
    if processor == "aarch64" { &["aarch64", "arm64"] } else { &["x86_64", "x64", "amd64"] }
}

fn archive(package: &Path, folder: &Path) -> Result<PathBuf> {
    run("tar", &["-xzf", &text(package), "-C", &text(folder)], folder)?;
    find(folder, "marq")
}

fn script(package: &Path, folder: &Path) -> Result<PathBuf> {
    let archive = self::package(WAYS[0].file)?.context("the archive is missing")?;
    let prefix = folder.join("prefix");
    let mut command = Command::new("sh");
    command.arg(package).arg(archive).env("PREFIX", &prefix).stdout(Stdio::null());
    ensure!(command.status()?.success(), "install.sh failed");
    Ok(prefix.join("bin/marq"))
}

/// Installs the package with that of this platform, both from their files.
fn npm(package: &Path, folder: &Path) -> Result<PathBuf> {
    let processor = if std::env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
    let version = package.file_name().unwrap_or_default().to_string_lossy();
    let version = version.trim_start_matches("marquetry-").trim_end_matches(".tgz");
    let platform = package.with_file_name(format!("marquetry-linux-{processor}-{version}.tgz"));
    let flags = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    run(
        "npm",
        &[&["install", "--prefix", &text(folder), &text(&platform), &text(package)], &flags[..]].concat(),
        folder,
    )?;
    Ok(folder.join("node_modules/.bin/marq"))
}

fn wheel(package: &Path, folder: &Path) -> Result<PathBuf> {
    let environment = folder.join("venv");
    run("python3", &["-m", "venv", &text(&environment)], folder)?;
    let pip = environment.join("bin/pip");
    run(&text(&pip), &["install", "--quiet", "--no-index", "--no-deps", &text(package)], folder)?;
    Ok(environment.join("bin/marq"))
}

fn debian(package: &Path, folder: &Path) -> Result<PathBuf> {
    run("dpkg-deb", &["--extract", &text(package), &text(folder)], folder)?;
    Ok(folder.join("usr/bin/marq"))
}

/// Unpacks a bundle, as the clients do, and takes the command from its manifest.
fn bundle(package: &Path, folder: &Path) -> Result<PathBuf> {
    run("python3", &["-m", "zipfile", "-e", &text(package), &text(folder)], folder)?;
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("manifest.json"))?)?;
    let command = manifest["server"]["mcp_config"]["command"].as_str().context("the manifest has no command")?;
    let program = PathBuf::from(command.replace("${__dirname}", &text(folder)));
    // Clients restore the modes in the archive; Python's module does not.
    #[cfg(unix)]
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(program)
}

/// A project with two files, and empty folders for the state and the cache of the program.
struct Project {
    folder: PathBuf,
    home: PathBuf,
}

impl Project {
    fn create(parent: &Path) -> Result<Project> {
        let project = Project { folder: parent.join("project"), home: parent.join("home") };
        fs::create_dir_all(&project.folder)?;
        fs::create_dir_all(&project.home)?;
        fs::write(project.folder.join("a.ts"), "export function one() {\n  return 1;\n}\n")?;
        fs::write(project.folder.join("b.ts"), "import { one } from \"./a\";\none();\n")?;
        Ok(project)
    }

    fn read(&self, name: &str) -> Result<String> {
        fs::read_to_string(self.folder.join(name)).with_context(|| format!("{name} cannot be read"))
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder).env_remove("MARQ_PLUGINS").env("HOME", &self.home);
        ["MARQ_STATE_DIR", "MARQ_CACHE_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"].iter().for_each(|name| {
            command.env_remove(name);
        });
        command
    }

    /// Runs the program. Returns its output.
    fn run(&self, program: &Path, arguments: &[&str]) -> Result<String> {
        let output = self.command(program, arguments).output()?;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "`marq {}` failed: {message}", arguments.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Initializes a session with the MCP server and requests its tools. Returns the responses.
    fn greet(&self, program: &Path) -> Result<String> {
        const MESSAGES: &str = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            "\n"
        );
        let mut server = self.command(program, &["mcp"]);
        let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        server.stdin.take().context("it is piped")?.write_all(MESSAGES.as_bytes())?;
        Ok(String::from_utf8(server.wait_with_output()?.stdout)?)
    }
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<()> {
    let output = Command::new(program).args(arguments).current_dir(folder).output()?;
    ensure!(output.status.success(), "`{program}` failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Returns the file of this name below a folder.
fn find(folder: &Path, name: &str) -> Result<PathBuf> {
    let below = fs::read_dir(folder)?.flatten().map(|entry| entry.path().join(name));
    below.into_iter().find(|path| path.is_file()).with_context(|| format!("the package has no {name}"))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_with_a_version_is_the_one_that_users_install() {
        assert!(is_main_package("marquetry-0.1.0.tgz", "marquetry-"));
        assert!(!is_main_package("marquetry-linux-x64-0.1.0.tgz", "marquetry-"));
    }

    #[test]
    fn names_of_processors_are_those_of_the_formats() {
        assert!(aliases("aarch64").contains(&"arm64"));
        assert!(aliases("x86_64").contains(&"amd64"));
    }
}
