//! Evaluates filters.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    ast::{Comparison, Expression, Match, Operand, Step, Subquery},
    compare::Value,
    evaluate::Run,
    regexp::Pattern,
    tree::{Kind, Tree},
};

/// Compiled patterns that were read from the document.
pub(crate) type Patterns = HashMap<(String, bool), Option<Pattern>>;
/// Maximum number of cached patterns.
const MOST_PATTERNS: usize = 256;

impl<'t, T: Tree> Run<'t, T> {
    /// Returns whether the expression is true for the node.
    pub(crate) fn holds(&self, node: T::Node, expression: &Expression) -> bool {
        match expression {
            Expression::Or(parts) => parts.iter().any(|part| self.holds(node, part)),
            Expression::And(parts) => parts.iter().all(|part| self.holds(node, part)),
            Expression::Not(inner) => !self.holds(node, inner),
            Expression::Exists(query) => match self.singular(node, query) {
                Some(found) => found.is_some(),
                None => !self.nodes(node, query).is_empty(),
            },
            Expression::Compare(comparison) => self.compare(node, comparison),
            Expression::Match(test) => self.matches(node, test),
        }
    }

    fn compare(&self, node: T::Node, comparison: &Comparison) -> bool {
        let left = self.value(node, &comparison.left);
        let right = self.value(node, &comparison.right);
        self.compare_values(&left, comparison.operator, &right)
    }

    fn matches(&self, node: T::Node, test: &Match) -> bool {
        let text = self.value(node, &test.text);
        let Some(text) = self.string(&text) else { return false };
        if let Some(pattern) = &test.compiled {
            return pattern.matches(&text);
        }
        let source = self.value(node, &test.pattern);
        let Some(source) = self.string(&source) else { return false };
        let mut patterns = self.patterns.borrow_mut();
        if patterns.len() >= MOST_PATTERNS {
            patterns.clear();
        }
        let key = (source.into_owned(), test.whole);
        let pattern = patterns.entry(key).or_insert_with_key(|(source, whole)| Pattern::new(source, *whole).ok());
        pattern.as_ref().is_some_and(|pattern| pattern.matches(&text))
    }

    fn string<'v>(&'v self, value: &'v Value<'_, T::Node>) -> Option<Cow<'v, str>> {
        match value {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Node(node) if self.tree.kind(*node) == Kind::String => Some(self.tree.text(*node)),
            _ => None,
        }
    }

    fn start(&self, node: T::Node, query: &Subquery) -> T::Node {
        if query.relative { node } else { self.tree.root() }
    }

    fn nodes(&self, node: T::Node, query: &Subquery) -> Vec<T::Node> {
        self.segments(self.start(node, query), &query.segments)
    }

    /// The node that a singular query selects. The outer `Option` is `None` if the query is not singular.
    fn singular(&self, node: T::Node, query: &Subquery) -> Option<Option<T::Node>> {
        let mut at = self.start(node, query);
        for segment in &query.segments {
            let next = match segment.step()? {
                Step::Name(name) => self.name(at, name),
                Step::Index(index) => self.index(at, index),
                Step::Occurrence(..) => return None,
            };
            self.spend(1);
            match next {
                Some(next) => at = next,
                None => return Some(None),
            }
        }
        Some(Some(at))
    }

    fn value<'q>(&self, node: T::Node, operand: &'q Operand) -> Value<'q, T::Node> {
        match operand {
            Operand::Null => Value::Null,
            Operand::Boolean(value) => Value::Boolean(*value),
            Operand::Number(value) => Value::Number(*value),
            Operand::String(text) => Value::String(text),
            Operand::Singular(query) => {
                let found = self.singular(node, query).unwrap_or_else(|| self.nodes(node, query).first().copied());
                found.map_or(Value::Nothing, Value::Node)
            }
            Operand::Length(inner) => self.length(&self.value(node, inner)),
            Operand::Count(query) => Value::Number(self.nodes(node, query).len() as f64),
            Operand::Value(query) => match self.nodes(node, query).as_slice() {
                [only] => Value::Node(*only),
                _ => Value::Nothing,
            },
        }
    }

    fn length<'q>(&self, value: &Value<'_, T::Node>) -> Value<'q, T::Node> {
        if let Some(text) = self.string(value) {
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
