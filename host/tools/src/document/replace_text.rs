//! `replace_text`: replaces a text inside of a target. If the text is not found, the error shows the most similar text.

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    nearest::similarity,
    text::{LineBreak, Lines},
};

use super::{
    OpenFile,
    text_pattern::{MatchOptions, Pattern, lines_at_offsets},
};

/// A text or pattern with its replacement.
#[derive(Debug)]
pub(crate) struct TextReplacement {
    what: OldText,
    new: String,
    /// Replace every match; otherwise each span must contain exactly one match.
    all: bool,
}

#[derive(Debug)]
enum OldText {
    /// An exact text.
    Text(String),
    Pattern(Pattern),
}

impl TextReplacement {
    /// Compiles a replacement, which can be applied to any number of files.
    pub(crate) fn new(old: &str, new: &str, all: bool, way: MatchOptions) -> Result<TextReplacement> {
        if old.is_empty() {
            return Err(Error::argument("`old` is empty").hint("give the text to replace"));
        }
        let what =
            if way.is_plain() { OldText::Text(old.to_owned()) } else { OldText::Pattern(Pattern::new(old, way)?) };
        if let OldText::Pattern(pattern) = &what {
            pattern.check(new)?;
        }
        Ok(TextReplacement { what, new: new.to_owned(), all })
    }

    /// Edits in each of the spans. If every match is meant, spans without one stay as they are, as long as another span
    /// has one.
    pub(super) fn edits_in_spans(&self, text: &str, spans: impl Iterator<Item = Span>) -> Result<EditSet> {
        let mut edits = Vec::new();
        let mut missing = None;
        for span in spans {
            let found = match &self.what {
                OldText::Text(old) => {
                    let found = occurrences(text, span, old).into_iter();
                    found.map(|span| Edit { span, text: self.new.clone() }).collect()
                }
                OldText::Pattern(pattern) => pattern.edits(text, span, &self.new)?,
            };
            match found.len() {
                0 if self.all => missing = missing.or(Some(span)),
                0 => return Err(self.not_found(text, span)),
                count if count > 1 && !self.all => return Err(ambiguous_text(text, &found)),
                _ => edits.extend(found),
            }
        }
        match missing.filter(|_| edits.is_empty()) {
            Some(span) => Err(self.not_found(text, span)),
            None => EditSet::new(text, edits),
        }
    }

    fn not_found(&self, text: &str, span: Span) -> Error {
        match &self.what {
            OldText::Text(old) => text_not_found(text, span, old),
            OldText::Pattern(pattern) => pattern.no_match_error(text),
        }
    }
}

/// Names the node that has the old text, if the target does not exist: another edit may have renamed it.
pub(crate) fn suggest_node_with_text(file: &OpenFile, replacing: &TextReplacement, error: Error) -> Error {
    let OldText::Text(old) = &replacing.what else { return error };
    if error.kind() != Kind::TargetNotFound {
        return error;
    }
    let [place] = occurrences(file.text(), Span::new(0, file.text().len()), old)[..] else { return error };
    let Ok(outline) = file.outline() else { return error };
    let around = outline.iter().filter(|node| node.span.contains(place));
    let Some(node) = around.min_by_key(|node| node.span.len()) else { return error };
    let known = error.content().candidates.clone().into_iter().filter(|known| *known != node.address);
    let candidates: Vec<String> = std::iter::once(node.address.clone()).chain(known).collect();
    let hint =
        format!("the text to replace occurs once in the file, in `{}`: the target may have been renamed", node.address);
    error.hint(hint).candidates(candidates)
}

/// Occurrences of the text in a span. The line breaks of the text may differ from those of the file.
fn occurrences(text: &str, span: Span, old: &str) -> Vec<Span> {
    let find = |old: &str| -> Vec<Span> {
        let found = span.slice(text).match_indices(old);
        found.map(|(at, old)| Span::new(span.start + at, span.start + at + old.len())).collect()
    };
    let exact = find(old);
    if !exact.is_empty() || !old.contains('\n') {
        return exact;
    }
    find(&LineBreak::most_frequent(text).convert(old))
}

fn ambiguous_text(text: &str, found: &[Edit]) -> Error {
    let places: Vec<usize> = found.iter().map(|edit| edit.span.start).collect();
    Error::new(Kind::AmbiguousTarget, format!("the text occurs {} times", found.len()))
        .hint("include more of the surrounding text, give a narrower target, or give `all: true` to replace all")
        .candidates(lines_at_offsets(text, &places))
}

/// Maximum number of lines to compare, so that suggestions do not cost more than the edit.
const MAX_COMPARED_LINES: usize = 20_000;
/// Minimum similarity of a suggested line.
const MIN_SIMILARITY: f64 = 0.6;

/// Error for a text that is not found, with the most similar text.
fn text_not_found(text: &str, span: Span, old: &str) -> Error {
    let shown: String = old.trim().lines().next().unwrap_or_default().chars().take(60).collect();
    let wanted: Vec<&str> = old.lines().collect();
    let what = match old.trim().lines().count() {
        0 | 1 => format!("the text `{shown}` was not found"),
        lines => format!("the {lines} lines from `{shown}` on were not found"),
    };
    let error = Error::new(Kind::TargetNotFound, what);
    let there: Vec<&str> = span.slice(text).lines().take(MAX_COMPARED_LINES).collect();
    let Some(first) = most_similar_line(&wanted, &there) else {
        return error.hint("the text must match exactly, white space included; read the target again");
    };
    let last = (first + wanted.len()).min(there.len());
    let line = Lines::new(text).position(span.start).line + first;
    let difference = difference(&wanted, &there[first..last]);
    error
        .hint(format!(
            "the text must match exactly, white space included; the most similar text is on line {line}, with these \
             differences (`-` asked for, `+` in the file):\n{difference}"
        ))
        .candidates([there[first..last].join("\n")])
}

/// The line that is most similar to the first line of the wanted text.
fn most_similar_line(wanted: &[&str], there: &[&str]) -> Option<usize> {
    let (skipped, key) = wanted.iter().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let key = key.trim();
    let score = |line: &str| {
        let line = line.trim();
        // Lines of very different lengths are not similar, and long lines are expensive to compare.
        let (short, long) = (key.len().min(line.len()), key.len().max(line.len()));
        match () {
            () if line == key => 1.0,
            () if short * 2 < long || long > 1_000 => 0.0,
            () => similarity(key, line),
        }
    };
    let best = there.iter().enumerate().map(|(index, line)| (score(line), index));
    let (score, index) = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    (score >= MIN_SIMILARITY).then(|| index.saturating_sub(skipped))
}

fn difference(wanted: &[&str], there: &[&str]) -> String {
    let mut out = String::new();
    for index in 0..wanted.len().max(there.len()).min(40) {
        match (wanted.get(index), there.get(index)) {
            (Some(asked), Some(found)) if asked == found => out += &format!("  {found}\n"),
            (asked, found) => {
                out.extend(asked.map(|line| format!("- {line}\n")));
                out.extend(found.map(|line| format!("+ {line}\n")));
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<String> {
        let whole = std::iter::once(Span::new(0, text.len()));
        let set = TextReplacement::new(old, new, all, MatchOptions::default())?.edits_in_spans(text, whole)?;
        Ok(set.normalized(text, LineBreak::most_frequent(text)).apply(text))
    }

    #[test]
    fn several_matches_need_the_all_flag() {
        assert_eq!(replace("a b", "b", "c", false).as_deref(), Ok("a c"));
        assert_eq!(replace("b b", "b", "c", true).as_deref(), Ok("c c"));
        let error = replace("x b\ny b", "b", "c", false).expect_err("two");
        assert_eq!(error.kind(), Kind::AmbiguousTarget);
        assert_eq!(error.content().candidates, ["line 1: x b", "line 2: y b"]);
        assert_eq!(replace("a", "", "c", false).expect_err("empty").kind(), Kind::InvalidArgument);
    }

    #[test]
    fn text_matches_with_other_line_breaks() {
        assert_eq!(replace("a\r\nb\r\nc", "a\nb", "x\ny", false).as_deref(), Ok("x\r\ny\r\nc"));
    }

    #[test]
    fn missing_text_suggests_the_most_similar_line() {
        let error = replace("fn a() {\n    let x = 1;\n}\n", "let x = 2;", "", false).expect_err("no such text");
        assert_eq!(error.content().candidates, ["    let x = 1;"]);
        let hint = error.content().hint.clone().unwrap_or_default();
        assert!(hint.contains("line 2") && hint.contains("- let x = 2;\n+     let x = 1;"), "{hint}");
        let far = replace("a\nb\n", "something else", "", false).expect_err("no such text");
        assert!(far.content().candidates.is_empty());
    }
}
