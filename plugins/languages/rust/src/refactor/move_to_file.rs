//! Moves an item to another module of the crate, with its implementations in the file and the imports that it needs.
//!
//! The file with the item asks the destination to insert it, and all files that use the item to change their paths.

mod needs;
mod users;

use marquetry_code::{
    Arena, CodeDocument, NodeIndex,
    blocks::{Statements, attached_comment},
    regions,
};
use marquetry_sdk::{
    Edit, Failure, FailureKind, Result, Rewrite, Span, fail,
    paths::{folder, join},
    refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure},
    span::apply as applied,
};

use self::needs::Needs;
use crate::{
    kinds::{F, K, child, has_kind, is_type},
    memo,
    modules::{Module, conditions_of, is_file, module_path, plain, top_block},
    names::{BindingIndex, FILE_SCOPE},
    privacy,
    symbols::Symbol,
    table::RUST,
    trees,
};

pub(super) use users::{INSERTION, USERS, answer_insertion, answer_user};

pub(super) const MOVE_TO_FILE: Refactoring<CodeDocument> = Refactoring {
    id: "move_to_file",
    title: "Move to another file",
    place: Place::Selection,
    arguments: &[Argument {
        name: "destination",
        summary: "the path of another module's file, from the root of the project; `./` starts at this file's folder",
        values: &[],
        required: true,
    }],
    asks_exporters: false,
    apply: |document, input| memo::call(|| apply(document, input)),
};

/// Items that can move.
const ITEMS: [K; 8] = [K::FN, K::STRUCT, K::ENUM, K::UNION, K::TRAIT, K::TYPE_ALIAS, K::CONST, K::STATIC];

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// An item that moves to another module.
struct Moving<'d> {
    document: &'d CodeDocument,
    own: Symbol<'d>,
    name: String,
    binding: BindingIndex,
    /// The item and its implementations.
    nodes: Vec<NodeIndex>,
    /// The modules before and after the move, as names from the root of the crate.
    from: Vec<String>,
    to: Vec<String>,
    /// The path of the destination.
    file: String,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let moving = Moving::new(document, input)?;
    let needs = Needs::new(&moving)?;
    let mut rewrite =
        Rewrite { edits: moving.edits(&needs)?, incomplete: needs.incomplete.clone(), ..Rewrite::default() };
    rewrite.unresolved = needs.unresolved.clone();
    let imports: Vec<String> = needs.imports.iter().cloned().collect();
    let kind = if moving.is_trait() { "trait" } else { "item" };
    let insertion = [&*moving.name, kind, &imports.join("\n"), &needs.text];
    rewrite.ask_file(moving.file.clone(), format!("{INSERTION}{}", insertion.join("\0")));
    let users = [&*moving.name, document.path(), &moving.file, kind];
    rewrite.ask_importers([moving.name.clone()], format!("{USERS}{}", users.join("\0")));
    Ok(rewrite)
}

impl<'d> Moving<'d> {
    fn new(document: &'d CodeDocument, input: &RefactorInput) -> Result<Moving<'d>> {
        let file = destination_path(document, input.argument("destination").unwrap_or_default())?;
        let (node, name) = item_at(document, input.at.span)?;
        let own = Symbol::new(document);
        let span = document.arena().child(node, F::Name.into()).map(|name| document.arena().node(name).span);
        let binding = span.and_then(|span| own.names.at(span.start)).and_then(|place| own.names.binding_of(place));
        let binding = binding.ok_or_else(|| refused("the item has no name", "give the position of a named item"))?;
        let hint = "choose the file of a module of the same crate that is declared with `mod`";
        let unknown = |path: &str| refused(format!("no `mod` item for `{path}` was found"), hint);
        let (root, from) = module_path(document.path()).ok_or_else(|| unknown(document.path()))?;
        let (other, to) = module_path(&file).ok_or_else(|| unknown(&file))?;
        if root != other {
            return Err(refused(format!("`{file}` belongs to another crate"), hint));
        }
        if conditions_of(document.path()) != conditions_of(&file) {
            return Err(refused("the two modules exist in different configurations", hint));
        }
        let mut nodes = vec![node];
        nodes.extend(implementations(document, &name));
        nodes.sort_unstable();
        let moving = Moving { document, own, name, binding, nodes, from, to, file };
        moving.check_movable(node)?;
        Ok(moving)
    }

    fn arena(&self) -> &'d Arena {
        self.document.arena()
    }

    fn is_trait(&self) -> bool {
        self.nodes.iter().any(|node| has_kind(self.arena(), *node, K::TRAIT))
    }

    /// Returns whether a span is in the code that moves.
    fn moves(&self, span: Span) -> bool {
        self.nodes.iter().any(|node| self.arena().node(*node).span.contains(span))
    }

    /// The module of the file before the move.
    fn module(&self) -> Module {
        Module::of_file(self.document.path())
    }

    /// Refuses items whose meaning depends on their position.
    fn check_movable(&self, node: NodeIndex) -> Result<()> {
        let arena = self.arena();
        let at = arena.node(node).span;
        let is_main = self.name == "main" && has_kind(arena, node, K::FN) && self.from.is_empty();
        let mut attributes = arena.children(node).filter(|inner| has_kind(arena, *inner, K::ATTR));
        if is_main || attributes.any(|attribute| arena.slice(attribute).contains("proc_macro")) {
            return Err(refused(
                format!("`{}` must be in the root of the crate", self.name),
                "move the code that it calls",
            )
            .at(at));
        }
        self.check_configuration(self.binding)?;
        if self.own.names.bound_at(self.binding).count() > 1 {
            let why = format!("the file declares `{}` several times, for different configurations", self.name);
            return Err(refused(why, "move the declarations by hand").at(at));
        }
        let inside = self.nodes.iter().flat_map(|node| arena.descendants(*node));
        let mut visibilities = inside.filter(|inner| has_kind(arena, *inner, K::VISIBILITY));
        let relative = visibilities.find(|inner| {
            let text = arena.slice(*inner);
            text.contains('(') && !text.contains("(crate)")
        });
        if let Some(relative) = relative {
            let why = format!("`{}` has another meaning in another module", arena.slice(relative));
            return Err(refused(why, "write `pub(crate)` first").at(arena.node(relative).span));
        }
        Ok(())
    }

    /// Refuses an item that exists only in some configurations, because an import of it would need the same condition.
    fn check_configuration(&self, binding: BindingIndex) -> Result<()> {
        let arena = self.arena();
        let declared = self.own.names.bound_at(binding).map(|place| arena.innermost(place.span));
        let items = declared.filter_map(|node| {
            arena.ancestors(node).find(|above| has_kind(arena, arena.node(*above).parent, K::ITEM_LIST))
        });
        for item in items {
            let mut attributes = arena.children(item).filter(|inner| has_kind(arena, *inner, K::ATTR));
            if let Some(attribute) = attributes.find(|attribute| arena.slice(*attribute).starts_with("#[cfg")) {
                let why = format!("`{}` exists only in some configurations", self.own.names.bindings[binding].name);
                return Err(refused(why, "move it and its imports by hand").at(arena.node(attribute).span));
            }
        }
        Ok(())
    }

    /// Refuses a move after which the module of the file `user` needs a module that it cannot see.
    fn check_reachable(&self, file: &str, user: &str) -> Result<()> {
        let Some(place) = module_path(user) else { return Ok(()) };
        let reason = if file == user { None } else { privacy::check_new_place(file, &place, &[]) };
        match reason {
            None => Ok(()),
            Some(reason) => {
                Err(refused(format!("{reason}, and code of `{user}` would use it"), "make the module visible first"))
            }
        }
    }

    /// The edits of this file.
    fn edits(&self, needs: &Needs) -> Result<Vec<Edit>> {
        let (document, arena) = (self.document, self.arena());
        let block = top_block(document).unwrap_or(0);
        let statements = Statements::new(document, block);
        let positions: Vec<usize> = self.nodes.iter().filter_map(|node| statements.position(*node)).collect();
        let mut edits = statements.delete(&positions)?;
        edits.extend(trees::remove(document, needs.unused.clone())?);
        edits.extend(needs.widened.iter().cloned());
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        // The item may directly follow an import that is removed, too: both edits remove the lines between the two.
        edits.dedup_by(|next, known| {
            let overlap = next.text.is_empty() && known.text.is_empty() && next.span.start <= known.span.end;
            if overlap {
                known.span.end = known.span.end.max(next.span.end);
            }
            overlap
        });
        if !needs.is_used_here {
            return Ok(edits);
        }
        let without = applied(&arena.text, &edits);
        let import = format!("use {}::{};", crate_path(&self.to), self.name);
        let after = with_imports(document.path(), &without, &[import])?;
        Ok(vec![difference(&arena.text, &after)])
    }

    /// The code that moves: the items with their comments.
    fn pieces(&self) -> Vec<Span> {
        let arena = self.arena();
        let piece = |node: &NodeIndex| {
            let own = arena.node(*node).span;
            let start = attached_comment(self.document, own.range().start).map_or(own.start, |doc| doc.start);
            Span { start, end: self.document.end_of_line_tail(own.range().end) as u32 }
        };
        self.nodes.iter().map(piece).collect()
    }
}

/// The path of a module from the root of the crate.
fn crate_path(names: &[String]) -> String {
    std::iter::once("crate").chain(names.iter().map(String::as_str)).collect::<Vec<_>>().join("::")
}

/// The text of a file with more imports, each in its group.
fn with_imports(path: &str, text: &str, imports: &[String]) -> Result<String> {
    let mut text = text.to_owned();
    for import in imports {
        let document = CodeDocument::open(&RUST, path, text.clone());
        let region = regions::imports(&document);
        let content = marquetry_code::layout::Content::new(&RUST, path, import, marquetry_code::ParseContext::Items);
        let edits = region.insert(&document, region.sorted_index(&document, import), &content)?;
        text = applied(&text, &edits);
    }
    Ok(text)
}

/// An edit that changes the text `before` into `after` by replacing whole lines.
fn difference(before: &str, after: &str) -> Edit {
    let same = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    let start = before[..before.floor_char_boundary(same)].rfind('\n').map_or(0, |at| at + 1);
    let ends = before[start..].bytes().rev().zip(after[start..].bytes().rev());
    let same = ends.take_while(|(one, other)| one == other).count();
    let tail = &before[before.ceil_char_boundary(before.len() - same)..];
    let tail = tail.find('\n').map_or("", |at| &tail[at..]);
    Edit::new(Span::new(start, before.len() - tail.len()), &after[start..after.len() - tail.len()])
}

fn destination_path(document: &CodeDocument, destination: &str) -> Result<String> {
    let own = folder(document.path());
    let is_relative = destination.starts_with("./") || destination.starts_with("../");
    let path = join(if is_relative { own } else { "" }, destination);
    let invalid = |message: String, hint: &str| Err(fail(FailureKind::InvalidArgument, message).hint(hint));
    match path {
        Some(path) if !path.ends_with(".rs") => {
            invalid(format!("`{destination}` is not a Rust file"), "its name ends with `.rs`")
        }
        Some(path) if path == document.path() => invalid("the item is in this file".to_owned(), "name another file"),
        Some(path) if !is_file(&path) => {
            invalid(format!("`{destination}` does not exist"), "create the file and declare it with `mod` first")
        }
        Some(path) => Ok(path),
        None => invalid(format!("`{destination}` is outside of the project"), "name a file of the project"),
    }
}

/// The item at a position, directly in the module of the file, and its name.
fn item_at(document: &CodeDocument, selected: Span) -> Result<(NodeIndex, String)> {
    let arena = document.arena();
    let block = top_block(document);
    let at = arena.innermost(selected.trimmed(&arena.text));
    let item = arena.ancestors(at).find(|node| Some(arena.node(*node).parent) == block);
    let item = item.filter(|node| ITEMS.iter().any(|kind| has_kind(arena, *node, *kind)));
    let named = item.and_then(|node| Some((node, plain(arena.slice(arena.child(node, F::Name.into())?)).to_owned())));
    named.ok_or_else(|| {
        let hint = "give the position of a function, type, trait, constant or static of the file's module; the \
                    implementations of a type move with it, and `file_move` moves modules";
        refused("the position is not in an item that can move", hint).at(selected)
    })
}

/// The implementations of a type in its module.
fn implementations(document: &CodeDocument, name: &str) -> Vec<NodeIndex> {
    let arena = document.arena();
    let is_for_type = |node: &NodeIndex| {
        let types = arena.children(*node).filter(|inner| is_type(RUST.kind_name(arena.node(*inner).kind)));
        let own = types.last().map_or("", |own| arena.slice(own));
        has_kind(arena, *node, K::IMPL) && plain(own.split('<').next().unwrap_or_default().trim()) == name
    };
    let items = top_block(document).into_iter().flat_map(|block| arena.children(block));
    items.filter(is_for_type).collect()
}

/// The position before the keyword of an item or member, where a visibility is written.
fn keyword_start(arena: &Arena, node: NodeIndex) -> u32 {
    let own = arena.node(node).span;
    let attributes = arena.children(node).filter(|inner| has_kind(arena, *inner, K::ATTR));
    let Some(last) = attributes.last() else { return own.start };
    let mut after = arena.tokens_in(own).iter().filter(|token| token.span.start >= arena.node(last).span.end);
    after.find(|token| token.kind != marquetry_code::TokenKind::Comment).map_or(own.start, |token| token.span.start)
}

/// The visibility that a private item of the module `owner` needs for code in the module `user`.
fn needed_visibility(owner: &[String], user: &[String]) -> &'static str {
    match owner.split_last() {
        _ if user.starts_with(owner) => "",
        Some((_, outer)) if user.starts_with(outer) => "pub(super) ",
        _ => "pub(crate) ",
    }
}

/// The private fields of structs, and the private members of inherent implementations, that are directly in these
/// items: each with its name.
fn private_members(arena: &Arena, items: &[NodeIndex]) -> Vec<(NodeIndex, String)> {
    let mut found = Vec::new();
    for item in items {
        let is = |kind: K| has_kind(arena, *item, kind);
        let types = arena.children(*item).filter(|inner| is_type(RUST.kind_name(arena.node(*inner).kind))).count();
        let list = match () {
            () if is(K::STRUCT) || is(K::UNION) => child(arena, *item, K::RECORD_FIELD_LIST),
            () if is(K::IMPL) && types == 1 => child(arena, *item, K::ASSOC_ITEM_LIST),
            () => None,
        };
        let members = list.into_iter().flat_map(|list| arena.children(list));
        let private = members.filter(|member| child(arena, *member, K::VISIBILITY).is_none());
        let named =
            |member: NodeIndex| Some((member, plain(arena.slice(arena.child(member, F::Name.into())?)).to_owned()));
        found.extend(private.filter_map(named));
        let tuple = child(arena, *item, K::TUPLE_FIELD_LIST).filter(|_| is(K::STRUCT)).into_iter();
        let fields = tuple.flat_map(|list| arena.children(list)).enumerate();
        let private = fields.filter(|(_, field)| child(arena, *field, K::VISIBILITY).is_none());
        found.extend(private.map(|(index, field)| (field, index.to_string())));
    }
    found
}

/// The scope of the module of the file.
const TOP: usize = FILE_SCOPE;
