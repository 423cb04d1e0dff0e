//! What a language pack is tried with before others get it, whatever language it was written in: the laws that every pack
//! keeps, specs (text in, call, text out), random texts, and figures. All of it through the sandbox, as a user would meet it.

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
