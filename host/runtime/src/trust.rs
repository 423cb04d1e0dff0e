//! What a project's files ask for that only the person may give: plugins of its own, more grants, higher limits, language
//! servers.
//!
//! A project is what somebody wrote, not what the person in front of it agreed to. So its `registry.toml` may choose among
//! the plugins that came with marq, turn them off, give them settings and lower their limits. Whatever goes beyond is a
//! [`Demand`]. Demands are met once the person allowed them, for this root and this content: when a demand or the bytes of a
//! plugin change, the person is asked again.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Leftover, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    cache,
    found::Offer,
    identity,
    registry::{Entry, Registry, Source},
    wishes,
};

/// Whose word is needed for what a project demands.
#[derive(Debug, Clone)]
pub enum Trust {
    /// The person's, given with `marq trust` and remembered in this folder.
    Allowed(PathBuf),
    /// Nobody's: every project is trusted.
    Everything,
    /// No project is trusted: demands are left out.
    Nothing,
}

/// What was said about a project's demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// They are met.
    Allowed,
    /// Nobody was asked yet, or they have changed since.
    Unasked,
    /// They are left out.
    Refused,
}

/// One thing that a project asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The plugin that it is about.
    pub plugin: String,
    /// What it is, for people: `runs ./tools/x.wasm`.
    pub what: String,
}

/// All that a project asks for, and what was said about it.
#[derive(Debug, Clone)]
pub struct Demands {
    /// In the order of the plugins' names.
    pub list: Vec<Demand>,
    /// Stands for the demands and the bytes of the plugins among them.
    pub digest: String,
    /// What was said.
    pub word: Word,
    /// Language servers that the project has installed and nobody wished for: each with a word of its own, so that whoever
    /// installs one takes back no word about anything else.
    pub offers: Vec<Offer>,
    /// The digests of the plugins among them, by plugin: what was said is about these bytes.
    pub(crate) plugins: BTreeMap<String, String>,
}

/// What is remembered of a root.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    root: String,
    digest: String,
    demands: Vec<Demand>,
    /// The digests of the servers that were found, by name.
    #[serde(default)]
    found: BTreeMap<String, String>,
}

impl Demands {
    /// What the registry of a project asks for beyond the default one.
    pub(crate) fn of(defaults: &Registry, project: &Registry, root: &Path, trust: &Trust) -> Demands {
        let (mut list, mut plugins) = (Vec::new(), BTreeMap::new());
        let mut hash = Sha256::new();
        let known: BTreeMap<String, &Entry> = defaults.all().collect();
        for (id, entry) in project.all() {
            for what in beyond(known.get(&id).copied(), entry, root) {
                hash.update(format!("{id}\0{what}\0"));
                list.push(Demand { plugin: id.clone(), what });
            }
            if let Source::Path(path) = &entry.source {
                // A file that cannot be read has no bytes to agree to: what takes its place later is another demand.
                let digest = identity::read(path).map(|bytes| identity::digest(&bytes)).unwrap_or_default();
                hash.update(&digest);
                plugins.insert(id, digest);
            }
        }
        for (id, wish) in
            project.servers.iter().filter(|(id, wish)| !wish.is_found() && defaults.servers.get(*id) != Some(wish))
        {
            let (plugin, what) = (of_server(id), wishes::told(wish));
            hash.update(format!("{plugin}\0{what}\0"));
            // A program of the project's own is another one when its bytes are.
            if let Some(program) = wish.command.first().filter(|program| program.contains('/')) {
                let digest = identity::read(&root.join(program)).map(|bytes| identity::digest(&bytes));
                hash.update(digest.unwrap_or_default());
            }
            list.push(Demand { plugin, what });
        }
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let mut demands = Demands { list, digest, word: Word::Unasked, offers: Vec::new(), plugins };
        demands.word = match trust {
            _ if demands.list.is_empty() => Word::Allowed,
            Trust::Everything => Word::Allowed,
            Trust::Nothing => Word::Refused,
            Trust::Allowed(folder) if remembered(folder, root).is_some_and(|known| known.digest == demands.digest) => {
                Word::Allowed
            }
            Trust::Allowed(_) => Word::Unasked,
        };
        demands
    }

    /// Whether a plugin has a demand that was not met.
    pub(crate) fn holds_back(&self, plugin: &str) -> bool {
        self.word != Word::Allowed && self.list.iter().any(|demand| demand.plugin == plugin)
    }

    /// What is demanded for one plugin.
    pub(crate) fn of_plugin<'a>(&'a self, plugin: &'a str) -> impl Iterator<Item = &'a str> {
        self.list.iter().filter(move |demand| demand.plugin == plugin).map(|demand| demand.what.as_str())
    }

    /// The answer to a call that would need what was not allowed.
    pub(crate) fn refusal(&self, plugin: &str) -> Error {
        let what: Vec<&str> = self.of_plugin(plugin).collect();
        let whose = if plugin.starts_with(SERVER) { String::new() } else { format!(" as plugin `{plugin}`") };
        let message = format!("the project's registry.toml {}{whose}, which nobody allowed", what.join(", "));
        Error::new(Kind::PermissionDenied, message).hint(
            "a person who trusts the project runs `marq trust --allow` in it; `marq trust` shows all it asks for, and \
             `--no-trust` works without",
        )
    }
}

const SERVER: &str = "servers.";

/// What a demand about a language server is about.
pub(crate) fn of_server(id: &str) -> String {
    format!("{SERVER}{id}")
}

/// What an entry of a project asks for beyond the default one.
fn beyond(default: Option<&Entry>, entry: &Entry, root: &Path) -> Vec<String> {
    let mut all = Vec::new();
    if let Source::Path(path) = &entry.source {
        let shown = path.strip_prefix(root).unwrap_or(path);
        all.push(format!("runs {}", shown.display()));
    }
    let has = |grant: &&String| default.is_some_and(|default| default.grants.contains(grant));
    let grants: Vec<&str> = entry.grants.iter().filter(|grant| !has(grant)).map(String::as_str).collect();
    if !grants.is_empty() || (!entry.grants.is_empty() && entry.source != Source::Bundled) {
        all.push(format!("grants {}", entry.grants.join(", ")));
    }
    if let Some(addresses) = &entry.addresses
        && default.and_then(|default| default.addresses.as_ref()) != Some(addresses)
    {
        all.push(format!("reaches editors at {}", addresses.join(", ")));
    }
    let bounds = default.map_or(crate::registry::DEFAULT_BOUNDS, |default| default.bounds);
    if entry.bounds.time > bounds.time {
        all.push(format!("lets it run {} s, not {}", entry.bounds.time.as_secs(), bounds.time.as_secs()));
    }
    if entry.bounds.memory > bounds.memory {
        all.push(format!("lets it have {} MiB, not {}", entry.bounds.memory >> 20, bounds.memory >> 20));
    }
    all
}

pub(crate) fn file_of(folder: &Path, root: &Path) -> PathBuf {
    let name: String =
        Sha256::digest(root.as_os_str().as_encoded_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.json"))
}

/// What the person said of a root, if it can be the person's word.
fn remembered(folder: &Path, root: &Path) -> Option<Remembered> {
    let text = fs::read(file_of(folder, root)).ok().filter(|_| vouches(folder, root))?;
    serde_json::from_slice::<Remembered>(&text).ok().filter(|known| Path::new(&known.root) == root)
}

/// What was said about a server that was found.
pub(crate) fn word_of_found(trust: &Trust, root: &Path, id: &str, digest: &str) -> Word {
    let is_known =
        |folder: &Path| remembered(folder, root).is_some_and(|it| it.found.get(id).is_some_and(|it| it == digest));
    match trust {
        Trust::Everything => Word::Allowed,
        Trust::Nothing => Word::Refused,
        Trust::Allowed(folder) if is_known(folder) => Word::Allowed,
        Trust::Allowed(_) => Word::Unasked,
    }
}

/// Whether what stands in a folder can be the person's word: it is no part of the project, and nobody else's.
fn vouches(folder: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    !real(folder).starts_with(real(root)) && cache::check_private(folder).is_ok()
}

/// Remember that the person allowed what a root demands.
///
/// # Errors
/// The folder cannot be written, or lies in the root, whose files are not the person's word.
pub(crate) fn remember(folder: &Path, root: &Path, demands: &Demands) -> Result<()> {
    let failed = |error: std::io::Error| Error::new(Kind::PermissionDenied, format!("{}: {error}", folder.display()));
    cache::make_private(folder).map_err(failed)?;
    if !vouches(folder, root) {
        let message =
            format!("{} is part of the project, or open to others: it holds no word of yours", folder.display());
        return Err(Error::new(Kind::PermissionDenied, message)
            .hint("set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project"));
    }
    let root = root.display().to_string();
    let found = demands.offers.iter().map(|offer| (offer.wish.id.clone(), offer.digest.clone())).collect();
    let kept = Remembered { root: root.clone(), digest: demands.digest.clone(), demands: demands.list.clone(), found };
    let text = serde_json::to_vec_pretty(&kept).map_err(|error| Error::internal(error.to_string()))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(&text).map_err(failed)?;
    file.persist(file_of(folder, Path::new(&root))).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Forget what the person allowed, if anything.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn forget(folder: &Path, root: &Path) -> Result<()> {
    match fs::remove_file(file_of(folder, root)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::new(Kind::PermissionDenied, format!("{}: {error}", folder.display()))),
    }
}

/// What the person said of roots that are gone. A root on a disk that is not there now is asked for again.
pub(crate) fn words_of_gone_roots(folder: &Path) -> Vec<Leftover> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let gone = files.filter_map(|path| {
        let text = fs::read(&path).ok()?;
        let Remembered { root, .. } = serde_json::from_slice(&text).ok()?;
        let is_gone = Path::new(&root).symlink_metadata().is_err() && file_of(folder, Path::new(&root)) == path;
        let reason = format!("your word for {root}, which is not there");
        is_gone.then_some(Leftover { path, bytes: text.len() as u64, reason })
    });
    let mut gone: Vec<Leftover> = gone.collect();
    gone.sort_by(|a, b| a.path.cmp(&b.path));
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = "marquetry = 1\n[plugins.a]\ngrants = [\"workspace\"]\n[plugins.b]\n";

    fn demands(project: &str, root: &Path, trust: &Trust) -> Demands {
        let defaults = Registry::parse(DEFAULT, root, "the default registry").expect("valid");
        let mut registry = defaults.clone();
        registry.extend(&format!("marquetry = 1\n{project}"), root, "registry.toml").expect("valid");
        Demands::of(&defaults, &registry, root, trust)
    }

    #[track_caller]
    fn check(project: &str, wanted: &[&str]) {
        let found = demands(project, Path::new("/p"), &Trust::Nothing);
        let shown: Vec<String> =
            found.list.iter().map(|demand| format!("{}: {}", demand.plugin, demand.what)).collect();
        assert_eq!(shown, wanted, "{project}");
        assert_eq!(found.word == Word::Refused, !wanted.is_empty());
    }

    #[test]
    fn what_a_project_may_choose_itself_is_no_demand() {
        check("[plugins.a]\nenabled = false\n", &[]);
        check("[plugins.a]\nfiles = [\"*.x\"]\nsettings = { a = 1 }\nversion = \"^1\"\n", &[]);
        check("[plugins.a]\nlimits = { seconds = 1, memory-mib = 16 }\n", &[]);
        check("[plugins.a]\ngrants = []\n[plugins.b]\ngrants = []\n", &[]);
    }

    #[test]
    fn what_goes_beyond_is() {
        check("[plugins.c]\nsource = \"path:t/c.wasm\"\n", &["c: runs t/c.wasm"]);
        check("[plugins.c]\nsource = \"path:/x/c.wasm\"\n", &["c: runs /x/c.wasm"]);
        check("[plugins.b]\ngrants = [\"workspace\"]\n", &["b: grants workspace"]);
        check("[plugins.a]\nlimits = { seconds = 60 }\n", &["a: lets it run 60 s, not 10"]);
    }

    #[test]
    fn every_language_server_is_a_demand() {
        check(
            "[servers.s]\ncommand = [\"s\", \"--stdio\"]\nfiles = [\"*.s\"]\n",
            &["servers.s: starts `s --stdio` for *.s"],
        );
        check(
            "[servers.s]\ncommand = [\"bin/s\"]\nfiles = [\"*.s\"]\nsettings = { a = 1 }\n",
            &["servers.s: starts `bin/s` for *.s with {\"a\":1}"],
        );
    }

    #[test]
    fn a_program_of_the_project_is_another_one_when_its_bytes_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = "[servers.s]\ncommand = [\"./s\"]\nfiles = [\"*.s\"]\n";
        let digest = || demands(project, folder.path(), &Trust::Nothing).digest;
        fs::write(folder.path().join("s"), "one").expect("written");
        let one = digest();
        fs::write(folder.path().join("s"), "two").expect("written");
        assert_ne!(one, digest());
    }

    #[test]
    fn who_replaces_a_plugin_does_not_inherit_its_grants() {
        check("[plugins.a]\nsource = \"path:a.wasm\"\n", &["a: runs a.wasm"]);
        check(
            "[plugins.a]\nsource = \"path:a.wasm\"\ngrants = [\"workspace\"]\n",
            &["a: runs a.wasm", "a: grants workspace"],
        );
    }

    #[test]
    fn the_word_is_for_one_root_and_one_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, state) = (folder.path().join("root"), folder.path().join("state"));
        fs::create_dir(&root).expect("made");
        fs::write(root.join("c.wasm"), "one").expect("written");
        let (trust, project) = (Trust::Allowed(state.clone()), "[plugins.c]\nsource = \"path:c.wasm\"\n");
        let found = demands(project, &root, &trust);
        assert_eq!(found.word, Word::Unasked);
        assert!(found.holds_back("c") && !found.holds_back("a"));
        remember(&state, &root, &found).expect("remembered");
        assert_eq!(demands(project, &root, &trust).word, Word::Allowed);
        assert_eq!(demands(project, folder.path(), &trust).word, Word::Unasked, "another root");
        let more = format!("{project}grants = [\"workspace\"]\n");
        assert_eq!(demands(&more, &root, &trust).word, Word::Unasked, "another demand");
        fs::write(root.join("c.wasm"), "two").expect("written");
        assert_eq!(demands(project, &root, &trust).word, Word::Unasked, "other bytes");
        fs::write(root.join("c.wasm"), "one").expect("written");
        for _ in 0..2 {
            forget(&state, &root).expect("forgotten");
            assert_eq!(demands(project, &root, &trust).word, Word::Unasked);
        }
    }

    #[test]
    fn words_of_roots_that_are_gone_can_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, state) = (folder.path().join("root"), folder.path().join("state"));
        fs::create_dir(&root).expect("made");
        let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", &root, &Trust::Allowed(state.clone()));
        remember(&state, &root, &found).expect("remembered");
        fs::write(state.join("other.json"), "{}").expect("written");
        assert_eq!(words_of_gone_roots(&state), []);
        fs::remove_dir(&root).expect("removed");
        let [word] = &words_of_gone_roots(&state)[..] else { panic!("one word") };
        assert_eq!(word.path, file_of(&state, &root));
        assert_eq!(word.reason, format!("your word for {}, which is not there", root.display()));
    }

    #[test]
    fn a_project_cannot_vouch_for_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::Allowed(folder.path().join("state"));
        let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", folder.path(), &trust);
        let error = remember(&folder.path().join("state"), folder.path(), &found).expect_err("refused");
        assert_eq!(error.kind(), Kind::PermissionDenied);
        // What a clone brings along is not the person's word, however it came there.
        let root = folder.path().join("root");
        fs::create_dir(&root).expect("made");
        let outside = folder.path().join("words");
        let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", &root, &Trust::Allowed(outside.clone()));
        remember(&outside, &root, &found).expect("remembered");
        fs::rename(&outside, root.join("words")).expect("moved in");
        let trust = Trust::Allowed(root.join("words"));
        assert_eq!(demands("[plugins.c]\nsource = \"path:c.wasm\"\n", &root, &trust).word, Word::Unasked);
    }

    #[test]
    fn the_answer_names_what_is_asked_for_and_how_to_allow_it() {
        let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", Path::new("/p"), &Trust::Allowed("/s".into()));
        let error = found.refusal("c");
        assert_eq!(
            error.content().message,
            "the project's registry.toml runs c.wasm as plugin `c`, which nobody allowed"
        );
        assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("marq trust --allow")));
    }
}
