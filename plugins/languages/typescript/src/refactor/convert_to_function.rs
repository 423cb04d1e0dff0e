//! `convert_to_function`: converts a variable that holds a function to a function declaration, and any other arrow
//! function to a function expression.

use marquetry_sdk::lines;
use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Edit, Failure, FailureKind, Result, Rewrite, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::fragment::Fragment;
use crate::editor::parentheses::replacement_text;
use crate::editor::{final_checks, indentation, semicolons};
use crate::semantics::functions::{self, CallContext, FunctionNode};
use crate::syntax::spans::{skip_trivia, span_in};
use crate::syntax::tree::{Parsed, Tree};

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
    let tree = &document.tree;
    tree.with(|parsed| {
        let semantic = parsed.semantic();
        let Some(function) = functions::function_at(semantic, tree.text(), input.at) else {
            return Err(functions::no_function_failure(semantic, tree.text(), input.at));
        };
        let edits = final_checks::sort_edits(Conversion { parsed, semantic, tree, function }.conversion_edits()?)?;
        final_checks::check_syntax(parsed, tree, &edits)?;
        Ok(edits.into())
    })
}

fn refusal(message: impl Into<String>, at: oxc_span::Span) -> Failure {
    fail(FailureKind::RefactorFailed, message).at(Span { start: at.start, end: at.end })
}

/// The variable declaration that holds the function.
struct FunctionVariable<'a> {
    statement: oxc_span::Span,
    name: &'a BindingIdentifier<'a>,
}

struct Conversion<'p, 'a> {
    parsed: &'p Parsed<'a>,
    semantic: &'p Semantic<'a>,
    tree: &'p Tree,
    function: FunctionNode<'a>,
}

impl<'a> Conversion<'_, 'a> {
    fn text(&self) -> &str {
        self.tree.text()
    }

    fn conversion_edits(&self) -> Result<Vec<Edit>> {
        if let FunctionNode::Arrow(_) = self.function {
            CallContext::from_function(self.function).check("a `function`")?;
        }
        let variable = self.holding_variable()?;
        if let Some(variable) = variable {
            return self.convert_variable(&variable);
        }
        match self.function {
            FunctionNode::Arrow(arrow) => {
                let own = span_in(arrow.span, self.text());
                let edits = final_checks::sort_edits(self.convert_arrow(arrow, None)?)?;
                let new = marquetry_sdk::span::apply_within(self.text(), own.range(), &edits);
                Ok(vec![Edit::new(own, replacement_text(self.parsed, self.tree, own, &new))])
            }
            FunctionNode::Function(function) => {
                Err(refusal("the function already uses the `function` keyword", function.span)
                    .hint("only a function that is the value of a variable can become a function declaration"))
            }
        }
    }

    /// Returns the variable that holds the function. Refused if a function declaration would have a different meaning.
    fn holding_variable(&self) -> Result<Option<FunctionVariable<'a>>> {
        let nodes = self.semantic.nodes();
        let node = nodes.parent_id(self.function.id());
        let AstKind::VariableDeclarator(variable) = nodes.kind(node) else { return Ok(None) };
        let BindingPattern::BindingIdentifier(name) = &variable.id else { return Ok(None) };
        let list = nodes.parent_id(node);
        let AstKind::VariableDeclaration(whole) = nodes.kind(list) else { return Ok(None) };
        if whole.declarations.len() > 1 {
            return Err(refusal("the statement declares several variables", whole.span)
                .hint("first move this variable to its own statement"));
        }
        if let Some(annotation) = &variable.type_annotation {
            return Err(refusal("the type annotation of the variable would be lost", annotation.span)
                .hint("first move the types to the parameters and the return type, then remove the annotation"));
        }
        self.check_symbol(name, whole, list)?;
        if let FunctionNode::Function(Function { id: Some(id), .. }) = self.function
            && id.name != name.name
            && id.symbol_id.get().is_some_and(|symbol| !self.semantic.scoping().symbol_is_unused(symbol))
        {
            return Err(refusal(format!("the function calls itself by another name, `{}`", id.name), id.span)
                .hint(format!("first let it call itself `{}`", name.name)));
        }
        Ok(Some(FunctionVariable { statement: whole.span, name }))
    }

    fn check_symbol(&self, name: &BindingIdentifier<'_>, whole: &VariableDeclaration<'_>, list: NodeId) -> Result<()> {
        let scoping = self.semantic.scoping();
        let symbol = name.symbol_id.get().ok_or_else(|| refusal("the variable could not be resolved", name.span))?;
        if scoping.symbol_is_mutated(symbol) {
            return Err(refusal(format!("`{}` is reassigned", name.name), name.span)
                .hint("a function declaration should not be reassigned"));
        }
        if !scoping.symbol_redeclarations(symbol).is_empty() {
            return Err(refusal(format!("`{}` is declared more than once", name.name), name.span));
        }
        let around = self.semantic.nodes().parent_kind(list);
        let is_top = matches!(around, AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::ExportDeclaration(_));
        let is_list = is_top
            || matches!(
                around,
                AstKind::BlockStatement(_)
                    | AstKind::StaticBlock(_)
                    | AstKind::TSModuleBlock(_)
                    | AstKind::SwitchCase(_)
            );
        if !is_list || whole.declare {
            return Err(refusal("a function cannot be declared here", whole.span));
        }
        if whole.kind.is_var() && !is_top {
            return Err(refusal(
                format!("`{}` may be used outside the block that would declare it", name.name),
                name.span,
            )
            .hint("first declare it with `const`"));
        }
        if !(whole.kind.is_var() || whole.kind.is_lexical()) {
            return Err(refusal("a `using` declaration disposes of its value at the end of the block", whole.span));
        }
        Ok(())
    }

    /// Converts `const f = …` to `function f…`.
    fn convert_variable(&self, variable: &FunctionVariable<'a>) -> Result<Vec<Edit>> {
        let text = self.text();
        let own = span_in(self.function.span(), text);
        let statement = span_in(variable.statement, text);
        let name = span_in(variable.name.span, text);
        let word = &text[statement.range().start..name.range().start];
        let length = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        let is_async = if self.function.is_async() { "async " } else { "" };
        let keyword = Span::new(statement.range().start, statement.range().start + length);
        let mut edits = vec![Edit::new(keyword, format!("{is_async}function"))];
        match self.function {
            FunctionNode::Arrow(arrow) => edits.extend(self.convert_arrow(arrow, Some(name))?),
            FunctionNode::Function(function) => {
                let params = function.type_parameters.as_ref().map_or(function.params.span, |types| types.span);
                let between = name.range().end..params.start as usize;
                let star = if function.generator { Some(Edit::insert(keyword.range().end, "*")) } else { None };
                edits.extend(star);
                edits.push(Edit::new(between.clone(), self.comments_in(between)));
            }
        }
        let end = own.range().end..statement.range().end;
        let kept = self.comments_in(end.clone());
        edits.push(Edit::new(end, kept.trim_end()));
        Ok(edits)
    }

    /// Returns the edits that convert an arrow function to a function expression or, with a name, to a declaration.
    fn convert_arrow(&self, arrow: &'a ArrowFunctionExpression<'a>, name: Option<Span>) -> Result<Vec<Edit>> {
        let text = self.text();
        let params = span_in(arrow.params.span, text);
        let start = arrow.type_parameters.as_ref().map_or(params, |types| span_in(types.span, text)).range().start;
        let mut edits = Vec::new();
        match name {
            Some(name) => edits.push(Edit::new(name.range().end..start, self.comments_in(name.range().end..start))),
            None => {
                let async_end = if arrow.r#async { "async".len() } else { 0 };
                let word = arrow.span.start as usize + async_end;
                let gap = if arrow.r#async { " function" } else { "function" };
                let kept = self.comments_in(word..start);
                edits.push(Edit::new(word..start, format!("{gap}{}{kept}", if kept.is_empty() { " " } else { "" })));
            }
        }
        if !params.slice(text).starts_with('(') {
            edits.push(Edit::insert(params.range().start, "("));
            edits.push(Edit::insert(params.range().end, ")"));
        }
        let head = arrow.return_type.as_ref().map_or(params, |ty| span_in(ty.span, text)).range().end;
        let body = span_in(self.function.body_span(), text);
        let between = head..body.range().start;
        edits.push(Edit::new(between.clone(), format!("{} ", self.comments_in(between).trim_end())));
        if let Some(value) = self.function.expression() {
            edits.push(Edit::new(body, self.block_body(value, name.is_some())));
        }
        // The closing parenthesis after a bare parameter is inserted before the text that replaces the arrow.
        if let Some(at) = edits.iter().position(|edit| edit.text == ")") {
            let close = edits.remove(at);
            let next = edits.iter_mut().find(|edit| edit.span.start == close.span.start && !edit.span.is_empty());
            match next {
                Some(next) => next.text.insert(0, ')'),
                None => edits.insert(at, close),
            }
        }
        Ok(edits)
    }

    /// Returns a body in braces that returns the value.
    fn block_body(&self, value: &'a Expression<'a>, declared: bool) -> String {
        let text = self.text();
        let (outer, inner) = (span_in(value.span(), text), span_in(value.without_parentheses().span(), text));
        let around = [outer.range().start..inner.range().start, inner.range().end..outer.range().end];
        let bare = around.into_iter().all(|part| self.comments_in(part).trim().is_empty());
        let own = if bare { inner } else { outer }.slice(text);
        let mark = if semicolons::uses_semicolons(self.parsed.program) { ";" } else { "" };
        let is_one_line = !own.contains('\n');
        if !declared && is_one_line {
            return format!("{{ return {own}{mark} }}");
        }
        let outer = lines::indent_at(text, self.function.span().start as usize);
        let inner = format!("{outer}{}", indentation::unit(self.tree));
        let content = Fragment::of_expression(own, self.tree.grammar());
        let line_break = lines::line_break(text);
        let placed = content.indent_for(own, &inner, None);
        let placed = if line_break == "\r\n" { placed.replace('\n', "\r\n") } else { placed };
        format!("{{{line_break}{inner}return {placed}{mark}{line_break}{outer}}}")
    }

    /// Returns the comments in a range, each preceded by a space; a line comment ends with a line break.
    fn comments_in(&self, range: std::ops::Range<usize>) -> String {
        let text = self.text();
        let comments = &self.parsed.program.comments;
        let from = comments.partition_point(|comment| (comment.span.start as usize) < range.start);
        let inside = comments[from..].iter().take_while(|comment| comment.span.end as usize <= range.end);
        let mut kept = String::new();
        for comment in inside {
            kept.push(' ');
            kept += span_in(comment.span, text).slice(text);
            kept += if comment.is_line() { "\n" } else { "" };
        }
        if !kept.is_empty() && !kept.ends_with('\n') && skip_trivia(text, range.end) == range.end {
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
