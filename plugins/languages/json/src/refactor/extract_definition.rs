//! `extract_definition`: turns a nested schema into a definition and replaces the schema by a reference to it.

use marquetry_jsonpath::{Tree, push_string};
use marquetry_references::{EXTRACTED_NAME, plan_extraction};
use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{Document, Edit, EditOptions, Result, Rewrite, Target, TargetKind, indent, lines, span::apply};

use super::selection::container_at;
use crate::{document::JsonDocument, edit::Editor};

pub(super) const EXTRACT_DEFINITION: Refactoring<JsonDocument> = Refactoring {
    id: "extract_definition",
    title: "Extract a schema into a definition",
    place: Place::Selection,
    arguments: &[EXTRACTED_NAME],
    asks_exporters: false,
    apply: extract,
};

fn extract(document: &JsonDocument, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&document.diagnostics())?;
    let source = document.source();
    let Some(object) = container_at(document, input.at.span, |id| source.is_object(id)) else {
        return Err(
            refactor_failure("this position is not inside a schema").hint("give a schema, or a position inside one")
        );
    };
    let extraction = plan_extraction(&source, |id| id, (0, object), input.argument("extractedName"))?;
    let span = source.span(object);
    let indent = lines::indent_at(source.text, span.range().start);
    let schema = indent::reindent(&format!("{indent}{}", span.slice(source.text)), "", |_| false);
    let target = Target { kind: TargetKind::Path, value: extraction.path.clone() };
    let mut edits = document.insert_missing(&target, &schema)?;
    edits.push(Edit::new(span, format_reference(document, span.slice(source.text), &extraction.reference)));
    let edits = extraction.with_reference_edits(edits, span, |id| source.span(id), quote_text)?;
    check_extracted(document, edits, &extraction.path, object)
}

/// Returns the reference as an object, formatted like the schema that it replaces.
fn format_reference(document: &JsonDocument, schema: &str, to: &str) -> String {
    let source = document.source();
    let editor = Editor::new(document, EditOptions { include_doc: false, force: false });
    let member = format!("\"$ref\"{}{}", editor.key_separator(0), quote_text(to));
    let inside = schema.trim_start_matches('{');
    if inside.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
        let start = schema.as_ptr() as usize - source.text.as_ptr() as usize;
        let indent = lines::indent_at(source.text, start);
        let line_break = lines::line_break(source.text);
        return format!("{{{line_break}{indent}{}{member}{line_break}{indent}}}", editor.unit);
    }
    if inside.starts_with(' ') { format!("{{ {member} }}") } else { format!("{{{member}}}") }
}

/// Checks that the definition exists and equals the old schema.
fn check_extracted(document: &JsonDocument, edits: Vec<Edit>, path: &str, object: u32) -> Result<Rewrite> {
    let source = document.source();
    let line_break = lines::line_break(source.text);
    let in_file = |edit: Edit| Edit { text: edit.text.replace("\r\n", "\n").replace('\n', line_break), ..edit };
    let edits: Vec<Edit> = edits.into_iter().map(in_file).collect();
    let after = JsonDocument::new(document.path(), apply(source.text, &edits));
    let new = after.source();
    let found = marquetry_jsonpath::Query::parse(path).ok().and_then(|query| query.select(&new).ok());
    let said = marquetry_jsonpath::json_text_within(&source, object, usize::MAX);
    let node = found.unwrap_or_default().first().copied().filter(|node| {
        check_no_syntax_errors(&after.diagnostics()).is_ok()
            && marquetry_jsonpath::json_text_within(&new, *node, usize::MAX) == said
    });
    let Some(node) = node else {
        return Err(refactor_failure("the extracted definition would not parse as the same schema"));
    };
    debug_assert!(new.kind(node) == marquetry_jsonpath::Kind::Object);
    let name_at = new.table.key_of(new.text, node).map(|key| new.table.range(key).start as u32 + 1);
    Ok(Rewrite { edits, name_at, ..Rewrite::default() })
}

fn quote_text(text: &str) -> String {
    let mut out = String::new();
    push_string(&mut out, text);
    out
}
