//! The code of an extracted function and of its call.

use std::collections::BTreeSet;

use marquetry_code::{
    NodeIndex, ParseContext,
    layout::{Content, Place},
};
use marquetry_sdk::{Edit, Result, lines, span::apply_within};

use super::{Exit, Flow, Selected, flow::Variable, refused};
use crate::{
    kinds::{F, K, child, has_kind},
    names::BindingKind,
    typing::{Printer, Ty, Typing, Untyped},
};

/// The new code.
pub(super) struct Parts {
    pub(super) function: String,
    pub(super) call: String,
    /// The paths of packages that the file must import.
    pub(super) needed: BTreeSet<String>,
}

/// Prints the parts of a function.
struct Writer<'s> {
    selected: &'s Selected,
    flow: &'s Flow,
    printer: Printer<'s>,
}

impl Parts {
    pub(super) fn new(selected: &Selected, flow: &Flow, exit: &Exit, name: &str) -> Result<Parts> {
        let mut writer = Writer { selected, flow, printer: Printer::new(&selected.file) };
        let arena = selected.file.arena();
        let uses_type_parameter = flow.uses_type_parameter || writer.has_type_parameter(exit);
        let is_method = flow.receiver.is_some() || uses_type_parameter && selected.receiver().is_some();
        let receiver = selected.receiver().filter(|_| is_method);
        let receiver_name = receiver.and_then(|param| arena.child(param, F::Name.into())).map(|own| arena.slice(own));
        if is_method && receiver_name.is_none_or(|own| own == "_") {
            return Err(refused("the receiver has no name", "name the receiver first").at(selected.code));
        }
        let type_parameters = child(arena, selected.top, K::TypeParams).filter(|_| uses_type_parameter);
        if uses_type_parameter && type_parameters.is_none() && !is_method {
            return Err(refused("the selection uses a type parameter", "select other code").at(selected.code));
        }
        let mut head = "func ".to_owned();
        if let Some(own) = receiver.and(child(arena, selected.top, K::Receiver)) {
            head += &format!("{} ", arena.slice(own));
        }
        let parameters = writer.parameters(&flow.inputs)?;
        let (results, body) = writer.body(exit)?;
        head += &format!("{name}{}({parameters}){results}", type_parameters.map_or("", |own| arena.slice(own)));
        let function = format!("{head} {{\n{body}}}");
        let arguments: Vec<&str> = flow.inputs.iter().map(|own| own.name.as_str()).collect();
        let instance = type_parameters.map_or_else(String::new, |_| {
            format!("[{}]", crate::typing::type_parameters(&selected.file, selected.top).join(", "))
        });
        let qualifier = receiver_name.map_or_else(String::new, |own| format!("{own}."));
        let call = format!("{qualifier}{name}{instance}({})", arguments.join(", "));
        let call = writer.statements(exit, &call)?;
        Ok(Parts { function, call, needed: writer.printer.needed })
    }
}

impl Writer<'_> {
    fn print(&mut self, name: &str, own: &Ty) -> Result<String> {
        self.printer.print(own).map_err(|why| {
            refused(
                format!("`{name}` cannot be passed: {why}"),
                "select code that does not use it, or that declares it",
            )
            .at(self.selected.code)
        })
    }

    /// Returns whether a type that the function needs contains a type parameter.
    fn has_type_parameter(&self, exit: &Exit) -> bool {
        let results = match exit {
            Exit::Continues | Exit::Never => &[][..],
            Exit::Returns(types) | Exit::MayReturn(types, _) => types,
        };
        let variables = self.flow.inputs.iter().chain(&self.flow.declared).chain(&self.flow.outputs);
        variables.map(|own| &own.own).chain(results).any(Ty::has_parameter)
    }

    /// The list of parameters. Consecutive parameters share their type.
    fn parameters(&mut self, inputs: &[Variable]) -> Result<String> {
        let mut printed = Vec::new();
        for input in inputs {
            printed.push((input.name.as_str(), self.print(&input.name, &input.own)?));
        }
        let groups = printed.chunk_by(|one, next| one.1 == next.1).map(|group| {
            let names: Vec<&str> = group.iter().map(|(name, _)| *name).collect();
            format!("{} {}", names.join(", "), group[0].1)
        });
        Ok(groups.collect::<Vec<_>>().join(", "))
    }

    /// The results and the body of the function.
    fn body(&mut self, exit: &Exit) -> Result<(String, String)> {
        let mut types = Vec::new();
        let mut values: Vec<String> = Vec::new();
        for output in self.flow.outputs.iter().filter(|_| !exit.is_final()) {
            types.push(self.print(&output.name, &output.own)?);
            values.push(output.name.clone());
        }
        let mut edits = Vec::new();
        match exit {
            Exit::Continues | Exit::Never => {}
            Exit::Returns(results) => {
                for own in results {
                    types.push(self.print("return", own)?);
                }
            }
            Exit::MayReturn(results, returns) => {
                let zeros = self.flow.outputs.iter().map(|own| self.zero_of(&own.own)).collect::<Vec<_>>();
                for own in results {
                    types.push(self.print("return", own)?);
                    let zero = self.zero_of(own);
                    values.push(self.visible(zero, self.selected.code.end)?);
                }
                types.push("bool".to_owned());
                values.push(self.visible("false".to_owned(), self.selected.code.end)?);
                for own in returns {
                    edits.push(self.flagged(*own, &zeros)?);
                }
            }
        }
        let results = match &types[..] {
            [] => String::new(),
            [only] => format!(" {only}"),
            several => format!(" ({})", several.join(", ")),
        };
        let mut body = String::new();
        let declared: Vec<&Variable> = self.flow.declared.iter().filter(|own| !self.is_defined(own)).collect();
        for own in declared {
            let own_type = self.print(&own.name, &own.own)?;
            body += &format!("\tvar {} {}\n", own.name, self.visible(own_type, self.selected.code.start)?);
        }
        body += &format!("\t{}\n", self.moved(&edits));
        if !values.is_empty() {
            body += &format!("\treturn {}\n", values.join(", "));
        }
        Ok((results, body))
    }

    /// Returns whether the first assignment in the selection is `:=`, which declares the variable in the function.
    fn is_defined(&self, own: &Variable) -> bool {
        let arena = self.selected.file.arena();
        let mut places = self.selected.file.names.references(own.binding);
        let first = places.find(|place| self.selected.code.contains(place.span));
        first.is_some_and(|first| has_kind(arena, arena.node(first.node).parent, K::Define))
    }

    /// The selected code with edits, indented for a function.
    fn moved(&self, edits: &[Edit]) -> String {
        let (document, whole) = (&self.selected.file.document, self.selected.whole);
        let text = document.text_str();
        let code = apply_within(text, whole.range(), edits);
        let indent = lines::indent_at(text, whole.range().start);
        let content = Content::new(
            document.language(),
            document.path(),
            &format!("{indent}{code}"),
            ParseContext::Inside("BLOCK"),
        );
        content.at(Place { indent: "\t", unit: "\t" })
    }

    /// The edit that makes a `return` statement also return the zero values of the outputs, and `true`.
    fn flagged(&self, node: NodeIndex, zeros: &[String]) -> Result<Edit> {
        let arena = self.selected.file.arena();
        let start = arena.node(node).span.start;
        for own in zeros.iter().map(String::as_str).chain(["true"]) {
            self.visible(own.to_owned(), start)?;
        }
        let values: Vec<&str> = arena.children(node).map(|value| arena.slice(value)).collect();
        let all: Vec<&str> = zeros.iter().map(String::as_str).chain(values).chain(["true"]).collect();
        Ok(Edit::new(arena.node(node).span, format!("return {}", all.join(", "))))
    }

    /// Code that the body of the function gets. Fails if a variable of the function hides a name in it.
    fn visible(&self, code: String, at: u32) -> Result<String> {
        let names = &self.selected.file.names;
        let is_hidden = |name: &str| {
            let variables = self.flow.inputs.iter().chain(&self.flow.declared);
            let inner = names.local(name, at).filter(|own| self.selected.code.contains(self.selected.span(own.node)));
            variables.into_iter().any(|own| own.name == name)
                || self.flow.receiver.as_deref() == Some(name)
                || inner.is_some()
        };
        self.check_names(code, is_hidden)
    }

    /// Code that is inserted before the call. Fails if a variable around the call hides a name in it.
    fn visible_at_call(&self, code: String) -> Result<String> {
        let names = &self.selected.file.names;
        let is_local = |kind: BindingKind| !matches!(kind, BindingKind::Import | BindingKind::TypeParameter);
        let at = self.selected.code.start;
        self.check_names(code, |name| names.local(name, at).is_some_and(|own| is_local(own.kind)))
    }

    fn check_names(&self, code: String, is_hidden: impl Fn(&str) -> bool) -> Result<String> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words =
            code.split(|c: char| !is_word(c) && c != '.').map(|path| path.split('.').next().unwrap_or_default());
        match words.into_iter().find(|name| !name.is_empty() && is_hidden(name)) {
            Some(name) => Err(refused(
                format!("the code `{code}` is needed, but `{name}` is the name of a variable"),
                "rename the variable first",
            )
            .at(self.selected.code)),
            None => Ok(code),
        }
    }

    /// The zero value of a type as code.
    fn zero_of(&mut self, own: &Ty) -> String {
        let printed = |writer: &mut Self| writer.printer.print(own).unwrap_or_default();
        match Typing::default().underlying(own) {
            Some(Ty::Basic(name)) => match name.as_str() {
                "string" => "\"\"".to_owned(),
                "bool" => "false".to_owned(),
                "error" | "any" => "nil".to_owned(),
                _ => "0".to_owned(),
            },
            Some(Ty::Untyped(Untyped::Bool)) => "false".to_owned(),
            Some(Ty::Pointer(_) | Ty::Slice(_) | Ty::Map(..) | Ty::Chan(..) | Ty::Func(_) | Ty::Interface(_)) => {
                "nil".to_owned()
            }
            Some(Ty::Struct(_) | Ty::Array(..)) => format!("{}{{}}", printed(self)),
            _ => format!("*new({})", printed(self)),
        }
    }

    /// The statements that call the function.
    fn statements(&mut self, exit: &Exit, call: &str) -> Result<String> {
        let text = self.selected.file.document.text_str();
        let indent = lines::indent_at(text, self.selected.whole.range().start);
        match exit {
            Exit::Returns(results) if results.is_empty() => {
                let is_last = self.is_at_end();
                Ok(if is_last { call.to_owned() } else { format!("{call}\n{indent}return") })
            }
            Exit::Returns(_) => Ok(format!("return {call}")),
            Exit::Never => Ok(call.to_owned()),
            Exit::Continues => Ok(format!("{}{call}", self.assignment(&[], &[], indent)?)),
            Exit::MayReturn(results, _) => {
                let mut names: Vec<String> = Vec::new();
                for _ in results {
                    names.push(self.free_name("result", &names));
                }
                let flag = self.free_name("shouldReturn", &names);
                let (mut extra, mut types) = (names.clone(), results.clone());
                extra.push(flag.clone());
                types.push(Ty::Basic("bool".to_owned()));
                let values = if names.is_empty() { String::new() } else { format!(" {}", names.join(", ")) };
                let assignment = self.assignment(&extra, &types, indent)?;
                let unit = self.selected.file.document.unit();
                Ok(format!("{assignment}{call}\n{indent}if {flag} {{\n{indent}{unit}return{values}\n{indent}}}"))
            }
        }
    }

    /// Returns whether the selection ends the body of its function.
    fn is_at_end(&self) -> bool {
        let arena = self.selected.file.arena();
        let body = child(arena, self.selected.function, K::Block);
        Some(self.selected.block) == body
            && arena.children(self.selected.block).last() == self.selected.statements.last().copied()
    }

    /// The left side of the assignment of the results, with declarations before it if `:=` would declare other
    /// variables. `extra` are names of new variables.
    fn assignment(&mut self, extra: &[String], types: &[Ty], indent: &str) -> Result<String> {
        let outputs = &self.flow.outputs;
        let names: Vec<&str> =
            outputs.iter().map(|own| own.name.as_str()).chain(extra.iter().map(String::as_str)).collect();
        if names.is_empty() {
            return Ok(String::new());
        }
        let has_new = !extra.is_empty() || outputs.iter().any(|own| own.is_new);
        let can_define = outputs.iter().all(|own| own.is_new || own.is_in_block);
        if !has_new {
            return Ok(format!("{} = ", names.join(", ")));
        }
        if can_define {
            return Ok(format!("{} := ", names.join(", ")));
        }
        let mut declarations = String::new();
        for own in outputs.iter().filter(|own| own.is_new) {
            let own_type = self.print(&own.name, &own.own)?;
            declarations += &format!("var {} {}\n{indent}", own.name, self.visible_at_call(own_type)?);
        }
        for (name, own) in extra.iter().zip(types) {
            let own_type = self.print(name, own)?;
            declarations += &format!("var {name} {}\n{indent}", self.visible_at_call(own_type)?);
        }
        Ok(format!("{declarations}{} = ", names.join(", ")))
    }

    /// A name that no code of the file uses.
    fn free_name(&self, base: &str, taken: &[String]) -> String {
        let arena = self.selected.file.arena();
        let names = &self.selected.file.names;
        let is_taken = |name: &str| {
            taken.iter().any(|other| other == name) || names.places.iter().any(|place| arena.slice(place.node) == name)
        };
        let numbered = (1..).map(|number| format!("{base}{number}"));
        std::iter::once(base.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
    }
}

impl Ty {
    /// Returns whether a type contains a type parameter.
    fn has_parameter(&self) -> bool {
        match self {
            Ty::Parameter(_) => true,
            Ty::Pointer(own) | Ty::Slice(own) | Ty::Array(_, own) | Ty::Chan(_, own) => own.has_parameter(),
            Ty::Map(key, value) => key.has_parameter() || value.has_parameter(),
            Ty::Named(named) => named.arguments.iter().any(Ty::has_parameter),
            Ty::Func(own) => own.parameters.iter().chain(&own.results).any(Ty::has_parameter),
            Ty::Basic(_) | Ty::Untyped(_) | Ty::Local(_) | Ty::Struct(_) | Ty::Interface(_) => false,
        }
    }
}
