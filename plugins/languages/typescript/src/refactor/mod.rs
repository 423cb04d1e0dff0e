//! Refactorings that preserve behavior. Each has its own module and one line in the table.

mod add_import;
mod change_signature;
mod component_guard;
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

/// Adds the rules of components to a refactoring.
macro_rules! guarded {
    ($refactoring:expr) => {
        Refactoring { apply: |document, input| component_guard::apply(document, input, &$refactoring), ..$refactoring }
    };
}

/// All refactorings.
static REFACTORINGS: &[Refactoring<TypeScriptDocument>] = &[
    guarded!(add_import::ADD_IMPORT),
    guarded!(change_signature::CHANGE_SIGNATURE),
    guarded!(convert_to_arrow::CONVERT_TO_ARROW),
    guarded!(convert_to_async::CONVERT_TO_ASYNC),
    guarded!(convert_to_function::CONVERT_TO_FUNCTION),
    guarded!(extract_constant::EXTRACT_CONSTANT),
    guarded!(extract_function::EXTRACT_FUNCTION),
    guarded!(extract_function::EXTRACT_METHOD),
    guarded!(extract_type::EXTRACT_TYPE),
    guarded!(extract_variable::EXTRACT_VARIABLE),
    guarded!(inline_function::INLINE_FUNCTION),
    guarded!(inline_variable::INLINE_VARIABLE),
    guarded!(organize_imports::ORGANIZE_IMPORTS),
    guarded!(remove_unused_imports::REMOVE_UNUSED_IMPORTS),
    guarded!(move_to_file::MOVE_TO_FILE),
    guarded!(toggle_export_default::TOGGLE_EXPORT_DEFAULT),
];

impl Refactors for TypeScript {
    fn table() -> &'static [Refactoring<TypeScriptDocument>] {
        REFACTORINGS
    }

    /// The first line of a payload is the id of the refactoring.
    fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
        let (id, rest) = payload.split_once('\n').unwrap_or((payload, ""));
        let rewrite = match id {
            change_signature::ID => change_signature::answer(document, from, rest),
            move_to_file::ID => move_to_file::answer(document, from, rest),
            subclasses::ID => subclasses::answer(document, rest),
            inline_function::ID => inline_function::answer(document, from, rest),
            toggle_export_default::ID => toggle_export_default::answer(document, from, rest),
            _ => Err(Failure::unsupported(format!("unknown request `{id}`"))),
        }?;
        component_guard::check_answer(document, id, rewrite)
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
