//! Links: references to other files in a page.

mod find;
mod format_specifier;
mod resolve;
pub(crate) mod script;
mod srcset;
mod url;

use marquetry_sdk::{Context, Destination, Failure, Link, Linking, Request, Result, Rewrite, SpecifierRequest};

use self::find::{FoundLink, find_links};

use crate::Html;
use crate::document::HtmlDocument;
use crate::edit;
use crate::location::Item;
use crate::syntax::{Name, Tree};

/// Separates the kind of a link from the `<base href>` of its page. Link resolution receives only the kind and the
/// specifier of a link, so the base is appended to the kind.
const BASE_SEPARATOR: &str = " base=";

impl Linking for Html {
    fn links(document: &HtmlDocument) -> Vec<Link> {
        let tree = &document.tree;
        let base = base_href(tree);
        find_links(tree)
            .into_iter()
            .map(|found| Link {
                kind: base
                    .as_ref()
                    .map_or_else(|| found.kind.to_owned(), |base| format!("{}{BASE_SEPARATOR}{base}", found.kind)),
                span: found.span,
                statement: tree.element(found.element).span(),
                specifier: found.specifier(tree),
                names: Vec::new(),
                type_only: false,
            })
            .collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        requests.iter().map(|request| resolve::resolve_link(&context.path, request)).collect()
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(format_specifier::format_specifier).collect()
    }

    fn unlink(document: &HtmlDocument, links: &[u32]) -> Result<Rewrite> {
        let tree = &document.tree;
        let all = find_links(tree);
        let wanted = links.iter().filter_map(|index| all.get(*index as usize));
        let (gone, left): (Vec<&FoundLink>, Vec<&FoundLink>) = wanted.partition(|link| link.is_removable);
        if let Some(link) = left.first() {
            let name = tree.name(link.element);
            return Err(Failure::unsupported(format!(
                "`<{name}>` is content of the page, which is not removed automatically"
            ))
            .hint("delete or change the element if it is no longer needed")
            .candidates(left.iter().map(|link| document.address(link.element))));
        }
        let items: Vec<Item> = gone.iter().map(|link| Item::Element(link.element)).collect();
        Ok(edit::delete(tree, &items).into())
    }
}

/// Returns the value of `<base href>`.
fn base_href(tree: &Tree) -> Option<String> {
    let bases = (0..tree.element_count()).filter(|id| tree.is_html_element(*id, Name::BASE));
    let href = bases.into_iter().find_map(|id| tree.attribute_value(id, "href"))?;
    Some(href.trim().to_owned()).filter(|href| !href.is_empty())
}
