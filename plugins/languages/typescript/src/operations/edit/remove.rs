//! Deleting nodes, with the attached comment, the separator, and one of the surrounding blank lines.

use marquetry_sdk::{Edit, Failure, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_span::GetSpan as _;

use crate::document::Target;
use crate::editor::list::{self, List, ListKind};
use crate::operations::edit::Editor;
use crate::outline::declarations::Decl;
use crate::syntax::spans::span_in;

/// Lists to delete from, with the indices of the deleted items.
type Removals = Vec<(List, Vec<usize>)>;

impl Editor<'_, '_> {
    pub(super) fn delete(&self, targets: &[Target<'_>]) -> Result<Vec<Edit>> {
        let mut removals: Removals = Vec::new();
        for target in targets {
            match target {
                Target::Declaration(_, decl) if decl.in_pattern => self.mark_binding(decl, &mut removals)?,
                Target::Imports(span) if span.is_empty() => {
                    return Err(fail(FailureKind::TargetNotFound, "the file has no imports"));
                }
                Target::Imports(_) => {
                    for (span, _) in &self.document.regions().imports {
                        self.mark_item(*span, &mut removals);
                    }
                }
                _ => {
                    if !self.mark_item(target.span(), &mut removals) {
                        return Err(self.not_in_list(target));
                    }
                }
            }
        }
        self.collapse_emptied_lists(&mut removals);
        Ok(removals.iter().flat_map(|(list, indices)| self.remove_items(list, indices)).collect())
    }

    /// Refuses to remove a name from a pattern if its rest element would then contain the property.
    pub(super) fn check_rest_element(&self, targets: &[Target<'_>]) -> Result<()> {
        let names: Vec<Span> = targets
            .iter()
            .filter_map(|target| match target {
                Target::Declaration(_, decl) if decl.in_pattern => Some(decl.selection),
                _ => None,
            })
            .collect();
        let goes = |name: oxc_span::Span| names.iter().any(|gone| gone.start == name.start);
        for node in self.parsed.semantic().nodes().iter().filter(|_| !names.is_empty()) {
            let AstKind::ObjectPattern(pattern) = node.kind() else { continue };
            let Some(rest) = &pattern.rest else { continue };
            let rest_names = rest.argument.get_binding_identifiers();
            if rest_names.iter().all(|name| goes(name.span)) {
                continue;
            }
            let is_gone = |property: &&oxc_ast::ast::BindingProperty<'_>| {
                let bound = property.value.get_binding_identifiers();
                !bound.is_empty() && bound.iter().all(|name| goes(name.span))
            };
            if let Some(property) = pattern.properties.iter().find(is_gone) {
                let rest = rest_names.first().map_or("the rest", |name| name.name.as_str());
                let name = span_in(property.key.span(), self.text).slice(self.text);
                let message = format!("without `{name}`, the pattern would put its value into `{rest}`");
                return Err(fail(FailureKind::RefactorFailed, message)
                    .hint("keep it, or use `force` to remove it anyway")
                    .at(span_in(property.span, self.text)));
            }
        }
        Ok(())
    }

    /// Marks a list item for removal. Returns false if the span is not an item of a list.
    fn mark_item(&self, span: Span, removals: &mut Removals) -> bool {
        // Consecutive targets are usually in the same list.
        if let Some((list, indices)) = removals.last_mut()
            && let Some(index) = list.index_of(span)
        {
            indices.push(index);
            return true;
        }
        match list::list_of_item(self.parsed, self.text, span) {
            Some((list, index)) => {
                add_removal(list, index, removals);
                true
            }
            None => false,
        }
    }

    fn mark_binding(&self, decl: &Decl, removals: &mut Removals) -> Result<()> {
        if let Some((list, indices)) = removals.last_mut()
            && matches!(list.kind, ListKind::Bindings | ListKind::ArrayBindings)
            && let index = list.items.partition_point(|item| item.end < decl.selection.end)
            && list.items.get(index).is_some_and(|item| *item == decl.selection)
        {
            indices.push(index);
            return Ok(());
        }
        let found = list::list_of_binding(self.parsed, self.text, decl.selection);
        let (list, index) = found.ok_or_else(|| {
            Failure::unsupported(format!("`{}` cannot be removed from its pattern", decl.name.resolve(self.text)))
                .at(decl.span)
        })?;
        add_removal(list, index, removals);
        Ok(())
    }

    /// If all items of a list are removed, removes the enclosing node instead. For example, the statement is removed
    /// with the last name of its pattern.
    fn collapse_emptied_lists(&self, removals: &mut Removals) {
        while let Some(at) = removals.iter().position(|(list, indices)| {
            let can_be_emptied =
                matches!(list.kind, ListKind::Declarators | ListKind::Bindings | ListKind::ArrayBindings);
            can_be_emptied && list.items.len() == indices.iter().collect::<std::collections::BTreeSet<_>>().len()
        }) {
            let (list, _) = removals.remove(at);
            if !self.mark_enclosing_item(list.outer, removals) {
                return;
            }
        }
    }

    /// Marks the smallest list item that encloses a span.
    fn mark_enclosing_item(&self, place: Span, removals: &mut Removals) -> bool {
        if let Some((list, index)) = list::list_of_binding(self.parsed, self.text, place) {
            add_removal(list, index, removals);
            return true;
        }
        let around = self.document.table().innermost_at(place.start).and_then(|id| self.document.table().get(id));
        around.is_some_and(|decl| self.mark_item(decl.span, removals))
    }

    fn remove_items(&self, list: &List, indices: &[usize]) -> Vec<Edit> {
        let mut indices = indices.to_vec();
        indices.sort_unstable();
        indices.dedup();
        let items = self.sdk_items(list);
        if list.kind == ListKind::ArrayBindings {
            return self.clear_array_elements(list, &indices);
        }
        let inner = list.inner.slice(self.text);
        let only_items = !inner.contains("//") && !inner.contains("/*");
        if indices.len() == list.items.len() && !items.in_block() && only_items && list.kind != ListKind::Module {
            return vec![Edit::remove(list.inner)];
        }
        items.delete(&indices)
    }

    /// Removes elements of an array pattern without shifting the others.
    fn clear_array_elements(&self, list: &List, indices: &[usize]) -> Vec<Edit> {
        let last = list.items.len() - 1;
        let kept = (0..=last).rev().find(|index| !indices.contains(index));
        let mut edits = Vec::new();
        for index in indices {
            if kept.is_none_or(|kept| *index < kept) {
                edits.push(Edit::remove(list.items[*index]));
            }
        }
        if let Some(kept) = kept.filter(|kept| *kept < last) {
            edits.push(Edit::remove(list.items[kept].range().end..list.items[last].range().end));
        }
        edits
    }
}

fn add_removal(list: List, index: usize, removals: &mut Removals) {
    match removals.iter_mut().find(|(other, _)| other.kind == list.kind && other.inner == list.inner) {
        Some((_, indices)) => indices.push(index),
        None => removals.push((list, vec![index])),
    }
}
