//! Extracts statements or an expression to a function, or to a method if they use `self`.
//!
//! The types of the variables that the function shares with the code around it must be known; see [`crate::types`].

mod borrows;
mod control;
mod drops;
mod elided;
mod flow;
mod generics;
mod moves;
mod selection;
mod target;
mod usage;

use marquetry_code::{Arena, CodeDocument, NodeIndex, blocks::Statements, layout::Content};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
    span::apply_within,
};

use crate::{
    kinds::{K, has_kind},
    memo,
    symbols::Symbol,
    table::check_name,
    types::{
        Types,
        text::{generic, has_inner_elided_lifetime, has_lifetime},
    },
};
use control::Control;
use elided::Lifetimes;
use flow::{Flow, Input, Mode, Output};
use generics::Generics;
use selection::Selected;
use target::Target;

pub(super) const EXTRACT_FUNCTION: Refactoring<CodeDocument> = Refactoring {
    id: "extract_function",
    title: "Extract to a function",
    place: Place::Selection,
    arguments: &[marquetry_code::extraction::FUNCTION_NAME],
    asks_exporters: false,
    apply: |document, input| memo::call(|| apply(document, input)),
};

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

/// The value of the new function.
enum Value {
    /// Variables that code after the selection uses. There may be none.
    Variables(Vec<Output>),
    /// The value of the selected expression, or of the block.
    Tail(String),
    /// The value of the function around the selection.
    Returned(String),
}

/// The parts of the new function and its call.
struct Extracted<'a> {
    name: &'a str,
    selected: Selected,
    control: Control,
    value: Value,
    inputs: Vec<Input>,
    target: Target,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let name = input.argument("extractedName").unwrap_or("extracted");
    check_name(name)?;
    let arena = document.arena();
    let selected = Selected::find(arena, input.at.span.trimmed(&arena.text))?;
    let symbol = Symbol::new(document);
    let types = Types::new(arena, &symbol);
    selected.check_value(arena, types)?;
    let control = control::check(arena, &symbol.names, selected)?;
    let flow = Flow::new(arena, &symbol, selected);
    let value = value(arena, types, &flow, selected)?;
    let inputs = flow.inputs(value.type_text().as_deref())?;
    let signature = signature_types(&inputs, &value);
    let target = Target::find(arena, &flow, selected, &signature)?;
    target.check_name(arena, &symbol.names, name)?;
    target.check_names(arena, &flow, selected, &signature)?;
    check_lifetimes(&flow, &inputs, &value, &target)?;
    flow.check_returned(&inputs, &value)?;
    let moved = flow.moved_part(&inputs)?;
    let edits = flow.edits(&inputs, value.outputs())?;
    let incomplete = flow.dropped_earlier(&inputs, value.outputs()).or(moved).or_else(|| {
        let own = control.unknown_macro.as_ref()?;
        Some(format!("the macro `{own}!` is not known: it may leave the function"))
    });
    let extracted = Extracted { name, selected, control, value, inputs, target };
    let edits = extracted.edits(document, types, &edits)?;
    Ok(Rewrite { edits, incomplete, ..Rewrite::default() })
}

/// The value of the new function.
fn value(arena: &Arena, types: Types<'_>, flow: &Flow<'_>, selected: Selected) -> Result<Value> {
    let unknown = || {
        refused("the type of the selected value is not known", "give the value a type: `let value: … = …`")
            .at(selected.span)
    };
    if selected.ends_function(arena) && selected.expression.is_none() || selected.ends_with_return(arena) {
        return types.returned(selected.list).map(Value::Returned).ok_or_else(unknown);
    }
    let known = match selected.expression {
        Some(node) => types.type_of(node).or_else(|| types.expected(node)),
        None if selected.has_tail => types.of_block(selected.list),
        None => return Ok(Value::Variables(flow.outputs()?)),
    };
    let known = known.or_else(|| types.of_block(selected.list).filter(|_| selected.has_tail));
    known.filter(|own| !own.contains("impl ")).map(Value::Tail).ok_or_else(unknown)
}

/// All types in the signature, as one text.
fn signature_types(inputs: &[Input], value: &Value) -> String {
    let parameters = inputs.iter().map(Input::parameter_type);
    parameters.chain(value.type_text()).collect::<Vec<_>>().join(", ")
}

/// Refuses a signature whose elided lifetimes would not be those of the code.
fn check_lifetimes(flow: &Flow<'_>, inputs: &[Input], value: &Value, target: &Target) -> Result<()> {
    let borrowed = |input: &&Input| has_lifetime(&input.parameter_type().replace("&'static ", ""));
    let count = inputs.iter().filter(borrowed).count();
    let has_self = target.receiver.as_ref().is_some_and(|own| own.starts_with('&'));
    let all = count + usize::from(has_self);
    let refuse = |why: &str| {
        Err(refused(why, "declare a lifetime parameter, and write it in these types").at(flow.selected.span))
    };
    let returned = value.type_text().unwrap_or_default();
    let is_elided = has_inner_elided_lifetime(&format!("&'a {returned}")) || flow.lifetimes(&returned).hidden > 0;
    let taken: Vec<Lifetimes> = inputs.iter().map(|input| flow.lifetimes(&input.parameter_type())).collect();
    let known: usize = taken.iter().map(|own| own.count + own.hidden).sum();
    let is_clear = known == usize::from(!has_self) && !taken.iter().any(|own| own.may_be_more);
    if is_elided && !is_clear {
        return refuse("it is not known which parameter the returned reference borrows");
    }
    let stores = |input: &Input| {
        let own = input.parameter_type();
        (own.contains("&mut") || input.mode == Mode::MutableReference) && has_inner_elided_lifetime(&own)
    };
    if all > 1 && inputs.iter().any(stores) {
        return refuse("a variable may keep references to another one, and their lifetimes are not written");
    }
    Ok(())
}

impl Value {
    fn outputs(&self) -> &[Output] {
        match self {
            Value::Variables(outputs) => outputs,
            Value::Tail(_) | Value::Returned(_) => &[],
        }
    }

    /// The type that the function returns, without the type of a failure. `None` if it returns nothing.
    fn type_text(&self) -> Option<String> {
        match self {
            Value::Variables(outputs) => match &outputs[..] {
                [] => None,
                [only] => Some(only.type_text.clone()),
                _ => {
                    let types: Vec<&str> = outputs.iter().map(|own| own.type_text.as_str()).collect();
                    Some(format!("({})", types.join(", ")))
                }
            },
            Value::Tail(own) | Value::Returned(own) => Some(own.clone()).filter(|own| own != "()"),
        }
    }
}

impl Extracted<'_> {
    /// The edits that insert the function, and replace the selection with its call.
    fn edits(&self, document: &CodeDocument, types: Types<'_>, changes: &[Edit]) -> Result<Vec<Edit>> {
        let arena = document.arena();
        let text = &arena.text;
        let failure = self.failure(types)?;
        let mut changes = changes.to_vec();
        let wrapper = failure.as_deref().map(|own| if generic(own).0 == "Option" { "Some" } else { "Ok" });
        if let (Some(wrapper), Value::Tail(_)) = (wrapper, &self.value) {
            let tail = self.selected.tail(arena);
            changes.push(Edit::insert(tail.range().start, format!("{wrapper}(")));
            changes.push(Edit::insert(tail.range().end, ")"));
            changes.sort_by_key(|edit| (edit.span.start, edit.span.end));
        }
        let code = apply_within(text, self.selected.span.range(), &changes);
        let indent = lines::indent_at(text, arena.node(self.selected.statement).span.range().start);
        let outer = indent.strip_suffix(document.unit()).unwrap_or("");
        let inner = if indent.is_empty() { document.unit() } else { indent };
        let mut body = format!("{inner}{code}");
        let end = self.end(wrapper);
        if !end.is_empty() {
            body = format!("{body}\n{inner}{end}");
        }
        let types_text = signature_types(&self.inputs, &Value::Variables(Vec::new()));
        let others = format!("{} {code}", self.value.type_text().unwrap_or_default());
        let generics = Generics::new(arena, self.selected.function, &types_text, &others);
        let head = self.head(arena, &generics, failure.as_deref());
        let clauses = &generics.clauses;
        let open = match clauses.is_empty() {
            true => " {".to_owned(),
            false => {
                let lines: String = clauses.iter().map(|own| format!("{outer}{}{own},\n", document.unit())).collect();
                format!("\n{outer}where\n{lines}{outer}{{")
            }
        };
        let function = format!("{outer}{head}{open}\n{body}\n{outer}}}");
        let block = Statements::new(document, arena.node(self.target.neighbor).parent);
        let content = Content::new(document.language(), document.path(), &function, self.target.context);
        let position = block.position(self.target.neighbor).map(|at| at + 1);
        let mut edits = block.insert(position.unwrap_or(block.len()), &content)?;
        let call = Edit::new(self.selected.span, self.replacement(arena, &generics));
        let overlaps = |edit: &Edit| edit.span.start < call.span.end && call.span.start < edit.span.end;
        match edits.iter().position(overlaps) {
            Some(index) => edits[index].text = self.in_line(arena, &edits[index].text, &call)?,
            None => edits.push(call),
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        Ok(edits)
    }

    /// The new text of a block that was on one line, with the call instead of the selection.
    fn in_line(&self, arena: &Arena, text: &str, call: &Edit) -> Result<String> {
        let neighbor = arena.node(self.target.neighbor).span;
        let old = neighbor.slice(&arena.text);
        if text.matches(old).count() != 1 {
            let hint = "write the block around the function on several lines first";
            return Err(refused("the block around the function is on one line", hint).at(call.span));
        }
        let new = apply_within(&arena.text, neighbor.range(), std::slice::from_ref(call));
        Ok(text.replacen(old, &new, 1))
    }

    /// The type of the function if `?` may leave it. `None` if not.
    fn failure(&self, types: Types<'_>) -> Result<Option<String>> {
        if !self.control.fails {
            return Ok(None);
        }
        let inner = self.value.type_text().unwrap_or_else(|| "()".to_owned());
        let unknown = || {
            refused("`?` leaves a function whose type is not `Result` or `Option`", "select code without `?`")
                .at(self.selected.span)
        };
        let outer = types.returned(self.selected.list).ok_or_else(unknown)?;
        let (name, arguments) = generic(&outer);
        let path = outer.split_once('<').map_or(outer.as_str(), |(path, _)| path);
        match (name, &arguments[..]) {
            ("Option" | "Result", [_]) => Ok(Some(format!("{path}<{inner}>"))),
            ("Result", [_, error]) => Ok(Some(format!("{path}<{inner}, {error}>"))),
            ("Result", []) if path.ends_with("fmt::Result") && inner == "()" => Ok(Some(outer)),
            _ => Err(unknown()),
        }
    }

    /// The value after the selected statements, with the name of a variant around it if the code may fail.
    fn end(&self, wrapper: Option<&str>) -> String {
        let Value::Variables(outputs) = &self.value else { return String::new() };
        let names: Vec<&str> = outputs.iter().map(|own| own.name.as_str()).collect();
        let values = match names[..] {
            [only] => only.to_owned(),
            _ => format!("({})", names.join(", ")),
        };
        match wrapper {
            Some(wrapper) => format!("{wrapper}({values})"),
            None if names.is_empty() => String::new(),
            None => values,
        }
    }

    /// The attributes and the head of the function.
    fn head(&self, arena: &Arena, generics: &Generics, failure: Option<&str>) -> String {
        let selected = self.selected;
        let words = [
            ("const", selected.has_modifier(arena, "const")),
            ("async", self.control.awaits),
            ("unsafe", selected.is_unsafe(arena)),
        ];
        let modifiers: String =
            words.iter().filter(|(_, is_set)| *is_set).map(|(word, _)| format!("{word} ")).collect();
        let parameters = self.target.receiver.clone().into_iter().chain(self.inputs.iter().map(Input::parameter));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let returned = failure.map(str::to_owned).or_else(|| self.value.type_text());
        let returned = returned.map_or_else(String::new, |own| format!(" -> {own}"));
        let is_condition =
            |node: &NodeIndex| has_kind(arena, *node, K::ATTR) && arena.slice(*node).starts_with("#[cfg");
        let conditions = arena.children(selected.function).filter(is_condition);
        let attributes: String = conditions.map(|node| format!("{}\n", arena.slice(node))).collect();
        format!("{attributes}{modifiers}fn {}{}({parameters}){returned}", self.name, generics.list)
    }

    /// The code that replaces the selection.
    fn replacement(&self, arena: &Arena, generics: &Generics) -> String {
        let arguments: Vec<String> = self.inputs.iter().map(Input::argument).collect();
        let awaited = if self.control.awaits { ".await" } else { "" };
        let tried = if self.control.fails { "?" } else { "" };
        let Extracted { name, target, .. } = self;
        let call =
            format!("{}{name}{}({}){awaited}{tried}", target.qualifier, generics.arguments, arguments.join(", "));
        match &self.value {
            Value::Tail(_) => call,
            Value::Returned(own) if own == "()" && !self.selected.has_tail => format!("{call};"),
            Value::Returned(_) if self.selected.ends_function(arena) => call,
            Value::Returned(_) => format!("return {call};"),
            Value::Variables(outputs) => {
                let name = |own: &Output| if own.is_mutable { format!("mut {}", own.name) } else { own.name.clone() };
                let names: Vec<String> = outputs.iter().map(name).collect();
                match &names[..] {
                    [] => format!("{call};"),
                    [only] => format!("let {only} = {call};"),
                    _ => format!("let ({}) = {call};", names.join(", ")),
                }
            }
        }
    }
}
