//! A library for packs of programming languages.
//!
//! The parser of a pack fills an [`Arena`], and a [`Language`] describes the language as data. From these, this crate
//! implements most of the pack contract: the outline and addresses, all edit operations with their indentation, views,
//! structural search, scopes, and renames within a file. The code is not generic over the language, so it is compiled
//! only once.

pub mod arena;
pub mod blocks;
pub mod cache;
mod comments;
mod delimited;
mod document;
mod edit;
pub mod extraction;
pub mod hierarchy;
pub mod language;
pub mod layout;
mod literals;
pub mod outline;
pub mod regions;
pub mod rename;
pub mod scopes;
pub mod search;
pub mod signature;
pub mod sorting;
#[cfg(feature = "testing")]
pub mod testing;
pub mod views;

pub use arena::{Arena, Builder, Field, Flags, Kind, NodeIndex, ROOT, Token, TokenKind};
pub use document::CodeDocument;
pub use language::{
    Addresses, Binding, BindingKind, Block, DOTTED, Declaration, Hooks, Language, List, Literal, ParseContext, Scope,
    ScopeKind, Title,
};

#[cfg(test)]
mod tests;
