//! Comparisons (RFC 9535, section 2.3.5.2.2).

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    ast::Operator,
    evaluate::Run,
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
enum Plain<'v, N> {
    Nothing,
    Null,
    Boolean(bool),
    Number(f64),
    String(Cow<'v, str>),
    Container(N),
}

impl<T: Tree> Run<'_, T> {
    pub(crate) fn compare_values(
        &self,
        left: &Value<'_, T::Node>,
        operator: Operator,
        right: &Value<'_, T::Node>,
    ) -> bool {
        let (left, right) = (self.plain(left), self.plain(right));
        match operator {
            Operator::Equal => self.equal(&left, &right),
            Operator::NotEqual => !self.equal(&left, &right),
            Operator::Less => order(&left, &right) == Some(Ordering::Less),
            Operator::Greater => order(&left, &right) == Some(Ordering::Greater),
            Operator::LessOrEqual => order(&left, &right) == Some(Ordering::Less) || self.equal(&left, &right),
            Operator::GreaterOrEqual => order(&left, &right) == Some(Ordering::Greater) || self.equal(&left, &right),
        }
    }

    fn plain<'v>(&'v self, value: &Value<'v, T::Node>) -> Plain<'v, T::Node> {
        match *value {
            Value::Nothing => Plain::Nothing,
            Value::Null => Plain::Null,
            Value::Boolean(value) => Plain::Boolean(value),
            Value::Number(value) => Plain::Number(value),
            Value::String(text) => Plain::String(Cow::Borrowed(text)),
            Value::Node(node) => match self.tree.kind(node) {
                Kind::Null => Plain::Null,
                Kind::Boolean => Plain::Boolean(self.tree.truth(node)),
                Kind::Number => Plain::Number(self.tree.number(node)),
                Kind::String => Plain::String(self.tree.text(node)),
                Kind::Object | Kind::Array => Plain::Container(node),
            },
        }
    }

    fn equal(&self, left: &Plain<'_, T::Node>, right: &Plain<'_, T::Node>) -> bool {
        match (left, right) {
            (Plain::Nothing, Plain::Nothing) | (Plain::Null, Plain::Null) => true,
            (Plain::Boolean(a), Plain::Boolean(b)) => a == b,
            (Plain::Number(a), Plain::Number(b)) => a == b,
            (Plain::String(a), Plain::String(b)) => a == b,
            (Plain::Container(a), Plain::Container(b)) => self.equal_containers(*a, *b),
            _ => false,
        }
    }

    /// Compares deeply, without recursion.
    fn equal_containers(&self, left: T::Node, right: T::Node) -> bool {
        let mut waiting = vec![(left, right)];
        while let Some((a, b)) = waiting.pop() {
            self.spend(1);
            if self.exhausted() {
                return false;
            }
            if a == b {
                continue;
            }
            let same = match (self.tree.kind(a), self.tree.kind(b)) {
                (Kind::Array, Kind::Array) => {
                    let before = waiting.len();
                    waiting.extend(self.tree.children(a).zip(self.tree.children(b)));
                    self.spend(waiting.len() - before);
                    self.tree.count(a) == self.tree.count(b)
                }
                (Kind::Object, Kind::Object) => self.equal_members(a, b, &mut waiting),
                _ => self.equal(&self.plain(&Value::Node(a)), &self.plain(&Value::Node(b))),
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
        self.spend(left.len() + right.len());
        for members in [&mut left, &mut right] {
            // Of several members with the same name, only the last counts: reversed, it comes first and is the one
            // kept.
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

fn order<N>(left: &Plain<'_, N>, right: &Plain<'_, N>) -> Option<Ordering> {
    match (left, right) {
        (Plain::Number(a), Plain::Number(b)) => a.partial_cmp(b),
        // The order of UTF-8 bytes equals the order of code points.
        (Plain::String(a), Plain::String(b)) => Some(a.cmp(b)),
        _ => None,
    }
}
