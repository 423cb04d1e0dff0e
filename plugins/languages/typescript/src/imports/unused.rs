//! Unused names of imports, and their removal without reordering the rest.

use marquetry_sdk::{Edit, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::{Comment, Statement, TSImportEqualsDeclaration};

use crate::imports::organized_statements::is_kept;
use crate::imports::removal::{NameRemoval, local_names};
use crate::imports::statement::{self, ModuleStatement};
use crate::imports::unused_requires::{RequireStatement, require_statements};
use crate::imports::usage::Usage;
use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;

/// Returns unused imported names with their spans. Names of imports that a comment keeps are excluded, and so are names
/// of modules that this file augments.
pub(crate) fn unused_imports(parsed: &Parsed<'_>, path: &str, text: &str) -> Vec<(String, Span)> {
    let remover = UnusedImports { parsed, text, unit: String::new() };
    let usage = Usage::collect(parsed, path);
    let stays = |statement: &ModuleStatement<'_>| {
        let augmented = statement.specifier.as_deref().is_some_and(|specifier| usage.is_augmented(specifier));
        augmented || is_kept(remover.comments(), text, statement.span)
    };
    let statements = remover.import_statements();
    let listed = statements.iter().filter(|statement| !stays(statement)).flat_map(local_names);
    let listed = listed.map(|(name, local)| (name.to_owned(), local));
    let equals = remover.import_equals_declarations().map(|it| (it.id.name.to_string(), span_in(it.id.span, text)));
    listed.chain(equals).filter(|(name, local)| !usage.is_used(*local, name)).collect()
}

/// The names that a caller asks to remove.
pub(crate) struct RemovalRequest<'r> {
    pub(crate) symbol: Option<&'r str>,
    /// `None` for all unused names.
    pub(crate) at: Option<Span>,
}

/// The unused names to remove.
pub(crate) enum RemovalScope {
    All,
    /// The unused names within the span of one statement or name.
    Within(Span),
}

impl RemovalScope {
    fn includes(&self, local: Span) -> bool {
        match self {
            RemovalScope::All => true,
            RemovalScope::Within(span) => span.contains(local),
        }
    }
}

/// Removes unused names from the imports of a file.
pub(crate) struct UnusedImports<'r, 'a> {
    pub(crate) parsed: &'r Parsed<'a>,
    pub(crate) text: &'r str,
    /// The indentation unit.
    pub(crate) unit: String,
}

impl UnusedImports<'_, '_> {
    /// Returns the import declarations, including those in `declare module` blocks.
    fn import_statements(&self) -> Vec<ModuleStatement<'_>> {
        let nodes = self.parsed.semantic().nodes().iter();
        let blocks = nodes.filter_map(|node| match node.kind() {
            AstKind::TSModuleBlock(block) => Some(&block.body),
            _ => None,
        });
        let bodies = std::iter::once(&self.parsed.program.body).chain(blocks);
        let imports = bodies.flatten().filter(|statement| matches!(statement, Statement::ImportDeclaration(_)));
        imports.filter_map(|import| statement::parse_statement(import, self.comments(), self.text)).collect()
    }

    /// Returns `import a = …` declarations.
    fn import_equals_declarations(&self) -> impl Iterator<Item = &TSImportEqualsDeclaration<'_>> {
        let nodes = self.parsed.semantic().nodes();
        nodes.iter().filter_map(move |node| match node.kind() {
            AstKind::TSImportEqualsDeclaration(equals)
                if !matches!(nodes.parent_kind(node.id()), AstKind::ExportDeclaration(_)) =>
            {
                Some(equals)
            }
            _ => None,
        })
    }

    /// Returns the `require` statements, except those that a comment marks as needed.
    fn require_statements(&self) -> Vec<RequireStatement<'_>> {
        let mut found = require_statements(self.parsed.program, self.text);
        found.retain(|statement| !is_kept(self.comments(), self.text, statement.span));
        found
    }

    fn comments(&self) -> &[Comment] {
        &self.parsed.program.comments
    }

    /// Returns the names to remove. Fails if the requested name is used or does not exist.
    pub(crate) fn removal_scope(&self, request: &RemovalRequest<'_>, usage: &Usage<'_, '_>) -> Result<RemovalScope> {
        let statements = self.import_statements();
        let names = statements.iter().flat_map(local_names).map(|(name, local)| (name.to_owned(), local));
        let equals =
            self.import_equals_declarations().map(|it| (it.id.name.to_string(), span_in(it.id.span, self.text)));
        let required = self.require_statements();
        let required_names = required.iter().flat_map(|statement| statement.names(self.text));
        let required_names = required_names.map(|(name, local)| (name.to_owned(), local));
        let names: Vec<(String, Span)> = names.chain(equals).chain(required_names).collect();
        if let Some(symbol) = request.symbol {
            let mut same = names.iter().filter(|(name, _)| name == symbol).peekable();
            if same.peek().is_none() {
                let known = names.iter().map(|(name, _)| name.as_str());
                return Err(marquetry_sdk::Failure::not_found("import of", symbol, known));
            }
            return match same.find(|(name, local)| !usage.is_used(*local, name)) {
                Some((_, local)) => Ok(RemovalScope::Within(*local)),
                None => Err(refusal(format!("`{symbol}` is used in the file"))),
            };
        }
        let Some(at) = request.at else { return Ok(RemovalScope::All) };
        let touches = |span: Span| span.start <= at.end && at.start <= span.end;
        let whole = statements.iter().map(|it| it.span);
        let equals = self.import_equals_declarations().map(|it| span_in(it.span, self.text));
        let whole: Vec<Span> = whole.chain(equals).chain(required.iter().map(|statement| statement.span)).collect();
        let Some(around) = whole.into_iter().find(|span| touches(*span)) else { return Ok(RemovalScope::All) };
        let unused =
            |within: Span| names.iter().any(|(name, local)| within.contains(*local) && !usage.is_used(*local, name));
        if let Some((name, local)) = names.iter().find(|(_, local)| at.is_empty() && touches(*local)) {
            return match unused(*local) {
                true => Ok(RemovalScope::Within(*local)),
                false => Err(refusal(format!("`{name}` is used in the file"))),
            };
        }
        if unused(around) { Ok(RemovalScope::Within(around)) } else { Err(refusal("the import is used".to_owned())) }
    }

    pub(crate) fn edits(&self, usage: &Usage<'_, '_>, wanted: &RemovalScope) -> Vec<Edit> {
        let is_unused = |name: &str, local: Span| wanted.includes(local) && !usage.is_used(local, name);
        let removal = NameRemoval { text: self.text, comments: self.comments(), unit: &self.unit };
        let mut edits = Vec::new();
        for statement in self.import_statements() {
            let augmented = statement.specifier.as_deref().is_some_and(|specifier| usage.is_augmented(specifier));
            if !augmented && !is_kept(self.comments(), self.text, statement.span) {
                removal.remove_names(&statement, &is_unused, &mut edits);
            }
        }
        for statement in self.require_statements() {
            statement.remove_names(&removal, &is_unused, &mut edits);
        }
        for equals in
            self.import_equals_declarations().filter(|it| is_unused(&it.id.name, span_in(it.id.span, self.text)))
        {
            removal.remove_statement(span_in(equals.span, self.text), &mut edits);
        }
        edits
    }
}

fn refusal(message: String) -> marquetry_sdk::Failure {
    fail(FailureKind::RefactorFailed, message).hint("leave out `symbol` and the selection to remove all unused imports")
}
