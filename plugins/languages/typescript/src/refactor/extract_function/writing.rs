//! Writing the new function and its call.

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Span, lines};

use crate::editor::fragment::missing_semicolons;
use crate::editor::{Shape, Style, SyntaxEditor, semicolons};
use crate::semantics::Semantics;
use crate::semantics::extraction::code_range::{CodeRange, ReturnSite};
use crate::semantics::extraction::data_flow::{DataFlow, ExposedVariable, ThisBinding, type_parameter_source};
use crate::semantics::extraction::function_types::FunctionTypes;
use crate::semantics::selection::Selected;
use crate::syntax::comments;
use crate::syntax::spans::skip_trivia;

/// Name for the value of a `return` in the range, if it is free.
pub(super) const RETURN_VALUE_NAME: &str = "__return";

/// Everything that is needed to write the function.
pub(super) struct FunctionWriter<'w, 'a> {
    pub(super) code: Semantics<'w, 'a>,
    pub(super) range: &'w CodeRange<'a>,
    pub(super) exposed: &'w [ExposedVariable<'a>],
    pub(super) flow: &'w DataFlow<'a>,
    pub(super) types: &'w FunctionTypes,
    pub(super) name: &'w str,
    pub(super) style: Style,
    /// Name for the value of a `return` when variables are returned as well.
    pub(super) returned: String,
}

impl<'a> FunctionWriter<'_, 'a> {
    /// Replaces the range by the call, and inserts the function.
    pub(super) fn write(&self, editor: &mut SyntaxEditor<'_, 'a>) {
        self.write_call(editor);
        self.insert_function(editor);
    }

    // --- the call ---

    fn write_call(&self, editor: &mut SyntaxEditor<'_, 'a>) {
        let statements = match &self.range.selected {
            Selected::Expression(chosen) => return editor.replace_selected(chosen, self.call_text()),
            Selected::Statements(statements) => statements,
        };
        let span = self.without_foreign_semicolon();
        let lines = self.call_lines();
        let indentation = self.code.indent_at(span);
        if self.code.is_single_body(statements.parent) && lines.len() > 1 {
            let unit = &self.style.unit;
            let inner = lines.iter().map(|line| format!("\n{indentation}{unit}{line}")).collect::<String>();
            return editor.set_text(span, format!("{{{inner}\n{indentation}}}"));
        }
        let text = self.with_leading_semicolon(span.range().start, lines.join(&format!("\n{indentation}")));
        editor.set_text(span, if self.needs_semicolon(span.range().end) { text + ";" } else { text });
    }

    /// Excludes a semicolon that belongs to the next statement, in code without semicolons at line ends.
    fn without_foreign_semicolon(&self) -> Span {
        let span = self.range.span;
        let own = span.slice(self.code.text());
        match own.strip_suffix(';') {
            Some(rest) if rest.trim_end().len() < rest.len() && rest[rest.trim_end().len()..].contains('\n') => {
                Span::new(span.range().start, span.range().start + rest.trim_end().len())
            }
            _ => span,
        }
    }

    /// Adds a semicolon if a text starting with a parenthesis would continue the statement before it.
    fn with_leading_semicolon(&self, at: usize, text: String) -> String {
        let before = self.code.text()[..at].trim_end();
        let is_safe = before.is_empty() || before.ends_with([';', '{', '}', ':']);
        if text.starts_with('(') && !is_safe { format!(";{text}") } else { text }
    }

    /// Returns whether the text after the call would continue it, in code without semicolons.
    fn needs_semicolon(&self, end: usize) -> bool {
        let after = &self.code.text()[end..];
        let same_line = after.trim_start_matches([' ', '\t']);
        let is_apart = same_line.is_empty() || same_line.starts_with(['\n', '\r', '}', ';', '/']);
        let next = skip_trivia(self.code.text(), end);
        self.style.semicolon.is_empty() && (!is_apart || semicolons::continues_statement(&self.code.text()[next..]))
    }

    /// Returns the call alone: `await f(a)`.
    pub(super) fn call_text(&self) -> String {
        let arguments = self.flow.passed_parameters().map(|(_, parameter)| parameter.name);
        let (callee, arguments): (String, Vec<&str>) =
            match (self.flow.this, self.flow.target.method_object(self.range)) {
                (_, Some(object)) => (format!("{object}.{}", self.name) + &self.type_arguments(), arguments.collect()),
                (Some(ThisBinding::PassedByCall(_)), _) => {
                    (format!("{}.call", self.name), std::iter::once("this").chain(arguments).collect())
                }
                _ => (self.name.to_owned() + &self.type_arguments(), arguments.collect()),
            };
        let word = if self.range.yields {
            "yield* "
        } else if self.range.awaits {
            "await "
        } else {
            ""
        };
        format!("{word}{callee}({})", arguments.join(", "))
    }

    fn type_arguments(&self) -> String {
        let names: Vec<&str> = self.flow.type_parameters.iter().map(|symbol| self.code.name_of(*symbol)).collect();
        if names.is_empty() || !self.code.is_typed() { String::new() } else { format!("<{}>", names.join(", ")) }
    }

    /// Returns the variables to return: those that the range declares, then those that it assigns.
    fn result_names(&self) -> Vec<&'a str> {
        let exposed = self.exposed.iter().map(|exposed| exposed.name);
        exposed.chain(self.flow.assigned_parameters().map(|parameter| parameter.name)).collect()
    }

    /// Returns whether a `return` in the range has a value.
    fn returns_value(&self) -> bool {
        self.range.returns.iter().any(|it| it.argument.is_some())
    }

    fn call_lines(&self) -> Vec<String> {
        let (call, end) = (self.call_text(), self.style.semicolon);
        let results = self.result_names();
        let returns = !self.range.returns.is_empty();
        if results.is_empty() && returns && !self.returns_value() && self.range.returns_elsewhere(self.code) {
            return vec![format!("{call}{end}"), format!("return{end}")];
        }
        if results.is_empty() {
            let word = if returns { "return " } else { "" };
            return vec![format!("{word}{call}{end}")];
        }
        if !returns && self.flow.assigned_parameters().next().is_none() {
            return vec![self.print_declaration(&call)];
        }
        let mut lines: Vec<String> = self.exposed.iter().map(|exposed| self.print_uninitialized(exposed)).collect();
        let mut names: Vec<&str> = results;
        if self.returns_value() {
            lines.push(format!("let {}{end}", self.returned));
            names.insert(0, &self.returned);
        }
        lines.push(match names.as_slice() {
            [only] => format!("{only} = {call}{end}"),
            // Without a semicolon, the parenthesis would continue the line before.
            _ if end.is_empty() && !lines.is_empty() => format!(";({{ {} }} = {call})", names.join(", ")),
            _ => format!("({{ {} }} = {call}){end}", names.join(", ")),
        });
        if self.returns_value() {
            lines.push(format!("return {}{end}", self.returned));
        } else if returns {
            lines.push(format!("return{end}"));
        }
        lines
    }

    /// Prints `const a: T = f();` or `const { a, b } = f();`.
    fn print_declaration(&self, call: &str) -> String {
        let first = self.exposed[0].keyword;
        let is_shared = self.exposed.iter().all(|exposed| exposed.keyword == first);
        let word = if is_shared { first } else { "var" };
        let end = self.style.semicolon;
        if let [only] = self.exposed {
            let annotation = self.annotation(only).map_or(String::new(), |ty| format!(": {ty}"));
            return format!("{word} {}{annotation} = {call}{end}", only.name);
        }
        let names: Vec<&str> = self.exposed.iter().map(|exposed| exposed.name).collect();
        let types = self.types.exposed.as_ref().filter(|_| self.code.is_typed());
        let annotation = types.map_or(String::new(), |types| {
            let members = names.iter().zip(types).map(|(name, ty)| format!("{name}: {ty};"));
            format!(": {{ {} }}", members.collect::<Vec<_>>().join(" "))
        });
        format!("{word} {{ {} }}{annotation} = {call}{end}", names.join(", "))
    }

    fn annotation(&self, exposed: &ExposedVariable<'a>) -> Option<&str> {
        let ty = exposed.annotation.filter(|_| self.code.is_typed())?;
        Some(self.code.source(ty))
    }

    /// Prints `let a: T | undefined;`.
    fn print_uninitialized(&self, exposed: &ExposedVariable<'a>) -> String {
        let word = if exposed.keyword == "var" { "var" } else { "let" };
        let annotation = self.annotation(exposed).map_or(String::new(), |ty| {
            if exposed.needs_parentheses { format!(": ({ty}) | undefined") } else { format!(": {ty} | undefined") }
        });
        format!("{word} {}{annotation}{}", exposed.name, self.style.semicolon)
    }

    // --- the function ---

    fn print_head(&self) -> String {
        let star = if self.range.yields { "*" } else { "" };
        let asynchronous = if self.range.awaits { "async " } else { "" };
        let start = match self.flow.target.class() {
            Some((_, is_static)) => {
                let private = if self.code.is_typed() { "private " } else { "" };
                let fixed = if is_static { "static " } else { "" };
                format!("{private}{fixed}{asynchronous}{star}{}", self.name)
            }
            None => format!("{asynchronous}function{star} {}", self.name),
        };
        let returned = self.types.returned.as_ref().filter(|_| self.code.is_typed() && !self.range.yields);
        let returned = returned.map_or(String::new(), |ty| match self.range.awaits {
            true => format!(": Promise<{ty}>"),
            false => format!(": {ty}"),
        });
        format!("{start}{}({}){returned}", self.type_parameters(), self.parameters().join(", "))
    }

    fn type_parameters(&self) -> String {
        let declared = self.flow.type_parameters.iter();
        let texts: Vec<&str> = declared.filter_map(|symbol| type_parameter_source(self.code, *symbol)).collect();
        if texts.is_empty() || !self.code.is_typed() { String::new() } else { format!("<{}>", texts.join(", ")) }
    }

    fn parameters(&self) -> Vec<String> {
        let is_typed = self.code.is_typed();
        let mut all = Vec::new();
        if let (Some(ThisBinding::PassedByCall(_)), true) = (self.flow.this, is_typed) {
            all.push(format!("this: {}", self.types.this.as_deref().unwrap_or("any")));
        }
        all.extend(self.flow.passed_parameters().map(|(index, parameter)| {
            if !is_typed {
                return parameter.name.to_owned();
            }
            let ty = self.types.parameters.get(index).and_then(Option::as_deref);
            format!("{}: {}", parameter.name, ty.unwrap_or("any"))
        }));
        all
    }

    /// Returns the whole function; its first line is not indented.
    fn print_function(&self, indentation: &str) -> String {
        let unit = &self.style.unit;
        let inner = format!("{indentation}{unit}");
        let body = self.print_body(&inner);
        format!("{} {{\n{inner}{body}\n{indentation}}}", self.print_head())
    }

    /// Returns the statements of the function; the first line is not indented.
    fn print_body(&self, indentation: &str) -> String {
        let end = self.style.semicolon;
        let (span, shape) = match &self.range.selected {
            Selected::Expression(chosen) => (chosen.returned_span(self.code), Shape::Expression),
            Selected::Statements(_) => (self.without_foreign_semicolon(), Shape::Statements),
        };
        let content = apply_within(self.code.text(), span.range(), &self.inner_edits(span));
        let content = self.code.with_indentation(&content, shape, self.code.indent_at(span), indentation);
        if shape == Shape::Expression {
            return format!("return {content}{end}");
        }
        let results = self.result_names();
        let returned = match results.as_slice() {
            _ if !self.range.continues_after => String::new(),
            [] => String::new(),
            [only] => format!("\n{indentation}return {only}{end}"),
            _ => format!("\n{indentation}return {{ {} }}{end}", results.join(", ")),
        };
        self.uninitialized_declarations(indentation) + &content + &returned
    }

    /// Returns declarations of the variables that have no value when the function is called.
    fn uninitialized_declarations(&self, indentation: &str) -> String {
        let unset = self.flow.parameters.iter().enumerate().filter(|(_, parameter)| parameter.is_uninitialized);
        let declared = unset.map(|(index, parameter)| {
            let ty = self.types.parameters.get(index).and_then(Option::as_deref).filter(|_| self.code.is_typed());
            let annotation = ty.map_or(String::new(), |ty| format!(": {ty}"));
            format!("let {}{annotation}{}\n{indentation}", parameter.name, self.style.semicolon)
        });
        declared.collect()
    }

    /// Returns the edits within the range: qualified names, and the values of `return` statements.
    fn inner_edits(&self, span: Span) -> Vec<Edit> {
        let mut edits: Vec<Edit> = Vec::new();
        let results = self.result_names();
        if !results.is_empty() {
            for returned in self.range.return_sites() {
                edits.extend(self.return_edits(&returned, &results));
            }
        }
        if !self.style.semicolon.is_empty() {
            let statements = self.range.statements().unwrap_or_default();
            edits.extend(missing_semicolons(statements, self.code.text()).map(|end| Edit::insert(end, ";")));
        }
        // If a returned value starts with such a name, the text inserted before the value comes first.
        for (used, names) in &self.flow.qualified {
            let prefix = match self.code.is_shorthand(used.node) {
                true => format!("{}: {names}.", used.name),
                false => format!("{names}."),
            };
            edits.push(Edit::insert(used.span.range().start, prefix));
        }
        edits.retain(|edit| span.contains(edit.span));
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits
    }

    fn return_edits(&self, returned: &ReturnSite, results: &[&str]) -> Vec<Edit> {
        let names = results.join(", ");
        match returned.value {
            Some(value) => {
                let (open, close) = if returned.is_sequence { ("(", ")") } else { ("", "") };
                let span = value.range();
                vec![
                    Edit::insert(span.start, format!("{{ {}: {open}", self.returned)),
                    Edit::insert(span.end, format!("{close}, {names} }}")),
                ]
            }
            None => {
                let at = returned.start + "return".len();
                let value = match results {
                    _ if self.returns_value() => format!(" {{ {}: undefined, {names} }}", self.returned),
                    [only] => format!(" {only}"),
                    _ => format!(" {{ {names} }}"),
                };
                vec![Edit::insert(at, value)]
            }
        }
    }

    // --- the position ---

    fn insert_function(&self, editor: &mut SyntaxEditor<'_, 'a>) {
        let target = &self.flow.target;
        let siblings = target.siblings();
        let next = siblings.iter().find(|(span, is_function)| *is_function && span.start >= self.range.span.end);
        match (next, target.braces()) {
            (Some((next, _)), _) => {
                let comment = comments::attached_comment(self.code.comments(), self.code.text(), next.range().start);
                let place = comment.unwrap_or(*next);
                let indentation = self.code.indent_at(place);
                let function = self.print_function(indentation);
                editor.insert_before(place, format!("{function}\n\n{indentation}"));
            }
            (None, Some(braces)) => self.insert_at_end(braces, &siblings, editor),
            (None, None) => {
                let end = self.code.text().len();
                let gap = if self.code.text().ends_with('\n') { "\n" } else { "\n\n" };
                editor.insert_after(end..end, format!("{gap}{}\n", self.print_function("")));
            }
        }
    }

    /// Inserts at the end of a body in braces.
    fn insert_at_end(&self, braces: Span, siblings: &[(Span, bool)], editor: &mut SyntaxEditor<'_, 'a>) {
        let (code, text) = (self.code, self.code.text());
        let close = braces.range().end.saturating_sub(1);
        let outer = code.indent_at(braces);
        let own_line = siblings.iter().map(|(span, _)| *span).find(|span| code.starts_line(*span));
        let indentation =
            own_line.map_or_else(|| format!("{outer}{}", self.style.unit), |span| code.indent_at(span).to_owned());
        let function = self.print_function(&indentation);
        if lines::starts_line(text, close) {
            let at = lines::line_start(text, close);
            return editor.insert_before(at..at, format!("\n{indentation}{function}\n"));
        }
        let content_end = text[..close].trim_end().len().max(self.range.span.range().end).min(close);
        editor.set_text(content_end..close, format!("\n\n{indentation}{function}\n{outer}"));
    }
}
