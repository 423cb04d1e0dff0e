//! Names across files: the names that a module exports and imports, and their references and renames.

use std::collections::{BTreeMap, HashMap};

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex,
    rename::{self, Bound},
    scopes::{FILE_SCOPE, NamePlace},
};
use marquetry_sdk::{
    DeclaredKey, Dependency, Edit, ExportedName, Failure, FailureKind, FileLocation, ImportKey, ImportedName,
    InterfaceFacts, Occurrence, RenameResult, RenamedExport, Resolution, Result, Span, Subject, Symbols, Usage, fail,
    shared,
};

use crate::{
    Python,
    imports::{self, Import},
    keywords::Parameter,
    links::module_imports,
    lower::F,
    members::{self, Member},
    name_strings::{annotation_strings, exported_strings, mentions},
    origins, reexports,
    uses::{self, attribute_usage, imports_of, local_places, module_attributes, wildcard},
};

/// The import of the module whose attribute is at an offset, and the node of the attribute.
fn attribute_at(document: &CodeDocument, offset: u32) -> Option<(Import, NodeIndex)> {
    let is_there = |node: NodeIndex| {
        let span = document.arena().node(node).span;
        span.start <= offset && offset <= span.end
    };
    uses::module_uses(document).into_iter().find_map(|(import, uses)| {
        let used = uses.iter().find(|used| is_there(used.attribute))?;
        Some((import, used.attribute))
    })
}

/// The binding of a subject in this file.
fn bound(document: &CodeDocument, subject: &Subject) -> Result<Bound> {
    match subject {
        Subject::At(offset) => rename::bound_at(document, *offset),
        Subject::Address(address) => rename::bound_of(document, address),
        Subject::Exported(name) if document.names().binds(FILE_SCOPE, name) => {
            Ok(Bound { name: name.clone(), owner: FILE_SCOPE })
        }
        Subject::Exported(name) => Err(fail(FailureKind::TargetNotFound, format!("the module has no name `{name}`"))
            .hint("list the symbols of the file")),
        Subject::Shared(shared) => Err(shared::unknown_namespace(&shared.namespace)),
        Subject::Imported(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => {
            Err(Failure::unsupported("Python files have no symbols of this kind")
                .hint("give the position of a name in the file"))
        }
    }
}

fn occurrence(place: &NamePlace) -> Occurrence {
    Occurrence { span: place.span, usage: place.usage, certain: true }
}

impl Symbols for Python {
    fn facts(document: &CodeDocument) -> InterfaceFacts {
        let names = document.names();
        let symbols = document.symbols().symbols.iter();
        let kinds: HashMap<u32, &str> = symbols.map(|symbol| (symbol.selection.start, symbol.kind)).collect();
        let mut exports: BTreeMap<&str, ExportedName> = BTreeMap::new();
        let bound =
            names.places.iter().filter(|place| place.binding.is_some() && names.owner_of(place) == Some(FILE_SCOPE));
        for place in bound.filter(|place| place.binding != Some(BindingKind::Import)) {
            exports.entry(&place.name).or_insert_with(|| ExportedName {
                name: place.name.clone(),
                local: Some(place.name.clone()),
                span: place.span,
                kind: kinds.get(&place.span.start).copied().unwrap_or("variable").to_owned(),
                type_only: false,
            });
        }
        let mut imports = Vec::new();
        for import in imports::imports(document) {
            let entry = |specifier: String, name: &str| ImportedName {
                specifier,
                name: name.to_owned(),
                local: import.local.clone(),
                exported: match &import.local {
                    Some(local) => import.is_global.then(|| local.clone()),
                    None => Some("*".to_owned()),
                },
                type_only: import.is_type_only,
            };
            match import.name.as_deref() {
                Some(name) => {
                    imports.push(entry(import.module.clone(), name));
                    if name != "*" {
                        imports.push(entry(import.submodule(), "*"));
                    }
                }
                None => imports.push(entry(import.module.clone(), "*")),
            }
        }
        InterfaceFacts { exports: exports.into_values().collect(), imports, shared: Vec::new(), free: Vec::new() }
    }

    fn resolve_symbol(document: &CodeDocument, subject: Subject) -> Result<Resolution> {
        if let Subject::Declared(key) = &subject {
            if members::is_member_key(key) {
                return Ok(members::resolve_declared(document, key));
            }
            let possible = |span: Span| Occurrence { span, usage: Usage::Read, certain: false };
            let occurrences = calls_of_method(document, key).into_iter().map(possible).collect();
            return Ok(Resolution { occurrences, ..shared::empty_resolution(&key.name) });
        }
        if let Subject::Imported(key) = &subject {
            return Ok(resolve_imported(document, key));
        }
        if let Subject::At(offset) = subject
            && let Some((import, attribute)) = attribute_at(document, offset)
        {
            return Ok(resolve_attribute(document, &import, attribute));
        }
        if let Some(member) = members::member_of(document, &subject) {
            return resolve_member(document, &subject, &member);
        }
        if let Subject::At(offset) = subject
            && let Some((name, place)) = declaration_at(document, offset)
        {
            let known = rename::bound_at(document, offset).map(|bound| resolution(document, &bound));
            let known = known.unwrap_or_else(|_| shared::empty_resolution(&name));
            return Ok(Resolution { name, elsewhere: Some(place), ..known });
        }
        let bound = bound(document, &subject)?;
        let elsewhere = match subject {
            Subject::Address(_) => origins::declaration_of_bound(document, &bound),
            _ => None,
        };
        Ok(Resolution { elsewhere, ..resolution(document, &bound) })
    }

    fn rename(document: &CodeDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Subject::Declared(key) = &subject {
            if members::is_member_key(key) {
                return members::rename_declared(document, key, new_name);
            }
            return Ok(RenameResult {
                unresolved: calls_of_method(document, key),
                ..shared::empty_renaming(&key.name)
            });
        }
        if let Subject::Imported(key) = &subject {
            return rename_imported(document, key, new_name);
        }
        if let Subject::At(offset) = subject
            && let Some((import, attribute)) = attribute_at(document, offset)
        {
            return rename_attribute(document, &import, attribute);
        }
        if let Some(member) = members::member_of(document, &subject) {
            return match members::elsewhere(document, &member) {
                Some(place) => Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&member.name) }),
                None => members::rename_member(document, &member, new_name),
            };
        }
        if let Subject::At(offset) = subject
            && let Some((name, place)) = declaration_at(document, offset)
        {
            return Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&name) });
        }
        let bound = bound(document, &subject)?;
        if let Subject::Exported(_) = subject {
            let mut result = rename_bound(document, &bound, new_name)?;
            reexports::remove_redundant_aliases(document, &mut result.edits, new_name);
            return Ok(result);
        }
        if let Subject::Address(_) = subject
            && let Some(place) = origins::declaration_of_bound(document, &bound)
        {
            return Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&bound.name) });
        }
        rename_bound(document, &bound, new_name)
    }
}

/// The occurrences of a member. If the member cannot be followed, only those in the statements of its class.
fn resolve_member(document: &CodeDocument, subject: &Subject, member: &Member) -> Result<Resolution> {
    let bound = bound(document, subject).ok();
    let address = match subject {
        Subject::Address(address) => {
            let found = document.find_symbols(address)?;
            found.first().map(|first| document.symbols().symbols[*first].address.clone())
        }
        _ => bound.as_ref().and_then(|bound| bound.address(document)),
    };
    match (members::resolve(document, member, address), bound) {
        (Ok(resolution), _) => Ok(resolution),
        (Err(failure), Some(bound)) => {
            Ok(Resolution { incomplete: Some(failure.message), ..resolution(document, &bound) })
        }
        (Err(failure), None) => Err(failure),
    }
}

/// The keyword arguments in calls that may call a method of another file, which has a parameter with this key.
fn calls_of_method(document: &CodeDocument, key: &DeclaredKey) -> Vec<Span> {
    // The calls in the file of the method were found together with the parameter.
    if key.locations.iter().any(|location| location.path == document.path()) {
        return Vec::new();
    }
    Parameter::declared(key).map(|parameter| parameter.possible_keywords(document)).unwrap_or_default()
}

/// The declaration, in another file, of the name at an offset, together with that name. `None` if the name is local,
/// such as a name after `as`.
fn declaration_at(document: &CodeDocument, offset: u32) -> Option<(String, FileLocation)> {
    if let Ok(bound) = rename::bound_at(document, offset) {
        return origins::declaration_of_bound(document, &bound).map(|place| (bound.name, place));
    }
    origins::declaration_at_import(document, offset).or_else(|| origins::declaration_of_free(document, offset))
}

/// Renames `f` in `module.f`, which the module declares. The host renames it in the declaring file instead.
fn rename_attribute(document: &CodeDocument, import: &Import, attribute: NodeIndex) -> Result<RenameResult> {
    let name = document.arena().slice(attribute);
    if let Some(place) = origins::declaration(document.path(), &import.submodule(), name) {
        return Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(name) });
    }
    let message = format!("`{name}` is declared in the module `{}`", import.submodule());
    Err(fail(FailureKind::RefactorFailed, message)
        .hint("rename it in the file that declares it")
        .at(document.arena().node(attribute).span))
}

fn resolution(document: &CodeDocument, bound: &Bound) -> Resolution {
    let mut occurrences: Vec<Occurrence> = bound.places(document).map(occurrence).collect();
    for (span, certain, usage) in mentions(document, bound) {
        occurrences.push(Occurrence { span, usage, certain });
    }
    let parameter = Parameter::from_binding(document, bound);
    let declared = parameter.as_ref().and_then(|parameter| parameter.key(document));
    let mut exported: Vec<String> = bound.is_global().then(|| bound.name.clone()).into_iter().collect();
    if let Some(parameter) = &parameter {
        let keywords = parameter.keywords(document);
        exported.extend(keywords.exports(parameter, &bound.name).into_iter().map(|export| export.old));
        occurrences.extend(keywords.occurrences());
    }
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
    let address = bound.address(document);
    let symbol = document.symbols().symbols.iter().find(|symbol| Some(&symbol.address) == address.as_ref());
    let import = imports::imports(document).into_iter().find(|import| {
        import.local.as_ref() == Some(&bound.name)
            && local_places(document, import).any(|place| document.names().owner_of(place) == Some(bound.owner))
    });
    let origin = import.map(|import| {
        let whole = origins::module_of_import(document, &import);
        ImportedName {
            name: import.name.clone().filter(|_| whole.is_none()).unwrap_or_else(|| "*".to_owned()),
            specifier: whole.unwrap_or(import.module),
            local: import.local,
            exported: None,
            type_only: import.is_type_only,
        }
    });
    let is_member = bound.is_member(document);
    Resolution {
        kind: symbol.map_or("variable", |symbol| symbol.kind).to_owned(),
        address,
        occurrences,
        exported_as: exported,
        declared,
        origin,
        incomplete: is_member.then(|| "without types, uses of members through objects are not known".to_owned()),
        ..shared::empty_resolution(&bound.name)
    }
}

fn rename_bound(document: &CodeDocument, bound: &Bound, new_name: &str) -> Result<RenameResult> {
    let mut edits = rename::rename(document, bound, new_name)?;
    let mut unresolved = Vec::new();
    if new_name != bound.name {
        for (span, certain, _) in mentions(document, bound) {
            match certain {
                true => edits.push(Edit::new(span, new_name)),
                false => unresolved.push(span),
            }
        }
    }
    let parameter = Parameter::from_binding(document, bound).filter(|_| new_name != bound.name);
    let declared = parameter.as_ref().and_then(|parameter| parameter.key(document));
    let is_exported = bound.is_global() && new_name != bound.name;
    let renamed = || RenamedExport { old: bound.name.clone(), new: new_name.to_owned() };
    let mut exported: Vec<RenamedExport> = is_exported.then(renamed).into_iter().collect();
    if let Some(parameter) = &parameter {
        let keywords = parameter.keywords(document);
        exported.extend(keywords.exports(parameter, new_name));
        edits.extend(keywords.certain.into_iter().map(|span| Edit::new(span, new_name)));
        unresolved.extend(keywords.possible);
    }
    edits.sort_by_key(|edit| edit.span.start);
    Ok(RenameResult { edits, exported, declared, unresolved, ..shared::empty_renaming(&bound.name) })
}

fn resolve_imported(document: &CodeDocument, key: &ImportKey) -> Resolution {
    if let Some(parameter) = Parameter::parse(&key.name) {
        let keywords = parameter.imported_keywords(document, key);
        let exported = keywords.exports(&parameter, &parameter.name).into_iter().map(|export| export.old).collect();
        let occurrences = keywords.occurrences().collect();
        return Resolution { occurrences, exported_as: exported, ..shared::empty_resolution(&parameter.name) };
    }
    let mut occurrences = Vec::new();
    let mut exported = Vec::new();
    for import in imports_of(document, key) {
        occurrences.push(Occurrence { span: import.name_span, usage: Usage::Imported, certain: true });
        occurrences.extend(local_places(document, &import).map(occurrence));
        let shown = import.local.as_ref().filter(|_| import.is_global && !import.is_aliased);
        if let Some(local) = shown {
            let strings = exported_strings(document).into_iter().filter(|(name, _)| name == local);
            occurrences.extend(strings.map(|(_, span)| Occurrence { span, usage: Usage::Exported, certain: true }));
            let types = annotation_strings(document, local).into_iter();
            occurrences.extend(types.map(|span| Occurrence { span, usage: Usage::InString, certain: false }));
        }
        exported.extend(import.local.clone().filter(|_| import.is_global));
    }
    for attribute in module_attributes(document, &key.specifiers, &key.name) {
        let span = document.arena().node(attribute).span;
        occurrences.push(Occurrence { span, usage: attribute_usage(document, attribute), certain: true });
    }
    let through_wildcard = wildcard(document, Some(&key.specifiers)).is_some();
    if through_wildcard && !document.names().binds(FILE_SCOPE, &key.name) {
        let places = document.names().places.iter();
        let free = places.filter(|place| place.name == key.name && document.names().owner_of(place).is_none());
        occurrences.extend(free.map(|place| Occurrence { certain: false, ..occurrence(place) }));
        exported.push(key.name.clone());
    }
    occurrences.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
    occurrences.dedup_by_key(|occurrence| occurrence.span);
    exported.sort();
    exported.dedup();
    let incomplete = through_wildcard.then(|| "the module is imported with `*`".to_owned());
    Resolution { occurrences, exported_as: exported, incomplete, ..shared::empty_resolution(&key.name) }
}

fn resolve_attribute(document: &CodeDocument, import: &Import, attribute: NodeIndex) -> Resolution {
    let name = document.arena().slice(attribute);
    let specifier = import.submodule();
    let attributes = module_attributes(document, std::slice::from_ref(&specifier), name);
    let occurrence = |node: &NodeIndex| Occurrence {
        span: document.arena().node(*node).span,
        usage: attribute_usage(document, *node),
        certain: true,
    };
    let occurrences = attributes.iter().map(occurrence).collect();
    let elsewhere = origins::declaration(document.path(), &specifier, name);
    let origin = ImportedName { specifier, name: name.to_owned(), local: None, exported: None, type_only: false };
    Resolution { occurrences, origin: Some(origin), elsewhere, ..shared::empty_resolution(name) }
}

fn rename_imported(document: &CodeDocument, key: &ImportKey, new_name: &str) -> Result<RenameResult> {
    crate::table::check_name(new_name)?;
    if let Some(parameter) = Parameter::parse(&key.name) {
        let keywords = parameter.imported_keywords(document, key);
        return Ok(RenameResult {
            exported: keywords.exports(&parameter, new_name),
            edits: keywords.certain.into_iter().map(|span| Edit::new(span, new_name)).collect(),
            unresolved: keywords.possible,
            ..shared::empty_renaming(&parameter.name)
        });
    }
    let mut result = shared::empty_renaming(&key.name);
    let imports = imports_of(document, key);
    for import in &imports {
        let Some(local) = &import.local else { continue };
        if reexports::is_kept(document, import) {
            result.edits.push(reexports::keep(import, new_name));
            continue;
        }
        if import.is_aliased {
            result.edits.push(Edit::new(import.name_span, new_name));
            continue;
        }
        let places: Vec<&NamePlace> = local_places(document, import).collect();
        let names = document.names();
        let owner = places.first().and_then(|place| names.owner_of(place)).unwrap_or(FILE_SCOPE);
        // Another import binds the same name to something else, as in `try: from a import f` and `except: from b import f`.
        let is_other = |place: &&NamePlace| {
            place.binding == Some(BindingKind::Import) && imports.iter().all(|known| known.local_span != place.span)
        };
        if places.iter().any(is_other) || names.rename_conflict(local, owner, new_name).is_some() {
            // The uses keep the old name.
            result.edits.push(Edit::new(import.name_span, format!("{new_name} as {local}")));
            continue;
        }
        result.edits.extend(places.iter().map(|place| Edit::new(place.span, new_name)));
        if import.is_global {
            let shown = exported_strings(document).into_iter().filter(|(name, _)| name == local);
            result.edits.extend(shown.map(|(_, span)| Edit::new(span, new_name)));
            result.unresolved.extend(annotation_strings(document, local));
            result.exported.push(RenamedExport { old: local.clone(), new: new_name.to_owned() });
        }
    }
    for attribute in module_attributes(document, &key.specifiers, &key.name) {
        result.edits.push(Edit::new(document.arena().node(attribute).span, new_name));
    }
    if wildcard(document, Some(&key.specifiers)).is_some() {
        let names = document.names();
        let free = names.places.iter().filter(|place| place.name == key.name && names.owner_of(place).is_none());
        result.unresolved.extend(free.map(|place| place.span));
        let listed = exported_strings(document).into_iter().filter(|(name, _)| *name == key.name);
        result.unresolved.extend(listed.map(|(_, span)| span));
        result.exported.push(RenamedExport { old: key.name.clone(), new: new_name.to_owned() });
    }
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup_by_key(|edit| edit.span);
    result.exported.dedup();
    Ok(result)
}

/// The edit that makes an import bind another local name.
pub(crate) fn rename_import(document: &CodeDocument, place: &NamePlace, new_name: &str) -> Option<Edit> {
    let arena = document.arena();
    let field = arena.node(place.node).field;
    if field == F::Alias.into() {
        return Some(Edit::new(place.span, new_name));
    }
    let whole = arena.node(place.node).span;
    let is_path = field == F::Path.into() && whole.slice(&arena.text).contains('.');
    (!is_path).then(|| Edit::insert(whole.range().end, format!(" as {new_name}")))
}

/// The names of other modules that a node uses.
pub(crate) fn dependencies(document: &CodeDocument, node: NodeIndex) -> Vec<Dependency> {
    let span = document.arena().node(node).span;
    let mut found: Vec<Dependency> = Vec::new();
    for import in module_imports(document) {
        let is_used = local_places(document, &import).any(|place| place.binding.is_none() && span.contains(place.span));
        if is_used {
            let symbol = import.name.clone().unwrap_or_else(|| "*".to_owned());
            found.push(Dependency { symbol, from: import.module.clone() });
        }
    }
    found.dedup();
    found
}
