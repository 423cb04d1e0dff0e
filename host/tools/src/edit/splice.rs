//! Computes the splices of a list of edits: finds each target and applies its operation to the current text.

use std::rc::Rc;

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span, limits,
    pack::{EditOptions, Operation, Position, Target, TargetKind},
    text::LineBreak,
};

use super::{
    OneEdit, OperationName,
    adjacent::{ComputedRun, NumberedEdits, SplitRuns, split_runs},
    operation::{ParsedEdit, ParsedOperation, with_edit_index},
};
use crate::{
    document::{self, FindOptions, Found, NodeLocation, OpenFile, Part},
    session::Session,
    target::{check_target_count, default_kind, supports_only_lines},
    words::whole_word_offsets,
};

/// Target of an edit.
pub(super) enum EditTarget {
    /// The whole file, because no target was given.
    File,
    Places(Vec<NodeLocation>),
    /// A target that does not exist and must be created.
    Missing(Target),
    /// A target that does not exist and must be created in an embedded part.
    MissingInPart(Rc<Part>, Target),
}

/// Maximum number of candidates in the error for an edit that matches several nodes but needs one.
const MAX_CANDIDATES: usize = 20;

impl Session {
    /// Computes the splices of all edits of a file and merges them into one edit set.
    pub(super) fn splices(&self, file: &OpenFile, list: &[ParsedEdit<'_>], force: bool) -> Result<EditSet> {
        self.numbered_splices(file, &Vec::from_iter(list.iter().enumerate()), force)
    }

    /// Computes the splices of edits, each with its index in the list of the caller.
    pub(super) fn numbered_splices(
        &self,
        file: &OpenFile,
        list: &[(usize, &ParsedEdit<'_>)],
        force: bool,
    ) -> Result<EditSet> {
        let mut runs = Vec::new();
        for edits in group_deletions(list) {
            let index = edits[0].0;
            let run = self.compute_run(file, edits, force).map_err(|error| {
                let error = explain_earlier_edit(error, file, list, index);
                with_edit_index(error, list.len().max(index + 1), index)
            });
            runs.push(run?);
        }
        let SplitRuns { mut together, mut afterwards } = split_runs(runs);
        if !afterwards.is_empty() {
            let sets = together.iter().flat_map(|run| run.sets.iter().cloned());
            let before = EditSet::union(file.text(), sets)?;
            if let Some(edits) = self.edits_afterwards(file, &before, &afterwards, force)? {
                together.into_iter().flat_map(|run| run.notes).for_each(|note| self.work.add_note(note));
                return Ok(edits);
            }
            together.append(&mut afterwards);
        }
        together.sort_by_key(ComputedRun::index);
        let mut sets = Vec::new();
        for run in together {
            run.notes.into_iter().for_each(|note| self.work.add_note(note));
            sets.extend(run.sets);
        }
        EditSet::union(file.text(), sets)
    }

    fn compute_run<'a, 'e>(
        &self,
        file: &OpenFile,
        edits: NumberedEdits<'a, 'e>,
        force: bool,
    ) -> Result<ComputedRun<'a, 'e>> {
        let options = EditOptions { include_doc: edits.iter().any(|(_, plan)| plan.one.include_doc), force };
        let first = edits[0].1;
        let doing = &first.operation;
        let mut run = ComputedRun { edits: Vec::new(), sets: Vec::new(), notes: Vec::new(), places: None };
        let mut places = Vec::new();
        for (_, ParsedEdit { one, .. }) in &edits {
            let content = one.content.as_deref().unwrap_or_default();
            let target = self.find_edit_target(file, one).map_err(|error| match doing {
                ParsedOperation::ReplaceText(replacing) => document::suggest_node_with_text(file, replacing, error),
                _ => error,
            });
            match target? {
                EditTarget::Places(found) => places.extend(found),
                EditTarget::File => {
                    run.sets = self.edits_without_target(file, doing, options)?;
                    return Ok(ComputedRun { edits, places: Some(Vec::new()), ..run });
                }
                EditTarget::Missing(target) => {
                    let made = file.ask(|document| document.insert_missing(&target, content))?;
                    check_created(file.whole(), content, &made, force)?;
                    run.sets.push(made);
                    return Ok(ComputedRun { edits, ..run });
                }
                EditTarget::MissingInPart(part, target) => {
                    let made = part.ask(|document| document.insert_missing(&target, content))?;
                    check_created(&part, content, &made, force)?;
                    run.sets.push(made.shifted(part.offset()));
                    return Ok(ComputedRun { edits, ..run });
                }
            }
        }
        match doing {
            ParsedOperation::Operation(operation) => {
                let edited = document::edit(file, &places, operation, options)?;
                (run.sets, run.notes) = (edited.sets, edited.notes);
            }
            ParsedOperation::ReplaceText(replacing) => {
                run.sets.push(document::replace_text(file, &places, replacing, options.include_doc)?);
            }
            ParsedOperation::Restructure(restructuring) => {
                let spans: Vec<Span> = places.iter().map(NodeLocation::span).collect();
                run.sets.push(restructuring.edits(self, file, Some(&spans), force)?);
            }
        }
        Ok(ComputedRun { edits, places: Some(places), ..run })
    }

    fn edits_without_target(
        &self,
        file: &OpenFile,
        doing: &ParsedOperation,
        options: EditOptions,
    ) -> Result<Vec<EditSet>> {
        let set = match doing {
            ParsedOperation::Restructure(restructuring) => restructuring.edits(self, file, None, options.force),
            ParsedOperation::Operation(Operation::InsertInto(content, Position::Last)) => {
                match self.append_after_last(file, content, options)? {
                    Some(sets) => return Ok(sets),
                    None => edit_without_target(file, doing),
                }
            }
            doing => edit_without_target(file, doing),
        };
        set.map(|set| vec![set])
    }

    /// Inserts content after the last item of a file, with the separators of the format. Returns `None` if text follows
    /// that item, or if the pack cannot insert at that position. The caller then appends the content unchanged.
    fn append_after_last(&self, file: &OpenFile, content: &str, options: EditOptions) -> Result<Option<Vec<EditSet>>> {
        if supports_only_lines(file.description()) {
            return Ok(None);
        }
        let outline = file.ask(|document| document.outline()).unwrap_or_default();
        let items = outline.into_iter().filter(|node| node.parent.is_none());
        let Some(last) = items.max_by_key(|node| node.span.end) else { return Ok(None) };
        let is_end = file.text().get(last.span.end..).is_some_and(|rest| rest.trim().is_empty());
        // If the last item is a section or a block mapping, text after its body becomes part of the item. Only a
        // delimited item has a position after it.
        let is_delimited = last.body.is_none_or(|body| body.end < last.span.end);
        if !is_end || !is_delimited {
            return Ok(None);
        }
        let target = Target { kind: default_kind(file.description()), value: last.address };
        let Ok(Found::Places(places)) = file.find(self, vec![target], FindOptions { limit: 2, values: false }) else {
            return Ok(None);
        };
        let operation = Operation::InsertAfter(content.to_owned());
        let edited = document::edit(file, &places.list, &operation, options).ok();
        Ok(edited.filter(|_| places.total == 1).map(|edited| edited.sets))
    }

    /// Finds the target of an edit.
    pub(super) fn find_edit_target(&self, file: &OpenFile, one: &OneEdit) -> Result<EditTarget> {
        let given = one.place.given_targets(file.description());
        if one.upsert && one.operation != Some(OperationName::Replace) {
            return Err(Error::argument("`upsert` works only with `operation: \"replace\"`")
                .hint("use `replace` with `upsert`, or leave `upsert` out"));
        }
        if given.is_empty() {
            return Ok(EditTarget::File);
        }
        let only = given.first().filter(|_| given.len() == 1).cloned();
        // Line targets are never created.
        let can_be_created =
            |only: &Target| one.operation == Some(OperationName::Replace) && only.kind != TargetKind::Lines;
        let alone = only.clone().filter(can_be_created);
        check_target_count(&given, limits::EMBEDDED_DEPTH)?;
        let asked = if one.upsert { given.clone() } else { Vec::new() };
        let name = one.place.name();
        let limit = if one.all { usize::MAX >> 1 } else { MAX_CANDIDATES };
        let found = file.find(self, given, FindOptions { limit, values: false });
        if found.as_ref().is_err_and(|error| error.kind() == Kind::TargetNotFound)
            && let Some((part, target)) = self.part_with_missing(file, asked, one)
        {
            return Ok(EditTarget::MissingInPart(part, target));
        }
        let found = match (found, alone) {
            (Err(error), Some(target)) if error.kind() == Kind::TargetNotFound => {
                return if one.upsert {
                    Ok(EditTarget::Missing(target))
                } else {
                    Err(suggest_upsert(file, one, &target, error))
                };
            }
            // The file does not contain a part in a language with such targets. The pack may be able to create such a
            // part, for example front matter.
            (Err(error), Some(target)) if one.upsert && error.kind() == Kind::InvalidArgument => {
                let content = one.content.as_deref().unwrap_or_default();
                let is_made = file.ask(|document| document.insert_missing(&target, content)).is_ok();
                return if is_made { Ok(EditTarget::Missing(target)) } else { Err(error) };
            }
            (found, _) => found?,
        };
        match found {
            Found::Value(value) => {
                Err(Error::new(Kind::InvalidTarget, format!("`{name}` is a value ({}), not a node", value.text)))
            }
            Found::Places(places) if places.total > 1 && !one.all => {
                Err(Error::new(Kind::AmbiguousTarget, format!("`{name}` matches {} places", places.total))
                    .hint("use one of the candidates as the target, or `all: true` to edit every one")
                    .candidates(places.list.iter().map(|place| place.address().to_owned())))
            }
            Found::Places(places) => {
                let first = places.list.first().zip(only.as_ref());
                if let Some(meanings) = first.and_then(|(first, target)| file.two_meanings(self, target, first)) {
                    // The content shows what is meant: the language of the part refuses content of the other one.
                    if one.operation == Some(OperationName::Delete) {
                        return Err(meanings.error());
                    }
                    self.work.add_note(meanings.note());
                }
                Ok(EditTarget::Places(places.list))
            }
        }
    }
}

impl Session {
    /// Returns the embedded part whose pack can create the last of the targets.
    fn part_with_missing(&self, file: &OpenFile, given: Vec<Target>, one: &OneEdit) -> Option<(Rc<Part>, Target)> {
        let content = one.content.as_deref().unwrap_or_default();
        let can_create =
            |part: &Part, target: &Target| part.ask(|document| document.insert_missing(target, content)).is_ok();
        file.part_for_missing(self, given, can_create).ok().flatten()
    }
}

/// Refuses a created value that reaches beyond its place.
fn check_created(part: &Part, content: &str, edits: &EditSet, force: bool) -> Result<()> {
    let operation = Operation::InsertInto(content.to_owned(), Position::Last);
    if force { Ok(()) } else { document::check_confined(part, &[], &operation, edits) }
}

/// Combines all deletions into one operation, because adjacent targets share separators. Every other edit is a separate
/// operation.
fn group_deletions<'a, 'e>(list: &[(usize, &'a ParsedEdit<'e>)]) -> Vec<NumberedEdits<'a, 'e>> {
    let mut groups: Vec<NumberedEdits<'a, 'e>> = Vec::new();
    let is_deletion = |plan: &ParsedEdit<'_>| plan.one.operation == Some(OperationName::Delete);
    for &(index, plan) in list {
        match groups.iter_mut().find(|group| is_deletion(plan) && is_deletion(group[0].1)) {
            Some(deletions) => deletions.push((index, plan)),
            None => groups.push(vec![(index, plan)]),
        }
    }
    groups
}

/// Error for a text or target that only exists after an earlier edit of the same list.
fn explain_earlier_edit(error: Error, file: &OpenFile, list: &[(usize, &ParsedEdit<'_>)], at: usize) -> Error {
    let Some(one) = list.iter().find(|(index, _)| *index == at).map(|(_, plan)| plan.one) else { return error };
    if error.kind() != Kind::TargetNotFound {
        return error;
    }
    let earlier = |adds: &dyn Fn(&str) -> bool| {
        let before = list.iter().filter(|(index, _)| *index < at);
        let mut adding = before.filter(|(_, plan)| plan.one.content.as_deref().is_some_and(adds));
        adding.next().map(|(index, _)| *index)
    };
    let (what, found) = match one.old.as_deref() {
        Some(old) if file.text().contains(old) => return error,
        Some(old) => ("text", earlier(&|content| content.contains(old))),
        None => {
            // The last name of a target: `b` of `$.a.b` and of `A.b`.
            let target = one.place.name();
            let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
            let name = target.rsplit(|letter| !is_part(letter)).find(|name| !name.is_empty()).unwrap_or_default();
            ("target", earlier(&|content| !whole_word_offsets(content, name).is_empty()))
        }
    };
    match found {
        Some(earlier) => error.hint(format!(
            "all `edits` apply to the original text: `edits[{earlier}]` would only add this {what}. Give the \
             final text in one edit, or use `changes` for edits in sequence"
        )),
        None => error,
    }
}

/// Error for a missing target, with a hint if `upsert` can create it.
fn suggest_upsert(file: &OpenFile, one: &OneEdit, target: &Target, error: Error) -> Error {
    let content = one.content.as_deref().unwrap_or_default();
    if file.ask(|document| document.insert_missing(target, content)).is_err() {
        return error;
    }
    let before = error.content().hint.as_ref().map_or(String::new(), |hint| format!("{hint}; "));
    error.hint(format!("{before}`upsert: true` creates it"))
}

/// Edits without a target: replace a text anywhere in the file, or add to its start or end.
fn edit_without_target(file: &OpenFile, doing: &ParsedOperation) -> Result<EditSet> {
    match doing {
        ParsedOperation::ReplaceText(replacing) => document::replace_text_in_file(file, replacing),
        ParsedOperation::Operation(Operation::InsertInto(content, position @ (Position::First | Position::Last))) => {
            add_at_end(file.text(), content, *position == Position::First)
        }
        _ => Err(Error::argument("`target` is missing").hint(
            "name what to edit; read the file without a target to see its outline. `insert_into` without a target adds to \
             the end of the file, with `position: \"first\"` to its start",
        )),
    }
}

/// Adds content to the start or end of a text, on separate lines.
fn add_at_end(text: &str, content: &str, first: bool) -> Result<EditSet> {
    let line_break = LineBreak::most_frequent(text).as_str();
    let content = content.trim_end_matches(['\n', '\r']);
    let ends_line = |text: &str| text.is_empty() || text.ends_with(['\n', '\r']);
    let (at, new) = match (first, ends_line(text)) {
        (true, _) => (0, format!("{content}{line_break}")),
        (false, true) => (text.len(), format!("{content}{line_break}")),
        // If the file has no final line break, the new text has none, either.
        (false, false) => (text.len(), format!("{line_break}{content}")),
    };
    EditSet::new(text, vec![Edit { span: Span::new(at, at), text: new }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_added_on_separate_lines() {
        let added = |text: &str, first| add_at_end(text, "x\ny\n", first).expect("fits").apply(text);
        assert_eq!(added("a\n", false), "a\nx\ny\n");
        assert_eq!(added("a", false), "a\nx\ny");
        assert_eq!(added("", false), "x\ny\n");
        assert_eq!(added("a\n", true), "x\ny\na\n");
    }
}
