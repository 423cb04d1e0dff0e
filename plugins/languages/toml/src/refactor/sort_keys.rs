//! `sort_keys`: sorts the keys of a table, together with their comments. Sections are not moved.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{Edit, EditOptions, Result, Rewrite, Span, items::HASH, order, span::apply};

use crate::{
    document::TomlDocument,
    edit::Editor,
    table::{Id, Kind},
};

pub(super) const SORT_KEYS: Refactoring<TomlDocument> = Refactoring {
    id: "sort_keys",
    title: "Sort the keys of a table",
    place: Place::Selection,
    arguments: &[Argument {
        name: "deep",
        summary: "sort nested tables too",
        values: &["true", "false"],
        required: false,
    }],
    asks_exporters: false,
    apply: sort,
};

fn sort(document: &TomlDocument, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(document.first_problem())?;
    let source = document.source();
    let deep = input.is_true("deep");
    let span = input.at.span.trimmed(source.text);
    let table = table_at(document, span, deep);
    if !deep && !source.kind_of(table).is_table() {
        return Err(refactor_failure("an array has no keys to sort").hint("set `deep` to sort the tables in it"));
    }
    let editor = Editor::new(source, EditOptions { include_doc: false, force: false });
    let last = if deep { source.table.node(table).subtree_end } else { table + 1 };
    let regions: Vec<order::Region> = (table..last).filter_map(|id| sorted_region(&editor, id)).collect();
    if regions.is_empty() {
        return Ok(Rewrite::default());
    }
    let whole = Span::new(0, source.text.len());
    let edits = vec![Edit::new(whole, order::text_after_reordering(source.text, whole, regions))];
    let after = TomlDocument::new(document.path(), apply(source.text, &edits));
    if check_no_syntax_errors(after.first_problem()).is_err() || after.source().table.len() != source.table.len() {
        return Err(refactor_failure("sorting the keys would change the meaning of the file")
            .hint("put each key on its own line"));
    }
    Ok(trim_common_lines(source.text, edits).into())
}

/// Returns the innermost table around the span. If `deep` is set, it may also be an array. Dotted keys are sorted in
/// the table in which they are written.
fn table_at(document: &TomlDocument, span: Span, deep: bool) -> Id {
    let source = document.source();
    let exact = (0..source.table.len()).rev().find(|id| source.span(*id) == span);
    if let Some(array) = exact.filter(|id| source.kind_of(*id).is_array()) {
        return array;
    }
    let fits = |id: &Id| {
        let kind = source.kind_of(*id);
        (kind.is_table() || (deep && kind.is_array())) && source.span(*id).contains(span)
    };
    let inner = (0..source.table.len()).filter(fits).min_by_key(|id| (source.span(*id).len(), u32::MAX - id));
    source.written_container(inner.unwrap_or(0))
}

/// Returns the table with sorted entries; `None` if they are sorted already.
fn sorted_region(editor: &Editor<'_>, table: Id) -> Option<order::Region> {
    let source = editor.source;
    let (items, ids): (_, Vec<Id>) = match source.kind_of(table) {
        Kind::InlineTable => (editor.items(table), editor.bracket_items(table)),
        Kind::Root | Kind::HeaderTable | Kind::ArrayElement => {
            let section = source.table.own_section(table)?;
            let own = source.table.entries_of(section);
            (editor.entry_items(section), own.map(|index| source.table.entries[index].node).collect())
        }
        _ => return None,
    };
    let depth = source.header_path(table).len();
    let keys: Vec<String> = ids.iter().map(|id| source.header_path(*id).split_off(depth).join(".")).collect();
    let order = order::sorted_order(&keys);
    if order.is_sorted() {
        return None;
    }
    let slots = items.slots();
    if slots.len() != keys.len() {
        return None;
    }
    order::reorder(source.text, &slots, &order, HASH.line)
}

/// Shortens each edit by the lines at its start and end that it does not change.
fn trim_common_lines(text: &str, edits: Vec<Edit>) -> Vec<Edit> {
    let shorten = |edit: Edit| {
        let old = edit.span.slice(text);
        let new = edit.text.as_str();
        let start: usize = old
            .split_inclusive('\n')
            .zip(new.split_inclusive('\n'))
            .take_while(|(old, new)| old == new)
            .map(|(line, _)| line.len())
            .sum();
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end: usize = old_rest
            .split_inclusive('\n')
            .rev()
            .zip(new_rest.split_inclusive('\n').rev())
            .take_while(|(old, new)| old == new)
            .map(|(line, _)| line.len())
            .sum();
        let from = edit.span.range().start + start;
        Edit::new(from..edit.span.range().end - end, &new_rest[..new_rest.len() - end])
    };
    edits.into_iter().map(shorten).collect()
}
