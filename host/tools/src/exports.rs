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

    pub(crate) fn source(&self) -> &Source {
        &self.file.source
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
    /// The exports of all files that go on by the old name because of the edits so far, and those of the keepers, which have it
    /// as a name of their own.
    pub(crate) fn kept_exports(
        &self,
        draft: &Draft,
        keepers: &[Source],
        (old, new): (&str, &str),
    ) -> Result<Vec<Kept>> {
        let mut kept = Vec::new();
        if old != new {
            for (source, edits) in draft.drafted() {
                kept.extend(self.kept_export(source, edits, old)?);
            }
            for source in keepers {
                if kept.iter().all(|known| known.path() != &*source.path) {
                    let text = draft.edits_of(&source.path).map(|edits| Arc::from(edits.apply(&source.text)));
                    let after = text.map_or_else(|| source.clone(), |text| Source { text, ..source.clone() });
                    kept.extend(self.exported_as(after, old, |_| true)?);
                }
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
        let made = edits.as_slice().iter().zip(edits.spans_after()).filter(|(edit, _)| says_both(edit));
        let made: Vec<Span> = made.map(|(_, span)| span).collect();
        let is_made = |at: &Span| made.iter().any(|span| span.start <= at.start && at.end <= span.end);
        self.exported_as(Source { text: after, ..source.clone() }, old, is_made)
    }

    /// What a file exports under a name, where it says so at a place that is asked for.
    fn exported_as(&self, source: Source, name: &str, is_it: impl Fn(&Span) -> bool) -> Result<Option<Kept>> {
        let file = self.open_source(source)?;
        let exported = Subject::Exported(name.to_owned());
        let found = match file.ask(|document| document.resolve_symbol(&exported)) {
            Ok(found) => found,
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            // It exports nothing of that name.
            Err(_) => return Ok(None),
        };
        let span = found.occurrences.iter().map(|found| found.span).find(is_it);
        Ok(span.map(|span| Kept { file, span }))
    }
}
