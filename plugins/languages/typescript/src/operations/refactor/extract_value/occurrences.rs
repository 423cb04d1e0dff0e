//! Occurrences of the extracted expression, and which of them certainly have the same value.

use marquetry_sdk::Span;
use marquetry_sdk::refactor::Asked;
use oxc_ast::AstKind;
use oxc_ast::ast::Ident;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use super::Extraction;
use super::choice::{IntoOxc as _, sdk};
use super::placement::{Spot, SpotKind};
use crate::rewrite::effects::{self, holds};
use crate::rewrite::places;
use crate::rewrite::selection::Chosen;
use crate::syntax::spans::statement_span;

/// Maximum number of enclosing spots to compare.
const MOST_SPOTS: usize = 16;

impl<'a> Extraction<'_, 'a> {
    /// Returns equal expressions within the enclosing function.
    pub(super) fn occurrences(&self) -> Vec<Chosen<'a>> {
        let semantic = self.parsed.semantic();
        let (nodes, scoping) = (semantic.nodes(), semantic.scoping());
        let own = self.choice.chosen;
        let has_block = |kind: &AstKind<'_>| {
            matches!(kind, AstKind::FunctionBody(_) | AstKind::Program(_) | AstKind::StaticBlock(_))
        };
        let home = nodes.ancestor_kinds(own.node).find(has_block).map(|kind| kind.span());
        let wanted = self.choice.value.of(self.text());
        let is_attribute = |node| matches!(nodes.parent_kind(node), AstKind::JSXAttribute(_));
        let means_the_same = |node: NodeId| {
            let scope = nodes.get_node(node).scope_id();
            self.names.iter().all(|name| scoping.find_binding(scope, Ident::from(name.name)) == name.symbol)
        };
        let same = nodes.iter().filter(|node| {
            let span = node.kind().span();
            span.size() == self.choice.value.len() as u32
                && home.is_some_and(|home| holds(home, span))
                && !holds(own.kind.span(), span)
                && sdk(span).of(self.text()) == wanted
                && places::can_be_replaced(semantic, node.id())
                && !nodes.ancestor_kinds(node.id()).any(|kind| places::is_ambient(&kind))
                // JSX strings have no escapes.
                && (is_attribute(node.id()) == is_attribute(own.node) || !wanted.contains(['\\', '&']))
                && means_the_same(node.id())
        });
        let mut found: Vec<Chosen<'a>> = Vec::new();
        for node in same {
            let span = sdk(node.kind().span());
            if found.last().is_none_or(|last| last.span.end <= span.start) {
                found.push(Chosen { node: node.id(), kind: node.kind(), span });
            }
        }
        found
    }

    /// Returns the nearest spot that is visible to all replaceable occurrences, if there is one.
    pub(super) fn spot_for_all(&self, spot: Spot, spots: &[Spot], others: &[Chosen<'a>], asked: &Asked) -> Spot {
        let nodes = self.parsed.semantic().nodes();
        let home = |spot: &Spot| nodes.kind(spot.list).span();
        let own = holds_all(home(&spot), others);
        if own || spot.kind != SpotKind::Statement {
            return spot;
        }
        let wider = spots.iter().take(MOST_SPOTS).filter(|wider| {
            wider.kind == SpotKind::Statement && !wider.leaves_function && holds(home(wider), home(&spot))
        });
        // Prefer the spot with the most occurrences, then the nearest.
        let seen = |spot: &Spot| self.joined(spot, others.to_vec(), asked).0.len();
        let mut best = (seen(&spot), spot);
        for wider in wider {
            let wider = self.before_first(*wider, &self.joined(wider, others.to_vec(), asked).0);
            if seen(&wider) > best.0 && self.check_order(&wider).is_ok() {
                best = (seen(&wider), wider);
            }
        }
        best.1
    }

    /// Moves the spot up to the statement with the first occurrence.
    pub(super) fn before_first(&self, spot: Spot, joined: &[Chosen<'a>]) -> Spot {
        let first = joined.first().map_or(spot.before.start, |first| first.span.start);
        if first >= spot.before.start || spot.kind != SpotKind::Statement {
            return spot;
        }
        let list = self.parsed.semantic().nodes().kind(spot.list);
        let mut statements = places::statement_lists(list).flatten();
        let spans = statements.by_ref().map(|it| statement_span(it, self.text()));
        let before = spans.into_iter().find(|span| span.start <= first && first < span.end);
        Spot { before: before.map_or(spot.before, |span| span.into_oxc()), ..spot }
    }

    /// Returns the occurrences to replace, and those left out because they may have a different value.
    pub(super) fn joined(&self, spot: &Spot, others: Vec<Chosen<'a>>, asked: &Asked) -> (Vec<Chosen<'a>>, Vec<Span>) {
        let nodes = self.parsed.semantic().nodes();
        let home = nodes.kind(spot.list).span();
        let insists = asked.is("all");
        let moved = self.before_first(*spot, &others);
        let from = match self.check_order(&moved) {
            Ok(()) if spot.kind == SpotKind::Statement && self.sees_names(&moved) => moved.before.start,
            _ => spot.before.start,
        };
        let later = self.later(spot, from);
        let (mut joined, mut left) = (Vec::new(), Vec::new());
        for other in others {
            let is_seen = holds(home, other.kind.span())
                && other.span.start >= from
                && (spot.kind == SpotKind::Statement || holds(spot.before, other.kind.span()));
            let insists = insists && !self.surely_differs(spot, &other);
            if is_seen && (insists || self.has_same_value(spot, &later, &other)) {
                joined.push(other);
            } else {
                left.push(other.span);
            }
        }
        if self.effects.is_constant() {
            left.clear();
        }
        (joined, left)
    }

    /// Returns whether the names in the expression are declared above the spot.
    fn sees_names(&self, spot: &Spot) -> bool {
        let scoping = self.parsed.semantic().scoping();
        let nodes = self.parsed.semantic().nodes();
        self.names.iter().filter_map(|name| name.symbol).all(|symbol| {
            let is_variable = matches!(nodes.kind(scoping.symbol_declaration(symbol)), AstKind::VariableDeclarator(_));
            !is_variable || scoping.symbol_span(symbol).start < spot.before.start
        })
    }

    fn has_same_value(&self, spot: &Spot, later: &Later, other: &Chosen<'a>) -> bool {
        let semantic = self.parsed.semantic();
        if self.effects.is_constant() && !self.effects.uses_this {
            return true;
        }
        if self.effects.acts
            || self.effects.makes && !(self.is_given(self.choice.chosen.node) && self.is_given(other.node))
        {
            return false;
        }
        let path = effects::path(semantic, other.node, spot.list);
        if self.effects.uses_this && path.own_this {
            return false;
        }
        if path.in_loop || path.in_function {
            return !later.changes && later.obstacle.is_none();
        }
        later.obstacle.is_none_or(|obstacle| obstacle.done > other.span.start)
    }

    /// Returns whether evaluating the expression again has side effects, or a variable that it reads has changed.
    fn surely_differs(&self, spot: &Spot, other: &Chosen<'a>) -> bool {
        let since = oxc_span::Span::new(spot.before.start, other.span.start.max(spot.before.start));
        self.effects.acts || self.effects.is_written_in(self.parsed.semantic(), since)
    }

    /// Returns what happens after an offset.
    fn later(&self, spot: &Spot, from: u32) -> Later {
        let semantic = self.parsed.semantic();
        let home = semantic.nodes().kind(spot.list).span();
        let whole = oxc_span::Span::new(from, self.text().len() as u32);
        Later {
            changes: self.effects.reads_shared || self.effects.is_written_in(semantic, whole),
            obstacle: self.effects.obstacle(semantic, spot.list, oxc_span::Span::new(from, home.end.max(from))),
        }
    }

    /// Returns whether a call or an element gets the expression as a value. These are unlikely to change it.
    fn is_given(&self, node: NodeId) -> bool {
        match self.parsed.semantic().nodes().parent_kind(node) {
            AstKind::CallExpression(call) => call.callee.span() != self.parsed.semantic().nodes().kind(node).span(),
            AstKind::NewExpression(_) | AstKind::JSXExpressionContainer(_) => true,
            _ => false,
        }
    }
}

/// Events after an offset that may change the value.
struct Later {
    /// A variable that the expression reads is written.
    changes: bool,
    obstacle: Option<effects::Obstacle>,
}

fn holds_all(home: oxc_span::Span, others: &[Chosen<'_>]) -> bool {
    others.iter().all(|other| holds(home, other.span.into_oxc()))
}
