//! Line numbers of places in files: each file is read once, however many of its places are asked for.

use std::collections::HashMap;

use marquetry_model::{
    ports::Files,
    text::{LineStarts, Lines},
};

/// Where the lines start of the files that were asked about; none of a file that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct LineNumbers(HashMap<String, Option<LineStarts>>);

impl LineNumbers {
    /// The line of a byte offset, from 1; that of its end for an offset behind the text.
    pub(crate) fn line(&mut self, files: &dyn Files, path: &str, offset: usize) -> Option<usize> {
        if !self.0.contains_key(path) {
            let starts = files.read(path).ok().map(|source| Lines::new(&source.text).starts());
            self.0.insert(path.to_owned(), starts);
        }
        Some(self.0.get(path)?.as_ref()?.line(offset))
    }
}
