//! Exports that go on by the old name of what is renamed: `export { new as old }`. A rename keeps them unless it is asked not to,
//! for who imports a package knows its things by these names, and is in none of its files.

use std::sync::Arc;

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    pack::{Renaming, Subject},
    ports::Source,
    text::Lines,
};

use crate::{document::OpenFile, draft::Draft, session::Session};

/// What a rename makes of exports that pass the thing on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Exports {
    /// Others go on knowing it by the old name.
    #[default]
    Keep,
    /// They get the new name, and so does whoever imports it from there.
    Rename,
}

impl Exports {
    /// As a caller says it.
    pub(crate) fn of(word: Option<&str>) -> Result<Exports> {
        match word {
            None | Some("keep") => Ok(Exports::Keep),
            Some("rename") => Ok(Exports::Rename),
            Some(other) => Err(Error::argument(format!("`exports` is `keep` or `rename`, not `{other}`"))
                .candidates(["keep", "rename"].map(str::to_owned))),
        }
    }
}

/// An export that goes on by the old name, in the text that the edits so far make of its file.
pub(crate) struct Kept {
    file: OpenFile,
    /// Where the old name stands there.
    span: Span,
}

impl Kept {
    pub(crate) fn path(&self) -> &str {
        self.file.path()
    }

    /// `file:line:column`, after the change.
    pub(crate) fn shown(&self) -> String {
        let position = Lines::new(self.file.text()).position(self.span.start);
        format!("{}:{}:{}", self.path(), position.line, position.column)
    }

    /// What giving it the new name does to its file.
    pub(crate) fn renamed(&self, old: &str, new: &str) -> Result<Renaming> {
        let subject = Subject::Exported(old.to_owned());
        self.file.ask(|document| document.rename(&subject, new)).map_err(|error| error.context(self.path()))
    }
}

impl Session {
    /// The exports of all files that go on by the old name because of the edits so far.
    pub(crate) fn kept_exports(&self, draft: &Draft, old: &str, new: &str) -> Result<Vec<Kept>> {
        let mut kept = Vec::new();
        if old != new {
            for (source, edits) in draft.drafted() {
                kept.extend(self.kept_export(source, edits, old)?);
            }
        }
        Ok(kept)
    }

    fn kept_export(&self, source: &Source, edits: &EditSet, old: &str) -> Result<Option<Kept>> {
        // A new text with the old name in it says both: one of them is what others know the thing by.
        let says_both = |edit: &Edit| edit.span.of(&source.text).contains(old) && edit.text.contains(old);
        if !edits.as_slice().iter().any(says_both) {
            return Ok(None);
        }
        let after: Arc<str> = Arc::from(edits.apply(&source.text));
        let file = self.open_source(Source { text: after, ..source.clone() })?;
        let exported = Subject::Exported(old.to_owned());
        let found = match file.ask(|document| document.resolve_symbol(&exported)) {
            Ok(found) => found,
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            // It exports nothing of that name.
            Err(_) => return Ok(None),
        };
        let made = edits.as_slice().iter().zip(edits.spans_after()).filter(|(edit, _)| says_both(edit));
        let made: Vec<Span> = made.map(|(_, span)| span).collect();
        let is_made = |at: &Span| made.iter().any(|span| span.start <= at.start && at.end <= span.end);
        let span = found.occurrences.iter().map(|found| found.span).find(is_made);
        Ok(span.map(|span| Kept { file, span }))
    }
}
