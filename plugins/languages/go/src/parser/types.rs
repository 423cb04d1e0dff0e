//! Parses types, signatures, and the content of structs and interfaces.

use super::Parser;
use crate::{
    kinds::{F, K},
    lexer::T,
};

/// An entry of a parameter list, before the parser knows whether the parameters have names.
struct Entry {
    /// The name of the parameter, or a type that consists only of a name.
    name: usize,
    own_type: usize,
    start: u32,
    end: u32,
}

impl Parser<'_> {
    /// Parses a type. Reports an error if the type is missing.
    pub(super) fn type_(&mut self) -> usize {
        self.try_type().unwrap_or_else(|| {
            self.missing("a type");
            0
        })
    }

    /// Parses a type. Returns `None` if the next token does not start a type.
    pub(super) fn try_type(&mut self) -> Option<usize> {
        let is_type = matches!(
            self.class(),
            T::Ident
                | T::Star
                | T::LParen
                | T::LBrack
                | T::Struct
                | T::Interface
                | T::Map
                | T::Chan
                | T::Arrow
                | T::Func
        );
        is_type.then(|| self.deeper(Self::plain_type))
    }

    fn plain_type(&mut self) -> usize {
        let start = self.start();
        match self.class() {
            T::Ident => self.type_name(),
            T::Star => {
                let node = self.node(K::Unary, start);
                self.advance();
                let inner = self.type_();
                self.add(node, inner, F::None);
                self.finish(node)
            }
            T::LParen => {
                let node = self.node(K::Paren, start);
                self.advance();
                let inner = self.type_();
                self.add(node, inner, F::None);
                self.expect(T::RParen, "`)`");
                self.finish(node)
            }
            _ => self.type_literal(),
        }
    }

    /// Parses a type literal.
    pub(super) fn type_literal(&mut self) -> usize {
        let start = self.start();
        match self.class() {
            T::LBrack => self.array_type(),
            T::Struct => {
                let node = self.node(K::StructType, start);
                self.advance();
                let fields = self.fields();
                self.add(node, fields, F::Body);
                self.finish(node)
            }
            T::Interface => {
                let node = self.node(K::InterfaceType, start);
                self.advance();
                let elements = self.elements();
                self.add(node, elements, F::Body);
                self.finish(node)
            }
            T::Map => {
                let node = self.node(K::MapType, start);
                self.advance();
                self.expect(T::LBrack, "`[`");
                let key = self.type_();
                self.add(node, key, F::Key);
                self.expect(T::RBrack, "`]`");
                let value = self.type_();
                self.add(node, value, F::Type);
                self.finish(node)
            }
            T::Chan | T::Arrow => {
                let node = self.node(K::ChanType, start);
                if self.eat(T::Arrow) {
                    self.expect(T::Chan, "`chan`");
                } else {
                    self.advance();
                    self.eat(T::Arrow);
                }
                let value = self.type_();
                self.add(node, value, F::Type);
                self.finish(node)
            }
            _ => {
                let node = self.node(K::FuncType, start);
                self.advance();
                self.signature(node);
                self.finish(node)
            }
        }
    }

    fn array_type(&mut self) -> usize {
        let node = self.node(K::ArrayType, self.start());
        self.advance();
        if !self.sees(T::RBrack) && !self.eat(T::Ellipsis) {
            let length = self.bracketed(Self::expression);
            self.add(node, length, F::Key);
        }
        self.expect(T::RBrack, "`]`");
        let element = self.type_();
        self.add(node, element, F::Type);
        self.finish(node)
    }

    /// Parses a type name with its type arguments: `T`, `pkg.T`, `T[A, B]`.
    fn type_name(&mut self) -> usize {
        let start = self.start();
        let mut node = self.leaf(K::NameRef);
        if self.sees(T::Dot) {
            let selector = self.node(K::Selector, start);
            self.advance();
            self.add(selector, node, F::Left);
            let member = if self.sees(T::Ident) { self.leaf(K::Member) } else { 0 };
            if member == 0 {
                self.missing("the name of a type");
            }
            self.add(selector, member, F::Name);
            node = self.finish(selector);
        }
        if self.sees(T::LBrack) && self.class_at(1) != T::RBrack {
            node = self.type_arguments(node, start);
        }
        node
    }

    fn type_arguments(&mut self, generic: usize, start: u32) -> usize {
        let node = self.node(K::Index, start);
        self.advance();
        self.add(node, generic, F::Left);
        self.bracketed(|p| {
            while !matches!(p.class(), T::RBrack | T::End) {
                let argument = p.type_();
                p.add(node, argument, F::None);
                if argument == 0 || !p.eat(T::Comma) {
                    break;
                }
            }
        });
        self.expect(T::RBrack, "`]`");
        self.finish(node)
    }

    /// Parses parameters and results.
    pub(super) fn signature(&mut self, node: usize) {
        if !self.sees(T::LParen) {
            return self.missing("`(`");
        }
        let params = self.params(K::Params);
        self.add(node, params, F::None);
        if self.sees(T::LParen) {
            let results = self.params(K::Results);
            self.add(node, results, F::Result);
        } else if let Some(result) = self.try_type() {
            self.add(node, result, F::Result);
        }
    }

    /// Parses parameters between parentheses.
    pub(super) fn params(&mut self, kind: K) -> usize {
        self.deeper(|p| p.param_list(kind, T::RParen, "`)`"))
    }

    /// Parses type parameters between brackets.
    pub(super) fn type_params(&mut self) -> usize {
        self.deeper(|p| p.param_list(K::TypeParams, T::RBrack, "`]`"))
    }

    fn param_list(&mut self, kind: K, close: T, close_text: &str) -> usize {
        let node = self.node(kind, self.start());
        let is_generic = close == T::RBrack;
        self.advance();
        let mut entries = Vec::new();
        self.bracketed(|p| {
            while !p.sees(close) && !p.sees(T::End) {
                let before = p.at;
                let entry = p.param(is_generic);
                entries.push(entry);
                if p.at == before || !p.eat(T::Comma) {
                    break;
                }
            }
        });
        self.group_params(node, entries, if is_generic { K::TypeParam } else { K::Param });
        self.expect(close, close_text);
        self.finish(node)
    }

    fn param(&mut self, is_generic: bool) -> Entry {
        let start = self.start();
        let is_name = self.sees(T::Ident) && self.class_at(1) != T::Dot;
        let is_type = is_name && !is_generic && self.class_at(1) == T::LBrack && self.is_generic_type();
        let name = if is_name && !is_type { self.leaf(K::Name) } else { 0 };
        let own_type = if is_type { self.type_() } else { self.param_type(is_generic) };
        if name == 0 && own_type == 0 {
            self.missing("a parameter");
        }
        Entry { name, own_type, start, end: self.end.max(start) }
    }

    /// Returns whether a name before `[` is a generic type with type arguments. In contrast, `a []int` and `a [5]int`
    /// are names with types.
    pub(super) fn is_generic_type(&self) -> bool {
        if self.class_at(2) == T::RBrack {
            return false;
        }
        let mut open = 0_usize;
        for (ahead, token) in self.tokens[self.at..].iter().enumerate() {
            match token.class {
                T::LParen | T::LBrack | T::LBrace => open += 1,
                T::RParen | T::RBrack | T::RBrace => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        // A type after the brackets is an element type.
                        let after = self.class_at(ahead + 1);
                        return matches!(
                            after,
                            T::Comma | T::RParen | T::Semi | T::End | T::LBrace | T::RBrace | T::Text | T::Raw
                        );
                    }
                }
                T::End => return true,
                _ => {}
            }
        }
        true
    }

    fn param_type(&mut self, is_generic: bool) -> usize {
        if is_generic {
            return if matches!(self.class(), T::Comma | T::RBrack) { 0 } else { self.constraint() };
        }
        if !self.sees(T::Ellipsis) {
            return self.try_type().unwrap_or(0);
        }
        let node = self.node(K::Variadic, self.start());
        self.advance();
        let inner = self.type_();
        self.add(node, inner, F::Type);
        self.finish(node)
    }

    /// Splits entries into names and types. A name without a type has the type of the next entry that has one. If no
    /// entry has both, all are types.
    fn group_params(&mut self, node: usize, entries: Vec<Entry>, kind: K) {
        let has_names = entries.iter().any(|entry| entry.name != 0 && entry.own_type != 0);
        let mut open: Option<usize> = None;
        for entry in entries {
            let param = open.unwrap_or_else(|| {
                let param = self.node(kind, entry.start);
                self.add(node, param, F::None);
                param
            });
            if has_names {
                self.add(param, entry.name, F::Name);
            } else if entry.name != 0 {
                self.nodes[entry.name].kind = K::NameRef;
                self.add(param, entry.name, F::Type);
            }
            self.add(param, entry.own_type, F::Type);
            self.nodes[param].end = entry.end;
            open = (has_names && entry.own_type == 0).then_some(param);
        }
    }

    /// Parses a constraint: types with `~` and `|`.
    fn constraint(&mut self) -> usize {
        let start = self.start();
        let mut node = self.term();
        while self.sees(T::Operator) && self.slice(self.token()) == "|" {
            let union = self.node(K::Binary, start);
            self.advance();
            self.add(union, node, F::Left);
            let right = self.term();
            self.add(union, right, F::Right);
            node = self.finish(union);
        }
        node
    }

    fn term(&mut self) -> usize {
        if !self.sees(T::Tilde) {
            return self.type_();
        }
        let node = self.node(K::Unary, self.start());
        self.advance();
        let inner = self.type_();
        self.add(node, inner, F::None);
        self.finish(node)
    }

    /// Parses the fields of a struct, with their braces.
    pub(super) fn fields(&mut self) -> usize {
        self.deeper(|p| p.braced(K::Fields, Self::field))
    }

    /// Parses the elements of an interface, with their braces.
    pub(super) fn elements(&mut self) -> usize {
        self.deeper(|p| p.braced(K::Elems, Self::element))
    }

    fn braced(&mut self, kind: K, item: impl Fn(&mut Self) -> usize) -> usize {
        let node = self.node(kind, self.start());
        if self.expect(T::LBrace, "`{`") {
            self.bracketed(|p| p.items(node, item));
            self.expect(T::RBrace, "`}`");
        }
        self.finish(node)
    }

    fn field_names(&mut self, node: usize) {
        loop {
            let name = self.name("the name of a field");
            self.add(node, name, F::Name);
            if name == 0 || !self.eat(T::Comma) {
                return;
            }
        }
    }

    pub(super) fn field(&mut self) -> usize {
        let node = self.node(K::Field, self.start());
        let is_embedded = match (self.class(), self.class_at(1)) {
            (T::Ident, T::Dot | T::Semi | T::RBrace | T::Text | T::Raw | T::End) => true,
            (T::Ident, T::LBrack) => self.is_generic_type(),
            (T::Ident, _) => false,
            _ => true,
        };
        if !is_embedded {
            self.field_names(node);
        }
        let own = self.type_();
        self.add(node, own, F::Type);
        if self.sees(T::Text) || self.sees(T::Raw) {
            let tag = self.leaf(K::Tag);
            self.add(node, tag, F::None);
        }
        self.finish(node)
    }

    pub(super) fn element(&mut self) -> usize {
        let start = self.start();
        if self.sees(T::Ident) && self.class_at(1) == T::LParen {
            let node = self.node(K::ElemMethod, start);
            let name = self.leaf(K::Name);
            self.add(node, name, F::Name);
            self.signature(node);
            return self.finish(node);
        }
        let node = self.node(K::ElemEmbed, start);
        let own = self.constraint();
        self.add(node, own, F::Type);
        self.finish(node)
    }
}
