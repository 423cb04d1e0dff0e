//! Renaming: uses of a symbol in the open document, their edits, and the changes required in other files.

mod comment_names;
mod commonjs_uses;
mod component_macros;
mod component_names;
pub(crate) mod conflicts;
pub(crate) mod copied_members;
mod data_flow;
mod declaration_site;
mod declared_keys;
mod dynamic_keys;
mod export_names;
mod external_values;
mod framework_templates;
mod imported_subject;
pub(crate) mod imported_uses;
mod indexed_reads;
mod indirect_uses;
pub(crate) mod inherited_members;
mod jsdoc_subject;
mod json_values;
mod key_paths;
mod listed_keys;
mod literal_values;
mod local_types;
pub(crate) mod manual_mocks;
mod merged_declarations;
mod merged_parameters;
pub(crate) mod names;
pub(crate) mod new_name;
mod other_files;
mod outgoing_values;
mod platform_access;
mod query_texts;
mod reexports;
mod reflected_keys;
mod related_members;
pub(crate) mod search_target;
mod shorthands;
mod spreads;
mod strings;
pub(crate) mod subject;
mod template_types;
mod undeclared_context;
mod unproven_uses;
pub(crate) mod uses;
mod visibility;
mod written_context;

use marquetry_sdk::{
    DeclaredKey, Edit, FailureKind, FileLocation, RenameResult, RenamedExport, Result, Span, Usage, fail,
};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::identifiers::Role;
use crate::program::ids::{OPEN_DOCUMENT, Site};
pub(crate) use crate::rename::declared_keys::is_private_member;
use crate::rename::declared_keys::{declared_key, literal_key};
use crate::rename::export_names::exported_member_names;
pub(crate) use crate::rename::export_names::{importable_names, whole_symbol};
use crate::rename::search_target::SearchTarget;
use crate::rename::shorthands::{Shorthand, ShorthandPart};
use crate::rename::subject::ResolvedSubject;
use crate::rename::uses::{FoundUses, Tag, Use, find_uses};
use crate::semantics::facts;
use crate::syntax::components::is_component;

/// Uses of a symbol in the open document, and the names by which other files can refer to it.
#[derive(Debug, Default)]
pub(crate) struct Usages {
    pub(crate) name: String,
    pub(crate) found: FoundUses,
    /// Exported names; `default` for the default export.
    pub(crate) exported: Vec<String>,
    pub(crate) declared: Option<DeclaredKey>,
    pub(crate) elsewhere: Option<FileLocation>,
    pub(crate) shared: bool,
    /// Members whose owners must not already have a member with the new name.
    pub(crate) members: Vec<Site>,
}

/// Finds all uses of a symbol.
pub(crate) fn find_usages(checker: &Checker<'_>, thing: ResolvedSubject) -> Usages {
    match thing {
        ResolvedSubject::Symbol(symbol) => usages_of_symbol(checker, symbol),
        ResolvedSubject::Member { name, sites } => usages_of_member(checker, name, &sites),
        ResolvedSubject::Exported { name, at } => {
            let sites = vec![Site { module: OPEN_DOCUMENT, offset: at }];
            let itself = checker.imports_itself() || !checker.open_module().is_module();
            let wanted =
                SearchTarget { name: name.clone(), sites, members: itself, imports: itself, ..SearchTarget::default() };
            let mut usages =
                Usages { found: find_uses(checker, wanted), exported: vec![name.clone()], name, ..Usages::default() };
            usages.add_computed_exports(checker);
            usages
        }
        ResolvedSubject::Elsewhere { name, place } => Usages { name, elsewhere: Some(place), ..Usages::default() },
        ResolvedSubject::Shared(name) => usages_of_script_global(checker, &name),
        ResolvedSubject::Label { name, statement } => usages_of_label(checker, name, statement),
        ResolvedSubject::JsdocImport(name) => comment_names::usages_of_jsdoc_import(checker, name),
        ResolvedSubject::CommentName { name, at } => comment_names::usages_of_comment_name(checker, name, at),
        ResolvedSubject::Unreferenced { name, span } => single_usage(checker, name, span),
        ResolvedSubject::LiteralType { name, sites } => {
            let declared = Some(literal_key(checker, &name, &sites));
            let wanted = SearchTarget { name: name.clone(), sites, string_literals: true, ..SearchTarget::default() };
            Usages { found: find_uses(checker, wanted), name, declared, ..Usages::default() }
        }
    }
}

fn usages_of_symbol(checker: &Checker<'_>, symbol: SymbolId) -> Usages {
    let here = checker.open_module();
    let scoping = here.scoping();
    let name = scoping.symbol_name(symbol).to_owned();
    let flags = scoping.symbol_flags(symbol);
    let is_import = flags.is_import() || flags.is_type_import();
    let alias = matches!(here.kind(scoping.symbol_declaration(symbol)), AstKind::TSImportEqualsDeclaration(_));
    let property = checker.open_module().is_parameter_property(symbol);
    let exported = if is_import && !alias { Vec::new() } else { importable_names(checker, symbol) };
    let ambient = is_in_ambient_module(checker, symbol);
    let itself = ambient || !exported.is_empty() && checker.imports_itself();
    let sites = checker.sites_of(OPEN_DOCUMENT, symbol);
    let assigned = sites.iter().any(|site| !checker.export_counterparts(*site, &name).is_empty());
    let is_prop = checker.is_component_prop(symbol);
    let members = itself || property || assigned || is_prop || is_in_namespace(checker, symbol);
    let shared = is_shared(checker, symbol);
    let wanted = SearchTarget {
        name: name.clone(),
        sites: if property || assigned { checker.with_overridden_sites(&sites, &name) } else { sites.clone() },
        members,
        shared,
        imports: itself,
        includes_joined_members: property,
        joined: checker.merged_type_parameters(symbol),
        ..SearchTarget::default()
    };
    let seen = property || is_prop || assigned || ambient || shared || is_visible_to_scripts(checker, symbol);
    let declared = seen.then(|| declared_key(checker, &name, &sites)).or_else(|| checker.merged_parameter_key(symbol));
    let members = if property { sites } else { Vec::new() };
    let mut usages =
        Usages { found: find_uses(checker, wanted), name, exported, declared, shared, members, ..Usages::default() };
    usages.add_joined_declarations(checker);
    if !is_import && scoping.symbol_scope_id(symbol) == scoping.root_scope_id() {
        // `exports[key] = …` may export the symbol under its name.
        usages.add_computed_exports(checker);
    }
    usages
}

fn usages_of_member(checker: &Checker<'_>, name: String, sites: &[Site]) -> Usages {
    let declared = declared_key(checker, &name, sites);
    let closure = checker.with_overridden_sites(sites, &name);
    let wanted = SearchTarget {
        name: name.clone(),
        sites: closure,
        members: true,
        includes_joined_members: true,
        ..SearchTarget::default()
    };
    let mut found = find_uses(checker, wanted);
    mark_declarations_uncertain(&name, &mut found);
    // `exports.x = …` can be imported by its name.
    let exported = exported_member_names(checker, &name, &found.sites);
    let members = member_sites_only(checker, &found.sites, &name);
    let mut usages = Usages { found, exported, declared: Some(declared), name, members, ..Usages::default() };
    usages.add_joined_declarations(checker);
    if !usages.exported.is_empty() {
        usages.add_computed_exports(checker);
    }
    usages
}

/// Returns the sites that declare members, without those of symbols that are exported under the same name.
fn member_sites_only(checker: &Checker<'_>, sites: &[Site], name: &str) -> Vec<Site> {
    sites.iter().copied().filter(|site| checker.is_member(*site, name)).collect()
}

/// Also reports the declarations as uncertain if every function has a member with the name. A function may be assigned
/// to a type that declares such a member, and the member of the function keeps its name.
fn mark_declarations_uncertain(name: &str, found: &mut FoundUses) {
    if builtins::is_function_method(name) {
        let declared = found.uses.iter().filter(|found| found.usage == Usage::Declaration);
        found.unresolved.extend(declared.map(|found| found.span));
        found.unresolved.sort_by_key(|span| span.start);
        found.unresolved.dedup();
    }
}

impl Usages {
    /// Makes all uses uncertain if the name also occurs in a part of the document that cannot be parsed, because it is
    /// unknown whether that part refers to the symbol.
    pub(crate) fn mark_uncertain_if_unparsed(&mut self, checker: &Checker<'_>) {
        // The scripts of a component are read as a whole.
        if is_component(&checker.open_module().path) || checker.unparsed_occurrences(&self.name).is_empty() {
            return;
        }
        self.found.unresolved.extend(self.found.uses.drain(..).map(|found| found.span));
        self.found.unresolved.sort_by_key(|span| (span.start, span.end));
        self.found.unresolved.dedup();
        self.exported.clear();
    }

    /// Keeps the exported name in `export { default as a } from "x"`: the name belongs to this export, not to the
    /// default. An edit that replaces the name by itself means that the name was kept.
    pub(crate) fn keep_exported_names(&mut self) {
        for found in self.found.uses.iter_mut().filter(|found| found.usage == Usage::Exported && !found.is_binding) {
            found.is_unchanged = true;
        }
        self.exported.clear();
    }

    /// Reports exports with computed names, which may have the name of the symbol.
    fn add_computed_exports(&mut self, checker: &Checker<'_>) {
        self.found.unresolved.extend(checker.open_module().expandos().computed_exports());
        self.found.unresolved.sort_by_key(|span| (span.start, span.end));
        self.found.unresolved.dedup();
    }

    /// Adds the declarations that the search in this file included to those whose uses other files are searched for.
    fn add_joined_declarations(&mut self, checker: &Checker<'_>) {
        let Some(key) = &mut self.declared else { return };
        for site in self.found.sites.iter().filter(|site| **site != Site::WATCHED) {
            let place = checker.location_of(*site);
            if !key.locations.contains(&place) {
                key.locations.push(place);
            }
        }
        key.locations.sort_by(|a, b| (&a.path, a.offset).cmp(&(&b.path, b.offset)));
    }
}

/// Returns whether other files can use a symbol without an import: it is in a module with `export as namespace`, or in
/// a namespace of a script.
fn is_visible_to_scripts(checker: &Checker<'_>, symbol: SymbolId) -> bool {
    let here = checker.open_module();
    let global = |statement: &Statement<'_>| matches!(statement, Statement::TSNamespaceExportDeclaration(_));
    let scope = here.scoping().symbol_scope_id(symbol);
    if here.is_module() {
        return scope == here.scoping().root_scope_id() && here.program.body.iter().any(global);
    }
    let around = |scope| here.scoping().scope_flags(scope).is_ts_module_block();
    around(scope)
        && here.scoping().scope_ancestors(scope).all(|scope| around(scope) || scope == here.scoping().root_scope_id())
}

fn is_in_namespace(checker: &Checker<'_>, symbol: SymbolId) -> bool {
    let here = checker.open_module();
    here.scoping().scope_flags(here.scoping().symbol_scope_id(symbol)).is_ts_module_block()
}

/// Returns whether a `declare module "x"` block declares the symbol: imports from that module resolve to it.
fn is_in_ambient_module(checker: &Checker<'_>, symbol: SymbolId) -> bool {
    let here = checker.open_module();
    let block = here.scoping().get_node_id(here.scoping().symbol_scope_id(symbol));
    matches!(here.kind(block), AstKind::TSExternalModuleDeclaration(_))
}

/// Returns whether the symbol is global to all scripts.
fn is_shared(checker: &Checker<'_>, symbol: SymbolId) -> bool {
    let here = checker.open_module();
    let scope = here.scoping().symbol_scope_id(symbol);
    let at_top = scope == here.scoping().root_scope_id() && !here.is_module();
    let declares_global = matches!(here.kind(here.scoping().get_node_id(scope)), AstKind::TSGlobalDeclaration(_));
    at_top || declares_global
}

/// Finds declarations and uses of a global of scripts in this file.
pub(crate) fn usages_of_script_global(checker: &Checker<'_>, name: &str) -> Usages {
    let here = checker.open_module();
    let root = here.scoping().get_root_binding(Ident::from(name)).filter(|_| !here.is_module());
    let mut sites = root.map(|symbol| checker.sites_of(OPEN_DOCUMENT, symbol)).unwrap_or_default();
    for statement in &here.program.body {
        if let Statement::TSGlobalDeclaration(global) = statement
            && let Some(scope) = global.scope_id.get()
            && let Some(symbol) = here.scoping().get_binding(scope, Ident::from(name))
        {
            sites.extend(checker.sites_of(OPEN_DOCUMENT, symbol));
        }
    }
    // `module.exports = { A }` in a script exports the global.
    let assigned = sites.iter().any(|site| !checker.export_counterparts(*site, name).is_empty());
    let sites = if assigned { checker.with_overridden_sites(&sites, name) } else { sites };
    let wanted =
        SearchTarget { name: name.to_owned(), sites, members: assigned, shared: true, ..SearchTarget::default() };
    Usages { name: name.to_owned(), found: find_uses(checker, wanted), shared: true, ..Usages::default() }
}

fn usages_of_label(checker: &Checker<'_>, name: String, statement: NodeId) -> Usages {
    let here = checker.open_module();
    let belongs = |node: NodeId| {
        here.self_and_ancestors(node).skip(1).find(|around| {
            matches!(here.kind(*around), AstKind::LabeledStatement(labeled) if labeled.label.name == name.as_str())
        }) == Some(statement)
    };
    let identifiers = here.identifiers(&name);
    let labels = identifiers
        .iter()
        .filter(|identifier| matches!(here.role(identifier), Role::Label) && belongs(identifier.node));
    let one = |identifier: &crate::program::identifiers::Identifier<'_>| {
        let declares = matches!(here.parent_kind(identifier.node), AstKind::LabeledStatement(_));
        let usage = if declares { Usage::Declaration } else { Usage::Read };
        Use { is_binding: true, ..Use::simple(identifier.span, usage) }
    };
    let found = FoundUses { uses: labels.map(one).collect(), ..FoundUses::default() };
    Usages { name, found, ..Usages::default() }
}

/// Returns the only use of a declaration that nothing refers to.
fn single_usage(checker: &Checker<'_>, name: String, span: oxc_span::Span) -> Usages {
    let here = checker.open_module();
    let identifiers = here.identifiers(&name);
    let pair = identifiers.iter().find(|identifier| {
        identifier.span == span && matches!(here.role(identifier), Role::Redeclares | Role::Unreferable)
    });
    let shorthand = pair.and_then(|identifier| shorthands::shorthand_of(&here, identifier));
    let uses = vec![Use { shorthand, is_binding: true, ..Use::simple(span, Usage::Declaration) }];
    Usages { found: FoundUses { uses, ..FoundUses::default() }, name, ..Usages::default() }
}

/// Finds uses of the members that are declared at the given places.
pub(crate) fn usages_of_declared_members(checker: &Checker<'_>, key: &DeclaredKey) -> Usages {
    checker.read_globals_of(key.locations.iter().filter_map(|place| checker.site_at(place)).map(|site| site.module));
    let special = || comment_names::mentions_of_shared_type(checker, key);
    if let Some(usages) = checker.usages_of_merged_parameter(key).or_else(special) {
        return usages;
    }
    let sites: Vec<Site> = key.locations.iter().filter_map(|place| checker.site_at(place)).collect();
    let grows = sites.iter().all(|site| checker.is_member(*site, &key.name));
    let wanted = SearchTarget {
        name: key.name.clone(),
        sites,
        members: true,
        string_literals: true,
        includes_joined_members: grows,
        ..SearchTarget::default()
    };
    let mut found = find_uses(checker, wanted);
    mark_declarations_uncertain(&key.name, &mut found);
    let exported = exported_member_names(checker, &key.name, &found.sites);
    let members = member_sites_only(checker, &found.sites, &key.name);
    let mut usages =
        Usages { name: key.name.clone(), found, exported, declared: Some(key.clone()), members, ..Usages::default() };
    usages.add_joined_declarations(checker);
    if !usages.exported.is_empty() {
        usages.add_computed_exports(checker);
    }
    usages
}

/// Renames all uses.
pub(crate) fn rename(checker: &Checker<'_>, usages: Usages, new: &str) -> Result<RenameResult> {
    let name = usages.name.clone();
    let mut doubtful = Vec::new();
    if usages.elsewhere.is_none() && new != name {
        doubtful = check_new_name(checker, &usages, new)?;
    }
    let edits = rename_edits(checker.open_module().text(), &usages.found.uses, &name, new)?;
    let exported = usages.exported.into_iter().map(|old| RenamedExport { old, new: new.to_owned() }).collect();
    let unresolved = usages.found.unresolved.into_iter().map(|span| Span { start: span.start, end: span.end });
    let unresolved = unresolved.chain(doubtful).collect();
    Ok(RenameResult {
        edits,
        exported,
        unresolved,
        elsewhere: usages.elsewhere,
        declared: usages.declared,
        shared: usages.shared.then(|| facts::SCRIPT_NAMESPACE.to_owned()),
        file: None,
        name,
    })
}

/// Refuses a new name that is invalid or taken. Returns the places that may conflict with it.
fn check_new_name(checker: &Checker<'_>, usages: &Usages, new: &str) -> Result<Vec<Span>> {
    let mut doubtful = Vec::new();
    if usages.found.uses.iter().any(|found| found.is_binding) {
        names::check_binding(new)?;
    }
    let small = new.starts_with(|c: char| c.is_ascii_lowercase());
    let other = |found: &&Use| match found.tag {
        Some(Tag::Component) => small,
        Some(Tag::BuiltIn) => !small,
        None => false,
    };
    if let Some(tag) = usages.found.uses.iter().find(other) {
        let meaning = if small { "a built-in element" } else { "a component" };
        return Err(fail(FailureKind::RefactorFailed, format!("as a JSX tag, `{new}` would be {meaning}"))
            .hint("component names start with an uppercase letter, built-in elements with a lowercase letter")
            .at(Span { start: tag.span.start, end: tag.span.end }));
    }
    let private = usages.name.starts_with('#');
    if new.starts_with('#') && !private {
        return Err(fail(
            FailureKind::RefactorFailed,
            format!("`{new}` would be private, but `{}` is not", usages.name),
        )
        .hint("omit the `#`"));
    }
    if private && !new.starts_with('#') {
        return Err(fail(
            FailureKind::RefactorFailed,
            format!("`{}` is private, but `{new}` would not be", usages.name),
        )
        .hint(format!("keep the `#`: `#{new}`")));
    }
    if usages.shared {
        conflicts::check_platform(&usages.name)?;
    }
    conflicts::check_symbols(checker, &usages.found.symbols, new)?;
    component_names::check_template(checker, usages, new)?;
    comment_names::check_new_name(checker, usages, new)?;
    if !usages.members.is_empty() {
        names::check_free_member(new)?;
        conflicts::check_members(checker, &usages.members, &usages.name, new)?;
        doubtful = related_members::check_related(checker, &usages.found.uses, &usages.found.sites, &usages.name, new)?;
    }
    if usages.exported.contains(&usages.name) {
        conflicts::check_export(checker, &usages.found.symbols, new)?;
    }
    Ok(doubtful)
}

/// Returns the edits of a rename. A shorthand is expanded to keep its other name, and `a as b` or `a: b` is reduced to one name
/// if both become the same.
fn rename_edits(text: &str, uses: &[Use], old: &str, new: &str) -> Result<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut at = 0;
    while at < uses.len() {
        let first = &uses[at];
        let same = uses[at..].iter().take_while(|next| next.span == first.span).count();
        let halves: Vec<ShorthandPart> =
            uses[at..at + same].iter().filter_map(|found| found.shorthand.map(|pair| pair.1)).collect();
        let both = halves.contains(&ShorthandPart::First) && halves.contains(&ShorthandPart::Second);
        let word = if first.is_unchanged { old.to_owned() } else { name_at_use(first, new)? };
        let word = component_names::word_in_template(text, first, (old, word));
        let span = collapsed_alias_span(text, first, &word).unwrap_or(first.span);
        let text = match first.shorthand {
            Some((Shorthand::Attribute, half)) => {
                let (span, text) = component_names::attribute_edit(text, first.span, half, both, (old, &word));
                edits.push(Edit { span: Span { start: span.start, end: span.end }, text });
                at += same;
                continue;
            }
            Some((pair, half)) if !both => match (pair, half) {
                (Shorthand::Property, ShorthandPart::First) => format!("{word}: {old}"),
                (Shorthand::Property, ShorthandPart::Second) => format!("{old}: {word}"),
                (_, ShorthandPart::First) => format!("{word} as {old}"),
                (_, ShorthandPart::Second) => format!("{old} as {word}"),
            },
            _ => word,
        };
        edits.push(Edit { span: Span { start: span.start, end: span.end }, text });
        at += same;
    }
    Ok(edits)
}

/// Returns the span of the whole `a as b` or `a: b` if the new name equals the other one.
fn collapsed_alias_span(text: &str, found: &Use, word: &str) -> Option<oxc_span::Span> {
    let beside = found.alias_counterpart.filter(|_| found.quote.is_none())?;
    let (first, second) = if found.span.start < beside.start { (found.span, beside) } else { (beside, found.span) };
    let between = text.get(first.end as usize..second.start as usize)?;
    let is_same = beside.source_text(text) == word && matches!(between.trim(), "as" | ":");
    is_same.then(|| oxc_span::Span::new(first.start, second.end))
}

/// Returns the new name as written at a use.
fn name_at_use(found: &Use, new: &str) -> Result<String> {
    match found.quote {
        Some(quote) => {
            let escaped = new.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
            let escaped = escaped.replace('\n', "\\n").replace('\r', "\\r");
            Ok(if quote == '`' { escaped.replace("${", "\\${") } else { escaped })
        }
        None if found.allows_dashes
            && new.split('-').all(|part| !part.is_empty() && names::is_name(&format!("_{part}"))) =>
        {
            Ok(new.to_owned())
        }
        None => {
            names::check_member(new)?;
            Ok(new.to_owned())
        }
    }
}
