//! The context of a single name in a text. It determines whether the name may be a path.

use super::{
    PossiblePath,
    path_settings::{is_path_command, is_path_option, is_task_runner, takes_path},
};

/// A text whose names are classified.
pub(super) struct Context<'t> {
    text: &'t str,
    kind: FileKind,
}

/// The syntax in which a kind of file contains single names that may be paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// Paths, one per line: `.gitignore`, `CODEOWNERS`.
    List,
    /// Settings and commands whose names need no quotes: `Makefile`, `setup.cfg`.
    Settings,
    /// Anything else.
    Other,
}

/// Extensions of files with settings or commands without quotes.
const SETTINGS_EXTENSIONS: [&str; 18] = [
    "bash",
    "bat",
    "cfg",
    "cmake",
    "cmd",
    "conf",
    "env",
    "fish",
    "ini",
    "just",
    "mk",
    "nix",
    "properties",
    "ps1",
    "service",
    "sh",
    "tf",
    "zsh",
];
/// Names of files with settings or commands without quotes.
const SETTINGS_NAMES: [&str; 8] =
    ["CMakeLists.txt", "Containerfile", "Dockerfile", "Justfile", "Makefile", "Procfile", "justfile", "makefile"];

impl FileKind {
    fn from_name(file: &str) -> FileKind {
        let name = file.rsplit('/').next().unwrap_or(file);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_settings_name = |name: &str| SETTINGS_NAMES.binary_search(&name).is_ok();
        if name == "CODEOWNERS" || name == ".gitattributes" || name.starts_with('.') && name.ends_with("ignore") {
            FileKind::List
        } else if SETTINGS_EXTENSIONS.binary_search(&extension).is_ok()
            || is_settings_name(name)
            || is_settings_name(stem)
            || name.starts_with('.') && (extension.is_empty() || stem.is_empty())
        {
            FileKind::Settings
        } else {
            FileKind::Other
        }
    }
}

/// Number of bytes before a word that are searched for its line and for the name of its setting.
const SEARCHED: usize = 2000;

impl<'t> Context<'t> {
    pub(super) fn new(file: &str, text: &'t str) -> Context<'t> {
        Context { text, kind: FileKind::from_name(file) }
    }

    /// Returns whether a name is likely to be a path.
    pub(super) fn is_path(&self, word: PossiblePath<'_>) -> bool {
        let before = self.line_before(word);
        if before.starts_with(['#', ';']) || before.starts_with("//") || before.starts_with("<!--") {
            return false;
        }
        match self.kind {
            FileKind::List => before.trim_start_matches(['!', '/']).is_empty(),
            FileKind::Settings => self.is_argument(word, before) || self.is_value(word),
            FileKind::Other => is_command_argument(before) || self.is_value(word),
        }
    }

    /// The text before a word. It is limited, because a file may have a single long line with many such words.
    fn before(&self, word: PossiblePath<'_>) -> &'t str {
        let start = (word.at.saturating_sub(SEARCHED)..).find(|at| self.text.is_char_boundary(*at));
        &self.text[start.unwrap_or(word.at)..word.at]
    }

    /// The line up to a word, without white space at its start.
    fn line_before(&self, word: PossiblePath<'_>) -> &'t str {
        let before = self.before(word);
        before.rsplit('\n').next().unwrap_or(before).trim_start()
    }

    fn after(&self, word: PossiblePath<'_>) -> &'t str {
        &self.text[word.at + word.path.len()..]
    }

    /// Returns whether a word without quotes is the value of a setting or the argument of a command.
    fn is_argument(&self, word: PossiblePath<'_>, before: &str) -> bool {
        let after = self.after(word);
        let is_set = after.trim_start_matches([' ', '\t']).starts_with(['=', ':', '?']) && !after.starts_with(':');
        let is_target = before.is_empty() && after.starts_with(':');
        let command = before.rsplit([';', '&', '|', '`']).next().unwrap_or(before);
        let signs = |c: char| c.is_whitespace() || "=,:\"'()".contains(c);
        let previous = command.split(signs).rfind(|word| !word.is_empty());
        !is_set && !is_target && previous.is_some_and(|previous| !is_task_runner(previous))
    }

    /// Returns whether a word is the whole value of a setting, variable or function argument that takes paths.
    fn is_value(&self, word: PossiblePath<'_>) -> bool {
        let start = without_prefix(self.before(word));
        let after = self.after(word).chars().next();
        let quote = start.chars().next_back();
        let is_open = matches!(quote, Some('"' | '\'' | '`'));
        // A Bazel label (`//server:lib`), or a package in a folder (`file:server`).
        if is_open && word.path.starts_with("//") || start.ends_with("\"file:") || start.ends_with("\"link:") {
            return true;
        }
        let is_quoted = is_open && (after == quote || after == Some('/'));
        let is_element = quote == Some('>') && after == Some('<');
        // A value without quotes: `key: name`, `- name`, `[name, name]`.
        let is_plain = matches!(after, None | Some('\n' | '\r' | ',' | ']')) && start.ends_with([' ', '[']);
        if !is_quoted && !is_element && !is_plain {
            return false;
        }
        let outside = if is_quoted { &start[..start.len() - 1] } else { start };
        // `Path(__file__).parent / "server"`
        is_quoted && outside.trim_end().ends_with(" /") || setting_before(outside).any(takes_path)
    }
}

/// A text without characters that may precede a path in the same value: a negation, an anchor, a root, or a variable.
fn without_prefix(text: &str) -> &str {
    let text = text.trim_end_matches(['^', '!']);
    let opening = match text.chars().next_back() {
        Some('}') => text.rfind("${"),
        Some('>') => text.rfind('<').filter(|open| text[..*open].ends_with(['"', '\'', '`'])),
        _ => None,
    };
    opening.map_or(text, |opening| &text[..opening])
}

/// The name before a value: of the key, variable, function or element to which the value belongs. Before `=`, also the
/// name before that one, which is the variable if the first name is a type.
fn setting_before(text: &str) -> impl Iterator<Item = &str> {
    let before = sign_before_value(text).map_or("", |at| &text[..at]);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    let mut rest = before;
    let mut left = if text[before.len()..].starts_with('=') { 2 } else { 1 };
    std::iter::from_fn(move || {
        left = usize::checked_sub(left, 1)?;
        let until = rest.trim_end_matches(|c| !is_part(c));
        rest = until.trim_end_matches(is_part);
        let name = &until[rest.len()..];
        (!name.is_empty()).then_some(name)
    })
}

/// The offset of the character between the name of a setting and its value, which is at the end of the text: `:`, `=`,
/// `(` or `>`.
fn sign_before_value(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (at, c) in text.char_indices().rev() {
        match c {
            _ if quote.is_some() => {
                if quote == Some(c) || c == '\n' {
                    quote = None;
                }
            }
            // The quotes around a key: `"files": [`.
            '"' | '\'' | '`' => quote = Some(c),
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            ':' | '=' | '(' | '>' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns whether the word after `before`, which is the start of its line, is an argument of a command that takes
/// paths.
fn is_command_argument(before: &str) -> bool {
    let is_separator = |c: char| ";&|(`\"'".contains(c);
    let command = before.rsplit(is_separator).next().unwrap_or(before);
    if !command.ends_with([' ', '\t', '/', '=', '}']) {
        return false;
    }
    let mut words = command.split([' ', '\t', '=']).filter(|word| !word.is_empty());
    let last = words.clone().next_back();
    let is_before_program = |word: &&str| {
        matches!(*word, "$" | ">" | "-" | "RUN" | "CMD" | "sudo" | "npx" | "exec" | "time" | "-m")
            || word.ends_with(':')
    };
    let program = words.find(|word| !is_before_program(word));
    let is_task = last.is_some_and(is_task_runner);
    !is_task && (program.is_some_and(is_path_command) || last.is_some_and(is_path_option) && program != last)
}
