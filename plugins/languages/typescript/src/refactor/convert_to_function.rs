//! `convert_to_function`: converts a variable that holds a function to a function declaration, and any other arrow
//! function to a function expression.
//!
//! ```text
//! const f = (a) => g(a);     →   function f(a) {
//!                                    return g(a);
//!                                }
//! ```

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite, Span};

use crate::TypeScriptDocument;
use crate::editor::{Shape, SyntaxEditor};
use crate::semantics::Semantics;
use crate::semantics::function_declarations::{FunctionCandidate, FunctionVariable};
use crate::semantics::functions::FunctionNode;
use crate::syntax::spans::{Place as _, skip_trivia};

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
        let FunctionCandidate { function, variable, .. } = FunctionCandidate::at(code, input.at)?;
        let conversion = Conversion { code, function };
        let mut editor = SyntaxEditor::new(code);
        match variable {
            Some(variable) => conversion.convert_variable(&variable, &mut editor),
            None => {
                let mut inner = SyntaxEditor::new(code);
                conversion.convert_arrow(None, &mut inner);
                editor.replace(function.span(), inner.into_text(function.span())?);
            }
        }
        editor.finish()
    })
}

struct Conversion<'p, 'a> {
    code: Semantics<'p, 'a>,
    function: FunctionNode<'a>,
}

impl<'a> Conversion<'_, 'a> {
    /// Converts `const f = …` to `function f…`.
    fn convert_variable(&self, variable: &FunctionVariable, editor: &mut SyntaxEditor<'_, 'a>) {
        let (function, statement, name) = (self.function, variable.statement, variable.name);
        let word = self.code.source(Span { start: statement.start, end: name.start });
        let length = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let is_async = if function.is_async() { "async " } else { "" };
        let star = if function.is_generator() { "*" } else { "" };
        let keyword = Span { start: statement.start, end: statement.start + length as u32 };
        editor.set_text(keyword, format!("{is_async}function{star}"));
        if function.is_arrow() {
            self.convert_arrow(Some(name), editor);
        } else {
            let between = Span { start: name.end, end: function.params_start() };
            editor.set_text(between, self.comments_in(between));
        }
        let end = Span { start: function.span().end, end: statement.end };
        editor.set_text(end, self.comments_in(end).trim_end());
    }

    /// Converts an arrow function to a function expression or, with a name, to a declaration.
    fn convert_arrow(&self, name: Option<Span>, editor: &mut SyntaxEditor<'_, 'a>) {
        let function = self.function;
        let params = function.params().span.place();
        match name {
            Some(name) => {
                let between = Span { start: name.end, end: function.params_start() };
                editor.set_text(between, self.comments_in(between));
            }
            None => {
                let async_end = if function.is_async() { "async".len() as u32 } else { 0 };
                let between = Span { start: function.span().start + async_end, end: function.params_start() };
                let (gap, kept) =
                    (if function.is_async() { " function" } else { "function" }, self.comments_in(between));
                editor.set_text(between, format!("{gap}{}{kept}", if kept.is_empty() { " " } else { "" }));
            }
        }
        let is_bare = !self.code.source(params).starts_with('(');
        if is_bare {
            editor.insert_before(params, "(");
        }
        let body = function.body_span().place();
        let between = Span { start: function.head_end(), end: body.start };
        let close = if is_bare { ")" } else { "" };
        editor.set_text(between, format!("{close}{} ", self.comments_in(between).trim_end()));
        if let Some(value) = function.returned_value(self.code) {
            let text = self.block_body(self.code.source(value), name.is_some(), editor);
            editor.set_text(body, text);
        }
    }

    /// Returns a body in braces that returns the value.
    fn block_body(&self, value: &str, declared: bool, editor: &SyntaxEditor<'_, 'a>) -> String {
        let (code, style) = (self.code, editor.style());
        if !declared && !value.contains('\n') {
            return format!("{{ return {value}{} }}", style.semicolon);
        }
        let outer = code.indent_at(self.function.span());
        let placed = code.indented(value, Shape::Expression, &format!("{outer}{}", style.unit));
        style.in_braces(&format!("return {placed}{}", style.semicolon), outer)
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
        let end = range.range().end;
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
