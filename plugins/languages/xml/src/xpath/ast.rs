//! Syntax tree of XPath 1.0, with names resolved in the document.

/// An expression. Chains of one operator are lists, so that they do not increase the depth.
#[derive(Debug)]
pub(crate) enum Expr {
    Or(Vec<Expr>),
    And(Vec<Expr>),
    /// `=`, `!=`, `<` … from left to right.
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `+`, `-`, `*`, `div`, `mod` from left to right.
    Arithmetic(Box<Expr>, Vec<(Operator, Expr)>),
    Negate(Box<Expr>),
    Union(Vec<Expr>),
    Path(Box<Path>),
    Literal(Box<str>),
    Number(f64),
    Call(Function, Vec<Expr>),
}

/// Type of an expression. It is static because variables are not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Nodes,
    Number,
    Text,
    Boolean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Start and steps of a path.
#[derive(Debug)]
pub(crate) struct Path {
    pub start: Start,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub(crate) enum Start {
    /// `/`
    Root,
    /// The context node.
    Context,
    /// The document, or the root element if the path finds nothing from the document. Predicates do not contain it.
    Top,
    /// Nodes of an expression, filtered by predicates.
    Nodes(Expr, Vec<Predicate>),
}

#[derive(Debug)]
pub(crate) struct Step {
    pub axis: Axis,
    pub test: Test,
    pub predicates: Vec<Predicate>,
}

impl Step {
    /// Returns whether a predicate depends on the position of a node among the nodes of the step.
    pub(crate) fn is_positional(&self) -> bool {
        self.predicates.iter().any(|predicate| !matches!(predicate, Predicate::Where(_)))
    }
}

#[derive(Debug)]
pub(crate) enum Predicate {
    /// `[3]`
    At(usize),
    /// A condition that does not depend on the position of the node.
    Where(Expr),
    /// A condition that uses `position()` or `last()`, or that returns a number.
    Positional(Expr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    Child,
    Descendant,
    DescendantOrSelf,
    Parent,
    Ancestor,
    AncestorOrSelf,
    FollowingSibling,
    PrecedingSibling,
    Following,
    Preceding,
    Attribute,
    Namespace,
    Itself,
}

/// Axes by name.
pub(crate) const AXES: [(&str, Axis); 13] = [
    ("ancestor", Axis::Ancestor),
    ("ancestor-or-self", Axis::AncestorOrSelf),
    ("attribute", Axis::Attribute),
    ("child", Axis::Child),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
    ("following", Axis::Following),
    ("following-sibling", Axis::FollowingSibling),
    ("namespace", Axis::Namespace),
    ("parent", Axis::Parent),
    ("preceding", Axis::Preceding),
    ("preceding-sibling", Axis::PrecedingSibling),
    ("self", Axis::Itself),
];

/// Node test of a step.
#[derive(Debug)]
pub(crate) enum Test {
    /// `node()`
    Any,
    /// `*` for elements.
    Element,
    /// `*` for attributes.
    Attribute,
    /// `*` for namespaces.
    Namespace,
    Text,
    Comment,
    /// `processing-instruction()`
    Instruction,
    /// Kind and name of the nodes, in the form of `Tree::tag`.
    Tags(Box<[u32]>),
    /// `prefix:*`, for any name in the namespace of the prefix.
    Prefix(Box<str>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Last,
    Position,
    Count,
    Id,
    LocalName,
    NamespaceUri,
    Name,
    Text,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    TextLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

/// A function with its name, return type and number of arguments.
pub(crate) struct Signature {
    pub name: &'static str,
    pub function: Function,
    pub result_type: Type,
    pub arguments: std::ops::RangeInclusive<usize>,
    /// True if the arguments must be node-sets.
    pub takes_nodes: bool,
}

const UNLIMITED: usize = usize::MAX;

/// The core function library.
pub(crate) const FUNCTIONS: [Signature; 27] = [
    signature("last", Function::Last, Type::Number, 0, 0),
    signature("position", Function::Position, Type::Number, 0, 0),
    node_set_function("count", Function::Count, Type::Number, 1),
    signature("id", Function::Id, Type::Nodes, 1, 1),
    node_set_function("local-name", Function::LocalName, Type::Text, 0),
    node_set_function("namespace-uri", Function::NamespaceUri, Type::Text, 0),
    node_set_function("name", Function::Name, Type::Text, 0),
    signature("string", Function::Text, Type::Text, 0, 1),
    signature("concat", Function::Concat, Type::Text, 2, UNLIMITED),
    signature("starts-with", Function::StartsWith, Type::Boolean, 2, 2),
    signature("contains", Function::Contains, Type::Boolean, 2, 2),
    signature("substring-before", Function::SubstringBefore, Type::Text, 2, 2),
    signature("substring-after", Function::SubstringAfter, Type::Text, 2, 2),
    signature("substring", Function::Substring, Type::Text, 2, 3),
    signature("string-length", Function::TextLength, Type::Number, 0, 1),
    signature("normalize-space", Function::NormalizeSpace, Type::Text, 0, 1),
    signature("translate", Function::Translate, Type::Text, 3, 3),
    signature("boolean", Function::Boolean, Type::Boolean, 1, 1),
    signature("not", Function::Not, Type::Boolean, 1, 1),
    signature("true", Function::True, Type::Boolean, 0, 0),
    signature("false", Function::False, Type::Boolean, 0, 0),
    signature("lang", Function::Lang, Type::Boolean, 1, 1),
    signature("number", Function::Number, Type::Number, 0, 1),
    node_set_function("sum", Function::Sum, Type::Number, 1),
    signature("floor", Function::Floor, Type::Number, 1, 1),
    signature("ceiling", Function::Ceiling, Type::Number, 1, 1),
    signature("round", Function::Round, Type::Number, 1, 1),
];

const fn signature(name: &'static str, function: Function, gives: Type, least: usize, most: usize) -> Signature {
    Signature { name, function, result_type: gives, arguments: least..=most, takes_nodes: false }
}

const fn node_set_function(name: &'static str, function: Function, gives: Type, least: usize) -> Signature {
    Signature { name, function, result_type: gives, arguments: least..=1, takes_nodes: true }
}

impl Expr {
    /// Type of the expression.
    pub(crate) fn result_type(&self) -> Type {
        match self {
            Expr::Or(_) | Expr::And(_) | Expr::Compare(..) => Type::Boolean,
            Expr::Arithmetic(..) | Expr::Negate(_) | Expr::Number(_) => Type::Number,
            Expr::Literal(_) => Type::Text,
            Expr::Union(_) => Type::Nodes,
            Expr::Path(path) => match &path.start {
                Start::Nodes(expr, _) if path.steps.is_empty() => expr.result_type(),
                _ => Type::Nodes,
            },
            Expr::Call(function, _) => {
                FUNCTIONS.iter().find(|known| known.function == *function).map_or(Type::Text, |known| known.result_type)
            }
        }
    }

    /// Returns whether the value depends on the position or size of the context.
    pub(crate) fn is_positional(&self) -> bool {
        match self {
            Expr::Call(Function::Last | Function::Position, _) => true,
            Expr::Or(all) | Expr::And(all) | Expr::Union(all) | Expr::Call(_, all) => {
                all.iter().any(Expr::is_positional)
            }
            Expr::Compare(first, rest) => first.is_positional() || rest.iter().any(|(_, next)| next.is_positional()),
            Expr::Arithmetic(first, rest) => first.is_positional() || rest.iter().any(|(_, next)| next.is_positional()),
            Expr::Negate(inner) => inner.is_positional(),
            // Predicates of a path have separate contexts.
            Expr::Path(path) => matches!(&path.start, Start::Nodes(expr, _) if expr.is_positional()),
            Expr::Literal(_) | Expr::Number(_) => false,
        }
    }
}
