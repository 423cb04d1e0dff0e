//! An open stylesheet. It implements [`Document`] with the tree and the index.

use marquetry_sdk::{
    Dependency, Diagnostic, Document, Edit, EditOptions, Failure, FailureKind, FindResult, Form, Node, NodeId, Nodes,
    Operation, Query, Result, Target, TargetKind, View, fail,
};

use crate::{
    chars::Dialect,
    check, dependencies, edit, incremental_check,
    index::Index,
    keys,
    missing_target::not_found,
    regions, target,
    target_match::{TargetMatch, selector_ranges},
    tree::{Kind, NONE, Tree},
    view,
};

/// An open stylesheet.
#[derive(Debug)]
pub struct Stylesheet {
    /// Path relative to the root of the workspace.
    pub(crate) path: String,
    pub(crate) tree: Tree,
    index: Index,
}

impl Stylesheet {
    pub(crate) fn open(path: &str, text: String) -> Stylesheet {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let extended = ["pcss", "postcss"].iter().any(|known| extension.eq_ignore_ascii_case(known));
        let partial = marquetry_sdk::paths::file_name(path).starts_with('_');
        let tree = Tree { extended, partial, ..Tree::new(text, Dialect::of_path(path)) };
        Stylesheet { path: path.to_owned(), tree, index: Index::default() }
    }

    /// Returns the address of an item.
    pub(crate) fn address(&self, index: u32) -> String {
        self.index.address(&self.tree, index)
    }

    fn node(&self, index: u32, parent: Option<u32>, address: String) -> Node {
        let tree = &self.tree;
        let item = tree.item(index);
        let name = tree.name(item);
        let named = match item.kind {
            Kind::Declaration | Kind::Variable => item.start as usize..item.start as usize + name.len(),
            _ => item.head_range(),
        };
        Node {
            id: index,
            parent,
            kind: kind_name(tree, index).to_owned(),
            name: match item.kind {
                Kind::Declaration | Kind::Variable | Kind::Entry => name.to_owned(),
                _ => keys::label(tree, item),
            },
            address,
            span: item.span(),
            selection: named.into(),
            body: item.body(),
            doc: tree.doc(item),
            level: None,
            value: None,
        }
    }

    /// Returns the node of an item that matches a target. It has no parent.
    fn matched_node(&self, index: u32) -> Node {
        self.node(index, None, self.address(index))
    }

    /// Returns the node of an item, or of one selector of a rule, that a target matches.
    fn target_node(&self, named: TargetMatch) -> Node {
        let index = named.item();
        let node = Node { id: named.id(), ..self.matched_node(index) };
        let TargetMatch::Selector { start, .. } = named else { return node };
        let ranges = selector_ranges(&self.tree, self.tree.item(index));
        let Some(range) = ranges.into_iter().find(|range| range.start == start as usize) else { return node };
        let selector = &self.tree.text[range.clone()];
        let address = self.index.selector_address(&self.tree, index, selector);
        Node { name: selector.to_owned(), address, selection: range.into(), ..node }
    }

    /// Returns the item of a node. `None` if the node is a region.
    pub(crate) fn item_of(&self, node: NodeId) -> Option<u32> {
        TargetMatch::from_id(&self.tree, node).map(TargetMatch::item)
    }

    fn all_nodes(&self) -> Vec<Node> {
        let tree = &self.tree;
        let mut nodes: Vec<Node> = Vec::with_capacity(tree.items.len());
        for index in 0..tree.items.len() as u32 {
            let parent = Some(tree.item(index).parent).filter(|parent| *parent != NONE);
            let mut address = parent.map_or(String::new(), |parent| nodes[parent as usize].address.clone());
            self.index.push_step(tree, index, &mut address);
            nodes.push(self.node(index, parent, address));
        }
        self.index.clear_child_tables();
        nodes
    }

    fn check_ids(&self, nodes: &[NodeId]) -> Result<()> {
        match nodes.iter().find(|id| !regions::is_region(**id) && self.item_of(**id).is_none()) {
            None => Ok(()),
            Some(id) => Err(unknown_node(*id)),
        }
    }
}

impl Document for Stylesheet {
    fn text(&self) -> &str {
        &self.tree.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        check::all_diagnostics(&self.tree)
    }

    fn parse_errors(&self) -> Vec<Diagnostic> {
        check::parse_errors(&self.tree)
    }

    fn outline(&self) -> Vec<Node> {
        self.all_nodes()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let wanted = query.target.value.trim_ascii();
        match query.target.kind {
            TargetKind::Region => {
                return regions::find_regions(&self.tree, |index| self.matched_node(index), wanted, query.limit)
                    .map(FindResult::Nodes);
            }
            TargetKind::Selector | TargetKind::Symbol => {}
            kind @ (TargetKind::Path | TargetKind::Xpath | TargetKind::Heading) => {
                return Err(Failure::unsupported_target("CSS", kind)
                    .hint("use `selector`, such as `.button` or `@media print >> .button@padding`"));
            }
        }
        let steps = target::parse_target(wanted, self.tree.dialect)?;
        let found = self.index.find(&self.tree, &steps);
        if found.is_empty() {
            check::check_target(&steps, self.tree.dialect)?;
            return Err(not_found(&self.tree, &self.index, wanted, &steps));
        }
        let total = found.len() as u32;
        let found = found.into_iter().take(query.limit as usize);
        let nodes = found.map(|index| self.target_node(TargetMatch::from_steps(&self.tree, index, &steps)));
        Ok(FindResult::Nodes(Nodes { nodes: nodes.collect(), total }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        if regions::is_region(node) {
            return regions::region_span(&self.tree, node).map(View::Span);
        }
        let index = self.item_of(node).ok_or_else(|| unknown_node(node))?;
        Ok(view::view(&self.tree, index, form))
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        match self.item_of(node) {
            Some(index) => dependencies::item_dependencies(&self.tree, self.tree.item(index)),
            None => Vec::new(),
        }
    }

    fn stays_well_formed(&self, edits: &[Edit]) -> bool {
        incremental_check::stays_well_formed(&self.tree, edits)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        self.check_ids(nodes)?;
        edit::edit(&self.tree, &self.index, nodes, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        match target.kind {
            TargetKind::Selector | TargetKind::Symbol => {
                edit::create_missing(&self.tree, &self.index, &target.value, content)
            }
            _ => Err(Failure::unsupported(format!("cannot create `{}`", target.value)).hint(
                "only rules, declarations and variables can be created; or `insert_into` the region `stylesheet`",
            )),
        }
    }
}

fn unknown_node(node: NodeId) -> Failure {
    fail(FailureKind::InvalidArgument, format!("no node {node}"))
}

/// Returns the name of an item's kind, in the terms of CSS.
pub(crate) fn kind_name(tree: &Tree, index: u32) -> &'static str {
    let item = tree.item(index);
    match item.kind {
        Kind::Rule if tree.head(item).starts_with('%') => "placeholder",
        Kind::Rule => "rule",
        Kind::Keyframe => "keyframe",
        Kind::AtRule => "at-rule",
        Kind::Import => "import",
        Kind::Mixin => "mixin",
        Kind::Function => "function",
        Kind::Include => "include",
        Kind::Extend => "extend",
        Kind::Call => "call",
        Kind::Declaration if tree.head(item).starts_with("--") => "custom-property",
        Kind::Declaration => "declaration",
        Kind::Variable => "variable",
        Kind::Entry => "entry",
    }
}
