//! Runs the cases of a folder, each as a separate test `folder::file::title`.
//!
//! In addition to what a case expects, every call is checked: a dry run or an error changes nothing; the diff in the
//! answer, applied as a patch, matches the files on disk; and undoing all changes at the end restores the files.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use libtest_mimic::{Arguments, Failed, Trial};
use marquetry_catalog::text::{self, Style};
use serde_json::Value;

use crate::{
    answer,
    case::{self, Case, Step},
    fixture::{self, Cursor},
    patch,
    project::Project,
    snapshot::{self, Snapshot},
};

/// Runs the cases in all text files below a folder, and in blocks of Markdown pages that begin with ````case`. With
/// `UPDATE_EXPECT=1`, expected answers are updated.
pub fn cases(folder: &Path, pages: &[PathBuf]) -> ExitCode {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        paths.iter().for_each(|path| rewrite(path, updated));
        pages.iter().for_each(|path| rewrite(path, updated_page));
    }
    let mut trials = Vec::new();
    let mut add = |name: &str, text: &str| {
        for case in case::parse(text).1 {
            trials.push(Trial::test(format!("{name}::{}", case.title), move || check(&case)));
        }
    };
    for path in paths {
        let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
        add(&name.to_string_lossy().replace('/', "::"), &fs::read_to_string(&path).expect("cases"));
    }
    for path in pages {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let page = fs::read_to_string(path).expect("a page");
        split_blocks(&page).into_iter().filter(|(is_case, _)| *is_case).for_each(|(_, text)| add(&name, text));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Splits a page into pieces, and marks those that are the contents of a block of cases.
fn split_blocks(page: &str) -> Vec<(bool, &str)> {
    let (mut pieces, mut at, mut start, mut inside) = (Vec::new(), 0, 0, false);
    for line in page.split_inclusive('\n') {
        let behind = at + line.len();
        match (inside, line.trim_end()) {
            (false, "```case") => {
                pieces.push((false, &page[start..behind]));
                (start, inside) = (behind, true);
            }
            (true, "```") => {
                pieces.push((true, &page[start..at]));
                (start, inside) = (at, false);
            }
            _ => {}
        }
        at = behind;
    }
    pieces.push((inside, &page[start..]));
    pieces
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            paths.push(path);
        }
    }
    paths.sort();
}

fn check(case: &Case) -> Result<(), Failed> {
    let outcomes = run(case)?;
    for (step, got) in case.steps.iter().zip(outcomes) {
        if !step.name.starts_with("!write") && got != step.expected {
            let diff = similar::TextDiff::from_lines(&step.expected, &got);
            let shown = diff.unified_diff().context_radius(20).header("expected", "got").to_string();
            return Err(format!("{}{shown}\n(UPDATE_EXPECT=1 accepts the actual output)", step.head).into());
        }
    }
    Ok(())
}

fn rewrite(path: &Path, update: fn(&str) -> String) {
    let text = fs::read_to_string(path).expect("cases");
    let now = update(&text);
    if now != text {
        fs::write(path, now).expect("cases are written");
    }
}

fn updated_page(page: &str) -> String {
    let piece = |(is_case, text): (bool, &str)| if is_case { updated(text) } else { text.to_owned() };
    split_blocks(page).into_iter().map(piece).collect()
}

fn updated(text: &str) -> String {
    let (preamble, cases) = case::parse(text);
    let mut out = preamble.clone();
    let shared = preamble.find("//- ").map_or("", |at| &preamble[at..]);
    for case in cases {
        // A case that fails a check is not updated, and fails when it is run.
        let outcomes = run(&case).ok();
        out.push_str(&format!("==== {}\n{}", case.title, &case.files[shared.len()..]));
        for (index, step) in case.steps.iter().enumerate() {
            let got = outcomes.as_ref().filter(|_| !step.name.starts_with("!write")).map(|outcomes| &outcomes[index]);
            out.push_str(&step.head);
            out.push_str(got.unwrap_or(&step.expected));
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Runs a case. Returns the answers of its steps.
fn run(case: &Case) -> Result<Vec<String>, Failed> {
    let project = Project::new(&case.files);
    let cursor = fixture::parse_files(&case.files).1;
    let mut run = CaseRun { project, cursor, ids: Vec::new(), changed_externally: false };
    let before = run.project.snapshot();
    let outcomes = case.steps.iter().map(|step| run.step(step)).collect::<Result<Vec<_>, _>>()?;
    run.undo_all(&before)?;
    Ok(outcomes)
}

struct CaseRun {
    project: Project,
    cursor: Option<Cursor>,
    /// The ids of the changes that can be undone.
    ids: Vec<String>,
    /// True if files were changed by other means than a call, or changes were undone.
    changed_externally: bool,
}

impl CaseRun {
    fn step(&mut self, step: &Step) -> Result<String, Failed> {
        let path = step.arguments.trim_start_matches('/');
        match step.name.as_str() {
            "!write" => {
                self.project.write(path, &step.expected);
                self.changed_externally = true;
                Ok(String::new())
            }
            "!remove" => {
                let path = self.project.root().join(path);
                fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                self.changed_externally = true;
                Ok(String::new())
            }
            "!show" => Ok(format!("{}\n", self.project.snapshot().text(path).unwrap_or_default().trim_end())),
            _ => self.call(step),
        }
    }

    fn call(&mut self, step: &Step) -> Result<String, Failed> {
        let arguments = self.fill_placeholders(&step.arguments);
        let before = self.project.snapshot();
        let answer = self.project.call(&step.name, &arguments);
        let after = self.project.snapshot();
        let dry = serde_json::from_str::<Value>(&arguments).is_ok_and(|arguments| arguments["dryRun"] == true);
        let shown = match answer {
            Err(error) => {
                if before != after {
                    return Err(format!("{}a failure changed files:\n{}", step.head, before.diff(&after)).into());
                }
                match text_style(step) {
                    Some(style) => text::error(&error, style),
                    None => answer::format_error(&error, &step.fields),
                }
            }
            Ok(answer) => {
                // A call may also be a dry run by default; the answer reports that.
                let dry = dry || answer["dryRun"] == true;
                if dry && before != after {
                    return Err(format!("{}a dry run changed files:\n{}", step.head, before.diff(&after)).into());
                }
                let is_change = answer.get("dryRun").is_some();
                if let Some(id) = answer["id"].as_str() {
                    self.ids.push(id.to_owned());
                }
                if step.name == "file_undo" {
                    self.changed_externally = true;
                }
                let diff =
                    diff(&step.name, &answer, &before, &after, dry).map_err(|why| format!("{}{why}", step.head))?;
                match text_style(step) {
                    Some(style) => text::render(&step.name, &answer, style),
                    None => format!("{diff}{}", answer::format_answer(&answer, &step.fields, is_change)),
                }
            }
        };
        // Trim blank lines at the end, as in the parsed case.
        Ok(match self.normalize(&shown).trim_end() {
            "" => String::new(),
            shown => format!("{shown}\n"),
        })
    }

    /// Replaces the placeholders in arguments.
    fn fill_placeholders(&self, arguments: &str) -> String {
        let mut text = arguments.to_owned();
        if let Some(cursor) = &self.cursor {
            let ((line, column), (last, end)) = (cursor.start, cursor.end);
            let selection =
                format!("{{\"startLine\":{line},\"startColumn\":{column},\"endLine\":{last},\"endColumn\":{end}}}");
            text = text.replace("$selection", &selection).replace("$lines", &format!("{line}-{last}"));
            text = text.replace("$line", &line.to_string()).replace("$column", &column.to_string());
            text = text.replace("$file", &cursor.path);
        }
        while let Some((start, end)) =
            text.find("$hash(").and_then(|start| Some((start, start + text[start..].find(')')?)))
        {
            let path = text[start + "$hash(".len()..end].trim_start_matches('/');
            let hash = marquetry_files::hash(&fs::read(self.project.root().join(path)).unwrap_or_default());
            text.replace_range(start..=end, &hash);
        }
        let text = text.replace("$id", self.ids.last().map_or("", String::as_str));
        text.replace("$root", &self.project.root().to_string_lossy())
    }

    /// Replaces everything that differs in every run with placeholders.
    fn normalize(&self, text: &str) -> String {
        let mut text = text.replace(&*self.project.root().to_string_lossy(), "$root");
        for id in &self.ids {
            text = text.replace(id, "$id");
        }
        for (path, bytes) in &self.project.snapshot().0 {
            text = text.replace(&marquetry_files::hash(bytes), &format!("$hash({path})"));
        }
        text
    }

    fn undo_all(&self, before: &Snapshot) -> Result<(), Failed> {
        if self.changed_externally {
            return Ok(());
        }
        for id in self.ids.iter().rev() {
            let undone = self.project.call("file_undo", &format!("{{\"id\":\"{id}\"}}"));
            undone.map_err(|error| format!("a change cannot be undone: {error}"))?;
        }
        let after = self.project.snapshot();
        if *before != after {
            return Err(format!("files are not as they were after undo:\n{}", before.diff(&after)).into());
        }
        Ok(())
    }
}

/// Returns the style if the answer is requested as text.
fn text_style(step: &Step) -> Option<Style> {
    match step.fields.first().map(String::as_str) {
        Some("for models") => Some(Style::for_models()),
        Some("for people") => Some(Style::for_people(false)),
        _ => None,
    }
}

/// Returns the diff of a change: the actual one, or that of the answer for a dry run. Fails if both exist and differ.
fn diff(tool: &str, answer: &Value, before: &Snapshot, after: &Snapshot, dry: bool) -> Result<String, String> {
    let actual = before.diff(after);
    let reported = answer["diff"].as_str().unwrap_or_default();
    if dry || reported.is_empty() || tool == "file_duplicate" {
        return Ok(if dry { reported.to_owned() } else { actual });
    }
    let text = |snapshot: &Snapshot, path: &str| snapshot.0.get(path).map(|bytes| decoded(bytes));
    for (path, patched) in patch::apply(reported, |path| text(before, path).or_else(|| text(after, path)))? {
        let now = text(after, &path);
        let moved = || after.0.values().any(|bytes| decoded(bytes) == patched);
        if now.as_deref() != Some(&patched) && !moved() {
            return Err(format!("the diff of the answer is not the change of {path}:\n{reported}\non disk:\n{actual}"));
        }
    }
    Ok(actual)
}

fn decoded(bytes: &[u8]) -> String {
    snapshot::utf16(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).trim_start_matches('\u{FEFF}').to_owned())
}
