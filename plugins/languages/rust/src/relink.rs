//! Updates `mod` items and paths after files have moved.

mod mentions;

use marquetry_code::{CodeDocument, NodeIndex, TokenKind, arena::Node, blocks};
use marquetry_sdk::{
    Edit, Span,
    paths::{file_name, folder, join, relative_file},
};

pub use crate::modules::Move;
use crate::{
    declare,
    kinds::{F, K, child, has_kind},
    links::delete_statements,
    memo::{self, Place},
    modules::{self, Declaration, Module},
    paths::{Normal, Path, Paths, Start},
    privacy,
    resolve::{Anchor, End, base, imports_twin, is_twin, walk},
    table::{check_name, is_keyword},
    trees::{self, Changed},
};

/// The effect of moves on one document.
#[derive(Debug, Default, PartialEq)]
pub struct Relinked {
    /// The edits, in order.
    pub edits: Vec<Edit>,
    /// Occurrences that refer to a moved module and were not updated, each with the reason.
    pub unresolved: Vec<(Span, String)>,
    /// Items that other documents must declare: the path of the document before the moves, and the code of the item.
    pub declare: Vec<(String, String)>,
}

struct Relink<'d> {
    document: &'d CodeDocument,
    moves: &'d [Move],
    paths: Paths,
    /// The root of the crate and the names of the document's module after the moves.
    place: Option<(String, Vec<String>)>,
    result: Relinked,
}

/// The edits that update a document for moves. The workspace still has the state before the moves.
pub fn relink(document: &CodeDocument, moves: &[Move]) -> Relinked {
    memo::call(|| relinked(document, moves))
}

fn relinked(document: &CodeDocument, moves: &[Move]) -> Relinked {
    let place = modules::module_path_after(document.path(), moves);
    let mut relink =
        Relink { document, moves, paths: Paths::new(document.arena()), place, result: Relinked::default() };
    for declaration in relink.paths.declarations.clone() {
        relink.declaration(&declaration);
    }
    relink.all_paths();
    relink.macros();
    relink.mentions();
    relink.visibilities();
    relink.restrictions();
    let mut result = relink.result;
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup();
    result.unresolved.sort_by_key(|(span, _)| span.start);
    result.unresolved.dedup_by_key(|(span, _)| *span);
    result
}

impl Relink<'_> {
    fn unresolved(&mut self, span: Span, reason: impl Into<String>) {
        self.result.unresolved.push((span, reason.into()));
    }

    /// Updates `mod name;`, whose file may be at another path after the moves.
    fn declaration(&mut self, declaration: &Declaration) {
        let (document, moves) = (self.document, self.moves);
        let Some(target) = modules::file_of(document.path(), declaration) else { return };
        if modules::stays_declared(document.path(), declaration, &target, moves) {
            return;
        }
        let arena = document.arena();
        let moved = modules::moved_path(&target, moves);
        let Some(name) = arena.child(declaration.node, F::Name.into()) else { return };
        let name_span = arena.node(name).span;
        if let Some(literal) = modules::path_attribute(arena, declaration.node) {
            let own = modules::moved_path(document.path(), moves);
            let start = match declaration.names.split_last() {
                Some((_, outer)) if !outer.is_empty() => {
                    let children = modules::folder_of_children(&own, modules::is_root(document.path()));
                    join(&children, &outer.join("/")).unwrap_or_default()
                }
                _ => folder(&own).to_owned(),
            };
            let text = format!("\"{}\"", relative_file(&start, &moved));
            return self.result.edits.push(Edit::new(arena.node(literal).span, text));
        }
        let new_name = modules::conventional_name(&moved).to_owned();
        let root = modules::root_of(document.path());
        let is_source = file_name(&moved).ends_with(".rs");
        if is_source && is_keyword(&new_name) {
            return self.result.declare.push(declare::name_question(document.path(), &new_name));
        }
        let is_source = is_source && check_name(&new_name).is_ok();
        let Some(parent) = modules::new_parent(&moved, root.as_deref(), moves).filter(|_| is_source) else {
            return self.unresolved(name_span, format!("no file can declare the module `{moved}`"));
        };
        let around = declaration.names.split_last().map_or(&[][..], |(_, outer)| outer);
        let module = Module { file: document.path().to_owned(), inline: around.to_vec() };
        if declaration.names.last().is_some_and(|name| is_twin(&module, name)) {
            self.unresolved(name_span, "the module is declared for several configurations");
        }
        if parent == document.path() {
            if declaration.names.len() > 1 {
                return self.unresolved(name_span, "the file is not in the folder of the module around it any more");
            }
            let stays = |other: &&Declaration| {
                let file = modules::file_of(document.path(), other);
                file.is_none_or(|file| modules::moved_path(&file, moves) == file)
            };
            if declare::taken(document, &new_name, &self.paths, stays).is_some() {
                return self.result.declare.push(declare::name_question(document.path(), &new_name));
            }
            self.list_imports_of(&new_name);
            return self.result.edits.push(Edit::new(name_span, new_name));
        }
        let attributes = arena.children(declaration.node).filter(|node| has_kind(arena, *node, K::ATTR));
        if attributes.into_iter().any(|attribute| arena.slice(attribute).contains("macro_use")) {
            self.unresolved(name_span, "the order of the modules determines where macros of the module are visible");
        }
        if modules::conditions_of(document.path()) != modules::conditions_of(&parent) {
            self.unresolved(name_span, "the new parent exists in other configurations");
        }
        match delete_statements(document, vec![declaration.node]) {
            Ok(edits) => self.result.edits.extend(edits),
            Err(failure) => return self.unresolved(name_span, failure.message),
        }
        let text = self.declaration_text(declaration, &parent, &new_name);
        self.result.declare.push((parent, text));
    }

    /// Lists imports that bind a name. They may refer to another module or type with the new name of a module.
    fn list_imports_of(&mut self, name: &str) {
        for span in declare::imports_of(&self.paths, name) {
            self.unresolved(span, format!("the module gets the name `{name}`, too"));
        }
    }

    /// The code of a `mod` item in another parent. A private module remains visible to its old parent.
    fn declaration_text(&self, declaration: &Declaration, parent: &str, name: &str) -> String {
        let (document, arena) = (self.document, self.document.arena());
        let own = arena.node(declaration.node).span;
        let doc = blocks::attached_comment(document, own.range().start).map_or(own.start, |doc| doc.start);
        let name_span = arena.child(declaration.node, F::Name.into()).map_or(own, |name| arena.node(name).span);
        let keyword = arena.tokens_in(own).iter().rfind(|token| {
            token.kind == TokenKind::Word && token.span.slice(&arena.text) == "mod" && token.span.end <= name_span.start
        });
        let at = keyword.map_or(own.start, |keyword| keyword.span.start);
        let before = Span { start: doc, end: at }.slice(&arena.text);
        let after = Span { start: name_span.end, end: own.end }.slice(&arena.text);
        let is_private = child(arena, declaration.node, K::VISIBILITY).is_none();
        let visibility = if is_private { self.visibility(parent) } else { String::new() };
        let indent = marquetry_sdk::lines::indent_at(&arena.text, own.range().start);
        format!("{before}{visibility}mod {name}{after}").replace(&format!("\n{indent}"), "\n")
    }

    /// The visibility that a private module of this document needs in another parent so that this document can still
    /// use it.
    fn visibility(&self, parent: &str) -> String {
        let there = modules::module_path_after(parent, self.moves);
        match (&self.place, there) {
            // All descendants of the new parent can use its private modules.
            (Some((root, own)), Some((other, names))) if *root == other && own.starts_with(&names) => String::new(),
            (Some((_, own)), Some((_, names))) if names.starts_with(own) && !own.is_empty() => {
                format!("pub(in crate::{}) ", own.join("::"))
            }
            _ => "pub(crate) ".to_owned(),
        }
    }

    fn all_paths(&mut self) {
        let paths = self.paths.paths.clone();
        let changed_names = self.changed_names();
        let mut changed: Vec<Changed<'_>> = Vec::new();
        for path in &paths {
            let Some(one) = self.new_start(path, &changed_names) else { continue };
            if path.import.is_some() {
                changed.push(one);
                continue;
            }
            let span = Span { start: path.segments[0].span.start, end: path.segments[one.count - 1].span.end };
            self.result.edits.push(Edit::new(span, one.start.join("::")));
        }
        // The leaves of a `use` item are adjacent in the list.
        let mut all = paths.chunk_by(|one, other| one.import == other.import);
        for run in changed.chunk_by(|one, other| one.path.import == other.path.import) {
            let Some(import) = run[0].path.import else { continue };
            let Some(leaves) = all.find(|leaves| leaves[0].import == Some(import)) else { continue };
            match trees::change(self.document, import, &leaves.iter().collect::<Vec<_>>(), run) {
                Ok(edits) => self.result.edits.extend(edits),
                Err(failure) => self.unresolved(self.document.arena().node(import).span, failure.message),
            }
        }
    }

    /// The new start of a path if its modules have other paths after the moves.
    fn new_start<'p>(&mut self, path: &'p Path, changed_names: &[String]) -> Option<Changed<'p>> {
        let is_changed = |name: &String| changed_names.contains(name);
        let normal = self.known_start(path, changed_names)?;
        let walk = walk(self.document.path(), &normal);
        let known = walk.found.last().map_or(0, |(count, _)| *count);
        if walk.end == End::Unknown && normal.names[known..].iter().any(is_changed) {
            let name = &normal.names[known];
            self.unresolved(
                path.span(),
                format!("`{name}` cannot be resolved, and the path contains the name of the module"),
            );
        }
        let has_twins = walk.has_twins;
        let found = &self.modules_of(path, &normal, &walk.found);
        let (count, module) = found.last()?;
        if self.is_twin_import(path, &normal, found) {
            return None;
        }
        let segment_count = (normal.consumed + count).checked_sub(normal.implied)?;
        privacy::check(self.document.path(), &normal, found, self.moves)
            .into_iter()
            .for_each(|reason| self.result.unresolved.push((path.span(), reason)));
        let anchor = self.anchor(path, &normal, found, walk.anchor.clone());
        let kept = anchor.as_ref().map_or(0, |anchor| anchor.count);
        if segment_count == 0 || anchor.is_some() && *count <= kept {
            return None;
        }
        let Some(new) = self.after(module) else {
            if modules::module_path(&module.file).is_some() {
                self.unresolved(path.span(), format!("no file can declare the module of `{}`", module.file));
            }
            return None;
        };
        let start = match &anchor {
            Some(anchor) => Some(self.after(&anchor.module)?),
            None => base_after(self.place.clone()?, &normal),
        };
        let below = start.filter(|(root, _)| *root == new.0).and_then(|(_, start)| new.1.strip_prefix(&start[..]));
        if below == Some(&normal.names[kept..*count]) {
            return None;
        }
        if has_twins {
            self.unresolved(path.span(), "a module on the path is declared for several configurations");
            return None;
        }
        let is_own_crate = self.place.as_ref().is_some_and(|(root, _)| *root == new.0);
        let rest = below.filter(|rest| !rest.is_empty());
        let names = match (rest, &anchor) {
            // Another import may shadow a name of a glob import.
            (Some(rest), Some(anchor)) if !anchor.is_glob || !is_own_crate => {
                kept_segments(path, &normal, kept).chain(rest.iter().cloned()).collect()
            }
            _ if is_own_crate => self.written_base(path, &normal, rest.filter(|_| anchor.is_none()), &new.1),
            _ => {
                self.unresolved(path.span(), format!("`{}` is in another crate now", normal.specifier()));
                return None;
            }
        };
        let place = self.place.clone().unwrap_or_default();
        if let Some(reason) = privacy::check_new_place(&module.file, &place, self.moves) {
            self.unresolved(path.span(), reason);
        }
        Some(Changed { path, count: segment_count, start: names })
    }

    /// The names of a path from the module at which it starts. Reports a path whose start is unknown if it may contain the
    /// name of a moved module.
    fn known_start(&mut self, path: &Path, changed_names: &[String]) -> Option<Normal> {
        match self.paths.start(path) {
            Start::Inside(normal) => Some(normal),
            Start::Outside => None,
            Start::Unknown => {
                if path.segments.iter().any(|segment| changed_names.contains(&segment.name)) {
                    self.unresolved(
                        path.span(),
                        "the first segment cannot be resolved, and the path contains the name of the module",
                    );
                }
                None
            }
        }
    }

    /// Returns whether an import of a module may also be that of a function with its name. Reports it if the module moves.
    fn is_twin_import(&mut self, path: &Path, normal: &Normal, found: &[(usize, Module)]) -> bool {
        let Some((count, module)) = found.last() else { return false };
        if path.import.is_none() || *count != normal.names.len() || !imports_twin(found, normal) {
            return false;
        }
        if modules::moved_path(&module.file, self.moves) != module.file {
            self.unresolved(path.span(), "the import may also be that of a function with the name of the module");
        }
        true
    }

    /// The modules that the prefixes of a path refer to. A value is never a module, but a function may have the name of
    /// one.
    fn modules_of(&self, path: &Path, normal: &Normal, found: &[(usize, Module)]) -> Vec<(usize, Module)> {
        let is_value = path.is_value(self.document.arena());
        found.iter().filter(|(count, _)| !(is_value && *count == normal.names.len())).cloned().collect()
    }

    /// The module that an import at the start of the path refers to, and the number of names up to it. These names do
    /// not change, because the import itself is updated.
    fn anchor(
        &self,
        path: &Path,
        normal: &Normal,
        found: &[(usize, Module)],
        on_path: Option<Anchor>,
    ) -> Option<Anchor> {
        let is_import = normal.consumed == 1 && !is_start(&path.segments[0].name);
        let first = || {
            let (count, module) = found.iter().find(|(count, _)| is_import && *count == normal.implied)?.clone();
            Some(Anchor { count, module, is_glob: false })
        };
        on_path.filter(|anchor| anchor.count >= normal.implied).or_else(first)
    }

    /// The new names of a path. They are relative to the old start if the module is still below it, or to the root of
    /// the crate.
    fn written_base(&self, path: &Path, normal: &Normal, rest: Option<&[String]>, new: &[String]) -> Vec<String> {
        let keyword = is_start(&path.segments[0].name);
        match rest {
            Some(rest) if keyword && normal.implied == 0 => {
                kept_segments(path, normal, 0).chain(rest.iter().cloned()).collect()
            }
            Some(rest) if !keyword && normal.consumed == 0 && normal.implied == 0 => rest.to_vec(),
            _ => std::iter::once("crate".to_owned()).chain(new.iter().cloned()).collect(),
        }
    }

    /// The root of the crate and the names of a module after the moves.
    fn after(&self, module: &Module) -> Option<(String, Vec<String>)> {
        let (root, mut names) = modules::module_path_after(&module.file, self.moves)?;
        names.extend(module.inline.iter().cloned());
        Some((root, names))
    }

    /// Lists paths in the arguments of macros that refer to moved modules.
    fn macros(&mut self) {
        let names = self.changed_names();
        for path in self.paths.in_macros.clone() {
            let known = self.result.unresolved.len();
            if self.new_start(&path, &names).is_some() {
                self.unresolved(path.span(), "the arguments of the macro may name the module");
            }
            // One reason for each path is enough.
            self.result.unresolved.truncate(known + 1);
        }
    }

    /// Lists `pub(in path)` if the module of the path contains the item before the moves, but not after them.
    fn restrictions(&mut self) {
        let (arena, file) = (self.document.arena(), self.document.path());
        let own = modules::module_path(file);
        let visibilities = arena.nodes().filter(|(_, node)| node.kind == K::VISIBILITY.into());
        let restricted = visibilities.filter(|(_, node)| is_restricted(node.span.slice(&arena.text)));
        let is_outside = |item: NodeIndex, span: Span| {
            let path = self.paths.paths.iter().find(|path| span.contains(path.span()));
            let walk = path.and_then(|path| self.paths.normal(path)).map(|normal| walk(file, &normal));
            let module = walk.as_ref().filter(|walk| walk.end == End::Module).and_then(|walk| walk.found.last());
            let Some((_, module)) = module else { return own != self.place };
            let around = modules::modules_around(arena, item);
            let contains = |outer: Option<Place>, inner: &Option<Place>| {
                let ((root, mut names), (own_root, own)) = outer.zip(inner.as_ref())?;
                names.extend(module.inline.iter().cloned());
                Some(root == *own_root && [&own[..], &around].concat().starts_with(&names))
            };
            let before = contains(modules::module_path(&module.file), &own);
            let after = contains(modules::module_path_after(&module.file, self.moves), &self.place);
            before.zip(after).map_or(own != self.place, |(before, after)| before && !after)
        };
        let found: Vec<Span> =
            restricted.filter(|(_, node)| is_outside(node.parent, node.span)).map(|(_, node)| node.span).collect();
        found
            .into_iter()
            .for_each(|span| self.unresolved(span, "the module of the path does not contain the item now"));
    }

    /// Lists `pub(super)` in a file whose module has another parent after the moves.
    fn visibilities(&mut self) {
        let arena = self.document.arena();
        let before = base(self.document.path(), Some(1)).and_then(|parent| self.after(&parent));
        let after = self.place.clone().map(|(root, mut names)| {
            names.pop();
            (root, names)
        });
        if before.is_none() || before == after {
            return;
        }
        let visibilities = arena.nodes().filter(|(_, node)| node.kind == K::VISIBILITY.into());
        let is_super = |node: &Node| {
            let code = node.span.slice(&arena.text);
            code.contains("super") && !is_restricted(code) && modules::modules_around(arena, node.parent).is_empty()
        };
        let found: Vec<Span> = visibilities.filter(|(_, node)| is_super(node)).map(|(_, node)| node.span).collect();
        found.into_iter().for_each(|span| self.unresolved(span, "the module has another parent now"));
    }
}

/// The module from which a path starts after the moves, for a document at `place`. `None` if the path has more `super`
/// than the document has parents there.
fn base_after((root, mut names): (String, Vec<String>), normal: &Normal) -> Option<(String, Vec<String>)> {
    let count = normal.up.map_or(Some(0), |up| names.len().checked_sub(up))?;
    names.truncate(count);
    Some((root, names))
}

/// Returns whether a visibility is `pub(in path)` with more than a keyword.
fn is_restricted(code: &str) -> bool {
    let inner = code.split_once('(').map_or("", |(_, inner)| inner.trim_start());
    let path = inner.strip_prefix("in").filter(|rest| rest.starts_with(char::is_whitespace));
    path.is_some_and(|path| !is_start(path.trim_end_matches(')').trim()))
}

/// The leading segments of a path that correspond to its first `count` names.
fn kept_segments(path: &Path, normal: &Normal, count: usize) -> impl Iterator<Item = String> {
    let kept = (normal.consumed + count).saturating_sub(normal.implied);
    path.segments[..kept.min(path.segments.len())].iter().map(|segment| segment.name.clone())
}

fn is_start(name: &str) -> bool {
    matches!(name, "crate" | "self" | "super")
}
