//! `promote` and `demote`: move a heading one level up or down, together with the headings in its section.

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Edit, Result, Rewrite, lines, span::apply};

use crate::blocks::{Heading, Kind};
use crate::create::MAX_LEVEL;
use crate::document::MarkdownDocument;

pub(super) const PROMOTE: Refactoring<MarkdownDocument> = Refactoring {
    id: "promote",
    title: "Move a heading and its subheadings one level up",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply: |document, input| shift_level(document, input, -1),
};

pub(super) const DEMOTE: Refactoring<MarkdownDocument> = Refactoring {
    id: "demote",
    title: "Move a heading and its subheadings one level down",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply: |document, input| shift_level(document, input, 1),
};

fn shift_level(document: &MarkdownDocument, input: &RefactorInput, by: i8) -> Result<Rewrite> {
    let tree = document.tree();
    let Some(first) = section_at(document, input.at.caret as usize) else {
        return Err(refactor_failure("this position is not in the section of a heading")
            .hint("give a heading, or a position in its section"));
    };
    let container = document.container(first.block);
    let end = document.block(first.block).end;
    let is_inside = |heading: &&Heading| {
        (first.block..end).contains(&heading.block) && document.container(heading.block) == container
    };
    let moved: Vec<&Heading> = tree.headings.iter().filter(is_inside).collect();
    let out = moved.iter().find(|heading| !(1..=MAX_LEVEL).contains(&heading.level.saturating_add_signed(by)));
    if let Some(heading) = out {
        let (level, name) = (heading.level, tree.name(heading));
        let beyond = if by < 0 { "there is no higher level" } else { "there is no lower level" };
        let failure = refactor_failure(format!("`{name}` is a heading of level {level}: {beyond}"));
        return Err(if heading.block == first.block {
            failure.hint("choose another heading")
        } else {
            failure.hint("it is in the section: change its level first, or choose a heading that does not contain it")
        });
    }
    let mut edits = Vec::new();
    for heading in &moved {
        write_at_level(document, heading, heading.level.saturating_add_signed(by), &mut edits)?;
    }
    let is_moved = |heading: &Heading| (first.block..end).contains(&heading.block) && is_inside(&heading);
    let level = |heading: &Heading| heading.level.saturating_add_signed(if is_moved(heading) { by } else { 0 });
    let expected = tree.headings.iter().map(|heading| (level(heading), tree.name(heading)));
    let after = document.with_text(apply(&document.text, &edits));
    let new = after.tree();
    if !new.headings.iter().map(|heading| (heading.level, new.name(heading))).eq(expected) {
        return Err(refactor_failure("the headings would be parsed differently at the new level")
            .hint("write the heading with `#` first, as one line"));
    }
    Ok(edits.into())
}

/// Returns the innermost heading whose section contains the caret, including the line of the heading.
fn section_at(document: &MarkdownDocument, caret: usize) -> Option<&Heading> {
    let line_end = lines::line_end(&document.text, caret);
    let holds = |heading: &&Heading| {
        let block = document.block(heading.block);
        block.span.range().start <= line_end
            && (caret <= block.span.range().end || document.container(heading.block) == crate::blocks::NONE)
    };
    let found = document.tree().headings.iter().rev().find(holds)?;
    debug_assert!(document.block(found.block).kind == Kind::Heading);
    Some(found)
}

/// Writes a heading at another level. Its style is kept if the style has such a level.
fn write_at_level(document: &MarkdownDocument, heading: &Heading, level: u8, edits: &mut Vec<Edit>) -> Result<()> {
    let (start, end) = (document.block(heading.block).span.range().start, heading.line_end as usize);
    let source = &document.text[start..end];
    let Some(last) = source.rfind(['\n', '\r']) else {
        return write_marks(source, start, (heading.level, level), edits);
    };
    let underline = start + last + 1;
    if level <= 2 {
        let (old, new) = if level == 1 { ('-', "=") } else { ('=', "-") };
        let line = &document.text[underline..end];
        let Some(from) = line.find(old).map(|at| underline + at) else { return Ok(()) };
        edits.push(Edit::new(from..end, new.repeat(end - from)));
        return Ok(());
    }
    let text = join_lines(&document.text[start..underline])?;
    edits.push(Edit::new(start..end, format!("{} {text}", "#".repeat(usize::from(level)))));
    Ok(())
}

/// Changes the number of `#` before the text. The closing `#` are changed, too, if their number is the same.
fn write_marks(source: &str, start: usize, (old, new): (u8, u8), edits: &mut Vec<Edit>) -> Result<()> {
    let text = source.trim_end_matches('#');
    let closing = start + text.len();
    let closes = text.trim_start_matches('#').ends_with([' ', '\t']) && source.len() - text.len() == usize::from(old);
    let mut mark = |at: usize| {
        edits.push(if new > old { Edit::insert(at, "#") } else { Edit::remove(at..at + 1) });
    };
    mark(start);
    if closes {
        mark(closing);
    }
    Ok(())
}

/// Returns the text of an underlined heading, joined to one line.
fn join_lines(text: &str) -> Result<String> {
    let parts: Vec<&str> = text.lines().map(|line| line.trim_start_matches([' ', '\t', '>'])).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    let breaks = |part: &&str| part.ends_with("  ") || part.ends_with('\\');
    if parts.iter().take(parts.len().saturating_sub(1)).any(breaks) {
        return Err(refactor_failure("the heading has a line break, which a heading below level 2 cannot have")
            .hint("write the heading as one line first"));
    }
    let text = parts.iter().map(|part| part.trim()).collect::<Vec<_>>().join(" ");
    // A `#` at the end of the text would be parsed as a closing mark.
    let plain = text.trim_end_matches('#');
    let is_closing = plain.len() < text.len() && (plain.is_empty() || plain.ends_with([' ', '\t']));
    Ok(if is_closing { format!("{plain}\\{}", &text[plain.len()..]) } else { text })
}
