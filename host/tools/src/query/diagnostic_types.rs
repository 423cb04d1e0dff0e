//! Diagnostics of a file, in internal form and as reported.

use std::collections::BTreeMap;

use marquetry_model::{
    hover::QuickFix,
    pack::{PackDiagnostic, Severity},
    text::Lines,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Code of the diagnostic for a broken link.
pub(crate) const UNRESOLVED: &str = "unresolved";

/// A reported diagnostic.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// Path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 0, in UTF-16 code units.
    pub column: usize,
    /// `error`, `warning`, `info` or `hint`.
    pub severity: &'static str,
    /// Message.
    pub message: String,
    /// The plugin that found it; `links` for broken links, which the host finds.
    pub source: String,
    /// Name of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Arguments for `file_edit` that fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Map<String, Value>>,
}

/// A diagnostic in internal form.
#[derive(Clone)]
pub(crate) struct RawDiagnostic {
    pub(crate) diagnostic: PackDiagnostic,
    pub(crate) source: String,
    pub(crate) fix: Option<QuickFix>,
}

/// Formats the diagnostics of a file, sorted by position.
pub(crate) fn to_diagnostics(path: &str, text: &str, mut diagnostics: Vec<RawDiagnostic>) -> Vec<Diagnostic> {
    let lines = Lines::new(text);
    diagnostics.sort_by_key(|raw| raw.diagnostic.span.start);
    let shown = |raw: RawDiagnostic| {
        let position = lines.position(raw.diagnostic.span.start.min(text.len()));
        let fix = raw.fix.map(|fix| fix_arguments(path, &fix, (position.line, position.column)));
        Diagnostic {
            path: path.to_owned(),
            line: position.line,
            column: position.column,
            severity: severity_name(raw.diagnostic.severity),
            message: raw.diagnostic.message,
            source: raw.source,
            code: raw.diagnostic.code,
            fix,
        }
    };
    diagnostics.into_iter().map(shown).collect()
}

/// Arguments for `file_edit` that apply a fix.
pub(crate) fn fix_arguments(path: &str, fix: &QuickFix, (line, column): (usize, usize)) -> Map<String, Value> {
    let arguments: BTreeMap<&str, &str> =
        fix.arguments.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut call = json!({ "file": path, "refactor": fix.refactor });
    if arguments.is_empty() {
        call["line"] = line.into();
        call["column"] = column.into();
    } else {
        call["arguments"] = json!(arguments);
    }
    match call {
        Value::Object(call) => call,
        _ => Map::new(),
    }
}

pub(super) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Hint => "hint",
    }
}
