//! JSX: types of elements and their attributes.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Entity, Props, Source, Ty};
use crate::program::ids::{Owner, Site};

impl<'w> Checker<'w> {
    /// Returns the type of the attributes of an element.
    pub(crate) fn component_props(&self, module: u32, element: &'w JSXOpeningElement<'w>) -> Ty<'w> {
        match &element.name {
            JSXElementName::Identifier(name) => {
                let tag = self.intrinsic_element(module, name.name.as_str());
                self.props_type(&tag)
            }
            JSXElementName::IdentifierReference(name) => {
                if let Some(props) = self.wrapped_component_props(module, name) {
                    return props;
                }
                self.props_of_component(&self.tag_name_type(module, name))
            }
            JSXElementName::MemberExpression(member) => self.props_of_component(&self.jsx_member(module, member)),
            JSXElementName::NamespacedName(_) | JSXElementName::ThisExpression(_) => Ty::Unknown,
        }
    }

    fn tag_name_type(&self, module: u32, name: &IdentifierReference<'w>) -> Ty<'w> {
        self.resolve_identifier(module, name).map_or(Ty::Unknown, |symbol| self.symbol_type(module, symbol))
    }

    /// Returns the type of `A.B` as a tag.
    pub(crate) fn jsx_member(&self, module: u32, member: &JSXMemberExpression<'w>) -> Ty<'w> {
        let object = self.jsx_object(module, &member.object);
        self.member_type(&object, member.property.name.as_str())
    }

    pub(crate) fn jsx_object(&self, module: u32, object: &JSXMemberExpressionObject<'w>) -> Ty<'w> {
        match object {
            JSXMemberExpressionObject::IdentifierReference(name) => self.tag_name_type(module, name),
            JSXMemberExpressionObject::MemberExpression(inner) => {
                self.with_depth(Ty::Unknown, || self.jsx_member(module, inner))
            }
            JSXMemberExpressionObject::ThisExpression(this) => self.this_type(module, this.node_id.get()),
        }
    }

    fn props_of_component(&self, component: &Ty<'w>) -> Ty<'w> {
        match component {
            Ty::External | Ty::Platform => Ty::External,
            Ty::Builtin(Builtin::Component, inner) => inner.first().cloned().unwrap_or(Ty::Unknown),
            Ty::Static(owner) if self.is_class(*owner) => self.class_attributes(*owner),
            other => {
                let signatures = self.signatures(other, false);
                if signatures.is_empty() {
                    return Ty::Unknown;
                }
                Ty::union_of(signatures.iter().map(|signature| self.parameter_type_at(signature, 0)))
            }
        }
    }

    /// Returns the attributes of a component that is not a function: a class, or a value of a component type.
    pub(super) fn attributes_of_component(&self, component: &Ty<'w>) -> Option<Ty<'w>> {
        let is_component = match component {
            Ty::Static(owner) => self.is_class(*owner),
            other => matches!(other, Ty::Builtin(Builtin::Component, _)),
        };
        is_component.then(|| self.props_of_component(component))
    }

    pub(super) fn is_class(&self, owner: Owner) -> bool {
        let module = self.module(owner.module());
        self.owner_nodes(owner).into_iter().any(|node| matches!(module.kind(node), AstKind::Class(_)))
    }

    /// Returns the attributes of a class component: its `props`.
    fn class_attributes(&self, owner: Owner) -> Ty<'w> {
        let props = self.props(&Ty::Instance(owner, None), "props");
        if !props.found.is_empty() {
            return self.props_type(&props);
        }
        Ty::Unknown
    }

    /// Returns the attributes of `const A = memo(…)` if `memo` is from a package that is not read.
    fn wrapped_component_props(&self, module: u32, name: &IdentifierReference<'w>) -> Option<Ty<'w>> {
        let symbol = self.resolve_identifier(module, name)?;
        let Entity::Symbol(module, symbol) = self.symbol_entity(module, symbol) else { return None };
        let loaded = self.module(module);
        let AstKind::VariableDeclarator(variable) = loaded.kind(loaded.scoping().symbol_declaration(symbol)) else {
            return None;
        };
        let Some(Expression::CallExpression(call)) = &variable.init else { return None };
        if !matches!(self.expression_type(module, &call.callee), Ty::External) {
            return None;
        }
        let inner = call.arguments.first()?.as_expression()?;
        match &call.type_arguments {
            Some(given) => given.params.last().map(|props| self.annotation_type(module, props, &None)),
            None if !self.callee_signatures(module, &call.callee).is_empty() => None,
            // The component that the package returns may accept more attributes.
            None => Some(Ty::Intersection(
                [self.props_of_component(&self.expression_type(module, inner)), Ty::Unknown].into(),
            )),
        }
    }

    /// Returns the entry of `JSX.IntrinsicElements` for a platform tag.
    pub(crate) fn intrinsic_element(&self, module: u32, tag: &str) -> Props<'w> {
        let loaded = self.module(module);
        let scoping = loaded.scoping();
        let root = scoping.get_root_binding(Ident::from("JSX"));
        let Some(space) = root else { return Props::external() };
        let elements = self.namespace_members(module, space, "IntrinsicElements");
        match elements.found.first().map(|prop| &prop.source) {
            Some(Source::Symbol(module, symbol)) => {
                let ty = self.declared_type(&Entity::Symbol(*module, *symbol), Vec::new());
                self.props(&ty, tag)
            }
            _ => Props::external(),
        }
    }

    /// Resolves an attribute to a member of its component's props. If the props have no such member, the attribute is the declaration.
    pub(crate) fn attribute_props(&self, module: u32, node: NodeId, attribute: &'w JSXAttribute<'w>) -> Props<'w> {
        let JSXAttributeName::Identifier(name) = &attribute.name else { return Props::unknown() };
        let AstKind::JSXOpeningElement(element) = self.module(module).parent_kind(node) else {
            return Props::unknown();
        };
        let takes = self.component_props(module, element);
        let props = self.props(&takes, name.name.as_str());
        let own = || Props::single(Some(Site { module, offset: name.span.start }), Source::Ty(Ty::Primitive));
        let is_tag = matches!(element.name, JSXElementName::Identifier(_));
        if props.found.is_empty() && is_tag {
            let is_known = |name: &str| builtins::platform_has_member(name) || matches!(name, "key" | "ref");
            let is_declared = is_known(&name.name) || is_known(&name.name.to_ascii_lowercase());
            // The platform or a framework declares the attribute, or the attribute declares itself.
            return if is_declared { Props::external() } else { own() };
        }
        if props.is_absent() {
            // All components accept these attributes. If the props of a component are unknown, other attributes cannot
            // be resolved.
            if matches!(name.name.as_str(), "key" | "ref") {
                return Props::external();
            }
            let is_of_all = name.name == "children" || name.name.contains('-');
            let is_listed =
                |ty: &Ty<'w>| matches!(ty, Ty::Instance(..) | Ty::Literal(..) | Ty::Intersection(_) | Ty::Named(_));
            let is_own = is_of_all || takes.alternatives().iter().all(is_listed);
            return if is_own { own() } else { Props::unknown() };
        }
        props
    }

    pub(crate) fn attribute_type(&self, module: u32, node: NodeId, attribute: &'w JSXAttribute<'w>) -> Ty<'w> {
        let props = self.attribute_props(module, node, attribute);
        self.props_type(&props)
    }
}
