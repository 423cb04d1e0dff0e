//! Replaces the uses of a local variable with its value, and removes the variable.
//!
//! A value that may be moved, borrowed or changed is inlined only at one place: the first code of the next statement.

use marquetry_code::{Arena, CodeDocument, NodeIndex, blocks::Statements};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Usage,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use super::expressions::{
    as_operand, has_attribute, has_effect, has_temporaries, is_mutable, is_one_of, is_stable, may_be_borrowed, path_at,
    runs_once, statement_of, value_of_let,
};
use crate::{
    kinds::{K, child, has_kind, is_expression_kind, is_type},
    names::{BindingIndex, BindingKind, Form, Names, Place as NamePlace},
    table::RUST,
};

pub(super) const INLINE_VARIABLE: Refactoring<CodeDocument> = Refactoring {
    id: "inline_variable",
    title: "Inline a variable",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// The reason why the result may behave differently: it depends on types.
const DROPPED: &str =
    "types are not known: if the value runs code when it is dropped, that code runs at another time now";

fn refused(why: impl Into<String>) -> Failure {
    refactor_failure(why).hint("only local variables with one value that cannot change between its uses can be inlined")
}

/// A variable: its statement and its value.
struct Variable<'d> {
    arena: &'d Arena,
    names: Names,
    binding: BindingIndex,
    statement: NodeIndex,
    value: NodeIndex,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let arena = document.arena();
    let variable = Variable::at(arena, input.at.caret)?;
    let uses: Vec<&NamePlace> =
        variable.names.references(variable.binding).filter(|place| place.usage != Usage::Declaration).collect();
    if uses.is_empty() {
        let name = &variable.names.bindings[variable.binding].name;
        return Err(refused(format!("`{name}` is not used")).hint("delete its statement"));
    }
    let stable = is_stable(arena, &variable.names, variable.value);
    let mut edits = Vec::new();
    let mut incomplete = None;
    for place in &uses {
        let node = variable.check_use(place)?;
        let code = as_operand(arena, variable.value, node);
        let is_shorthand = place.form == Form::Shorthand;
        edits.push(Edit::new(place.span, if is_shorthand { format!("{}: {code}", place.name) } else { code }));
        let is_dropped = may_be_borrowed(arena, node) && has_effect(arena, variable.value);
        if has_temporaries(arena, variable.value) || is_dropped {
            incomplete = Some(DROPPED.to_owned());
        }
    }
    if !stable {
        let [only] = uses[..] else {
            let why = "the value may be moved or change between its uses";
            return Err(refused(why).at(arena.node(variable.value).span));
        };
        variable.check_next(only)?;
    }
    let statements = Statements::new(document, arena.node(variable.statement).parent);
    let position = statements.position(variable.statement).ok_or_else(|| refused("the statement is not in a block"))?;
    edits.extend(statements.delete(&[position])?);
    edits.sort_by_key(|edit| edit.span.start);
    Ok(Rewrite { edits, incomplete, ..Rewrite::default() })
}

impl<'d> Variable<'d> {
    fn at(arena: &'d Arena, caret: u32) -> Result<Variable<'d>> {
        let names = Names::new(arena);
        let binding = names.at(caret).and_then(|place| names.binding_of(place));
        let Some(binding) = binding.filter(|index| names.bindings[*index].kind == BindingKind::Local) else {
            return Err(refused("the name is not a local variable: other code may use it"));
        };
        let no_statement = || refused("the variable is not declared by a statement with one name and one value");
        let mut declared = names.bound_at(binding);
        let (Some(place), None) = (declared.next(), declared.next()) else { return Err(no_statement()) };
        if !place.before.trim().is_empty() {
            return Err(refused("the variable is declared with `mut` or `ref`").at(place.span));
        }
        let pattern = arena.ancestors(arena.innermost(place.span)).find(|node| has_kind(arena, *node, K::IDENT_PAT));
        let statement = pattern.map(|pattern| arena.node(pattern).parent);
        let statement = statement.filter(|node| has_kind(arena, *node, K::LET_STMT)).ok_or_else(no_statement)?;
        let value = value_of_let(arena, statement).ok_or_else(no_statement)?;
        if arena.children(statement).any(|part| is_type(RUST.kind_name(arena.node(part).kind))) {
            return Err(refused("the declaration has a type, to which the value may be converted"));
        }
        if child(arena, statement, K::ATTR).is_some() {
            return Err(refused("the declaration has attributes, which may exclude it from the program"));
        }
        if let Some(word) = names.words_of(&arena.text, binding).next() {
            return Err(refused("a macro uses the name, and its arguments are not known to be expressions").at(word));
        }
        drop(declared);
        Ok(Variable { arena, names, binding, statement, value })
    }

    /// Refuses uses that require a variable, or at which a name in the value has another meaning. Returns the node of
    /// the use.
    fn check_use(&self, place: &NamePlace) -> Result<NodeIndex> {
        let arena = self.arena;
        let failure = |why: &str| Err(refused(why).at(place.span));
        if place.usage == Usage::InString {
            return failure("the name is in a format string");
        }
        let Some(node) = path_at(arena, place.span) else { return failure("the use is not an expression") };
        let parent = arena.node(node).parent;
        let is_literal = has_kind(arena, self.value, K::LITERAL);
        if has_kind(arena, parent, K::REF_EXPR) && is_mutable(arena, parent) {
            return failure("code borrows the variable mutably");
        }
        let statement = statement_of(arena, node);
        let is_kept = statement.is_some_and(|statement| has_kind(arena, statement, K::LET_STMT));
        if is_kept && may_be_borrowed(arena, node) && !is_literal {
            return failure(
                "another variable may borrow the value, which would be dropped at the end of the statement",
            );
        }
        let own = arena.node(self.value).span;
        let is_captured = |name: &&NamePlace| {
            let binding = self.names.binding_of(name);
            let is_inside = binding.is_some_and(|own_binding| {
                self.names.bound_at(own_binding).all(|declared| own.contains(declared.span))
            });
            !is_inside && self.names.lookup(&name.name, name.namespaces(), place.scope()) != binding
        };
        let mut inside = self.names.places.iter().filter(|name| own.contains(name.span));
        if inside.any(|name| is_captured(&name)) {
            return failure("a name in the value has another meaning here");
        }
        Ok(node)
    }

    /// Refuses a use of a value that may be moved or changed, unless the next statement evaluates the value before any
    /// other code.
    fn check_next(&self, place: &NamePlace) -> Result<()> {
        let arena = self.arena;
        let block = arena.node(self.statement).parent;
        let next = arena.children(block).find(|other| *other > self.statement);
        let failure = |why: &str| Err(refused(why).at(arena.node(self.value).span));
        let changed = "the value may change before it is used";
        let used = path_at(arena, place.span);
        let both = next.zip(used).filter(|(next, used)| arena.ancestors(*used).any(|above| above == *next));
        let Some((next, used)) = both else { return failure(changed) };
        let is_statement = is_one_of(arena, next, &[K::LET_STMT, K::EXPR_STMT]);
        if has_attribute(arena, used, next) {
            return failure("the next statement has attributes, which may exclude it from the program");
        }
        if !is_statement || statement_of(arena, used) != Some(next) || !runs_once(arena, used, next, false) {
            return failure(changed);
        }
        let before = |other: &NodeIndex| {
            let span = arena.node(*other).span;
            is_expression_kind(arena, *other) && span.end <= place.span.start
        };
        if arena.descendants(next).filter(before).any(|other| has_effect(arena, other)) {
            return failure(changed);
        }
        let own = arena.node(self.value).span;
        let roots: Vec<&str> =
            self.names.places.iter().filter(|name| own.contains(name.span)).map(|name| &*name.name).collect();
        let shares = |other: NodeIndex| {
            let span = arena.node(other).span;
            self.names.places.iter().any(|name| span.contains(name.span) && roots.contains(&&*name.name))
                || span.slice(&arena.text).contains("self") && own.slice(&arena.text).contains("self")
        };
        let borrows = |other: &NodeIndex| {
            has_kind(arena, *other, K::REF_EXPR) && is_mutable(arena, *other) || has_kind(arena, *other, K::INDEX_EXPR)
        };
        if arena.descendants(next).filter(before).any(|other| borrows(&other) && shares(other)) {
            return failure("code before the use borrows a variable of the value mutably");
        }
        Ok(())
    }
}
