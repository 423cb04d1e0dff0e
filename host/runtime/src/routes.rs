//! Selects the plugin for a file by matching all patterns at once.
//!
//! An exact name takes precedence over a pattern, and a longer pattern over a shorter one. If two are equal, a plugin
//! named by the project takes precedence over a bundled one, and otherwise the first by name. To change this, set
//! `files` of a plugin in the registry.

use std::cmp::Reverse;

use globset::{Glob, GlobSet, GlobSetBuilder};
use marquetry_model::ports::Overlap;

use crate::file_access::sample_names;

/// The routes of one project.
pub(crate) struct Routes {
    patterns: GlobSet,
    list: Vec<Route>,
    lost: Vec<String>,
    /// True if one of the plugins in `lost` is still being loaded, so that its patterns will be known soon.
    is_partial: bool,
}

/// A pattern of a plugin, with its precedence.
pub(crate) struct Route {
    weight: (bool, usize),
    pattern: String,
    /// True if the project named the plugin, rather than the default registry.
    is_own: bool,
    pub(crate) id: String,
    /// Digest of the plugin's file; `None` if the plugin cannot be loaded.
    pub(crate) sha256: Option<String>,
}

/// Collects routes.
pub(crate) struct RoutesBuilder {
    patterns: GlobSetBuilder,
    list: Vec<Route>,
    lost: Vec<String>,
    is_partial: bool,
}

impl RoutesBuilder {
    pub(crate) fn new() -> RoutesBuilder {
        RoutesBuilder { patterns: GlobSetBuilder::new(), list: Vec::new(), lost: Vec::new(), is_partial: false }
    }

    /// Adds a plugin that handles files with these patterns.
    pub(crate) fn add(&mut self, id: &str, files: &[String], sha256: Option<&String>, is_own: bool) {
        for pattern in files {
            match Glob::new(pattern) {
                Ok(glob) => {
                    self.patterns.add(glob);
                    let (weight, pattern, id) = (precedence(pattern), pattern.clone(), id.to_owned());
                    self.list.push(Route { weight, pattern, is_own, id, sha256: sha256.cloned() });
                }
                Err(error) => tracing::warn!(plugin = id, "{error}"),
            }
        }
    }

    /// Adds a plugin that could not be loaded, so that its patterns are unknown.
    pub(crate) fn add_unloaded(&mut self, id: &str) {
        self.lost.push(id.to_owned());
    }

    /// Adds a plugin that is still being loaded to get its patterns.
    pub(crate) fn add_loading(&mut self, id: &str) {
        self.is_partial = true;
        self.add_unloaded(id);
    }

    pub(crate) fn build(self) -> Routes {
        let patterns = self.patterns.build().unwrap_or_else(|error| {
            tracing::warn!("the patterns of the plugins: {error}");
            GlobSet::empty()
        });
        Routes { patterns, list: self.list, lost: self.lost, is_partial: self.is_partial }
    }
}

impl Routes {
    /// Returns the best route of a file, matched by its name or whole path.
    pub(crate) fn best_route(&self, name: &str, path: &str) -> Option<&Route> {
        self.matching_routes(name, path).max_by_key(|route| (route.weight, route.is_own, Reverse(&route.id)))
    }

    /// Returns all routes of a file.
    fn matching_routes(&self, name: &str, path: &str) -> impl Iterator<Item = &Route> {
        let mut fitting = self.patterns.matches(name);
        if path.len() > name.len() {
            fitting.extend(self.patterns.matches(path));
            fitting.sort_unstable();
        }
        fitting.into_iter().map(|index| &self.list[index])
    }

    /// Returns the overlaps of these patterns with those of other plugins. Plugins that handle all files as a fallback
    /// are left out.
    pub(crate) fn overlaps(&self, id: &str, patterns: &[String], is_own: bool) -> Vec<Overlap> {
        let foreign: Vec<&Route> =
            self.list.iter().filter(|route| route.id != id && !route.takes_everything()).collect();
        let own = |pattern: &String| (pattern.clone(), precedence(pattern));
        let mut all: Vec<Overlap> = Vec::new();
        for (pattern, own) in patterns.iter().map(own).filter(|(_, weight)| *weight != (false, 0)) {
            let Ok(glob) = Glob::new(&pattern).map(|glob| glob.compile_matcher()) else { continue };
            for other in &foreign {
                let meets = sample_names(&other.pattern).iter().any(|name| glob.is_match(name))
                    || Glob::new(&other.pattern).is_ok_and(|glob| {
                        let glob = glob.compile_matcher();
                        sample_names(&pattern).iter().any(|name| glob.is_match(name))
                    });
                if meets && !all.iter().any(|known| known.pattern == pattern && known.other == other.id) {
                    let wins = (own, is_own, Reverse(id)) > (other.weight, other.is_own, Reverse(other.id.as_str()));
                    all.push(Overlap { pattern: pattern.clone(), other: other.id.clone(), wins });
                }
            }
        }
        all
    }

    /// Returns whether no plugin is still being loaded. Complete routes stay valid until a plugin changes.
    pub(crate) fn is_complete(&self) -> bool {
        !self.is_partial
    }

    /// Returns the plugins whose patterns are unknown.
    pub(crate) fn unloaded(&self) -> impl Iterator<Item = &str> {
        self.lost.iter().map(String::as_str)
    }
}

impl Route {
    /// Returns whether the plugin is the fallback for all files.
    pub(crate) fn takes_everything(&self) -> bool {
        self.weight == (false, 0)
    }
}

/// Returns the precedence: exact names before patterns, longer patterns before shorter ones.
fn precedence(pattern: &str) -> (bool, usize) {
    (!pattern.contains(['*', '?', '[', '{']), pattern.chars().filter(|c| !matches!(c, '*' | '?')).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_precede_patterns_and_longer_precede_shorter() {
        let lightest_first = ["*", "*.md", "*.json", "pack*.json", "*.config.json", "Makefile", "package.json"];
        for pair in lightest_first.windows(2) {
            assert!(precedence(pair[0]) < precedence(pair[1]), "{} and {}", pair[0], pair[1]);
        }
        assert_eq!(precedence("a?c"), precedence("ac*"), "wildcards must not count for the precedence");
        for pattern in ["*.x", "a?", "[ab].x", "{a,b}.x"] {
            assert!(!precedence(pattern).0, "{pattern} is not an exact name");
        }
    }

    #[test]
    fn plugin_that_cannot_be_loaded_keeps_its_files() {
        let mut routes = RoutesBuilder::new();
        routes.add("text", &["*".to_owned()], None, false);
        routes.add("own", &["*.x".to_owned(), "[".to_owned()], None, true);
        routes.add_unloaded("gone");
        let routes = routes.build();
        let best = |path: &str| {
            routes.best_route(path.rsplit('/').next().unwrap_or(path), path).map(|route| route.id.as_str())
        };
        assert_eq!((best("a/b.x"), best("a/b.y")), (Some("own"), Some("text")));
        assert!(routes.best_route("b.y", "b.y").is_some_and(Route::takes_everything));
        assert_eq!((routes.unloaded().collect::<Vec<_>>(), routes.is_complete()), (vec!["gone"], true));
        let mut routes = RoutesBuilder::new();
        routes.add_loading("slow");
        let routes = routes.build();
        assert_eq!((routes.unloaded().collect::<Vec<_>>(), routes.is_complete()), (vec!["slow"], false));
    }

    fn routes(list: &[(&str, &[&str], bool)]) -> Routes {
        let mut routes = RoutesBuilder::new();
        for (id, files, is_own) in list {
            let files: Vec<String> = files.iter().map(|pattern| (*pattern).to_owned()).collect();
            routes.add(id, &files, None, *is_own);
        }
        routes.build()
    }

    #[test]
    fn project_plugin_precedes_bundled_one_at_the_same_pattern() {
        let routes = routes(&[
            ("aaa", &["*.json"], false),
            ("dup", &["*.json", "*.dup"], true),
            ("zzz", &["*.json"], true),
            ("json", &["*.json", "package.json"], false),
        ]);
        let best = |name: &str| routes.best_route(name, name).map(|route| route.id.as_str());
        assert_eq!(
            (best("a.json"), best("a.dup")),
            (Some("dup"), Some("dup")),
            "of two equal plugins of the project, the first by name must win"
        );
        assert_eq!(best("package.json"), Some("json"), "an exact name must win over a pattern of any plugin");
    }

    #[test]
    fn overlaps_are_found_from_both_sides_and_name_the_winner() {
        let routes = routes(&[
            ("dup", &["*.json", "*.dup", "data.toml"], true),
            ("json", &["*.json", "package.json"], false),
            ("text", &["*"], false),
            ("toml", &["*.toml"], false),
        ]);
        let patterns = |list: &[&str]| list.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>();
        let overlap =
            |pattern: &str, other: &str, wins| Overlap { pattern: pattern.to_owned(), other: other.to_owned(), wins };
        assert_eq!(
            routes.overlaps("dup", &patterns(&["*.json", "*.dup", "data.toml"]), true),
            [overlap("*.json", "json", true), overlap("data.toml", "toml", true)]
        );
        assert_eq!(
            routes.overlaps("json", &patterns(&["*.json", "package.json"]), false),
            [overlap("*.json", "dup", false), overlap("package.json", "dup", true)]
        );
        assert_eq!(
            routes.overlaps("text", &patterns(&["*"]), false),
            [],
            "there is no conflict if no other plugin handles the file"
        );
    }
}
