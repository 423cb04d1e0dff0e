//! Names across files: what a module exports and imports, and the references and renames of its names.

use std::collections::{BTreeMap, HashMap};

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Edit, ExportedName, Failure, FailureKind, ImportKey, ImportedName, InterfaceFacts, Occurrence, RenameResult,
    RenamedExport, Resolution, Result, Span, Subject, Symbols, Usage, fail, shared,
};

use crate::{
    Rust,
    kinds::{K, child},
    modules::module_path,
    names::{BindingIndex, BindingKind, FILE_SCOPE, Form, MACROS, Names, Place},
    paths::{Normal, Path, Paths, modules_on, read_specifier},
    table::check_name,
};

/// The names and paths of a document.
struct Symbol<'d> {
    document: &'d CodeDocument,
    names: Names,
    paths: Paths,
}

/// A place of a path that names an item, in addition to those that scopes explain.
struct Qualified<'p> {
    path: &'p Path,
    span: Span,
    /// True if it is the last name of a leaf of a `use` tree.
    is_leaf: bool,
}

impl<'d> Symbol<'d> {
    fn new(document: &'d CodeDocument) -> Symbol<'d> {
        let (mut names, paths) = (Names::new(document.arena()), Paths::new(document));
        let root = module_path(document.path()).map(|(_, names)| names);
        for path in paths.paths.iter().filter(|path| path.is_glob) {
            let Some(normal) = paths.normal(path) else { continue };
            let inside = match normal.up {
                Some(0) => Some(&normal.names[..]),
                Some(_) => None,
                None => root.as_ref().and_then(|root| normal.names.strip_prefix(&root[..])),
            };
            if let Some(inside) = inside {
                names.add_glob(&path.inline, inside);
            }
        }
        Symbol { document, names, paths }
    }

    fn bound(&self, subject: &Subject) -> Result<BindingIndex> {
        match subject {
            Subject::At(offset) => self.bound_at(*offset),
            Subject::Address(address) => {
                let found = self.document.find_symbols(address)?;
                self.bound_at(self.document.symbols().symbols[found[0]].selection.start)
            }
            Subject::Exported(name) => self.exported(name).ok_or_else(|| {
                fail(FailureKind::TargetNotFound, format!("the module has no item `{name}`"))
                    .hint("list the symbols of the file")
            }),
            Subject::Shared(shared) => Err(shared::unknown_namespace(&shared.namespace)),
            Subject::Imported(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => {
                Err(Failure::unsupported("modules of Rust have no such symbols").hint("point at a name of the file"))
            }
        }
    }

    fn exported(&self, name: &str) -> Option<BindingIndex> {
        let is_it = |index: &BindingIndex| {
            let binding = &self.names.bindings[*index];
            binding.scope == FILE_SCOPE && binding.name == name && binding.kind == BindingKind::Item
        };
        (0..self.names.bindings.len()).find(is_it)
    }

    fn bound_at(&self, offset: u32) -> Result<BindingIndex> {
        let at = Span { start: offset, end: offset };
        if let Some(member) = self.names.members.iter().find(|member| member.start <= offset && offset <= member.end) {
            let name = member.slice(self.document.text_str());
            return Err(marquetry_code::rename::member_failure(name).at(*member));
        }
        let Some(place) = self.names.at(offset) else {
            return Err(fail(FailureKind::TargetNotFound, "no name at this position can be followed")
                .hint("point at a name of the file: an item, import, variable or parameter")
                .at(at));
        };
        self.names.binding_of(place).ok_or_else(|| {
            fail(FailureKind::TargetNotFound, format!("`{}` is not declared in this file", place.name))
                .hint("point at its declaration, or at an import")
                .at(place.span)
        })
    }

    /// The names of the modules in the file around a binding. `None` for what is only visible in a block.
    fn inline_of(&self, binding: BindingIndex) -> Option<Vec<String>> {
        let own = &self.names.bindings[binding];
        let mut modules = self.paths.declarations.iter().filter(|declaration| declaration.is_inline);
        if own.scope == FILE_SCOPE {
            return Some(Vec::new());
        }
        modules.find(|module| self.names.module(&module.names) == Some(own.scope)).map(|module| module.names.clone())
    }

    /// The paths that name an item of this file with a module in front.
    fn qualified(&self, binding: BindingIndex) -> Vec<Qualified<'_>> {
        let own = &self.names.bindings[binding];
        let Some(inline) = self.inline_of(binding).filter(|_| own.kind == BindingKind::Item) else { return Vec::new() };
        let here: Vec<String> = inline.into_iter().chain([own.name.clone()]).collect();
        let root = module_path(self.document.path()).map(|(_, names)| [names, here.clone()].concat());
        let starts = |normal: &Normal| match normal.up {
            Some(0) => normal.names.starts_with(&here).then_some(here.len()),
            None => root.as_ref().filter(|root| normal.names.starts_with(root)).map(Vec::len),
            Some(_) => None,
        };
        self.find(|normal| starts(normal).map(|count| count - 1))
    }

    /// The segments of paths at the index in their names that a function returns.
    fn find(&self, index_of: impl Fn(&Normal) -> Option<usize>) -> Vec<Qualified<'_>> {
        let mut found = Vec::new();
        for path in &self.paths.paths {
            let Some(normal) = self.paths.normal(path) else { continue };
            let Some(index) = index_of(&normal).filter(|index| *index >= normal.implied) else { continue };
            let at = normal.consumed + index - normal.implied;
            let Some(segment) = path.segments.get(at) else { continue };
            let is_leaf = path.import.is_some() && !path.is_glob && at + 1 == path.segments.len();
            found.push(Qualified { path, span: segment.span, is_leaf });
        }
        found
    }

    /// The paths of this file that name an item of another one, and the modules that import everything of it.
    fn imported(&self, key: &ImportKey) -> (Vec<Qualified<'_>>, Vec<Vec<String>>) {
        let file = self.document.path();
        let is_exact = |specifier: &&String| {
            let normal = read_specifier(specifier);
            let found = normal.as_ref().map(|normal| (modules_on(file, normal), normal.names.len()));
            found.is_some_and(|(found, count)| {
                found.last().is_some_and(|(own, module)| *own == count && module.inline.is_empty())
            })
        };
        let exact: Vec<Normal> = key.specifiers.iter().filter(is_exact).filter_map(|own| read_specifier(own)).collect();
        let is_module = |normal: &Normal, count: usize| {
            exact.iter().any(|own| own.up == normal.up && own.names == normal.names[..count])
        };
        let index_of = |normal: &Normal| {
            (0..normal.names.len()).find(|index| normal.names[*index] == key.name && is_module(normal, *index))
        };
        let globs = self.paths.paths.iter().filter(|path| {
            path.is_glob && self.paths.normal(path).is_some_and(|normal| is_module(&normal, normal.names.len()))
        });
        (self.find(index_of), globs.map(|path| path.inline.clone()).collect())
    }

    /// The binding of a leaf of a `use` tree.
    fn binding_of_leaf(&self, path: &Path) -> Option<BindingIndex> {
        let local = path.local()?;
        self.names
            .at(local.span.start)
            .filter(|place| place.span == local.span)
            .and_then(|place| self.names.binding_of(place))
    }
}

fn occurrence(place: &Place) -> Occurrence {
    Occurrence { span: place.span, usage: place.usage, certain: true }
}

impl Symbols for Rust {
    fn facts(document: &CodeDocument) -> InterfaceFacts {
        let own = Symbol::new(document);
        let symbols = document.symbols().symbols.iter();
        let kinds: HashMap<u32, &str> = symbols.map(|symbol| (symbol.selection.start, symbol.kind)).collect();
        let mut exports: BTreeMap<&str, ExportedName> = BTreeMap::new();
        for place in own.names.places.iter().filter(|place| Names::is_declaration(place)) {
            let Some(index) = own.names.binding_of(place) else { continue };
            let binding = &own.names.bindings[index];
            if binding.scope == FILE_SCOPE && binding.kind == BindingKind::Item {
                exports.entry(&binding.name).or_insert_with(|| ExportedName {
                    name: binding.name.clone(),
                    local: Some(binding.name.clone()),
                    span: place.span,
                    kind: kinds.get(&place.span.start).copied().unwrap_or("item").to_owned(),
                    type_only: false,
                });
            }
        }
        let mut imports = Vec::new();
        for path in &own.paths.paths {
            let Some(normal) = own.paths.normal(path) else { continue };
            imports_of(path, &normal, &mut imports);
        }
        InterfaceFacts { exports: exports.into_values().collect(), imports, shared: Vec::new(), free: Vec::new() }
    }

    fn resolve_symbol(document: &CodeDocument, subject: Subject) -> Result<Resolution> {
        let own = Symbol::new(document);
        match &subject {
            Subject::Imported(key) => Ok(own.resolve_imported(key)),
            _ => Ok(own.resolution(own.bound(&subject)?)),
        }
    }

    fn rename(document: &CodeDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        check_name(new_name)?;
        let own = Symbol::new(document);
        match &subject {
            Subject::Imported(key) => own.rename_imported(key, new_name),
            _ => own.rename(own.bound(&subject)?, new_name),
        }
    }
}

/// The facts about one path: the name that a leaf of a `use` tree imports, and the modules that a path goes through.
fn imports_of(path: &Path, normal: &Normal, imports: &mut Vec<ImportedName>) {
    let entry = |count: usize, name: &str, local: Option<String>, exported: Option<String>| ImportedName {
        specifier: Normal { names: normal.names[..count].to_vec(), ..normal.clone() }.specifier(),
        name: name.to_owned(),
        local,
        exported,
        type_only: false,
    };
    let count = normal.names.len();
    // Modules inside of this one see its private imports, too.
    let is_shown = path.inline.is_empty();
    let local = path.local().map(|local| local.name.clone());
    if path.is_glob {
        imports.push(entry(count, "*", None, is_shown.then(|| "*".to_owned())));
    } else if path.import.is_some() && !path.is_self && count > 0 {
        imports.push(entry(count - 1, &normal.names[count - 1], local.clone(), local.clone().filter(|_| is_shown)));
    }
    for prefix in 0..=count {
        let module = entry(prefix, "*", local.clone(), None);
        if !imports.contains(&module) {
            imports.push(module);
        }
    }
}

impl Symbol<'_> {
    fn resolution(&self, binding: BindingIndex) -> Resolution {
        let own = &self.names.bindings[binding];
        let mut occurrences: Vec<Occurrence> = self.names.references(binding).map(occurrence).collect();
        for qualified in self.qualified(binding) {
            let usage = if qualified.path.import.is_some() { Usage::Imported } else { Usage::Read };
            occurrences.push(Occurrence { span: qualified.span, usage, certain: true });
            if let Some(local) = self.binding_of_leaf(qualified.path).filter(|_| qualified.is_leaf) {
                occurrences.extend(self.names.references(local).map(occurrence));
            }
        }
        let words = self.names.words_of(self.document.text_str(), binding);
        occurrences.extend(words.map(|span| Occurrence { span, usage: Usage::Read, certain: false }));
        sort(&mut occurrences);
        let symbols = &self.document.symbols().symbols;
        let mut declared = self.names.references(binding).filter(|place| Names::is_declaration(place));
        let symbol = declared.find_map(|place| symbols.iter().find(|symbol| symbol.selection == place.span));
        let leaf =
            self.paths.paths.iter().find(|path| path.import.is_some() && self.binding_of_leaf(path) == Some(binding));
        let origin = leaf.filter(|path| !path.is_self).and_then(|path| {
            let normal = self.paths.normal(path)?;
            let (name, outer) = normal.names.split_last()?;
            let specifier = Normal { names: outer.to_vec(), ..normal.clone() }.specifier();
            let local = path.local().map(|local| local.name.clone());
            Some(ImportedName { specifier, name: name.clone(), local, exported: None, type_only: false })
        });
        let kind = match own.kind {
            BindingKind::Item => "item",
            BindingKind::Import => "import",
            BindingKind::Local => "variable",
            BindingKind::Generic => "type parameter",
        };
        let is_exported = own.scope == FILE_SCOPE && own.kind == BindingKind::Item;
        Resolution {
            kind: symbol.map_or(kind, |symbol| symbol.kind).to_owned(),
            address: symbol.map(|symbol| symbol.address.clone()),
            occurrences,
            exported_as: is_exported.then(|| own.name.clone()).into_iter().collect(),
            origin,
            incomplete: (own.namespaces & MACROS != 0 && own.kind == BindingKind::Item)
                .then(|| "files that are declared after a macro see it without an import".to_owned()),
            ..shared::empty_resolution(&own.name)
        }
    }

    fn resolve_imported(&self, key: &ImportKey) -> Resolution {
        let (qualified, globs) = self.imported(key);
        let (mut occurrences, mut exported) = (Vec::new(), Vec::new());
        for one in qualified {
            let usage = if one.path.import.is_some() { Usage::Imported } else { Usage::Read };
            occurrences.push(Occurrence { span: one.span, usage, certain: true });
            if let Some(local) = self.binding_of_leaf(one.path).filter(|_| one.is_leaf) {
                occurrences.extend(self.names.references(local).map(occurrence));
                let words = self.names.words_of(self.document.text_str(), local);
                occurrences.extend(words.map(|span| Occurrence { span, usage: Usage::Read, certain: false }));
                if self.names.is_shown(&one.path.inline) {
                    exported.extend(one.path.local().map(|local| local.name.clone()));
                }
            }
        }
        for module in globs.iter().filter_map(|inline| self.names.module(inline)) {
            occurrences.extend(self.names.free(&key.name, module).map(occurrence));
        }
        if globs.iter().any(Vec::is_empty) {
            exported.push(key.name.clone());
        }
        sort(&mut occurrences);
        exported.sort();
        exported.dedup();
        Resolution { occurrences, exported_as: exported, ..shared::empty_resolution(&key.name) }
    }

    fn rename(&self, binding: BindingIndex, new_name: &str) -> Result<RenameResult> {
        let own = &self.names.bindings[binding];
        let mut result = shared::empty_renaming(&own.name);
        if new_name == own.name {
            return Ok(result);
        }
        self.check_rename(binding, new_name)?;
        result.edits = self.names.references(binding).map(|place| edit(place, new_name)).collect();
        for qualified in self.qualified(binding) {
            self.rename_qualified(&qualified, new_name, &mut result);
        }
        result.unresolved = self.names.words_of(self.document.text_str(), binding).collect();
        if own.kind == BindingKind::Item {
            self.list_unbound(&own.name, &mut result);
        }
        let is_import = own.kind == BindingKind::Import;
        let is_shown = self
            .paths
            .paths
            .iter()
            .any(|path| is_import && path.inline.is_empty() && self.binding_of_leaf(path) == Some(binding));
        if own.scope == FILE_SCOPE && (own.kind == BindingKind::Item || is_shown) {
            result.exported.push(RenamedExport { old: own.name.clone(), new: new_name.to_owned() });
        }
        finish(&mut result);
        Ok(result)
    }

    /// Refuses names that this pack cannot follow, and new names that are taken.
    fn check_rename(&self, binding: BindingIndex, new_name: &str) -> Result<()> {
        let own = &self.names.bindings[binding];
        let refused = |message: String, hint: &str| Err(fail(FailureKind::Unsupported, message).hint(hint));
        let place = self.names.references(binding).find(|place| Names::is_declaration(place));
        if own.kind == BindingKind::Item && own.namespaces & MACROS != 0 {
            return refused(
                format!("`{}` is a macro: files that are declared after it see it without an import", own.name),
                "rename the places that a search finds",
            );
        }
        let is_visible = |place: &Place| {
            let symbol = self.document.symbols().symbols.iter().find(|symbol| symbol.selection == place.span);
            symbol.is_some_and(|symbol| child(self.document.arena(), symbol.node, K::VISIBILITY).is_some())
        };
        let is_inline = self.inline_of(binding).is_some_and(|inline| !inline.is_empty());
        if is_inline && own.kind == BindingKind::Item && place.is_some_and(is_visible) {
            return refused(
                format!("`{}` is visible outside of the module around it, and that module is part of a file", own.name),
                "use a language server (`engine: \"server\"`), or rename the places that a search finds",
            );
        }
        let is_module = place.is_some_and(|place| {
            let symbols = &self.document.symbols().symbols;
            symbols
                .iter()
                .any(|symbol| symbol.selection == place.span && symbol.kind == "module" && symbol.inner.is_none())
        });
        if is_module {
            return refused(
                format!("`{}` is a module with a file", own.name),
                "move the file: its name is that of the module",
            );
        }
        match self.names.conflict(binding, new_name) {
            None => Ok(()),
            Some(span) => {
                Err(fail(FailureKind::RefactorFailed, format!("`{new_name}` has another meaning here already"))
                    .hint("choose another name: the two could not be distinguished afterwards")
                    .at(span))
            }
        }
    }

    /// The edits of a path that names the renamed item, and of the names that it binds.
    fn rename_qualified(&self, one: &Qualified<'_>, new_name: &str, result: &mut RenameResult) {
        let local = self.binding_of_leaf(one.path).filter(|_| one.is_leaf && one.path.alias.is_none());
        let Some(local) = local else {
            result.edits.push(Edit::new(one.span, new_name));
            return;
        };
        let old = &self.names.bindings[local].name;
        if self.names.conflict(local, new_name).is_some() {
            // The name is taken here: the uses keep the old one.
            result.edits.push(Edit::new(one.span, format!("{new_name} as {old}")));
            return;
        }
        let places = self.names.references(local);
        result.edits.extend(places.map(|place| match place.form {
            Form::Imported => Edit::new(place.span, new_name),
            Form::Plain | Form::Shorthand => edit(place, new_name),
        }));
        result.unresolved.extend(self.names.words_of(self.document.text_str(), local));
        if self.names.is_shown(&one.path.inline) {
            result.exported.push(RenamedExport { old: old.clone(), new: new_name.to_owned() });
        }
    }

    fn rename_imported(&self, key: &ImportKey, new_name: &str) -> Result<RenameResult> {
        let (qualified, globs) = self.imported(key);
        let mut result = shared::empty_renaming(&key.name);
        for one in &qualified {
            self.rename_qualified(one, new_name, &mut result);
        }
        if globs.iter().any(Vec::is_empty) {
            result.exported.push(RenamedExport { old: key.name.clone(), new: new_name.to_owned() });
        }
        for module in globs.iter().filter_map(|inline| self.names.module(inline)) {
            for place in self.names.free(&key.name, module) {
                if let Some(taken) = self.names.lookup(new_name, place.namespaces(), place.scope()) {
                    let at = self.names.references(taken).next().map_or(place.span, |place| place.span);
                    return Err(fail(
                        FailureKind::RefactorFailed,
                        format!("`{new_name}` has another meaning in this file, which imports `{}` by `*`", key.name),
                    )
                    .hint("choose another name")
                    .at(at));
                }
                result.edits.push(edit(place, new_name));
            }
        }
        self.list_unbound(&key.name, &mut result);
        finish(&mut result);
        Ok(result)
    }

    /// Lists uses of the name that may come from an import by `*` that this pack does not follow.
    fn list_unbound(&self, name: &str, result: &mut RenameResult) {
        let is_edited = |span: Span| result.edits.iter().any(|edit| edit.span.contains(span));
        let open: Vec<Span> =
            self.names.unbound(name).map(|place| place.span).filter(|span| !is_edited(*span)).collect();
        result.unresolved.extend(open);
    }
}

/// The edit of one place.
fn edit(place: &Place, new_name: &str) -> Edit {
    match place.form {
        Form::Plain => Edit::new(place.span, new_name),
        Form::Imported => Edit::insert(place.span.end as usize, format!(" as {new_name}")),
        Form::Shorthand if place.start == place.span.start => {
            Edit::new(place.span, format!("{}: {new_name}", place.name))
        }
        // `ref` or `mut` comes before the name.
        Form::Shorthand => Edit::new(
            Span { start: place.start, end: place.span.end },
            format!("{}: {}{new_name}", place.name, place.before),
        ),
    }
}

fn sort(occurrences: &mut Vec<Occurrence>) {
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end, !occurrence.certain));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
}

fn finish(result: &mut RenameResult) {
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup_by_key(|edit| edit.span);
    result.exported.dedup();
    result.unresolved.sort_by_key(|span| span.start);
    result.unresolved.dedup();
}
