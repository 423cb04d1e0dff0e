//! An open document: its tree and the data derived from it on demand.

use std::cell::OnceCell;

use marquetry_sdk::{Failure, FailureKind, NodeId, Result, Span, fail};

use crate::imports::model::{self, Import};
use crate::outline::address::{self, Segment};
use crate::outline::declarations::{Decl, DeclId, DeclTable};
use crate::outline::find::Finder;
use crate::outline::regions::Regions;
use crate::syntax::comments;
use crate::syntax::tree::Tree;

/// An open module or script.
#[derive(Debug)]
pub struct TypeScriptDocument {
    /// The syntax tree, used by all operations.
    pub(crate) tree: Tree,
    table: OnceCell<DeclTable>,
    regions: OnceCell<Regions>,
}

/// Target of a node id.
#[derive(Clone, Copy)]
pub(crate) enum Target<'d> {
    Declaration(DeclId, &'d Decl),
    Imports(Span),
    Export(Span),
}

impl Target<'_> {
    pub(crate) fn span(&self) -> Span {
        match self {
            Target::Declaration(_, decl) => decl.span,
            Target::Imports(span) | Target::Export(span) => *span,
        }
    }
}

impl TypeScriptDocument {
    pub(crate) fn open(path: &str, text: String) -> TypeScriptDocument {
        TypeScriptDocument { tree: Tree::parse(path, text), table: OnceCell::new(), regions: OnceCell::new() }
    }

    /// Returns the declarations of the document.
    pub(crate) fn table(&self) -> &DeclTable {
        self.table.get_or_init(|| self.tree.with(|parsed| DeclTable::build(parsed, self.tree.text())))
    }

    pub(crate) fn regions(&self) -> &Regions {
        self.regions.get_or_init(|| self.tree.with(|parsed| Regions::collect(parsed, self.tree.text())))
    }

    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder { table: self.table(), text: self.tree.text() }
    }

    /// Returns the comment attached to the node at an offset.
    pub(crate) fn attached_comment(&self, at: usize) -> Option<Span> {
        self.tree.with(|parsed| comments::attached_comment(&parsed.program.comments, self.tree.text(), at))
    }

    /// Returns the target of a node id.
    pub(crate) fn target(&self, id: NodeId) -> Result<Target<'_>> {
        if let Some(decl) = self.table().get(id) {
            return Ok(Target::Declaration(id, decl));
        }
        let region = id as usize - self.table().len();
        let found = match region.checked_sub(1) {
            None => Some(Target::Imports(self.regions().all_imports())),
            Some(index) => self.regions().exports.get(index).map(|span| Target::Export(*span)),
        };
        found.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {id}")))
    }

    /// Returns the declarations that an address names, in document order.
    pub(crate) fn find_symbol(&self, target: &str) -> Result<Vec<DeclId>> {
        let finder = self.finder();
        let parsed = address::parse(target);
        if let Ok(segments) = &parsed {
            let found = finder.resolve(segments);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Ok(segments) = &parsed {
            let found = finder.resolve_implied(segments);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        // Titles of test blocks are often written without quotes.
        let titles: Vec<Segment<'_>> = address::parse_titles(target);
        let found = finder.resolve(&titles);
        if !found.is_empty() && target.contains([' ', '.', '/', ':', '#', '>']) {
            return Ok(found);
        }
        parsed?;
        Err(self.not_found(target))
    }

    fn not_found(&self, target: &str) -> Failure {
        let addresses = self.finder().addresses();
        let failure = Failure::not_found("symbol", target, addresses.iter().map(String::as_str));
        let imported = self.tree.with(|parsed| {
            let names = |import: Import<'_>| import.bindings.iter().any(|binding| binding.local.name == target.trim());
            model::imports(parsed.program).any(names)
        });
        if imported {
            return failure
                .hint(format!("`{target}` is imported here; read the region `imports`, or the file that declares it"));
        }
        failure
    }
}
