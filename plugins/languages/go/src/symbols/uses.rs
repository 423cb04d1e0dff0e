//! The occurrences in a document that refer to a declaration, and the references that a call returns.

use marquetry_code::NodeIndex;
use marquetry_sdk::{
    DeclaredKey, FailureKind, FileLocation, ImportKey, Occurrence, Resolution, Result, Span, Usage, fail,
    paths::folder, shared,
};

use super::{Package, Symbol, Target, declarations, groups::group, key, occurrence};
use crate::{
    kinds::{F, K, has_kind},
    names::usage_of,
    packages::{Member, MemberKind, outline_of},
    table::embedded_name,
    types::{Lookup, Resolver},
};

/// The declarations that a key identifies.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// The package that declares the name at its top level.
    pub(super) top: Option<Package>,
    pub(super) is_type: bool,
    /// The kinds of the members with this name.
    pub(super) kinds: Vec<MemberKind>,
    /// The packages that declare these members.
    pub(super) owners: Vec<Package>,
}

/// An occurrence that certainly or possibly refers to the declaration.
#[derive(Debug)]
pub(crate) struct Use {
    pub(crate) span: Span,
    pub(crate) usage: Usage,
    pub(crate) is_certain: bool,
    /// True if the occurrence embeds the type, so that a field has the name of the type.
    pub(super) embeds: bool,
    /// True if the occurrence has no qualifier, so that a local name may hide it.
    pub(super) is_plain: bool,
    /// The node of a member after a dot, or of a key in a literal.
    pub(super) member: Option<NodeIndex>,
}

impl Declared {
    pub(super) fn new(key: &DeclaredKey) -> Declared {
        let mut declared = Declared::default();
        for location in &key.locations {
            let outline = outline_of(&location.path);
            let package = Package { folder: folder(&location.path).to_owned(), name: outline.package.clone() };
            let is_top = outline.declared.get(&key.name).is_some_and(|offsets| offsets.contains(&location.offset));
            if is_top {
                declared.is_type |= outline.types.contains(&key.name);
                declared.top = Some(package);
                continue;
            }
            let member = outline.members.iter().find(|member| member.offset == location.offset);
            if let Some(Member { kind, .. }) = member {
                declared.kinds.push(*kind);
                declared.owners.push(package);
            }
        }
        declared
    }
}

/// A function whose parameters can be changed.
#[derive(Debug)]
pub(crate) struct Signature {
    /// The declaration of the function.
    pub(crate) key: DeclaredKey,
    /// Other declarations that must have the same parameters.
    pub(crate) others: Vec<FileLocation>,
}

impl Symbol<'_> {
    /// The function that is declared or used at an offset.
    pub(crate) fn signature_at(&self, offset: u32) -> Result<Signature> {
        let target = self.target_at(offset)?;
        let Some(DeclaredKey { name, locations, .. }) = self.key_of(&target) else {
            return Err(fail(FailureKind::RefactorFailed, "no package-level function at this position")
                .hint("give the position of the name of a function or method"));
        };
        let mut others: Vec<FileLocation> = Vec::new();
        if let Target::Member(_, own) = &target {
            let possible = group(&name, own).possible.into_iter();
            others.extend(possible.map(|(path, offset)| FileLocation { path, offset }));
            let here = own.iter().find(|place| place.path == self.document.path());
            if self.may_be_required(&name, here.map(|place| place.offset)) {
                return Err(fail(
                    FailureKind::RefactorFailed,
                    format!("interfaces from elsewhere may require `{name}`"),
                )
                .hint("change the method by hand"));
            }
        }
        let mut locations = locations.into_iter();
        let own = locations.next().into_iter().collect();
        others.extend(locations);
        Ok(Signature { key: key(&name, own), others })
    }

    /// The occurrences in this document that refer to a declaration.
    pub(crate) fn uses_of(&self, key: &DeclaredKey) -> Vec<Use> {
        self.uses(key, &Declared::new(key))
    }

    /// The occurrences in this document that refer to the declarations of a key.
    pub(super) fn uses(&self, key: &DeclaredKey, declared: &Declared) -> Vec<Use> {
        let mut uses = Vec::new();
        if let Some(package) = &declared.top {
            self.add_top_uses(package, &key.name, &mut uses);
        }
        if !declared.kinds.is_empty() {
            self.add_member_uses(key, &mut uses);
        }
        uses.sort_by_key(|one| (one.span.start, !one.is_certain));
        uses.dedup_by_key(|one| one.span.start);
        uses
    }

    fn add_top_uses(&self, package: &Package, name: &str, uses: &mut Vec<Use>) {
        let own = self.package();
        let is_here = own == *package;
        let is_dot = !is_here && self.dot_imports().contains(package) && declarations(&own, name).is_empty();
        if is_here || is_dot {
            self.add_free_uses(name, uses);
        }
        if is_here {
            return;
        }
        for member in self.file.names.members.iter().filter(|member| self.text(member.span) == name) {
            let import = (!member.is_declaration).then(|| self.import_before(member.node)).flatten();
            let Some(import) = import else { continue };
            let is_certain = self.package_of_import(import).is_some_and(|found| found == *package);
            if is_certain || self.may_be(import, package) {
                let embeds = self.is_embedding(member.node);
                uses.push(Use {
                    span: member.span,
                    usage: usage_of(self.file.arena(), member.node),
                    is_certain,
                    embeds,
                    is_plain: false,
                    member: None,
                });
            }
        }
    }

    /// Adds uses of a name that this file, its package or the package of a dot import declares.
    fn add_free_uses(&self, name: &str, uses: &mut Vec<Use>) {
        let arena = self.file.arena();
        for place in self.file.names.free(arena, name) {
            let mut is_certain = true;
            if place.is_key {
                match Resolver::default().is_field_key(&self.file, place.node) {
                    Some(true) => continue,
                    Some(false) => {}
                    None => is_certain = false,
                }
            }
            let embeds = self.is_embedding(place.node);
            uses.push(Use { span: place.span, usage: place.usage, is_certain, embeds, is_plain: true, member: None });
        }
    }

    /// Returns whether a name is the type name of an embedded field.
    fn is_embedding(&self, node: NodeIndex) -> bool {
        let arena = self.file.arena();
        let field = arena.ancestors(node).find(|above| has_kind(arena, *above, K::Field));
        field.is_some_and(|field| embedded_name(arena, field) == Some(node))
    }

    fn add_member_uses(&self, key: &DeclaredKey, uses: &mut Vec<Use>) {
        let possible = group(&key.name, &key.locations).possible;
        let is_known =
            |path: &str, offset: u32| key.locations.iter().any(|known| known.offset == offset && known.path == path);
        let own = self.document.path();
        let plain = |span: Span, usage: Usage, is_certain: bool| Use {
            span,
            usage,
            is_certain,
            embeds: false,
            is_plain: false,
            member: None,
        };
        for member in self.file.names.members.iter().filter(|member| self.text(member.span) == key.name) {
            if member.is_declaration {
                let is_it = is_known(own, member.span.start);
                let is_related = || possible.contains(&(own.to_owned(), member.span.start));
                if is_it || is_related() {
                    uses.push(plain(member.span, Usage::Declaration, is_it));
                }
            } else if self.import_before(member.node).is_none() {
                let usage = usage_of(self.file.arena(), member.node);
                self.add_referring(member.node, usage, &is_known, uses);
            }
        }
        for place in self.file.names.places.iter().filter(|place| place.is_key && self.text(place.span) == key.name) {
            if Resolver::default().is_field_key(&self.file, place.node) != Some(false) {
                self.add_referring(place.node, Usage::Write, &is_known, uses);
            }
        }
    }

    fn add_referring(&self, node: NodeIndex, usage: Usage, is_known: &impl Fn(&str, u32) -> bool, uses: &mut Vec<Use>) {
        let span = self.file.arena().node(node).span;
        let is_certain = match Resolver::default().referred(&self.file, node) {
            Lookup::Found(found, declared) => {
                if !is_known(found.document.path(), found.arena().node(declared).span.start) {
                    return;
                }
                true
            }
            Lookup::Absent => return,
            Lookup::Unknown => false,
        };
        uses.push(Use { span, usage, is_certain, embeds: false, is_plain: false, member: Some(node) });
    }

    /// The key of a target that other files can refer to.
    pub(super) fn key_of(&self, target: &Target) -> Option<DeclaredKey> {
        match target {
            Target::Top(package, name) => Some(key(name, declarations(package, name))),
            Target::Member(name, locations) => {
                let group = group(name, locations);
                let others = group.certain.into_iter().map(|(path, offset)| FileLocation { path, offset });
                let is_new = |other: &FileLocation| {
                    !locations.iter().any(|known| known.path == other.path && known.offset == other.offset)
                };
                // The declaration at the position of the call comes first.
                Some(key(name, locations.iter().cloned().chain(others.filter(is_new)).collect()))
            }
            Target::Local(_) | Target::Import(_) => None,
        }
    }

    /// The position of the declaration in another document, if this document does not contain it.
    pub(super) fn elsewhere(&self, key: &DeclaredKey) -> Option<FileLocation> {
        let is_here = key.locations.iter().any(|location| location.path == self.document.path());
        key.locations.first().filter(|_| !is_here).cloned()
    }

    pub(super) fn resolution(&self, target: Target) -> Result<Resolution> {
        if let Some(key) = self.key_of(&target) {
            let mut resolution = self.resolve_declared(&key);
            resolution.elsewhere = self.elsewhere(&key);
            return Ok(resolution);
        }
        let names = &self.file.names;
        match target {
            Target::Local(binding) => {
                let own = &names.bindings[binding];
                let occurrences = names.references(binding).map(|place| occurrence(place.span, place.usage, true));
                let mut occurrences: Vec<Occurrence> = occurrences.collect();
                occurrences.extend(self.keys_of(binding).into_iter().map(|span| occurrence(span, Usage::Read, false)));
                sort(&mut occurrences);
                let kind = format!("{:?}", own.kind).to_lowercase();
                Ok(Resolution { kind, occurrences, ..shared::empty_resolution(&own.name) })
            }
            Target::Import(import) => {
                let name = &self.imports[import].1;
                let places = self.import_places(import).into_iter().map(|span| occurrence(span, Usage::Read, true));
                Ok(Resolution {
                    kind: "import".to_owned(),
                    occurrences: places.collect(),
                    ..shared::empty_resolution(name)
                })
            }
            Target::Top(..) | Target::Member(..) => Ok(shared::empty_resolution("")),
        }
    }

    /// The occurrences of an import's name as a qualifier.
    pub(super) fn import_places(&self, import: usize) -> Vec<Span> {
        let arena = self.file.arena();
        let name = &self.imports[import].1;
        let free = self.file.names.places.iter().filter(|place| place.binding.is_none() && !place.is_key);
        free.filter(|place| arena.slice(place.node) == name).map(|place| place.span).collect()
    }

    /// The uses of imported packages, or of one name that they declare.
    pub(super) fn resolve_imported(&self, key: &ImportKey) -> Resolution {
        let arena = self.file.arena();
        let mut occurrences = Vec::new();
        let mut incomplete = None;
        for import in (0..self.imports.len()).filter(|import| key.specifiers.contains(&self.imports[*import].0.path)) {
            if self.imports[import].1 == "." {
                incomplete = Some(
                    "the names from a dot import are unknown, because its package is not in the workspace".to_owned(),
                );
            }
            let places = self.import_places(import);
            let names = |span: &Span| {
                if key.name == "*" {
                    return Some(occurrence(*span, Usage::Read, true));
                }
                let selector = arena.node(arena.innermost(*span)).parent;
                let name = arena.child(selector, F::Name.into()).filter(|name| arena.slice(*name) == key.name)?;
                Some(occurrence(arena.node(name).span, usage_of(arena, name), true))
            };
            occurrences.extend(places.iter().filter_map(names));
        }
        sort(&mut occurrences);
        Resolution { occurrences, incomplete, ..shared::empty_resolution(&key.name) }
    }

    /// Keys of literals that may be either the local binding or a field.
    pub(super) fn keys_of(&self, binding: usize) -> Vec<Span> {
        let keys = self.file.names.references(binding).filter(|place| place.is_key);
        let unknown = keys.filter(|place| Resolver::default().is_field_key(&self.file, place.node).is_none());
        unknown.map(|place| place.span).collect()
    }

    pub(super) fn resolve_declared(&self, key: &DeclaredKey) -> Resolution {
        let declared = Declared::new(key);
        let uses = self.uses(key, &declared);
        let symbols = &self.document.symbols().symbols;
        let is_here = |span: Span| {
            key.locations.iter().any(|known| known.path == self.document.path() && known.offset == span.start)
        };
        let symbol = symbols.iter().find(|symbol| is_here(symbol.selection));
        let mut occurrences: Vec<Occurrence> =
            uses.iter().map(|one| occurrence(one.span, one.usage, one.is_certain)).collect();
        sort(&mut occurrences);
        let declares = uses.iter().any(|one| is_here(one.span));
        Resolution {
            kind: symbol.map_or("name", |symbol| symbol.kind).to_owned(),
            address: symbol.map(|symbol| symbol.address.clone()),
            occurrences,
            declared: (declares && !key.locations.is_empty()).then(|| key.clone()),
            ..shared::empty_resolution(&key.name)
        }
    }
}

fn sort(occurrences: &mut Vec<Occurrence>) {
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, !occurrence.certain));
    occurrences.dedup_by_key(|occurrence| occurrence.span.start);
}
