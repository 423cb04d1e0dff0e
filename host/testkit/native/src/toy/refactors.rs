//! Refactorings of the fixture language: within a document, with questions to other documents, and with a new file.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, Refactors};
use marquetry_sdk::{Edit, FailureKind, Result, Rewrite, Span, fail, lines, workspace};

use super::{Line, LineKind, Toy, ToyDocument, names::join_paths};

static TABLE: &[Refactoring<ToyDocument>] = &[
    Refactoring {
        id: "sort_values",
        title: "Sort values",
        place: Place::Document,
        arguments: &[Argument { name: "mode", summary: "which way", values: &["up", "down"], required: false }],
        asks_exporters: false,
        apply: sort_values,
    },
    Refactoring {
        id: "inline_value",
        title: "Inline value",
        place: Place::Name,
        arguments: &[],
        asks_exporters: false,
        apply: inline_value,
    },
    Refactoring {
        id: "move_to_file",
        title: "Move to a file",
        place: Place::Name,
        arguments: &[Argument { name: "file", summary: "the new file", values: &[], required: true }],
        asks_exporters: false,
        apply: move_to_file,
    },
    Refactoring {
        id: "import_value",
        title: "Import value",
        place: Place::Document,
        arguments: &[Argument { name: "symbol", summary: "the name", values: &[], required: true }],
        asks_exporters: true,
        apply: import_value,
    },
];

impl Refactors for Toy {
    fn table() -> &'static [Refactoring<ToyDocument>] {
        TABLE
    }

    fn answer(document: &ToyDocument, from: &str, payload: &str) -> Result<Rewrite> {
        let (name, value) = payload.split_once('=').unwrap_or((payload, ""));
        if document.misbehaves("panic answer") {
            super::fail_on_purpose();
        }
        let mut edits = document.inline_edits(name, value);
        for line in document.lines.iter().filter(|line| line.kind == LineKind::Use) {
            if join_paths(&document.path, line.name.slice(&document.text)).as_deref() == Some(from) {
                edits.push(Edit::remove(document.whole_line(line)));
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(edits.into())
    }
}

impl ToyDocument {
    fn whole_line(&self, line: &Line) -> Span {
        Span::new(line.span.range().start, lines::next_line(&self.text, line.span.range().end))
    }

    /// Replaces every use of a name with its value.
    fn inline_edits(&self, name: &str, value: &str) -> Vec<Edit> {
        let written = format!("${name}");
        let uses = self.text.match_indices(written.as_str()).map(|(at, found)| Span::new(at, at + found.len()));
        uses.map(|span| Edit::new(span, value)).collect()
    }

    fn value_at(&self, caret: u32) -> Result<&Line> {
        let holds = |line: &&Line| line.span.start <= caret && caret <= line.span.end;
        let mut found = self.lines.iter().filter(|line| line.kind != LineKind::Section || !line.name.is_empty());
        found.rfind(holds).ok_or_else(|| {
            fail(FailureKind::RefactorFailed, "there is no value at this position").hint("choose a line with `=`")
        })
    }
}

fn sort_values(document: &ToyDocument, asked: &RefactorInput) -> Result<Rewrite> {
    let values: Vec<&Line> = document.lines.iter().filter(|line| line.kind == LineKind::Value).collect();
    let mut sorted: Vec<&str> = values.iter().map(|line| line.span.slice(&document.text)).collect();
    sorted.sort_unstable();
    if asked.argument("mode") == Some("down") {
        sorted.reverse();
    }
    let edits = values.iter().zip(sorted).filter(|(line, new)| line.span.slice(&document.text) != *new);
    let mut rewrite = Rewrite::from(edits.map(|(line, new)| Edit::new(line.span, new)).collect::<Vec<_>>());
    if let Some(&[path]) = document.directive("ask").as_deref() {
        rewrite.ask_file(path, "steal=it");
    }
    Ok(rewrite)
}

fn inline_value(document: &ToyDocument, asked: &RefactorInput) -> Result<Rewrite> {
    let line = document.value_at(asked.at.caret)?;
    let (name, value) = (line.name.slice(&document.text), line.inside.slice(&document.text));
    if line.kind != LineKind::Value || line.section.is_some() {
        return Err(
            fail(FailureKind::RefactorFailed, format!("`{name}` is not a value outside sections")).at(line.span)
        );
    }
    let mut edits = vec![Edit::remove(document.whole_line(line))];
    edits.extend(document.inline_edits(name, value));
    edits.sort_by_key(|edit| edit.span.start);
    let mut rewrite = Rewrite::from(edits);
    rewrite.ask_importers([name.to_owned()], format!("{name}={value}"));
    Ok(rewrite)
}

fn move_to_file(document: &ToyDocument, asked: &RefactorInput) -> Result<Rewrite> {
    let line = document.value_at(asked.at.caret)?;
    let (file, name) = (asked.argument("file").unwrap_or_default(), line.name.slice(&document.text));
    let used = format!("use \"{file}\" {name}");
    let mut rewrite = Rewrite::from(vec![Edit::new(line.span, used.as_str())]);
    rewrite.name_at = Some(line.span.start + used.len() as u32 - name.len() as u32);
    let path = join_paths(&document.path, file).unwrap_or_else(|| "../outside.toy".to_owned());
    rewrite.create(path, format!("{}\n", line.span.slice(&document.text)));
    Ok(rewrite)
}

fn import_value(_document: &ToyDocument, asked: &RefactorInput) -> Result<Rewrite> {
    let name = asked.argument("symbol").unwrap_or_default();
    let exporters = workspace::exporters(name);
    match exporters.as_slice() {
        [only] => Ok(vec![Edit::insert(0, format!("use \"{only}\" {name}\n"))].into()),
        [] => Err(fail(FailureKind::TargetNotFound, format!("no file has a value `{name}`"))),
        all => Err(fail(FailureKind::AmbiguousTarget, format!("several files have a value `{name}`"))
            .candidates(all.iter().cloned())),
    }
}
