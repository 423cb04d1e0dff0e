//! Adds, removes and reorders the parameters of a function, and updates all calls.
//!
//! Functions at the top of a module are supported: every use of such a name can be found. Each file that imports the
//! function plans the same change from the unchanged file of the declaration.

mod calls;
mod plan;

use marquetry_code::{
    CodeDocument, NodeIndex, TokenKind, rename,
    scopes::FILE_SCOPE,
    signature::{self, OldParameter, Plan, Request},
};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Span,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
    workspace,
};

use super::expressions::is_one_of;
use crate::{
    lower::{F, K},
    memo,
    modules::{self, Found},
    table,
    uses::{imports_of, local_places, module_attributes, module_names, wildcard},
};
use plan::{Old, RULES};

pub(super) const CHANGE_SIGNATURE: Refactoring<CodeDocument> = Refactoring {
    id: "change_signature",
    title: "Change the parameters of a function",
    place: Place::Name,
    arguments: &signature::ARGUMENTS,
    asks_exporters: false,
    apply,
};

/// Starts the questions of this refactor.
const QUESTION: &str = "change_signature\0";

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// A function whose parameters change.
struct Target {
    name: String,
    function: NodeIndex,
    /// The list of parameters with its brackets.
    list: NodeIndex,
    plan: Plan,
    old: Vec<Old>,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let request = Request::from_input(input, &RULES)?;
    let target = Target::new(document, input.at.caret, request)?;
    target.check_names(document)?;
    let names = document.names();
    let uses = names.references(&target.name, FILE_SCOPE).filter(|place| place.binding.is_none());
    let mut edits = calls::edits(document, &target, uses.map(|place| place.node))?;
    edits.push(target.declaration_edit(document));
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut rewrite = Rewrite::from(checked(edits)?);
    let caret = input.at.caret.to_string();
    let payload = [document.path(), &caret, &target.name, request.name(), request.text()].join("\0");
    rewrite.ask_importers([target.name.clone()], format!("{QUESTION}{payload}"));
    super::packages::ask_packages(&mut rewrite, document.path(), &target.name);
    Ok(rewrite)
}

/// The question in a payload, without its name. `None` for questions of other refactors.
pub(super) fn own_question(payload: &str) -> Option<&str> {
    payload.strip_prefix(QUESTION)
}

/// Updates the calls in a document that imports the function from the file `from`.
///
/// # Errors
///
/// Fails if a use of the function is not a call that can be changed.
pub(super) fn answer(document: &CodeDocument, from: &str, question: &str) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let unknown = || refactor_failure("the file of the function changed").hint("repeat the call");
    let [source, caret, name, argument, list] = question.splitn(5, '\0').collect::<Vec<_>>()[..] else {
        return Err(unknown());
    };
    if document.path() == source {
        return Ok(Rewrite::default());
    }
    let text = workspace::read(source).map_err(|_| unknown())?;
    let origin = CodeDocument::open(&table::PYTHON, source, text);
    let request = Request::new(argument, list).ok_or_else(unknown)?;
    let target = Target::new(&origin, caret.parse().map_err(|_| unknown())?, request)?;
    let (nodes, exported) = imported_uses(document, from, name)?;
    let edits = calls::edits(document, &target, nodes.iter().copied())?;
    let mut rewrite = Rewrite::from(checked(edits)?);
    rewrite.unresolved = other_attributes(document, &nodes, name);
    for local in exported {
        let payload = [source, caret, &local, argument, list].join("\0");
        rewrite.ask_importers([local], format!("{QUESTION}{payload}"));
    }
    Ok(rewrite)
}

/// The expressions that refer to a name of the file `from`, and the names under which the document exports it.
fn imported_uses(document: &CodeDocument, from: &str, name: &str) -> Result<(Vec<NodeIndex>, Vec<String>)> {
    let is_from = |module: &String| matches!(modules::resolve(document.path(), module), Found::Inside(found) if found.path == from);
    let specifiers: Vec<String> = memo::call(|| module_names(document).into_iter().filter(is_from).collect());
    let key = marquetry_sdk::ImportKey { name: name.to_owned(), specifiers: specifiers.clone() };
    let (mut nodes, mut exported) = (Vec::new(), Vec::new());
    for import in imports_of(document, &key) {
        let (bound, used): (Vec<_>, Vec<_>) =
            local_places(document, &import).partition(|place| place.binding.is_some());
        if let [_, again, ..] = bound[..] {
            let message = format!("`{}` is bound several times in {}", again.name, document.path());
            return Err(refused(message, "give the other meaning another name first").at(again.span));
        }
        nodes.extend(used.into_iter().map(|place| place.node));
        exported.extend(import.local.filter(|_| import.is_global));
    }
    let attributes = module_attributes(document, &specifiers, name);
    nodes.extend(attributes.into_iter().map(|attribute| document.arena().node(attribute).parent));
    if let Some(star) = wildcard(document, Some(&specifiers)) {
        let names = document.names();
        if let Some(place) = names.places.iter().find(|place| place.name == name && names.owner_of(place).is_none()) {
            return Err(refused(
                format!("`{name}` may come from `from {} import *`", star.module),
                "import the function by its name first",
            )
            .at(place.span));
        }
        exported.push(name.to_owned());
    }
    exported.sort();
    exported.dedup();
    Ok((nodes, exported))
}

/// Calls of attributes with the name of the function, which may be the function: `package.module.name()`.
fn other_attributes(document: &CodeDocument, known: &[NodeIndex], name: &str) -> Vec<Span> {
    let arena = document.arena();
    let is_it = |node: NodeIndex| {
        let whole = arena.node(node).parent;
        let is_module =
            arena.child(whole, F::Value.into()).is_some_and(|value| is_one_of(document, value, &[K::Attribute]));
        arena.node(node).field == F::Attribute.into()
            && arena.slice(node) == name
            && is_module
            && !known.contains(&whole)
    };
    arena.nodes().map(|(index, _)| index).filter(|node| is_it(*node)).map(|node| arena.node(node).span).collect()
}

/// Refuses edits of calls in the arguments of other changed calls.
fn checked(edits: Vec<Edit>) -> Result<Vec<Edit>> {
    match edits.windows(2).find(|pair| pair[0].span.end > pair[1].span.start) {
        Some(pair) => {
            Err(refused("a call is an argument of another call of the function", "assign it to a variable first")
                .at(pair[1].span))
        }
        None => Ok(edits),
    }
}

impl Target {
    fn new(document: &CodeDocument, caret: u32, request: Request<'_>) -> Result<Target> {
        let arena = document.arena();
        let bound = rename::bound_at(document, caret)?;
        let name = bound.name.clone();
        if bound.is_member(document) {
            return Err(refused(
                format!("`{name}` is a method: its calls cannot be determined without type information"),
                "change the declaration and each call that a search finds",
            ));
        }
        let bindings: Vec<NodeIndex> =
            bound.places(document).filter(|place| place.binding.is_some()).map(|place| place.node).collect();
        let [binding] = bindings[..] else {
            return Err(refused(
                format!("`{name}` is declared or assigned more than once"),
                "change each of them by hand",
            ));
        };
        let function = arena.node(binding).parent;
        if !is_one_of(document, function, &[K::Function]) || !bound.is_global() {
            return Err(refused(
                format!("`{name}` is not a function that this file declares at its top"),
                "name the function in the file that declares it",
            )
            .at(arena.node(binding).span));
        }
        let decorator = arena.children(function).find(|child| arena.node(*child).field == F::Decorator.into());
        if let Some(decorator) = decorator {
            return Err(refused("a decorator may call the function", "change the declaration and its calls by hand")
                .at(arena.node(decorator).span));
        }
        let list = arena
            .child_of_kind(function, K::Parameters.into())
            .ok_or_else(|| refused("the declaration has no list of parameters", "give the position of a function"))?;
        let old = plan::old_parameters(document, list, request)?;
        let known: Vec<OldParameter> = old.iter().map(|old| old.own.clone()).collect();
        let plan = Plan::read(request, &known, &RULES)?;
        Ok(Target { name, function, list, plan, old })
    }

    /// Refuses to remove a parameter that the function uses, and new names that it uses already.
    fn check_names(&self, document: &CodeDocument) -> Result<()> {
        let names = document.names();
        let span = document.arena().node(self.function).span;
        let scope = names.scopes.iter().position(|scope| scope.node == self.function).unwrap_or(FILE_SCOPE);
        for (index, old) in self.old.iter().enumerate().filter(|(index, _)| !self.plan.keeps(*index)) {
            let is_parameter = |place: &&marquetry_code::scopes::NamePlace| {
                place.binding != Some(marquetry_code::BindingKind::Parameter)
            };
            if let Some(place) = names.references(old.name(), scope).find(is_parameter) {
                return Err(refused(
                    format!("the function uses `{}`", self.old[index].name()),
                    "remove its uses first",
                )
                .at(place.span));
            }
        }
        for added in self.plan.added() {
            let taken = names.places.iter().find(|place| place.name == added.name && span.contains(place.span));
            if let Some(place) = taken {
                return Err(refused(
                    format!("the function already uses the name `{}`", added.name),
                    "choose another name",
                )
                .at(place.span));
            }
        }
        Ok(())
    }

    fn declaration_edit(&self, document: &CodeDocument) -> Edit {
        let spans: Vec<Span> = self.old.iter().map(|old| old.span).collect();
        calls::list_edit(document, self.list, &spans, &plan::declared(&self.plan, &self.old))
    }
}

/// Returns whether a list has comments.
fn has_comments(document: &CodeDocument, span: Span) -> bool {
    document.arena().tokens_in(span).iter().any(|token| token.kind == TokenKind::Comment)
}
