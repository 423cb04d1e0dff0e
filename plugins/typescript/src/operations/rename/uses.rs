//! All places in the open document that name one thing.

use std::collections::HashSet;
use std::rc::Rc;

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::jsdoc;
use crate::infer::members::Sites;
use crate::infer::ty::Ty;
use crate::program::ResolvedModule;
use crate::program::exports::export_name;
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{HERE, Site};
use crate::program::module::Module;

/// Two names written as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pair {
    /// `{ a }`: the property, then the value.
    Property,
    /// `import { a }`: the other module's name, then the local one.
    Import,
    /// `export { a }`: the local (or other module's) name, then the one outside.
    Export,
}

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Half {
    First,
    Second,
}

/// A place that names the thing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) span: Span,
    pub(crate) quote: Option<char>,
    pub(crate) pair: Option<(Pair, Half)>,
    pub(crate) usage: Usage,
    /// It must stay a name that can be declared.
    pub(crate) binds: bool,
    /// It may have dashes in it.
    pub(crate) dashes: bool,
    /// It is the tag of an element: a name of ours if it begins with a capital letter, else one of the platform.
    pub(crate) tag: Option<Tag>,
}

/// Whose name the tag of an element is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tag {
    Component,
    Platform,
}

impl Use {
    /// A use that needs nothing.
    pub(crate) fn plain(span: Span, usage: Usage) -> Use {
        Use { span, quote: None, pair: None, usage, binds: false, dashes: false, tag: None }
    }
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) name: String,
    /// Where it is declared, with what it overrides.
    pub(crate) sites: Vec<Site>,
    /// It may be used as a member of something.
    pub(crate) members: bool,
    /// It may be a text that a type offers.
    pub(crate) texts: bool,
    /// Names that no file declares for itself are it.
    pub(crate) shared: bool,
    /// Symbols that are it without being declared at the sites: imports that follow a new name.
    pub(crate) joined: Vec<SymbolId>,
    /// The offset of a declaration that repeats the name where that is an error, and is meant all the same: see
    /// [`Role::Redeclares`].
    pub(crate) alone: Vec<u32>,
    /// An import of the name from here may lead to it.
    pub(crate) imports: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) uses: Vec<Use>,
    /// The same spelling, and nothing that tells whether it is the same thing.
    pub(crate) left: Vec<Span>,
    /// The symbols of this file that are it.
    pub(crate) symbols: Vec<SymbolId>,
}

pub(crate) struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    here: Rc<Module<'w>>,
    wanted: Wanted,
    symbols: HashSet<SymbolId>,
    others: HashSet<SymbolId>,
    found: Found,
}

/// Find every use in the open document.
pub(crate) fn uses(checker: &Checker<'_>, wanted: Wanted) -> Found {
    let symbols = wanted.joined.iter().copied().collect();
    let here = checker.here();
    let mut search = Search { checker, here, wanted, symbols, others: HashSet::new(), found: Found::default() };
    let identifiers = search.here.identifiers(&search.wanted.name);
    let identifiers: Vec<Identifier<'_>> =
        identifiers.iter().filter(|identifier| checker.is_written(identifier.span)).copied().collect();
    search.imports(&identifiers);
    for identifier in &identifiers {
        search.identifier(identifier);
    }
    search.comments();
    let mut found = search.found;
    found.left.extend(checker.unparsed(&search.wanted.name));
    found.symbols = search.symbols.into_iter().collect();
    found.symbols.sort_unstable();
    found.uses.sort_by_key(|found| (found.span.start, found.span.end));
    found.left.sort_by_key(|span| span.start);
    found.left.dedup();
    found
}

impl<'w> Search<'_, 'w> {
    fn matches(&self, sites: &[Site]) -> bool {
        !sites.is_empty() && self.wanted.sites.iter().any(|site| sites.contains(site))
    }

    /// Imports of the thing: the local name follows unless it is another one.
    fn imports(&mut self, identifiers: &[Identifier<'w>]) {
        for identifier in identifiers {
            if !matches!(self.here.role(identifier), Role::Imported) || !self.imports_it(identifier) {
                continue;
            }
            let pair = pair(&self.here, identifier);
            self.add(identifier, pair, Usage::Imported, false);
            if let (AstKind::ImportSpecifier(specifier), Some((Pair::Import, _))) =
                (self.here.parent_kind(identifier.node), pair)
            {
                if self.here.is_redeclaration(specifier.local.span.start) {
                    self.wanted.alone.push(specifier.local.span.start);
                } else {
                    self.symbols.extend(specifier.local.symbol_id.get());
                }
            }
        }
    }

    /// Whether the name in an import or re-export is the thing.
    fn imports_it(&self, identifier: &Identifier<'w>) -> bool {
        let parent = self.here.parent(identifier.node);
        let source = match self.here.parent_kind(parent) {
            AstKind::ImportDeclaration(import) => import.source.value.as_str(),
            AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
            _ => None,
        };
        let Some(source) = source else { return false };
        if let Some(watch) = &self.checker.watch
            && self.checker.is_watched(source)
        {
            return watch.path.len() == 1 && watch.path[0] == identifier.name;
        }
        if !self.wanted.imports {
            return false;
        }
        match self.checker.resolve_module(HERE, source) {
            ResolvedModule::Module(found) => self.matches(&self.checker.exported(found, identifier.name).sites()),
            _ => false,
        }
    }

    fn identifier(&mut self, identifier: &Identifier<'w>) {
        let pair = pair(&self.here, identifier);
        match self.here.role(identifier) {
            Role::Declares(symbol) => {
                if self.is_it(symbol) {
                    let usage = if is_import(&self.here, symbol) { Usage::Imported } else { Usage::Declaration };
                    self.add(identifier, pair, usage, true);
                }
            }
            Role::Refers(symbol) | Role::Parameter(symbol) => {
                if self.is_it(symbol) {
                    let usage = reference_usage(&self.here, identifier);
                    self.add(identifier, pair, usage, true);
                }
                if let AstKind::AssignmentTargetPropertyIdentifier(_) = self.here.parent_kind(identifier.node) {
                    self.member(identifier, Some((Pair::Property, Half::First)));
                }
            }
            Role::Free => {
                let sibling = self.free_sibling(identifier);
                let found = match sibling {
                    Some(symbol) => self.is_it(symbol),
                    None => self.wanted.shared,
                };
                if found {
                    let usage = reference_usage(&self.here, identifier);
                    self.add(identifier, pair, usage, true);
                }
            }
            Role::Member => self.member(identifier, pair),
            Role::Exported => {
                let site = Site { module: HERE, offset: self.here.kind(identifier.node).span().start };
                if self.wanted.sites.contains(&site) {
                    self.add(identifier, pair, Usage::Exported, false);
                }
            }
            Role::Shared if self.wanted.shared => self.add(identifier, pair, Usage::Exported, true),
            Role::Text if self.wanted.members || self.wanted.texts => self.text(identifier),
            Role::Redeclares if self.wanted.alone.contains(&identifier.span.start) => {
                self.add(identifier, pair, Usage::Imported, true);
            }
            _ => {}
        }
    }

    fn free_sibling(&self, identifier: &Identifier<'w>) -> Option<SymbolId> {
        match self.here.kind(identifier.node) {
            AstKind::IdentifierReference(name) => self.checker.sibling(HERE, name),
            _ => None,
        }
    }

    /// Whether a symbol of this file is the thing.
    fn is_it(&mut self, symbol: SymbolId) -> bool {
        if self.symbols.contains(&symbol) {
            return true;
        }
        if self.others.contains(&symbol) {
            return false;
        }
        let mut sites = self.checker.sites_of(HERE, symbol);
        if self.wanted.members && self.here.is_parameter_property(symbol) {
            sites = self.checker.closure(&sites, &self.wanted.name);
        }
        let found = self.matches(&sites);
        if found {
            self.symbols.insert(symbol)
        } else {
            self.others.insert(symbol)
        };
        found
    }

    fn member(&mut self, identifier: &Identifier<'w>, pair: Option<(Pair, Half)>) {
        if !self.wanted.members {
            return;
        }
        let Sites { sites, open, .. } = self.checker.member_sites(HERE, identifier);
        let closure = self.checker.closure(&sites, identifier.name);
        if self.matches(&closure) {
            let own = sites
                .iter()
                .any(|site| *site == Site { module: HERE, offset: self.here.kind(identifier.node).span().start });
            let usage =
                if own && declares_member(&self.here, identifier.node) { Usage::Declaration } else { Usage::Read };
            self.add(identifier, pair, usage, false);
        } else if open {
            self.found.left.push(identifier.span);
        }
    }

    /// A text that a type offers, or that names a member: `get(object, "name")`.
    fn text(&mut self, identifier: &Identifier<'w>) {
        if self.wanted.texts {
            let Sites { sites, open, .. } = self.checker.text_sites(HERE, identifier);
            if self.matches(&sites) {
                self.add(identifier, None, Usage::InString, false);
            } else if open && !self.wanted.members {
                self.found.left.push(identifier.span);
            }
        }
        if !self.wanted.members {
            return;
        }
        if let AstKind::TSLiteralType(_) = self.here.parent_kind(identifier.node) {
            let Sites { sites, open, .. } = self.checker.picked_sites(HERE, identifier);
            if self.matches(&self.checker.closure(&sites, identifier.name)) {
                self.add(identifier, None, Usage::InString, false);
            } else if open {
                self.found.left.push(identifier.span);
            }
            return;
        }
        let wanted = self.checker.contextual(HERE, identifier.node);
        let named = wanted.alternatives().iter().any(|ty| {
            let Ty::Keys(of) = self.checker.constrained(ty) else { return false };
            let sites = self.checker.props(&of, identifier.name).sites();
            self.matches(&self.checker.closure(&sites, identifier.name))
        });
        if named {
            self.add(identifier, None, Usage::InString, false);
        }
    }

    fn comments(&mut self) {
        for mention in jsdoc::mentions(&self.here, &self.wanted.name) {
            for (index, part) in mention.parts.iter().enumerate() {
                if part.source_text(self.here.text()) != self.wanted.name {
                    continue;
                }
                let sites = self.checker.mentioned(HERE, &mention, index).sites;
                let joined = || {
                    let of_symbol = |symbol: &SymbolId| self.checker.sites_of(HERE, *symbol);
                    self.symbols.iter().any(|symbol| of_symbol(symbol).iter().any(|site| sites.contains(site)))
                };
                if self.matches(&sites) || self.matches(&self.checker.closure(&sites, &self.wanted.name)) || joined() {
                    self.found.uses.push(Use::plain(*part, Usage::InComment));
                }
            }
        }
    }

    fn add(&mut self, identifier: &Identifier<'w>, pair: Option<(Pair, Half)>, usage: Usage, binds: bool) {
        let dashes = matches!(self.here.kind(identifier.node), AstKind::JSXIdentifier(_));
        let tag = match self.here.parent_kind(identifier.node) {
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) => {
                Some(if binds { Tag::Component } else { Tag::Platform })
            }
            _ => None,
        };
        self.found.uses.push(Use { span: identifier.span, quote: identifier.quote, pair, usage, binds, dashes, tag });
    }
}

fn is_import(module: &Module<'_>, symbol: SymbolId) -> bool {
    let flags = module.scoping().symbol_flags(symbol);
    flags.is_import() || flags.is_type_import()
}

fn reference_usage(module: &Module<'_>, identifier: &Identifier<'_>) -> Usage {
    if let AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_) | AstKind::TSExportAssignment(_) =
        module.parent_kind(identifier.node)
    {
        return Usage::Exported;
    }
    let AstKind::IdentifierReference(name) = module.kind(identifier.node) else { return Usage::Read };
    let Some(reference) = name.reference_id.get().map(|id| module.scoping().get_reference(id)) else {
        return Usage::Read;
    };
    if reference.is_write() {
        Usage::Write
    } else if reference.is_type() && !reference.is_value() {
        Usage::TypeUse
    } else {
        Usage::Read
    }
}

fn declares_member(module: &Module<'_>, node: NodeId) -> bool {
    matches!(
        module.parent_kind(node),
        AstKind::MethodDefinition(_)
            | AstKind::PropertyDefinition(_)
            | AstKind::AccessorProperty(_)
            | AstKind::TSPropertySignature(_)
            | AstKind::TSMethodSignature(_)
            | AstKind::TSEnumMember(_)
            | AstKind::ObjectProperty(_)
    )
}

/// Whether an identifier is one half of two names written as one: `{ a }` is a property and a variable.
pub(crate) fn pair(module: &Module<'_>, identifier: &Identifier<'_>) -> Option<(Pair, Half)> {
    let is_key = matches!(module.kind(identifier.node), AstKind::IdentifierName(_));
    let half = if is_key { Half::First } else { Half::Second };
    match module.parent_kind(identifier.node) {
        AstKind::ObjectProperty(property) if property.shorthand => Some((Pair::Property, half)),
        AstKind::BindingProperty(property) if property.shorthand => Some((Pair::Property, half)),
        AstKind::AssignmentPattern(pattern) if pattern.left.span() == identifier.span => {
            match module.parent_kind(module.parent(identifier.node)) {
                AstKind::BindingProperty(property) if property.shorthand => Some((Pair::Property, Half::Second)),
                _ => None,
            }
        }
        AstKind::AssignmentTargetPropertyIdentifier(property) if property.binding.span == identifier.span => {
            Some((Pair::Property, Half::Second))
        }
        AstKind::ImportSpecifier(specifier) if specifier.imported.span() == specifier.local.span => {
            Some((Pair::Import, half))
        }
        AstKind::ExportSpecifier(specifier) if specifier.local.span() == specifier.exported.span() => {
            let half = if matches!(module.role(identifier), Role::Exported) { Half::Second } else { Half::First };
            Some((Pair::Export, half))
        }
        _ => None,
    }
}

impl<'w> Checker<'w> {
    /// A type parameter as what it must be.
    pub(crate) fn constrained(&self, ty: &Ty<'w>) -> Ty<'w> {
        match ty {
            Ty::Parameter(module, symbol) => self.constraint(*module, *symbol).unwrap_or(Ty::Unknown),
            other => other.clone(),
        }
    }

    /// Whether some import of the open document may lead back into it: by its path or by an ambient module in it.
    pub(crate) fn imports_itself(&self) -> bool {
        let here = self.here();
        let sources = here.semantic().nodes().iter().filter_map(|node| match node.kind() {
            AstKind::ImportDeclaration(import) => import.source.value.as_str(),
            AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
            AstKind::ExportAllDeclaration(export) => export.source.value.as_str(),
            AstKind::TSImportType(import) => import.source.value.as_str(),
            AstKind::TSExternalModuleReference(reference) => reference.expression.value.as_str(),
            AstKind::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => source.value.as_str(),
                _ => None,
            },
            _ => None,
        });
        let stem = |path: &str| {
            let name = crate::program::resolution::paths::file_name(path);
            name.split('.').next().unwrap_or(name).to_owned()
        };
        let own = stem(&here.path);
        let folder =
            crate::program::resolution::paths::file_name(crate::program::resolution::paths::parent(&here.path))
                .to_owned();
        let mut sources = sources.collect::<HashSet<_>>().into_iter();
        sources.any(|source| {
            let last = stem(source);
            let may = last == own
                || own == "index" && (last == folder || last.is_empty())
                || !crate::program::resolution::paths::is_relative(source);
            may && matches!(self.resolve_module(HERE, source), ResolvedModule::Module(found) if found.module == HERE)
        })
    }

    /// The names under which this file re-exports all of a module that it imports as a whole.
    pub(crate) fn spaces_exported(&self, specifier: &str) -> Vec<String> {
        let here = self.here();
        let mut names = Vec::new();
        for statement in &here.program.body {
            match statement {
                Statement::ExportAllDeclaration(export) if export.source.value.as_str() == Some(specifier) => {
                    names.extend(export.exported.as_ref().map(|name| export_name(name).to_owned()));
                }
                Statement::ImportDeclaration(import) if import.source.value.as_str() == Some(specifier) => {
                    for specifier in import.specifiers.iter().flatten() {
                        if let ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) = specifier {
                            names.extend(self.exported_names(space.local.symbol_id.get()));
                        }
                    }
                }
                _ => {}
            }
        }
        names
    }

    /// The names under which a symbol of the open document is exported.
    pub(crate) fn exported_names(&self, symbol: Option<SymbolId>) -> Vec<String> {
        let Some(symbol) = symbol else { return Vec::new() };
        let exports = self.exports(crate::program::ids::ModuleRef { module: HERE, block: None });
        let is_it = |export: &crate::program::exports::Export<'_>| match export {
            crate::program::exports::Export::Declared(found) => *found == symbol,
            crate::program::exports::Export::Listed { symbol: Some(found), .. } => *found == symbol,
            _ => false,
        };
        let mut names: Vec<String> =
            exports.named.iter().filter(|(_, all)| all.iter().any(is_it)).map(|(name, _)| (*name).to_owned()).collect();
        names.sort();
        names
    }
}
