//! Parses files and declarations.

use super::Parser;
use crate::{
    kinds::{F, K},
    lexer::T,
};

/// The kinds of a declaration: without a group, of the group, and of the group's content.
fn kinds_of(keyword: T) -> (K, K, K) {
    match keyword {
        T::Import => (K::Import, K::ImportGroup, K::ImportSpecs),
        T::Const => (K::Const, K::ConstGroup, K::ConstSpecs),
        T::Var => (K::Var, K::VarGroup, K::VarSpecs),
        _ => (K::Type, K::TypeGroup, K::TypeSpecs),
    }
}

impl Parser<'_> {
    /// Parses the declarations of a file.
    pub(super) fn file(&mut self, has_package: bool) -> usize {
        let file = self.node(K::File, 0);
        while self.eat(T::Semi) {}
        if has_package && !self.sees(T::Package) {
            self.missing("the clause `package NAME`");
        }
        let mut has_clause = false;
        loop {
            while self.eat(T::Semi) {}
            let from = self.start();
            let node = match self.class() {
                T::End => break,
                T::Package if !has_clause => {
                    has_clause = true;
                    self.package()
                }
                T::Import | T::Const | T::Var | T::Type => self.declaration(),
                T::Func => self.func(),
                _ => {
                    self.missing("a declaration");
                    self.skip_declaration();
                    self.add_skipped(file, from);
                    continue;
                }
            };
            self.add(file, node, F::None);
            if !self.sees(T::Semi) && !self.sees(T::End) {
                self.missing("the end of the line");
                let rest = self.start();
                self.skip_declaration();
                self.add_skipped(file, rest);
            }
        }
        self.nodes[file].end = self.end;
        file
    }

    fn package(&mut self) -> usize {
        let node = self.node(K::Package, self.start());
        self.advance();
        let name = self.name("the name of the package");
        self.add(node, name, F::Name);
        self.finish(node)
    }

    /// Skips to the next declaration at the start of a line.
    fn skip_declaration(&mut self) {
        let mut open = 0_usize;
        loop {
            let start = self.start() as usize;
            let is_at_margin = self.text[..start].ends_with('\n');
            match self.class() {
                T::End => return,
                T::Func | T::Import | T::Const | T::Var | T::Type if is_at_margin => return,
                T::Semi if open == 0 => return,
                T::LParen | T::LBrack | T::LBrace => open += 1,
                T::RParen | T::RBrack | T::RBrace => open = open.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Parses a declaration or a group of declarations of imports, constants, variables or types.
    pub(super) fn declaration(&mut self) -> usize {
        let keyword = self.class();
        let (single, group, specs) = kinds_of(keyword);
        let start = self.start();
        self.advance();
        if !self.sees(T::LParen) {
            let node = self.node(single, start);
            if self.starts_top_level() {
                self.missing("a name");
                return self.finish(node);
            }
            self.spec_parts(node, keyword);
            return self.finish(node);
        }
        let node = self.node(group, start);
        self.advance();
        let content = self.node(specs, self.end);
        self.bracketed(|p| p.items(content, |p| p.spec(keyword)));
        let end = if self.sees(T::RParen) { self.start() } else { self.end };
        self.nodes[content].end = end.max(self.nodes[content].start);
        self.add(node, content, F::Body);
        self.expect(T::RParen, "`)`");
        self.finish(node)
    }

    /// Parses a declaration in a group.
    pub(super) fn spec(&mut self, keyword: T) -> usize {
        let node = self.node(kinds_of(keyword).0, self.start());
        self.spec_parts(node, keyword);
        self.finish(node)
    }

    fn spec_parts(&mut self, node: usize, keyword: T) {
        match keyword {
            T::Import => self.import(node),
            T::Type => self.type_spec(node),
            _ => self.values_spec(node),
        }
    }

    fn import(&mut self, node: usize) {
        if self.sees(T::Ident) || self.sees(T::Dot) {
            let name = self.leaf(K::Name);
            self.add(node, name, F::Name);
        }
        if self.sees(T::Text) || self.sees(T::Raw) {
            let path = self.leaf(K::Text);
            self.add(node, path, F::Path);
        } else {
            self.missing("the path of an import");
        }
    }

    fn values_spec(&mut self, node: usize) {
        loop {
            let name = self.name("a name");
            self.add(node, name, F::Name);
            if name == 0 {
                return;
            }
            if !self.eat(T::Comma) {
                break;
            }
        }
        if !self.sees(T::Assign)
            && let Some(own) = self.try_type()
        {
            self.add(node, own, F::Type);
        }
        if self.eat(T::Assign) {
            self.list_of(node, F::Body);
        }
    }

    fn type_spec(&mut self, node: usize) {
        let name = self.name("the name of a type");
        self.add(node, name, F::Name);
        if name == 0 && !matches!(self.class(), T::Struct | T::Interface) {
            return;
        }
        if self.sees(T::LBrack) && self.starts_type_params() {
            let params = self.type_params();
            self.add(node, params, F::None);
        }
        self.eat(T::Assign);
        match self.class() {
            // The fields or elements become children of the declaration, without a node for the type.
            T::Struct => {
                self.advance();
                let fields = self.fields();
                self.add(node, fields, F::Body);
            }
            T::Interface => {
                self.advance();
                let elements = self.elements();
                self.add(node, elements, F::Body);
            }
            _ => {
                let own = self.type_();
                self.add(node, own, F::Body);
            }
        }
    }

    /// Returns whether the brackets after the name of a type contain type parameters rather than the length of an array.
    fn starts_type_params(&mut self) -> bool {
        if self.class_at(1) != T::Ident {
            return false;
        }
        match self.class_at(2) {
            T::Comma | T::Ident | T::Interface | T::Tilde | T::Map | T::Chan | T::Func | T::Struct | T::Arrow => true,
            T::LBrack => self.class_at(3) == T::RBrack,
            T::Star | T::LParen => {
                // `[P *C]` is the length of an array, unless a comma or a constraint proves that it is a list of type
                // parameters.
                let mut open = 0_usize;
                for token in &self.tokens[self.at..] {
                    match token.class {
                        T::LParen | T::LBrack | T::LBrace => open += 1,
                        T::RParen | T::RBrack | T::RBrace if open <= 1 => return false,
                        T::RParen | T::RBrack | T::RBrace => open -= 1,
                        T::Comma if open == 1 => return true,
                        T::Tilde | T::Interface => return true,
                        T::Operator if self.slice(*token) == "|" => return true,
                        T::Semi | T::End => return false,
                        _ => {}
                    }
                }
                false
            }
            _ => false,
        }
    }

    /// Parses a function or method.
    fn func(&mut self) -> usize {
        let start = self.start();
        self.advance();
        let is_method = self.sees(T::LParen);
        let node = self.node(if is_method { K::Method } else { K::Func }, start);
        if is_method {
            let receiver = self.params(K::Receiver);
            self.add(node, receiver, F::None);
        }
        let name = self.name(if is_method { "the name of the method" } else { "the name of the function" });
        self.add(node, name, F::Name);
        if name == 0 {
            return self.finish(node);
        }
        if self.sees(T::LBrack) {
            let params = self.type_params();
            self.add(node, params, F::None);
        }
        self.signature(node);
        if self.sees(T::LBrace) {
            let body = self.block();
            self.add(node, body, F::Body);
        }
        self.finish(node)
    }
}
