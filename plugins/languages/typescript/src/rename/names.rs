//! Names: validation, and the forms in which other files write them.

use marquetry_sdk::{Failure, FailureKind, fail};
use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::keyword::is_reserved_keyword;

use crate::syntax::components;

/// Words reserved in strict mode, and so in every module.
const STRICT: [&str; 11] =
    ["let", "static", "implements", "interface", "package", "private", "protected", "public", "yield", "await", "eval"];

/// Returns whether a text can be written as a property name without quotes.
pub(crate) fn is_name(text: &str) -> bool {
    is_identifier_name(text)
}

/// Refuses names that are invalid for a variable, function, class or type.
pub(crate) fn check_binding(name: &str) -> Result<(), Failure> {
    check_member(name)?;
    if is_reserved_keyword(name) || STRICT.contains(&name) || name == "arguments" {
        return Err(fail(FailureKind::RefactorFailed, format!("`{name}` is a reserved word"))
            .hint("choose a name that is not reserved"));
    }
    Ok(())
}

/// Refuses names that are invalid after a dot.
pub(crate) fn check_member(name: &str) -> Result<(), Failure> {
    let plain = name.strip_prefix('#').unwrap_or(name);
    if is_name(plain) {
        return Ok(());
    }
    Err(fail(FailureKind::RefactorFailed, format!("`{name}` is not an identifier"))
        .hint("an identifier starts with a letter, `_` or `$`, followed by letters, digits, `_` or `$`"))
}

/// Refuses member names that have a special meaning in the language.
pub(crate) fn check_free_member(name: &str) -> Result<(), Failure> {
    if !["constructor", "#constructor", "__proto__", "prototype"].contains(&name) {
        return Ok(());
    }
    Err(fail(FailureKind::RefactorFailed, format!("`{name}` has a special meaning in JavaScript"))
        .hint("choose another name"))
}

/// Returns the forms in which other files may write the name of a member: templates write `user-name` for `userName`.
/// Empty if they write it as declared.
pub(super) fn names_in_other_files(name: &str) -> Vec<String> {
    if name == "children" {
        // The body of a JSX element.
        return vec![name.to_owned(), "</".to_owned()];
    }
    if name == "modelValue" {
        // The attribute of a component file that passes it.
        return vec![name.to_owned(), "model-value".to_owned(), "v-model".to_owned()];
    }
    let kebab = components::kebab_case(name);
    if name.contains('-') {
        // Templates also write the name of an event without dashes.
        return vec![name.to_owned(), components::camel_case(name)];
    }
    if kebab == name { Vec::new() } else { vec![name.to_owned(), kebab] }
}

/// Returns the beginnings and ends of templates and concatenations that compute the name of a member from one of its words:
/// ``api[`get${kind}`]`` for `getUser`.
pub(super) fn parts_in_computed_keys(name: &str) -> Vec<String> {
    let starts_word = |(at, c): (usize, char)| at > 0 && (c.is_uppercase() || matches!(c, '_' | '-'));
    let bounds: Vec<usize> = name.char_indices().filter(|it| starts_word(*it)).map(|(at, _)| at).collect();
    let mut found = Vec::new();
    for at in bounds.into_iter().take(MAX_WORDS) {
        let (start, end) = name.split_at(at);
        found.push(format!("[`{start}${{"));
        found.push(format!("}}{end}`]"));
        for quote in ['\'', '"'] {
            found.push(format!("[{quote}{start}{quote} +"));
            found.push(format!("+ {quote}{end}{quote}]"));
        }
    }
    found
}

/// Maximum number of words of a name that are searched for in computed keys.
const MAX_WORDS: usize = 4;

/// Returns the forms in which TypeScript permits access to a private member outside its class: `a["name"]`.
pub(super) fn bracket_accesses(name: &str) -> Vec<String> {
    ["\"", "'", "`"].iter().map(|quote| format!("{quote}{name}{quote}")).collect()
}
