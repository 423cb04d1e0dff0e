//! Finds unresolved references: `{"$ref": "#/definitions/gone"}`, `{"$ref": "other.json#/gone"}`.

use std::collections::BTreeMap;

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{Area, Diagnostic, SemanticDiagnostic, Severity, Span, urls, workspace};

use crate::{schema_files::schema_file, schema_hover::SchemaDocument};

/// Maximum number of values to visit.
const MOST_VALUES: usize = 500_000;
/// Maximum number of problems to report.
const MOST_PROBLEMS: usize = 200;
/// Maximum number of other files to read.
const MOST_FILES: usize = 64;

/// Finds references to missing places in this document or in other files. Missing files are reported elsewhere, as
/// unresolved links. Skips documents in which a part of the document has its own `$id`, because references in it have
/// another base.
///
/// `elsewhere` returns the file in which a reference to another file is unresolved: see [`OtherFiles`].
pub fn dead_references<T: Tree>(
    tree: &T,
    span: impl Fn(T::Node) -> Span,
    mut elsewhere: impl FnMut(&str, &str) -> Option<String>,
) -> Vec<SemanticDiagnostic> {
    let (mut references, mut seen, mut has_parts) = (Vec::new(), 0, false);
    let root = tree.root();
    tree.descend(root, &mut |node| {
        seen += 1;
        if tree.kind(node) == Kind::Object {
            let text = |name| tree.member(node, name).filter(|found| tree.kind(*found) == Kind::String);
            has_parts |=
                node != root && (text("$id").is_some() || text("id").is_some_and(|id| tree.text(id).contains(':')));
            references.extend(text("$ref").filter(|found| tree.text(*found).contains('#')));
        }
        seen < MOST_VALUES
    });
    if has_parts || seen >= MOST_VALUES {
        return Vec::new();
    }
    let mut place = |node: T::Node| {
        let text = tree.text(node).into_owned();
        let (file, fragment) = text.split_once('#')?;
        let pointer = fragment.strip_prefix('/');
        match (file.is_empty(), pointer) {
            (true, Some(pointer)) => (!pointer_resolves(tree, pointer)).then(|| "this file".to_owned()),
            // Anchors in the document itself are not checked.
            (true, None) => None,
            (false, _) => elsewhere(file, fragment),
        }
    };
    let dead = references.into_iter().filter_map(|node| Some((node, place(node)?)));
    let finding = |(node, place): (T::Node, String)| {
        let problem = Diagnostic {
            severity: Severity::Error,
            span: span(node),
            message: format!("`{}` resolves to nothing in {place}", tree.text(node)),
            code: Some("dead-reference".to_owned()),
        };
        SemanticDiagnostic::certain(Area::Links, problem)
    };
    dead.take(MOST_PROBLEMS).map(finding).collect()
}

/// Other files that references resolve to, each read once. Files that cannot be read or parsed are not checked.
#[derive(Debug)]
pub struct OtherFiles<'f, D> {
    from: &'f str,
    files: BTreeMap<String, Option<D>>,
}

impl<'f, D: SchemaDocument> OtherFiles<'f, D> {
    /// Creates the cache for the references of one file.
    pub fn new(from: &'f str) -> OtherFiles<'f, D> {
        OtherFiles { from, files: BTreeMap::new() }
    }

    /// The path of the referenced file, if it exists and does not contain the fragment.
    pub fn file_without_fragment(&mut self, file: &str, fragment: &str) -> Option<String> {
        let path = schema_file(self.from, &urls::decode(file))?;
        if !self.files.contains_key(&path) {
            if self.files.len() >= MOST_FILES {
                return None;
            }
            let read =
                || Some(D::parse_schema(&path, workspace::read(&path).ok()?)).filter(SchemaDocument::has_no_errors);
            let document = if D::supports_path(&path) { read() } else { None };
            self.files.insert(path.clone(), document);
        }
        let document = self.files.get(&path)?.as_ref()?;
        let tree = document.tree();
        let is_there = match fragment.strip_prefix('/') {
            Some(pointer) => pointer_resolves(&tree, pointer),
            None => fragment.is_empty() || has_anchor(&tree, fragment),
        };
        (!is_there).then_some(path)
    }
}

/// Returns whether a document declares this anchor.
fn has_anchor<T: Tree>(tree: &T, anchor: &str) -> bool {
    let (mut found, mut seen) = (false, 0);
    tree.descend(tree.root(), &mut |node| {
        seen += 1;
        if tree.kind(node) == Kind::Object {
            let is = |name: &str| {
                let text = tree.member(node, name).filter(|found| tree.kind(*found) == Kind::String);
                text.is_some_and(|text| tree.text(text).trim_start_matches('#') == anchor)
            };
            found |= ["$anchor", "$dynamicAnchor", "$id", "id"].into_iter().any(is);
        }
        !found && seen < MOST_VALUES
    });
    found || seen >= MOST_VALUES
}

/// Returns whether a JSON pointer, without its first `/`, resolves to a value.
fn pointer_resolves<T: Tree>(tree: &T, pointer: &str) -> bool {
    let step = |node: T::Node, part: &str| {
        let part = urls::decode(part).replace("~1", "/").replace("~0", "~");
        match tree.kind(node) {
            Kind::Object => tree.member(node, &part),
            Kind::Array => tree.element(node, part.parse().ok()?),
            _ => None,
        }
    };
    pointer.split('/').try_fold(tree.root(), step).is_some()
}
