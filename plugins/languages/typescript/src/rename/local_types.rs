//! Types that are local to callbacks, such as the classes in two tests: `it("a", () => { class A { … } })`.

use oxc_ast::AstKind;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::program::ids::Site;
use crate::program::module::Module;

impl Checker<'_> {
    /// Returns whether two members are declared in different callbacks whose results nothing uses. Neither type can
    /// then be named, or be the type of a value, where the other one is visible, so they are unrelated.
    pub(super) fn are_in_separate_callbacks(&self, one: (Site, &str), other: (Site, &str)) -> bool {
        let (Some(first), Some(second)) = (self.callback_around(one), self.callback_around(other)) else {
            return false;
        };
        if one.0.module != other.0.module {
            return true;
        }
        let module = self.module(one.0.module);
        let contains = |outer: NodeId, inner: NodeId| module.self_and_ancestors(inner).any(|around| around == outer);
        !contains(first, second) && !contains(second, first)
    }

    /// Returns the innermost function around the declaration of a member, if it is an argument of a call whose result is
    /// not used.
    fn callback_around(&self, (site, name): (Site, &str)) -> Option<NodeId> {
        if site == Site::WATCHED {
            return None;
        }
        let module = self.module(site.module);
        let declaration = self.member_declared_at(site, name)?;
        let is_type = |around: &NodeId| {
            matches!(module.kind(*around), AstKind::Class(class) if class.is_declaration())
                || matches!(
                    module.kind(*around),
                    AstKind::TSInterfaceDeclaration(_) | AstKind::TSTypeAliasDeclaration(_)
                )
        };
        let owner = module.self_and_ancestors(declaration).find(is_type)?;
        let is_function = |around: &NodeId| {
            matches!(module.kind(*around), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_))
        };
        let function = module.self_and_ancestors(owner).find(is_function)?;
        is_discarded_callback(&module, function).then_some(function)
    }
}

/// Returns whether a function is an argument of a call that is a statement.
fn is_discarded_callback(module: &Module<'_>, function: NodeId) -> bool {
    let call = module.parent(function);
    let AstKind::CallExpression(it) = module.kind(call) else { return false };
    let is_argument = it.arguments.iter().any(|given| given.span() == module.kind(function).span());
    is_argument
        && match module.parent_kind(call) {
            AstKind::ExpressionStatement(_) => true,
            AstKind::AwaitExpression(_) => {
                matches!(module.parent_kind(module.parent(call)), AstKind::ExpressionStatement(_))
            }
            _ => false,
        }
}
