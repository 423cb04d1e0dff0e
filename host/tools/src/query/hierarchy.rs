//! How things relate: what calls what, what extends and implements what. From the packs' own knowledge.

use marquetry_model::{
    Error, Kind, Result,
    pack::{Node, Subject},
    text::Lines,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, needed};
use crate::workbench::{Opened, Workbench};

/// Things that are related to the one asked about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Relations {
    /// The symbol that was asked about.
    pub symbol: String,
    /// The related ones.
    pub items: Vec<Relation>,
}

/// One related thing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
    /// Its address in the file, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The specifier it comes from, where another file declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl Workbench {
    pub(super) fn call_hierarchy(&self, args: &QueryArgs) -> Result<QueryResult> {
        let (opened, node) = self.relation_asked(args, "callHierarchy")?;
        match args.direction.as_deref() {
            None | Some("incoming") => {
                let (references, incomplete) = self.references_of(&opened, Subject::Address(node.address.clone()))?;
                let mut items = Vec::new();
                let stage = self.work.stage("looking for callers", references.len());
                for reference in references.into_iter().filter(|reference| reference.usage == "read") {
                    stage.step()?;
                    let file = self.open_in(&opened.files, &reference.path)?;
                    let offset = Lines::new(&file.source.text)
                        .offset(marquetry_model::text::Position { line: reference.line, column: reference.column });
                    let caller = offset.and_then(|offset| enclosing(&file, offset));
                    items.push(Relation {
                        name: caller.as_ref().map_or_else(|| file.source.path.clone(), |caller| caller.name.clone()),
                        address: caller.map(|caller| caller.address),
                        path: reference.path,
                        line: reference.line,
                        column: reference.column,
                        from: None,
                    });
                }
                let completeness = incomplete.map_or_else(|| "syntactic".to_owned(), |why| format!("partial: {why}"));
                Ok(related(&opened, node, items, completeness))
            }
            Some("outgoing") => {
                let list = opened.pack.open(&opened.source.path, &opened.source.text)?.calls(&node.address)?;
                let items = list.into_iter().map(|call| relation(&opened, call)).collect();
                Ok(related(&opened, node, items, "syntactic".to_owned()))
            }
            Some(other) => Err(Error::argument(format!("no direction `{other}`"))
                .candidates(["incoming", "outgoing"].map(str::to_owned))),
        }
    }

    pub(super) fn type_hierarchy(&self, args: &QueryArgs) -> Result<QueryResult> {
        let (opened, node) = self.relation_asked(args, "typeHierarchy")?;
        match args.direction.as_deref() {
            None | Some("supertypes") => {
                let list = opened.pack.open(&opened.source.path, &opened.source.text)?.supertypes(&node.address)?;
                let items = list.into_iter().map(|above| relation(&opened, above)).collect();
                Ok(related(&opened, node, items, "syntactic".to_owned()))
            }
            Some("subtypes") => self.subtypes(&opened, node),
            Some(other) => Err(Error::argument(format!("no direction `{other}`"))
                .candidates(["supertypes", "subtypes"].map(str::to_owned))),
        }
    }

    pub(super) fn implementations(&self, args: &QueryArgs) -> Result<QueryResult> {
        let (opened, node) = self.relation_asked(args, "implementations")?;
        self.subtypes(&opened, node)
    }

    /// The types that name this one among their supertypes: looked for where it is referred to.
    fn subtypes(&self, opened: &Opened, node: Node) -> Result<QueryResult> {
        let (references, incomplete) = self.references_of(opened, Subject::Address(node.address.clone()))?;
        let mut items = Vec::new();
        let stage = self.work.stage("looking for subtypes", references.len());
        for reference in references.into_iter().filter(|reference| matches!(reference.usage, "type" | "read")) {
            stage.step()?;
            let file = self.open_in(&opened.files, &reference.path)?;
            let lines = Lines::new(&file.source.text);
            let Some(offset) =
                lines.offset(marquetry_model::text::Position { line: reference.line, column: reference.column })
            else {
                continue;
            };
            let Some(below) = enclosing(&file, offset) else { continue };
            let above =
                file.pack.open(&file.source.path, &file.source.text)?.supertypes(&below.address).unwrap_or_default();
            if above.iter().any(|related| related.span.start <= offset && offset <= related.span.end) {
                let position = lines.position(below.selection.start);
                items.push(Relation {
                    name: below.name,
                    address: Some(below.address),
                    path: reference.path,
                    line: position.line,
                    column: position.column,
                    from: None,
                });
            }
        }
        let completeness = incomplete.map_or_else(|| "syntactic".to_owned(), |why| format!("partial: {why}"));
        Ok(related(opened, node, items, completeness))
    }

    fn relation_asked(&self, args: &QueryArgs, kind: &str) -> Result<(Opened, Node)> {
        let opened = self.open(args.root.as_deref(), needed(&args.path, "path", kind)?)?;
        if !opened.pack.has("insight") {
            return Err(Error::new(
                Kind::Unsupported,
                format!("{} files have no hierarchy", opened.pack.description().name),
            ));
        }
        let node = self.node_asked(&opened, args)?;
        Ok((opened, node))
    }
}

/// The innermost symbol around an offset.
fn enclosing(opened: &Opened, offset: usize) -> Option<Node> {
    let outline = opened.pack.open(&opened.source.path, &opened.source.text).ok()?.outline().ok()?;
    outline
        .into_iter()
        .filter(|node| node.span.start <= offset && offset < node.span.end)
        .min_by_key(|node| node.span.len())
}

fn relation(opened: &Opened, related: marquetry_model::pack::Related) -> Relation {
    let position = Lines::new(&opened.source.text).position(related.span.start);
    Relation {
        name: related.name,
        path: opened.source.path.clone(),
        line: position.line,
        column: position.column,
        address: related.address,
        from: related.from,
    }
}

fn related(opened: &Opened, node: Node, mut items: Vec<Relation>, completeness: String) -> QueryResult {
    items.sort();
    items.dedup();
    QueryResult::new(
        Answer::Relations(Relations { symbol: node.address, items }),
        completeness,
        &opened.pack.description().id,
    )
}
