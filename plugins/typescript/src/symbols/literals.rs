//! Texts that a type offers as choices: `"left" | "right"`.

use oxc_ast::AstKind;
use oxc_semantic::NodeId;

use super::tokens::{Role, Token};
use super::ty::Ty;
use super::world::{HERE, World};

/// All texts that a type offers, sorted.
pub(crate) type Choice = Vec<String>;

/// The choice that a text is one of: by the type that wants it, or by the type that it stands in.
pub(crate) fn choice<'w>(world: &World<'w>, module: u32, token: &Token<'w>) -> Option<Choice> {
    let held = world.module(module);
    let ty = match held.parent_kind(token.node) {
        AstKind::TSLiteralType(_) => written(world, module, held.parent(token.node))?,
        _ => world.contextual(module, token.node),
    };
    let mut texts: Choice = Vec::new();
    for alternative in ty.alternatives() {
        match world.constrained(alternative) {
            Ty::Text(text) => texts.push(text.to_owned()),
            Ty::Plain => {}
            _ => return None,
        }
    }
    texts.sort();
    texts.dedup();
    texts.iter().any(|text| text == token.name).then_some(texts)
}

/// The whole type that a written text is a part of.
fn written<'w>(world: &World<'w>, module: u32, literal: NodeId) -> Option<Ty<'w>> {
    let held = world.module(module);
    let mut whole = literal;
    while matches!(held.parent_kind(whole), AstKind::TSUnionType(_) | AstKind::TSParenthesizedType(_)) {
        whole = held.parent(whole);
    }
    Some(match held.kind(whole) {
        AstKind::TSUnionType(union) => Ty::either(union.types.iter().map(|ty| world.annotated(module, ty, &None))),
        AstKind::TSParenthesizedType(inner) => world.annotated(module, &inner.type_annotation, &None),
        AstKind::TSLiteralType(literal) => match &literal.literal {
            oxc_ast::ast::TSLiteral::StringLiteral(text) => Ty::Text(text.value.as_str()?),
            _ => return None,
        },
        _ => return None,
    })
}

/// The texts of the open document that are this one of the choice.
pub(crate) fn places<'w>(world: &World<'w>, name: &str, wanted: &Choice) -> Vec<Token<'w>> {
    let here = world.here();
    let mut tokens = here.tokens(name);
    tokens
        .retain(|token| matches!(here.role(token), Role::Text) && choice(world, HERE, token).as_ref() == Some(wanted));
    tokens
}
