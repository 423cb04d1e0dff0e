//! The target of a search for uses.

use oxc_semantic::SymbolId;

use crate::program::ids::Site;

/// The symbol to search for, and options of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchTarget {
    pub(crate) name: String,
    /// Its declarations, including those it overrides.
    pub(crate) sites: Vec<Site>,
    /// It may be used as a member.
    pub(crate) members: bool,
    /// It may be a string literal type.
    pub(crate) string_literals: bool,
    /// Undeclared names refer to it.
    pub(crate) shared: bool,
    /// Symbols that are treated like it although they are not declared at the sites: imports that are renamed together
    /// with it.
    pub(crate) joined: Vec<SymbolId>,
    /// Offsets of erroneous redeclarations of the name that count as uses, see [`Role::Redeclares`](crate::program::identifiers::Role::Redeclares).
    pub(crate) redeclarations: Vec<u32>,
    /// Imports of the name in this file may resolve to it.
    pub(crate) imports: bool,
    /// It is a member. Other members that are accessed by the same expressions are included in the search.
    pub(crate) includes_joined_members: bool,
    /// It augments declarations of the platform or of packages.
    pub(crate) is_augmentation: bool,
    /// It is not a property of the global object.
    pub(crate) lexical: bool,
    /// It is a member of the interface of the global object.
    pub(crate) is_window_member: bool,
    /// Names of the `declare module "x"` blocks that declare it. Imports from these modules resolve to it.
    pub(crate) ambient: Vec<String>,
}
