//! Views of an item.

use marquetry_sdk::{Form, Span, View};

use crate::{
    keys,
    tree::{Item, Kind, NONE, Tree},
};

/// Maximum number of lines in a summary.
const MAX_LINES: usize = 400;

/// Returns the view of an item in the requested form.
pub(crate) fn view(tree: &Tree, index: u32, form: Form) -> View {
    let item = tree.item(index);
    match form {
        Form::Full => View::Span(item.span()),
        // The signature of a declaration is the whole declaration, because it is short.
        Form::Signature if item.is_container() || item.kind == Kind::Entry => View::Span(Span::from(item.head_range())),
        Form::Signature => View::Span(item.span()),
        Form::Body => View::Span(item.body().unwrap_or(item.span())),
        Form::Summary => View::Text(summary(tree, index)),
    }
}

/// Returns a summary of an item: the tree of the selectors in it, each with the number of its declarations.
fn summary(tree: &Tree, index: u32) -> String {
    let mut out = String::new();
    let depth_of = |index: u32| {
        std::iter::successors(Some(index), |at| Some(tree.item(*at).parent).filter(|parent| *parent != NONE)).count()
    };
    let top = depth_of(index);
    let mut lines = 0;
    for at in index..tree.item(index).next {
        let item = tree.item(at);
        if at != index && !item.block && !(item.kind == Kind::Entry && item.next > at + 1) {
            continue; // The line of its parent includes this item in its count.
        }
        if lines == MAX_LINES {
            out.push_str("…\n");
            break;
        }
        lines += 1;
        out.push_str(&"  ".repeat(depth_of(at) - top));
        out.push_str(&summary_line(tree, at, item));
        out.push('\n');
    }
    out
}

fn summary_line(tree: &Tree, index: u32, item: &Item) -> String {
    let label = keys::label(tree, item);
    let (mut declarations, mut entries) = (0, 0);
    for child in tree.children(index).map(|child| tree.item(child)) {
        match child.kind {
            Kind::Entry => entries += 1,
            Kind::Declaration if !child.block => declarations += 1,
            _ => {}
        }
    }
    let counted = |count: usize, one: &str, several: &str| match count {
        0 => String::new(),
        1 => format!("  1 {one}"),
        _ => format!("  {count} {several}"),
    };
    format!("{label}{}{}", counted(declarations, "declaration", "declarations"), counted(entries, "entry", "entries"))
}
