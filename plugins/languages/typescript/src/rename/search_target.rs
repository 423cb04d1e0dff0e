//! The target of a search for uses.

use oxc_semantic::SymbolId;

use crate::program::ids::Site;

/// The symbol to search for, and options of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchTarget {
    pub(crate) name: String,
    /// Declarations of the symbol, including those it overrides.
    pub(crate) sites: Vec<Site>,
    /// True if the symbol may be used as a member.
    pub(crate) members: bool,
    /// True if the symbol may be a string literal type.
    pub(crate) string_literals: bool,
    /// True if undeclared names refer to the symbol.
    pub(crate) shared: bool,
    /// Symbols that are treated like the wanted symbol although they are not declared at the sites: imports that are
    /// renamed together with it.
    pub(crate) joined: Vec<SymbolId>,
    /// Offsets of erroneous redeclarations of the name that count as uses, see [`Role::Redeclares`](crate::program::identifiers::Role::Redeclares).
    pub(crate) redeclarations: Vec<u32>,
    /// Imports of the name in this file may resolve to it.
    pub(crate) imports: bool,
    /// True if the symbol is a member. Other members that are accessed by the same expressions are included in the
    /// search.
    pub(crate) includes_joined_members: bool,
    /// True if the symbol augments declarations of the platform or of packages.
    pub(crate) is_augmentation: bool,
    /// True if the symbol is not a property of the global object.
    pub(crate) lexical: bool,
    /// True if the symbol is a member of the interface of the global object.
    pub(crate) is_window_member: bool,
    /// Names of the `declare module "x"` blocks that declare the symbol. Imports from these modules resolve to it.
    pub(crate) ambient: Vec<String>,
}
