//! What is wrong with a stylesheet.
use marquetry_sdk::{Problem, Result};
use crate::{chars::Dialect, target::Step, tree::Tree};
pub(crate) fn problems(tree: &Tree) -> Vec<Problem> { tree.problems.clone() }
pub(crate) fn check_target(_steps: &[Step], _dialect: Dialect) -> Result<()> { Ok(()) }
