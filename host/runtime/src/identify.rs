//! Inspects the bytes of a plugin file before any of it runs: component, core module or neither, the version of the
//! contract (the WIT interface) that it was built for, and its imports.

use marquetry_model::{Error, Kind, Result, limits};
use semver::Version;
use wasmparser::{ComponentExternalKind, ExternalKind, Parser, Payload};

use crate::{
    convert::names,
    extism::{self, ModuleImport},
    identity::Identity,
    versions::{Contract, LANGUAGE},
};

/// Custom section in which a component lists its file patterns, one per line, so that the host knows them without
/// compiling and running it. The description of the component must list the same patterns.
const FILES_SECTION: &str = "marquetry:files";
/// Maximum bytes of the section.
const MAX_SECTION_BYTES: usize = 64 << 10;

/// Reads the identity of a plugin. Fails with a description of the file if it is not a plugin.
pub(crate) fn identify(plugin: &str, bytes: &[u8], contract: &Contract) -> Result<Identity> {
    if !bytes.starts_with(b"\0asm") {
        return Err(plugin_error(format!("plugin `{plugin}` is not WebAssembly"))
            .hint("build it for the target `wasm32-wasip2`; the file must start with `\\0asm`"));
    }
    let mut names = Names::default();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| plugin_error(format!("plugin `{plugin}` is damaged: {error}")))?;
        match payload {
            Payload::Version { encoding: wasmparser::Encoding::Module, .. } if depth == 0 => names.module = true,
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ImportSection(section) if names.module => {
                let imported = |import: wasmparser::Import<'_>| ModuleImport {
                    module: import.module.to_owned(),
                    name: import.name.to_owned(),
                };
                names.core_imports.extend(section.into_imports().flatten().map(imported));
            }
            Payload::ExportSection(section) if names.module => {
                let functions = section.into_iter().flatten().filter(|export| export.kind == ExternalKind::Func);
                names.exports.extend(functions.map(|export| export.name.to_owned()));
            }
            Payload::ComponentImportSection(section) if depth == 0 => {
                names.imports.extend(section.into_iter().flatten().map(|import| import.name.name.to_owned()));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                let instances = section.into_iter().flatten().filter(|e| e.kind == ComponentExternalKind::Instance);
                names.exports.extend(instances.map(|export| export.name.name.to_owned()));
            }
            Payload::CodeSectionEntry(body) => {
                let range = body.range();
                check_function(plugin, usize::try_from(range.end - range.start).unwrap_or(usize::MAX))?;
            }
            Payload::CustomSection(section) if section.name() == FILES_SECTION => {
                names.files.push(parse_patterns(plugin, section.data())?);
            }
            _ => {}
        }
    }
    if names.module {
        return identify_module(plugin, names, contract);
    }
    identify_component(plugin, names, contract)
}

#[derive(Default)]
struct Names {
    module: bool,
    core_imports: Vec<ModuleImport>,
    imports: Vec<String>,
    exports: Vec<String>,
    /// The lists of file patterns, one for each custom section that has such a list.
    files: Vec<Vec<String>>,
}

impl Names {
    /// Returns the file patterns. If there are several lists, the component was composed of others, so only its
    /// description at run time gives the patterns.
    fn declared_files(&self) -> Option<Vec<String>> {
        match self.files.as_slice() {
            [files] => Some(files.clone()),
            _ => None,
        }
    }
}

/// Rejects a function that is too large to compile, because the cost of compiling grows faster than the size.
fn check_function(plugin: &str, bytes: usize) -> Result<()> {
    if bytes <= limits::FUNCTION_BYTES {
        return Ok(());
    }
    let (bytes, most) = (bytes >> 10, limits::FUNCTION_BYTES >> 10);
    let message = format!("plugin `{plugin}` has a function of {bytes} KiB; at most {most} KiB are allowed");
    Err(Error::new(Kind::LimitExceeded, message).hint("build it with smaller functions, such as without inlining"))
}

/// Parses the patterns of a section.
fn parse_patterns(plugin: &str, section: &[u8]) -> Result<Vec<String>> {
    let text = std::str::from_utf8(section).ok().filter(|text| text.len() <= MAX_SECTION_BYTES);
    let text = text.ok_or_else(|| {
        plugin_error(format!("plugin `{plugin}` does not list patterns in its section `{FILES_SECTION}`"))
    })?;
    let patterns: Vec<String> = text.lines().map(str::to_owned).collect();
    names::check_patterns(&patterns).map_err(|why| plugin_error(format!("plugin `{plugin}` has {why}")))?;
    Ok(patterns)
}

fn plugin_error(message: String) -> Error {
    Error::new(Kind::PluginFailed, message)
}

/// Returns the interfaces that a component exports, with their versions.
pub(crate) fn exports(bytes: &[u8]) -> Vec<String> {
    let (mut depth, mut names) = (0_usize, Vec::new());
    for payload in Parser::new(0).parse_all(bytes).map_while(std::result::Result::ok) {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentExportSection(section) if depth == 0 => {
                let instances = section.into_iter().flatten().filter(|e| e.kind == ComponentExternalKind::Instance);
                names.extend(instances.map(|export| export.name.name.to_owned()));
            }
            _ => {}
        }
    }
    names
}

/// Returns whether the bytes are a core module rather than a component.
pub(crate) fn is_module(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some([1, 0, 0, 0].as_slice())
}

/// Identifies a core module, which is a language pack if it is an Extism module.
fn identify_module(plugin: &str, names: Names, contract: &Contract) -> Result<Identity> {
    let files = names.declared_files();
    match extism::identity(plugin, &names.core_imports, &names.exports, files) {
        Some(_) if contract.package != LANGUAGE.package => {
            Err(plugin_error(format!("plugin `{plugin}` is an Extism module"))
                .hint(format!("{} is a component: build it for the target `wasm32-wasip2`", contract.plugin)))
        }
        Some(identity) => identity,
        None => Err(plugin_error(format!("plugin `{plugin}` is a core WebAssembly module, not a component"))
            .hint("build it for the target `wasm32-wasip2`, or wrap it with `wasm-tools component new`")),
    }
}

fn identify_component(plugin: &str, names: Names, contract: &Contract) -> Result<Identity> {
    let (package, known) = (contract.package, contract.newest());
    let mut interfaces = Vec::new();
    let mut version = None;
    for export in &names.exports {
        let Some((interface, found)) =
            export.strip_prefix(package).and_then(|rest| rest.strip_prefix('/')?.split_once('@'))
        else {
            continue;
        };
        let found = Version::parse(found).map_err(|_| {
            plugin_error(format!("plugin `{plugin}` exports no valid version of the contract: `{export}`"))
        })?;
        if interface == contract.interface {
            version = Some(found);
        } else {
            interfaces.push(interface.to_owned());
        }
    }
    let Some(version) = version else {
        let Contract { interface, plugin: kind, .. } = contract;
        return Err(plugin_error(format!("plugin `{plugin}` does not export `{package}/{interface}`"))
            .hint(format!("{kind} exports the interface `{interface}` of `{package}@{known}`"))
            .candidates(names.exports));
    };
    contract.check(plugin, &version)?;
    let files = names.declared_files();
    Ok(Identity { interfaces, imports: names.imports, files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{identity::digest, versions::EDITOR};

    #[track_caller]
    fn refusal(bytes: &[u8]) -> String {
        identify("p", bytes, &LANGUAGE).expect_err("refused").to_string()
    }

    #[test]
    fn error_says_what_a_file_is_instead_of_a_component() {
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

    /// Encodes a component that exports instances of these names.
    fn component(exports: &[&str]) -> Vec<u8> {
        // An empty instance, and an export section that exports it once per name.
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
    fn only_supported_contract_versions_are_accepted() {
        let with =
            |version: &str| identify("p", &component(&[&format!("marquetry:language/language@{version}")]), &LANGUAGE);
        assert_eq!(
            with("0.1.0").expect("a supported version"),
            Identity { interfaces: vec![], imports: vec![], files: None }
        );
        assert!(with("0.1.1").is_ok(), "a newer patch version is accepted");
        for (version, state) in [("0.2.0", "too new"), ("1.0.0", "too new"), ("0.0.9", "too old")] {
            let message = with(version).expect_err("refused").to_string();
            assert!(
                message.starts_with(&format!("plugin `p` is {state}: it was built for marquetry:language {version}")),
                "{message}"
            );
        }
        let message = with("one").expect_err("refused").to_string();
        assert!(message.contains("exports no valid version of the contract: `marquetry:language/"), "{message}");
    }

    #[test]
    fn optional_interfaces_are_listed() {
        let names = ["marquetry:language/links@0.1.0", "marquetry:language/language@0.1.0", "other:thing/x@1.0.0"];
        assert_eq!(identify("p", &component(&names), &LANGUAGE).expect("a supported version").interfaces, ["links"]);
        let error =
            identify("p", &component(&["marquetry:language/links@0.1.0"]), &LANGUAGE).expect_err("no `language`");
        assert_eq!(error.content().candidates, ["marquetry:language/links@0.1.0"]);
    }

    #[test]
    fn file_patterns_are_read_from_a_custom_section() {
        let with = |sections: &[&[u8]]| {
            let mut bytes = component(&["marquetry:language/language@0.1.0"]);
            for content in sections {
                let name = FILES_SECTION.as_bytes();
                bytes.extend([0, u8::try_from(1 + name.len() + content.len()).expect("short"), name.len() as u8]);
                bytes.extend([name, content].concat());
            }
            identify("p", &bytes, &LANGUAGE).map(|identity| identity.files)
        };
        assert_eq!(with(&[b"*.ini\n.env"]), Ok(Some(vec!["*.ini".to_owned(), ".env".to_owned()])));
        assert_eq!(with(&[b""]), Ok(Some(Vec::new())));
        assert_eq!((with(&[]), with(&[b"*.a", b"*.b"])), (Ok(None), Ok(None)));
        let error = with(&[b"*.a\n[b"]).expect_err("an invalid glob").to_string();
        assert!(error.starts_with("plugin `p` has the pattern `[b`: "), "{error}");
        let error = with(&[b"\xFF"]).expect_err("not UTF-8").to_string();
        assert_eq!(error, "plugin `p` does not list patterns in its section `marquetry:files`");
    }

    #[test]
    fn large_functions_are_refused_before_compilation() {
        // A core module with one function that consists of `nop`.
        let module = |size: usize| {
            let text = format!(
                "(module (import \"extism:host/env\" \"input_length\" (func (result i64))) (func {}))",
                "nop ".repeat(size)
            );
            wat::parse_str(text).expect("a module")
        };
        let large = refusal(&module(limits::FUNCTION_BYTES + 1));
        assert!(large.starts_with("plugin `p` has a function of 1024 KiB; at most 1024 KiB are allowed"), "{large}");
        assert!(!refusal(&module(1_000)).contains("has a function of"));
    }

    #[test]
    fn damaged_bytes_are_reported() {
        let mut bytes = component(&["marquetry:language/language@0.1.0"]);
        bytes.truncate(bytes.len() - 3);
        assert!(refusal(&bytes).starts_with("plugin `p` is damaged: "), "{}", refusal(&bytes));
        assert!(refusal(b"\0asm").starts_with("plugin `p` is damaged: "));
        assert!(refusal(b"").starts_with("plugin `p` is not WebAssembly"));
    }

    #[test]
    fn extism_module_is_recognized() {
        // A core module that imports one function of the Extism host.
        let mut bytes = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02".to_vec();
        let (module, name) = ("extism:host/env", "input");
        let mut body = vec![1, module.len() as u8];
        body.extend(module.as_bytes());
        body.push(name.len() as u8);
        body.extend(name.as_bytes());
        body.extend([0, 0]);
        bytes.push(body.len() as u8);
        bytes.extend(body);
        assert!(is_module(&bytes));
        let message = refusal(&bytes);
        assert!(
            message.starts_with("plugin `p` is an Extism module that does not export `language_describe`"),
            "{message}"
        );
        let message = identify("p", &bytes, &EDITOR).expect_err("not an integration").to_string();
        assert!(message.contains("is an Extism module (hint: an editor integration is a component"), "{message}");
    }

    #[test]
    fn digest_is_standard_sha256() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
