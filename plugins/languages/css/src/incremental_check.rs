//! Checks the effect of an edit on the syntax. To save time, only the rule around the edit is parsed.

use marquetry_sdk::{Edit, Severity, span::apply_within};

use crate::{
    chars::Dialect,
    check,
    tree::{Item, Kind, NONE, Tree},
};

/// Returns whether a stylesheet without errors certainly has none after the edits. Only the top-level rule or at-rule
/// around the edits is parsed, in its edited form. An at-rule must stay a single item of the same kind. A rule can also
/// become several rules. Returns `false` if the rule is most of the text, because parsing it separately would not save
/// time.
pub(crate) fn stays_well_formed(tree: &Tree, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let (start, end) = (first.span.start, last.span.end);
    let holds = |index: &u32| tree.item(*index).start <= start && end <= tree.item(*index).end;
    let Some(index) = tree.children(NONE).find(holds) else { return false };
    let item = tree.item(index);
    let range = item.span().range();
    let is_whole = item.is_container() && tree.text[range.clone()].ends_with('}');
    // If the head of an at-rule changes, the items next to it may no longer be allowed. Rules are allowed everywhere.
    let keeps_head = item.body_start <= start && end <= item.body_end;
    if !is_whole || !(keeps_head || item.kind == Kind::Rule) {
        return false;
    }
    if !tree.diagnostics.is_empty() || range.len() > tree.text.len() / 2 {
        return false;
    }
    // In Sass, whether a call of a function is valid depends on the rest of the file and on its imports.
    let defines = tree.items[index as usize..item.next as usize].iter().any(|inner| inner.kind == Kind::Function);
    let new = apply_within(&tree.text, range, edits);
    if tree.dialect == Dialect::Scss && (defines || check::calls_known_function(&new)) {
        return false;
    }
    let part = Tree { extended: tree.extended, partial: tree.partial, ..Tree::new(new, tree.dialect) };
    let items: Vec<&Item> = part.children(NONE).map(|index| part.item(index)).collect();
    // Text after the last brace could become part of the statement after it.
    let ends = |item: &&Item| item.end as usize == part.text.len() && part.text.ends_with('}');
    let same = items.iter().all(|alone| alone.kind == item.kind && alone.is_container());
    let fits = same && items.last().is_some_and(ends) && (!keeps_head || items.len() == 1);
    fits && part.diagnostics.is_empty()
        && check::all_diagnostics(&part).iter().all(|found| found.severity != Severity::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_in(dialect: Dialect, old: &str, new: &str, expected: bool) {
        let text =
            format!(".a {{ color: red; }}\n@media print {{ .b {{ margin: 0 }} }}\n{}", ".c { top: 0 }\n".repeat(9));
        let at = text.find(old).expect("text to replace");
        let tree = Tree::new(text, dialect);
        assert_eq!(stays_well_formed(&tree, &[Edit::new(at..at + old.len(), new)]), expected, "{new}");
    }

    #[test]
    fn syntax_check_of_enclosing_rule_decides_edit() {
        let check = |old, new, expected| check_in(Dialect::Css, old, new, expected);
        check("color: red;", "color: blue; top: 1px", true);
        check(" color: red; ", "", true);
        check(".b { margin: 0 }", ".b { margin: 0 } .d { top: 0 }", true);
        check("color: red;", "} .d {", false);
        check("color: red;", "/*", false);
        check("color: red;", "color: \"", false);
        check("color: red;", "}", false);
        check(".a", ".e", true);
        check(".a", "@media screen", false);
        check(".a { color: red; }", ".d { top: 0 } .e { }", true);
        check(".a { color: red; }", "@import 'x';", false);
        check(".a { color: red; }", ".d { top: 0 } /* one", false);
        check(".a { color: red; }", "color: red", false);
        // The edit changes the head of an at-rule.
        check("print", "screen", false);
        check_in(Dialect::Scss, "color: red;", "color: exp(1px);", false);
        check_in(Dialect::Scss, "color: red;", "@include x; // one\n", true);
        check_in(Dialect::Scss, "color: red; ", "color: red; // ", false);
    }
}
