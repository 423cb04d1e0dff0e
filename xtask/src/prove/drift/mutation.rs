//! Small mutations of one line: a literal, an operator, a word, or the whole line.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::measure::sample::Random;

/// A kind of mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Literal,
    Operator,
    Word,
    RemovedLine,
}

impl Kind {
    pub(super) const ALL: [Kind; 4] = [Kind::Literal, Kind::Operator, Kind::Word, Kind::RemovedLine];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Literal => "literal",
            Kind::Operator => "operator",
            Kind::Word => "word",
            Kind::RemovedLine => "removed line",
        }
    }
}

/// Operators and literals, each with its replacement.
const OPERATORS: [(&str, &str); 16] = [
    (" === ", " !== "),
    (" !== ", " === "),
    (" == ", " != "),
    (" != ", " == "),
    (" <= ", " < "),
    (" >= ", " > "),
    (" < ", " <= "),
    (" > ", " >= "),
    (" && ", " || "),
    (" || ", " && "),
    (" + ", " - "),
    (" - ", " + "),
    (" += ", " -= "),
    (" and ", " or "),
    (" or ", " and "),
    (" is ", " is not "),
];
const LITERALS: [(&str, &str); 4] = [("true", "false"), ("false", "true"), ("True", "False"), ("False", "True")];

/// Words that must not be changed, because the text would not be valid in one of the formats.
const KEYWORDS: &str = "abstract after and any arguments as assert async await base before bool boolean break byte case \
    catch chan char class const constructor continue crate declare def default defer delete del elif else enum error \
    except export extends extern false fallthrough final finally float float32 float64 for from func function global go \
    goto head html body if impl implements import in infer instanceof int int32 int64 interface is keyof lambda let link \
    loop macro macro_rules map match meta mod move mut namespace never new nil none None nonlocal not null number object or \
    package pass private protected pub public raise range readonly ref return satisfies script self Self select set get \
    span static str string String struct style super super switch symbol table this throw trait true True False try type \
    typeof u16 u32 u64 u8 uint undefined union unknown unsafe use usize var void volatile where while with yield";

/// Returns the span in the line and its new text; `None` if the mutation does not apply.
fn token_change(line: &str, within: &Range<usize>, kind: Kind, random: &mut Random) -> Option<(Range<usize>, String)> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[0-9]{1,6}\b").expect("a valid pattern"));
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b[A-Za-z][A-Za-z0-9]*[A-Za-z]\b").expect("a valid pattern"));
    let mut all: Vec<(Range<usize>, String)> = Vec::new();
    let text = &line[within.clone()];
    match kind {
        Kind::Literal => {
            let larger = |number: &str| number.parse::<u64>().map_or(String::new(), |value| (value + 1).to_string());
            all.extend(NUMBER.find_iter(text).map(|found| (found.range(), larger(found.as_str()))));
            all.extend(pairs(text, &LITERALS).filter(|(range, _)| is_whole_word(text, range)));
        }
        Kind::Operator => all.extend(pairs(text, &OPERATORS)),
        Kind::Word => {
            let words =
                WORD.find_iter(text).filter(|word| is_free_word(line, within.start + word.start(), word.as_str()));
            all.extend(words.map(|word| (word.range(), word.as_str()[..word.len() - 1].to_owned())));
        }
        Kind::RemovedLine => {}
    }
    if all.is_empty() {
        return None;
    }
    let (range, new) = all.swap_remove(random.below(all.len()));
    Some((range.start + within.start..range.end + within.start, new))
}

fn pairs<'a>(text: &'a str, table: &'a [(&str, &str)]) -> impl Iterator<Item = (Range<usize>, String)> + 'a {
    table
        .iter()
        .flat_map(move |(old, new)| text.match_indices(old).map(move |(at, _)| (at..at + old.len(), (*new).to_owned())))
}

fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    !text[..range.start].ends_with(is_part) && !text[range.end..].starts_with(is_part)
}

/// Returns whether a word may be changed: it has five letters, and is not a keyword, escape, tag, entity or macro.
fn is_free_word(line: &str, at: usize, word: &str) -> bool {
    let (before, after) = (&line[..at], &line[at + word.len()..]);
    word.len() >= 5
        && !KEYWORDS.split_whitespace().any(|keyword| keyword == word)
        && !before.ends_with(['\\', '<', '/', '&', '@', '#', '!'])
        && !after.starts_with('!')
}

/// Mutates the part `within` of a line. Returns the span that changes and its new text.
pub(super) fn mutate_line(
    line: &str,
    within: &Range<usize>,
    random: &mut Random,
) -> Option<(Kind, Range<usize>, String)> {
    let kinds = [Kind::Literal, Kind::Operator, Kind::Word];
    let first = random.below(kinds.len());
    let mut kinds = (0..kinds.len()).map(|offset| kinds[(first + offset) % kinds.len()]);
    kinds.find_map(|kind| token_change(line, within, kind, random).map(|(range, new)| (kind, range, new)))
}

/// Returns whether a line can be removed without its neighbours: it is balanced, complete, and no block depends on it.
pub(super) fn is_removable(lines: &[&str], index: usize, format: &str) -> bool {
    let line = lines[index].trim();
    let (Some(before), Some(after)) = (index.checked_sub(1).map(|index| lines[index]), lines.get(index + 1)) else {
        return false;
    };
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let count = |characters: &[char]| line.matches(characters).count();
    let is_balanced =
        [['(', ')'], ['[', ']'], ['{', '}'], ['<', '>']].iter().all(|[a, b]| count(&[*a]) == count(&[*b]))
            && ['"', '\'', '`'].iter().all(|quote| count(&[*quote]) % 2 == 0);
    let before_ends_with = |characters: &[char]| before.trim_end().ends_with(characters);
    let is_item = line.ends_with(',') && before_ends_with(&[',']);
    let has_neighbours = indentation(before) == indentation(lines[index])
        && indentation(after) <= indentation(lines[index])
        && !before.trim().is_empty()
        && (is_item || !before_ends_with(&[':', '{', '(', '[', ',', '=', '\\']));
    let is_complete = match format {
        "TypeScript" | "JavaScript" | "Rust" | "CSS" => line.ends_with(';') || line.ends_with(','),
        "JSON" => line.ends_with(','),
        "HTML" => line.starts_with('<') && line.contains("</") && line.matches('<').count() == 2,
        "Markdown" => !line.starts_with(['#', '`', '|', '=', '-', '<', '~']),
        _ => !line.ends_with([':', '{', '(', '[', ',', '\\']) && !line.starts_with(['}', ')', ']']),
    };
    !line.is_empty() && is_balanced && has_neighbours && is_complete
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All results of 200 random mutations, without duplicates.
    fn mutations(line: &str) -> Vec<String> {
        let mut random = Random::new(1, "test");
        let found = (0..200).filter_map(|_| mutate_line(line, &(0..line.len()), &mut random));
        let mut all: Vec<String> =
            found.map(|(_, range, new)| format!("{}{new}{}", &line[..range.start], &line[range.end..])).collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn literals_operators_and_words_change() {
        assert_eq!(mutations("  port: 80,"), ["  port: 81,"]);
        assert_eq!(mutations("debug = true"), ["debu = true", "debug = false"]);
        assert_eq!(mutations("if a === b {"), ["if a !== b {"]);
        assert_eq!(mutations("let total = 1;"), ["let tota = 1;", "let total = 2;"]);
    }

    #[test]
    fn keywords_escapes_and_tags_are_kept() {
        assert!(mutations("return this").is_empty());
        assert!(mutations("<section></section>").is_empty());
        assert!(mutations(r"\notaword").is_empty());
        assert!(mutations("println!()").is_empty());
        assert!(mutations("").is_empty());
    }

    #[test]
    fn only_the_given_part_changes() {
        let mut random = Random::new(1, "test");
        for _ in 0..50 {
            let (_, range, _) = mutate_line("first second", &(6..12), &mut random).expect("a word");
            assert_eq!(range, 6..12);
        }
    }

    #[test]
    fn complete_line_between_others_is_removable() {
        let check = |text: &str, format: &str, expected: bool| {
            assert_eq!(is_removable(&text.split('\n').collect::<Vec<_>>(), 1, format), expected, "{text:?}");
        };
        check("  a();\n  b();\n  c();", "TypeScript", true);
        check("if (a) {\n  b();\n}", "TypeScript", false);
        check("  a();\n  b(\n  c);", "TypeScript", false);
        check("  a\n  b,\n  c", "TypeScript", true);
        check("  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3", "JSON", true);
        check("  \"a\": 1,\n  \"b\": 2\n}", "JSON", false);
        check("if a:\n    b()\nc()", "Python", false);
        check("    a()\n    b()\n    c()", "Python", true);
        check("    a()\n    if b:\n        c()", "Python", false);
        check("a\nb\nc", "Markdown", true);
        check("a\n# b\nc", "Markdown", false);
        check("\nb\n", "Markdown", false);
        check("<p>a</p>\n<p>b</p>\n<p>c</p>", "HTML", true);
        check("<p>\n<b>\n</b>", "HTML", false);
    }
}
