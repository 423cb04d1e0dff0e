//! Converts hover information and diagnostics beyond syntax errors.

use marquetry_model::{
    Result,
    hover::{
        CheckArea, Condition, FileLocation, HoverInfo, Manifest, Note, QuickFix, RelatedSymbol, SemanticDiagnostic,
        SemanticDiagnostics,
    },
};

use super::{AnswerValidator, escaped_line, escaped_text, item_limits::ItemKind, names::shared_name, truncate};
use crate::bindings::marquetry::language::types as wit;

/// Maximum bytes of names and labels.
const MAX_NAME_BYTES: usize = 1_000;
/// Maximum bytes of types, code and notes, which are shown to users and not parsed.
const MAX_TEXT_BYTES: usize = 20_000;
/// Maximum number of notes about one position.
const MAX_NOTES: usize = 200;
/// Maximum number of conditions of one diagnostic.
const MAX_CONDITIONS: usize = 20;
/// Maximum number of scripts and folders of a manifest, and of manifest names.
const MAX_MANIFEST_ITEMS: usize = 1_000;

fn check_area(area: wit::Area) -> CheckArea {
    match area {
        wit::Area::Links => CheckArea::Links,
        wit::Area::Names => CheckArea::Names,
    }
}

impl AnswerValidator<'_> {
    pub(crate) fn hover_info(&self, raw: wit::HoverInfo) -> Result<HoverInfo> {
        let text = |text: Option<String>| text.map(|text| escaped_text(text, MAX_TEXT_BYTES));
        let notes = raw.notes.into_iter().take(MAX_NOTES).map(|note| {
            Ok(Note {
                label: escaped_line(note.label, MAX_NAME_BYTES),
                text: escaped_text(note.text, MAX_TEXT_BYTES),
                location: note.location.map(|place| self.file_location(place)).transpose()?,
            })
        });
        Ok(HoverInfo {
            notes: notes.collect::<Result<_>>()?,
            name: truncate(raw.name, MAX_NAME_BYTES),
            kind: escaped_line(raw.kind, MAX_NAME_BYTES),
            span: self.span(raw.span, "place")?,
            r#type: text(raw.type_),
            code: text(raw.code),
            documentation: text(raw.documentation),
            declaration: raw.declared.map(|place| self.file_location(place)).transpose()?,
        })
    }

    fn file_location(&self, place: wit::FileLocation) -> Result<FileLocation> {
        Ok((self.relative_path(place.path)?, place.offset as usize))
    }

    pub(crate) fn file_locations(&self, list: Vec<wit::FileLocation>) -> Result<Vec<FileLocation>> {
        self.convert_list(list, ItemKind::Places, |place| self.file_location(place))
    }

    pub(crate) fn related_symbols(&self, list: Vec<wit::RelatedSymbol>) -> Result<Vec<RelatedSymbol>> {
        self.convert_list(list, ItemKind::Relations, |related| {
            Ok(RelatedSymbol {
                span: self.span(related.span, "relation")?,
                name: truncate(related.name, MAX_NAME_BYTES),
                address: related.address,
                specifier: related.from,
                declared: related.declared.map(|place| self.file_location(place)).transpose()?,
            })
        })
    }

    pub(crate) fn semantic_diagnostics(&self, raw: wit::SemanticDiagnostics) -> Result<SemanticDiagnostics> {
        self.check_count(raw.checked.len(), ItemKind::Places)?;
        let mut checked: Vec<CheckArea> = raw.checked.into_iter().map(check_area).collect();
        checked.sort_unstable();
        checked.dedup();
        let list =
            self.convert_list(raw.diagnostics, ItemKind::Findings, |finding| self.semantic_diagnostic(finding))?;
        Ok(SemanticDiagnostics { checked, diagnostics: list })
    }

    fn semantic_diagnostic(&self, raw: wit::SemanticDiagnostic) -> Result<SemanticDiagnostic> {
        if raw.only_if.len() > MAX_CONDITIONS {
            return Err(self.invalid_answer(format_args!("a diagnostic with {} conditions", raw.only_if.len())));
        }
        let condition = |raw| match raw {
            wit::Condition::DeclaredNowhere(name) => Condition::DeclaredNowhere(shared_name(name)),
            wit::Condition::Exported(name) => Condition::Exported(name),
        };
        let fix = |raw: wit::Fix| QuickFix {
            refactor: truncate(raw.refactor, 60),
            arguments: raw.arguments.into_iter().take(50).map(|given| (given.name, given.value)).collect(),
        };
        Ok(SemanticDiagnostic {
            area: check_area(raw.area),
            diagnostic: self.diagnostic(raw.diagnostic)?,
            conditions: raw.only_if.into_iter().map(condition).collect(),
            fix: raw.fix.map(fix),
        })
    }

    pub(crate) fn manifest_names(&self, names: Vec<String>) -> Result<Vec<String>> {
        if names.len() > MAX_MANIFEST_ITEMS
            || names.iter().any(|name| name.is_empty() || name.contains(['/', '\\', '\0']))
        {
            return Err(self.invalid_answer("names of manifests that are not file names"));
        }
        Ok(names)
    }

    pub(crate) fn manifest(&self, raw: wit::Manifest) -> Result<Manifest> {
        let name = |name: String| truncate(name, MAX_NAME_BYTES);
        let script =
            |script: wit::Script| (truncate(script.name, MAX_NAME_BYTES), truncate(script.command, MAX_TEXT_BYTES));
        self.check_text_size(
            raw.scripts.iter().map(|script| script.name.len() + script.command.len()).sum(),
            "scripts",
        )?;
        Ok(Manifest {
            name: raw.name.map(name),
            version: raw.version.map(name),
            manager: raw.manager.map(name),
            scripts: raw.scripts.into_iter().take(MAX_MANIFEST_ITEMS).map(script).collect(),
            workspaces: raw.workspaces.into_iter().take(MAX_MANIFEST_ITEMS).map(name).collect(),
        })
    }
}
