//! Text to insert into a document: which of its lines can be re-indented, and whether it lacks a semicolon.

use std::collections::HashSet;

use marquetry_sdk::{Span, indent};
use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use crate::editor::list::ListKind;
use crate::syntax::{depth, dialect};

/// Properties of a text to insert.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    /// Lines (from 0) that start inside a literal and must not be re-indented.
    fixed_lines: HashSet<usize>,
    /// True if the last statement or member should end in a semicolon and does not.
    pub(crate) lacks_semicolon: bool,
}

impl Fragment {
    /// Analyzes a text that will become part of a list of this kind.
    pub(crate) fn of_list_items(content: &str, kind: ListKind, grammar: SourceType) -> Fragment {
        Fragment::parse_framed(content, frames(kind), grammar)
    }

    /// Analyzes an expression.
    pub(crate) fn of_expression(content: &str, grammar: SourceType) -> Fragment {
        Fragment::parse_framed(content, &[("(", "\n)")], grammar)
    }

    /// Analyzes a type.
    pub(crate) fn of_type(content: &str, grammar: SourceType) -> Fragment {
        Fragment::parse_framed(content, &[("type _ = ", "\n;")], grammar)
    }

    fn parse_framed(content: &str, frames: &[(&str, &str)], grammar: SourceType) -> Fragment {
        with_parsed_frames(content, frames, grammar, |program, shift| {
            let mut found = Fragment {
                fixed_lines: lines_inside_literals(content, &multiline_literals(program), shift),
                lacks_semicolon: false,
            };
            found.analyze(program, content, shift);
            found
        })
        .unwrap_or_default()
    }

    fn analyze(&mut self, program: &Program<'_>, content: &str, shift: usize) {
        let end = content.trim_end().len() + shift;
        let ends_with = |span: oxc_span::Span| span.end as usize == end && !content.trim_end().ends_with([';', '}']);
        let statements = match program.body.as_slice() {
            [Statement::FunctionDeclaration(function)] if shift > 0 => {
                function.body.as_ref().map_or(&[][..], |body| &body.statements)
            }
            [Statement::ClassDeclaration(class)] if shift > 0 => {
                self.lacks_semicolon =
                    class.body.body.last().is_some_and(|member| {
                        !matches!(member, ClassElement::StaticBlock(_)) && ends_with(member.span())
                    });
                &[]
            }
            other => other,
        };
        if let Some(last) = statements.last() {
            let is_open = last.span().end as usize == end && !content.trim_end().ends_with(';');
            self.lacks_semicolon = is_open && ends_in_semicolon(last);
        }
    }

    /// Replaces the indentation `from` of the lines by `to`; the first line stays as it is.
    pub(crate) fn replace_indentation(&self, content: &str, from: &str, to: &str) -> String {
        let mut out = String::with_capacity(content.len() + to.len());
        for (number, line) in content.lines().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            if number == 0 || self.fixed_lines.contains(&number) {
                out.push_str(line);
            } else if !line.trim().is_empty() {
                let shared = line.bytes().zip(from.bytes()).take_while(|(own, wanted)| own == wanted).count();
                out.push_str(to);
                out.push_str(&line[shared..]);
            }
        }
        out
    }

    /// Indents the text for a place with the indentation `indent`, using the indentation unit of the document if it is
    /// known.
    pub(crate) fn indent_for(&self, content: &str, indent: &str, unit: Option<&str>) -> String {
        indent::reindent_with_unit(content, indent, unit, |line| self.fixed_lines.contains(&line))
    }
}

/// Returns whether a statement of this kind ends in a semicolon in files that use them.
pub(crate) fn ends_in_semicolon(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::BlockStatement(_)
        | Statement::FunctionDeclaration(_)
        | Statement::ClassDeclaration(_)
        | Statement::SwitchStatement(_)
        | Statement::TryStatement(_)
        | Statement::TSInterfaceDeclaration(_)
        | Statement::TSEnumDeclaration(_)
        | Statement::TSNamespaceDeclaration(_)
        | Statement::TSExternalModuleDeclaration(_)
        | Statement::TSGlobalDeclaration(_) => false,
        Statement::IfStatement(it) => ends_in_semicolon(it.alternate.as_ref().unwrap_or(&it.consequent)),
        Statement::ForStatement(it) => ends_in_semicolon(&it.body),
        Statement::ForInStatement(it) => ends_in_semicolon(&it.body),
        Statement::ForOfStatement(it) => ends_in_semicolon(&it.body),
        Statement::WhileStatement(it) => ends_in_semicolon(&it.body),
        Statement::LabeledStatement(it) => ends_in_semicolon(&it.body),
        Statement::WithStatement(it) => ends_in_semicolon(&it.body),
        Statement::ExportDeclaration(it) => matches!(
            it.declaration,
            Declaration::VariableDeclaration(_)
                | Declaration::TSTypeAliasDeclaration(_)
                | Declaration::TSImportEqualsDeclaration(_)
        ),
        Statement::ExportDefaultDeclaration(it) => it.declaration.is_expression(),
        _ => true,
    }
}

/// Yields the ends of the statements that lack a semicolon.
pub(crate) fn missing_semicolons(statements: &[Statement<'_>], text: &str) -> impl Iterator<Item = usize> {
    let ends = statements.iter().filter(|it| ends_in_semicolon(it)).map(|it| it.span().end as usize);
    ends.filter(move |end| !text[..*end].ends_with(';'))
}

/// Returns the texts to put around items of a list so that they can be parsed alone.
fn frames(kind: ListKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ListKind::Module => &[("", "")],
        ListKind::Block => &[("async function* _() {", "\n}"), ("", "")],
        ListKind::ClassMembers => &[("class _ {", "\n}")],
        ListKind::TypeMembers => &[("interface _ {", "\n}")],
        ListKind::EnumMembers => &[("enum _ {", "\n}")],
        ListKind::Properties => &[("let _ = {", "\n}")],
        ListKind::Elements => &[("[", "\n]")],
        ListKind::Parameters => &[("class _ { constructor(", "\n) {} }")],
        ListKind::Declarators => &[("let ", "")],
        ListKind::Bindings => &[("let {", "\n} = _")],
        ListKind::ArrayBindings => &[("let [", "\n] = _")],
    }
}

/// Parses items of a list as a program. `look` receives the program and the offset at which the items start.
pub(crate) fn with_parsed_list<R>(
    content: &str,
    kind: ListKind,
    grammar: SourceType,
    look: impl Fn(&Program<'_>, usize) -> R,
) -> Option<R> {
    with_parsed_frames(content, frames(kind), grammar, look)
}

fn with_parsed_frames<R>(
    content: &str,
    frames: &[(&str, &str)],
    grammar: SourceType,
    look: impl Fn(&Program<'_>, usize) -> R,
) -> Option<R> {
    frames.iter().find_map(|(before, after)| {
        with_parsed(&format!("{before}{content}{after}"), grammar, |program| look(program, before.len()))
    })
}

/// Returns whether a text is a single call argument.
pub(crate) fn is_argument(text: &str) -> bool {
    with_parsed(&format!("f({text}\n)"), SourceType::tsx(), |program| match program.body.as_slice() {
        [Statement::ExpressionStatement(statement)] => matches!(&statement.expression,
            Expression::CallExpression(call) if call.arguments.len() == 1 && !call.arguments[0].is_spread()
                && matches!(&call.callee, Expression::Identifier(_))),
        _ => false,
    }) == Some(true)
}

/// Returns whether a text is a type.
pub(crate) fn is_type(text: &str) -> bool {
    with_parsed(&format!("type _ = {text}\n;"), SourceType::ts(), |program| match program.body.as_slice() {
        [Statement::TSTypeAliasDeclaration(_), rest @ ..] => {
            rest.iter().all(|statement| matches!(statement, Statement::EmptyStatement(_)))
        }
        _ => false,
    }) == Some(true)
}

/// Returns whether the text consists of comments only.
pub(crate) fn is_comment(content: &str, grammar: SourceType) -> bool {
    content.trim_start().starts_with("/")
        && with_parsed(content, grammar, |program| {
            program.body.is_empty() && program.directives.is_empty() && !program.comments.is_empty()
        }) == Some(true)
}

/// Returns whether the text consists of decorators only, which belong to the next item of a list.
pub(crate) fn is_decorators(content: &str, kind: ListKind, grammar: SourceType) -> bool {
    let item = match kind {
        ListKind::Module | ListKind::Block => "class _ {}",
        ListKind::ClassMembers => "_;",
        ListKind::Parameters => "_",
        _ => return false,
    };
    let end = content.trim_end().len();
    let ends_with_decorator = |program: &Program<'_>, shift: usize| {
        let last = decorators_of_only_item(program, kind).last();
        last.is_some_and(|last| last.span.end as usize == shift + end)
    };
    content.contains('@')
        && with_parsed_list(&format!("{content}\n{item}"), kind, grammar, ends_with_decorator) == Some(true)
}

/// Returns the decorators of the item in a parsed list, if the list has only one.
fn decorators_of_only_item<'p>(program: &'p Program<'_>, kind: ListKind) -> &'p [Decorator<'p>] {
    let class = match program.body.as_slice() {
        [Statement::FunctionDeclaration(around)] if kind == ListKind::Block => {
            match around.body.as_ref().map(|body| body.statements.as_slice()) {
                Some([Statement::ClassDeclaration(class)]) => class,
                _ => return &[],
            }
        }
        [Statement::ClassDeclaration(class)] => class,
        _ => return &[],
    };
    match (kind, class.body.body.as_slice()) {
        (ListKind::ClassMembers, [ClassElement::PropertyDefinition(field)]) => &field.decorators,
        (ListKind::Parameters, [ClassElement::MethodDefinition(method)]) => match &method.value.params.items[..] {
            [parameter] => &parameter.decorators,
            _ => &[],
        },
        (ListKind::Module | ListKind::Block, []) => &class.decorators,
        _ => &[],
    }
}

/// Parses a text, and returns the result of `look` for the program, or `None` if the text cannot be parsed.
pub(crate) fn with_parsed<R>(text: &str, grammar: SourceType, look: impl FnOnce(&Program<'_>) -> R) -> Option<R> {
    if depth::too_deep(text, grammar.is_jsx()).is_some() {
        return None;
    }
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, text, grammar).with_options(dialect::parse_options()).parse();
    (!parsed.fatal_error).then(|| look(&parsed.program))
}

/// Returns the spans of multi-line literals, in order.
pub(crate) fn multiline_literals(program: &Program<'_>) -> Vec<Span> {
    let mut literals = Literals { text: program.source_text, found: Vec::new() };
    literals.visit_program(program);
    literals.found
}

/// Returns the lines of a text that start inside one of these spans; `shift` is the offset of the text.
pub(crate) fn lines_inside_literals(text: &str, literals: &[Span], shift: usize) -> HashSet<usize> {
    let mut frozen = HashSet::new();
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let at = (start + shift) as u32;
        let next = literals.partition_point(|literal| literal.start < at);
        if number > 0 && next.checked_sub(1).is_some_and(|before| at <= literals[before].end) {
            frozen.insert(number);
        }
        start += line.len();
    }
    frozen
}

struct Literals<'t> {
    text: &'t str,
    found: Vec<Span>,
}

impl Literals<'_> {
    fn add(&mut self, span: oxc_span::Span) {
        let range = span.start as usize..(span.end as usize).min(self.text.len());
        if self.text.get(range).is_some_and(|text| text.contains('\n')) {
            self.found.push(Span { start: span.start, end: span.end });
        }
    }
}

impl<'a> Visit<'a> for Literals<'_> {
    fn visit_template_element(&mut self, it: &TemplateElement<'a>) {
        self.add(it.span);
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.add(it.span);
    }
}
