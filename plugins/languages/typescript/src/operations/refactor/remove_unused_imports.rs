//! `remove_unused_imports`: removes unused names from imports without reordering the rest.

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Edit, FailureKind, Result, Rewrite, Span, fail, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::{Comment, Statement, TSImportEqualsDeclaration};

use crate::TypeScriptDocument;
use crate::imports::organized_statements::{is_directive, is_kept};
use crate::imports::statement::{self, ImportPart, ModuleStatement};
use crate::imports::usage::Usage;
use crate::rewrite::{final_checks, indentation};
use crate::syntax::spans::{skip_trivia, span_in};
use crate::syntax::tree::Parsed;

pub(super) const REMOVE_UNUSED_IMPORTS: Refactoring<TypeScriptDocument> = Refactoring {
    id: "remove_unused_imports",
    title: "Remove unused imports",
    place: Place::Document,
    arguments: &[
        Argument {
            name: "symbol",
            summary: "the name to remove; by default those of the selected import, or all unused names",
            values: &[],
            required: false,
        },
        Argument {
            name: "all",
            summary: "remove all unused imports, ignoring the selection",
            values: &["true", "false"],
            required: false,
        },
    ],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    let tree = &document.tree;
    tree.with(|parsed| {
        if !parsed.is_exact(tree.text()) {
            return Err(fail(
                FailureKind::ParseError,
                "unused imports cannot be determined: the file has syntax errors",
            )
            .hint("fix the syntax errors first; the file's problems show where they are"));
        }
        let remover = Remover { parsed, text: tree.text(), unit: indentation::unit(tree) };
        let usage = Usage::collect(parsed, tree.path());
        let wanted = remover.removal_scope(input, &usage)?;
        Ok(final_checks::sort_edits(remover.edits(&usage, &wanted))?.into())
    })
}

/// Returns unused imported names with their spans. Names of imports that a comment keeps are excluded, and so are names
/// of modules that this file augments.
pub(crate) fn unused_imports(parsed: &Parsed<'_>, path: &str, text: &str) -> Vec<(String, Span)> {
    let remover = Remover { parsed, text, unit: String::new() };
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

/// The unused names to remove.
enum RemovalScope {
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

struct Remover<'r, 'a> {
    parsed: &'r Parsed<'a>,
    text: &'r str,
    unit: String,
}

impl Remover<'_, '_> {
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
    fn removal_scope(&self, input: &RefactorInput, usage: &Usage<'_, '_>) -> Result<RemovalScope> {
        let statements = self.import_statements();
        let names = statements.iter().flat_map(imported_local_names).map(|(name, local)| (name.to_owned(), local));
        let equals =
            self.import_equals_declarations().map(|it| (it.id.name.to_string(), span_in(it.id.span, self.text)));
        let names: Vec<(String, Span)> = names.chain(equals).collect();
        if let Some(symbol) = input.argument("symbol") {
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
        // If the caller gives no position, the caret is at the start of the file.
        if input.is_true("all") || input.at.caret == 0 && input.at.span.is_empty() {
            return Ok(RemovalScope::All);
        }
        let at = input.at.span;
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

    fn edits(&self, usage: &Usage<'_, '_>, wanted: &RemovalScope) -> Vec<Edit> {
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

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_refused, assert_rewrite, assert_valid_at_every_offset};

    #[track_caller]
    fn removed(before: &str, after: &str) {
        assert_rewrite("remove_unused_imports", &[], before, after);
    }

    #[test]
    fn only_unused_names_are_removed() {
        removed(
            "import b, { a } from 'x';\nimport { c, d } from 'y';\nb; d;\n",
            "import b from 'x';\nimport { d } from 'y';\nb; d;\n",
        );
        removed("import b, { a } from 'x';\na;\n", "import { a } from 'x';\na;\n");
        removed("import b, * as n from 'x';\nn;\n", "import * as n from 'x';\nn;\n");
        removed("import b, * as n from 'x';\nb;\n", "import b from 'x';\nb;\n");
        removed("import {\n  a,\n  b, // b\n  c,\n} from 'x';\na; c;\n", "import {\n  a,\n  c,\n} from 'x';\na; c;\n");
        removed("import z from 'z';\nimport y from 'y';\n\nz;\n", "import z from 'z';\n\nz;\n");
        removed("import a = require('x');\nf();\n", "f();\n");
        removed("import 'x';\n", "import 'x';\n");
        removed("import { a } from 'x';\r\nf();\r\n", "f();\r\n");
        removed("namespace N { import a = M; export import b = M; }\n", "namespace N {  export import b = M; }\n");
    }

    #[test]
    fn comments_are_kept_except_tool_directives() {
        removed("// head\nimport a from 'x';\nf();\n", "// head\nf();\n");
        removed("import a from 'x'; // why\nf();\n", " // why\nf();\n");
        removed("import a from 'x'; // eslint-disable-line\nf();\n", "f();\n");
        removed("f();\n// @ts-ignore\nimport a from 'x';\ng();\n", "f();\ng();\n");
    }

    #[test]
    fn removes_single_requested_name() {
        let text = "import { a, b, c } from 'x';\nc;\n";
        assert_rewrite("remove_unused_imports", &[("symbol", "a")], text, "import { b, c } from 'x';\nc;\n");
        assert_refused("remove_unused_imports", &[("symbol", "c")], text, "`c` is used in the file");
        assert_refused("remove_unused_imports", &[("symbol", "d")], text, "no import of `d`");
        removed(
            "f();\nimport { a, ‸b } from 'x';\nimport c from 'c';\n",
            "f();\nimport { a } from 'x';\nimport c from 'c';\n",
        );
        removed("f();\n‸import { a, b } from 'x';\nimport c from 'c';\n", "f();\nimport c from 'c';\n");
        assert_rewrite(
            "remove_unused_imports",
            &[("all", "true")],
            "f();\nimport ‸a from 'a';\nimport b from 'b';\n",
            "f();\n",
        );
    }

    #[test]
    fn any_caret_gives_valid_syntax() {
        for text in [
            "import a, * as b from 'x';import {type c, d as e, default as f} from 'x'\nimport type g from 'y';e;",
            "import a, {b, // c\n c} from 'x'; c; import d = a.b; import {} from 'x'; import 'x' /* a",
            "declare module 'm' { import a from 'x'; import { b } from 'x'; export { a }; }",
        ] {
            assert_valid_at_every_offset("remove_unused_imports", "a.ts", text, &[]);
        }
    }
}
