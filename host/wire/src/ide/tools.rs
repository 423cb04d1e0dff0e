//! Tools of the protocol: names, schemas, and the editor requests that implement them. Without an editor, the host
//! answers some of them itself.

use marquetry_model::{
    Error, Kind, Result, Work,
    editor::{
        Answer, ConnectionState, EditorCall, EditorDiagnostic, FileDiagnostics, NoEditors, OpenFile, Opened, Point,
        Region, Request, Reveal, Revealed,
    },
    pack::Severity,
};
use serde_json::{Map, Value, json};

use super::{
    answers,
    arguments::{self, CloseTab, Diagnostics, OneFile},
    events,
    paths::{Located, uri},
    session::Session,
};
use crate::queues::Queue;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    OpenFile,
    OpenDiff,
    CloseTab,
    CloseAllDiffTabs,
    Diagnostics,
    CurrentSelection,
    LatestSelection,
    OpenEditors,
    WorkspaceFolders,
    CheckDirty,
    Save,
}

/// Names and descriptions.
const TOOLS: [(Tool, &str, &str); 11] = [
    (Tool::OpenFile, "openFile", "Open a file in the editor and optionally select a range of text"),
    (Tool::OpenDiff, "openDiff", "Show a proposed change of a file, and wait until the user accepts or rejects it"),
    (Tool::CloseTab, "close_tab", "Close the tab of a proposed change"),
    (Tool::CloseAllDiffTabs, "closeAllDiffTabs", "Close the tabs of all changes that this client proposed"),
    (Tool::Diagnostics, "getDiagnostics", "Get diagnostics of one file, or of all files"),
    (Tool::CurrentSelection, "getCurrentSelection", "Get the selection of the active editor"),
    (Tool::LatestSelection, "getLatestSelection", "Get the latest selection, even if its editor is no longer active"),
    (Tool::OpenEditors, "getOpenEditors", "Get the open tabs"),
    (Tool::WorkspaceFolders, "getWorkspaceFolders", "Get the workspace folders"),
    (Tool::CheckDirty, "checkDocumentDirty", "Check whether an open file has changes that are not saved"),
    (Tool::Save, "saveDocument", "Save an open file"),
];

/// Finds a tool by name.
pub(super) fn find(name: &str) -> Option<Tool> {
    TOOLS.iter().find(|(_, known, _)| *known == name).map(|(tool, _, _)| *tool)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(_, name, _)| *name)
}

/// The queue for a call that language packs may have to answer. `None` for calls that editors answer.
pub(super) fn queue(tool: Tool) -> Option<Queue> {
    (tool == Tool::Diagnostics).then_some(Queue::Long)
}

/// All tools, as in the result of `tools/list`.
pub(super) fn list() -> Vec<Value> {
    let described = |(tool, name, about): &(Tool, &str, &str)| {
        let (properties, required) = schema(*tool);
        json!({
            "name": name,
            "description": about,
            "inputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
        })
    };
    TOOLS.iter().map(described).collect()
}

fn schema(tool: Tool) -> (Value, &'static [&'static str]) {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let truth = |about: &str, usual: bool| json!({ "type": "boolean", "description": about, "default": usual });
    let line = |about: &str| json!({ "type": "integer", "minimum": 1, "description": about });
    match tool {
        Tool::OpenFile => {
            let properties = json!({
                "filePath": text("Path of the file"),
                "preview": truth("Open it in a preview tab, which the next preview replaces", false),
                "startText": text("Text at the start of the selection"),
                "endText": text("Text at the end of the selection"),
                "startLine": line("The first line to select, from 1"),
                "endLine": line("The last line to select"),
                "selectToEndOfLine": truth("Extend the selection to the end of its last line", false),
                "makeFrontmost": truth("Move the keyboard focus to it", true),
            });
            (properties, &["filePath"])
        }
        Tool::OpenDiff => {
            let properties = json!({
                "old_file_path": text("Path of the current file"),
                "new_file_path": text("Path of the file to write"),
                "new_file_contents": text("New content of that file"),
                "tab_name": text("Name of the tab"),
            });
            (properties, &["old_file_path", "new_file_path", "new_file_contents", "tab_name"])
        }
        Tool::CloseTab => (json!({ "tab_name": text("Name of the tab") }), &["tab_name"]),
        Tool::Diagnostics => (json!({ "uri": text("URI of the file; if omitted, all files") }), &[]),
        Tool::CheckDirty | Tool::Save => (json!({ "filePath": text("Path of the file") }), &["filePath"]),
        Tool::CloseAllDiffTabs
        | Tool::CurrentSelection
        | Tool::LatestSelection
        | Tool::OpenEditors
        | Tool::WorkspaceFolders => (json!({}), &[]),
    }
}

/// Runs a tool, except `openDiff`, which is answered later.
pub(super) fn run(session: &Session, tool: Tool, given: Value, work: &Work) -> Result<Value> {
    let wrong = |tool: &str| Err(Error::internal(format!("`{tool}` is answered later")));
    match tool {
        Tool::OpenDiff => wrong("openDiff"),
        Tool::OpenFile => open_file(session, arguments::parse("openFile", given)?, work),
        Tool::CloseTab => {
            let CloseTab { tab_name } = arguments::parse("close_tab", given)?;
            session.editors().close(session.owner, &tab_name);
            Ok(answers::text_result(&["TAB_CLOSED"]))
        }
        Tool::CloseAllDiffTabs => {
            let closed = session.editors().close_all(session.owner);
            Ok(answers::text_result(&[&format!("CLOSED_{closed}_DIFF_TABS")]))
        }
        Tool::Diagnostics => diagnostics(session, &arguments::parse("getDiagnostics", given)?, work),
        Tool::CurrentSelection => {
            let selected = match session.editors().send_request(&latest_editor_call(session, work), Request::Selection)
            {
                Ok(Answer::Selection(selected)) => selected,
                Ok(_) => return Err(unexpected_answer()),
                Err(error) if error.kind() == Kind::Unsupported => None,
                Err(error) => return Err(error),
            };
            Ok(answers::json_result(&answers::selection_result(selected.as_ref(), "No active editor found")))
        }
        Tool::LatestSelection => {
            let latest = events::latest_selection(session);
            Ok(answers::json_result(&answers::selection_result(latest.as_ref(), "No selection available")))
        }
        Tool::OpenEditors => {
            let tabs = match session.editors().send_request(&latest_editor_call(session, work), Request::Tabs) {
                Ok(Answer::Tabs(tabs)) => tabs,
                Ok(_) => return Err(unexpected_answer()),
                Err(error) if error.kind() == Kind::Unsupported => Vec::new(),
                Err(error) => return Err(error),
            };
            Ok(answers::json_result(&answers::tabs(&tabs, events::latest_selection(session).as_ref())))
        }
        Tool::WorkspaceFolders => Ok(answers::json_result(&workspace_folders(session))),
        Tool::CheckDirty => check_dirty(session, &arguments::parse("checkDocumentDirty", given)?, work),
        Tool::Save => save(session, &arguments::parse("saveDocument", given)?, work),
    }
}

fn unexpected_answer() -> Error {
    Error::internal("the editor sent an answer that does not belong to the request")
}

/// Returns a call to the most recently used editor, whatever root it works in.
fn latest_editor_call(session: &Session, work: &Work) -> EditorCall {
    let roots = session.catalog().bench().roots().served();
    let root = roots.first().cloned().unwrap_or_default();
    let attached = session.editors().attached(None).into_iter();
    let editor = attached.filter(|editor| editor.state == ConnectionState::Ready).map(|editor| editor.name).next();
    EditorCall { editor, ..EditorCall::for_root(&root, work) }
}

fn open_file(session: &Session, given: arguments::OpenFile, work: &Work) -> Result<Value> {
    let Located { root, path, name } = session.resolve_path(&given.file_path)?;
    if !session.editors().is_any_attached() {
        return Err(NoEditors::error());
    }
    if session.catalog().bench().files(Some(&root))?.stat(&name).is_none() {
        return Err(Error::new(Kind::FileNotFound, format!("File not found: {path}")));
    }
    let reveal = match (given.start_text, given.start_line) {
        (Some(start), _) => Reveal::Text { start, end: given.end_text, to_line_end: given.select_to_end_of_line },
        (None, Some(first)) => {
            let last = given.end_line.unwrap_or(first).max(first);
            let at = |line: u32, column| Point { line: line.saturating_sub(1), column };
            // A column past the end of the line means its end.
            Reveal::Region(Region { start: at(first, 0), end: at(last, u32::MAX) })
        }
        (None, None) => Reveal::Nothing,
    };
    let focus = given.make_frontmost;
    let request = Request::Open(OpenFile { path: path.clone(), reveal, preview: given.preview, focus });
    let Opened { language, lines, revealed } =
        match session.editors().send_request(&EditorCall::for_root(&root, work), request)? {
            Answer::Opened(opened) => opened,
            _ => return Err(unexpected_answer()),
        };
    if !focus {
        let opened = json!({ "success": true, "filePath": path, "languageId": language, "lineCount": lines });
        return Ok(answers::json_result(&opened));
    }
    let but = match revealed {
        Revealed::All => "",
        Revealed::StartOnly => " (the end text was not found)",
        Revealed::Nothing => " (the text was not found)",
    };
    Ok(answers::text_result(&[&format!("Opened file: {path}{but}")]))
}

fn workspace_folders(session: &Session) -> Value {
    let roots = session.catalog().bench().roots().served();
    let folder = |path: &String| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        json!({ "name": name, "uri": uri(path), "path": path })
    };
    json!({
        "success": true,
        "folders": roots.iter().map(folder).collect::<Vec<Value>>(),
        "rootPath": roots.first(),
    })
}

fn not_open(path: &str) -> String {
    format!("Document not open: {path}")
}

fn check_dirty(session: &Session, given: &OneFile, work: &Work) -> Result<Value> {
    let Located { root, path, .. } = session.resolve_path(&given.file_path)?;
    let dirty = match session.editors().send_request(&EditorCall::for_root(&root, work), Request::Dirty(path.clone())) {
        Ok(Answer::Dirty(dirty)) => dirty,
        Ok(_) => return Err(unexpected_answer()),
        Err(error) if error.kind() == Kind::Unsupported => None,
        Err(error) => return Err(error),
    };
    Ok(answers::json_result(&match dirty {
        Some(dirty) => {
            json!({ "success": true, "filePath": path, "isDirty": dirty.dirty, "isUntitled": dirty.untitled })
        }
        None => json!({ "success": false, "message": not_open(&path) }),
    }))
}

fn save(session: &Session, given: &OneFile, work: &Work) -> Result<Value> {
    let Located { root, path, .. } = session.resolve_path(&given.file_path)?;
    let saved = match session.editors().send_request(&EditorCall::for_root(&root, work), Request::Save(path.clone())) {
        Ok(Answer::Saved(saved)) => saved,
        Ok(_) => return Err(unexpected_answer()),
        Err(error) if error.kind() == Kind::Unsupported => false,
        Err(error) => return Err(error),
    };
    let message = if saved { "Document saved successfully".to_owned() } else { not_open(&path) };
    Ok(answers::json_result(&json!({ "success": saved, "filePath": path, "saved": saved, "message": message })))
}

/// Diagnostics from the editor, or from the language packs if no editor provides them.
fn diagnostics(session: &Session, given: &Diagnostics, work: &Work) -> Result<Value> {
    let file = given.uri.as_deref().filter(|uri| !uri.is_empty()).map(|uri| session.resolve_path(uri)).transpose()?;
    let call =
        file.as_ref().map_or_else(|| latest_editor_call(session, work), |file| EditorCall::for_root(&file.root, work));
    let path = file.as_ref().map(|file| file.path.clone());
    let found = match session.editors().send_request(&call, Request::Diagnostics(path)) {
        Ok(Answer::Diagnostics(found)) => found,
        Ok(_) => return Err(unexpected_answer()),
        Err(error) if error.kind() == Kind::Unsupported => pack_diagnostics(session, file.as_ref(), work)?,
        Err(error) => return Err(error),
    };
    Ok(answers::json_result(&answers::diagnostics(&found)))
}

fn pack_diagnostics(session: &Session, file: Option<&Located>, work: &Work) -> Result<Vec<FileDiagnostics>> {
    let catalog = session.catalog();
    let served = catalog.bench().roots().served();
    let roots = file.map_or(served, |file| vec![file.root.clone()]);
    let mut all: Vec<FileDiagnostics> = Vec::new();
    for root in roots {
        let mut arguments =
            Map::from_iter([("type".to_owned(), "diagnostics".into()), ("root".to_owned(), root.as_str().into())]);
        if let Some(file) = file {
            arguments.insert("path".to_owned(), file.name.as_str().into());
        }
        let answer = catalog.call(catalog.find("query")?, arguments, work)?.to_json()?;
        for problem in answer["data"]["diagnostics"].as_array().into_iter().flatten() {
            let path = format!("{}/{}", root.trim_end_matches('/'), problem["path"].as_str().unwrap_or_default());
            match all.last_mut().filter(|last| last.path == path) {
                Some(last) => last.diagnostics.push(pack_diagnostic(problem)),
                None => all.push(FileDiagnostics { path, diagnostics: vec![pack_diagnostic(problem)] }),
            }
        }
    }
    // A file in the request is always listed, even without diagnostics.
    if let Some(file) = file.filter(|_| all.is_empty()) {
        all.push(FileDiagnostics { path: file.path.clone(), diagnostics: Vec::new() });
    }
    Ok(all)
}

fn pack_diagnostic(problem: &Value) -> EditorDiagnostic {
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| problem[name].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    let at = Point { line: number("line").saturating_sub(1), column: number("column") };
    let severity = match text("severity").as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "info" => Severity::Info,
        _ => Severity::Hint,
    };
    let region = Region { start: at, end: at };
    EditorDiagnostic { region, severity, message: text("message"), source: text("source"), code: text("code") }
}
