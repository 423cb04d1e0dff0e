//! Patches in the format of Codex's `apply_patch`, with its rules: the lines of a hunk are searched from the start of the
//! file, or below the line that `@@` names; first exactly, then without trailing white space, then without white space
//! at both ends, then with ASCII in place of typographic punctuation. The first match is used. All lines of the hunk
//! are replaced by its context and its new lines, with the first line break of the file, and the file ends with a line
//! break.

use super::change::{LineChange, Outcome};

/// Number of context lines that the description of the tool asks for.
const CONTEXT: usize = 3;

/// Returns the patch that makes a change, such that it applies at the right place of the unchanged text.
///
/// If the context is ambiguous, the patch names one of the `headers`, as the description of the tool asks for; if that
/// does not help, it has more context.
pub(super) fn instruction(file: &str, text: &str, change: &LineChange, headers: &[String]) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let lines = lines.strip_suffix(&[""]).unwrap_or(&lines);
    let expected = change.apply(lines).join("\n") + "\n";
    let fits = |patch: &String| apply(text, patch) == Outcome::Applied(expected.clone());
    let with_header = |header: Option<&String>| patch(file, lines, change, CONTEXT, header);
    let named = std::iter::once(None).chain(headers.iter().map(Some)).map(with_header);
    let longer = (CONTEXT + 1..lines.len() + 1).map(|context| patch(file, lines, change, context, None));
    named.chain(longer).find(fits)
}

fn patch(file: &str, lines: &[&str], change: &LineChange, context: usize, header: Option<&String>) -> String {
    let range = change.range();
    let header = header.map_or("@@".to_owned(), |header| format!("@@ {header}"));
    let mut out = vec!["*** Begin Patch".to_owned(), format!("*** Update File: {file}"), header];
    let with = |sign: char, line: &str| format!("{sign}{line}");
    out.extend(lines[range.start.saturating_sub(context)..range.start].iter().map(|line| with(' ', line)));
    out.extend(change.old.iter().map(|line| with('-', line)));
    out.extend(change.new.iter().map(|line| with('+', line)));
    out.extend(lines[range.end..lines.len().min(range.end + context)].iter().map(|line| with(' ', line)));
    out.push("*** End Patch".to_owned());
    out.join("\n")
}

/// The only hunk of a patch.
struct Hunk<'a> {
    header: Option<&'a str>,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

/// Parses a patch of one file with one hunk.
fn parse(patch: &str) -> Option<Hunk<'_>> {
    let body = patch.strip_prefix("*** Begin Patch\n*** Update File: ")?.strip_suffix("\n*** End Patch")?;
    let mut lines = body.split('\n').skip(1);
    let header = lines.next()?.strip_prefix("@@")?.strip_prefix(' ');
    let mut hunk = Hunk { header, old: Vec::new(), new: Vec::new() };
    for line in lines {
        let (sign, rest) = line.split_at_checked(1)?;
        match sign {
            "-" => hunk.old.push(rest),
            "+" => hunk.new.push(rest),
            " " => {
                hunk.old.push(rest);
                hunk.new.push(rest);
            }
            _ => return None,
        }
    }
    Some(hunk)
}

/// Applies a patch to a text.
pub(super) fn apply(text: &str, patch: &str) -> Outcome {
    let refused = |why: &str| Outcome::Refused(why.to_owned());
    let Some(mut hunk) = parse(patch) else { return refused("the patch is not valid") };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let plain: Vec<&str> = lines.iter().map(|line| without_line_break(line)).collect();
    let start = match hunk.header {
        None => 0,
        Some(header) => match seek(&plain, &[header], 0) {
            Some(line) => line + 1,
            None => return refused("the header was not found"),
        },
    };
    let mut found = seek(&plain, &hunk.old, start);
    if found.is_none() && hunk.old.last().is_some_and(|line| line.is_empty()) {
        hunk.old.pop();
        if hunk.new.last().is_some_and(|line| line.is_empty()) {
            hunk.new.pop();
        }
        found = seek(&plain, &hunk.old, start);
    }
    let Some(at) = found else { return refused("the lines of the hunk were not found") };
    let line_break = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut changed = lines[..at].concat();
    changed.extend(hunk.new.iter().map(|line| format!("{line}{line_break}")));
    changed += &lines[at + hunk.old.len()..].concat();
    if !changed.ends_with('\n') {
        changed += line_break;
    }
    Outcome::Applied(changed)
}

fn without_line_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns the first position at or after `start` of consecutive lines that match, by the strictest rule that finds any.
fn seek(lines: &[&str], wanted: &[&str], start: usize) -> Option<usize> {
    type Rule = fn(&str) -> String;
    let rules: [Rule; 4] = [
        str::to_owned,
        |line| line.trim_end().to_owned(),
        |line| line.trim().to_owned(),
        |line| ascii_punctuation(line.trim()),
    ];
    let last = lines.len().checked_sub(wanted.len())?;
    rules.iter().find_map(|rule| {
        let wanted: Vec<String> = wanted.iter().map(|line| rule(line)).collect();
        let matches = |at: &usize| lines[*at..].iter().zip(&wanted).all(|(line, wanted)| rule(line) == *wanted);
        (start..=last).find(matches)
    })
}

fn ascii_punctuation(line: &str) -> String {
    let ascii = |character| match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    };
    line.chars().map(ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+x\n c\n*** End Patch";

    fn check(text: &str, patch: &str, expected: &str) {
        assert_eq!(apply(text, patch), Outcome::Applied(expected.to_owned()), "{text:?}");
    }

    fn check_refused(text: &str, patch: &str) {
        assert!(matches!(apply(text, patch), Outcome::Refused(_)), "{text:?}");
    }

    #[test]
    fn hunk_replaces_its_lines() {
        check("z\na\nb\nc\n", PATCH, "z\na\nx\nc\n");
    }

    #[test]
    fn first_match_is_used() {
        check("a\nb\nc\na\nb\nc\n", PATCH, "a\nx\nc\na\nb\nc\n");
    }

    #[test]
    fn exact_match_is_preferred_to_an_earlier_similar_one() {
        check("a \nb\nc\na\nb\nc\n", PATCH, "a \nb\nc\na\nx\nc\n");
    }

    #[test]
    fn other_white_space_matches_and_is_replaced() {
        check("\ta\n\tb \n\tc\n", PATCH, "a\nx\nc\n");
    }

    #[test]
    fn typographic_punctuation_matches() {
        let patch = PATCH.replace(" a\n", " \"a\" -\n");
        check("\u{201c}a\u{201d} \u{2013}\nb\nc\n", &patch, "\"a\" -\nx\nc\n");
    }

    #[test]
    fn changed_context_is_refused() {
        check_refused("a\nb\nd\n", PATCH);
        check_refused("a\n", PATCH);
    }

    #[test]
    fn header_moves_the_start_of_the_search() {
        let patch = PATCH.replace("@@\n", "@@ g\n");
        check("f\na\nb\nc\n  g\na\nb\nc\n", &patch, "f\na\nb\nc\n  g\na\nx\nc\n");
        check_refused("f\na\nb\nc\n", &patch);
    }

    #[test]
    fn line_breaks_of_the_file_are_kept() {
        check("a\r\nb\r\nc\r\nd\r\n", PATCH, "a\r\nx\r\nc\r\nd\r\n");
    }

    #[test]
    fn empty_last_line_of_a_hunk_may_be_missing() {
        let patch = PATCH.replace(" c\n", " c\n \n");
        check("a\nb\nc\n", &patch, "a\nx\nc\n");
    }

    #[test]
    fn instruction_has_three_lines_of_context() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let change = LineChange::between(text, &text.replace('5', "x"));
        let patch = instruction("f", text, &change, &[]).expect("a patch");
        let expected = "*** Begin Patch\n*** Update File: f\n@@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n*** End Patch";
        assert_eq!(patch, expected);
    }

    #[test]
    fn ambiguous_context_gets_a_header_or_more_lines() {
        let text = "f\n1\n2\n3\nb\n1\n2\n3\ng\n1\n2\n3\nb\n1\n2\n3\nend\n";
        let after = "f\n1\n2\n3\nb\n1\n2\n3\ng\n1\n2\n3\nx\n1\n2\n3\nend\n";
        let change = LineChange::between(text, after);
        let named = instruction("f", text, &change, &["g".to_owned()]).expect("a patch");
        assert!(named.contains("\n@@ g\n 1\n"), "{named}");
        let longer = instruction("f", text, &change, &["unknown".to_owned()]).expect("a patch");
        assert!(longer.contains("\n@@\n g\n 1\n"), "{longer}");
    }
}
