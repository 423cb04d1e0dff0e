//! Content that is a changed copy of the text that it replaces: the first line was copied from the column of the name, so
//! without indentation, and the other lines have the indentation that they have in the file. It stays as it is, whatever
//! a pack guesses from the content alone.
//!
//! Independent of formats: the lines of the content are compared with those of the replaced text. Where indentation has
//! a meaning, the two results are parsed, and the one of the pack is used if they have other nodes.

use marquetry_model::{
    Edit, EditSet, Result,
    pack::{Node, Operation},
};

use super::Part;

/// Restores the indentation of content that is a changed copy of the replaced text, unless this changes the nodes.
pub(super) fn keep_indentation(part: &Part, operation: &Operation, edits: EditSet) -> Result<EditSet> {
    let Some(kept) = with_kept_indentation(&part.text, operation, &edits)? else { return Ok(edits) };
    let (given, changed) = (part.outline_and_errors(&edits.apply(&part.text))?, kept.apply(&part.text));
    let (nodes, errors) = part.outline_and_errors(&changed)?;
    let name = |node: &Node| (node.parent, node.kind.clone(), node.name.clone());
    let is_same = errors <= given.1 && nodes.iter().map(name).eq(given.0.iter().map(name));
    Ok(if is_same { kept } else { edits })
}

/// Returns the edits with the indentation of the content. `None` if the content is not a changed copy of the replaced
/// text, or already has its indentation.
fn with_kept_indentation(text: &str, operation: &Operation, edits: &EditSet) -> Result<Option<EditSet>> {
    let (Operation::Replace(content) | Operation::ReplaceBody(content)) = operation else { return Ok(None) };
    let content = filled_range(content);
    if content.len() < 2 || depth(content[0]) > 0 {
        return Ok(None);
    }
    let kept = |edit: &Edit| {
        let old = filled_range(edit.span.slice(text));
        let new = is_changed_copy(&content, &old).then(|| with_indentation(&edit.text, &content)).flatten();
        Edit { span: edit.span, text: new.unwrap_or_else(|| edit.text.clone()) }
    };
    let kept: Vec<Edit> = edits.as_slice().iter().map(kept).collect();
    if kept.iter().zip(edits.as_slice()).all(|(new, old)| new.text == old.text) {
        return Ok(None);
    }
    EditSet::new(text, kept).map(Some)
}

/// The lines without blank lines at the start and the end.
fn filled_range(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_filled = |line: &&str| !line.trim().is_empty();
    let start = lines.iter().position(is_filled).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_filled).map_or(start, |last| last + 1);
    lines[start..end].to_vec()
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns whether the lines after the first are indented like the old ones: more of those that are still the same have
/// the old indentation than another one, or each line has the indentation of the old line in its place.
///
/// Content is not a copy if a line is less deep than all old ones, as the last line of a new construct around the old
/// text. It is not a copy either if it has the first old line further below: then the old text has another place in it.
fn is_changed_copy(content: &[&str], old: &[&str]) -> bool {
    let Some((first, old)) = old.split_first() else { return false };
    let new: Vec<&str> = filled(&content[1..]);
    let old: Vec<&str> = filled(old);
    let least = |lines: &[&str]| lines.iter().map(|line| depth(line)).min();
    let count = |lines: &[&str]| lines.iter().filter(|line| line.trim() == first.trim()).count();
    if least(&new) < least(&old) || count(&new) > count(&old) {
        return false;
    }
    let same = new.iter().filter(|line| old.contains(line)).count();
    let is_moved = |line: &&&str| !old.contains(line) && old.iter().any(|old| old.trim() == line.trim());
    let moved = new.iter().filter(is_moved).count();
    let indentation = |line: &&str| line[..depth(line)].to_owned();
    let has_old_depths = new.iter().map(indentation).eq(old.iter().map(indentation));
    if same + moved == 0 { has_old_depths } else { same > moved }
}

/// The lines that are not blank, without white space at their ends.
fn filled<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect()
}

/// The text of an edit, with the indentation of the content after its first line. `None` if the edit changes more of the
/// content than its indentation and a separator at its end.
fn with_indentation(text: &str, content: &[&str]) -> Option<String> {
    let is_blank = |line: &str| line.trim().is_empty();
    let all: Vec<&str> = text.split('\n').collect();
    let start = all.iter().position(|line| !is_blank(line))?;
    let lines = all.get(start..start + content.len())?;
    if all[start + content.len()..].iter().any(|line| !is_blank(line)) || !lines[0].contains(content[0].trim()) {
        return None;
    }
    let mut out: Vec<String> = all[..=start].iter().map(|line| (*line).to_owned()).collect();
    for (number, (line, own)) in lines.iter().zip(content).enumerate().skip(1) {
        let is_last = number + 1 == content.len();
        let trimmed = |line: &str| line.trim().trim_end_matches([',', ';']).trim_end().to_owned();
        if line.trim() != own.trim() && !(is_last && trimmed(line) == trimmed(own)) {
            return None;
        }
        out.push(if is_blank(line) { String::new() } else { format!("{}{}", &own[..depth(own)], line.trim_start()) });
    }
    out.extend(all[start + content.len()..].iter().map(|line| (*line).to_owned()));
    Some(out.join("\n"))
}

#[cfg(test)]
mod tests {
    use marquetry_model::Span;

    use super::*;

    /// Replaces `old` of the text by `content`, which the pack has indented as `given`.
    #[track_caller]
    fn check(text: &str, old: &str, [content, given]: [&str; 2], expected: &str) {
        let start = text.find(old).expect("the old text");
        let edit = Edit { span: Span::new(start, start + old.len()), text: given.to_owned() };
        let edits = EditSet::new(text, vec![edit]).expect("edits");
        let operation = Operation::Replace(content.to_owned());
        let kept = with_kept_indentation(text, &operation, &edits).expect("edits").unwrap_or(edits);
        assert_eq!(kept.as_slice()[0].text, expected);
    }

    const TEXT: &str = "c {\n  f(\n    a,\n  ) {\n    b\n  }\n}\n";
    const OLD: &str = "f(\n    a,\n  ) {\n    b\n  }";

    #[test]
    fn changed_copy_keeps_its_indentation() {
        let content = "f(\n    x,\n  ) {\n    b\n  }";
        check(TEXT, OLD, [content, "f(\n      x,\n    ) {\n      b\n    }"], content);
        check(TEXT, OLD, [content, "f(\n      x,\n    ) {\n      b\n    };"], &format!("{content};"));
    }

    #[test]
    fn lines_that_all_changed_have_the_old_depths() {
        check("a = b\n  ? 1\n", "a = b\n  ? 1", ["a = b\n  ? 2", "a = b\n? 2"], "a = b\n  ? 2");
    }

    #[test]
    fn content_with_other_depths_is_left_to_the_pack() {
        let given = "f(\n    x,\n  ) {\n    b\n  }";
        check(TEXT, OLD, ["f(\n  x,\n) {\n  b\n}", given], given);
        check(TEXT, OLD, ["g(\n  x,\n) {\n  y\n}", given], given);
        check(TEXT, OLD, ["  f(\n    x,\n  ) {\n    b\n  }", given], given);
    }

    #[test]
    fn content_around_the_old_text_is_left_to_the_pack() {
        let given = "g {\n    f(\n      a,\n    ) {\n      b\n    }\n  }";
        check(TEXT, OLD, ["g {\n  f(\n    a,\n  ) {\n    b\n  }\n}", given], given);
        let given = "k:\n    a: 1\n    b: 2";
        check("d:\n  a: 1\n  b: 2\n", "a: 1\n  b: 2", ["k:\n  a: 1\n  b: 2", given], given);
        check("d: |\n  t\n", "|\n  t", ["- |\n  t\n- 1", "- |\n    t\n  - 1"], "- |\n    t\n  - 1");
    }

    #[test]
    fn repeated_first_line_stays_a_copy() {
        let content = "[\n    [\n      1\n    ],\n    [\n      3\n    ]\n  ]";
        let old = "[\n    [\n      1\n    ],\n    [\n      2\n    ]\n  ]";
        check(&format!("x:\n  {old}\n"), old, [content, "[\n[\n1\n],\n[\n3\n]\n]"], content);
    }

    #[test]
    fn edit_with_other_lines_is_left_to_the_pack() {
        let content = "f(\n    x,\n  ) {\n    b\n  }";
        check(TEXT, OLD, [content, "f(x) {\n b\n }"], "f(x) {\n b\n }");
    }
}
