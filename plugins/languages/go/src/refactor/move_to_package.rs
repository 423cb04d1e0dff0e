//! Moves a declaration to a file of another package. A qualifier is added to the uses, or removed from them.
//!
//! During the call, the declaration is in a virtual file of the same package (`_moved.go`), and [`crate::relink`] moves
//! that file. The host asks every document that the move affects, and each answer splits the declaration off again. If
//! a name cannot be qualified in one of these documents, the move is refused.

use std::{collections::BTreeSet, rc::Rc};

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{
    Edit, Failure, Relocation, Result, Rewrite, Span,
    paths::{file_name, folder},
    refactor::refactor_failure,
    span::apply,
    workspace,
};

use super::move_to_file::{self, Moved};
use crate::{
    imports::imports,
    kinds::{F, K, has_kind, with_role},
    memo,
    moves::Moves,
    packages::{
        Found, MemberKind, Outline, below, files_of, outline, outline_of, package_clause, package_files, resolve,
    },
    relink::relink,
    symbols::groups::files_with,
    table::{GO, receiver_type},
    types::File,
};

/// Name of the virtual file that contains the declaration during the call. The `go` command ignores files with such
/// names.
const SPLIT_FILE: &str = "_moved.go";

/// Prefix of the questions about a move.
pub(super) const QUESTION: &str = "package\0";

/// A declaration that moves to another package.
struct PackageMove {
    source: String,
    destination: String,
    /// The path and text of the virtual file that contains only the declaration.
    split: (String, String),
    /// The edits that remove the declaration from its file. `rest` is the text after these edits.
    removal: Vec<Edit>,
    rest: String,
    names: BTreeSet<String>,
    package: String,
}

/// Moves a declaration to a file in another folder.
///
/// # Errors
///
/// Fails if a document cannot refer to the declaration afterwards, or the declaration cannot refer to the names that it
/// uses.
pub(super) fn apply_move(document: &CodeDocument, moved: Moved, destination: String) -> Result<Rewrite> {
    let at = document.arena().node(moved.node).span;
    let change = PackageMove::new(document, moved, destination)?;
    change.enter();
    let relinked = change.relinked(&CodeDocument::open(&GO, &change.source, change.rest.clone()), None)?;
    let mut edits = change.removal.clone();
    edits.extend(relinked.into_iter().map(|edit| Edit { span: change.before_removal(edit.span), text: edit.text }));
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut rewrite = Rewrite::from(edits);
    let payload = [change.source.clone(), at.start.to_string(), at.end.to_string(), change.destination.clone()];
    let payload = format!("{QUESTION}{}", payload.join("\0"));
    for user in change.users() {
        rewrite.ask_file(user, payload.clone());
    }
    if workspace::stat(&change.destination).is_some() {
        rewrite.ask_file(change.destination.clone(), payload);
    } else {
        rewrite.create(change.destination.clone(), change.moved_text(at)?);
    }
    Ok(rewrite)
}

/// Updates a document that uses a moved declaration, or inserts the declaration into its destination.
///
/// # Errors
///
/// Fails if the document cannot refer to the declaration afterwards.
pub(super) fn answer(document: &CodeDocument, payload: &str) -> Result<Rewrite> {
    let unknown = || refactor_failure("the file of the declaration changed").hint("repeat the call");
    let [source, start, end, destination] = payload.splitn(4, '\0').collect::<Vec<_>>()[..] else {
        return Err(unknown());
    };
    let at = Span { start: start.parse().map_err(|_| unknown())?, end: end.parse().map_err(|_| unknown())? };
    let text = workspace::read(source).map_err(|_| unknown())?;
    let origin = CodeDocument::open(&GO, source, text);
    let moved = move_to_file::declaration_at(&origin, at)?;
    let change = PackageMove::new(&origin, moved, destination.to_owned())?;
    change.enter();
    let edits = change.relinked(document, None)?;
    if document.path() != destination {
        return Ok(edits.into());
    }
    let before = document.text_str();
    let relinked = CodeDocument::open(&GO, destination, apply(before, &edits));
    let (needed, text) = parts(&CodeDocument::open(&GO, destination, change.moved_text(Span::at(0))?));
    let inserted = move_to_file::insert_declaration(&relinked, &needed.join("\n"), &text)?;
    Ok(vec![difference(before, &apply(relinked.text_str(), &inserted))].into())
}

impl PackageMove {
    fn new(document: &CodeDocument, moved: Moved, destination: String) -> Result<PackageMove> {
        let arena = document.arena();
        let package = package_clause(arena).unwrap_or_default();
        let span = arena.node(moved.node).span;
        if document.path().ends_with("_test.go") || destination.ends_with("_test.go") {
            return Err(refused(
                "a declaration of a test file moves to another package only with its file",
                "move the file",
            )
            .at(span));
        }
        if has_kind(arena, moved.node, K::Method) {
            return Err(refused("a method is in the package of its type", "move the type").at(span));
        }
        check_constraints(document, &destination)?;
        let names = with_role(arena, moved.node, F::Name).map(|name| arena.slice(name).to_owned()).collect();
        let all = with_methods(document, moved, &package)?;
        for one in &all[1..] {
            move_to_file::check_movable(document, one)?;
        }
        let (needed, unused) = move_to_file::needed_imports(document, &all)?;
        let specs: String = needed.iter().map(|spec| format!("import {spec}\n")).collect();
        let gap = if specs.is_empty() { "" } else { "\n" };
        let texts: Vec<String> = all.iter().map(|one| move_to_file::text_of(document, one)).collect();
        let text = format!("package {package}\n\n{specs}{gap}{}\n", texts.join("\n\n"));
        let removal = move_to_file::removal(document, &all, unused)?;
        let (source, rest) = (document.path().to_owned(), apply(document.text_str(), &removal));
        let split = (below(folder(&source), SPLIT_FILE), text);
        Ok(PackageMove { source, destination, split, removal, rest, names, package })
    }

    /// Puts the split files into the cache, so that the rest of this call uses them.
    fn enter(&self) {
        let own = folder(&self.source);
        for (path, text) in [(&self.source, &self.rest), (&self.split.0, &self.split.1)] {
            let file = Rc::new(File::new(path, text.clone()));
            let known: Rc<Outline> = Rc::new(outline(&file.document));
            memo::replace(|memo| &mut memo.outlines, path.clone(), known);
            memo::replace(|memo| &mut memo.parsed, path.clone(), Some(file));
        }
        let split = || vec![self.split.0.clone()];
        let package = package_files(own, &self.package);
        let key = (own.to_owned(), self.package.clone());
        memo::replace(|memo| &mut memo.packages, key, [package, split()].concat());
        memo::replace(|memo| &mut memo.files, own.to_owned(), [files_of(own), split()].concat());
    }

    fn moves(&self) -> Moves {
        Moves::new(&[Relocation { from: self.split.0.clone(), to: self.destination.clone() }])
    }

    /// The edits of one document. A failure has the span `at`, or the span of the use if `at` is `None`.
    fn relinked(&self, document: &CodeDocument, at: Option<Span>) -> Result<Vec<Edit>> {
        let relinked = relink(document, &self.moves());
        match relinked.unresolved.first() {
            None => Ok(relinked.edits),
            Some((span, reason)) => {
                let message = format!("`{}` in {}: {reason}", span.slice(document.text_str()), self.shown(document));
                let failure = refused(message, "change this use first, or move what it needs, too");
                Err(failure.at(at.unwrap_or(*span)))
            }
        }
    }

    fn shown<'p>(&self, document: &'p CodeDocument) -> &'p str {
        if document.path() == self.split.0 { "the declaration" } else { document.path() }
    }

    /// The text of the virtual file after its move to the new package.
    fn moved_text(&self, at: Span) -> Result<String> {
        let split = CodeDocument::open(&GO, &self.split.0, self.split.1.clone());
        Ok(apply(&self.split.1, &self.relinked(&split, Some(at))?))
    }

    /// Maps a range in the text without the declaration to the range in the original text.
    fn before_removal(&self, span: Span) -> Span {
        let before = |offset: u32, is_end: bool| {
            let mut at = offset;
            for edit in &self.removal {
                let added_end = edit.span.start + edit.text.len() as u32;
                if added_end > at || is_end && added_end == at {
                    break;
                }
                at = at + edit.span.len() as u32 - edit.text.len() as u32;
            }
            at
        };
        Span { start: before(span.start, false), end: before(span.end, !span.is_empty()) }
    }

    /// The other files that may refer to the declaration: files of its package, and files that import the package.
    fn users(&self) -> BTreeSet<String> {
        let own = folder(&self.source);
        let siblings = package_files(own, &self.package).into_iter().filter(|path| *path != self.split.0);
        let imports_it = |path: &String| {
            let outline = outline_of(path);
            outline.imports.iter().any(|import| match resolve(path, &import.path) {
                Found::Folder(found) | Found::Possible(found) => found == own,
                Found::Missing(_) | Found::Elsewhere => false,
            })
        };
        let naming = self.names.iter().flat_map(|name| files_with(name)).filter(imports_it);
        let mut users: BTreeSet<String> = siblings.chain(naming).collect();
        users.remove(&self.source);
        users.remove(&self.destination);
        users
    }
}

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// Refuses a destination whose build constraints differ from those of the source.
fn check_constraints(document: &CodeDocument, destination: &str) -> Result<()> {
    let text = workspace::read(destination).unwrap_or_default();
    let there = CodeDocument::open(&GO, destination, text);
    if move_to_file::constraints(&there) == move_to_file::constraints(document) {
        return Ok(());
    }
    Err(refused("the two files are not compiled for the same systems", "choose a file that is compiled with this one"))
}

/// A declaration and, if it is a type, its methods.
fn with_methods(document: &CodeDocument, moved: Moved, package: &str) -> Result<Vec<Moved>> {
    let arena = document.arena();
    let span = arena.node(moved.node).span;
    let name = arena.child(moved.node, F::Name.into()).map(|name| arena.slice(name));
    let Some(name) = name.filter(|_| has_kind(arena, moved.node, K::Type)) else { return Ok(vec![moved]) };
    let is_method_there = |path: &String| {
        *path != document.path()
            && outline_of(path).members.iter().any(|own| own.kind == MemberKind::Method && own.of == name)
    };
    if let Some(path) = package_files(folder(document.path()), package).into_iter().find(is_method_there) {
        return Err(refused(
            format!("`{name}` has methods in {}", file_name(&path)),
            "move these methods to the file of the type first",
        )
        .at(span));
    }
    let is_its_method = |node: &NodeIndex| {
        has_kind(arena, *node, K::Method) && receiver_type(arena, *node).is_some_and(|own| arena.slice(own) == name)
    };
    let methods = arena.nodes().map(|(node, _)| node).filter(is_its_method).map(|node| Moved { node, group: None });
    Ok(std::iter::once(moved).chain(methods).collect())
}

/// The imports of a text as code, and the text after the imports.
fn parts(document: &CodeDocument) -> (Vec<String>, String) {
    let arena = document.arena();
    let all = imports(document);
    let clause = crate::packages::package_name_node(arena).map_or(0, |name| arena.node(name).span.end);
    let end = all.last().map_or(clause, |import| arena.node(import.node).span.end);
    let text = document.text_str()[end as usize..].trim().to_owned();
    (all.iter().map(move_to_file::spec_of).collect(), text)
}

/// An edit that changes the text `before` into `after` by replacing whole lines.
fn difference(before: &str, after: &str) -> Edit {
    let same = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    let start = before[..before.floor_char_boundary(same)].rfind('\n').map_or(0, |at| at + 1);
    let ends = before[start..].bytes().rev().zip(after[start..].bytes().rev());
    let same = ends.take_while(|(one, other)| one == other).count();
    let tail = &before[before.ceil_char_boundary(before.len() - same)..];
    let tail = tail.find('\n').map_or("", |at| &tail[at..]);
    Edit::new(Span::new(start, before.len() - tail.len()), &after[start..after.len() - tail.len()])
}
