//! Prints contextual types.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, key_name};
use crate::infer::type_printer::PrintedType;
use crate::infer::values::is_const;
use crate::program::ids::OPEN_DOCUMENT;

impl<'w> Checker<'w> {
    /// Returns the contextual type of an expression of the open document.
    pub(crate) fn print_contextual_type(&self, node: NodeId) -> Option<PrintedType> {
        self.with_depth(None, || self.compute_printed_context(node))
    }

    fn compute_printed_context(&self, node: NodeId) -> Option<PrintedType> {
        let loaded = self.open_module();
        let parent = loaded.parent(node);
        let span = loaded.kind(node).span();
        let annotation = |annotation: &'w Option<oxc_allocator::Box<'w, TSTypeAnnotation<'w>>>| {
            self.print_annotation(OPEN_DOCUMENT, &annotation.as_ref()?.type_annotation)
        };
        match loaded.kind(parent) {
            AstKind::VariableDeclarator(it) => annotation(&it.type_annotation),
            AstKind::PropertyDefinition(it) if it.key.span() != span => annotation(&it.type_annotation),
            AstKind::AccessorProperty(it) if it.key.span() != span => annotation(&it.type_annotation),
            AstKind::FormalParameter(it) => annotation(&it.type_annotation),
            AstKind::AssignmentExpression(it) if it.right.span() == span => self.print_assignment_target(&it.left),
            AstKind::ParenthesizedExpression(_) | AstKind::TSNonNullExpression(_) => self.print_contextual_type(parent),
            AstKind::ConditionalExpression(it) if it.test.span() != span => self.print_contextual_type(parent),
            AstKind::LogicalExpression(_) => self.print_contextual_type(parent),
            AstKind::TSAsExpression(it) if !is_const(&it.type_annotation) => {
                self.print_annotation(OPEN_DOCUMENT, &it.type_annotation)
            }
            AstKind::TSTypeAssertion(it) if !is_const(&it.type_annotation) => {
                self.print_annotation(OPEN_DOCUMENT, &it.type_annotation)
            }
            AstKind::TSSatisfiesExpression(it) => self.print_annotation(OPEN_DOCUMENT, &it.type_annotation),
            AstKind::ReturnStatement(_) | AstKind::ArrowFunctionExpression(_) => {
                self.print_return_context(node, parent)
            }
            AstKind::CallExpression(it) if it.callee.span() != span => self.print_argument_context(it, span),
            AstKind::NewExpression(it) if it.callee.span() != span => {
                let signatures = self.signatures(&self.expression_type(OPEN_DOCUMENT, &it.callee), true);
                let [signature] = signatures.as_slice() else { return None };
                let index = it.arguments.iter().position(|argument| argument.span() == span)?;
                let param = signature.callable.params().items.get(index)?;
                self.print_annotation(signature.module, &param.type_annotation.as_ref()?.type_annotation)
            }
            AstKind::ObjectProperty(it) if it.value.span() == span => {
                self.print_member(&self.contextual_type(OPEN_DOCUMENT, loaded.parent(parent)), &key_name(&it.key)?)
            }
            _ => None,
        }
    }

    fn print_assignment_target(&self, target: &'w AssignmentTarget<'w>) -> Option<PrintedType> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                let declared = self.print_symbol(OPEN_DOCUMENT, self.resolve_identifier(OPEN_DOCUMENT, name)?);
                // A nullable declared type is less specific than the type of the value.
                declared.filter(|declared| !declared.is_nullable())
            }
            AssignmentTarget::StaticMemberExpression(it) => {
                self.print_member(&self.expression_type(OPEN_DOCUMENT, &it.object), it.property.name.as_str())
            }
            _ => None,
        }
    }

    /// Returns the return type of the surrounding function. An async function can also return a promise of it, so the
    /// type is only known for values that are certainly not promises.
    fn print_return_context(&self, value: NodeId, node: NodeId) -> Option<PrintedType> {
        let loaded = self.open_module();
        let is_no_promise = matches!(
            loaded.kind(value),
            AstKind::ObjectExpression(_)
                | AstKind::ArrayExpression(_)
                | AstKind::StringLiteral(_)
                | AstKind::NumericLiteral(_)
                | AstKind::BooleanLiteral(_)
                | AstKind::TemplateLiteral(_)
                | AstKind::ArrowFunctionExpression(_)
                | AstKind::Function(_)
                | AstKind::AwaitExpression(_)
        );
        let is_function = |kind: AstKind<'w>| match kind {
            AstKind::Function(it) if !it.generator => Some((it.return_type.as_deref(), it.r#async)),
            AstKind::ArrowFunctionExpression(it) => Some((it.return_type.as_deref(), it.r#async)),
            AstKind::Function(_) => Some((None, false)),
            _ => None,
        };
        let mut around = loaded.self_and_ancestors(node);
        let (annotation, is_async) = around.find_map(|around| is_function(loaded.kind(around)))?;
        let returned = &annotation?.type_annotation;
        match is_async {
            true if is_no_promise => self.print_annotation(OPEN_DOCUMENT, promise_argument(returned)?),
            true => None,
            false => self.print_annotation(OPEN_DOCUMENT, returned),
        }
    }

    /// Returns the type of the parameter for an argument.
    fn print_argument_context(&self, call: &'w CallExpression<'w>, argument: oxc_span::Span) -> Option<PrintedType> {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && matches!(&member.object, Expression::Identifier(name)
                if name.name == "console" && self.resolve_identifier(OPEN_DOCUMENT, name).is_none())
        {
            return Some(PrintedType::plain("any"));
        }
        let signatures = self.signatures(&self.expression_type(OPEN_DOCUMENT, &call.callee), false);
        let [signature] = signatures.as_slice() else { return None };
        let index = call.arguments.iter().position(|given| given.span() == argument)?;
        if is_function(&call.callee) {
            // A function that is called immediately takes the types of its arguments.
            return self.print_value(OPEN_DOCUMENT, call.arguments.get(index)?.as_expression()?);
        }
        let param = signature.callable.params().items.get(index)?;
        let Some(annotation) = &param.type_annotation else {
            let implicit = param.initializer.is_none() && param.pattern.is_binding_identifier();
            return implicit.then(|| PrintedType::plain("any"));
        };
        let printed = self.print_annotation(signature.module, &annotation.type_annotation)?;
        // A type parameter of the called function has no meaning here.
        let own = signature.callable.type_parameters();
        let is_generic = own.is_some() || signature.substitution.is_some();
        (!is_generic).then_some(printed)
    }

    /// Returns whether a function has no contextual type, so that its parameters are `any`.
    pub(super) fn has_no_context(&self, module: u32, parameter: NodeId) -> bool {
        let loaded = self.module(module);
        let function = loaded.parent(loaded.parent(parameter));
        match (loaded.kind(function), loaded.parent_kind(function)) {
            (AstKind::Function(it), _) if it.r#type == FunctionType::FunctionDeclaration => true,
            (_, AstKind::VariableDeclarator(it)) => it.type_annotation.is_none(),
            (_, AstKind::CallExpression(it)) => is_function(&it.callee),
            (_, AstKind::MethodDefinition(_)) => {
                let around = loaded.self_and_ancestors(function).nth(3).map(|class| loaded.kind(class));
                matches!(around, Some(AstKind::Class(class)) if class.heritage.is_none() && class.implements.is_empty())
            }
            _ => false,
        }
    }

    /// Returns the type of a callback parameter of a list method: `list.map(item => …)`.
    pub(super) fn print_callback_parameter(&self, module: u32, parameter: NodeId) -> Option<PrintedType> {
        let loaded = self.module(module);
        let list = loaded.parent(parameter);
        let AstKind::FormalParameters(parameters) = loaded.kind(list) else { return None };
        let span = loaded.kind(parameter).span();
        let index = parameters.items.iter().position(|item| item.span == span)?;
        let function = loaded.parent(list);
        let AstKind::CallExpression(call) = loaded.parent_kind(function) else { return None };
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        if call.arguments.first()?.span() != loaded.kind(function).span() {
            return None;
        }
        let method = member.property.name.as_str();
        let elements = builtins::callback_element_indices(Builtin::Array, method);
        if elements.contains(&index) {
            return self.print_element(module, &member.object);
        }
        let is_list = self.print_value(module, &member.object).is_some_and(|list| list.text.ends_with("[]"));
        (is_list && index == 1 && elements == [0]).then(|| PrintedType::plain("number"))
    }
}

/// Returns `T` of a type that is written as `Promise<T>`.
fn promise_argument<'w>(ty: &'w TSType<'w>) -> Option<&'w TSType<'w>> {
    let TSType::TSTypeReference(reference) = ty else { return None };
    let is_promise = matches!(&reference.type_name, TSTypeName::IdentifierReference(name) if name.name == "Promise");
    reference.type_arguments.as_ref().filter(|_| is_promise)?.params.first()
}

/// Returns whether an expression is a function expression.
fn is_function(value: &Expression<'_>) -> bool {
    matches!(value.get_inner_expression(), Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
}
