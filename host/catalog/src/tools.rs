//! The list of all tools.

use marquetry_tools::{
    CreateArgs, DeleteArgs, DuplicateArgs, EditArgs, HistoryArgs, MoveArgs, OpenArgs, QueryArgs, ReadArgs, RenameArgs,
    UndoArgs, Workbench,
};
use serde_json::Value;

use crate::tool::{CHANGE, READ, Tool, tool};

/// The list of all tools, for readers of their schemas. Calls need a [`Catalog`](crate::Catalog).
pub fn tools() -> Vec<Tool> {
    let mut tools = content_tools();
    tools.extend(file_tools());
    tools.extend(other_tools());
    tools
}

/// Tools for the content of files.
fn content_tools() -> Vec<Tool> {
    vec![
        tool::<ReadArgs, _>(
            ("file_read", "file/read", "Read File Content"),
            include_str!("../schemas/file_read.json"),
            "Read one thing of a file by name: a code symbol, JSONPath, CSS selector, XPath, heading, region or lines. \
             The content returned is exactly what file_edit `replace` replaces. Without a target: the whole file, or \
             its outline if it is large. Several matches are listed with addresses; an address, passed as `target`, \
             finds that match alone. `format` returns less: `signature`, `body` or `summary`.",
            READ.core(),
            Workbench::read,
        ),
        tool::<EditArgs, _>(
            ("file_edit", "file/edit", "Edit File Content"),
            include_str!("../schemas/file_edit.json"),
            "Change one thing of a file by name (see file_read). Operations: replace, replace_body, insert_before, \
             insert_after, insert_into (`position`), wrap, delete, replace_text (`old` becomes `content` inside the \
             target). Content is re-indented (except with `lines`) and gets the separators of its neighbours; all other bytes stay. An edit \
             that adds syntax errors is refused unless `force`. `edits`, `files` and `changes` make several edits one \
             change. Returns a diff and an id for file_undo. `refactor: \"rename_symbol\"` with `symbol` and `newName` \
             renames in all files; query `codeActions` lists other refactors.",
            CHANGE.core(),
            Workbench::edit,
        ),
        tool::<CreateArgs, _>(
            ("file_create", "file/create", "Create File"),
            include_str!("../schemas/file_create.json"),
            "Create a file with `content`, or from a `template`. An existing file is not replaced unless `overwrite`.",
            CHANGE,
            Workbench::create,
        ),
    ]
}

/// Tools for whole files.
fn file_tools() -> Vec<Tool> {
    vec![
        tool::<DeleteArgs, _>(
            ("file_delete", "file/delete", "Delete File"),
            include_str!("../schemas/file_delete.json"),
            "Delete files or directories (`recursive`). Imports and re-exports of them are removed from other files; \
             uses left without a definition are listed as `dangling`. With `safe`, nothing is deleted while something \
             uses it.",
            CHANGE,
            Workbench::delete,
        ),
        tool::<MoveArgs, _>(
            ("file_move", "file/move", "Move File"),
            include_str!("../schemas/file_move.json"),
            "Move files or directories; links and imports follow, in every format. Links that could not be updated \
             are listed as `unresolved`.",
            CHANGE.core(),
            Workbench::move_path,
        ),
        tool::<RenameArgs, _>(
            ("file_rename", "file/rename", "Rename File"),
            include_str!("../schemas/file_rename.json"),
            "Rename a file or directory in its folder; links and imports follow (see file_move). `renameExports` \
             renames the main export to match the file name, `exportMapping` others.",
            CHANGE,
            Workbench::rename_path,
        ),
        tool::<DuplicateArgs, _>(
            ("file_duplicate", "file/duplicate", "Duplicate File"),
            include_str!("../schemas/file_duplicate.json"),
            "Copy a file. Links in the copy keep their destinations.",
            CHANGE,
            Workbench::duplicate,
        ),
    ]
}

/// Queries, the history, and other tools.
fn other_tools() -> Vec<Tool> {
    vec![
        tool::<QueryArgs, _>(
            ("query", "query", "Query Code"),
            include_str!("../schemas/query.json"),
            "Ask about the workspace. `symbolInfo`, `hover`, `typeDefinition`: of a `symbol`, or at `line` and \
             `column`. `documentSymbols`: the outline of `path` with addresses. `diagnostics`: problems in a file, a \
             glob or all files. `references`: uses of a `symbol`. `implementations`, `typeHierarchy`, `callHierarchy`: \
             to any `depth`. `dependencies`: what `path` imports, or what imports it (`direction: \"importedBy\"`). \
             `workspaceSymbols`: by name. `codeActions`: refactors available at a position. `search`: by `text`, \
             `regex`, `pattern` or a target. `files`: list files. `projectInfo`. `gitStatus`.",
            READ.core(),
            Workbench::query,
        ),
        tool::<OpenArgs, _>(
            ("open", "open", "Open in Editor"),
            include_str!("../schemas/open.json"),
            "Show a `file` at lines, a `diff` of two files, a `gitDiff` between revisions, or a `symbol` in the user's \
             editor.",
            READ,
            Workbench::open_items,
        ),
        tool::<UndoArgs, _>(
            ("file_undo", "file/undo", "Undo Change"),
            include_str!("../schemas/file_undo.json"),
            "Undo a change by its id, or the latest one. Refused if a file changed since.",
            CHANGE,
            Workbench::undo,
        ),
        tool::<HistoryArgs, _>(
            ("file_history", "file/history", "List Changes"),
            include_str!("../schemas/file_history.json"),
            "List changes made here, latest first, with ids for file_undo.",
            READ,
            Workbench::history,
        ),
    ]
}

/// JSON Schema of a tool's arguments, without a workbench.
pub fn input_schema(name: &str) -> Option<Value> {
    tools().into_iter().find(|tool| tool.name == name).map(|tool| tool.input_schema().clone())
}
