//! A kit for language packs of programming languages.
//!
//! A pack's parser fills an [`Arena`], and a [`Language`] describes the language as data. From these the kit derives
//! what the contract asks for: the outline and addresses, all operations with their indentation, views, structural
//! search, scopes, and renames within a file. Nothing here is generic over the language, so it is compiled once.

pub mod arena;
pub mod blocks;
pub mod cache;
mod comments;
mod delimited;
mod document;
mod edit;
pub mod language;
pub mod layout;
pub mod outline;
pub mod regions;
pub mod rename;
pub mod scopes;
pub mod search;
pub mod sorting;
#[cfg(feature = "testing")]
pub mod testing;
pub mod views;

pub use arena::{Arena, Builder, Field, Flags, Kind, NodeIndex, ROOT, Token, TokenKind};
pub use document::CodeDocument;
pub use language::{
    Addresses, Binding, BindingKind, Block, DOTTED, Declaration, Hooks, Language, List, ParseContext, Scope, ScopeKind,
    Title,
};

#[cfg(test)]
mod tests;
