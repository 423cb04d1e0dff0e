//! Exports that keep the old name in a rename: `export { new as old }`. They are kept by default, because importers of
//! a package use these names and are not in the workspace.

use std::sync::Arc;

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    pack::{RenameResult, Subject},
    ports::Source,
    text::Lines,
};

use crate::{document::OpenFile, draft::Draft, session::Session};

/// Treatment of re-exports by a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ReExportMode {
    /// Re-exports keep the old name.
    #[default]
    Keep,
    /// Re-exports get the new name, and so do their importers.
    Rename,
}

impl ReExportMode {
    /// Parses the argument.
    pub(crate) fn parse(word: Option<&str>) -> Result<ReExportMode> {
        match word {
            None | Some("keep") => Ok(ReExportMode::Keep),
            Some("rename") => Ok(ReExportMode::Rename),
            Some(other) => Err(Error::argument(format!("`exports` is `keep` or `rename`, not `{other}`"))
                .candidates(["keep", "rename"].map(str::to_owned))),
        }
    }
}

/// An export that keeps the old name, in the text of its file after the edits that the draft already has.
pub(crate) struct UnrenamedExport {
    file: OpenFile,
    /// Span of the old name.
    span: Span,
}

impl UnrenamedExport {
    pub(crate) fn path(&self) -> &str {
        self.file.path()
    }

    pub(crate) fn source(&self) -> &Source {
        &self.file.source
    }

    /// Returns the location as `file:line:column`, after the change.
    pub(crate) fn location_text(&self) -> String {
        let position = Lines::new(self.file.text()).position(self.span.start);
        format!("{}:{}:{}", self.path(), position.line, position.column)
    }

    /// The edits in the file of the export that give it the new name.
    pub(crate) fn renamed(&self, old: &str, new: &str) -> Result<RenameResult> {
        let subject = Subject::Exported(old.to_owned());
        self.file.ask(|document| document.rename(&subject, new)).map_err(|error| error.context(self.path()))
    }
}

impl Session {
    /// Returns the exports that keep the old name after the edits that the draft already has. In the files of
    /// `keepers`, every export with the old name counts; in other files, only one that an edit created, as in `export {
    /// new as old }`.
    pub(crate) fn unrenamed_exports(
        &self,
        draft: &Draft,
        keepers: &[Source],
        (old, new): (&str, &str),
    ) -> Result<Vec<UnrenamedExport>> {
        let mut kept = Vec::new();
        if old != new {
            for (source, edits) in draft.file_edits() {
                kept.extend(self.unrenamed_export(source, edits, old)?);
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

    fn unrenamed_export(&self, source: &Source, edits: &EditSet, old: &str) -> Result<Option<UnrenamedExport>> {
        // An edit whose old and new texts both contain the old name, such as one from `old` to `new as old`, keeps it
        // as the exported name.
        let says_both = |edit: &Edit| edit.span.slice(&source.text).contains(old) && edit.text.contains(old);
        if !edits.as_slice().iter().any(says_both) {
            return Ok(None);
        }
        let after: Arc<str> = Arc::from(edits.apply(&source.text));
        let made = edits.as_slice().iter().zip(edits.spans_after()).filter(|(edit, _)| says_both(edit));
        let made: Vec<Span> = made.map(|(_, span)| span).collect();
        let is_made = |at: &Span| made.iter().any(|span| span.start <= at.start && at.end <= span.end);
        self.exported_as(Source { text: after, ..source.clone() }, old, is_made)
    }

    /// Finds an export with this name if one of its occurrences passes the test.
    fn exported_as(
        &self,
        source: Source,
        name: &str,
        is_it: impl Fn(&Span) -> bool,
    ) -> Result<Option<UnrenamedExport>> {
        let file = self.open_source(source)?;
        let exported = Subject::Exported(name.to_owned());
        let found = match file.ask(|document| document.resolve_symbol(&exported)) {
            Ok(found) => found,
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            // The file has no export with this name.
            Err(_) => return Ok(None),
        };
        let span = found.occurrences.iter().map(|found| found.span).find(is_it);
        Ok(span.map(|span| UnrenamedExport { file, span }))
    }
}
