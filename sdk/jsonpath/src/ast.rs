//! Syntax tree of a query.

use crate::{parse, parse::ParseError, regexp::Pattern};

/// A JSONPath query, well-formed and well-typed.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) segments: Vec<Segment>,
}

/// One step of a query that selects at most one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'q> {
    /// A member, by name.
    Name(&'q str),
    /// One of several members with the same name, counted from 1.
    Occurrence(&'q str, u32),
    /// An element, by index; a negative index counts from the end.
    Index(i64),
}

#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) descendant: bool,
    pub(crate) selectors: Vec<Selector>,
}

#[derive(Debug, Clone)]
pub(crate) enum Selector {
    Name(String),
    Occurrence(String, u32),
    Wildcard,
    Index(i64),
    Slice(Slice),
    Filter(Expression),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
    pub(crate) step: i64,
}

/// A logical expression.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    Or(Vec<Expression>),
    And(Vec<Expression>),
    Not(Box<Expression>),
    Exists(Subquery),
    Compare(Box<Comparison>),
    Match(Box<Match>),
}

#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    pub(crate) left: Operand,
    pub(crate) operator: Operator,
    pub(crate) right: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// `match()` and `search()`.
#[derive(Debug, Clone)]
pub(crate) struct Match {
    pub(crate) whole: bool,
    pub(crate) text: Operand,
    pub(crate) pattern: Operand,
    /// The compiled pattern, if it is a literal in the query.
    pub(crate) compiled: Option<Pattern>,
}

/// A value, or nothing.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    Null,
    Boolean(bool),
    Number(f64),
    String(String),
    /// A query that selects at most one node.
    Singular(Subquery),
    Length(Box<Operand>),
    Count(Subquery),
    Value(Subquery),
}

/// A query inside a filter.
#[derive(Debug, Clone)]
pub(crate) struct Subquery {
    /// True if the query starts at the current node (`@`), false if it starts at the root (`$`).
    pub(crate) relative: bool,
    pub(crate) segments: Vec<Segment>,
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// Fails with the position of the first error if the text is not an RFC 9535 query.
    ///
    /// ```
    /// use marquetry_jsonpath::Query;
    ///
    /// assert!(Query::parse("$.jobs[?@.needs == 'build'].steps[-1]").is_ok());
    /// assert!(Query::parse("jobs.steps").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Query, ParseError> {
        parse::parse_query(text)
    }

    /// The steps, if the query can select at most one node.
    pub fn steps(&self) -> Option<Vec<Step<'_>>> {
        self.segments.iter().map(Segment::step).collect()
    }

    /// The first `length` segments of the query.
    pub(crate) fn prefix(&self, length: usize) -> &[Segment] {
        &self.segments[..length.min(self.segments.len())]
    }
}

impl Segment {
    /// The step, if the segment can select at most one child.
    pub(crate) fn step(&self) -> Option<Step<'_>> {
        match self.selectors.as_slice() {
            _ if self.descendant => None,
            [Selector::Name(name)] => Some(Step::Name(name)),
            [Selector::Occurrence(name, number)] => Some(Step::Occurrence(name, *number)),
            [Selector::Index(index)] => Some(Step::Index(*index)),
            _ => None,
        }
    }
}
