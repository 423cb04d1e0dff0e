//! A parsed query.

use crate::{parse, parse::Invalid, regexp::Pattern};

/// A JSONPath query, well-formed and well-typed.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) segments: Vec<Segment>,
}

/// One step of a query that names at most one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'q> {
    /// A member.
    Name(&'q str),
    /// One of several members with the same name, from 1.
    Occurrence(&'q str, u32),
    /// An element; negative from the end.
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

/// Something that is true or false.
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
    /// The pattern, when it stands in the query.
    pub(crate) compiled: Option<Pattern>,
}

/// Something that is a value or nothing.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    Null,
    Boolean(bool),
    Number(f64),
    String(String),
    /// A query that names at most one node.
    Singular(Subquery),
    Length(Box<Operand>),
    Count(Subquery),
    Value(Subquery),
}

/// A query inside a filter.
#[derive(Debug, Clone)]
pub(crate) struct Subquery {
    /// From the current node (`@`) rather than from the root (`$`).
    pub(crate) relative: bool,
    pub(crate) segments: Vec<Segment>,
}

impl Query {
    /// Parse a query.
    ///
    /// # Errors
    ///
    /// What is no query of RFC 9535, with the place where it stops being one.
    ///
    /// ```
    /// use marquetry_jsonpath::Query;
    ///
    /// assert!(Query::parse("$.jobs[?@.needs == 'build'].steps[-1]").is_ok());
    /// assert!(Query::parse("jobs.steps").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Query, Invalid> {
        parse::query(text)
    }

    /// The steps, when the query can name one node at most.
    pub fn steps(&self) -> Option<Vec<Step<'_>>> {
        self.segments.iter().map(Segment::step).collect()
    }

    /// The query without its last segment.
    pub(crate) fn prefix(&self, length: usize) -> &[Segment] {
        &self.segments[..length.min(self.segments.len())]
    }
}

impl Segment {
    /// The step, when the segment can name one child at most.
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
