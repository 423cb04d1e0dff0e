//! Refactorings that preserve behavior. Each has its own module and one line in the table.

mod add_import;
mod change_signature;
mod convert_to_arrow;
mod convert_to_async;
mod convert_to_function;
mod extract_constant;
mod extract_function;
mod extract_type;
mod extract_value;
mod extract_variable;
mod inline_function;
mod inline_variable;
mod move_to_file;
mod organize_imports;
mod removal;
mod remove_unused_imports;
mod toggle_export_default;

use marquetry_sdk::refactor::{Refactoring, Refactors};
use marquetry_sdk::{Failure, Result, Rewrite};

use crate::semantics::subclasses;
use crate::{TypeScript, TypeScriptDocument};

/// All refactorings.
static REFACTORINGS: &[Refactoring<TypeScriptDocument>] = &[
    add_import::ADD_IMPORT,
    change_signature::CHANGE_SIGNATURE,
    convert_to_arrow::CONVERT_TO_ARROW,
    convert_to_async::CONVERT_TO_ASYNC,
    convert_to_function::CONVERT_TO_FUNCTION,
    extract_constant::EXTRACT_CONSTANT,
    extract_function::EXTRACT_FUNCTION,
    extract_function::EXTRACT_METHOD,
    extract_type::EXTRACT_TYPE,
    extract_variable::EXTRACT_VARIABLE,
    inline_function::INLINE_FUNCTION,
    inline_variable::INLINE_VARIABLE,
    organize_imports::ORGANIZE_IMPORTS,
    remove_unused_imports::REMOVE_UNUSED_IMPORTS,
    move_to_file::MOVE_TO_FILE,
    toggle_export_default::TOGGLE_EXPORT_DEFAULT,
];

impl Refactors for TypeScript {
    fn table() -> &'static [Refactoring<TypeScriptDocument>] {
        REFACTORINGS
    }

    /// The first line of a payload is the id of the refactoring.
    fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
        let (id, rest) = payload.split_once('\n').unwrap_or((payload, ""));
        match id {
            change_signature::ID => change_signature::answer(document, from, rest),
            move_to_file::ID => move_to_file::answer(document, from, rest),
            subclasses::ID => subclasses::answer(document, rest),
            inline_function::ID => inline_function::answer(document, from, rest),
            toggle_export_default::ID => toggle_export_default::answer(document, from, rest),
            _ => Err(Failure::unsupported(format!("unknown request `{id}`"))),
        }
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
