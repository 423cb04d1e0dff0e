//! Creates the target of an upsert if it does not exist. Only an attribute of an existing element can be created.

use marquetry_sdk::{Edit, FailureKind, Result, fail, lines};

use super::attribute::check_attributes;
use super::braced_attribute;
use crate::location;
use crate::syntax::{Id, Tree};

/// Returns the edits that add an attribute with this name to an element.
pub(crate) fn create_attribute(tree: &Tree, id: Id, name: &str, content: &str) -> Result<Vec<Edit>> {
    if tree.attribute(id, name).is_some() {
        return Err(fail(FailureKind::InvalidArgument, format!("the element already has an attribute `{name}`"))
            .hint("use `replace`, or `replace_body` to change only its value"));
    }
    if name.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'<>/=".contains(c)) {
        return Err(fail(FailureKind::InvalidArgument, format!("`{name}` is not an attribute name"))
            .hint("write `selector@name`, such as `img.logo@alt`"));
    }
    let written = format_attribute(tree, id, name, content)?;
    check_attributes(tree, &written)?;
    let attributes = tree.attributes(id);
    let at = match attributes.last() {
        Some(last) => location::attribute_span(tree, *last).range().end,
        None => location::tag_name(tree, id).range().end,
    };
    // Put the attribute on a separate line if the last attribute starts a line.
    let starts = |start: usize| lines::starts_line(&tree.text, start);
    let gap = match attributes.last().map(|last| last.name.range().start).filter(|start| starts(*start)) {
        Some(start) => format!("\n{}", lines::indent_at(&tree.text, start)),
        None => " ".to_owned(),
    };
    Ok(vec![Edit::insert(at, format!("{gap}{written}"))])
}

/// Writes `name="value"`. The content is either the value or the whole attribute. If the content is empty, only the
/// name is written.
fn format_attribute(tree: &Tree, id: Id, name: &str, content: &str) -> Result<String> {
    let trimmed = content.trim();
    let own = trimmed.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if own && (trimmed.len() == name.len() || trimmed[name.len()..].trim_start().starts_with(['='])) {
        return Ok(trimmed.to_owned());
    }
    Ok(match content.trim_matches(['\n', '\r']) {
        "" => name.to_owned(),
        value if tree.dialect.has_braces() => {
            let dialect = tree.dialect;
            let is_code = dialect.is_code_directive(name) || dialect.is_event_handler(tree.name(id), name);
            braced_attribute::format_attribute(tree, name, value, is_code)?
        }
        value if value.contains('"') && !value.contains('\'') => format!("{name}='{value}'"),
        value => format!("{name}=\"{}\"", value.replace('"', "&quot;")),
    })
}
