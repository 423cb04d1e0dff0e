//! What a file is, told from its bytes before anything of it runs: component, core module or neither, which version of
//! the contract it was made for, and what it wants of the host.

use std::path::Path;

use marquetry_model::{Error, Kind, Result, limits};
use semver::Version;
use sha2::{Digest, Sha256};
use wasmparser::{ComponentExternalKind, Parser, Payload};

/// A contract that this host speaks.
#[derive(Debug)]
pub(crate) struct Contract {
    /// The package of its interfaces.
    pub(crate) package: &'static str,
    /// The interface that every plugin of it exports.
    interface: &'static str,
    /// Versions below 1.0 are compatible within the same minor version.
    version: Version,
    /// What a plugin of it is called.
    plugin: &'static str,
}

/// That of language packs.
pub(crate) const LANGUAGE: Contract = Contract {
    package: "marquetry:language",
    interface: "language",
    version: Version::new(0, 1, 0),
    plugin: "a language pack",
};

/// That of editor integrations.
pub(crate) const EDITOR: Contract = Contract {
    package: "marquetry:editor",
    interface: "integration",
    version: Version::new(0, 1, 0),
    plugin: "an editor integration",
};

/// What a component's type says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Optional interfaces of the contract that it exports.
    pub(crate) interfaces: Vec<String>,
    /// What it imports.
    pub(crate) imports: Vec<String>,
}

/// The bytes of a plugin file: a file, and of a size that a plugin may have.
pub(crate) fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > limits::PLUGIN {
        let most = limits::PLUGIN >> 20;
        return Err(std::io::Error::other(format!("it is no file of at most {most} MiB")));
    }
    std::fs::read(path)
}

/// sha256 in lower-case hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Read the identity, or say exactly what the file is instead.
pub(crate) fn identify(plugin: &str, bytes: &[u8], contract: &Contract) -> Result<Identity> {
    if !bytes.starts_with(b"\0asm") {
        return Err(failed(format!("plugin `{plugin}` is not WebAssembly"))
            .hint("build it for the target `wasm32-wasip2`; the file must start with `\\0asm`"));
    }
    let mut names = Names::default();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| failed(format!("plugin `{plugin}` is damaged: {error}")))?;
        match payload {
            Payload::Version { encoding: wasmparser::Encoding::Module, .. } if depth == 0 => names.module = true,
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ImportSection(section) if names.module => {
                for import in section.into_imports().flatten() {
                    names.core_imports.push(import.module.to_owned());
                }
            }
            Payload::ComponentImportSection(section) if depth == 0 => {
                names.imports.extend(section.into_iter().flatten().map(|import| import.name.name.to_owned()));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                let instances = section.into_iter().flatten().filter(|e| e.kind == ComponentExternalKind::Instance);
                names.exports.extend(instances.map(|export| export.name.name.to_owned()));
            }
            _ => {}
        }
    }
    if names.module {
        return Err(core_module(plugin, &names.core_imports));
    }
    speaks(plugin, names, contract)
}

#[derive(Default)]
struct Names {
    module: bool,
    core_imports: Vec<String>,
    imports: Vec<String>,
    exports: Vec<String>,
}

fn failed(message: String) -> Error {
    Error::new(Kind::PluginFailed, message)
}

fn core_module(plugin: &str, imports: &[String]) -> Error {
    if imports.iter().any(|module| module.starts_with("extism:host")) {
        return failed(format!("plugin `{plugin}` is an Extism module")).hint(
            "this build hosts components only; build the plugin for `wasm32-wasip2` against `marquetry:language`",
        );
    }
    failed(format!("plugin `{plugin}` is a core WebAssembly module, not a component"))
        .hint("build it for the target `wasm32-wasip2`, or wrap it with `wasm-tools component new`")
}

fn speaks(plugin: &str, names: Names, contract: &Contract) -> Result<Identity> {
    let (package, known) = (contract.package, &contract.version);
    let mut interfaces = Vec::new();
    let mut version = None;
    for export in &names.exports {
        let Some((interface, found)) =
            export.strip_prefix(package).and_then(|rest| rest.strip_prefix('/')?.split_once('@'))
        else {
            continue;
        };
        let found = Version::parse(found)
            .map_err(|_| failed(format!("plugin `{plugin}` names no version of the contract: `{export}`")))?;
        if interface == contract.interface {
            version = Some(found);
        } else {
            interfaces.push(interface.to_owned());
        }
    }
    let Some(version) = version else {
        let Contract { interface, plugin: kind, .. } = contract;
        return Err(failed(format!("plugin `{plugin}` does not export `{package}/{interface}`"))
            .hint(format!("{kind} exports the interface `{interface}` of `{package}@{known}`"))
            .candidates(names.exports));
    };
    let same = version.major == known.major && (version.major > 0 || version.minor == known.minor);
    if !same || version > *known {
        let (state, fix) = if version > *known {
            ("too new", "update marq, or install an older version of the plugin")
        } else {
            ("too old", "install a newer version of the plugin")
        };
        return Err(failed(format!(
            "plugin `{plugin}` is {state}: it was made for {package} {version}, this host speaks {known}"
        ))
        .hint(fix));
    }
    Ok(Identity { interfaces, imports: names.imports })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refusal(bytes: &[u8]) -> String {
        identify("p", bytes, &LANGUAGE).expect_err("refused").to_string()
    }

    #[test]
    fn says_what_a_file_is_instead_of_a_component() {
        assert_eq!(
            refusal(b"hello"),
            "plugin `p` is not WebAssembly (hint: build it for the target `wasm32-wasip2`; the file must start with `\\0asm`)"
        );
        assert_eq!(
            refusal(b"\0asm\x01\0\0\0"),
            "plugin `p` is a core WebAssembly module, not a component (hint: build it for the target `wasm32-wasip2`, or wrap it with `wasm-tools component new`)"
        );
        assert_eq!(
            refusal(b"\0asm\x0d\0\x01\0"),
            "plugin `p` does not export `marquetry:language/language` (hint: a language pack exports the interface `language` of `marquetry:language@0.1.0`)"
        );
    }

    /// A component that exports instances of these names.
    fn component(exports: &[&str]) -> Vec<u8> {
        // An empty instance, then an export section that names it again and again.
        let mut bytes = b"\0asm\x0d\0\x01\0\x05\x03\x01\x01\0".to_vec();
        for name in exports {
            let mut body = vec![1, 0, u8::try_from(name.len()).expect("short")];
            body.extend(name.as_bytes());
            body.extend([5, 0, 0]);
            bytes.extend([11, u8::try_from(body.len()).expect("short")]);
            bytes.extend(body);
        }
        bytes
    }

    #[test]
    fn the_version_of_the_contract_decides() {
        let with =
            |version: &str| identify("p", &component(&[&format!("marquetry:language/language@{version}")]), &LANGUAGE);
        assert_eq!(with("0.1.0").expect("ours"), Identity { interfaces: vec![], imports: vec![] });
        for (version, state) in [("0.1.1", "too new"), ("0.2.0", "too new"), ("1.0.0", "too new"), ("0.0.9", "too old")]
        {
            let message = with(version).expect_err("refused").to_string();
            assert!(
                message.starts_with(&format!("plugin `p` is {state}: it was made for marquetry:language {version}")),
                "{message}"
            );
        }
        let message = with("one").expect_err("refused").to_string();
        assert!(message.contains("names no version of the contract: `marquetry:language/language@one`"), "{message}");
    }

    #[test]
    fn optional_interfaces_are_listed() {
        let names = ["marquetry:language/links@0.1.0", "marquetry:language/language@0.1.0", "other:thing/x@1.0.0"];
        assert_eq!(identify("p", &component(&names), &LANGUAGE).expect("ours").interfaces, ["links"]);
        let error =
            identify("p", &component(&["marquetry:language/links@0.1.0"]), &LANGUAGE).expect_err("no `language`");
        assert_eq!(error.content().candidates, ["marquetry:language/links@0.1.0"]);
    }

    #[test]
    fn damaged_bytes_are_said_to_be() {
        let mut bytes = component(&["marquetry:language/language@0.1.0"]);
        bytes.truncate(bytes.len() - 3);
        assert!(refusal(&bytes).starts_with("plugin `p` is damaged: "), "{}", refusal(&bytes));
        assert!(refusal(b"\0asm").starts_with("plugin `p` is damaged: "));
        assert!(refusal(b"").starts_with("plugin `p` is not WebAssembly"));
    }

    #[test]
    fn an_extism_module_is_known() {
        // A core module with one imported function of the Extism host.
        let mut bytes = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02".to_vec();
        let (module, name) = ("extism:host/env", "input");
        let mut body = vec![1, module.len() as u8];
        body.extend(module.as_bytes());
        body.push(name.len() as u8);
        body.extend(name.as_bytes());
        body.extend([0, 0]);
        bytes.push(body.len() as u8);
        bytes.extend(body);
        assert!(refusal(&bytes).starts_with("plugin `p` is an Extism module"), "{}", refusal(&bytes));
    }

    #[test]
    fn digests_are_those_of_everyone_else() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
