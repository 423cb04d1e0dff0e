//! Name collisions caused by a new name.

use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::Class;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Props, Ty};
use crate::program::expandos::class_owner;
use crate::program::exports::Export;
use crate::program::ids::{OPEN_DOCUMENT, Owner, Site};
use crate::program::module::Module;
use crate::semantics::names::{self, Collision};

pub(super) fn collision_failure(message: String, at: oxc_span::Span) -> Failure {
    fail(FailureKind::RefactorFailed, message)
        .hint("choose another name, or rename the other one first")
        .at(Span { start: at.start, end: at.end })
}

/// Refuses a new name that another binding would shadow, or that would shadow another binding.
pub(crate) fn check_symbols(checker: &Checker<'_>, symbols: &[SymbolId], new: &str) -> Result<()> {
    let here = checker.open_module();
    for symbol in symbols {
        check_symbol(&here, *symbol, new)?;
    }
    Ok(())
}

fn check_symbol(here: &Module<'_>, symbol: SymbolId, new: &str) -> Result<()> {
    let scoping = here.scoping();
    let name = scoping.symbol_name(symbol);
    let failure = match names::collision(here.semantic(), symbol, new) {
        None => return Ok(()),
        Some(Collision::Declared(other)) => collision_failure(
            format!("`{new}` is already declared in the scope of `{name}`"),
            scoping.symbol_span(other),
        ),
        Some(Collision::Shadowed { use_at, by }) => collision_failure(
            format!("here `{new}` would refer to another declaration than the renamed `{name}`"),
            use_at,
        )
        .candidates([format!("the other `{new}` is at byte {}", scoping.symbol_span(by).start)]),
        Some(Collision::Captured { use_at }) => {
            collision_failure(format!("`{new}` is used here and would refer to the renamed `{name}`"), use_at)
        }
    };
    let free = names::fresh_name(scoping, new);
    Err(failure.hint(format!("choose another name, such as `{free}`, or rename the other one first")))
}

/// Refuses to rename a global of the platform: declarations in the project only augment it.
pub(crate) fn check_platform(name: &str) -> Result<()> {
    if !builtins::is_platform_name(name) {
        return Ok(());
    }
    let message = format!("`{name}` is a global of the platform, which this declaration extends");
    Err(fail(FailureKind::RefactorFailed, message)
        .hint("renaming would separate the two: add a new declaration and change the uses one by one"))
}

/// Refuses a new name that the file already exports. A type and a value can have the same name.
pub(crate) fn check_export(checker: &Checker<'_>, symbols: &[SymbolId], new: &str) -> Result<()> {
    let exports = checker.exports(crate::program::ids::ModuleRef { module: OPEN_DOCUMENT, block: None });
    let here = checker.open_module();
    let meanings = |symbol: SymbolId| {
        let flags = here.scoping().symbol_flags(symbol);
        [flags.can_be_referenced_by_type(), flags.can_be_referenced_by_value()]
    };
    let is_apart = |export: &Export<'_>| match export {
        Export::Declared(other) | Export::Listed { symbol: Some(other), .. } => {
            let other = meanings(*other);
            let overlaps = |symbol: &SymbolId| meanings(*symbol).iter().zip(other).any(|(one, other)| *one && other);
            !symbols.is_empty() && !symbols.iter().any(overlaps)
        }
        _ => false,
    };
    if exports.named.get(new).is_some_and(|all| !all.iter().all(is_apart)) {
        return Err(fail(FailureKind::RefactorFailed, format!("the file already exports `{new}`"))
            .hint("choose another name, or rename the other export first"));
    }
    Ok(())
}

/// Refuses a new name that the owner of a member already has as a member.
pub(crate) fn check_members(checker: &Checker<'_>, sites: &[Site], old: &str, new: &str) -> Result<()> {
    for site in sites {
        if *site == Site::WATCHED {
            continue;
        }
        let Some(other) = sibling_with_name(checker, *site, old, new) else { continue };
        let module = checker.module(other.module);
        let message = format!("`{new}` is already declared next to it in `{}`", module.path);
        let at = oxc_span::Span::new(other.offset, other.offset + new.len() as u32);
        let failure = collision_failure(message, at);
        return Err(if other.module == OPEN_DOCUMENT { failure } else { Failure { span: None, ..failure } });
    }
    Ok(())
}

/// Returns a member with the new name in the owner of a member.
fn sibling_with_name(checker: &Checker<'_>, site: Site, old: &str, new: &str) -> Option<Site> {
    let module = checker.module(site.module);
    let identifiers = module.identifiers(old);
    let identifier = identifiers.iter().find(|identifier| module.kind(identifier.node).span().start == site.offset)?;
    let props = match member_owner(&module, identifier.node)? {
        MemberOwner::Class(class, is_static) => {
            let AstKind::Class(class) = module.kind(class) else { return None };
            class_members(checker, site.module, class, is_static, new)
        }
        MemberOwner::Interface(symbol) => checker.props(&Ty::Instance(Owner::Symbol(site.module, symbol), None), new),
        MemberOwner::Enum(symbol) => checker.props(&Ty::Static(Owner::Symbol(site.module, symbol)), new),
        MemberOwner::Literal(node) => match module.kind(node) {
            AstKind::TSTypeLiteral(literal) => checker.props(&Ty::Literal(site.module, literal, None), new),
            AstKind::ObjectExpression(object) => checker.props(&Ty::Object(site.module, object), new),
            _ => return None,
        },
        MemberOwner::Element(_) => return None,
    };
    props.sites().first().copied()
}

pub(super) fn class_members<'w>(
    checker: &Checker<'w>,
    module: u32,
    class: &'w Class<'w>,
    is_static: bool,
    name: &str,
) -> Props<'w> {
    let owner = class_owner(module, class);
    checker.props(&if is_static { Ty::Static(owner) } else { Ty::Instance(owner, None) }, name)
}

/// Type, value or element that a name is a member of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberOwner {
    Class(NodeId, bool),
    Interface(SymbolId),
    Enum(SymbolId),
    Literal(NodeId),
    Element(NodeId),
}

pub(super) fn member_owner(module: &Module<'_>, name: NodeId) -> Option<MemberOwner> {
    let mut is_static = false;
    for node in module.self_and_ancestors(name).skip(1) {
        match module.kind(node) {
            AstKind::MethodDefinition(method) => is_static = method.r#static,
            AstKind::PropertyDefinition(property) => is_static = property.r#static,
            AstKind::AccessorProperty(property) => is_static = property.r#static,
            AstKind::Class(_) => return Some(MemberOwner::Class(node, is_static)),
            AstKind::TSInterfaceDeclaration(interface) => {
                return interface.id.symbol_id.get().map(MemberOwner::Interface);
            }
            AstKind::TSEnumDeclaration(declared) => return declared.id.symbol_id.get().map(MemberOwner::Enum),
            AstKind::TSTypeLiteral(_) | AstKind::ObjectExpression(_) => return Some(MemberOwner::Literal(node)),
            AstKind::JSXOpeningElement(_) => return Some(MemberOwner::Element(node)),
            AstKind::ClassBody(_)
            | AstKind::TSInterfaceBody(_)
            | AstKind::TSEnumBody(_)
            | AstKind::TSEnumMember(_)
            | AstKind::TSPropertySignature(_)
            | AstKind::TSMethodSignature(_)
            | AstKind::ObjectProperty(_)
            | AstKind::JSXAttribute(_)
            | AstKind::FormalParameter(_)
            | AstKind::FormalParameters(_)
            | AstKind::Function(_) => {}
            _ => return None,
        }
    }
    None
}
