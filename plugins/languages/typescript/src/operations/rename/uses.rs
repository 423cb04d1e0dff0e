//! Finding all uses of a symbol in the open document.

use std::collections::HashSet;
use std::rc::Rc;

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan, Span};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::jsdoc;
use crate::infer::members::{Sites, declares_member};
use crate::infer::shapes::Shape;
use crate::operations::rename::pairs::{self, Half, Pair, pair};
use crate::operations::rename::spreads::{self, Spreads};
use crate::operations::rename::unproved;
use crate::program::ResolvedModule;
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{HERE, Site};
use crate::program::module::Module;

/// A use of the symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) span: Span,
    pub(crate) quote: Option<char>,
    pub(crate) pair: Option<(Pair, Half)>,
    pub(crate) usage: Usage,
    /// The new name must be valid for a binding.
    pub(crate) binds: bool,
    /// The new name may contain dashes.
    pub(crate) dashes: bool,
    /// Set for JSX tags: a capitalized name is a component, a lowercase name an element of the platform.
    pub(crate) tag: Option<Tag>,
    /// The name written here stays unchanged.
    pub(crate) keeps: bool,
    /// The other name in `a as b`.
    pub(crate) beside: Option<Span>,
}

/// Kind of a JSX tag name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tag {
    Component,
    Platform,
}

impl Use {
    /// Creates a use without special conditions.
    pub(crate) fn plain(span: Span, usage: Usage) -> Use {
        Use { span, quote: None, pair: None, usage, binds: false, dashes: false, tag: None, keeps: false, beside: None }
    }
}

/// Search parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) name: String,
    /// Its declarations, including those it overrides.
    pub(crate) sites: Vec<Site>,
    /// It may be used as a member.
    pub(crate) members: bool,
    /// It may be a string literal type.
    pub(crate) texts: bool,
    /// Undeclared names refer to it.
    pub(crate) shared: bool,
    /// Symbols that count as it without being declared at the sites: imports that follow the rename.
    pub(crate) joined: Vec<SymbolId>,
    /// Offsets of erroneous redeclarations of the name that are uses nevertheless: see [`Role::Redeclares`].
    pub(crate) alone: Vec<u32>,
    /// Imports of the name in this file may resolve to it.
    pub(crate) imports: bool,
    /// It is a member: members accessed by the same expressions are included.
    pub(crate) grows: bool,
    /// It augments declarations of the platform or of packages.
    pub(crate) added: bool,
    /// It is not a property of the global object.
    pub(crate) lexical: bool,
    /// It is a member of the interface of the global object.
    pub(crate) of_window: bool,
    /// Names of the `declare module "x"` blocks that declare it: imports from these resolve to it.
    pub(crate) ambient: Vec<String>,
}

/// Result of a search.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) uses: Vec<Use>,
    /// Occurrences of the name that may or may not refer to the symbol.
    pub(crate) left: Vec<Span>,
    /// Bindings of this file that are the symbol.
    pub(crate) symbols: Vec<SymbolId>,
    /// All declarations of the symbol: those asked for, and those joined during the search.
    pub(crate) sites: Vec<Site>,
}

pub(crate) struct Search<'s, 'w> {
    pub(super) checker: &'s Checker<'w>,
    pub(super) here: Rc<Module<'w>>,
    pub(super) wanted: Wanted,
    symbols: HashSet<SymbolId>,
    others: HashSet<SymbolId>,
    /// Shapes of the owners of the wanted member, computed on demand.
    shapes: Option<Vec<Shape>>,
    /// Spreads that copy the member, computed on demand.
    spreads: Option<Spreads>,
    /// True if an object that declares the wanted member has a contextual type that is not understood: the name may
    /// belong to any type.
    pub(super) escapes: bool,
    pub(super) found: Found,
}

/// Names of the global `Window` object.
const WINDOWS: [&str; 3] = ["window", "self", "frames"];

/// Finds all uses in the open document.
pub(crate) fn uses(checker: &Checker<'_>, wanted: Wanted) -> Found {
    let wanted = checker.spread(wanted);
    let joined: HashSet<SymbolId> = wanted.joined.iter().copied().collect();
    let here = checker.here();
    let identifiers = here.identifiers(&wanted.name);
    let identifiers: Vec<Identifier<'_>> =
        identifiers.iter().filter(|identifier| checker.is_written(identifier.span)).copied().collect();
    let mut search = Search {
        checker,
        here,
        wanted,
        symbols: joined.clone(),
        others: HashSet::new(),
        shapes: None,
        spreads: None,
        escapes: false,
        found: Found::default(),
    };
    loop {
        let known = search.wanted.sites.len();
        search.escapes = search.wanted.grows && checker.escapes(&search.wanted.sites, &search.wanted.name);
        search.imports(&identifiers);
        for identifier in &identifiers {
            search.identifier(identifier);
        }
        if search.wanted.sites.len() == known {
            break;
        }
        // With new sites, names that did not match before may match now.
        (search.symbols, search.others, search.found) = (joined.clone(), HashSet::new(), Found::default());
        (search.shapes, search.spreads) = (None, None);
    }
    search.comments();
    let mut unproved = unproved::places(checker, &search.wanted);
    unproved.extend_from_slice(&search.spreads().left);
    let mut found = search.found;
    found.left.extend(unproved.into_iter().filter(|span| found.uses.iter().all(|used| used.span.start != span.start)));
    found.sites = search.wanted.sites;
    found.left.extend(checker.unparsed(&search.wanted.name));
    found.symbols = search.symbols.into_iter().collect();
    found.symbols.sort_unstable();
    found.uses.sort_by_key(|found| (found.span.start, found.span.end));
    found.left.sort_by_key(|span| span.start);
    found.left.dedup();
    found
}

impl<'w> Search<'_, 'w> {
    pub(super) fn matches(&self, sites: &[Site]) -> bool {
        !sites.is_empty() && self.wanted.sites.iter().any(|site| sites.contains(site))
    }

    /// Adds imports of the symbol. The local name is included unless it is an alias.
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

    /// Returns whether the name in an import or re-export refers to the symbol.
    fn imports_it(&self, identifier: &Identifier<'w>) -> bool {
        let parent = self.here.parent(identifier.node);
        let source = match self.here.parent_kind(parent) {
            AstKind::ImportDeclaration(import) => import.source.value.as_str(),
            AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
            _ => None,
        };
        let Some(source) = source else { return false };
        if self.wanted.ambient.iter().any(|module| module == source) {
            return true;
        }
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
            Role::Member
                if self.wanted.shared && !self.wanted.lexical && self.is_of(identifier, &builtins::GLOBAL_OBJECTS) =>
            {
                self.add(identifier, pair, Usage::Read, false);
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

    /// Returns whether an identifier is a member of one of these global objects.
    fn is_of(&self, identifier: &Identifier<'w>, objects: &[&str]) -> bool {
        let object = match self.here.parent_kind(identifier.node) {
            AstKind::StaticMemberExpression(member) => &member.object,
            AstKind::ComputedMemberExpression(member) => &member.object,
            _ => return false,
        };
        let Expression::Identifier(name) = object.without_parentheses() else { return false };
        objects.contains(&name.name.as_str()) && self.checker.resolved(HERE, name).is_none()
    }

    fn free_sibling(&self, identifier: &Identifier<'w>) -> Option<SymbolId> {
        match self.here.kind(identifier.node) {
            AstKind::IdentifierReference(name) => self.checker.sibling(HERE, name),
            _ => None,
        }
    }

    /// Returns whether a binding of this file is the symbol.
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
            // The key of a mapped type over string literals.
            if self.wanted.texts && self.matches(&self.checker.member_sites(HERE, identifier).sites) {
                self.add(identifier, pair, Usage::Read, false);
            }
            return;
        }
        let Sites { sites, open, external, mixed } = self.checker.member_sites(HERE, identifier);
        let closure = self.checker.closure(&sites, identifier.name);
        if !self.matches(&closure) {
            if (external || open) && self.wanted.of_window && self.is_of(identifier, &WINDOWS) {
                self.add(identifier, pair, Usage::Read, false);
            } else if open
                || external && self.wanted.added
                || !external && self.escapes
                || self.may_stand_for_it(identifier, &sites)
            {
                // Members added to other declarations are found as members of those.
                self.found.left.push(identifier.span);
            }
            return;
        }
        // Also declared by a package: with either name, one of the two accesses would be wrong.
        if mixed || !self.joins(&sites) {
            self.found.left.push(identifier.span);
            return;
        }
        // At least one of the possible types is unknown.
        if open {
            self.found.left.push(identifier.span);
        }
        let own = sites
            .iter()
            .any(|site| *site == Site { module: HERE, offset: self.here.kind(identifier.node).span().start });
        let usage = if own && declares_member(&self.here, identifier.node) { Usage::Declaration } else { Usage::Read };
        self.add(identifier, pair, usage, false);
    }

    /// Returns whether an identifier declares a member of a type that may be assignable to or from the owner of the
    /// wanted member: such structural relations are not declared.
    fn may_stand_for_it(&mut self, identifier: &Identifier<'w>, sites: &[Site]) -> bool {
        let own = Site { module: HERE, offset: self.here.kind(identifier.node).span().start };
        let declares = declares_member(&self.here, identifier.node) || sites.contains(&own);
        // An object literal with a known contextual type is of that type.
        let known = matches!(self.here.parent_kind(identifier.node), AstKind::ObjectProperty(_))
            && sites.iter().any(|site| *site != own);
        if !self.wanted.grows || !declares || known {
            return false;
        }
        let Some(shape) = self.checker.shape_of_member(HERE, identifier.node) else { return false };
        if self.shapes.is_none() {
            let shape = |site: &Site| self.checker.shape_around(*site, &self.wanted.name);
            self.shapes = Some(self.wanted.sites.iter().filter_map(shape).collect());
        }
        self.shapes.iter().flatten().any(|wanted| wanted.is_like(&shape))
            || self.spreads().shapes.iter().any(|wanted| wanted.is_like(&shape))
    }

    fn spreads(&mut self) -> &Spreads {
        self.spreads.get_or_insert_with(|| spreads::of(self.checker, &self.wanted))
    }

    /// Includes members that are accessed together with the wanted ones: one access has one name. Returns false for
    /// other symbols, such as exports, whose uses are not found this way.
    pub(super) fn joins(&mut self, sites: &[Site]) -> bool {
        let mut others = Vec::new();
        for site in sites {
            let closure = self.checker.closure(&[*site], &self.wanted.name);
            if !self.matches(&closure) {
                others.extend(closure);
            }
        }
        if others.is_empty() {
            return true;
        }
        if !self.wanted.grows || !others.iter().all(|site| self.checker.is_member(*site, &self.wanted.name)) {
            return false;
        }
        self.wanted.sites.extend(others);
        true
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

    pub(super) fn add(&mut self, identifier: &Identifier<'w>, pair: Option<(Pair, Half)>, usage: Usage, binds: bool) {
        let dashes = matches!(self.here.kind(identifier.node), AstKind::JSXIdentifier(_));
        let tag = match self.here.parent_kind(identifier.node) {
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) => {
                Some(if binds { Tag::Component } else { Tag::Platform })
            }
            _ => None,
        };
        let beside = pairs::beside(&self.here, identifier);
        let (span, quote) = (identifier.span, identifier.quote);
        self.found.uses.push(Use { span, quote, pair, usage, binds, dashes, tag, keeps: false, beside });
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

impl<'w> Checker<'w> {
    /// Adds the visibility of the declarations to the search parameters.
    fn spread(&self, mut wanted: Wanted) -> Wanted {
        let mut globals = 0;
        for site in wanted.sites.clone() {
            let around = if site == Site::WATCHED { None } else { self.declared_in(site, &wanted.name) };
            let Some(around) = around else { continue };
            wanted.added |= around.added;
            wanted.of_window |= around.of_window;
            wanted.shared |= around.shared;
            wanted.lexical |= around.lexical;
            globals += usize::from(around.shared);
            wanted.ambient.extend(around.ambient);
        }
        // A global is a property of global objects only.
        if globals > 0 && globals == wanted.sites.len() {
            (wanted.members, wanted.texts) = (false, false);
        }
        wanted
    }
}
