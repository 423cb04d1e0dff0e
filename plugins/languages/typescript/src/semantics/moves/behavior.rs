//! Moved code that may behave differently in the other file.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::links::relative_links;
use crate::program::resolution::paths;
use crate::semantics::moves::source_file::{MoveSource, declaration_of};
use crate::syntax::spans::span_in;

impl MoveSource<'_, '_> {
    /// Returns an expression in the moved code that refers to the file's own path, other than in updated links.
    fn own_path_expression(&self) -> Option<&'static str> {
        let text = self.text();
        let links = relative_links(self.here.program, text);
        self.statements.iter().find_map(|index| {
            let span = self.body()[*index].span();
            let stretch = span.source_text(text);
            let known = links
                .iter()
                .filter(|link| link.kind == "url" && span.start <= link.span.start && link.span.end <= span.end);
            let metas = stretch.matches("import.meta.url").count();
            ["__dirname", "__filename", "import.meta.dirname", "import.meta.filename"]
                .into_iter()
                .find(|word| stretch.contains(word))
                .or((metas > known.count()).then_some("import.meta.url"))
                .or(self.requires_computed_path(span).then_some("require"))
        })
    }

    /// Returns whether code uses `require` other than to load a module with a literal path.
    fn requires_computed_path(&self, code: oxc_span::Span) -> bool {
        let scoping = self.here.scoping();
        let references = scoping.root_unresolved_references().get(&Ident::from("require"));
        let mut nodes = references.into_iter().flatten().map(|id| scoping.get_reference(*id).node_id());
        nodes.any(|node| {
            let is_literal = match self.here.parent_kind(node) {
                AstKind::CallExpression(call) => matches!(call.arguments.as_slice(), [Argument::StringLiteral(_)]),
                _ => false,
            };
            code.contains_inclusive(self.here.kind(node).span()) && !is_literal
        })
    }

    /// Returns a warning about a possible change of behavior.
    pub(crate) fn behavior_warning(&self) -> Option<String> {
        if paths::parent(&self.here.path) != paths::parent(&self.to)
            && let Some(word) = self.own_path_expression()
        {
            return Some(format!("`{word}` refers to a different folder in `{}`", self.to));
        }
        let acts = self.statements.iter().find_map(|index| match declaration_of(&self.body()[*index])? {
            Declaration::VariableDeclaration(variables) => variables.declarations.iter().find(|variable| {
                matches!(
                    variable.init.as_ref().map(Expression::without_parentheses),
                    Some(Expression::CallExpression(_) | Expression::NewExpression(_) | Expression::AwaitExpression(_))
                )
            }),
            _ => None,
        })?;
        let name = span_in(acts.id.span(), self.text()).slice(self.text());
        Some(format!("`{name}` is now initialized when `{}` is loaded, which may be at a different time", self.to))
    }
}
