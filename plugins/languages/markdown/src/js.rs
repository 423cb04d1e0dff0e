//! JavaScript in MDX: checks expressions and blocks of imports and exports for completeness, and returns imported
//! names.

#[cfg(not(feature = "mdx"))]
mod absent;
#[cfg(feature = "mdx")]
mod parsed;

use std::ops::Range;

#[cfg(not(feature = "mdx"))]
pub(crate) use absent::{check_expression, check_tag, locals, modules, taken, wholes};
#[cfg(feature = "mdx")]
pub(crate) use parsed::{check_expression, check_tag, locals, message_fragment, modules, taken, wholes};

/// One import or export.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) range: Range<usize>,
    pub(crate) is_import: bool,
    /// The specifier without its quotes.
    pub(crate) specifier: Option<Range<usize>>,
    /// The first exported name.
    pub(crate) name: Option<Range<usize>>,
    /// Imported names: the name in the other file, and the local name.
    pub(crate) names: Vec<(String, String)>,
}

/// Offset and message of an error.
pub(crate) type Wrong = (usize, String);

/// A name of another file that an import or a re-export refers to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) specifier: String,
    /// The name in the other file. `span` is the position of the name in this file.
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    /// True if the name is also the local or exported name, as in `import { name }`.
    pub(crate) is_shorthand: bool,
    pub(crate) is_import: bool,
}
