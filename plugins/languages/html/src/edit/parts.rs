//! Refuses to replace an element by parts that belong into it: `<li>` instead of its `<ul>`, `<tr>` instead of its
//! `<table>`.

use marquetry_sdk::{Failure, FailureKind, Operation, Result, fail};

use super::verify::{written_elements, written_parent};
use crate::location::Item;
use crate::syntax::{self, Id, Tree};

/// Elements that are only allowed in certain elements, with these elements.
const PARTS: [(&[&str], &[&str]); 10] = [
    (&["li"], &["ul", "ol", "menu"]),
    (&["dt", "dd"], &["dl"]),
    (&["option", "optgroup"], &["select", "datalist", "optgroup"]),
    (&["caption", "colgroup", "thead", "tbody", "tfoot", "tr"], &["table"]),
    (&["tr"], &["thead", "tbody", "tfoot"]),
    (&["td", "th"], &["tr"]),
    (&["figcaption"], &["figure"]),
    (&["summary"], &["details"]),
    (&["legend"], &["fieldset"]),
    (&["source", "track"], &["audio", "video", "picture"]),
];

/// Fails if the content of a `replace` has only elements that must be in the replaced element.
pub(super) fn refuse_parts(tree: &Tree, items: &[Item], operation: &Operation) -> Result<()> {
    let Operation::Replace(content) = operation else { return Ok(()) };
    for item in items {
        let Item::Element(id) = item else { continue };
        if let Some(part) = only_part(tree, *id, content) {
            return Err(part_error(tree.name(*id), &part));
        }
    }
    Ok(())
}

/// Returns the name of the first element of a content that consists only of parts of the element.
fn only_part(tree: &Tree, id: Id, content: &str) -> Option<String> {
    let owner = tree.name(id).to_string();
    let is_own = |name: &str| is_part(name, &owner);
    if tree.dialect.is_xml() || !PARTS.iter().any(|(_, owners)| owners.contains(&owner.as_str())) {
        return None;
    }
    let is_allowed = |name: &str| written_parent(tree, id).is_some_and(|above| is_part(name, tree.name(above)));
    let inside = syntax::parse_fragment(tree.dialect, format!("<{owner}>{content}</{owner}>"));
    let whole = written_elements(&inside).next()?;
    let outer = written_elements(&inside).filter(|id| written_parent(&inside, *id) == Some(whole));
    let names: Vec<String> = outer.map(|id| inside.name(id).to_string()).collect();
    let are_parts = names.iter().all(|name| is_own(name) && !is_allowed(name));
    names.into_iter().next().filter(|_| are_parts)
}

fn is_part(name: &str, owner: &str) -> bool {
    PARTS.iter().any(|(names, owners)| names.contains(&name) && owners.contains(&owner))
}

fn part_error(owner: &str, part: &str) -> Failure {
    fail(FailureKind::InvalidArgument, format!("`<{part}>` belongs into `<{owner}>`, but would replace it"))
        .hint(format!(
            "`replace_body` with this content changes what is inside `<{owner}>`; to replace all of it, include \
         `<{owner}>`, or use `force`"
        ))
        .candidates(["replace_body".to_owned()])
}
