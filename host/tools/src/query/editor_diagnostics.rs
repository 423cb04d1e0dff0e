//! `engine: "editor"`: diagnostics from the extensions and language servers of an attached editor. They are not
//! verified.

use marquetry_model::{
    Error, Kind, Result, Span,
    editor::{self, ConnectionState, EditorCall, FileDiagnostics, Request},
    pack::PackDiagnostic,
    text::{Lines, Position},
};

use super::{
    Answer, QueryArgs, QueryResult,
    diagnostic_types::RawDiagnostic,
    diagnostics::{DiagnosticFilter, Diagnostics},
};
use crate::{result_types::skipped_file, session::Session};

/// Value of `engine` for an editor.
pub(super) const EDITOR: &str = "editor";

impl Session {
    /// Asks the last focused editor that supports diagnostics.
    pub(super) fn diagnostics_of_editor(&self, args: &QueryArgs) -> Result<QueryResult> {
        if args.r#type != "diagnostics" {
            return Err(Error::new(Kind::Unsupported, format!("editors do not answer `{}`", args.r#type))
                .hint("leave out `engine`; editors only answer `diagnostics`"));
        }
        if !args.checks.is_empty() {
            return Err(Error::new(Kind::Unsupported, "`checks` does not apply to an editor")
                .hint("leave out `checks`, or `engine`"));
        }
        let filter = DiagnosticFilter::from_args(args)?;
        let root = self.files.root().trim_end_matches('/');
        let path = args.path.as_deref().map(|path| self.files.read(path).map(|source| source.path)).transpose()?;
        let able = self.editors.attached(Some(root)).into_iter().find(|editor| {
            editor.state == ConnectionState::Ready
                && editor.capabilities.contains(&editor::Capability::Diagnostics.name())
        });
        let editor = able.ok_or_else(|| {
            Error::new(Kind::Unsupported, "no attached editor reports diagnostics")
                .hint("attach one that does (`docs/editors.md`), or leave out `engine`")
        })?;
        let call = EditorCall {
            editor: Some(editor.name.clone()),
            is_exact: true,
            ..EditorCall::for_root(self.files.root(), &self.work)
        };
        let request = Request::Diagnostics(path.as_ref().map(|path| format!("{root}/{path}")));
        let editor::Answer::Diagnostics(reported) = self.editors.send_request(&call, request)? else {
            return Err(Error::internal("the editor sent an answer that does not belong to the request"));
        };
        let engine = format!("{EDITOR}:{}", editor.name);
        let (mut found, mut files, mut skipped) = (Vec::new(), 0, Vec::new());
        for of in reported {
            let below = of.path.strip_prefix(root).map(|path| path.trim_start_matches('/').to_owned());
            // Skips files of another root and files that were not requested.
            let Some(path) = below.filter(|below| path.as_ref().is_none_or(|path| path == below)) else { continue };
            match self.files.read(&path) {
                Ok(source) => {
                    files += 1;
                    found.extend(filter.format(&path, &source.text, to_raw_diagnostics(&source.text, of, &engine)));
                }
                Err(error) => skipped.push(skipped_file(&path, &error)),
            }
        }
        let page = args.page(self, found);
        // Editors do not report what they check.
        let data =
            Diagnostics { diagnostics: page.items, reported: filter.reported(), checked: Vec::new(), files, skipped };
        let completeness = format!("syntactic: reported by {}, not verified", editor.title);
        Ok(QueryResult::new(Answer::Diagnostics(data), completeness, &engine).paged(page.total, page.truncated))
    }
}

/// Converts diagnostics of one file to offsets of its text.
fn to_raw_diagnostics(text: &str, reported: FileDiagnostics, engine: &str) -> Vec<RawDiagnostic> {
    let lines = Lines::new(text);
    let offset = |at: editor::Point| {
        lines.offset(Position { line: at.line as usize + 1, column: at.column as usize }).unwrap_or(text.len())
    };
    let raw = |reported: editor::EditorDiagnostic| {
        let (start, end) = (offset(reported.region.start), offset(reported.region.end));
        let source = if reported.source.is_empty() { engine.to_owned() } else { reported.source };
        let code = Some(reported.code).filter(|code| !code.is_empty());
        let span = Span::new(start, end.max(start));
        RawDiagnostic {
            diagnostic: PackDiagnostic { severity: reported.severity, span, message: reported.message, code },
            source,
            fix: None,
        }
    };
    reported.diagnostics.into_iter().map(raw).collect()
}
