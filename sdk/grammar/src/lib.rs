//! A bridge from grammars of tree-sitter to the kit for packs of programming languages.
//!
//! A pack has a [`Grammar`], which names the compiled grammar and says how its tree becomes the arena of the kit, and a
//! table of the kit, whose kinds and roles are those of the grammar. Everything unsafe is in the module `runtime`.

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

/// Declares a static with the [`Grammar`] that a C function returns: `grammar!(GRAMMAR, tree_sitter_java, LOWERING)`.
#[macro_export]
macro_rules! grammar {
    ($name:ident, $function:ident, $lowering:expr) => {
        /// The compiled grammar, and how its tree becomes that of the kit.
        pub(crate) static $name: $crate::Grammar = {
            #[allow(unsafe_code, reason = "the grammar is C code")]
            fn language() -> *const $crate::RawLanguage {
                unsafe extern "C" {
                    fn $function() -> *const $crate::RawLanguage;
                }
                // SAFETY: functions of grammars take nothing, and return a static.
                unsafe { $function() }
            }
            $crate::Grammar::new(language, &$lowering)
        };
    };
}
