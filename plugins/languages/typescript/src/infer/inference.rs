//! Inference of type arguments: the types of a call's arguments are compared with the types of its parameters.

use std::cell::OnceCell;
use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::infer::builtins;
use crate::infer::calls::CallArguments;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Entity, NamedMember, Signature, Source, Substitution, Ty, TypeArguments, key_name};
use crate::program::ids::{Owner, Site};

/// Maximum number of base types to search for a generic class or interface.
const MOST_BASES: usize = 16;

/// The type that is compared, computed only if the comparison needs it.
type Given<'g, 'w> = &'g dyn Fn() -> Ty<'w>;

/// A type parameter of a call that is inferred.
#[derive(Clone, Copy)]
struct Wanted {
    module: u32,
    symbol: SymbolId,
}

impl<'w> Checker<'w> {
    /// Returns the substitution for type parameters in a call: explicit type arguments, or types inferred from the
    /// arguments.
    pub(crate) fn infer_substitution(&self, signature: &Signature<'w>, given: &CallArguments<'w>) -> Substitution<'w> {
        self.infer_without(signature, given, None)
    }

    /// Returns the substitution without the argument at an index, whose own type depends on the result. Other arguments
    /// whose types depend on it are left out as well.
    pub(crate) fn infer_from_others(
        &self,
        signature: &Signature<'w>,
        given: &CallArguments<'w>,
        index: usize,
    ) -> Substitution<'w> {
        self.infer_without(signature, given, Some(index))
    }

    fn infer_without(
        &self,
        signature: &Signature<'w>,
        given: &CallArguments<'w>,
        left_out: Option<usize>,
    ) -> Substitution<'w> {
        let Some(parameters) = signature.callable.type_parameters() else { return signature.substitution.clone() };
        let mut meaning: TypeArguments<'w> = signature.substitution.as_deref().cloned().unwrap_or_default();
        if given.types.is_some() {
            let arguments = self.type_arguments(given.module, given.types, &None);
            if let Some(more) = self.substitution_for(signature.module, Some(parameters), &arguments) {
                meaning.parameters.extend(more.parameters.iter().cloned());
            }
            return Some(Rc::new(meaning));
        }
        meaning.parameters.extend(self.infer_parameters(parameters, signature, given, left_out));
        Some(Rc::new(meaning))
    }

    /// Returns the types of type parameters that follow from the arguments of a call.
    pub(crate) fn infer_parameters(
        &self,
        parameters: &'w TSTypeParameterDeclaration<'w>,
        signature: &Signature<'w>,
        given: &CallArguments<'w>,
        left_out: Option<usize>,
    ) -> Vec<((u32, SymbolId), Ty<'w>)> {
        let params = signature.callable.params();
        let rest = params.rest.as_ref().and_then(|rest| rest.type_annotation.as_deref());
        let values = given.values.iter().map_while(Argument::as_expression).enumerate();
        // All arguments of a rest parameter have one type, so the others do not determine that of the one left out.
        let is_rest_open = left_out.is_some_and(|index| index >= params.items.len());
        let known_part = left_out.and_then(|index| {
            let value = given.values.get(index)?.as_expression()?;
            independent_members(given.module, value)
        });
        let pairs: Vec<(&'w TSType<'w>, bool, &'w Expression<'w>, OnceCell<Ty<'w>>)> = values
            .filter(|(index, value)| match left_out {
                Some(out) if out == *index => known_part.is_some(),
                Some(_) => !needs_context(value),
                None => true,
            })
            .filter_map(|(index, value)| {
                let (annotation, is_rest) = match params.items.get(index) {
                    Some(param) => (param.type_annotation.as_deref()?, false),
                    None if is_rest_open => return None,
                    None => (rest?, true),
                };
                let known = match &known_part {
                    Some(part) if left_out == Some(index) => OnceCell::from(Ty::Named(part.clone())),
                    _ => OnceCell::new(),
                };
                Some((&annotation.type_annotation, is_rest, value, known))
            })
            .collect();
        // The members that are known are not the whole argument.
        let is_part = |ty: &Ty<'w>| match (ty, &known_part) {
            (Ty::Named(members), Some(part)) => Rc::ptr_eq(members, part),
            _ => false,
        };
        let type_of = |value: &'w Expression<'w>, known: &OnceCell<Ty<'w>>, is_rest: bool| {
            let ty = known.get_or_init(|| self.inferred_argument(signature.module, given.module, value)).clone();
            if is_rest { Ty::array(ty) } else { ty }
        };
        let mut found = Vec::new();
        for parameter in &parameters.params {
            let Some(symbol) = parameter.name.symbol_id.get() else { continue };
            let wanted = Wanted { module: signature.module, symbol };
            let infer = |is_wanted: &dyn Fn(&Expression<'_>) -> bool| {
                pairs.iter().filter(|(_, _, value, _)| is_wanted(value)).find_map(
                    |(annotation, is_rest, value, known)| {
                        self.infer(signature.module, annotation, wanted, &|| type_of(value, known, *is_rest))
                            .filter(|ty| !is_part(ty))
                    },
                )
            };
            if let Some(ty) = infer(&|value| !needs_context(value)).or_else(|| infer(&needs_context)) {
                let before = || {
                    let mut meaning = signature.substitution.as_deref().cloned().unwrap_or_default();
                    meaning.parameters.extend(found.iter().cloned());
                    meaning
                };
                let ty = self.as_key(signature.module, parameter, ty, before);
                found.push(((signature.module, symbol), ty));
            }
        }
        found
    }

    /// Returns the type of a type parameter that follows from the type that is expected of the call's result.
    pub(crate) fn infer_from_result(
        &self,
        signature: &Signature<'w>,
        symbol: SymbolId,
        expected: &Ty<'w>,
    ) -> Option<Ty<'w>> {
        let wanted = Wanted { module: signature.module, symbol };
        let result = signature.callable.return_type()?;
        self.infer(signature.module, result, wanted, &|| expected.clone()).filter(|ty| !ty.is_unknown())
    }

    /// Returns the type of an argument. In JavaScript, the initial value of a state does not limit its later values.
    fn inferred_argument(&self, callee: u32, module: u32, value: &'w Expression<'w>) -> Ty<'w> {
        let ty = self.expression_type(module, value);
        let is_open = || {
            let loaded = self.module(module);
            loaded.is_javascript() && ty.alternatives().iter().any(|ty| matches!(ty, Ty::Object(..) | Ty::Primitive))
        };
        if self.is_library(callee) && is_open() { Ty::Unknown } else { ty }
    }

    /// Infers a type parameter from the type of an argument, or a part of it, and the annotation for this part.
    fn infer(&self, module: u32, annotation: &'w TSType<'w>, wanted: Wanted, given: Given<'_, 'w>) -> Option<Ty<'w>> {
        self.with_depth(None, || match annotation {
            TSType::TSTypeReference(reference) => self.infer_from_reference(module, reference, wanted, given),
            TSType::TSArrayType(array) => {
                self.infer(module, &array.element_type, wanted, &|| self.element_type(&given()))
            }
            TSType::TSTupleType(tuple) => tuple.element_types.iter().enumerate().find_map(|(index, element)| {
                self.infer(module, element.as_ts_type()?, wanted, &|| self.tuple_element(&given(), index))
            }),
            TSType::TSUnionType(union) => {
                let is_naked = |arm: &&'w TSType<'w>| self.is_parameter(module, arm, wanted);
                let mut others = union.types.iter().filter(|arm| !is_naked(arm));
                let inner =
                    others.find_map(|arm| self.infer(module, arm, wanted, given).filter(|found| !found.is_unknown()));
                inner.or_else(|| union.types.iter().any(|arm| is_naked(&arm)).then(given))
            }
            TSType::TSIntersectionType(parts) => {
                parts.types.iter().find_map(|part| self.infer(module, part, wanted, given))
            }
            TSType::TSFunctionType(function) => self.infer_from_function(module, function, wanted, given),
            TSType::TSTypeLiteral(literal) => self.infer_from_members(module, &literal.members, wanted, given),
            TSType::TSParenthesizedType(inner) => self.infer(module, &inner.type_annotation, wanted, given),
            TSType::TSTypeOperatorType(operator) if operator.operator == TSTypeOperatorOperator::Readonly => {
                self.infer(module, &operator.type_annotation, wanted, given)
            }
            _ => None,
        })
    }

    fn is_parameter(&self, module: u32, ty: &TSType<'w>, wanted: Wanted) -> bool {
        match ty {
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) => {
                    module == wanted.module && self.resolve_identifier(module, name) == Some(wanted.symbol)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn infer_from_reference(
        &self,
        module: u32,
        reference: &'w TSTypeReference<'w>,
        wanted: Wanted,
        given: Given<'_, 'w>,
    ) -> Option<Ty<'w>> {
        let TSTypeName::IdentifierReference(name) = &reference.type_name else { return None };
        let symbol = self.resolve_identifier(module, name);
        if module == wanted.module && symbol == Some(wanted.symbol) {
            return Some(given());
        }
        let arguments = &reference.type_arguments.as_deref()?.params;
        let argument = |index: usize, part: Given<'_, 'w>| self.infer(module, arguments.get(index)?, wanted, part);
        let Some(symbol) = symbol else {
            let part = |of: &[Builtin], index: usize| match given() {
                Ty::Builtin(known, inner) if of.contains(&known) => inner.get(index).cloned(),
                _ => None,
            };
            return match name.name.as_str() {
                "Promise" | "PromiseLike" => part(&[Builtin::Promise], 0).and_then(|ty| argument(0, &|| ty.clone())),
                "Map" | "ReadonlyMap" | "WeakMap" => (0..2).find_map(|index| {
                    let ty = part(&[Builtin::Map], index)?;
                    argument(index, &|| ty.clone())
                }),
                "Record" => argument(1, &|| self.value_type(&given())),
                "Partial" | "Required" | "Readonly" | "NonNullable" => argument(0, given),
                other if builtins::is_sequence(other) => argument(0, &|| self.element_type(&given())),
                _ => None,
            };
        };
        let Entity::Symbol(home, symbol) = self.symbol_entity(module, symbol) else { return None };
        let loaded = self.module(home);
        loaded.declarations(symbol).into_iter().find_map(|declaration| {
            let (parameters, infer_own): (_, Box<dyn Fn(SymbolId) -> Option<Ty<'w>> + '_>) =
                match loaded.kind(declaration) {
                    AstKind::TSTypeAliasDeclaration(alias) => (
                        alias.type_parameters.as_deref()?,
                        Box::new(move |own| {
                            self.infer(home, &alias.type_annotation, Wanted { module: home, symbol: own }, given)
                        }),
                    ),
                    AstKind::TSInterfaceDeclaration(interface) => (
                        interface.type_parameters.as_deref()?,
                        Box::new(move |own| {
                            self.argument_of(Owner::Symbol(home, symbol), own, &given()).or_else(|| {
                                let wanted = Wanted { module: home, symbol: own };
                                self.infer_from_members(home, &interface.body.body, wanted, given)
                            })
                        }),
                    ),
                    AstKind::Class(class) => (
                        class.type_parameters.as_deref()?,
                        Box::new(move |own| self.argument_of(Owner::Symbol(home, symbol), own, &given())),
                    ),
                    _ => return None,
                };
            parameters.params.iter().enumerate().find_map(|(index, parameter)| {
                let part = infer_own(parameter.name.symbol_id.get()?)?;
                argument(index, &|| part.clone())
            })
        })
    }

    /// Returns the type argument of a generic class or interface that a type is, extends or implements.
    fn argument_of(&self, of: Owner, parameter: SymbolId, given: &Ty<'w>) -> Option<Ty<'w>> {
        let mut open: Vec<Ty<'w>> = given.alternatives().to_vec();
        for _ in 0..MOST_BASES {
            match open.pop()? {
                Ty::Instance(owner, substitution) if owner == of => {
                    let key = (of.module(), parameter);
                    let known = substitution?.parameters.iter().find(|(known, _)| *known == key).cloned();
                    return known.map(|(_, ty)| ty);
                }
                Ty::Instance(owner, substitution) => open.extend(self.bases(owner, &substitution)),
                _ => {}
            }
        }
        None
    }

    /// Infers from a function: from the parameters that have a type, and from what it returns.
    fn infer_from_function(
        &self,
        module: u32,
        function: &'w TSFunctionType<'w>,
        wanted: Wanted,
        given: Given<'_, 'w>,
    ) -> Option<Ty<'w>> {
        let function_type = given();
        let signatures = self.signatures(&function_type, false);
        let Some(signature) = signatures.first() else {
            let props = self.attributes_of_component(&function_type)?;
            let first = function.params.items.first()?.type_annotation.as_ref()?;
            return self.infer(module, &first.type_annotation, wanted, &|| props.clone());
        };
        let written = &signature.callable.params().items;
        let from_parameters =
            function.params.items.iter().zip(written).enumerate().find_map(|(index, (param, own))| {
                own.type_annotation.as_ref()?;
                let annotation = &param.type_annotation.as_ref()?.type_annotation;
                self.infer(module, annotation, wanted, &|| self.parameter_type_at(signature, index))
            });
        let returned = &function.return_type.type_annotation;
        from_parameters.or_else(|| self.infer(module, returned, wanted, &|| self.return_type_of(signature)))
    }

    fn infer_from_members(
        &self,
        module: u32,
        members: &'w [TSSignature<'w>],
        wanted: Wanted,
        given: Given<'_, 'w>,
    ) -> Option<Ty<'w>> {
        members.iter().find_map(|member| match member {
            TSSignature::TSPropertySignature(property) => {
                let annotation = &property.type_annotation.as_ref()?.type_annotation;
                let name = key_name(&property.key)?;
                self.infer(module, annotation, wanted, &|| self.member_type(&given(), &name))
            }
            TSSignature::TSIndexSignature(index) => {
                let annotation = &index.type_annotation.type_annotation;
                self.infer(module, annotation, wanted, &|| self.value_type(&given()))
            }
            _ => None,
        })
    }

    fn tuple_element(&self, of: &Ty<'w>, index: usize) -> Ty<'w> {
        match of {
            Ty::Tuple(elements) => elements.get(index).cloned().unwrap_or(Ty::Unknown),
            other => self.element_type(other),
        }
    }

    /// Returns the type of the values of an object whose members are entries: those of an index signature, or of an
    /// object literal.
    fn value_type(&self, of: &Ty<'w>) -> Ty<'w> {
        // Objects may be spread into each other, so the recursion is limited.
        self.with_depth(Ty::Unknown, || self.compute_value_type(of))
    }

    fn compute_value_type(&self, of: &Ty<'w>) -> Ty<'w> {
        if let Some(index) = self.index_signature(of) {
            return index;
        }
        match of {
            Ty::Object(module, object) => Ty::union_of(object.properties.iter().map(|property| match property {
                ObjectPropertyKind::ObjectProperty(property) => self.expression_type(*module, &property.value),
                ObjectPropertyKind::SpreadProperty(spread) => {
                    self.value_type(&self.expression_type(*module, &spread.argument))
                }
            })),
            Ty::Builtin(Builtin::Array, _) | Ty::Tuple(_) => self.element_type(of),
            Ty::Union(types) => Ty::union_of(types.iter().map(|ty| self.value_type(ty))),
            _ => Ty::Unknown,
        }
    }
}

/// Returns the members of an object literal whose types do not depend on its context. `None` for other values.
fn independent_members<'w>(module: u32, value: &'w Expression<'w>) -> Option<Rc<[NamedMember<'w>]>> {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else { return None };
    let member = |property: &'w ObjectPropertyKind<'w>| match property {
        ObjectPropertyKind::ObjectProperty(it) if it.kind == PropertyKind::Init && !depends_on_context(&it.value) => {
            let PropertyKey::StaticIdentifier(key) = &it.key else { return None };
            let site = Some(Site { module, offset: key.span.start });
            Some(NamedMember { name: key.name.as_str(), site, source: Source::Value(module, &it.value) })
        }
        _ => None,
    };
    Some(object.properties.iter().filter_map(member).collect())
}

/// Returns whether a value is or contains a function with parameters without types.
fn depends_on_context(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::ObjectExpression(object) => object.properties.iter().any(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => depends_on_context(&property.value),
            ObjectPropertyKind::SpreadProperty(_) => false,
        }),
        Expression::ArrayExpression(array) => {
            array.elements.iter().filter_map(ArrayExpressionElement::as_expression).any(depends_on_context)
        }
        Expression::ConditionalExpression(choice) => {
            depends_on_context(&choice.consequent) || depends_on_context(&choice.alternate)
        }
        other => needs_context(other),
    }
}

/// Returns whether the type of a value depends on its context: true for functions with parameters without types.
fn needs_context(value: &Expression<'_>) -> bool {
    let params = match value.get_inner_expression() {
        Expression::ArrowFunctionExpression(arrow) => &arrow.params,
        Expression::FunctionExpression(function) => &function.params,
        _ => return false,
    };
    params.items.iter().any(|param| param.type_annotation.is_none())
}
