//! Specs: Markdown pages that describe the answers of a pack. Each heading starts a case. It is followed by the files,
//! as code blocks with their names, and then by calls and the expected answers:
//!
//! ````text
//! # A value is replaced, and the comment stays
//!
//! ```properties file=app.properties
//! port = 80 # the usual one
//! ```
//!
//! ```call
//! edit replace port
//! 8080
//! ```
//!
//! ```answer
//! port = 8080 # the usual one
//! ```
//! ````
//!
//! The first file is the document; the others surround it. `docs/plugins/testing.md` lists the calls.

mod calls;

use std::{fmt::Write as _, sync::Arc};

use marquetry_model::{Error, Result, ports::Files};

use crate::{MemoryFiles, subject::Subject};

/// A page of cases.
#[derive(Debug)]
pub struct Spec {
    lines: Vec<String>,
    /// The cases, in the order of the page.
    pub cases: Vec<Case>,
}

/// A case: files, and calls with their expected answers.
#[derive(Debug, Default)]
pub struct Case {
    /// Its heading.
    pub title: String,
    /// Paths and texts. The first file is the document.
    pub files: Vec<(String, String)>,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    call: String,
    /// The expected answer, and the lines of its block in the page.
    answer: Option<(String, std::ops::Range<usize>)>,
    /// The index of the line after the call.
    next_line: usize,
}

/// A call with an unexpected answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The heading of the case.
    pub title: String,
    /// The line of the call in the page, from 1.
    pub line: usize,
    /// The call.
    pub call: String,
    /// The expected answer.
    pub expected: String,
    /// The actual answer.
    pub actual: String,
}

impl Spec {
    /// Parses a page.
    ///
    /// # Errors
    /// Fails if a code block is not closed, an answer has no call, or a call has no document.
    pub fn parse(page: &str) -> Result<Spec> {
        let lines: Vec<String> = page.lines().map(str::to_owned).collect();
        let mut cases = vec![Case::default()];
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at].as_str();
            if let Some(title) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim()) {
                cases.push(Case { title: title.to_owned(), ..Case::default() });
            } else if line.starts_with("```") {
                let fence = &line[..line.len() - line.trim_start_matches('`').len()];
                let end = (at + 1..lines.len()).find(|end| lines[*end].trim_end() == fence);
                let end = end.ok_or_else(|| parse_error(at, "this block is not closed"))?;
                let case = cases.last_mut().ok_or_else(|| parse_error(at, "no case"))?;
                case.add_block(line.trim_start_matches('`'), &lines, at + 1..end)?;
                at = end;
            }
            at += 1;
        }
        cases.retain(|case| !case.steps.is_empty());
        Ok(Spec { lines, cases })
    }

    /// Runs all cases.
    pub fn run(&self, subject: &Subject) -> Vec<FailedCall> {
        self.cases.iter().flat_map(|case| case.run(subject)).collect()
    }

    /// Returns the page with the actual answers.
    pub fn updated(&self, subject: &Subject) -> String {
        let mut page = String::new();
        let mut copied = 0;
        let copy = |page: &mut String, lines: &[String]| {
            for line in lines {
                page.push_str(line);
                page.push('\n');
            }
        };
        for case in &self.cases {
            for (step, came) in case.steps.iter().zip(case.answers(subject)) {
                let block = |fence: &str| format!("{fence}answer\n{came}{}{fence}\n", final_break(&came));
                match &step.answer {
                    Some((_, lines)) => {
                        copy(&mut page, &self.lines[copied..lines.start - 1]);
                        page.push_str(&block(&fence_for(&came)));
                        copied = lines.end + 1;
                    }
                    None => {
                        copy(&mut page, &self.lines[copied..step.next_line]);
                        page.push('\n');
                        page.push_str(&block(&fence_for(&came)));
                        copied = step.next_line;
                    }
                }
            }
        }
        copy(&mut page, &self.lines[copied..]);
        page
    }
}

impl Case {
    /// Adds a code block of the page.
    fn add_block(&mut self, info: &str, lines: &[String], block: std::ops::Range<usize>) -> Result<()> {
        let at = block.start - 1;
        let mut text = String::new();
        for line in &lines[block.clone()] {
            writeln!(text, "{line}").map_err(|error| Error::internal(error.to_string()))?;
        }
        if let Some(path) = info.split_whitespace().find_map(|word| word.strip_prefix("file=")) {
            // Flags for properties that a block cannot show: a missing line break at the end, and `\r\n` as line
            // breaks.
            let has = |flag: &str| info.split_whitespace().any(|word| word == flag);
            if has("no-newline") {
                text.pop();
            }
            if has("crlf") {
                text = text.replace('\n', "\r\n");
            }
            self.files.push((path.to_owned(), text));
        } else if info.trim() == "call" {
            if self.files.is_empty() {
                return Err(parse_error(at, "a call without a document: put a block with `file=NAME` before it"));
            }
            self.steps.push(Step { call: text, answer: None, next_line: block.end + 1 });
        } else if info.trim() == "answer" {
            match self.steps.last_mut().filter(|step| step.answer.is_none()) {
                Some(step) => step.answer = Some((text, block)),
                None => return Err(parse_error(at, "an answer without a call")),
            }
        }
        Ok(())
    }

    fn run(&self, subject: &Subject) -> Vec<FailedCall> {
        let mut failed = Vec::new();
        for (step, came) in self.steps.iter().zip(self.answers(subject)) {
            let wanted = step.answer.as_ref().map_or("", |(answer, _)| answer);
            // A block cannot show whether a text ends with a line break.
            if wanted.trim_end_matches('\n') != visible_text(&came).trim_end_matches('\n') {
                let call = step.call.lines().next().unwrap_or_default().to_owned();
                let line = step.next_line - step.call.lines().count();
                failed.push(FailedCall {
                    title: self.title.clone(),
                    line,
                    call,
                    expected: wanted.to_owned(),
                    actual: came,
                });
            }
        }
        failed
    }

    fn answers(&self, subject: &Subject) -> Vec<String> {
        let around: Arc<dyn Files> =
            MemoryFiles::from_files(self.files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let Some((path, text)) = self.files.first() else { return Vec::new() };
        let answer = |step: &Step| match subject
            .pack_among(&around)
            .and_then(|pack| calls::run_call(&pack, (path, text), &step.call))
        {
            Ok(answer) => visible_text(&answer),
            Err(error) => calls::format_error(&error),
        };
        self.steps.iter().map(answer).collect()
    }
}

/// Formats a text for a page, with `\r` for each carriage return.
fn visible_text(text: &str) -> String {
    text.replace('\r', "\\r")
}

fn final_break(text: &str) -> &'static str {
    if text.ends_with('\n') || text.is_empty() { "" } else { "\n" }
}

/// Returns a fence longer than any in the text.
fn fence_for(text: &str) -> String {
    let longest = text.lines().map(|line| line.len() - line.trim_start_matches('`').len()).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn parse_error(line: usize, what: &str) -> Error {
    Error::argument(format!("line {}: {what}", line + 1))
        .hint("`marq plugin test --help` names the page that describes specs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spec_page_is_parsed() {
        let page = "# One\n\n```ini file=a.ini\na=1\n```\n\n```call\nread a\n```\n```answer\n1\n```\n## Two\ntext\n\
                    ````md file=b.md crlf no-newline\n```\nx\n```\n````\n```call\noutline\n```\n";
        let spec = Spec::parse(page).expect("a page");
        let titles: Vec<&str> = spec.cases.iter().map(|case| case.title.as_str()).collect();
        assert_eq!(titles, ["One", "Two"]);
        assert_eq!(spec.cases[0].files, [("a.ini".to_owned(), "a=1\n".to_owned())]);
        assert_eq!(spec.cases[0].steps[0].call, "read a\n");
        assert_eq!(spec.cases[0].steps[0].answer.as_ref().map(|(text, _)| text.as_str()), Some("1\n"));
        assert_eq!(spec.cases[1].files, [("b.md".to_owned(), "```\r\nx\r\n```".to_owned())]);
        assert!(spec.cases[1].steps[0].answer.is_none());
    }

    #[test]
    fn parse_errors_name_the_line() {
        let refused = |page: &str| Spec::parse(page).expect_err("refused").content().message.clone();
        assert_eq!(refused("# a\n```call\nx\n"), "line 2: this block is not closed");
        assert_eq!(refused("```answer\nx\n```\n"), "line 1: an answer without a call");
        assert!(refused("```call\nx\n```\n").starts_with("line 1: a call without a document"));
    }

    #[test]
    fn fence_is_longer_than_inner_fences() {
        assert_eq!((fence_for("a"), fence_for("```x\n"), fence_for("")), ("```".into(), "````".into(), "```".into()));
    }
}
