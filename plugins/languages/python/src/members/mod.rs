//! Members of classes: methods, attributes of classes, and attributes that methods set.
//!
//! A member is the set of declarations with one name in a class and in the classes that inherit from it. A use belongs to
//! the member if the class of its object is known and inherits from one of the declaring classes. Uses whose object has no
//! known class are unresolved.

mod checks;
mod constructors;
mod files;
mod project;
mod setters;
mod standard_bases;
mod strings;
mod uses;
mod values;

use marquetry_code::{CodeDocument, rename};
use marquetry_sdk::{
    DeclaredKey, Edit, Failure, FailureKind, FileLocation, Occurrence, RenameResult, Resolution, Result, Subject, fail,
    shared,
};

use self::{
    project::{Place, Project},
    uses::Uses,
    values::Value,
};
use crate::{
    classes::{has_kind, has_role},
    lower::{F, K},
    memo,
};

/// A class, and the name of one of its members.
pub(crate) struct Member {
    class: Place,
    pub(crate) name: String,
}

/// The member that a subject of a document refers to. `None` if the subject is not a member.
pub(crate) fn member_of(document: &CodeDocument, subject: &Subject) -> Option<Member> {
    let project = Project::new(document);
    let names = document.names();
    let bound = match subject {
        Subject::Address(address) => {
            let found = document.find_symbols(address).ok()?;
            let symbol = &document.symbols().symbols[found[0]];
            let owner = symbol.owner.filter(|_| !symbol.is_listed && symbol.kind == "attribute");
            if let Some(owner) = owner {
                let class = project.place(document.symbols().symbols[owner].node);
                return Some(Member { class, name: symbol.name.clone() });
            }
            rename::bound_of(document, address).ok()?
        }
        Subject::At(offset) => {
            if let Some(member) = member_at(&project, *offset) {
                return Some(member);
            }
            rename::bound_at(document, *offset).ok()?
        }
        _ => return None,
    };
    let scope = names.scopes[bound.owner].node;
    bound.is_member(document).then(|| Member { class: project.place(scope), name: bound.name })
}

/// The member whose name is at an offset after a dot, if the class of the object is known and has the member.
fn member_at(project: &Project<'_>, offset: u32) -> Option<Member> {
    let arena = project.document.arena();
    let at = |offset: u32| arena.innermost(marquetry_sdk::Span { start: offset, end: offset + 1 });
    let node = [Some(offset), offset.checked_sub(1)]
        .into_iter()
        .flatten()
        .map(at)
        .find(|node| has_kind(arena, *node, K::Identifier) && has_role(arena, *node, F::Attribute))?;
    let object = arena.child(arena.node(node).parent, F::Value.into())?;
    let name = arena.slice(node).to_owned();
    let classes = match project.value(&project.place(object)) {
        Value::Instance(class) | Value::Class(class) => project.ancestors(&class).classes.clone(),
        Value::Super(class) => project.ancestors(&class).classes.iter().skip(1).cloned().collect(),
        _ => return None,
    };
    let class = classes.into_iter().find(|class| project.declaration(class, &name).is_some())?;
    Some(Member { class, name })
}

/// The declaration of a member, if it is in another file.
pub(crate) fn elsewhere(document: &CodeDocument, member: &Member) -> Option<FileLocation> {
    let project = Project::new(document);
    let offset = project.declaration(&member.class, &member.name)?;
    (*member.class.path != *project.path).then(|| FileLocation { path: member.class.path.to_string(), offset })
}

/// The topmost declarations of a member, which all other declarations override.
///
/// # Errors
///
/// Fails with `Unsupported` if the class inherits from a class that the workspace does not show, or if the name has a
/// meaning for Python.
fn roots(project: &Project<'_>, member: &Member) -> Result<Vec<Place>> {
    let Member { class, name } = member;
    if name.starts_with("__") {
        let failure = Failure::unsupported(format!("Python itself uses the name `{name}`, or changes it in classes"));
        return Err(failure.hint("edit each place that a search for the name finds"));
    }
    let ancestors = project.ancestors(class);
    if let Some(base) = ancestors.opaque_base_of(name) {
        let message = format!(
            "`{}` inherits from {base}, which the workspace does not show: it may declare or use `{name}`",
            project.name(class)
        );
        return Err(Failure::unsupported(message).hint(
            "use a language server (`engine: \"server\"`), or edit each place that a search for the name finds",
        ));
    }
    let declares = |class: &Place| project.declaration(class, name).is_some();
    let is_root = |class: &&Place| declares(class) && !project.ancestors(class).classes.iter().skip(1).any(declares);
    Ok(ancestors.classes.iter().filter(is_root).cloned().collect())
}

/// The key of a member in requests to other files. Its forms are the names of the member and of its classes: the host
/// also asks files that contain only the name of a class, because they may combine the class with another one.
fn key(uses: &Uses<'_>, roots: &[Place]) -> DeclaredKey {
    let project = uses.project;
    let location = |class: &Place| {
        let offset = project.declaration(class, uses.name)?;
        Some(FileLocation { path: class.path.to_string(), offset })
    };
    let mut locations: Vec<FileLocation> = roots.iter().chain(&uses.declaring).filter_map(location).collect();
    locations.sort_by(|one, other| (&one.path, one.offset).cmp(&(&other.path, other.offset)));
    locations.dedup();
    let mut forms = vec![uses.name.to_owned()];
    forms.extend(roots.iter().chain(&uses.declaring).map(|class| project.name(class)));
    DeclaredKey { name: uses.name.to_owned(), locations, forms }
}

/// Returns whether a key is that of a member. Its forms are the names of the member and of its classes; the key of a
/// parameter of a method has only one form, the name of the method.
pub(crate) fn is_member_key(key: &DeclaredKey) -> bool {
    key.forms.len() > 1
}

/// The occurrences of a member in the document from which the search starts.
///
/// # Errors
///
/// Fails if the member cannot be renamed.
pub(crate) fn resolve(document: &CodeDocument, member: &Member, address: Option<String>) -> Result<Resolution> {
    let project = Project::new(document);
    let roots = roots(&project, member)?;
    let uses = memo::call(|| Uses::find(&project, &member.name, (&roots, &[])));
    let symbols = &document.symbols().symbols;
    let kind = symbols.iter().find(|symbol| Some(&symbol.address) == address.as_ref()).map_or("member", |s| s.kind);
    Ok(Resolution {
        kind: kind.to_owned(),
        address,
        declared: Some(key(&uses, &roots)),
        elsewhere: elsewhere(document, member),
        occurrences: uses.occurrences(),
        ..shared::empty_resolution(&member.name)
    })
}

/// The edits that rename a member in the document from which the rename starts.
///
/// # Errors
///
/// Fails if the member cannot be renamed, or if a class already has the new name.
pub(crate) fn rename_member(document: &CodeDocument, member: &Member, new_name: &str) -> Result<RenameResult> {
    crate::table::check_name(new_name)?;
    let project = Project::new(document);
    let roots = roots(&project, member)?;
    if new_name.starts_with("__") {
        return Err(fail(FailureKind::RefactorFailed, "Python changes names with two leading underscores in classes")
            .hint("choose another name"));
    }
    let uses = memo::call(|| Uses::find(&project, &member.name, (&roots, &[])));
    let edits = renaming(&uses, new_name)?;
    Ok(RenameResult { declared: Some(key(&uses, &roots)), ..edits })
}

fn renaming(uses: &Uses<'_>, new_name: &str) -> Result<RenameResult> {
    if new_name == uses.name {
        return Ok(shared::empty_renaming(uses.name));
    }
    uses.check(new_name)?;
    let mut edits: Vec<Edit> = uses.certain.iter().map(|(span, _)| Edit::new(*span, new_name)).collect();
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup_by_key(|edit| edit.span);
    Ok(RenameResult { edits, unresolved: uses.unresolved.clone(), ..shared::empty_renaming(uses.name) })
}

/// Finds the uses of a member that other files declare, and passes them to `answer` with the declaring classes.
fn declared<R>(document: &CodeDocument, declared: &DeclaredKey, answer: impl FnOnce(&Uses<'_>, &[Place]) -> R) -> R {
    memo::call(|| {
        let project = Project::new(document);
        let roots: Vec<Place> = declared.locations.iter().filter_map(|place| project.class_around(place)).collect();
        let uses = Uses::find(&project, &declared.name, (&roots, declared.forms.get(1..).unwrap_or_default()));
        answer(&uses, &roots)
    })
}

/// The occurrences of a member that other files declare.
pub(crate) fn resolve_declared(document: &CodeDocument, asked: &DeclaredKey) -> Resolution {
    declared(document, asked, |uses, _| {
        let declared = (!uses.declaring.is_empty()).then(|| key(uses, &[]));
        Resolution { declared, occurrences: uses.occurrences(), ..shared::empty_resolution(&asked.name) }
    })
}

/// The edits that rename a member that other files declare.
///
/// # Errors
///
/// Fails if a class of the file already has the new name, or inherits the member from unrelated classes.
pub(crate) fn rename_declared(document: &CodeDocument, asked: &DeclaredKey, new_name: &str) -> Result<RenameResult> {
    declared(document, asked, |uses, _| {
        let declared = (!uses.declaring.is_empty()).then(|| key(uses, &[]));
        Ok(RenameResult { declared, ..renaming(uses, new_name)? })
    })
}

impl Uses<'_> {
    /// All uses, as occurrences.
    fn occurrences(&self) -> Vec<Occurrence> {
        let certain = self.certain.iter().map(|(span, usage)| Occurrence { span: *span, usage: *usage, certain: true });
        let possible = self.unresolved.iter().map(|span| Occurrence {
            span: *span,
            usage: marquetry_sdk::Usage::Read,
            certain: false,
        });
        let mut all: Vec<Occurrence> = certain.chain(possible).collect();
        all.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
        all.dedup_by_key(|occurrence| occurrence.span);
        all
    }
}
