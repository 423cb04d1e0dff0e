//! Places of a page that name other files.

mod resolve;
mod spell;
mod srcset;
mod url;

use marquetry_sdk::{Destination, Edit, Failure, Link, Linking, Request, Respelling, Result, Span};

use crate::Html;
use crate::document::HtmlDocument;
use crate::edit;
use crate::place::{self, Item};
use crate::syntax::tree::Attribute;
use crate::syntax::{Id, Name, Namespace, Tree, decode};

/// Between the kind of a link and the `<base href>` of its page: who follows a link knows only its kind.
const BASE: &str = " base=";

/// A link before it is one.
struct Found {
    kind: &'static str,
    element: Id,
    span: Span,
}

impl Linking for Html {
    fn links(document: &HtmlDocument) -> Vec<Link> {
        let tree = &document.tree;
        let base = base(tree);
        found(tree)
            .into_iter()
            .map(|found| Link {
                kind: base.as_ref().map_or_else(|| found.kind.to_owned(), |base| format!("{}{BASE}{base}", found.kind)),
                span: found.span,
                statement: tree.get(found.element).span(),
                specifier: decode::attribute(found.span.of(&tree.text)).into_owned(),
                names: Vec::new(),
                type_only: false,
            })
            .collect()
    }

    fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
        requests.iter().map(|request| resolve::resolve(from, request)).collect()
    }

    fn spell(requests: &[Respelling]) -> Vec<Result<String>> {
        requests.iter().map(spell::spell).collect()
    }

    fn unlink(document: &HtmlDocument, links: &[u32]) -> Result<Vec<Edit>> {
        let tree = &document.tree;
        let all = found(tree);
        let wanted = links.iter().filter_map(|index| all.get(*index as usize));
        let (gone, left): (Vec<&Found>, Vec<&Found>) = wanted.partition(|link| is_only_link(tree, link.element));
        if gone.is_empty()
            && let Some(link) = left.first()
        {
            let name = tree.name(link.element);
            return Err(Failure::unsupported(format!(
                "a `<{name}>` is content of the page: it is not removed with its file"
            ))
            .hint("delete or change the element where it should go")
            .candidates(left.iter().map(|link| document.address(link.element))));
        }
        let items: Vec<Item> = gone.iter().map(|link| Item::Element(link.element)).collect();
        Ok(edit::delete(tree, &items))
    }
}

/// Elements that are there for nothing but their link.
fn is_only_link(tree: &Tree, id: Id) -> bool {
    tree.get(id).name == Name::SCRIPT || tree.is(id, Name::LINK)
}

/// What `<base href>` says.
fn base(tree: &Tree) -> Option<String> {
    let bases = (0..tree.len()).filter(|id| tree.is(*id, Name::BASE));
    let href = bases.into_iter().find_map(|id| tree.value(id, "href"))?;
    Some(href.trim().to_owned()).filter(|href| !href.is_empty())
}

/// Every place that names a file, in the order they are written.
fn found(tree: &Tree) -> Vec<Found> {
    let mut links = Vec::new();
    for id in (0..tree.len()).filter(|id| !tree.get(*id).implied) {
        for attribute in tree.attributes(id) {
            let Some(value) = attribute.value else { continue };
            let name = attribute.name.of(&tree.text).to_ascii_lowercase();
            let Some(kind) = kind_of(tree, id, &name) else { continue };
            let spans = places(tree, *attribute, value, kind).into_iter().map(|span| path_of(tree, span));
            links.extend(spans.filter(|span| !span.is_empty()).map(|span| Found { kind, element: id, span }));
        }
    }
    links.sort_by_key(|link| link.span.start);
    links
}

/// The specifiers in the value of an attribute.
fn places(tree: &Tree, attribute: Attribute, value: Span, kind: &str) -> Vec<Span> {
    let raw = value.of(&tree.text);
    let inside =
        |range: std::ops::Range<usize>| Span::new(value.range().start + range.start, value.range().start + range.end);
    if attribute.name.of(&tree.text).to_ascii_lowercase().ends_with("srcset") {
        return srcset::urls(raw).into_iter().map(inside).collect();
    }
    if kind == "refresh" {
        return srcset::refresh_url(raw).map(inside).into_iter().collect();
    }
    let start = raw.len() - raw.trim_ascii_start().len();
    vec![inside(start..start + raw.trim_ascii().len())]
}

/// The path of a specifier, without `?query#hash`: these stay as they are when a file moves. Addresses of other sites
/// are left whole. Nothing where a link only names a place in its own page.
fn path_of(tree: &Tree, span: Span) -> Span {
    let raw = span.of(&tree.text);
    if url::parse(&decode::attribute(raw)).is_err() {
        return span;
    }
    // The `#` of a character reference is none of the URL.
    let starts_suffix = |(at, c): &(usize, char)| *c == '?' || (*c == '#' && !raw[..*at].ends_with('&'));
    let end = raw.char_indices().find(starts_suffix).map_or(raw.len(), |(at, _)| at);
    Span::new(span.range().start, span.range().start + end)
}

/// What kind of link the attribute of an element is, if it is one.
fn kind_of(tree: &Tree, id: Id, attribute: &str) -> Option<&'static str> {
    let element = tree.get(id);
    if element.namespace == Namespace::SVG {
        return match (tree.name(id), attribute) {
            ("a", "href" | "xlink:href") => Some("href"),
            ("script", "href" | "xlink:href") => Some("script"),
            (_, "href" | "xlink:href") => Some("image"),
            _ => None,
        };
    }
    if element.namespace != Namespace::HTML {
        return None;
    }
    Some(match (element.name, attribute) {
        (Name::A | Name::AREA, "href") => "href",
        (Name::LINK, "href") if place::is_stylesheet_link(tree, id) => "stylesheet",
        (Name::LINK, "href") => "link",
        (Name::LINK, "imagesrcset") | (Name::IMG | Name::SOURCE, "srcset") => "image",
        (Name::SCRIPT, "src") => "script",
        (Name::IMG | Name::IMAGE | Name::INPUT, "src") | (Name::VIDEO, "poster") => "image",
        (Name::AUDIO | Name::VIDEO | Name::SOURCE | Name::TRACK | Name::EMBED, "src") | (Name::OBJECT, "data") => {
            "media"
        }
        (Name::IFRAME | Name::FRAME, "src") => "frame",
        (Name::FORM, "action") | (Name::BUTTON | Name::INPUT, "formaction") => "form",
        (Name::BODY | Name::TABLE | Name::TD | Name::TH, "background") => "image",
        (Name::META, "content") if is_refresh(tree, id) => "refresh",
        _ => return None,
    })
}

fn is_refresh(tree: &Tree, id: Id) -> bool {
    tree.value(id, "http-equiv").is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"))
}
