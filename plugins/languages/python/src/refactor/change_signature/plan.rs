//! The new parameter list of a function.

use marquetry_code::{CodeDocument, NodeIndex, TokenKind};
use marquetry_sdk::{Failure, FailureKind, Result, fail};
use serde_json::Value;

use super::{has_comments, refused};
use crate::{lower::K, refactor::expressions::is_one_of, table::check_name};

/// A hint with an example of the argument `parameters`.
pub(super) const FORMAT: &str =
    "give a list such as `[\"b\", \"a\", {\"name\": \"c\", \"type\": \"int\", \"value\": \"0\"}]`";

/// A parameter of the declaration.
#[derive(Debug, Clone)]
pub(super) struct Old {
    pub(super) name: String,
    text: String,
    pub(super) has_default: bool,
}

/// A parameter that is added.
#[derive(Debug, Clone)]
pub(super) struct Added {
    pub(super) name: String,
    type_text: Option<String>,
    default: Option<String>,
    /// The argument for existing calls. `None` if they use the default.
    pub(super) value: Option<String>,
}

/// A parameter of the new list.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// The index of an old parameter.
    Kept(usize),
    New(Added),
}

/// The new parameter list.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
}

fn invalid(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidArgument, message).hint(FORMAT)
}

/// The parameters of a declaration.
pub(super) fn old_parameters(document: &CodeDocument, list: NodeIndex) -> Result<Vec<Old>> {
    let arena = document.arena();
    let span = arena.node(list).span;
    if has_comments(document, span) {
        return Err(refused("the parameters have comments", "move the comments out of the list first").at(span));
    }
    let is_sign = |text: &str| matches!(text, "*" | "**" | "/");
    let tokens = arena.tokens_in(span).iter().filter(|token| token.kind == TokenKind::Sign);
    if let Some(token) = tokens.into_iter().find(|token| is_sign(token.span.slice(&arena.text))) {
        return Err(refused(
            format!("the parameters have `{}`", token.span.slice(&arena.text)),
            "only lists of plain parameters can be changed; change the declaration and its calls by hand",
        )
        .at(token.span));
    }
    let parameter = |node: NodeIndex| {
        let name = std::iter::once(node)
            .chain(arena.descendants(node))
            .find(|part| is_one_of(document, *part, &[K::Identifier]));
        Old {
            name: name.map_or("", |name| arena.slice(name)).to_owned(),
            text: arena.slice(node).to_owned(),
            has_default: is_one_of(document, node, &[K::ParameterDefault]) && has_default(document, node),
        }
    };
    Ok(arena.children(list).map(parameter).collect())
}

/// Returns whether a parameter has a default value.
fn has_default(document: &CodeDocument, node: NodeIndex) -> bool {
    let arena = document.arena();
    arena.child(node, crate::lower::F::Default.into()).is_some()
}

impl Plan {
    /// Parses the argument of the refactor.
    ///
    /// # Errors
    ///
    /// Fails if the argument is not a list of parameters that Python accepts.
    pub(super) fn read(text: &str, old: &[Old]) -> Result<Plan> {
        let value: Value = serde_json::from_str(text).map_err(|error| invalid(format!("not JSON: {error}")))?;
        let list = value.as_array().ok_or_else(|| invalid("`parameters` is not a list"))?;
        let items = list.iter().map(|item| read_item(item, old)).collect::<Result<Vec<Item>>>()?;
        let plan = Plan { items };
        let names: Vec<&str> = plan.items.iter().map(|item| item.name(old)).collect();
        if let Some((_, twice)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(invalid(format!("`{twice}` is twice in the list")));
        }
        let defaults: Vec<bool> = plan.items.iter().map(|item| item.has_default(old)).collect();
        if let Some(position) = defaults.windows(2).position(|pair| pair[0] && !pair[1]) {
            return Err(invalid(format!(
                "`{}` needs a default, because the one before it has one",
                names[position + 1]
            )));
        }
        Ok(plan)
    }

    /// Returns whether an old parameter is in the new list.
    pub(super) fn keeps(&self, old: usize) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Kept(index) if *index == old))
    }

    /// The new parameters.
    pub(super) fn added(&self) -> impl Iterator<Item = &Added> {
        self.items.iter().filter_map(|item| match item {
            Item::New(added) => Some(added),
            Item::Kept(_) => None,
        })
    }

    /// The code of the parameters in the declaration.
    pub(super) fn declared(&self, old: &[Old]) -> Vec<String> {
        let declared = |item: &Item| match item {
            Item::Kept(index) => old[*index].text.clone(),
            Item::New(added) => match (&added.type_text, &added.default) {
                (Some(own), Some(default)) => format!("{}: {own} = {default}", added.name),
                (Some(own), None) => format!("{}: {own}", added.name),
                (None, Some(default)) => format!("{}={default}", added.name),
                (None, None) => added.name.clone(),
            },
        };
        self.items.iter().map(declared).collect()
    }
}

impl Item {
    fn name<'a>(&'a self, old: &'a [Old]) -> &'a str {
        match self {
            Item::Kept(index) => &old[*index].name,
            Item::New(added) => &added.name,
        }
    }

    fn has_default(&self, old: &[Old]) -> bool {
        match self {
            Item::Kept(index) => old[*index].has_default,
            Item::New(added) => added.default.is_some(),
        }
    }
}

fn read_item(item: &Value, old: &[Old]) -> Result<Item> {
    if let Some(name) = item.as_str() {
        return match old.iter().position(|known| known.name == name) {
            Some(index) => Ok(Item::Kept(index)),
            None => Err(invalid(format!("the function has no parameter `{name}`"))
                .candidates(old.iter().map(|known| known.name.clone()))),
        };
    }
    let text = |field: &str| {
        let value = item.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        value.map(str::to_owned)
    };
    let name = text("name").ok_or_else(|| invalid("a new parameter needs `name`"))?;
    check_name(&name)?;
    let added = Added { name, type_text: text("type"), default: text("default"), value: text("value") };
    if added.value.is_none() && added.default.is_none() {
        return Err(invalid(format!("the new parameter `{}` needs `value` or `default`", added.name)));
    }
    Ok(Item::New(added))
}
