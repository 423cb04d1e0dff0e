//! Types of annotations and of type names.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Callable, Entity, Props, Signature, Source, Substitution, Ty, TypeArguments};
use crate::program::expandos::class_owner;
use crate::program::ids::{Owner, Site};

impl<'w> Checker<'w> {
    /// Returns the type of an annotation.
    pub(crate) fn annotation_type(&self, module: u32, ty: &'w TSType<'w>, substitution: &Substitution<'w>) -> Ty<'w> {
        self.with_depth(Ty::Unknown, || self.compute_annotation_type(module, ty, substitution))
    }

    fn compute_annotation_type(&self, module: u32, ty: &'w TSType<'w>, substitution: &Substitution<'w>) -> Ty<'w> {
        let all = |types: &'w [TSType<'w>]| {
            types.iter().map(|ty| self.annotation_type(module, ty, substitution)).collect::<Vec<_>>()
        };
        match ty {
            // `K extends any ? T : never` is `T` for each alternative of `K`.
            TSType::TSConditionalType(choice)
                if matches!(choice.extends_type, TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_))
                    && matches!(choice.false_type, TSType::TSNeverKeyword(_)) =>
            {
                self.annotation_type(module, &choice.true_type, substitution)
            }
            TSType::TSAnyKeyword(_)
            | TSType::TSConditionalType(_)
            | TSType::TSInferType(_)
            | TSType::JSDocUnknownType(_) => Ty::Unknown,
            TSType::TSLiteralType(literal) => match &literal.literal {
                TSLiteral::StringLiteral(text) => {
                    let site = Site { module, offset: text.span.start };
                    text.value.as_str().map_or(Ty::Primitive, |text| Ty::String(text, Some(site)))
                }
                _ => Ty::Primitive,
            },
            TSType::TSArrayType(array) => Ty::array(self.annotation_type(module, &array.element_type, substitution)),
            TSType::TSTupleType(tuple) => {
                let element = |element: &'w TSTupleElement<'w>| self.tuple_element_type(module, element, substitution);
                Ty::Tuple(tuple.element_types.iter().map(element).collect())
            }
            TSType::TSUnionType(union) => Ty::union_of(all(&union.types)),
            TSType::TSIntersectionType(intersection) => Ty::intersection_of(all(&intersection.types)),
            TSType::TSParenthesizedType(inner) => self.annotation_type(module, &inner.type_annotation, substitution),
            TSType::JSDocNullableType(inner) => self.annotation_type(module, &inner.type_annotation, substitution),
            TSType::JSDocNonNullableType(inner) => self.annotation_type(module, &inner.type_annotation, substitution),
            TSType::TSTypeOperatorType(operator) => {
                let inner = self.annotation_type(module, &operator.type_annotation, substitution);
                if operator.operator == TSTypeOperatorOperator::Keyof { Ty::Keys(Rc::new(inner)) } else { inner }
            }
            TSType::TSTypeLiteral(literal) => Ty::Literal(module, literal, substitution.clone()),
            TSType::TSFunctionType(function) => {
                self.callable_type(module, Callable::FunctionType(function), substitution)
            }
            TSType::TSConstructorType(constructor) => {
                self.callable_type(module, Callable::ConstructorType(constructor), substitution)
            }
            TSType::TSTypeReference(reference) => {
                let arguments = self.type_arguments(module, reference.type_arguments.as_deref(), substitution);
                self.named_type(module, &reference.type_name, arguments, substitution)
            }
            TSType::TSTypeQuery(query) => self.type_query(module, &query.expr_name),
            TSType::TSImportType(import) => {
                let arguments = self.type_arguments(module, import.type_arguments.as_deref(), substitution);
                self.declared_type(&self.import_type_entity(module, import), arguments)
            }
            TSType::TSIndexedAccessType(access) => {
                let object = self.annotation_type(module, &access.object_type, substitution);
                let index = self.annotation_type(module, &access.index_type, substitution);
                self.indexed_access(&object, &index)
            }
            TSType::TSTemplateLiteralType(template) if self.may_contain_keys(module, template, substitution) => {
                Ty::Unknown
            }
            TSType::TSMappedType(mapped) => self.mapped_type(module, mapped, substitution),
            TSType::TSThisType(this) => {
                match substitution.as_ref().and_then(|substitution| substitution.this.clone()) {
                    Some(this) => this,
                    None => self.enclosing_instance(module, this.node_id.get()),
                }
            }
            TSType::TSNamedTupleMember(member) => self.tuple_element_type(module, &member.element_type, substitution),
            _ => Ty::Primitive,
        }
    }

    fn callable_type(&self, module: u32, callable: Callable<'w>, substitution: &Substitution<'w>) -> Ty<'w> {
        Ty::Callable(Signature { module, callable, substitution: substitution.clone() })
    }

    fn tuple_element_type(
        &self,
        module: u32,
        element: &'w TSTupleElement<'w>,
        substitution: &Substitution<'w>,
    ) -> Ty<'w> {
        match element {
            TSTupleElement::TSOptionalType(optional) => {
                self.annotation_type(module, &optional.type_annotation, substitution)
            }
            TSTupleElement::TSRestType(rest) => {
                self.element_type(&self.annotation_type(module, &rest.type_annotation, substitution))
            }
            other => other.as_ts_type().map_or(Ty::Unknown, |ty| self.annotation_type(module, ty, substitution)),
        }
    }

    /// Returns the type arguments.
    pub(crate) fn type_arguments(
        &self,
        module: u32,
        given: Option<&'w TSTypeParameterInstantiation<'w>>,
        substitution: &Substitution<'w>,
    ) -> Vec<Ty<'w>> {
        given.map_or_else(Vec::new, |given| {
            given.params.iter().map(|ty| self.annotation_type(module, ty, substitution)).collect()
        })
    }

    /// Returns the type that a name refers to.
    pub(crate) fn named_type(
        &self,
        module: u32,
        name: &'w TSTypeName<'w>,
        arguments: Vec<Ty<'w>>,
        substitution: &Substitution<'w>,
    ) -> Ty<'w> {
        let whole = name;
        match name {
            TSTypeName::IdentifierReference(name) => match self.resolve_identifier(module, name) {
                Some(symbol) => {
                    let key = (module, symbol);
                    let given = substitution
                        .as_ref()
                        .and_then(|substitution| substitution.parameters.iter().find(|(known, _)| *known == key));
                    match given {
                        Some((_, ty)) => ty.clone(),
                        None => match self.symbol_entity(module, symbol) {
                            Entity::External => self.package_type(module, whole, arguments),
                            entity => self.declared_type(&entity, arguments),
                        },
                    }
                }
                None => match self.merged_namespace_symbol(module, name) {
                    Some(symbol) => self.declared_type(&self.symbol_entity(module, symbol), arguments),
                    None if name.name == "ReturnType" && arguments.len() == 1 => self.call_result(&arguments[0]),
                    None if name.name == "Record" => self.record_type(arguments),
                    None if name.name == "Function" && !self.module(module).is_javascript() => {
                        self.library_alias("AnyFunction", arguments)
                    }
                    None if name.name == "Parameters" => self.parameter_types(arguments.first(), false),
                    None if name.name == "ConstructorParameters" => self.parameter_types(arguments.first(), true),
                    None if name.name == "Extract" && arguments.len() == 2 => self.extract_or_exclude(&arguments, true),
                    None if name.name == "Exclude" && arguments.len() == 2 => {
                        self.extract_or_exclude(&arguments, false)
                    }
                    None => match self.global_entity(name.name.as_str()) {
                        Some(entity) => self.declared_type(&entity, arguments),
                        None => builtins::type_named(name.name.as_str(), arguments),
                    },
                },
            },
            TSTypeName::QualifiedName(name) => match self.qualified_entity(module, name) {
                Entity::External => self.package_type(module, whole, arguments),
                entity => self.declared_type(&entity, arguments),
            },
            TSTypeName::ThisExpression(_) => Ty::Unknown,
        }
    }

    /// Returns the type for a type of a package.
    fn package_type(&self, module: u32, name: &'w TSTypeName<'w>, arguments: Vec<Ty<'w>>) -> Ty<'w> {
        if !arguments.is_empty()
            && let Some(known) = self.library_type(module, name, &arguments)
        {
            return known;
        }
        match name {
            TSTypeName::IdentifierReference(name) => builtins::package_type(name.name.as_str(), arguments),
            TSTypeName::QualifiedName(name) => builtins::package_type(name.right.name.as_str(), arguments),
            TSTypeName::ThisExpression(_) => Ty::Unknown,
        }
    }

    /// Resolves a name that another block of the surrounding namespace declares.
    pub(crate) fn merged_namespace_symbol(&self, module: u32, name: &IdentifierReference<'w>) -> Option<SymbolId> {
        let loaded = self.module(module);
        loaded.self_and_ancestors(name.node_id.get()).find_map(|around| match loaded.kind(around) {
            AstKind::TSNamespaceDeclaration(namespace) => {
                let props = self.namespace_members(module, namespace.id.symbol_id.get()?, name.name.as_str());
                match props.found.first()?.source {
                    Source::Symbol(_, symbol) => Some(symbol),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// Resolves a dotted name.
    pub(crate) fn qualified_entity(&self, module: u32, name: &'w TSQualifiedName<'w>) -> Entity<'w> {
        let left = self.name_entity(module, &name.left);
        self.member_entity(&left, name.right.name.as_str())
    }

    /// Resolves the name of a type, or of a namespace before a dot.
    pub(crate) fn name_entity(&self, module: u32, name: &'w TSTypeName<'w>) -> Entity<'w> {
        match name {
            TSTypeName::IdentifierReference(name) => {
                match self.resolve_identifier(module, name).or_else(|| self.merged_namespace_symbol(module, name)) {
                    Some(symbol) => self.symbol_entity(module, symbol),
                    None if builtins::is_platform_name(name.name.as_str()) => Entity::External,
                    None => self.global_entity(name.name.as_str()).unwrap_or(Entity::Unknown),
                }
            }
            TSTypeName::QualifiedName(name) => self.with_depth(Entity::Unknown, || self.qualified_entity(module, name)),
            TSTypeName::ThisExpression(_) => Entity::Unknown,
        }
    }

    /// Resolves a member of a namespace or module.
    pub(crate) fn member_entity(&self, of: &Entity<'w>, name: &str) -> Entity<'w> {
        match of {
            Entity::Module(found) => self.export_entity(*found, name),
            Entity::Watched(read) => self.watched(*read, name),
            Entity::External => Entity::External,
            Entity::Unknown => Entity::Unknown,
            Entity::Symbol(..) | Entity::Value(_) => {
                let props = self.entity_props(of, name);
                match props.found.first().map(|prop| &prop.source) {
                    Some(Source::Symbol(module, symbol)) => self.symbol_entity(*module, *symbol),
                    Some(other) => Entity::Value(self.source_type(other)),
                    None if props.external => Entity::External,
                    None => Entity::Unknown,
                }
            }
        }
    }

    /// Returns the members of the entity before a dot. A namespace may have the same name as a value, and the type of
    /// that value is then unrelated to the namespace.
    pub(crate) fn entity_props(&self, of: &Entity<'w>, name: &str) -> Props<'w> {
        if let Entity::Symbol(module, symbol) = of {
            let props = self.namespace_members(*module, *symbol, name);
            if !props.found.is_empty() {
                return props;
            }
        }
        self.props(&self.entity_type(of), name)
    }

    /// Resolves `import("./x").A.B`.
    pub(crate) fn import_type_entity(&self, module: u32, import: &'w TSImportType<'w>) -> Entity<'w> {
        let Some(source) = import.source.value.as_str() else { return Entity::Unknown };
        let space = match self.module_type(module, source) {
            Ty::Module(found) => Entity::Module(found),
            Ty::Watched(read) => Entity::Watched(read),
            Ty::External => Entity::External,
            _ => Entity::Unknown,
        };
        match &import.qualifier {
            Some(qualifier) => self.import_qualifier_entity(&space, qualifier),
            None => self.export_equals_entity(space),
        }
    }

    /// Resolves `import("./x")` as a type: the value of `export =`.
    fn export_equals_entity(&self, space: Entity<'w>) -> Entity<'w> {
        let Entity::Module(found) = space else { return space };
        match self.exports(found).export_equals {
            Some(Expression::Identifier(name)) => self
                .resolve_identifier(found.module, name)
                .map_or(Entity::Unknown, |symbol| self.symbol_entity(found.module, symbol)),
            _ => space,
        }
    }

    pub(crate) fn import_qualifier_entity(
        &self,
        space: &Entity<'w>,
        qualifier: &'w TSImportTypeQualifier<'w>,
    ) -> Entity<'w> {
        match qualifier {
            TSImportTypeQualifier::Identifier(name) => self.member_entity(space, name.name.as_str()),
            TSImportTypeQualifier::QualifiedName(name) => {
                let left = self.with_depth(Entity::Unknown, || self.import_qualifier_entity(space, &name.left));
                self.member_entity(&left, name.right.name.as_str())
            }
        }
    }

    /// Returns the type that an entity declares, with type arguments.
    pub(crate) fn declared_type(&self, entity: &Entity<'w>, arguments: Vec<Ty<'w>>) -> Ty<'w> {
        match entity {
            Entity::Symbol(module, symbol) => self.symbol_declared_type(*module, *symbol, arguments),
            Entity::Module(_) | Entity::Unknown => Ty::Unknown,
            // If a generic type of a package is applied to type arguments, the result is unknown.
            Entity::External if arguments.is_empty() => Ty::External,
            Entity::External => Ty::Unknown,
            Entity::Watched(read) => Ty::Watched(*read),
            Entity::Value(ty) => match ty {
                Ty::Static(owner) => Ty::Instance(*owner, None),
                other => other.clone(),
            },
        }
    }

    fn symbol_declared_type(&self, module: u32, symbol: SymbolId, arguments: Vec<Ty<'w>>) -> Ty<'w> {
        let loaded = self.module(module);
        for declaration in loaded.declarations(symbol) {
            let parameters = match loaded.kind(declaration) {
                AstKind::TSTypeAliasDeclaration(alias) => {
                    let substitution = self.substitution_for(module, alias.type_parameters.as_deref(), &arguments);
                    return self.annotation_type(module, &alias.type_annotation, &substitution);
                }
                AstKind::Class(class) => class.type_parameters.as_deref(),
                AstKind::TSInterfaceDeclaration(interface) => interface.type_parameters.as_deref(),
                // A constructor function in JavaScript creates objects.
                AstKind::Function(_) => None,
                AstKind::TSEnumDeclaration(_) | AstKind::TSEnumMember(_) => return Ty::Primitive,
                AstKind::TSTypeParameter(_) => return Ty::Parameter(module, symbol),
                _ => continue,
            };
            let substitution = self.substitution_for(module, parameters, &arguments);
            return Ty::Instance(Owner::Symbol(module, symbol), substitution);
        }
        Ty::Unknown
    }

    /// Returns the substitution for type parameters and arguments; missing arguments are replaced by defaults.
    pub(crate) fn substitution_for(
        &self,
        module: u32,
        parameters: Option<&'w TSTypeParameterDeclaration<'w>>,
        arguments: &[Ty<'w>],
    ) -> Substitution<'w> {
        let parameters = parameters?;
        let mut meaning = TypeArguments::default();
        for (index, parameter) in parameters.params.iter().enumerate() {
            let Some(symbol) = parameter.name.symbol_id.get() else { continue };
            let given = arguments.get(index).cloned();
            let given = given.or_else(|| {
                let known = Some(Rc::new(meaning.clone()));
                parameter.default.as_ref().map(|ty| self.annotation_type(module, ty, &known))
            });
            if let Some(ty) = given {
                let ty = self.as_key(module, parameter, ty, || meaning.clone());
                meaning.parameters.push(((module, symbol), ty));
            }
        }
        Some(Rc::new(meaning))
    }

    /// `typeof x`
    fn type_query(&self, module: u32, name: &'w TSTypeQueryExprName<'w>) -> Ty<'w> {
        match name {
            TSTypeQueryExprName::TSImportType(import) => {
                let entity = self.import_type_entity(module, import);
                self.entity_type(&entity)
            }
            TSTypeQueryExprName::QualifiedName(name) => {
                let left = self.type_query_value(module, &name.left);
                self.member_type(&left, name.right.name.as_str())
            }
            TSTypeQueryExprName::IdentifierReference(name) => match self.resolve_identifier(module, name) {
                Some(symbol) => self.symbol_type(module, symbol),
                None => Ty::Unknown,
            },
            TSTypeQueryExprName::ThisExpression(_) => Ty::Unknown,
        }
    }

    /// Returns the type of the value in a type query with a dotted name.
    pub(crate) fn type_query_value(&self, module: u32, name: &'w TSTypeName<'w>) -> Ty<'w> {
        match name {
            TSTypeName::IdentifierReference(name) => match self.resolve_identifier(module, name) {
                Some(symbol) => self.symbol_type(module, symbol),
                None => Ty::Unknown,
            },
            TSTypeName::QualifiedName(name) => {
                let left = self.with_depth(Ty::Unknown, || self.type_query_value(module, &name.left));
                self.member_type(&left, name.right.name.as_str())
            }
            TSTypeName::ThisExpression(_) => Ty::Unknown,
        }
    }

    /// `T[K]`
    pub(crate) fn indexed_access(&self, object: &Ty<'w>, index: &Ty<'w>) -> Ty<'w> {
        let one = |index: &Ty<'w>| match index {
            Ty::String(name, _) => self.member_type(object, name),
            Ty::Primitive => self.element_type(object),
            Ty::Keys(_) => match object {
                Ty::Mapped(of, module, mapped, substitution) => {
                    self.any_mapped_member(of, (*module, *mapped), substitution)
                }
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        };
        Ty::union_of(index.alternatives().iter().map(one))
    }

    /// Returns the instance type of the class or interface around a node.
    pub(crate) fn enclosing_instance(&self, module: u32, node: oxc_semantic::NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        let around = loaded.self_and_ancestors(node).find_map(|around| match loaded.kind(around) {
            AstKind::Class(class) => Some(class_owner(module, class)),
            AstKind::TSInterfaceDeclaration(interface) => {
                interface.id.symbol_id.get().map(|symbol| Owner::Symbol(module, symbol))
            }
            _ => None,
        });
        around.map_or(Ty::Unknown, |owner| Ty::Instance(owner, None))
    }

    /// Returns the type of an entity as a value.
    pub(crate) fn entity_type(&self, entity: &Entity<'w>) -> Ty<'w> {
        match entity {
            Entity::Symbol(module, symbol) => self.symbol_type(*module, *symbol),
            Entity::Module(found) => Ty::Module(*found),
            Entity::Value(ty) => ty.clone(),
            Entity::External => Ty::External,
            Entity::Unknown => Ty::Unknown,
            Entity::Watched(read) => Ty::Watched(*read),
        }
    }

    /// Returns the element type of a list or other sequence.
    pub(crate) fn element_type(&self, of: &Ty<'w>) -> Ty<'w> {
        match of {
            Ty::Builtin(Builtin::Array | Builtin::Set, inner) => inner.first().cloned().unwrap_or(Ty::Unknown),
            Ty::Builtin(Builtin::Map, inner) => Ty::Tuple(inner.clone()),
            Ty::Tuple(elements) => Ty::union_of(elements.iter().cloned()),
            Ty::Union(types) | Ty::Intersection(types) => Ty::union_of(types.iter().map(|ty| self.element_type(ty))),
            Ty::External | Ty::Platform => of.clone(),
            Ty::Primitive | Ty::String(..) => Ty::Primitive,
            Ty::Instance(..) | Ty::Literal(..) => self.index_signature(of).unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of the member with this name.
    pub(crate) fn member_type(&self, of: &Ty<'w>, name: &str) -> Ty<'w> {
        if matches!(of, Ty::Primitive | Ty::String(..) | Ty::Keys(_)) {
            return Ty::Primitive;
        }
        self.with_depth(Ty::Unknown, || {
            let props = self.props(of, name);
            self.props_type(&props)
        })
    }

    pub(crate) fn props_type(&self, props: &Props<'w>) -> Ty<'w> {
        if props.found.is_empty() {
            return match props {
                Props { may_have_more: true, .. } | Props { external: false, .. } => Ty::Unknown,
                Props { platform: true, .. } => Ty::Platform,
                _ => Ty::External,
            };
        }
        Ty::union_of(props.found.iter().map(|prop| self.source_type(&prop.source)))
    }

    /// Returns the type of a member from its source.
    pub(crate) fn source_type(&self, source: &Source<'w>) -> Ty<'w> {
        self.with_depth(Ty::Unknown, || match source {
            Source::Type(module, ty, substitution) => self.annotation_type(*module, ty, substitution),
            Source::Value(module, value) => self.expression_type(*module, value),
            Source::Callable(signature) => Ty::Callable(signature.clone()),
            Source::Returned(signature) => self.return_type_of(signature),
            Source::Symbol(module, symbol) => self.symbol_type(*module, *symbol),
            Source::Ty(ty) => ty.clone(),
        })
    }
}
