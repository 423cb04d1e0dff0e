//! Simplified parser events. The two parsers have the same events, but as different types. One macro converts both.

use crate::blocks::InlineKind;

/// One event of a parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'e> {
    Start(Part),
    End(Part),
    Text(&'e str),
    /// The text of a code span.
    Code(&'e str),
    LineBreak,
    Rule,
    CheckBox,
    Html,
    /// Other content within a paragraph.
    Other,
    /// A JSX tag. The flag is true if it is a block.
    Tag(&'e str, bool),
    /// The text between braces. The flag is true if the expression is a block.
    Expression(&'e str, bool),
    /// Imports and exports.
    Esm,
    Nothing,
}

/// A block or inline element that has a start event and an end event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Paragraph,
    Heading(u8),
    Quote,
    FencedCode,
    IndentedCode,
    Html,
    List(bool),
    Item,
    Footnote,
    Table,
    TableHead,
    TableRow,
    TableCell,
    Emphasis,
    Link(Option<InlineKind>),
}

impl Part {
    /// Returns whether the element is part of a paragraph or of a table row.
    pub(crate) fn is_inline(self) -> bool {
        matches!(self, Part::TableCell | Part::Emphasis | Part::Link(_))
    }

    /// Returns whether the events up to the end of this element add no other blocks.
    pub(crate) fn holds_content(self) -> bool {
        use Part::{FencedCode, Html, IndentedCode, Paragraph, TableHead, TableRow};
        matches!(self, Paragraph | FencedCode | IndentedCode | Html | TableHead | TableRow)
    }
}

/// Defines `piece`, which converts an event of the parser crate to a [`Piece`].
macro_rules! pieces {
    ($parser:ident, $ordered:pat, $($mdx:tt)*) => {
        fn part(tag: &$parser::Tag<'_>) -> Option<crate::piece::Part> {
            use $parser::{CodeBlockKind, LinkType, Tag};
            use crate::{blocks::InlineKind, piece::Part};
            let by_label = |link: &LinkType| {
                matches!(link, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
            };
            let link = |link: &LinkType, direct, reference| match link {
                LinkType::Inline => Part::Link(Some(direct)),
                link if by_label(link) => Part::Link(Some(reference)),
                _ => Part::Link(None),
            };
            Some(match tag {
                Tag::Paragraph => Part::Paragraph,
                Tag::Heading { level, .. } => Part::Heading(*level as u8),
                Tag::BlockQuote(_) => Part::Quote,
                Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Part::FencedCode,
                Tag::CodeBlock(CodeBlockKind::Indented) => Part::IndentedCode,
                Tag::HtmlBlock => Part::Html,
                $ordered => Part::List(true),
                Tag::List(..) => Part::List(false),
                Tag::Item => Part::Item,
                Tag::FootnoteDefinition(_) => Part::Footnote,
                Tag::Table(_) => Part::Table,
                Tag::TableHead => Part::TableHead,
                Tag::TableRow => Part::TableRow,
                Tag::TableCell => Part::TableCell,
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough => Part::Emphasis,
                Tag::Link { link_type, .. } => link(link_type, InlineKind::Link, InlineKind::Reference),
                Tag::Image { link_type, .. } => link(link_type, InlineKind::Image, InlineKind::ImageReference),
                _ => return None,
            })
        }

        fn end_part(tag: &$parser::TagEnd) -> Option<crate::piece::Part> {
            use $parser::TagEnd;
            use crate::piece::Part;
            Some(match tag {
                TagEnd::Paragraph => Part::Paragraph,
                TagEnd::Heading(level) => Part::Heading(*level as u8),
                TagEnd::BlockQuote(_) => Part::Quote,
                TagEnd::CodeBlock => Part::FencedCode,
                TagEnd::HtmlBlock => Part::Html,
                TagEnd::List(ordered) => Part::List(*ordered),
                TagEnd::Item => Part::Item,
                TagEnd::FootnoteDefinition => Part::Footnote,
                TagEnd::Table => Part::Table,
                TagEnd::TableHead => Part::TableHead,
                TagEnd::TableRow => Part::TableRow,
                TagEnd::TableCell => Part::TableCell,
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => Part::Emphasis,
                TagEnd::Link | TagEnd::Image => Part::Link(None),
                _ => return None,
            })
        }

        fn piece<'e>(event: &'e $parser::Event<'_>) -> crate::piece::Piece<'e> {
            use $parser::Event;
            use crate::piece::Piece;
            #[allow(unreachable_patterns, reason = "one of the parsers has no MDX")]
            match event {
                $($mdx)*
                Event::Start(tag) => part(tag).map_or(Piece::Nothing, Piece::Start),
                Event::End(tag) => end_part(tag).map_or(Piece::Nothing, Piece::End),
                Event::Text(text) => Piece::Text(text),
                Event::Code(code) => Piece::Code(code),
                Event::SoftBreak | Event::HardBreak => Piece::LineBreak,
                Event::Rule => Piece::Rule,
                Event::TaskListMarker(_) => Piece::CheckBox,
                Event::InlineHtml(_) => Piece::Html,
                Event::Html(_) => Piece::Nothing,
                _ => Piece::Other,
            }
        }
    };
}
pub(crate) use pieces;
