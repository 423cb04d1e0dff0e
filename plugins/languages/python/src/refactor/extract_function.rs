//! Extracts statements or an expression to a function, or to a method if they use the object.

mod flow;

use marquetry_code::{
    CodeDocument, NodeIndex, ParseContext, Token, TokenKind, blocks::Statements, layout::Content,
    regions::top_statements, scopes::FILE_SCOPE,
};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Span, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use super::{
    expressions::{is_expression, is_one_of},
    extract_variable::expression_at,
};
use crate::{
    callees::name_of,
    lower::{F, K},
    table::check_name,
};
use flow::Flow;

pub(super) const EXTRACT_FUNCTION: Refactoring<CodeDocument> = Refactoring {
    id: "extract_function",
    title: "Extract to a function",
    place: Place::Selection,
    arguments: &[marquetry_code::extraction::FUNCTION_NAME],
    asks_exporters: false,
    apply,
};

/// Functions whose result depends on the function that calls them.
const CALLER_DEPENDENT: [&str; 6] = ["locals", "vars", "dir", "eval", "exec", "_getframe"];

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// The selected code.
#[derive(Debug, Clone, Copy)]
struct Selected {
    /// The range of the code.
    span: Span,
    /// The statement that contains an expression, or the first statement.
    statement: NodeIndex,
    is_expression: bool,
}

/// The function that is extracted.
struct Target {
    /// The node before or after which the function is inserted, in its block.
    neighbor: NodeIndex,
    /// The first parameter of the method, and the decorator of a class method.
    receiver: Option<(String, bool)>,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let name = input.argument("extractedName").unwrap_or("extracted");
    check_name(name)?;
    let arena = document.arena();
    let is_taken = |span: Span| span.slice(&arena.text) == name;
    let names = arena.nodes().filter(|(_, node)| node.kind == K::Identifier.into() || node.kind == K::Name.into());
    if let Some((_, taken)) = names.into_iter().find(|(_, node)| is_taken(node.span)) {
        return Err(
            refused(format!("the file already has the name `{name}`"), "give another `extractedName`").at(taken.span)
        );
    }
    let selected = selected_code(document, input.at.span.trimmed(&arena.text))?;
    let function = arena.ancestors(selected.statement).skip(1).find(|node| is_one_of(document, *node, &[K::Function]));
    check_code(document, selected)?;
    let target = target(document, selected, function)?;
    let receiver = target.receiver.as_ref().map(|(name, _)| name.as_str());
    let flow = Flow::new(document, selected, function, receiver)?;
    let is_async = is_async(document, selected.span);
    let edits = edits(document, (name, is_async), selected, (&target, &flow))?;
    let mut rewrite = Rewrite::from(edits);
    rewrite.incomplete = overridden(document, &target, name);
    Ok(rewrite)
}

/// The reason why a new method may override a method of a base class.
fn overridden(document: &CodeDocument, target: &Target, name: &str) -> Option<String> {
    let arena = document.arena();
    target.receiver.as_ref()?;
    let class = arena.ancestors(target.neighbor).find(|above| is_one_of(document, *above, &[K::Class]))?;
    let bases = arena.slice(arena.child_of_kind(class, K::Arguments.into())?);
    let bases = bases.trim_start_matches('(').trim_end_matches(')').trim();
    let is_plain = bases.is_empty() || bases == "object";
    (!is_plain)
        .then(|| format!("a base class in `{bases}` may have a member `{name}`, which the new method would override"))
}

/// The statements or the expression at a selection.
fn selected_code(document: &CodeDocument, span: Span) -> Result<Selected> {
    let arena = document.arena();
    let unclear = || {
        refused("the selection is neither whole statements nor an expression", "select whole statements of one block")
            .at(span)
    };
    if span.is_empty() {
        return Err(unclear());
    }
    // A comment may be selected together with the statements.
    let is_code = |token: &&Token| !matches!(token.kind, TokenKind::Comment | TokenKind::Break);
    let tokens: Vec<&Token> = arena.tokens_in(span).iter().filter(is_code).collect();
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Err(unclear()) };
    let code = Span { start: first.span.start, end: last.span.end };
    let inside = |node: &NodeIndex| code.contains(arena.node(*node).span);
    let block = arena.ancestors(arena.innermost(code)).find(|node| is_one_of(document, *node, &[K::Block]));
    let statements: Vec<NodeIndex> = block.into_iter().flat_map(|block| arena.children(block)).filter(inside).collect();
    if let (Some(first), Some(last)) = (statements.first(), statements.last()) {
        let own = Span { start: arena.node(*first).span.start, end: arena.node(*last).span.end };
        let is_whole = own == code && lines::starts_line(&arena.text, own.range().start);
        let selected = Selected { span: own, statement: *first, is_expression: false };
        return if is_whole { Ok(selected) } else { Err(unclear()) };
    }
    let node =
        expression_at(document, span).filter(|node| is_expression(arena.node(*node).kind)).ok_or_else(unclear)?;
    let statement = super::expressions::statement_of(document, node).ok_or_else(unclear)?;
    let is_target = arena.ancestors(node).take_while(|above| *above != statement).any(|above| {
        is_one_of(document, above, &[K::String, K::FString]) || arena.node(above).field == F::Target.into()
    });
    let is_name = arena.node(arena.node(node).parent).kind == K::Attribute.into()
        && arena.node(node).field == F::Attribute.into();
    if is_target || is_name || is_one_of(document, node, &[K::Starred, K::Slice, K::Generator]) {
        return Err(unclear());
    }
    Ok(Selected { span, statement, is_expression: true })
}

/// The nodes of the selection that are not in functions or classes inside of it.
fn own_nodes(document: &CodeDocument, span: Span) -> Vec<NodeIndex> {
    let arena = document.arena();
    let is_nested = |node: NodeIndex| {
        let around = arena.ancestors(node).skip(1).take_while(|above| span.contains(arena.node(*above).span));
        around.into_iter().any(|above| is_one_of(document, above, &[K::Function, K::Lambda, K::Class]))
    };
    let inside = arena.nodes().filter(|(_, node)| span.contains(node.span)).map(|(index, _)| index);
    inside.filter(|node| !is_nested(*node)).collect()
}

/// Refuses code that cannot run in another function.
fn check_code(document: &CodeDocument, selected: Selected) -> Result<()> {
    let arena = document.arena();
    let span = selected.span;
    let fail = |node: NodeIndex, why: &str, hint: &str| Err(refused(why, hint).at(arena.node(node).span));
    for node in own_nodes(document, span) {
        if is_one_of(document, node, &[K::Yield, K::YieldFrom]) {
            return fail(node, "`yield` belongs to the function around it", "select code without `yield`");
        }
        if is_one_of(document, node, &[K::Break, K::Continue]) && !is_in_loop(document, node, span) {
            return fail(
                node,
                "`break` or `continue` belongs to a loop outside of the selection",
                "select the whole loop",
            );
        }
        if is_one_of(document, node, &[K::Global, K::Nonlocal]) {
            return fail(
                node,
                "`global` and `nonlocal` belong to the function around them",
                "select the code after it",
            );
        }
        if is_one_of(document, node, &[K::Return]) && !ends_with_return(document, selected) {
            return fail(
                node,
                "the selection may or may not return from its function",
                "end the selection with a `return` statement, or select code without `return`",
            );
        }
        if is_one_of(document, node, &[K::Delete]) {
            return fail(node, "`del` removes variables of the function around it", "select code without `del`");
        }
        if selected.is_expression && is_one_of(document, node, &[K::Named]) {
            return fail(node, "the expression assigns a variable", "select the whole statement");
        }
    }
    let mut names = document.names().places.iter().filter(|place| span.contains(place.span));
    match names.find(|place| CALLER_DEPENDENT.contains(&place.name.as_str())) {
        Some(place) => Err(refused(
            format!("`{}` depends on the function that calls it", place.name),
            "select code without this call",
        )
        .at(place.span)),
        None => Ok(()),
    }
}

/// Returns whether a loop inside of the selection contains a statement.
fn is_in_loop(document: &CodeDocument, node: NodeIndex, span: Span) -> bool {
    let arena = document.arena();
    let mut around = arena.ancestors(node).take_while(|above| span.contains(arena.node(*above).span));
    // A statement in the `else` block of a loop belongs to the loop around it.
    around.any(|above| {
        let parent = arena.node(above).parent;
        is_one_of(document, parent, &[K::For, K::While])
            && span.contains(arena.node(parent).span)
            && arena.child_of_kind(parent, K::Block.into()) == Some(above)
    })
}

/// Returns whether the last selected statement is `return`.
fn ends_with_return(document: &CodeDocument, selected: Selected) -> bool {
    let arena = document.arena();
    let block = arena.node(selected.statement).parent;
    let last = arena.children(block).filter(|node| selected.span.contains(arena.node(*node).span)).last();
    !selected.is_expression && last.is_some_and(|last| is_one_of(document, last, &[K::Return]))
}

/// Returns whether the code can run only in an asynchronous function.
fn is_async(document: &CodeDocument, span: Span) -> bool {
    let arena = document.arena();
    own_nodes(document, span).into_iter().any(|node| {
        let kinds = [K::For, K::With, K::Comprehension];
        is_one_of(document, node, &[K::Await])
            || is_one_of(document, node, &kinds) && arena.slice(node).starts_with("async")
    })
}

/// The place of the new function.
fn target(document: &CodeDocument, selected: Selected, function: Option<NodeIndex>) -> Result<Target> {
    let arena = document.arena();
    let names = document.names();
    let inside = || names.places.iter().filter(|place| selected.span.contains(place.span));
    let class = function.filter(|function| {
        let block = arena.node(*function).parent;
        is_one_of(document, arena.node(block).parent, &[K::Class])
    });
    let receiver = class.and_then(|method| receiver(document, method).map(|name| (method, name)));
    if let Some((method, (name, is_class))) = receiver {
        let scope = names.scopes.iter().position(|scope| scope.node == method).unwrap_or(FILE_SCOPE);
        let uses_it = inside().any(|place| place.name == name && names.owner_of(place) == Some(scope));
        let has_super = inside().any(|place| place.name == "super" || place.name == "__class__");
        if uses_it || has_super {
            if names.references(&name, scope).filter(|place| place.binding.is_some()).count() > 1 {
                return Err(refused(format!("`{name}` is assigned in the method"), "use another name there first")
                    .at(selected.span));
            }
            return Ok(Target { neighbor: method, receiver: Some((name, is_class)) });
        }
    }
    let is_mangled = |node: NodeIndex| {
        let name = arena.slice(node);
        name.starts_with("__") && !name.ends_with("__")
    };
    let is_in_class = arena.ancestors(selected.statement).any(|above| is_one_of(document, above, &[K::Class]));
    let depends_on_class = own_nodes(document, selected.span).into_iter().find(|node| {
        is_one_of(document, *node, &[K::Name, K::Identifier]) && (is_mangled(*node) || arena.slice(*node) == "super")
    });
    if let Some(node) = depends_on_class.filter(|_| is_in_class) {
        return Err(refused(
            format!("`{}` depends on the class around it", arena.slice(node)),
            "select code that uses the object, too, or no private names",
        )
        .at(arena.node(node).span));
    }
    let top = top_statements(document);
    let neighbor = arena.ancestors(selected.statement).find(|node| top.contains(node));
    neighbor
        .map(|neighbor| Target { neighbor, receiver: None })
        .ok_or_else(|| refused("the selection is not in a statement", "select whole statements"))
}

/// The first parameter of a method, and whether the method is a class method. `None` for static methods.
fn receiver(document: &CodeDocument, method: NodeIndex) -> Option<(String, bool)> {
    let arena = document.arena();
    let decorators = arena.children(method).filter(|child| arena.node(*child).field == F::Decorator.into());
    let names: Vec<&str> = decorators.map(|node| arena.slice(node).trim_start_matches('@').trim()).collect();
    let own = name_of(document, method).map_or("", |name| arena.slice(name));
    if names.contains(&"staticmethod") || own == "__new__" {
        return None;
    }
    let parameters = arena.child_of_kind(method, K::Parameters.into())?;
    let first = arena.children(parameters).next()?;
    let is_plain =
        is_one_of(document, first, &[K::Parameter, K::ParameterDefault]) && !arena.slice(first).starts_with('*');
    let name =
        arena.descendants(first).find(|node| is_one_of(document, *node, &[K::Identifier])).filter(|_| is_plain)?;
    Some((arena.slice(name).to_owned(), names.contains(&"classmethod") || own == "__init_subclass__"))
}

/// The edits that insert the function, and replace the selection with its call.
fn edits(
    document: &CodeDocument,
    (name, is_async): (&str, bool),
    selected: Selected,
    (target, flow): (&Target, &Flow),
) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let text = &arena.text;
    let code = selected.span.slice(text);
    let receiver = target.receiver.as_ref().map(|(name, _)| name.clone());
    let parameters: Vec<String> = receiver.iter().chain(&flow.inputs).cloned().collect();
    let callee = receiver.map_or_else(|| name.to_owned(), |receiver| format!("{receiver}.{name}"));
    let awaits = if is_async { "await " } else { "" };
    let call = format!("{awaits}{callee}({})", flow.inputs.join(", "));
    let returns = ends_with_return(document, selected);
    let outputs = flow.outputs.join(", ");
    let indent = lines::indent_at(text, arena.node(selected.statement).span.range().start);
    let outer = arena.ancestors(selected.statement).skip(1).find(|above| !is_one_of(document, *above, &[K::Block]));
    let outer = outer.filter(|outer| *outer != marquetry_code::ROOT && !is_one_of(document, *outer, &[K::Module]));
    let outer = outer.map_or("", |outer| lines::indent_at(text, arena.node(outer).span.range().start));
    let inner = if indent.len() > outer.len() { indent.to_owned() } else { format!("{outer}{}", document.unit()) };
    let body = match (selected.is_expression, outputs.is_empty()) {
        (true, _) if code.contains('\n') && !code.starts_with(['(', '[', '{']) => format!("{inner}return ({code})"),
        (true, _) => format!("{inner}return {code}"),
        (false, true) => format!("{inner}{code}"),
        (false, false) => format!("{inner}{code}\n{inner}return {outputs}"),
    };
    let keyword = if is_async { "async def" } else { "def" };
    let decorator = match target.receiver {
        Some((_, true)) => format!("{outer}@classmethod\n"),
        _ => String::new(),
    };
    let function = format!("{decorator}{outer}{keyword} {name}({}):\n{body}", parameters.join(", "));
    let replacement = match (selected.is_expression, returns, outputs.is_empty()) {
        (true, ..) => as_part(document, selected, &call),
        (_, true, _) => format!("return {call}"),
        (_, _, true) => call,
        (_, _, false) => format!("{outputs} = {call}"),
    };
    let block = Statements::new(document, arena.node(target.neighbor).parent);
    let content = Content::new(document.language(), document.path(), &function, ParseContext::File);
    // The function is inserted before a statement of the module, which may call it at once.
    let position = block.position(target.neighbor).map(|at| at + usize::from(target.receiver.is_some()));
    let mut edits = block.insert(position.unwrap_or(block.len()), &content)?;
    edits.push(Edit::new(selected.span, replacement));
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

/// A call as part of an expression, with parentheses if `await` needs them.
fn as_part(document: &CodeDocument, selected: Selected, call: &str) -> String {
    let arena = document.arena();
    let parent = expression_at(document, selected.span).map_or(selected.statement, |node| arena.node(node).parent);
    let is_operand =
        is_one_of(document, parent, &[K::Attribute, K::Subscript, K::Call, K::BinOp, K::UnaryOp, K::Await]);
    let range = selected.span.range();
    let has_brackets = arena.text[..range.start].ends_with('(') && arena.text[range.end..].starts_with(')');
    if call.starts_with("await ") && is_operand && !has_brackets { format!("({call})") } else { call.to_owned() }
}
