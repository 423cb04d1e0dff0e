//! The new parameter list of a function, and the packages that its new arguments use.

use marquetry_code::{
    NodeIndex, TokenKind,
    signature::{self, Item, OldParameter, Request, Rules},
};
use marquetry_sdk::Result;
use serde_json::{Value, json};

use crate::{
    kinds::{F, K, child, has_kind, has_role},
    table::check_name,
    types::File,
};

/// The parameters that Go accepts.
pub(super) const RULES: Rules = Rules {
    example_type: "int",
    type_separator: ' ',
    variadic_sign: "...",
    needs_type: true,
    has_defaults: false,
    check_name,
    is_type: |code| is_one(code, "var _ ", F::Type),
    is_value: |code| is_one(code, "var _ = ", F::Body),
};

/// A parameter of a declaration.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) type_text: String,
    /// Index of the group of names that share one type. Each new parameter has its own group.
    pub(super) group: usize,
    pub(super) is_variadic: bool,
}

/// The new parameter list.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) list: signature::Plan,
    /// True if the last old parameter is variadic.
    pub(super) is_variadic: bool,
    /// The packages that the values of new parameters use: local name and import path.
    pub(super) packages: Vec<(String, String)>,
}

impl Plan {
    /// Parses the argument of the refactor.
    ///
    /// # Errors
    ///
    /// Fails if the argument is not a list of parameters.
    pub(super) fn read(request: Request<'_>, old: &[Parameter]) -> Result<Plan> {
        let known = |own: &Parameter| OldParameter {
            name: own.name.clone(),
            type_text: own.type_text.clone(),
            text: format!("{} {}", own.name, own.type_text),
            stays_last: own.is_variadic,
            ..OldParameter::default()
        };
        let list = signature::Plan::read(request, &old.iter().map(known).collect::<Vec<_>>(), &RULES)?;
        let is_variadic = old.last().is_some_and(|last| last.is_variadic);
        Ok(Plan { list, is_variadic, packages: Vec::new() })
    }

    /// The parameters of the new declaration.
    pub(super) fn parameters(&self, old: &[Parameter]) -> Vec<Parameter> {
        let parameter = |(index, item): (usize, &Item)| match item {
            Item::Kept(own) => old[*own].clone(),
            Item::New(added) => Parameter {
                name: added.name.clone(),
                type_text: added.type_text.clone(),
                group: old.len() + index,
                is_variadic: false,
            },
        };
        self.list.items.iter().enumerate().map(parameter).collect()
    }

    /// The plan as JSON, for the questions to other files.
    pub(super) fn to_json(&self) -> Value {
        json!({"list": self.list.to_json(), "variadic": self.is_variadic, "packages": self.packages})
    }

    /// Parses the plan in a question, which has no parameter names and types.
    pub(super) fn from_json(value: &Value) -> Option<Plan> {
        Some(Plan {
            list: signature::Plan::from_json(&value["list"])?,
            is_variadic: value["variadic"].as_bool()?,
            packages: serde_json::from_value(value["packages"].clone()).ok()?,
        })
    }
}

/// The kinds of types that are not expressions.
const TYPE_LITERALS: [K; 6] = [K::ArrayType, K::StructType, K::InterfaceType, K::MapType, K::ChanType, K::FuncType];

/// Returns whether code after the start of a declaration is one part of the declaration, and has no comments.
fn is_one(code: &str, start: &str, part: F) -> bool {
    let file = File::new("value.go", format!("package p\n\n{start}{code}\n"));
    let arena = file.arena();
    let is_comment = arena.tokens.iter().any(|token| token.kind == TokenKind::Comment);
    let items: Vec<NodeIndex> = child(arena, 0, K::File).map_or_else(Vec::new, |list| arena.children(list).collect());
    let [_, declaration] = items[..] else { return false };
    let parts: Vec<NodeIndex> = arena.children(declaration).filter(|own| !has_role(arena, *own, F::Name)).collect();
    let is_type = |own: NodeIndex| TYPE_LITERALS.iter().any(|kind| has_kind(arena, own, *kind));
    let is_right = |own: NodeIndex| part == F::Type || !is_type(own);
    let is_it = |own: NodeIndex| has_role(arena, own, part) && arena.slice(own) == code && is_right(own);
    arena.errors.is_empty() && !is_comment && matches!(parts[..], [only] if is_it(only))
}
