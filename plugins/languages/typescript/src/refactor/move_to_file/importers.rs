//! Files that import moved declarations: their imports are updated.

use marquetry_sdk::{Failure, Result, Rewrite, Span, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::imports::insertion::list_statement;
use crate::imports::module_uses::{ModuleUse, first_qualifier, module_member, uses_of_module};
use crate::program::commonjs::{required_call, static_key_name};
use crate::program::exports::export_name;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::program::module::Module;
use crate::refactor::move_to_file::specifier_in_style_of;
use crate::semantics::moves::loaded_modules::{Loaded, loaded_uses};
use crate::semantics::moves::required_names::{MovedUse, moved_members, moved_use, uses_this, whole_module_refusal};
use crate::semantics::names::fresh_name;
use crate::semantics::positions::is_called;
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::module_calls::call_kind;
use crate::syntax::spans::span_in;

/// Updates this document after names moved from the module at `from` to another path.
pub(super) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (to, names) = payload.split_once('\n').unwrap_or((payload, ""));
    if document.tree.path() == to {
        return Ok(Rewrite::default());
    }
    let names: Vec<(&str, bool)> =
        names.split('\t').map(|name| name.strip_prefix("type ").map_or((name, false), |name| (name, true))).collect();
    Semantics::with(document, |code| {
        let (editor, unresolved) = code.with_checker(|checker| {
            let here = checker.open_module();
            let editor = SyntaxEditor::new(code);
            let module = |path| checker.load(path).map(|module| ModuleRef { module, block: None });
            let is_commonjs = module(from).is_some_and(|from| checker.exports(from).is_commonjs());
            // A module that is required again while it is loaded has not exported its names yet.
            if is_commonjs && module(to).is_some_and(|to| checker.loads(to.module, OPEN_DOCUMENT)) {
                let message =
                    format!("`{to}` would be loaded by this file and load it, directly or through other files");
                return Err(refusal_at(message, oxc_span::Span::new(0, 0)).hint("choose another destination"));
            }
            let from_module = module(from).map(|from| checker.module(from.module));
            let is_method = |name: &str| from_module.as_ref().is_some_and(|from| uses_this(from, name));
            let methods = names.iter().map(|(name, _)| *name).filter(|name| is_method(name)).collect();
            let (here, names, unresolved) = (&*here, names.as_slice(), Vec::new());
            let mut importer = ImporterUpdater { here, from, to, names, methods, is_commonjs, editor, unresolved };
            uses_of_module(checker, from).into_iter().try_for_each(|used| importer.update_use(used))?;
            let unresolved = importer.unresolved.iter().map(|place| span_in(*place, here.text())).collect();
            Ok::<(_, Vec<Span>), Failure>((importer.editor, unresolved))
        })?;
        Ok(Rewrite { unresolved, ..editor.finish()? })
    })
}

struct ImporterUpdater<'m, 's, 'a, 'w> {
    here: &'m Module<'w>,
    from: &'m str,
    to: &'m str,
    /// The moved names, and whether each is only a type.
    names: &'m [(&'m str, bool)],
    /// The moved functions whose code uses `this`.
    methods: Vec<&'m str>,
    /// The original module is a CommonJS module.
    is_commonjs: bool,
    editor: SyntaxEditor<'s, 'a>,
    /// Places that may use a moved name of the original module and were not updated.
    unresolved: Vec<oxc_span::Span>,
}

impl<'w> ImporterUpdater<'_, '_, '_, 'w> {
    fn source(&self, node: oxc_span::Span) -> &'w str {
        span_in(node, self.here.text()).slice(self.here.text())
    }

    fn update_use(&mut self, used: ModuleUse<'w>) -> Result<()> {
        match used {
            ModuleUse::Import(import) => self.update_import(import),
            ModuleUse::ExportFrom(export) => self.update_export_from(export),
            ModuleUse::ExportAll(export) => self.update_export_all(export),
            ModuleUse::Type(import) => match first_qualifier(import) {
                None => Err(whole_module_refusal(import.span)),
                Some(name) if self.is_moved(&name.name) => self.update_source(&import.source),
                Some(_) => Ok(()),
            },
            ModuleUse::Equals(import) => match moved_members(self.here, &import.id, &|name| self.is_moved(name)) {
                Ok((members, _)) if members.is_empty() => Ok(()),
                _ => Err(whole_module_refusal(import.module_reference.span())),
            },
            ModuleUse::Call(node, call) if required_call(call).is_some() => self.update_require(node, call),
            ModuleUse::Call(node, call) => self.update_runner_call(node, call),
            ModuleUse::Dynamic(node) => {
                let source = match self.here.kind(node) {
                    AstKind::ImportExpression(ImportExpression {
                        source: Expression::StringLiteral(source), ..
                    }) => Some(&**source),
                    _ => None,
                };
                self.update_loaded(node, Loaded::Promise, source)
            }
        }
    }

    fn is_moved(&self, name: &str) -> bool {
        self.names.iter().any(|(gone, _)| *gone == name)
    }

    /// Returns the new specifier in the quotes of the old one.
    fn new_source(&self, old: &'w StringLiteral<'w>) -> Result<String> {
        let written = self.source(old.span);
        let quote = written.chars().next().unwrap_or('\'');
        let specifier = old.value.as_str().unwrap_or_default();
        Ok(format!("{quote}{}{quote}", specifier_in_style_of(&self.here.path, self.to, self.from, specifier)?))
    }

    fn update_source(&mut self, old: &'w StringLiteral<'w>) -> Result<()> {
        let new = self.new_source(old)?;
        self.editor.set_text(old.span, new);
        Ok(())
    }

    /// Adds an import or export of names from the new path after a statement.
    fn add_statement(&mut self, after: oxc_span::Span, keyword: &str, names: &[impl AsRef<str>], source: &str) {
        let statement = list_statement(keyword, names, source, self.editor.style().semicolon);
        self.editor.add_line_after(after, &statement);
    }

    fn update_import(&mut self, import: &'w ImportDeclaration<'w>) -> Result<()> {
        let specifiers = import.specifiers.as_ref().map(|all| all.as_slice()).unwrap_or_default();
        let mut gone = Vec::new();
        let mut moved: Vec<String> = Vec::new();
        for listed in specifiers {
            match listed {
                ImportDeclarationSpecifier::ImportSpecifier(named) if self.is_moved(export_name(&named.imported)) => {
                    gone.push(named.local.span);
                    moved.push(self.source(named.span).to_owned());
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
                    moved.extend(self.update_namespace_uses(&space.local)?);
                }
                // The default import of a CommonJS module is the object with its exports.
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) if self.is_commonjs => {
                    moved.extend(self.update_namespace_uses(&default.local)?);
                }
                _ => {}
            }
        }
        if moved.is_empty() {
            return Ok(());
        }
        if gone.len() == specifiers.len() {
            return self.update_source(&import.source);
        }
        let source = self.new_source(&import.source)?;
        self.editor.remove_module_names(import.span, &gone);
        let keyword = if import.import_kind.is_type() { "import type" } else { "import" };
        self.add_statement(import.span, keyword, &moved, &source);
        Ok(())
    }

    /// Updates a `require` call: its path, or only the moved names if it is also used for others.
    fn update_require(&mut self, node: NodeId, call: &'w CallExpression<'w>) -> Result<()> {
        let Some(Argument::StringLiteral(source)) = call.arguments.first() else { return Ok(()) };
        let (statement, keyword, names) = match moved_use(self.here, node, &|name| self.is_moved(name))? {
            MovedUse::Absent => return Ok(()),
            MovedUse::Only => {
                self.check_this_of_module(node)?;
                return self.update_source(source);
            }
            MovedUse::Pattern { statement, keyword, gone, object } => {
                (statement, keyword, self.editor.take_bindings(object, &gone))
            }
            MovedUse::Members { statement, keyword, members } => {
                let mut locals = LocalNames::default();
                for member in members {
                    let name = member.property.name.as_str();
                    self.check_this(member.node_id.get(), name)?;
                    self.editor.set_text(member.span, locals.local_for(self.here, name));
                }
                (statement, keyword, locals.listed(": "))
            }
        };
        let new = self.new_source(source)?;
        let indent = lines::indent_at(self.here.text(), statement.start as usize);
        let end = self.editor.style().semicolon;
        let line = format!("{indent}{keyword} {{ {} }} = require({new}){end}", names.join(", "));
        self.editor.add_line_after(statement, &line);
        Ok(())
    }

    /// Refuses a call of a moved function as a method of the module if its code uses `this`, which is the module.
    fn check_this(&self, member: NodeId, name: &str) -> Result<()> {
        if !self.methods.contains(&name) || !is_called(&self.here.parent_kind(member), self.here.kind(member).span()) {
            return Ok(());
        }
        let message = format!("`{name}` uses `this`, which is the original module in this call");
        Err(refusal_at(message, self.here.kind(member).span())
            .hint("first make the function independent of `this`, or import the name directly"))
    }

    /// Refuses such a call through a required module of which only moved names are used: a call of a member of
    /// `require(…)` itself, or of a variable that holds the module.
    fn check_this_of_module(&self, node: NodeId) -> Result<()> {
        let member_of = |object: NodeId| match self.here.parent_kind(object) {
            AstKind::StaticMemberExpression(member) => Some(member),
            _ => None,
        };
        let mut objects = vec![node];
        if let AstKind::VariableDeclarator(VariableDeclarator { id: BindingPattern::BindingIdentifier(local), .. }) =
            self.here.parent_kind(node)
            && let Some(symbol) = local.symbol_id.get()
        {
            objects.extend(self.here.references_of(symbol).map(|(used, _)| used));
        }
        objects
            .into_iter()
            .filter_map(member_of)
            .try_for_each(|member| self.check_this(member.node_id.get(), member.property.name.as_str()))
    }

    /// Replaces members of a namespace import by directly imported names.
    fn update_namespace_uses(&mut self, space: &'w BindingIdentifier<'w>) -> Result<Vec<String>> {
        let Some(symbol) = space.symbol_id.get() else { return Ok(Vec::new()) };
        let mut locals = LocalNames::default();
        for (node, own) in self.here.references_of(symbol) {
            let member = module_member(self.here, node).ok_or_else(|| whole_module_refusal(own))?;
            if self.is_moved(member.name) {
                self.check_this(self.here.parent(node), member.name)?;
                self.editor.set_text(member.whole, locals.local_for(self.here, member.name));
            }
        }
        Ok(locals.listed(" as "))
    }

    fn update_export_from(&mut self, export: &'w ExportFromDeclaration<'w>) -> Result<()> {
        let moved: Vec<&ExportSpecifier<'w>> =
            export.specifiers.iter().filter(|listed| self.is_moved(export_name(&listed.local))).collect();
        if moved.is_empty() {
            return Ok(());
        }
        if moved.len() == export.specifiers.len() {
            return self.update_source(&export.source);
        }
        let source = self.new_source(&export.source)?;
        let names: Vec<&str> = moved.iter().map(|listed| self.source(listed.span)).collect();
        let gone: Vec<oxc_span::Span> = moved.iter().map(|listed| listed.span).collect();
        let keyword = if export.export_kind.is_type() { "export type" } else { "export" };
        self.editor.remove_module_names(export.span, &gone);
        self.add_statement(export.span, keyword, &names, &source);
        Ok(())
    }

    /// Adds re-exports from the new path, because `export *` no longer includes the names.
    fn update_export_all(&mut self, export: &'w ExportAllDeclaration<'w>) -> Result<()> {
        if let Some(name) = &export.exported {
            return Err(whole_module_refusal(name.span()));
        }
        let source = self.new_source(&export.source)?;
        let all_types = export.export_kind.is_type();
        for (keyword, types) in [("export", false), ("export type", true)] {
            let names = self.names.iter().filter(|(_, is_type)| (*is_type || all_types) == types);
            let names: Vec<&str> = names.map(|(name, _)| *name).collect();
            if !names.is_empty() {
                self.add_statement(export.span, keyword, &names, &source);
            }
        }
        Ok(())
    }

    /// Updates the specifier of a module that is loaded at run time if only moved names of it are used. Reports the uses
    /// of moved names if others are used, too, and uses of the module as a value.
    fn update_loaded(&mut self, node: NodeId, loaded: Loaded, source: Option<&'w StringLiteral<'w>>) -> Result<()> {
        let uses = loaded_uses(self.here, node, loaded);
        let is_only = uses.unknown.is_empty() && uses.members.iter().all(|(name, _)| self.is_moved(name));
        match source {
            Some(source) if is_only && !uses.members.is_empty() => self.update_source(source),
            _ => {
                let moved = uses.members.iter().filter(|(name, _)| self.is_moved(name));
                let moved: Vec<oxc_span::Span> = moved.map(|(_, place)| *place).collect();
                self.unresolved.extend(moved.into_iter().chain(uses.unknown));
                Ok(())
            }
        }
    }

    /// Updates a call of a test runner that names the module. A mock of the module no longer replaces the moved names, so
    /// the call is reported unless its factory lacks them.
    fn update_runner_call(&mut self, node: NodeId, call: &'w CallExpression<'w>) -> Result<()> {
        let is_statement = matches!(self.here.parent_kind(node), AstKind::ExpressionStatement(_));
        match call_kind(&call.callee) {
            Some("require") => {
                let is_promise = matches!(&call.callee, Expression::StaticMemberExpression(member)
                    if member.property.name.starts_with("import"));
                let source = match call.arguments.first() {
                    Some(Argument::StringLiteral(source)) => Some(&**source),
                    _ => None,
                };
                self.update_loaded(node, if is_promise { Loaded::Promise } else { Loaded::Module }, source)
            }
            Some("resolve") => Ok(()),
            Some("mock") => {
                let names = call.arguments.get(1).and_then(factory_names);
                if names.is_none_or(|names| names.iter().any(|name| self.is_moved(name))) {
                    self.unresolved.push(call.span);
                }
                Ok(())
            }
            _ if is_statement => Ok(()),
            _ => {
                self.unresolved.push(call.span);
                Ok(())
            }
        }
    }
}

/// Returns the names that the factory of a mock defines. `None` if they are not known.
fn factory_names<'w>(factory: &'w Argument<'w>) -> Option<Vec<&'w str>> {
    let value = match factory.as_expression()?.without_parentheses() {
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => returned_value(&body.statements)?,
            body => body.as_expression()?,
        },
        Expression::FunctionExpression(function) => returned_value(&function.body.as_ref()?.statements)?,
        other => other,
    };
    let Expression::ObjectExpression(object) = value.without_parentheses() else { return None };
    let name = |property: &'w ObjectPropertyKind<'w>| match property {
        ObjectPropertyKind::ObjectProperty(property) => static_key_name(&property.key),
        ObjectPropertyKind::SpreadProperty(_) => None,
    };
    object.properties.iter().map(name).collect()
}

/// Returns the value of a body that consists of a `return` statement.
fn returned_value<'w>(statements: &'w [Statement<'w>]) -> Option<&'w Expression<'w>> {
    match statements {
        [Statement::ReturnStatement(returned)] => returned.argument.as_ref(),
        _ => None,
    }
}

/// Names that are imported directly, and the local names that they get.
#[derive(Default)]
struct LocalNames {
    names: Vec<(String, String)>,
}

impl LocalNames {
    /// Returns the local name of a name; chooses one on first use.
    fn local_for(&mut self, here: &Module<'_>, name: &str) -> String {
        if let Some((_, local)) = self.names.iter().find(|(known, _)| known == name) {
            return local.clone();
        }
        let local = fresh_name(here.scoping(), name);
        self.names.push((name.to_owned(), local.clone()));
        local
    }

    /// Returns the entries of an import list or a pattern.
    fn listed(self, separator: &str) -> Vec<String> {
        let entry =
            |(name, local): (String, String)| if name == local { name } else { format!("{name}{separator}{local}") };
        self.names.into_iter().map(entry).collect()
    }
}
