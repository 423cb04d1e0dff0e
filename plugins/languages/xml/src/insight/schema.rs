//! Declarations in a schema (XSD), found along the path from the root to an element, through types, groups and
//! references.

use super::entry::Entry;
use crate::{
    document::XmlDocument,
    tree::{Id, Kind},
};

/// Maximum nesting of types to follow.
const DEEPEST: usize = 16;
/// Maximum number of lines shown of a declaration.
const MOST_LINES: usize = 12;

/// Declaration of the element at the end of the path, or of its attribute.
pub(super) fn find(schema: &XmlDocument, way: &[&str], attribute: Option<&str>) -> Option<Entry> {
    let schema = Schema { document: schema };
    let (first, rest) = way.split_first()?;
    let start = schema.global("element", first);
    let by_way = start.and_then(|start| {
        rest.iter().try_fold(start, |at, name| {
            let found = schema.inside(at, "element", 0).into_iter().find(|inner| schema.is_called(*inner, name))?;
            Some(schema.referred(found))
        })
    });
    // For a part of a document, or a different root: use the global declaration.
    let element = by_way.or_else(|| schema.global("element", way.last()?))?;
    let Some(attribute) = attribute else { return Some(schema.entry(element)) };
    let found = schema.inside(element, "attribute", 0).into_iter().find(|inner| schema.is_called(*inner, attribute))?;
    Some(schema.entry(schema.referred(found)))
}

struct Schema<'d> {
    document: &'d XmlDocument,
}

impl Schema<'_> {
    fn local(&self, id: Id) -> &str {
        let tree = &self.document.tree;
        tree.names.of(tree.name(id)).local()
    }

    fn value(&self, id: Id, attribute: &str) -> Option<String> {
        let tree = &self.document.tree;
        Some(tree.string_value(&self.document.text, tree.attribute(id, attribute)?).into_owned())
    }

    /// Name that an attribute refers to, without its prefix.
    fn name(&self, id: Id, attribute: &str) -> Option<String> {
        let value = self.value(id, attribute)?;
        Some(value.rsplit(':').next().unwrap_or_default().to_owned())
    }

    fn is_called(&self, id: Id, name: &str) -> bool {
        [self.name(id, "name"), self.name(id, "ref")].iter().flatten().any(|known| known == name)
    }

    /// Global declaration of this kind with a name.
    fn global(&self, kind: &str, name: &str) -> Option<Id> {
        let tree = &self.document.tree;
        let is_it = |id: &Id| self.local(*id) == kind && self.value(*id, "name").is_some_and(|known| known == name);
        tree.elements(tree.root()?).find(is_it)
    }

    /// Target of `ref`, or the declaration itself.
    fn referred(&self, id: Id) -> Id {
        self.name(id, "ref").and_then(|name| self.global(self.local(id), &name)).unwrap_or(id)
    }

    /// Elements or attributes declared in the type of an element, in its groups and base types.
    fn inside(&self, id: Id, wanted: &str, depth: usize) -> Vec<Id> {
        let tree = &self.document.tree;
        let mut found = Vec::new();
        if depth > DEEPEST {
            return found;
        }
        let named = |attribute: &str, kind: &str| self.name(id, attribute).and_then(|name| self.global(kind, &name));
        let type_here = named("type", "complexType").filter(|_| matches!(self.local(id), "element"));
        let base = named("base", "complexType").filter(|_| matches!(self.local(id), "extension" | "restriction"));
        let group = named("ref", "group").filter(|_| self.local(id) == "group");
        let attributes = named("ref", "attributeGroup").filter(|_| self.local(id) == "attributeGroup");
        for other in [type_here, base, group, attributes].into_iter().flatten() {
            found.extend(self.inside(other, wanted, depth + 1));
        }
        for child in tree.elements(id) {
            match self.local(child) {
                kind if kind == wanted => found.push(child),
                "element" | "attribute" | "annotation" => {}
                _ => found.extend(self.inside(child, wanted, depth + 1)),
            }
        }
        found
    }

    fn entry(&self, id: Id) -> Entry {
        let (tree, text) = (&self.document.tree, self.document.text.as_str());
        let span = tree.span(id);
        let all: Vec<&str> = span.of(text).lines().collect();
        let mut code = all.iter().take(MOST_LINES).copied().collect::<Vec<_>>().join("\n");
        if all.len() > MOST_LINES {
            code.push_str("\n…");
        }
        let notes = [
            ("use", "use"),
            ("default", "default"),
            ("fixed", "fixed"),
            ("minOccurs", "at least"),
            ("maxOccurs", "at most"),
        ];
        let notes = notes.into_iter().filter_map(|(name, label)| Some((label, self.value(id, name)?)));
        let mut notes: Vec<(&'static str, String)> = notes.collect();
        let values = self.values(id);
        if !values.is_empty() {
            notes.push(("allowed values", values.join(", ")));
        }
        Entry {
            content: self.value(id, "type").unwrap_or_default(),
            code,
            documentation: self.documentation(id),
            notes,
            path: None,
            offset: span.range().start,
        }
    }

    /// Values that a simple type enumerates, inline or named.
    fn values(&self, id: Id) -> Vec<String> {
        let tree = &self.document.tree;
        let named = self.name(id, "type").and_then(|name| self.global("simpleType", &name));
        let own = tree.elements(id).find(|child| self.local(*child) == "simpleType");
        let Some(ty) = named.or(own) else { return Vec::new() };
        let inside = (ty..tree.after(ty)).filter(|id| tree.kind(*id) == Kind::Element);
        inside.filter(|id| self.local(*id) == "enumeration").filter_map(|id| self.value(id, "value")).collect()
    }

    /// Documentation in the `annotation` of a declaration or of its type.
    fn documentation(&self, id: Id) -> Option<String> {
        let tree = &self.document.tree;
        let own = |id: Id| {
            let annotation = tree.elements(id).find(|child| self.local(*child) == "annotation")?;
            let said = tree.elements(annotation).find(|child| self.local(*child) == "documentation")?;
            let text = tree.string_value(&self.document.text, said);
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let ty = || {
            let name = self.name(id, "type")?;
            own(self.global("complexType", &name).or_else(|| self.global("simpleType", &name))?)
        };
        own(id).or_else(ty)
    }
}
