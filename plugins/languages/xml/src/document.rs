//! An open document: finds, shows and lists nodes.

use std::cell::{OnceCell, RefCell};

use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, Failure, FailureKind, FindResult, Form, Node, NodeId, Nodes, Operation,
    Query, Result, Scalar, Span, Target, TargetKind, View, fail,
};

use crate::{
    address::{Addresses, Labels, Prefixes},
    parse, partial_check, suggest, summary,
    tree::{Id, Kind, Tree},
    xpath::{self, Expression, Outcome, Scope, nodes::NamespaceNodes},
};

/// Ids of the regions `declaration` and `doctype`, which are not XPath nodes.
pub(crate) const DECLARATION: Id = 0x7000_0000;
pub(crate) const DOCTYPE: Id = 0x7000_0001;

/// An XML document.
#[derive(Debug)]
pub struct XmlDocument {
    pub(crate) text: String,
    pub(crate) tree: Tree,
    pub(crate) namespaces: RefCell<NamespaceNodes>,
    pub(crate) prefixes: Prefixes,
    /// True if unprefixed element names can refer to the default namespace.
    pub(crate) unprefixed_matches_default: bool,
    labels: OnceCell<Labels>,
    /// Path from the root of the workspace.
    pub(crate) path: String,
    /// File extension, in lower case.
    pub(crate) extension: String,
}

impl XmlDocument {
    /// Parses the text of a file.
    pub(crate) fn new(path: &str, text: String) -> XmlDocument {
        let tree = parse::parse_document(&text);
        let prefixes = Prefixes::new(&tree);
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit('.').next().unwrap_or_default().to_owned();
        // If the file name implies the format, it also implies the namespace, so users do not expect to write a prefix.
        let unprefixed_matches_default = extension != "xml" || name == "pom.xml";
        let namespaces = RefCell::default();
        XmlDocument {
            text,
            tree,
            namespaces,
            prefixes,
            unprefixed_matches_default,
            labels: OnceCell::new(),
            path: path.to_owned(),
            extension,
        }
    }

    /// Returns the default namespace if unprefixed element names can refer to it. A name refers to it only if no
    /// element without a namespace has the name.
    fn unprefixed_namespace(&self) -> Option<u32> {
        self.prefixes.default.filter(|_| self.unprefixed_matches_default)
    }

    pub(crate) fn labels(&self) -> &Labels {
        self.labels.get_or_init(|| Labels::new(&self.tree, &self.prefixes, self.unprefixed_namespace()))
    }

    /// Evaluates an expression.
    pub(crate) fn evaluate(&self, source: &str) -> Result<(Outcome, Expression)> {
        let scope = Scope { tree: &self.tree, prefixes: &self.prefixes.bound, unprefixed: self.unprefixed_namespace() };
        let expression = Expression::new(source, &scope)?;
        let outcome = expression.evaluate(&self.text, &self.tree, &self.namespaces)?;
        Ok((outcome, expression))
    }

    fn find_xpath(&self, query: &Query) -> Result<FindResult> {
        let source = query.target.value.as_str();
        let (outcome, expression) = self.evaluate(source)?;
        let ids = match outcome {
            Outcome::Nodes(ids) if ids.is_empty() => return Err(suggest::not_found_error(self, source, &expression)),
            Outcome::Nodes(ids) => ids,
            scalar => return Ok(FindResult::Scalar(as_scalar(scalar))),
        };
        let total = ids.len() as u32;
        let mut addresses = Addresses::new(&self.tree, self.labels());
        let namespaces = self.namespaces.borrow();
        let mut nodes = Vec::with_capacity(ids.len().min(query.limit as usize));
        for id in ids.into_iter().take(query.limit as usize) {
            let mut node = self.node(id, addresses.address(id, &namespaces));
            if query.values {
                node.value = Some(json_string(&self.string_value(id)));
            }
            nodes.push(node);
        }
        Ok(FindResult::Nodes(Nodes { nodes, total }))
    }

    fn string_value(&self, id: Id) -> String {
        if xpath::nodes::is_namespace(id) {
            return self.tree.names.uri(self.namespaces.borrow().get(id).namespace).to_owned();
        }
        self.tree.string_value(&self.text, id).into_owned()
    }

    fn find_region(&self, name: &str) -> Result<FindResult> {
        let root = self.tree.root();
        let (id, span) = match name {
            "root" => (root, root.map(|id| self.tree.span(id))),
            "declaration" => (Some(DECLARATION), self.tree.xml_declaration),
            "doctype" => (Some(DOCTYPE), self.tree.dtd.span),
            _ => {
                return Err(fail(FailureKind::InvalidTarget, format!("no region `{name}` in XML"))
                    .hint("the regions are `root`, `doctype` and `declaration`")
                    .candidates(["root", "doctype", "declaration"].map(str::to_owned)));
            }
        };
        let (Some(id), Some(span)) = (id, span) else {
            return Err(fail(FailureKind::TargetNotFound, format!("the document has no {name}"))
                .hint("insert it before the region `root`")
                .candidates(root.map(|_| "root".to_owned())));
        };
        if Some(id) == root {
            let address = Addresses::new(&self.tree, self.labels()).node_address(id);
            return Ok(FindResult::Nodes(Nodes { nodes: vec![self.node(id, address)], total: 1 }));
        }
        Ok(FindResult::Nodes(Nodes { nodes: vec![region_node(id, name, span)], total: 1 }))
    }

    /// Span of a node that the host refers to.
    pub(crate) fn known_span(&self, id: Id) -> Result<Span> {
        let region = match id {
            DECLARATION => self.tree.xml_declaration,
            DOCTYPE => self.tree.dtd.span,
            _ if id < self.tree.len() || self.namespaces.borrow().has(id) => Some(self.span(id)),
            _ => None,
        };
        region.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {id}")))
    }
}

impl Document for XmlDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.tree.problems.clone()
    }

    fn outline(&self) -> Vec<Node> {
        self.outline_elements()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        match query.target.kind {
            TargetKind::Xpath => self.find_xpath(query),
            TargetKind::Region => self.find_region(&query.target.value),
            other => Err(unsupported_kind_error(other, &query.target.value)),
        }
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let span = self.known_span(node)?;
        let is_element = node < self.tree.len() && self.tree.kind(node) == Kind::Element;
        Ok(match form {
            Form::Signature if is_element && !self.tree.is_from_entity(node) => {
                View::Span(Span::new(span.range().start, self.tree.tag_end(&self.text, node)))
            }
            Form::Body if node < DECLARATION => match self.body(node).filter(|_| !self.is_declared_elsewhere(node)) {
                Some(body) => View::Span(body),
                None if is_element => View::Text(String::new()),
                None => View::Span(span),
            },
            Form::Summary
                if node < self.tree.len() && matches!(self.tree.kind(node), Kind::Element | Kind::Document) =>
            {
                View::Text(summary::summary(self, node))
            }
            _ => View::Span(span),
        })
    }

    fn stays_well_formed(&self, edits: &[Edit]) -> bool {
        self.tree.problems.is_empty() && partial_check::stays_well_formed(&self.text, &self.tree, edits)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        self.operation_edits(nodes, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        match target.kind {
            TargetKind::Xpath => self.create_missing(&target.value, content),
            _ => Err(Failure::unsupported(format!("`{}` cannot be created", target.value))
                .hint("give a path to an attribute or element, such as `/Project/PropertyGroup/Nullable`")),
        }
    }
}

fn region_node(id: Id, name: &str, span: Span) -> Node {
    Node::plain(id, "region", name, span)
}

fn as_scalar(outcome: Outcome) -> Scalar {
    match outcome {
        Outcome::Number(number) => {
            let text = xpath::print_number(number);
            let json = if number.is_finite() { text.clone() } else { json_string(&text) };
            Scalar { json, text }
        }
        Outcome::Boolean(value) => Scalar { json: value.to_string(), text: value.to_string() },
        Outcome::Text(text) => Scalar { json: json_string(&text), text },
        Outcome::Nodes(_) => Scalar { json: "null".to_owned(), text: String::new() },
    }
}

/// Serializes a string as JSON.
fn json_string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

fn unsupported_kind_error(kind: TargetKind, value: &str) -> Failure {
    let simple =
        value.split(['.', '#', '[', ' ', '>', '/', '$']).rfind(|part| crate::chars::is_name(part)).unwrap_or("name");
    Failure::unsupported_target("XML", kind).hint(format!("use `xpath`, such as `//{simple}`"))
}
