//! The variables in a format string: `"{name} {x:>width$}"`.

/// The ranges of the variable names in a format string.
pub(super) fn captured(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = 0;
    while let Some(at) = text[rest..].find('{').map(|at| rest + at) {
        if text[at + 1..].starts_with('{') {
            rest = at + 2;
            continue;
        }
        let Some(end) = text[at..].find('}').map(|length| at + length) else { break };
        let inner = &text[at + 1..end];
        let word = |start: usize| {
            let length = text[start..end].find(|c: char| !part(c)).unwrap_or(end - start);
            (start, start + length)
        };
        let name = word(at + 1);
        if inner.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            found.push(name);
        }
        // Widths and precisions: `:width$`, `.precision$`.
        for (sign, _) in inner.match_indices('$') {
            let before = &text[..at + 1 + sign];
            let start = before.trim_end_matches(part).len();
            if text[start..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
                found.push((start, at + 1 + sign));
            }
        }
        rest = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_format_strings_are_found() {
        let names =
            |text: &str| captured(text).into_iter().map(|(start, end)| text[start..end].to_owned()).collect::<Vec<_>>();
        assert_eq!(names("\"{a} {{b}} {} {0} {c:?} {d:>w$.p$} {_e}\""), ["a", "c", "d", "w", "p", "_e"]);
        assert_eq!(names("\"{a"), [""; 0]);
        assert_eq!(names("\"{é:.*}{}\""), ["é"]);
    }
}
