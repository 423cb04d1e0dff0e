//! What a file is, told from its bytes before anything of it runs: component, core module or neither, which version of
//! the contract it was made for, and what it wants of the host.

use marquetry_model::{Error, Kind, Result};
use semver::Version;
use sha2::{Digest, Sha256};
use wasmparser::{ComponentExternalKind, Parser, Payload};

/// The contract this host speaks.
pub(crate) const CONTRACT: &str = "marquetry:language";
/// Its version. Versions below 1.0 are compatible within the same minor version.
pub(crate) const CONTRACT_VERSION: Version = Version::new(0, 1, 0);

/// What a component's type says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Optional interfaces of the contract that it exports.
    pub(crate) interfaces: Vec<String>,
    /// What it imports.
    pub(crate) imports: Vec<String>,
}

/// sha256 in lower-case hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Read the identity, or say exactly what the file is instead.
pub(crate) fn identify(plugin: &str, bytes: &[u8]) -> Result<Identity> {
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
    contract(plugin, names)
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

fn contract(plugin: &str, names: Names) -> Result<Identity> {
    let mut interfaces = Vec::new();
    let mut version = None;
    for export in &names.exports {
        let Some((interface, found)) =
            export.strip_prefix(CONTRACT).and_then(|rest| rest.strip_prefix('/')?.split_once('@'))
        else {
            continue;
        };
        let found = Version::parse(found)
            .map_err(|_| failed(format!("plugin `{plugin}` names no version of the contract: `{export}`")))?;
        if interface == "language" {
            version = Some(found);
        } else {
            interfaces.push(interface.to_owned());
        }
    }
    let Some(version) = version else {
        return Err(failed(format!("plugin `{plugin}` does not export `{CONTRACT}/language`"))
            .hint(format!("a language pack exports the interface `language` of `{CONTRACT}@{CONTRACT_VERSION}`"))
            .candidates(names.exports));
    };
    let same =
        version.major == CONTRACT_VERSION.major && (version.major > 0 || version.minor == CONTRACT_VERSION.minor);
    if !same || version > CONTRACT_VERSION {
        let (state, fix) = if version > CONTRACT_VERSION {
            ("too new", "update marq, or install an older version of the plugin")
        } else {
            ("too old", "install a newer version of the plugin")
        };
        return Err(failed(format!(
            "plugin `{plugin}` is {state}: it was made for {CONTRACT} {version}, this host speaks {CONTRACT_VERSION}"
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
        identify("p", bytes).expect_err("refused").to_string()
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
}
