//! The refactoring `extract_variable`. It extracts a value into a custom property of `:root`, or in SCSS and LESS into
//! a variable at the top of the file.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{
    Document, Edit, EditOptions, FailureKind, Insertion, Operation, Position, Result, Rewrite, Span, fail,
};

use super::{
    check_result,
    component::{self, Level, contains_name},
    item_at, with_file_line_breaks,
};
use crate::{
    Stylesheet,
    chars::{Dialect, ident_end},
    edit::{self, Container, Content, Style},
    scanner::TokenKind,
    tree::{Item, Kind, NONE, Tree},
};

/// At-rules that contain descriptors instead of properties. Descriptors do not accept `var()`.
const DESCRIPTOR_AT_RULES: [&str; 8] = [
    "@font-face",
    "@property",
    "@counter-style",
    "@font-palette-values",
    "@font-feature-values",
    "@color-profile",
    "@page",
    "@view-transition",
];
/// Keywords and functions whose value depends on the element.
const CONTEXT_DEPENDENT: [&str; 9] =
    ["inherit", "initial", "unset", "revert", "revert-layer", "attr", "var", "sibling-index", "sibling-count"];

/// Maximum number of variables in a value. A value with more variables is refused.
const MAX_VARIABLES: usize = 64;

pub(super) const EXTRACT_VARIABLE: Refactoring<Stylesheet> = Refactoring {
    id: "extract_variable",
    title: "Extract a value into a variable",
    place: Place::Selection,
    arguments: &[
        Argument {
            name: "extractedName",
            summary: "name of the variable, with or without `--`, `$` or `@` (default: derived from the property)",
            values: &[],
            required: false,
        },
        Argument {
            name: "all",
            summary: "replace every equal value in the file",
            values: &["true", "false"],
            required: false,
        },
    ],
    asks_exporters: false,
    apply: extract,
};

fn extract(sheet: &Stylesheet, input: &RefactorInput) -> Result<Rewrite> {
    check_no_syntax_errors(&sheet.diagnostics())?;
    let tree = &sheet.tree;
    let chosen = SelectedValue::from_span(tree, input.at.span)?;
    let value = &tree.text[chosen.range.clone()];
    check_value(tree, value)?;
    let again = repeated_declarations(tree).contains(&chosen.item);
    check_use(tree, chosen.item, &chosen.level, &chosen.components, again)?;
    let name = variable_name(tree, input.argument("extractedName"), tree.item(chosen.item))?;
    let mut uses = vec![(chosen.item, chosen.range.clone())];
    if input.is_true("all") {
        uses = equal_values(tree, value);
    }
    let first = uses.first().map_or(0, |(_, range)| range.start);
    let mut edits = definition_edits(tree, &name, value, first)?;
    let defined = edits.len();
    edits.extend(
        uses.into_iter().map(|(item, range)| Edit::new(range, variable_reference(tree, tree.item(item), &name))),
    );
    let definition = edits[..defined].iter().find(|edit| edit.text.contains(&name)).map(|edit| edit.span);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let edits = with_file_line_breaks(tree, edits);
    check_result(sheet, &edits)?;
    let name_at = definition.and_then(|span| name_offset(&edits, span, &name));
    Ok(Rewrite { edits, name_at, ..Rewrite::default() })
}

/// Returns the offset of the name of the new variable in the edited text.
fn name_offset(edits: &[Edit], definition: Span, name: &str) -> Option<u32> {
    let mut moved = 0_i64;
    for edit in edits {
        if edit.span == definition
            && let Some(at) = edit.text.find(name)
        {
            return u32::try_from(i64::from(edit.span.start) + moved + at as i64).ok();
        }
        moved += edit.text.len() as i64 - edit.span.len() as i64;
    }
    None
}

/// The selected value.
struct SelectedValue {
    item: u32,
    range: Range<usize>,
    level: Level,
    components: Range<usize>,
}

impl SelectedValue {
    fn from_span(tree: &Tree, span: Span) -> Result<SelectedValue> {
        let span = span.trimmed(&tree.text);
        let nothing = || {
            refactor_failure("there is no value here")
                .hint("select a value in a declaration: a colour, a length, or a list of values")
        };
        let index = item_at(tree, span).ok_or_else(nothing)?;
        let item = tree.item(index);
        let value = component::value_range(tree, item).ok_or_else(nothing)?;
        let mut levels = component::component_levels(tree, value.clone());
        // True if the selection is the whole declaration, in its name, or its whole value.
        let whole = span == item.span() || span.range().end <= item.head as usize || span.range() == value;
        let found = if whole {
            Some((0, 0..levels[0].components.len()))
        } else {
            component::selected_components(&levels, span)
        };
        let Some((level, components)) = found.filter(|(_, components)| !components.is_empty()) else {
            let near = levels.iter().flat_map(|level| &level.components).filter(|range| {
                range.start < span.range().end.max(span.range().start + 1) && span.range().start <= range.end
            });
            let near: Vec<String> = near.take(5).map(|range| tree.text[range.clone()].to_owned()).collect();
            return Err(refactor_failure("the selection does not consist of whole values")
                .hint("select whole values, such as the candidates")
                .candidates(near)
                .at(span));
        };
        let level = levels.swap_remove(level);
        let range = level.components[components.start].start..level.components[components.end - 1].end;
        Ok(SelectedValue { item: index, range, level, components })
    }
}

/// Checks that the value has the same meaning at the top of the file.
fn check_value(tree: &Tree, value: &str) -> Result<()> {
    if tree.dialect == Dialect::Css {
        let lower = value.to_ascii_lowercase();
        if let Some(word) = CONTEXT_DEPENDENT.iter().find(|word| contains_name(&lower, word)) {
            return Err(refactor_failure(format!("`{word}` depends on the element, so it cannot move to `:root`"))
                .hint("select a value that is the same for every element"));
        }
        return Ok(());
    }
    if value.contains('&') {
        return Err(refactor_failure("`&` refers to the enclosing rule, so it cannot move to the top of the file")
            .hint("select another value"));
    }
    let mut scan = component::text_scanner(tree, value);
    let mut at = 0;
    while at < value.len() {
        let (part, end) = scan.token_at(at);
        if part == TokenKind::Other && value.as_bytes()[at] == b'/' {
            return Err(refactor_failure("in a variable, the slash would be a division")
                .hint("select the value before or after the slash"));
        }
        at = end;
    }
    Ok(())
}

/// Checks that a variable is allowed in place of the components. `again` is true if the block declares the property
/// more than once.
fn check_use(tree: &Tree, index: u32, level: &Level, components: &Range<usize>, again: bool) -> Result<()> {
    let item = tree.item(index);
    let name = tree.name(item);
    if tree.dialect != Dialect::Css {
        if level.is_next_to_slash(components) {
            return Err(refactor_failure("with a variable, the slash next to it would be a division")
                .hint("select another value"));
        }
        if tree.dialect == Dialect::Less && name.starts_with("--") {
            return Err(
                refactor_failure("Less does not evaluate variables in custom properties").hint("select another value")
            );
        }
        return Ok(());
    }
    let mut at = item.parent;
    while let Some(parent) = tree.items.get(at as usize) {
        let rule = tree.name(parent).to_ascii_lowercase();
        if parent.kind == Kind::AtRule && DESCRIPTOR_AT_RULES.contains(&rule.as_str()) {
            return Err(
                refactor_failure(format!("`var()` is not allowed in `{rule}`")).hint("select a value in a rule")
            );
        }
        at = parent.parent;
    }
    // If a browser does not support the later value, it uses the earlier one. This does not work if the later value is
    // a variable.
    if again {
        return Err(refactor_failure(format!(
            "`{name}` is declared more than once in this rule, so that browsers can choose"
        ))
        .hint("`var()` would break this fallback for older browsers; select another value"));
    }
    Ok(())
}

/// Returns the name of the variable with its sigil. If no name is given, it is derived from the name of the property.
fn variable_name(tree: &Tree, given: Option<&str>, item: &Item) -> Result<String> {
    let sign = match tree.dialect {
        Dialect::Css => "--",
        Dialect::Scss => "$",
        Dialect::Less => "@",
    };
    let is_taken = |name: &str| tree.text.contains(name) && contains_name(&tree.text, name);
    let free = |bare: &str| {
        let numbered =
            (1..).map(|number| if number == 1 { format!("{sign}{bare}") } else { format!("{sign}{bare}-{number}") });
        numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
    };
    let Some(given) = given else {
        let property = super::overrides::base_name(tree.name(item)).trim_start_matches(['-', '$', '@']);
        return Ok(free(if is_ident(property) { property } else { "value" }));
    };
    let invalid = |message: String| fail(FailureKind::InvalidArgument, message);
    let bare = given.trim();
    let bare = bare.strip_prefix(sign).unwrap_or(bare);
    if !is_ident(bare) {
        return Err(invalid(format!("`{given}` is not a variable name")).hint("use letters, digits, `-` and `_`"));
    }
    let name = format!("{sign}{bare}");
    if is_taken(&name) {
        return Err(invalid(format!("`{name}` already exists")).hint("choose another name").candidates([free(bare)]));
    }
    Ok(name)
}

fn is_ident(name: &str) -> bool {
    !name.is_empty() && !name.contains('\\') && ident_end(name, 0) == Some(name.len())
}

/// Returns a reference to the variable, in the form that this declaration needs.
fn variable_reference(tree: &Tree, item: &Item, name: &str) -> String {
    match tree.dialect {
        Dialect::Css => format!("var({name})"),
        // Sass does not evaluate the values of custom properties, except for interpolations.
        Dialect::Scss if tree.name(item).starts_with("--") => format!("#{{{name}}}"),
        Dialect::Scss | Dialect::Less => name.to_owned(),
    }
}

/// Returns the declarations whose property is declared more than once in the same block.
fn repeated_declarations(tree: &Tree) -> HashSet<u32> {
    let mut first: HashMap<(u32, String), u32> = HashMap::new();
    let mut repeated = HashSet::new();
    for (index, item) in (0..).zip(&tree.items).filter(|(_, item)| item.kind == Kind::Declaration) {
        if let Some(before) = first.insert((item.parent, tree.name(item).to_ascii_lowercase()), index) {
            repeated.extend([before, index]);
        }
    }
    repeated
}

/// Returns all equal values in the file that can be replaced by a variable.
fn equal_values(tree: &Tree, value: &str) -> Vec<(u32, Range<usize>)> {
    let repeated = repeated_declarations(tree);
    let mut found: Vec<(u32, Range<usize>)> = Vec::new();
    for (index, item) in (0..).zip(&tree.items) {
        let Some(range) = component::value_range(tree, item).filter(|range| tree.text[range.clone()].contains(value))
        else {
            continue;
        };
        for level in component::component_levels(tree, range) {
            let mut at = 0;
            while let Some(component) = level.components.get(at) {
                let end = component.start + value.len();
                let is_equal = tree.text.as_bytes()[component.start..].starts_with(value.as_bytes());
                let last = level.components[at..].partition_point(|component| component.end < end) + at;
                let whole = is_equal && level.components.get(last).is_some_and(|component| component.end == end);
                if whole && check_use(tree, index, &level, &(at..last + 1), repeated.contains(&index)).is_ok() {
                    found.push((index, component.start..end));
                    at = last;
                }
                at += 1;
            }
        }
    }
    found.sort_by_key(|(_, range)| range.start);
    found
}

/// Returns the edits that define the variable before its first use, which is at the offset `first`.
fn definition_edits(tree: &Tree, name: &str, value: &str, first: usize) -> Result<Vec<Edit>> {
    let style = Style::detect(tree);
    let top = Container::new(tree, NONE, &style);
    let children: Vec<u32> = tree.children(NONE).collect();
    let declaration = format!("{name}: {value};");
    if tree.dialect == Dialect::Css {
        let head = |wanted: &str| children.iter().copied().find(|index| tree.head(tree.item(*index)) == wanted);
        if let Some(root) = head(":root").or_else(|| head(":host")).filter(|root| tree.item(*root).is_container()) {
            let insertion = Insertion { content: declaration, position: Position::Last };
            let options = EditOptions { include_doc: false, force: false };
            return edit::edit_items(tree, &[root], &Operation::InsertInto(insertion), options);
        }
        let leading = |index: &&u32| !tree.item(**index).block && tree.item(**index).kind != Kind::Declaration;
        let position = children.iter().take_while(leading).count();
        let content = Content::new(&format!(":root {{\n{}{declaration}\n}}", style.indent_unit()), &style);
        return Ok(top.insert(position, &content));
    }
    // Insert the definition after the imports and variables at the top of the file, but before the first use.
    let comes_first = |index: &&u32| {
        let item = tree.item(**index);
        let is_lead =
            item.kind == Kind::Import || item.kind == Kind::Variable || (item.kind == Kind::AtRule && !item.block);
        is_lead && (item.end_with_semicolon as usize) <= first
    };
    let position = children.iter().take_while(comes_first).count();
    check_defined_at_top(tree, value, &children[..position], first)?;
    Ok(top.insert(position, &Content::new(&declaration, &style)))
}

/// Checks that the variables and functions in the value are defined at the top of the file, and have the same meaning
/// there.
fn check_defined_at_top(tree: &Tree, value: &str, before: &[u32], first: usize) -> Result<()> {
    let names = tree.items.iter().filter(|item| matches!(item.kind, Kind::Variable | Kind::Function | Kind::Mixin));
    if variables_in_value(value).nth(MAX_VARIABLES).is_some() {
        return Err(refactor_failure("the value uses too many variables").hint("select a part of it"));
    }
    for name in variables_in_value(value) {
        let defined = |index: &&u32| tree.item(**index).kind == Kind::Variable && tree.name(tree.item(**index)) == name;
        let is_local = names.clone().any(|item| {
            let own = item.kind == Kind::Variable && item.parent != NONE && tree.name(item) == name;
            own || (item.kind != Kind::Variable && contains_name(tree.head(item), name))
        });
        let later = tree.dialect == Dialect::Less || before.iter().any(|index| defined(&index));
        let global = tree.children(NONE).any(|index| defined(&&index));
        let again = tree.items.iter().filter(|item| item.kind == Kind::Variable && tree.name(item) == name).count() > 1;
        if is_local || again || !later || !global {
            return Err(refactor_failure(format!(
                "the value uses `{name}`, which is not defined at the top of the file, or may have another value there"
            ))
            .hint("select a part of the value that does not use it")
            .at(Span::at(first)));
        }
    }
    let called = |item: &&Item| {
        item.kind == Kind::Function
            && tree.text[tree.prelude(item)]
                .trim_ascii()
                .split('(')
                .next()
                .is_some_and(|name| contains_name(value, name))
    };
    match tree.items.iter().find(called).filter(|_| tree.dialect == Dialect::Scss) {
        Some(function) => Err(refactor_failure("the value calls a function that is defined later in the file")
            .hint("select a part of the value that does not use it")
            .at(function.span())),
        None => Ok(()),
    }
}

/// Returns the names of the variables in a value, with their sigils. Members of modules are skipped, because they have
/// the same meaning everywhere in the file.
fn variables_in_value(value: &str) -> impl Iterator<Item = &str> {
    value.match_indices(['$', '@']).filter_map(|(at, _)| {
        let bare = at + 1 + usize::from(value[at + 1..].starts_with('{'));
        let end = crate::chars::name_end(value, bare);
        let of_module = value[..at].ends_with('.');
        // For `@{name}`, this is `@{name`. No variable has such a name, so the value is refused.
        (end > bare && !of_module).then(|| &value[at..end])
    })
}
