//! Evaluates filters.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    ast::{Comparison, Expression, Match, Operand, Step, Subquery},
    compare::Value,
    evaluate::Evaluation,
    regexp::Pattern,
    tree::{Kind, Tree},
};

/// Compiled patterns that were read from the document.
pub(crate) type Patterns = HashMap<(String, bool), Option<Pattern>>;
/// Maximum number of cached patterns.
const MOST_PATTERNS: usize = 256;

impl<'t, T: Tree> Evaluation<'t, T> {
    /// Returns whether the expression is true for the node.
    pub(crate) fn is_true(&self, node: T::Node, expression: &Expression) -> bool {
        match expression {
            Expression::Or(parts) => parts.iter().any(|part| self.is_true(node, part)),
            Expression::And(parts) => parts.iter().all(|part| self.is_true(node, part)),
            Expression::Not(inner) => !self.is_true(node, inner),
            Expression::Exists(query) => match self.singular_node(node, query) {
                Some(found) => found.is_some(),
                None => !self.select_nodes(node, query).is_empty(),
            },
            Expression::Compare(comparison) => self.compare(node, comparison),
            Expression::Match(test) => self.matches(node, test),
        }
    }

    fn compare(&self, node: T::Node, comparison: &Comparison) -> bool {
        let left = self.operand_value(node, &comparison.left);
        let right = self.operand_value(node, &comparison.right);
        self.compare_values(&left, comparison.operator, &right)
    }

    fn matches(&self, node: T::Node, test: &Match) -> bool {
        let text = self.operand_value(node, &test.text);
        let Some(text) = self.string_value(&text) else { return false };
        if let Some(pattern) = &test.compiled {
            return pattern.matches(&text);
        }
        let source = self.operand_value(node, &test.pattern);
        let Some(source) = self.string_value(&source) else { return false };
        let mut patterns = self.patterns.borrow_mut();
        if patterns.len() >= MOST_PATTERNS {
            patterns.clear();
        }
        let key = (source.into_owned(), test.whole);
        let pattern = patterns.entry(key).or_insert_with_key(|(source, whole)| Pattern::new(source, *whole).ok());
        pattern.as_ref().is_some_and(|pattern| pattern.matches(&text))
    }

    fn string_value<'v>(&'v self, value: &'v Value<'_, T::Node>) -> Option<Cow<'v, str>> {
        match value {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Node(node) if self.tree.kind(*node) == Kind::String => Some(self.tree.text(*node)),
            _ => None,
        }
    }

    fn start_node(&self, node: T::Node, query: &Subquery) -> T::Node {
        if query.relative { node } else { self.tree.root() }
    }

    fn select_nodes(&self, node: T::Node, query: &Subquery) -> Vec<T::Node> {
        self.select_segments(self.start_node(node, query), &query.segments)
    }

    /// The node that a singular query selects. The outer `Option` is `None` if the query is not singular.
    fn singular_node(&self, node: T::Node, query: &Subquery) -> Option<Option<T::Node>> {
        let mut at = self.start_node(node, query);
        for segment in &query.segments {
            let next = match segment.step()? {
                Step::Name(name) => self.member(at, name),
                Step::Index(index) => self.element(at, index),
                Step::Occurrence(..) => return None,
            };
            self.count_steps(1);
            match next {
                Some(next) => at = next,
                None => return Some(None),
            }
        }
        Some(Some(at))
    }

    fn operand_value<'q>(&self, node: T::Node, operand: &'q Operand) -> Value<'q, T::Node> {
        match operand {
            Operand::Null => Value::Null,
            Operand::Boolean(value) => Value::Boolean(*value),
            Operand::Number(value) => Value::Number(*value),
            Operand::String(text) => Value::String(text),
            Operand::Singular(query) => {
                let found =
                    self.singular_node(node, query).unwrap_or_else(|| self.select_nodes(node, query).first().copied());
                found.map_or(Value::Nothing, Value::Node)
            }
            Operand::Length(inner) => self.length_value(&self.operand_value(node, inner)),
            Operand::Count(query) => Value::Number(self.select_nodes(node, query).len() as f64),
            Operand::Value(query) => match self.select_nodes(node, query).as_slice() {
                [only] => Value::Node(*only),
                _ => Value::Nothing,
            },
        }
    }

    fn length_value<'q>(&self, value: &Value<'_, T::Node>) -> Value<'q, T::Node> {
        if let Some(text) = self.string_value(value) {
            return Value::Number(text.chars().count() as f64);
        }
        match value {
            Value::Node(node) if matches!(self.tree.kind(*node), Kind::Object | Kind::Array) => {
                Value::Number(self.tree.count(*node) as f64)
            }
            _ => Value::Nothing,
        }
    }
}
