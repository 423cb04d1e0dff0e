//! Visibility: which files can reference each other. A file can reference the targets of its links, transitively, and
//! the global declarations of files with the same pack.
//!
//! Declarations in two files can be related only if some file can reference both files. Only in such a file can a value
//! of one type be used as a value of the other, or one declaration replace the other.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::entry::{Entry, JOINED_SCOPE, LinkFact, POSSIBLE_LINK, Target};

/// Visibility graph. Files are indices into the workspace.
#[derive(Debug, Default)]
pub(crate) struct VisibilityGraph {
    /// Files that each file links to.
    links_to: Vec<Vec<u32>>,
    /// Files that link to each file.
    linked_from: Vec<Vec<u32>>,
    /// Pack of each file, as a number.
    engines: Vec<u32>,
    /// For each pack, the files with global declarations.
    global_declarers: HashMap<u32, Vec<u32>>,
}

/// A set of files with a work list.
struct ReachedFiles {
    is_in: Vec<bool>,
    pending: Vec<u32>,
}

impl ReachedFiles {
    fn empty(count: usize) -> ReachedFiles {
        ReachedFiles { is_in: vec![false; count], pending: Vec::new() }
    }

    fn add(&mut self, file: u32) {
        if !std::mem::replace(&mut self.is_in[file as usize], true) {
            self.pending.push(file);
        }
    }
}

/// Returns whether a link lets two files reference each other: it joins their scopes, or it adds the declarations of
/// one file to the other.
fn is_mutual(link: &LinkFact) -> bool {
    link.names.iter().any(|name| name == JOINED_SCOPE) || link.type_only && link.names.is_empty()
}

/// Returns whether a file exports, imports, declares or uses names of other files.
fn has_names(entry: &Entry) -> bool {
    entry.names.as_ref().is_some_and(|names| {
        let groups = [names.shared.len(), names.free.len(), names.exports.len(), names.imports.len()];
        groups.iter().any(|count| *count > 0)
    })
}

impl VisibilityGraph {
    /// Builds the graph from entries that are sorted by path.
    pub(crate) fn new(entries: &[Arc<Entry>]) -> VisibilityGraph {
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let mut graph = VisibilityGraph {
            links_to: vec![Vec::new(); entries.len()],
            linked_from: vec![Vec::new(); entries.len()],
            ..VisibilityGraph::default()
        };
        let mut engines: HashMap<&str, u32> = HashMap::new();
        // Links of formats without names do not relate declarations to each other.
        let knowing: HashSet<&str> =
            entries.iter().filter(|entry| has_names(entry)).map(|entry| entry.engine.as_str()).collect();
        for (index, entry) in entries.iter().enumerate() {
            let next = number(engines.len());
            let engine = *engines.entry(entry.engine.as_str()).or_insert(next);
            graph.engines.push(engine);
            if entry.names.as_ref().is_some_and(|names| !names.shared.is_empty()) {
                graph.global_declarers.entry(engine).or_default().push(number(index));
            }
            if !knowing.contains(entry.engine.as_str()) {
                continue;
            }
            for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
                let Target::Inside(path) = target else { continue };
                let found = entries.binary_search_by(|other| other.path.as_str().cmp(path));
                let Some(other) = found.ok().filter(|_| link.kind != POSSIBLE_LINK) else { continue };
                graph.add_link(index, other);
                if is_mutual(link) {
                    graph.add_link(other, index);
                }
            }
        }
        graph
    }

    fn add_link(&mut self, from: usize, to: usize) {
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        self.links_to[from].push(number(to));
        self.linked_from[to].push(number(from));
    }

    /// Returns all files that can reference one of these files.
    fn referencing_files(&self, of: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut reached = ReachedFiles::empty(self.links_to.len());
        of.for_each(|file| reached.add(file));
        let mut referencing = Vec::new();
        while let Some(file) = reached.pending.pop() {
            self.linked_from[file as usize].iter().for_each(|other| reached.add(*other));
            let engine = self.engines[file as usize];
            let is_everywhere =
                || self.global_declarers.get(&engine).is_some_and(|all| all.binary_search(&file).is_ok());
            if !referencing.contains(&engine) && is_everywhere() {
                referencing.push(engine);
                let same = (0..).zip(&self.engines).filter(|(_, other)| **other == engine);
                same.for_each(|(other, _)| reached.add(other));
            }
        }
        reached.is_in
    }

    /// Returns all files that can reference one of these files, and all files that those files can reference.
    pub(crate) fn related(&self, to: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut reached = ReachedFiles::empty(self.links_to.len());
        for (file, sees) in (0..).zip(self.referencing_files(to)) {
            if sees {
                reached.add(file);
            }
        }
        let mut found = Vec::new();
        while let Some(file) = reached.pending.pop() {
            self.links_to[file as usize].iter().for_each(|other| reached.add(*other));
            let engine = self.engines[file as usize];
            if !found.contains(&engine) {
                found.push(engine);
                self.global_declarers.get(&engine).into_iter().flatten().for_each(|other| reached.add(*other));
            }
        }
        reached.is_in
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Names;

    /// Parses an entry from `path: >seen.path ~joined.path ?possible.path !declared`.
    fn entry(line: &str) -> Arc<Entry> {
        let (path, rest) = line.split_once(':').expect("a path");
        let (mut links, mut targets, mut names) = (Vec::new(), Vec::new(), Names::default());
        names.free.push(("script".to_owned(), "x".to_owned()));
        for word in rest.split_whitespace() {
            let (sign, name) = word.split_at(1);
            if sign == "!" {
                names.shared.push(("script".to_owned(), name.to_owned()));
                continue;
            }
            links.push(LinkFact {
                kind: if sign == "?" { POSSIBLE_LINK } else { "import" }.to_owned(),
                specifier: name.to_owned(),
                span: (0, 0),
                names: if sign == "~" { vec![JOINED_SCOPE.to_owned()] } else { vec!["x".to_owned()] },
                type_only: false,
            });
            targets.push(Target::Inside(name.to_owned()));
        }
        Arc::new(Entry {
            path: path.to_owned(),
            size: 0,
            modified: 0,
            read: 0,
            hash: String::new(),
            words: crate::word_filter::WordFilter::default(),
            engine: path.rsplit('.').next().unwrap_or_default().to_owned(),
            is_partly_read: false,
            links: Some(links),
            targets: Some(targets),
            names: Some(names),
            symbols: None,
        })
    }

    #[track_caller]
    fn check(files: &str, of: &str, expected: &str) {
        let entries: Vec<Arc<Entry>> = files.split(';').map(|line| entry(line.trim())).collect();
        let number = (0..).zip(&entries).find(|(_, entry)| entry.path == of).map(|(number, _)| number);
        let related = VisibilityGraph::new(&entries).related(number.into_iter());
        let found = entries.iter().zip(related).filter(|(_, is_in)| *is_in).map(|(entry, _)| entry.path.as_str());
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{files}");
    }

    #[test]
    fn files_visible_from_one_file_are_related() {
        check("a.t:; b.t: >a.t; c.t: >b.t; d.t: >e.t; e.t:", "a.t", "a.t b.t c.t");
        check("a.t:; b.t:; c.t: >a.t >b.t; d.t: >b.t", "a.t", "a.t b.t c.t");
        check("a.t: >b.t; b.t: >a.t; c.t:", "a.t", "a.t b.t");
        check("a.t:; b.t: ?a.t; c.t: >nothing.t", "a.t", "a.t");
        check("a.t:; b.t: ~a.t; c.t: >a.t", "b.t", "a.t b.t c.t");
    }

    #[test]
    fn global_declarations_are_visible_to_files_of_the_pack() {
        check("a.t: !x; b.t:; c.u:", "a.t", "a.t b.t");
        check("a.t:; b.t: >a.t !x; c.t:; d.u:", "a.t", "a.t b.t c.t");
        check("a.t:; b.t: !x >c.t; c.t:; d.t:", "a.t", "a.t b.t c.t");
        check("a.t:; b.u: >a.t !x; c.u:; d.t:", "a.t", "a.t b.u c.u");
    }
}
