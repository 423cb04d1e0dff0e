//! Files that import a module: they import the export under its new name and keep their local name.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Rewrite, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::imports::compiler_settings::{CompilerSettings, ModuleKind};
use crate::imports::module_uses::{ModuleUse, first_qualifier, module_member, uses_of_module};
use crate::program::exports::export_name;
use crate::program::module::Module;
use crate::program::resolution::Resolver;
use crate::program::resolution::workspace::Workspace;
use crate::semantics::Semantics;
use crate::syntax::module_calls::call_kind;
use crate::syntax::spans::{skip_trivia, span_in};

/// Updates this document after the module at `from` renamed an export.
pub(crate) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (old, new) = payload.split_once('\n').unwrap_or((payload, ""));
    Semantics::with(document, |code| {
        let mut unresolved: Vec<Span> = Vec::new();
        let editor = code.with_checker(|checker| {
            let here = checker.open_module();
            let editor = SyntaxEditor::new(code);
            let mut importer = ImporterUpdater { here: &here, old, new, editor, unresolved: &mut unresolved };
            uses_of_module(checker, from).into_iter().for_each(|used| importer.update_use(used));
            importer.editor
        });
        if new == "default" && !editor.is_empty() {
            check_module_formats(document.tree.path(), from)?;
        }
        let mut rewrite = editor.finish()?;
        unresolved.sort_by_key(|span| span.start);
        rewrite.unresolved = unresolved;
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
        return Err(refactor_failure(message)
            .hint("keep the named export, or use the same module `type` in the `package.json` of both files"));
    }
    Ok(())
}

struct ImporterUpdater<'m, 's, 'a, 'w> {
    here: &'m Module<'w>,
    old: &'m str,
    new: &'m str,
    editor: SyntaxEditor<'s, 'a>,
    unresolved: &'m mut Vec<Span>,
}

impl<'w> ImporterUpdater<'_, '_, '_, 'w> {
    fn text(&self) -> &'w str {
        self.here.text()
    }

    fn source(&self, node: oxc_span::Span) -> &'w str {
        span_in(node, self.text()).slice(self.text())
    }

    /// Reports a use that cannot be updated.
    fn add_unresolved(&mut self, place: oxc_span::Span) {
        self.unresolved.push(span_in(place, self.text()));
    }

    fn update_use(&mut self, used: ModuleUse<'w>) {
        match used {
            ModuleUse::Import(import) => self.update_import(import),
            ModuleUse::ExportFrom(export) => self.update_export_from(export),
            ModuleUse::ExportAll(export) => self.update_export_all(export),
            ModuleUse::Equals(import) => self.update_namespace_uses(&import.id),
            ModuleUse::Type(import) => match first_qualifier(import) {
                None => self.add_unresolved(import.span),
                Some(name) if name.name == self.old => self.editor.set_text(name.span, self.new),
                Some(_) => {}
            },
            ModuleUse::Dynamic(node) => self.update_promised_module(node),
            ModuleUse::Call(node, call) => match &call.callee {
                Expression::Identifier(name) if name.name == "require" && call.arguments.len() == 1 => {
                    self.update_member_access(node);
                }
                callee if call_kind(callee) == Some("mock") => self.add_unresolved(call.span),
                _ => {}
            },
        }
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
        let item = self.list_item(default.local.name.as_str());
        let Some(next) = specifiers.get(1) else {
            return self.editor.set_text(default.span, self.in_braces(&item));
        };
        let comma = skip_trivia(text, default.span.end as usize);
        let second = skip_trivia(text, comma + 1);
        let start = default.span.start as usize;
        match next {
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
                // A namespace import and a list cannot be combined.
                self.editor.remove(start..second.min(space.span.start as usize));
                let source = self.source(import.source.span);
                let keyword = if import.import_kind.is_type() { "import type" } else { "import" };
                let end = self.editor.style().semicolon;
                let added = format!("{keyword} {} from {source}{end}", self.in_braces(&item));
                self.editor.add_line_after(import.span, &added);
            }
            _ => {
                let rest = &text[second + 1..];
                let first = second + 1 + (rest.len() - rest.trim_start().len());
                self.editor.remove(start..second);
                self.editor.insert_before(first..first, format!("{item}, "));
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
        let own = named.span;
        let range = span_in(own, text).range();
        let mark = if named.import_kind.is_type() { "type " } else { "" };
        let local = self.source(named.local.span);
        let in_list = format!("{mark}{}", self.list_item(local));
        let is_alone = specifiers.len() == 1;
        let takes_default = self.new == "default"
            && !named.import_kind.is_type()
            && (is_alone || !import.import_kind.is_type())
            && specifiers.iter().all(|other| matches!(other, ImportDeclarationSpecifier::ImportSpecifier(_)));
        let start = import.span.start as usize;
        let open = text[start..range.start].rfind('{').map(|at| start + at);
        let Some(open) = open.filter(|_| takes_default) else { return self.editor.set_text(own, in_list) };
        let has_comment = |part: &str| part.contains("//") || part.contains("/*");
        if is_alone {
            let mut close = skip_trivia(text, range.end);
            if text[close..].starts_with(',') {
                close = skip_trivia(text, close + 1);
            }
            let is_plain = text[close..].starts_with('}')
                && !has_comment(&text[open..range.start])
                && !has_comment(&text[range.end..close]);
            return match is_plain {
                true => self.editor.set_text(open..close + 1, local),
                false => self.editor.set_text(own, in_list),
            };
        }
        let at = specifiers.iter().position(|other| other.span() == named.span).unwrap_or(0);
        let removed = match specifiers.get(at + 1) {
            Some(next) => range.start..next.span().start as usize,
            None => specifiers[at.saturating_sub(1)].span().end as usize..range.end,
        };
        if has_comment(&text[removed.clone()]) {
            return self.editor.set_text(own, in_list);
        }
        self.editor.insert_before(open..open, format!("{local}, "));
        self.editor.remove(removed);
    }

    /// Puts an item in braces, in the style of the file's imports.
    fn in_braces(&self, item: &str) -> String {
        let mut imports = self.here.program.body.iter().filter_map(|statement| match statement {
            Statement::ImportDeclaration(import) => self.source(import.span).split_once('{'),
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
            let item = self.list_item(self.source(listed.exported.span()));
            let whole = Span { start: listed.local.span().start, end: listed.span.end };
            self.editor.set_text(whole, item);
        }
    }

    /// Handles `export *`, which re-exports every name except `default`.
    fn update_export_all(&mut self, export: &'w ExportAllDeclaration<'w>) {
        if let Some(name) = &export.exported {
            self.add_unresolved(name.span());
            return;
        }
        if self.new == "default" {
            let source = self.source(export.source.span);
            let keyword = if export.export_kind.is_type() { "export type" } else { "export" };
            let item = self.in_braces(&format!("default as {}", self.old));
            let end = self.editor.style().semicolon;
            self.editor.add_line_after(export.span, &format!("{keyword} {item} from {source}{end}"));
        }
    }

    /// Updates member accesses of a namespace import.
    fn update_namespace_uses(&mut self, space: &'w BindingIdentifier<'w>) {
        let Some(symbol) = space.symbol_id.get() else { return };
        self.update_symbol_uses(symbol);
    }

    fn update_symbol_uses(&mut self, symbol: SymbolId) {
        for (node, _) in self.here.references_of(symbol) {
            self.update_member_access(node);
        }
    }

    /// Updates the member access of a node that is the whole module.
    fn update_member_access(&mut self, node: NodeId) {
        let own = self.here.kind(node).span();
        if let Some(member) = module_member(self.here, node) {
            if member.name == self.old {
                self.editor.set_text(member.name_span, self.new);
            }
            return;
        }
        match self.here.parent_kind(node) {
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

    /// Handles the value of `import()`, which must be awaited.
    fn update_promised_module(&mut self, node: NodeId) {
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
                    let local = property.value.get_binding_identifier().map(|name| name.name.as_str());
                    let is_plain = matches!(property.value, BindingPattern::BindingIdentifier(_));
                    match (property.shorthand, local) {
                        (true, Some(local)) => {
                            self.editor.set_text(property.key.span(), format!("{}: {local}", self.new));
                        }
                        (false, Some(local)) if local == self.new && is_plain => {
                            self.editor.set_text(property.span, local);
                        }
                        _ => self.editor.set_text(property.key.span(), self.new),
                    }
                }
                if object.rest.is_some() {
                    self.add_unresolved(module);
                }
            }
            _ => self.add_unresolved(module),
        }
    }
}
