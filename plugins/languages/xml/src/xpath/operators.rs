//! Binary operators and their precedence, and the construction of expressions from them.

use super::ast::{Comparison, Expr, Operator};

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binary {
    Or,
    And,
    Compare(Comparison),
    Arithmetic(Operator),
}

impl Binary {
    /// Returns the operator with this symbol, and its level. Operators of level 0 bind most tightly.
    pub(super) fn from_symbol(operator: &str) -> Option<(u8, Binary)> {
        Some(match operator {
            "*" => (0, Binary::Arithmetic(Operator::Multiply)),
            "div" => (0, Binary::Arithmetic(Operator::Divide)),
            "mod" => (0, Binary::Arithmetic(Operator::Remainder)),
            "+" => (1, Binary::Arithmetic(Operator::Add)),
            "-" => (1, Binary::Arithmetic(Operator::Subtract)),
            "<" => (2, Binary::Compare(Comparison::Less)),
            "<=" => (2, Binary::Compare(Comparison::LessOrEqual)),
            ">" => (2, Binary::Compare(Comparison::Greater)),
            ">=" => (2, Binary::Compare(Comparison::GreaterOrEqual)),
            "=" => (3, Binary::Compare(Comparison::Equal)),
            "!=" => (3, Binary::Compare(Comparison::Unequal)),
            "and" => (4, Binary::And),
            "or" => (5, Binary::Or),
            _ => return None,
        })
    }
}

/// Highest number that [`Binary::from_symbol`] returns as a level. These operators bind least tightly.
const LOWEST_PRECEDENCE: u8 = 5;

/// Joins operands and operators to one expression.
pub(super) fn join_operands(mut operands: Vec<Expr>, mut operators: Vec<(u8, Binary)>) -> Option<Expr> {
    for level in 0..=LOWEST_PRECEDENCE {
        (operands, operators) = fold_level(level, operands, operators);
    }
    operands.pop()
}

/// Joins the operands of all operators of one level, and returns the remaining operands and operators.
fn fold_level(level: u8, operands: Vec<Expr>, operators: Vec<(u8, Binary)>) -> (Vec<Expr>, Vec<(u8, Binary)>) {
    if !operators.iter().any(|operator| operator.0 == level) {
        return (operands, operators);
    }
    let mut operands = operands.into_iter();
    let (mut joined, mut left) = (Vec::new(), Vec::new());
    let Some(mut first) = operands.next() else { return (joined, left) };
    let mut chain = Vec::new();
    for (operator, operand) in operators.into_iter().zip(operands) {
        if operator.0 == level {
            chain.push((operator.1, operand));
        } else {
            joined.push(build_chain(first, std::mem::take(&mut chain)));
            left.push(operator);
            first = operand;
        }
    }
    joined.push(build_chain(first, chain));
    (joined, left)
}

fn build_chain(first: Expr, chain: Vec<(Binary, Expr)>) -> Expr {
    let operands = |chain: Vec<(Binary, Expr)>, first| {
        std::iter::once(first).chain(chain.into_iter().map(|(_, next)| next)).collect()
    };
    match chain.first().map(|(operator, _)| *operator) {
        None => first,
        Some(Binary::Or) => Expr::Or(operands(chain, first)),
        Some(Binary::And) => Expr::And(operands(chain, first)),
        Some(Binary::Compare(_)) => {
            let pair = |(operator, next)| {
                if let Binary::Compare(comparison) = operator { Some((comparison, next)) } else { None }
            };
            Expr::Compare(Box::new(first), chain.into_iter().filter_map(pair).collect())
        }
        Some(Binary::Arithmetic(_)) => {
            let pair = |(operator, next)| {
                if let Binary::Arithmetic(operator) = operator { Some((operator, next)) } else { None }
            };
            Expr::Arithmetic(Box::new(first), chain.into_iter().filter_map(pair).collect())
        }
    }
}
