//! The requested parameter list: which old parameters are kept and in which order, and which parameters are new.

use crate::editor::fragment::{is_argument, is_type};
use crate::program::resolution::json::Json;
use crate::rename::names::check_binding;
use crate::semantics::parameter_list::ParameterList;
use marquetry_sdk::{Failure, FailureKind, Result, fail};

/// Description of the argument's format.
pub(super) const FORMAT_HINT: &str = "give a JSON array of the names of the parameters to keep, in their new order, and \
    objects for new ones: [\"a\", {\"name\": \"b\", \"type\": \"string\", \"value\": \"''\"}]; `value` is the argument \
    for existing calls, `default` the default value of the parameter";

/// One parameter of the new list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ParameterSlot {
    Kept(usize),
    Rest,
    New(NewParameter),
}

/// A new parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NewParameter {
    /// The text of its declaration.
    pub(super) text: String,
    pub(super) name: String,
    /// The value that calls pass. `None` if the default or `undefined` is sufficient.
    pub(super) value: Option<String>,
    pub(super) required: bool,
}

/// The new parameter list.
#[derive(Debug, Default)]
pub(super) struct SignaturePlan {
    /// The old number of parameters without the rest parameter.
    pub(super) count: usize,
    pub(super) slots: Vec<ParameterSlot>,
}

fn invalid_argument(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidArgument, message).hint(FORMAT_HINT)
}

impl SignaturePlan {
    /// Parses the argument of a caller.
    pub(super) fn parse_argument(argument: &str, declaration: &ParameterList<'_, '_>) -> Result<SignaturePlan> {
        let Json::Array(items) = Json::parse(argument) else {
            return Err(invalid_argument("`parameters` is not a JSON array"));
        };
        let names = declaration.parameter_names();
        let mut slots: Vec<ParameterSlot> = Vec::new();
        for item in &items {
            let slot = match item {
                Json::String(name) => parse_kept_parameter(name, &names, declaration)?,
                Json::Object(_) => parse_new_parameter(item, &names, declaration)?,
                _ => return Err(invalid_argument("each parameter must be a name or an object")),
            };
            let again = slots.iter().any(|known| match (known, &slot) {
                (ParameterSlot::New(known), ParameterSlot::New(new)) => known.name == new.name,
                (known, new) => known == new,
            });
            if again {
                return Err(invalid_argument("the same parameter is listed twice"));
            }
            slots.push(slot);
        }
        if let Some(at) = slots.iter().position(|slot| *slot == ParameterSlot::Rest)
            && at + 1 != slots.len()
        {
            return Err(invalid_argument("the rest parameter must be the last"));
        }
        let plan = SignaturePlan { count: declaration.parameter_count(), slots };
        let same = plan
            .slots
            .iter()
            .enumerate()
            .all(|(at, slot)| *slot == ParameterSlot::Kept(at) || *slot == ParameterSlot::Rest);
        if same && plan.slots.len() == names.len() {
            return Err(invalid_argument("the function already has these parameters"));
        }
        Ok(plan)
    }

    /// Serializes the plan for other documents, one line per parameter.
    pub(super) fn serialize(&self) -> String {
        let slot = |slot: &ParameterSlot| match slot {
            ParameterSlot::Kept(at) => format!("old\t{at}"),
            ParameterSlot::Rest => "rest".to_owned(),
            ParameterSlot::New(NewParameter { value: Some(value), .. }) => format!("new\t{value}"),
            ParameterSlot::New(_) => "new".to_owned(),
        };
        let slots: Vec<String> = self.slots.iter().map(slot).collect();
        format!("{}\n{}", self.count, slots.join("\n"))
    }

    pub(super) fn deserialize(text: &str) -> SignaturePlan {
        let mut lines = text.lines();
        let count = lines.next().and_then(|line| line.parse().ok()).unwrap_or_default();
        let slot = |line: &str| match line.split_once('\t') {
            Some(("old", at)) => at.parse().ok().map(ParameterSlot::Kept),
            Some(("new", value)) => {
                Some(ParameterSlot::New(NewParameter { value: Some(value.to_owned()), ..NewParameter::default() }))
            }
            None if line == "rest" => Some(ParameterSlot::Rest),
            None if line == "new" => Some(ParameterSlot::New(NewParameter::default())),
            _ => None,
        };
        SignaturePlan { count, slots: lines.filter_map(slot).collect() }
    }
}

/// Parses a parameter that is kept.
fn parse_kept_parameter(name: &str, names: &[String], declaration: &ParameterList<'_, '_>) -> Result<ParameterSlot> {
    let plain = |name: &str| name.split_whitespace().collect::<String>();
    let wanted = plain(name.trim_start_matches("..."));
    match names.iter().position(|known| plain(known) == wanted) {
        Some(at) if at < declaration.parameter_count() => Ok(ParameterSlot::Kept(at)),
        Some(_) => Ok(ParameterSlot::Rest),
        None => {
            Err(invalid_argument(format!("the function has no parameter `{name}`")).candidates(names.iter().cloned()))
        }
    }
}

/// Parses a new parameter.
fn parse_new_parameter(item: &Json, names: &[String], declaration: &ParameterList<'_, '_>) -> Result<ParameterSlot> {
    const KEYS: [&str; 5] = ["name", "type", "default", "value", "optional"];
    if let Some((key, _)) = item.entries().iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(invalid_argument(format!("unknown property `{key}` of a new parameter"))
            .candidates(KEYS.map(str::to_owned)));
    }
    let name = item.text_of("name").ok_or_else(|| invalid_argument("a new parameter has no `name`"))?;
    if item.entries().len() == 1 && names.iter().any(|known| known == name) {
        return parse_kept_parameter(name, names, declaration);
    }
    if names.iter().any(|known| known == name) {
        return Err(invalid_argument(format!("the function already has a parameter `{name}`")));
    }
    check_binding(name)?;
    let text = |key: &str| match item.get(key) {
        None => Ok(None),
        Some(Json::String(text)) if !text.contains(['\n', '\r']) => Ok(Some(text.trim())),
        Some(_) => Err(invalid_argument(format!("`{key}` is not a single-line string of source code"))),
    };
    let (ty, default, value) = (text("type")?, text("default")?, text("value")?);
    let optional = item.get("optional") == Some(&Json::Bool(true));
    for (key, source) in [("default", default), ("value", value)] {
        if let Some(source) = source
            && !is_argument(source)
        {
            return Err(invalid_argument(format!("the `{key}` of `{name}` is not an expression: `{source}`")));
        }
    }
    if let Some(ty) = ty {
        if !declaration.is_typed() {
            return Err(invalid_argument("JavaScript has no type annotations").hint("leave `type` out"));
        }
        if !is_type(ty) {
            return Err(invalid_argument(format!("the `type` of `{name}` is not a type: `{ty}`")));
        }
    }
    if optional && default.is_some() {
        return Err(invalid_argument(format!("`{name}` is already optional because it has a default"))
            .hint("leave `optional` out"));
    }
    let mark = if optional && declaration.is_typed() { "?" } else { "" };
    let ty = ty.map_or(String::new(), |ty| format!(": {ty}"));
    let initial = default.map_or(String::new(), |default| format!(" = {default}"));
    if value.is_none() && default.is_none() && !optional {
        return Err(invalid_argument(format!("existing calls have no argument for `{name}`"))
            .hint("add a `value` for existing calls, a `default`, or `\"optional\": true`"));
    }
    Ok(ParameterSlot::New(NewParameter {
        text: format!("{name}{mark}{ty}{initial}"),
        name: name.to_owned(),
        value: value.map(ToOwned::to_owned),
        required: default.is_none() && !optional,
    }))
}
