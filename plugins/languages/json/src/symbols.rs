//! Definitions as symbols: those of a schema or an API description, with their references.

use marquetry_references::{Definitions, may_define};
use marquetry_sdk::{
    Document, Failure, FailureKind, FindResult, InterfaceFacts, Query, RenameResult, Resolution, Result, Span, Subject,
    Symbols, Target, TargetKind, Usage, paths, workspace,
};

use crate::{Json, dialect, document::JsonDocument, rename_key, table::Id};

impl Symbols for Json {
    fn facts(document: &JsonDocument) -> InterfaceFacts {
        definitions(document).facts()
    }

    fn resolve_symbol(document: &JsonDocument, subject: Subject) -> Result<Resolution> {
        let known = definitions(document);
        let found =
            known.resolve(document.path(), subject, |address| value_at_address(document, address), read_definitions)?;
        let declared = found.occurrences.iter().find(|place| place.usage == Usage::Declaration);
        let value = declared.and_then(|place| known.value_with_key(place.span));
        let source = document.source();
        let place = value.and_then(|value| marquetry_jsonpath::locations(&source, 0, &[value]).pop());
        Ok(Resolution { address: place.map(|place| place.address), ..found })
    }

    fn rename(document: &JsonDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        let addressed = |address: &str| value_at_address(document, address);
        let requested = subject.clone();
        let renamed = definitions(document).rename(document.path(), subject, new_name, addressed, read_definitions);
        match renamed {
            Err(failure) if failure.kind == FailureKind::TargetNotFound => {
                rename_key::rename(document, &requested, new_name, addressed).unwrap_or(Err(failure))
            }
            renamed => renamed,
        }
    }
}

fn definitions(document: &JsonDocument) -> Definitions {
    let source = document.source();
    if !may_define(source.text) {
        return Definitions::default();
    }
    let written = |id: Id| {
        let raw = source.raw(id);
        let is_plain = raw.len() >= 2 && raw.starts_with('"') && raw.ends_with('"') && !raw.contains('\\');
        let range = source.table.range(id);
        is_plain.then(|| Span::new(range.start + 1, range.end - 1))
    };
    Definitions::collect(&source, |id| id, 0, written, written)
}

/// Reads the definitions of another file, if it is in JSON.
fn read_definitions(path: &str) -> Option<Definitions> {
    let name = paths::file_name(path);
    let is_json = dialect::FILES
        .iter()
        .any(|pattern| pattern.strip_prefix('*').map_or(*pattern == name, |end| name.ends_with(end)));
    let text = workspace::read(path).ok().filter(|_| is_json)?;
    Some(definitions(&JsonDocument::new(path, text)))
}

/// Returns the value at an address.
fn value_at_address(document: &JsonDocument, address: &str) -> Result<u32> {
    let target = Target { kind: TargetKind::Path, value: address.to_owned() };
    match document.find(&Query { target, limit: 1, values: false })? {
        FindResult::Nodes(nodes) if !nodes.nodes.is_empty() => Ok(nodes.nodes[0].id),
        _ => Err(Failure::not_found("definition", address, [])),
    }
}
