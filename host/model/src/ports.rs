//! The ports for files (from [`crate::files`]) and plugins. The crates `files` and `runtime`, and test doubles,
//! implement them.

use std::sync::Arc;

pub use crate::files::{
    EntryKind, FileStamp, Files, PastChange, ReplacedFile, Roots, Skipped, Source, StoredContent, UnfinishedChange,
    WalkedFiles, WalkedNames, new_layout, version,
};
use crate::{
    Edit, EditSet, Error, Interface, Kind, Relocation, Result, Span, Work,
    hover::{FileLocation, HoverInfo, Manifest, RelatedSymbol, SemanticDiagnostics},
    mentions::{Mention, SearchedText, TextName},
    pack::{
        Dependency, Description, Destination, EditOptions, Embedded, Facts, FindResult, Form, Link, Node, Operation,
        PackDiagnostic, Query, RenameResult, Resolution, SpecifierRequest, Subject, Target, View,
    },
    refactor::{FileMoves, RefactorOffer, Rewrite, Selection},
    servers::RequestedServer,
    structural_search::{PatternInfo, StructureMatches},
};

/// Renders templates.
pub trait Templates: Send + Sync {
    /// Renders a template. The members of the JSON object `values` are its variables. Fails if the template exceeds a
    /// limit.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if the template is not valid, and with `LimitExceeded` if it exceeds a limit.
    fn render(&self, template: &str, values: &str, work: &Work) -> Result<String>;
}

/// A plugin of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginInfo {
    /// The name in the registry.
    pub id: String,
    /// The version that it reports, if it could be loaded.
    pub version: Option<String>,
    /// Its source: `bundled`, `path:…`.
    pub source: String,
    /// The SHA-256 digest of the component.
    pub digest: Option<String>,
    /// Globs over the names of the files that it handles.
    pub files: Vec<String>,
    /// The optional interfaces that it implements.
    pub interfaces: Vec<Interface>,
    /// The permissions that the project grants to it.
    pub grants: Vec<String>,
    /// `ready`, `failed: …`, `quarantined: …`.
    pub state: String,
    /// The memory limit of one instance, in bytes.
    pub memory: usize,
    /// The time limit of one call.
    pub time: std::time::Duration,
    /// The globs of this plugin that another plugin also has.
    pub overlaps: Vec<Overlap>,
}

/// A glob that two plugins share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The glob of this plugin.
    pub pattern: String,
    /// The other plugin.
    pub other: String,
    /// True if this plugin handles the files; otherwise the other one does.
    pub wins: bool,
}

/// The language packs of a project.
pub trait Packs: Send + Sync {
    /// Returns the pack for a file.
    ///
    /// # Errors
    /// Fails with `Unsupported` if no pack handles the file, and with `PluginFailed` if its pack cannot be loaded.
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>>;

    /// Returns the pack for a language name or file extension within another document.
    ///
    /// # Errors
    /// Fails with `Unsupported` if no pack handles the language, and with `PluginFailed` if its pack cannot be loaded.
    fn for_language(&self, files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>>;

    /// Returns strings that identify the packs, their versions, and the project's settings for which pack handles which
    /// file. Equal lists mean that every file is handled by the same pack. Does not run any pack.
    fn identities(&self, files: &Arc<dyn Files>) -> Vec<String> {
        self.descriptions(files).iter().map(|description| description.identity()).collect()
    }

    /// Starts slow preparations for later calls in the background.
    fn prepare(&self, _files: &Arc<dyn Files>) {}

    /// Returns the descriptions of all packs that can be loaded.
    fn descriptions(&self, files: &Arc<dyn Files>) -> Vec<Arc<Description>>;

    /// Returns the state of the approval that the project's requests need: `trusted`, `unasked` or `refused`. `None` if
    /// this host does not ask for approval.
    fn approval_state(&self, _files: &Arc<dyn Files>) -> Option<String> {
        None
    }

    /// Returns all plugins of the project, including broken ones.
    fn plugins(&self, files: &Arc<dyn Files>) -> Vec<PluginInfo>;

    /// Returns the language servers that the project requests, sorted by name.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid.
    fn servers(&self, _files: &Arc<dyn Files>) -> Result<Vec<RequestedServer>> {
        Ok(Vec::new())
    }
}

/// One language pack, for one project.
///
/// # Errors
/// Each method that calls the plugin fails with `PluginFailed` if it crashes or returns invalid data, with
/// `LimitExceeded` if it exceeds a limit, and with `Cancelled` if the call was cancelled.
pub trait Pack: Send + Sync {
    /// The pack's description of itself.
    fn description(&self) -> &Arc<Description>;

    /// A string that identifies the pack and its version.
    fn identity(&self) -> String {
        self.description().identity()
    }

    /// Returns whether the pack implements an optional interface.
    fn has_interface(&self, interface: Interface) -> bool;

    /// Returns whether this call may pass the text of a file to the pack: the caller named the file, or the pack's
    /// grants include it.
    fn may_receive(&self, _path: &str) -> bool {
        true
    }

    /// Opens a document. Fails if the pack may not see its text ([`Pack::may_receive`]). A document that is already
    /// open with the same path and text is not parsed again.
    fn open(self: Arc<Self>, path: &str, text: &Arc<str>) -> Result<Box<dyn Document>>;

    /// Resolves the specifiers `(kind, specifier)` of a file.
    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>>;

    /// Returns the moves of other files and folders that belong to the move of a file.
    fn additional_moves(&self, _relocation: &Relocation) -> Result<Vec<Relocation>> {
        Ok(Vec::new())
    }

    /// Returns the names of manifest files (such as `package.json`).
    fn manifest_names(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Returns the new specifiers of links after a move.
    fn format_specifiers(&self, requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>>;

    /// Parses a structural search pattern for a file with this path.
    fn parse_pattern(&self, _path: &str, _pattern: &str) -> Result<PatternInfo> {
        Err(Error::new(Kind::Unsupported, "files of this format have no structural search"))
    }

    /// Returns the names under which texts of any format refer to these paths: files of this pack, and folders that
    /// contain such files.
    fn text_names(&self, _paths: &[&str]) -> Result<Vec<TextName>> {
        Ok(Vec::new())
    }

    /// Returns the occurrences in a text that certainly refer to a file by one of the names. The caller checks that the pack
    /// may receive the text ([`Pack::may_receive`]).
    fn find_mentions(&self, _names: &[TextName], _text: SearchedText<'_>) -> Result<Vec<Mention>> {
        Ok(Vec::new())
    }
}

fn unsupported(interface: Interface) -> Error {
    Error::new(Kind::Unsupported, format!("this document does not have the interface `{interface}`"))
}

/// An open document, for the duration of one tool call.
///
/// Node ids are valid for this value only: another document, even of the same path and text, may number its nodes
/// differently. So a call that takes ids is never retried on another instance. If the plugin's instance is lost, it
/// fails with an error for which [`crate::Error::is_transient`] is true, and the caller must look up the nodes again.
///
/// # Errors
/// Each method fails with the error that the plugin returns, with `PluginFailed` if the plugin crashes or returns
/// invalid data, with `LimitExceeded` if it exceeds a limit, and with `Cancelled` if the call was cancelled. Methods of
/// an optional interface fail with `Unsupported` if the plugin does not implement it.
pub trait Document {
    /// Returns the syntax diagnostics.
    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>>;
    /// Returns only the errors found when the document was opened, without checking the rest.
    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>>;
    /// Returns all nodes in document order.
    fn outline(&mut self) -> Result<Vec<Node>>;
    /// Finds the nodes that match a target.
    fn find(&mut self, query: &Query) -> Result<FindResult>;
    /// Returns the text to display for a node.
    fn view(&mut self, node: u32, form: Form) -> Result<View>;
    /// Returns the names from other files that a node uses.
    fn dependencies(&mut self, node: u32) -> Result<Vec<Dependency>>;
    /// Returns the edits of an operation on the nodes.
    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet>;
    /// Returns the ranges, beyond the nodes and their siblings, that the operation edits.
    fn edit_ranges(&mut self, nodes: &[u32], operation: &Operation) -> Result<Vec<Span>>;
    /// Returns the edits that create a missing target.
    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet>;
    /// Returns true if the edits are certain not to add errors. Returns false if the pack cannot decide this without
    /// parsing the whole text.
    fn stays_well_formed(&mut self, edits: &[Edit]) -> Result<bool>;
    /// Returns the parts in other languages.
    fn embedded(&mut self) -> Result<Vec<Embedded>>;
    /// Returns the links to other files. This and the following methods have default implementations for packs without
    /// the interface.
    fn links(&mut self) -> Result<Vec<Link>> {
        Err(unsupported(Interface::Links))
    }
    /// Returns the edits and questions of the document for a move of files, in addition to new specifiers.
    fn relink(&mut self, _moves: &FileMoves) -> Result<Rewrite> {
        Err(unsupported(Interface::Links))
    }
    /// Removes links.
    fn remove_links(&mut self, _links: &[u32]) -> Result<Rewrite> {
        Err(unsupported(Interface::Links))
    }
    /// Returns the exports and imports of the file.
    fn exports_and_imports(&mut self) -> Result<Facts> {
        Err(unsupported(Interface::Symbols))
    }
    /// Resolves a symbol as seen by this file.
    fn resolve_symbol(&mut self, _subject: &Subject) -> Result<Resolution> {
        Err(unsupported(Interface::Symbols))
    }
    /// Returns the edits of a rename in this file.
    fn rename(&mut self, _subject: &Subject, _new_name: &str) -> Result<RenameResult> {
        Err(unsupported(Interface::Symbols))
    }
    /// Returns the refactorings that apply at a location.
    fn available_refactors(&mut self, _at: Selection) -> Result<Vec<RefactorOffer>> {
        Err(unsupported(Interface::Refactors))
    }
    /// Carries out a refactoring, with arguments by name.
    fn apply_refactor(&mut self, _refactor: &str, _at: Selection, _arguments: &[(String, String)]) -> Result<Rewrite> {
        Err(unsupported(Interface::Refactors))
    }
    /// Answers the question of another document, the file at `from`, during a refactoring.
    fn answer_question(&mut self, _from: &str, _payload: &str) -> Result<Rewrite> {
        Err(unsupported(Interface::Refactors))
    }
    /// Returns the hover information at an offset.
    fn hover_info(&mut self, _offset: usize) -> Result<Option<HoverInfo>> {
        Ok(None)
    }
    /// Returns the definitions of the type of the expression at an offset.
    fn type_definitions(&mut self, _offset: usize) -> Result<Vec<FileLocation>> {
        Ok(Vec::new())
    }
    /// Returns the calls made inside a node. `None` if the format has no calls.
    fn calls(&mut self, _address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        Ok(None)
    }
    /// Returns the types that a node extends or implements. `None` if the format has no such types.
    fn supertypes(&mut self, _address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        Ok(None)
    }
    /// Returns the types that satisfy a node although they do not name it. A type that only possibly satisfies it has no
    /// declaration. `None` if types of the format name their supertypes.
    fn subtypes(&mut self, _address: &str) -> Result<Option<Vec<RelatedSymbol>>> {
        Ok(None)
    }
    /// Returns the diagnostics beyond syntax.
    fn semantic_diagnostics(&mut self) -> Result<SemanticDiagnostics> {
        Ok(SemanticDiagnostics::default())
    }
    /// Parses the file as a manifest.
    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        Ok(None)
    }
    /// Returns the matches of a structural pattern, sorted by start, outer ones first: at most `limit`, with the total
    /// number.
    fn structural_matches(&mut self, _pattern: &str, _limit: usize) -> Result<StructureMatches> {
        Ok(StructureMatches::default())
    }
}
