//! The document of the pack: code whose constants keep their values when others are deleted.

use std::{collections::BTreeSet, ops::Deref};

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{
    Dependency, Diagnostic, Document, Edit, EditOptions, Failure, FindResult, Form, Node, NodeId, Operation, Query,
    Result, Span, Target, View, lines,
};

use crate::{
    kinds::{F, K, children, has_kind, with_role},
    table::GO,
};

/// The document of a Go file.
#[derive(Debug)]
pub struct GoDocument(CodeDocument);

impl GoDocument {
    pub(crate) fn open(path: &str, text: String) -> GoDocument {
        GoDocument(CodeDocument::open(&GO, path, text))
    }
}

impl Deref for GoDocument {
    type Target = CodeDocument;

    fn deref(&self) -> &CodeDocument {
        &self.0
    }
}

impl Document for GoDocument {
    fn text(&self) -> &str {
        self.0.text()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.0.diagnostics()
    }

    fn outline(&self) -> Vec<Node> {
        Document::outline(&self.0)
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        self.0.find(query)
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        self.0.view(node, form)
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        self.0.dependencies(node)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        if matches!(operation, Operation::Delete) && !options.force {
            check_constants(&self.0, nodes)?;
        }
        self.0.edit(nodes, operation, options)
    }

    fn edit_ranges(&self, nodes: &[NodeId], operation: &Operation) -> Vec<Span> {
        let mut ranges = self.0.edit_ranges(nodes, operation);
        if matches!(operation, Operation::Delete) {
            // The values of names may be on other lines than the names.
            let symbols = nodes.iter().filter_map(|node| self.0.symbol(*node).ok()).filter(|symbol| !symbol.is_alone);
            let statements = symbols.map(|symbol| self.0.arena().node(symbol.node).span.range());
            ranges.extend(statements.map(|own| Span::new(own.start, lines::line_end(self.0.text(), own.end))));
        }
        ranges
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        self.0.insert_missing(target, content)
    }
}

/// Refuses to delete constants if the values of others in their group depend on them.
fn check_constants(document: &CodeDocument, nodes: &[NodeId]) -> Result<()> {
    let arena = document.arena();
    let symbols: Vec<_> = nodes.iter().filter_map(|node| document.symbol(*node).ok()).collect();
    let chosen: BTreeSet<NodeIndex> = symbols.iter().filter_map(|symbol| symbol.name_node).collect();
    let is_whole = |statement: NodeIndex| with_role(arena, statement, F::Name).all(|name| chosen.contains(&name));
    let mut checked = BTreeSet::new();
    for symbol in &symbols {
        let group = arena.node(symbol.node).parent;
        let is_in_group = has_kind(arena, symbol.node, K::Const) && has_kind(arena, group, K::ConstSpecs);
        if !is_in_group || !is_whole(symbol.node) || !checked.insert(group) {
            continue;
        }
        let all: Vec<NodeIndex> = children(arena, group, K::Const).collect();
        let gone: Vec<bool> = all.iter().map(|own| is_whole(*own)).collect();
        if let Some(other) = changed(document, &all, &gone) {
            let name = with_role(arena, other, F::Name).next().map_or("", |name| arena.slice(name));
            return Err(Failure::unsupported(format!(
                "the value of `{name}` depends on the place of `{}`",
                symbol.name
            ))
            .hint("`replace` the constant with `_` (`_ = iota` for the first one), or edit the `lines` of the group")
            .at(symbol.span));
        }
    }
    Ok(())
}

/// The first constant of a group that remains and gets another value.
fn changed(document: &CodeDocument, all: &[NodeIndex], is_gone: &[bool]) -> Option<NodeIndex> {
    let arena = document.arena();
    let has_values = |own: NodeIndex| with_role(arena, own, F::Body).next().is_some();
    let uses_iota = |own: NodeIndex| {
        let mut parts = arena.descendants(own);
        parts.any(|part| has_kind(arena, part, K::NameRef) && arena.slice(part) == "iota")
    };
    // A constant without values repeats those of the last one above it that has some.
    let (mut source, mut has_gap) = (None, false);
    for (own, is_gone) in all.iter().copied().zip(is_gone.iter().copied()) {
        if has_values(own) {
            source = Some((own, is_gone));
        }
        let is_changed = source
            .is_some_and(|(values, is_source_gone)| is_source_gone && values != own || has_gap && uses_iota(values));
        if is_changed && !is_gone {
            return Some(own);
        }
        has_gap |= is_gone;
    }
    None
}
