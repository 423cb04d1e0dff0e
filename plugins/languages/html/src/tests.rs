//! Tests, grouped by topic.

mod component_laws;
mod components;
mod edits;
mod keeping;
mod laws;
mod links;
mod omitted_tags;
mod outline;
mod problems;
mod symbols;
mod targets;
mod views;

use marquetry_sdk::testing::{self, TestDocument};

use crate::Html;

const PAGE: &str = include_str!("tests/page.html");

fn open(text: &str) -> TestDocument<Html> {
    testing::open::<Html>("page.html", text)
}
