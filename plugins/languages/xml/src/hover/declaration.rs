//! Result of looking up a declaration.

/// Declaration of an element or attribute in a DTD or a schema.
#[derive(Debug, Default)]
pub(super) struct DeclarationInfo {
    /// Declared content: `string`, `(title, author+)`.
    pub(super) content_type: String,
    /// Source of the declaration.
    pub(super) code: String,
    pub(super) documentation: Option<String>,
    pub(super) notes: Vec<(&'static str, String)>,
    /// Location of the declaration: the path of its file (`None` for the document itself) and the offset there.
    pub(super) path: Option<String>,
    pub(super) offset: usize,
}
