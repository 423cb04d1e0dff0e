//! Creates the target of an upsert if it does not exist. The target is a declaration, a variable or a map entry. The
//! rules around it are created, too.

use marquetry_sdk::{Edit, EditOptions, FailureKind, Insertion, Operation, Position, Result, fail};

use super::{
    container::Container,
    content::{Content, Style},
    edit_items, maps, selectors,
};
use crate::{
    chars::Dialect,
    check,
    index::Index,
    keys,
    parse::is_variable,
    target::{self, Step, StepKind},
    target_match::TargetMatch,
    tree::{Kind, NONE, Tree},
};

/// Returns the edits that create the target.
pub(crate) fn create_missing(tree: &Tree, index: &Index, wanted: &str, content: &str) -> Result<Vec<Edit>> {
    let wanted = wanted.trim_ascii();
    let steps = target::parse_target(wanted, tree.dialect)?;
    let there = (1..=steps.len()).take_while(|count| !index.find(tree, &steps[..*count]).is_empty()).count();
    let (known, missing) = steps.split_at(there);
    let parent = resolve_parent(tree, index, known)?;
    let Some((last, around)) = missing.split_last() else {
        return Err(fail(FailureKind::InvalidArgument, format!("`{wanted}` already exists"))
            .hint("use `replace`, or `replace_body` to change only its body or value"));
    };
    if let Some(step) = missing.iter().find(|step| step.nth.is_some() || !matches!(step.kind, StepKind::Key(_))) {
        return Err(fail(FailureKind::InvalidTarget, format!("`{}` cannot be created with a number", step.text))
            .hint("leave out the number"));
    }
    check::check_target(missing, tree.dialect)?;
    let style = Style::detect(tree);
    let before = wanted.strip_suffix(last.text.as_str()).unwrap_or_default();
    let is_direct = steps.len() > 1 && !before.trim_ascii_end().ends_with(">>");
    let name = declared_name(last, is_direct, tree.dialect);
    let written = match name {
        Some(name) => format_declaration(name, content),
        None => format_block(&last.text, content, &style),
    };
    if let Some(name) = name.filter(|_| !is_readable(&written, tree.dialect)) {
        let content: String = content.chars().take(80).collect();
        return Err(fail(FailureKind::InvalidArgument, format!("`{content}` is not a value of `{name}`"))
            .hint("close every quote, bracket and brace of the value"));
    }
    let is_map = parent != NONE && maps::is_map(tree, parent);
    let has_place = parent == NONE || is_map || tree.item(parent).is_container();
    if is_map && around.is_empty() {
        let insertion = Insertion { content: written, position: Position::Last };
        let options = EditOptions { include_doc: false, force: false };
        return edit_items(tree, &[parent], &Operation::InsertInto(insertion), options);
    }
    let written = around.iter().rev().fold(written, |inner, step| format_block(&step.text, &inner, &style));
    let is_lost = parent == NONE && around.is_empty() && name.is_some_and(|name| !is_allowed_at_top_level(name));
    if is_map || !has_place || is_lost {
        return Err(fail(FailureKind::InvalidTarget, format!("`{wanted}` cannot be created at this position"))
            .hint("give the rule that the declaration belongs to: `.button@padding`"));
    }
    let content = Content::new(&written, &style);
    let container = Container::new(tree, parent, &style);
    Ok(container.insert(container.insert_position(&content, Position::Last), &content))
}

/// Returns whether a declaration or variable is one item, without errors.
fn is_readable(declaration: &str, dialect: Dialect) -> bool {
    let probe = Tree::new(format!("a {{\n{declaration}\n}}\n"), dialect);
    let rules: Vec<u32> = probe.children(NONE).collect();
    probe.diagnostics.is_empty() && rules.len() == 1 && probe.children(rules[0]).count() == 1
}

/// Returns the single item that the steps find. Without steps, returns [`NONE`], which means the file.
fn resolve_parent(tree: &Tree, index: &Index, steps: &[Step]) -> Result<u32> {
    if steps.is_empty() {
        return Ok(NONE);
    }
    match index.find(tree, steps)[..] {
        [only] => match TargetMatch::from_steps(tree, only, steps) {
            TargetMatch::Whole(item) => Ok(item),
            named => Err(selectors::shared_selector_error(tree, index, named)),
        },
        ref several => {
            let last = steps.last().map_or("", |step| step.text.as_str());
            Err(fail(FailureKind::InvalidTarget, format!("`{last}` matches {} items", several.len()))
                .hint("use one of the candidates")
                .candidates(several.iter().take(12).map(|item| index.address(tree, *item))))
        }
    }
}

/// Returns the name of the declaration, variable or entry that the step refers to. `None` if it refers to a rule or an
/// at-rule.
fn declared_name(step: &Step, is_direct: bool, dialect: Dialect) -> Option<&str> {
    let text = step.text.as_str();
    if is_direct {
        return text.strip_prefix('@');
    }
    let less = dialect == Dialect::Less && text.starts_with('@') && !text.contains(|c: char| c.is_ascii_whitespace());
    (less || is_variable(text)).then_some(text)
}

/// Returns whether a declaration with this name can be at the top level.
fn is_allowed_at_top_level(name: &str) -> bool {
    name.starts_with(['$', '@'])
}

/// Returns the declaration `name: value`. The content is either the value or the whole declaration.
fn format_declaration(name: &str, content: &str) -> String {
    let content = content.trim_ascii().trim_end_matches([';', ',']).trim_ascii_end();
    let own = content.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if own && content[name.len()..].trim_ascii_start().starts_with(':') {
        return content.to_owned();
    }
    format!("{name}: {content}")
}

/// Returns the block `head { … }`. The content is either the body or the whole block.
fn format_block(head: &str, content: &str, style: &Style) -> String {
    let read = Content::as_written(content, style.dialect);
    let tree = read.tree();
    let mut tops = tree.children(NONE).map(|index| tree.item(index));
    if let (Some(only), None) = (tops.next(), tops.next())
        && only.block
        && only.kind != Kind::Declaration
        && keys::step_key(head, style.dialect) == keys::step_key(&keys::label(tree, only), style.dialect)
    {
        return content.to_owned();
    }
    if read.tree().text.is_empty() {
        return format!("{head} {{\n}}");
    }
    let unit = style.indent_unit();
    format!("{head} {{\n{unit}{}\n}}", read.terminated(unit))
}
