//! Search patterns: regular expressions, whole words, and matching without case.
//!
//! Line breaks are `\n` in patterns and replacements, regardless of the line breaks in the file. The matching time is
//! linear in the size of the text.

use marquetry_model::{Edit, Error, Kind, Result, Span, limits, text::Lines};
use regex::{Captures, Regex, RegexBuilder};

/// Options for matching a text. The default is an exact match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MatchOptions {
    /// Match a regular expression; the replacement can refer to its groups.
    pub(crate) regex: bool,
    /// Match whole words only.
    pub(crate) whole_word: bool,
    /// Ignore case.
    pub(crate) ignore_case: bool,
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    options: MatchOptions,
    /// The pattern as the caller wrote it.
    written: String,
}

impl MatchOptions {
    /// Returns whether it is an exact match.
    pub(crate) fn is_plain(self) -> bool {
        self == MatchOptions::default()
    }
}

impl Pattern {
    /// Compiles a pattern.
    pub(crate) fn new(written: &str, way: MatchOptions) -> Result<Pattern> {
        if written.len() > limits::PATTERN_BYTES {
            return Err(Error::new(Kind::LimitExceeded, format!("the pattern is {} bytes long", written.len()))
                .hint(format!("use at most {} bytes", limits::PATTERN_BYTES)));
        }
        let plain = if way.regex { written.to_owned() } else { regex::escape(&written.replace("\r\n", "\n")) };
        // If the pattern starts or ends with a character that is not a word character, no word boundary is required
        // there.
        let in_word = |edge: Option<char>| way.regex || edge.is_some_and(|edge| edge.is_alphanumeric() || edge == '_');
        let before = if in_word(written.chars().next()) { r"\b{start-half}" } else { "" };
        let after = if in_word(written.chars().next_back()) { r"\b{end-half}" } else { "" };
        let text = if way.whole_word { format!("{before}(?:{plain}){after}") } else { plain };
        let built = RegexBuilder::new(&text)
            .multi_line(true)
            .case_insensitive(way.ignore_case)
            .size_limit(limits::COMPILED_PATTERN)
            .dfa_size_limit(limits::COMPILED_PATTERN)
            .build();
        let regex = built.map_err(|error| invalid_pattern(written, &error))?;
        Ok(Pattern { regex, options: way, written: written.to_owned() })
    }

    /// Checks that the replacement refers only to groups of the pattern.
    pub(crate) fn check(&self, replacement: &str) -> Result<()> {
        if !self.options.regex {
            return Ok(());
        }
        for name in group_references(replacement) {
            let is_there = match name.parse::<usize>() {
                Ok(number) => number < self.regex.captures_len(),
                Err(_) => self.regex.capture_names().flatten().any(|known| known == name),
            };
            if !is_there {
                let groups = (0..self.regex.captures_len()).map(|number| format!("${{{number}}}"));
                let named = self.regex.capture_names().flatten().map(|name| format!("${{{name}}}"));
                return Err(Error::argument(format!("the pattern has no group `{name}`"))
                    .hint("use braces to end the name of a group: `${1}st`; write `$$` for a dollar sign")
                    .candidates(groups.chain(named)));
            }
        }
        Ok(())
    }

    /// Edits that replace every match in a span.
    pub(super) fn edits(&self, text: &str, span: Span, replacement: &str) -> Result<Vec<Edit>> {
        let part = Part::new(text, span);
        let (mut edits, mut size) = (Vec::new(), 0_usize);
        for found in self.regex.captures_iter(&part.text) {
            let Some(whole) = found.get(0) else { continue };
            if whole.is_empty() {
                return Err(self.empty_match_error(text, part.place(whole.start())));
            }
            let new = self.expanded_replacement(&found, replacement);
            size += new.len();
            edits.push(Edit { span: Span::new(part.place(whole.start()), part.place(whole.end())), text: new });
            if edits.len() > limits::PATTERN_MATCHES || size > limits::MAX_ANSWER_TEXT.max(2 * text.len()) {
                let message = format!("`{}` matches too much: at least {} places", self.shortened(), edits.len());
                return Err(Error::new(Kind::LimitExceeded, message).hint("make it narrower, or name a smaller target"));
            }
        }
        Ok(edits)
    }

    fn expanded_replacement(&self, found: &Captures<'_>, replacement: &str) -> String {
        if !self.options.regex {
            return replacement.to_owned();
        }
        let mut new = String::new();
        found.expand(replacement, &mut new);
        new
    }

    /// Error for a target without matches. It reports whether the pattern matches outside of the target or with other
    /// options.
    pub(super) fn no_match_error(&self, text: &str) -> Error {
        let what = if self.options.regex { "the pattern" } else { "the text" };
        let error = Error::new(Kind::TargetNotFound, format!("{what} `{}` matches nothing", self.shortened()));
        let whole = Part::new(text, Span::new(0, text.len()));
        let outside: Vec<usize> = self.regex.find_iter(&whole.text).map(|found| whole.place(found.start())).collect();
        if !outside.is_empty() {
            let hint = "it matches only outside the target: change the target, or leave it out";
            return error.hint(hint).candidates(lines_at_offsets(text, &outside));
        }
        let others = [
            (MatchOptions { ignore_case: true, ..self.options }, "`ignoreCase: true`"),
            (MatchOptions { whole_word: false, ..self.options }, "`wholeWord: false`"),
            (
                MatchOptions { regex: !self.options.regex, ..self.options },
                if self.options.regex { "`regex: false`" } else { "`regex: true`" },
            ),
        ];
        for (way, description) in others {
            let Some(other) =
                Some(way).filter(|way| *way != self.options).and_then(|way| Pattern::new(&self.written, way).ok())
            else {
                continue;
            };
            let places: Vec<usize> = other
                .regex
                .find_iter(&whole.text)
                .filter(|found| !found.is_empty())
                .map(|found| whole.place(found.start()))
                .collect();
            if !places.is_empty() {
                return error
                    .hint(format!("with {description} it would match"))
                    .candidates(lines_at_offsets(text, &places));
            }
        }
        error.hint("read the target again; in patterns, `\\n` is a line break, and `.` does not match it")
    }

    fn empty_match_error(&self, text: &str, at: usize) -> Error {
        let line = Lines::new(text).position(at).line;
        Error::argument(format!("`{}` matches the empty text on line {line}", self.shortened())).hint(
            "let it match at least one character: `x+` instead of `x*`; to insert at the start of lines, use \
             `^(.)` with `…$1`",
        )
    }

    fn shortened(&self) -> String {
        self.written.chars().take(60).collect()
    }
}

/// A part of a text with `\n` as line breaks, and a mapping of its offsets to the original.
struct Part<'a> {
    text: std::borrow::Cow<'a, str>,
    start: usize,
    /// Offsets of line breaks that lost their `\r`.
    lost: Vec<usize>,
}

impl<'a> Part<'a> {
    fn new(text: &'a str, span: Span) -> Part<'a> {
        let part = span.slice(text);
        if !part.contains("\r\n") {
            return Part { text: part.into(), start: span.start, lost: Vec::new() };
        }
        let lost = part.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
        Part { text: part.replace("\r\n", "\n").into(), start: span.start, lost }
    }

    /// Maps an offset to the original text. A match that starts at a line break starts at its `\r`.
    fn place(&self, at: usize) -> usize {
        self.start + at + self.lost.partition_point(|lost| *lost < at)
    }
}

/// Group references in a replacement.
fn group_references(replacement: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            rest = after;
            continue;
        }
        let (name, after) = match rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, after)) => (name, after),
            None => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                rest.split_at(end)
            }
        };
        if !name.is_empty() {
            names.push(name);
        }
        rest = after;
    }
    names
}

/// The lines at the offsets, for suggestions.
pub(super) fn lines_at_offsets(text: &str, places: &[usize]) -> Vec<String> {
    let lines = Lines::new(text);
    let mut numbers: Vec<usize> = places.iter().map(|at| lines.position(*at).line).collect();
    numbers.dedup();
    let shown = numbers.into_iter().take(10).map(|line| {
        let shown = lines.line(line).map_or("", |line| line.slice(text)).trim();
        format!("line {line}: {}", shown.chars().take(120).collect::<String>())
    });
    shown.collect()
}

/// Error for a pattern that does not parse, with its position.
fn invalid_pattern(written: &str, error: &regex::Error) -> Error {
    if let regex::Error::CompiledTooBig(limit) = error {
        return Error::new(Kind::LimitExceeded, format!("the compiled pattern needs more than {limit} bytes"))
            .hint("use smaller repetition counts");
    }
    let message = error.to_string();
    // The last line is the message; the lines before it mark the position by columns.
    let why = message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let place = message.lines().find(|line| line.trim_start().starts_with('^')).map(|line| {
        let column = line.len() - line.trim_start().len();
        written.chars().skip(column.saturating_sub(4)).take(20).collect::<String>()
    });
    let near = place.filter(|near| !near.is_empty()).map(|near| format!(" near `{near}`")).unwrap_or_default();
    let hint = if why.contains("look-around") || why.contains("backreferences") {
        "patterns support neither look-around nor backreferences: match the surrounding text as well, and put it \
         back with `$1`"
    } else {
        "escape special characters with a backslash, which JSON doubles: `\\\\(`; leave out `regex` to search for \
         literal text"
    };
    Error::argument(format!("`{written}` is not a pattern: {why}{near}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use marquetry_model::{EditSet, text::LineBreak};

    use super::*;

    const REGEX: MatchOptions = MatchOptions { regex: true, whole_word: false, ignore_case: false };

    fn replace(text: &str, pattern: &str, new: &str, way: MatchOptions) -> Result<String> {
        let pattern = Pattern::new(pattern, way)?;
        pattern.check(new)?;
        let whole = Span::new(0, text.len());
        let edits = pattern.edits(text, whole, new)?;
        if edits.is_empty() {
            return Err(pattern.no_match_error(text));
        }
        Ok(EditSet::new(text, edits)?.normalized(text, LineBreak::most_frequent(text)).apply(text))
    }

    fn refused(text: &str, pattern: &str, new: &str, way: MatchOptions) -> String {
        let error = replace(text, pattern, new, way).expect_err("refused");
        let content = error.content();
        format!(
            "{}: {} | {} | {}",
            content.kind.name(),
            content.message,
            content.hint.clone().unwrap_or_default(),
            content.candidates.join(", ")
        )
    }

    #[test]
    fn replacement_can_use_capture_groups() {
        assert_eq!(replace("a=1 b=2", r"(\w)=(\d)", "$2=$1", REGEX).as_deref(), Ok("1=a 2=b"));
        assert_eq!(replace("v1", r"v(?<number>\d)", "${number}x$$", REGEX).as_deref(), Ok("1x$"));
        assert_eq!(
            replace("a.b", "a.b", "$1", MatchOptions { whole_word: true, ..MatchOptions::default() }).as_deref(),
            Ok("$1")
        );
    }

    #[test]
    fn whole_words_and_ignored_case_match() {
        let words = MatchOptions { whole_word: true, ..MatchOptions::default() };
        assert_eq!(replace("add adds add_ (add)", "add", "x", words).as_deref(), Ok("x adds add_ (x)"));
        assert_eq!(replace("f(x) ff(x)", "f(", "g(", words).as_deref(), Ok("g(x) ff(x)"));
        let any = MatchOptions { ignore_case: true, ..MatchOptions::default() };
        assert_eq!(replace("Straße STRASSE É", "é", "e", any).as_deref(), Ok("Straße STRASSE e"));
    }

    #[test]
    fn patterns_match_crlf_as_newline() {
        assert_eq!(replace("a;\r\nb;\r\n", r";$", "", REGEX).as_deref(), Ok("a\r\nb\r\n"));
        assert_eq!(replace("a\r\nb\r\nc", r"a\nb", "x\ny", REGEX).as_deref(), Ok("x\r\ny\r\nc"));
        assert_eq!(replace("a\r\n\r\nb", r"\n\n", "\n", REGEX).as_deref(), Ok("a\r\nb"));
        assert_eq!(replace("a\r\nb", r"(?s)a(.)b", "[$1]", REGEX).as_deref(), Ok("[\r\n]"));
        assert_eq!(replace("é\r\né\r\nb", "b", "c", REGEX).as_deref(), Ok("é\r\né\r\nc"));
    }

    #[test]
    fn invalid_patterns_give_hints_and_candidates() {
        assert!(refused("a", "(", "", REGEX).starts_with("InvalidArgument: `(` is not a pattern: unclosed group"));
        assert!(refused("a", "(?=a)", "", REGEX).contains("neither look-around nor backreferences"));
        assert!(refused("a", r"(a)\1", "", REGEX).contains("neither look-around nor backreferences"));
        assert!(refused("ab", "x*", "", REGEX).starts_with("InvalidArgument: `x*` matches the empty text on line 1"));
        assert!(refused("ab", "(a)b", "$2", REGEX).ends_with("| ${0}, ${1}"));
        assert!(refused("ab", "(a)b", "$1st", REGEX).starts_with("InvalidArgument: the pattern has no group `1st`"));
        assert!(refused("x\nAdd", "add", "", REGEX).ends_with("with `ignoreCase: true` it would match | line 2: Add"));
        assert!(refused("f(x)", "f(x)", "", REGEX).ends_with("with `regex: false` it would match | line 1: f(x)"));
        assert!(refused("a", "b", "", REGEX).starts_with("TargetNotFound: the pattern `b` matches nothing"));
        assert!(refused("a", r"(?:\pL{1000}){1000}", "", REGEX).starts_with("LimitExceeded"));
        assert!(refused("a", &"a".repeat(limits::PATTERN_BYTES + 1), "", REGEX).starts_with("LimitExceeded"));
    }

    #[test]
    fn matching_takes_linear_time() {
        let text = "a".repeat(50_000);
        let begun = std::time::Instant::now();
        assert!(replace(&text, "(a*)*b", "", REGEX).is_err());
        assert!(begun.elapsed().as_secs() < 20, "the time grows faster than the text");
    }
}
