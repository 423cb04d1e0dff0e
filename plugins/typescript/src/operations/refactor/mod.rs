//! Changes of form that keep the meaning: one file for each, one line in the table for each.

mod convert_to_arrow;
mod convert_to_async;
mod convert_to_function;
mod functions;
mod toggle_export_default;

use marquetry_sdk::refactor::{Argument, Place, Refactoring, Refactors};
use marquetry_sdk::{Failure, Result, Rewrite};
mod extract_constant;
mod extract_type;
mod extract_value;
mod extract_variable;
mod functions;
mod inline_variable;
mod removal;

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
    Refactoring {
        id: toggle_export_default::ID,
        title: "Toggle between a named and the default export",
        place: Place::Name,
        arguments: &[Argument {
            name: "name",
            summary: "the name of what has none; without it, that of the file",
            values: &[],
            required: false,
        }],
        asks_exporters: false,
        apply: toggle_export_default::apply,
    },
];
static TABLE: &[Refactoring<TypeScriptDocument>] = &[inline_variable::INLINE_VARIABLE];
        apply: convert_to_arrow::apply,
    },
    extract_constant::EXTRACT_CONSTANT,
    extract_type::EXTRACT_TYPE,
    extract_variable::EXTRACT_VARIABLE,
    inline_variable::INLINE_VARIABLE,
];

impl Refactors for TypeScript {
    fn table() -> &'static [Refactoring<TypeScriptDocument>] {
        TABLE
    }

    /// The first line of a payload names the refactor that asks.
    fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
        let (id, rest) = payload.split_once('\n').unwrap_or((payload, ""));
        match id {
            toggle_export_default::ID => toggle_export_default::answer(document, from, rest),
            _ => Err(Failure::unsupported(format!("no question of `{id}` is known"))),
        }
    }
}

#[cfg(test)]
mod testing;
