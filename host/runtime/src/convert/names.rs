//! Validates names that a guest returns: its id, its file patterns, the names of new files, and names of symbols.

use marquetry_model::{escape::escape_line, pack, secrets};

use crate::bindings::marquetry::language::types as wit;

/// Maximum number of patterns of a pack.
const MOST_PATTERNS: usize = 1_000;
/// Maximum bytes of a pattern.
const LONGEST_PATTERN: usize = 500;
/// Maximum bytes of a pack id.
const MAX_ID_BYTES: usize = 64;
/// Files that decide which plugins run.
const RESERVED_NAMES: [&str; 2] = ["registry.toml", "registry.lock"];

/// Returns whether a pack can have this id, which is used in commands, files and answers.
pub(crate) fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !id.is_empty() && id.len() <= MAX_ID_BYTES && id.bytes().all(plain) && !id.starts_with('.')
}

/// Returns whether a file of this name decides which plugins run. Plugins must not create one.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED_NAMES.iter().any(|reserved| reserved.eq_ignore_ascii_case(name))
}

/// Returns whether a file contains secrets by convention. Plugins must not create one.
pub(super) fn is_secret(path: &str) -> bool {
    secrets::is_secret(path)
}

/// Validates the file patterns of a pack.
///
/// # Errors
/// Fails with a message that describes the problem.
pub(crate) fn check_patterns(patterns: &[String]) -> Result<(), String> {
    if patterns.len() > MOST_PATTERNS {
        return Err(format!("{} file patterns; at most {MOST_PATTERNS} are allowed", patterns.len()));
    }
    for pattern in patterns {
        let shown = || escape_line(&pattern.chars().take(100).collect::<String>());
        if pattern.is_empty() || pattern.len() > LONGEST_PATTERN || escape_line(pattern) != *pattern {
            return Err(format!(
                "the pattern `{}`, which is not plain text of at most {LONGEST_PATTERN} bytes",
                shown()
            ));
        }
        // Each group of alternatives multiplies the size of the compiled glob set; with forty groups, it cannot be
        // compiled.
        if pattern.matches('{').count() > 4 {
            return Err(format!("the pattern `{}` with more than four groups of alternatives", shown()));
        }
        globset::Glob::new(pattern).map_err(|error| format!("the pattern `{}`: {}", shown(), error.kind()))?;
    }
    Ok(())
}

pub(super) fn imported_name(name: wit::ImportedName) -> pack::ImportedName {
    pack::ImportedName {
        specifier: name.specifier,
        name: name.name,
        local: name.local,
        exported: name.exported,
        type_only: name.type_only,
    }
}

pub(super) fn shared_name(name: wit::SharedName) -> pack::SharedName {
    pack::SharedName { namespace: name.namespace, name: name.name }
}

pub(super) fn usage(usage: wit::Usage) -> &'static str {
    match usage {
        wit::Usage::Declaration => "declaration",
        wit::Usage::Read => "read",
        wit::Usage::Write => "write",
        wit::Usage::Called => "call",
        wit::Usage::TypeUse => "type",
        wit::Usage::Imported => "import",
        wit::Usage::Exported => "export",
        wit::Usage::InString => "string",
        wit::Usage::InComment => "comment",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(patterns: &[&str]) -> String {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        check_patterns(&patterns).err().unwrap_or_default()
    }

    #[test]
    fn patterns_are_globs_of_plain_text() {
        for pattern in ["*.ini", "Makefile", "**/.github/*.yml", "*.{a,b}", "[a-c].x", "é*.txt"] {
            assert_eq!(why(&[pattern]), "", "{pattern}");
        }
        assert!(why(&["[a"]).starts_with("the pattern `[a`: "), "{}", why(&["[a"]));
        assert!(why(&[""]).contains("not plain text") && why(&["a\u{1b}[2J"]).contains("a\\u{1b}[2J"));
        assert!(why(&[&"*a".repeat(2_000)]).len() < 300);
        assert!(why(&[&"{a,b}".repeat(40)]).contains("more than four groups"));
        assert!(why(&vec!["*.a"; 1_001]).starts_with("1001 file patterns"));
    }

    #[test]
    fn pack_ids_are_plain_names() {
        for id in ["json", "my-pack", "a.b_c", "7z"] {
            assert!(is_id(id), "{id}");
        }
        for id in ["", "../x", "a b", "a\n", ".hidden", "é", &"a".repeat(65)] {
            assert!(!is_id(id), "{id:?}");
        }
    }
}
