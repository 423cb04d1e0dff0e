//! CSS selectors (Selectors Level 4). The same selectors are accepted as by `querySelectorAll`.

mod ast;
mod cursor;
mod direction;
mod evaluate;
mod forms;
mod input_ranges;
mod language;
mod parse;
mod parse_pseudo;
mod simple;

pub(crate) use evaluate::{ElementSet, select};
pub(crate) use parse::{SelectorError, parse};
