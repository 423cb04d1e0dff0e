//! CSS selectors: Selectors Level 4, as accepted by `querySelectorAll`.

mod ast;
mod cursor;
mod direction;
mod evaluate;
mod forms;
mod language;
mod parse;
mod parse_pseudo;
mod ranges;
mod simple;

pub(crate) use evaluate::{Set, select};
pub(crate) use parse::{Mistake, parse};
