//! Types of expressions and variables.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Ty, key_name};
use crate::program::common_exports::{is_exports_parameter, is_module_this};
use crate::program::expandos::{Side, class_owner, function_value_owner, this_owner};
use crate::program::ids::Owner;
use crate::program::module::Module;

/// Maximum number of assignments from which the type of an unannotated variable is inferred.
const MOST_ASSIGNMENTS: usize = 8;
/// Maximum number of elements from which the type of a list is inferred.
const MOST_ELEMENTS: usize = 256;

impl<'w> Checker<'w> {
    /// Returns the type of an expression.
    pub(crate) fn expression_type(&self, module: u32, expression: &'w Expression<'w>) -> Ty<'w> {
        self.with_depth(Ty::Unknown, || self.compute_expression_type(module, expression))
    }

    fn compute_expression_type(&self, module: u32, expression: &'w Expression<'w>) -> Ty<'w> {
        match expression {
            Expression::Identifier(name) => self.identifier_type(module, name),
            Expression::StringLiteral(text) => text.value.as_str().map_or(Ty::Primitive, |text| Ty::String(text, None)),
            Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
                let text = text.quasis.first().and_then(|quasi| quasi.value.cooked?.as_str());
                text.map_or(Ty::Primitive, |text| Ty::String(text, None))
            }
            Expression::ThisExpression(this) => self.this_type(module, this.node_id.get()),
            Expression::Super(base) => match self.this_type(module, base.node_id.get()) {
                Ty::Instance(owner, substitution) => Ty::union_of(self.bases(owner, &substitution)),
                Ty::Static(owner) => self.static_base(owner).unwrap_or(Ty::Unknown),
                _ => Ty::Unknown,
            },
            Expression::ArrayExpression(array) => self.array_literal_type(module, array),
            Expression::ObjectExpression(object) => Ty::Object(module, object),
            Expression::FunctionExpression(function) => self.function_type(module, function),
            Expression::ArrowFunctionExpression(arrow) => Ty::Static(Owner::Node(module, arrow.node_id.get())),
            Expression::ClassExpression(class) => self.class_type(module, class),
            Expression::ParenthesizedExpression(inner) => self.parenthesized_type(module, inner),
            Expression::SequenceExpression(sequence) => {
                sequence.expressions.last().map_or(Ty::Primitive, |last| self.expression_type(module, last))
            }
            Expression::AssignmentExpression(assignment) => self.expression_type(module, &assignment.right),
            Expression::ConditionalExpression(choice) => Ty::union_of([
                self.expression_type(module, &choice.consequent),
                self.expression_type(module, &choice.alternate),
            ]),
            Expression::LogicalExpression(logical) => Ty::union_of([
                self.expression_type(module, &logical.left),
                self.expression_type(module, &logical.right),
            ]),
            Expression::AwaitExpression(awaited) => self.awaited_type(&self.expression_type(module, &awaited.argument)),
            Expression::TSAsExpression(cast) => self.cast_type(module, &cast.expression, &cast.type_annotation),
            Expression::TSTypeAssertion(cast) => self.cast_type(module, &cast.expression, &cast.type_annotation),
            Expression::TSSatisfiesExpression(inner) => self.expression_type(module, &inner.expression),
            Expression::TSNonNullExpression(inner) => self.expression_type(module, &inner.expression),
            Expression::TSInstantiationExpression(inner) => self.expression_type(module, &inner.expression),
            Expression::StaticMemberExpression(member) => self.member_access_type(module, member),
            Expression::PrivateFieldExpression(member) => self.private_access_type(module, member),
            Expression::ComputedMemberExpression(member) => self.computed_access_type(module, member),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.call_type(module, call),
                ChainElement::TSNonNullExpression(inner) => self.expression_type(module, &inner.expression),
                ChainElement::StaticMemberExpression(member) => self.member_access_type(module, member),
                ChainElement::ComputedMemberExpression(member) => self.computed_access_type(module, member),
                ChainElement::PrivateFieldExpression(member) => self.private_access_type(module, member),
            },
            Expression::CallExpression(call) => {
                self.component_macro_type(module, call).unwrap_or_else(|| self.call_type(module, call))
            }
            Expression::NewExpression(new) => self.new_expression_type(module, new),
            Expression::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => match source.value.as_str() {
                    Some(source) => Ty::promise(self.module_type(module, source)),
                    None => Ty::Unknown,
                },
                _ => Ty::Unknown,
            },
            Expression::YieldExpression(_) | Expression::TaggedTemplateExpression(_) => Ty::Unknown,
            Expression::JSXElement(_) | Expression::JSXFragment(_) => Ty::External,
            Expression::ImportMeta(meta) => match self.module(module).parent_kind(meta.node_id.get()) {
                AstKind::StaticMemberExpression(member) if builtins::is_import_meta_member(&member.property.name) => {
                    Ty::External
                }
                // Bundlers and programs add members to `import.meta`.
                _ => Ty::Unknown,
            },
            _ => Ty::Primitive,
        }
    }

    fn identifier_type(&self, module: u32, name: &'w IdentifierReference<'w>) -> Ty<'w> {
        if let Some(symbol) =
            self.resolve_identifier(module, name).or_else(|| self.merged_namespace_symbol(module, name))
        {
            return self.read_type(module, name, symbol);
        }
        match name.name.as_str() {
            "undefined" => Ty::Primitive,
            "exports" if self.module(module).is_javascript() => self.own_exports_type(module),
            "module" if self.module(module).is_javascript() => Ty::Unknown,
            "window" | "self" | "frames" => self.window_type(),
            known if builtins::is_platform_name(known) => builtins::global_type(known),
            other => self.global_value_type(other),
        }
    }

    /// Returns the type of the module itself, as in its own `exports`.
    pub(crate) fn own_exports_type(&self, module: u32) -> Ty<'w> {
        Ty::Module(crate::program::ids::ModuleRef { module, block: None })
    }

    fn cast_type(&self, module: u32, expression: &'w Expression<'w>, ty: &'w TSType<'w>) -> Ty<'w> {
        if is_const(ty) { self.expression_type(module, expression) } else { self.annotation_type(module, ty, &None) }
    }

    fn array_literal_type(&self, module: u32, array: &'w ArrayExpression<'w>) -> Ty<'w> {
        let element = |element: &'w ArrayExpressionElement<'w>| match element {
            ArrayExpressionElement::SpreadElement(spread) => {
                self.element_type(&self.expression_type(module, &spread.argument))
            }
            ArrayExpressionElement::Elision(_) => Ty::Primitive,
            other => other.as_expression().map_or(Ty::Unknown, |value| self.expression_type(module, value)),
        };
        if array.elements.len() > MOST_ELEMENTS {
            return Ty::array(Ty::Unknown);
        }
        Ty::array(Ty::union_of(array.elements.iter().map(element)))
    }

    fn member_access_type(&self, module: u32, member: &'w StaticMemberExpression<'w>) -> Ty<'w> {
        if self.is_own_exports(module, member) {
            return self.own_exports_type(module);
        }
        if let Some(props) = self.astro_props_type(module, member) {
            return props;
        }
        let property = member.property.name.as_str();
        let object = self.expression_type(module, &member.object);
        let is_global = self.is_global_object(module, &member.object) && !builtins::is_platform_name(property);
        if is_global && self.props(&object, property).found.is_empty() {
            return Ty::Unknown;
        }
        let declared = self.member_type(&object, property);
        self.read_path(module, member.node_id.get(), self.static_reference(module, member), declared)
    }

    fn private_access_type(&self, module: u32, member: &'w PrivateFieldExpression<'w>) -> Ty<'w> {
        let object = self.expression_type(module, &member.object);
        let declared = self.member_type(&object, &format!("#{}", member.field.name));
        self.read_path(module, member.node_id.get(), self.private_reference(module, member), declared)
    }

    /// Returns whether an expression is the global object, which also holds the globals of the program.
    fn is_global_object(&self, module: u32, object: &'w Expression<'w>) -> bool {
        let Expression::Identifier(name) = object else { return false };
        builtins::GLOBAL_OBJECTS.contains(&name.name.as_str()) && self.resolve_identifier(module, name).is_none()
    }

    fn computed_access_type(&self, module: u32, member: &'w ComputedMemberExpression<'w>) -> Ty<'w> {
        let declared = self.element_access_type(module, &member.object, &member.expression);
        self.read_path(module, member.node_id.get(), self.computed_reference(module, member), declared)
    }

    fn element_access_type(&self, module: u32, object: &'w Expression<'w>, index: &'w Expression<'w>) -> Ty<'w> {
        let object = self.expression_type(module, object);
        match index {
            Expression::NumericLiteral(number) => match &object {
                Ty::Tuple(elements) => elements.get(number.value as usize).cloned().unwrap_or(Ty::Unknown),
                other => self.element_type(other),
            },
            other => match self.expression_type(module, other) {
                Ty::String(name, _) => self.member_type(&object, name),
                Ty::Primitive => self.element_type(&object),
                Ty::Union(names) => Ty::union_of(names.iter().map(|name| match name {
                    Ty::String(name, _) => self.member_type(&object, name),
                    _ => Ty::Unknown,
                })),
                _ => Ty::Unknown,
            },
        }
    }

    pub(crate) fn function_type(&self, module: u32, function: &'w Function<'w>) -> Ty<'w> {
        Ty::Static(function_value_owner(module, function))
    }

    pub(crate) fn class_type(&self, module: u32, class: &'w Class<'w>) -> Ty<'w> {
        Ty::Static(class_owner(module, class))
    }

    /// Returns the type of `this` at a node.
    pub(crate) fn this_type(&self, module: u32, node: NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        if let Some(annotation) = declared_this(&loaded, node) {
            return self.annotation_type(module, annotation, &None);
        }
        if let Some((owner, side)) = this_owner(&loaded, node) {
            let owner = match owner {
                Owner::Symbol(_, symbol) => Owner::Symbol(module, symbol),
                Owner::Node(_, node) => Owner::Node(module, node),
            };
            return match side {
                Side::Static => Ty::Static(owner),
                Side::Instance => Ty::Instance(owner, None),
            };
        }
        if let Some(component) = self.component_this(module, node) {
            return component;
        }
        for around in loaded.self_and_ancestors(node).skip(1) {
            let AstKind::Function(_) = loaded.kind(around) else { continue };
            let AstKind::ObjectProperty(_) = loaded.parent_kind(around) else { return Ty::Unknown };
            let object = loaded.parent(loaded.parent(around));
            let AstKind::ObjectExpression(literal) = loaded.kind(object) else { return Ty::Unknown };
            return Ty::intersection_of([Ty::Object(module, literal), self.contextual_type(module, object)]);
        }
        if is_module_this(&loaded, node) { self.own_exports_type(module) } else { Ty::Unknown }
    }

    /// Returns the type of a symbol as a value.
    pub(crate) fn symbol_type(&self, module: u32, symbol: SymbolId) -> Ty<'w> {
        let key = (module, symbol);
        if let Some(known) = self.values.borrow().get(&key) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.values.borrow_mut().insert(key, None);
        let ty = self.with_depth(Ty::Unknown, || self.compute_symbol_type(module, symbol));
        self.values.borrow_mut().insert(key, Some(ty.clone()));
        ty
    }

    fn compute_symbol_type(&self, module: u32, symbol: SymbolId) -> Ty<'w> {
        let loaded = self.module(module);
        let flags = loaded.scoping().symbol_flags(symbol);
        if flags.is_import() || flags.is_type_import() {
            return match self.symbol_entity(module, symbol) {
                // An unresolved alias.
                Entity::Symbol(found, other) if (found, other) == (module, symbol) => Ty::Unknown,
                entity => self.entity_type(&entity),
            };
        }
        if flags.is_enum_member() {
            return Ty::Primitive;
        }
        if flags.is_class() || flags.is_function() || flags.is_enum() || flags.is_value_module() {
            return Ty::Static(Owner::Symbol(module, symbol));
        }
        if is_exports_parameter(&loaded, symbol) {
            return self.own_exports_type(module);
        }
        for declaration in loaded.declarations(symbol) {
            if let Some(node) = self.binding_node(module, declaration, symbol) {
                let ty = self.binding_type(module, node);
                return if ty.is_unknown() { self.assigned_type(module, symbol) } else { ty };
            }
        }
        if flags.is_namespace_module() { Ty::Static(Owner::Symbol(module, symbol)) } else { Ty::Unknown }
    }

    /// Returns the node of the name that a declaration binds to a symbol.
    fn binding_node(&self, module: u32, declaration: NodeId, symbol: SymbolId) -> Option<NodeId> {
        let loaded = self.module(module);
        let pattern = match loaded.kind(declaration) {
            AstKind::VariableDeclarator(variable) => &variable.id,
            AstKind::FormalParameter(parameter) => &parameter.pattern,
            AstKind::FormalParameterRest(rest) => &rest.rest.argument,
            AstKind::BindingRestElement(rest) => &rest.argument,
            AstKind::CatchParameter(parameter) => &parameter.pattern,
            _ => return None,
        };
        let names = pattern.get_binding_identifiers();
        names.iter().find(|name| name.symbol_id.get() == Some(symbol)).map(|name| name.node_id.get())
    }

    /// Returns the type of the values assigned to a variable without a type.
    fn assigned_type(&self, module: u32, symbol: SymbolId) -> Ty<'w> {
        let loaded = self.module(module);
        let mut values = Vec::new();
        for reference in loaded.scoping().get_resolved_references(symbol).filter(|reference| reference.is_write()) {
            match loaded.parent_kind(reference.node_id()) {
                AstKind::AssignmentExpression(assignment)
                    if assignment.left.span() == loaded.kind(reference.node_id()).span() =>
                {
                    values.push(&assignment.right);
                }
                _ => return Ty::Unknown,
            }
        }
        if values.is_empty() || values.len() > MOST_ASSIGNMENTS {
            return Ty::Unknown;
        }
        Ty::union_of(values.into_iter().map(|value| self.expression_type(module, value)))
    }

    /// Returns the type of the value for a pattern, or a name in it, in a binding or an assignment.
    pub(crate) fn binding_type(&self, module: u32, node: NodeId) -> Ty<'w> {
        self.with_depth(Ty::Unknown, || self.compute_binding_type(module, node))
    }

    fn compute_binding_type(&self, module: u32, node: NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        let parent = loaded.parent(node);
        match loaded.kind(parent) {
            AstKind::VariableDeclarator(variable) => self.variable_type(module, parent, variable),
            AstKind::FormalParameter(parameter) => self.parameter_type(module, parent, parameter),
            AstKind::BindingProperty(property) => {
                let object = self.binding_type(module, loaded.parent(parent));
                key_name(&property.key).map_or(Ty::Unknown, |name| self.member_type(&object, &name))
            }
            AstKind::AssignmentTargetPropertyProperty(property) => {
                let object = self.binding_type(module, loaded.parent(parent));
                key_name(&property.name).map_or(Ty::Unknown, |name| self.member_type(&object, &name))
            }
            AstKind::AssignmentTargetPropertyIdentifier(property) => {
                let object = self.binding_type(module, loaded.parent(parent));
                self.member_type(&object, property.binding.name.as_str())
            }
            AstKind::ArrayPattern(array) => {
                let at = |pattern: &Option<BindingPattern<'_>>| {
                    pattern.as_ref().is_some_and(|pattern| pattern.span() == loaded.kind(node).span())
                };
                self.element_type_at(&self.binding_type(module, parent), array.elements.iter().position(at))
            }
            AstKind::ArrayAssignmentTarget(array) => {
                let at = |target: &Option<AssignmentTargetMaybeDefault<'_>>| {
                    target.as_ref().is_some_and(|target| target.span() == loaded.kind(node).span())
                };
                self.element_type_at(&self.binding_type(module, parent), array.elements.iter().position(at))
            }
            AstKind::AssignmentPattern(pattern) => {
                Ty::union_of([self.binding_type(module, parent), self.default_value_type(module, &pattern.right)])
            }
            AstKind::AssignmentTargetWithDefault(target) => {
                Ty::union_of([self.binding_type(module, parent), self.default_value_type(module, &target.init)])
            }
            AstKind::BindingRestElement(_) | AstKind::AssignmentTargetRest(_) => self.rest_type(module, parent),
            AstKind::AssignmentExpression(assignment) => self.expression_type(module, &assignment.right),
            AstKind::ForOfStatement(of) => self.element_type(&self.expression_type(module, &of.right)),
            AstKind::ForInStatement(_) => Ty::Primitive,
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of a default value. Returns [`Ty::Primitive`] instead of the type of a string literal.
    fn default_value_type(&self, module: u32, value: &'w Expression<'w>) -> Ty<'w> {
        match self.expression_type(module, value) {
            Ty::String(..) => Ty::Primitive,
            other => other,
        }
    }

    fn element_type_at(&self, of: &Ty<'w>, index: Option<usize>) -> Ty<'w> {
        match (of, index) {
            (Ty::Tuple(elements), Some(index)) => elements.get(index).cloned().unwrap_or(Ty::Unknown),
            (other, _) => self.element_type(other),
        }
    }

    fn rest_type(&self, module: u32, rest: NodeId) -> Ty<'w> {
        let loaded = self.module(module);
        let around = loaded.parent(rest);
        match loaded.kind(around) {
            AstKind::ObjectPattern(_) | AstKind::ObjectAssignmentTarget(_) => self.binding_type(module, around),
            AstKind::ArrayPattern(_) | AstKind::ArrayAssignmentTarget(_) => {
                Ty::array(self.element_type(&self.binding_type(module, around)))
            }
            AstKind::FormalParameterRest(parameter) => match &parameter.type_annotation {
                Some(annotation) => self.annotation_type(module, &annotation.type_annotation, &None),
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    fn variable_type(&self, module: u32, node: NodeId, variable: &'w VariableDeclarator<'w>) -> Ty<'w> {
        if let Some(annotation) = &variable.type_annotation {
            return self.annotation_type(module, &annotation.type_annotation, &None);
        }
        let loaded = self.module(module);
        let declaration = loaded.parent(node);
        if loaded.is_javascript()
            && let Some(commented) = self.commented_declaration_type(module, declaration)
        {
            return commented;
        }
        if let Some(init) = &variable.init {
            return self.expression_type(module, init);
        }
        match loaded.parent_kind(declaration) {
            AstKind::ForOfStatement(of) => self.element_type(&self.expression_type(module, &of.right)),
            AstKind::ForInStatement(_) => Ty::Primitive,
            _ => Ty::Unknown,
        }
    }

    fn parameter_type(&self, module: u32, node: NodeId, parameter: &'w FormalParameter<'w>) -> Ty<'w> {
        if let Some(annotation) = &parameter.type_annotation {
            return self.annotation_type(module, &annotation.type_annotation, &None);
        }
        if let Some(commented) = self.commented_parameter_type(module, node) {
            return commented;
        }
        let given = self.contextual_parameter_type(module, node);
        match &parameter.initializer {
            Some(init) if given.is_unknown() => self.expression_type(module, init),
            _ => given,
        }
    }
}

/// Returns the declared type of `this` in the function or method around a node.
fn declared_this<'w>(module: &Module<'w>, node: NodeId) -> Option<&'w TSType<'w>> {
    let function = module.self_and_ancestors(node).skip(1).find_map(|around| match module.kind(around) {
        AstKind::Function(function) => Some(Some(function)),
        AstKind::PropertyDefinition(_) | AstKind::StaticBlock(_) | AstKind::Class(_) => Some(None),
        _ => None,
    })??;
    Some(&function.this_param.as_ref()?.type_annotation.as_ref()?.type_annotation)
}

/// Returns whether the type is `const`, as in `as const`.
pub(crate) fn is_const(ty: &TSType<'_>) -> bool {
    matches!(ty, TSType::TSTypeReference(reference)
        if matches!(&reference.type_name, TSTypeName::IdentifierReference(name) if name.name == "const"))
}
