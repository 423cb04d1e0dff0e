//! Extism modules as language packs: answers, host functions, and handling of misbehaving modules.

mod answers;
mod interfaces;
mod plugin;
mod script;
mod workspace;

use std::sync::Arc;

use marquetry_model::{
    Interface, Kind, Relocation, Result, Span, Work,
    pack::{EditOptions, FindResult, Form, Operation, Query, Target, TargetKind, View},
    ports::{Document, Packs},
};
use marquetry_testkit::{MemoryFiles, laws};
use plugin::{Installed, NODE, Plugin};
use proptest::prelude::*;

/// Low limits.
const TIGHT: &str = "limits = { seconds = 1, memory-mib = 16 }";

fn query(value: &str) -> Query {
    Query { target: Target { kind: TargetKind::Path, value: value.to_owned() }, limit: 5, values: false }
}

#[test]
fn extism_module_works_as_a_pack() {
    let installed = Plugin::healthy().installed("");
    let pack = installed.pack().expect("a pack");
    let description = pack.description();
    assert_eq!((description.id.as_str(), description.version.as_str()), ("p", "1.2.3"));
    assert_eq!(description.targets[0].kind, TargetKind::Path);
    assert!(!pack.has_interface(Interface::Links) && !pack.has_interface(Interface::Search));
    let mut document = installed.open("text");
    assert_eq!(document.diagnostics(), Ok(Vec::new()));
    let outline = document.outline().expect("an outline");
    assert_eq!((outline[0].address.as_str(), outline[0].span), ("$", Span::new(0, 4)));
    let Ok(FindResult::Nodes(nodes, 1)) = document.find(&query("$")) else { panic!("one node") };
    assert_eq!(document.view(nodes[0].id, Form::Full), Ok(View::Span(Span::new(0, 4))));
    let edits = document.edit(&[7], &Operation::Delete, EditOptions::default()).expect("edits");
    assert_eq!(edits.apply("text"), "new");
    // Missing functions get a default answer or fail.
    assert_eq!(document.embedded(), Ok(Vec::new()));
    assert_eq!(document.dependencies(7), Ok(Vec::new()));
    assert_eq!(document.stays_well_formed(&[]), Ok(false));
    let target = Target { kind: TargetKind::Path, value: "new".to_owned() };
    assert_eq!(
        document.insert_missing(&target, "x").expect_err("the module cannot create targets").kind(),
        Kind::Unsupported
    );
    let error = document.links().expect_err("the module has no interface `links`");
    assert_eq!(error.content().message, "plugin `p` does not have the interface `links`");
}

#[test]
fn arguments_are_json_followed_by_the_text() {
    // `diagnostics` fails with the input of `open` as its error; `find` and `edit` fail with their own input.
    let keep = "(call $keep)";
    let echo = r#"(func $keep
        (local $i i64)
        (global.set $kept (i32.wrap_i64 (call $input_length)))
        (loop $next (if (i64.lt_u (local.get $i) (call $input_length)) (then
          (i32.store8 (i32.add (i32.const 65536) (i32.wrap_i64 (local.get $i))) (call $input_load_u8 (local.get $i)))
          (local.set $i (i64.add (local.get $i) (i64.const 1))) (br $next)))))
      (func $fail (result i32)
        (call $error_set (call $block (i32.const 65536) (global.get $kept))) (i32.const 3))
      (global $kept (mut i32) (i32.const 0))"#;
    let mut plugin = Plugin::healthy().with(echo);
    let (at, length) = plugin.text("1");
    let installed = plugin
        .doing("language_open", &format!("{keep} (call $answer (i32.const {at}) (i32.const {length}))"))
        .writing("language_diagnostics", "(result i32) (call $fail)")
        .writing("language_find", &format!("(result i32) {keep} (call $fail)"))
        .writing("language_edit", &format!("(result i32) {keep} (call $fail)"))
        .installed("settings = { indent = 2, name = \"n\" }");
    let asked = |error: &marquetry_model::Error| -> serde_json::Value {
        let (_, text) =
            error.content().message.split_once("it reported: ").expect("the error contains the input of the call");
        serde_json::from_str(text).expect("JSON")
    };
    let mut document = installed.open("é {}");
    let error = document.diagnostics().expect_err("it fails");
    let content = error.content();
    assert!(
        content
            .message
            .starts_with("plugin `p` failed while checking a.p: `language_diagnostics` returned 3; it reported: ")
    );
    // The message has the last line; the details start with the first.
    assert!(content.message.ends_with("it reported: é {}"), "{}", content.message);
    let logs = installed.packs.logs("p").expect("the log of the failed call is stored");
    assert!(logs.contains("{\"path\":\"a.p\",\"settings\":{\"indent\":2,\"name\":\"n\"}}\n   é {}\n"), "{logs}");
    let error = document.find(&query("$.a")).expect_err("it fails");
    let expected = r#"{"document":1,"query":{"target":{"kind":"path","value":"$.a"},"limit":5,"values":false}}"#;
    assert_eq!(asked(&error), serde_json::from_str::<serde_json::Value>(expected).expect("JSON"));
    document.outline().expect("the document is opened again after the failure");
    let operation = Operation::ReplaceBody("x".to_owned());
    let error = document.edit(&[7], &operation, EditOptions::default()).expect_err("it fails");
    let expected =
        r#"{"document":1,"nodes":[7],"operation":{"replace_body":"x"},"options":{"include_doc":false,"force":false}}"#;
    assert_eq!(asked(&error), serde_json::from_str::<serde_json::Value>(expected).expect("JSON"));
}

#[test]
fn failures_are_returned_as_values() {
    let failure = r#"{"failure": {"kind": "target_not_found", "message": "no `x`", "hint": "try `$`", "candidates": ["$"],
        "span": {"start": 2, "end": 3}}}"#;
    let installed = Plugin::healthy().answering("language_find", failure).installed("");
    for _ in 0..5 {
        let error = installed.open("text").find(&query("x")).expect_err("a failure");
        let content = error.content();
        assert_eq!((error.kind(), content.message.as_str()), (Kind::TargetNotFound, "no `x` (line 1, column 2)"));
        assert_eq!((content.hint.as_deref(), content.candidates.as_slice()), (Some("try `$`"), &["$".to_owned()][..]));
    }
    installed.open("text").outline().expect("reported failures must not quarantine the plugin");
}

#[test]
fn interface_needs_all_its_functions() {
    let link = r#"{"kind": "href", "span": {"start": 0, "end": 4}, "statement": {"start": 0, "end": 4},
        "specifier": "text", "names": [], "type_only": false}"#;
    let half =
        Plugin::healthy().answering("links_links", &format!("[{link}]")).answering("links_resolve", r#"["external"]"#);
    let whole = half
        .answering("links_additional_moves", r#"[{"from": "b", "to": "d/b"}]"#)
        .answering(
            "links_format_specifiers",
            r#"[{"ok": "a"}, {"failure": {"kind": "unsupported", "message": "m", "candidates": []}}]"#,
        )
        .answering("links_relink", r#"{"ok": {"edits": [], "ask": [], "create": [], "unresolved": []}}"#)
        .answering(
            "links_unlink",
            r#"{"ok": {"edits": [{"span": {"start": 0, "end": 4}, "text": ""}], "ask": [], "create": [], "unresolved": []}}"#,
        );
    let installed = whole.installed("");
    let pack = installed.pack().expect("a pack");
    assert!(pack.has_interface(Interface::Links) && !pack.has_interface(Interface::Symbols));
    let mut document = installed.open("text");
    assert_eq!(document.links().expect("links")[0].specifier, "text");
    assert_eq!(document.remove_links(&[0]).expect("edits").edits.apply("text"), "");
    let asked = [("href".to_owned(), "text".to_owned())];
    assert_eq!(pack.resolve("a.p", &asked), Ok(vec![marquetry_model::pack::Destination::External]));
    let moved = |from: &str, to: &str| Relocation { from: from.to_owned(), to: to.to_owned() };
    assert_eq!(pack.additional_moves(&moved("a.p", "d/a.p")), Ok(vec![moved("b", "d/b")]));
    let missing = Plugin::healthy().answering("links_links", "[]").installed("");
    assert!(!missing.pack().expect("a pack").has_interface(Interface::Links));
    assert!(missing.open("text").links().is_err(), "an interface with missing functions is unavailable");
}

#[test]
fn file_patterns_are_declared_in_a_section() {
    let section = r#"(@custom "marquetry:files" "*.p")"#;
    let installed = Plugin::healthy().with(section).installed("");
    installed.pack().expect("a pack");
    let other = Plugin::healthy().with(r#"(@custom "marquetry:files" "*.q")"#).installed("files = [\"*.p\"]");
    assert!(other.refusal().to_string().contains("reports the patterns `*.p`, but its file declares `*.q`"));
}

#[test]
fn compiled_module_is_cached() {
    let installed = Plugin::healthy().installed("");
    installed.open("text").outline().expect("an outline");
    let code = || {
        let files = std::fs::read_dir(installed.folder.path().join("cache")).expect("a cache").flatten();
        files
            .filter(|file| file.path().extension().is_some_and(|name| name == "cwasm"))
            .map(|file| (file.file_name(), file.metadata().expect("there").modified().expect("a time")))
    };
    let before: Vec<_> = code().collect();
    assert_eq!(before.len(), 1);
    let again = installed.again("marquetry = 1\n[plugins.p]\nsource = \"path:FILE\"\n");
    again.open("text").outline().expect("from the cache");
    let files = std::fs::read_dir(again.folder.path().join("cache")).expect("a cache").flatten();
    let after: Vec<_> = files
        .filter(|file| file.path().extension().is_some_and(|name| name == "cwasm"))
        .map(|file| (file.file_name(), file.metadata().expect("there").modified().expect("a time")))
        .collect();
    assert_eq!(before, after, "nothing was compiled again");
}

#[test]
fn variables_and_memory_persist_and_settings_are_read() {
    // `diagnostics` traps unless the setting `name` has three bytes, and sets a variable to two bytes. `outline` traps
    // unless that variable has two bytes.
    let mut plugin = Plugin::healthy();
    let (name, _) = plugin.text("name");
    let installed = plugin
        .answering("language_view", r#"{"ok": {"text": "x"}}"#)
        .doing("language_diagnostics", &format!(
            "(if (i64.ne (call $length (call $config_get (call $block (i32.const {name}) (i32.const 4)))) (i64.const 3)) (then unreachable))
             (call $var_set (call $block (i32.const {name}) (i32.const 4)) (call $block (i32.const {name}) (i32.const 2)))
             (call $answer (i32.const 8) (i32.const 2))"
        ))
        .doing("language_outline", &format!(
            "(if (i64.ne (call $length (call $var_get (call $block (i32.const {name}) (i32.const 4)))) (i64.const 2)) (then unreachable))
             (call $answer (i32.const 8) (i32.const 2))"
        ))
        .with(r#"(data (i32.const 8) "[]")"#)
        .installed("settings = { name = \"abc\" }");
    let mut document = installed.open("text");
    document.diagnostics().expect("the setting has three bytes");
    document.outline().expect("the variable from the previous call has two bytes");
}

#[test]
fn least_recent_documents_are_closed() {
    // `close` counts, and `view` fails with the number of closed documents.
    let installed = Plugin::healthy()
        .with("(global $closed (mut i32) (i32.const 0))")
        .doing("language_open", r#"
            (global.set $documents (i32.add (global.get $documents) (i32.const 1)))
            (i32.store8 (i32.const 0) (i32.add (i32.const 48) (i32.div_u (global.get $documents) (i32.const 100))))
            (i32.store8 (i32.const 1) (i32.add (i32.const 48) (i32.rem_u (i32.div_u (global.get $documents) (i32.const 10)) (i32.const 10))))
            (i32.store8 (i32.const 2) (i32.add (i32.const 48) (i32.rem_u (global.get $documents) (i32.const 10))))
            (if (i32.lt_u (global.get $documents) (i32.const 10))
              (then (call $answer (i32.const 2) (i32.const 1)))
              (else (if (i32.lt_u (global.get $documents) (i32.const 100))
                (then (call $answer (i32.const 1) (i32.const 2)))
                (else (call $answer (i32.const 0) (i32.const 3))))))"#)
        .doing("language_close", "(global.set $closed (i32.add (global.get $closed) (i32.const 1)))")
        .writing("language_view", "(result i32) (global.get $closed)")
        .installed("");
    for number in 0..300 {
        installed.open(&format!("text {number}")).diagnostics().expect("answered");
    }
    let mut document = installed.open("text 299");
    document.diagnostics().expect("answered");
    let error = document.view(7, Form::Full).expect_err("the function fails with the count");
    assert!(error.content().message.contains("`language_view` returned 44"), "{error}");
}

#[test]
fn later_calls_report_the_last_failure() {
    let installed = Plugin::healthy().writing("language_view", "(result i32) (i32.const 7)").installed("");
    let mut document = installed.open("text");
    document.find(&query("$")).expect("found");
    let first = document.view(1, Form::Signature).expect_err("it fails");
    assert!(first.content().message.contains("`language_view` returned 7"), "{first}");
    // The caller ignored the failure, so its next call with ids fails with the same error.
    assert_eq!(document.view(1, Form::Full).expect_err("the instance with these ids is lost"), first);
    // A call without ids starts a new instance, and the ids from that one are valid.
    document.find(&query("$")).expect("found again");
    assert_eq!(document.view(1, Form::Full).expect_err("it fails again").content().message, first.content().message);
}

#[test]
fn modules_that_are_not_packs_are_refused() {
    let error = Plugin::healthy().without("language_find").installed("files = [\"*.p\"]").refusal();
    assert_eq!(error.content().message, "plugin `p` is an Extism module that does not export `language_find`");
    let error = Plugin::healthy().writing("language_find", "(param i32)").installed("").refusal();
    assert!(error.content().message.contains("which no function of an Extism plug-in has"), "{error}");
    for (import, named) in [
        ("(import \"extism:host/user\" \"launch\" (func))\n", "extism:host/user#launch"),
        ("(import \"env\" \"abort\" (func))\n", "env#abort"),
    ] {
        let error = Plugin::healthy().with(import).installed("").refusal();
        assert_eq!(error.kind(), Kind::PermissionDenied);
        assert_eq!(error.content().message, format!("plugin `p` imports `{named}`, which plugins may not import"));
    }
}

/// WASI functions that a standard library calls at startup return empty values, and output is logged.
#[test]
fn wasi_functions_return_empty_values() {
    let imports = concat!(
        "(import \"wasi_snapshot_preview1\" \"fd_write\" (func $fd_write (param i32 i32 i32 i32) (result i32)))\n",
        "(import \"wasi_snapshot_preview1\" \"random_get\" (func $random_get (param i32 i32) (result i32)))\n",
        "(import \"wasi_snapshot_preview1\" \"path_open\" (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))\n",
        "(import \"wasi_snapshot_preview1\" \"proc_exit\" (func $proc_exit (param i32)))\n",
    );
    let mut plugin = Plugin::healthy().with(imports).with("(global $started (mut i32) (i32.const 0))\n");
    let (text, length) = plugin.text("TypeError: no\n");
    let print = format!(
        "(i32.store (i32.const 16) (i32.const {text})) (i32.store (i32.const 20) (i32.const {length}))
         (if (call $fd_write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 24)) (then unreachable))
         (if (i32.ne (i32.load (i32.const 24)) (i32.const {length})) (then unreachable))"
    );
    let installed = plugin
        .writing("_initialize", "(global.set $started (i32.const 1))")
        .doing(
            "language_diagnostics",
            "(if (i32.eqz (global.get $started)) (then unreachable))
             (i32.store (i32.const 32) (i32.const -1))
             (if (call $random_get (i32.const 32) (i32.const 4)) (then unreachable))
             (if (i32.load (i32.const 32)) (then unreachable))
             (if (i32.ne (i32.const 8) (call $path_open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0)
               (i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 0))) (then unreachable))
             (call $answer (i32.const 8) (i32.const 2))",
        )
        .doing("language_outline", &format!("{print} (call $proc_exit (i32.const 1))"))
        .doing(
            "language_find",
            // A write of a thousand buffers, which all refer to the same large memory.
            "(local $i i32)
             (drop (memory.grow (i32.const 500)))
             (loop $next
               (i32.store (i32.add (i32.const 4096) (i32.mul (local.get $i) (i32.const 8))) (i32.const 0))
               (i32.store (i32.add (i32.const 4100) (i32.mul (local.get $i) (i32.const 8))) (i32.const 32000000))
               (local.set $i (i32.add (local.get $i) (i32.const 1)))
               (br_if $next (i32.lt_u (local.get $i) (i32.const 1024))))
             (if (call $fd_write (i32.const 1) (i32.const 4096) (i32.const 1024) (i32.const 24)) (then unreachable))
             (if (i32.eq (i32.load (i32.const 24)) (i32.const 65536)) (then (call $proc_exit (i32.const 0))))",
        )
        .doing("language_view", "(drop (call $random_get (i32.const -8) (i32.const 4096)))")
        .with("(data (i32.const 8) \"[]\")")
        .installed("");
    installed.open("text").diagnostics().expect("all WASI functions return empty values");
    let error = installed.open("text").outline().expect_err("the module called `proc_exit`");
    let message = "plugin `p` failed while outlining a.p: the plugin called `proc_exit`; it reported: TypeError: no";
    assert_eq!(error.content().message, message);
    let mut document = installed.open("text");
    document.diagnostics().expect("a new instance must answer");
    let error = document.view(7, Form::Full).expect_err("an invalid address");
    assert!(error.content().message.contains("it passed an address beyond its memory"), "{error}");
    let error = installed.open("text").find(&query("$")).expect_err("the module called `proc_exit`");
    assert!(
        error.content().message.contains("the plugin called `proc_exit`"),
        "a large write must not use up the time limit: {error}"
    );
}

/// Tokens that the parser treats specially.
const PIECES: [&str; 16] =
    ["a", "b", "é", "😀", "=", " = ", "\n", "\r\n", " ", "\t", "#", "[1]", "\"", "\\", "\0", "\u{feff}"];

/// The sample pack, built from `examples/packs/properties-extism`.
fn sample() -> Installed {
    let module = include_bytes!("extism/properties.wasm");
    Installed::install("properties", module, "")
}

#[test]
fn pack_in_another_language_satisfies_the_laws() {
    let installed = sample();
    let pack = installed.packs.for_path(&MemoryFiles::from_files([]), "a.properties").expect("a pack");
    let check = |text: &str| laws(&pack, "a.properties", text).unwrap_or_else(|broken| panic!("{broken}\n{text}"));
    for text in ["", "a = 1\nb=2\n", "é = ü\r\na = 😀\r\n\r\n# c\r\na =\r\nbroken", "=\n==\na=\"\\\"\nx[1]=\nx=\nx=1"]
    {
        check(text);
    }
    let many: String = (0..3_000).map(|line| format!("key{line} = value {line}\n")).collect();
    check(&many);
    let config = ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() };
    let text = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat());
    proptest!(config, |(text in text)| check(&text));
}

#[test]
fn large_text_is_opened_and_edited() {
    let installed = sample();
    let pack = installed.packs.for_path(&MemoryFiles::from_files([]), "a.properties").expect("a pack");
    let text: String = (0..40_000).map(|line| format!("key{line} = value of some length {line}\n")).collect();
    let mut document = pack.open("a.properties", &Arc::from(text.as_str())).expect("open");
    assert_eq!(document.outline().expect("an outline").len(), 40_000);
    let Ok(FindResult::Nodes(nodes, 1)) = document.find(&query("key39999")) else { panic!("one node") };
    let edits = document.edit(&[nodes[0].id], &Operation::Replace("new".to_owned()), EditOptions::default());
    assert!(edits.expect("edits").apply(&text).ends_with("key39999 = new\n"));
    assert!(
        document.insert_missing(&query("new.one").target, "1").expect("made").apply(&text).ends_with("new.one = 1\n")
    );
}

type Ask = fn(&mut dyn Document) -> Result<()>;

/// Checks the error of a misbehaving call. The document still works afterwards if another call is made on it.
#[track_caller]
fn check(plugin: Plugin, ask: Ask, expected: &str) {
    let installed = plugin.installed(TIGHT);
    let error = ask(installed.open("text").as_mut()).expect_err("the call fails");
    let message = &error.content().message;
    assert_eq!(error.kind(), Kind::PluginFailed, "{message}");
    assert!(message.starts_with("plugin `p` ") && message.contains(expected), "{message}");
    installed.open("text").diagnostics().expect("it answers again");
}

fn outline(document: &mut dyn Document) -> Result<()> {
    document.outline().map(drop)
}

fn edit(document: &mut dyn Document) -> Result<()> {
    document.diagnostics()?;
    document.edit(&[7], &Operation::Delete, EditOptions::default()).map(drop)
}

fn hostile(body: &str) -> Plugin {
    Plugin::healthy().doing("language_outline", body)
}

#[test]
fn endless_loop_is_stopped() {
    check(hostile("(loop $again (br $again))"), outline, "was stopped while outlining a.p: it took too long");
}

#[test]
fn endless_loop_at_start_is_stopped() {
    let plugin = Plugin::healthy().writing("_initialize", "(loop $again (br $again))");
    let error = plugin.installed(TIGHT).refusal();
    assert!(error.content().message.contains("was stopped while starting it: it took too long"), "{error}");
}

#[test]
fn endless_allocation_is_stopped() {
    let grow = "(loop $again (br_if $again (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable";
    check(hostile(grow), outline, "MiB of memory while outlining a.p; its limit is 16 MiB");
    let blocks = "(loop $again (drop (call $alloc (i64.const 4096))) (br $again))";
    check(hostile(blocks), outline, "MiB of memory while outlining a.p; its limit is 16 MiB");
    let one = "(drop (call $alloc (i64.const 1))) (loop $again (drop (call $alloc (i64.const 1))) (br $again))";
    check(hostile(one), outline, "MiB of memory while outlining a.p; its limit is 16 MiB");
    check(hostile("(drop (call $alloc (i64.const -1)))"), outline, "MiB of memory while outlining a.p");
}

#[test]
fn trap_and_endless_recursion_are_reported() {
    check(hostile("unreachable"), outline, "failed while outlining a.p: wasm trap: wasm `unreachable` instruction");
    check(
        hostile("(drop (call $recurse (i32.const 0)))"),
        outline,
        "failed while outlining a.p: wasm trap: call stack",
    );
}

#[test]
fn network_functions_trap() {
    let call = "(drop (call $http_request (i64.const 0) (i64.const 0)))";
    check(hostile(call), outline, "`http_request` is not granted: plugins have no network access");
}

#[test]
fn endless_logging_is_stopped() {
    let mut plugin = Plugin::healthy();
    let (at, length) = plugin.text("again");
    let log = format!("(call $log_warn (call $block (i32.const {at}) (i32.const {length})))");
    let endless = format!("(loop $again {log} (br $again))");
    check(plugin.doing("language_outline", &endless), outline, "it took too long");
    // The module logs a hundred thousand lines. Most of them are dropped, and the call succeeds.
    let mut plugin = Plugin::healthy();
    let (at, length) = plugin.text("[]");
    let log = format!("(call $log_warn (call $block (i32.const {at}) (i32.const 1)))");
    let many = format!(
        "(local $i i32) (loop $again {log} (local.set $i (i32.add (local.get $i) (i32.const 1)))
           (br_if $again (i32.lt_u (local.get $i) (i32.const 100000))))
         (call $answer (i32.const {at}) (i32.const {length}))"
    );
    let installed = plugin.doing("language_outline", &many).installed("limits = { seconds = 60 }");
    assert_eq!(installed.open("text").outline(), Ok(Vec::new()));
}

#[test]
fn invalid_answers_are_refused() {
    let answering = |json: &str| Plugin::healthy().answering("language_outline", json);
    let broken = "failed while outlining a.p: its answer to `language_outline` does not match the contract: ";
    for json in ["", "{", "[{}]", "null", "[1]", r#"[{"id": -1}]"#, "\u{0}"] {
        check(answering(json), outline, broken);
    }
    let node = |from: &str, to: &str| answering(&format!("[{}]", NODE.replace(from, to)));
    let beyond = "returned an invalid range 0..5 (node): it is beyond the end of the document";
    check(node("\"end\": 4", "\"end\": 5"), outline, beyond);
    check(node("\"start\": 0, \"end\": 4", "\"start\": 3, \"end\": 1"), outline, "it ends before it starts");
    check(node("\"id\": 7", "\"id\": 7, \"parent\": 9"), outline, "node 0 comes before its parent 9");
    let overlap =
        r#"{"ok": [{"span": {"start": 0, "end": 3}, "text": ""}, {"span": {"start": 2, "end": 4}, "text": ""}]}"#;
    check(Plugin::healthy().answering("language_edit", overlap), edit, "invalid edits");
    check(
        Plugin::healthy().answering("language_edit", "[]"),
        edit,
        "its answer to `language_edit` does not match the contract",
    );
    check(hostile("(call $output_set (i64.const 8) (i64.const 9999999))"), outline, "bytes that were not allocated");
    check(hostile("(call $log_warn (i64.const 12345))"), outline, "12345 is not an allocated block");
    check(hostile("(drop (call $var_get (i64.const -1)))"), outline, "is not an allocated block");
}

#[test]
fn invalid_document_numbers_are_refused() {
    for number in ["-1", "1.5", "\"1\"", "4294967296"] {
        let installed = Plugin::healthy().answering("language_open", number).installed(TIGHT);
        let error = installed.open("text").outline().expect_err("an invalid document number");
        let expected = "failed while opening a.p: its answer to `language_open` does not match the contract";
        assert!(error.content().message.contains(expected), "{error}");
    }
    let installed = Plugin::healthy().answering("language_open", "1").installed(TIGHT);
    installed.open("text").outline().expect("the first");
    let pack = installed.pack().expect("a pack");
    // The instance with the first document is gone, and the call is repeated on another one.
    pack.open("b.p", &Arc::from("text")).expect("open").outline().expect("a new instance");
}

/// Returns the result of outlining a file.
fn outlined(installed: &Installed, path: &str, text: &str) -> String {
    let pack = installed.pack().expect("a pack");
    let outline = pack.open(path, &Arc::from(text)).and_then(|mut document| document.outline());
    outline.map_or_else(|error| error.to_string(), |_| "outlined".to_owned())
}

#[test]
fn plugin_that_fails_on_several_files_is_quarantined() {
    let installed = hostile("unreachable").installed(TIGHT);
    for path in ["a.p", "b.p", "c.p"] {
        assert!(outlined(&installed, path, "text").contains("unreachable"));
    }
    let refused = outlined(&installed, "d.p", "text");
    assert!(refused.contains("quarantined"), "{refused}");
    let files = MemoryFiles::from_files([]);
    assert!(installed.packs.plugins(&files)[0].state.starts_with("quarantined"));
}

/// A plugin whose outline never ends if the text begins with `!`, and is empty otherwise.
fn heavy() -> Plugin {
    let mut plugin = Plugin::healthy();
    let (at, length) = plugin.text("[]");
    let heavy = "(global $heavy (mut i32) (i32.const 0)) (func $remember (local $i i64)
      (global.set $heavy (i32.const 0))
      (loop $next (if (i64.lt_u (local.get $i) (call $input_length)) (then
        (if (i32.eq (call $input_load_u8 (local.get $i)) (i32.const 33)) (then (global.set $heavy (i32.const 1))))
        (local.set $i (i64.add (local.get $i) (i64.const 1))) (br $next)))))";
    let (number, digits) = plugin.text("0");
    plugin
        .with(heavy)
        .doing("language_open", &format!("(call $remember) (call $answer (i32.const {number}) (i32.const {digits}))"))
        .doing(
            "language_outline",
            &format!(
                "(if (global.get $heavy) (then (loop $again (br $again))))
                 (call $answer (i32.const {at}) (i32.const {length}))"
            ),
        )
}

#[test]
fn file_over_the_time_limit_is_refused_alone() {
    let installed = heavy().installed(TIGHT);
    for path in ["a.p", "b.p", "c.p", "d.p"] {
        assert!(outlined(&installed, path, "!").contains("it took too long (more than 1 s of CPU time)"), "{path}");
        assert_eq!(outlined(&installed, "healthy.p", "text"), "outlined", "after {path}");
    }
    for _ in 0..2 {
        assert!(outlined(&installed, "a.p", "!").contains("it took too long"));
    }
    let refused = outlined(&installed, "a.p", "!");
    assert!(refused.contains("failed 3 times on a.p, which is skipped for"), "{refused}");
    assert_eq!(outlined(&installed, "a.p", "text"), "outlined", "a changed text must be tried at once");
    assert_eq!(outlined(&installed, "healthy.p", "text"), "outlined");
}

#[test]
fn busy_machine_does_not_use_up_the_time_limit() {
    // Enough busy threads that a call gets only about a twentieth of the time.
    let busy = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let threads: Vec<_> = (0..cores * 4)
        .map(|_| {
            let busy = Arc::clone(&busy);
            std::thread::spawn(move || {
                while busy.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::black_box(0);
                }
            })
        })
        .collect();
    // About a third of a second of CPU time in an unoptimized engine, and several seconds of wall-clock time.
    let mut plugin = Plugin::healthy();
    let (at, length) = plugin.text("[]");
    let work = format!(
        "(local $i i32) (loop $again (local.set $i (i32.add (local.get $i) (i32.const 1)))
           (br_if $again (i32.lt_u (local.get $i) (i32.const 200000000))))
         (call $answer (i32.const {at}) (i32.const {length}))"
    );
    let installed = plugin.doing("language_outline", &work).installed("limits = { seconds = 2 }");
    let outline = outlined(&installed, "a.p", "text");
    busy.store(false, std::sync::atomic::Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    assert_eq!(outline, "outlined");
}

#[test]
fn files_with_secrets_are_passed_only_if_named() {
    let installed = Plugin::healthy().installed("files = [\"*.p\", \".env\", \"*.pem\"]");
    let work = Work::default();
    let files = MemoryFiles::for_call(&work, [(".env", "KEY=1"), ("sub/k.pem", "PEM"), ("a.p", "text")]);
    let open = |path: &str| {
        let pack = installed.packs.for_path(&files, path).expect("its pattern takes it");
        let is_given = pack.may_receive(path);
        let opened = pack.open(path, &Arc::from("text")).map(drop);
        assert_eq!(is_given, opened.is_ok(), "{path}");
        opened
    };
    assert_eq!(open("a.p"), Ok(()));
    for path in [".env", "sub/k.pem"] {
        let error = open(path).expect_err("not named");
        assert_eq!(error.kind(), Kind::PermissionDenied);
        let message = format!("`{path}` contains secrets by convention, so plugin `p` gets it only if a call names it");
        assert_eq!(error.content().message, message);
        work.name_file(path);
        assert_eq!(open(path), Ok(()), "{path} is named");
    }
    let granted = Plugin::healthy().installed("files = [\".env\"]\ngrants = [\"workspace\", \"secrets\"]");
    let pack = granted.packs.for_path(&MemoryFiles::from_files([(".env", "KEY=1")]), ".env").expect("a pack");
    assert!(pack.may_receive(".env") && pack.may_receive("sub/.env.local"));
}

#[test]
fn long_log_lines_are_cut_before_copying() {
    // The module logs lines of fifty megabytes. The call ends at its time limit, and only a little of the output is
    // kept.
    let flood = "(local $line i64) (loop $again
        (local.set $line (call $alloc (i64.const 50000000)))
        (call $log_warn (local.get $line)) (br $again))";
    let installed = hostile(flood).installed("limits = { seconds = 1, memory-mib = 128 }");
    let started = std::time::Instant::now();
    let lines = outlined(&installed, "a.p", "text");
    assert!(lines.contains("it took too long") || lines.contains("MiB of memory"), "{lines}");
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
    let logs = installed.packs.logs("p").unwrap_or_default();
    assert!(logs.len() < 1 << 20, "{}", logs.len());
}
