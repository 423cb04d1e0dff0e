//! An open document: what it is asked, and what it remembers.

use std::cell::OnceCell;

use marquetry_sdk::{
    Dependency, Document, Edit, EditOptions, Failure, FailureKind, Form, Found, Node, NodeId, Nodes, Operation,
    Problem, Query, Result, Span, TargetKind, View, fail,
};

use crate::imports::dependencies;
use crate::operations::edit;
use crate::outline::address::{self, Segment};
use crate::outline::declarations::{Decl, DeclId, Table};
use crate::outline::find::Finder;
use crate::outline::regions::Regions;
use crate::outline::views::Viewer;
use crate::syntax::tree::Tree;
use crate::syntax::{comments, local_check, problems};

/// Above this many results, all addresses are computed at once.
const MANY: usize = 8;

/// A module or script.
#[derive(Debug)]
pub struct TypeScriptDocument {
    /// The syntax tree, for everything in this crate that looks at the program.
    pub(crate) tree: Tree,
    table: OnceCell<Table>,
    regions: OnceCell<Regions>,
}

/// What a node id stands for.
#[derive(Clone, Copy)]
pub(crate) enum Target<'d> {
    Declaration(DeclId, &'d Decl),
    Imports(Span),
    Export(Span),
}

impl Target<'_> {
    pub(crate) fn span(&self) -> Span {
        match self {
            Target::Declaration(_, decl) => decl.span,
            Target::Imports(span) | Target::Export(span) => *span,
        }
    }
}

impl TypeScriptDocument {
    pub(crate) fn open(path: &str, text: String) -> TypeScriptDocument {
        TypeScriptDocument { tree: Tree::parse(path, text), table: OnceCell::new(), regions: OnceCell::new() }
    }

    /// Its declarations.
    pub(crate) fn table(&self) -> &Table {
        self.table.get_or_init(|| self.tree.with(|parsed| Table::build(parsed, self.tree.text())))
    }

    pub(crate) fn regions(&self) -> &Regions {
        self.regions.get_or_init(|| self.tree.with(|parsed| Regions::of(parsed, self.tree.text())))
    }

    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder { table: self.table(), text: self.tree.text() }
    }

    /// The comment attached to what starts at an offset.
    pub(crate) fn doc(&self, at: usize) -> Option<Span> {
        self.tree.with(|parsed| comments::attached(&parsed.program.comments, self.tree.text(), at))
    }

    /// What a node id stands for.
    pub(crate) fn target(&self, id: NodeId) -> Result<Target<'_>> {
        if let Some(decl) = self.table().get(id) {
            return Ok(Target::Declaration(id, decl));
        }
        let region = id as usize - self.table().len();
        let found = match region.checked_sub(1) {
            None => Some(Target::Imports(self.regions().all_imports())),
            Some(index) => self.regions().exports.get(index).map(|span| Target::Export(*span)),
        };
        found.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {id}")))
    }

    /// The declarations that an address names, in document order.
    pub(crate) fn find_symbol(&self, target: &str) -> Result<Vec<DeclId>> {
        let finder = self.finder();
        let parsed = address::parse(target);
        if let Ok(segments) = &parsed {
            let found = finder.resolve(segments);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Ok(segments) = &parsed {
            let found = finder.resolve_unspoken(segments);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        // Titles of test blocks are often given without quotes.
        let titles: Vec<Segment<'_>> = address::parse_titles(target);
        let found = finder.resolve(&titles);
        if !found.is_empty() && target.contains([' ', '.', '/', ':', '#', '>']) {
            return Ok(found);
        }
        parsed?;
        Err(self.not_found(target))
    }

    fn not_found(&self, target: &str) -> Failure {
        let addresses = self.finder().addresses();
        let failure = Failure::not_found("symbol", target, addresses.iter().map(String::as_str));
        let imported = self.tree.with(|parsed| {
            use oxc_ast::ast::Statement;
            parsed.program.body.iter().any(|statement| match statement {
                Statement::ImportDeclaration(import) => {
                    import.specifiers.iter().flatten().any(|specifier| specifier.local().name == target.trim())
                }
                _ => false,
            })
        });
        if imported {
            return failure
                .hint(format!("`{target}` is imported here; read the region `imports`, or the file that declares it"));
        }
        failure
    }

    fn node(&self, id: DeclId, decl: &Decl, address: String, doc: Option<Span>) -> Node {
        Node {
            id,
            parent: None,
            kind: decl.kind.word().to_owned(),
            name: decl.name.of(self.tree.text()).to_owned(),
            address,
            span: decl.span,
            selection: decl.selection,
            body: decl.body.map(|(body, _)| body),
            doc,
            level: None,
            value: None,
        }
    }

    fn find_symbols(&self, query: &Query) -> Result<Found> {
        let found = self.find_symbol(&query.target.value)?;
        let finder = self.finder();
        let mut all = (found.len() > MANY).then(|| finder.addresses());
        let limit = found.len().min(query.limit as usize);
        let nodes = found[..limit].iter().filter_map(|id| {
            let decl = self.table().get(*id)?;
            let address = match &mut all {
                Some(all) if !all[*id as usize].is_empty() => std::mem::take(&mut all[*id as usize]),
                _ => finder.address(*id),
            };
            Some(self.node(*id, decl, address, self.doc(decl.span.range().start)))
        });
        Ok(Found::Nodes(Nodes { nodes: nodes.collect(), total: found.len() as u32 }))
    }

    fn find_region(&self, query: &Query) -> Result<Found> {
        let regions = self.regions();
        let value = query.target.value.trim();
        let (name, index) = match value.strip_suffix(']').and_then(|value| value.split_once('[')) {
            Some((name, index)) => (name, index.parse::<usize>().ok()),
            None => (value, None),
        };
        let base = self.table().len() as NodeId;
        let all: Vec<(NodeId, Span)> = match name {
            "imports" => vec![(base, regions.all_imports())],
            "exports" => {
                regions.exports.iter().enumerate().map(|(at, span)| (base + 1 + at as NodeId, *span)).collect()
            }
            _ => return Err(Failure::not_found("region", value, ["imports", "exports"])),
        };
        let single = all.len() == 1;
        let region = |(at, (id, span)): (usize, (NodeId, Span))| Node {
            id,
            parent: None,
            kind: "region".to_owned(),
            name: name.to_owned(),
            address: if single { name.to_owned() } else { format!("{name}[{}]", at + 1) },
            span,
            selection: Span::at(span.range().start),
            body: None,
            doc: None,
            level: None,
            value: None,
        };
        let chosen =
            all.into_iter().enumerate().filter(|(at, _)| index.is_none_or(|index| at + 1 == index)).map(region);
        let mut nodes: Vec<Node> = chosen.collect();
        if nodes.is_empty() {
            return Err(fail(FailureKind::TargetNotFound, format!("no region `{value}`"))
                .hint("this file exports nothing there"));
        }
        let total = nodes.len() as u32;
        nodes.truncate(query.limit as usize);
        Ok(Found::Nodes(Nodes { nodes, total }))
    }
}

impl Document for TypeScriptDocument {
    fn text(&self) -> &str {
        self.tree.text()
    }

    fn problems(&self) -> Vec<Problem> {
        self.tree.with(|parsed| problems::problems(parsed, self.tree.text(), self.tree.grammar()))
    }

    fn outline(&self) -> Vec<Node> {
        let table = self.table();
        let shown = table.shown();
        let mut addresses = self.finder().addresses();
        let mut index = vec![0_u32; table.len()];
        let mut nodes = Vec::with_capacity(shown.iter().filter(|shown| **shown).count());
        self.tree.with(|parsed| {
            for (id, decl) in table.iter().filter(|(id, _)| shown[*id as usize]) {
                let address = std::mem::take(&mut addresses[id as usize]);
                if address.is_empty() {
                    continue;
                }
                index[id as usize] = nodes.len() as u32;
                let doc = comments::attached(&parsed.program.comments, self.tree.text(), decl.span.range().start);
                let mut node = self.node(id, decl, address, doc);
                node.parent = decl.parent().map(|parent| index[parent as usize]);
                nodes.push(node);
            }
        });
        nodes
    }

    fn find(&self, query: &Query) -> Result<Found> {
        match query.target.kind {
            TargetKind::Symbol => self.find_symbols(query),
            TargetKind::Region => self.find_region(query),
            kind => Err(fail(
                FailureKind::Unsupported,
                format!("TypeScript has no targets of the kind {kind:?}").to_lowercase(),
            )
            .hint("name a symbol such as `UserService.findById`, a region (`imports`, `exports`), or `lines`")),
        }
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let target = self.target(node)?;
        let Target::Declaration(id, decl) = target else { return Ok(View::Span(target.span())) };
        self.tree.with(|parsed| {
            let viewer = Viewer { table: self.table(), text: self.tree.text(), comments: &parsed.program.comments };
            match (form, decl.body) {
                (Form::Full, _) => Ok(View::Span(decl.span)),
                (Form::Body, Some((body, _))) => Ok(View::Span(viewer.body(body))),
                (Form::Body, None) => {
                    let name = decl.name.of(self.tree.text());
                    Err(Failure::unsupported(format!("{} `{name}` has no body", decl.kind.word()))
                        .hint("read it as `full`"))
                }
                (Form::Signature, _) => Ok(View::Text(viewer.signature(decl))),
                (Form::Summary, _) => Ok(View::Text(viewer.summary(id, decl))),
            }
        })
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        match self.target(node) {
            Ok(target) => self.tree.with(|parsed| dependencies::within(parsed, &self.tree, target.span())),
            Err(_) => Vec::new(),
        }
    }

    fn stays_well_formed(&self, edits: &[Edit]) -> bool {
        self.tree.with(|parsed| local_check::stays_well_formed(parsed, &self.tree, edits))
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        edit::edit(self, nodes, operation, options)
    }
}
