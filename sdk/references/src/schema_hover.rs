//! Hover information from a JSON Schema: description, type and allowed values. Schemas are searched in the workspace
//! and in installed packages; nothing is downloaded.

use std::{cell::RefCell, rc::Rc};

use marquetry_jsonpath::{Kind, Tree, ValueTable, json_text_within};
use marquetry_sdk::{
    FileLocation, HoverInfo, Note, Span,
    paths::{folders_around, has_scheme},
    workspace,
};

use crate::schema_files::{relative_address, schema_file, schema_from_settings};

/// Maximum nesting of schemas that are followed for one value.
const DEEPEST: usize = 24;
/// Maximum number of schemas per value.
const MOST_SCHEMAS: usize = 64;
/// Maximum number of schema files read per value.
const MOST_FILES: usize = 16;
/// Maximum length in bytes of a default, an example or a list of values.
const LONGEST_VALUE: usize = 400;
/// Folders that are searched for schemas, below each folder around a file.
const SCHEMA_FOLDERS: [&str; 3] = ["", "schemas", "schema"];
/// Keys whose value refers to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Maximum number of enumeration values to show.
const MOST_VALUES: usize = 40;

/// A document that schemas can be read from.
pub trait SchemaDocument: Sized {
    /// The node type of the document's tree.
    type Node: Copy + PartialEq;
    /// The type of the document's tree.
    type Tree<'a>: Tree<Node = Self::Node>
    where
        Self: 'a;

    /// Parses the text of a file.
    fn parse_schema(path: &str, text: String) -> Self;
    /// The tree of the document's values.
    fn tree(&self) -> Self::Tree<'_>;
    /// The start offset of a value.
    fn start(&self, node: Self::Node) -> u32;
    /// Returns whether the text has no problems.
    fn has_no_errors(&self) -> bool;
    /// Returns whether files with this path are such documents.
    fn supports_path(path: &str) -> bool;
}

/// One step of a path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// A member of an object.
    Member(String),
    /// An element of an array.
    Element(usize),
}

/// The path to the innermost value for which `holds` is true: its steps, the value, and its key.
pub fn path_to<L: ValueTable>(
    layout: &L,
    root: u32,
    holds: impl Fn(Option<L::Key>, u32) -> bool,
) -> (Vec<PathStep>, u32, Option<L::Key>) {
    let (mut steps, mut node, mut own) = (Vec::new(), root, None);
    loop {
        let found = layout.entries(node).enumerate().find(|(_, (key, value))| holds(*key, *value));
        let Some((index, (key, value))) = found else { return (steps, node, own) };
        steps.push(match key {
            Some(key) => PathStep::Member(layout.name(key).into_owned()),
            None => PathStep::Element(index),
        });
        (node, own) = (value, key);
    }
}

/// Hover information for a value, from the value itself and from its schema.
pub fn hover_info<D: SchemaDocument, T: Tree>(
    (tree, node): (&T, T::Node),
    (path, steps): (&str, &[PathStep]),
    given: Option<&str>,
    span: Span,
) -> HoverInfo {
    let name = match steps.last() {
        Some(PathStep::Member(name)) => name.clone(),
        Some(PathStep::Element(index)) => index.to_string(),
        None => "$".to_owned(),
    };
    let mut info = HoverInfo::plain(&name, tree.kind(node).name(), span);
    if !matches!(tree.kind(node), Kind::Object | Kind::Array) {
        info = info.note("value", json_text_within(tree, node, LONGEST_VALUE).unwrap_or_else(|| "…".to_owned()));
    }
    if let Some((schemas, at)) = reference_target::<D, T>((tree, node), (path, steps)) {
        let text = tree.text(node);
        let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
        let place = schemas.location(at);
        let to = if fragment.is_empty() { place.path.clone() } else { format!("{}#{fragment}", place.path) };
        let places = schemas.with_referenced(vec![at]);
        info.notes.push(Note { label: "leads to".to_owned(), text: to, location: Some(place) });
        return schemas.describe(&places, info);
    }
    let Some(found) = Schemas::<D>::for_document(tree, path, given) else { return info };
    let places = found.schemas_at(steps);
    found.describe(&places, info)
}

/// The target of a value that is a reference: `{"$ref": "#/$defs/name"}`.
fn reference_target<D: SchemaDocument, T: Tree>(
    (tree, node): (&T, T::Node),
    (path, steps): (&str, &[PathStep]),
) -> Option<(Schemas<D>, SchemaNode<D::Node>)> {
    let is_reference = matches!(steps.last(), Some(PathStep::Member(name)) if REFERENCES.contains(&name.as_str()));
    if !is_reference || tree.kind(node) != Kind::String {
        return None;
    }
    let schemas = Schemas { files: RefCell::default() };
    let own = schemas.load_file(path)?;
    let at = schemas.resolve_reference(schemas.root(own), &tree.text(node))?;
    Some((schemas, at))
}

/// The locations of the schemas of a value.
pub fn schema_locations<D: SchemaDocument, T: Tree>(
    tree: &T,
    (path, steps): (&str, &[PathStep]),
    given: Option<&str>,
) -> Vec<FileLocation> {
    let node = steps.iter().try_fold(tree.root(), |node, step| match step {
        PathStep::Member(name) => tree.member(node, name),
        PathStep::Element(index) => tree.element(node, *index),
    });
    if let Some((schemas, at)) = node.and_then(|node| reference_target::<D, T>((tree, node), (path, steps))) {
        return vec![schemas.location(at)];
    }
    let Some(found) = Schemas::<D>::for_document(tree, path, given) else { return Vec::new() };
    let places = found.schemas_at(steps);
    let place = |at: &SchemaNode<D::Node>| found.location(*at);
    places.iter().filter(|at| found.has_information(**at)).map(place).collect()
}

/// A schema: the index of its file in [`Schemas`], and the value in the file.
struct SchemaNode<N> {
    file: usize,
    node: N,
}

impl<N: Copy> Clone for SchemaNode<N> {
    fn clone(&self) -> SchemaNode<N> {
        *self
    }
}

impl<N: Copy> Copy for SchemaNode<N> {}

/// The schema files read for one query.
struct Schemas<D: SchemaDocument> {
    files: RefCell<Vec<(String, Rc<D>)>>,
}

impl<D: SchemaDocument> Schemas<D> {
    /// Finds the schema of a document: the one that the document names, or the one that the editor settings assign to
    /// its path.
    fn for_document<T: Tree>(tree: &T, path: &str, given: Option<&str>) -> Option<Schemas<D>> {
        let root = tree.root();
        let named = if tree.kind(root) == Kind::Object { tree.member(root, "$schema") } else { None };
        let named = named.filter(|node| tree.kind(*node) == Kind::String).map(|node| tree.text(node).into_owned());
        let looked = Schemas::<D> { files: RefCell::default() };
        let file = match given.map(str::to_owned).or(named) {
            Some(name) => looked.find_file(path, &name)?,
            None => schema_from_settings::<D>(path)?,
        };
        // Start again without the files that were read during the search: the schema must be the first file.
        let schemas = Schemas { files: RefCell::default() };
        schemas.load_file(&file)?;
        Some(schemas)
    }

    /// The schema file for a name used in a file: a path, or the `$id` of a file in the surrounding folders or in
    /// their schema folders.
    fn find_file(&self, from: &str, name: &str) -> Option<String> {
        let name = name.split('#').next().unwrap_or(name);
        if let Some(path) = schema_file(from, name) {
            return Some(path);
        }
        let last = name.rsplit('/').next().filter(|last| has_scheme(name) && !last.is_empty())?;
        let calls_itself = |path: &String| {
            let file = self.load_file(path)?;
            let id = self.member(self.root(file), "$id").or_else(|| self.member(self.root(file), "id"));
            let id = id.and_then(|id| self.text(id))?;
            (id.trim_end_matches('#') == name).then_some(())
        };
        let places = folders_around(from).flat_map(|around| SCHEMA_FOLDERS.map(|below| (around, below)));
        let paths = places.map(|(around, below)| {
            [around, below, last].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
        });
        let there = paths.filter(|path| workspace::stat(path).is_some());
        there.take(MOST_FILES).find(|path| calls_itself(path).is_some())
    }

    /// The index of a schema file; reads it if necessary.
    fn load_file(&self, path: &str) -> Option<usize> {
        if let Some(known) = self.files.borrow().iter().position(|(known, _)| known == path) {
            return Some(known);
        }
        if self.files.borrow().len() >= MOST_FILES {
            return None;
        }
        let document = Rc::new(D::parse_schema(path, workspace::read(path).ok()?));
        let mut files = self.files.borrow_mut();
        files.push((path.to_owned(), document));
        Some(files.len() - 1)
    }

    fn document(&self, file: usize) -> (String, Rc<D>) {
        self.files.borrow()[file].clone()
    }

    fn location(&self, at: SchemaNode<D::Node>) -> FileLocation {
        let (path, document) = self.document(at.file);
        FileLocation { path, offset: document.start(at.node) }
    }

    fn root(&self, file: usize) -> SchemaNode<D::Node> {
        SchemaNode { file, node: self.document(file).1.tree().root() }
    }

    /// The member of a schema.
    fn member(&self, at: SchemaNode<D::Node>, name: &str) -> Option<SchemaNode<D::Node>> {
        let (_, document) = self.document(at.file);
        let tree = document.tree();
        if tree.kind(at.node) != Kind::Object {
            return None;
        }
        tree.member(at.node, name).map(|node| SchemaNode { node, ..at })
    }

    fn elements(&self, at: SchemaNode<D::Node>) -> Vec<SchemaNode<D::Node>> {
        let (_, document) = self.document(at.file);
        let tree = document.tree();
        if tree.kind(at.node) != Kind::Array {
            return Vec::new();
        }
        tree.children(at.node).take(MOST_SCHEMAS).map(|node| SchemaNode { node, ..at }).collect()
    }

    fn text(&self, at: SchemaNode<D::Node>) -> Option<String> {
        let (_, document) = self.document(at.file);
        let tree = document.tree();
        (tree.kind(at.node) == Kind::String).then(|| tree.text(at.node).into_owned())
    }

    fn json(&self, at: SchemaNode<D::Node>) -> Option<String> {
        let (_, document) = self.document(at.file);
        json_text_within(&document.tree(), at.node, LONGEST_VALUE)
    }

    /// A schema with all schemas that it refers to or combines.
    fn with_referenced(&self, from: Vec<SchemaNode<D::Node>>) -> Vec<SchemaNode<D::Node>> {
        let mut found: Vec<SchemaNode<D::Node>> = Vec::new();
        let mut waiting: Vec<(SchemaNode<D::Node>, usize)> = from.into_iter().map(|at| (at, 0)).collect();
        waiting.reverse();
        while let Some((at, depth)) = waiting.pop() {
            let is_known = found.iter().any(|known| known.file == at.file && known.node == at.node);
            if is_known || depth > DEEPEST || found.len() >= MOST_SCHEMAS {
                continue;
            }
            found.push(at);
            let mut next = Vec::new();
            for key in REFERENCES {
                let reference = self.member(at, key).and_then(|reference| self.text(reference));
                next.extend(reference.and_then(|reference| self.resolve_reference(at, &reference)));
            }
            for key in ["allOf", "anyOf", "oneOf"] {
                next.extend(self.member(at, key).into_iter().flat_map(|list| self.elements(list)));
            }
            for key in ["if", "then", "else"] {
                next.extend(self.member(at, key));
            }
            waiting.extend(next.into_iter().rev().map(|at| (at, depth + 1)));
        }
        found
    }

    /// The target of a reference in a schema.
    fn resolve_reference(&self, at: SchemaNode<D::Node>, reference: &str) -> Option<SchemaNode<D::Node>> {
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let (own, _) = self.document(at.file);
        let id = self.member(self.root(at.file), "$id").and_then(|id| self.text(id));
        let id = id.as_deref().map(|id| id.trim_end_matches('#'));
        let is_own = path.is_empty() || id == Some(path);
        let beside = || schema_file(&own, id.and_then(|id| relative_address(id, path))?);
        let file = if is_own { at.file } else { self.load_file(&beside().or_else(|| self.find_file(&own, path))?)? };
        let root = self.root(file);
        if fragment.is_empty() {
            return Some(root);
        }
        match fragment.strip_prefix('/') {
            Some(pointer) => pointer.split('/').try_fold(root, |at, part| {
                let part = marquetry_sdk::urls::decode(part).replace("~1", "/").replace("~0", "~");
                self.member(at, &part).or_else(|| self.elements(at).get(part.parse::<usize>().ok()?).copied())
            }),
            None => self.find_anchor(root, fragment),
        }
    }

    /// The definition with an anchor.
    fn find_anchor(&self, root: SchemaNode<D::Node>, anchor: &str) -> Option<SchemaNode<D::Node>> {
        let (_, document) = self.document(root.file);
        let tree = document.tree();
        ["$defs", "definitions"].iter().find_map(|key| {
            let list = self.member(root, key)?;
            if tree.kind(list.node) != Kind::Object {
                return None;
            }
            tree.children(list.node).map(|node| SchemaNode { node, ..root }).find(|at| {
                let has = |key: &str, wanted: &str| {
                    self.member(*at, key).and_then(|name| self.text(name)).is_some_and(|name| name == wanted)
                };
                has("$anchor", anchor) || has("$dynamicAnchor", anchor) || has("$id", &format!("#{anchor}"))
            })
        })
    }

    /// The schemas of the value at the end of the steps.
    fn schemas_at(&self, steps: &[PathStep]) -> Vec<SchemaNode<D::Node>> {
        let mut here = self.with_referenced(vec![self.root(0)]);
        for step in steps {
            let mut next: Vec<SchemaNode<D::Node>> =
                here.iter().flat_map(|at| self.direct_schemas(*at, step)).collect();
            if next.is_empty() {
                next = here.iter().filter_map(|at| self.fallback_schema(*at, step)).collect();
            }
            here = self.with_referenced(next);
            if here.is_empty() {
                break;
            }
        }
        here
    }

    /// The schemas in `properties` for a member with this name, or those for the element with this index.
    fn direct_schemas(&self, at: SchemaNode<D::Node>, step: &PathStep) -> Vec<SchemaNode<D::Node>> {
        match step {
            PathStep::Member(name) => {
                let own = self.member(at, "properties").and_then(|list| self.member(list, name));
                own.into_iter().collect()
            }
            PathStep::Element(index) => {
                let list = ["prefixItems", "items"].into_iter().filter_map(|key| self.member(at, key));
                list.filter_map(|list| self.elements(list).get(*index).copied()).collect()
            }
        }
    }

    /// The schema for all other members or elements.
    fn fallback_schema(&self, at: SchemaNode<D::Node>, step: &PathStep) -> Option<SchemaNode<D::Node>> {
        let is_schema = |at: &SchemaNode<D::Node>| self.document(at.file).1.tree().kind(at.node) == Kind::Object;
        match step {
            PathStep::Member(name) => {
                self.pattern_schema(at, name).or_else(|| self.member(at, "additionalProperties")).filter(is_schema)
            }
            PathStep::Element(_) => {
                self.member(at, "items").or_else(|| self.member(at, "additionalItems")).filter(is_schema)
            }
        }
    }

    /// The schema of members that match a pattern. Only simple patterns are supported.
    fn pattern_schema(&self, at: SchemaNode<D::Node>, name: &str) -> Option<SchemaNode<D::Node>> {
        let list = self.member(at, "patternProperties")?;
        let (_, document) = self.document(at.file);
        let tree = document.tree();
        if tree.kind(list.node) != Kind::Object {
            return None;
        }
        let found = tree.members(list.node).find(|(pattern, _)| name_matches(pattern, name))?;
        Some(SchemaNode { node: found.1, ..at })
    }

    fn has_information(&self, at: SchemaNode<D::Node>) -> bool {
        ["description", "type", "properties", "enum", "title", "const"].iter().any(|key| self.member(at, key).is_some())
    }

    /// Adds the information of the schemas of a value; earlier schemas have priority.
    fn describe(&self, places: &[SchemaNode<D::Node>], mut info: HoverInfo) -> HoverInfo {
        let first = |keys: &[&str]| {
            keys.iter().find_map(|key| places.iter().find_map(|at| self.member(*at, key).map(|found| (*at, found))))
        };
        let text = |keys: &[&str]| first(keys).and_then(|(_, found)| self.text(found)).filter(|text| !text.is_empty());
        let types: Vec<String> = places.iter().filter_map(|at| self.type_of(*at)).collect();
        let mut seen: Vec<&str> = Vec::new();
        for ty in types.iter().flat_map(|ty| ty.split(" | ")) {
            if !seen.contains(&ty) {
                seen.push(ty);
            }
        }
        info.type_ = (!seen.is_empty()).then(|| seen.join(" | "));
        info.documentation = text(&["markdownDescription", "description"]);
        let place = places.iter().find(|at| self.has_information(**at)).map(|at| self.location(*at));
        if let Some(title) = text(&["title"]) {
            info.notes.push(Note { label: "schema".to_owned(), text: title, location: place.clone() });
        } else if let Some(place) = place {
            info.notes.push(Note { label: "schema".to_owned(), text: place.path.clone(), location: Some(place) });
        }
        let shown = [
            ("default", "default"),
            ("examples", "examples"),
            ("format", "format"),
            ("pattern", "pattern"),
            ("minimum", "minimum"),
            ("maximum", "maximum"),
            ("deprecationMessage", "deprecated"),
        ];
        for (key, label) in shown {
            if let Some(value) = first(&[key]).and_then(|(_, found)| self.text(found).or_else(|| self.json(found))) {
                info = info.note(label, value);
            }
        }
        if first(&["deprecated"]).and_then(|(_, found)| self.json(found)).as_deref() == Some("true") {
            info = info.note("deprecated", "yes");
        }
        info
    }

    /// The type or the allowed values: `string`, `"a" | "b"`, `string | null`.
    fn type_of(&self, at: SchemaNode<D::Node>) -> Option<String> {
        if let Some(list) = self.member(at, "enum") {
            let all = self.elements(list);
            let mut values: Vec<String> = all.iter().take(MOST_VALUES).filter_map(|at| self.json(*at)).collect();
            if all.len() > values.len() {
                values.push("…".to_owned());
            }
            return Some(values.join(" | "));
        }
        if let Some(only) = self.member(at, "const") {
            return self.json(only);
        }
        let ty = self.member(at, "type")?;
        match self.text(ty) {
            Some(name) => Some(name),
            None => {
                Some(self.elements(ty).into_iter().filter_map(|name| self.text(name)).collect::<Vec<_>>().join(" | "))
            }
        }
    }
}

/// Returns whether a name matches a pattern that is literal text with optional `^` and `$`, or that accepts every
/// name.
fn name_matches(pattern: &str, name: &str) -> bool {
    if matches!(pattern, "" | ".*" | "^.*$" | ".+" | "^.+$" | "." | "^.") {
        return !name.is_empty() || !pattern.contains('+');
    }
    let (start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (end, literal) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
    if !literal.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '@' | ':' | ' ')) {
        return false;
    }
    match (start, end) {
        (true, true) => name == literal,
        (true, false) => name.starts_with(literal),
        (false, true) => name.ends_with(literal),
        (false, false) => name.contains(literal),
    }
}
