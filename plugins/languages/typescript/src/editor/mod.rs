//! Writing code: [`SyntaxEditor`] collects changes of a document and checks the result. The other modules are its parts:
//! lists and their items, inserted text, parentheses, and the final checks.

pub(crate) mod final_checks;
pub(crate) mod fragment;
pub(crate) mod indentation;
pub(crate) mod list;
pub(crate) mod list_items;
pub(crate) mod object_edits;
pub(crate) mod parentheses;
pub(crate) mod requires;
pub(crate) mod semicolons;
pub(crate) mod statement_joins;
pub(crate) mod style;
pub(crate) mod syntax_editor;
#[cfg(test)]
mod tests;

pub(crate) use style::{Shape, Style};
pub(crate) use syntax_editor::SyntaxEditor;
