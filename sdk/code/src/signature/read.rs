//! Reads the lists of parameters in the arguments of `change_signature`.

use marquetry_sdk::{FailureKind, Result, fail};
use serde_json::Value;

use super::{Added, Item, OldParameter, Request, Rules};

/// A request with the declaration that it changes.
struct Reader<'a> {
    request: Request<'a>,
    old: &'a [OldParameter],
    rules: &'a Rules,
}

/// The parts of a parameter. A part that is missing is empty.
#[derive(Default)]
struct Parts<'a> {
    name: &'a str,
    type_text: &'a str,
    default: &'a str,
    value: &'a str,
}

/// The parameters of the new list.
pub(super) fn items(request: Request<'_>, old: &[OldParameter], rules: &Rules) -> Result<Vec<Item>> {
    let reader = Reader { request, old, rules };
    let list = reader.list()?;
    match request {
        Request::Parameters(_) => list.iter().map(|item| reader.item(item)).collect(),
        Request::Added(_) => reader.with_added(&list),
    }
}

impl Reader<'_> {
    fn invalid<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.request.invalid(self.rules, message))
    }

    /// The items of the argument. A single new parameter is a list, too.
    fn list(&self) -> Result<Vec<Value>> {
        let is_added = matches!(self.request, Request::Added(_));
        match serde_json::from_str(self.request.text()) {
            Ok(Value::Array(list)) => Ok(list),
            Ok(value @ Value::Object(_)) if is_added => Ok(vec![value]),
            Ok(_) => self.invalid(format!("`{}` is not a list", self.request.name())),
            Err(error) => self.invalid(format!("not JSON: {error}")),
        }
    }

    /// The old parameters with new ones between them.
    fn with_added(&self, list: &[Value]) -> Result<Vec<Item>> {
        let (last, mut others): (Vec<Item>, Vec<Item>) =
            (0..self.old.len()).map(Item::Kept).partition(|item| item.stays_last(self.old));
        let mut places: Vec<Option<Item>> = vec![None; others.len() + list.len()];
        for value in list {
            let item = self.item(value)?;
            let name = item.name(self.old);
            let Some(position) = value.get("position").filter(|position| !position.is_null()) else {
                let place = self.last_place(&others, &item);
                others.insert(place, item);
                continue;
            };
            let end = places.len() - 1;
            let place = position.as_u64().and_then(|position| places.get_mut(usize::try_from(position).ok()?));
            match place {
                Some(place) if place.is_none() => *place = Some(item),
                Some(_) => return self.invalid(format!("two new parameters have the position {position}")),
                None => return self.invalid(format!("`position` of `{name}` is not a number from 0 to {end}")),
            }
        }
        let mut others = others.into_iter();
        let filled = places.into_iter().filter_map(|place| place.or_else(|| others.next()));
        Ok(filled.chain(last).collect())
    }

    /// The last place where a list can have a new parameter: one without a default is before those with defaults.
    fn last_place(&self, items: &[Item], new: &Item) -> usize {
        let is_before = |item: &Item| new.has_default(self.old) || !item.has_default(self.old);
        items.iter().rposition(is_before).map_or(0, |index| index + 1)
    }

    /// Reads a parameter: an old one, also with its type and default, or a new one.
    fn item(&self, item: &Value) -> Result<Item> {
        let field = |name: &str| item.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let (text, parts) = match item {
            Value::String(text) => (text.trim(), self.split(text.trim())),
            Value::Object(_) => {
                let [name, type_text, default, value] = ["name", "type", "default", "value"].map(field);
                ("", Parts { name, type_text, default, value })
            }
            _ => return self.invalid("a parameter is a name or an object"),
        };
        if let Some(index) = self.old.iter().position(|own| is_equal(&own.name, parts.name)) {
            return self.kept(index, &parts);
        }
        if let Some(index) = self.old.iter().position(|own| !text.is_empty() && is_equal(&own.text, text)) {
            return self.kept(index, &Parts::default());
        }
        let is_name = item.is_string() && parts.type_text.is_empty() && parts.default.is_empty();
        if is_name && matches!(self.request, Request::Parameters(_)) {
            let failure = self.request.invalid(self.rules, format!("the function has no parameter `{text}`"));
            return Err(failure.candidates(self.old.iter().map(|own| own.name.clone())));
        }
        self.new_parameter(&parts, item.is_string())
    }

    /// Keeps an old parameter. Refuses another type or default, because arguments and uses may not match it.
    fn kept(&self, index: usize, parts: &Parts<'_>) -> Result<Item> {
        let OldParameter { name, type_text, default, .. } = &self.old[index];
        if matches!(self.request, Request::Added(_)) {
            return self.invalid(format!("the function already has a parameter `{name}`"));
        }
        if !parts.value.is_empty() {
            return self.invalid(format!("the function already has a parameter `{name}`, so it has no `value`"));
        }
        for (part, own, wanted) in [("type", type_text, parts.type_text), ("default", default, parts.default)] {
            if wanted.is_empty() || is_equal(own, wanted) {
                continue;
            }
            return self.invalid(if own.is_empty() {
                format!("`{name}` has no {part}, and cannot get `{wanted}`")
            } else {
                format!("the {part} of `{name}` is `{own}` and cannot be changed to `{wanted}`")
            });
        }
        Ok(Item::Kept(index))
    }

    fn new_parameter(&self, parts: &Parts<'_>, is_text: bool) -> Result<Item> {
        let rules = self.rules;
        let Parts { name, type_text, default, value } = *parts;
        if name.is_empty() {
            return self.incomplete(parts, "name", is_text);
        }
        if type_text.is_empty() && rules.needs_type {
            return self.incomplete(parts, "type", is_text);
        }
        if value.is_empty() && (default.is_empty() || !rules.has_defaults) {
            return self.incomplete(parts, "value", is_text);
        }
        if name.starts_with(rules.variadic_sign) || type_text.starts_with(rules.variadic_sign) {
            return self.invalid("a new parameter cannot take any number of arguments");
        }
        (rules.check_name)(name)?;
        if !default.is_empty() && !rules.has_defaults {
            return self.invalid(format!("`{name}` cannot have a `default` in this language"));
        }
        for (field, code) in [("value", value), ("default", default)] {
            if !code.is_empty() && !(rules.is_value)(code) {
                return self.invalid(format!("`{field}` of `{name}` is not one expression: `{code}`"));
            }
        }
        if !type_text.is_empty() && !(rules.is_type)(type_text) {
            return self.invalid(format!("`type` of `{name}` is not one type: `{type_text}`"));
        }
        let [name, type_text, default, value] = [name, type_text, default, value].map(str::to_owned);
        Ok(Item::New(Added { name, type_text, default, value }))
    }

    /// Creates the failure of a new parameter without a part.
    fn incomplete(&self, parts: &Parts<'_>, field: &str, is_text: bool) -> Result<Item> {
        let name = if is_text { format!(" `{}`", parts.name) } else { String::new() };
        let needed = match field {
            "value" if self.rules.has_defaults => "`value` or `default`".to_owned(),
            // A text cannot have a value.
            _ if is_text => "`value`".to_owned(),
            _ => format!("`{field}`"),
        };
        let hint = self.rules.hint(self.request.name());
        let hint = format!("an object is a new parameter, whose `value` is the argument of existing calls; {hint}");
        Err(fail(FailureKind::InvalidArgument, format!("a new parameter{name} needs {needed}")).hint(hint))
    }

    /// The parts of a parameter that is written as in a declaration.
    fn split<'t>(&self, text: &'t str) -> Parts<'t> {
        let is_sign = |sign: char| move |c: char| c == sign;
        let (text, default) = match split_outside(text, is_sign('=')).filter(|_| self.rules.has_defaults) {
            Some((text, default)) => (text.trim_end(), default.trim_start()),
            None => (text, ""),
        };
        let parts = match self.rules.type_separator {
            ' ' => text.split_once(char::is_whitespace),
            separator => split_outside(text, is_sign(separator)),
        };
        let (name, type_text) = parts.unwrap_or((text, ""));
        Parts { name: name.trim(), type_text: type_text.trim(), default, value: "" }
    }
}

/// Splits code at the first separator outside of brackets. A separator that is doubled is another one, such as `::`.
fn split_outside(code: &str, is_separator: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut chars = code.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth > 0 || !is_separator(c) => {}
            _ if chars.next_if(|(_, next)| *next == c).is_some() => {}
            _ => return Some((&code[..index], &code[index + c.len_utf8()..])),
        }
    }
    None
}

/// Returns whether two texts are equal up to spaces.
fn is_equal(left: &str, right: &str) -> bool {
    let visible = |text: &str| text.split_whitespace().collect::<String>();
    visible(left) == visible(right)
}
