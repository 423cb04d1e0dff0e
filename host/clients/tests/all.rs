//! All integration tests of the crate in one binary.

mod common;
mod every_client;
mod extras;
mod finding;
mod roots;
