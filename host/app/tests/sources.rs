//! Plugins from OCI registries, URLs and folders: they are published, added, updated, used without a network, and
//! tampered with at every stage. A plugin whose bytes do not match the digest in `registry.lock` is not loaded.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::Project;
use crate::registry::Registry;
use marquetry_runtime::digest;
use minisign::KeyPair;

/// Two versions of a pack that differ only in the version.
const VERSIONS: [&str; 2] = ["0.1.0", "0.1.1"];

/// Returns the built component with its version replaced by `version`.
fn component(version: &str) -> Vec<u8> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/release");
    let mut bytes = fs::read(built.join("marquetry_properties.wasm")).expect("the packs are built");
    // Replaces the version in the description, but not that of the contract, which follows an `@`.
    let written = VERSIONS[0].as_bytes();
    let is_said = |at: &usize| bytes[*at..].starts_with(written) && bytes[at - 1] != b'@';
    let places: Vec<usize> = (1..bytes.len() - written.len()).filter(is_said).collect();
    for at in places {
        bytes[at..at + written.len()].copy_from_slice(version.as_bytes());
    }
    bytes
}

/// An author and user of packs.
struct Person {
    project: Project,
    registry: Registry,
}

impl Person {
    fn new() -> Person {
        let person = Person { project: Project::new(0), registry: Registry::start() };
        for version in VERSIONS {
            fs::create_dir_all(person.path("packs")).expect("made");
            fs::write(person.path(&format!("packs/{version}.wasm")), component(version)).expect("written");
        }
        person.project.write("a.properties", "name = value\n");
        person
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.root().join(name)
    }

    fn source(&self) -> String {
        self.registry.source("me/properties")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        command.env("DOCKER_CONFIG", self.path("docker"));
        // Disables the bundled packs, so that none handles the format.
        command.env("MARQ_PLUGINS", self.path("none"));
        command
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.command(arguments).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    }

    #[track_caller]
    fn stdout_of(&self, arguments: &[&str]) -> String {
        let (well, output) = self.run(arguments);
        assert!(well, "{arguments:?}: {output}");
        output
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str], wanted: &str) {
        let (well, output) = self.run(arguments);
        assert!(!well, "{arguments:?}: {output}");
        assert!(output.contains(wanted), "{arguments:?}: {output}");
    }

    fn publish(&self, version: &str) -> String {
        self.stdout_of(&["plugin", "publish", &format!("packs/{version}.wasm"), &self.source()])
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("there")
    }

    /// Calls a tool that needs the plugin.
    #[track_caller]
    fn works(&self) {
        assert_eq!(self.stdout_of(&["read", "a.properties", "name"]).trim(), "value");
    }

    #[track_caller]
    fn fails(&self, wanted: &str) {
        self.refused(&["read", "a.properties", "name"], wanted);
    }

    fn trust(&self) {
        self.stdout_of(&["trust", "--allow"]);
    }

    /// Returns the user's store of plugins.
    fn store(&self) -> PathBuf {
        self.project.root().with_file_name("state").join("plugins")
    }

    fn sign(&self, version: &str, keys: &KeyPair) -> String {
        let signed =
            minisign::sign(Some(&keys.pk), &keys.sk, &component(version)[..], Some("a"), None).expect("signed");
        let text = signed.into_string();
        fs::write(self.path(&format!("packs/{version}.wasm.minisig")), &text).expect("written");
        text
    }
}

fn keys() -> (KeyPair, String) {
    let keys = KeyPair::generate_unencrypted_keypair().expect("keys");
    let public = keys.pk.to_base64();
    (keys, public)
}

#[test]
fn published_pack_is_added_updated_and_used_offline() {
    let mut person = Person::new();
    let out = person.publish("0.1.0");
    assert!(out.starts_with("published `properties` 0.1.0, sha256 ") && out.contains("without a signature"), "{out}");
    assert!(out.contains(&format!("marq plugin add {}", person.source())), "{out}");
    // The layout is that of wasm artifacts, which other tools read.
    let manifest = person.registry.manifest("me/properties", "0.1.0");
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    assert_eq!(manifest["layers"].as_array().map(Vec::len), Some(1));

    let out = person.stdout_of(&["plugin", "add", &person.source()]);
    assert!(out.contains("added `properties` 0.1.0") && out.contains("wrote registry.lock"), "{out}");
    let entry = format!("[plugins.properties]\nsource = \"{}\"\nversion = \"^0.1\"\n", person.source());
    assert!(person.text("registry.toml").ends_with(&entry), "{}", person.text("registry.toml"));
    let sha256 = digest(&component("0.1.0"));
    let lock = person.text("registry.lock");
    assert!(lock.contains(&format!("sha256 = \"{sha256}\"\nmanifest = \"sha256:")), "{lock}");
    person.fails("runs oci:127.0.0.1:");
    person.trust();
    person.works();
    let kept = fs::metadata(person.store()).expect("a store");
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&kept.permissions()) & 0o777, 0o700);

    // A newer version is used only after an explicit update, and needs approval again.
    person.publish("0.1.1");
    person.works();
    let out = person.stdout_of(&["plugin", "update", "properties"]);
    assert!(out.contains("`properties` is 0.1.1, was 0.1.0, sha256 "), "{out}");
    person.fails("which is not approved");
    person.trust();
    person.works();
    assert!(person.stdout_of(&["plugin", "list"]).contains("properties 0.1.1 oci:"));

    // Reading makes no requests.
    person.registry.state().asked.clear();
    person.works();
    person.stdout_of(&["plugin", "list"]);
    assert_eq!(person.registry.state().asked, Vec::<String>::new());

    // Without a network, downloaded plugins still work, and commands that need the network report that the source
    // cannot be reached.
    let source = person.source();
    person.registry = Registry::start();
    person.works();
    person.refused(&["plugin", "update"], &format!("{source} cannot be reached"));
    person.works();
    person.stdout_of(&["plugin", "update", "--locked"]);
    person.stdout_of(&["plugin", "remove", "properties"]);
    assert!(!person.path("registry.lock").exists(), "registry.lock is removed with its last plugin");
}

#[test]
fn published_plugins_are_found_and_not_replaced() {
    let person = Person::new();
    person.publish("0.1.0");
    assert!(person.publish("0.1.0").contains("was already published"));
    let mut other = component("0.1.0");
    other.extend([0, 2, 1, b'x']);
    fs::write(person.path("packs/other.wasm"), other).expect("written");
    person.refused(&["plugin", "publish", "packs/other.wasm", &person.source()], "already exists with other bytes");
    person
        .refused(&["plugin", "publish", "packs/0.1.0.wasm", &format!("{}:1", person.source())], " is not the version ");
    person.refused(&["plugin", "publish", "packs/0.1.0.wasm", "https://x.org/a.wasm"], "cannot publish to");
    person.publish("0.1.1");
    // A container image is not a plugin.
    let image = serde_json::json!({ "schemaVersion": 2, "config": { "mediaType": "x", "digest": "", "size": 0 }, "layers": [] });
    person.registry.replace("me/properties-image", "1.0.0", &image);
    let place = format!("oci:{}", person.registry.address);
    let out = person.stdout_of(&["plugin", "search", "PROPER", &place]);
    assert_eq!(out, format!("{} 0.1.1  Key-value\n", person.source()));
    assert_eq!(person.stdout_of(&["plugin", "search", "none", &format!("{place}/me")]), "no plugins found\n");
    person.registry.state().has_no_catalog = true;
    person.refused(&["plugin", "search", "x", &place], "does not list its repositories");
    person.refused(&["plugin", "add", &format!("{}-image:1.0.0", person.source())], "is not a WebAssembly artifact");
    person.refused(&["plugin", "add", &format!("{}:2.0.0", person.source())], " does not exist");
    person.refused(&["plugin", "add", &person.source(), "--version", "^2"], "has no version that matches `^2`");
}

#[test]
fn tampered_downloads_are_refused() {
    let person = Person::new();
    person.publish("0.1.0");
    let layer = format!("sha256:{}", digest(&component("0.1.0")));
    let good = person.registry.manifest("me/properties", "0.1.0");

    // The layer's bytes do not match the manifest.
    person.registry.state().blobs.insert(layer.clone(), component("0.1.1"));
    person.refused(&["plugin", "add", &person.source()], "the registry returned other bytes than those requested");
    person.registry.state().blobs.insert(layer.clone(), component("0.1.0"));

    // The version of the tag differs from that of the plugin.
    person.registry.replace("me/properties", "0.1.5", &good);
    person.refused(&["plugin", "add", &person.source()], "lists version 0.1.5, but the plugin declares version 0.1.0");
    person.registry.state().manifests.remove(&("me/properties".to_owned(), "0.1.5".to_owned()));

    assert!(!person.path("registry.toml").exists() && !person.path("registry.lock").exists());
    person.stdout_of(&["plugin", "add", &person.source()]);
    person.trust();
    person.works();

    // Another user has the project without the plugin, and the registry has changed the tag.
    fs::remove_dir_all(person.store()).expect("removed");
    person.fails("`marq plugin update --locked` downloads what registry.lock pins");
    let mut other = good.clone();
    other["annotations"]["org.opencontainers.image.title"] = "Other".into();
    person.registry.replace("me/properties", "0.1.0", &other);
    person.stdout_of(&["plugin", "update", "--locked"]);
    person.works();

    // The locked manifest has other bytes.
    fs::remove_dir_all(person.store()).expect("removed");
    let lock = person.text("registry.lock");
    let manifest = lock.lines().find_map(|line| line.strip_prefix("manifest = \"")).expect("a manifest");
    let key = ("me/properties".to_owned(), manifest.trim_end_matches('"').to_owned());
    let bytes = person.registry.state().manifests.insert(key.clone(), serde_json::to_vec(&other).expect("JSON"));
    person.refused(&["plugin", "update", "--locked"], "the registry returned other bytes");
    person.registry.state().manifests.insert(key, bytes.expect("it was there"));
    person.stdout_of(&["plugin", "update", "--locked"]);
    person.works();

    // A file in the store with other bytes does not run.
    let kept = person.store().join(format!("{}.wasm", digest(&component("0.1.0"))));
    fs::write(&kept, component("0.1.1")).expect("written");
    person.fails("plugin `properties` does not match registry.lock");
    fs::write(&kept, b"none").expect("written");
    person.fails("is not WebAssembly");
    person.stdout_of(&["plugin", "update", "--locked"]);
    person.works();

    // The lock has other bytes, another source, or no entry.
    fs::write(person.store().join(format!("{}.wasm", digest(&component("0.1.1")))), component("0.1.1"))
        .expect("written");
    let change =
        |from: &str, to: &str| fs::write(person.path("registry.lock"), lock.replace(from, to)).expect("written");
    change(&digest(&component("0.1.0")), &digest(&component("0.1.1")));
    person.fails("which is not approved");
    change(&person.source(), "oci:x.org/other");
    person.fails("which is not approved");
    change("[plugins.properties]", "[plugins.other]");
    person.fails("which is not approved");
    fs::remove_file(person.path("registry.lock")).expect("removed");
    person.fails("which is not approved");
    // Trusting everything still requires the locked bytes.
    let trusting = |wanted: &str| person.refused(&["--trust", "read", "a.properties", "name"], wanted);
    trusting(" is not pinned by registry.lock");
    change("[plugins.properties]", "[plugins.other]");
    trusting("plugin `properties` is not in registry.lock");
    change(&person.source(), "oci:x.org/other");
    trusting("registry.lock has plugin `properties` from `oci:x.org/other`");
    change(&digest(&component("0.1.0")), &"0".repeat(64));
    trusting("is not on this machine");
    change("sha256 = ", "sha255 = ");
    trusting("registry.lock: ");
    change("", "");
    person.works();
}

#[test]
fn required_signatures_are_checked_on_every_load() {
    let person = Person::new();
    let ((mine, key), (theirs, other)) = (keys(), keys());
    let add =
        |key: &str| ["plugin", "add", &person.source(), "--signed-by", "me", "--minisign", key].map(str::to_owned);
    let refused = |key: &str, wanted: &str| {
        person.refused(&add(key).each_ref().map(String::as_str), wanted);
        assert!(!person.path("registry.toml").exists() && !person.store().exists());
    };
    person.publish("0.1.0");
    refused(&key, "has no signature, but the registry requires one of `me`");
    person.sign("0.1.0", &mine);
    assert!(person.publish("0.1.0").contains("with its signature"));
    refused(&other, "is not signed by `me`");
    refused("RWx", "signer `me`: not a minisign key");
    let out = person.stdout_of(&add(&key).each_ref().map(String::as_str));
    assert!(out.contains("it is signed by `me`"), "{out}");
    let text = person.text("registry.toml");
    assert!(
        text.contains("signed-by = \"me\"") && text.contains(&format!("[signers.me]\nminisign = \"{key}\"")),
        "{text}"
    );
    let asked = person.stdout_of(&["trust"]);
    assert!(asked.contains(&format!("signed by me ({key})")), "{asked}");
    person.trust();
    person.works();

    // A newer version signed by another key is rejected.
    person.sign("0.1.1", &theirs);
    person.publish("0.1.1");
    person.refused(&["plugin", "update"], "is not signed by `me`");
    person.works();

    // The signature in the lock is another one or missing, the signer has expired, or the key is different.
    let lock = person.text("registry.lock");
    let trusting = |wanted: &str| person.refused(&["--trust", "read", "a.properties", "name"], wanted);
    let begin = lock.find("signature = ").expect("a signature");
    // The signature is the last entry in the file.
    fs::write(person.path("registry.lock"), &lock[..begin]).expect("written");
    trusting("has no signature");
    fs::write(person.path("registry.lock"), &lock).expect("written");
    let change =
        |from: &str, to: &str| fs::write(person.path("registry.toml"), text.replace(from, to)).expect("written");
    change(&key, &other);
    trusting("is not signed by `me`");
    change("minisign = ", "until = 2020-01-31\nminisign = ");
    trusting("is signed by `me`, whose key was valid until 2020-01-31");
    person.refused(&["plugin", "update"], "whose key was valid until 2020-01-31");
    change("minisign = ", "until = 2999-12-31\nminisign = ");
    person.trust();
    person.works();
    change("minisign = ", "sigstore = { issuer = \"a\", subject = \"b\" }\nminisign = ");
    trusting("this marq cannot verify sigstore identities");
    change("signed-by = \"me\"", "signed-by = \"you\"");
    trusting("unknown signer `you`");
}

#[test]
fn signature_of_a_project_file_is_next_to_it() {
    let person = Person::new();
    let ((mine, key), (theirs, _)) = (keys(), keys());
    person.sign("0.1.0", &theirs);
    let add = ["plugin", "add", "packs/0.1.0.wasm", "--signed-by", "me", "--minisign", &key];
    person.refused(&add, "is not signed by `me`");
    person.sign("0.1.0", &mine);
    person.stdout_of(&add);
    person.trust();
    person.works();
    person.sign("0.1.0", &theirs);
    person.fails("is not signed by `me`");
    fs::remove_file(person.path("packs/0.1.0.wasm.minisig")).expect("removed");
    person.fails("has no signature");
    person.sign("0.1.0", &mine);
    person.works();
}

#[test]
fn url_is_downloaded_only_with_its_digest() {
    let person = Person::new();
    let (bytes, (mine, key)) = (component("0.1.0"), keys());
    let (url, sha256) = (person.registry.url("notes.wasm"), digest(&bytes));
    person.registry.state().files.insert("notes.wasm".to_owned(), bytes);
    person.refused(&["plugin", "add", &url], &format!("the sha256 of this file is {sha256}"));
    person.refused(&["plugin", "add", &url, "--sha256", &"0".repeat(64)], &format!("its sha256 is {sha256}, not 000"));
    person.refused(&["plugin", "add", "http://x.org/a.wasm"], "a URL must use https, except on this machine");
    person.registry.state().moved.insert("far.wasm".to_owned(), "http://x.org/a.wasm".to_owned());
    person.refused(&["plugin", "add", &person.registry.url("far.wasm")], "it redirects to a URL without https");
    person.registry.state().moved.insert("round.wasm".to_owned(), person.registry.url("round.wasm"));
    person.refused(&["plugin", "add", &person.registry.url("round.wasm")], "it redirects too often");
    person.refused(&["plugin", "add", &person.registry.url("none.wasm")], " does not exist");
    let add = ["plugin", "add", &url, "--sha256", &sha256, "--signed-by", "me", "--minisign", &key];
    person.refused(&add, "has no signature");
    person.registry.state().files.insert("notes.wasm.minisig".to_owned(), person.sign("0.1.0", &mine).into_bytes());
    person.stdout_of(&add);
    person.trust();
    person.works();
    // Another file at the address is rejected.
    person.registry.state().files.insert("notes.wasm".to_owned(), component("0.1.1"));
    person.refused(&["plugin", "update"], "its sha256 is ");
    fs::remove_dir_all(person.store()).expect("removed");
    person.refused(&["plugin", "update", "--locked"], "registry.lock has ");
    person.fails("is not on this machine");
    let text = person.text("registry.toml");
    fs::write(person.path("registry.toml"), text.replace("sha256 = ", "# sha256 = ")).expect("written");
    person.fails("`sha256` is missing: the server of http://127.0.0.1:");
}

#[test]
fn folder_source_needs_no_network() {
    let person = Person::new();
    let ((mine, key), mirror) = (keys(), "folder:mirror/properties");
    person.sign("0.1.0", &mine);
    for version in VERSIONS {
        person.stdout_of(&["plugin", "publish", &format!("packs/{version}.wasm"), mirror]);
    }
    let out = person.stdout_of(&["plugin", "search", "prop", "folder:mirror"]);
    assert!(out.ends_with("mirror/properties 0.1.1  properties\n"), "{out}");
    let add = ["plugin", "add", mirror, "--version", "=0.1.0", "--signed-by", "me", "--minisign", &key];
    let out = person.stdout_of(&add);
    assert!(out.contains("  it replaces the bundled plugin `properties`\n  handles .env, .env.*, *.env, "), "{out}");
    assert!(out.contains("  handles files that contain secrets by convention, if a call names one: .env"), "{out}");
    assert!(person.text("registry.toml").contains("source = \"folder:mirror/properties\"\nversion = \"=0.1.0\""));
    assert!(person.text("registry.lock").contains("source = \"folder:mirror/properties\""));
    person.trust();
    person.works();
    assert_eq!(person.registry.state().asked, Vec::<String>::new());
    // A plugin that is missing in the store, as for a fresh copy of the project, is fetched from the folder again.
    fs::remove_dir_all(person.store()).expect("removed");
    person.stdout_of(&["plugin", "update", "--locked"]);
    person.works();
    fs::write(person.path("mirror/properties/0.1.0.wasm"), component("0.1.1")).expect("written");
    fs::remove_dir_all(person.store()).expect("removed");
    person.refused(&["plugin", "update", "--locked"], "nothing was stored");
    person.fails("is not on this machine");
}

#[test]
fn registry_login_uses_docker_credentials() {
    let person = Person::new();
    // `me:word` in base64.
    person.registry.state().password = Some("bWU6d29yZA==".to_owned());
    person.refused(&["plugin", "publish", "packs/0.1.0.wasm", &person.source()], "the registry denied access");
    let config = serde_json::json!({ "auths": { person.registry.address.to_string(): { "auth": "bWU6d29yZA==" } } });
    person.project.write("docker/config.json", &config.to_string());
    person.publish("0.1.0");
    person.stdout_of(&["plugin", "add", &person.source()]);
    person.trust();
    person.works();
}
