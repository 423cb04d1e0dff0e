//! Finds the file that declares an imported member. Re-exports are followed.

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use marquetry_sdk::{Destination, workspace};

use super::{Load, LoadKind, Member, MemberKind, Members, loads};
use crate::{chars::Dialect, links::resolve::resolve_link, tree::Tree};

/// Maximum number of files that are read to find one declaration.
const MAX_FILES: usize = 256;

/// A declaration in a file of the workspace.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) offset: u32,
    /// The member with the name in its declaration, without prefixes of `@forward`.
    pub(crate) member: Member,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OriginLookup {
    Found(Origin),
    /// The files that are loaded, directly or indirectly, do not declare the member.
    NotFound,
    /// The member was not found, but one of the loads, with this specifier, does not resolve to a file in the
    /// workspace.
    Outside(String),
}

/// Finds the declaration of a member that the file `from` loads with the statement `load`.
pub(crate) fn find_origin(from: &str, load: &Load, member: &Member) -> OriginLookup {
    let mut seeker = OriginFinder { seen: HashSet::new(), outside: None };
    match seeker.find_in_load(from, load, member) {
        Some(origin) => OriginLookup::Found(origin),
        None => seeker.outside.map_or(OriginLookup::NotFound, OriginLookup::Outside),
    }
}

struct OriginFinder {
    seen: HashSet<(String, Member)>,
    outside: Option<String>,
}

impl OriginFinder {
    fn find_in_load(&mut self, from: &str, load: &Load, member: &Member) -> Option<Origin> {
        if member.is_private() && load.kind != LoadKind::Import {
            return None;
        }
        let mut open = vec![(from.to_owned(), load.clone(), member.clone())];
        while let Some((from, load, member)) = open.pop() {
            let request = loads::resolution_request(&load);
            let path = match resolve_link(&from, &request) {
                Destination::Inside(target) => target.path,
                // The built-in modules of Sass are not files.
                _ if load.specifier.starts_with("sass:") => continue,
                _ => {
                    self.outside.get_or_insert(load.specifier);
                    continue;
                }
            };
            if self.seen.len() == MAX_FILES || !self.seen.insert((path.clone(), member.clone())) {
                continue;
            }
            let Some(members) = members_of_file(&path) else { continue };
            if let Some(own) = members.find_declaration(&member) {
                return Some(Origin { path, offset: own.span.start, member });
            }
            for next in &members.loads {
                if let Some(name) = loaded_member(next, &member) {
                    open.push((path.clone(), next.clone(), name));
                }
            }
        }
        None
    }
}

/// Returns the member in the loaded file that has this name after loading. `None` if the statement does not re-export
/// it.
fn loaded_member(load: &Load, member: &Member) -> Option<Member> {
    match &load.kind {
        LoadKind::Import => Some(member.clone()),
        LoadKind::Forward(forward) => {
            let is_variable = member.kind == MemberKind::Variable;
            let callee = member.name.split('(').next().unwrap_or_default();
            let own = member.name.strip_prefix(forward.prefix.as_str())?;
            let passes = forward.re_exports(callee, is_variable) && !own.is_empty() && !own.starts_with('-');
            passes.then(|| Member::new(member.kind, own))
        }
        LoadKind::Use(_) => None,
    }
}

/// Returns the members of a file.
fn members_of_file(path: &str) -> Option<Rc<Members>> {
    thread_local! {
        /// Members of recently read files, with path and version. They are cached because many files import the same
        /// file.
        static KNOWN: RefCell<Vec<(String, u64, Rc<Members>)>> = const { RefCell::new(Vec::new()) };
    }
    /// Capacity of the cache.
    const CACHE_CAPACITY: usize = 16;
    let version = workspace::version(path)?;
    let known = KNOWN.with_borrow(|known| {
        known.iter().find(|(of, at, _)| of == path && *at == version).map(|(_, _, members)| Rc::clone(members))
    });
    if known.is_some() {
        return known;
    }
    let text = workspace::read(path).ok()?;
    let members = Rc::new(Members::from_tree(&Tree::new(text, Dialect::of_path(path))));
    KNOWN.with_borrow_mut(|known| {
        known.retain(|(of, _, _)| of != path);
        known.truncate(CACHE_CAPACITY - 1);
        known.insert(0, (path.to_owned(), version, Rc::clone(&members)));
    });
    Some(members)
}
