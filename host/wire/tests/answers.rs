//! Answers as text for models and for people: every case of `cases/`, over the real packs, as `host/tools/tests/cases.rs`
//! runs those of the tools. `UPDATE_EXPECT=1` writes down what comes of them.

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    marquetry_native::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"), &[])
}
