//! Renames a plain key at the place where it is written. The uses of the key are unknown, so no other text is changed.

use marquetry_jsonpath::{locations, push_string};
use marquetry_sdk::{Edit, FailureKind, RenameResult, Result, Span, Subject, fail, shared};

use crate::{document::JsonDocument, table::Id};

/// Renames the key that the subject refers to. Returns `None` if the subject is not a plain key.
pub(crate) fn rename(
    document: &JsonDocument,
    subject: &Subject,
    new_name: &str,
    addressed: impl Fn(&str) -> Result<Id>,
) -> Option<Result<RenameResult>> {
    let source = document.source();
    let value = match subject {
        Subject::Address(address) => addressed(address).ok()?,
        Subject::At(offset) => {
            let touches = |id: Id| source.table.range(id).contains(&(*offset as usize));
            (0..source.table.next_id()).filter(|id| source.is_object(*id)).find_map(|object| {
                let mut children = source.children_of(object);
                children.find_map(|child| child.key.is_some_and(touches).then_some(child.value))
            })?
        }
        _ => return None,
    };
    let place = locations(&source, 0, &[value]).pop()?;
    let (key, (parent, _)) = (place.key?, place.parent?);
    let old = source.name(key).into_owned();
    // Keywords of JSON Schema start with `$` and have a fixed meaning, so they are not renamed.
    if old.starts_with('$') {
        return None;
    }
    let keys: Vec<Id> = source.children_of(parent).filter_map(|child| child.key).collect();
    Some(rename_edits(document, key, &keys, &old, new_name))
}

fn rename_edits(document: &JsonDocument, key: Id, keys: &[Id], old: &str, new_name: &str) -> Result<RenameResult> {
    let source = document.source();
    let span = |key: Id| Span::from(source.table.range(key));
    let taken = keys.iter().find(|other| **other != key && source.name(**other) == new_name);
    if let Some(taken) = taken {
        let message = format!("the object already has a key `{new_name}`");
        return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name").at(span(*taken)));
    }
    if keys.iter().any(|other| *other != key && source.name(*other) == old) {
        let message = format!("the key `{old}` is repeated, and only the last one counts");
        return Err(fail(FailureKind::RefactorFailed, message).hint("remove the duplicates first").at(span(key)));
    }
    let mut renaming = shared::empty_renaming(old);
    if old != new_name {
        renaming.edits.push(Edit::new(span(key), format_key(source.raw(key), new_name)));
    }
    Ok(renaming)
}

/// Returns the new key with the quotes of the old one. An unquoted key stays unquoted only if the new name is a JSON5
/// identifier.
fn format_key(old: &str, new_name: &str) -> String {
    let is_word = new_name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        && new_name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
    if !old.starts_with(['"', '\'']) && is_word {
        return new_name.to_owned();
    }
    let mut quoted = String::new();
    push_string(&mut quoted, new_name);
    if old.starts_with('\'') && !new_name.contains(['\'', '"', '\\']) && !quoted.contains('\\') {
        return format!("'{new_name}'");
    }
    quoted
}
