//! Finds the uses of a module (of its variables, mixins, functions and placeholders) before the link to it is removed.

use std::collections::{BTreeMap, HashSet};

use marquetry_sdk::{Destination, Request, workspace};

use super::{
    find::{self, FoundLink},
    resolve,
};
use crate::{
    chars::{Dialect, is_name},
    keys, modules,
    scanner::TokenKind,
    tree::{Item, Kind, NONE, Tree},
};

/// Maximum number of files read for the members of one module, including those that it forwards or imports.
const MAX_FILES: usize = 64;

/// A use of a member.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MemberUse {
    pub(super) name: String,
    pub(super) offset: usize,
}

/// Returns the uses of the members that a link loads, in document order.
pub(super) fn find_member_uses(tree: &Tree, path: &str, found: &FoundLink) -> Vec<MemberUse> {
    let item = tree.item(found.item);
    let (namespace, members) = match (found.kind, tree.dialect) {
        ("use", Dialect::Scss) => match modules::parse_use(tree, item) {
            Some((namespace, _)) => (Some(namespace), ModuleMembers::default()),
            None => (None, ModuleMembers::loaded_by_link(path, found)),
        },
        ("import", Dialect::Scss | Dialect::Less) => (None, ModuleMembers::loaded_by_link(path, found)),
        _ => return Vec::new(),
    };
    let mut finder = UseFinder { tree, namespace, members: members.without_own_names(tree), found: BTreeMap::new() };
    finder.find_in_statements();
    finder.find_in_values();
    finder.found.into_iter().map(|(offset, name)| MemberUse { name, offset }).collect()
}

/// Names that a file defines for the files that import it. A sigil shows the kind of each name: `$a`, `@a`, `.a`, `%a`
/// or `a(`.
#[derive(Debug, Default)]
struct ModuleMembers(HashSet<String>);

impl ModuleMembers {
    /// Returns the members of the file that a link resolves to, and of the files that this file forwards or imports.
    fn loaded_by_link(from: &str, found: &FoundLink) -> ModuleMembers {
        let mut members = ModuleMembers::default();
        let request = Request { kind: found.kind.to_owned(), specifier: found.specifier.clone() };
        let mut open = vec![(from.to_owned(), request)];
        let mut seen = HashSet::new();
        while let Some((from, request)) = open.pop() {
            let Destination::Inside(target) = resolve::resolve_link(&from, &request) else { continue };
            if seen.len() == MAX_FILES || !seen.insert(target.path.clone()) {
                continue;
            }
            let Ok(text) = workspace::read(&target.path) else { continue };
            let tree = Tree::new(text, Dialect::of_path(&target.path));
            members.0.extend(tree.children(NONE).filter_map(|index| defined_member(&tree, tree.item(index))));
            let loads = find::find_links(&tree).into_iter().filter(|link| matches!(link.kind, "forward" | "import"));
            let next = loads.map(|link| Request { kind: link.kind.to_owned(), specifier: link.specifier });
            open.extend(next.map(|request| (target.path.clone(), request)));
        }
        members
    }

    /// Removes the members that the stylesheet itself defines.
    fn without_own_names(mut self, tree: &Tree) -> ModuleMembers {
        for item in &tree.items {
            if let Some(own) = defined_member(tree, item).filter(|_| item.parent == NONE || item.kind == Kind::Variable)
            {
                self.0.remove(&own);
            }
            if matches!(item.kind, Kind::Mixin | Kind::Function) {
                // Remove the names that are parameters of the mixin or function.
                let head = tree.head(item);
                let names = head.match_indices(['$', '@']).map(|(at, _)| &head[at..]);
                for name in names {
                    let length = 1 + name[1..].bytes().take_while(|byte| is_name(*byte)).count();
                    let is_own = name[length..].trim_ascii_start().starts_with([':', ',', ')', '.', ';']);
                    if is_own {
                        self.0.remove(&normalize_name(&name[..length]));
                        self.0.remove(&name[..length]);
                    }
                }
            }
        }
        self
    }
}

/// Replaces `_` by `-`, because they are the same in names of Sass.
fn normalize_name(name: &str) -> String {
    name.replace('_', "-")
}

/// Returns the member that an item defines, if there is one.
fn defined_member(tree: &Tree, item: &Item) -> Option<String> {
    let head = tree.head(item);
    let called = || normalize_name(keys::callee(&tree.text[tree.prelude(item)]));
    match item.kind {
        Kind::Variable if tree.dialect == Dialect::Scss => Some(normalize_name(tree.name(item))),
        Kind::Variable => Some(tree.name(item).to_owned()),
        Kind::Mixin if tree.dialect == Dialect::Scss => Some(format!("@{}", called())),
        Kind::Function => Some(format!("{}(", called())),
        Kind::Rule if head.starts_with('%') => Some(head.to_owned()),
        Kind::Mixin => Some(head.split('(').next().unwrap_or(head).trim_ascii().to_owned()),
        Kind::Rule if tree.dialect == Dialect::Less && is_mixin_name(head) => Some(head.to_owned()),
        _ => None,
    }
}

fn is_mixin_name(head: &str) -> bool {
    head.strip_prefix(['.', '#']).is_some_and(|name| !name.is_empty() && name.bytes().all(is_name))
}

struct UseFinder<'t> {
    tree: &'t Tree,
    namespace: Option<String>,
    members: ModuleMembers,
    /// Maps the offset of each use to its name.
    found: BTreeMap<usize, String>,
}

impl UseFinder<'_> {
    fn add_use(&mut self, offset: usize, key: &str, name: &str) {
        if self.members.0.contains(key) {
            self.found.insert(offset, name.to_owned());
        }
    }

    /// Finds uses of mixins and placeholders, which occur only in statements (`@include`, `@extend`, calls).
    fn find_in_statements(&mut self) {
        let tree = self.tree;
        for item in &tree.items {
            let start = item.start as usize;
            match item.kind {
                Kind::Include => {
                    let callee = keys::callee(&tree.text[tree.prelude(item)]);
                    self.add_use(start, &format!("@{}", normalize_name(callee)), &format!("@include {callee}"));
                }
                Kind::Extend if tree.dialect == Dialect::Scss => {
                    let extended = tree.text[tree.prelude(item)].trim_ascii();
                    self.add_use(start, extended, &format!("@extend {extended}"));
                }
                Kind::Call => {
                    let head = tree.head(item);
                    let name = head.split(['(', '!']).next().unwrap_or(head).trim_ascii();
                    self.add_use(start, name, name);
                }
                _ => {}
            }
        }
    }

    /// Finds uses of variables, functions and names with a namespace. They can be anywhere in the text.
    fn find_in_values(&mut self) {
        let tree = self.tree;
        let mut scan = tree.scan();
        let mut at = 0;
        let variable = if tree.dialect == Dialect::Less { '@' } else { '$' };
        // If a namespace and `.` were read last, the offset after the `.`.
        let mut behind_dot = None;
        while at < tree.text.len() {
            let (part, end) = scan.token_at(at);
            match part {
                TokenKind::Word => {
                    let word = &tree.text[at..end];
                    let sign = tree.text[..at].chars().next_back().filter(|sign| *sign == variable);
                    let is_member = behind_dot == Some(at - usize::from(sign.is_some()));
                    match (sign, &self.namespace) {
                        (_, Some(namespace)) if word == namespace && scan.byte(end) == Some(b'.') && sign.is_none() => {
                            let length =
                                tree.text[end + 1..].bytes().take_while(|byte| is_name(*byte) || *byte == b'$');
                            let name = tree.text[at..end + 1 + length.count()].to_owned();
                            self.found.insert(at, name);
                        }
                        (Some(sign), None) if !is_member && !self.is_definition(at - 1) => {
                            let key = if sign == '$' { normalize_name(word) } else { word.to_owned() };
                            self.add_use(at - 1, &format!("{sign}{key}"), &format!("{sign}{word}"));
                        }
                        (None, None) if !is_member && scan.byte(end) == Some(b'(') => {
                            self.add_use(at, &format!("{}(", normalize_name(word)), &format!("{word}()"));
                        }
                        _ => {}
                    }
                }
                TokenKind::Other if tree.text.as_bytes()[at] == b'.' => behind_dot = Some(end),
                _ => {}
            }
            // Continue inside brackets and interpolations, to read their content.
            at = match part {
                TokenKind::Group if scan.url_end(at).is_none() => at + 1,
                TokenKind::Interpolation => at + 2,
                _ => end,
            };
        }
    }

    /// Returns whether the occurrence of a variable at the offset is its definition, not a use.
    fn is_definition(&self, offset: usize) -> bool {
        let index = self.tree.items.partition_point(|item| (item.start as usize) < offset);
        self.tree.items.get(index).is_some_and(|item| item.start as usize == offset && item.kind == Kind::Variable)
    }
}
