//! Symbols: variables and parameters within a file, and the occurrences of types in the files that import or name them.

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex, ScopeKind,
    rename::{self, Bound},
    scopes::NamePlace,
};
use marquetry_sdk::{
    ExportedName, Failure, FailureKind, ImportKey, ImportedName, InterfaceFacts, Occurrence, RenameResult, Resolution,
    Result, Span, Subject, Symbols, Usage, fail, shared,
};

use crate::{
    Java,
    access::TYPES,
    references::{first_type, imports, is_type_use, type_names},
};

/// The kinds of name nodes.
const NAMES: [&str; 5] = ["identifier", "member", "type_name", "type_identifier", "path_part"];
/// The parent kinds of names that a pattern binds. Such a name is visible where the pattern has matched.
const PATTERNS: [&str; 3] = ["instanceof_expression", "type_pattern", "record_pattern_component"];
/// The kinds of nodes that name the supertypes of a declared type.
const SUPERTYPES: [&str; 3] = ["superclass", "super_interfaces", "extends_interfaces"];

fn kind(document: &CodeDocument, node: NodeIndex) -> &'static str {
    document.language().kind_name(document.arena().node(node).kind)
}

fn field(document: &CodeDocument, node: NodeIndex) -> &'static str {
    document.language().field_name(document.arena().node(node).field)
}

/// The variable at an offset. `None` if the name at the offset belongs to a type or member.
fn variable_at(document: &CodeDocument, offset: u32) -> Option<Bound> {
    rename::bound_at(document, offset).ok().filter(|bound| !bound.is_member(document))
}

/// The node of a name at an offset. The name does not refer to a variable.
fn name_at(document: &CodeDocument, offset: u32) -> Result<NodeIndex> {
    let node = document.arena().innermost(Span { start: offset, end: offset });
    if NAMES.contains(&kind(document, node)) {
        return Ok(node);
    }
    Err(fail(FailureKind::TargetNotFound, "no name at this position").hint("give the position of a name in the file"))
}

fn offset_of(document: &CodeDocument, subject: &Subject) -> Result<u32> {
    match subject {
        Subject::At(offset) => Ok(*offset),
        Subject::Address(address) => Ok(document.symbols().symbols[document.find_symbols(address)?[0]].selection.start),
        Subject::Exported(name) => {
            let exported = exports(document).into_iter().find(|export| export.name == *name);
            exported.map(|export| export.span.start).ok_or_else(|| {
                fail(FailureKind::TargetNotFound, format!("the file has no type `{name}`"))
                    .hint("list the symbols of the file")
            })
        }
        Subject::Shared(shared) => Err(shared::unknown_namespace(&shared.namespace)),
        Subject::Imported(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => {
            Err(Failure::unsupported("Java files have no symbols of this kind")
                .hint("give the position of a name in the file"))
        }
    }
}

/// The exported names: the types at the top level.
fn exports(document: &CodeDocument) -> Vec<ExportedName> {
    let symbols = document.symbols().symbols.iter();
    let types = symbols.filter(|symbol| symbol.parent.is_none() && TYPES.contains(&symbol.kind));
    let export = |symbol: &marquetry_code::outline::Symbol| ExportedName {
        name: symbol.name.clone(),
        local: Some(symbol.name.clone()),
        span: symbol.selection,
        kind: symbol.kind.to_owned(),
        type_only: false,
    };
    types.map(export).collect()
}

fn occurrence(place: &NamePlace) -> Occurrence {
    Occurrence { span: place.span, usage: place.usage, certain: true }
}

impl Symbols for Java {
    fn facts(document: &CodeDocument) -> InterfaceFacts {
        let entry = |specifier: &str| {
            let (name, _) = first_type(specifier)?;
            let is_last = specifier.ends_with(name);
            Some(ImportedName {
                specifier: specifier.to_owned(),
                name: name.to_owned(),
                local: is_last.then(|| name.to_owned()),
                exported: None,
                type_only: false,
            })
        };
        let own = imports(document);
        let imported = own.iter().filter_map(|import| entry(&import.path));
        let used = type_names(document);
        let imports = imported.chain(used.iter().filter_map(|used| entry(&used.name))).collect();
        InterfaceFacts { exports: exports(document), imports, shared: Vec::new(), free: Vec::new() }
    }

    fn resolve_symbol(document: &CodeDocument, subject: Subject) -> Result<Resolution> {
        if let Subject::Imported(key) = &subject {
            return Ok(resolve_imported(document, key));
        }
        // A member that a file of another language declares.
        if let Subject::Declared(key) = &subject {
            return Ok(shared::empty_resolution(&key.name));
        }
        let offset = offset_of(document, &subject)?;
        match variable_at(document, offset) {
            Some(bound) => {
                let is_doubtful = bound.places(document).any(|place| may_be_inherited(document, &bound, place));
                Ok(Resolution {
                    kind: "variable".to_owned(),
                    occurrences: bound.places(document).map(occurrence).collect(),
                    incomplete: is_doubtful
                        .then(|| "a class around some uses may inherit a field of this name".to_owned()),
                    ..shared::empty_resolution(&bound.name)
                })
            }
            None => Ok(resolve_name(document, name_at(document, offset)?)),
        }
    }

    fn rename(document: &CodeDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Subject::Imported(key) = &subject {
            return Err(type_failure(&key.name));
        }
        if let Subject::Declared(key) = &subject {
            return Ok(shared::empty_renaming(&key.name));
        }
        let offset = offset_of(document, &subject)?;
        let Some(bound) = variable_at(document, offset) else {
            let node = name_at(document, offset)?;
            let name = document.arena().slice(node);
            let is_type = matches!(kind(document, node), "type_name" | "type_identifier");
            return Err(if is_type { type_failure(name) } else { rename::member_failure(name) });
        };
        check_visibility(document, &bound)?;
        let edits = rename::rename(document, &bound, new_name)?;
        Ok(RenameResult { edits, ..shared::empty_renaming(&bound.name) })
    }
}

fn type_failure(name: &str) -> Failure {
    fail(FailureKind::Unsupported, format!("`{name}` is a type: its file and its constructors have its name, too"))
        .hint("use a language server (`engine: \"server\"`), or rename the places that a search finds")
}

/// Refuses a variable if one of its occurrences may refer to a field of the same name instead.
fn check_visibility(document: &CodeDocument, bound: &Bound) -> Result<()> {
    let names = document.names();
    let places: Vec<&NamePlace> = bound.places(document).collect();
    let first = places.iter().find(|place| place.binding.is_some()).map_or(0, |place| place.span.start);
    let is_pattern = |place: &&&NamePlace| {
        let parent = document.arena().node(place.node).parent;
        place.binding == Some(BindingKind::Variable) && PATTERNS.contains(&kind(document, parent))
    };
    let around = std::iter::successors(Some(bound.owner), |scope| {
        Some(names.scopes[*scope].parent).filter(|parent| parent != scope)
    });
    let mut members = around.filter(|scope| names.scopes[*scope].kind == ScopeKind::Members);
    let hides_field = members.any(|scope| names.binds(scope, &bound.name));
    let doubtful = places.iter().find(|place| place.span.start < first);
    let doubtful = doubtful.or_else(|| places.iter().find(is_pattern).filter(|_| hides_field));
    let doubtful = doubtful.or_else(|| places.iter().find(|place| may_be_inherited(document, bound, place)));
    match doubtful {
        Some(place) => {
            let message = format!("`{}` may be a field at one of these places", bound.name);
            Err(fail(FailureKind::RefactorFailed, message).hint("give the field another name first").at(place.span))
        }
        None => Ok(()),
    }
}

/// Returns whether an occurrence is in a class inside the scope of the variable, and the class has supertypes or is
/// anonymous. An inherited field may then hide the variable.
fn may_be_inherited(document: &CodeDocument, bound: &Bound, place: &NamePlace) -> bool {
    let (arena, scopes) = (document.arena(), &document.names().scopes);
    let mut inside = std::iter::successors(Some(place.scope), |scope| Some(scopes[*scope].parent))
        .take_while(|scope| *scope != bound.owner);
    inside.any(|scope| {
        let own = scopes[scope].node;
        let declared = if kind(document, own) == "record_declaration" { own } else { arena.node(own).parent };
        let has_supertypes = || arena.children(declared).any(|child| SUPERTYPES.contains(&kind(document, child)));
        let is_anonymous = || matches!(kind(document, declared), "object_creation_expression" | "enum_constant");
        scopes[scope].kind == ScopeKind::Members && (is_anonymous() || has_supertypes())
    })
}

/// The occurrences of a type or member name in this file. Only declarations and uses of types are certain.
fn resolve_name(document: &CodeDocument, node: NodeIndex) -> Resolution {
    let (arena, name) = (document.arena(), document.arena().slice(node));
    let is_type = matches!(kind(document, node), "type_name" | "type_identifier");
    let symbol = document.symbols().symbols.iter().find(|symbol| symbol.selection == arena.node(node).span);
    let top = exports(document).into_iter().find(|export| export.name == name);
    let origin = imports(document).into_iter().find(|import| import.simple_name() == Some(name)).filter(|_| is_type);
    let places = arena
        .nodes()
        .filter(|(index, node)| node.span.slice(&arena.text) == name && NAMES.contains(&kind(document, *index)));
    let occurrences = places.map(|(index, place)| {
        let is_declared = document.symbols().symbols.iter().any(|symbol| symbol.selection == place.span);
        let is_sure = is_declared || is_type && is_type_use(document, index);
        let is_called = || kind(document, place.parent) == "method_invocation" && field(document, index) == "name";
        let usage = match () {
            () if is_declared => Usage::Declaration,
            () if is_called() => Usage::Called,
            () => Usage::Read,
        };
        Occurrence { span: place.span, usage, certain: is_sure }
    });
    Resolution {
        kind: symbol.map_or("name", |symbol| symbol.kind).to_owned(),
        address: symbol.map(|symbol| symbol.address.clone()),
        occurrences: occurrences.collect(),
        exported_as: top.filter(|_| is_type).map(|export| export.name).into_iter().collect(),
        origin: origin.map(|import| ImportedName {
            specifier: import.path.clone(),
            name: name.to_owned(),
            local: Some(name.to_owned()),
            exported: None,
            type_only: false,
        }),
        incomplete: Some("without types, uses of members and nested types are not known".to_owned()),
        ..shared::empty_resolution(name)
    }
}

/// The occurrences of a type that another file declares.
fn resolve_imported(document: &CodeDocument, key: &ImportKey) -> Resolution {
    let mut occurrences = Vec::new();
    let has = |specifier: &str| key.specifiers.iter().any(|known| known == specifier);
    let part = |specifier: &str, span: Span| {
        let (name, at) = first_type(specifier).filter(|(name, _)| *name == key.name)?;
        let is_plain = span.slice(document.text_str()) == specifier;
        Some(if is_plain { Span::new(span.range().start + at, span.range().start + at + name.len()) } else { span })
    };
    let mut is_simple = false;
    for import in imports(document).iter().filter(|import| has(&import.path)) {
        let span = part(&import.path, import.span);
        occurrences.extend(span.map(|span| Occurrence { span, usage: Usage::Imported, certain: true }));
        is_simple |= import.simple_name() == Some(&key.name);
    }
    for used in type_names(document).iter().filter(|used| has(&used.name)) {
        let span = part(&used.name, used.span).filter(|_| used.name.contains('.'));
        occurrences.extend(span.map(|span| Occurrence { span, usage: Usage::Read, certain: true }));
        is_simple |= used.name == key.name;
    }
    if is_simple {
        let arena = document.arena();
        let uses = arena
            .nodes()
            .filter(|(index, node)| node.span.slice(&arena.text) == key.name && is_type_use(document, *index));
        occurrences.extend(uses.map(|(_, node)| Occurrence { span: node.span, usage: Usage::Read, certain: true }));
    }
    occurrences.sort_by_key(|occurrence| occurrence.span.start);
    occurrences.dedup_by_key(|occurrence| occurrence.span);
    Resolution { occurrences, ..shared::empty_resolution(&key.name) }
}
