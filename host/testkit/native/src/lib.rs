//! Tests of the tools, written as text: files, calls, and expected answers.
//!
//! The language packs are linked as libraries, with the same ports and validation as in the sandbox, so that tests need
//! neither components nor a code generator. Files are in a temporary folder, so transactions, history and undo are
//! real. [`cases`] runs the text files of a folder; [`Project`] is for tests written in code.

mod bindings {
    //! The types of the WIT interface from the SDK for packs, in the module where the runtime's conversions expect
    //! them.
    pub(crate) use marquetry_sdk::bindings::marquetry;
    /// The answer of a pack, which cannot trap.
    pub(crate) type Answer<T> = marquetry_model::Result<T>;
}
#[path = "../../../runtime/src/checked_document.rs"]
mod checked_document;
#[path = "../../../runtime/src/convert.rs"]
mod convert;
#[path = "../../../runtime/src/lower.rs"]
mod lower;
#[path = "../../../runtime/src/questions.rs"]
mod questions;

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
mod workbench;

pub use packs::NativePacks;
pub use project::Project;
pub use runner::cases;
pub use snapshot::Snapshot;
pub use toy::Toy;
pub use workbench::{SLOW, STUCK, idle_workbench, waiting};
