//! Parses statements.

use super::Parser;
use crate::{
    kinds::{F, K},
    lexer::T,
};

impl Parser<'_> {
    /// Parses a block with its braces.
    pub(super) fn block(&mut self) -> usize {
        self.deeper(|p| {
            let node = p.node(K::Block, p.start());
            if p.expect(T::LBrace, "`{`") {
                let in_head = std::mem::replace(&mut p.in_head, false);
                p.statements(node);
                p.in_head = in_head;
                p.expect(T::RBrace, "`}`");
            }
            p.finish(node)
        })
    }

    /// Parses statements up to a token that ends their block.
    pub(super) fn statements(&mut self, block: usize) {
        loop {
            while self.eat(T::Semi) {}
            if self.ends_statements() {
                return;
            }
            let from = self.start();
            let node = self.statement();
            self.add(block, node, F::None);
            if self.sees(T::Semi) || self.ends_statements() {
                continue;
            }
            self.missing("the end of the statement");
            let rest = self.start();
            self.skip_statement();
            if self.start() == from && !self.ends_statements() {
                self.advance();
            }
            self.add_skipped(block, rest);
            if self.start() == from {
                return;
            }
        }
    }

    fn ends_statements(&self) -> bool {
        matches!(self.class(), T::End | T::RBrace | T::Case | T::Default) || self.starts_top_level()
    }

    fn statement(&mut self) -> usize {
        let start = self.start();
        match self.class() {
            T::Const | T::Var | T::Type => self.declaration(),
            T::LBrace => self.block(),
            T::If => self.deeper(Self::if_statement),
            T::For => self.deeper(Self::for_statement),
            T::Switch => self.deeper(|p| p.cases_statement(K::Switch)),
            T::Select => self.deeper(|p| p.cases_statement(K::Select)),
            T::Go | T::Defer => {
                let node = self.node(if self.sees(T::Go) { K::Go } else { K::Defer }, start);
                self.advance();
                let call = self.expression();
                self.add(node, call, F::None);
                self.finish(node)
            }
            T::Return => {
                let node = self.node(K::Return, start);
                self.advance();
                if !matches!(self.class(), T::Semi | T::RBrace | T::End) {
                    self.list_of(node, F::None);
                }
                self.finish(node)
            }
            T::Break | T::Continue | T::Goto | T::Fallthrough => {
                let node = self.node(K::Branch, start);
                let needs_label = self.sees(T::Goto);
                self.advance();
                if needs_label && !self.sees(T::Ident) {
                    self.missing("a label");
                }
                if self.sees(T::Ident) {
                    let label = self.leaf(K::Label);
                    self.add(node, label, F::None);
                }
                self.finish(node)
            }
            T::Ident if self.class_at(1) == T::Colon => self.labeled(),
            _ => self.simple(false),
        }
    }

    fn labeled(&mut self) -> usize {
        let node = self.node(K::Labeled, self.start());
        let label = self.leaf(K::Label);
        self.add(node, label, F::Name);
        self.advance();
        if !matches!(self.class(), T::Semi | T::RBrace | T::End) {
            let inner = self.deeper(Self::statement);
            self.add(node, inner, F::None);
        }
        self.finish(node)
    }

    /// Parses a simple statement, which may also be in the header of another statement. In the header of a loop, it may
    /// be a `range` clause.
    fn simple(&mut self, may_range: bool) -> usize {
        let node = self.node(K::ExprStmt, self.start());
        if may_range && self.sees(T::Range) {
            return self.range(node);
        }
        self.list_of(node, F::Left);
        let kind = match self.class() {
            T::Define => K::Define,
            T::Assign | T::OpAssign => K::Assign,
            T::IncDec => K::IncDec,
            T::Arrow => K::Send,
            _ => {
                self.check_single(node);
                return self.finish(node);
            }
        };
        self.nodes[node].kind = kind;
        let is_definition = kind == K::Define;
        self.advance();
        if is_definition {
            self.define(node);
        }
        if may_range && matches!(kind, K::Define | K::Assign) && self.sees(T::Range) {
            return self.range(node);
        }
        match kind {
            K::IncDec => self.check_single(node),
            K::Send => {
                self.check_single(node);
                let value = self.expression();
                self.add(node, value, F::Right);
            }
            _ => self.list_of(node, F::Right),
        }
        self.finish(node)
    }

    fn range(&mut self, node: usize) -> usize {
        self.nodes[node].kind = K::Range;
        self.advance();
        let value = self.expression();
        self.add(node, value, F::Right);
        self.finish(node)
    }

    /// Reports a list of expressions if a single expression is expected. A missing expression has already been
    /// reported.
    fn check_single(&mut self, node: usize) {
        let first = self.nodes[node].first;
        if first != 0 && self.nodes[first].next != 0 {
            self.missing("`:=`, `=` or `,`");
        }
    }

    /// Marks the names on the left side of `:=` as declared.
    fn define(&mut self, node: usize) {
        let mut at = self.nodes[node].first;
        while at != 0 {
            if self.nodes[at].kind == K::NameRef {
                self.nodes[at].kind = K::Name;
            } else {
                let span = marquetry_sdk::Span { start: self.nodes[at].start, end: self.nodes[at].end };
                self.report(span, "only a name can be declared with `:=`".to_owned());
            }
            at = self.nodes[at].next;
        }
    }

    fn in_head<R>(&mut self, parse: impl FnOnce(&mut Self) -> R) -> R {
        let in_head = std::mem::replace(&mut self.in_head, true);
        let result = parse(self);
        self.in_head = in_head;
        result
    }

    fn if_statement(&mut self) -> usize {
        let node = self.node(K::If, self.start());
        self.advance();
        self.in_head(|p| {
            if p.sees(T::LBrace) {
                p.missing("a condition");
                return;
            }
            let mut condition = if p.sees(T::Semi) { 0 } else { p.simple(false) };
            if p.eat(T::Semi) {
                p.add(node, condition, F::Init);
                condition = if p.sees(T::LBrace) { 0 } else { p.simple(false) };
                if condition == 0 {
                    p.missing("a condition");
                }
            }
            p.add(node, condition, F::Condition);
        });
        let then = self.block();
        self.add(node, then, F::None);
        if self.eat(T::Else) {
            let other = match self.class() {
                T::If => self.deeper(Self::if_statement),
                _ => self.block(),
            };
            self.add(node, other, F::Else);
        }
        self.finish(node)
    }

    fn for_statement(&mut self) -> usize {
        let node = self.node(K::For, self.start());
        self.advance();
        self.in_head(|p| {
            if p.sees(T::LBrace) {
                return;
            }
            let first = if p.sees(T::Semi) { 0 } else { p.simple(true) };
            if !p.sees(T::Semi) || p.class_at(1) == T::LBrace && p.token().end == p.start() {
                let role = if p.nodes[first].kind == K::Range { F::Init } else { F::Condition };
                return p.add(node, first, role);
            }
            p.add(node, first, F::Init);
            p.advance();
            if !matches!(p.class(), T::Semi | T::LBrace) {
                let condition = p.simple(false);
                p.add(node, condition, F::Condition);
            }
            p.expect(T::Semi, "`;`");
            if !p.sees(T::LBrace) {
                let post = p.simple(false);
                p.add(node, post, F::Post);
            }
        });
        let body = self.block();
        self.add(node, body, F::None);
        self.finish(node)
    }

    /// Parses a `switch` or `select` statement.
    fn cases_statement(&mut self, kind: K) -> usize {
        let node = self.node(kind, self.start());
        self.advance();
        self.in_head(|p| {
            if p.sees(T::LBrace) {
                return;
            }
            let mut tag = if p.sees(T::Semi) { 0 } else { p.simple(false) };
            if p.eat(T::Semi) {
                p.add(node, tag, F::Init);
                tag = if p.sees(T::LBrace) { 0 } else { p.simple(false) };
            }
            p.add(node, tag, F::Condition);
        });
        let cases = self.node(K::Cases, self.start());
        if self.expect(T::LBrace, "`{`") {
            self.bracketed(|p| p.cases(cases, kind));
            self.expect(T::RBrace, "`}`");
        }
        self.finish(cases);
        self.add(node, cases, F::None);
        self.finish(node)
    }

    fn cases(&mut self, cases: usize, kind: K) {
        while !matches!(self.class(), T::RBrace | T::End) && !self.starts_top_level() {
            if self.eat(T::Semi) {
                continue;
            }
            let case = self.node(K::Case, self.start());
            if self.eat(T::Case) {
                let is_select = kind == K::Select;
                if is_select {
                    let communication = self.simple(false);
                    self.add(case, communication, F::Init);
                } else {
                    self.list_of(case, F::Key);
                }
            } else if !self.eat(T::Default) {
                self.missing("`case` or `default`");
                let from = self.start();
                self.skip_statement();
                if self.start() == from {
                    self.advance();
                }
                self.add_skipped(cases, from);
                continue;
            }
            self.expect(T::Colon, "`:`");
            let body = self.node(K::CaseBody, self.end);
            self.statements(body);
            self.trim(body);
            if self.nodes[body].first != 0 {
                self.add(case, body, F::Body);
            }
            self.finish(case);
            if self.nodes[body].first != 0 {
                // The separator after the last statement is not part of the case.
                self.nodes[case].end = self.nodes[body].end;
            }
            self.add(cases, case, F::None);
        }
    }
}
