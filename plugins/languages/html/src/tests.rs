//! Text in, text out.

mod edits;
mod finding;
mod laws;
mod links;
mod parsing;
mod symbols;

use marquetry_sdk::testing::{self, Bench};

use crate::Html;

fn open(text: &str) -> Bench<Html> {
    testing::open::<Html>("page.html", text)
}
