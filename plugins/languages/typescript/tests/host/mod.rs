//! A minimal host: renames across files by using the answers of the pack.
//!
//! It keeps all files in memory and queries each one; the real host uses an index instead. The order of queries is the
//! same.

#![allow(dead_code, reason = "each test uses its own part of this module")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use marquetry_sdk::span::apply;
use marquetry_sdk::{
    Context, DeclaredKey, DefaultKey, Destination, Edit, Failure, FailureKind, FileLocation, ImportKey, LanguagePack,
    Linking, RenameResult, Request, SharedName, Span, Subject, Symbols, fail, workspace,
};
use marquetry_typescript::{TypeScript, TypeScriptDocument};

pub(crate) type Files = BTreeMap<String, String>;

const EXTENSIONS: [&str; 11] =
    [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro"];

pub(crate) fn is_code(path: &str) -> bool {
    EXTENSIONS.iter().any(|extension| path.ends_with(extension))
}

pub(crate) fn open(path: &str, text: &str) -> TypeScriptDocument {
    TypeScript::open(path, text.to_owned(), "{}")
}

/// A rename across files in progress.
struct Rename<'f> {
    files: &'f Files,
    new: &'f str,
    /// The edits of each file. The same edit may be found in several ways.
    edits: BTreeMap<String, BTreeSet<(u32, u32, String)>>,
    /// Renamed exports whose importers have not been queried yet.
    exported: VecDeque<(String, String)>,
    renamed_exports: BTreeSet<(String, String)>,
    /// Occurrences that were listed instead of edited.
    unresolved: BTreeMap<(String, bool), BTreeSet<u32>>,
    /// All known declarations of the member. The declarations found in one file are passed to the others.
    places: BTreeSet<(String, u32)>,
}

/// Returns the workspace after renaming the `subject` in `path`, with a `§` before every unresolved occurrence.
///
/// 1. The file is queried; if the subject is declared in another file, that file is queried.
/// 2. For an exported name, all files that import it are queried, then their importers.
/// 3. For a member, every file that contains its name, or one of the forms of its key, is queried.
/// 4. For a name shared by scripts, every file that declares it or uses it as a global is queried.
pub(crate) fn rename_showing(files: &Files, path: &str, subject: Subject, new: &str) -> Result<Files, Failure> {
    rename_in_files(files, path, subject, new)?.result()
}

fn rename_in_files<'f>(files: &'f Files, path: &str, subject: Subject, new: &'f str) -> Result<Rename<'f>, Failure> {
    workspace::set_files(files.clone());
    let (path, first) = rename_at_declaration(files, path, subject, new)?;
    let name = first.name.clone();
    let (declared, shared) = (first.declared.clone(), first.shared.is_some());
    let mut job = Rename {
        files,
        new,
        edits: BTreeMap::new(),
        exported: VecDeque::new(),
        renamed_exports: BTreeSet::new(),
        unresolved: BTreeMap::new(),
        places: BTreeSet::new(),
    };
    job.apply_answer(&path, first);
    job.follow_exports(&name)?;
    if let Some(key) = declared {
        job.rename_member(&key)?;
        job.follow_exports(&name)?;
        job.check_new_name(&key.name)?;
    }
    if shared {
        job.rename_shared(&path, &name)?;
    }
    Ok(job)
}

/// Queries the file, and the files it refers to, until one contains the declaration.
fn rename_at_declaration(
    files: &Files,
    path: &str,
    subject: Subject,
    new: &str,
) -> Result<(String, RenameResult), Failure> {
    let (mut path, mut subject) = (path.to_owned(), subject);
    for _ in 0..16 {
        let text = files.get(&path).ok_or_else(|| fail(FailureKind::RefactorFailed, format!("no file `{path}`")))?;
        let answer = TypeScript::rename(&open(&path, text), subject, new)?;
        match answer.elsewhere {
            Some(place) => (path, subject) = (place.path, Subject::At(place.offset)),
            None => return Ok((path, answer)),
        }
    }
    Err(fail(FailureKind::RefactorFailed, "the declaration is not found"))
}

impl Rename<'_> {
    fn apply_answer(&mut self, path: &str, answer: RenameResult) {
        let edits = self.edits.entry(path.to_owned()).or_default();
        edits.extend(answer.edits.into_iter().map(|edit| (edit.span.start, edit.span.end, edit.text)));
        // If a file is queried again with more declarations of a member, the new answer replaces the old one.
        let left = self.unresolved.entry((path.to_owned(), answer.declared.is_some())).or_default();
        if answer.declared.is_some() {
            left.clear();
        }
        left.extend(answer.unresolved.iter().map(|span| span.start));
        self.places
            .extend(answer.declared.into_iter().flat_map(|key| key.locations).map(|place| (place.path, place.offset)));
        for renamed in answer.exported {
            if self.renamed_exports.insert((path.to_owned(), renamed.old.clone())) {
                self.exported.push_back((path.to_owned(), renamed.old));
            }
        }
    }

    fn rename_in_file(&mut self, path: &str, subject: Subject) -> Result<(), Failure> {
        let answer = TypeScript::rename(&open(path, &self.files[path]), subject, self.new)?;
        self.apply_answer(path, answer);
        Ok(())
    }

    fn follow_exports(&mut self, called: &str) -> Result<(), Failure> {
        while let Some((from, name)) = self.exported.pop_front() {
            for path in self.files.keys().filter(|path| is_code(path) && **path != from) {
                let specifiers = specifiers_of(path, &self.files[path], &from);
                if specifiers.is_empty() {
                    continue;
                }
                let subject = if name == "default" {
                    Subject::ImportedDefault(DefaultKey { specifiers, called: called.to_owned() })
                } else {
                    Subject::Imported(ImportKey { specifiers, name: name.clone() })
                };
                self.rename_in_file(path, subject)?;
            }
        }
        Ok(())
    }

    fn rename_member(&mut self, key: &DeclaredKey) -> Result<(), Failure> {
        let name = key.name.as_str();
        let is_form = |text: &String, form: &String| text.contains(form.as_str());
        let mut known = 0;
        while known < self.places.len() {
            known = self.places.len();
            let places = self.places.iter().map(|(path, offset)| FileLocation { path: path.clone(), offset: *offset });
            let forms = key.forms.clone();
            let asked = DeclaredKey { name: name.to_owned(), locations: places.collect(), forms };
            for (path, text) in self.files {
                let is_named = text.contains(name.trim_start_matches('#'));
                if is_code(path) && (is_named || key.forms.iter().any(|form| is_form(text, form))) {
                    self.rename_in_file(path, Subject::Declared(asked.clone()))?;
                }
            }
        }
        Ok(())
    }

    /// Asks every file that contains the new name whether it is free for the member.
    fn check_new_name(&mut self, name: &str) -> Result<(), Failure> {
        let places = self.places.iter().map(|(path, offset)| FileLocation { path: path.clone(), offset: *offset });
        let key = DeclaredKey { name: name.to_owned(), locations: places.collect(), forms: Vec::new() };
        for (path, text) in self.files.iter().filter(|(path, text)| is_code(path) && text.contains(self.new)) {
            let answer = TypeScript::rename(&open(path, text), Subject::Declared(key.clone()), self.new)?;
            let places = self.unresolved.entry((path.clone(), true)).or_default();
            places.extend(answer.unresolved.iter().map(|span| span.start));
        }
        Ok(())
    }

    fn rename_shared(&mut self, first: &str, name: &str) -> Result<(), Failure> {
        let mut declared = false;
        let of = |path: &str| TypeScript::facts(&open(path, &self.files[path]));
        let has = |names: &[SharedName]| names.iter().any(|known| known.name == name);
        let paths: Vec<&String> = self.files.keys().filter(|path| is_code(path)).collect();
        let mut users = Vec::new();
        for path in paths {
            let facts = of(path);
            declared |= has(&facts.shared);
            if path != first && (has(&facts.shared) || has(&facts.free)) {
                users.push(path);
            }
        }
        if !declared {
            return Err(fail(FailureKind::RefactorFailed, format!("nothing in the workspace declares `{name}`")));
        }
        for path in users {
            self.rename_in_file(
                path,
                Subject::Shared(SharedName { namespace: "script".to_owned(), name: name.to_owned() }),
            )?;
        }
        Ok(())
    }

    fn result(self) -> Result<Files, Failure> {
        let mut after = self.files.clone();
        for (path, text) in self.files {
            let edits = self.edits.get(path).into_iter().flatten();
            let mut edits: Vec<Edit> = edits
                .map(|(start, end, text)| Edit { span: Span { start: *start, end: *end }, text: text.clone() })
                .collect();
            assert!(edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "edits overlap: {edits:?}");
            let left = self.unresolved.iter().filter(|(left, _)| left.0 == *path).flat_map(|(_, left)| left);
            for at in left.collect::<BTreeSet<_>>() {
                match edits.iter_mut().find(|edit| edit.span.start == *at) {
                    Some(edit) => edit.text.insert(0, '§'),
                    None => edits.push(Edit { span: Span { start: *at, end: *at }, text: "§".to_owned() }),
                }
            }
            edits.sort_by_key(|edit| edit.span.start);
            after.insert(path.clone(), apply(text, &edits));
        }
        Ok(after)
    }
}

/// Returns the specifiers by which a file imports another one.
fn specifiers_of(path: &str, text: &str, to: &str) -> Vec<String> {
    let document = open(path, text);
    let imports = TypeScript::facts(&document).imports.into_iter().map(|import| import.specifier);
    let links = TypeScript::links(&document).into_iter().filter(|link| link.kind != "possible");
    let mut specifiers: Vec<String> = imports.chain(links.map(|link| link.specifier)).collect();
    specifiers.sort();
    specifiers.dedup();
    let request = |specifier: &String| Request { kind: "import".to_owned(), specifier: specifier.clone() };
    let destinations =
        TypeScript::resolve(&Context::for_path(path), &specifiers.iter().map(request).collect::<Vec<_>>());
    let inside_path = |(specifier, destination)| match destination {
        Destination::Inside(found) if found.path == to => Some(specifier),
        _ => None,
    };
    specifiers.into_iter().zip(destinations).filter_map(inside_path).collect()
}

/// Parses files from a text in which `// path` lines start them; a text without such a line is `a.ts`.
pub(crate) fn files_of(text: &str) -> Files {
    let text = if text.starts_with("// ") { text.to_owned() } else { format!("// a.ts\n{text}") };
    let parts = text.split("\n// ").map(|part| part.trim_start_matches("// "));
    parts
        .map(|part| part.split_once('\n').unwrap_or((part, "")))
        .map(|(path, body)| (path.to_owned(), body.to_owned()))
        .collect()
}

/// Renames the name marked with `¦` to `New`; unresolved occurrences are preceded by `§` afterwards.
#[track_caller]
pub(crate) fn check_marked(before: &str, after: &str) {
    let mut files = files_of(before);
    let marked = files.iter().find_map(|(path, text)| Some((path.clone(), text.find('¦')?)));
    let (path, at) = marked.expect("a marked place");
    files.values_mut().for_each(|text| *text = text.replace('¦', ""));
    let got = rename_showing(&files, &path, Subject::At(at as u32), "New").map_err(|failure| failure.message);
    let show =
        |files: &Files| files.iter().map(|(path, text)| format!("// {path}\n{text}")).collect::<Vec<_>>().join("\n");
    assert_eq!(got.map(|files| show(&files)), Ok(show(&files_of(after))), "{before}");
}

/// Checks a text after the member `old` is renamed to `New` at the `¦`.
#[track_caller]
pub(crate) fn check_renamed(old: &str, after: &str) {
    check_marked(&after.replace('§', "").replace("New", old), &after.replace('¦', ""));
}
