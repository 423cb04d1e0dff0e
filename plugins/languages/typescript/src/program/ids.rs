//! Identifiers of modules, declarations and owners of members, valid during one call.

use oxc_semantic::{NodeId, SymbolId};

/// The open document.
pub(crate) const OPEN_DOCUMENT: u32 = 0;

/// Location of a declaration: a module and the offset of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) module: u32,
    pub(crate) offset: u32,
}

impl Site {
    /// A declaration that cannot be read and is only known by its import path: see `Watch`.
    pub(crate) const WATCHED: Site = Site { module: u32::MAX, offset: 0 };
}

/// A module of the program, or a block `declare module "x"` within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleRef {
    pub(crate) module: u32,
    pub(crate) block: Option<NodeId>,
}

/// Something that has members: a symbol with all its merged declarations, or an expression that creates an unnamed
/// class, function or object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Symbol(u32, SymbolId),
    Node(u32, NodeId),
}

impl Owner {
    pub(crate) fn module(self) -> u32 {
        match self {
            Owner::Symbol(module, _) | Owner::Node(module, _) => module,
        }
    }
}
