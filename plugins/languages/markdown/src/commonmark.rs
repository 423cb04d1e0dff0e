//! Reads blocks of CommonMark with GitHub's extensions, using `pulldown-cmark`.
//!
//! The parser keeps a tree of the text that it parses. To save memory, a long text is parsed in parts. A part ends at a
//! position where no earlier block can continue: before a top-level block that follows a blank line. A link may be
//! defined in any part, so the definitions of all labels are parsed again at the start of every part.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::blocks::{Builder, Tree};
use crate::piece::{Piece, pieces};
use crate::reader::Reader;

pieces!(pulldown_cmark, Tag::List(Some(_)),);

/// Length of a part. The parser's tree takes about twenty bytes for each byte of the text.
const PART_LENGTH: usize = 1 << 17;

fn parser_options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Reads the text from this offset on.
pub(crate) fn read(builder: Builder<'_>, from: usize) -> Tree {
    read_in_parts(builder, from, PART_LENGTH)
}

/// An event or a label that the parser reports.
enum Step<'e> {
    Event(&'e Event<'e>, Range<usize>),
    /// The label of a link reference definition.
    Label(&'e str),
}

fn read_in_parts(builder: Builder<'_>, from: usize, length: usize) -> Tree {
    let text = builder.text;
    let labels = if text.len() - from > length { label_definitions(text, from, length) } else { String::new() };
    let mut reader = Reader::new(builder);
    // The labels are parsed with every part, so a part should be longer than the labels.
    visit_parts(text, from, length.max(labels.len() * 4), &labels, &mut |step| {
        if let Step::Event(event, range) = step {
            reader.read_event(piece(event), range);
        }
    });
    reader.finish()
}

/// Returns a text that is parsed before each part. It defines all footnotes and link labels.
fn label_definitions(text: &str, from: usize, length: usize) -> String {
    if memchr::memmem::find(&text.as_bytes()[from..], b"]:").is_none() {
        return String::new();
    }
    let (mut notes, mut links) = (BTreeSet::new(), BTreeSet::new());
    visit_parts(text, from, length, "", &mut |step| {
        match step {
            Step::Event(Event::Start(Tag::FootnoteDefinition(label)), _) => notes.insert(format!("[^{label}]: x\n\n")),
            Step::Label(label) => links.insert(link_definition(label)),
            Step::Event(..) => false,
        };
    });
    if notes.is_empty() && links.is_empty() {
        return String::new();
    }
    // The thematic break ends any block that is still open.
    notes.into_iter().chain(links).chain(["\n***\n\n".to_owned()]).collect()
}

/// Returns a definition of a link label, or an empty text if no reference can use the label.
fn link_definition(label: &str) -> String {
    match label.strip_prefix('^').filter(|rest| !rest.is_empty()).map(|rest| rest.split_once(' ')) {
        None => format!("[{label}]: x\n"),
        // A label that looks like a footnote is a link only if it continues on the next line.
        Some(Some((first, second))) => format!("[^{first}\n    {second}]: x\n"),
        Some(None) => String::new(),
    }
}

/// Visits the steps of the text, part by part.
fn visit_parts(text: &str, from: usize, length: usize, labels: &str, take: &mut dyn FnMut(Step<'_>)) {
    let (mut start, mut longer) = (from, length);
    while start < text.len() {
        let rest = text.as_bytes()[start..].get(longer..);
        let end = rest.and_then(|rest| memchr::memchr(b'\n', rest)).map_or(text.len(), |at| start + longer + at + 1);
        let next = visit_part(text, start..end, labels, take);
        if end == text.len() {
            return;
        }
        // If the part contains no position where it can end, a block is longer than the part. Try again with a longer
        // part.
        (start, longer) = if next > start { (next, length) } else { (start, (longer + 1).saturating_mul(2)) };
    }
}

/// Visits the steps of a part up to the last position where the part can end, and returns this position.
fn visit_part(text: &str, range: Range<usize>, labels: &str, take: &mut dyn FnMut(Step<'_>)) -> usize {
    let own = &text[range.clone()];
    let source = if labels.is_empty() { Cow::Borrowed(own) } else { Cow::Owned(format!("{labels}{own}")) };
    let in_text = |at: usize| at - labels.len() + range.start;
    let mut steps = Parser::new_ext(&source, parser_options()).into_offset_iter();
    let mut waiting: Vec<(Event<'_>, Range<usize>)> = Vec::new();
    let mut depth = 0_usize;
    for (event, place) in steps.by_ref().filter(|(_, place)| place.start >= labels.len()) {
        let place = in_text(place.start)..in_text(place.end);
        if depth == 0 && starts_new_block(text, place.start) {
            waiting.drain(..).for_each(|(event, place)| take(Step::Event(&event, place)));
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        waiting.push((event, place));
    }
    let is_last = range.end == text.len();
    let end = match waiting.first() {
        _ if is_last => text.len(),
        Some((_, place)) if starts_new_block(text, place.start) => line_start(text, place.start),
        _ => range.start,
    };
    for (label, definition) in steps.reference_definitions().iter() {
        if definition.span.start >= labels.len() && in_text(definition.span.start) < end {
            take(Step::Label(label));
        }
    }
    if is_last {
        waiting.drain(..).for_each(|(event, place)| take(Step::Event(&event, place)));
    }
    end
}

/// Returns whether the top-level block at this offset is separate from the preceding text: the line above is blank, and
/// the line is not indented like a continuation of an item or footnote.
fn starts_new_block(text: &str, at: usize) -> bool {
    let line = line_start(text, at);
    let indent = &text[line..at];
    if indent.len() > 3 || indent.contains('\t') {
        return false;
    }
    let above = &text[..line];
    let above = above.strip_suffix('\n').map_or(above, |above| above.strip_suffix('\r').unwrap_or(above));
    above[line_start(above, above.len())..].trim_matches([' ', '\t']).is_empty()
}

fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |at| at + 1)
}

/// Returns the rendered text of one line of Markdown.
pub(crate) fn rendered_line(line: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(line, parser_options()) {
        match piece(&event) {
            Piece::Text(text) | Piece::Code(text) => out.push_str(text),
            Piece::LineBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks that parts of any length give the same blocks.
    fn check(text: &str) {
        let read = |length: usize| {
            let mut tree = read_in_parts(Builder::new(text, 0, false), 0, length);
            tree.problems.clear(); // they are not sorted yet
            format!("{tree:#?}")
        };
        let whole = read(usize::MAX);
        for length in [1, 40, 400] {
            assert_eq!(read(length), whole, "in parts of {length}:\n{text}");
        }
    }

    #[test]
    fn parts_give_same_blocks_as_whole() {
        check("# A\n\na [x] b\n\n- one\n\n  two\n\n- three\n\n    code\n\nText\n===\n\n[X]: /url\n");
        check("[a]: x\n    not code\n\n[a]\n\n```\n\n[a]: y\n\n# no\n```\n\n> [q]\n> [q]: z\n");
        check("a[^1] b\n\n# T[^n]\n\n[^1](u)\n\n[^1]: note\n\n    more\n\n[^n]: x\n\n<div>\n\n*x*\n\n</div>\n");
        check(
            "| a |\n|---|\n| [b] |\n\n\r\n[b]:\n/u\n'title'\nx\n\n\n    code\n\n    more\n\n***\n1. x\n\n   y\n2. z\n",
        );
        check("[a]: x\r\n    1. [^a]: y=== 1. [a]: x- \n\n\n\na");
        check("[^a]: y\n\n    [^a]: y\n\n1. x\n\n\t1. y\n");
        check("\n\n\u{feff}# A\r\rb\r\n\r\nc\n\n");
        let long = "b\n\n".repeat(80);
        check(&format!("[a]: x\n\n[a]: x\r\n    [^a]: y\n\n[a]- \n\n{}", "    c\n".repeat(40)));
        check(&format!("[^a\nb]: x\n[c]: y\n\n[c] [^a\nb]\n\n{long}[^d\n    # e]: x\n\n[^d\n    # e] [c]\n"));
    }

    #[test]
    fn parts_of_spec_examples_give_same_blocks() {
        for suite in ["commonmark", "cmark", "cmark-gfm", "markdown-rs"] {
            let mut all = String::new();
            for case in marquetry_sdk::testing::suite(suite) {
                let case: serde_json::Value = serde_json::from_str(&case).expect("JSON");
                for text in case["files"].as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str()) {
                    check(text);
                    all = format!("{}{text}\n\n", if all.len() > 4000 { "" } else { &all });
                    check(&all);
                }
            }
        }
    }

    fn config() -> ProptestConfig {
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        ProptestConfig { cases: config.cases * 4, ..config }
    }

    proptest! {
        #![proptest_config(config())]
        #[test]
        fn parts_of_random_text_give_same_blocks(pieces in prop::collection::vec(prop::sample::select(&[
            "a", "b ", "\n", "\n\n", "\n\n", "    ", "  ", "\t", "- ", "1. ", "2) ", "> ", "# ", "===", "---", "***", "```", "~~~",
            "[a]", "[a]: x", "[^a]", "[^a]: y", "](u)", "![", "|", "| - |", "<div>", "</div>", "<!--", "-->", "`", "*", "\\", "\r\n", "é",
        ][..]), 0..60)) {
            check(&pieces.concat());
        }
    }
}
