//! A document whose nodes are the symbols that a language server reports.

use std::{collections::HashMap, sync::Arc};

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    nearest::nearest_addresses,
    pack::{
        Dependency, EditOptions, Embedded, FindResult, Form, Node, Operation, PackDiagnostic, Query, Target,
        TargetKind, View,
    },
    ports::{Document, Source, version},
    servers::{ServerQuestion, ServerSymbol},
};

use super::{ServerPack, edits, layout};

/// Maximum number of addresses that an error names.
const MAX_CANDIDATES: usize = 12;

pub(super) struct ServerDocument {
    pack: Arc<ServerPack>,
    /// The document of the pack for plain text.
    plain: Box<dyn Document>,
    path: String,
    text: Arc<str>,
    /// The nodes, once the server was asked.
    nodes: Option<Vec<Node>>,
}

impl ServerDocument {
    pub(super) fn new(pack: Arc<ServerPack>, plain: Box<dyn Document>, path: &str, text: &Arc<str>) -> ServerDocument {
        ServerDocument { pack, plain, path: path.to_owned(), text: Arc::clone(text), nodes: None }
    }

    fn nodes(&mut self) -> Result<&[Node]> {
        if self.nodes.is_none() {
            self.nodes = Some(self.nodes_of(&Arc::clone(&self.text))?);
        }
        Ok(self.nodes.as_deref().unwrap_or_default())
    }

    /// Returns the nodes of the document with another text.
    fn nodes_of(&self, text: &Arc<str>) -> Result<Vec<Node>> {
        let source =
            Source { path: self.path.clone(), text: Arc::clone(text), hash: text_id(text), size: text.len() as u64 };
        let ServerPack { files, server, work, .. } = self.pack.as_ref();
        let answer = server.symbols(ServerQuestion { files, source: &source, offset: 0, work })?;
        Ok(to_nodes(text, &answer.answer))
    }

    fn node(&mut self, id: u32) -> Result<Node> {
        let node = self.nodes()?.get(id as usize).cloned();
        node.ok_or_else(|| Error::internal(format!("no node {id}")))
    }

    fn find_symbol(&mut self, query: &Query) -> Result<FindResult> {
        let wanted = query.target.value.trim();
        let (path, server) = (self.path.clone(), self.pack.server.id().to_owned());
        let nodes = self.nodes()?;
        let exact: Vec<&Node> = nodes.iter().filter(|node| node.address == wanted).collect();
        // An address without its first segments selects all nodes whose addresses end with it.
        let is_end = |node: &&Node| node.address.strip_suffix(wanted).is_some_and(|before| before.ends_with('.'));
        let found = if exact.is_empty() { nodes.iter().filter(is_end).collect() } else { exact };
        if found.is_empty() {
            let known = || nodes.iter().map(|node| node.address.as_str());
            let mut near = nearest_addresses(wanted, known());
            if near.is_empty() {
                near = known().take(MAX_CANDIDATES).map(str::to_owned).collect();
            }
            return Err(Error::new(
                Kind::TargetNotFound,
                format!("the server `{server}` reports no `{wanted}` in {path}"),
            )
            .hint("query `documentSymbols` lists all symbols of the file")
            .candidates(near));
        }
        let total = found.len();
        Ok(FindResult::Nodes(found.into_iter().take(query.limit).cloned().collect(), total))
    }

    /// Refuses edits after which the server no longer reports the other symbols of the file.
    fn check_others(&mut self, edited: &[u32], edits: &EditSet) -> Result<()> {
        let before = self.nodes()?.to_vec();
        let is_edited = |node: &Node| {
            let mut index = Some(node.id as usize);
            while let Some(at) = index {
                if edited.contains(&before[at].id) {
                    return true;
                }
                index = before[at].parent.map(|parent| parent as usize);
            }
            false
        };
        let after = self.nodes_of(&Arc::from(edits.apply(&self.text)))?;
        let mut known: HashMap<(&str, String), usize> = HashMap::new();
        for (node, path) in after.iter().zip(paths(&after)) {
            *known.entry((&node.kind, path)).or_default() += 1;
        }
        for (node, path) in before.iter().zip(paths(&before)).filter(|(node, _)| !is_edited(node)) {
            match known.get_mut(&(node.kind.as_str(), path)) {
                Some(count) if *count > 0 => *count -= 1,
                _ => {
                    let message = format!(
                        "after the edit, the server would no longer report the {} `{}`",
                        node.kind, node.address
                    );
                    return Err(Error::argument(message)
                        .hint("check brackets and indentation of the content; `force` overrides"));
                }
            }
        }
        Ok(())
    }
}

/// Returns an id that differs for different texts of the document, because the server gets each text only once.
fn text_id(text: &str) -> String {
    format!("text {:x}", version(text))
}

/// Returns the path of each node: the names of the nodes around it and its own name.
fn paths(nodes: &[Node]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let around = node.parent.and_then(|parent| all.get(parent as usize));
        let path = around.map_or_else(|| node.name.clone(), |around| format!("{around}.{}", node.name));
        all.push(path);
    }
    all
}

/// Converts symbols to nodes with unique addresses.
fn to_nodes(text: &str, symbols: &[ServerSymbol]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(symbols.len());
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (index, symbol) in symbols.iter().enumerate() {
        let parent = symbol.parent.filter(|parent| *parent < index);
        let plain = match parent {
            Some(parent) => format!("{}.{}", nodes[parent].address, symbol.name),
            None => symbol.name.clone(),
        };
        let count = counts.entry(plain.clone()).and_modify(|count| *count += 1).or_insert(1);
        let address = if *count == 1 { plain } else { format!("{plain}#{count}") };
        nodes.push(Node {
            id: u32::try_from(index).unwrap_or(u32::MAX),
            parent: parent.and_then(|parent| u32::try_from(parent).ok()),
            kind: symbol.kind.to_owned(),
            name: symbol.name.clone(),
            address,
            span: symbol.span,
            selection: symbol.selection,
            body: layout::body_of(text, symbol.span, symbol.selection),
            doc: layout::comment_before(text, symbol.span.start),
            ..Node::default()
        });
    }
    nodes
}

impl Document for ServerDocument {
    fn outline(&mut self) -> Result<Vec<Node>> {
        self.nodes().map(<[Node]>::to_vec)
    }

    fn find(&mut self, query: &Query) -> Result<FindResult> {
        match query.target.kind {
            TargetKind::Symbol => self.find_symbol(query),
            _ => self.plain.find(query),
        }
    }

    fn view(&mut self, node: u32, form: Form) -> Result<View> {
        let node = self.node(node)?;
        Ok(View::Span(match form {
            Form::Full => node.span,
            Form::Body => node.body.unwrap_or(node.span),
            Form::Signature | Form::Summary => layout::first_line(&self.text, node.span, node.body),
        }))
    }

    fn edit(&mut self, nodes: &[u32], operation: &Operation, options: EditOptions) -> Result<EditSet> {
        let nodes: Vec<Node> = nodes.iter().map(|id| self.node(*id)).collect::<Result<_>>()?;
        let mut all = Vec::new();
        for node in &nodes {
            all.extend(edits::edits_of(&self.text, node, operation, options)?);
        }
        let set = EditSet::new(&self.text, all)?;
        if !options.force {
            let ids: Vec<u32> = nodes.iter().map(|node| node.id).collect();
            self.check_others(&ids, &set)?;
        }
        Ok(set)
    }

    fn edit_ranges(&mut self, nodes: &[u32], _operation: &Operation) -> Result<Vec<Span>> {
        let nodes: Vec<Node> = nodes.iter().map(|id| self.node(*id)).collect::<Result<_>>()?;
        Ok(nodes.iter().map(|node| layout::lines_with_blanks(&self.text, node)).collect())
    }

    fn stays_well_formed(&mut self, _edits: &[Edit]) -> Result<bool> {
        Ok(true)
    }

    fn diagnostics(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.plain.diagnostics()
    }

    fn parse_errors(&mut self) -> Result<Vec<PackDiagnostic>> {
        self.plain.parse_errors()
    }

    fn dependencies(&mut self, _node: u32) -> Result<Vec<Dependency>> {
        Ok(Vec::new())
    }

    fn insert_missing(&mut self, target: &Target, content: &str) -> Result<EditSet> {
        self.plain.insert_missing(target, content)
    }

    fn embedded(&mut self) -> Result<Vec<Embedded>> {
        self.plain.embedded()
    }
}
