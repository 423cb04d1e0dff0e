//! Detects whether a file ends its statements with semicolons.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan as _;

/// Maximum number of statements to check.
const MAX_STATEMENTS: i32 = 32;

/// Returns whether statements end in a semicolon, by TypeScript's rule. A single statement without a semicolon does not
/// count, because it may be incomplete. If more than one statement in six has a semicolon, the file uses semicolons,
/// and the other statements lack them by mistake.
pub(crate) fn uses_semicolons(program: &Program<'_>) -> bool {
    let mut votes = SemicolonCount { text: program.source_text, with: 0, without: 0 };
    for statement in &program.body {
        votes.visit_statement(statement);
        if votes.with + votes.without >= MAX_STATEMENTS {
            break;
        }
    }
    match votes.with {
        0 => votes.without <= 1,
        with => with * 5 > votes.without,
    }
}

/// Returns whether the text after a statement without a semicolon would be parsed as its continuation.
pub(crate) fn continues_statement(after: &str) -> bool {
    after.starts_with(['(', '[', '`', '+', '-', '*', '/', '.', ',', '<'])
}

struct SemicolonCount<'t> {
    text: &'t str,
    with: i32,
    without: i32,
}

impl<'a> Visit<'a> for SemicolonCount<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let ends = match it {
            Statement::VariableDeclaration(_)
            | Statement::ExpressionStatement(_)
            | Statement::ReturnStatement(_)
            | Statement::ThrowStatement(_)
            | Statement::BreakStatement(_)
            | Statement::ContinueStatement(_)
            | Statement::DoWhileStatement(_)
            | Statement::ImportDeclaration(_)
            | Statement::TSTypeAliasDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportAllDeclaration(_) => true,
            Statement::ExportDeclaration(export) => matches!(
                export.declaration,
                Declaration::VariableDeclaration(_) | Declaration::TSTypeAliasDeclaration(_)
            ),
            _ => false,
        };
        if ends {
            let end = it.span().end as usize;
            // In files without semicolons, one at the start of a line separates that line from the previous one.
            let is_ended = |own: &str| !own.trim_end_matches([' ', '\t']).ends_with('\n');
            if self.text.get(..end).is_some_and(|before| before.strip_suffix(';').is_some_and(is_ended)) {
                self.with += 1;
            } else if !self.text.get(end..).is_some_and(|after| after.trim_start_matches([' ', '\t']).starts_with('}'))
            {
                // Before a closing brace on the same line, the semicolon is often omitted even in files that use
                // semicolons.
                self.without += 1;
            }
        }
        if self.with + self.without < MAX_STATEMENTS {
            walk::walk_statement(self, it);
        }
    }

    fn visit_ts_signature(&mut self, it: &TSSignature<'a>) {
        self.count_member(it.span());
        walk::walk_ts_signature(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.count_member(it.span);
        walk::walk_property_definition(self, it);
    }
}

impl SemicolonCount<'_> {
    /// Counts a member that is the last on its line; other members need a separator anyway.
    fn count_member(&mut self, span: oxc_span::Span) {
        let (Some(own), Some(after)) = (self.text.get(..span.end as usize), self.text.get(span.end as usize..)) else {
            return;
        };
        let rest = after.trim_start_matches([' ', '\t']);
        let (ends, rest) = match rest.strip_prefix(';') {
            Some(rest) => (true, rest.trim_start_matches([' ', '\t'])),
            None => (own.ends_with(';'), rest),
        };
        if !rest.starts_with(['\n', '\r']) && !rest.starts_with("//") {
            return;
        }
        match ends {
            true => self.with += 1,
            false if own.ends_with(',') => {}
            false => self.without += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::Tree;

    #[test]
    fn majority_of_statements_decides_semicolons() {
        let written = |text: &str| Tree::parse("a.ts", text.to_owned()).with(|parsed| uses_semicolons(parsed.program));
        assert!(written(""));
        assert!(written("a();\nb();\nc()"));
        assert!(written("a()\nb()\nc();"));
        assert!(!written("a()\nb()\nc()\nd()\ne()\nf();"));
        assert!(!written("a()\n;[b].c()\n;(d)()"));
        assert!(written("if (a) { b }"));
        assert!(!written("function f() {\n  const a = 1\n  return a\n}"));
        assert!(written("export const a = 1\n"));
        assert!(!written("interface A {\n  a: 1\n  b: 2\n}\n"));
        assert!(written("type A = {\n  a: 1;\n  b: 2;\n}\n"));
        assert!(written("interface A {\n  a: 1,\n  b: 2\n}\nf();\n"));
    }
}
