//! Line numbers of offsets in files. Each file is read only once.

use std::collections::HashMap;

use marquetry_model::{
    ports::Files,
    text::{LineStarts, Lines},
};

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
