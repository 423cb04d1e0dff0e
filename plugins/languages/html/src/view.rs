//! Views of a node.

use std::fmt::Write;

use marquetry_sdk::{Failure, Form, Result, Span, View};

use crate::place::{self, Item};
use crate::syntax::{Id, Tree};
use crate::text;

/// Limits of a summary: depth, lines, and characters of a text.
const DEPTH: usize = 4;
const LINES: usize = 60;
const TEXT: usize = 60;
/// Number of similar siblings shown before the rest is counted.
const ALIKE: usize = 3;

pub(crate) fn view(tree: &Tree, item: Item, form: Form) -> Result<View> {
    let full = item.span(tree);
    Ok(match (item, form) {
        (_, Form::Full) | (Item::Attribute(_) | Item::Doctype(_), Form::Summary) => View::Span(full),
        (Item::Element(id), Form::Signature) => View::Span(tree.get(id).open),
        (Item::Element(id), Form::Body) => View::Span(place::body(tree, id).ok_or_else(|| no_content(tree, id))?),
        (Item::Element(id), Form::Summary) => View::Text(summary(tree, id)),
        (Item::Attribute(attribute), Form::Signature) => View::Span(attribute.name),
        (Item::Attribute(attribute), Form::Body) => {
            View::Span(attribute.value.unwrap_or(Span::at(attribute.name.range().end)))
        }
        (Item::Doctype(_), Form::Signature | Form::Body) => View::Span(full),
    })
}

/// Error for an element that cannot have content.
pub(crate) fn no_content(tree: &Tree, id: Id) -> Failure {
    let name = tree.name(id);
    Failure::unsupported(format!("`<{name}>` cannot have content"))
        .hint(format!("replace the whole element, or target an attribute: `{name}@…`"))
}

/// `name#id.class.class`.
pub(crate) fn label(tree: &Tree, id: Id) -> String {
    let mut label = place::tag_name(tree, id).of(&tree.text).to_owned();
    if let Some(own) = tree.value(id, "id").filter(|own| !own.is_empty()) {
        let _ = write!(label, "#{own}");
    }
    if let Some(classes) = tree.value(id, "class") {
        for class in classes.split_ascii_whitespace().take(4) {
            let _ = write!(label, ".{class}");
        }
    }
    label
}

/// Descendants with their ids, classes, and the beginning of their text.
fn summary(tree: &Tree, id: Id) -> String {
    let mut out = String::new();
    let mut lines = 0;
    describe(tree, id, 0, &mut lines, &mut out);
    out.trim_end().to_owned()
}

fn describe(tree: &Tree, id: Id, depth: usize, lines: &mut usize, out: &mut String) {
    *lines += 1;
    if *lines > LINES {
        return;
    }
    let indent = "  ".repeat(depth);
    let children = tree.written_children(id);
    let _ = write!(out, "{indent}{}", label(tree, id));
    let own = own_text(tree, id);
    if !own.is_empty() {
        let _ = write!(out, " \"{own}\"");
    }
    if depth == DEPTH && !children.is_empty() {
        let _ = write!(out, " … {} inside", tree.descendants(id).len());
    }
    out.push('\n');
    if depth == DEPTH {
        return;
    }
    let mut at = 0;
    while at < children.len() {
        let alike = children[at..].iter().take_while(|child| label(tree, **child) == label(tree, children[at])).count();
        let shown = if alike > ALIKE + 1 { ALIKE } else { alike };
        for child in &children[at..at + shown] {
            describe(tree, *child, depth + 1, lines, out);
        }
        if shown < alike && *lines < LINES {
            *lines += 1;
            let _ = writeln!(out, "{indent}  … {} more {}", alike - shown, label(tree, children[at]));
        }
        at += alike;
        if *lines >= LINES {
            let _ = writeln!(out, "{indent}  …");
            return;
        }
    }
}

/// Beginning of the text directly in an element.
fn own_text(tree: &Tree, id: Id) -> String {
    let mut own = String::new();
    text::pieces(tree, id, |_| true, &mut |piece| {
        for word in piece.split_whitespace() {
            if !own.is_empty() {
                own.push(' ');
            }
            own.push_str(word);
            if own.len() > TEXT * 4 {
                return false;
            }
        }
        true
    });
    if own.chars().count() > TEXT { own.chars().take(TEXT).chain(['…']).collect() } else { own }
}
