//! References that a move breaks and that a qualifier cannot fix: members that are not exported, and names that have
//! another meaning in the destination package.

use std::collections::BTreeSet;

use marquetry_code::NodeIndex;
use marquetry_sdk::{Span, paths::folder};

use super::Relink;
use crate::{
    kinds::{F, K, child, children, has_kind, with_role},
    names::{BindingKind, is_universal},
    packages::{MemberKind, local_name, outline_of, package_files},
    symbols::is_exported,
    types::{Lookup, Resolver, Type},
};

impl Relink<'_> {
    /// Qualifies uses of names of the file's own package if their declarations are in another folder than this file
    /// after the moves, and lists the references that the move breaks.
    pub(super) fn own_package(&mut self) {
        let (own, new) = (folder(self.document.path()).to_owned(), folder(&self.path).to_owned());
        let is_elsewhere = |file: &String| folder(&self.moves.after(file)) != new;
        let elsewhere: Vec<String> = package_files(&own, &self.file.package).into_iter().filter(is_elsewhere).collect();
        if !elsewhere.is_empty() {
            self.qualify_own_names();
            self.list_members(&elsewhere);
            self.list_literals(&new);
            self.list_implementations(&elsewhere);
        }
        if new == own {
            return;
        }
        if self.moves.folder_after(&own).is_none() {
            self.list_other_sources();
        }
        self.check_new_package(&new);
    }

    /// Lists uses of unexported fields and methods if their type is in another package after the moves.
    fn list_members(&mut self, elsewhere: &[String]) {
        let arena = self.file.arena();
        let to = folder(&self.path);
        let keys = self.names().places.iter().filter(|place| place.is_key).map(|place| place.node);
        let after_dots = self.names().members.iter().filter(|member| !member.is_declaration).map(|member| member.node);
        let hidden = keys.chain(after_dots).filter(|node| !is_exported(arena.slice(*node)));
        let has_member =
            |name: &str| elsewhere.iter().any(|file| outline_of(file).members.iter().any(|own| own.name == name));
        let mut found: Vec<Span> = Vec::new();
        for node in hidden.filter(|node| has_member(arena.slice(*node))) {
            let is_key = has_kind(arena, arena.node(node).parent, K::Keyed);
            if is_key && Resolver::default().is_field_key(&self.file, node) == Some(false) {
                continue;
            }
            let is_lost = match Resolver::default().referred(&self.file, node) {
                Lookup::Found(file, _) => folder(&self.moves.after(file.document.path())) != to,
                Lookup::Absent => false,
                Lookup::Unknown => true,
            };
            if is_lost {
                found.push(arena.node(node).span);
            }
        }
        found.into_iter().for_each(|span| self.unresolved(span, "a member of a type that is in another package now"));
    }

    /// Lists composite literals without field names if their type is in another package after the moves and has
    /// unexported fields.
    fn list_literals(&mut self, to: &str) {
        let arena = self.file.arena();
        let is_plain = |node: &NodeIndex| {
            let mut values = arena.children(*node).peekable();
            has_kind(arena, *node, K::Values)
                && values.peek().is_some()
                && !values.any(|value| has_kind(arena, value, K::Keyed))
        };
        let literals: Vec<NodeIndex> = arena.nodes().map(|(node, _)| node).filter(is_plain).collect();
        let mut found = Vec::new();
        for node in literals {
            let mut resolver = Resolver::default();
            let Some(own) = resolver.literal(&self.file, node) else { continue };
            let Some(Type::Written(file, inner)) = resolver.underlying(&own) else { continue };
            let list = child(file.arena(), inner, K::Fields).unwrap_or(inner);
            let mut names = children(file.arena(), list, K::Field)
                .flat_map(|field| with_role(file.arena(), field, F::Name).collect::<Vec<_>>());
            let is_away = folder(&self.moves.after(file.document.path())) != to;
            if is_away && names.any(|name| !is_exported(file.arena().slice(name))) {
                found.push(arena.node(node).span);
            }
        }
        found.into_iter().for_each(|span| self.unresolved(span, "fields that another package does not export"));
    }

    /// Lists unexported methods if an interface and a type with the same method are in different packages after the
    /// moves.
    fn list_implementations(&mut self, elsewhere: &[String]) {
        let of_kind = |path: &str, kind: MemberKind| -> BTreeSet<(String, u32)> {
            let members = outline_of(path);
            let own = members.members.iter().filter(|own| own.kind == kind && !is_exported(&own.name));
            own.map(|own| (own.name.clone(), own.offset)).collect()
        };
        let own = self.document.path();
        for (kind, other) in [(MemberKind::Method, MemberKind::Abstract), (MemberKind::Abstract, MemberKind::Method)] {
            let theirs: BTreeSet<String> =
                elsewhere.iter().flat_map(|file| of_kind(file, other)).map(|(name, _)| name).collect();
            for (name, start) in of_kind(own, kind).into_iter().filter(|(name, _)| theirs.contains(name)) {
                let span = Span { start, end: start + name.len() as u32 };
                self.unresolved(span, "a type and an interface with this method are in different packages now");
            }
        }
    }

    /// Lists functions without a body, and uses of cgo: assembly and C files of the folder do not move with the Go
    /// file.
    fn list_other_sources(&mut self) {
        let arena = self.file.arena();
        let functions = arena.nodes().map(|(node, _)| node);
        let bodiless = functions.filter(|node| {
            (has_kind(arena, *node, K::Func) || has_kind(arena, *node, K::Method))
                && child(arena, *node, K::Block).is_none()
        });
        let names = bodiless.filter_map(|node| arena.child(node, F::Name.into())).map(|name| arena.node(name).span);
        let c = self.imports.iter().filter(|import| import.path == "C").map(|import| import.span);
        let found: Vec<Span> = names.chain(c).collect();
        found
            .into_iter()
            .for_each(|span| self.unresolved(span, "it needs C or assembly files of its folder, which do not move"));
    }

    /// Lists names that the destination package already declares. They would be declared twice, or refer to another
    /// declaration.
    fn check_new_package(&mut self, new: &str) {
        let arena = self.file.arena();
        let own = self.document.path();
        let package = self.moves.package_after(own, &self.file.package);
        let stays: Vec<String> =
            package_files(new, &package).into_iter().filter(|file| self.moves.after(file) == *file).collect();
        let taken: BTreeSet<String> =
            stays.iter().flat_map(|file| outline_of(file).declared.keys().cloned().collect::<Vec<_>>()).collect();
        let imported: BTreeSet<String> = stays
            .iter()
            .flat_map(|file| outline_of(file).imports.iter().map(|import| local_name(file, import)).collect::<Vec<_>>())
            .collect();
        let needed = |name: &str| is_universal(name) && stays.iter().any(|file| outline_of(file).free.contains(name));
        let bindings =
            self.names().bindings.iter().filter(|own| own.kind == BindingKind::Package && own.name != "init");
        let declared =
            bindings.filter(|own| taken.contains(&own.name) || imported.contains(&own.name) || needed(&own.name));
        let mut found: Vec<Span> = declared.map(|own| arena.node(own.node).span).collect();
        let import_names = self.imports.iter().filter(|import| taken.contains(&local_name(own, import)));
        found.extend(import_names.map(|import| import.span));
        let methods = self.methods_of_types_in(&taken, &stays);
        found.extend(methods);
        let here: BTreeSet<String> = package_files(folder(own), &self.file.package)
            .iter()
            .flat_map(|file| outline_of(file).declared.keys().cloned().collect::<Vec<_>>())
            .collect();
        let locals: Vec<String> = self.imports.iter().map(|import| local_name(own, import)).collect();
        let free = self.names().places.iter().filter(|place| place.binding.is_none() && !place.is_key);
        let captured = free.filter(|place| {
            let name = arena.slice(place.node);
            taken.contains(name) && !here.contains(name) && !locals.iter().any(|local| local == name)
        });
        found.extend(captured.map(|place| place.span));
        found.into_iter().for_each(|span| self.unresolved(span, "the name already has another meaning in the package"));
    }

    /// Methods of this file that the destination package already declares for a type of the same name.
    fn methods_of_types_in(&self, taken: &BTreeSet<String>, stays: &[String]) -> Vec<Span> {
        let outline = outline_of(self.document.path());
        let own =
            outline.members.iter().filter(|member| member.kind == MemberKind::Method && taken.contains(&member.of));
        let is_there = |name: &str, of: &str| {
            stays.iter().any(|file| outline_of(file).members.iter().any(|other| other.name == name && other.of == of))
        };
        let clashing = own.filter(|member| is_there(&member.name, &member.of));
        clashing.map(|member| Span { start: member.offset, end: member.offset + member.name.len() as u32 }).collect()
    }
}
