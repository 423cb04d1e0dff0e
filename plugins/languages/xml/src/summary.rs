//! Summary of an element: its descendant elements and attributes, with counts.

use rustc_hash::FxHashMap;

use crate::{
    chars,
    document::XmlDocument,
    tree::{Id, Kind},
};

/// Maximum number of levels.
const MAX_DEPTH: usize = 4;
/// Maximum number of lines.
const MAX_LINES: usize = 200;
/// Maximum number of characters of a text.
const MAX_TEXT_CHARS: usize = 40;

/// All elements that have the same name, and whose parents are in the same group.
#[derive(Default)]
struct ElementGroup {
    name: String,
    count: usize,
    attributes: Vec<String>,
    /// Text of the first element, if that element has no child elements.
    text: Option<String>,
    /// Groups of the children, in order of first occurrence.
    children: Vec<usize>,
}

/// Returns one line for each group of elements, with its attributes and count. The groups of its children follow.
pub(crate) fn summary(document: &XmlDocument, id: Id) -> String {
    let mut groups = vec![ElementGroup::default()];
    collect_groups(document, id, &mut groups);
    let mut out = String::new();
    let (mut lines, mut left_out) = (0, 0);
    // Visit the groups depth first, without recursion.
    let mut waiting: Vec<(usize, usize)> = groups[0].children.iter().rev().map(|group| (*group, 0)).collect();
    while let Some((index, depth)) = waiting.pop() {
        if lines == MAX_LINES {
            left_out += 1;
            continue;
        }
        lines += 1;
        let group = &groups[index];
        out += &"  ".repeat(depth);
        out += &group.name;
        for attribute in &group.attributes {
            out += &format!(" @{attribute}");
        }
        if group.count > 1 {
            out += &format!(" ×{}", group.count);
        }
        if let Some(text) = &group.text {
            out += &format!(" \"{text}\"");
        }
        out.push('\n');
        waiting.extend(group.children.iter().rev().map(|child| (*child, depth + 1)));
    }
    if left_out > 0 {
        out += &format!("… {left_out} more\n");
    }
    out
}

fn collect_groups(document: &XmlDocument, top: Id, groups: &mut Vec<ElementGroup>) {
    let tree = &document.tree;
    let mut known: FxHashMap<(usize, u32), usize> = FxHashMap::default();
    // Ancestors of the current element, each with its group.
    let mut above: Vec<(Id, usize)> = Vec::new();
    let mut id = if tree.kind(top) == Kind::Document { top + 1 } else { top };
    while id < tree.after(top) {
        if tree.kind(id) != Kind::Element {
            id += 1;
            continue;
        }
        while above.last().is_some_and(|(element, _)| tree.after(*element) <= id) {
            above.pop();
        }
        let parent = above.last().map_or(0, |(_, group)| *group);
        let group = *known.entry((parent, tree.name(id))).or_insert_with(|| {
            groups.push(ElementGroup { name: tree.written_name(id).to_owned(), ..ElementGroup::default() });
            let group = groups.len() - 1;
            groups[parent].children.push(group);
            group
        });
        let is_first = groups[group].count == 0;
        groups[group].count += 1;
        for attribute in tree.attributes(id) {
            let name = tree.written_name(attribute);
            if !groups[group].attributes.iter().any(|known| known == name) && groups[group].attributes.len() < 20 {
                groups[group].attributes.push(name.to_owned());
            }
        }
        if is_first && tree.elements(id).next().is_none() {
            groups[group].text = shown_text(&tree.string_value(&document.text, id));
        }
        if above.len() + 1 >= MAX_DEPTH {
            id = tree.after(id);
        } else {
            above.push((id, group));
            id += 1;
        }
    }
}

fn shown_text(text: &str) -> Option<String> {
    let text = chars::trim(text);
    if text.is_empty() {
        return None;
    }
    let shown: String = text.chars().take(MAX_TEXT_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(if shown.len() < text.len() { format!("{shown}…") } else { shown })
}
