//! The requested parameters, and their origin.

use marquetry_sdk::{Failure, FailureKind, Result, fail};
use oxc_ast::ast::*;
use oxc_span::SourceType;

use crate::operations::refactor::change_signature::declaration::Declaration;
use crate::operations::rename::names::check_binding;
use crate::program::resolution::json::Json;
use crate::rewrite::fragment::parse;

/// Description of the argument's format.
pub(super) const FORM: &str = "give a JSON array of the names of the parameters to keep, in their new order, and \
    objects for new ones: [\"a\", {\"name\": \"b\", \"type\": \"string\", \"value\": \"''\"}]; `value` is the argument \
    for existing calls, `default` the default value of the parameter";

/// One parameter of the new list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Slot {
    Old(usize),
    Rest,
    New(Parameter),
}

/// A new parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parameter {
    /// The text of its declaration.
    pub(super) text: String,
    pub(super) name: String,
    /// The value that calls pass. `None` if the default or `undefined` is sufficient.
    pub(super) value: Option<String>,
    pub(super) required: bool,
}

/// The new parameter list.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The old number of parameters without the rest parameter.
    pub(super) count: usize,
    pub(super) slots: Vec<Slot>,
}

fn invalid(message: impl Into<String>) -> Failure {
    fail(FailureKind::InvalidArgument, message).hint(FORM)
}

impl Plan {
    /// Parses the argument of a caller.
    pub(super) fn read(argument: &str, declaration: &Declaration<'_, '_>) -> Result<Plan> {
        let Json::List(items) = Json::parse(argument) else {
            return Err(invalid("`parameters` is not a JSON array"));
        };
        let names = declaration.names();
        let mut slots: Vec<Slot> = Vec::new();
        for item in &items {
            let slot = match item {
                Json::Text(name) => old(name, &names, declaration)?,
                Json::Object(_) => fresh(item, &names, declaration)?,
                _ => return Err(invalid("each parameter must be a name or an object")),
            };
            let again = slots.iter().any(|known| match (known, &slot) {
                (Slot::New(known), Slot::New(new)) => known.name == new.name,
                (known, new) => known == new,
            });
            if again {
                return Err(invalid("the same parameter is listed twice"));
            }
            slots.push(slot);
        }
        if let Some(at) = slots.iter().position(|slot| *slot == Slot::Rest)
            && at + 1 != slots.len()
        {
            return Err(invalid("the rest parameter must be the last"));
        }
        let plan = Plan { count: declaration.count(), slots };
        let same = plan.slots.iter().enumerate().all(|(at, slot)| *slot == Slot::Old(at) || *slot == Slot::Rest);
        if same && plan.slots.len() == names.len() {
            return Err(invalid("the function already has these parameters"));
        }
        Ok(plan)
    }

    /// Serializes the plan for other documents, one line per parameter.
    pub(super) fn written(&self) -> String {
        let slot = |slot: &Slot| match slot {
            Slot::Old(at) => format!("old\t{at}"),
            Slot::Rest => "rest".to_owned(),
            Slot::New(Parameter { value: Some(value), .. }) => format!("new\t{value}"),
            Slot::New(_) => "new".to_owned(),
        };
        let slots: Vec<String> = self.slots.iter().map(slot).collect();
        format!("{}\n{}", self.count, slots.join("\n"))
    }

    pub(super) fn of_written(text: &str) -> Plan {
        let mut lines = text.lines();
        let count = lines.next().and_then(|line| line.parse().ok()).unwrap_or_default();
        let slot = |line: &str| match line.split_once('\t') {
            Some(("old", at)) => at.parse().ok().map(Slot::Old),
            Some(("new", value)) => {
                Some(Slot::New(Parameter { value: Some(value.to_owned()), ..Parameter::default() }))
            }
            None if line == "rest" => Some(Slot::Rest),
            None if line == "new" => Some(Slot::New(Parameter::default())),
            _ => None,
        };
        Plan { count, slots: lines.filter_map(slot).collect() }
    }
}

/// Parses a parameter that is kept.
fn old(name: &str, names: &[String], declaration: &Declaration<'_, '_>) -> Result<Slot> {
    let plain = |name: &str| name.split_whitespace().collect::<String>();
    let wanted = plain(name.trim_start_matches("..."));
    match names.iter().position(|known| plain(known) == wanted) {
        Some(at) if at < declaration.count() => Ok(Slot::Old(at)),
        Some(_) => Ok(Slot::Rest),
        None => Err(invalid(format!("the function has no parameter `{name}`")).candidates(names.iter().cloned())),
    }
}

/// Parses a new parameter.
fn fresh(item: &Json, names: &[String], declaration: &Declaration<'_, '_>) -> Result<Slot> {
    const KEYS: [&str; 5] = ["name", "type", "default", "value", "optional"];
    if let Some((key, _)) = item.entries().iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(invalid(format!("unknown property `{key}` of a new parameter")).candidates(KEYS.map(str::to_owned)));
    }
    let name = item.text("name").ok_or_else(|| invalid("a new parameter has no `name`"))?;
    if item.entries().len() == 1 && names.iter().any(|known| known == name) {
        return old(name, names, declaration);
    }
    if names.iter().any(|known| known == name) {
        return Err(invalid(format!("the function already has a parameter `{name}`")));
    }
    check_binding(name)?;
    let text = |key: &str| match item.get(key) {
        None => Ok(None),
        Some(Json::Text(text)) if !text.contains(['\n', '\r']) => Ok(Some(text.trim())),
        Some(_) => Err(invalid(format!("`{key}` is not a single-line string of source code"))),
    };
    let (ty, default, value) = (text("type")?, text("default")?, text("value")?);
    let optional = item.get("optional") == Some(&Json::Bool(true));
    for (key, source) in [("default", default), ("value", value)] {
        if let Some(source) = source
            && !is_argument(source)
        {
            return Err(invalid(format!("the `{key}` of `{name}` is not an expression: `{source}`")));
        }
    }
    if let Some(ty) = ty {
        if !declaration.is_typed() {
            return Err(invalid("JavaScript has no type annotations").hint("leave `type` out"));
        }
        if !is_type(ty) {
            return Err(invalid(format!("the `type` of `{name}` is not a type: `{ty}`")));
        }
    }
    if optional && default.is_some() {
        return Err(invalid(format!("`{name}` is already optional because it has a default"))
            .hint("leave `optional` out"));
    }
    let mark = if optional && declaration.is_typed() { "?" } else { "" };
    let ty = ty.map_or(String::new(), |ty| format!(": {ty}"));
    let initial = default.map_or(String::new(), |default| format!(" = {default}"));
    if value.is_none() && default.is_none() && !optional {
        return Err(invalid(format!("existing calls have no argument for `{name}`"))
            .hint("add a `value` for existing calls, a `default`, or `\"optional\": true`"));
    }
    Ok(Slot::New(Parameter {
        text: format!("{name}{mark}{ty}{initial}"),
        name: name.to_owned(),
        value: value.map(ToOwned::to_owned),
        required: default.is_none() && !optional,
    }))
}

/// Returns whether a text is a single call argument.
fn is_argument(text: &str) -> bool {
    parse(&format!("f({text}\n)"), SourceType::tsx(), |program| match program.body.as_slice() {
        [Statement::ExpressionStatement(statement)] => matches!(&statement.expression,
            Expression::CallExpression(call) if call.arguments.len() == 1 && !call.arguments[0].is_spread()
                && matches!(&call.callee, Expression::Identifier(_))),
        _ => false,
    }) == Some(true)
}

fn is_type(text: &str) -> bool {
    parse(&format!("type _ = {text}\n;"), SourceType::ts(), |program| program.body.len() <= 2) == Some(true)
}
