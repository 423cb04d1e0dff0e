//! What the index knows of one file.

use marquetry_model::{
    Span,
    pack::{Destination, ExportedName, Facts, ImportedName, SharedName},
};
use serde::{Deserialize, Serialize};

use crate::words::Words;

/// What a link names that makes one scope of two files.
pub(crate) const ONE_SCOPE: &str = "**";

/// The kind of texts that may name a file, where nothing says that they do.
pub const POSSIBLE: &str = "possible";

/// What the index knows of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The path from the root.
    pub path: String,
    /// Size in bytes when it was read.
    pub size: u64,
    /// Time of change when it was read, in nanoseconds since 1970.
    pub modified: u128,
    /// When it was read, in nanoseconds since 1970.
    pub(crate) read: u128,
    /// Hash of the bytes.
    pub hash: String,
    /// The words of its text; nothing for a file that was not read.
    pub(crate) words: Words,
    /// The pack that read it, and its version.
    pub engine: String,
    /// The places that name other files; none until someone needs them.
    pub links: Option<Vec<LinkFact>>,
    /// Where each link leads, in the same order; none until resolved.
    pub targets: Option<Vec<Target>>,
    /// What it exports and imports.
    pub names: Option<Names>,
    /// Its symbols.
    pub symbols: Option<Vec<SymbolFact>>,
}

/// A place that names another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFact {
    /// `import`, `href` …
    pub kind: String,
    /// The specifier, decoded.
    pub specifier: String,
    /// Start and end of what a change of path replaces.
    pub span: (u32, u32),
    /// Names that travel over it.
    pub names: Vec<String>,
    /// Only types travel over it.
    pub type_only: bool,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// To a file or directory inside the root.
    Inside(String),
    /// Out of the root.
    External,
    /// To a path where nothing is.
    Missing(String),
    /// It cannot be told, and why.
    Unknown(String),
}

/// What a file exports and imports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Names {
    /// Exported names.
    pub exports: Vec<String>,
    /// Specifier, name there, name it is re-exported under.
    pub imports: Vec<(String, String, Option<String>)>,
    /// Names declared for all files: space and name.
    pub shared: Vec<(String, String)>,
    /// Such names that are used, and that nothing here declares.
    pub free: Vec<(String, String)>,
}

impl Target {
    /// The path or the reason.
    fn text(&self) -> &str {
        match self {
            Target::Inside(text) | Target::Missing(text) | Target::Unknown(text) => text,
            Target::External => "",
        }
    }
}

impl Names {
    /// Whether a name that all files share is declared here.
    pub fn declares(&self, wanted: &SharedName) -> bool {
        is_among(&self.shared, wanted)
    }

    /// Whether a name that all files share is declared or used here.
    pub fn shares(&self, wanted: &SharedName) -> bool {
        is_among(&self.shared, wanted) || is_among(&self.free, wanted)
    }
}

fn is_among(list: &[(String, String)], wanted: &SharedName) -> bool {
    list.iter().any(|(space, name)| *name == wanted.name && *space == wanted.space)
}

/// A symbol of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFact {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Finds exactly it.
    pub address: String,
    /// Line from 1, column from 0 of its name.
    pub position: (u32, u32),
}

/// What a list of strings takes.
fn texts<'a>(all: impl Iterator<Item = &'a String>) -> usize {
    all.map(|text| size_of::<String>() + text.len()).sum()
}

/// What a file takes besides: its place among the paths there are, and in the lists of who imports whom.
const BESIDE: usize = 200;
/// The same of a link.
const BESIDE_LINK: usize = 64;

/// How much of each file must be known. Each step includes the ones before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Links and where they lead.
    Links,
    /// Exported and imported names.
    Names,
    /// Symbols, of files as well whose pack knows no names.
    Symbols,
}

impl Entry {
    /// Whether as much is known of the file as is needed.
    pub(crate) fn is_known_for(&self, need: Need) -> bool {
        self.links.is_some()
            && (need < Need::Names || self.names.is_some())
            && (need < Need::Symbols || self.symbols.is_some())
    }

    /// About how many bytes it takes, with what is made of it when somebody asks.
    pub(crate) fn bytes(&self) -> usize {
        let links = self.links.iter().flatten().map(|link| {
            size_of::<LinkFact>() + BESIDE_LINK + link.kind.len() + link.specifier.len() + texts(link.names.iter())
        });
        let targets = self.targets.iter().flatten().map(|target| size_of::<Target>() + target.text().len());
        let pairs = |list: &[(String, String)]| texts(list.iter().flat_map(|(space, name)| [space, name]));
        let names = self.names.iter().map(|names| {
            let imports = names.imports.iter().flat_map(|(from, name, passed)| [from, name].into_iter().chain(passed));
            texts(names.exports.iter()) + texts(imports) + pairs(&names.shared) + pairs(&names.free)
        });
        let symbols = self
            .symbols
            .iter()
            .flatten()
            .map(|symbol| size_of::<SymbolFact>() + symbol.name.len() + symbol.kind.len() + symbol.address.len());
        let own = size_of::<Entry>() + BESIDE + 3 * self.path.len() + self.hash.len() + self.engine.len();
        own + self.words.bytes()
            + links.sum::<usize>()
            + targets.sum::<usize>()
            + names.sum::<usize>()
            + symbols.sum::<usize>()
    }

    /// Whether the file exports the name. Of a file whose names are not known, it may.
    pub fn exports(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        self.names.as_ref().is_none_or(|names| names.exports.iter().any(|known| known == name || known == first))
    }

    /// Whether the file declares the name for all others.
    pub(crate) fn shares(&self, name: &str) -> bool {
        let is_it = |(_, known): &(String, String)| known == name;
        self.names.as_ref().is_some_and(|names| names.shared.iter().any(is_it))
    }

    /// Whether the name leaves the file: declared here, or given here to what another file has, as `export * as name` and
    /// `export { name } from` do. Of a file whose names are not known, it may.
    pub fn lets_out(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        let is_given = |names: &Names| names.imports.iter().any(|(_, _, passed)| passed.as_deref() == Some(first));
        self.exports(name) || self.names.as_ref().is_some_and(is_given)
    }

    /// Whether the text may have the word. Of a file whose words are not known, it may.
    pub fn may_hold(&self, word: &str) -> bool {
        self.words.is_empty() || self.words.may_hold(word)
    }
}

impl LinkFact {
    /// The names that travel over it, as they are told: without what only says that two files are one scope.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| if name == ONE_SCOPE { "*".to_owned() } else { name.clone() }).collect()
    }

    /// What a change of path replaces.
    pub fn span(&self) -> Span {
        Span::new(self.span.0 as usize, self.span.1 as usize)
    }
}

impl From<&Facts> for Names {
    fn from(facts: &Facts) -> Names {
        let import = |name: &ImportedName| (name.specifier.clone(), name.name.clone(), name.exported.clone());
        let export = |name: &ExportedName| name.name.clone();
        let pair = |shared: &SharedName| (shared.space.clone(), shared.name.clone());
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
