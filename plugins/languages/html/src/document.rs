//! An open document: finds, shows and lists nodes.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, Embedded, Failure, FailureKind, FindResult, Form, Node, NodeId, Nodes,
    Operation, Query, Result, Span, Target, TargetKind, View, fail, nearest,
};

use crate::address::{self, Addresses};
use crate::location::{self, Item};
use crate::syntax::{Dialect, Id, Name, Tree};
use crate::{edit, embedded, outline, target, view};

/// An HTML document.
#[derive(Debug)]
pub struct HtmlDocument {
    pub(crate) tree: Tree,
    addresses: OnceCell<Addresses>,
}

/// First id of attributes; the rest of the id is the index of the attribute.
const FIRST_ATTRIBUTE: NodeId = 0x4000_0000;
/// Maximum number of elements considered for suggestions.
const MAX_CANDIDATES: usize = 2000;
/// Maximum length of an address in suggestions.
const MAX_CANDIDATE_LEN: usize = 120;
/// Id of the doctype.
const DOCTYPE_ID: NodeId = 0x3fff_ffff;

impl HtmlDocument {
    pub(crate) fn new(tree: Tree) -> HtmlDocument {
        HtmlDocument { tree, addresses: OnceCell::new() }
    }

    /// Item of a node id.
    pub(crate) fn item(&self, node: NodeId) -> Result<Item> {
        let tree = &self.tree;
        let item = match node {
            DOCTYPE_ID => tree.doctype.as_ref().and_then(|doctype| doctype.span).map(Item::Doctype),
            FIRST_ATTRIBUTE.. => {
                let number = (node - FIRST_ATTRIBUTE) as usize;
                tree.attributes.get(number).map(|attribute| Item::Attribute(*attribute))
            }
            _ => (node < tree.element_count() && !tree.element(node).implied).then_some(Item::Element(node)),
        };
        item.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {node}")))
    }

    pub(crate) fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::new(&self.tree))
    }

    pub(crate) fn address(&self, id: Id) -> String {
        self.addresses().address_of(&self.tree, id)
    }

    /// Node of an element.
    pub(crate) fn element_node(&self, id: Id) -> Node {
        let tree = &self.tree;
        let element = tree.element(id);
        let name = location::tag_name(tree, id);
        Node {
            id,
            parent: None,
            kind: "element".to_owned(),
            name: view::element_label(tree, id),
            address: self.address(id),
            span: element.span(),
            selection: name,
            body: location::body(tree, id),
            doc: location::doc_comments(tree, id),
            level: heading_level(tree, id),
            value: None,
        }
    }

    fn attribute_node(&self, id: Id, number: u32) -> Node {
        let attribute = self.tree.attributes[number as usize];
        let name = attribute.name.slice(&self.tree.text);
        Node {
            id: FIRST_ATTRIBUTE + number,
            parent: None,
            kind: "attribute".to_owned(),
            name: name.to_owned(),
            address: format!("{}@{name}", self.address(id)),
            span: location::attribute_span(&self.tree, attribute),
            selection: attribute.name,
            body: attribute.value,
            doc: None,
            level: None,
            value: None,
        }
    }

    /// Fails if the markup of a component is not balanced.
    fn check_readable(&self) -> Result<()> {
        let Some(found) = self.tree.unreadable() else { return Ok(()) };
        let line = self.tree.text[..found.span.range().start].matches('\n').count() + 1;
        let message = found.to_diagnostic(&self.tree.text).message;
        Err(fail(
            FailureKind::ParseError,
            format!("the markup of the component cannot be read: line {line}: {message}"),
        )
        .hint("correct it with `lines` or `replace_text`; selectors find nothing until then"))
    }

    fn find_selector(&self, query: &Query) -> Result<FindResult> {
        let (selector, attribute) = target::split_target(&query.target.value);
        let selector = if attribute.is_some() && selector.trim().is_empty() { "*" } else { selector };
        let found = target::select(&self.tree, selector)?;
        let written: Vec<Id> = found.iter().filter(|id| !self.tree.element(*id).implied).collect();
        if written.is_empty() {
            let implied = found.iter().next();
            return Err(implied.map_or_else(|| self.not_found(selector), |id| self.implied_element_error(selector, id)));
        }
        match attribute {
            None => Ok(limit_matches(query, &written, |id| self.element_node(*id))),
            Some(name) => self.find_attribute(query, selector, &written, name),
        }
    }

    fn find_attribute(&self, query: &Query, selector: &str, elements: &[Id], name: &str) -> Result<FindResult> {
        let found: Vec<(Id, u32)> =
            elements.iter().filter_map(|id| self.tree.attribute(*id, name).map(|(number, _)| (*id, number))).collect();
        if !found.is_empty() {
            return Ok(limit_matches(query, &found, |(id, number)| self.attribute_node(*id, *number)));
        }
        if name.is_empty() {
            return Err(fail(FailureKind::InvalidTarget, "missing attribute name after `@`")
                .hint("write `selector@name`, such as `img.logo@src`"));
        }
        let text = self.tree.text.as_str();
        let given =
            elements.iter().flat_map(|id| self.tree.attributes(*id)).map(|attribute| attribute.name.slice(text));
        let candidates = nearest(name, given).into_iter().map(|name| format!("{selector}@{name}"));
        let message = format!("no element that matches `{selector}` has an attribute `{name}`");
        let hint = "use an existing attribute, or create it with `replace` and `upsert`";
        Err(fail(FailureKind::TargetNotFound, message).hint(hint).candidates(candidates))
    }

    fn create_attribute(&self, wanted: &str, content: &str) -> Result<Vec<Edit>> {
        let (selector, name) = target::split_target(wanted);
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            let message = format!("cannot create `{}`: elements cannot be created by selector", wanted.trim());
            return Err(fail(FailureKind::InvalidTarget, message)
                .hint("use `insert_into` on the parent element; only attributes can be created: `img.logo@alt`"));
        };
        let selector = if selector.trim().is_empty() { "*" } else { selector };
        let found = target::select(&self.tree, selector)?;
        let written: Vec<Id> = found.iter().filter(|id| !self.tree.element(*id).implied).collect();
        match written[..] {
            [] => Err(self.not_found(selector)),
            [id] => edit::create_attribute(&self.tree, id, name, content),
            _ => Err(fail(FailureKind::InvalidTarget, format!("`{selector}` matches {} elements", written.len()))
                .hint("use one of the candidates")
                .candidates(written.iter().take(12).map(|id| format!("{}@{name}", self.address(*id))))),
        }
    }

    fn not_found(&self, selector: &str) -> Failure {
        let tree = &self.tree;
        let mut known: BTreeSet<String> = BTreeSet::new();
        for id in (0..tree.element_count()).filter(|id| !tree.element(*id).implied).take(MAX_CANDIDATES) {
            let address = self.address(id);
            if address.len() <= MAX_CANDIDATE_LEN {
                known.insert(address);
            }
            let classes = tree.attribute_value(id, "class").unwrap_or_default();
            known.extend(classes.split_ascii_whitespace().map(|class| {
                let mut selector = ".".to_owned();
                address::escape(class, &mut selector);
                selector
            }));
        }
        let failure = Failure::not_found("element", selector.trim(), known.iter().map(String::as_str));
        match self.unread_template() {
            Some(language) => failure.hint(format!("the template is written in `{language}`: use `lines` to edit it")),
            None => failure,
        }
    }

    /// Language of a template of a Vue component whose content is not read.
    fn unread_template(&self) -> Option<Cow<'_, str>> {
        let tree = &self.tree;
        let mut templates = tree.roots().filter(|id| tree.is_html_element(*id, Name::TEMPLATE));
        let language = templates.find_map(|id| tree.attribute_value(id, "lang"))?;
        (tree.dialect == Dialect::Vue && language != "html").then_some(language)
    }

    fn implied_element_error(&self, selector: &str, id: Id) -> Failure {
        let name = self.tree.name(id);
        let message = format!("`{selector}` matches only an implied `<{name}>`, which has no tags in the file");
        let inner = self.tree.children_with_tags(id);
        fail(FailureKind::TargetNotFound, message)
            .hint("target the elements inside it")
            .candidates(inner.into_iter().take(12).map(|id| self.address(id)))
    }

    fn find_region(&self, query: &Query) -> Result<FindResult> {
        let tree = &self.tree;
        let wanted = |id: &Id| {
            let element = tree.element(*id);
            !element.implied
                && match query.target.value.trim() {
                    "head" => element.is_html_element(Name::HEAD),
                    "body" => element.is_html_element(Name::BODY),
                    "title" => element.is_html_element(Name::TITLE),
                    "scripts" => element.name == Name::SCRIPT,
                    "styles" => element.name == Name::STYLE || location::is_stylesheet_link(tree, *id),
                    _ => false,
                }
        };
        let name = query.target.value.trim();
        if !target::region_help().iter().any(|region| region.name == name) {
            let regions = target::region_help();
            return Err(fail(FailureKind::InvalidTarget, format!("no region `{name}`"))
                .hint("use one of the candidates")
                .candidates(regions.into_iter().map(|region| region.name)));
        }
        if name == "doctype" {
            let span = tree.doctype.as_ref().and_then(|doctype| doctype.span);
            let nodes = span.map(doctype_node).into_iter().collect::<Vec<_>>();
            return if nodes.is_empty() {
                Err(region_not_found(name))
            } else {
                Ok(FindResult::Nodes(Nodes { nodes, total: 1 }))
            };
        }
        let found: Vec<Id> = (0..tree.element_count()).filter(wanted).collect();
        if found.is_empty() {
            return Err(region_not_found(name));
        }
        Ok(limit_matches(query, &found, |id| self.element_node(*id)))
    }
}

fn region_not_found(name: &str) -> Failure {
    fail(FailureKind::TargetNotFound, format!("the page has no region `{name}`"))
        .hint("`head` and `body` without tags are only implied: use selectors to target the elements inside")
}

fn limit_matches<T>(query: &Query, found: &[T], node: impl Fn(&T) -> Node) -> FindResult {
    let nodes = found.iter().take(query.limit as usize).map(node).collect();
    FindResult::Nodes(Nodes { nodes, total: found.len() as u32 })
}

fn doctype_node(span: Span) -> Node {
    Node::plain(DOCTYPE_ID, "doctype", "doctype", span)
}

fn heading_level(tree: &Tree, id: Id) -> Option<u8> {
    let levels = [Name::H1, Name::H2, Name::H3, Name::H4, Name::H5, Name::H6];
    levels.iter().position(|name| tree.is_html_element(id, *name)).map(|level| level as u8 + 1)
}

impl Document for HtmlDocument {
    fn text(&self) -> &str {
        &self.tree.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.tree.diagnostics.iter().map(|fault| fault.to_diagnostic(&self.tree.text)).collect()
    }

    fn outline(&self) -> Vec<Node> {
        outline::outline(self)
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        self.check_readable()?;
        match query.target.kind {
            TargetKind::Selector => self.find_selector(query),
            TargetKind::Region => self.find_region(query),
            kind => {
                Err(Failure::unsupported_target("HTML", kind).hint("use `selector`, such as `#main` or `nav a.active`"))
            }
        }
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        view::view(&self.tree, self.item(node)?, form)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        let items = nodes.iter().map(|node| self.item(*node)).collect::<Result<Vec<Item>>>()?;
        edit::edit(&self.tree, &items, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        self.check_readable()?;
        match target.kind {
            TargetKind::Selector => self.create_attribute(&target.value, content),
            _ => Err(Failure::unsupported(format!("cannot create `{}`", target.value))
                .hint("only attributes can be created by a target: `selector@name`; use `insert_into` for elements")),
        }
    }

    fn embedded(&self) -> Vec<Embedded> {
        embedded::embedded_code(&self.tree)
    }
}
