//! Line numbers of offsets in files. Each file is read only once.

use std::collections::HashMap;

use marquetry_model::{
    ports::Files,
    text::{LineStarts, Lines},
};

/// Returns the number of lines of a text. The empty line after a final line break is not counted.
pub(crate) fn line_count(text: &str) -> usize {
    let all = Lines::new(text).count();
    all - usize::from(all > 1 && text.ends_with(['\n', '\r']))
}

/// Hint for a line number that is too large.
pub(crate) fn line_count_hint(text: &str) -> String {
    let count = line_count(text);
    let noun = if count == 1 { "line" } else { "lines" };
    format!("the text has {count} {noun}, counted from 1")
}

/// Line starts of the files that were read; `None` for a file that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct LineNumbers(HashMap<String, Option<LineStarts>>);

impl LineNumbers {
    /// Returns the line of a byte offset, from 1. For an offset after the text, its last line.
    pub(crate) fn line(&mut self, files: &dyn Files, path: &str, offset: usize) -> Option<usize> {
        if !self.0.contains_key(path) {
            let starts = files.read(path).ok().map(|source| Lines::new(&source.text).into_starts());
            self.0.insert(path.to_owned(), starts);
        }
        Some(self.0.get(path)?.as_ref()?.line(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_count_excludes_empty_line_after_final_break() {
        for (text, count) in
            [("", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\r\n", 2), ("a\n\n", 2), ("\n", 1), ("a\rb\r", 2)]
        {
            assert_eq!(line_count(text), count, "{text:?}");
        }
        assert_eq!(line_count_hint("a\n"), "the text has 1 line, counted from 1");
        assert_eq!(line_count_hint("a\nb\n"), "the text has 2 lines, counted from 1");
    }
}
