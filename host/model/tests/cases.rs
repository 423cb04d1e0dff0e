//! Runs the text cases in `cases/`.
//!
//! ```text
//! ==== a title
//! a[b|XY]c
//! ---- after
//! aXYc
//! ```
//!
//! The lines above the first `----` are the input. A text is written on one line: `\n` and `\r` are line breaks, `\u`
//! is 😀, and `[old|new]` is an edit. Edits that cannot be written this way follow on separate lines: `0..2 new`.
//!
//! | command for edits | output |
//! | --- | --- |
//! | `after` | the text after the edits |
//! | `back` | the edits that undo them, marked in the text after |
//! | `then TEXT` | these edits composed with the edits of the text after |
//! | `with TEXT` | the union with other edits of the same text |
//! | `fitted lf`, `crlf`, `cr` | the edits, adapted to a file with such line breaks |
//! | `offsets` | each offset of the text, mapped to the text after |
//! | `diff` | the unified diff |
//!
//! | command for a text | output |
//! | --- | --- |
//! | `lines` | the lines with their spans |
//! | `at OFFSET` | the position of the offset |
//! | `offset LINE:COLUMN` | the offset of the position |
//! | `ends` | the most frequent line ending |
//! | `written lf`, `crlf`, `cr` | the text with such line breaks |
//! | `diff N TEXT` | the unified diff to another text, with N lines of context |
//!
//! | command for names, one per line | output |
//! | --- | --- |
//! | `names like NAME`, `addresses like ADDRESS` | the nearest of them |
//!
//! | command without input | output |
//! | --- | --- |
//! | `below FOLDER PATH` | whether the path is below the folder |
//! | `moved FROM TO PATH` | the path after the move |
//! | `source TEXT` | the parsed source in a registry in `/a/r`, and as written in a lock file |
//! | `machine ADDRESS` | whether the address is on this machine |
//!
//! `UPDATE_EXPECT=1` rewrites the expected output.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{fmt::Write as _, path::Path};

use marquetry_model::{
    Edit, EditSet, Error, Relocation, Result, Span, diff, is_below,
    nearest::{nearest_addresses, nearest_names},
    source::{Source, is_local_address},
    text::{LineBreak, Lines, Position},
};

/// Parses a text as written in a case.
fn read(written: &str) -> String {
    written.replace("\\n", "\n").replace("\\r", "\r").replace("\\u", "😀")
}

/// Writes a text as in a case.
fn shown(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r").replace('😀', "\\u")
}

/// Parses a text with marked edits.
fn marked(written: &str) -> (String, Vec<Edit>) {
    let (mut text, mut edits, written) = (String::new(), Vec::new(), read(written));
    let mut rest = written.as_str();
    while let Some((before, behind)) = rest.split_once('[') {
        let (inside, after) = behind.split_once(']').unwrap();
        let (old, new) = inside.split_once('|').unwrap();
        text.push_str(before);
        let start = text.len();
        text.push_str(old);
        edits.push(Edit { span: Span::new(start, text.len()), text: new.to_owned() });
        rest = after;
    }
    text.push_str(rest);
    (text, edits)
}

fn with_marks(text: &str, edits: &EditSet) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for edit in edits.as_slice() {
        write!(out, "{}[{}|{}]", &text[at..edit.span.start], edit.span.slice(text), edit.text).unwrap();
        at = edit.span.end;
    }
    shown(&(out + &text[at..]))
}

fn line_break(name: &str) -> LineBreak {
    match name {
        "lf" => LineBreak::Lf,
        "crlf" => LineBreak::CrLf,
        "cr" => LineBreak::Cr,
        _ => panic!("no line break `{name}`"),
    }
}

/// The input of a case.
struct Subject<'a> {
    lines: Vec<&'a str>,
}

impl Subject<'_> {
    fn text(&self) -> String {
        marked(self.lines.first().copied().unwrap_or_default()).0
    }

    fn edits(&self) -> Result<EditSet> {
        let (text, mut edits) = marked(self.lines[0]);
        for line in &self.lines[1..] {
            let (span, new) = line.split_once(' ').unwrap_or((line, ""));
            let (start, end) = span.split_once("..").unwrap();
            edits.push(Edit { span: Span::new(start.parse().unwrap(), end.parse().unwrap()), text: read(new) });
        }
        EditSet::new(&text, edits)
    }

    fn answer(&self, step: &str) -> Result<String> {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        Ok(match (word, words.as_slice()) {
            ("after" | "back" | "then" | "with" | "fitted" | "offsets", _) => self.answer_of_edits(word, rest)?,
            ("diff", [""]) => diff::unified("f", "f", &self.text(), &self.edits()?).replace('\r', "\\r"),
            ("diff", [around, other]) => {
                diff::between(("old", &self.text()), ("new", &read(other)), around.parse().unwrap())
                    .replace('\r', "\\r")
            }
            ("lines" | "at" | "offset" | "ends" | "written", _) => self.answer_of_text(word, rest),
            ("names", ["like", name @ ..]) => {
                nearest_names(&name.join(" "), self.lines.iter().map(|name| (*name).to_owned())).join("\n")
            }
            ("addresses", ["like", address @ ..]) => {
                nearest_addresses(&address.join(" "), self.lines.iter().copied()).join("\n")
            }
            ("below", [folder, path]) => is_below(path, folder).to_string(),
            ("moved", [from, to, path]) => {
                let moved = Relocation { from: (*from).to_owned(), to: (*to).to_owned() };
                assert_eq!(moved.affects(path), moved.path_after(path) != *path, "{step}");
                moved.path_after(path)
            }
            ("source", _) => {
                let folder = Path::new("/a/r");
                let source = Source::parse(rest, folder)?;
                let brought = if source.is_downloaded() { ", brought" } else { "" };
                format!("{source}, locked as {}{brought}", source.relative_to(folder))
            }
            ("machine", [address]) => is_local_address(address).to_string(),
            _ => panic!("no step `{step}`"),
        })
    }

    fn answer_of_edits(&self, word: &str, rest: &str) -> Result<String> {
        let (text, edits) = (self.text(), self.edits()?);
        let after = edits.apply(&text);
        Ok(match word {
            "after" => shown(&after),
            "back" => {
                let back = edits.invert(&text);
                assert_eq!(back.apply(&after), text);
                with_marks(&after, &back)
            }
            "then" => {
                let (between, next) = marked(rest);
                assert_eq!(between, after, "the second set edits the text after the first");
                let next = EditSet::new(&between, next)?;
                let one = edits.compose(&text, &next);
                assert_eq!(one.apply(&text), next.apply(&between));
                with_marks(&text, &one)
            }
            "with" => with_marks(&text, &EditSet::union(&text, [edits, EditSet::new(&text, marked(rest).1)?])?),
            "fitted" => with_marks(&text, &edits.normalized(&text, line_break(rest))),
            _ => {
                let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
                starts.map(|at| format!("{at} {}", edits.offset_after(at))).collect::<Vec<_>>().join(", ")
            }
        })
    }

    fn answer_of_text(&self, word: &str, rest: &str) -> String {
        let text = self.text();
        let lines = Lines::new(&text);
        match word {
            "lines" => {
                let one = |line: usize| {
                    let span = lines.line(line).unwrap();
                    format!("{line}: {}..{} `{}`", span.start, span.end, shown(span.slice(&text)))
                };
                (1..=lines.count()).map(one).collect::<Vec<_>>().join("\n")
            }
            "at" => {
                let Position { line, column } = lines.position(rest.parse().unwrap());
                format!("{line}:{column}")
            }
            "offset" => {
                let (line, column) = rest.split_once(':').unwrap();
                let position = Position { line: line.parse().unwrap(), column: column.parse().unwrap() };
                lines.offset(position).map_or("nothing".to_owned(), |offset| offset.to_string())
            }
            "ends" => shown(LineBreak::most_frequent(&text).as_str()),
            _ => shown(&line_break(rest).convert(&text)),
        }
    }
}

fn result_text(answer: Result<String>) -> String {
    let failure = |error: Error| {
        let content = error.content();
        let hint = content.hint.iter().map(|hint| format!("\nhint: {hint}")).collect::<String>();
        format!("{}: {}{hint}", content.kind.name(), content.message)
    };
    let text = answer.unwrap_or_else(failure);
    if text.is_empty() { text } else { format!("{}\n", text.trim_end()) }
}

#[test]
fn text_cases_match() {
    marquetry_cases::replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"), |_, case| {
        let subject = Subject { lines: case.lines().take_while(|line| !line.starts_with("----")).collect() };
        let mut out: String = subject.lines.iter().map(|line| format!("{line}\n")).collect();
        for step in case.lines().filter_map(|line| line.strip_prefix("---- ")) {
            write!(out, "---- {step}\n{}", result_text(subject.answer(step))).unwrap();
        }
        out
    });
}
