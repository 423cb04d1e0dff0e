//! Comparisons (RFC 9535, section 2.3.5.2.2).

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    ast::Operator,
    evaluate::Evaluation,
    tree::{Kind, Tree},
};

/// A value, or nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'q, N> {
    Nothing,
    Null,
    Boolean(bool),
    Number(f64),
    String(&'q str),
    Node(N),
}

/// A value whose scalar content was read from the tree.
enum ResolvedValue<'v, N> {
    Nothing,
    Null,
    Boolean(bool),
    Number(f64),
    String(Cow<'v, str>),
    Container(N),
}

impl<T: Tree> Evaluation<'_, T> {
    pub(crate) fn compare_values(
        &self,
        left: &Value<'_, T::Node>,
        operator: Operator,
        right: &Value<'_, T::Node>,
    ) -> bool {
        let (left, right) = (self.resolved_value(left), self.resolved_value(right));
        match operator {
            Operator::Equal => self.equal(&left, &right),
            Operator::NotEqual => !self.equal(&left, &right),
            Operator::Less => partial_order(&left, &right) == Some(Ordering::Less),
            Operator::Greater => partial_order(&left, &right) == Some(Ordering::Greater),
            Operator::LessOrEqual => partial_order(&left, &right) == Some(Ordering::Less) || self.equal(&left, &right),
            Operator::GreaterOrEqual => {
                partial_order(&left, &right) == Some(Ordering::Greater) || self.equal(&left, &right)
            }
        }
    }

    fn resolved_value<'v>(&'v self, value: &Value<'v, T::Node>) -> ResolvedValue<'v, T::Node> {
        match *value {
            Value::Nothing => ResolvedValue::Nothing,
            Value::Null => ResolvedValue::Null,
            Value::Boolean(value) => ResolvedValue::Boolean(value),
            Value::Number(value) => ResolvedValue::Number(value),
            Value::String(text) => ResolvedValue::String(Cow::Borrowed(text)),
            Value::Node(node) => match self.tree.kind(node) {
                Kind::Null => ResolvedValue::Null,
                Kind::Boolean => ResolvedValue::Boolean(self.tree.boolean(node)),
                Kind::Number => ResolvedValue::Number(self.tree.number(node)),
                Kind::String => ResolvedValue::String(self.tree.text(node)),
                Kind::Object | Kind::Array => ResolvedValue::Container(node),
            },
        }
    }

    fn equal(&self, left: &ResolvedValue<'_, T::Node>, right: &ResolvedValue<'_, T::Node>) -> bool {
        match (left, right) {
            (ResolvedValue::Nothing, ResolvedValue::Nothing) | (ResolvedValue::Null, ResolvedValue::Null) => true,
            (ResolvedValue::Boolean(a), ResolvedValue::Boolean(b)) => a == b,
            (ResolvedValue::Number(a), ResolvedValue::Number(b)) => a == b,
            (ResolvedValue::String(a), ResolvedValue::String(b)) => a == b,
            (ResolvedValue::Container(a), ResolvedValue::Container(b)) => self.equal_containers(*a, *b),
            _ => false,
        }
    }

    /// Compares deeply, without recursion.
    fn equal_containers(&self, left: T::Node, right: T::Node) -> bool {
        let mut waiting = vec![(left, right)];
        while let Some((a, b)) = waiting.pop() {
            self.count_steps(1);
            if self.is_exhausted() {
                return false;
            }
            if a == b {
                continue;
            }
            let same = match (self.tree.kind(a), self.tree.kind(b)) {
                (Kind::Array, Kind::Array) => {
                    let before = waiting.len();
                    waiting.extend(self.tree.children(a).zip(self.tree.children(b)));
                    self.count_steps(waiting.len() - before);
                    self.tree.count(a) == self.tree.count(b)
                }
                (Kind::Object, Kind::Object) => self.equal_members(a, b, &mut waiting),
                _ => self.equal(&self.resolved_value(&Value::Node(a)), &self.resolved_value(&Value::Node(b))),
            };
            if !same {
                return false;
            }
        }
        true
    }

    /// Returns whether two objects have the same member names. Pushes the pairs of their values to `waiting`.
    fn equal_members(&self, a: T::Node, b: T::Node, waiting: &mut Vec<(T::Node, T::Node)>) -> bool {
        let mut left: Vec<_> = self.tree.members(a).collect();
        let mut right: Vec<_> = self.tree.members(b).collect();
        self.count_steps(left.len() + right.len());
        for members in [&mut left, &mut right] {
            // Of several members with the same name, only the last one counts. In reverse order it comes first, and
            // `dedup_by` keeps the first one.
            members.reverse();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.dedup_by(|a, b| a.0 == b.0);
        }
        let same = left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| a.0 == b.0);
        if same {
            waiting.extend(left.into_iter().zip(right).map(|((_, a), (_, b))| (a, b)));
        }
        same
    }
}

fn partial_order<N>(left: &ResolvedValue<'_, N>, right: &ResolvedValue<'_, N>) -> Option<Ordering> {
    match (left, right) {
        (ResolvedValue::Number(a), ResolvedValue::Number(b)) => a.partial_cmp(b),
        // The order of UTF-8 bytes equals the order of code points.
        (ResolvedValue::String(a), ResolvedValue::String(b)) => Some(a.cmp(b)),
        _ => None,
    }
}
