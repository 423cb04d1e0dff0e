//! `dependencies`: links of a file, and links to it.

use marquetry_graph::{DetailLevel, LinkFact, Target as Leads, Workspace};
use marquetry_model::{Error, Interface, Kind, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, required};
use crate::{
    line_numbers::LineNumbers,
    link_kinds::{MEMBER_LINK, POSSIBLE_LINK},
    mentioned_paths::{MentionedPaths, RelocatedPaths},
    relocate::{completeness, unread_files},
    result_types::pluralized,
    session::Session,
};

/// The links of a file, or to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Dependencies {
    /// The links.
    pub dependencies: Vec<DependencyLink>,
}

/// A link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyLink {
    /// The file at the other end; `None` if it is not part of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The specifier as written.
    pub specifier: String,
    /// `import`, `href` …
    pub kind: String,
    /// Names that are imported over the link.
    pub names: Vec<String>,
    /// True if it imports types only.
    pub type_only: bool,
    /// Line of the link, from 1.
    pub line: usize,
    /// Reason, if the link could not be resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<String>,
}

impl Session {
    pub(super) fn dependencies(&self, args: &QueryArgs) -> Result<QueryResult> {
        let files = &self.files;
        let path = files.locate(required(&args.path, "path", "dependencies")?)?;
        let workspace = self.workspace(DetailLevel::Links)?;
        let Some(entry) = workspace.file(&path) else {
            files.read(&path)?;
            return Err(Error::new(Kind::Unsupported, format!("{path} is ignored, and not in the index"))
                .hint("see the project's ignore files"));
        };
        let pack = self.packs.for_path(files, &path)?;
        let is_outgoing = args.direction.as_deref() != Some("importedBy");
        if is_outgoing && entry.engine.is_empty() {
            // The error says why the file could not be decoded.
            files.read(&path)?;
        }
        if is_outgoing && !pack.has_interface(Interface::Links) {
            let message = format!("no language pack reads the links of {path}");
            return Err(Error::new(Kind::Unsupported, message).hint(
                "`direction: \"importedBy\"` lists the files that link to it; search its text for what it imports",
            ));
        }
        let mut lines = LineNumbers::default();
        let mut line = |file: &str, at: usize| lines.line(&**files, file, at).unwrap_or(0);
        let dependencies: Vec<DependencyLink> = match args.direction.as_deref() {
            None | Some("imports") => entry
                .links
                .iter()
                .flatten()
                .zip(entry.targets.iter().flatten())
                .filter(|(link, target)| is_link(link, target))
                .map(|(link, target)| DependencyLink {
                    path: if let Leads::Inside(path) = target { Some(path.clone()) } else { None },
                    specifier: link.specifier.clone(),
                    kind: link.kind.clone(),
                    names: link.names(),
                    type_only: link.type_only,
                    line: line(&path, link.span().start),
                    unresolved: match target {
                        Leads::Missing(path) => Some(format!("nothing at {path}")),
                        Leads::Unknown(why) => Some(why.clone()),
                        _ => None,
                    },
                })
                .collect(),
            Some("importedBy") => workspace
                .importers(&path)
                .into_iter()
                .map(|importer| DependencyLink {
                    path: Some(importer.file.path.clone()),
                    specifier: importer.link.specifier.clone(),
                    kind: importer.link.kind.clone(),
                    names: importer.link.names(),
                    type_only: importer.link.type_only,
                    line: line(&importer.file.path, importer.link.span().start),
                    unresolved: None,
                })
                .collect(),
            Some(other) => {
                return Err(Error::argument(format!("unknown direction `{other}`"))
                    .candidates(["imports", "importedBy"].map(str::to_owned)));
            }
        };
        let page = args.page(self, dependencies);
        let data = Answer::Dependencies(Dependencies { dependencies: page.items });
        let mut doubts: Vec<String> = unread_files(&workspace).into_iter().collect();
        if is_outgoing && entry.is_partly_read {
            doubts.push(format!("only a part of {path} can be read, so links in it may be missing"));
        } else if !is_outgoing {
            doubts.extend(self.possible_other_references(&workspace, &path)?);
        }
        let answer = QueryResult::new(data, completeness(&doubts), &pack.description().id);
        Ok(answer.paged(page.total, page.truncated))
    }

    /// Returns reasons why files other than the listed ones may also refer to this file.
    fn possible_other_references(&self, workspace: &Workspace, path: &str) -> Result<Vec<String>> {
        let MentionedPaths { places, unread: mut doubts } =
            self.mentioned_paths(&RelocatedPaths::for_query(workspace, &[path]))?;
        let mut mentions = self.module_mentions(workspace, &[path])?;
        mentions.remove_listed(&places);
        doubts.extend(mentions.doubts());
        doubts.extend(places.first().map(|first| {
            let count = pluralized(places.len(), "place");
            format!(
                "{count} in files whose links no pack can read may refer to the file, the first: {}:{}",
                first.file, first.line
            )
        }));
        Ok(doubts)
    }
}

/// Returns false for a text that only looks like a path, and for a member that is not a module.
fn is_link(link: &LinkFact, target: &Leads) -> bool {
    match link.kind.as_str() {
        POSSIBLE_LINK => matches!(target, Leads::Unknown(_)),
        MEMBER_LINK => !matches!(target, Leads::External),
        _ => true,
    }
}
