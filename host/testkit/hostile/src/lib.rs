//! A plugin that misbehaves in many ways. The text of the document selects the way.

use marquetry_sdk::{
    Description, Diagnostic, Document, Edit, EditOptions, FailureKind, FindResult, Form, LanguagePack, Node, NodeId,
    Nodes, Operation, Query, Result, Span, Target, View, export_pack, fail, log,
};

/// The plugin.
#[derive(Debug)]
pub struct Hostile;

impl LanguagePack for Hostile {
    type Document = Text;

    const FILES: &'static [&'static str] = &["*.hostile"];

    fn describe() -> Description {
        Description {
            id: "hostile".to_owned(),
            name: "Hostile".to_owned(),
            version: "0.1.0".to_owned(),
            files: Self::files(),
            targets: Vec::new(),
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: String::new(),
        }
    }

    fn open(_path: &str, text: String, _settings: &str) -> Text {
        match text.trim() {
            "loop" => loop {
                std::hint::black_box(());
            },
            "allocate" => {
                let mut kept = Vec::new();
                loop {
                    kept.push(std::hint::black_box(vec![1_u8; 1 << 20]));
                }
            }
            "panic" => panic!("on purpose"),
            "recurse" => {
                recurse(0);
            }
            "log" => loop {
                log::write(log::Level::Warn, "again");
            },
            _ => {}
        }
        Text(text)
    }
}

fn recurse(depth: u64) -> u64 {
    if std::hint::black_box(depth) == u64::MAX { 0 } else { recurse(depth + 1) + std::hint::black_box(1) }
}

/// The document.
#[derive(Debug)]
pub struct Text(String);

impl Text {
    fn node(&self, span: Span) -> Node {
        Node {
            id: 0,
            parent: None,
            kind: "text".to_owned(),
            name: String::new(),
            address: "all".to_owned(),
            span,
            selection: Span { start: span.start, end: span.start },
            body: None,
            doc: None,
            level: None,
            value: None,
        }
    }
}

impl Document for Text {
    fn text(&self) -> &str {
        &self.0
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn outline(&self) -> Vec<Node> {
        let length = self.0.len() as u32;
        match self.0.trim() {
            "outside" => vec![self.node(Span { start: 0, end: length + 1 })],
            "backwards" => vec![self.node(Span { start: 3, end: 1 })],
            "é character" => vec![self.node(Span { start: 1, end: 2 })],
            "parent" => vec![Node { parent: Some(7), ..self.node(Span { start: 0, end: length }) }],
            _ => vec![self.node(Span { start: 0, end: length })],
        }
    }

    fn find(&self, _query: &Query) -> Result<FindResult> {
        match self.0.trim() {
            "nothing" => Ok(FindResult::Nodes(Nodes { nodes: Vec::new(), total: 0 })),
            _ => Ok(FindResult::Nodes(Nodes {
                nodes: vec![self.node(Span { start: 0, end: self.0.len() as u32 })],
                total: 1,
            })),
        }
    }

    fn view(&self, _node: NodeId, _form: Form) -> Result<View> {
        Ok(match self.0.trim() {
            "gigabyte" => View::Text("x".repeat(1 << 30)),
            "large" => View::Text("x".repeat(40 << 20)),
            _ => View::Span(Span { start: 0, end: self.0.len() as u32 }),
        })
    }

    fn edit(&self, _nodes: &[NodeId], _operation: &Operation, _options: EditOptions) -> Result<Vec<Edit>> {
        let edit = |start, end| Edit { span: Span { start, end }, text: "x".to_owned() };
        Ok(match self.0.trim() {
            "overlap" => vec![edit(0, 4), edit(2, 6)],
            "far" => vec![edit(0, u32::MAX)],
            _ => Vec::new(),
        })
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        let edit = |start, end| Edit { span: Span { start, end }, text: content.to_owned() };
        Ok(match self.0.trim() {
            "overlap" => vec![edit(0, 4), edit(2, 6)],
            "far" => vec![edit(0, u32::MAX)],
            "gigabyte" => vec![Edit { text: "x".repeat(1 << 30), ..edit(0, 0) }],
            _ => return Err(fail(FailureKind::Unsupported, target.value.clone())),
        })
    }
}

export_pack!(Hostile);
