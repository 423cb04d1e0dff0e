//! Resolves the editor addresses in the registry to sockets, ports and programs on this machine.

use std::{
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use marquetry_model::{
    editor::{Channel, Integration, IntegrationInfo},
    limits,
};

/// Looks up an environment variable.
pub type Variable = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Values that addresses can refer to. Only the entry point of the program reads the environment.
pub struct Environment {
    /// Looks up an environment variable.
    pub variable: Variable,
    /// The user's runtime folder for sockets (`XDG_RUNTIME_DIR`).
    pub runtime: Option<PathBuf>,
    /// The folder for temporary files.
    pub temporary: PathBuf,
    /// The user's name.
    pub user: String,
    /// The home folder.
    pub home: Option<PathBuf>,
}

/// A location at which an editor may be reachable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Address {
    Socket(PathBuf),
    Port(SocketAddr),
    /// The editor connected to the host at this path. Each connection has a separate number.
    Incoming(String, u64),
    Program(Vec<String>),
}

impl std::fmt::Display for Address {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Socket(path) => write!(out, "socket {}", path.display()),
            Address::Port(address) => write!(out, "port {address}"),
            Address::Incoming(path, _) => write!(out, "websocket {path}"),
            Address::Program(words) => write!(out, "program {}", words.join(" ")),
        }
    }
}

/// A location, and whether its address is exact (without `*`). An editor found by pattern is disconnected if it works
/// in a folder outside the roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) address: Address,
    pub(crate) is_exact: bool,
}

/// Maximum number of paths that a pattern expands to.
const MAX_PATHS: usize = 64;
/// Maximum number of entries read from a folder when matching a pattern.
const MAX_ENTRIES: usize = 4_096;

/// Returns the locations where an integration's editors may be now. The addresses that the integration itself
/// declares are used only if the registry gives none.
pub(crate) fn candidates(integration: &dyn Integration, around: &Environment) -> Vec<Candidate> {
    let granted = |channel: &str| integration.channels().iter().any(|known| known == channel);
    let mut spots = Vec::new();
    match integration.addresses() {
        Some(addresses) => {
            for address in addresses.iter().take(limits::EDITOR_ADDRESSES) {
                spots.extend(
                    resolve_address(address, around).into_iter().filter(|spot| granted(spot.address.channel())),
                );
            }
        }
        // An integration without a granted `socket` or `port` needs no addresses, so it is not loaded.
        None if !granted("socket") && !granted("port") => {}
        None => {
            let described = integration.describe();
            let channels = described.as_deref().map_or(&[][..], |described: &IntegrationInfo| &described.channels);
            for channel in channels.iter().filter(|channel| granted(channel.name())) {
                let (Channel::Socket(addresses) | Channel::Port(addresses)) = channel else { continue };
                let found = addresses.iter().flat_map(|address| resolve_address(address, around));
                spots.extend(found.filter(|spot| spot.address.channel() == channel.name()));
            }
        }
    }
    if granted("program") {
        let described = integration.describe();
        for channel in described.iter().flat_map(|described| &described.channels) {
            if let Channel::Program(words) = channel {
                spots.push(Candidate { address: Address::Program(words.clone()), is_exact: true });
            }
        }
    }
    let mut seen: Vec<Candidate> = Vec::new();
    for spot in spots {
        if seen.iter().all(|known| known.address != spot.address) {
            seen.push(spot);
        }
    }
    seen
}

impl Address {
    /// Name of the channel in the registry.
    fn channel(&self) -> &'static str {
        match self {
            Address::Socket(_) => "socket",
            Address::Port(_) => "port",
            Address::Incoming(..) => "websocket",
            Address::Program(_) => "program",
        }
    }
}

/// Resolves one address.
fn resolve_address(address: &str, around: &Environment) -> Vec<Candidate> {
    let Some(address) = expand_variables(address, around) else { return Vec::new() };
    if let Some(port) = port(&address) {
        return vec![Candidate { address: Address::Port(port), is_exact: true }];
    }
    let path = Path::new(&address);
    if !path.is_absolute() {
        return Vec::new();
    }
    if !address.contains('*') {
        return address_at(path).map(|place| Candidate { address: place, is_exact: true }).into_iter().collect();
    }
    let mut found = vec![PathBuf::from("/")];
    for part in path.components().skip(1) {
        let part = part.as_os_str().to_string_lossy().into_owned();
        found = found.iter().flat_map(|folder| matching_entries(folder, &part)).take(MAX_PATHS).collect();
    }
    found
        .iter()
        .filter_map(|path| address_at(path))
        .map(|place| Candidate { address: place, is_exact: false })
        .collect()
}

/// Expands variables and folders in an address. `None` if one of them is not set.
fn expand_variables(address: &str, around: &Environment) -> Option<String> {
    if let Some(name) = address.strip_prefix('$') {
        return (around.variable)(name).filter(|value| !value.is_empty() && !value.contains('*'));
    }
    let folder = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let mut resolved = address.to_owned();
    let names = [
        ("{runtime}", folder(&around.runtime)),
        ("{temporary}", Some(around.temporary.display().to_string())),
        ("{user}", Some(around.user.clone())),
        ("{home}", folder(&around.home)),
    ];
    for (name, value) in names {
        if resolved.contains(name) {
            resolved = resolved.replace(name, &value.filter(|value| !value.is_empty())?);
        }
    }
    Some(resolved)
}

/// Parses a port, optionally with a loopback host. Ports of other machines are rejected.
fn port(address: &str) -> Option<SocketAddr> {
    let number = address.strip_prefix("127.0.0.1:").or_else(|| address.strip_prefix("localhost:")).unwrap_or(address);
    let port: u16 = number.trim().parse().ok()?;
    (port > 0).then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

/// Returns the location at a path: a socket, or the port on the first line of a regular file. Files of other users
/// are ignored.
fn address_at(path: &Path) -> Option<Address> {
    let metadata = fs::metadata(path).ok()?;
    if !is_own(&metadata) {
        return None;
    }
    if is_socket(&metadata) {
        return Some(Address::Socket(path.to_owned()));
    }
    if !metadata.is_file() || metadata.len() > limits::EDITOR_NAME_BYTES as u64 {
        return None;
    }
    port(fs::read_to_string(path).ok()?.lines().next()?).map(Address::Port)
}

/// Entries of a folder that match one component of a pattern.
fn matching_entries(folder: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains('*') {
        return vec![folder.join(part)];
    }
    let entries: io::Result<Vec<_>> = fs::read_dir(folder).and_then(|entries| entries.take(MAX_ENTRIES).collect());
    let names = entries.unwrap_or_default().into_iter().map(|entry| entry.file_name());
    let mut names: Vec<_> = names.filter(|name| matches_pattern(&name.to_string_lossy(), part)).collect();
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Returns whether a name matches a pattern in which `*` matches any characters.
fn matches_pattern(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(unix)]
fn is_socket(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_socket(_metadata: &fs::Metadata) -> bool {
    false
}

/// Returns whether a file belongs to the user that runs this process.
#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_metadata: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    fn around(folder: &Path) -> Environment {
        let socket = folder.join("one.sock").display().to_string();
        Environment {
            variable: Box::new(move |name| (name == "ED").then(|| socket.clone())),
            runtime: Some(folder.to_owned()),
            temporary: folder.join("tmp"),
            user: "me".to_owned(),
            home: None,
        }
    }

    #[test]
    fn pattern_matches_names() {
        for (name, pattern, does) in [
            ("nvim.12.0", "nvim.*.0", true),
            ("nvim.12.1", "nvim.*.0", false),
            ("nvim.0", "nvim.*.0", false),
            ("ab", "*", true),
            ("abcabc", "a*b*c", true),
            ("ac", "a*b*c", false),
            ("a", "a*a", false),
        ] {
            assert_eq!(matches_pattern(name, pattern), does, "{name} {pattern}");
        }
    }

    #[test]
    fn addresses_find_existing_sockets() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        fs::create_dir_all(folder.join("tmp/me")).expect("made");
        let _sockets =
            ["one.sock", "nvim.7.0", "tmp/me/x"].map(|name| UnixListener::bind(folder.join(name)).expect("bound"));
        fs::write(folder.join("port"), "4711\nmore\n").expect("written");
        fs::write(folder.join("nvim.8.0"), "no socket").expect("written");
        let around = around(folder);
        let shown = |address: &str| {
            let spots = resolve_address(address, &around).into_iter();
            let shown = spots.map(|spot| format!("{} {}", spot.address, spot.is_exact)).collect::<Vec<_>>().join(", ");
            shown.replace(&folder.display().to_string(), "…")
        };
        assert_eq!(shown("$ED"), "socket …/one.sock true");
        assert_eq!(shown("$NO"), "");
        assert_eq!(shown("{runtime}/nvim.*.0"), "socket …/nvim.7.0 false");
        assert_eq!(shown("{temporary}/{user}/*"), "socket …/tmp/me/x false");
        assert_eq!(shown("{home}/x"), "", "there is no such folder");
        assert_eq!(shown("{runtime}/port"), "port 127.0.0.1:4711 true");
        assert_eq!(shown("127.0.0.1:80"), "port 127.0.0.1:80 true");
        assert_eq!(shown("8080"), "port 127.0.0.1:8080 true");
        for elsewhere in ["192.168.0.1:80", "example.com:80", "0.0.0.0:80", "relative/path", ""] {
            assert_eq!(shown(elsewhere), "", "{elsewhere}");
        }
    }
}
