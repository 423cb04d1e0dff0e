//! Accesses by a key that the program computes: ``api[`get${kind}`]``, `{ ...form, [event.name]: value }`. The key may be
//! the name of the wanted member, and no literal that is written in full shows it, so such keys are listed.

use std::cell::OnceCell;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::{Indexed, Prop, Source, Ty};
use crate::infer::values::is_const;
use crate::program::identifiers::Role;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::data_flow::{PropertyReads, StringFlow};
use crate::rename::platform_access::without_cast_to_any;
use crate::rename::search_target::SearchTarget;

/// Maximum number of texts that the parts of a key are combined to. A key with more is assumed to be any text.
const MAX_TEXTS: usize = 256;

/// Functions of `Reflect` and `Object` that access a member by a key.
const KEY_FUNCTIONS: [&str; 6] = ["get", "set", "has", "deleteProperty", "hasOwn", "defineProperty"];

/// Finds the keys in the open document that may be the name of the wanted member, and the strings with this name that may
/// be their values.
pub(super) fn find_dynamic_keys(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    if wanted.name.starts_with('#') {
        return Vec::new();
    }
    let here = checker.open_module();
    let property_reads = PropertyReads::default();
    let mut flow = StringFlow::new(checker, wanted, &property_reads);
    flow.must_have_wanted = true;
    let search = Search { checker, wanted, here: &here, flow: &flow, literals: OnceCell::new() };
    let nodes = here.semantic().nodes().iter();
    let mut found: Vec<Span> = nodes.filter_map(|node| search.key_in(node.id(), node.kind())).collect();
    if !found.is_empty() {
        let identifiers = here.identifiers(&wanted.name);
        let is_text = |node: NodeId| !matches!(here.parent_kind(node), AstKind::TSLiteralType(_));
        let texts = identifiers.iter().filter(|it| matches!(here.role(it), Role::StringLiteral) && is_text(it.node));
        found.extend(texts.map(|it| it.span));
    }
    found
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
    here: &'s Module<'w>,
    /// Follows keys that are read from objects with the member.
    flow: &'s StringFlow<'s, 'w>,
    /// Object literals of the open document that declare the member.
    literals: OnceCell<Vec<Span>>,
}

/// Relation of an object to the wanted member.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    /// The object has the member.
    Owner,
    /// The type of the object is not known.
    Unknown,
    /// The object does not have the member.
    Other,
}

/// Knowledge about the value of a key.
#[derive(Clone, PartialEq)]
enum Key {
    /// The key is one of these texts. Strings that are written in full are followed from where they are written, and
    /// keys of the type `keyof T` are checked by the compiler.
    Checked,
    /// The key is a text of parts, at least one of which is computed.
    Parts(Vec<Part>),
    /// The key may be any text.
    Any,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    OneOf(Vec<String>),
    Any,
}

impl<'w> Search<'_, 'w> {
    /// Returns the span of a key that is used at a node and may be the name.
    fn key_in(&self, node: NodeId, kind: AstKind<'w>) -> Option<Span> {
        let (key, relation) = match kind {
            AstKind::ComputedMemberExpression(member) => (&member.expression, self.relation_of(&member.object)),
            AstKind::BinaryExpression(test) if test.operator == BinaryOperator::In => {
                (&test.left, self.relation_of(&test.right))
            }
            AstKind::ObjectProperty(property) if property.computed => {
                (property.key.as_expression()?, self.relation_of_literal(self.here.parent(node)))
            }
            AstKind::BindingProperty(property) if property.computed => {
                let of = self.checker.binding_type(OPEN_DOCUMENT, self.here.parent(node));
                (property.key.as_expression()?, self.relation_of_type(&of))
            }
            AstKind::CallExpression(call) => return self.key_of_call(call),
            AstKind::TSAsExpression(cast) => return self.key_in_cast(&cast.expression, &cast.type_annotation),
            AstKind::TSTypeAssertion(cast) => return self.key_in_cast(&cast.expression, &cast.type_annotation),
            _ => return None,
        };
        self.may_be_name(key, relation).then(|| key.span())
    }

    /// Returns the key argument of a call such as `Reflect.get(object, key)` or `object.hasOwnProperty(key)`.
    fn key_of_call(&self, call: &'w CallExpression<'w>) -> Option<Span> {
        let Expression::StaticMemberExpression(callee) = &call.callee else { return None };
        let method = callee.property.name.as_str();
        let argument = |at: usize| call.arguments.get(at).and_then(Argument::as_expression);
        let (object, key) = match &callee.object {
            Expression::Identifier(name)
                if matches!(name.name.as_str(), "Reflect" | "Object") && KEY_FUNCTIONS.contains(&method) =>
            {
                (argument(0)?, argument(1)?)
            }
            object if method == "hasOwnProperty" => (object, argument(0)?),
            _ => return None,
        };
        self.may_be_name(key, self.relation_of(object)).then(|| key.span())
    }

    /// Returns a value that a cast makes a key of the owner: `text as keyof Api`.
    fn key_in_cast(&self, value: &'w Expression<'w>, ty: &'w TSType<'w>) -> Option<Span> {
        if is_const(ty) {
            return None;
        }
        let target = self.checker.annotation_type(OPEN_DOCUMENT, ty, &None);
        let has_wanted = |ty: &Ty<'w>| match ty {
            Ty::Keys(of) => self.relation_of_type(of) == Relation::Owner,
            _ => false,
        };
        let is_key = target.alternatives().iter().any(has_wanted);
        (is_key && self.may_be_name(value, Relation::Owner)).then(|| value.span())
    }

    fn may_be_name(&self, key: &'w Expression<'w>, relation: Relation) -> bool {
        if relation == Relation::Other {
            return false;
        }
        match self.key(key) {
            Key::Checked => false,
            Key::Parts(parts) => {
                let has_text = || {
                    parts
                        .iter()
                        .any(|part| matches!(part, Part::OneOf(texts) if texts.iter().any(|text| !text.is_empty())))
                };
                can_be(&parts, &self.wanted.name) && (relation == Relation::Owner || has_text())
            }
            Key::Any => relation == Relation::Owner && !self.flow.is_key_of_owner(key),
        }
    }

    fn relation_of(&self, object: &'w Expression<'w>) -> Relation {
        let object = without_cast_to_any(object);
        if self.is_declaring_literal(object) {
            return Relation::Owner;
        }
        // A cast to a type with an index signature hides the member: `(api as Record<string, Run>)[key]`.
        if let Expression::TSAsExpression(cast) = object
            && let target = self.checker.annotation_type(OPEN_DOCUMENT, &cast.type_annotation, &None)
            && self.checker.props(&target, &self.wanted.name).indexed != Indexed::No
        {
            return self.checker.with_depth(Relation::Owner, || self.relation_of(&cast.expression));
        }
        self.relation_of_type(&self.checker.expression_type(OPEN_DOCUMENT, object))
    }

    fn relation_of_type(&self, of: &Ty<'w>) -> Relation {
        let props = self.checker.props(of, &self.wanted.name);
        let closure = self.checker.with_overridden_sites(&props.sites(), &self.wanted.name);
        if self.wanted.sites.iter().any(|site| closure.contains(site)) {
            Relation::Owner
        } else if props.may_have_more {
            Relation::Unknown
        } else {
            Relation::Other
        }
    }

    /// Returns the relation of an object literal: by its contextual type and by the values that it spreads.
    fn relation_of_literal(&self, object: NodeId) -> Relation {
        let AstKind::ObjectExpression(literal) = self.here.kind(object) else { return Relation::Other };
        let context = self.checker.contextual_type(OPEN_DOCUMENT, object);
        let spreads = literal.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => Some(self.relation_of(&spread.argument)),
            ObjectPropertyKind::ObjectProperty(_) => None,
        });
        let is_owner = self.relation_of_type(&context) == Relation::Owner || spreads.into_iter().any(is_owner);
        if is_owner { Relation::Owner } else { Relation::Other }
    }

    /// Returns whether an expression is a variable whose object literal declares the member, although the type of the
    /// variable only has an index signature: `const table: Record<string, Run> = { start }`.
    fn is_declaring_literal(&self, object: &'w Expression<'w>) -> bool {
        let Expression::Identifier(name) = object else { return false };
        let Some(symbol) = self.checker.resolve_identifier(OPEN_DOCUMENT, name) else { return false };
        let declaration = self.here.scoping().symbol_declaration(symbol);
        let AstKind::VariableDeclarator(variable) = self.here.kind(declaration) else { return false };
        let Some(init) = &variable.init else { return false };
        self.declaring_literals().contains(&init.get_inner_expression().span())
            && self.checker.props(&self.checker.symbol_type(OPEN_DOCUMENT, symbol), &self.wanted.name).indexed
                != Indexed::No
    }

    fn declaring_literals(&self) -> &Vec<Span> {
        self.literals.get_or_init(|| {
            let own = self.wanted.sites.iter().filter(|site| site.module == OPEN_DOCUMENT);
            let declarations = own.filter_map(|site: &Site| self.checker.member_declared_at(*site, &self.wanted.name));
            let objects = declarations.map(|declaration| self.here.parent_kind(declaration));
            objects.filter(|kind| matches!(kind, AstKind::ObjectExpression(_))).map(|kind| kind.span()).collect()
        })
    }

    fn key(&self, key: &'w Expression<'w>) -> Key {
        self.checker.with_depth(Key::Any, || match key {
            Expression::ParenthesizedExpression(inner) => self.key(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.key(&inner.expression),
            Expression::TSSatisfiesExpression(inner) => self.key(&inner.expression),
            Expression::TSAsExpression(cast) if !is_const(&cast.type_annotation) => {
                self.key_of_type(&self.checker.annotation_type(OPEN_DOCUMENT, &cast.type_annotation, &None))
            }
            Expression::ConditionalExpression(choice) => {
                either(self.key(&choice.consequent), self.key(&choice.alternate))
            }
            Expression::LogicalExpression(choice) => either(self.key(&choice.left), self.key(&choice.right)),
            Expression::TemplateLiteral(text) if text.expressions.is_empty() => Key::Checked,
            Expression::TemplateLiteral(_) | Expression::BinaryExpression(_) => {
                let mut parts = Vec::new();
                self.add_parts(key, &mut parts);
                if self.is_number(key) { Key::Checked } else { Key::Parts(parts) }
            }
            _ if self.is_number(key) || self.is_symbol(key) || self.is_enum_member(key) => Key::Checked,
            _ => self.key_of_type(&self.checker.expression_type(OPEN_DOCUMENT, key)),
        })
    }

    /// Returns whether a value is a member of an enum. A string of an enum is followed from where it is written.
    fn is_enum_member(&self, value: &'w Expression<'w>) -> bool {
        let Expression::StaticMemberExpression(member) = value else { return false };
        let Ty::Static(owner) = self.checker.expression_type(OPEN_DOCUMENT, &member.object) else { return false };
        let module = self.checker.module(owner.module());
        let is_enum = |node| matches!(module.kind(node), AstKind::TSEnumDeclaration(_));
        self.checker.owner_nodes(owner).into_iter().any(is_enum)
    }

    fn key_of_type(&self, ty: &Ty<'w>) -> Key {
        let is_any = |ty: &Ty<'w>| {
            let known = self.checker.constraint_or_self(ty);
            known
                .alternatives()
                .iter()
                .any(|ty| matches!(ty, Ty::Primitive | Ty::Unknown | Ty::External | Ty::Platform | Ty::Parameter(..)))
        };
        if ty.alternatives().iter().any(is_any) { Key::Any } else { Key::Checked }
    }

    /// Adds the parts of a template or a concatenation.
    fn add_parts(&self, value: &'w Expression<'w>, parts: &mut Vec<Part>) {
        match value.without_parentheses() {
            Expression::TemplateLiteral(template) => {
                for (at, quasi) in template.quasis.iter().enumerate() {
                    let text = quasi.value.cooked.as_ref().and_then(|text| text.as_str());
                    parts.push(text.map_or(Part::Any, |text| Part::OneOf(vec![text.to_owned()])));
                    if let Some(inner) = template.expressions.get(at) {
                        self.add_parts(inner, parts);
                    }
                }
            }
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                self.add_parts(&sum.left, parts);
                self.add_parts(&sum.right, parts);
            }
            other => parts.push(self.part_of_type(&self.checker.expression_type(OPEN_DOCUMENT, other))),
        }
    }

    fn part_of_type(&self, ty: &Ty<'w>) -> Part {
        let text = |ty: &Ty<'w>| match self.checker.constraint_or_self(ty) {
            Ty::String(text, _) => Some(text.to_owned()),
            _ => None,
        };
        match ty.alternatives().iter().map(text).collect::<Option<Vec<String>>>() {
            Some(texts) if texts.len() <= MAX_TEXTS => Part::OneOf(texts),
            _ => Part::Any,
        }
    }

    /// Returns whether a value is certainly a number, which is not the name of a member.
    fn is_number(&self, value: &'w Expression<'w>) -> bool {
        let is_number_type = |ty: &TSType<'_>| matches!(ty, TSType::TSNumberKeyword(_) | TSType::TSBigIntKeyword(_));
        match value.without_parentheses() {
            Expression::NumericLiteral(_) | Expression::BigIntLiteral(_) | Expression::UpdateExpression(_) => true,
            Expression::UnaryExpression(it) => {
                matches!(
                    it.operator,
                    UnaryOperator::UnaryPlus | UnaryOperator::UnaryNegation | UnaryOperator::BitwiseNot
                )
            }
            Expression::BinaryExpression(it) if it.operator == BinaryOperator::Addition => {
                self.is_number(&it.left) && self.is_number(&it.right)
            }
            Expression::BinaryExpression(it) => it.operator.is_arithmetic() || it.operator.is_bitwise(),
            Expression::TSAsExpression(cast) => is_number_type(&cast.type_annotation),
            Expression::TSNonNullExpression(inner) => self.is_number(&inner.expression),
            Expression::Identifier(name) => {
                let symbol = self.checker.resolve_identifier(OPEN_DOCUMENT, name);
                symbol.is_some_and(|symbol| self.is_number_symbol(symbol))
            }
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                let is_declared = |prop: &Prop<'w>| matches!(prop.source, Source::Type(_, ty, _) if is_number_type(ty));
                let of = || self.checker.props(&self.checker.expression_type(OPEN_DOCUMENT, &member.object), name);
                matches!(name, "length" | "size") || {
                    let found = of().found;
                    !found.is_empty() && found.iter().all(is_declared)
                }
            }
            Expression::CallExpression(call) => match &call.callee {
                Expression::Identifier(name) => {
                    matches!(name.name.as_str(), "Number" | "parseInt" | "parseFloat")
                }
                Expression::StaticMemberExpression(member) => {
                    matches!(&member.object, Expression::Identifier(name) if matches!(name.name.as_str(), "Math" | "Number"))
                        || matches!(member.property.name.as_str(), "indexOf" | "findIndex" | "lastIndexOf")
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_number_symbol(&self, symbol: SymbolId) -> bool {
        let printed = || self.checker.print_symbol(OPEN_DOCUMENT, symbol);
        let declaration = self.here.scoping().symbol_declaration(symbol);
        let is_counter = match self.here.kind(declaration) {
            AstKind::VariableDeclarator(variable) if variable.type_annotation.is_none() => {
                variable.init.as_ref().is_some_and(|init| matches!(init, Expression::NumericLiteral(_)))
            }
            _ => false,
        };
        is_counter || printed().is_some_and(|printed| matches!(printed.text.as_str(), "number" | "bigint"))
    }

    /// Returns whether a value is a symbol: `Symbol.iterator`, or a constant that holds one.
    fn is_symbol(&self, value: &'w Expression<'w>) -> bool {
        match value {
            Expression::StaticMemberExpression(member) => {
                matches!(&member.object, Expression::Identifier(name) if name.name == "Symbol")
            }
            Expression::CallExpression(call) => match &call.callee {
                Expression::Identifier(name) => name.name == "Symbol",
                Expression::StaticMemberExpression(member) => {
                    matches!(&member.object, Expression::Identifier(name) if name.name == "Symbol")
                }
                _ => false,
            },
            Expression::Identifier(name) => {
                let Some(symbol) = self.checker.resolve_identifier(OPEN_DOCUMENT, name) else { return false };
                match self.here.kind(self.here.scoping().symbol_declaration(symbol)) {
                    AstKind::VariableDeclarator(variable) => match (&variable.type_annotation, &variable.init) {
                        (Some(ty), _) => {
                            matches!(ty.type_annotation, TSType::TSSymbolKeyword(_) | TSType::TSTypeOperatorType(_))
                        }
                        (None, Some(init)) => !matches!(init, Expression::Identifier(_)) && self.is_symbol(init),
                        _ => false,
                    },
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

fn is_owner(relation: Relation) -> bool {
    relation == Relation::Owner
}

/// Returns the knowledge about a value that is one of two.
fn either(one: Key, other: Key) -> Key {
    match (one, other) {
        (Key::Checked, known) | (known, Key::Checked) => known,
        (one, other) if one == other => one,
        _ => Key::Any,
    }
}

/// Returns whether parts in this order can be the text.
fn can_be(parts: &[Part], text: &str) -> bool {
    match parts {
        [] => text.is_empty(),
        [Part::OneOf(texts), rest @ ..] => {
            texts.iter().any(|own| text.strip_prefix(own.as_str()).is_some_and(|left| can_be(rest, left)))
        }
        [Part::Any] => true,
        [Part::Any, rest @ ..] => text.char_indices().any(|(at, _)| can_be(rest, &text[at..])) || can_be(rest, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, can_be};

    #[test]
    fn texts_that_parts_can_be() {
        let one_of = |texts: &[&str]| Part::OneOf(texts.iter().map(|text| (*text).to_owned()).collect());
        let known = [one_of(&["get"]), one_of(&["User", "Post"]), one_of(&[""])];
        assert!(can_be(&known, "getUser") && can_be(&known, "getPost"));
        assert!(!can_be(&known, "getTeam") && !can_be(&known, "get"));
        let open = [one_of(&["get"]), Part::Any];
        assert!(can_be(&open, "getTeam") && can_be(&open, "get") && !can_be(&open, "setTeam"));
        let ended = [Part::Any, one_of(&["Id"])];
        assert!(can_be(&ended, "userId") && can_be(&ended, "Id") && !can_be(&ended, "userIds"));
    }
}
