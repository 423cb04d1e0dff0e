//! Methods that must keep the same name: methods of types, and of the interfaces that the types implement.
//!
//! Go types implement interfaces implicitly. Therefore all types and interfaces of the workspace with a method of that
//! name are compared: their method sets, and the signatures of the methods.

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use marquetry_code::NodeIndex;
use marquetry_sdk::{
    FileLocation, Span,
    paths::folder,
    workspace::{self, EntryKind},
};

use crate::{
    implementations::{is_implementation, may_implement_standard},
    imports::imports,
    kinds::{F, K, child, children, has_kind, with_role},
    memo,
    names::{BindingKind, is_universal},
    packages::{Found, Member, MemberKind, below, local_name, outline_of, resolve},
    table::{receiver_type, type_name},
    types::{File, Lookup, Resolver, Type, file_of},
};

/// Maximum number of files that are searched in a workspace.
pub(crate) const MAX_FILES: usize = 6000;
/// Maximum number of types that are compared.
const MAX_OWNERS: usize = 200;
/// Maximum number of methods of an interface.
const MAX_METHODS: usize = 100;

/// The declarations of methods that must change together, as path and offset.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    pub(crate) certain: BTreeSet<(String, u32)>,
    /// Declarations that may have to change, too: the method set of a type is unknown, or the signatures may differ.
    pub(crate) possible: BTreeSet<(String, u32)>,
}

/// A type that has a method, and the position of the method's declaration. An embedded type may declare the method.
#[derive(Debug, Clone)]
struct Owner {
    own: Type,
    declared: (String, u32),
    is_interface: bool,
}

/// The methods that must change together with the declarations in `start`.
pub(super) fn group(name: &str, start: &[FileLocation]) -> Group {
    let start: BTreeSet<(String, u32)> = start.iter().map(|known| (known.path.clone(), known.offset)).collect();
    memo::once(|memo| &mut memo.groups, &(name.to_owned(), start.clone()), || find_group(name, start))
}

fn find_group(name: &str, start: BTreeSet<(String, u32)>) -> Group {
    let is_method = |(path, offset): &(String, u32)| {
        let outline = outline_of(path);
        let own = outline.members.iter().find(|member| member.offset == *offset);
        own.is_some_and(|own| matches!(own.kind, MemberKind::Method | MemberKind::Abstract))
    };
    let mut group = Group { certain: start, possible: BTreeSet::new() };
    if !group.certain.iter().any(is_method) {
        return group;
    }
    let all_files = files_with(name);
    let owners = owners(name, &all_files);
    if owners.len() > MAX_OWNERS || all_files.len() >= MAX_FILES {
        group.possible = owners.into_iter().map(|owner| owner.declared).collect();
        return group;
    }
    let mut pairs = Vec::new();
    for interface in owners.iter().filter(|owner| owner.is_interface) {
        for other in owners.iter().filter(|other| other.declared != interface.declared) {
            match declared(&other.own, &interface.own).or_else(|| implements(&other.own, &interface.own)) {
                Some(false) => {}
                known => pairs.push((&interface.declared, &other.declared, known.is_some())),
            }
        }
    }
    loop {
        let count = group.certain.len();
        for (one, other, _) in pairs.iter().filter(|(.., is_certain)| *is_certain) {
            if group.certain.contains(*one) || group.certain.contains(*other) {
                group.certain.extend([(*one).clone(), (*other).clone()]);
            }
        }
        if group.certain.len() == count {
            break;
        }
    }
    for (one, other, _) in pairs {
        if group.certain.contains(one) != group.certain.contains(other) {
            group.possible.extend([one.clone(), other.clone()]);
        }
    }
    group.possible.retain(|place| !group.certain.contains(place));
    group
}

thread_local! {
    static FILES: RefCell<Option<(u64, Rc<Vec<String>>)>> = RefCell::default();
}

/// The Go files of the workspace.
pub(crate) fn all_files() -> Rc<Vec<String>> {
    let version = workspace::layout_version();
    let known =
        FILES.with_borrow(|known| known.as_ref().filter(|(own, _)| *own == version).map(|(_, all)| Rc::clone(all)));
    known.unwrap_or_else(|| {
        let mut found = Vec::new();
        add_files("", &mut found);
        let found = Rc::new(found);
        FILES.set(Some((version, Rc::clone(&found))));
        found
    })
}

fn add_files(own: &str, found: &mut Vec<String>) {
    for entry in workspace::entries(own) {
        if found.len() >= MAX_FILES {
            return;
        }
        let path = below(own, &entry.name);
        match entry.kind {
            EntryKind::File if path.ends_with(".go") => found.push(path),
            EntryKind::Directory if !entry.name.starts_with('.') && entry.name != "node_modules" => {
                add_files(&path, found);
            }
            EntryKind::File | EntryKind::Directory => {}
        }
    }
}

/// The Go files of the workspace that contain a word.
pub(crate) fn files_with(word: &str) -> Vec<String> {
    let has_word = |path: &&String| workspace::read(path).is_ok_and(|text| text.contains(word));
    memo::once(|memo| &mut memo.files_with, &word.to_owned(), || all_files().iter().filter(has_word).cloned().collect())
}

/// The types and interfaces that have a method, which they declare or get from an embedded type.
fn owners(name: &str, files: &[String]) -> Vec<Owner> {
    let mut found: Vec<Owner> = Vec::new();
    for path in files {
        let outline = outline_of(path);
        let is_it = |own: &&Member| own.name == name && matches!(own.kind, MemberKind::Method | MemberKind::Abstract);
        let members = outline.members.iter().filter(is_it);
        let Some(file) = members.clone().next().and_then(|_| file_of(path)) else { continue };
        for member in members {
            let Some(own) = owner_of(&file, member.offset, name) else { continue };
            let is_interface = member.kind == MemberKind::Abstract;
            found.push(Owner { own, declared: (path.clone(), member.offset), is_interface });
        }
    }
    let mut at = 0;
    while let Some(owner) = found.get(at).cloned().filter(|_| found.len() <= MAX_OWNERS) {
        at += 1;
        for own in embedding(&owner.own) {
            let Lookup::Found(file, node) = Resolver::default().member(&own, name) else { continue };
            let declared = (file.document.path().to_owned(), file.arena().node(node).span.start);
            let is_interface = is_interface(&own);
            if !found.iter().any(|known| is_same(&known.own, &own)) {
                found.push(Owner { own, declared, is_interface });
            }
        }
    }
    found
}

/// Returns whether an interface of the standard library may require the method that a file declares at an offset.
pub(super) fn may_be_required(file: &Rc<File>, offset: u32, name: &str) -> bool {
    match owner_of(file, offset, name) {
        Some(Type::Written(file, node)) if !is_interface(&Type::Written(Rc::clone(&file), node)) => {
            may_implement_standard(&file, node, name)
        }
        _ => true,
    }
}

/// The type that declares a method at an offset.
fn owner_of(file: &Rc<File>, offset: u32, name: &str) -> Option<Type> {
    let arena = file.arena();
    let node = arena.innermost(Span { start: offset, end: offset + name.len() as u32 });
    let member = arena.node(node).parent;
    if has_kind(arena, member, K::Method) {
        return Resolver::default().written(file, receiver_type(arena, member)?);
    }
    Some(Type::Written(Rc::clone(file), arena.node(arena.node(member).parent).parent))
}

fn is_same(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Written(a, x), Type::Written(b, y)) => a.document.path() == b.document.path() && x == y,
        _ => false,
    }
}

fn is_interface(own: &Type) -> bool {
    let Some(Type::Written(file, node)) = Resolver::default().underlying(own) else { return false };
    has_kind(file.arena(), node, K::Elems) || child(file.arena(), node, K::Elems).is_some()
}

/// The named types that embed a type.
fn embedding(own: &Type) -> Vec<Type> {
    let Type::Written(file, node) = own else { return Vec::new() };
    let arena = file.arena();
    let Some(name) = arena.child(*node, F::Name.into()).filter(|_| has_kind(arena, *node, K::Type)) else {
        return Vec::new();
    };
    let name = arena.slice(name);
    let mut found = Vec::new();
    for path in files_with(name) {
        let Some(other) = file_of(&path) else { continue };
        let arena = other.arena();
        let types = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::Type));
        for declared in types {
            let embeds = embedded(&other, declared).into_iter().any(|inner| {
                type_name(arena, inner).is_some_and(|inner| arena.slice(inner) == name)
                    && Resolver::default().written(&other, inner).is_some_and(|inner| is_same(&inner, own))
            });
            if embeds {
                found.push(Type::Written(Rc::clone(&other), declared));
            }
        }
    }
    found
}

/// The nodes of the types that a type declaration embeds.
fn embedded(file: &File, declared: NodeIndex) -> Vec<NodeIndex> {
    let arena = file.arena();
    let list = child(arena, declared, K::Fields).or_else(|| child(arena, declared, K::Elems));
    let Some(list) = list else { return Vec::new() };
    let items = arena.children(list).filter(|item| with_role(arena, *item, F::Name).next().is_none());
    items.filter_map(|item| arena.child(item, F::Type.into())).collect()
}

/// Returns whether a declared type implements a declared interface, also one that embeds interfaces of the standard
/// library. `None` if that is not known.
fn declared(own: &Type, interface: &Type) -> Option<bool> {
    let (Type::Written(file, node), Type::Written(other, interface)) = (own, interface) else { return None };
    // A type of a function is not found by its name.
    let is_inner = |file: &File, node: NodeIndex| {
        let functions = [K::Func, K::Method, K::FuncLit];
        let mut around = file.arena().ancestors(node);
        around.any(|above| functions.iter().any(|kind| has_kind(file.arena(), above, *kind)))
    };
    let is_declared = has_kind(file.arena(), *node, K::Type) && has_kind(other.arena(), *interface, K::Type);
    let is_declared = is_declared && !is_inner(file, *node) && !is_inner(other, *interface);
    if is_declared { is_implementation((file, *node), (other, *interface)) } else { None }
}

/// Returns whether a type implements an interface. `None` if the method sets are not completely known.
fn implements(own: &Type, interface: &Type) -> Option<bool> {
    let mut required = Vec::new();
    let mut is_known = add_methods(interface, &mut required, 0);
    for (file, node) in &required {
        match Resolver::default().member(own, file.arena().slice(*node)) {
            Lookup::Found(found, method) => match same_signature((file, *node), (&found, method)) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_known = false,
            },
            Lookup::Absent if !embeds_foreign(own, 0) => return Some(false),
            Lookup::Absent | Lookup::Unknown => is_known = false,
        }
    }
    is_known.then_some(true)
}

/// Adds the methods that an interface requires. Returns false if some of them are unknown.
fn add_methods(own: &Type, methods: &mut Vec<(Rc<File>, NodeIndex)>, depth: usize) -> bool {
    let Some(Type::Written(file, node)) = Resolver::default().underlying(own) else { return false };
    let arena = file.arena();
    let list = if has_kind(arena, node, K::Elems) { Some(node) } else { child(arena, node, K::Elems) };
    let Some(list) = list.filter(|_| depth < 10 && methods.len() < MAX_METHODS) else { return false };
    let mut is_known = true;
    for item in arena.children(list) {
        if has_kind(arena, item, K::ElemMethod) {
            methods.extend(arena.child(item, F::Name.into()).map(|name| (Rc::clone(&file), name)));
            continue;
        }
        let inner = arena.child(item, F::Type.into()).filter(|inner| arena.slice(*inner) != "any");
        let is_basic = inner.is_some_and(|inner| is_constraint(&file, inner));
        if let Some(inner) = inner.filter(|_| !is_basic) {
            let inner = Resolver::default().written(&file, inner);
            is_known &= inner.is_some_and(|inner| add_methods(&inner, methods, depth + 1));
        }
    }
    is_known
}

/// Returns whether an interface element is a type constraint, which requires no method.
fn is_constraint(file: &File, inner: NodeIndex) -> bool {
    let text = file.arena().slice(inner);
    text.contains(['|', '~']) || is_universal(text) && text != "error"
}

/// Returns whether a type embeds a type from outside of the workspace, which may have any method.
fn embeds_foreign(own: &Type, depth: usize) -> bool {
    let Some(Type::Written(file, node)) = Resolver::default().underlying(own) else { return true };
    let arena = file.arena();
    let is_list = has_kind(arena, node, K::Fields) || has_kind(arena, node, K::Elems);
    let declared = if is_list { arena.node(node).parent } else { node };
    let mut inner = embedded(&file, declared).into_iter().filter(|inner| !is_constraint(&file, *inner));
    inner.any(|inner| match Resolver::default().written(&file, inner) {
        Some(inner @ Type::Written(..)) => depth > 10 || embeds_foreign(&inner, depth + 1),
        Some(Type::Foreign) | None => true,
    })
}

/// Returns whether a type from outside of the workspace may implement the interface that has a method: all methods of
/// the interface are exported, and none of their signatures contains a type of the workspace.
pub(super) fn may_be_implemented_elsewhere(file: &Rc<File>, method: NodeIndex) -> bool {
    let arena = file.arena();
    let around = arena.node(arena.node(method).parent).parent;
    let mut required = Vec::new();
    add_methods(&Type::Written(Rc::clone(file), around), &mut required, 0);
    !required.iter().any(|(file, name)| {
        !super::is_exported(file.arena().slice(*name)) || has_own_type(file, file.arena().node(*name).parent)
    })
}

/// Returns whether a signature contains a type that the workspace declares.
fn has_own_type(file: &Rc<File>, method: NodeIndex) -> bool {
    let arena = file.arena();
    let mut types = arena.descendants(method).filter(|node| {
        let parent = arena.node(*node).parent;
        let is_package = has_kind(arena, parent, K::Selector) && !has_kind(arena, *node, K::Selector);
        has_kind(arena, *node, K::Selector) || has_kind(arena, *node, K::NameRef) && !is_package
    });
    types.any(|node| matches!(Resolver::default().written(file, node), Some(Type::Written(..))))
}

/// Returns whether two methods have the same parameters and results. `None` if their types are written differently but
/// may be the same.
fn same_signature(one: (&Rc<File>, NodeIndex), other: (&Rc<File>, NodeIndex)) -> Option<bool> {
    let (Some(first), Some(second)) = (signature(one.0, one.1), signature(other.0, other.1)) else {
        return Some(false);
    };
    if first.iter().map(Vec::len).ne(second.iter().map(Vec::len)) {
        return Some(false);
    }
    let mut is_known = true;
    for (one, other) in first.iter().flatten().zip(second.iter().flatten()) {
        if one == other || one == "?" || other == "?" {
            continue;
        }
        if is_universal(one) && is_universal(other) && !is_alias(one) && !is_alias(other) {
            return Some(false);
        }
        is_known = false;
    }
    is_known.then_some(true)
}

/// Returns whether a predeclared type name is an alias of another one.
fn is_alias(name: &str) -> bool {
    matches!(name, "any" | "byte" | "uint8" | "rune" | "int32")
}

/// The types of a method's parameters and results, each as text with the folders of its packages. A type parameter
/// becomes `?`. `None` for a field.
fn signature(file: &File, name: NodeIndex) -> Option<[Vec<String>; 2]> {
    let arena = file.arena();
    let method = arena.node(name).parent;
    if !has_kind(arena, method, K::Method) && !has_kind(arena, method, K::ElemMethod) {
        return None;
    }
    let listed = |list: NodeIndex| {
        let params: Vec<NodeIndex> = children(arena, list, K::Param).collect();
        let types = params.into_iter().flat_map(|param| {
            let count = with_role(arena, param, F::Name).count().max(1);
            let own = arena.child(param, F::Type.into());
            std::iter::repeat_n(own.map_or_else(String::new, |own| type_text(file, own)), count)
        });
        types.collect::<Vec<String>>()
    };
    let params = child(arena, method, K::Params).map_or_else(Vec::new, listed);
    let results = match arena.child(method, F::Result.into()) {
        Some(list) if has_kind(arena, list, K::Results) => listed(list),
        Some(only) => vec![type_text(file, only)],
        None => Vec::new(),
    };
    Some([params, results])
}

/// The text of a type without spaces. Each qualifier is replaced with the folder or import path of its package.
fn type_text(file: &File, node: NodeIndex) -> String {
    let arena = file.arena();
    let parts = || std::iter::once(node).chain(arena.descendants(node));
    let is_parameter = |name: &NodeIndex| {
        let own = file.names.local(arena.slice(*name), arena.node(*name).span.start);
        has_kind(arena, *name, K::NameRef) && own.is_some_and(|own| own.kind == BindingKind::TypeParameter)
    };
    if parts().any(|part| is_parameter(&part)) {
        return "?".to_owned();
    }
    let own = arena.node(node).span;
    let mut text = own.slice(&arena.text).to_owned();
    let names: Vec<NodeIndex> = parts().filter(|part| has_kind(arena, *part, K::NameRef)).collect();
    for name in names.into_iter().rev() {
        let span = arena.node(name).span;
        let (from, to) = ((span.start - own.start) as usize, (span.end - own.start) as usize);
        let is_package = has_kind(arena, arena.node(name).parent, K::Selector);
        if is_package {
            text.replace_range(from..to, &package_path(file, arena.slice(name)));
        } else if !is_universal(arena.slice(name)) {
            text.insert_str(from, &format!("{}.", folder(file.document.path())));
        }
    }
    text.retain(|c| !c.is_whitespace());
    text.replace("interface{}", "any")
}

/// The folder of a package that a file imports, or the import path if the package is not in the workspace.
fn package_path(file: &File, local: &str) -> String {
    let own = file.document.path();
    let import = imports(&file.document).into_iter().find(|import| local_name(own, import) == local);
    let Some(import) = import else { return local.to_owned() };
    match resolve(own, &import.path) {
        Found::Folder(folder) => folder,
        Found::Possible(_) | Found::Missing(_) | Found::Elsewhere => import.path,
    }
}
