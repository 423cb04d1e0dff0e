//! Contextual types: the type that an expression or parameter is expected to have.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::calls::CallArguments;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Callable, Signature, Substitution, Ty, TypeArguments, key_name};
use crate::infer::values::is_const;
use crate::syntax::module_calls::call_kind;

impl<'w> Checker<'w> {
    /// Returns the contextual type of an expression. `Primitive` if the context does not define one.
    pub(crate) fn contextual_type(&self, module: u32, node: NodeId) -> Ty<'w> {
        self.with_depth(Ty::Unknown, || self.compute_contextual_type(module, node))
    }

    /// Returns the type of the values that `new Map<K, V>(values)` or `new Set<V>(values)` expects. `None` for other
    /// classes, and if neither type arguments nor the context name the type.
    fn collection_values(&self, module: u32, node: NodeId, new: &'w NewExpression<'w>) -> Option<Ty<'w>> {
        let Expression::Identifier(name) = &new.callee else { return None };
        let is_collection = matches!(name.name.as_str(), "Map" | "Set" | "WeakMap" | "WeakSet");
        if !is_collection || self.resolve_identifier(module, name).is_some() {
            return None;
        }
        let given = self.type_arguments(module, new.type_arguments.as_deref(), &None);
        let collection = if given.is_empty() {
            let context = self.contextual_type(module, node);
            let mut known = context.alternatives().iter();
            known.find(|ty| matches!(ty, Ty::Builtin(Builtin::Map | Builtin::Set, _)))?.clone()
        } else {
            builtins::type_named(name.name.as_str(), given)
        };
        Some(Ty::array(self.element_type(&collection)))
    }

    /// Returns the contextual type of an element of an array literal.
    fn array_element_context(
        &self,
        module: u32,
        (node, array): (NodeId, &ArrayExpression<'w>),
        element: oxc_span::Span,
    ) -> Ty<'w> {
        let at = array.elements.iter().position(|other| other.span() == element);
        match (self.contextual_type(module, node), at) {
            (Ty::Tuple(elements), Some(at)) => elements.get(at).cloned().unwrap_or(Ty::Primitive),
            (other, _) => self.element_type(&other),
        }
    }

    fn compute_contextual_type(&self, module: u32, node: NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        let parent = loaded.parent(node);
        let span = loaded.kind(node).span();
        let annotation = |annotation: &'w Option<oxc_allocator::Box<'w, TSTypeAnnotation<'w>>>| match annotation {
            Some(annotation) => self.annotation_type(module, &annotation.type_annotation, &None),
            None => Ty::Primitive,
        };
        match loaded.kind(parent) {
            AstKind::VariableDeclarator(variable) => annotation(&variable.type_annotation),
            AstKind::PropertyDefinition(property) if property.key.span() != span => {
                annotation(&property.type_annotation)
            }
            AstKind::AccessorProperty(property) if property.key.span() != span => annotation(&property.type_annotation),
            AstKind::FormalParameter(parameter) => annotation(&parameter.type_annotation),
            AstKind::AssignmentExpression(assignment) if assignment.right.span() == span => {
                self.target_type(module, &assignment.left)
            }
            AstKind::AssignmentPattern(pattern) if pattern.right.span() == span => self.binding_type(module, parent),
            AstKind::AssignmentTargetWithDefault(target) if target.init.span() == span => {
                self.binding_type(module, parent)
            }
            AstKind::CallExpression(call) if call.callee.span() != span => {
                self.call_argument_context(module, call, span)
            }
            AstKind::NewExpression(new) if let Some(values) = self.collection_values(module, parent, new) => values,
            AstKind::NewExpression(new) if new.callee.span() != span => {
                let given = CallArguments { module, types: new.type_arguments.as_deref(), values: &new.arguments };
                let signatures = self.signatures(&self.expression_type(module, &new.callee), true);
                self.argument_context(&signatures, &given, span, parent)
            }
            AstKind::ReturnStatement(_) => self.return_context(module, parent),
            AstKind::ArrowFunctionExpression(_) => self.function_return_context(module, parent),
            AstKind::ObjectProperty(property) if let Some(members) = self.watched_members(module, property) => members,
            AstKind::ObjectProperty(property) if property.value.span() == span => {
                let object = self.contextual_type(module, loaded.parent(parent));
                key_name(&property.key).map_or(Ty::Unknown, |name| self.member_type(&object, &name))
            }
            AstKind::ArrayExpression(array) => self.array_element_context(module, (parent, array), span),
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::AwaitExpression(_) => self.contextual_type(module, parent),
            AstKind::SequenceExpression(sequence) => match sequence.expressions.last() {
                Some(last) if last.span() == span => self.contextual_type(module, parent),
                _ => Ty::Primitive,
            },
            AstKind::ConditionalExpression(choice) if choice.test.span() != span => {
                self.contextual_type(module, parent)
            }
            AstKind::TSAsExpression(cast) => self.cast_context(module, parent, &cast.type_annotation),
            AstKind::TSTypeAssertion(cast) => self.cast_context(module, parent, &cast.type_annotation),
            AstKind::TSSatisfiesExpression(cast) => self.annotation_type(module, &cast.type_annotation, &None),
            AstKind::JSXAttribute(attribute) => self.attribute_type(module, parent, attribute),
            AstKind::JSXExpressionContainer(_) => self.contextual_type(module, parent),
            AstKind::JSXSpreadAttribute(_) => match loaded.parent_kind(parent) {
                AstKind::JSXOpeningElement(element) => self.component_props(module, element),
                _ => Ty::Primitive,
            },
            AstKind::BinaryExpression(binary) if binary.operator.is_equality() => {
                let other = if binary.left.span() == span { &binary.right } else { &binary.left };
                self.expression_type(module, other)
            }
            AstKind::SwitchCase(_) => match loaded.parent_kind(parent) {
                AstKind::SwitchStatement(switch) => self.expression_type(module, &switch.discriminant),
                _ => Ty::Primitive,
            },
            _ => Ty::Primitive,
        }
    }

    fn cast_context(&self, module: u32, parent: NodeId, ty: &'w TSType<'w>) -> Ty<'w> {
        if is_const(ty) { self.contextual_type(module, parent) } else { self.annotation_type(module, ty, &None) }
    }

    /// Returns the type of an assignment target.
    pub(crate) fn target_type(&self, module: u32, target: &'w AssignmentTarget<'w>) -> Ty<'w> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => match self.resolve_identifier(module, name) {
                Some(symbol) => self.symbol_type(module, symbol),
                None => self.global_value_type(&name.name),
            },
            // `module.exports` has the type of the value that is assigned to it.
            AssignmentTarget::StaticMemberExpression(member) if self.is_own_exports(module, member) => Ty::Primitive,
            AssignmentTarget::StaticMemberExpression(member) => {
                let object = self.expression_type(module, &member.object);
                self.member_type(&object, member.property.name.as_str())
            }
            AssignmentTarget::PrivateFieldExpression(member) => {
                let object = self.expression_type(module, &member.object);
                self.member_type(&object, &format!("#{}", member.field.name))
            }
            AssignmentTarget::ComputedMemberExpression(member) => {
                match self.expression_type(module, &member.expression) {
                    Ty::String(name, _) => {
                        let object = self.expression_type(module, &member.object);
                        self.member_type(&object, name)
                    }
                    _ => self.element_type(&self.expression_type(module, &member.object)),
                }
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns whether the expression is `module.exports`.
    pub(crate) fn is_own_exports(&self, module: u32, member: &'w StaticMemberExpression<'w>) -> bool {
        let Expression::Identifier(name) = &member.object else { return false };
        name.name == "module" && member.property.name == "exports" && self.resolve_identifier(module, name).is_none()
    }

    /// Returns the type of the parameter for an argument.
    fn argument_context(
        &self,
        signatures: &[Signature<'w>],
        given: &CallArguments<'w>,
        span: oxc_span::Span,
        call: NodeId,
    ) -> Ty<'w> {
        if signatures.is_empty() {
            return Ty::Unknown;
        }
        let Some(index) = given.values.iter().position(|value| value.span() == span) else { return Ty::Primitive };
        let wants = |signature: &Signature<'w>| {
            let substitution = match given.types {
                Some(_) => self.possible_substitution(signature, given),
                None if is_string_literal(given.values.get(index)) => self.possible_substitution(signature, given),
                // Inferring the type from this argument would be circular.
                None => {
                    let others = self.infer_from_others(signature, given, index);
                    self.with_free_parameters(signature, others, given.module, call)
                }
            };
            self.parameter_type_at(&Signature { substitution, ..signature.clone() }, index)
        };
        Ty::union_of(signatures.iter().map(wants))
    }

    /// Adds the type parameters that the other arguments do not determine: those that follow from the type that is
    /// expected of the result. If no type is expected, the argument determines them itself, so it is only limited by their
    /// constraints.
    fn with_free_parameters(
        &self,
        signature: &Signature<'w>,
        known: Substitution<'w>,
        module: u32,
        call: NodeId,
    ) -> Substitution<'w> {
        let Some(own) = signature.callable.type_parameters() else { return known };
        let expected = self.contextual_type(module, call);
        let is_free = matches!(expected, Ty::Primitive);
        let mut all = known.as_deref().cloned().unwrap_or_default();
        for parameter in &own.params {
            let Some(symbol) = parameter.name.symbol_id.get() else { continue };
            let key = (signature.module, symbol);
            if all.parameters.iter().any(|(it, _)| *it == key) {
                continue;
            }
            let limit = |constraint| self.annotation_type(signature.module, constraint, &known);
            let ty = match is_free {
                true => Some(parameter.constraint.as_ref().map_or(Ty::Primitive, limit)),
                false => self.infer_from_result(signature, symbol, &expected),
            };
            all.parameters.extend(ty.map(|ty| (key, ty)));
        }
        Some(Rc::new(all))
    }

    /// Returns the substitution with types that a caller may pass for type parameters: types inferred from the other
    /// arguments, and constraints. For a string argument, both its own type and the constraint are needed, because only
    /// the constraint shows that it is a key.
    fn possible_substitution(&self, signature: &Signature<'w>, given: &CallArguments<'w>) -> Substitution<'w> {
        let mut substitution = self.infer_substitution(signature, given);
        let Some(parameters) = signature.callable.type_parameters() else { return substitution };
        for parameter in &parameters.params {
            let (Some(symbol), Some(constraint)) = (parameter.name.symbol_id.get(), &parameter.constraint) else {
                continue;
            };
            let key = (signature.module, symbol);
            let known = |meaning: &TypeArguments<'w>| meaning.parameters.iter().find(|(it, _)| *it == key).cloned();
            let inferred = substitution.as_deref().and_then(known).map(|(_, ty)| ty);
            let is_texts =
                |ty: &Ty<'w>| ty.alternatives().iter().all(|ty| matches!(ty, Ty::String(..) | Ty::Primitive));
            if inferred.as_ref().is_some_and(|ty| !is_texts(ty) && !ty.is_unknown()) {
                continue;
            }
            let must_be = self.annotation_type(signature.module, constraint, &substitution);
            let mut meaning = substitution.as_deref().cloned().unwrap_or_default();
            meaning.parameters.retain(|(it, _)| *it != key);
            meaning.parameters.push((key, Ty::union_of(inferred.into_iter().chain([must_be]))));
            substitution = Some(Rc::new(meaning));
        }
        substitution
    }

    /// Returns the type of the parameter at an index.
    pub(crate) fn parameter_type_at(&self, signature: &Signature<'w>, index: usize) -> Ty<'w> {
        let params = signature.callable.params();
        if let Some(param) = params.items.get(index) {
            return match &param.type_annotation {
                Some(annotation) => {
                    self.annotation_type(signature.module, &annotation.type_annotation, &signature.substitution)
                }
                None => match (&param.initializer, &param.pattern) {
                    (Some(init), _) => self.expression_type(signature.module, init),
                    _ => Ty::Unknown,
                },
            };
        }
        match params.rest.as_ref().and_then(|rest| rest.type_annotation.as_ref()) {
            Some(annotation) => self.element_type(&self.annotation_type(
                signature.module,
                &annotation.type_annotation,
                &signature.substitution,
            )),
            None => Ty::Primitive,
        }
    }

    /// Returns the expected type of a `return` value, from the surrounding function.
    fn return_context(&self, module: u32, node: NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        let function = loaded
            .self_and_ancestors(node)
            .skip(1)
            .find(|around| matches!(loaded.kind(*around), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)));
        function.map_or(Ty::Primitive, |function| self.function_return_context(module, function))
    }

    fn function_return_context(&self, module: u32, function: NodeId) -> Ty<'w> {
        let (callable, is_async) = match self.module(module).kind(function) {
            AstKind::Function(it) => (Callable::Function(it), it.r#async),
            AstKind::ArrowFunctionExpression(it) => (Callable::Arrow(it), it.r#async),
            _ => return Ty::Primitive,
        };
        let wanted = match callable.return_type() {
            Some(annotation) => self.annotation_type(module, annotation, &None),
            None => {
                if let Some(replaced) = self.mocked_module_type(module, function) {
                    return replaced;
                }
                if let Some(element) = self.collected_result_type(module, function) {
                    return element;
                }
                let signatures = self.signatures(&self.contextual_type(module, function), false);
                if signatures.is_empty() {
                    return if self.has_computed_key(module, function) { Ty::Unknown } else { Ty::Primitive };
                }
                Ty::union_of(signatures.iter().map(|signature| self.return_type_of(signature)))
            }
        };
        if is_async { self.awaited_type(&wanted) } else { wanted }
    }

    /// Returns whether a function is the value of a computed key, whose type is not evaluated.
    fn has_computed_key(&self, module: u32, function: NodeId) -> bool {
        match self.module(module).parent_kind(function) {
            AstKind::ObjectProperty(property) => key_name(&property.key).is_none(),
            _ => false,
        }
    }

    /// Returns the expected type of an argument of a call.
    fn call_argument_context(&self, module: u32, call: &'w CallExpression<'w>, argument: oxc_span::Span) -> Ty<'w> {
        if let Some(wanted) = self.container_argument_type(module, call, argument) {
            return wanted;
        }
        if let Some(wanted) = self.copied_object_type(module, call, argument) {
            return wanted;
        }
        if let Some(wanted) = self.defaults_context(module, call, argument) {
            return wanted;
        }
        let given = CallArguments { module, types: call.type_arguments.as_deref(), values: &call.arguments };
        let signatures = self.callee_signatures(module, &call.callee);
        self.argument_context(&signatures, &given, argument, call.node_id.get())
    }

    /// Returns the type of an argument that is part of the result of a call: `Object.freeze(x)`, `Object.assign(x, y)`.
    fn copied_object_type(
        &self,
        module: u32,
        call: &'w CallExpression<'w>,
        argument: oxc_span::Span,
    ) -> Option<Ty<'w>> {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let Expression::Identifier(object) = &member.object else { return None };
        if object.name != "Object" || self.resolve_identifier(module, object).is_some() {
            return None;
        }
        let result = || self.contextual_type(module, call.node_id.get());
        let index = call.arguments.iter().position(|given| given.span() == argument)?;
        match (member.property.name.as_str(), index) {
            ("freeze" | "seal" | "preventExtensions" | "assign", 0) => Some(result()),
            ("assign", _) => {
                let target = call.arguments.first()?.as_expression()?;
                Some(Ty::intersection_of([self.expression_type(module, target), result()]))
            }
            _ => None,
        }
    }

    /// Returns the type of an argument of a platform container's method: `list.push(x)`, `map.set(key, x)`.
    fn container_argument_type(
        &self,
        module: u32,
        call: &'w CallExpression<'w>,
        argument: oxc_span::Span,
    ) -> Option<Ty<'w>> {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let index = call.arguments.iter().position(|given| given.span() == argument)?;
        let method = member.property.name.as_str();
        if !builtins::takes_elements(method) {
            return None;
        }
        let Ty::Builtin(container, inner) = self.expression_type(module, &member.object) else { return None };
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

    /// Returns the type of the module `./x` for the function in `vi.mock("./x", () => ({ … }))`, whose result replaces
    /// the module.
    fn mocked_module_type(&self, module: u32, function: NodeId) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        let AstKind::CallExpression(call) = loaded.parent_kind(function) else { return None };
        let factory = call.arguments.get(1)?;
        if factory.span() != loaded.kind(function).span() || call_kind(&call.callee) != Some("mock") {
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
        Some(self.module_type(module, source.value.as_str()?))
    }

    /// Returns the type of a parameter without an annotation, from the contextual type of its function.
    pub(crate) fn contextual_parameter_type(&self, module: u32, parameter: NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        let list = loaded.parent(parameter);
        let AstKind::FormalParameters(parameters) = loaded.kind(list) else { return Ty::Unknown };
        let span = loaded.kind(parameter).span();
        let Some(index) = parameters.items.iter().position(|item| item.span == span) else { return Ty::Unknown };
        let function = loaded.parent(list);
        if !matches!(loaded.kind(function), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)) {
            return Ty::Unknown;
        }
        if let Some(element) = self.callback_parameter_type(module, function, index) {
            return element;
        }
        let context = self.contextual_type(module, function);
        if let (Ty::Builtin(Builtin::Component, inner), 0) = (&context, index) {
            return inner.first().cloned().unwrap_or(Ty::Unknown);
        }
        let signatures = self.signatures(&context, false);
        if signatures.is_empty() {
            return Ty::Unknown;
        }
        Ty::union_of(signatures.iter().map(|signature| self.parameter_type_at(signature, index)))
    }

    /// Returns the type of a callback parameter of a platform method: `list.map(item => …)`, `promise.then(value =>
    /// …)`.
    fn callback_parameter_type(&self, module: u32, function: NodeId, index: usize) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        let AstKind::CallExpression(call) = loaded.parent_kind(function) else { return None };
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let first = call.arguments.first()?.span() == loaded.kind(function).span();
        let Ty::Builtin(container, inner) = self.expression_type(module, &member.object) else { return None };
        let method = member.property.name.as_str();
        if !first {
            return None;
        }
        match (container, method) {
            (Builtin::Promise, "then") if index == 0 => {
                Some(self.awaited_type(&inner.first().cloned().unwrap_or(Ty::Unknown)))
            }
            (Builtin::Map, "forEach") => inner.get(1 - index.min(1)).cloned(),
            (Builtin::Array, "reduce") if index == 0 => {
                let start = call.arguments.get(1).and_then(Argument::as_expression);
                Some(start.map_or_else(
                    || inner.first().cloned().unwrap_or(Ty::Unknown),
                    |start| self.expression_type(module, start),
                ))
            }
            _ if builtins::callback_element_indices(container, method).contains(&index) => inner.first().cloned(),
            (Builtin::Array, _) if index == 1 => Some(Ty::Primitive),
            _ => Some(Ty::Unknown),
        }
    }
}

/// Returns whether an argument is a string literal, whose type does not determine the function's other parameters.
fn is_string_literal(argument: Option<&Argument<'_>>) -> bool {
    argument.and_then(Argument::as_expression).is_some_and(consists_of_strings)
}

fn consists_of_strings(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => true,
        Expression::ConditionalExpression(it) => {
            consists_of_strings(&it.consequent) && consists_of_strings(&it.alternate)
        }
        Expression::ArrayExpression(it) => it.elements.iter().all(|element| match element {
            ArrayExpressionElement::SpreadElement(_) | ArrayExpressionElement::Elision(_) => true,
            other => other.as_expression().is_some_and(consists_of_strings),
        }),
        _ => false,
    }
}
