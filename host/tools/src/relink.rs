//! Links that follow: what every file that names a moved file has to say from now on.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry as Slot},
    sync::Arc,
};

use marquetry_graph::{Entry, LinkFact, POSSIBLE, Target, Workspace};
use marquetry_model::{
    Edit, Relocation, Result, is_below,
    pack::Respelling,
    ports::{Files, Source},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    draft::{Draft, outdated, proven},
    line_numbers::LineNumbers,
    link_kinds::GLOB,
    session::Session,
    spelled_paths::{folder, joined},
};

/// The links of one file that were spelled anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdatedLinks {
    /// The file, under its path after the change.
    pub file: String,
    /// Each link, before and after.
    pub changes: Vec<OldNew>,
}

/// A text before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OldNew {
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
}

/// The splices that links need, file by file, and what could not be followed.
#[derive(Debug, Default)]
pub(crate) struct Relinked {
    files: BTreeMap<String, FileLinks>,
    /// `file:line: specifier: why`
    pub(crate) unresolved: Vec<String>,
    lines: LineNumbers,
}

/// The links of one file that are spelled anew.
#[derive(Debug)]
struct FileLinks {
    source: Source,
    edits: Vec<Edit>,
    changes: Vec<OldNew>,
}

impl Relinked {
    /// The splices go into a draft; what is left is what they say, under the paths after the change.
    pub(crate) fn drafted(self, draft: &mut Draft, path_after: impl Fn(&str) -> String) -> Result<Vec<UpdatedLinks>> {
        let mut updated = Vec::with_capacity(self.files.len());
        for (path, file) in self.files {
            draft.edit(&file.source, proven(&path, &file.source.text, file.edits)?)?;
            updated.push(UpdatedLinks { file: path_after(&path), changes: file.changes });
        }
        Ok(updated)
    }

    /// Without the links of one file: it will not be there.
    pub(crate) fn leave_out(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// The part of a file, as the index knows it.
    fn part(&mut self, files: &Arc<dyn Files>, entry: &Entry) -> Result<&mut FileLinks> {
        Ok(match self.files.entry(entry.path.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => {
                slot.insert(FileLinks { source: as_indexed(files, entry)?, edits: Vec::new(), changes: Vec::new() })
            }
        })
    }

    /// A link could not be followed; its file has this path afterwards.
    fn leave(&mut self, files: &Arc<dyn Files>, (entry, after): (&Entry, &str), link: &LinkFact, why: &str) {
        let line = self.lines.line(&**files, &entry.path, link.span().start).map(|line| format!(":{line}"));
        self.unresolved.push(format!("{after}{}: {}: {why}", line.unwrap_or_default(), link.specifier));
    }

    /// A link is spelled anew.
    fn splice(&mut self, files: &Arc<dyn Files>, touched: &Touched<'_>, new: String) -> Result<()> {
        let file = self.part(files, touched.entry)?;
        if !touched.link.span().fits(&file.source.text) {
            return Err(outdated(&touched.entry.path));
        }
        file.edits.push(Edit { span: touched.link.span(), text: new.clone() });
        file.changes.push(OldNew { old: touched.link.specifier.clone(), new });
        Ok(())
    }
}

/// A file that is what the index knows: it was brought up to date a moment ago.
fn as_indexed(files: &Arc<dyn Files>, entry: &Entry) -> Result<Source> {
    let source = files.read(&entry.path)?;
    if source.hash == entry.hash { Ok(source) } else { Err(outdated(&entry.path)) }
}

/// A link that may have to be spelled anew: the file's entry, the link, and where it leads now.
struct Touched<'a> {
    entry: &'a Entry,
    link: &'a LinkFact,
    was: &'a str,
}

impl Session {
    /// What has to be said anew when something moves.
    pub(crate) fn relink(&self, workspace: &Workspace, relocation: &Relocation) -> Result<Relinked> {
        let mut touched = Vec::new();
        let mut relinked = Relinked::default();
        for entry in workspace.files() {
            let moves = relocation.moves(&entry.path);
            for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
                match target {
                    Target::Inside(was) if moves || relocation.moves(was) => touched.push(Touched { entry, link, was }),
                    Target::Unknown(_) if link.kind == POSSIBLE && self.moves_along(relocation, &entry.path, link) => {}
                    Target::Unknown(why) if moves || mentions(&link.specifier, &relocation.from) => {
                        relinked.leave(&self.files, (entry, &relocation.of(&entry.path)), link, why);
                    }
                    _ => {}
                }
            }
        }
        self.respell(&touched, &mut relinked, |entry| relocation.of(&entry.path), |was| relocation.of(was))?;
        self.cover(workspace, relocation, &mut relinked)?;
        Ok(relinked)
    }

    /// Whether a text that may be a path leads from its file to the same thing as before, since both move together.
    fn moves_along(&self, relocation: &Relocation, file: &str, link: &LinkFact) -> bool {
        let leads = |file: &str| joined(folder(file), &link.specifier);
        let Some(there) = leads(file).filter(|there| relocation.moves(file) && relocation.moves(there)) else {
            return false;
        };
        self.files.stat(&there).is_some() && leads(&relocation.of(file)) == Some(relocation.of(&there))
    }

    /// Add a pattern beside each that matched what moves and does not match where it goes.
    fn cover(&self, workspace: &Workspace, relocation: &Relocation, relinked: &mut Relinked) -> Result<()> {
        let covers = |(link, target): (&LinkFact, &Target)| match target {
            _ if link.kind != GLOB => false,
            Target::Inside(folder) => is_below(&relocation.from, folder),
            // A pattern that starts nowhere in particular.
            Target::External => true,
            Target::Missing(_) | Target::Unknown(_) => false,
        };
        for entry in workspace.files() {
            if !entry.links.iter().flatten().zip(entry.targets.iter().flatten()).any(covers) {
                continue;
            }
            let file = self.open_source(as_indexed(&self.files, entry)?)?;
            match file.ask(|document| document.cover(std::slice::from_ref(relocation))) {
                Ok(edits) if edits.is_empty() => {}
                Ok(edits) => {
                    let part = relinked.part(&self.files, entry)?;
                    let said = |edit: &Edit| OldNew { old: String::new(), new: edit.text.trim().to_owned() };
                    part.changes.extend(edits.as_slice().iter().map(said));
                    part.edits.extend_from_slice(edits.as_slice());
                }
                Err(error) => relinked.unresolved.push(format!("{}: {error}", relocation.of(&entry.path))),
            }
        }
        Ok(())
    }

    /// What the copy of a file has to say so that its links lead where those of the original lead.
    pub(crate) fn relink_copy(&self, workspace: &Workspace, source: &str, copy: &str) -> Result<Relinked> {
        let mut relinked = Relinked::default();
        let Some(entry) = workspace.file(source) else { return Ok(relinked) };
        let mut touched = Vec::new();
        for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
            match target {
                Target::Inside(was) => touched.push(Touched { entry, link, was }),
                Target::Unknown(why) => relinked.leave(&self.files, (entry, copy), link, why),
                Target::External | Target::Missing(_) => {}
            }
        }
        // A file that names itself names its copy from there on.
        let later = |was: &str| if was == source { copy.to_owned() } else { was.to_owned() };
        self.respell(&touched, &mut relinked, |_| copy.to_owned(), later)?;
        Ok(relinked)
    }

    fn respell(
        &self,
        touched: &[Touched<'_>],
        relinked: &mut Relinked,
        from: impl Fn(&Entry) -> String,
        to: impl Fn(&str) -> String,
    ) -> Result<()> {
        let mut by_engine: HashMap<&str, Vec<&Touched<'_>>> = HashMap::new();
        for link in touched {
            by_engine.entry(&link.entry.engine).or_default().push(link);
        }
        let stage = self.work.stage("spelling links", touched.len());
        for links in by_engine.into_values() {
            let pack = self.packs.for_path(&self.files, &links[0].entry.path)?;
            let request = |touched: &&Touched<'_>| Respelling {
                from: from(touched.entry),
                to: to(touched.was),
                was: touched.was.to_owned(),
                kind: touched.link.kind.clone(),
                specifier: touched.link.specifier.clone(),
            };
            let requests: Vec<Respelling> = links.iter().map(request).collect();
            // All at once: a pack sees from the others what else moves, such as the folder that an alias names.
            let spelled = pack.spell(&requests)?;
            for ((touched, request), spelled) in links.iter().zip(&requests).zip(spelled) {
                stage.step()?;
                match spelled {
                    Ok(new) if new == request.specifier => {}
                    Ok(new) => relinked.splice(&self.files, touched, new)?,
                    Err(error) => {
                        let place = (touched.entry, request.from.as_str());
                        relinked.leave(&self.files, place, touched.link, &error.to_string());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a specifier that could not be followed looks as if it meant the path: a part of it is the path's last one, with
/// its extension, with another or without. The extension alone says nothing: `style.css` is no mention of `css.png`.
fn mentions(specifier: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let wanted = stem(name);
    let is_it = |part: &str| {
        let follows = part.strip_suffix(name).is_some_and(|before| !before.ends_with(char::is_alphanumeric));
        follows || (!wanted.is_empty() && stem(part) == wanted)
    };
    specifier.split(['/', '\\', '?', '#']).any(is_it)
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn a_mention_is_a_part_and_not_an_extension() {
        for specifier in ["{{ base }}/css.png", "$(Images)css.png", "../css", "css.svg?x", "css/a.png"] {
            assert!(mentions(specifier, "img/css.png"), "{specifier}");
        }
        for specifier in ["{{ base }}/style.css", "my-css", "scss/x.css", "png"] {
            assert!(!mentions(specifier, "img/css.png"), "{specifier}");
        }
        assert!(mentions("{{ x }}/.env", "a/.env") && !mentions("{{ x }}/a.js", "a/.env"));
    }
}
