//! Code that runs without a call: getters, methods that convert objects to texts or numbers, iterators, and traps of
//! proxies.

use std::collections::{HashMap, HashSet};

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::collections::{collections_read, mutated_collections};
use crate::semantics::effects::{executed_nodes, member_access};
use crate::semantics::function_effects::changes_state;
use crate::semantics::operands::converts;

/// Maximum number of imported files that are read for their getters.
const MOST_FILES: usize = 24;

/// The code that a file and the files that it imports run without a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ImplicitCode {
    /// Getters by the name of their member.
    getters: HashMap<String, ImplicitFunction>,
    /// Methods that convert their object.
    conversions: Option<ImplicitFunction>,
    /// A getter of an object, which a copy of its properties runs, has side effects.
    copies_act: bool,
    /// An iterator has side effects.
    iteration_acts: bool,
    /// Names of collections that functions change.
    mutated: HashSet<String>,
}

/// Effects and dependencies of functions that run without a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ImplicitFunction {
    pub(super) has_side_effects: bool,
    /// The function returns a new object.
    pub(super) creates_object: bool,
    /// Names of members that the function reads.
    pub(super) members: HashSet<String>,
    /// Variables of the file that the function reads.
    pub(super) reads: HashSet<SymbolId>,
    /// The function reads state that calls may change.
    pub(super) reads_shared: bool,
    /// Names of collections whose size or elements the function reads.
    collections: HashSet<String>,
}

impl ImplicitCode {
    /// Collects the code of one file.
    pub(crate) fn of_file(semantic: &Semantic<'_>) -> ImplicitCode {
        let mut found = ImplicitCode::default();
        found.add_file(semantic, true);
        found.follow_getters();
        found
    }

    /// Collects the code of the open document and of the files that it imports, directly or through other files.
    pub(crate) fn of_program(checker: &Checker<'_>) -> ImplicitCode {
        let mut found = ImplicitCode::default();
        found.add_file(checker.open_module().semantic(), true);
        for module in checker.loaded_modules(MOST_FILES).into_iter().filter(|module| *module != OPEN_DOCUMENT) {
            let module = checker.module(module);
            if !module.path.contains(".d.") {
                found.add_file(module.semantic(), false);
            }
        }
        found.follow_getters();
        found
    }

    /// Yields the functions that run when these members are read and, with `converts`, when objects are converted.
    pub(super) fn run_by<'i>(
        &'i self,
        members: &'i HashSet<String>,
        converts: bool,
    ) -> impl Iterator<Item = &'i ImplicitFunction> {
        let getters = members.iter().filter_map(|name| self.getters.get(name));
        getters.chain(self.conversions.as_ref().filter(|_| converts))
    }

    /// Returns whether a node itself, regardless of its children, runs code with side effects.
    pub(super) fn acts_at(&self, semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> bool {
        let getter_acts = |name: &str| self.getters.get(name).is_some_and(|getter| getter.has_side_effects);
        let conversion_acts = || self.conversions.as_ref().is_some_and(|it| it.has_side_effects);
        if let Some((name, object)) = member_access(kind)
            && (getter_acts(name) || is_proxy(semantic, object))
        {
            return true;
        }
        match kind {
            AstKind::BindingProperty(it) => {
                it.key.static_name().is_some_and(|name| getter_acts(name.display().to_string().as_str()))
            }
            AstKind::ArrayPattern(_) => self.iteration_acts,
            AstKind::SpreadElement(it) => match semantic.nodes().parent_kind(node) {
                AstKind::ObjectExpression(_) => self.copies_act,
                _ => self.iteration_acts && !is_list(semantic, &it.argument),
            },
            _ => conversion_acts() && converts(semantic, kind),
        }
    }

    fn add_file(&mut self, semantic: &Semantic<'_>, is_open: bool) {
        self.mutated.extend(mutated_collections(semantic));
        for node in semantic.nodes().iter() {
            match node.kind() {
                AstKind::MethodDefinition(it) => {
                    let run = || function_of(semantic, it.value.body.as_deref(), is_open);
                    match (it.kind, key_name(&it.key)) {
                        (MethodDefinitionKind::Get, Some(name)) => self.add_getter(name, run()),
                        (MethodDefinitionKind::Method, _) if is_conversion(&it.key) => self.add_conversion(run()),
                        (MethodDefinitionKind::Method, _) => self.add_iterator(semantic, &it.key, &it.value, is_open),
                        _ => {}
                    }
                }
                AstKind::ObjectProperty(it) => self.add_property(semantic, it, is_open),
                AstKind::PropertyDefinition(it) if is_conversion(&it.key) => {
                    self.add_conversion(value_function(semantic, it.value.as_ref(), is_open));
                }
                AstKind::AssignmentExpression(it) if is_conversion_target(&it.left) => {
                    self.add_conversion(value_function(semantic, Some(&it.right), is_open));
                }
                AstKind::CallExpression(it) => self.add_descriptors(semantic, it, is_open),
                // The iterator that a generator returns is used up by its first use.
                AstKind::Function(it)
                    if is_open && it.generator && !is_method(semantic.nodes().parent_kind(node.id())) =>
                {
                    self.iteration_acts = true;
                }
                _ => {}
            }
        }
    }

    fn add_property(&mut self, semantic: &Semantic<'_>, property: &ObjectProperty<'_>, is_open: bool) {
        let run = || value_function(semantic, Some(&property.value), is_open);
        match (property.kind, key_name(&property.key)) {
            (PropertyKind::Get, Some(name)) => {
                let getter = run();
                self.copies_act |= getter.has_side_effects;
                self.add_getter(name, getter);
            }
            (PropertyKind::Init, _) if is_conversion(&property.key) => self.add_conversion(run()),
            (PropertyKind::Init, _) => {
                if let Expression::FunctionExpression(function) = &property.value {
                    self.add_iterator(semantic, &property.key, function, is_open);
                }
            }
            _ => {}
        }
    }

    /// Adds the method that returns an iterator, or the method `next` of one.
    fn add_iterator(&mut self, semantic: &Semantic<'_>, key: &PropertyKey<'_>, function: &Function<'_>, is_open: bool) {
        let is_iterator = match key {
            PropertyKey::StaticMemberExpression(it) => it.property.name == "iterator",
            key => key.is_specific_static_name("next"),
        };
        self.iteration_acts |= is_iterator && function.body.as_ref().is_some_and(|body| acts(semantic, body, is_open));
    }

    /// Adds the accessors and conversions that `Object.defineProperty(o, 'a', { get() {} })` and similar calls define.
    fn add_descriptors(&mut self, semantic: &Semantic<'_>, call: &CallExpression<'_>, is_open: bool) {
        let Expression::StaticMemberExpression(callee) = &call.callee else { return };
        match (callee.property.name.as_str(), call.arguments.as_slice()) {
            ("defineProperty", [_, Argument::StringLiteral(name), Argument::ObjectExpression(descriptor)]) => {
                self.add_descriptor(semantic, name.value.as_str(), descriptor, is_open);
            }
            ("defineProperties" | "create", [_, Argument::ObjectExpression(all)]) => {
                for property in &all.properties {
                    let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
                    if let Expression::ObjectExpression(descriptor) = &property.value {
                        self.add_descriptor(semantic, key_name(&property.key).as_deref(), descriptor, is_open);
                    }
                }
            }
            ("__defineGetter__", [Argument::StringLiteral(name), value]) => {
                let getter = value_function(semantic, value.as_expression(), is_open);
                self.add_getter(name.value.display().to_string(), getter);
            }
            _ => {}
        }
    }

    fn add_descriptor(
        &mut self,
        semantic: &Semantic<'_>,
        name: Option<&str>,
        descriptor: &ObjectExpression<'_>,
        is_open: bool,
    ) {
        let Some(name) = name else { return };
        for property in &descriptor.properties {
            let ObjectPropertyKind::ObjectProperty(it) = property else { continue };
            let run = || value_function(semantic, Some(&it.value), is_open);
            if it.key.is_specific_static_name("get") {
                let getter = run();
                self.copies_act |= getter.has_side_effects;
                self.add_getter(name.to_owned(), getter);
            } else if matches!(name, "toString" | "valueOf") && it.key.is_specific_static_name("value") {
                self.add_conversion(run());
            }
        }
    }

    fn add_getter(&mut self, name: String, function: ImplicitFunction) {
        self.getters.entry(name).or_default().add(function);
    }

    fn add_conversion(&mut self, function: ImplicitFunction) {
        self.conversions.get_or_insert_default().add(function);
    }

    /// Adds to each function the effects of the getters that it reads.
    fn follow_getters(&mut self) {
        let known = self.getters.clone();
        let mutated = &self.mutated;
        for function in self.getters.values_mut().chain(&mut self.conversions) {
            let mut open: Vec<String> = function.members.iter().cloned().collect();
            let mut seen = HashSet::new();
            while let Some(name) = open.pop() {
                if let Some(inner) = known.get(&name).filter(|_| seen.insert(name)) {
                    function.add(inner.clone());
                    open.extend(inner.members.iter().cloned());
                }
            }
            function.reads_shared |= !function.collections.is_disjoint(mutated);
        }
    }
}

impl ImplicitFunction {
    fn add(&mut self, other: ImplicitFunction) {
        self.has_side_effects |= other.has_side_effects;
        self.creates_object |= other.creates_object;
        self.members.extend(other.members);
        self.reads.extend(other.reads);
        self.reads_shared |= other.reads_shared;
        self.collections.extend(other.collections);
    }
}

/// Returns whether an object is a variable that holds a proxy, whose traps run at each access.
fn is_proxy(semantic: &Semantic<'_>, object: &Expression<'_>) -> bool {
    let Expression::Identifier(name) = object else { return false };
    let scoping = semantic.scoping();
    let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
    let declared = symbol.map(|symbol| semantic.nodes().kind(scoping.symbol_declaration(symbol)));
    let Some(AstKind::VariableDeclarator(variable)) = declared else { return false };
    matches!(&variable.init, Some(Expression::NewExpression(made)) if made.callee.is_specific_id("Proxy"))
}

/// Returns whether a value is certainly a list.
fn is_list(semantic: &Semantic<'_>, value: &Expression<'_>) -> bool {
    let scoping = semantic.scoping();
    match value.get_inner_expression() {
        Expression::ArrayExpression(_) | Expression::StringLiteral(_) => true,
        Expression::Identifier(name) => {
            let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
            match symbol.map(|symbol| semantic.nodes().kind(scoping.symbol_declaration(symbol))) {
                Some(AstKind::FormalParameterRest(_) | AstKind::BindingRestElement(_)) => true,
                Some(AstKind::VariableDeclarator(it)) => matches!(it.init, Some(Expression::ArrayExpression(_))),
                _ => false,
            }
        }
        _ => false,
    }
}

fn is_method(around: AstKind<'_>) -> bool {
    match around {
        AstKind::MethodDefinition(_) => true,
        AstKind::ObjectProperty(property) => property.method,
        _ => false,
    }
}

/// Returns the name of a member, without the `#` of private names.
fn key_name(key: &PropertyKey<'_>) -> Option<String> {
    match key {
        PropertyKey::PrivateIdentifier(it) => Some(it.name.to_string()),
        key => key.static_name().map(|name| name.display().to_string()),
    }
}

/// Returns whether the key is that of a method that converts its object.
fn is_conversion(key: &PropertyKey<'_>) -> bool {
    match key {
        PropertyKey::StaticMemberExpression(it) => it.property.name == "toPrimitive",
        PropertyKey::StaticIdentifier(it) => matches!(it.name.as_str(), "valueOf" | "toString"),
        _ => false,
    }
}

/// Returns whether an assignment sets a method that converts its object: `o.valueOf = …`.
fn is_conversion_target(target: &AssignmentTarget<'_>) -> bool {
    match target {
        AssignmentTarget::StaticMemberExpression(it) => matches!(it.property.name.as_str(), "valueOf" | "toString"),
        AssignmentTarget::ComputedMemberExpression(it) => {
            matches!(&it.expression, Expression::StaticMemberExpression(key) if key.property.name == "toPrimitive")
        }
        _ => false,
    }
}

/// Returns the effects of a function that a value is. Values that are not functions of the file have unknown effects.
fn value_function(semantic: &Semantic<'_>, value: Option<&Expression<'_>>, is_open: bool) -> ImplicitFunction {
    let unknown = ImplicitFunction { has_side_effects: is_open, ..ImplicitFunction::default() };
    match value {
        Some(Expression::FunctionExpression(function)) => function_of(semantic, function.body.as_deref(), is_open),
        Some(Expression::ArrowFunctionExpression(arrow)) => arrow_effects(semantic, arrow, is_open),
        Some(Expression::Identifier(name)) => {
            let scoping = semantic.scoping();
            let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
            match symbol.map(|symbol| semantic.nodes().kind(scoping.symbol_declaration(symbol))) {
                Some(AstKind::Function(function)) => function_of(semantic, function.body.as_deref(), is_open),
                Some(AstKind::VariableDeclarator(variable)) => match &variable.init {
                    Some(Expression::ArrowFunctionExpression(arrow)) => arrow_effects(semantic, arrow, is_open),
                    Some(Expression::FunctionExpression(function)) => {
                        function_of(semantic, function.body.as_deref(), is_open)
                    }
                    _ => unknown,
                },
                _ => unknown,
            }
        }
        None | Some(Expression::NullLiteral(_) | Expression::StringLiteral(_) | Expression::NumericLiteral(_)) => {
            ImplicitFunction::default()
        }
        Some(_) => unknown,
    }
}

fn arrow_effects(semantic: &Semantic<'_>, arrow: &ArrowFunctionExpression<'_>, is_open: bool) -> ImplicitFunction {
    match &arrow.body {
        ArrowFunctionBody::FunctionBody(body) => function_of(semantic, Some(body), is_open),
        body => code_effects(semantic, (arrow.node_id.get(), body.span()), is_open),
    }
}

fn function_of(semantic: &Semantic<'_>, body: Option<&FunctionBody<'_>>, is_open: bool) -> ImplicitFunction {
    body.map_or_else(ImplicitFunction::default, |body| code_effects(semantic, (body.node_id.get(), body.span), is_open))
}

fn acts(semantic: &Semantic<'_>, body: &FunctionBody<'_>, is_open: bool) -> bool {
    changes_state(semantic, (body.node_id.get(), body.span), is_open)
}

/// Returns the effects of the code of a function. Variables are only known in the open document.
fn code_effects(semantic: &Semantic<'_>, (around, within): (NodeId, Span), is_open: bool) -> ImplicitFunction {
    let scoping = semantic.scoping();
    let has_side_effects = changes_state(semantic, (around, within), is_open);
    let mut found = ImplicitFunction { has_side_effects, ..ImplicitFunction::default() };
    for (node, kind) in executed_nodes(semantic, around, within) {
        match kind {
            AstKind::ObjectExpression(_)
            | AstKind::ArrayExpression(_)
            | AstKind::NewExpression(_)
            | AstKind::RegExpLiteral(_)
            | AstKind::Class(_)
            | AstKind::Function(_)
            | AstKind::ArrowFunctionExpression(_) => found.creates_object |= node != around,
            AstKind::IdentifierReference(name) => {
                let reference = name.reference_id.get().map(|id| scoping.get_reference(id));
                let symbol = reference.and_then(|it| it.symbol_id().filter(|_| it.is_read()));
                if let Some(symbol) = symbol.filter(|symbol| scoping.symbol_is_mutated(*symbol)) {
                    found.reads_shared |= !is_open;
                    if is_open {
                        found.reads.insert(symbol);
                    }
                }
            }
            _ => {
                if let Some((name, _)) = member_access(&kind) {
                    found.members.insert(name.to_owned());
                    found.collections.extend(collections_read(&kind));
                }
            }
        }
    }
    found
}
