//! Which plugin takes which files: all patterns at once, and what each of them leads to.

use globset::{Glob, GlobSet, GlobSetBuilder};

/// The routes of one project.
pub(crate) struct Routes {
    patterns: GlobSet,
    list: Vec<Route>,
    lost: Vec<String>,
}

/// A plugin, and how specific its pattern is.
pub(crate) struct Route {
    weight: (bool, usize),
    pub(crate) id: String,
    /// The digest of its file; none where it cannot be used.
    pub(crate) sha256: Option<String>,
}

/// Collects routes.
pub(crate) struct RoutesBuilder {
    patterns: GlobSetBuilder,
    list: Vec<Route>,
    lost: Vec<String>,
}

impl RoutesBuilder {
    pub(crate) fn new() -> RoutesBuilder {
        RoutesBuilder { patterns: GlobSetBuilder::new(), list: Vec::new(), lost: Vec::new() }
    }

    /// A plugin that takes these files.
    pub(crate) fn add(&mut self, id: &str, files: &[String], sha256: Option<&String>) {
        for pattern in files {
            match Glob::new(pattern) {
                Ok(glob) => {
                    self.patterns.add(glob);
                    self.list.push(Route { weight: weight(pattern), id: id.to_owned(), sha256: sha256.cloned() });
                }
                Err(error) => tracing::warn!(plugin = id, "{error}"),
            }
        }
    }

    /// A plugin that could not be loaded, so that nobody knows which files are its own.
    pub(crate) fn add_lost(&mut self, id: &str) {
        self.lost.push(id.to_owned());
    }

    pub(crate) fn build(self) -> Routes {
        let patterns = self.patterns.build().unwrap_or_else(|error| {
            tracing::warn!("the patterns of the plugins: {error}");
            GlobSet::empty()
        });
        Routes { patterns, list: self.list, lost: self.lost }
    }
}

impl Routes {
    /// The route of a file, by its name or its whole path.
    pub(crate) fn best(&self, name: &str, path: &str) -> Option<&Route> {
        let mut fitting = self.patterns.matches(name);
        if path.len() > name.len() {
            fitting.extend(self.patterns.matches(path));
            fitting.sort_unstable();
        }
        fitting.into_iter().map(|index| &self.list[index]).max_by_key(|route| route.weight)
    }

    /// The plugins whose files are not known.
    pub(crate) fn lost(&self) -> impl Iterator<Item = &str> {
        self.lost.iter().map(String::as_str)
    }
}

impl Route {
    /// Whether the plugin takes what no other one takes.
    pub(crate) fn takes_everything(&self) -> bool {
        self.weight == (false, 0)
    }
}

/// Exact names before patterns, longer patterns before shorter ones.
fn weight(pattern: &str) -> (bool, usize) {
    (!pattern.contains(['*', '?', '[', '{']), pattern.chars().filter(|c| !matches!(c, '*' | '?')).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_weigh_more_than_patterns_and_longer_patterns_more_than_shorter() {
        let lightest_first = ["*", "*.md", "*.json", "pack*.json", "*.config.json", "Makefile", "package.json"];
        for pair in lightest_first.windows(2) {
            assert!(weight(pair[0]) < weight(pair[1]), "{} and {}", pair[0], pair[1]);
        }
        assert_eq!(weight("a?c"), weight("ac*"), "wildcards weigh nothing");
        for pattern in ["*.x", "a?", "[ab].x", "{a,b}.x"] {
            assert!(!weight(pattern).0, "{pattern} is no exact name");
        }
    }

    #[test]
    fn what_cannot_be_loaded_keeps_its_files() {
        let mut routes = RoutesBuilder::new();
        routes.add("text", &["*".to_owned()], None);
        routes.add("own", &["*.x".to_owned(), "[".to_owned()], None);
        routes.add_lost("gone");
        let routes = routes.build();
        let best =
            |path: &str| routes.best(path.rsplit('/').next().unwrap_or(path), path).map(|route| route.id.as_str());
        assert_eq!((best("a/b.x"), best("a/b.y")), (Some("own"), Some("text")));
        assert!(routes.best("b.y", "b.y").is_some_and(Route::takes_everything));
        assert_eq!(routes.lost().collect::<Vec<_>>(), ["gone"]);
    }
}
