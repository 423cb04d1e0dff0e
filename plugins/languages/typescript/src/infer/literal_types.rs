//! Literal types: the possible values of a discriminant of a union.

use oxc_ast::AstKind;
use oxc_ast::ast::*;

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Prop, Source, Ty};
use crate::infer::values::is_const;
use crate::program::ids::Site;

/// A literal value of a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal<'w> {
    String(&'w str),
    Number(f64),
    Bool(bool),
    Nullish,
    /// A member of an enum.
    Member(Site),
}

impl Literal<'_> {
    /// Returns whether the value is truthy. `None` if unknown.
    pub(crate) fn truthiness(&self) -> Option<bool> {
        match self {
            Literal::String(text) => Some(!text.is_empty()),
            Literal::Number(number) => Some(*number != 0.0),
            Literal::Bool(truth) => Some(*truth),
            Literal::Nullish => Some(false),
            Literal::Member(_) => None,
        }
    }
}

impl<'w> Checker<'w> {
    /// Returns the possible values of a property of a type. `None` if they are not literals or not known.
    pub(crate) fn literals_of_property(&self, of: &Ty<'w>, name: &str) -> Option<Vec<Literal<'w>>> {
        let props = self.props(of, name);
        if props.may_have_more || props.external || props.found.is_empty() {
            return None;
        }
        let mut all = Vec::new();
        for prop in &props.found {
            all.extend(self.literals_of_prop(prop, name)?);
            if prop.optional {
                all.push(Literal::Nullish);
            }
        }
        Some(all)
    }

    fn literals_of_prop(&self, prop: &Prop<'w>, name: &str) -> Option<Vec<Literal<'w>>> {
        match &prop.source {
            Source::Type(module, ty, _) => self.literals_of_type(*module, ty),
            Source::Value(module, Expression::TSAsExpression(cast)) if is_const(&cast.type_annotation) => {
                Some(vec![self.literal_value(*module, &cast.expression)?])
            }
            // A readonly property has the literal type of its value.
            Source::Value(module, value) => {
                let declaration = self.member_declared_at(prop.site?, name)?;
                match self.module(*module).kind(declaration) {
                    AstKind::PropertyDefinition(property) if property.readonly => {
                        Some(vec![self.literal_value(*module, value)?])
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn literals_of_type(&self, module: u32, ty: &'w TSType<'w>) -> Option<Vec<Literal<'w>>> {
        self.with_depth(None, || match ty {
            TSType::TSLiteralType(literal) => match &literal.literal {
                TSLiteral::StringLiteral(text) => Some(vec![Literal::String(text.value.as_str()?)]),
                TSLiteral::NumericLiteral(number) => Some(vec![Literal::Number(number.value)]),
                TSLiteral::BooleanLiteral(truth) => Some(vec![Literal::Bool(truth.value)]),
                _ => None,
            },
            TSType::TSBooleanKeyword(_) => Some(vec![Literal::Bool(true), Literal::Bool(false)]),
            TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_) => Some(vec![Literal::Nullish]),
            TSType::TSParenthesizedType(inner) => self.literals_of_type(module, &inner.type_annotation),
            TSType::TSUnionType(union) => {
                let mut all = Vec::new();
                for ty in &union.types {
                    all.extend(self.literals_of_type(module, ty)?);
                }
                Some(all)
            }
            TSType::TSTypeReference(reference) if reference.type_arguments.is_none() => {
                self.literals_of_name(module, &reference.type_name)
            }
            _ => None,
        })
    }

    fn literals_of_name(&self, module: u32, name: &'w TSTypeName<'w>) -> Option<Vec<Literal<'w>>> {
        if let TSTypeName::QualifiedName(qualified) = name {
            let owner = self.name_entity(module, &qualified.left);
            if let Some(site) = self.enum_member_site(&self.entity_type(&owner), qualified.right.name.as_str()) {
                return Some(vec![Literal::Member(site)]);
            }
        }
        let Entity::Symbol(home, symbol) = self.name_entity(module, name) else { return None };
        let loaded = self.module(home);
        loaded.declarations(symbol).into_iter().find_map(|declaration| match loaded.kind(declaration) {
            AstKind::TSTypeAliasDeclaration(alias) => self.literals_of_type(home, &alias.type_annotation),
            _ => None,
        })
    }

    /// Returns the literal value of an expression.
    pub(crate) fn literal_value(&self, module: u32, value: &'w Expression<'w>) -> Option<Literal<'w>> {
        match value {
            Expression::ParenthesizedExpression(inner) => self.literal_value(module, &inner.expression),
            Expression::TSAsExpression(cast) if is_const(&cast.type_annotation) => {
                self.literal_value(module, &cast.expression)
            }
            Expression::NumericLiteral(number) => Some(Literal::Number(number.value)),
            Expression::BooleanLiteral(truth) => Some(Literal::Bool(truth.value)),
            Expression::NullLiteral(_) => Some(Literal::Nullish),
            Expression::Identifier(name) if name.name == "undefined" => Some(Literal::Nullish),
            Expression::StaticMemberExpression(member) => {
                let owner = self.expression_type(module, &member.object);
                let member = self.enum_member_site(&owner, member.property.name.as_str()).map(Literal::Member);
                member.or_else(|| self.string_value(module, value))
            }
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) | Expression::Identifier(_) => {
                self.string_value(module, value)
            }
            _ => None,
        }
    }

    fn string_value(&self, module: u32, value: &'w Expression<'w>) -> Option<Literal<'w>> {
        match self.expression_type(module, value) {
            Ty::String(text, _) => Some(Literal::String(text)),
            _ => None,
        }
    }

    fn enum_member_site(&self, of: &Ty<'w>, name: &str) -> Option<Site> {
        let Ty::Static(owner) = of else { return None };
        let loaded = self.module(owner.module());
        let is_enum = |node| matches!(loaded.kind(node), AstKind::TSEnumDeclaration(_));
        self.owner_nodes(*owner).into_iter().any(is_enum).then(|| self.props(of, name).sites().first().copied())?
    }
}
