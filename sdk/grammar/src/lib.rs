//! Connects tree-sitter grammars to `marquetry_code`, the library for packs of programming languages.
//!
//! A pack has a [`Grammar`], which refers to the compiled grammar and describes how its tree is converted to an arena,
//! and a language table with the kinds and roles of the grammar. All unsafe code is in the module `runtime`.

mod grammar;
mod lower;
mod runtime;
#[cfg(feature = "testing")]
pub mod testing;
mod tree;

pub use grammar::{Context, Grammar, Lowering};
#[doc(hidden)]
pub use runtime::RawLanguage;
pub use tree::{Raw, Tree};

#[cfg(not(archives))]
use tree_sitter as _;
#[cfg(all(feature = "java", not(archives)))]
use tree_sitter_java as _;

/// Declares a static with the [`Grammar`] for a C function: `grammar!(GRAMMAR, tree_sitter_java, LOWERING)`.
#[macro_export]
macro_rules! grammar {
    ($name:ident, $function:ident, $lowering:expr) => {
        /// The compiled grammar, and the conversion of its tree to the arena.
        pub(crate) static $name: $crate::Grammar = {
            #[allow(unsafe_code, reason = "the grammar is C code")]
            fn language() -> *const $crate::RawLanguage {
                unsafe extern "C" {
                    fn $function() -> *const $crate::RawLanguage;
                }
                // SAFETY: the function of a grammar has no parameters and returns a pointer to a static.
                unsafe { $function() }
            }
            $crate::Grammar::new(language, &$lowering)
        };
    };
}
