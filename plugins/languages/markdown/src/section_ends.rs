//! Ends of sections. A section extends to the next heading of its level. It does not include text at its end that
//! belongs to its surroundings: closing tags and markers whose opening is outside of the section, and definitions that
//! other sections use.

use std::collections::HashMap;

use crate::blocks::{Kind, Tree, collapse_space};
use crate::insertion::count_breaks;
use crate::link_definitions;
use crate::markers::{Matcher, begins_with_line_marker};

/// Range of the tags and markers that match those in a block.
#[derive(Debug, Clone, Copy)]
struct PairRange {
    first: u32,
    last: u32,
}

/// Offsets of the first and the last use of each label.
type LabelUses = HashMap<String, (usize, usize)>;

/// Moves blocks that do not belong to a section into the enclosing section or container.
pub(crate) fn end_sections(tree: &mut Tree, text: &str) {
    if tree.headings.is_empty() {
        return;
    }
    let reaches = pair_ranges(tree, text);
    let mut uses = None;
    // Inner sections come first, because a block that is moved out of a section is checked again in the enclosing
    // section.
    for index in (0..tree.headings.len()).rev() {
        let section = tree.headings[index].block;
        let children: Vec<u32> = tree.children(section).collect();
        let start = tree.blocks[section as usize].span.start;
        let end =
            tree.blocks.get(tree.blocks[section as usize].end as usize).map_or(text.len() as u32, |b| b.span.start);
        let crosses = |child: &u32| reaches.get(child).is_some_and(|reach| reach.first < start || reach.last >= end);
        let own = children.iter().rposition(|child| tree.heading(*child).is_some()).map_or(0, |last| last + 1);
        let mut cut = children[own..].iter().position(crosses).map_or(children.len(), |at| own + at);
        let first = definitions_start(tree, text, &children[..cut]);
        if first < cut {
            let uses = uses.get_or_insert_with(|| label_uses(tree, text));
            let is_used = |child: &u32| is_used_outside(tree, text, *child, uses, start as usize..end as usize);
            if children[first..cut].iter().any(is_used) {
                cut = first;
            }
        }
        if let Some(first) = children.get(cut) {
            let parent = tree.blocks[section as usize].parent;
            for child in &children[cut..] {
                tree.blocks[*child as usize].parent = parent;
            }
            tree.blocks[section as usize].end = *first;
        }
    }
}

/// Returns the index of the first block of the definitions at the end. These are definitions of links, footnotes and
/// abbreviations, and comments directly above them.
pub(crate) fn definitions_start(tree: &Tree, text: &str, blocks: &[u32]) -> usize {
    let is_definition = |block: u32| match tree.blocks[block as usize].kind {
        Kind::Definition | Kind::Footnote => true,
        Kind::Paragraph => is_abbreviation_list(tree.blocks[block as usize].span.slice(text)),
        _ => false,
    };
    let mut start = blocks.len();
    while let Some(block) = start.checked_sub(1).map(|above| blocks[above]) {
        let span = tree.blocks[block as usize].span;
        let is_comment = start < blocks.len()
            && tree.blocks[block as usize].kind == Kind::Html
            && span.slice(text).starts_with("<!--")
            && count_breaks(text, span.range().end..tree.blocks[blocks[start] as usize].span.range().start) < 2;
        if !is_definition(block) && !is_comment {
            break;
        }
        start -= 1;
    }
    start
}

/// Returns whether each line is an abbreviation, `*[label]: meaning`. Several tools support this extension of Markdown.
fn is_abbreviation_list(source: &str) -> bool {
    source.lines().all(|line| line.starts_with("*[") && line.contains("]:"))
}

/// Returns the label that a block defines.
pub(crate) fn defined_label(tree: &Tree, text: &str, block: u32) -> Option<String> {
    let start = tree.blocks[block as usize].span.range().start;
    matches!(tree.blocks[block as usize].kind, Kind::Definition | Kind::Footnote).then_some(())?;
    let end = link_definitions::label_end(text, start, text.len())?;
    Some(normalize_label(&text[start + 1..end - 1]))
}

fn normalize_label(label: &str) -> String {
    collapse_space(label).to_lowercase()
}

/// Returns the uses of defined labels outside of definitions. Code counts as well, so that in doubt a definition counts
/// as used.
fn label_uses(tree: &Tree, text: &str) -> LabelUses {
    let defined = (0..tree.blocks.len() as u32).filter_map(|block| defined_label(tree, text, block));
    let mut uses: LabelUses = defined.map(|label| (label, (usize::MAX, 0))).collect();
    for (start, label) in used_labels(text) {
        if let Some((first, last)) = uses.get_mut(&label) {
            *first = start.min(*first);
            *last = start.max(*last);
        }
    }
    uses
}

/// Returns whether a label is used outside of definitions.
pub(crate) fn is_label_used(text: &str, label: &str) -> bool {
    used_labels(text).any(|(_, used)| used == label)
}

/// Returns texts in brackets that could refer to a definition, with the offset of the bracket.
fn used_labels(text: &str) -> impl Iterator<Item = (usize, String)> {
    memchr::memchr_iter(b'[', text.as_bytes()).filter_map(move |start| {
        let end = link_definitions::label_end(text, start, text.len())?;
        let before = || text[..start].trim_end_matches([' ', '\t', '>']);
        let defines = text[end..].starts_with(':') && (before().is_empty() || before().ends_with(['\n', '\r']));
        (!defines).then(|| (start, normalize_label(&text[start + 1..end - 1])))
    })
}

fn is_used_outside(tree: &Tree, text: &str, block: u32, uses: &LabelUses, section: std::ops::Range<usize>) -> bool {
    match defined_label(tree, text, block) {
        Some(label) => uses.get(&label).is_some_and(|(first, last)| *first < section.start || *last >= section.end),
        // Abbreviations apply to the whole document.
        None => tree.blocks[block as usize].kind == Kind::Paragraph,
    }
}

/// Returns, for each block, the range of the tags and markers that match those in the block. Stores the pairs in the
/// tree.
fn pair_ranges(tree: &mut Tree, text: &str) -> HashMap<u32, PairRange> {
    let is_piece = |block: &&crate::blocks::Block| matches!(block.kind, Kind::Html | Kind::Paragraph);
    let blocks = tree.blocks.iter().filter(is_piece).map(|block| (block.span, block.kind == Kind::Html));
    let inlines = tree.inlines.iter().filter(|inline| inline.kind == crate::blocks::InlineKind::Html);
    let mut pieces: Vec<(marquetry_sdk::Span, bool)> =
        blocks.chain(inlines.map(|inline| (inline.span, true))).collect();
    pieces.sort_by_key(|(span, _)| span.start);
    let mut matcher = Matcher::default();
    for (span, is_html) in pieces {
        match is_html {
            true => matcher.match_html(span.slice(text), span.range().start),
            false => matcher.match_lines(span.slice(text), span.range().start),
        }
    }
    let mut found: HashMap<u32, PairRange> = HashMap::new();
    let mut add = |at: u32, other: u32| {
        let Some(block) = tree.blocks.partition_point(|block| block.span.start <= at).checked_sub(1) else { return };
        let reach = found.entry(block as u32).or_insert(PairRange { first: other, last: other });
        reach.first = other.min(reach.first);
        reach.last = other.max(reach.last);
    };
    for pair in &matcher.pairs {
        add(pair.open, pair.close);
        add(pair.close, pair.open);
    }
    let is_html = |block: u32| {
        let block = tree.blocks[block as usize];
        let source = block.span.slice(text);
        block.kind == Kind::Html
            || block.kind == Kind::Paragraph && (source.starts_with('<') || begins_with_line_marker(source))
    };
    found.retain(|block, _| is_html(*block));
    tree.tag_pairs = matcher.pairs;
    found
}
