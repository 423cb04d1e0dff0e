//! Files that import a module: they import the export under its new name and keep their local name.

use marquetry_sdk::{Edit, FailureKind, Result, Rewrite, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::{final_checks, semicolons};
use crate::imports::compiler_settings::{CompilerSettings, ModuleKind};
use crate::program::exports::export_name;
use crate::program::module::Module;
use crate::program::resolution::Resolver;
use crate::program::resolution::workspace::Workspace;
use crate::semantics::with_checker;
use crate::syntax::spans::{skip_trivia, span_in};

/// Updates this document after the module at `from` renamed an export.
pub(crate) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (old, new) = payload.split_once('\n').unwrap_or((payload, ""));
    with_checker(document, |checker| {
        let here = checker.open_module();
        let leads_there = |specifier: &StringLiteral<'_>| {
            let specifier = specifier.value.as_str();
            specifier.is_some_and(|specifier| checker.resolves_to(specifier, from))
        };
        let mut importer = ImporterUpdater { here: &here, old, new, edits: Vec::new(), unresolved: Vec::new() };
        for node in here.semantic().nodes().iter() {
            match node.kind() {
                AstKind::ImportDeclaration(import) if leads_there(&import.source) => importer.update_import(import),
                AstKind::ExportFromDeclaration(export) if leads_there(&export.source) => {
                    importer.update_export_from(export)
                }
                AstKind::ExportAllDeclaration(export) if leads_there(&export.source) => {
                    importer.update_export_all(export)
                }
                AstKind::TSImportEqualsDeclaration(import) => match &import.module_reference {
                    TSModuleReference::ExternalModuleReference(reference) if leads_there(&reference.expression) => {
                        importer.update_namespace_uses(&import.id);
                    }
                    _ => {}
                },
                AstKind::ImportExpression(import) => match &import.source {
                    Expression::StringLiteral(source) if leads_there(source) => {
                        importer.update_module_value(node.id(), true)
                    }
                    _ => {}
                },
                AstKind::CallExpression(call) => match (&call.callee, call.arguments.as_slice()) {
                    (Expression::Identifier(name), [Argument::StringLiteral(source)])
                        if name.name == "require" && leads_there(source) =>
                    {
                        importer.update_module_value(node.id(), false);
                    }
                    (_, [Argument::StringLiteral(source), ..])
                        if crate::syntax::module_calls::call_kind(&call.callee) == Some("mock")
                            && leads_there(source) =>
                    {
                        importer.add_unresolved(call.span);
                    }
                    _ => {}
                },
                AstKind::TSImportType(import) if leads_there(&import.source) => importer.update_import_type(import),
                _ => {}
            }
        }
        if new == "default" && !importer.edits.is_empty() {
            check_module_formats(&here.path, from)?;
        }
        let mut rewrite = Rewrite::from(final_checks::sort_edits(importer.edits)?);
        importer.unresolved.sort_by_key(|span| span.start);
        rewrite.unresolved = importer.unresolved;
        Ok(rewrite)
    })
}

/// Refuses a default export of a CommonJS module that Node would import as the whole module.
fn check_module_formats(here: &str, from: &str) -> Result<()> {
    let workspace = Workspace::current();
    let settings = |path: &str| CompilerSettings::for_file(&Resolver::new(&workspace, path), path);
    let (own, other) = (settings(here), settings(from));
    if own.module == ModuleKind::Node && own.is_esm && !other.is_esm {
        let message =
            format!("`{from}` is a CommonJS module: the default import of this ES module would be the whole module");
        return Err(fail(FailureKind::RefactorFailed, message)
            .hint("keep the named export, or use the same module `type` in the `package.json` of both files"));
    }
    Ok(())
}

struct ImporterUpdater<'m, 'w> {
    here: &'m Module<'w>,
    old: &'m str,
    new: &'m str,
    edits: Vec<Edit>,
    unresolved: Vec<Span>,
}

impl<'w> ImporterUpdater<'_, 'w> {
    fn text(&self) -> &'w str {
        self.here.text()
    }

    fn span(&self, node: oxc_span::Span) -> Span {
        span_in(node, self.text())
    }

    /// Reports a use that cannot be updated.
    fn add_unresolved(&mut self, place: oxc_span::Span) {
        self.unresolved.push(self.span(place));
    }

    /// Returns the list entry that imports the new name as `local`.
    fn list_item(&self, local: &str) -> String {
        if local == self.new { local.to_owned() } else { format!("{} as {local}", self.new) }
    }

    fn update_import(&mut self, import: &'w ImportDeclaration<'w>) {
        let specifiers = import.specifiers.as_ref().map(|all| all.as_slice()).unwrap_or_default();
        for listed in specifiers {
            match listed {
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) if self.old == "default" => {
                    self.update_default_specifier(import, default, specifiers);
                }
                ImportDeclarationSpecifier::ImportSpecifier(named) if export_name(&named.imported) == self.old => {
                    self.update_list_specifier(import, named, specifiers);
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => self.update_namespace_uses(&space.local),
                _ => {}
            }
        }
    }

    /// Changes `import D from` to `import { f as D } from`.
    fn update_default_specifier(
        &mut self,
        import: &'w ImportDeclaration<'w>,
        default: &'w ImportDefaultSpecifier<'w>,
        specifiers: &'w [ImportDeclarationSpecifier<'w>],
    ) {
        let text = self.text();
        let own = self.span(default.span);
        let item = self.list_item(default.local.name.as_str());
        let Some(next) = specifiers.get(1) else {
            self.edits.push(Edit::new(own, self.in_braces(&item)));
            return;
        };
        let comma = skip_trivia(text, own.range().end);
        let second = skip_trivia(text, comma + 1);
        match next {
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
                // A namespace import and a list cannot be combined.
                self.edits.push(Edit::remove(own.range().start..second.min(space.span.start as usize)));
                let statement = self.span(import.span);
                let source = self.span(import.source.span).slice(text);
                let mark = if semicolons::uses_semicolons(self.here.program) { ";" } else { "" };
                let line_break = marquetry_sdk::lines::line_break(text);
                let keyword = if import.import_kind.is_type() { "import type" } else { "import" };
                let added = format!("{line_break}{keyword} {} from {source}{mark}", self.in_braces(&item));
                self.edits.push(Edit::insert(statement.range().end, added));
            }
            _ => {
                let open = second + 1;
                let rest = &text[open..];
                let gap = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
                self.edits.push(Edit::remove(own.range().start..second));
                self.edits.push(Edit::insert(open + gap, format!("{item}, ")));
            }
        }
    }

    /// Changes `import { f as D } from` to `import D from`, or the name in the list.
    fn update_list_specifier(
        &mut self,
        import: &'w ImportDeclaration<'w>,
        named: &'w ImportSpecifier<'w>,
        specifiers: &'w [ImportDeclarationSpecifier<'w>],
    ) {
        let text = self.text();
        let own = self.span(named.span);
        let mark = if named.import_kind.is_type() { "type " } else { "" };
        let local = self.span(named.local.span).slice(text);
        let in_list = format!("{mark}{}", self.list_item(local));
        let is_alone = specifiers.len() == 1;
        let takes_default = self.new == "default"
            && !named.import_kind.is_type()
            && (is_alone || !import.import_kind.is_type())
            && specifiers.iter().all(|other| matches!(other, ImportDeclarationSpecifier::ImportSpecifier(_)));
        if !takes_default {
            self.edits.push(Edit::new(own, in_list));
            return;
        }
        let start = self.span(import.span).range().start;
        let Some(open) = text[start..own.range().start].rfind('{').map(|at| start + at) else {
            self.edits.push(Edit::new(own, in_list));
            return;
        };
        if is_alone {
            let mut close = skip_trivia(text, own.range().end);
            if text[close..].starts_with(',') {
                close = skip_trivia(text, close + 1);
            }
            let has_comment = [open..own.range().start, own.range().end..close].into_iter().any(|part| {
                let part = &text[part];
                part.contains("//") || part.contains("/*")
            });
            match text[close..].starts_with('}') && !has_comment {
                true => self.edits.push(Edit::new(open..close + 1, local)),
                false => self.edits.push(Edit::new(own, in_list)),
            }
            return;
        }
        let at = specifiers.iter().position(|other| other.span() == named.span).unwrap_or(0);
        let removed = match specifiers.get(at + 1) {
            Some(next) => own.range().start..next.span().start as usize,
            None => specifiers[at.saturating_sub(1)].span().end as usize..own.range().end,
        };
        let around = &text[removed.clone()];
        if around.contains("//") || around.contains("/*") {
            self.edits.push(Edit::new(own, in_list));
            return;
        }
        self.edits.push(Edit::insert(open, format!("{local}, ")));
        self.edits.push(Edit::remove(removed));
    }

    /// Puts an item in braces, in the style of the file's imports.
    fn in_braces(&self, item: &str) -> String {
        let text = self.text();
        let mut imports = self.here.program.body.iter().filter_map(|statement| match statement {
            Statement::ImportDeclaration(import) => self.span(import.span).slice(text).split_once('{'),
            _ => None,
        });
        let tight = imports.next().is_some_and(|(_, list)| !list.starts_with([' ', '\n', '\r', '}']));
        if tight { format!("{{{item}}}") } else { format!("{{ {item} }}") }
    }

    fn update_export_from(&mut self, export: &'w ExportFromDeclaration<'w>) {
        for listed in &export.specifiers {
            if export_name(&listed.local) != self.old {
                continue;
            }
            let outer = self.span(listed.exported.span()).slice(self.text());
            let start = listed.local.span().start;
            let whole = Span { start, end: self.span(listed.span).end };
            self.edits.push(Edit::new(whole, self.list_item(outer)));
        }
    }

    /// Handles `export *`, which re-exports every name except `default`.
    fn update_export_all(&mut self, export: &'w ExportAllDeclaration<'w>) {
        if let Some(name) = &export.exported {
            self.add_unresolved(name.span());
            return;
        }
        let text = self.text();
        if self.new == "default" {
            let source = self.span(export.source.span).slice(text);
            let mark = if semicolons::uses_semicolons(self.here.program) { ";" } else { "" };
            let line_break = marquetry_sdk::lines::line_break(text);
            let keyword = if export.export_kind.is_type() { "export type" } else { "export" };
            let item = self.in_braces(&format!("default as {}", self.old));
            let added = format!("{line_break}{keyword} {item} from {source}{mark}");
            self.edits.push(Edit::insert(self.span(export.span).range().end, added));
        }
    }

    /// Updates member accesses of a namespace import.
    fn update_namespace_uses(&mut self, space: &'w BindingIdentifier<'w>) {
        let Some(symbol) = space.symbol_id.get() else { return };
        self.update_symbol_uses(symbol);
    }

    fn update_symbol_uses(&mut self, symbol: SymbolId) {
        let uses: Vec<NodeId> =
            self.here.scoping().get_resolved_references(symbol).map(|reference| reference.node_id()).collect();
        for node in uses {
            self.update_member_access(node);
        }
    }

    /// Updates the member access of a node that is the whole module.
    fn update_member_access(&mut self, node: NodeId) {
        let own = self.here.kind(node).span();
        match self.here.parent_kind(node) {
            AstKind::StaticMemberExpression(member) if member.object.span() == own => {
                if member.property.name == self.old {
                    self.edits.push(Edit::new(self.span(member.property.span), self.new));
                }
            }
            AstKind::TSQualifiedName(name) if name.left.span() == own => {
                if name.right.name == self.old {
                    self.edits.push(Edit::new(self.span(name.right.span), self.new));
                }
            }
            AstKind::JSXMemberExpression(member) if member.object.span() == own => {
                if member.property.name == self.old {
                    self.edits.push(Edit::new(self.span(member.property.span), self.new));
                }
            }
            AstKind::ComputedMemberExpression(member) if member.object.span() == own => {
                if let Expression::StringLiteral(name) = &member.expression
                    && name.value.as_str().is_some_and(|name| name != self.old)
                {
                    return;
                }
                self.add_unresolved(member.span);
            }
            AstKind::VariableDeclarator(variable) if variable.id.span() != own => {
                self.update_pattern(&variable.id, own)
            }
            AstKind::ParenthesizedExpression(_) | AstKind::TSNonNullExpression(_) => {
                self.update_member_access(self.here.parent(node));
            }
            // In a statement such as `require("x");`, the module is only run and no export is used.
            AstKind::ExpressionStatement(_) => {}
            _ => self.add_unresolved(own),
        }
    }

    /// Handles the value of `require` or `import()`; the latter must be awaited.
    fn update_module_value(&mut self, node: NodeId, promised: bool) {
        if !promised {
            self.update_member_access(node);
            return;
        }
        let own = self.here.kind(node).span();
        let parent = self.here.parent(node);
        match self.here.kind(parent) {
            AstKind::AwaitExpression(_) => self.update_member_access(parent),
            AstKind::ExpressionStatement(_) => {}
            AstKind::StaticMemberExpression(member) if member.property.name == "then" => {
                let AstKind::CallExpression(call) = self.here.parent_kind(parent) else {
                    return self.add_unresolved(own);
                };
                let params = match call.arguments.first() {
                    Some(Argument::ArrowFunctionExpression(arrow)) => &arrow.params,
                    Some(Argument::FunctionExpression(function)) => &function.params,
                    _ => return self.add_unresolved(own),
                };
                if let Some(first) = params.items.first() {
                    self.update_pattern(&first.pattern, own);
                }
            }
            _ => self.add_unresolved(own),
        }
    }

    /// Updates the pattern that destructures the module, or the uses of the variable that holds it.
    fn update_pattern(&mut self, pattern: &'w BindingPattern<'w>, module: oxc_span::Span) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => match name.symbol_id.get() {
                Some(symbol) => self.update_symbol_uses(symbol),
                None => self.add_unresolved(module),
            },
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    let is_it = property.key.static_name().is_some_and(|name| name.display().to_string() == self.old);
                    if !is_it {
                        continue;
                    }
                    let key = self.span(property.key.span());
                    let local = property.value.get_binding_identifier().map(|name| name.name.as_str());
                    let text = match (property.shorthand, local) {
                        (true, Some(local)) => format!("{}: {local}", self.new),
                        (false, Some(local)) if local == self.new => {
                            let whole = self.span(property.span);
                            let plain = matches!(property.value, BindingPattern::BindingIdentifier(_));
                            if plain {
                                self.edits.push(Edit::new(whole, local));
                                continue;
                            }
                            self.new.to_owned()
                        }
                        _ => self.new.to_owned(),
                    };
                    self.edits.push(Edit::new(key, text));
                }
                if object.rest.is_some() {
                    self.add_unresolved(module);
                }
            }
            _ => self.add_unresolved(module),
        }
    }

    fn update_import_type(&mut self, import: &'w TSImportType<'w>) {
        let mut first = match &import.qualifier {
            None => return self.add_unresolved(import.span),
            Some(qualifier) => qualifier,
        };
        while let TSImportTypeQualifier::QualifiedName(name) = first {
            first = &name.left;
        }
        if let TSImportTypeQualifier::Identifier(name) = first
            && name.name == self.old
        {
            self.edits.push(Edit::new(self.span(name.span), self.new));
        }
    }
}
