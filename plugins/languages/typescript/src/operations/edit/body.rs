//! Replacing the body of a declaration.

use marquetry_sdk::{Edit, Failure, Result, Span, lines};
use oxc_ast::ast::{Expression, Statement};
use oxc_span::GetSpan;

use crate::editor::fragment::{Fragment, with_parsed};
use crate::editor::list::ListKind;
use crate::editor::parentheses;
use crate::operations::edit::Editor;
use crate::outline::declarations::{BodyKind, Decl};

impl Editor<'_, '_> {
    pub(super) fn replace_body(&self, decl: &Decl, content: &str) -> Result<Vec<Edit>> {
        let Some((body, inside)) = decl.body else {
            let what = format!("{} `{}`", decl.kind.label(), decl.name.resolve(self.text));
            return Err(Failure::unsupported(format!("{what} has no body")).hint("use `replace`").at(decl.span));
        };
        // If the content equals the body, no edit is needed.
        if equal_ignoring_line_breaks(body.slice(self.text).trim(), content.trim()) {
            return Ok(Vec::new());
        }
        let new = match inside {
            BodyKind::Returned => self.returned_body_text(body, content),
            BodyKind::Value => self.body_as_expression(body, content),
            BodyKind::Type => {
                let content = content.trim().trim_end_matches(';').trim_end();
                let known = Fragment::of_type(content, self.document.tree.grammar());
                self.reindent(&known, content, lines::indent_at(self.text, body.range().start))
            }
            _ => self.braced_body_text(body, inside, content),
        };
        if equal_ignoring_line_breaks(body.slice(self.text), &new) {
            return Ok(Vec::new());
        }
        Ok(vec![Edit::new(body, new)])
    }

    /// Returns new text for a body between braces.
    fn braced_body_text(&self, body: Span, inside: BodyKind, content: &str) -> String {
        let kind = match inside {
            BodyKind::ClassMembers => ListKind::ClassMembers,
            BodyKind::TypeMembers => ListKind::TypeMembers,
            BodyKind::EnumMembers => ListKind::EnumMembers,
            BodyKind::Properties => ListKind::Properties,
            _ => ListKind::Block,
        };
        let content = self.strip_braces(content, kind);
        let old = body.slice(self.text);
        if content.trim().is_empty() {
            return String::new();
        }
        let known = Fragment::of_list_items(content, kind, self.document.tree.grammar());
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
        let placed = self.reindent(&known, content, &inner);
        format!("\n{inner}{placed}\n{outer}")
    }

    /// Strips the braces if the content includes those of the whole body.
    fn strip_braces<'c>(&self, content: &'c str, kind: ListKind) -> &'c str {
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
        let whole = with_parsed(&text, self.document.tree.grammar(), |program| {
            program.directives.is_empty()
                && matches!(program.body.as_slice(), [only] if only.span().start == 0 && only.span().end as usize == text.len())
        });
        if whole == Some(true) { inner } else { content }
    }

    /// Returns new text for the expression that an arrow function returns: an expression or a block.
    fn returned_body_text(&self, body: Span, content: &str) -> String {
        let grammar = self.document.tree.grammar();
        let trimmed = content.trim();
        let old = body.slice(self.text);
        let is_object = |text: &str| {
            with_parsed(&format!("({text}\n)"), grammar, |program| {
                matches!(program.body.as_slice(), [Statement::ExpressionStatement(it)]
                    if matches!(it.expression.without_parentheses(), Expression::ObjectExpression(_)))
            }) == Some(true)
        };
        let block = |text: &str| format!("async function* _() {text}");
        if trimmed.starts_with('{') && trimmed.ends_with('}') {
            if is_object(trimmed) && (old.starts_with('(') || with_parsed(&block(trimmed), grammar, |_| ()).is_none()) {
                return self.format_at_body(body, &format!("({trimmed})"));
            }
            return self.format_at_body(body, trimmed);
        }
        let expression = trimmed.strip_suffix(';').unwrap_or(trimmed).trim_end();
        let expression = match expression.strip_prefix("return") {
            Some(rest) if rest.starts_with([' ', '(', '\n', '\t']) => rest.trim(),
            _ => expression,
        };
        let is_expression =
            with_parsed(&format!("async function* _() {{ return (\n{expression}\n) }}"), grammar, |_| ());
        if is_expression.is_some() {
            let needs = is_object(expression) && !expression.starts_with('(');
            return self.format_at_body(body, &if needs { format!("({expression})") } else { expression.to_owned() });
        }
        let outer = lines::indent_at(self.text, body.range().start);
        let inner = format!("{outer}{}", self.unit);
        let known = Fragment::of_list_items(content, ListKind::Block, grammar);
        format!("{{\n{inner}{}\n{outer}}}", self.reindent(&known, content, &inner))
    }

    fn body_as_expression(&self, body: Span, content: &str) -> String {
        let content = content.trim().trim_end_matches(';').trim_end();
        self.format_at_body(body, &parentheses::replacement_text(self.parsed, &self.document.tree, body, content))
    }

    /// Reindents an expression for the place of the body.
    fn format_at_body(&self, body: Span, content: &str) -> String {
        let known = Fragment::of_expression(content, self.document.tree.grammar());
        self.reindent(&known, content, lines::indent_at(self.text, body.range().start))
    }
}

fn equal_ignoring_line_breaks(old: &str, new: &str) -> bool {
    old == new || old.replace("\r\n", "\n") == new.replace("\r\n", "\n")
}
