//! Renames a plain key at the place where it is written. The uses of the key are unknown, so no other text is changed.

use marquetry_jsonpath::{locations, push_string};
use marquetry_sdk::{Edit, Failure, FailureKind, RenameResult, Result, Span, Subject, fail, shared, span::apply};

use crate::{
    document::YamlDocument,
    parse,
    source::Source,
    table::{Id, Kind},
};

/// Renames the key that the subject refers to. Returns `None` if the subject is not a plain key.
pub(super) fn rename(document: &YamlDocument, subject: &Subject, new_name: &str) -> Option<Result<RenameResult>> {
    let source = document.source();
    let (mapping, key) = match subject {
        Subject::Address(address) => {
            let value = match super::node_at_address(document, address).ok()? {
                node if node.via_alias != 0 => return Some(Err(aliased_error(source, node.id))),
                node => node.id,
            };
            let place = locations(&source, source.root_id(), &[value]).pop()?;
            (place.parent?.0, place.key?)
        }
        Subject::At(offset) => {
            let holds = |key: Id| source.span(key).touches(*offset as usize);
            let mappings = (0..source.table.len()).filter(|id| source.is_node(*id) && source.kind_of(*id).is_mapping());
            let mut keys = mappings.flat_map(|mapping| source.pairs(mapping).map(move |(key, _)| (mapping, key)));
            keys.find(|(_, key)| holds(*key))?
        }
        _ => return None,
    };
    // Keywords of JSON Schema start with `$` and have a fixed meaning, and `<<` merges mappings.
    let old = source.key_name(key).into_owned();
    let is_scalar = matches!(source.kind_of(key), Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted);
    (is_scalar && !old.starts_with('$') && old != "<<").then(|| rename_edits(source, (mapping, key), &old, new_name))
}

fn rename_edits(source: Source<'_>, (mapping, key): (Id, Id), old: &str, new_name: &str) -> Result<RenameResult> {
    let span = |key: Id| Span::from(source.table.range(key));
    let others: Vec<Id> = source.pairs(mapping).map(|(key, _)| key).filter(|other| *other != key).collect();
    if let Some(taken) = others.iter().find(|other| source.key_name(**other) == new_name) {
        let message = format!("the mapping already has a key `{new_name}`");
        return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name").at(span(*taken)));
    }
    if others.iter().any(|other| source.key_name(*other) == old) {
        let message = format!("the key `{old}` is repeated, and only one of them counts");
        return Err(fail(FailureKind::RefactorFailed, message).hint("remove the duplicates first").at(span(key)));
    }
    let mut renaming = shared::empty_renaming(old);
    if old == new_name {
        return Ok(renaming);
    }
    let edit = |text: String| vec![Edit::new(span(key), text)];
    let forms = key_forms(source.kind_of(key), new_name).into_iter().map(edit);
    let edits = forms.into_iter().find(|edits| is_only_renamed(source, key, edits, new_name)).ok_or_else(|| {
        fail(FailureKind::RefactorFailed, format!("`{new_name}` cannot be written as a key here"))
            .hint("choose another name, or correct the syntax errors of the file first")
    })?;
    renaming.edits = edits;
    Ok(renaming)
}

/// Returns the ways to write a key, starting with the way in which the old key is written.
fn key_forms(kind: Kind, name: &str) -> Vec<String> {
    let mut double = String::new();
    push_string(&mut double, name);
    let single = format!("'{}'", name.replace('\'', "''"));
    match kind {
        Kind::SingleQuoted => vec![single, double],
        Kind::DoubleQuoted => vec![double],
        _ => vec![name.to_owned(), single, double],
    }
}

/// Returns whether the edits change the name of the key and nothing else. In YAML, a text without quotes can mean
/// something else, such as `null`, a comment or a list.
fn is_only_renamed(source: Source<'_>, key: Id, edits: &[Edit], name: &str) -> bool {
    let text = apply(source.text, edits);
    let (table, problems) = parse::parse(&text);
    let after = Source { text: &text, table: &table };
    let (_, old_problems) = parse::parse(source.text);
    let is_same = |id: Id| {
        let kinds = (source.kind_of(id), after.kind_of(id));
        let is_kept = kinds.0 == kinds.1 && source.table.children(id).eq(after.table.children(id));
        id == key || is_kept && (kinds.0.is_collection() || source.raw(id) == after.raw(id))
    };
    let is_text = || {
        matches!(after.kind_of(key), Kind::SingleQuoted | Kind::DoubleQuoted)
            || crate::scalar::scalar_value(&text, &table, key) == crate::scalar::Value::String(name.into())
            || crate::scalar::scalar_value(source.text, source.table, key)
                != crate::scalar::Value::String(source.key_name(key))
    };
    problems.len() == old_problems.len()
        && table.len() == source.table.len()
        && after.key_name(key) == name
        && (0..table.len()).filter(|id| source.is_node(*id)).all(is_same)
        && is_text()
}

fn aliased_error(source: Source<'_>, value: Id) -> Failure {
    let place = locations(&source, source.root_id(), &[value]).pop();
    fail(FailureKind::RefactorFailed, "the key is reached through an alias, and belongs to the anchored mapping")
        .hint("rename it there")
        .candidates(place.map(|place| place.address))
}
