//! Members of types by name.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Callable, Entity, Prop, Props, Signature, Source, Substitution, Ty, key_name};
use crate::program::expandos::Side;
use crate::program::ids::{Owner, Site};

impl<'w> Checker<'w> {
    /// Returns the members of a type with this name.
    pub(crate) fn props(&self, of: &Ty<'w>, name: &str) -> Props<'w> {
        let mut props = self.with_depth(Props::unknown(), || self.compute_props(of, name));
        if let Ty::Instance(owner, _) = of
            && self.is_library(owner.module())
            && props.found.is_empty()
        {
            // The library declares only some of the members.
            return Props::unknown();
        }
        // The library's declarations are not those of the project.
        for prop in &mut props.found {
            prop.site = prop.site.filter(|site| *site == Site::WATCHED || !self.is_library(site.module));
        }
        props
    }

    fn compute_props(&self, of: &Ty<'w>, name: &str) -> Props<'w> {
        match of {
            Ty::Unknown => Props::unknown(),
            Ty::Primitive | Ty::String(..) | Ty::Keys(_) => Props::none(),
            Ty::External | Ty::Platform | Ty::Builtin(..) | Ty::Tuple(_) | Ty::Callable(_) => {
                self.platform_props(of, name)
            }
            Ty::Instance(owner, substitution) => self.instance_props(*owner, substitution, name, of),
            Ty::Static(owner) => self.static_props(*owner, name),
            Ty::Module(found) => self.exported_props(*found, name),
            Ty::Watched(read) => match self.watched(*read, name) {
                crate::infer::ty::Entity::Watched(read) => {
                    let all = self.watch.as_ref().is_some_and(|watch| watch.path.len() == read);
                    Props::single(all.then_some(Site::WATCHED), Source::Ty(Ty::Watched(read)))
                }
                // The path of the watched symbol continues with a different name.
                _ => Props::none(),
            },
            Ty::Literal(module, literal, substitution) => {
                let props = self.signatures_props(*module, &literal.members, substitution, name, of);
                match self.index_signature(of) {
                    Some(index) if props.found.is_empty() => Props::indexed(index),
                    _ => props,
                }
            }
            Ty::Object(module, object) => self.object_props(*module, object, name),
            Ty::Mapped(of, module, mapped, substitution) => {
                self.mapped_props(of, (*module, *mapped), substitution, name)
            }
            Ty::Union(types) => {
                let mut props = Props::none();
                let mut foreign = false;
                for ty in types.iter() {
                    let one = self.props(ty, name);
                    foreign |= one.external && one.found.is_empty();
                    props.add(one);
                }
                props.mixed |= foreign && !props.found.is_empty();
                props
            }
            Ty::Intersection(types) => {
                let mut props = Props::none();
                types.iter().for_each(|ty| props.add(self.props(ty, name)));
                props.may_have_more &= props.found.is_empty();
                props
            }
            Ty::Named(members) => {
                let own = members.iter().filter(|member| member.name == name);
                let found = own.map(|it| Prop { site: it.site, source: it.source.clone(), optional: false });
                Props { found: found.collect(), ..Props::default() }
            }
            Ty::Parameter(module, symbol) => {
                let props = self.constraint(*module, *symbol).map(|constraint| self.props(&constraint, name));
                // The type that the parameter stands for may have more members than its constraint.
                props.filter(|props| !props.is_absent()).unwrap_or_else(Props::unknown)
            }
        }
    }

    /// Returns the constraint of a type parameter.
    pub(crate) fn constraint(&self, module: u32, symbol: SymbolId) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        match loaded.kind(loaded.scoping().symbol_declaration(symbol)) {
            AstKind::TSTypeParameter(parameter) => {
                parameter.constraint.as_ref().map(|ty| self.annotation_type(module, ty, &None))
            }
            _ => None,
        }
    }

    /// Replaces a type parameter by its constraint.
    pub(crate) fn constraint_or_self(&self, ty: &Ty<'w>) -> Ty<'w> {
        match ty {
            Ty::Parameter(module, symbol) => self.constraint(*module, *symbol).unwrap_or(Ty::Unknown),
            other => other.clone(),
        }
    }

    fn platform_props(&self, of: &Ty<'w>, name: &str) -> Props<'w> {
        use crate::infer::ty::Builtin;
        // Members whose type is a type argument of the container.
        let given = match (of, name) {
            (Ty::Builtin(Builtin::Array, inner), "0") => inner.first().cloned(),
            (Ty::Builtin(Builtin::Component, inner), "props") => inner.first().cloned(),
            (Ty::Builtin(Builtin::Component, inner), "state") => inner.get(1).cloned(),
            (Ty::Builtin(Builtin::Component, inner), "setState") => self.state_setter(inner),
            // The events of a component file, whose names are attributes as well.
            (Ty::Builtin(Builtin::Component, inner), "$emits") => inner.get(2).cloned(),
            _ => None,
        };
        if let Some(ty) = given {
            return Props::single(None, Source::Ty(ty));
        }
        // The names in `dataset` are those of arbitrary attributes.
        if matches!(of, Ty::Platform) && name == "dataset" {
            return Props { external: true, ..Props::single(None, Source::Ty(Ty::External)) };
        }
        if matches!(of, Ty::Platform) && !builtins::platform_has_member(name) {
            return Props::unknown();
        }
        if matches!(of, Ty::External | Ty::Platform) && builtins::may_hold_anything(name) {
            return Props { external: true, ..Props::single(None, Source::Ty(Ty::Unknown)) };
        }
        if matches!(of, Ty::Platform) {
            return Props::platform();
        }
        let has_all = matches!(of, Ty::External | Ty::Builtin(Builtin::Component, _));
        if has_all || builtins::container_has_member(name) { Props::external() } else { Props::none() }
    }

    /// Returns the type of the method `setState` of a component with these types of props and state.
    fn state_setter(&self, types: &[Ty<'w>]) -> Option<Ty<'w>> {
        let [props, state, ..] = types else { return None };
        let (library, symbol) = self.library_export("react", "SetComponentState")?;
        Some(self.declared_type(&Entity::Symbol(library, symbol), vec![state.clone(), props.clone()]))
    }

    /// Returns the members of instances of a class or interface; those of its bases if it declares none with this name.
    fn instance_props(&self, owner: Owner, substitution: &Substitution<'w>, name: &str, this: &Ty<'w>) -> Props<'w> {
        let own = self.own_props(owner, substitution, name, this);
        if !own.found.is_empty() || name.starts_with('#') {
            return own;
        }
        let mut props = own;
        for base in self.bases(owner, substitution) {
            props.add(self.props(&base, name));
        }
        // All bases of an interface declare the same member, as the parts of an intersection do.
        if !self.is_class(owner) {
            props.may_have_more &= props.found.is_empty();
        }
        // An index signature matches every name.
        if props.found.is_empty()
            && !props.may_have_more
            && let Some(index) = self.index_signature(this)
        {
            return Props::indexed(index);
        }
        props
    }

    /// Returns the members that the owner itself declares.
    pub(crate) fn own_props(
        &self,
        owner: Owner,
        substitution: &Substitution<'w>,
        name: &str,
        this: &Ty<'w>,
    ) -> Props<'w> {
        let module = owner.module();
        let mut props = Props::none();
        for declaration in self.owner_nodes(owner) {
            match self.module(module).kind(declaration) {
                AstKind::Class(class) => {
                    props.add(self.class_props(module, class, substitution, name, Side::Instance));
                }
                AstKind::TSInterfaceDeclaration(interface) => {
                    props.add(self.signatures_props(module, &interface.body.body, substitution, name, this));
                }
                _ => {}
            }
        }
        if props.found.is_empty() && !self.inherits_in_typescript(owner) {
            props.add(self.expando_props(owner, Side::Instance, name));
        }
        props
    }

    /// Returns whether an owner is a class with a base class in TypeScript. There, an assignment such as `this.state = …`
    /// does not declare a member, so the base class declares it.
    fn inherits_in_typescript(&self, owner: Owner) -> bool {
        let module = self.module(owner.module());
        let has_base = |node| matches!(module.kind(node), AstKind::Class(class) if class.heritage.is_some());
        !module.is_javascript() && self.owner_nodes(owner).into_iter().any(has_base)
    }

    /// Returns the nodes that declare an owner.
    pub(crate) fn owner_nodes(&self, owner: Owner) -> Vec<oxc_semantic::NodeId> {
        match owner {
            Owner::Symbol(module, symbol) => self.module(module).declarations(symbol),
            Owner::Node(_, node) => vec![node],
        }
    }

    fn expando_props(&self, owner: Owner, side: Side, name: &str) -> Props<'w> {
        let module = owner.module();
        let loaded = self.module(module);
        let found = loaded.expandos().first_assignment(owner, side, name);
        found.map_or_else(Props::none, |expando| {
            let source = expando.value.map_or(Source::Ty(Ty::Unknown), |value| Source::Value(module, value));
            Props::single(Some(Site { module, offset: expando.offset }), source)
        })
    }

    pub(crate) fn class_props(
        &self,
        module: u32,
        class: &'w Class<'w>,
        substitution: &Substitution<'w>,
        name: &str,
        side: Side,
    ) -> Props<'w> {
        let mut props = Props::none();
        let mut add = |span: oxc_span::Span, source: Source<'w>| {
            props.found.push(Prop { site: Some(Site { module, offset: span.start }), source, optional: false });
        };
        for element in &class.body.body {
            let is_static = element.r#static();
            if is_static != (side == Side::Static) {
                continue;
            }
            match element {
                ClassElement::MethodDefinition(method) if key_name(&method.key).as_deref() == Some(name) => {
                    let signature = Signature {
                        module,
                        callable: Callable::Function(&method.value),
                        substitution: substitution.clone(),
                    };
                    match method.kind {
                        MethodDefinitionKind::Method => add(method.key.span(), Source::Callable(signature)),
                        MethodDefinitionKind::Get => add(method.key.span(), Source::Returned(signature)),
                        MethodDefinitionKind::Set => add(method.key.span(), Source::Ty(Ty::Primitive)),
                        MethodDefinitionKind::Constructor => {}
                    }
                }
                ClassElement::PropertyDefinition(property) if key_name(&property.key).as_deref() == Some(name) => {
                    let source = annotation_or_value(
                        module,
                        property.type_annotation.as_deref(),
                        property.value.as_ref(),
                        substitution,
                    );
                    add(property.key.span(), source);
                }
                ClassElement::AccessorProperty(property) if key_name(&property.key).as_deref() == Some(name) => {
                    let source = annotation_or_value(
                        module,
                        property.type_annotation.as_deref(),
                        property.value.as_ref(),
                        substitution,
                    );
                    add(property.key.span(), source);
                }
                _ => {}
            }
        }
        if side == Side::Instance {
            for (identifier, parameter) in parameter_properties(class).filter(|(id, _)| id.name == name) {
                let source = annotation_or_value(
                    module,
                    parameter.type_annotation.as_deref(),
                    parameter.initializer.as_deref(),
                    substitution,
                );
                add(identifier.span, source);
            }
        }
        props
    }

    /// Returns the members in a list of signatures.
    fn signatures_props(
        &self,
        module: u32,
        members: &'w [TSSignature<'w>],
        substitution: &Substitution<'w>,
        name: &str,
        this: &Ty<'w>,
    ) -> Props<'w> {
        let mut props = Props::none();
        for member in members {
            let (key, source, optional) = match member {
                TSSignature::TSPropertySignature(property) if key_name(&property.key).as_deref() == Some(name) => {
                    let source = annotation_or_value(module, property.type_annotation.as_deref(), None, substitution);
                    (&property.key, source, property.optional)
                }
                TSSignature::TSMethodSignature(method) if key_name(&method.key).as_deref() == Some(name) => {
                    let substitution = with_this(substitution, this);
                    let signature = Signature { module, callable: Callable::MethodSignature(method), substitution };
                    let source = match method.kind {
                        TSMethodSignatureKind::Method => Source::Callable(signature),
                        TSMethodSignatureKind::Get => Source::Returned(signature),
                        TSMethodSignatureKind::Set => Source::Ty(Ty::Primitive),
                    };
                    (&method.key, source, method.optional)
                }
                _ => continue,
            };
            let site = Some(Site { module, offset: key.span().start });
            props.found.push(Prop { site, source, optional });
        }
        props
    }

    /// Returns the members of an object literal: the last one that certainly exists, and those after it that may
    /// override it.
    fn object_props(&self, module: u32, object: &'w ObjectExpression<'w>, name: &str) -> Props<'w> {
        let mut props = Props::none();
        for property in object.properties.iter().rev() {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    if key_name(&property.key).as_deref() != Some(name) {
                        continue;
                    }
                    let site = Some(Site { module, offset: property.key.span().start });
                    let source = object_property_source(module, property);
                    props.found.push(Prop { site, source, optional: false });
                    // A getter and a setter are one member.
                    if property.kind == PropertyKind::Init {
                        return props;
                    }
                }
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let spread = self.props(&self.expression_type(module, &spread.argument), name);
                    let certain = !spread.may_have_more && spread.found.iter().any(|prop| !prop.optional);
                    props.add(spread);
                    if certain {
                        return props;
                    }
                }
            }
        }
        if props.found.is_empty() {
            props.add(self.expando_props(Owner::Node(module, object.node_id.get()), Side::Static, name));
        }
        props
    }

    /// Returns the static members of a class, function, enum or namespace.
    fn static_props(&self, owner: Owner, name: &str) -> Props<'w> {
        let module = owner.module();
        let mut props = Props::none();
        for declaration in self.owner_nodes(owner) {
            match self.module(module).kind(declaration) {
                AstKind::Class(class) => props.add(self.class_props(module, class, &None, name, Side::Static)),
                AstKind::TSEnumDeclaration(declared) => {
                    let members = declared.body.members.iter();
                    for member in members.filter(|member| member.id.static_name().as_str() == Some(name)) {
                        let site = Some(Site { module, offset: member.id.span().start });
                        props.add(Props::single(site, Source::Ty(Ty::Primitive)));
                    }
                }
                AstKind::TSNamespaceDeclaration(namespace) => props.add(self.block_members(module, namespace, name)),
                _ => {}
            }
        }
        if props.found.is_empty() {
            props.add(self.expando_props(owner, Side::Static, name));
        }
        if name == "prototype" {
            return Props::single(None, Source::Ty(Ty::Instance(owner, None)));
        }
        if props.found.is_empty()
            && let Some(base) = self.static_base(owner)
        {
            props.add(self.props(&base, name));
        }
        props
    }

    /// Returns the members of all blocks of a namespace.
    pub(crate) fn namespace_members(&self, module: u32, symbol: SymbolId, name: &str) -> Props<'w> {
        let mut props = Props::none();
        for declaration in self.module(module).declarations(symbol) {
            if let AstKind::TSNamespaceDeclaration(namespace) = self.module(module).kind(declaration) {
                props.add(self.block_members(module, namespace, name));
            }
        }
        props
    }

    fn block_members(&self, module: u32, namespace: &'w TSNamespaceDeclaration<'w>, name: &str) -> Props<'w> {
        let loaded = self.module(module);
        let bound = namespace
            .scope_id
            .get()
            .and_then(|scope| loaded.scoping().get_binding(scope, oxc_ast::ast::Ident::from(name)));
        bound.map_or_else(Props::none, |symbol| self.symbol_prop(module, symbol))
    }

    /// Returns the type of the index signature.
    pub(crate) fn index_signature(&self, of: &Ty<'w>) -> Option<Ty<'w>> {
        let find = |module: u32, members: &'w [TSSignature<'w>], substitution: &Substitution<'w>| {
            members.iter().find_map(|member| match member {
                TSSignature::TSIndexSignature(index) => {
                    Some(self.annotation_type(module, &index.type_annotation.type_annotation, substitution))
                }
                _ => None,
            })
        };
        match of {
            Ty::Literal(module, literal, substitution) => find(*module, &literal.members, substitution),
            Ty::Instance(owner, substitution) => {
                let module = owner.module();
                self.owner_nodes(*owner).into_iter().find_map(|node| match self.module(module).kind(node) {
                    AstKind::TSInterfaceDeclaration(interface) => find(module, &interface.body.body, substitution),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

/// Yields the parameter properties of a class's constructor.
pub(crate) fn parameter_properties<'w>(
    class: &'w Class<'w>,
) -> impl Iterator<Item = (&'w BindingIdentifier<'w>, &'w FormalParameter<'w>)> {
    let constructors = class.body.body.iter().filter_map(|element| match element {
        ClassElement::MethodDefinition(method) if method.kind == MethodDefinitionKind::Constructor => Some(method),
        _ => None,
    });
    constructors.flat_map(|constructor| constructor.value.params.items.iter()).filter_map(|parameter| {
        let is_property = parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
        let name = match &parameter.pattern {
            BindingPattern::BindingIdentifier(name) => name,
            BindingPattern::AssignmentPattern(pattern) => match &pattern.left {
                BindingPattern::BindingIdentifier(name) => name,
                _ => return None,
            },
            _ => return None,
        };
        is_property.then_some((&**name, parameter))
    })
}

fn annotation_or_value<'w>(
    module: u32,
    annotation: Option<&'w TSTypeAnnotation<'w>>,
    value: Option<&'w Expression<'w>>,
    substitution: &Substitution<'w>,
) -> Source<'w> {
    match (annotation, value) {
        (Some(annotation), _) => Source::Type(module, &annotation.type_annotation, substitution.clone()),
        (None, Some(value)) => Source::Value(module, value),
        (None, None) => Source::Ty(Ty::Unknown),
    }
}

fn object_property_source<'w>(module: u32, property: &'w ObjectProperty<'w>) -> Source<'w> {
    match (&property.value, property.kind) {
        (Expression::FunctionExpression(function), PropertyKind::Get) => {
            Source::Returned(Signature { module, callable: Callable::Function(function), substitution: None })
        }
        (_, PropertyKind::Set) => Source::Ty(Ty::Primitive),
        (value, _) => Source::Value(module, value),
    }
}

fn with_this<'w>(substitution: &Substitution<'w>, this: &Ty<'w>) -> Substitution<'w> {
    let mut meaning = substitution.as_deref().cloned().unwrap_or_default();
    meaning.this = Some(this.clone());
    Some(std::rc::Rc::new(meaning))
}
