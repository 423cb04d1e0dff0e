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
        self.nested(|parser| parser.any_of())
    }

    fn any_of(&mut self) -> Result<Expression> {
        let mut parts = vec![self.all_of()?];
        while self.operator("||") {
            parts.push(self.all_of()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Or(parts) })
    }

    fn all_of(&mut self) -> Result<Expression> {
        let mut parts = vec![self.basic()?];
        while self.operator("&&") {
            parts.push(self.basic()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::And(parts) })
    }

    /// Consumes an operator and the blanks around it; leaves the position unchanged if the operator does not follow.
    fn operator(&mut self, operator: &str) -> bool {
        let before = self.at;
        self.blank();
        let found = self.eat(operator);
        if found {
            self.blank();
        } else {
            self.at = before;
        }
        found
    }

    fn basic(&mut self) -> Result<Expression> {
        if self.eat("!") {
            self.blank();
            let start = self.at;
            let inner = if self.peek() == Some(b'(') { self.parentheses()? } else { self.test_or_comparison()? };
            if matches!(inner, Expression::Compare(_)) && !self.text[start..].starts_with('(') {
                return Err(self.wrong_at(start, "a negated comparison needs parentheses, `!(a == b)`,"));
            }
            return Ok(Expression::Not(Box::new(inner)));
        }
        if self.peek() == Some(b'(') { self.parentheses() } else { self.test_or_comparison() }
    }

    fn parentheses(&mut self) -> Result<Expression> {
        self.expect("(")?;
        self.blank();
        let inner = self.expression()?;
        self.blank();
        self.expect(")")?;
        Ok(inner)
    }

    fn test_or_comparison(&mut self) -> Result<Expression> {
        let start = self.at;
        let left = self.term()?;
        let after = self.at;
        self.blank();
        if let Some(operator) = self.comparison_operator() {
            let left = self.operand(left, start)?;
            self.blank();
            let start = self.at;
            let right = self.term()?;
            let right = self.operand(right, start)?;
            return Ok(Expression::Compare(Box::new(Comparison { left, operator, right })));
        }
        self.at = after;
        match left {
            Term::Query(query) => Ok(Expression::Exists(query)),
            Term::Logical(test) => Ok(Expression::Match(Box::new(test))),
            Term::Literal(_) => Err(self.wrong_at(start, "a literal must be compared with something")),
            Term::Value(_) => Err(self.wrong_at(start, "the result of the function must be compared with something")),
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
            Some(b'a'..=b'z') => self.word(),
            _ => Err(self.wrong("expected `@`, `$`, a literal, a function or `(`")),
        }
    }

    fn subquery(&mut self) -> Result<Subquery> {
        let relative = self.peek() == Some(b'@');
        self.at += 1;
        let segments = self.nested(|parser| parser.segments())?;
        Ok(Subquery { relative, segments })
    }

    /// `true`, `false`, `null` or a function.
    fn word(&mut self) -> Result<Term> {
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
                _ => Err(self.wrong_at(start, format!("`{word}` is not a literal (strings need quotes)"))),
            };
        }
        self.at += 1;
        self.blank();
        let call = self.nested(|parser| parser.call(word, start))?;
        self.blank();
        self.expect(")")?;
        Ok(call)
    }

    fn call(&mut self, name: &str, start: usize) -> Result<Term> {
        Ok(match name {
            "length" => Term::Value(Operand::Length(Box::new(self.value_argument()?))),
            "count" => Term::Value(Operand::Count(self.nodes_argument()?)),
            "value" => Term::Value(Operand::Value(self.nodes_argument()?)),
            "match" | "search" => Term::Logical(self.matching(name == "match")?),
            _ => {
                let known = "`length`, `count`, `match`, `search`, `value`";
                return Err(self.wrong_at(start, format!("unknown function `{name}` (known: {known})")));
            }
        })
    }

    fn matching(&mut self, whole: bool) -> Result<Match> {
        let text = self.value_argument()?;
        self.blank();
        self.expect(",")?;
        self.blank();
        let start = self.at;
        let pattern = self.value_argument()?;
        let compiled = match &pattern {
            Operand::String(source) => Some(Pattern::new(source, whole).map_err(|why| self.wrong_at(start, why))?),
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
            _ => Err(self.wrong_at(start, "this function needs a query as its argument")),
        }
    }

    /// Converts a term to a value.
    fn operand(&self, term: Term, start: usize) -> Result<Operand> {
        match term {
            Term::Literal(operand) | Term::Value(operand) => Ok(operand),
            Term::Query(query) if query.segments.iter().all(|segment| Segment::step(segment).is_some()) => {
                Ok(Operand::Singular(query))
            }
            Term::Query(_) => Err(self.wrong_at(start, "a query that can select several nodes is not a value")),
            Term::Logical(_) => Err(self.wrong_at(start, "the result of the function is true or false, not a value")),
        }
    }
}
