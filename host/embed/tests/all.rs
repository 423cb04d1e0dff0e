//! All integration tests of the crate in one binary, because linking each takes seconds.

mod calls;
mod dependencies;
mod packs;
