//! Members with the new name in related types: subtypes, implementations, objects of the type, values to which the
//! member is assigned.

use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::members::{declares_member, sets_member};
use crate::infer::ty::{Entity, Props, Ty};
use crate::program::ResolvedModule;
use crate::program::expandos::class_owner;
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::program::module::Module;
use crate::rename::conflicts::{MemberOwner, class_members, collision_failure, member_owner};
use crate::rename::uses::Use;

/// Refuses a new name that this document already gives to a member of a related type or value: a subtype, an
/// implementation, an object of the type, or a JSX element with both attributes. Returns members with the new name in
/// classes with a base that cannot be resolved: these classes may have the renamed member, too.
pub(crate) fn check_related(
    checker: &Checker<'_>,
    uses: &[Use],
    sites: &[Site],
    old: &str,
    new: &str,
) -> Result<Vec<Span>> {
    let here = checker.open_module();
    let identifiers = here.identifiers(new);
    let mut doubtful = Vec::new();
    if identifiers.is_empty() {
        return Ok(doubtful);
    }
    let renamed = here.identifiers(old);
    let renamed = renamed
        .iter()
        .filter(|identifier| is_member_name(&here, identifier) && uses.iter().any(|used| used.span == identifier.span));
    let owners: Vec<MemberOwner> = renamed.filter_map(|identifier| member_owner(&here, identifier.node)).collect();
    let search =
        RelatedSearch { checker, here: &here, sites, old, new, owners, globals: script_owners(checker, sites) };
    for other in identifiers.iter() {
        let is_same = sites.contains(&Site { module: OPEN_DOCUMENT, offset: here.kind(other.node).span().start });
        if is_same {
            continue;
        }
        match search.relation(other) {
            Relation::None => {}
            Relation::Related => {
                let message = format!("`{new}` is already a member of a type that has `{old}`");
                return Err(collision_failure(message, other.span));
            }
            Relation::Unknown => doubtful.push(Span { start: other.span.start, end: other.span.end }),
        }
    }
    Ok(doubtful)
}

/// Relation of a member with the new name to the renamed member.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    None,
    /// A type or value has both members.
    Related,
    /// It is not known whether a type has both members.
    Unknown,
}

impl Relation {
    fn related_if(related: bool) -> Relation {
        if related { Relation::Related } else { Relation::None }
    }
}

/// Returns the names of the types that scripts declare and that declare a member at one of the sites. Any other script
/// can use these names.
fn script_owners(checker: &Checker<'_>, sites: &[Site]) -> Vec<String> {
    let mut names = Vec::new();
    for site in sites.iter().filter(|site| **site != Site::WATCHED) {
        let module = checker.module(site.module);
        if module.is_module() {
            continue;
        }
        let declares = |span: oxc_span::Span| span.start <= site.offset && site.offset < span.end;
        for node in module.semantic().nodes().iter() {
            let name = match node.kind() {
                AstKind::Class(class) if declares(class.span) => class.id.as_ref(),
                AstKind::Function(function) if declares(function.span) => function.id.as_ref(),
                AstKind::TSInterfaceDeclaration(interface) if declares(interface.span) => Some(&interface.id),
                AstKind::AssignmentExpression(set) if declares(set.left.span()) => {
                    names.extend(prototype_owner(set).map(|name| name.name.to_string()));
                    None
                }
                _ => None,
            };
            names.extend(name.map(|name| name.name.to_string()));
        }
    }
    names
}

/// Returns `F` of `F.prototype.m = …`.
fn prototype_owner<'x, 'w>(set: &'x AssignmentExpression<'w>) -> Option<&'x IdentifierReference<'w>> {
    let AssignmentTarget::StaticMemberExpression(target) = &set.left else { return None };
    let Expression::StaticMemberExpression(prototype) = &target.object else { return None };
    match &prototype.object {
        Expression::Identifier(name) if prototype.property.name == "prototype" => Some(name),
        _ => None,
    }
}

/// Returns whether an identifier declares a member or is a JSX attribute.
fn is_member_name(module: &Module<'_>, identifier: &Identifier<'_>) -> bool {
    match module.role(identifier) {
        Role::Member => {
            declares_member(module, identifier.node)
                || matches!(module.parent_kind(identifier.node), AstKind::JSXAttribute(_))
        }
        Role::Declares(symbol) => module.is_parameter_property(symbol),
        _ => false,
    }
}

/// Search for types that have the renamed member and a member with the new name.
struct RelatedSearch<'s, 'w> {
    checker: &'s Checker<'w>,
    here: &'s Module<'w>,
    /// Declarations of the renamed member.
    sites: &'s [Site],
    old: &'s str,
    new: &'s str,
    /// Owners in which the rename changes a declaration.
    owners: Vec<MemberOwner>,
    /// Names of the types of scripts that declare the member.
    globals: Vec<String>,
}

impl<'w> RelatedSearch<'_, 'w> {
    fn relation(&self, other: &Identifier<'w>) -> Relation {
        if is_member_name(self.here, other) {
            let Some(owner) = member_owner(self.here, other.node) else { return Relation::None };
            if self.owners.contains(&owner) || self.has_member(owner) {
                return Relation::Related;
            }
            return match owner {
                MemberOwner::Class(class, _) => self.relation_of_class(class),
                MemberOwner::Interface(_) => Relation::related_if(self.is_augmentation(other.node)),
                MemberOwner::Literal(literal) => Relation::related_if(self.is_merged_literal(literal)),
                MemberOwner::Enum(_) | MemberOwner::Element(_) => Relation::None,
            };
        }
        match self.here.role(other) {
            Role::Member => self.relation_of_access(other.node),
            Role::StringLiteral => Relation::related_if(self.is_defined_property(other.node)),
            _ => Relation::None,
        }
    }

    fn is_renamed(&self, props: &Props<'_>) -> bool {
        let closure = self.checker.with_overridden_sites(&props.sites(), self.old);
        closure.iter().any(|site| self.sites.contains(site))
    }

    /// Returns whether a type has the renamed member.
    fn has_renamed(&self, ty: &Ty<'w>) -> bool {
        ty.alternatives().iter().any(|ty| self.is_renamed(&self.checker.props(ty, self.old)))
    }

    /// Returns whether an owner has the renamed member: directly, or through a type that it extends or implements, or
    /// the contextual type of an object literal.
    fn has_member(&self, owner: MemberOwner) -> bool {
        let (checker, name) = (self.checker, self.old);
        match owner {
            MemberOwner::Class(class, is_static) => {
                let AstKind::Class(class) = self.here.kind(class) else { return false };
                if self.is_renamed(&class_members(checker, OPEN_DOCUMENT, class, is_static, name)) {
                    return true;
                }
                let promised = checker.implemented_types(class_owner(OPEN_DOCUMENT, class), &None);
                !is_static && promised.iter().any(|promised| self.has_renamed(promised))
            }
            MemberOwner::Interface(symbol) => {
                self.is_renamed(&checker.props(&Ty::Instance(Owner::Symbol(OPEN_DOCUMENT, symbol), None), name))
            }
            MemberOwner::Enum(symbol) => {
                self.is_renamed(&checker.props(&Ty::Static(Owner::Symbol(OPEN_DOCUMENT, symbol)), name))
            }
            MemberOwner::Literal(node) => match self.here.kind(node) {
                AstKind::TSTypeLiteral(literal) => {
                    self.is_renamed(&checker.props(&Ty::Literal(OPEN_DOCUMENT, literal, None), name))
                }
                AstKind::ObjectExpression(_) => {
                    let wanted = checker.contextual_type(OPEN_DOCUMENT, node);
                    // If there are several contextual types, the literal may belong to the type that only has a member
                    // with the new name.
                    wanted.alternatives().len() == 1 && self.is_renamed(&checker.props(&wanted, name))
                }
                _ => false,
            },
            MemberOwner::Element(_) => false,
        }
    }

    /// Returns the relation of a class none of whose known bases has the renamed member.
    fn relation_of_class(&self, class: NodeId) -> Relation {
        let AstKind::Class(class) = self.here.kind(class) else { return Relation::None };
        let owner = class_owner(OPEN_DOCUMENT, class);
        if !self.globals.is_empty() && self.extends_global(owner) {
            return Relation::Related;
        }
        if self.checker.has_unknown_base(owner, !self.globals.is_empty()) { Relation::Unknown } else { Relation::None }
    }

    /// Returns whether a class, or a class that it extends, extends a type of a script that declares the member.
    fn extends_global(&self, owner: Owner) -> bool {
        let (mut seen, mut next) = (vec![owner], vec![owner]);
        while let Some(owner) = next.pop() {
            let loaded = self.checker.module(owner.module());
            let extends = |node| match loaded.kind(node) {
                AstKind::Class(class) => {
                    class.heritage.as_ref().is_some_and(|base| self.is_global(owner.module(), &base.expression))
                }
                _ => false,
            };
            if self.checker.owner_nodes(owner).into_iter().any(extends) {
                return true;
            }
            for base in self.checker.bases(owner, &None) {
                if let Ty::Instance(base, _) = base
                    && !seen.contains(&base)
                {
                    seen.push(base);
                    next.push(base);
                }
            }
        }
        false
    }

    /// Returns whether an expression is the name of a type of a script that declares the member.
    fn is_global(&self, module: u32, value: &'w Expression<'w>) -> bool {
        let Expression::Identifier(name) = value.get_inner_expression() else { return false };
        self.checker.resolve_identifier(module, name).is_none()
            && self.globals.iter().any(|known| known == name.name.as_str())
    }

    /// Returns whether an interface or class adds its members to a type that declares the renamed member: in
    /// `declare module "./a"`, or as another declaration of a global.
    fn is_augmentation(&self, name: NodeId) -> bool {
        let declared = self.here.self_and_ancestors(name).find_map(|around| match self.here.kind(around) {
            AstKind::TSInterfaceDeclaration(interface) => Some((around, interface.id.name.as_str())),
            _ => None,
        });
        let Some((interface, name)) = declared else { return false };
        let block = self.here.self_and_ancestors(interface).find_map(|around| match self.here.kind(around) {
            AstKind::TSExternalModuleDeclaration(module) => Some(module.id.value.as_str()),
            AstKind::TSGlobalDeclaration(_) => Some(None),
            AstKind::Program(_) if !self.here.is_module() => Some(None),
            _ => None,
        });
        match block {
            Some(Some(specifier)) => self.is_exported_type(specifier, name),
            Some(None) => self.globals.iter().any(|known| known == name),
            None => false,
        }
    }

    /// Returns whether a module exports a type of this name that declares the renamed member.
    fn is_exported_type(&self, specifier: &'w str, name: &str) -> bool {
        let ResolvedModule::Module(found) = self.checker.resolve_module(OPEN_DOCUMENT, specifier) else { return false };
        match self.checker.export_entity(found, name) {
            Entity::Symbol(module, symbol) => self.has_renamed(&Ty::Instance(Owner::Symbol(module, symbol), None)),
            _ => false,
        }
    }

    /// Returns whether the members of a literal are added to a type that has the renamed member: a part of the
    /// intersection `A & { … }`, or an argument of `Object.assign(a, { … })`.
    fn is_merged_literal(&self, literal: NodeId) -> bool {
        if let AstKind::ObjectExpression(object) = self.here.kind(literal) {
            return match self.here.parent_kind(literal) {
                AstKind::CallExpression(call) if is_object_method(call, &["assign"]) => call
                    .arguments
                    .first()
                    .and_then(Argument::as_expression)
                    .is_some_and(|target| target.span() != object.span && self.has_member_of_value(target)),
                _ => false,
            };
        }
        let whole = self.here.self_and_ancestors(literal).skip(1).find(|around| {
            !matches!(self.here.kind(*around), AstKind::TSParenthesizedType(_) | AstKind::TSTypeLiteral(_))
        });
        match whole.map(|whole| self.here.kind(whole)) {
            Some(AstKind::TSIntersectionType(whole)) => whole
                .types
                .iter()
                .any(|part| self.has_renamed(&self.checker.annotation_type(OPEN_DOCUMENT, part, &None))),
            _ => false,
        }
    }

    /// Returns whether the value of an expression has the renamed member.
    fn has_member_of_value(&self, value: &'w Expression<'w>) -> bool {
        let prototype = match value.get_inner_expression() {
            Expression::StaticMemberExpression(member) if member.property.name == "prototype" => Some(&member.object),
            _ => None,
        };
        prototype.is_some_and(|owner| self.is_global(OPEN_DOCUMENT, owner))
            || self.has_renamed(&self.checker.expression_type(OPEN_DOCUMENT, value))
    }

    /// Returns whether a string is the name of a property that a call defines: `Object.defineProperty(a, "name", …)`.
    fn is_defined_property(&self, name: NodeId) -> bool {
        let AstKind::CallExpression(call) = self.here.parent_kind(name) else { return false };
        let [target, property, ..] = &call.arguments[..] else { return false };
        is_object_method(call, &["defineProperty"])
            && property.span() == self.here.kind(name).span()
            && target.as_expression().is_some_and(|target| self.has_member_of_value(target))
    }

    /// Returns the relation of a name that is set or read in a value.
    fn relation_of_access(&self, name: NodeId) -> Relation {
        let access = self.here.parent(name);
        let object = match self.here.kind(access) {
            AstKind::StaticMemberExpression(member) => &member.object,
            AstKind::ComputedMemberExpression(member) => &member.object,
            AstKind::PrivateFieldExpression(member) => &member.object,
            AstKind::BindingProperty(_) | AstKind::AssignmentTargetPropertyProperty(_) => {
                let ty = self.checker.binding_type(OPEN_DOCUMENT, self.here.parent(access));
                return Relation::related_if(self.would_be_read(&ty));
            }
            _ => return Relation::None,
        };
        if sets_member(self.here, name) {
            return Relation::related_if(self.has_member_of_value(object));
        }
        Relation::related_if(self.would_be_read(&self.checker.expression_type(OPEN_DOCUMENT, object)))
    }

    /// Returns whether a read of the new name would be a read of the renamed member: a value has the renamed member, and
    /// nothing declares the new name yet.
    fn would_be_read(&self, of: &Ty<'w>) -> bool {
        let props = self.checker.props(of, self.new);
        let is_declared = props.found.iter().any(|prop| prop.site.is_some());
        !is_declared && !props.external && !props.may_have_more && self.has_renamed(of)
    }
}

/// Returns whether a call is of one of these methods of `Object` or `Reflect`.
fn is_object_method(call: &CallExpression<'_>, names: &[&str]) -> bool {
    let Expression::StaticMemberExpression(callee) = &call.callee else { return false };
    let Expression::Identifier(object) = &callee.object else { return false };
    matches!(object.name.as_str(), "Object" | "Reflect") && names.contains(&callee.property.name.as_str())
}
