//! Written contextual types that the checker cannot evaluate.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::ty::{Props, Signature, Source};
use crate::infer::values::is_const;
use crate::rename::data_flow::StringFlow;

impl<'w> StringFlow<'_, 'w> {
    /// Returns whether a text or the literal around it has a written contextual type that refers to declared types.
    pub(super) fn has_written_context(&self, module: u32, node: NodeId) -> bool {
        let loaded = self.checker.module(module);
        let mut at = node;
        loop {
            let parent = loaded.parent(at);
            let span = loaded.kind(at).span();
            let written = |ty: &'w TSType<'w>| refers_to_declared_types(self.checker, module, ty);
            let annotated = |annotation: Option<&'w TSTypeAnnotation<'w>>| {
                annotation.is_some_and(|annotation| written(&annotation.type_annotation))
            };
            match loaded.kind(parent) {
                AstKind::ObjectProperty(property) if property.value.span() == span => {}
                AstKind::ObjectExpression(_)
                | AstKind::ArrayExpression(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::JSXExpressionContainer(_)
                | AstKind::LogicalExpression(_) => {}
                AstKind::ConditionalExpression(choice) if choice.test.span() != span => {}
                AstKind::TSAsExpression(cast) if is_const(&cast.type_annotation) => {}
                AstKind::TSAsExpression(cast) => return written(&cast.type_annotation),
                AstKind::TSTypeAssertion(cast) => return written(&cast.type_annotation),
                AstKind::TSSatisfiesExpression(cast) => return written(&cast.type_annotation),
                AstKind::VariableDeclarator(it) => return annotated(it.type_annotation.as_deref()),
                AstKind::PropertyDefinition(it) => return annotated(it.type_annotation.as_deref()),
                AstKind::AccessorProperty(it) => return annotated(it.type_annotation.as_deref()),
                AstKind::FormalParameter(it) => return annotated(it.type_annotation.as_deref()),
                AstKind::CallExpression(call) if call.callee.span() != span => {
                    let signatures =
                        self.checker.signatures(&self.checker.expression_type(module, &call.callee), false);
                    return self.is_expected_by_call(&signatures, &call.arguments, span);
                }
                AstKind::NewExpression(new) if new.callee.span() != span => {
                    let signatures = self.checker.signatures(&self.checker.expression_type(module, &new.callee), true);
                    return self.is_expected_by_call(&signatures, &new.arguments, span);
                }
                AstKind::JSXAttribute(attribute) => {
                    return self.is_expected_by_member(&self.checker.attribute_props(module, parent, attribute));
                }
                AstKind::AssignmentExpression(assignment) => {
                    let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else { return false };
                    let object = self.checker.expression_type(module, &member.object);
                    return self.is_expected_by_member(&self.checker.props(&object, member.property.name.as_str()));
                }
                AstKind::ReturnStatement(_) | AstKind::ArrowFunctionExpression(_) => {
                    return loaded.self_and_ancestors(parent).find_map(|around| match loaded.kind(around) {
                        AstKind::Function(it) => Some(annotated(it.return_type.as_deref())),
                        AstKind::ArrowFunctionExpression(it) => Some(annotated(it.return_type.as_deref())),
                        _ => None,
                    }) == Some(true);
                }
                _ => return false,
            }
            at = parent;
        }
    }

    fn is_expected_by_member(&self, props: &Props<'w>) -> bool {
        props.found.iter().any(|prop| match prop.source {
            Source::Type(module, ty, _) => refers_to_declared_types(self.checker, module, ty),
            _ => false,
        })
    }

    fn is_expected_by_call(
        &self,
        signatures: &[Signature<'w>],
        arguments: &[Argument<'w>],
        argument: oxc_span::Span,
    ) -> bool {
        let Some(index) = arguments.iter().position(|given| given.span() == argument) else { return false };
        signatures.iter().any(|signature| {
            let params = signature.callable.params();
            let annotation = match params.items.get(index) {
                Some(param) => param.type_annotation.as_deref(),
                None => params.rest.as_ref().and_then(|rest| rest.type_annotation.as_deref()),
            };
            annotation.is_some_and(|it| refers_to_declared_types(self.checker, signature.module, &it.type_annotation))
        })
    }
}

/// Returns whether a written type refers to declared types or to keys, not only to built-in types.
pub(super) fn refers_to_declared_types<'w>(checker: &Checker<'w>, module: u32, ty: &'w TSType<'w>) -> bool {
    let mut names = TypeReferenceSearch { checker, module, found: false };
    names.visit_ts_type(ty);
    names.found
}

struct TypeReferenceSearch<'s, 'w> {
    checker: &'s Checker<'w>,
    module: u32,
    found: bool,
}

impl<'w> Visit<'w> for TypeReferenceSearch<'_, 'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        self.found |= match kind {
            AstKind::IdentifierReference(name) => self.checker.resolve_identifier(self.module, name).is_some(),
            AstKind::TSTypeOperator(operator) => operator.operator == TSTypeOperatorOperator::Keyof,
            AstKind::TSConditionalType(_) | AstKind::TSImportType(_) => true,
            _ => false,
        };
    }
}
