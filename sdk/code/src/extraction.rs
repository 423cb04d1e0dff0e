//! The arguments of the refactorings that extract code, which are the same in every language.

use marquetry_sdk::refactor::Argument;

/// The argument of `extract_function`.
pub const FUNCTION_NAME: Argument = name("the name of the function; by default `extracted`");

/// The argument of `extract_variable`.
pub const VARIABLE_NAME: Argument = name("the name of the variable; by default `value`");

const fn name(summary: &'static str) -> Argument {
    Argument { name: "extractedName", summary, values: &[], required: false }
}
