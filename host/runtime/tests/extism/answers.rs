//! Guest answers and their validation as text, in `answers/`.
//!
//! ```text
//! ==== a node beyond the document
//! text: abc
//! outline: [{"address": "a", "span": 0..4}]
//! ---- outline
//! PluginFailed: plugin `p` returned an invalid range 0..4 (node): it is beyond the end of the document
//! ```
//!
//! Before the first call come the guest (see `script`), `text` (or `text b`, of the document `b`), `registry` (fields
//! of the plugin's table) and `file PATH` (of the workspace). A call uses the document `a`, unless it names another:
//! `b.outline`; `b2` opens the text of `b` again. A document stays open until `close`. `5 times` repeats a call.
//! `UPDATE_EXPECT=1` updates the expected answers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::BTreeMap,
    fmt::{Debug, Write as _},
    path::Path,
    sync::Arc,
};

use marquetry_model::{
    EditSet, Interface, Relocation, Result, Span,
    mentions::{SearchedText, TextName},
    pack::{EditOptions, Form, Operation, Position, Query, SpecifierRequest, Subject, Target, TargetKind},
    ports::{Document, Files, Pack, Packs},
    refactor::{FileMoves, MovedLink, Selection},
};
use marquetry_testkit::MemoryFiles;

use super::{
    plugin::{Installed, Plugin},
    script,
};

/// A guest in a project, and the open documents.
struct Case {
    installed: Installed,
    files: Arc<dyn Files>,
    texts: BTreeMap<String, String>,
    open: BTreeMap<String, Box<dyn Document>>,
}

impl Case {
    fn new(above: &str) -> Case {
        let (mut guest, mut texts, mut files, mut registry) = (Vec::new(), BTreeMap::new(), Vec::new(), String::new());
        for line in above.lines().filter(|line| !line.trim().is_empty()) {
            let (head, what) = line.split_once(": ").unwrap_or_else(|| panic!("no `NAME: ` in {line}"));
            let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
            match name {
                "text" => {
                    let document = if rest.is_empty() { "a" } else { rest };
                    texts.insert(document.to_owned(), what.replace("\\n", "\n"));
                }
                "registry" => writeln!(registry, "{what}").unwrap(),
                "file" => files.push((rest, what)),
                _ => guest.push((head.to_owned(), what.to_owned())),
            }
        }
        texts.entry("a".to_owned()).or_insert_with(|| "text".to_owned());
        let mut plugin: Plugin = script::plugin(&guest);
        if guest.iter().any(|(_, what)| what.contains("!read ")) {
            let import = "(import \"extism:host/user\" \"workspace_read\" (func $read (param i64) (result i64)))\n";
            plugin = plugin.with(import);
        }
        let files = MemoryFiles::from_files(files);
        Case { installed: plugin.installed(&registry), files, texts, open: BTreeMap::new() }
    }

    fn pack(&self) -> Result<Arc<dyn Pack>> {
        self.installed.packs.for_path(&self.files, "a.p")
    }

    /// Returns the document of a name, opening it if necessary.
    fn document(&mut self, name: &str) -> Result<&mut Box<dyn Document>> {
        if !self.open.contains_key(name) {
            let known = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let text = self.texts.get(known).unwrap_or_else(|| panic!("no text of `{known}`"));
            let document = self.pack()?.open(&format!("{known}.p"), &Arc::from(text.as_str()))?;
            self.open.insert(name.to_owned(), document);
        }
        Ok(self.open.get_mut(name).expect("it is open"))
    }

    /// Runs a line of calls; repeated results are counted.
    fn step(&mut self, line: &str) -> String {
        let (count, call) = match line.split_once(" times ") {
            Some((count, call)) => (count.parse().expect("a number"), call),
            None => (1, line),
        };
        let mut answers: Vec<(String, usize)> = Vec::new();
        for _ in 0..count {
            let answer = self.call(call).unwrap_or_else(|error| shown(&error));
            match answers.last_mut() {
                Some((last, times)) if *last == answer => *times += 1,
                _ => answers.push((answer, 1)),
            }
        }
        let times = |(answer, times): (String, usize)| match times {
            1 => answer,
            times => format!("{times} times: {answer}"),
        };
        answers.into_iter().map(times).collect()
    }

    fn call(&mut self, call: &str) -> Result<String> {
        let (head, rest) = call.split_once(' ').unwrap_or((call, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match head {
            "close" => self.open.remove(if rest.is_empty() { "a" } else { rest }).map(drop).expect("it is open"),
            "state" => {
                let plugins = self.installed.packs.plugins(&self.files);
                return Ok(plugins.first().map_or("not there", |plugin| plugin.state.as_str()).to_owned() + "\n");
            }
            "logs" => return Ok(without_times(&self.installed.packs.logs("p").unwrap_or_default())),
            "description" => return Ok(value(&**self.pack()?.description())),
            "has" => return Ok(value(&self.pack()?.has_interface(Interface::from_name(rest).expect("an interface")))),
            "manifest_names" => return self.pack()?.manifest_names().map(|names| value(&names)),
            "resolve" => {
                let asked: Vec<_> = words.iter().map(|word| ("href".to_owned(), (*word).to_owned())).collect();
                return Ok(list(self.pack()?.resolve("a.p", &asked)?));
            }
            "format_specifiers" => {
                let of = |word: &&str| SpecifierRequest {
                    from: "a.p".to_owned(),
                    to: (*word).to_owned(),
                    old_destination: "was".to_owned(),
                    kind: "href".to_owned(),
                    specifier: "./was".to_owned(),
                };
                let asked: Vec<_> = words.iter().map(of).collect();
                let specifiers = self.pack()?.format_specifiers(&asked)?.into_iter();
                return Ok(specifiers
                    .map(|answer| answer.map_or_else(|error| shown(&error), |text| value(&text)))
                    .collect());
            }
            "read_pattern" => return Ok(value(&self.pack()?.parse_pattern("a.p", rest)?)),
            "text_names" => return Ok(list(self.pack()?.text_names(&words)?)),
            "find_mentions" => {
                let name = |it: &&str| TextName { name: (*it).to_owned(), path: "a.p".to_owned(), kind: String::new() };
                let names: Vec<TextName> = words.iter().map(name).collect();
                let source = SearchedText { path: "Makefile", text: &self.texts["a"], is_code: false };
                return Ok(list(self.pack()?.find_mentions(&names, source)?));
            }
            _ => {
                let (document, name) = head.split_once('.').unwrap_or(("a", head));
                let text = self.texts[document.trim_end_matches(|c: char| c.is_ascii_digit())].clone();
                return asked(self.document(document)?.as_mut(), &text, name, rest);
            }
        }
        Ok(String::new())
    }
}

/// Calls a function of a document.
fn asked(document: &mut dyn Document, text: &str, name: &str, rest: &str) -> Result<String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |index: usize| words.get(index).map_or(0, |word| word.parse::<usize>().expect("a number"));
    let at = Selection { span: Span::new(0, 1), caret: 0 };
    Ok(match name {
        "diagnostics" => list(document.diagnostics()?),
        "parse_errors" => list(document.parse_errors()?),
        "outline" => list(document.outline()?),
        "find" => {
            let limit = words.get(1).map_or(5, |word| word.parse().expect("a number"));
            value(&document.find(&Query { target: target(words[0]), limit, values: false })?)
        }
        "view" => value(&document.view(u32::try_from(number(0)).expect("an id"), Form::Full)?),
        "dependencies" => list(document.dependencies(u32::try_from(number(0)).expect("an id"))?),
        "edit" => {
            let (ids, operation) = rest.split_once(' ').expect("ids and an operation");
            let ids: Vec<u32> = ids.split(',').map(|id| id.parse().expect("an id")).collect();
            edits(&document.edit(&ids, &operation_of(operation), EditOptions::default())?, text)
        }
        "insert_missing" => edits(&document.insert_missing(&target(words[0]), words[1])?, text),
        "stays_well_formed" => value(&document.stays_well_formed(&[])?),
        "embedded" => list(document.embedded()?),
        "links" => list(document.links()?),
        "relink" => {
            let moved = Relocation { from: words[0].to_owned(), to: words[1].to_owned() };
            let links = vec![MovedLink { link: 0, from: words[0].to_owned(), to: words[1].to_owned() }];
            value(&document.relink(&FileMoves { path: "a.p".to_owned(), relocations: vec![moved], links })?)
        }
        "unlink" => value(&document.remove_links(&[0])?),
        "facts" => value(&document.exports_and_imports()?),
        "resolve_symbol" => value(&document.resolve_symbol(&Subject::At(number(0)))?),
        "rename" => value(&document.rename(&Subject::Address(words[0].to_owned()), words[1])?),
        "offers" => list(document.available_refactors(at)?),
        "apply" => value(&document.apply_refactor(words[0], at, &[])?),
        "answer" => value(&document.answer_question(words[0], words[1])?),
        "info" => value(&document.hover_info(number(0))?),
        "type_definitions" => list(document.type_definitions(number(0))?),
        "calls" => value(&document.calls(rest)?),
        "supertypes" => value(&document.supertypes(rest)?),
        "subtypes" => value(&document.subtypes(rest)?),
        "check" => value(&document.semantic_diagnostics()?),
        "read_manifest" => value(&document.read_manifest()?),
        "matches" => value(&document.structural_matches("foo($A)", number(0))?),
        other => panic!("no call `{other}`"),
    })
}

fn target(text: &str) -> Target {
    let (kind, value) = text.split_once(':').expect("KIND:VALUE");
    let kind = TargetKind::ALL.into_iter().find(|known| known.name() == kind).expect("a kind of target");
    Target { kind, value: value.to_owned() }
}

fn operation_of(text: &str) -> Operation {
    let (name, content) = text.split_once(' ').unwrap_or((text, ""));
    match name {
        "delete" => Operation::Delete,
        "replace" => Operation::Replace(content.to_owned()),
        "insert_into" => Operation::InsertInto(content.to_owned(), Position::Last),
        other => panic!("no operation `{other}`"),
    }
}

/// Formats edits and the edited text.
fn edits(edits: &EditSet, text: &str) -> String {
    let mut out = String::new();
    for edit in edits.as_slice() {
        writeln!(out, "{}..{} {:?}", edit.span.start, edit.span.end, edit.text).unwrap();
    }
    out + &format!("= {:?}\n", edits.apply(text))
}

fn list<T: Debug>(items: Vec<T>) -> String {
    if items.is_empty() { "none\n".to_owned() } else { items.iter().map(value).collect() }
}

/// Formats a value without empty fields, with spans in the notation of the cases.
fn value<T: Debug + ?Sized>(value: &T) -> String {
    let mut text = format!("{value:?}");
    for nothing in ["None", "[]", "false", "EditSet { edits: [] }"] {
        while let Some(end) = text.find(&format!(": {nothing}")) {
            let start = text[..end].rfind([' ', '{']).map_or(end, |at| at + 1);
            let mut rest = end + 2 + nothing.len();
            rest += if text[rest..].starts_with(", ") { 2 } else { 0 };
            text.replace_range(start..rest, "");
        }
    }
    let text = text.replace(",  }", " }").replace(", }", " }").replace("{  }", "{}");
    let mut out = String::new();
    let mut parts = text.split("Span { start: ");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (span, rest) = part.split_once(" }").expect("a span");
        write!(out, "{}{rest}", span.replace(", end: ", "..")).unwrap();
    }
    let most = 2_000;
    if out.len() > most {
        out = format!("{}… ({} bytes)", out.chars().take(100).collect::<String>(), out.len());
    }
    out + "\n"
}

fn shown(error: &marquetry_model::Error) -> String {
    let content = error.content();
    let mut out = format!("{:?}: {}\n", content.kind, content.message);
    content.hint.iter().for_each(|hint| writeln!(out, "hint: {hint}").unwrap());
    if !content.candidates.is_empty() {
        writeln!(out, "candidates: {}", content.candidates.join(", ")).unwrap();
    }
    if content.transient {
        out.push_str("(another try may succeed)\n");
    }
    out
}

/// Returns log records without their time.
fn without_times(log: &str) -> String {
    let line = |line: &str| match line.split_once(" UTC ") {
        Some((_, what)) => format!("== {what}\n"),
        None => format!("{line}\n"),
    };
    log.lines().map(line).collect()
}

fn replayed(case: &str) -> String {
    let mut parts = case.split("---- ");
    let above = parts.next().unwrap();
    let mut case = Case::new(above);
    let mut out = above.to_owned();
    for part in parts {
        let line = part.lines().next().unwrap_or_default();
        write!(out, "---- {line}\n{}", case.step(line).replace('\0', "\\0")).unwrap();
    }
    out
}

#[test]
fn text_cases_of_answers_match() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extism/answers");
    marquetry_cases::replay(&folder, |_, case| replayed(case));
}
