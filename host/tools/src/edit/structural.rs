//! Structural replacement: finds code that matches a pattern, and fills its captures into a replacement.

use marquetry_model::{
    Edit, EditSet, Error, Interface, Kind, Result, Span, limits, structural_search::StructureMatch, text::Lines,
};

use super::OneEdit;
use crate::{document::OpenFile, result_types::pluralized, session::Session};

/// A parsed replacement.
pub(super) struct StructuralEdit {
    pattern: String,
    pieces: Vec<Piece>,
    all: bool,
}

/// A part of the replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// Name of a metavariable; true if it captures a list, which may be empty.
    Metavariable(String, bool),
}

/// Maximum number of matches per file.
const MAX_MATCHES: usize = 100_000;
/// Maximum number of candidates for an ambiguous match, and of places in a message.
const MAX_SHOWN: usize = 10;

impl StructuralEdit {
    /// Parses the replacement of an edit, if it has one.
    pub(super) fn parse(one: &OneEdit) -> Result<Option<StructuralEdit>> {
        let (pattern, replacement) = match (&one.pattern, &one.replacement) {
            (None, None) => return Ok(None),
            (Some(pattern), Some(replacement)) => (pattern, replacement),
            (Some(_), None) => {
                return Err(Error::argument("`replacement` is missing")
                    .hint("give the new code, with the metavariables of `pattern`; an empty one deletes the matches"));
            }
            (None, Some(_)) => {
                return Err(Error::argument("`pattern` is missing").hint("`replacement` needs a `pattern`"));
            }
        };
        if one.operation.is_some() || one.content.is_some() || one.old.is_some() {
            return Err(Error::argument("`pattern` and an operation exclude each other")
                .hint("leave out `operation`, `content` and `old`: `replacement` replaces each match"));
        }
        if pattern.len().max(replacement.len()) > limits::PATTERN_BYTES {
            let message = format!("a pattern and its replacement have at most {} bytes each", limits::PATTERN_BYTES);
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        Ok(Some(StructuralEdit { pattern: pattern.clone(), pieces: split_replacement(replacement), all: one.all }))
    }

    /// Edits of a file, limited to the given spans if there are any.
    pub(super) fn edits(
        &self,
        session: &Session,
        file: &OpenFile,
        within: Option<&[Span]>,
        force: bool,
    ) -> Result<EditSet> {
        let text = file.text();
        self.check_metavariables(session, file)?;
        let found = file.ask(|document| document.structural_matches(&self.pattern, MAX_MATCHES))?;
        if found.total > found.matches.len() {
            let message = format!("{} has {} matches: at most {MAX_MATCHES} are replaced", file.path(), found.total);
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        let is_inside =
            |found: &StructureMatch| within.is_none_or(|spans| spans.iter().any(|span| span.contains(found.span)));
        let (mut outer, mut inner, mut end) = (Vec::new(), 0, 0);
        for found in found.matches.into_iter().filter(is_inside) {
            if found.span.start >= end {
                end = found.span.end;
                outer.push(found);
            } else {
                inner += 1;
            }
        }
        if outer.is_empty() {
            return Err(self.no_match(file));
        }
        if outer.len() > 1 && !self.all {
            return Err(self.ambiguous_match(file, &outer));
        }
        let (lossy, whole): (Vec<StructureMatch>, Vec<StructureMatch>) =
            outer.into_iter().partition(|found| !force && !found.unmatched.is_empty());
        if let Some(first) = lossy.first() {
            let summary = lost_code(file, &lossy, first);
            if whole.is_empty() {
                return Err(Error::argument(summary).hint(LOST_HINT));
            }
            session.work.add_note(format!("{summary}; not changed: {LOST_HINT}"));
        }
        if inner > 0 {
            let summary = format!("{} in {} inside other matches", crate::query::match_count_text(inner), file.path());
            session.work.add_note(format!(
                "{summary}: only the outermost are replaced at once; repeat the call for the others"
            ));
        }
        let edit = |found: &StructureMatch| Edit { span: found.span, text: self.text(text, found) };
        EditSet::new(text, whole.iter().map(edit).collect())
    }

    /// Checks that the replacement uses only metavariables of the pattern, and that the file supports structural
    /// search.
    fn check_metavariables(&self, session: &Session, file: &OpenFile) -> Result<()> {
        if !file.has(Interface::Search) {
            let name = &file.description().name;
            return Err(Error::new(Kind::Unsupported, format!("{name} files do not support structural search")).hint(
                "use a target, with `all: true` if it matches several (`path: \"$..name\"`, `heading`); \
                     `replace_text` replaces texts and regular expressions in any file",
            ));
        }
        let pack = session.packs.for_path(&session.files, file.path())?;
        let help = pack.parse_pattern(file.path(), &self.pattern)?;
        for piece in &self.pieces {
            if let Piece::Metavariable(name, _) = piece
                && !help.captures.contains(name)
            {
                let metavariables = help.captures.iter().map(|name| format!("${name}"));
                return Err(Error::argument(format!("the pattern has no metavariable `${name}`"))
                    .hint("the replacement can use the named metavariables of the pattern: letters A to Z, digits, `_`")
                    .candidates(metavariables));
            }
        }
        let text = file.text().as_bytes();
        if help.required_words.iter().all(|word| memchr::memmem::find(text, word.as_bytes()).is_some()) {
            return Ok(());
        }
        Err(self.no_match(file))
    }

    fn no_match(&self, file: &OpenFile) -> Error {
        Error::new(Kind::TargetNotFound, format!("no match in {} for `{}`", file.path(), self.pattern))
            .hint("`query` with `type: \"search\"` and the same `pattern` finds matches in other files")
    }

    fn ambiguous_match(&self, file: &OpenFile, found: &[StructureMatch]) -> Error {
        let lines = Lines::new(file.text());
        let place = |found: &StructureMatch| {
            let line = lines.position(found.span.start).line;
            let shown = found.span.slice(file.text()).lines().next().unwrap_or_default();
            format!("line {line}: {}", shown.chars().take(100).collect::<String>())
        };
        let message = format!("`{}` matches {} places of {}", self.pattern, found.len(), file.path());
        Error::new(Kind::AmbiguousTarget, message)
            .hint("give `all: true` to replace every one, or a target around the intended one, such as `lines`")
            .candidates(found.iter().take(MAX_SHOWN).map(place))
    }

    /// The text that replaces a match. Captures are inserted unchanged. Lines of the replacement get the indentation of
    /// the match's first line.
    fn text(&self, text: &str, found: &StructureMatch) -> String {
        let line = &text[text[..found.span.start].rfind('\n').map_or(0, |at| at + 1)..];
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let mut out = String::new();
        let mut skips_separator = false;
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => {
                    let piece = if skips_separator { without_separator(piece) } else { piece };
                    out += &piece.replace('\n', &format!("\n{indent}"));
                    skips_separator = false;
                }
                Piece::Metavariable(name, many) => {
                    let span = found.captures.iter().find(|(known, _)| known == name).map(|(_, span)| *span);
                    let value = span.map_or("", |span| span.slice(text));
                    if value.is_empty() && *many {
                        // An empty list needs no separator.
                        let bare = out.trim_end();
                        match bare.strip_suffix(',') {
                            Some(before) => out.truncate(before.len()),
                            None => skips_separator = true,
                        }
                    }
                    out += value;
                }
            }
        }
        out
    }
}

const LOST_HINT: &str = "add it to `pattern` and `replacement`, or give `force: true` to drop it";

/// Describes the code that a replacement would remove, with the position of the first match.
fn lost_code(file: &OpenFile, lossy: &[StructureMatch], first: &StructureMatch) -> String {
    let parts: Vec<&str> = first.unmatched.iter().map(|part| part.slice(file.text())).collect();
    let line = Lines::new(file.text()).position(first.span.start).line;
    let places = pluralized(lossy.len(), "place");
    let shown: String = parts.join(" ").chars().take(100).collect();
    format!(
        "code that the pattern does not mention would be lost in {places} of {}, on line {line} `{shown}`",
        file.path()
    )
}

fn without_separator(text: &str) -> &str {
    text.trim_start().strip_prefix(',').map_or(text, str::trim_start)
}

/// Splits a replacement into its parts.
fn split_replacement(replacement: &str) -> Vec<Piece> {
    let (mut pieces, mut text, mut rest) = (Vec::new(), String::new(), replacement);
    while let Some(at) = rest.find('$') {
        text += &rest[..at];
        rest = &rest[at..];
        let many = rest.starts_with("$$$");
        let after = &rest[if many { 3 } else { 1 }..];
        let part = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        let name = &after[..after.bytes().take_while(|b| part(*b)).count()];
        let next = after[name.len()..].chars().next();
        let is_name = name.starts_with(|first: char| first.is_ascii_uppercase())
            && !next.is_some_and(|next| next.is_alphanumeric() || next == '$');
        if is_name {
            pieces.extend((!text.is_empty()).then(|| Piece::Text(std::mem::take(&mut text))));
            pieces.push(Piece::Metavariable(name.to_owned(), many));
            rest = &after[name.len()..];
        } else {
            text += &rest[..1];
            rest = &rest[1..];
        }
    }
    text += rest;
    pieces.extend((!text.is_empty()).then_some(Piece::Text(text)));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace_in(replacement: &str, text: &str, span: (usize, usize), captures: &[(&str, usize, usize)]) -> String {
        let restructuring =
            StructuralEdit { pattern: String::new(), pieces: split_replacement(replacement), all: true };
        let captures =
            captures.iter().map(|(name, start, end)| ((*name).to_owned(), Span::new(*start, *end))).collect();
        let found = StructureMatch { span: Span::new(span.0, span.1), captures, unmatched: Vec::new() };
        restructuring.text(text, &found)
    }

    #[test]
    fn metavariables_are_filled_and_other_dollars_stay() {
        assert_eq!(
            replace_in("bar($A, $$$R, $5, $a, $$)", "foo(1, 2, 3)", (0, 12), &[("A", 4, 5), ("R", 7, 11)]),
            "bar(1, 2, 3, $5, $a, $$)"
        );
        assert_eq!(
            split_replacement("$A$B"),
            [Piece::Text("$A".to_owned()), Piece::Metavariable("B".to_owned(), false)]
        );
        assert_eq!(
            split_replacement("$A.$B;"),
            [
                Piece::Metavariable("A".to_owned(), false),
                Piece::Text(".".to_owned()),
                Piece::Metavariable("B".to_owned(), false),
                Piece::Text(";".to_owned()),
            ]
        );
    }

    #[test]
    fn empty_capture_drops_its_separator() {
        assert_eq!(replace_in("f($A, $$$R)", "g(1)", (0, 4), &[("A", 2, 3), ("R", 3, 3)]), "f(1)");
        assert_eq!(replace_in("f($$$R, $A)", "g(1)", (0, 4), &[("A", 2, 3), ("R", 2, 2)]), "f(1)");
        assert_eq!(replace_in("f($$$R)", "g()", (0, 3), &[("R", 2, 2)]), "f()");
        assert_eq!(replace_in("f($$$R, $$$S)", "g()", (0, 3), &[("R", 2, 2), ("S", 2, 2)]), "f()");
    }

    #[test]
    fn replacement_lines_are_indented_like_the_match() {
        assert_eq!(replace_in("{\n  $A\n}", "  x\n", (2, 3), &[("A", 2, 3)]), "{\n    x\n  }");
    }
}
