//! The refactoring `inline_variable`. It replaces each use of a variable by its value and removes the variable.

use std::ops::Range;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{Document, Edit, EditOptions, Operation, Result, Rewrite};

use super::{
    check_result, component,
    component::contains_name,
    item_at,
    occurrence::{Occurrence, OccurrenceForm, find_occurrences, is_same, touches_other_name},
    with_file_line_breaks,
};
use crate::{
    Stylesheet,
    chars::{Dialect, name_end},
    edit,
    tree::{Item, Kind, NONE, Tree},
};

pub(super) const INLINE_VARIABLE: Refactoring<Stylesheet> = Refactoring {
    id: "inline_variable",
    title: "Inline a variable",
    place: Place::Name,
    arguments: &[Argument {
        name: "keep",
        summary: "keep the definition, for other files that use it",
        values: &["true", "false"],
        required: false,
    }],
    asks_exporters: false,
    apply: inline,
};

fn inline(sheet: &Stylesheet, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&sheet.diagnostics())?;
    let tree = &sheet.tree;
    let name = variable_at(tree, input.at.caret as usize).ok_or_else(|| {
        refactor_failure("there is no variable at this position")
            .hint("give a variable, or a position where it is defined or used")
    })?;
    let definition = find_definition(tree, name)?;
    let item = tree.item(definition);
    let value = component::value_range(tree, item).ok_or_else(|| {
        refactor_failure(format!("`{name}` does not have a value that can be inlined")).at(item.span())
    })?;
    let variable = Variable { tree, name, item, value };
    variable.check_value()?;
    let mut edits = Vec::new();
    for occurrence in find_occurrences(tree, name).into_iter().filter(|found| found.range.start != item.start as usize)
    {
        edits.extend(variable.use_edit(&occurrence)?);
    }
    if edits.is_empty() {
        return Err(
            refactor_failure(format!("nothing in this file uses `{name}`")).hint("delete it if no other file uses it")
        );
    }
    let keep = input.is_true("keep");
    if !keep {
        edits.extend(removal_edits(tree, definition)?);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let edits = with_file_line_breaks(tree, edits);
    check_result(sheet, &edits)?;
    let is_known = tree.dialect == Dialect::Css || item.parent == NONE;
    let incomplete = (!keep && is_known).then(|| format!("other files may use `{name}`; they were not checked"));
    Ok(Rewrite { edits, incomplete, ..Rewrite::default() })
}

/// Returns the name of the variable at an offset, with its sigil.
fn variable_at(tree: &Tree, caret: usize) -> Option<&str> {
    let text = tree.text.as_str();
    let (signs, is_css): (&[u8], bool) = match tree.dialect {
        Dialect::Css => (b"-", true),
        Dialect::Scss => (b"$", false),
        Dialect::Less => (b"@", false),
    };
    let bytes = text.as_bytes();
    let mut start = caret.min(text.len());
    while start > 0 && crate::chars::is_name(bytes[start - 1]) {
        start -= 1;
    }
    if !is_css {
        // The sigil is directly before the name, or before the brace of an interpolation (`@{name}`).
        let brace = start > 0 && bytes[start - 1] == b'{' && tree.dialect == Dialect::Less;
        let sign = start.checked_sub(1 + usize::from(brace)).filter(|at| signs.contains(&bytes[*at]));
        start = match sign {
            Some(_) if brace => {
                return Some(&text[start..name_end(text, start)]).and_then(|bare| defined_name(tree, bare));
            }
            Some(sign) => sign,
            None if bytes.get(start).is_some_and(|byte| signs.contains(byte)) => start,
            None => return None,
        };
    }
    let end = name_end(text, start + usize::from(!is_css));
    let name = &text[start..end];
    (name.len() > 1 && (!is_css || name.starts_with("--") && name.len() > 2)).then_some(name)
}

/// Returns the name of a variable with its sigil, as written in its definition. `bare` is the name without the sigil.
fn defined_name<'t>(tree: &'t Tree, bare: &str) -> Option<&'t str> {
    let names = tree.items.iter().filter(|item| item.kind == Kind::Variable).map(|item| tree.name(item));
    names.into_iter().find(|name| name.get(1..) == Some(bare))
}

/// Returns the only definition of a variable. Fails if there are several, or if the variable may have other values at
/// some uses.
fn find_definition(tree: &Tree, name: &str) -> Result<u32> {
    let is_one = |item: &Item| {
        let kind = if tree.dialect == Dialect::Css { Kind::Declaration } else { Kind::Variable };
        item.kind == kind && is_same(tree.name(item), name, tree.dialect)
    };
    let all: Vec<u32> = (0..).zip(&tree.items).filter(|(_, item)| is_one(item)).map(|(index, _)| index).collect();
    let index = match all[..] {
        [] => {
            return Err(
                refactor_failure(format!("`{name}` is not defined in this file")).hint("inline it where it is defined")
            );
        }
        [only] => only,
        [_, second, ..] => {
            return Err(refactor_failure(format!("`{name}` is defined {} times", all.len()))
                .hint("each use may refer to any of these definitions, so inline the variable by hand")
                .at(tree.item(second).span()));
        }
    };
    let item = tree.item(index);
    if tree.dialect == Dialect::Css {
        let parent = tree.items.get(item.parent as usize);
        let is_root = parent.is_some_and(|parent| {
            parent.parent == NONE
                && [":root", "html", ":host"].contains(&tree.head(parent).to_ascii_lowercase().as_str())
        });
        if !is_root {
            return Err(refactor_failure(format!("`{name}` is only defined for some elements"))
                .hint("the elements that have this value are unknown, so inline the variable by hand")
                .at(item.span()));
        }
        return Ok(index);
    }
    let is_head =
        |item: &Item| matches!(item.kind, Kind::Mixin | Kind::Function) || ["@each", "@for"].contains(&tree.name(item));
    let parameter = tree.items.iter().find(|item| is_head(item) && contains_name(tree.head(item), name));
    if let Some(parameter) = parameter.filter(|head| head.kind != Kind::AtRule || binds_name(tree.head(head), name)) {
        return Err(refactor_failure(format!("`{name}` is also the name of a parameter"))
            .hint("rename one of them first")
            .at(parameter.span()));
    }
    Ok(index)
}

/// Returns whether an `@each` or `@for` assigns the name.
fn binds_name(head: &str, name: &str) -> bool {
    let names = head.split(" in ").next().unwrap_or(head).split(" from ").next().unwrap_or(head);
    contains_name(names, name)
}

struct Variable<'t> {
    tree: &'t Tree,
    name: &'t str,
    item: &'t Item,
    value: Range<usize>,
}

impl Variable<'_> {
    fn text(&self) -> &str {
        &self.tree.text[self.value.clone()]
    }

    /// Checks that the value has the same meaning at all uses.
    fn check_value(&self) -> Result<()> {
        let (tree, name) = (self.tree, self.name);
        let all = &tree.text[self.item.body_start as usize..self.item.end as usize];
        if let Some(flag) = ["!default", "!global"].into_iter().find(|flag| all.contains(flag)) {
            return Err(refactor_failure(format!("`{name}` is `{flag}`: other files may give it another value"))
                .at(self.item.span()));
        }
        let value = self.text();
        let lower = value.to_ascii_lowercase();
        let relative = ["inherit", "initial", "unset", "revert", "revert-layer", "random", "unique-id", "attr"];
        if let Some(word) = relative.into_iter().find(|word| contains_name(&lower, word)) {
            return Err(refactor_failure(format!("`{word}` may have another meaning where the variable is used"))
                .at(self.item.span()));
        }
        let sign = match tree.dialect {
            Dialect::Css => "--",
            Dialect::Scss => "$",
            Dialect::Less => "@",
        };
        let names = value.match_indices(sign).map(|(at, _)| &value[at..name_end(value, at + sign.len())]);
        for used in names.filter(|used| used.len() > sign.len()).take(64) {
            // The variables in the value must have the same values at the uses as at the definition.
            let is_own = is_same(used, name, tree.dialect);
            if is_own || value.contains("@@") || find_definition(tree, used).is_err() {
                return Err(refactor_failure(format!(
                    "the value uses `{used}`, which may have another value where the variable is used"
                ))
                .hint(format!("inline `{used}` first"))
                .at(self.item.span()));
            }
        }
        Ok(())
    }

    /// Returns the edit for one use. `None` if the occurrence is not a use of this variable.
    fn use_edit(&self, found: &Occurrence) -> Result<Option<Edit>> {
        let (tree, value) = (self.tree, self.text());
        let cannot = |why: &str| {
            Err(refactor_failure(format!("`{}` cannot be replaced at this use: {why}", self.name))
                .at(found.range.clone().into()))
        };
        let is_single = component::component_levels(tree, self.value.clone())[0].components.len() == 1;
        match (tree.dialect, found.form) {
            (_, OccurrenceForm::Label) => Ok(None),
            (Dialect::Css, OccurrenceForm::Var) if touches_other_name(&tree.text, &found.range) => {
                cannot("there is no space between it and the text next to it")
            }
            (Dialect::Css, OccurrenceForm::Var) => Ok(Some(Edit::new(found.range.clone(), value))),
            (Dialect::Css, _) => cannot("it is used outside `var()`"),
            _ if tree.text[..found.range.start].ends_with(['@', '$']) => {
                cannot("its value is used as the name of another variable")
            }
            (_, OccurrenceForm::Plain) if touches_other_name(&tree.text, &found.range) => {
                cannot("there is no space between it and the text next to it")
            }
            (_, OccurrenceForm::Plain) if self.is_next_to_slash(found) => {
                cannot("without a variable, the slash next to it is not a division")
            }
            (_, OccurrenceForm::Plain) if is_single || self.is_whole_value(found) => {
                Ok(Some(Edit::new(found.range.clone(), value)))
            }
            (Dialect::Less, OccurrenceForm::Plain) if value.contains(',') => cannot("it is a list of several values"),
            (_, OccurrenceForm::Plain) => Ok(Some(Edit::new(found.range.clone(), format!("({value})")))),
            (Dialect::Scss, _) => Ok(Some(Edit::new(found.range.clone(), format!("#{{{value}}}")))),
            (Dialect::Less, _) => match unquoted_text(value) {
                Some(text) if found.in_string || is_single => Ok(Some(Edit::new(found.range.clone(), text))),
                _ => cannot("it is part of other text, and its value is not a plain string"),
            },
        }
    }

    fn is_next_to_slash(&self, found: &Occurrence) -> bool {
        let text = &self.tree.text;
        text[..found.range.start].trim_end().ends_with('/') || text[found.range.end..].trim_start().starts_with('/')
    }

    /// Returns whether the occurrence is the whole value of a declaration, so that no operator is next to it.
    fn is_whole_value(&self, found: &Occurrence) -> bool {
        let span = found.range.clone().into();
        let item = item_at(self.tree, span).map(|index| self.tree.item(index));
        item.and_then(|item| component::value_range(self.tree, item)).is_some_and(|value| value == found.range)
    }
}

/// Returns the text that LESS substitutes for `@{name}`: the value without quotes. `None` if the value is not a plain
/// text.
fn unquoted_text(value: &str) -> Option<&str> {
    let value = value.strip_prefix('~').unwrap_or(value);
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let text = quoted.unwrap_or(value);
    (!text.contains(['"', '\'', '\\', '@', '(', '{', ';', '}'])).then_some(text)
}

/// Returns the edits that remove the definition, and its rule if the rule would be empty.
fn removal_edits(tree: &Tree, definition: u32) -> Result<Vec<Edit>> {
    let parent = tree.item(definition).parent;
    let is_only = parent != NONE && tree.children(parent).nth(1).is_none() && tree.dialect == Dialect::Css;
    let inner = tree.items.get(parent as usize).and_then(Item::body);
    let has_comments = inner.is_some_and(|inner| inner.slice(&tree.text).contains("/*"));
    let node = if is_only && !has_comments { parent } else { definition };
    edit::edit_items(tree, &[node], &Operation::Delete, EditOptions { include_doc: false, force: false })
}
