//! `registry.toml`: the plugins of a project with their sources, grants and limits.

mod entry;

use std::{collections::BTreeMap, path::Path, time::Duration};

use marquetry_model::{Error, Kind, Result, limits, servers::RequestedServer, source::Source};
use semver::VersionReq;
use serde::Deserialize;

pub(crate) use self::entry::{DEFAULT_BOUNDS, Pin, RegistryEntry};
use crate::{
    file_access, requested_servers,
    signatures::{self, Signer},
    store,
};

/// All grants. An unknown grant is an error.
pub const GRANTS: [&str; 3] = [file_access::WORKSPACE_GRANT, file_access::IGNORED_GRANT, file_access::SECRETS_GRANT];
/// Channels that an editor integration can be granted.
pub const CHANNELS: [&str; 4] = ["socket", "port", "websocket", "program"];

/// A registry: the plugins of a project, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// Language packs.
    pub(crate) entries: BTreeMap<String, RegistryEntry>,
    /// Editor integrations.
    pub(crate) editors: BTreeMap<String, RegistryEntry>,
    /// Language servers, by name.
    pub(crate) servers: BTreeMap<String, RequestedServer>,
    /// Signers of plugins, by name.
    signers: BTreeMap<String, Signer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistryFile {
    /// Version of the format. Its presence identifies the file as a registry of marq.
    marquetry: u32,
    #[serde(default)]
    plugins: BTreeMap<String, PluginTable>,
    #[serde(default)]
    editors: BTreeMap<String, EditorTable>,
    #[serde(default)]
    servers: BTreeMap<String, requested_servers::ServerTable>,
    #[serde(default)]
    signers: BTreeMap<String, signatures::SignerTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EditorTable {
    source: Option<String>,
    version: Option<String>,
    channels: Option<Vec<String>>,
    addresses: Option<Vec<String>>,
    settings: Option<toml::Table>,
    limits: Option<LimitsTable>,
    enabled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PluginTable {
    source: Option<String>,
    sha256: Option<String>,
    signed_by: Option<String>,
    version: Option<String>,
    files: Option<Vec<String>>,
    grants: Option<Vec<String>>,
    settings: Option<toml::Table>,
    limits: Option<LimitsTable>,
    enabled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LimitsTable {
    memory_mib: Option<usize>,
    seconds: Option<u64>,
}

/// Returns whether a text is a registry of marq. Other programs use the file name too.
pub fn is_registry(text: &str) -> bool {
    let says = |line: &str| {
        let name = line.trim_start().trim_start_matches('"').strip_prefix("marquetry");
        name.is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with('='))
    };
    // A file that is not valid TOML also counts as a registry if a line starts with `marquetry`, so that the error is
    // reported.
    text.parse::<toml::Table>().map_or_else(|_| text.lines().any(says), |table| table.contains_key("marquetry"))
}

impl Registry {
    /// Parses a registry. Relative paths start at `folder`; `name` is for messages.
    pub fn parse(text: &str, folder: &Path, name: &str) -> Result<Registry> {
        let mut registry = Registry::default();
        registry.extend(text, folder, name)?;
        Ok(registry)
    }

    /// Merges a project's registry over this one, field by field.
    ///
    /// # Errors
    /// Fails if the text is not a valid registry. The texts of the error are escaped, because keys and values of a
    /// project are untrusted.
    pub fn extend(&mut self, text: &str, folder: &Path, name: &str) -> Result<()> {
        self.merge(text, folder, name).map_err(Error::escaped)
    }

    fn merge(&mut self, text: &str, folder: &Path, name: &str) -> Result<()> {
        let file: RegistryFile = toml::from_str(text)
            .map_err(|error| invalid_file_error(name, error.message()).hint(error_location(text, error.span())))?;
        if file.marquetry != 1 {
            return Err(invalid_file_error(name, &format!("format {} is not supported", file.marquetry))
                .hint("this marq supports `marquetry = 1`"));
        }
        for (id, signer) in file.signers {
            let signer = Signer::parse(&id, signer).map_err(|error| error.context(name))?;
            self.signers.insert(id, signer);
        }
        for (id, plugin) in file.plugins {
            if plugin.enabled == Some(false) {
                self.entries.remove(&id);
                continue;
            }
            let before = self.entries.remove(&id);
            let known = PluginRules { what: "grant", names: &GRANTS, addresses: None, signers: &self.signers };
            let entry = merge_entry(plugin, known, before, folder)
                .map_err(|error| error.context(&format!("{name}: plugin `{id}`")))?;
            self.entries.insert(id, entry);
        }
        for (id, editor) in file.editors {
            if editor.enabled == Some(false) {
                self.editors.remove(&id);
                continue;
            }
            let before = self.editors.remove(&id);
            let EditorTable { source, version, channels: grants, addresses, settings, limits, enabled } = editor;
            let (sha256, signed_by, files) = (None, None, None);
            let plugin = PluginTable { source, sha256, signed_by, version, files, grants, settings, limits, enabled };
            let known = PluginRules { what: "channel", names: &CHANNELS, addresses, signers: &self.signers };
            let entry = merge_entry(plugin, known, before, folder)
                .and_then(|entry| {
                    if entry.source.is_downloaded() { Err(editor_source_error(&entry.source)) } else { Ok(entry) }
                })
                .map_err(|error| error.context(&format!("{name}: editor `{id}`")))?;
            self.editors.insert(id, entry);
        }
        for (id, server) in file.servers {
            let before = self.servers.remove(&id);
            if server.enabled != Some(false) {
                let merged = requested_servers::merge_server(&id, server, before);
                let merged = merged.map_err(|error| error.context(&format!("{name}: server `{id}`")))?;
                self.servers.insert(id, merged);
            }
        }
        Ok(())
    }

    /// Rejects bytes without a valid signature of a signer in this registry.
    ///
    /// # Errors
    /// Fails if the signer is unknown, the signature is missing or invalid, or the signer has expired.
    pub fn check_signed(&self, signer: &str, plugin: &str, bytes: &[u8], signature: Option<&str>) -> Result<()> {
        signatures::find_signer(&self.signers, signer)?.check(plugin, bytes, signature)
    }

    /// Adds a bundled plugin, without grants, unless the registry has it.
    pub(crate) fn add_bundled(&mut self, id: &str) {
        self.entries.entry(id.to_owned()).or_insert_with(RegistryEntry::bundled);
    }

    /// Returns all plugins, under names that are unique across both kinds.
    pub(crate) fn all_plugins(&self) -> impl Iterator<Item = (String, &RegistryEntry)> {
        let editors = self.editors.iter().map(|(id, entry)| (editor_name(id), entry));
        self.entries.iter().map(|(id, entry)| (id.clone(), entry)).chain(editors)
    }
}

/// Returns the name of an editor integration among all plugins.
pub(crate) fn editor_name(id: &str) -> String {
    format!("editors.{id}")
}

/// Rules for one kind of plugin: language packs or editor integrations.
struct PluginRules<'a> {
    /// The name of its grants in messages.
    what: &'a str,
    names: &'a [&'a str],
    /// Addresses of editors, if this kind of plugin can have them.
    addresses: Option<Vec<String>>,
    signers: &'a BTreeMap<String, Signer>,
}

/// Error for an integration from the network. An integration accesses an editor, so it must be bundled or a file that
/// the user can inspect.
fn editor_source_error(source: &Source) -> Error {
    Error::new(Kind::Unsupported, format!("an editor integration cannot come from `{source}`"))
        .hint("write `bundled` or `path:FILE.wasm`")
}

fn merge_entry(
    plugin: PluginTable,
    known: PluginRules<'_>,
    before: Option<RegistryEntry>,
    folder: &Path,
) -> Result<RegistryEntry> {
    let mut entry = before.unwrap_or_else(RegistryEntry::bundled);
    if let Some(source) = plugin.source {
        let source = Source::parse(&source, folder)?;
        if source != entry.source {
            // The grants were given to the plugin from the previous source, so they do not apply to this one.
            entry.grants.clear();
            entry.addresses = None;
            entry.sha256 = None;
        }
        entry.source = source;
    }
    if let Some(sha256) = plugin.sha256 {
        if !store::is_digest(&sha256) {
            return Err(Error::argument(format!("`{sha256}` is not a sha256"))
                .hint("write 64 hexadecimal digits, in lower case"));
        }
        entry.sha256 = Some(sha256);
    }
    if let (Source::Url(address), None) = (&entry.source, &entry.sha256) {
        return Err(Error::argument(format!("`sha256` is missing: the server of {address} could send any file"))
            .hint("use the digest that the plugin's author publishes"));
    }
    if let Some(name) = plugin.signed_by {
        entry.signer = Some(signatures::find_signer(known.signers, &name)?);
    }
    if let Some(version) = plugin.version {
        entry.version = VersionReq::parse(&version)
            .map_err(|error| Error::argument(format!("`{version}` is not a version requirement: {error}")))?;
    }
    if let Some(grants) = plugin.grants {
        if let Some(unknown) = grants.iter().find(|grant| !known.names.contains(&grant.as_str())) {
            let names = known.names.iter().map(|name| (*name).to_owned());
            return Err(Error::argument(format!("unknown {} `{unknown}`", known.what)).candidates(names));
        }
        entry.grants = grants;
    }
    if let Some(settings) = plugin.settings {
        entry.settings = serde_json::to_string(&settings).map_err(|error| Error::argument(error.to_string()))?;
    }
    if let Some(limits) = plugin.limits {
        for (name, is_nothing) in [("seconds", limits.seconds == Some(0)), ("memory-mib", limits.memory_mib == Some(0))]
        {
            if is_nothing {
                return Err(Error::argument(format!("`limits.{name}` cannot be 0"))
                    .hint("use a larger number, or `enabled = false`"));
            }
        }
        entry.limits.memory = limits
            .memory_mib
            .map_or(entry.limits.memory, |mib| mib.saturating_mul(1 << 20))
            .min(limits::MAX_INSTANCE_MEMORY);
        entry.limits.time = limits.seconds.map_or(entry.limits.time, Duration::from_secs).min(limits::MAX_CALL_TIME);
    }
    entry.files = plugin.files.or(entry.files);
    entry.addresses = known.addresses.or(entry.addresses);
    Ok(entry)
}

pub(crate) fn invalid_file_error(name: &str, message: &str) -> Error {
    Error::new(Kind::InvalidArgument, format!("{name}: {message}"))
}

fn error_location(text: &str, span: Option<std::ops::Range<usize>>) -> String {
    match span {
        Some(span) => format!("see line {}", text[..span.start.min(text.len())].matches('\n').count() + 1),
        None => "see the comments in the default registry.toml".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::PluginLimits;

    #[test]
    fn project_registry_overrides_only_its_own_fields() {
        let text = "marquetry = 1\n[plugins.a]\nversion = \"^0.1\"\ngrants = [\"workspace\"]\n[plugins.b]\n";
        let mut registry = Registry::parse(text, Path::new("/r"), "registry.toml").expect("valid");
        let project = "marquetry = 1\n[plugins.a]\nsource = \"path:a.wasm\"\n[plugins.b]\nenabled = false\n";
        registry.extend(project, Path::new("/p"), "registry.toml").expect("valid");
        assert_eq!(registry.entries.keys().collect::<Vec<_>>(), ["a"]);
        let entry = &registry.entries["a"];
        assert_eq!(entry.source, Source::Path("/p/a.wasm".into()));
        assert_eq!((entry.version.to_string(), entry.grants.len()), ("^0.1".to_owned(), 0));
    }

    #[test]
    fn huge_limit_is_capped_at_the_maximum() {
        for mib in ["17592186044416", "17592186044417", "9223372036854775807"] {
            let text = format!("marquetry = 1\n[plugins.a]\nlimits = {{ memory-mib = {mib}, seconds = {mib} }}");
            let registry = Registry::parse(&text, Path::new(""), "r").expect("valid");
            let PluginLimits { memory, time, .. } = registry.entries["a"].limits;
            assert_eq!((memory, time), (limits::MAX_INSTANCE_MEMORY, limits::MAX_CALL_TIME), "{mib}");
        }
    }

    #[test]
    fn unknown_fields_and_values_are_refused() {
        let refuse = |text: &str| Registry::parse(text, Path::new(""), "r").expect_err("refused").to_string();
        assert_eq!(refuse("marquetry = 1\n[plugins.a]\ngrants = [\"net\"]"), "r: plugin `a`: unknown grant `net`");
        assert_eq!(refuse("marquetry = 2"), "r: format 2 is not supported (hint: this marq supports `marquetry = 1`)");
        assert!(refuse("marquetry = 1\n[plugins.a]\nfoo = 1").contains("see line 3"));
    }

    #[test]
    fn editors_are_separate_from_packs() {
        let text = "marquetry = 1\n[editors.a]\nchannels = [\"socket\"]\naddresses = [\"$A\"]\n[plugins.a]\n";
        let mut registry = Registry::parse(text, Path::new("/r"), "r").expect("valid");
        assert_eq!(registry.all_plugins().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "editors.a"]);
        assert_eq!(registry.editors["a"].grants, ["socket"]);
        let other = "marquetry = 1\n[editors.a]\nsource = \"path:x.wasm\"\n";
        registry.extend(other, Path::new("/r"), "r").expect("valid");
        let entry = &registry.editors["a"];
        assert!(
            entry.grants.is_empty() && entry.addresses.is_none(),
            "a plugin from another source must not inherit grants or addresses"
        );
        let refuse = |text: &str| Registry::parse(text, Path::new(""), "r").expect_err("refused").to_string();
        let wrong = "marquetry = 1\n[editors.a]\nchannels = [\"workspace\"]";
        assert_eq!(refuse(wrong), "r: editor `a`: unknown channel `workspace`");
        assert!(refuse("marquetry = 1\n[editors.a]\nfiles = []").starts_with("r: unknown field `files`"));
    }

    #[test]
    fn servers_need_a_command_and_files() {
        let parse = |text: &str| Registry::parse(&format!("marquetry = 1\n{text}"), Path::new("/r"), "r");
        let text = "[servers.a]\ncommand = [\"a\", \"--stdio\"]\nfiles = [\"*.a\"]\nsettings = { b = 1 }\nlimits = { memory-mib = 64 }\n";
        let mut registry = parse(text).expect("valid");
        let server = &registry.servers["a"];
        assert_eq!(
            (server.memory, server.settings.as_str(), server.time),
            (64 << 20, "{\"b\":1}", limits::SERVER_CALL)
        );
        let more = "marquetry = 1\n[servers.a]\nlimits = { idle-seconds = 5 }\n";
        registry.extend(more, Path::new("/p"), "p").expect("valid");
        let server = &registry.servers["a"];
        assert_eq!((server.memory, server.idle, server.command.len()), (64 << 20, Duration::from_secs(5), 2));
        registry.extend("marquetry = 1\n[servers.a]\nenabled = false\n", Path::new("/p"), "p").expect("valid");
        assert!(registry.servers.is_empty());
        let refused = |text: &str| parse(text).expect_err("refused").content().message.clone();
        assert_eq!(refused("[servers.a]\nfiles = [\"*\"]"), "r: server `a`: `command` is missing");
        assert_eq!(refused("[servers.a]\ncommand = [\"a\"]"), "r: server `a`: `files` is missing");
        assert!(refused("[servers.a]\ncommand = [\"a\"]\nports = 1").contains("unknown field `ports`"));
    }

    #[track_caller]
    fn entry_of(text: &str) -> RegistryEntry {
        let registry = Registry::parse(&format!("marquetry = 1\n[plugins.a]\n{text}"), Path::new("/r"), "r");
        registry.expect("valid").entries.remove("a").expect("there")
    }

    #[track_caller]
    fn refusal(text: &str) -> String {
        let registry = Registry::parse(&format!("marquetry = 1\n[plugins.a]\n{text}"), Path::new("/r"), "r");
        registry.expect_err("refused").to_string()
    }

    #[test]
    fn defaults_grant_nothing() {
        let entry = entry_of("");
        assert_eq!((entry.source, entry.settings.as_str(), entry.files), (Source::Bundled, "{}", None));
        assert!(entry.grants.is_empty() && entry.pin == Pin::Unlocked);
        assert_eq!(entry.limits, PluginLimits { memory: limits::MAX_INSTANCE_MEMORY, time: limits::CALL_TIME });
    }

    #[test]
    fn plugin_that_the_program_contains_is_added_without_grants() {
        let mut registry =
            Registry::parse("marquetry = 1\n[plugins.a]\ngrants = [\"workspace\"]", Path::new(""), "r").expect("valid");
        registry.add_bundled("a");
        registry.add_bundled("b");
        let grants = |id: &str| registry.entries[id].grants.clone();
        assert_eq!((grants("a"), grants("b")), (vec!["workspace".to_owned()], Vec::new()));
        assert_eq!(registry.entries["b"].source, Source::Bundled);
    }

    #[test]
    fn limits_are_capped_at_those_of_the_host() {
        let entry = entry_of("limits = { memory-mib = 64, seconds = 3 }");
        assert_eq!(entry.limits, PluginLimits { memory: 64 << 20, time: Duration::from_secs(3) });
        assert_eq!(entry_of("limits = { memory-mib = 1000000 }").limits.memory, limits::MAX_INSTANCE_MEMORY);
        assert_eq!(entry_of("limits = { seconds = 1000000000 }").limits.time, limits::MAX_CALL_TIME);
        assert!(refusal("limits = { minutes = 3 }").starts_with("r: unknown field `minutes`"));
        assert!(refusal("limits = { seconds = -1 }").contains("see line 3"));
        assert!(refusal("limits = { seconds = 0 }").contains("`limits.seconds` cannot be 0"));
    }

    #[test]
    fn settings_become_json() {
        let text = "settings = { indent = 2, names = [\"a\"], deep = { on = true } }";
        let settings: serde_json::Value = serde_json::from_str(&entry_of(text).settings).expect("JSON");
        assert_eq!(settings, serde_json::json!({ "indent": 2, "names": ["a"], "deep": { "on": true } }));
    }

    #[test]
    fn error_names_each_invalid_field() {
        for (text, message) in [
            ("source = \"http://x\"", "r: plugin `a`: `http://x` is not a source: a URL must use https"),
            (
                "source = \"https://x/a.wasm\"",
                "r: plugin `a`: `sha256` is missing: the server of https://x/a.wasm could",
            ),
            ("sha256 = \"AB\"", "r: plugin `a`: `AB` is not a sha256"),
            ("signed-by = \"me\"", "r: plugin `a`: unknown signer `me` (hint: write `[signers.me]`"),
            ("version = \"one\"", "r: plugin `a`: `one` is not a version requirement"),
            ("grants = [\"workspace\", \"sockets\"]", "r: plugin `a`: unknown grant `sockets`"),
            ("files = \"*.a\"", "r: invalid type: string"),
            ("sauce = \"bundled\"", "r: unknown field `sauce`"),
        ] {
            assert!(refusal(text).starts_with(message), "{}", refusal(text));
        }
    }

    #[test]
    fn registries_of_other_programs_are_recognized() {
        for (text, ours) in [
            ("marquetry = 1\n", true),
            ("marquetry = 2\n", true),
            ("marquetry = 1\n[broken", true),
            ("marquetry=1\n[broken", true),
            ("\"marquetry\" = 1\n[broken", true),
            ("[registries]\nmine = \"x\"\n", false),
            ("", false),
            ("# about marquetry\n", false),
        ] {
            assert_eq!(is_registry(text), ours, "{text}");
        }
    }

    #[test]
    fn changed_source_resets_the_required_digest() {
        let text = format!("source = \"https://x/a.wasm\"\nsha256 = \"{}\"\n", "a".repeat(64));
        let mut registry =
            Registry::parse(&format!("marquetry = 1\n[plugins.a]\n{text}"), Path::new("/r"), "r").expect("valid");
        assert_eq!(registry.entries["a"].sha256, Some("a".repeat(64)));
        registry.extend("marquetry = 1\n[plugins.a]\nsource = \"bundled\"\n", Path::new("/r"), "r").expect("valid");
        assert_eq!(registry.entries["a"].sha256, None);
        let editor = "marquetry = 1\n[editors.a]\nsource = \"oci:x/a\"\n";
        let error = registry.extend(editor, Path::new("/r"), "r").expect_err("refused");
        assert_eq!(error.content().message, "r: editor `a`: an editor integration cannot come from `oci:x/a`");
    }

    #[test]
    fn plugins_refer_to_signers_by_name() {
        let key = crate::signatures::tests::KEY;
        let text = format!("signed-by = \"me\"\n[signers.me]\nminisign = \"{key}\"\n");
        let signer = entry_of(&text).signer.expect("asked for");
        assert_eq!((signer.name.as_str(), signer.key.as_str()), ("me", key));
        assert!(refusal("[signers.me]\nminisign = \"x\"").starts_with("r: signer `me`: not a minisign key"));
        assert!(refusal(&text.replace("= \"me\"", "= \"mee\"")).starts_with("r: plugin `a`: unknown signer `mee`"));
    }
}
