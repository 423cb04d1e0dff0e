//! Which texts are names.

use marquetry_sdk::{Failure, FailureKind, fail};
use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::keyword::is_reserved_keyword;

/// Names that strict code, and so every module, keeps to itself.
const STRICT: [&str; 11] =
    ["let", "static", "implements", "interface", "package", "private", "protected", "public", "yield", "await", "eval"];

/// Whether a text can be written as the name of a property.
pub(crate) fn is_name(text: &str) -> bool {
    is_identifier_name(text)
}

/// Refuse what cannot be the name of a variable, function, class or type.
pub(crate) fn check_binding(name: &str) -> Result<(), Failure> {
    check_member(name)?;
    if is_reserved_keyword(name) || STRICT.contains(&name) || name == "arguments" {
        return Err(fail(FailureKind::RefactorFailed, format!("`{name}` is a reserved word"))
            .hint("choose a name that the language does not keep to itself"));
    }
    Ok(())
}

/// Refuse what cannot be written after a dot.
pub(crate) fn check_member(name: &str) -> Result<(), Failure> {
    let plain = name.strip_prefix('#').unwrap_or(name);
    if is_name(plain) {
        return Ok(());
    }
    Err(fail(FailureKind::RefactorFailed, format!("`{name}` is not an identifier"))
        .hint("a name begins with a letter, `_` or `$` and goes on with these and digits"))
}

/// Refuse names of members that the language gives a meaning of their own.
pub(crate) fn check_free_member(name: &str) -> Result<(), Failure> {
    if !["constructor", "#constructor", "__proto__", "prototype"].contains(&name) {
        return Ok(());
    }
    Err(fail(FailureKind::RefactorFailed, format!("`{name}` has a meaning of its own in the language"))
        .hint("choose another name"))
}
