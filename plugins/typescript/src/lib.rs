//! The pack for TypeScript and JavaScript: symbols at every depth, and edits by their names.

mod dialect;
mod links;
mod tree;

use marquetry_sdk::{
    Description, Document, Edit, EditOptions, FailureKind, Form, Found, LanguagePack, Node, NodeId,
    Operation, Problem, Query, Result, TargetHelp, TargetKind, View, export_linking_pack, fail,
};

use tree::Tree;

/// The pack.
#[derive(Debug)]
pub struct TypeScript;

impl LanguagePack for TypeScript {
    type Document = TypeScriptDocument;

    fn describe() -> Description {
        Description {
            id: "typescript".to_owned(),
            name: "TypeScript and JavaScript".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"].map(|e| format!("*.{e}")).to_vec(),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax: "a name, or names from the outside in joined by `.`".to_owned(),
                examples: vec!["UserService".to_owned(), "UserService.findById".to_owned()],
            }],
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            help: String::new(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> TypeScriptDocument {
        TypeScriptDocument { tree: Tree::parse(path, text) }
    }
}

/// A module or script.
#[derive(Debug)]
pub struct TypeScriptDocument {
    /// The syntax tree, for everything in this crate that looks at the program.
    pub(crate) tree: Tree,
}

impl Document for TypeScriptDocument {
    fn text(&self) -> &str {
        self.tree.text()
    }

    fn problems(&self) -> Vec<Problem> {
        Vec::new()
    }

    fn outline(&self) -> Vec<Node> {
        Vec::new()
    }

    fn find(&self, query: &Query) -> Result<Found> {
        Err(marquetry_sdk::Failure::not_found("symbol", &query.target.value, []))
    }

    fn view(&self, node: NodeId, _form: Form) -> Result<View> {
        Err(fail(FailureKind::InvalidArgument, format!("no node {node}")))
    }

    fn edit(&self, _nodes: &[NodeId], _operation: &Operation, _options: EditOptions) -> Result<Vec<Edit>> {
        Err(fail(FailureKind::InvalidArgument, "no nodes"))
    }
}

export_linking_pack!(TypeScript);

#[cfg(test)]
mod tests {
    use super::*;
    use marquetry_sdk::testing;

    #[test]
    fn keeps_the_tree() {
        let bench = testing::open::<TypeScript>("a.tsx", "const a = <p/>; a;");
        let tree = &bench.document().tree;
        assert_eq!(tree.with(|parsed| parsed.program.body.len()), 2);
        assert_eq!(tree.with(|parsed| parsed.semantic().scoping().symbols_len()), 1);
    }
}
