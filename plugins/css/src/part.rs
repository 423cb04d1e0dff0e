//! What an edit does to the syntax, told from the rule it lies in alone.

use marquetry_sdk::{Edit, Severity, span::apply_within};

use crate::{
    check,
    tree::{NONE, Tree},
};

/// Whether a stylesheet of sound structure has no errors more after the edits: the rule or at-rule at the top in whose
/// braces they lie, read alone with the edits in it, is one of the same kind. Not told where it is most of the text
/// anyway.
pub(crate) fn stays_well_formed(tree: &Tree, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let holds = |index: &u32| {
        let item = tree.item(*index);
        item.is_container() && item.body_start <= first.span.start && last.span.end <= item.body_end
    };
    let Some(around) = tree.children(NONE).find(holds) else { return false };
    let (item, range) = (tree.item(around), tree.item(around).span().range());
    if !tree.problems.is_empty() || !tree.text[range.clone()].ends_with('}') || range.len() > tree.text.len() / 2 {
        return false;
    }
    let after = apply_within(&tree.text, range, edits);
    let length = after.len() as u32;
    let part = Tree { extended: tree.extended, ..Tree::new(after, tree.dialect) };
    let mut all = part.children(NONE);
    let same = all.next().map(|index| part.item(index)).is_some_and(|alone| {
        let spans_all = (alone.start, alone.end) == (0, length);
        spans_all && alone.kind == item.kind && alone.is_container() && alone.body_end + 1 == length
    });
    let is_sound = || check::problems(&part).iter().all(|problem| problem.severity != Severity::Error);
    same && all.next().is_none() && part.problems.is_empty() && is_sound()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chars::Dialect;

    #[track_caller]
    fn check_in(dialect: Dialect, old: &str, new: &str, expected: bool) {
        let text =
            format!(".a {{ color: red; }}\n@media print {{ .b {{ margin: 0 }} }}\n{}", ".c { top: 0 }\n".repeat(9));
        let at = text.find(old).expect("it is there");
        let tree = Tree::new(text, dialect);
        assert_eq!(stays_well_formed(&tree, &[Edit::new(at..at + old.len(), new)]), expected, "{new}");
    }

    #[test]
    fn a_rule_tells_what_an_edit_does() {
        let check = |old, new, expected| check_in(Dialect::Css, old, new, expected);
        check("color: red;", "color: blue; top: 1px", true);
        check(" color: red; ", "", true);
        check(".b { margin: 0 }", ".b { margin: 0 } .d { top: 0 }", true);
        check("color: red;", "} .d {", false);
        check("color: red;", "/*", false);
        check("color: red;", "color: \"", false);
        check("color: red;", "}", false);
        // The head is a matter of what is around it.
        check(".a", ".e", false);
        check_in(Dialect::Scss, "color: red;", "@include x; // one\n", true);
        check_in(Dialect::Scss, "color: red; ", "color: red; // ", false);
    }
}
