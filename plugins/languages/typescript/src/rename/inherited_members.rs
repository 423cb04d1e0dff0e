//! Members that a package or the platform may have declared first. A member that implements or overrides such a member
//! must keep its name, because calls by that name may be outside of the workspace.

use marquetry_sdk::Usage;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::program::expandos::class_owner;
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::program::module::Module;
use crate::rename::framework_templates::is_used_by_framework;
use crate::rename::uses::FoundUses;

/// Members that the language calls without naming them: in texts, in `await`, in JSON.
const IMPLICITLY_CALLED: [&str; 5] = ["toString", "valueOf", "toJSON", "then", "toLocaleString"];

/// Members of iterators and their results, which loops and spreads read without naming them.
const ITERATOR_MEMBERS: [&str; 5] = ["next", "return", "throw", "done", "value"];

/// Members of custom elements that browsers call or read. The interfaces of elements do not declare them.
const CUSTOM_ELEMENT_MEMBERS: [&str; 12] = [
    "adoptedCallback",
    "attributeChangedCallback",
    "connectedCallback",
    "connectedMoveCallback",
    "disabledFeatures",
    "disconnectedCallback",
    "formAssociated",
    "formAssociatedCallback",
    "formDisabledCallback",
    "formResetCallback",
    "formStateRestoreCallback",
    "observedAttributes",
];

/// Maximum number of supertypes to visit. If there are more, the member is assumed to be inherited.
const MAX_SUPERTYPES: usize = 64;

/// Reports declarations in the open document that may implement or override a member from outside of the workspace,
/// under the old or the new name.
pub(crate) fn report_inherited_members(checker: &Checker<'_>, (old, new): (&str, &str), found: &mut FoundUses) {
    let declared = found.uses.iter().filter(|used| used.usage == Usage::Declaration).map(|used| used.span);
    let is_promised = |span: &oxc_span::Span| may_be_inherited(checker, span.start, old, &[old, new]);
    let doubtful: Vec<oxc_span::Span> = declared.filter(is_promised).collect();
    if doubtful.is_empty() {
        return;
    }
    found.unresolved.extend(doubtful);
    found.unresolved.sort_by_key(|span| (span.start, span.end));
    found.unresolved.dedup();
}

/// Returns whether the owner of a member of the open document may inherit one of the names from outside of the
/// workspace.
fn may_be_inherited(checker: &Checker<'_>, offset: u32, old: &str, names: &[&str]) -> bool {
    let Some(declaration) = checker.member_declared_at(Site { module: OPEN_DOCUMENT, offset }, old) else {
        return false;
    };
    let here = checker.open_module();
    let is_private = |accessibility: Option<TSAccessibility>| accessibility == Some(TSAccessibility::Private);
    let (hidden, is_static) = match here.kind(declaration) {
        AstKind::MethodDefinition(it) => (is_private(it.accessibility), it.r#static),
        AstKind::PropertyDefinition(it) => (is_private(it.accessibility), it.r#static),
        AstKind::AccessorProperty(it) => (is_private(it.accessibility), it.r#static),
        AstKind::FormalParameter(it) => (is_private(it.accessibility), false),
        AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => (false, false),
        AstKind::ObjectProperty(_) => (false, false),
        _ => return false,
    };
    if hidden || old.starts_with('#') {
        return false;
    }
    let is_protocol = names.iter().any(|name| IMPLICITLY_CALLED.contains(name))
        || ITERATOR_MEMBERS.contains(&old) && is_part_of_iterator(&here, declaration);
    if !is_static && (is_protocol || is_used_by_framework(&here, declaration, old)) {
        return true;
    }
    // A member of an object or type within a class is not a member of the class.
    let is_of_class =
        |around: &NodeId| !matches!(here.kind(*around), AstKind::ObjectExpression(_) | AstKind::TSTypeLiteral(_));
    let mut around = here.self_and_ancestors(declaration).skip(1).take_while(is_of_class);
    let owner = around.find_map(|around| match here.kind(around) {
        AstKind::Class(class) => Some(class_owner(OPEN_DOCUMENT, class)),
        AstKind::TSInterfaceDeclaration(interface) => Some(Owner::Symbol(OPEN_DOCUMENT, interface.id.symbol_id.get()?)),
        _ => None,
    });
    let Some(owner) = owner else { return false };
    // A base class that cannot be resolved may have a member with the new name.
    if names.iter().any(|name| *name != old) && checker.has_unknown_base(owner, false) {
        return true;
    }
    if is_static {
        return checker
            .static_base(owner)
            .is_some_and(|base| names.iter().any(|name| has_foreign_static_member(checker, &base, name)));
    }
    names.iter().any(|name| has_foreign_supertype_member(checker, owner, name))
}

/// Returns whether a declaration is within a value or class with a method such as `[Symbol.iterator]`.
fn is_part_of_iterator(module: &Module<'_>, declaration: NodeId) -> bool {
    let is_iterator_key = |key: &PropertyKey<'_>| match key {
        PropertyKey::StaticMemberExpression(key) => {
            matches!(key.property.name.as_str(), "iterator" | "asyncIterator")
                && matches!(&key.object, Expression::Identifier(name) if name.name == "Symbol")
        }
        _ => false,
    };
    module.self_and_ancestors(declaration).any(|around| {
        match module.kind(around) {
        AstKind::ObjectExpression(object) => object.properties.iter().any(|property| {
            matches!(property, ObjectPropertyKind::ObjectProperty(property) if is_iterator_key(&property.key))
        }),
        AstKind::ClassBody(body) => {
            body.body.iter().filter_map(|element| element.property_key()).any(&is_iterator_key)
        }
        _ => false,
    }
    })
}

/// Returns whether a supertype from outside of the workspace may have the member.
fn has_foreign_supertype_member(checker: &Checker<'_>, owner: Owner, name: &str) -> bool {
    let (mut seen, mut next) = (vec![owner], vec![owner]);
    while let Some(owner) = next.pop() {
        let bases = checker.bases(owner, &None).into_iter();
        for base in bases.chain(checker.implemented_types(owner, &None)) {
            match base {
                Ty::Instance(base, _) if seen.contains(&base) => {}
                Ty::Instance(..) if seen.len() >= MAX_SUPERTYPES => return true,
                Ty::Instance(base, _) => {
                    seen.push(base);
                    next.push(base);
                }
                Ty::Platform if platform_reads(name) => return true,
                Ty::Platform => {}
                Ty::Builtin(..) if builtins::container_has_member(name) => return true,
                other => {
                    // A supertype that cannot be resolved does not count here. If it may have the member, it is
                    // reported where it is named.
                    if checker.props(&other, name).external {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// Returns whether a base class from outside of the workspace may have the static member.
fn has_foreign_static_member<'w>(checker: &Checker<'w>, base: &Ty<'w>, name: &str) -> bool {
    match base {
        Ty::Static(owner) => checker
            .static_base(*owner)
            .is_some_and(|base| checker.with_depth(true, || has_foreign_static_member(checker, &base, name))),
        Ty::Platform => platform_reads(name),
        other => {
            let props = checker.props(other, name);
            props.may_have_more || props.external
        }
    }
}

/// Returns whether objects of the platform may read a member of a class that extends one of its types.
fn platform_reads(name: &str) -> bool {
    builtins::platform_has_member(name) || CUSTOM_ELEMENT_MEMBERS.contains(&name)
}
