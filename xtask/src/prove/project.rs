//! Measures indexing, moves, renames and queries for references in generated projects.

use anyhow::Result;

use super::{Run, setup};
use crate::{
    measure::{
        subject::{Module, Subject},
        typescript_project::{self, HUB, IMPORTERS, MOVED},
        workspace_calls,
    },
    shell::begin_step,
};

/// Numbers of files.
const SIZES: [usize; 3] = [1_000, 5_000, 20_000];

/// Measures a project of each size.
pub(super) fn run(run: &Run) -> Result<()> {
    for files in run.sizes(&SIZES) {
        begin_step(&format!("{files} TypeScript files; {IMPORTERS} of them import one module"));
        let folder = setup::folder(&format!("project-{files}"));
        typescript_project::make(&folder, files)?;
        workspace_calls::measure_subject(run, &folder, &subject())?;
    }
    Ok(())
}

/// Returns a subject in which the module that many files import is moved and a function of it is renamed.
pub(super) fn subject() -> Subject {
    let module = Module {
        file: HUB.to_owned(),
        to: MOVED.to_owned(),
        name: "createRegistry".to_owned(),
        new_name: "makeRegistry".to_owned(),
    };
    Subject { module: Some(module), ..Subject::for_members("src/area0/unit3.ts".to_owned()) }
}
