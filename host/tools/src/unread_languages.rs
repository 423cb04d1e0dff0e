//! Files whose language no pack reads. Such a file may declare a symbol, which makes answers about symbols and
//! diagnostics incomplete.

use std::collections::{BTreeMap, HashMap};

use marquetry_graph::{Entry, Workspace, parallel_map_with};
use marquetry_model::{Error, Kind, Result, text::Lines};

use crate::{
    generated_files::is_generated, mentioned_names::MAX_SEARCHED_SIZE, result_types::pluralized, session::Session,
    target::supports_only_lines, words::whole_word_offsets,
};

impl Session {
    /// Returns the files that no language pack reads, without generated ones.
    pub(crate) fn files_without_language<'a>(&self, workspace: &'a Workspace) -> Result<Vec<&'a Entry>> {
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut found = Vec::new();
        for entry in workspace.files().filter(|entry| !entry.engine.is_empty()) {
            let is_unread = match known.get(entry.engine.as_str()) {
                Some(is_unread) => *is_unread,
                None => {
                    let pack = self.packs.for_path(&self.files, &entry.path)?;
                    let is_unread = supports_only_lines(pack.description());
                    known.insert(&entry.engine, is_unread);
                    is_unread
                }
            };
            if is_unread && !is_generated(&entry.path) {
                found.push(entry);
            }
        }
        Ok(found)
    }

    /// Returns the reason why an answer about symbols with a name may be incomplete: files that no pack reads contain
    /// the name.
    pub(crate) fn unread_declarations(&self, workspace: &Workspace, name: &str) -> Result<Option<String>> {
        let is_part = name.contains(['*', '?']);
        let name = name.trim_matches(['*', '?']);
        if name.is_empty() || name.contains(['*', '?']) {
            return Ok(None);
        }
        let files = self.files_without_language(workspace)?;
        let stage = self.work.stage("searching for the name", files.len());
        let found = parallel_map_with(
            &files,
            || self.files.reader(),
            |reader, entry| {
                stage.step()?;
                let Some(text) = reader.text(&entry.path, MAX_SEARCHED_SIZE)? else { return Ok::<_, Error>(None) };
                let at = if is_part { text.find(name) } else { whole_word_offsets(&text, name).first().copied() };
                Ok(at.map(|at| (entry.path.clone(), Lines::new(&text).position(at).line)))
            },
        );
        let mut mentions = Vec::new();
        for found in found {
            match found {
                Ok(mention) => mentions.extend(mention),
                Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let Some((path, line)) = mentions.first() else { return Ok(None) };
        let count = pluralized(mentions.len(), "file");
        Ok(Some(format!("`{name}` is mentioned in {count} that no language pack reads, the first: {path}:{line}")))
    }
}

/// Lists the extensions of files, the most frequent first: `.py, .rs`.
pub(crate) fn extensions(files: &[&Entry]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in files {
        let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
        let extension = name.rfind('.').filter(|at| *at > 0).map_or(name, |at| &name[at..]);
        *counts.entry(extension).or_default() += 1;
    }
    let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(extension, count)| (std::cmp::Reverse(*count), *extension));
    all.iter().take(MAX_EXTENSIONS).map(|(extension, _)| *extension).collect::<Vec<_>>().join(", ")
}

/// Maximum number of extensions to list.
const MAX_EXTENSIONS: usize = 5;
