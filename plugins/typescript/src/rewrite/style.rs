//! How a file is written where the language leaves it open.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan as _;

use crate::syntax::tree::Parsed;

/// So many statements tell whether a file has semicolons.
const MOST_STATEMENTS: usize = 200;
/// One semicolon among so many statements is enough: those without may be mistakes.
const SHARE: usize = 5;

/// Whether statements of the file end in semicolons.
pub(crate) fn has_semicolons(parsed: &Parsed<'_>, text: &str) -> bool {
    let mut count = Count { text, with: 0, without: 0 };
    count.visit_program(parsed.program);
    // A single statement says too little.
    count.with + count.without <= 1 || count.with * SHARE > count.without
}

struct Count<'t> {
    text: &'t str,
    with: usize,
    without: usize,
}

impl<'a> Visit<'a> for Count<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if self.with + self.without >= MOST_STATEMENTS {
            return;
        }
        let ends_in_one = matches!(
            it,
            Statement::ExpressionStatement(_)
                | Statement::VariableDeclaration(_)
                | Statement::ReturnStatement(_)
                | Statement::ThrowStatement(_)
                | Statement::ImportDeclaration(_)
                | Statement::BreakStatement(_)
                | Statement::ContinueStatement(_)
                | Statement::TSTypeAliasDeclaration(_)
        );
        if ends_in_one {
            let end = (it.span().end as usize).min(self.text.len());
            let own = self.text[..end].strip_suffix(';');
            // One on a line of its own belongs to what follows it.
            let has = own.is_some_and(|own| !own[own.trim_end().len()..].contains('\n'));
            if has { self.with += 1 } else { self.without += 1 }
        }
        oxc_ast_visit::walk::walk_statement(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::Tree;

    #[test]
    fn most_statements_tell() {
        for (text, expected) in [
            ("", true),
            ("f()", true),
            ("f()\ng()", false),
            ("f();\ng();", true),
            ("f();\ng()", true),
            ("import a from 'a'\nconst b = () => {\n  return a\n}\n", false),
            (";[1].map(f)\nf()\nf()\nf()\nf()", false),
        ] {
            let tree = Tree::parse("a.ts", text.to_owned());
            assert_eq!(tree.with(|parsed| has_semicolons(parsed, text)), expected, "{text}");
        }
    }
}
