//! Tests the plugins of a project: its registry merged over the default one, its lock, and the cache that processes
//! share.

use std::{fs, path::PathBuf, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_model::{
    Error, Kind,
    editor::Integrations,
    ports::{Files, Packs, PluginInfo, Roots},
    servers::RequestedServer,
};
use marquetry_runtime::{Approval, ApprovalChange, KnownServer, Options, PackSet, TrustPolicy};
use marquetry_testkit::components;
use tempfile::TempDir;

/// The smallest pack takes all files; the other one takes files named after it.
const DEFAULT: &str = "marquetry = 1\n[plugins.text]\nsource = \"bundled\"\n[plugins.hostile]\nsource = \"bundled\"\n";

struct Project {
    folder: TempDir,
    packs: PackSet,
}

impl Project {
    fn new(registry: &str) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("root")).expect("made");
        // Tests share compiled code, except tests of the cache.
        let cache = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache");
        let project = Project { packs: packs(cache), folder };
        if !registry.is_empty() {
            project.write("registry.toml", registry);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    fn write_bytes(&self, path: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join("root").join(path), bytes).expect("written");
    }

    fn files(&self) -> Arc<dyn Files> {
        let at = |name: &str| self.folder.path().join(name);
        DiskRoots::new(at("root"), at("state")).open(None).expect("a root")
    }

    /// Returns the name of the pack that takes a file.
    fn takes(&self, path: &str) -> Result<String, Error> {
        Ok(self.packs.for_path(&self.files(), path)?.description().id.clone())
    }

    fn speaks(&self, language: &str) -> Result<String, Error> {
        Ok(self.packs.for_language(&self.files(), language)?.description().id.clone())
    }

    #[track_caller]
    fn refusal(&self) -> (Kind, String) {
        let error = self.takes("a.txt").expect_err("refused");
        (error.kind(), error.to_string())
    }

    fn plugin(&self, id: &str) -> PluginInfo {
        self.packs.plugins(&self.files()).into_iter().find(|plugin| plugin.id == id).expect("listed")
    }
}

fn packs(cache: PathBuf) -> PackSet {
    trusting(TrustPolicy::Everything, cache)
}

fn trusting(trust: TrustPolicy, cache: PathBuf) -> PackSet {
    let default_registry = DEFAULT.to_owned();
    PackSet::new(Options { default_registry, bundled: vec![components()], cache: Some(cache), trust })
}

#[test]
fn default_packs_are_selected_by_their_patterns() {
    let project = Project::new("");
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"));
    assert_eq!(project.takes("deep/er/a.hostile").as_deref(), Ok("hostile"));
    assert_eq!(project.takes("Makefile").as_deref(), Ok("text"));
}

#[test]
fn exact_names_precede_patterns_in_projects() {
    let project =
        Project::new("marquetry = 1\n[plugins.hostile]\nfiles = [\"notes.txt\", \"*.config.*\", \"docs/*.md\"]\n");
    for (path, id) in [
        ("notes.txt", "hostile"),
        ("deep/notes.txt", "hostile"),
        ("other.txt", "text"),
        ("a.config.js", "hostile"),
        ("config.js", "text"),
        ("docs/a.md", "hostile"),
        ("a.md", "text"),
        ("a.hostile", "text"),
    ] {
        assert_eq!(project.takes(path).as_deref(), Ok(id), "{path}");
    }
}

#[test]
fn disabled_pack_takes_no_files() {
    let project = Project::new("marquetry = 1\n[plugins.hostile]\nenabled = false\n");
    assert_eq!(project.takes("a.hostile").as_deref(), Ok("text"));
    assert_eq!(project.packs.descriptions(&project.files()).len(), 1);
    let project = Project::new("marquetry = 1\n[plugins.text]\nenabled = false\n");
    let (kind, message) = project.refusal();
    assert_eq!(kind, Kind::Unsupported);
    assert!(message.starts_with("no language pack handles `a.txt`"), "{message}");
    assert!(message.contains("`marq plugin list` shows the packs"), "{message}");
}

#[test]
fn changed_registry_applies_from_the_next_call() {
    let project = Project::new("");
    assert_eq!(project.takes("a.x").as_deref(), Ok("text"));
    project.write("registry.toml", "marquetry = 1\n[plugins.hostile]\nfiles = [\"*.x\"]\n");
    assert_eq!(project.takes("a.x").as_deref(), Ok("hostile"));
    fs::remove_file(project.folder.path().join("root/registry.toml")).expect("removed");
    assert_eq!(project.takes("a.x").as_deref(), Ok("text"));
}

#[test]
fn registry_of_another_program_is_ignored() {
    let project = Project::new("[registries]\nmine = { index = \"https://example.com\" }\n");
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"));
}

#[test]
fn invalid_registry_is_reported_with_its_line() {
    for (registry, message) in [
        ("marquetry = 1\n[plugins.text]\nlimits = 3\n", "registry.toml: invalid type: integer `3`"),
        ("marquetry = 1\n[plugins.text\n", "registry.toml: "),
        ("marquetry = 2\n", "registry.toml: format 2 is not supported"),
        ("marquetry = 1\n[plugins.text]\nsource = \"web\"\n", "registry.toml: plugin `text`: `web` is not a source"),
    ] {
        let project = Project::new(registry);
        let (kind, actual) = project.refusal();
        assert_eq!(kind, Kind::InvalidArgument, "{actual}");
        assert!(actual.starts_with(message), "{actual}");
        assert!(project.packs.plugins(&project.files()).is_empty());
        assert!(project.packs.descriptions(&project.files()).is_empty());
    }
}

#[test]
fn embedded_languages_select_packs_by_name_or_extension() {
    let project = Project::new("marquetry = 1\n[plugins.hostile]\nfiles = [\"*.hst\"]\n");
    for (language, id) in [("hostile", "hostile"), ("HOSTILE", "hostile"), ("hst", "hostile"), ("anything", "text")] {
        assert_eq!(project.speaks(language).as_deref(), Ok(id), "{language}");
    }
    let project = Project::new("marquetry = 1\n[plugins.text]\nenabled = false\n");
    assert_eq!(project.speaks("anything").expect_err("none").kind(), Kind::Unsupported);
}

#[test]
fn plugins_are_listed_with_state() {
    let project = Project::new("marquetry = 1\n[plugins.gone]\nsource = \"path:gone.wasm\"\nfiles = [\"*.gone\"]\n");
    let text = project.plugin("text");
    assert_eq!(
        (text.version.as_deref(), text.source.as_str(), text.state.as_str()),
        (Some("0.1.0"), "bundled", "ready")
    );
    assert_eq!(text.files, ["*"]);
    assert!(text.interfaces.is_empty() && text.grants.is_empty());
    assert_eq!(text.digest.map(|digest| digest.len()), Some(64));
    let gone = project.plugin("gone");
    assert_eq!((gone.version, gone.digest, gone.files), (None, None, vec!["*.gone".to_owned()]));
    assert!(gone.state.starts_with("failed: plugin `gone`: there is no file "), "{}", gone.state);
    // A broken plugin does not hide the others.
    assert_eq!(project.takes("a.hostile").as_deref(), Ok("hostile"));
}

#[test]
fn lock_is_enforced_and_mismatches_are_reported() {
    let project = Project::new(OWN);
    project.write_bytes("own.wasm", &hostile());
    let lock = project.packs.lock_text(&project.files()).expect("a lock");
    assert!(lock.starts_with("marquetry = 1\n") && lock.contains("[plugins.hostile]"), "{lock}");
    project.write("registry.lock", &lock);
    assert_eq!(project.takes("a.own").as_deref(), Ok("hostile"));
    let digest = project.plugin("hostile").digest.expect("a digest");
    project.write("registry.lock", &lock.replace(&digest, &"0".repeat(64)));
    let state = project.plugin("hostile").state;
    assert!(state.starts_with("failed: plugin `hostile` does not match registry.lock: its sha256 is "), "{state}");
    assert!(state.contains("run `marq plugin lock`"), "{state}");
    let again = project.packs.lock_text(&project.files()).expect("a lock for the current plugins");
    assert_eq!(again, lock);
}

#[test]
fn bundled_plugins_run_regardless_of_the_lock() {
    let project = Project::new(OWN);
    project.write_bytes("own.wasm", &hostile());
    assert_eq!(project.packs.has_own_plugins(&project.files()), Ok(true));
    let lock = project.packs.lock_text(&project.files()).expect("a lock");
    assert_eq!(lock.matches("sha256 = ").count(), 1, "{lock}");
    // An entry for a bundled plugin, written by another version of the program.
    let other = "[plugins.text]\nversion = \"0.0.1\"\nsource = \"bundled\"\nsha256 = \"00\"\n";
    project.write("registry.lock", &format!("{lock}{other}"));
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"));
    assert_eq!(project.takes("a.own").as_deref(), Ok("hostile"));
    project.write("registry.toml", "marquetry = 1\n");
    assert_eq!(project.packs.has_own_plugins(&project.files()), Ok(false));
    assert_eq!(project.packs.lock_text(&project.files()).as_deref(), Ok("marquetry = 1\n\n[plugins]\n"));
}

/// Returns the compiled code in a cache folder.
fn code(folder: &TempDir) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path().join("cache")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "cwasm")).collect();
    paths.sort();
    paths
}

#[test]
fn new_process_uses_cached_code() {
    let project = Project::new("marquetry = 1\n[plugins.hostile]\nenabled = false\n");
    let cache = project.folder.path().join("cache");
    let use_it = || {
        let packs = packs(cache.clone());
        let pack = packs.for_path(&project.files(), "a.txt").expect("a pack");
        pack.open("a.txt", &Arc::from("one\n")).expect("opened").diagnostics().expect("answered")
    };
    use_it();
    let paths = code(&project.folder);
    let [path] = paths.as_slice() else { panic!("one compiled pack: {paths:?}") };
    let before = fs::metadata(path).expect("there").modified().expect("a time");
    use_it();
    assert_eq!(fs::metadata(path).expect("there").modified().expect("a time"), before);
}

#[test]
fn damaged_compiled_code_is_compiled_again() {
    let project = Project::new("marquetry = 1\n[plugins.hostile]\nenabled = false\n");
    let cache = project.folder.path().join("cache");
    let use_it = || {
        let packs = packs(cache.clone());
        let pack = packs.for_path(&project.files(), "a.txt").expect("a pack");
        pack.open("a.txt", &Arc::from("one\n")).expect("opened").outline().expect("answered").len()
    };
    assert_eq!(use_it(), 0);
    let path = code(&project.folder).remove(0);
    let whole = fs::metadata(&path).expect("there").len();
    fs::write(&path, b"no code").expect("written");
    assert_eq!(use_it(), 0);
    assert_eq!(fs::metadata(&path).expect("there").len(), whole);
}

#[cfg(unix)]
#[test]
fn cache_writable_by_others_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new("marquetry = 1\n[plugins.hostile]\nenabled = false\n");
    let cache = project.folder.path().join("cache");
    fs::create_dir(&cache).expect("made");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).expect("opened to all");
    for _ in 0..2 {
        let packs = packs(cache.clone());
        let pack = packs.for_path(&project.files(), "a.txt").expect("a pack");
        assert!(pack.open("a.txt", &Arc::from("x")).expect("opened").diagnostics().expect("answered").is_empty());
    }
}

/// A plugin of the project that replaces a bundled one.
const OWN: &str = "marquetry = 1\n[plugins.hostile]\nsource = \"path:own.wasm\"\nfiles = [\"*.own\"]\n";

fn hostile() -> Vec<u8> {
    fs::read(components().join("marquetry_hostile.wasm")).expect("the packs are built")
}

/// A plugin with the same behavior and other bytes: an empty custom section is appended.
fn other_bytes() -> Vec<u8> {
    [hostile(), vec![0, 2, 1, b'x']].concat()
}

/// A project with its own plugin, without approval.
fn untrusted(trust: impl Fn(PathBuf) -> TrustPolicy) -> Project {
    let mut project = Project::new(OWN);
    project.write_bytes("own.wasm", &hostile());
    let cache = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache");
    project.packs = trusting(trust(project.folder.path().join("words")), cache);
    project
}

#[test]
fn project_plugin_needs_approval() {
    let project = untrusted(TrustPolicy::Allowed);
    let error = project.takes("a.own").expect_err("withheld");
    assert_eq!(error.kind(), Kind::PermissionDenied);
    assert!(error.to_string().contains("marq trust --allow"), "{error}");
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"), "the other plugins must work without approval");
    assert!(project.plugin("hostile").state.contains("not approved"), "{}", project.plugin("hostile").state);
    let demands = project.packs.requested_permissions(&project.files()).expect("requested permissions");
    let asked: Vec<&str> = demands.list.iter().map(|demand| demand.what.as_str()).collect();
    assert_eq!((demands.approval, asked), (Approval::Unasked, vec!["runs own.wasm", "gives it the files *.own"]));

    let word = project.packs.set_approval(&project.files(), true).expect("approved").approval;
    assert_eq!(word, Approval::Allowed);
    assert_eq!(project.takes("a.own").as_deref(), Ok("hostile"));
    // Other bytes need another approval.
    project.write_bytes("own.wasm", &other_bytes());
    assert_eq!(project.takes("a.own").expect_err("withheld").kind(), Kind::PermissionDenied);
    project.packs.set_approval(&project.files(), true).expect("approved");
    assert_eq!(project.takes("a.own").as_deref(), Ok("hostile"));
    assert_eq!(
        project.packs.set_approval(&project.files(), false).expect("approval revoked").approval,
        Approval::Unasked
    );
    assert_eq!(project.takes("a.own").expect_err("withheld").kind(), Kind::PermissionDenied);
}

#[test]
fn no_trust_ignores_the_requests() {
    let project = untrusted(|_| TrustPolicy::Nothing);
    assert_eq!(project.takes("a.own").as_deref(), Ok("text"));
    assert_eq!(
        project.packs.requested_permissions(&project.files()).expect("requested permissions").approval,
        Approval::Refused
    );
    assert!(project.packs.set_approval(&project.files(), true).is_err());
}

#[test]
fn plugin_replacing_a_bundled_one_needs_approval() {
    let project = untrusted(TrustPolicy::Allowed);
    project.write("registry.toml", "marquetry = 1\n[plugins.hostile]\nsource = \"path:own.wasm\"\n");
    let error = project.takes("a.hostile").expect_err("withheld");
    assert_eq!(error.kind(), Kind::PermissionDenied);
    // The files of the withheld plugin are unknown.
    assert_eq!(
        project.takes("a.txt").expect_err("the withheld plugin may handle this file").kind(),
        Kind::PermissionDenied
    );
}

#[test]
fn registry_that_is_a_pipe_is_ignored() {
    let project = Project::new("");
    let root = project.folder.path().join("root");
    let made = std::process::Command::new("mkfifo").arg(root.join("registry.toml")).status().expect("mkfifo");
    assert!(made.success());
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"));
    fs::remove_file(root.join("registry.toml")).expect("removed");
    fs::create_dir(root.join("registry.toml")).expect("made");
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"));
    fs::remove_dir(root.join("registry.toml")).expect("removed");
    fs::write(root.join("registry.toml"), "").expect("written");
    project.write("own.txt", "");
    fs::remove_file(root.join("registry.toml")).expect("removed");
    project.write("registry.toml", "marquetry = 1\n[plugins.own]\nsource = \"path:/dev/zero\"\nfiles = [\"*.own\"]\n");
    assert!(project.takes("a.own").expect_err("no plugin").to_string().contains("there is no file /dev/zero"));
}

#[test]
fn registry_or_lock_linked_from_outside_is_not_read() {
    for name in ["registry.toml", "registry.lock"] {
        let project = Project::new("");
        let (root, outside) = (project.folder.path().join("root"), project.folder.path().join("outside"));
        let _ = fs::remove_file(root.join(name));
        for target in ["/etc/passwd", "/dev/zero", outside.to_str().expect("text"), "../outside"] {
            fs::write(&outside, "marquetry = 1\nsecret = \"word\"\n").expect("written");
            std::os::unix::fs::symlink(target, root.join(name)).expect("linked");
            let error = project.takes("a.txt").expect_err("refused");
            assert_eq!(error.kind(), Kind::OutsideWorkspace, "{name} {target}: {error}");
            assert!(!error.to_string().contains("word") && error.to_string().contains(name), "{error}");
            fs::remove_file(root.join(name)).expect("removed");
        }
        // A broken link counts as missing, and a link to a file in the project is followed.
        std::os::unix::fs::symlink("/none", root.join(name)).expect("linked");
        assert_eq!(project.takes("a.txt").as_deref(), Ok("text"));
        fs::remove_file(root.join(name)).expect("removed");
        project.write("kept.toml", "marquetry = 2\n");
        std::os::unix::fs::symlink("kept.toml", root.join(name)).expect("linked");
        assert!(project.takes("a.txt").expect_err("the file must be read").to_string().contains("format 2"), "{name}");
    }
}

#[test]
fn changed_plugin_is_not_replaced_silently() {
    let project = Project::new(OWN);
    project.write_bytes("own.wasm", &hostile());
    let lock = project.packs.lock_text(&project.files()).expect("a lock");
    let digest = project.plugin("hostile").digest.expect("a digest");
    project.write("registry.lock", &lock.replace(&digest, &"0".repeat(64)));
    let error = project.takes("a.own").expect_err("refused");
    assert!(error.to_string().contains("does not match registry.lock"), "{error}");
}

#[test]
fn lock_of_a_copied_project_applies_to_its_own_files() {
    let original = Project::new(OWN);
    original.write_bytes("own.wasm", &hostile());
    let lock = original.packs.lock_text(&original.files()).expect("a lock");
    assert!(lock.contains("source = \"path:own.wasm\""), "{lock}");
    let copy = Project::new(OWN);
    copy.write("registry.lock", &lock);
    copy.write_bytes("own.wasm", &hostile());
    assert_eq!(copy.takes("a.own").as_deref(), Ok("hostile"));
    copy.write_bytes("own.wasm", &other_bytes());
    let error = copy.takes("a.own").expect_err("other bytes");
    assert!(error.to_string().contains("does not match registry.lock"), "{error}");
}

#[test]
fn unlocked_plugins_do_not_run() {
    let project = Project::new("");
    let lock = project.packs.lock_text(&project.files()).expect("an empty lock");
    project.write("registry.toml", OWN);
    project.write_bytes("own.wasm", &hostile());
    project.write("registry.lock", &lock);
    let error = project.takes("a.own").expect_err("not locked");
    assert_eq!(error.kind(), Kind::PermissionDenied);
    assert!(error.to_string().contains("plugin `hostile` is not in registry.lock"), "{error}");
    assert!(error.to_string().contains("`marq plugin lock`"), "{error}");
    assert_eq!(project.takes("a.txt").as_deref(), Ok("text"), "a bundled plugin needs no lock");
    // A local file does not match a lock entry from elsewhere.
    let lock = project.packs.lock_text(&project.files()).expect("a lock");
    assert!(lock.contains("path:own.wasm"), "{lock}");
    project.write("registry.lock", &lock.replace("path:own.wasm", "path:other.wasm"));
    let error = project.takes("a.own").expect_err("from elsewhere");
    let message =
        "registry.lock has plugin `hostile` from `path:other.wasm`, but the registry has it from `path:own.wasm`";
    assert_eq!(error.content().message, message);
}

#[test]
fn plugin_with_another_id_is_refused() {
    let project = Project::new("marquetry = 1\n[plugins.other]\nsource = \"path:own.wasm\"\nfiles = [\"*.own\"]\n");
    project.write_bytes("own.wasm", &hostile());
    let error = project.takes("a.own").expect_err("another name");
    assert_eq!(error.content().message, "plugin `other` reports the name `hostile`");
    assert_eq!(error.content().candidates, ["hostile"]);
}

#[test]
fn editor_addresses_of_a_project_need_approval() {
    let mut project = Project::new("");
    let (words, cache) = (project.folder.path().join("words"), project.folder.path().join("cache"));
    let default_registry =
        format!("{DEFAULT}[editors.neovim]\nchannels = [\"socket\"]\naddresses = [\"$NVIM\"]\n[editors.gone]\n");
    let (bundled, trust) = (vec![components()], TrustPolicy::Allowed(words));
    project.packs = PackSet::new(Options { default_registry, bundled, cache: Some(cache), trust });
    let addresses = || {
        let all = project.packs.for_project(&project.files()).expect("a registry");
        let all =
            all.iter().map(|editor| format!("{} {:?} {:?}", editor.name(), editor.channels(), editor.addresses()));
        all.collect::<Vec<_>>().join("; ")
    };
    let usual = r#"neovim ["socket"] Some(["$NVIM"])"#;
    assert_eq!(addresses(), usual, "an integration that is not installed must be ignored");
    project.write(
        "registry.toml",
        "marquetry = 1\n[editors.neovim]\nchannels = [\"socket\", \"program\"]\naddresses = [\"/s\"]\nsettings = { x = 1 }\n",
    );
    assert_eq!(addresses(), usual);
    let demands = project.packs.requested_permissions(&project.files()).expect("requested permissions");
    let asked: Vec<String> = demands.list.iter().map(|demand| format!("{}: {}", demand.plugin, demand.what)).collect();
    assert_eq!(asked, ["editors.neovim: grants socket, program", "editors.neovim: reaches editors at /s"]);
    project.packs.set_approval(&project.files(), true).expect("approved");
    assert_eq!(addresses(), r#"neovim ["socket", "program"] Some(["/s"])"#);
    project.write("registry.toml", "marquetry = 1\n[editors.neovim]\nenabled = false\n");
    assert_eq!(addresses(), "", "a project can disable the integrations");
}

const SERVERS: &str = "[servers.s]\nfound-as = [[\"bin/s\", \"--stdio\"], [\"bin/t\"]]\nfiles = [\"*.s\"]\n[servers.z]\nfound-as = [[\"bin/z\"]]\nfiles = [\"*.z\"]\n";

/// A project whose default registry has servers, with programs in `bin`.
fn with_servers(trust: impl Fn(PathBuf) -> TrustPolicy, programs: &[&str]) -> Project {
    let mut project = Project::new("");
    let trust = trust(project.folder.path().join("words"));
    let default_registry = format!("{DEFAULT}{SERVERS}");
    project.packs = PackSet::new(Options { default_registry, bundled: vec![components()], cache: None, trust });
    fs::create_dir(project.folder.path().join("root/bin")).expect("made");
    programs.iter().for_each(|program| project.write(&format!("bin/{program}"), program));
    project
}

impl Project {
    /// Returns the servers of the project as `NAME COMMAND`, with `waits` if approval is pending.
    fn servers(&self) -> Vec<String> {
        let shown = |server: &RequestedServer| {
            let state = if server.refusal.is_some() { " waits" } else { "" };
            format!("{} {}{state}", server.id, server.command.join(" "))
        };
        self.packs.servers(&self.files()).expect("a registry").iter().map(shown).collect()
    }

    fn allow(&self) {
        self.packs.set_approval(&self.files(), true).expect("approved");
    }
}

#[test]
fn first_installed_command_of_a_server_is_offered() {
    assert!(with_servers(TrustPolicy::Allowed, &[]).servers().is_empty());
    assert_eq!(with_servers(TrustPolicy::Allowed, &["s", "t"]).servers(), ["s bin/s --stdio waits"]);
    assert_eq!(with_servers(TrustPolicy::Allowed, &["t", "z"]).servers(), ["s bin/t waits", "z bin/z waits"]);
    let project = with_servers(TrustPolicy::Allowed, &["t"]);
    assert_eq!(project.servers(), ["s bin/t waits"]);
    project.write("bin/s", "s");
    assert_eq!(project.servers(), ["s bin/s --stdio waits"], "a server that is installed later must be found");
    fs::create_dir(project.folder.path().join("root/bin/z")).expect("made");
    assert_eq!(project.servers(), ["s bin/s --stdio waits"], "a folder is not a program");
}

#[test]
fn installed_server_is_found_up_to_the_repository_top() {
    let project = with_servers(TrustPolicy::Allowed, &[]);
    let above = project.folder.path().join("bin");
    fs::create_dir(&above).expect("made");
    fs::write(above.join("s"), "above").expect("written");
    assert!(project.servers().is_empty(), "outside of a repository, the parent folder must not be searched");
    fs::create_dir(project.folder.path().join(".git")).expect("made");
    project.write("bin/t", "t");
    assert_eq!(project.servers(), ["s bin/t waits"], "the nearest folder must be searched first");
    fs::remove_file(project.folder.path().join("root/bin/t")).expect("removed");
    assert_eq!(project.servers(), ["s ../bin/s --stdio waits"]);
    project.allow();
    assert_eq!(project.servers(), ["s ../bin/s --stdio"]);
    fs::write(above.join("s"), "other bytes").expect("written");
    assert_eq!(project.servers(), ["s ../bin/s --stdio waits"]);
}

#[test]
fn installed_server_needs_approval() {
    let project = with_servers(TrustPolicy::Allowed, &["s"]);
    let server = project.packs.servers(&project.files()).expect("a registry").remove(0);
    let error = server.refusal.expect("withheld");
    assert_eq!(error.content().message, "the project has `bin/s` installed, and starting it is not approved");
    assert!(error.to_string().contains("`marq trust --allow`"), "{error}");
    let offer = project
        .packs
        .requested_permissions(&project.files())
        .expect("requested permissions")
        .installed_servers
        .remove(0);
    assert_eq!(
        offer.permission.what,
        "starts `bin/s --stdio` for *.s (at most 2048 MiB, 30 s a call), installed in the project"
    );
    assert_eq!(
        project.packs.approval_state(&project.files()).as_deref(),
        Some("trusted"),
        "an installed server must not count as a request of the project"
    );
    project.allow();
    assert_eq!(project.servers(), ["s bin/s --stdio"]);
    project.write("bin/s", "other bytes");
    assert_eq!(project.servers(), ["s bin/s --stdio waits"]);
    project.write("bin/s", "s");
    assert_eq!(project.servers(), ["s bin/s --stdio"]);
    project.write("bin/z", "z");
    assert_eq!(project.servers(), ["s bin/s --stdio", "z bin/z waits"], "each server is approved separately");
    project.write("registry.toml", "marquetry = 1\n[servers.s]\nsettings = { a = 1 }\n[servers.z]\nenabled = false\n");
    assert_eq!(project.servers(), ["s bin/s --stdio waits"], "other settings must need another approval");
    project.packs.set_approval(&project.files(), false).expect("approval revoked");
    fs::remove_file(project.folder.path().join("root/registry.toml")).expect("removed");
    assert_eq!(project.servers(), ["s bin/s --stdio waits", "z bin/z waits"]);
    assert_eq!(with_servers(|_| TrustPolicy::Everything, &["s"]).servers(), ["s bin/s --stdio"]);
    assert!(with_servers(|_| TrustPolicy::Nothing, &["s"]).servers().is_empty());
}

#[test]
fn configured_server_replaces_the_installed_one() {
    let project = with_servers(TrustPolicy::Allowed, &["s", "z"]);
    let named = "marquetry = 1\n[servers.s]\ncommand = [\"other\"]\n";
    project.write("registry.toml", named);
    assert_eq!(project.servers(), ["s other waits", "z bin/z waits"]);
    assert_eq!(project.packs.approval_state(&project.files()).as_deref(), Some("unasked"));
    project.allow();
    assert_eq!(project.servers(), ["s other", "z bin/z"]);
    // Installing a server does not revoke other approvals.
    fs::remove_file(project.folder.path().join("root/bin/z")).expect("removed");
    project.allow();
    project.write("bin/z", "z");
    assert_eq!(project.servers(), ["s other", "z bin/z waits"]);
    for program in ["/bin/s", "", "..", "c:s", "bin/../../s"] {
        let registry = format!("marquetry = 1\n[servers.s]\nfound-as = [[\"{program}\"]]\n");
        project.write("registry.toml", &registry);
        let error = project.packs.servers(&project.files()).map(drop).expect_err("refused");
        let wanted =
            format!("registry.toml: server `s`: `{program}` is neither a program below the root nor a name on `PATH`");
        assert_eq!(error.content().message, wanted);
    }
}

const SERVERS_ON_PATH: &str = "[servers.s]\nfound-as = [[\"s\", \"--stdio\"], [\"bin/s\", \"--own\"]]\nfiles = [\"*.s\"]\n[servers.z]\nfound-as = [[\"z\"]]\nfiles = [\"*.z\"]\n";

/// A project whose default registry has servers that are searched on `PATH`, which is `usr`, a relative folder, and `bin`
/// of the root.
fn with_path(trust: impl Fn(PathBuf) -> TrustPolicy, programs: &[&str]) -> Project {
    let mut project = Project::new("");
    let folder = project.folder.path();
    let (usr, own) = (folder.join("usr"), folder.join("root/bin"));
    fs::create_dir(&usr).expect("made");
    fs::create_dir(&own).expect("made");
    let default_registry = format!("{DEFAULT}{SERVERS_ON_PATH}");
    let trust = trust(folder.join("words"));
    let options = Options { default_registry, bundled: vec![components()], cache: None, trust };
    project.packs = PackSet::new(options).with_program_folders(vec!["bin".into(), own, usr.clone(), usr]);
    programs.iter().for_each(|program| project.install(program, program));
    project
}

impl Project {
    /// Writes a program that may be started to a folder beside the root.
    fn install(&self, program: &str, text: &str) {
        let path = self.folder.path().join(program);
        fs::write(&path, text).expect("written");
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made executable");
    }

    /// Returns the servers of the project, with `$FOLDER` for the folder above the root.
    fn servers_on_path(&self) -> Vec<String> {
        let folder = self.folder.path().display().to_string();
        self.servers().iter().map(|server| server.replace(&folder, "$FOLDER")).collect()
    }

    fn change_approval(&self, allow: bool, names: &[&str]) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let change = ApprovalChange { allow, names: &names };
        self.packs.change_approval(&self.files(), change).expect("changed");
    }

    /// All servers of the registry: `NAME STATE COMMAND (NAMES)`.
    fn known_servers(&self) -> Vec<String> {
        let folder = self.folder.path().display().to_string();
        let shown = |server: KnownServer| {
            let command = server.command.join(" ").replace(&folder, "$FOLDER");
            format!("{} {:?} {command} ({})", server.id, server.state, server.searched.join(" "))
        };
        self.packs.known_servers(&self.files()).expect("a registry").into_iter().map(shown).collect()
    }
}

#[test]
fn server_on_path_is_offered_by_its_absolute_path() {
    assert!(with_path(TrustPolicy::Allowed, &[]).servers().is_empty());
    let project = with_path(TrustPolicy::Allowed, &["usr/s"]);
    assert_eq!(project.servers_on_path(), ["s $FOLDER/usr/s --stdio waits"]);
    let server = project.packs.servers(&project.files()).expect("a registry").remove(0);
    assert!(server.is_on_path());
    let error = server.refusal.expect("withheld").to_string();
    assert!(error.contains("`marq trust --allow servers.s`"), "{error}");
    project.install("usr/z", "z");
    assert_eq!(project.servers_on_path().len(), 2, "a program that is installed later must be found");
    fs::remove_file(project.folder.path().join("usr/s")).expect("removed");
    assert_eq!(project.servers_on_path(), ["z $FOLDER/usr/z waits"]);
}

#[test]
fn program_of_the_project_is_preferred_to_one_on_path() {
    let project = with_path(TrustPolicy::Allowed, &["usr/s", "root/bin/s"]);
    assert_eq!(project.servers_on_path(), ["s bin/s --own waits"]);
    let project = with_path(TrustPolicy::Allowed, &["root/bin/z"]);
    assert!(project.servers().is_empty(), "a folder of the project on `PATH` must not be searched by name");
}

#[cfg(unix)]
#[test]
fn only_executable_programs_outside_of_the_root_are_offered() {
    let project = with_path(TrustPolicy::Allowed, &["root/hidden"]);
    let usr = project.folder.path().join("usr");
    std::os::unix::fs::symlink(project.folder.path().join("root/hidden"), usr.join("s")).expect("linked");
    assert!(project.servers().is_empty(), "a link into the project must not be offered");
    fs::write(usr.join("z"), "not executable").expect("written");
    assert!(project.servers().is_empty());
    fs::remove_file(usr.join("z")).expect("removed");
    fs::create_dir(usr.join("z")).expect("made");
    assert!(project.servers().is_empty(), "a folder is not a program");
}

#[test]
fn server_on_path_is_approved_by_name_only() {
    let project = with_path(TrustPolicy::Allowed, &["usr/s", "usr/z"]);
    project.allow();
    assert_eq!(project.servers_on_path(), ["s $FOLDER/usr/s --stdio waits", "z $FOLDER/usr/z waits"]);
    project.change_approval(true, &["servers.s"]);
    let allowed = ["s $FOLDER/usr/s --stdio", "z $FOLDER/usr/z waits"];
    assert_eq!(project.servers_on_path(), allowed);
    project.allow();
    assert_eq!(project.servers_on_path(), allowed, "approving the requests of the project must keep other approvals");
    project.install("usr/s", "an update");
    assert_eq!(project.servers_on_path(), allowed, "an update of the system must need no approval");
    project.write("registry.toml", "marquetry = 1\n[servers.s]\nsettings = { a = 1 }\n");
    assert_eq!(project.servers_on_path()[0], "s $FOLDER/usr/s --stdio waits", "other settings need another approval");
    fs::remove_file(project.folder.path().join("root/registry.toml")).expect("removed");
    project.change_approval(false, &[]);
    assert_eq!(project.servers_on_path()[0], "s $FOLDER/usr/s --stdio waits");
    assert_eq!(with_path(|_| TrustPolicy::Everything, &["usr/z"]).servers_on_path(), ["z $FOLDER/usr/z"]);
    assert!(with_path(|_| TrustPolicy::Nothing, &["usr/z"]).servers().is_empty());
}

#[test]
fn known_servers_have_program_and_state() {
    let project = with_path(TrustPolicy::Allowed, &["usr/s"]);
    assert_eq!(project.known_servers(), ["s Unapproved $FOLDER/usr/s --stdio (s bin/s)", "z Missing  (z)"]);
    project.change_approval(true, &["servers.s"]);
    assert_eq!(project.known_servers()[0], "s Approved $FOLDER/usr/s --stdio (s bin/s)");
    let named = "marquetry = 1\n[servers.s]\ncommand = [\"gone\"]\n[servers.z]\ncommand = [\"bin/z\"]\n";
    project.write("registry.toml", named);
    assert_eq!(project.known_servers(), ["s Missing  (gone)", "z Missing  (bin/z)"]);
    project.install("root/bin/z", "z");
    project.install("usr/gone", "found");
    assert_eq!(project.known_servers(), ["s Unapproved gone ()", "z Unapproved bin/z ()"]);
    project.allow();
    assert_eq!(project.known_servers(), ["s Approved gone ()", "z Approved bin/z ()"]);
    project.write("registry.toml", "marquetry = 1\n[servers.s]\nenabled = false\n");
    assert_eq!(project.known_servers(), ["z Missing  (z)"]);
    let refused = with_path(|_| TrustPolicy::Nothing, &["usr/z"]);
    assert_eq!(refused.known_servers()[1], "z Refused $FOLDER/usr/z (z)");
}
