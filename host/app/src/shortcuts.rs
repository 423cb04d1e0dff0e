//! Table of the commands that are one call of a tool: their names, positional arguments, and omitted arguments.

use marquetry_model::{Error, Result, pack::TargetKind};
use serde_json::{Map, Value, json};

use crate::flag_names::kebab;

/// A command that is one call of a tool.
pub(crate) struct Shortcut {
    pub(crate) name: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) about: &'static str,
    /// Positional arguments: `?` marks an optional one, `*` one that may be repeated.
    pub(crate) positionals: &'static [&'static str],
    /// Arguments whose flag has another name: the argument and the name of the flag.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
    /// Groups of arguments that this command does not have.
    pub(crate) omitted: &'static [&'static [&'static str]],
    /// Adjusts the arguments before the tool is called.
    pub(crate) adjust: fn(&mut Map<String, Value>),
}

impl Shortcut {
    /// Returns whether the command has an argument of its tool.
    pub(crate) fn takes(&self, argument: &str) -> bool {
        !self.omitted.iter().any(|group| group.contains(&argument))
    }
}

const NOTHING: fn(&mut Map<String, Value>) = |_| {};

/// The kinds of targets.
const NAMES: &[&str] = &TargetKind::NAMES;
/// The names of all kinds of targets except `symbol`, which is the first.
const TARGETS_BUT_SYMBOL: &[&str] = NAMES.split_at(1).1;
/// Arguments of one edit of `file_edit`, except the text it searches for.
const EDIT_ARGUMENTS: &[&str] = &["operation", "wrapper", "position", "upsert", "pattern", "replacement"];
/// The text that an edit searches for, and its replacement.
const TEXT: &[&str] = &["content", "old", "regex", "wholeWord", "ignoreCase", "includeDoc"];
/// Lists of edits of `file_edit`.
const EDIT_LISTS: &[&str] = &["edits", "changes"];
/// Arguments of a refactor of `file_edit`.
const REFACTOR: &[&str] = &["refactor", "selectionRange", "extractedName", "arguments", "preferences"];
/// Arguments of a rename.
const RENAME: &[&str] = &["newName", "scope", "exports", "engine", "line", "column"];

/// Arguments of `query` that a search does not have.
const NOT_FOR_SEARCH: &[&str] = &[
    "type",
    "severity",
    "only",
    "line",
    "column",
    "startLine",
    "startColumn",
    "endLine",
    "endColumn",
    "includeDeclaration",
    "direction",
    "query",
    "kind",
    "depth",
    "checks",
    "usage",
];

pub(crate) static SHORTCUTS: [Shortcut; 15] = [
    Shortcut {
        name: "read",
        tool: "file_read",
        about: "Read a target of a file, or of all files of a glob; without a target, the file or its outline",
        positionals: &["file", "target?"],
        renamed: &[("path", "json-path")],
        omitted: &[],
        adjust: |arguments| {
            apply_around(arguments);
            expand_globs(arguments);
        },
    },
    Shortcut {
        name: EDIT,
        tool: "file_edit",
        about: "Edit a target of a file, or of all files of a glob",
        positionals: &["file", "target", "operation", "content?", "new?"],
        renamed: &[("path", "json-path")],
        omitted: &[REFACTOR, RENAME],
        adjust: expand_globs,
    },
    Shortcut {
        name: "replace",
        tool: "file_edit",
        about: "Replace a text everywhere in a file, or in all files of a glob",
        positionals: &["file", "old", "content"],
        renamed: &[],
        omitted: &[EDIT_ARGUMENTS, EDIT_LISTS, REFACTOR, RENAME],
        adjust: |arguments| {
            arguments.insert("operation".to_owned(), "replace_text".into());
            arguments.entry("all").or_insert(true.into());
            expand_globs(arguments);
        },
    },
    Shortcut {
        name: "create",
        tool: "file_create",
        about: "Create a file from content or a template",
        positionals: &["path"],
        renamed: &[("templateVars", "var")],
        omitted: &[],
        adjust: NOTHING,
    },
    Shortcut {
        name: "move",
        tool: "file_move",
        about: "Move a file or folder; imports and links follow",
        positionals: &["source?", "destination?"],
        renamed: &[],
        omitted: &[],
        adjust: NOTHING,
    },
    Shortcut {
        name: "rename",
        tool: "file_rename",
        about: "Rename a file or folder in place; imports and links follow",
        positionals: &["path", "newName"],
        renamed: &[("exportMapping", "export")],
        omitted: &[],
        adjust: NOTHING,
    },
    Shortcut {
        name: "delete",
        tool: "file_delete",
        about: "Delete files or folders, and their imports in other files",
        positionals: &["paths*"],
        renamed: &[],
        omitted: &[&["path"]],
        adjust: NOTHING,
    },
    Shortcut {
        name: "duplicate",
        tool: "file_duplicate",
        about: "Copy a file; links in the copy keep their destinations",
        positionals: &["source", "destination"],
        renamed: &[("symbolMapping", "rename")],
        omitted: &[],
        adjust: NOTHING,
    },
    Shortcut {
        name: "rename-symbol",
        tool: "file_edit",
        about: "Rename a symbol in every file that uses it",
        positionals: &["file", "symbol", "newName?"],
        renamed: &[],
        omitted: &[&["target", "all", "files"], TARGETS_BUT_SYMBOL, EDIT_ARGUMENTS, TEXT, EDIT_LISTS, REFACTOR],
        adjust: parse_rename_words,
    },
    Shortcut {
        name: "refactor",
        tool: "file_edit",
        about: "Apply a refactor; without a name, list those that apply",
        positionals: &["file", "refactor?"],
        renamed: &[("selectionRange", "select"), ("arguments", "with")],
        omitted: &[
            &["newName", "exports", "files", "preferences"],
            TARGETS_BUT_SYMBOL,
            EDIT_ARGUMENTS,
            TEXT,
            EDIT_LISTS,
        ],
        adjust: move_rename_arguments,
    },
    Shortcut {
        name: "search",
        tool: "query",
        about: "Search files for a text, a code pattern or a target",
        positionals: &["text?", "files?*"],
        renamed: &[("path", "json-path")],
        omitted: &[NOT_FOR_SEARCH],
        adjust: parse_search_words,
    },
    Shortcut {
        name: "query",
        tool: "query",
        about: "Query symbols, references, diagnostics and more, of a file or the workspace",
        positionals: &["type", "path?", "symbol?"],
        renamed: &[],
        omitted: &[],
        adjust: parse_query_words,
    },
    Shortcut {
        name: OPEN,
        tool: "open",
        about: "Show a file, diff or symbol in the editor, or in the terminal if none is attached",
        positionals: &["path?", "right?"],
        renamed: &[],
        omitted: &[],
        adjust: infer_open_kind,
    },
    Shortcut {
        name: "undo",
        tool: "file_undo",
        about: "Undo the latest change, or the one with this id",
        positionals: &["id?"],
        renamed: &[],
        omitted: &[],
        adjust: NOTHING,
    },
    Shortcut {
        name: "history",
        tool: "file_history",
        about: "List changes made here, latest first",
        positionals: &[],
        renamed: &[],
        omitted: &[],
        adjust: NOTHING,
    },
];

/// The command that edits part of a file.
pub(crate) const EDIT: &str = "edit";
/// The positional argument after `replace_text OLD`.
pub(crate) const NEW_TEXT: &str = "new";
/// The flag of `edit` that gives the content instead of the positional argument.
pub(crate) const CONTENT_FLAG: &str = "content-flag";
/// The flags that name a target in a file.
pub(crate) static TARGET_FLAGS: [&str; 7] = TargetKind::NAMES;

/// `marq edit FILE [TARGET] OPERATION [CONTENT]`: if a flag names the target, TARGET is absent and the other words move
/// up. `replace_text` takes two texts.
pub(crate) fn parse_edit_words(arguments: &mut Map<String, Value>) -> Result<()> {
    let mut words = Vec::new();
    let names = ["target", "operation", "content", NEW_TEXT];
    words.extend(names.iter().filter_map(|name| arguments.remove(*name)));
    let mut words = words.into_iter();
    let flag = TARGET_FLAGS.iter().find(|name| arguments.contains_key(**name));
    let is_list = EDIT_REPLACING_FLAGS.iter().any(|name| arguments.contains_key(*name));
    let put = |arguments: &mut Map<String, Value>, name: &str, word: Option<Value>| {
        arguments.extend(word.map(|word| (name.to_owned(), word)));
    };
    if flag.is_none() {
        put(arguments, "target", words.next());
    }
    put(arguments, "operation", words.next());
    let flagged = arguments.remove(CONTENT_FLAG);
    let rest: Vec<Value> = words.chain(flagged).collect();
    let is_text = arguments.get("operation").is_some_and(|operation| operation == "replace_text");
    match rest.as_slice() {
        [] => {}
        [old, new] if is_text && !arguments.contains_key("old") => {
            arguments.insert("old".to_owned(), old.clone());
            arguments.insert("content".to_owned(), new.clone());
        }
        [content] => _ = arguments.insert("content".to_owned(), content.clone()),
        [first, ..] => {
            let given = first.as_str().unwrap_or_default();
            return Err(match flag {
                Some(flag) => {
                    let operation = arguments["operation"].as_str().unwrap_or_default();
                    Error::argument(format!("`{operation}` and a flag both give the target"))
                        .hint(format!("leave out TARGET: FILE --{} … OPERATION [CONTENT]", kebab(flag)))
                }
                None => Error::argument(format!("unexpected argument after `{given}`"))
                    .hint("quote content that has spaces; only `replace_text` takes two texts: OLD and NEW"),
            });
        }
    }
    match arguments.contains_key("operation") || is_list {
        true => Ok(()),
        false => Err(Error::argument("the operation is missing")
            .hint("FILE TARGET OPERATION [CONTENT], or a flag such as --lines instead of TARGET")),
    }
}

/// Combines `--around 3` with the target into one argument.
fn apply_around(arguments: &mut Map<String, Value>) {
    if let Some(context) = arguments.remove("around") {
        let target = arguments.remove("target").unwrap_or_default();
        arguments.insert("around".to_owned(), json!({ "target": target, "context": context }));
    }
}

/// A glob instead of a file means all matching files, except those excluded by `--files '!…'`; files given by `--files`
/// are added.
fn expand_globs(arguments: &mut Map<String, Value>) {
    let is_glob = |file: &Value| file.as_str().is_some_and(|file| file.contains(['*', '?', '{']));
    if !(arguments.contains_key("files") || arguments.get("file").is_some_and(is_glob)) {
        return;
    }
    let mut files: Vec<Value> = arguments.remove("file").into_iter().collect();
    files.extend(arguments.remove("files").and_then(|more| more.as_array().cloned()).unwrap_or_default());
    arguments.insert("files".to_owned(), files.into());
}

/// `marq rename-symbol FILE NEW_NAME --line 1 --column 4`: a symbol given by position needs no name.
fn parse_rename_words(arguments: &mut Map<String, Value>) {
    arguments.insert("refactor".to_owned(), "rename_symbol".into());
    if arguments.contains_key("line")
        && !arguments.contains_key("newName")
        && let Some(name) = arguments.remove("symbol")
    {
        arguments.insert("newName".to_owned(), name);
    }
}

/// `marq refactor FILE rename_symbol --new-name b`: the arguments of a rename are arguments of the tool.
fn move_rename_arguments(arguments: &mut Map<String, Value>) {
    if arguments.get("refactor").is_none_or(|name| name != "rename_symbol") {
        return;
    }
    let Some(Value::Object(own)) = arguments.remove("arguments") else { return };
    let (moved, rest): (Map<_, _>, Map<_, _>) = own.into_iter().partition(|(name, _)| RENAME.contains(&name.as_str()));
    arguments.extend(moved);
    if !rest.is_empty() {
        arguments.insert("arguments".to_owned(), rest.into());
    }
}

/// Flags that make the operation of `edit` unnecessary.
pub(crate) const EDIT_REPLACING_FLAGS: [&str; 3] = ["edits", "changes", "pattern"];

/// `marq search --pattern P src`: if a flag gives what to search for, the first word is the path.
fn parse_search_words(arguments: &mut Map<String, Value>) {
    arguments.insert("type".to_owned(), "search".into());
    let ways = ["regex", "pattern", "symbol", "path", "selector", "xpath", "heading"];
    let is_told = ways.iter().any(|name| arguments.contains_key(*name));
    if is_told && let Some(word) = arguments.remove("text") {
        match arguments.get_mut("files").and_then(Value::as_array_mut) {
            Some(files) => files.insert(0, word),
            None => _ = arguments.insert("files".to_owned(), json!([word])),
        }
    }
}

/// A query for `workspaceSymbols` has no file, so the first positional argument is the name to search for.
fn parse_query_words(arguments: &mut Map<String, Value>) {
    if arguments["type"] == "workspaceSymbols"
        && !arguments.contains_key("query")
        && let Some(name) = arguments.remove("path")
    {
        arguments.insert("query".to_owned(), name);
    }
    // If no file is named, the symbol is given by name.
    if let Some(symbol) = arguments.remove(WORKSPACE_SYMBOL) {
        arguments.insert("symbol".to_owned(), symbol);
    }
}

/// The command that shows files and diffs.
pub(crate) const OPEN: &str = "open";
/// The flag of `open` that disables the pager.
pub(crate) const NO_PAGER: &str = "no-pager";

/// Infers the type from the arguments: two files give a `diff`, a revision gives a `gitDiff`.
fn infer_open_kind(arguments: &mut Map<String, Value>) {
    let has = |arguments: &Map<String, Value>, name: &str| arguments.contains_key(name);
    if has(arguments, "type") || has(arguments, "items") {
        return;
    }
    let kind = if has(arguments, "right") {
        if let Some(left) = arguments.remove("path") {
            arguments.entry("left").or_insert(left);
        }
        "diff"
    } else if has(arguments, "from") || has(arguments, "to") {
        "gitDiff"
    } else if has(arguments, "query") {
        "symbol"
    } else {
        "file"
    };
    arguments.insert("type".to_owned(), kind.into());
}

/// The argument that names the symbol in a query without a file.
pub(crate) const WORKSPACE_SYMBOL: &str = "anywhere";
