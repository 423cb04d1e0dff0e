//! The contract as a module exports it: each function under the names of its interface and its own, with `_` for `-`. Bare
//! names would not do: `open`, `close`, `rename` and `unlink` are functions of the C library that many modules are linked with.

use marquetry_model::{Error, Kind, Result};

use super::{env, wasi, workspace};
use crate::{identity::Identity, versions::LANGUAGE};

/// The interface that every module has.
const LANGUAGE_INTERFACE: &str = "language";
/// What every module exports of it.
const REQUIRED: [&str; 8] = ["describe", "open", "close", "problems", "outline", "find", "view", "edit"];
/// What the host answers for where it is missing, as it does for older components.
const ANSWERED: [&str; 6] =
    ["parse_errors", "dependencies", "edit_ranges", "insert_missing", "stays_well_formed", "embedded"];
/// The optional interfaces. A module has one that exports all its functions.
const OPTIONAL: [(&str, &[&str]); 5] = [
    ("links", &["links", "resolve", "spell", "cover", "unlink"]),
    ("symbols", &["facts", "resolve_symbol", "rename"]),
    ("refactors", &["refactors", "offers", "apply", "answer"]),
    (
        "insight",
        &["describe_place", "type_definitions", "calls", "supertypes", "checks", "manifest_names", "read_manifest"],
    ),
    ("search", &["read_pattern", "matches"]),
];

/// Something that a module imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Imported {
    pub(crate) module: String,
    pub(crate) name: String,
}

/// A function as it is exported.
fn exported(interface: &str, name: &str) -> String {
    format!("{interface}_{name}")
}

fn has(exports: &[&str], interface: &str, name: &str) -> bool {
    exports.contains(&exported(interface, name).as_str())
}

/// The optional interfaces that are there.
fn interfaces(exports: &[&str]) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    OPTIONAL.into_iter().filter(|(interface, functions)| functions.iter().all(|name| has(exports, interface, name)))
}

/// The functions of the contract that can be asked, of all that a module exports: by their own name, and as exported.
pub(super) fn functions(exports: &[&str]) -> Vec<(&'static str, String)> {
    let language = REQUIRED.into_iter().chain(ANSWERED).map(|name| (LANGUAGE_INTERFACE, name));
    let language = language.filter(|(interface, name)| has(exports, interface, name));
    let optional = |(interface, functions): (&'static str, &'static [&'static str])| {
        functions.iter().map(move |name| (interface, *name))
    };
    let all = language.chain(interfaces(exports).flat_map(optional));
    all.map(|(interface, name)| (name, exported(interface, name))).collect()
}

/// What a module is, from its imports and exports. None, where it is no Extism module.
///
/// # Errors
/// It lacks what every language pack has.
pub(crate) fn identity(
    plugin: &str,
    imports: &[Imported],
    exports: &[String],
    files: Option<Vec<String>>,
) -> Option<Result<Identity>> {
    if !imports.iter().any(|import| import.module.starts_with("extism:host")) {
        return None;
    }
    let names: Vec<&str> = exports.iter().map(String::as_str).collect();
    let required = REQUIRED.map(|name| exported(LANGUAGE_INTERFACE, name));
    if let Some(missing) = required.iter().find(|name| !names.contains(&name.as_str())) {
        let message = format!("plugin `{plugin}` is an Extism module that does not export `{missing}`");
        let hint = format!("a language pack exports {}: see docs/plugins/extism.md", required.join(", "));
        return Some(Err(Error::new(Kind::PluginFailed, message).hint(hint).candidates(exports.iter().cloned())));
    }
    if let Some(other) = imports.iter().find(|import| import.module.starts_with("wasi:")) {
        let message = format!("plugin `{plugin}` is a core module that imports `{}` as components do", other.module);
        let hint = "build it for `wasm32-unknown-unknown` or `wasm32-wasip1`, or as a component";
        return Some(Err(Error::new(Kind::PluginFailed, message).hint(hint)));
    }
    let mut wanted: Vec<String> = imports.iter().map(wanted).collect();
    wanted.sort();
    wanted.dedup();
    let interfaces = interfaces(&names).map(|(name, _)| name.to_owned()).collect();
    Some(Ok(Identity { interfaces, imports: wanted, files }))
}

/// What an import is called where grants are looked at: the modules that are served as they are, and the workspace as every
/// pack's.
fn wanted(import: &Imported) -> String {
    match import.module.as_str() {
        env::MODULE | wasi::MODULE => import.module.clone(),
        workspace::MODULE if workspace::serves(&import.name) => {
            format!("{}/workspace@{}", LANGUAGE.package, LANGUAGE.newest())
        }
        module => format!("{module}#{}", import.name),
    }
}

/// Whether an import, as [`identity`] names it, is served to every Extism module.
pub(crate) fn serves(import: &str) -> bool {
    import == env::MODULE || import == wasi::MODULE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(module: &str, name: &str) -> Imported {
        Imported { module: module.to_owned(), name: name.to_owned() }
    }

    #[track_caller]
    fn identified(imports: &[Imported], exports: &[String]) -> Result<Identity> {
        identity("p", imports, exports, None).expect("an Extism module")
    }

    /// What every module exports, and more.
    fn exports(more: &[&str]) -> Vec<String> {
        let required = REQUIRED.iter().map(|name| exported(LANGUAGE_INTERFACE, name));
        required.chain(more.iter().map(|name| (*name).to_owned())).collect()
    }

    #[test]
    fn an_interface_is_there_when_all_its_functions_are() {
        let env = [import(env::MODULE, "alloc"), import(env::MODULE, "free")];
        let with = |more: &[&str]| identified(&env, &exports(more)).expect("a pack").interfaces;
        assert_eq!(with(&[]), Vec::<String>::new());
        assert_eq!(with(&["symbols_facts", "symbols_rename"]), Vec::<String>::new(), "half of it is none of it");
        let symbols = ["symbols_facts", "symbols_rename", "symbols_resolve_symbol"];
        assert_eq!(with(&[&symbols[..], &["search_read_pattern", "search_matches"]].concat()), ["symbols", "search"]);
        let asked = functions(&["language_open", "symbols_facts", "search_read_pattern", "search_matches", "open"]);
        let asked: Vec<(&str, &str)> = asked.iter().map(|(name, exported)| (*name, exported.as_str())).collect();
        let expected =
            [("open", "language_open"), ("read_pattern", "search_read_pattern"), ("matches", "search_matches")];
        assert_eq!(asked, expected);
    }

    #[test]
    fn no_two_functions_are_called_the_same() {
        let mut names: Vec<&str> = REQUIRED.into_iter().chain(ANSWERED).collect();
        names.extend(OPTIONAL.into_iter().flat_map(|(_, functions)| functions));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn what_it_wants_is_named_once() {
        let imports = [
            import(env::MODULE, "alloc"),
            import(env::MODULE, "http_request"),
            import(wasi::MODULE, "fd_write"),
            import(workspace::MODULE, "workspace_read"),
            import(workspace::MODULE, "launch"),
        ];
        let wanted = identified(&imports, &exports(&[])).expect("a pack").imports;
        let expected =
            [env::MODULE, "extism:host/user#launch", "marquetry:language/workspace@0.1.0", "wasi_snapshot_preview1"];
        assert_eq!(wanted, expected);
    }

    #[test]
    fn what_is_missing_is_named() {
        let exports = ["language_describe", "count_vowels"].map(str::to_owned);
        let error = identified(&[import(env::MODULE, "alloc")], &exports).expect_err("no pack");
        assert_eq!(error.content().message, "plugin `p` is an Extism module that does not export `language_open`");
        assert_eq!(error.content().candidates, exports);
        let imports = [import(env::MODULE, "alloc"), import("wasi:cli/exit@0.2.0", "exit")];
        let error = identified(&imports, &self::exports(&[])).expect_err("half a component");
        let message = "plugin `p` is a core module that imports `wasi:cli/exit@0.2.0` as components do";
        assert_eq!(error.content().message, message);
        assert!(identity("p", &[import("env", "abort")], &[], None).is_none());
    }

    /// The functions of an interface as the contract writes them, with `_` for `-`.
    fn written(interface: &str) -> Vec<String> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit/language");
        let text = std::fs::read_to_string(folder.join(format!("{interface}.wit"))).expect("the contract");
        let (_, text) = text.split_once(&format!("\ninterface {interface} {{")).expect("the interface");
        let (text, _) = text.split_once("\n}").expect("its end");
        let functions = text.lines().filter_map(|line| line.trim().split_once(": func("));
        functions.map(|(name, _)| name.replace('-', "_")).collect()
    }

    #[test]
    fn every_function_of_the_contract_is_here() {
        let mut language: Vec<&str> = REQUIRED.into_iter().chain(ANSWERED).collect();
        // The constructor, and the end of a document.
        language.retain(|name| !["open", "close"].contains(name));
        let mut expected = written("language");
        language.sort_unstable();
        expected.sort();
        assert_eq!(language, expected);
        for (name, functions) in OPTIONAL {
            assert_eq!(functions, written(name));
        }
    }
}
