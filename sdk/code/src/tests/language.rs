//! A small language for the tests of this crate, with a line-based parser.

use marquetry_sdk::{Diagnostic, Severity, Span, items::HASH, lines};

use crate::{
    Arena, Binding, BindingKind, Block, Builder, DOTTED, Declaration, Field, Flags, Hooks, Kind, Language, Literal,
    ParseContext, Scope, ScopeKind, Token, TokenKind,
};

const MODULE: Kind = Kind(0);
const BLOCK: Kind = Kind(1);
const DEF: Kind = Kind(2);
const ASSIGN: Kind = Kind(3);
const WORDS: Kind = Kind(4);
const NAME: Kind = Kind(5);
const LIST: Kind = Kind(6);
const PAIR: Kind = Kind(7);
const FIELD_NAME: Field = Field(1);
const FIELD_BODY: Field = Field(2);

pub(super) static SMALL: Language = Language {
    name: "Small",
    kinds: &["module", "block", "def", "assign", "words", "name", "list", "pair"],
    fields: &["", "name", "body"],
    blocks: &["block"],
    lists: &[],
    literals: &[Literal { context: ("x = [", "]"), ..Literal::new("list", "[", "]", "name:value") }],
    expression_statement: "words",
    form: Block::Indentation { opener: ":", separator: ";", placeholder: "pass" },
    comments: HASH,
    inner_comments: &[],
    leading: &[],
    addresses: DOTTED,
    patterns: &[ParseContext::File],
    pattern_hint: "a pattern is lines of words",
    pattern_examples: &["a $B"],
    unit: "    ",
    gaps: (2, 1),
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
            node: "assign",
            kind: "variable",
            name: "name",
            separator: None,
            body: Some("body"),
            inside: &[],
            not_inside: &[],
        },
        Declaration {
            node: "pair",
            kind: "entry",
            name: "name",
            separator: None,
            body: Some("body"),
            inside: &[],
            not_inside: &[],
        },
    ],
    attached: &[],
    imports: &[],
    scopes: &[Scope { node: "def", kind: ScopeKind::Function }],
    outside: &[("def", "name")],
    bindings: &[
        Binding { parent: "def", field: "name", kind: BindingKind::Declaration },
        Binding { parent: "assign", field: "name", kind: BindingKind::Variable },
    ],
    names: &["name"],
    uses: &["name"],
    hooks: Hooks {
        parse,
        title: |_, _| None,
        variant: |_, _| None,
        attribute: |_, _| None,
        tail: |_, _| None,
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

/// A line with code, or several ones if a list continues after the first one: its indentation, and the range of the code without a comment.
struct Line {
    indent: usize,
    span: Span,
}

fn code_lines(text: &str) -> (Vec<Line>, Vec<Token>) {
    let (mut found, mut tokens, mut at, mut depth) = (Vec::<Line>::new(), Vec::new(), 0, 0);
    while at < text.len() {
        let end = lines::line_end(text, at);
        let comment = text[at..end].find('#').map_or(end, |comment| at + comment);
        let code = text[at..comment].trim_end();
        let indent = code.len() - code.trim_start().len();
        if !code.trim().is_empty() {
            let span = Span::new(at + indent, at + code.len());
            match found.last_mut().filter(|_| depth > 0) {
                Some(above) => above.span.end = span.end,
                None => found.push(Line { indent, span }),
            }
            words(text, span, &mut tokens);
            depth = (depth + code.matches('[').count()).saturating_sub(code.matches(']').count());
        }
        if comment < end {
            tokens.push(Token { kind: TokenKind::Comment, span: Span::new(comment, end) });
        }
        if !code.trim().is_empty() && depth == 0 {
            tokens.push(Token { kind: TokenKind::Break, span: Span::at(end) });
        }
        at = lines::next_line(text, at).max(at + 1);
    }
    (found, tokens)
}

fn words(text: &str, span: Span, tokens: &mut Vec<Token>) {
    let mut at = span.range().start;
    while at < span.range().end {
        let rest = &text[at..span.range().end];
        let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        if length > 0 {
            tokens.push(Token { kind: TokenKind::Word, span: Span::new(at, at + length) });
            at += length;
            continue;
        }
        let sign = rest.chars().next().map_or(1, char::len_utf8);
        if !rest.starts_with(char::is_whitespace) {
            tokens.push(Token { kind: TokenKind::Sign, span: Span::new(at, at + sign) });
        }
        at += sign;
    }
}

fn parse(_path: &str, text: String, _context: ParseContext) -> Arena {
    let (found, tokens) = code_lines(&text);
    let mut parser = Parser { builder: Builder::new(text, MODULE), lines: found, tokens, next: 0, errors: Vec::new() };
    parser.block(0, FIELD_BODY);
    let Parser { builder, tokens, errors, .. } = parser;
    builder.finish(tokens, Vec::new(), errors)
}

struct Parser {
    builder: Builder,
    lines: Vec<Line>,
    tokens: Vec<Token>,
    next: usize,
    errors: Vec<Diagnostic>,
}

impl Parser {
    /// The end of the consecutive lines, starting with line `first`, that have at least this indentation.
    fn end_of_block(&self, first: usize, indent: usize) -> u32 {
        let inside = self.lines[first..].iter().take_while(|line| line.indent >= indent);
        inside.last().map_or(0, |line| line.span.end)
    }

    fn block(&mut self, indent: usize, field: Field) {
        let Some(line) = self.lines.get(self.next) else { return };
        let (start, indent) = (line.span.start, line.indent.max(indent));
        if self.lines[self.next].indent > 0 && indent > 0 && self.next == 0 {
            self.error(self.next, "unexpected indentation");
        }
        let span = Span { start, end: self.end_of_block(self.next, indent) };
        self.builder.open(BLOCK, field, span, Flags::default());
        while let Some(line) = self.lines.get(self.next).filter(|line| line.indent >= indent) {
            if line.indent > indent {
                self.error(self.next, "unexpected indentation");
            }
            self.statement();
        }
        self.builder.close();
        let is_shallower = self.lines.get(self.next).is_some_and(|line| line.indent < indent);
        if is_shallower && self.builder.innermost().kind == MODULE {
            self.error(self.next, "the line is not indented like the others");
            self.block(0, field);
        }
    }

    fn error(&mut self, line: usize, message: &str) {
        let span = self.lines[line].span;
        self.errors.push(Diagnostic { severity: Severity::Error, span, message: message.to_owned(), code: None });
    }

    fn name(&mut self, span: Span, field: Field) {
        self.builder.open(NAME, field, span, Flags::default());
        self.builder.close();
    }

    /// A list of words and pairs `name:value`.
    fn list(&mut self, span: Span, words: &[Span]) {
        self.builder.open(LIST, FIELD_BODY, span, Flags::default());
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let value = words.next_if(|next| next.start == word.end + 1);
            let Some(value) = value else {
                self.name(word, Field::NONE);
                continue;
            };
            self.builder.open(PAIR, Field::NONE, Span { start: word.start, end: value.end }, Flags::default());
            self.name(word, FIELD_NAME);
            self.name(value, FIELD_BODY);
            self.builder.close();
        }
        self.builder.close();
    }

    fn statement(&mut self) {
        let (span, indent) = (self.lines[self.next].span, self.lines[self.next].indent);
        let first = self.tokens.partition_point(|token| token.span.start < span.start);
        let end = self.tokens.partition_point(|token| token.span.start < span.end);
        let words: Vec<Span> = self.tokens[first..end]
            .iter()
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.span)
            .collect();
        let code = span.slice(self.builder.text()).to_owned();
        self.next += 1;
        if code.starts_with("def ") && code.ends_with(':') && words.len() == 2 {
            let has_block = self.lines.get(self.next).is_some_and(|line| line.indent > indent);
            let end = if has_block { self.end_of_block(self.next, indent + 1) } else { span.end };
            self.builder.open(DEF, Field::NONE, Span { start: span.start, end }, Flags::default());
            self.name(words[1], FIELD_NAME);
            if has_block {
                self.block(indent + 1, FIELD_BODY);
            } else {
                self.error(self.next - 1, "a block is missing");
            }
        } else if code.contains(" = ") {
            self.builder.open(ASSIGN, Field::NONE, span, Flags::default());
            self.name(words[0], FIELD_NAME);
            match code.find("= [") {
                Some(at) => self.list(Span { start: span.start + at as u32 + 2, end: span.end }, &words[1..]),
                None => words[1..].iter().for_each(|word| self.name(*word, Field::NONE)),
            }
        } else {
            self.builder.open(WORDS, Field::NONE, span, Flags::default());
            words.iter().for_each(|word| self.name(*word, Field::NONE));
        }
        self.builder.close();
    }
}
