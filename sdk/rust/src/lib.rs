//! SDK for Marquetry language packs in Rust.
//!
//! Implement [`LanguagePack`] and [`Document`], call [`export_pack!`] with the optional interfaces that the pack
//! implements, and build a `cdylib` for `wasm32-wasip2`: the result is a component that the host can load. The same
//! crate, built natively, runs the pack's tests; the module `testing` (enabled by the feature of that name) checks the
//! requirements that every pack must meet.
//!
//! A pack returns spans and edits of the text it was given. The smallest edit is a span and its new text:
//!
//! ```
//! use marquetry_sdk::{Edit, Span, lines, span::apply};
//!
//! let text = "port = 80\nhost = a\n";
//! let start = lines::next_line(text, 0);
//! let second = Span::new(start, lines::line_end(text, start));
//! assert_eq!(second.slice(text), "host = a");
//! assert_eq!(apply(text, &[Edit::new(second, "host = b")]), "port = 80\nhost = b\n");
//! ```
//!
//! A failure describes what is wrong, what to do, and the nearest valid alternatives:
//!
//! ```
//! use marquetry_sdk::Failure;
//!
//! let failure = Failure::not_found("key", "prot", ["host", "port"]);
//! assert_eq!(failure.message, "no key `prot`");
//! assert_eq!(failure.candidates, ["port"]);
//! ```

#![warn(clippy::missing_errors_doc)]

pub mod bindings;
pub mod directives;
mod export;
pub mod failure;
pub mod indent;
pub mod items;
pub mod lines;
pub mod log;
pub mod order;
pub mod paths;
pub mod possible_paths;
pub mod refactor;
pub mod shared;
pub mod span;
pub mod structure;
pub mod stylesheet;
#[cfg(feature = "testing")]
pub mod testing;
pub mod urls;
pub mod workspace;

pub use bindings::marquetry::language::types;
#[doc(hidden)]
pub use export::{__lines, __lines_len};
pub use failure::{fail, nearest};
pub use types::*;

#[doc(hidden)]
pub use wit_bindgen;

/// Result of most functions of a pack.
pub type Result<T> = std::result::Result<T, Failure>;

/// A language pack: its description, and how it opens a document.
pub trait LanguagePack: 'static {
    /// The text of one file and the data derived from it.
    type Document: Document;

    /// File patterns that the pack handles. They are also stored in the component, so that the host can read them
    /// without running it.
    const FILES: &'static [&'static str];

    /// Describes the pack; `files` must be equal to [`FILES`](LanguagePack::FILES).
    fn describe() -> Description;

    /// The file patterns as [`Description`] needs them.
    fn files() -> Vec<String> {
        Self::FILES.iter().map(|pattern| (*pattern).to_owned()).collect()
    }

    /// Opens a document. Never fails: text that cannot be parsed is reported as diagnostics.
    fn open(path: &str, text: String, settings: &str) -> Self::Document;
}

/// An open document. Immutable: edits are returned, not applied.
pub trait Document: std::fmt::Debug + 'static {
    /// The text that the document was created from.
    fn text(&self) -> &str;

    /// All syntax diagnostics, in document order.
    fn diagnostics(&self) -> Vec<Diagnostic>;

    /// The errors that parsing already found. Override this if [`diagnostics`](Document::diagnostics) runs further
    /// checks.
    fn parse_errors(&self) -> Vec<Diagnostic> {
        self.diagnostics().into_iter().filter(|problem| problem.severity == Severity::Error).collect()
    }

    /// All nodes in document order, parents before children.
    fn outline(&self) -> Vec<Node>;

    /// The nodes that a target matches. The target is never a range of lines, because the host resolves these itself.
    ///
    /// # Errors
    ///
    /// Fails with `TargetNotFound` and the nearest addresses (see [`Failure::not_found`]), with `InvalidTarget` for a
    /// malformed target, and with `Unsupported` for kinds that the pack does not describe.
    fn find(&self, query: &Query) -> Result<FindResult>;

    /// The text to show for a node.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the node is not in this document.
    fn view(&self, node: NodeId, form: Form) -> Result<View>;

    /// The names that a node uses from other files.
    fn dependencies(&self, _node: NodeId) -> Vec<Dependency> {
        Vec::new()
    }

    /// The edits that apply one operation to all the given nodes: sorted and not overlapping. Line breaks in them may
    /// be `\n`: the host converts them. The host does not call this function to replace text inside of a node, or to
    /// replace a node by its own text.
    ///
    /// # Errors
    ///
    /// Fails with a hint about what is possible: with `Unsupported` if the operation does not apply to the kind of
    /// node, and with `ParseError` or `InvalidArgument` if the content does not fit.
    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>>;

    /// The ranges beyond the adjacent nodes that an operation may change, such as the other parts of a table that is
    /// split over the file. The host rejects all other edits beyond the adjacent nodes.
    fn edit_ranges(&self, _nodes: &[NodeId], _operation: &Operation) -> Vec<Span> {
        Vec::new()
    }

    /// The edits that create a target that [`find`](Document::find) does not find, with this content and in the style
    /// of the surrounding text. Missing parent containers are created too.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the target exists or the content does not fit, with `InvalidTarget` if the
    /// target could name several places, and with `Unsupported` if the format cannot create targets.
    fn insert_missing(&self, target: &Target, _content: &str) -> Result<Vec<Edit>> {
        Err(Failure::unsupported(format!("`{}` does not exist, and the plugin cannot create it", target.value))
            .hint("use `insert_into`, `insert_before` or `insert_after` with an existing target"))
    }

    /// Returns whether a part of the text proves that the edits add no errors. `false` means unknown: the whole new
    /// text must be parsed.
    fn stays_well_formed(&self, _edits: &[Edit]) -> bool {
        false
    }

    /// The parts that are written in another language.
    fn embedded(&self) -> Vec<Embedded> {
        Vec::new()
    }
}

/// A pack whose documents refer to other files. The WIT interface `links` describes each function.
pub trait Linking: LanguagePack {
    /// All references to other files.
    fn links(document: &Self::Document) -> Vec<Link>;
    /// Resolves specifiers of the file at `context.path`.
    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination>;
    /// The new specifiers, in the style of the old ones.
    fn format_specifiers(context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>>;
    /// What the document contributes when files move, in addition to new specifiers. The default contributes nothing:
    /// the host then replaces specifiers only.
    ///
    /// # Errors
    ///
    /// Fails if no edit can make a pattern match the moved files. Links that the pack cannot rewrite belong into
    /// `unresolved`.
    fn relink(_document: &Self::Document, _moves: &FileMoves) -> Result<Rewrite> {
        Ok(Rewrite::default())
    }
    /// Removes links.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if an index is out of range, and with `Unsupported` if a link cannot be removed.
    fn unlink(document: &Self::Document, links: &[u32]) -> Result<Rewrite>;
}

/// A pack with name resolution. The WIT interface `symbols` describes each function.
pub trait Symbols: Linking {
    /// Exports and imports of a file.
    fn facts(document: &Self::Document) -> InterfaceFacts;
    /// Resolves a symbol within one file.
    ///
    /// # Errors
    ///
    /// Fails with `TargetNotFound` if the file has no such symbol.
    fn resolve_symbol(document: &Self::Document, subject: Subject) -> Result<Resolution>;
    /// The edits of a rename in one file.
    ///
    /// # Errors
    ///
    /// Fails with `RefactorFailed` and the span of a conflict, and with `InvalidArgument` if the new name is not a
    /// valid name.
    fn rename(document: &Self::Document, subject: Subject, new_name: &str) -> Result<RenameResult>;
}

/// A pack with hover information, navigation and diagnostics. The WIT interface `hover` describes each function;
/// each of them is optional.
pub trait Hover: LanguagePack {
    /// File names of project manifests.
    const MANIFESTS: &'static [&'static str] = &[];

    /// Hover information for an offset.
    fn hover(_document: &Self::Document, _offset: u32) -> Option<HoverInfo> {
        None
    }
    /// Definition of the type at an offset.
    fn type_definitions(_document: &Self::Document, _offset: u32) -> Vec<FileLocation> {
        Vec::new()
    }
    /// Calls inside the node with this address. `None` if the format has no calls.
    fn calls(_document: &Self::Document, _address: &str) -> Option<Vec<RelatedSymbol>> {
        None
    }
    /// Types that the node extends or implements. `None` if the format has no such types.
    fn supertypes(_document: &Self::Document, _address: &str) -> Option<Vec<RelatedSymbol>> {
        None
    }
    /// Diagnostics beyond syntax. Report only what is certain.
    fn check(_document: &Self::Document) -> SemanticDiagnostics {
        SemanticDiagnostics { checked: Vec::new(), diagnostics: Vec::new() }
    }
    /// Parses one of the [`MANIFESTS`](Hover::MANIFESTS).
    fn read_manifest(_document: &Self::Document) -> Option<Manifest> {
        None
    }
}

impl HoverInfo {
    /// Hover information with only the name, kind and span.
    pub fn plain(name: &str, kind: &str, span: Span) -> HoverInfo {
        let (name, kind) = (name.to_owned(), kind.to_owned());
        HoverInfo { name, kind, span, type_: None, code: None, documentation: None, notes: Vec::new(), declared: None }
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, label: &str, text: impl Into<String>) -> HoverInfo {
        self.notes.push(Note { label: label.to_owned(), text: text.into(), location: None });
        self
    }
}

impl SemanticDiagnostic {
    /// A finding that does not depend on other files.
    pub fn certain(area: Area, diagnostic: Diagnostic) -> SemanticDiagnostic {
        SemanticDiagnostic { area, diagnostic, only_if: Vec::new(), fix: None }
    }

    /// Adds the refactoring that fixes the finding.
    #[must_use]
    pub fn fixed_by(mut self, refactor: &str, arguments: &[(&str, &str)]) -> SemanticDiagnostic {
        let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
        self.fix = Some(Fix { refactor: refactor.to_owned(), arguments: arguments.iter().map(argument).collect() });
        self
    }
}

/// A pack with structural search. The WIT interface `search` describes patterns. Without it, files are searched by
/// text and by targets only.
pub trait Search: LanguagePack {
    /// Parses a pattern for files with this path.
    ///
    /// # Errors
    ///
    /// Fails with `ParseError`, the position of the error in the pattern and a correction, and with `LimitExceeded`
    /// if the pattern is too large.
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo>;
    /// The matches of a pattern, ordered by start, outer matches before inner ones. At most `limit` are returned, but
    /// all are counted.
    ///
    /// # Errors
    ///
    /// Fails like [`read_pattern`](Search::read_pattern).
    fn matches(document: &Self::Document, pattern: &str, limit: u32) -> Result<StructureMatches>;
}
