//! Log lines and standard output of a guest during one call. They explain the error if the call fails.

use marquetry_model::{escape::escape_text, limits};

/// Number of lines kept from the start of a call, which has the first error, and from its end, which has the message of
/// a panic.
const FIRST_LINES: usize = 100;
const LAST_LINES: usize = 100;

/// The lines of one call.
#[derive(Debug, Default)]
pub(crate) struct GuestOutput {
    first: Vec<String>,
    last: std::collections::VecDeque<String>,
    count: usize,
    /// Output after the last line break.
    partial: Vec<u8>,
}

impl GuestOutput {
    /// Clears the lines for a new call.
    pub(crate) fn begin(&mut self) {
        *self = GuestOutput::default();
    }

    /// Returns the number of lines.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Adds a line, without its line break.
    pub(crate) fn add_line(&mut self, line: &str) {
        self.count += 1;
        if self.first.len() < FIRST_LINES {
            self.first.push(line.to_owned());
            return;
        }
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.to_owned());
    }

    /// Adds output and returns the lines that it completes. The length of a line is limited.
    pub(crate) fn add_output(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for byte in bytes {
            if *byte == b'\n' {
                lines.push(String::from_utf8_lossy(&std::mem::take(&mut self.partial)).into_owned());
            } else if self.partial.len() < limits::LOG_LINE {
                self.partial.push(*byte);
            }
        }
        lines
    }

    /// Returns the kept lines in order, with a note where lines were dropped.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = self.first.clone();
        let dropped = self.count - self.first.len() - self.last.len();
        if dropped > 0 {
            lines.push(format!("[{dropped} lines]"));
        }
        lines.extend(self.last.iter().cloned());
        if !self.partial.is_empty() {
            lines.push(escape_text(&String::from_utf8_lossy(&self.partial)));
        }
        lines
    }

    /// Returns the reason of the failure: the first reported error, or the last line if there is none. The message that
    /// a language runtime prints at the end is less useful than the first error.
    pub(crate) fn reason(&self) -> Option<FailureReason> {
        let lines = self.lines();
        let error = (0..lines.len()).find_map(|from| Some((from, error_line(&lines[from..])?)));
        let last = || lines.iter().enumerate().rev().find(|(_, line)| !line.trim_start().starts_with("note:"));
        let (from, line) = error.or_else(last)?;
        Some(FailureReason { from, line: line.trim().to_owned() })
    }
}

/// The reason of a failure, in the guest's words.
#[derive(Debug)]
pub(crate) struct FailureReason {
    /// Index of its first line in [`GuestOutput::lines`].
    pub(crate) from: usize,
    /// The line with the message.
    pub(crate) line: String,
}

/// Returns the line with the message if these lines start with an error report.
fn error_line(lines: &[String]) -> Option<&String> {
    let (line, rest) = lines.split_first()?;
    let lower = line.to_lowercase();
    if lower.contains("panicked at") {
        // A Rust panic: the first line has the location, and the next line has the message.
        return rest.first().filter(|_| line.ends_with(':')).or(Some(line));
    }
    if lower.starts_with("traceback") {
        // A Python error: the indented stack comes first, and the message follows it.
        return rest.iter().find(|line| !line.starts_with(' ')).or(Some(line));
    }
    (lower.contains("error") || lower.contains("exception")).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output_of(text: &str) -> GuestOutput {
        let mut output = GuestOutput::default();
        for line in output.add_output(text.as_bytes()) {
            output.add_line(&line);
        }
        output
    }

    #[test]
    fn first_reported_error_is_the_reason() {
        for (text, reason, from) in [
            ("thread main panicked at a.rs:1:\non purpose\nnote: run with `RUST_BACKTRACE=1`\n", "on purpose", 0),
            (
                "reading\nTypeError: x is undefined\n    at edit (pack.js:1:2)\nRedirecting call to abort()\n",
                "TypeError: x is undefined",
                1,
            ),
            (
                "Traceback (most recent call last):\n  File \"pack.py\", line 3, in edit\n    x\nNameError: x\n",
                "NameError: x",
                0,
            ),
            ("one\ntwo\n", "two", 1),
            ("one\nnote: nothing\n", "one", 0),
            ("cut off", "cut off", 0),
        ] {
            let reason_line = output_of(text).reason().expect("the output has a reason");
            assert_eq!((reason_line.line.as_str(), reason_line.from), (reason, from), "{text}");
        }
        assert!(output_of("").reason().is_none());
    }

    #[test]
    fn lines_are_bounded_and_counted() {
        let mut output = GuestOutput::default();
        (0..1000).for_each(|line| output.add_line(&format!("line {line}")));
        let lines = output.lines();
        assert_eq!((output.count(), lines.len()), (1000, FIRST_LINES + LAST_LINES + 1));
        assert_eq!(
            (lines[0].as_str(), lines[FIRST_LINES].as_str(), lines[FIRST_LINES + LAST_LINES].as_str()),
            ("line 0", "[800 lines]", "line 999")
        );
        assert!(output.add_output(&vec![b'x'; limits::LOG_LINE * 3]).is_empty());
        assert_eq!(output.lines().last().map(String::len), Some(limits::LOG_LINE));
        output.begin();
        assert!(output.lines().is_empty());
    }
}
