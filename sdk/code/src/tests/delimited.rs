//! Tests of blocks that end with a word, with a small language: `def NAME` or `extend NAME` and a line `end` around
//! indented lines, and lines of words.

use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, FindResult, Form, Operation, Query, Severity, Span, Target, TargetKind,
    View,
    items::C_STYLE,
    lines,
    span::apply,
    testing::{after, before, body, first, last, replace, sorted, wrap},
};

use crate::{
    Addresses, Arena, Block, Builder, CodeDocument, Declaration, Field, Flags, Hooks, Kind, Language, ParseContext,
    Title, Token, TokenKind,
};

const MODULE: Kind = Kind(0);
const BLOCK: Kind = Kind(1);
const DEF: Kind = Kind(2);
const WORDS: Kind = Kind(3);
const NAME: Kind = Kind(4);
const EXTEND: Kind = Kind(5);
const FIELD_NAME: Field = Field(1);
const FIELD_BODY: Field = Field(2);

static ENDED: Language = Language {
    name: "Ended",
    kinds: &["module", "block", "def", "words", "name", "extend"],
    fields: &["", "name", "body"],
    blocks: &["block"],
    lists: &[],
    literals: &[],
    expression_statement: "words",
    form: Block::Delimited { open: "", close: "end", headers: &["do"] },
    comments: C_STYLE,
    inner_comments: &["//!"],
    leading: &[],
    addresses: Addresses { separator: "::", also: &["."] },
    unit: "  ",
    gaps: (2, 2),
    declarations: &[
        Declaration {
            node: "def",
            kind: "function",
            name: "name",
            separator: None,
            body: Some("body"),
            inside: &[],
            not_inside: &[],
        },
        Declaration {
            node: "extend",
            kind: "extension",
            name: "",
            separator: None,
            body: Some("body"),
            inside: &[],
            not_inside: &[],
        },
    ],
    attached: &[],
    patterns: &[ParseContext::File],
    pattern_hint: "a pattern is lines of words",
    pattern_examples: &["a $B"],
    imports: &[],
    scopes: &[],
    outside: &[],
    bindings: &[],
    names: &["name"],
    uses: &["name"],
    hooks: Hooks {
        parse,
        title,
        variant: |_, _| None,
        attribute: |_, _| None,
        tail: |arena, block| arena.children(block).last().filter(|last| arena.slice(*last).starts_with("return")),
        kind: |_, _| None,
        receiver: |_, _| Vec::new(),
        section: |_, _| None,
        documentation: |_, _| None,
        dependencies: |_, _| Vec::new(),
        rename_import: |_, _, _| None,
        insert_import: None,
        remove_names: None,
        import_class: |_, _| 0,
        is_among_imports: |_, _| false,
        check_name: |_| Ok(()),
    },
};

/// The title of `extend NAME`. Its members are members of `NAME`.
fn title(arena: &Arena, node: u32) -> Option<Title> {
    let name = arena.child(node, Field::NONE)?;
    let own = arena.slice(name).to_owned();
    let selection = arena.node(name).span;
    Some(Title { name: format!("extend {own}"), selection, members: Some(own), also: None, aliases: Vec::new() })
}

struct Parser {
    builder: Builder,
    text: String,
    tokens: Vec<Token>,
    errors: Vec<Diagnostic>,
    at: usize,
}

fn parse(_path: &str, text: String, _context: ParseContext) -> Arena {
    let builder = Builder::new(text.clone(), MODULE);
    let mut parser = Parser { builder, text, tokens: Vec::new(), errors: Vec::new(), at: 0 };
    if !parser.text.trim().is_empty() {
        let whole = Span::new(parser.text.len() - parser.text.trim_start().len(), parser.text.trim_end().len());
        parser.block(whole, true);
    }
    parser.builder.finish(parser.tokens, Vec::new(), parser.errors)
}

impl Parser {
    /// The range of the next line with text, without leading and trailing white space.
    fn peek(&self) -> Option<Span> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.len() - rest.trim_start().len();
        let line = &self.text[start..lines::line_end(&self.text, start)];
        (!line.is_empty()).then(|| Span::new(start, start + line.trim_end().len()))
    }

    fn block(&mut self, span: Span, is_top: bool) {
        self.builder.open(BLOCK, FIELD_BODY, span, Flags::default());
        while let Some(line) = self.peek() {
            let code = line.slice(&self.text).to_owned();
            if code == "end" && !is_top {
                break;
            }
            self.at = line.range().end;
            if code.starts_with("//") {
                self.tokens.push(Token { kind: TokenKind::Comment, span: line });
                continue;
            }
            self.statement(line, &code);
        }
        self.builder.close();
    }

    fn statement(&mut self, line: Span, code: &str) {
        let word = |word: &str| {
            let start = line.range().start + code.find(word).unwrap_or(0);
            Span::new(start, start + word.len())
        };
        for part in code.split_whitespace() {
            self.tokens.push(Token { kind: TokenKind::Word, span: word(part) });
        }
        let (kind, field) = match code.split(' ').next() {
            Some("def") => (DEF, FIELD_NAME),
            Some("extend") => (EXTEND, Field::NONE),
            _ => {
                self.builder.open(WORDS, Field::NONE, line, Flags::default());
                self.builder.close();
                return;
            }
        };
        let end = self.end_of_block();
        self.builder.open(kind, Field::NONE, Span { start: line.start, end: end as u32 }, Flags::default());
        let name = code.split(' ').nth(1).unwrap_or_default();
        self.builder.open(NAME, field, word(name), Flags::default());
        self.builder.close();
        self.block(Span { start: line.end, end: end as u32 }, false);
        match self.peek() {
            Some(line) => self.at = line.range().end,
            None => self.errors.push(Diagnostic {
                severity: Severity::Error,
                span: line,
                message: "the block has no `end`".to_owned(),
                code: None,
            }),
        }
        self.builder.close();
    }

    /// The offset after the `end` of the block that starts at the current position.
    fn end_of_block(&self) -> usize {
        let (mut depth, mut at) = (1, self.at);
        while at < self.text.len() {
            let start = lines::next_line(&self.text, at);
            let line = &self.text[start..lines::line_end(&self.text, start)];
            let code = line.trim();
            depth += i32::from(code.starts_with("def ") || code.starts_with("extend "));
            depth -= i32::from(code == "end");
            if depth == 0 {
                return start + line.trim_end().len();
            }
            at = start.max(at + 1);
        }
        self.text.len()
    }
}

fn find(document: &CodeDocument, address: &str) -> Vec<u32> {
    let target = Target { kind: TargetKind::Symbol, value: address.to_owned() };
    match document.find(&Query { target, limit: 100, values: false }).expect("found") {
        FindResult::Nodes(nodes) => nodes.nodes.iter().map(|node| node.id).collect(),
        FindResult::Scalar(_) => Vec::new(),
    }
}

#[track_caller]
fn check(text: &str, address: &str, operation: Operation, expected: &str) {
    let document = CodeDocument::open(&ENDED, "a.ended", text.to_owned());
    let options = EditOptions { include_doc: false, force: false };
    let edits = document.edit(&find(&document, address), &operation, options);
    let edits: Vec<Edit> = edits.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(text, &edits), expected, "{operation:?} of {address} in\n{text}");
}

#[test]
fn containers_without_a_name_have_addresses() {
    let text = "extend a\n  def b\n  end\nend\nextend a\n  def c\n  end\n  def b\n  end\nend\n";
    let document = CodeDocument::open(&ENDED, "a.ended", text.to_owned());
    let addresses: Vec<String> = document.outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, ["extend a[1]", "a::b[1]", "extend a[2]", "a::c", "a::b[2]"]);
    assert_eq!(find(&document, "a.c"), [3]);
    assert_eq!(find(&document, "a::b"), [1, 4]);
    assert_eq!(find(&document, "extend a[2]::b"), [4]);
}

#[test]
fn operations_keep_the_end() {
    let text = "// about a\ndef a\n  b\n  c\nend\n\ndef d\nend\n";
    check(text, "a", body("x\ny"), &text.replacen("b\n  c", "x\n  y", 1));
    check(text, "a", body(""), "// about a\ndef a\nend\n\ndef d\nend\n");
    check(text, "d", body("x"), &text.replacen("def d\nend", "def d\n  x\nend", 1));
    check(text, "d", last("x"), &text.replacen("def d\nend", "def d\n  x\nend", 1));
    check(text, "a", last("x"), &text.replacen("  c\n", "  c\n  x\n", 1));
    check(text, "a", first("def x\n    y\nend"), &text.replacen("  b\n", "  def x\n    y\n  end\n\n  b\n", 1));
    check(text, "a", replace("def z\n    y\nend"), &text.replacen("def a\n  b\n  c\nend", "def z\n  y\nend", 1));
    check(text, "d", before("def c\nend"), &text.replacen("def d", "def c\nend\n\ndef d", 1));
    check(text, "d", after("def e\nend"), &format!("{text}\ndef e\nend\n"));
    check(text, "a", Operation::Delete, "def d\nend\n");
    check(text, "d", wrap("if x do", "end"), &text.replacen("def d\nend", "if x do\n  def d\n  end\nend", 1));
    check("def a\n  b\n  return c\nend\n", "a", last("x"), "def a\n  b\n  x\n  return c\nend\n");
    check(
        "def a\n  def b\n  end\n  def d\n  end\nend\n",
        "a",
        sorted("def c\nend"),
        "def a\n  def b\n  end\n  def c\n  end\n  def d\n  end\nend\n",
    );
}

#[test]
fn deleting_everything_keeps_comments() {
    check("def a\n  def b\n  end\nend\n", "a::b", Operation::Delete, "def a\nend\n");
    check("def a\n  // x\n\n  def b\n  end\nend\n", "a::b", Operation::Delete, "def a\n  // x\nend\n");
}

#[test]
fn views_show_heads_and_bodies() {
    let document =
        CodeDocument::open(&ENDED, "a.ended", "//! all\n// a\ndef a\n  b\n\n  def c\n  end\nend\n".to_owned());
    let show = |form| match document.view(0, form).expect("shown") {
        View::Span(span) => span.slice(document.text()).to_owned(),
        View::Text(text) => text,
    };
    assert_eq!(show(Form::Signature), "def a");
    assert_eq!(show(Form::Body), "b\n\n  def c\n  end");
    assert_eq!(show(Form::Summary), "// a\ndef a … end\n  def c … end");
}
