//! The uses of a function or method in one document.

use std::collections::HashSet;

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{FileLocation, Result, Span, workspace};
use serde_json::{Value, json};

use super::refused;
use crate::{
    kinds::{K, child, has_kind},
    modules::{Module, plain},
    names::{BindingIndex, Names, TYPES, VALUES},
    outline::outline_of,
    paths::Path,
    refactor::expressions::is_first,
    symbols::{Symbol, Uses, is_visible},
    table::RUST,
    types::owners::Owner,
};

/// Maximum number of modules that re-export an item.
const MAX_MODULES: usize = 64;

/// A function or method whose parameters change.
#[derive(Debug, Clone)]
pub(super) struct Callee {
    pub(super) name: String,
    /// The modules in which the function, or the type of the method, is visible, each with its name there. The first one
    /// declares it, the others re-export it.
    pub(super) modules: Vec<(Module, String)>,
    /// True for a function in the implementation of a type.
    pub(super) is_member: bool,
    /// True for a method: a call with a path has the receiver as its first argument.
    pub(super) has_self: bool,
}

/// The uses of a callee in a document.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The argument lists of the calls, each with the number of arguments before those of the parameters.
    pub(super) calls: Vec<(NodeIndex, usize)>,
    /// Places that may be uses.
    pub(super) unresolved: Vec<Span>,
}

impl Callee {
    pub(super) fn to_json(&self) -> Value {
        let module = |(module, name): &(Module, String)| json!([module.file, module.inline, name]);
        let modules: Vec<Value> = self.modules.iter().map(module).collect();
        json!({"name": self.name, "modules": modules, "member": self.is_member, "self": self.has_self})
    }

    pub(super) fn from_json(value: &Value) -> Option<Callee> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let module = |value: &Value| {
            let inline = value[1].as_array()?.iter().map(text).collect::<Option<Vec<String>>>()?;
            Some((Module { file: text(&value[0])?, inline }, text(&value[2])?))
        };
        Some(Callee {
            name: text(&value["name"])?,
            modules: value["modules"].as_array()?.iter().map(module).collect::<Option<Vec<_>>>()?,
            is_member: value["member"].as_bool()?,
            has_self: value["self"].as_bool()?,
        })
    }

    /// Adds the modules that re-export the item. `files` returns the files that contain a word.
    pub(super) fn follow_reexports(&mut self, files: impl Fn(&str) -> Vec<String>) {
        let mut at = 0;
        while let Some((module, name)) = self.modules.get(at).cloned().filter(|_| at < MAX_MODULES) {
            at += 1;
            for path in files(&name) {
                let Ok(text) = workspace::read(&path) else { continue };
                let document = CodeDocument::open(&RUST, &path, text);
                let symbol = Symbol::new(&document);
                let uses = symbol.uses(module.clone(), &name, |_| true);
                let is_shown = |own: &&Path| own.block.is_none() && is_visible(document.arena(), own);
                let inside = |own: &Path| Module { file: path.clone(), inline: own.inline.clone() };
                let leaves = uses.qualified.iter().filter(|one| one.is_leaf).map(|one| one.path).filter(is_shown);
                let named = leaves.filter_map(|own| Some((inside(own), plain(&own.local()?.name).to_owned())));
                let globs =
                    uses.globs.iter().filter(|(own, _)| is_shown(own)).map(|(own, name)| (inside(own), name.clone()));
                let found: Vec<(Module, String)> = named.chain(globs).collect();
                for pair in found {
                    if !self.modules.contains(&pair) {
                        self.modules.push(pair);
                    }
                }
            }
        }
    }

    /// The uses in a document. `count` is the number of parameters before the change.
    ///
    /// # Errors
    ///
    /// Fails if the function is used as a value.
    pub(super) fn uses(&self, document: &CodeDocument, symbol: &Symbol<'_>, count: usize) -> Result<Found> {
        let uses: Vec<Uses<'_>> =
            self.modules.iter().map(|(module, name)| symbol.uses(module.clone(), name, |_| true)).collect();
        let bindings = self.bindings(document, symbol, &uses);
        let search = Search { callee: self, document, symbol, bindings, uses, count };
        let mut found = if self.is_member { search.members()? } else { search.functions()? };
        found.unresolved.extend(search.in_comments());
        found.unresolved.sort_by_key(|span| span.start);
        found.unresolved.dedup();
        Ok(found)
    }

    /// The bindings of the item in a document: its declaration, and imports of it.
    fn bindings(&self, document: &CodeDocument, symbol: &Symbol<'_>, uses: &[Uses<'_>]) -> HashSet<BindingIndex> {
        let namespaces = if self.is_member { TYPES } else { VALUES };
        let here = self.modules.iter().filter(|(module, _)| module.file == document.path());
        let declared = here
            .filter_map(|(module, name)| symbol.names.lookup(name, namespaces, symbol.names.module(&module.inline)?));
        let leaves = uses.iter().flat_map(|uses| &uses.qualified).filter(|one| one.is_leaf);
        declared.chain(leaves.filter_map(|one| symbol.binding_of_leaf(one.path))).collect()
    }
}

struct Search<'s> {
    callee: &'s Callee,
    document: &'s CodeDocument,
    symbol: &'s Symbol<'s>,
    uses: Vec<Uses<'s>>,
    bindings: HashSet<BindingIndex>,
    count: usize,
}

impl Search<'_> {
    /// The places that refer to the function or the type.
    fn places(&self) -> Vec<Span> {
        let names = &self.symbol.names;
        let qualified = self.uses.iter().flat_map(|uses| &uses.qualified).filter(|one| !one.is_leaf);
        let mut found: Vec<Span> = qualified.map(|one| one.span).collect();
        for binding in &self.bindings {
            let places = names.references(*binding).filter(|place| !Names::is_declaration(place));
            found.extend(places.map(|place| place.span));
        }
        for (glob, name) in self.uses.iter().flat_map(|uses| &uses.globs) {
            found.extend(self.symbol.free(glob, name).map(|place| place.span));
        }
        found.sort_by_key(|span| span.start);
        found.dedup();
        found
    }

    /// The calls in comments: those with a path, and those in examples.
    fn in_comments(&self) -> impl Iterator<Item = Span> {
        let (text, callee) = (&self.document.arena().text, self.callee);
        let is_call = |span: &Span| {
            let after = text[span.range().end..].trim_start();
            after.starts_with('(') || after.starts_with("::<")
        };
        let is_possible = |span: &Span| {
            let before = &text[..span.range().start];
            let is_named = || callee.modules.iter().any(|(_, owner)| text.contains(owner.as_str()));
            let is_owned = || callee.modules.iter().any(|(_, owner)| before.ends_with(&format!("{owner}::")));
            match callee.is_member {
                true => before.ends_with('.') && callee.has_self && is_named() || is_owned() || before.ends_with(">::"),
                false => !before.ends_with('.') && !before.trim_end().ends_with("fn"),
            }
        };
        let paths = self.symbol.paths_in_comments(&callee.name).into_iter();
        let words = self.symbol.words_in_examples(&callee.name);
        paths.chain(words).filter(move |span| is_call(span) && is_possible(span))
    }

    /// The calls of a function of a module.
    fn functions(&self) -> Result<Found> {
        let mut found = Found::default();
        for span in self.places() {
            self.add_path(span, 0, &mut found)?;
        }
        let bindings: Vec<BindingIndex> = self.bindings.iter().copied().collect();
        for (uses, (_, name)) in self.uses.iter().zip(&self.callee.modules) {
            found.unresolved.extend(self.symbol.words(uses, name, &bindings));
        }
        Ok(found)
    }

    /// Adds the use of a function whose path ends at a name.
    fn add_path(&self, name: Span, offset: usize, found: &mut Found) -> Result<()> {
        let arena = self.document.arena();
        let mut above = arena.ancestors(arena.innermost(name));
        let Some(path) = above.find(|node| has_kind(arena, *node, K::PATH_EXPR) || has_kind(arena, *node, K::USE))
        else {
            found.unresolved.push(name);
            return Ok(());
        };
        if has_kind(arena, path, K::USE) {
            return Ok(());
        }
        let mut called = path;
        while has_kind(arena, arena.node(called).parent, K::PAREN_EXPR) {
            called = arena.node(called).parent;
        }
        let call = arena.node(called).parent;
        let list =
            child(arena, call, K::ARG_LIST).filter(|_| has_kind(arena, call, K::CALL_EXPR) && is_first(arena, called));
        let is_last = arena.node(path).span.end == name.end || arena.slice(path).ends_with('>');
        match list.filter(|_| is_last) {
            Some(list) => found.calls.push((list, offset)),
            None => {
                let why = format!("`{}` is used as a value here", self.callee.name);
                return Err(refused(why, "call it in a closure first: `|…| name(…)`").at(name));
            }
        }
        Ok(())
    }

    /// Returns whether a name refers to the type of a method.
    fn is_owner(&self, name: Span, places: &HashSet<u32>) -> bool {
        let place = self.symbol.names.at(name.start).filter(|place| place.span == name);
        let binding = place.and_then(|place| self.symbol.names.binding_of(place));
        places.contains(&name.start)
            || binding.is_some_and(|binding| self.bindings.contains(&binding))
            || self.symbol.related(name.start).place.is_some_and(|declared| self.is_declared(&declared))
    }

    /// Returns whether a declaration is that of the type of a method.
    fn is_declared(&self, declared: &FileLocation) -> bool {
        self.callee.modules.iter().any(|(module, owner)| {
            let outline = outline_of(&module.file);
            let own = outline.modules.get(&module.inline).and_then(|own| own.items.get(owner));
            module.file == declared.path && own == Some(&declared.offset)
        })
    }

    /// The calls of a function in the implementations of a type.
    fn members(&self) -> Result<Found> {
        let arena = self.document.arena();
        let (text, names) = (&arena.text, &self.symbol.names);
        let places: HashSet<u32> = self.places().into_iter().map(|span| span.start).collect();
        let is_it = |name: Span| self.is_owner(name, &places);
        let owner = Owner::new(self.document, self.symbol, (&self.callee.name, false), is_it, |declared| {
            self.is_declared(declared)
        });
        let mut found = Found::default();
        for (node, own) in arena.nodes().filter(|(_, node)| node.kind == K::NAME_REF.into()) {
            if own.span.slice(text) != self.callee.name {
                continue;
            }
            if has_kind(arena, own.parent, K::METHOD_CALL_EXPR) && self.callee.has_self {
                self.add_method_call(&owner, node, &mut found);
                continue;
            }
            let path = arena.node(own.parent).parent;
            let outer = child(arena, path, K::PATH).filter(|_| has_kind(arena, own.parent, K::PATH_SEGMENT));
            match outer.map(|outer| owner.is_path(outer)) {
                Some(Some(true)) => self.add_path(own.span, usize::from(self.callee.has_self), &mut found)?,
                Some(Some(false)) | None => {}
                Some(None) => found.unresolved.push(own.span),
            }
        }
        let is_member = |span: &Span| text[..span.range().start].trim_end().ends_with(['.', ':']);
        found.unresolved.extend(names.member_words(text, &self.callee.name).map(|(span, _)| span).filter(is_member));
        Ok(found)
    }

    fn add_method_call(&self, owner: &Owner<'_>, name: NodeIndex, found: &mut Found) {
        let arena = self.document.arena();
        let call = arena.node(name).parent;
        let Some(list) = child(arena, call, K::ARG_LIST) else { return };
        if arena.children(list).count() != self.count {
            return;
        }
        match owner.is_receiver(call) {
            Some(true) => found.calls.push((list, 0)),
            Some(false) => {}
            None => found.unresolved.push(arena.node(name).span),
        }
    }
}
