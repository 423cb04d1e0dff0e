//! The product as text: every case of `cases/`, over the real packs. `cargo test -p marquetry-tools --test cases NAME` runs
//! those with `NAME` in their title or file; `UPDATE_EXPECT=1` writes down what comes of them.

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    marquetry_native::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"))
}
