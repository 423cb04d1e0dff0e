//! Values with the wanted member that are used as a type from outside of the program: `const log: Pick<Console, "log"> =
//! new Logger()`. The relation is structural, so no declaration states it, and the type keeps the name of its member. The
//! same holds for another type of the program with a member of this name.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::infer::values::is_const;
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::rename::external_values::{reads_arguments, values_with_context};
use crate::rename::search_target::SearchTarget;

/// Finds the values in the open document that have the wanted member and are used as another type with this member.
pub(super) fn find_outgoing_values(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    let search = Search { checker, wanted };
    let nodes = here.semantic().nodes().iter();
    nodes.flat_map(|node| search.values_at(node.kind())).collect()
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
}

impl<'w> Search<'_, 'w> {
    fn values_at(&self, parent: AstKind<'w>) -> Vec<Span> {
        let mut values = match parent {
            AstKind::TSAsExpression(cast) if !is_const(&cast.type_annotation) => vec![&cast.expression],
            AstKind::TSTypeAssertion(cast) if !is_const(&cast.type_annotation) => vec![&cast.expression],
            _ => values_with_context(parent),
        };
        values.retain(|value| can_have_declared_type(value));
        let reads_arguments = match parent {
            AstKind::CallExpression(call) => reads_arguments(self.checker, self.wanted, &call.callee),
            AstKind::NewExpression(new) => reads_arguments(self.checker, self.wanted, &new.callee),
            _ => false,
        };
        if reads_arguments {
            values.retain(|value| self.is_own(value));
            return values.into_iter().map(GetSpan::span).collect();
        }
        let is_foreign_call = match parent {
            AstKind::CallExpression(call) => self.is_foreign_callee(&call.callee),
            AstKind::NewExpression(new) => self.is_foreign_callee(&new.callee),
            AstKind::JSXExpressionContainer(_) => true,
            _ => false,
        };
        values.retain(|value| self.is_used_as_other(value, is_foreign_call));
        values.into_iter().map(GetSpan::span).collect()
    }

    /// Returns whether a callee belongs to a package. Arguments of such functions are found by their callee.
    fn is_foreign_callee(&self, callee: &'w Expression<'w>) -> bool {
        matches!(self.checker.expression_type(OPEN_DOCUMENT, callee), Ty::External)
    }

    fn is_used_as_other(&self, value: &'w Expression<'w>, is_foreign_call: bool) -> bool {
        let name = self.wanted.name.as_str();
        if !self.is_own(value) {
            return false;
        }
        let context = self.checker.contextual_type(OPEN_DOCUMENT, value.node_id());
        if self.has_wanted(&context) {
            return false;
        }
        context.alternatives().iter().any(|context| match context {
            Ty::Platform => builtins::platform_has_member(name),
            Ty::External => !is_foreign_call,
            Ty::Instance(..) | Ty::Literal(..) => self.has_other(context),
            _ => false,
        })
    }

    /// Returns whether a value is an instance of a class, interface or type literal with the wanted member.
    fn is_own(&self, value: &'w Expression<'w>) -> bool {
        let ty = self.checker.expression_type(OPEN_DOCUMENT, value);
        ty.alternatives().iter().any(|ty| match ty {
            Ty::Instance(owner, _) => self.has_wanted(ty) && !self.extends_platform(*owner),
            Ty::Literal(..) => self.has_wanted(ty),
            _ => false,
        })
    }

    /// Returns whether a class extends a type of the platform. Its members are listed where they are declared.
    fn extends_platform(&self, owner: Owner) -> bool {
        self.checker.bases(owner, &None).iter().any(|base| match base {
            Ty::Platform => true,
            Ty::Instance(base, _) => self.checker.with_depth(false, || self.extends_platform(*base)),
            _ => false,
        })
    }

    fn has_wanted(&self, ty: &Ty<'w>) -> bool {
        let closure = self.closure(&self.checker.props(ty, &self.wanted.name).sites());
        self.wanted.sites.iter().any(|site| closure.contains(site))
    }

    /// Returns whether another declaration of the program gives the type a member with the name.
    fn has_other(&self, ty: &Ty<'w>) -> bool {
        let props = self.checker.props(ty, &self.wanted.name);
        !props.sites().is_empty() && !props.may_have_more
    }

    fn closure(&self, sites: &[Site]) -> Vec<Site> {
        self.checker.with_overridden_sites(sites, &self.wanted.name)
    }
}

/// Returns whether an expression may have a declared type.
fn can_have_declared_type(value: &Expression<'_>) -> bool {
    matches!(
        value.get_inner_expression(),
        Expression::Identifier(_)
            | Expression::ThisExpression(_)
            | Expression::StaticMemberExpression(_)
            | Expression::CallExpression(_)
            | Expression::NewExpression(_)
            | Expression::AwaitExpression(_)
    )
}
