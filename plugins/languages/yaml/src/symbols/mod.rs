//! Symbols: anchors with their aliases, and definitions with their references.

mod anchors;
mod rename_key;

use marquetry_references::{Definitions, may_define};
use marquetry_sdk::{
    Document, Failure, FailureKind, FindResult, InterfaceFacts, Query, RenameResult, Resolution, Result, Span, Subject,
    Symbols, Target, TargetKind, Usage, workspace,
};

use crate::{
    Yaml,
    document::YamlDocument,
    source::NodeRef,
    table::{Id, Kind},
};

impl Symbols for Yaml {
    fn facts(document: &YamlDocument) -> InterfaceFacts {
        definitions(document).facts()
    }

    fn resolve_symbol(document: &YamlDocument, subject: Subject) -> Result<Resolution> {
        if let Some(anchor) = anchors::requested_anchor(document, &subject)? {
            return Ok(anchors::resolve(document, anchor));
        }
        let known = definitions(document);
        let found =
            known.resolve(document.path(), subject, |address| value_at_address(document, address), read_definitions)?;
        let declared = found.occurrences.iter().find(|place| place.usage == Usage::Declaration);
        let value = declared.and_then(|place| known.value_with_key(place.span));
        let source = document.source();
        let place = value.and_then(|value| marquetry_jsonpath::locations(&source, source.root_id(), &[value]).pop());
        Ok(Resolution { address: place.map(|place| place.address), ..found })
    }

    fn rename(document: &YamlDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Some(anchor) = anchors::requested_anchor(document, &subject)? {
            anchors::check_address(document, anchor, &subject, new_name)?;
            return anchors::rename(document, anchor, new_name);
        }
        let addressed = |address: &str| value_at_address(document, address);
        let requested = subject.clone();
        let renamed = definitions(document).rename(document.path(), subject, new_name, addressed, read_definitions);
        match renamed {
            Err(failure) if failure.kind == FailureKind::TargetNotFound => {
                rename_key::rename(document, &requested, new_name).unwrap_or(Err(failure))
            }
            renamed => renamed,
        }
    }
}

fn definitions(document: &YamlDocument) -> Definitions {
    let source = document.source();
    // If the file contains several documents, it is unclear in which document references start.
    if source.root_id() == 0 || !may_define(source.text) {
        return Definitions::default();
    }
    let written = |id: Id| {
        let range = source.table.range(id);
        let inner = match source.kind_of(id) {
            Kind::Plain => range,
            Kind::SingleQuoted | Kind::DoubleQuoted => range.start + 1..range.end.saturating_sub(1),
            _ => return None,
        };
        let raw = source.text.get(inner.clone())?;
        (!raw.contains(['\n', '\r', '\\']) && !raw.contains("''")).then(|| Span::from(inner))
    };
    Definitions::collect(&source, |id| NodeRef { id, via_alias: 0 }, source.root_id(), written, written)
}

/// Reads the definitions of another file. It must be YAML, or JSON, which is a subset of YAML.
fn read_definitions(path: &str) -> Option<Definitions> {
    let is_yaml = [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end));
    let text = workspace::read(path).ok().filter(|_| is_yaml)?;
    Some(definitions(&YamlDocument::new(path, text)))
}

/// Returns the value at an address.
fn value_at_address(document: &YamlDocument, address: &str) -> Result<u32> {
    node_at_address(document, address).map(|node| node.id)
}

/// Returns the node at an address.
fn node_at_address(document: &YamlDocument, address: &str) -> Result<NodeRef> {
    let target = Target { kind: TargetKind::Path, value: address.to_owned() };
    match document.find(&Query { target, limit: 1, values: false })? {
        FindResult::Nodes(nodes) if !nodes.nodes.is_empty() => document.resolve_node_id(nodes.nodes[0].id),
        _ => Err(Failure::not_found("definition", address, [])),
    }
}
