//! Names of stylesheets and HTML in code: classes, ids and custom properties as strings in JSX and DOM calls. Strings
//! that may or may not be such a name are not edited, but reported.

pub(crate) mod modules;
mod places;

use marquetry_sdk::{Edit, FailureKind, Occurrence, Renaming, Resolution, Result, SharedName, Subject, Usage, fail};

use crate::TypeScriptDocument;
use crate::syntax::tree::Tree;
use places::{Form, Place};

pub(crate) const CLASS: &str = "css-class";
pub(crate) const ID: &str = "css-id";
pub(crate) const PROPERTY: &str = "custom-property";

/// A file with none of these texts contains no certain use and is not parsed for names.
const SIGNS: [&str; 12] = [
    "className",
    "classList",
    "class=",
    "ById",
    "ByClassName",
    "querySelector",
    "closest(",
    "matches(",
    "var(--",
    "Property(",
    "id=",
    "htmlFor",
];

/// Returns the names that a file certainly uses.
pub(crate) fn used(tree: &Tree) -> Vec<SharedName> {
    if !SIGNS.iter().any(|sign| memchr::memmem::find(tree.text().as_bytes(), sign.as_bytes()).is_some()) {
        return Vec::new();
    }
    let mut found: Vec<(&str, String)> =
        places(tree, None).into_iter().filter(|place| place.certain).map(|place| (place.space, place.name)).collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|(space, name)| SharedName { space: space.to_owned(), name }).collect()
}

/// Returns the style name that a subject refers to, if any.
pub(crate) fn meant(document: &TypeScriptDocument, subject: &Subject) -> Option<SharedName> {
    match subject {
        Subject::Shared(shared) if shared.space != super::facts::SCRIPT => Some(shared.clone()),
        Subject::At(offset) => {
            let holds = |place: &Place| place.certain && place.span.start <= *offset && *offset <= place.span.end;
            let place = places(&document.tree, None).into_iter().find(holds)?;
            Some(SharedName { space: place.space.to_owned(), name: place.name })
        }
        _ => None,
    }
}

/// Returns the occurrences of a name.
pub(crate) fn resolve(document: &TypeScriptDocument, shared: &SharedName) -> Resolution {
    let found = places(&document.tree, Some(shared));
    let occurrence = |place: &Place| Occurrence { span: place.span, usage: Usage::InString, certain: place.certain };
    let unsure = found.iter().filter(|place| !place.certain).count();
    Resolution {
        name: shared.name.clone(),
        kind: shared.space.clone(),
        address: None,
        occurrences: found.iter().map(occurrence).collect(),
        exported_as: Vec::new(),
        origin: None,
        incomplete: (unsure > 0).then(|| format!("{unsure} strings may or may not be this name")),
        declared: None,
        shared: (!found.is_empty()).then(|| shared.space.clone()),
        elsewhere: None,
    }
}

/// Renames a style name.
pub(crate) fn rename(document: &TypeScriptDocument, shared: &SharedName, new: &str) -> Result<Renaming> {
    check(&shared.space, new)?;
    let found = places(&document.tree, Some(shared));
    let edit = |place: &Place| Edit { span: place.span, text: place.form.written(new) };
    Ok(Renaming {
        edits: found.iter().filter(|place| place.certain).map(edit).collect(),
        exported: Vec::new(),
        unresolved: found.iter().filter(|place| !place.certain).map(|place| place.span).collect(),
        elsewhere: None,
        declared: None,
        shared: (!found.is_empty()).then(|| shared.space.clone()),
        name: shared.name.clone(),
    })
}

/// Refuses names that are not valid in a class list.
fn check(space: &str, new: &str) -> Result<()> {
    let own = if space == PROPERTY { new.strip_prefix("--").unwrap_or_default() } else { new };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii();
    if own.is_empty() || !own.chars().all(is_name) || own.starts_with(|c: char| c.is_ascii_digit()) {
        let hint = if space == PROPERTY {
            "a custom property starts with `--`, followed by letters, digits, `-` and `_`"
        } else {
            "use letters, digits, `-` and `_`, not starting with a digit; omit the `.` or `#`"
        };
        return Err(fail(FailureKind::InvalidArgument, format!("`{new}` is not a valid name for a {space}")).hint(hint));
    }
    Ok(())
}

/// Returns the places of one name, or all certain ones, in document order.
fn places(tree: &Tree, wanted: Option<&SharedName>) -> Vec<Place> {
    if let Some(wanted) = wanted
        && memchr::memmem::find(tree.text().as_bytes(), wanted.name.as_bytes()).is_none()
    {
        return Vec::new();
    }
    let mut found = tree.with(|parsed| if parsed.repaired { Vec::new() } else { places::all(parsed, wanted) });
    let of_modules = modules::spans(tree);
    found.retain(|place| !of_modules.contains(&place.span));
    found.retain(|place| wanted.is_none_or(|wanted| place.name == wanted.name && place.space == wanted.space));
    found.sort_by_key(|place| (place.span.start, !place.certain));
    found.dedup_by_key(|place| place.span);
    found
}

impl Form {
    /// Returns the new name in the form of this place.
    fn written(self, new: &str) -> String {
        let is_identifier = new.chars().all(|c| c.is_alphanumeric() || c == '_');
        match self {
            Form::Key if !is_identifier => format!("'{new}'"),
            _ => new.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
