//! The new parameter list of a function, and the new arguments of its calls.

use marquetry_code::{NodeIndex, TokenKind};
use marquetry_sdk::{Failure, FailureKind, Result, fail};
use serde_json::{Value, json};

use crate::{
    kinds::{F, K, child, has_kind, has_role},
    table::check_name,
    types::File,
};

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

/// The argument of the refactor, as JSON.
pub(super) enum Wanted<'a> {
    /// All new parameters.
    Parameters(&'a str),
    /// Only the parameters that are added.
    Added(&'a str),
}

/// The new parameter list.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    /// Number of the old parameters.
    pub(super) old_count: usize,
    /// True if the last old parameter is variadic.
    pub(super) is_variadic: bool,
    /// The packages that the values of new parameters use: local name and import path.
    pub(super) packages: Vec<(String, String)>,
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
    pub(super) fn read(wanted: &Wanted<'_>, old: &[Parameter]) -> Result<Plan> {
        let is_variadic = old.last().is_some_and(|last| last.is_variadic);
        let items = match wanted {
            Wanted::Parameters(text) => {
                read_list("parameters", text)?.iter().map(|item| read_item(item, old)).collect::<Result<Vec<Item>>>()?
            }
            Wanted::Added(text) => with_added(&read_list("add", text)?, old, is_variadic)?,
        };
        let plan = Plan { items, old_count: old.len(), is_variadic, packages: Vec::new() };
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
        json!({
            "items": items, "count": self.old_count, "variadic": self.is_variadic, "packages": self.packages,
        })
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
            packages: serde_json::from_value(value["packages"].clone()).ok()?,
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

fn read_list(name: &str, text: &str) -> Result<Vec<Value>> {
    let value: Value = serde_json::from_str(text).map_err(|error| invalid(format!("not JSON: {error}")))?;
    match value {
        Value::Array(list) => Ok(list),
        Value::Object(_) => Ok(vec![value]),
        _ => Err(invalid(format!("`{name}` is not a list"))),
    }
}

/// The old parameters with new ones between them. By default, a new parameter is the last one that is not variadic.
fn with_added(added: &[Value], old: &[Parameter], is_variadic: bool) -> Result<Vec<Item>> {
    let mut items: Vec<Item> = (0..old.len()).map(Item::Kept).collect();
    for value in added {
        let Item::New(item) = read_item(value, &[])? else { continue };
        if old.iter().any(|known| known.name == item.name) {
            return Err(invalid(format!("the function already has a parameter `{}`", item.name)));
        }
        let last = items.len() - usize::from(is_variadic);
        let position = match value.get("position") {
            None | Some(Value::Null) => last,
            Some(position) => position
                .as_u64()
                .and_then(|position| usize::try_from(position).ok())
                .filter(|position| *position <= last)
                .ok_or_else(|| invalid(format!("`position` of `{}` is not a number from 0 to {last}", item.name)))?,
        };
        items.insert(position, Item::New(item));
    }
    Ok(items)
}

/// Reads a parameter: the name of an old one, also with its type, or a new one.
fn read_item(item: &Value, old: &[Parameter]) -> Result<Item> {
    if let Some(text) = item.as_str() {
        let (name, type_text) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        return match old.iter().position(|known| known.name == name) {
            Some(index) => kept(index, type_text, old),
            None if !type_text.is_empty() => Err(invalid(format!("a new parameter `{name}` needs `value`"))),
            None => Err(invalid(format!("the function has no parameter `{name}`"))
                .candidates(old.iter().map(|known| known.name.clone()))),
        };
    }
    let text = |field: &str| item.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let needed = |field: &str| {
        let hint = "an object is a new parameter, whose `value` is the argument of existing calls";
        let failure = || fail(FailureKind::InvalidArgument, format!("a new parameter needs `{field}`"));
        text(field).map(str::to_owned).ok_or_else(|| failure().hint(format!("{hint}; {FORMAT}")))
    };
    let name = needed("name")?;
    if let Some(index) = old.iter().position(|known| known.name == name) {
        if text("value").is_some() {
            return Err(invalid(format!("the function already has a parameter `{name}`, so it has no `value`")));
        }
        return kept(index, text("type").unwrap_or_default(), old);
    }
    let added = Added { name, type_text: needed("type")?, value: needed("value")? };
    check_name(&added.name)?;
    if added.type_text.starts_with("...") {
        return Err(invalid("a new parameter cannot take any number of arguments"));
    }
    if !is_one(&added.value, "var _ = ", F::Body) {
        return Err(invalid(format!("`value` of `{}` is not one expression: `{}`", added.name, added.value)));
    }
    if !is_one(&added.type_text, "var _ ", F::Type) {
        return Err(invalid(format!("`type` of `{}` is not one type: `{}`", added.name, added.type_text)));
    }
    Ok(Item::New(added))
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

/// Keeps an old parameter. Refuses another type, because arguments and uses may not have this type.
fn kept(index: usize, type_text: &str, old: &[Parameter]) -> Result<Item> {
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    let own = &old[index];
    if type_text.is_empty() || without_spaces(type_text) == without_spaces(&own.type_text) {
        return Ok(Item::Kept(index));
    }
    Err(invalid(format!("the type of `{}` is `{}` and cannot be changed to `{type_text}`", own.name, own.type_text)))
}
