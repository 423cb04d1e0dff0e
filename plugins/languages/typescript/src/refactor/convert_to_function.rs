//! `convert_to_function`: converts a variable that holds a function to a function declaration, and any other arrow
//! function to a function expression.
//!
//! ```text
//! const f = (a) => g(a);     →   function f(a) {
//!                                    return g(a);
//!                                }
//! ```

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use crate::TypeScriptDocument;
use crate::editor::{Shape, Style, SyntaxEditor};
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::{Semantics, positions, refusal_at};
use crate::syntax::spans::skip_trivia;

pub(super) const CONVERT_TO_FUNCTION: Refactoring<TypeScriptDocument> = Refactoring {
    id: "convert_to_function",
    title: "Convert to a function declaration",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Converts the function whose head contains the caret.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with(document, |code| {
        let function = code.function_at(input.at)?;
        let mut editor = SyntaxEditor::new(code);
        Conversion { code, function }.convert(&mut editor)?;
        editor.finish()
    })
}

/// The variable declaration that holds the function.
struct FunctionVariable<'a> {
    statement: Span,
    name: &'a BindingIdentifier<'a>,
}

struct Conversion<'p, 'a> {
    code: Semantics<'p, 'a>,
    function: FunctionNode<'a>,
}

impl<'a> Conversion<'_, 'a> {
    fn convert(&self, editor: &mut SyntaxEditor<'_, 'a>) -> Result<()> {
        if let FunctionNode::Arrow(_) = self.function {
            CallContext::from_function(self.function).check("a `function`")?;
        }
        match (self.holding_variable()?, self.function) {
            (Some(variable), _) => self.convert_variable(&variable, editor),
            (None, FunctionNode::Arrow(arrow)) => {
                let mut inner = SyntaxEditor::new(self.code);
                self.convert_arrow(arrow, None, &mut inner);
                editor.replace(arrow.span, inner.into_text(arrow.span)?);
            }
            (None, FunctionNode::Function(function)) => {
                return Err(refusal_at("the function already uses the `function` keyword", function.span)
                    .hint("only a function that is the value of a variable can become a function declaration"));
            }
        }
        Ok(())
    }

    /// Returns the variable that holds the function. Refused if a function declaration would have a different meaning.
    fn holding_variable(&self) -> Result<Option<FunctionVariable<'a>>> {
        let code = self.code;
        let node = code.parent(self.function.id());
        let AstKind::VariableDeclarator(variable) = code.kind(node) else { return Ok(None) };
        let BindingPattern::BindingIdentifier(name) = &variable.id else { return Ok(None) };
        let list = code.parent(node);
        let AstKind::VariableDeclaration(whole) = code.kind(list) else { return Ok(None) };
        if whole.declarations.len() > 1 {
            return Err(refusal_at("the statement declares several variables", whole.span)
                .hint("first move this variable to its own statement"));
        }
        if let Some(annotation) = &variable.type_annotation {
            return Err(refusal_at("the type annotation of the variable would be lost", annotation.span)
                .hint("first move the types to the parameters and the return type, then remove the annotation"));
        }
        self.check_symbol(name, whole, list)?;
        if let FunctionNode::Function(Function { id: Some(id), .. }) = self.function
            && id.name != name.name
            && id.symbol_id.get().is_some_and(|symbol| !code.scoping().symbol_is_unused(symbol))
        {
            return Err(refusal_at(format!("the function calls itself by another name, `{}`", id.name), id.span)
                .hint(format!("first let it call itself `{}`", name.name)));
        }
        Ok(Some(FunctionVariable { statement: whole.span, name }))
    }

    fn check_symbol(&self, name: &BindingIdentifier<'_>, whole: &VariableDeclaration<'_>, list: NodeId) -> Result<()> {
        let scoping = self.code.scoping();
        let symbol = name.symbol_id.get().ok_or_else(|| refusal_at("the variable could not be resolved", name.span))?;
        if scoping.symbol_is_mutated(symbol) {
            return Err(refusal_at(format!("`{}` is reassigned", name.name), name.span)
                .hint("a function declaration should not be reassigned"));
        }
        if !scoping.symbol_redeclarations(symbol).is_empty() {
            return Err(refusal_at(format!("`{}` is declared more than once", name.name), name.span));
        }
        let around = self.code.parent_kind(list);
        let is_top = matches!(around, AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::ExportDeclaration(_));
        let is_list = is_top || positions::is_statement_list(&around);
        if !is_list || whole.declare {
            return Err(refusal_at("a function cannot be declared here", whole.span));
        }
        if whole.kind.is_var() && !is_top {
            return Err(refusal_at(
                format!("`{}` may be used outside the block that would declare it", name.name),
                name.span,
            )
            .hint("first declare it with `const`"));
        }
        if !(whole.kind.is_var() || whole.kind.is_lexical()) {
            return Err(refusal_at("a `using` declaration disposes of its value at the end of the block", whole.span));
        }
        Ok(())
    }

    /// Converts `const f = …` to `function f…`.
    fn convert_variable(&self, variable: &FunctionVariable<'a>, editor: &mut SyntaxEditor<'_, 'a>) {
        let (own, statement, name) = (self.function.span(), variable.statement, variable.name.span);
        let word = self.code.source(Span::new(statement.start, name.start));
        let length = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let is_async = if self.function.is_async() { "async " } else { "" };
        let star = matches!(self.function, FunctionNode::Function(function) if function.generator);
        let keyword = Span::new(statement.start, statement.start + length as u32);
        editor.set_text(keyword, format!("{is_async}function{}", if star { "*" } else { "" }));
        match self.function {
            FunctionNode::Arrow(arrow) => self.convert_arrow(arrow, Some(name), editor),
            FunctionNode::Function(function) => {
                let params = function.type_parameters.as_ref().map_or(function.params.span, |types| types.span);
                let between = Span::new(name.end, params.start);
                editor.set_text(between, self.comments_in(between));
            }
        }
        let end = Span::new(own.end, statement.end);
        editor.set_text(end, self.comments_in(end).trim_end());
    }

    /// Converts an arrow function to a function expression or, with a name, to a declaration.
    fn convert_arrow(
        &self,
        arrow: &'a ArrowFunctionExpression<'a>,
        name: Option<Span>,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) {
        let params = arrow.params.span;
        let start = arrow.type_parameters.as_ref().map_or(params, |types| types.span).start;
        match name {
            Some(name) => {
                let between = Span::new(name.end, start);
                editor.set_text(between, self.comments_in(between));
            }
            None => {
                let async_end = if arrow.r#async { "async".len() as u32 } else { 0 };
                let between = Span::new(arrow.span.start + async_end, start);
                let (gap, kept) = (if arrow.r#async { " function" } else { "function" }, self.comments_in(between));
                editor.set_text(between, format!("{gap}{}{kept}", if kept.is_empty() { " " } else { "" }));
            }
        }
        let is_bare = !self.code.source(params).starts_with('(');
        if is_bare {
            editor.insert_before(params, "(");
        }
        let head = arrow.return_type.as_ref().map_or(params, |ty| ty.span).end;
        let body = self.function.body_span();
        let between = Span::new(head, body.start);
        let close = if is_bare { ")" } else { "" };
        editor.set_text(between, format!("{close}{} ", self.comments_in(between).trim_end()));
        if let Some(value) = self.function.expression() {
            editor.set_text(body, self.block_body(value, name.is_some(), editor.style()));
        }
    }

    /// Returns a body in braces that returns the value.
    fn block_body(&self, value: &'a Expression<'a>, declared: bool, style: &Style) -> String {
        let code = self.code;
        let inner = value.without_parentheses().span();
        let own = code.source(if code.has_comments_around(value.span(), inner) { value.span() } else { inner });
        let Style { semicolon, unit, line_break } = style;
        if !declared && !own.contains('\n') {
            return format!("{{ return {own}{semicolon} }}");
        }
        let outer = code.indent_at(self.function.span());
        let inner = format!("{outer}{unit}");
        let placed = code.indented(own, Shape::Expression, &inner);
        format!("{{{line_break}{inner}return {placed}{semicolon}{line_break}{outer}}}")
    }

    /// Returns the comments in a range, each preceded by a space; a line comment ends with a line break.
    fn comments_in(&self, range: Span) -> String {
        let (text, comments) = (self.code.text(), self.code.comments());
        let from = comments.partition_point(|comment| comment.span.start < range.start);
        let mut kept = String::new();
        for comment in comments[from..].iter().take_while(|comment| comment.span.end <= range.end) {
            kept.push(' ');
            kept += self.code.source(comment.span);
            kept += if comment.is_line() { "\n" } else { "" };
        }
        let end = range.end as usize;
        if !kept.is_empty() && !kept.ends_with('\n') && skip_trivia(text, end) == end {
            kept.push(' ');
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use crate::refactor::testing;

    #[track_caller]
    fn check(marked: &str, after: &str) {
        testing::assert_rewrite("convert_to_function", &[], marked, after);
    }

    #[track_caller]
    fn refused(marked: &str, message: &str) {
        testing::assert_refused("convert_to_function", &[], marked, message);
    }

    #[test]
    fn arrow_variables_become_function_declarations() {
        check("‸const f = (x: A): B => x + 1;", "function f(x: A): B {\n    return x + 1;\n}");
        check("const ‸f = x => x\ng()", "function f(x) {\n    return x\n}\ng()");
        check("const f = ‸async <T,>(t: T) => { g(t); };", "async function f<T,>(t: T) { g(t); }");
        check(
            "// why\nexport let f = ‸function () { this.a; }; // what",
            "// why\nexport function f() { this.a; } // what",
        );
        check("const f = ‸function* g<T>(t: T) { yield t; };\nf();", "function* f<T>(t: T) { yield t; }\nf();");
        check("const f = ‸function f(n) { return f(n - 1); };", "function f(n) { return f(n - 1); }");
        check(
            "\tvar f = ‸() => ({\r\n\t\ta: 1,\r\n\t});",
            "\tfunction f() {\r\n\t\treturn {\r\n\t\t\ta: 1,\r\n\t\t};\r\n\t}",
        );
        check(
            "const /* a */ ‸f /* b */ = /* c */ (x) /* d */ => /* e */ x;",
            "function /* a */ f /* b */ /* c */ (x) /* d */ /* e */ {\n    return x;\n}",
        );
    }

    #[test]
    fn other_arrows_become_function_expressions() {
        check("f(‸x => x);", "f(function (x) { return x; });");
        check("f(‸async (x, y) => { g(); });", "f(async function (x, y) { g(); });");
        check("(‸() => 1)();", "(function () { return 1; })();");
        check("export default ‸() => ({ a: 1 });", "export default function () { return { a: 1 }; };");
        check("const o = { ‸f: () => 1 };", "const o = { f: function () { return 1; } };");
    }

    #[test]
    fn refuses_changes_of_meaning() {
        refused("const f = ‸() => this.a;", "`this` would have a different meaning in a `function`");
        refused("const f = ‸() => arguments;", "`arguments` would have a different meaning in a `function`");
        refused("const f: T = ‸x => x;", "the type annotation of the variable would be lost");
        refused("let f = ‸x => x; f = g;", "`f` is reassigned");
        refused("const a = 1, f = ‸x => x;", "the statement declares several variables");
        refused("if (a) { var f = ‸x => x; }", "`f` may be used outside the block that would declare it");
        refused("for (const f = ‸x => x;;) {}", "a function cannot be declared here");
        refused("const f = ‸function g() { g(); };", "the function calls itself by another name, `g`");
        refused("‸function f() {}", "the function already uses the `function` keyword");
        refused("f(‸function () {});", "the function already uses the `function` keyword");
    }

    #[test]
    fn arrow_and_back_restores_the_text() {
        let text = "const f = (a: A, b = 1): B => {\n  return g(a, b);\n};\n";
        let convert = |id: &str, text: &str| {
            let (text, rewritten) = testing::run_refactoring(id, "a.ts", &format!("‸{text}"), &[]);
            marquetry_sdk::span::apply(&text, &rewritten.expect("converted").edits)
        };
        let there = convert("convert_to_function", text);
        assert_eq!(there, "function f(a: A, b = 1): B {\n  return g(a, b);\n}\n");
        assert_eq!(convert("convert_to_arrow", &there), text);
    }

    #[test]
    fn any_caret_gives_valid_syntax() {
        for text in testing::SAMPLES {
            testing::assert_valid_at_every_offset("convert_to_function", "a.tsx", text, &[]);
        }
    }
}
