//! An open document. It implements the functions of the contract that the language table and its hooks can answer.

use std::{any::Any, cell::OnceCell};

use marquetry_sdk::{
    Dependency, Diagnostic, Document, Edit, EditOptions, Failure, FailureKind, FindResult, Form, Node, NodeId, Nodes,
    Operation, Query, Result, Span, TargetKind, View, fail, indent, lines,
};

use crate::{
    arena::Arena,
    comments, edit,
    language::{Language, ParseContext},
    outline::{Outline, Symbol},
    regions::{self, Region},
    scopes::Names,
    views,
};

/// The text of one file, and the data that this crate derived from it.
#[derive(Debug)]
pub struct CodeDocument {
    language: &'static Language,
    path: String,
    arena: Arena,
    outline: Outline,
    unit: OnceCell<String>,
    names: OnceCell<Names>,
    derived: OnceCell<Box<dyn Any>>,
}

impl CodeDocument {
    /// Opens a document.
    pub fn open(language: &'static Language, path: &str, text: String) -> CodeDocument {
        let arena = (language.hooks.parse)(path, text, ParseContext::File);
        let outline = Outline::new(language, &arena);
        let (unit, names, derived) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        CodeDocument { language, path: path.to_owned(), arena, outline, unit, names, derived }
    }

    /// The language.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// The path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The syntax tree.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The outline of the declarations.
    pub fn symbols(&self) -> &Outline {
        &self.outline
    }

    /// The text.
    pub fn text_str(&self) -> &str {
        &self.arena.text
    }

    /// The scopes and names.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(self.language, &self.arena))
    }

    /// The data that a pack derives from the syntax tree, computed at the first request. It must not depend on other
    /// files, because the document may be older than they are.
    ///
    /// # Panics
    ///
    /// Panics if the requests are for different types.
    pub fn derived<T: 'static>(&self, compute: impl FnOnce(&Arena) -> T) -> &T {
        let data = self.derived.get_or_init(|| Box::new(compute(&self.arena)));
        data.downcast_ref().expect("a pack derives data of one type")
    }

    /// The text that indents a line by one level.
    pub fn unit(&self) -> &str {
        self.unit
            .get_or_init(|| indent::detected_unit(&self.arena.text).unwrap_or_else(|| self.language.unit.to_owned()))
    }

    /// The end of the separator and the comment that follow a statement on its line.
    pub fn end_of_line_tail(&self, end: usize) -> usize {
        let separator = self.language.form.separator();
        let text = self.text_str();
        let rest = &text[end..lines::line_end(text, end)];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let has_separator = !separator.is_empty() && rest[spaces..].starts_with(separator);
        let after = if has_separator { end + spaces + separator.len() } else { end };
        let tail = comments::end_on_line(text, after, self.language.comments);
        // If another statement follows on the line, the separator does not end the line.
        if lines::ends_line(text, tail) { tail } else { end }
    }

    /// The symbol of a node.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the node is not in this document.
    pub fn symbol(&self, node: NodeId) -> Result<&Symbol> {
        self.outline
            .symbols
            .get(node as usize)
            .ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {node}")).hint("find the target again"))
    }

    /// The range between the statements before and after a symbol's statement.
    fn range_around(&self, symbol: &Symbol) -> Span {
        let spans = || self.arena.children(symbol.block).map(|child| self.arena.node(child).span);
        let own = self.arena.node(symbol.node).span;
        let start = spans().map(|span| span.end).filter(|end| *end <= own.start).max();
        let end = spans().map(|span| span.start).filter(|start| *start >= own.end).min();
        let around = self.arena.node(symbol.block).span;
        Span { start: start.unwrap_or(around.start.min(own.start)), end: end.unwrap_or(around.end.max(own.end)) }
    }

    /// The region whose node has this id.
    pub(crate) fn region(&self, node: NodeId) -> Option<Region> {
        if (node as usize) < self.outline.symbols.len() {
            return None;
        }
        regions::all_regions(self).into_iter().find(|region| region.id(self) == node)
    }

    /// The indices of the symbols that an address selects.
    ///
    /// # Errors
    ///
    /// Fails with `TargetNotFound` and the nearest addresses if no symbol matches.
    pub fn find_symbols(&self, address: &str) -> Result<Vec<usize>> {
        let found = self.outline.find(address.trim());
        if found.is_empty() {
            let known = self.outline.symbols.iter().map(|symbol| symbol.address.as_str());
            return Err(Failure::not_found("symbol", address, known));
        }
        Ok(found)
    }
}

impl Document for CodeDocument {
    fn text(&self) -> &str {
        &self.arena.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.arena.errors.clone()
    }

    fn outline(&self) -> Vec<Node> {
        let listed = self.outline.symbols.iter().take_while(|symbol| symbol.is_listed).count();
        (0..listed).map(|index| self.outline.node(index)).collect()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let nodes: Vec<Node> = match query.target.kind {
            TargetKind::Symbol => {
                let without_parent = |index: usize| Node { parent: None, ..self.outline.node(index) };
                self.find_symbols(&query.target.value)?.into_iter().map(without_parent).collect()
            }
            TargetKind::Region => vec![regions::find(self, &query.target.value)?],
            kind => {
                let failure = Failure::unsupported_target(self.language.name, kind);
                return Err(failure.hint("use `symbol`, `region` or `lines`"));
            }
        };
        let total = nodes.len() as u32;
        let nodes = nodes.into_iter().take(query.limit as usize).collect();
        Ok(FindResult::Nodes(Nodes { nodes, total }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        if let Some(region) = self.region(node) {
            return Ok(View::Span(region.span));
        }
        let index = node as usize;
        Ok(views::view(self, self.symbol(node).map(|_| index)?, form))
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        let Ok(symbol) = self.symbol(node) else { return Vec::new() };
        (self.language.hooks.dependencies)(self, symbol.node)
    }

    fn edit_ranges(&self, nodes: &[NodeId], operation: &Operation) -> Vec<Span> {
        let is_beside = matches!(operation, Operation::InsertBefore(_) | Operation::InsertAfter(_));
        let symbols = nodes.iter().filter_map(|node| self.symbol(*node).ok());
        // If the statement of a symbol declares other names, too, the content is inserted before or after the whole
        // statement.
        symbols.filter(|symbol| is_beside && !symbol.is_alone).map(|symbol| self.range_around(symbol)).collect()
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        edit::edit(self, nodes, operation, options)
    }
}
