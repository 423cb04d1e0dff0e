//! References to a name in one document.

use marquetry_sdk::{ImportKey, ImportedName, Occurrence, Resolution, Span, Usage, shared};

use super::{
    Symbol,
    uses::{Qualified, Uses},
};
use crate::{
    hierarchy::usage_at,
    modules::Module,
    names::{BindingIndex, BindingKind, FILE_SCOPE, MACROS, Names, Place},
};

fn occurrence(place: &Place) -> Occurrence {
    Occurrence { span: place.span, usage: place.usage, certain: true }
}

impl Symbol<'_> {
    /// A word in the arguments of a macro that may refer to the name.
    fn possible(&self, span: Span) -> Occurrence {
        Occurrence { span, usage: usage_at(self.document.arena(), span), certain: false }
    }

    pub(super) fn resolution(&self, binding: BindingIndex) -> Resolution {
        let own = &self.names.bindings[binding];
        let mut occurrences: Vec<Occurrence> = self.names.references(binding).map(occurrence).collect();
        let is_exported = own.scope == FILE_SCOPE && own.kind == BindingKind::Item;
        let mut exported: Vec<String> = is_exported.then(|| own.name.clone()).into_iter().collect();
        match self.module_of(binding) {
            Some(module) => {
                let uses = self.uses(module, &own.name, |_| true);
                self.add_uses(&uses, &own.name, vec![binding], (&mut occurrences, &mut exported));
            }
            None => occurrences
                .extend(self.names.words_of(self.document.text_str(), binding).map(|span| self.possible(span))),
        }
        sort(&mut occurrences);
        let symbols = &self.document.symbols().symbols;
        let mut declared = self.names.references(binding).filter(|place| Names::is_declaration(place));
        let symbol = declared.find_map(|place| symbols.iter().find(|symbol| symbol.selection == place.span));
        let kind = match own.kind {
            BindingKind::Item => "item",
            BindingKind::Import => "import",
            BindingKind::Local => "variable",
            BindingKind::Generic => "type parameter",
        };
        Resolution {
            kind: symbol.map_or(kind, |symbol| symbol.kind).to_owned(),
            address: symbol.map(|symbol| symbol.address.clone()),
            occurrences,
            exported_as: if is_exported { exported } else { Vec::new() },
            origin: self.origin(binding),
            incomplete: (own.namespaces & MACROS != 0 && own.kind == BindingKind::Item)
                .then(|| "files that are declared after a macro see it without an import".to_owned()),
            ..shared::empty_resolution(&own.name)
        }
    }

    /// The import that binds a name.
    pub(super) fn origin(&self, binding: BindingIndex) -> Option<ImportedName> {
        let mut paths = self.paths.paths.iter().filter(|path| path.import.is_some());
        let leaf = paths.find(|path| self.binding_of_leaf(path) == Some(binding)).filter(|path| !path.is_self)?;
        let normal = self.paths.normal(leaf)?;
        let (name, outer) = normal.names.split_last()?;
        let specifier = normal.up_to(outer.len()).specifier();
        let local = leaf.local().map(|local| local.name.clone());
        Some(ImportedName { specifier, name: name.clone(), local, exported: None, type_only: false })
    }

    pub(super) fn resolve_imported(&self, key: &ImportKey) -> Resolution {
        let (mut occurrences, mut exported) = (Vec::new(), Vec::new());
        let target = self.target(key);
        let name = target.as_ref().map_or(key.name.as_str(), |(_, name)| *name);
        let uses = target.as_ref().map(|(module, name)| self.uses(module.clone(), name, |_| true));
        self.add_uses(&uses.unwrap_or_default(), name, Vec::new(), (&mut occurrences, &mut exported));
        sort(&mut occurrences);
        Resolution { occurrences, exported_as: exported, ..shared::empty_resolution(name) }
    }

    /// The occurrences of a name that `pub use` items export.
    pub(super) fn resolve_reexports(&self, name: &str) -> Resolution {
        let bindings = self.reexports(name).filter_map(|path| self.binding_of_leaf(path));
        let all = bindings.map(|binding| self.resolution(binding)).reduce(|mut all, mut next| {
            all.occurrences.append(&mut next.occurrences);
            all
        });
        let mut found = all.unwrap_or_else(|| shared::empty_resolution(name));
        for path in self.reexports(name) {
            let module = Module { file: self.document.path().to_owned(), inline: path.inline.clone() };
            let uses = self.uses(module, name, |_| true);
            self.add_uses(&uses, name, Vec::new(), (&mut found.occurrences, &mut found.exported_as));
        }
        sort(&mut found.occurrences);
        found
    }

    /// Adds the occurrences of an item in paths, imports and macros, and the names by which other files can import it.
    fn add_uses(
        &self,
        uses: &Uses<'_>,
        name: &str,
        mut bindings: Vec<BindingIndex>,
        (occurrences, exported): (&mut Vec<Occurrence>, &mut Vec<String>),
    ) {
        for Qualified { path, span, is_leaf } in &uses.qualified {
            let is_import = path.import.is_some();
            let usage = if is_import { Usage::Imported } else { usage_at(self.document.arena(), *span) };
            occurrences.push(Occurrence { span: *span, usage, certain: true });
            let Some(local) = self.binding_of_leaf(path).filter(|_| *is_leaf) else { continue };
            occurrences.extend(self.names.references(local).map(occurrence));
            bindings.push(local);
            exported.extend(path.local().into_iter().flat_map(|local| self.exports(path, &local.name)));
        }
        for (glob, name) in &uses.globs {
            occurrences.extend(self.free(glob, name).map(occurrence));
            exported.extend(self.exports(glob, name));
        }
        occurrences.extend(self.words(uses, name, &bindings).into_iter().map(|span| self.possible(span)));
        let comments = self.paths_in_comments(name).into_iter();
        occurrences.extend(comments.map(|span| Occurrence { span, usage: Usage::Read, certain: false }));
        exported.sort();
        exported.dedup();
    }
}

fn sort(occurrences: &mut Vec<Occurrence>) {
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end, !occurrence.certain));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
}
