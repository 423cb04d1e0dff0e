//! Converts hover information and diagnostics beyond syntax errors.

use marquetry_model::{
    Result,
    insight::{Area, Card, Condition, FilePlace, Finding, Findings, Fix, Manifest, Note, Related},
};

use super::{Checked, bounds::Of, clip, line, lines, shared};
use crate::bindings::marquetry::language::types as wit;

/// Maximum bytes of names and labels.
const LONGEST_NAME: usize = 1_000;
/// Maximum bytes of types, code and notes, which are shown to users and not parsed.
const LONGEST_TEXT: usize = 20_000;
/// Maximum number of notes about one position.
const MOST_NOTES: usize = 200;
/// Maximum number of conditions of one diagnostic.
const MOST_CONDITIONS: usize = 20;
/// Maximum number of scripts and folders of a manifest, and of manifest names.
const MOST_LISTED: usize = 1_000;

fn area(area: wit::Area) -> Area {
    match area {
        wit::Area::Links => Area::Links,
        wit::Area::Names => Area::Names,
    }
}

impl Checked<'_> {
    pub(crate) fn card(&self, said: wit::Card) -> Result<Card> {
        let text = |text: Option<String>| text.map(|text| lines(text, LONGEST_TEXT));
        let notes = said.notes.into_iter().take(MOST_NOTES).map(|note| {
            Ok(Note {
                label: line(note.label, LONGEST_NAME),
                text: lines(note.text, LONGEST_TEXT),
                place: note.place.map(|place| self.file_place(place)).transpose()?,
            })
        });
        Ok(Card {
            notes: notes.collect::<Result<_>>()?,
            name: clip(said.name, LONGEST_NAME),
            kind: line(said.kind, LONGEST_NAME),
            span: self.span(said.span, "place")?,
            r#type: text(said.type_),
            code: text(said.code),
            documentation: text(said.documentation),
            declared: said.declared.map(|place| self.file_place(place)).transpose()?,
        })
    }

    fn file_place(&self, place: wit::Place) -> Result<FilePlace> {
        Ok((self.path(place.path)?, place.offset as usize))
    }

    pub(crate) fn places(&self, list: Vec<wit::Place>) -> Result<Vec<FilePlace>> {
        self.each(list, Of::Places, |place| self.file_place(place))
    }

    pub(crate) fn related(&self, list: Vec<wit::Related>) -> Result<Vec<Related>> {
        self.each(list, Of::Relations, |related| {
            Ok(Related {
                span: self.span(related.span, "relation")?,
                name: clip(related.name, LONGEST_NAME),
                address: related.address,
                from: related.from,
                declared: related.declared.map(|place| self.file_place(place)).transpose()?,
            })
        })
    }

    pub(crate) fn findings(&self, said: wit::Inspection) -> Result<Findings> {
        self.count(said.checked.len(), Of::Places)?;
        let mut checked: Vec<Area> = said.checked.into_iter().map(area).collect();
        checked.sort_unstable();
        checked.dedup();
        let list = self.each(said.findings, Of::Findings, |finding| self.finding(finding))?;
        Ok(Findings { checked, list })
    }

    fn finding(&self, said: wit::Finding) -> Result<Finding> {
        if said.only_if.len() > MOST_CONDITIONS {
            return Err(self.broken(format_args!("a diagnostic with {} conditions", said.only_if.len())));
        }
        let condition = |said| match said {
            wit::Condition::DeclaredNowhere(name) => Condition::DeclaredNowhere(shared(name)),
            wit::Condition::Exported(name) => Condition::Exported(name),
        };
        let fix = |said: wit::Fix| Fix {
            refactor: clip(said.refactor, 60),
            arguments: said.arguments.into_iter().take(50).map(|given| (given.name, given.value)).collect(),
        };
        Ok(Finding {
            area: area(said.area),
            problem: self.problem(said.problem)?,
            only_if: said.only_if.into_iter().map(condition).collect(),
            fix: said.fix.map(fix),
        })
    }

    pub(crate) fn manifest_names(&self, said: Vec<String>) -> Result<Vec<String>> {
        if said.len() > MOST_LISTED || said.iter().any(|name| name.is_empty() || name.contains(['/', '\\', '\0'])) {
            return Err(self.broken("names of manifests that are not file names"));
        }
        Ok(said)
    }

    pub(crate) fn manifest(&self, said: wit::Manifest) -> Result<Manifest> {
        let name = |name: String| clip(name, LONGEST_NAME);
        let script = |script: wit::Script| (clip(script.name, LONGEST_NAME), clip(script.command, LONGEST_TEXT));
        self.sized(said.scripts.iter().map(|script| script.name.len() + script.command.len()).sum(), "scripts")?;
        Ok(Manifest {
            name: said.name.map(name),
            version: said.version.map(name),
            manager: said.manager.map(name),
            scripts: said.scripts.into_iter().take(MOST_LISTED).map(script).collect(),
            workspaces: said.workspaces.into_iter().take(MOST_LISTED).map(name).collect(),
        })
    }
}
