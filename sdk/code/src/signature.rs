//! The new parameter list of a function, as the arguments of the refactor `change_signature` describe it.
//!
//! A pack collects the old parameters of a declaration, and describes its language with [`Rules`]. It must not depend
//! on the tree of a language.

mod read;
#[cfg(test)]
mod tests;

use marquetry_sdk::{
    Failure, FailureKind, Result, fail,
    refactor::{Argument, RefactorInput},
};
use serde_json::{Value, json};

/// The arguments of the refactor. Exactly one of them is needed.
pub const ARGUMENTS: [Argument; 2] = [
    Argument {
        name: "parameters",
        summary: "the new parameters as a JSON array, without a receiver such as `self`: the name of each parameter to \
                  keep, and for each new one an object with `name`, `type`, `value` (the argument for existing calls) \
                  and, in languages with default values, `default`",
        values: &[],
        required: false,
    },
    Argument {
        name: "add",
        summary: "instead of `parameters`: only the new parameters, each with the `position` (from 0, without a \
                  receiver) that it gets; by default the last possible one",
        values: &[],
        required: false,
    },
];

/// Description of a language for the arguments of the refactor.
pub struct Rules {
    /// A simple type, and the name of the type in hints: `int`.
    pub example_type: &'static str,
    /// The character between the name of a parameter and its type. A space stands for any white space.
    pub type_separator: char,
    /// The start of the name or type of a parameter that takes any number of arguments.
    pub variadic_sign: &'static str,
    /// True if every parameter has a type.
    pub needs_type: bool,
    /// True if parameters can have default values.
    pub has_defaults: bool,
    /// Refuses names that a parameter cannot have.
    pub check_name: fn(&str) -> Result<()>,
    /// Returns whether code is one type.
    pub is_type: fn(&str) -> bool,
    /// Returns whether code is one expression.
    pub is_value: fn(&str) -> bool,
}

/// A parameter of the old declaration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OldParameter {
    /// The name, or the pattern in its place.
    pub name: String,
    /// The type. Empty if the parameter has no type.
    pub type_text: String,
    /// The default value. Empty if the parameter has no default.
    pub default: String,
    /// The code of the whole parameter.
    pub text: String,
    /// True if other parameters cannot follow, except for those that also stay last: a variadic parameter.
    pub stays_last: bool,
}

/// A parameter that is added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Added {
    /// The name.
    pub name: String,
    /// The type. Empty if the parameter has no type.
    pub type_text: String,
    /// The default value. Empty if the parameter has no default.
    pub default: String,
    /// The argument for existing calls. Empty if they use the default value.
    pub value: String,
}

/// A parameter of the new list.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// The index of an old parameter.
    Kept(usize),
    /// A parameter that is added.
    New(Added),
}

/// The argument of the refactor, as JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Request<'a> {
    /// All new parameters.
    Parameters(&'a str),
    /// Only the parameters that are added.
    Added(&'a str),
}

/// The new parameter list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The parameters in their new order.
    pub items: Vec<Item>,
    /// Number of the old parameters.
    pub old_count: usize,
}

impl Rules {
    /// A hint with an example of an argument.
    fn hint(&self, argument: &str) -> String {
        let new = format!(r#""name": "c", "type": "{}", "value": "0""#, self.example_type);
        match argument {
            "add" => format!("give a list such as `[{{{new}, \"position\": 0}}]`"),
            _ => format!("give a list such as `[\"b\", \"a\", {{{new}}}]`"),
        }
    }
}

impl<'a> Request<'a> {
    /// Returns the argument that the input contains.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the input has neither or both.
    pub fn from_input(input: &'a RefactorInput, rules: &Rules) -> Result<Request<'a>> {
        match (input.argument("parameters"), input.argument("add")) {
            (Some(parameters), None) => Ok(Request::Parameters(parameters)),
            (None, Some(added)) => Ok(Request::Added(added)),
            _ => {
                let message = "`change_signature` needs either `parameters` or `add`";
                Err(fail(FailureKind::InvalidArgument, message).hint(rules.hint("parameters")))
            }
        }
    }

    /// Returns an argument by its name. `None` if the name is unknown.
    pub fn new(name: &str, text: &'a str) -> Option<Request<'a>> {
        match name {
            "parameters" => Some(Request::Parameters(text)),
            "add" => Some(Request::Added(text)),
            _ => None,
        }
    }

    /// The name of the argument.
    pub fn name(&self) -> &'static str {
        match self {
            Request::Parameters(_) => "parameters",
            Request::Added(_) => "add",
        }
    }

    /// The JSON of the argument.
    pub fn text(&self) -> &'a str {
        match self {
            Request::Parameters(text) | Request::Added(text) => text,
        }
    }

    /// Creates the failure of an argument that cannot be used, with an example as its hint.
    fn invalid(&self, rules: &Rules, message: impl Into<String>) -> Failure {
        fail(FailureKind::InvalidArgument, message).hint(rules.hint(self.name()))
    }
}

impl Plan {
    /// Parses the argument of the refactor.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidArgument` if the argument is not a list of parameters that the language accepts.
    pub fn read(request: Request<'_>, old: &[OldParameter], rules: &Rules) -> Result<Plan> {
        let plan = Plan { items: read::items(request, old, rules)?, old_count: old.len() };
        let names: Vec<&str> = plan.items.iter().map(|item| item.name(old)).collect();
        if let Some((_, twice)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(request.invalid(rules, format!("`{twice}` is twice in the list")));
        }
        for (pair, name) in plan.items.windows(2).zip(&names) {
            if pair[0].stays_last(old) && !pair[1].stays_last(old) {
                return Err(request.invalid(rules, format!("`{name}` must stay after the other parameters")));
            }
        }
        for (pair, name) in plan.items.windows(2).zip(names.iter().skip(1)) {
            if pair[0].has_default(old) && !pair[1].has_default(old) && !pair[1].stays_last(old) {
                let message = format!("`{name}` needs a default, because the one before it has one");
                return Err(request.invalid(rules, message));
            }
        }
        Ok(plan)
    }

    /// Returns whether an old parameter is in the new list.
    pub fn keeps(&self, old: usize) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Kept(index) if *index == old))
    }

    /// The new parameters.
    pub fn added(&self) -> impl Iterator<Item = &Added> {
        self.items.iter().filter_map(|item| match item {
            Item::New(added) => Some(added),
            Item::Kept(_) => None,
        })
    }

    /// The plan as JSON, for the questions to other files.
    pub fn to_json(&self) -> Value {
        let item = |item: &Item| match item {
            Item::Kept(old) => json!(old),
            Item::New(added) => json!(added.value),
        };
        json!({"items": self.items.iter().map(item).collect::<Vec<Value>>(), "count": self.old_count})
    }

    /// Parses the plan in a question, which has no names, types and defaults of parameters. `None` for other JSON.
    pub fn from_json(value: &Value) -> Option<Plan> {
        let item = |item: &Value| match item.as_str() {
            Some(value) => Some(Item::New(Added { value: value.to_owned(), ..Added::default() })),
            None => Some(Item::Kept(usize::try_from(item.as_u64()?).ok()?)),
        };
        let items = value["items"].as_array()?.iter().map(item).collect::<Option<Vec<Item>>>()?;
        Some(Plan { items, old_count: usize::try_from(value["count"].as_u64()?).ok()? })
    }
}

impl Item {
    fn name<'a>(&'a self, old: &'a [OldParameter]) -> &'a str {
        match self {
            Item::Kept(index) => &old[*index].name,
            Item::New(added) => &added.name,
        }
    }

    fn has_default(&self, old: &[OldParameter]) -> bool {
        match self {
            Item::Kept(index) => !old[*index].default.is_empty(),
            Item::New(added) => !added.default.is_empty(),
        }
    }

    fn stays_last(&self, old: &[OldParameter]) -> bool {
        matches!(self, Item::Kept(index) if old[*index].stays_last)
    }
}
