//! Unused names of imports, and their removal without reordering the rest.

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::{Edit, FailureKind, Result, Span, fail, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::{Comment, Statement, TSImportEqualsDeclaration};

use crate::imports::organized_statements::{is_directive, is_kept};
use crate::imports::statement::{self, ImportPart, ModuleStatement};
use crate::imports::usage::Usage;
use crate::syntax::spans::{skip_trivia, span_in};
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
    let listed = statements.iter().filter(|statement| !stays(statement)).flat_map(imported_local_names);
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

    fn comments(&self) -> &[Comment] {
        &self.parsed.program.comments
    }

    /// Returns the names to remove. Fails if the requested name is used or does not exist.
    pub(crate) fn removal_scope(&self, request: &RemovalRequest<'_>, usage: &Usage<'_, '_>) -> Result<RemovalScope> {
        let statements = self.import_statements();
        let names = statements.iter().flat_map(imported_local_names).map(|(name, local)| (name.to_owned(), local));
        let equals =
            self.import_equals_declarations().map(|it| (it.id.name.to_string(), span_in(it.id.span, self.text)));
        let names: Vec<(String, Span)> = names.chain(equals).collect();
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
        let whole: Vec<Span> =
            whole.chain(self.import_equals_declarations().map(|it| span_in(it.span, self.text))).collect();
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
        let mut edits = Vec::new();
        for statement in self.import_statements() {
            let augmented = statement.specifier.as_deref().is_some_and(|specifier| usage.is_augmented(specifier));
            if !augmented && !is_kept(self.comments(), self.text, statement.span) {
                self.statement_edits(&statement, &is_unused, &mut edits);
            }
        }
        for equals in
            self.import_equals_declarations().filter(|it| is_unused(&it.id.name, span_in(it.id.span, self.text)))
        {
            self.remove_statement(span_in(equals.span, self.text), &mut edits);
        }
        edits
    }

    fn statement_edits(
        &self,
        statement: &ModuleStatement<'_>,
        is_unused: &dyn Fn(&str, Span) -> bool,
        edits: &mut Vec<Edit>,
    ) {
        let all = imported_local_names(statement).count();
        let gone = imported_local_names(statement).filter(|(name, local)| is_unused(name, *local)).count();
        if gone == 0 {
            return;
        }
        if gone == all {
            self.remove_statement(statement.span, edits);
            return;
        }
        let unused = |part: &ImportPart<'_>| is_unused(part.name, part.local);
        let items: Vec<usize> = statement
            .items()
            .iter()
            .enumerate()
            .filter(|(_, item)| is_unused(item.name, item.local))
            .map(|(index, _)| index)
            .collect();
        let second_goes = statement.namespace.as_ref().is_some_and(unused)
            || !items.is_empty() && items.len() == statement.items().len();
        match &statement.default {
            Some(default) if unused(default) => {
                let comma = skip_trivia(self.text, default.local.range().end);
                let rest = comma + usize::from(self.text[comma..].starts_with(','));
                let rest = rest + self.text[rest..].len() - self.text[rest..].trim_start().len();
                edits.push(Edit::remove(default.local.range().start..rest));
            }
            Some(default) if second_goes => {
                let comma = skip_trivia(self.text, default.local.range().end);
                let from = self.text[..comma].trim_end_matches([' ', '\t']).len();
                edits.push(Edit::remove(from..statement.clause.range().end));
                return;
            }
            _ => {}
        }
        if let Some(list) = statement.list.as_ref().filter(|_| !items.is_empty()) {
            edits.extend(
                Items {
                    text: self.text,
                    inner: list.inner,
                    items: list.items.iter().map(|item| self.extend_to_comment(item.span, list.inner)).collect(),
                    separator: ",",
                    terminated: false,
                    comments: C_STYLE,
                    unit: &self.unit,
                    empty: EmptyStyle::Padded,
                    breaks: 1,
                }
                .delete(&items),
            );
        }
    }

    /// Extends an item to its attached comment.
    fn extend_to_comment(&self, item: Span, inner: Span) -> Span {
        let doc = crate::syntax::comments::attached_comment(self.comments(), self.text, item.range().start);
        doc.filter(|doc| doc.start >= inner.start).map_or(item, |doc| Span { start: doc.start, end: item.end })
    }

    /// Removes a statement, its line if nothing else is on it, and the directive comment above it.
    fn remove_statement(&self, statement: Span, edits: &mut Vec<Edit>) {
        let (start, end) = (statement.range().start, statement.range().end);
        let is_alone = lines::starts_line(self.text, start) && lines::ends_line(self.text, end);
        let span =
            if is_alone { lines::line_start(self.text, start)..lines::next_line(self.text, end) } else { start..end };
        let after = self.comments().partition_point(|comment| (comment.span.end as usize) <= start);
        if let Some(above) = after.checked_sub(1).map(|index| span_in(self.comments()[index].span, self.text))
            && is_directive(above.slice(self.text))
            && is_alone
            && self.text[above.range().end..start].trim().is_empty()
            && lines::starts_line(self.text, above.range().start)
        {
            edits.push(Edit::remove(lines::line_start(self.text, above.range().start)..span.end));
            return;
        }
        if let Some(behind) = self.comments().iter().find(|comment| comment.span.start as usize >= end)
            && let behind = span_in(behind.span, self.text)
            && is_directive(behind.slice(self.text))
            && lines::starts_line(self.text, start)
            && self.text[end..behind.range().start].trim_matches([' ', '\t']).is_empty()
            && lines::ends_line(self.text, behind.range().end)
        {
            let from = lines::line_start(self.text, start);
            edits.push(Edit::remove(from..lines::next_line(self.text, behind.range().end)));
            return;
        }
        edits.push(Edit::remove(span));
    }
}

/// Returns the local names that an import declares, with their spans.
fn imported_local_names<'s>(statement: &'s ModuleStatement<'_>) -> impl Iterator<Item = (&'s str, Span)> {
    let parts = [&statement.default, &statement.namespace].into_iter().flatten();
    parts.map(|part| (part.name, part.local)).chain(statement.items().iter().map(|item| (item.name, item.local)))
}

fn refusal(message: String) -> marquetry_sdk::Failure {
    fail(FailureKind::RefactorFailed, message).hint("leave out `symbol` and the selection to remove all unused imports")
}
