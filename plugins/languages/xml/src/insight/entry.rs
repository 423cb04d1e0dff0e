//! What is found of a declaration, wherever it stands.

/// What a DTD or a schema says of one element or attribute.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// What it is declared as: `string`, `(title, author+)`.
    pub(super) content: String,
    /// The declaration as it is written.
    pub(super) code: String,
    pub(super) documentation: Option<String>,
    pub(super) notes: Vec<(&'static str, String)>,
    /// Where it stands: a path, none for the document itself, and an offset.
    pub(super) path: Option<String>,
    pub(super) offset: usize,
}
