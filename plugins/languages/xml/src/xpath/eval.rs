//! Evaluates expressions step by step. A step is evaluated for the whole node-set, unless a predicate depends on
//! positions.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
};

use rustc_hash::FxHashSet;

use super::{
    ast::{Axis, Comparison, Expr, Operator, Path, Predicate, Start, Step, Test, Type},
    nodes::{NamespaceNodes, is_namespace},
    number,
};
use crate::tree::{Id, Tree};

/// Maximum number of nodes visited by one evaluation.
const MAX_WORK: u64 = 30_000_000;

/// Error of an evaluation that takes too long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkLimitExceeded;

pub(crate) type Evaluated<T> = Result<T, WorkLimitExceeded>;

/// Value of an expression.
#[derive(Debug)]
pub(crate) enum Value<'d> {
    /// A node-set, in document order.
    Nodes(Vec<Id>),
    Number(f64),
    Text(Cow<'d, str>),
    Boolean(bool),
}

/// Context of an evaluation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub node: Id,
    pub position: usize,
    pub size: usize,
}

/// Evaluates expressions on one document.
pub(crate) struct Evaluator<'d> {
    pub text: &'d str,
    pub tree: &'d Tree,
    pub namespaces: &'d RefCell<NamespaceNodes>,
    remaining_work: Cell<u64>,
}

impl<'d> Evaluator<'d> {
    pub(crate) fn new(text: &'d str, tree: &'d Tree, namespaces: &'d RefCell<NamespaceNodes>) -> Evaluator<'d> {
        Evaluator { text, tree, namespaces, remaining_work: Cell::new(MAX_WORK) }
    }

    /// Subtracts an amount from the remaining work; fails if less is left.
    pub(crate) fn spend_work(&self, amount: u64) -> Evaluated<()> {
        let left = self.remaining_work.get().checked_sub(amount).ok_or(WorkLimitExceeded)?;
        self.remaining_work.set(left);
        Ok(())
    }

    pub(crate) fn value(&self, expr: &Expr, context: Context) -> Evaluated<Value<'d>> {
        Ok(match expr {
            Expr::Literal(text) => Value::Text(Cow::Owned(text.to_string())),
            Expr::Path(_) | Expr::Union(_) => Value::Nodes(self.nodes(expr, context)?),
            Expr::Call(function, arguments) => self.call_function(*function, arguments, context)?,
            _ => match expr.result_type() {
                Type::Boolean => Value::Boolean(self.boolean(expr, context)?),
                _ => Value::Number(self.number(expr, context)?),
            },
        })
    }

    /// Nodes of an expression of type node-set, in document order.
    pub(crate) fn nodes(&self, expr: &Expr, context: Context) -> Evaluated<Vec<Id>> {
        match expr {
            Expr::Union(all) => {
                let mut nodes = Vec::new();
                for next in all {
                    nodes.append(&mut self.nodes(next, context)?);
                }
                self.sort_in_document_order(&mut nodes);
                Ok(nodes)
            }
            Expr::Path(path) => self.evaluate_path(path, context),
            Expr::Call(function, arguments) => match self.call_function(*function, arguments, context)? {
                Value::Nodes(nodes) => Ok(nodes),
                _ => Ok(Vec::new()),
            },
            _ => Ok(Vec::new()),
        }
    }

    fn evaluate_path(&self, path: &Path, context: Context) -> Evaluated<Vec<Id>> {
        let mut set = match &path.start {
            Start::Root => vec![0],
            Start::Top => return self.evaluate_path_at_top(path),
            Start::Context => vec![context.node],
            Start::Nodes(expr, predicates) => {
                let mut nodes = self.nodes(expr, context)?;
                for predicate in predicates {
                    nodes = self.filter_nodes(nodes, predicate)?;
                }
                nodes
            }
        };
        self.evaluate_steps(&mut set, &path.steps)?;
        Ok(set)
    }

    fn evaluate_steps(&self, set: &mut Vec<Id>, steps: &[Step]) -> Evaluated<()> {
        for step in steps {
            if set.is_empty() {
                break;
            }
            *set = self.evaluate_step(set, step)?;
        }
        Ok(())
    }

    /// Evaluates a path from the document. If the path finds nothing from the document, evaluates it from the root
    /// element.
    fn evaluate_path_at_top(&self, path: &Path) -> Evaluated<Vec<Id>> {
        let mut set = vec![0];
        self.evaluate_steps(&mut set, &path.steps)?;
        let leads_down = path.steps.first().is_some_and(|step| matches!(step.axis, Axis::Child | Axis::Attribute));
        if set.is_empty()
            && leads_down
            && let Some(root) = self.tree.root()
        {
            set.push(root);
            self.evaluate_steps(&mut set, &path.steps)?;
        }
        Ok(set)
    }

    fn evaluate_step(&self, set: &[Id], step: &Step) -> Evaluated<Vec<Id>> {
        if !step.is_positional() {
            let mut found = self.axis_nodes_of_set(step.axis, set, &step.test)?;
            for predicate in &step.predicates {
                found = self.filter_nodes(found, predicate)?;
            }
            return Ok(found);
        }
        let most = match step.predicates[0] {
            Predicate::At(place) => place,
            _ => usize::MAX,
        };
        let mut all = Vec::new();
        for id in set {
            let mut found = self.axis_nodes(step.axis, *id, &step.test, most)?;
            for predicate in &step.predicates {
                found = self.filter_nodes(found, predicate)?;
            }
            all.append(&mut found);
        }
        self.sort_in_document_order(&mut all);
        Ok(all)
    }

    /// Returns the nodes that satisfy the predicate. Positions are counted in the order of `nodes`.
    fn filter_nodes(&self, mut nodes: Vec<Id>, predicate: &Predicate) -> Evaluated<Vec<Id>> {
        let size = nodes.len();
        match predicate {
            Predicate::At(place) => return Ok(nodes.get(*place - 1).copied().into_iter().collect()),
            Predicate::Where(expr) | Predicate::Positional(expr) => {
                let is_place = expr.result_type() == Type::Number;
                let mut kept = 0;
                for index in 0..size {
                    let context = Context { node: nodes[index], position: index + 1, size };
                    self.spend_work(1)?;
                    let holds = if is_place {
                        self.number(expr, context)? == context.position as f64
                    } else {
                        self.boolean(expr, context)?
                    };
                    if holds {
                        nodes[kept] = nodes[index];
                        kept += 1;
                    }
                }
                nodes.truncate(kept);
            }
        }
        Ok(nodes)
    }

    pub(crate) fn boolean(&self, expr: &Expr, context: Context) -> Evaluated<bool> {
        match expr {
            Expr::Or(all) => {
                for next in all {
                    if self.boolean(next, context)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::And(all) => {
                for next in all {
                    if !self.boolean(next, context)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Path(path) => self.path_exists(path, context),
            Expr::Compare(first, rest) => self.compare(first, rest, context),
            _ => Ok(truth(&self.value(expr, context)?)),
        }
    }

    /// Returns whether a path finds a node. In simple cases, it does not search for all nodes.
    fn path_exists(&self, path: &Path, context: Context) -> Evaluated<bool> {
        match (&path.start, path.steps.as_slice()) {
            (Start::Context, [step]) if step.predicates.is_empty() => {
                Ok(!self.axis_nodes(step.axis, context.node, &step.test, 1)?.is_empty())
            }
            (Start::Context, [step]) if !step.is_positional() => {
                for id in self.axis_nodes(step.axis, context.node, &step.test, usize::MAX)? {
                    let here = Context { node: id, position: 1, size: 1 };
                    let mut holds = true;
                    for predicate in &step.predicates {
                        if let Predicate::Where(expr) = predicate {
                            holds = holds && self.boolean(expr, here)?;
                        }
                    }
                    if holds {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(!self.evaluate_path(path, context)?.is_empty()),
        }
    }

    pub(crate) fn number(&self, expr: &Expr, context: Context) -> Evaluated<f64> {
        Ok(match expr {
            Expr::Number(number) => *number,
            Expr::Negate(inner) => -self.number(inner, context)?,
            Expr::Arithmetic(first, rest) => {
                let mut result = self.number(first, context)?;
                for (operator, next) in rest {
                    result = calculate(*operator, result, self.number(next, context)?);
                }
                result
            }
            _ => match self.value(expr, context)? {
                Value::Number(number) => number,
                Value::Boolean(value) => f64::from(u8::from(value)),
                Value::Text(text) => number::parse(&text),
                Value::Nodes(nodes) => number::parse(&self.first_text(&nodes)?),
            },
        })
    }

    pub(crate) fn text(&self, expr: &Expr, context: Context) -> Evaluated<Cow<'d, str>> {
        if let Some(attribute) = self.single_attribute(expr, context) {
            return Ok(attribute.map_or(Cow::Borrowed(""), |id| self.tree.value(self.text, id)));
        }
        Ok(match self.value(expr, context)? {
            Value::Text(text) => text,
            Value::Number(number) => Cow::Owned(number::print(number)),
            Value::Boolean(value) => Cow::Borrowed(if value { "true" } else { "false" }),
            Value::Nodes(nodes) => self.first_text(&nodes)?,
        })
    }

    fn first_text(&self, nodes: &[Id]) -> Evaluated<Cow<'d, str>> {
        nodes.first().map_or(Ok(Cow::Borrowed("")), |first| self.string_value(*first))
    }

    /// String-value of a node.
    pub(crate) fn string_value(&self, id: Id) -> Evaluated<Cow<'d, str>> {
        if is_namespace(id) {
            let namespace = self.namespaces.borrow().get(id).namespace;
            return Ok(Cow::Borrowed(self.tree.names.uri(namespace)));
        }
        let value = self.tree.string_value(self.text, id);
        self.spend_work(1 + value.len() as u64 / 32 + u64::from(self.tree.after(id) - id) / 8)?;
        Ok(value)
    }

    /// Returns the attribute that the expression finds, if the expression has the form `@name`.
    fn single_attribute(&self, expr: &Expr, context: Context) -> Option<Option<Id>> {
        let Expr::Path(path) = expr else { return None };
        let (Start::Context, [Step { axis: Axis::Attribute, test: Test::Tags(tags), predicates }]) =
            (&path.start, &path.steps[..])
        else {
            return None;
        };
        if !predicates.is_empty() || is_namespace(context.node) {
            return None;
        }
        Some(self.tree.attributes(context.node).find(|id| tags.contains(&self.tree.tag(*id))))
    }

    fn compare(&self, first: &Expr, rest: &[(Comparison, Expr)], context: Context) -> Evaluated<bool> {
        let [(comparison, second)] = rest else {
            // In a chain of comparisons, compare the result of the previous ones with the next operand.
            let (last, before) = rest.split_last().ok_or(WorkLimitExceeded)?;
            let so_far = Value::Boolean(self.compare(first, before, context)?);
            return self.compare_values(last.0, &so_far, &self.value(&last.1, context)?);
        };
        if let (Some(attribute), Expr::Literal(text)) = (self.single_attribute(first, context), second) {
            let holds = |id: Id| compare_texts(*comparison, &self.tree.value(self.text, id), text);
            return Ok(attribute.is_some_and(holds));
        }
        self.compare_values(*comparison, &self.value(first, context)?, &self.value(second, context)?)
    }

    /// Compares two values as defined in section 3.4 of XPath 1.0.
    fn compare_values(&self, comparison: Comparison, left: &Value<'_>, right: &Value<'_>) -> Evaluated<bool> {
        match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => self.compare_sets(comparison, left, right),
            (Value::Nodes(_), Value::Boolean(right)) => {
                Ok(compare_numbers(comparison, number_of(truth(left)), number_of(*right)))
            }
            (Value::Boolean(left), Value::Nodes(_)) => {
                Ok(compare_numbers(comparison, number_of(*left), number_of(truth(right))))
            }
            (Value::Nodes(nodes), other) => self.compare_set(comparison, nodes, other),
            (other, Value::Nodes(nodes)) => self.compare_set(swap_operands(comparison), nodes, other),
            _ => Ok(compare_plain(comparison, left, right)),
        }
    }

    fn compare_set(&self, comparison: Comparison, nodes: &[Id], other: &Value<'_>) -> Evaluated<bool> {
        for id in nodes {
            let value = self.string_value(*id)?;
            let holds = match other {
                Value::Number(number) => compare_numbers(comparison, number::parse(&value), *number),
                Value::Text(text) => compare_texts(comparison, &value, text),
                _ => false,
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn compare_sets(&self, comparison: Comparison, left: &[Id], right: &[Id]) -> Evaluated<bool> {
        match comparison {
            Comparison::Equal => {
                let mut values = FxHashSet::default();
                for id in left {
                    values.insert(self.string_value(*id)?);
                }
                for id in right {
                    if values.contains(&self.string_value(*id)?) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Comparison::Unequal => {
                // There is a pair of different values unless all values are equal.
                let Some(first) = left.first().filter(|_| !right.is_empty()) else { return Ok(false) };
                let first = self.string_value(*first)?;
                for id in left.iter().chain(right) {
                    if self.string_value(*id)? != first {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => {
                let (low, high) = (self.min_and_max(left)?, self.min_and_max(right)?);
                let (Some(left), Some(right)) = (low, high) else { return Ok(false) };
                Ok(match comparison {
                    Comparison::Less | Comparison::LessOrEqual => compare_numbers(comparison, left.0, right.1),
                    _ => compare_numbers(comparison, left.1, right.0),
                })
            }
        }
    }

    /// Minimum and maximum of the numeric values of the nodes.
    fn min_and_max(&self, nodes: &[Id]) -> Evaluated<Option<(f64, f64)>> {
        let mut extremes: Option<(f64, f64)> = None;
        for id in nodes {
            let number = number::parse(&self.string_value(*id)?);
            if !number.is_nan() {
                let (low, high) = extremes.unwrap_or((number, number));
                extremes = Some((low.min(number), high.max(number)));
            }
        }
        Ok(extremes)
    }
}

/// The value as a boolean.
pub(crate) fn truth(value: &Value<'_>) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Text(text) => !text.is_empty(),
        Value::Boolean(value) => *value,
    }
}

fn number_of(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Compares values that are not node-sets.
fn compare_plain(comparison: Comparison, left: &Value<'_>, right: &Value<'_>) -> bool {
    let number = |value: &Value<'_>| match value {
        Value::Number(number) => *number,
        Value::Text(text) => number::parse(text),
        other => number_of(truth(other)),
    };
    if matches!(comparison, Comparison::Equal | Comparison::Unequal) {
        if matches!(left, Value::Boolean(_)) || matches!(right, Value::Boolean(_)) {
            return (truth(left) == truth(right)) == (comparison == Comparison::Equal);
        }
        if let (Value::Text(left), Value::Text(right)) = (left, right) {
            return (left == right) == (comparison == Comparison::Equal);
        }
    }
    compare_numbers(comparison, number(left), number(right))
}

fn compare_texts(comparison: Comparison, left: &str, right: &str) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        _ => compare_numbers(comparison, number::parse(left), number::parse(right)),
    }
}

fn compare_numbers(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
    }
}

/// The comparison with swapped operands.
fn swap_operands(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}

fn calculate(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Remainder => left % right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address::Prefixes, parse, xpath::parser};

    #[test]
    fn evaluation_work_is_limited() {
        let text = format!("<a>{}</a>", "<b>x</b>".repeat(500));
        let tree = parse::parse_document(&text);
        let (prefixes, namespaces) = (Prefixes::new(&tree), RefCell::default());
        let scope = parser::Scope { tree: &tree, prefixes: &prefixes.bound, unprefixed: None };
        let holds = |source: &str| {
            let evaluator =
                Evaluator { remaining_work: Cell::new(10_000), ..Evaluator::new(&text, &tree, &namespaces) };
            let parsed = parser::parse(source, &scope).expect("an expression");
            evaluator.value(&parsed.expr, Context { node: 0, position: 1, size: 1 }).is_ok()
        };
        assert!(holds("//b[500]") && holds("count(//b[. = 'x'])"));
        assert!(!holds("//b[not(//b[. = //c])]"));
        assert!(!holds("//b[contains(/, 'y')]"));
    }
}
