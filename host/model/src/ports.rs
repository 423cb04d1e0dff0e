//! The ports: what the product needs of files ([`crate::files`]) and of plugins. `files` and `runtime` implement them; tests do
//! too.

use std::sync::Arc;

pub use crate::files::{
    EntryKind, FileStamp, Files, Kept, Names, Past, Replaced, Roots, Skipped, Source, Survey, Unfinished, new_layout,
    version,
};
use crate::{
    Edit, EditSet, Error, Kind, Relocation, Result, Span, Work,
    insight::{Card, FilePlace, Findings, Manifest, Related},
    pack::{
        Dependency, Description, Destination, EditOptions, Embedded, Facts, Form, Found, Link, Node, Operation,
        Problem, Query, Renaming, Resolution, Respelling, Subject, Target, View,
    },
    refactor::{Offer, Rewrite, Selection},
    servers::ServerWish,
    structure::{PatternHelp, StructureMatches},
};

/// What makes texts of templates.
pub trait Templates: Send + Sync {
    /// Render a template with variables, which are the members of a JSON object. A template without measure fails, typed.
    fn render(&self, template: &str, values: &str, work: &Work) -> Result<String>;
}

/// One plugin as the registry knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginInfo {
    /// The name in the registry.
    pub id: String,
    /// The version it says, when it could be loaded.
    pub version: Option<String>,
    /// Where it comes from: `bundled`, `path:…`.
    pub source: String,
    /// sha256 of the component.
    pub digest: Option<String>,
    /// Globs over file names that lead to it.
    pub files: Vec<String>,
    /// Optional interfaces it has.
    pub interfaces: Vec<&'static str>,
    /// What the project grants to it.
    pub grants: Vec<String>,
    /// `ready`, `failed: …`, `quarantined: …`.
    pub state: String,
    /// Bytes of memory that one instance of it may have.
    pub memory: usize,
    /// How long one call of it may take.
    pub time: std::time::Duration,
    /// Patterns of its own that another plugin has, too: each with the plugin that takes such files.
    pub overlaps: Vec<Overlap>,
}

/// Files that two plugins say are theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The pattern of the plugin that this is said of.
    pub pattern: String,
    /// The other plugin.
    pub other: String,
    /// Whether this plugin takes the files; else the other one does.
    pub wins: bool,
}

/// The language packs of a project.
pub trait Packs: Send + Sync {
    /// The pack for a file.
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>>;

    /// The pack for a language name or file extension inside another document.
    fn for_language(&self, files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>>;

    /// What tells each pack, and every version of it, from all others, and what a project says of the files that one takes: the
    /// same list, the same pack for every file. No pack runs to say so.
    fn identities(&self, files: &Arc<dyn Files>) -> Vec<String> {
        self.descriptions(files).iter().map(|description| description.identity()).collect()
    }

    /// Get what calls will need ready, where that takes a while: beside them, not in their way.
    fn prepare(&self, _files: &Arc<dyn Files>) {}

    /// The descriptions of all packs that can be loaded.
    fn descriptions(&self, files: &Arc<dyn Files>) -> Vec<Arc<Description>>;

    /// Whether what the project asks for is met: `trusted`, `unasked`, `refused`. None where nobody is asked.
    fn trust(&self, _files: &Arc<dyn Files>) -> Option<String> {
        None
    }

    /// All plugins of the project, broken ones included.
    fn plugins(&self, files: &Arc<dyn Files>) -> Vec<PluginInfo>;

    /// The language servers that the project wishes to have, in the order of their names.
    fn servers(&self, _files: &Arc<dyn Files>) -> Result<Vec<ServerWish>> {
        Ok(Vec::new())
    }
}

/// One language pack, for one project.
pub trait Pack: Send + Sync {
    /// What it says of itself.
    fn description(&self) -> &Arc<Description>;

    /// What tells it from every other pack, and from other versions of it.
    fn identity(&self) -> String {
        self.description().identity()
    }

    /// Whether it has the optional interface (`links`, `symbols`, `refactors`, `insight`, `search`).
    fn has(&self, interface: &str) -> bool;

    /// Whether this call may give the text of a file to the pack: the caller named the file, or what the pack is granted covers it.
    fn covers(&self, _path: &str) -> bool {
        true
    }

    /// Open a document. Refused where the pack is not given its text ([`Pack::covers`]). What is open already under the same path and text is not parsed again.
    fn open(self: Arc<Self>, path: &str, text: &Arc<str>) -> Result<Box<dyn Document>>;

    /// Where the specifiers `(kind, specifier)` of a file lead.
    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>>;

    /// The names of files that say how a project is built.
    fn manifest_names(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// The new specifiers.
    fn spell(&self, requests: &[Respelling]) -> Result<Vec<Result<String>>>;

    /// What a pattern of code says in a file with this path.
    fn read_pattern(&self, _path: &str, _pattern: &str) -> Result<PatternHelp> {
        Err(Error::new(Kind::Unsupported, "files of this format have no structural search"))
    }
}

/// An open document, for the time of one tool call.
///
/// The ids of nodes belong to this very value: another document, even of the same path and text, may number its nodes
/// otherwise. A call that takes ids is therefore never repeated elsewhere; where the plugin's instance is lost, it fails with an
/// error that [`crate::Error::is_transient`], and whoever holds the ids has to find them anew.
pub trait Document {
    /// What is wrong with the syntax.
    fn problems(&mut self) -> Result<Vec<Problem>>;
    /// The errors among them that opening the document found, without a check of the rest.
    fn parse_errors(&mut self) -> Result<Vec<Problem>>;
    /// All nodes in document order.
    fn outline(&mut self) -> Result<Vec<Node>>;
    /// The nodes a target names.
    fn find(&mut self, query: &Query) -> Result<Found>;
    /// What to show of a node.
    fn view(&mut self, node: u32, form: Form) -> Result<View>;
    /// What a node uses of other files.
    fn dependencies(&mut self, node: u32) -> Result<Vec<Dependency>>;
    /// The edits of one operation on the nodes.
    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet>;
    /// The ranges beyond the neighbours of the nodes that belong to the operation.
    fn edit_ranges(&mut self, nodes: &[u32], operation: &Operation) -> Result<Vec<Span>>;
    /// The edits that make what the target names, where it is not there.
    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet>;
    /// Whether the text is certain to have no more errors with these edits. Where it cannot be told from a part of the
    /// text, the answer is false.
    fn stays_well_formed(&mut self, edits: &[Edit]) -> Result<bool>;
    /// The parts in other languages.
    fn embedded(&mut self) -> Result<Vec<Embedded>>;
    /// The places that name other files.
    fn links(&mut self) -> Result<Vec<Link>>;
    /// The edits that let its patterns cover what moves.
    fn cover(&mut self, relocations: &[Relocation]) -> Result<EditSet>;
    /// The edits that remove links.
    fn unlink(&mut self, links: &[u32]) -> Result<EditSet>;
    /// What the file exports and imports.
    fn facts(&mut self) -> Result<Facts>;
    /// One name as this file sees it.
    fn resolve_symbol(&mut self, subject: &Subject) -> Result<Resolution>;
    /// The edits of a rename in this file.
    fn rename(&mut self, subject: &Subject, new_name: &str) -> Result<Renaming>;
    /// Which refactors apply at a place.
    fn offers(&mut self, at: Selection) -> Result<Vec<Offer>>;
    /// Carry out a refactor, with arguments by name.
    fn apply(&mut self, refactor: &str, at: Selection, arguments: &[(String, String)]) -> Result<Rewrite>;
    /// What this document answers to the question of another one, the file at `from`.
    fn answer(&mut self, from: &str, payload: &str) -> Result<Rewrite>;
    /// What stands at an offset. A pack without the interface `insight` has nothing to say of this and of what follows.
    fn describe_place(&mut self, _offset: usize) -> Result<Option<Card>> {
        Ok(None)
    }
    /// Where the type of what stands at an offset is defined.
    fn type_definitions(&mut self, _offset: usize) -> Result<Vec<FilePlace>> {
        Ok(Vec::new())
    }
    /// The calls made inside a node. None in a format without such.
    fn calls(&mut self, _address: &str) -> Result<Option<Vec<Related>>> {
        Ok(None)
    }
    /// The types it extends or implements. None in a format without such.
    fn supertypes(&mut self, _address: &str) -> Result<Option<Vec<Related>>> {
        Ok(None)
    }
    /// What is wrong beyond syntax.
    fn checks(&mut self) -> Result<Findings> {
        Ok(Findings::default())
    }
    /// What the file says of how the project is built.
    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        Ok(None)
    }
    /// The places that look like a pattern of code: by their starts, outer ones first; at most so many, all counted.
    fn matches(&mut self, _pattern: &str, _limit: usize) -> Result<StructureMatches> {
        Ok(StructureMatches::default())
    }
}
