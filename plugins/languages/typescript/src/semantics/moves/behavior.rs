//! Moved code that may behave differently in the other file.

use marquetry_sdk::Result;
use marquetry_sdk::refactor::refactor_failure;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::links::relative_links;
use crate::program::resolution::paths;
use crate::semantics::moves::source_file::{MoveSource, MovedDependency, declaration_of};
use crate::semantics::{effects, refusal_at};
use crate::syntax::spans::span_in;

impl MoveSource<'_, '_> {
    /// Refuses to move a file with a direct `eval`, which may use any name, and values that are declared without code,
    /// which a module cannot export when it runs.
    pub(super) fn check_names_of_runtime(&self) -> Result<()> {
        if self.here.scoping().root_scope_flags().contains_direct_eval() {
            return Err(refactor_failure("`eval` in this file may use any name")
                .hint("first replace `eval`, or make the change by hand"));
        }
        if self.here.program.source_type.is_typescript_definition() {
            return Ok(());
        }
        let depended = self.dependencies.iter().filter_map(|dependency| match dependency {
            MovedDependency::Declared(index, _) => Some(*index),
            MovedDependency::Imported(..) => None,
        });
        for index in self.statements.iter().copied().chain(depended) {
            let statement = &self.body()[index];
            let is_value = |declaration: &&Declaration<'_>| {
                matches!(
                    declaration,
                    Declaration::FunctionDeclaration(_)
                        | Declaration::VariableDeclaration(_)
                        | Declaration::ClassDeclaration(_)
                        | Declaration::TSEnumDeclaration(_)
                )
            };
            if declaration_of(statement).filter(is_value).is_some_and(|declaration| declaration.declare()) {
                return Err(refusal_at("`declare` describes a value that no module exports", statement.span())
                    .hint("first move the `declare` into a file of global declarations, such as `globals.d.ts`"));
            }
        }
        Ok(())
    }

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
            let is_same_folder = self.stays_in_folder();
            let words = ["__filename", "import.meta.filename"].into_iter();
            let folders = ["__dirname", "import.meta.dirname"].into_iter().filter(|_| !is_same_folder);
            words
                .chain(folders)
                .find(|word| stretch.contains(word))
                .or((metas > known.count()).then_some("import.meta.url"))
                .or((!is_same_folder && self.requires_computed_path(span)).then_some("require"))
        })
    }

    fn stays_in_folder(&self) -> bool {
        paths::parent(&self.here.path) == paths::parent(&self.to)
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
        if let Some(word) = self.own_path_expression() {
            let what = if self.stays_in_folder() { "file" } else { "folder" };
            return Some(format!("`{word}` refers to a different {what} in `{}`", self.to));
        }
        self.load_time_warning()
    }

    /// Returns a warning if loading the moved code has side effects, which now happen when the other file is loaded.
    fn load_time_warning(&self) -> Option<String> {
        let semantic = self.here.semantic();
        let acts = |node: NodeId, span: oxc_span::Span| effects::effects_of(semantic, node, span).has_side_effects;
        let name = self.statements.iter().find_map(|index| match declaration_of(&self.body()[*index])? {
            Declaration::VariableDeclaration(variables) => {
                let mut variables = variables.declarations.iter();
                variables.find(|it| acts(it.node_id.get(), it.span)).map(|variable| variable.id.span())
            }
            Declaration::ClassDeclaration(class) => {
                let is_active = |element: &ClassElement<'_>| match element {
                    ClassElement::StaticBlock(it) => acts(it.node_id.get(), it.span),
                    ClassElement::PropertyDefinition(it) => it.r#static && acts(it.node_id.get(), it.span),
                    _ => false,
                };
                let is_active = !class.decorators.is_empty() || class.body.body.iter().any(is_active);
                class.id.as_ref().filter(|_| is_active).map(|id| id.span)
            }
            _ => None,
        })?;
        let name = span_in(name, self.text()).slice(self.text());
        Some(format!("`{name}` is now initialized when `{}` is loaded, which may be at a different time", self.to))
    }
}
