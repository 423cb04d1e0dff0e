//! Edits of a list that touch each other, such as two insertions into an empty list. A pack computes each of them for
//! the original text, so their separators do not fit together. All except the first are computed again, for the text
//! after the others.

use marquetry_model::{
    EditSet, Result, Span,
    pack::{Operation, Position},
    ports::Source,
    text::LineBreak,
};

use super::{
    operation::{ParsedEdit, ParsedOperation},
    splice::EditTarget,
};
use crate::{
    document::{NodeLocation, OpenFile},
    session::Session,
};

/// Edits of a list with their indices, for messages.
pub(super) type NumberedEdits<'a, 'e> = Vec<(usize, &'a ParsedEdit<'e>)>;

/// Edits that a pack computed together.
pub(super) struct ComputedRun<'a, 'e> {
    pub(super) edits: NumberedEdits<'a, 'e>,
    pub(super) sets: Vec<EditSet>,
    /// Notes of the pack for the caller.
    pub(super) notes: Vec<String>,
    /// Targets of all edits; `None` if the run creates its target.
    pub(super) places: Option<Vec<NodeLocation>>,
}

/// The runs of a list that fit together, and those that must be computed for the text after them.
pub(super) struct SplitRuns<'a, 'e> {
    pub(super) together: Vec<ComputedRun<'a, 'e>>,
    pub(super) afterwards: Vec<ComputedRun<'a, 'e>>,
}

impl ComputedRun<'_, '_> {
    /// Index of the first edit.
    pub(super) fn index(&self) -> usize {
        self.edits[0].0
    }

    fn spans(&self) -> impl Iterator<Item = Span> {
        self.sets.iter().flat_map(EditSet::as_slice).map(|edit| edit.span)
    }

    /// Returns whether the edits can be computed for another text. Their targets must be nodes, and they must only
    /// insert content before, after or into the targets, or delete the targets.
    fn can_follow(&self) -> bool {
        let Some(places) = &self.places else { return true };
        let is_structural = |operation: &ParsedOperation| {
            use Operation::{Delete, InsertAfter, InsertBefore, InsertInto};
            matches!(operation, ParsedOperation::Operation(InsertBefore(_) | InsertAfter(_) | InsertInto(..) | Delete))
        };
        is_structural(&self.edits[0].1.operation) && !places.is_empty() && !places.iter().any(NodeLocation::is_lines)
    }

    /// Returns whether new content is inserted before content of earlier edits at the same target. Such edits are
    /// computed from the last to the first, so that the content has the order of the list.
    fn is_reversed(&self) -> bool {
        let operation = &self.edits[0].1.operation;
        matches!(
            operation,
            ParsedOperation::Operation(Operation::InsertAfter(_) | Operation::InsertInto(_, Position::First))
        )
    }
}

/// Separates the runs that touch earlier ones.
pub(super) fn split_runs<'a, 'e>(runs: Vec<ComputedRun<'a, 'e>>) -> SplitRuns<'a, 'e> {
    let (reversed, mut ordered): (Vec<_>, Vec<_>) = runs.into_iter().partition(ComputedRun::is_reversed);
    ordered.extend(reversed.into_iter().rev());
    let mut split = SplitRuns { together: Vec::new(), afterwards: Vec::new() };
    let mut taken: Vec<Span> = Vec::new();
    let mut creates = false;
    for run in ordered {
        let is_creating = run.places.is_none();
        // Missing targets can have missing parents in common.
        let meets = (is_creating && creates) || run.spans().any(|span| touches(&taken, span));
        creates |= is_creating;
        if meets && run.can_follow() {
            split.afterwards.push(run);
            continue;
        }
        taken.extend(run.spans());
        taken.sort_unstable_by_key(|span| (span.start, span.end));
        split.together.push(run);
    }
    split
}

/// Returns whether a span overlaps one of the sorted spans, or touches one of them and one of the two is an insertion.
fn touches(sorted: &[Span], span: Span) -> bool {
    let first = sorted.partition_point(|other| other.end < span.start);
    let mut near = sorted[first..].iter().take_while(|other| other.start <= span.end);
    near.any(|other| {
        let overlap = other.start < span.end && span.start < other.end;
        overlap || other.is_empty() || span.is_empty()
    })
}

impl Session {
    /// Computes the edits of `afterwards` for the text after the edits in `before`. Returns `None` if a target of the
    /// original text is not the same node in that text.
    pub(super) fn edits_afterwards(
        &self,
        file: &OpenFile,
        before: &EditSet,
        afterwards: &[ComputedRun<'_, '_>],
        force: bool,
    ) -> Result<Option<EditSet>> {
        let before = before.clone().normalized(file.text(), LineBreak::most_frequent(file.text()));
        let text = before.apply(file.text()).into();
        let changed = self.open_source(Source { text, ..file.source.clone() })?;
        for run in afterwards {
            let mut places = run.places.as_deref().unwrap_or_default().iter();
            for (_, plan) in run.places.iter().flat_map(|_| &run.edits) {
                let Ok(EditTarget::Places(found)) = self.find_edit_target(&changed, plan.one) else { return Ok(None) };
                for now in found {
                    if !places.next().is_some_and(|original| is_same_node(&before, original, &now)) {
                        return Ok(None);
                    }
                }
            }
            if places.next().is_some() {
                return Ok(None);
            }
        }
        let mut edits: NumberedEdits<'_, '_> = afterwards.iter().flat_map(|run| run.edits.iter().copied()).collect();
        edits.sort_by_key(|(index, _)| *index);
        let after = self.numbered_splices(&changed, &edits, force)?;
        Ok(Some(before.compose(file.text(), &after)))
    }
}

/// Returns whether a node in the text after the edits is at the position to which the edits moved a node of the
/// original text. If an edit replaces the node, such as a list whose last item is deleted, the new node must be inside
/// of the replacement.
fn is_same_node(edits: &EditSet, original: &NodeLocation, now: &NodeLocation) -> bool {
    let at = original.span().start;
    // An insertion may fill an omitted value.
    let fills = |edit: Span| original.span().is_empty() && edit.end == at;
    let replaces = |edit: Span| edit.start <= at && (at < edit.end || fills(edit));
    let replacing = edits.as_slice().iter().position(|edit| replaces(edit.span));
    match replacing {
        Some(index) => {
            let new = edits.spans_after()[index];
            !new.is_empty() && new.start <= now.span().start && now.span().start < new.end
        }
        None => now.span().start == edits.offset_after(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_touch_neighbours_and_replacements_only_what_they_overlap() {
        let taken = [Span::new(0, 2), Span::new(4, 4), Span::new(6, 9)];
        let touching = |start, end| touches(&taken, Span::new(start, end));
        assert!(touching(1, 3) && touching(4, 4) && touching(8, 12), "overlaps");
        assert!(touching(2, 2) && touching(2, 4) && touching(4, 5) && touching(6, 6), "insertions at an end");
        assert!(!touching(2, 3) && !touching(5, 5) && !touching(9, 12) && !touching(10, 10), "apart");
    }
}
