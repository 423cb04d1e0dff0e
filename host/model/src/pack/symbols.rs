//! Data types of name resolution: exports and imports, symbols, their occurrences, and renames.

use crate::{EditSet, Span};

/// A name that other files can import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportedName {
    /// The exported name.
    pub name: String,
    /// The local binding.
    pub local: Option<String>,
    /// Its range.
    pub span: Span,
    /// The kind of symbol.
    pub kind: String,
    /// True if it is only a type.
    pub type_only: bool,
}

/// A name imported from another file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedName {
    /// The specifier as written.
    pub specifier: String,
    /// The name in the other file; `*` for the whole module.
    pub name: String,
    /// The local binding.
    pub local: Option<String>,
    /// The name it is re-exported under.
    pub exported: Option<String>,
    /// True if it is only a type.
    pub type_only: bool,
}

/// The exports and imports of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Names that other files can import.
    pub exports: Vec<ExportedName>,
    /// Names imported from other files.
    pub imports: Vec<ImportedName>,
    /// Names declared here that are global to all files.
    pub shared: Vec<SharedName>,
    /// Global names that are used but not declared here.
    pub free: Vec<SharedName>,
}

/// A global name, shared by all files, and its namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SharedName {
    /// The namespace, which packs agree on: `script`, `css-class` …
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// Identifies a symbol within a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The symbol at an offset.
    At(usize),
    /// A declaration, by its address.
    Address(String),
    /// The imports of the export with this name from one of the specifiers, and their uses.
    Imported {
        /// Specifiers that resolve to the same file.
        specifiers: Vec<String>,
        /// The name in that file.
        name: String,
    },
    /// The export of this name.
    Exported(String),
    /// Default imports from one of the specifiers, if their local name is the name of the default export in its own file.
    ImportedDefault {
        /// Specifiers that resolve to the same file.
        specifiers: Vec<String>,
        /// The name of the default export in that file.
        own_name: String,
    },
    /// A member, wherever it is used.
    Member(Member),
    /// A global name.
    Shared(SharedName),
}

/// A member with all its declarations: overloads and overrides.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its declarations: paths and offsets.
    pub locations: Vec<(String, usize)>,
    /// A file that does not declare the member can only mention it if it contains one of these texts. Empty: any file
    /// with the name can.
    pub forms: Vec<String>,
}

/// One occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Its range.
    pub span: Span,
    /// `declaration`, `read`, `write` …
    pub usage: &'static str,
    /// True if it is certain to be a reference; otherwise it only has the same name.
    pub certain: bool,
}

/// A resolved name, as seen by one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    /// The name.
    pub name: String,
    /// The kind of symbol.
    pub kind: String,
    /// The address of its declaration in this file.
    pub address: Option<String>,
    /// Its occurrences in this file.
    pub occurrences: Vec<Occurrence>,
    /// The names under which other files can import it.
    pub exported_as: Vec<String>,
    /// The import that it comes from.
    pub origin: Option<ImportedName>,
    /// The reason why the occurrences may be incomplete; `None` if they are complete.
    pub incomplete: Option<String>,
    /// The member, if it is one: any file that contains the name may use it.
    pub member: Option<Member>,
    /// The namespace, if the name is global.
    pub namespace: Option<String>,
    /// The path and offset of the declaration, if it is in another file.
    pub declaration: Option<(String, usize)>,
}

/// The effect of a rename in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenameResult {
    /// The edits.
    pub edits: EditSet,
    /// Old and new names under which this file exports the symbol. If the old one is `default`, the new one is the
    /// symbol's own name.
    pub exported: Vec<(String, String)>,
    /// Occurrences of the name that were not renamed because they may refer to something else.
    pub unresolved: Vec<Span>,
    /// The path and offset of the declaration, if it is in another file. Nothing was edited then; that file must be
    /// asked.
    pub elsewhere: Option<(String, usize)>,
    /// The member, if it is one: every file that contains the old name must be asked.
    pub declared: Option<Member>,
    /// The namespace, if the name is global: every file with the old name in `shared` or `free` must be asked.
    pub shared: Option<String>,
    /// The file or folder that has the name of the symbol: it is renamed instead of the symbol, and links to it follow.
    pub file: Option<String>,
    /// The old name.
    pub name: String,
}
