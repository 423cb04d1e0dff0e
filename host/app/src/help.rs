//! Help of the command line: descriptions of arguments, written for each command, and examples and topics.

use marquetry_model::{Error, Result, nearest::nearest_names};

/// Descriptions of arguments by command; `*` is every command that has the argument.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    ("*", "file", "The file; or a glob, for all files that match"),
    ("*", "files", "More files and globs; `!` excludes"),
    ("*", "path", "A JSONPath such as `$.scripts.build` (RFC 9535)"),
    ("*", "selector", "A CSS selector, a rule's selector, or `selector@attribute`"),
    ("*", "xpath", "An XPath; the prefixes of the document may be used"),
    ("*", "heading", "A heading, or a path of headings such as `Guide > Install`"),
    ("*", "symbol", "A symbol such as `UserService`, `UserService.findById` or `\"suite\" > \"case\"`"),
    (
        "*",
        "target",
        "A symbol, JSONPath, selector, XPath or heading, depending on the format (see `marq help targets`)",
    ),
    ("*", "why", "Reason for the change, recorded in `marq history`"),
    ("*", "before", "For `wrap`: the text before the target"),
    ("*", "after", "For `wrap`: the text after the target"),
    ("*", "position", "For `insert_into`: where to insert (default: last)"),
    ("*", "pattern", "A structural search pattern (see `marq help patterns`)"),
    ("*", "line", "Line of the symbol, from 1"),
    ("*", "column", "Column of the symbol, from 0"),
    ("*", "maxBytes", "Print at most about this many bytes"),
    ("*", "dryRun", "Show the result and write nothing"),
    ("*", "check", "Report the diagnostics that the change adds and removes; refuse new errors"),
    ("*", "force", "Write even if a check refuses the change, such as new syntax errors"),
    ("*", "preview", "Print the old and new content of each edit"),
    ("*", "limit", "Print at most this many results"),
    ("*", "offset", "Skip this many results"),
    ("edit", "edits", "Several edits of the file as JSON, made as one change"),
    ("edit", "changes", "Edits of several files as JSON, made as one change"),
    ("edit", "content", "The text to insert, or to replace the target with; `-` reads standard input"),
    ("edit", "old", "For `replace_text`: the text to replace (default: the first argument after the operation)"),
    ("edit", "regex", "For `replace_text`: the old text is a regular expression; the new one may use `$1`, `${name}`"),
    ("edit", "wholeWord", "For `replace_text`: match whole words only"),
    ("edit", "ignoreCase", "For `replace_text`: ignore case"),
    ("edit", "replacement", "For `--pattern`: the new code"),
    ("edit", "upsert", "For `replace`: create the target if it does not exist"),
    ("edit", "all", "Edit every match of the target or pattern"),
    ("replace", "old", "The text to replace"),
    ("replace", "content", "The new text; `-` reads standard input"),
    ("replace", "regex", "The old text is a regular expression; the new one may use `$1`, `${name}`"),
    ("replace", "wholeWord", "Match whole words only"),
    ("replace", "ignoreCase", "Ignore case"),
    ("replace", "includeDoc", "Also replace in the doc comment of the symbol"),
    ("replace", "symbol", "Replace only inside this symbol"),
    ("replace", "target", "Replace only inside this target"),
    ("read", "limit", "Print at most this many matches (default: 50)"),
    ("read", "symbols", "Further symbols of the same file"),
    ("create", "templateVars", "A variable of the template; `name` is the file's stem unless given"),
    ("create", "content", "The content; `-` reads standard input"),
    ("rename", "path", "The file or folder to rename"),
    ("rename", "newName", "The new name, without folders; a missing extension is kept"),
    ("rename", "exportMapping", "Also rename an export, as `OLD=NEW`"),
    ("create", "path", "The file to create"),
    ("delete", "paths", "The files or folders to delete"),
    ("delete", "safe", "Refuse if anything still uses what is deleted"),
    ("duplicate", "symbolMapping", "Rename a symbol of the copy, as `OLD=NEW`"),
    ("rename-symbol", "file", "The file that declares or uses the symbol"),
    ("rename-symbol", "symbol", "The symbol to rename; with `--line`, the new name instead"),
    ("rename-symbol", "newName", "The new name"),
    ("rename-symbol", "scope", "`workspace` (default) or `file`"),
    ("rename-symbol", "dryRun", "Show the result and write nothing (the default if more than 20 files change)"),
    ("refactor", "file", "The file"),
    ("refactor", "refactor", "The refactor, such as `extract_function`; without it, list what applies"),
    ("refactor", "scope", "For extractions: the scope to extract to"),
    ("refactor", "all", "For extractions: replace every occurrence"),
    ("refactor", "arguments", "A further argument of the refactor, such as `destination=src/b.ts`"),
    ("refactor", "selectionRange", "The code to extract: lines from 1, columns from 0"),
    (
        "search",
        "text",
        "The text to find, taken literally. With `--regex`, `--pattern` or a target: the first file or glob to search",
    ),
    ("search", "files", "Files and globs to search; `!` excludes"),
    ("search", "symbol", "Find a symbol by its address"),
    ("search", "engine", "`server`: ask the language server"),
    ("search", "multiline", "With `--regex`: match across lines"),
    ("query", "path", "The file or folder to ask about"),
    ("query", "symbol", "The symbol to ask about"),
    ("open", "path", "The file to show; for a diff, the old file"),
    ("open", "right", "For a diff: the new file"),
    ("undo", "id", "The change to undo (default: the latest one)"),
];

/// Descriptions of the flags that turn off a default.
const NEGATED: &[(&str, &str)] = &[
    ("updateImports", "Leave links and imports as they are"),
    ("includeMetadata", "Omit kind, signature and dependencies"),
    ("createDirectories", "Fail if the folder of the file does not exist"),
];

/// Example commands. Each works as written in a project that has the named files.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "read",
        "marq read src/user.ts UserService.findById\n  marq read package.json '$.scripts.build'\n  marq read README.md --heading 'Getting Started'\n  marq read src/user.ts --lines 10-20",
    ),
    (
        "edit",
        "marq edit package.json '$.version' replace '\"2.0.0\"'\n  marq edit src/user.ts User.name replace_body 'return \"x\";'\n  marq edit src/user.ts --lines 3-4 delete\n  marq edit 'src/**/*.ts' --pattern 'foo($A)' --replacement 'bar($A)'",
    ),
    (
        "replace",
        "marq replace src/user.ts oldName newName\n  marq replace 'docs/**/*.md' 'v1' 'v2' --whole-word --dry-run",
    ),
    (
        "create",
        "marq create src/cart.ts --content 'export class Cart {}'\n  marq create src/Button.tsx --template react-component",
    ),
    ("move", "marq move src/user.ts src/model/user.ts\n  marq move src/utils src/lib --dry-run"),
    ("rename", "marq rename src/user.ts person.ts\n  marq rename src/user.ts person --rename-exports"),
    ("delete", "marq delete src/old.ts\n  marq delete src/legacy --recursive --safe"),
    ("duplicate", "marq duplicate src/user.ts src/admin.ts --rename-symbols"),
    (
        "rename-symbol",
        "marq rename-symbol src/user.ts User Person\n  marq rename-symbol src/user.ts Person --line 3 --column 13 --dry-run",
    ),
    (
        "refactor",
        "marq refactor src/user.ts\n  marq refactor src/user.ts extract_function --select 3:0-5:0 --extracted-name total",
    ),
    (
        "search",
        "marq search 'TODO' src\n  marq search --pattern 'console.log($A)' 'src/**/*.ts'\n  marq search --json-path '$.dependencies' '**/package.json'",
    ),
    (
        "query",
        "marq query documentSymbols src/user.ts\n  marq query references src/user.ts User\n  marq query diagnostics 'src/**/*.ts'\n  marq query files '**/*.css'",
    ),
    ("open", "marq open src/user.ts --start-line 10\n  marq open old.ts new.ts\n  marq open src/user.ts --from HEAD~1"),
    ("undo", "marq undo\n  marq undo 3-1f2e --dry-run"),
    ("history", "marq history --limit 5"),
];

const TARGETS: &str = "\
A target names one part of a file. Its form depends on the format:

  code          symbol     UserService, UserService.findById, config.routes.home, \"suite\" > \"case\"
  data          JSONPath   $.scripts.build, $.jobs.test.steps[0], $..[?@.name == 'x']
  pages         selector   nav > a.active, a@href
  stylesheets   selector   .card:hover, @media (width > 40em), .card@color
  documents     heading    Install, Guide > Install, Install[2]
  XML           XPath      //item[@id='1'], /project/version
  any format    region     imports, exports, front-matter, head
  any text      lines      7, 7-12

`marq read FILE TARGET` expects the usual kind of the format; `--symbol`, `--json-path`, `--selector`, `--xpath`, `--heading`,
`--region` and `--lines` select another one. Two flags name a part of embedded code: `--heading Install --symbol start` reads the
symbol `start` in the code of the section `Install`.

`marq query documentSymbols FILE` lists the targets of a file, `marq plugin show NAME` explains those of a format.";

const PATTERNS: &str = "\
A pattern is code in which `$NAME` stands for one node and `$$$NAME` for any number of nodes:

  console.log($A)              calls with one argument
  foo($FIRST, $$$REST)         calls with one argument or more
  async $M($$$) { $$$BODY }    async methods

White space and comments do not matter. The same name twice has to match the same code. `$_` matches one node and has no name.

  marq search --pattern 'foo($A)' 'src/**/*.ts'
  marq edit 'src/**/*.ts' --pattern 'foo($A)' --replacement 'bar($A, 1)'";

const PERMISSIONS: &str = "\
Permissions that a project's files request take effect only after you approve them:

  plugins of the project      programs that registry.toml names and that are not part of marq
  grants of plugins           `workspace`: read files that the call does not name;
                              `ignored`, `secrets`: also ignored files, and files such as `.env`
  language servers            commands that registry.toml names

`marq trust` lists the requests, `marq trust --allow` approves all of them, `marq trust --allow NAME` one, `marq trust --revoke` revokes
approvals. An approval holds for exactly what was shown: if a request changes, marq asks again.

A git repository outside of the root is not read unless your own git configuration permits its folder:
`git config --global --add marq.repository /path/to/it`.

`--trust` approves everything for one command, `--no-trust` ignores all requests, even approved ones. Folders of version control, such as `.git`, are
written only with `--write-protected`.";

/// Pages of `marq help`: name, one line about it, text.
pub(crate) const TOPICS: [(&str, &str, &str); 3] = [
    ("targets", "How to name a part of a file", TARGETS),
    ("patterns", "Structural search and replace", PATTERNS),
    ("permissions", "Permissions that a project's files request, and how to approve them", PERMISSIONS),
];

/// Returns the description of an argument, written for this command.
pub(crate) fn argument(command: &str, name: &str) -> Option<&'static str> {
    let of = |wanted: &str| ARGUMENTS.iter().find(|(command, argument, _)| *command == wanted && *argument == name);
    of(command).or_else(|| of("*").filter(|_| name != "path" || is_json_path(command))).map(|(.., help)| *help)
}

/// Returns whether `path` is a JSONPath for this command; for the other commands it is a file.
fn is_json_path(command: &str) -> bool {
    ["read", "edit", "replace", "search"].contains(&command)
}

/// Returns the description of the flag that turns off an argument that is on by default.
pub(crate) fn negated(name: &str) -> Option<&'static str> {
    NEGATED.iter().find(|(argument, _)| *argument == name).map(|(_, help)| *help)
}

/// Returns the examples at the end of a command's help.
pub(crate) fn examples(command: &str) -> Option<String> {
    let (_, examples) = EXAMPLES.iter().find(|(name, _)| *name == command)?;
    Some(format!("Examples:\n  {examples}"))
}

/// Returns the list of topics at the end of the program's help.
pub(crate) fn topics() -> String {
    let lines: Vec<String> = TOPICS.iter().map(|(name, about, _)| format!("  marq help {name:<14} {about}")).collect();
    format!("Topics:\n{}", lines.join("\n"))
}

/// Returns the text of `marq help`: of the program, of a command such as `plugin add`, or about a topic.
pub(crate) fn page(mut program: clap::Command, words: &[String]) -> Result<String> {
    if let [word] = words
        && let Some((.., text)) = TOPICS.iter().find(|(name, ..)| name == word)
    {
        return Ok(format!("{text}\n"));
    }
    program.build();
    let mut command = &mut program;
    for word in words {
        let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        if !names.contains(word) {
            let topics = TOPICS.iter().map(|(name, ..)| (*name).to_owned());
            return Err(Error::argument(format!("`{word}` is neither a command nor a topic"))
                .candidates(nearest_names(word, names.into_iter().chain(topics))));
        }
        command = command.find_subcommand_mut(word).ok_or_else(|| Error::internal("a command that was just found"))?;
    }
    Ok(command.render_long_help().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shortcuts::SHORTCUTS;

    fn built() -> clap::Command {
        let mut program = crate::flags::cli();
        program.build();
        program
    }

    /// Splits a line into words as a shell does. Single quotes keep spaces.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                _ => words.last_mut().expect("a word").push(letter),
            }
        }
        words
    }

    #[test]
    fn descriptions_belong_to_arguments_that_exist() {
        let program = built();
        for (command, argument, _) in ARGUMENTS.iter().filter(|(command, ..)| *command != "*") {
            let found = program.find_subcommand(command).expect("a command");
            assert!(found.get_arguments().any(|it| it.get_id() == *argument), "{command} has no `{argument}`");
        }
    }

    #[test]
    fn every_argument_of_every_command_is_described() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let id = argument.get_id();
                assert!(!help.is_empty(), "{}: `{id}`", command.get_name());
                assert!(!help.starts_with("Turn off"), "{}: `{id}`", command.get_name());
                assert!(!help.ends_with(" e.g"), "{}: `{id}` is cut", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&built());
    }

    #[test]
    fn examples_of_tool_commands_are_valid() {
        for shortcut in &SHORTCUTS {
            let examples = examples(shortcut.name).unwrap_or_else(|| panic!("{} has no examples", shortcut.name));
            for line in examples.lines().skip(1) {
                let words = words(line.trim());
                let understood = crate::flags::cli().try_get_matches_from(&words);
                assert!(understood.is_ok(), "{line}: {understood:?}");
                assert_eq!(words[1], shortcut.name, "{line}");
            }
        }
    }

    #[test]
    fn topics_and_commands_have_pages() {
        for (name, _, text) in TOPICS {
            assert_eq!(page(crate::flags::cli(), &[name.to_owned()]).expect("a page"), format!("{text}\n"));
        }
        let words = ["plugin", "add"].map(str::to_owned);
        assert!(page(crate::flags::cli(), &words).expect("a page").starts_with("Add a plugin to registry.toml"));
        assert!(page(crate::flags::cli(), &[]).expect("a page").contains("marq help targets"));
        let error = page(crate::flags::cli(), &["tragets".to_owned()]).expect_err("refused");
        assert!(error.content().candidates.contains(&"targets".to_owned()), "{error:?}");
    }
}
