//! `extract_definition`: turns a nested schema into a definition and replaces the schema by a reference to it.

use marquetry_references::{EXTRACTED_NAME, plan_extraction};
use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{Document, Edit, EditOptions, Operation, Result, Rewrite, Target, TargetKind, lines, span::apply};

use super::selection::collection_at;
use crate::{
    content::dedent,
    document::YamlDocument,
    source::{NodeRef, Source},
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

fn extract(document: &YamlDocument, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&document.diagnostics())?;
    let source = document.source();
    let Some(mapping) = collection_at(document, input.at.span, |id| source.kind_of(id).is_mapping()) else {
        return Err(
            refactor_failure("this position is not inside a schema").hint("give a schema, or a position inside one")
        );
    };
    let name = input.argument("extractedName");
    let extraction = plan_extraction(&source, |id| NodeRef { id, via_alias: 0 }, (source.root_id(), mapping), name)?;
    let shared = |id: Id| source.kind_of(id) == Kind::Alias || source.table.properties(id).has_anchor();
    if let Some(id) = (mapping..source.table.subtree_end(mapping)).find(|id| shared(*id)) {
        return Err(refactor_failure("the schema contains an anchor or an alias, which cannot be moved")
            .hint("replace the alias with its value, or choose a schema without anchors")
            .at(source.span(id)));
    }
    let span = source.span(mapping);
    let column = span.range().start - lines::line_start(source.text, span.range().start);
    let schema = dedent(&format!("{}{}", " ".repeat(column), span.slice(source.text)));
    let quote = preferred_quote(source);
    let target = Target { kind: TargetKind::Path, value: extraction.path.clone() };
    let mut edits = document.insert_missing(&target, &schema)?;
    let reference = format!("$ref: {quote}{}{quote}", extraction.reference);
    let options = EditOptions { include_doc: false, force: false };
    edits.extend(document.edit(&[mapping], &Operation::Replace(reference), options)?);
    let edits =
        extraction.with_reference_edits(edits, span, |id| source.span(id), |to| format!("{quote}{to}{quote}"))?;
    check_extracted(document, edits, &extraction.path, mapping)
}

/// Returns the kind of quote that is used first in the file.
fn preferred_quote(source: Source<'_>) -> char {
    let quoted = (0..source.table.len()).map(|id| source.kind_of(id));
    let first = quoted.into_iter().find(|kind| matches!(kind, Kind::SingleQuoted | Kind::DoubleQuoted));
    if first == Some(Kind::DoubleQuoted) { '"' } else { '\'' }
}

/// Checks that the definition exists and equals the old schema.
fn check_extracted(document: &YamlDocument, edits: Vec<Edit>, path: &str, mapping: Id) -> Result<Rewrite> {
    let source = document.source();
    let line_break = lines::line_break(source.text);
    let in_file = |edit: Edit| Edit { text: edit.text.replace("\r\n", "\n").replace('\n', line_break), ..edit };
    let edits: Vec<Edit> = edits.into_iter().map(in_file).collect();
    let after = YamlDocument::new(document.path(), apply(source.text, &edits));
    let new = after.source();
    let node = verify::node_at(new, path).filter(|node| {
        check_no_syntax_errors(&after.diagnostics()).is_ok()
            && verify::values_equal((source, NodeRef { id: mapping, via_alias: 0 }), (new, *node))
    });
    let Some(node) = node else {
        return Err(refactor_failure("the extracted definition would not parse as the same schema"));
    };
    let place = marquetry_jsonpath::locations(&new, new.root_id(), &[node.id]).pop();
    let name_at = place.and_then(|place| place.key).map(|key| new.span(key).start);
    Ok(Rewrite { edits, name_at, ..Rewrite::default() })
}
