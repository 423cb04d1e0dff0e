//! Type check of a change by language servers. The servers get the edited texts, and then the current texts again.

use marquetry_model::{
    EditSet, Kind, Result,
    pack::PackDiagnostic,
    ports::Source,
    servers::{Server, ServerDiagnostic, ServerQuestion},
};

use super::{Checked, differences};
use crate::{
    query::{RawDiagnostic, engine_name, to_diagnostics},
    session::Session,
};

/// Maximum number of files to type-check per change.
const MAX_TYPED_FILES: usize = 20;

impl Session {
    /// Asks the language servers of the edited files. Created, moved and deleted files are skipped, because the servers
    /// know only their state on disk.
    pub(super) fn check_types(
        &self,
        after: &Session,
        edits: &[(&Source, &EditSet)],
        tried: &mut Checked,
        skipped: &mut Vec<String>,
    ) -> Result<()> {
        if self.servers.is_none() || edits.is_empty() {
            return Ok(());
        }
        let stays = |source: &Source| after.files.version(&source.path).is_some();
        let checked: Vec<_> = edits.iter().filter(|(source, _)| stays(source)).take(MAX_TYPED_FILES).collect();
        let mut typed = Vec::new();
        for (source, edits) in checked {
            match self.optional_server(&source.path) {
                Ok(Some(server)) => typed.push((*source, *edits, server)),
                // Most formats have no server, and most projects configure none.
                Ok(None) => {}
                Err(error) => skipped.push(format!("types of {}: {error}", source.path)),
            }
        }
        let mut later = Vec::new();
        // Edited files can depend on each other. Therefore the servers get all edited texts before the second round
        // collects the results.
        for round in 0..typed.len().min(2) {
            later.clear();
            for (source, _, server) in &typed {
                let text = after.files.read(&source.path)?;
                match after.type_diagnostics(server.as_ref(), &text) {
                    Ok(diagnostics) => later.push(Some((text, diagnostics))),
                    Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                    Err(error) => {
                        later.push(None);
                        if round == 0 {
                            skipped.push(format!("types of {}: {error}", source.path));
                        }
                    }
                }
            }
        }
        for ((source, edits, server), later) in typed.iter().zip(later) {
            // The servers get the current texts last, so that their state matches the files on disk again.
            let before = self.type_diagnostics(server.as_ref(), source);
            let (Some((text, (later, doubt))), Ok((before, _))) = (later, before) else { continue };
            let (removed, added) = differences(before, later, Some(edits));
            tried.removed.extend(to_diagnostics(&source.path, &source.text, removed));
            tried.added.extend(to_diagnostics(&source.path, &text.text, added));
            skipped.extend(doubt.map(|doubt| format!("types of {}: {doubt}", source.path)));
            if !tried.checked.contains(&"types") {
                tried.checked.push("types");
            }
        }
        Ok(())
    }

    /// Returns the diagnostics of a server for a text, and the reason if they may be incomplete.
    fn type_diagnostics(&self, server: &dyn Server, source: &Source) -> Result<(Vec<RawDiagnostic>, Option<String>)> {
        let answer = server.diagnostics(ServerQuestion { files: &self.files, source, offset: 0, work: &self.work })?;
        let raw = |diagnostic: ServerDiagnostic| {
            let ServerDiagnostic { span, severity, message, source, code } = diagnostic;
            let source = if source.is_empty() { engine_name(server.id()) } else { source };
            RawDiagnostic { diagnostic: PackDiagnostic { severity, span, message, code }, source, fix: None }
        };
        Ok((answer.answer.into_iter().map(raw).collect(), answer.incomplete))
    }
}
