//! Exports that no file imports. Only files that other files import are checked, because all other files may be entry
//! points, or may be loaded by a framework or by users of a package.

use marquetry_graph::{Importer, Workspace};
use marquetry_model::{
    Result,
    pack::{ExportedName, PackDiagnostic, Severity},
};

use super::diagnostic_types::RawDiagnostic;
use crate::session::Session;

/// Code of the diagnostic.
const UNUSED_EXPORT: &str = "unused-export";

impl Session {
    /// Returns the exports of a file to which certainly no import refers.
    pub(super) fn unused_exports(&self, path: &str, workspace: &Workspace) -> Result<Vec<RawDiagnostic>> {
        let Some(entry) = workspace.file(path) else { return Ok(Vec::new()) };
        let Some(names) = entry.names.as_ref().filter(|names| !names.exports.is_empty()) else { return Ok(Vec::new()) };
        let importers: Vec<Importer<'_>> =
            workspace.importers(path).into_iter().filter(|importer| importer.file.path != path).collect();
        let is_imported = importers.iter().any(|importer| importer.file.engine == entry.engine);
        let is_dead = |name: &str| {
            !importers.iter().any(|importer| importer.may_carry(name))
                // A file of another format that contains the word may use the export in another way.
                && workspace.may_mention(name).all(|other| other.engine == entry.engine)
        };
        if !is_imported || !names.exports.iter().any(|name| is_dead(name)) {
            return Ok(Vec::new());
        }
        let file = self.open(path)?;
        let exports = file.ask(|document| document.exports_and_imports())?.exports;
        // If the members of `module.exports` are exports themselves, the whole object is not reported, too.
        let has_members = exports.iter().any(|export| export.kind == PROPERTY);
        // If importers use a name that the file does not export itself, they read it from an object that the file
        // exports as a whole.
        let is_read = importers
            .iter()
            .flat_map(|importer| &importer.link.names)
            .any(|name| exports.iter().all(|export| export.name != *name));
        let is_whole = |export: &ExportedName| export.name == "default" && (has_members || is_read);
        let mut dead: Vec<&ExportedName> =
            exports.iter().filter(|export| !is_whole(export) && is_dead(&export.name)).collect();
        let names: Vec<&str> = dead.iter().map(|export| export.name.as_str()).collect();
        // A file that could not be analyzed may import any of these exports.
        if !dead.is_empty() && !self.unanalyzed_users(workspace, path, &names, |_| false)?.is_empty() {
            dead.clear();
        }
        Ok(dead.into_iter().map(|export| unused_export_diagnostic(export, file.engine())).collect())
    }
}

/// Kind of exports that are members of an exported object.
const PROPERTY: &str = "property";

fn unused_export_diagnostic(export: &ExportedName, engine: &str) -> RawDiagnostic {
    let message = format!("`{}` is exported and no file imports it", export.name);
    let code = Some(UNUSED_EXPORT.to_owned());
    RawDiagnostic {
        diagnostic: PackDiagnostic { severity: Severity::Hint, span: export.span, message, code },
        source: engine.to_owned(),
        fix: None,
    }
}
