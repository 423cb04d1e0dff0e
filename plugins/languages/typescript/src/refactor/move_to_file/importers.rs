//! Files that import moved declarations: their imports are updated.

use marquetry_sdk::{Edit, Result, Rewrite, Span, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::semicolons;
use crate::program::exports::export_name;
use crate::program::module::Module;
use crate::refactor::move_to_file::{refusal_at, specifier_in_style_of};
use crate::semantics::names::fresh_name;
use crate::semantics::with_checker;
use crate::syntax::spans::{skip_trivia, span_in};

/// Returns the edits that remove items from an import or export list, or the whole statement if none is left.
pub(super) fn without_names(text: &str, statement: Span, items: &[Span], gone: &[usize]) -> Vec<Edit> {
    if gone.is_empty() {
        return Vec::new();
    }
    if gone.len() == items.len() {
        let alone = lines::starts_line(text, statement.range().start) && lines::ends_line(text, statement.range().end);
        let mut end = if alone { lines::next_line(text, statement.range().end) } else { statement.range().end };
        // Do not leave empty lines at the top of the file.
        let is_first = alone && text[..statement.range().start].trim().is_empty();
        while is_first && end < text.len() && text[end..lines::line_end(text, end)].trim().is_empty() {
            end = lines::next_line(text, end);
        }
        return vec![Edit::remove(statement.range().start..end)];
    }
    let is_gone = |at: usize| gone.contains(&at);
    let mut edits = Vec::new();
    let open = items.iter().position(|item| text[statement.range().start..item.range().start].contains('{'));
    let listed = open.map_or(0, |open| items.len() - open);
    let from_list = open.map_or(0, |open| gone.iter().filter(|at| **at >= open).count());
    if let Some(open) = open.filter(|_| from_list == listed && listed > 0) {
        // Remove the braces with everything between them, and the comma before them.
        let brace = text[..items[open].range().start].rfind('{').unwrap_or(items[open].range().start);
        let mut close = skip_trivia(text, items[items.len() - 1].range().end);
        if text[close..].starts_with(',') {
            close = skip_trivia(text, close + 1);
        }
        let start = open.checked_sub(1).map_or(brace, |before| items[before].range().end);
        edits.push(Edit::remove(start..close + 1));
        return edits;
    }
    for at in gone {
        let in_list = open.is_some_and(|open| *at >= open);
        if !in_list {
            // Remove a default import with the comma after it.
            let comma = skip_trivia(text, items[*at].range().end);
            let next = skip_trivia(text, comma + 1);
            edits.push(Edit::remove(items[*at].range().start..next));
            continue;
        }
        let first = open.unwrap_or(0);
        let kept_before = (first..*at).rev().find(|before| !is_gone(*before));
        let range = match kept_before {
            Some(_) => items[*at - 1].range().end..items[*at].range().end,
            None => {
                items[*at].range().start..items.get(*at + 1).map_or(items[*at].range().end, |next| next.range().start)
            }
        };
        edits.push(Edit::remove(range));
    }
    edits
}

/// Updates this document after names moved from the module at `from` to another path.
pub(super) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (to, names) = payload.split_once('\n').unwrap_or((payload, ""));
    if document.tree.path() == to {
        return Ok(Rewrite::default());
    }
    let names: Vec<(&str, bool)> =
        names.split('\t').map(|name| name.strip_prefix("type ").map_or((name, false), |name| (name, true))).collect();
    with_checker(document, |checker| {
        let here = checker.open_module();
        let leads_there = |specifier: &StringLiteral<'_>| {
            let specifier = specifier.value.as_str();
            specifier.is_some_and(|specifier| checker.resolves_to(specifier, from))
        };
        let mut importer = ImporterUpdater { here: &here, from, to, names: &names, edits: Vec::new() };
        for node in here.semantic().nodes().iter() {
            match node.kind() {
                AstKind::ImportDeclaration(import) if leads_there(&import.source) => importer.update_import(import)?,
                AstKind::ExportFromDeclaration(export) if leads_there(&export.source) => {
                    importer.update_export_from(export)?
                }
                AstKind::ExportAllDeclaration(export) if leads_there(&export.source) => {
                    importer.update_export_all(export)?
                }
                AstKind::TSImportType(import) if leads_there(&import.source) => importer.update_import_type(import)?,
                AstKind::ImportExpression(import) => match &import.source {
                    Expression::StringLiteral(source) if leads_there(source) => {
                        importer.check_whole_module_use(node.id())?
                    }
                    _ => {}
                },
                AstKind::TSExternalModuleReference(reference) if leads_there(&reference.expression) => {
                    return Err(whole_module_refusal(reference.span));
                }
                AstKind::CallExpression(call) => match call.arguments.first() {
                    Some(Argument::StringLiteral(source)) if leads_there(source) => {
                        importer.check_whole_module_use(node.id())?
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(importer.edits.into())
    })
}

fn whole_module_refusal(at: oxc_span::Span) -> marquetry_sdk::Failure {
    refusal_at("the original module is imported as a whole here", at)
        .hint("first import the names individually with an import declaration")
}

struct ImporterUpdater<'m, 'w> {
    here: &'m Module<'w>,
    from: &'m str,
    to: &'m str,
    /// The moved names, and whether each is only a type.
    names: &'m [(&'m str, bool)],
    edits: Vec<Edit>,
}

impl<'w> ImporterUpdater<'_, 'w> {
    fn text(&self) -> &'w str {
        self.here.text()
    }

    fn span(&self, node: oxc_span::Span) -> Span {
        span_in(node, self.text())
    }

    fn is_moved(&self, name: &str) -> bool {
        self.names.iter().any(|(gone, _)| *gone == name)
    }

    /// Returns the new specifier in the quotes of the old one.
    fn new_source(&self, old: &'w StringLiteral<'w>) -> Result<String> {
        let written = self.span(old.span).slice(self.text());
        let quote = written.chars().next().unwrap_or('\'');
        let specifier = old.value.as_str().unwrap_or_default();
        Ok(format!("{quote}{}{quote}", specifier_in_style_of(&self.here.path, self.to, self.from, specifier)?))
    }

    fn semicolon(&self) -> &'static str {
        if semicolons::uses_semicolons(self.here.program) { ";" } else { "" }
    }

    fn insert_after(&mut self, statement: oxc_span::Span, added: &str) {
        let line_break = lines::line_break(self.text());
        self.edits.push(Edit::insert(self.span(statement).range().end, format!("{line_break}{added}")));
    }

    fn update_import(&mut self, import: &'w ImportDeclaration<'w>) -> Result<()> {
        let text = self.text();
        let specifiers = import.specifiers.as_ref().map(|all| all.as_slice()).unwrap_or_default();
        let mut gone = Vec::new();
        let mut moved: Vec<String> = Vec::new();
        for (at, listed) in specifiers.iter().enumerate() {
            match listed {
                ImportDeclarationSpecifier::ImportSpecifier(named) if self.is_moved(export_name(&named.imported)) => {
                    gone.push(at);
                    moved.push(self.span(named.span).slice(text).to_owned());
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
                    moved.extend(self.update_namespace_uses(space)?);
                }
                _ => {}
            }
        }
        if moved.is_empty() {
            return Ok(());
        }
        let source = self.new_source(&import.source)?;
        if gone.len() == specifiers.len() {
            self.edits.push(Edit::new(self.span(import.source.span), source));
            return Ok(());
        }
        let spans: Vec<Span> = specifiers.iter().map(|it| self.span(it.span())).collect();
        self.edits.extend(without_names(text, self.span(import.span), &spans, &gone));
        let keyword = if import.import_kind.is_type() { "import type" } else { "import" };
        let added = format!("{keyword} {{ {} }} from {source}{}", moved.join(", "), self.semicolon());
        self.insert_after(import.span, &added);
        Ok(())
    }

    /// Replaces members of a namespace import by directly imported names.
    fn update_namespace_uses(&mut self, space: &'w ImportNamespaceSpecifier<'w>) -> Result<Vec<String>> {
        let Some(symbol) = space.local.symbol_id.get() else { return Ok(Vec::new()) };
        let mut locals: Vec<(String, String)> = Vec::new();
        let uses: Vec<NodeId> =
            self.here.scoping().get_resolved_references(symbol).map(|used| used.node_id()).collect();
        for node in uses {
            let own = self.here.kind(node).span();
            let (whole_span, name) = match self.here.parent_kind(node) {
                AstKind::StaticMemberExpression(member) if member.object.span() == own => {
                    (member.span, member.property.name.as_str())
                }
                AstKind::TSQualifiedName(name) if name.left.span() == own => (name.span, name.right.name.as_str()),
                AstKind::JSXMemberExpression(member) if member.object.span() == own => {
                    (member.span, member.property.name.as_str())
                }
                _ => return Err(whole_module_refusal(own)),
            };
            if !self.is_moved(name) {
                continue;
            }
            let local = match locals.iter().find(|(known, _)| known == name) {
                Some((_, local)) => local.clone(),
                None => {
                    let local = fresh_name(self.here.scoping(), name);
                    locals.push((name.to_owned(), local.clone()));
                    local
                }
            };
            self.edits.push(Edit::new(self.span(whole_span), local));
        }
        let listed = |(name, local): (String, String)| if name == local { name } else { format!("{name} as {local}") };
        Ok(locals.into_iter().map(listed).collect())
    }

    fn update_export_from(&mut self, export: &'w ExportFromDeclaration<'w>) -> Result<()> {
        let text = self.text();
        let gone: Vec<usize> = (0..export.specifiers.len())
            .filter(|at| self.is_moved(export_name(&export.specifiers[*at].local)))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        let source = self.new_source(&export.source)?;
        if gone.len() == export.specifiers.len() {
            self.edits.push(Edit::new(self.span(export.source.span), source));
            return Ok(());
        }
        let spans: Vec<Span> = export.specifiers.iter().map(|it| self.span(it.span)).collect();
        let moved: Vec<&str> = gone.iter().map(|at| spans[*at].slice(text)).collect();
        let keyword = if export.export_kind.is_type() { "export type" } else { "export" };
        let added = format!("{keyword} {{ {} }} from {source}{}", moved.join(", "), self.semicolon());
        self.edits.extend(without_names(text, self.span(export.span), &spans, &gone));
        self.insert_after(export.span, &added);
        Ok(())
    }

    /// Adds re-exports from the new path, because `export *` no longer includes the names.
    fn update_export_all(&mut self, export: &'w ExportAllDeclaration<'w>) -> Result<()> {
        if let Some(name) = &export.exported {
            return Err(whole_module_refusal(name.span()));
        }
        let source = self.new_source(&export.source)?;
        let all_types = export.export_kind.is_type();
        let mut added: Vec<String> = Vec::new();
        for (keyword, types) in [("export", false), ("export type", true)] {
            let names = self.names.iter().filter(|(_, is_type)| (*is_type || all_types) == types);
            let names: Vec<&str> = names.map(|(name, _)| *name).collect();
            if !names.is_empty() {
                added.push(format!("{keyword} {{ {} }} from {source}{}", names.join(", "), self.semicolon()));
            }
        }
        let line_break = lines::line_break(self.text());
        self.insert_after(export.span, &added.join(line_break));
        Ok(())
    }

    fn update_import_type(&mut self, import: &'w TSImportType<'w>) -> Result<()> {
        let mut first = match &import.qualifier {
            None => return Err(whole_module_refusal(import.span)),
            Some(qualifier) => qualifier,
        };
        while let TSImportTypeQualifier::QualifiedName(name) = first {
            first = &name.left;
        }
        if let TSImportTypeQualifier::Identifier(name) = first
            && self.is_moved(name.name.as_str())
        {
            let source = self.new_source(&import.source)?;
            self.edits.push(Edit::new(self.span(import.source.span), source));
        }
        Ok(())
    }

    /// Checks a use of a whole module as a value. It is allowed if it certainly accesses only members that are not
    /// moved.
    fn check_whole_module_use(&mut self, node: NodeId) -> Result<()> {
        let own = self.here.kind(node).span();
        let mut at = node;
        while let AstKind::AwaitExpression(_) | AstKind::ParenthesizedExpression(_) = self.here.parent_kind(at) {
            at = self.here.parent(at);
        }
        let inner = self.here.kind(at).span();
        match self.here.parent_kind(at) {
            AstKind::ExpressionStatement(_) => Ok(()),
            AstKind::StaticMemberExpression(member)
                if member.object.span() == inner
                    && !self.is_moved(&member.property.name)
                    && member.property.name != "then" =>
            {
                Ok(())
            }
            AstKind::VariableDeclarator(variable) => match &variable.id {
                BindingPattern::ObjectPattern(object)
                    if object.rest.is_none()
                        && object.properties.iter().all(|property| {
                            let name = property.key.static_name();
                            name.is_some_and(|name| !self.is_moved(&name.display().to_string()))
                        }) =>
                {
                    Ok(())
                }
                _ => Err(whole_module_refusal(own)),
            },
            _ => Err(whole_module_refusal(own)),
        }
    }
}
