//! Removes links, with the groups that become empty.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_sdk::{Edit, EditOptions, Failure, FailureKind, Operation, Result, Span, fail};

use super::{
    collect::{self, FoundLink},
    rules::Removal,
};
use crate::{
    document::XmlDocument,
    tree::{Id, Kind},
};

/// Edits that remove links, given by their indices in the list of all links.
pub(super) fn unlink(document: &XmlDocument, indices: &[u32]) -> Result<Vec<Edit>> {
    let found = collect::collect_links(document);
    let (mut nodes, mut edits) = (BTreeSet::new(), Vec::new());
    let mut parts: BTreeMap<(u32, u32), Vec<&FoundLink>> = BTreeMap::new();
    for index in indices {
        let Some(found) = found.get(*index as usize) else {
            return Err(fail(FailureKind::InvalidArgument, format!("no link {index}")));
        };
        match found.removal {
            Removal::Element(id) | Removal::Instruction(id) => {
                nodes.insert(id);
            }
            Removal::Part(_) | Removal::Attribute => {
                parts.entry((found.container.start, found.container.end)).or_default().push(found);
            }
            Removal::Nothing => {
                return Err(Failure::unsupported(format!(
                    "the link to `{}` cannot be removed alone",
                    found.link.specifier
                ))
                .hint(match found.link.kind.as_str() {
                    "dtd" => "edit the document type declaration: region `doctype`",
                    _ => "it is part of a style: edit the style",
                })
                .at(found.link.span));
            }
        }
    }
    for (within, removed) in parts {
        let within = Span { start: within.0, end: within.1 };
        let all = found.iter().filter(|found| found.container == within).count();
        let whole = removed.len() == all && is_whole_attribute(document, within, &removed);
        match removed[0].removal {
            Removal::Part(id) if whole => {
                nodes.insert(id);
            }
            _ if whole => edits.push(remove_attribute(document, within)),
            _ => edits.extend(removed.iter().map(|found| remove_part(document, within, found))),
        }
    }
    let nodes: Vec<Id> = with_empty_groups(document, nodes).into_iter().collect();
    let options = EditOptions { include_doc: false, force: false };
    let mut deleted = document.operation_edits(&nodes, &Operation::Delete, options)?;
    // Edits within a deleted element are unnecessary.
    edits.retain(|edit| {
        !deleted.iter().any(|gone| gone.span.start <= edit.span.start && edit.span.end <= gone.span.end)
    });
    deleted.append(&mut edits);
    deleted.sort_by_key(|edit| edit.span.start);
    Ok(deleted)
}

/// Returns whether the attribute contains only the removed parts. Patterns and properties, which are not links, count
/// as other parts.
fn is_whole_attribute(document: &XmlDocument, within: Span, removed: &[&FoundLink]) -> bool {
    let value = crate::tree::Tree::value_span(&document.text, within).range();
    if removed[0].link.kind == "schema" {
        return true; // namespaces are between the locations
    }
    collect::split_list(&document.text, value).len() <= removed.len()
}

/// Removes an attribute and the space before it.
fn remove_attribute(document: &XmlDocument, span: Span) -> Edit {
    let start = document.text[..span.range().start].trim_end_matches([' ', '\t', '\n', '\r']).len();
    Edit::remove(start..span.range().end)
}

/// Removes a part of a list and its separator. In a list of pairs, the namespace before the part is removed, too.
fn remove_part(document: &XmlDocument, within: Span, found: &FoundLink) -> Edit {
    let text = &document.text;
    let (start, end) = (found.link.span.range().start, found.link.span.range().end);
    let value = crate::tree::Tree::value_span(text, within).range();
    let space = [' ', '\t', '\n', '\r'];
    if found.link.kind == "schema" {
        let before = text[value.start..start].trim_end_matches(space);
        let namespace = before.len() - before.rsplit(space).next().map_or(0, str::len);
        let from = value.start + namespace;
        let rest = &text[end..value.end];
        return Edit::remove(from..end + (rest.len() - rest.trim_start_matches(space).len()));
    }
    let rest = text[end..value.end].trim_start_matches(space);
    if let Some(rest) = rest.strip_prefix(';') {
        return Edit::remove(start..value.end - rest.trim_start_matches(space).len());
    }
    let before = text[value.start..start].trim_end_matches(space);
    Edit::remove(value.start + before.strip_suffix(';').unwrap_or(before).len()..end)
}

/// Returns the nodes to delete. If all nodes of an MSBuild group are deleted, the group is deleted instead of them.
fn with_empty_groups(document: &XmlDocument, nodes: BTreeSet<Id>) -> BTreeSet<Id> {
    let tree = &document.tree;
    let mut gone = nodes.clone();
    for id in nodes {
        let Some(group) = tree.parent(id).filter(|group| is_group(tree.written_name(*group))) else { continue };
        let left = tree.children(group).any(|child| !gone.contains(&child) && tree.kind(child) != Kind::Text);
        if !left && tree.attributes(group).is_empty() {
            gone.retain(|node| tree.parent(*node) != Some(group));
            gone.insert(group);
        }
    }
    gone
}

fn is_group(name: &str) -> bool {
    matches!(name, "ItemGroup" | "ImportGroup" | "modules")
}
