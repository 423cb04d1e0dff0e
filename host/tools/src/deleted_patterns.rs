//! Patterns in code that load files by their names: `import.meta.glob("./pages/*.js")`. No text names the loaded files, so
//! a pattern that matches a deleted file is a use of that file.

use marquetry_graph::{LinkFact, Target, Workspace};
use marquetry_model::{Interface, Relocation, Result, is_below, refactor::FileMoves};

use crate::{line_numbers::LineNumbers, link_kinds::GLOB, reference_search::ends_call, session::Session};

/// Folder that no pattern is expected to match. A pack answers questions about moves only, so a deleted file is described
/// as a file that is moved into this folder.
const NOWHERE: &str = ".deleted";

impl Session {
    /// Returns the patterns in remaining files that match a deleted file, as `file:line: reason`.
    pub(crate) fn patterns_of_deleted_files(
        &self,
        workspace: &Workspace,
        deleted: &[String],
        goes: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>> {
        let away = |path: &String| Relocation { from: path.clone(), to: format!("{NOWHERE}/{path}") };
        let relocations: Vec<Relocation> = deleted.iter().map(away).collect();
        let mut lines = LineNumbers::default();
        let mut found = Vec::new();
        for entry in workspace.files().filter(|entry| !goes(&entry.path)) {
            let links = entry.links.iter().flatten().zip(entry.targets.iter().flatten());
            let may_match = |target: &Target| match target {
                Target::Inside(folder) => deleted.iter().any(|path| is_below(path, folder)),
                Target::External | Target::Missing(_) | Target::Unknown(_) => false,
            };
            let globs: Vec<&LinkFact> =
                links.filter(|(link, target)| link.kind == GLOB && may_match(target)).map(|(link, _)| link).collect();
            if globs.is_empty() {
                continue;
            }
            let file = self.open_found(&entry.path)?;
            // Packs without structural search read settings, whose patterns select the files that exist.
            if !file.has(Interface::Search) {
                continue;
            }
            let moves = FileMoves { path: entry.path.clone(), relocations: relocations.clone(), links: Vec::new() };
            let lost = match file.ask(|document| document.relink(&moves)) {
                Ok(_) => continue,
                Err(error) if ends_call(&error) => return Err(error),
                Err(error) => error.to_string(),
            };
            let text = |link: &LinkFact| {
                let rest = file.text().get(link.span().start..).unwrap_or_default();
                rest.split(['"', '\'', '`', '\n']).next().unwrap_or_default().to_owned()
            };
            let (mut patterns, others): (Vec<_>, Vec<_>) =
                globs.into_iter().map(|link| (link, text(link))).partition(|(_, text)| lost.contains(text.as_str()));
            // If the refusal names no pattern, any of them may match.
            if patterns.is_empty() {
                patterns = others;
            }
            for (link, text) in patterns {
                let line = lines.line(&*self.files, &entry.path, link.span().start).unwrap_or(1);
                found.push(format!("{}:{line}: {text}: the pattern matches a deleted file", entry.path));
            }
        }
        Ok(found)
    }
}
