//! Conversion between declarations and addresses.

use std::collections::HashMap;

use crate::outline::address::{self, Segment};
use crate::outline::declarations::{Decl, DeclId, DeclTable, Kind};

/// The declarations of a document and its text.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'d> {
    pub(crate) table: &'d DeclTable,
    pub(crate) text: &'d str,
}

/// Position while resolving an address: at the top, or in one of these declarations.
enum Scope {
    Top,
    Within(Vec<DeclId>),
}

impl<'d> Finder<'d> {
    fn name(&self, decl: &'d Decl) -> &'d str {
        decl.name.resolve(self.text)
    }

    fn children(&self, reached: &Scope) -> Vec<(DeclId, &'d Decl)> {
        match reached {
            Scope::Top => self.table.children(None).collect(),
            Scope::Within(ids) => ids.iter().flat_map(|id| self.table.children(Some(*id))).collect(),
        }
    }

    /// Returns the declarations that an address names, in document order. A name without an index prefers declarations
    /// that are not nested in blocks.
    pub(crate) fn resolve(&self, segments: &[Segment<'_>]) -> Vec<DeclId> {
        if segments.is_empty() { Vec::new() } else { self.resolve_from(&Scope::Top, segments) }
    }

    /// Resolves an address with `exports` or `prototype` added, which are often omitted.
    pub(crate) fn resolve_implied(&self, segments: &[Segment<'_>]) -> Vec<DeclId> {
        if !self.table.children(None).any(|(_, decl)| decl.is_dotted) {
            return Vec::new();
        }
        for prefix in [&["exports"][..], &["module", "exports"]] {
            let steps: Vec<_> =
                prefix.iter().map(|name| Segment::plain(*name)).chain(segments.iter().cloned()).collect();
            let found = self.resolve(&steps);
            if !found.is_empty() {
                return found;
            }
        }
        let [first, rest @ ..] = segments else { return Vec::new() };
        let steps: Vec<_> =
            [first.clone(), Segment::plain("prototype")].into_iter().chain(rest.iter().cloned()).collect();
        if rest.is_empty() { Vec::new() } else { self.resolve(&steps) }
    }

    fn resolve_from(&self, reached: &Scope, segments: &[Segment<'_>]) -> Vec<DeclId> {
        let children = self.children(reached);
        let found = self.resolve_rest(self.matching_children(&children, &segments[0]), segments, 1);
        if !found.is_empty() {
            return found;
        }
        for length in self.dotted_lengths(&children).into_iter().rev().filter(|length| *length <= segments.len()) {
            let found = self.resolve_rest(self.with_dotted_name(&children, &segments[..length]), segments, length);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Continues with the declarations found for the first `length` steps.
    fn resolve_rest(&self, mut found: Vec<DeclId>, segments: &[Segment<'_>], length: usize) -> Vec<DeclId> {
        found.sort_unstable();
        let last = &segments[length - 1];
        let on_the_way = length < segments.len();
        match last.index {
            Some(index) => found = index.checked_sub(1).and_then(|at| found.get(at).copied()).into_iter().collect(),
            None if on_the_way => self.step_into(&mut found, last),
            None => self.prefer_unnested(&mut found),
        }
        if found.is_empty() || !on_the_way {
            return found;
        }
        self.resolve_from(&Scope::Within(found), &segments[length..])
    }

    fn matching_children(&self, children: &[(DeclId, &Decl)], segment: &Segment<'_>) -> Vec<DeclId> {
        let wanted = &*segment.name;
        let is_named = |decl: &Decl| {
            let name = decl.name.resolve(self.text);
            name == wanted
                || (segment.hash && name.strip_prefix('#') == Some(wanted))
                || (decl.is_named_default && wanted == "default")
        };
        let fits = |decl: &Decl| is_named(decl) && segment.accessor.is_none_or(|kind| decl.kind == kind);
        children.iter().filter(|(_, decl)| fits(decl)).map(|(id, _)| *id).collect()
    }

    /// Returns how many steps the names with dots have, such as 2 for `module.exports`.
    fn dotted_lengths(&self, children: &[(DeclId, &Decl)]) -> Vec<usize> {
        let dotted = children.iter().filter(|(_, decl)| decl.is_dotted);
        let mut lengths: Vec<usize> = dotted.map(|(_, decl)| decl.name.resolve(self.text).split('.').count()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Returns the declarations whose name is the path of these steps, such as `module.exports`.
    fn with_dotted_name(&self, children: &[(DeclId, &Decl)], segments: &[Segment<'_>]) -> Vec<DeclId> {
        let last = segments.len() - 1;
        let plain = |(at, segment): (usize, &Segment<'_>)| {
            segment.accessor.is_none() && (at == last || segment.index.is_none())
        };
        if !segments.iter().enumerate().all(plain) {
            return Vec::new();
        }
        let names = || segments.iter().map(|segment| &*segment.name);
        let fits = |decl: &Decl| decl.is_dotted && decl.name.resolve(self.text).split('.').eq(names());
        children.iter().filter(|(_, decl)| fits(decl)).map(|(id, _)| *id).collect()
    }

    /// In a step before the last one, a name without `get` or `set` only means an accessor if nothing else has this
    /// name.
    fn step_into(&self, found: &mut Vec<DeclId>, segment: &Segment<'_>) {
        let plain = |id: &DeclId| self.table.get(*id).is_some_and(|decl| !is_accessor(decl));
        if segment.accessor.is_none() && found.iter().any(plain) {
            found.retain(plain);
        }
    }

    fn prefer_unnested(&self, found: &mut Vec<DeclId>) {
        let plain = |id: &DeclId| !self.is_nested(*id);
        if found.len() > 1 && found.iter().any(plain) {
            found.retain(plain);
        }
    }

    /// Returns whether the declaration or one of its parents is in a block or an anonymous function.
    fn is_nested(&self, id: DeclId) -> bool {
        let mut next = self.table.get(id);
        while let Some(decl) = next {
            if decl.is_nested {
                return true;
            }
            next = decl.parent().and_then(|parent| self.table.get(parent));
        }
        false
    }

    /// Returns the address that resolves to this declaration only.
    pub(crate) fn address(&self, id: DeclId) -> String {
        let mut path = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            path.push(id);
            next = self.table.get(id).and_then(Decl::parent);
        }
        let mut address = String::new();
        let mut reached = Scope::Top;
        while let Some(step) = path.pop() {
            let Some(decl) = self.table.get(step) else { break };
            let children = self.children(&reached);
            let name = self.name(decl);
            let named = |name: &str| {
                children.iter().filter(|(_, other)| has_name(other, name, self.text)).map(|(id, _)| *id).collect()
            };
            let longer =
                |path: &str| children.iter().any(|(_, other)| other.is_dotted && self.name(other).starts_with(path));
            address::push_step(&mut address, decl, name, decl.is_dotted && self.needs_quotes(name, named, longer));
            let named = children.iter().filter(|(_, other)| has_name(other, name, self.text));
            if path.is_empty() {
                let all: Vec<DeclId> =
                    named.filter(|(_, other)| matches_last_step(other, decl)).map(|(id, _)| *id).collect();
                self.push_index_if_needed(&mut address, &all, step);
            } else {
                reached = Scope::Within(
                    named.filter(|(_, other)| matches_inner_step(other, decl)).map(|(id, _)| *id).collect(),
                );
            }
        }
        address
    }

    fn push_index_if_needed(&self, address: &mut String, all: &[DeclId], id: DeclId) {
        let mut all = all.to_vec();
        all.sort_unstable();
        let mut preferred = all.clone();
        self.prefer_unnested(&mut preferred);
        if preferred != [id] {
            let place = all.iter().position(|other| *other == id).unwrap_or(0);
            address::push_index(address, place + 1);
        }
    }

    /// Returns whether a name that contains dots, such as `module.exports`, must be quoted, because without quotes it
    /// would be resolved as a path to another declaration. `named` returns the siblings with a name. `longer` returns
    /// whether the name of a sibling starts with a text.
    fn needs_quotes(
        &self,
        path: &str,
        named: impl FnOnce(&str) -> Vec<DeclId>,
        longer: impl FnOnce(&str) -> bool,
    ) -> bool {
        let mut parts = path.split('.');
        let mut reached = parts.next().map(named).unwrap_or_default();
        for part in parts {
            let children = reached.iter().flat_map(|id| self.table.children(Some(*id)));
            reached = children.filter(|(_, decl)| self.name(decl) == part).map(|(id, _)| id).collect();
        }
        !reached.is_empty() || longer(&format!("{path}."))
    }

    /// Returns the addresses of all declarations, computing each one once. Very long and deeply nested names could make
    /// them many times larger than the document, so addresses beyond a limit stay empty.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let nested = self.nesting_flags();
        let mut addresses = AddressBuilder {
            finder: *self,
            nested,
            parent_addresses: HashMap::new(),
            budget: self.text.len() * ADDRESS_BUDGET.0 + ADDRESS_BUDGET.1,
            out: vec![String::new(); self.table.len()],
        };
        let mut groups = vec![Scope::Top];
        while let Some(reached) = groups.pop() {
            let mut children = self.children(&reached);
            children.sort_unstable_by_key(|(id, _)| *id);
            addresses.add_children(&children, &mut groups);
        }
        addresses.out
    }

    fn nesting_flags(&self) -> Vec<bool> {
        let mut nested = Vec::with_capacity(self.table.len());
        for (_, decl) in self.table.iter() {
            let above = decl.parent().is_some_and(|parent| nested[parent as usize]);
            nested.push(decl.is_nested || above);
        }
        nested
    }
}

type DeclsByName<'d> = HashMap<&'d str, Vec<(DeclId, &'d Decl)>>;

/// Maximum size of all addresses: bytes per byte of the document, and bytes that are always allowed.
const ADDRESS_BUDGET: (usize, usize) = (8, 1 << 20);

/// State while computing all addresses.
struct AddressBuilder<'d> {
    finder: Finder<'d>,
    nested: Vec<bool>,
    /// Addresses, without an index, of declarations with children.
    parent_addresses: HashMap<DeclId, String>,
    /// Remaining number of bytes.
    budget: usize,
    out: Vec<String>,
}

impl<'d> AddressBuilder<'d> {
    /// Computes the addresses of the children of all declarations with the same path.
    fn add_children(&mut self, children: &[(DeclId, &'d Decl)], groups: &mut Vec<Scope>) {
        let mut named: DeclsByName<'d> = HashMap::with_capacity(children.len());
        let mut dotted: Vec<&str> = Vec::new();
        for (id, decl) in children {
            let name = self.finder.name(decl);
            named.entry(name).or_default().push((*id, *decl));
            if decl.is_named_default && name != "default" {
                named.entry("default").or_default().push((*id, *decl));
            }
            if decl.is_dotted {
                dotted.push(name);
            }
        }
        dotted.sort_unstable();
        for (name, decls) in &named {
            for accessor in [None, Some(Kind::Getter), Some(Kind::Setter)] {
                self.add_path(name, accessor, decls, &named, &dotted, groups);
            }
        }
    }

    /// Computes the addresses that end in the same step.
    fn add_path(
        &mut self,
        name: &str,
        accessor: Option<Kind>,
        decls: &[(DeclId, &'d Decl)],
        named: &DeclsByName<'d>,
        dotted: &[&str],
        groups: &mut Vec<Scope>,
    ) {
        let found = || decls.iter().filter(|(_, decl)| accessor.is_none_or(|kind| decl.kind == kind));
        let own = |decl: &Decl| self.finder.name(decl) == name && is_accessor(decl) == accessor.is_some();
        if !found().any(|(_, decl)| own(decl)) {
            return;
        }
        let direct: Vec<DeclId> = found().map(|(id, _)| *id).filter(|id| !self.nested[*id as usize]).take(2).collect();
        let only = match (direct.as_slice(), decls) {
            ([only], _) | ([], [(only, _)]) => Some(*only),
            _ => found().nth(1).is_none().then(|| found().next().map(|(id, _)| *id)).flatten(),
        };
        for (place, (id, decl)) in found().enumerate() {
            if !own(decl) {
                continue;
            }
            let mut address =
                decl.parent().and_then(|parent| self.parent_addresses.get(&parent)).cloned().unwrap_or_default();
            address::push_step(&mut address, decl, name, decl.is_dotted && self.is_taken(name, named, dotted));
            if self.finder.table.children(Some(*id)).next().is_some() {
                self.parent_addresses.insert(*id, address.clone());
            }
            if only != Some(*id) {
                address::push_index(&mut address, place + 1);
            }
            match self.budget.checked_sub(address.len()) {
                Some(left) => self.budget = left,
                None => return,
            }
            self.out[*id as usize] = address;
        }
        let sharing = found().filter(|(_, decl)| is_accessor(decl) == accessor.is_some());
        groups.push(Scope::Within(sharing.map(|(id, _)| *id).collect()));
    }

    fn is_taken(&self, path: &str, named: &DeclsByName<'d>, dotted: &[&str]) -> bool {
        let siblings = |name: &str| named.get(name).into_iter().flatten().map(|(id, _)| *id).collect();
        let longer = |path: &str| {
            let next = dotted.partition_point(|name| *name < path);
            dotted.get(next).is_some_and(|name| name.starts_with(path))
        };
        self.finder.needs_quotes(path, siblings, longer)
    }
}

fn is_accessor(decl: &Decl) -> bool {
    matches!(decl.kind, Kind::Getter | Kind::Setter)
}

fn has_name(decl: &Decl, name: &str, text: &str) -> bool {
    decl.name.resolve(text) == name || (decl.is_named_default && name == "default")
}

/// Returns whether the last step of the address of `decl` also matches `other`, which has the same name.
fn matches_last_step(other: &Decl, decl: &Decl) -> bool {
    !is_accessor(decl) || other.kind == decl.kind
}

/// Returns whether a non-final step for `decl` also matches `other`, which has the same name.
fn matches_inner_step(other: &Decl, decl: &Decl) -> bool {
    if is_accessor(decl) { other.kind == decl.kind } else { !is_accessor(other) }
}
