//! Making what a target names where it is not there: an attribute of an element that is.

use marquetry_sdk::{Edit, FailureKind, Result, fail, lines};

use super::attribute::checked;
use crate::place;
use crate::syntax::{Id, Tree};

/// The edits that give an element the attribute of this name.
pub(crate) fn make_attribute(tree: &Tree, id: Id, name: &str, content: &str) -> Result<Vec<Edit>> {
    if tree.attribute(id, name).is_some() {
        return Err(fail(FailureKind::InvalidArgument, format!("the element has an attribute `{name}` already"))
            .hint("use `replace`, or `replace_body` for its value"));
    }
    if name.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'<>/=".contains(c)) {
        return Err(fail(FailureKind::InvalidArgument, format!("`{name}` is not a name of an attribute"))
            .hint("write `selector@name`, such as `img.logo@alt`"));
    }
    let written = written_attribute(name, content);
    checked(tree, &written)?;
    let attributes = tree.attributes(id);
    let at = match attributes.last() {
        Some(last) => place::attribute_span(tree, *last).range().end,
        None => place::tag_name(tree, id).range().end,
    };
    // On a line of its own, where the others have theirs.
    let starts = |start: usize| lines::starts_line(&tree.text, start);
    let gap = match attributes.last().map(|last| last.name.range().start).filter(|start| starts(*start)) {
        Some(start) => format!("\n{}", lines::indent_at(&tree.text, start)),
        None => " ".to_owned(),
    };
    Ok(vec![Edit::insert(at, format!("{gap}{written}"))])
}

/// `name="value"`, where the content is the value or all of it; the name alone where there is no value.
fn written_attribute(name: &str, content: &str) -> String {
    let trimmed = content.trim();
    let own = trimmed.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if own && (trimmed.len() == name.len() || trimmed[name.len()..].trim_start().starts_with(['='])) {
        return trimmed.to_owned();
    }
    match content.trim_matches(['\n', '\r']) {
        "" => name.to_owned(),
        value if value.contains('"') && !value.contains('\'') => format!("{name}='{value}'"),
        value => format!("{name}=\"{}\"", value.replace('"', "&quot;")),
    }
}
