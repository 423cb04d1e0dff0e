//! The type that a selection or a caret chooses: a type, or some members of a union or intersection.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan as _, Span};

use crate::rename::names;
use crate::semantics::effects::contains;
use crate::semantics::words::to_type_name;
use crate::semantics::{Semantics, selection};
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::Parsed;
use marquetry_sdk::Result;
use marquetry_sdk::refactor::refactor_failure;

/// An object type: its span, and those of its members.
#[derive(Clone)]
pub(crate) struct ObjectType {
    pub(crate) span: marquetry_sdk::Span,
    pub(crate) members: Vec<marquetry_sdk::Span>,
}

impl ObjectType {
    fn from_literal(literal: &TSTypeLiteral<'_>) -> ObjectType {
        let members = literal.members.iter().map(|member| to_sdk_span(member.span()));
        ObjectType { span: to_sdk_span(literal.span), members: members.collect() }
    }

    /// Returns the object type, if a type is one.
    fn from_type(ty: &TSType<'_>) -> Option<ObjectType> {
        as_object_type(ty).map(ObjectType::from_literal)
    }
}

/// The chosen type.
pub(crate) struct ChosenType<'a> {
    /// The node that is the type or contains it.
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    /// The type including selected comments after it.
    pub(crate) covered: Span,
    /// The members of an intersection, or the single type.
    parts: Vec<&'a TSType<'a>>,
    /// The object types directly in it, in order.
    pub(crate) objects: Vec<ObjectType>,
    /// True if the type is a union or a member of a union.
    pub(crate) is_union: bool,
}

impl<'a> ChosenType<'a> {
    /// Returns the object types it consists of. `None` if a member is in two of them.
    pub(crate) fn object_types(&self, text: &str) -> Option<Vec<ObjectType>> {
        let literals: Vec<&TSTypeLiteral<'_>> =
            self.parts.iter().map(|part| as_object_type(part)).collect::<Option<_>>()?;
        let mut keys: Vec<&str> = Vec::new();
        for member in literals.iter().flat_map(|literal| &literal.members) {
            let key = match member {
                TSSignature::TSPropertySignature(it) => Some(it.key.span().source_text(text)),
                TSSignature::TSMethodSignature(it) => Some(it.key.span().source_text(text)),
                _ => None,
            };
            if literals.len() > 1 && key.is_none_or(|key| keys.contains(&key)) {
                return None;
            }
            keys.extend(key);
        }
        (!literals.is_empty()).then(|| literals.into_iter().map(ObjectType::from_literal).collect())
    }

    /// Returns the string literal that is the type of a member and discriminates the object type.
    fn discriminant(&self) -> Option<String> {
        let [TSType::TSTypeLiteral(literal)] = self.parts.as_slice() else { return None };
        literal.members.iter().find_map(|member| {
            let TSSignature::TSPropertySignature(property) = member else { return None };
            match &property.type_annotation.as_ref()?.type_annotation {
                TSType::TSLiteralType(literal) => match &literal.literal {
                    TSLiteral::StringLiteral(text) => text.value.as_str().map(str::to_owned),
                    _ => None,
                },
                _ => None,
            }
        })
    }
}

impl<'a> Semantics<'_, 'a> {
    /// Suggests a name from a discriminating member: `type: "circle"` in `Shape` gives `CircleShape`.
    pub(crate) fn discriminated_name(self, chosen: &ChosenType<'a>) -> Option<String> {
        let alias = self.nodes().ancestor_kinds(chosen.node).find_map(|kind| match kind {
            AstKind::TSTypeAliasDeclaration(alias) => Some(alias.id.name.as_str()),
            _ => None,
        });
        let name = format!("{}{}", to_type_name(&chosen.discriminant()?), alias?);
        names::check_binding(&name).is_ok().then_some(name)
    }
}

/// Returns the type if it is an object type literal.
fn as_object_type<'a>(part: &'a TSType<'a>) -> Option<&'a TSTypeLiteral<'a>> {
    match part {
        TSType::TSTypeLiteral(literal) => Some(literal),
        _ => None,
    }
}

/// Returns the chosen type.
pub(crate) fn choose_type<'a>(parsed: &Parsed<'a>, text: &str, span: marquetry_sdk::Span) -> Result<ChosenType<'a>> {
    let semantic = parsed.semantic();
    let caret = Span::new(span.start, span.start);
    let own = selection::trim_selection(parsed, text, span).map_or(caret, |own| {
        let shorter = own.slice(text).trim_end_matches([';', ',']).trim_end().len();
        Span::new(own.start, own.start + shorter as u32)
    });
    let nodes = semantic.nodes();
    let is_own = |node: NodeId| !matches!(nodes.parent_kind(node), AstKind::TSTypeOperator(it) if needs_operand(it));
    let around =
        nodes.iter().filter(|node| is_type(&node.kind()) && contains(node.kind().span(), own) && is_own(node.id()));
    let Some(found) = around.last() else {
        return Err(refactor_failure("no type is selected")
            .hint("select a type, or place the caret in one")
            .at(to_sdk_span(own)));
    };
    let chosen = match found.kind() {
        AstKind::TSUnionType(it) if own.size() > 0 => selected_members(found.id(), &it.types, own, text, '|'),
        AstKind::TSIntersectionType(it) if own.size() > 0 => selected_members(found.id(), &it.types, own, text, '&'),
        _ => None,
    };
    let mut chosen = chosen.unwrap_or_else(|| single_type(semantic, found.id()));
    chosen.covered = with_comments(chosen.span, span, text);
    check_complete_type(semantic, &chosen)?;
    Ok(chosen)
}

fn single_type<'a>(semantic: &Semantic<'a>, node: NodeId) -> ChosenType<'a> {
    let nodes = semantic.nodes();
    let (kind, around) = (nodes.kind(node), nodes.parent_kind(node));
    let parts: Vec<&TSType<'_>> = match kind {
        AstKind::TSIntersectionType(it) => it.types.iter().collect(),
        _ => type_with_span(&around, kind.span()).into_iter().collect(),
    };
    let objects = match kind {
        AstKind::TSUnionType(it) => it.types.iter().filter_map(ObjectType::from_type).collect(),
        _ => parts.iter().filter_map(|part| ObjectType::from_type(part)).collect(),
    };
    let is_choice = matches!(kind, AstKind::TSUnionType(_)) || matches!(around, AstKind::TSUnionType(_));
    ChosenType { node, span: kind.span(), covered: kind.span(), parts, objects, is_union: is_choice }
}

/// Extends the type to selected block comments after it.
fn with_comments(own: Span, selected: marquetry_sdk::Span, text: &str) -> Span {
    let mut end = own.end as usize;
    while let Some(rest) = text.get(end..selected.range().end).filter(|rest| rest.trim_start().starts_with("/*")) {
        match rest.find("*/") {
            Some(length) => end += length + "*/".len(),
            None => break,
        }
    }
    Span::new(own.start, end as u32)
}

/// Returns the type with this span that a node contains.
fn type_with_span<'a>(around: &AstKind<'a>, span: Span) -> Option<&'a TSType<'a>> {
    let is_it = |found: &&'a TSType<'a>| found.span() == span;
    match around {
        AstKind::TSTypeAnnotation(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSTypeAliasDeclaration(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSAsExpression(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSSatisfiesExpression(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSTypeAssertion(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSUnionType(it) => it.types.iter().find(is_it),
        AstKind::TSIntersectionType(it) => it.types.iter().find(is_it),
        AstKind::TSArrayType(it) => Some(&it.element_type).filter(is_it),
        AstKind::TSParenthesizedType(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSTypeParameterInstantiation(it) => it.params.iter().find(is_it),
        AstKind::TSTypeParameter(it) => it.constraint.iter().chain(&it.default).find(is_it),
        AstKind::TSMappedType(it) => it.type_annotation.iter().chain([&it.constraint]).find(is_it),
        AstKind::TSTypeOperator(it) => Some(&it.type_annotation).filter(is_it),
        AstKind::TSIndexedAccessType(it) => [&it.object_type, &it.index_type].into_iter().find(is_it),
        AstKind::TSConditionalType(it) => {
            [&it.check_type, &it.extends_type, &it.true_type, &it.false_type].into_iter().find(is_it)
        }
        _ => None,
    }
}

/// Returns the members of a union or intersection that a selection touches, or whose operator it includes at its ends.
fn selected_members<'a>(
    node: NodeId,
    types: &'a [TSType<'a>],
    own: Span,
    text: &str,
    operator: char,
) -> Option<ChosenType<'a>> {
    let selected = own.source_text(text);
    let mut first = types.iter().position(|it| it.span().end > own.start)?;
    let mut last = types.iter().rposition(|it| it.span().start < own.end)?;
    if selected.starts_with(operator) {
        first = first.saturating_sub(1);
    }
    if selected.ends_with(operator) {
        last = (last + 1).min(types.len() - 1);
    }
    if first > last || first == 0 && last + 1 == types.len() {
        return None;
    }
    let parts: Vec<&TSType<'_>> = types[first..=last].iter().collect();
    let span = Span::new(parts.first()?.span().start, parts.last()?.span().end);
    let objects = parts.iter().filter_map(|part| ObjectType::from_type(part)).collect();
    let is_choice = operator == '|';
    let parts = if is_choice && parts.len() > 1 { Vec::new() } else { parts };
    Some(ChosenType { node, span, covered: span, parts, objects, is_union: is_choice })
}

/// Refuses nodes that are not complete types.
fn check_complete_type(semantic: &Semantic<'_>, chosen: &ChosenType<'_>) -> Result<()> {
    let nodes = semantic.nodes();
    let kind = nodes.kind(chosen.node);
    let is_const = matches!(kind, AstKind::TSTypeReference(it) if matches!(&it.type_name, TSTypeName::IdentifierReference(name) if name.name == "const"));
    let is_unique = matches!(kind, AstKind::TSTypeOperator(it) if it.operator == TSTypeOperatorOperator::Unique);
    let is_place = is_unique
        || matches!(
            kind,
            AstKind::TSInferType(_)
                | AstKind::TSTypePredicate(_)
                | AstKind::TSNamedTupleMember(_)
                | AstKind::TSThisType(_)
        );
    if is_const || is_place {
        let written = chosen.span.source_text(semantic.source_text());
        return Err(refactor_failure(format!("`{written}` is only valid at its current position"))
            .hint("select the type that contains it, or a part of it")
            .at(to_sdk_span(chosen.span)));
    }
    Ok(())
}

/// Returns whether the operator only accepts a literal operand: `readonly` and `unique`.
fn needs_operand(operator: &TSTypeOperator<'_>) -> bool {
    operator.operator != TSTypeOperatorOperator::Keyof
}

fn is_type(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::TSAnyKeyword(_)
            | AstKind::TSBigIntKeyword(_)
            | AstKind::TSBooleanKeyword(_)
            | AstKind::TSNeverKeyword(_)
            | AstKind::TSNullKeyword(_)
            | AstKind::TSNumberKeyword(_)
            | AstKind::TSObjectKeyword(_)
            | AstKind::TSStringKeyword(_)
            | AstKind::TSSymbolKeyword(_)
            | AstKind::TSUndefinedKeyword(_)
            | AstKind::TSUnknownKeyword(_)
            | AstKind::TSVoidKeyword(_)
            | AstKind::TSThisType(_)
            | AstKind::TSArrayType(_)
            | AstKind::TSConditionalType(_)
            | AstKind::TSConstructorType(_)
            | AstKind::TSFunctionType(_)
            | AstKind::TSImportType(_)
            | AstKind::TSIndexedAccessType(_)
            | AstKind::TSInferType(_)
            | AstKind::TSIntersectionType(_)
            | AstKind::TSLiteralType(_)
            | AstKind::TSMappedType(_)
            | AstKind::TSNamedTupleMember(_)
            | AstKind::TSTemplateLiteralType(_)
            | AstKind::TSTupleType(_)
            | AstKind::TSTypeLiteral(_)
            | AstKind::TSTypeOperator(_)
            | AstKind::TSTypePredicate(_)
            | AstKind::TSTypeQuery(_)
            | AstKind::TSTypeReference(_)
            | AstKind::TSUnionType(_)
            | AstKind::TSParenthesizedType(_)
    )
}
