//! Origin of a change, recorded in the history: who requested it, with which tool, and why.

use crate::limits;

/// The origin of a change.
///
/// # Examples
///
/// ```
/// use marquetry_model::Origin;
///
/// let origin = Origin {
///     client: "editor 1.0".to_owned(),
///     tool: "file_edit".to_owned(),
///     target: Origin::normalize("a.ts\n  f"),
///     reason: Some("it was slow".to_owned()),
/// };
/// assert_eq!(origin.to_string(), "editor 1.0, file_edit a.ts f: it was slow");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The calling program with its version: `claude-code 2.1.0`.
    pub client: String,
    /// The tool that was called: `file_edit`.
    pub tool: String,
    /// The target, as the caller named it: `src/user.ts UserService.find`.
    pub target: String,
    /// The reason, if the caller gave one.
    pub reason: Option<String>,
}

impl Origin {
    /// Normalizes a caller's text for storage: a single line of limited length.
    pub fn normalize(text: &str) -> String {
        let words = text.split(|letter: char| letter.is_control() || letter.is_whitespace());
        let line = words.filter(|word| !word.is_empty()).collect::<Vec<&str>>().join(" ");
        if line.chars().count() <= limits::ORIGIN_TEXT {
            return line;
        }
        let cut: String = line.chars().take(limits::ORIGIN_TEXT - 1).collect();
        cut + "…"
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [&self.client, &self.tool].into_iter().filter(|part| !part.is_empty());
        write!(f, "{}", parts.map(String::as_str).collect::<Vec<&str>>().join(", "))?;
        if !self.target.is_empty() {
            write!(f, " {}", self.target)?;
        }
        self.reason.as_ref().map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_callers_are_kept_as_one_short_line() {
        assert_eq!(Origin::normalize("  one\ntwo\u{1b}[31m \t three "), "one two [31m three");
        let long = Origin::normalize(&"ü".repeat(9_999));
        assert_eq!((long.chars().count(), long.ends_with("ü…")), (limits::ORIGIN_TEXT, true));
        let longest = "ü".repeat(limits::ORIGIN_TEXT);
        assert_eq!(Origin::normalize(&longest), longest);
    }

    #[test]
    fn origin_shows_its_known_parts() {
        let mut origin = Origin { client: "c 1".to_owned(), tool: "file_edit".to_owned(), ..Origin::default() };
        assert_eq!(origin.to_string(), "c 1, file_edit");
        origin.target = "a.ts f".to_owned();
        origin.reason = Some("it was slow".to_owned());
        assert_eq!(origin.to_string(), "c 1, file_edit a.ts f: it was slow");
    }
}
