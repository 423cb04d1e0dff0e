//! Types of expressions and variables.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Ty, key_name};
use crate::program::expandos::{Side, class_owner, function_value_owner, this_owner};
use crate::program::ids::Owner;
use crate::program::module::Module;

/// Maximum number of assignments from which the type of an unannotated variable is inferred.
const MOST_ASSIGNMENTS: usize = 8;
/// Maximum number of elements from which the type of a list is inferred.
const MOST_ELEMENTS: usize = 256;

impl<'w> Checker<'w> {
    /// Returns the type of an expression.
    pub(crate) fn value(&self, module: u32, expression: &'w Expression<'w>) -> Ty<'w> {
        self.deeper(Ty::Unknown, || self.value_now(module, expression))
    }

    fn value_now(&self, module: u32, expression: &'w Expression<'w>) -> Ty<'w> {
        match expression {
            Expression::Identifier(name) => self.name_value(module, name),
            Expression::StringLiteral(text) => text.value.as_str().map_or(Ty::Plain, |text| Ty::Text(text, None)),
            Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
                let text = text.quasis.first().and_then(|quasi| quasi.value.cooked?.as_str());
                text.map_or(Ty::Plain, |text| Ty::Text(text, None))
            }
            Expression::ThisExpression(this) => self.this_type(module, this.node_id.get()),
            Expression::Super(base) => match self.this_type(module, base.node_id.get()) {
                Ty::Instance(owner, substitution) => {
                    Ty::either(self.bases(owner, &substitution).into_iter().map(|base| base.0))
                }
                Ty::Static(owner) => self.static_base(owner).unwrap_or(Ty::Unknown),
                _ => Ty::Unknown,
            },
            Expression::ArrayExpression(array) => self.array(module, array),
            Expression::ObjectExpression(object) => Ty::Object(module, object),
            Expression::FunctionExpression(function) => self.function_type(module, function),
            Expression::ArrowFunctionExpression(arrow) => Ty::Static(Owner::Node(module, arrow.node_id.get())),
            Expression::ClassExpression(class) => self.class_type(module, class),
            Expression::ParenthesizedExpression(inner) => self.value(module, &inner.expression),
            Expression::SequenceExpression(sequence) => {
                sequence.expressions.last().map_or(Ty::Plain, |last| self.value(module, last))
            }
            Expression::AssignmentExpression(assignment) => self.value(module, &assignment.right),
            Expression::ConditionalExpression(choice) => {
                Ty::either([self.value(module, &choice.consequent), self.value(module, &choice.alternate)])
            }
            Expression::LogicalExpression(logical) => {
                Ty::either([self.value(module, &logical.left), self.value(module, &logical.right)])
            }
            Expression::AwaitExpression(awaited) => self.awaited(&self.value(module, &awaited.argument)),
            Expression::TSAsExpression(cast) => self.cast(module, &cast.expression, &cast.type_annotation),
            Expression::TSTypeAssertion(cast) => self.cast(module, &cast.expression, &cast.type_annotation),
            Expression::TSSatisfiesExpression(inner) => self.value(module, &inner.expression),
            Expression::TSNonNullExpression(inner) => self.value(module, &inner.expression),
            Expression::TSInstantiationExpression(inner) => self.value(module, &inner.expression),
            Expression::StaticMemberExpression(member) => self.member_value(module, member),
            Expression::PrivateFieldExpression(member) => self.private_value(module, member),
            Expression::ComputedMemberExpression(member) => self.computed_value(module, member),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.call_value(module, call),
                ChainElement::TSNonNullExpression(inner) => self.value(module, &inner.expression),
                ChainElement::StaticMemberExpression(member) => self.member_value(module, member),
                ChainElement::ComputedMemberExpression(member) => self.computed_value(module, member),
                ChainElement::PrivateFieldExpression(member) => self.private_value(module, member),
            },
            Expression::CallExpression(call) => self.call_value(module, call),
            Expression::NewExpression(new) => self.new_value(module, new),
            Expression::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => match source.value.as_str() {
                    Some(source) => Ty::promise(self.space(module, source)),
                    None => Ty::Unknown,
                },
                _ => Ty::Unknown,
            },
            Expression::YieldExpression(_) | Expression::TaggedTemplateExpression(_) => Ty::Unknown,
            Expression::JSXElement(_) | Expression::JSXFragment(_) | Expression::ImportMeta(_) => Ty::External,
            _ => Ty::Plain,
        }
    }

    fn name_value(&self, module: u32, name: &'w IdentifierReference<'w>) -> Ty<'w> {
        if let Some(symbol) = self.resolved(module, name).or_else(|| self.sibling(module, name)) {
            return self.read_type(module, name, symbol);
        }
        match name.name.as_str() {
            "undefined" => Ty::Plain,
            "exports" if self.module(module).is_javascript() => self.own_exports(module),
            "module" if self.module(module).is_javascript() => Ty::Unknown,
            known if builtins::declares(known) => builtins::global(known),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of the module itself, as in its own `exports`.
    pub(crate) fn own_exports(&self, module: u32) -> Ty<'w> {
        Ty::Module(crate::program::ids::ModuleRef { module, block: None })
    }

    fn cast(&self, module: u32, expression: &'w Expression<'w>, ty: &'w TSType<'w>) -> Ty<'w> {
        if is_const(ty) { self.value(module, expression) } else { self.annotated(module, ty, &None) }
    }

    fn array(&self, module: u32, array: &'w ArrayExpression<'w>) -> Ty<'w> {
        let element = |element: &'w ArrayExpressionElement<'w>| match element {
            ArrayExpressionElement::SpreadElement(spread) => self.element(&self.value(module, &spread.argument)),
            ArrayExpressionElement::Elision(_) => Ty::Plain,
            other => other.as_expression().map_or(Ty::Unknown, |value| self.value(module, value)),
        };
        if array.elements.len() > MOST_ELEMENTS {
            return Ty::array(Ty::Unknown);
        }
        Ty::array(Ty::either(array.elements.iter().map(element)))
    }

    fn member_value(&self, module: u32, member: &'w StaticMemberExpression<'w>) -> Ty<'w> {
        if self.is_own_exports(module, member) {
            return self.own_exports(module);
        }
        let property = member.property.name.as_str();
        if self.is_global_object(module, &member.object) && !builtins::declares(property) {
            return Ty::Unknown;
        }
        let declared = self.member_type(&self.value(module, &member.object), property);
        self.read_path(module, member.node_id.get(), self.static_reference(module, member), declared)
    }

    fn private_value(&self, module: u32, member: &'w PrivateFieldExpression<'w>) -> Ty<'w> {
        let object = self.value(module, &member.object);
        let declared = self.member_type(&object, &format!("#{}", member.field.name));
        self.read_path(module, member.node_id.get(), self.private_reference(module, member), declared)
    }

    /// Returns whether an expression is the global object, which also holds the globals of the program.
    fn is_global_object(&self, module: u32, object: &'w Expression<'w>) -> bool {
        let Expression::Identifier(name) = object else { return false };
        builtins::GLOBAL_OBJECTS.contains(&name.name.as_str()) && self.resolved(module, name).is_none()
    }

    fn computed_value(&self, module: u32, member: &'w ComputedMemberExpression<'w>) -> Ty<'w> {
        let declared = self.indexed_value(module, &member.object, &member.expression);
        self.read_path(module, member.node_id.get(), self.computed_reference(module, member), declared)
    }

    fn indexed_value(&self, module: u32, object: &'w Expression<'w>, index: &'w Expression<'w>) -> Ty<'w> {
        let object = self.value(module, object);
        match index {
            Expression::NumericLiteral(number) => match &object {
                Ty::Tuple(elements) => elements.get(number.value as usize).cloned().unwrap_or(Ty::Unknown),
                other => self.element(other),
            },
            other => match self.value(module, other) {
                Ty::Text(name, _) => self.member_type(&object, name),
                Ty::Plain => self.element(&object),
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
        let held = self.module(module);
        if let Some(annotation) = declared_this(&held, node) {
            return self.annotated(module, annotation, &None);
        }
        if let Some((owner, side)) = this_owner(&held, node) {
            let owner = match owner {
                Owner::Symbol(_, symbol) => Owner::Symbol(module, symbol),
                Owner::Node(_, node) => Owner::Node(module, node),
            };
            return match side {
                Side::Own => Ty::Static(owner),
                Side::Instance => Ty::Instance(owner, None),
            };
        }
        for around in held.chain(node).skip(1) {
            let AstKind::Function(_) = held.kind(around) else { continue };
            let AstKind::ObjectProperty(_) = held.parent_kind(around) else { return Ty::Unknown };
            let object = held.parent(held.parent(around));
            let AstKind::ObjectExpression(literal) = held.kind(object) else { return Ty::Unknown };
            return Ty::both([Ty::Object(module, literal), self.contextual(module, object)]);
        }
        Ty::Unknown
    }

    /// Returns the type of a symbol as a value.
    pub(crate) fn symbol_type(&self, module: u32, symbol: SymbolId) -> Ty<'w> {
        let key = (module, symbol);
        if let Some(known) = self.values.borrow().get(&key) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.values.borrow_mut().insert(key, None);
        let ty = self.deeper(Ty::Unknown, || self.symbol_type_now(module, symbol));
        self.values.borrow_mut().insert(key, Some(ty.clone()));
        ty
    }

    fn symbol_type_now(&self, module: u32, symbol: SymbolId) -> Ty<'w> {
        let held = self.module(module);
        let flags = held.scoping().symbol_flags(symbol);
        if flags.is_import() || flags.is_type_import() {
            return match self.entity(module, symbol) {
                // An unresolved alias.
                Entity::Symbol(found, other) if (found, other) == (module, symbol) => Ty::Unknown,
                entity => self.entity_type(&entity),
            };
        }
        if flags.is_enum_member() {
            return Ty::Plain;
        }
        if flags.is_class() || flags.is_function() || flags.is_enum() || flags.is_value_module() {
            return Ty::Static(Owner::Symbol(module, symbol));
        }
        for declaration in held.declarations(symbol) {
            if let Some(node) = self.bound_at(module, declaration, symbol) {
                let ty = self.bound(module, node);
                return if ty.is_unknown() { self.assigned(module, symbol) } else { ty };
            }
        }
        if flags.is_namespace_module() { Ty::Static(Owner::Symbol(module, symbol)) } else { Ty::Unknown }
    }

    /// Returns the node of the name that a declaration binds to a symbol.
    fn bound_at(&self, module: u32, declaration: NodeId, symbol: SymbolId) -> Option<NodeId> {
        let held = self.module(module);
        let pattern = match held.kind(declaration) {
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
    fn assigned(&self, module: u32, symbol: SymbolId) -> Ty<'w> {
        let held = self.module(module);
        let mut values = Vec::new();
        for reference in held.scoping().get_resolved_references(symbol).filter(|reference| reference.is_write()) {
            match held.parent_kind(reference.node_id()) {
                AstKind::AssignmentExpression(assignment)
                    if assignment.left.span() == held.kind(reference.node_id()).span() =>
                {
                    values.push(&assignment.right);
                }
                _ => return Ty::Unknown,
            }
        }
        if values.is_empty() || values.len() > MOST_ASSIGNMENTS {
            return Ty::Unknown;
        }
        Ty::either(values.into_iter().map(|value| self.value(module, value)))
    }

    /// Returns the type of the value for a pattern, or a name in it, in a binding or an assignment.
    pub(crate) fn bound(&self, module: u32, node: NodeId) -> Ty<'w> {
        self.deeper(Ty::Unknown, || self.bound_now(module, node))
    }

    fn bound_now(&self, module: u32, node: NodeId) -> Ty<'w> {
        let held = self.module(module);
        let parent = held.parent(node);
        match held.kind(parent) {
            AstKind::VariableDeclarator(variable) => self.variable(module, parent, variable),
            AstKind::FormalParameter(parameter) => self.parameter(module, parent, parameter),
            AstKind::BindingProperty(property) => {
                let object = self.bound(module, held.parent(parent));
                key_name(&property.key).map_or(Ty::Unknown, |name| self.member_type(&object, &name))
            }
            AstKind::AssignmentTargetPropertyProperty(property) => {
                let object = self.bound(module, held.parent(parent));
                key_name(&property.name).map_or(Ty::Unknown, |name| self.member_type(&object, &name))
            }
            AstKind::AssignmentTargetPropertyIdentifier(property) => {
                let object = self.bound(module, held.parent(parent));
                self.member_type(&object, property.binding.name.as_str())
            }
            AstKind::ArrayPattern(array) => {
                let at = |pattern: &Option<BindingPattern<'_>>| {
                    pattern.as_ref().is_some_and(|pattern| pattern.span() == held.kind(node).span())
                };
                self.position(&self.bound(module, parent), array.elements.iter().position(at))
            }
            AstKind::ArrayAssignmentTarget(array) => {
                let at = |target: &Option<AssignmentTargetMaybeDefault<'_>>| {
                    target.as_ref().is_some_and(|target| target.span() == held.kind(node).span())
                };
                self.position(&self.bound(module, parent), array.elements.iter().position(at))
            }
            AstKind::AssignmentPattern(pattern) => {
                Ty::either([self.bound(module, parent), self.default_value(module, &pattern.right)])
            }
            AstKind::AssignmentTargetWithDefault(target) => {
                Ty::either([self.bound(module, parent), self.default_value(module, &target.init)])
            }
            AstKind::BindingRestElement(_) | AstKind::AssignmentTargetRest(_) => self.rest(module, parent),
            AstKind::AssignmentExpression(assignment) => self.value(module, &assignment.right),
            AstKind::ForOfStatement(of) => self.element(&self.value(module, &of.right)),
            AstKind::ForInStatement(_) => Ty::Plain,
            _ => Ty::Unknown,
        }
    }

    /// Returns the type that a default adds: that of strings and other primitives is ignored.
    fn default_value(&self, module: u32, value: &'w Expression<'w>) -> Ty<'w> {
        match self.value(module, value) {
            Ty::Text(..) => Ty::Plain,
            other => other,
        }
    }

    fn position(&self, of: &Ty<'w>, index: Option<usize>) -> Ty<'w> {
        match (of, index) {
            (Ty::Tuple(elements), Some(index)) => elements.get(index).cloned().unwrap_or(Ty::Unknown),
            (other, _) => self.element(other),
        }
    }

    fn rest(&self, module: u32, rest: NodeId) -> Ty<'w> {
        let held = self.module(module);
        let around = held.parent(rest);
        match held.kind(around) {
            AstKind::ObjectPattern(_) | AstKind::ObjectAssignmentTarget(_) => self.bound(module, around),
            AstKind::ArrayPattern(_) | AstKind::ArrayAssignmentTarget(_) => {
                Ty::array(self.element(&self.bound(module, around)))
            }
            AstKind::FormalParameterRest(parameter) => match &parameter.type_annotation {
                Some(annotation) => self.annotated(module, &annotation.type_annotation, &None),
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    fn variable(&self, module: u32, node: NodeId, variable: &'w VariableDeclarator<'w>) -> Ty<'w> {
        if let Some(annotation) = &variable.type_annotation {
            return self.annotated(module, &annotation.type_annotation, &None);
        }
        if let Some(init) = &variable.init {
            return self.value(module, init);
        }
        let held = self.module(module);
        match held.parent_kind(held.parent(node)) {
            AstKind::ForOfStatement(of) => self.element(&self.value(module, &of.right)),
            AstKind::ForInStatement(_) => Ty::Plain,
            _ => Ty::Unknown,
        }
    }

    fn parameter(&self, module: u32, node: NodeId, parameter: &'w FormalParameter<'w>) -> Ty<'w> {
        if let Some(annotation) = &parameter.type_annotation {
            return self.annotated(module, &annotation.type_annotation, &None);
        }
        let given = self.contextual_parameter(module, node);
        match &parameter.initializer {
            Some(init) if given.is_unknown() => self.value(module, init),
            _ => given,
        }
    }
}

/// Returns the declared type of `this` in the function or method around a node.
fn declared_this<'w>(module: &Module<'w>, node: NodeId) -> Option<&'w TSType<'w>> {
    let function = module.chain(node).skip(1).find_map(|around| match module.kind(around) {
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
