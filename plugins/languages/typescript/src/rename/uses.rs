//! Finding all uses of a symbol in the open document.

use std::collections::HashSet;
use std::rc::Rc;

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan, Span};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::jsdoc;
use crate::infer::members::{Sites, declares_member, sets_member};
use crate::infer::shapes::Shape;
use crate::program::ResolvedModule;
use crate::program::commonjs;
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::component_names;
use crate::rename::data_flow::PropertyReads;
use crate::rename::search_target::SearchTarget;
use crate::rename::shorthands::{Shorthand, ShorthandPart, shorthand_of};
use crate::rename::spreads::{self, Spreads};
use crate::rename::unproven_uses;

/// A use of the symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) span: Span,
    pub(crate) quote: Option<char>,
    pub(crate) shorthand: Option<(Shorthand, ShorthandPart)>,
    pub(crate) usage: Usage,
    /// The new name must be valid for a binding.
    pub(crate) is_binding: bool,
    /// The new name may contain dashes.
    pub(crate) allows_dashes: bool,
    /// Set for JSX tags: a capitalized name is a component, a lowercase name an element of the platform.
    pub(crate) tag: Option<Tag>,
    /// The name written here stays unchanged.
    pub(crate) is_unchanged: bool,
    /// The other name in `a as b`, or in a property `a: b` of exported or required names.
    pub(crate) alias_counterpart: Option<Span>,
}

/// Kind of a JSX tag name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tag {
    Component,
    BuiltIn,
}

impl Use {
    /// Creates a use without special conditions.
    pub(crate) fn simple(span: Span, usage: Usage) -> Use {
        Use {
            span,
            quote: None,
            shorthand: None,
            usage,
            is_binding: false,
            allows_dashes: false,
            tag: None,
            is_unchanged: false,
            alias_counterpart: None,
        }
    }
}

/// Result of a search.
#[derive(Debug, Default)]
pub(crate) struct FoundUses {
    pub(crate) uses: Vec<Use>,
    /// Occurrences of the name that may or may not refer to the symbol.
    pub(crate) unresolved: Vec<Span>,
    /// Bindings of this file that are the symbol.
    pub(crate) symbols: Vec<SymbolId>,
    /// All declarations of the symbol: the requested ones, and those that the search added because the same expressions
    /// access them.
    pub(crate) sites: Vec<Site>,
}

pub(crate) struct UseSearch<'s, 'w> {
    pub(super) checker: &'s Checker<'w>,
    pub(super) here: Rc<Module<'w>>,
    pub(super) wanted: SearchTarget,
    pub(super) symbols: HashSet<SymbolId>,
    others: HashSet<SymbolId>,
    /// Shapes of the owners of the wanted member, computed on demand.
    shapes: Option<Vec<(Site, Shape)>>,
    /// Spreads that copy the member, computed on demand.
    spreads: Option<Spreads>,
    /// True if an object that declares the wanted member has a contextual type that cannot be evaluated. The name may
    /// then belong to any type.
    pub(super) has_contextual_object: bool,
    /// Properties whose values the program uses as keys.
    pub(super) property_reads: PropertyReads,
    pub(super) found: FoundUses,
}

/// Names of the global `Window` object.
const WINDOW_NAMES: [&str; 3] = ["window", "self", "frames"];

/// Finds all uses in the open document.
pub(crate) fn find_uses(checker: &Checker<'_>, wanted: SearchTarget) -> FoundUses {
    let wanted = checker.with_visibility(wanted);
    let joined: HashSet<SymbolId> = wanted.joined.iter().copied().collect();
    let here = checker.open_module();
    let identifiers = here.identifiers(&wanted.name);
    let identifiers: Vec<Identifier<'_>> =
        identifiers.iter().filter(|identifier| checker.is_in_document(identifier.span)).copied().collect();
    let mut search = UseSearch {
        checker,
        here,
        wanted,
        symbols: joined.clone(),
        others: HashSet::new(),
        shapes: None,
        spreads: None,
        has_contextual_object: false,
        property_reads: PropertyReads::default(),
        found: FoundUses::default(),
    };
    loop {
        let known = search.wanted.sites.len();
        search.has_contextual_object = search.wanted.includes_joined_members
            && checker.has_unknown_context(&search.wanted.sites, &search.wanted.name);
        search.add_imports(&identifiers);
        for identifier in &identifiers {
            search.visit_identifier(identifier);
        }
        if search.wanted.sites.len() == known {
            break;
        }
        // Search again: with the new sites, names that did not match before may match now.
        (search.symbols, search.others, search.found) = (joined.clone(), HashSet::new(), FoundUses::default());
        (search.shapes, search.spreads) = (None, None);
    }
    search.visit_comments();
    search.found.uses.extend(component_names::model_events(checker, &search.wanted));
    let mut unproved = unproven_uses::find_unproven_uses(checker, &search.wanted);
    unproved.extend_from_slice(&search.spreads().unresolved);
    unproved.extend(component_names::spread_attributes(checker, &search.wanted));
    let mut found = search.found;
    found
        .unresolved
        .extend(unproved.into_iter().filter(|span| found.uses.iter().all(|used| used.span.start != span.start)));
    found.sites = search.wanted.sites;
    found.unresolved.extend(checker.unparsed_occurrences(&search.wanted.name));
    found.symbols = search.symbols.into_iter().collect();
    found.symbols.sort_unstable();
    found.uses.sort_by_key(|found| (found.span.start, found.span.end));
    found.unresolved.sort_by_key(|span| span.start);
    found.unresolved.dedup();
    found
}

impl<'w> UseSearch<'_, 'w> {
    pub(super) fn is_wanted_declaration(&self, sites: &[Site]) -> bool {
        !sites.is_empty() && self.wanted.sites.iter().any(|site| sites.contains(site))
    }

    /// Adds imports of the symbol. The local name is included unless it is an alias.
    fn add_imports(&mut self, identifiers: &[Identifier<'w>]) {
        for identifier in identifiers {
            self.symbols.extend(self.required_local(identifier));
            if !matches!(self.here.role(identifier), Role::Imported) || !self.is_import_of_symbol(identifier) {
                continue;
            }
            let pair = shorthand_of(&self.here, identifier);
            self.add_use(identifier, pair, Usage::Imported, false);
            if let (AstKind::ImportSpecifier(specifier), Some((Shorthand::Import, _))) =
                (self.here.parent_kind(identifier.node), pair)
            {
                if self.here.is_redeclaration(specifier.local.span.start) {
                    self.wanted.redeclarations.push(specifier.local.span.start);
                } else {
                    self.symbols.extend(specifier.local.symbol_id.get());
                }
            }
        }
    }

    /// Returns whether the name in an import or re-export refers to the symbol.
    fn is_import_of_symbol(&self, identifier: &Identifier<'w>) -> bool {
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
        match self.checker.resolve_module(OPEN_DOCUMENT, source) {
            ResolvedModule::Module(found) => {
                self.is_wanted_declaration(&self.checker.exported_props(found, identifier.name).sites())
            }
            _ => false,
        }
    }

    fn visit_identifier(&mut self, identifier: &Identifier<'w>) {
        let pair = shorthand_of(&self.here, identifier);
        match self.here.role(identifier) {
            Role::Declares(symbol) => {
                if !self.is_wanted_symbol(symbol) {
                    self.visit_other_declaration(identifier, symbol);
                } else {
                    let imported = is_import(&self.here, symbol) || commonjs::is_required(&self.here, symbol);
                    let usage = if imported { Usage::Imported } else { Usage::Declaration };
                    self.add_use(identifier, pair, usage, true);
                }
            }
            Role::Refers(symbol) | Role::Parameter(symbol) => {
                if self.is_wanted_symbol(symbol) {
                    let exported = self.is_exported_value(identifier);
                    let usage = if exported { Usage::Exported } else { reference_usage(&self.here, identifier) };
                    self.add_use(identifier, pair, usage, true);
                }
                if let AstKind::AssignmentTargetPropertyIdentifier(_) = self.here.parent_kind(identifier.node) {
                    self.visit_member(identifier, Some((Shorthand::Property, ShorthandPart::First)));
                }
            }
            Role::Free => {
                let sibling = self.undeclared_sibling(identifier);
                let found = match sibling {
                    Some(symbol) => self.is_wanted_symbol(symbol),
                    None => self.wanted.shared,
                };
                if found {
                    let usage = reference_usage(&self.here, identifier);
                    self.add_use(identifier, pair, usage, true);
                } else if self.wanted.is_window_member {
                    // A member of the global object can be used by its name alone.
                    self.found.unresolved.push(identifier.span);
                }
            }
            Role::Member
                if self.wanted.shared
                    && !self.wanted.lexical
                    && self.is_member_of_global(identifier, &builtins::GLOBAL_OBJECTS) =>
            {
                self.add_use(identifier, pair, Usage::Read, false);
            }
            Role::Member => self.visit_member(identifier, pair),
            Role::Exported => {
                let site = Site { module: OPEN_DOCUMENT, offset: self.here.kind(identifier.node).span().start };
                if self.wanted.sites.contains(&site) {
                    self.add_use(identifier, pair, Usage::Exported, false);
                }
            }
            Role::UmdGlobal if self.wanted.shared => self.add_use(identifier, pair, Usage::Exported, true),
            Role::StringLiteral if self.wanted.members || self.wanted.string_literals => self.add_string(identifier),
            Role::Redeclares if self.wanted.redeclarations.contains(&identifier.span.start) => {
                self.add_use(identifier, pair, Usage::Imported, true);
            }
            _ => {}
        }
    }

    fn undeclared_sibling(&self, identifier: &Identifier<'w>) -> Option<SymbolId> {
        match self.here.kind(identifier.node) {
            AstKind::IdentifierReference(name) => self.checker.merged_namespace_symbol(OPEN_DOCUMENT, name),
            _ => None,
        }
    }

    /// Returns whether a binding of this file is the symbol.
    fn is_wanted_symbol(&mut self, symbol: SymbolId) -> bool {
        if self.symbols.contains(&symbol) {
            return true;
        }
        if self.others.contains(&symbol) {
            return false;
        }
        let mut sites = self.checker.sites_of(OPEN_DOCUMENT, symbol);
        if self.wanted.members && self.here.is_parameter_property(symbol) {
            sites = self.checker.with_overridden_sites(&sites, &self.wanted.name);
        }
        let found = self.is_wanted_declaration(&sites);
        if found {
            self.symbols.insert(symbol)
        } else {
            self.others.insert(symbol)
        };
        found
    }

    fn visit_member(&mut self, identifier: &Identifier<'w>, pair: Option<(Shorthand, ShorthandPart)>) {
        if !self.wanted.members {
            // The member is the key of a mapped type over string literals.
            if self.wanted.string_literals
                && self.is_wanted_declaration(&self.checker.member_sites(OPEN_DOCUMENT, identifier).sites)
            {
                self.add_use(identifier, pair, Usage::Read, false);
            }
            return;
        }
        let Sites { sites, may_have_more: open, external, mixed, indexed } =
            self.checker.member_sites(OPEN_DOCUMENT, identifier);
        let closure = self.checker.with_overridden_sites(&sites, identifier.name);
        if !self.is_wanted_declaration(&closure) {
            if (external || open) && self.wanted.is_window_member && self.is_member_of_global(identifier, &WINDOW_NAMES)
            {
                self.add_use(identifier, pair, Usage::Read, false);
            } else if open
                || self.wanted.is_augmentation && (external || self.is_platform_attribute(identifier))
                || !external && self.has_contextual_object
                || self.may_be_related_member(identifier, &sites)
                || self.checker.may_be_read_by_index(&self.wanted, indexed)
            {
                // If the wanted member augments a declaration of a package or the platform, its uses are found as uses
                // of that declaration.
                self.found.unresolved.push(identifier.span);
            }
            return;
        }
        // If a package declares the member as well, a rename gives the two declarations different names, but the access
        // has only one name.
        if mixed || !self.join_members(&sites) {
            self.found.unresolved.push(identifier.span);
            return;
        }
        // At least one of the possible types is unknown.
        if open || self.is_key_of_own_enum(identifier, &sites) {
            self.found.unresolved.push(identifier.span);
        }
        let own = sites
            .iter()
            .any(|site| *site == Site { module: OPEN_DOCUMENT, offset: self.here.kind(identifier.node).span().start });
        let declares =
            own && (declares_member(&self.here, identifier.node) || sets_member(&self.here, identifier.node));
        let usage = match sites.first() {
            Some(own) if declares && self.checker.exported_symbol(*own, identifier.name).is_some() => Usage::Exported,
            _ if declares => Usage::Declaration,
            _ => self.commonjs_usage(identifier).unwrap_or(Usage::Read),
        };
        self.add_use(identifier, pair, usage, false);
    }

    /// Lists a parameter property of a class that may be related to the owner of the wanted member.
    fn visit_other_declaration(&mut self, identifier: &Identifier<'w>, symbol: SymbolId) {
        let own = Site { module: OPEN_DOCUMENT, offset: identifier.span.start };
        if self.wanted.members
            && self.here.is_parameter_property(symbol)
            && self.may_be_related_member(identifier, &[own])
        {
            self.found.unresolved.push(identifier.span);
        }
    }

    /// Returns whether an identifier declares a member of a type that may be assignable to or from the owner of the
    /// wanted member: such a relation is structural, so no declaration states it.
    fn may_be_related_member(&mut self, identifier: &Identifier<'w>, sites: &[Site]) -> bool {
        let own = Site { module: OPEN_DOCUMENT, offset: self.here.kind(identifier.node).span().start };
        let declares = declares_member(&self.here, identifier.node) || sites.contains(&own);
        // An object literal with a known contextual type belongs to that type, so it is not a related one.
        let known = matches!(self.here.parent_kind(identifier.node), AstKind::ObjectProperty(_))
            && sites.iter().any(|site| *site != own);
        if !self.wanted.includes_joined_members || !declares || known {
            return false;
        }
        let Some(shape) = self.checker.shape_of_member(OPEN_DOCUMENT, identifier.node) else { return false };
        if self.shapes.is_none() {
            let shape = |site: &Site| Some((*site, self.checker.shape_of_declaring_type(*site, &self.wanted.name)?));
            self.shapes = Some(self.wanted.sites.iter().filter_map(shape).collect());
        }
        let is_separate =
            |site: Site| self.checker.are_in_separate_callbacks((site, &self.wanted.name), (own, &self.wanted.name));
        self.shapes.iter().flatten().any(|(site, wanted)| wanted.is_like(&shape) && !is_separate(*site))
            || self.spreads().shapes.iter().any(|wanted| wanted.is_like(&shape))
    }

    fn spreads(&mut self) -> &Spreads {
        self.spreads.get_or_insert_with(|| spreads::find_spreads(self.checker, &self.wanted))
    }

    /// Adds members that are accessed by the same expressions as the wanted ones, because an expression has only one
    /// name for all of them. Returns false if other symbols than members are accessed, such as exports, because their
    /// uses are not found this way.
    pub(super) fn join_members(&mut self, sites: &[Site]) -> bool {
        let mut others = Vec::new();
        for site in sites {
            let closure = self.checker.with_overridden_sites(&[*site], &self.wanted.name);
            if !self.is_wanted_declaration(&closure) {
                others.extend(closure);
            }
        }
        if others.is_empty() {
            return true;
        }
        if !self.wanted.includes_joined_members
            || !others.iter().all(|site| self.checker.is_member(*site, &self.wanted.name))
        {
            return false;
        }
        self.wanted.sites.extend(others);
        true
    }

    fn visit_comments(&mut self) {
        for mention in jsdoc::mentions(&self.here, &self.wanted.name) {
            for (index, part) in mention.parts.iter().enumerate() {
                if part.source_text(self.here.text()) != self.wanted.name {
                    continue;
                }
                let sites = self.checker.mention_sites(OPEN_DOCUMENT, &mention, index).sites;
                let joined = || {
                    let of_symbol = |symbol: &SymbolId| self.checker.sites_of(OPEN_DOCUMENT, *symbol);
                    self.symbols.iter().any(|symbol| of_symbol(symbol).iter().any(|site| sites.contains(site)))
                };
                if self.is_wanted_declaration(&sites)
                    || self.is_wanted_declaration(&self.checker.with_overridden_sites(&sites, &self.wanted.name))
                    || joined()
                {
                    self.found.uses.push(Use::simple(*part, Usage::InComment));
                }
            }
        }
    }

    pub(super) fn add_use(
        &mut self,
        identifier: &Identifier<'w>,
        pair: Option<(Shorthand, ShorthandPart)>,
        usage: Usage,
        binds: bool,
    ) {
        let dashes = matches!(self.here.kind(identifier.node), AstKind::JSXIdentifier(_));
        let tag = match self.here.parent_kind(identifier.node) {
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) => {
                Some(if binds { Tag::Component } else { Tag::BuiltIn })
            }
            _ => None,
        };
        let (span, quote, beside) = (identifier.span, identifier.quote, self.paired_name(identifier));
        self.found.uses.push(Use {
            span,
            quote,
            shorthand: pair,
            usage,
            is_binding: binds,
            allows_dashes: dashes,
            tag,
            is_unchanged: false,
            alias_counterpart: beside,
        });
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
