//! Formats matches, each with the address of the node around it.

use marquetry_graph::{OutlineNode, Outlines, parallel_map};
use marquetry_model::{Error, Kind, Result, Span, limits, pack::TargetKind, text::Lines};

use super::{
    Match,
    arguments::SearchQuery,
    file_search::{FileSearch, Hit, PreparedSubject},
};
use crate::{pagination::ByteBudget, result_types::range_of, session::Session, target::default_kind};

/// Context for showing matches.
pub(super) struct MatchPages<'a> {
    pub(super) session: &'a Session,
    pub(super) look: &'a FileSearch<'a>,
    pub(super) asked: &'a SearchQuery,
    /// Outlines cached from earlier searches.
    pub(super) outlines: &'a Outlines,
    /// The pack that computed the addresses.
    pub(super) engine: &'a mut String,
}

/// A page of matches.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) matches: Vec<Match>,
    /// A file that has changed after its matches were counted.
    pub(super) changed: Option<String>,
}

/// Maximum length of a line and of a capture in characters.
const MAX_LINE_CHARS: usize = 200;
const MAX_CAPTURE_CHARS: usize = 300;

/// Number of files that are opened in parallel. It is sufficient for all cores, but small, because the answer may soon
/// be full.
const BATCH_SIZE: usize = 32;

/// The matches to show from one file.
struct FilePart<'f> {
    path: &'f str,
    skip: usize,
    most: usize,
}

/// Matches of a file, and the pack that computed the addresses.
type FileMatches = (Vec<Match>, Option<String>);

impl MatchPages<'_> {
    /// Returns at most `most` matches from `skip` on, within the size limit.
    pub(super) fn page(
        self,
        found: &[(String, usize)],
        (skip, most): (usize, usize),
        room: &mut ByteBudget,
    ) -> Result<Shown> {
        let mut shown = Shown::default();
        for batch in parts(found, skip, most).chunks(BATCH_SIZE) {
            self.session.work.check()?;
            let read = parallel_map(batch, |part| self.file(part));
            for (part, read) in batch.iter().zip(read) {
                let (list, engine) = match read {
                    Ok(read) => read,
                    Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                    Err(error) => {
                        shown.changed.get_or_insert(format!("{} could not be read again: {error}", part.path));
                        continue;
                    }
                };
                if list.len() < part.most {
                    shown.changed.get_or_insert(format!("{} changed while it was searched", part.path));
                }
                if let Some(engine) = engine {
                    *self.engine = engine;
                }
                for item in list {
                    if !room.take_item(&item) && !shown.matches.is_empty() {
                        return Ok(shown);
                    }
                    shown.matches.push(item);
                }
            }
        }
        Ok(shown)
    }

    fn file(&self, part: &FilePart<'_>) -> Result<FileMatches> {
        let FilePart { path, skip, most } = *part;
        let file = match self.look.open(path) {
            Ok(file) => file,
            Err(error) => return Ok((self.without_pack(part, error)?, None)),
        };
        let (hits, _) = self.look.hits(&file, skip, most)?;
        let lines = Lines::new(file.text());
        // If the pack cannot read the file, line addresses are used.
        let is_needed = hits.iter().any(|hit| hit.place.is_none());
        let outline = if is_needed { self.outlines.outline(&file.source, || file.outline()).ok() } else { None };
        let outline = outline.unwrap_or_default();
        let engine = (!outline.is_empty()).then(|| file.engine().to_owned());
        let kind = default_kind(file.description());
        let within = SearchedFile { path, text: file.text(), lines: &lines, outline: &outline, kind };
        Ok((hits.into_iter().map(|hit| self.shown(&within, hit)).collect(), engine))
    }

    /// Returns the text matches of a file whose pack failed, with line addresses.
    fn without_pack(&self, part: &FilePart<'_>, error: Error) -> Result<Vec<Match>> {
        let FilePart { path, skip, most } = *part;
        let PreparedSubject::Words { search, .. } = &self.look.subject else { return Err(error) };
        if self.asked.region.is_some() || error.kind() == Kind::Cancelled {
            return Err(error);
        }
        let text = self.session.files.text(path)?;
        let lines = Lines::new(&text);
        let within = SearchedFile { path, text: &text, lines: &lines, outline: &[], kind: TargetKind::Lines };
        let hits = search.spans(&text, skip, most)?.into_iter();
        Ok(hits.map(|span| self.shown(&within, Hit { span, captures: Vec::new(), place: None })).collect())
    }

    fn shown(&self, within: &SearchedFile<'_>, hit: Hit) -> Match {
        let SearchedFile { path, text, lines, .. } = *within;
        let place = range_of(lines, hit.span);
        let line = |number: usize| lines.line(number).map(|span| clipped(span.slice(text), MAX_LINE_CHARS));
        let context = self.asked.context;
        let last = lines.position(hit.span.end.saturating_sub(1).max(hit.span.start)).line;
        let (address, target, kind) = hit.place.clone().map_or_else(
            || enclosing_node(within, hit.span, (place.start.line, last)),
            |(address, target, kind)| (address, target, Some(kind)),
        );
        let captures = match &self.look.subject {
            PreparedSubject::Words { search, .. } => search.groups(text, hit.span),
            _ => hit.captures.iter().map(|(name, span)| (name.clone(), span.slice(text).to_owned())).collect(),
        };
        Match {
            path: path.to_owned(),
            address,
            target: target.name(),
            kind,
            range: place,
            preview: preview(text, lines, hit.span),
            before: (place.start.line.saturating_sub(context).max(1)..place.start.line).filter_map(line).collect(),
            after: (last + 1..=last + context).filter_map(line).collect(),
            captures: captures.into_iter().map(|(name, value)| (name, clipped(&value, MAX_CAPTURE_CHARS))).collect(),
        }
    }
}

/// Selects the files with the matches from `skip` on, at most `most`.
fn parts(found: &[(String, usize)], mut skip: usize, mut most: usize) -> Vec<FilePart<'_>> {
    let mut parts = Vec::new();
    for (path, count) in found {
        let wanted = count.saturating_sub(skip).min(most);
        if wanted > 0 {
            parts.push(FilePart { path, skip, most: wanted });
        }
        skip = skip.saturating_sub(*count);
        most -= wanted;
    }
    parts
}

/// A file whose matches are shown.
struct SearchedFile<'f> {
    path: &'f str,
    text: &'f str,
    lines: &'f Lines<'f>,
    outline: &'f [OutlineNode],
    /// Kind of target for addresses in the file.
    kind: TargetKind,
}

/// Returns the innermost node around a match, or its lines if there is none.
fn enclosing_node(
    within: &SearchedFile<'_>,
    span: Span,
    (first, last): (usize, usize),
) -> (String, TargetKind, Option<String>) {
    let holds = |node: &OutlineNode| node.span().contains(span) && !node.span().is_empty();
    // Among nodes with the same span, the innermost node comes last in the outline.
    let inner = within.outline.iter().enumerate().filter(|(_, node)| holds(node));
    let innermost = inner.min_by_key(|(index, node)| (node.span().len(), std::cmp::Reverse(*index)));
    // In an outline that may be incomplete, the innermost node may be missing. Then the node around it must begin on the
    // line of the match.
    let is_certain = |node: &OutlineNode| {
        within.outline.len() < limits::COMPLETE_OUTLINE || within.lines.position(node.span().start).line == first
    };
    match innermost.filter(|(_, node)| is_certain(node)) {
        Some((_, node)) => (node.address.clone(), within.kind, Some(node.kind.clone())),
        None if first == last => (first.to_string(), TargetKind::Lines, None),
        None => (format!("{first}-{last}"), TargetKind::Lines, None),
    }
}

/// The first line of a match. For a long line, only the part around the match.
fn preview(text: &str, lines: &Lines<'_>, span: Span) -> String {
    let Some(line) = lines.line(lines.position(span.start).line) else { return String::new() };
    let all = line.slice(text);
    if all.chars().count() <= MAX_LINE_CHARS {
        return all.to_owned();
    }
    let at = (span.start - line.start).saturating_sub(MAX_LINE_CHARS / 4);
    let at = (0..=at).rev().find(|at| all.is_char_boundary(*at)).unwrap_or(0);
    let start = if at > 0 { "…" } else { "" };
    format!("{start}{}", clipped(&all[at..], MAX_LINE_CHARS))
}

fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Describes which matches were omitted, and how to get them.
pub(super) fn omitted_matches(offset: usize, shown: usize, total: usize) -> Option<String> {
    let next = offset + shown;
    if (offset == 0 && next >= total) || shown == 0 {
        return None;
    }
    let now = format!("{} to {next} of {total}", offset + 1);
    Some(if next < total { format!("{now}; give `offset: {next}` for the next") } else { now })
}
