//! The selected code: consecutive statements of a block, or one expression.

use marquetry_code::{Arena, NodeIndex, Token, TokenKind};
use marquetry_sdk::{Result, Span};

use super::{
    super::expressions::{function_of, is_first, is_mutable, is_one_of, is_place, macro_argument, statement_of},
    refused,
};
use crate::{
    kinds::{K, child, has_kind, is_expression_kind},
    types::{Types, text::is_primitive},
};

const WHOLE: &str = "select whole statements of one block, or one whole expression";

/// The selected code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selected {
    pub(super) span: Span,
    /// The function around the code.
    pub(super) function: NodeIndex,
    /// The first selected statement, or the statement around the expression.
    pub(super) statement: NodeIndex,
    /// The block of the statements.
    pub(super) list: NodeIndex,
    /// The selected expression. `None` for statements.
    pub(super) expression: Option<NodeIndex>,
    /// True if the last statement is the value of the block.
    pub(super) has_tail: bool,
}

impl Selected {
    /// Finds the code at a selection.
    ///
    /// # Errors
    ///
    /// Fails if the selection is neither whole statements nor an expression of a function.
    pub(super) fn find(arena: &Arena, span: Span) -> Result<Selected> {
        let unclear = || refused("the selection is neither whole statements nor an expression", WHOLE).at(span);
        let is_code = |token: &&Token| !matches!(token.kind, TokenKind::Comment | TokenKind::Break);
        let tokens: Vec<&Token> = arena.tokens_in(span).iter().filter(is_code).collect();
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Err(unclear()) };
        let code = Span { start: first.span.start, end: last.span.end };
        let inner = arena.innermost(code);
        let function = function_of(arena, inner).ok_or_else(|| {
            refused("the selection is not in a function", "select code in the body of a function").at(span)
        })?;
        let list = arena.ancestors(inner).find(|node| has_kind(arena, *node, K::STMT_LIST));
        let inside = |node: &NodeIndex| code.contains(arena.node(*node).span) && !has_kind(arena, *node, K::INNER_ATTR);
        let statements: Vec<NodeIndex> =
            list.into_iter().flat_map(|list| arena.children(list)).filter(inside).collect();
        if let (Some(list), Some(first), Some(last)) = (list, statements.first(), statements.last()) {
            let own = Span { start: arena.node(*first).span.start, end: arena.node(*last).span.end };
            if own != code {
                return Err(unclear());
            }
            let has_tail = has_kind(arena, *last, K::EXPR_STMT)
                && !arena.slice(*last).ends_with(';')
                && arena.children(list).last() == Some(*last);
            let selected = Selected { span: own, function, statement: *first, list, expression: None, has_tail };
            let value = arena.children(*first).next().filter(|_| has_tail && statements.len() == 1);
            return Ok(Selected { expression: value, ..selected });
        }
        Selected::expression(arena, code, function).ok_or_else(unclear)
    }

    fn expression(arena: &Arena, code: Span, function: NodeIndex) -> Option<Selected> {
        let same = arena.ancestors(arena.innermost(code)).take_while(|above| arena.node(*above).span == code);
        let node = same.filter(|above| is_expression_kind(arena, *above)).last()?;
        let statement = statement_of(arena, node)?;
        let list = arena.node(statement).parent;
        let parent = arena.node(node).parent;
        let selected = Selected { span: code, function, statement, list, expression: Some(node), has_tail: false };
        // The expression of a statement with a semicolon.
        if parent == statement && has_kind(arena, parent, K::EXPR_STMT) && arena.slice(parent).ends_with(';') {
            return Some(Selected { span: arena.node(statement).span, expression: None, ..selected });
        }
        Some(selected)
    }

    /// The statements of the selection.
    pub(super) fn statements(self, arena: &Arena) -> impl Iterator<Item = NodeIndex> {
        arena.children(self.list).filter(move |node| self.span.contains(arena.node(*node).span))
    }

    /// The selected expression, or the last statement.
    pub(super) fn tail(self, arena: &Arena) -> Span {
        let node = self.expression.or(self.statements(arena).last());
        node.map_or(self.span, |node| arena.node(node).span)
    }

    /// Returns whether the last statement is `return`.
    pub(super) fn ends_with_return(self, arena: &Arena) -> bool {
        let last = self.statements(arena).last().filter(|_| self.expression.is_none());
        last.and_then(|last| arena.children(last).next()).is_some_and(|value| has_kind(arena, value, K::RETURN_EXPR))
    }

    /// Returns whether the function ends with the selection, so that the value of the new function is its value.
    pub(super) fn ends_function(self, arena: &Arena) -> bool {
        let last = arena.children(self.list).last();
        has_kind(arena, arena.node(self.list).parent, K::FN)
            && last.is_some_and(|last| self.span.contains(arena.node(last).span))
    }

    /// Refuses an expression that is not a value which a function can return.
    pub(super) fn check_value(self, arena: &Arena, types: Types<'_>) -> Result<()> {
        let Some(node) = self.expression else { return Ok(()) };
        let parent = arena.node(node).parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        let fail = |why: &str| Err(refused(why, WHOLE).at(self.span));
        let is_jump = [K::RETURN_EXPR, K::BREAK_EXPR, K::CONTINUE_EXPR, K::LET_EXPR, K::UNDERSCORE_EXPR];
        let is_condition = |part: NodeIndex| {
            let mut between = arena.ancestors(part).take_while(|above| *above != node);
            let owns = [K::IF_EXPR, K::WHILE_EXPR, K::MATCH_ARM];
            has_kind(arena, part, K::LET_EXPR)
                && !between.any(|above| is_one_of(arena, above, &owns))
                && !is_one_of(arena, node, &owns)
        };
        if is_one_of(arena, node, &is_jump) || arena.descendants(node).any(is_condition) {
            return fail("the selection is not a value");
        }
        if is(K::CALL_EXPR) && is_first(arena, node) {
            return fail("the expression is the name of the function that is called");
        }
        if macro_argument(arena, node).is_some() && has_kind(arena, node, K::LITERAL) {
            return fail("a macro may need the text at compile time");
        }
        let compiler = [K::CONST_ARG, K::ARRAY_TYPE, K::CONST_BLOCK_PAT, K::LITERAL_PAT];
        if arena
            .ancestors(node)
            .take_while(|above| *above != self.statement)
            .any(|above| is_one_of(arena, above, &compiler))
        {
            return fail("the compiler evaluates the expression: it must be a constant");
        }
        if has_kind(arena, node, K::CLOSURE_EXPR) {
            return fail("the types of the closure may depend on the code around it");
        }
        let inner = arena.children(node).last().filter(|_| has_kind(arena, node, K::REF_EXPR));
        if inner.is_some_and(|inner| !is_place(arena, inner) && !has_kind(arena, inner, K::LITERAL)) {
            return fail("the expression borrows a temporary value");
        }
        if !is_place(arena, node) {
            return Ok(());
        }
        let own = types.type_of(node);
        let is_copied = own.as_ref().is_some_and(|own| types.is_copied(own, types.scope_at(node)));
        let is_changed = is(K::REF_EXPR) && is_mutable(arena, parent)
            || is_first(arena, node)
                && super::super::expressions::is_assignment(super::super::expressions::operator(arena, parent));
        let is_receiver = is(K::METHOD_CALL_EXPR) && is_first(arena, node) && !own.as_deref().is_some_and(is_primitive);
        if is_changed || is_receiver || !is_copied {
            return fail("the code around the expression uses its place in memory, and a function returns a value");
        }
        Ok(())
    }

    /// Returns whether an offset is in a loop or closure around the selection that does not contain the offset `declared`,
    /// so that code at the offset may run after the selection.
    pub(super) fn is_repeated_with(self, arena: &Arena, declared: u32, offset: u32) -> bool {
        let repeats = [K::FOR_EXPR, K::WHILE_EXPR, K::LOOP_EXPR, K::CLOSURE_EXPR];
        let around = arena.ancestors(arena.innermost(self.span)).take_while(|above| *above != self.function);
        let is_in = |node: NodeIndex, offset: u32| {
            let span = arena.node(node).span;
            span.start <= offset && offset < span.end
        };
        let mut loops =
            around.filter(|node| is_one_of(arena, *node, &repeats) && !self.span.contains(arena.node(*node).span));
        loops.any(|node| !is_in(node, declared) && is_in(node, offset))
    }

    /// Returns whether the code runs in a block `unsafe` around it, or in an unsafe function.
    pub(super) fn is_unsafe(self, arena: &Arena) -> bool {
        let around = arena.ancestors(self.list).take_while(|above| *above != self.function);
        let is_block =
            |node: NodeIndex| has_kind(arena, node, K::BLOCK_EXPR) && arena.slice(node).starts_with("unsafe");
        around.into_iter().any(is_block) || self.has_modifier(arena, "unsafe")
    }

    /// Returns whether a keyword precedes `fn`.
    pub(super) fn has_modifier(self, arena: &Arena, word: &str) -> bool {
        let own = arena.node(self.function).span;
        let attributes = arena.children(self.function).filter(|part| has_kind(arena, *part, K::ATTR));
        let start = attributes.last().map_or(own.start, |last| arena.node(last).span.end);
        let mut head = arena.tokens_in(Span { start, end: own.end }).iter().map(|token| token.span.slice(&arena.text));
        head.by_ref().take_while(|token| *token != "fn").any(|token| token == word)
    }

    /// The parameter `self` of the function.
    pub(super) fn receiver(self, arena: &Arena) -> Option<NodeIndex> {
        child(arena, child(arena, self.function, K::PARAM_LIST)?, K::SELF_PARAM)
    }
}
