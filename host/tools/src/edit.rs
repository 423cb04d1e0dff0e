//! `file_edit`: change this one thing. Edits are byte splices, checked for syntax before anything is written.

use std::sync::Arc;

use marquetry_model::{
    Change, Edit, EditSet, Error, Kind, Outcome, Result, Span, Step, limits,
    pack::{EditOptions, Node, Operation, Position, Problem, Severity},
    text::{LineBreak, Lines, Reading},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    open_document::{Place, nodes},
    shape::{FileChange, Range, counted, file_change, file_diff},
    target::{TargetArgs, at_most},
    workbench::{Opened, Workbench},
};

/// Arguments of `file_edit`. Either one edit (`target` and `operation`), or several in `edits`, carried out as one
/// change, or a `refactor`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// The file to edit.
    pub file: Option<String>,
    /// The edit, when there is one.
    #[serde(flatten)]
    pub edit: OneEdit,
    /// Several edits of the file, all computed on the text as it is, applied as one change.
    pub edits: Option<Vec<OneEdit>>,
    /// The hash that a read returned; a file that is no longer that is not edited.
    pub expected_hash: Option<String>,
    /// Write even though the edit adds syntax problems or another check refuses it.
    #[serde(default)]
    pub force: bool,
    /// Show what would happen, write nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Return the old and new content of each edit.
    #[serde(default)]
    pub preview: bool,
    /// A refactoring instead of an edit: `rename_symbol`.
    pub refactor: Option<String>,
    /// The new name, for `rename_symbol`.
    pub new_name: Option<String>,
    /// `workspace` (default) or `file`.
    pub scope: Option<String>,
    /// Where the symbol is (line from 1), instead of `symbol`.
    pub line: Option<usize>,
    /// Column from 0 in UTF-16 code units, with `line`.
    pub column: Option<usize>,
    /// Settings of editors, accepted and not used.
    #[serde(default)]
    pub preferences: serde_json::Map<String, serde_json::Value>,
}

/// One edit.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneEdit {
    /// What to edit.
    #[serde(flatten)]
    pub place: TargetArgs,
    /// What to do with it.
    pub operation: Option<OperationName>,
    /// What is inserted or takes the target's place.
    pub content: Option<String>,
    /// For `wrap`.
    pub wrapper: Option<WrapperArgs>,
    /// For `insert_into` (default `last`).
    pub position: Option<PositionName>,
    /// For `replace_text`: the text inside the target (or the file) that `content` replaces.
    pub old: Option<String>,
    /// Every match of the target; for `replace_text` every occurrence.
    #[serde(default)]
    pub all: bool,
    /// The attached doc comment is part of the target.
    #[serde(default)]
    pub include_doc: bool,
}

/// What to do with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationName {
    /// Put the content in its place.
    Replace,
    /// Put the content in the place of its inside.
    ReplaceBody,
    /// Insert before it.
    InsertBefore,
    /// Insert after it.
    InsertAfter,
    /// Insert into it.
    InsertInto,
    /// Put something around it.
    Wrap,
    /// Delete it, with its comment and separators.
    Delete,
    /// Replace a text inside it.
    ReplaceText,
}

/// What `wrap` puts around the target.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct WrapperArgs {
    /// Before it.
    pub before: String,
    /// After it.
    pub after: String,
}

/// Where `insert_into` inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PositionName {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Where the order of its neighbours has it.
    Sorted,
}

/// Result of `file_edit`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// The operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationName>,
    /// The refactoring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refactor: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The renamed symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_name: Option<String>,
    /// How many files changed; their paths for a refactoring.
    pub files_affected: Affected,
    /// How many edits were made.
    pub total_edits: usize,
    /// The edits, file by file.
    pub changes: Vec<FileChange>,
    /// Where the new text stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Unified diff.
    pub diff: String,
    /// The hash of the file after the edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Give it to `file_undo` to take the change back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Nothing was written.
    pub dry_run: bool,
    /// Worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// `complete`, `syntactic` or `partial`, for a refactoring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<String>,
    /// Places that may or may not be meant, and were left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// Which plugin answered.
    pub engine: String,
    /// One line for people.
    pub summary: String,
}

/// A count, or the files themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Affected {
    /// So many.
    Count(usize),
    /// These.
    Files(Vec<String>),
}

impl Default for Affected {
    fn default() -> Affected {
        Affected::Count(0)
    }
}

impl Workbench {
    /// Edit a file.
    pub fn edit(&self, args: &EditArgs) -> Result<EditResult> {
        if let Some(refactor) = &args.refactor {
            return self.refactor(refactor, args);
        }
        let file = args.file.as_deref().ok_or_else(|| Error::argument("`file` is missing"))?;
        let opened = self.open(args.root.as_deref(), file)?;
        check_hash(&opened, args.expected_hash.as_deref())?;
        let single = [args.edit.clone()];
        let list = match &args.edits {
            Some(edits) if args.edit.operation.is_some() => {
                return Err(Error::argument(format!("one edit and a list of {} exclude each other", edits.len())));
            }
            Some(edits) if edits.is_empty() => return Err(Error::argument("`edits` is empty")),
            Some(edits) => edits.as_slice(),
            None => &single,
        };
        let edits = self.compute(&opened, list, args.force)?;
        self.finish(&opened, list, edits, args)
    }

    /// The splices of all edits, each computed on the text as it is.
    fn compute(&self, opened: &Opened, list: &[OneEdit], force: bool) -> Result<EditSet> {
        let mut splices = Vec::new();
        let mut at = 0;
        while at < list.len() {
            // Neighbouring deletions are one operation: they share separators.
            let deletes = |one: &OneEdit| one.operation == Some(OperationName::Delete);
            let run = if deletes(&list[at]) { list[at..].iter().take_while(|one| deletes(one)).count() } else { 1 };
            splices
                .extend(self.compute_run(opened, &list[at..at + run], force).map_err(|error| {
                    if list.len() > 1 { error.context(&format!("edit {}", at + 1)) } else { error }
                })?);
            at += run;
        }
        let text = &opened.source.text;
        Ok(EditSet::new(text, splices)?.fitted(text, LineBreak::of(text)))
    }

    fn compute_run(&self, opened: &Opened, run: &[OneEdit], force: bool) -> Result<Vec<Edit>> {
        let operation = operation(&run[0])?;
        let options = EditOptions { include_doc: run.iter().any(|one| one.include_doc), force };
        let mut groups: Vec<(Place, Vec<u32>)> = Vec::new();
        for one in run {
            let Some((place, found)) = self.target_of(opened, one, &operation)? else {
                return replace_in_file(opened, &operation);
            };
            let ids = found.iter().map(|node| node.id);
            match groups.iter_mut().find(|(known, _)| known.offset == place.offset && known.path == place.path) {
                Some((_, known)) => known.extend(ids),
                None => groups.push((place, ids.collect())),
            }
        }
        let mut splices = Vec::new();
        for (place, mut ids) in groups {
            ids.dedup();
            let edits = place.document()?.edit(&ids, &operation, options)?;
            splices.extend(edits.into_iter().map(|edit| Edit { span: edit.span.shifted(place.offset), ..edit }));
        }
        Ok(splices)
    }

    /// The nodes an edit is about; none where a text is to be replaced anywhere in the file.
    fn target_of(&self, opened: &Opened, one: &OneEdit, operation: &Operation) -> Result<Option<(Place, Vec<Node>)>> {
        let given = one.place.given(opened.pack.description());
        if given.is_empty() {
            if matches!(operation, Operation::ReplaceText { .. }) {
                return Ok(None);
            }
            return Err(Error::argument("`target` is missing")
                .hint("name what to edit; read the file without a target to see its outline"));
        }
        at_most(&given, limits::EMBEDDED_DEPTH)?;
        let name = one.place.name();
        let limit = if one.all { usize::MAX >> 1 } else { 20 };
        let located = self.locate(opened, given, limit, false)?;
        let (found, total) = nodes(located.found).map_err(|scalar| {
            Error::new(Kind::InvalidTarget, format!("`{name}` is a value ({}), not a place", scalar.text))
        })?;
        if total > 1 && !one.all {
            return Err(Error::new(Kind::AmbiguousTarget, format!("`{name}` names {total} places"))
                .hint("use one of the candidates as the target, or `all: true` to edit every one")
                .candidates(found.into_iter().map(|node| node.address)));
        }
        Ok(Some((located.place, found)))
    }

    /// Check the syntax, write, and say what was done.
    fn finish(&self, opened: &Opened, list: &[OneEdit], edits: EditSet, args: &EditArgs) -> Result<EditResult> {
        let text = &opened.source.text;
        if !args.force && !edits.is_empty() {
            check_syntax(opened, &edits)?;
        }
        let file = opened.source.path.clone();
        let name = target_name(&list[0]);
        let operation = list[0].operation.unwrap_or(OperationName::Replace);
        let summary = summary(operation, &name, list.len(), edits.is_empty());
        let step = Step::Edit { path: file.clone(), base: opened.source.hash.clone(), edits: edits.clone() };
        let applied = if edits.is_empty() {
            None
        } else {
            let change = Change { title: format!("{summary} in {file}"), steps: vec![step] };
            Some(opened.files.apply(&change, args.dry_run, &self.work)?)
        };
        let mut result = EditResult {
            success: true,
            operation: (list.len() == 1).then_some(operation),
            target: (list.len() == 1).then_some(name),
            files_affected: Affected::Count(usize::from(!edits.is_empty())),
            total_edits: edits.len(),
            range: new_range(text, &edits),
            diff: file_diff(&file, text, &edits),
            dry_run: args.dry_run,
            engine: opened.pack.description().id.clone(),
            summary,
            ..EditResult::default()
        };
        if !edits.is_empty() {
            result.changes = vec![file_change(&file, text, &edits, args.preview)];
        }
        if opened.source.size > limits::LARGE_FILE {
            result.warnings.push(format!("a large file: {} bytes", opened.source.size));
        }
        result.hash = Some(opened.source.hash.clone());
        if let Some(applied) = applied {
            result.id = applied.id.filter(|_| applied.outcome == Outcome::Applied);
            result.hash = applied.files.into_iter().find_map(|effect| effect.hash);
        }
        result.file = Some(file);
        Ok(result)
    }
}

/// The file must be the one the caller read.
pub(crate) fn check_hash(opened: &Opened, expected: Option<&str>) -> Result<()> {
    match expected {
        Some(expected) if expected != opened.source.hash => Err(Error::new(
            Kind::Stale,
            format!(
                "{} is not what was read: its hash is {}, expected {expected}",
                opened.source.path, opened.source.hash
            ),
        )
        .hint("read it again and repeat the edit on what is there now")),
        _ => Ok(()),
    }
}

fn operation(one: &OneEdit) -> Result<Operation> {
    let name = one.operation.ok_or_else(|| {
        Error::argument("`operation` is missing").candidates(
            [
                "replace",
                "replace_body",
                "insert_before",
                "insert_after",
                "insert_into",
                "wrap",
                "delete",
                "replace_text",
            ]
            .map(str::to_owned),
        )
    })?;
    let content = || one.content.clone().ok_or_else(|| Error::argument("`content` is missing"));
    Ok(match name {
        OperationName::Replace => Operation::Replace(content()?),
        OperationName::ReplaceBody => Operation::ReplaceBody(content()?),
        OperationName::InsertBefore => Operation::InsertBefore(content()?),
        OperationName::InsertAfter => Operation::InsertAfter(content()?),
        OperationName::InsertInto => Operation::InsertInto(
            content()?,
            match one.position.unwrap_or(PositionName::Last) {
                PositionName::First => Position::First,
                PositionName::Last => Position::Last,
                PositionName::Sorted => Position::Sorted,
            },
        ),
        OperationName::Wrap => {
            let wrapper = one.wrapper.clone().ok_or_else(|| {
                Error::argument("`wrapper` is missing").hint("give `wrapper: {\"before\": \"…\", \"after\": \"…\"}`")
            })?;
            Operation::Wrap { before: wrapper.before, after: wrapper.after }
        }
        OperationName::Delete => Operation::Delete,
        OperationName::ReplaceText => Operation::ReplaceText {
            old: one.old.clone().ok_or_else(|| {
                Error::argument("`old` is missing")
                    .hint("give the text to replace as `old`, and what replaces it as `content`")
            })?,
            new: content()?,
            all: one.all,
        },
    })
}

/// `replace_text` without a target: anywhere in the file.
fn replace_in_file(opened: &Opened, operation: &Operation) -> Result<Vec<Edit>> {
    let Operation::ReplaceText { old, new, all } = operation else { return Ok(Vec::new()) };
    let text = &opened.source.text;
    let old = if text.contains(old.as_str()) { old.clone() } else { LineBreak::of(text).convert(old) };
    let found: Vec<usize> = text.match_indices(old.as_str()).map(|(at, _)| at).collect();
    match found.len() {
        0 => Err(Error::new(Kind::TargetNotFound, format!("{} does not contain the text", opened.source.path))
            .hint("the text must match exactly, white space included; the candidates are the nearest lines")
            .candidates(marquetry_model::nearest::nearest(
                old.lines().next().unwrap_or_default().trim(),
                text.lines().map(|line| line.trim().to_owned()),
            ))),
        n if n > 1 && !all => {
            Err(Error::new(Kind::AmbiguousTarget, format!("the text occurs {n} times in {}", opened.source.path))
                .hint("give more of the text around it, name a target, or use `all: true`"))
        }
        _ => Ok(found.into_iter().map(|at| Edit { span: Span::new(at, at + old.len()), text: new.clone() }).collect()),
    }
}

/// Refuse an edit that adds syntax problems.
pub(crate) fn check_syntax(opened: &Opened, edits: &EditSet) -> Result<()> {
    if opened.pack.open(&opened.source.path, &opened.source.text)?.stays_well_formed(edits.as_slice())? {
        return Ok(());
    }
    let errors = |text: &Arc<str>| -> Result<Vec<Problem>> {
        let problems = opened.pack.open(&opened.source.path, text)?.problems()?;
        Ok(problems.into_iter().filter(|problem| problem.severity == Severity::Error).collect())
    };
    let after: Arc<str> = Arc::from(edits.apply(&opened.source.text));
    let added = errors(&after)?;
    if added.is_empty() {
        return Ok(());
    }
    let before = errors(&opened.source.text)?;
    if added.len() <= before.len() {
        return Ok(());
    }
    // The first problem that was not there before, compared by its message.
    let known = |problem: &&Problem| before.iter().all(|old| old.message != problem.message);
    let first = added.iter().find(known).unwrap_or(&added[0]);
    let lines = Lines::new(&after);
    let position = lines.position(first.span.start);
    let line = lines.line(position.line).map_or("", |line| line.of(&after)).trim();
    let shown: String = line.chars().take(120).collect();
    Err(Error::new(
        Kind::ParseError,
        format!(
            "the edit would add {}: line {}, column {}: {} (`{shown}`)",
            counted(added.len() - before.len(), "syntax problem"),
            position.line,
            position.column,
            first.message
        ),
    )
    .hint("correct the content, or give `force: true` to write it all the same; nothing was written"))
}

/// From the start of the first new text to the end of the last, in the text after the edits.
fn new_range(text: &str, edits: &EditSet) -> Option<Range> {
    let (mut reading, mut at, mut start) = (Reading::default(), 0, None);
    for edit in edits.as_slice() {
        reading.piece(&text[at..edit.span.start]);
        start.get_or_insert(reading.position());
        reading.piece(&edit.text);
        at = edit.span.end;
    }
    Some(Range { start: start?.into(), end: reading.position().into() })
}

fn target_name(one: &OneEdit) -> String {
    let name = one.place.name();
    if name.is_empty() { "the file".to_owned() } else { name }
}

fn summary(operation: OperationName, target: &str, count: usize, nothing: bool) -> String {
    if nothing {
        return format!("Nothing to change: {target} is that already");
    }
    if count > 1 {
        return format!("Made {}", counted(count, "edit"));
    }
    match operation {
        OperationName::Replace => format!("Replaced {target}"),
        OperationName::ReplaceBody => format!("Replaced body of {target}"),
        OperationName::InsertBefore => format!("Inserted before {target}"),
        OperationName::InsertAfter => format!("Inserted after {target}"),
        OperationName::InsertInto => format!("Inserted into {target}"),
        OperationName::Wrap => format!("Wrapped {target}"),
        OperationName::Delete => format!("Deleted {target}"),
        OperationName::ReplaceText => format!("Replaced text in {target}"),
    }
}
