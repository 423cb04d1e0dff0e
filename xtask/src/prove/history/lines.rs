//! Maps lines of a text to the lines of a later version.

/// Maximum number of compared pairs of lines. Larger parts are matched line by line if they have the same number of
/// lines, and not at all otherwise.
const MAX_PAIRS: usize = 4_000_000;
/// Minimum similarity of matched lines, in percent.
const MIN_SIMILARITY: usize = 50;

/// Returns for each line of `before` the index of its line in `after`; `None` if it was removed.
pub(super) fn align_lines(before: &[&str], after: &[&str]) -> Vec<Option<usize>> {
    let mut all = vec![None; before.len()];
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = |lines: &[&str]| lines.len() - start;
    let most = rest(before).min(rest(after));
    let same = |back: &usize| before[before.len() - 1 - back] == after[after.len() - 1 - back];
    let end = (0..most).take_while(same).count();
    for (line, slot) in all.iter_mut().enumerate() {
        if line < start {
            *slot = Some(line);
        } else if line >= before.len() - end {
            *slot = Some(after.len() - (before.len() - line));
        }
    }
    let (old, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    for (a, b) in line_pairs(old, new) {
        all[start + a] = Some(start + b);
    }
    all
}

/// Pairs the lines of the longest common subsequence, and similar lines between them.
fn line_pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.len() == new.len() && old.len() * new.len() > MAX_PAIRS {
        return (0..old.len()).map(|line| (line, line)).collect();
    }
    if old.len() * new.len() > MAX_PAIRS {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut a, mut b) = (0, 0);
    for (next_a, next_b) in common_subsequence(old, new).into_iter().chain([(old.len(), new.len())]) {
        let gap = similar_pairs(&old[a..next_a], &new[b..next_b]);
        found.extend(gap.into_iter().map(|(x, y)| (a + x, b + y)));
        if next_a < old.len() {
            found.push((next_a, next_b));
        }
        (a, b) = (next_a + 1, next_b + 1);
    }
    found
}

/// Returns the longest common subsequence, as pairs of line indices.
fn common_subsequence(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            lengths[a * width + b] = if old[a] == new[b] {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

/// Pairs the lines of a replaced part: in order if their number is the same, otherwise the most similar lines first.
fn similar_pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.len() == new.len() {
        return (0..old.len()).map(|line| (line, line)).collect();
    }
    if old.len() * new.len() > 20_000 {
        return Vec::new();
    }
    let mut all: Vec<(usize, usize, usize)> = Vec::new();
    for (a, x) in old.iter().enumerate() {
        for (b, y) in new.iter().enumerate() {
            all.push((similarity(x, y), a, b));
        }
    }
    all.sort_by_key(|(likeness, a, b)| (std::cmp::Reverse(*likeness), *a, *b));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (likeness, a, b) in all {
        if likeness >= MIN_SIMILARITY && found.iter().all(|(x, y)| *x != a && *y != b) {
            found.push((a, b));
        }
    }
    found
}

/// Returns the share of the longer line that is a common prefix or suffix of both, in percent.
fn similarity(a: &str, b: &str) -> usize {
    let (a, b) = (a.trim(), b.trim());
    let longest = a.len().max(b.len());
    if longest == 0 {
        return 0;
    }
    let start = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a.as_bytes()[start..], &b.as_bytes()[start..]);
    let end = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    100 * (start + end) / longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &[Option<usize>]) {
        let lines = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let (before, after) = (before.to_owned().leak(), after.to_owned().leak());
        assert_eq!(align_lines(&lines(before), &lines(after)), expected, "{before} | {after}");
    }

    #[test]
    fn unchanged_lines_are_found() {
        check("a b c", "a b c", &[Some(0), Some(1), Some(2)]);
        check("a b c", "x a b y c", &[Some(1), Some(2), Some(4)]);
        check("a b c", "a c", &[Some(0), None, Some(1)]);
    }

    #[test]
    fn changed_line_is_paired_by_position() {
        check("a ./old c", "a ../old c", &[Some(0), Some(1), Some(2)]);
        check("a b c", "x y z", &[Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn most_similar_line_is_paired() {
        check("x import('./a') y", "x something import('../a') else y", &[Some(0), Some(2), Some(4)]);
        check("x abc y", "x one two y", &[Some(0), None, Some(3)]);
    }
}
