//! Removing names from imports and export lists, with the separators and comments that belong to them.

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::{Edit, Span, lines};
use oxc_ast::ast::Comment;
use oxc_span::GetSpan;

use crate::imports::organized_statements::is_directive;
use crate::imports::statement::{ImportPart, ModuleStatement};
use crate::syntax::comments;
use crate::syntax::spans::{skip_trivia, span_in};

/// Returns the items of a list in braces: the properties of an object or of a pattern.
pub(crate) fn braced_items<'t>(
    braces: oxc_span::Span,
    listed: &[impl GetSpan],
    text: &'t str,
    unit: &'t str,
) -> Items<'t> {
    let whole = span_in(braces, text);
    Items {
        text,
        inner: Span { start: whole.start + 1, end: whole.end - 1 },
        items: listed.iter().map(|item| span_in(item.span(), text)).collect(),
        separator: ",",
        terminated: false,
        comments: C_STYLE,
        unit,
        empty: EmptyStyle::Padded,
        breaks: 1,
    }
}

/// Removes names from the statements of a file.
pub(crate) struct NameRemoval<'r> {
    pub(crate) text: &'r str,
    pub(crate) comments: &'r [Comment],
    /// The indentation unit.
    pub(crate) unit: &'r str,
}

impl NameRemoval<'_> {
    /// Removes the names of an import or export statement whose local names were removed; the whole statement if no name
    /// stays.
    pub(crate) fn remove_names(
        &self,
        statement: &ModuleStatement<'_>,
        is_gone: &dyn Fn(&str, Span) -> bool,
        edits: &mut Vec<Edit>,
    ) {
        let all = local_names(statement).count();
        let gone = local_names(statement).filter(|(name, local)| is_gone(name, *local)).count();
        if gone == 0 {
            return;
        }
        if gone == all {
            self.remove_statement(statement.span, edits);
            return;
        }
        let goes = |part: &ImportPart<'_>| is_gone(part.name, part.local);
        let items: Vec<usize> = statement
            .items()
            .iter()
            .enumerate()
            .filter(|(_, item)| is_gone(item.name, item.local))
            .map(|(index, _)| index)
            .collect();
        let second_goes = statement.namespace.as_ref().is_some_and(goes)
            || !items.is_empty() && items.len() == statement.items().len();
        match &statement.default {
            Some(default) if goes(default) => {
                let comma = skip_trivia(self.text, default.local.range().end);
                let rest = comma + usize::from(self.text[comma..].starts_with(','));
                let rest = rest + self.text[rest..].len() - self.text[rest..].trim_start().len();
                edits.push(Edit::remove(default.local.range().start..rest));
            }
            Some(default) if second_goes => {
                let comma = skip_trivia(self.text, default.local.range().end);
                let from = self.text[..comma].trim_end_matches([' ', '\t']).len();
                edits.push(Edit::remove(from..statement.clause.range().end));
                return;
            }
            _ => {}
        }
        if let Some(list) = statement.list.as_ref().filter(|_| !items.is_empty()) {
            edits.extend(
                Items {
                    text: self.text,
                    inner: list.inner,
                    items: list.items.iter().map(|item| self.extend_to_comment(item.span, list.inner)).collect(),
                    separator: ",",
                    terminated: false,
                    comments: C_STYLE,
                    unit: self.unit,
                    empty: EmptyStyle::Padded,
                    breaks: 1,
                }
                .delete(&items),
            );
        }
    }

    /// Extends an item to its attached comment.
    fn extend_to_comment(&self, item: Span, inner: Span) -> Span {
        let doc = comments::attached_comment(self.comments, self.text, item.range().start);
        doc.filter(|doc| doc.start >= inner.start).map_or(item, |doc| Span { start: doc.start, end: item.end })
    }

    /// Removes a statement, its line if nothing else is on it, and the directive comment above it.
    pub(crate) fn remove_statement(&self, statement: Span, edits: &mut Vec<Edit>) {
        let (start, end) = (statement.range().start, statement.range().end);
        let is_alone = lines::starts_line(self.text, start) && lines::ends_line(self.text, end);
        let span =
            if is_alone { lines::line_start(self.text, start)..lines::next_line(self.text, end) } else { start..end };
        let after = self.comments.partition_point(|comment| (comment.span.end as usize) <= start);
        if let Some(above) = after.checked_sub(1).map(|index| span_in(self.comments[index].span, self.text))
            && is_directive(above.slice(self.text))
            && is_alone
            && self.text[above.range().end..start].trim().is_empty()
            && lines::starts_line(self.text, above.range().start)
        {
            edits.push(Edit::remove(lines::line_start(self.text, above.range().start)..span.end));
            return;
        }
        if let Some(behind) = self.comments.iter().find(|comment| comment.span.start as usize >= end)
            && let behind = span_in(behind.span, self.text)
            && is_directive(behind.slice(self.text))
            && lines::starts_line(self.text, start)
            && self.text[end..behind.range().start].trim_matches([' ', '\t']).is_empty()
            && lines::ends_line(self.text, behind.range().end)
        {
            let from = lines::line_start(self.text, start);
            edits.push(Edit::remove(from..lines::next_line(self.text, behind.range().end)));
            return;
        }
        edits.push(Edit::remove(span));
    }
}

/// Returns the local names that a statement imports or exports, with their spans.
pub(crate) fn local_names<'s>(statement: &'s ModuleStatement<'_>) -> impl Iterator<Item = (&'s str, Span)> {
    let parts = [&statement.default, &statement.namespace].into_iter().flatten();
    parts.map(|part| (part.name, part.local)).chain(statement.items().iter().map(|item| (item.name, item.local)))
}
