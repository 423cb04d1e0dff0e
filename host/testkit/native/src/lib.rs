//! Tests of the product as text: files, calls, and what comes of them.
//!
//! The language packs run as libraries here, behind the same ports and the same validation as in the sandbox, so a test
//! needs no component and no code generator. Files are real ones in a folder of the test's own, so transactions, history
//! and undo are real as well. [`cases`] runs the text files of a folder; [`Project`] is for tests that need code.

mod bindings {
    //! The contract's types as the guest crate has them, where the runtime's conversions look for theirs.
    pub(crate) use marquetry_sdk::bindings::marquetry;
}
#[path = "../../../runtime/src/convert.rs"]
mod convert;
#[path = "../../../runtime/src/lower.rs"]
mod lower;

mod answer;
mod case;
mod document;
mod fixture;
mod ids;
mod pack;
mod packs;
mod patch;
mod project;
mod runner;
mod snapshot;
mod toy;

pub use packs::NativePacks;
pub use project::Project;
pub use runner::cases;
pub use snapshot::Snapshot;
pub use toy::Toy;
