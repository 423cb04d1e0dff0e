//! XPath 1.0: parser, static checks and evaluation.

mod ast;
mod axes;
mod eval;
mod functions;
mod hints;
mod lexer;
pub(crate) mod nodes;
mod number;
mod operators;
mod parser;

use std::cell::RefCell;

use marquetry_sdk::{Failure, FailureKind, fail};

use crate::tree::{Id, Tree};
use eval::{Context, Evaluator, Value};
use nodes::NamespaceNodes;
pub(crate) use parser::Scope;

/// Result of an expression.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nodes, in document order.
    Nodes(Vec<Id>),
    Number(f64),
    Text(String),
    Boolean(bool),
}

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct Expression {
    parsed: parser::Parsed,
}

impl Expression {
    /// Parses an expression for a document.
    pub(crate) fn new(source: &str, scope: &Scope<'_>) -> Result<Expression, Failure> {
        match parser::parse(source, scope) {
            Ok(parsed) => Ok(Expression { parsed }),
            Err(wrong) => {
                let before = source[..wrong.at].chars().count();
                let message = format!("not an XPath, at character {}: {}", before + 1, wrong.message);
                let hint = wrong.hint.unwrap_or_else(|| hints::syntax_hint(source).to_owned());
                Err(fail(FailureKind::InvalidTarget, message).hint(hint))
            }
        }
    }

    /// Evaluates the expression at the root of the document.
    pub(crate) fn evaluate(
        &self,
        text: &str,
        tree: &Tree,
        namespaces: &RefCell<NamespaceNodes>,
    ) -> Result<Outcome, Failure> {
        let evaluator = Evaluator::new(text, tree, namespaces);
        let context = Context { node: 0, position: 1, size: 1 };
        match evaluator.value(&self.parsed.expr, context) {
            Ok(Value::Nodes(nodes)) => Ok(Outcome::Nodes(nodes)),
            Ok(Value::Number(number)) => Ok(Outcome::Number(number)),
            Ok(Value::Text(text)) => Ok(Outcome::Text(text.into_owned())),
            Ok(Value::Boolean(value)) => Ok(Outcome::Boolean(value)),
            Err(eval::WorkLimitExceeded) => {
                Err(fail(FailureKind::LimitExceeded, "the expression takes too long on this document")
                    .hint("start from a named path instead of `//`, and put the most selective predicate first"))
            }
        }
    }

    /// Offsets of unprefixed element names in the source.
    pub(crate) fn unprefixed(&self) -> &[usize] {
        &self.parsed.unprefixed_names
    }
}

/// Formats a number as XPath does.
pub(crate) fn print_number(number: f64) -> String {
    number::print(number)
}
