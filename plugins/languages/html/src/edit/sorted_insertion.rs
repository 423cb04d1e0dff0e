//! Finds the position for a sorted insertion.

use marquetry_sdk::{Failure, Result, items::sorted_index};

use super::content::{collapse_white_space, sort_text};
use crate::syntax::{Id, Name, Tree};
use crate::text;

/// Returns the child before which to insert the content so that the texts of the children stay sorted. `None` means
/// after the last child.
pub(super) fn sorted_position(tree: &Tree, id: Id, content: &str) -> Result<Option<Id>> {
    const LISTS: [Name; 6] = [Name::UL, Name::OL, Name::SELECT, Name::DATALIST, Name::OPTGROUP, Name::DL];
    if !LISTS.iter().any(|name| tree.is_html_element(id, *name)) {
        let name = tree.name(id);
        let failure = Failure::unsupported(format!("the content of `<{name}>` cannot be sorted"));
        return Err(failure.hint(
            "use `first` or `last`, or `insert_before` on a child; only lists (`ul`, `dl`, `select` …) can be sorted",
        ));
    }
    let terms = tree.is_html_element(id, Name::DL);
    let items: Vec<Id> = tree
        .children(id)
        .filter(|child| !tree.element(*child).implied && !(terms && tree.is_html_element(*child, Name::DD)))
        .collect();
    let keys: Vec<String> = items.iter().map(|item| collapse_white_space(&text::text_content(tree, *item))).collect();
    let key = sort_text(content, tree.dialect);
    Ok(items.get(sorted_index(keys.iter().map(String::as_str), &key)).copied())
}
