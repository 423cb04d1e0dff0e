//! Serialized form of plugin descriptions in the cache.

use marquetry_model::{
    pack,
    refactor::{ArgumentHelp, Refactor, RefactorLocation},
};
use serde::{Deserialize, Serialize};

/// Serialized description.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CachedDescription {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) files: Vec<String>,
    pub(crate) targets: Vec<(u8, String, Vec<String>)>,
    pub(crate) regions: Vec<(String, String)>,
    pub(crate) templates: Vec<[String; 4]>,
    pub(crate) settings_schema: String,
    pub(crate) relinks: bool,
    pub(crate) help: String,
    pub(crate) refactors: Vec<CachedRefactor>,
}

/// Serialized refactor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CachedRefactor {
    id: String,
    title: String,
    place: u8,
    /// Name, summary, values, whether it is required.
    arguments: Vec<(String, String, Vec<String>, bool)>,
    asks_exporters: bool,
}

impl From<&Refactor> for CachedRefactor {
    fn from(r: &Refactor) -> CachedRefactor {
        let arguments = r.arguments.iter();
        CachedRefactor {
            id: r.id.clone(),
            title: r.title.clone(),
            place: RefactorLocation::ALL.iter().position(|known| *known == r.location).unwrap_or(0) as u8,
            arguments: arguments.map(|a| (a.name.clone(), a.summary.clone(), a.values.clone(), a.required)).collect(),
            asks_exporters: r.needs_exporters,
        }
    }
}

impl From<CachedRefactor> for Refactor {
    fn from(r: CachedRefactor) -> Refactor {
        let argument = |(name, summary, values, required)| ArgumentHelp { name, summary, values, required };
        Refactor {
            id: r.id,
            title: r.title,
            location: RefactorLocation::ALL.get(r.place as usize).copied().unwrap_or(RefactorLocation::Document),
            arguments: r.arguments.into_iter().map(argument).collect(),
            needs_exporters: r.asks_exporters,
        }
    }
}

impl From<&pack::Description> for CachedDescription {
    fn from(d: &pack::Description) -> CachedDescription {
        let index = |kind| pack::TargetKind::ALL.iter().position(|known| *known == kind).unwrap_or(0) as u8;
        CachedDescription {
            id: d.id.clone(),
            name: d.name.clone(),
            version: d.version.clone(),
            files: d.files.clone(),
            targets: d.targets.iter().map(|t| (index(t.kind), t.syntax.clone(), t.examples.clone())).collect(),
            regions: d.regions.iter().map(|r| (r.name.clone(), r.summary.clone())).collect(),
            templates: d
                .templates
                .iter()
                .map(|t| [t.name.clone(), t.summary.clone(), t.extension.clone(), t.body.clone()])
                .collect(),
            settings_schema: d.settings_schema.clone(),
            relinks: d.relinks,
            help: d.help.clone(),
            refactors: d.refactors.iter().map(CachedRefactor::from).collect(),
        }
    }
}

impl From<CachedDescription> for pack::Description {
    fn from(d: CachedDescription) -> pack::Description {
        let kind = |index: u8| pack::TargetKind::ALL.get(index as usize).copied().unwrap_or(pack::TargetKind::Lines);
        pack::Description {
            id: d.id,
            name: d.name,
            version: d.version,
            files: d.files,
            targets: d
                .targets
                .into_iter()
                .map(|(k, syntax, examples)| pack::TargetHelp { kind: kind(k), syntax, examples })
                .collect(),
            regions: d.regions.into_iter().map(|(name, summary)| pack::Named { name, summary }).collect(),
            templates: d
                .templates
                .into_iter()
                .map(|[name, summary, extension, body]| pack::Template { name, summary, extension, body })
                .collect(),
            settings_schema: d.settings_schema,
            relinks: d.relinks,
            help: d.help,
            refactors: d.refactors.into_iter().map(Refactor::from).collect(),
        }
    }
}
