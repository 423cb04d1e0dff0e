//! Checks that refuse renames: of names whose uses the pack cannot find, and to names that are taken.

use std::collections::HashSet;

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::{Failure, FailureKind, RenameResult, Result, Span, fail};

use super::{
    Symbol,
    renames::{Renaming, taken_by_glob},
    uses::{Uses, is_visible},
};
use crate::{
    kinds::{F, K, child, has_kind},
    modules::{self, Module, file_of, plain},
    names::{BindingIndex, BindingKind, FILE_SCOPE, MACROS},
    paths::Path,
    resolve::{glob_has, is_twin},
};

const BY_SEARCH: &str = "edit each place that a search for the name finds";

impl Symbol<'_> {
    /// Refuses to rename names whose uses the pack cannot find, and new names that are taken.
    pub(super) fn check_rename(&self, binding: BindingIndex, renaming: &Renaming<'_>) -> Result<()> {
        let own = &self.names.bindings[binding];
        if own.kind == BindingKind::Item {
            self.check_item(binding)?;
        }
        self.check_twins(binding)?;
        match self.conflict(binding, renaming) {
            None => Ok(()),
            Some(span) => {
                let message = format!("`{}` already has another meaning here", renaming.new_name);
                Err(fail(FailureKind::RefactorFailed, message)
                    .hint("choose another name: the two could not be distinguished afterwards")
                    .at(span))
            }
        }
    }

    /// Refuses items that may have uses which the pack cannot find.
    fn check_item(&self, binding: BindingIndex) -> Result<()> {
        let own = &self.names.bindings[binding];
        let (arena, name) = (self.document.arena(), &own.name);
        if own.namespaces & MACROS != 0 {
            let message = format!("`{name}` is a macro: files that are declared after it see it without an import");
            return refused(message, BY_SEARCH, None);
        }
        if self.file_with_name_of(binding).is_some() {
            return Ok(());
        }
        for node in self.declared(binding) {
            let at = Some(arena.node(node).span);
            let is_visible = child(arena, node, K::VISIBILITY).is_some();
            if is_visible && own.scope != FILE_SCOPE && self.names.is_module(own.scope) {
                let message = format!("`{name}` is visible outside of its inline module");
                return refused(message, &format!("use a language server (`engine: \"server\"`), or {BY_SEARCH}"), at);
            }
            if is_file_module(arena, node) {
                let message = format!("`{name}` is a module whose file has another name, or several files");
                return refused(message, BY_SEARCH, at);
            }
            if let Some(reason) = self.fixed_name(node, name) {
                let message = format!("`{name}` cannot be renamed: {reason}");
                return refused(message, "add an item with the other name that uses it", at);
            }
        }
        self.check_configurations(binding)
    }

    /// The file of a module, or its folder if the file is `mod.rs`. `None` if the name of the file does not depend on
    /// that of the module, if the file does not exist, and for several `mod` items that are not all alike.
    pub(super) fn file_with_name_of(&self, binding: BindingIndex) -> Option<String> {
        let arena = self.document.arena();
        let file = |node: NodeIndex| {
            let mut declarations = self.paths.declarations.iter();
            let declaration =
                declarations.find(|declaration| declaration.node == node && declaration.path.is_none())?;
            file_of(self.path(), declaration)
        };
        let mut files =
            self.declared(binding).into_iter().map(|node| file(node).filter(|_| is_file_module(arena, node)));
        let first = files.next()??;
        let is_only = files.all(|other| other.as_ref() == Some(&first));
        is_only.then(|| first.strip_suffix("/mod.rs").map(str::to_owned).unwrap_or(first))
    }

    /// The items that declare a binding.
    fn declared(&self, binding: BindingIndex) -> Vec<NodeIndex> {
        let arena = self.document.arena();
        let starts: HashSet<u32> = self.names.bound_at(binding).map(|place| place.span.start).collect();
        let names = arena.nodes().filter(|(_, node)| node.field == F::Name.into() && starts.contains(&node.span.start));
        names.map(|(_, node)| node.parent).collect()
    }

    /// The reason why the name of an item cannot change: something outside of the code depends on it.
    fn fixed_name(&self, node: NodeIndex, name: &str) -> Option<&'static str> {
        let arena = self.document.arena();
        let has = |word: &str| {
            let mut attributes = arena.children(node).filter(|inner| has_kind(arena, *inner, K::ATTR));
            attributes.any(|attribute| arena.slice(attribute).contains(word))
        };
        let path = self.document.path();
        let is_program = || modules::is_root(path) && !path.ends_with("lib.rs");
        match () {
            () if has_kind(arena, arena.node(node).parent, K::EXTERN_ITEM_LIST) && !has("link_name") => {
                Some("it is the name of a symbol in a linked library")
            }
            () if has("no_mangle") => Some("the linker uses this name (`no_mangle`)"),
            () if has("proc_macro") && !has("proc_macro_derive") => Some("it is the name of a macro of the crate"),
            () if name == "main" && has_kind(arena, node, K::FN) && is_program() => Some("a program starts there"),
            () => None,
        }
    }

    /// Refuses a name if `#[cfg]` selects between an item and an import: each use then refers to both.
    fn check_twins(&self, binding: BindingIndex) -> Result<()> {
        let own = &self.names.bindings[binding];
        let other = self.names.bindings.iter().enumerate().find(|(index, other)| {
            let kinds = [own.kind, other.kind];
            let is_pair = kinds.contains(&BindingKind::Item) && kinds.contains(&BindingKind::Import);
            *index != binding && other.scope == own.scope && other.name == own.name && is_pair
        });
        let Some((other, _)) = other else { return Ok(()) };
        if !self.is_configured(binding) || !self.is_configured(other) {
            return Ok(());
        }
        let message = format!("`{}` is imported for one configuration and declared for another", own.name);
        refused(message, &format!("rename both declarations by hand, and {BY_SEARCH}"), None)
    }

    /// Returns whether a binding has a `#[cfg(…)]` attribute.
    fn is_configured(&self, binding: BindingIndex) -> bool {
        let arena = self.document.arena();
        let mut places = self.names.bound_at(binding);
        places.any(|place| {
            let mut above = arena.ancestors(arena.innermost(place.span));
            self.has_cfg(above.find(|node| has_kind(arena, arena.node(*node).parent, K::ITEM_LIST)))
        })
    }

    /// Refuses an item that is visible in other files if `#[cfg]` selects one of several declarations of its module.
    fn check_configurations(&self, binding: BindingIndex) -> Result<()> {
        let own = &self.names.bindings[binding];
        let mut at = self.document.path().to_owned();
        while let Some((outer, names)) = modules::parent(&at).filter(|_| own.scope == FILE_SCOPE) {
            let Some((name, inline)) = names.split_last() else { break };
            if is_twin(&Module { file: outer.clone(), inline: inline.to_vec() }, name) {
                let message = format!("{outer} declares several modules `{name}` for different configurations");
                return refused(message, &format!("edit each of them, and {BY_SEARCH}"), None);
            }
            at = outer;
        }
        Ok(())
    }

    /// The first occurrence at which a rename of the binding changes the meaning of a name.
    pub(super) fn conflict(&self, binding: BindingIndex, renaming: &Renaming<'_>) -> Option<Span> {
        self.names.conflict(binding, renaming.new_name, renaming.is_constant)
    }

    /// Refuses an item if `#[cfg]` selects one of several imports for the same name: each use then refers to all of
    /// them.
    pub(super) fn check_sources(&self, uses: &Uses<'_>, result: &mut RenameResult) -> Result<()> {
        let known: HashSet<NodeIndex> = uses.paths().map(|path| path.node).collect();
        for (module, name) in uses.modules.iter().filter(|(module, _)| module.file == self.document.path()) {
            let is_here = |path: &&Path| path.import.is_some() && path.block.is_none() && path.inline == module.inline;
            let here: Vec<&Path> = self.paths.paths.iter().filter(is_here).collect();
            let is_known = |path: &&&Path| known.contains(&path.node);
            let is_imported = here.iter().any(|path| is_known(&path));
            let is_leaf =
                here.iter().filter(is_known).any(|path| path.local().is_some_and(|own| plain(&own.name) == name));
            let is_for_one = here.iter().any(|path| known.contains(&path.node) && self.has_cfg(path.import));
            for other in here.iter().filter(|path| !known.contains(&path.node)) {
                let is_same = other.local().is_some_and(|local| plain(&local.name) == name);
                let is_configured = is_for_one || self.has_cfg(other.import);
                if is_same && is_leaf && !is_configured {
                    let message = format!("`{name}` is imported twice, from different modules");
                    return refused(message, "give one of the imports another name (`as`) first", Some(other.span()));
                }
                if !is_imported || !is_configured {
                    continue;
                }
                let has_name = if other.is_glob { self.glob_has(other, name) } else { Some(is_same) };
                match has_name {
                    Some(true) => {
                        let message =
                            format!("`{name}` is imported from several modules, for different configurations");
                        let hint = format!("edit each of them, and {BY_SEARCH}");
                        return refused(message, &hint, Some(other.span()));
                    }
                    None => result.unresolved.push(other.span()),
                    Some(false) => {}
                }
            }
        }
        Ok(())
    }

    /// Returns whether an item has a `#[cfg(…)]` attribute.
    fn has_cfg(&self, item: Option<NodeIndex>) -> bool {
        let arena = self.document.arena();
        let mut attributes = item.into_iter().flat_map(|item| arena.children(item));
        attributes.any(|node| has_kind(arena, node, K::ATTR) && arena.slice(node).starts_with("#[cfg"))
    }

    /// Checks that no glob import in the module of an item provides the new name, because other files may use that
    /// name.
    pub(super) fn check_module(
        &self,
        module: &Module,
        renaming: &Renaming<'_>,
        result: &mut RenameResult,
    ) -> Result<()> {
        let arena = self.document.arena();
        for path in self.other_globs(&module.inline, None) {
            match self.glob_has(path, renaming.new_name) {
                Some(true) => return Err(taken_by(path, renaming)),
                None if is_visible(arena, path) => result.unresolved.push(path.span()),
                Some(false) | None => {}
            }
        }
        Ok(())
    }

    /// Checks that the new name of an item is not already in use in a module that has a glob import of the item.
    pub(super) fn check_glob(
        &self,
        glob: &Path,
        renaming: &Renaming<'_>,
        is_used: bool,
        result: &mut RenameResult,
    ) -> Result<()> {
        let Renaming { name, new_name, is_constant, .. } = *renaming;
        // A use of the new name that no scope of the file binds, for example the name of a type in the standard
        // library, would refer to the item.
        if let Some(place) = self.free(glob, new_name).next() {
            return Err(taken_by_glob(name, new_name, place.span));
        }
        let module = self.names.module(&glob.inline);
        let pattern = || self.names.pattern_in(new_name, |scope| Some(self.names.module_of(scope)) == module);
        if let Some(at) = is_constant.then(pattern).flatten() {
            return Err(taken_by_glob(name, new_name, at));
        }
        for path in self.other_globs(&glob.inline, Some(glob)).filter(|_| is_used) {
            match self.glob_has(path, new_name) {
                Some(true) => return Err(taken_by(path, renaming)),
                Some(false) => {}
                None => result.unresolved.push(path.span()),
            }
        }
        Ok(())
    }

    /// Returns whether a glob import provides a name. `None` if that cannot be determined.
    fn glob_has(&self, path: &Path, name: &str) -> Option<bool> {
        let own = Module { file: self.document.path().to_owned(), inline: path.inline.clone() };
        glob_has(&own, &self.paths.start(path), name, &mut HashSet::from([own.clone()]))
    }

    /// The glob imports of a module, except `own`.
    fn other_globs<'s>(&'s self, inline: &'s [String], own: Option<&'s Path>) -> impl Iterator<Item = &'s Path> {
        let globs = self.paths.paths.iter().filter(|path| path.is_glob && path.block.is_none());
        globs.filter(move |path| path.inline == inline && own.is_none_or(|own| own.node != path.node))
    }
}

fn taken_by(glob: &Path, renaming: &Renaming<'_>) -> Failure {
    let message = format!("`{}` already has another meaning here: a glob import has it", renaming.new_name);
    fail(FailureKind::RefactorFailed, message).hint("choose another name").at(glob.span())
}

/// Returns whether an item is a module with a file: `mod a;`.
fn is_file_module(arena: &Arena, node: NodeIndex) -> bool {
    has_kind(arena, node, K::MODULE) && child(arena, node, K::ITEM_LIST).is_none()
}

fn refused(message: String, hint: &str, at: Option<Span>) -> Result<()> {
    let failure = fail(FailureKind::Unsupported, message).hint(hint);
    Err(match at {
        Some(at) => failure.at(at),
        None => failure,
    })
}
