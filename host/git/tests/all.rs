//! All integration tests of the crate in one binary, as linking each one takes seconds.

mod common;
mod hostile;
mod revisions;
mod speed;
mod status;
