//! Renames of names within one file, and the failures for names whose uses cannot be found.

use marquetry_sdk::{Edit, Failure, FailureKind, Result, Span, fail};

use crate::{
    document::CodeDocument,
    language::{BindingKind, ScopeKind},
    scopes::{FILE_SCOPE, NamePlace, ScopeData, ScopeIndex},
};

/// A name, and the scope that binds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The name.
    pub name: String,
    /// The scope.
    pub owner: ScopeIndex,
}

impl Bound {
    /// Returns whether the scope of the file binds the name.
    pub fn is_global(&self) -> bool {
        self.owner == FILE_SCOPE
    }

    /// Returns whether the name is a member of a class.
    pub fn is_member(&self, document: &CodeDocument) -> bool {
        matches!(document.names().scopes[self.owner].kind, ScopeKind::Class | ScopeKind::Members)
    }

    /// All occurrences of the name, in order.
    pub fn places<'d>(&'d self, document: &'d CodeDocument) -> impl Iterator<Item = &'d NamePlace> {
        document.names().references(&self.name, self.owner)
    }

    /// The address of the declaration of the name, if the outline lists the declaration.
    pub fn address(&self, document: &CodeDocument) -> Option<String> {
        let mut places = self.places(document).filter(|place| place.binding.is_some());
        places.find_map(|place| {
            let symbols = &document.symbols().symbols;
            symbols.iter().find(|symbol| symbol.selection == place.span).map(|symbol| symbol.address.clone())
        })
    }
}

/// The binding of the name at an offset.
///
/// # Errors
///
/// Fails with `TargetNotFound` if the offset is not at a name, or no scope of the file binds it.
pub fn bound_at(document: &CodeDocument, offset: u32) -> Result<Bound> {
    let at = Span { start: offset, end: offset };
    let Some(place) = document.names().at(offset) else {
        return Err(fail(FailureKind::TargetNotFound, "no name at this position can be resolved")
            .hint("give the position of a function, class, variable, parameter or import")
            .at(at));
    };
    match document.names().owner_of(place) {
        Some(owner) => Ok(Bound { name: place.name.clone(), owner }),
        None => Err(fail(FailureKind::TargetNotFound, format!("`{}` is not declared in this file", place.name))
            .hint("it is built in, or comes from a wildcard import")
            .at(place.span)),
    }
}

/// The binding of the declaration with an address. Parameters and variables of a function are not in the outline, but
/// they have the address that they would have there: `send.text`.
///
/// # Errors
///
/// Fails with `TargetNotFound` and the nearest addresses if there is no such declaration, with `InvalidArgument` for a
/// block, and with `Unsupported` for an item of a literal.
pub fn bound_of(document: &CodeDocument, address: &str) -> Result<Bound> {
    let found = match document.find_symbols(address) {
        Ok(found) => found,
        Err(failure) => return local_of(document, address, failure),
    };
    let symbol = &document.symbols().symbols[found[0]];
    if document.language().literal(document.arena(), symbol.block).is_some() {
        return Err(Failure::unsupported(format!("`{address}` is an item of a collection, whose uses are not known"))
            .hint("replace the item with `replace`, and edit each place that a search for its key finds")
            .at(symbol.selection));
    }
    if symbol.name_node.is_none() {
        return Err(fail(FailureKind::InvalidArgument, format!("`{address}` is a block without a name"))
            .hint("use the address of a declaration"));
    }
    bound_at(document, symbol.selection.start)
}

/// The parameter or variable of a function with an address. `missing` is the failure if the address does not consist of
/// the address of a function and a name.
fn local_of(document: &CodeDocument, address: &str, missing: Failure) -> Result<Bound> {
    let (names, outline) = (document.names(), document.symbols());
    let separator = document.language().addresses.separator;
    let Some((function, name)) = address.trim().rsplit_once(separator) else { return Err(missing) };
    let scope_of = |index: usize| {
        let is_it = |scope: &ScopeData| scope.kind == ScopeKind::Function && scope.node == outline.symbols[index].node;
        Some((index, names.scopes.iter().position(is_it)?))
    };
    let scopes: Vec<(usize, ScopeIndex)> = outline.find(function).into_iter().filter_map(scope_of).collect();
    let local = |(index, name): (usize, &str)| format!("{}{separator}{name}", outline.symbols[index].address);
    let found: Vec<&(usize, ScopeIndex)> = scopes.iter().filter(|(_, scope)| names.binds(*scope, name)).collect();
    match found[..] {
        [(_, owner)] => Ok(Bound { name: name.to_owned(), owner: *owner }),
        [] if scopes.is_empty() => Err(missing),
        [] => {
            let known = scopes.iter().flat_map(|(index, scope)| names.bound_names(*scope).map(|name| (*index, name)));
            let known: Vec<String> = known.map(local).collect();
            Err(Failure::not_found("symbol", address, known.iter().map(String::as_str)))
        }
        _ => Err(fail(FailureKind::InvalidArgument, format!("{} functions have a `{address}`", found.len()))
            .hint("use one of the candidates")
            .candidates(found.into_iter().map(|(index, _)| local((*index, name))))),
    }
}

/// The edits that rename a binding in its file.
///
/// # Errors
///
/// Fails with `InvalidArgument` if the new name is not valid, and with `RefactorFailed` and the conflicting occurrence
/// if a name would refer to another binding afterwards.
pub fn rename(document: &CodeDocument, bound: &Bound, new_name: &str) -> Result<Vec<Edit>> {
    (document.language().hooks.check_name)(new_name)?;
    if new_name == bound.name {
        return Ok(Vec::new());
    }
    if bound.is_member(document) {
        return Err(member_failure(&bound.name));
    }
    check_conflict(document, bound, new_name)?;
    let mut edits: Vec<Edit> = Vec::new();
    for place in bound.places(document) {
        edits.push(rename_place(document, place, new_name)?);
    }
    edits.dedup_by_key(|edit| edit.span);
    Ok(edits)
}

/// Refuses a new name that is taken, or that would refer to another binding at one of the uses.
///
/// # Errors
///
/// Fails with `RefactorFailed` and the conflicting occurrence.
pub fn check_conflict(document: &CodeDocument, bound: &Bound, new_name: &str) -> Result<()> {
    match document.names().rename_conflict(&bound.name, bound.owner, new_name) {
        None => Ok(()),
        Some(place) => Err(fail(FailureKind::RefactorFailed, format!("`{new_name}` already has another meaning here"))
            .hint("choose another name: the two could not be distinguished afterwards")
            .at(place.span)),
    }
}

/// The edit of one occurrence. An import gets an alias, because the exported name does not change.
fn rename_place(document: &CodeDocument, place: &NamePlace, new_name: &str) -> Result<Edit> {
    if place.binding != Some(BindingKind::Import) {
        return Ok(Edit::new(place.span, new_name));
    }
    match (document.language().hooks.rename_import)(document, place, new_name) {
        Some(edit) => Ok(edit),
        None => Err(fail(FailureKind::RefactorFailed, format!("the import of `{}` cannot be renamed", place.name))
            .hint("import it with an alias first")
            .at(place.span)),
    }
}

/// The failure of a rename of a member.
pub fn member_failure(name: &str) -> Failure {
    fail(
        FailureKind::Unsupported,
        format!("`{name}` is a member: its uses cannot be determined without type information"),
    )
    .hint("use a language server (`engine: \"server\"`), or edit each place that a search for the name finds")
}
