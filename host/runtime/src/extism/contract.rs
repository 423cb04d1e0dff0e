//! Names under which a module exports the contract (the WIT interface): interface and function, with `_` for `-`. Bare
//! function names would collide with `open`, `close`, `rename` and `unlink` of the C library, which many modules link.

use marquetry_model::{Error, Interface, Kind, Result};

use super::host_modules::{ENV, WASI, WORKSPACE, is_workspace_function};
use crate::{identity::Identity, questions::with_questions, versions::LANGUAGE};

/// The interface that every module has.
const LANGUAGE_INTERFACE: &str = "language";
/// Functions of the interface that every module exports.
const REQUIRED: [&str; 8] = ["describe", "open", "close", "diagnostics", "outline", "find", "view", "edit"];
/// Functions that a module may lack. The host then uses the same default answers as for components built for an older
/// version.
const DEFAULTED: [&str; 6] =
    ["parse_errors", "dependencies", "edit_ranges", "insert_missing", "stays_well_formed", "embedded"];
macro_rules! names {
    (
        document { $($how:ident $part:ident $call:ident $name:ident($($_argument:tt)*) -> $answer:ty;)* }
        without_document { $($other_how:ident $other_part:ident $other_call:ident $other:ident($($_other:tt)*) -> $other_answer:ty;)* }
    ) => {
        /// The functions of optional interfaces, each with its interface.
        const OPTIONAL: &[(&str, &str)] = &[
            $((stringify!($part), stringify!($name)),)*
            $((stringify!($other_part), stringify!($other)),)*
        ];
    };
}
with_questions!(names);

/// An import of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModuleImport {
    pub(crate) module: String,
    pub(crate) name: String,
}

/// Returns the exported name of a function.
fn export_name(interface: &str, name: &str) -> String {
    format!("{interface}_{name}")
}

fn has_export(exports: &[&str], interface: &str, name: &str) -> bool {
    exports.contains(&export_name(interface, name).as_str())
}

/// Returns the functions of an optional interface.
fn functions_of(interface: Interface) -> impl Iterator<Item = &'static str> {
    OPTIONAL.iter().filter(move |(own, _)| *own == interface.name()).map(|(_, name)| *name)
}

/// Returns the optional interfaces that the module has: those whose functions it all exports.
fn interfaces(exports: &[&str]) -> impl Iterator<Item = Interface> {
    let is_whole =
        |interface: &Interface| functions_of(*interface).all(|name| has_export(exports, interface.name(), name));
    Interface::ALL.into_iter().filter(is_whole)
}

/// Returns the functions of the contract that a module exports: function name and exported name.
pub(super) fn functions(exports: &[&str]) -> Vec<(&'static str, String)> {
    let language = REQUIRED.into_iter().chain(DEFAULTED).map(|name| (LANGUAGE_INTERFACE, name));
    let language = language.filter(|(interface, name)| has_export(exports, interface, name));
    let optional = |interface: Interface| functions_of(interface).map(move |name| (interface.name(), name));
    let all = language.chain(interfaces(exports).flat_map(optional));
    all.map(|(interface, name)| (name, export_name(interface, name))).collect()
}

/// Identifies an Extism module by its imports and exports. `None` if it is not an Extism module.
///
/// # Errors
/// Fails if the Extism module lacks a required function of a language pack.
pub(crate) fn identity(
    plugin: &str,
    imports: &[ModuleImport],
    exports: &[String],
    files: Option<Vec<String>>,
) -> Option<Result<Identity>> {
    if !imports.iter().any(|import| import.module.starts_with("extism:host")) {
        return None;
    }
    let names: Vec<&str> = exports.iter().map(String::as_str).collect();
    let required = REQUIRED.map(|name| export_name(LANGUAGE_INTERFACE, name));
    if let Some(missing) = required.iter().find(|name| !names.contains(&name.as_str())) {
        let message = format!("plugin `{plugin}` is an Extism module that does not export `{missing}`");
        let hint = format!("a language pack exports {}: see docs/plugins/extism.md", required.join(", "));
        return Some(Err(Error::new(Kind::PluginFailed, message).hint(hint).candidates(exports.iter().cloned())));
    }
    if let Some(other) = imports.iter().find(|import| import.module.starts_with("wasi:")) {
        let message = format!("plugin `{plugin}` is a core module that imports `{}`, as components do", other.module);
        let hint = "build it for `wasm32-unknown-unknown` or `wasm32-wasip1`, or as a component";
        return Some(Err(Error::new(Kind::PluginFailed, message).hint(hint)));
    }
    let mut wanted: Vec<String> = imports.iter().map(import_name).collect();
    wanted.sort();
    wanted.dedup();
    let interfaces = interfaces(&names).map(|interface| interface.name().to_owned()).collect();
    Some(Ok(Identity { interfaces, imports: wanted, files }))
}

/// Returns the name under which grants of an import are checked. An import of a module that is always provided has the
/// name of that module, and a workspace function has the name of the workspace interface.
fn import_name(import: &ModuleImport) -> String {
    match import.module.as_str() {
        ENV | WASI => import.module.clone(),
        WORKSPACE if is_workspace_function(&import.name) => {
            format!("{}/workspace@{}", LANGUAGE.package, LANGUAGE.newest())
        }
        module => format!("{module}#{}", import.name),
    }
}

/// Returns whether an import, as named by [`identity`], is provided to every Extism module.
pub(crate) fn is_provided(import: &str) -> bool {
    import == ENV || import == WASI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(module: &str, name: &str) -> ModuleImport {
        ModuleImport { module: module.to_owned(), name: name.to_owned() }
    }

    #[track_caller]
    fn identified(imports: &[ModuleImport], exports: &[String]) -> Result<Identity> {
        identity("p", imports, exports, None).expect("an Extism module")
    }

    /// Exports of a minimal module, and more.
    fn exports(more: &[&str]) -> Vec<String> {
        let required = REQUIRED.iter().map(|name| export_name(LANGUAGE_INTERFACE, name));
        required.chain(more.iter().map(|name| (*name).to_owned())).collect()
    }

    #[test]
    fn interface_needs_all_its_functions() {
        let env = [import(ENV, "alloc"), import(ENV, "free")];
        let with = |more: &[&str]| identified(&env, &exports(more)).expect("a pack").interfaces;
        assert_eq!(with(&[]), Vec::<String>::new());
        assert_eq!(with(&["symbols_facts", "symbols_rename"]), Vec::<String>::new(), "incomplete interface");
        let symbols = ["symbols_facts", "symbols_rename", "symbols_resolve_symbol"];
        assert_eq!(with(&[&symbols[..], &["search_read_pattern", "search_matches"]].concat()), ["symbols", "search"]);
        let asked = functions(&["language_open", "symbols_facts", "search_read_pattern", "search_matches", "open"]);
        let asked: Vec<(&str, &str)> = asked.iter().map(|(name, exported)| (*name, exported.as_str())).collect();
        let expected =
            [("open", "language_open"), ("matches", "search_matches"), ("read_pattern", "search_read_pattern")];
        assert_eq!(asked, expected);
    }

    #[test]
    fn exported_function_names_are_unique() {
        let mut names: Vec<&str> = REQUIRED.into_iter().chain(DEFAULTED).collect();
        names.extend(OPTIONAL.iter().map(|(_, name)| name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn imports_are_listed_once() {
        let imports = [
            import(ENV, "alloc"),
            import(ENV, "http_request"),
            import(WASI, "fd_write"),
            import(WORKSPACE, "workspace_read"),
            import(WORKSPACE, "launch"),
        ];
        let wanted = identified(&imports, &exports(&[])).expect("a pack").imports;
        let expected = [ENV, "extism:host/user#launch", "marquetry:language/workspace@0.1.0", "wasi_snapshot_preview1"];
        assert_eq!(wanted, expected);
    }

    #[test]
    fn missing_functions_are_named() {
        let exports = ["language_describe", "count_vowels"].map(str::to_owned);
        let error = identified(&[import(ENV, "alloc")], &exports).expect_err("not a language pack");
        assert_eq!(error.content().message, "plugin `p` is an Extism module that does not export `language_open`");
        assert_eq!(error.content().candidates, exports);
        let imports = [import(ENV, "alloc"), import("wasi:cli/exit@0.2.0", "exit")];
        let error =
            identified(&imports, &self::exports(&[])).expect_err("a core module that imports functions of a component");
        let message = "plugin `p` is a core module that imports `wasi:cli/exit@0.2.0`, as components do";
        assert_eq!(error.content().message, message);
        assert!(identity("p", &[import("env", "abort")], &[], None).is_none());
    }

    /// Functions of an interface in the WIT file, with `_` for `-`.
    fn written(interface: &str) -> Vec<String> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit/language");
        let text = std::fs::read_to_string(folder.join(format!("{interface}.wit"))).expect("the contract");
        let (_, text) = text.split_once(&format!("\ninterface {interface} {{")).expect("the interface");
        let (text, _) = text.split_once("\n}").expect("its end");
        let functions = text.lines().filter_map(|line| line.trim().split_once(": func("));
        functions.map(|(name, _)| name.replace('-', "_")).collect()
    }

    #[test]
    fn every_function_of_the_contract_is_listed() {
        let mut language: Vec<&str> = REQUIRED.into_iter().chain(DEFAULTED).collect();
        // The constructor and destructor of a document.
        language.retain(|name| !["open", "close"].contains(name));
        let mut expected = written("language");
        language.sort_unstable();
        expected.sort();
        assert_eq!(language, expected);
        for interface in Interface::ALL {
            let (mut known, mut expected): (Vec<&str>, _) =
                (functions_of(interface).collect(), written(interface.name()));
            known.sort_unstable();
            expected.sort();
            assert_eq!(known, expected);
        }
    }
}
