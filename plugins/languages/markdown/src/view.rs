//! Views of a block.

use marquetry_sdk::{Form, NodeId, Result, Span, View, lines};

use crate::blocks::{Inline, Kind, collapse_space};
use crate::commonmark;
use crate::document::MarkdownDocument;
use crate::errors;

/// Maximum length of the first sentence of a section, as shown in a summary.
const MAX_SENTENCE_LENGTH: usize = 160;

impl MarkdownDocument {
    /// Returns the view of a node.
    pub(crate) fn view_node(&self, id: NodeId, form: Form) -> Result<View> {
        let node = self.node(id)?;
        match form {
            Form::Full => Ok(View::Span(node.span)),
            Form::Body => node.body.map(View::Span).ok_or_else(|| errors::no_body_error(&node.kind)),
            Form::Signature => Ok(View::Span(self.signature(id, node.span))),
            Form::Summary => Ok(self.summary(id, node.span)),
        }
    }

    /// Returns the span of the heading, or of the first line of any other node.
    fn signature(&self, id: NodeId, span: Span) -> Span {
        let start = span.range().start;
        let heading = if self.region(id).is_none() { self.tree().heading(id) } else { None };
        let end = heading.map_or_else(|| lines::line_end(&self.text, start), |heading| heading.line_end as usize);
        Span::new(start, end.min(span.range().end))
    }

    /// Returns the headings in a node, each with the first sentence of its section. Without headings, returns the first
    /// line.
    fn summary(&self, id: NodeId, span: Span) -> View {
        let tree = self.tree();
        let from = tree.headings.partition_point(|heading| self.block(heading.block).span.start < span.start);
        let inside = tree.headings[from..].iter().take_while(|heading| self.block(heading.block).span.start < span.end);
        let mut out = String::new();
        for heading in inside {
            let sentence = self.first_sentence(heading.block);
            let colon = if sentence.is_empty() { "" } else { ": " };
            let hashes = "#".repeat(heading.level.into());
            out += &format!("{hashes} {}{colon}{sentence}\n", tree.name(heading));
        }
        if out.is_empty() { View::Span(self.signature(id, span)) } else { View::Text(out) }
    }

    /// Returns the first sentence of a section's first paragraph.
    fn first_sentence(&self, heading: u32) -> String {
        let own = self.tree().children(heading).take_while(|block| self.block(*block).kind != Kind::Heading);
        let Some(paragraph) = own.into_iter().find(|block| self.block(*block).kind == Kind::Paragraph) else {
            return String::new();
        };
        let source = self.source(paragraph);
        let short = &source[..source.floor_char_boundary(MAX_SENTENCE_LENGTH * 4)];
        let unprefixed: Vec<&str> = short.lines().map(|line| line.trim_start_matches([' ', '\t', '>'])).collect();
        let plain = collapse_space(&commonmark::rendered_line(&unprefixed.join("\n")));
        let end = [". ", "! ", "? "].iter().filter_map(|end| plain.find(end)).min().map_or(plain.len(), |at| at + 1);
        let sentence: String = plain[..end].chars().take(MAX_SENTENCE_LENGTH).collect();
        if sentence.len() < end { format!("{sentence}…") } else { sentence }
    }

    /// Returns the links, images and pieces of HTML within a span.
    pub(crate) fn links_within(&self, span: Span) -> impl Iterator<Item = &Inline> {
        let inlines = &self.tree().inlines;
        let from = inlines.partition_point(|inline| inline.span.start < span.start);
        inlines[from..].iter().take_while(move |inline| inline.span.start < span.end)
    }
}
