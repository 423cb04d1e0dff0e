//! Project tests written as text, in `cases/`.
//!
//! ```text
//! ==== a title
//! //- /registry.toml
//! marquetry = 1
//! ---- takes a.txt
//! text
//! ```
//!
//! A file `//- /own.wasm hostile` is the test plugin that misbehaves, `//- /own.wasm other` the same with other bytes,
//! and `//- /own.wasm wat` is WebAssembly in text format. Queries: `takes PATH` and `speaks LANGUAGE` (the pack),
//! `plugins`, `servers`, `editors`, `demands`, `lock`. Actions: `allow`, `disallow`, `locked` (writes the lock),
//! `write PATH` with the text below it, `remove PATH`. A title that ends in `(trusts everything)` or `(trusts nothing)`
//! selects that trust setting; otherwise approval is needed. `UPDATE_EXPECT=1` updates the expected results.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_model::{
    Error,
    editor::Integrations,
    ports::{Files, Overlap, Packs, PluginInfo, Roots},
};
use marquetry_runtime::{Options, PackSet, RequestedPermission, TrustPolicy};
use marquetry_testkit::components;
use tempfile::TempDir;

/// Default registry of these cases.
const DEFAULT: &str = r#"marquetry = 1
[plugins.text]
source = "bundled"
[plugins.hostile]
source = "bundled"
[editors.neovim]
channels = ["socket"]
addresses = ["$NVIM"]
[servers.one]
found-as = [["bin/one", "--stdio"]]
files = ["*.one"]
"#;

struct Project {
    folder: TempDir,
    packs: PackSet,
    files: Arc<dyn Files>,
}

impl Project {
    fn new(title: &str) -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let trust = match title {
            title if title.ends_with("(trusts everything)") => TrustPolicy::Everything,
            title if title.ends_with("(trusts nothing)") => TrustPolicy::Nothing,
            _ => TrustPolicy::Allowed(folder.path().join("words")),
        };
        let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache");
        let packs = PackSet::new(Options {
            default_registry: DEFAULT.to_owned(),
            bundled: vec![components()],
            cache: Some(cache),
            trust,
        });
        let files = DiskRoots::new(folder.path().join("root"), folder.path().join("state")).open(None).unwrap();
        Project { folder, packs, files }
    }

    fn write(&self, head: &str, text: &str) {
        let (path, what) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
        let path = self.folder.path().join("root").join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let plugin = || fs::read(components().join("marquetry_hostile.wasm")).expect("the packs are built");
        let bytes = match what {
            "hostile" => plugin(),
            "other" => [plugin(), vec![0, 2, 1, b'x']].concat(),
            "wat" => wat::parse_str(text).unwrap_or_else(|error| panic!("{error}")),
            _ => text.as_bytes().to_vec(),
        };
        fs::write(path, bytes).unwrap();
    }

    fn step(&self, head: &str, text: &str) -> String {
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        match word {
            "takes" => result_text(self.packs.for_path(&self.files, rest).map(|pack| pack.description().id.clone())),
            "speaks" => {
                result_text(self.packs.for_language(&self.files, rest).map(|pack| pack.description().id.clone()))
            }
            "plugins" => {
                // Loads all plugins first, because the version of a plugin is known only after it was loaded.
                self.packs.descriptions(&self.files);
                self.packs.plugins(&self.files).iter().map(plugin).collect()
            }
            "servers" => result_text(self.servers()),
            "editors" => result_text(self.editors()),
            "demands" => result_text(self.demands()),
            "allow" | "disallow" => result_text(
                self.packs.set_approval(&self.files, word == "allow").map(|demands| format!("{:?}", demands.approval)),
            ),
            "lock" => result_text(self.packs.lock_text(&self.files)),
            "locked" => match self.packs.lock_text(&self.files) {
                Ok(lock) => {
                    self.write("registry.lock", &lock);
                    String::new()
                }
                Err(error) => result_text::<String>(Err(error)),
            },
            "write" => {
                self.write(rest, text);
                text.to_owned()
            }
            "remove" => {
                fs::remove_file(self.folder.path().join("root").join(rest)).unwrap();
                String::new()
            }
            other => panic!("no step `{other}`"),
        }
    }

    fn servers(&self) -> Result<String, Error> {
        let mut out = String::new();
        for server in self.packs.servers(&self.files)? {
            let (files, command) = (server.files.join(", "), server.command.join(" "));
            writeln!(out, "{}: `{command}` for {files}, {} MiB, {:?}", server.id, server.memory >> 20, server.idle)
                .unwrap();
            server.refusal.iter().for_each(|why| writeln!(out, "  waits: {why}").unwrap());
        }
        Ok(out)
    }

    fn editors(&self) -> Result<String, Error> {
        let mut out = String::new();
        for editor in self.packs.for_project(&self.files)?.iter() {
            writeln!(out, "{} by {:?} at {:?}", editor.name(), editor.channels(), editor.addresses()).unwrap();
        }
        Ok(out)
    }

    fn demands(&self) -> Result<String, Error> {
        let demands = self.packs.requested_permissions(&self.files)?;
        let mut out = format!("{:?}\n", demands.approval);
        let shown = |demand: &RequestedPermission| {
            let notes: String = demand.notes.iter().map(|note| format!("  {note}\n")).collect();
            format!("{}: {}\n{notes}", demand.plugin, demand.what)
        };
        demands.list.iter().for_each(|demand| out.push_str(&shown(demand)));
        demands.installed_servers.iter().for_each(|offer| write!(out, "offers {}", shown(&offer.permission)).unwrap());
        Ok(out)
    }

    /// Replaces parts that differ between machines and builds.
    fn stable(&self, text: &str) -> String {
        let mut text = text.replace(&*self.folder.path().join("root").to_string_lossy(), "$root");
        for plugin in self.packs.plugins(&self.files) {
            if let Some(digest) = plugin.digest {
                text = text.replace(&digest, &format!("$sha256({})", plugin.id));
            }
        }
        let mut out = String::new();
        for part in text.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
            let digits = part.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
            out.push_str(&if digits.len() == 64 { part.replace(digits, "$sha256") } else { part.to_owned() });
        }
        out.replace(&*components().to_string_lossy(), "$components")
    }
}

fn result_text<T: AsRef<str>>(answer: Result<T, Error>) -> String {
    match answer {
        Ok(text) => format!("{}\n", text.as_ref().trim_end()),
        Err(error) => {
            let content = error.content();
            let mut out = format!("{:?}: {}\n", content.kind, content.message);
            content.hint.iter().for_each(|hint| writeln!(out, "hint: {hint}").unwrap());
            if !content.candidates.is_empty() {
                writeln!(out, "candidates: {}", content.candidates.join(", ")).unwrap();
            }
            out
        }
    }
}

fn plugin(plugin: &PluginInfo) -> String {
    let version = plugin.version.as_deref().unwrap_or("?");
    let files = if plugin.files.is_empty() { "nothing".to_owned() } else { plugin.files.join(" ") };
    let grants =
        if plugin.grants.is_empty() { String::new() } else { format!(", granted {}", plugin.grants.join(" ")) };
    let limits = format!("{} MiB, {:?}", plugin.memory >> 20, plugin.time);
    let overlap =
        |it: &Overlap| format!("  {} {} `{}`\n", it.pattern, if it.wins { "before" } else { "after" }, it.other);
    let overlaps: String = plugin.overlaps.iter().map(overlap).collect();
    format!(
        "{} {version} from {} takes {files}{grants}, {limits}: {}\n{overlaps}",
        plugin.id, plugin.source, plugin.state
    )
}

/// Returns a case with the result of each step.
fn replayed(title: &str, case: &str) -> String {
    let project = Project::new(title);
    let mut out = String::new();
    let mut parts = case.split("---- ");
    let fixture = parts.next().unwrap();
    out.push_str(fixture);
    for file in fixture.split("//- ").skip(1) {
        let (head, text) = file.split_once('\n').unwrap();
        project.write(head, text);
    }
    for part in parts {
        let (head, below) = part.split_once('\n').unwrap_or((part, ""));
        let got = project.step(head, below);
        let got = project.stable(&got);
        write!(out, "---- {head}\n{}", if got.trim().is_empty() { "" } else { &got }).unwrap();
    }
    out
}

#[test]
fn text_cases_of_registries_match() {
    marquetry_cases::replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"), replayed);
}
