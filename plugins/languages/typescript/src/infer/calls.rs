//! Calls: signatures, return types and inference of type arguments.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::{ScopeFlags, SymbolId};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Callable, Signature, Substitution, Ty, TypeArguments};
use crate::program::ids::Owner;

impl<'w> Callable<'w> {
    pub(crate) fn params(self) -> &'w FormalParameters<'w> {
        match self {
            Callable::Function(it) => &it.params,
            Callable::Arrow(it) => &it.params,
            Callable::Type(it) => &it.params,
            Callable::Method(it) => &it.params,
            Callable::Call(it) => &it.params,
            Callable::New(it) => &it.params,
            Callable::Construct(it) => &it.params,
        }
    }

    pub(crate) fn return_type(self) -> Option<&'w TSType<'w>> {
        let annotation = match self {
            Callable::Function(it) => it.return_type.as_deref(),
            Callable::Arrow(it) => it.return_type.as_deref(),
            Callable::Type(it) => Some(&*it.return_type),
            Callable::Method(it) => it.return_type.as_deref(),
            Callable::Call(it) => it.return_type.as_deref(),
            Callable::New(it) => Some(&*it.return_type),
            Callable::Construct(it) => it.return_type.as_deref(),
        };
        annotation.map(|annotation| &annotation.type_annotation)
    }

    pub(crate) fn type_parameters(self) -> Option<&'w TSTypeParameterDeclaration<'w>> {
        match self {
            Callable::Function(it) => it.type_parameters.as_deref(),
            Callable::Arrow(it) => it.type_parameters.as_deref(),
            Callable::Type(it) => it.type_parameters.as_deref(),
            Callable::Method(it) => it.type_parameters.as_deref(),
            Callable::Call(it) => it.type_parameters.as_deref(),
            Callable::New(it) => it.type_parameters.as_deref(),
            Callable::Construct(it) => it.type_parameters.as_deref(),
        }
    }

    fn constructs(self) -> bool {
        matches!(self, Callable::New(_) | Callable::Construct(_))
    }
}

/// Arguments of a call.
pub(crate) struct Given<'w> {
    pub(crate) module: u32,
    pub(crate) types: Option<&'w TSTypeParameterInstantiation<'w>>,
    pub(crate) values: &'w [Argument<'w>],
}

impl<'w> Checker<'w> {
    /// Returns all call signatures of a type, or all construct signatures.
    pub(crate) fn signatures(&self, ty: &Ty<'w>, constructed: bool) -> Vec<Signature<'w>> {
        self.deeper(Vec::new(), || match ty {
            Ty::Call(signature) if signature.callable.constructs() == constructed => vec![signature.clone()],
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
            Ty::Either(types) | Ty::Both(types) => {
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
    pub(crate) fn called(&self, ty: &Ty<'w>) -> Ty<'w> {
        let signatures = self.signatures(ty, false);
        if signatures.is_empty() {
            return Ty::Unknown;
        }
        Ty::either(signatures.iter().map(|signature| self.returned(signature)))
    }

    pub(crate) fn call_value(&self, module: u32, call: &'w CallExpression<'w>) -> Ty<'w> {
        let first = || call.arguments.first().and_then(Argument::as_expression);
        match &call.callee {
            Expression::Identifier(name) if name.name == "require" && self.resolved(module, name).is_none() => {
                return match first() {
                    Some(Expression::StringLiteral(source)) => match source.value.as_str() {
                        Some(source) => self.required(module, source),
                        None => Ty::Unknown,
                    },
                    _ => Ty::Unknown,
                };
            }
            Expression::StaticMemberExpression(member) => {
                let object = self.value(module, &member.object);
                if let Some(known) = self.known_call(module, &object, member.property.name.as_str(), call) {
                    return known;
                }
            }
            Expression::Super(_) => return Ty::Plain,
            _ => {}
        }
        if let Some(known) = self.platform_call(module, call) {
            return known;
        }
        let signatures = self.signatures(&self.value(module, &call.callee), false);
        if signatures.is_empty() {
            // The result of a package's function is unknown.
            return Ty::Unknown;
        }
        let given = Given { module, types: call.type_arguments.as_deref(), values: &call.arguments };
        let fitting = fitting(&signatures, call.arguments.len());
        Ty::either(fitting.map(|signature| self.returned_for(signature, &given)))
    }

    /// Returns the type that a call of a platform function returns, if it is known.
    fn platform_call(&self, module: u32, call: &'w CallExpression<'w>) -> Option<Ty<'w>> {
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
        if self.resolved(module, root).is_some() || !builtins::declares(&root.name) {
            return None;
        }
        Some(match (root.name.as_str(), method) {
            ("Object", Some("freeze" | "seal")) => self.value(module, first()?),
            ("Object", Some("assign")) => {
                let given = call.arguments.iter();
                Ty::both(
                    given.map(|value| value.as_expression().map_or(Ty::Unknown, |value| self.value(module, value))),
                )
            }
            ("Promise", Some("resolve")) => Ty::promise(self.awaited(&self.value(module, first()?))),
            ("Promise", Some("all")) => {
                let all = self.value(module, first()?);
                Ty::promise(Ty::array(self.awaited(&self.element(&all))))
            }
            ("Array", Some("from")) => match call.arguments.get(1) {
                Some(made) => Ty::array(self.called(&self.value(module, made.as_expression()?))),
                None => Ty::array(self.element(&self.value(module, first()?))),
            },
            (root, _) if builtins::returns_own(root) => builtins::global(root),
            _ => Ty::Unknown,
        })
    }

    /// Returns the type that `require` returns.
    pub(crate) fn required(&self, module: u32, source: &'w str) -> Ty<'w> {
        match self.space(module, source) {
            Ty::Module(found) => match self.exports(found).whole {
                Some(value) => Ty::both([self.value(found.module, value), Ty::Module(found)]),
                None => Ty::Module(found),
            },
            other => other,
        }
    }

    pub(crate) fn returned_for(&self, signature: &Signature<'w>, given: &Given<'w>) -> Ty<'w> {
        let substitution = self.inferred(signature, given);
        self.returned(&Signature { substitution, ..signature.clone() })
    }

    /// Returns the substitution for type parameters in a call: explicit type arguments, or types inferred from simple
    /// arguments.
    pub(crate) fn inferred(&self, signature: &Signature<'w>, given: &Given<'w>) -> Substitution<'w> {
        let Some(parameters) = signature.callable.type_parameters() else { return signature.substitution.clone() };
        let mut meaning: TypeArguments<'w> = signature.substitution.as_deref().cloned().unwrap_or_default();
        if given.types.is_some() {
            let arguments = self.arguments(given.module, given.types, &None);
            if let Some(more) = self.meaning(signature.module, Some(parameters), &arguments) {
                meaning.parameters.extend(more.parameters.iter().cloned());
            }
            return Some(Rc::new(meaning));
        }
        for parameter in &parameters.params {
            let Some(symbol) = parameter.name.symbol_id.get() else { continue };
            let shown = signature.callable.params().items.iter().zip(given.values).find_map(|(param, value)| {
                let annotation = &param.type_annotation.as_ref()?.type_annotation;
                self.shows(signature.module, annotation, symbol, given.module, value.as_expression()?)
            });
            if let Some(ty) = shown {
                meaning.parameters.push(((signature.module, symbol), ty));
            }
        }
        Some(Rc::new(meaning))
    }

    /// Infers a type parameter from an argument: `x: T` and `x: T[]`.
    fn shows(
        &self,
        module: u32,
        annotation: &'w TSType<'w>,
        symbol: SymbolId,
        from: u32,
        value: &'w Expression<'w>,
    ) -> Option<Ty<'w>> {
        match annotation {
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) if self.resolved(module, name) == Some(symbol) => {
                    Some(self.value(from, value))
                }
                _ => None,
            },
            TSType::TSArrayType(array) => {
                let element = self.shows(module, &array.element_type, symbol, from, value)?;
                Some(self.element(&element))
            }
            _ => None,
        }
    }

    /// Returns the return type of a signature.
    pub(crate) fn returned(&self, signature: &Signature<'w>) -> Ty<'w> {
        if let Some(annotation) = signature.callable.return_type() {
            return self.annotated(signature.module, annotation, &signature.substitution);
        }
        let (is_async, body_types) = match signature.callable {
            Callable::Function(function) if function.generator => return Ty::Unknown,
            Callable::Function(function) => {
                let Some(body) = &function.body else { return Ty::Unknown };
                let key = (signature.module, function.node_id.get());
                (function.r#async, self.once(key, || self.returns(signature.module, body)))
            }
            Callable::Arrow(arrow) => {
                let key = (signature.module, arrow.node_id.get());
                let types = self.once(key, || match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => self.returns(signature.module, body),
                    other => other.as_expression().map_or(Ty::Unknown, |value| self.value(signature.module, value)),
                });
                (arrow.r#async, types)
            }
            _ => return Ty::Unknown,
        };
        if is_async { Ty::promise(self.awaited(&body_types)) } else { body_types }
    }

    fn returns(&self, module: u32, body: &'w FunctionBody<'w>) -> Ty<'w> {
        let mut returns = Returns { values: Vec::new() };
        returns.visit_statements(&body.statements);
        Ty::either(returns.values.into_iter().map(|value| self.value(module, value)))
    }

    /// Returns the type that a method of a platform container returns.
    fn known_call(&self, module: u32, object: &Ty<'w>, method: &str, call: &'w CallExpression<'w>) -> Option<Ty<'w>> {
        let Ty::Builtin(container, inner) = object else { return None };
        let element = || inner.first().cloned().unwrap_or(Ty::Unknown);
        let kept = || match call.arguments.first().and_then(Argument::as_expression) {
            Some(callback) => self.kept_elements(module, callback, element()),
            None => element(),
        };
        let callback = || {
            let value = call.arguments.first()?.as_expression()?;
            Some(self.called(&self.value(module, value)))
        };
        Some(match (container, method) {
            (Builtin::Array, "find" | "findLast") => kept(),
            (Builtin::Array, "filter") => Ty::array(kept()),
            (Builtin::Array, "at" | "pop" | "shift") => element(),
            (
                Builtin::Array,
                "slice" | "concat" | "reverse" | "sort" | "splice" | "toSorted" | "toReversed" | "flat" | "values"
                | "with" | "fill" | "copyWithin" | "toSpliced",
            ) => object.clone(),
            (Builtin::Array, "entries") => Ty::array(Ty::Tuple(Rc::from([Ty::Plain, element()]))),
            (Builtin::Array, "map") => Ty::array(callback()?),
            (Builtin::Array, "flatMap") => Ty::array(self.element(&callback()?)),
            (Builtin::Array, "reduce") => {
                let start = call.arguments.get(1).and_then(Argument::as_expression);
                start.map_or_else(element, |start| self.value(module, start))
            }
            (Builtin::Promise, "then") => Ty::promise(self.awaited(&callback()?)),
            (Builtin::Promise, "catch" | "finally") => object.clone(),
            (Builtin::Map, "get") => inner.get(1).cloned().unwrap_or(Ty::Unknown),
            (Builtin::Map, "values") => Ty::array(inner.get(1).cloned().unwrap_or(Ty::Unknown)),
            (Builtin::Map, "keys") => Ty::array(element()),
            (Builtin::Map, "entries") => Ty::array(Ty::Tuple(inner.clone())),
            (Builtin::Set, "values" | "keys") => Ty::array(element()),
            _ if builtins::returns_plain(method) => Ty::Plain,
            _ => Ty::Unknown,
        })
    }

    pub(crate) fn new_value(&self, module: u32, new: &'w NewExpression<'w>) -> Ty<'w> {
        let callee = self.value(module, &new.callee);
        if let (Expression::Identifier(name), Ty::External | Ty::Platform) = (&new.callee, &callee)
            && self.resolved(module, name).is_none()
        {
            let arguments = self.arguments(module, new.type_arguments.as_deref(), &None);
            // The type would depend on the constructor's arguments, which is not supported.
            if arguments.is_empty() && builtins::is_generic(name.name.as_str()) {
                return Ty::Unknown;
            }
            return builtins::named(name.name.as_str(), arguments);
        }
        let given = Given { module, types: new.type_arguments.as_deref(), values: &new.arguments };
        let made = |ty: &Ty<'w>| match ty {
            Ty::Static(owner) => self.made(*owner, &given),
            Ty::External | Ty::Platform => ty.clone(),
            other => {
                let signatures = self.signatures(other, true);
                if signatures.is_empty() {
                    return Ty::Unknown;
                }
                Ty::either(signatures.iter().map(|signature| self.returned_for(signature, &given)))
            }
        };
        Ty::either(callee.alternatives().iter().map(made))
    }

    /// Returns the instance type that `new` creates from a class or function.
    fn made(&self, owner: Owner, given: &Given<'w>) -> Ty<'w> {
        let module = owner.module();
        let class = self.owner_nodes(owner).into_iter().find_map(|node| match self.module(module).kind(node) {
            AstKind::Class(class) => Some(class),
            _ => None,
        });
        let parameters = class.and_then(|class| class.type_parameters.as_deref());
        let Some(parameters) = parameters else { return Ty::Instance(owner, None) };
        if given.types.is_some() {
            let arguments = self.arguments(given.module, given.types, &None);
            return Ty::Instance(owner, self.meaning(module, Some(parameters), &arguments));
        }
        let mut meaning = TypeArguments::default();
        let constructors = self.owner_signatures(owner, true);
        for parameter in &parameters.params {
            let Some(symbol) = parameter.name.symbol_id.get() else { continue };
            let shown = constructors.iter().find_map(|constructor| {
                constructor.callable.params().items.iter().zip(given.values).find_map(|(param, value)| {
                    let annotation = &param.type_annotation.as_ref()?.type_annotation;
                    self.shows(module, annotation, symbol, given.module, value.as_expression()?)
                })
            });
            if let Some(ty) = shown {
                meaning.parameters.push(((module, symbol), ty));
            }
        }
        Ty::Instance(owner, Some(Rc::new(meaning)))
    }
}

/// Yields the signatures that accept this number of arguments; all of them if none does.
pub(super) fn fitting<'s, 'w>(
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
        TSSignature::TSCallSignatureDeclaration(call) if !constructed => Some(Callable::Call(call)),
        TSSignature::TSConstructSignatureDeclaration(construct) if constructed => Some(Callable::Construct(construct)),
        _ => None,
    };
    let signature = |callable| Signature { module, callable, substitution: substitution.clone() };
    members.iter().filter_map(callable).map(signature).collect()
}

/// Collects the values that a function returns, without those of nested functions.
struct Returns<'w> {
    values: Vec<&'w Expression<'w>>,
}

impl<'w> Visit<'w> for Returns<'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        if let AstKind::ReturnStatement(statement) = kind {
            self.values.extend(&statement.argument);
        }
    }

    fn visit_function(&mut self, _function: &Function<'w>, _flags: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _arrow: &ArrowFunctionExpression<'w>) {}

    fn visit_class(&mut self, _class: &Class<'w>) {}
}
