//! Links that follow: what every file that names a moved file has to say from now on.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry as Slot},
    sync::Arc,
};

use marquetry_graph::{Entry, LinkFact, Target, Workspace};
use marquetry_model::{
    Edit, EditSet, Relocation, Result, is_below,
    pack::Respelling,
    ports::{Files, Source},
    text::{LineBreak, Lines},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::workbench::Workbench;

/// The kind of links that are patterns.
const GLOB: &str = "glob";

/// The links of one file that were spelled anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdatedLinks {
    /// The file (under its path before the change).
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
    pub(crate) files: BTreeMap<String, FileLinks>,
    /// `file:line: specifier: why`
    pub(crate) unresolved: Vec<String>,
}

/// One file's part.
#[derive(Debug)]
pub(crate) struct FileLinks {
    pub(crate) text: Arc<str>,
    pub(crate) hash: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) changes: Vec<OldNew>,
}

impl Relinked {
    /// The part of a file, as the index knows it.
    fn part(&mut self, files: &Arc<dyn Files>, entry: &Entry) -> Result<&mut FileLinks> {
        Ok(match self.files.entry(entry.path.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => {
                let source = as_indexed(files, entry)?;
                slot.insert(FileLinks { text: source.text, hash: source.hash, edits: Vec::new(), changes: Vec::new() })
            }
        })
    }

    /// A link is spelled anew.
    fn splice(&mut self, files: &Arc<dyn Files>, touched: &Touched<'_>, new: String) -> Result<()> {
        let file = self.part(files, touched.entry)?;
        if !touched.link.span().fits(&file.text) {
            return Err(stale(&touched.entry.path));
        }
        file.edits.push(Edit { span: touched.link.span(), text: new.clone() });
        file.changes.push(OldNew { old: touched.link.specifier.clone(), new });
        Ok(())
    }
}

/// A file that is what the index knows: it was brought up to date a moment ago.
fn as_indexed(files: &Arc<dyn Files>, entry: &Entry) -> Result<Source> {
    let source = files.read(&entry.path)?;
    if source.hash == entry.hash { Ok(source) } else { Err(stale(&entry.path)) }
}

impl FileLinks {
    /// The splices as a set in the file's own line endings.
    pub(crate) fn edit_set(&self) -> Result<EditSet> {
        Ok(EditSet::new(&self.text, self.edits.clone())?.fitted(&self.text, LineBreak::of(&self.text)))
    }
}

/// A link that may have to be spelled anew: the file's entry, the link, and where it leads now.
struct Touched<'a> {
    entry: &'a Entry,
    link: &'a LinkFact,
    was: &'a str,
}

impl Workbench {
    /// What has to be said anew when something moves.
    pub(crate) fn relink(
        &self,
        files: &Arc<dyn Files>,
        workspace: &Workspace,
        relocation: &Relocation,
    ) -> Result<Relinked> {
        let mut touched = Vec::new();
        let mut relinked = Relinked::default();
        for entry in workspace.files() {
            let moves = relocation.moves(&entry.path);
            for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
                match target {
                    Target::Inside(was) if moves || relocation.moves(was) => touched.push(Touched { entry, link, was }),
                    Target::Unknown(why) if moves || mentions(&link.specifier, &relocation.from) => {
                        relinked.unresolved.push(place(files, entry, link, why));
                    }
                    _ => {}
                }
            }
        }
        self.respell(files, &touched, &mut relinked, |entry| relocation.of(&entry.path), |was| relocation.of(was))?;
        self.cover(files, workspace, relocation, &mut relinked)?;
        Ok(relinked)
    }

    /// Patterns that covered what moves, and do not where it goes, get company.
    fn cover(
        &self,
        files: &Arc<dyn Files>,
        workspace: &Workspace,
        relocation: &Relocation,
        relinked: &mut Relinked,
    ) -> Result<()> {
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
            let pack = self.packs.for_path(files, &entry.path)?;
            let source = as_indexed(files, entry)?;
            let edits = pack.open(&entry.path, &source.text)?.cover(std::slice::from_ref(relocation));
            match edits {
                Ok(edits) if edits.is_empty() => {}
                Ok(edits) => {
                    let part = relinked.part(files, entry)?;
                    let said = |edit: &Edit| OldNew { old: String::new(), new: edit.text.trim().to_owned() };
                    part.changes.extend(edits.iter().map(said));
                    part.edits.extend(edits);
                    part.edits.sort_by_key(|edit| edit.span.start);
                }
                Err(error) => relinked.unresolved.push(format!("{}: {error}", entry.path)),
            }
        }
        Ok(())
    }

    /// What the copy of a file has to say so that its links lead where those of the original lead.
    pub(crate) fn relink_copy(
        &self,
        files: &Arc<dyn Files>,
        workspace: &Workspace,
        source: &str,
        copy: &str,
    ) -> Result<Relinked> {
        let mut relinked = Relinked::default();
        let Some(entry) = workspace.file(source) else { return Ok(relinked) };
        let mut touched = Vec::new();
        for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
            match target {
                Target::Inside(was) => touched.push(Touched { entry, link, was }),
                Target::Unknown(why) => relinked.unresolved.push(place(files, entry, link, why)),
                Target::External | Target::Missing(_) => {}
            }
        }
        // A file that names itself names its copy from there on.
        let later = |was: &str| if was == source { copy.to_owned() } else { was.to_owned() };
        self.respell(files, &touched, &mut relinked, |_| copy.to_owned(), later)?;
        Ok(relinked)
    }

    fn respell(
        &self,
        files: &Arc<dyn Files>,
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
            let pack = self.packs.for_path(files, &links[0].entry.path)?;
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
                    Ok(new) => relinked.splice(files, touched, new)?,
                    Err(error) => {
                        relinked.unresolved.push(place(files, touched.entry, touched.link, &error.to_string()))
                    }
                }
            }
        }
        for file in relinked.files.values_mut() {
            file.edits.sort_by_key(|edit| edit.span.start);
        }
        Ok(())
    }
}

fn stale(path: &str) -> marquetry_model::Error {
    marquetry_model::Error::new(marquetry_model::Kind::Stale, format!("{path} changed in the meantime"))
        .hint("repeat the call")
}

/// Whether a specifier that could not be followed looks as if it meant the path.
fn mentions(specifier: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    !stem.is_empty() && specifier.split(['/', '.', '\\']).any(|part| part == stem)
}

fn place(files: &Arc<dyn Files>, entry: &Entry, link: &LinkFact, why: &str) -> String {
    let line = files.read(&entry.path).ok().filter(|source| link.span().fits(&source.text)).map(|source| {
        let line = Lines::new(&source.text).position(link.span().start).line;
        format!(":{line}")
    });
    format!("{}{}: {}: {why}", entry.path, line.unwrap_or_default(), link.specifier)
}
