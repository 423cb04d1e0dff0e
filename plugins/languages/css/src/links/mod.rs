//! Links: references to other files in a stylesheet.

pub(crate) mod find;
mod format_specifier;
mod members;
mod path;
pub(crate) mod resolve;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use marquetry_sdk::{
    Context, Destination, Edit, EditOptions, Failure, FileMoves, Link, Linking, Operation, Request, Result, Rewrite,
    Span, SpecifierRequest,
};

use self::find::{FoundLink, Removal};
use crate::{Css, chars::Dialect, document::Stylesheet, edit, modules, tree::line_breaks};

impl Linking for Css {
    fn links(document: &Stylesheet) -> Vec<Link> {
        let link = |found: FoundLink| {
            let item = document.tree.item(found.item);
            let is_one_scope = found.kind == "import" && document.tree.dialect != Dialect::Css;
            Link {
                kind: found.kind.to_owned(),
                span: found.span,
                statement: Span { start: item.start, end: item.end_with_semicolon },
                specifier: found.specifier,
                names: if is_one_scope { vec!["**".to_owned()] } else { found.names },
                type_only: false,
            }
        };
        find::find_links(&document.tree).into_iter().map(link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        requests.iter().map(|request| resolve::resolve_link(&context.path, request)).collect()
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(format_specifier::format_specifier).collect()
    }

    /// Rewrites links that were relative to their file. Load paths are only guessed, so a link that does not need one
    /// must not depend on one after the change.
    fn relink(document: &Stylesheet, moves: &FileMoves) -> Result<Rewrite> {
        let all = find::find_links(&document.tree);
        let moved = moves.links.iter().filter_map(|moved| Some((moved, all.get(moved.link as usize)?)));
        let mut edits = Vec::new();
        for (moved, found) in moved {
            let request = Request { kind: found.kind.to_owned(), specifier: found.specifier.clone() };
            let is_beside = resolve::file_beside(&document.path, &request).is_some_and(|beside| beside == moved.from);
            let text = format_specifier::format_relative(&SpecifierRequest {
                from: moves.path.clone(),
                to: moved.to.clone(),
                was: moved.from.clone(),
                kind: request.kind,
                specifier: request.specifier,
            });
            edits.extend(keep_namespace(document, found, &text));
            if is_beside && text != found.span.slice(&document.tree.text) {
                edits.push(Edit::new(found.span, text));
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(Rewrite::from(edits))
    }

    fn unlink(document: &Stylesheet, links: &[u32]) -> Result<Rewrite> {
        let all = find::find_links(&document.tree);
        let wanted: BTreeSet<u32> = links.iter().copied().filter(|index| (*index as usize) < all.len()).collect();
        let (kept, gone): (Vec<u32>, Vec<u32>) =
            wanted.into_iter().partition(|index| all[*index as usize].removal == Removal::Nothing);
        if let Some(first) = kept.first() {
            let address = |index: &u32| document.address(all[*index as usize].item);
            return Err(Failure::unsupported(format!(
                "`{}` is used in a property value, which is not removed automatically",
                all[*first as usize].specifier
            ))
            .hint("delete or change the declaration if it is no longer needed")
            .candidates(kept.iter().map(address)));
        }
        for index in &gone {
            check_unused(document, &all[*index as usize])?;
        }
        removal_edits(document, &all, &gone).map(Rewrite::from)
    }
}

/// Returns the edit that adds `as name` to an `@use` whose new specifier would give its members another namespace.
fn keep_namespace(document: &Stylesheet, link: &FoundLink, specifier: &str) -> Option<Edit> {
    let tree = &document.tree;
    if link.kind != "use" || tree.dialect != Dialect::Scss {
        return None;
    }
    let namespace = modules::implied_namespace(tree, tree.item(link.item))?;
    let is_used = tree.text.contains(&format!("{namespace}."));
    let after_quote = link.span.end + 1;
    let alias = Edit::new(Span { start: after_quote, end: after_quote }, format!(" as {namespace}"));
    (is_used && modules::default_namespace(specifier) != namespace).then_some(alias)
}

/// Maximum number of uses that an error lists.
const MAX_USES: usize = 12;

/// Fails if the stylesheet still uses members that the link loads.
fn check_unused(document: &Stylesheet, link: &FoundLink) -> Result<()> {
    let tree = &document.tree;
    let uses = members::find_member_uses(tree, &document.path, link);
    if uses.is_empty() {
        return Ok(());
    }
    let line =
        |used: &members::MemberUse| format!("`{}` (line {})", used.name, line_breaks(&tree.text[..used.offset]) + 1);
    let mut descriptions: Vec<String> = uses.iter().take(MAX_USES).map(line).collect();
    if uses.len() > descriptions.len() {
        descriptions.push(format!("{} more", uses.len() - descriptions.len()));
    }
    let mut users: Vec<String> = Vec::new();
    for used in &uses {
        let holds = |index: &u32| tree.item(*index).span().range().contains(&used.offset);
        let innermost = (0..tree.items.len() as u32).rfind(holds);
        users.extend(innermost.map(|index| document.address(index)).filter(|address| !users.contains(address)));
        if users.len() == MAX_USES {
            break;
        }
    }
    Err(Failure::unsupported(format!("names from `{}` are still used: {}", link.specifier, descriptions.join(", ")))
        .hint("change these uses first, then delete the statement")
        .candidates(users))
}

/// Returns the edits that remove links.
fn removal_edits(document: &Stylesheet, all: &[FoundLink], gone: &[u32]) -> Result<Vec<Edit>> {
    let mut by_item: BTreeMap<u32, Vec<&FoundLink>> = BTreeMap::new();
    for index in gone {
        let found = &all[*index as usize];
        by_item.entry(found.item).or_default().push(found);
    }
    let mut edits = Vec::new();
    let mut statements = Vec::new();
    for (item, found) in by_item {
        let siblings = all.iter().filter(|other| other.item == item && other.removal != Removal::Nothing).count();
        if found.len() == siblings {
            statements.push(item);
            continue;
        }
        let parts: Vec<usize> = found
            .iter()
            .filter_map(|found| match found.removal {
                Removal::Part(position) => Some(position),
                _ => None,
            })
            .collect();
        let spans = find::removal_spans(&document.tree, document.tree.item(item), &parts);
        edits.extend(spans.into_iter().map(Edit::remove));
    }
    let options = EditOptions { include_doc: false, force: false };
    edits.extend(edit::edit_items(&document.tree, &statements, &Operation::Delete, options)?);
    edits.sort_by_key(|edit| edit.span.start);
    Ok(edits)
}
