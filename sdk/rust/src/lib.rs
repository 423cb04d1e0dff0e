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
#[cfg(not(target_arch = "wasm32"))]
mod example;
mod export;
pub mod failure;
mod hover;
pub mod indent;
pub mod items;
pub mod lines;
pub mod log;
mod mentions;
pub mod order;
pub mod paths;
pub mod possible_paths;
pub mod refactor;
mod search;
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
pub use hover::Hover;
pub use mentions::{Mentions, is_in_quotes};
pub use search::Search;
pub use types::*;

#[doc(hidden)]
pub use wit_bindgen;

/// Result of most functions of a pack.
pub type Result<T> = std::result::Result<T, Failure>;

/// A language pack: its description, and how it opens a document.
///
/// # Examples
///
/// A whole pack, for files with a setting in each line:
///
/// ```
/// use marquetry_sdk::{
///     Description, Diagnostic, Document, Edit, EditOptions, Failure, FailureKind, FindResult, Form, LanguagePack, Node,
///     NodeId, Nodes, Operation, Query, Result, Span, TargetHelp, TargetKind, View, fail, lines, span::apply,
/// };
///
/// struct Settings;
///
/// impl LanguagePack for Settings {
///     type Document = Page;
///     const FILES: &'static [&'static str] = &["*.settings"];
///
///     fn describe() -> Description {
///         let (kind, syntax) = (TargetKind::Path, "KEY".to_owned());
///         Description {
///             id: "settings".to_owned(),
///             name: "Settings".to_owned(),
///             version: "0.1.0".to_owned(),
///             files: Self::files(),
///             targets: vec![TargetHelp { kind, syntax, examples: vec!["port".to_owned()] }],
///             regions: Vec::new(),
///             templates: Vec::new(),
///             settings_schema: "{}".to_owned(),
///             relinks: false,
///             help: "Each line is a setting: `KEY=VALUE`.".to_owned(),
///         }
///     }
///
///     fn open(_path: &str, text: String, _settings: &str) -> Page {
///         Page { text }
///     }
/// }
///
/// #[derive(Debug)]
/// struct Page {
///     text: String,
/// }
///
/// impl Page {
///     fn node(&self, id: NodeId) -> Result<Node> {
///         let node = self.outline().into_iter().find(|node| node.id == id);
///         node.ok_or_else(|| fail(FailureKind::InvalidArgument, "no such node"))
///     }
/// }
///
/// impl Document for Page {
///     fn text(&self) -> &str {
///         &self.text
///     }
///
///     fn diagnostics(&self) -> Vec<Diagnostic> {
///         Vec::new()
///     }
///
///     fn outline(&self) -> Vec<Node> {
///         let (mut nodes, mut at) = (Vec::new(), 0);
///         while at < self.text.len() {
///             let line = Span::new(at, lines::line_end(&self.text, at));
///             if let Some((key, _)) = line.slice(&self.text).split_once('=') {
///                 nodes.push(Node::plain(nodes.len() as NodeId, "setting", key, line));
///             }
///             at = lines::next_line(&self.text, at);
///         }
///         nodes
///     }
///
///     fn find(&self, query: &Query) -> Result<FindResult> {
///         let (all, wanted) = (self.outline(), &query.target.value);
///         let nodes: Vec<Node> = all.iter().filter(|node| node.address == *wanted).cloned().collect();
///         if nodes.is_empty() {
///             return Err(Failure::not_found("setting", wanted, all.iter().map(|node| node.address.as_str())));
///         }
///         let total = nodes.len() as u32;
///         Ok(FindResult::Nodes(Nodes { nodes, total }))
///     }
///
///     fn view(&self, node: NodeId, _form: Form) -> Result<View> {
///         Ok(View::Span(self.node(node)?.span))
///     }
///
///     fn edit(&self, nodes: &[NodeId], operation: &Operation, _options: EditOptions) -> Result<Vec<Edit>> {
///         let Operation::Replace(content) = operation else {
///             return Err(Failure::unsupported("settings can only be replaced").hint("use `replace`"));
///         };
///         nodes.iter().map(|node| Ok(Edit::new(self.node(*node)?.span, content))).collect()
///     }
/// }
///
/// let page = Settings::open("a.settings", "host=a\nport=80\n".to_owned(), "{}");
/// let replace = Operation::Replace("port=8080".to_owned());
/// let edits = page.edit(&[1], &replace, EditOptions { include_doc: false, force: false })?;
/// assert_eq!(apply(page.text(), &edits), "host=a\nport=8080\n");
/// # Ok::<(), Failure>(())
/// ```
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
///
/// # Examples
///
/// [`LanguagePack`] has an example of a whole pack. A document is asked for its nodes and for edits of them:
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{Document, FindResult, Form, LanguagePack, Query, Span, Target, TargetKind, View};
///
/// let page = Notes::open("a.note", "host=a\nport=80\n".to_owned(), "{}");
/// let find = |value: &str| {
///     let target = Target { kind: TargetKind::Path, value: value.to_owned() };
///     page.find(&Query { target, limit: 1, values: false })
/// };
/// let FindResult::Nodes(found) = find("port")? else { panic!("settings are nodes") };
/// assert_eq!(page.view(found.nodes[0].id, Form::Full)?, View::Span(Span::new(7, 14)));
/// assert_eq!(find("prot").unwrap_err().candidates, ["port"]);
/// # Ok::<(), marquetry_sdk::Failure>(())
/// ```
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
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes);
/// use marquetry_sdk::{
///     Context, Destination, Edit, FailureKind, FileMoves, LanguagePack, Link, Linking, MovedLink, Relocation, Request,
///     Resolved, Result, Rewrite, Span, SpecifierRequest, fail, paths, span::apply,
/// };
///
/// /// A line `see FILE` refers to a file, and a line `at FILE` names the file itself.
/// impl Linking for Notes {
///     fn links(page: &Page) -> Vec<Link> {
///         let link = |line: Span| {
///             let specifier = line.slice(&page.text).strip_prefix("see ")?.to_owned();
///             let span = Span::new(line.range().end - specifier.len(), line.range().end);
///             Some(Link { kind: "see".into(), span, statement: line, specifier, names: Vec::new(), type_only: false })
///         };
///         page.lines().into_iter().filter_map(link).collect()
///     }
///
///     fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
///         let folder = paths::folder(&context.path);
///         let destination = |request: &Request| match paths::join(folder, &request.specifier) {
///             Some(path) => Destination::Inside(Resolved { path, suffix: String::new() }),
///             None => Destination::External,
///         };
///         requests.iter().map(destination).collect()
///     }
///
///     fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
///         requests.iter().map(|request| Ok(paths::relative(paths::folder(&request.from), &request.to))).collect()
///     }
///
///     fn relink(page: &Page, moves: &FileMoves) -> Result<Rewrite> {
///         let own = page.lines().into_iter().filter(|line| line.slice(&page.text).starts_with("at "));
///         Ok(own.map(|line| Edit::new(line, format!("at {}", moves.path))).collect::<Vec<Edit>>().into())
///     }
///
///     fn unlink(page: &Page, links: &[u32]) -> Result<Rewrite> {
///         let all = Notes::links(page);
///         let no_link = || fail(FailureKind::InvalidArgument, "no such link");
///         let remove = |link: &u32| Ok(Edit::remove(all.get(*link as usize).ok_or_else(no_link)?.statement));
///         Ok(links.iter().map(remove).collect::<Result<Vec<Edit>>>()?.into())
///     }
/// }
///
/// let page = Notes::open("docs/a.note", "at docs/a.note\nsee b.note\n".to_owned(), "{}");
/// let (from, to) = ("docs/a.note".to_owned(), "a.note".to_owned());
/// let moved = MovedLink { link: 0, from: "docs/b.note".to_owned(), to: "docs/b.note".to_owned() };
/// let moves = FileMoves { path: to.clone(), relocations: vec![Relocation { from, to }], links: vec![moved] };
/// assert_eq!(apply(page.text(), &Notes::relink(&page, &moves)?.edits), "at a.note\nsee b.note\n");
///
/// let link = Notes::links(&page).remove(0);
/// let request = Request { kind: link.kind, specifier: link.specifier };
/// let destinations = Notes::resolve(&Context::for_path("docs/a.note"), &[request]);
/// let expected = Resolved { path: "docs/b.note".to_owned(), suffix: String::new() };
/// assert_eq!(destinations, [Destination::Inside(expected)]);
/// # use marquetry_sdk::Document as _;
/// # Ok::<(), marquetry_sdk::Failure>(())
/// ```
pub trait Linking: LanguagePack {
    /// All references to other files.
    fn links(document: &Self::Document) -> Vec<Link>;
    /// Resolves specifiers of the file at `context.path`.
    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination>;
    /// Moves of other files and folders that belong to the move of a file. The default returns none.
    fn additional_moves(_context: &Context, _relocation: &Relocation) -> Vec<Relocation> {
        Vec::new()
    }
    /// The new specifiers, in the style of the old ones.
    fn format_specifiers(context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>>;
    /// The edits that the document needs when files move, apart from new specifiers. The default returns none: the host
    /// then replaces specifiers only.
    ///
    /// # Errors
    ///
    /// Fails if no edit can make a pattern match the moved files. Links that the pack cannot rewrite belong in
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
///
/// # Examples
///
/// ```
/// # marquetry_sdk::__example_pack!(Notes: links);
/// use marquetry_sdk::{
///     Edit, FailureKind, InterfaceFacts, LanguagePack, Occurrence, RenameResult, Resolution, Result, Span, Subject,
///     Symbols, Usage, fail, shared, span::apply,
/// };
///
/// /// The keys of a page are its symbols: `port` is declared by `port=80` and used by `$port`.
/// fn occurrences(page: &Page, subject: &Subject) -> Result<(String, Vec<Occurrence>)> {
///     let is_letter = |c: char| c.is_ascii_alphabetic();
///     let Subject::At(offset) = subject else { return Err(fail(FailureKind::TargetNotFound, "no such symbol")) };
///     let (before, after) = page.text.split_at(*offset as usize);
///     let start = before.trim_end_matches(is_letter).len();
///     let end = page.text.len() - after.trim_start_matches(is_letter).len();
///     let name = page.text[start..end].to_owned();
///     let found = page.text.match_indices(name.as_str()).map(|(at, text)| {
///         let usage = if page.text[..at].ends_with('$') { Usage::Read } else { Usage::Declaration };
///         Occurrence { span: Span::new(at, at + text.len()), usage, certain: true }
///     });
///     Ok((name.clone(), found.collect()))
/// }
///
/// impl Symbols for Notes {
///     fn facts(_page: &Page) -> InterfaceFacts {
///         InterfaceFacts { exports: Vec::new(), imports: Vec::new(), shared: Vec::new(), free: Vec::new() }
///     }
///
///     fn resolve_symbol(page: &Page, subject: Subject) -> Result<Resolution> {
///         let (name, occurrences) = occurrences(page, &subject)?;
///         Ok(Resolution {
///             address: Some(name.clone()),
///             name,
///             kind: "setting".to_owned(),
///             occurrences,
///             exported_as: Vec::new(),
///             origin: None,
///             incomplete: None,
///             declared: None,
///             shared: None,
///             elsewhere: None,
///         })
///     }
///
///     fn rename(page: &Page, subject: Subject, new_name: &str) -> Result<RenameResult> {
///         let (name, found) = occurrences(page, &subject)?;
///         let edits = found.iter().map(|occurrence| Edit::new(occurrence.span, new_name)).collect();
///         Ok(RenameResult { edits, ..shared::empty_renaming(&name) })
///     }
/// }
///
/// let page = Notes::open("a.note", "port=80\nurl=localhost:$port\n".to_owned(), "{}");
/// let renamed = Notes::rename(&page, Subject::At(0), "door")?;
/// assert_eq!(apply(&page.text, &renamed.edits), "door=80\nurl=localhost:$door\n");
/// # Ok::<(), marquetry_sdk::Failure>(())
/// ```
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
