//! Refuses content of the wrong kind: a value where a statement is needed, a rule where a declaration is needed, or a
//! whole declaration where only its value is needed. LESS parses some values as calls or at-rules, so the check of the
//! edited text would not find these mistakes.

use marquetry_sdk::{FailureKind, Result, Severity, fail};

use crate::{
    chars::Dialect,
    check,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, NONE, Tree},
};

/// Maximum length of a value in bytes. Longer content is not checked.
const MAX_VALUE_LEN: usize = 2000;

/// Refuses content that is only a value. `replaced` is the item that the content is to replace, if there is one.
pub(super) fn check_statement(tree: &Tree, content: &Tree, replaced: Option<&Item>) -> Result<()> {
    let value = content.text.trim_ascii().trim_end_matches(';').trim_ascii_end();
    let whole = replaced.filter(|item| item.has_body && !item.block).map(|item| tree.name(item));
    let is_value = match replaced {
        Some(item) if item.kind == Kind::Entry => !is_entry(value, tree.dialect),
        _ => is_value(tree, content, value),
    };
    if !is_value {
        return replaced.map_or(Ok(()), |item| check_is_declaration(tree, content, item));
    }
    let is_entry = replaced.is_some_and(|item| item.kind == Kind::Entry);
    let expected = if is_entry { "a map entry" } else { "a statement" };
    let failure = fail(FailureKind::InvalidArgument, format!("`{value}` is a value, not {expected}"));
    Err(match whole {
        Some(name) => failure
            .hint(format!(
                "use `replace_body` to change only the value of `{name}`, or give all of it, as in the candidate"
            ))
            .candidates([format!("{name}: {value}")]),
        None if tree.dialect == Dialect::Less => failure.hint(
            "write `name: value`, a rule, or a call such as `.mixin();`; to change only a value, use `replace_body`",
        ),
        None => failure.hint("write `name: value` or a rule; to change only a value, use `replace_body`"),
    })
}

/// Refuses content that consists only of rules if it is to replace a variable, or a declaration of the same rule: the
/// declaration would be lost. Other rules may replace a declaration, because they apply inside of the rule around it.
fn check_is_declaration(tree: &Tree, content: &Tree, item: &Item) -> Result<()> {
    let around =
        Some(item.parent).filter(|parent| *parent != NONE).map(|parent| tree.head(tree.item(parent)).trim_ascii());
    let is_other = |new: &Item| match item.kind {
        Kind::Variable => new.block && new.kind != Kind::Variable,
        Kind::Declaration => new.kind == Kind::Rule && Some(content.head(new).trim_ascii()) == around,
        _ => false,
    };
    let mut new = content.children(NONE).map(|index| content.item(index)).peekable();
    if new.peek().is_none() || !new.all(is_other) {
        return Ok(());
    }
    let name = tree.name(item);
    let failure = fail(FailureKind::InvalidArgument, format!("a rule would replace the declaration of `{name}`"));
    Err(failure.hint(format!(
        "give `{name}: value`, or use `insert_before` or `insert_after` to add a rule; `force` writes it anyway"
    )))
}

/// Refuses content for a map that is not an entry of the form `key: value`.
pub(super) fn check_entry(content: &str, dialect: Dialect) -> Result<()> {
    let value = content.trim_ascii().trim_end_matches([',', ';']).trim_ascii_end();
    if value.is_empty() || is_entry(value, dialect) {
        return Ok(());
    }
    let failure = fail(FailureKind::InvalidArgument, format!("`{value}` is a value, not a map entry"));
    Err(failure.hint("write `key: value`; to change only the value of an entry, use `replace_body`"))
}

/// Refuses content that is to replace a value but is a whole declaration with the same name.
pub(super) fn check_value(tree: &Tree, item: &Item, content: &str) -> Result<()> {
    let name = tree.name(item);
    let content = content.trim_ascii();
    let follows = content.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
    let is_declaration = follows.is_some() && content[name.len()..].trim_ascii_start().starts_with(':');
    if !is_declaration {
        return Ok(());
    }
    let value = content[name.len()..].trim_ascii_start()[1..].trim_ascii().trim_end_matches(';').trim_ascii_end();
    Err(fail(FailureKind::InvalidArgument, format!("expected the value of `{name}`, not the whole declaration"))
        .hint("use `replace` to replace the whole declaration, or give only its value")
        .candidates([value.to_owned()]))
}

fn is_entry(content: &str, dialect: Dialect) -> bool {
    let mut scan = Scanner::without_reports(content, dialect);
    let mut at = 0;
    loop {
        match scan.token_at(at) {
            (TokenKind::Colon, _) => return true,
            (TokenKind::End, _) => return false,
            (_, end) => at = end,
        }
    }
}

fn is_value(tree: &Tree, content: &Tree, value: &str) -> bool {
    if value.is_empty() || value.len() > MAX_VALUE_LEN {
        return false;
    }
    let mut items = content.children(NONE).map(|index| content.item(index));
    match (items.next(), items.next()) {
        // The content consists only of comments, or of text that is not a statement but may be a value.
        (None, _) => !content.diagnostics.is_empty() && is_value_of_declaration(value, tree.dialect),
        (Some(only), None) => is_stray(tree, content, only) || is_bare_block(content, only),
        _ => false,
    }
}

/// Returns whether the text is exactly one value of a declaration.
fn is_value_of_declaration(value: &str, dialect: Dialect) -> bool {
    let read = Tree::new(format!("a{{b:{value}}}"), dialect);
    let sound = check::all_diagnostics(&read).iter().all(|problem| problem.severity != Severity::Error);
    let [rule, declaration] = &read.items[..] else { return false };
    sound
        && rule.end as usize == read.text.len()
        && declaration.kind == Kind::Declaration
        && !declaration.block
        && declaration.body().is_some_and(|body| body.slice(&read.text) == value)
}

/// Returns whether the item is `{ … }` without a head. It can be the value of a custom property, or a detached ruleset.
fn is_bare_block(content: &Tree, item: &Item) -> bool {
    item.block && content.head(item).is_empty()
}

/// Returns whether the item is a value that LESS parses as a call or an at-rule. `tree` is the stylesheet into which
/// the edit inserts the content.
fn is_stray(tree: &Tree, content: &Tree, item: &Item) -> bool {
    if tree.dialect != Dialect::Less {
        return false;
    }
    let head = content.head(item);
    match item.kind {
        Kind::Call => {
            check::stray_value(head).is_some() || (check::called_function(head).is_some_and(|name| name != "each"))
        }
        Kind::AtRule if !item.block => {
            let prelude = content.text[content.prelude(item)].trim_ascii_start();
            prelude.is_empty()
                || prelude.starts_with(['+', '-', '*', '/', ',', '['])
                || tree.items.iter().any(|known| known.kind == Kind::Variable && tree.name(known) == content.name(item))
        }
        _ => false,
    }
}
