//! Text cases of moves and renames in whole projects. The runner asks the same documents as the host.
//!
//! ```text
//! //- /src/lib.rs
//! the text of a file
//! ---- move src/a.rs src/b.rs, src/c.rs src/d.rs
//! ---- rename src/a.rs NAME NEW
//! ---- rename src/a.rs LINE:COLUMN NEW
//! ---- rename src/a.rs export:NAME NEW
//! ---- item src/a.rs NAME src/b.rs
//! ---- extract src/a.rs NAME
//! ---- signature src/a.rs NAME PARAMETERS
//! the changed files, then `unresolved: file:line: text`, or `refused:` with the hint
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use marquetry_sdk::{
    Argument, Audience, Context, Destination, Edit, Failure, FileLocation, FileMoves, ImportKey, Linking, Relocation,
    Request, Result, Selection, Span, Subject, Symbols, TargetKind,
    refactor::{self, Refactors},
    span::apply,
    testing,
    workspace::set_files,
};

use crate::{
    Rust,
    modules::{Move, moved_path},
};

/// The texts of a project's files by path.
pub(super) type Files = BTreeMap<String, String>;
/// The files after a change, and the unresolved occurrences.
pub(super) type Changed = (Files, BTreeSet<String>);

/// The result of a move or rename.
#[derive(Default)]
struct Outcome {
    edits: BTreeMap<String, Vec<Edit>>,
    unresolved: BTreeSet<String>,
}

impl Outcome {
    fn add(&mut self, files: &Files, path: &str, edits: Vec<Edit>, unresolved: &[Span]) {
        let text = &files[path];
        let own = self.edits.entry(path.to_owned()).or_default();
        own.extend(edits);
        own.sort_by_key(|edit| (edit.span.start, edit.span.end));
        own.dedup();
        for span in unresolved {
            let line = text[..span.range().start].matches('\n').count() + 1;
            self.unresolved.insert(format!("unresolved: {path}:{line}: {}", span.slice(text)));
        }
    }

    fn apply(&self, files: &Files) -> Files {
        let edits = |path: &str| self.edits.get(path).map_or(&[][..], Vec::as_slice);
        files.iter().map(|(path, text)| (path.clone(), apply(text, edits(path)))).collect()
    }
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

/// The links of a file, each as a tuple of kind, specifier, names and destination.
fn links(files: &Files, path: &str) -> Vec<(String, String, Vec<String>, String)> {
    let bench = testing::open::<Rust>(path, &files[path]);
    let links = Rust::links(bench.document());
    let request = |link: &marquetry_sdk::Link| Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
    let requests: Vec<Request> = links.iter().map(request).collect();
    let found = Rust::resolve(&Context::for_path(path), &requests);
    let target = |destination: Destination| match destination {
        Destination::Inside(resolved) => resolved.path,
        Destination::External => "external".to_owned(),
        Destination::Missing(_) | Destination::Unknown(_) => "missing".to_owned(),
    };
    links.into_iter().zip(found).map(|(link, to)| (link.kind, link.specifier, link.names, target(to))).collect()
}

/// The destinations of the links in each file.
fn targets(files: &Files) -> BTreeMap<String, BTreeSet<String>> {
    let paths = files.keys().filter(|path| is_rust(path));
    let found = paths.map(|path| {
        let links = links(files, path).into_iter().filter(|(kind, ..)| matches!(&**kind, "path" | "macro"));
        (path.clone(), links.map(|(.., to)| to).filter(|to| files.contains_key(to)).collect())
    });
    found.collect()
}

fn is_concerned(files: &Files, path: &str, moves: &[Move]) -> bool {
    let moved = |path: &str| moved_path(path, moves) != path;
    let is_glob = |to: &str| to == "external" || moves.iter().any(|one| one.from.starts_with(&format!("{to}/")));
    moved(path) || links(files, path).iter().any(|(kind, _, _, to)| moved(to) || kind == "glob" && is_glob(to))
}

pub(super) fn move_files(files: &Files, moves: &[Move]) -> Result<Changed> {
    let relocation = |one: &Move| Relocation { from: one.from.clone(), to: one.to.clone() };
    let relocations: Vec<Relocation> = moves.iter().map(relocation).collect();
    let (mut outcome, mut questions) = (Outcome::default(), Vec::new());
    for path in files.keys().filter(|path| is_rust(path) && is_concerned(files, path, moves)) {
        let bench = testing::open::<Rust>(path, &files[path]);
        let asked = FileMoves { path: moved_path(path, moves), relocations: relocations.clone(), links: Vec::new() };
        let rewrite = Rust::relink(bench.document(), &asked)?;
        outcome.add(files, path, rewrite.edits, &rewrite.unresolved);
        questions.extend(rewrite.ask.into_iter().map(|question| (path.clone(), question)));
    }
    for (from, question) in questions {
        let Audience::File(path) = question.audience else { panic!("a question to one file") };
        let bench = testing::open::<Rust>(&path, &files[&path]);
        let rewrite = Rust::answer(bench.document(), &from, &question.payload)?;
        outcome.add(files, &path, rewrite.edits, &rewrite.unresolved);
    }
    let edited = outcome.apply(files);
    let after: Files = edited.into_iter().map(|(path, text)| (moved_path(&path, moves), text)).collect();
    let before = targets(files);
    set_files(after.clone());
    let now = targets(&after);
    for (path, targets) in before {
        let own = &now[&moved_path(&path, moves)];
        let expected: BTreeSet<String> = targets.iter().map(|to| moved_path(to, moves)).collect();
        // The document may report a link that it does not update.
        let is_listed = outcome.unresolved.iter().any(|line| line.starts_with(&format!("unresolved: {path}:")));
        for lost in expected.difference(own).filter(|_| !is_listed).filter(|to| **to != moved_path(&path, moves)) {
            outcome.unresolved.insert(format!("without a link: {path} -> {lost}"));
        }
    }
    Ok((after, outcome.unresolved))
}

/// The questions about a name for all files that have links to the file `exporter`.
fn importers(files: &Files, exporter: &str, name: &str) -> Vec<(String, ImportKey)> {
    let others = files.keys().filter(|path| is_rust(path));
    let key = |path: &String| {
        let links = links(files, path).into_iter();
        let carries = |names: &[String]| names.is_empty() || names.iter().any(|own| own == "*" || own == name);
        let own = links.filter(|(_, _, names, to)| to == exporter && carries(names));
        let mut specifiers: Vec<String> = own.map(|(_, specifier, ..)| specifier).collect();
        specifiers.dedup();
        (!specifiers.is_empty()).then(|| (path.clone(), ImportKey { specifiers, name: name.to_owned() }))
    };
    others.filter_map(key).collect()
}

/// The offset of a position in the form `line:column`.
fn place_in(text: &str, place: &str) -> Option<u32> {
    let (line, column) = place.split_once(':')?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    u32::try_from(start + column).ok()
}

pub(super) fn rename(files: &Files, file: &str, symbol: &str, new: &str) -> Result<Changed> {
    let mut outcome = Outcome::default();
    let subject = match symbol.strip_prefix("export:") {
        Some(name) => Subject::Exported(name.to_owned()),
        None => place_in(&files[file], symbol).map_or_else(|| Subject::Address(symbol.to_owned()), Subject::At),
    };
    let mut open = vec![(file.to_owned(), subject)];
    let mut asked = BTreeSet::new();
    while let Some((path, subject)) = open.pop() {
        let bench = testing::open::<Rust>(&path, &files[&path]);
        let found = Rust::resolve_symbol(bench.document(), subject.clone())?;
        let result = Rust::rename(bench.document(), subject, new)?;
        let place = |place: &FileLocation| (place.path.clone(), place.offset);
        assert_eq!(found.elsewhere.as_ref().map(place), result.elsewhere.as_ref().map(place), "{path}");
        if let Some((path, offset)) = result.elsewhere.as_ref().map(place) {
            open.push((path, Subject::At(offset)));
            continue;
        }
        let certain: Vec<Span> = found.occurrences.iter().filter(|one| one.certain).map(|one| one.span).collect();
        for edit in result.edits.iter().filter(|edit| edit.text == new) {
            // `new as old` becomes `new`.
            let is_leaf = edit.span.slice(&files[&path]).starts_with(&format!("{new} as "));
            assert!(is_leaf || certain.contains(&edit.span), "{path}: {edit:?} is not a reference");
        }
        outcome.unresolved.extend(result.file.map(|own| format!("renamed file: {own}")));
        outcome.add(files, &path, result.edits, &result.unresolved);
        if let Some(key) = result.declared {
            let users = files.iter().filter(|(own, text)| **own != path && is_rust(own) && text.contains(&key.name));
            open.extend(users.map(|(own, _)| (own.clone(), Subject::Declared(key.clone()))));
        }
        for exported in result.exported {
            if asked.insert((path.clone(), exported.old.clone())) {
                let questions = importers(files, &path, &exported.old).into_iter();
                open.extend(questions.map(|(path, key)| (path, Subject::Imported(key))));
            }
        }
    }
    Ok((outcome.apply(files), outcome.unresolved))
}

/// Moves an item to another file.
pub(super) fn move_item(files: &Files, file: &str, symbol: &str, destination: &str) -> Result<Changed> {
    let bench = testing::open::<Rust>(file, &files[file]);
    let found = bench.nodes(TargetKind::Symbol, symbol)?;
    let node = found.first().expect("a symbol");
    let at = Selection { span: node.span, caret: node.selection.start };
    run_refactor(files, file, ("move_to_file", at), ("destination", destination))
}

/// Extracts the code between `«` and `»` of a file to a function.
fn extract(files: &Files, file: &str, name: &str) -> Result<Changed> {
    let marked = &files[file];
    let (start, end) = (marked.find('«').expect("a selection"), marked.find('»').expect("its end"));
    let mut files = files.clone();
    files.insert(file.to_owned(), marked.replace(['«', '»'], ""));
    let at = Selection { span: Span::new(start, end - '«'.len_utf8()), caret: start as u32 };
    run_refactor(&files, file, ("extract_function", at), ("extractedName", name))
}

/// Changes the parameters of a function.
fn change_signature(files: &Files, (file, symbol): (&str, &str), argument: (&str, &str)) -> Result<Changed> {
    let bench = testing::open::<Rust>(file, &files[file]);
    let found = bench.nodes(TargetKind::Symbol, symbol)?;
    let node = found.first().expect("a symbol");
    let at = Selection { span: node.span, caret: node.selection.start };
    run_refactor(files, file, ("change_signature", at), argument)
}

fn run_refactor(
    files: &Files,
    file: &str,
    (id, at): (&str, Selection),
    (argument, value): (&str, &str),
) -> Result<Changed> {
    let bench = testing::open::<Rust>(file, &files[file]);
    let arguments = vec![Argument { name: argument.to_owned(), value: value.to_owned() }];
    let rewrite = refactor::apply::<Rust>(bench.document(), id, at, arguments)?;
    let mut outcome = Outcome::default();
    outcome.unresolved.extend(rewrite.incomplete.map(|reason| format!("incomplete: {reason}")));
    outcome.add(files, file, rewrite.edits, &rewrite.unresolved);
    for question in rewrite.ask {
        let asked: BTreeSet<String> = match question.audience {
            Audience::File(path) => BTreeSet::from([path]),
            Audience::Containing(texts) => {
                let has_any = |text: &String| texts.iter().any(|wanted| text.contains(wanted.as_str()));
                let found = files.iter().filter(|(path, text)| *path != file && is_rust(path) && has_any(text));
                found.map(|(path, _)| path.clone()).collect()
            }
            Audience::Importers(names) => {
                names.iter().flat_map(|name| importers(files, file, name)).map(|(path, _)| path).collect()
            }
        };
        for path in asked {
            let bench = testing::open::<Rust>(&path, &files[&path]);
            let rewrite = Rust::answer(bench.document(), file, &question.payload)?;
            outcome.add(files, &path, rewrite.edits, &rewrite.unresolved);
        }
    }
    Ok((outcome.apply(files), outcome.unresolved))
}

/// Replays one action on the files.
fn answer(files: &Files, action: &str) -> Result<Changed> {
    set_files(files.clone());
    let (kind, arguments) = action.split_once(' ').expect("an action");
    match kind {
        "move" => {
            let one = |pair: &str| {
                let (from, to) = pair.trim().split_once(' ').expect("two paths");
                Move { from: from.to_owned(), to: to.to_owned() }
            };
            move_files(files, &arguments.split(',').map(one).collect::<Vec<_>>())
        }
        "rename" => {
            let words: Vec<&str> = arguments.split(' ').collect();
            let [file, symbol, new] = words[..] else { panic!("`rename FILE NAME NEW`") };
            rename(files, file, symbol, new)
        }
        "item" => {
            let words: Vec<&str> = arguments.split(' ').collect();
            let [file, symbol, destination] = words[..] else { panic!("`item FILE NAME FILE`") };
            move_item(files, file, symbol, destination)
        }
        "extract" => {
            let (file, name) = arguments.split_once(' ').expect("`extract FILE NAME`");
            extract(files, file, name)
        }
        "signature" => {
            let words: Vec<&str> = arguments.splitn(3, ' ').collect();
            let [file, symbol, list] = words[..] else { panic!("`signature FILE NAME [add] LIST`") };
            let argument = list.strip_prefix("add ").map_or(("parameters", list), |added| ("add", added));
            change_signature(files, (file, symbol), argument)
        }
        other => panic!("unknown action {other}"),
    }
}

fn refusal(failure: &Failure) -> String {
    let hint = failure.hint.as_deref().unwrap_or("NO HINT");
    let nearest = if failure.candidates.is_empty() { String::new() } else { format!(" {:?}", failure.candidates) };
    format!("refused: {:?}: {}\nhint: {hint}{nearest}\n", failure.kind, failure.message)
}

fn replayed(case: &str) -> String {
    let input = case.split("\n---- ").next().unwrap_or_default();
    let mut files = Files::new();
    for file in input.split("//- /").skip(1) {
        let (path, text) = file.split_once('\n').unwrap_or((file, ""));
        let text = text.trim_end();
        files.insert(path.to_owned(), if text.is_empty() { String::new() } else { format!("{text}\n") });
    }
    let mut out = input.trim_end().to_owned();
    for action in case.split("\n---- ").skip(1).filter_map(|action| action.lines().next()) {
        out += &format!("\n---- {action}\n");
        match answer(&files, action) {
            Err(failure) => out += &refusal(&failure),
            Ok((after, unresolved)) => {
                for (path, text) in after.iter().filter(|(path, text)| files.get(*path) != Some(*text)) {
                    let errors = testing::open::<Rust>(path, text).diagnostics();
                    assert!(!is_rust(path) || errors.is_empty(), "{errors:?} in\n{text}");
                    out += &format!("//- /{path}\n{text}");
                }
                unresolved.iter().for_each(|line| out += &format!("{line}\n"));
            }
        }
        out.truncate(out.trim_end().len());
    }
    out
}

#[test]
fn projects_are_changed_as_in_the_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases");
    marquetry_cases::replay(&folder, |_, case| replayed(case));
}
