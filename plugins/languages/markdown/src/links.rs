//! Links to other files: links, images, definitions, HTML attributes and the imports of MDX.

pub(crate) mod resolve;
mod specifier;
mod unlink;
pub(crate) mod url;

use std::borrow::Cow;
use std::ops::Range;

use marquetry_sdk::{
    Context, Destination, Link, Linking, Request, Result, Rewrite, Span, SpecifierRequest, paths, urls,
    workspace::{self, EntryKind},
};

use crate::blocks::{Inline, InlineKind, Kind};
use crate::document::MarkdownDocument;
use crate::{Markdown, front_matter, js, link_definitions, tag};

/// The place of a link in the document.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LinkLocation {
    Inline(Inline),
    /// A definition, an import or an export.
    Block(u32),
    /// The text of a link, if it is the path of the target.
    Label,
    /// A value of front matter.
    Value,
    /// An attribute of a tag.
    Attribute(Span),
}

/// A link and its place in the document.
struct FoundLink {
    link: Link,
    place: LinkLocation,
}

impl FoundLink {
    fn is_url(&self) -> bool {
        !matches!(self.place, LinkLocation::Value | LinkLocation::Label) && !resolve::is_module_kind(&self.link.kind)
    }
}

impl Linking for Markdown {
    fn links(document: &MarkdownDocument) -> Vec<Link> {
        document.file_links().into_iter().map(|found| found.link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        requests.iter().map(|request| resolve::resolve_link(&context.path, request)).collect()
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(specifier::format_specifier).collect()
    }

    fn unlink(document: &MarkdownDocument, links: &[u32]) -> Result<Rewrite> {
        document.unlink(links).map(Rewrite::from)
    }
}

impl MarkdownDocument {
    /// Returns all links that can refer to a file, in text order.
    fn file_links(&self) -> Vec<FoundLink> {
        let mut found = self.all_links();
        found.retain(|found| !found.is_url() || url::can_refer_to_file(&found.link.specifier));
        found
    }

    /// Returns the links that are URLs, including those to other sites and to anchors on the page.
    pub(crate) fn urls(&self) -> impl Iterator<Item = Link> {
        self.all_links().into_iter().filter(FoundLink::is_url).map(|found| found.link)
    }

    fn all_links(&self) -> Vec<FoundLink> {
        let mut found: Vec<FoundLink> = Vec::new();
        for inline in &self.tree().inlines {
            match inline.kind {
                InlineKind::Link => {
                    let link = self.inline_link(*inline, "link");
                    found.extend(link.as_ref().and_then(|found| self.label_link(*inline, &found.link.specifier)));
                    found.extend(link);
                }
                InlineKind::Image => found.extend(self.inline_link(*inline, "image")),
                InlineKind::Html => self.add_attribute_links(inline.span, &mut found),
                InlineKind::Reference | InlineKind::ImageReference => {}
            }
        }
        for (id, block) in (0..).zip(&self.tree().blocks) {
            match block.kind {
                Kind::Html => self.add_attribute_links(block.span, &mut found),
                Kind::Definition => {
                    found.extend(self.new_link("definition", block.inner, block.span, LinkLocation::Block(id)))
                }
                Kind::Import | Kind::Export => found.extend(self.module_link(id)),
                Kind::FrontMatter => self.add_front_matter_links(id, &mut found),
                _ => {}
            }
        }
        self.add_wiki_links(&mut found);
        found.sort_by_key(|found| found.link.span.start);
        found
    }

    /// Adds possible links for names in double brackets, such as `[[Note]]` or `![[Note#Part|text]]`. Programs find the
    /// file of a name in different folders; those around this file are searched.
    fn add_wiki_links(&self, found: &mut Vec<FoundLink>) {
        for (open, _) in self.text.match_indices("[[") {
            let rest = &self.text[open + 2..];
            let name = rest.split(['|', '#', '^', '[', ']', '\n']).next().unwrap_or_default();
            let is_closed = rest.split('\n').next().is_some_and(|line| line.contains("]]"));
            if name.trim().is_empty() || !is_closed {
                continue;
            }
            let Some(file) = named_file(&self.path, name.trim()) else { continue };
            let span = Span::new(open + 2, open + 2 + name.trim_end().len());
            let link = Link {
                kind: "possible".to_owned(),
                span,
                statement: span,
                specifier: paths::relative_file(paths::folder(&self.path), &file),
                names: Vec::new(),
                type_only: false,
            };
            found.push(FoundLink { link, place: LinkLocation::Value });
        }
    }

    /// Returns the link of `[text](destination)` or `![text](destination)`.
    fn inline_link(&self, inline: Inline, kind: &str) -> Option<FoundLink> {
        let end = inline.span.range().end;
        let behind = inline.label.range().end;
        let open = self.text[behind..end].find("](")? + behind + 2;
        let (destination, _) = link_definitions::parse_destination(
            &self.text,
            link_definitions::skip_space(&self.text, open, end, true),
            end,
        )?;
        self.new_link(kind, destination, inline.span, LinkLocation::Inline(inline))
    }

    /// Returns a second link for the text of a link that is the path of the target: `[src/a.ts](../src/a.ts)`.
    fn label_link(&self, inline: Inline, destination: &str) -> Option<FoundLink> {
        let whole = inline.label.range();
        let text = &self.text[whole.clone()];
        let path = text.trim_matches('`');
        let without_steps = |path: &str| path.trim_start_matches("../").trim_start_matches("./").to_owned();
        let (target, _) = urls::split(destination);
        let is_same = without_steps(&urls::decode(target)) == without_steps(path);
        if !is_same || !path.contains('/') || !paths::looks_like_path(path) {
            return None;
        }
        let start = whole.start + (text.len() - text.trim_start_matches('`').len());
        let span = Span::new(start, start + path.len());
        let mut found = self.new_link("label", span, inline.span, LinkLocation::Label)?;
        path.clone_into(&mut found.link.specifier);
        Some(found)
    }

    fn new_link(&self, kind: &str, span: Span, statement: Span, place: LinkLocation) -> Option<FoundLink> {
        let specifier = decode_destination(span.slice(&self.text));
        if specifier.is_empty() {
            return None;
        }
        let link = Link {
            kind: kind.to_owned(),
            span,
            statement,
            specifier: specifier.into_owned(),
            names: Vec::new(),
            type_only: false,
        };
        Some(FoundLink { link, place })
    }

    fn add_attribute_links(&self, span: Span, found: &mut Vec<FoundLink>) {
        for attribute in tag::attributes(span.slice(&self.text)) {
            let at = |range: Range<usize>| Span::new(span.range().start + range.start, span.range().start + range.end);
            let (kind, values) = match attribute.name.to_ascii_lowercase().as_str() {
                "href" => ("href", vec![attribute.value.clone()]),
                "src" | "poster" => ("src", vec![attribute.value.clone()]),
                "srcset" => {
                    let start = attribute.value.start;
                    let urls = srcset_urls(&span.slice(&self.text)[attribute.value.clone()]);
                    ("srcset", urls.into_iter().map(|url| start + url.start..start + url.end).collect())
                }
                _ => continue,
            };
            for value in values {
                let location = LinkLocation::Attribute(at(attribute.whole.clone()));
                found.extend(self.new_link(kind, at(value), at(attribute.tag.clone()), location));
            }
        }
    }

    /// Adds those values of front matter that are declared as paths or look like paths.
    fn add_front_matter_links(&self, id: u32, found: &mut Vec<FoundLink>) {
        let content = self.block(id).inner;
        for value in front_matter::value_ranges(content.slice(&self.text)) {
            let start = content.range().start;
            let span = Span::new(start + value.start, start + value.end);
            let specifier = span.slice(&self.text);
            let kind = match specifier {
                path if paths::is_relative(path) && paths::could_be_path(path) => "front-matter",
                path if paths::looks_like_path(path) => "possible",
                _ => continue,
            };
            let link = Link {
                kind: kind.to_owned(),
                span,
                statement: span,
                specifier: specifier.to_owned(),
                names: Vec::new(),
                type_only: false,
            };
            found.push(FoundLink { link, place: LinkLocation::Value });
        }
    }

    fn module_link(&self, id: u32) -> Option<FoundLink> {
        let block = self.block(id);
        let start = block.span.range().start;
        let module = js::modules(self.source(id)).ok()?.into_iter().next()?;
        let specifier = module.specifier?;
        let span = Span::new(start + specifier.start, start + specifier.end);
        let kind = if module.is_import { "import" } else { "export-from" };
        let link = Link {
            kind: kind.to_owned(),
            span,
            statement: block.span,
            specifier: span.slice(&self.text).to_owned(),
            names: module.names.into_iter().map(|(name, _)| name).collect(),
            type_only: false,
        };
        Some(FoundLink { link, place: LinkLocation::Block(id) })
    }
}

/// Returns the file that a name in double brackets means: in the folder of the file or one above it.
fn named_file(from: &str, name: &str) -> Option<String> {
    let endings = std::iter::once("").chain(resolve::PAGE_EXTENSIONS);
    let names: Vec<String> = endings.map(|ending| format!("{name}{ending}")).collect();
    let mut there =
        paths::folders_around(from).flat_map(|folder| names.iter().filter_map(move |name| paths::join(folder, name)));
    there.find(|path| workspace::stat(path) == Some(EntryKind::File))
}

/// Returns the ranges of the URLs in the value of `srcset`.
fn srcset_urls(value: &str) -> Vec<Range<usize>> {
    let mut urls = Vec::new();
    let mut at = 0;
    let is_separator = |c: char| c == ',' || c.is_ascii_whitespace();
    while let Some(skipped) = value[at..].find(|c| !is_separator(c)) {
        let start = at + skipped;
        let end = value[start..].find(|c: char| c.is_ascii_whitespace()).map_or(value.len(), |end| start + end);
        let url = value[start..end].trim_end_matches(',');
        urls.push(start..start + url.len());
        // A descriptor follows, such as `2x`, unless a comma ends the URL.
        let is_alone = start + url.len() < end;
        at = if is_alone { end } else { value[end..].find(',').map_or(value.len(), |comma| end + comma) };
    }
    urls
}

/// Decodes escapes and character references of a destination.
pub(crate) fn decode_destination(destination: &str) -> Cow<'_, str> {
    if !destination.contains(['\\', '&']) {
        return Cow::Borrowed(destination);
    }
    let link = format!("[x](<{destination}>)");
    let events = pulldown_cmark::Parser::new(&link);
    let found = events.into_iter().find_map(|event| match event {
        pulldown_cmark::Event::Start(pulldown_cmark::Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    found.map_or(Cow::Borrowed(destination), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srcset_has_urls_with_and_without_descriptors() {
        let urls = |value: &'static str| {
            srcset_urls(value).into_iter().map(|range| &value[range]).collect::<Vec<_>>().join(" | ")
        };
        assert_eq!(urls("a.png 1x, b/c.png 2x"), "a.png | b/c.png");
        assert_eq!(urls(" a.png, b.png ,c,d.png 100w"), "a.png | b.png | c,d.png");
        assert_eq!(urls("a.png"), "a.png");
        assert_eq!(urls(" , "), "");
    }
}
