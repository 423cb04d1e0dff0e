//! Views of a node.

use std::fmt::Write;

use marquetry_sdk::{Failure, Form, Result, Span, View};

use crate::location::{self, Item};
use crate::syntax::{Id, Tree};
use crate::text;

/// Limits of a summary: its depth, the number of its lines, and the length of each text in characters.
const MAX_DEPTH: usize = 4;
const MAX_LINES: usize = 60;
const MAX_TEXT_LEN: usize = 60;
/// Maximum number of similar siblings that are shown. For the others, only their number is shown.
const MAX_SIMILAR: usize = 3;

pub(crate) fn view(tree: &Tree, item: Item, form: Form) -> Result<View> {
    let full = item.span(tree);
    Ok(match (item, form) {
        (_, Form::Full) | (Item::Attribute(_) | Item::Doctype(_), Form::Summary) => View::Span(full),
        (Item::Element(id), Form::Signature) => View::Span(tree.element(id).start_tag),
        (Item::Element(id), Form::Body) => {
            View::Span(location::body(tree, id).ok_or_else(|| no_content_error(tree, id))?)
        }
        (Item::Element(id), Form::Summary) => View::Text(summary(tree, id)),
        (Item::Attribute(attribute), Form::Signature) => View::Span(attribute.name),
        (Item::Attribute(attribute), Form::Body) => {
            View::Span(attribute.value.unwrap_or(Span::at(attribute.name.range().end)))
        }
        (Item::Doctype(_), Form::Signature | Form::Body) => View::Span(full),
    })
}

/// Returns the error for an element that cannot have content.
pub(crate) fn no_content_error(tree: &Tree, id: Id) -> Failure {
    let name = tree.name(id);
    Failure::unsupported(format!("`<{name}>` cannot have content"))
        .hint(format!("replace the whole element, or target an attribute: `{name}@…`"))
}

/// Returns `name#id.class.class`.
pub(crate) fn element_label(tree: &Tree, id: Id) -> String {
    let mut label = location::tag_name(tree, id).slice(&tree.text).to_owned();
    if let Some(own) = tree.attribute_value(id, "id").filter(|own| !own.is_empty()) {
        let _ = write!(label, "#{own}");
    }
    if let Some(classes) = tree.attribute_value(id, "class") {
        for class in classes.split_ascii_whitespace().take(4) {
            let _ = write!(label, ".{class}");
        }
    }
    label
}

/// Returns a summary: one line for each descendant, with its name, id, classes and the beginning of its text.
fn summary(tree: &Tree, id: Id) -> String {
    let mut out = String::new();
    let mut lines = 0;
    describe_element(tree, id, 0, &mut lines, &mut out);
    out.trim_end().to_owned()
}

fn describe_element(tree: &Tree, id: Id, depth: usize, lines: &mut usize, out: &mut String) {
    *lines += 1;
    if *lines > MAX_LINES {
        return;
    }
    let indent = "  ".repeat(depth);
    let children = tree.children_with_tags(id);
    let _ = write!(out, "{indent}{}", element_label(tree, id));
    let own = own_text(tree, id);
    if !own.is_empty() {
        let _ = write!(out, " \"{own}\"");
    }
    if depth == MAX_DEPTH && !children.is_empty() {
        let _ = write!(out, " … {} inside", tree.descendants(id).len());
    }
    out.push('\n');
    if depth == MAX_DEPTH {
        return;
    }
    let mut at = 0;
    while at < children.len() {
        let alike = children[at..]
            .iter()
            .take_while(|child| element_label(tree, **child) == element_label(tree, children[at]))
            .count();
        let shown = if alike > MAX_SIMILAR + 1 { MAX_SIMILAR } else { alike };
        for child in &children[at..at + shown] {
            describe_element(tree, *child, depth + 1, lines, out);
        }
        if shown < alike && *lines < MAX_LINES {
            *lines += 1;
            let _ = writeln!(out, "{indent}  … {} more {}", alike - shown, element_label(tree, children[at]));
        }
        at += alike;
        if *lines >= MAX_LINES {
            let _ = writeln!(out, "{indent}  …");
            return;
        }
    }
}

/// Returns the beginning of the text that is directly in an element.
fn own_text(tree: &Tree, id: Id) -> String {
    let mut own = String::new();
    text::visit_text(tree, id, |_| true, &mut |piece| {
        for word in piece.split_whitespace() {
            if !own.is_empty() {
                own.push(' ');
            }
            own.push_str(word);
            if own.len() > MAX_TEXT_LEN * 4 {
                return false;
            }
        }
        true
    });
    if own.chars().count() > MAX_TEXT_LEN { own.chars().take(MAX_TEXT_LEN).chain(['…']).collect() } else { own }
}
