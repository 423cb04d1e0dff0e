//! Indentation: the style of a document, and moving a piece of text to another depth.

/// One step of indentation as the document has it: a tab, or so many spaces.
/// Taken from the smallest step between the lines; two spaces where nothing is indented.
pub fn unit(text: &str) -> String {
    let mut least = usize::MAX;
    let mut before = 0;
    for line in text.lines().take(2000) {
        let content = line.trim_start_matches([' ', '\t']);
        if content.is_empty() || content.starts_with('*') {
            continue;
        }
        if line.starts_with('\t') {
            return "\t".to_owned();
        }
        let depth = line.len() - content.len();
        if depth > before && depth - before >= 2 {
            least = least.min(depth - before);
        }
        before = depth;
    }
    " ".repeat(if least == usize::MAX { 2 } else { least.min(8) })
}

/// The content moved to a place with this indentation: its first line as it is, every other filled line behind `indent`.
///
/// Blank lines around the content and the indentation that its lines share go first. A first line at the margin while
/// all others are deeper is taken for cut out of its place: then the last line tells the margin.
/// `frozen(line)` names lines of `content` (from 0) that start inside a literal and must not move.
pub fn reindent(content: &str, indent: &str, frozen: impl Fn(usize) -> bool) -> String {
    let trimmed = content.trim_start_matches(['\n', '\r']);
    let skipped = content[..content.len() - trimmed.len()].matches('\n').count();
    let lines: Vec<&str> = trimmed.trim_end().lines().collect();
    let frozen = |index: usize| frozen(index + skipped);
    let shared = shared_depth(&lines, &frozen);
    let mut out = String::with_capacity(content.len() + indent.len() * lines.len());
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match index {
            0 => out.push_str(&line[depth(line)..]),
            _ if frozen(index) => out.push_str(line),
            _ if line.trim().is_empty() => {}
            _ => {
                out.push_str(indent);
                out.push_str(&line[shared.min(depth(line))..]);
            }
        }
    }
    out
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// How much every line but the first can lose.
fn shared_depth(lines: &[&str], frozen: &impl Fn(usize) -> bool) -> usize {
    let filled = lines.iter().enumerate().skip(1).filter(|(i, line)| !line.trim().is_empty() && !frozen(*i));
    let rest = filled.map(|(_, line)| depth(line)).min();
    let first = lines.first().map_or(0, |line| depth(line));
    match (rest, lines.last()) {
        (None, _) | (_, None) => 0,
        (Some(rest), Some(last)) if first == 0 => depth(last).min(rest),
        (Some(rest), _) => rest.min(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, indent: &str, expected: &str) {
        assert_eq!(reindent(content, indent, |_| false), expected);
    }

    #[test]
    fn moves_a_block_to_its_place() {
        check("a {\n  b\n}", "    ", "a {\n      b\n    }");
        check("    a {\n      b\n    }", "  ", "a {\n    b\n  }");
    }

    #[test]
    fn a_first_line_cut_from_its_place_keeps_the_shape() {
        check("a {\n      b\n    }", "  ", "a {\n    b\n  }");
    }

    #[test]
    fn blank_lines_stay_blank() {
        check("\n\na\n\nb\n", "  ", "a\n\n  b");
    }

    #[test]
    fn the_smallest_step_is_the_unit() {
        assert_eq!(unit("a\n    b\n        c\n"), "    ");
        assert_eq!(unit("a\n\tb\n"), "\t");
        assert_eq!(unit("a\n"), "  ");
    }
}
