//! Changes of form that a pack offers, and what documents answer to them.

use crate::{EditSet, Error, Span};

/// What a refactor is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefactorPlace {
    /// The document as a whole.
    Document,
    /// A name: its declaration, or a place where it is used.
    Name,
    /// A stretch of text.
    Selection,
}

impl RefactorPlace {
    /// All of them.
    pub const ALL: [RefactorPlace; 3] = [RefactorPlace::Document, RefactorPlace::Name, RefactorPlace::Selection];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RefactorPlace::Document => "document",
            RefactorPlace::Name => "name",
            RefactorPlace::Selection => "selection",
        }
    }
}

/// A refactor that a pack has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refactor {
    /// What a caller asks for: `extract_function`.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// What it is asked for.
    pub place: RefactorPlace,
    /// What it takes.
    pub arguments: Vec<ArgumentHelp>,
    /// It asks who exports a name: [`crate::ports::Files::exporters`].
    pub asks_exporters: bool,
}

/// An argument of a refactor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentHelp {
    /// Its name.
    pub name: String,
    /// One line on what it does.
    pub summary: String,
    /// The values it may have; none: any.
    pub values: Vec<String>,
    /// Whether nothing can be done without it.
    pub required: bool,
}

/// Where a refactor is asked for. Of a node that was named, the span is the whole node and the caret where its name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// The text that is selected; empty at a caret.
    pub span: Span,
    /// The offset of the caret.
    pub caret: usize,
}

/// A refactor at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Which one.
    pub id: String,
    /// Why it does not apply there.
    pub unavailable: Option<Error>,
}

/// What one document answers to a refactor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rewrite {
    /// The splices.
    pub edits: EditSet,
    /// What other documents have to do with it.
    pub ask: Vec<Question>,
    /// Files to make: path and text.
    pub create: Vec<(String, String)>,
    /// Places that may mean what was changed, and were left.
    pub unresolved: Vec<Span>,
    /// Why it may not be all.
    pub incomplete: Option<String>,
    /// Where a new name stands in the text with the edits.
    pub name_at: Option<usize>,
}

/// Which documents a question goes to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Those that import one of these exports of the document that asks, or pass it on.
    Importers(Vec<String>),
    /// The file with this path.
    File(String),
}

/// A question of one document to others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// To whom.
    pub audience: Audience,
    /// What only the pack reads.
    pub payload: String,
}
