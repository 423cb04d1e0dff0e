//! Builds a guest from the lines of a case, which give the answer and the actions of each function.
//!
//! ```text
//! outline: [{"address": "a", "span": 0..4}]
//! find 1: !trap
//! find: {"ok": {"nodes": {"nodes": [{"address": "a", "span": 0..4}], "total": 1}}}
//! ```
//!
//! `find 1` is the first call of an instance; a line without a number applies to all others. `0..4` is a span; omitted
//! fields of a node come from [`NODE`]. Actions before an answer are separated by ` ; `: `!trap`, `!loop`, `!recurse`,
//! `!code 3`, `!grow MIB`, `!say LINE` (to its log), `!error LINE`, `!read PATH` (of the workspace; traps if the file
//! cannot be read).

use serde_json::{Map, Value, json};

use super::plugin::Plugin;

/// The functions of each interface.
const INTERFACES: [(&str, &[&str]); 7] = [
    (
        "language",
        &[
            "describe",
            "open",
            "close",
            "diagnostics",
            "outline",
            "find",
            "view",
            "edit",
            "parse_errors",
            "dependencies",
            "insert_missing",
            "stays_well_formed",
            "embedded",
        ],
    ),
    ("links", &["links", "resolve", "additional_moves", "format_specifiers", "relink", "unlink"]),
    ("symbols", &["facts", "resolve_symbol", "rename"]),
    ("refactors", &["refactors", "offers", "apply", "answer"]),
    (
        "hover",
        &["info", "type_definitions", "calls", "supertypes", "subtypes", "check", "manifest_names", "read_manifest"],
    ),
    ("search", &["read_pattern", "matches"]),
    ("mentions", &["text_names", "find_mentions"]),
];

/// A function with its behavior in numbered calls and in all others.
struct Function {
    name: String,
    numbered: Vec<(u32, String)>,
    otherwise: Option<String>,
}

/// Builds the module described by the lines of a case.
pub(super) fn plugin(lines: &[(String, String)]) -> Plugin {
    let mut functions: Vec<Function> = Vec::new();
    for (head, what) in lines {
        let (name, number) = head.split_once(' ').map_or((head.as_str(), None), |(name, n)| (name, Some(n)));
        let index = functions.iter().position(|known| known.name == name).unwrap_or_else(|| {
            functions.push(Function { name: name.to_owned(), numbered: Vec::new(), otherwise: None });
            functions.len() - 1
        });
        match number {
            Some(number) => functions[index].numbered.push((number.parse().expect("a number"), what.clone())),
            None => functions[index].otherwise = Some(what.clone()),
        }
    }
    let mut plugin = Plugin::healthy();
    for (interface, names) in &INTERFACES[1..] {
        if functions.iter().any(|function| names.contains(&function.name.as_str())) {
            // Functions without a line return JSON that does not match the contract.
            plugin = names.iter().fold(plugin, |all, name| all.answering(&format!("{interface}_{name}"), "null"));
        }
    }
    for function in functions {
        plugin = function.add_to(plugin);
    }
    plugin
}

impl Function {
    fn add_to(&self, mut plugin: Plugin) -> Plugin {
        let name = &self.name;
        let known = INTERFACES.iter().find(|(_, names)| names.contains(&name.as_str()));
        let (interface, _) = known.unwrap_or_else(|| panic!("no function `{name}`"));
        let exported = format!("{interface}_{name}");
        let mut body = String::new();
        for (number, what) in &self.numbered {
            let then = doing(&mut plugin, name, what);
            body.push_str(&format!(
                "(if (i32.eq (global.get $count_{name}) (i32.const {number})) (then {then} (return (i32.const 0))))\n"
            ));
        }
        body.push_str(&doing(&mut plugin, name, self.otherwise.as_deref().unwrap_or("null")));
        let count = format!("(global.set $count_{name} (i32.add (global.get $count_{name}) (i32.const 1)))\n");
        plugin.with(&format!("(global $count_{name} (mut i32) (i32.const 0))\n")).doing(&exported, &(count + &body))
    }
}

/// Compiles the behavior of a function to instructions.
fn doing(plugin: &mut Plugin, name: &str, what: &str) -> String {
    let mut out = String::new();
    for part in what.split(" ; ") {
        let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
        let mut block = |text: &str| {
            let (at, length) = plugin.text(text);
            format!("(call $block (i32.const {at}) (i32.const {length}))")
        };
        out.push_str(&match word {
            "!trap" => "unreachable".to_owned(),
            "!loop" => "(loop $again (br $again))".to_owned(),
            "!recurse" => "(drop (call $recurse (i32.const 0)))".to_owned(),
            "!code" => format!("(return (i32.const {rest}))"),
            "!grow" => {
                let pages = rest.parse::<u32>().expect("a number") * 16;
                format!("(if (i32.eq (memory.grow (i32.const {pages})) (i32.const -1)) (then unreachable))")
            }
            "!say" => format!("(call $log_warn {})", block(rest)),
            "!error" => format!("(call $error_set {})", block(rest)),
            "!read" => format!("(if (i64.eqz (call $read {})) (then unreachable))", block(rest)),
            _ => {
                let (at, length) = plugin.text(&json_of(name, part));
                format!("(call $answer (i32.const {at}) (i32.const {length}))")
            }
        });
    }
    out
}

/// Returns the JSON of an answer; other text is unchanged.
fn json_of(function: &str, text: &str) -> String {
    let text = with_spans(text);
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
    if matches!(function, "outline" | "find") {
        fill_nodes(&mut value);
    }
    if function == "describe" {
        let fields: Map<String, Value> = value.as_object().expect("fields").clone();
        value = json!({"id": "p", "name": "P", "version": "1.2.3", "files": ["*.p"], "targets": [], "regions": [],
            "templates": [], "settings_schema": "{}","relinks":false, "help": ""});
        value.as_object_mut().expect("fields").extend(fields);
    }
    value.to_string()
}

/// Replaces `0..4` outside of strings by a span of the contract.
fn with_spans(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('"').enumerate() {
        if index > 0 {
            out.push('"');
        }
        if index % 2 == 1 {
            out.push_str(part);
            continue;
        }
        let mut rest = part;
        while let Some(at) = rest.find("..") {
            let from = rest[..at].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |before| before + 1);
            let after = &rest[at + 2..];
            let to = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            out.push_str(&rest[..from]);
            out.push_str(&format!(r#"{{"start": {}, "end": {}}}"#, &rest[from..at], &after[..to]));
            rest = &after[to..];
        }
        out.push_str(rest);
    }
    out
}

/// Adds missing fields to every object that has an address, which is a node.
fn fill_nodes(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(fill_nodes),
        Value::Object(fields) if fields.contains_key("address") => {
            let start = fields.get("span").and_then(|span| span.get("start")).cloned().unwrap_or(json!(0));
            let mut node = json!({"id": 7, "kind": "k", "name": "n", "selection": {"start": start, "end": start}});
            node.as_object_mut().expect("fields").append(fields);
            *value = node;
        }
        Value::Object(fields) => fields.values_mut().for_each(fill_nodes),
        _ => {}
    }
}
