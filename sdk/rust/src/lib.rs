//! Write a Marquetry language pack in Rust.
//!
//! Implement [`LanguagePack`] and [`Document`], call [`export_pack!`] with the optional interfaces that the pack has, and build
//! a `cdylib` for `wasm32-wasip2`: the result is a component that the host can load. The same crate, built natively, runs its own tests;
//! `testing` (feature of that name) holds the laws that every pack keeps.
//!
//! What a pack answers is spans and edits of the text it was given. The smallest edit is a span and its new text:
//!
//! ```
//! use marquetry_sdk::{Edit, Span, lines, span::apply};
//!
//! let text = "port = 80\nhost = a\n";
//! let start = lines::next_line(text, 0);
//! let second = Span::new(start, lines::line_end(text, start));
//! assert_eq!(second.of(text), "host = a");
//! assert_eq!(apply(text, &[Edit::new(second, "host = b")]), "port = 80\nhost = b\n");
//! ```
//!
//! A failure is a menu: what was wrong, what to do, and the nearest right answers.
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
mod export;
pub mod failure;
pub mod indent;
pub mod items;
pub mod lines;
pub mod log;
pub mod order;
pub mod paths;
pub mod possible;
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

/// Short for what most functions of a pack return.
pub type Result<T> = std::result::Result<T, Failure>;

/// One language pack: what it is, and how it opens a document.
pub trait LanguagePack: 'static {
    /// The text of one file and what was derived from it.
    type Document: Document;

    /// The patterns of the files that it takes. They are written into the component as well, so that the host knows them
    /// without running it.
    const FILES: &'static [&'static str];

    /// What the pack says of itself; its `files` are the [`FILES`](LanguagePack::FILES).
    fn describe() -> Description;

    /// The patterns as [`Description`] has them.
    fn files() -> Vec<String> {
        Self::FILES.iter().map(|pattern| (*pattern).to_owned()).collect()
    }

    /// Open a document. Never fails: what cannot be parsed becomes problems.
    fn open(path: &str, text: String, settings: &str) -> Self::Document;
}

/// One open document. Immutable: an edit is an answer, not a change.
pub trait Document: std::fmt::Debug + 'static {
    /// The text it was made from.
    fn text(&self) -> &str;

    /// What is wrong with the syntax, in document order.
    fn problems(&self) -> Vec<Problem>;

    /// The errors among them that opening the document found already, where there are others that only a check finds.
    fn parse_errors(&self) -> Vec<Problem> {
        self.problems().into_iter().filter(|problem| problem.severity == Severity::Error).collect()
    }

    /// All nodes in document order, parents before children.
    fn outline(&self) -> Vec<Node>;

    /// The nodes that a target names. Lines are found by the host, in every text.
    ///
    /// # Errors
    ///
    /// `TargetNotFound` with the nearest addresses (see [`Failure::not_found`]), `InvalidTarget` for what is no target,
    /// `Unsupported` for kinds that the pack does not describe.
    fn find(&self, query: &Query) -> Result<Found>;

    /// What to show of a node.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for a node that is none of this document's.
    fn view(&self, node: NodeId, form: Form) -> Result<View>;

    /// What a node uses of other files.
    fn dependencies(&self, _node: NodeId) -> Vec<Dependency> {
        Vec::new()
    }

    /// The edits that carry out one operation on all the given nodes: sorted, and apart. Line breaks in them may be `\n`: the
    /// host writes the document's. Replacing a node by its own text and replacing a text inside of one are the host's.
    ///
    /// # Errors
    ///
    /// Whatever cannot be done, with a hint at what can: `Unsupported` where the operation makes no sense for the kind of
    /// node, `ParseError` or `InvalidArgument` where the content does not fit.
    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>>;

    /// The ranges beyond the neighbours of the nodes that belong to an operation on them: the other parts of a table that
    /// stands in several places. The host refuses edits that lie elsewhere beyond the neighbours.
    fn edit_ranges(&self, _nodes: &[NodeId], _operation: &Operation) -> Vec<Span> {
        Vec::new()
    }

    /// The edits that make what a target names, with this content, where [`find`](Document::find) finds nothing: in the
    /// style of what is around it, with the containers on the way that are missing too.
    ///
    /// # Errors
    /// `invalid-argument` where it is there already or the content is none for the place, `invalid-target` where several
    /// places could be meant, `unsupported` in a format that makes nothing.
    fn insert_missing(&self, target: &Target, _content: &str) -> Result<Vec<Edit>> {
        Err(Failure::unsupported(format!(
            "files of this format get nothing new at `{}`, which is not there",
            target.value
        ))
        .hint("use `insert_into`, `insert_before` or `insert_after` with a target that is there"))
    }

    /// Whether the text is certain to have no more errors with these edits, as far as a part of it shows. `false`: the
    /// whole new text has to be read.
    fn stays_well_formed(&self, _edits: &[Edit]) -> bool {
        false
    }

    /// The parts that are written in another language.
    fn embedded(&self) -> Vec<Embedded> {
        Vec::new()
    }
}

/// A pack whose documents name other files. See the WIT interface `links` for each function.
pub trait Linking: LanguagePack {
    /// Every place that names another file.
    fn links(document: &Self::Document) -> Vec<Link>;
    /// Where the specifiers of the file `from` lead.
    fn resolve(from: &str, requests: &[Request]) -> Vec<Destination>;
    /// The new specifiers in the style of the old ones.
    fn spell(requests: &[Respelling]) -> Vec<Result<String>>;
    /// The edits that let the document's patterns cover what moves.
    ///
    /// # Errors
    ///
    /// Where a pattern that covered what moves can be changed by no edit.
    fn cover(_document: &Self::Document, _relocations: &[Relocation]) -> Result<Vec<Edit>> {
        Ok(Vec::new())
    }
    /// The edits that remove links.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for an index that is no link's, `Unsupported` for a link that cannot be left out.
    fn unlink(document: &Self::Document, links: &[u32]) -> Result<Vec<Edit>>;
}

/// A pack that knows what names mean. See the WIT interface `symbols` for each function.
pub trait Symbols: Linking {
    /// What a file exports and imports.
    fn facts(document: &Self::Document) -> InterfaceFacts;
    /// One name as one file sees it.
    ///
    /// # Errors
    ///
    /// `TargetNotFound` where the file has no such name.
    fn resolve_symbol(document: &Self::Document, subject: Subject) -> Result<Resolution>;
    /// The edits of a rename in one file.
    ///
    /// # Errors
    ///
    /// `RefactorFailed` with the place of a conflict, `InvalidArgument` for what is no name.
    fn rename(document: &Self::Document, subject: Subject, new_name: &str) -> Result<Renaming>;
}

/// A pack that can tell a reader about a place. See the WIT interface `insight` for each function; a pack says what it knows.
pub trait Insight: LanguagePack {
    /// The names of files that say how a project is built.
    const MANIFESTS: &'static [&'static str] = &[];

    /// What stands at an offset.
    fn describe_place(_document: &Self::Document, _offset: u32) -> Option<Card> {
        None
    }
    /// Where the type of what stands at an offset is defined.
    fn type_definitions(_document: &Self::Document, _offset: u32) -> Vec<Place> {
        Vec::new()
    }
    /// The calls made inside the node with this address. Nothing in a format where nothing is called.
    fn calls(_document: &Self::Document, _address: &str) -> Option<Vec<Related>> {
        None
    }
    /// The types it extends or implements. Nothing in a format without such types.
    fn supertypes(_document: &Self::Document, _address: &str) -> Option<Vec<Related>> {
        None
    }
    /// What is wrong beyond syntax, as far as it is certain.
    fn checks(_document: &Self::Document) -> Inspection {
        Inspection { checked: Vec::new(), findings: Vec::new() }
    }
    /// What one of the [`MANIFESTS`](Insight::MANIFESTS) says.
    fn read_manifest(_document: &Self::Document) -> Option<Manifest> {
        None
    }
}

impl Card {
    /// A card that says what something is and where it stands.
    pub fn plain(name: &str, kind: &str, span: Span) -> Card {
        let (name, kind) = (name.to_owned(), kind.to_owned());
        Card { name, kind, span, type_: None, code: None, documentation: None, notes: Vec::new(), declared: None }
    }

    /// The same with one more thing to know.
    #[must_use]
    pub fn note(mut self, label: &str, text: impl Into<String>) -> Card {
        self.notes.push(Note { label: label.to_owned(), text: text.into(), place: None });
        self
    }
}

impl Finding {
    /// A finding that holds whatever other files say.
    pub fn certain(area: Area, problem: Problem) -> Finding {
        Finding { area, problem, only_if: Vec::new(), fix: None }
    }

    /// The same with the refactor that mends it.
    #[must_use]
    pub fn mended_by(mut self, refactor: &str, arguments: &[(&str, &str)]) -> Finding {
        let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
        self.fix = Some(Fix { refactor: refactor.to_owned(), arguments: arguments.iter().map(argument).collect() });
        self
    }
}

/// A pack that finds code by its structure. See the WIT interface `search` for what a pattern is. A pack without it has no
/// structure to look for: its files are searched by text, and by its targets.
pub trait Search: LanguagePack {
    /// What a pattern says in a file with this path.
    ///
    /// # Errors
    ///
    /// `ParseError` with the place in the pattern that is wrong and what would be right, `LimitExceeded` where it is too
    /// large to be looked for.
    fn read_pattern(path: &str, pattern: &str) -> Result<PatternHelp>;
    /// The places that look like the pattern: by their starts, outer ones before those in them; all are counted.
    ///
    /// # Errors
    ///
    /// Those of [`read_pattern`](Search::read_pattern).
    fn matches(document: &Self::Document, pattern: &str, limit: u32) -> Result<StructureMatches>;
}
