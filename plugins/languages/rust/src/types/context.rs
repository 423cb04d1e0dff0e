//! Types that the code around an expression requires.

use marquetry_code::NodeIndex;

use super::{Types, VARIABLE, text, types_in};
use crate::{
    kinds::{F, K, child, has_kind, is_expression_kind},
    names::{BindingIndex, Names},
};

impl Types<'_> {
    /// The type of a variable whose value is an integer without a suffix: the type of a place that takes it, or of the
    /// other operand of an operator. Integers are never converted implicitly.
    pub(super) fn of_number(&self, binding: BindingIndex, value: NodeIndex) -> Option<String> {
        let (arena, types) = (self.arena, self.deeper(VARIABLE)?);
        let code = arena.slice(value);
        let is_integer = has_kind(arena, value, K::LITERAL)
            && code.starts_with(|c: char| c.is_ascii_digit())
            && !code.contains(['.', 'f'])
            && !(code.contains(['e', 'E']) && !code.starts_with("0x"));
        if !is_integer {
            return None;
        }
        let uses = self.names().references(binding).filter(|place| !Names::is_declaration(place));
        let mut nodes = uses.filter_map(|place| {
            let span = place.span;
            let mut same = arena.ancestors(arena.innermost(span)).take_while(|node| arena.node(*node).span == span);
            same.find(|node| has_kind(arena, *node, K::PATH_EXPR))
        });
        nodes.find_map(|node| {
            let required = types.expected(node).or_else(|| types.of_other_operand(node));
            required.filter(|own| text::is_integer(own))
        })
    }

    /// The type of the other operand of an operator that takes two numbers of the same type.
    fn of_other_operand(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let parent = arena.node(node).parent;
        let other =
            arena.children(parent).find(|operand| *operand != node).filter(|_| has_kind(arena, parent, K::BIN_EXPR))?;
        let between = |one: NodeIndex, other: NodeIndex| {
            arena.text[arena.node(one).span.range().end..arena.node(other).span.range().start].trim()
        };
        let is_left = arena.node(node).span.end <= arena.node(other).span.start;
        let operator = if is_left { between(node, other) } else { between(other, node) };
        if matches!(operator, "&&" | "||" | "<<" | ">>" | "<<=" | ">>=") {
            return None;
        }
        let own = self.type_of(other)?;
        // References to numbers are operands of arithmetic, but neither compared with nor assigned to numbers.
        let takes_reference = !matches!(operator, "=" | "==" | "!=" | "<" | ">" | "<=" | ">=");
        let number = if takes_reference { text::without_references(&own) } else { own.as_str() };
        Some(number.to_owned())
    }

    /// The type that an expression must have at its place, up to implicit conversions.
    pub(crate) fn expected(&self, node: NodeIndex) -> Option<String> {
        let (arena, types) = (self.arena, self.deeper(VARIABLE)?);
        let parent = arena.node(node).parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        if is(K::RETURN_EXPR) {
            return types.returned(node);
        }
        if is(K::PAREN_EXPR) {
            return types.expected(parent);
        }
        if is(K::LET_STMT) {
            let is_value = arena.children(parent).filter(|part| is_expression_kind(arena, *part)).last() == Some(node);
            return types.written(types_in(arena, parent).next().filter(|_| is_value)?);
        }
        if is(K::EXPR_STMT) {
            return types.of_statement(parent);
        }
        if is(K::IF_EXPR) && has_kind(arena, node, K::BLOCK_EXPR) {
            return types.expected(parent);
        }
        if is(K::IF_EXPR) || is(K::WHILE_EXPR) {
            let is_condition = !has_kind(arena, node, K::BLOCK_EXPR) && !has_kind(arena, node, K::IF_EXPR);
            return is_condition.then(|| "bool".to_owned());
        }
        if is(K::MATCH_ARM) && arena.children(parent).last() == Some(node) {
            return types.expected(arena.node(arena.node(parent).parent).parent);
        }
        if is(K::ARG_LIST) { types.argument(node) } else { None }
    }

    /// The type that a statement without a semicolon must have: that of its block, if the statement is the last one.
    fn of_statement(&self, statement: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let list = arena.node(statement).parent;
        let is_last = arena.children(list).last() == Some(statement);
        if !is_last {
            return Some("()".to_owned());
        }
        if arena.slice(statement).ends_with(';') { None } else { self.of_block(list) }
    }

    /// The type of the value of a block.
    pub(crate) fn of_block(&self, list: NodeIndex) -> Option<String> {
        let (arena, types) = (self.arena, self.deeper(VARIABLE)?);
        let owner = arena.node(list).parent;
        if has_kind(arena, owner, K::FN) {
            return types.returned(list);
        }
        let around = arena.node(owner).parent;
        let is = |kind: K| has_kind(arena, around, kind);
        if is(K::FOR_EXPR) || is(K::WHILE_EXPR) || is(K::LOOP_EXPR) {
            return Some("()".to_owned());
        }
        let is_plain = ["async", "const", "gen"].iter().all(|word| !arena.slice(owner).starts_with(word));
        let has_label = child(arena, owner, K::LABEL).is_some();
        if is_plain && !has_label { types.expected(owner) } else { None }
    }

    /// The type that `return` needs at a node: that of the closure or function around it.
    pub(crate) fn returned(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let ends = |above: &NodeIndex| {
            let is_async = has_kind(arena, *above, K::BLOCK_EXPR) && arena.slice(*above).starts_with("async");
            is_async || has_kind(arena, *above, K::CLOSURE_EXPR) || has_kind(arena, *above, K::FN)
        };
        let function = arena.ancestors(node).find(ends)?;
        match child(arena, function, K::RET_TYPE) {
            Some(written) => self.written(types_in(arena, written).next()?).filter(|own| !own.contains("impl ")),
            None => has_kind(arena, function, K::FN).then(|| "()".to_owned()),
        }
    }

    /// The type of the parameter for which an expression is the argument.
    fn argument(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let list = arena.node(node).parent;
        let call = arena.node(list).parent;
        let callee = arena.children(call).next().filter(|_| has_kind(arena, call, K::CALL_EXPR))?;
        let index = arena.children(list).position(|own| own == node)?;
        let function = self.function(arena.node(callee).span)?;
        if child(arena, function, K::GENERIC_PARAM_LIST).is_some() {
            return None;
        }
        let parameters = child(arena, function, K::PARAM_LIST)?;
        let parameter = arena.children(parameters).filter(|own| has_kind(arena, *own, K::PARAM)).nth(index)?;
        let own = self.written(types_in(arena, parameter).next()?)?;
        let is_macro = arena.child(function, F::Name.into()).is_none();
        (!is_macro && !own.contains("impl ")).then_some(own)
    }
}
