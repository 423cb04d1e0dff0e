//! Applies a unified diff, to check that the diff in an answer matches the actual change.

use std::collections::BTreeMap;

/// Applies a patch. Returns the new texts of all files that it changes, by path.
pub(crate) fn apply(patch: &str, before: impl Fn(&str) -> Option<String>) -> Result<BTreeMap<String, String>, String> {
    let mut after = BTreeMap::new();
    let mut lines = patch.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some(old) = line.strip_prefix("--- ") else { continue };
        let new = lines
            .next()
            .and_then(|line| line.strip_prefix("+++ "))
            .ok_or("the line after `---` does not start with `+++`")?;
        let (old, new_path) = (parse_path(old), parse_path(new));
        let text = old.map_or(Ok(String::new()), |old| before(old).ok_or(format!("{old} is not there")))?;
        let old_lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (mut result, mut at) = (String::new(), 0);
        while let Some(head) = lines.next_if(|line| line.starts_with("@@ ")) {
            let Hunk { start, mut old, mut new } = parse_hunk(head).ok_or(format!("not a hunk header: {head}"))?;
            let start = if old == 0 { start } else { start - 1 };
            result.extend(old_lines.get(at..start).ok_or(format!("a hunk beyond the text: {head}"))?.iter().copied());
            at = start;
            while old + new > 0 {
                let line = lines.next().ok_or(format!("a hunk without an end: {head}"))?;
                // `\ No newline at end of file`.
                let ends = lines.next_if(|next| next.starts_with('\\')).is_none();
                let content = if ends { &line[1..] } else { line[1..].trim_end_matches('\n') };
                if !line.starts_with('+') {
                    if old_lines.get(at).is_none_or(|there| *there != content) {
                        return Err(format!("line {} is `{:?}`, not {line:?}", at + 1, old_lines.get(at)));
                    }
                    (at, old) = (at + 1, old.saturating_sub(1));
                }
                if !line.starts_with('-') {
                    result.push_str(content);
                    new = new.saturating_sub(1);
                }
            }
        }
        result.extend(old_lines[at..].iter().copied());
        if let Some(path) = new_path {
            after.insert(path.to_owned(), result);
        }
    }
    Ok(after)
}

fn parse_path(named: &str) -> Option<&str> {
    let named = named.trim_end_matches('\n');
    (named != "/dev/null").then(|| named.split_once('/').map_or(named, |(_, path)| path))
}

/// The first line in the old text, and the number of lines in both texts.
struct Hunk {
    start: usize,
    old: usize,
    new: usize,
}

/// Parses a header such as `@@ -3,2 +3 @@`.
fn parse_hunk(head: &str) -> Option<Hunk> {
    let mut ranges = head.strip_prefix("@@ -")?.split(" +");
    let pair = |range: &str| {
        let range = range.split(' ').next()?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((start, old), (_, new)) = (pair(ranges.next()?)?, pair(ranges.next()?)?);
    Some(Hunk { start, old, new })
}
