//! Names of similar tools in other programs. A call with such a name gets the corresponding call as a hint.

/// Names of other programs' tools, the corresponding tool, and an example of its call.
const OTHER_NAMES: [(&[&str], &str, &str); 13] = [
    (
        &["rename", "rename_symbol", "lsp_rename", "refactor_rename", "rename_variable", "rename_function"],
        "file_edit",
        "`file_edit` with `refactor: \"rename_symbol\"`, `symbol` and `newName` renames a symbol; `file_rename` renames a file",
    ),
    (
        &["read", "read_file", "view", "view_file", "cat", "open_file"],
        "file_read",
        "`file_read` reads `file` or a part of it",
    ),
    (
        &["read_symbol", "find_symbol", "get_symbol", "get_symbol_body"],
        "file_read",
        "`file_read` with `file` and `symbol` reads it; `query` with `type: \"workspaceSymbols\"` finds its file",
    ),
    (
        &["edit", "edit_file", "str_replace", "search_replace", "multi_edit", "apply_patch", "update_file"],
        "file_edit",
        "`file_edit` with `file`, a target such as `symbol`, `operation` and `content` edits exactly that",
    ),
    (
        &["replace_symbol_body", "replace_body", "edit_symbol", "insert_after_symbol", "insert_before_symbol"],
        "file_edit",
        "`file_edit` with `symbol` and `operation: \"replace_body\"`, `\"insert_after\"` or `\"insert_before\"` edits a symbol",
    ),
    (
        &["write", "write_file", "create", "create_file", "new_file"],
        "file_create",
        "`file_create` writes `content` to a new file at `path`",
    ),
    (
        &["move", "move_file", "mv", "move_folder", "move_directory"],
        "file_move",
        "`file_move` moves `source` to `destination`, and references follow",
    ),
    (&["rename_file", "rename_folder"], "file_rename", "`file_rename` gives a file or folder a new name in its folder"),
    (
        &["delete", "delete_file", "remove", "remove_file", "rm"],
        "file_delete",
        "`file_delete` deletes `path` and removes the imports of it",
    ),
    (&["copy", "copy_file", "cp", "duplicate"], "file_duplicate", "`file_duplicate` copies `source` to `destination`"),
    (&["undo", "revert"], "file_undo", "`file_undo` takes the last change back"),
    (
        &["grep", "search", "search_files", "find", "search_code", "search_for_pattern", "ast_grep"],
        "query",
        "`query` with `type: \"search\"` and `text` or `pattern` searches",
    ),
    (
        &[
            "references",
            "find_references",
            "find_referencing_symbols",
            "symbols",
            "document_symbols",
            "get_symbols_overview",
            "outline",
            "hover",
            "definition",
            "go_to_definition",
            "diagnostics",
            "get_diagnostics",
            "list_files",
            "ls",
            "glob",
            "list_dir",
        ],
        "query",
        "`query` with `type` answers it: `references`, `documentSymbols`, `hover`, `symbolInfo`, `diagnostics`, `files` and others",
    ),
];

/// Returns the tool that corresponds to another program's tool of this name, and an example of its call.
pub(crate) fn tool_for(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let found = OTHER_NAMES.iter().find(|(others, ..)| others.contains(&name.as_str()));
    found.map(|(_, tool, hint)| (*tool, *hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tools;

    #[test]
    fn each_name_is_listed_once_and_leads_to_a_tool() {
        let own: Vec<&str> = tools().iter().map(|tool| tool.name).collect();
        let mut names: Vec<&str> = OTHER_NAMES.iter().flat_map(|(others, ..)| others.iter().copied()).collect();
        assert!(names.iter().all(|name| !own.contains(name)), "no tool here has such a name");
        for (_, tool, hint) in OTHER_NAMES {
            assert!(own.contains(&tool) && hint.starts_with(&format!("`{tool}`")), "{tool}: {hint}");
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn hints_name_arguments_that_the_tools_take() {
        let tools = tools();
        for (_, _, hint) in OTHER_NAMES {
            let words: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
            let named = tools.iter().filter(|tool| words.contains(&tool.name));
            let schemas: String = named.map(|tool| tool.input_schema().to_string()).collect();
            // The value after an argument, as in `operation: "delete"`, is not checked.
            let names = words.iter().filter_map(|word| word.split(':').next()).filter(|name| !name.starts_with('"'));
            for name in names.filter(|name| !tools.iter().any(|tool| tool.name == *name)) {
                assert!(schemas.contains(&format!("\"{name}\"")), "{hint}: {name}");
            }
        }
    }

    #[test]
    fn names_of_other_tools_are_found() {
        for (name, tool) in
            [("rename_symbol", "file_edit"), ("Read", "file_read"), ("find-references", "query"), ("mv", "file_move")]
        {
            assert_eq!(tool_for(name).map(|(tool, _)| tool), Some(tool), "{name}");
        }
        assert_eq!(tool_for("deploy"), None);
    }
}
