//! What language packs say: the same records as the WIT contract, validated, in the host's own types.

use crate::{EditSet, Span, refactor::Refactor};

/// How a caller names a place.
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
    /// All kinds, in the order of the documents.
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

    /// The name on the wire, which is also the argument's name.
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

/// A place as the caller names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// What kind of name it is.
    pub kind: TargetKind,
    /// The name.
    pub value: String,
}

/// What a pack says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    /// The name used in the registry.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Semantic version.
    pub version: String,
    /// Globs over file names.
    pub files: Vec<String>,
    /// The kinds of target it understands; the first is the default.
    pub targets: Vec<TargetHelp>,
    /// The regions it knows.
    pub regions: Vec<Named>,
    /// Templates for new files.
    pub templates: Vec<Template>,
    /// JSON Schema of its settings.
    pub settings_schema: String,
    /// A page of help.
    pub help: String,
    /// The refactors it has.
    pub refactors: Vec<Refactor>,
}

impl Description {
    /// Its name and version.
    pub fn identity(&self) -> String {
        format!("{} {}", self.id, self.version)
    }
}

/// A kind of target, with how to write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetHelp {
    /// The kind.
    pub kind: TargetKind,
    /// The grammar in a few words.
    pub syntax: String,
    /// Examples that work.
    pub examples: Vec<String>,
}

/// A name and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What it is.
    pub summary: String,
}

/// A template for new files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The name callers use.
    pub name: String,
    /// What it makes.
    pub summary: String,
    /// The extension of the file it makes, without a dot.
    pub extension: String,
    /// A Jinja template.
    pub body: String,
}

/// An addressable thing in a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// Its name within the document, for the pack.
    pub id: u32,
    /// In an outline: the index of its parent.
    pub parent: Option<u32>,
    /// The field's own word.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Given back as a target, it finds this node and no other.
    pub address: String,
    /// Exactly what a replace replaces.
    pub span: Span,
    /// The name within the span.
    pub selection: Span,
    /// What replacing the body replaces.
    pub body: Option<Span>,
    /// An attached comment outside the span.
    pub doc: Option<Span>,
    /// Depth of a heading.
    pub level: Option<u8>,
    /// The parsed value as JSON text.
    pub value: Option<String>,
}

/// A question to a document.
#[derive(Debug, Clone)]
pub struct Query {
    /// The place.
    pub target: Target,
    /// At most so many nodes.
    pub limit: usize,
    /// With parsed values.
    pub values: bool,
}

/// The answer to a query.
#[derive(Debug, Clone)]
pub enum Found {
    /// Nodes, and how many there are in all.
    Nodes(Vec<Node>, usize),
    /// A number, string or boolean.
    Scalar(Scalar),
}

/// A value that is no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// As JSON text.
    pub json: String,
    /// As the format prints it.
    pub text: String,
}

/// How to show a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All of it.
    Full,
    /// Its head.
    Signature,
    /// Its inside.
    Body,
    /// Its shape.
    Summary,
}

/// What is shown of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// A part of the document.
    Span(Span),
    /// Text made for the purpose.
    Text(String),
}

/// Where `insert_into` inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Where the order of its neighbours has it.
    Sorted,
}

/// What to do with the nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Put the content in their place.
    Replace(String),
    /// Put the content in the place of their inside.
    ReplaceBody(String),
    /// Insert before them.
    InsertBefore(String),
    /// Insert after them.
    InsertAfter(String),
    /// Insert into them.
    InsertInto(String, Position),
    /// Put something around them.
    Wrap {
        /// What goes before.
        before: String,
        /// What goes after.
        after: String,
    },
    /// Delete them.
    Delete,
}

/// How an operation is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EditOptions {
    /// The attached comment is part of the node.
    pub include_doc: bool,
    /// Skip refusals that protect against likely mistakes.
    pub force: bool,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The document is wrong.
    Error,
    /// It is likely wrong.
    Warning,
    /// Worth knowing.
    Info,
    /// A suggestion.
    Hint,
}

/// Something wrong in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// How bad.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
    /// The rule's name.
    pub code: Option<String>,
}

/// Something a node uses that another file brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name in the other file.
    pub symbol: String,
    /// The specifier as written.
    pub from: String,
}

/// A part of a document in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// Where.
    pub span: Span,
    /// A language name or file extension.
    pub language: String,
}

/// A place that names another file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// `import`, `href`, `image` …
    pub kind: String,
    /// The specifier, without quotes.
    pub span: Span,
    /// What goes when the link is removed.
    pub statement: Span,
    /// The specifier decoded.
    pub specifier: String,
    /// Names that travel over it.
    pub names: Vec<String>,
    /// Only types travel over it.
    pub type_only: bool,
}

/// Where a specifier leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file or directory inside the root, and what follows the path.
    Inside {
        /// The path from the root.
        path: String,
        /// `#anchor`, `?query`.
        suffix: String,
    },
    /// Not ours to follow.
    External,
    /// It should be at this path and is not.
    Missing(String),
    /// It cannot be decided, and why.
    Unknown(String),
}

/// How a file should now name another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respelling {
    /// The naming file, after the change.
    pub from: String,
    /// The named file, after the change.
    pub to: String,
    /// Where the old specifier led.
    pub was: String,
    /// The link's kind.
    pub kind: String,
    /// The old specifier.
    pub specifier: String,
}

/// A name that other files can import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportedName {
    /// The name outside.
    pub name: String,
    /// The binding in this file.
    pub local: Option<String>,
    /// Where.
    pub span: Span,
    /// What it is.
    pub kind: String,
    /// Only a type.
    pub type_only: bool,
}

/// A name taken from another file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedName {
    /// The specifier as written.
    pub specifier: String,
    /// The name in the other file; `*` for the module.
    pub name: String,
    /// The binding in this file.
    pub local: Option<String>,
    /// The name it is re-exported under.
    pub exported: Option<String>,
    /// Only a type.
    pub type_only: bool,
}

/// What a file exports and imports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Names that other files can import.
    pub exports: Vec<ExportedName>,
    /// Names taken from other files.
    pub imports: Vec<ImportedName>,
    /// Names declared here for all files.
    pub shared: Vec<SharedName>,
    /// Such names that are used here, and that nothing here declares.
    pub free: Vec<SharedName>,
}

/// A name that all files share, and the space in which it is one thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SharedName {
    /// `script`, `css-class` …: a word that packs agree on.
    pub space: String,
    /// The name.
    pub name: String,
}

/// How a file is asked for a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// What stands at an offset.
    At(usize),
    /// A declaration by its address.
    Address(String),
    /// Everything that came in from the specifiers under the name.
    Imported {
        /// Specifiers that lead to the same file.
        specifiers: Vec<String>,
        /// The name there.
        name: String,
    },
    /// What the file exports under a name.
    Exported(String),
    /// The defaults of other files, where they go by the name that the thing itself has there.
    ImportedDefault {
        /// Specifiers that lead to the same file.
        specifiers: Vec<String>,
        /// The name there.
        called: String,
    },
    /// A member wherever it is used.
    Declared(Member),
    /// A name that all files share.
    Shared(SharedName),
}

/// The declarations that together are one member: overloads, overridden ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where it is declared: paths and offsets.
    pub places: Vec<(String, usize)>,
    /// The texts one of which a file must have to name it, unless it declares it. None: any file with the name may.
    pub forms: Vec<String>,
}

/// One occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Where.
    pub span: Span,
    /// `declaration`, `read`, `write` …
    pub usage: &'static str,
    /// Certain, or only the same spelling.
    pub certain: bool,
}

/// One name, as one file sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Its declaration here.
    pub address: Option<String>,
    /// Where it occurs.
    pub occurrences: Vec<Occurrence>,
    /// The names under which other files can import it.
    pub exported_as: Vec<String>,
    /// Where it comes from.
    pub origin: Option<ImportedName>,
    /// Why this may not be all.
    pub incomplete: Option<String>,
    /// The member it is, if it is one: any file with this name in its text may use it.
    pub declared: Option<Member>,
    /// The space it is shared in.
    pub shared: Option<String>,
    /// Where it is declared, if that is another file: path and offset.
    pub elsewhere: Option<(String, usize)>,
}

/// What a rename does in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Renaming {
    /// The splices.
    pub edits: EditSet,
    /// Names under which the thing leaves this file: old, new. Where the old one is `default`, the new one is its own.
    pub exported: Vec<(String, String)>,
    /// Places with the same spelling that were left.
    pub unresolved: Vec<Span>,
    /// It is declared there, path and offset: nothing was edited, that file is to be asked.
    pub elsewhere: Option<(String, usize)>,
    /// The member it is: every file with the old name in its text is to be asked.
    pub declared: Option<Member>,
    /// The space it is shared in: every file with the old name in `shared` or `free` is to be asked.
    pub shared: Option<String>,
    /// The old name.
    pub name: String,
}
