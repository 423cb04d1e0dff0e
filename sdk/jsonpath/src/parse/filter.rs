//! Parses filters: logical expressions, comparisons and functions, with the type checks of RFC 9535, section 2.4.3.

use super::{Parser, Result};
use crate::{
    ast::{Comparison, Expression, Match, Operand, Operator, Segment, Subquery},
    regexp::Pattern,
};

/// An operand of a comparison, a test, or an argument of a function.
enum Term {
    Literal(Operand),
    Query(Subquery),
    /// A function that returns a value.
    Value(Operand),
    /// A function that returns true or false.
    Logical(Match),
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expression> {
        self.with_depth(|parser| parser.or_expression())
    }

    fn or_expression(&mut self) -> Result<Expression> {
        let mut parts = vec![self.and_expression()?];
        while self.eat_operator("||") {
            parts.push(self.and_expression()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Or(parts) })
    }

    fn and_expression(&mut self) -> Result<Expression> {
        let mut parts = vec![self.basic_expression()?];
        while self.eat_operator("&&") {
            parts.push(self.basic_expression()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::And(parts) })
    }

    /// Consumes an operator and the blanks around it; leaves the position unchanged if the operator does not follow.
    fn eat_operator(&mut self, operator: &str) -> bool {
        let before = self.at;
        self.skip_blank();
        let found = self.eat(operator);
        if found {
            self.skip_blank();
        } else {
            self.at = before;
        }
        found
    }

    fn basic_expression(&mut self) -> Result<Expression> {
        if self.eat("!") {
            self.skip_blank();
            let start = self.at;
            let inner = if self.peek() == Some(b'(') { self.parentheses()? } else { self.test_or_comparison()? };
            if matches!(inner, Expression::Compare(_)) && !self.text[start..].starts_with('(') {
                return Err(self.error_at(start, "a negated comparison needs parentheses, `!(a == b)`,"));
            }
            return Ok(Expression::Not(Box::new(inner)));
        }
        if self.peek() == Some(b'(') { self.parentheses() } else { self.test_or_comparison() }
    }

    fn parentheses(&mut self) -> Result<Expression> {
        self.expect("(")?;
        self.skip_blank();
        let inner = self.expression()?;
        self.skip_blank();
        self.expect(")")?;
        Ok(inner)
    }

    fn test_or_comparison(&mut self) -> Result<Expression> {
        let start = self.at;
        let left = self.term()?;
        let after = self.at;
        self.skip_blank();
        if let Some(operator) = self.comparison_operator() {
            let left = self.operand(left, start)?;
            self.skip_blank();
            let start = self.at;
            let right = self.term()?;
            let right = self.operand(right, start)?;
            return Ok(Expression::Compare(Box::new(Comparison { left, operator, right })));
        }
        self.at = after;
        match left {
            Term::Query(query) => Ok(Expression::Exists(query)),
            Term::Logical(test) => Ok(Expression::Match(Box::new(test))),
            Term::Literal(_) => Err(self.error_at(start, "a literal must be part of a comparison")),
            Term::Value(_) => Err(self.error_at(start, "the result of this function must be part of a comparison")),
        }
    }

    fn comparison_operator(&mut self) -> Option<Operator> {
        let operators = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        operators.into_iter().find(|(text, _)| self.eat(text)).map(|(_, operator)| operator)
    }

    fn term(&mut self) -> Result<Term> {
        match self.peek() {
            Some(b'@' | b'$') => Ok(Term::Query(self.subquery()?)),
            Some(b'\'' | b'"') => Ok(Term::Literal(Operand::String(self.string()?))),
            Some(b'-' | b'0'..=b'9') => Ok(Term::Literal(Operand::Number(self.number()?))),
            Some(b'a'..=b'z') => self.literal_or_call(),
            _ => Err(self.error("expected `@`, `$`, a literal, a function or `(`")),
        }
    }

    fn subquery(&mut self) -> Result<Subquery> {
        let relative = self.peek() == Some(b'@');
        self.at += 1;
        let segments = self.with_depth(|parser| parser.segments())?;
        Ok(Subquery { relative, segments })
    }

    /// Parses `true`, `false`, `null` or a call of a function.
    fn literal_or_call(&mut self) -> Result<Term> {
        let start = self.at;
        let rest = self.rest();
        let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let word = &rest[..rest.find(|c| !letter(c)).unwrap_or(rest.len())];
        self.at += word.len();
        if self.peek() != Some(b'(') {
            return match word {
                "true" => Ok(Term::Literal(Operand::Boolean(true))),
                "false" => Ok(Term::Literal(Operand::Boolean(false))),
                "null" => Ok(Term::Literal(Operand::Null)),
                _ => Err(self.error_at(start, format!("`{word}` is not a literal (strings need quotes)"))),
            };
        }
        self.at += 1;
        self.skip_blank();
        let call = self.with_depth(|parser| parser.function_call(word, start))?;
        self.skip_blank();
        self.expect(")")?;
        Ok(call)
    }

    fn function_call(&mut self, name: &str, start: usize) -> Result<Term> {
        Ok(match name {
            "length" => Term::Value(Operand::Length(Box::new(self.value_argument()?))),
            "count" => Term::Value(Operand::Count(self.nodes_argument()?)),
            "value" => Term::Value(Operand::Value(self.nodes_argument()?)),
            "match" | "search" => Term::Logical(self.match_call(name == "match")?),
            _ => {
                let known = "`length`, `count`, `match`, `search`, `value`";
                return Err(self.error_at(start, format!("unknown function `{name}` (known: {known})")));
            }
        })
    }

    fn match_call(&mut self, whole: bool) -> Result<Match> {
        let text = self.value_argument()?;
        self.skip_blank();
        self.expect(",")?;
        self.skip_blank();
        let start = self.at;
        let pattern = self.value_argument()?;
        let compiled = match &pattern {
            Operand::String(source) => Some(Pattern::new(source, whole).map_err(|why| self.error_at(start, why))?),
            _ => None,
        };
        Ok(Match { whole, text, pattern, compiled })
    }

    fn value_argument(&mut self) -> Result<Operand> {
        let start = self.at;
        let term = self.term()?;
        self.operand(term, start)
    }

    fn nodes_argument(&mut self) -> Result<Subquery> {
        let start = self.at;
        match self.term()? {
            Term::Query(query) => Ok(query),
            _ => Err(self.error_at(start, "this function needs a query as its argument")),
        }
    }

    /// Converts a term to a value.
    fn operand(&self, term: Term, start: usize) -> Result<Operand> {
        match term {
            Term::Literal(operand) | Term::Value(operand) => Ok(operand),
            Term::Query(query) if query.segments.iter().all(|segment| Segment::step(segment).is_some()) => {
                Ok(Operand::Singular(query))
            }
            Term::Query(_) => Err(self.error_at(start, "a query that can select several nodes cannot be compared")),
            Term::Logical(_) => Err(self.error_at(start, "the result of the function is true or false, not a value")),
        }
    }
}
