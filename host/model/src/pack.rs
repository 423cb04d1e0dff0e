//! Data types of language packs: the records of the WIT contract, validated, as Rust types.

mod symbols;

pub use symbols::{
    ExportedName, Facts, ImportedName, Member, Occurrence, RenameResult, Resolution, SharedName, Subject,
};

use crate::{Span, refactor::Refactor};

/// The ways to address a location in a file.
///
/// # Examples
///
/// ```
/// use marquetry_model::pack::TargetKind;
///
/// assert_eq!(TargetKind::ALL[0], TargetKind::Symbol);
/// assert_eq!(TargetKind::NAMES, TargetKind::ALL.map(TargetKind::name));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// `UserService.findById`
    Symbol,
    /// `$.scripts.build`
    Path,
    /// `nav > a.active`
    Selector,
    /// `//item[@id]`
    Xpath,
    /// `Guide > Install`
    Heading,
    /// `imports`
    Region,
    /// `7-12`
    Lines,
}

impl TargetKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [TargetKind; 7] = [
        TargetKind::Symbol,
        TargetKind::Path,
        TargetKind::Selector,
        TargetKind::Xpath,
        TargetKind::Heading,
        TargetKind::Region,
        TargetKind::Lines,
    ];

    /// The names of all kinds, in the same order.
    pub const NAMES: [&'static str; TargetKind::ALL.len()] = {
        let mut names = [""; TargetKind::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = TargetKind::ALL[at].name();
            at += 1;
        }
        names
    };

    /// The name used on the wire, which is also the name of the argument.
    pub const fn name(self) -> &'static str {
        match self {
            TargetKind::Symbol => "symbol",
            TargetKind::Path => "path",
            TargetKind::Selector => "selector",
            TargetKind::Xpath => "xpath",
            TargetKind::Heading => "heading",
            TargetKind::Region => "region",
            TargetKind::Lines => "lines",
        }
    }
}

/// A location as the caller addresses it.
///
/// # Examples
///
/// ```
/// use marquetry_model::pack::{Target, TargetKind};
///
/// let target = Target { kind: TargetKind::Symbol, value: "UserService.findById".to_owned() };
/// assert_eq!(target.kind.name(), "symbol");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The kind of address.
    pub kind: TargetKind,
    /// The address.
    pub value: String,
}

/// A pack's description of itself.
///
/// # Examples
///
/// ```
/// use marquetry_model::pack::Description;
///
/// let pack = Description { id: "notes".to_owned(), version: "1.2.0".to_owned(), ..Description::default() };
/// assert_eq!(pack.identity(), "notes 1.2.0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// The name used in the registry.
    pub id: String,
    /// A display name.
    pub name: String,
    /// The semantic version.
    pub version: String,
    /// Globs over the names of the files that it handles.
    pub files: Vec<String>,
    /// The supported kinds of targets; the first is the default.
    pub targets: Vec<TargetHelp>,
    /// The supported regions.
    pub regions: Vec<Named>,
    /// Templates for new files.
    pub templates: Vec<Template>,
    /// JSON Schema of its settings.
    pub settings_schema: String,
    /// True if `relink` is called for all documents that move or link to a moved file, not only for `glob` links.
    pub relinks: bool,
    /// The help page.
    pub help: String,
    /// The supported refactorings.
    pub refactors: Vec<Refactor>,
}

impl Description {
    /// The id and version.
    pub fn identity(&self) -> String {
        format!("{} {}", self.id, self.version)
    }
}

/// Describes a kind of target and its syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetHelp {
    /// The kind.
    pub kind: TargetKind,
    /// A short description of the grammar.
    pub syntax: String,
    /// Valid examples.
    pub examples: Vec<String>,
}

/// A name and its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The description.
    pub summary: String,
}

/// A template for new files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The name that callers use.
    pub name: String,
    /// A description of the file it creates.
    pub summary: String,
    /// The extension of the file it creates, without a dot.
    pub extension: String,
    /// A Jinja template.
    pub body: String,
}

/// An addressable part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// Identifies the node within the document.
    pub id: u32,
    /// In an outline: the index of the parent.
    pub parent: Option<u32>,
    /// The kind, in the terms of the format: `class`, `property`, `heading` …
    pub kind: String,
    /// Its name.
    pub name: String,
    /// An address that, used as a target, matches this node and no other.
    pub address: String,
    /// The exact range that `replace` replaces.
    pub span: Span,
    /// The range of the name within the span.
    pub selection: Span,
    /// The range that `replace_body` replaces.
    pub body: Option<Span>,
    /// The range of an attached comment outside of the span.
    pub doc: Option<Span>,
    /// The level of a heading.
    pub level: Option<u8>,
    /// The parsed value as JSON text.
    pub value: Option<String>,
}

/// A query for nodes of a document.
#[derive(Debug, Clone)]
pub struct Query {
    /// The target to look for.
    pub target: Target,
    /// The maximum number of nodes to return.
    pub limit: usize,
    /// True to return parsed values.
    pub values: bool,
}

/// The result of a query.
#[derive(Debug, Clone)]
pub enum FindResult {
    /// The nodes, and the total number of matches.
    Nodes(Vec<Node>, usize),
    /// A number, string or boolean.
    Scalar(Scalar),
}

/// A query result that is a value, not a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The value as JSON text.
    pub json: String,
    /// The value as the format writes it.
    pub text: String,
}

/// Display form of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The entire node.
    Full,
    /// The signature only.
    Signature,
    /// The body only.
    Body,
    /// An overview of the structure.
    Summary,
}

/// The displayed content of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// A part of the document.
    Span(Span),
    /// Generated text.
    Text(String),
}

/// The position at which `insert_into` inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// As the first child.
    First,
    /// As the last child.
    Last,
    /// In sort order among its siblings.
    Sorted,
}

/// An edit operation on nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Replace the nodes with the content.
    Replace(String),
    /// Replace the body of the nodes with the content.
    ReplaceBody(String),
    /// Insert before the nodes.
    InsertBefore(String),
    /// Insert after the nodes.
    InsertAfter(String),
    /// Insert as a child of the nodes.
    InsertInto(String, Position),
    /// Surround the nodes.
    Wrap {
        /// The text before.
        before: String,
        /// The text after.
        after: String,
    },
    /// Delete the nodes.
    Delete,
}

/// Options of an edit operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EditOptions {
    /// Treat the attached comment as part of the node.
    pub include_doc: bool,
    /// Skip the checks that protect against likely mistakes.
    pub force: bool,
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The document is invalid.
    Error,
    /// The document is likely wrong.
    Warning,
    /// Information.
    Info,
    /// A suggestion.
    Hint,
}

/// A diagnostic of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackDiagnostic {
    /// The severity.
    pub severity: Severity,
    /// The range.
    pub span: Span,
    /// The message.
    pub message: String,
    /// The name of the rule.
    pub code: Option<String>,
}

impl PackDiagnostic {
    /// Returns whether the pack does not read a part of the text, so that links and names may be missing: there is a
    /// syntax error, or a diagnostic with severity `Info` reports that the pack does not read such a part. `self` must
    /// be one of the results of [`crate::ports::Document::parse_errors`].
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Span, pack::{PackDiagnostic, Severity}};
    /// let template = PackDiagnostic {
    ///     severity: Severity::Info,
    ///     span: Span::new(0, 10),
    ///     message: "the template is not read".to_owned(),
    ///     code: None,
    /// };
    /// assert!(template.leaves_text_unread());
    /// ```
    pub fn leaves_text_unread(&self) -> bool {
        matches!(self.severity, Severity::Error | Severity::Info)
    }
}

/// An imported name that a node uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name in the exporting file.
    pub symbol: String,
    /// The specifier as written.
    pub specifier: String,
}

/// A part of a document in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// The range.
    pub span: Span,
    /// A language name or file extension.
    pub language: String,
}

/// A reference to another file, as in LSP's document links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// `import`, `href`, `image` …
    pub kind: String,
    /// The range of the specifier, without quotes.
    pub span: Span,
    /// The range that is deleted when the link is removed.
    pub statement: Span,
    /// The specifier with escapes resolved.
    pub specifier: String,
    /// The names imported or re-exported through it.
    pub names: Vec<String>,
    /// True if the link imports only types.
    pub type_only: bool,
}

/// The destination that a specifier resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file or directory inside the root.
    Inside {
        /// The path from the root.
        path: String,
        /// The rest of the specifier: `#anchor`, `?query`.
        suffix: String,
    },
    /// Outside of the workspace: another package, a URL, a built-in module.
    External,
    /// Inside the root at this path, where nothing exists.
    Missing(String),
    /// Cannot be determined, for this reason.
    Unknown(String),
}

/// A request to rewrite the specifier of a link after a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecifierRequest {
    /// The file with the link, after the change.
    pub from: String,
    /// The linked file, after the change.
    pub to: String,
    /// The destination that the old specifier resolved to.
    pub old_destination: String,
    /// The kind of link.
    pub kind: String,
    /// The old specifier.
    pub specifier: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_targets_are_named_in_order() {
        let names = ["symbol", "path", "selector", "xpath", "heading", "region", "lines"];
        assert_eq!(TargetKind::ALL.map(TargetKind::name), names);
        assert_eq!(TargetKind::NAMES, names);
    }

    #[test]
    fn pack_is_identified_by_id_and_version() {
        let description = Description { id: "notes".into(), version: "1.2.0".into(), ..Description::default() };
        assert_eq!(description.identity(), "notes 1.2.0");
    }
}
