//! `extract_definition`: turns a nested schema into a definition and replaces it by a reference.

use marquetry_references::{EXTRACTED_NAME, extraction};
use marquetry_sdk::refactor::{Asked, Place, Refactoring, check_sound, refused};
use marquetry_sdk::{Document, Edit, EditOptions, Operation, Result, Rewrite, Target, TargetKind, lines, span::apply};

use super::place::collection_at;
use crate::{
    content::dedented,
    document::YamlDocument,
    source::{Ref, Source},
    table::{Id, Kind},
    verify,
};

pub(super) const EXTRACT_DEFINITION: Refactoring<YamlDocument> = Refactoring {
    id: "extract_definition",
    title: "Extract a schema into a definition",
    place: Place::Selection,
    arguments: &[EXTRACTED_NAME],
    asks_exporters: false,
    apply: extract,
};

fn extract(document: &YamlDocument, asked: &Asked) -> Result<Rewrite> {
    check_sound(&document.problems())?;
    let source = document.source();
    let Some(mapping) = collection_at(document, asked.at.span, |id| source.kind_of(id).is_mapping()) else {
        return Err(refused("this position is not inside a schema").hint("give a schema, or a position inside one"));
    };
    let name = asked.argument("extractedName");
    let extraction = extraction(&source, |id| Ref { id, via: 0 }, (source.root_id(), mapping), name)?;
    let shared = |id: Id| source.kind_of(id) == Kind::Alias || source.table.properties(id).has_anchor();
    if let Some(id) = (mapping..source.table.behind(mapping)).find(|id| shared(*id)) {
        return Err(refused("the schema contains an anchor or an alias, which cannot be moved")
            .hint("replace the alias with its value, or choose a schema without anchors")
            .at(source.span(id)));
    }
    let span = source.span(mapping);
    let column = span.range().start - lines::line_start(source.text, span.range().start);
    let schema = dedented(&format!("{}{}", " ".repeat(column), span.of(source.text)));
    let quote = quote(source);
    let target = Target { kind: TargetKind::Path, value: extraction.path.clone() };
    let mut edits = document.insert_missing(&target, &schema)?;
    let reference = format!("$ref: {quote}{}{quote}", extraction.reference);
    let options = EditOptions { include_doc: false, force: false };
    edits.extend(document.edit(&[mapping], &Operation::Replace(reference), options)?);
    let edits = extraction.with_moved(edits, span, |id| source.span(id), |to| format!("{quote}{to}{quote}"))?;
    check(document, edits, &extraction.path, mapping)
}

/// Returns the first kind of quote in the file.
fn quote(source: Source<'_>) -> char {
    let quoted = (0..source.table.len()).map(|id| source.kind_of(id));
    let first = quoted.into_iter().find(|kind| matches!(kind, Kind::SingleQuoted | Kind::DoubleQuoted));
    if first == Some(Kind::DoubleQuoted) { '"' } else { '\'' }
}

/// Checks that the definition exists and equals the old schema.
fn check(document: &YamlDocument, edits: Vec<Edit>, path: &str, mapping: Id) -> Result<Rewrite> {
    let source = document.source();
    let line_break = lines::line_break(source.text);
    let in_file = |edit: Edit| Edit { text: edit.text.replace("\r\n", "\n").replace('\n', line_break), ..edit };
    let edits: Vec<Edit> = edits.into_iter().map(in_file).collect();
    let after = YamlDocument::new(document.path(), apply(source.text, &edits));
    let new = after.source();
    let node = verify::at(new, path).filter(|node| {
        check_sound(&after.problems()).is_ok() && verify::same((source, Ref { id: mapping, via: 0 }), (new, *node))
    });
    let Some(node) = node else { return Err(refused("the extracted definition would not parse as the same schema")) };
    let place = marquetry_jsonpath::places(&new, new.root_id(), &[node.id]).pop();
    let name_at = place.and_then(|place| place.key).map(|key| new.span(key).start);
    Ok(Rewrite { edits, name_at, ..Rewrite::default() })
}
