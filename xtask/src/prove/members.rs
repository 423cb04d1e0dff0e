//! Renames, references and implementations of members with very common names.

use anyhow::Result;

use super::{Run, setup};
use crate::{
    measure::{follow, members_project},
    shell::step,
};

/// Numbers of files.
const SIZES: [usize; 1] = [5_650];

/// Measures a project of each size.
pub(super) fn run(run: &Run) -> Result<()> {
    for files in run.sizes(&SIZES) {
        step(&format!("{files} TypeScript files, members with common names"));
        let folder = setup::folder(&format!("members-{files}"));
        let subject = members_project::make(&folder, files)?;
        follow::measure(run, &folder, &subject)?;
    }
    Ok(())
}
