//! Replacing the body of a declaration.

use marquetry_sdk::{Edit, Failure, Result, Span, lines};
use oxc_ast::ast::{Expression, Statement};
use oxc_span::GetSpan;

use crate::operations::edit::Editor;
use crate::outline::declarations::{Decl, Inside};
use crate::rewrite::expression;
use crate::rewrite::fragment::{Content, parse};
use crate::rewrite::list::ListKind;

impl Editor<'_, '_> {
    pub(super) fn replace_body(&self, decl: &Decl, content: &str) -> Result<Vec<Edit>> {
        let Some((body, inside)) = decl.body else {
            let what = format!("{} `{}`", decl.kind.word(), decl.name.of(self.text));
            return Err(Failure::unsupported(format!("{what} has no body")).hint("use `replace`").at(decl.span));
        };
        // No edit if the content equals the body.
        if same_but_for_breaks(body.of(self.text).trim(), content.trim()) {
            return Ok(Vec::new());
        }
        let new = match inside {
            Inside::Returned => self.returned(body, content),
            Inside::Value => self.expression(body, content),
            Inside::Type => {
                let content = content.trim().trim_end_matches(';').trim_end();
                let known = Content::of_type(content, self.document.tree.grammar());
                self.place(&known, content, lines::indent_at(self.text, body.range().start))
            }
            _ => self.between_braces(body, inside, content),
        };
        if same_but_for_breaks(body.of(self.text), &new) {
            return Ok(Vec::new());
        }
        Ok(vec![Edit::new(body, new)])
    }

    /// Returns new text for a body between braces.
    fn between_braces(&self, body: Span, inside: Inside, content: &str) -> String {
        let kind = match inside {
            Inside::ClassMembers => ListKind::ClassMembers,
            Inside::TypeMembers => ListKind::TypeMembers,
            Inside::EnumMembers => ListKind::EnumMembers,
            Inside::Properties => ListKind::Properties,
            _ => ListKind::Block,
        };
        let content = self.without_braces(content, kind);
        let old = body.of(self.text);
        if content.trim().is_empty() {
            return String::new();
        }
        let known = Content::of(content, kind, self.document.tree.grammar());
        let (open, close) = (body.range().start, body.range().end);
        if !old.contains('\n') && !content.trim().contains('\n') && !old.trim().is_empty() {
            let padding = if old.starts_with([' ', '\t']) { " " } else { "" };
            return format!("{padding}{}{padding}", content.trim());
        }
        let outer = if lines::starts_line(self.text, close) {
            lines::indent_at(self.text, close)
        } else {
            lines::indent_at(self.text, open)
        };
        let first = old.trim_start();
        let at = open + old.len() - first.len();
        let inner = if first.is_empty() || !lines::starts_line(self.text, at) {
            format!("{outer}{}", self.unit)
        } else {
            lines::indent_at(self.text, at).to_owned()
        };
        let placed = self.place(&known, content, &inner);
        format!("\n{inner}{placed}\n{outer}")
    }

    /// Strips the braces if the content includes those of the whole body.
    fn without_braces<'c>(&self, content: &'c str, kind: ListKind) -> &'c str {
        let trimmed = content.trim();
        let Some(inner) = trimmed.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return content };
        let before = match kind {
            ListKind::ClassMembers => "class _ ",
            ListKind::TypeMembers => "interface _ ",
            ListKind::EnumMembers => "enum _ ",
            ListKind::Properties => "let _ = ",
            _ => "async function* _() ",
        };
        let text = format!("{before}{trimmed}");
        let whole = parse(&text, self.document.tree.grammar(), |program| {
            program.directives.is_empty()
                && matches!(program.body.as_slice(), [only] if only.span().start == 0 && only.span().end as usize == text.len())
        });
        if whole == Some(true) { inner } else { content }
    }

    /// Returns new text for the expression that an arrow function returns: an expression or a block.
    fn returned(&self, body: Span, content: &str) -> String {
        let grammar = self.document.tree.grammar();
        let trimmed = content.trim();
        let old = body.of(self.text);
        let is_object = |text: &str| {
            parse(&format!("({text}\n)"), grammar, |program| {
                matches!(program.body.as_slice(), [Statement::ExpressionStatement(it)]
                    if matches!(it.expression.without_parentheses(), Expression::ObjectExpression(_)))
            }) == Some(true)
        };
        let block = |text: &str| format!("async function* _() {text}");
        if trimmed.starts_with('{') && trimmed.ends_with('}') {
            if is_object(trimmed) && (old.starts_with('(') || parse(&block(trimmed), grammar, |_| ()).is_none()) {
                return self.placed(body, &format!("({trimmed})"));
            }
            return self.placed(body, trimmed);
        }
        let expression = trimmed.strip_suffix(';').unwrap_or(trimmed).trim_end();
        let expression = match expression.strip_prefix("return") {
            Some(rest) if rest.starts_with([' ', '(', '\n', '\t']) => rest.trim(),
            _ => expression,
        };
        let is_expression = parse(&format!("async function* _() {{ return (\n{expression}\n) }}"), grammar, |_| ());
        if is_expression.is_some() {
            let needs = is_object(expression) && !expression.starts_with('(');
            return self.placed(body, &if needs { format!("({expression})") } else { expression.to_owned() });
        }
        let outer = lines::indent_at(self.text, body.range().start);
        let inner = format!("{outer}{}", self.unit);
        let known = Content::of(content, ListKind::Block, grammar);
        format!("{{\n{inner}{}\n{outer}}}", self.place(&known, content, &inner))
    }

    fn expression(&self, body: Span, content: &str) -> String {
        let content = content.trim().trim_end_matches(';').trim_end();
        self.placed(body, &expression::in_place_of(self.parsed, &self.document.tree, body, content))
    }

    /// Formats an expression for the position of the body.
    fn placed(&self, body: Span, content: &str) -> String {
        let known = Content::of_expression(content, self.document.tree.grammar());
        self.place(&known, content, lines::indent_at(self.text, body.range().start))
    }
}

fn same_but_for_breaks(old: &str, new: &str) -> bool {
    old == new || old.replace("\r\n", "\n") == new.replace("\r\n", "\n")
}
