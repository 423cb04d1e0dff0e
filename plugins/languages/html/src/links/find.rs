//! Finds references to files in attributes, styles and scripts.

use std::ops::Range;

use marquetry_sdk::{
    Span,
    stylesheet::{self, UrlKind},
};

use super::{script, srcset, url};
use crate::embedded;
use crate::location;
use crate::syntax::tree::Attribute;
use crate::syntax::{Id, Name, Namespace, Tree, decode};

/// A reference to a file.
pub(super) struct FoundLink {
    pub(super) kind: &'static str,
    pub(super) element: Id,
    pub(super) span: Span,
    /// True if the link is the only purpose of the element, so that the element can be removed with the link.
    pub(super) is_removable: bool,
    /// True if character references in the specifier must be decoded, as in attributes.
    references: bool,
}

impl FoundLink {
    /// Returns the specifier, with its character references decoded.
    pub(super) fn specifier(&self, tree: &Tree) -> String {
        let raw = self.span.slice(&tree.text);
        if self.references { decode::attribute(raw).into_owned() } else { raw.to_owned() }
    }
}

/// Returns all references to files, in document order.
pub(super) fn find_links(tree: &Tree) -> Vec<FoundLink> {
    // The links of a component are those of its file.
    if tree.dialect.is_component() {
        return Vec::new();
    }
    let mut finder = LinkFinder { tree, prefixes: Vec::new(), found: Vec::new() };
    for part in embedded::embedded_code(tree) {
        if part.language == "json" {
            let names = script::import_map_prefixes(part.span.slice(&tree.text));
            finder.prefixes.extend(names);
        }
    }
    for id in (0..tree.element_count()).filter(|id| !tree.element(*id).implied) {
        for attribute in tree.attributes(id) {
            if let Some(value) = attribute.value {
                finder.add_attribute_links(id, *attribute, value);
            }
        }
        finder.add_content_links(id);
    }
    let mut links = finder.found;
    links.sort_by_key(|link| link.span.start);
    links
}

struct LinkFinder<'t> {
    tree: &'t Tree,
    /// Keys of the import maps that end with `/`. They map all specifiers that start with them.
    prefixes: Vec<&'t str>,
    found: Vec<FoundLink>,
}

impl<'t> LinkFinder<'t> {
    /// Adds the links in the value of an attribute.
    fn add_attribute_links(&mut self, id: Id, attribute: Attribute, value: Span) {
        let tree = self.tree;
        let name = attribute.name.slice(&tree.text).to_ascii_lowercase();
        let start = value.range().start;
        if let Some(kind) = link_kind(tree, id, &name) {
            let is_removable = tree.element(id).name == Name::SCRIPT || tree.is_html_element(id, Name::LINK);
            for range in specifier_ranges(value.slice(&tree.text), &name, kind) {
                let span = path_span(tree, span_at_offset(start, range), true);
                self.push(FoundLink { kind, element: id, span, is_removable, references: true });
            }
            return;
        }
        let is_style = name == "style" || tree.element(id).namespace == Namespace::SVG;
        let raw = value.slice(&tree.text);
        if is_style && raw.contains('(') {
            for (used, range) in stylesheet::urls_in_markup(raw) {
                self.add_style_link(id, used, span_at_offset(start, range), true);
            }
        }
    }

    /// Adds the links in the content of a style or a script.
    fn add_content_links(&mut self, id: Id) {
        let tree = self.tree;
        let Some(language) = embedded::code_language(tree, id) else { return };
        let inner = tree.element(id).inner();
        let (code, start) = (inner.slice(&tree.text), inner.range().start);
        if tree.element(id).name == Name::STYLE {
            for (used, range) in stylesheet::urls(code) {
                self.add_style_link(id, used, span_at_offset(start, range), tree.dialect.is_xml());
            }
            return;
        }
        let is_map = tree.attribute_value(id, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("importmap"));
        let named = match language {
            "json" if is_map => script::import_map_links(code),
            "json" => Vec::new(),
            _ => script::script_links(code),
        };
        for (kind, range) in named {
            // A specifier without a leading slash or dot names a package. It is a link only if an import map has a
            // prefix of it.
            let specifier = &code[range.clone()];
            let is_name = script::MODULE_KINDS.contains(&kind) && !specifier.starts_with(['/', '.']);
            let kind = match is_name {
                false => kind,
                true if self.prefixes.iter().any(|prefix| specifier.starts_with(prefix)) => MAPPED_IMPORT,
                true => continue,
            };
            let span = path_span(tree, span_at_offset(start, range), tree.dialect.is_xml());
            self.push(FoundLink { kind, element: id, span, is_removable: false, references: tree.dialect.is_xml() });
        }
    }

    /// Adds a URL in a stylesheet.
    fn add_style_link(&mut self, id: Id, used: UrlKind, span: Span, references: bool) {
        let kind = if used == UrlKind::Import { "css-import" } else { "url" };
        let span = path_span(self.tree, span, references);
        self.push(FoundLink { kind, element: id, span, is_removable: false, references });
    }

    fn push(&mut self, found: FoundLink) {
        if !found.span.is_empty() {
            self.found.push(found);
        }
    }
}

/// Kind of links to modules whose specifier is mapped by a prefix in an import map.
pub(super) const MAPPED_IMPORT: &str = "mapped-import";

fn span_at_offset(start: usize, range: Range<usize>) -> Span {
    Span::new(start + range.start, start + range.end)
}

/// Returns the ranges of the specifiers in the value of an attribute.
fn specifier_ranges(raw: &str, name: &str, kind: &str) -> Vec<Range<usize>> {
    if name.ends_with("srcset") {
        return srcset::srcset_urls(raw);
    }
    if kind == "refresh" {
        return srcset::refresh_url(raw).into_iter().collect();
    }
    let start = raw.len() - raw.trim_ascii_start().len();
    std::iter::once(start..start + raw.trim_ascii().len()).collect()
}

/// Returns the span of the path in a specifier. It does not include `?query#hash`, which stays the same when a file is
/// moved. For a remote URL, it is the whole URL. It is empty for a fragment of the same page.
fn path_span(tree: &Tree, span: Span, references: bool) -> Span {
    let raw = span.slice(&tree.text);
    let decoded = if references { decode::attribute(raw) } else { raw.into() };
    if url::parse(&decoded).is_err() {
        return span;
    }
    // The `#` of a character reference is not part of the URL.
    let starts_suffix =
        |(at, c): &(usize, char)| *c == '?' || (*c == '#' && !(references && raw[..*at].ends_with('&')));
    let end = raw.char_indices().find(starts_suffix).map_or(raw.len(), |(at, _)| at);
    Span::new(span.range().start, span.range().start + end)
}

/// Returns the kind of the link in an attribute of an element. `None` if the attribute does not contain a link.
fn link_kind(tree: &Tree, id: Id, attribute: &str) -> Option<&'static str> {
    let element = tree.element(id);
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
        (Name::LINK, "href") if location::is_stylesheet_link(tree, id) => "stylesheet",
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
        (Name::BLOCKQUOTE, "cite") => "href",
        (Name::META, "content") if is_refresh(tree, id) => "refresh",
        (Name::META, "content") if is_preview(tree, id) => "image",
        _ => return None,
    })
}

fn is_refresh(tree: &Tree, id: Id) -> bool {
    tree.attribute_value(id, "http-equiv").is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"))
}

/// Returns whether the element names the preview image that is shown when the page is shared: `<meta
/// property="og:image">` and similar elements.
fn is_preview(tree: &Tree, id: Id) -> bool {
    const IMAGES: [&str; 5] =
        ["og:image", "og:image:url", "twitter:image", "twitter:image:src", "msapplication-tileimage"];
    let named = |attribute: &str| {
        tree.attribute_value(id, attribute)
            .is_some_and(|name| IMAGES.iter().any(|image| name.trim().eq_ignore_ascii_case(image)))
    };
    named("property") || named("name")
}
