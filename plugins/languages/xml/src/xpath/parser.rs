//! Parser for XPath 1.0. All static errors in an expression are found here, before evaluation.

use rustc_hash::FxHashMap;

use super::{
    ast::{AXES, Axis, Expr, FUNCTIONS, Function, Path, Predicate, Start, Step, Test, Type},
    hints,
    lexer::{Placed, Token, Wrong, tokens},
    operators::{self, Binary},
};
use crate::tree::{Kind, Tree};

/// Maximum nesting of expressions: predicates, arguments, brackets.
const DEEPEST: usize = 100;

/// Names that an expression can use.
#[derive(Debug)]
pub(crate) struct Scope<'d> {
    pub tree: &'d Tree,
    /// Available prefixes, each with the number of its namespace.
    pub prefixes: &'d FxHashMap<Box<str>, u32>,
    /// Default namespace that unprefixed element names refer to, if no element without a namespace has
    /// the name.
    pub unprefixed: Option<u32>,
}

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub expr: Expr,
    /// Offsets of unprefixed element names.
    pub unprefixed: Vec<usize>,
}

/// Parses an expression.
pub(crate) fn parse(source: &str, scope: &Scope<'_>) -> Result<Parsed, Wrong> {
    let tokens = tokens(source)?;
    let mut parser = Parser { source, tokens, at: 0, scope, depth: 0, unprefixed: Vec::new() };
    let mut expr = parser.expression()?;
    start_at_top(&mut expr);
    match parser.peek() {
        Token::End => Ok(Parsed { expr, unprefixed: parser.unprefixed }),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'e, 'd> {
    source: &'e str,
    tokens: Vec<Placed<'e>>,
    at: usize,
    scope: &'d Scope<'d>,
    depth: usize,
    unprefixed: Vec<usize>,
}

impl<'e> Parser<'e, '_> {
    fn peek(&self) -> Token<'e> {
        self.tokens[self.at].0
    }

    fn place(&self) -> usize {
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

    fn expect(&mut self, sign: &'static str) -> Result<(), Wrong> {
        if self.eat(&Token::Sign(sign)) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Wrong {
        let at = self.place();
        let end = self.tokens.get(self.at + 1).map_or(self.source.len(), |next| next.1);
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", self.source[at..end].trim_end()),
        };
        Wrong::new(at, format!("expected {expected}, not {found}"))
    }

    fn expression(&mut self) -> Result<Expr, Wrong> {
        if self.depth >= DEEPEST {
            return Err(Wrong::new(self.place(), format!("expressions are nested more than {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let mut operands = vec![self.unary()?];
        let mut operators = Vec::new();
        while let Token::Operator(operator) = self.peek()
            && let Some(binary) = Binary::of(operator)
        {
            self.next();
            operators.push(binary);
            operands.push(self.unary()?);
        }
        self.depth -= 1;
        operators::join(operands, operators).ok_or_else(|| self.unexpected("an expression"))
    }

    fn unary(&mut self) -> Result<Expr, Wrong> {
        let mut signs = 0;
        while self.eat(&Token::Operator("-")) {
            signs += 1;
        }
        let expr = self.union()?;
        Ok(match signs {
            0 => expr,
            _ if signs % 2 == 1 => Expr::Negate(Box::new(expr)),
            _ => Expr::Call(Function::Number, vec![expr]),
        })
    }

    fn union(&mut self) -> Result<Expr, Wrong> {
        let at = self.place();
        let first = self.path()?;
        if self.peek() != Token::Operator("|") {
            return Ok(first);
        }
        let mut all = vec![nodes(first, at, "`|` needs")?];
        while self.eat(&Token::Operator("|")) {
            let at = self.place();
            let next = self.path()?;
            all.push(nodes(next, at, "`|` needs")?);
        }
        Ok(Expr::Union(all))
    }

    fn path(&mut self) -> Result<Expr, Wrong> {
        let mut steps = Vec::new();
        let start = if self.starts_primary() {
            let at = self.place();
            let primary = self.primary()?;
            let mut predicates = Vec::new();
            while self.peek() == Token::Sign("[") {
                predicates.push(self.predicate()?);
            }
            let goes_on = matches!(self.peek(), Token::Operator("/" | "//"));
            if !goes_on && predicates.is_empty() {
                return Ok(primary);
            }
            let what = if predicates.is_empty() { "`/` needs" } else { "a predicate needs" };
            Start::Nodes(nodes(primary, at, what)?, predicates)
        } else if self.eat(&Token::Operator("/")) {
            if self.starts_step() {
                self.step(&mut steps)?;
            }
            Start::Root
        } else if self.eat(&Token::Operator("//")) {
            steps.push(any_below());
            self.step(&mut steps)?;
            Start::Root
        } else {
            self.step(&mut steps)?;
            Start::Context
        };
        loop {
            if self.eat(&Token::Operator("//")) {
                steps.push(any_below());
            } else if steps.is_empty() && matches!(start, Start::Root) || !self.eat(&Token::Operator("/")) {
                break;
            }
            self.step(&mut steps)?;
        }
        Ok(Expr::Path(Box::new(Path { start, steps: simplify(steps) })))
    }

    fn starts_primary(&self) -> bool {
        match self.peek() {
            Token::Variable(_) | Token::Literal(_) | Token::Number(_) | Token::Sign("(") => true,
            Token::Function(name) => !is_node_type(name),
            _ => false,
        }
    }

    fn starts_step(&self) -> bool {
        match self.peek() {
            Token::Any | Token::AnyIn(_) | Token::Name(..) | Token::Axis(_) | Token::Sign("." | ".." | "@") => true,
            Token::Function(name) => is_node_type(name),
            _ => false,
        }
    }

    fn primary(&mut self) -> Result<Expr, Wrong> {
        let at = self.place();
        match self.next() {
            Token::Literal(text) => Ok(Expr::Literal(text.into())),
            Token::Number(number) => Ok(Expr::Number(number)),
            Token::Variable(name) => Err(Wrong::new(at, format!("no variable `${name}`: variables are not supported"))
                .hint("write the value itself")),
            Token::Function(name) => self.call(name, at),
            _ => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
        }
    }

    fn call(&mut self, name: &str, at: usize) -> Result<Expr, Wrong> {
        let Some(signature) = FUNCTIONS.iter().find(|known| known.name == name) else {
            return Err(hints::unknown_function(name, at));
        };
        self.expect("(")?;
        let mut arguments = Vec::new();
        while self.peek() != Token::Sign(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let place = self.place();
            let argument = self.expression()?;
            arguments.push(if signature.of_nodes {
                nodes(argument, place, &format!("`{name}()` needs"))?
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
            return Err(Wrong::new(at, format!("`{name}()` takes {number} arguments, not {}", arguments.len())));
        }
        Ok(Expr::Call(signature.function, arguments))
    }

    fn predicate(&mut self) -> Result<Predicate, Wrong> {
        self.expect("[")?;
        let expr = self.expression()?;
        self.expect("]")?;
        Ok(match expr {
            Expr::Number(number) if number >= 1.0 && number.fract() == 0.0 && number < 1e15 => {
                Predicate::At(number as usize)
            }
            expr if expr.gives() == Type::Number || expr.is_positional() => Predicate::Positional(expr),
            expr => Predicate::Where(expr),
        })
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> Result<(), Wrong> {
        for (sign, axis) in [(".", Axis::Itself), ("..", Axis::Parent)] {
            if self.eat(&Token::Sign(sign)) {
                if self.peek() == Token::Sign("[") {
                    return Err(self
                        .unexpected("`/`")
                        .hint(format!("write `{}::node()[…]`", if sign == "." { "self" } else { "parent" })));
                }
                steps.push(Step { axis, test: Test::Any, predicates: Vec::new() });
                return Ok(());
            }
        }
        let axis = self.axis()?;
        let test = self.test(axis)?;
        let mut predicates = Vec::new();
        while self.peek() == Token::Sign("[") {
            predicates.push(self.predicate()?);
        }
        steps.push(Step { axis, test, predicates });
        Ok(())
    }

    fn axis(&mut self) -> Result<Axis, Wrong> {
        if self.eat(&Token::Sign("@")) {
            return Ok(Axis::Attribute);
        }
        let Token::Axis(name) = self.peek() else { return Ok(Axis::Child) };
        let Some((_, axis)) = AXES.iter().find(|(known, _)| *known == name) else {
            return Err(hints::unknown_axis(name, self.place()));
        };
        self.next();
        self.expect("::")?;
        Ok(*axis)
    }

    fn test(&mut self, axis: Axis) -> Result<Test, Wrong> {
        let at = self.place();
        match self.next() {
            Token::Any => Ok(match axis {
                Axis::Attribute => Test::Attribute,
                Axis::Namespace => Test::Namespace,
                _ => Test::Element,
            }),
            Token::AnyIn(prefix) => {
                let namespace = self.namespace(prefix, at)?;
                let names = &self.scope.tree.names;
                let matching = names.all().filter(|name| names.namespace_of(*name) == namespace);
                Ok(Test::Tags(tags(axis, matching)))
            }
            Token::Name(None, local) if axis == Axis::Namespace => Ok(Test::Prefix(local.into())),
            Token::Name(prefix, local) => {
                let namespace = match prefix {
                    Some(prefix) => self.namespace(prefix, at)?,
                    None => self.unprefixed(local, axis, at),
                };
                let names = &self.scope.tree.names;
                let wanted = names.find_expanded(local, namespace);
                Ok(Test::Tags(tags(axis, names.all().filter(|name| Some(names.expanded_of(*name)) == wanted))))
            }
            Token::Function(name) if is_node_type(name) => self.node_type(name),
            _ => {
                self.at = self.tokens.iter().position(|placed| placed.1 == at).unwrap_or(self.at);
                Err(self.unexpected("a step: a name, `*`, `@name`, `text()` or an axis"))
            }
        }
    }

    fn node_type(&mut self, name: &str) -> Result<Test, Wrong> {
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
                let matching = names.all().filter(|name| names.of(*name).text() == target);
                Test::Tags(matching.map(|name| name << 3 | Kind::Instruction as u32).collect())
            }
        })
    }

    fn namespace(&self, prefix: &str, at: usize) -> Result<u32, Wrong> {
        match self.scope.prefixes.get(prefix) {
            Some(namespace) => Ok(*namespace),
            None => Err(hints::unknown_prefix(prefix, at, self.scope.prefixes.keys())),
        }
    }

    /// Namespace of an unprefixed name.
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

/// The names as tags of the nodes that a step along the axis selects.
fn tags(axis: Axis, names: impl Iterator<Item = u32>) -> Box<[u32]> {
    let kind = match axis {
        Axis::Attribute => Kind::Attribute,
        Axis::Namespace => return Box::default(),
        _ => Kind::Element,
    };
    names.map(|name| name << 3 | kind as u32).collect()
}

/// Returns the expression; fails if it is not a node-set.
fn nodes(expr: Expr, at: usize, what: &str) -> Result<Expr, Wrong> {
    match expr.gives() {
        Type::Nodes => Ok(expr),
        _ => Err(Wrong::new(at, format!("{what} a node-set"))),
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
fn any_below() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::Any, predicates: Vec::new() }
}

/// Merges `//x` into one descendant step if no predicate depends on positions.
fn simplify(steps: Vec<Step>) -> Vec<Step> {
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
