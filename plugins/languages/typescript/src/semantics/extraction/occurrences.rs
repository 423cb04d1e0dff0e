//! Occurrences of the extracted expression, and which of them certainly have the same value.

use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind, Statement};
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::effects::contains;
use crate::semantics::enclosing_context::enclosing_context;
use crate::semantics::extraction::placement::{DeclarationSpot, ExtractedExpression, SpotKind};
use crate::semantics::obstacles::Obstacle;
use crate::semantics::selection::SelectedExpression;
use crate::semantics::{positions, refusal_at};
use crate::syntax::spans::{IntoOxc as _, statement_span, to_sdk_span};

/// Maximum number of enclosing spots to compare.
const MAX_SPOTS: usize = 16;

impl<'a> ExtractedExpression<'_, 'a> {
    /// Refuses a spot if the expression would run before code that it depends on or that depends on it.
    pub(crate) fn check_order(&self, spot: &DeclarationSpot) -> Result<()> {
        if self.effects.is_constant() {
            return Ok(());
        }
        let stretch = oxc_span::Span::new(spot.before.start, self.choice.chosen.span.start.max(spot.before.start));
        match self.effects.first_obstacle(self.code.semantic(), spot.list, stretch) {
            None => Ok(()),
            Some(obstacle) => {
                let line = self.code.source(obstacle.span).lines().next().unwrap_or_default();
                let message = format!("`{line}` runs before the expression and would run after it");
                Err(refusal_at(message, obstacle.span)
                    .hint("first extract that, or extract the expression that contains both"))
            }
        }
    }

    /// Returns equal expressions within the enclosing function.
    pub(crate) fn occurrences(&self) -> Vec<SelectedExpression<'a>> {
        let code = self.code;
        let own = self.choice.chosen;
        let has_block = |kind: &AstKind<'_>| {
            matches!(kind, AstKind::FunctionBody(_) | AstKind::Program(_) | AstKind::StaticBlock(_))
        };
        let Some(home) = code.nodes().ancestor_kinds(own.node).find(has_block) else { return Vec::new() };
        let wanted = code.source(self.choice.value);
        let means_the_same = |node: NodeId| code.changed_name(code.scope_of(node), &self.names).is_none();
        let same = code.nodes_in(home.span()).filter(|(node, kind)| {
            let span = kind.span();
            span.size() == self.choice.value.len() as u32
                && !contains(own.kind.span(), span)
                && code.source(span) == wanted
                && positions::can_be_replaced(code.semantic(), *node)
                && !code.nodes().ancestor_kinds(*node).any(|kind| positions::is_ambient(&kind))
                // JSX strings have no escapes.
                && (code.is_attribute_value(*node) == code.is_attribute_value(own.node) || !wanted.contains(['\\', '&']))
                && means_the_same(*node)
        });
        let mut found: Vec<SelectedExpression<'a>> = Vec::new();
        for (node, kind) in same {
            let span = to_sdk_span(kind.span());
            if found.last().is_none_or(|last| last.span.end <= span.start) {
                found.push(SelectedExpression { node, kind, span });
            }
        }
        found
    }

    /// Returns the nearest spot at which a declaration is visible to all replaceable occurrences, if there is one.
    pub(crate) fn common_spot(
        &self,
        spot: DeclarationSpot,
        spots: &[DeclarationSpot],
        others: &[SelectedExpression<'a>],
        insists: bool,
    ) -> DeclarationSpot {
        let home = |spot: &DeclarationSpot| self.code.span(spot.list);
        let own = contains_all(home(&spot), others);
        if own || spot.kind != SpotKind::Statement {
            return spot;
        }
        let wider = spots.iter().take(MAX_SPOTS).filter(|wider| {
            wider.kind == SpotKind::Statement && !wider.leaves_function && contains(home(wider), home(&spot))
        });
        // Prefer the spot with the most occurrences, then the nearest.
        let seen = |spot: &DeclarationSpot| self.replaceable_occurrences(spot, others.to_vec(), insists).0.len();
        let mut best = (seen(&spot), spot);
        for wider in wider {
            let wider =
                self.move_before_first(*wider, &self.replaceable_occurrences(wider, others.to_vec(), insists).0);
            if seen(&wider) > best.0 && self.check_order(&wider).is_ok() {
                best = (seen(&wider), wider);
            }
        }
        best.1
    }

    /// Moves the spot up to the statement with the first occurrence.
    pub(crate) fn move_before_first(
        &self,
        spot: DeclarationSpot,
        joined: &[SelectedExpression<'a>],
    ) -> DeclarationSpot {
        let first = joined.first().map_or(spot.before.start, |first| first.span.start);
        if first >= spot.before.start || spot.kind != SpotKind::Statement {
            return spot;
        }
        let list = self.code.kind(spot.list);
        let mut statements = positions::statement_lists(list).flatten();
        let spans = statements.by_ref().map(|it| statement_span(it, self.code.text()));
        let before = spans.into_iter().find(|span| span.start <= first && first < span.end);
        DeclarationSpot { before: before.map_or(spot.before, |span| span.into_oxc()), ..spot }
    }

    /// Moves a spot outside of a function declaration up to the first statement that may call the function.
    pub(crate) fn move_before_callers(&self, spot: DeclarationSpot) -> Result<DeclarationSpot> {
        if !spot.leaves_function || spot.kind != SpotKind::Statement {
            return Ok(spot);
        }
        let code = self.code;
        let list: Vec<&Statement<'a>> = positions::statement_lists(code.kind(spot.list)).flatten().collect();
        let Some(own) = list.iter().position(|it| it.span().end > spot.before.start) else { return Ok(spot) };
        let mut called: Vec<SymbolId> = declared_function(list[own]).into_iter().collect();
        let (mut next, mut first) = (0, own);
        while let Some(symbol) = called.get(next).copied() {
            next += 1;
            for (_, span) in code.references_of(symbol) {
                let Some(index) = list[..own].iter().position(|it| contains(it.span(), span)) else { continue };
                match declared_function(list[index]) {
                    Some(caller) if !called.contains(&caller) => called.push(caller),
                    Some(_) => {}
                    None => first = first.min(index),
                }
            }
        }
        if first == own {
            return Ok(spot);
        }
        let moved = DeclarationSpot { before: list[first].span(), ..spot };
        if !self.names_are_declared(&moved) {
            let message = "the function of the expression is called before the new variable could have a value";
            return Err(refusal_at(message, moved.before).hint("choose a narrower `scope`"));
        }
        Ok(moved)
    }

    /// Returns the occurrences to replace, and those that are not replaced because they may have a different value.
    /// With `insists`, an occurrence is only left out if its value certainly differs.
    pub(crate) fn replaceable_occurrences(
        &self,
        spot: &DeclarationSpot,
        others: Vec<SelectedExpression<'a>>,
        insists: bool,
    ) -> (Vec<SelectedExpression<'a>>, Vec<Span>) {
        let home = self.code.span(spot.list);
        let moved = self.move_before_first(*spot, &others);
        let from = match self.check_order(&moved) {
            Ok(()) if spot.kind == SpotKind::Statement && self.names_are_declared(&moved) => moved.before.start,
            _ => spot.before.start,
        };
        let later = self.events_after(spot, from);
        let (mut joined, mut left) = (Vec::new(), Vec::new());
        for other in others {
            let is_seen = contains(home, other.kind.span())
                && other.span.start >= from
                && (spot.kind == SpotKind::Statement || contains(spot.before, other.kind.span()));
            let insists = insists && !self.certainly_differs(spot, &other);
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
    fn names_are_declared(&self, spot: &DeclarationSpot) -> bool {
        self.names.iter().filter_map(|name| name.symbol).all(|symbol| {
            let is_variable = matches!(
                self.code.kind(self.code.declaration_of(symbol)),
                AstKind::VariableDeclarator(_) | AstKind::Class(_)
            );
            !is_variable || self.code.scoping().symbol_span(symbol).start < spot.before.start
        })
    }

    fn has_same_value(&self, spot: &DeclarationSpot, later: &LaterEvents, other: &SelectedExpression<'a>) -> bool {
        if self.effects.is_constant() && !self.effects.uses_this {
            return true;
        }
        if self.effects.has_side_effects
            || self.effects.creates_object
                && !(self.is_argument(self.choice.chosen.node) && self.is_argument(other.node))
        {
            return false;
        }
        let path = enclosing_context(self.code.semantic(), other.node, spot.list);
        if self.effects.uses_this && path.own_this {
            return false;
        }
        if path.in_loop || path.in_function {
            return !later.changes && later.obstacle.is_none();
        }
        later.obstacle.is_none_or(|obstacle| obstacle.effect_end > other.span.start)
    }

    /// Returns a warning if equal expressions are only replaced because the call asks for all of them.
    pub(crate) fn insistence_warning(
        &self,
        spot: &DeclarationSpot,
        joined: &[SelectedExpression<'a>],
    ) -> Option<String> {
        let later = self.events_after(spot, spot.before.start);
        let doubtful = joined.iter().find(|other| !self.has_same_value(spot, &later, other))?;
        let line = 1 + self.code.text()[..doubtful.span.start as usize].matches('\n').count();
        Some(format!("the expression in line {line} is replaced as well, and may have a different value"))
    }

    /// Returns whether evaluating the expression again has side effects, or a variable that it reads has changed.
    fn certainly_differs(&self, spot: &DeclarationSpot, other: &SelectedExpression<'a>) -> bool {
        let since = oxc_span::Span::new(spot.before.start, other.span.start.max(spot.before.start));
        self.effects.has_side_effects
            || self.effects.creates_object
            || self.effects.is_written_in(self.code.semantic(), since)
    }

    /// Returns the events after an offset that may change the value of the expression.
    fn events_after(&self, spot: &DeclarationSpot, from: u32) -> LaterEvents {
        let semantic = self.code.semantic();
        let home = self.code.span(spot.list);
        let whole = oxc_span::Span::new(from, self.code.text().len() as u32);
        LaterEvents {
            changes: self.effects.reads_shared
                || self.effects.is_written_in(semantic, whole)
                || self.effects.is_changed_by_loop(semantic, self.choice.chosen.node),
            obstacle: self.effects.first_obstacle(semantic, spot.list, oxc_span::Span::new(from, home.end.max(from))),
        }
    }

    /// Returns whether the expression is passed to a call or an element, which are unlikely to change the value.
    fn is_argument(&self, node: NodeId) -> bool {
        match self.code.parent_kind(node) {
            AstKind::CallExpression(call) => call.callee.span() != self.code.span(node),
            AstKind::NewExpression(_) | AstKind::JSXExpressionContainer(_) => true,
            _ => false,
        }
    }
}

/// Events after an offset that may change the value.
struct LaterEvents {
    /// A variable that the expression reads is written.
    changes: bool,
    obstacle: Option<Obstacle>,
}

fn contains_all(home: oxc_span::Span, others: &[SelectedExpression<'_>]) -> bool {
    others.iter().all(|other| contains(home, other.span.into_oxc()))
}

/// Returns the function that a statement declares, exported or not.
fn declared_function(statement: &Statement<'_>) -> Option<SymbolId> {
    let function = match statement {
        Statement::FunctionDeclaration(it) => it,
        Statement::ExportDeclaration(it) => match &it.declaration {
            Declaration::FunctionDeclaration(it) => it,
            _ => return None,
        },
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it,
            _ => return None,
        },
        _ => return None,
    };
    function.id.as_ref()?.symbol_id.get()
}
