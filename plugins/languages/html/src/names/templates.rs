//! Placeholders of template languages in a value.

use std::ops::Range;

const DELIMITERS: [(&str, &str); 5] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("<?", "?>"), ("${", "}")];

/// Returns the ranges of all placeholders, including their delimiters. A placeholder that is not closed extends to the
/// end of the value.
pub(super) fn placeholders(raw: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !raw.contains(['{', '<']) {
        return found;
    }
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let Some(start) = rest.find(['{', '<', '$']) else { break };
        let open = &rest[start..];
        let Some((mark, close)) = DELIMITERS.iter().find(|(mark, _)| open.starts_with(mark)) else {
            at += start + 1;
            continue;
        };
        let end = open[mark.len()..].find(close).map_or(open.len(), |end| mark.len() + end + close.len());
        found.push(at + start..at + start + end);
        at += start + end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found() {
        let shown = |raw: &'static str| placeholders(raw).into_iter().map(|range| &raw[range]).collect::<Vec<_>>();
        assert_eq!(shown("a {{ b }} c-{{d}} <%= e %> ${f}"), ["{{ b }}", "{{d}}", "<%= e %>", "${f}"]);
        assert_eq!(shown("a { b } < $c"), Vec::<&str>::new());
        assert_eq!(shown("{{ é"), ["{{ é"]);
    }
}
