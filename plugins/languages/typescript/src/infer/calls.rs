//! Calls: signatures, return types and inference of type arguments.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::ScopeFlags;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Callable, Signature, Substitution, Ty, TypeArguments};
use crate::program::ids::Owner;

impl<'w> Callable<'w> {
    pub(crate) fn params(self) -> &'w FormalParameters<'w> {
        match self {
            Callable::Function(it) => &it.params,
            Callable::Arrow(it) => &it.params,
            Callable::FunctionType(it) => &it.params,
            Callable::MethodSignature(it) => &it.params,
            Callable::CallSignature(it) => &it.params,
            Callable::ConstructorType(it) => &it.params,
            Callable::ConstructSignature(it) => &it.params,
        }
    }

    pub(crate) fn return_type(self) -> Option<&'w TSType<'w>> {
        let annotation = match self {
            Callable::Function(it) => it.return_type.as_deref(),
            Callable::Arrow(it) => it.return_type.as_deref(),
            Callable::FunctionType(it) => Some(&*it.return_type),
            Callable::MethodSignature(it) => it.return_type.as_deref(),
            Callable::CallSignature(it) => it.return_type.as_deref(),
            Callable::ConstructorType(it) => Some(&*it.return_type),
            Callable::ConstructSignature(it) => it.return_type.as_deref(),
        };
        annotation.map(|annotation| &annotation.type_annotation)
    }

    pub(crate) fn type_parameters(self) -> Option<&'w TSTypeParameterDeclaration<'w>> {
        match self {
            Callable::Function(it) => it.type_parameters.as_deref(),
            Callable::Arrow(it) => it.type_parameters.as_deref(),
            Callable::FunctionType(it) => it.type_parameters.as_deref(),
            Callable::MethodSignature(it) => it.type_parameters.as_deref(),
            Callable::CallSignature(it) => it.type_parameters.as_deref(),
            Callable::ConstructorType(it) => it.type_parameters.as_deref(),
            Callable::ConstructSignature(it) => it.type_parameters.as_deref(),
        }
    }

    fn is_construct_signature(self) -> bool {
        matches!(self, Callable::ConstructorType(_) | Callable::ConstructSignature(_))
    }
}

/// Arguments of a call.
pub(crate) struct CallArguments<'w> {
    pub(crate) module: u32,
    pub(crate) types: Option<&'w TSTypeParameterInstantiation<'w>>,
    pub(crate) values: &'w [Argument<'w>],
}

impl<'w> Checker<'w> {
    /// Returns all call signatures of a type, or all construct signatures.
    pub(crate) fn signatures(&self, ty: &Ty<'w>, constructed: bool) -> Vec<Signature<'w>> {
        self.with_depth(Vec::new(), || match ty {
            Ty::Callable(signature) if signature.callable.is_construct_signature() == constructed => {
                vec![signature.clone()]
            }
            Ty::Static(owner) => self.owner_signatures(*owner, constructed),
            Ty::Literal(module, literal, substitution) => {
                list_signatures(*module, &literal.members, substitution, constructed)
            }
            Ty::Instance(owner, substitution) => {
                let module = owner.module();
                let lists =
                    self.owner_nodes(*owner).into_iter().filter_map(|node| match self.module(module).kind(node) {
                        AstKind::TSInterfaceDeclaration(interface) => Some(&interface.body.body),
                        _ => None,
                    });
                lists.flat_map(|members| list_signatures(module, members, substitution, constructed)).collect()
            }
            Ty::Union(types) | Ty::Intersection(types) => {
                types.iter().flat_map(|ty| self.signatures(ty, constructed)).collect()
            }
            _ => Vec::new(),
        })
    }

    fn owner_signatures(&self, owner: Owner, constructed: bool) -> Vec<Signature<'w>> {
        let module = owner.module();
        let mut found = Vec::new();
        for node in self.owner_nodes(owner) {
            match self.module(module).kind(node) {
                AstKind::Function(function) if !constructed => found.push(Callable::Function(function)),
                AstKind::ArrowFunctionExpression(arrow) if !constructed => found.push(Callable::Arrow(arrow)),
                AstKind::Class(class) if constructed => {
                    found.extend(class.body.body.iter().filter_map(|element| match element {
                        ClassElement::MethodDefinition(method) if method.kind == MethodDefinitionKind::Constructor => {
                            Some(Callable::Function(&method.value))
                        }
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        // The implementation of an overloaded function cannot be called directly.
        let open =
            |callable: &Callable<'_>| matches!(callable, Callable::Function(function) if function.body.is_none());
        if found.iter().any(open) {
            found.retain(open);
        }
        found.into_iter().map(|callable| Signature { module, callable, substitution: None }).collect()
    }

    /// Returns the type that a call returns, regardless of arguments.
    pub(crate) fn call_result(&self, ty: &Ty<'w>) -> Ty<'w> {
        let signatures = self.signatures(ty, false);
        if signatures.is_empty() {
            return Ty::Unknown;
        }
        Ty::union_of(signatures.iter().map(|signature| self.return_type_of(signature)))
    }

    /// Returns the tuple of the parameter types of a function type, or of a class's constructor.
    pub(super) fn parameter_types(&self, of: Option<&Ty<'w>>, constructed: bool) -> Ty<'w> {
        let signatures = of.map_or_else(Vec::new, |of| self.signatures(of, constructed));
        match signatures.first() {
            Some(signature) if signatures.len() == 1 => {
                let count = signature.callable.params().items.len();
                Ty::Tuple((0..count).map(|index| self.parameter_type_at(signature, index)).collect())
            }
            _ => Ty::Unknown,
        }
    }

    pub(crate) fn call_type(&self, module: u32, call: &'w CallExpression<'w>) -> Ty<'w> {
        let first = || call.arguments.first().and_then(Argument::as_expression);
        match &call.callee {
            Expression::Identifier(name)
                if name.name == "require" && self.resolve_identifier(module, name).is_none() =>
            {
                return match first() {
                    Some(Expression::StringLiteral(source)) => match source.value.as_str() {
                        Some(source) => self.require_type(module, source),
                        None => Ty::Unknown,
                    },
                    _ => Ty::Unknown,
                };
            }
            Expression::StaticMemberExpression(member) => {
                let object = self.expression_type(module, &member.object);
                if let Some(known) = self.container_call_type(module, &object, member.property.name.as_str(), call) {
                    return known;
                }
            }
            Expression::Super(_) => return Ty::Primitive,
            _ => {}
        }
        if let Some(known) = self.platform_call_type(module, call) {
            return known;
        }
        let signatures = self.callee_signatures(module, &call.callee);
        if signatures.is_empty() {
            // The result of a package's function is unknown.
            return Ty::Unknown;
        }
        let given = CallArguments { module, types: call.type_arguments.as_deref(), values: &call.arguments };
        let fitting = applicable_signatures(&signatures, call.arguments.len());
        Ty::union_of(fitting.map(|signature| self.return_type_for(signature, &given)))
    }

    /// Returns the type that a call of a platform function returns, if it is known.
    fn platform_call_type(&self, module: u32, call: &'w CallExpression<'w>) -> Option<Ty<'w>> {
        let first = || call.arguments.first().and_then(Argument::as_expression);
        let (root, method) = match &call.callee {
            Expression::Identifier(name) => (name, None),
            Expression::StaticMemberExpression(member) => {
                let mut object = &member.object;
                while let Expression::StaticMemberExpression(inner) = object {
                    object = &inner.object;
                }
                let Expression::Identifier(name) = object else { return None };
                (name, Some(member.property.name.as_str()))
            }
            _ => return None,
        };
        if self.resolve_identifier(module, root).is_some() || !builtins::is_platform_name(&root.name) {
            return None;
        }
        Some(match (root.name.as_str(), method) {
            ("Object", Some("freeze" | "seal")) => self.expression_type(module, first()?),
            ("Object", Some("assign")) => {
                let given = call.arguments.iter();
                Ty::intersection_of(given.map(|value| {
                    value.as_expression().map_or(Ty::Unknown, |value| self.expression_type(module, value))
                }))
            }
            ("Promise", Some("resolve")) => Ty::promise(self.awaited_type(&self.expression_type(module, first()?))),
            ("Promise", Some("all")) => Ty::promise(self.awaited_elements(module, first()?)),
            ("Array", Some("from")) => match call.arguments.get(1) {
                Some(made) => Ty::array(self.call_result(&self.expression_type(module, made.as_expression()?))),
                None => Ty::array(self.element_type(&self.expression_type(module, first()?))),
            },
            (root, _) if builtins::returns_platform_types(root) => builtins::global_type(root),
            // The library may declare the function.
            _ => return None,
        })
    }

    /// Returns the type of a list of promises after all are awaited.
    fn awaited_elements(&self, module: u32, all: &'w Expression<'w>) -> Ty<'w> {
        if let Expression::ArrayExpression(array) = all
            && let Some(values) =
                array.elements.iter().map(ArrayExpressionElement::as_expression).collect::<Option<Vec<_>>>()
        {
            return Ty::Tuple(
                values.iter().map(|value| self.awaited_type(&self.expression_type(module, value))).collect(),
            );
        }
        match self.expression_type(module, all) {
            Ty::Tuple(elements) => Ty::Tuple(elements.iter().map(|ty| self.awaited_type(ty)).collect()),
            list => Ty::array(self.awaited_type(&self.element_type(&list))),
        }
    }

    /// Returns the type that `require` returns.
    pub(crate) fn require_type(&self, module: u32, source: &'w str) -> Ty<'w> {
        match self.module_type(module, source) {
            Ty::Module(found) => self.module_object_type(found),
            other => other,
        }
    }

    pub(crate) fn return_type_for(&self, signature: &Signature<'w>, given: &CallArguments<'w>) -> Ty<'w> {
        let substitution = self.infer_substitution(signature, given);
        self.return_type_of(&Signature { substitution, ..signature.clone() })
    }

    /// Returns the return type of a signature.
    pub(crate) fn return_type_of(&self, signature: &Signature<'w>) -> Ty<'w> {
        if let Some(annotation) = signature.callable.return_type() {
            return self.annotation_type(signature.module, annotation, &signature.substitution);
        }
        let (is_async, body_types) = match signature.callable {
            Callable::Function(function) if function.generator => {
                let Some(body) = &function.body else { return Ty::Unknown };
                let key = (signature.module, function.node_id.get());
                return Ty::array(self.return_type_once(key, || self.yielded_type(signature.module, body)));
            }
            Callable::Function(function) => {
                let Some(body) = &function.body else { return Ty::Unknown };
                let key = (signature.module, function.node_id.get());
                (function.r#async, self.return_type_once(key, || self.body_return_type(signature.module, body)))
            }
            Callable::Arrow(arrow) => {
                let key = (signature.module, arrow.node_id.get());
                let types = self.return_type_once(key, || match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => self.body_return_type(signature.module, body),
                    other => {
                        other.as_expression().map_or(Ty::Unknown, |value| self.expression_type(signature.module, value))
                    }
                });
                (arrow.r#async, types)
            }
            _ => return Ty::Unknown,
        };
        if body_types.is_unknown()
            && let Some(commented) = self.commented_return_type(signature)
        {
            return commented;
        }
        let body_types = body_types.substituted(&signature.substitution);
        if is_async { Ty::promise(self.awaited_type(&body_types)) } else { body_types }
    }

    fn body_return_type(&self, module: u32, body: &'w FunctionBody<'w>) -> Ty<'w> {
        let mut returns = ReturnValues { values: Vec::new() };
        returns.visit_statements(&body.statements);
        Ty::union_of(returns.values.into_iter().map(|value| self.expression_type(module, value)))
    }

    /// Returns the type of the values that a generator yields.
    fn yielded_type(&self, module: u32, body: &'w FunctionBody<'w>) -> Ty<'w> {
        let mut yielded = YieldedValues { values: Vec::new() };
        yielded.visit_statements(&body.statements);
        Ty::union_of(yielded.values.into_iter().map(|value| {
            let argument =
                value.argument.as_ref().map_or(Ty::Primitive, |argument| self.expression_type(module, argument));
            if value.delegate { self.element_type(&argument) } else { argument }
        }))
    }

    /// Returns the type that a method of a platform container returns.
    fn container_call_type(
        &self,
        module: u32,
        object: &Ty<'w>,
        method: &str,
        call: &'w CallExpression<'w>,
    ) -> Option<Ty<'w>> {
        let Ty::Builtin(container, inner) = object else { return None };
        let element = || inner.first().cloned().unwrap_or(Ty::Unknown);
        let kept = || match call.arguments.first().and_then(Argument::as_expression) {
            Some(callback) => self.filtered_elements(module, callback, element()),
            None => element(),
        };
        let callback = || {
            let value = call.arguments.first()?.as_expression()?;
            Some(self.call_result(&self.expression_type(module, value)))
        };
        Some(match (container, method) {
            (Builtin::Array, "find" | "findLast") => kept(),
            (Builtin::Array, "filter") => Ty::array(kept()),
            (Builtin::Array, "at" | "pop" | "shift") => element(),
            (
                Builtin::Array,
                "slice" | "concat" | "reverse" | "sort" | "splice" | "toSorted" | "toReversed" | "values" | "with"
                | "fill" | "copyWithin" | "toSpliced",
            ) => object.clone(),
            (Builtin::Array, "flat") if call.arguments.is_empty() => {
                let flat = |ty: &Ty<'w>| match ty {
                    Ty::Builtin(Builtin::Array, _) | Ty::Tuple(_) => self.element_type(ty),
                    other => other.clone(),
                };
                Ty::array(Ty::union_of(element().alternatives().iter().map(flat)))
            }
            (Builtin::Array, "entries") => Ty::array(Ty::Tuple(Rc::from([Ty::Primitive, element()]))),
            (Builtin::Array, "map") => Ty::array(callback()?),
            (Builtin::Array, "flatMap") => Ty::array(self.element_type(&callback()?)),
            (Builtin::Array, "reduce") => {
                let start = call.arguments.get(1).and_then(Argument::as_expression);
                start.map_or_else(element, |start| self.expression_type(module, start))
            }
            (Builtin::Promise, "then") => Ty::promise(self.awaited_type(&callback()?)),
            (Builtin::Promise, "catch" | "finally") => object.clone(),
            (Builtin::Map, "get") => inner.get(1).cloned().unwrap_or(Ty::Unknown),
            (Builtin::Map, "values") => Ty::array(inner.get(1).cloned().unwrap_or(Ty::Unknown)),
            (Builtin::Map, "keys") => Ty::array(element()),
            (Builtin::Map, "entries") => Ty::array(Ty::Tuple(inner.clone())),
            (Builtin::Set, "values" | "keys") => Ty::array(element()),
            _ if builtins::returns_plain(method) => Ty::Primitive,
            _ => Ty::Unknown,
        })
    }

    pub(crate) fn new_expression_type(&self, module: u32, new: &'w NewExpression<'w>) -> Ty<'w> {
        let callee = self.expression_type(module, &new.callee);
        if let (Expression::Identifier(name), Ty::External | Ty::Platform) = (&new.callee, &callee)
            && self.resolve_identifier(module, name).is_none()
        {
            let mut arguments = self.type_arguments(module, new.type_arguments.as_deref(), &None);
            if arguments.is_empty() {
                arguments = self.collection_arguments(module, name.name.as_str(), &new.arguments);
            }
            // The type would depend on the constructor's arguments, which is not supported.
            if arguments.is_empty() && builtins::is_generic(name.name.as_str()) {
                return Ty::Unknown;
            }
            return builtins::type_named(name.name.as_str(), arguments);
        }
        let given = CallArguments { module, types: new.type_arguments.as_deref(), values: &new.arguments };
        let made = |ty: &Ty<'w>| match ty {
            Ty::Static(owner) => self.constructed_type(*owner, &given),
            Ty::External | Ty::Platform => ty.clone(),
            // A required class also has the exports of its module.
            Ty::Intersection(parts) if let Some(owner) = only_class(parts) => self.constructed_type(owner, &given),
            other => {
                let signatures = self.signatures(other, true);
                if signatures.is_empty() {
                    return Ty::Unknown;
                }
                Ty::union_of(signatures.iter().map(|signature| self.return_type_for(signature, &given)))
            }
        };
        Ty::union_of(callee.alternatives().iter().map(made))
    }

    /// Returns the type arguments of `new Map(entries)` and `new Set(values)`.
    fn collection_arguments(&self, module: u32, class: &str, given: &'w [Argument<'w>]) -> Vec<Ty<'w>> {
        let Some(first) = given.first().and_then(Argument::as_expression) else { return Vec::new() };
        let element = || self.element_type(&self.expression_type(module, first));
        match class {
            "Map" | "WeakMap" => match element() {
                Ty::Tuple(entry) => entry.to_vec(),
                entry => {
                    let part = self.element_type(&entry);
                    vec![part.clone(), part]
                }
            },
            "Set" | "WeakSet" => vec![element()],
            _ => Vec::new(),
        }
    }

    /// Returns the instance type that `new` creates from a class or function.
    fn constructed_type(&self, owner: Owner, given: &CallArguments<'w>) -> Ty<'w> {
        let module = owner.module();
        let class = self.owner_nodes(owner).into_iter().find_map(|node| match self.module(module).kind(node) {
            AstKind::Class(class) => Some(class),
            _ => None,
        });
        let parameters = class.and_then(|class| class.type_parameters.as_deref());
        let Some(parameters) = parameters else { return Ty::Instance(owner, None) };
        if given.types.is_some() {
            let arguments = self.type_arguments(given.module, given.types, &None);
            return Ty::Instance(owner, self.substitution_for(module, Some(parameters), &arguments));
        }
        let constructors = self.owner_signatures(owner, true);
        let shown = constructors.iter().map(|constructor| self.infer_parameters(parameters, constructor, given, None));
        let meaning = TypeArguments { parameters: shown.flatten().collect(), this: None };
        Ty::Instance(owner, Some(Rc::new(meaning)))
    }
}

/// Returns the only class or function among the parts of an intersection, if the others are modules.
fn only_class(parts: &[Ty<'_>]) -> Option<Owner> {
    let mut owner = None;
    for part in parts {
        match part {
            Ty::Static(found) if owner.is_none() => owner = Some(*found),
            Ty::Module(_) => {}
            _ => return None,
        }
    }
    owner
}

/// Yields the signatures that accept this number of arguments; all of them if none does.
pub(super) fn applicable_signatures<'s, 'w>(
    signatures: &'s [Signature<'w>],
    given: usize,
) -> impl Iterator<Item = &'s Signature<'w>> {
    let fits = move |signature: &&Signature<'w>| {
        let params = signature.callable.params();
        let required = params.items.iter().filter(|param| !param.optional && param.initializer.is_none()).count();
        given >= required && (given <= params.items.len() || params.rest.is_some())
    };
    let some = signatures.iter().any(|signature| fits(&signature));
    signatures.iter().filter(move |signature| !some || fits(signature))
}

fn list_signatures<'w>(
    module: u32,
    members: &'w [TSSignature<'w>],
    substitution: &Substitution<'w>,
    constructed: bool,
) -> Vec<Signature<'w>> {
    let callable = |member: &'w TSSignature<'w>| match member {
        TSSignature::TSCallSignatureDeclaration(call) if !constructed => Some(Callable::CallSignature(call)),
        TSSignature::TSConstructSignatureDeclaration(construct) if constructed => {
            Some(Callable::ConstructSignature(construct))
        }
        _ => None,
    };
    let signature = |callable| Signature { module, callable, substitution: substitution.clone() };
    members.iter().filter_map(callable).map(signature).collect()
}

/// Collects the values that a function returns, without those of nested functions.
struct ReturnValues<'w> {
    values: Vec<&'w Expression<'w>>,
}

impl<'w> Visit<'w> for ReturnValues<'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        if let AstKind::ReturnStatement(statement) = kind {
            self.values.extend(&statement.argument);
        }
    }

    fn visit_function(&mut self, _function: &Function<'w>, _flags: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _arrow: &ArrowFunctionExpression<'w>) {}

    fn visit_class(&mut self, _class: &Class<'w>) {}
}

/// Collects the `yield` expressions of a generator, without those of nested functions.
struct YieldedValues<'w> {
    values: Vec<&'w YieldExpression<'w>>,
}

impl<'w> Visit<'w> for YieldedValues<'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        if let AstKind::YieldExpression(value) = kind {
            self.values.push(value);
        }
    }

    fn visit_function(&mut self, _function: &Function<'w>, _flags: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _arrow: &ArrowFunctionExpression<'w>) {}

    fn visit_class(&mut self, _class: &Class<'w>) {}
}
