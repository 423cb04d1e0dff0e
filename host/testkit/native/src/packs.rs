//! All packs of this repository as libraries, and the fixture language, with the mapping of files to packs.

use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use marquetry_model::{
    Error, Kind, Result,
    pack::Description,
    ports::{Files, Pack, Packs, PluginInfo},
};

use crate::{
    pack::{AnyPack, Native},
    toy::Toy,
};

/// The packs, without a sandbox.
pub struct NativePacks {
    packs: Vec<Arc<dyn AnyPack>>,
    /// Each pattern with its precedence and the index of its pack. A pattern without wildcards takes precedence, then
    /// the one with the most fixed characters.
    routes: Vec<(GlobMatcher, (bool, usize), usize)>,
}

impl Default for NativePacks {
    fn default() -> NativePacks {
        let packs: Vec<Arc<dyn AnyPack>> = vec![
            Arc::new(Native::<marquetry_css::Css>::with_symbols().with_refactors().with_hover().with_search()),
            Arc::new(
                Native::<marquetry_go::Go>::with_symbols().with_refactors().with_hover().with_search().with_mentions(),
            ),
            Arc::new(Native::<marquetry_html::Html>::with_symbols().with_refactors().with_hover().with_search()),
            Arc::new(Native::<marquetry_json::Json>::with_symbols().with_refactors().with_hover()),
            Arc::new(Native::<marquetry_markdown::Markdown>::with_symbols().with_refactors().with_hover()),
            Arc::new(
                Native::<marquetry_python::Python>::with_symbols()
                    .with_refactors()
                    .with_hover()
                    .with_search()
                    .with_mentions(),
            ),
            Arc::new(Native::<marquetry_rust::Rust>::with_symbols().with_refactors().with_hover().with_search()),
            Arc::new(Native::<marquetry_toml::Toml>::with_symbols().with_refactors().with_hover()),
            Arc::new(
                Native::<marquetry_typescript::TypeScript>::with_symbols().with_refactors().with_hover().with_search(),
            ),
            Arc::new(Native::<marquetry_xml::Xml>::with_symbols().with_refactors().with_hover().with_search()),
            Arc::new(Native::<marquetry_yaml::Yaml>::with_symbols().with_refactors().with_hover()),
            Arc::new(Native::<marquetry_text::Text>::without_interfaces()),
            Arc::new(Native::<Toy>::with_symbols().with_refactors()),
        ];
        let mut routes = Vec::new();
        for (index, pack) in packs.iter().enumerate() {
            for pattern in &pack.description().files {
                let glob = Glob::new(pattern).expect("a pattern").compile_matcher();
                let exact = !pattern.contains(['*', '?', '[', '{']);
                let fixed = pattern.chars().filter(|c| !matches!(c, '*' | '?')).count();
                routes.push((glob, (exact, fixed), index));
            }
        }
        NativePacks { packs, routes }
    }
}

impl NativePacks {
    fn bind_pack(&self, index: usize, files: &Arc<dyn Files>) -> Arc<dyn Pack> {
        Arc::clone(&self.packs[index]).bind(files)
    }
}

impl Packs for NativePacks {
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let fits = |glob: &GlobMatcher| glob.is_match(name) || glob.is_match(path);
        match self.routes.iter().filter(|(glob, ..)| fits(glob)).max_by_key(|(_, weight, _)| *weight) {
            Some((.., index)) => Ok(self.bind_pack(*index, files)),
            None => Err(Error::new(Kind::Unsupported, format!("no language pack handles `{name}`"))),
        }
    }

    fn for_language(&self, files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>> {
        let language = language.to_ascii_lowercase();
        match self.packs.iter().position(|pack| pack.description().id == language) {
            Some(index) => Ok(self.bind_pack(index, files)),
            None => self.for_path(files, &format!("embedded.{language}")),
        }
    }

    fn descriptions(&self, _files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        self.packs.iter().map(|pack| Arc::clone(pack.description())).collect()
    }

    fn plugins(&self, _files: &Arc<dyn Files>) -> Vec<PluginInfo> {
        Vec::new()
    }
}
