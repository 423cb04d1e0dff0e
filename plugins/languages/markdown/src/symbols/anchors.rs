//! Targets of links within a page (headings and explicit anchors), and the links to them.

use std::borrow::Cow;

use marquetry_sdk::{Span, urls};

use crate::anchor::split_custom_anchor;
use crate::blocks::{InlineKind, Kind};
use crate::document::MarkdownDocument;
use crate::links::decode_destination;
use crate::tag;

/// A target of links within a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Anchor {
    pub(super) name: String,
    /// Span of the text of the heading, or of the explicit anchor.
    pub(super) span: Span,
    /// The index of the heading, or `None` for an anchor that is an attribute of a tag.
    pub(super) heading: Option<u32>,
    /// True if the anchor is generated from the text of the heading.
    pub(super) is_generated: bool,
}

/// A link whose specifier contains a `#`.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    pub(crate) kind: String,
    pub(crate) specifier: String,
    /// The span of the anchor after the `#`.
    pub(crate) span: Span,
    /// The decoded anchor.
    pub(crate) anchor: String,
}

impl Reference {
    /// Returns whether the link refers to an anchor on its own page.
    pub(super) fn is_same_page(&self) -> bool {
        self.specifier.starts_with('#')
    }
}

impl MarkdownDocument {
    /// Returns the names of all link targets.
    pub(crate) fn anchor_names(&self) -> Vec<String> {
        self.all_anchors().into_iter().map(|place| place.name).collect()
    }

    /// Returns every link with a `#` in the workspace.
    pub(crate) fn workspace_anchor_links(&self) -> Vec<Reference> {
        self.anchor_references()
    }

    /// Returns every link target in document order.
    pub(super) fn all_anchors(&self) -> Vec<Anchor> {
        let tree = self.tree();
        let headings = (0..).zip(tree.headings.iter().zip(self.anchors()));
        let mut found: Vec<Anchor> = headings
            .map(|(index, (heading, made))| {
                let inner = self.block(heading.block).inner;
                let heading = Some(index);
                match split_explicit_anchor(inner.slice(&self.text)) {
                    Some((_, name)) => {
                        let at = inner.range().start + inner.slice(&self.text).rfind("{#").unwrap_or(0) + 2;
                        let span = Span::new(at, at + name.len());
                        Anchor { name: name.to_owned(), span, heading, is_generated: false }
                    }
                    None => Anchor { name: made, span: inner, heading, is_generated: true },
                }
            })
            .collect();
        let inlines = tree.inlines.iter().filter(|inline| inline.kind == InlineKind::Html).map(|inline| inline.span);
        let blocks = tree.blocks.iter().filter(|block| block.kind == Kind::Html).map(|block| block.span);
        for span in inlines.chain(blocks) {
            self.collect_tag_anchors(span, &mut found);
        }
        found.sort_by_key(|anchor| anchor.span.start);
        found
    }

    /// Adds the anchors in the tags of a span: `id` of any tag, and `name` of `a`.
    fn collect_tag_anchors(&self, span: Span, found: &mut Vec<Anchor>) {
        let html = span.slice(&self.text);
        for attribute in tag::attributes(html) {
            let is_anchor = attribute.name.eq_ignore_ascii_case("id")
                || (attribute.name.eq_ignore_ascii_case("name")
                    && tag::tag_name(&html[attribute.tag.clone()]).eq_ignore_ascii_case("a"));
            let value = &html[attribute.value.clone()];
            if is_anchor && !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || c == '&') {
                let start = span.range().start;
                let span = Span::new(start + attribute.value.start, start + attribute.value.end);
                found.push(Anchor { name: value.to_owned(), span, heading: None, is_generated: false });
            }
        }
    }

    /// Returns every link with a `#` in the workspace, in document order.
    pub(super) fn anchor_references(&self) -> Vec<Reference> {
        let reference = |link: marquetry_sdk::Link| {
            let hash = link.specifier.find('#')?;
            let fragment = &link.specifier[hash + 1..];
            let raw = link.span.slice(&self.text);
            // The offset of the `#` in the source can differ, because escapes and character references before it are
            // longer there.
            let at =
                raw.match_indices('#').map(|(at, _)| at + 1).find(|at| decode_destination(&raw[*at..]) == fragment)?;
            let span = Span::new(link.span.range().start + at, link.span.range().end);
            let anchor = urls::decode(fragment).into_owned();
            let is_ours = !fragment.is_empty() && !urls::is_remote(&link.specifier);
            is_ours.then_some(Reference { kind: link.kind, specifier: link.specifier, span, anchor })
        };
        self.urls().filter_map(reference).collect()
    }
}

/// Splits the text of a heading that ends with `{#anchor}` into the text before it and the anchor.
pub(super) fn split_explicit_anchor(source: &str) -> Option<(&str, &str)> {
    split_custom_anchor(source.trim_end())
}

/// Returns a name without an explicit anchor.
pub(super) fn without_explicit_anchor(name: &str) -> Cow<'_, str> {
    split_custom_anchor(name).map_or(name, |(text, _)| text).into()
}
