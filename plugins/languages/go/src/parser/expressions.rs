//! Parses expressions. Type literals such as `[]int` are expressions, too, because conversions and arguments
//! (`make([]int, 3)`) contain them.

use super::Parser;
use crate::{
    kinds::{F, K},
    lexer::T,
};

/// Maximum number of selectors, calls and operators in a chain. Each adds one level to the tree.
const MAX_CHAIN: usize = 2000;

impl Parser<'_> {
    /// Parses an expression. Reports an error if the expression is missing.
    pub(super) fn expression(&mut self) -> usize {
        self.binary(1)
    }

    /// Parses expressions that commas separate, as children of a node.
    pub(super) fn list_of(&mut self, node: usize, role: F) {
        loop {
            let expression = self.expression();
            self.add(node, expression, role);
            if expression == 0 || !self.eat(T::Comma) {
                return;
            }
        }
    }

    fn precedence(&self) -> usize {
        match self.class() {
            T::Star => 5,
            T::Operator => match self.slice(self.token()) {
                "||" => 1,
                "&&" => 2,
                "==" | "!=" | "<" | "<=" | ">" | ">=" => 3,
                "+" | "-" | "|" | "^" => 4,
                _ => 5,
            },
            _ => 0,
        }
    }

    fn binary(&mut self, least: usize) -> usize {
        let start = self.start();
        let mut left = self.unary();
        let mut chain = 0;
        loop {
            let precedence = self.precedence();
            if precedence < least || left == 0 || self.is_long(&mut chain) {
                return left;
            }
            let node = self.node(K::Binary, start);
            self.advance();
            self.add(node, left, F::Left);
            let right = self.deeper(|p| p.binary(precedence + 1));
            self.add(node, right, F::Right);
            left = self.finish(node);
        }
    }

    /// Counts a step of a chain. Returns whether the chain is too long, and reports an error in this case.
    fn is_long(&mut self, chain: &mut usize) -> bool {
        *chain += 1;
        if *chain > MAX_CHAIN {
            let depth = std::mem::replace(&mut self.depth, super::MAX_DEPTH);
            self.deeper(|_| 0);
            self.depth = depth;
        }
        *chain > MAX_CHAIN
    }

    fn unary(&mut self) -> usize {
        let is_operator = match self.class() {
            T::Not | T::Star | T::Arrow | T::Tilde => true,
            T::Operator => matches!(self.slice(self.token()), "+" | "-" | "^" | "&"),
            _ => false,
        };
        if !is_operator {
            return self.primary();
        }
        self.deeper(|p| {
            let node = p.node(K::Unary, p.start());
            p.advance();
            let operand = p.unary();
            p.add(node, operand, F::None);
            p.finish(node)
        })
    }

    fn primary(&mut self) -> usize {
        let start = self.start();
        let mut node = self.operand();
        let mut chain = 0;
        while node != 0 && !self.is_too_deep {
            let next = match self.class() {
                T::Dot => self.selector(node, start),
                T::LBrack => self.index(node, start),
                T::LParen => self.call(node, start),
                T::LBrace if self.starts_composite(node) => {
                    let literal = self.node(K::Composite, start);
                    self.add(literal, node, F::Type);
                    let values = self.values();
                    self.add(literal, values, F::Body);
                    self.finish(literal)
                }
                _ => return node,
            };
            if self.is_long(&mut chain) {
                return next;
            }
            node = next;
        }
        node
    }

    /// Returns whether a brace after an expression starts a composite literal of the type that the expression names.
    fn starts_composite(&self, node: usize) -> bool {
        let kind = |node: usize| self.nodes[node].kind;
        let is_name = |node: usize| match kind(node) {
            K::NameRef => true,
            K::Selector => kind(self.nodes[node].first) == K::NameRef,
            _ => false,
        };
        match kind(node) {
            K::ArrayType | K::StructType | K::MapType => true,
            K::Index => !self.in_head && is_name(self.nodes[node].first),
            _ => !self.in_head && is_name(node),
        }
    }

    fn operand(&mut self) -> usize {
        match self.class() {
            T::Ident => self.leaf(K::NameRef),
            T::Number | T::Char => self.leaf(K::Literal),
            T::Text | T::Raw => self.leaf(K::Text),
            T::LParen => self.deeper(|p| {
                let node = p.node(K::Paren, p.start());
                p.advance();
                let inner = p.bracketed(Self::expression);
                p.add(node, inner, F::None);
                p.expect(T::RParen, "`)`");
                p.finish(node)
            }),
            T::Func => self.deeper(Self::func_literal),
            T::LBrack | T::Struct | T::Interface | T::Map | T::Chan => self.deeper(Self::type_literal),
            _ => {
                self.missing("an expression");
                0
            }
        }
    }

    fn func_literal(&mut self) -> usize {
        let start = self.start();
        let own = self.node(K::FuncType, start);
        self.advance();
        self.signature(own);
        self.finish(own);
        if !self.sees(T::LBrace) {
            return own;
        }
        self.nodes[own].kind = K::FuncLit;
        let body = self.bracketed(Self::block);
        self.add(own, body, F::Body);
        self.finish(own)
    }

    fn selector(&mut self, operand: usize, start: u32) -> usize {
        let node = self.node(K::Selector, start);
        self.advance();
        self.add(node, operand, F::Left);
        match self.class() {
            T::Ident => {
                let member = self.leaf(K::Member);
                self.add(node, member, F::Name);
            }
            T::LParen => {
                self.nodes[node].kind = K::Assert;
                self.advance();
                if !self.eat(T::Type) {
                    let own = self.type_();
                    self.add(node, own, F::Type);
                }
                self.expect(T::RParen, "`)`");
            }
            _ => self.missing("a name or `(`"),
        }
        self.finish(node)
    }

    /// Parses `a[b]`, `a[b:c]`, or type arguments after a generic function or type.
    fn index(&mut self, operand: usize, start: u32) -> usize {
        self.deeper(|p| {
            let node = p.node(K::Index, start);
            p.advance();
            p.add(node, operand, F::Left);
            p.bracketed(|p| {
                while !matches!(p.class(), T::RBrack | T::End) {
                    if p.eat(T::Colon) {
                        p.nodes[node].kind = K::Slice;
                        continue;
                    }
                    let before = p.at;
                    let index = p.expression();
                    p.add(node, index, F::None);
                    if p.at == before || !p.eat(T::Comma) && !p.sees(T::Colon) {
                        break;
                    }
                }
            });
            p.expect(T::RBrack, "`]`");
            p.finish(node)
        })
    }

    fn call(&mut self, operand: usize, start: u32) -> usize {
        self.deeper(|p| {
            let node = p.node(K::Call, start);
            p.add(node, operand, F::Left);
            let args = p.node(K::Args, p.start());
            p.advance();
            p.bracketed(|p| {
                while !matches!(p.class(), T::RParen | T::End) {
                    let (before, from) = (p.at, p.start());
                    let mut argument = p.expression();
                    if p.sees(T::Ellipsis) {
                        let spread = p.node(K::Spread, from);
                        p.advance();
                        p.add(spread, argument, F::None);
                        argument = p.finish(spread);
                    }
                    p.add(args, argument, F::None);
                    if p.at == before || !p.eat(T::Comma) {
                        break;
                    }
                }
            });
            p.expect(T::RParen, "`)` or `,`");
            p.finish(args);
            p.add(node, args, F::None);
            p.finish(node)
        })
    }

    /// Parses the values of a composite literal, with their braces.
    fn values(&mut self) -> usize {
        self.deeper(|p| {
            let node = p.node(K::Values, p.start());
            p.advance();
            p.bracketed(|p| {
                while !matches!(p.class(), T::RBrace | T::End) {
                    let before = p.at;
                    let value = p.keyed_value();
                    p.add(node, value, F::None);
                    if p.at == before || !p.eat(T::Comma) {
                        break;
                    }
                }
            });
            p.expect(T::RBrace, "`}` or `,`");
            p.finish(node)
        })
    }

    fn keyed_value(&mut self) -> usize {
        let start = self.start();
        let value = self.value();
        if !self.sees(T::Colon) {
            return value;
        }
        let node = self.node(K::Keyed, start);
        self.advance();
        self.add(node, value, F::Key);
        let value = self.value();
        self.add(node, value, F::Right);
        self.finish(node)
    }

    fn value(&mut self) -> usize {
        if self.sees(T::LBrace) { self.values() } else { self.expression() }
    }
}
