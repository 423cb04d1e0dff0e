//! `sort_keys`: sorts the members of an object by key, together with their comments.

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{Document, Edit, EditOptions, Result, Rewrite, items::C_STYLE, order, span::apply};

use super::selection::container_at;
use crate::{document::JsonDocument, edit::Editor, table::Id};

pub(super) const SORT_KEYS: Refactoring<JsonDocument> = Refactoring {
    id: "sort_keys",
    title: "Sort the keys of an object",
    place: Place::Selection,
    arguments: &[Argument {
        name: "deep",
        summary: "sort nested objects too",
        values: &["true", "false"],
        required: false,
    }],
    asks_exporters: false,
    apply: sort,
};

fn sort(document: &JsonDocument, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&document.diagnostics())?;
    let source = document.source();
    let deep = input.is_true("deep");
    let Some(container) = container_at(document, input.at.span, |id| deep || source.is_object(id)) else {
        return Err(
            refactor_failure("this position is not inside an object").hint("give an object, or a position inside one")
        );
    };
    let array = container_at(document, input.at.span, |_| true).filter(|id| source.span(*id) == input.at.span);
    if array.is_some_and(|array| !deep && !source.is_object(array)) {
        return Err(refactor_failure("an array has no keys to sort").hint("set `deep` to sort the objects in it"));
    }
    let editor = Editor::new(document, EditOptions { include_doc: false, force: false });
    let last = if deep { source.subtree_end(container) } else { container + 1 };
    let objects = (container..last).filter(|id| source.is_object(*id));
    let regions = objects.filter_map(|object| region(&editor, object)).collect::<Vec<_>>();
    if regions.is_empty() {
        return Ok(Rewrite::default());
    }
    let span = source.span(container);
    let edits = vec![Edit::new(span, order::text_after_reordering(source.text, span, regions))];
    let after = JsonDocument::new(document.path(), apply(source.text, &edits));
    if check_no_syntax_errors(&after.diagnostics()).is_err() || after.source().table.next_id() != source.table.next_id()
    {
        return Err(refactor_failure("sorting the keys would change the meaning of the file")
            .hint("put each member, with its comments, on its own lines"));
    }
    Ok(edits.into())
}

/// Returns the object with sorted members; `None` if they are sorted already.
fn region(editor: &Editor<'_>, object: Id) -> Option<order::Region> {
    let source = editor.source;
    let keys: Vec<_> = source.children_of(object).filter_map(|child| Some(source.name(child.key?))).collect();
    let order = order::sorted_order(&keys);
    if order.is_sorted() {
        return None;
    }
    let slots = editor.items(object).slots();
    if slots.len() != keys.len() {
        return None; // an element without a key, in a malformed file
    }
    order::reorder(source.text, &slots, &order, C_STYLE.line)
}
