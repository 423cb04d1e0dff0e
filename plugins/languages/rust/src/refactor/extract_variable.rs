//! Extracts an expression into a variable that is declared before the statement.

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use super::expressions::{
    function_of, has_attribute, has_effect, has_temporaries, is_arithmetic, is_assignment, is_first, is_mutable,
    is_one_of, is_place, macro_argument, operator, parts, runs_once, statement_of,
};
use crate::{
    kinds::{K, child, has_kind, is_expression_kind},
    names::{Names, VALUES},
    table::check_name,
};

pub(super) const EXTRACT_VARIABLE: Refactoring<CodeDocument> = Refactoring {
    id: "extract_variable",
    title: "Extract a variable",
    place: Place::Selection,
    arguments: &[marquetry_code::extraction::VARIABLE_NAME],
    asks_exporters: false,
    apply,
};

/// The reason why a result may not compile: it depends on types.
const TEMPORARY: &str =
    "types are not known: if the value borrows a temporary value, that value is dropped earlier now";
const RECEIVER: &str = "types are not known: if the method changes its receiver, the variable must be `mut`";

fn refused(why: &str, at: Span) -> Failure {
    refactor_failure(why).hint("select one whole expression whose value is used once in its statement").at(at)
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let name = input.argument("extractedName").unwrap_or("value");
    check_name(name)?;
    let arena = document.arena();
    let selected = input.at.span.trimmed(&arena.text);
    let Some(node) = expression_at(arena, selected) else {
        return Err(refused("the selection is not an expression", selected));
    };
    let Some(statement) = statement_of(arena, node).filter(|_| function_of(arena, node).is_some()) else {
        return Err(refused("the selection is not in a statement of a function", selected));
    };
    let names = Names::new(arena);
    let reason = value_refusal(arena, node).or_else(|| order_refusal(arena, &names, node, statement));
    if let Some(reason) = reason {
        return Err(refused(reason, selected));
    }
    check_free(arena, &names, name, statement)?;
    let own = arena.node(statement).span;
    let indent = lines::indent_at(&arena.text, own.range().start);
    let declaration = format!("let {name} = {};\n{indent}", arena.slice(node));
    let parent = arena.node(node).parent;
    let is_shorthand = has_kind(arena, parent, K::RECORD_EXPR_FIELD)
        && child(arena, parent, K::NAME_REF).is_some_and(|field| arena.slice(field) == name);
    let replaced = if is_shorthand { arena.node(parent).span } else { selected };
    let edits = if replaced.start == own.start {
        vec![Edit::new(replaced, format!("{declaration}{name}"))]
    } else {
        vec![Edit::insert(own.range().start, declaration), Edit::new(replaced, name)]
    };
    let is_receiver = has_kind(arena, parent, K::METHOD_CALL_EXPR) && is_first(arena, node);
    let incomplete = match () {
        () if has_temporaries(arena, node) => Some(TEMPORARY.to_owned()),
        () if is_receiver && !has_kind(arena, node, K::LITERAL) => Some(RECEIVER.to_owned()),
        () => None,
    };
    Ok(Rewrite { edits, incomplete, name_at: Some(own.start + 4), ..Rewrite::default() })
}

/// The outermost expression with exactly this range.
fn expression_at(arena: &Arena, selected: Span) -> Option<NodeIndex> {
    if selected.is_empty() {
        return None;
    }
    let same = arena.ancestors(arena.innermost(selected)).take_while(|above| arena.node(*above).span == selected);
    let found = same.filter(|above| is_expression_kind(arena, *above)).last()?;
    let is_value =
        !is_one_of(arena, found, &[K::LET_EXPR, K::RETURN_EXPR, K::BREAK_EXPR, K::CONTINUE_EXPR, K::UNDERSCORE_EXPR]);
    is_value.then_some(found)
}

/// The reason why an expression is not a value that a variable can have.
fn value_refusal(arena: &Arena, node: NodeIndex) -> Option<&'static str> {
    let parent = arena.node(node).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    if is(K::EXPR_STMT) && arena.slice(parent).ends_with(';') || is(K::BIN_EXPR) && is_assigned(arena, node) {
        return Some("the expression is a whole statement, or code assigns to it");
    }
    if is(K::CALL_EXPR) && is_first(arena, node) {
        return Some("the expression is the name of the function that is called");
    }
    if is_one_of(arena, node, &[K::PATH_EXPR]) && !arena.slice(node).contains("::") {
        return Some("the expression is already a name");
    }
    if has_kind(arena, node, K::REF_EXPR) && is_mutable(arena, node) {
        return Some("the variable would borrow mutably for the whole statement");
    }
    if is(K::REF_EXPR) && is_mutable(arena, parent) {
        return Some("code borrows the value mutably");
    }
    // An operand of an arithmetic operator is moved or copied in any case. Elsewhere the code may borrow the place.
    let is_moved = is(K::CAST_EXPR)
        || is(K::BIN_EXPR) && is_arithmetic(operator(arena, parent))
        || is(K::INDEX_EXPR) && !is_first(arena, node);
    if is_place(arena, node) && !arena.slice(node).contains("::") && !is_moved {
        return Some("code may borrow the place, and a variable would move its value: select a reference (`&…`) to it");
    }
    if has_kind(arena, node, K::CLOSURE_EXPR) {
        return Some("the types of the closure may depend on the code around it");
    }
    let is_format = macro_argument(arena, node).is_some() && arena.slice(node).ends_with('"');
    if has_kind(arena, node, K::LITERAL) && is_format {
        return Some("a macro may need the text at compile time");
    }
    let has_condition = |part: NodeIndex| {
        let mut inside = arena.ancestors(part).take_while(|above| *above != node);
        has_kind(arena, part, K::LET_EXPR)
            && !inside.any(|above| is_one_of(arena, above, &[K::IF_EXPR, K::WHILE_EXPR, K::MATCH_ARM]))
            && !is_one_of(arena, node, &[K::IF_EXPR, K::WHILE_EXPR])
    };
    parts(arena, node).any(has_condition).then_some("the condition declares variables")
}

/// Returns whether an expression is in the left side of an assignment.
fn is_assigned(arena: &Arena, node: NodeIndex) -> bool {
    is_assignment(operator(arena, arena.node(node).parent)) && is_first(arena, node)
}

/// The reason why an expression cannot be evaluated before its statement.
fn order_refusal(arena: &Arena, names: &Names, node: NodeIndex, statement: NodeIndex) -> Option<&'static str> {
    let (own, whole) = (arena.node(node).span, arena.node(statement).span);
    if !lines::starts_line(&arena.text, whole.range().start) {
        return Some("the statement shares its line with other code");
    }
    if has_attribute(arena, node, statement) {
        return Some("the statement has attributes, which may exclude it from the program");
    }
    let is_code = is_one_of(arena, statement, &[K::LET_STMT, K::EXPR_STMT]);
    let is_computed_by_compiler =
        |above: NodeIndex| is_one_of(arena, above, &[K::CONST_ARG, K::ARRAY_TYPE, K::CONST_BLOCK_PAT, K::LITERAL_PAT]);
    let is_repeated =
        has_kind(arena, arena.node(node).parent, K::ARRAY_EXPR) && arena.slice(arena.node(node).parent).contains(';');
    if !is_code
        || is_repeated && !is_first(arena, node)
        || arena.ancestors(node).take_while(|above| *above != statement).any(is_computed_by_compiler)
    {
        return Some("the compiler evaluates the expression: it must be a constant");
    }
    let is_safe = |part: NodeIndex| {
        !is_expression_kind(arena, part)
            || is_one_of(arena, part, &[K::PATH_EXPR, K::LITERAL, K::PAREN_EXPR, K::FIELD_EXPR])
            || has_kind(arena, part, K::BIN_EXPR)
                && !is_arithmetic(operator(arena, part))
                && !is_assignment(operator(arena, part))
            || has_kind(arena, part, K::PREFIX_EXPR) && arena.slice(part).starts_with('!')
    };
    if !runs_once(arena, node, statement, parts(arena, node).all(is_safe)) {
        return Some("the expression cannot be evaluated earlier: its code may run later, often or never");
    }
    let is_declared_between = |place: &crate::names::Place| {
        let binding = names.binding_of(place).filter(|_| own.contains(place.span));
        let mut declared = binding.into_iter().flat_map(|binding| names.bound_at(binding));
        declared.any(|place| whole.contains(place.span) && !own.contains(place.span))
    };
    if names.places.iter().any(is_declared_between) {
        return Some("the expression uses a variable that its statement declares");
    }
    let is_before = |other: NodeIndex| {
        let span = arena.node(other).span;
        span.end <= own.start && is_expression_kind(arena, other) && has_effect(arena, other)
    };
    let is_literal = has_kind(arena, node, K::LITERAL);
    if !is_literal && arena.descendants(statement).any(is_before) {
        return Some(
            "the expression cannot be evaluated earlier: code before it in the statement may change its value",
        );
    }
    let is_written = |other: NodeIndex| {
        has_kind(arena, other, K::BIN_EXPR) && is_assignment(operator(arena, other)) && operator(arena, other) != "="
    };
    let has_effects = has_effect(arena, node);
    if has_effects && arena.ancestors(node).take_while(|above| *above != statement).any(is_written) {
        return Some("the order in which the assignment evaluates its sides depends on their types");
    }
    None
}

/// Refuses a name that the function or the file already has.
fn check_free(arena: &Arena, names: &Names, name: &str, statement: NodeIndex) -> Result<()> {
    let around = function_of(arena, statement).map_or(Span::at(0), |function| arena.node(function).span);
    let places = names.places.iter().filter(|place| around.contains(place.span));
    let mut known = places.filter(|place| place.name == name && place.namespaces() & VALUES != 0);
    let word = names.words_named(&arena.text, name).map(|(span, _)| span).find(|span| around.contains(*span));
    let item = names.lookup(name, VALUES, crate::names::FILE_SCOPE);
    let item = item.and_then(|item| names.bound_at(item).next()).map(|place| place.span);
    match known.next().map(|place| place.span).or(word).or(item) {
        None => Ok(()),
        Some(at) => Err(refactor_failure(format!("the function already has the name `{name}`"))
            .hint("give another `extractedName`")
            .at(at)),
    }
}
