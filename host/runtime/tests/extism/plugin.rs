//! Extism modules in text format: each function returns some JSON or runs other code.

use std::{fs, path::PathBuf, sync::Arc};

use marquetry_model::{
    Error, Result,
    ports::{Document, Pack, Packs},
};
use marquetry_runtime::{Options, PackSet, TrustPolicy};
use marquetry_testkit::MemoryFiles;

/// Imports of every module, and a function that returns bytes of its memory.
const START: &str = r#"
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "free" (func $free (param i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "extism:host/env" "load_u8" (func $load_u8 (param i64) (result i32)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "error_set" (func $error_set (param i64)))
  (import "extism:host/env" "config_get" (func $config_get (param i64) (result i64)))
  (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64)))
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
  (import "extism:host/env" "log_warn" (func $log_warn (param i64)))
  (import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64)))
  (memory (export "memory") 2)
  (global $documents (mut i32) (i32.const 0))
  (func $block (param $at i32) (param $length i32) (result i64)
    (local $block i64) (local $i i32)
    (local.set $block (call $alloc (i64.extend_i32_u (local.get $length))))
    (loop $next
      (if (i32.lt_u (local.get $i) (local.get $length)) (then
        (call $store_u8
          (i64.add (local.get $block) (i64.extend_i32_u (local.get $i)))
          (i32.load8_u (i32.add (local.get $at) (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next))))
    (local.get $block))
  (func $answer (param $at i32) (param $length i32)
    (call $output_set (call $block (local.get $at) (local.get $length)) (i64.extend_i32_u (local.get $length))))
  (func $recurse (param i32) (result i32)
    (i32.add (i32.const 1) (call $recurse (i32.add (local.get 0) (i32.const 1)))))
"#;

/// The description that the module returns.
const DESCRIPTION: &str = r#"{"id": "p", "name": "P", "version": "1.2.3", "files": ["*.p"],
 "targets": [{"kind": "path", "syntax": "s", "examples": []}], "regions": [], "templates": [],
 "settings_schema": "{}","relinks":false, "help": ""}"#;
/// A node for a whole text of four bytes.
pub(crate) const NODE: &str = r#"{"id": 7, "kind": "text", "name": "all", "address": "$", "span": {"start": 0, "end": 4},
 "selection": {"start": 0, "end": 0}}"#;

/// Builder of a module.
pub(crate) struct Plugin {
    functions: Vec<(String, String)>,
    more: String,
    /// Address of the next text in the memory of the module.
    at: usize,
}

impl Plugin {
    /// Returns a module that works correctly.
    pub(crate) fn healthy() -> Plugin {
        let plugin = Plugin { functions: Vec::new(), more: String::new(), at: 1024 };
        let open = "(global.set $documents (i32.add (global.get $documents) (i32.const 1)))
            (i32.store8 (i32.const 0) (i32.add (i32.const 48) (global.get $documents)))
            (call $answer (i32.const 0) (i32.const 1))";
        plugin
            .answering("language_describe", DESCRIPTION)
            .doing("language_open", open)
            .answering("language_close", "")
            .answering("language_diagnostics", "[]")
            .answering("language_outline", &format!("[{NODE}]"))
            .answering("language_find", &format!(r#"{{"ok": {{"nodes": {{"nodes": [{NODE}], "total": 1}}}}}}"#))
            .answering("language_view", r#"{"ok": {"span": {"start": 0, "end": 4}}}"#)
            .answering("language_edit", r#"{"ok": [{"span": {"start": 0, "end": 4}, "text": "new"}]}"#)
    }

    /// Adds a function that returns this JSON.
    pub(crate) fn answering(mut self, name: &str, json: &str) -> Plugin {
        let (at, length) = self.text(json);
        self.doing(name, &format!("(call $answer (i32.const {at}) (i32.const {length}))"))
    }

    /// Adds a function with this body that returns 0.
    pub(crate) fn doing(self, name: &str, body: &str) -> Plugin {
        self.writing(name, &format!("(result i32) {body} (i32.const 0)"))
    }

    /// Adds a function in text format.
    pub(crate) fn writing(mut self, name: &str, function: &str) -> Plugin {
        self.functions.retain(|(known, _)| known != name);
        self.functions.push((name.to_owned(), function.to_owned()));
        self
    }

    /// Removes a function.
    pub(crate) fn without(mut self, name: &str) -> Plugin {
        self.functions.retain(|(known, _)| known != name);
        self
    }

    /// Adds code before all functions.
    pub(crate) fn with(mut self, more: &str) -> Plugin {
        self.more.push_str(more);
        self
    }

    /// Adds a text to the memory of the module; returns its address and length.
    pub(crate) fn text(&mut self, text: &str) -> (usize, usize) {
        let at = self.at;
        let escaped: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
        self.more.push_str(&format!("(data (i32.const {at}) \"{escaped}\")\n"));
        self.at += text.len();
        (at, text.len())
    }

    /// Returns the bytes of the module.
    pub(crate) fn wasm(&self) -> Vec<u8> {
        // Imports must come first.
        let (imports, more): (Vec<&str>, Vec<&str>) = self.more.lines().partition(|line| line.starts_with("(import"));
        let (head, rest) = START.split_once("(memory").expect("a memory");
        let functions: String =
            self.functions.iter().map(|(name, body)| format!("(func (export \"{name}\") {body})\n")).collect();
        let text = format!("{head}{}(memory{rest}{}{functions})", imports.concat(), more.join("\n"));
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Installs the module in a new project, with these fields in the registry.
    pub(crate) fn installed(&self, fields: &str) -> Installed {
        Installed::install("p", &self.wasm(), fields)
    }
}

/// A module in a project.
pub(crate) struct Installed {
    pub(crate) packs: PackSet,
    pub(crate) folder: tempfile::TempDir,
}

impl Installed {
    /// Installs a module under a name, with these fields in the registry.
    pub(crate) fn install(id: &str, module: &[u8], fields: &str) -> Installed {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("p.wasm");
        fs::write(&file, module).expect("written");
        let registry = format!("marquetry = 1\n[plugins.{id}]\nsource = \"path:{}\"\n{fields}\n", file.display());
        let packs = PackSet::new(Options {
            default_registry: registry,
            bundled: Vec::new(),
            cache: Some(folder.path().join("cache")),
            trust: TrustPolicy::Nothing,
        });
        Installed { packs, folder }
    }

    pub(crate) fn pack(&self) -> Result<Arc<dyn Pack>> {
        self.packs.for_path(&MemoryFiles::from_files([("a.txt", "one"), ("empty.txt", "")]), "a.p")
    }

    /// Opens a document with this text.
    pub(crate) fn open(&self, text: &str) -> Box<dyn Document> {
        self.pack().expect("a pack").open("a.p", &Arc::from(text)).expect("opening never fails")
    }

    /// Returns the error of a call that uses the module.
    #[track_caller]
    pub(crate) fn refusal(&self) -> Error {
        self.pack().map(|_| ()).expect_err("refused")
    }

    /// Creates a new set with the same cache, as in a new process.
    pub(crate) fn again(self, registry: &str) -> Installed {
        let cache: PathBuf = self.folder.path().join("cache");
        let packs = PackSet::new(Options {
            default_registry: registry.replace("FILE", &self.folder.path().join("p.wasm").display().to_string()),
            bundled: Vec::new(),
            cache: Some(cache),
            trust: TrustPolicy::Nothing,
        });
        Installed { packs, folder: self.folder }
    }
}
