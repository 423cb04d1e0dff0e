//! Facts that a `switch` establishes about a reference: in its cases, and after it.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::ScopeFlags;
use oxc_span::Span;

use crate::infer::checker::Checker;
use crate::infer::guards::Fact;
use crate::infer::narrowable::Reference;
use crate::infer::narrowing::always_exits;

impl<'w> Checker<'w> {
    /// Returns the facts if the value of a `switch` equals the test of a case, or does not. Empty for `default`.
    fn facts_of_test(
        &self,
        module: u32,
        switch: &'w SwitchStatement<'w>,
        case: &'w SwitchCase<'w>,
        same: bool,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let Some(test) = &case.test else { return Vec::new() };
        if matches!(&switch.discriminant, Expression::BooleanLiteral(truth) if truth.value) {
            return self.facts_of(module, test, same, of);
        }
        self.fact_of_equality(module, &switch.discriminant, test, same, of).into_iter().collect()
    }

    /// Returns the facts that hold if the value equals the test of one of these cases.
    fn facts_of_any(
        &self,
        module: u32,
        switch: &'w SwitchStatement<'w>,
        cases: &[&'w SwitchCase<'w>],
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let mut all = cases.iter().copied().map(|case| self.facts_of_test(module, switch, case, true, of));
        let Some(mut facts) = all.next() else { return Vec::new() };
        for next in all {
            if facts.is_empty() || next.is_empty() {
                return Vec::new();
            }
            facts = vec![Fact::OneOf(facts, next)];
        }
        facts
    }

    /// Returns the facts that hold in a case of a `switch`.
    pub(crate) fn facts_of_case(
        &self,
        module: u32,
        switch: &'w SwitchStatement<'w>,
        case: Span,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let Some(at) = switch.cases.iter().position(|it| it.span == case) else { return Vec::new() };
        // Earlier cases fall through unless they end with a jump.
        let falls = |case: &SwitchCase<'_>| !case.consequent.last().is_some_and(always_exits);
        let first = switch.cases[..at].iter().rposition(|before| !falls(before)).map_or(0, |left| left + 1);
        let entries = &switch.cases[first..=at];
        if entries.iter().any(|entry| entry.test.is_none()) {
            let others = switch.cases.iter().filter(|it| !entries.iter().any(|entry| entry.span == it.span));
            return others.flat_map(|other| self.facts_of_test(module, switch, other, false, of)).collect();
        }
        self.facts_of_any(module, switch, &entries.iter().collect::<Vec<_>>(), of)
    }

    /// Returns the facts that hold after a `switch`: the value does not equal the test of a case that always leaves the
    /// statements around the `switch`. If `default` leaves them, too, the value equals the test of another case.
    pub(crate) fn facts_after_switch(
        &self,
        module: u32,
        switch: &'w SwitchStatement<'w>,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let leaves = |at: usize| leaves_around(&switch.cases[at..]);
        let (gone, kept): (Vec<usize>, Vec<usize>) = (0..switch.cases.len()).partition(|at| leaves(*at));
        let mut facts: Vec<Fact<'w>> =
            gone.iter().flat_map(|at| self.facts_of_test(module, switch, &switch.cases[*at], false, of)).collect();
        if gone.iter().any(|at| switch.cases[*at].test.is_none()) {
            let kept: Vec<&'w SwitchCase<'w>> = kept.iter().map(|at| &switch.cases[*at]).collect();
            facts.extend(self.facts_of_any(module, switch, &kept, of));
        }
        facts
    }
}

/// Returns whether the first of these cases, with those that it falls through to, always leaves the statements around
/// the `switch`.
fn leaves_around(cases: &[SwitchCase<'_>]) -> bool {
    for case in cases {
        let mut breaks = BreakSearch::default();
        case.consequent.iter().for_each(|statement| breaks.visit_statement(statement));
        if breaks.found {
            return false;
        }
        if case.consequent.last().is_some_and(always_exits) {
            return true;
        }
    }
    false
}

/// Search for a `break` that ends the `switch` around it. A `break` with a label counts, whatever it ends.
#[derive(Default)]
struct BreakSearch {
    found: bool,
    /// Number of loops and `switch` statements around the node; a `break` there ends them.
    depth: usize,
}

impl BreakSearch {
    fn within(&mut self, go: impl FnOnce(&mut Self)) {
        self.depth += 1;
        go(self);
        self.depth -= 1;
    }
}

impl<'a> Visit<'a> for BreakSearch {
    fn visit_break_statement(&mut self, it: &BreakStatement<'a>) {
        self.found |= self.depth == 0 || it.label.is_some();
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}

    fn visit_class(&mut self, _: &Class<'a>) {}

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.within(|search| walk::walk_switch_statement(search, it));
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.within(|search| walk::walk_while_statement(search, it));
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.within(|search| walk::walk_do_while_statement(search, it));
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.within(|search| walk::walk_for_statement(search, it));
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.within(|search| walk::walk_for_in_statement(search, it));
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.within(|search| walk::walk_for_of_statement(search, it));
    }
}
