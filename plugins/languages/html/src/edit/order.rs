//! Sorted insertion.

use marquetry_sdk::{Failure, Result, items::sorted_index};

use super::content::{normalized, text_of};
use crate::syntax::{Id, Name, Tree};
use crate::text;

/// Child before which the content is inserted, by comparing texts; `None` for the end.
pub(super) fn place(tree: &Tree, id: Id, content: &str) -> Result<Option<Id>> {
    const LISTS: [Name; 6] = [Name::UL, Name::OL, Name::SELECT, Name::DATALIST, Name::OPTGROUP, Name::DL];
    if !LISTS.iter().any(|name| tree.is(id, *name)) {
        let name = tree.name(id);
        let failure = Failure::unsupported(format!("the content of `<{name}>` cannot be sorted"));
        return Err(failure.hint(
            "use `first` or `last`, or `insert_before` on a child; only lists (`ul`, `dl`, `select` …) can be sorted",
        ));
    }
    let terms = tree.is(id, Name::DL);
    let items: Vec<Id> =
        tree.children(id).filter(|child| !tree.get(*child).implied && !(terms && tree.is(*child, Name::DD))).collect();
    let keys: Vec<String> = items.iter().map(|item| normalized(&text::content(tree, *item))).collect();
    let key = text_of(content, tree.xml);
    Ok(items.get(sorted_index(keys.iter().map(String::as_str), &key)).copied())
}
