//! Parser for XPath 1.0. The parser finds all static errors in an expression, before evaluation.

use rustc_hash::FxHashMap;

use super::{
    ast::{AXES, Axis, Expr, FUNCTIONS, Function, Path, Predicate, Start, Step, Test, Type},
    hints,
    lexer::{ExpressionError, Token, TokenAt, tokenize},
    operators::{self, Binary},
};
use crate::tree::{Kind, Tree};

/// Maximum nesting of predicates, arguments and parentheses in an expression.
const MAX_DEPTH: usize = 100;

/// Names that an expression can use in a document.
#[derive(Debug)]
pub(crate) struct Scope<'d> {
    pub tree: &'d Tree,
    /// Available prefixes, each with the number of its namespace.
    pub prefixes: &'d FxHashMap<Box<str>, u32>,
    /// Default namespace if unprefixed element names can refer to it. A name refers to it only if no element without a
    /// namespace has the name.
    pub unprefixed: Option<u32>,
}

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub expr: Expr,
    /// Offsets of unprefixed element names.
    pub unprefixed_names: Vec<usize>,
}

/// Parses an expression.
pub(crate) fn parse(source: &str, scope: &Scope<'_>) -> Result<Parsed, ExpressionError> {
    let tokens = tokenize(source)?;
    let mut parser = Parser { source, tokens, at: 0, scope, depth: 0, unprefixed: Vec::new() };
    let mut expr = parser.parse_expression()?;
    start_at_top(&mut expr);
    match parser.peek() {
        Token::End => Ok(Parsed { expr, unprefixed_names: parser.unprefixed }),
        _ => Err(parser.unexpected_token_error("an operator or the end")),
    }
}

struct Parser<'e, 'd> {
    source: &'e str,
    tokens: Vec<TokenAt<'e>>,
    at: usize,
    scope: &'d Scope<'d>,
    depth: usize,
    unprefixed: Vec<usize>,
}

impl<'e> Parser<'e, '_> {
    fn peek(&self) -> Token<'e> {
        self.tokens[self.at].0
    }

    fn current_offset(&self) -> usize {
        self.tokens[self.at].1
    }

    fn next(&mut self) -> Token<'e> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, token: &Token<'_>) -> bool {
        let found = self.peek() == *token;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), ExpressionError> {
        if self.eat(&Token::Sign(sign)) { Ok(()) } else { Err(self.unexpected_token_error(&format!("`{sign}`"))) }
    }

    fn unexpected_token_error(&self, expected: &str) -> ExpressionError {
        let at = self.current_offset();
        let end = self.tokens.get(self.at + 1).map_or(self.source.len(), |next| next.1);
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", self.source[at..end].trim_end()),
        };
        ExpressionError::new(at, format!("expected {expected}, not {found}"))
    }

    fn parse_expression(&mut self) -> Result<Expr, ExpressionError> {
        if self.depth >= MAX_DEPTH {
            return Err(ExpressionError::new(
                self.current_offset(),
                format!("expressions are nested more than {MAX_DEPTH} levels deep"),
            ));
        }
        self.depth += 1;
        let mut operands = vec![self.parse_unary()?];
        let mut operators = Vec::new();
        while let Token::Operator(operator) = self.peek()
            && let Some(binary) = Binary::from_symbol(operator)
        {
            self.next();
            operators.push(binary);
            operands.push(self.parse_unary()?);
        }
        self.depth -= 1;
        operators::join_operands(operands, operators).ok_or_else(|| self.unexpected_token_error("an expression"))
    }

    fn parse_unary(&mut self) -> Result<Expr, ExpressionError> {
        let mut signs = 0;
        while self.eat(&Token::Operator("-")) {
            signs += 1;
        }
        let expr = self.parse_union()?;
        Ok(match signs {
            0 => expr,
            _ if signs % 2 == 1 => Expr::Negate(Box::new(expr)),
            _ => Expr::Call(Function::Number, vec![expr]),
        })
    }

    fn parse_union(&mut self) -> Result<Expr, ExpressionError> {
        let at = self.current_offset();
        let first = self.parse_path()?;
        if self.peek() != Token::Operator("|") {
            return Ok(first);
        }
        let mut all = vec![require_nodes(first, at, "`|` needs")?];
        while self.eat(&Token::Operator("|")) {
            let at = self.current_offset();
            let next = self.parse_path()?;
            all.push(require_nodes(next, at, "`|` needs")?);
        }
        Ok(Expr::Union(all))
    }

    fn parse_path(&mut self) -> Result<Expr, ExpressionError> {
        let mut steps = Vec::new();
        let start = if self.at_primary() {
            let at = self.current_offset();
            let primary = self.parse_primary()?;
            let mut predicates = Vec::new();
            while self.peek() == Token::Sign("[") {
                predicates.push(self.parse_predicate()?);
            }
            let goes_on = matches!(self.peek(), Token::Operator("/" | "//"));
            if !goes_on && predicates.is_empty() {
                return Ok(primary);
            }
            let what = if predicates.is_empty() { "`/` needs" } else { "a predicate needs" };
            Start::Nodes(require_nodes(primary, at, what)?, predicates)
        } else if self.eat(&Token::Operator("/")) {
            if self.at_step() {
                self.parse_step(&mut steps)?;
            }
            Start::Root
        } else if self.eat(&Token::Operator("//")) {
            steps.push(descendant_or_self_step());
            self.parse_step(&mut steps)?;
            Start::Root
        } else {
            self.parse_step(&mut steps)?;
            Start::Context
        };
        loop {
            if self.eat(&Token::Operator("//")) {
                steps.push(descendant_or_self_step());
            } else if steps.is_empty() && matches!(start, Start::Root) || !self.eat(&Token::Operator("/")) {
                break;
            }
            self.parse_step(&mut steps)?;
        }
        Ok(Expr::Path(Box::new(Path { start, steps: merge_descendant_steps(steps) })))
    }

    fn at_primary(&self) -> bool {
        match self.peek() {
            Token::Variable(_) | Token::Literal(_) | Token::Number(_) | Token::Sign("(") => true,
            Token::Function(name) => !is_node_type(name),
            _ => false,
        }
    }

    fn at_step(&self) -> bool {
        match self.peek() {
            Token::Any | Token::AnyIn(_) | Token::Name(..) | Token::Axis(_) | Token::Sign("." | ".." | "@") => true,
            Token::Function(name) => is_node_type(name),
            _ => false,
        }
    }

    fn parse_primary(&mut self) -> Result<Expr, ExpressionError> {
        let at = self.current_offset();
        match self.next() {
            Token::Literal(text) => Ok(Expr::Literal(text.into())),
            Token::Number(number) => Ok(Expr::Number(number)),
            Token::Variable(name) => {
                Err(ExpressionError::new(at, format!("no variable `${name}`: variables are not supported"))
                    .hint("write the value itself"))
            }
            Token::Function(name) => self.parse_call(name, at),
            _ => {
                let inner = self.parse_expression()?;
                self.expect(")")?;
                Ok(inner)
            }
        }
    }

    fn parse_call(&mut self, name: &str, at: usize) -> Result<Expr, ExpressionError> {
        let Some(signature) = FUNCTIONS.iter().find(|known| known.name == name) else {
            return Err(hints::unknown_function_error(name, at));
        };
        self.expect("(")?;
        let mut arguments = Vec::new();
        while self.peek() != Token::Sign(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let place = self.current_offset();
            let argument = self.parse_expression()?;
            arguments.push(if signature.takes_nodes {
                require_nodes(argument, place, &format!("`{name}()` needs"))?
            } else {
                argument
            });
        }
        self.next();
        if !signature.arguments.contains(&arguments.len()) {
            let (least, most) = (*signature.arguments.start(), *signature.arguments.end());
            let number = match most {
                usize::MAX => format!("at least {least}"),
                _ if least == most => least.to_string(),
                _ => format!("{least} to {most}"),
            };
            return Err(ExpressionError::new(
                at,
                format!("`{name}()` takes {number} arguments, not {}", arguments.len()),
            ));
        }
        Ok(Expr::Call(signature.function, arguments))
    }

    fn parse_predicate(&mut self) -> Result<Predicate, ExpressionError> {
        self.expect("[")?;
        let expr = self.parse_expression()?;
        self.expect("]")?;
        Ok(match expr {
            Expr::Number(number) if number >= 1.0 && number.fract() == 0.0 && number < 1e15 => {
                Predicate::At(number as usize)
            }
            expr if expr.result_type() == Type::Number || expr.is_positional() => Predicate::Positional(expr),
            expr => Predicate::Where(expr),
        })
    }

    fn parse_step(&mut self, steps: &mut Vec<Step>) -> Result<(), ExpressionError> {
        for (sign, axis) in [(".", Axis::Itself), ("..", Axis::Parent)] {
            if self.eat(&Token::Sign(sign)) {
                if self.peek() == Token::Sign("[") {
                    return Err(self
                        .unexpected_token_error("`/`")
                        .hint(format!("write `{}::node()[…]`", if sign == "." { "self" } else { "parent" })));
                }
                steps.push(Step { axis, test: Test::Any, predicates: Vec::new() });
                return Ok(());
            }
        }
        let axis = self.parse_axis()?;
        let test = self.parse_node_test(axis)?;
        let mut predicates = Vec::new();
        while self.peek() == Token::Sign("[") {
            predicates.push(self.parse_predicate()?);
        }
        steps.push(Step { axis, test, predicates });
        Ok(())
    }

    fn parse_axis(&mut self) -> Result<Axis, ExpressionError> {
        if self.eat(&Token::Sign("@")) {
            return Ok(Axis::Attribute);
        }
        let Token::Axis(name) = self.peek() else { return Ok(Axis::Child) };
        let Some((_, axis)) = AXES.iter().find(|(known, _)| *known == name) else {
            return Err(hints::unknown_axis_error(name, self.current_offset()));
        };
        self.next();
        self.expect("::")?;
        Ok(*axis)
    }

    fn parse_node_test(&mut self, axis: Axis) -> Result<Test, ExpressionError> {
        let at = self.current_offset();
        match self.next() {
            Token::Any => Ok(match axis {
                Axis::Attribute => Test::Attribute,
                Axis::Namespace => Test::Namespace,
                _ => Test::Element,
            }),
            Token::AnyIn(prefix) => {
                let namespace = self.resolve_prefix(prefix, at)?;
                let names = &self.scope.tree.names;
                let matching = names.all_names().filter(|name| names.namespace_of(*name) == namespace);
                Ok(Test::Tags(node_tags(axis, matching)))
            }
            Token::Name(None, local) if axis == Axis::Namespace => Ok(Test::Prefix(local.into())),
            Token::Name(prefix, local) => {
                let namespace = match prefix {
                    Some(prefix) => self.resolve_prefix(prefix, at)?,
                    None => self.unprefixed(local, axis, at),
                };
                let names = &self.scope.tree.names;
                let wanted = names.find_expanded(local, namespace);
                Ok(Test::Tags(node_tags(
                    axis,
                    names.all_names().filter(|name| Some(names.expanded_of(*name)) == wanted),
                )))
            }
            Token::Function(name) if is_node_type(name) => self.parse_node_type(name),
            _ => {
                self.at = self.tokens.iter().position(|placed| placed.1 == at).unwrap_or(self.at);
                Err(self.unexpected_token_error("a step: a name, `*`, `@name`, `text()` or an axis"))
            }
        }
    }

    fn parse_node_type(&mut self, name: &str) -> Result<Test, ExpressionError> {
        self.expect("(")?;
        let target = match self.peek() {
            Token::Literal(target) if name == "processing-instruction" => {
                self.next();
                Some(target)
            }
            _ => None,
        };
        self.expect(")")?;
        let names = &self.scope.tree.names;
        Ok(match (name, target) {
            ("text", _) => Test::Text,
            ("comment", _) => Test::Comment,
            ("node", _) => Test::Any,
            (_, None) => Test::Instruction,
            (_, Some(target)) => {
                let matching = names.all_names().filter(|name| names.written_form(*name).text() == target);
                Test::Tags(matching.map(|name| name << 3 | Kind::Instruction as u32).collect())
            }
        })
    }

    fn resolve_prefix(&self, prefix: &str, at: usize) -> Result<u32, ExpressionError> {
        match self.scope.prefixes.get(prefix) {
            Some(namespace) => Ok(*namespace),
            None => Err(hints::unknown_prefix_error(prefix, at, self.scope.prefixes.keys())),
        }
    }

    /// Returns the namespace that an unprefixed name refers to.
    fn unprefixed(&mut self, local: &str, axis: Axis, at: usize) -> u32 {
        if matches!(axis, Axis::Attribute | Axis::Namespace) {
            return 0;
        }
        self.unprefixed.push(at);
        match self.scope.unprefixed {
            Some(namespace) if !self.scope.tree.names.has_element(local) => namespace,
            _ => 0,
        }
    }
}

fn is_node_type(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction")
}

/// Converts names to tags (`Tree::tag`) of the nodes that an axis selects.
fn node_tags(axis: Axis, names: impl Iterator<Item = u32>) -> Box<[u32]> {
    let kind = match axis {
        Axis::Attribute => Kind::Attribute,
        Axis::Namespace => return Box::default(),
        _ => Kind::Element,
    };
    names.map(|name| name << 3 | kind as u32).collect()
}

/// Returns the expression; fails if it is not a node-set.
fn require_nodes(expr: Expr, at: usize, what: &str) -> Result<Expr, ExpressionError> {
    match expr.result_type() {
        Type::Nodes => Ok(expr),
        _ => Err(ExpressionError::new(at, format!("{what} a node-set"))),
    }
}

/// Makes relative paths outside of predicates start at the top of the document.
fn start_at_top(expr: &mut Expr) {
    match expr {
        Expr::Path(path) => match &mut path.start {
            start @ Start::Context => *start = Start::Top,
            Start::Nodes(inner, _) => start_at_top(inner),
            Start::Root | Start::Top => {}
        },
        Expr::Or(all) | Expr::And(all) | Expr::Union(all) | Expr::Call(_, all) => all.iter_mut().for_each(start_at_top),
        Expr::Compare(first, rest) => {
            start_at_top(first);
            rest.iter_mut().for_each(|(_, next)| start_at_top(next));
        }
        Expr::Arithmetic(first, rest) => {
            start_at_top(first);
            rest.iter_mut().for_each(|(_, next)| start_at_top(next));
        }
        Expr::Negate(inner) => start_at_top(inner),
        Expr::Literal(_) | Expr::Number(_) => {}
    }
}

/// The step `descendant-or-self::node()`, which `//` abbreviates.
fn descendant_or_self_step() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::Any, predicates: Vec::new() }
}

/// Merges `//x` into one descendant step if no predicate depends on positions.
fn merge_descendant_steps(steps: Vec<Step>) -> Vec<Step> {
    let mut simple: Vec<Step> = Vec::with_capacity(steps.len());
    for mut step in steps {
        let behind_any = simple.last().is_some_and(|last| {
            last.axis == Axis::DescendantOrSelf && matches!(last.test, Test::Any) && last.predicates.is_empty()
        });
        if behind_any && step.axis == Axis::Child && !step.is_positional() {
            simple.pop();
            step.axis = Axis::Descendant;
        }
        simple.push(step);
    }
    simple
}
