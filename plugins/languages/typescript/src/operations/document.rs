//! `Document` implementation: diagnostics, outline, targets, views and edits.

use marquetry_sdk::{
    Dependency, Diagnostic, Document, Edit, EditOptions, Embedded, Failure, FailureKind, FindResult, Form, Node,
    NodeId, Nodes, Operation, Query, Result, Severity, Span, TargetKind, View, fail,
};

use crate::TypeScriptDocument;
use crate::document::Target;
use crate::imports::dependencies;
use crate::operations::edit;
use crate::outline::declarations::{Decl, DeclId};
use crate::outline::views::Viewer;
use crate::syntax::{comments, components, diagnostics, local_check};

/// If there are more results than this, the addresses of all declarations are computed at once.
const BULK_ADDRESS_THRESHOLD: usize = 8;

impl TypeScriptDocument {
    fn node(&self, id: DeclId, decl: &Decl, address: String, doc: Option<Span>) -> Node {
        Node {
            id,
            parent: None,
            kind: decl.kind.label().to_owned(),
            name: decl.name.resolve(self.tree.text()).to_owned(),
            address,
            span: decl.span,
            selection: decl.selection,
            body: decl.body.map(|(body, _)| body),
            doc,
            level: None,
            value: None,
        }
    }

    fn find_symbols(&self, query: &Query) -> Result<FindResult> {
        let found = self.find_symbol(&query.target.value)?;
        let finder = self.finder();
        let mut all = (found.len() > BULK_ADDRESS_THRESHOLD).then(|| finder.addresses());
        let limit = found.len().min(query.limit as usize);
        let nodes = found[..limit].iter().filter_map(|id| {
            let decl = self.table().get(*id)?;
            let address = match &mut all {
                Some(all) if !all[*id as usize].is_empty() => std::mem::take(&mut all[*id as usize]),
                _ => finder.address(*id),
            };
            Some(self.node(*id, decl, address, self.attached_comment(decl.span.range().start)))
        });
        Ok(FindResult::Nodes(Nodes { nodes: nodes.collect(), total: found.len() as u32 }))
    }

    fn find_region(&self, query: &Query) -> Result<FindResult> {
        let regions = self.regions();
        let value = query.target.value.trim();
        let (name, index) = match value.strip_suffix(']').and_then(|value| value.split_once('[')) {
            Some((name, index)) => (name, index.parse::<usize>().ok()),
            None => (value, None),
        };
        if components::scripts_of(self.tree.path(), self.tree.text()).is_some_and(|scripts| scripts.is_empty()) {
            return Err(fail(FailureKind::TargetNotFound, "the component has no script")
                .hint("add a `<script>` element to the file first"));
        }
        let base = self.table().len() as NodeId;
        let all: Vec<(NodeId, Span)> = match name {
            "imports" => vec![(base, regions.all_imports())],
            "exports" => {
                regions.exports.iter().enumerate().map(|(at, span)| (base + 1 + at as NodeId, *span)).collect()
            }
            _ => return Err(Failure::not_found("region", value, ["imports", "exports"])),
        };
        let single = all.len() == 1;
        let region = |(at, (id, span)): (usize, (NodeId, Span))| {
            let address = if single { name.to_owned() } else { format!("{name}[{}]", at + 1) };
            Node { name: name.to_owned(), ..Node::plain(id, "region", address, span) }
        };
        let chosen =
            all.into_iter().enumerate().filter(|(at, _)| index.is_none_or(|index| at + 1 == index)).map(region);
        let mut nodes: Vec<Node> = chosen.collect();
        if nodes.is_empty() {
            return Err(fail(FailureKind::TargetNotFound, format!("no region `{value}`"))
                .hint("the file has no exports at this position"));
        }
        let total = nodes.len() as u32;
        nodes.truncate(query.limit as usize);
        Ok(FindResult::Nodes(Nodes { nodes, total }))
    }
}

impl Document for TypeScriptDocument {
    fn text(&self) -> &str {
        self.tree.text()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.tree.with(|parsed| diagnostics::diagnostics(parsed, self.tree.text(), self.tree.grammar()))
    }

    fn parse_errors(&self) -> Vec<Diagnostic> {
        let mut errors =
            self.tree.with(|parsed| diagnostics::parse_errors(parsed, self.tree.text(), self.tree.grammar()));
        errors.retain(|problem| problem.severity != Severity::Warning);
        errors
    }

    fn embedded(&self) -> Vec<Embedded> {
        let (path, text) = (self.tree.path(), self.tree.text());
        let outline = components::outline_of(path, text);
        let styles = outline.into_iter().flat_map(|outline| outline.styles);
        let part = |style: std::ops::Range<usize>| {
            let language = components::style_language(text, style.start)?.to_owned();
            Some(Embedded { span: Span::new(style.start, style.end), language })
        };
        let styles = styles.filter(|style| !text[style.clone()].trim().is_empty()).filter_map(part);
        // The markup is the whole file: scripts and styles are elements of it, and can be inside other elements. The
        // styles come first, so that a selector that is the one of a rule names the rule.
        let markup = components::is_component(path)
            .then(|| Embedded { span: Span::new(0, text.len()), language: components::MARKUP_LANGUAGE.to_owned() });
        styles.chain(markup).collect()
    }

    fn outline(&self) -> Vec<Node> {
        let table = self.table();
        let shown = table.shown_in_outline();
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
                let doc =
                    comments::attached_comment(&parsed.program.comments, self.tree.text(), decl.span.range().start);
                let mut node = self.node(id, decl, address, doc);
                node.parent = decl.parent().map(|parent| index[parent as usize]);
                nodes.push(node);
            }
        });
        nodes
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        match query.target.kind {
            TargetKind::Symbol => self.find_symbols(query),
            TargetKind::Region => self.find_region(query),
            kind => Err(Failure::unsupported_target("TypeScript", kind)
                .hint("give a symbol such as `UserService.findById`, a region (`imports`, `exports`) or `lines`")),
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
                    let name = decl.name.resolve(self.tree.text());
                    Err(Failure::unsupported(format!("{} `{name}` has no body", decl.kind.label()))
                        .hint("use `format: full`"))
                }
                (Form::Signature, _) => Ok(View::Text(viewer.signature(decl))),
                (Form::Summary, _) => Ok(View::Text(viewer.summary(id, decl))),
            }
        })
    }

    fn dependencies(&self, node: NodeId) -> Vec<Dependency> {
        match self.target(node) {
            Ok(target) => self.tree.with(|parsed| dependencies::dependencies_within(parsed, &self.tree, target.span())),
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
