//! JavaScript in MDX: whether an expression or a block of imports and exports is complete, and what it brings in.

#[cfg(not(feature = "mdx"))]
mod absent;
#[cfg(feature = "mdx")]
mod parsed;

use std::ops::Range;

#[cfg(not(feature = "mdx"))]
pub(crate) use absent::{check_expression, check_tag, locals, modules, taken, wholes};
#[cfg(feature = "mdx")]
pub(crate) use parsed::{check_expression, check_tag, locals, lower_first, modules, taken, wholes};

/// One import or export.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) range: Range<usize>,
    pub(crate) is_import: bool,
    /// The specifier without its quotes.
    pub(crate) specifier: Option<Range<usize>>,
    /// The first name it exports.
    pub(crate) name: Option<Range<usize>>,
    /// Names as the other file knows them, and as they are known here.
    pub(crate) names: Vec<(String, String)>,
}

/// Where it is wrong, and what is wrong there.
pub(crate) type Wrong = (usize, String);

/// A name that an import or a re-export takes from another file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) specifier: String,
    /// The name there, and where it stands.
    pub(crate) name: String,
    pub(crate) place: Range<usize>,
    /// The same word names it here, or in what is exported.
    pub(crate) is_shorthand: bool,
    pub(crate) is_import: bool,
}
