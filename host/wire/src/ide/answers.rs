//! Results and notifications in the exact form that Claude Code expects.

use marquetry_model::{
    Error, Kind,
    editor::{EditorSelection, FileDiagnostics, Mention, Point, Region, Tab},
    pack::Severity,
};
use serde_json::{Value, json};

use super::paths::uri;
use marquetry_catalog::error_json;

/// Error code of a tool call that failed for any reason other than its arguments.
const FAILED: i32 = -32000;
/// Error code of a tool call with invalid arguments.
const WRONG_ARGUMENTS: i32 = -32602;

/// Returns a tool result that consists of texts.
pub(super) fn text_result(texts: &[&str]) -> Value {
    let items: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
    json!({ "content": items })
}

/// Tool result with a value as JSON text.
pub(super) fn json_result(value: &Value) -> Value {
    text_result(&[&value.to_string()])
}

/// Returns a response with a result.
pub(super) fn response(id: &str, result: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// Error response. Its message includes the hint.
pub(super) fn error_response(id: &str, error: &Error) -> String {
    let content = error.content();
    let code = if content.kind == Kind::InvalidArgument { WRONG_ARGUMENTS } else { FAILED };
    let hint = content.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let error = json!({ "code": code, "message": format!("{}{hint}", content.message), "data": error_json(error) });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}

/// A notification.
pub(super) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn point(point: Point) -> Value {
    json!({ "line": point.line, "character": point.column })
}

fn region(region: Region) -> Value {
    json!({ "start": point(region.start), "end": point(region.end), "isEmpty": region.is_empty() })
}

/// Returns a selection in the form that notifications contain.
pub(super) fn selection(selected: &EditorSelection) -> Value {
    json!({
        "text": &*selected.text,
        "filePath": selected.path,
        "fileUrl": uri(&selected.path),
        "selection": region(selected.region),
    })
}

/// Returns a selection as a tool result. Without a selection, the result is a failure whose message is the argument
/// `none`.
pub(super) fn selection_result(selected: Option<&EditorSelection>, none: &str) -> Value {
    let Some(selected) = selected else { return json!({ "success": false, "message": none }) };
    let mut result = selection(selected);
    result["success"] = true.into();
    result
}

/// A file or range that the user mentioned.
pub(super) fn mention(mention: &Mention) -> Value {
    match mention.lines {
        Some((first, last)) => json!({ "filePath": mention.path, "lineStart": first, "lineEnd": last }),
        None => json!({ "filePath": mention.path }),
    }
}

/// The open tabs. The active one includes its selection.
pub(super) fn tabs(tabs: &[Tab], selected: Option<&EditorSelection>) -> Value {
    let shown = |tab: &Tab| {
        let mut shown = json!({
            "uri": tab.path.as_deref().map_or_else(|| format!("untitled:{}", tab.label), uri),
            "isActive": tab.active && tab.group_active,
            "label": tab.label,
            "languageId": tab.language,
            "isDirty": tab.dirty,
            "isPinned": tab.pinned,
            "isPreview": tab.preview,
            "isUntitled": tab.untitled,
            "groupIndex": tab.group,
            "viewColumn": tab.group + 1,
            "isGroupActive": tab.group_active,
            "fileName": tab.path.as_deref().unwrap_or(&tab.label),
        });
        if let Some(lines) = tab.lines {
            shown["lineCount"] = lines.into();
        }
        let here = selected.filter(|selected| shown["isActive"] == true && Some(&selected.path) == tab.path.as_ref());
        if let Some(selected) = here {
            shown["selection"] = region(selected.region);
        }
        shown
    };
    json!({ "tabs": tabs.iter().map(shown).collect::<Vec<Value>>() })
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Info",
        Severity::Hint => "Hint",
    }
}

/// Diagnostics of an editor.
pub(super) fn diagnostics(all: &[FileDiagnostics]) -> Value {
    let of_file = |of: &FileDiagnostics| {
        let findings = of.diagnostics.iter().map(|finding| {
            let mut shown = json!({
                "message": finding.message,
                "severity": severity(finding.severity),
                "range": { "start": point(finding.region.start), "end": point(finding.region.end) },
            });
            for (name, value) in [("source", &finding.source), ("code", &finding.code)] {
                if !value.is_empty() {
                    shown[name] = value.as_str().into();
                }
            }
            shown
        });
        json!({ "uri": uri(&of.path), "diagnostics": findings.collect::<Vec<Value>>() })
    };
    all.iter().map(of_file).collect()
}
