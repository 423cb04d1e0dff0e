//! Contextual types: the type that an expression or parameter is expected to have.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::calls::Given;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Callable, Signature, Substitution, Ty, TypeArguments, key_name};
use crate::infer::values::is_const;
use crate::syntax::module_calls::call_kind;

impl<'w> Checker<'w> {
    /// Returns the contextual type of an expression. `Plain` if the context does not define one.
    pub(crate) fn contextual(&self, module: u32, node: NodeId) -> Ty<'w> {
        self.deeper(Ty::Unknown, || self.contextual_now(module, node))
    }

    fn contextual_now(&self, module: u32, node: NodeId) -> Ty<'w> {
        let held = self.module(module);
        let parent = held.parent(node);
        let span = held.kind(node).span();
        let annotation = |annotation: &'w Option<oxc_allocator::Box<'w, TSTypeAnnotation<'w>>>| match annotation {
            Some(annotation) => self.annotated(module, &annotation.type_annotation, &None),
            None => Ty::Plain,
        };
        match held.kind(parent) {
            AstKind::VariableDeclarator(variable) => annotation(&variable.type_annotation),
            AstKind::PropertyDefinition(property) if property.key.span() != span => {
                annotation(&property.type_annotation)
            }
            AstKind::AccessorProperty(property) if property.key.span() != span => annotation(&property.type_annotation),
            AstKind::FormalParameter(parameter) => annotation(&parameter.type_annotation),
            AstKind::AssignmentExpression(assignment) if assignment.right.span() == span => {
                self.target(module, &assignment.left)
            }
            AstKind::AssignmentPattern(pattern) if pattern.right.span() == span => self.bound(module, parent),
            AstKind::AssignmentTargetWithDefault(target) if target.init.span() == span => self.bound(module, parent),
            AstKind::CallExpression(call) if call.callee.span() != span => self.taken_by_call(module, call, span),
            AstKind::NewExpression(new) if new.callee.span() != span => {
                let given = Given { module, types: new.type_arguments.as_deref(), values: &new.arguments };
                let signatures = self.signatures(&self.value(module, &new.callee), true);
                self.argument(&signatures, &given, span)
            }
            AstKind::ReturnStatement(_) => self.wanted_return(module, parent),
            AstKind::ArrowFunctionExpression(_) => self.wanted_return_of(module, parent),
            AstKind::ObjectProperty(property) if property.value.span() == span => {
                let object = self.contextual(module, held.parent(parent));
                key_name(&property.key).map_or(Ty::Unknown, |name| self.member_type(&object, &name))
            }
            AstKind::ArrayExpression(array) => {
                let at = array.elements.iter().position(|element| element.span() == span);
                match (self.contextual(module, parent), at) {
                    (Ty::Tuple(elements), Some(at)) => elements.get(at).cloned().unwrap_or(Ty::Plain),
                    (other, _) => self.element(&other),
                }
            }
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::AwaitExpression(_) => self.contextual(module, parent),
            AstKind::SequenceExpression(sequence) => match sequence.expressions.last() {
                Some(last) if last.span() == span => self.contextual(module, parent),
                _ => Ty::Plain,
            },
            AstKind::ConditionalExpression(choice) if choice.test.span() != span => self.contextual(module, parent),
            AstKind::TSAsExpression(cast) => self.cast_context(module, parent, &cast.type_annotation),
            AstKind::TSTypeAssertion(cast) => self.cast_context(module, parent, &cast.type_annotation),
            AstKind::TSSatisfiesExpression(cast) => self.annotated(module, &cast.type_annotation, &None),
            AstKind::JSXAttribute(attribute) => self.attribute_type(module, parent, attribute),
            AstKind::JSXExpressionContainer(_) => self.contextual(module, parent),
            AstKind::JSXSpreadAttribute(_) => match held.parent_kind(parent) {
                AstKind::JSXOpeningElement(element) => self.component_props(module, element),
                _ => Ty::Plain,
            },
            AstKind::BinaryExpression(binary) if binary.operator.is_equality() => {
                let other = if binary.left.span() == span { &binary.right } else { &binary.left };
                self.value(module, other)
            }
            AstKind::SwitchCase(_) => match held.parent_kind(parent) {
                AstKind::SwitchStatement(switch) => self.value(module, &switch.discriminant),
                _ => Ty::Plain,
            },
            _ => Ty::Plain,
        }
    }

    fn cast_context(&self, module: u32, parent: NodeId, ty: &'w TSType<'w>) -> Ty<'w> {
        if is_const(ty) { self.contextual(module, parent) } else { self.annotated(module, ty, &None) }
    }

    /// Returns the type of an assignment target.
    pub(crate) fn target(&self, module: u32, target: &'w AssignmentTarget<'w>) -> Ty<'w> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => match self.resolved(module, name) {
                Some(symbol) => self.symbol_type(module, symbol),
                None => Ty::Unknown,
            },
            // `module.exports` has the type of the value that is assigned to it.
            AssignmentTarget::StaticMemberExpression(member) if self.is_own_exports(module, member) => Ty::Plain,
            AssignmentTarget::StaticMemberExpression(member) => {
                let object = self.value(module, &member.object);
                self.member_type(&object, member.property.name.as_str())
            }
            AssignmentTarget::PrivateFieldExpression(member) => {
                let object = self.value(module, &member.object);
                self.member_type(&object, &format!("#{}", member.field.name))
            }
            AssignmentTarget::ComputedMemberExpression(member) => match self.value(module, &member.expression) {
                Ty::Text(name, _) => {
                    let object = self.value(module, &member.object);
                    self.member_type(&object, name)
                }
                _ => self.element(&self.value(module, &member.object)),
            },
            _ => Ty::Unknown,
        }
    }

    /// Returns whether the expression is `module.exports`.
    pub(crate) fn is_own_exports(&self, module: u32, member: &'w StaticMemberExpression<'w>) -> bool {
        let Expression::Identifier(name) = &member.object else { return false };
        name.name == "module" && member.property.name == "exports" && self.resolved(module, name).is_none()
    }

    /// Returns the type of the parameter for an argument.
    fn argument(&self, signatures: &[Signature<'w>], given: &Given<'w>, span: oxc_span::Span) -> Ty<'w> {
        if signatures.is_empty() {
            return Ty::Unknown;
        }
        let Some(index) = given.values.iter().position(|value| value.span() == span) else { return Ty::Plain };
        let wants = |signature: &Signature<'w>| {
            let substitution = match given.types {
                Some(_) => self.offered(signature, given),
                None if is_text(given.values.get(index)) => self.offered(signature, given),
                // Inferring the type from this argument would be circular.
                None => signature.substitution.clone(),
            };
            self.wanted(&Signature { substitution, ..signature.clone() }, index)
        };
        Ty::either(signatures.iter().map(wants))
    }

    /// Returns the substitution with types that a caller may pass for type parameters: types inferred from the other
    /// arguments, and constraints. For a string argument, both its own type and the constraint are needed, because only
    /// the constraint shows that it is a key.
    fn offered(&self, signature: &Signature<'w>, given: &Given<'w>) -> Substitution<'w> {
        let mut substitution = self.inferred(signature, given);
        let Some(parameters) = signature.callable.type_parameters() else { return substitution };
        for parameter in &parameters.params {
            let (Some(symbol), Some(constraint)) = (parameter.name.symbol_id.get(), &parameter.constraint) else {
                continue;
            };
            let key = (signature.module, symbol);
            let known = |meaning: &TypeArguments<'w>| meaning.parameters.iter().find(|(it, _)| *it == key).cloned();
            let inferred = substitution.as_deref().and_then(known).map(|(_, ty)| ty);
            let is_texts = |ty: &Ty<'w>| ty.alternatives().iter().all(|ty| matches!(ty, Ty::Text(..) | Ty::Plain));
            if inferred.as_ref().is_some_and(|ty| !is_texts(ty) && !ty.is_unknown()) {
                continue;
            }
            let must_be = self.annotated(signature.module, constraint, &substitution);
            let mut meaning = substitution.as_deref().cloned().unwrap_or_default();
            meaning.parameters.retain(|(it, _)| *it != key);
            meaning.parameters.push((key, Ty::either(inferred.into_iter().chain([must_be]))));
            substitution = Some(Rc::new(meaning));
        }
        substitution
    }

    /// Returns the type of the parameter at an index.
    pub(crate) fn wanted(&self, signature: &Signature<'w>, index: usize) -> Ty<'w> {
        let params = signature.callable.params();
        if let Some(param) = params.items.get(index) {
            return match &param.type_annotation {
                Some(annotation) => {
                    self.annotated(signature.module, &annotation.type_annotation, &signature.substitution)
                }
                None => match (&param.initializer, &param.pattern) {
                    (Some(init), _) => self.value(signature.module, init),
                    _ => Ty::Unknown,
                },
            };
        }
        match params.rest.as_ref().and_then(|rest| rest.type_annotation.as_ref()) {
            Some(annotation) => {
                self.element(&self.annotated(signature.module, &annotation.type_annotation, &signature.substitution))
            }
            None => Ty::Plain,
        }
    }

    /// Returns the expected type of a `return` value, from the surrounding function.
    fn wanted_return(&self, module: u32, node: NodeId) -> Ty<'w> {
        let held = self.module(module);
        let function = held
            .chain(node)
            .skip(1)
            .find(|around| matches!(held.kind(*around), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)));
        function.map_or(Ty::Plain, |function| self.wanted_return_of(module, function))
    }

    fn wanted_return_of(&self, module: u32, function: NodeId) -> Ty<'w> {
        let (callable, is_async) = match self.module(module).kind(function) {
            AstKind::Function(it) => (Callable::Function(it), it.r#async),
            AstKind::ArrowFunctionExpression(it) => (Callable::Arrow(it), it.r#async),
            _ => return Ty::Plain,
        };
        let wanted = match callable.return_type() {
            Some(annotation) => self.annotated(module, annotation, &None),
            None => {
                if let Some(replaced) = self.replaced_module(module, function) {
                    return replaced;
                }
                let signatures = self.signatures(&self.contextual(module, function), false);
                if signatures.is_empty() {
                    return Ty::Plain;
                }
                Ty::either(signatures.iter().map(|signature| self.returned(signature)))
            }
        };
        if is_async { self.awaited(&wanted) } else { wanted }
    }

    /// Returns the expected type of an argument of a call.
    fn taken_by_call(&self, module: u32, call: &'w CallExpression<'w>, argument: oxc_span::Span) -> Ty<'w> {
        if let Some(wanted) = self.put_into(module, call, argument) {
            return wanted;
        }
        let given = Given { module, types: call.type_arguments.as_deref(), values: &call.arguments };
        let signatures = self.signatures(&self.value(module, &call.callee), false);
        self.argument(&signatures, &given, argument)
    }

    /// Returns the type of an argument of a platform container's method: `list.push(x)`, `map.set(key, x)`.
    fn put_into(&self, module: u32, call: &'w CallExpression<'w>, argument: oxc_span::Span) -> Option<Ty<'w>> {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let index = call.arguments.iter().position(|given| given.span() == argument)?;
        let method = member.property.name.as_str();
        if !builtins::takes_contents(method) {
            return None;
        }
        let Ty::Builtin(container, inner) = self.value(module, &member.object) else { return None };
        match (container, method, index) {
            (Builtin::Map, "set", 1) => inner.get(1).cloned(),
            (Builtin::Map, "set" | "get" | "has" | "delete", 0) => inner.first().cloned(),
            (Builtin::Set, "add" | "has" | "delete", 0) => inner.first().cloned(),
            (Builtin::Array, "push" | "unshift", _) => inner.first().cloned(),
            (Builtin::Array, "includes" | "indexOf" | "lastIndexOf" | "fill", 0) => inner.first().cloned(),
            (Builtin::Array, "with", 1) => inner.first().cloned(),
            _ => None,
        }
    }

    /// Returns the module that the result of a function replaces: `vi.mock("./x", () => ({ … }))`.
    fn replaced_module(&self, module: u32, function: NodeId) -> Option<Ty<'w>> {
        let held = self.module(module);
        let AstKind::CallExpression(call) = held.parent_kind(function) else { return None };
        let factory = call.arguments.get(1)?;
        if factory.span() != held.kind(function).span() || call_kind(&call.callee) != Some("mock") {
            return None;
        }
        let source = match call.arguments.first()? {
            Argument::StringLiteral(source) => source,
            Argument::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => source,
                _ => return None,
            },
            _ => return None,
        };
        Some(self.space(module, source.value.as_str()?))
    }

    /// Returns the type of a parameter without an annotation, from the contextual type of its function.
    pub(crate) fn contextual_parameter(&self, module: u32, parameter: NodeId) -> Ty<'w> {
        let held = self.module(module);
        let list = held.parent(parameter);
        let AstKind::FormalParameters(parameters) = held.kind(list) else { return Ty::Unknown };
        let span = held.kind(parameter).span();
        let Some(index) = parameters.items.iter().position(|item| item.span == span) else { return Ty::Unknown };
        let function = held.parent(list);
        if !matches!(held.kind(function), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)) {
            return Ty::Unknown;
        }
        if let Some(element) = self.callback_parameter(module, function, index) {
            return element;
        }
        let context = self.contextual(module, function);
        if let (Ty::Builtin(Builtin::Component, inner), 0) = (&context, index) {
            return inner.first().cloned().unwrap_or(Ty::Unknown);
        }
        let signatures = self.signatures(&context, false);
        if signatures.is_empty() {
            return Ty::Unknown;
        }
        Ty::either(signatures.iter().map(|signature| self.wanted(signature, index)))
    }

    /// Returns the type of a callback parameter of a platform method: `list.map(item => …)`, `promise.then(value =>
    /// …)`.
    fn callback_parameter(&self, module: u32, function: NodeId, index: usize) -> Option<Ty<'w>> {
        let held = self.module(module);
        let AstKind::CallExpression(call) = held.parent_kind(function) else { return None };
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let first = call.arguments.first()?.span() == held.kind(function).span();
        let Ty::Builtin(container, inner) = self.value(module, &member.object) else { return None };
        let method = member.property.name.as_str();
        if !first {
            return None;
        }
        match (container, method) {
            (Builtin::Promise, "then") if index == 0 => {
                Some(self.awaited(&inner.first().cloned().unwrap_or(Ty::Unknown)))
            }
            (Builtin::Map, "forEach") => inner.get(1 - index.min(1)).cloned(),
            (Builtin::Array, "reduce") if index == 0 => {
                let start = call.arguments.get(1).and_then(Argument::as_expression);
                Some(
                    start.map_or_else(
                        || inner.first().cloned().unwrap_or(Ty::Unknown),
                        |start| self.value(module, start),
                    ),
                )
            }
            _ if builtins::callback_elements(container, method).contains(&index) => inner.first().cloned(),
            (Builtin::Array, _) if index == 1 => Some(Ty::Plain),
            _ => Some(Ty::Unknown),
        }
    }
}

/// Returns whether an argument is a string literal, whose type does not determine the function's other parameters.
fn is_text(argument: Option<&Argument<'_>>) -> bool {
    argument.and_then(Argument::as_expression).is_some_and(is_made_of_texts)
}

fn is_made_of_texts(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => true,
        Expression::ConditionalExpression(it) => is_made_of_texts(&it.consequent) && is_made_of_texts(&it.alternate),
        Expression::ArrayExpression(it) => it.elements.iter().all(|element| match element {
            ArrayExpressionElement::SpreadElement(_) | ArrayExpressionElement::Elision(_) => true,
            other => other.as_expression().is_some_and(is_made_of_texts),
        }),
        _ => false,
    }
}
