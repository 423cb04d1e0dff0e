//! The new parameter list of a function, and the new arguments of its calls.

use marquetry_sdk::{Failure, FailureKind, Result, fail};
use serde_json::{Value, json};

use crate::{events, table::check_name};

/// A hint with an example of the argument `parameters`.
pub(super) const FORMAT: &str =
    "give a list such as `[\"b\", \"a\", {\"name\": \"c\", \"type\": \"usize\", \"value\": \"0\"}]`";

/// A parameter that is added.
#[derive(Debug, Clone)]
pub(super) struct Added {
    pub(super) name: String,
    pub(super) type_text: String,
    /// The argument for existing calls.
    pub(super) value: String,
}

/// A parameter of the new list.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// The index of an old parameter.
    Kept(usize),
    New(Added),
}

/// The new parameter list, without `self`.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    /// Number of the old parameters.
    pub(super) old_count: usize,
}

fn invalid(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidArgument, message).hint(FORMAT)
}

impl Plan {
    /// Parses the argument of the refactor. `old` are the names of the old parameters.
    ///
    /// # Errors
    ///
    /// Fails if the argument is not a list of parameters.
    pub(super) fn read(text: &str, old: &[String]) -> Result<Plan> {
        let value: Value = serde_json::from_str(text).map_err(|error| invalid(format!("not JSON: {error}")))?;
        let list = value.as_array().ok_or_else(|| invalid("`parameters` is not a list"))?;
        let items = list.iter().map(|item| read_item(item, old)).collect::<Result<Vec<Item>>>()?;
        let name = |item: &Item| match item {
            Item::Kept(index) => old[*index].clone(),
            Item::New(added) => added.name.clone(),
        };
        let names: Vec<String> = items.iter().map(name).collect();
        match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            Some((_, twice)) => Err(invalid(format!("`{twice}` is twice in the list"))),
            None => Ok(Plan { items, old_count: old.len() }),
        }
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

    /// The plan as JSON, for the questions to other files.
    pub(super) fn to_json(&self) -> Value {
        let item = |item: &Item| match item {
            Item::Kept(old) => json!(old),
            Item::New(added) => json!(added.value),
        };
        json!({"items": self.items.iter().map(item).collect::<Vec<Value>>(), "count": self.old_count})
    }

    /// Parses the plan in a question, which has no parameter names and types.
    pub(super) fn from_json(value: &Value) -> Option<Plan> {
        let item = |item: &Value| match item.as_str() {
            Some(value) => {
                Some(Item::New(Added { name: String::new(), type_text: String::new(), value: value.to_owned() }))
            }
            None => Some(Item::Kept(usize::try_from(item.as_u64()?).ok()?)),
        };
        let items = value["items"].as_array()?.iter().map(item).collect::<Option<Vec<Item>>>()?;
        Some(Plan { items, old_count: usize::try_from(value["count"].as_u64()?).ok()? })
    }
}

fn read_item(item: &Value, old: &[String]) -> Result<Item> {
    if let Some(name) = item.as_str() {
        return match old.iter().position(|known| known == name) {
            Some(index) => Ok(Item::Kept(index)),
            None => Err(invalid(format!("the function has no parameter `{name}`")).candidates(old.iter().cloned())),
        };
    }
    let text = |field: &str| {
        let value = item.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        value.map(str::to_owned).ok_or_else(|| invalid(format!("a new parameter needs `{field}`")))
    };
    let added = Added { name: text("name")?, type_text: text("type")?, value: text("value")? };
    check_name(&added.name)?;
    let is_code = |code: String| events::parse(&code).errors.is_empty();
    if !is_code(format!("fn f(x: {}) {{}}", added.type_text)) || added.type_text.contains(['{', '}']) {
        return Err(invalid(format!("`{}` is not a type", added.type_text)));
    }
    // Two texts, so that a comma or bracket outside of an expression is an error.
    if !is_code(format!("fn f() {{ let x = {}; }}", added.value))
        || !is_code(format!("fn f() {{ ({})?; }}", added.value))
    {
        return Err(invalid(format!("`{}` is not an expression", added.value)));
    }
    Ok(Item::New(added))
}
