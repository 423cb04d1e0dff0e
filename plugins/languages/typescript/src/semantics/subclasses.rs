//! Check for refactorings that add a method to a class: no base class or subclass in any file may have such a member.

use std::collections::HashSet;

use marquetry_sdk::{Audience, Failure, FailureKind, FileLocation, Question, Result, Rewrite, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::Class;
use oxc_semantic::NodeId;

use crate::TypeScriptDocument;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::program::expandos::class_owner;
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::rename::importable_names;
use crate::semantics::with_checker;

/// Id of this check, at the start of each question to the files that import the class.
pub(crate) const ID: &str = "new_member";

/// Returns whether the class, one of its bases, or a subclass in this document has a member with the name.
pub(crate) fn is_member_taken(document: &TypeScriptDocument, class: NodeId, is_static: bool, name: &str) -> bool {
    with_checker(document, |checker| {
        let AstKind::Class(class) = checker.open_module().kind(class) else { return false };
        let owner = class_owner(OPEN_DOCUMENT, class);
        let subclasses = subclasses(checker, owner).into_iter();
        std::iter::once(class).chain(subclasses).any(|class| has_member(checker, class, is_static, name))
    })
}

/// Returns questions to other documents: each asks whether a subclass in that document has a member with the name.
pub(crate) fn subclass_questions(
    document: &TypeScriptDocument,
    class: NodeId,
    is_static: bool,
    name: &str,
) -> Vec<Question> {
    with_checker(document, |checker| {
        let AstKind::Class(class) = checker.open_module().kind(class) else { return Vec::new() };
        let Some(id) = &class.id else { return Vec::new() };
        let place = checker.location_of(Site { module: OPEN_DOCUMENT, offset: id.span.start });
        ask_importers(checker, &[class], &payload(&place, is_static, name))
    })
}

fn payload(FileLocation { path, offset }: &FileLocation, is_static: bool, name: &str) -> String {
    format!("{ID}\n{offset} {is_static} {name}\n{path}")
}

/// Answers the question: fails if a subclass has the member, and passes it on to importers of the subclasses.
pub(crate) fn answer(document: &TypeScriptDocument, rest: &str) -> Result<Rewrite> {
    let unread = || Failure::unsupported("the request about subclasses cannot be parsed");
    let (words, path) = rest.split_once('\n').ok_or_else(unread)?;
    let words: Vec<&str> = words.split(' ').collect();
    let [offset, is_static, name] = words[..] else { return Err(unread()) };
    let offset: u32 = offset.parse().map_err(|_| unread())?;
    let (place, is_static) = (FileLocation { path: path.to_owned(), offset }, is_static == "true");
    with_checker(document, |checker| {
        let Some(base) = class_declared_at(checker, &place) else { return Ok(Rewrite::default()) };
        let subclasses = subclasses(checker, base);
        if let Some(class) = subclasses.iter().find(|class| has_member(checker, class, is_static, name)) {
            let at = class.id.as_ref().map_or(class.span, |id| id.span);
            return Err(fail(FailureKind::RefactorFailed, format!("a subclass already has a member `{name}`"))
                .hint("choose another name")
                .at(Span { start: at.start, end: at.end }));
        }
        let ask = ask_importers(checker, &subclasses, &payload(&place, is_static, name));
        Ok(Rewrite { ask, ..Rewrite::default() })
    })
}

/// Returns the class whose name is at a place.
fn class_declared_at(checker: &Checker<'_>, place: &FileLocation) -> Option<Owner> {
    let site = checker.site_at(place)?;
    let module = checker.module(site.module);
    module.semantic().nodes().iter().find_map(|node| match node.kind() {
        AstKind::Class(class) if class.id.as_ref().is_some_and(|id| id.span.start == site.offset) => {
            Some(class_owner(site.module, class))
        }
        _ => None,
    })
}

/// Returns a question to the files that import these classes.
fn ask_importers(checker: &Checker<'_>, classes: &[&Class<'_>], payload: &str) -> Vec<Question> {
    let symbols = classes.iter().filter_map(|class| class.id.as_ref()?.symbol_id.get());
    let names = symbols.flat_map(|symbol| {
        let passed_on = checker.reexported_symbol_names(&[symbol]);
        importable_names(checker, symbol).into_iter().chain(passed_on)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Vec::new();
    }
    vec![Question { audience: Audience::Importers(names), payload: payload.to_owned() }]
}

/// Returns the classes of this document that extend another one, directly or indirectly.
fn subclasses<'w>(checker: &Checker<'w>, base: Owner) -> Vec<&'w Class<'w>> {
    let here = checker.open_module();
    let classes = here.semantic().nodes().iter().filter_map(|node| match node.kind() {
        AstKind::Class(class) => Some(class),
        _ => None,
    });
    classes.filter(|class| extends_class(checker, class_owner(OPEN_DOCUMENT, class), base)).collect()
}

fn extends_class(checker: &Checker<'_>, owner: Owner, base: Owner) -> bool {
    let mut seen = HashSet::from([owner]);
    let mut next = vec![owner];
    while let Some(owner) = next.pop() {
        for above in checker.bases(owner, &None) {
            match above {
                Ty::Instance(above, _) if above == base => return true,
                Ty::Instance(above, _) if seen.insert(above) => next.push(above),
                _ => {}
            }
        }
    }
    false
}

fn has_member(checker: &Checker<'_>, class: &Class<'_>, is_static: bool, name: &str) -> bool {
    let AstKind::Class(class) = checker.open_module().kind(class.node_id.get()) else { return false };
    let owner = class_owner(OPEN_DOCUMENT, class);
    !checker.props(&if is_static { Ty::Static(owner) } else { Ty::Instance(owner, None) }, name).sites().is_empty()
}
