//! How modules, declarations and things with members are named: small keys that hold for the length of one call.

use oxc_semantic::{NodeId, SymbolId};

/// The open document.
pub(crate) const HERE: u32 = 0;

/// Where a name is declared: a module and the start of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) module: u32,
    pub(crate) offset: u32,
}

impl Site {
    /// What a call asks for by an import path alone, because its declaration cannot be seen: see `Watch`.
    pub(crate) const WATCHED: Site = Site { module: u32::MAX, offset: 0 };
}

/// A module of the program, or a block `declare module "x"` within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleRef {
    pub(crate) module: u32,
    pub(crate) block: Option<NodeId>,
}

/// A thing that has members: a symbol with all its merged declarations, or an expression that makes a class, a function
/// or an object without a name of its own.
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
