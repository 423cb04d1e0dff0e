//! The file from which declarations are moved: which statements to move, what they depend on, and what depends on them.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_sdk::{Result, Selection, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::imports::model::{Import, ImportedBinding, imports, imports_of_statement};
use crate::infer::checker::Checker;
use crate::program::exports::{declared_names, export_name};
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::module::Module;
use crate::semantics::moves::commonjs_exports::{OwnExport, own_export};
use crate::semantics::moves::module_system::ModuleSystem;
use crate::semantics::refusal_at;
use crate::syntax::spans::{span_in, statement_span};

/// Returns the top-level statements that a selection touches.
pub(crate) fn selected_statements(program: &Program<'_>, text: &str, at: Selection) -> Result<Vec<usize>> {
    let selected = at.span.slice(text);
    let start = at.span.start + (selected.len() - selected.trim_start().len()) as u32;
    let end = at.span.start + selected.trim_end().len() as u32;
    let (start, end) = if selected.trim().is_empty() { (at.caret, at.caret) } else { (start, end) };
    let touched = program.body.iter().enumerate().filter(|(_, statement)| {
        let span = statement_span(statement, text);
        if start == end { span.start <= start && start <= span.end } else { span.start < end && start < span.end }
    });
    let found: Vec<usize> = touched.map(|(index, _)| index).collect();
    if found.is_empty() {
        return Err(refusal_at("no declaration is selected", oxc_span::Span::new(start, end))
            .hint("select top-level declarations, or place the caret on one"));
    }
    for index in &found {
        let statement = &program.body[*index];
        let span = statement.span();
        match statement {
            Statement::ExportDefaultDeclaration(_) => {
                return Err(refusal_at("a default export cannot be moved to another file", span)
                    .hint("first make it a named export with `toggle_export_default`"));
            }
            _ if declaration_of(statement).is_none() => {
                return Err(refusal_at("only declarations can be moved to another file", span)
                    .hint("select top-level functions, classes, types or variables"));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns the declaration of a statement, exported or not.
pub(crate) fn declaration_of<'a>(statement: &'a Statement<'a>) -> Option<&'a Declaration<'a>> {
    let found = match statement {
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        other => other.as_declaration(),
    };
    found.filter(|declaration| {
        !matches!(
            declaration,
            Declaration::TSImportEqualsDeclaration(_)
                | Declaration::TSExternalModuleDeclaration(_)
                | Declaration::TSGlobalDeclaration(_)
        )
    })
}

/// A name of this file that the moved code depends on: imported or declared.
pub(crate) enum MovedDependency<'w> {
    Imported(usize, ImportedBinding<'w>),
    Declared(usize, SymbolId),
}

pub(crate) struct MoveSource<'c, 'w> {
    pub(crate) checker: &'c Checker<'w>,
    pub(crate) here: std::rc::Rc<Module<'w>>,
    pub(crate) to: String,
    pub(crate) system: ModuleSystem,
    /// Indices of the statements to move.
    pub(crate) statements: BTreeSet<usize>,
    /// Start offset of each statement to move, including its comment.
    pub(crate) starts: BTreeMap<usize, usize>,
    pub(crate) symbols: BTreeSet<SymbolId>,
    pub(crate) imports: Vec<Import<'w>>,
    pub(crate) dependencies: Vec<MovedDependency<'w>>,
    /// Moved symbols that the remaining code uses.
    pub(crate) used_by_remaining: BTreeSet<SymbolId>,
    /// Exports of moved symbols that leave the file with them.
    pub(crate) released_exports: Vec<OwnExport<'w>>,
}

impl<'c, 'w> MoveSource<'c, 'w> {
    pub(crate) fn new(
        checker: &'c Checker<'w>,
        document: &TypeScriptDocument,
        chosen: Vec<usize>,
        (to, system): (&str, ModuleSystem),
    ) -> Result<MoveSource<'c, 'w>> {
        let here = checker.open_module();
        let imports = imports(here.program).collect();
        let mut source = MoveSource {
            checker,
            here,
            to: to.to_owned(),
            system,
            statements: chosen.into_iter().collect(),
            starts: BTreeMap::new(),
            symbols: BTreeSet::new(),
            imports,
            dependencies: Vec::new(),
            used_by_remaining: BTreeSet::new(),
            released_exports: Vec::new(),
        };
        source.add_dependent_statements();
        for index in &source.statements {
            let start = statement_span(&source.body()[*index], source.text()).range().start;
            let doc = document.attached_comment(start).map_or(start, |doc| doc.range().start);
            source.starts.insert(*index, doc);
        }
        source.find_dependencies()?;
        source.check_names_of_runtime()?;
        source.check_writes()?;
        source.check_assigned_members()?;
        source.check_cycle()?;
        if system == ModuleSystem::CommonJs {
            source.check_commonjs()?;
        }
        Ok(source)
    }

    pub(crate) fn text(&self) -> &'w str {
        self.here.text()
    }

    pub(crate) fn body(&self) -> &'w [Statement<'w>] {
        &self.here.program.body
    }

    pub(crate) fn declared_symbols(&self, index: usize) -> Vec<SymbolId> {
        let names = self.body().get(index).and_then(declaration_of).map(declared_names).unwrap_or_default();
        names.iter().filter_map(|name| name.symbol_id.get()).collect()
    }

    /// Returns the index of the top-level statement that contains a place.
    pub(crate) fn statement_at(&self, place: oxc_span::Span) -> Option<usize> {
        let index = self.body().partition_point(|statement| statement.span().end <= place.start);
        self.body().get(index).filter(|it| it.span().start <= place.start).map(|_| index)
    }

    pub(crate) fn uses_of(&self, symbol: SymbolId) -> Vec<(NodeId, oxc_span::Span)> {
        self.here.references_of(symbol).collect()
    }

    /// Adds statements that declare the same symbols, and those that only moved code uses.
    fn add_dependent_statements(&mut self) {
        loop {
            let before = self.statements.len();
            self.symbols = self.statements.iter().flat_map(|index| self.declared_symbols(*index)).collect();
            for index in 0..self.body().len() {
                if self.statements.contains(&index) {
                    continue;
                }
                let symbols = self.declared_symbols(index);
                let together = symbols.iter().any(|symbol| self.symbols.contains(symbol))
                    || self.assigned_object(index).is_some_and(|object| self.symbols.contains(&object));
                if together || self.is_only_used_by_moved(index, &symbols) {
                    self.statements.insert(index);
                }
            }
            if self.statements.len() == before {
                return;
            }
        }
    }

    /// Returns whether only moved code uses a declaration that is not exported.
    fn is_only_used_by_moved(&self, index: usize, symbols: &[SymbolId]) -> bool {
        let is_plain = self.body()[index].as_declaration().is_some()
            && declaration_of(&self.body()[index]).is_some()
            && imports_of_statement(&self.body()[index]).is_empty();
        let mut any = false;
        for symbol in symbols {
            for (_, place) in self.uses_of(*symbol) {
                let Some(at) = self.statement_at(place) else { return false };
                if at != index && !self.statements.contains(&at) {
                    return false;
                }
                any |= at != index;
            }
        }
        is_plain && any
    }

    /// Finds the dependencies of the moved code on the rest, and of the rest on the moved code.
    fn find_dependencies(&mut self) -> Result<()> {
        let mut needs = self.imported_dependencies();
        needs.extend(self.declared_dependencies()?);
        self.dependencies = needs;
        self.find_remaining_uses()
    }

    /// Returns whether a place is in the moved statements.
    pub(crate) fn is_moved(&self, place: oxc_span::Span) -> bool {
        self.statement_at(place).is_some_and(|at| self.statements.contains(&at))
    }

    /// Returns the imported names that the moved code uses.
    fn imported_dependencies(&self) -> Vec<MovedDependency<'w>> {
        let mut needs = Vec::new();
        for (index, import) in self.imports.iter().enumerate() {
            for binding in &import.bindings {
                let Some(symbol) = binding.local.symbol_id.get() else { continue };
                let is_react = binding.local.name == "React" && self.has_jsx();
                if is_react || self.uses_of(symbol).iter().any(|(_, place)| self.is_moved(*place)) {
                    let binding = ImportedBinding {
                        name: binding.name.clone(),
                        local: binding.local,
                        type_only: binding.type_only,
                    };
                    needs.push(MovedDependency::Imported(index, binding));
                }
            }
        }
        needs
    }

    /// Returns the names of the remaining statements that the moved code uses.
    fn declared_dependencies(&self) -> Result<Vec<MovedDependency<'w>>> {
        let scoping = self.here.scoping();
        let mut needs = Vec::new();
        for (index, statement) in self.body().iter().enumerate() {
            let default = match statement {
                Statement::ExportDefaultDeclaration(export) => crate::program::exports::default_symbol(export),
                _ => None,
            };
            if self.statements.contains(&index) {
                continue;
            }
            if !imports_of_statement(statement).is_empty() {
                self.check_unlisted_names(index)?;
                continue;
            }
            for symbol in self.declared_symbols(index).into_iter().chain(default) {
                if self.uses_of(symbol).iter().any(|(_, place)| self.is_moved(*place)) {
                    if default.is_some() {
                        let name = scoping.symbol_name(symbol);
                        return Err(refusal_at(
                            format!("the moved code uses `{name}`, the default export of this file"),
                            scoping.symbol_span(symbol),
                        )
                        .hint("first make that a named export with `toggle_export_default`"));
                    }
                    needs.push(MovedDependency::Declared(index, symbol));
                }
            }
        }
        Ok(needs)
    }

    /// Finds the uses of moved names in the remaining statements.
    fn find_remaining_uses(&mut self) -> Result<()> {
        let scoping = self.here.scoping();
        let mut wanted_back = BTreeSet::new();
        let mut released = Vec::new();
        for symbol in &self.symbols {
            let name = scoping.symbol_name(*symbol);
            for (node, place) in self.uses_of(*symbol) {
                if self.is_moved(place) {
                    continue;
                }
                if let Some(export) = own_export(&self.here, self.checker, node, name) {
                    released.push(export);
                    continue;
                }
                match self.here.parent_kind(node) {
                    AstKind::ExportSpecifier(listed) if export_name(&listed.exported) == name => {}
                    AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_) => {
                        return Err(refusal_at(format!("`{name}` is exported under another name"), place)
                            .hint("first export it under its own name"));
                    }
                    _ => {
                        wanted_back.insert(*symbol);
                    }
                }
            }
        }
        self.used_by_remaining = wanted_back;
        self.released_exports = released;
        Ok(())
    }

    /// Refuses if the moved code uses a name of a `require` statement that is not a listed import: one of a nested
    /// pattern, or of another variable in the same statement.
    fn check_unlisted_names(&self, index: usize) -> Result<()> {
        let listed = |symbol: SymbolId| {
            let mut all = self.imports.iter().flat_map(|import| &import.bindings);
            all.any(|binding| binding.local.symbol_id.get() == Some(symbol))
        };
        for symbol in self.declared_symbols(index).into_iter().filter(|symbol| !listed(*symbol)) {
            if self.uses_of(symbol).iter().any(|(_, place)| self.is_moved(*place)) {
                let name = self.here.name_of(symbol);
                let message = format!(
                    "`{name}`, which the moved code uses, is declared in a part of a `require` statement that cannot be copied"
                );
                return Err(refusal_at(message, self.here.scoping().symbol_span(symbol))
                    .hint("first declare that name in its own statement"));
            }
        }
        Ok(())
    }

    fn has_jsx(&self) -> bool {
        self.here.semantic().nodes().iter().any(|node| {
            matches!(node.kind(), AstKind::JSXElement(_) | AstKind::JSXFragment(_)) && self.is_moved(node.kind().span())
        })
    }

    /// Refuses the move if one file would assign a variable of the other, because imported variables are read-only.
    fn check_writes(&self) -> Result<()> {
        let scoping = self.here.scoping();
        let needed = self.dependencies.iter().filter_map(|need| match need {
            MovedDependency::Declared(_, symbol) => Some((*symbol, true)),
            MovedDependency::Imported(..) => None,
        });
        for (symbol, inside) in needed.chain(self.symbols.iter().map(|symbol| (*symbol, false))) {
            for reference in scoping.get_resolved_references(symbol).filter(|reference| reference.is_write()) {
                let place = self.here.semantic().reference_span(reference);
                if self.is_moved(place) == inside {
                    let message = format!(
                        "`{}` is assigned here, but imported variables are read-only",
                        scoping.symbol_name(symbol)
                    );
                    return Err(refusal_at(message, place)
                        .hint("also move the code that assigns it, or assign it in a function"));
                }
            }
        }
        Ok(())
    }

    /// Refuses if both files would import each other and one needs a value of the other while it is loaded.
    fn check_cycle(&self) -> Result<()> {
        let needs_back = self.used_by_remaining.iter().any(|symbol| self.is_value(*symbol));
        let needs_us =
            |need: &MovedDependency<'w>| matches!(need, MovedDependency::Declared(_, symbol) if self.is_value(*symbol));
        if !needs_back || !self.dependencies.iter().any(needs_us) {
            return Ok(());
        }
        let declared = self.dependencies.iter().filter_map(|need| match need {
            MovedDependency::Declared(_, symbol) => Some(*symbol),
            MovedDependency::Imported(..) => None,
        });
        for symbol in declared.chain(self.used_by_remaining.iter().copied()) {
            for (node, place) in self.uses_of(symbol) {
                let crosses = self
                    .statement_at(place)
                    .is_some_and(|at| self.statements.contains(&at) != self.symbols.contains(&symbol));
                if crosses && self.is_value_use(node) && self.runs_on_load(node) {
                    return Err(refusal_at("the two files would depend on each other while they are loaded", place)
                        .hint("also move the declarations that it uses, or move them to a third file"));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn is_value(&self, symbol: SymbolId) -> bool {
        self.here.scoping().symbol_flags(symbol).can_be_referenced_by_value()
    }

    pub(crate) fn is_value_use(&self, node: NodeId) -> bool {
        !matches!(
            self.here.parent_kind(node),
            AstKind::TSTypeReference(_) | AstKind::TSTypeQuery(_) | AstKind::ExportSpecifier(_)
        )
    }

    /// Returns whether a node is evaluated when the file is loaded, as opposed to within a function.
    fn runs_on_load(&self, node: NodeId) -> bool {
        let mut chain = self.here.self_and_ancestors(node).skip(1);
        !chain
            .any(|around| matches!(self.here.kind(around), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)))
    }

    /// Returns the names of symbols.
    pub(crate) fn names_of<'n>(&self, symbols: impl IntoIterator<Item = &'n SymbolId>) -> Vec<String> {
        symbols.into_iter().map(|symbol| self.here.name_of(*symbol).to_owned()).collect()
    }

    /// Returns the symbols that the other file has to export.
    pub(crate) fn symbols_to_export(&self) -> impl Iterator<Item = &SymbolId> {
        self.symbols.iter().filter(|it| self.used_by_remaining.contains(it) || self.is_exported(**it))
    }

    /// Returns the declarations that the original file has to export for the moved code, with their statements.
    pub(crate) fn newly_exported(&self) -> BTreeSet<(usize, SymbolId)> {
        let added = self.dependencies.iter().filter_map(|need| match need {
            MovedDependency::Declared(index, symbol) if !self.is_exported(*symbol) => Some((*index, *symbol)),
            _ => None,
        });
        added.collect()
    }

    /// Returns the span of a top-level statement, including decorators.
    pub(crate) fn statement_span(&self, index: usize) -> Span {
        statement_span(&self.body()[index], self.text())
    }

    /// Returns whether a moved statement must be exported and is not yet.
    pub(crate) fn needs_export(&self, index: usize) -> bool {
        let is_needed = |symbol: &SymbolId| self.used_by_remaining.contains(symbol) || self.is_exported(*symbol);
        !matches!(self.body()[index], Statement::ExportDeclaration(_))
            && self.declared_symbols(index).iter().any(is_needed)
    }

    /// Returns the last import declaration, and whether the whole statement is removed because only moved code uses
    /// its names.
    pub(crate) fn last_import(&self) -> Option<(Span, bool)> {
        self.body().iter().rev().find_map(|statement| {
            let Statement::ImportDeclaration(import) = statement else { return None };
            let mut locals = import.specifiers.iter().flatten().map(|specifier| specifier.local()).peekable();
            let is_removed = locals.peek().is_some() && locals.all(|local| self.is_only_used_by_moved_code(local));
            Some((span_in(import.span, self.text()), is_removed))
        })
    }

    /// Returns the names to remove from statements: moved names in export lists, and imports that only moved code used.
    pub(crate) fn names_to_remove(&self) -> Vec<(oxc_span::Span, Vec<oxc_span::Span>)> {
        let is_moved = |name: &'w ModuleExportName<'w>| {
            matches!(name, ModuleExportName::IdentifierReference(name)
                if self.checker.resolve_identifier(OPEN_DOCUMENT, name).is_some_and(|it| self.symbols.contains(&it)))
        };
        let gone = self.body().iter().map(|statement| {
            let gone = match statement {
                Statement::ExportNamedDeclaration(export) => {
                    export.specifiers.iter().filter(|it| is_moved(&it.local)).map(|it| it.span).collect()
                }
                Statement::ImportDeclaration(import) => {
                    let locals = import.specifiers.iter().flatten().map(|specifier| specifier.local());
                    let unused = locals.filter(|local| self.is_only_used_by_moved_code(local));
                    unused.map(|local| local.span).collect()
                }
                _ => Vec::new(),
            };
            (statement.span(), gone)
        });
        gone.filter(|(_, gone)| !gone.is_empty()).collect()
    }

    /// Returns whether only moved code uses a name.
    pub(crate) fn is_only_used_by_moved_code(&self, local: &BindingIdentifier<'_>) -> bool {
        let uses = local.symbol_id.get().map(|symbol| self.uses_of(symbol)).unwrap_or_default();
        !uses.is_empty() && uses.iter().all(|(_, place)| self.is_moved(*place))
    }

    /// Returns the exported names that move, and whether each is only a type.
    pub(crate) fn exported_moved_names(&self) -> Vec<(String, bool)> {
        let exported = self.symbols.iter().filter(|symbol| self.is_exported(**symbol));
        exported.map(|symbol| (self.here.name_of(*symbol).to_owned(), !self.is_value(*symbol))).collect()
    }

    pub(crate) fn is_exported(&self, symbol: SymbolId) -> bool {
        let name = self.here.name_of(symbol);
        self.checker.exported_symbol_names(Some(symbol)).iter().any(|exported| exported == name)
    }
}
