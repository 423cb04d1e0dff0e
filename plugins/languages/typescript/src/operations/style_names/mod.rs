//! Names of stylesheets and HTML in code: classes, ids and custom properties as strings in JSX and DOM calls. Strings
//! that may or may not be such a name are not edited, but reported.

pub(crate) mod css_modules;
mod mentions;

use marquetry_sdk::{
    Edit, FailureKind, Occurrence, RenameResult, Resolution, Result, SharedName, Subject, Usage, fail,
};

use crate::TypeScriptDocument;
use crate::syntax::tree::Tree;
use mentions::{NameMention, NameSyntax};

pub(crate) const CLASS_NAMESPACE: &str = "css-class";
pub(crate) const ID_NAMESPACE: &str = "css-id";
pub(crate) const PROPERTY_NAMESPACE: &str = "custom-property";

/// A file that contains none of these texts has no certain use, so it is not searched for names.
const CERTAIN_USE_MARKERS: [&str; 12] = [
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
pub(crate) fn used_style_names(tree: &Tree) -> Vec<SharedName> {
    if !CERTAIN_USE_MARKERS.iter().any(|sign| memchr::memmem::find(tree.text().as_bytes(), sign.as_bytes()).is_some()) {
        return Vec::new();
    }
    let mut found: Vec<(&str, String)> = find_mentions(tree, None)
        .into_iter()
        .filter(|place| place.certain)
        .map(|place| (place.namespace, place.name))
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|(space, name)| SharedName { namespace: space.to_owned(), name }).collect()
}

/// Returns the style name that a subject refers to, if any.
pub(crate) fn style_name_of(document: &TypeScriptDocument, subject: &Subject) -> Option<SharedName> {
    match subject {
        Subject::Shared(shared) if shared.namespace != crate::semantics::facts::SCRIPT_NAMESPACE => {
            Some(shared.clone())
        }
        Subject::At(offset) => {
            let holds = |place: &NameMention| place.certain && place.span.start <= *offset && *offset <= place.span.end;
            let place = find_mentions(&document.tree, None).into_iter().find(holds)?;
            Some(SharedName { namespace: place.namespace.to_owned(), name: place.name })
        }
        _ => None,
    }
}

/// Returns the occurrences of a name.
pub(crate) fn resolve(document: &TypeScriptDocument, shared: &SharedName) -> Resolution {
    let found = find_mentions(&document.tree, Some(shared));
    let occurrence =
        |place: &NameMention| Occurrence { span: place.span, usage: Usage::InString, certain: place.certain };
    let unsure = found.iter().filter(|place| !place.certain).count();
    Resolution {
        name: shared.name.clone(),
        kind: shared.namespace.clone(),
        address: None,
        occurrences: found.iter().map(occurrence).collect(),
        exported_as: Vec::new(),
        origin: None,
        incomplete: (unsure > 0).then(|| format!("{unsure} strings may or may not be this name")),
        declared: None,
        shared: (!found.is_empty()).then(|| shared.namespace.clone()),
        elsewhere: None,
    }
}

/// Renames a style name.
pub(crate) fn rename(document: &TypeScriptDocument, shared: &SharedName, new: &str) -> Result<RenameResult> {
    check_style_name(&shared.namespace, new)?;
    let found = find_mentions(&document.tree, Some(shared));
    let edit = |place: &NameMention| Edit { span: place.span, text: place.form.format_name(new) };
    Ok(RenameResult {
        edits: found.iter().filter(|place| place.certain).map(edit).collect(),
        exported: Vec::new(),
        unresolved: found.iter().filter(|place| !place.certain).map(|place| place.span).collect(),
        elsewhere: None,
        declared: None,
        shared: (!found.is_empty()).then(|| shared.namespace.clone()),
        file: None,
        name: shared.name.clone(),
    })
}

/// Refuses names that are not valid in a class list.
fn check_style_name(space: &str, new: &str) -> Result<()> {
    let own = if space == PROPERTY_NAMESPACE { new.strip_prefix("--").unwrap_or_default() } else { new };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii();
    if own.is_empty() || !own.chars().all(is_name) || own.starts_with(|c: char| c.is_ascii_digit()) {
        let hint = if space == PROPERTY_NAMESPACE {
            "a custom property starts with `--`, followed by letters, digits, `-` and `_`"
        } else {
            "use letters, digits, `-` and `_`, not starting with a digit; omit the `.` or `#`"
        };
        return Err(fail(FailureKind::InvalidArgument, format!("`{new}` is not a valid {space} name")).hint(hint));
    }
    Ok(())
}

/// Returns the occurrences of one name, or all certain ones, in document order.
fn find_mentions(tree: &Tree, wanted: Option<&SharedName>) -> Vec<NameMention> {
    if let Some(wanted) = wanted
        && memchr::memmem::find(tree.text().as_bytes(), wanted.name.as_bytes()).is_none()
    {
        return Vec::new();
    }
    let mut found =
        tree.with(|parsed| if parsed.repaired { Vec::new() } else { mentions::find_mentions(parsed, wanted) });
    let of_modules = css_modules::certain_class_spans(tree);
    found.retain(|place| !of_modules.contains(&place.span));
    found.retain(|place| wanted.is_none_or(|wanted| place.name == wanted.name && place.namespace == wanted.namespace));
    found.sort_by_key(|place| (place.span.start, !place.certain));
    found.dedup_by_key(|place| place.span);
    found
}

impl NameSyntax {
    /// Returns the new name in the notation of this occurrence.
    fn format_name(self, new: &str) -> String {
        let is_identifier = new.chars().all(|c| c.is_alphanumeric() || c == '_');
        match self {
            NameSyntax::Key if !is_identifier => format!("'{new}'"),
            _ => new.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
