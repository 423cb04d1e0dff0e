//! Runs the cases in `cases/` with the real packs. `cargo test -p marquetry-tools --test cases NAME` runs those with
//! `NAME` in their title or file; `UPDATE_EXPECT=1` writes the actual output into the cases. The page about refactors
//! consists of such cases, too.

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    marquetry_native::cases(&here.join("tests/cases"), &[here.join("../../docs/refactors.md")])
}
