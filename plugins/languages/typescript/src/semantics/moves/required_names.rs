//! Moved names in the uses of a module that `require` loads as a whole: `const { a } = require("x")`, `x.a`.

use marquetry_sdk::{Failure, Result};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use crate::program::module::Module;
use crate::semantics::effects::is_written;
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::refusal_at;

/// Creates the refusal of a use of the whole original module.
pub(crate) fn whole_module_refusal(at: Span) -> Failure {
    refusal_at("the original module is imported as a whole here", at)
        .hint("first import the names individually with an import declaration")
}

/// Moved names that an expression for the original module uses.
pub(crate) enum MovedUse<'w> {
    /// The expression uses no moved name.
    Absent,
    /// The expression uses only moved names.
    Only,
    /// A pattern with other names. The properties of the moved names are removed.
    Pattern { statement: Span, keyword: &'static str, gone: Vec<Span>, object: &'w ObjectPattern<'w> },
    /// Members of a variable, next to uses of other members.
    Members { statement: Span, keyword: &'static str, members: Vec<&'w StaticMemberExpression<'w>> },
}

/// Returns the moved names that an expression for the original module uses. Fails if it may use any name.
pub(crate) fn moved_use<'w>(here: &Module<'w>, node: NodeId, is_moved: &dyn Fn(&str) -> bool) -> Result<MovedUse<'w>> {
    let mut at = node;
    while let AstKind::ParenthesizedExpression(_) = here.parent_kind(at) {
        at = here.parent(at);
    }
    let own = here.kind(at).span();
    match here.parent_kind(at) {
        AstKind::ExpressionStatement(_) => Ok(MovedUse::Absent),
        AstKind::StaticMemberExpression(member) if member.object.span() == own => {
            if !is_moved(&member.property.name) {
                return Ok(MovedUse::Absent);
            }
            check_read(here, member)?;
            Ok(MovedUse::Only)
        }
        AstKind::VariableDeclarator(variable) => {
            let AstKind::VariableDeclaration(variables) = here.parent_kind(here.parent(at)) else {
                return Err(whole_module_refusal(own));
            };
            let (statement, keyword) = (variables.span, variables.kind.as_str());
            match &variable.id {
                BindingPattern::ObjectPattern(object) => {
                    let gone = moved_properties(object, is_moved)?;
                    Ok(match gone.len() {
                        0 => MovedUse::Absent,
                        count if count == object.properties.len() => MovedUse::Only,
                        _ => MovedUse::Pattern { statement, keyword, gone, object },
                    })
                }
                BindingPattern::BindingIdentifier(local) => {
                    let (members, others) = moved_members(here, local, is_moved)?;
                    Ok(match (members.is_empty(), others) {
                        (true, _) => MovedUse::Absent,
                        (false, false) => MovedUse::Only,
                        (false, true) => MovedUse::Members { statement, keyword, members },
                    })
                }
                _ => Err(whole_module_refusal(own)),
            }
        }
        _ => Err(whole_module_refusal(own)),
    }
}

/// Returns the spans of the properties that take moved names. Fails if the pattern may take any name.
fn moved_properties(object: &ObjectPattern<'_>, is_moved: &dyn Fn(&str) -> bool) -> Result<Vec<Span>> {
    let mut gone = Vec::new();
    for property in &object.properties {
        let Some(name) = property.key.static_name() else { return Err(whole_module_refusal(property.span)) };
        if is_moved(&name.display().to_string()) {
            gone.push(property.span);
        }
    }
    match &object.rest {
        Some(rest) => Err(whole_module_refusal(rest.span)),
        None => Ok(gone),
    }
}

/// Returns the accesses of moved members of a variable, and whether it is used for other members. Fails if it may be
/// used for any member.
pub(crate) fn moved_members<'w>(
    here: &Module<'w>,
    local: &BindingIdentifier<'_>,
    is_moved: &dyn Fn(&str) -> bool,
) -> Result<(Vec<&'w StaticMemberExpression<'w>>, bool)> {
    let (mut members, mut others) = (Vec::new(), false);
    let Some(symbol) = local.symbol_id.get() else { return Ok((members, others)) };
    for (node, own) in here.references_of(symbol) {
        match here.parent_kind(node) {
            AstKind::StaticMemberExpression(member) if member.object.span() == own => {
                if is_moved(&member.property.name) {
                    check_read(here, member)?;
                    members.push(member);
                } else {
                    others = true;
                }
            }
            AstKind::VariableDeclarator(VariableDeclarator { id: BindingPattern::ObjectPattern(object), .. })
                if moved_properties(object, is_moved)?.is_empty() =>
            {
                others = true;
            }
            AstKind::ExpressionStatement(_) => others = true,
            _ => return Err(whole_module_refusal(own)),
        }
    }
    Ok((members, others))
}

/// Refuses a member that is assigned, changed or deleted: the module that exports it is another one after the move.
fn check_read(here: &Module<'_>, member: &StaticMemberExpression<'_>) -> Result<()> {
    let around = here.parent_kind(member.node_id.get());
    if !is_written(&around, member.span) {
        return Ok(());
    }
    let message = format!("`{}`, which is moved, is assigned or deleted here", member.property.name);
    Err(refusal_at(message, member.span).hint("first remove this change of the export"))
}

/// Returns whether a declared name is a function whose code uses `this`.
pub(crate) fn uses_this(module: &Module<'_>, name: &str) -> bool {
    let Some(symbol) = module.scoping().get_root_binding(Ident::from(name)) else { return false };
    module.declarations(symbol).into_iter().any(|declaration| {
        let function = match module.kind(declaration) {
            AstKind::Function(function) => Some(function),
            AstKind::VariableDeclarator(variable) => {
                match variable.init.as_ref().map(Expression::without_parentheses) {
                    Some(Expression::FunctionExpression(function)) => Some(&**function),
                    _ => None,
                }
            }
            _ => None,
        };
        function.is_some_and(|it| CallContext::from_function(FunctionNode::Function(it)).this.is_some())
    })
}
