//! Types of components: their props and events, and the members that a template can access.

use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::component_macros::{calls_of, macro_call, options_in};
use crate::infer::ty::{Builtin, Entity, NamedMember, Source, Ty, key_name};
use crate::program::exports::Export;
use crate::program::ids::Site;
use crate::syntax::component_options::ComponentOptions;
use crate::syntax::components::{Kind, kind_of};

/// The types of a component.
pub(crate) struct ComponentTypes<'w> {
    pub(crate) props: Ty<'w>,
    pub(crate) events: Ty<'w>,
    /// The object whose members the template and the methods in the options can access.
    pub(crate) instance: Ty<'w>,
}

impl<'w> Checker<'w> {
    /// Returns the types of the component that a module declares. `None` for other modules.
    pub(crate) fn component_types(&self, module: u32) -> Option<Rc<ComponentTypes<'w>>> {
        let kind = kind_of(&self.module(module).path)?;
        if let Some(known) = self.components.borrow().get(&module) {
            return known.clone();
        }
        self.components.borrow_mut().insert(module, None);
        let types = Rc::new(match kind {
            Kind::Vue => self.vue_types(module),
            Kind::Svelte => {
                let props = self.svelte_props(module);
                ComponentTypes { props, events: self.dispatched_events(module), instance: Ty::Unknown }
            }
            Kind::Astro => {
                ComponentTypes { props: self.astro_props(module), events: Ty::Primitive, instance: Ty::Unknown }
            }
        });
        self.components.borrow_mut().insert(module, Some(types.clone()));
        Some(types)
    }

    /// Returns the type of the component that a module declares, as an element.
    pub(crate) fn component_value(&self, module: u32) -> Option<Ty<'w>> {
        let types = self.component_types(module)?;
        let events = Ty::Builtin(Builtin::Component, Rc::from([types.events.clone()]));
        Some(Ty::Builtin(Builtin::Component, Rc::from([types.props.clone(), Ty::Unknown, events])))
    }

    /// Returns the type of `this` in a template, or in a function of the options of a component.
    pub(crate) fn component_this(&self, module: u32, node: NodeId) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        kind_of(&loaded.path).filter(|kind| *kind == Kind::Vue)?;
        let mut functions = loaded.self_and_ancestors(node).skip(1);
        let is_in_function = functions.any(|around| matches!(loaded.kind(around), AstKind::Function(_)));
        let span = loaded.kind(node).span();
        let is_option = options_in(loaded.program).is_some_and(|options| options.0.span.contains_inclusive(span));
        (is_option || !is_in_function).then(|| self.component_types(module).map(|types| types.instance.clone()))?
    }

    /// Returns the type whose members the keys of the option `watch` name. `None` for other properties.
    pub(crate) fn watched_members(&self, module: u32, property: &ObjectProperty<'w>) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        kind_of(&loaded.path).filter(|kind| *kind == Kind::Vue)?;
        let watch = options_in(loaded.program)?.get("watch")?;
        (watch.span == property.span).then(|| self.component_types(module).map(|types| types.instance.clone()))?
    }

    fn vue_types(&self, module: u32) -> ComponentTypes<'w> {
        let program = self.module(module).program;
        let (mut props, mut events, mut members) = (Vec::new(), Vec::new(), Vec::new());
        for call in calls_of(program) {
            match macro_call(call) {
                Some("defineProps") => props.push(self.declared_by_macro(module, call, false)),
                Some("defineEmits") => events.push(self.declared_by_macro(module, call, true)),
                Some("defineModel") => props.push(self.model(module, call)),
                _ => {}
            }
        }
        if let Some(options) = options_in(program) {
            props.extend(options.get("props").map(|option| self.runtime_members(module, &option.value)));
            events.extend(options.get("emits").map(|option| self.runtime_members(module, &option.value)));
            members = self.option_members(module, options);
        }
        let types = props.clone();
        let props = Ty::intersection_of(props);
        let itself = NamedMember { name: "$props", site: None, source: Source::Ty(props.clone()) };
        let instance = Ty::intersection_of(types.into_iter().chain(members).chain([Ty::Named([itself].into())]));
        ComponentTypes { props, events: Ty::intersection_of(events), instance }
    }

    /// Returns the members that `defineProps` or `defineEmits` declare.
    fn declared_by_macro(&self, module: u32, call: &'w CallExpression<'w>, are_events: bool) -> Ty<'w> {
        if let Some(given) = call.type_arguments.as_ref().and_then(|given| given.params.first()) {
            let ty = self.annotation_type(module, given, &None);
            return if are_events { self.events_of_signatures(ty) } else { ty };
        }
        match call.arguments.first().and_then(Argument::as_expression) {
            Some(value) => self.runtime_members(module, value),
            None => Ty::Primitive,
        }
    }

    /// Returns the events of a function type such as `(e: "close", id: number) => void`. Other types have an event for
    /// each member.
    fn events_of_signatures(&self, ty: Ty<'w>) -> Ty<'w> {
        let signatures = self.signatures(&ty, false);
        if signatures.is_empty() {
            return ty;
        }
        let mut events = Vec::new();
        for signature in signatures {
            for name in self.parameter_type_at(&signature, 0).alternatives() {
                if let Ty::String(name, Some(site)) = name {
                    events.push(NamedMember { name, site: Some(*site), source: Source::Ty(Ty::Unknown) });
                }
            }
        }
        Ty::intersection_of([Ty::Named(events.into()), ty])
    }

    /// Returns the members that a list of strings, or an object with their types, declares.
    fn runtime_members(&self, module: u32, value: &'w Expression<'w>) -> Ty<'w> {
        match value.get_inner_expression() {
            Expression::ArrayExpression(array) => {
                let is_open =
                    array.elements.iter().any(|element| !matches!(element, ArrayExpressionElement::StringLiteral(_)));
                let named = array.elements.iter().filter_map(|element| match element {
                    ArrayExpressionElement::StringLiteral(text) => string_member(module, text),
                    _ => None,
                });
                let named = Ty::Named(named.collect());
                if is_open { Ty::Intersection([named, Ty::Unknown].into()) } else { named }
            }
            Expression::ObjectExpression(object) => {
                let mut members = Vec::new();
                let mut others = Vec::new();
                for property in &object.properties {
                    match property {
                        ObjectPropertyKind::ObjectProperty(property) => {
                            members.extend(self.runtime_member(module, property));
                        }
                        ObjectPropertyKind::SpreadProperty(spread) => {
                            others.push(self.expression_type(module, &spread.argument));
                        }
                    }
                }
                Ty::intersection_of(std::iter::once(Ty::Named(members.into())).chain(others))
            }
            other => self.expression_type(module, other),
        }
    }

    fn runtime_member(&self, module: u32, property: &'w ObjectProperty<'w>) -> Option<NamedMember<'w>> {
        let name = match &property.key {
            PropertyKey::StaticIdentifier(name) => name.name.as_str(),
            PropertyKey::StringLiteral(text) => text.value.as_str()?,
            _ => return None,
        };
        let site = Some(Site { module, offset: property.key.span().start });
        Some(NamedMember { name, site, source: Source::Ty(self.runtime_type(module, &property.value)) })
    }

    /// Returns the type of a prop that is declared as `String`, `Object as PropType<T>` or `{ type: …, default: … }`.
    fn runtime_type(&self, module: u32, declared: &'w Expression<'w>) -> Ty<'w> {
        match declared {
            Expression::ObjectExpression(object) => object
                .properties
                .iter()
                .find_map(|property| match property {
                    ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name("type") => {
                        Some(self.runtime_type(module, &property.value))
                    }
                    _ => None,
                })
                .unwrap_or(Ty::Unknown),
            Expression::TSAsExpression(cast) => match &cast.type_annotation {
                TSType::TSTypeReference(reference) => {
                    let given = reference.type_arguments.as_ref().and_then(|given| given.params.first());
                    given.map_or(Ty::Unknown, |given| self.annotation_type(module, given, &None))
                }
                TSType::TSFunctionType(function) => {
                    self.annotation_type(module, &function.return_type.type_annotation, &None)
                }
                _ => Ty::Unknown,
            },
            Expression::Identifier(name)
                if matches!(name.name.as_str(), "String" | "Number" | "Boolean" | "Symbol") =>
            {
                Ty::Primitive
            }
            _ => Ty::Unknown,
        }
    }

    fn model(&self, module: u32, call: &'w CallExpression<'w>) -> Ty<'w> {
        match call.arguments.first() {
            Some(Argument::StringLiteral(name)) => Ty::Named(string_member(module, name).into_iter().collect()),
            _ => Ty::Primitive,
        }
    }

    /// Returns the types of the members that the options declare for the template and for `this`.
    fn option_members(&self, module: u32, options: ComponentOptions<'w>) -> Vec<Ty<'w>> {
        let mut members = Vec::new();
        for name in ["data", "setup", "asyncData"] {
            if let Some(option) = options.get(name) {
                let value = self.expression_type(module, &option.value);
                members.push(self.awaited_type(&self.call_result(&value)));
            }
        }
        for name in ["methods", "components", "filters"] {
            members.extend(options.get(name).map(|option| self.expression_type(module, &option.value)));
        }
        if let Some(option) = options.get("computed") {
            members.push(self.computed_members(module, &option.value));
        }
        members.extend(options.get("inject").map(|option| self.runtime_members(module, &option.value)));
        if options.has("mixins") || options.has("extends") {
            members.push(Ty::Unknown);
        }
        members
    }

    /// Returns the members of `computed`, whose values are those that the functions return.
    fn computed_members(&self, module: u32, value: &'w Expression<'w>) -> Ty<'w> {
        let Expression::ObjectExpression(object) = value else { return self.expression_type(module, value) };
        let mut members = Vec::new();
        let mut is_open = false;
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                is_open = true;
                continue;
            };
            if let Some(member) = self.runtime_member(module, property) {
                let getter = match &property.value {
                    Expression::ObjectExpression(pair) => ComponentOptions(pair).get("get").map(|get| &get.value),
                    other => Some(other),
                };
                let result = getter.map(|getter| self.call_result(&self.expression_type(module, getter)));
                members.push(NamedMember { source: Source::Ty(result.unwrap_or(Ty::Unknown)), ..member });
            }
        }
        let named = Ty::Named(members.into());
        if is_open { Ty::Intersection([named, Ty::Unknown].into()) } else { named }
    }

    fn svelte_props(&self, module: u32) -> Ty<'w> {
        let loaded = self.module(module);
        let mut members = Vec::new();
        for (name, exports) in &loaded.exports(None).named {
            for export in exports {
                match export {
                    Export::Declared(symbol) if self.is_mutable_variable(module, *symbol) => {
                        let source = Source::Symbol(module, *symbol);
                        let sites = self.sites_of(module, *symbol).into_iter();
                        members.extend(sites.map(|site| NamedMember {
                            name,
                            site: Some(site),
                            source: source.clone(),
                        }));
                    }
                    Export::Listed { at, symbol: Some(symbol) } => members.push(NamedMember {
                        name,
                        site: Some(Site { module, offset: *at }),
                        source: Source::Symbol(module, *symbol),
                    }),
                    _ => {}
                }
            }
        }
        members.sort_by_key(|member| member.site);
        let mut types = vec![Ty::Named(members.into())];
        for call in calls_of(loaded.program).filter(|call| macro_call(call) == Some("$props")) {
            types.push(self.props_of_rune(module, call));
        }
        Ty::intersection_of(types)
    }

    /// Returns whether a symbol is a variable and not a constant or a function.
    fn is_mutable_variable(&self, module: u32, symbol: SymbolId) -> bool {
        let loaded = self.module(module);
        match loaded.kind(loaded.parent(loaded.scoping().symbol_declaration(symbol))) {
            AstKind::VariableDeclaration(variables) => !variables.kind.is_const(),
            _ => false,
        }
    }

    /// Returns the props that `let { a, b }: Props = $props()` declares.
    fn props_of_rune(&self, module: u32, call: &'w CallExpression<'w>) -> Ty<'w> {
        if let Some(given) = call.type_arguments.as_ref().and_then(|given| given.params.first()) {
            return self.annotation_type(module, given, &None);
        }
        let loaded = self.module(module);
        let AstKind::VariableDeclarator(variable) = loaded.parent_kind(call.node_id.get()) else { return Ty::Unknown };
        match &variable.type_annotation {
            Some(annotation) => self.annotation_type(module, &annotation.type_annotation, &None),
            None => destructured_members(module, &variable.id),
        }
    }

    fn dispatched_events(&self, module: u32) -> Ty<'w> {
        let loaded = self.module(module);
        let mut types = Vec::new();
        for call in calls_of(loaded.program).filter(|call| macro_call(call) == Some("createEventDispatcher")) {
            if let Some(given) = call.type_arguments.as_ref().and_then(|given| given.params.first()) {
                types.push(self.annotation_type(module, given, &None));
                continue;
            }
            let AstKind::VariableDeclarator(variable) = loaded.parent_kind(call.node_id.get()) else { continue };
            let symbol = variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get());
            let references = symbol.map(|symbol| loaded.scoping().get_resolved_references(symbol));
            let sent = references.into_iter().flatten().filter_map(|reference| {
                match loaded.parent_kind(reference.node_id()) {
                    AstKind::CallExpression(call) => match call.arguments.first() {
                        Some(Argument::StringLiteral(name)) => string_member(module, name),
                        _ => None,
                    },
                    _ => None,
                }
            });
            types.push(Ty::Named(sent.collect()));
        }
        Ty::intersection_of(types)
    }

    fn astro_props(&self, module: u32) -> Ty<'w> {
        let loaded = self.module(module);
        if let Some(symbol) = loaded.scoping().get_root_binding(Ident::from("Props")) {
            return self.declared_type(&Entity::Symbol(module, symbol), Vec::new());
        }
        let mut types = Vec::new();
        for node in loaded.semantic().nodes().iter() {
            if let AstKind::VariableDeclarator(variable) = node.kind()
                && let Some(Expression::StaticMemberExpression(member)) = &variable.init
                && self.is_astro_props(module, member)
            {
                types.push(destructured_members(module, &variable.id));
            }
        }
        Ty::intersection_of(types)
    }

    /// Returns whether an expression is `Astro.props`.
    fn is_astro_props(&self, module: u32, member: &StaticMemberExpression<'w>) -> bool {
        let Expression::Identifier(object) = &member.object else { return false };
        object.name == "Astro"
            && member.property.name == "props"
            && self.resolve_identifier(module, object).is_none()
            && kind_of(&self.module(module).path) == Some(Kind::Astro)
    }

    /// Returns the type of `Astro.props`. `None` for other expressions.
    pub(crate) fn astro_props_type(&self, module: u32, member: &StaticMemberExpression<'w>) -> Option<Ty<'w>> {
        self.is_astro_props(module, member).then(|| self.component_types(module).map(|types| types.props.clone()))?
    }

    /// Returns the type that a macro of a component returns. `None` for other calls.
    pub(crate) fn component_macro_type(&self, module: u32, call: &'w CallExpression<'w>) -> Option<Ty<'w>> {
        let name = macro_call(call)?;
        kind_of(&self.module(module).path)?;
        match name {
            "defineProps" | "$props" => self.component_types(module).map(|types| types.props.clone()),
            "withDefaults" => call.arguments.first()?.as_expression().map(|props| self.expression_type(module, props)),
            "defineEmits" => {
                let given = call.type_arguments.as_ref()?.params.first()?;
                Some(self.annotation_type(module, given, &None))
            }
            _ => None,
        }
    }
}

fn string_member<'w>(module: u32, text: &'w StringLiteral<'w>) -> Option<NamedMember<'w>> {
    let site = Some(Site { module, offset: text.span.start });
    Some(NamedMember { name: text.value.as_str()?, site, source: Source::Ty(Ty::Unknown) })
}

/// Returns a type with the members that a pattern reads.
fn destructured_members<'w>(module: u32, pattern: &'w BindingPattern<'w>) -> Ty<'w> {
    let BindingPattern::ObjectPattern(object) = pattern else { return Ty::Unknown };
    let named = object.properties.iter().filter_map(|property| {
        let name = match &property.key {
            PropertyKey::StaticIdentifier(name) => name.name.as_str(),
            PropertyKey::StringLiteral(text) => text.value.as_str()?,
            _ => return None,
        };
        key_name(&property.key)?;
        let site = Some(Site { module, offset: property.key.span().start });
        Some(NamedMember { name, site, source: Source::Ty(Ty::Unknown) })
    });
    Ty::Named(named.collect())
}
