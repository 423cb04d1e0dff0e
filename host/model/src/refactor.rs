//! Refactorings that packs offer, and the edits and questions that documents contribute to them.

use crate::{EditSet, Error, Relocation, Span};

/// The kind of location that a refactoring is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefactorLocation {
    /// The document as a whole.
    Document,
    /// A name: its declaration or a use.
    Name,
    /// A range of text.
    Selection,
}

impl RefactorLocation {
    /// All kinds of locations.
    pub const ALL: [RefactorLocation; 3] =
        [RefactorLocation::Document, RefactorLocation::Name, RefactorLocation::Selection];

    /// The name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RefactorLocation::Document => "document",
            RefactorLocation::Name => "name",
            RefactorLocation::Selection => "selection",
        }
    }
}

/// A refactoring that a pack supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refactor {
    /// The name that callers use: `extract_function`.
    pub id: String,
    /// A one-line description.
    pub title: String,
    /// The kind of location that it is applied to.
    pub location: RefactorLocation,
    /// Its arguments.
    pub arguments: Vec<ArgumentHelp>,
    /// True if it looks up which files export a name: [`crate::ports::Files::exporters`].
    pub needs_exporters: bool,
}

/// An argument of a refactoring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentHelp {
    /// Its name.
    pub name: String,
    /// A one-line description.
    pub summary: String,
    /// The allowed values. If the list is empty, any value is allowed.
    pub values: Vec<String>,
    /// True if the argument is required.
    pub required: bool,
}

/// The location of a refactoring. For a node addressed by name, the span is the whole node and the caret is at its
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// The selected text; empty for a caret alone.
    pub span: Span,
    /// The offset of the caret.
    pub caret: usize,
}

/// A refactoring that a pack offers at a location.
#[derive(Debug, Clone, PartialEq)]
pub struct RefactorOffer {
    /// The id of the refactoring.
    pub id: String,
    /// The reason why the refactoring cannot be applied; `None` if it can.
    pub unavailable: Option<Error>,
}

/// The files that move in one change, as one document sees them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileMoves {
    /// The path of the document after the change.
    pub path: String,
    /// All moves of the change.
    pub relocations: Vec<Relocation>,
    /// The links of the document that the change affects.
    pub links: Vec<MovedLink>,
}

/// A link of a document, with its destination before and after the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedLink {
    /// The index in the document's links.
    pub link: u32,
    /// The path of the destination before the change.
    pub from: String,
    /// The path of the destination after the change.
    pub to: String,
}

/// The contribution of one document to a refactoring or a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rewrite {
    /// The edits.
    pub edits: EditSet,
    /// Questions to other documents.
    pub questions: Vec<Question>,
    /// Files to create: path and text.
    pub new_files: Vec<(String, String)>,
    /// Ranges that may refer to the changed symbol, but were not edited.
    pub unresolved: Vec<Span>,
    /// The reason why the result may be incomplete; `None` if it is complete.
    pub incomplete: Option<String>,
    /// The offset of a new name in the edited text.
    pub name_at: Option<usize>,
}

/// The addressees of a question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Audience {
    /// The documents that import or re-export one of these exports of the asking document.
    Importers(Vec<String>),
    /// The file with this path.
    File(String),
    /// The documents of the project whose text contains one of these texts.
    Containing(Vec<String>),
}

/// A question of one document to others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// The addressees.
    pub audience: Audience,
    /// The content, opaque to the host.
    pub payload: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_named_in_order() {
        assert_eq!(RefactorLocation::ALL.map(RefactorLocation::name), ["document", "name", "selection"]);
    }
}
