//! Converts the description of a pack.

use marquetry_model::{Result, escape::escape_text, pack};

use super::{AnswerValidator, escaped_line, names, truncate};
use crate::bindings::marquetry::language::types as wit;

impl AnswerValidator<'_> {
    pub(crate) fn description(&self, raw: wit::Description) -> Result<pack::Description> {
        let size = raw.help.len()
            + raw.settings_schema.len()
            + raw.templates.iter().map(|template| template.body.len()).sum::<usize>();
        if size > 1 << 20 {
            return Err(self.invalid_answer(format_args!("a description of {size} bytes; at most 1 MiB is allowed")));
        }
        if !names::is_id(&raw.id) {
            return Err(self.invalid_answer(format_args!(
                "the name `{}`; names have letters, digits, `-`, `_`, `.`",
                escaped_line(raw.id, 100)
            )));
        }
        names::check_patterns(&raw.files).map_err(|why| self.invalid_answer(why))?;
        semver::Version::parse(&raw.version).map_err(|_| {
            self.invalid_answer(format_args!(
                "`{}`, which is not a semantic version",
                truncate(raw.version.clone(), 100)
            ))
        })?;
        let regions: Vec<_> = raw
            .regions
            .into_iter()
            .map(|region| pack::Named { name: region.name, summary: escaped_line(region.summary, 4_000) })
            .collect();
        let targets = raw.targets.into_iter().map(|target| pack::TargetHelp {
            kind: target_kind(target.kind),
            syntax: escaped_line(target.syntax, 4_000),
            examples: target.examples,
        });
        Ok(pack::Description {
            id: raw.id,
            name: escaped_line(raw.name, 200),
            version: raw.version,
            files: raw.files,
            targets: with_host_targets(targets.collect(), &regions),
            regions,
            templates: raw
                .templates
                .into_iter()
                .map(|t| pack::Template {
                    name: escaped_line(t.name, 200),
                    summary: escaped_line(t.summary, 4_000),
                    extension: escaped_line(t.extension, 60),
                    body: t.body,
                })
                .collect(),
            settings_schema: raw.settings_schema,
            relinks: raw.relinks,
            help: escape_text(&raw.help),
            refactors: Vec::new(),
        })
    }
}

/// Adds the kinds of target that the host provides for every pack.
fn with_host_targets(mut targets: Vec<pack::TargetHelp>, regions: &[pack::Named]) -> Vec<pack::TargetHelp> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    if !regions.is_empty() && targets.iter().all(|target| target.kind != pack::TargetKind::Region) {
        targets.push(pack::TargetHelp {
            kind: pack::TargetKind::Region,
            syntax: "the name of a part of the document".to_owned(),
            examples: regions.iter().take(2).map(|region| region.name.clone()).collect(),
        });
    }
    targets.push(pack::TargetHelp {
        kind: pack::TargetKind::Lines,
        syntax: "`first-last`, both included, counted from 1".to_owned(),
        examples: owned(&["7", "7-12"]),
    });
    targets
}

fn target_kind(kind: wit::TargetKind) -> pack::TargetKind {
    match kind {
        wit::TargetKind::Symbol => pack::TargetKind::Symbol,
        wit::TargetKind::Path => pack::TargetKind::Path,
        wit::TargetKind::Selector => pack::TargetKind::Selector,
        wit::TargetKind::Xpath => pack::TargetKind::Xpath,
        wit::TargetKind::Heading => pack::TargetKind::Heading,
        wit::TargetKind::Region => pack::TargetKind::Region,
    }
}
