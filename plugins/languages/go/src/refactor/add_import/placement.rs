//! The position of new imports: blank lines separate the groups of an import declaration, and an import goes to the
//! group with imports of the same class.

use std::{collections::BTreeMap, ops::Range};

use marquetry_code::{CodeDocument, NodeIndex, ParseContext, blocks::Statements, layout::Content, regions};
use marquetry_sdk::{Edit, Result, Span, lines, paths::folder};

use super::{Spec, is_standard};
use crate::{
    kinds::{F, K, child},
    packages::module_of,
    table::unquoted,
};

/// The origin of a package. Groups of imports are in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Standard,
    OtherModule,
    OwnModule,
}

fn class_of(document: &CodeDocument, path: &str) -> Class {
    let is_below =
        |module: &str| path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match module_of(folder(document.path())) {
        Some(module) if is_below(&module.path) => Class::OwnModule,
        _ if is_standard(path) => Class::Standard,
        _ => Class::OtherModule,
    }
}

/// The position of a new import. Positions with the same offset are in the order of the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// In a new group before the import at this index.
    Before(usize),
    /// At the start of another group, before the import at this index.
    First(usize),
    /// In the first group or inside of a group, before the import at this index.
    In(usize),
    /// In a new group at the end.
    Last,
}

/// Inserts imports at the positions where they belong.
///
/// # Errors
///
/// Fails if the imports of the file cannot be edited.
pub(super) fn insert(document: &CodeDocument, specs: &[Spec]) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let statements = regions::top_statements(document);
    let region = regions::imports(document);
    let group = statements[region.statements()].iter().find_map(|node| child(arena, *node, K::ImportSpecs));
    let content = |text: &str, context: ParseContext| Content::new(document.language(), document.path(), text, context);
    let mut specs: Vec<&Spec> = specs.iter().collect();
    specs.sort_by_key(|spec| (class_of(document, &spec.path), spec.path.as_str()));
    let Some(group) = group else {
        let text = declarations(document, &specs, region.statements().is_empty());
        return region.insert(document, region.statements().end, &content(&text, ParseContext::Items));
    };
    let groups = Groups::new(document, group);
    let mut by_position: BTreeMap<Position, Vec<&Spec>> = BTreeMap::new();
    for spec in specs {
        by_position.entry(groups.position(&spec.path)).or_default().push(spec);
    }
    let mut edits = Vec::new();
    for (position, specs) in by_position {
        let text = in_groups(document, &specs);
        edits.extend(match position {
            Position::First(index) => vec![groups.insert_above(&text, index, 1)],
            Position::In(index) => {
                let content = content(&text, ParseContext::Inside("IMPORT_SPECS"));
                Statements::new(document, group).insert(index, &content)?
            }
            Position::Before(index) => vec![groups.insert_above(&text, index, 2)],
            Position::Last => vec![groups.insert_last(&text)],
        });
    }
    edits.sort_by_key(|edit: &Edit| edit.span.start);
    edits.dedup_by(|next, known| {
        let is_same = next.span == known.span;
        if is_same {
            known.text += &next.text;
        }
        is_same
    });
    Ok(edits)
}

/// Import declarations for a file without a group: one line for each import, or a group if the file has no imports and
/// gets several.
fn declarations(document: &CodeDocument, specs: &[&Spec], is_first: bool) -> String {
    match specs {
        [_, _, ..] if is_first => {
            let lines = in_groups(document, specs);
            let indented =
                lines.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("\t{line}\n") });
            format!("import (\n{})", indented.collect::<String>())
        }
        _ => specs.iter().map(|spec| format!("import {}", spec.text)).collect::<Vec<_>>().join("\n"),
    }
}

/// The lines of sorted imports, with a blank line between the standard library and other modules.
fn in_groups(document: &CodeDocument, specs: &[&Spec]) -> String {
    let is_standard = |spec: &&Spec| class_of(document, &spec.path) == Class::Standard;
    let (standard, others): (Vec<&Spec>, Vec<&Spec>) = specs.iter().copied().partition(is_standard);
    let joined = |specs: Vec<&Spec>| specs.iter().map(|spec| spec.text.as_str()).collect::<Vec<_>>().join("\n");
    let parts = [joined(standard), joined(others)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The imports of a declaration in parentheses.
struct Groups<'d> {
    document: &'d CodeDocument,
    nodes: Vec<NodeIndex>,
    /// The path and class of each import.
    imports: Vec<(&'d str, Class)>,
    /// The groups that blank lines separate.
    groups: Vec<Range<usize>>,
}

impl<'d> Groups<'d> {
    fn new(document: &'d CodeDocument, specs: NodeIndex) -> Groups<'d> {
        let arena = document.arena();
        let nodes: Vec<NodeIndex> = arena.children(specs).collect();
        let path = |node: &NodeIndex| arena.child(*node, F::Path.into()).map_or("", |path| unquoted(arena.slice(path)));
        let imports = nodes.iter().map(path).map(|path| (path, class_of(document, path))).collect();
        let is_near = |one: &NodeIndex, next: &NodeIndex| {
            let gap = Span { start: arena.node(*one).span.end, end: arena.node(*next).span.start };
            !gap.slice(&arena.text).lines().skip(1).any(|line| line.is_empty())
        };
        let (mut start, mut groups) = (0, Vec::new());
        for group in nodes.chunk_by(is_near) {
            groups.push(start..start + group.len());
            start += group.len();
        }
        Groups { document, nodes, imports, groups }
    }

    fn position(&self, path: &str) -> Position {
        let class = class_of(self.document, path);
        let with = |class: Class| {
            self.groups.iter().rfind(|group| self.imports[(*group).clone()].iter().any(|(_, own)| *own == class))
        };
        // Many projects do not separate their own packages from those of other modules.
        let like = match class {
            Class::Standard => None,
            Class::OtherModule => with(Class::OwnModule).map(|group| (group, Class::OwnModule)),
            Class::OwnModule => with(Class::OtherModule).map(|group| (group, Class::OtherModule)),
        };
        if let Some((group, class)) = with(class).map(|group| (group, class)).or(like) {
            let same: Vec<usize> = group.clone().filter(|index| self.imports[*index].1 == class).collect();
            let next = same.iter().find(|index| self.imports[**index].0 > path);
            return match next {
                Some(next) if *next > 0 && *next == group.start => Position::First(*next),
                Some(next) => Position::In(*next),
                None => Position::In(same.last().map_or(group.end, |last| last + 1)),
            };
        }
        let higher = self.imports.iter().position(|(_, own)| *own > class);
        match higher {
            _ if self.is_inline() => Position::In(higher.unwrap_or(self.nodes.len())),
            Some(index) => Position::Before(index),
            None => Position::Last,
        }
    }

    /// Returns whether an import shares its line with other code. Such a declaration has no groups.
    fn is_inline(&self) -> bool {
        let arena = self.document.arena();
        self.nodes.iter().any(|node| !lines::starts_line(&arena.text, arena.node(*node).span.range().start))
            || self.nodes.is_empty()
    }

    /// Inserts imports above an import and the comments above it.
    fn insert_above(&self, text: &str, index: usize, breaks: usize) -> Edit {
        let start =
            Statements::new(self.document, self.document.arena().node(self.nodes[index]).parent).start_of(index);
        let indent = self.indent();
        Edit::insert(start as usize, format!("{}{}{indent}", self.indented(text), "\n".repeat(breaks)))
    }

    /// Inserts a group after the last import.
    fn insert_last(&self, text: &str) -> Edit {
        let last = self.nodes.last().map_or(0, |last| self.document.arena().node(*last).span.range().end);
        Edit::insert(self.document.end_of_line_tail(last), format!("\n\n{}{}", self.indent(), self.indented(text)))
    }

    fn indent(&self) -> &str {
        let arena = self.document.arena();
        self.nodes.first().map_or("", |first| lines::indent_at(&arena.text, arena.node(*first).span.range().start))
    }

    fn indented(&self, text: &str) -> String {
        text.replace('\n', &format!("\n{}", self.indent()))
    }
}
