//! Moved code that may behave differently in the other file.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Destination, Request, Result};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::links::relative_links;
use crate::program::resolution::{self, paths};
use crate::semantics::moves::source_file::{MoveSource, MovedDependency, declaration_of};
use crate::semantics::refusal_at;
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
        let mut links = relative_links(self.here.program, self.text());
        // Paths without a file stay as they are written.
        links.retain(|link| {
            matches!(link.kind.as_str(), "url" | "resolve") && {
                let request = Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
                let found = resolution::resolve(self.checker.workspace, &self.here.path, &[request]);
                matches!(found.first(), Some(Destination::Inside(_)))
            }
        });
        let is_link = |node: NodeId| {
            let mut around = self
                .here
                .self_and_ancestors(node)
                .skip(1)
                .map(|node| span_in(self.here.kind(node).span(), self.text()));
            let call = around.nth(1);
            links.iter().any(|link| call.is_some_and(|call| call.contains(link.span)))
        };
        let is_same_folder = self.stays_in_folder();
        let nodes = self.here.semantic().nodes().iter().filter(|node| self.is_moved(node.kind().span()));
        let mut found = nodes.filter_map(|node| match node.kind() {
            AstKind::ImportMeta(_) => own_path_of_meta(&self.here.parent_kind(node.id()), is_same_folder)
                .filter(|_| !is_link(node.id()) && !self.resolves_package(node.id())),
            AstKind::IdentifierReference(name) if self.here.symbol_of(name).is_none() => match name.name.as_str() {
                "__filename" => Some("__filename"),
                "__dirname" if !is_same_folder => Some("__dirname"),
                "module" if !is_exports(&self.here.parent_kind(node.id())) => Some("module"),
                _ => None,
            },
            _ => None,
        });
        found.next().or_else(|| {
            let mut moved = self.statements.iter().map(|index| self.body()[*index].span());
            (!is_same_folder && moved.any(|code| self.requires_computed_path(code))).then_some("require")
        })
    }

    /// Returns whether an `import.meta` is that of `import.meta.resolve("package")`, which has the same value in all
    /// files of a project.
    fn resolves_package(&self, node: NodeId) -> bool {
        let call = self.here.self_and_ancestors(node).nth(2).map(|around| self.here.kind(around));
        match call {
            Some(AstKind::CallExpression(call)) => match call.arguments.first() {
                Some(Argument::StringLiteral(path)) => path.value.as_str().is_some_and(|path| !path.starts_with('.')),
                _ => false,
            },
            _ => false,
        }
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
}

fn is_exports(around: &AstKind<'_>) -> bool {
    matches!(around, AstKind::StaticMemberExpression(member) if member.property.name == "exports")
}

/// Returns the expression `import.meta…` if its value depends on the path of its file. With `is_same_folder`, if it
/// depends on the name of the file.
fn own_path_of_meta(around: &AstKind<'_>, is_same_folder: bool) -> Option<&'static str> {
    let AstKind::StaticMemberExpression(member) = around else { return Some("import.meta") };
    match member.property.name.as_str() {
        "url" => Some("import.meta.url"),
        "filename" => Some("import.meta.filename"),
        "main" => Some("import.meta.main"),
        "hot" => Some("import.meta.hot"),
        "dirname" => (!is_same_folder).then_some("import.meta.dirname"),
        "resolve" => (!is_same_folder).then_some("import.meta.resolve"),
        // Settings of bundlers are the same in all files.
        _ => None,
    }
}
