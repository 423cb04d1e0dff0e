//! Index entry of a file.

use marquetry_model::{
    Span,
    pack::{Destination, ExportedName, Facts, ImportedName, SharedName},
};
use serde::{Deserialize, Serialize};

use crate::word_filter::WordFilter;

/// The marker in the names of a link that joins the scopes of two files.
pub(crate) const JOINED_SCOPE: &str = "**";

/// Kind of a link from a text that may refer to a file but does not certainly do so.
pub const POSSIBLE_LINK: &str = "possible";
/// A member of an imported module, which may be a module itself. It is a link only if it resolves to a file.
pub const MEMBER_LINK: &str = "member";

/// Index entry of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path relative to the root.
    pub path: String,
    /// Size in bytes when the file was read.
    pub size: u64,
    /// Modification time when the file was read, in nanoseconds since 1970.
    pub modified: u128,
    /// Time at which the file was read, in nanoseconds since 1970.
    pub(crate) read: u128,
    /// Hash of the bytes.
    pub hash: String,
    /// Words of the text; empty if the file was not read.
    pub(crate) words: WordFilter,
    /// Name and version of the pack that read the file.
    pub engine: String,
    /// True if the pack reads only a part of the text, because of syntax errors or because it does not read all parts of
    /// such files: links and names may be missing.
    pub is_partly_read: bool,
    /// Links to other files; `None` until the links are needed.
    pub links: Option<Vec<LinkFact>>,
    /// Target of each link, in the same order; `None` until resolved.
    pub targets: Option<Vec<Target>>,
    /// Exported and imported names.
    pub names: Option<Names>,
    /// Symbols.
    pub symbols: Option<Vec<SymbolFact>>,
}

/// A link to another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFact {
    /// `import`, `href` …
    pub kind: String,
    /// The specifier with escapes and entities decoded.
    pub specifier: String,
    /// Start and end of the text to replace when the target moves.
    pub span: (u32, u32),
    /// Names that are imported through the link.
    pub names: Vec<String>,
    /// True if the link imports types only.
    pub type_only: bool,
}

/// Resolved target of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A file or directory inside the root.
    Inside(String),
    /// The target is outside of the root.
    External,
    /// A path that does not exist.
    Missing(String),
    /// The target is not known, with the reason.
    Unknown(String),
}

/// Exported and imported names of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Names {
    /// Exported names.
    pub exports: Vec<String>,
    /// Imported names: the specifier, the name in the imported file, and the name under which this file re-exports it,
    /// if it does.
    pub imports: Vec<(String, String, Option<String>)>,
    /// Names declared globally: namespace and name.
    pub shared: Vec<(String, String)>,
    /// Global names that are used but not declared in this file.
    pub free: Vec<(String, String)>,
}

impl Target {
    /// The path, or the reason why the target is not known.
    fn text(&self) -> &str {
        match self {
            Target::Inside(text) | Target::Missing(text) | Target::Unknown(text) => text,
            Target::External => "",
        }
    }
}

impl Names {
    /// Returns whether a global name is declared in this file.
    pub fn declares(&self, wanted: &SharedName) -> bool {
        contains_name(&self.shared, wanted)
    }

    /// Returns whether a global name is declared or used in this file.
    pub fn shares(&self, wanted: &SharedName) -> bool {
        contains_name(&self.shared, wanted) || contains_name(&self.free, wanted)
    }
}

fn contains_name(list: &[(String, String)], wanted: &SharedName) -> bool {
    list.iter().any(|(space, name)| *name == wanted.name && *space == wanted.namespace)
}

/// A symbol of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFact {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    pub kind: String,
    /// Address that finds exactly this symbol.
    pub address: String,
    /// Position of the name: line from 1, column from 0.
    pub position: (u32, u32),
}

/// Estimated size of a list of strings.
fn strings_size<'a>(all: impl Iterator<Item = &'a String>) -> usize {
    all.map(|text| size_of::<String>() + text.len()).sum()
}

/// Additional size of a file: its entries in the layout and in the map of importers.
const ENTRY_OVERHEAD: usize = 200;
/// Additional size of a link.
const LINK_OVERHEAD: usize = 64;

/// Level of detail that a caller needs for each file. Each level includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DetailLevel {
    /// Links and their targets.
    Links,
    /// Exported and imported names.
    Names,
    /// Symbols, including those of files whose pack does not report names.
    Symbols,
}

impl Entry {
    /// Returns whether the entry has the level of detail that is needed.
    pub(crate) fn has_detail(&self, need: DetailLevel) -> bool {
        self.links.is_some()
            && (need < DetailLevel::Names || self.names.is_some())
            && (need < DetailLevel::Symbols || self.symbols.is_some())
    }

    /// Estimated size in bytes, with the data structures that are built from it on demand.
    pub(crate) fn bytes(&self) -> usize {
        let links = self.links.iter().flatten().map(|link| {
            size_of::<LinkFact>()
                + LINK_OVERHEAD
                + link.kind.len()
                + link.specifier.len()
                + strings_size(link.names.iter())
        });
        let targets = self.targets.iter().flatten().map(|target| size_of::<Target>() + target.text().len());
        let pairs = |list: &[(String, String)]| strings_size(list.iter().flat_map(|(space, name)| [space, name]));
        let names = self.names.iter().map(|names| {
            let imports = names.imports.iter().flat_map(|(from, name, passed)| [from, name].into_iter().chain(passed));
            strings_size(names.exports.iter()) + strings_size(imports) + pairs(&names.shared) + pairs(&names.free)
        });
        let symbols = self
            .symbols
            .iter()
            .flatten()
            .map(|symbol| size_of::<SymbolFact>() + symbol.name.len() + symbol.kind.len() + symbol.address.len());
        let own = size_of::<Entry>() + ENTRY_OVERHEAD + 3 * self.path.len() + self.hash.len() + self.engine.len();
        own + self.words.bytes()
            + links.sum::<usize>()
            + targets.sum::<usize>()
            + names.sum::<usize>()
            + symbols.sum::<usize>()
    }

    /// Returns whether the file exports the name. True if its names are not known.
    pub fn exports(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        self.names.as_ref().is_none_or(|names| names.exports.iter().any(|known| known == name || known == first))
    }

    /// Returns whether the file declares the name globally.
    pub(crate) fn shares(&self, name: &str) -> bool {
        let is_it = |(_, known): &(String, String)| known == name;
        self.names.as_ref().is_some_and(|names| names.shared.iter().any(is_it))
    }

    /// Returns whether other files can import the name from this file: the file declares the name or re-exports it, as
    /// with `export * as name` and `export { name } from`. True if the names of the file are not known.
    pub fn provides(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        let is_given = |names: &Names| names.imports.iter().any(|(_, _, passed)| passed.as_deref() == Some(first));
        self.exports(name) || self.names.as_ref().is_some_and(is_given)
    }

    /// The imports that the file re-exports under a name: specifier and imported name. Whole modules are not included.
    pub fn names_passed_as<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let imports = self.names.iter().flat_map(|names| &names.imports);
        let passed =
            imports.filter(move |(_, imported, exported)| imported != "*" && exported.as_deref() == Some(name));
        passed.map(|(specifier, imported, _)| (specifier.as_str(), imported.as_str()))
    }

    /// Returns whether the links and names of the file may be incomplete, because the file has syntax errors or could
    /// not be decoded although a pack reads files of this kind.
    pub fn may_miss_links(&self) -> bool {
        self.is_partly_read || self.engine.is_empty()
    }

    /// Returns whether the text may contain the word. True if its words are not known.
    pub fn may_hold(&self, word: &str) -> bool {
        self.words.is_empty() || self.words.may_hold(word)
    }
}

impl LinkFact {
    /// Names that are imported through the link, for output: the marker of a joined scope is shown as `*`.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| if name == JOINED_SCOPE { "*".to_owned() } else { name.clone() }).collect()
    }

    /// Span of the text to replace when the target moves.
    pub fn span(&self) -> Span {
        Span::new(self.span.0 as usize, self.span.1 as usize)
    }
}

impl From<&Facts> for Names {
    fn from(facts: &Facts) -> Names {
        let import = |name: &ImportedName| (name.specifier.clone(), name.name.clone(), name.exported.clone());
        let export = |name: &ExportedName| name.name.clone();
        let pair = |shared: &SharedName| (shared.namespace.clone(), shared.name.clone());
        Names {
            exports: facts.exports.iter().map(export).collect(),
            imports: facts.imports.iter().map(import).collect(),
            shared: facts.shared.iter().map(pair).collect(),
            free: facts.free.iter().map(pair).collect(),
        }
    }
}

impl From<Destination> for Target {
    fn from(destination: Destination) -> Target {
        match destination {
            Destination::Inside { path, .. } => Target::Inside(path),
            Destination::External => Target::External,
            Destination::Missing(path) => Target::Missing(path),
            Destination::Unknown(reason) => Target::Unknown(reason),
        }
    }
}
