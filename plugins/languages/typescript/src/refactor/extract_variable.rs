//! `extract_variable`: extracts an expression to a variable near its use.

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};

use super::extract_value::{self, ExtractionOptions};
use crate::TypeScriptDocument;

pub(super) const EXTRACT_VARIABLE: Refactoring<TypeScriptDocument> = Refactoring {
    id: "extract_variable",
    title: "Extract to a variable",
    place: Place::Selection,
    arguments: extract_value::ARGUMENTS,
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    extract_value::extract(
        document,
        input,
        ExtractionOptions { everywhere: true, outermost: false, destructures: true },
    )
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::span::apply;
    use marquetry_sdk::{Argument, Document as _, Selection, Span, refactor};

    use crate::refactor::testing;
    use crate::syntax::spans::span_in;
    use crate::{TypeScript, TypeScriptDocument};

    #[track_caller]
    fn check(marked: &str, after: &str) {
        testing::assert_rewrite("extract_variable", &[], marked, after);
    }

    #[track_caller]
    fn refused(marked: &str, message: &str) {
        testing::assert_refused("extract_variable", &[], marked, message);
    }

    #[test]
    fn finds_expression_at_caret() {
        check("f(‸'b');\n", "const b = 'b';\nf(b);\n");
        check("f({ a‸: 1 });\n", "const extracted = { a: 1 };\nf(extracted);\n");
        check("f(new A‸(1));\n", "const a = new A(1);\nf(a);\n");
        check("f(a.b‸.c);\n", "const { b } = a;\nf(b.c);\n");
        check("f(‸a?.b.c);\n", "const extracted = a;\nf(extracted?.b.c);\n");
        check("f(a + ‸1);\n", "const extracted = 1;\nf(a + extracted);\n");
        check(
            "function f() {\n  ret‸urn a + 1;\n}\n",
            "function f() {\n  const extracted = a + 1;\n  return extracted;\n}\n",
        );
        check("f((a‸) => a);\n", "const extracted = (a) => a;\nf(extracted);\n");
        refused("const a‸ = 1;\n", "no expression is selected");
    }

    #[test]
    fn finds_expression_of_selection() {
        check("f(« a + 1 »);\n", "const extracted = a + 1;\nf( extracted );\n");
        check("f(«(a + 1)» * 2);\n", "const extracted = a + 1;\nf(extracted * 2);\n");
        check("f('a «b» c`');\n", "const b = 'b';\nf(`a ${b} c\\``);\n");
        check("f(`a «b» ${c}`);\n", "const b = \"b\";\nf(`a ${b} ${c}`);\n");
        check("f(«(a, b)»);\n", "const extracted = (a, b);\nf(extracted);\n");
        check("«a, b»;\n", "const extracted = (a, b);\n");
        check("f('\\u{«41»}');\n", "const a = '\\u{41}';\nf(a);\n");
        check("«f();»\n", "const extracted = f();\n");
        check("«return a.b;»\n", "const { b } = a;\nreturn b;\n");
    }

    #[test]
    fn equal_occurrences_are_replaced_where_they_have_the_same_value() {
        check("f(«a.b»);\ng(a.b);\n", "const { b } = a;\nf(b);\ng(b);\n");
        check("f(«a.b»);\na.b = 1;\ng(a.b);\n", "const { b } = a;\nf(b);\na.b = 1;\ng(a.b);\n");
        check("if (c) {\n  f(‸1);\n}\ng(1);\n", "const extracted = 1;\nif (c) {\n  f(extracted);\n}\ng(extracted);\n");
        check("f(«g()»);\nf(g());\n", "const extracted = g();\nf(extracted);\nf(g());\n");
        check("f(«a»);\nfunction h(a) { f(a); }\n", "const extracted = a;\nf(extracted);\nfunction h(a) { f(a); }\n");
        testing::assert_rewrite(
            "extract_variable",
            &[("all", "false")],
            "f(‸1, 1);\n",
            "const extracted = 1;\nf(extracted, 1);\n",
        );
        testing::assert_rewrite(
            "extract_variable",
            &[("all", "true")],
            "f(«a.b»);\ng();\nf(a.b);\n",
            "const { b } = a;\nf(b);\ng();\nf(b);\n",
        );
        // With `all`, no occurrence is replaced if that would change how often it runs or which value it reads.
        let all = [("all", "true")];
        testing::assert_rewrite(
            "extract_variable",
            &all,
            "f(«g()»);\nf(g());\n",
            "const extracted = g();\nf(extracted);\nf(g());\n",
        );
        testing::assert_rewrite(
            "extract_variable",
            &all,
            "let a = 1;\nf(«a + 1»);\na = 5;\nf(a + 1);\n",
            "let a = 1;\nconst extracted = a + 1;\nf(extracted);\na = 5;\nf(a + 1);\n",
        );
    }

    #[test]
    fn names_are_derived_from_expressions() {
        check("f({ size: ‸1 });\n", "const size = 1;\nf({ size });\n");
        check("f({ class: ‸1 });\n", "const extracted = 1;\nf({ class: extracted });\n");
        check("f('Hello ‸world!');\n", "const helloWorld = 'Hello world!';\nf(helloWorld);\n");
        check("f({ 'a-b': ‸1 });\n", "const aB = 1;\nf({ 'a-b': aB });\n");
        check("const { b } = a;\nf(a.‸b);\n", "const { b } = a;\nf(b);\n");
        check("const b = 1;\nf(a.‸b);\n", "const b = 1;\nconst { b: b1 } = a;\nf(b1);\n");
        testing::assert_rewrite("extract_variable", &[("extractedName", "c")], "f(a.‸b);\n", "const c = a.b;\nf(c);\n");
        testing::assert_refused(
            "extract_variable",
            &[("extractedName", "a b")],
            "f(‸1);\n",
            "`a b` is not an identifier",
        );
    }

    #[test]
    fn declarations_are_placed_without_changing_evaluation() {
        check("const f = a => a.‸b;\n", "const f = a => {\n    const { b } = a;\n    return b;\n};\n");
        check("const f = () => ‸1;\n", "const extracted = 1;\nconst f = () => extracted;\n");
        check("if (a) f(‸g());\n", "if (a) {\n    const extracted = g();\n    f(extracted);\n}\n");
        check("const a = 1, b = f(«a + 1»);\n", "const a = 1, extracted = a + 1, b = f(extracted);\n");
        check(
            "switch (a) {\n  case 1:\n    f(«b.c»);\n}\n",
            "switch (a) {\n  case 1:\n    const { c } = b;\n    f(c);\n}\n",
        );
        check("f(<a b=‸'c' />);\n", "const c = 'c';\nf(<a b={c} />);\n");
        check("if (a) { f(«b.c») }\n", "if (a) { const { c } = b; f(c) }\n");
        check("/* a */\n// b\nf(‸1);\n", "const extracted = 1;\n/* a */\n// b\nf(extracted);\n");
        check(
            "a: for (const b of ‸f()) continue a;\n",
            "const extracted = f();\na: for (const b of extracted) continue a;\n",
        );
        check("@f(«1»)\nexport class A {}\n", "const extracted = 1;\n@f(extracted)\nexport class A {}\n");
        check("const { a } = b.c;\nf(a, b.c.‸d);\n", "const { a, d } = b.c;\nf(a, d);\n");
        check("f()\n;[‸1].g()\nh()\n", "f()\n;const extracted = 1; [extracted].g()\nh()\n");
        check("f(‸[\r\n  1\r\n]);\r\n", "const extracted = [\r\n  1\r\n];\r\nf(extracted);\r\n");
        testing::assert_rewrite(
            "extract_variable",
            &[("scope", "file")],
            "function f() {\n  return ‸1;\n}\n",
            "const extracted = 1;\nfunction f() {\n  return extracted;\n}\n",
        );
        testing::assert_rewrite(
            "extract_variable",
            &[("scope", "class"), ("extractedName", "n")],
            "class A {\n  a = 1;\n  f() {\n    return ‸2;\n  }\n}\n",
            "class A {\n  a = 1;\n  private readonly n = 2;\n\n  f() {\n    return this.n;\n  }\n}\n",
        );
    }

    #[test]
    fn refuses_changes_of_meaning() {
        refused("f(g(), «h()»);\n", "`g()` runs before the expression and would run after it");
        refused("a && «f()»;\n", "the expression runs only under a condition and would always run");
        refused("o?.x(«f()»);\n", "the expression runs only under a condition and would always run");
        refused("o?.x.y(1, «f()»);\n", "the expression runs only under a condition and would always run");
        refused("o?.[1][«f()»];\n", "the expression runs only under a condition and would always run");
        refused("o.x?.(«f()»);\n", "the expression runs only under a condition and would always run");
        refused("a && f(«a.b»);\n", "the expression may only be safe to evaluate after the condition before it");
        refused("while («f()») g();\n", "the expression runs in each iteration of a loop and would run only once");
        refused("class A {\n  a = «{}»;\n}\n", "the expression runs for each instance and would run only once");
        refused("function f(a = «g()») {}\n", "the expression runs only under a condition and would always run");
        testing::assert_refused(
            "extract_variable",
            &[("scope", "file")],
            "function f(a) {\n  return «a + 1»;\n}\n",
            "`a` is not in scope at the new declaration",
        );
    }

    /// Returns the text after extracting and inlining again; `None` if one of them is refused.
    fn there_and_back(document: &TypeScriptDocument, at: Selection) -> Option<String> {
        let argument = |name: &str, value: &str| Argument { name: name.to_owned(), value: value.to_owned() };
        let arguments = vec![argument("extractedName", "zz"), argument("all", "false")];
        let there = refactor::apply::<TypeScript>(document, "extract_variable", at, arguments).ok()?;
        let text = apply(document.text(), &there.edits);
        let document = TypeScriptDocument::open("a.tsx", text.clone());
        let name = Selection::caret(there.name_at?);
        let back = refactor::apply::<TypeScript>(&document, "inline_variable", name, Vec::new()).ok()?;
        Some(apply(&text, &back.edits))
    }

    #[test]
    fn inlining_reverts_extraction() {
        let mut done = 0;
        for sample in testing::SAMPLES {
            let document = TypeScriptDocument::open("a.tsx", (*sample).to_owned());
            let spans: Vec<Span> = document.tree.with(|parsed| {
                let nodes = parsed.semantic().nodes().iter();
                nodes.map(|node| span_in(oxc_span::GetSpan::span(&node.kind()), sample)).collect()
            });
            for span in spans {
                let Some(after) = there_and_back(&document, Selection::from_span(span)) else { continue };
                // Inlining keeps braces and parentheses that the extraction added.
                let same = |text: &str| text.replace(['(', ')', '{', '}', ' ', '\n', ';'], "").replace("return", "");
                assert_eq!(same(&after), same(sample), "{}", span.slice(sample));
                done += usize::from(after == **sample);
            }
        }
        assert!(done > 50, "{done}");
    }

    #[test]
    fn any_selection_of_sample_texts_is_handled() {
        for sample in testing::SAMPLES {
            testing::assert_valid_at_every_offset("extract_variable", "a.tsx", sample, &[]);
            testing::assert_valid_at_every_offset("extract_variable", "a.tsx", sample, &[("scope", "file")]);
            testing::assert_valid_at_every_offset("extract_variable", "a.tsx", sample, &[("scope", "class")]);
        }
    }

    #[test]
    fn lost_narrowing_of_reassigned_variable_gives_warning() {
        let doubt = |marked: &str| {
            let (_, rewritten) = testing::run_refactoring("extract_variable", "a.ts", marked, &[]);
            rewritten.expect("a rewrite").incomplete
        };
        let warning = Some("type narrowing of `v` by the condition may be lost at its remaining uses".to_owned());
        assert_eq!(doubt("let v = first();\nv = next(v);\nif («v.key === 'a'») f(v.a);\n"), warning);
        assert_eq!(
            doubt("const v = first();\nif («v.key === 'a'») f(v.a);\n"),
            None,
            "type checkers also narrow types through a constant variable"
        );
    }

    #[test]
    fn lost_narrowing_of_member_gives_warning() {
        let doubt = |marked: &str| {
            let (_, rewritten) = testing::run_refactoring("extract_variable", "a.ts", marked, &[]);
            rewritten.expect("a rewrite").incomplete
        };
        let warning =
            |path: &str| Some(format!("type narrowing of `{path}` by the condition may be lost at its remaining uses"));
        assert_eq!(doubt("if («a.b») f(a.b);\n"), None, "both occurrences are replaced");
        assert_eq!(doubt("if («a.length > 0 && b.c») f(b.c);\n"), warning("b.c"));
        assert_eq!(doubt("if («a.length > 0») f(a.length);\n"), None);
        assert_eq!(doubt("if («a.b() > 0») f(a.b);\n"), None);
        assert_eq!(doubt("f(«a.b»);\nif (a.b.c) f(a.b.c);\n"), None, "the test also uses the new name");
        assert_eq!(doubt("if (g() && a.b.c) {\n  h(a);\n  f(«a.b».c);\n}\n"), warning("a.b.c"));
        assert_eq!(doubt("function f(a: A) {\n  if (!a.b.c) return;\n  h(a);\n  f(«a.b».c);\n}\n"), warning("a.b.c"));
        assert_eq!(doubt("if (a.b.cd) {\n  h(a);\n  f(«a.b».c);\n}\n"), None);
    }
}
