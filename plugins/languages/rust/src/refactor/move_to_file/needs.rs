//! The changes that a move requires in its file: imports and visibilities that the moved code needs, and imports that
//! only the moved code uses.

use std::collections::BTreeSet;

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{Edit, Result, Span, span::apply, workspace};

use super::{Moving, TOP, crate_path, keyword_start, needed_visibility, private_members, refused};
use crate::{
    kinds::{F, K, child, has_kind},
    modules::{Module, file_of, module_path, parent, plain, top_block},
    names::{BindingIndex, BindingKind, Form, MACROS, Names, TYPES},
    outline::{Reach, outline_of, reach},
    paths::{Path, Start},
    resolve::{End, shows, walk},
    table::RUST,
};

/// Maximum number of nested modules.
const MAX_DEPTH: usize = 64;

/// The changes that a move requires.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// The moved code.
    pub(super) text: String,
    /// The `use` items that the moved code needs.
    pub(super) imports: BTreeSet<String>,
    /// The leaves of imports that only the moved code uses.
    pub(super) unused: Vec<NodeIndex>,
    /// Edits that make items and members of the file visible to the moved code.
    pub(super) widened: Vec<Edit>,
    /// True if the rest of the file uses the item.
    pub(super) is_used_here: bool,
    pub(super) unresolved: Vec<Span>,
    pub(super) incomplete: Option<String>,
    /// Edits of the moved code.
    inside: Vec<Edit>,
    /// The bindings of the file that the moved code uses.
    used: BTreeSet<BindingIndex>,
}

impl Needs {
    pub(super) fn new(moving: &Moving<'_>) -> Result<Needs> {
        let mut needs = Needs::default();
        needs.own_paths(moving);
        needs.other_paths(moving)?;
        needs.names(moving)?;
        needs.traits(moving)?;
        needs.members(moving)?;
        needs.users(moving);
        if needs.is_used_here {
            moving.check_reachable(&moving.file, moving.document.path())?;
        }
        needs.unused_imports(moving);
        needs.inside.sort_by_key(|edit| (edit.span.start, edit.span.end));
        needs.inside.dedup();
        needs.widened.sort_by_key(|edit| edit.span.start);
        needs.widened.dedup();
        let piece = |span: Span| {
            let own = needs.inside.iter().filter(|edit| span.contains(edit.span));
            let moved = |edit: &Edit| {
                Edit::new(Span { start: edit.span.start - span.start, end: edit.span.end - span.start }, &*edit.text)
            };
            apply(span.slice(&moving.arena().text), &own.map(moved).collect::<Vec<_>>())
        };
        needs.text = moving.pieces().into_iter().map(piece).collect::<Vec<_>>().join("\n\n");
        Ok(needs)
    }

    /// Paths of the moved code to the item itself become its name.
    fn own_paths(&mut self, moving: &Moving<'_>) {
        let uses = moving.own.uses(moving.module(), &moving.name, |_| false);
        for one in uses.qualified.iter().filter(|one| moving.moves(one.span)) {
            if let Some(first) = one.path.segments.first().filter(|_| one.path.import.is_none()) {
                let whole = Span { start: first.span.start, end: one.span.end };
                self.inside.push(Edit::new(whole, one.span.slice(&moving.arena().text)));
            }
        }
    }

    /// Paths of the moved code that start at the file's module or above it now start at the root of the crate.
    fn other_paths(&mut self, moving: &Moving<'_>) -> Result<()> {
        let own = &moving.own;
        for path in own.paths.in_macros.iter().filter(|path| moving.moves(path.span())) {
            if path.segments.first().is_some_and(|first| matches!(&*first.name, "self" | "super")) {
                return Err(refused(
                    "a path in a macro is relative to the module",
                    "write a path that starts with `crate`",
                )
                .at(path.span()));
            }
        }
        for path in own.paths.paths.iter().filter(|path| moving.moves(path.span())) {
            let Some(normal) = own.paths.normal(path) else { continue };
            let span = path.span();
            if self.inside.iter().any(|edit| span.contains(edit.span)) {
                continue;
            }
            let found = walk(moving.document.path(), &normal);
            for (count, module) in &found.found {
                if let Some(name) = normal.names.get(*count) {
                    self.show(moving, module, name, span)?;
                }
            }
            if let Some((_, module)) = found.found.last() {
                moving.check_reachable(&module.file, &moving.file)?;
            }
            let is_relative = path.segments.first().is_some_and(|first| matches!(&*first.name, "self" | "super"));
            let is_kept = !is_relative || !path.inline.is_empty();
            let (Some(up), false) = (normal.up, is_kept) else { continue };
            let base = &moving.from[..moving.from.len().saturating_sub(up)];
            let start = Span { start: path.segments[0].span.start, end: path.segments[normal.consumed - 1].span.end };
            self.inside.push(Edit::new(start, crate_path(base)));
        }
        Ok(())
    }

    /// Makes a name of a module visible to the moved code, or refuses the move.
    fn show(&mut self, moving: &Moving<'_>, module: &Module, name: &str, at: Span) -> Result<()> {
        if module_path(&module.file).is_none() || shows(module, name, &Module::of_file(&moving.file)) {
            return Ok(());
        }
        let own = moving.own.names.lookup(name, !0, TOP).filter(|_| *module == moving.module());
        if let Some(binding) = own.filter(|own| moving.own.names.bindings[*own].kind == BindingKind::Item) {
            self.widen(moving, binding);
            return Ok(());
        }
        let outline = outline_of(&module.file);
        let has_name = outline.modules.get(&module.inline).is_some_and(|names| names.visible.contains_key(name));
        if own == Some(moving.binding) || !has_name {
            return Ok(());
        }
        let why = format!("`{name}` is private in `{}`", module.file);
        Err(refused(why, "make it visible to the destination first").at(at))
    }

    /// Makes an item of the file visible to the moved code.
    fn widen(&mut self, moving: &Moving<'_>, binding: BindingIndex) {
        let arena = moving.arena();
        let visibility = needed_visibility(&moving.from, &moving.to);
        for place in moving.own.names.bound_at(binding) {
            let name =
                arena.ancestors(arena.innermost(place.span)).find(|node| arena.node(*node).field == F::Name.into());
            let Some(item) = name.map(|name| arena.node(name).parent) else { continue };
            if !visibility.is_empty() && reach(arena, item) == Reach::Module && !moving.nodes.contains(&item) {
                self.widened.push(Edit::insert(keyword_start(arena, item) as usize, visibility));
            }
        }
    }

    /// The imports for the names of the moved code.
    fn names(&mut self, moving: &Moving<'_>) -> Result<()> {
        let own = &moving.own;
        let arena = moving.arena();
        let places = own.names.places.iter().filter(|place| moving.moves(place.span) && !Names::is_declaration(place));
        let mut used: Vec<(BindingIndex, Span)> = Vec::new();
        let mut free = false;
        for place in places {
            match own.names.binding_of(place) {
                Some(binding) => used.push((binding, place.span)),
                None => match self_leaf(moving, &place.name) {
                    Some(leaf) => {
                        let import = self.import_of(moving, leaf, place.span)?;
                        self.imports.insert(import);
                    }
                    None => free = true,
                },
            }
        }
        let words = own.names.words_in(&moving.nodes.iter().map(|node| arena.node(*node).span).collect::<Vec<_>>());
        used.extend(
            words
                .into_iter()
                .filter_map(|(span, scope)| Some((own.names.any_binding(span.slice(&arena.text), scope)?, span))),
        );
        // The first name of an import in a block is not an occurrence of a name.
        let imports = own.paths.paths.iter().filter(|path| path.import.is_some() && moving.moves(path.span()));
        let first = imports.filter_map(|path| path.segments.first());
        used.extend(first.filter_map(|first| Some((own.names.lookup(&first.name, TYPES, TOP)?, first.span))));
        for (binding, span) in used {
            let known = &own.names.bindings[binding];
            let is_inside = own.names.bound_at(binding).any(|place| moving.moves(place.span));
            if is_inside || binding == moving.binding || !self.used.insert(binding) {
                continue;
            }
            match known.kind {
                _ if known.namespaces & MACROS != 0 && known.kind == BindingKind::Item => {
                    return Err(refused(
                        format!("`{}` is a macro, which is visible only after its declaration", known.name),
                        "move it by hand",
                    )
                    .at(span));
                }
                BindingKind::Item if known.scope == TOP => {
                    moving.check_configuration(binding)?;
                    moving.check_reachable(moving.document.path(), &moving.file)?;
                    self.show(moving, &moving.module(), &known.name, span)?;
                    self.imports.insert(format!("use {}::{};", crate_path(&moving.from), known.name));
                }
                BindingKind::Import if known.scope == TOP => self.import(moving, binding, span)?,
                _ => {
                    return Err(refused(
                        format!("`{}` is declared in an inline module or block", known.name),
                        "write a path to it first",
                    )
                    .at(span));
                }
            }
        }
        if free { self.globs(moving) } else { Ok(()) }
    }

    /// Adds the glob imports of the file, which may provide names of the moved code.
    fn globs(&mut self, moving: &Moving<'_>) -> Result<()> {
        let own = &moving.own;
        for glob in own.paths.paths.iter().filter(|path| path.is_glob && path.block.is_none() && path.inline.is_empty())
        {
            let is_outside = match own.paths.start(glob) {
                Start::Inside(normal) => walk(moving.document.path(), &normal).end == End::Outside,
                start => start == Start::Outside,
            };
            if !is_outside {
                let why = "a glob import of the crate may provide names of the item";
                return Err(refused(why, "import these names one by one first").at(glob.span()));
            }
            self.imports.insert(format!("use {}::*;", written(glob)));
        }
        Ok(())
    }

    /// Adds the import that binds a name.
    fn import(&mut self, moving: &Moving<'_>, binding: BindingIndex, at: Span) -> Result<()> {
        let own = &moving.own;
        for leaf in own.paths.paths.iter().filter(|leaf| own.binding_of_leaf(leaf) == Some(binding)) {
            let import = self.import_of(moving, leaf, at)?;
            self.imports.insert(import);
        }
        Ok(())
    }

    /// The import of a leaf, as an item of another module.
    fn import_of(&mut self, moving: &Moving<'_>, leaf: &Path, at: Span) -> Result<String> {
        let arena = moving.arena();
        if leaf.import.is_some_and(|import| child(arena, import, K::ATTR).is_some()) {
            let why = "an import that the item needs has attributes";
            return Err(refused(why, "add it to the destination by hand").at(at));
        }
        let path = self.absolute(moving, leaf)?;
        let alias = leaf.alias.as_ref().map_or_else(String::new, |alias| format!(" as {}", alias.name));
        Ok(format!("use {path}{alias};"))
    }

    /// The path of an import, as it is written in another module of the crate.
    fn absolute(&mut self, moving: &Moving<'_>, leaf: &Path) -> Result<String> {
        let own = &moving.own;
        let normal = match own.paths.start(leaf) {
            Start::Inside(normal) => normal,
            _ => return Ok(written(leaf)),
        };
        let found = walk(moving.document.path(), &normal);
        for (count, module) in &found.found {
            if let Some(name) = normal.names.get(*count) {
                self.show(moving, module, name, leaf.span())?;
            }
        }
        if let Some((_, module)) = found.found.last() {
            moving.check_reachable(&module.file, &moving.file)?;
        }
        let is_relative = leaf.segments.first().is_some_and(|first| matches!(&*first.name, "self" | "super"));
        let root = module_path(moving.document.path()).map(|(root, _)| root);
        let is_here =
            found.found.get(1).is_some_and(|(_, module)| module_path(&module.file).map(|(root, _)| root) == root);
        match normal.up {
            Some(up) if is_relative || is_here && normal.consumed == 0 => {
                let base = &moving.from[..moving.from.len().saturating_sub(up)];
                Ok([base, &normal.names[..]].concat().iter().fold("crate".to_owned(), |all, name| all + "::" + name))
            }
            Some(_) if is_here => {
                Err(refused("an import starts at another import", "write a path that starts with `crate`")
                    .at(leaf.span()))
            }
            _ => Ok(written(leaf)),
        }
    }

    /// Copies imports that only provide methods. Other traits cannot be determined.
    fn traits(&mut self, moving: &Moving<'_>) -> Result<()> {
        let (own, arena) = (&moving.own, moving.arena());
        let calls = |node: NodeIndex| {
            // `Type::method` needs the trait in scope, too.
            let is_path = has_kind(arena, node, K::PATH_EXPR) && {
                let last = arena.slice(node).rsplit_once("::").map_or("", |(_, last)| last);
                last.starts_with(|c: char| c.is_lowercase() || c == '_')
            };
            is_path || has_kind(arena, node, K::METHOD_CALL_EXPR)
        };
        if !moving.nodes.iter().flat_map(|node| arena.descendants(*node)).any(calls) {
            return Ok(());
        }
        let mut may_lack = false;
        for leaf in own
            .paths
            .paths
            .iter()
            .filter(|leaf| leaf.import.is_some() && leaf.block.is_none() && leaf.inline.is_empty())
        {
            let Some(local) = leaf.local() else { continue };
            let binding = own.binding_of_leaf(leaf);
            let is_named =
                binding.is_some_and(|binding| own.names.references(binding).any(|place| !Names::is_declaration(place)));
            let may_be_trait = local.name == "_" || local.name.starts_with(char::is_uppercase);
            if may_be_trait && !is_named {
                let path = self.absolute(moving, leaf)?;
                let alias = leaf.alias.as_ref().map_or_else(String::new, |alias| format!(" as {}", alias.name));
                self.imports.insert(format!("use {path}{alias};"));
            } else if may_be_trait && binding.is_some_and(|binding| !self.used.contains(&binding)) {
                may_lack = true;
            }
        }
        let items = top_block(moving.document).into_iter().flat_map(|block| arena.children(block));
        may_lack |= items.into_iter().any(|item| {
            let name = arena.child(item, F::Name.into()).map(|name| arena.node(name).span);
            let binding = name.and_then(|name| own.names.at(name.start)).and_then(|place| own.names.binding_of(place));
            has_kind(arena, item, K::TRAIT)
                && binding.is_some_and(|binding| binding != moving.binding && !self.used.contains(&binding))
        });
        if may_lack {
            self.incomplete =
                Some("types are not known: the destination may need an import of a trait for a method call".to_owned());
        }
        Ok(())
    }

    /// Makes private members visible that code on the other side of the move uses.
    fn members(&mut self, moving: &Moving<'_>) -> Result<()> {
        let (own, arena) = (&moving.own, moving.arena());
        let shorthands = own.names.places.iter().filter(|place| place.form == Form::Shorthand).map(|place| place.span);
        let segments = own.paths.paths.iter().flat_map(|path| path.segments.iter().skip(1)).map(|segment| segment.span);
        let named: Vec<Span> = own.names.members.iter().copied().chain(shorthands).chain(segments).collect();
        let uses = |is_moved: bool| -> BTreeSet<&str> {
            let spans = named.iter().filter(|span| moving.moves(**span) == is_moved);
            spans.map(|span| plain(span.slice(&arena.text))).collect()
        };
        let (inside, outside) = (uses(true), uses(false));
        let below = texts_below(moving.document.path());
        let is_below = |name: &str| below.iter().any(|text| text.contains(name));
        let is_built = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
        for (member, name) in private_members(arena, &moving.nodes) {
            let visibility = needed_visibility(&moving.to, &moving.from);
            if !visibility.is_empty() && (outside.contains(&*name) || is_below(&name) || is_built(&name)) {
                self.inside.push(Edit::insert(keyword_start(arena, member) as usize, visibility));
            }
        }
        let visibility = needed_visibility(&moving.from, &moving.to);
        let items: Vec<NodeIndex> =
            top_block(moving.document).into_iter().flat_map(|block| arena.children(block)).collect();
        let rest: Vec<NodeIndex> = items.into_iter().filter(|item| !moving.nodes.contains(item)).collect();
        for (member, name) in private_members(arena, &rest) {
            if !visibility.is_empty()
                && (inside.contains(&*name) || is_built(&name))
                && self.uses_type_of(moving, member)
            {
                self.widened.push(Edit::insert(keyword_start(arena, member) as usize, visibility));
            }
        }
        self.check_members_above(moving, &inside)
    }

    /// Returns whether a member may be used in the moved code. Positional fields are used by the name of their type.
    fn uses_type_of(&self, moving: &Moving<'_>, member: NodeIndex) -> bool {
        let arena = moving.arena();
        if !has_kind(arena, member, K::TUPLE_FIELD) {
            return true;
        }
        let item = arena.ancestors(member).find(|above| has_kind(arena, *above, K::STRUCT));
        let name = item.and_then(|item| arena.child(item, F::Name.into())).map_or("", |name| arena.slice(name));
        self.used.iter().any(|used| moving.own.names.bindings[*used].name == plain(name))
    }

    /// Refuses moved code that may use private members of a module around the file, if the destination is outside of
    /// that module.
    fn check_members_above(&self, moving: &Moving<'_>, inside: &BTreeSet<&str>) -> Result<()> {
        let mut at = moving.document.path().to_owned();
        for _ in 0..MAX_DEPTH {
            let Some((outer, _)) = parent(&at) else { break };
            let names = module_path(&outer).map(|(_, names)| names).unwrap_or_default();
            if !moving.to.starts_with(&names) {
                let document = CodeDocument::open(&RUST, &outer, workspace::read(&outer).unwrap_or_default());
                let items: Vec<NodeIndex> =
                    top_block(&document).into_iter().flat_map(|block| document.arena().children(block)).collect();
                let hidden =
                    private_members(document.arena(), &items).into_iter().find(|(_, name)| inside.contains(&**name));
                if let Some((_, name)) = hidden {
                    return Err(refused(
                        format!("the item may use the private member `{name}` of `{outer}`"),
                        "make the member visible to the destination first",
                    ));
                }
            }
            at = outer;
        }
        Ok(())
    }

    /// Determines whether other code of the module uses the item, and gives it a sufficient visibility.
    fn users(&mut self, moving: &Moving<'_>) {
        let (own, arena) = (&moving.own, moving.arena());
        let is_outside = |span: Span| !moving.moves(span);
        let uses = own.uses(moving.module(), &moving.name, |_| false);
        let named = own.names.references(moving.binding).any(|place| is_outside(place.span));
        let words = own.words(&uses, &moving.name, &[moving.binding]);
        self.unresolved.extend(words.iter().copied().filter(|span| is_outside(*span)));
        self.unresolved.extend(own.paths_in_comments(&moving.name).into_iter().filter(|span| is_outside(*span)));
        self.is_used_here = named
            || self.may_need_trait(moving)
            || uses.qualified.iter().any(|one| is_outside(one.span))
            || words.into_iter().any(is_outside);
        let is_used =
            self.is_used_here || texts_below(moving.document.path()).iter().any(|text| text.contains(&moving.name));
        let item = moving.nodes.iter().find(|node| !has_kind(arena, **node, K::IMPL));
        let Some(item) = item.filter(|item| is_used && reach(arena, **item) == Reach::Module) else { return };
        let visibility = needed_visibility(&moving.to, &moving.from);
        if !visibility.is_empty() {
            self.inside.push(Edit::insert(keyword_start(arena, *item) as usize, visibility));
        }
    }

    /// Returns whether the item is a trait whose methods the rest of the file may call.
    fn may_need_trait(&self, moving: &Moving<'_>) -> bool {
        let arena = moving.arena();
        let calls =
            |node: NodeIndex| has_kind(arena, node, K::METHOD_CALL_EXPR) && !moving.moves(arena.node(node).span);
        moving.is_trait() && arena.nodes().any(|(node, _)| calls(node))
    }

    /// Finds the imports that only the moved code uses.
    fn unused_imports(&mut self, moving: &Moving<'_>) {
        let (own, arena) = (&moving.own, moving.arena());
        let below = texts_below(moving.document.path());
        let block = top_block(moving.document);
        let calls_methods = arena
            .nodes()
            .any(|(node, _)| has_kind(arena, node, K::METHOD_CALL_EXPR) && !moving.moves(arena.node(node).span));
        for binding in &self.used {
            let known = &own.names.bindings[*binding];
            let inside = |span: &Span| moving.moves(*span);
            let uses =
                || own.names.references(*binding).filter(|place| !Names::is_declaration(place)).map(|place| place.span);
            let is_in_macro = own.names.words_of(&arena.text, *binding).any(|span| !moving.moves(span));
            let is_bound = |span: Span| {
                arena.ancestors(arena.innermost(span)).take_while(|above| Some(*above) != block).any(|above| {
                    has_kind(arena, above, K::TYPE_BOUND)
                        || has_kind(arena, arena.node(above).parent, K::IMPL) && has_kind(arena, above, K::PATH_TYPE)
                })
            };
            let is_needed = is_in_macro
                || !uses().all(|span| inside(&span))
                || calls_methods && uses().any(is_bound)
                || below.iter().any(|text| text.contains(&known.name));
            if known.kind != BindingKind::Import || is_needed || uses().next().is_none() {
                continue;
            }
            let leaves = own.paths.paths.iter().filter(|leaf| own.binding_of_leaf(leaf) == Some(*binding));
            let private = leaves.filter(|leaf| leaf.import.is_some_and(|import| reach(arena, import) == Reach::Module));
            self.unused.extend(private.map(|leaf| leaf.node));
        }
    }
}

/// The leaf `{self}` that imports a module by this name.
fn self_leaf<'m>(moving: &'m Moving<'_>, name: &str) -> Option<&'m Path> {
    let mut leaves =
        moving.own.paths.paths.iter().filter(|leaf| leaf.is_self && leaf.block.is_none() && leaf.inline.is_empty());
    leaves.find(|leaf| leaf.local().is_some_and(|local| plain(&local.name) == name))
}

/// A path as it is written, without the alias.
fn written(path: &Path) -> String {
    let names: Vec<&str> = path.segments.iter().map(|segment| &*segment.name).collect();
    format!("{}{}", if path.is_absolute { "::" } else { "" }, names.join("::"))
}

/// The texts of the files whose modules are below the module of a file.
fn texts_below(file: &str) -> Vec<String> {
    let (mut open, mut texts) = (vec![file.to_owned()], Vec::new());
    while let Some(at) = open.pop().filter(|_| texts.len() < 1000) {
        let outline = outline_of(&at);
        for below in outline.declarations.iter().filter_map(|declaration| file_of(&at, declaration)) {
            texts.extend(workspace::read(&below));
            open.push(below);
        }
    }
    texts
}
