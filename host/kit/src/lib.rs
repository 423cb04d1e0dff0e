//! Test kit for authors of language packs, in any language: the laws (properties that every pack must satisfy), specs
//! (text in, call, text out), random texts, and measurements. All checks run the pack in the sandbox, as in production.

mod laws;
mod memory;
mod random;
mod spec;
mod subject;
mod test_run;

pub use laws::{Violation, check_all_addresses, laws};
pub use memory::MemoryFiles;
pub use spec::{Case, FailedCall, Spec};
pub use subject::Subject;
pub use test_run::{Figure, Report, TestPlan, Verdict};
