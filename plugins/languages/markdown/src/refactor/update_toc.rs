//! `update_toc`: rewrites the table of contents in its existing style, or creates one.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use marquetry_sdk::refactor::{Argument, Place as Asks, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Edit, Result, Rewrite, lines, span::apply};

use crate::anchor::split_custom_anchor;
use crate::blocks::{Detail, Heading, InlineKind, Kind, NONE};
use crate::document::MarkdownDocument;
use crate::insertion::{prefix_at, prefix_lines};
use crate::list::{self, ListStyle};

/// Deepest level of headings in a new table.
const DEFAULT_MAX_LEVEL: u8 = 3;
/// Names of a heading above a table of contents, in lower case.
const TOC_TITLES: [&str; 3] = ["contents", "table of contents", "toc"];
/// Starts of comments above a table of contents, in lower case. `OMIT_MARKERS` are comments at headings that are not
/// listed.
const TOC_MARKERS: [&str; 3] = ["<!-- toc", "<!--toc", "<!-- start doctoc"];
const OMIT_MARKERS: [&str; 2] = ["<!-- omit in toc -->", "<!-- omit from toc -->"];

pub(super) const UPDATE_TOC: Refactoring<MarkdownDocument> = Refactoring {
    id: "update_toc",
    title: "Update the table of contents, or create one",
    place: Asks::Document,
    arguments: &[
        Argument {
            name: "maxLevel",
            summary: "deepest heading level to list; by default as in the existing table, or 3",
            values: &["1", "2", "3", "4", "5", "6"],
            required: false,
        },
        Argument {
            name: "heading",
            summary: "text of a heading to put above a new table; by default it has no heading",
            values: &[],
            required: false,
        },
    ],
    asks_exporters: false,
    apply: update,
};

/// Position of the table of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TocPosition {
    /// The table is this list.
    List(u32),
    /// The table belongs below this heading.
    Below(u32),
    /// The table belongs after this comment.
    After(u32),
    /// The document has no table, and nothing that marks a position for it.
    None,
}

/// Builds the list that is the table of contents.
struct TocBuilder<'d> {
    document: &'d MarkdownDocument,
    position: TocPosition,
    anchors: Vec<String>,
}

fn update(document: &MarkdownDocument, input: &RefactorInput) -> Result<Rewrite> {
    let contents = TocBuilder { document, position: toc_position(document), anchors: document.anchors() };
    let levels = contents.levels(input);
    let listed = contents.listed_headings(&levels);
    let Some((first, _)) = listed.first() else {
        return Err(refactor_failure(format!("no headings of levels {} to {} to list", levels.start(), levels.end()))
            .hint("write headings, or give a deeper `maxLevel`"));
    };
    let table = contents.format_table(&listed);
    let edits = contents.edits(first.block, &table, input.argument("heading"));
    contents.check_table(&edits, listed.len())?;
    Ok(edits.into())
}

/// Returns the position of the table, or the position that a heading or comment marks for it.
fn toc_position(document: &MarkdownDocument) -> TocPosition {
    let tree = document.tree();
    let top = |id: &u32| document.container(*id) == NONE;
    let is_title = |id: u32| {
        tree.heading(id).is_some_and(|heading| TOC_TITLES.contains(&tree.name(heading).to_lowercase().as_str()))
    };
    let is_marker = |id: u32| {
        let is_html = document.block(id).kind == Kind::Html;
        let source = if is_html { document.source(id).to_lowercase() } else { String::new() };
        TOC_MARKERS.iter().any(|marker| source.starts_with(marker))
    };
    let above = |list: u32| list.checked_sub(1).is_some_and(|above| is_title(above) || is_marker(above));
    let ids = || (0..tree.blocks.len() as u32).filter(top);
    let lists = || ids().filter_map(|id| Some((id, count_link_entries(document, id)?)));
    let list = lists().find(|(list, links)| *links > 1 || above(*list));
    let titled = || ids().find(|id| is_title(*id)).map(TocPosition::Below);
    let marked = || ids().find(|id| is_marker(*id)).map(TocPosition::After);
    list.map(|(list, _)| TocPosition::List(list)).or_else(titled).or_else(marked).unwrap_or(TocPosition::None)
}

/// Returns the number of entries of a list if each consists of a link to an anchor in the document.
fn count_link_entries(document: &MarkdownDocument, list: u32) -> Option<usize> {
    let block = document.block(list);
    if block.kind != Kind::List {
        return None;
    }
    let is_entry = |id: u32| {
        let span = document.block(id).span;
        let mut links = document.links_within(span);
        links.next().is_some_and(|link| {
            let to = &document.text[link.label.range().end..];
            link.kind == InlineKind::Link && link.span == span && to.starts_with("](#")
        })
    };
    let mut count = 0;
    for id in list + 1..block.end {
        match document.block(id).kind {
            Kind::List | Kind::Item => {}
            Kind::Paragraph if is_entry(id) => count += 1,
            _ => return None,
        }
    }
    (count > 0).then_some(count)
}

impl<'d> TocBuilder<'d> {
    /// Returns the headings that can be listed, with their anchors. Headings in quotes and items cannot be listed.
    fn listable_headings(&self) -> impl Iterator<Item = (&'d Heading, &str)> {
        let document = self.document;
        let own = match self.position {
            TocPosition::Below(heading) => Some(heading),
            TocPosition::List(list) => {
                Some(document.block(list).parent).filter(|parent| parent.checked_add(1) == Some(list))
            }
            TocPosition::After(_) | TocPosition::None => None,
        };
        let is_listed = move |heading: &Heading| {
            let block = document.block(heading.block);
            let source = document.text[block.span.range().start..heading.line_end as usize].to_lowercase();
            document.container(heading.block) == NONE
                && Some(heading.block) != own
                && !OMIT_MARKERS.iter().any(|mark| source.contains(mark))
        };
        let all = document.tree().headings.iter().zip(self.anchors.iter().map(String::as_str));
        all.filter(move |(heading, _)| is_listed(heading))
    }

    /// Returns the headings that the existing table links to.
    fn linked_headings(&self) -> Vec<&'d Heading> {
        let TocPosition::List(list) = self.position else { return Vec::new() };
        let text = &self.document.text;
        let by_anchor: HashMap<&str, &Heading> =
            self.listable_headings().map(|(heading, anchor)| (self.own_anchor(heading, anchor), heading)).collect();
        let links = self.document.links_within(self.document.block(list).span);
        let anchor = |end: usize| text[end..].strip_prefix("](#")?.split([')', ' ']).next();
        links.filter_map(|link| by_anchor.get(anchor(link.label.range().end)?).copied()).collect()
    }

    /// Returns the levels to list. These are the levels of the existing table, or those below the title. The argument
    /// `maxLevel` limits them.
    fn levels(&self, input: &RefactorInput) -> RangeInclusive<u8> {
        let given = input.argument("maxLevel").and_then(|level| level.parse().ok());
        let linked: BTreeSet<u8> = self.linked_headings().iter().map(|heading| heading.level).collect();
        if let (Some(least), Some(deepest)) = (linked.first(), linked.last()) {
            return *least..=given.unwrap_or(*deepest);
        }
        let mut levels: Vec<u8> = self.listable_headings().map(|(heading, _)| heading.level).collect();
        let has_title = levels.first() == Some(&1) && levels.iter().filter(|level| **level == 1).count() == 1;
        if has_title {
            levels.remove(0);
        }
        let least = levels.iter().min().copied().unwrap_or(if has_title { 2 } else { 1 });
        least..=given.unwrap_or(DEFAULT_MAX_LEVEL.max(least + 1).min(crate::create::MAX_LEVEL))
    }

    /// Returns the headings to list. These are the headings after the table, unless the existing table links to others.
    fn listed_headings(&self, levels: &RangeInclusive<u8>) -> Vec<(&'d Heading, &str)> {
        let at = match self.position {
            TocPosition::List(id) | TocPosition::Below(id) | TocPosition::After(id) => id,
            TocPosition::None => 0,
        };
        let from = if self.linked_headings().iter().any(|heading| heading.block < at) { 0 } else { at };
        let fits = |(heading, _): &(&Heading, &str)| levels.contains(&heading.level) && heading.block >= from;
        self.listable_headings().filter(fits).collect()
    }

    fn own_anchor<'n>(&'n self, heading: &'d Heading, anchor: &'n str) -> &'n str {
        split_custom_anchor(self.document.tree().name(heading)).map_or(anchor, |(_, own)| own)
    }

    /// Returns the format for the table. It is that of the existing table, or of the first list of the document, or
    /// uses hyphens.
    fn style(&self) -> (ListStyle, Option<usize>) {
        let document = self.document;
        if let TocPosition::List(list) = self.position {
            return (list::list_style(document, list), self.nesting_indent(list));
        }
        let is_plain = |id: &u32| document.block(*id).kind == Kind::List && document.block(*id).detail == Detail::Plain;
        let first = (0..document.tree().blocks.len() as u32).find(is_plain);
        let marker = first.map_or("- ".to_owned(), |list| list::list_style(document, list).marker);
        (ListStyle { marker, is_consecutive: false, breaks: 1 }, first.and_then(|list| self.nesting_indent(list)))
    }

    /// Returns the indentation of nested lists relative to the list around them.
    fn nesting_indent(&self, list: u32) -> Option<usize> {
        let inner = (list + 1..self.document.block(list).end).find(|id| self.document.block(*id).kind == Kind::List)?;
        let column =
            |id: u32| prefix_at(&self.document.text, self.document.block(id).span.range().start).chars().count();
        column(inner).checked_sub(column(list))
    }

    /// Returns the table as Markdown.
    fn format_table(&self, listed: &[(&'d Heading, &str)]) -> String {
        let (style, step) = self.style();
        let digits = style.marker.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_ordered = digits.len() < style.marker.len();
        let mut lines = Vec::new();
        // The levels that are open. Each has its indentation, the indentation of its contents, and its last number.
        let mut open: Vec<(u8, usize, usize, u32)> = Vec::new();
        for (heading, anchor) in listed {
            while open.len() > 1 && open.last().is_some_and(|(level, ..)| *level > heading.level) {
                open.pop();
            }
            match open.last_mut() {
                Some((level, ..)) if *level >= heading.level => *level = heading.level,
                above => {
                    let indent = above.map_or(0, |(_, _, inner, _)| *inner);
                    open.push((heading.level, indent, indent, 0));
                }
            }
            let Some((_, indent, inner, number)) = open.last_mut() else { continue };
            *number = if style.is_consecutive || *number == 0 { *number + 1 } else { *number };
            let marker = if is_ordered { format!("{number}{digits}") } else { style.marker.clone() };
            *inner = *indent + step.unwrap_or(0).max(if is_ordered { marker.len() } else { 2 });
            let anchor = self.own_anchor(heading, anchor);
            lines.push(format!("{}{marker}[{}](#{anchor})", " ".repeat(*indent), self.link_text(heading)));
        }
        lines.join(&"\n".repeat(style.breaks))
    }

    /// Returns the text of a heading for use in a link.
    fn link_text(&self, heading: &Heading) -> String {
        let document = self.document;
        let inner = document.block(heading.block).inner;
        let source = inner.slice(&document.text);
        let source = split_custom_anchor(source).map_or(source, |(text, _)| text).trim();
        let has_links = document.links_within(inner).next().is_some();
        if !has_links && !source.contains(['\n', '\r']) && is_valid_link_text(source) {
            return source.to_owned();
        }
        let name = document.tree().name(heading);
        let name = split_custom_anchor(name).map_or(name, |(text, _)| text);
        let mut escaped = String::with_capacity(name.len());
        for c in name.chars() {
            if matches!(c, '\\' | '[' | ']' | '*' | '_' | '`' | '<' | '&' | '~' | '!') {
                escaped.push('\\');
            }
            escaped.push(c);
        }
        escaped
    }

    fn edits(&self, first: u32, table: &str, heading: Option<&str>) -> Vec<Edit> {
        let document = self.document;
        let edit = match self.position {
            TocPosition::List(list) => {
                let span = document.block(list).span;
                let prefix = prefix_at(&document.text, span.range().start);
                Edit::new(span, prefix_lines(table, &prefix))
            }
            TocPosition::Below(title) => {
                let line_end = document.tree().heading(title).map_or(0, |heading| heading.line_end as usize);
                let next = document.tree().blocks.get(title as usize + 1);
                let next = next.map(|next| next.span.range().start);
                document.insert_block_at(line_end, next, "", table, (2, 2))
            }
            TocPosition::After(marker) => document.insert_block_after(marker, document.block(marker).span, table, 2),
            TocPosition::None => {
                let title = heading.map(|heading| {
                    let level = document.tree().heading(first).map_or(2, |heading| heading.level);
                    format!("{}\n\n", document.heading_line(level, heading))
                });
                let table = title.unwrap_or_default() + table;
                document.insert_block_before(first, document.block(first).span, &table, 2)
            }
        };
        let text = edit.text.replace("\r\n", "\n");
        if edit.span.slice(&document.text).replace("\r\n", "\n") == text {
            return Vec::new();
        }
        vec![Edit { text: text.replace('\n', lines::line_break(&document.text)), ..edit }]
    }

    /// Checks that the new table is parsed as a list with this number of links.
    fn check_table(&self, edits: &[Edit], count: usize) -> Result<()> {
        let after = self.document.with_text(apply(&self.document.text, edits));
        let lists = 0..after.tree().blocks.len() as u32;
        if lists.into_iter().any(|id| count_link_entries(&after, id) == Some(count)) {
            return Ok(());
        }
        Err(refactor_failure("the table would not parse as a list of links at its position")
            .hint("put `<!-- toc -->` on its own line where the table should be"))
    }
}

/// Returns whether a link with this text between its brackets would be parsed with exactly this text.
fn is_valid_link_text(text: &str) -> bool {
    if !text.contains(['[', ']', '\\', '`', '<']) {
        return true;
    }
    let link = MarkdownDocument::new("a.md", format!("[{text}](#a)"));
    let inlines = &link.tree().inlines;
    inlines.len() == 1 && inlines[0].kind == InlineKind::Link && inlines[0].span.len() == link.text.len()
}
