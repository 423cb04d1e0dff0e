//! The new parameter list of a function, and the new arguments of its calls.

use marquetry_sdk::{Failure, FailureKind, Result, fail};
use serde_json::{Value, json};

use crate::table::check_name;

/// A hint with an example of the argument `parameters`.
pub(super) const FORMAT: &str =
    "give a list such as `[\"b\", \"a\", {\"name\": \"c\", \"type\": \"int\", \"value\": \"0\"}]`";

/// A parameter of a declaration.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) type_text: String,
    /// Index of the group of names that share one type. Each new parameter has its own group.
    pub(super) group: usize,
    pub(super) is_variadic: bool,
}

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

/// The new parameter list.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    /// Number of the old parameters.
    pub(super) old_count: usize,
    /// True if the last old parameter is variadic.
    pub(super) is_variadic: bool,
}

fn invalid(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidArgument, message).hint(FORMAT)
}

impl Plan {
    /// Parses the argument of the refactor.
    ///
    /// # Errors
    ///
    /// Fails if the argument is not a list of parameters.
    pub(super) fn read(text: &str, old: &[Parameter]) -> Result<Plan> {
        let value: Value = serde_json::from_str(text).map_err(|error| invalid(format!("not JSON: {error}")))?;
        let list = value.as_array().ok_or_else(|| invalid("`parameters` is not a list"))?;
        let items = list.iter().map(|item| read_item(item, old)).collect::<Result<Vec<Item>>>()?;
        let is_variadic = old.last().is_some_and(|last| last.is_variadic);
        let plan = Plan { items, old_count: old.len(), is_variadic };
        let names: Vec<&str> = plan.items.iter().map(|item| item.name(old)).collect();
        if let Some((_, twice)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(invalid(format!("`{twice}` is twice in the list")));
        }
        let last = plan.items.len().saturating_sub(1);
        let is_kept_last = |(index, item): (usize, &Item)| matches!(item, Item::Kept(old_index) if *old_index + 1 == old.len() && index != last);
        if is_variadic && plan.items.iter().enumerate().any(is_kept_last) {
            return Err(invalid("only the last parameter can take any number of arguments"));
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
        self.items.iter().enumerate().map(parameter).collect()
    }

    /// The plan as JSON, for the questions to other files.
    pub(super) fn to_json(&self) -> Value {
        let item = |item: &Item| match item {
            Item::Kept(old) => json!(old),
            Item::New(added) => json!(added.value),
        };
        let items: Vec<Value> = self.items.iter().map(item).collect();
        json!({"items": items, "count": self.old_count, "variadic": self.is_variadic})
    }

    /// Parses the plan in a question, which has no parameter names and types.
    pub(super) fn from_json(value: &Value) -> Option<Plan> {
        let item = |item: &Value| match item.as_str() {
            Some(value) => {
                Some(Item::New(Added { name: String::new(), type_text: String::new(), value: value.to_owned() }))
            }
            None => Some(Item::Kept(usize::try_from(item.as_u64()?).ok()?)),
        };
        Some(Plan {
            items: value["items"].as_array()?.iter().map(item).collect::<Option<Vec<Item>>>()?,
            old_count: usize::try_from(value["count"].as_u64()?).ok()?,
            is_variadic: value["variadic"].as_bool()?,
        })
    }
}

impl Item {
    fn name<'a>(&'a self, old: &'a [Parameter]) -> &'a str {
        match self {
            Item::Kept(index) => &old[*index].name,
            Item::New(added) => &added.name,
        }
    }
}

fn read_item(item: &Value, old: &[Parameter]) -> Result<Item> {
    if let Some(name) = item.as_str() {
        return match old.iter().position(|known| known.name == name) {
            Some(index) => Ok(Item::Kept(index)),
            None => Err(invalid(format!("the function has no parameter `{name}`"))
                .candidates(old.iter().map(|known| known.name.clone()))),
        };
    }
    let text = |field: &str| {
        let value = item.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        value.map(str::to_owned).ok_or_else(|| invalid(format!("a new parameter needs `{field}`")))
    };
    let added = Added { name: text("name")?, type_text: text("type")?, value: text("value")? };
    check_name(&added.name)?;
    if added.type_text.starts_with("...") {
        return Err(invalid("a new parameter cannot take any number of arguments"));
    }
    Ok(Item::New(added))
}
