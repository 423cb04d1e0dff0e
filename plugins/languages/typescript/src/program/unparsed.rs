//! Specifiers in parts of a document that cannot be parsed. They are found by their words, so that the files they name
//! count as used.

use oxc_span::Span;

/// A specifier in a part of a document that the parser has not read.
#[derive(Debug, PartialEq)]
pub(crate) struct UnparsedSpecifier<'t> {
    /// `import` or `require`.
    pub(crate) kind: &'static str,
    /// Span of the text between the quotes.
    pub(crate) span: Span,
    pub(crate) specifier: &'t str,
}

/// Maximum number of specifiers per document.
const MOST_SPECIFIERS: usize = 1000;

/// Words before a specifier, and whether an opening parenthesis follows.
const WORDS: [(&str, bool, &str); 4] =
    [("from", false, "import"), ("import", false, "import"), ("import", true, "import"), ("require", true, "require")];

/// Returns the specifiers in the parts of a document that differ from the parsed text.
pub(crate) fn unparsed_specifiers<'t>(document: &'t str, parsed: &str) -> Vec<UnparsedSpecifier<'t>> {
    if document == parsed {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, quote) in document.match_indices(['"', '\'', '`']) {
        let start = at + quote.len();
        let Some(length) = document[start..].find(['"', '\'', '`', '\n', '\\']) else { break };
        let end = start + length;
        let is_closed = document[end..].starts_with(quote);
        if !is_closed || length == 0 || parsed.get(at..end) == Some(&document[at..end]) {
            continue;
        }
        if let Some(kind) = kind_before(&document[..at]) {
            let (span, specifier) = (Span::new(start as u32, end as u32), &document[start..end]);
            found.push(UnparsedSpecifier { kind, span, specifier });
        }
        if found.len() >= MOST_SPECIFIERS {
            break;
        }
    }
    found
}

/// Returns the kind of the specifier whose quote follows a text.
fn kind_before(text: &str) -> Option<&'static str> {
    let rest = text.trim_end();
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let known = WORDS.iter().find(|(word, is_called, _)| {
        let rest = if *is_called { rest.strip_suffix('(').map(str::trim_end) } else { Some(rest) };
        rest.and_then(|rest| rest.strip_suffix(word)).is_some_and(|before| !before.ends_with(part))
    });
    known.map(|(_, _, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(document: &str, parsed: &str) -> Vec<String> {
        let all = unparsed_specifiers(document, parsed);
        let shown = |one: &UnparsedSpecifier<'_>| {
            assert_eq!(one.span.source_text(document), one.specifier);
            format!("{} {}", one.kind, one.specifier)
        };
        all.iter().map(shown).collect()
    }

    #[test]
    fn specifiers_are_found_by_the_words_before_them() {
        let text = "import { a } from \"./a\"; import './b';\nconst c = require( \"./c\" ); import('./d')\nexport * from `./e`";
        assert_eq!(found(text, ""), ["import ./a", "import ./b", "require ./c", "import ./d", "import ./e"]);
        assert_eq!(found("x = 'from'; f(\"./a\"); a.from(\"./b\"); _require('./c'); xfrom './d'", ""), [""; 0]);
        assert_eq!(found("import './a\nimport './b'; from \"\"", ""), ["import ./b"]);
        assert_eq!(found("it's; import './é'", ""), ["import ./é"]);
    }

    #[test]
    fn parsed_parts_are_left_out() {
        let text = "import './a';\nimport './b'; if (";
        assert_eq!(found(text, text), [""; 0]);
        assert_eq!(found(text, &format!("import './a';\n{}", " ".repeat(18))), ["import ./b"]);
        assert_eq!(found(text, &format!("{text})")), [""; 0]);
    }
}
