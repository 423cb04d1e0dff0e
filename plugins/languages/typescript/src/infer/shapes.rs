//! Structural compatibility of types: values can be assigned between types with the same shape, and a member that is
//! renamed in one of two such types is missing from the other.

use std::collections::{HashMap, HashSet};

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::props::parameter_properties;
use crate::infer::ty::{Ty, key_name};
use crate::program::expandos::class_owner;
use crate::program::exports::Export;
use crate::program::identifiers::Identifier;
use crate::program::ids::{ModuleRef, Owner, Site};

/// Members of a type that declares a member.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    members: HashSet<String>,
    required: HashSet<String>,
    /// Literal types of members: values with different discriminants are never assigned to each other.
    literals: HashMap<String, Vec<String>>,
    /// Initial literals of an object literal's members, which can be assigned other values later.
    values: HashMap<String, String>,
    /// Keyword types of members: a value with a `string` is never assigned to a type with a `number`.
    keywords: HashMap<String, &'static str>,
    /// There may be more members that are not known.
    may_have_more: bool,
    /// True if the type has private members, which only its own instances have, or if no other value is assigned in its
    /// place.
    nominal: bool,
}

impl Shape {
    /// Returns whether values of one shape may be assigned to the other.
    pub(crate) fn is_like(&self, other: &Shape) -> bool {
        self.accepts(other) || other.accepts(self)
    }

    fn accepts(&self, other: &Shape) -> bool {
        !self.nominal && (other.may_have_more || self.required.is_subset(&other.members)) && !self.differs(other)
    }

    /// Returns whether a discriminant has no value in common with the other shape's.
    fn differs(&self, other: &Shape) -> bool {
        let has_other_keyword =
            |(name, own): (&String, &&'static str)| other.keywords.get(name).is_some_and(|keyword| keyword != own);
        self.keywords.iter().any(has_other_keyword) || self.has_other_literal(other)
    }

    fn has_other_literal(&self, other: &Shape) -> bool {
        self.literals.iter().any(|(name, own)| match (other.literals.get(name), other.values.get(name)) {
            (Some(others), _) => !own.iter().any(|literal| others.contains(literal)),
            (None, Some(value)) => !own.contains(value),
            (None, None) => false,
        })
    }

    /// Adds the declared type of a member, if it is a keyword.
    fn add_keyword(&mut self, key: &PropertyKey<'_>, ty: &TSType<'_>) {
        let keyword = match ty {
            TSType::TSStringKeyword(_) => "string",
            TSType::TSNumberKeyword(_) => "number",
            TSType::TSBooleanKeyword(_) => "boolean",
            TSType::TSBigIntKeyword(_) => "bigint",
            TSType::TSSymbolKeyword(_) => "symbol",
            _ => return,
        };
        if let Some(name) = key_name(key) {
            self.keywords.insert(name.into_owned(), keyword);
        }
    }

    /// Adds a member with literal types.
    fn add_literals(&mut self, key: &PropertyKey<'_>, literals: Option<Vec<String>>) {
        if let (Some(name), Some(literals)) = (key_name(key), literals) {
            self.literals.insert(name.into_owned(), literals);
        }
    }

    fn add(&mut self, key: &PropertyKey<'_>, optional: bool) {
        match key_name(key) {
            Some(name) => self.add_name(&name, optional),
            None => self.may_have_more = true,
        }
    }

    fn add_name(&mut self, name: &str, optional: bool) {
        self.nominal |= name.starts_with('#');
        self.members.insert(name.to_owned());
        if !optional {
            self.required.insert(name.to_owned());
        }
    }
}

impl<'w> Checker<'w> {
    /// Returns the shape of the type that declares the member at a site; `None` if no other value is assignable to it.
    pub(crate) fn shape_of_declaring_type(&self, site: Site, name: &str) -> Option<Shape> {
        if site == Site::WATCHED {
            return None;
        }
        let loaded = self.module(site.module);
        let identifiers = loaded.identifiers(name);
        let identifier =
            identifiers.iter().find(|identifier| loaded.kind(identifier.node).span().start == site.offset)?;
        self.shape_of_member(site.module, identifier.node)
    }

    /// Returns whether the type with the member at a site may also have a member with another name.
    pub(crate) fn may_have_member(&self, site: Site, name: &str, other: &str) -> bool {
        if site == Site::WATCHED {
            return true;
        }
        if let Some(shape) = self.shape_of_declaring_type(site, name) {
            return shape.may_have_more || shape.members.contains(other);
        }
        let loaded = self.module(site.module);
        let container = |identifier: &Identifier<'w>| loaded.parent(loaded.parent(identifier.node));
        let identifiers = loaded.identifiers(name);
        let own = identifiers.iter().find(|identifier| loaded.kind(identifier.node).span().start == site.offset);
        own.is_none_or(|own| loaded.identifiers(other).iter().any(|other| container(other) == container(own)))
    }

    /// Returns whether a member belongs to a class whose values are only its own instances, because the class has private
    /// members.
    pub(crate) fn is_in_nominal_class(&self, site: Site, name: &str) -> bool {
        if site == Site::WATCHED {
            return false;
        }
        let loaded = self.module(site.module);
        let is_private = self.member_declared_at(site, name).and_then(|declaration| match loaded.kind(declaration) {
            AstKind::MethodDefinition(it) => Some(is_inaccessible(it.accessibility)),
            AstKind::PropertyDefinition(it) => Some(is_inaccessible(it.accessibility)),
            AstKind::AccessorProperty(it) => Some(is_inaccessible(it.accessibility)),
            AstKind::FormalParameter(it) => Some(is_inaccessible(it.accessibility)),
            _ => None,
        });
        let is_nominal = || self.shape_of_declaring_type(site, name).is_some_and(|shape| shape.nominal);
        is_private.is_some_and(|is_private| is_private || is_nominal())
    }

    /// Like [`Checker::shape_of_declaring_type`], for the name node of a member.
    pub(crate) fn shape_of_member(&self, module: u32, name: NodeId) -> Option<Shape> {
        let loaded = self.module(module);
        let parent = loaded.parent(name);
        let mut shape = Shape::default();
        match loaded.kind(parent) {
            // Private members are not part of a shape.
            AstKind::MethodDefinition(method) if method.r#static || is_inaccessible(method.accessibility) => {
                return None;
            }
            AstKind::PropertyDefinition(property) if property.r#static || is_inaccessible(property.accessibility) => {
                return None;
            }
            AstKind::AccessorProperty(property) if property.r#static || is_inaccessible(property.accessibility) => {
                return None;
            }
            AstKind::FormalParameter(parameter) if is_inaccessible(parameter.accessibility) => return None,
            AstKind::MethodDefinition(_)
            | AstKind::PropertyDefinition(_)
            | AstKind::AccessorProperty(_)
            | AstKind::FormalParameter(_) => {
                let class = loaded.self_and_ancestors(parent).find_map(|around| match loaded.kind(around) {
                    AstKind::Class(class) => Some(class),
                    _ => None,
                })?;
                self.add_owner(class_owner(module, class), &mut shape, 0);
            }
            AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => {
                let around = loaded.parent(parent);
                match (loaded.kind(around), loaded.parent_kind(around)) {
                    (AstKind::TSTypeLiteral(literal), _) => add_signatures(&literal.members, &mut shape),
                    (_, AstKind::TSInterfaceDeclaration(interface)) => {
                        self.add_owner(Owner::Symbol(module, interface.id.symbol_id.get()?), &mut shape, 0);
                    }
                    _ => return None,
                }
            }
            AstKind::ObjectProperty(_) => match loaded.kind(loaded.parent(parent)) {
                AstKind::ObjectExpression(object) => {
                    add_object(object, &mut shape);
                    // Another object may spread this one and add members.
                    shape.may_have_more |= self.is_spread(module, loaded.parent(parent));
                    shape.nominal = self.is_never_reassigned(module, loaded.parent(parent));
                }
                _ => return None,
            },
            AstKind::StaticMemberExpression(_) if self.is_own_export(module, name) => {
                self.add_exports(module, &mut shape);
            }
            // Assignments can add members to a function or an object.
            AstKind::StaticMemberExpression(_) => shape.may_have_more = true,
            _ => return None,
        }
        Some(shape)
    }

    /// Returns whether the name node of a member is that of an export: `exports.x = …`.
    fn is_own_export(&self, module: u32, name: NodeId) -> bool {
        let offset = self.module(module).kind(name).span().start;
        let exports = self.exports(ModuleRef { module, block: None });
        exports.named.values().flatten().any(|export| matches!(export, Export::Assigned { at, .. } if *at == offset))
    }

    /// Adds the exports of a CommonJS module: `exports.a = 1; exports.b = 2`. Nothing else is assigned to them.
    fn add_exports(&self, module: u32, shape: &mut Shape) {
        shape.nominal = true;
        let exports = self.exports(ModuleRef { module, block: None });
        exports.named.keys().for_each(|name| shape.add_name(name, false));
        let is_computed = !self.module(module).expandos().computed_exports().is_empty();
        shape.may_have_more |= is_computed || !exports.whole.is_empty() || !exports.required.is_empty();
    }

    /// Returns the shape of an object that spreads others.
    pub(crate) fn shape_of_object(&self, module: u32, object: &'w ObjectExpression<'w>) -> Shape {
        let mut shape = Shape { nominal: true, ..Shape::default() };
        add_object(object, &mut shape);
        // Add the members of spread values, if their types are known.
        let values = object.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => Some(self.expression_type(module, &spread.argument)),
            ObjectPropertyKind::ObjectProperty(_) => None,
        });
        let known = values.map(|value| self.shape_of_value(&value)).collect::<Option<Vec<Shape>>>();
        if let Some(known) = known {
            shape.may_have_more = known.iter().any(|known| known.may_have_more);
            shape.members.extend(known.into_iter().flat_map(|known| known.members));
        }
        shape
    }

    /// Returns the shape of an instance of a class or interface, a type literal or an object; `None` for other types.
    fn shape_of_value(&self, ty: &Ty<'w>) -> Option<Shape> {
        let mut shape = Shape::default();
        match ty {
            Ty::Instance(owner, _) => self.add_owner(*owner, &mut shape, 0),
            Ty::Literal(_, literal, _) => add_signatures(&literal.members, &mut shape),
            Ty::Object(_, object) => add_object(object, &mut shape),
            _ => return None,
        }
        Some(shape)
    }

    /// Returns whether an object literal, or the variable that it initializes, is spread into another object.
    fn is_spread(&self, module: u32, object: NodeId) -> bool {
        let loaded = self.module(module);
        let is_taken = |node: NodeId| {
            matches!(loaded.parent_kind(node), AstKind::SpreadElement(_) | AstKind::JSXSpreadAttribute(_))
        };
        if is_taken(object) {
            return true;
        }
        let AstKind::VariableDeclarator(variable) = loaded.parent_kind(object) else { return false };
        let Some(symbol) = variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get()) else {
            return false;
        };
        loaded.scoping().get_resolved_references(symbol).any(|reference| is_taken(reference.node_id()))
    }

    /// Returns whether nothing else can be assigned in place of an object literal: it is the value of a constant, an
    /// argument, a return value or what a module exports.
    fn is_never_reassigned(&self, module: u32, object: NodeId) -> bool {
        let loaded = self.module(module);
        match loaded.parent_kind(object) {
            AstKind::VariableDeclarator(_) => match loaded.parent_kind(loaded.parent(object)) {
                AstKind::VariableDeclaration(variables) => variables.kind.is_const(),
                _ => false,
            },
            AstKind::CallExpression(_) | AstKind::NewExpression(_) | AstKind::ReturnStatement(_) => true,
            AstKind::ExportDefaultDeclaration(_) => true,
            AstKind::AssignmentExpression(_) => {
                let at = loaded.kind(object).span();
                self.exports(ModuleRef { module, block: None }).whole.iter().any(|whole| whole.span() == at)
            }
            _ => false,
        }
    }

    fn add_owner(&self, owner: Owner, shape: &mut Shape, depth: usize) {
        let module = owner.module();
        if depth > DEEPEST_BASE {
            shape.may_have_more = true;
            return;
        }
        for node in self.owner_nodes(owner) {
            match self.module(module).kind(node) {
                AstKind::Class(class) => add_class(class, shape),
                AstKind::TSInterfaceDeclaration(interface) => add_signatures(&interface.body.body, shape),
                _ => {}
            }
        }
        for base in self.bases(owner, &None) {
            match base {
                Ty::Instance(base, _) => self.add_owner(base, shape, depth + 1),
                Ty::Literal(_, literal, _) => add_signatures(&literal.members, shape),
                _ => shape.may_have_more = true,
            }
        }
    }
}

/// Maximum length of a chain of base types.
const DEEPEST_BASE: usize = 16;

/// Returns whether a member is only accessible in a class and its subclasses.
fn is_inaccessible(accessibility: Option<TSAccessibility>) -> bool {
    matches!(accessibility, Some(TSAccessibility::Private | TSAccessibility::Protected))
}

fn add_class(class: &Class<'_>, shape: &mut Shape) {
    for element in &class.body.body {
        match element {
            ClassElement::MethodDefinition(method) if method.kind == MethodDefinitionKind::Constructor => {}
            ClassElement::MethodDefinition(method) if !method.r#static => {
                shape.nominal |= is_inaccessible(method.accessibility);
                shape.add(&method.key, method.optional);
            }
            ClassElement::PropertyDefinition(property) if !property.r#static => {
                shape.nominal |= is_inaccessible(property.accessibility);
                shape.add(&property.key, property.optional);
                if let Some(ty) = &property.type_annotation {
                    shape.add_keyword(&property.key, &ty.type_annotation);
                }
                match (&property.type_annotation, &property.value) {
                    (Some(ty), _) if !property.optional => {
                        shape.add_literals(&property.key, annotation_literals(&ty.type_annotation));
                    }
                    (None, Some(value)) if property.readonly => {
                        shape.add_literals(&property.key, literal_text(value).map(|it| vec![it]));
                    }
                    _ => {}
                }
            }
            ClassElement::AccessorProperty(property) if !property.r#static => {
                shape.nominal |= is_inaccessible(property.accessibility);
                shape.add(&property.key, false);
            }
            _ => {}
        }
    }
    for (name, parameter) in parameter_properties(class) {
        shape.nominal |= is_inaccessible(parameter.accessibility);
        shape.add_name(name.name.as_str(), parameter.optional);
    }
}

fn add_signatures(members: &[TSSignature<'_>], shape: &mut Shape) {
    for member in members {
        match member {
            TSSignature::TSPropertySignature(property) => {
                shape.add(&property.key, property.optional);
                if let Some(ty) = &property.type_annotation {
                    shape.add_keyword(&property.key, &ty.type_annotation);
                }
                let ty = property.type_annotation.as_ref().filter(|_| !property.optional);
                shape.add_literals(&property.key, ty.and_then(|ty| annotation_literals(&ty.type_annotation)));
            }
            TSSignature::TSMethodSignature(method) => shape.add(&method.key, method.optional),
            TSSignature::TSIndexSignature(_) => shape.may_have_more = true,
            _ => {}
        }
    }
}

fn add_object(object: &ObjectExpression<'_>, shape: &mut Shape) {
    for property in &object.properties {
        match property {
            ObjectPropertyKind::ObjectProperty(property) => {
                shape.add(&property.key, false);
                if let (Some(name), Some(value)) = (key_name(&property.key), literal_text(&property.value)) {
                    shape.values.insert(name.into_owned(), value);
                }
            }
            ObjectPropertyKind::SpreadProperty(_) => shape.may_have_more = true,
        }
    }
}

/// Returns the literals in a literal type or a union of them.
fn annotation_literals(ty: &TSType<'_>) -> Option<Vec<String>> {
    match ty {
        TSType::TSLiteralType(literal) => match &literal.literal {
            TSLiteral::StringLiteral(text) => Some(vec![format!("{:?}", text.value.as_str()?)]),
            TSLiteral::NumericLiteral(number) => Some(vec![number.value.to_string()]),
            TSLiteral::BooleanLiteral(truth) => Some(vec![truth.value.to_string()]),
            _ => None,
        },
        TSType::TSParenthesizedType(inner) => annotation_literals(&inner.type_annotation),
        TSType::TSUnionType(union) => {
            let all: Option<Vec<Vec<String>>> = union.types.iter().map(annotation_literals).collect();
            all.map(|all| all.into_iter().flatten().collect())
        }
        _ => None,
    }
}

fn literal_text(value: &Expression<'_>) -> Option<String> {
    match value.get_inner_expression() {
        Expression::StringLiteral(text) => Some(format!("{:?}", text.value.as_str()?)),
        Expression::NumericLiteral(number) => Some(number.value.to_string()),
        Expression::BooleanLiteral(truth) => Some(truth.value.to_string()),
        _ => None,
    }
}
