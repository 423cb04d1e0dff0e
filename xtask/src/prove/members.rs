//! Measures renames and queries for references and implementations of members with very common names.

use anyhow::Result;

use super::{Run, setup};
use crate::{
    measure::{members_project, workspace_calls},
    shell::begin_step,
};

/// Numbers of files.
const SIZES: [usize; 1] = [5_650];

/// Measures a project of each size.
pub(super) fn run(run: &Run) -> Result<()> {
    for files in run.sizes(&SIZES) {
        begin_step(&format!("{files} TypeScript files, members with common names"));
        let folder = setup::folder(&format!("members-{files}"));
        let subject = members_project::make(&folder, files)?;
        workspace_calls::measure_subject(run, &folder, &subject)?;
    }
    Ok(())
}
