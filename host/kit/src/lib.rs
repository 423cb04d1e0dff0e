//! Test kit for authors of language packs, in any language: the laws for packs, specs (text in, call, text out), random
//! texts, and measurements. All checks run the pack in the sandbox, as in production.

mod laws;
mod memory;
mod random;
mod spec;
mod subject;
mod trial;

pub use laws::{Broken, every_address, laws};
pub use memory::MemoryFiles;
pub use spec::{Case, Failed, Spec};
pub use subject::Subject;
pub use trial::{Asked, Figure, Report, Verdict};
