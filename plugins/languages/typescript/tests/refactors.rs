//! Runs the refactorings of public test suites, if these are available, and checks how many cases of each kind have the
//! expected result.
//!
//! `MARQ_SUITES=… cargo test -p marquetry-typescript --test all refactors:: -- --nocapture` prints the table.
//! `MARQ_SHOW=extract_type` also prints every case of that kind with a different result, `MARQ_SHOW_INEXACT` those that
//! differ in layout.

use std::collections::BTreeMap;

use marquetry_sdk::span::apply;
use marquetry_sdk::{Argument, LanguagePack as _, Selection, Span, refactor, testing, workspace};
use marquetry_typescript::TypeScript;
use serde_json::Value;

/// Minimum percentage of cases per kind with the expected result, ignoring layout. Raise it when the pack improves.
const MINIMUM_PERCENTAGES: &[(&str, usize)] = &[
    ("add_import", 97),
    ("add_import:all", 96),
    ("add_import:preferences", 96),
    ("add_import:refused", 100),
    ("add_import:specifier", 90),
    ("organize_imports", 89),
    // TypeScript in Go sorts accents differently, and some of its cases change a name by mistake.
    ("organize_imports:preferences", 86),
    ("remove_unused_imports", 96),
    ("add_import:specifier:preferences", 96),
    ("convert_to_arrow", 97),
    ("convert_to_arrow:refused", 100),
    ("convert_to_async", 94),
    ("convert_to_async:refused", 100),
    ("extract_constant", 92),
    ("extract_function", 90),
    ("extract_method", 100),
    ("extract_type", 91),
    ("extract_type:type", 94),
    ("extract_type:interface", 100),
    // Some cases expect an interface, although their requests do not ask for one.
    ("extract_type:refused", 66),
    ("extract_type:refused:interface", 100),
    // Nine cases expect a field of the class, although their requests do not ask for one. Others move code so that it
    // would run at a different time.
    ("extract_variable", 81),
    ("extract_variable:class", 77),
    ("extract_function:refused", 88),
    ("inline_function", 92),
    ("inline_function:refused", 100),
    ("inline_variable", 94),
    // The suites disagree on whether selecting the keyword or the value selects the variable.
    ("inline_variable:refused", 76),
];

/// Number of cases of a kind, of results equal except for layout, and of equal results.
#[derive(Default)]
struct Count {
    all: usize,
    near: usize,
    exact: usize,
}

#[test]
fn refactors_match_the_suites() {
    let suites = ["abracadabra", "eslint", "eslint-plugin-unused-imports", "typescript-fourslash"];
    let suites = suites.into_iter().chain(["typescript-go-fourslash", "typescript-unit", "ts-morph"]);
    let show = std::env::var("MARQ_SHOW").unwrap_or_default();
    let inexact = std::env::var("MARQ_SHOW_INEXACT").unwrap_or_default();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut tally = |kind: &str, case: &Value| {
        let count = counts.entry(kind.to_owned()).or_default();
        count.all += 1;
        let (near, exact, got) = check_case(case);
        count.near += usize::from(near);
        count.exact += usize::from(exact);
        if kind == show && !near || kind == inexact && !exact {
            println!(
                "==== {}\n{}\n---- is\n{got}\n---- should be\n{}",
                case["id"],
                marked_input(case),
                expected_result(case)
            );
        }
    };
    let cases = suites.flat_map(testing::suite).map(|case| serde_json::from_str::<Value>(&case).expect("a case"));
    for case in merged_cases(cases.collect()) {
        let Some(kind) = kind_of_case(&case) else { continue };
        tally(&kind, &case);
        // Repeat the case with the argument that requests what upstream was asked for.
        let Some((suffix, name, value)) = implied_argument(&case) else { continue };
        let mut case = case;
        case["args"][name] = Value::from(value);
        tally(&format!("{kind}:{suffix}"), &case);
    }
    for (kind, Count { all, near, exact }) in &counts {
        println!("{kind:32} {near:4} of {all:4}, {exact:4} exactly");
    }
    for (kind, least) in MINIMUM_PERCENTAGES {
        let Some(count) = counts.get(*kind) else { continue };
        assert!(count.near * 100 >= count.all * least, "{kind}: {} of {}", count.near, count.all);
    }
}

/// Returns the argument that corresponds to an upstream action which the suites do not convert: a suffix of the kind,
/// and the argument's name and value.
fn implied_argument(case: &Value) -> Option<(&'static str, &'static str, &'static str)> {
    let upstream = &case["upstream"];
    let action = upstream["actionDescription"].as_str().or(upstream["actionName"].as_str())?;
    match action {
        "Extract to interface" => Some(("interface", "kind", "interface")),
        "Extract to type alias" => Some(("type", "kind", "type")),
        _ if action.starts_with("Extract to readonly field") => Some(("class", "scope", "class")),
        _ => None,
    }
}

/// Merges cases that send the same request, so that any of their results is accepted: extractions into different
/// scopes, and cases that upstream refuses only if they are not requested explicitly.
fn merged_cases(cases: Vec<Value>) -> Vec<Value> {
    let mut leaders: BTreeMap<String, usize> = BTreeMap::new();
    let mut merged: Vec<Value> = Vec::with_capacity(cases.len());
    for case in cases {
        if kind_of_case(&case).is_none() {
            continue;
        }
        let args = &case["args"];
        let asked = [&args["refactor"], &args["file"], &args["extractedName"], &args["symbol"], &args["all"]];
        let place = [&args["selection"]["start"], &args["selection"]["end"], &args["at"], &case["options"]];
        let ends = if args["refactor"].as_str().is_some_and(|id| id.starts_with("inline_")) { 1 } else { 2 };
        let start = if args["at"].is_null() { &place[..ends] } else { &place[2..3] };
        // An inline request has only a position, so ignore the symbol of the suite.
        let asked = if ends == 1 { &asked[..2] } else { &asked[..] };
        let settings = (preferences(&case), &args["mode"], case["ts55"] == Value::Bool(false));
        let request = format!("{asked:?} {start:?} {settings:?} {} {}", place[3], case["files"]);
        let Some(leader) = leaders.get(&request).copied() else {
            leaders.insert(request, merged.len());
            merged.push(case);
            continue;
        };
        let (mut first, mut second) = (merged[leader].clone(), case);
        if first["expect"]["refused"] == Value::Bool(true) && second["expect"]["files"].is_object() {
            std::mem::swap(&mut first, &mut second);
        }
        if second["expect"]["files"].is_object() {
            let other = second["expect"].clone();
            match first["expect"]["anyOf"].as_array_mut() {
                Some(others) => others.push(other),
                None => first["expect"]["anyOf"] = Value::Array(vec![other]),
            }
        }
        merged[leader] = first;
    }
    merged
}

/// Returns the kind of a case that is a refactoring of the pack; cases with settings have their own kinds.
fn kind_of_case(case: &Value) -> Option<String> {
    let kind = case["kind"].as_str()?;
    if case["op"] != "file_edit" || kind.starts_with("rename_symbol") || !case["args"]["refactor"].is_string() {
        return None;
    }
    let has_mode = !matches!(case["args"]["mode"].as_str(), None | Some("All" | "RemoveUnused"));
    let suffix = match () {
        () if kind.ends_with(":refused") => "",
        () if case["ts55"] == Value::Bool(false) => ":disputed",
        () if preferences(case).is_some() => ":preferences",
        () if has_mode => ":mode",
        () => "",
    };
    Some(format!("{kind}{suffix}"))
}

/// Returns TypeScript's preferences for a case. Those of TypeScript in Go are in Go syntax.
fn preferences(case: &Value) -> Option<String> {
    let mut found = case["preferences"].as_object().cloned().unwrap_or_default();
    for entry in case["goPreferences"].as_str().unwrap_or_default().split(',') {
        let Some((key, value)) = entry.split_once(':') else { continue };
        let (key, value) = (key.trim(), value.trim().trim_start_matches("lsutil.").trim_start_matches("core.TS"));
        let value = match value.strip_prefix(key).unwrap_or(value) {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            other => Value::String(lower_first(other)),
        };
        found.insert(lower_first(key), value);
    }
    found.retain(|_, value| value != "auto" && value != "unknown");
    (!found.is_empty()).then(|| Value::Object(found).to_string())
}

fn lower_first(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_lowercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

fn marked_input(case: &Value) -> String {
    let file = case["args"]["file"].as_str().unwrap_or_default();
    let text = case["files"][file].as_str().unwrap_or_default();
    let Some(span) = selection_span(&case["args"]["selection"], text) else {
        return format!("{}{}", case["args"], if text.is_empty() { "" } else { text });
    };
    let range = span.range();
    format!("{}«{}»{}", &text[..range.start], &text[range.clone()], &text[range.end..])
}

fn expected_result(case: &Value) -> String {
    let file = case["args"]["file"].as_str().unwrap_or_default();
    match &case["expect"]["moduleSpecifiers"] {
        Value::Null => {
            let others = case["expect"]["anyOf"].as_array().into_iter().flatten();
            let all = std::iter::once(&case["expect"]).chain(others);
            let texts: Vec<&str> = all.map(|one| one["files"][file].as_str().unwrap_or("refused")).collect();
            texts.join("\n---- or\n")
        }
        specifiers => specifiers.to_string(),
    }
}

/// Returns the offset of a position in UTF-16 units.
fn offset(text: &str, position: &Value) -> Option<u32> {
    let mut units = position["offset"].as_u64()?;
    for (at, char) in text.char_indices() {
        if units == 0 {
            return Some(at as u32);
        }
        units = units.saturating_sub(char.len_utf16() as u64);
    }
    Some(text.len() as u32)
}

fn selection_span(selection: &Value, text: &str) -> Option<Span> {
    Some(Span { start: offset(text, &selection["start"])?, end: offset(text, &selection["end"])? })
}

/// Returns the selection and the arguments of a request.
fn request(case: &Value, text: &str) -> (Selection, Vec<Argument>) {
    let (args, mut arguments) = (&case["args"], Vec::new());
    let id = args["refactor"].as_str().unwrap_or_default();
    let mut add = |name: &str, value: &str| {
        arguments.push(Argument { name: name.to_owned(), value: value.to_owned() });
    };
    let at = match id {
        _ if id.starts_with("extract_") => {
            if let Some(name) = args["extractedName"].as_str() {
                add("extractedName", name);
            }
            for name in ["kind", "scope"] {
                if let Some(value) = args[name].as_str() {
                    add(name, value);
                }
            }
            Selection::from_span(selection_span(&args["selection"], text).unwrap_or(Span { start: 0, end: 0 }))
        }
        "add_import" | "remove_unused_imports" | "organize_imports" => {
            if id == "add_import" && args["all"] == Value::Bool(true) {
                add("all", "true");
            } else if id != "organize_imports"
                && let Some(symbol) = args["symbol"].as_str().or(case["symbols"][0].as_str())
                && symbol.chars().all(|char| char.is_alphanumeric() || "_$".contains(char))
            {
                add("symbol", symbol);
            }
            if let Some(preferences) = preferences(case).filter(|_| id != "remove_unused_imports") {
                add("preferences", &preferences);
            }
            if let Some(mode) = args["mode"].as_str().filter(|mode| *mode != "All") {
                add("mode", mode);
            }
            Selection::caret(offset(text, &args["at"]).unwrap_or(0))
        }
        _ => Selection::caret(offset(text, &args["at"]).or(offset(text, &args["selection"]["start"])).unwrap_or(0)),
    };
    (at, arguments)
}

/// Returns whether the result is as expected ignoring layout, whether it is exactly as expected, and the result.
fn check_case(case: &Value) -> (bool, bool, String) {
    let file = case["args"]["file"].as_str().expect("a file");
    let files = case["files"].as_object().expect("files");
    let texts = files.iter().filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned())));
    let mut texts: BTreeMap<String, String> = texts.collect();
    if let Some(options) = case["options"].as_object().filter(|_| !texts.contains_key("tsconfig.json")) {
        let options: BTreeMap<&str, Value> =
            options.iter().map(|(name, value)| (option_name(name), typed_value(value))).collect();
        texts.insert("tsconfig.json".to_owned(), serde_json::json!({ "compilerOptions": options }).to_string());
    }
    let text = texts.get(file).cloned().unwrap_or_default();
    workspace::set_files(texts);
    let (at, arguments) = request(case, &text);
    let document = TypeScript::open(file, text.clone(), "{}");
    let id = case["args"]["refactor"].as_str().unwrap_or_default();
    let rewritten = refactor::apply::<TypeScript>(&document, id, at, arguments);
    let refusal = case["kind"].as_str().is_some_and(|kind| kind.ends_with(":refused"));
    match rewritten {
        Err(failure) => (refusal, refusal, format!("{failure:?}")),
        Ok(rewrite) => {
            let after = apply(&text, &rewrite.edits);
            if let Some(offered) = case["expect"]["moduleSpecifiers"].as_array() {
                let added = added_specifier(&text, &after);
                let place = offered.iter().position(|offered| Some(offered.as_str()) == Some(added.as_deref()));
                return (place.is_some(), place == Some(0), after);
            }
            let others = case["expect"]["anyOf"].as_array().into_iter().flatten();
            let all = others.map(|other| &other["files"]).chain([&case["expect"]["files"]]);
            let wanted: Vec<&str> = all.filter_map(|files| files[file].as_str()).collect();
            let near = wanted.iter().any(|wanted| without_layout(wanted) == without_layout(&after));
            (!refusal && near, !refusal && wanted.contains(&after.as_str()), after)
        }
    }
}

/// Returns the module specifier in the line that was added.
fn added_specifier(before: &str, after: &str) -> Option<String> {
    let line = after.lines().find(|line| before.lines().all(|known| known != *line))?;
    let from = line.find("from ").or(line.find("require("))?;
    let open = line[from..].find(['"', '\''])? + from;
    let quote = line[open..].chars().next()?;
    let inner = &line[open + 1..];
    Some(inner[..inner.find(quote)?].to_owned())
}

/// Returns the name of a compiler option, which the suites write in lower case.
fn option_name(name: &str) -> &str {
    const NAMES: [&str; 9] = [
        "baseUrl",
        "moduleResolution",
        "jsxFactory",
        "allowSyntheticDefaultImports",
        "esModuleInterop",
        "verbatimModuleSyntax",
        "isolatedModules",
        "preserveValueImports",
        "customConditions",
    ];
    NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or(name)
}

/// Converts settings, which are strings or TypeScript's enum values.
fn typed_value(value: &Value) -> Value {
    match value.as_str() {
        Some("/") => return Value::from("."),
        None if *value == 2 => return Value::from("react"),
        _ => {}
    }
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

/// Returns a normalized form in which texts that differ only in layout are equal.
fn without_layout(text: &str) -> String {
    let is_word = |char: char| char.is_alphanumeric() || "_$#@\"'`\\".contains(char);
    let mut out = String::new();
    let mut gap = "";
    for char in text.chars() {
        if char.is_whitespace() || char == ';' {
            gap = if gap == "\n" || char == '\n' || char == ';' { "\n" } else { " " };
            continue;
        }
        if ")]}>".contains(char) && out.ends_with(',') {
            out.pop();
        }
        if is_word(char) && out.chars().next_back().is_some_and(is_word) {
            out += gap;
        }
        gap = "";
        out.push(char);
    }
    out
}
