//! The pack for text files that no other pack reads.
//!
//! This is the smallest correct pack. It has no nodes: the host handles `lines` targets and `replace_text` for every
//! pack. For a new pack, start with `plugins/languages/properties` as the example.

use marquetry_sdk::{
    Description, Diagnostic, Document, Edit, EditOptions, FailureKind, FindResult, Form, LanguagePack, Node, NodeId,
    Operation, Query, Result, View, export_pack, fail, paths,
};

/// The pack.
#[derive(Debug)]
pub struct Text;

impl LanguagePack for Text {
    type Document = TextDocument;

    const FILES: &'static [&'static str] = &["*"];

    fn describe() -> Description {
        Description {
            id: "text".to_owned(),
            name: "Plain text".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: Vec::new(),
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> TextDocument {
        TextDocument { path: path.to_owned(), text }
    }
}

/// A text.
#[derive(Debug)]
pub struct TextDocument {
    path: String,
    text: String,
}

impl Document for TextDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn outline(&self) -> Vec<Node> {
        Vec::new()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let name = paths::file_name(&self.path);
        let message = format!(
            "`{}` is not a target: no installed pack reads the format of `{name}`, so it is treated as plain text",
            query.target.value
        );
        Err(fail(FailureKind::Unsupported, message)
            .hint("use `lines`, such as `7-12`, or change a piece of text with `replace_text`"))
    }

    fn view(&self, node: NodeId, _form: Form) -> Result<View> {
        Err(fail(FailureKind::InvalidArgument, format!("no node {node}")))
    }

    fn stays_well_formed(&self, _edits: &[Edit]) -> bool {
        true
    }

    fn edit(&self, _nodes: &[NodeId], _operation: &Operation, _options: EditOptions) -> Result<Vec<Edit>> {
        Err(fail(FailureKind::InvalidArgument, "plain text has no nodes"))
    }
}

export_pack!(Text);

#[cfg(test)]
mod tests {
    use super::*;
    use marquetry_sdk::{TargetKind, testing};

    #[test]
    fn find_error_explains_line_targets() {
        let text = testing::open::<Text>("conf/app.toml", "a = 1\n");
        let failure = text.read(TargetKind::Path, "project.version").expect_err("no such target");
        assert!(failure.message.contains("no installed pack reads the format of `app.toml`"));
        let hint = failure.hint.expect("a hint");
        assert!(hint.contains("`lines`") && hint.contains("`replace_text`"), "{hint}");
    }

    #[test]
    fn laws_hold() {
        testing::check_laws_on_random::<Text>("a.txt", &["a", "\n", "\r\n", " ", "é"], &[]);
    }
}
