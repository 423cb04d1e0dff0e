//! Data flow of a string, followed to find out whether the string may be used as a key of the wanted member, as in
//! `const k = "name"; a[k]`. If a flow cannot be followed, the string may be such a key. Callers evaluate the
//! contextual type of the string itself first.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::infer::ty::{Signature, Ty};
use crate::infer::values::is_const;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::search_target::SearchTarget;
use crate::rename::written_context::refers_to_declared_types;

/// Maximum number of expressions to follow. If there are more, the string is assumed to be a possible key.
const MAX_EXPRESSIONS: usize = 256;

/// Data flow of one string.
pub(super) struct StringFlow<'s, 'w> {
    pub(super) checker: &'s Checker<'w>,
    pub(super) wanted: &'s SearchTarget,
    seen: RefCell<HashSet<(u32, NodeId)>>,
    /// True if only objects that certainly have the wanted member count.
    pub(super) must_have_wanted: bool,
    pub(super) property_reads: &'s PropertyReads,
}

/// Cache by module and property: true if the module reads members of the owner by the value of the property. It is
/// computed once for all strings.
pub(super) type PropertyReads = RefCell<HashMap<(u32, String), bool>>;

impl<'s, 'w> StringFlow<'s, 'w> {
    pub(super) fn new(
        checker: &'s Checker<'w>,
        wanted: &'s SearchTarget,
        property_reads: &'s PropertyReads,
    ) -> StringFlow<'s, 'w> {
        StringFlow { checker, wanted, seen: RefCell::default(), must_have_wanted: false, property_reads }
    }

    /// Returns whether the value of an expression may become a key of the wanted member.
    pub(super) fn may_become_key(&self, module: u32, node: NodeId) -> bool {
        if self.seen.borrow().len() > MAX_EXPRESSIONS {
            return true;
        }
        if !self.seen.borrow_mut().insert((module, node)) {
            return false;
        }
        self.checker.with_depth(true, || self.is_key_by_context(module, node) || self.flows_into_parent(module, node))
    }

    /// Returns whether the contextual type of an expression may be a key of the wanted member's type.
    fn is_key_by_context(&self, module: u32, node: NodeId) -> bool {
        let wanted = self.checker.contextual_type(module, node);
        wanted.alternatives().iter().any(|wanted| match self.checker.constraint_or_self(wanted) {
            Ty::Keys(of) => self.may_be_wanted(&self.checker.props(&of, &self.wanted.name).into()),
            Ty::String(text, Some(site)) => {
                self.wanted.string_literals && text == self.wanted.name && self.wanted.sites.contains(&site)
            }
            Ty::Unknown => self.has_written_context(module, node),
            _ => false,
        })
    }

    pub(super) fn may_be_wanted(&self, found: &Sites) -> bool {
        let closure = self.checker.with_overridden_sites(&found.sites, &self.wanted.name);
        found.may_have_more
            || self.wanted.sites.iter().any(|site| closure.contains(site))
            || self.checker.may_be_read_by_index(self.wanted, found.indexed)
    }

    pub(super) fn is_read_from_owner(&self, of: &Ty<'w>) -> bool {
        self.may_be_wanted(&self.checker.read_member_sites(of, &self.wanted.name))
    }

    fn flows_into_parent(&self, module: u32, node: NodeId) -> bool {
        let loaded = self.checker.module(module);
        let parent = loaded.parent(node);
        let span = loaded.kind(node).span();
        match loaded.kind(parent) {
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::TSSatisfiesExpression(_)
            | AstKind::AwaitExpression(_)
            | AstKind::ChainExpression(_)
            | AstKind::LogicalExpression(_) => self.may_become_key(module, parent),
            AstKind::ConditionalExpression(choice) => choice.test.span() != span && self.may_become_key(module, parent),
            AstKind::SequenceExpression(all) => {
                all.expressions.last().is_some_and(|last| last.span() == span) && self.may_become_key(module, parent)
            }
            AstKind::TSAsExpression(cast) => self.flows_through_cast(module, parent, &cast.type_annotation),
            AstKind::TSTypeAssertion(cast) => self.flows_through_cast(module, parent, &cast.type_annotation),
            AstKind::VariableDeclarator(variable) => {
                variable.type_annotation.is_none() && self.flows_into_pattern(module, parent, &variable.id)
            }
            AstKind::AssignmentPattern(pattern) => self.flows_into_pattern(module, parent, &pattern.left),
            AstKind::AssignmentExpression(assignment) if assignment.right.span() == span => {
                let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left else { return false };
                self.checker.resolve_identifier(module, name).is_some_and(|symbol| self.follow_symbol(module, symbol))
            }
            AstKind::CallExpression(call) if call.callee.span() != span => {
                let callee = self.checker.expression_type(module, &call.callee);
                let signatures = self.checker.signatures(&callee, false);
                // The parameter of a function whose type is not inferred may be a key.
                let is_declared = || match &call.callee {
                    Expression::Identifier(name) => self.checker.resolve_identifier(module, name).is_some(),
                    _ => true,
                };
                signatures.is_empty() && callee.is_unknown() && is_declared()
                    || self.is_used_by_callee(&signatures, &call.arguments, span, (module, parent))
            }
            AstKind::NewExpression(new) if new.callee.span() != span => {
                let signatures = self.checker.signatures(&self.checker.expression_type(module, &new.callee), true);
                self.is_used_by_callee(&signatures, &new.arguments, span, (module, parent))
            }
            AstKind::ReturnStatement(_) | AstKind::ArrowFunctionExpression(_) => {
                self.is_used_by_callers(module, node, parent)
            }
            AstKind::TSEnumMember(member) if member.id.span() != span => {
                self.flows_from_enum_member(module, parent, member)
            }
            AstKind::PropertyDefinition(property) if property.key.span() != span => {
                property.readonly && property.type_annotation.is_none()
            }
            AstKind::ArrayExpression(array) => {
                self.is_list_of_reflected_keys(module, parent)
                    || self.is_read_in_iteration(module, parent, node)
                    || self.flows_from_array(module, parent, array)
            }
            AstKind::BinaryExpression(binary) if binary.operator.is_equality() => {
                let other = if binary.left.span() == span { &binary.right } else { &binary.left };
                self.is_reflected_key(module, other)
            }
            AstKind::SwitchCase(case) if case.test.as_ref().is_some_and(|test| test.span() == span) => {
                match loaded.parent_kind(parent) {
                    AstKind::SwitchStatement(choice) => self.is_reflected_key(module, &choice.discriminant),
                    _ => false,
                }
            }
            _ => self.is_key(module, node),
        }
    }

    /// Handles a string that is a key, or a value in an object literal.
    fn is_key(&self, module: u32, node: NodeId) -> bool {
        let loaded = self.checker.module(module);
        let parent = loaded.parent(node);
        let span = loaded.kind(node).span();
        match loaded.kind(parent) {
            AstKind::ComputedMemberExpression(member) => {
                member.expression.span() == span
                    && self.is_read_from_owner(&self.checker.expression_type(module, &member.object))
            }
            AstKind::BinaryExpression(binary) if binary.operator == BinaryOperator::In => {
                binary.left.span() == span
                    && self.is_read_from_owner(&self.checker.expression_type(module, &binary.right))
            }
            AstKind::BindingProperty(property) => {
                property.key.span() == span
                    && self.is_read_from_owner(&self.checker.binding_type(module, loaded.parent(parent)))
            }
            AstKind::AssignmentTargetPropertyProperty(property) => {
                property.name.span() == span
                    && self.is_read_from_owner(&self.checker.binding_type(module, loaded.parent(parent)))
            }
            AstKind::ObjectProperty(property) if property.key.span() == span => {
                match self.checker.contextual_type(module, loaded.parent(parent)) {
                    // An object without a contextual type may be used as the wanted type later.
                    Ty::Primitive => true,
                    wanted => self.may_be_wanted(&self.checker.props(&wanted, &self.wanted.name).into()),
                }
            }
            AstKind::ObjectProperty(property) => {
                let key = crate::infer::ty::key_name(&property.key);
                let is_constant = matches!(loaded.kind(node), AstKind::TSAsExpression(_) | AstKind::TSTypeAssertion(_));
                self.flows_from_object(module, loaded.parent(parent), key.as_deref(), is_constant)
            }
            AstKind::MethodDefinition(_) | AstKind::PropertyDefinition(_) | AstKind::TSPropertySignature(_) => true,
            _ => false,
        }
    }

    fn flows_through_cast(&self, module: u32, cast: NodeId, ty: &'w TSType<'w>) -> bool {
        let any = matches!(ty, TSType::TSAnyKeyword(_) | TSType::TSNeverKeyword(_));
        (is_const(ty) || any) && self.may_become_key(module, cast)
    }

    /// Follows the string into the variable that it initializes.
    fn flows_into_pattern(&self, module: u32, declaration: NodeId, pattern: &'w BindingPattern<'w>) -> bool {
        let BindingPattern::BindingIdentifier(name) = pattern else { return false };
        let Some(symbol) = name.symbol_id.get() else { return false };
        let constant = match self.checker.module(module).parent_kind(declaration) {
            AstKind::VariableDeclaration(variables) => variables.kind.is_const(),
            _ => false,
        };
        self.follow_symbol(module, symbol) || constant && self.is_visible_to_other_files(module, symbol)
    }

    /// Returns whether other files can reference a symbol, and with it the string.
    fn is_visible_to_other_files(&self, module: u32, symbol: SymbolId) -> bool {
        module == OPEN_DOCUMENT && !self.checker.reexported_symbol_names(&[symbol]).is_empty()
    }

    pub(super) fn references_to(&self, module: u32, symbol: SymbolId) -> Vec<NodeId> {
        let loaded = self.checker.module(module);
        loaded.scoping().get_resolved_references(symbol).map(|reference| reference.node_id()).collect()
    }

    pub(super) fn follow_symbol(&self, module: u32, symbol: SymbolId) -> bool {
        self.references_to(module, symbol).into_iter().any(|reference| self.may_become_key(module, reference))
    }

    /// Returns whether a called function may use its argument, the string, as a key.
    fn is_used_by_callee(
        &self,
        signatures: &[Signature<'w>],
        given: &[Argument<'w>],
        argument: oxc_span::Span,
        (module, call): (u32, NodeId),
    ) -> bool {
        let Some(index) = given.iter().position(|value| value.span() == argument) else { return false };
        signatures.iter().any(|signature| {
            let Some(param) = signature.callable.params().items.get(index) else { return false };
            let inside = || match &param.pattern {
                BindingPattern::BindingIdentifier(name) => {
                    name.symbol_id.get().is_some_and(|symbol| self.follow_symbol(signature.module, symbol))
                }
                _ => false,
            };
            let Some(annotation) = &param.type_annotation else { return inside() };
            let annotation = &annotation.type_annotation;
            match self.checker.annotation_type(signature.module, annotation, &signature.substitution) {
                // The type of the parameter is a type parameter for any string, so the call may return the string with its
                // literal type, or compare it with the keys of another argument.
                Ty::Parameter(home, symbol) if self.accepts_any_string(home, symbol) => {
                    self.may_become_key(module, call) || inside() || self.is_mentioned_beside(signature, index, symbol)
                }
                Ty::Primitive if matches!(annotation, TSType::TSStringKeyword(_)) => inside(),
                Ty::Unknown => match annotation {
                    TSType::TSAnyKeyword(_) => inside(),
                    _ => refers_to_declared_types(self.checker, signature.module, annotation),
                },
                _ => false,
            }
        })
    }

    fn accepts_any_string(&self, module: u32, parameter: SymbolId) -> bool {
        self.checker.constraint(module, parameter).is_none_or(|constraint| matches!(constraint, Ty::Primitive))
    }

    /// Returns whether a type parameter is part of the type of another parameter, or of a type that a function returns.
    fn is_mentioned_beside(&self, signature: &Signature<'w>, index: usize, parameter: SymbolId) -> bool {
        let others = signature.callable.params().items.iter().enumerate().filter(|(other, _)| *other != index);
        let types = others.filter_map(|(_, param)| param.type_annotation.as_deref()).map(|ty| &ty.type_annotation);
        let returned = signature.callable.return_type().filter(|ty| !matches!(ty, TSType::TSTypeReference(_)));
        let mut all = types.chain(returned);
        all.any(|ty| self.checker.mentions_parameter(signature.module, ty, parameter, true))
    }

    /// Returns whether the function that returns the string has callers that may use the result as a key.
    fn is_used_by_callers(&self, module: u32, node: NodeId, from: NodeId) -> bool {
        let loaded = self.checker.module(module);
        let function = loaded.self_and_ancestors(from).find_map(|around| match loaded.kind(around) {
            AstKind::Function(it) => Some((around, it.return_type.is_some(), it.id.as_ref())),
            AstKind::ArrowFunctionExpression(it) => Some((around, it.return_type.is_some(), None)),
            _ => None,
        });
        let Some((function, typed, name)) = function else { return false };
        if typed {
            return false;
        }
        // If a function returns a single literal, the type of the call is `string`. The literal type is only kept by a
        // cast, or if the literal is a branch of a conditional expression.
        let stays = matches!(loaded.kind(node), AstKind::TSAsExpression(_) | AstKind::ConditionalExpression(_));
        let symbol = name.or_else(|| match loaded.parent_kind(function) {
            AstKind::VariableDeclarator(variable) => variable.id.get_binding_identifier(),
            _ => None,
        });
        let Some(symbol) = symbol.and_then(|name| name.symbol_id.get()) else { return stays };
        let called = self.references_to(module, symbol).into_iter().any(|reference| {
            let around = loaded.parent(reference);
            match loaded.kind(around) {
                AstKind::CallExpression(call) if call.callee.span() == loaded.kind(reference).span() => {
                    self.may_become_key(module, around)
                }
                _ => stays,
            }
        });
        called || stays && self.is_visible_to_other_files(module, symbol)
    }

    /// Follows a string that is the value of an enum member.
    fn flows_from_enum_member(&self, module: u32, member: NodeId, declared: &TSEnumMember<'w>) -> bool {
        let loaded = self.checker.module(module);
        let declaration = loaded.self_and_ancestors(member).find_map(|around| match loaded.kind(around) {
            AstKind::TSEnumDeclaration(declaration) => Some((declaration, declaration.id.symbol_id.get()?)),
            _ => None,
        });
        let Some((declaration, symbol)) = declaration else { return true };
        // Reads of the wanted member itself contain its name, so they are checked one by one.
        if self.wanted.sites.contains(&Site { module, offset: declared.id.span().start }) {
            return false;
        }
        let texts = || declaration.body.members.iter().filter_map(text_of_enum_member).collect::<Vec<&str>>();
        self.is_visible_to_other_files(module, symbol) && self.may_be_keys(&texts())
            || self.follow_member_reads(module, symbol, declared.id.static_name().as_str(), true)
    }

    /// Follows reads of a member of a symbol. `stays` is the result for other uses. It states whether the string keeps
    /// its literal type.
    fn follow_member_reads(&self, module: u32, symbol: SymbolId, name: Option<&str>, stays: bool) -> bool {
        let loaded = self.checker.module(module);
        self.references_to(module, symbol).into_iter().any(|reference| {
            let around = loaded.parent(reference);
            match loaded.kind(around) {
                AstKind::StaticMemberExpression(member) if member.object.span() == loaded.kind(reference).span() => {
                    name.is_none_or(|name| member.property.name == name) && self.may_become_key(module, around)
                }
                _ => stays,
            }
        })
    }

    /// Follows a string that is a value in an object literal. A constant keeps its literal type in any object.
    fn flows_from_object(&self, module: u32, object: NodeId, key: Option<&str>, is_constant: bool) -> bool {
        match self.checker.contextual_type(module, object) {
            Ty::Primitive => {}
            _ => return false,
        }
        if key.is_some_and(|key| self.is_read_by_property(module, key)) {
            return true;
        }
        let (whole, stays) = self.enclosing_constant(module, object);
        let stays = stays || is_constant;
        let loaded = self.checker.module(module);
        match loaded.parent_kind(whole) {
            AstKind::VariableDeclarator(variable) => {
                let name = variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get());
                name.map_or(stays, |symbol| {
                    self.follow_member_reads(module, symbol, key, stays)
                        || stays && self.is_visible_to_other_files(module, symbol)
                })
            }
            _ => stays,
        }
    }

    /// Follows a string in an array, which keeps its literal type only if the array is constant.
    fn flows_from_array(&self, module: u32, list: NodeId, array: &'w ArrayExpression<'w>) -> bool {
        let (whole, stays) = self.enclosing_constant(module, list);
        let texts = array.elements.iter().map(|element| match element {
            ArrayExpressionElement::StringLiteral(text) => text.value.as_str().unwrap_or(""),
            _ => "",
        });
        let texts: Vec<&str> = texts.collect();
        if !stays || !self.may_be_keys(&texts) {
            return false;
        }
        let loaded = self.checker.module(module);
        match loaded.parent_kind(whole) {
            AstKind::VariableDeclarator(variable) => {
                let name = variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get());
                name.is_none_or(|symbol| {
                    self.is_visible_to_other_files(module, symbol)
                        || !self.references_to(module, symbol).iter().all(|it| is_only_queried(&loaded, *it))
                })
            }
            AstKind::ExpressionStatement(_) => false,
            _ => true,
        }
    }

    /// Returns a literal with surrounding syntax that keeps its value, and whether its parts keep their literal types.
    fn enclosing_constant(&self, module: u32, literal: NodeId) -> (NodeId, bool) {
        let loaded = self.checker.module(module);
        let (mut whole, mut stays) = (literal, false);
        loop {
            let around = loaded.parent(whole);
            match loaded.kind(around) {
                AstKind::ParenthesizedExpression(_) | AstKind::TSSatisfiesExpression(_) => {}
                AstKind::TSAsExpression(cast) if is_const(&cast.type_annotation) => stays = true,
                AstKind::TSTypeAssertion(cast) if is_const(&cast.type_annotation) => stays = true,
                AstKind::CallExpression(call) if is_freeze_call(&call.callee) => stays = true,
                AstKind::ObjectProperty(_) | AstKind::ObjectExpression(_) | AstKind::ArrayExpression(_) => {
                    // If literals are nested, only a cast of the outermost literal counts.
                    let outer = loaded.self_and_ancestors(around).skip(1).find(|it| !is_literal(loaded.kind(*it)));
                    let outer = outer.map(|it| loaded.kind(it));
                    stays |= matches!(outer, Some(AstKind::TSAsExpression(cast)) if is_const(&cast.type_annotation));
                    return (whole, stays);
                }
                _ => return (whole, stays),
            }
            whole = around;
        }
    }

    /// Returns whether the type that contains this literal type is used. Only a type alias that is neither exported nor
    /// referenced is unused.
    pub(super) fn is_type_used(&self, literal: NodeId) -> bool {
        let loaded = self.checker.module(OPEN_DOCUMENT);
        let is_part = |kind| matches!(kind, AstKind::TSUnionType(_) | AstKind::TSParenthesizedType(_));
        let whole = loaded.self_and_ancestors(literal).skip(1).find(|around| !is_part(loaded.kind(*around)));
        let Some(AstKind::TSTypeAliasDeclaration(alias)) = whole.map(|whole| loaded.kind(whole)) else { return true };
        let Some(symbol) = alias.id.symbol_id.get() else { return true };
        self.is_visible_to_other_files(OPEN_DOCUMENT, symbol) || !self.references_to(OPEN_DOCUMENT, symbol).is_empty()
    }

    /// Returns the strings of the unions that the wanted literal types belong to.
    fn alternatives(&self) -> Vec<String> {
        let mut all = Vec::new();
        for site in self.wanted.sites.iter().filter(|site| **site != Site::WATCHED) {
            let loaded = self.checker.module(site.module);
            let identifiers = loaded.identifiers(&self.wanted.name);
            let own = identifiers.iter().find(|identifier| loaded.kind(identifier.node).span().start == site.offset);
            let texts = own.map(|own| self.checker.union_strings(site.module, loaded.parent(own.node)));
            all.extend(texts.into_iter().flatten().map(str::to_owned));
        }
        all
    }

    /// Returns whether all these strings may be keys of one object that has the wanted member. If there are other
    /// strings than its name, the object must also have a member for one of them.
    pub(super) fn may_be_keys(&self, texts: &[&str]) -> bool {
        let name = self.wanted.name.as_str();
        let is_alternative = |text: &&str| self.alternatives().iter().any(|known| known == text);
        if self.wanted.string_literals && texts.iter().all(is_alternative) {
            return true;
        }
        let others: Vec<&str> = texts.iter().copied().filter(|text| *text != name).collect();
        let beside = |site: &Site| others.iter().any(|other| self.checker.may_have_member(*site, name, other));
        others.is_empty() || self.wanted.sites.iter().any(beside)
    }
}

/// Returns the string that is the value of an enum member.
pub(super) fn text_of_enum_member<'w>(member: &TSEnumMember<'w>) -> Option<&'w str> {
    match &member.initializer {
        Some(Expression::StringLiteral(text)) => text.value.as_str(),
        _ => None,
    }
}

fn is_literal(kind: AstKind<'_>) -> bool {
    matches!(kind, AstKind::ObjectProperty(_) | AstKind::ObjectExpression(_) | AstKind::ArrayExpression(_))
}

fn is_freeze_call(callee: &Expression<'_>) -> bool {
    matches!(callee, Expression::StaticMemberExpression(member) if member.property.name == "freeze"
        && matches!(&member.object, Expression::Identifier(name) if name.name == "Object"))
}

/// Returns whether a list is only used for a query such as `includes`, so that its elements do not flow elsewhere.
fn is_only_queried(loaded: &crate::program::module::Module<'_>, list: NodeId) -> bool {
    matches!(loaded.parent_kind(list), AstKind::StaticMemberExpression(member)
        if matches!(member.property.name.as_str(), "includes" | "indexOf" | "length" | "join"))
}
