//! Hover information of elements and attributes: their declarations in a DTD or schema, in the document or in the
//! workspace.

mod declaration;
mod declarations;
mod schema;

use marquetry_sdk::{
    Destination, FileLocation, Hover, HoverInfo, Note, Span,
    paths::{folder, join},
    workspace,
};

use self::declaration::DeclarationInfo;
use crate::{
    Xml,
    document::XmlDocument,
    links::resolve,
    tree::{Id, Kind, Tree},
};

/// Element or attribute whose name or value is at an offset.
fn node_at(document: &XmlDocument, offset: u32) -> Option<(Id, Span)> {
    let (tree, text) = (&document.tree, document.text.as_str());
    let mut found = None;
    let mut id = tree.root()?;
    loop {
        if tree.is_from_entity(id) {
            return found;
        }
        let name = tree.name_span(text, id);
        if name.touches(offset as usize) {
            return Some((id, name));
        }
        for attribute in tree.attributes(id).filter(|attribute| !tree.is_default(*attribute)) {
            let name = tree.name_span(text, attribute);
            let value = Tree::value_span(text, tree.span(attribute));
            if name.touches(offset as usize) || value.touches(offset as usize) {
                return Some((attribute, if name.touches(offset as usize) { name } else { value }));
            }
        }
        // Check the name in the end tag, too.
        let end = tree.body(text, id).map(|body| Span::new(body.range().end + 2, tree.span(id).range().end - 1));
        if let Some(end) = end.filter(|end| end.touches(offset as usize)) {
            return Some((id, end));
        }
        found = None;
        let inside = tree.elements(id).find(|child| tree.span(*child).touches(offset as usize))?;
        id = inside;
    }
}

/// Returns the elements from the root to a node, including the node if it is an element.
fn ancestor_path(document: &XmlDocument, id: Id) -> Vec<Id> {
    let tree = &document.tree;
    let mut way: Vec<Id> = std::iter::successors(Some(id), |at| tree.parent(*at)).collect();
    way.retain(|id| tree.kind(*id) == Kind::Element);
    way.reverse();
    way
}

fn find_declaration(document: &XmlDocument, id: Id) -> Option<DeclarationInfo> {
    let tree = &document.tree;
    let way = ancestor_path(document, id);
    let element = *way.last()?;
    let attribute = (tree.kind(id) == Kind::Attribute).then(|| tree.written_name(id));
    if let Some(dtd) = tree.dtd.span
        && let Some(found) = declarations::find_in_dtd(dtd.slice(&document.text), tree.written_name(element), attribute)
    {
        return Some(DeclarationInfo { offset: found.offset + dtd.range().start, ..found });
    }
    if let Some(system) = tree.dtd.system
        && let Destination::Inside(file) = resolve(&document.path, "dtd", system.slice(&document.text))
        && let Some(text) = workspace::read(&file.path).ok()
        && let Some(found) = declarations::find_in_dtd(&text, tree.written_name(element), attribute)
    {
        return Some(DeclarationInfo { path: Some(file.path), ..found });
    }
    let names: Vec<&str> = way.iter().map(|id| tree.names.written_form(tree.name(*id)).local()).collect();
    let attribute = (tree.kind(id) == Kind::Attribute).then(|| tree.names.written_form(tree.name(id)).local());
    schema_files(document).into_iter().find_map(|path| {
        let schema = XmlDocument::new(&path, workspace::read(&path).ok()?);
        let found = schema::find_in_schema(&schema, &names, attribute)?;
        Some(DeclarationInfo { path: Some(path), ..found })
    })
}

/// Schemas that the root refers to and that are in the workspace.
fn schema_files(document: &XmlDocument) -> Vec<String> {
    let tree = &document.tree;
    let Some(root) = tree.root() else { return Vec::new() };
    let mut found = Vec::new();
    for attribute in tree.attributes(root) {
        let value = tree.string_value(&document.text, attribute);
        let names: Vec<&str> = match tree.names.written_form(tree.name(attribute)).local() {
            "noNamespaceSchemaLocation" => vec![value.trim()],
            "schemaLocation" => value.split_whitespace().skip(1).step_by(2).collect(),
            _ => continue,
        };
        let located = names.into_iter().filter_map(|name| join(folder(&document.path), name));
        found.extend(located.filter(|path| workspace::stat(path).is_some()));
    }
    found
}

impl Hover for Xml {
    fn hover(document: &XmlDocument, offset: u32) -> Option<HoverInfo> {
        let (id, span) = node_at(document, offset)?;
        let tree = &document.tree;
        let is_attribute = tree.kind(id) == Kind::Attribute;
        let mut info =
            HoverInfo::plain(tree.written_name(id), if is_attribute { "attribute" } else { "element" }, span);
        if is_attribute {
            info = info.note("value", tree.string_value(&document.text, id));
        } else {
            let (children, attributes) = (tree.elements(id).count(), tree.attributes(id).len());
            info = info.note("has", format!("{attributes} attributes, {children} elements"));
        }
        let Some(entry) = find_declaration(document, id) else { return Some(info) };
        let place =
            FileLocation { path: entry.path.unwrap_or_else(|| document.path.clone()), offset: entry.offset as u32 };
        info.type_ = Some(entry.content_type).filter(|content| !content.is_empty());
        info.code = Some(entry.code).filter(|code| !code.is_empty());
        info.documentation = entry.documentation;
        info.notes.extend(entry.notes.into_iter().map(|(label, text)| Note {
            label: label.to_owned(),
            text,
            location: None,
        }));
        info.notes.push(Note { label: "declared".to_owned(), text: place.path.clone(), location: Some(place) });
        Some(info)
    }

    fn type_definitions(document: &XmlDocument, offset: u32) -> Vec<FileLocation> {
        let found = node_at(document, offset).and_then(|(id, _)| find_declaration(document, id));
        let place = |entry: DeclarationInfo| FileLocation {
            path: entry.path.unwrap_or_else(|| document.path.clone()),
            offset: entry.offset as u32,
        };
        found.into_iter().map(place).collect()
    }
}
