//! Changes of form that keep the meaning: one file for each, one line in the table for each.

mod convert_to_arrow;
mod convert_to_async;
mod convert_to_function;
mod functions;

use marquetry_sdk::refactor::{Place, Refactoring, Refactors};

use crate::{TypeScript, TypeScriptDocument};

/// All of them.
static TABLE: &[Refactoring<TypeScriptDocument>] = &[
    Refactoring {
        id: "convert_to_arrow",
        title: "Convert to an arrow function",
        place: Place::Name,
        arguments: &[],
        asks_exporters: false,
        apply: convert_to_arrow::apply,
    },
    Refactoring {
        id: "convert_to_async",
        title: "Convert to an async function",
        place: Place::Name,
        arguments: &[],
        asks_exporters: false,
        apply: convert_to_async::apply,
    },
    Refactoring {
        id: "convert_to_function",
        title: "Convert to a function declaration",
        place: Place::Name,
        arguments: &[],
        asks_exporters: false,
        apply: convert_to_function::apply,
    },
];

impl Refactors for TypeScript {
    fn table() -> &'static [Refactoring<TypeScriptDocument>] {
        TABLE
    }
}

#[cfg(test)]
mod testing;
