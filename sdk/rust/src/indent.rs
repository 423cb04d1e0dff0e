//! Indentation: detects the style of a document, and moves text to another depth and style.

/// Maximum number of lines examined to detect the style.
const MAX_LINES: usize = 2000;
/// Maximum number of spaces in a step; more spaces are alignment.
const MAX_STEP: usize = 8;
/// Number of votes for a step that follows an opening bracket; other steps get one vote.
const OPENING_VOTES: usize = 4;

/// One step of the document's indentation: a tab or a number of spaces. Two spaces if nothing is indented.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::indent::unit;
///
/// assert_eq!(unit("a {\n    b\n}\n"), "    ");
/// assert_eq!(unit("a\n"), "  ");
/// ```
pub fn unit(text: &str) -> String {
    detected_unit(text).unwrap_or_else(|| "  ".to_owned())
}

/// One step of indentation, as most lines of the text show it. `None` if nothing is indented.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::indent::detected_unit;
///
/// assert_eq!(detected_unit("a {\n\tb\n}\n").as_deref(), Some("\t"));
/// assert_eq!(detected_unit("a\nb\n"), None);
/// ```
pub fn detected_unit(text: &str) -> Option<String> {
    Votes::count_lines(text.lines()).winner()
}

/// Votes for the indentation steps between consecutive lines.
#[derive(Default)]
struct Votes<'t> {
    tabs: usize,
    /// Votes by number of spaces.
    spaces: [usize; MAX_STEP + 1],
    /// The smallest indentation in spaces.
    least: Option<usize>,
    /// The previous line: its depth and its text.
    before: (usize, &'t str),
}

impl<'t> Votes<'t> {
    fn count_lines(lines: impl Iterator<Item = &'t str>) -> Votes<'t> {
        let mut votes = Votes::default();
        for line in lines.take(MAX_LINES) {
            votes.count(line);
        }
        votes
    }

    fn count(&mut self, line: &'t str) {
        let content = line.trim_start_matches([' ', '\t']);
        // The lines of a block comment are aligned with its first line, not indented.
        if content.is_empty() || content.starts_with('*') {
            return;
        }
        let depth = line.len() - content.len();
        let (outer, above) = std::mem::replace(&mut self.before, (depth, content.trim_end()));
        if line.starts_with('\t') {
            self.tabs += 1;
            return;
        }
        if depth > 0 {
            self.least = Some(self.least.map_or(depth, |least| least.min(depth)));
        }
        let step = depth.saturating_sub(outer);
        let aligned = step > 0 && above.chars().nth(step - 1).is_some_and(|c| "([{".contains(c)) && above.len() > step;
        if (1..=MAX_STEP).contains(&step) && !aligned {
            // After an opening bracket, this is an indentation step; elsewhere it may be alignment.
            self.spaces[step] += if above.ends_with(['{', '(', '[', ':', '>']) { OPENING_VOTES } else { 1 };
        }
    }

    fn winner(&self) -> Option<String> {
        let most = (2..=MAX_STEP).rev().max_by_key(|step| self.spaces[*step]).filter(|step| self.spaces[*step] > 0);
        // A single space is a step only if no other step occurs and several lines take it.
        match most.or((self.spaces[1] > OPENING_VOTES).then_some(1)) {
            Some(step) if self.spaces[step] > self.tabs => Some(" ".repeat(step)),
            _ if self.tabs > 0 => Some("\t".to_owned()),
            _ => self.least.filter(|least| (2..=MAX_STEP).contains(least)).map(|least| " ".repeat(least)),
        }
    }
}

/// Moves content to a place with this indentation. The first line is not indented; `indent` is put before every other
/// line that is not blank.
///
/// Removes blank lines around the content and the indentation that all its lines share. If the first line is at the
/// margin and all others are deeper, the first line was probably selected without its indentation: then the last line
/// gives the margin, unless the second line continues the first, such as `.b()` below `a`. `frozen(line)` returns true
/// for lines of `content` (from 0) that start inside a literal and must not move.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::indent::reindent;
///
/// assert_eq!(reindent("a {\n  b\n}", "    ", |_| false), "a {\n      b\n    }");
/// ```
pub fn reindent(content: &str, indent: &str, frozen: impl Fn(usize) -> bool) -> String {
    reindent_with_unit(content, indent, None, frozen)
}

/// Like [`reindent`], but also converts the indentation steps of the content to `unit`, as returned by
/// [`detected_unit`].
///
/// Only whole steps are converted. A line that is aligned with an opening bracket or a name above it keeps its distance
/// from this bracket or name in spaces.
///
/// # Examples
///
/// ```
/// # use marquetry_sdk::indent::reindent_with_unit;
/// let content = "if (a &&\n    b) {\n    c(d,\n      e)\n}";
/// let moved = reindent_with_unit(content, "\t", Some("\t"), |_| false);
/// assert_eq!(moved, "if (a &&\n\t    b) {\n\t\tc(d,\n\t\t  e)\n\t}");
/// ```
pub fn reindent_with_unit(content: &str, indent: &str, unit: Option<&str>, frozen: impl Fn(usize) -> bool) -> String {
    let trimmed = content.trim_start_matches(['\n', '\r']);
    let skipped = content[..content.len() - trimmed.len()].matches('\n').count();
    let lines: Vec<&str> = trimmed.trim_end().lines().collect();
    let frozen = |index: usize| frozen(index + skipped);
    let shared = shared_depth(&lines, &frozen);
    let moved = |index: usize| {
        let line = lines[index];
        if index == 0 { &line[depth(line)..] } else { &line[shared.min(depth(line))..] }
    };
    let movable: Vec<&str> = (0..lines.len()).filter(|index| !frozen(*index)).map(moved).collect();
    let mut steps = unit.and_then(|unit| Steps::for_lines(&movable, unit));
    let mut out = String::with_capacity(content.len() + indent.len() * lines.len());
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if index > 0 && frozen(index) {
            out.push_str(line);
            continue;
        }
        let line = moved(index);
        if line.trim().is_empty() {
            continue;
        }
        if index > 0 {
            out.push_str(indent);
        }
        match &mut steps {
            Some(steps) => out.push_str(&steps.convert_line(line)),
            None => out.push_str(line),
        }
    }
    out
}

/// Converts the indentation steps of the content to `unit` and leaves everything else, including the indentation of
/// the first line, as it is.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::indent::convert_unit;
///
/// assert_eq!(convert_unit("a {\n    b\n}\n", "\t"), "a {\n\tb\n}\n");
/// ```
pub fn convert_unit(content: &str, unit: &str) -> String {
    let lines: Vec<&str> = content.split('\n').collect();
    let Some(mut steps) = Steps::for_lines(&lines, unit) else { return content.to_owned() };
    let line = |line: &&str| if line.trim().is_empty() { (*line).to_owned() } else { steps.convert_line(line) };
    lines.iter().map(line).collect::<Vec<String>>().join("\n")
}

/// Converts the indentation steps of a text, line by line.
struct Steps<'a> {
    own: String,
    unit: &'a str,
    /// The lines that the next line may be nested in, outermost first: old and new indentation.
    above: Vec<(String, String)>,
    /// Open brackets: old and new indentation of the line, and the number of characters of its text up to the
    /// bracket, or `None` if the bracket ends the line.
    open: Vec<(String, String, Option<usize>)>,
}

impl<'a> Steps<'a> {
    /// Creates the converter for these lines. `None` if they already use the wanted step or are not indented.
    fn for_lines(lines: &[&str], unit: &'a str) -> Option<Steps<'a>> {
        let own = Votes::count_lines(lines.iter().copied()).winner()?;
        (own != unit).then(|| Steps { own, unit, above: Vec::new(), open: Vec::new() })
    }

    /// Returns the line with converted indentation.
    fn convert_line(&mut self, line: &str) -> String {
        let (old, text) = line.split_at(depth(line));
        let new = self.indentation(old, text);
        self.above.push((old.to_owned(), new.clone()));
        self.follow_brackets(old, &new, text);
        new + text
    }

    fn indentation(&mut self, old: &str, text: &str) -> String {
        self.above.retain(|(above, _)| above.len() < old.len());
        if !text.starts_with([')', ']', '}']) {
            // If this line is not deeper than the line of an open bracket, the bracket was not a real one.
            self.open.retain(|(line, ..)| line.len() < old.len());
        }
        if let Some((line, now, Some(column))) = self.open.last()
            && let Some(beyond) = old.strip_prefix(line.as_str())
            && beyond.len() == *column
            && beyond.bytes().all(|byte| byte == b' ')
        {
            return format!("{now}{beyond}");
        }
        if self.own == "\t" {
            let tabs = old.len() - old.trim_start_matches('\t').len();
            return self.unit.repeat(tabs) + &old[tabs..];
        }
        let (above, now) = self.above.last().map_or(("", ""), |(above, now)| (above.as_str(), now.as_str()));
        let beyond = &old[above.len()..];
        if beyond.len().is_multiple_of(self.own.len()) && beyond.bytes().all(|byte| byte == b' ') {
            now.to_owned() + &self.unit.repeat(beyond.len() / self.own.len())
        } else {
            format!("{now}{beyond}")
        }
    }

    /// Records the brackets that the line opens and closes, except those inside quotes on the same line.
    fn follow_brackets(&mut self, old: &str, new: &str, text: &str) {
        let text = text.trim_end();
        let mut characters = text.char_indices().enumerate();
        while let Some((column, (at, c))) = characters.next() {
            let behind = at + c.len_utf8();
            match c {
                '(' | '[' | '{' => {
                    let followed = (behind < text.len()).then_some(column + 1);
                    self.open.push((old.to_owned(), new.to_owned(), followed));
                }
                ')' | ']' | '}' => {
                    self.open.pop();
                }
                '"' | '\'' | '`' => {
                    if let Some(length) = text[behind..].find(c) {
                        let end = behind + length;
                        characters.by_ref().find(|(_, (at, _))| *at == end);
                    }
                }
                _ => {}
            }
        }
    }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The indentation that every line after the first can lose.
fn shared_depth(lines: &[&str], frozen: &impl Fn(usize) -> bool) -> usize {
    let own = lines.first().copied().unwrap_or_default();
    let is_comment = own.starts_with("/*");
    let filled: Vec<&str> = lines
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(index, line)| !line.trim().is_empty() && !frozen(*index))
        .map(|(_, line)| *line)
        .collect();
    // The stars of a block comment are one column deeper than its start.
    let margin = |line: &str| depth(line).saturating_sub((is_comment && line[depth(line)..].starts_with('*')).into());
    let Some(rest) = filled.iter().map(|line| margin(line)).min() else { return 0 };
    match (filled.first(), lines.last()) {
        (Some(second), Some(last)) if depth(own) == 0 => {
            if continues(own, second) && !is_end(last) {
                0
            } else {
                margin(last).min(rest)
            }
        }
        _ => rest.min(depth(own)),
    }
}

/// Returns whether a line begins with the end of a block or of a list.
fn is_end(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with([')', ']', '}', '>']) || line.starts_with("</") || line.starts_with("/>") || line.starts_with("*/")
}

/// Returns whether the second of two lines continues the first, so it is deeper than the first on purpose.
fn continues(first: &str, second: &str) -> bool {
    let (first, second) = (first.trim_end(), second.trim_start());
    let count = |chars: [char; 3]| first.matches(chars).count();
    if first.ends_with([';', '}']) || ["*/", "/>", "++", "--"].iter().any(|end| first.ends_with(end)) {
        return false;
    }
    let is_open = count(['(', '[', '{']) > count([')', ']', '}']) || (first.starts_with('<') && !first.contains('>'));
    let is_pair = |line: &str| line.contains([':', '=']);
    let has_more_values = first.ends_with(',') && is_pair(first) && !is_pair(second);
    let ends_early = first.ends_with(['=', '+', '-', '*', '/', '&', '|', '?', ':', '\\']) || first.ends_with("=>");
    is_open || has_more_values || ends_early || second.starts_with(['.', '?', ':', '|', '&', '+', '='])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(content: &str, indent: &str, expected: &str) {
        assert_eq!(reindent(content, indent, |_| false), expected);
    }

    #[track_caller]
    fn check_fit(content: &str, unit: &str, expected: &str) {
        assert_eq!(reindent_with_unit(content, "", Some(unit), |_| false), expected, "{unit:?} for\n{content}");
    }

    #[test]
    fn block_is_reindented_to_its_position() {
        check("a {\n  b\n}", "    ", "a {\n      b\n    }");
        check("    a {\n      b\n    }", "  ", "a {\n    b\n  }");
    }

    #[test]
    fn unindented_first_line_keeps_the_shape() {
        check("a {\n      b\n    }", "  ", "a {\n    b\n  }");
    }

    #[test]
    fn lines_that_continue_the_first_stay_deeper() {
        check("a = b\n  .c()\n  .d()", "  ", "a = b\n    .c()\n    .d()");
        check("a = b\n  ? c\n  : d", "", "a = b\n  ? c\n  : d");
        check("a =\n    b", "\t", "a =\n\t    b");
        check("f(a,\n  b)", "", "f(a,\n  b)");
        check("<a\n  b\n  c/>", "", "<a\n  b\n  c/>");
        check("a: b,\n  c,\n  d;", "", "a: b,\n  c,\n  d;");
        check("/**\n * a\n */", "  ", "/**\n   * a\n   */");
    }

    #[test]
    fn lines_beside_the_first_get_its_depth() {
        check("a();\n    b();", "  ", "a();\n  b();");
        check("a,\n    b", "  ", "a,\n  b");
        check("a: 1,\n    b: 2", "  ", "a: 1,\n  b: 2");
        check("<a/>\n    <b/>", "", "<a/>\n<b/>");
        check("/**\n     * a\n     */\n    f() {\n    }", "  ", "/**\n   * a\n   */\n  f() {\n  }");
        check("/**\n     * a\n     */", "", "/**\n * a\n */");
    }

    #[test]
    fn blank_lines_stay_blank() {
        check("\n\na\n\nb\n", "  ", "a\n\n  b");
    }

    #[test]
    fn most_common_step_is_the_indent_unit() {
        assert_eq!(unit("a\n    b\n        c\n"), "    ");
        assert_eq!(unit("a\n\tb\n"), "\t");
        assert_eq!(unit("a\n"), "  ");
        assert_eq!(detected_unit("a\nb\n"), None);
        assert_eq!(unit("{\n \"a\": {\n  \"b\": 1\n }\n}\n"), " ");
        assert_eq!(detected_unit("<pre>\n a\n</pre>"), None);
        // A single aligned line does not determine the step of the file.
        assert_eq!(unit("f {\n    a = b\n      + c;\n}\ng {\n    d\n}\n"), "    ");
        assert_eq!(unit("/**\n * a\n */\nf {\n\tb\n\t\tc\n}\nx(a,\n  b)\n"), "\t");
        assert_eq!(unit("a:\n  - b\n  - c:\n      d: 1\n"), "  ");
    }

    #[test]
    fn steps_use_the_unit_of_the_document() {
        check_fit("a {\n    b {\n        c\n    }\n}", "  ", "a {\n  b {\n    c\n  }\n}");
        check_fit("a {\n  b {\n    c\n  }\n}", "\t", "a {\n\tb {\n\t\tc\n\t}\n}");
        check_fit("a {\n\tb {\n\t\tc\n\t}\n}", "    ", "a {\n    b {\n        c\n    }\n}");
        // Selected from a place that is itself indented.
        check_fit("a {\n            b\n        }", "  ", "a {\n  b\n}");
        check_fit("        a {\n            b\n        }", "\t", "a {\n\tb\n}");
        check_fit("a\nb", "\t", "a\nb");
    }

    #[test]
    fn aligned_lines_stay_aligned() {
        check_fit("if (a &&\n    b) {\n    c\n}", "  ", "if (a &&\n    b) {\n  c\n}");
        check_fit("f() {\n    return g(a,\n             b);\n}", "\t", "f() {\n\treturn g(a,\n\t         b);\n}");
        check_fit("f() {\n\treturn g(a,\n\t         b);\n}", "  ", "f() {\n  return g(a,\n           b);\n}");
        check_fit("/**\n * a\n */\nf() {\n    b\n}", "\t", "/**\n * a\n */\nf() {\n\tb\n}");
        // Following lines are not aligned with a bracket at the end of its line, nor with one in quotes.
        check_fit("f(a, {\n    b\n})", "  ", "f(a, {\n  b\n})");
        check_fit("k = '('\n    + 'x';\nf {\n    b\n}", "\t", "k = '('\n\t+ 'x';\nf {\n\tb\n}");
        // The continuation line is deeper by less than a whole step.
        check_fit("f {\n    a = b\n      + c;\n}", "\t", "f {\n\ta = b\n\t  + c;\n}");
    }

    #[test]
    fn steps_are_converted_in_place() {
        assert_eq!(convert_unit("    a {\n        b\n\n    }\n", "\t"), "\ta {\n\t\tb\n\n\t}\n");
        assert_eq!(convert_unit("\ta\n", "  "), "  a\n");
        assert_eq!(convert_unit("a\nb", "  "), "a\nb");
    }

    #[test]
    fn literals_are_not_reindented() {
        let content = "a {\n    b = `\n    text\n`;\n    c\n}";
        let fitted = reindent_with_unit(content, "\t", Some("\t"), |line| line == 2 || line == 3);
        assert_eq!(fitted, "a {\n\t\tb = `\n    text\n`;\n\t\tc\n\t}");
    }

    /// Lines of words: each at most one step deeper than the line before it.
    fn block(depths: &[usize], unit: &str) -> String {
        let mut before = 0;
        let mut out = "x {".to_owned();
        for depth in depths {
            before = (*depth).min(before) + 1;
            out += &format!("\n{}w {{", unit.repeat(before));
        }
        out + "\n}"
    }

    fn units() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec!["\t", "  ", "   ", "    ", "        "])
    }

    proptest! {
        #[test]
        fn whole_steps_stay_whole_steps(
            depths in prop::collection::vec(0_usize..6, 1..12), from in units(), to in units(), at in units(),
        ) {
            let fitted = reindent_with_unit(&block(&depths, from), at, Some(to), |_| false);
            prop_assert_eq!(&fitted, &reindent(&block(&depths, to), at, |_| false));
            prop_assert_eq!(reindent_with_unit(&fitted, at, Some(to), |_| false), fitted);
        }

        #[test]
        fn only_indentation_changes(
            lines in prop::collection::vec("[ \t]{0,9}[a-z(){}'\"]{0,5}", 0..12), to in units(), frozen in 0_usize..12,
        ) {
            let content = lines.join("\n");
            let fitted = reindent_with_unit(&content, "    ", Some(to), |line| line == frozen);
            let words = |text: &str| {
                text.trim().lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
            };
            prop_assert_eq!(words(&fitted), words(&content));
            // A frozen line is unchanged, unless it is the first or last line of the content.
            let skipped = lines.iter().take_while(|line| line.is_empty()).count();
            if let Some(line) = lines.get(frozen)
                && frozen > skipped
                && frozen < lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0)
            {
                prop_assert_eq!(fitted.lines().nth(frozen - skipped), Some(line.as_str()));
            }
        }
    }
}
