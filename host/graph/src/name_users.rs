//! Files that can use a name of a file, according to links: the importers of the file, and importers of files that
//! re-export the name.

use std::collections::{BTreeSet, HashSet};

use crate::{entry::JOINED_SCOPE, importer::Importer, workspace::Workspace};

impl Workspace {
    /// The files that can use the declaration of a name in a file, including the file itself.
    pub fn files_using(&self, path: &str, name: &str) -> BTreeSet<String> {
        let mut takers = BTreeSet::from([path.to_owned()]);
        let mut seen: HashSet<(String, String)> = HashSet::new();
        let mut open: Vec<(String, String)> =
            self.exported_as(path, name).into_iter().map(|known| (path.to_owned(), known)).collect();
        while let Some((file, known)) = open.pop() {
            if !seen.insert((file.clone(), known.clone())) {
                continue;
            }
            takers.extend(self.joined_scope_files(&file));
            for importer in self.importers(&file).into_iter().filter(|importer| importer.may_carry(&known)) {
                takers.insert(importer.file.path.clone());
                open.extend(
                    re_exported_names(&importer, &known)
                        .into_iter()
                        .map(|as_name| (importer.file.path.clone(), as_name)),
                );
            }
        }
        if let Some(entry) = self.file(path).filter(|entry| entry.shares(name)) {
            let may = self.may_mention(name).filter(|other| other.engine == entry.engine);
            takers.extend(may.map(|other| other.path.clone()));
        }
        takers
    }

    /// Names under which the file may export a declaration.
    fn exported_as(&self, path: &str, name: &str) -> Vec<String> {
        let Some(names) = self.file(path).and_then(|entry| entry.names.as_ref()) else { return Vec::new() };
        if !names.exports.iter().any(|known| known == name) {
            return names.exports.clone();
        }
        let is_such = |known: &&String| *known == name || *known == "default";
        names.exports.iter().filter(is_such).cloned().collect()
    }
}

/// Names under which an importer re-exports an imported name.
fn re_exported_names(importer: &Importer<'_>, name: &str) -> Vec<String> {
    let Some(names) = &importer.file.names else { return Vec::new() };
    let (first, rest) = name.split_once('.').map_or((name, ""), |(first, rest)| (first, rest));
    let below = |whole: &str, rest: &str| if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") };
    let mut passed: Vec<String> = names
        .imports
        .iter()
        .filter(|(specifier, ..)| *specifier == importer.link.specifier)
        .filter_map(|(_, imported, exported)| match (imported.as_str(), exported.as_deref()?) {
            ("*", "*") => (name != "default").then(|| name.to_owned()),
            ("*", space) => Some(below(space, name)),
            (imported, known) => (imported == first).then(|| below(known, rest)),
        })
        .collect();
    // A whole module can be exported as the default export.
    if importer.link.names.iter().any(|known| known == "*") && names.exports.iter().any(|known| known == "default") {
        passed.push(name.to_owned());
    }
    // If the importer joins the scope of this file, its own importers can use the name, too.
    if importer.link.names.iter().any(|known| known == JOINED_SCOPE) {
        passed.push(name.to_owned());
    }
    passed
}
