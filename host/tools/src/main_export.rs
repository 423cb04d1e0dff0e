//! The main export of a file, which is named after the file, and its new name when the file is renamed.

use heck::{ToKebabCase, ToLowerCamelCase, ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use marquetry_model::Interface;
use marquetry_model::Result;

use crate::document::OpenFile;

/// Returns a file name without its extensions.
pub(crate) fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('.').find(|part| !part.is_empty()).unwrap_or(name)
}

/// Returns the main export and its new name. The main export is the one whose name equals the file name, regardless of
/// the naming convention (such as camel case), or the only export.
pub(crate) fn renamed_main_export(file: &OpenFile, new_stem: &str) -> Result<Option<(String, String)>> {
    if !file.has(Interface::Symbols) {
        return Ok(None);
    }
    let facts = file.ask(|document| document.exports_and_imports())?;
    let names: Vec<String> = facts
        .exports
        .into_iter()
        .filter_map(|export| if export.name == "default" { export.local } else { Some(export.name) })
        .collect();
    let old_stem = stem(file.path()).to_snake_case();
    let named = names.iter().find(|name| name.to_snake_case() == old_stem);
    let main = named.or(if names.len() == 1 { names.first() } else { None });
    Ok(main.map(|old| (old.clone(), in_case_of(old, new_stem))).filter(|(old, new)| old != new))
}

/// Warning if the file has no main export, or if the name of the main export does not change.
pub(crate) fn not_renamed_warning(path: &str) -> String {
    format!("no export was renamed: {path} has no export named after the file, or its name would not change")
}

/// Converts the new stem to the naming convention of the old name, such as camel case.
fn in_case_of(old: &str, stem: &str) -> String {
    let forms: [fn(&str) -> String; 5] = [
        |name| name.to_upper_camel_case(),
        |name| name.to_lower_camel_case(),
        |name| name.to_shouty_snake_case(),
        |name| name.to_snake_case(),
        |name| name.to_kebab_case(),
    ];
    forms.iter().find(|form| form(old) == old).map_or_else(|| stem.to_owned(), |form| form(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_name_keeps_the_case_style() {
        assert_eq!(in_case_of("UserService", "auth-service"), "AuthService");
        assert_eq!(in_case_of("userService", "AuthService"), "authService");
        assert_eq!(in_case_of("USER", "auth.service"), "AUTH_SERVICE");
        assert_eq!(stem("src/user.service.ts"), "user");
    }
}
