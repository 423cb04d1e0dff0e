//! Declarations in a schema (XSD), found along the path from the root to an element, through types, groups and
//! references.

use super::declaration::DeclarationInfo;
use crate::{
    document::XmlDocument,
    tree::{Id, Kind},
};

/// Maximum nesting of types to follow.
const MAX_DEPTH: usize = 16;
/// Maximum number of lines shown of a declaration.
const MAX_LINES: usize = 12;

/// Returns the declaration of the element at the end of the path, or of one of its attributes.
pub(super) fn find_in_schema(schema: &XmlDocument, way: &[&str], attribute: Option<&str>) -> Option<DeclarationInfo> {
    let schema = Schema { document: schema };
    let (first, rest) = way.split_first()?;
    let start = schema.global_declaration("element", first);
    let by_way = start.and_then(|start| {
        rest.iter().try_fold(start, |at, name| {
            let found =
                schema.declarations_inside(at, "element", 0).into_iter().find(|inner| schema.has_name(*inner, name))?;
            Some(schema.resolve_ref(found))
        })
    });
    // The path does not match if the document is only a part or has another root. Use the global declaration.
    let element = by_way.or_else(|| schema.global_declaration("element", way.last()?))?;
    let Some(attribute) = attribute else { return Some(schema.declaration_info(element)) };
    let found = schema
        .declarations_inside(element, "attribute", 0)
        .into_iter()
        .find(|inner| schema.has_name(*inner, attribute))?;
    Some(schema.declaration_info(schema.resolve_ref(found)))
}

struct Schema<'d> {
    document: &'d XmlDocument,
}

impl Schema<'_> {
    fn local_name(&self, id: Id) -> &str {
        let tree = &self.document.tree;
        tree.names.written_form(tree.name(id)).local()
    }

    fn attribute_value(&self, id: Id, attribute: &str) -> Option<String> {
        let tree = &self.document.tree;
        Some(tree.string_value(&self.document.text, tree.attribute(id, attribute)?).into_owned())
    }

    /// Name that an attribute refers to, without its prefix.
    fn referenced_name(&self, id: Id, attribute: &str) -> Option<String> {
        let value = self.attribute_value(id, attribute)?;
        Some(value.rsplit(':').next().unwrap_or_default().to_owned())
    }

    fn has_name(&self, id: Id, name: &str) -> bool {
        [self.referenced_name(id, "name"), self.referenced_name(id, "ref")].iter().flatten().any(|known| known == name)
    }

    /// Global declaration of this kind with a name.
    fn global_declaration(&self, kind: &str, name: &str) -> Option<Id> {
        let tree = &self.document.tree;
        let is_it = |id: &Id| {
            self.local_name(*id) == kind && self.attribute_value(*id, "name").is_some_and(|known| known == name)
        };
        tree.elements(tree.root()?).find(is_it)
    }

    /// Returns the declaration that the `ref` attribute names, or the declaration itself without a `ref`.
    fn resolve_ref(&self, id: Id) -> Id {
        self.referenced_name(id, "ref")
            .and_then(|name| self.global_declaration(self.local_name(id), &name))
            .unwrap_or(id)
    }

    /// Returns the elements or attributes that the type of an element declares, including its groups and base types.
    fn declarations_inside(&self, id: Id, wanted: &str, depth: usize) -> Vec<Id> {
        let tree = &self.document.tree;
        let mut found = Vec::new();
        if depth > MAX_DEPTH {
            return found;
        }
        let named = |attribute: &str, kind: &str| {
            self.referenced_name(id, attribute).and_then(|name| self.global_declaration(kind, &name))
        };
        let type_here = named("type", "complexType").filter(|_| matches!(self.local_name(id), "element"));
        let base = named("base", "complexType").filter(|_| matches!(self.local_name(id), "extension" | "restriction"));
        let group = named("ref", "group").filter(|_| self.local_name(id) == "group");
        let attributes = named("ref", "attributeGroup").filter(|_| self.local_name(id) == "attributeGroup");
        for other in [type_here, base, group, attributes].into_iter().flatten() {
            found.extend(self.declarations_inside(other, wanted, depth + 1));
        }
        for child in tree.elements(id) {
            match self.local_name(child) {
                kind if kind == wanted => found.push(child),
                "element" | "attribute" | "annotation" => {}
                _ => found.extend(self.declarations_inside(child, wanted, depth + 1)),
            }
        }
        found
    }

    fn declaration_info(&self, id: Id) -> DeclarationInfo {
        let (tree, text) = (&self.document.tree, self.document.text.as_str());
        let span = tree.span(id);
        let all: Vec<&str> = span.slice(text).lines().collect();
        let mut code = all.iter().take(MAX_LINES).copied().collect::<Vec<_>>().join("\n");
        if all.len() > MAX_LINES {
            code.push_str("\n…");
        }
        let notes = [
            ("use", "use"),
            ("default", "default"),
            ("fixed", "fixed"),
            ("minOccurs", "at least"),
            ("maxOccurs", "at most"),
        ];
        let notes = notes.into_iter().filter_map(|(name, label)| Some((label, self.attribute_value(id, name)?)));
        let mut notes: Vec<(&'static str, String)> = notes.collect();
        let values = self.enumerated_values(id);
        if !values.is_empty() {
            notes.push(("allowed values", values.join(", ")));
        }
        DeclarationInfo {
            content_type: self.attribute_value(id, "type").unwrap_or_default(),
            code,
            documentation: self.documentation(id),
            notes,
            path: None,
            offset: span.range().start,
        }
    }

    /// Returns the values that a simple type enumerates. The type is either nested in the declaration or referenced by
    /// name.
    fn enumerated_values(&self, id: Id) -> Vec<String> {
        let tree = &self.document.tree;
        let named = self.referenced_name(id, "type").and_then(|name| self.global_declaration("simpleType", &name));
        let own = tree.elements(id).find(|child| self.local_name(*child) == "simpleType");
        let Some(ty) = named.or(own) else { return Vec::new() };
        let inside = (ty..tree.after(ty)).filter(|id| tree.kind(*id) == Kind::Element);
        inside
            .filter(|id| self.local_name(*id) == "enumeration")
            .filter_map(|id| self.attribute_value(id, "value"))
            .collect()
    }

    /// Documentation in the `annotation` of a declaration or of its type.
    fn documentation(&self, id: Id) -> Option<String> {
        let tree = &self.document.tree;
        let own = |id: Id| {
            let annotation = tree.elements(id).find(|child| self.local_name(*child) == "annotation")?;
            let said = tree.elements(annotation).find(|child| self.local_name(*child) == "documentation")?;
            let text = tree.string_value(&self.document.text, said);
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let ty = || {
            let name = self.referenced_name(id, "type")?;
            own(self
                .global_declaration("complexType", &name)
                .or_else(|| self.global_declaration("simpleType", &name))?)
        };
        own(id).or_else(ty)
    }
}
