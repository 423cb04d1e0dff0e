//! Answers as text for models and for people: the cases in `cases/`, with the real packs, as in
//! `host/tools/tests/cases.rs`. `UPDATE_EXPECT=1` records the results.

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    marquetry_native::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"), &[])
}
