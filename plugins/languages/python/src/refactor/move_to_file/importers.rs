//! The files that import the declaration.

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{Edit, Result, Rewrite, Span, Usage, lines, paths::file_name, span::apply};

use super::{
    check_circle, circles, destination,
    plan::{self, Plan},
    refused,
};
use crate::{
    imports::{self, Import},
    links::module_imports,
    modules::{self, Found, Module, Move},
    name_strings::exported_strings,
    origins,
    refactor::packages::{attributes_of_module, imports_file},
    uses::{ModuleUse, attribute_usage, module_uses},
};

/// A statement that is added after another one.
struct Added {
    after: NodeIndex,
    code: String,
}

/// The module of the declaration, as a name resolves to it. `None` for other modules.
fn source_module(plan: &Plan, document: &CodeDocument, module: &str) -> Option<Module> {
    match modules::resolve(document.path(), module) {
        Found::Inside(found) if found.path == plan.source => Some(found),
        _ => None,
    }
}

/// The imports of the declaration by its name.
fn name_imports(plan: &Plan, document: &CodeDocument) -> Vec<(Import, Module)> {
    let named = imports::imports(document).into_iter().filter(|import| import.name.as_deref() == Some(&plan.name));
    named
        .filter_map(|import| Some((source_module(plan, document, &import.module)?, import)).map(|(m, i)| (i, m)))
        .collect()
}

/// The imports of the module, with the uses of the declaration through it.
fn attribute_uses<'d>(plan: &Plan, document: &'d CodeDocument) -> Vec<(Import, Module, Vec<ModuleUse<'d>>)> {
    let mut found = Vec::new();
    for (import, mut uses) in module_uses(document) {
        let Some(module) = source_module(plan, document, &import.submodule()) else { continue };
        let is_name = import.name.is_some() && origins::module_of_import(document, &import).is_none();
        uses.retain(|used| !is_name && document.arena().slice(used.attribute) == plan.name);
        if !uses.is_empty() {
            found.push((import, module, uses));
        }
    }
    found
}

/// The text of the destination without its imports of the declaration.
pub(super) fn without_imports(plan: &Plan, document: &CodeDocument) -> Result<String> {
    let mut edits = Vec::new();
    let imported = name_imports(plan, document);
    for (import, _) in &imported {
        if import.is_aliased || !import.is_global {
            return Err(refused(
                format!("{} imports `{}` under another name, or in a function", document.path(), plan.name),
                "import it at the top, without `as`, first",
            )
            .at(import.name_span));
        }
    }
    let mut aliases: Vec<NodeIndex> = imported.iter().map(|(import, _)| import.alias).collect();
    for (import, _, uses) in attribute_uses(plan, document) {
        if plan::uses(document, &import).len() == uses.len() && !is_export(document, &import) {
            aliases.push(import.alias);
        }
        for one in uses {
            check_read(document, one.attribute)?;
            let end = document.arena().node(one.attribute).span.end;
            edits.push(Edit::new(Span { start: one.place.span.start, end }, plan.name.clone()));
        }
    }
    edits.extend(imports::remove(document, &aliases)?);
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup_by_key(|edit| edit.span);
    Ok(apply(document.text_str(), &edits))
}

/// Returns whether other files may use an import of this file.
fn is_export(document: &CodeDocument, import: &Import) -> bool {
    let local = import.local.as_deref().unwrap_or_default();
    file_name(document.path()).starts_with("__init__.")
        || (import.is_aliased && import.local == import.name)
        || exported_strings(document).iter().any(|(name, _)| name == local)
}

/// Refuses code that assigns the declaration through its module.
fn check_read(document: &CodeDocument, attribute: NodeIndex) -> Result<()> {
    if attribute_usage(document, attribute) != Usage::Write {
        return Ok(());
    }
    Err(refused(format!("{} assigns the name through its module", document.path()), "change this place first")
        .at(document.arena().node(attribute).span))
}

/// Updates a file that imports the declaration.
pub(super) fn update(plan: &Plan, origin: &CodeDocument, document: &CodeDocument) -> Result<Rewrite> {
    let mut change =
        Change { plan, document, edits: Vec::new(), added: Vec::new(), removed: Vec::new(), is_loaded: false };
    change.follow_names()?;
    for (import, module, uses) in attribute_uses(plan, document) {
        change.follow_attributes(&import, &module, &uses)?;
    }
    change.follow_wildcards(origin)?;
    let is_loaded = change.is_loaded;
    let mut rewrite = Rewrite::from(change.finish()?);
    if is_loaded {
        let all = imports::imports(document);
        let is_known = circles::executed(document, all.iter()).contains(&plan.destination);
        let start = match is_known {
            true => circles::executed(origin, plan.needed.iter()),
            false => destination::executed_files(plan, origin),
        };
        rewrite.incomplete = check_circle(start, document.path(), (document.path(), &plan.destination))?;
    }
    if let Some(module) = plan::name_between(document.path(), &plan.source, false) {
        rewrite.unresolved = plan::strings_naming(document, &format!("{module}.{}", plan.name));
    }
    if imports_file(document, &plan.source) {
        rewrite.unresolved.extend(other_attributes(plan, document));
    }
    rewrite.unresolved.sort_by_key(|span| span.start);
    Ok(rewrite)
}

/// Attributes that may be the declaration: the `f` of `package.module.f`, if the package provides its module.
fn other_attributes(plan: &Plan, document: &CodeDocument) -> Vec<Span> {
    let arena = document.arena();
    let known: Vec<NodeIndex> = attribute_uses(plan, document)
        .iter()
        .flat_map(|(_, _, uses)| uses.iter().map(|one| one.attribute).collect::<Vec<_>>())
        .collect();
    let known: Vec<Span> = known.into_iter().map(|node| arena.node(node).span).collect();
    let module = file_name(plan.source.trim_end_matches("/__init__.py")).trim_end_matches(".py");
    let mut found = attributes_of_module(document, module, &plan.name);
    found.retain(|span| !known.contains(span));
    found
}

/// The change of one file.
struct Change<'p> {
    plan: &'p Plan,
    document: &'p CodeDocument,
    edits: Vec<Edit>,
    added: Vec<Added>,
    /// Imports that are no longer needed.
    removed: Vec<NodeIndex>,
    /// True if the file imports the destination when it is loaded.
    is_loaded: bool,
}

impl Change<'_> {
    /// The name of the destination, in the style of the import of the old module.
    fn module_name(&self, module: &Module, is_relative: bool) -> Result<String> {
        let moves = [Move { from: self.plan.source.clone(), to: self.plan.destination.clone() }];
        let moved = modules::moved_module(module, &moves);
        let name = modules::module_name(self.document.path(), &moved, is_relative);
        name.or_else(|| plan::name_between(self.document.path(), &self.plan.destination, false)).ok_or_else(|| {
            refused(
                format!("{} cannot import {}", self.document.path(), self.plan.destination),
                "choose a file whose path is the name of a module",
            )
        })
    }

    fn is_executed(&self, import: &Import) -> bool {
        !import.is_type_only && (import.is_global || import.local.is_none())
    }

    /// Changes `from module import name`.
    fn follow_names(&mut self) -> Result<()> {
        let imported = name_imports(self.plan, self.document);
        let mut at = 0;
        while let Some((first, module)) = imported.get(at) {
            let same: Vec<&Import> = imported[at..]
                .iter()
                .map(|(import, _)| import)
                .take_while(|own| own.statement == first.statement)
                .collect();
            at += same.len();
            self.is_loaded |= self.is_executed(first);
            let name = self.module_name(module, first.module.starts_with('.'))?;
            if imports::aliases(self.document, first.statement).len() == same.len() {
                self.edits.push(Edit::new(first.module_span, name));
                continue;
            }
            let text = self.document.text_str();
            let written: Vec<&str> =
                same.iter().map(|import| self.document.arena().node(import.alias).span.slice(text)).collect();
            self.added
                .push(Added { after: first.statement, code: format!("from {name} import {}", written.join(", ")) });
            self.removed.extend(same.iter().map(|import| import.alias));
        }
        Ok(())
    }

    /// Changes `module.name`.
    fn follow_attributes(&mut self, import: &Import, module: &Module, uses: &[ModuleUse<'_>]) -> Result<()> {
        self.is_loaded |= self.is_executed(import);
        let name = self.module_name(module, import.module.starts_with('.') && import.name.is_some())?;
        let (local, code) = match (&import.name, import.is_aliased) {
            (None, false) => (name.clone(), format!("import {name}")),
            _ => {
                let last = name.rsplit('.').next().unwrap_or_default();
                let package = &name[..name.len() - last.len()];
                let package = package
                    .strip_suffix('.')
                    .filter(|rest| !rest.is_empty() && !rest.ends_with('.'))
                    .unwrap_or(package);
                let code = match package {
                    "" => format!("import {last}"),
                    package => format!("from {package} import {last}"),
                };
                (last.to_owned(), code)
            }
        };
        let first = local.split('.').next().unwrap_or_default();
        if first.is_empty() {
            return Err(refused(
                format!("{} cannot name {} as a module", self.document.path(), self.plan.destination),
                "import the name itself there first",
            )
            .at(import.name_span));
        }
        let is_there = self.has_module(&local);
        let is_same_package = import.name.is_none() && !import.is_aliased && import.chain()[0] == first;
        let taken = self.document.names().places.iter().find(|place| place.name == first);
        if let Some(place) = taken.filter(|_| !is_there && !is_same_package) {
            return Err(refused(
                format!("{} already uses the name `{first}`", self.document.path()),
                "import the declaration itself there first",
            )
            .at(place.span));
        }
        for one in uses {
            check_read(self.document, one.attribute)?;
            self.edits.push(Edit::new(Span { start: one.place.span.start, end: one.module_end }, local.clone()));
        }
        if !is_there {
            self.added.push(Added { after: import.statement, code });
        }
        if plan::uses(self.document, import).len() == uses.len() && !is_export(self.document, import) {
            self.removed.push(import.alias);
        }
        Ok(())
    }

    /// Returns whether the file already imports the destination as a module with this name.
    fn has_module(&self, local: &str) -> bool {
        let is_it = |import: &Import| {
            import.is_global
                && !import.is_type_only
                && import.chain().join(".") == local
                && matches!(modules::resolve(self.document.path(), &import.submodule()),
                    Found::Inside(found) if found.path == self.plan.destination)
        };
        module_imports(self.document).iter().any(is_it)
    }

    /// Imports the name after `from module import *`, which no longer provides it.
    fn follow_wildcards(&mut self, origin: &CodeDocument) -> Result<()> {
        let listed = exported_strings(origin);
        let is_provided = if listed.is_empty() {
            !self.plan.name.starts_with('_')
        } else {
            listed.iter().any(|(name, _)| *name == self.plan.name)
        };
        // The old module still has the name if it imports it.
        if !is_provided || self.plan.is_used {
            return Ok(());
        }
        for import in imports::imports(self.document).into_iter().filter(|import| import.name.as_deref() == Some("*")) {
            let Some(module) = source_module(self.plan, self.document, &import.module) else { continue };
            let name = self.module_name(&module, import.module.starts_with('.'))?;
            self.is_loaded |= self.is_executed(&import);
            self.added.push(Added { after: import.statement, code: format!("from {name} import {}", self.plan.name) });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Edit>> {
        let (arena, text) = (self.document.arena(), self.document.text_str());
        let is_removed = |statement: NodeIndex| {
            imports::aliases(self.document, statement).iter().all(|alias| self.removed.contains(alias))
        };
        let mut replaced = Vec::new();
        self.added.dedup_by(|next, known| next.after == known.after && next.code == known.code);
        for added in &self.added {
            let own = arena.node(added.after).span.range();
            let rest = text[own.end..lines::line_end(text, own.end)].trim_start();
            if !lines::starts_line(text, own.start) || !(rest.is_empty() || rest.starts_with('#')) {
                return Err(refused("the import shares its line with other code", "put it on its own line")
                    .at(arena.node(added.after).span));
            }
            if is_removed(added.after) && !replaced.contains(&added.after) {
                replaced.push(added.after);
                self.edits.push(Edit::new(arena.node(added.after).span, added.code.clone()));
                continue;
            }
            let indent = lines::indent_at(text, own.start);
            self.edits.push(Edit::insert(lines::line_end(text, own.end), format!("\n{indent}{}", added.code)));
        }
        let in_replaced = |alias: &NodeIndex| replaced.contains(&arena.node(*alias).parent);
        let removed: Vec<NodeIndex> = self.removed.iter().copied().filter(|alias| !in_replaced(alias)).collect();
        self.edits.extend(imports::remove(self.document, &removed)?);
        self.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        self.edits.dedup();
        Ok(self.edits)
    }
}
